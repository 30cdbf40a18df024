// Training runs: their learning curves over each other, live, and their settings side by side.

import { h, request, svg } from "./dom.js";

const EVERY = 3000; // milliseconds between looks at runs that may go on
const [WIDE, HIGH, LEFT, BELOW] = [1080, 420, 64, 34];
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
    at("runs").replaceChildren(h("p", { class: "hint" }, "No runs are shown. Start the server with their folder: ", h("code", {}, "wilddeck serve --runs runs/")));
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
      h("p", { class: "buttons left" }, pick(names, column, (value) => (column = value), "what"), " over ", pick(["steps", "seconds"], across, (value) => (across = value), "over")),
      h("div", { class: "scroll" }, chart(lines)),
    );
  }
  drawSettings(lines.map(([name]) => name));
}

function points(columns) {
  const [xs, ys] = [columns[across] ?? [], columns[column] ?? []];
  return xs.map((x, k) => [x, ys[k]]).filter(([x, y]) => Number.isFinite(x) && Number.isFinite(y));
}

function chart(lines) {
  const all = lines.flatMap(([, columns]) => points(columns));
  const drawing = svg("svg", { viewBox: `0 0 ${WIDE} ${HIGH}`, class: "curves", role: "img", "aria-label": `${column} over ${across}` });
  if (!all.length) return h("p", { class: "hint" }, "nothing has been measured yet");
  const [xs, ys] = [all.map(([x]) => x), all.map(([, y]) => y)];
  const [x1, y0, y1] = [Math.max(...xs), Math.min(...ys), Math.max(...ys)];
  const x = (value) => LEFT + (value / (x1 || 1)) * (WIDE - LEFT - 14);
  const y = (value) => HIGH - BELOW - ((value - y0) / (y1 - y0 || 1)) * (HIGH - BELOW - 14);
  for (let k = 0; k <= 4; k++) {
    const value = y0 + ((y1 - y0) * k) / 4;
    drawing.append(svg("line", { x1: LEFT, x2: WIDE - 14, y1: y(value), y2: y(value), class: "grid" }), svg("text", { x: LEFT - 8, y: y(value) + 4, class: "tick-y" }, short(value)));
    drawing.append(svg("text", { x: x((x1 * k) / 4), y: HIGH - 10, class: "tick-x" }, short((x1 * k) / 4)));
  }
  for (const [name, columns] of lines) {
    const line = points(columns).map(([a, b]) => `${x(a).toFixed(1)},${y(b).toFixed(1)}`);
    const title = svg("title", {}, name);
    drawing.append(svg("polyline", { points: line.join(" "), class: `curve line-${chosen.indexOf(name)}` }, title));
    if (line.length === 1) drawing.append(svg("circle", { cx: line[0].split(",")[0], cy: line[0].split(",")[1], r: 4, class: `dot line-${chosen.indexOf(name)}` }));
  }
  return drawing;
}

function short(value) {
  const size = Math.abs(value);
  if (size >= 1e6) return `${(value / 1e6).toFixed(1)} M`;
  if (size >= 1e4) return `${Math.round(value / 1e3)} k`;
  return size >= 100 ? value.toFixed(0) : value.toPrecision(3);
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
    h("table", { class: "table" }, h("caption", {}, "Settings; those that differ come first"), h("thead", {}, h("tr", {}, h("th", {}, ""), names.map((name) => h("th", {}, name)))), h("tbody", {}, ordered.map(row))),
  );
}
