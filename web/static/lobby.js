// All games, and the form that makes a table of one.

import { h, request, store, stored, tokens } from "./dom.js";

const dialog = document.getElementById("setup");
const list = document.getElementById("games");
const CLOCKS = [
  ["No clock", null],
  ["15 seconds per turn", { seconds: 15 }],
  ["30 seconds per turn", { seconds: 30 }],
  ["2 minutes per turn", { seconds: 120 }],
  ["1 minute, plus 5 seconds per turn", { seconds: 60, increment: 5 }],
  ["5 minutes, plus 10 seconds per turn", { seconds: 300, increment: 10 }],
];
const MINE = 8; // tables that are shown
// Options by what they are about, for a person to find; the rest are rules of the game.
const GROUPS = [
  ["Length", /^(match|episode|target.*|hands|games|deals|coups|max_(hands|deals|turns|rounds|plays|tricks))$/],
  ["Cards", /^(deck|decks|num_decks|deal|deal_52|hand_size|removed_queen|cut|burn|reshuffle|setup|visibility)$/],
  ["Scores and stakes", /reward|scoring|points|bonus|bags|honors|cap$|moon|stack|blind|ante|bring_in|_bet$|^bets|_bid$|commission|pays|weights/],
  ["Rules", /./],
];

// The tables that this browser was at, and how it stands there.
async function showMine(games) {
  const mine = tokens();
  if (!mine.length) return;
  const standing = await request("/api/standing", { tokens: mine });
  const titles = new Map(games.map((game) => [game.id, game.title]));
  const links = standing.map((table, k) => table && tableLink(table, mine[k], titles.get(table.game) ?? table.game)).filter(Boolean);
  const box = document.getElementById("mine");
  box.hidden = !links.length;
  box.querySelector("div").replaceChildren(...links.slice(0, MINE));
}

function tableLink({ seats, you, mover, over }, token, title) {
  const others = seats.filter((_, seat) => seat !== you).map((seat) => seat.name);
  const stands = over ? "game over" : mover === null ? "" : mover === you ? "your move" : `${seats[mover].name} to move`;
  return h("a", { class: "button", href: `/table#${token}` }, `${title} ${you === null ? "between" : "with"} ${others.join(", ")} `, h("span", { class: "players" }, stands));
}

function gameCard(game) {
  return h(
    "button",
    { type: "button", class: "game", onclick: () => open(game), data: { game: game.id } },
    h("img", { src: `/picture/${game.id}`, alt: "", loading: "lazy", width: 780, height: 442 }),
    h("span", { class: "game-title" }, game.title),
    h("span", { class: "players" }, `${game.players} players`),
    h("span", { class: "about" }, game.about),
  );
}

function open(game) {
  new Setup(game);
  if (!dialog.open) dialog.showModal();
}

dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});

