// Where nodes stand: an outline, one line a node, or a diagram that grows from left to right.

var OUTLINE = { line: 34, narrow: 48 };
var HIGHEST = 4000; // px of a diagram whose nodes stand in the middle of their branches
var CARD = { wide: 164, high: 54, gapX: 34, gapY: 12, margin: 16 };

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

/** Places of the cards of a diagram; a node stands between its first and last branch, in a
 * very high diagram beside its first one, so that it is seen together with it. */
function diagramOf(tree, nodes, folded) {
  var at = new Map(), x = [], y = [], next = CARD.margin, deepest = 0;
  nodes.forEach(function (node, k) { at.set(node, k); });
  for (var k = nodes.length - 1; k >= 0; k--) y.push(0);
  nodes.forEach(function (node, k) {
    var depth = tree.depth[node];
    if (depth > deepest) deepest = depth;
    x.push(CARD.margin + depth * (CARD.wide + CARD.gapX));
    if (folded[node] || !tree.children[node].length) {
      y[k] = next;
      next += CARD.high + CARD.gapY;
    }
  });
  for (k = nodes.length - 1; k >= 0; k--) {
    var node = nodes[k], kids = tree.children[node];
    if (folded[node] || !kids.length) continue;
    var first = y[at.get(kids[0])], last = y[at.get(kids[kids.length - 1])];
    y[k] = next > HIGHEST ? first : (first + last) / 2;
  }
  return {
    wide: 2 * CARD.margin + (deepest + 1) * (CARD.wide + CARD.gapX) - CARD.gapX,
    high: next + CARD.margin,
    at: at,
    box: function (k) { return { x: x[k], y: y[k], wide: CARD.wide, high: CARD.high }; },
    within: function (top, bottom, left, right) {
      var found = [];
      for (var k = 0; k < nodes.length; k++) {
        if (y[k] + CARD.high >= top && y[k] <= bottom && x[k] + CARD.wide >= left && x[k] <= right)
          found.push(k);
      }
      return found;
    }
  };
}
