/* The tree on the page: drawn, zoomed, folded, walked through with the keyboard, questioned by
   hovering. One object a tree; `rowsAt(number)` tells which rows of the table reach a node. */
"use strict";

class TreeView {
  constructor(host, tree, name, rowsAt) {
    this.tree = tree;
    this.rowsAt = rowsAt;
    this.folded = new Set();
    this.route = new Set();
    this.at = 0;
    this.zoom = null; // null: as large as fits, but readable
    this.fitting = false; // as large as fits, however small
    this.canvas = html("div", { class: "canvas" });
    this.picture = svg("svg", { role: "tree", "aria-label": name });
    this.canvas.append(this.picture);
    host.append(this.toolbar(), this.canvas);
    this.canvas.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("wheel", (event) => this.onWheel(event), { passive: false });
    this.drag();
    this.draw();
    this.canvas.scrollLeft = this.plan.places[0].x * this.shown() - this.canvas.clientWidth / 2;
    new ResizeObserver(() => this.scale()).observe(this.canvas);
  }

  toolbar() {
    const scaled = (by) => () => this.zoomTo(this.shown() * by);
    const foldAll = () => {
      for (const child of [this.tree.nodes[0].one, this.tree.nodes[0].zero]) {
        if (child >= 0 && this.tree.nodes[child].feature >= 0) this.folded.add(child);
      }
      this.draw();
    };
    const unfoldAll = () => {
      this.folded.clear();
      this.draw();
    };
    return html(
      "div",
      { class: "toolbar" },
      button("−", "Zoom out", scaled(1 / 1.25)),
      button("+", "Zoom in", scaled(1.25)),
      button("Fit", "Fit the whole tree", () => this.fit()),
      button("Fold", "Fold all below the root's children", foldAll),
      button("Unfold", "Unfold everything", unfoldAll),
      legend(this.tree.classes),
    );
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
    const below = this.plan.bottoms[this.plan.level[parent]];
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
    const { feature, label, counts, text, rows } = this.tree.nodes[number];
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
        "aria-level": this.plan.level[number] + 1,
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
    const { rows, all } = this.rowsAt(number);
    const some = rows.slice(0, 14).map((row) => row + 1).join(", ");
    const listed = rows.length ? `Rows ${some}${rows.length > 14 ? ", …" : ""}` : "";
    return [
      html("h3", {}, text),
      tableOf([amount(total, "row"), "", "", ""], shown),
      html("p", {}, listed + (all || !rows.length ? "" : " (of the rows in this file)")),
    ];
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
    return this.zoom === null ? Math.min(1, Math.max(fits, this.fitting ? 0.05 : 0.75)) : this.zoom;
  }

  fit() {
    this.fitting = true;
    this.zoomTo(null);
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
      this.canvas.classList.add("dragging");
    });
    window.addEventListener("pointermove", (event) => {
      if (from) this.canvas.scrollTo(from.x - event.clientX, from.y - event.clientY);
    });
    window.addEventListener("pointerup", () => {
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
