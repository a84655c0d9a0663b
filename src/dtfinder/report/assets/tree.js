/* The tree on the page: drawn, zoomed, folded, walked through with the keyboard, questioned by
   hovering. One object a tree; `rowsAt(number)` tells which rows of the table reach a node. */
"use strict";

const FEW = 30, FITS = 61; // nodes: more than few take the whole window, and up to FITS fit in it
const NARROW = 700; // a window this narrow is a phone's

const deepestOf = (tree) => tree.nodes.reduce((most, { level }) => Math.max(most, level), 0);

/* The level down to which the tree fits: the node after the last that does is deeper. */
function fittingLevel(tree) {
  const levels = tree.nodes.map((node) => node.level).sort((one, two) => one - two);
  return levels.length > FITS ? Math.max(1, levels[FITS] - 1) : Math.max(1, deepestOf(tree));
}

/* The rules of the page's style that a picture needs, with the colours as they are now. */
function pictureStyle() {
  const names = ["paper", "raised", "panel", "ink", "soft", "line", "edge", "accent", "sans"];
  const now = getComputedStyle(document.documentElement);
  const colours = names.map((name) => `--${name}:${now.getPropertyValue(`--${name}`)}`).join(";");
  const rules = [...document.styleSheets[0].cssRules].map((rule) => rule.cssText);
  return `svg{${colours};background:var(--panel)}${rules.filter((rule) => /^\.(node|branch)/.test(rule)).join("")}`;
}

class TreeView {
  constructor(host, tree, name, rowsAt, file) {
    this.tree = tree;
    this.rowsAt = rowsAt;
    this.file = file;
    this.folded = new Set();
    this.deepest = deepestOf(tree);
    this.fitting = fittingLevel(tree);
    this.route = new Set();
    this.at = 0;
    this.zoom = null; // null: as large as fits, but not below the least
    this.canvas = html("div", { class: "canvas" });
    this.picture = svg("svg", { role: "tree", "aria-label": name });
    this.canvas.append(this.picture);
    if (tree.nodes.length > FITS) this.foldBelow(this.fitting);
    if (tree.nodes.length > FEW) host.closest("#tree")?.classList.add("wide");
    if (tree.nodes.length > FITS) {
      const words = tree.cut || `The whole tree: ${amount(tree.size, "node")}, depth ${tree.depth}`;
      host.append(html("figure", { class: "overview" }, shapeOf(tree), html("figcaption", {}, words)));
    }
    host.append(this.toolbar(), this.canvas);
    // A tree that fits on a phone would be too small to read, so its root is in view.
    this.least = this.canvas.clientWidth < NARROW ? 0.6 : 0.05;
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.drag();
    this.draw();
    this.toRoot();
    new ResizeObserver(() => this.scale()).observe(this.canvas);
  }

  toolbar() {
    const scaled = (by) => () => this.zoomTo(this.shown() * by);
    const foldAll = () => {
      this.foldBelow(1);
      this.draw();
      this.toRoot();
    };
    const unfoldAll = () => {
      this.folded.clear();
      if (this.tree.nodes.length > FITS) this.least = 0.75;
      this.draw();
      this.toRoot();
    };
    return html(
      "div",
      { class: "toolbar" },
      button("−", "Zoom out", scaled(1 / 1.25)),
      button("+", "Zoom in", scaled(1.25)),
      button("Fit", "Fit the whole tree", () => this.fit()),
      button("Fold", "Fold all below the root's children", foldAll),
      button("Unfold", "Unfold everything", unfoldAll),
      ...(this.deepest > 2 ? [this.depths()] : []),
      button("SVG", "Download the picture as SVG", () => this.download("svg")),
      button("PNG", "Download the picture as PNG", () => this.download("png")),
      legend(this.tree.classes),
    );
  }

  depths() {
    const choices = [];
    for (let depth = 1; depth <= this.deepest; depth++) {
      choices.push(html("option", { value: depth }, `depth ${depth}`));
    }
    const select = html("select", { "aria-label": "Fold what is deeper than" }, ...choices);
    select.value = this.folded.size ? this.fitting : this.deepest;
    select.addEventListener("change", () => {
      this.foldBelow(Number(select.value));
      this.draw();
      this.toRoot();
    });
    return html("label", {}, "Down to ", select);
  }

  /* Fold all that is deeper than `depth`. */
  foldBelow(depth) {
    this.folded = new Set();
    this.tree.nodes.forEach((node, number) => {
      if (node.feature >= 0 && node.level === depth) this.folded.add(number);
    });
  }

