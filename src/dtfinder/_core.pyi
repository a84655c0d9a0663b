"""The native engines; `src/core/README.md` is the map of their sources."""

from typing import Self

from numpy import bool_, int64, uint8, uint16
from numpy.typing import NDArray

class Goal:
    """What the engine minimises, and the limits on the tree."""

    depth_first: bool
    max_depth: int
    max_inner: int
    def __init__(self) -> None: ...

class Switches:
    """Parts of the engine that can be switched off, and its limits; see
    `exact/engine_switches.hpp`."""

    cache: bool
    store: bool
    parts: bool
    apart: bool
    apart_after: int
    cuts: bool
    paths: bool
    least_path: int
    folds: bool
    least_fold: int
    folds_after: int
    ground_after: int
    gain_order: bool
    spine: bool
    spine_after: int
    improve: bool
    proof: bool
    any_width: bool
    shallow: int
    shrink_up_to: int
    slots: int
    memory: int
    def __init__(self) -> None: ...

class _Search:
    """What both engines offer; they are run in slices."""

    def run(self, steps: int) -> None:
        """Run until the state changes, the run is done, or about `steps` steps are counted."""

    def join(self, other: Self) -> None:
        """Share facts with an engine for the same table and goal; neither must have run."""

    def share(self, owner: int = 0, owners: int = 1) -> None:
        """Share facts as text; call it before the first run. This engine is number `owner` of
        `owners`, and searches its own parts first."""

    def write_facts(self, most: int) -> str:
        """What was found out since the last call: at most `most` facts, the costliest."""

    def read_facts(self, text: str) -> None:
        """Use facts about the same table; raises ValueError for anything else."""

    @property
    def depth_lower(self) -> int: ...
    @property
    def started(self) -> bool: ...
    @property
    def done(self) -> bool: ...
    @property
    def infeasible(self) -> bool: ...
    @property
    def version(self) -> int: ...
    @property
    def steps(self) -> int: ...
    @property
    def bytes(self) -> int: ...

class Engine(_Search):
    """The exact engine; see `exact/engine.hpp`."""

    def write_lemmas(self) -> str:
        """The goals, and the lemmas that facts and bounds rest on, except those written before."""

    def tree(self) -> list[list[int]]:
        """The nodes of the best tree, root first, as (feature, zero, one, label)."""

    def lemma_text(self, row_of_example: NDArray[int64]) -> bytes:
        """The lemmas that the proven bounds rest on, one per line, as certificates have them."""

    def spine_text(self, row_of_example: NDArray[int64]) -> bytes:
        """The proof by a linear program, if that is what the bound rests on, else nothing."""

    @property
    def lower(self) -> int: ...

def make_engine(
    bits: NDArray[bool_],
    labels: NDArray[int64],
    goal: Goal,
    switches: Switches,
    allowed: NDArray[bool_] | None = None,
) -> Engine:
    """An engine for distinct rows with labels 0, 1, …; it keeps no reference to the arrays. Labels
    are classes or, with `allowed`, its rows, which say which classes each label allows."""

NO_LIMIT: int

class Questions:
    """Questions about subsets of one table, to a search that keeps what it learns; see
    `exact/questions.hpp`."""

    def ask(self, examples: list[int], bound: int, limit: int, depth: bool) -> None:
        """Begin to ask whether the examples need `bound` inner nodes, 2 or more, in trees of depth
        up to `limit`; or that depth."""

    def run(self, steps: int) -> bool | None:
        """The answer, if it is found within about `steps` more steps."""

    def core(self) -> list[int]:
        """After a yes: examples among those asked about that need as much."""

    @property
    def lemma(self) -> int | None:
        """The number of the lemma that says so, if lemmas are kept."""

    def lemmas(self, goals: list[int], row_of_example: NDArray[int64]) -> tuple[bytes, list[int]]:
        """What these lemmas rest on, as certificates have it, and the lines of the lemmas."""

    @property
    def lemma_bytes(self) -> int:
        """The memory that lemmas take."""

    @property
    def steps(self) -> int:
        """The work of all questions so far."""

def make_questions(
    bits: NDArray[bool_],
    labels: NDArray[int64],
    max_limit: int,
    memory: int,
    proof: bool = ...,
    allowed: NDArray[bool_] | None = None,
) -> Questions:
    """For distinct rows with labels 0, 1, …, and limits on the depth up to `max_limit`; `allowed`
    as for `make_engine`."""

class Spine:
    """Linear programs over the spines of trees; see `spine/spine.hpp`."""

    def ask(self, most: int) -> None:
        """Begin to ask whether there is a tree of at most `most` inner nodes."""

    def run(self, steps: int) -> bool | None:
        """The answer, if it is found within `steps` steps. Raises RuntimeError if it gives up."""

    def tree(self) -> list[list[int]]:
        """After a yes: the nodes of such a tree, as an engine has them."""

    def proof(self, row_of_example: NDArray[int64]) -> bytes:
        """The proof of the last no, as certificates have it."""

