"""A tree or a result as a notebook shows it: plain HTML and a style, no script, no network.

The boxes are nested lists that lay themselves out, so nothing has to be measured; the lines between
them are borders. Colours come from the notebook's own ink, so that it reads in light and in dark.
"""

from __future__ import annotations

from html import escape
from importlib.resources import files

from dtfinder.data.dataset import show_value
from dtfinder.report.text import (
    drawn,
    front_summary,
    leaf_text,
    printable,
    rows_text,
    short_text,
    summary,
)
from dtfinder.result import Front, Result
from dtfinder.tree import Tree

_MOST_BOXES = 31  # a larger tree would be wider than a notebook, and is shown as text
_COLOURS = ("#56b4e9", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#0072b2")


def result_html(result: Result) -> str:
    """The status and the bounds in words, over the tree."""
    mark = "✓" if result.status == "optimal" else "○"
    words = f"<p><b>{mark} {escape(summary(result).replace('<=', '≤'))}</b></p>"
    return _page(words + _tree(result.tree))


def front_html(front: Front) -> str:
    """Errors and what is proven for every size, and the chosen tree, if one was chosen."""
    chosen = front.choice.nodes if front.choice else None
    held_out = "<th>right on rows held out</th>" if chosen else ""
    head = f"<tr><th>nodes</th><th>errors</th><th>proven</th><th>depth</th>{held_out}</tr>"
    rows = []
    for inner, result in enumerate(front):
        least = f"at least {result.weight(result.errors_lower_bound):g}"
        cells = [2 * inner + 1, f"{result.error_weight:g}"]
        cells += ["✓" if result.status == "optimal" else least, result.depth]
        if (size := result.held_out) is not None:
            cells.append(f"{100 * size.accuracy:.1f}% ± {100 * size.standard_error:.1f}")
        style = ' style="font-weight:600"' if 2 * inner + 1 == chosen else ""
        rows.append(f"<tr{style}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    words = f"<p><b>{escape(front_summary(front).replace('<=', '≤'))}</b></p>"
    tree = _tree(front[chosen // 2].tree) if chosen else ""
    return _page(f"{words}<table>{head}{''.join(rows)}</table>{tree}")


def tree_html(tree: Tree) -> str:
    """The tree alone."""
    return _page(_tree(tree))


def _page(inside: str) -> str:
    style = (files("dtfinder.report") / "assets" / "notebook.css").read_text(encoding="utf-8")
    return f'<style>\n{style}</style><div class="dtfinder">{inside}</div>'


def _tree(tree: Tree) -> str:
    if tree.size > _MOST_BOXES:
        return f"<pre>{escape(short_text(tree))}</pre>"
    return _boxes(tree)


def _boxes(tree: Tree) -> str:
    """Nested lists, a test's `yes` side first. What is to be written is on a stack of our own."""
    parts = ['<ul class="dtf-root">']
    todo: list[tuple[int, str] | str] = ["</ul>", (0, "")]
    while todo:
        step = todo.pop()
        if isinstance(step, str):
            parts.append(step)
            continue
        number, word = step
        node = tree.nodes[number]
        parts.append(f"<li>{f'<i>{word}</i>' if word else ''}{_box(tree, number)}")
        if node.feature < 0:
            parts.append("</li>")
        else:
            parts.append("<ul>")
            todo += ["</ul></li>", (node.zero, "no"), (node.one, "yes")]
    return "".join(parts)


def _box(tree: Tree, number: int) -> str:
    node, counts = tree.nodes[number], tree.counts[number]
    mix = ", ".join(
        f"{printable(show_value(label))}: {count}"
        for label, count in zip(tree.classes, counts, strict=True)
    )
    rows = f"<small>{escape(rows_text(tree, number))}</small>"
    if node.feature >= 0:
        words = escape(drawn(tree.features[node.feature]))
        return f'<span class="dtf-box" title="{escape(mix)}">{words}{rows}</span>'
    colour = _colour(node.label, len(tree.classes))
    style = f"border-color:{colour};background:{colour}3d"
    words = escape(leaf_text(tree, number))
    return (
        f'<span class="dtf-box dtf-leaf" style="{style}" title="{escape(mix)}">{words}{rows}</span>'
    )


def _colour(label: int, classes: int) -> str:
    if classes <= len(_COLOURS):
        return _COLOURS[label]
    from colorsys import hls_to_rgb

    parts = hls_to_rgb(label / classes, 0.55, 0.62)
    return "#" + "".join(f"{round(255 * part):02x}" for part in parts)
