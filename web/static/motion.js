// Motion that explains: cards go from where they lay to where they lie; a trick that is over rests a moment, then goes to who won it.

import { lying } from "./cards.js";
import { h } from "./dom.js";

const FLIGHT = 280; // milliseconds
const REST = 900; // that a trick is in sight when it is over
const MOST = 30; // cards that go at once; of more nobody sees where they go
export const calm = matchMedia("(prefers-reduced-motion: reduce)");

// Where cards, seats and places are seen: {key, card, element, box}; of cards `key` is their zone.
function places(felt) {
  if (calm.matches) return [];
  return [...felt.querySelectorAll(".card[data-zone], .plate, .zone, .played > *")]
    .map((element) => ({ key: element.dataset.zone ?? element.dataset.key, card: element.dataset.card, element, box: element.getBoundingClientRect() }))
    .filter(({ box }) => box.width);
}

// Lets all lie where it goes to, and returns where it was seen until now.
export function halt(felt) {
  const seen = places(felt);
  for (const motion of felt.getAnimations({ subtree: true })) motion.cancel();
  return seen;
}

// Shows how `felt` came from `before` (its scene and places) to `scene`, which it shows already.
export function move(felt, before, scene) {
  const since = felt.since ?? 0;
  if (before.scene !== scene) felt.since = performance.now();
  if (calm.matches || !before.scene || before.scene.viewer !== scene.viewer || before.scene.seats.length !== scene.seats.length) return;
  const flights = changes(zones(before.scene), zones(scene));
  if (flights.length > MOST) return;
  const now = places(felt);
  const rest = Math.max(0, since + REST - performance.now());
  if (flights.some(({ to }) => !to)) layer().replaceChildren(); // what rests there has rested
  for (const { card, from, to } of flights) {
    const old = found(before.places, from, card);
    if (!to) {
      const [spot, winner] = [from.key, `seat:${scene.takenBy}`].map((key) => now.find((each) => each.key === key && !each.card));
      if (old && winner && from.played) fly(card, old.box, winner.box, spot?.box, rest);
      continue;
    }
    const next = found(now, to, card);
    if (!old || !next) continue;
    if (card >= 0 && next.card === String(card)) shift(next.element, old.box, next.box, { zIndex: 5 });
    else fly(card, old.box, next.box);
    next.moved = true;
  }
  for (const next of now) {
    if (next.moved || !(next.card >= 0)) continue;
    const old = found(before.places, { key: next.key }, next.card, true);
    if (old && Math.hypot(old.box.x - next.box.x, old.box.y - next.box.y) > 1) shift(next.element, old.box, next.box);
  }
}

// The zones of a scene as they are drawn: of a seat all that it has played lies together.
function zones(scene) {
  const ofSeat = ({ name, role, cards }, seat) => {
    const key = role === "played" ? `played/${seat}` : `${role === "hand" ? "hand" : name}@${seat}`;
    return { key, seat, played: role === "played", cards };
  };
  return [...scene.seats.flatMap((all, seat) => all.map((zone) => ofSeat(zone, seat))), ...scene.common.map(({ name, cards }) => ({ key: name, cards }))];
}

// What went from where to where: {card, from, to}; `to` is missing of what is seen no more.
function changes(before, after) {
  const less = (some, others) => {
    const left = new Map();
    for (const { key, cards } of others) left.set(key, [...(left.get(key) ?? []), ...cards]);
    return some.flatMap((zone) => zone.cards.flatMap((card) => {
      const there = left.get(zone.key)?.indexOf(card) ?? -1;
      if (there < 0) return [{ card, zone }];
      left.get(zone.key).splice(there, 1);
      return [];
    }));
  };
  const gone = less(before, after);
  const flights = [];
  const take = (come, fits) => {
    const at = gone.findIndex(fits);
    if (at < 0) return false;
    const [{ card, zone }] = gone.splice(at, 1);
    return flights.push({ card: Math.max(card, come.card), from: zone, to: come.zone });
  };
  const come = less(after, before).sort((a, b) => (b.zone.played ?? false) - (a.zone.played ?? false) || b.card - a.card);
  for (const each of come) {
    if (each.card >= 0) take(each, ({ card }) => card === each.card) || take(each, ({ card, zone }) => card < 0 && zone.seat === each.zone.seat) || take(each, ({ card }) => card < 0);
    else take(each, ({ card }) => card < 0) || take(each, ({ zone }) => !zone.played);
  }
  return [...flights, ...gone.map(({ card, zone }) => ({ card, from: zone }))];
}

// Where a card is in a zone; else, unless it must be that card, the newest of the zone, the zone, or its seat.
function found(all, { key, seat }, card, exactly = false) {
  const there = all.filter((each) => each.key === key);
  const same = there.find((each) => each.card === String(card) && !each.moved);
  return same ?? (exactly ? undefined : (there.at(-1) ?? all.find((each) => each.key === `zone:${key}` || each.key === `seat:${seat}`)));
}

// How an element that lies at `to` is seen at `from`.
function seen(from, to) {
  const [x, y] = [from.x - to.x + (from.width - to.width) / 2, from.y - to.y + (from.height - to.height) / 2];
  return { translate: `${x}px ${y}px`, scale: Math.min(from.width / to.width, from.height / to.height), easing: "ease-out" };
}

function shift(element, from, to, besides = {}) {
  element.animate([seen(from, to), seen(to, to)].map((frame) => ({ ...frame, ...besides })), FLIGHT);
}

// A card that is none of those of the table; if it has to rest, then at `spot`, as long as it has not.
function fly(card, from, to, spot = from, rest = 0) {
  const ghost = lying(card, true);
  Object.assign(ghost.style, { left: `${from.x}px`, top: `${from.y}px`, width: `${from.width}px` });
  layer().append(ghost);
  const duration = Math.max(rest, FLIGHT) + FLIGHT;
  const frames = rest ? [{ offset: FLIGHT / duration, ...seen(spot, from) }, { offset: 1 - FLIGHT / duration, ...seen(spot, from) }] : [];
  const flight = ghost.animate([seen(from, from), ...frames, seen(to, from)], rest ? duration : FLIGHT);
  flight.finished.then(() => ghost.remove(), () => {});
}

// Below the table, so that nothing is covered.
function layer() {
  return document.querySelector(".flights") ?? document.querySelector("main").appendChild(h("div", { class: "flights", "aria-hidden": "true" }));
}
