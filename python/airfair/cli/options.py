"""Values of options that several commands share."""

from __future__ import annotations

from airfair.cli.status import InputError

MOST_THREADS = 1024


def threads(text: str) -> int:
    """Value of the option `--threads`."""
    if not text.isdecimal() or not 1 <= int(text) <= MOST_THREADS:
        raise InputError(f"--threads {text}: allowed is a whole number from 1 to {MOST_THREADS}")
    return int(text)
