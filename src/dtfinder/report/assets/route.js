/* The route of a row: of one in the table, or of values typed in. */
"use strict";

/* Whether a test is true of a value; null is a missing value, which equals only itself. */
function holds(feature, value) {
  if (feature.test !== "<=") return feature.values.includes(value);
  const bound = feature.values[0];
  return typeof value === typeof bound && inOrder(value) <= inOrder(bound);
}

/* Dates and times are compared as text, durations by their length. */
function inOrder(value) {
  const found = typeof value === "string" && /^(-?\d+) days? \+?(\d\d):(\d\d):(\d\d(?:\.\d+)?)$/.exec(value);
  return found ? ((found[1] * 24 + Number(found[2])) * 60 + Number(found[3])) * 60 + Number(found[4]) : value;
}

/* What is typed for a date, a time or a duration, in the form that `like` has; null if it has another. */
function readMoment(words, like) {
  const date = /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(\.\d+)?)?$/;
  if (date.test(like)) {
    const [whole, day, clock, second = ":00", fraction = ""] = date.exec(words) || [];
    if (!whole || Number.isNaN(Date.parse(day))) return null;
    const time = clock ? `T${clock}${second}${fraction.replace(/0+$/, "").replace(/\.$/, "")}` : "";
    return time === "T00:00:00" ? day : day + time;
  }
  const clock = /^(\d\d:\d\d)(:\d\d)?$/.exec(words);
  if (clock && /^\d\d:\d\d/.test(like)) return clock[1] + (clock[2] || ":00");
  if (typeof inOrder(like) === "number") return typeof inOrder(words) === "number" ? words : null;
  const shape = (text) => text.replace(/\d/g, "0");
  return shape(words) === shape(like) ? words : null;
}

function routeOf(tree, valueOf) {
  const route = [0];
  let node = tree.nodes[0];
  while (node.feature >= 0) {
    const feature = tree.features[node.feature];
    const next = holds(feature, valueOf(feature.column)) ? node.one : node.zero;
    route.push(next);
    node = tree.nodes[next];
  }
  return route;
}

/* Which rows reach which node, for all rows that the page has. */
function rowsByNode(tree, table) {
  const found = tree.nodes.map(() => []);
  for (let row = 0; row < table.shown; row++) {
    if (!table.kept[row]) continue;
    const valueOf = (name) => table.valueOf(name, row);
    for (const number of routeOf(tree, valueOf)) found[number].push(row);
  }
  return found;
}

class RouteView {
  /* `before` is the view of another tree, whose row or typed values are kept. */
  constructor(host, tree, table, target, onRoute, before = null) {
    this.tree = tree;
    this.table = table;
    this.target = target;
    this.onRoute = onRoute;
    this.fields = new Map();
    this.row = null;
    const names = new Set(tree.features.map((feature) => feature.column));
    const columns = [...names].map((name) => table.columns.find((column) => column.name === name));
    const form = html("form", { class: "fields", "aria-label": "Values" }, ...columns.flatMap((column) => this.field(column)));
    form.addEventListener("submit", (event) => event.preventDefault());
    this.steps = html("ol", { class: "steps" });
    this.verdict = html("p", { class: "verdict" });
    const answer = html("div", { id: "answer", "aria-live": "polite" }, this.steps, this.verdict);
    host.append(html("div", { class: "asking" }, html("div", {}, this.picker(), form), answer));
    if (before && before.row === null) this.take(before);
    else if (table.shown) this.show(before ? before.row : 0);
    else this.follow();
  }

  /* What was typed stays; other columns are still to be typed. */
  take(before) {
    for (const [name, { input, missing }] of this.fields) {
      const other = before.fields.get(name);
      if (!other) continue;
      missing.checked = other.missing.checked;
      input.disabled = other.input.disabled;
      input.value = other.input.value;
    }
    this.follow();
  }

  picker() {
    if (!this.table.shown) return html("p", { class: "note" }, "The table is not in this file.");
    const last = this.table.shown;
    this.number = html("input", { type: "number", min: 1, max: last, id: "row-number" });
    this.number.addEventListener("input", () => {
      const row = Number(this.number.value) - 1;
      if (Number.isInteger(row) && row >= 0 && row < last) this.show(row, false);
    });
    const step = (by) => () => this.show(((this.row ?? 0) + by + last) % last);
    const part = last < this.table.total ? `of the first ${last.toLocaleString("en")}` : `of ${last.toLocaleString("en")}`;
    return html(
      "div",
      { class: "picker" },
      html("label", { for: "row-number" }, "Row"), this.number, html("span", { class: "note" }, part),
      button("‹", "Previous row", step(-1)), button("›", "Next row", step(1)),
    );
  }

