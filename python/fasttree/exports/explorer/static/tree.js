// A tree of the page's data: its structure, what a search finds, the way of a row, and where two
// trees part.

/** The tree of a document with the document's features and classes. */
function Tree(raw, data) {
  var n = raw.parent.length;
  this.raw = raw;
  this.data = data;
  this.size = n;
  this.name = raw.name;
  this.children = [];
  this.depth = new Int32Array(n);
  this.place = new Int32Array(n); // which branch of its parent a node is
  this.end = new Int32Array(n); // one past the last node below
  for (var i = 0; i < n; i++) this.children.push([]);
  for (i = 1; i < n; i++) {
    var parent = raw.parent[i];
    this.depth[i] = this.depth[parent] + 1;
    this.place[i] = this.children[parent].length;
    this.children[parent].push(i);
  }
  for (i = n - 1; i >= 0; i--) {
    var kids = this.children[i];
    this.end[i] = kids.length ? this.end[kids[kids.length - 1]] : i + 1;
  }
}

/** Number of a node in the model. */
Tree.prototype.id = function (i) { return this.raw.id ? this.raw.id[i] : i; };

Tree.prototype.isLeaf = function (i) { return this.raw.feature[i] < 0; };

/** Whether a node can be unfolded: its branches are on the page. */
Tree.prototype.opens = function (i) { return this.children[i].length > 0; };

/** Nodes of the model below a node that the page does not keep. */
Tree.prototype.hidden = function (i) { return this.raw.hidden[i] || 0; };

Tree.prototype.featureName = function (i) { return this.data.features[this.raw.feature[i]].name; };

Tree.prototype.className = function (code) {
  return code < 0 ? "no class" : this.data.classes[code];
};

/** The condition that leads to a node, in words; empty for the root. */
Tree.prototype.condition = function (i) {
  return i === 0 ? "" : this.featureName(this.raw.parent[i]) + " " + this.raw.words[i];
};

/** What stands above the title of a card: the condition, with its feature where it is `whole`. */
Tree.prototype.heading = function (i, whole) {
  return !i ? "all rows" : whole ? this.condition(i) : this.raw.words[i];
};

/** The standard deviation of the numbers of a leaf, after its prediction; empty without one. */
Tree.prototype.spread = function (i) {
  var spread = this.isLeaf(i) && this.data.number && this.raw.deviation[i];
  return spread ? " ± " + said(spread, 3) : "";
};

/** What a node asks or says. */
Tree.prototype.title = function (i) {
  if (!this.isLeaf(i)) return this.featureName(i);
  return this.data.number ? said(this.raw.value[i]) : this.className(this.raw.label[i]);
};

/** What a node asks, with its branches, or predicts. */
Tree.prototype.asks = function (i) {
  var words = this.raw.words, kids = this.children[i];
  if (this.isLeaf(i)) return "predicts " + this.title(i);
  return "asks " + this.featureName(i) + (kids.length ? ": " : "")
    + kids.map(function (c) { return words[c]; }).join("; ");
};

/** What the way of a row ends with, in words. */
Tree.prototype.answer = function (found) {
  return this.data.number ? said(found.number) : this.className(found.label);
};

/** The part of the scale in which a number lies: parts of numbers stand where classes have
 * codes. */
function partOf(value, data) {
  return data.number.edges.filter(function (edge) { return value >= edge; }).length;
}

/** [class code, weight] of a node, in the order of classes. */
Tree.prototype.counts = function (i) {
  var flat = this.raw.counts[i], found = [];
  for (var k = 0; k < flat.length; k += 2) found.push([flat[k], flat[k + 1]]);
  return found.sort(function (a, b) { return (a[0] < 0) - (b[0] < 0) || a[0] - b[0]; });
};

/** [class code, probability] of a leaf, largest first. */
Tree.prototype.chances = function (i) {
  var own = this.raw.chance[i], found = [], k;
  if (own) {
    for (k = 0; k < own.length; k += 2) found.push([own[k], own[k + 1]]);
    return found;
  }
  var flat = this.raw.counts[i], total = 0;
  for (k = 1; k < flat.length; k += 2) total += flat[k];
  for (k = 0; k < flat.length; k += 2) found.push([flat[k], flat[k + 1] / (total || 1)]);
  return found;
};

