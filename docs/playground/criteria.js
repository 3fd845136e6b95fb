// The criteria on tables for two classes, and those on numbers, each as its formula stands on the
// criterion's page.
//
// A table is a list of branches, a branch a pair of counts [of the first class, of the second], or
// a list of numbers. Larger scores are better. tests/python/project/test_playground.py compares
// every function with the compiled library. A criterion without a function here is left out of the
// playground.

const sum = (values) => values.reduce((a, b) => a + b, 0);
const sizes = (table) => table.map(sum);
const totals = (table) => [0, 1].map((c) => sum(table.map((branch) => branch[c])));
const count = (table) => sum(sizes(table));
const xlog2x = (p) => (p > 0 ? p * Math.log2(p) : 0);
const single = (counts) => counts.filter((c) => c > 0).length < 2;

function entropy(counts) {
  const n = sum(counts);
  return n > 0 ? -sum(counts.map((c) => xlog2x(c / n))) : 0;
}

function gain(table) {
  const [n, m, k] = [count(table), sizes(table), totals(table)];
  const cell = (x, i, c) => (x > 0 ? (x / n) * Math.log2((x * n) / (m[i] * k[c])) : 0);
  return sum(table.map((branch, i) => sum(branch.map((x, c) => cell(x, i, c)))));
}

const ratio = (top, bottom, zero) => (zero ? 0 : top / bottom);
const perBranch = (table, value) =>
  sum(table.map((branch) => (sum(branch) / count(table)) * value(branch)));

function nmi(table, mean, zero) {
  const [classes, branches] = [totals(table), sizes(table)];
  return ratio(
    gain(table),
    mean(entropy(classes), entropy(branches)),
    zero(single(classes), single(branches)),
  );
}

const either = (a, b) => a || b;
const both = (a, b) => a && b;

function impurity(counts) {
  const n = sum(counts);
  return n > 0 ? 1 - sum(counts.map((c) => (c / n) ** 2)) : 0;
}

// Stirling's series, exact to 1e-12 from 20 on; smaller arguments are raised by the recurrence.
function lnGamma(x) {
  let shift = 0;
  while (x < 20) shift -= Math.log(x++);
  const y = 1 / (x * x);
  const series = (1 / 12 - y * (1 / 360 - y * (1 / 1260 - y * (1 / 1680 - y / 1188)))) / x;
  return shift + (x - 0.5) * Math.log(x) - x + 0.5 * Math.log(2 * Math.PI) + series;
}

function codeLength(counts) {
  const [n, k] = [sum(counts), counts.length];
  const orders = lnGamma(n + 1) - sum(counts.map((c) => lnGamma(c + 1)));
  const tables = lnGamma(n + k) - lnGamma(n + 1) - lnGamma(k);
  return (orders + tables) / Math.LN2;
}

function dkm(counts) {
  const q = Math.max(0.5, Math.max(...counts) / sum(counts));
  return 2 * Math.sqrt(q * Math.max(0, 1 - q));
}

function fMeasure(hits, falseAlarms, misses) {
  return hits === 0 ? 0 : (2 * hits) / (2 * hits + falseAlarms + misses);
}

const shares = (counts) => counts.map((c) => c / sum(counts));
const norm = (v) => Math.hypot(...v);
const distance = (a, b) => norm(a.map((x, i) => x - b[i]));
const cosine = (a, b) => sum(a.map((x, i) => x * b[i])) / (norm(a) * norm(b));

// A measure of two branches; of more, its mean over each branch against the rest.
function branches(table, measure) {
  const pair = (a, b) => (sum(a) > 0 && sum(b) > 0 ? measure(a, b) : 0);
  if (table.length === 2) return pair(table[0], table[1]);
  const all = totals(table);
  return perBranch(table, (branch) => pair(branch, all.map((t, c) => t - branch[c])));
}

// A measure of the two classes' distributions over the branches; `without` where one is absent.
function classes(table, measure, without) {
  const sides = [1, 0].map((c) => table.map((branch) => branch[c]));
  return sides.every((side) => sum(side) > 0) ? measure(...sides) : without;
}

// The largest sum of one-to-one assignments of branches to the two classes.
function matching(weights) {
  let best = 0;
  weights.forEach((first, i) =>
    weights.forEach((second, j) => {
      if (i !== j) best = Math.max(best, first[0] + second[1]);
    }),
  );
  return best;
}

