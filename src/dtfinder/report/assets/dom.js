/* Small helpers to make elements. Text only ever enters as text, so no name can become markup. */
"use strict";

const SVG = "http://www.w3.org/2000/svg";

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null));
  return element;
}

const html = (name, attributes, ...children) =>
  fill(document.createElement(name), attributes, children);
const svg = (name, attributes, ...children) =>
  fill(document.createElementNS(SVG, name), attributes, children);
const byId = (id) => document.getElementById(id);

const amount = (number, thing) => `${number.toLocaleString("en")} ${thing}${number === 1 ? "" : "s"}`;
const sum = (numbers) => numbers.reduce((total, number) => total + number, 0);

function seconds(time) {
  if (time < 0.0095) return `${(time * 1000).toFixed(1)} ms`;
  if (time < 10) return `${time.toFixed(2)} s`;
  if (time < 120) return `${time.toFixed(1)} s`;
  return time < 7200 ? `${(time / 60).toFixed(1)} min` : `${(time / 3600).toFixed(1)} h`;
}

/* Okabe and Ito's colours, told apart by the colour-blind too; hues around the circle for more. */
const PALETTE = ["#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2"];
const colourOf = (label, classes) =>
  classes <= PALETTE.length ? PALETTE[label] : `hsl(${Math.round((label * 360) / classes)} 62% 55%)`;

const canvas = document.createElement("canvas").getContext("2d");
function textWidth(words, size, weight = 400) {
  canvas.font = `${weight} ${size}px ${getComputedStyle(document.body).fontFamily}`;
  return canvas.measureText(words).width;
}

function button(words, title, action) {
  const made = html("button", { type: "button", title, "aria-label": title }, words);
  made.addEventListener("click", action);
  return made;
}

/* Draws a figure, and again whenever its place gets another width: it needs other proportions then. */
function drawnToFit(place, draw) {
  let drawn = 0;
  const fit = () => {
    const wide = Math.round(Math.min(1060, Math.max(300, place.clientWidth)));
    if (wide !== drawn) draw((drawn = wide));
  };
  fit();
  new ResizeObserver(fit).observe(place);
}

function legend(classes) {
  return html(
    "span",
    { class: "legend" },
    ...classes.map((name, label) =>
      html("span", {}, html("i", { style: `background:${colourOf(label, classes.length)}` }), name)),
  );
}

function tableOf(heads, rows) {
  const cell = (kind) => (value) => {
    const number = typeof value === "number";
    const shown = number ? value.toLocaleString("en") : value;
    return html(kind, number ? { class: "number" } : {}, shown === null ? "" : shown);
  };
  const numeric = heads.map((_, place) => rows.length > 0 && typeof rows[0][place] === "number");
  const head = heads.map((name, place) =>
    html("th", { scope: "col", class: numeric[place] ? "number" : null }, name));
  return html(
    "table",
    {},
    html("thead", {}, html("tr", {}, ...head)),
    html("tbody", {}, ...rows.map((row) => html("tr", {}, ...row.map(cell("td"))))),
  );
}
