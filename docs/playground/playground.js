// The criteria playground: counts on sliders, every criterion's score and curve. No network.

import { CRITERIA, standing } from "./criteria.js";

const COLOURS = [0, 1, 2, 3, 4, 5].map((place) => `var(--pg-c${place})`);
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4"];
const PRESETS = {
  "A good split": [40, 10, 10, 40],
  "Nothing to learn": [30, 30, 20, 20],
  "A small pure branch": [5, 0, 45, 50],
  "Few of one class": [60, 1, 30, 9],
  "A larger, impure branch": [15, 5, 35, 45],
};
const NAMES = ["left, class 0", "left, class 1", "right, class 0", "right, class 1"];
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "text", "circle", "g"].includes(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

const asTable = ([a, b, c, d]) => [
  [a, b],
  [c, d],
];

function shown(value) {
  const text = value.toPrecision(4);
  return text.includes("e") ? text : String(Number(text));
}

function start(root) {
  const state = { counts: PRESETS["A good split"].slice(), rival: null };
  state.chosen = ["info_gain", "gini", "hellinger", "accuracy"];

  const sliders = NAMES.map((name, i) => {
    const input = make("input", { type: "range", min: 0, max: 100, id: `pg-count-${i}` });
    const output = make("output", { for: `pg-count-${i}` });
    input.addEventListener("input", () => {
      state.counts[i] = Number(input.value);
      update();
    });
    const label = make("label", { for: `pg-count-${i}` }, name);
    return { input, output, row: make("div", { class: "pg-slider" }, label, input, output) };
  });
  const presets = Object.entries(PRESETS).map(([name, counts]) => {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      state.counts = counts.slice();
      update();
    });
    return button;
  });
  const keep = make("button", { type: "button" });
  keep.addEventListener("click", () => {
    state.rival = state.rival ? null : state.counts.slice();
    update();
  });
  const note = make("p", { class: "pg-note", "aria-live": "polite" });

  const rows = Object.keys(CRITERIA).map((name) => {
    const box = make("input", { type: "checkbox", id: `pg-show-${name}` });
    box.addEventListener("change", () => {
      if (!box.checked) state.chosen = state.chosen.filter((n) => n !== name);
      else if (state.chosen.length < COLOURS.length) state.chosen.push(name);
      update();
    });
    const bar = make("span", { class: "pg-bar" });
    const [score, rival] = [make("td", { class: "pg-number" }), make("td", { class: "pg-number" })];
    const label = make("label", { for: `pg-show-${name}` }, name);
    const row = make(
      "tr",
      {},
      make("th", { scope: "row" }, box, " ", label),
      make("td", { class: "pg-track" }, bar),
      score,
      rival,
    );
    return { name, box, bar, score, rival, row };
  });
  const headings = ["criterion", "nothing to learn … pure", "score", "kept split"];
  const head = make("tr", {}, ...headings.map((text) => make("th", { scope: "col" }, text)));
  const body = make("tbody", {}, ...rows.map((r) => r.row));
  const table = make("table", { class: "pg-scores" }, make("thead", {}, head), body);
  const picture = make("div", { class: "pg-picture" });

  root.append(
    make("div", { class: "pg-controls" }, ...sliders.map((s) => s.row)),
    make("div", { class: "pg-buttons" }, ...presets, keep),
    note,
    picture,
    make("div", { class: "pg-scroll", tabindex: "0", "aria-label": "scores" }, table),
  );

  function update() {
    const now = asTable(state.counts);
    const classes = [0, 1].map((c) => now[0][c] + now[1][c]);
    const usable = classes.every((n) => n > 0) && now.every((b) => b[0] + b[1] > 0);
    sliders.forEach((s, i) => {
      s.input.value = state.counts[i];
      s.output.textContent = state.counts[i];
    });
    table.classList.toggle("pg-alone", !state.rival);
    keep.textContent = state.rival ? "Forget the kept split" : "Keep this split to compare";
    const apart = state.rival ? asTable(state.rival) : null;
    let [better, worse] = [0, 0];
    for (const r of rows) {
      const place = usable ? Math.min(1, Math.max(0, standing(r.name, now))) : 0;
      const at = state.chosen.indexOf(r.name);
      const [score, other] = [now, apart].map((t) => (t ? CRITERIA[r.name](t) : NaN));
      const close = Math.abs(score - other) < 1e-9;
      if (usable && apart && !close) score > other ? better++ : worse++;
      r.bar.style.width = `${(100 * place).toFixed(1)}%`;
      r.bar.style.background = at < 0 ? "" : COLOURS[at];
      r.score.textContent = usable ? shown(score) : "";
      r.score.classList.toggle("pg-better", Boolean(apart) && !close && score > other);
      r.rival.textContent = apart ? shown(other) : "";
      r.rival.classList.toggle("pg-better", Boolean(apart) && !close && score < other);
      r.box.checked = at >= 0;
      r.box.disabled = at < 0 && state.chosen.length >= COLOURS.length;
    }
    if (!usable) note.textContent = "Both classes and both branches need at least one row.";
    else if (!apart) {
      const [n, left] = [classes[0] + classes[1], now[0][0] + now[0][1]];
      note.textContent = `${n} rows: ${left} go left, ${n - left} right. Tick up to six curves.`;
    } else {
      const kept = state.rival.join(", ");
      note.textContent =
        `Counts of the kept split: ${kept}. Criteria that prefer the new split: ${better}; ` +
        `the kept one: ${worse}; neither: ${rows.length - better - worse}.`;
    }
    draw(usable ? now : null, classes);
  }

  function draw(now, [zeros, ones]) {
    picture.replaceChildren();
    if (!now) return;
    const left = now[0][0] + now[0][1];
    const [low, high] = [Math.max(0, left - zeros), Math.min(left, ones)];
    const [width, height, pad] = [640, 300, 44];
    const x = (count) => pad + ((width - 2 * pad) * (count - low)) / Math.max(1, high - low);
    const y = (value) => height - pad - (height - 1.6 * pad) * Math.min(1, Math.max(0, value));
    const name =
      "Curves of the chosen criteria over the rows of class 1 that go left, " +
      "with as many rows in each branch and class as on the sliders";
    const svg = make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": name });
    for (const value of [0, 0.5, 1]) {
      const line = { x1: pad, x2: width - pad, y1: y(value), y2: y(value), class: "pg-grid" };
      const place = { x: pad - 6, y: y(value) + 4, "text-anchor": "end" };
      svg.append(make("line", line), make("text", place, String(value)));
    }
    for (const count of [low, high]) {
      const place = { x: x(count), y: height - pad + 18, "text-anchor": "middle" };
      svg.append(make("text", place, String(count)));
    }
    const caption = { x: width / 2, y: height - 8, "text-anchor": "middle" };
    svg.append(make("text", caption, "rows of class 1 in the left branch"));
    state.chosen.forEach((criterion, i) => {
      const steps = Array.from({ length: 101 }, (_, s) => low + ((high - low) * s) / 100);
      const points = steps.map((c) => {
        const moved = [
          [left - c, c],
          [zeros - left + c, ones - c],
        ];
        return `${x(c).toFixed(1)},${y(standing(criterion, moved)).toFixed(1)}`;
      });
      const line = { d: `M${points.join("L")}`, stroke: COLOURS[i], "stroke-dasharray": DASHES[i] };
      const dot = { cx: x(now[0][1]), cy: y(standing(criterion, now)), r: 5, fill: COLOURS[i] };
      svg.append(make("path", { ...line, class: "pg-curve" }), make("circle", dot));
    });
    const legend = state.chosen.map((criterion, i) => {
      const line = { x1: 0, x2: 28, y1: 6, y2: 6, stroke: COLOURS[i], "stroke-width": 3 };
      const sample = make("line", { ...line, "stroke-dasharray": DASHES[i] });
      const mark = make("svg", { viewBox: "0 0 28 12", width: 28, height: 12 }, sample);
      mark.setAttribute("aria-hidden", "true");
      return make("span", {}, mark, ` ${criterion}`);
    });
    picture.append(svg, make("div", { class: "pg-legend" }, ...legend));
  }

  update();
}

document.querySelectorAll(".criteria-playground").forEach(start);
