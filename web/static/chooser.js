// A decision of any game: choosing an action by cards, seats, buttons, a slider, or by its beginning.

import { rankOf } from "./cards.js";
import { counted, h, rich, spoken } from "./dom.js";

// How many cards can be chosen, where an action is a card.
function ways(actions) {
  const single = actions.every((action) => action.cards?.length === 1);
  return single && actions.length > 1 ? `choose one of ${actions.length} cards` : "choose a card";
}

const LISTED = 24; // actions of a group shown at once; of more, first what they begin with

// The words, from the second on, that several labels begin with: "ask player 2 for ". Cards are none of them.
function shared(labels) {
  const words = labels.map((label) => label.split(" "));
  let count = 0;
  while (labels.length > 1 && words.every((each) => count < each.length - 1 && each[count] === words[0][count] && !rich(each[count])[0]?.className)) count++;
  return count > 1 ? `${words[0].slice(0, count).join(" ")} ` : "";
}

// A card of the viewer's hand, which can be reached and read at all times.
export const UNUSABLE = { raised: false, chosen: false, act: () => {} };

export class Chooser {
  // `held` are the cards of the viewer's hand, `sizes` amounts with names; `play(action)` sends an action, `redraw()` shows the table
  // again.
  constructor(decision, held, sizes, play, redraw) {
    this.hand = `hand@${decision.seat}:`;
    this.held = held;
    this.sizes = sizes;
    this.groups = decision.groups;
    this.actions = decision.groups.flatMap((group) => group.actions);
    this.play = play;
    this.redraw = redraw;
    this.clear();
  }

  clear() {
    this.cards = []; // [card, key]
    this.seat = null;
    this.prefix = null; // [group's name, first word of the rest]
  }

  get begun() {
    return this.cards.length > 0 || this.seat !== null || this.prefix !== null;
  }

  back() {
    if (this.prefix !== null) this.prefix = null;
    else if (this.seat !== null) this.seat = null;
    else this.cards.pop();
    this.redraw();
  }

  fits(action, cards = this.cards, seat = this.seat) {
    if (seat !== null && action.seat !== seat) return false;
    if (!cards.length) return true;
    if (action.cards) {
      const left = [...action.cards];
      return cards.every(([card]) => {
        const at = left.indexOf(card);
        if (at >= 0) left.splice(at, 1);
        return at >= 0;
      });
    }
    return Boolean(action.ranks) && cards.every(([card]) => action.ranks.includes(rankOf(card)));
  }

  whole(action) {
    if (!this.fits(action)) return false;
    if (action.cards) return action.cards.length === this.cards.length;
    if (action.ranks && this.cards.length) return action.ranks.every((rank) => this.cards.some(([card]) => rankOf(card) === rank));
    return this.seat !== null && action.place === undefined && action.index === undefined;
  }

  get candidates() {
    return this.actions.filter((action) => this.fits(action));
  }

  // What a card in sight is good for; null if it has nothing to do with the decision. `key` tells equal cards apart.
  touch(card, key) {
    const mine = key.startsWith(this.hand);
    if (!mine && this.held.includes(card)) return null; // a copy; the one in the hand is meant
    const near = mine || !/[@/]/.test(key); // what belongs to nobody
    const linked = (action) => action.cards?.includes(card) || (near && action.ranks?.includes(rankOf(card)));
    if (!this.actions.some(linked)) return mine ? UNUSABLE : null;
    const chosen = this.cards.some(([, at]) => at === key);
    const raised = chosen || this.actions.some((action) => this.fits(action, [...this.cards, [card, key]]));
    return { raised, chosen, act: () => this.toggle(card, key) };
  }

  toggle(card, key) {
    const more = [...this.cards, [card, key]];
    if (this.cards.some(([, at]) => at === key)) this.cards = this.cards.filter(([, at]) => at !== key);
    else if (this.actions.some((action) => this.fits(action, more))) this.cards = more;
    else if (this.actions.some((action) => this.fits(action, [[card, key]], null))) {
      this.clear();
      this.cards = [[card, key]];
    } else return;
    this.#settle();
  }

  reach(seat, place, index) {
    const fitting = this.actions.filter(
      (action) => this.fits(action, this.cards, seat) && (place === null || action.place === place) && (index === null || action.index === index),
    );
    if (!fitting.length) return null;
    const chosen = this.seat === seat && place === null && index === null;
    const act = () => {
      if (fitting.length === 1) this.play(fitting[0]);
      else {
        this.seat = chosen ? null : seat;
        this.redraw();
      }
    };
    return { act, chosen };
  }

