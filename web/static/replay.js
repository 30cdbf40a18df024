// A replay: any moment of a game that is over, through any seat or with all cards. What there is to know it asks a server for, or
// finds in the page itself (`whole`), which then is a file that needs none.

import { adviceOf } from "./advice.js";
import { loadCards, putCards } from "./cards.js";
import { h, request, rich, store, stored } from "./dom.js";
import { drawScene } from "./scene.js";
import { thoughtsOf } from "./thoughts.js";

const at = (id) => document.getElementById(id);
const felt = at("felt");
const log = at("log");
const SPEEDS = [2, 1, 0.5, 0.2];

let about = null; // what there is to know of the game
let marks = new Map(); // by move: what would have been better
let n = 0;
let replay = null; // its name at the server
let viewer = null;
let asked = 0;
let playing = null;
let scene = null;
let thoughts = null; // the panel of what an agent thinks

const whole = at("whole");
const ask = whole ? await opened(whole.textContent) : request;
if (!whole) await loadCards().catch(() => {});
addEventListener("hashchange", () => about && show(wanted()));

// What answers as the server would.
async function opened(packed) {
  const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
  const all = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).json();
  putCards(all.cards, all.frames[0][0].cards);
  const answers = { "/api/frame": ({ n, viewer }) => (n === undefined ? all.about : all.frames[n].at(viewer ?? -1)), "/api/marks": () => all.marks };
  return async (path, body) => answers[path](body);
}

// The move that the address asks for.
function wanted() {
  return (Number(new URLSearchParams(location.hash.slice(1)).get("move")) || 1) - 1;
}

function chooseFile() {
  const input = h("input", { type: "file", accept: ".json,application/json" });
  input.addEventListener("change", async () => {
    try {
      const found = await request("/api/replays", { text: await input.files[0].text() });
      location.assign(`/replay?replay=${found.replay}`);
    } catch (error) {
      notice(error.message);
    }
  });
  const hint = "Choose a file that you saved with “Download the replay” or with `wilddeck league replay --json`.";
  felt.replaceChildren(h("label", { class: "hint open-file" }, h("strong", {}, "Open a replay "), input, h("span", {}, hint)));
}

async function open({ league, match, ...named }) {
  try {
    ({ replay } = league ? await request("/api/replays", { league: Number(league), match }) : named);
    about = await ask("/api/frame", { replay });
  } catch (error) {
    notice(error.message);
    chooseFile();
    return;
  }
  document.title = `${about.title} · replay · wilddeck`;
  at("title").textContent = `${about.title}, replay`;
  log.replaceChildren(...about.moves.map(moveLine));
  drawControls();
  drawTools();
  if (!whole) {
    thoughts = thoughtsOf({ replay, about, show, marked });
    at("advice").after(thoughts.panel);
  }
  await show(wanted());
  const found = await ask("/api/marks", { replay }).catch(() => []);
  if (!at("judge")?.value) marked(found); // unless an agent was chosen meanwhile
}

// Shows the moves in whose place an agent would have played something better.
function marked(found) {
  for (const old of document.querySelectorAll(".moves .mark, #next-mark")) old.remove();
  marks = new Map(found.map((mark) => [mark.n, mark]));
  for (const [number, mark] of marks) {
    const item = log.children[number];
    item?.append(h("span", { class: "mark", title: `${mark.agent} would have played: ${mark.better}`, role: "img", "aria-label": `${mark.agent} would have played ${mark.better}` }, "?!"));
  }
  if (marks.size) at("tools").append(h("button", { type: "button", id: "next-mark", onclick: nextMark }, `Next ?! (${marks.size})`));
  if (scene) draw();
}

function moveLine(move, number) {
  return h(
    "li",
    {},
    h("button", { type: "button", class: "quiet", onclick: () => show(number), data: { move: number } }, h("span", { class: "number" }, String(move.seat)), h("span", {}, rich(move.told), move.standIn ? " (stand-in)" : "")),
  );
}

async function show(number) {
  n = Math.max(0, Math.min(about.moves.length, number));
  const mine = ++asked;
  let found;
  try {
    found = await ask("/api/frame", { replay, n, viewer });
  } catch (error) {
    notice(error.message);
    return;
  }
  if (mine !== asked) return;
  scene = found;
  at("advice").replaceChildren();
  thoughts?.at(n);
  draw();
  try {
    history.replaceState(null, "", `#move=${n + 1}`);
  } catch {
    // within another page, where it has no address
  }
}

function draw() {
  const over = n === about.moves.length;
  drawScene(felt, scene, about.seats, { touch: () => null, reach: () => null, sort: stored(`sort.${about.game}`, "suit"), results: over ? about.results : null });
  at("headline").replaceChildren(...rich(scene.headline));
  for (const item of log.querySelectorAll(".now")) item.classList.remove("now");
  const next = log.children[n];
  next?.classList.add("now");
  next?.scrollIntoView({ block: "nearest" });
  at("slider").value = n;
  at("place").textContent = over ? `the end, after ${n} moves` : `move ${n + 1} of ${about.moves.length}`;
  const move = about.moves[n];
  const mark = marks.get(n);
  at("next").replaceChildren(
    ...(move ? [`player ${move.seat}: `, ...rich(move.label), mark ? h("span", { class: "mark" }, ` ?! ${mark.agent}: `, ...rich(mark.better)) : ""] : ["the game is over"]),
  );
}

