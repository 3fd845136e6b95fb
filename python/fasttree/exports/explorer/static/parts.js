// Elements and small pictures. Text is set as text, never as markup.

var SVG = "http://www.w3.org/2000/svg";

/** An element: `make("button.big", {type: "button"}, "text", child, ...)`. */
function make(kind, attributes) {
  var names = kind.split("."), element = document.createElement(names[0] || "div");
  if (names.length > 1)
    element.className = names.slice(1).map(function (n) { return "fx-" + n; }).join(" ");
  return filled(element, attributes, Array.prototype.slice.call(arguments, 2));
}

var LAST = 20; // characters at the end of a name, by which names that begin alike differ

/** A name that is cut before its last characters where there is not room for all of it. */
function nameOf(text) {
  var from = Math.max(0, text.length - LAST);
  return make("bdi.name", { title: text }, make("span", {}, text.slice(0, from)),
    make("span", {}, text.slice(from)));
}

/** An SVG element. */
function draw(kind, attributes) {
  var names = kind.split("."), element = document.createElementNS(SVG, names[0]);
  if (names.length > 1)
    element.setAttribute("class", names.slice(1).map(function (n) { return "fx-" + n; }).join(" "));
  return filled(element, attributes, Array.prototype.slice.call(arguments, 2));
}

function filled(element, attributes, children) {
  Object.keys(attributes || {}).forEach(function (name) {
    var value = attributes[name];
    if (value === null || value === undefined || value === false) return;
    if (name.slice(0, 2) === "on") element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  });
  children.forEach(function add(child) {
    if (Array.isArray(child)) child.forEach(add);
    else if (child !== null && child !== undefined && child !== "") element.append(child);
  });
  return element;
}

/** A number for the eye. */
function said(value, digits) {
  if (value === null || value === undefined) return "–";
  var size = Math.abs(value);
  if (size < 1e9 && (size >= Math.pow(10, digits || 4) || Number.isInteger(value)))
    return String(Math.round(value));
  return String(Number(value.toPrecision(digits || 4)));
}

function percent(share) {
  if (share > 0 && share < 0.001) return "< 0.1 %";
  if (share > 0.9995 && share < 1 - 1e-9) return "> 99.9 %";
  return (100 * share).toFixed(share > 0.9995 || share === 0 ? 0 : 1) + " %";
}

/** A weight with two decimals, or with three digits where it is small. */
function amount(weight) {
  return weight < 1 ? said(weight, 3) : said(Number(weight.toFixed(2)), 16);
}

/** Rows, or their weight where that is no whole number. */
function rows(weight) {
  if (!Number.isInteger(weight)) return "weight " + amount(weight);
  return amount(weight) + (weight === 1 ? " row" : " rows");
}

/** Colour of a class: eight that colour-blind people tell apart, then the same paler. */
function shade(code) {
  return code < 0 ? "var(--fx-edge)" : "var(--fx-c" + (code % 10) + ")";
}

function swatch(code) {
  var mark = make("span.swatch", { "aria-hidden": "true" });
  mark.style.background = shade(code);
  if (code >= 8) mark.classList.add("fx-turn" + (Math.floor(code / 8) % 3));
  return mark;
}

/** A bar of class shares. */
function shares(counts, total) {
  var bar = make("span.shares", { "aria-hidden": "true" });
  counts.forEach(function (one) {
    if (!(one[1] > 0)) return;
    var piece = make("span");
    piece.style.flexGrow = one[1];
    piece.style.background = shade(one[0]);
    if (one[0] >= 8) piece.className = "fx-turn" + (Math.floor(one[0] / 8) % 3);
    bar.append(piece);
  });
  if (!(total > 0)) bar.classList.add("fx-none");
  return bar;
}

