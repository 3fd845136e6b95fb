// The explorer: toolbar, one or two panes, and a panel; it starts for every element that names its
// data.

/** An explorer in an element. */
function Explorer(root, data) {
  var self = this;
  this.root = root;
  this.data = data;
  this.trees = data.trees.map(function (raw) { return new Tree(raw, data); });
  this.look = "diagram";
  this.state = { a: 0, b: this.second(), all: false };
  this.tab = "node";
  this.panes = [];
  this.rowPanel = new RowPanel(data, function (values) { self.followed(values); });
  this.rowPanel.trees = this.trees;
  this.rowPanel.error = function (k) {
    var found = self.panes[0].tree.follow(self.rowPanel.of(k)), truth = data.rows.label[k];
    return data.number ? Math.abs(found.number - truth) : Number(found.label !== truth);
  };
  root.classList.toggle("fx-number", Boolean(data.number));
  this.header();
  this.body = make("div.body");
  this.stage = make("div.stage");
  this.panel = make("aside.panel", { "aria-label": "Details", tabindex: "-1" });
  this.unseen = make("p.note.paper");
  this.body.append(this.stage, this.unseen, this.panel);
  this.status = make("p.status.hide", { "aria-live": "polite" });
  root.append(this.body, this.footer(), this.status);
  this.addPane(0);
  if (this.trees.length > 1 && !data.forest && !data.roots) this.addPane(1);
  root.addEventListener("keydown", function (event) { self.key(event); });
  // The view follows the width, which is 0 until the element is shown, until the reader chooses.
  new ResizeObserver(function () {
    var look = root.clientWidth >= 700 ? "diagram" : "outline";
    if (root.clientWidth && !self.chosen && look !== self.look) self.setLook(look);
  }).observe(root);
  addEventListener("beforeprint", function () { self.print(true); });
  addEventListener("afterprint", function () { self.print(false); });
  this.differ();
  this.select(this.panes[0], 0);
  if (data.roots) {
    this.list = rootList(this.trees, data.roots, function (t) { self.showRoot(t); });
    this.tab = "roots";
    this.showPanel();
  }
}

/** The criterion that is compared with the tree's own: gini or info_gain, where they are listed. */
Explorer.prototype.second = function () {
  var names = this.data.criteria.map(function (one) { return one.name; });
  if (this.data.trees.length > 1 && !this.data.forest) {
    var beside = names.indexOf(this.data.trees[1].name);
    if (beside > 0) return beside;
  }
  var place = names.indexOf(names[0] === "gini" ? "info_gain" : "gini");
  return place > 0 ? place : Math.min(1, names.length - 1);
};

Explorer.prototype.header = function () {
  var self = this, data = this.data, page = this.root.hasAttribute("data-fx-page");
  var what = "Find a feature or " + (data.number ? "number" : "class");
  this.find = make("input",
    { type: "search", placeholder: what + " ( / )",
    "aria-label": what, list: this.listId(),
    oninput: function () {
      self.search();
    }, onkeydown: function (event) { self.findKey(event); } });
  this.found = make("span.found", { "aria-live": "polite" });
  var names = make("datalist", { id: this.listId() });
  data.features.slice(0, 500).forEach(function (one) {
    names.append(make("option", { value: one.name }));
  });
  this.looks = make("span.group", { role: "group", "aria-label": "View" });
  ["diagram", "outline"].forEach(function (look) {
    self.looks.append(make("button",
      { type: "button", "data-look": look, onclick: function () {
        self.chosen = true;
        self.setLook(look);
      } },
      look === "diagram" ? "Diagram" : "Outline"));
  });
  this.beside = make("button",
    { type: "button", "aria-pressed": "false", onclick: function () { self.togglePane(); } },
    "Side by side");
  var bar = make("div.toolbar", {}, make("span.finder", {}, this.find, names, this.found),
    this.looks,
    make("span.group", { role: "group", "aria-label": "Fold" },
      make("button",
        { type: "button", onclick: function () { self.each(function (p) { p.fold(1); }); } },
        "Fold all"),
      make("button",
        { type: "button", onclick: function () { self.each(function (p) { p.fold(Infinity); }); } },
        "Unfold all")));
  if (this.trees.length > 1) bar.append(this.beside);
  this.difference = make("button.difference",
    { type: "button", hidden: true, onclick: function () { self.goToDifference(); } });
  bar.append(this.difference);
  var head = make("header.head");
  if (page) head.append(make("h1", {}, make("bdi", {}, data.title)), this.themeButton());
  this.root.append(head, bar);
};

