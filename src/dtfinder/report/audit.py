"""An audit in words: what leaving out rows gains, and the rows to look at again."""

from __future__ import annotations

import json

from dtfinder.audit import Audit, Step, Suspect
from dtfinder.data.dataset import show_value
from dtfinder.report.text import amount, printable

_SHOWN = 12  # rows that a line lists


def audit_text(audit: Audit, most: int = 10) -> str:
    """The gains, and the `most` suspicious rows."""
    kind = "smallest exact tree" if audit.exact else "largest tree of the front"
    known = "" if audit.proven or not audit.exact else " found so far"
    lines = [f"{kind}{known}: {amount(audit.nodes, 'node')}"]
    if not audit.suspects:
        return "\n".join([*lines, "no row stands out: no smaller tree of the front errs"]) + "\n"
    lines += ["", "leave out  exact tree  no fewer rows will do"]
    lines += [_step(step) for step in audit.steps if len(step.rows) <= max(most, 1)]
    lines += ["", "rows to look at again"]
    lines += [_suspect(each) for each in audit.suspects[:most]]
    hidden = len(audit.suspects) - most
    if hidden > 0:
        lines.append(f"and {amount(hidden, 'row')} that cost less; --rows shows more")
    return "\n".join(lines) + "\n"


def _step(step: Step) -> str:
    some = ", ".join(str(row + 1) for row in step.rows[:_SHOWN])
    some += ", …" if len(step.rows) > _SHOWN else ""
    proven = "proven" if step.proven else "open"
    rows = "row" if len(step.rows) == 1 else "rows"
    return (
        f"{amount(len(step.rows), 'row'):<9}  {amount(step.nodes, 'node'):<10}  "
        f"{proven:<6}  {rows} {some}"
    )


def _suspect(each: Suspect) -> str:
    line = f"row {each.row + 1}, class {printable(show_value(each.label))}: "
    line += f"costs {each.cost:.3g} nodes, wrong in trees of up to {amount(each.sizes[-1], 'node')}"
    if each.closest:
        near = each.closest[0]
        columns = ", ".join(map(printable, near.columns[:3])) or "nothing"
        columns += ", …" if len(near.columns) > 3 else ""
        kind = printable(show_value(near.label))
        line += f"; row {near.row + 1}, class {kind}, differs in {columns}"
    return line


def audit_json(audit: Audit) -> str:
    """The audit as one JSON object; rows are counted from 0."""
    return json.dumps(audit.to_json(), allow_nan=False, indent=1) + "\n"
