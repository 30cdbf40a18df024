// Cards as SVG, from the project's own drawings.

import { h, svg } from "./dom.js";

export const HIDDEN = -1;

let loaded = null; // the game whose cards the page has; "" for those of the suite

export function hasCards(game) {
  return loaded === game;
}

// Puts the drawings into the page, where `picture` refers to them; with a game that has cards of its own, its drawings.
export async function loadCards(game = "") {
  const response = await fetch(game ? `/cards.svg?game=${encodeURIComponent(game)}` : "/cards.svg");
  if (!response.ok) throw new Error(`the server answered with status ${response.status}`);
  putCards(await response.text(), game);
}

export function putCards(text, game) {
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  sprite.setAttribute("class", "sprite");
  sprite.setAttribute("aria-hidden", "true");
  document.querySelector("body > .sprite")?.remove();
  document.body.prepend(document.importNode(sprite, true));
  loaded = game;
}

// What the drawing of a card says of it.
function about(card) {
  return document.getElementById(`card${card}`)?.dataset ?? {};
}

export function cardName(card) {
  return card === HIDDEN ? "hidden card" : (about(card).name ?? `card ${card}`);
}

// 0..12 for 2..A, 13..15 for Draws, Reverses, Skips, 16 for Jokers, others of their own, as the server counts.
export function rankOf(card) {
  return Number(about(card).rank);
}

export function suitOf(card) {
  return Number(about(card).suit); // -1: none
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

const ORDER = [3, 2, 0, 1, -1]; // spades, hearts, clubs, diamonds: colours alternate
export function sorted(cards, by) {
  const keys = cards.map((card, index) => ({ card, index }));
  const special = (card) => (rankOf(card) > 12 ? 1 : 0);
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
