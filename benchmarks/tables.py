"""Tables of a campaign: Table 1 in the paper's form, one line an instance, and ratios of CPU time.

`vbs`, the virtual best solver, takes for each instance the quickest method that solved it, whatever
that one minimises, as the paper's does.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from html import escape
from statistics import fmean, median

from benchmarks.adapters import METHODS, NOTHING, SIZE
from benchmarks.paper import Block, Cell
from benchmarks.results import Row

Blocks = dict[int, Block]
Lines = dict[str, dict[int, Cell]]

GROUPS = (
    ("mindt",),
    ("dtfinder-DT1", "dtfinder-DT1-T", "dtfinder-DT1-T-O"),
    ("dtfinder", "dtfinder-T", "dtfinder-T-O"),
    ("d-dtfinder", "d-dtfinder-T-O"),
    ("vbs",),
    ("cores", "cores-depth"),
    ("pystreed", "pycontree", "gosdt"),
    ("pystreed-depth", "pydl8.5"),
    ("vbs of all",),
    ("sklearn",),
)
# CPU times below this are noise of the clock; ratios do not count what lies under it.
LEAST_SECONDS = 0.0001


def order(methods: Iterable[str]) -> list[str]:
    """The methods as the table has them, strangers last."""
    known = [name for group in GROUPS for name in group]
    there = list(methods)
    return [name for name in known if name in there] + [n for n in there if n not in known]


def summary(rows: Sequence[Row]) -> tuple[Blocks, Lines]:
    """The numbers of Table 1: per percentage the instances, per method and percentage a cell."""
    blocks: Blocks = {}
    lines: Lines = {name: {} for name in order({row.method for row in rows})}
    for percent in sorted({row.percent for row in rows}):
        here = [row for row in rows if row.percent == percent]
        sizes = {row.instance: (row.features, row.examples) for row in here}
        features, examples = zip(*sizes.values(), strict=True)
        blocks[percent] = Block(fmean(features), fmean(examples), len(sizes))
        for name in lines:
            lines[name][percent] = _cell([row for row in here if row.method == name])
        paper = [r for r in here if r.method in METHODS and METHODS[r.method].kind == "paper"]
        for name, of in (("vbs", paper), ("vbs of all", here)):
            lines.setdefault(name, {})[percent] = _cell(virtual_best(of))._replace(depth=None)
    return blocks, {name: lines[name] for name in order(lines)}


def _cell(rows: Sequence[Row]) -> Cell:
    """Averages over the solved; of a greedy method, which proves nothing, over all."""
    greedy = bool(rows) and all(row.aim == NOTHING for row in rows)
    counted = [row for row in rows if row.solved or (greedy and row.nodes is not None)]
    solved = None if greedy or not rows else len(counted)
    if not counted:
        return Cell(None, None, None, solved)
    nodes = fmean(row.nodes for row in counted if row.nodes is not None)
    depth = fmean(row.depth for row in counted if row.depth is not None)
    return Cell(nodes, depth, fmean(row.cpu for row in counted), solved)


def virtual_best(rows: Iterable[Row]) -> list[Row]:
    """For each instance the quickest row that is solved, if any is."""
    best: dict[tuple[str, int, int], Row] = {}
    for row in rows:
        if row.solved and (row.instance not in best or row.cpu < best[row.instance].cpu):
            best[row.instance] = row
    return list(best.values())


def table_1(blocks: Blocks, lines: Lines) -> str:
    """The paper's Table 1: a block of columns a percentage, the most solved in bold."""
    heads = ("#nd", "depth", "cpu-time", "#slv")
    rows = [
        ["%"] + [f"<th colspan=4>{percent / 100:g}</th>" for percent in blocks],
        ["nf./ns."]
        + [f"<td colspan=4>{b.features:.0f}/{b.examples:.0f}</td>" for b in blocks.values()],
        ["#I"] + [f"<td colspan=4>{b.instances}</td>" for b in blocks.values()],
        [""] + [f"<th>{head}</th>" for _ in blocks for head in heads],
    ]
    most = {percent: _most_solved(lines, percent) for percent in blocks}
    for name, cells in lines.items():
        line = [escape(name)]
        for percent in blocks:
            cell = cells.get(percent, Cell(None, None, None, None))
            solved = "–" if cell.solved is None else str(cell.solved)
            if cell.solved is not None and cell.solved == most[percent] and "vbs" not in name:
                solved = f"<b>{solved}</b>"
            shown = (number(cell.nodes), number(cell.depth), seconds(cell.cpu), solved)
            line += [f"<td>{text}</td>" for text in shown]
        rows.append(line)
    body = "\n".join(f"<tr><th>{line[0]}</th>{''.join(line[1:])}</tr>" for line in rows)
    return f'<table align="center">\n{body}\n</table>\n'


