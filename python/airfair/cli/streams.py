"""The program's own streams and signals."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator


class Termination:
    """Makes SIGTERM end the command as Ctrl-C does; `asked` tells the two apart."""

    def __init__(self) -> None:
        self.asked = False

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """Listen meanwhile."""
        try:
            before = signal.signal(signal.SIGTERM, self._interrupt)
        except ValueError:  # not the main thread: whoever called listens
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def _interrupt(self, *_: object) -> None:
        self.asked = True
        raise KeyboardInterrupt


def open_missing() -> None:
    """Open what was closed when the program started: Python has None there, and a file would take its number.

    To read or write a result then fails with an error; words for people are lost.
    """
    missing = (
        (0, "stdin", "r", os.O_WRONLY),
        (1, "stdout", "w", os.O_RDONLY),
        (2, "stderr", "w", os.O_WRONLY),
    )
    for number, name, mode, access in missing:
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def drop_output() -> None:
    """Forget what standard output could not take, lest the interpreter try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
