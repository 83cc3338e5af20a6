"""States of a running emulation for any number of viewers, as texts of JSON."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable, Iterator

STEP_S = 0.25
"""Time between two states [s]."""
KEPT_EVERY = 4
"""Number of states of which one is kept for viewers that come later."""
KEPT = 60
"""Number of states that are kept: those of a minute."""
PATIENCE_S = 1.0
"""Longest wait for viewers to take the last state [s]."""


class Broadcast:
    """Thread that reads the state of an emulation four times a second, once for all viewers.

    `view` returns the state as a text without line ends, and raises `RuntimeError` once the emulation is
    over.
    """

    def __init__(self, view: Callable[[], str]) -> None:
        self._view = view
        self._changed = threading.Condition()
        self._past: deque[str] = deque(maxlen=KEPT)
        self._now: str | None = None
        self._number = 0
        self._end: str | None = None
        self._viewers = 0
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        while True:
            try:
                now = self._view()
            except RuntimeError:
                return
            with self._changed:
                if self._now is not None and self._number % KEPT_EVERY == 1:
                    self._past.append(self._now)
                self._now = now
                self._number += 1
                self._changed.notify_all()
            if self._is_over.wait(STEP_S):
                return

    def follow(self) -> Iterator[tuple[str, str]]:
        """Events for a viewer, as pairs of a kind and a text.

        The kind `state` has the states of the last minute, one per second, and then each new one; `end` has
        the last one, and is empty if there was none.
        """
        with self._changed:
            self._viewers += 1
            past, number = [*self._past], 0
        try:
            for state in past:
                yield "state", state
            while True:
                with self._changed:
                    while self._number == number and self._end is None:
                        self._changed.wait()
                    is_new, number = self._number > number, self._number
                    now, end = self._now, self._end
                if is_new and now is not None:
                    yield "state", now
                elif end is not None:
                    yield "end", end
                    return
        finally:
            with self._changed:
                self._viewers -= 1
                self._changed.notify_all()

    def close(self, last: str = "") -> None:
        """Send the last state to all viewers, and wait a moment for them to take it."""
        self._is_over.set()
        self._thread.join()
        with self._changed:
            if self._end is None:
                self._end = last
            self._changed.notify_all()
            self._changed.wait_for(lambda: self._viewers == 0, PATIENCE_S)
