// A table: what the server says of it, drawn; what the person does, sent.

import { loadCards } from "./cards.js";
import { adviceOf } from "./advice.js";
import { Chooser, UNUSABLE } from "./chooser.js";
import { counted, h, patch, request, rich, spoken, store, stored, tokens } from "./dom.js";
import { potSizes } from "./facts.js";
import { halt } from "./motion.js";
import { drawScene } from "./scene.js";
import { Line } from "./socket.js";

const at = (id) => document.getElementById(id);
const felt = at("felt");
const actions = at("actions");
const log = at("log");
const KEYS = [
  ["Tab, arrows", "move from card to card"],
  ["Enter, space", "choose the card"],
  ["1 … 9", "press the first, second … button"],
  ["Escape", "go back"],
  ["U", "take back the last action of a half-made choice"],
  ["S", "sort the hand by suit or by rank"],
  ["N", "play again after the game"],
  ["L", "show the log"],
  ["?", "show these keys"],
];

let state = null;
let chooser = null;
let sent = false; // an answer is on its way
let lines = [];
let behind = 0; // seconds by which this clock is behind the server's

await loadCards().catch(() => {});
const line = new Line(location.hash.slice(1), hear, (broken) => notice(broken ? "Connection lost. Reconnecting …" : ""));
addEventListener("hashchange", () => location.reload());

function hear(message) {
  if (message.type === "state") wait(message);
  else if (message.type === "advice") showAdvice(message);
  else if (message.type === "time") behind = message.now - performance.now() / 1000;
  else {
    sent = false;
    notice(message.text, message.final ? null : 4000);
    if (message.final) end();
    else if (state) draw();
  }
}

// States are drawn as they come, but each when the one before has been seen, which takes a frame. A page out of sight has no
// frames, and one that is far behind does not wait for them.
const waits = [];
let unseen = false;
function wait(next) {
  waits.push(next);
  if (!unseen || document.hidden) catchUp();
}

function catchUp() {
  if (!waits.length) return;
  for (const next of waits.splice(0, document.hidden || waits.length > 8 ? waits.length : 1)) become(next);
  unseen = true;
  requestAnimationFrame(() => setTimeout(seen));
}

function seen() {
  unseen = false;
  catchUp();
}
document.addEventListener("visibilitychange", catchUp);

function become(next) {
  if (!state && next.you !== "spectator") store("tables", JSON.stringify([line.token, ...tokens().filter((token) => token !== line.token)].slice(0, 50)));
  for (const seat of next.seats) {
    const noted = seat.kind !== "person" ? "" : seat.agent ? `${seat.agent} plays` : seat.away ? "away" : "";
    if (noted) seat.shown = `${seat.name} (${noted})`;
  }
  if (state && next.round !== state.round) lines = [];
  const first = next.log[0]?.n ?? next.logEnd;
  lines = [...lines.filter((each) => each.n < Math.min(first, next.logEnd)), ...next.log];
  const same = state && state.version === next.version;
  state = next;
  if (!same || !chooser || !next.decision) {
    chooser = next.decision ? new Chooser(next.decision, ownHand(next), potSizes(next.scene, next.scene.viewer), play, draw) : null;
    sent = false;
    at("advice").replaceChildren();
  }
  if (next.failure) notice(next.failure);
  const atEnd = log.scrollHeight - log.scrollTop - log.clientHeight < 40; // asked before anything is drawn, and set after all is
  draw();
  drawTools();
  drawCompiling();
  drawLog();
  if (atEnd) log.scrollTop = log.scrollHeight;
  goOn();
}

// A move that nobody chooses, made as fast as those of agents where that is wanted.
const isForced = () => chooser?.actions.length === 1;
function goOn() {
  clearTimeout(goOn.timer);
  if (isForced() && stored("forced", "") && !state.paused) goOn.timer = setTimeout(() => isForced() && play(chooser.actions[0]), 1000 * state.pace);
}

function setForced(on) {
  store("forced", on ? "on" : "");
  draw();
  drawTools();
  goOn();
}

function drawCompiling() {
  const box = at("compiling");
  const [text, bar] = box.children;
  box.hidden = !state.compiling;
  if (box.hidden) return;
  const { name, done, total } = state.compiling;
  text.textContent = `Compiling ${name} (${done + 1} of ${total}). You can play meanwhile.`;
  Object.assign(bar, { max: total, value: done });
}

function ownHand({ scene }) {
  return scene.seats[scene.viewer].filter((zone) => zone.role === "hand").flatMap((zone) => zone.cards);
}

