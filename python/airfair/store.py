"""Directories of results, in which each file is either complete or absent."""

from __future__ import annotations

import fnmatch
import glob
import json
import os
import subprocess
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

from . import replacing, staging
from ._core import __version__
from .copies import ForeignResultError
from .errors import OptionError, describe
from .marks import PROGRAM
from .replacing import NotReplacedError, hash_of

MANIFEST = "run.json"
"""Name of the manifest, which is written last. It lists the hash of each file; other content is damaged."""

SCHEMA = 1
"""Version of the format of directories, which manifests have as `schema`.

This version of airfair reads directories with this number or a lower one. A new file, column or key does not
change the number. Removing one that is read, or changing its meaning, increases it. `docs/how-to/data.md`
describes this to users.
"""

_HEAD = {"program": PROGRAM, "schema": SCHEMA, "airfair": __version__}
"""First entries of each manifest."""

_POSIX = os.name == "posix"


class NotWrittenError(OSError):
    """Raised if a directory cannot be written; the message names the files that were written."""

    def __init__(self, error: OSError, became: str) -> None:
        super().__init__(error.errno, f"{error.strerror or error}; {became}")


class DamagedError(Exception):
    """Raised if a file of a result differs from its hash in the manifest `run.json`, or cannot be decoded."""


def prepare(directory: Path) -> list[Path]:
    """Create `directory` and check that it is writable; return the created directories, innermost first.

    Raises `OSError` if it cannot be written.
    """
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        _clean(directory, but_begun=True)
        with staging.staged(directory):
            pass
    except OSError:
        remove_if_empty(made)
        raise
    return made


def begin(outputs: Mapping[Path, Collection[str]], made: Collection[Path], *, force: bool) -> None:
    """Check the argument `out` of a function before its first run, and create the directories `made`.

    `outputs` are directories with patterns of the names of the files that will be written to them.

    Raises `OptionError` if a directory cannot be written, or if it has files that may not be replaced.
    """
    found = [
        f"out {directory}: {one}"
        for directory, patterns in outputs.items()
        for one in problems(directory, patterns, force=force)
    ]
    if found:
        raise OptionError(*found)
    for directory in made:
        try:
            prepare(directory)
        except (OSError, ValueError) as error:
            words = describe(error) if isinstance(error, OSError) else str(error)
            raise OptionError(f"out {directory}: {words}") from error


def remove_if_empty(directories: list[Path]) -> None:
    """Remove directories that are empty, innermost first."""
    for directory in directories:
        try:
            directory.rmdir()
        except OSError:
            return


def problems(directory: Path, patterns: Collection[str], *, force: bool) -> list[str]:
    """Reasons why files whose names match `patterns` may not be written to the directory, a line each."""
    if directory.is_file():
        return ["this is a file; allowed a directory, or a new name"]
    try:
        names = sorted(path.name for path in directory.iterdir())
    except (OSError, ValueError):
        return []  # There is no directory, or creating it will report the error.
    written = _written(directory)
    found = [
        replacing.problem(directory / name, force=force, hashes=written.get(name, ()))
        for name in names
        if any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)
    ]
    return [one for one in found if one]


def write_all(
    directory: Path,
    files: Mapping[str, bytes],
    about: Mapping[str, Any] | None = None,
    *,
    keep: Collection[str] = (),
    force: bool = False,
) -> None:
    """Write `files`, given by name, to a hidden directory, then move each to its place.

    The manifest is written last: `about`, and the hash of each file. Files listed in an earlier manifest are
    removed, except those in `keep`; other files stay. If a file cannot be written, none is replaced.

    Raises `NotReplacedError` if a name is taken by a file that may not be replaced (`replacing`), and
    `NotWrittenError` if the files cannot be written.
    """
    directory.mkdir(parents=True, exist_ok=True)
    names = (*files, MANIFEST)
    if in_the_way := problems(directory, [glob.escape(name) for name in names], force=force):
        raise NotReplacedError(*in_the_way)
    earlier = _listed(manifest(directory))
    kept = {name: earlier[name] for name in keep if name in earlier}
    hashes = kept | {name: hash_of(content) for name, content in files.items()}
    whole = {**_HEAD, **(about or {}), "files": hashes}
    moved = 0
    try:
        with staging.staged(directory) as stage:
            for name, content in (*files.items(), (MANIFEST, encode(whole))):
                _write(stage.path / name, content)
            for name in names:
                if name == MANIFEST:
                    _remove(directory, but=hashes)
                (stage.path / name).replace(directory / name)
                moved += 1
                # From here on this manifest identifies airfair's files, even if the process dies.
                stage.kept = (MANIFEST,)
        _sync(directory)
    except OSError as error:
        became = _became([*kept, *names], len(kept) + moved)
        raise NotWrittenError(error, became) from error
    _clean(directory)


