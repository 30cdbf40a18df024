// The table of any game, from a scene: seats around, what is played and what is common in the middle, the viewer's own seat below.

import { cardName, hasCards, loadCards, lying, picture, sorted } from "./cards.js";
import { counted, h, patch, rich } from "./dom.js";
import { badges, panel, toBeat } from "./facts.js";
import { calm, halt, move } from "./motion.js";

const STILL = 400; // milliseconds until all that moves has come to rest
const SHOWN = 14; // cards of a row; of more, the newest
const ASIDE = [3, 6, 10]; // so many others have one, two, three of them at the left and at the right
// How a board can be crowded, as table.css has it: the first is taken at which nothing has to be scrolled.
const LEVELS = ["large", "", "counts", "counts small", "counts lines", "counts lines small", "counts lines flat small", "counts lines flat smallest"];

// Draws `scene` into `felt`. `seats` are names and kinds; `touch(card, key)` says how a card in sight can be used:
// {act, raised, chosen} or null; `reach(seat, place, index)` the same of a seat, a place or a hidden card of it; `composed` are
// cards of the viewer's hand that a half-made choice holds already, `results` what the game brought each seat, in words, `before` the
// places that were seen until now.
export function drawScene(felt, scene, seats, { touch, reach, sort, results, composed = [], before = halt(felt) }) {
  const drawn = felt.drawn;
  felt.drawn = scene;
  if (!hasCards(scene.cards)) {
    const again = () => felt.drawn === scene && drawScene(felt, scene, seats, { touch, reach, sort, results, composed });
    loadCards(scene.cards).then(again, () => {});
  }
  const count = scene.seats.length;
  const own = scene.viewer ?? 0;
  const others = Array.from({ length: count - 1 }, (_, k) => (own + 1 + k) % count);
  const aside = ASIDE.filter((least) => others.length >= least).length;
  const sides = { left: others.slice(0, aside), top: others.slice(aside, others.length - aside), right: others.slice(others.length - aside) };
  const acts = new Map(); // what clicks do, by `data-key`
  felt.onclick = ({ target }) => acts.get(target.closest("[data-key]")?.dataset.key)?.();
  const how = { scene, seats, touch, reach, sort, results, composed, acts, most: felt.most };
  const part = (name, members) =>
    h("div", { class: `side ${name}` }, members.map((seat) => seatPanel(seat, how, false)));
  patch(felt, [
    h("div", { class: "board" }, part("left", sides.left), part("top", sides.top), part("right", sides.right), middle(sides, own, how)),
    h("div", { class: "side own" }, seatPanel(own, how, true)),
  ]);
  settle(felt);
  move(felt, { scene: drawn, places: before }, scene);
  if (!watched.has(felt)) new ResizeObserver(() => resized(felt)).observe(felt);
  watched.add(felt);
}
const watched = new WeakSet();
const roomOf = ({ clientWidth, clientHeight }) => `${clientWidth} ${clientHeight}`;

function resized(felt) {
  if (felt.room === roomOf(felt)) return; // as it was when it was drawn
  halt(felt);
  settle(felt);
}

function seatPanel(seat, how, own) {
  const { scene, seats, reach, results } = how;
  const moving = scene.toMove === seat;
  const zones = scene.seats[seat].filter((zone) => zone.role !== "played");
  const hand = zones.filter((zone) => zone.role === "hand");
  const places = zones.filter((zone) => zone.role !== "hand" && (zone.cards.length || zone.name.includes("/")));
  const closed = !own && hand.every((zone) => zone.cards.every((card) => card < 0));
  const said = [...badges(scene, seat), ...rich(scene.notes[seat] ?? "")];
  const note = said.length ? h("p", { class: "note" }, said) : null;
  const score = results ? h("span", { class: "score" }, results[seat]) : null;
  const use = reach(seat, null, null);
  const plate = h(
    use ? "button" : "div",
    { class: `plate${use ? " can" : ""}${use?.chosen ? " chosen" : ""}`, ...pressed(use, `seat:${seat}`, how) },
    h("span", { class: "number", title: `player ${seat}` }, String(seat)),
    h("span", { class: "name" }, seats[seat].name),
    own && scene.viewer !== null ? h("span", { class: "tag" }, "you") : null,
    moving ? h("span", { class: "tag move" }, own && scene.viewer !== null ? "your move" : "to move") : null,
    score,
  );
  return h(
    "section",
    { class: `seat${moving ? " moving" : ""}${own ? " mine" : ""}`, "aria-label": `player ${seat}, ${seats[seat].name}${moving ? ", to move" : ""}` },
    own ? null : plate,
    own ? null : note,
    h(
      "div",
      { class: `holding${closed ? " closed" : ""}` },
      places.length ? h("div", { class: "places" }, places.map((zone) => zoneView(zone, seat, how))) : null,
      hand.map((zone) => (own ? ownHand(zone, seat, how) : otherHand(zone, seat, how))),
    ),
    own ? h("div", { class: "foot" }, plate, note) : null,
  );
}