function play(action) {
  if (sent) return;
  sent = true;
  line.say({ type: "play", version: state.version, action: action.action });
}

function draw() {
  const before = halt(felt);
  document.title = `${state.decision ? "● " : ""}${state.title} · wilddeck`;
  at("title").textContent = state.title;
  at("headline").replaceChildren(...rich(state.scene?.headline ?? ""));
  const focused = document.activeElement?.dataset?.key;
  const inside = focused !== undefined;
  drawActions(); // first, for the table takes the room that they leave
  if (state.scene) {
    drawScene(felt, state.scene, state.seats.map((seat, k) => ({ ...seat, name: nameAt(k) })), {
      touch: (card, key) => (chooser ? chooser.touch(card, key) : key.startsWith(`hand@${state.you}:`) ? UNUSABLE : null),
      reach: (...where) => chooser?.reach(...where) ?? null,
      sort: sorting(),
      results: state.results,
      composed: state.composed,
      before,
    });
  }
  if (inside && !document.activeElement.dataset.key) refocus(focused);
}

// What is left of the time of a person's seat.
function timeOf(seat) {
  if (!state.clock || state.seats[seat].kind !== "person") return "";
  const running = state.clock.seat === seat;
  const left = Math.max(0, Math.ceil(running ? state.clock.ends - behind - performance.now() / 1000 : state.clock.left[seat]));
  return `${Math.floor(left / 60)}:${String(left % 60).padStart(2, "0")} · `;
}

const nameAt = (seat) => `${timeOf(seat)}${state.seats[seat].shown ?? state.seats[seat].name}`;

// The seconds count down at the name of who is to move; nothing else is drawn anew.
setInterval(() => {
  const name = typeof state?.clock?.seat === "number" && felt.querySelector(".seat.moving .name");
  if (name) name.textContent = nameAt(state.clock.seat);
}, 500);

function refocus(key) {
  const again = key && document.querySelector(`[data-key="${CSS.escape(key)}"]`);
  (again ?? document.querySelector(".hand.own button.can, #actions button"))?.focus();
}

function sorting() {
  return stored(`sort.${state.game}`, "suit");
}

function resort() {
  store(`sort.${state.game}`, sorting() === "suit" ? "rank" : "suit");
  draw();
}

function drawActions() {
  const parts = [];
  if (state.over) parts.push(...result());
  else if (chooser) parts.push(...chooser.view());
  else if (state.scene) parts.push(h("p", { class: "hint waiting", role: "status" }, waiting()));
  if (isForced() && !stored("forced", "")) parts.push(h("button", { type: "button", class: "quiet", onclick: () => setForced(true), data: { key: "forced" } }, "Play forced moves for me"));
  if (state.canUndo && !chooser?.begun) parts.push(h("button", { type: "button", class: "quiet", onclick: undo, data: { key: "undo" }, title: "U" }, "Take back"));
  actions.replaceChildren(...parts);
  actions.classList.toggle("mine", Boolean(chooser));
}

function waiting() {
  const seat = state.seats[state.scene.toMove];
  if (!seat) return "";
  if (state.paused) return "Paused.";
  return seat.kind === "open" ? `Waiting for somebody to take seat ${state.scene.toMove} …` : `Waiting for ${seat.shown ?? seat.name}, player ${state.scene.toMove} …`;
}

function result() {
  const order = state.returns.map((value, seat) => [value, seat]).sort((a, b) => b[0] - a[0]);
  const best = order[0][0];
  const rows = order.map(([value, seat]) =>
    h(
      "tr",
      { class: seat === state.you ? "you" : "", role: "row" }, // laid out in columns, which takes a table's roles away
      h("td", { role: "cell" }, value === best ? h("span", { role: "img", "aria-label": "best" }, "★") : ""),
      h("td", { role: "cell" }, `${seat} · ${state.seats[seat].name}`),
      h("td", { class: "numeric", role: "cell", title: `return ${value}` }, state.results[seat], state.games[seat] > 1 ? h("span", { class: "total", title: `in ${state.games[seat]} games` }, ` ${state.sums[seat]} in total`) : ""),
    ),
  );
  return [
    h("div", { class: "result" }, h("h2", {}, "The game is over"), h("table", { role: "table", "aria-label": "the result" }, h("tbody", { role: "rowgroup" }, rows))),
    h(
      "div",
      { class: "buttons" },
      state.you === "spectator" ? null : h("button", { type: "button", class: "strong", onclick: newGame, data: { key: "new" } }, "Play again"),
      h("button", { type: "button", onclick: stepThrough, data: { key: "step" } }, "Step through it"),
      h("button", { type: "button", onclick: download, data: { key: "replay" } }, "Download the replay"),
      h("a", { class: "button", href: "/" }, "Other games"),
    ),
  ];
}

