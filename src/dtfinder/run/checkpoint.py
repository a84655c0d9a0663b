"""What a run has proven so far, in a file, so that a run that was killed can go on from there.

The file is a list of entries, one JSON object per line, written as they become known and never
changed: bounds, better trees, refuted questions and templates, facts of native engines. Its first
line is a header with the digest of the question: examples, method and all options that a proof
depends on, and the version. Limits on time and the number of workers are not part of it.

Each line carries a checksum of itself and of the line before, so a line that was changed, moved or
lost is seen. A run that was killed may leave half a line at the end, which is dropped. Anything
else that is wrong is refused, and so is the checkpoint of another question: what a file says about
other examples, or what nobody wrote, must not become a claim. Trees are checked when they are read.

    {"sum": "…", "entry": {"kind": "header", "format": 2, "version": "…", "digest": "…"}}
    {"sum": "…", "entry": {"kind": "bounds", "errors": 0, "inner": 4, "depth": 3}}
    {"sum": "…", "entry": {"kind": "tree", "nodes": [[feature, zero, one, label], …]}}
    {"sum": "…", "entry": {"kind": "paths", "left": 2, "right": 3, "general": 2}}
    {"sum": "…", "entry": {"kind": "refuted", "paths": 5, "depth": null}}
    {"sum": "…", "entry": {"kind": "template", "paths": 6, "depth": null, "template": [1, [1, 5]]}}
    {"sum": "…", "entry": {"kind": "facts", "content": "base64"}}
    {"sum": "…", "entry": {"kind": "reply", "content": "base64"}}

The checksum tells damage, not malice: whoever can write the file can make it claim anything. So
entries are checked as far as they can be (trees in full, numbers by the size of the table), and a
run that takes bounds, refutations or facts from a checkpoint says that it did.

A run that is to `certify` keeps the replies of native engines, with the lemmas in them, and goes on
from these alone: bounds are of no use to it, as they come without a proof.
"""

from __future__ import annotations

import base64
import errno
import hashlib
import json
import logging
import os
import time
import zlib
from contextlib import suppress
from pathlib import Path
from typing import IO, Any

from dtfinder.errors import CheckpointError
from dtfinder.nodes import Node
from dtfinder.problem import SIZE, Problem, Score
from dtfinder.tree import Tree
from dtfinder.version import __version__

FORMAT = 2
SYNC_SECONDS = 1.0
MOST_BYTES = 1 << 28  # of one entry, unpacked
_log = logging.getLogger(__name__)

Entry = dict[str, Any]


def digest_of(problem: Problem, method: str) -> str:
    """The digest of what is asked: `method` names everything about the search that a proof of it
    depends on."""
    dataset = problem.dataset
    digest = hashlib.sha256()
    weights = [] if dataset.weights is None else [dataset.class_weights]
    sets = [] if dataset.allowed is None else [dataset.allowed]
    for array in (dataset.bits, dataset.labels, *weights, *sets):
        digest.update(f"{array.shape}{array.dtype}".encode())
        digest.update(array.tobytes())
    said = (
        [feature.name for feature in dataset.features],
        [repr(each) for each in dataset.classes],
        problem.minimise,
        problem.max_depth,
        problem.max_nodes,
        problem.max_errors,
        problem.leaf_penalty,
        method,
        __version__,
    )
    digest.update(json.dumps(said).encode())
    return digest.hexdigest()