export const CRITERIA = {
  info_gain: gain,
  gain_ratio: (t) => ratio(gain(t), entropy(sizes(t)), single(sizes(t))),
  normal_gain: (t) => gain(t) / Math.log2(t.length),
  mantaras: (t) => ratio(gain(t), entropy(t.flat()), single(t.flat())),
  variation_of_information: (t) => 2 * gain(t) - entropy(sizes(t)) - entropy(totals(t)),
  symmetric_uncertainty: (t) => nmi(t, (h, s) => (h + s) / 2, both),
  geometric_nmi: (t) => nmi(t, (h, s) => Math.sqrt(h * s), either),
  min_nmi: (t) => nmi(t, Math.min, either),
  max_nmi: (t) => nmi(t, Math.max, both),
  gini: (t) => impurity(totals(t)) - perBranch(t, impurity),
  chi2: (t) => {
    const [n, m, k] = [count(t), sizes(t), totals(t)];
    const cell = (x, e) => (e > 0 ? (x - e) ** 2 / e : 0);
    return sum(t.map((b, i) => sum(b.map((x, c) => cell(x, (m[i] * k[c]) / n)))));
  },
  g_statistic: (t) => 2 * count(t) * Math.LN2 * gain(t),
  laplace: (t) => perBranch(t, (b) => (Math.max(...b) + 1) / (sum(b) + 2)),
  accuracy: (t) => sum(t.map((b) => Math.max(...b))) / count(t),
  jaccard: (t) => {
    const k = totals(t);
    const alike = (b, c) => (sum(b) + k[c] - b[c] > 0 ? b[c] / (sum(b) + k[c] - b[c]) : 0);
    return matching(t.map((b) => [alike(b, 0), alike(b, 1)]));
  },
  f_measure: (t) => {
    const k = totals(t);
    return perBranch(t, (b) => {
      const c = b[0] >= b[1] ? 0 : 1;
      return fMeasure(b[c], b[1 - c], k[c] - b[c]);
    });
  },
  f_measure_max: (t) => {
    const yes = t.filter((b) => b[1] > b[0]);
    const hits = sum(yes.map((b) => b[1]));
    return fMeasure(hits, sum(yes.map((b) => b[0])), totals(t)[1] - hits);
  },
  mdl: (t) => (codeLength(totals(t)) - sum(t.map(codeLength))) / count(t),
  dkm: (t) => dkm(totals(t)) - perBranch(t, (b) => (sum(b) > 0 ? dkm(b) : 0)),
  hellinger: (t) =>
    classes(t, (a, b) => distance(shares(a).map(Math.sqrt), shares(b).map(Math.sqrt)), 0),
  euclid: (t) => branches(t, (a, b) => distance(shares(a), shares(b))),
  angle: (t) => branches(t, (a, b) => 1 - cosine(shares(a), shares(b))),
  orthogonality: (t) => branches(t, (a, b) => 1 - cosine(a, b)),
  class_euclid: (t) => classes(t, (a, b) => distance(shares(a), shares(b)) / Math.SQRT2, 0),
  class_angle: (t) => {
    const unit = (v) => v.map((x) => x / norm(v));
    return classes(t, (a, b) => distance(unit(a), unit(b)) / Math.SQRT2, 0);
  },
  twoing: (t) =>
    branches(t, (a, b) => {
      const apart = sum(shares(a).map((p, c) => Math.abs(p - shares(b)[c])));
      return ((sum(a) * sum(b)) / (sum(a) + sum(b)) ** 2 / 4) * apart ** 2;
    }),
  auc: (t) =>
    classes(
      t,
      (a, b) => {
        let won = 0;
        t.forEach((l) =>
          t.forEach((m) => {
            const order = Math.sign(l[1] * m[0] - m[1] * l[0]);
            won += l[1] * m[0] * (order + 1) * 0.5;
          }),
        );
        return won / (sum(a) * sum(b));
      },
      0.5,
    ),
};

// Where a score lies between a split that tells nothing (0) and one that tells all (1), for the
// same rows of each class and, for the first, the same sizes of branches.
export function standing(name, table) {
  const score = CRITERIA[name];
  const [n, k] = [count(table), totals(table)];
  const nothing = table.map((b) => k.map((t) => (sum(b) * t) / n));
  const all = [
    [k[0], 0],
    [0, k[1]],
  ];
  const [low, high] = [score(nothing), score(all)];
  const place = (score(table) - low) / (high - low);
  return Number.isFinite(place) ? place : 0;
}

export const mean = (y) => sum(y) / y.length;
const isConstant = (y) => y.every((v) => v === y[0]);

function variance(y) {
  const m = mean(y);
  return isConstant(y) ? 0 : mean(y.map((v) => (v - m) ** 2));
}

// The first number up to which the rows reach their share q, or the midpoint of it and the next one
// where they meet it.
export function quantile(y, q) {
  const ordered = [...y].sort((a, b) => a - b);
  const place = Number((q * y.length).toFixed(9));
  const first = ordered[Math.max(0, Math.ceil(place) - 1)];
  return Number.isInteger(place) && place > 0 ? mean([first, ordered[place] ?? first]) : first;
}

function pinball(y, q) {
  const m = quantile(y, q);
  return mean(y.map((v) => Math.max(q * (v - m), (q - 1) * (v - m))));
}

// Half the mean deviance of counts; NaN where a number is negative.
function deviance(y) {
  const m = mean(y);
  return mean(y.map((v) => (v === 0 ? 0 : v * Math.log(v / m)) - v + m));
}

// The impurity of some numbers; `q` is the share of `quantile`.
const IMPURITIES = {
  squared_error: variance,
  absolute_error: (y) => 2 * pinball(y, 0.5),
  quantile: pinball,
  poisson: deviance,
  standard_deviation: (y) => Math.sqrt(variance(y)),
  "standard_deviation, variant weka": (y) => variance(y) ** 0.2,
};

// Branches with which a split is not allowed: what a branch holds, and the rows of the node.
const FORBIDDEN = {
  poisson: (branch) => mean(branch) === 0,
  "standard_deviation, variant weka": (branch, n) => branch.length <= Math.floor(n / 5),
};

const onNumbers = (name) => (table, q) => {
  const [all, impurityOf] = [table.flat(), IMPURITIES[name]];
  if (table.some((branch) => FORBIDDEN[name]?.(branch, all.length))) return -Infinity;
  const after = table.map((branch) => (branch.length / all.length) * impurityOf(branch, q));
  return impurityOf(all, q) - sum(after);
};

export const ON_NUMBERS = Object.fromEntries(
  Object.keys(IMPURITIES).map((name) => [name, onNumbers(name)]),
);

// The share of the node's impurity that a split into branches of numbers removes.
export function removed(name, table, q) {
  const place = ON_NUMBERS[name](table, q) / IMPURITIES[name](table.flat(), q);
  return Number.isFinite(place) ? place : 0;
}