Explorer.prototype.listId = function () {
  if (!this.ownList) this.ownList = "fx-list" + (++paneCount);
  return this.ownList;
};

/** Light or dark: the system's choice until the button is pressed. */
Explorer.prototype.themeButton = function () {
  var html = document.documentElement;
  try {
    var kept = localStorage.getItem("fasttree-theme");
    if (kept === "dark" || kept === "light") html.setAttribute("data-theme", kept);
  } catch (error) { /* files and frames may have no storage */ }
  function dark() {
    var chosen = html.getAttribute("data-theme");
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  var button = make("button.theme", { type: "button", onclick: function () {
    html.setAttribute("data-theme", dark() ? "light" : "dark");
    try {
      localStorage.setItem("fasttree-theme", html.getAttribute("data-theme"));
    } catch (error) { /* as above */ }
    button.textContent = dark() ? "Light" : "Dark";
  } }, dark() ? "Light" : "Dark");
  return button;
};

Explorer.prototype.footer = function () {
  var kept = this.data.kept, foot = make("footer.foot", {});
  if (kept.length) foot.append(make("span", {}, "On this page: " + kept.join("; ") + ". "));
  foot.append(make("span.keys", {}, make("kbd", {}, "↑↓←→"), " move and fold, ",
    make("kbd", {}, "Enter"), " fold, ", make("kbd", {}, "/"), " find, ", make("kbd", {}, "Esc"),
    " back to the tree"));
  return foot;
};

Explorer.prototype.each = function (action) { this.panes.forEach(action); };

Explorer.prototype.addPane = function (place) {
  var self = this, pane = new Pane(this, this.trees[place]), head = make("div.panehead");
  var note = make("span.note");
  pane.told = function () {
    var raw = pane.tree.raw;
    note.textContent = raw.leaves + (raw.leaves === 1 ? " leaf, " : " leaves, ") + raw.nodes
      + (raw.nodes === 1 ? " node, depth " : " nodes, depth ") + raw.depth;
  };
  pane.told();
  if (this.trees.length > 1) {
    var select = make("select",
      { "aria-label": "Tree", onchange: function () { change(Number(select.value)); } },
      this.trees.map(function (tree, t) {
        return make("option", { value: t, selected: t === place }, tree.name);
      }));
    var change = function (t) {
      select.value = String(t);
      pane.show(self.trees[t]);
      pane.told();
      self.differ();
      self.search(true);
      if (self.values) self.followed(self.values);
      self.select(pane, 0);
    };
    var step = function (by) {
      return function () {
        change((Number(select.value) + by + self.trees.length) % self.trees.length);
      };
    };
    pane.change = change;
    head.append(make("button", { type: "button", "aria-label": "Previous tree", onclick: step(-1) },
      "‹"), select,
      make("button", { type: "button", "aria-label": "Next tree", onclick: step(1) }, "›"));
  } else head.append(make("bdi.treename", {}, pane.tree.name));
  head.append(note);
  pane.element.prepend(head);
  this.stage.append(pane.element);
  this.stage.classList.toggle("fx-two", this.panes.length > 1);
  this.beside.setAttribute("aria-pressed", String(this.panes.length > 1));
  this.setLook(this.look);
  return pane;
};

Explorer.prototype.togglePane = function () {
  if (this.panes.length > 1) {
    this.panes.pop().element.remove();
    this.stage.classList.remove("fx-two");
    this.beside.setAttribute("aria-pressed", "false");
  } else {
    var first = this.trees.indexOf(this.panes[0].tree);
    this.addPane((first + 1) % this.trees.length);
  }
  this.differ();
  this.arrange();
  this.select(this.panes[0], this.panes[0].active);
};

Explorer.prototype.setLook = function (look) {
  this.look = look;
  this.looks.querySelectorAll("button").forEach(function (button) {
    button.setAttribute("aria-pressed", String(button.getAttribute("data-look") === look));
  });
  this.arrange();
  this.each(function (pane) { pane.intoView(pane.active); pane.draw(); });
};

/** Lay out the trees of all panes, diagrams by one plan, and draw them. */
Explorer.prototype.arrange = function () {
  this.each(function (pane) { pane.nodes = pane.tree.visible(pane.folded); });
  var plan = this.look === "diagram" ? diagramPlan(this.panes, this.printing) : null;
  this.each(function (pane) { pane.arrange(plan); });
};

/** Make all of the page stand on paper, in light colours, and later as it was. */
Explorer.prototype.print = function (starts) {
  var html = document.documentElement, kept = this.printing || {
    theme: html.getAttribute("data-theme"),
    closed: this.root.querySelectorAll("details:not([open])"),
    places: this.panes.map(function (pane) { return [pane.view.scrollLeft, pane.view.scrollTop]; })
  };
  this.printing = starts ? kept : null;
  if (starts || kept.theme) html.setAttribute("data-theme", starts ? "light" : kept.theme);
  else html.removeAttribute("data-theme");
  kept.closed.forEach(function (one) { one.open = starts; });
  this.arrange();
  if (starts) return;
  this.each(function (pane, k) { pane.view.scrollTo(kept.places[k][0], kept.places[k][1]); });
};

/** Mark the first node at which two trees side by side differ. */
Explorer.prototype.differ = function () {
  var self = this, two = this.panes.length > 1,
    found = two ? firstDifference(this.panes[0].tree, this.panes[1].tree) : null;
  this.firstPair = found;
  var unseen = this.trees.filter(function (tree) {
    return self.panes.every(function (pane) { return pane.tree !== tree; });
  }).map(function (tree) { return tree.name; });
  this.unseen.textContent = !unseen.length ? "" : "Not printed, choose it on the page: "
    + (unseen.length > 4 ? unseen.length + " trees" : unseen.join(", ")) + ".";
  this.each(function (pane) { pane.marks.clear(); });
  if (!two) this.markCriteria(this.panes[0]);
  this.difference.hidden = !two;
  this.difference.disabled = !found;
  this.difference.textContent = found ? "≠ First difference" : "The trees are the same";
  if (found) this.each(function (pane, k) {
    var other = self.panes[1 - k].tree;
    pane.marks.set(found[k], "first difference: " + other.name + " " + other.asks(found[1 - k]));
  });
  this.each(function (pane) { pane.draw(); });
};

/** Mark the nodes of a tree at which the two criteria choose different candidates. */
Explorer.prototype.markCriteria = function (pane) {
  if (this.data.criteria.length < 2) return;
  var names = this.data.criteria, a = names[this.state.a].name, b = names[this.state.b].name;
  pane.tree.disagreements(this.state.a, this.state.b).forEach(function (node, k) {
    pane.marks.set(node, k ? a + " and " + b + " disagree" : "first disagreement");
  });
};

Explorer.prototype.goToDifference = function () {
  var pair = this.firstPair;
  if (!pair) return;
  this.panes[1].go(pair[1], true);
  this.panes[0].go(pair[0]);
};

Explorer.prototype.focused = function (pane) { this.current = pane; };

/** Show the tree of a first test in the pane in use; the list stays. */
Explorer.prototype.showRoot = function (t) {
  (this.current || this.panes[0]).change(t);
  this.tab = "roots";
  this.showPanel();
};

/** Tell of a node. */
Explorer.prototype.select = function (pane, node) {
  this.current = pane;
  this.tab = "node";
  this.showPanel();
};

Explorer.prototype.showPanel = function () {
  var self = this, pane = this.current || this.panes[0], tree = pane.tree, node = pane.active;
  var tabs = make("div.tabs", { role: "group", "aria-label": "Details" });
  var names = [["node", "Node"], ["row", "Follow a row"]];
  if (this.list) names.unshift(["roots", "First tests"]);
  names.forEach(function (one) {
    tabs.append(make("button",
      { type: "button", "aria-pressed": String(self.tab === one[0]),
      onclick: function () { self.tab = one[0]; self.showPanel(); } }, one[1]));
  });
  if (this.list) this.list.mark(this.trees.indexOf(tree));
  var inner = this.tab === "row" ? this.rowPanel.element
    : this.tab === "roots" ? this.list.element
    : nodePanel(tree, node, this.state, function () { self.keepScroll(); }, function (to) {
      pane.go(to);
    }, this.panes.length > 1 && pane.marks.get(node));
  this.panel.replaceChildren(tabs, inner);
};

/** Draw the panel anew where it stands; the focus goes back to the same control. */
Explorer.prototype.keepScroll = function () {
  var top = this.panel.scrollTop, open = this.panel.querySelector("details");
  var wasOpen = !open || open.open,
    label = document.activeElement && document.activeElement.getAttribute("aria-label");
  this.showPanel();
  this.differ();
  var details = this.panel.querySelector("details");
  if (details) details.open = wasOpen;
  this.panel.scrollTop = top;
  if (label) {
    var same = Array.prototype.filter.call(this.panel.querySelectorAll("select,button"),
      function (one) { return one.getAttribute("aria-label") === label; })[0];
    if (same) same.focus({ preventScroll: true });
  }
};

/** Show a row's way through the trees of the panes. */
Explorer.prototype.followed = function (values) {
  var self = this;
  this.values = values;
  if (!values) {
    this.each(function (pane) { pane.way = null; pane.draw(); });
    return;
  }
  var answers = this.panes.map(function (pane) {
    var found = pane.tree.follow(values);
    pane.way = found.share;
    pane.reveal(found.ends.slice(0, 20));
    pane.go(found.ends[0], true);
    return { tree: pane.tree, found: found, pane: pane };
  });
  this.rowPanel.tell(answers, function (pane, node) { pane.go(node, true); });
};

/** Mark what is searched for, and open the first of it. */
Explorer.prototype.search = function (quiet) {
  var text = this.find.value, self = this, total = 0;
  this.each(function (pane) {
    pane.list = pane.tree.search(text);
    pane.hits = new Set(pane.list);
    pane.next = -1;
    total += pane.list.length;
    if (!quiet && pane.list.length) {
      pane.reveal([pane.list[0]]);
      pane.intoView(pane.list[0]);
    }
    pane.draw();
  });
  this.found.textContent = text.trim() ? total + (total === 1 ? " node" : " nodes") : "";
};

Explorer.prototype.findKey = function (event) {
  var pane = this.current && this.panes.indexOf(this.current) >= 0 ? this.current : this.panes[0];
  if (event.key === "Enter" && pane.list && pane.list.length) {
    event.preventDefault();
    pane.next = (pane.next + (event.shiftKey ? -1 : 1) + pane.list.length) % pane.list.length;
    this.found.textContent = (pane.next + 1) + " of " + pane.list.length;
    pane.go(pane.list[pane.next]);
  } else if (event.key === "ArrowDown" && !this.find.value) {
    event.preventDefault();
    pane.view.focus();
  }
};

Explorer.prototype.key = function (event) {
  var inField = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
  if (event.key === "/" && !inField) {
    event.preventDefault();
    this.find.focus();
    this.find.select();
  } else if (event.key === "Escape") {
    var pane = this.current || this.panes[0];
    if (event.target === this.find || this.find.value) {
      this.find.value = "";
      this.search(true);
    } else if (this.values) this.rowPanel.clear();
    pane.view.focus();
  }
};

/** Start an explorer in an element, once. */
function start(root) {
  if (root.fxStarted) return null;
  root.fxStarted = true;
  var source = document.getElementById(root.getAttribute("data-fx"));
  return new Explorer(root, JSON.parse(source.textContent));
}

document.querySelectorAll("[data-fx]").forEach(function (root) {
  var folded = root.closest("details");
  if (!folded || folded.open) start(root);
  else {
    folded.addEventListener("toggle", function () { if (folded.open) start(root); });
    addEventListener("beforeprint", function () {
      var started = start(root);
      if (started) started.print(true);
    });
  }
});
