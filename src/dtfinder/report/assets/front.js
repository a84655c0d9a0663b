/* The front: errors against nodes, and the size that is shown. A size is chosen by a click on the
   figure, the slider or the arrow keys; `onChoose(place)` is told. */
"use strict";

const TALL = 340, AXIS = 52, HEAD = 30, FOOT = 46;

/* Signs of the figure, for its legend too: proven points are full, open ones hollow. */
const SIGNS = {
  proven: (x, y) => svg("circle", { class: "ours", cx: x, cy: y, r: 4.5 }),
  open: (x, y) => svg("circle", { class: "ours open", cx: x, cy: y, r: 4.5 }),
  band: (x, y) => svg("rect", { class: "band", x: x - 9, y: y - 6, width: 18, height: 12 }),
  greedy: (x, y) => svg("rect", { class: "pruned", x: x - 3.5, y: y - 3.5, width: 7, height: 7 }),
  held: (x, y) => svg("path", { class: "held", d: `M${x} ${y - 5}l5 5l-5 5l-5 -5Z` }),
};

class FrontView {
  constructor(front, views, onChoose) {
    this.front = front;
    this.views = views;
    this.onChoose = onChoose;
    this.at = front.start;
    this.place = html("div", { class: "figure" });
    this.slider = html("input", { type: "range", id: "size", min: 0, max: front.points.length - 1, step: 1 });
    this.slider.addEventListener("input", () => this.choose(Number(this.slider.value)));
    this.words = html("output", { for: "size", id: "size-words" });
    byId("front-view").append(this.place, this.legend());
    if (front.note) byId("front-view").append(html("p", { class: "note" }, front.note));
    const step = (by) => () => this.choose(this.at + by);
    byId("sizes").append(
      html("label", { for: "size" }, "Size"),
      button("‹", "Smaller tree", step(-1)), this.slider, button("›", "Larger tree", step(1)), this.words,
    );
    drawnToFit(this.place, (wide) => this.draw(wide));
    this.mark();
  }

  legend() {
    const { points, greedy, held, folds } = this.front;
    const open = points.some((point) => !point.proven);
    const signs = [
      ["proven", "fewest possible, proven"],
      ...(open ? [["open", "best found"], ["band", "open: down to what is proven"]] : []),
      ...(held.length ? [["held", `rows held out, ${folds} folds, ± standard error`]] : []),
      ...(greedy.length ? [["greedy", "scikit-learn, pruned"]] : []),
    ];
    return html("p", { class: "signs" }, ...signs.map(([sign, words]) =>
      html("span", {}, svg("svg", { width: 20, height: 14, "aria-hidden": "true" }, SIGNS[sign](10, 7)), words)));
  }

  draw(wide) {
    const { points, greedy, held, thing, chosen } = this.front;
    const right = wide - 18, last = points[points.length - 1].nodes;
    const { top, step, cut } = this.scale();
    const x = (this.x = (nodes) => (last > 1 ? AXIS + 12 + ((right - AXIS - 24) * (nodes - 1)) / (last - 1) : (AXIS + right) / 2));
    const y = (share) => HEAD + ((TALL - HEAD - FOOT) * (top - Math.min(share, top))) / top;
    const picture = svg("svg", { viewBox: `0 0 ${wide} ${TALL}`, role: "slider", tabindex: 0, "aria-label": "Size of the tree", "aria-valuemin": 1, "aria-valuemax": last });
    this.cursor = svg("rect", { class: "cursor", y: HEAD - 6, width: 22, height: TALL - HEAD - FOOT + 12, rx: 6 });
    picture.append(this.cursor);
    for (let share = 0; share <= top + 1e-9; share += step) {
      picture.append(
        svg("line", { class: "grid", x1: AXIS, x2: right, y1: y(share), y2: y(share) }),
        svg("text", { x: AXIS - 10, y: y(share) + 4, "text-anchor": "end" }, `${Number(share.toPrecision(3))}%`),
      );
    }
    const every = Math.max(1, Math.ceil(niceSteps(0, last, (right - AXIS) / 46) / 2)); // sizes are odd
    points.forEach(({ nodes }, at) => {
      if (at % every === 0) picture.append(svg("text", { x: x(nodes), y: TALL - FOOT + 20, "text-anchor": "middle" }, String(nodes)));
    });
    picture.append(
      svg("text", { x: (AXIS + right) / 2, y: TALL - 6, "text-anchor": "middle" }, "nodes"),
      svg("text", { x: 4, y: 14 }, thing),
    );
    const line = (of) => of.map((each, at) => `${at ? "L" : "M"}${x(each.nodes)} ${y(each.share)}`).join("");
    if (points.some((point) => point.lower < point.share)) {
      const back = [...points].reverse().map((point) => `L${x(point.nodes)} ${y(point.lower)}`).join("");
      picture.append(svg("path", { class: "band", d: `${line(points)}${back}Z` }));
    }
    if (greedy.length) picture.append(svg("path", { class: "pruned line", d: line(greedy) }), ...greedy.map((each) => SIGNS.greedy(x(each.nodes), y(each.share))));
    if (chosen !== null) this.drawChoice(picture, chosen, right);
    if (held.length) {
      const bars = held.map((each) => `M${x(each.nodes)} ${y(Math.min(top, each.share + each.error))}V${y(Math.max(0, each.share - each.error))}`);
      picture.append(svg("path", { class: "held line", d: bars.join("") }), ...held.map((each) => SIGNS.held(x(each.nodes), y(each.share))));
    }
    picture.append(svg("path", { class: "ours line", d: line(points) }));
    this.dots = points.map((point) => SIGNS[point.proven ? "proven" : "open"](x(point.nodes), y(point.share)));
    picture.append(...this.dots);
    if (cut) picture.append(svg("text", { class: "name", x: x(1) + 9, y: HEAD + 4 }, `↑ ${points[0].share.toFixed(1)}%`));
    this.listen(picture);
    this.picture = picture;
    this.place.replaceChildren(html("figure", { class: "chart front" }, picture));
    this.mark();
  }

