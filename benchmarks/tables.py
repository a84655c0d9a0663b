"""Tables of a campaign: Table 1 in the paper's form, one line per instance, and ratios of CPU time.

`vbs`, the virtual best solver, takes for each instance the quickest method that solved it, whatever
that one minimises, as the paper's does.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from statistics import fmean, geometric_mean, median
from types import MappingProxyType

from benchmarks.adapters import METHODS, NOTHING, SIZE
from benchmarks.paper import Block, Cell
from benchmarks.results import Head, Instance, Results, Row

Blocks = dict[int, Block]
Lines = dict[str, dict[int, Cell]]

# By data set and percentage: the depth that is proven to be needed, and that of the best tree.
Depths = Mapping[tuple[str, int], tuple[int, int | None]]
NONE: Depths = MappingProxyType({})

GROUPS = (
    ("mindt",),
    ("dtfinder-DT1", "dtfinder-DT1-T", "dtfinder-DT1-T-O"),
    ("dtfinder", "dtfinder-T", "dtfinder-T-O"),
    ("d-dtfinder", "d-dtfinder-T-O"),
    ("vbs",),
    ("sat", "d-sat"),
    ("cores", "cores-depth"),
    ("pystreed", "pycontree", "gosdt"),
    ("pystreed-depth", "pydl8.5"),
    ("vbs of all",),
    ("sklearn",),
)
# CPU times below this are noise of the clock; ratios do not count what lies under it.
LEAST_SECONDS = 0.0001

COMPARE_TEXT = """\
Speed-up is the geometric mean of the ratios of CPU time, with the number of ratios in brackets. An
unsolved run counts as {limit} s, which is less than it would need.
"""

INSTANCE_TEXT = """\
Smallest is the proven minimum of nodes, or else the best lower bound and the smallest tree that any
method found. Times are CPU times of solved runs.
"""


def order(methods: Iterable[str]) -> list[str]:
    """The methods in the order of the table, unknown ones last."""
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
    best: dict[Instance, Row] = {}
    for row in rows:
        if row.solved and (row.instance not in best or row.cpu < best[row.instance].cpu):
            best[row.instance] = row
    return list(best.values())


def table_1(blocks: Blocks, lines: Lines) -> str:
    """The paper's Table 1: a block of columns per percentage, a rule between groups of methods, the
    most solved in bold."""
    heads = "".join(f"<th>{head}</th>" for head in ("#nd", "depth", "cpu-time", "#slv"))
    wide = "<td colspan=4 align=center>{}</td>"
    top = {
        "%": "".join(f"<th colspan=4>{percent / 100:g}</th>" for percent in blocks),
        "nf./ns.": "".join(
            wide.format(f"{block.features:.0f}/{block.examples:.0f}") for block in blocks.values()
        ),
        "#I": "".join(wide.format(block.instances) for block in blocks.values()),
        "": heads * len(blocks),
    }
    most = {percent: _most_solved(lines, percent) for percent in blocks}
    bodies = [_body(top)]
    for group in (*GROUPS, tuple(lines.keys() - {name for names in GROUPS for name in names})):
        shown = {
            escape(name): "".join(
                _cells(lines[name].get(percent), None if "vbs" in name else most[percent])
                for percent in blocks
            )
            for name in group
            if name in lines
        }
        bodies += [_body(shown)] if shown else []
    return f'<table class="docutils" align="center">\n{"".join(bodies)}</table>\n'


def _body(lines: Mapping[str, str]) -> str:
    rows = "".join(f"<tr><th>{name}</th>{cells}</tr>\n" for name, cells in lines.items())
    return f'<tbody style="border-bottom: 2px solid">\n{rows}</tbody>\n'


def _cells(cell: Cell | None, most: int | None) -> str:
    """The four cells of a method and a percentage; a method that solved `most` stands out."""
    nodes, depth, cpu, solved = cell or Cell(None, None, None, None)
    count = "–" if solved is None else f"<b>{solved}</b>" if solved == most else str(solved)
    shown = (number(nodes), number(depth), seconds(cpu), count)
    return "".join(f"<td>{text}</td>" for text in shown)


def _most_solved(lines: Lines, percent: int) -> int | None:
    counts = [
        cells[percent].solved or 0
        for name, cells in lines.items()
        if percent in cells and "vbs" not in name
    ]
    return max(counts, default=None) or None


def number(value: float | None) -> str:
    """A mean as the paper prints it, without decimals."""
    return "–" if value is None else f"{value:.0f}"


def seconds(value: float | None) -> str:
    """Seconds with two digits that mean something."""
    if value is None:
        return "–"
    return f"{value:.0f}" if value >= 9.95 else f"{value:.2g}"


@dataclass(frozen=True)
class Comparison:
    """How the CPU time of one method compares with another's, as ratios (more than 1: `one` is the
    quicker), on the instances that both were run on. An unsolved run counts as its limit, which
    flatters whoever did not solve it."""

    by_one: int
    by_other: int
    all: list[float]
    either: list[float]  # where at least one of them solved
    both: list[float]  # where both did


def compare(rows: Sequence[Row], one: str, other: str, limit: float) -> Comparison | None:
    """How `one` fares against `other`; None if they were never run on the same instance."""
    mine = {row.instance: row for row in rows if row.method == one}
    theirs = {row.instance: row for row in rows if row.method == other}
    pairs = [(mine[i], theirs[i]) for i in sorted(mine.keys() & theirs.keys())]
    if not pairs:
        return None

    def ratios(chosen: Iterable[tuple[Row, Row]]) -> list[float]:
        return [counted(b, limit) / counted(a, limit) for a, b in chosen]

    return Comparison(
        sum(a.solved for a, _ in pairs),
        sum(b.solved for _, b in pairs),
        ratios(pairs),
        ratios((a, b) for a, b in pairs if a.solved or b.solved),
        ratios((a, b) for a, b in pairs if a.solved and b.solved),
    )


def counted(row: Row, limit: float) -> float:
    """The CPU seconds that a run counts as."""
    return max(LEAST_SECONDS, min(row.cpu, limit) if row.solved else limit)


def factor(ratios: Sequence[float]) -> str:
    """The geometric mean, and of how many."""
    return f"{geometric_mean(ratios):.3g}× ({len(ratios)})" if ratios else "–"


def comparisons(rows: Sequence[Row], limit: float) -> str:
    """A Markdown table: the engine against every other method with the same aim."""
    lines = []
    for engine in ("cores", "cores-depth"):
        for name in _rivals(engine):
            if (facts := compare(rows, engine, name, limit)) is None:
                continue
            means = map(factor, (facts.all, facts.either, facts.both))
            lines.append([name, engine, str(facts.by_one), str(facts.by_other), *means])
    if not lines:
        return "The engine was not part of this run.\n"
    head = ["against", "the engine as", "it solved", "the other", "speed-up on all"]
    return markdown([*head, "where either solved", "where both solved"], lines, words=2)


def overview(rows: Sequence[Row], limit: float, listed: Collection[Instance] = ()) -> str:
    """A Markdown table, one line per method: what it solved, how fast, in how much memory.
    `listed` are instances whose optimum was known before."""
    lines = []
    for name in order({row.method for row in rows if row.aim != NOTHING}):
        mine = [row for row in rows if row.method == name]
        solved = [row for row in mine if row.solved]
        known = f" ({sum(row.instance in listed for row in solved)})" if listed else ""
        lines.append(
            [
                name,
                f"{len(solved)} of {len(mine)}{known}",
                duration(median([row.cpu for row in solved]) if solved else None),
                duration(geometric_mean([counted(row, limit) for row in mine])),
                f"{max(row.memory for row in mine) / 1e6:.0f} MB",
            ]
        )
    known = f" (of the {len(listed)} known)" if listed else ""
    head = ["method", f"solved{known}", "median of the solved", "geometric mean", "peak memory"]
    return markdown(head, lines)


def duration(value: float | None) -> str:
    """A time with its unit."""
    if value is None:
        return "–"
    return f"{value * 1000:.3g} ms" if value < 1 else f"{value:.3g} s"


def markdown(head: Sequence[str], lines: Iterable[Sequence[str]], words: int = 1) -> str:
    """A Markdown table; all columns but the first `words` hold numbers."""
    rule = ["---"] * words + ["---:"] * (len(head) - words)
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rule, *lines)) + "\n"


def _rivals(engine: str) -> list[str]:
    size = METHODS[engine].aim == SIZE
    return [
        name
        for name, method in METHODS.items()
        if method.kind != "engine" and method.aim != NOTHING and (method.aim == SIZE) == size
    ]


def per_instance(rows: Sequence[Row], methods: Sequence[str], depths: Depths = NONE) -> str:
    """A Markdown table, one line per instance: what is proven, by whom, and how fast. `depths` are
    what other runs say of the least depth."""
    by = {(row.instance, row.method): row for row in rows}
    instances = {row.instance: row for row in rows}
    lines = []
    for instance, any_row in sorted(instances.items(), key=lambda item: (item[0][1], item[0][0])):
        mine = [row for row in rows if row.instance == instance]
        sizes = [str(instance[1]), str(any_row.examples), str(any_row.features)]
        depth = _least_depth(mine, *depths.get((instance[0], instance[1]), (0, None)))
        facts = [instance[0], *sizes, smallest(mine), depth]
        lines.append([*facts, *(outcome(by.get((instance, method))) for method in methods)])
    head = ["data set", "%", "examples", "features", "smallest", "least depth", *methods]
    return markdown(head, lines)


def smallest(rows: Sequence[Row]) -> str:
    """The proven optimum, or the best bounds of all methods together."""
    upper = min((row.nodes for row in rows if row.nodes is not None), default=None)
    lower = max((row.lower_nodes for row in rows if row.aim == SIZE), default=1)
    if any(row.solved and row.aim == SIZE for row in rows):
        return str(upper)
    return f"{lower}..{'?' if upper is None else upper}"


def _least_depth(rows: Sequence[Row], least: int, found: int | None) -> str:
    upper = min((d for d in (found, *(row.depth for row in rows)) if d is not None), default=None)
    lower = max((row.lower_depth for row in rows), default=0)
    lower = max(lower, least)
    if upper is not None and lower > upper:
        raise ValueError(f"depth {lower} is proven, {upper} is found: {rows[0].instance}")
    return str(upper) if upper == lower else f"{lower}..{'?' if upper is None else upper}"


def outcome(row: Row | None) -> str:
    """The CPU time of a solved run, a dash for an unsolved one."""
    if row is None:
        return ""
    if row.solved:
        return duration(max(row.cpu, LEAST_SECONDS))
    return "–"


def machine(head: Head) -> str:
    """The machine and the versions, as a list."""
    return "\n".join(f"- {key}: {value}" for key, value in head.machine.items()) + "\n"


def source(results: Results, out: Path) -> str:
    """Where every run can be looked up, if the results file is beside the page."""
    name = results.path.name
    beside = results.path.resolve().parent == out.resolve()
    return f"Every run is in [{name}]({name}).\n" if beside else ""
