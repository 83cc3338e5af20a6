"""Directories of running emulations on this machine; the process of an emulation locks its directory.

Namespaces and interfaces have no names, and the kernel removes them with the last process that has them open.
So a killed emulation leaves nothing but its directory, which is then not locked.
"""

from __future__ import annotations

import fcntl
import json
import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

_LOCK, _STATE, _HOSTS, _CONTROL = "lock", "emulation.json", "hosts", "control"


def folder() -> Path:
    """Directory of this user's emulations; raises `OSError` if another user owns it."""
    if os.geteuid() == 0:
        where = Path("/run/airfair")
    elif runtime := os.environ.get("XDG_RUNTIME_DIR"):
        where = Path(runtime) / "airfair"
    else:
        where = Path(f"/tmp/airfair-{os.geteuid()}")  # noqa: S108 - its owner is looked at
    where.mkdir(mode=0o700, parents=True, exist_ok=True)
    found = where.lstat()
    if where.is_symlink() or found.st_uid != os.geteuid():
        raise PermissionError(1, f"{where} belongs to another user")
    return where


@contextmanager
def _alone(where: Path) -> Iterator[None]:
    """Context with a lock; no other process creates or removes directories of emulations meanwhile."""
    with (where / _LOCK).open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _is_held(directory: Path) -> bool:
    try:
        with (directory / _LOCK).open("rb") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except FileNotFoundError:
        return False
    return False


def _directories(where: Path) -> list[Path]:
    return sorted(path for path in where.iterdir() if path.is_dir() and path.name.isdecimal())


def clean(where: Path) -> list[str]:
    """Remove the directories of killed emulations; return their process ids."""
    with _alone(where):
        left = [path for path in _directories(where) if not _is_held(path)]
        for path in left:
            shutil.rmtree(path)
    return [path.name for path in left]


@dataclass(frozen=True)
class Running:
    """Running emulation, as described by the files in its directory."""

    directory: Path
    state: dict[str, Any]

    @property
    def process(self) -> int:
        """Process id of the emulation."""
        return int(self.directory.name)

    @property
    def hosts(self) -> Path:
        """Path of the hosts file, which has the names and addresses of all nodes."""
        return self.directory / _HOSTS

    @property
    def control(self) -> Path:
        """Path of the control socket."""
        return self.directory / _CONTROL

    def network(self, node: str) -> Path | None:
        """Path of the network namespace of a node; `None` for an unknown node."""
        for each in self.state["nodes"]:
            if each["name"] == node:
                return Path(f"/proc/{self.process}/fd/{each['descriptor']}")
        return None


def all_running(where: Path) -> list[Running]:
    """Running emulations of this user."""
    found = []
    for path in _directories(where):
        # An emulation that is starting or ending has no state file.
        with suppress(OSError, ValueError):
            state = json.loads((path / _STATE).read_text())
            if _is_held(path):
                found.append(Running(path, state))
    return found


class Registration:
    """Directory of the emulation of this process; exists until it is closed."""

    def __init__(self, where: Path, state: dict[str, Any], hosts: str) -> None:
        self._where = where
        self.directory = where / str(os.getpid())
        with _alone(where):
            # Process ids are reused: an existing directory of this id belongs to a killed emulation.
            shutil.rmtree(self.directory, ignore_errors=True)
            self.directory.mkdir(mode=0o700)
            self._lock: IO[str] = (self.directory / _LOCK).open("w")
            fcntl.flock(self._lock, fcntl.LOCK_EX)
        self.hosts = self.directory / _HOSTS
        self.control = self.directory / _CONTROL
        self.hosts.write_text(hosts)
        (self.directory / _STATE).write_text(json.dumps(state))

    def close(self) -> None:
        """Remove the directory, and release its lock."""
        with _alone(self._where):
            shutil.rmtree(self.directory, ignore_errors=True)
            self._lock.close()
