// What there is to say of a game, where it belongs: badges at seats, and a panel of the game in the middle.

import { h, rich } from "./dom.js";

const CHIPS = { chips: "chips", bet: "chips bet", stakes: "chips bet", banker: "chips bet", dealer: "dealer" }; // as they lie on the table

function badge(fact, text) {
  return h("span", { class: `fact ${fact.role} ${CHIPS[fact.role] ?? ""}`, title: fact.role.replace("_", " ") }, rich(text));
}

// What a hand is known to hold or to lack, card by card.
const KNOWLEDGE = ["known", "lacked"];
function marks(fact) {
  const signs = fact.value.split(" ").map((sign) => h("span", {}, rich(sign)));
  return h("span", { class: `fact marks ${fact.role}`, role: "img", "aria-label": fact.text, title: fact.text }, signs);
}

// Of one seat what is said of it, or its part of what is said of all; of partners those of who looks.
export function badges(scene, seat) {
  const partner = (fact) => (scene.viewer === null ? `partner ${fact.value}` : fact.value === scene.viewer && "your partner");
  const words = { contract: (fact) => fact.value, partner };
  return scene.facts.flatMap((fact) => {
    if (fact.role === "auction") return [];
    if (KNOWLEDGE.includes(fact.role)) return fact.seat === seat ? [marks(fact), " "] : [];
    const ofAll = Array.isArray(fact.value);
    const text = ofAll ? `${fact.role} ${fact.value[seat]}` : fact.seat === seat && (words[fact.role] ?? ((said) => said.text))(fact);
    return text ? [badge(fact, text), " "] : [];
  });
}

export function panel(scene) {
  const calls = scene.facts.find((fact) => fact.role === "auction");
  const ofGame = scene.facts.filter((fact) => fact.seat === null && !Array.isArray(fact.value) && !(calls && fact.role === "bid"));
  return ofGame.length || calls ? h("div", { class: "panel" }, ofGame.map((fact) => badge(fact, fact.text)), calls ? auction(scene, calls) : null) : null;
}

// The calls in a column for each seat; folded away when somebody has the contract.
let unfolded = false;
function auction(scene, { seat, value }) {
  const titles = scene.seats.map((_, k) => scene.facts.find((fact) => fact.role === "title" && fact.seat === k && fact.value)?.value[0] ?? String(k));
  const cells = [...Array(seat).fill(""), ...value.split(" ")];
  const rows = Array.from({ length: Math.ceil(cells.length / titles.length) }, (_, k) => cells.slice(k * titles.length, (k + 1) * titles.length));
  const row = (tag, words) => h("tr", {}, words.map((word) => h(tag, {}, rich(word))));
  const table = h("table", { class: "auction", "aria-label": "the auction" }, h("thead", {}, row("th", titles)), h("tbody", {}, rows.map((words) => row("td", words))));
  if (!scene.facts.some((fact) => fact.role === "contract" && fact.seat !== null)) return table;
  return h("details", { open: unfolded, ontoggle: ({ target }) => (unfolded = target.open) }, h("summary", {}, "auction"), table);
}

// Whose play is to be beaten.
export function toBeat(scene) {
  return scene.facts.find((fact) => fact.role === "to_beat" && fact.seat !== null)?.seat;
}

// What bets of parts of the pot are to: what is to be called, and the part of what then lies there.
export function potSizes(scene, seat) {
  const bets = scene.facts.filter((fact) => fact.role === "bet");
  const pot = scene.facts.find((fact) => fact.role === "stakes")?.value;
  if (!pot) return [];
  const [highest, own] = [Math.max(0, ...bets.map((fact) => fact.value)), bets.find((fact) => fact.seat === seat)?.value ?? 0];
  return [["½ pot", 0.5], ["pot", 1]].map(([name, part]) => [name, Math.floor(highest + part * (pot + highest - own))]);
}
