// Elements, requests, and text with cards. Text from elsewhere only ever becomes text nodes.

export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === undefined || value === null || value === false) continue;
    if (name === "class") element.className = value;
    else if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "key") element.key = value;
    else if (name === "data") Object.assign(element.dataset, value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(2).filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

export const counted = (number, noun, nouns = `${noun}s`) => `${number} ${number === 1 ? noun : nouns}`;

export function svg(tag, props = {}, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(props)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

// Gives an element these children, as `replaceChildren` does; but what is there already stays, made like them, each as the next
// child of its kind and `key`: nothing is laid out and painted anew but what differs, and what has the focus keeps it. What listens
// to events of what stays must do so for ever.
export function patch(parent, children) {
  const kind = (node) => `${node.nodeName} ${node.key}`;
  const left = Map.groupBy(parent.childNodes, kind);
  const kept = children.map((next) => alike(left.get(kind(next))?.shift(), next));
  for (const gone of [...left.values()].flat()) gone.remove();
  let place = parent.firstChild;
  for (const node of kept) {
    if (node === place) place = place.nextSibling;
    else parent.insertBefore(node, place);
  }
}

function alike(old, next) {
  if (!old || old === next) return next;
  if (old.isEqualNode(next)) return old;
  if (!old.attributes) {
    old.data = next.data;
    return old;
  }
  for (const name of old.getAttributeNames()) if (!next.hasAttribute(name)) old.removeAttribute(name);
  for (const name of next.getAttributeNames()) if (old.getAttribute(name) !== next.getAttribute(name)) old.setAttribute(name, next.getAttribute(name));
  patch(old, [...next.childNodes]);
  return old;
}

// Asks the server; what it refuses becomes an Error with its words. With `raw` the answer is its text: seeds have more digits
// than numbers have here.
export async function request(path, body, raw = false) {
  const how = body === undefined ? {} : { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(body) };
  let response;
  try {
    response = await fetch(path, how);
  } catch {
    throw new Error("the server does not respond");
  }
  if (raw && response.ok) return response.text();
  const found = await response.json().catch(() => ({ error: `the server answered with status ${response.status}` }));
  if (!response.ok) throw new Error(found.error ?? `the server answered with status ${response.status}`);
  return found;
}

const SUITS = { c: "♣", d: "♦", h: "♥", s: "♠" };
const NAMES = { c: "clubs", d: "diamonds", h: "hearts", s: "spades" };
const CARD = /(?<![\w-])(?:(10|[2-9TJQKA]|Dr-|Rv-|Sk-)([cdhs])|([1-7])([CDHS])|(Jk|SJ|BJ))(?![\w])/g;

// Text in which cards stand as signs, in four colours.
export function rich(text) {
  const parts = [];
  let end = 0;
  for (const match of text.matchAll(CARD)) {
    parts.push(text.slice(end, match.index));
    end = match.index + match[0].length;
    const rank = match[1] ?? match[3];
    const suit = (match[2] ?? match[4])?.toLowerCase();
    if (suit) parts.push(h("span", { class: `suit-${suit}` }, `${rank.replace("10", "T").replace("-", "")}${SUITS[suit]}`));
    else parts.push(h("span", { class: "joker" }, match[5]));
  }
  parts.push(text.slice(end));
  return parts.filter((part) => part !== "");
}

// The same in words, for screen readers.
export function spoken(text) {
  return text.replace(CARD, (all, rank, suit, level, colour, joker) => {
    if (joker) return { Jk: "Joker", SJ: "small Joker", BJ: "big Joker" }[joker];
    if (colour) return `${level} ${NAMES[colour.toLowerCase()]}`;
    return `${{ T: "10", J: "Jack", Q: "Queen", K: "King", A: "Ace", "Dr-": "Draw", "Rv-": "Reverse", "Sk-": "Skip" }[rank] ?? rank} of ${NAMES[suit]}`;
  });
}

export function stored(name, otherwise) {
  try {
    return localStorage.getItem(`wilddeck.${name}`) ?? otherwise;
  } catch {
    return otherwise;
  }
}

export function store(name, value) {
  try {
    localStorage.setItem(`wilddeck.${name}`, value);
  } catch {
    // a browser that keeps nothing
  }
}

// The tokens of the tables that this browser was at, the newest first.
export function tokens() {
  try {
    return JSON.parse(stored("tables", "[]"));
  } catch {
    return [];
  }
}
