// What an agent would do, as a table.

import { h, rich } from "./dom.js";

const SHOWN = 8;

export function adviceOf({ agent, value, actions, failure }, played = null) {
  const rows = actions.slice(0, SHOWN).map((one) => {
    const likely = one.probability !== undefined;
    const error = one.error === undefined ? "" : ` ± ${one.error.toFixed(2)}`;
    const share = likely ? `${Math.round(100 * one.probability)} %` : `${one.value.toFixed(2)}${error}`;
    const mark = one.label === played ? h("span", { class: "was", title: "was played" }, " ◂ played") : null;
    const tried = one.tries === undefined ? null : h("span", { class: "hint", title: "number of playouts" }, `×${one.tries}`);
    return h(
      "tr",
      {},
      h("td", {}, rich(one.label), mark),
      h("td", { class: "numeric" }, share),
      h("td", {}, likely ? h("meter", { min: 0, max: 1, value: one.probability, "aria-label": share }) : tried),
    );
  });
  const worth = value === undefined ? "" : `, value ${value.toFixed(2)}`;
  return h("table", {}, h("caption", {}, failure ? `${agent} failed: ${failure}` : `${agent}${worth}`), h("tbody", {}, rows));
}
