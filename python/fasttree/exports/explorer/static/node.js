// What is told of one node: its way, its classes or number, the histogram of its feature, its
// candidates.

var MOST_BRANCHES = 40; // branches in a list

/** The panel of a node; `mark` says how the tree beside it differs here, if it does. */
function nodePanel(tree, node, state, changed, go, mark) {
  var data = tree.data, box = document.createDocumentFragment();
  var kind = tree.isLeaf(node) ? "Leaf " : "Node ";
  var of = data.trees.length > 1 ? [" of ", make("bdi", {}, tree.name)] : [];
  box.append(make("h2", {}, kind + tree.id(node), of, ": ",
    make("bdi", {}, tree.isLeaf(node) ? tree.title(node) : tree.title(node) + "?")));
  box.append(wayTo(tree, node, go));
  if (mark) box.append(make("p.note", {}, make("span.badge", {}, "≠"), " " + mark + "."));
  if (data.number) box.append(numberOf(tree, node));
  else box.append(classTable(tree, node));
  (tree.raw.notes[node] || []).forEach(function (one) {
    box.append(make("p.note", {}, one));
  });
  if (!tree.isLeaf(node)) {
    box.append(make("h3", {}, "Rows by ", make("bdi", {}, tree.featureName(node))));
    var own = tree.raw.histograms[node];
    if (own) {
      box.append(make("figure", {}, histogram(own, data.features[tree.raw.feature[node]], data),
        data.number ? "" : legend(data, 12)));
    } else {
      box.append(branchTable(tree, node));
    }
    var score = tree.raw.score[node];
    if (score !== null)
      box.append(make("p.note", {},
      "Score of the split when the tree was grown: " + said(score) + "."
      + (own && (own.cuts || []).length ? " Dashed lines are cuts." : "")
      + (own && (own.missing || []).some(Number) ? " “?” are missing values." : "")));
    if (tree.hidden(node))
      box.append(make("p.note", {},
      tree.hidden(node) + " nodes below are not on this page (max_nodes)."));
    box.append(candidatesOf(tree, node, state, changed, go));
  }
  return box;
}

/** The conditions from the root to a node, each a button that goes there. */
function wayTo(tree, node, go) {
  var path = tree.path(node);
  if (path.length < 2) return make("p.note", {}, "The root: all rows.");
  var list = make("ol.path", { "aria-label": "Conditions from the root" });
  path.slice(1).forEach(function (one) {
    list.append(make("li", {},
      make("button.link", { type: "button", onclick: function () { go(one); } },
      make("bdi", {}, tree.condition(one)))));
  });
  return list;
}

/** The number that a node predicts, and how those of its rows lie around it. */
function numberOf(tree, node) {
  var raw = tree.raw, data = tree.data, own = raw.spreads[node];
  var box = make("div", {}, make("dl.facts", {}, [
    [tree.isLeaf(node) ? "predicts" : "would predict", said(raw.value[node])],
    ["rows", amount(raw.weight[node])],
    ["impurity", said(raw.impurity[node])],
    ["standard deviation", said(raw.deviation[node])]
  ].map(function (one) {
    return make("div", {}, make("dt", {}, one[0]), make("dd", {}, one[1]));
  })));
  if (!own) return filled(box, {}, [legend(data, 12)]);
  var low = own.range[0], step = (own.range[1] - low) / own.bars.length;
  var parts = data.classes.map(function (_, code) { return code; });
  var counts = parts.map(function (code) {
    return own.bars.map(function (v, k) {
      return partOf(low + (k + 0.5) * step, data) === code ? v : 0;
    });
  });
  box.append(make("h3", {}, "Rows by ", make("bdi", {}, data.target)),
    make("figure", {}, histogram(
      { classes: parts, counts: counts, range: own.range, cuts: [raw.value[node]] },
      { name: data.target }, data), legend(data, 12)),
    make("p.note", {}, "The dashed line is the prediction. Smallest " + said(own.box[0])
      + ", quartiles " + own.box.slice(1, 4).map(function (v) { return said(v); }).join(", ")
      + ", largest " + said(own.box[4]) + "."));
  return box;
}

function classTable(tree, node) {
  var total = tree.raw.weight[node], body = make("tbody");
  tree.counts(node).slice().sort(function (a, b) { return b[1] - a[1]; }).forEach(function (one) {
    var share = total > 0 ? one[1] / total : 0, fill = make("span.fill");
    fill.style.width = (100 * share).toFixed(1) + "%";
    fill.style.background = shade(one[0]);
    body.append(make("tr", {},
      make("th", { scope: "row" }, swatch(one[0]),
      make("bdi", {}, one[0] < 0 ? "other classes" : tree.className(one[0]))),
      make("td.barcell", { "aria-hidden": "true" }, make("span.track", {}, fill)),
        make("td", {}, amount(one[1])), make("td", {}, percent(share))));
  });
  return make("table.classes", {}, make("caption", {}, rows(total)),
    make("thead.hide", {},
      make("tr", {}, make("th", { scope: "col" }, "class"), make("th", { scope: "col" }, "share"),
      make("th", { scope: "col" }, "rows"), make("th", { scope: "col" }, "share"))), body);
}

/** Without rows: what the branches hold, which the tree itself knows. */
function branchTable(tree, node) {
  var box = make("div.branches"), kids = tree.children[node];
  kids.slice(0, MOST_BRANCHES).forEach(function (child) {
    box.append(make("div.branch", {}, make("bdi", {}, tree.raw.words[child]),
      shares(tree.counts(child), tree.raw.weight[child]),
      make("span.rows", {}, amount(tree.raw.weight[child]))));
  });
  if (kids.length > MOST_BRANCHES)
    box.append(make("p.note", {}, "… " + (kids.length - MOST_BRANCHES) + " more"));
  return box;
}
