"""The directory of `--out`: tried before anything runs, and its errors after what was run is shown."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from airfair.cli.status import InputError, describe


def prepare(out: Path | None) -> list[Path]:
    """Make the directory and see that it can be written, if there is one; the directories that were made.

    Raises `InputError` if it cannot be written.
    """
    if out is None:
        return []
    from airfair.store import prepare

    try:
        return prepare(out)
    except OSError as error:
        raise InputError(f"--out {out}: {describe(error)}") from error


def failure(out: Path, write: Callable[[], object]) -> OSError | None:
    """What went wrong as `write` wrote to the directory: told later, since the result took its time."""
    try:
        write()
    except OSError as error:
        return OSError(error.errno, f"--out {out}: {describe(error)}")
    return None
