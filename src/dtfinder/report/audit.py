"""An audit in words: what leaving out rows gains, and the rows to look at again."""

from __future__ import annotations

from dtfinder.advice import Audit, Step, Suspect
from dtfinder.data.dataset import show_value
from dtfinder.report.text import aligned, amount, printable

_SHOWN = 12  # rows that a line lists
_STEPS = 8
STEP = ("leave out", "exact tree", "proven", "rows")
SUSPECT = ("row", "class", "costs", "wrong at", "closest rows of other classes")


def audit_text(audit: Audit, most: int = 10) -> str:
    """The best trade in a sentence, the others, and the `most` suspicious rows."""
    lines = [trade_text(audit)]
    if audit.contradicting:
        lines.append(contradicting_text(audit))
    if audit.suspects:
        lines += ["", *aligned([STEP, *step_rows(audit)])]
        lines += ["", "rows to look at again, counted from 1", ""]
        lines += aligned([SUSPECT, *suspect_rows(audit, most)])
    hidden = len(audit.suspects) - most
    if hidden > 0:
        lines.append(f"and {amount(hidden, 'row')} that cost less; --rows shows more")
    return "\n".join(lines) + "\n"


def trade_text(audit: Audit) -> str:
    """What is gained by leaving out the rows that cost most."""
    whole = f"the smallest exact tree{'' if audit.proven else ' found so far'} has"
    if not audit.exact:
        whole = f"the front ends with {amount(len(audit.wrong), 'error')} at"
    best, nodes = audit.best, amount(audit.nodes, "node")
    if best is None:
        return f"No row stands out: {whole} {nodes}."
    others = f"a tree of {amount(best.nodes, 'node')} is exact on all others"
    more = f"leave out {listed(best.rows)} and {others}" if best.rows else ""
    whole = whole[0].upper() + whole[1:]
    return f"{whole} {nodes}; {more}{f' ({_proof(best)})' if best.proven else ''}."


def contradicting_text(audit: Audit) -> str:
    """The rows that no tree gets right."""
    verb = "contradicts" if len(audit.wrong) == 1 else "contradict"
    return f"{listed(audit.wrong).capitalize()} {verb} rows that are equal in everything else."


def step_rows(audit: Audit) -> list[tuple[str, ...]]:
    """The first trades and the best one, in the columns of `STEP`."""
    steps = [step for n, step in enumerate(audit.steps) if n < _STEPS or step == audit.best]
    return list(map(_step, steps))


def suspect_rows(audit: Audit, most: int) -> list[tuple[str, ...]]:
    """The most costly rows, counted from 1, in the columns of `SUSPECT`."""
    return list(map(_suspect, audit.suspects[:most]))


def listed(rows: tuple[int, ...]) -> str:
    """`row 3` or `rows 3, 7, 9`, counted from 1; of many rows their number and the first ones."""
    if len(rows) > _SHOWN:
        return f"{len(rows)} rows ({_numbers(rows)})"
    return f"{'row' if len(rows) == 1 else 'rows'} {_numbers(rows)}"


def _numbers(rows: tuple[int, ...]) -> str:
    some = ", ".join(str(row + 1) for row in rows[:_SHOWN])
    return f"{some}, …" if len(rows) > _SHOWN else some


def _proof(step: Step) -> str:
    """The optimum of the trade."""
    if len(step.rows) == 1:
        return "proven: no other row gains more"
    return f"proven: no {len(step.rows)} rows gain more"


def _step(step: Step) -> tuple[str, ...]:
    proven = f"no {amount(len(step.rows), 'row')} gain{'s' * (len(step.rows) == 1)} more"
    size = amount(step.nodes, "node")
    proven = proven if step.proven else "open"
    return amount(len(step.rows), "row"), size, proven, _numbers(step.rows)


def _suspect(each: Suspect) -> tuple[str, ...]:
    closest = ""
    if each.closest:
        near = each.closest[0]
        columns = ", ".join(map(printable, near.columns[:3])) or "nothing"
        columns += ", …" if len(near.columns) > 3 else ""
        kind = printable(show_value(near.label))
        closest = f"row {near.row + 1}, class {kind}, differs in {columns}"
        if others := tuple(other.row for other in each.closest[1:]):
            closest += f"; then {listed(others)}"
    label, cost = printable(show_value(each.label)), f"{each.cost:.3g} nodes"
    return str(each.row + 1), label, cost, _sizes(each.sizes), closest


def _sizes(sizes: tuple[int, ...]) -> str:
    """Sizes in nodes, which are odd, with runs of them put together: `1, 5-11 nodes`."""
    runs: list[list[int]] = []
    for size in sizes:
        if runs and size == runs[-1][-1] + 2:
            runs[-1][1:] = [size]
        else:
            runs.append([size])
    text = ", ".join("-".join(map(str, run)) for run in runs)
    return f"{text} node{'s' * (text != '1')}"