def _most_solved(lines: Lines, percent: int) -> int | None:
    counts = [
        cells[percent].solved or 0
        for name, cells in lines.items()
        if percent in cells and "vbs" not in name
    ]
    return max(counts, default=None)


def number(value: float | None) -> str:
    """A mean as the paper prints it, without decimals."""
    return "–" if value is None else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """Seconds with two digits that mean something."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


def compare(rows: Sequence[Row], one: str, other: str, limit: float) -> dict[str, str] | None:
    """How `one` fares against `other` on the instances that both were run on. An unsolved run
    counts as its limit, which flatters whoever did not solve it."""
    mine = {row.instance: row for row in rows if row.method == one}
    theirs = {row.instance: row for row in rows if row.method == other}
    both = sorted(mine.keys() & theirs.keys())
    if not both:
        return None

    def ratios(instances: Iterable[tuple[str, int, int]]) -> list[float]:
        return [
            _time(theirs[i], limit) / _time(mine[i], limit)
            for i in instances
            if mine[i].solved or theirs[i].solved
        ]

    common = [i for i in both if mine[i].solved and theirs[i].solved]
    return {
        "solved by either": str(len(ratios(both))),
        f"by {one}": str(sum(mine[i].solved for i in both)),
        f"by {other}": str(sum(theirs[i].solved for i in both)),
        "speed-up": factor(ratios(both)),
        "on those both solved": factor(ratios(common)),
    }


def _time(row: Row, limit: float) -> float:
    return max(LEAST_SECONDS, min(row.cpu, limit) if row.solved else limit)


def factor(ratios: Sequence[float]) -> str:
    """The geometric mean."""
    if not ratios:
        return "–"
    return f"{math.exp(fmean(map(math.log, ratios))):.3g}×"


def comparisons(rows: Sequence[Row], limit: float) -> str:
    """A Markdown table: the engine against every other method with the same aim."""
    lines = []
    pairs = [(engine, name) for engine in ("cores", "cores-depth") for name in _rivals(engine)]
    for engine, name in pairs:
        if facts := compare(rows, engine, name, limit):
            shown = (name, engine, *facts.values())
            lines.append("| " + " | ".join(shown) + " |")
    if not lines:
        return "The engine was not part of this run.\n"
    head = (
        "| against | the engine as | solved by either | by the engine | by the other | speed-up "
        "| on those both solved |\n| --- | --- | ---: | ---: | ---: | ---: | ---: |\n"
    )
    return head + "\n".join(lines) + "\n"


def _rivals(engine: str) -> list[str]:
    size = METHODS[engine].aim == SIZE
    return [
        name
        for name, method in METHODS.items()
        if method.kind != "engine" and method.aim != NOTHING and (method.aim == SIZE) == size
    ]


def per_instance(rows: Sequence[Row], methods: Sequence[str]) -> str:
    """A Markdown table, a line an instance: what is proven and by whom how fast."""
    head = ["data set", "%", "examples", "features", "smallest", "least depth", *methods]
    lines = ["| " + " | ".join(head) + " |", "| --- |" + " ---: |" * (len(head) - 1)]
    by = {(row.instance, row.method): row for row in rows}
    instances = {row.instance: row for row in rows}
    for instance, any_row in sorted(instances.items(), key=lambda item: (item[0][1], item[0][0])):
        mine = [row for row in rows if row.instance == instance]
        facts = [
            instance[0],
            str(instance[1]),
            str(any_row.examples),
            str(any_row.features),
            _smallest(mine),
            _least_depth(mine),
        ]
        facts += [_outcome(by.get((instance, method))) for method in methods]
        lines.append("| " + " | ".join(facts) + " |")
    return "\n".join(lines) + "\n"


def _smallest(rows: Sequence[Row]) -> str:
    """The proven optimum, or the best bounds of all methods together."""
    upper = min((row.nodes for row in rows if row.nodes is not None), default=None)
    lower = max((row.lower_nodes for row in rows if row.aim == SIZE), default=1)
    if any(row.solved and row.aim == SIZE for row in rows):
        return str(upper)
    return f"{lower}..{'?' if upper is None else upper}"


def _least_depth(rows: Sequence[Row]) -> str:
    upper = min((row.depth for row in rows if row.depth is not None), default=None)
    lower = max((row.lower_depth for row in rows), default=0)
    return str(upper) if upper == lower else f"{lower}..{'?' if upper is None else upper}"


def _outcome(row: Row | None) -> str:
    if row is None:
        return ""
    if row.solved:
        return f"{seconds(max(row.cpu, LEAST_SECONDS))} s"
    return "–"


def median_cpu(rows: Sequence[Row], method: str) -> float | None:
    """The median CPU time over what the method solved."""
    times = [row.cpu for row in rows if row.method == method and row.solved]
    return median(times) if times else None
