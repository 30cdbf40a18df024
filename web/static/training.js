// Training runs: their learning curves over each other, live, and their settings side by side.

import { h, request, svg } from "./dom.js";

const EVERY = 3000; // milliseconds between looks at runs that may go on
const [WIDE, HIGH, LEFT, RIGHT, BELOW] = [1080, 420, 84, 28, 54];
const WITHIN = 1.96; // standard errors of a band: 95 %
const SHARES = /^win_rate_|fraction|accuracy|share/; // which lie between 0 and 1
const MOST = 8; // curves at once
const at = (id) => document.getElementById(id);
let runs = [];
let chosen = null; // names
let column = null;
let across = "steps";
const curves = new Map(); // by name: [stamp, columns]

await look();
setInterval(() => document.hidden || look(), EVERY);

async function look() {
  try {
    const found = await request("/api/runs");
    const same = JSON.stringify(found) === JSON.stringify(runs);
    runs = found;
    if (chosen === null) chosen = runs.slice(0, 3).map((run) => run.name);
    if (!same || !runs.length) drawRuns();
    await loadCurves();
  } catch (error) {
    at("runs").replaceChildren(h("p", { class: "error", role: "alert" }, error.message));
  }
}

async function loadCurves() {
  let changed = false;
  for (const run of runs.filter(({ name }) => chosen.includes(name))) {
    if (curves.get(run.name)?.[0] === run.stamp) continue;
    curves.set(run.name, [run.stamp, (await request("/api/curve", { name: run.name })).columns]);
    changed = true;
  }
  if (changed) draw();
}

function drawRuns() {
  if (!runs.length) {
    at("runs").replaceChildren(h("p", { class: "hint" }, "There are no runs. Start the server with their folder: ", h("code", {}, "wilddeck serve --runs runs/")));
    return;
  }
  const boxes = runs.map(({ name }) => {
    const box = h("input", { type: "checkbox", checked: chosen.includes(name) });
    box.addEventListener("change", async () => {
      chosen = box.checked ? [...chosen, name].slice(-MOST) : chosen.filter((each) => each !== name);
      drawRuns();
      await loadCurves();
      draw();
    });
    return h("label", { class: `run-name line-${chosen.indexOf(name)}` }, box, " ", name);
  });
  at("runs").replaceChildren(h("fieldset", { class: "run-list" }, h("legend", {}, `Runs (up to ${MOST} at once)`), boxes));
}

function shown() {
  return chosen.filter((name) => curves.has(name)).map((name) => [name, curves.get(name)[1]]);
}

function draw() {
  const lines = shown();
  const names = [...new Set(lines.flatMap(([, columns]) => Object.keys(columns)))].filter((name) => !["steps", "seconds"].includes(name));
  if (!names.includes(column)) column = names.find((name) => name.startsWith("win_rate_")) ?? names.find((name) => name === "mean_return") ?? names[0];
  const pick = (values, value, change, label) => {
    const select = h("select", { "aria-label": label }, values.map((name) => h("option", { value: name, selected: name === value }, name.replace(/_/g, " "))));
    select.addEventListener("change", () => {
      change(select.value);
      draw();
    });
    return select;
  };
  if (!lines.length) at("chart").replaceChildren();
  else {
    at("chart").replaceChildren(
      h("p", { class: "buttons left" }, pick(names, column, (value) => (column = value), "vertical axis"), " over ", pick(["steps", "seconds"], across, (value) => (across = value), "horizontal axis")),
      h("div", { class: "scroll", tabindex: 0 }, chart(lines)),
    );
  }
  drawSettings(lines.map(([name]) => name));
}

function points(columns) {
  const [xs, ys] = [columns[across] ?? [], columns[column] ?? []];
  return xs.map((x, k) => [x, ys[k]]).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}