function drawControls() {
  const slider = h("input", { id: "slider", type: "range", min: 0, max: about.moves.length, value: 0, "aria-label": "move" });
  slider.addEventListener("input", () => show(Number(slider.value)));
  const button = (text, label, to, key) => h("button", { type: "button", onclick: to, "aria-label": label, title: key ? `${label} (${key})` : label }, text);
  at("actions").replaceChildren(
    h("p", { id: "next", class: "next", role: "status" }),
    h(
      "div",
      { class: "buttons" },
      button("⇤", "to the start", () => show(0), "Home"),
      button("←", "back", () => show(n - 1), "left"),
      h("button", { type: "button", class: "strong", id: "play", onclick: toggle, title: "space" }, "Play"),
      button("→", "forward", () => show(n + 1), "right"),
      button("⇥", "to the end", () => show(about.moves.length), "End"),
    ),
    slider,
    h("span", { id: "place", class: "hint" }),
  );
}

function drawTools() {
  const look = choice([["", "all cards"], ...about.seats.map((seat, k) => [k, `as player ${k}, ${seat.name}, sees it`])], viewer ?? "", (value) => {
    viewer = value === "" ? null : Number(value);
    show(n);
  });
  const speed = choice(SPEEDS.map((seconds) => [seconds, `${seconds} s per move`]), stored("replay", "1"), (value) => {
    store("replay", value);
    if (playing) start();
  });
  const who = choice(about.seats.map((seat, k) => [k, `player ${k}, ${seat.name}`]), viewer ?? 0, () => {});
  const next = h("button", { type: "button", id: "next-decision", onclick: () => nextOf(Number(who.value)) }, "Next decision");
  at("tools").replaceChildren(
    h("label", {}, "Show ", look),
    h("label", {}, "Speed ", speed),
    h("label", {}, next, " of ", who),
    ...(whole ? [] : [h("button", { type: "button", id: "ask", onclick: advise }, "What would agents do?"), h("span", {}, "Save ", save("html", "as a page"), " ", save("svg", "as a picture"))]),
  );
}

function save(kind, text) {
  return h("a", { class: "button", href: `/api/saved/${replay}/${kind}`, download: "" }, text);
}

function choice(pairs, value, change) {
  const select = h("select", {}, pairs.map(([name, text]) => h("option", { value: name, selected: String(name) === String(value) }, text)));
  select.addEventListener("change", () => change(select.value));
  return select;
}

function nextOf(seat) {
  const found = about.moves.findIndex((move, number) => number > n && move.seat === seat);
  if (found >= 0) show(found);
  else notice(`player ${seat} has no more decisions`, 2500);
}

function nextMark() {
  const found = [...marks.keys()].find((number) => number > n);
  if (found !== undefined) show(found);
  else notice("there are no more blunders", 2500);
}

async function advise() {
  at("advice").replaceChildren(h("p", { class: "hint" }, "The agents are thinking …"));
  const number = n;
  try {
    const found = await request("/api/replay-advice", { replay, n });
    if (number === n) at("advice").replaceChildren(...found.map((each) => adviceOf(each, about.moves[n].label)));
  } catch (error) {
    at("advice").replaceChildren(h("p", { class: "error" }, error.message));
  }
}

function start() {
  clearInterval(playing);
  playing = setInterval(() => (n < about.moves.length ? show(n + 1) : stop()), 1000 * Number(stored("replay", "1")));
  at("play").textContent = "Stop";
}

function stop() {
  clearInterval(playing);
  playing = null;
  at("play").textContent = "Play";
}

function toggle() {
  if (playing) stop();
  else {
    if (n === about.moves.length) show(0);
    start();
  }
}

function notice(text, milliseconds = null) {
  const box = at("notice");
  box.textContent = text;
  box.hidden = !text;
  if (milliseconds) setTimeout(() => (box.hidden = true), milliseconds);
}

at("menu").addEventListener("click", () => {
  const on = document.body.classList.toggle("with-log");
  at("menu").setAttribute("aria-expanded", String(on));
});

const SHORTCUTS = { ArrowLeft: () => show(n - 1), ArrowRight: () => show(n + 1), Home: () => show(0), End: () => show(about.moves.length), " ": toggle };
addEventListener("keydown", (event) => {
  if (!about || !SHORTCUTS[event.key] || event.ctrlKey || event.metaKey || event.altKey) return;
  if (["SELECT", "INPUT"].includes(event.target.tagName) || (event.key === " " && event.target.tagName === "BUTTON")) return;
  event.preventDefault();
  SHORTCUTS[event.key]();
});

// Last, so that keys and menu are listened to while marks are thought of.
if (whole || location.search) await open(Object.fromEntries(new URLSearchParams(location.search)));
else chooseFile();
