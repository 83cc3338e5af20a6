"""Functions that remove runs from an archive; each returns the number of removed runs."""

from __future__ import annotations

import itertools
import time

from .base import Archive
from .job import build


def everything(archive: Archive) -> int:
    """Remove all runs."""
    return archive.remove("TRUE")


def other_builds(archive: Archive) -> int:
    """Remove the runs of other builds of airfair, which only those builds can use."""
    return archive.remove("build NOT IN (SELECT id FROM builds WHERE build = ?)", build())


def older_than(archive: Archive, seconds: float) -> int:
    """Remove the runs that were saved more than `seconds` ago."""
    return archive.remove("made < ?", time.time() - seconds)


def damaged(archive: Archive) -> int:
    """Remove the runs whose checksum does not match their data."""
    return sum(archive.remove("id = ?", number) for number in archive.damaged())


def down_to(archive: Archive, size: int) -> int:
    """Remove the oldest runs until the file has at most `size` octets, or no run is left."""
    removed = 0
    while archive.size > size:
        last = _last_of_the_oldest(archive, 1 - size / archive.size)
        if last is None:
            break
        removed += archive.remove("id <= ?", last)
        archive.compact()
    return removed


def _last_of_the_oldest(archive: Archive, part: float) -> int | None:
    """Row number of the last of the oldest runs that make up this fraction of all; `None` without runs."""
    sizes = list(archive.sizes())
    wanted = part * sum(size for _, size in sizes)
    sums = itertools.accumulate(size for _, size in sizes)
    return next(
        (number for (number, _), sum_ in zip(sizes, sums, strict=True) if sum_ >= wanted), None
    )
