"""Writes results to a directory: whole files under their names, or nothing."""

from __future__ import annotations

import contextlib
import hashlib
import io
import json
import os
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import __version__
from .document import record_hashes
from .scenario import identity

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    import polars as pl

    from .result import Result

MANIFEST = "run.json"
"""Says what a directory holds, by hash, and comes last: what it does not agree with is not whole."""

OUTCOMES = "outcomes.parquet"
"""Holds all that was measured, for `airfair.load_result`."""

_POSIX = os.name == "posix"

TABLES = ("flows", "stations", "access_points", "channels", "links")


class NotWrittenError(OSError):
    """A directory could not be written; its words say what became of the files."""

    def __init__(self, error: OSError, became: str) -> None:
        super().__init__(error.errno, f"{error.strerror or error}; {became}")


class DamagedError(Exception):
    """A file is not what the directory's manifest says of it."""


def save(
    result: Result, directory: str | os.PathLike[str], command_line: list[str] | None = None
) -> None:
    """Write scenario, manifest and tables of `result`; then its figures and the page that shows all.

    Whatever comes between, such as Ctrl-C, finds the tables whole.
    """
    out, about = Path(directory), _manifest(result, command_line)
    files = {
        "scenario.toml": result.scenario.to_toml().encode(),
        "result.json": encode(result.to_json()),
    }
    # Where all packets are of one access category, there is nothing to say of it.
    tables = [*TABLES, *["categories"] * bool(result.scenario.categories)]
    files |= {f"{name}.parquet": _parquet(getattr(result, name)) for name in tables}
    files[OUTCOMES] = _parquet(_outcomes(result))
    if result.scenario.series_step_ns is not None:
        files["series.parquet"] = _parquet(result.series())
    write_all(out, files, about)
    if not result.replications:
        return
    from .run_figures import figures
    from .run_page import page

    drawn = figures(result)
    shown = drawn | {"report.html": page(result, drawn, about).encode()}
    write_all(out, shown, about, keep=files)


def prepare(directory: Path) -> list[Path]:
    """Make `directory` and see that it can be written; the directories that were made, the innermost first.

    Raises `OSError` if it cannot be written.
    """
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor, probe = tempfile.mkstemp(prefix=".airfair-", dir=directory)
        os.close(descriptor)
        Path(probe).unlink()
    except OSError:
        remove_if_empty(made)
        raise
    return made


def remove_if_empty(directories: list[Path]) -> None:
    """Remove directories, the innermost first, as far as they are empty."""
    for directory in directories:
        try:
            directory.rmdir()
        except OSError:
            return


def write_all(
    directory: Path,
    files: Mapping[str, bytes],
    about: Mapping[str, Any] | None = None,
    *,
    keep: Collection[str] = (),
) -> None:
    """Write `files` by name: all of them under temporary names, then each renamed to its own.

    The manifest comes last: `about`, and the hash of each file. What the manifest of an earlier run lists
    goes away, but for `keep`; other files stay. If a file cannot be written, no name changes hands and no
    temporary file stays.
    """
    directory.mkdir(parents=True, exist_ok=True)
    earlier = _listed(directory)
    kept = {name: earlier[name] for name in keep if name in earlier}
    hashes = kept | {name: _hash(content) for name, content in files.items()}
    whole = {"airfair": __version__, **(about or {}), "files": hashes}
    written: dict[str, str] = {}
    renamed = 0
    try:
        for name, content in (*files.items(), (MANIFEST, encode(whole))):
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=directory)
            written[temporary] = name
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                if _POSIX:
                    os.fchmod(file.fileno(), 0o666 & ~_umask())
        for temporary, name in written.items():
            if name == MANIFEST:
                _remove(directory, {n: h for n, h in earlier.items() if n not in hashes})
            Path(temporary).replace(directory / name)
            renamed += 1
        _sync(directory)
    except OSError as error:
        names = [*kept, *files, MANIFEST]
        raise NotWrittenError(error, _became(names, len(kept) + renamed)) from error
    finally:
        for temporary in written:
            with contextlib.suppress(OSError):
                Path(temporary).unlink(missing_ok=True)


def _remove(directory: Path, files: Mapping[str, str]) -> None:
    """Remove files that are still what an earlier run has written."""
    for name, known in files.items():
        path = directory / name
        if path.is_file() and _hash(path.read_bytes()) == known:
            path.unlink()


def _became(names: list[str], written: int) -> str:
    """Words for a directory in which the first `written` of `names` are, be it from an earlier step."""
    if written == 0:
        return "nothing was written"
    if written == len(names):
        return "all files are written, but may not outlast a power failure"
    return (
        f"{', '.join(names[:written])} of this run are written, other files are missing or of an "
        f"earlier one; the hashes in {MANIFEST} tell them apart"
    )


def _sync(directory: Path) -> None:
    if not _POSIX:  # a directory cannot be opened there
        return
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def manifest(directory: Path) -> dict[str, Any]:
    """Manifest of the directory; nothing if there is none that can be read."""
    try:
        content = json.loads((directory / MANIFEST).read_bytes())
    except (OSError, ValueError, RecursionError):
        return {}
    return content if isinstance(content, dict) else {}


def read(directory: Path, name: str) -> bytes:
    """A file as it was written; raises `OSError` if it cannot be read, `DamagedError` if it has changed."""
    content = (directory / name).read_bytes()
    if _listed(directory).get(name) != _hash(content):
        raise DamagedError(f"{directory / name}: not what {MANIFEST} beside it says")
    return content


def _listed(directory: Path) -> dict[str, str]:
    """Files that the manifest lists, with their hashes: names in this very directory."""
    files = manifest(directory).get("files")
    if not isinstance(files, dict):
        return {}
    return {
        name: str(known)
        for name, known in files.items()
        if Path(name).name == name and name not in {MANIFEST, ""}
    }


def _hash(content: bytes) -> str:
    return hashlib.sha256(content).hexdigest()


def encode(content: object) -> bytes:
    """JSON text of `content`; a number that JSON lacks is a mistake."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    # Octets of another encoding in a file's name become JSON's own escapes.
    return text.encode(errors="backslashreplace") + b"\n"


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _outcomes(result: Result) -> pl.DataFrame:
    import polars as pl

    octets = [outcome.to_bytes() for outcome in result.outcomes]
    return result.runs.select("replication", "record_hash").with_columns(
        outcome=pl.Series(octets, dtype=pl.Binary)
    )


def _manifest(result: Result, command_line: list[str] | None) -> dict[str, Any]:
    from .archive import build

    return {
        "title": result.scenario.title,
        "scenario_sha256": identity(result.scenario),
        "seed": result.scenario.seed,
        "replications": result.replications,
        "replications_asked": result.scenario.replications,
        "interrupted": result.interrupted,
        "airfair": __version__,
        "git": git_revision(),
        "build": build().hex(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "command_line": command_line,
        "simulated_s": result.simulated_s,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "record_hashes": record_hashes(result),
    }


def checkout() -> Path | None:
    """The source checkout that this package runs from; `None` if it is installed."""
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
