// Following one row from the root to a leaf: a stored row, or values that are typed in.

var MOST_FIELDS = 60; // fields shown before "all" is asked for

/** The panel that asks for a row. `changed` is called with the values, or null for none. */
function RowPanel(data, changed) {
  this.data = data;
  this.changed = changed;
  this.values = data.features.map(function () { return null; });
  this.stored = -1;
  this.wrongOnly = false;
  this.fields = [];
  this.element = make("div.rowpanel");
  this.build();
}

/** Features, those first that trees of the page ask most often. */
RowPanel.prototype.order = function () {
  var asked = this.data.features.map(function () { return 0; });
  this.data.trees.forEach(function (tree) {
    tree.feature.forEach(function (f) { if (f >= 0) asked[f]++; });
  });
  return asked.map(function (n, f) { return f; }).filter(function (f) { return asked[f]; })
    .sort(function (a, b) { return asked[b] - asked[a] || a - b; });
};

RowPanel.prototype.build = function () {
  var self = this, data = this.data, own = data.rows;
  this.element.append(make("h2", {}, "Follow a row"));
  if (own) {
    this.select = make("select",
      { "aria-label": "Stored row",
      onchange: function () { self.take(Number(self.select.value)); } });
    this.options();
    this.element.append(make("div.pick", {},
      make("button",
        { type: "button", "aria-label": "Previous row", onclick: function () { self.step(-1); } },
        "‹"),
      this.select,
      make("button",
        { type: "button", "aria-label": "Next row", onclick: function () { self.step(1); } },
        "›")));
    this.wrong = make("input",
      { type: "checkbox",
      onchange: function () { self.wrongOnly = self.wrong.checked; self.options(); } });
    this.element.append(make("label.check", {}, this.wrong,
      data.number ? " largest errors first" : " only rows that the tree gets wrong"));
  }
  this.answer = make("div.answer", { "aria-live": "polite" },
    make("p.note", {},
    own ? "Pick a stored row, or type values: an empty field is a missing value."
    : "Type values: an empty field is a missing value."));
  this.element.append(this.answer);
  var order = this.order(),
    form = make("form.fields",
    { "aria-label": "Values of the row", onsubmit: function (event) { event.preventDefault(); } });
  order.slice(0, MOST_FIELDS).forEach(function (f) { form.append(self.field(f)); });
  if (order.length > MOST_FIELDS) {
    var more = make("button.small", { type: "button", onclick: function () {
      more.remove();
      order.slice(MOST_FIELDS).forEach(function (f) { form.append(self.field(f)); });
    } }, "show all " + order.length + " features");
    form.append(more);
  }
  this.element.append(form,
    make("button.small", { type: "button", onclick: function () { self.clear(); } }, "clear"));
};

RowPanel.prototype.field = function (f) {
  var self = this, feature = this.data.features[f], input;
  if (feature.levels) {
    input = make("select",
      { onchange: function () { self.typed(f, input.value === "" ? null : Number(input.value)); } },
      make("option", { value: "" }, "missing"),
      feature.levels.map(function (level, code) {
        return make("option", { value: code }, level);
      }));
  } else {
    input = make("input", { type: "number", step: "any", inputmode: "decimal",
      placeholder: feature.range ? feature.range[0] + " to " + feature.range[1] : "a number",
      oninput: function () {
        self.typed(f,
          input.value.trim() === "" || isNaN(input.valueAsNumber) ? null : input.valueAsNumber);
      } });
  }
  var value = this.values[f];
  input.value = value === null ? "" : value;
  this.fields[f] = input;
  return make("label", {}, make("bdi", {}, feature.name), input);
};

RowPanel.prototype.typed = function (f, value) {
  this.values[f] = value;
  this.stored = -1;
  if (this.select) this.select.value = "-1";
  this.changed(this.values);
};

/** The class or number of a stored row. */
RowPanel.prototype.truth = function (k) {
  var label = this.data.rows.label[k];
  return this.data.number ? said(label) : this.data.classes[label];
};

/** Stored rows as choices: all of them, or those that the first tree gets wrong; of numbers the
 * largest errors first. */
RowPanel.prototype.options = function () {
  var self = this, own = this.data.rows, shown = own.row.map(function (_, k) { return k; });
  if (this.wrongOnly && this.error) {
    var errors = shown.map(this.error);
    shown = this.data.number
      ? shown.sort(function (i, j) { return errors[j] - errors[i] || i - j; })
      : shown.filter(function (k) { return errors[k]; });
  }
  this.listed = shown;
  this.select.replaceChildren(make("option", { value: -1 },
    shown.length ? "a stored row…" : "none is wrong"));
  shown.forEach(function (k) {
    self.select.append(make("option", { value: k }, "row " + own.row[k] + ": " + self.truth(k)));
  });
  this.select.value = String(shown.indexOf(this.stored) >= 0 ? this.stored : -1);
};

