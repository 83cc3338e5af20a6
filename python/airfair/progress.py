"""Progress of long work on standard error."""

from __future__ import annotations

import contextlib
import sys
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import TYPE_CHECKING, Self

from . import names
from .terminal import is_terminal

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_DELAY_S = 0.5
_LOG_S = 60.0


class Progress:
    """Progress bar with the remaining time on standard error, shown if the work takes long.

    If standard error is no terminal, one line per minute is written instead.
    """

    def __init__(self, label: str) -> None:
        self._label = names.printable(label)
        self._started = time.monotonic()
        self._logged = 0.0
        self._bar: RichProgress | None = None

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._bar is not None:
            self._bar.stop()

    def __call__(self, fraction: float) -> None:
        """Show that `fraction` of the work is done."""
        passed = time.monotonic() - self._started
        if not is_terminal(sys.stderr):
            self._log(fraction, passed)
            return
        if passed < _DELAY_S:
            return
        if self._bar is None:
            self._bar = self._make()
        self._bar.update(self._bar.task_ids[0], completed=fraction)

    def _log(self, fraction: float, passed: float) -> None:
        """A line for a log, once a minute."""
        if passed - self._logged < _LOG_S:
            return
        self._logged = passed
        left = f", {passed / fraction - passed:.0f} s left" if fraction > 0 else ""
        print(f"airfair: {self._label}: {fraction:.0%}{left}", file=sys.stderr, flush=True)

    def _make(self) -> RichProgress:
        from rich.console import Console
        from rich.markup import escape
        from rich.progress import (
            BarColumn,
            Progress,
            TaskProgressColumn,
            TextColumn,
            TimeRemainingColumn,
        )

        bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TaskProgressColumn(),
            TextColumn("left"),
            TimeRemainingColumn(compact=True, elapsed_when_finished=False),
            console=Console(stderr=True),
            transient=True,
        )
        bar.add_task(escape(self._label), total=1.0)
        bar.start()
        return bar


@contextlib.contextmanager
def shown(
    progress: Callable[[float], object] | bool,  # noqa: FBT001 - as the argument of functions
    label: str,
) -> Iterator[Callable[[float], object] | None]:
    """Callback for an argument `progress`: a bar with this label if it is true, `None` if it is false."""
    if callable(progress) or not progress:
        yield progress if callable(progress) else None
        return
    with Progress(label) as bar:
        yield bar