function chart(lines) {
  const all = lines.flatMap(([, columns]) => [...points(columns), ...band(columns)]);
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curves", role: "img", "aria-label": `${column} over ${across}` });
  if (!all.length) return h("p", { class: "hint" }, "No data yet.");
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const along = ticks(0, Math.max(...xs));
  const up = SHARES.test(column) ? ticks(0, 1) : ticks(Math.min(...ys), Math.max(...ys));
  const [x1, y0, y1] = [along.at(-1), up[0], up.at(-1)];
  const x = (value) => LEFT + (value / x1) * (WIDE - LEFT - RIGHT);
  const y = (value) => HIGH - BELOW - ((value - y0) / (y1 - y0)) * (HIGH - BELOW - 14);
  const [middle, left] = [(HIGH - BELOW) / 2, 18];
  drawing.append(
    ...up.map((value) => svg("line", { x1: LEFT, x2: WIDE - RIGHT, y1: y(value), y2: y(value), class: "grid" })),
    ...up.map((value) => svg("text", { x: LEFT - 8, y: y(value) + 4, class: "tick-y" }, short(value))),
    ...along.map((value) => svg("text", { x: x(value), y: HIGH - BELOW + 20, class: "tick-x" }, short(value))),
    svg("text", { x: (LEFT + WIDE) / 2, y: HIGH - 10, class: "axis" }, across === "steps" ? "decisions" : across),
    svg("text", { x: left, y: middle, transform: `rotate(-90 ${left} ${middle})`, class: "axis" }, column.replace(/_/g, " ")),
  );
  for (const [name, columns] of lines) {
    const outline = band(columns).map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`);
    if (outline.length > 2) drawing.append(svg("polygon", { points: outline.join(" "), class: `band line-${chosen.indexOf(name)}` }));
  }
  for (const [name, columns] of lines) {
    const line = points(columns).map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`);
    const title = svg("title", {}, name);
    drawing.append(svg("polyline", { points: line.join(" "), class: `curve line-${chosen.indexOf(name)}` }, title));
    if (line.length === 1) drawing.append(svg("circle", { cx: line[0].split(",")[0], cy: line[0].split(",")[1], r: 4, class: `dot line-${chosen.indexOf(name)}` }));
  }
  return drawing;
}

// The outline of where a mean lies by its standard error: there above, back below.
function band(columns) {
  const [xs, ys, errors] = [columns[across] ?? [], columns[column] ?? [], column.startsWith("return_") ? columns[column.replace("return_", "error_")] ?? [] : []];
  const measured = xs.map((x, k) => [x, ys[k], errors[k]]).filter((each) => each.every(Number.isFinite));
  const edge = (sign) => measured.map(([x, y, error]) => [x, y + sign * WITHIN * error]);
  return [...edge(1), ...edge(-1).reverse()];
}

// Round numbers, three to eight, the first and the last of which hold all between them.
function ticks(least, most) {
  const room = most - least || Math.abs(most) || 1;
  const size = 10 ** Math.floor(Math.log10(room / 3));
  const step = size * [1, 2, 5, 10].find((each) => room / (each * size) <= 6);
  const [first, last] = [Math.floor(least / step + 1e-9), Math.max(Math.ceil(most / step - 1e-9), Math.floor(least / step + 1e-9) + 1)];
  return Array.from({ length: last - first + 1 }, (_, k) => Number(((first + k) * step).toPrecision(12)));
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (size >= 1e4) return `${Math.round(value / 1e3)} k`;
  return String(Number(value.toPrecision(4)));
}

// Only settings in which the runs differ, then the others.
function drawSettings(names) {
  const settings = names.map((name) => runs.find((run) => run.name === name)?.settings ?? {});
  const keys = [...new Set(settings.flatMap((each) => Object.keys(each)))];
  const differ = (key) => new Set(settings.map((each) => JSON.stringify(each[key]))).size > 1;
  const row = (key) => h("tr", { class: differ(key) ? "differs" : "" }, h("th", {}, key.replace(/_/g, " ")), settings.map((each) => h("td", {}, each[key] === undefined ? "" : String(each[key]))));
  const ordered = [...keys.filter(differ), ...keys.filter((key) => !differ(key))];
  if (!names.length) return at("settings").replaceChildren();
  return at("settings").replaceChildren(
    h("table", { class: "table" }, h("caption", {}, "Settings, different ones first"), h("thead", {}, h("tr", {}, h("td"), names.map((name) => h("th", {}, name)))), h("tbody", {}, ordered.map(row))),
  );
}
