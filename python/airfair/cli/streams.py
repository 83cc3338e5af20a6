"""Standard streams and signals of the program."""

from __future__ import annotations

import contextlib
import io
import os
import signal
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class Termination:
    """Handler that lets SIGTERM end the command as Ctrl-C does; `asked` is true after SIGTERM."""

    def __init__(self) -> None:
        self.asked = False

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """Context in which the signal is handled."""
        try:
            before = signal.signal(signal.SIGTERM, self._interrupt)
        except ValueError:  # not the main thread, so the caller handles signals
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
    """Open standard streams that were closed at the start, so that no file gets their descriptors.

    Reading standard input or writing a result to standard output then fails with an error; messages to
    standard error are lost.
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


class _Output(io.FileIO):
    """Output file that ignores writes after its reader has closed the pipe."""

    def write(self, octets: ReadableBuffer, /) -> int:
        """Write, or discard the octets if the reader has closed the pipe."""
        try:
            return super().write(octets)
        except BrokenPipeError:
            # Replace the closed pipe, so that no later write fails, not even the flush at exit.
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, self.fileno())
            os.close(nowhere)
            return memoryview(octets).nbytes


@contextlib.contextmanager
def readers_may_leave() -> Iterator[None]:
    """Let readers of standard output and error leave early, as `head` does.

    The command still does its work, writes its files and has the same exit status. Streams that a Python
    caller has replaced are left unchanged.
    """
    kept = {}
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is getattr(sys, f"__{name}__") and isinstance(stream, io.TextIOWrapper):
            stream.flush()
            kept[name] = stream
            setattr(sys, name, _open_again(stream))
    try:
        yield
    finally:
        for name, stream in kept.items():
            with contextlib.suppress(OSError):
                getattr(sys, name).flush()
            setattr(sys, name, stream)


def _open_again(stream: io.TextIOWrapper) -> io.TextIOWrapper:
    raw = _Output(stream.fileno(), "wb", closefd=False)
    return io.TextIOWrapper(
        io.BufferedWriter(raw),
        encoding=stream.encoding,
        errors=stream.errors,
        line_buffering=stream.line_buffering,
        write_through=stream.write_through,
    )


def drop_output() -> None:
    """Discard output that could not be written, so that the interpreter does not try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
