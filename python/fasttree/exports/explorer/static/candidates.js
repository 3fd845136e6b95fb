// Every candidate of a node under every criterion: bars of two criteria for the best candidate of
// each feature, and a strip of bars for each criterion.

var FEW = 12; // features in the list before "all" is asked for

/** Share (0 to 1) of a score among the scores of a criterion: from 0 where scores start there, else
 * from the smallest. */
function scaleOf(scores, zero) {
  var known = scores.filter(function (s) { return s !== null; });
  var high = Math.max.apply(null, known), low = Math.min.apply(null, known);
  if (zero && low >= 0) low = 0;
  return function (s) {
    return s === null || !known.length ? 0 : high > low ? (s - low) / (high - low) : 1;
  };
}

function candidateWords(own, k, data) {
  var name = data.features[own.feature[k]].name;
  return name + (/^[^,]/.test(own.words[k]) ? " " : "") + own.words[k];
}

/** A choice of criterion. */
function chooser(label, data, value, changed) {
  var select = make("select",
    { "aria-label": label, onchange: function () { changed(Number(select.value)); } },
    data.criteria.map(function (one, c) {
      return make("option", { value: c, selected: c === value }, one.name);
    }));
  return make("label.chooser", {}, make("span", {}, label), select);
}

/** The candidates of a node. `state` holds {a, b, all} of the explorer; `changed` is called
 * when one of them is. */
function candidatesOf(tree, node, state, changed, go) {
  var data = tree.data, own = tree.raw.candidates[node];
  var box = make("section.candidates", { "aria-label": "Candidates" },
    make("h3", {}, "Candidate splits"));
  if (!data.criteria.length) {
    box.append(make("p.note", {},
      "The page was made without rows: give them, model.explore(X, y), "
      + "to see every candidate of a node."));
    return box;
  }
  if (!own) {
    box.append(make("p.note", {},
      tree.isLeaf(node) ? "A leaf: nothing is split here."
      : "Candidates of this node are not on this page (candidate_nodes)."));
    return box;
  }
  var two = data.criteria.length > 1;
  var heads = make("div.choosers", {},
    chooser(two ? "Criterion A" : "Criterion", data, state.a, function (c) {
      state.a = c;
      changed();
    }));
  if (two) heads.append(chooser("Criterion B", data, state.b, function (c) {
    state.b = c;
    changed();
  }));
  box.append(heads);
  if (two) box.append(verdict(tree, node, own, state, go));
  box.append(bars(own, data, state, two, changed));
  if (own.of > own.feature.length) {
    box.append(make("p.note.screen", {},
      "The best " + own.feature.length + " of " + own.of + " candidates are on this page."));
  }
  if (own.missing) box.append(make("p.note", {}, own.missing));
  if (two) box.append(strips(own, data, state, changed));
  return box;
}

/** Whether the two criteria agree here, and where they first do not. */
function verdict(tree, node, own, state, go) {
  var data = tree.data, a = own.best[state.a], b = own.best[state.b];
  var text = make("p.verdict");
  if (state.a === state.b) text.append("Choose two criteria to compare them.");
  else if (a === b) text.append("Both choose ", make("b", {}, candidateWords(own, a, data)), ".");
  else text.append(make("span.badge", {}, "≠"), " They disagree here.");
  if (own.chosen >= 0 && own.chosen !== a && own.chosen !== b)
    text.append(" The tree asks ", make("b", {}, candidateWords(own, own.chosen, data)), ".");
  if (state.a === state.b) return text;
  var differ = tree.disagreements(state.a, state.b),
    whole = Object.keys(tree.raw.candidates).length;
  if (!differ.length)
    text.append(whole > 1 ? " They agree in all " + whole + " nodes listed."
    : " They agree in the node listed.");
  else {
    text.append(" They differ in " + differ.length + " of " + whole + " nodes listed");
    text.append(differ[0] === node ? "; this is the first."
      : make("span.screen", {}, "; ",
        make("button.link", { type: "button", onclick: function () { go(differ[0]); } },
          "go to the first, node " + tree.id(differ[0]))));
  }
  return text;
}