  /* The picture as a file of its own: it has the style inside, and is named after the table. */
  download(kind) {
    const copy = this.picture.cloneNode(true), { width, height } = this.plan;
    copy.setAttribute("xmlns", SVG);
    copy.setAttribute("width", width);
    copy.setAttribute("height", height);
    copy.prepend(svg("title", {}, this.file), svg("style", {}, pictureStyle()));
    const text = new XMLSerializer().serializeToString(copy);
    const save = (blob) => {
      const link = html("a", { href: URL.createObjectURL(blob), download: `${this.file}.${kind}` });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 10000);
    };
    if (kind === "svg") return save(new Blob([text], { type: "image/svg+xml" }));
    const image = new Image();
    image.addEventListener("load", () => {
      const scale = Math.min(2, 16000 / width, 16000 / height);
      const canvas = html("canvas", { width: Math.ceil(width * scale), height: Math.ceil(height * scale) });
      canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
      canvas.toBlob(save, "image/png");
    });
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(text)}`;
    return undefined;
  }

  draw() {
    const focused = this.picture.contains(document.activeElement);
    const plan = (this.plan = layout(this.tree, (number) => this.folded.has(number)));
    if (!plan.order.includes(this.at)) this.at = 0;
    const branches = [], nodes = [];
    for (const number of plan.order) {
      const { zero, one } = this.tree.nodes[number];
      if (this.isOpen(number)) branches.push(this.branch(number, one, "yes"), this.branch(number, zero, "no"));
      nodes.push(this.node(number));
    }
    this.picture.setAttribute("viewBox", `0 0 ${plan.width} ${plan.height}`);
    this.picture.replaceChildren(...branches, ...nodes);
    this.scale();
    this.mark();
    if (focused) this.element(this.at).focus();
  }

  isOpen(number) {
    return this.tree.nodes[number].feature >= 0 && !this.folded.has(number);
  }

  element(number) {
    return this.picture.querySelector(`[data-node="${number}"]`);
  }

  branch(parent, child, word) {
    const from = this.plan.places[parent], to = this.plan.places[child];
    const start = from.y + this.plan.boxes[parent].height;
    const below = this.plan.bottoms[this.tree.nodes[parent].level];
    const middle = (below + to.y) / 2;
    const path = `M${from.x} ${start}V${below}C${from.x} ${middle} ${to.x} ${middle} ${to.x} ${to.y}`;
    return svg(
      "g",
      { class: "branch", "data-child": child, "aria-hidden": "true" },
      svg("path", { d: path }),
      svg("text", { x: (from.x + to.x) / 2, y: middle + 4, "font-size": SMALL }, word),
    );
  }

  node(number) {
    const { feature, label, counts, text, rows, level } = this.tree.nodes[number];
    const { lines, more, width, height } = this.plan.boxes[number];
    const { x, y } = this.plan.places[number];
    const leaf = feature < 0, total = sum(counts);
    const colour = leaf ? colourOf(label, counts.length) : null;
    const box = svg("rect", { class: "box", x: -width / 2, width, height, rx: leaf ? 12 : 5 });
    if (leaf) box.setAttribute("style", `--class:${colour}`);
    const words = lines.map((line, at) =>
      svg("text", { y: PAD + LINE * at + 12, "font-size": TEXT, "font-weight": leaf ? 600 : 400 }, line));
    const below = PAD + LINE * lines.length + 12;
    words.push(svg("text", { class: "rows", y: below, "font-size": SMALL }, rows));
    if (more) words.push(svg("text", { class: "rows", y: below + LINE, "font-size": SMALL }, more));
    const mix = [];
    let left = -width / 2 + PAD;
    for (let at = 0; !leaf && total && at < counts.length; at++) {
      const part = ((width - 2 * PAD) * counts[at]) / total;
      if (part) mix.push(svg("rect", { x: left, y: height - 7.5, width: part, height: 3.5, fill: colourOf(at, counts.length) }));
      left += part;
    }
    const under = more ? svg("rect", { class: "under", x: -width / 2 + 4, y: 4, width, height, rx: 5 }) : null;
    const made = svg(
      "g",
      {
        class: leaf ? "node leaf" : "node",
        "data-node": number,
        transform: `translate(${x} ${y})`,
        role: "treeitem",
        tabindex: number === this.at ? 0 : -1,
        "aria-level": level + 1,
        "aria-expanded": leaf ? null : String(!more),
        "aria-label": `${this.side(number)}${text}. ${rows}.`,
      },
      under, box, ...words, ...mix,
    );
    made.addEventListener("click", () => this.toggle(number));
    made.addEventListener("mouseenter", () => showTip(made, this.tip(number)));
    made.addEventListener("mouseleave", hideTip);
    made.addEventListener("focus", () => made.matches(":focus-visible") && showTip(made, this.tip(number)));
    made.addEventListener("blur", hideTip);
    return made;
  }

  side(number) {
    const parent = this.tree.nodes[number].parent;
    if (parent < 0) return "";
    return this.tree.nodes[parent].one === number ? "yes: " : "no: ";
  }

  /* What reaches the node: counts of classes, and the first of the rows. */
  tip(number) {
    const { counts, text } = this.tree.nodes[number];
    const total = sum(counts), classes = this.tree.classes;
    const lines = classes.map((name, label) => {
      const share = total ? counts[label] / total : 0;
      const style = `width:${Math.round(80 * share)}px;background:${colourOf(label, classes.length)}`;
      return [name, counts[label], `${(100 * share).toFixed(share > 0 && share < 0.01 ? 2 : 0)}%`, html("span", { class: "bar", style })];
    });
    const shown = lines.length > 12 ? lines.filter((line) => line[1]).slice(0, 12) : lines;
    const { rows, all, table } = this.rowsAt(number);
    const some = rows.slice(0, 14).map((row) => row + 1).join(", ");
    const listed = rows.length ? `Rows ${some}${rows.length > 14 ? ", …" : ""}` : "";
    return [
      html("h3", {}, text),
      tableOf([amount(total, "row"), "", "", ""], shown),
      ...this.distribution(number, rows, table),
      html("p", {}, listed + (all || !rows.length ? "" : " (of the rows in this file)")),
    ];
  }

  /* The values of the column at a split, by class, with the bound that splits them. */
  distribution(number, rows, table) {
    const { feature } = this.tree.nodes[number];
    if (feature < 0 || !rows.length) return [];
    const { column, test, values } = this.tree.features[feature];
    const found = rows.map((row) => ({ value: table.valueOf(column, row), label: table.labels[row] }));
    const numeric = test === "<=" && typeof values[0] === "number";
    return [numeric ? histogram(found, values[0], this.tree.classes.length) : bars(found, this.tree.features[feature], this.tree.classes.length)];
  }

  toggle(number) {
    if (this.tree.nodes[number].feature < 0) return;
    if (!this.folded.delete(number)) this.folded.add(number);
    this.at = number;
    hideTip();
    this.draw();
  }

  focus(number) {
    this.element(this.at).setAttribute("tabindex", -1);
    this.at = number;
    const next = this.element(number);
    next.setAttribute("tabindex", 0);
    next.focus();
    next.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /* The keys of a tree as screen readers know it: right opens or goes down, left closes or goes up. */
  onKey(event) {
    const { order } = this.plan, node = this.tree.nodes[this.at], place = order.indexOf(this.at);
    const keys = {
      Enter: () => this.toggle(this.at),
      " ": () => this.toggle(this.at),
      ArrowDown: () => place + 1 < order.length && this.focus(order[place + 1]),
      ArrowUp: () => place > 0 && this.focus(order[place - 1]),
      ArrowRight: () => {
        if (this.folded.has(this.at)) this.toggle(this.at);
        else if (node.feature >= 0) this.focus(node.one);
      },
      ArrowLeft: () => {
        if (this.isOpen(this.at)) this.toggle(this.at);
        else if (node.parent >= 0) this.focus(node.parent);
      },
      Home: () => this.focus(0),
      End: () => this.focus(order[order.length - 1]),
      "+": () => this.zoomTo(this.shown() * 1.25),
      "-": () => this.zoomTo(this.shown() / 1.25),
      0: () => this.fit(),
      Escape: hideTip,
    };
    if (!Object.hasOwn(keys, event.key) || event.ctrlKey || event.metaKey || event.altKey) return;
    event.preventDefault();
    keys[event.key]();
  }

  onWheel(event) {
    if (!event.ctrlKey && !event.metaKey) return; // plain scrolling stays scrolling
    event.preventDefault();
    this.zoomTo(this.shown() * Math.exp(-event.deltaY / 400));
  }

  shown() {
    const fits = (this.canvas.clientWidth - 2) / this.plan.width;
    return this.zoom === null ? Math.min(1, Math.max(fits, this.least)) : this.zoom;
  }

  fit() {
    this.least = 0.05;
    this.zoomTo(null);
  }

  /* Scroll so that the root is in the middle. */
  toRoot() {
    this.canvas.scrollTo(this.plan.places[0].x * this.shown() - this.canvas.clientWidth / 2, 0);
  }

  zoomTo(zoom) {
    const box = this.canvas, before = this.shown();
    const x = (box.scrollLeft + box.clientWidth / 2) / before, y = (box.scrollTop + box.clientHeight / 2) / before;
    this.zoom = zoom === null ? null : Math.min(4, Math.max(0.1, zoom));
    this.scale();
    const after = this.shown();
    box.scrollLeft = x * after - box.clientWidth / 2;
    box.scrollTop = y * after - box.clientHeight / 2;
  }

  scale() {
    this.picture.setAttribute("width", this.plan.width * this.shown());
    this.picture.setAttribute("height", this.plan.height * this.shown());
  }

  drag() {
    let from = null;
    this.canvas.addEventListener("pointerdown", (event) => {
      if (event.button || event.target.closest(".node") || event.pointerType === "touch") return;
      from = { x: event.clientX + this.canvas.scrollLeft, y: event.clientY + this.canvas.scrollTop };
      this.canvas.setPointerCapture(event.pointerId);
      this.canvas.classList.add("dragging");
    });
    this.canvas.addEventListener("pointermove", (event) => {
      if (from) this.canvas.scrollTo(from.x - event.clientX, from.y - event.clientY);
    });
    this.canvas.addEventListener("lostpointercapture", () => {
      from = null;
      this.canvas.classList.remove("dragging");
    });
  }

  setRoute(numbers) {
    this.route = new Set(numbers);
    this.mark();
  }

  mark() {
    for (const part of this.picture.children) {
      const number = Number(part.dataset.node ?? part.dataset.child);
      part.classList.toggle("on-route", this.route.has(number));
    }
  }
}

/* Stacked bars of {value, label}: numbers in bins, with the bound as a line. */
function histogram(found, bound, classes) {
  const present = found.filter(({ value }) => value !== null && Number.isFinite(value));
  const low = Math.min(bound, ...present.map(({ value }) => value)), high = Math.max(bound, ...present.map(({ value }) => value));
  const bins = 24, wide = 280, high_ = 64, span = high - low || 1;
  const counts = Array.from({ length: bins }, () => Array(classes).fill(0));
  for (const { value, label } of present) counts[Math.min(bins - 1, Math.floor((bins * (value - low)) / span))][label]++;
  const most = Math.max(1, ...counts.map(sum));
  const picture = svg("svg", { width: wide, height: high_ + 16, role: "img", "aria-label": "Values of the column at this node" });
  counts.forEach((of, bin) => {
    let top = high_;
    of.forEach((count, label) => {
      const tall = ((high_ - 4) * count) / most;
      if (count) picture.append(svg("rect", { x: (wide * bin) / bins, y: (top -= tall), width: wide / bins - 1, height: tall, fill: colourOf(label, classes) }));
    });
  });
  const x = Math.min(wide - 1, Math.max(1, (wide * (bound - low)) / span));
  picture.append(
    svg("line", { class: "axis", x1: 0, x2: wide, y1: high_, y2: high_ }),
    svg("line", { class: "bound", x1: x, x2: x, y1: 0, y2: high_ }),
    svg("text", { x: 0, y: high_ + 13 }, String(Number(low.toPrecision(6)))),
    svg("text", { x: wide, y: high_ + 13, "text-anchor": "end" }, String(Number(high.toPrecision(6)))),
  );
  return picture;
}

/* The commonest values, or where they are on either side of a date, as bars by class. */
function bars(found, feature, classes) {
  const counts = new Map();
  for (const { value, label } of found) {
    const name = value === null ? "missing" : String(value);
    if (!counts.has(name)) counts.set(name, { of: Array(classes).fill(0), yes: holds(feature, value) });
    counts.get(name).of[label]++;
  }
  const order = [...counts].sort((one, two) => two[1].yes - one[1].yes || sum(two[1].of) - sum(one[1].of)).slice(0, 8);
  const most = Math.max(1, ...order.map(([, { of }]) => sum(of)));
  const lines = order.map(([name, { of, yes }]) => [
    name.length > 28 ? `${name.slice(0, 27)}…` : name,
    yes ? "yes" : "no",
    html("span", {}, ...of.map((count, label) => html("span", { class: "bar", style: `width:${Math.round((90 * count) / most)}px;background:${colourOf(label, classes)}` }))),
  ]);
  const more = counts.size - order.length;
  return html("div", {}, tableOf(["value", "", ""], lines), more > 0 ? html("p", {}, `and ${amount(more, "more value")}`) : null);
}

function showTip(element, content) {
  const tip = byId("tip"), box = element.getBoundingClientRect();
  tip.replaceChildren(...content);
  tip.hidden = false;
  // Beside the node, where it hides neither the node nor what is below it.
  const right = box.right + 10 + tip.offsetWidth < innerWidth;
  const left = right ? box.right + 10 : Math.max(8, box.left - tip.offsetWidth - 10);
  tip.style.left = `${left}px`;
  tip.style.top = `${Math.max(8, Math.min(box.top, innerHeight - tip.offsetHeight - 8))}px`;
}

function hideTip() {
  byId("tip").hidden = true;
}
