// Leagues: all games at a glance, and of each league its ranking with intervals, head to head, matches and forfeits, live.

import { counted, h, request, svg } from "./dom.js";

const tabs = document.getElementById("tabs");
const place = document.getElementById("league");
const EVERY = 2000; // milliseconds between looks at a league that may grow
let leagues = [];
let shown = null; // number of a league, or null for all games
let stamp = null;
let filters = { agent: "", status: "", begin: 0 };

addEventListener("hashchange", choose);
await load();
choose();
setInterval(look, EVERY);

async function load() {
  try {
    leagues = await request("/api/leagues");
  } catch (error) {
    place.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
}

function choose() {
  const number = Number.parseInt(location.hash.slice(1), 10);
  shown = leagues.some((league) => league.number === number) ? number : null;
  stamp = null;
  filters = { agent: "", status: "", begin: 0 };
  const tab = (text, hash, on) => h("a", { class: `tab${on ? " on" : ""}`, href: hash, role: "tab", "aria-selected": String(on) }, text);
  tabs.replaceChildren(tab("All games", "#", shown === null), ...leagues.map((league) => tab(league.name, `#${league.number}`, league.number === shown)));
  look();
}

async function look() {
  if (document.hidden && stamp !== null) return;
  if (shown === null) {
    const before = JSON.stringify(leagues);
    await load();
    if (stamp === null || JSON.stringify(leagues) !== before) place.replaceChildren(allGames());
    stamp = "";
    return;
  }
  const number = shown;
  try {
    const league = await request("/api/league", { number, stamp });
    if (number !== shown || league.stamp === stamp) return;
    stamp = league.stamp;
    place.replaceChildren(...view(league));
    showMatches();
  } catch (error) {
    place.replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
}

function allGames() {
  if (!leagues.length) {
    return h("p", { class: "hint" }, "There are no leagues. Start the server with one or more: ", h("code", {}, "wilddeck serve --league FILE"));
  }
  const agents = [...new Set(leagues.flatMap((league) => league.rows.map((row) => row.agent)))];
  const cell = (league, agent) => {
    const row = league.rows.find((each) => each.agent === agent);
    if (!row || !row.games) return h("td", { class: "numeric" }, "");
    return h("td", { class: "numeric" }, league.unit ? number(row.score, 2) : rating(row), h("span", { class: "minor" }, ` ${interval(row, league.unit)}`));
  };
  const head = leagues.map((league) => h("th", { class: "numeric" }, h("a", { href: `#${league.number}` }, league.title ?? league.name), h("span", { class: "minor" }, league.error ?? (league.unit ? `, ${league.unit}` : ", rating"))));
  const rows = agents.map((agent) => h("tr", {}, h("th", {}, agent), leagues.map((league) => cell(league, agent))));
  return h("div", { class: "scroll", tabindex: 0 }, h("table", { class: "table" }, h("caption", {}, "Agents by game, with 95 % intervals"), h("thead", {}, h("tr", {}, h("th", {}, "agent"), head)), h("tbody", {}, rows)));
}

function number(value, digits) {
  return value === null || value === undefined ? "–" : `${value > 0 ? "+" : ""}${value.toFixed(digits)}`.replace("-", "−");
}

function rating(row) {
  return row.rating === null ? "–" : number(row.rating, 0);
}

function interval(row, unit) {
  if (!unit && row.low === row.high && row.low !== null) return ""; // the anchor
  if (unit) return row.interval ? `${number(row.interval[0], 2)} … ${number(row.interval[1], 2)}` : "";
  return row.low === null && row.high === null ? "" : `${row.low === null ? "−∞" : number(row.low, 0)} … ${row.high === null ? "∞" : number(row.high, 0)}`;
}

function view(league) {
  const options = Object.entries(league.options).map(([name, value]) => `${name.replace(/_/g, " ")} ${value}`).join(", ");
  const download = (format, text) => h("a", { class: "button", href: `/api/export/${league.number}/${format}`, download: true }, text);
  return [
    h("h2", {}, league.title, h("span", { class: "minor" }, ` ${league.name}`)),
    h("p", { class: "hint" }, options),
    h("p", { class: "count", id: "progress", role: "status" }, `${counted(league.matches, "match", "matches")} over ${counted(league.deals, "deal")}`),
    ranking(league),
    league.matrix ? matrix(league.matrix) : null,
    h("h2", {}, "Matches"),
    filterForm(league),
    h("div", { id: "matches", class: "scroll", tabindex: 0 }),
    forfeits(league),
    h("p", { class: "buttons left" }, "Download: ", download("json", "JSON"), download("csv", "CSV"), download("markdown", "Markdown")),
  ].filter(Boolean);
}

function ranking(league) {
  const chips = Boolean(league.unit);
  const second = league.second_unit ? [league.second_unit] : []; // another column
  const bounds = league.rows.map((row) => (chips ? [row.score, ...(row.interval ?? [])] : [row.rating, row.low, row.high]));
  const values = bounds.flat().filter((value) => Number.isFinite(value));
  const [least, most] = [Math.min(...values, 0), Math.max(...values, 0)];
  const rows = league.rows.map((row, place) =>
    h(
      "tr",
      {},
      h("td", { class: "numeric" }, String(place + 1)),
      h("th", {}, row.agent),
      h("td", { class: "numeric" }, chips ? number(row.score, 2) : rating(row)),
      h("td", { class: "minor nowrap" }, interval(row, league.unit)),
      ...second.map(() => h("td", { class: "numeric" }, number(row.second_score, 0))),
      h("td", {}, bar(bounds[place], least, most)),
      h("td", { class: "numeric" }, row.games ? `${((100 * row.wins) / row.games).toFixed(1)} %` : ""),
      h("td", { class: "numeric" }, String(row.games)),
      h("td", {}, Object.entries(row.forfeits).map(([kind, count]) => `${count} ${kind}`).join(", ")),
      h("td", { class: "minor" }, row.note),
    ),
  );
  const heads = ["", "agent", chips ? `mean ${league.unit}` : "rating", "95 %", ...second, `from ${Math.round(least)} to ${Math.round(most)}`, "won", "games", "forfeits", ""];
  return h(
    "div",
    { class: "scroll", tabindex: 0 },
    h("table", { class: "table ranking" }, h("caption", {}, chips ? `Mean ${league.unit} per match` : `Ranking; ${league.anchor} = 0`), h("thead", {}, h("tr", {}, heads.map((head) => h("th", {}, head)))), h("tbody", {}, rows)),
  );
}

// A point with its interval, an arrow where it is open.
function bar([value, low, high], least, most) {
  const wide = 220;
  const at = (x) => 8 + ((x - least) / (most - least || 1)) * (wide - 16);
  const drawing = svg("svg", { viewBox: `0 0 ${wide} 18`, width: wide, height: 18, class: "bar-chart", "aria-hidden": "true" });
  drawing.append(svg("line", { x1: at(0), x2: at(0), y1: 0, y2: 18, class: "zero" }));
  if (value === null) return drawing;
  const [from, to] = [at(low ?? (high === null ? value : least)), at(high ?? (low === null ? value : most))];
  drawing.append(svg("line", { x1: from, x2: to, y1: 9, y2: 9, class: "whisker" }));
  for (const end of [from, to]) drawing.append(svg("line", { x1: end, x2: end, y1: 5, y2: 13, class: "whisker" }));
  drawing.append(svg("circle", { cx: at(value), cy: 9, r: 4, class: "point" }));
  return drawing;
}

function matrix({ agents, points, games }) {
  const cell = (i, j) => {
    if (!games[i][j]) return h("td", { class: "numeric" }, "");
    const share = points[i][j] / games[i][j];
    const strength = Math.min(9, Math.max(0, Math.floor(10 * share)));
    return h("td", { class: `numeric share-${strength}`, title: counted(games[i][j], "match", "matches") }, `${Math.round(100 * share)} %`);
  };
  const rows = agents.map((agent, i) => h("tr", {}, h("th", {}, agent), agents.map((_, j) => (i === j ? h("td", {}, "") : cell(i, j)))));
  return h(
    "div",
    { class: "scroll", tabindex: 0 },
    h("table", { class: "table matrix" }, h("caption", {}, "The row agent's share of points against the column agent"), h("thead", {}, h("tr", {}, h("th", {}, ""), agents.map((agent) => h("th", {}, agent)))), h("tbody", {}, rows)),
  );
}

function filterForm(league) {
  const select = (name, pairs) => {
    const element = h("select", {}, pairs.map(([value, text]) => h("option", { value, selected: filters[name] === value }, text)));
    element.addEventListener("change", () => {
      filters = { ...filters, [name]: element.value, begin: 0 };
      showMatches();
    });
    return h("label", {}, `${name} `, element);
  };
  const agents = league.agents.map(({ name }) => [name, name]);
  const kinds = league.kinds.map((kind) => [kind, `forfeited: ${kind}`]);
  return h("p", { class: "buttons left" }, select("agent", [["", "all agents"], ...agents]), select("status", [["", "all matches"], ...kinds]));
}

async function showMatches() {
  const target = document.getElementById("matches");
  let found;
  try {
    found = await request("/api/matches", { number: shown, ...filters });
  } catch (error) {
    target.replaceChildren(h("p", { class: "error" }, error.message));
    return;
  }
  const rows = found.matches.map((match) =>
    h(
      "tr",
      {},
      h("td", {}, match.shown ? h("a", { href: `/replay?league=${shown}&match=${match.id}` }, match.id.slice(0, 10)) : h("span", { title: "shown once all agents have played its cards" }, match.id.slice(0, 10))),
      h("td", { class: "numeric" }, String(match.moves)),
      h("td", {}, match.seats.map((seat, k) => h("span", { class: `result-of${seat.rank === 0 ? " first" : ""}`, title: seat.message }, `${k} ${seat.agent} ${number(seat.returned, 2)}${seat.status === "ok" ? "" : ` (${seat.status})`}`))),
    ),
  );
  const go = (text, begin, able) => h("button", { type: "button", disabled: !able, onclick: () => ((filters.begin = begin), showMatches()) }, text);
  const end = Math.min(found.count, found.begin + found.page);
  target.replaceChildren(
    h("table", { class: "table" }, h("thead", {}, h("tr", {}, ["replay", "moves", "seats"].map((head) => h("th", {}, head)))), h("tbody", {}, rows)),
    h("p", { class: "buttons left" }, go("newer", found.begin - found.page, found.begin > 0), h("span", {}, found.count ? `${found.begin + 1} to ${end} of ${found.count}` : "no matches"), go("older", end, end < found.count)),
  );
}

function forfeits({ errors }) {
  if (!errors.length) return null;
  const rows = errors.map((failure) => h("tr", {}, h("th", {}, failure.agent), h("td", {}, failure.status), h("td", {}, failure.message), h("td", { class: "minor" }, `${failure.match.slice(0, 10)}, seat ${failure.seat}`)));
  return h("details", {}, h("summary", {}, `Forfeits (${errors.length})`), h("div", { class: "scroll", tabindex: 0 }, h("table", { class: "table" }, h("tbody", {}, rows))));
}
