/* Where the boxes of a drawn tree go: Reingold and Tilford's idea, on the nodes that are not folded
   away. Each subtree is known by its outline, the leftmost and rightmost edge on each level; two
   subtrees are pushed together until on some level two boxes are a gap apart. */
"use strict";

const TEXT = 13, SMALL = 11.5, PAD = 10, LINE = 17, GAP = 14, MARGIN = 22, WRAP = 150;

/* The text in lines no wider than WRAP; a relation stays with what follows it, and a word that is
   too long is broken. Beyond nine lines the rest is in the tip. */
function wrap(words, size) {
  const lines = [];
  let line = "";
  const put = (piece) => {
    const longer = line ? `${line} ${piece}` : piece;
    if (textWidth(longer, size) <= WRAP || !piece) {
      line = longer;
      return;
    }
    if (line) lines.push(line);
    line = "";
    for (const letter of piece) {
      if (line && textWidth(line + letter, size) > WRAP) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  };
  words.split(" ").forEach(put);
  lines.push(line);
  return lines.length > 9 ? [...lines.slice(0, 8), `${lines[8].slice(0, -1)}…`] : lines;
}

function boxOf(tree, number, folded) {
  const lines = wrap(tree.nodes[number].text, TEXT);
  const rows = tree.nodes[number].rows;
  const more = folded ? `+ ${amount(tree.nodes[number].below, "node")} folded` : "";
  const widest = Math.max(...lines.map((line) => textWidth(line, TEXT, 600)));
  const inside = Math.max(widest, textWidth(rows, SMALL), textWidth(more, SMALL), 34);
  const height = PAD + LINE * lines.length + LINE + (more ? LINE : 0) + PAD;
  return { lines, rows, more, width: Math.ceil(inside) + 2 * PAD + 4, height };
}

/* The place of every visible node, {x, y} of the middle of its upper edge, and the whole's size. */
function layout(tree, isFolded) {
  const open = (number) => tree.nodes[number].feature >= 0 && !isFolded(number);
  const level = (number) => tree.nodes[number].level;
  const order = [], todo = [0];
  while (todo.length) {
    const number = todo.pop();
    order.push(number);
    if (!open(number)) continue;
    const { zero, one } = tree.nodes[number];
    todo.push(zero, one);
  }
  const boxes = [], offset = [], outline = [];
  for (const number of order) boxes[number] = boxOf(tree, number, isFolded(number));
  for (const number of [...order].reverse()) {
    const half = boxes[number].width / 2;
    outline[number] = { left: [-half], right: [half] };
    if (!open(number)) continue;
    const { zero, one } = tree.nodes[number];
    const [left, right] = [outline[one], outline[zero]];
    let apart = 0;
    for (let at = 0; at < Math.min(left.right.length, right.left.length); at++) {
      apart = Math.max(apart, left.right[at] - right.left[at] + GAP);
    }
    [offset[one], offset[zero]] = [-apart / 2, apart / 2];
    const levels = Math.max(left.left.length, right.left.length);
    for (let at = 0; at < levels; at++) {
      const inLeft = at < left.left.length, inRight = at < right.left.length;
      outline[number].left.push(inLeft ? left.left[at] - apart / 2 : right.left[at] + apart / 2);
      outline[number].right.push(inRight ? right.right[at] + apart / 2 : left.right[at] - apart / 2);
    }
  }
  const places = [], heights = [];
  const width = Math.max(...outline[0].right) - Math.min(...outline[0].left);
  for (const number of order) {
    heights[level(number)] = Math.max(heights[level(number)] || 0, boxes[number].height);
  }
  // The wider the tree, the farther apart its levels, so that no branch runs almost flat.
  const between = Math.min(Math.max(46, (0.3 * width) / heights.length), 96);
  const tops = heights.map((_, at) => MARGIN + sum(heights.slice(0, at)) + at * between);
  places[0] = { x: MARGIN - Math.min(...outline[0].left), y: tops[0] };
  for (const number of order.filter(open)) {
    for (const child of [tree.nodes[number].one, tree.nodes[number].zero]) {
      places[child] = { x: places[number].x + offset[child], y: tops[level(child)] };
    }
  }
  const bottoms = tops.map((top, at) => top + heights[at]);
  return {
    order, boxes, places, bottoms, between,
    width: width + 2 * MARGIN,
    height: bottoms[bottoms.length - 1] + MARGIN,
  };
}
