"""Why there is no smaller tree, in words and in the user's own rows."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from dtfinder.data.dataset import Bits, Dataset, Table, show_value
from dtfinder.proof import Forcing, NodeNeed, Reason
from dtfinder.report.text import aligned, amount, printable
from dtfinder.result import Result

MOST_COLUMNS = 8  # of the rows that are shown


def why_text(result: Result, reason: Reason | None) -> str:
    """The reason as text: which rows force the size, and what each node is for."""
    if reason is None or result.dataset is None:
        return _no_reason(result)
    if reason.forced is not None:
        return _errors_text(result, reason)
    if not reason.forcing:
        return "All rows count as the same class: a single leaf is enough.\n"
    lines: list[str] = []
    for forcing in reason.forcing:
        lines += [sentence(forcing, reason.n_rows), "", *_rows(result, forcing), ""]
    lines.append("What each question is for")
    lines += [_need(result, need) for need in reason.needs]
    return "\n".join(lines) + "\n"


def _no_reason(result: Result) -> str:
    """Why nothing can be explained."""
    if result.status == "optimal":
        return "The table was read in batches: its rows are not kept, so none can show why.\n"
    if result.may_err:
        return "It is not proven that no better tree exists, so no rows can show why.\n"
    return (
        f"It is not proven that no smaller tree exists: the tree has "
        f"{amount(result.nodes, 'node')}, at least {result.lower_bound} are needed.\n"
    )


def _errors_text(result: Result, reason: Reason) -> str:
    """Why there are errors, group by group."""
    lines = [errors_sentence(result, reason), ""]
    for number, forcing in enumerate(reason.forcing, 1):
        lines += [group_sentence(number, forcing, result), "", *_rows(result, forcing), ""]
    return "\n".join(lines).rstrip() + "\n"


def errors_sentence(result: Result, reason: Reason) -> str:
    """What the groups prove together."""
    assert reason.forced is not None
    assert reason.errors is not None
    unit = "" if result.weight_unit is None else " of weight"

    def errors(number: int) -> str:
        if unit:
            return f"errors of weight {result.weight(number):g}"
        return amount(number, "error")

    unavoidable = ""
    if result.unavoidable_errors:
        what = errors(result.unavoidable_errors)
        unavoidable = f" Equal rows of different classes cause {what} in every tree."
    if not reason.forcing:
        if not result.errors and result.leaf_penalty is not None:
            return "The tree makes no errors; only the whole proof shows that none costs less."
        if reason.errors <= reason.forced:
            return f"No tree makes fewer than {errors(reason.forced)}.{unavoidable}"
        return f"No group of rows was found that shows why.{unavoidable}"
    one = reason.forcing[0]
    if one.depth is not None:
        needs, trees = f"needs depth {one.depth}", f"every tree of depth at most {one.depth - 1}"
    else:
        assert one.nodes is not None
        needs = f"needs {amount((one.nodes - 1) // 2, 'split')}, {amount(one.nodes, 'node')}"
        trees = f"every tree of at most {amount(one.nodes - 2, 'node')}"
    if one.within_depth is not None:
        needs += f", within depth {one.within_depth}"
        trees += f" and depth {one.within_depth}"
    count = len(reason.forcing)
    start = f"{count} groups of rows have no row in common, and each alone {needs}"
    if count == 1:
        start = f"{len(one.rows)} rows alone need{needs.removeprefix('needs')}"
    if reason.forced >= reason.errors:
        return f"{start}. So {trees} makes at least {errors(reason.forced)}.{unavoidable}"
    return (
        f"{start}. That forces at least {errors(reason.forced)} in {trees}; only the whole proof "
        f"shows that all {errors(reason.errors)} are forced.{unavoidable}"
    )


def group_sentence(number: int, forcing: Forcing, result: Result) -> str:
    """One group. A row stands for those with the same cells, too."""
    said = f"Group {number}: {amount(len(forcing.rows), 'row')}"
    if result.weight_unit is not None:
        said += f", of which the lightest weighs {result.weight(forcing.errors or 0):g}"
    elif forcing.errors != 1:
        said += f", each for at least {forcing.errors} equal ones"
    return said if forcing.minimal else f"{said}; some of them might be left out"


def sentence(forcing: Forcing, rows: int) -> str:
    """The claim in one sentence."""
    if forcing.depth is not None:
        what, less = f"a depth of {forcing.depth}", "a shallower tree"
    else:
        assert forcing.nodes is not None
        splits = amount((forcing.nodes - 1) // 2, "split")
        what, less = f"{splits}, {amount(forcing.nodes, 'node')}", "a smaller tree"
        if forcing.within_depth is not None:
            what += f", within depth {forcing.within_depth}"
    start = f"{len(forcing.rows)} of the {rows} rows alone need {what}"
    if forcing.minimal:
        return f"{start}: leave any one of them out and {less} would do."
    return f"{start}; there was no time to check whether some of them can be left out."


def _rows(result: Result, forcing: Forcing) -> Iterator[str]:
    """The rows as aligned text."""
    columns, more = forcing_columns(result, forcing)
    yield from aligned(list(zip(*columns, strict=True)), [str.rjust] * len(columns))
    if more:
        yield f"(and {amount(more, 'more column')} in which they differ)"


def forcing_columns(result: Result, forcing: Forcing) -> tuple[list[list[str]], int]:
    """The rows in the user's own columns, each under its name: those that the tree asks about, then
    others that vary; and how many more vary."""
    assert result.dataset is not None
    table = result.dataset.table
    asked = [feature.column for feature in result.tree.features]
    varied = [name for name in table.names if len({*_cells(table, name, forcing.rows)}) > 1]
    names = sorted(varied, key=lambda name: name not in asked)
    shown = [name for name in table.names if name in names[:MOST_COLUMNS]]
    assert table.target is not None
    columns = [["row", *(str(row + 1) for row in forcing.rows)]]
    columns += [[printable(name), *_cells(table, name, forcing.rows)] for name in shown]
    labels = [classes_text(result.dataset, row) for row in forcing.rows]
    columns.append([printable(table.target_name), *labels])
    return columns, len(varied) - len(shown)


def classes_text(dataset: Dataset, row: int) -> str:
    """The class of a row, or those that it allows."""
    if dataset.row_sets is None:
        return printable(show_value(dataset.classes[dataset.row_labels[row]]))
    return _names(dataset, dataset.row_sets[row])


def _names(dataset: Dataset, allowed: Bits) -> str:
    return " or ".join(printable(show_value(dataset.classes[k])) for k in np.flatnonzero(allowed))


def _cells(table: Table, name: str, rows: Sequence[int]) -> list[str]:
    values = table.column(name)[list(rows)].tolist()
    return [printable(show_value(None if value != value else value)) for value in values]


def _need(result: Result, need: NodeNeed) -> str:
    """What a node is for: two rows that it keeps apart."""
    assert result.dataset is not None
    feature = result.tree.features[result.tree.nodes[need.node].feature]
    zero, one = (_row(result.dataset, row) for row in (need.row_zero, need.row_one))
    name = printable(feature.name)
    return f"  {name}: {one} gets a wrong class on its `no` side, and {zero} on its `yes` side"


def _row(dataset: Dataset, row: int) -> str:
    allowed = dataset.sets[dataset.example_of_row[row]]
    return f"row {row + 1} ({_names(dataset, allowed)})"
