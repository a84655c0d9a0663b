/* Puts the page together from the data that stands in it. */
"use strict";

/* What JSON cannot say: an infinite number is written as {"number": "Infinity"}. */
const plain = (value) => (value !== null && typeof value === "object" ? Number(value.number) : value);

/* Adds to the nodes what all views need: the level, the parent, what is below, and the words. A node
   comes before what is below it. */
function readTree(given, target) {
  const features = given.features.map((feature) => ({ ...feature, values: feature.values.map(plain) }));
  const nodes = given.nodes.map((node) => ({ ...node, parent: -1, below: node.more, level: 0 }));
  for (const { feature, zero, one, level } of nodes) {
    if (feature >= 0) nodes[zero].level = nodes[one].level = level + 1;
  }
  for (let number = nodes.length - 1; number >= 0; number--) {
    const node = nodes[number];
    if (node.feature < 0) {
      node.text = node.more ? `… ${amount(node.more + 1, "node")}` : `${target} =\u00a0${given.classes[node.label]}`;
      continue;
    }
    node.text = features[node.feature].name;
    for (const child of [node.zero, node.one]) {
      nodes[child].parent = number;
      node.below += nodes[child].below + 1;
    }
  }
  return { nodes, features, classes: given.classes, depth: given.depth, size: given.size, cut: given.cut };
}

function readTable(given) {
  const columns = given.columns.map((column) => ({ ...column, values: column.values.map(plain) }));
  const byName = new Map(columns.map((column) => [column.name, column]));
  const valueOf = (name, row) => byName.get(name).values[byName.get(name).codes[row]];
  return { ...given, columns, valueOf };
}

/* The element with this id, emptied: a page of several trees is filled again for each. */
function emptied(id) {
  byId(id).replaceChildren();
  return byId(id);
}

const factsOf = (facts) => facts.map(([name, value]) => html("div", {}, html("dt", {}, name), html("dd", {}, value)));

function showHead(page) {
  byId("kicker").textContent = page.kicker;
  byId("headline").textContent = page.head.headline;
  byId("lead").textContent = page.head.lead;
  byId("facts").append(...factsOf(page.head.facts));
}

function showGreedy(page, view, tree, greedy, rowsAt) {
  const host = emptied("greedy-view");
  if (!greedy) {
    byId("greedy").hidden = true;
    return;
  }
  const shape = (tree, name) => html(
    "figure",
    {},
    html("figcaption", {}, html("b", {}, name), `${amount(tree.size, "node")}, depth ${tree.depth}`),
    shapeOf(tree),
  );
  const full = html("details", {}, html("summary", {}, "Show the greedy tree in full"));
  const inside = html("div", {});
  full.append(inside);
  full.addEventListener("toggle", () => {
    if (!inside.hasChildNodes()) new TreeView(inside, greedy, "The greedy tree", rowsAt, `${page.file}-greedy`);
  });
  host.append(
    html("p", { class: "note" }, view.compared),
    html("div", { class: "shapes" }, shape(tree, "This tree"), shape(greedy, "Greedy (scikit-learn)")),
    full,
  );
}

/* The bare shape of a tree: a dot per node, filled with the class at the leaves. Of two that are shown
   together the one with more levels has its dots closer. */
