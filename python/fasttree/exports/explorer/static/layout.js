// Where nodes stand: an outline, one line per node, or a diagram that grows from left to right.

var OUTLINE = { line: 34, narrow: 48 };
var HIGHEST = 4000; // px of a diagram whose nodes stand in the middle of their branches
var CARD = { least: 128, most: 260, high: 54, gapX: 18, gapY: 12, margin: 16 };
var SMALLEST = 0.6; // scale of a diagram whose texts can still be read
var PAPER = 700; // px of a printed page's width
var ruler = null;

/** Width of the cards of a diagram, that of their longest texts. */
function cardWidth(tree, nodes, most) {
  if (!ruler) ruler = document.createElement("canvas").getContext("2d");
  function longest(font, words) {
    ruler.font = font + " system-ui,-apple-system,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
    return ruler.measureText(nodes.map(words).reduce(function (a, b) {
      return b.length > a.length ? b : a;
    }, "")).width;
  }
  var above = longest("12.8px", function (i) {
    return (i ? tree.raw.words[i] : "all rows") + said(tree.raw.weight[i], 6);
  }), title = longest("600 14px", function (i) { return tree.title(i) + tree.spread(i); });
  return Math.ceil(Math.min(most, Math.max(CARD.least, above + 34, title + 38)));
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

/** Places of the cards of a diagram, `wide` px each. Where it is wider than `room` px it is scaled,
 * down to the scale `smallest`, and then its cards get narrower. A node stands between its first
 * and last branch, in a very high diagram beside its first one, so that both are seen. */
function diagramOf(tree, nodes, folded, wide, room, smallest) {
  var at = new Map(), x = [], y = [], next = CARD.margin, deepest = 0;
  nodes.forEach(function (node) { deepest = Math.max(deepest, tree.depth[node]); });
  var between = 2 * CARD.margin + deepest * CARD.gapX, levels = deepest + 1;
  var fitting = (room / (smallest || 1e-9) - between) / levels;
  wide = Math.min(wide, Math.max(CARD.least, Math.floor(fitting)));
  nodes.forEach(function (node, k) { at.set(node, k); });
  for (var k = nodes.length - 1; k >= 0; k--) y.push(0);
  nodes.forEach(function (node, k) {
    var depth = tree.depth[node];
    x.push(CARD.margin + depth * (wide + CARD.gapX));
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
  var all = between + levels * wide;
  var scale = Math.max(smallest, Math.min(1, room / all)), high = CARD.high * scale;
  wide *= scale;
  x = x.map(function (v) { return v * scale; });
  y = y.map(function (v) { return v * scale; });
  return {
    wide: all * scale,
    high: (next + CARD.margin) * scale,
    scale: scale,
    at: at,
    box: function (k) { return { x: x[k], y: y[k], wide: wide, high: high }; },
    within: function (top, bottom, left, right) {
      var found = [];
      for (var k = 0; k < nodes.length; k++) {
        if (y[k] + high >= top && y[k] <= bottom && x[k] + wide >= left && x[k] <= right)
          found.push(k);
      }
      return found;
    }
  };
}
