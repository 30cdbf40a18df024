// What there is to say of a game, where it belongs: badges at seats, and a panel of the game in the middle.

import { h, rich } from "./dom.js";

const CHIPS = { chips: "chips", bet: "chips bet", stakes: "chips bet", banker: "chips bet", dealer: "dealer" }; // as they lie on the table

function badge(fact, text) {
  return h("span", { class: `fact ${fact.role} ${CHIPS[fact.role] ?? ""}`, title: fact.role.replace("_", " ") }, rich(text));
}

// Of one seat what is said of it, or its part of what is said of all; of partners those of who looks.
export function badges(scene, seat) {
  const partner = (fact) => (scene.viewer === null ? `with ${fact.value}` : fact.value === scene.viewer && "your partner");
  const words = { contract: (fact) => fact.value, partner };
  return scene.facts.flatMap((fact) => {
    const ofAll = Array.isArray(fact.value);
    const text = ofAll ? `${fact.role} ${fact.value[seat]}` : fact.seat === seat && (words[fact.role] ?? ((said) => said.text))(fact);
    return text ? [badge(fact, text), " "] : [];
  });
}

// The auction is over when somebody has the contract.
export function panel(scene) {
  const settled = scene.facts.some((fact) => fact.role === "contract" && fact.seat !== null);
  const ofGame = scene.facts.filter((fact) => fact.seat === null && !Array.isArray(fact.value) && !(settled && fact.role === "bid"));
  return ofGame.length ? h("p", { class: "panel" }, ofGame.map((fact) => badge(fact, fact.text))) : null;
}
