/* The bounds over time: steps from the left, the gap between them shaded. The proven bound is a
   solid line, the best tree a dashed one; both are named where they end. */
"use strict";

const HIGH = 270, LEFT = 46, TOP = 26, BOTTOM = 40;

function niceSteps(low, high, most) {
  const rough = (high - low) / most || 1;
  const power = 10 ** Math.floor(Math.log10(rough));
  return [1, 2, 5, 10].map((by) => by * power).find((step) => step >= rough - 1e-12);
}

/* Seconds to a place on the axis: a logarithm where almost all happened in the first moments. */
function timeAxis(times, end, space) {
  const first = Math.max(times[0] || 0, end / 1e5, 1e-4);
  const middle = times[Math.floor(times.length / 2)] || 0;
  const across = 0.97 * space; // what is last has a little room to be seen
  if (end / Math.max(middle, first) < 30) {
    const step = niceSteps(0, end, space / 120), ticks = [];
    for (let at = 0; at <= end * 1.0001; at += step) ticks.push(at);
    return { place: (time) => LEFT + (across * time) / end, ticks, name: "seconds" };
  }
  const low = Math.log10(first / 1.5), high = Math.log10(end);
  const ticks = [];
  for (let power = Math.ceil(low); power <= high; power++) ticks.push(10 ** power);
  const place = (time) => LEFT + (across * (Math.log10(Math.max(time, first / 1.5)) - low)) / (high - low || 1);
  return { place, ticks, name: "seconds, logarithmic" };
}

/* `points` are {time, lower, upper}, upper null before the first tree. Where it is not `wide`, the
   names of the lines stand on them, not beside them. */
function boundsChart(points, end, thing, wide) {
  const beside = wide >= 700, right = wide - (beside ? 190 : 14);
  const axis = timeAxis(points.map((point) => point.time), end, right - LEFT);
  const uppers = points.map((point) => point.upper).filter((upper) => upper !== null);
  const lowest = Math.min(...points.map((point) => point.lower));
  const highest = Math.max(...uppers, ...points.map((point) => point.lower));
  const whole = [lowest, highest].every(Number.isInteger);
  const step = Math.max(whole ? 1 : 0, niceSteps(lowest, highest, 5));
  const bottom = Math.floor(lowest / step) * step, top = Math.max(Math.ceil(highest / step) * step, bottom + step);
  const y = (value) => TOP + ((HIGH - TOP - BOTTOM) * (top - value)) / (top - bottom);
  const picture = svg("svg", { viewBox: `0 0 ${wide} ${HIGH}`, role: "img", "aria-label": `Bounds on the ${thing} over time` });
  for (let value = bottom; value <= top; value += step) {
    picture.append(
      svg("line", { class: "grid", x1: LEFT, x2: right, y1: y(value), y2: y(value) }),
      svg("text", { x: LEFT - 10, y: y(value) + 4, "text-anchor": "end" }, String(Number(value.toPrecision(6)))),
    );
  }
  for (const tick of axis.ticks) {
    picture.append(svg("text", { x: axis.place(tick), y: HIGH - BOTTOM + 20, "text-anchor": "middle" }, String(Number(tick.toPrecision(4)))));
  }
  picture.append(svg("text", { x: (LEFT + right) / 2, y: HIGH - 4, "text-anchor": "middle" }, axis.name));
  const line = (key, from) => {
    let path = `M${axis.place(from[0].time)} ${y(from[0][key])}`;
    for (const point of from.slice(1)) path += `H${axis.place(point.time)}V${y(point[key])}`;
    return `${path}H${right}`;
  };
  const known = points.filter((point) => point.upper !== null);
  if (known.length) {
    let back = "";
    for (const point of [...known].reverse()) back += `V${y(point.lower)}H${axis.place(point.time)}`;
    picture.append(svg("path", { class: "gap", d: `${line("upper", known)}${back}Z` }));
    picture.append(svg("path", { class: "upper", d: line("upper", known) }));
  }
  picture.append(svg("path", { class: "lower", d: line("lower", points) }));
  const moved = (key, from) => from.filter((point, at) => at === 0 || point[key] !== from[at - 1][key]);
  for (const [key, from, size] of [["upper", known, 4], ["lower", points, 3]]) {
    picture.append(...moved(key, from).map((point) =>
      svg("circle", { class: key, cx: axis.place(point.time), cy: y(point[key]), r: size })));
  }
  const last = points[points.length - 1], x = beside ? right + 10 : right;
  const name = (value, words, shift) => picture.append(
    svg("text", { class: "name", x, y: y(value) + shift, "text-anchor": beside ? "start" : "end" }, words));
  const close = !beside || (last.upper !== null && y(last.lower) - y(last.upper) < 20);
  const low = !beside && y(last.lower) + 20 > HIGH - BOTTOM; // no room below it
  if (last.upper !== null) name(last.upper, `best tree: ${last.upper}`, close ? (low ? -23 : -7) : 4);
  name(last.lower, `proven at least: ${last.lower}`, close ? (low ? -7 : 17) : 4);
  return html("figure", { class: "chart" }, picture);
}