RowPanel.prototype.step = function (by) {
  if (!this.listed.length) return;
  var at = this.listed.indexOf(this.stored);
  var next = at < 0 ? (by > 0 ? 0 : this.listed.length - 1)
    : (at + by + this.listed.length) % this.listed.length;
  this.take(this.listed[next]);
};

/** Values of a stored row. */
RowPanel.prototype.of = function (k) {
  return this.data.rows.columns.map(function (column) { return column[k]; });
};

RowPanel.prototype.take = function (k) {
  if (k < 0) return;
  var self = this;
  this.stored = k;
  this.select.value = String(k);
  this.values = this.of(k);
  this.fields.forEach(function (input, f) {
    if (input) input.value = self.values[f] === null ? "" : self.values[f];
  });
  this.changed(this.values);
};

RowPanel.prototype.clear = function () {
  this.values = this.data.features.map(function () { return null; });
  this.stored = -1;
  if (this.select) this.select.value = "-1";
  this.fields.forEach(function (input) { if (input) input.value = ""; });
  this.answer.replaceChildren(make("p.note", {}, "An empty field is a missing value."));
  this.changed(null);
};

/** Say what trees answer: [{tree, found}], and the vote of a forest. */
RowPanel.prototype.tell = function (answers, go) {
  var data = this.data, own = data.rows, self = this, pieces = [];
  var known = this.stored >= 0, truth = known ? own.label[this.stored] : null;
  if (known)
    pieces.push(make("p", {}, data.number ? "Its number is " : "Its class is ",
    swatch(data.number ? partOf(truth, data) : truth),
    make("b", {}, make("bdi", {}, this.truth(this.stored))), "."));
  answers.forEach(function (one) {
    var found = one.found, right = "";
    if (known && data.number) right = ", off by " + said(Math.abs(found.number - truth));
    else if (known) right = found.label === truth ? " ✓ right" : " ✗ wrong";
    var line = make("p", {}, make("bdi", {}, one.tree.name), ": ", swatch(found.label),
      make("b", {}, make("bdi", {}, one.tree.answer(found))), right);
    if (found.open)
      line.append(make("span.note", {},
      " (the tree goes on below nodes that are not on this page)"));
    pieces.push(line);
    var list = make("ol.path", { "aria-label": "Conditions that the row meets" });
    if (found.ends.length === 1) {
      one.tree.path(found.ends[0]).slice(1).forEach(function (node) {
        list.append(make("li", {},
          make("button.link", { type: "button", onclick: function () { go(one.pane, node); } },
          make("bdi", {}, one.tree.condition(node)))));
      });
      pieces.push(list);
    } else {
      pieces.push(make("p.note", {},
        "A value is missing: " + found.ends.length
        + " leaves answer together, weighted by their rows."));
    }
    pieces.push(chanceBar(found, one.tree));
  });
  if (data.forest) pieces.push(this.vote());
  this.answer.replaceChildren.apply(this.answer, pieces);
};

function chanceBar(found, tree) {
  var best = found.chances.slice(0, 4).map(function (one) {
    return tree.className(one[0]) + (tree.data.number ? ": " : " ") + percent(one[1]);
  });
  return make("div.chance", {},
    shares(found.chances.slice().sort(function (a, b) { return a[0] - b[0]; }), 1),
    make("span.note", {}, best.join(", ")));
}

/** The mean of the trees of the page: of their probabilities, or of their numbers. */
RowPanel.prototype.vote = function () {
  var self = this, sums = new Map(), number = 0, box = make("div.vote"),
    votes = make("div.votes", { role: "img" }), tally = new Map();
  this.trees.forEach(function (tree) {
    var found = tree.follow(self.values);
    tally.set(found.label, (tally.get(found.label) || 0) + 1);
    number += found.number / self.trees.length;
    found.chances.forEach(function (one) {
      sums.set(one[0], (sums.get(one[0]) || 0) + one[1] / self.trees.length);
    });
    var mark = swatch(found.label);
    mark.title = tree.name + ": " + tree.answer(found);
    votes.append(mark);
  });
  var order = Array.from(sums).sort(function (a, b) { return b[1] - a[1]; });
  var told = Array.from(tally).sort(function (a, b) { return b[1] - a[1]; }).map(function (one) {
    return (one[0] < 0 ? "no class" : self.data.classes[one[0]]) + " " + one[1];
  });
  votes.setAttribute("aria-label", "Trees: " + told.join(", "));
  var means = order.slice(0, 4).map(function (one) {
    return self.data.classes[one[0]] + " " + percent(one[1]);
  });
  box.append(make("h3", {}, "The " + this.trees.length + " trees of this page"), votes,
    make("p.note", {}, this.data.number ? "Mean: " + said(number) + "."
    : "Mean probability: " + means.join(", ") + "."));
  return box;
};