  // One action is left, and nothing of it open: it is played.
  #settle() {
    const left = this.candidates;
    if (this.begun && left.length === 1 && this.whole(left[0])) this.play(left[0]);
    else this.redraw();
  }

  view() {
    if (this.begun) return [this.#chosen(), ...this.#narrowed()];
    return this.groups.map((group) => this.#group(group)).filter(Boolean);
  }

  #chosen() {
    const count = this.prefix ? this.#withPrefix().length : this.candidates.length;
    return h(
      "div",
      { class: "chosen-line" },
      h("button", { type: "button", class: "quiet", onclick: () => this.back(), data: { key: "back" }, title: "Escape" }, "← back"),
      h("span", { class: "count", role: "status" }, counted(count, "matching action")),
    );
  }

  #narrowed() {
    if (this.prefix) return [h("div", { class: "buttons" }, this.#withPrefix().map((action) => this.#button(action, action.label)))];
    const left = this.candidates;
    const whole = left.filter((action) => this.whole(action));
    const others = left.filter((action) => !whole.includes(action));
    const shown = [...whole, ...others].slice(0, LISTED);
    const more = left.length - shown.length;
    const title = shared(shown.map((action) => action.label));
    return [
      title ? h("span", { class: "group-title" }, title) : null,
      h("div", { class: "buttons" }, shown.map((action) => this.#button(action, action.label.slice(title.length), whole.includes(action)))),
      more > 0 ? h("p", { class: "hint" }, `and ${more} more; choose another card to narrow them down`) : null,
    ].filter(Boolean);
  }

  #withPrefix() {
    const [name, word] = this.prefix;
    return this.groups.find((group) => group.name === name).actions.filter((action) => action.rest.split(" ")[0] === word);
  }

  #button(action, text, strong = false) {
    return h(
      "button",
      { type: "button", class: strong ? "strong" : "", onclick: () => this.play(action), "aria-label": spoken(action.label), data: { key: `action:${action.action}` } },
      rich(text),
    );
  }

  #group(group) {
    if (group.kind === "amounts") return this.#amounts(group);
    if (group.kind === "cards") return h("p", { class: "hint" }, `${group.title || group.name}: ${ways(group.actions)}`);
    const title = group.title && group.actions.length > 1 ? h("span", { class: "group-title" }, group.title) : null;
    const firsts = [...new Set(group.actions.map((action) => action.rest.split(" ")[0]))];
    const buttons =
      group.actions.length > LISTED && firsts.length > 1 && firsts.length <= group.actions.length / 2
        ? firsts.map((word) => this.#opening(group, word))
        : group.actions.map((action) => this.#button(action, title ? action.rest : action.label));
    return h("div", { class: "group", role: "group", "aria-label": group.title || group.name }, title, h("div", { class: "buttons" }, buttons));
  }

  #opening(group, word) {
    const count = group.actions.filter((action) => action.rest.split(" ")[0] === word).length;
    const open = () => {
      this.prefix = [group.name, word];
      this.redraw();
    };
    return h("button", { type: "button", onclick: open, data: { key: `prefix:${word}` } }, rich(word), h("span", { class: "many" }, ` ${count} …`));
  }

  #amounts(group) {
    const shown = h("output", {}, group.actions[0].label);
    const slider = h("input", { type: "range", min: 0, max: group.actions.length - 1, value: 0, "aria-label": group.title, data: { key: `slider:${group.name}` } });
    const chosen = () => group.actions[Number(slider.value)];
    const show = () => {
      shown.textContent = chosen().label;
      typed.value = chosen().amount;
      slider.setAttribute("aria-valuetext", chosen().label);
    };
    slider.addEventListener("input", show);
    slider.addEventListener("keydown", (event) => {
      if (event.key === "Enter") this.play(chosen());
    });
    const step = (by) => () => {
      slider.value = Number(slider.value) + by;
      show();
    };
    const amounts = group.actions.map((action) => action.amount);
    const approach = (amount) => {
      slider.value = amounts.reduce((best, each, k) => (Math.abs(each - amount) < Math.abs(amounts[best] - amount) ? k : best), 0);
      show();
    };
    const typed = h("input", { type: "number", min: amounts[0], max: amounts.at(-1), "aria-label": `${group.title}, an amount`, title: "other amounts are rounded to the nearest that is allowed", data: { key: `typed:${group.name}` } });
    typed.addEventListener("change", () => approach(Number(typed.value)));
    typed.addEventListener("keydown", (event) => {
      if (event.key !== "Enter") return;
      approach(Number(typed.value));
      this.play(chosen());
    });
    const sizes = this.sizes.filter(([, amount]) => amount >= amounts[0] && amount <= amounts.at(-1));
    show();
    return h(
      "div",
      { class: "group amounts", role: "group", "aria-label": group.title },
      h("button", { type: "button", class: "quiet", onclick: step(-1), "aria-label": "less" }, "−"),
      slider,
      h("button", { type: "button", class: "quiet", onclick: step(1), "aria-label": "more" }, "+"),
      typed,
      sizes.map(([name, amount]) => h("button", { type: "button", class: "quiet", onclick: () => approach(amount), data: { key: `size:${name}` } }, name)),
      h("button", { type: "button", class: "strong", onclick: () => this.play(chosen()), data: { key: `amount:${group.name}` } }, shown),
    );
  }
}
