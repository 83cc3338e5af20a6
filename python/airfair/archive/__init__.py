"""An archive of finished runs: no run is made twice, and what was interrupted goes on where it was.

A run is a pure function of scenario, seed, replication and simulator, so its outcome can stand for it. The
key is a hash of these four; what another build of the simulator made is never read.
"""

from __future__ import annotations

from .base import (
    Archive,
    ArchiveError,
    DamagedArchiveError,
    ForeignArchiveError,
    Kept,
    default_path,
)
from .engines import Engine, EngineError, Local, OtherBuildError, cores, engine
from .job import Job, build
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
    "Kept",
    "Local",
    "OtherBuildError",
    "build",
    "cores",
    "default_path",
    "engine",
    "run",
]
