// A pane shows one tree. Only nodes within the view are in the document, so that thousands stay
// quick; the container has the focus and names the active node.

var FIRST_NODES = 60; // nodes that are open at the start
var paneCount = 0;

/** A pane for a tree; `owner` is told of what happens: {select, view}. */
function Pane(owner, tree) {
  var self = this;
  this.owner = owner;
  this.identity = "fx-pane" + (++paneCount);
  this.canvas = make("div.canvas", { role: "none" });
  this.view = make("div.view", { role: "tree", tabindex: "0" }, this.canvas);
  this.element = make("section.pane", {}, this.view);
  this.view.addEventListener("scroll", function () { self.later(); }, { passive: true });
  this.view.addEventListener("keydown", function (event) { self.key(event); });
  this.canvas.addEventListener("click", function (event) { self.click(event); });
  this.view.addEventListener("focus", function () { owner.focused(self); });
  owner.panes.push(this);
  if (typeof ResizeObserver !== "undefined") {
    new ResizeObserver(function () {
      owner.arrange();
      if (!self.placed && self.view.clientHeight) {
        self.placed = true;
        self.centre(self.active);
      }
    }).observe(this.view);
  }
  this.show(tree);
}

/** Take another tree. */
Pane.prototype.show = function (tree) {
  this.tree = tree;
  this.folded = new Uint8Array(tree.size);
  this.active = 0;
  this.hits = new Set();
  this.way = null;
  this.marks = new Map();
  this.view.setAttribute("aria-label", "Decision tree by " + tree.name);
  this.fold(this.firstDepth());
  this.view.scrollLeft = 0;
};

/** Deepest level at which all of the levels above hold few nodes. */
Pane.prototype.firstDepth = function () {
  var levels = [], sum = 0, depth = 0;
  for (var i = 0; i < this.tree.size; i++)
    levels[this.tree.depth[i]] = (levels[this.tree.depth[i]] || 0) + 1;
  while (depth < levels.length && (sum += levels[depth]) <= FIRST_NODES) depth++;
  return Math.max(depth - 1, 1);
};

/** Close all nodes at a level and below; Infinity opens all. */
Pane.prototype.fold = function (depth) {
  for (var i = 0; i < this.tree.size; i++) {
    this.folded[i] = this.tree.opens(i) && this.tree.depth[i] >= depth ? 1 : 0;
  }
  while (this.isHidden(this.active)) this.active = this.tree.raw.parent[this.active];
  this.owner.arrange();
  this.centre(this.active);
};

/** Bring a node to the middle of the view's height, and draw. */
Pane.prototype.centre = function (node) {
  var box = this.layout.box(this.at(node)), view = this.view;
  view.scrollTop = box.y + box.high / 2 - view.clientHeight / 2;
  this.intoView(node);
  this.draw();
};

Pane.prototype.isHidden = function (node) {
  for (var i = this.tree.raw.parent[node]; i >= 0; i = this.tree.raw.parent[i]) if (this.folded[i])
    return true;
  return false;
};

Pane.prototype.toggle = function (node, open) {
  if (!this.tree.opens(node)) return;
  var place = this.at(node),
    before = place < 0 ? 0 : this.layout.box(place).y - this.view.scrollTop;
  this.folded[node] = (open === undefined ? !this.folded[node] : !open) ? 1 : 0;
  while (this.isHidden(this.active)) this.active = this.tree.raw.parent[this.active];
  this.owner.arrange();
  if (place < 0) return;
  this.view.scrollTop = this.layout.box(this.at(node)).y - before; // the node stays where it was
  this.draw();
};

/** Open the way to nodes. */
Pane.prototype.reveal = function (nodes) {
  var self = this;
  nodes.forEach(function (node) {
    for (var i = self.tree.raw.parent[node]; i >= 0; i = self.tree.raw.parent[i])
      self.folded[i] = 0;
  });
  this.owner.arrange();
};

/** Make a node the active one, seen and told about. */
Pane.prototype.go = function (node, quiet) {
  this.active = node;
  if (this.isHidden(node)) this.reveal([node]);
  this.intoView(node);
  this.draw();
  if (!quiet) this.owner.select(this, node);
};

Pane.prototype.intoView = function (node) {
  var k = this.at(node);
  if (k < 0) return;
  var box = this.layout.box(k), view = this.view, gap = 12;
  if (box.y - gap < view.scrollTop) view.scrollTop = box.y - gap;
  else if (box.y + box.high + gap > view.scrollTop + view.clientHeight) {
    view.scrollTop = box.y + box.high + gap - view.clientHeight;
  }
  if (this.owner.look !== "diagram") return;
  if (box.x - gap < view.scrollLeft) view.scrollLeft = box.x - gap;
  else if (box.x + box.wide + 40 > view.scrollLeft + view.clientWidth) {
    view.scrollLeft = box.x + box.wide + 40 - view.clientWidth;
  }
};

/** Place of a visible node in the list of visible ones, by bisection (they ascend);
 * -1 if hidden. */