function middle(sides, own, how) {
  const { scene } = how;
  const played = (name, members) => {
    const cells = members.filter((seat) => scene.seats[seat].some((zone) => zone.role === "played"));
    return h("div", { class: `played ${name}` }, cells.map((seat) => playedBy(seat, how)));
  };
  const common = scene.common.filter((zone) => zone.cards.length).map((zone) => zoneView(zone, null, how));
  return h(
    "div",
    { class: "middle", "aria-label": "the middle of the table" },
    played("left", sides.left),
    played("top", sides.top),
    h("div", { class: "common" }, panel(scene), common),
    played("right", sides.right),
    played("bottom", [own]),
  );
}

function playedBy(seat, how) {
  const cards = how.scene.seats[seat].filter((zone) => zone.role === "played").flatMap((zone) => zone.cards);
  const data = { key: `played/${seat}` };
  if (!cards.length) return h("div", { class: "spot", "aria-hidden": "true", data });
  const number = h("span", { class: "number", "aria-hidden": "true" }, String(seat));
  const beats = toBeat(how.scene) === seat;
  return h("div", { class: `pile${beats ? " beats" : ""}`, title: `played by player ${seat}${beats ? ", to be beaten" : ""}`, data }, number, run(cards, (card, k) => cardView(card, `played/${seat}`, k, how)));
}

function zoneView(zone, seat, how) {
  const [kind, place] = zone.name.split("/");
  const use = seat !== null && place !== undefined ? how.reach(seat, Number(place), null) : null;
  const caption = place === undefined || seat === null ? zone.name.replace(/[_/]/g, " ") : place;
  const name = `${zone.name.replace(/[_/]/g, " ")}${seat === null ? "" : ` of player ${seat}`}: ${counted(zone.cards.length, "card")}`;
  const where = seat === null ? zone.name : `${zone.name}@${seat}`;
  const body = zone.role === "stack" ? stack(zone, where, how) : row(zone, where, how);
  return h(
    use ? "button" : "div",
    { class: `zone ${zone.role}${use ? " can" : ""}${use?.chosen ? " chosen" : ""}`, title: name, "aria-label": use ? name : null, "data-kind": kind, ...pressed(use, `zone:${where}`, how) },
    body,
    h("span", { class: "caption" }, caption),
  );
}

function stack(zone, where, how) {
  if (!zone.cards.length) return h("div", { class: "spot" });
  return h(
    "div",
    { class: `stacked${zone.cards.length > 1 ? " deep" : ""}` },
    cardView(zone.cards[zone.top], where, zone.top, how),
    zone.cards.length > 1 ? h("span", { class: "badge" }, String(zone.cards.length)) : null,
  );
}

function row(zone, where, how) {
  if (!zone.cards.length) return h("div", { class: "spot" });
  const hidden = Math.max(0, zone.cards.length - SHOWN);
  const shown = zone.cards.slice(hidden);
  return h(
    "div",
    { class: "rowed" },
    hidden ? h("span", { class: "badge more" }, `+${hidden}`) : null,
    run(shown, (card, k) => cardView(card, where, hidden + k, how)),
  );
}

// Cards that overlap as far as there is too little room.
function run(cards, view) {
  return h("div", { class: "run" }, cards.map((card, k) => h("div", { class: "slot", key: card }, view(card, k))));
}

function cardView(card, where, index, how, small = true) {
  const key = `${where}:${index}`;
  const use = card >= 0 ? how.touch(card, key) : null;
  return placed(use ? usable(card, small, use, key, how) : lying(card, small), card, where, how);
}

// A card says where it lies; on the table, what the last move has put there is marked.
function placed(element, card, zone, { scene }) {
  Object.assign(element.dataset, { zone, card });
  element.classList.toggle("last", scene.last.includes(card) && !zone.startsWith("hand@"));
  return element;
}

// What a click of an element does, if it can be used.
function pressed(use, key, { acts }) {
  if (use) acts.set(key, use.act);
  return { type: use ? "button" : null, data: { key } };
}

