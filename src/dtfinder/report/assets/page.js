/* Puts the page together from the data that stands in it. */
"use strict";

/* What JSON cannot say: an infinite number is written as {"number": "Infinity"}. */
const plain = (value) => (value !== null && typeof value === "object" ? Number(value.number) : value);

/* Adds to the nodes what all views need: the parent, what is below, and the words. */
function readTree(given, target) {
  const features = given.features.map((feature) => ({ ...feature, values: feature.values.map(plain) }));
  const nodes = given.nodes.map((node) => ({ ...node, parent: -1, below: node.more }));
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

function showHead(page) {
  byId("kicker").textContent = page.kicker;
  byId("headline").textContent = page.headline;
  byId("lead").textContent = page.lead;
  byId("facts").append(...page.facts.map(([name, value]) =>
    html("div", {}, html("dt", {}, name), html("dd", {}, value))));
}

function showGreedy(page, greedy, rowsAt) {
  const host = byId("greedy-view");
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
    html("p", { class: "note" }, page.compared),
    html("div", { class: "shapes" }, shape(page.own, "This tree"), shape(greedy, "Greedy (scikit-learn)")),
    full,
  );
}

/* The bare shape of a tree: a dot a node, filled with the class at the leaves. Of two that are shown
   together the one with more levels has its dots closer. */
function shapeOf(tree) {
  const order = [], level = [0], across = [], todo = [0];
  let leaves = 0;
  while (todo.length) {
    const number = todo.pop(), node = tree.nodes[number];
    order.push(number);
    if (node.feature < 0) {
      across[number] = leaves++;
      continue;
    }
    level[node.zero] = level[node.one] = level[number] + 1;
    todo.push(node.zero, node.one);
  }
  for (const number of [...order].reverse()) {
    const { feature, zero, one } = tree.nodes[number];
    if (feature >= 0) across[number] = (across[zero] + across[one]) / 2;
  }
  const wide = 300, high = 180;
  const x = (number) => (leaves > 1 ? 10 + ((wide - 20) * across[number]) / (leaves - 1) : wide / 2);
  const deepest = Math.max(1, ...order.map((number) => level[number]));
  const y = (number) => 10 + ((high - 20) * level[number]) / deepest;
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

function showBounds(page) {
  const host = byId("bounds-view");
  if (!page.history.length) {
    byId("bounds").hidden = true;
    return;
  }
  const series = (lower, upper) => page.history.map((state) => ({ time: state.seconds, lower: state[lower], upper: state[upper] }));
  const chart = (...given) => {
    const place = html("div", {});
    host.append(place);
    let drawn = 0; // as wide as it was drawn last: a narrow one needs other proportions
    const draw = () => {
      const wide = Math.round(Math.min(1060, Math.max(300, place.clientWidth)));
      if (wide !== drawn) place.replaceChildren(boundsChart(...given, (drawn = wide)));
    };
    draw();
    new ResizeObserver(draw).observe(place);
  };
  if (page.minimise === "depth") {
    host.append(html("h3", {}, "Depth"));
    chart(series("depth_lower", "depth"), page.seconds, "depth");
    host.append(html("h3", {}, "Nodes"));
  }
  chart(series("lower", "nodes"), page.seconds, "number of nodes");
  const rows = page.history.map((state) => [seconds(state.seconds), state.lower, state.nodes, state.depth_lower, state.depth]);
  const heads = ["after", "nodes: proven at least", "best tree", "depth: proven at least", "best tree"];
  host.append(html("details", {}, html("summary", {}, "The same as a table"), html("div", { class: "scroll", tabindex: 0 }, tableOf(heads, rows))));
}

const FIRST_ROWS = 12; // of those that force the size

function showProof(page) {
  const host = byId("proof-view"), { title, words, forced, certificate } = page.proof;
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

function showData(page) {
  const host = byId("data-view"), { classes, columns, words } = page.data;
  const share = (part, length) => html("span", { class: "bar", style: `width:${Math.max(part > 0 ? 1 : 0, Math.round(length * part))}px` });
  const total = Math.max(1, sum(classes.map((each) => each[1])));
  host.append(...words.map((each) => html("p", { class: "note" }, each)));
  host.append(html("div", { class: "scroll", tabindex: 0 }, tableOf(["class", "rows", "share"], classes.map(([name, rows]) =>
    [name, rows, html("span", {}, share(rows / total, 120), ` ${((100 * rows) / total).toFixed(1)}%`)]))));
  const lines = columns.map((each) => [
    each.name, each.kind, each.distinct, each.missing, each.values,
    each.weight === null ? "" : html("span", {}, share(each.weight, 80), ` ${(100 * each.weight).toFixed(0)}%`),
  ]);
  host.append(html("div", { class: "scroll", tabindex: 0 }, tableOf(["column", "kind", "distinct", "missing", "values", "share of the answers"], lines)));
}

function showRules(page) {
  const copy = button("Copy", "Copy the rules", () => navigator.clipboard?.writeText(page.rules).then(() => {
    copy.textContent = "Copied";
  }));
  copy.classList.add("copy");
  byId("rules-view").append(html("pre", { tabindex: 0 }, page.rules), copy);
}

function showPage() {
  const page = JSON.parse(byId("page-data").textContent);
  const tree = readTree(page.tree, page.target), table = readTable(page.table);
  const greedy = page.greedy ? readTree(page.greedy, page.target) : null;
  const asked = (of) => {
    let found = null; // made when first asked for
    return (number) => {
      found = found || rowsByNode(of, table);
      return { rows: found[number], all: table.shown === table.total, table };
    };
  };
  showHead(page);
  const view = new TreeView(byId("tree-view"), tree, "The tree", asked(tree), page.file);
  new RouteView(byId("route-view"), tree, table, page.target, (route) => view.setRoute(route));
  showGreedy({ ...page, own: tree }, greedy, asked(greedy));
  showBounds(page);
  showProof(page);
  showData(page);
  showRules(page);
  byId("footer").textContent = page.footer;
}

showPage();