Pane.prototype.at = function (node) {
  var low = 0, high = this.nodes.length - 1;
  while (low <= high) {
    var middle = (low + high) >> 1;
    if (this.nodes[middle] === node) return middle;
    if (this.nodes[middle] < node) low = middle + 1;
    else high = middle - 1;
  }
  return -1;
};

/** Lay out anew by a plan, as an outline without one, and draw. */
Pane.prototype.arrange = function (diagram) {
  var room = this.owner.printing ? PAPER.wide : this.view.clientWidth || 600;
  this.layout = diagram ? diagramOf(this.tree, this.nodes, this.folded, diagram)
    : outlineOf(this.tree, this.nodes, room);
  this.canvas.style.height = this.layout.high + "px";
  this.canvas.style.width = diagram ? this.layout.wide + "px" : "100%";
  this.element.classList.toggle("fx-diagram", Boolean(diagram));
  this.element.classList.toggle("fx-long", this.layout.high > PAPER.high);
  this.element.classList.toggle("fx-small",
    !diagram && this.layout.high / Math.max(this.nodes.length, 1) > 40);
  this.draw();
};

Pane.prototype.later = function () {
  var self = this;
  if (this.waiting) return;
  this.waiting = true;
  requestAnimationFrame(function () { self.waiting = false; self.draw(); });
};

/** Draw the nodes within the view, and the active one. */
Pane.prototype.draw = function () {
  var view = this.view, self = this, diagram = this.owner.look === "diagram";
  var top = view.scrollTop - 120, bottom = view.scrollTop + (view.clientHeight || 600) + 120;
  var left = view.scrollLeft - 200, right = view.scrollLeft + (view.clientWidth || 900) + 200;
  if (this.owner.printing) {
    top = left = -Infinity;
    bottom = right = Infinity;
  }
  var shown = this.layout.within(top, bottom, left, right), active = this.at(this.active);
  if (active >= 0 && shown.indexOf(active) < 0) shown.push(active);
  var pieces = [];
  if (diagram) pieces.push(this.edges(top, bottom, left, right));
  shown.forEach(function (k) {
    var box = self.layout.box(k);
    var item = diagram ? self.card(self.nodes[k]) : self.line(self.nodes[k]);
    var scale = self.layout.scale || 1;
    item.style.left = box.x + "px";
    item.style.top = box.y + "px";
    if (scale < 1) item.style.transform = "scale(" + scale + ")"; // without it, pages cut no text
    item.style.height = box.high / scale + "px";
    if (diagram) item.style.width = box.wide / scale + "px";
    pieces.push(item);
  });
  this.canvas.replaceChildren.apply(this.canvas, pieces);
  view.setAttribute("aria-activedescendant", this.identity + "-" + this.active);
};

/** Classes and accessible state that line and card share. */
Pane.prototype.item = function (node) {
  var tree = this.tree, opens = tree.opens(node), parent = tree.raw.parent[node];
  var siblings = parent < 0 ? 1 : tree.children[parent].length;
  var item = make("div.item", {
    role: "treeitem",
    id: this.identity + "-" + node,
    "aria-level": tree.depth[node] + 1,
    "aria-posinset": tree.place[node] + 1,
    "aria-setsize": siblings,
    "aria-selected": node === this.active ? "true" : "false",
    "aria-expanded": opens ? (this.folded[node] ? "false" : "true") : null,
    "aria-label": this.spoken(node),
    "data-node": node
  });
  if (node === this.active) item.classList.add("fx-active");
  if (this.hits.has(node)) item.classList.add("fx-hit");
  if (this.way && this.way.has(node)) item.classList.add("fx-way");
  if (tree.isLeaf(node)) item.classList.add("fx-leaf");
  return item;
};

Pane.prototype.spoken = function (node) {
  var tree = this.tree, said = [];
  if (node) said.push(tree.condition(node));
  said.push(tree.isLeaf(node) ? "predicts " + tree.title(node) : "asks " + tree.title(node));
  said.push(rows(tree.raw.weight[node]));
  if (this.marks.has(node)) said.push(this.marks.get(node));
  if (this.way && this.way.has(node)) said.push("on the row's way");
  return said.join(", ");
};

Pane.prototype.badges = function (node) {
  var found = [];
  var text = this.marks.get(node);
  if (text) found.push(make("span.badge", { title: text },
    text.indexOf("first") ? "≠" : "≠ first"));
  return found;
};

Pane.prototype.twisty = function (node) {
  var tree = this.tree, hidden = tree.hidden(node);
  if (!tree.opens(node)) {
    return make("span.twisty.blank",
      { "aria-hidden": "true",
      title: hidden ? hidden + " nodes below are not on this page" : null }, hidden ? "…" : "");
  }
  var closed = this.folded[node];
  return make("span.twisty",
    { "aria-hidden": "true", "data-fold": node, title: closed ? "unfold" : "fold" },
    closed ? "▸" : "▾");
};