const newGame = () => line.say({ type: "new" });
const undo = () => line.say({ type: "undo" });

async function stepThrough() {
  try {
    const { replay } = await request("/api/replays", { token: location.hash.slice(1) });
    location.assign(`/replay?replay=${replay}`);
  } catch (error) {
    notice(error.message, 4000);
  }
}

async function download() {
  try {
    const replay = await request("/api/replay", { token: location.hash.slice(1) }, true);
    const url = URL.createObjectURL(new Blob([replay], { type: "application/json" }));
    h("a", { href: url, download: `${state.game}.json` }).click();
    URL.revokeObjectURL(url);
  } catch (error) {
    notice(error.message, 4000);
  }
}

function drawLog() {
  const shown = new Map([...log.children].map((item) => [item.key, item]));
  const item = ({ kind, text }, key) => h("li", { key, class: kind, "aria-label": spoken(text) }, h("span", {}, rich(text)));
  const named = lines.map((each) => [each, `${state.round}:${each.n}:${each.text}`]);
  patch(log, named.map(([each, key]) => shown.get(key) ?? item(each, key)));
}

function drawTools() {
  const tools = [];
  if (state.spectators) tools.push(h("p", { class: "hint" }, counted(state.spectators, "spectator")));
  const isOpen = state.seats.some((seat) => seat.kind === "open");
  for (const [seat, invitation] of Object.entries(state.invitations ?? {})) tools.push(invite(`Link for seat ${seat}`, `/join#${invitation}`));
  if (state.links?.evening) tools.push(invite("Link for a group: everyone who opens it gets a seat, at another table once this one is full", `/join#${state.links.evening}`));
  if (state.host && isOpen) tools.push(h("button", { type: "button", onclick: () => line.say({ type: "start", spec: "rules" }), data: { key: "start" } }, "Start, with agents in the open seats"));
  if (state.links) tools.push(invite("Link for spectators", `/table#${state.links.spectator}`));
  state.seats.forEach((seat, number) => {
    if (!seat.away || seat.agent || typeof state.you !== "number") return;
    const playOn = () => line.say({ type: "fill", seat: number, spec: "rules" });
    tools.push(h("button", { type: "button", onclick: playOn, data: { key: `fill${number}` } }, `${seat.name} is away: let an agent play until they return`));
  });
  if (state.host) tools.push(paceTool());
  if (state.you === null) tools.push(lookTool());
  if (state.you === null || state.host) {
    tools.push(h("button", { type: "button", onclick: () => line.say({ type: "pause", on: !state.paused }), data: { key: "pause" } }, state.paused ? "Continue" : "Pause"));
  }
  if (stored("forced", "")) tools.push(h("label", {}, h("input", { type: "checkbox", checked: true, onchange: () => setForced(false), data: { key: "unforced" } }), " Play forced moves for me"));
  tools.push(h("button", { type: "button", class: "quiet", onclick: resort, title: "S" }, `Sort by ${sorting() === "suit" ? "rank" : "suit"}`));
  tools.push(h("button", { type: "button", class: "quiet", onclick: help, title: "?" }, "Keys"));
  tools.push(h("a", { class: "button quiet", href: `/rules/${state.game}`, target: "_blank" }, "Rules"));
  tools.push(...adviceTools());
  const shown = at("tools").children;
  if (tools.length === shown.length && tools.every((tool, k) => tool.isEqualNode(shown[k]))) return;
  const focused = at("tools").contains(document.activeElement) ? document.activeElement : null;
  if (focused && (focused.tagName === "SELECT" || focused.readOnly)) return; // it is in use
  at("tools").replaceChildren(...tools);
  if (focused) at("tools").querySelector(`[data-key="${focused.dataset.key}"]`)?.focus();
}

function paceTool() {
  const values = state.seats.some((seat) => seat.kind !== "agent") ? [0, 0.3, 0.7, 1.5, 3] : [0.05, 0.2, 0.5, 1, 2];
  const nearest = values.reduce((a, b) => (Math.abs(b - state.pace) < Math.abs(a - state.pace) ? b : a));
  const select = h("select", {}, values.map((value) => h("option", { value, selected: value === nearest }, value ? `${value} s` : "none")));
  select.addEventListener("change", () => {
    store("pace", select.value);
    line.say({ type: "pace", seconds: Number(select.value) });
  });
  return h("label", {}, "Agents' delay ", select);
}