  field(column) {
    const place = this.fields.size, id = `value-${place}`;
    const attributes = { id, name: id, autocomplete: "off", "data-column": column.name };
    let input, choices = null;
    if (column.kind === "truth") {
      input = html("select", attributes, html("option", { value: "true" }, "True"), html("option", { value: "false" }, "False"));
    } else {
      input = html("input", { ...attributes, type: "text", inputmode: column.kind === "number" ? "decimal" : null });
      if (column.kind === "text" && column.values.length <= 500) {
        input.setAttribute("list", `${id}-known`);
        const known = column.values.filter((value) => value !== null);
        choices = html("datalist", { id: `${id}-known` }, ...known.map((value) => html("option", { value })));
      }
    }
    const missing = html("input", { type: "checkbox", id: `${id}-missing` });
    const field = { column, input, missing };
    this.fields.set(column.name, field);
    const typed = () => {
      input.disabled = missing.checked;
      this.row = null;
      if (this.number) this.number.value = "";
      this.follow();
    };
    input.addEventListener("input", typed);
    missing.addEventListener("input", typed);
    const gone = html("span", { class: "gone" });
    if (column.missing) gone.append(html("label", { class: "gone" }, missing, "missing"));
    return [html("label", { for: id }, column.name), html("span", {}, input, choices), gone];
  }

  /* The value of a field, and what is wrong with it: nothing typed, or not what is asked for. */
  valueOf({ column, input, missing }) {
    if (missing.checked) return { value: null };
    if (column.kind === "truth") return { value: input.value === "true" };
    const words = input.value.trim();
    if (words === "" && !column.values.includes("")) return { fault: "has no value; type one" };
    if (column.kind === "number") {
      const number = Number(words.replace(/^([+-]?)inf(inity)?$/i, "$1Infinity"));
      return Number.isNaN(number) ? { fault: `is not a number: ${words}` } : { value: number };
    }
    const test = this.tree.features.find((feature) => feature.column === column.name && feature.test === "<=");
    if (!test) return { value: column.kind === "text" ? input.value : words };
    const value = readMoment(words, test.values[0]);
    return value === null ? { fault: `is not written like ${test.values[0]}: ${words}` } : { value };
  }

  show(row, writeNumber = true) {
    this.row = row;
    for (const { column, input, missing } of this.fields.values()) {
      const value = this.table.valueOf(column.name, row);
      missing.checked = value === null;
      input.disabled = value === null && column.missing;
      input.value = value === null ? (column.kind === "truth" ? "false" : "") : String(value);
    }
    if (writeNumber && this.number) this.number.value = row + 1;
    this.follow();
  }

  follow() {
    const values = new Map(), faults = [];
    for (const [name, field] of this.fields) {
      const { value, fault } = this.valueOf(field);
      field.input.setAttribute("aria-invalid", String(fault !== undefined));
      if (fault !== undefined) faults.push(`${name} ${fault}.`);
      values.set(name, value);
    }
    if (faults.length) {
      this.steps.replaceChildren();
      this.verdict.replaceChildren(...faults.flatMap((fault) => [html("span", {}, fault), html("br", {})]));
      this.onRoute([]);
      return;
    }
    const route = routeOf(this.tree, (name) => values.get(name));
    const steps = route.slice(0, -1).map((number, at) => {
      const node = this.tree.nodes[number], answer = node.one === route[at + 1] ? "yes" : "no";
      return html("li", {}, html("span", {}, `${node.text}?`), html("b", {}, answer));
    });
    const leaf = this.tree.nodes[route[route.length - 1]];
    this.steps.replaceChildren(...steps);
    if (leaf.more) {
      this.verdict.replaceChildren(`The route goes on in a part of the tree that is not in this file (${leaf.text}).`);
      this.onRoute(route);
      return;
    }
    const words = [`${this.target} = `, html("b", { id: "predicted", "data-leaf": route[route.length - 1] }, this.tree.classes[leaf.label])];
    if (this.row !== null) words.push(this.compared(leaf.label));
    this.verdict.replaceChildren(...words);
    this.onRoute(route);
  }

  compared(label) {
    const own = this.table.labels[this.row], allowed = this.table.sets?.[this.row];
    if (allowed) {
      const names = allowed.map((each) => this.tree.classes[each]).join(" or ");
      return html("span", { class: "note" }, ` ${allowed.includes(label) ? "✓" : "✗"} the table allows ${names}`);
    }
    if (own === label) return html("span", { class: "note" }, " ✓ as in the table");
    return html("span", { class: "note" }, ` ✗ in the table: ${this.tree.classes[own]}`);
  }
}
