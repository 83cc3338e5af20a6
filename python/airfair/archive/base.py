"""Archive of finished runs in one SQLite file, which several processes may share.

A row is one run of one build. As the build is part of the key, rows of other builds are never read; they stay
until `airfair cache prune` removes them.
"""

from __future__ import annotations

import contextlib
import errno
import hashlib
import itertools
import os
import sqlite3
import time
import zlib
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Self

from airfair import __version__

from . import job

APPLICATION = int.from_bytes(b"airf")
"""Application id of SQLite that identifies an archive."""
SCHEMA = 2
"""Version of the tables below."""
PAGE = 16384
"""Size of a page [octets]; a run takes about 700, and the rest of a page is wasted."""
PATIENCE_S = 60.0
"""Longest wait for another process that writes [s]."""
AT_ONCE = 500
"""Number of keys per query."""
_LATEST = 1 << 40
"""Upper bound of valid sizes and times."""
REMOVED_AT_ONCE = 20_000
"""Number of runs removed per statement."""

_TABLES = (
    "CREATE TABLE builds (id INTEGER PRIMARY KEY, build BLOB NOT NULL UNIQUE, version TEXT NOT NULL)",
    # `made` is in seconds since 1970; `checksum` is over key and outcome.
    (
        "CREATE TABLE runs (id INTEGER PRIMARY KEY, key BLOB NOT NULL, build INTEGER NOT NULL, "
        "made INTEGER NOT NULL, checksum INTEGER NOT NULL, outcome BLOB NOT NULL)"
    ),
    # Index apart from the rows: rows in the order of hashes would leave a third of each page empty.
    "CREATE UNIQUE INDEX runs_by_key ON runs (key)",
)


class ArchiveError(OSError):
    """Raised if an archive cannot be read or written: disk full, or locked by another process."""


class ForeignArchiveError(ArchiveError):
    """Raised for a file that is no archive, or one of another version; the file is not changed."""


class DamagedArchiveError(ArchiveError):
    """Raised if the content of an archive is damaged."""


@dataclass(frozen=True)
class Kept:
    """Summary of the archived runs of one build."""

    version: str
    build: bytes
    runs: int
    size: int
    """Size of their outcomes [octets]."""
    first: int
    """Time of the first run [s since 1970]."""
    last: int


def default_path() -> Path | None:
    """Path of the user's archive; `None` if the environment has AIRFAIR_CACHE=off."""
    named = os.environ.get("AIRFAIR_CACHE")
    if named:
        return None if named == "off" else Path(named).expanduser()
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "airfair" / "runs.sqlite"


