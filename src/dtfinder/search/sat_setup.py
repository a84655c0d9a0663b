"""How a SAT method puts its questions: encoding, switches, solver; and what the options change."""

from __future__ import annotations

from dataclasses import dataclass, replace

from dtfinder.decide.by_topology import Splitting
from dtfinder.decide.proof_log import CARDINALITY, SOLVER
from dtfinder.decide.sat import PATHS
from dtfinder.encode.options import ALL_ON, EncodingOptions
from dtfinder.errors import Option, OptionError
from dtfinder.options import Options


@dataclass(frozen=True)
class Setup:
    """How questions are put: encoding, switches, solver, and whether topologies are split."""

    encoding: str = PATHS
    switches: EncodingOptions = ALL_ON
    solver: str = "cadical195"
    cardinality: str = "kmtotalizer"
    splitting: Splitting | None = None
    prove: bool = False


def with_options(setup: Setup, options: Options) -> Setup:
    """The set-up of a method, changed by the options given."""
    names = ("leaf_matches", "pure_features", "quasi_pure", "path_bounds", "additional")
    given = {name: getattr(options, name) for name in names}
    switches = replace(setup.switches, **{k: v for k, v in given.items() if v is not None})
    splitting = setup.splitting
    if splitting is not None:
        splitting = replace(
            splitting,
            cut=options.topology_depth,
            max_templates=options.max_templates,
            incremental_above=options.incremental_above,
            decay=options.difference_decay,
        )
    setup = replace(setup, switches=switches, splitting=splitting)
    if options.certify:
        return _with_proof(setup, options)
    solver, cardinality = known_names(options)
    return replace(
        setup, solver=solver or setup.solver, cardinality=cardinality or setup.cardinality
    )


def known_names(options: Options) -> tuple[str | None, str | None]:
    """PySAT's names of the solver and the cardinality encoding, None where they are not given."""
    return (
        None if options.solver is None else _known_solver(options.solver),
        None if options.cardinality is None else _known_cardinality(options.cardinality),
    )


def _with_proof(setup: Setup, options: Options) -> Setup:
    """The set-up that writes proofs: only one solver can, and the checker must be able to rebuild
    the formula. MaxSAT bounds have no proof."""
    for name, given, only in (
        ("solver", options.solver, SOLVER),
        ("cardinality", options.cardinality, CARDINALITY),
        ("path_bounds", options.path_bounds, False),
    ):
        if given is not None and given != only:
            raise OptionError(
                Option(name, given), " cannot be used with ", Option("certify"), "; leave it out"
            )
    switches = replace(setup.switches, path_bounds=False)
    return replace(setup, switches=switches, solver=SOLVER, cardinality=CARDINALITY, prove=True)


def _known_solver(name: str) -> str:
    """PySAT's own name for the solver; an error if this PySAT does not have it."""
    from pysat.solvers import Solver, SolverNames

    known: dict[str, tuple[str, ...]] = {
        each: words for each, words in vars(SolverNames).items() if not each.startswith("_")
    }
    # The key in PySAT's list is not always one of the names that it accepts.
    wanted = known[name][-1] if name in known and name not in known[name] else name
    if not any(wanted in words for words in known.values()):
        names = ", ".join(sorted(known))
        raise OptionError(Option("solver"), f" must be one of {names}, not {name!r}")
    try:
        Solver(name=wanted).delete()
    except Exception as error:
        raise OptionError(Option("solver", name), " cannot be started by this PySAT") from error
    return wanted


def _known_cardinality(name: str) -> str:
    """The name; an error if this PySAT has no such encoding in clauses."""
    from pysat.card import EncType

    known = [each for each in vars(EncType) if not each.startswith("_") and each != "native"]
    if name not in known:
        names = ", ".join(known)
        raise OptionError(Option("cardinality"), f" must be one of {names}, not {name!r}")
    return name