/** A line of the outline. */
Pane.prototype.line = function (node) {
  var tree = this.tree, item = this.item(node), weight = tree.raw.weight[node];
  var words = make("span.words");
  if (node) words.append(make("span.condition", {}, nameOf(tree.condition(node))));
  if (tree.isLeaf(node)) {
    if (node) words.append(make("span.arrow", { "aria-hidden": "true" }, "→"));
    words.append(make("span.said", {}, swatch(tree.raw.label[node]),
      make("bdi", {}, tree.title(node))));
  } else if (!node) {
    words.append(make("span.condition", {}, "all rows"));
  }
  var more = this.folded[node] ? tree.end[node] - node - 1 + tree.hidden(node) : tree.hidden(node);
  if (more) words.append(make("span.more", {}, "+" + more));
  item.style.setProperty("--fx-depth", Math.min(tree.depth[node], 24));
  item.append(this.twisty(node), words);
  this.badges(node).forEach(function (one) { item.append(one); });
  item.append(shares(tree.counts(node), weight), make("span.rows", {}, amount(weight)));
  return item;
};

/** A card of the diagram. */
Pane.prototype.card = function (node) {
  var tree = this.tree, item = this.item(node), weight = tree.raw.weight[node];
  item.append(make("span.condition", {},
    nameOf(tree.heading(node, this.layout.stairs)),
    make("span.rows", {}, amount(weight))));
  var title = make("span.said", {});
  if (tree.isLeaf(node)) title.append(swatch(tree.raw.label[node]));
  title.append(nameOf(tree.title(node)));
  if (tree.spread(node)) title.append(make("span.rows", {}, tree.spread(node)));
  item.append(title, shares(tree.counts(node), weight));
  this.badges(node).forEach(function (one) { item.append(one); });
  if (tree.opens(node)) {
    var more = tree.end[node] - node - 1;
    item.append(make("span.handle",
      { "aria-hidden": "true", "data-fold": node, title: this.folded[node] ? "unfold" : "fold" },
      this.folded[node] ? "+" + (more > 999 ? "…" : more) : "−"));
  } else if (tree.hidden(node)) {
    item.append(make("span.handle.blank",
      { "aria-hidden": "true", title: tree.hidden(node) + " nodes below are not on this page" },
      "…"));
  }
  return item;
};

/** Branches between cards, those that meet the view. */
Pane.prototype.edges = function (top, bottom, left, right) {
  var self = this, layout = this.layout, tree = this.tree, plain = [], way = [];
  this.nodes.forEach(function (node, k) {
    if (!node) return;
    var parent = tree.raw.parent[node], from = layout.box(layout.at.get(parent)),
      to = layout.box(k);
    if (Math.max(from.y, to.y) + to.high < top || Math.min(from.y, to.y) > bottom) return;
    if (to.x < left || from.x > right) return;
    var x = from.x + from.wide, y = from.y + from.high / 2, v = to.y + to.high / 2,
      h = (to.x - x) / 2;
    var line = layout.stairs
      ? "M" + (from.x + to.x) / 2 + " " + (from.y + from.high) + "V" + v + "H" + to.x
      : "M" + x + " " + y + "C" + (x + h) + " " + y + " " + (to.x - h) + " " + v + " "
        + to.x + " " + v;
    (self.way && self.way.has(node) ? way : plain).push(line);
  });
  return draw("svg.edges", { width: layout.wide, height: layout.high, "aria-hidden": "true" },
    draw("path", { d: plain.join("") }), draw("path.way", { d: way.join("") }));
};

Pane.prototype.click = function (event) {
  var fold = event.target.closest("[data-fold]"), item = event.target.closest("[data-node]");
  if (fold) this.toggle(Number(fold.getAttribute("data-fold")));
  else if (item) this.go(Number(item.getAttribute("data-node")));
};

/** Keys of a tree, as the ARIA practices name them. */
Pane.prototype.key = function (event) {
  var tree = this.tree, node = this.active, k = this.at(node), to = null;
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.key === "ArrowDown") to = this.nodes[k + 1];
  else if (event.key === "ArrowUp") to = this.nodes[k - 1];
  else if (event.key === "Home") to = 0;
  else if (event.key === "End") to = this.nodes[this.nodes.length - 1];
  else if (event.key === "PageDown") to = this.nodes[Math.min(k + 12, this.nodes.length - 1)];
  else if (event.key === "PageUp") to = this.nodes[Math.max(k - 12, 0)];
  else if (event.key === "ArrowRight") {
    if (tree.opens(node) && this.folded[node]) this.toggle(node, true);
    else if (tree.opens(node)) to = tree.children[node][0];
  } else if (event.key === "ArrowLeft") {
    if (tree.opens(node) && !this.folded[node]) this.toggle(node, false);
    else if (node) to = tree.raw.parent[node];
  } else if (event.key === "Enter" || event.key === " ") {
    this.toggle(node);
    this.owner.select(this, node);
  } else if (event.key === "*") {
    var self = this;
    (node ? tree.children[tree.raw.parent[node]] : [0]).forEach(function (one) {
      self.folded[one] = 0;
    });
    this.owner.arrange();
  } else return;
  event.preventDefault();
  if (to !== null && to !== undefined) this.go(to);
};