/** A histogram by class: stacked bars over the values of a feature, cuts as dashed lines. */
function histogram(own, feature, data) {
  var wide = 340, high = 132, left = 34, base = high - 24, top = 8, right = 8;
  var bars = own.counts.length ? own.counts[0].length : 0, highest = 0, k;
  var sums = [];
  for (k = 0; k < bars; k++) {
    sums.push(own.counts.reduce(function (sum, one) { return sum + (one[k] || 0); }, 0));
    highest = Math.max(highest, sums[k]);
  }
  var missing = own.missing ? own.missing.reduce(function (a, b) { return a + b; }, 0) : 0;
  highest = Math.max(highest, missing) || 1;
  var slots = bars + (missing ? 1.5 : 0), step = (wide - left - right) / Math.max(slots, 1);
  var picture = draw("svg.histogram", { viewBox: "0 0 " + wide + " " + high, role: "img" });
  var scale = function (v) { return (base - top) * v / highest; };
  [0, highest].forEach(function (v) {
    picture.append(draw("line.grid",
      { x1: left, x2: wide - right, y1: base - scale(v), y2: base - scale(v) }));
    picture.append(draw("text.tick", { x: left - 5, y: base - scale(v) + 4, "text-anchor": "end" },
      said(v, 3)));
  });
  function column(x, values) {
    var y = base;
    own.classes.forEach(function (code, place) {
      var v = values(place);
      if (!(v > 0)) return;
      y -= scale(v);
      var piece = draw("rect", { x: x + 1, y: y, width: Math.max(step - 2, 1), height: scale(v) });
      piece.style.fill = shade(code);
      piece.append(draw("title", {}, data.classes[code] + ": " + said(v)));
      picture.append(piece);
    });
  }
  for (k = 0; k < bars; k++) {
    (function (k) { column(left + k * step, function (place) { return own.counts[place][k]; });
    })(k);
  }
  if (missing) {
    column(left + (bars + 0.5) * step, function (place) { return own.missing[place]; });
    picture.append(draw("text.tick",
      { x: left + (bars + 1) * step, y: high - 8, "text-anchor": "middle" }, "?"));
  }
  if (own.levels) {
    for (k = 0; k < bars; k++) {
      var level = k < own.levels.length ? feature.levels[own.levels[k]] || "#" + own.levels[k]
        : "other";
      var room = Math.max(1, Math.floor(step / 6.2));
      var short = level.length > room
        ? level.slice(0, Math.max(room - 1, 1)) + (room > 2 ? "…" : "") : level;
      picture.append(draw("text.tick",
        { x: left + (k + 0.5) * step, y: high - 8, "text-anchor": "middle" }, short,
        draw("title", {}, level)));
    }
  } else if (own.range) {
    var low = own.range[0], upper = own.range[1], to = left + bars * step;
    var place = function (v) {
      return upper > low ? left + (to - left) * (v - low) / (upper - low) : left;
    };
    var named = own.cuts.length === 1 ? place(own.cuts[0]) : NaN; // no end of the axis hides it
    if (!(named <= left + 40)) picture.append(draw("text.tick", { x: left, y: high - 8 },
      said(low, 4)));
    if (upper !== low && !(named >= to - 40))
      picture.append(draw("text.tick", { x: to, y: high - 8, "text-anchor": "end" },
      said(upper, 4)));
    own.cuts.forEach(function (cut) {
      var x = place(cut);
      picture.append(draw("line.cut", { x1: x, x2: x, y1: 2, y2: base + 3 }));
      if (x === named)
        picture.append(draw("text.cutword", { x: x, y: high - 8, "text-anchor": "middle" },
          said(cut, 4)));
    });
  }
  picture.setAttribute("aria-label", "Rows by " + feature.name + " and "
    + (data.number ? data.target : "class") + ": " +
    own.classes.map(function (code, place) {
      return data.classes[code] + " "
        + said(own.counts[place].reduce(function (a, b) { return a + b; }, 0));
    }).join(", "));
  return picture;
}

/** A legend of the classes, at most `most` of them, or of the parts of the scale of numbers. */
function legend(data, most) {
  var list = make("ul.legend", { "aria-label": data.number ? data.target : "Classes" });
  data.classes.slice(0, most).forEach(function (name, code) {
    list.append(make("li", {}, swatch(code), make("bdi", {}, name)));
  });
  if (data.classes.length > most)
    list.append(make("li", {}, "… " + (data.classes.length - most) + " more"));
  return list;
}