function shapeOf(tree) {
  const order = [], across = [], todo = [0];
  let leaves = 0;
  while (todo.length) {
    const number = todo.pop(), node = tree.nodes[number];
    order.push(number);
    if (node.feature < 0) {
      across[number] = leaves++;
      continue;
    }
    todo.push(node.zero, node.one);
  }
  for (const number of [...order].reverse()) {
    const { feature, zero, one } = tree.nodes[number];
    if (feature >= 0) across[number] = (across[zero] + across[one]) / 2;
  }
  const wide = 300, high = 180;
  const x = (number) => (leaves > 1 ? 10 + ((wide - 20) * across[number]) / (leaves - 1) : wide / 2);
  const y = (number) => 10 + ((high - 20) * tree.nodes[number].level) / Math.max(1, deepestOf(tree));
  const size = Math.max(1.5, Math.min(6, 110 / leaves));
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${high}`, role: "img", "aria-label": `A tree of ${tree.size} nodes` });
  for (const number of order.slice(1)) {
    const up = tree.nodes[number].parent;
    picture.append(svg("line", { x1: x(up), y1: y(up), x2: x(number), y2: y(number), "stroke-width": Math.min(1, size / 3) }));
  }
  for (const number of order) {
    const { feature, label } = tree.nodes[number];
    const fillWith = feature < 0 ? colourOf(label, tree.classes.length) : "var(--ink)";
    picture.append(svg("circle", { cx: x(number), cy: y(number), r: feature < 0 ? size : size * 0.6, style: `fill:${fillWith}` }));
  }
  return picture;
}

function showBounds({ charts, heads, rows, seconds: end }) {
  const host = emptied("bounds-view");
  // One state is no course: of a front only the end is known.
  byId("bounds").hidden = rows.length < 2;
  if (rows.length < 2) return;
  for (const { thing, points } of charts) {
    if (charts.length > 1) host.append(html("h3", {}, thing[0].toUpperCase() + thing.slice(1)));
    const place = html("div", {});
    host.append(place);
    drawnToFit(place, (wide) => place.replaceChildren(boundsChart(points, end, thing, wide)));
  }
  const lines = rows.map(([after, ...numbers]) => [seconds(after), ...numbers]);
  host.append(html("details", {}, html("summary", {}, "The same as a table"), html("div", { class: "scroll", tabindex: 0 }, tableOf(heads, lines))));
}

const FIRST_ROWS = 12; // of those that force the size

function showProof({ title, words, forced, certificate }) {
  const host = emptied("proof-view");
  byId("proof-title").textContent = title;
  host.append(html("p", {}, words));
  for (const each of forced) {
    host.append(html("p", { class: "forced" }, each.words));
    const place = html("div", { class: "scroll", tabindex: 0 }, tableOf(each.heads, each.rows.slice(0, FIRST_ROWS)));
    host.append(place);
    const hidden = each.rows.length - FIRST_ROWS;
    if (hidden > 0) {
      const more = button(`Show ${amount(hidden, "more row")}`, `Show all ${each.rows.length} rows`, () => {
        place.replaceChildren(tableOf(each.heads, each.rows));
        more.remove();
      });
      more.classList.add("more");
      host.append(more);
    }
    if (each.note) host.append(html("p", { class: "note" }, each.note));
  }
  const [about, digest] = certificate;
  host.append(html("p", { class: "note certificate" }, `${about} `, html("code", { id: "digest" }, digest)));
}

function showData({ classes, columns, words }, shares) {
  const host = emptied("data-view");
  const share = (part, length) => html("span", { class: "bar", style: `width:${Math.max(part > 0 ? 1 : 0, Math.round(length * part))}px` });
  const total = Math.max(1, sum(classes.map((each) => each[1])));
  host.append(...words.map((each) => html("p", { class: "note" }, each)));
  host.append(html("div", { class: "scroll", tabindex: 0 }, tableOf(["class", "rows", "share"], classes.map(([name, rows]) =>
    [name, rows, html("span", {}, share(rows / total, 120), ` ${((100 * rows) / total).toFixed(1)}%`)]))));
  const asked = ({ key }) => (Object.hasOwn(shares, key) ? shares[key] : -1);
  const lines = [...columns].sort((one, two) => asked(two) - asked(one)).map((each) => [
    each.name, each.kind, each.distinct, each.missing, each.values,
    asked(each) < 0 ? "" : html("span", {}, share(asked(each), 80), ` ${(100 * asked(each)).toFixed(0)}%`),
  ]);
  host.append(html("div", { class: "scroll", tabindex: 0 }, tableOf(["column", "kind", "distinct", "missing", "values", "share of the answers"], lines)));
}

function showRules(rules) {
  const copy = button("Copy", "Copy the rules", () => navigator.clipboard?.writeText(rules).then(() => {
    copy.textContent = "Copied";
  }));
  copy.classList.add("copy");
  emptied("rules-view").append(html("pre", { tabindex: 0 }, rules), copy);
}

/* The page of one result or of a front: what depends on the result is filled again for each size. */
class Page {
  constructor(page) {
    this.page = page;
    this.trees = page.trees.map((tree) => readTree(tree, page.target));
    this.greedy = page.greedy ? readTree(page.greedy, page.target) : null;
    this.table = readTable(page.table);
    this.route = null;
    showHead(page);
    byId("footer").textContent = page.footer;
    for (const id of ["front", "sizes", "view"]) byId(id).hidden = !page.front;
    const front = page.front ? new FrontView(page.front, page.views, (at) => this.show(at)) : null;
    this.show(front ? front.at : 0);
    showAudit(page.audit, (row) => {
      this.route.show(row);
      byId("tree").scrollIntoView();
    });
  }

  show(at) {
    const { page } = this, view = page.views[at], tree = this.trees[view.tree];
    if (page.front) {
      byId("view-headline").textContent = view.head.headline;
      byId("view-lead").textContent = view.head.lead;
      emptied("view-facts").append(...factsOf(view.head.facts));
    }
    byId("tree").classList.remove("wide");
    const drawn = new TreeView(emptied("tree-view"), tree, "The tree", this.rowsOf(tree), page.file);
    this.route = new RouteView(emptied("route-view"), tree, this.table, page.target, (route) => drawn.setRoute(route), this.route);
    showGreedy(page, view, tree, this.greedy, this.rowsOf(this.greedy));
    showBounds(view.bounds);
    showProof(view.proof);
    showData(page.data, page.trees[view.tree].shares);
    showRules(page.trees[view.tree].rules);
  }

  /* Which rows reach a node of the tree: worked out when first asked for. */
  rowsOf(tree) {
    const { table } = this;
    let found = null;
    return (number) => {
      found = found || rowsByNode(tree, table);
      return { rows: found[number], all: table.shown === table.total, table };
    };
  }
}

new Page(JSON.parse(byId("page-data").textContent));
