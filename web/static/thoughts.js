// What an agent thinks of a whole replay: the curve of its value, the moves it would not have made, and playing on from here.

import { h, request, rich, stored, svg } from "./dom.js";

const [WIDE, HIGH, LEFT, BELOW, EDGE] = [320, 150, 40, 18, 8];
const LINES = 8; // colours of lines

// The panel, and what is called when the replay moves on. `marked` is given the moves that the agent would not have made.
export function thoughtsOf({ replay, about, show, marked }) {
  const agent = h("select", { id: "judge" }, h("option", { value: "" }, "choose an agent"));
  const found = h("div", { id: "thoughts", class: "judged", "aria-live": "polite" });
  const said = h("p", { class: "error", role: "alert" });
  let n = 0;
  let curve = null;

  async function think() {
    const name = agent.value;
    if (!name) return;
    found.replaceChildren(h("p", { class: "hint" }, `${name} is thinking …`));
    curve = null;
    try {
      let thoughts = null;
      while (!thoughts || thoughts.moves < about.moves.length) {
        thoughts = await request("/api/thoughts", { replay, agent: name });
        if (name !== agent.value) return;
        curve = thoughts.values.length ? curveOf(thoughts.values, about, show) : null;
        found.replaceChildren(curve?.picture ?? h("p", { class: "hint" }, "This agent gives no values; a search does."), ...blundersOf(thoughts, about, show));
        curve?.at(n);
        marked(thoughts.marks);
      }
    } catch (error) {
      found.replaceChildren(h("p", { class: "error" }, error.message));
    }
  }

  async function playOn() {
    try {
      const { token } = await request("/api/play-on", { replay, n, seat: on.value === "" ? null : Number(on.value), name: stored("name", "") });
      location.assign(`/table#${token}`);
    } catch (error) {
      said.textContent = error.message;
    }
  }

  agent.addEventListener("change", think);
  request("/api/judges", { replay })
    .then((names) => agent.append(...names.map((name) => h("option", { value: name }, name))))
    .catch(() => {});
  const on = h("select", { id: "on" }, h("option", { value: "" }, "the player to move"), about.seats.map((one, k) => h("option", { value: k }, `player ${k}, ${one.name}`)));
  const button = h("button", { type: "button", id: "play-on", onclick: playOn }, "Play on from here");
  const panel = h("section", { class: "tools", "aria-label": "what an agent thinks of the game" }, h("label", {}, "Thoughts of ", agent), found, h("label", {}, "As ", on, " ", button), said);
  return {
    panel,
    at(number) {
      n = number;
      button.disabled = n === about.moves.length;
      said.textContent = "";
      curve?.at(n);
    },
  };
}

// A line a seat, of what it has yet to expect at its own decisions; a click goes to the move.
function curveOf(values, about, show) {
  const all = [0, ...values.map(({ value }) => value)];
  const [low, high] = [Math.min(...all), Math.max(...all)];
  const last = Math.max(1, about.moves.length);
  const x = (n) => LEFT + ((WIDE - LEFT - EDGE) * n) / last;
  const y = (value) => EDGE + ((HIGH - EDGE - BELOW) * (high - value)) / (high - low || 1);
  const text = (words, where, side) => svg("text", { ...where, "text-anchor": side }, words);
  const levels = [...new Set([low, 0, high])].filter((value) => value === 0 || Math.abs(y(value) - y(0)) > 10);
  const axes = levels.flatMap((value) => [
    svg("line", { x1: LEFT, x2: WIDE - EDGE, y1: y(value), y2: y(value), class: "grid" }),
    text(value.toFixed(Math.abs(value) < 10 ? 2 : 0), { x: LEFT - 4, y: y(value) + 4 }, "end"),
  ]);
  const seats = about.seats.map((_, seat) => values.filter((one) => one.seat === seat)).filter((own) => own.length);
  const lines = seats.map((own) => svg("polyline", { class: `of-${own[0].seat % LINES}`, points: own.map(({ n, value }) => `${x(n)},${y(value)}`).join(" ") }));
  const now = svg("line", { y1: EDGE, y2: HIGH - BELOW, class: "now" });
  const ends = [text("1", { x: LEFT, y: HIGH - 4 }, "middle"), text(`move ${last}`, { x: WIDE - EDGE, y: HIGH - 4 }, "end")];
  const picture = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "values", role: "img", "aria-label": "value by move" }, ...axes, ...ends, ...lines, now);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const place = ((event.clientX - box.left) / box.width) * WIDE;
    show(Math.round((last * (place - LEFT)) / (WIDE - LEFT - EDGE)));
  });
  const names = seats.map(([{ seat }]) => h("span", { class: `of-${seat % LINES}` }, `player ${seat}`));
  const key = h("figcaption", { class: "hint" }, "expected return from each move on: ", ...names.flatMap((name) => [name, " "]));
  const at = (n) => ["x1", "x2"].forEach((name) => now.setAttribute(name, x(n)));
  return { picture: h("figure", {}, picture, key), at };
}

// The worst first.
function blundersOf({ agent, marks, moves }, about, show) {
  const items = [...marks]
    .sort((one, other) => other.loss - one.loss)
    .map(({ n, better, loss }) =>
      h("li", {}, h("button", { type: "button", class: "quiet", data: { blunder: n }, onclick: () => show(n) }, `move ${n + 1}, player ${about.moves[n].seat}: `, ...rich(about.moves[n].label), h("span", { class: "mark" }, " ?! ", ...rich(better), ` (+${loss.toFixed(2)})`))),
    );
  const seen = moves < about.moves.length ? ` in the first ${moves} of ${about.moves.length} moves` : "";
  return [h("p", { class: "hint" }, `${agent} finds ${items.length ? "these blunders, the worst first" : "no blunders"}${seen}${items.length ? ":" : "."}`), h("ol", { class: "log blunders" }, items)];
}