def replace(file: Path, content: bytes) -> None:
    """Write one file atomically, replacing an existing one; raises `OSError` if that fails."""
    with staging.staged(file.parent) as stage:
        _write(stage.path / file.name, content)
        (stage.path / file.name).replace(file)


def _write(path: Path, content: bytes) -> None:
    with path.open("wb") as file:
        file.write(content)
        file.flush()
        os.fsync(file.fileno())


def _clean(directory: Path, *, but_begun: bool = False) -> None:
    """Remove hidden directories that dead processes left behind.

    A process that had begun to move files has left its manifest, from which `_written` knows these files. It
    is kept until the new files have a manifest of their own.
    """
    with staging.left_behind(directory) as stages:
        for stage in stages:
            if not (but_begun and (stage / MANIFEST).exists()):
                staging.remove(stage)


def _written(directory: Path) -> dict[str, set[str]]:
    """Hashes of the files that airfair wrote to a directory, by name, from its manifests."""
    found: dict[str, set[str]] = {}
    own = manifest(directory)
    if isinstance(own.get("airfair"), str) and isinstance(own.get("files"), dict):
        found[MANIFEST] = {hash_of((directory / MANIFEST).read_bytes())}
    manifests = [own, *map(manifest, directory.glob(f"{staging.PREFIX}*"))]
    for name, known in (item for one in manifests for item in _listed(one).items()):
        found.setdefault(name, set()).add(known)
    return found


def _remove(directory: Path, *, but: Collection[str]) -> None:
    """Remove files of earlier runs that have not changed since airfair wrote them."""
    for name, known in _written(directory).items():
        path = directory / name
        if name not in {*but, MANIFEST} and path.is_file() and hash_of(path.read_bytes()) in known:
            path.unlink()


def _became(names: list[str], written: int) -> str:
    """Sentence on a directory to which only the first `written` of `names` were written."""
    if written == 0:
        return "nothing was written"
    if written == len(names):
        return "all files are written, but a power failure may lose them"
    return (
        f"{', '.join(names[:written])} of this run are written, other files are missing or of an "
        f"earlier one; the hashes in {MANIFEST} tell them apart"
    )


def _sync(directory: Path) -> None:
    if not _POSIX:  # other systems cannot open a directory
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def manifest(directory: Path) -> dict[str, Any]:
    """Manifest of the directory; empty if there is none or it cannot be read."""
    try:
        content = json.loads((directory / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def check_schema(directory: Path, about: Mapping[str, Any]) -> None:
    """Raise `ForeignResultError` for an unsupported schema, `DamagedError` for an invalid manifest."""
    schema = about.get("schema")
    if not isinstance(about.get("files"), dict):
        raise DamagedError(f"{directory / MANIFEST}: not the manifest of a directory of results")
    if schema is None:
        raise ForeignResultError(
            f"{directory}: an earlier version of airfair wrote this directory, without a schema; this "
            "version cannot read it. Other programs can read its Parquet files"
        )
    if isinstance(schema, bool) or not isinstance(schema, int) or schema < 1:
        raise DamagedError(
            f"{directory / MANIFEST}: schema = {schema!r}; allowed is a whole number"
        )
    if schema > SCHEMA:
        raise ForeignResultError(
            f"{directory}: a later version of airfair ({about.get('airfair')}) wrote this directory, with "
            f"schema {schema}; allowed is up to {SCHEMA}. Other programs can read its Parquet files"
        )


def read(directory: Path, name: str) -> bytes:
    """Content of a file; raises `OSError` if it cannot be read, `DamagedError` if its hash differs."""
    content = (directory / name).read_bytes()
    if _listed(manifest(directory)).get(name) != hash_of(content):
        raise DamagedError(f"{directory / name}: its hash differs from the one in {MANIFEST}")
    return content


def _listed(about: Mapping[str, Any]) -> dict[str, str]:
    """Files in a manifest with their hashes; names with a path are left out."""
    files = about.get("files")
    if not isinstance(files, dict):
        return {}
    return {
        name: str(known)
        for name, known in files.items()
        if Path(name).name == name and name not in {MANIFEST, ""}
    }


def encode(content: object) -> bytes:
    """JSON of `content`; raises `ValueError` for infinity and NaN."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    # Octets in file names that are not UTF-8 become JSON escapes.
    return text.encode(errors="backslashreplace") + b"\n"


def checkout() -> Path | None:
    """Source checkout that this package runs from; `None` if it is installed."""
    root = Path(__file__).resolve().parents[2]
    return root if (root / "pyproject.toml").is_file() and (root / ".git").exists() else None


def git_revision() -> str | None:
    """Commit that this package runs from, `-dirty` if files differ; `None` if it is installed."""
    root = checkout()
    if root is None:
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--abbrev=40"]
    try:
        done = subprocess.run(
            command,
            capture_output=True,
            text=True,
            timeout=5,
            check=False,
            stdin=subprocess.DEVNULL,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() or None if done.returncode == 0 else None
