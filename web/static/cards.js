// Cards as SVG, from the project's own drawings.

import { h, svg } from "./dom.js";

const RANKS = ["2", "3", "4", "5", "6", "7", "8", "9", "10", "Jack", "Queen", "King", "Ace"];
const SUITS = ["clubs", "diamonds", "hearts", "spades"];
const SPECIALS = ["Draw", "Reverse", "Skip"];
export const HIDDEN = -1;

// Puts the drawings into the page, where `picture` refers to them.
export async function loadCards() {
  const text = await (await fetch("/cards.svg")).text();
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  sprite.setAttribute("class", "sprite");
  sprite.setAttribute("aria-hidden", "true");
  document.body.prepend(document.importNode(sprite, true));
}

let jokerKinds = true; // whether the game on the page tells its two Jokers apart
export function tellJokersApart(apart) {
  jokerKinds = apart;
}

export function cardName(card) {
  if (card === HIDDEN) return "hidden card";
  if (card < 52) return `${RANKS[card >> 2]} of ${SUITS[card & 3]}`;
  if (card < 54) return !jokerKinds ? "Joker" : card === 52 ? "small Joker" : "big Joker";
  return `${SPECIALS[(card - 54) >> 2]} of ${SUITS[(card - 54) & 3]}`;
}

// 0..12 for 2..A, 13..15 for Draws, Reverses, Skips, 16 for Jokers, as the server counts.
export function rankOf(card) {
  if (card < 52) return card >> 2;
  return card < 54 ? 16 : 13 + ((card - 54) >> 2);
}

export function suitOf(card) {
  if (card < 52) return card & 3;
  return card < 54 ? 4 : (card - 54) & 3;
}

// The picture of a card, as large as the element around it.
export function picture(card, small) {
  const name = card === HIDDEN ? (small ? "smallback" : "back") : `${small ? "small" : "card"}${card}`;
  return svg("svg", { viewBox: "0 0 70 100", "aria-hidden": "true", focusable: "false" }, svg("use", { href: `#${name}` }));
}

// A card that lies there. `extra` are properties of its element.
export function lying(card, small, extra = {}) {
  return h("span", { class: "card", role: "img", "aria-label": cardName(card), ...extra }, picture(card, small));
}

const ORDER = [3, 2, 0, 1, 4]; // spades, hearts, clubs, diamonds: colours alternate
export function sorted(cards, by) {
  const keys = cards.map((card, index) => ({ card, index }));
  const special = (card) => (card >= 54 ? 1 : 0);
  const value = (one) =>
    one.card === HIDDEN
      ? [99]
      : by === "suit"
        ? [ORDER.indexOf(suitOf(one.card)), special(one.card), -one.card]
        : [one.card];
  return keys.sort((a, b) => {
    const [x, y] = [value(a), value(b)];
    for (let k = 0; k < x.length; k++) if (x[k] !== y[k]) return x[k] - (y[k] ?? 0);
    return a.index - b.index;
  });
}