function usable(card, small, use, key, how) {
  const state = use.chosen ? ", chosen" : use.raised ? "" : ", cannot be played now";
  return h(
    "button",
    {
      class: `card${use.raised ? " can" : " cannot"}${use.chosen ? " chosen" : ""}`,
      "aria-label": `${cardName(card)}${state}`,
      "aria-pressed": use.chosen ? "true" : "false",
      "aria-disabled": use.raised || use.chosen ? null : "true",
      ...pressed(use, `card:${key}`, how),
    },
    picture(card, small),
    use.chosen ? tick() : null,
  );
}

function composedView(card) {
  return h("span", { class: "card composed chosen", role: "img", "aria-label": `${cardName(card)}, chosen` }, picture(card, false), tick());
}

const tick = () => h("span", { class: "tick", "aria-hidden": "true" }, "✓");

function otherHand(zone, seat, how) {
  const where = `hand@${seat}`;
  const view = (card, k) => {
    const use = card < 0 ? how.reach(seat, null, k + 1) : null;
    if (!use) return cardView(card, where, k, how);
    const button = h(
      "button",
      { class: "card can", "aria-label": `card ${k + 1} of player ${seat}`, ...pressed(use, `index:${seat}:${k}`, how) },
      picture(card, true),
    );
    return placed(button, card, where, how);
  };
  const count = zone.cards.length;
  if (!count) return h("div", { class: "hand other empty" }, h("span", { class: "caption" }, "no cards"));
  return h(
    "div",
    { class: "hand other", title: `${counted(count, "card")} in hand` },
    run(zone.cards, view),
    zone.cards.some((card) => card < 0) ? h("span", { class: "badge" }, String(count)) : null,
  );
}

function ownHand(zone, seat, how) {
  const cards = zone.ordered ? zone.cards.map((card, index) => ({ card, index })) : sorted(zone.cards, how.sort);
  const left = [...how.composed];
  const isComposed = (card) => left.includes(card) && left.splice(left.indexOf(card), 1);
  if (!cards.length) return h("div", { class: "hand own empty" }, h("span", { class: "caption" }, "no cards in hand"));
  const where = `hand@${seat}`;
  const view = ({ card, index }) => (isComposed(card) ? placed(composedView(card), card, where, how) : cardView(card, where, index, how, false));
  const slots = cards.map((each) => h("div", { class: "slot", key: each.card }, view(each)));
  return h("div", { class: "hand own", role: "group", "aria-label": "your hand" }, rows(slots, how.most ?? slots.length));
}

// Cards in as few rows as they can, of `most` at the most.
function rows(slots, most) {
  const each = inRow(slots.length, most);
  return Array.from({ length: Math.ceil(slots.length / each) }, (_, k) => h("div", { class: "run" }, slots.slice(k * each, (k + 1) * each)));
}
const inRow = (count, most) => Math.ceil(count / Math.ceil(count / most));

// Puts the viewer's hand into rows, and takes a level of crowding at which all of the board is seen: the one that it has, or the next
// that will do; an earlier one when all has come to rest.
function settle(felt) {
  fitHand(felt);
  felt.room = roomOf(felt);
  let level = felt.level ?? 0;
  while (level < LEVELS.length && !fits(felt, level)) level++;
  crowd(felt, level);
  clearTimeout(felt.rest);
  if (calm.matches) spread(felt);
  else felt.rest = setTimeout(() => rest(felt), STILL);
}

function rest(felt) {
  const [places, crowded] = [halt(felt), felt.level];
  spread(felt);
  if (felt.level < crowded) move(felt, { scene: felt.drawn, places }, felt.drawn);
}

function spread(felt) {
  let level = felt.level;
  while (level > 0 && fits(felt, level - 1)) level--;
  crowd(felt, level);
}

function fits(felt, level) {
  crowd(felt, level);
  const { scrollHeight, clientHeight, scrollWidth, clientWidth } = felt.firstChild;
  return scrollHeight <= clientHeight && scrollWidth <= clientWidth;
}

function crowd(felt, level) {
  felt.level = level;
  felt.dataset.crowd = LEVELS[level] ?? `${LEVELS.at(-1)} scrolled`;
}

// Puts the viewer's hand into as many rows as its cards need to be told apart.
function fitHand(felt) {
  const hand = felt.querySelector(".hand.own:not(.empty)");
  if (!hand) return;
  const card = hand.querySelector(".card").getBoundingClientRect().width || 70;
  const strip = Math.max(21, 0.36 * card);
  const slots = [...hand.querySelectorAll(".slot")];
  felt.most = Math.max(1, Math.floor((hand.clientWidth - card) / strip) + 1);
  if (hand.firstChild.childElementCount !== inRow(slots.length, felt.most)) hand.replaceChildren(...rows(slots, felt.most));
}