  /* The axis of errors. A single leaf often makes many times the errors of all other trees; then it is
     cut off, and its errors are written beside it, so that the others can be told apart. */
  scale() {
    const { points, greedy, held } = this.front;
    const highest = (least) => Math.max(1, ...[...points, ...greedy, ...held].filter((each) => each.nodes >= least).map((each) => each.share + (each.error || 0)));
    const cut = points.length > 2 && points[0].share > 2 * highest(3);
    const most = highest(cut ? 3 : 1), step = niceSteps(0, most, 6);
    return { top: Math.ceil(most / step - 1e-9) * step, step, cut };
  }

  drawChoice(picture, chosen, right) {
    const at = this.x(chosen), after = at + 190 < right;
    picture.append(
      svg("line", { class: "chosen", x1: at, x2: at, y1: HEAD - 6, y2: TALL - FOOT }),
      svg("text", { class: "name", x: at + (after ? 7 : -7), y: HEAD - 12, "text-anchor": after ? "start" : "end" }, "chosen by cross-validation"),
    );
  }

  listen(picture) {
    const nearest = (event) => {
      const box = picture.getBoundingClientRect(), scale = picture.viewBox.baseVal.width / box.width;
      const across = (event.clientX - box.left) * scale;
      const far = this.front.points.map(({ nodes }) => Math.abs(this.x(nodes) - across));
      return far.indexOf(Math.min(...far));
    };
    picture.addEventListener("click", (event) => this.choose(nearest(event)));
    picture.addEventListener("mousemove", (event) => {
      const at = nearest(event);
      if (at !== this.tipped || byId("tip").hidden) showTip(this.dots[(this.tipped = at)], this.tip(at));
    });
    picture.addEventListener("mouseleave", hideTip);
    picture.addEventListener("keydown", (event) => {
      const last = this.front.points.length - 1;
      const to = { ArrowLeft: this.at - 1, ArrowDown: this.at - 1, ArrowRight: this.at + 1, ArrowUp: this.at + 1, Home: 0, End: last }[event.key];
      if (to === undefined || event.ctrlKey || event.metaKey || event.altKey) return;
      event.preventDefault();
      this.choose(to);
    });
  }

  tip(at) {
    const { points, held, greedy } = this.front, point = points[at];
    const lines = [[point.proven ? "fewest possible" : "best found", `${point.errors} (${point.share.toFixed(1)}%)`]];
    if (!point.proven) lines.push(["proven at least", point.least]);
    const out = held.find((each) => each.nodes === point.nodes);
    if (out) lines.push(["rows held out", `${out.share.toFixed(1)}% ± ${out.error.toFixed(1)} wrong`]);
    const other = greedy.filter((each) => each.nodes <= point.nodes).pop();
    if (other) lines.push([`scikit-learn, ${other.nodes}`, `${other.share.toFixed(1)}% wrong`]);
    return [html("h3", {}, `at most ${amount(point.nodes, "node")}`), tableOf(["", ""], lines)];
  }

  choose(at) {
    const to = Math.max(0, Math.min(this.front.points.length - 1, at));
    if (to === this.at) return;
    this.at = to;
    hideTip();
    this.mark();
    this.onChoose(to);
  }

  mark() {
    const { nodes, errors, proven, least } = this.front.points[this.at];
    const words = `${amount(nodes, "node")}: ${errors}${proven ? ", proven" : `, ${least} proven`}`;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", words);
    this.words.replaceChildren(html("b", {}, amount(nodes, "node")), ` ${errors}, `, proven ? "✓ proven" : `○ at least ${least}`);
    if (!this.picture) return;
    this.cursor.setAttribute("x", this.x(nodes) - 11);
    this.picture.setAttribute("aria-valuenow", nodes);
    this.picture.setAttribute("aria-valuetext", words);
    this.dots.forEach((dot, at) => dot.classList.toggle("shown", at === this.at));
  }
}

/* Rows to look at again: the trades, and the rows, whose route can be shown. */
function showAudit(audit, onRow) {
  if (!audit) {
    byId("audit").hidden = true;
    return;
  }
  const host = byId("audit-view");
  host.append(html("p", {}, audit.words));
  if (audit.contradicting) host.append(html("p", {}, audit.contradicting));
  const { steps, suspects } = audit;
  if (!suspects.rows.length) return;
  const asked = suspects.rows.map(([row, ...rest]) =>
    [html("span", {}, button(row, `Show the route of row ${row}`, () => onRow(row - 1))), ...rest]);
  const scrolled = (table) => html("div", { class: "scroll", tabindex: 0 }, table);
  host.append(scrolled(tableOf(steps.heads, steps.rows)), scrolled(tableOf(suspects.heads, asked)));
  if (audit.hidden) host.append(html("p", { class: "note" }, `and ${amount(audit.hidden, "row")} that cost less`));
}