function lookTool() {
  const seats = state.seats.map((seat, k) => [k, `as player ${k} sees it`]);
  const select = h("select", {}, [["", "all cards"], ...seats].map(([value, text]) => h("option", { value, selected: value === (state.scene?.viewer ?? "") }, text)));
  select.addEventListener("change", () => line.say({ type: "look", seat: select.value === "" ? null : Number(select.value) }));
  return h("label", {}, "Show ", select);
}

function invite(label, path) {
  const url = `${location.origin}${path}`;
  const copy = h("button", { type: "button" }, "Copy the link");
  copy.addEventListener("click", async () => {
    try {
      await navigator.clipboard.writeText(url);
      copy.textContent = "Copied";
    } catch {
      notice("Could not copy the link; select it and copy it yourself", 3000);
    }
  });
  return h("div", { class: "invite" }, h("label", {}, label, h("input", { readonly: true, value: url, onfocus: (event) => event.target.select() })), copy);
}

function adviceTools() {
  const people = state.seats.filter((seat) => seat.kind === "person").length;
  const mine = state.seats[state.you]?.agreed;
  const found = [];
  if (typeof state.you === "number") {
    const box = h("input", { type: "checkbox", checked: mine, data: { key: "agree" } });
    box.addEventListener("change", () => line.say({ type: "agree", on: box.checked }));
    const others = people > 1 ? ` (${state.seats.filter((seat) => seat.agreed).length} of ${people} agree)` : "";
    found.push(h("label", {}, box, ` Allow advice${others}`));
  }
  if (state.advice && (state.decision || state.you === null) && !state.over) {
    found.push(h("button", { type: "button", onclick: ask, data: { key: "advice" } }, "What would agents do?"));
  }
  return found;
}

function ask() {
  at("advice").replaceChildren(h("p", { class: "hint" }, "The agents are thinking …"));
  line.say({ type: "advice", version: state.version });
}

function showAdvice({ version, agents }) {
  if (version !== state.version) return;
  at("advice").replaceChildren(...agents.map((each) => adviceOf(each)));
}

function notice(text, milliseconds = null) {
  const box = at("notice");
  box.textContent = text;
  box.hidden = !text;
  clearTimeout(notice.timer);
  if (text && milliseconds) notice.timer = setTimeout(() => (box.hidden = true), milliseconds);
}

function end() {
  chooser = null;
  felt.classList.add("ended");
  actions.replaceChildren(h("a", { class: "button strong", href: "/" }, "Choose a game"));
}

function help() {
  const rows = KEYS.map(([key, what]) => h("tr", {}, h("th", {}, key), h("td", {}, what)));
  at("help").replaceChildren(h("h2", {}, "Keys"), h("table", {}, h("tbody", {}, rows)), h("button", { type: "button", class: "strong", onclick: () => at("help").close() }, "Close"));
  at("help").showModal();
}

function showLog(on) {
  document.body.classList.toggle("with-log", on);
  at("menu").setAttribute("aria-expanded", String(on));
}
at("menu").addEventListener("click", () => showLog(!document.body.classList.contains("with-log")));

function step(by) {
  const all = [...document.querySelectorAll(".hand.own button.card")];
  const here = all.indexOf(document.activeElement);
  const able = all.filter((each) => each.classList.contains("can"));
  if (!all.length) return;
  if (here < 0) (able[0] ?? all[0]).focus();
  else all[(here + by + all.length) % all.length].focus();
}

const SHORTCUTS = {
  ArrowLeft: () => step(-1),
  ArrowRight: () => step(1),
  Escape: () => chooser?.begun && chooser.back(),
  u: () => state?.canUndo && undo(),
  s: () => state && resort(),
  n: () => state?.over && state.you !== "spectator" && newGame(),
  l: () => showLog(!document.body.classList.contains("with-log")),
  "?": help,
};

addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || at("help").open) return;
  if (["INPUT", "SELECT", "TEXTAREA"].includes(event.target.tagName)) return;
  const number = "123456789".indexOf(event.key);
  const button = number >= 0 ? [...actions.querySelectorAll(".buttons button")][number] : null;
  if (button) button.click();
  else if (SHORTCUTS[event.key]) SHORTCUTS[event.key]();
  else return;
  event.preventDefault();
});
