"""A result in words: the tree with one node per line, and one line about what is proven.

    outlook = overcast
    ├─ yes: play = yes  (4 rows)
    └─ no: humidity <= 77.5
       ├─ yes: …

Everything here returns text; the caller writes it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from dtfinder.advice import Choice, SizeScore
from dtfinder.data.dataset import Dataset, Feature, show_value
from dtfinder.problem import DEPTH
from dtfinder.report.cut import MOST_LINES, Cut, cut
from dtfinder.result import Front, Result
from dtfinder.tree import Tree

FROM_CHECKPOINT = "bounds taken from the checkpoint"
_BOX = ("├─ ", "│  ", "└─ ", "   ")
_ASCII = ("|- ", "|  ", "`- ", "   ")


def describe(result: Result, *, box: bool = True) -> str:
    """The tree, or the top of a very large one, and the line about it."""
    weighted = result.weight_unit is not None
    words = result.choice and (preferred_text(result) or choice_text(result.choice, weighted))
    choice = f"{words}\n" if words else ""
    return f"{short_text(result.tree, box=box)}\n{summary(result)}\n{choice}"


def preferred_text(result: Result) -> str:
    """That cross-validation prefers another size, if that is known; otherwise nothing."""
    own, choice = result.held_out, result.choice
    if own is None or choice is None or own == choice.chosen:
        return ""
    size = f"at most {amount(choice.nodes, 'node')}"
    chosen, here = (
        _accuracy(each, result.weight_unit is not None) for each in (choice.chosen, own)
    )
    return f"cross-validation prefers {size}, {chosen}, to {here} here"


def short_text(tree: Tree, *, box: bool = True) -> str:
    """The tree, or the top of a very large one."""
    return tree_text(tree, box=box, most=MOST_LINES)


def tree_text(tree: Tree, *, box: bool = True, most: int | None = None) -> str:
    """The tree, one node per line; without `box` the branches are drawn in ASCII. Of a tree of more
    than `most` nodes only the top is shown."""
    top = cut(tree, most or tree.size)
    text = "".join(f"{line}\n" for line in _lines(top, _BOX if box else _ASCII))
    if top.hidden:
        text += f"\n{hidden_text(top)} --tree, --json and the exports have all.\n"
    return text


def hidden_text(top: Cut) -> str:
    """That not all of a tree is shown."""
    shown = top.tree.size
    return f"This is the top of the tree, {shown:,} of {shown + top.hidden:,} nodes."


def _lines(top: Cut, marks: tuple[str, ...]) -> Iterator[str]:
    tree = top.tree
    fork, bar, end, blank = marks
    # A stack of our own: a tree may be deeper than Python's.
    todo = [(0, "", "")]
    while todo:
        number, first, rest = todo.pop()
        node = tree.nodes[number]
        if number in top.below:
            rows = amount(sum(tree.counts[number]), "row")
            yield f"{first}… {amount(top.below[number] + 1, 'node')}  ({rows})"
            continue
        if node.feature < 0:
            yield f"{first}{leaf_text(tree, number)}  ({rows_text(tree, number)})"
            continue
        yield f"{first}{printable(tree.features[node.feature].name)}"
        todo.append((node.zero, f"{rest}{end}no: ", rest + blank))
        todo.append((node.one, f"{rest}{fork}yes: ", rest + bar))


def leaf_text(tree: Tree, number: int) -> str:
    """The class that a leaf gives, e.g. `play = yes`."""
    return printable(f"{tree.target} = {show_value(tree.classes[tree.nodes[number].label])}")


def rows_text(tree: Tree, number: int) -> str:
    """How many rows reach a node, and for a leaf how many of them it gets wrong."""
    counts = tree.counts[number]
    label = tree.nodes[number].label
    wrong = sum(counts) - counts[label] if label >= 0 else 0
    return amount(sum(counts), "row") + (f", {wrong} wrong" if wrong else "")


def summary(result: Result) -> str:
    """One line: status, size, depth, what is proven, errors, time, method."""
    if result.may_err:
        parts = _errors_first(result)
    else:
        parts = _proven(result) if result.status == "optimal" else _bounded(result)
        errors = errors_text(result, result.errors)
        if result.errors:
            errors += " (unavoidable: rows that contradict each other)"
        parts.append(errors)
    parts += [*_asking(result), f"{result.seconds:.2f} s", f"method {result.method}"]
    return f"{result.status}: {', '.join(parts)}"


_QUESTIONS = {
    "auto": "x <= t where values have an order and x = v where not",
    "unary": "x = v",
    "threshold": "x <= t",
    "binary": "bits of the number of a value",
    "both": "x <= t and x = v",
}


def questions(dataset: Dataset) -> str:
    """The questions that trees may ask: what is proven holds among these trees."""
    asked = _QUESTIONS[dataset.binarise]
    if dataset.max_thresholds is not None:
        asked += f", at most {amount(dataset.max_thresholds, 'threshold')} per column"
    return asked


def _asking(result: Result) -> list[str]:
    """The questions, unless they are the usual ones."""
    if result.questions:
        return [f"among trees that ask {result.questions}"]
    data = result.dataset
    if data is None or (data.binarise, data.max_thresholds) == ("auto", None):
        return []
    return [f"among trees that ask {questions(data)}"]


def _errors_first(result: Result) -> list[str]:
    """What is said of a tree that may err: its errors first, unless size or cost is the aim."""
    optimal = result.status == "optimal"
    nodes, depth = amount(result.nodes, "node"), f"depth {result.depth}"
    shape = [depth, nodes] if result.minimise == DEPTH else [nodes, depth]
    errors = errors_text(result, result.errors)
    limits, proof = limits_text(result), f"{claim_text(result)} ({_by(result)})"
    if result.leaf_penalty is not None:
        cost = f"cost {result.cost:.6g}"
        if optimal:
            return [cost, errors, *shape, proof]
        cost += f" (at least {result.cost_lower_bound:.6g})"
        return [cost, errors, *shape, *_trusted(result), stop_text(result)]
    if result.max_errors is not None:
        most = f"with at most {errors_text(result, result.max_errors)}"
        if optimal:
            return [*shape, errors, proof]
        least = f"at least {amount(result.lower_bound, 'node')} needed {most}"
        return [*shape, errors, least, *_trusted(result), stop_text(result)]
    if optimal:
        return [errors, *shape, proof]
    least = f"{result.weight(result.errors_lower_bound):g}"
    errors += f" (every tree{limits} has at least {least})"
    return [errors, *shape, *_trusted(result), stop_text(result)]


def claim_text(result: Result) -> str:
    """What is proven of an optimal tree that may err."""
    limits = limits_text(result)
    better = "shallower, or as deep and smaller" if result.minimise == DEPTH else "smaller"
    if result.leaf_penalty is not None:
        return f"no tree{limits} costs less"
    if result.max_errors is not None:
        return f"no tree{limits} with at most {errors_text(result, result.max_errors)} is {better}"
    fewer = "makes fewer errors" if result.weight_unit is None else "has less error weight"
    few = "as few" if result.weight_unit is None else "as little"
    return f"no tree{limits} {fewer}, and none with {few} is {better}"


def errors_text(result: Result, errors: int) -> str:
    """The number of errors, or their weight where rows have weights."""
    if result.weight_unit is None:
        return amount(errors, "error")
    text = f"error weight {result.weight(errors):g}"
    if result.tree.weights is not None:
        text += f" of {result.weight(result.tree.total):g}"
    return text


def limits_text(result: Result) -> str:
    """The limits in words, e.g. ` of at most 7 nodes and depth at most 3`."""
    words = []
    if result.max_nodes is not None:
        words.append(f"at most {amount(result.max_nodes, 'node')}")
    if result.max_depth is not None:
        words.append(f"depth at most {result.max_depth}")
    return f" of {' and '.join(words)}" if words else ""


def front_text(front: Front) -> str:
    """One line for each size: the fewest errors, whether that is proven, the depth of the tree."""
    sizes = front.choice.sizes if front.choice else ()
    weighted = front[0].weight_unit is not None
    head = ["nodes", "error weight" if weighted else "errors", "proven", "depth"]
    lines = [head + ["cross-validated"] * bool(sizes)]
    for inner, result in enumerate(front):
        nodes, least = 2 * inner + 1, f"at least {result.weight(result.errors_lower_bound):g}"
        proven = "yes" if result.status == "optimal" else least
        line = [f"{nodes}", f"{result.error_weight:g}", proven, f"{result.depth}"]
        if sizes:
            mark = "  chosen" * (front.choice is not None and front.choice.nodes == nodes)
            line.append(f"{sizes[inner].accuracy:.3f} ± {sizes[inner].standard_error:.3f}{mark}")
        lines.append(line)
    table = aligned(lines, [str.rjust, str.rjust, str.ljust, str.rjust, str.ljust][: len(lines[0])])
    choice = f"{choice_text(front.choice, weighted)}\n" if front.choice else ""
    return "\n".join(table) + f"\n\n{front_summary(front)}\n{choice}"


def choice_text(choice: Choice, weighted: bool = False) -> str:
    """One line: the size that cross-validation chose, its accuracy, and that of the best size.
    Where rows are weighted, the accuracy is the share of their weight that is right."""
    chosen, best = choice.chosen, choice.best
    line = f"cross-validated: at most {amount(chosen.nodes, 'node')}, {_accuracy(chosen, weighted)}"
    some = f"{choice.judged} of " if choice.judged < choice.folds else ""
    line += f" on {some}{choice.folds} folds"
    if chosen != best:
        line += (
            "; the smallest size within one standard error of the best, "
            f"{_accuracy(best, weighted)} at {amount(best.nodes, 'node')}"
        )
    return line


def _accuracy(size: SizeScore, weighted: bool) -> str:
    return f"{'weighted ' * weighted}accuracy {size.accuracy:.3f} ± {size.standard_error:.3f}"


def front_summary(front: Front) -> str:
    """One line: how far the front is proven, from how many errors to how many, time, method."""
    first, last = front[0], front[-1]
    sizes = f"{front.proven} of {amount(len(front), 'size')} proven"
    errors = f"from {errors_text(first, first.errors)} to {last.error_weight:g}"
    parts = [sizes, f"{errors} at {amount(2 * len(front) - 1, 'node')}"]
    parts += _asking(first)
    if front.stopped_by is not None:
        parts.append(f"stopped: {front.stopped_by}")
    return ", ".join([*parts, f"{front.seconds:.2f} s", f"method {front.method}"])


def _proven(result: Result) -> list[str]:
    nodes, depth = amount(result.nodes, "node"), f"depth {result.depth}"
    limits, by = within(result), _by(result)
    if result.minimise == DEPTH:
        return [depth, nodes, f"no tree{limits} is shallower, or as deep and smaller ({by})"]
    return [nodes, depth, f"no smaller tree{limits} exists ({by})"]


def _bounded(result: Result) -> list[str]:
    size = f"{amount(result.nodes, 'node')} (at least {result.lower_bound} needed"
    size += f", gap {result.nodes - result.lower_bound})"
    depth = f"depth {result.depth}"
    parts = [size, depth]
    if result.minimise == DEPTH:
        depth += f" (at least {result.depth_lower_bound} needed"
        depth += f", gap {result.depth - result.depth_lower_bound})"
        parts = [depth, size]
    if limits := within(result):
        parts.append(f"among trees{limits}")
    return [*parts, *_trusted(result), stop_text(result)]


def _by(result: Result) -> str:
    """How an optimum is known: a run proves nothing that it took from a checkpoint."""
    if not result.from_checkpoint:
        return "proven"
    return FROM_CHECKPOINT + ("" if result.certificate is None else "; check the certificate")


def _trusted(result: Result) -> list[str]:
    return [FROM_CHECKPOINT] if result.from_checkpoint else []


def within(result: Result) -> str:
    """The limit that the proof depends on: the other one only says that there is a tree."""
    if result.minimise == DEPTH:
        most = result.max_nodes
        return f" of at most {amount(most, 'node')}" if most is not None else ""
    return f" of depth at most {result.max_depth}" if result.max_depth is not None else ""


def stop_text(result: Result) -> str:
    """Why a run that proved no optimum ended."""
    if result.stopped_by == "method":
        return f"{result.method} proves no more"
    if result.stopped_by == "time limit":
        return "stopped: time limit of the search"
    return f"stopped: {result.stopped_by}"


def plot_title(result: Result, name: str = "") -> str:
    """One short line above the picture: which table, what it predicts, and how good it is."""
    of_what = printable(f"{name}: {result.tree.target}" if name else result.tree.target)
    size = f"{of_what} – {amount(result.nodes, 'node')}, depth {result.depth}"
    if result.may_err:
        size += f", {errors_text(result, result.errors)}"
    if result.status == "optimal":
        return f"{size}, optimal" if result.from_checkpoint else f"{size}, proven optimal"
    if result.may_err and result.max_errors is None:
        return f"{size}, not proven optimal"
    return f"{size}, at least {amount(result.lower_bound, 'node')} needed"


def amount(number: int, thing: str) -> str:
    """`1 row`, `2 rows`."""
    return f"{number} {thing}" if number == 1 else f"{number} {thing}s"


def aligned(
    rows: Sequence[Sequence[str]], places: Sequence[Callable[[str, int], str]] = ()
) -> list[str]:
    """The rows as lines of text whose columns are in line: each by its left edge, or as `places`
    say, which are `str.ljust` and `str.rjust`."""
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    places = places or [str.ljust] * len(widths)
    return [
        "  ".join(
            put(cell, width) for put, cell, width in zip(places, row, widths, strict=True)
        ).rstrip()
        for row in rows
    ]


def drawn(feature: Feature) -> str:
    """The test as it is drawn: its sign stays on the line of its value."""
    column = printable(feature.column)
    test = printable(feature.name).removeprefix(column).strip()
    sign, _, value = test.partition(" ")
    return f"{column} {'≤' if sign == '<=' else sign}\N{NO-BREAK SPACE}{value}"


def printable(text: str) -> str:
    """The text on one line: control characters in names become escapes."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
