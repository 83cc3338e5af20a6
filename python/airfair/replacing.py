"""Rules that decide whether an output may replace a file.

No output replaces a file that the running command has read. Without force, no output replaces a file that
airfair has not written: one without airfair's mark (`marks`) and, in a directory of results, with another
hash than its manifest lists.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
from collections.abc import Collection, Iterator
from contextvars import ContextVar
from dataclasses import dataclass, field
from pathlib import Path

from . import marks


class NotReplacedError(FileExistsError):
    """Raised if an output may not replace a file; `problems` has a line for each file."""

    def __init__(self, *problems: str) -> None:
        super().__init__(errno.EEXIST, "; ".join(problems))
        self.problems = problems


@dataclass
class _Inputs:
    """Files that a command has read, by inode and by path."""

    identities: set[tuple[int, int]] = field(default_factory=set)
    paths: set[Path] = field(default_factory=set)


_FORCE = "name another place, or replace the file with --force (in Python force=True)"

_READ: ContextVar[_Inputs | None] = ContextVar("inputs", default=None)


@contextlib.contextmanager
def inputs_noted() -> Iterator[None]:
    """Context in which `note_input` records the files that a command reads."""
    token = _READ.set(_Inputs())
    try:
        yield
    finally:
        _READ.reset(token)


def note_input(file: Path | int) -> None:
    """Record a file, given by path or descriptor, as an input of the command."""
    inputs = _READ.get()
    if inputs is None:
        return
    with contextlib.suppress(OSError, ValueError):
        found = os.stat(file)  # noqa: PTH116 - it may be a descriptor
        if stat.S_ISREG(found.st_mode):
            inputs.identities.add((found.st_dev, found.st_ino))
            if isinstance(file, Path):
                inputs.paths.add(file.resolve())


def is_input(path: Path) -> bool:
    """True if the command has read this file."""
    inputs = _READ.get()
    if inputs is None:
        return False
    try:
        found = path.stat()
        # A file that was saved again since it was read has another inode, but the same path.
        return (found.st_dev, found.st_ino) in inputs.identities or path.resolve() in inputs.paths
    except (OSError, ValueError):
        return False


def problem(path: Path, *, force: bool, hashes: Collection[str] = ()) -> str | None:
    """Reason why no output may replace `path`; `None` if it may be replaced or does not exist.

    `hashes` are those of files that airfair has written at this path.
    """
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None  # There is no such file, or the attempt to write will report the error.
    if not stat.S_ISREG(found.st_mode):
        return None  # Writing to a device or a pipe replaces nothing; writing to a directory fails.
    if is_input(path):
        return f"would replace {path}, which the command reads; name another place"
    if force or found.st_size == 0:
        return None
    try:
        if marks.is_marked(path) or (hashes and hash_of(path.read_bytes()) in hashes):
            return None
    except OSError as error:
        return f"would replace {path}, which cannot be read: {error.strerror or error}; {_FORCE}"
    changed = ", or that was changed since" if hashes else ""
    return f"would replace {path}, a file that airfair did not write{changed}; {_FORCE}"


def hash_of(content: bytes) -> str:
    """Hash of the content of a file, as in manifests."""
    import hashlib  # imported here, because few calls need it

    return hashlib.sha256(content).hexdigest()
