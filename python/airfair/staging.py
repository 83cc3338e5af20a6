"""Hidden directories for new files until all of them are complete.

Each is locked by the process that created it. The lock ends with the process, so that a later process
recognises the directories of dead ones.
"""

from __future__ import annotations

import contextlib
import os
import sys
import tempfile
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = ".airfair-"
_ATTEMPTS = 5
"""Attempts to create and lock a new directory, as another process may remove it before it is locked."""


@dataclass
class Stage:
    """Hidden directory, with the files in it to keep at the end."""

    path: Path
    kept: tuple[str, ...] = ()


@contextlib.contextmanager
def staged(directory: Path) -> Iterator[Stage]:
    """New hidden directory in `directory`; removed at the end, unless a file in it is kept.

    Raises `OSError` if it cannot be created.
    """
    path, lock = _made(directory)
    stage = Stage(path)
    try:
        yield stage
    finally:
        remove(path, but=stage.kept)
        if lock is not None:
            os.close(lock)


@contextlib.contextmanager
def left_behind(directory: Path) -> Iterator[list[Path]]:
    """Hidden directories of dead processes, locked so that no other process removes them."""
    locks: dict[Path, int] = {}
    try:
        for path in sorted(directory.glob(f"{PREFIX}*")):
            if path.is_dir() and not path.is_symlink() and (lock := _lock(path)) is not None:
                locks[path] = lock
        yield [*locks]
    finally:
        for lock in locks.values():
            os.close(lock)


def remove(stage: Path, *, but: Collection[str] = ()) -> None:
    """Remove a hidden directory with its files, except those in `but`; errors are ignored."""
    with contextlib.suppress(OSError):
        for path in stage.iterdir():
            if path.name not in but:
                path.unlink(missing_ok=True)
        stage.rmdir()


def _made(directory: Path) -> tuple[Path, int | None]:
    for _ in range(_ATTEMPTS):
        stage = Path(tempfile.mkdtemp(prefix=PREFIX, dir=directory))
        lock = _lock(stage, waits=True)
        if stage.exists():
            return stage, lock
        if lock is not None:
            os.close(lock)
    raise FileNotFoundError(f"{directory}: another process keeps removing new directories in it")


def _lock(path: Path, *, waits: bool = False) -> int | None:
    """Descriptor that locks a directory; `None` if it is locked, or the file system has no locks."""
    if sys.platform == "win32":  # Windows has no locks of directories
        return None
    try:
        lock = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if waits else fcntl.LOCK_NB))
    except OSError:
        os.close(lock)
        return None
    return lock
