"use strict";
(function () {
  var root = document.documentElement;
  function add(parent, text, label, action) {
    var button = document.createElement("button");
    button.type = "button";
    button.textContent = text;
    if (label) button.setAttribute("aria-label", label);
    button.addEventListener("click", action);
    parent.appendChild(button);
    return button;
  }

  // Light and dark: the system's choice until the button is pressed.
  function isDark() {
    var chosen = root.getAttribute("data-theme");
    return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  }
  try {
    var kept = localStorage.getItem("fasttree-theme");
    if (kept === "dark" || kept === "light") root.setAttribute("data-theme", kept);
  } catch (error) { /* no storage for files in some browsers */ }
  var theme = add(document.querySelector("header"), "", "", function () {
    root.setAttribute("data-theme", isDark() ? "light" : "dark");
    try {
      localStorage.setItem("fasttree-theme", root.getAttribute("data-theme"));
    } catch (error) { /* as above */ }
    name();
  });
  theme.id = "theme";
  function name() { theme.textContent = isDark() ? "Light" : "Dark"; }
  name();

  // Tables: a click on a column's name sorts its rows, a second click the other way round.
  function value(row, column) {
    var text = row.cells[column].textContent.trim();
    var number = text === "inf" ? Infinity : text === "-inf" ? -Infinity : parseFloat(text);
    return { text: text, number: number };
  }
  document.querySelectorAll("table.sortable").forEach(function (table) {
    var heads = table.tHead.rows[0].cells;
    Array.prototype.forEach.call(heads, function (head, column) {
      var inner = document.createElement("button");
      inner.type = "button";
      while (head.firstChild) inner.appendChild(head.firstChild);
      head.appendChild(inner);
      inner.addEventListener("click", function () {
        var down = head.getAttribute("aria-sort") === "descending"
          || (column === 0 && !head.hasAttribute("aria-sort"));
        Array.prototype.forEach.call(heads, function (other) {
          other.removeAttribute("aria-sort");
        });
        head.setAttribute("aria-sort", down ? "ascending" : "descending");
        var sign = down ? 1 : -1, body = table.tBodies[0];
        Array.prototype.slice.call(body.rows).map(function (row) {
          return { row: row, key: value(row, column) };
        }).sort(function (a, b) {
          var x = a.key.number, y = b.key.number;
          if (column > 0 && (isNaN(x) || isNaN(y))) return isNaN(x) - isNaN(y);
          if (column > 0 && x !== y) return sign * (x < y ? -1 : 1);
          return sign * a.key.text.localeCompare(b.key.text, undefined, { numeric: true });
        }).forEach(function (one) { body.appendChild(one.row); });
      });
    });
  });

  // A link to a data set opens it.
  function open() {
    var target = location.hash.length > 1 && document.getElementById(location.hash.slice(1));
    if (target && target.tagName === "DETAILS") target.open = true;
  }
  addEventListener("hashchange", open);
  open();

  // On paper all parts are open, also those of which one closes the other; explorers open theirs.
  var closed = [];
  addEventListener("beforeprint", function () {
    closed = Array.from(document.querySelectorAll("details:not([open], .fx *)"));
    closed.forEach(function (part) {
      part.dataset.name = part.name;
      part.name = "";
      part.open = true;
    });
  });
  addEventListener("afterprint", function () {
    closed.forEach(function (part) {
      part.open = false;
      part.name = part.dataset.name;
    });
  });
})();
