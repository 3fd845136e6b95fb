// Where nodes stand: an outline, one line per node, or a diagram that grows from left to right.

var OUTLINE = { line: 34, narrow: 48 };
var HIGHEST = 4000; // px of a diagram whose nodes stand in the middle of their branches
var CARD = { least: 96, most: 320, high: 57, gapX: 18, gapY: 12, margin: 16 };
var STAIR = { least: 10, most: 40 }; // px by which a branch stands to the right of its node
var SMALLEST = { screen: 0.75, paper: 0.6 }; // scales at which texts can still be read
var PAPER = { wide: self === top ? 700 : 520, high: 900 }; // px of a page, or a notebook on it
var ruler = null;

/** Width of cards that hold the longest texts of nodes of a diagram. */
function cardWidth(tree, nodes, stairs) {
  if (!ruler) ruler = document.createElement("canvas").getContext("2d");
  function longest(font, nodes, words) {
    ruler.font = font + " system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
    return nodes.reduce(function (most, i) {
      return Math.max(most, ruler.measureText(words(i)).width);
    }, 0);
  }
  function heading(i) { return tree.heading(i, stairs) + amount(tree.raw.weight[i]); }
  function title(i) { return tree.title(i) + tree.spread(i); }
  var leaves = nodes.filter(function (i) { return tree.isLeaf(i); });
  var inner = nodes.filter(function (i) { return !tree.isLeaf(i); });
  return Math.ceil(Math.max(CARD.least, longest("12.8px", nodes, heading) + 34,
    longest("600 14px", inner, title) + 28, longest("600 14px", leaves, title) + 38));
}

/** How the diagrams of panes are laid out, alike, so that they can be compared: place and width of
 * the cards by depth, and the scale. Where a column per depth is wider than the narrowest pane,
 * scaled as far as texts can be read, the nodes stand one below the other, as stairs. */
function diagramPlan(panes, printing) {
  var room = Infinity, height = 0, lines = 0, most = printing ? PAPER.wide : CARD.most;
  var smallest = printing ? SMALLEST.paper : SMALLEST.screen, wide = [];
  function widest(nodes, pane, stairs) {
    return Math.min(most, cardWidth(pane.tree, nodes, stairs));
  }
  panes.forEach(function (pane) {
    room = Math.min(room, printing ? PAPER.wide : pane.view.clientWidth || Infinity);
    height = Math.max(height, pane.view.clientHeight);
    lines = Math.max(lines, pane.nodes.length);
    var levels = [];
    pane.nodes.forEach(function (node) {
      var depth = pane.tree.depth[node];
      (levels[depth] = levels[depth] || []).push(node);
    });
    levels.forEach(function (nodes, depth) {
      wide[depth] = Math.max(wide[depth] || 0, widest(nodes, pane));
    });
  });
  var between = 2 * CARD.margin, at = CARD.margin, deepest = wide.length - 1;
  var x = wide.map(function (width) { at += width + CARD.gapX; return at - width - CARD.gapX; });
  var scale = Math.min(1, room / (at - CARD.gapX + CARD.margin));
  if (scale >= smallest) return { x: x, wide: wide, scale: scale };
  scale = height / (lines * (CARD.high + CARD.gapY) + between);
  scale = printing ? 1 : Math.max(smallest, Math.min(1, scale));
  room = room / scale - between;
  most = Math.max(CARD.least, room - deepest * STAIR.least);
  var same = Math.max.apply(null, panes.map(function (pane) {
    return widest(pane.nodes, pane, true);
  }));
  var step = Math.max(STAIR.least, Math.min(STAIR.most, (room - same) / deepest));
  return {
    x: wide.map(function (_, depth) { return CARD.margin + depth * step; }),
    wide: wide.map(function () { return same; }),
    scale: scale,
    stairs: true
  };
}

/** Places of the nodes of an outline: {x, y, wide, high} by a function, and the size of all. */
function outlineOf(tree, nodes, width) {
  var high = width < 560 ? OUTLINE.narrow : OUTLINE.line;
  return {
    wide: width,
    high: nodes.length * high,
    box: function (k) { return { x: 0, y: k * high, wide: width, high: high }; },
    within: function (top, bottom) {
      var found = [], last = Math.min(nodes.length - 1, Math.floor(bottom / high));
      for (var k = Math.max(0, Math.floor(top / high)); k <= last; k++) found.push(k);
      return found;
    }
  };
}

/** Places of the cards of a diagram by its plan. A node stands between its first and last branch,
 * in a very high diagram beside its first one, so that both are seen; in stairs above them. */
function diagramOf(tree, nodes, folded, plan) {
  var at = new Map(), x = [], y = [], wide = [], next = CARD.margin, all = 0;
  var scale = plan.scale, high = CARD.high * scale;
  nodes.forEach(function (node, k) {
    at.set(node, k);
    x.push(plan.x[tree.depth[node]] * scale);
    wide.push(plan.wide[tree.depth[node]] * scale);
    all = Math.max(all, x[k] + wide[k] + CARD.margin * scale);
    y.push(next);
    if (plan.stairs || folded[node] || !tree.children[node].length) next += CARD.high + CARD.gapY;
  });
  for (var k = nodes.length - 1; k >= 0 && !plan.stairs; k--) {
    var node = nodes[k], kids = tree.children[node];
    if (folded[node] || !kids.length) continue;
    var first = y[at.get(kids[0])], last = y[at.get(kids[kids.length - 1])];
    y[k] = next > HIGHEST ? first : (first + last) / 2;
  }
  y = y.map(function (v) { return v * scale; });
  return {
    wide: all,
    high: (next + CARD.margin) * scale,
    scale: scale,
    stairs: plan.stairs,
    at: at,
    box: function (k) { return { x: x[k], y: y[k], wide: wide[k], high: high }; },
    within: function (top, bottom, left, right) {
      var found = [];
      for (var k = 0; k < nodes.length; k++) {
        if (y[k] + high >= top && y[k] <= bottom && x[k] + wide[k] >= left && x[k] <= right)
          found.push(k);
      }
      return found;
    }
  };
}
