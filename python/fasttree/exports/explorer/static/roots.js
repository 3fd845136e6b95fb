// The list of first tests of nearly optimal trees: each shows the best tree that has it.

/** The list; `show` is told which tree is chosen, `mark` says which one is shown. */
function rootList(trees, roots, show) {
  var body = make("tbody");
  var buttons = trees.map(function (tree, t) {
    var button = make("button.link",
      { type: "button", "aria-pressed": "false", onclick: function () {
        show(t);
        button.focus({ preventScroll: true });
      } }, make("bdi", {}, tree.name));
    body.append(make("tr", {}, make("th", { scope: "row" }, button),
      make("td", {}, said(roots.objective[t])), make("td", {}, said(roots.more[t], 3)),
      make("td", {}, amount(roots.tests[t]))));
    return button;
  });
  var head = ["first test", "objective", "more", "tests"].map(function (name) {
    return make("th", { scope: "col" }, name);
  });
  var some = trees.length < roots.of;
  var element = make("div", {}, make("h2", {}, "First tests"),
    make("p.note", {}, "A test shows the best tree that begins with it. It is proven that no tree "
      + "within the limits that begins with it has a smaller objective."),
    make("table.classes.roots", {}, make("thead", {}, make("tr", {}, head)), body),
    make("p.note", {}, "“more”: than the optimum. “tests”: how many first tests of the feature "
      + "come within " + said(roots.within) + " of it."
      + (some ? " Of " + roots.of + " first tests, the list has " + trees.length
        + ": the best of every feature, then those with the smallest objective." : "")));
  return { element: element, mark: function (shown) {
    buttons.forEach(function (button, t) {
      button.setAttribute("aria-pressed", String(t === shown));
    });
  } };
}
