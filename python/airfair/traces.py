"""Files that a scenario refers to: mobility traces, which the core reads as text."""

from __future__ import annotations

import os
import stat
from pathlib import Path

from ._core import LARGEST_TRACE
from .replacing import note_input

_OPEN = os.O_RDONLY | getattr(os, "O_CLOEXEC", 0) | getattr(os, "O_BINARY", 0)
_NEVER_WAIT = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOCTTY", 0)
"""Flags with which opening a pipe without a writer, or a terminal, does not block."""


def read(file: Path) -> bytes | str:
    """Content of a regular file, up to the largest size of a trace, or the reason why it cannot be read."""
    note_input(file)
    try:
        opened = os.open(file, _OPEN | _NEVER_WAIT)
        try:
            if not stat.S_ISREG(os.fstat(opened).st_mode):
                return "not a regular file"
            return _content(opened)
        finally:
            os.close(opened)
    except OSError as error:
        return error.strerror or str(error)


def _content(opened: int) -> bytes:
    # One octet more than allowed, to detect a file that is too large.
    pieces, left = [], LARGEST_TRACE + 1
    while left and (piece := os.read(opened, left)):
        pieces.append(piece)
        left -= len(piece)
    return b"".join(pieces)
