// The criteria playground: a split on controls, every criterion's score and curve. No network.

import { CRITERIA, mean, ON_NUMBERS, quantile, removed, standing } from "./criteria.js";

const COLOURS = [0, 1, 2, 3, 4, 5].map((place) => `var(--pg-c${place})`);
const DASHES = ["", "7 3", "2 3", "9 3 2 3", "12 4", "4 4"];
const BARS = 8; // of the distribution in a leaf, one for each colour of the scale of numbers
const SVG = "http://www.w3.org/2000/svg";

function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "path", "line", "rect", "text", "circle"].includes(tag);
  const element = svg ? document.createElementNS(SVG, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function shown(value) {
  if (!Number.isFinite(value)) return "no split";
  const text = value.toPrecision(4);
  return text.includes("e") ? text : String(Number(text));
}

// What differs between the targets. `given` is what the controls show; `table` makes the branches
// of it, `fault` says why it makes none; `rows` describes the split. `curve` moves rows between the
// branches: from where to where, where it is now, and the table at each place.
const TARGETS = {
  "Two classes": {
    criteria: CRITERIA,
    place: standing,
    chosen: ["info_gain", "gini", "hellinger", "accuracy"],
    headings: ["criterion", "nothing to learn … pure", "score", "kept split"],
    controls: ["left, class 0", "left, class 1", "right, class 0", "right, class 1"].map(
      (name, key) => ({ key, name, min: () => 0, max: () => 100 }),
    ),
    presets: {
      "A good split": [40, 10, 10, 40],
      "Nothing to learn": [30, 30, 20, 20],
      "A small pure branch": [5, 0, 45, 50],
      "Few of one class": [60, 1, 30, 9],
      "A larger, impure branch": [15, 5, 35, 45],
    },
    table: ([a, b, c, d]) => [
      [a, b],
      [c, d],
    ],
    fault: ([a, b, c, d]) =>
      [a + c, b + d, a + b, c + d].every((n) => n > 0)
        ? ""
        : "Both classes and both branches need at least one row.",
    rows: ([a, b, c, d]) => [a + b, c + d],
    kept: (given) => `Counts of the kept split: ${given.join(", ")}.`,
    curve: ([a, b, c, d]) => ({
      name:
        "Curves of the chosen criteria over the rows of class 1 that go left, " +
        "with as many rows in each branch and class as on the sliders",
      caption: "rows of class 1 in the left branch",
      ends: [Math.max(0, b - c), Math.min(a + b, b + d)],
      now: b,
      steps: 100,
      at: (moved) => [
        [a + b - moved, moved],
        [c - b + moved, d + b - moved],
      ],
    }),
    leaves: () => [],
  },
  "A number": {
    criteria: ON_NUMBERS,
    place: removed,
    chosen: ["squared_error", "absolute_error", "poisson", "standard_deviation"],
    headings: ["criterion", "impurity removed: none … all", "score", "kept split"],
    controls: [
      { key: "left", name: "rows that go left", min: () => 1, max: (g) => g.numbers.length - 1 },
      { key: "q", name: "q of quantile", min: () => 0.05, max: () => 0.95, step: 0.05 },
      { key: "numbers", name: "target, in the order of a feature" },
    ],
    presets: {
      "A step": [2, 3, 2, 4, 3, 2, 3, 4, 3, 2, 8, 9, 7, 8, 9, 10, 8, 7, 9, 8],
      "One number far off": [2, 3, 2, 4, 3, 2, 3, 4, 3, 2, 8, 9, 7, 8, 9, 10, 8, 7, 9, 30],
      Counts: [0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 2, 3, 2, 1, 4, 2, 5, 6, 4, 7],
      "Spread alone": [5, 6, 5, 4, 5, 6, 5, 4, 5, 5, 1, 9, 0, 10, 2, 8, 0, 10, 1, 9],
      "Nothing to learn": [4, 7, 2, 9, 5, 3, 8, 6, 1, 7, 4, 9, 2, 6, 5, 3, 8, 1, 6, 4],
    },
    table: ({ left, numbers }) => [numbers.slice(0, left), numbers.slice(left)],
    fault: ({ numbers }) => {
      const wrong = numbers.find((v) => typeof v === "string" || !Number.isFinite(v));
      if (wrong !== undefined) return `“${wrong}” is not a number.`;
      if (numbers.length < 2) return "A split needs at least two numbers.";
      return numbers.every((v) => v === numbers[0]) ? "All numbers are equal." : "";
    },
    rows: ({ left, numbers }) => [left, numbers.length - left],
    kept: ({ left }) => `The kept split: ${left} rows go left.`,
    curve: ({ left, numbers }) => ({
      name: "Curves of the chosen criteria over the number of rows that go left",
      caption: "rows that go left",
      ends: [1, numbers.length - 1],
      now: left,
      steps: Math.max(1, numbers.length - 2),
      at: (moved) => [numbers.slice(0, moved), numbers.slice(moved)],
    }),
    leaves,
  },
};

// The distribution of the target in both leaves, and what they predict.
function leaves({ left, numbers, q }) {
  const [low, high] = [Math.min(...numbers), Math.max(...numbers)];
  const parts = [numbers.slice(0, left), numbers.slice(left)].map((leaf) => {
    const counts = Array(BARS).fill(0);
    for (const v of leaf) {
      counts[Math.min(BARS - 1, Math.floor((BARS * (v - low)) / (high - low)))] += 1;
    }
    return { leaf, counts };
  });
  const most = Math.max(...parts.flatMap((part) => part.counts));
  const [width, height, top, pad] = [312, 132, 24, 4];
  const x = (share) => pad + (width - 2 * pad) * share;
  const ground = top + height;
  return parts.map(({ leaf, counts }, i) => {
    const said =
      `${i ? "right" : "left"} leaf: ${leaf.length} row${leaf.length > 1 ? "s" : ""}, ` +
      `mean ${shown(mean(leaf))}`;
    const rest = `median ${shown(quantile(leaf, 0.5))}, ${q}-quantile ${shown(quantile(leaf, q))}`;
    const name = `${said}, ${rest}; rows by eighths of the range: ${counts.join(", ")}`;
    const size = { viewBox: `0 0 ${width} ${ground + 34}`, role: "img", "aria-label": name };
    const bars = counts.map((count, bar) => {
      const tall = (height * count) / most;
      const place = { x: x(bar / BARS), y: ground - tall, width: x(1 / BARS) - pad - 2 };
      return make("rect", { ...place, height: tall, fill: `var(--pg-cv${bar})` });
    });
    const text = (place, y, anchor, words) =>
      make("text", { x: x(place), y, "text-anchor": anchor }, words);
    return make(
      "svg",
      size,
      ...bars,
      make("line", { x1: x(0), x2: x(1), y1: ground, y2: ground, class: "pg-grid" }),
      text((mean(leaf) - low) / (high - low), ground + 12, "middle", "▲"),
      text(0, 14, "start", said),
      text(0, ground + 28, "start", shown(low)),
      text(0.5, ground + 28, "middle", rest),
      text(1, ground + 28, "end", shown(high)),
    );
  });
}

function start(root, target = "Two classes") {
  const own = TARGETS[target];
  // Numbers come with a cut in their middle, and with the share of a quantile.
  const given = (preset) =>
    own.criteria === CRITERIA ? [...preset] : { left: preset.length / 2, q: 0.9, numbers: preset };
  const state = { given: given(Object.values(own.presets)[0]), rival: null };
  state.chosen = [...own.chosen];
  root.replaceChildren();

  const tabs = Object.keys(TARGETS).map((name) => {
    const button = make("button", { type: "button", "aria-pressed": name === target }, name);
    button.addEventListener("click", () => {
      start(root, name);
      root.querySelector("[aria-pressed=true]").focus();
    });
    return button;
  });
  const controls = own.controls.map(({ key, name, min, max, step }) => {
    const id = `pg-given-${key}`;
    const input = make("input", min ? { type: "range", step: step ?? 1, id } : { id });
    const output = make("output", { for: id });
    input.addEventListener("input", () => {
      if (min) state.given[key] = Number(input.value);
      else {
        const words = input.value.split(/[\s,;]+/).filter((word) => word !== "");
        state.given[key] = words.map((w) => (Number.isFinite(Number(w)) ? Number(w) : w));
      }
      update();
    });
    const show = (usable) => {
      const value = state.given[key];
      if (min && usable) {
        [input.min, input.max] = [min(state.given), max(state.given)];
        state.given[key] = Math.max(input.min, Math.min(input.max, value));
      }
      output.textContent = state.given[key];
      const text = min ? state.given[key] : value.join(", ");
      if (document.activeElement !== input || min) input.value = text;
    };
    const parts = [make("label", { for: id }, name), input, ...(min ? [output] : [])];
    return { show, row: make("div", { class: min ? "pg-slider" : "pg-field" }, ...parts) };
  });
  const presets = Object.entries(own.presets).map(([name, preset]) => {
    const button = make("button", { type: "button" }, name);
    button.addEventListener("click", () => {
      state.given = given(preset);
      update();
    });
    return button;
  });
  const keep = make("button", { type: "button" });
  keep.addEventListener("click", () => {
    state.rival = state.rival ? null : structuredClone(state.given);
    update();
  });
  const note = make("p", { class: "pg-note", "aria-live": "polite" });

  const rows = Object.keys(own.criteria).map((name) => {
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
  const head = make("tr", {}, ...own.headings.map((text) => make("th", { scope: "col" }, text)));
  const body = make("tbody", {}, ...rows.map((r) => r.row));
  const table = make("table", { class: "pg-scores" }, make("thead", {}, head), body);
  const picture = make("div", { class: "pg-picture" });

  root.append(
    make("div", { class: "pg-buttons", role: "group", "aria-label": "target" }, ...tabs),
    make("div", { class: "pg-controls" }, ...controls.map((c) => c.row)),
    make("div", { class: "pg-buttons" }, ...presets, keep),
    note,
    picture,
    make("div", { class: "pg-scroll", tabindex: "0", "aria-label": "scores" }, table),
  );

  function update() {
    const fault = own.fault(state.given);
    const [usable, q] = [!fault, state.given.q];
    controls.forEach((control) => control.show(usable));
    const now = usable ? own.table(state.given) : null;
    table.classList.toggle("pg-alone", !state.rival);
    keep.textContent = state.rival ? "Forget the kept split" : "Keep this split to compare";
    keep.disabled = !usable;
    const apart = state.rival ? own.table(state.rival) : null;
    let [better, worse] = [0, 0];
    for (const r of rows) {
      const place = usable ? Math.min(1, Math.max(0, own.place(r.name, now, q))) : 0;
      const at = state.chosen.indexOf(r.name);
      const [score, other] = [now, apart].map((t) => (t ? own.criteria[r.name](t, q) : NaN));
      const close = score === other || Math.abs(score - other) < 1e-9;
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
    if (!usable) note.textContent = fault;
    else if (!apart) {
      const [left, right] = own.rows(state.given);
      note.textContent =
        `${left + right} rows: ${left} go left, ${right} right. Tick up to six curves.`;
    } else {
      note.textContent =
        `${own.kept(state.rival)} Criteria that prefer the new split: ${better}; ` +
        `the kept one: ${worse}; neither: ${rows.length - better - worse}.`;
    }
    draw(now, q);
  }

  function draw(now, q) {
    picture.replaceChildren();
    if (!now) return;
    const curve = own.curve(state.given);
    const [low, high] = curve.ends;
    const [width, height, pad] = [640, 300, 44];
    const x = (count) => pad + ((width - 2 * pad) * (count - low)) / Math.max(1, high - low);
    const y = (value) => height - pad - (height - 1.6 * pad) * Math.min(1, Math.max(0, value));
    const size = { viewBox: `0 0 ${width} ${height}`, role: "img" };
    const svg = make("svg", { ...size, "aria-label": curve.name });
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
    svg.append(make("text", caption, curve.caption));
    state.chosen.forEach((criterion, i) => {
      const places = Array.from(
        { length: curve.steps + 1 },
        (_, s) => low + ((high - low) * s) / curve.steps,
      );
      const points = places.map(
        (c) => `${x(c).toFixed(1)},${y(own.place(criterion, curve.at(c), q)).toFixed(1)}`,
      );
      const line = { d: `M${points.join("L")}`, stroke: COLOURS[i], "stroke-dasharray": DASHES[i] };
      const dot = { cx: x(curve.now), cy: y(own.place(criterion, now, q)), r: 5, fill: COLOURS[i] };
      svg.append(make("path", { ...line, class: "pg-curve" }), make("circle", dot));
    });
    const legend = state.chosen.map((criterion, i) => {
      const line = { x1: 0, x2: 28, y1: 6, y2: 6, stroke: COLOURS[i], "stroke-width": 3 };
      const sample = make("line", { ...line, "stroke-dasharray": DASHES[i] });
      const mark = make("svg", { viewBox: "0 0 28 12", width: 28, height: 12 }, sample);
      mark.setAttribute("aria-hidden", "true");
      return make("span", {}, mark, ` ${criterion}`);
    });
    const distributions = make("div", { class: "pg-leaves" }, ...own.leaves(state.given));
    picture.append(distributions, svg, make("div", { class: "pg-legend" }, ...legend));
  }

  update();
}

document.querySelectorAll(".criteria-playground").forEach((root) => start(root));
