"""What Janota and Morgado (SAT 2020) reported, as their figures: Table 1 of their paper.

Their benchmarks are samples of the same collection of data sets, but more of them and not the same
rows; their machine was a Xeon at 2.60 GHz, their limits 1000 seconds and 3 GB. Nothing here can be
compared with our figures number by number; the order among the methods can.
"""

from __future__ import annotations

from typing import NamedTuple


class Cell(NamedTuple):
    """Averages over the instances a method solved within the limits, and how many these are."""

    nodes: float | None
    depth: float | None
    cpu: float | None
    solved: int | None


class Block(NamedTuple):
    """One sampling percentage: averages of features and examples, number of instances."""

    features: float
    examples: float
    instances: int


# Their Figure 4, a sample of `postoperative-patient-data` at 50%: nodes and depth.
FIGURE_4_OPTIMAL, FIGURE_4_GREEDY = (29, 6), (37, 11)

BLOCKS = {20: Block(447, 136, 754), 50: Block(473, 357, 709)}

TABLE: dict[str, dict[int, Cell]] = {
    "mindt": {20: Cell(6, 3, 58, 394), 50: Cell(5, 3, 52, 249)},
    "dtfinder-DT1": {20: Cell(7, 3, 14, 457), 50: Cell(6, 3, 43, 337)},
    "dtfinder-DT1-T": {20: Cell(7, 3, 28, 473), 50: Cell(7, 3, 41, 345)},
    "dtfinder-DT1-T-O": {20: Cell(7, 3, 27, 473), 50: Cell(7, 3, 39, 345)},
    "dtfinder": {20: Cell(7, 3, 14, 458), 50: Cell(7, 3, 60, 339)},
    "dtfinder-T": {20: Cell(7, 3, 29, 470), 50: Cell(7, 3, 42, 342)},
    "dtfinder-T-O": {20: Cell(7, 3, 30, 471), 50: Cell(7, 3, 39, 341)},
    "d-dtfinder": {20: Cell(8, 3, 65, 519), 50: Cell(7, 3, 73, 352)},
    "d-dtfinder-T-O": {20: Cell(8, 3, 49, 486), 50: Cell(7, 3, 57, 345)},
    "vbs": {20: Cell(8, None, 69, 528), 50: Cell(7, None, 46, 355)},
}
