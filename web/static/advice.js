// What an agent would do, as a table.

import { h, rich } from "./dom.js";

const SHOWN = 8;

export function adviceOf({ agent, actions }, played = null) {
  const rows = actions.slice(0, SHOWN).map((one) => {
    const likely = one.probability !== undefined;
    const share = likely ? `${Math.round(100 * one.probability)} %` : `${one.value.toFixed(2)} ± ${one.error.toFixed(2)}`;
    const mark = one.label === played ? h("span", { class: "was", title: "was played" }, " ◂ played") : null;
    return h(
      "tr",
      {},
      h("td", {}, rich(one.label), mark),
      h("td", { class: "numeric" }, share),
      h("td", {}, likely ? h("meter", { min: 0, max: 1, value: one.probability, "aria-label": share }) : null),
    );
  });
  return h("table", {}, h("caption", {}, agent), h("tbody", {}, rows));
}
