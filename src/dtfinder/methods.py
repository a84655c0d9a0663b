"""The named methods: one table that defines what each name means.

The names are those of Janota and Morgado's evaluation. `dtfinder` stands for their path encoding
and `dtfinder-DT1` for the encoding of Narodytska et al. with everything else equal; `-T` splits by
topologies, `-T-O` also tries those first that resemble the greedy tree, `d-` minimises the depth
first. `mindt` is the set-up of Narodytska et al. `sat` and `d-sat` are the fastest combinations of
the two encodings, the searches and the solvers that we measured. `cores` is the exact engine; it
minimises either, and `auto` picks it, or `counting` where a tree may err; `maxsat` and `maxsat-DT1`
are slow and judge what `counting` finds.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass, fields, replace
from functools import partial

from dtfinder.data.class_sets import first_several, shown
from dtfinder.data.dataset import Dataset
from dtfinder.decide.by_topology import Splitting
from dtfinder.decide.sat import NODES, PATHS
from dtfinder.encode.options import EncodingOptions
from dtfinder.errors import Option, OptionError, suggestion
from dtfinder.options import CV, Options
from dtfinder.problem import DEPTH, SIZE, Event, Problem
from dtfinder.run.stop import Stop, Work
from dtfinder.run.team import ALONE, Team
from dtfinder.search.binary import binary
from dtfinder.search.cores import search_cores
from dtfinder.search.counting import search_counting
from dtfinder.search.depth_then_size import depth_then_size
from dtfinder.search.greedy import greedy
from dtfinder.search.growing import growing
from dtfinder.search.maxsat import search_maxsat
from dtfinder.search.sat_setup import Setup, known_names, with_options
from dtfinder.search.session import Session

Search = Callable[[Problem, Stop, Work, Team], Iterator[Event]]
Strategy = Callable[[Session], Iterator[Event]]
CORES, COUNTING = "cores", "counting"
_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Method:
    """A name with what it means and what it can minimise. SAT methods have a `setup` and a
    `strategy`; any other method has its own `run`."""

    name: str
    about: str
    minimises: tuple[str, ...] = (SIZE,)
    strategy: Strategy | None = None
    setup: Setup | None = None
    run: Search | None = None
    exact: bool = True  # whether its trees make no avoidable errors
    certifies: bool = True  # whether it writes proofs
    minimise: str = SIZE  # of `minimises`, as the options ask

    @property
    def native(self) -> bool:
        """Whether it is a native engine."""
        return self.name in (CORES, COUNTING)

    @property
    def splits(self) -> bool:
        """Whether the workers of a cluster can share its work."""
        return self.native if self.setup is None else self.setup.splitting is not None

    @property
    def identity(self) -> str:
        """Everything about it on which its proofs depend."""
        return repr((self.name, self.setup))

    def prepare(self) -> None:
        """Import what the search will need, so that neither its clock nor its limits count it."""
        if not self.native:
            import sklearn.tree  # noqa: F401
        if self.setup is not None:
            import pysat.card
            import pysat.solvers  # noqa: F401

    def search(
        self, problem: Problem, stop: Stop, work: Work, team: Team = ALONE
    ) -> Iterator[Event]:
        """Search for the best tree of the problem; see `problem.Event`."""
        if self.run is not None:
            return self.run(problem, stop, work, team)
        assert self.strategy is not None
        assert self.setup is not None
        return self.strategy(Session(self.setup, problem, stop, work, team))


# Narodytska et al.: sequential counters, glucose, and none of the later additions.
_MINDT = Setup(
    NODES,
    EncodingOptions(leaf_matches=False, quasi_pure=False, path_bounds=False),
    solver="glucose3",
    cardinality="seqcounter",
)
# The path encoding has all options on; of these, DT1 has quasi-pure features. The MaxSAT bounds are
# about paths.
_DT1 = Setup(NODES, EncodingOptions(leaf_matches=False, path_bounds=False))
_PATHS = Setup(PATHS, EncodingOptions(additional=False))
# CPU seconds over 8 instances of the benchmark that all solve, growing size: paths 19.9 (15.5
# without 'leaf matches'), nodes 4.3, nodes with glucose4 4.0. For depth: paths 13.1, nodes 4.8,
# nodes with glucose4 3.3, and the MaxSAT bounds sometimes save a depth.
_QUICKEST = Setup(NODES, EncodingOptions(leaf_matches=False), solver="glucose4")
_T, _T_O = Splitting(), Splitting(ordered=True)


def _by_size(name: str, encoding: str, setup: Setup) -> Iterator[Method]:
    """The three methods of the paper that look for the smallest size with one encoding."""
    yield Method(name, f"{encoding}, binary search on size", strategy=binary, setup=setup)
    growth = f"{encoding}, growing size, split by topologies"
    for ending, splitting, order in (("-T", _T, ""), ("-T-O", _T_O, " in order")):
        split = replace(setup, splitting=splitting)
        yield Method(name + ending, growth + order, strategy=growing, setup=split)


METHODS: dict[str, Method] = {
    method.name: method
    for method in (
        Method(
            "mindt",
            "nodes (DT1) with sequential counters and glucose3, growing size",
            strategy=growing,
            setup=_MINDT,
        ),
        *_by_size("dtfinder-DT1", "nodes (DT1)", _DT1),
        *_by_size("dtfinder", "paths", _PATHS),
        Method(
            "d-dtfinder",
            "paths, growing depth, growing size within each depth",
            minimises=(DEPTH,),
            strategy=depth_then_size,
            setup=_PATHS,
        ),
        Method(
            "d-dtfinder-T-O",
            "paths, growing depth and size, split by topologies in order",
            minimises=(DEPTH,),
            strategy=depth_then_size,
            setup=replace(_PATHS, splitting=_T_O),
        ),
        Method(
            "sat",
            "nodes (DT1) with path bounds and glucose4, growing size: the fastest for size by SAT",
            strategy=growing,
            setup=_QUICKEST,
        ),
        Method(
            "d-sat",
            "nodes (DT1) with path bounds and glucose4, growing depth and size",
            minimises=(DEPTH,),
            strategy=depth_then_size,
            setup=_QUICKEST,
        ),
        Method(
            CORES,
            "the exact engine: cores with proven bounds",
            minimises=(SIZE, DEPTH),
            run=search_cores,
        ),
        Method(
            COUNTING,
            "the counting engine, for trees that may err: counts, and cores from the other end",
            minimises=(SIZE, DEPTH),
            run=search_counting,
            exact=False,
        ),
        Method(
            "maxsat",
            "paths, trees that may err, by MaxSAT (RC2): for small tables",
            run=search_maxsat,
            exact=False,
            certifies=False,
        ),
        Method(
            "maxsat-DT1",
            "nodes (DT1), trees that may err, by MaxSAT (RC2): for small tables",
            run=partial(search_maxsat, encoding=NODES),
            exact=False,
            certifies=False,
        ),
        Method(
            "sklearn",
            "the greedy tree of scikit-learn, for comparison",
            minimises=(SIZE, DEPTH),
            run=greedy,
            certifies=False,
        ),
    )
}


def pick_method(options: Options) -> Method:
    """The method that the options name, with their switches, solver and splitting."""
    name = _auto(options) if options.method == "auto" else options.method
    if name not in METHODS:
        raise OptionError(f"there is no method {name!r}; {suggestion(name, ['auto', *METHODS])}")
    method = METHODS[name]
    if options.minimise == DEPTH and DEPTH not in method.minimises:
        raise OptionError(
            Option("method", name),
            " minimises the size; to minimise the depth, use ",
            Option("method", "auto"),
        )
    # A method that can only minimise the depth does so even if nobody asked.
    minimise = options.minimise if options.minimise in method.minimises else DEPTH
    for option in ("max_errors", "leaf_penalty"):
        if method.exact and getattr(options, option) is not None:
            raise OptionError(
                Option("method", name),
                " finds trees without avoidable errors; leave out ",
                Option(option),
                ", or use ",
                Option("method", "auto"),
            )
    if options.max_errors is not None and options.leaf_penalty is not None:
        raise _apart(Option("max_errors"), Option("leaf_penalty"))
    if options.leaf_penalty is not None and isinstance(options.max_nodes, int):
        why = ": the penalty decides the size"
        raise _apart(Option("leaf_penalty"), Option("max_nodes"), why)
    if options.max_nodes == CV:
        _check_choice(options, method)
    if options.certify and not method.certifies:
        raise OptionError(
            Option("certify"),
            f" needs a method that writes proofs, and {name!r} does not; use ",
            Option("method", "auto"),
        )
    setup = with_options(method.setup, options) if method.setup else None
    if setup is None:  # it does not use these names, but wrong ones are refused all the same
        known_names(options)
    run = method.run
    if run is search_cores:
        run = partial(search_cores, certify=options.certify, memory_limit=options.memory_limit)
    elif run is search_counting:
        run = partial(search_counting, certify=options.certify, memory_limit=options.memory_limit)
    return replace(method, minimise=minimise, setup=setup, run=run)


def _apart(one: Option, other: Option, why: str = "") -> OptionError:
    return OptionError(one, " and ", other, f" cannot be used together{why}")


def _check_choice(options: Options, method: Method) -> None:
    """Raise an OptionError unless cross-validation can choose the size."""
    cv = Option("max_nodes", CV)
    if method.exact:
        raise OptionError(
            cv,
            " chooses among trees with errors, and ",
            Option("method", method.name),
            " finds trees without avoidable errors; use ",
            Option("method", "auto"),
        )
    for name in ("max_errors", "leaf_penalty"):
        if getattr(options, name) is not None:
            raise _apart(cv, Option(name))
    for name in ("cluster", "checkpoint"):
        if getattr(options, name) is not None:
            raise OptionError(Option(name), " cannot be used with ", cv, "; leave it out")


def _auto(options: Options) -> str:
    """What fits the question: the exact engine, unless a tree with errors may be the answer."""
    asked = (options.max_depth, options.max_nodes, options.max_errors, options.leaf_penalty)
    return CORES if all(each is None for each in asked) else COUNTING


def front_method(options: Options) -> Method:
    """The method that finds fronts."""
    if options.method not in ("auto", COUNTING):
        raise OptionError(
            Option("method", options.method),
            " finds one tree; a front is found by ",
            Option("method", COUNTING),
        )
    for name in ("max_errors", "leaf_penalty"):
        if getattr(options, name) is not None:
            raise OptionError(
                Option(name), " asks for one tree; leave it out, and choose from the front"
            )
    method = pick_method(replace(options, method=COUNTING))
    memory = options.memory_limit
    run = partial(search_counting, certify=options.certify, memory_limit=memory, front=True)
    return replace(method, run=run)


def describe() -> list[tuple[str, str, str]]:
    """Rows for people: name, what it minimises, what it does."""
    rows = [
        (
            "auto",
            "size or depth",
            f"what fits: {CORES}, or {COUNTING} where a tree may err",
        )
    ]
    for method in METHODS.values():
        words = " or ".join({SIZE: "size", DEPTH: "depth, then size"}[m] for m in method.minimises)
        rows.append((method.name, "nothing" if method.run is greedy else words, method.about))
    return rows


def refuse_sets(dataset: Dataset, method: Method) -> None:
    """Raise an OptionError if rows allow several classes, which the method cannot take."""
    if dataset.row_sets is None or method.exact:
        return
    assert dataset.table.target is not None
    row, several = first_several(dataset.table.target)
    raise OptionError(
        f"row {row} allows the classes {shown(several)}, and trees that may err are for one class "
        "in each row; use ",
        Option("method", CORES),
        ", whose trees make no avoidable errors",
    )


def warn_of_idle_options(options: Options, method: Method) -> None:
    """Log the options that were given but have no effect on the method: nobody who compares solvers
    or encodings should take two equal runs for a result."""
    given = {each.name for each in fields(options) if getattr(options, each.name) != each.default}
    for name, why in _idle(method).items():
        if name in given:
            _log.warning("%s has no effect: method %r %s", Option(name), method.name, why)
    if options.max_nodes != CV:
        for name in sorted(given & options.of_group("choice").keys()):
            _log.warning("%s has no effect without %s", Option(name), Option("max_nodes", CV))


def _idle(method: Method) -> dict[str, str]:
    """The options that the method does not use, each with the reason."""
    sat, topologies = (
        [each.name for each in fields(Options) if each.metadata["group"] == group]
        for group in ("sat", "topologies")
    )
    setup = method.setup
    if setup is None:
        uses = (
            "has a MaxSAT solver of its own"
            if "maxsat" in method.name
            else "does not use a SAT solver"
        )
        return dict.fromkeys(sat + topologies, uses)
    idle = {}
    if setup.splitting is None:
        idle = dict.fromkeys(topologies, "does not split by topologies")
    elif not setup.splitting.ordered:
        idle["difference_decay"] = "does not order its topologies"
    if setup.encoding == NODES:
        idle["leaf_matches"] = "encodes nodes, not paths"
    else:
        idle["additional"] = "encodes paths, not nodes"
    return idle
