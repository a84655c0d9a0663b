"""The command line's options, made from the one table in `options.py`.

A command that takes `**options` is given one `--option` for each line of the table, so that a new
line appears here by itself. Values come in as text and are read here, so that a wrong one gives the
same message as in Python, under the name that was typed.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import Field, fields
from typing import Annotated, Any, get_args, get_type_hints

import typer

from dtfinder.errors import OptionError
from dtfinder.options import Options

_UNITS = {"": 1.0, "T": 1e3, "TB": 1e3, "G": 1.0, "GB": 1.0, "M": 1e-3, "MB": 1e-3}
_WORDS = {int: "NUMBER", float: "NUMBER", str: "NAME"}
_OWN_WORDS = {"memory_limit": "SIZE", "cluster": "ADDRESS", "checkpoint": "FILE"}


def flag(name: str) -> str:
    """How an option is typed: `--time-limit` for `time_limit`."""
    return f"--{name.replace('_', '-')}"


def with_table_options(command: Callable[..., int]) -> Callable[..., int]:
    """Replace the `**options` in the signature of `command` by the options of the table."""
    signature = inspect.signature(command, eval_str=True)
    own = [p for p in signature.parameters.values() if p.kind is not p.VAR_KEYWORD]
    kinds = _kinds()
    added = [
        inspect.Parameter(
            each.name,
            inspect.Parameter.KEYWORD_ONLY,
            default=None,
            annotation=_annotation(each, kinds[each.name]),
        )
        for each in fields(Options)
    ]
    parameters = [*own, *added]
    # Typer reads the signature for the order and the annotations for the types.
    command.__signature__ = signature.replace(parameters=parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {p.name: p.annotation for p in parameters} | {"return": int}
    return command


def read_options(given: dict[str, Any]) -> Options:
    """The checked options, from the texts that were given; those left out keep their default."""
    kinds = _kinds()
    try:
        return Options.of(
            **{
                name: _read(name, value, kinds[name]) if isinstance(value, str) else value
                for name, value in given.items()
                if value is not None
            }
        )
    except OptionError as error:
        raise OptionError(as_typed(str(error))) from None


def as_typed(message: str) -> str:
    """A message that opens with the name of an option, with the name as it is typed."""
    first, space, rest = message.partition(" ")
    known = any(each.name == first for each in fields(Options))
    return f"{flag(first)}{space}{rest}" if known else message


def _kinds() -> dict[str, type]:
    """The type of each option's value, None apart."""
    hints = get_type_hints(Options)
    return {name: (get_args(hint) or (hint,))[0] for name, hint in hints.items()}


def _annotation(option: Field[Any], kind: type) -> Any:
    about = option.metadata
    shown = about["help"]
    if option.default is not None:
        shown += f" [default: {option.default}]"
    if kind is bool:
        names = [f"{flag(option.name)}/{flag('no_' + option.name)}"]
        return Annotated[bool | None, typer.Option(*names, help=shown, show_default=False)]
    metavar = "|".join(about["choices"]) or _OWN_WORDS.get(option.name, _WORDS[kind])
    return Annotated[
        str | None,
        typer.Option(flag(option.name), help=shown, metavar=metavar, show_default=False),
    ]


def _read(name: str, text: str, kind: type) -> Any:
    """The value that the text stands for; the text itself, for `Options` to refuse, if none."""
    if name == "memory_limit":
        return _gigabytes(text)
    try:
        return kind(text)
    except ValueError:
        return text


def _gigabytes(text: str) -> float:
    """3, 3GB and 3000MB are the same."""
    match = re.fullmatch(r"\s*([-+0-9.e]+)\s*([a-z]*)\s*", text, re.IGNORECASE)
    try:
        if match and match[2].upper() in _UNITS:
            return float(match[1]) * _UNITS[match[2].upper()]
    except ValueError:
        pass
    raise OptionError(
        f"memory_limit must be a number of gigabytes, or such as 3GB or 500MB, not {text!r}"
    )