class Checkpoint:
    """An open checkpoint: what it said when it was opened, and a way to add to it."""

    def __init__(self, path: str | Path, problem: Problem, method: str) -> None:
        """Open or make the file. Raises CheckpointError if it is not of this question, is damaged
        or in use."""
        self._path, self._full = Path(path), False
        self.bounds = Score()
        self.nodes: list[Node] | None = None
        self.paths: Entry | None = None
        self.facts: list[str] = []  # of native engines, with facts
        self.replies: list[Entry] = []  # of native engines, with facts and lemmas
        self._refuted: set[tuple[int, int | None]] = set()
        self._templates: dict[tuple[int, int | None], list[Any]] = {}
        # Whether it held anything that was proven elsewhere and came without its proof.
        self.trusted = False
        self._dataset = problem.dataset
        header = {
            "kind": "header",
            "format": FORMAT,
            "version": __version__,
            "digest": digest_of(problem, method),
        }
        try:
            self._file = self._open(header, problem)
        except OSError as error:
            reason = error.strerror or str(error)
            raise CheckpointError(
                f"cannot use the checkpoint {str(self._path)!r}: {reason}"
            ) from error
        self._synced = time.monotonic()

    _file: IO[bytes]

    def _open(self, header: Entry, problem: Problem) -> IO[bytes]:
        if self._path.exists() and not (self._path.is_file() or self._path.is_dir()):
            raise OSError(errno.EINVAL, "it is a pipe or a device, not a file")
        file = self._path.open("a+b")
        try:
            _lock(file, self._path)
            file.seek(0)
            content = file.read()
            if content:
                good = self._read(content, header)
                if self.nodes is not None:
                    _check(problem, self.nodes, self._path)
                    # A tree that may err, or is not of least depth, may be smaller than the best.
                    by_size = problem.minimise == SIZE and problem.labelled
                    if by_size and self.bounds.inner > len(self.nodes) // 2:
                        raise self._refuse("its bounds are above its tree")
                if good < len(content):
                    _log.warning("%s: dropped an unfinished line at its end", self._path)
                    file.truncate(good)
            else:
                self._sum = ""
                self._append(file, header)
        except BaseException:
            file.close()
            raise
        return file

    def _read(self, content: bytes, header: Entry) -> int:
        """Take all entries; how many bytes are good. Only the last line may be bad."""
        lines = content.split(b"\n")
        good, self._sum = 0, ""
        for number, line in enumerate(lines[:-1], 1):
            entry = _entry(line, self._sum)
            last = number == len(lines) - 1 and not lines[-1]
            if number == 1:
                self._check_header(entry, header)
            elif entry is None and last:
                return good
            if entry is None:
                raise self._refuse(f"line {number} is damaged")
            if number > 1:
                self._take(entry, number)
            good += len(line) + 1
            self._sum = str(json.loads(line)["sum"])
        if good == 0:
            self._check_header(None, header)
        return good

    def _refuse(self, why: str) -> CheckpointError:
        return CheckpointError(f"the checkpoint {self._path} cannot be used: {why}; remove it")

    def _check_header(self, entry: Entry | None, header: Entry) -> None:
        if entry is None or entry.get("kind") != "header":
            raise CheckpointError(
                f"{self._path} is not a checkpoint of dtfinder; give another file"
            )
        if entry == header:
            return
        if entry.get("version") != header["version"] or entry.get("format") != header["format"]:
            raise self._refuse(
                f"it was written by dtfinder {entry.get('version')}, and this is "
                f"{header['version']}"
            )
        raise CheckpointError(
            f"the checkpoint {self._path} belongs to other data or other options: give another "
            "file, or the same table, method and options as before"
        )

    def _take(self, entry: Entry, number: int) -> None:
        try:
            match entry["kind"]:
                case "bounds":
                    inner, depth = self._count(entry["inner"]), self._count(entry["depth"])
                    self.bounds = self.bounds.raised(inner, depth, _natural(entry["errors"]))
                case "tree":
                    self.nodes = self._tree(entry["nodes"])
                case "paths":
                    self.paths = {n: self._count(entry[n]) for n in ("left", "right", "general")}
                case "refuted":
                    self._refuted.add(self._question(entry))
                case "template":
                    template = _template(entry["template"])
                    self._templates.setdefault(self._question(entry), []).append(template)
                case "facts":
                    self.facts.append(_unpacked(entry["content"]))
                case "reply":
                    self.replies.append(json.loads(_unpacked(entry["content"])))
                case _:
                    raise KeyError(entry["kind"])
        except (KeyError, IndexError, TypeError, ValueError, RecursionError, zlib.error) as error:
            raise self._refuse(f"line {number} has wrong content ({error})") from error
        self.trusted |= entry["kind"] != "tree"  # which is checked

    def _count(self, value: Any) -> int:
        """A number of nodes, leaves or levels: no larger than the table."""
        if _natural(value) > len(self._dataset.example_of_row):
            raise ValueError(f"{str(value)[:40]!r} is too large for this table")
        return int(value)

    def _question(self, entry: Entry) -> tuple[int, int | None]:
        depth = entry["depth"]
        return self._count(entry["paths"]), None if depth is None else _natural(depth)

    def _tree(self, listed: Any) -> list[Node]:
        """Nodes that form a tree over the features and classes of the table."""
        nodes = [Node(*each) for each in listed]
        features, classes = len(self._dataset.features), len(self._dataset.classes)
        seen, todo = 0, [0]
        while todo:
            node = nodes[todo.pop()]
            seen += 1
            if any(type(value) is not int for value in node) or seen > len(nodes):
                raise ValueError("its nodes do not form a tree")
            if 0 <= node.feature < features and min(node.zero, node.one) > 0:
                todo += [node.zero, node.one]
            elif node.feature != -1 or not 0 <= node.label < classes:
                raise ValueError(f"{node} is not a node")
        if seen != len(nodes):
            raise ValueError("its nodes do not form a tree")
        return nodes

    def refuted(self, paths: int, depth: int | None) -> bool:
        """Whether it is proven that no tree has exactly this many leaves and this depth."""
        return (paths, depth) in self._refuted

    def templates(self, paths: int, depth: int | None) -> list[Any]:
        """The templates of this question that are refuted, pairs as lists."""
        return self._templates.get((paths, depth), [])

    def note(self, kind: str, **content: Any) -> None:
        """Add an entry."""
        self._append(self._file, {"kind": kind, **content})

    def note_bounds(self, bounds: Score) -> None:
        """Add bounds, unless they are known."""
        raised = self.bounds.joined(bounds)
        if raised != self.bounds:
            self.bounds = raised
            self.note("bounds", errors=bounds.errors, inner=bounds.inner, depth=bounds.depth)

    def note_tree(self, nodes: list[Node]) -> None:
        """Add a better tree, unless it is known."""
        if nodes != self.nodes:
            self.nodes = nodes
            self.note("tree", nodes=[list(map(int, node)) for node in nodes])

    def note_facts(self, facts: str) -> None:
        """Add facts of a native engine, unless there are none."""
        if facts:
            self.note("facts", content=_packed(facts))

    def note_reply(self, reply: Entry) -> None:
        """Add what a native engine replied."""
        self.note("reply", content=_packed(json.dumps(reply, default=str)))

    def _append(self, file: IO[bytes], entry: Entry) -> None:
        if self._full:
            return
        text = _text(entry)
        self._sum = _checksum(self._sum, text)
        try:
            # In one write, at the end: a reader sees all of a line or its beginning.
            file.write(f'{{"sum":"{self._sum}","entry":{text}}}\n'.encode())
            file.flush()
            now = time.monotonic()
            if now - getattr(self, "_synced", 0) > SYNC_SECONDS:
                os.fsync(file.fileno())
                self._synced = now
        except OSError as error:  # of a full disk: what was found so far is worth more
            if not hasattr(self, "_file"):
                raise  # it cannot even be begun
            self._full = True
            _log.warning("%s can no longer be written, and the run goes on: %s", self._path, error)

    def close(self) -> None:
        """Close the file."""
        with suppress(OSError):  # what a full disk did not take
            self._file.close()