def suits_spine(
    bits: NDArray[bool_], labels: NDArray[int64], allowed: NDArray[bool_] | None = None
) -> bool:
    """Whether the programs for this table are small enough to be worth it."""

def make_spine(
    bits: NDArray[bool_],
    labels: NDArray[int64],
    largest: int,
    allowed: NDArray[bool_] | None = None,
) -> Spine:
    """Programs in which groups of up to `largest` examples are taken apart; `allowed` as for
    `make_engine`."""

UNLIMITED: int

class FrontGoal:
    """What the counting engine is asked: `kind` is 'front', 'errors', 'size' or 'cost'; see
    `front/front_engine.hpp`. Limits are UNLIMITED unless set."""

    kind: str
    depth_first: bool
    smallest: bool
    cheapest: bool
    max_depth: int
    max_inner: int
    max_errors: int
    error_price: int
    leaf_price: int
    def __init__(self) -> None: ...

class FrontSwitches:
    """Parts of the counting engine that can be switched off, and its limits; see
    `front/switches.hpp`."""

    cache: bool
    similar: bool
    siblings: bool
    parents: bool
    triples: bool
    chains: bool
    improve: bool
    order: bool
    proof: bool
    kernel: int
    kept: int
    memory: int
    patience: int
    counts: int
    dense: int
    def __init__(self) -> None: ...

class FrontEngine(_Search):
    """The counting engine; see `front/front_engine.hpp`."""

    def raise_lower(self, inner: int, errors: int) -> None:
        """Trees with up to `inner` inner nodes are known to have at least `errors` errors."""

    def offer(self, tree: list[list[int]]) -> None:
        """Take a tree found elsewhere, as `tree` returns them; a ValueError unless it is one."""

    def proof(self, elsewhere: list[tuple[int, int]] = ...) -> bytes | None:
        """The lemmas that what is known rests on, as certificates have them; None if there was no
        memory for them."""

    @property
    def prices(self) -> tuple[int, int]:
        """What an error and an inner node cost where bounds are costs; else 1 and 0."""

    def points(self) -> list[tuple[int, int, int]]:
        """For a front: (inner nodes, proven lower bound on the errors, errors of the best tree)."""

    def tree(self, inner: int) -> list[list[int]]:
        """The best tree of up to `inner` inner nodes, as (feature, zero, one, label)."""

    def best_tree(self) -> list[list[int]]:
        """For other goals: the best tree; empty for none."""

    @property
    def errors(self) -> int: ...
    @property
    def inner(self) -> int: ...
    @property
    def depth(self) -> int: ...
    @property
    def cost(self) -> int: ...
    @property
    def errors_lower(self) -> int: ...
    @property
    def inner_lower(self) -> int: ...
    @property
    def cost_lower(self) -> int: ...

def make_front_engine(
    bits: NDArray[bool_], weights: NDArray[int64], goal: FrontGoal, switches: FrontSwitches
) -> FrontEngine:
    """An engine for distinct rows, each with a weight for every class; it keeps no reference."""

class CubeLayout:
    """Columns, their questions, and the cubes that a depth needs; see `cubes/layout.hpp`. A column
    is (levels, ordered, level of the first question, questions)."""

    def __init__(
        self, columns: list[tuple[int, bool, int, int]], classes: int, depth: int
    ) -> None: ...
    def fitting(self, begin: int, counts: int) -> int:
        """The end of those triples from `begin` on whose cubes have `counts` counts at most."""

    @property
    def triples(self) -> int: ...
    @property
    def cells(self) -> int:
        """The counts in all cubes together."""

    @property
    def features(self) -> int: ...

class CubeCounts:
    """The cubes of the triples from `begin` to `end`; see `cubes/count.hpp`. One thread adds."""

    def __init__(self, layout: CubeLayout, begin: int, end: int) -> None: ...
    def add(
        self,
        layout: CubeLayout,
        codes: NDArray[uint8] | NDArray[uint16],
        labels: NDArray[uint16],
        weights: NDArray[int64] | None,
    ) -> None:
        """Count rows: `codes` are their levels, columns × rows. The GIL is released."""

    def merge(self, other: CubeCounts) -> None: ...
    def array(self) -> NDArray[int64]:
        """All counts, as a view."""

class CubeSearch:
    """The best trees, once all cubes are taken, in order; see `cubes/search.hpp`."""

    def __init__(self, layout: CubeLayout) -> None: ...
    def take(self, counts: CubeCounts) -> None:
        """Use cubes, whose counts become prefix sums."""

    def errors(self, depth: int, inner: int) -> int:
        """The fewest errors of a tree within both limits: at most the layout's depth, and 7."""

    def tree(self, depth: int, inner: int) -> list[list[int]]:
        """The smallest tree with the fewest errors within these limits, as (feature, zero, one, -1)
        with the root first."""