class Archive:
    """Archive of finished runs in an SQLite file.

    Raises `ArchiveError`, an `OSError`, if the file cannot be read or written, `ForeignArchiveError` if it is
    no archive, and `DamagedArchiveError` if its content is damaged.
    """

    def __init__(self, path: Path, *, fresh: bool = False) -> None:
        """Open the archive at `path`, or create it; `fresh` discards the runs of this build."""
        self.path = path
        path.parent.mkdir(parents=True, exist_ok=True)
        with self._failures():
            # With `isolation_level=None` Python begins no transaction of its own; `_writing` begins them.
            self._base = sqlite3.connect(path, timeout=PATIENCE_S, isolation_level=None)
        try:
            self._open()
            if fresh:
                with self._writing():
                    self._base.execute(
                        "DELETE FROM runs WHERE build IN (SELECT id FROM builds WHERE build = ?)",
                        (job.build(),),
                    )
        except BaseException:
            self._base.close()
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._base.close()

    def find(self, keys: Iterable[bytes]) -> dict[bytes, bytes]:
        """Packed outcomes by key, for those of `keys` that are in the archive."""
        found = {}
        wanted = iter(keys)
        with self._failures():
            while some := list(itertools.islice(wanted, AT_ONCE)):
                own = {_own(key): key for key in some}
                places = ", ".join("?" * len(own))
                rows = self._base.execute(
                    f"SELECT key, checksum, outcome FROM runs WHERE key IN ({places})",  # noqa: S608 - no text of others
                    tuple(own),
                )
                for key, checksum, outcome in rows:
                    if not _whole(key, checksum, outcome):
                        raise self._damaged()
                    found[own[key]] = outcome
        return found

    def add(self, outcomes: Mapping[bytes, bytes]) -> None:
        """Save packed outcomes by key, in one transaction."""
        with self._writing():
            build, now = self._build(), int(time.time())
            rows = (
                (own := _own(key), build, now, _checksum(own, outcome), outcome)
                for key, outcome in outcomes.items()
            )
            # If another process has saved a run already, its outcome is the same.
            self._base.executemany(
                "INSERT OR IGNORE INTO runs (key, build, made, checksum, outcome) VALUES (?, ?, ?, ?, ?)",
                rows,
            )

    def kept(self) -> list[Kept]:
        """Summaries of the archived runs by build, latest last."""
        with self._failures():
            rows = self._base.execute(
                "SELECT version, builds.build, COUNT(*), SUM(LENGTH(outcome)), MIN(made), MAX(made) "
                "FROM runs JOIN builds ON builds.id = runs.build GROUP BY runs.build ORDER BY MAX(runs.id)"
            )
            found = [*rows]
        if not all(map(_is_kept, found)):
            raise self._damaged()
        return [Kept(*row) for row in found]

    @property
    def size(self) -> int:
        """Size of the file [octets]."""
        return self.path.stat().st_size

    def sizes(self) -> Iterator[tuple[int, int]]:
        """Row number and size [octets] of each run, oldest first."""
        with self._failures():
            yield from self._base.execute("SELECT id, LENGTH(outcome) FROM runs ORDER BY id")

    def damaged(self) -> list[int]:
        """Row numbers of damaged runs."""
        with self._failures():
            rows = self._base.execute("SELECT id, key, checksum, outcome FROM runs")
            return [number for number, *row in rows if not _whole(*row)]

    def remove(self, condition: str, *values: object) -> int:
        """Remove the runs that match the SQL expression `condition`, and return their number.

        They are removed in several transactions, so that other processes can save runs meanwhile.
        """
        removed = 0
        while True:
            with self._writing():
                first = f"SELECT id FROM runs WHERE {condition} LIMIT {REMOVED_AT_ONCE}"  # noqa: S608 - ours
                some = self._base.execute(
                    f"DELETE FROM runs WHERE id IN ({first})",  # noqa: S608 - ours
                    values,
                ).rowcount
            removed += some
            if some < REMOVED_AT_ONCE:
                return removed

    def compact(self) -> None:
        """Shrink the file after removals; needs free disk space for a copy of the remaining runs."""
        with self._failures():
            self._base.execute("VACUUM")

    def _open(self) -> None:
        """Check that the file is an archive; turn an empty file into one."""
        with self._failures():
            if self._is_empty():
                self._base.execute(f"PRAGMA page_size = {PAGE}")
                with self._writing():
                    if self._is_empty():  # no other process has created the tables meanwhile
                        self._begin()
            application, schema = self._number("application_id"), self._number("user_version")
        if application != APPLICATION:
            raise ForeignArchiveError(
                f"{self.path}: this database is not an archive of finished runs; name another file, or "
                "remove this one"
            )
        if schema != SCHEMA:
            raise ForeignArchiveError(
                f"{self.path}: another version of airfair wrote this archive of finished runs, with "
                f"schema {schema}; allowed is schema {SCHEMA}; name another file, or remove this one"
            )

    def _is_empty(self) -> bool:
        return self._base.execute("SELECT 1 FROM sqlite_master").fetchone() is None

    def _begin(self) -> None:
        for table in _TABLES:
            self._base.execute(table)
        self._base.execute(f"PRAGMA application_id = {APPLICATION}")
        self._base.execute(f"PRAGMA user_version = {SCHEMA}")

    def _number(self, pragma: str) -> int:
        return int(self._base.execute(f"PRAGMA {pragma}").fetchone()[0])

    def _build(self) -> int:
        """Number of this build in the table of builds."""
        self._base.execute(
            "INSERT OR IGNORE INTO builds (build, version) VALUES (?, ?)",
            (job.build(), __version__),
        )
        row = self._base.execute("SELECT id FROM builds WHERE build = ?", (job.build(),))
        return int(row.fetchone()[0])

    @contextlib.contextmanager
    def _writing(self) -> Iterator[None]:
        """Transaction for writing."""
        with self._failures():
            # The transaction takes the write lock at its start, so that it cannot fail to get it later.
            self._base.execute("BEGIN IMMEDIATE")
            try:
                yield
                self._base.execute("COMMIT")
            except BaseException:
                with contextlib.suppress(sqlite3.Error):  # a full disk has rolled back already
                    self._base.execute("ROLLBACK")
                raise

    @contextlib.contextmanager
    def _failures(self) -> Iterator[None]:
        try:
            yield
        except sqlite3.Error as error:
            raise self._failure(error) from error
        except UnicodeDecodeError as error:
            # Messages of SQLite on a damaged table contain its octets.
            raise self._spoilt("the tables cannot be read") from error

    def _failure(self, error: sqlite3.Error) -> ArchiveError:
        match getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF:
            case sqlite3.SQLITE_NOTADB:
                return ForeignArchiveError(
                    f"{self.path}: not an archive of finished runs; name another file, or remove this one"
                )
            case sqlite3.SQLITE_CORRUPT:
                return self._spoilt(str(error))
            case sqlite3.SQLITE_FULL:
                return ArchiveError(
                    errno.ENOSPC,
                    f"{self.path}: the disk is full; runs that were saved before are kept",
                )
            case sqlite3.SQLITE_BUSY:
                return ArchiveError(
                    errno.EBUSY,
                    f"{self.path}: another process has been writing to it for {PATIENCE_S:g} s",
                )
            case _:
                return ArchiveError(
                    f"{self.path}: {error}; this file is an archive of finished runs and can be removed"
                )

    def _spoilt(self, why: str) -> DamagedArchiveError:
        return DamagedArchiveError(
            f"{self.path}: damaged ({why}); this file is an archive of finished runs and can be removed"
        )

    def _damaged(self) -> DamagedArchiveError:
        return DamagedArchiveError(
            f"{self.path}: damaged: a run in it fails its checksum; remove such runs with: "
            f"airfair cache prune --damaged --archive {self.path}"
        )


def _is_kept(row: tuple[object, ...]) -> bool:
    """True if the values of a row have valid types, which SQLite does not enforce."""
    version, build, *numbers = row
    are_numbers = all(isinstance(one, int) and 0 <= one < _LATEST for one in numbers)
    return isinstance(version, str) and isinstance(build, bytes) and are_numbers


def _own(key: bytes) -> bytes:
    """Key of a run of this build: half a hash; 10^9 runs collide with a probability of 10^-20."""
    return hashlib.blake2b(key, key=job.build(), digest_size=16).digest()


def _checksum(own: bytes, outcome: bytes) -> int:
    """Checksum over key and outcome, which detects changed outcomes and swapped keys."""
    return zlib.crc32(outcome, zlib.crc32(own))


def _whole(own: object, checksum: object, outcome: object) -> bool:
    return (
        isinstance(own, bytes)
        and isinstance(outcome, bytes)
        and _checksum(own, outcome) == checksum
    )