def _packed(text: str) -> str:
    return base64.b64encode(zlib.compress(text.encode())).decode()


def _unpacked(content: Any) -> str:
    packed = base64.b64decode(str(content), validate=True)
    unpacker = zlib.decompressobj()
    text = unpacker.decompress(packed, MOST_BYTES)
    if not unpacker.eof:
        raise ValueError("it is too long or not complete")
    return text.decode()


def _natural(value: Any) -> int:
    if type(value) is not int or value < 0:
        raise ValueError(f"{str(value)[:40]!r} is not a number that can stand here")
    return value


def _template(listed: Any) -> Any:
    """Numbers and pairs of templates, as lists."""
    if isinstance(listed, list) and len(listed) == 2:
        return [_template(each) for each in listed]
    return _natural(listed)


def _text(entry: Entry) -> str:
    return json.dumps(entry, sort_keys=True, separators=(",", ":"))


def _checksum(before: str, text: str) -> str:
    return hashlib.sha256(f"{before}\n{text}".encode()).hexdigest()[:32]


def _entry(line: bytes, before: str) -> Entry | None:
    """The entry of a line, or None if it is not as it was written after the line before."""
    try:
        read = json.loads(line)
        entry = read["entry"]
        right = isinstance(entry, dict) and read["sum"] == _checksum(before, _text(entry))
    except (ValueError, KeyError, TypeError, RecursionError):
        return None
    return entry if right else None


def _check(problem: Problem, nodes: list[Node], path: Path) -> None:
    try:
        tree = Tree.of(problem.dataset, nodes)
        if problem.labelled:  # else it may err, and its errors are counted when it is taken
            tree.check(problem.dataset)
    except (AssertionError, ValueError, IndexError) as error:
        raise CheckpointError(f"the checkpoint {path} has a wrong tree: {error}") from error


def _lock(file: IO[bytes], path: Path) -> None:
    """One run at a time may write to a checkpoint."""
    try:
        import fcntl
    except ImportError:  # no such locks on this system
        return
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        raise CheckpointError(f"the checkpoint {path} is in use by another run") from None