/** Bars of the best candidate of each feature by the two criteria. */
function bars(own, data, state, two, changed) {
  var a = own.scores[state.a], b = own.scores[state.b];
  var order = own.feature.map(function (_, k) { return k; });
  var shareA = scaleOf(a, data.criteria[state.a].zero),
    shareB = two ? scaleOf(b, data.criteria[state.b].zero) : null;
  function value(scores, k) { return scores[k] === null ? -Infinity : scores[k]; }
  order.sort(function (i, j) {
    return value(a, j) - value(a, i)
      || (i === own.best[state.a] ? -1 : j === own.best[state.a] ? 1 : i - j);
  });
  var seen = [], marked = [own.chosen, own.best[state.a], two ? own.best[state.b] : -1];
  // The best of each feature, and what is marked.
  var shown = state.all ? order : order.filter(function (k) {
    var f = own.feature[k], few = seen.indexOf(f) < 0 && seen.length < FEW;
    if (few) seen.push(f);
    return few || marked.indexOf(k) >= 0;
  });
  var list = make("ol.bars",
    { "aria-label": "Candidates, best first by " + data.criteria[state.a].name });
  shown.forEach(function (k) {
    var tags = [];
    if (k === own.chosen) tags.push(make("span.tag.chosen", {}, "in the tree"));
    if (k === own.best[state.a])
      tags.push(make("span.tag.a", {}, "best by " + data.criteria[state.a].name));
    if (two && state.b !== state.a && k === own.best[state.b])
      tags.push(make("span.tag.b", {}, "best by " + data.criteria[state.b].name));
    if (own.tests && own.tests[k]) tags.push(make("span.note", {}, own.tests[k]));
    var item = make("li", {},
      make("div.cand", {}, make("bdi", {}, candidateWords(own, k, data)), tags));
    item.append(bar("a", shareA(a[k]), a[k], data.criteria[state.a].name));
    if (two && state.b !== state.a)
      item.append(bar("b", shareB(b[k]), b[k], data.criteria[state.b].name));
    list.append(item);
  });
  var box = make("div", {}, list);
  if (state.all || shown.length < order.length) {
    box.append(make("button.small",
      { type: "button", onclick: function () { state.all = !state.all; changed(); } },
      state.all ? "show the best of each feature" : "show all " + order.length));
  }
  return box;
}

function bar(which, share, score, name) {
  var piece = make("span.fill." + which);
  piece.style.width = (100 * share).toFixed(1) + "%";
  return make("div.barline", { title: name }, make("span.track", { "aria-hidden": "true" }, piece),
    make("span.value", {}, make("span.hide", {}, name + " "), said(score)));
}

/** A strip of bars for every criterion: one bar a candidate, in the order of features and
 * thresholds, the best one marked. */
function strips(own, data, state, changed) {
  var box = make("details.strips", { open: true }, make("summary", {}, "Under every criterion"));
  box.append(make("p.note", {},
    "One bar per candidate, in the order of features and thresholds (shaded by feature). "
    + "The best one is marked, and “≠” where it is not "
    + (own.chosen >= 0 ? "the split of the tree." : "the best by criterion A."),
    make("span.screen", {}, " Press a line to compare it as criterion B.")));
  var inTree = own.chosen >= 0, compared = inTree ? own.chosen : own.best[state.a];
  var n = own.feature.length, wide = 150, high = 26, step = wide / n;
  var list = make("div.striplist");
  data.criteria.forEach(function (criterion, c) {
    var share = scaleOf(own.scores[c], criterion.zero), best = own.best[c], odd = 0,
      plain = ["", ""];
    for (var k = 0; k < n; k++) {
      if (k && own.feature[k] !== own.feature[k - 1]) odd = 1 - odd;
      var tall = Math.max(share(own.scores[c][k]) * (high - 2), 0.6);
      plain[odd] += "M" + (k * step).toFixed(2) + " " + high + "h"
        + Math.max(step * 0.86, 0.4).toFixed(2) + "v-" + tall.toFixed(1) + "h-"
        + Math.max(step * 0.86, 0.4).toFixed(2) + "z";
    }
    var picture = draw("svg.strip",
      { viewBox: "0 0 " + wide + " " + high, preserveAspectRatio: "none", "aria-hidden": "true" },
      draw("path.even", { d: plain[0] }), draw("path.odd", { d: plain[1] }));
    if (best >= 0) {
      picture.append(draw("rect.best",
        { x: Math.max(best * step - 0.6, 0), y: 0, width: Math.max(step, 1.8), height: high }));
    }
    var words = best < 0 ? "–" : candidateWords(own, best, data);
    var same = best >= 0 && best === compared;
    list.append(make("button.stripline" + (c === state.a ? ".isa" : c === state.b ? ".isb" : ""), {
      type: "button",
      title: criterion.name + ": " + words,
      "aria-pressed": c === state.b ? "true" : "false",
      "aria-label": criterion.name + ": best is " + words
        + (same ? "" : ", another than " + (inTree ? "in the tree"
          : "by " + data.criteria[state.a].name)),
      onclick: function () { state.b = c; changed(); }
    }, make("span.crit", {}, criterion.name), picture,
      make("span.bestword" + (same ? "" : ".other"), {}, (same ? "" : "≠ ") + words)));
  });
  box.append(list);
  return box;
}