class Setup {
  constructor(game) {
    this.game = game;
    this.inputs = new Map(game.options.map((option) => [option.name, this.#input(option)]));
    this.errors = new Map(game.options.map((option) => [option.name, h("span", { class: "error", role: "alert" })]));
    this.seats = h("div", { class: "seat-list" });
    this.error = h("p", { class: "error", role: "alert" });
    this.name = h("input", { maxlength: 24, value: stored("name", ""), placeholder: "You", autocomplete: "nickname" });
    this.clock = h("select", { data: { clock: "" } }, CLOCKS.map(([text, clock]) => h("option", { value: JSON.stringify(clock) }, text)));
    this.start = h("button", { class: "strong", type: "submit" }, "Start");
    const [players, ...others] = game.options;
    const groups = Map.groupBy(others, ({ name }) => GROUPS.find(([, fits]) => fits.test(name))[0]);
    const grouped = GROUPS.filter(([title]) => groups.has(title)).map(([title]) =>
      h("fieldset", {}, h("legend", {}, title), groups.get(title).map((option) => this.#row(option))),
    );
    this.summary = h("p", { class: "count", role: "status" });
    const form = h(
      "form",
      { onsubmit: (event) => this.#make(event), oninput: () => this.#check() },
      h("h2", { id: "setup-title" }, game.title),
      h("p", { class: "about" }, `${game.about}. `, h("a", { href: `/rules/${game.id}`, target: "_blank" }, "Rules")),
      h("label", { class: "field" }, h("span", { class: "label" }, "Players"), this.inputs.get(players.name), this.errors.get(players.name)),
      h("label", { class: "field" }, h("span", { class: "label" }, "Your name"), this.name),
      h("fieldset", {}, h("legend", {}, "Seats"), this.seats),
      h("label", { class: "field" }, h("span", { class: "label" }, "Clock"), this.clock, h("span", { class: "doc" }, "when a person's time is up, an agent plays that turn")),
      others.length ? h("details", {}, h("summary", {}, `Options (${others.length})`), grouped) : null,
      this.error,
      this.summary,
      h("div", { class: "row" }, h("button", { type: "button", class: "quiet", onclick: () => dialog.close() }, "Cancel"), this.start),
    );
    dialog.replaceChildren(form);
    this.#check();
  }

  #input(option) {
    const set = { data: { option: option.name } };
    if (isYesOrNo(option)) return h("input", { ...set, type: "checkbox", checked: option.offered ?? option.default });
    if (option.kind === "choice") {
      const values = option.values.map((value) =>
        h("option", { value: JSON.stringify(value), selected: value === (option.offered ?? option.default) }, value === null ? "automatic" : shown(value)),
      );
      return h("select", set, values);
    }
    if (option.kind === "integer" && !option.words.length) {
      return h("input", { ...set, type: "number", min: option.low, max: option.high, value: option.offered ?? option.default });
    }
    return h("input", { ...set, value: Array.isArray(option.default) ? option.default.join(", ") : (option.default ?? "none") });
  }

  #row(option) {
    const about = option.doc.split(/\b([A-Z]{2}-\d+)\b/).map((part, k) => (k % 2 ? this.#clause(part) : part));
    if (isYesOrNo(option)) {
      return h("label", { class: "field yes-or-no" }, h("span", {}, this.inputs.get(option.name), " ", about), this.errors.get(option.name));
    }
    return h(
      "label",
      { class: "field" },
      h("span", { class: "label" }, option.name.replace(/_/g, " ")),
      this.inputs.get(option.name),
      h("span", { class: "doc" }, about),
      this.errors.get(option.name),
    );
  }

  #clause(number) {
    return h("a", { class: "clause", href: `/rules/${number.startsWith("ED-") ? "extended_deck" : this.game.id}#${number}`, target: "_blank" }, number);
  }

  #values() {
    const found = {};
    for (const option of this.game.options) {
      const input = this.inputs.get(option.name);
      const value = isYesOrNo(option) ? input.checked : option.kind === "choice" ? JSON.parse(input.value) : read(input.value, option.kind === "numbers");
      if (JSON.stringify(value) !== JSON.stringify(option.default)) found[option.name] = value;
    }
    return found;
  }

  async #check() {
    const asked = (this.asked = JSON.stringify(this.#values()));
    let found;
    try {
      found = await request("/api/check", { game: this.game.id, options: this.#values() });
    } catch (error) {
      found = { error: error.message, fields: [] };
    }
    if (asked !== this.asked) return;
    for (const [name, element] of this.errors) element.textContent = found.fields?.includes(name) ? found.error : "";
    if (found.fields?.some((name) => name !== "num_players")) dialog.querySelector("details")?.setAttribute("open", "");
    this.error.textContent = found.error && !found.fields?.length ? found.error : "";
    this.start.disabled = Boolean(found.error);
    this.summary.textContent = found.error ? "" : `${found.players} players, with ${found.cards}`;
    if (!found.error) this.#showSeats(found);
  }

  #showSeats({ players, agents }) {
    const before = [...this.seats.querySelectorAll("select")].map((select) => select.value);
    const same = JSON.stringify(agents) === this.agents && before.length === players;
    if (same) return;
    this.agents = JSON.stringify(agents);
    const strongest = agents.includes("trained") ? "trained" : agents[0];
    const rows = Array.from({ length: players }, (_, seat) => {
      const options = [["me", "me"], ["open", "another person (invited by link)"], ...agents.map((spec) => [`agent ${spec}`, spec])];
      const wanted = before[seat] && options.some(([value]) => value === before[seat]) ? before[seat] : seat ? `agent ${strongest}` : "me";
      const select = h("select", { "aria-label": `seat ${seat}` }, options.map(([value, text]) => h("option", { value, selected: value === wanted }, text)));
      select.addEventListener("change", () => this.#onlyOneMe(select, strongest));
      return h("label", { class: "seat-row" }, h("span", { class: "number" }, String(seat)), select);
    });
    this.seats.replaceChildren(...rows);
  }

  #onlyOneMe(changed, strongest) {
    if (changed.value !== "me") return;
    for (const select of this.seats.querySelectorAll("select")) {
      if (select !== changed && select.value === "me") select.value = `agent ${strongest}`;
    }
  }

  async #make(event) {
    event.preventDefault();
    store("name", this.name.value);
    const seats = [...this.seats.querySelectorAll("select")].map(({ value }) =>
      value === "me" ? { kind: "person", name: this.name.value } : value === "open" ? { kind: "open" } : { kind: "agent", spec: value.slice(6) },
    );
    const pace = Number(stored("pace", "0.7"));
    this.start.disabled = true;
    try {
      const { token } = await request("/api/tables", { game: this.game.id, options: this.#values(), seats, pace, clock: JSON.parse(this.clock.value) });
      location.assign(`/table#${token}`);
    } catch (error) {
      this.error.textContent = error.message;
      this.start.disabled = false;
    }
  }
}

function isYesOrNo({ kind, values }) {
  return kind === "choice" && values.length === 2 && values.every((value) => typeof value === "boolean");
}

function shown(value) {
  return value === true ? "yes" : value === false ? "no" : String(value).replace(/_/g, " ");
}

// A number, several of them, or a word.
function read(text, several) {
  const parts = text.split(",").map((part) => part.trim()).filter(Boolean);
  const values = parts.map((part) => (/^[+-]?\d+(\.\d+)?$/.test(part) ? Number(part) : part));
  if (several) return values;
  return values.length === 1 ? (values[0] === "none" ? null : values[0]) : text;
}

// Last, when all of the above is there.
try {
  const games = await request("/api/games");
  list.replaceChildren(...games.map(gameCard));
  const openAsked = () => {
    const wanted = games.find((game) => game.id === location.hash.slice(1));
    if (wanted) open(wanted);
  };
  addEventListener("hashchange", openAsked);
  openAsked();
  showMine(games).catch(() => {}); // the games are there without it
} catch (error) {
  list.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
}