/** Nodes from the root to a node. */
Tree.prototype.path = function (i) {
  var found = [];
  for (; i >= 0; i = this.raw.parent[i]) found.push(i);
  return found.reverse();
};

/** Nodes that are seen when the nodes of `folded` are closed, in order. */
Tree.prototype.visible = function (folded) {
  var found = [];
  for (var i = 0; i < this.size;) {
    found.push(i);
    i = folded[i] ? this.end[i] : i + 1;
  }
  return found;
};

/** Nodes whose feature, condition or answer holds a text; all of them where the text is empty. */
Tree.prototype.search = function (text) {
  var wanted = text.trim().toLowerCase(), found = [];
  if (!wanted) return found;
  if (!this.texts) {
    this.texts = [];
    for (var i = 0; i < this.size; i++) {
      this.texts.push((this.title(i) + "\n" + this.raw.words[i]).toLowerCase());
    }
  }
  for (var j = 0; j < this.size; j++) if (this.texts[j].indexOf(wanted) >= 0) found.push(j);
  return found;
};

/** Share of a row that goes down a branch: `value` is a number, a code, or null where it is
 * missing. */
function shareOf(part, value, levels) {
  var missing = part[part.length - 1];
  if (value === null) return missing;
  if (part.length === 3) {
    return (part[0] === null || value > part[0]) && (part[1] === null || value <= part[1]) ? 1 : 0;
  }
  return part[0].indexOf(value) >= 0 ? 1 : 0;
}

/** The way of a row through the tree.
 *
 * `values` holds a value for each feature of the page. Gives the nodes that it passes with the
 * share of it that comes there, the ends, the class probabilities, largest first, and the class or
 * the number. */
Tree.prototype.follow = function (values) {
  var share = new Map([[0, 1]]), ends = [], sums = new Map(), open = false, stack = [0];
  while (stack.length) {
    var node = stack.pop(), kids = this.children[node];
    if (!kids.length) {
      ends.push(node);
      if (!this.isLeaf(node)) open = true;
      this.chances(node).forEach(function (one) {
        sums.set(one[0], (sums.get(one[0]) || 0) + one[1] * share.get(node));
      });
      continue;
    }
    var f = this.raw.feature[node], value = values[f], fill = this.data.features[f].fill;
    if (value === null && fill !== undefined) value = fill;
    for (var k = kids.length - 1; k >= 0; k--) {
      var part = shareOf(this.raw.part[kids[k]], value);
      if (part > 0) {
        share.set(kids[k], part * share.get(node));
        stack.push(kids[k]);
      }
    }
  }
  var chances = Array.from(sums).sort(function (a, b) { return b[1] - a[1] || a[0] - b[0]; });
  var label = ends.length === 1 ? this.raw.label[ends[0]] : chances.length ? chances[0][0] : -1;
  var found = { share: share, ends: ends, chances: chances, label: label, open: open };
  if (this.data.number) {
    var value = this.raw.value;
    found.number = ends.reduce(function (sum, end) { return sum + share.get(end) * value[end]; },
      0);
    found.label = partOf(found.number, this.data);
  }
  return found;
};

/** The branch conditions of a node as one text, by which two trees are compared. */
Tree.prototype.question = function (i) {
  if (this.isLeaf(i)) return null;
  var words = this.raw.words;
  return this.raw.feature[i] + "\n"
    + this.children[i].map(function (c) { return words[c]; }).join("\n");
};

/** The first pair of nodes, level by level, at which two trees split differently; null where they
 * do not. Questions are equal when feature and branches are. */
function firstDifference(a, b) {
  var queue = [[0, 0]];
  for (var k = 0; k < queue.length; k++) {
    var i = queue[k][0], j = queue[k][1];
    if (a.question(i) !== b.question(j)) return [i, j];
    for (var c = 0; c < a.children[i].length; c++) queue.push([a.children[i][c], b.children[j][c]]);
  }
  return null;
}

/** Nodes of a tree whose best candidates by two criteria differ, level by level. */
Tree.prototype.disagreements = function (a, b) {
  var own = this.raw.candidates, depth = this.depth;
  return Object.keys(own).map(Number).filter(function (i) {
    var best = own[i].best;
    return best[a] >= 0 && best[b] >= 0 && best[a] !== best[b];
  }).sort(function (i, j) { return depth[i] - depth[j] || i - j; });
};
