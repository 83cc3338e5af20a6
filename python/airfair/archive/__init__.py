"""Archive of finished runs, so that no run is repeated and interrupted experiments can be resumed.

A run is a pure function of scenario, seed, replication and build of the simulator. The key of its outcome is
a hash of these four, so outcomes of another build are never read.

The archive is one file of SQLite. It needs no server, a transaction survives `kill -9`, several processes
share the file, and a key is found among 10^6 in microseconds. Parquet parts would be smaller, but have no
lookup by key and no safe appending. The archive uses the plain rollback journal instead of a write-ahead log.
A commit then takes a millisecond more (`bench/store.py`), but there is only one commit a second, and all data
are in one file. Outcomes are compressed one by one. A shared dictionary per scenario would save 7 %, and
compressing ten runs together 17 %, but both make it costlier to add and remove single runs.
"""

from __future__ import annotations

from airfair.errors import EngineError, OtherBuildError

from .base import (
    Archive,
    ArchiveError,
    DamagedArchiveError,
    ForeignArchiveError,
    Kept,
    default_path,
)
from .engines import Engine, Local, engine
from .job import Job, Jobs, build
from .running import Done, run

__all__ = [
    "Archive",
    "ArchiveError",
    "DamagedArchiveError",
    "Done",
    "Engine",
    "EngineError",
    "ForeignArchiveError",
    "Job",
    "Jobs",
    "Kept",
    "Local",
    "OtherBuildError",
    "build",
    "default_path",
    "engine",
    "run",
]
