// The connection to a table. It comes back by itself, until the server says that the table is gone.

const WAITS = [300, 700, 1500, 3000, 5000]; // milliseconds between attempts

export class Line {
  // `hear(message)` is told all messages, `lost(true)` that the connection broke, `lost(false)` that it is back.
  constructor(token, hear, lost) {
    Object.assign(this, { token, hear, lost, attempts: 0, ended: false });
    this.#open();
  }

  #open() {
    const scheme = location.protocol === "https:" ? "wss" : "ws";
    this.socket = new WebSocket(`${scheme}://${location.host}/socket`);
    this.socket.addEventListener("open", () => this.socket.send(JSON.stringify({ type: "join", token: this.token })));
    this.socket.addEventListener("message", ({ data }) => {
      const message = JSON.parse(data);
      if (this.attempts) this.lost(false);
      this.attempts = 0;
      if (message.final) this.ended = true;
      this.hear(message);
    });
    this.socket.addEventListener("close", () => {
      if (this.ended) return;
      this.lost(true);
      setTimeout(() => this.#open(), WAITS[Math.min(this.attempts++, WAITS.length - 1)]);
    });
  }

  say(message) {
    if (this.socket.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(message));
  }
}
