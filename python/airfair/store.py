"""Writes results to a directory: whole files under their names, or nothing."""

from __future__ import annotations

import io
import json
import os
import platform
import subprocess
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import __version__
from .scenario import identity

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl

    from .result import Result

TABLES = ("flows", "stations", "access_points", "channels", "links")


def save(
    result: Result, directory: str | os.PathLike[str], command_line: list[str] | None = None
) -> None:
    """Write the scenario as run, the manifest, the tables and the figures of `result`."""
    from .run_figures import figures

    files = {
        "scenario.toml": result.scenario.to_toml().encode(),
        "run.json": encode(_manifest(result, command_line)),
        "result.json": encode(result.to_json()),
    }
    files |= {f"{name}.parquet": _parquet(getattr(result, name)) for name in TABLES}
    if result.scenario.series_step_ns is not None:
        files["series.parquet"] = _parquet(result.series())
    if result.replications:
        files |= figures(result)
    write_all(Path(directory), files)


def prepare(directory: Path) -> None:
    """Make `directory` and see that it can be written; raises `OSError` if not."""
    made = [path for path in (directory, *directory.parents) if not path.exists()]
    try:
        directory.mkdir(parents=True, exist_ok=True)
        descriptor, probe = tempfile.mkstemp(prefix=".airfair-", dir=directory)
        os.close(descriptor)
        Path(probe).unlink()
    except OSError:
        remove_if_empty(made)
        raise


def remove_if_empty(directories: list[Path]) -> None:
    """Remove directories, the innermost first, as far as they are empty."""
    for directory in directories:
        try:
            directory.rmdir()
        except OSError:
            return


def write_all(directory: Path, files: Mapping[str, bytes]) -> None:
    """Write `files` by name: all of them under temporary names, then each renamed to its own.

    If one cannot be written, no name changes hands and no temporary file stays.
    """
    directory.mkdir(parents=True, exist_ok=True)
    written: dict[str, str] = {}
    try:
        for name, content in files.items():
            descriptor, temporary = tempfile.mkstemp(prefix=f".{name}-", dir=directory)
            written[temporary] = name
            with open(descriptor, "wb") as file:  # noqa: PTH123 - a descriptor has no path
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
                os.fchmod(file.fileno(), 0o666 & ~_umask())
        for temporary, name in written.items():
            Path(temporary).replace(directory / name)
    finally:
        for temporary in written:
            Path(temporary).unlink(missing_ok=True)
    handle = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def encode(content: object) -> bytes:
    """JSON text of `content`; a number that JSON lacks is a mistake."""
    text = json.dumps(content, ensure_ascii=False, allow_nan=False, indent=2)
    return text.encode() + b"\n"


def _umask() -> int:
    # The only way to read it is to set it.
    mask = os.umask(0o022)
    os.umask(mask)
    return mask


def _parquet(table: pl.DataFrame) -> bytes:
    buffer = io.BytesIO()
    table.write_parquet(buffer)
    return buffer.getvalue()


def _manifest(result: Result, command_line: list[str] | None) -> dict[str, Any]:
    return {
        "title": result.scenario.title,
        "scenario_sha256": identity(result.scenario),
        "seed": result.scenario.seed,
        "replications": result.replications,
        "replications_asked": result.scenario.replications,
        "interrupted": result.interrupted,
        "airfair": __version__,
        "git": git_revision(),
        "python": platform.python_version(),
        "platform": platform.platform(),
        "command_line": command_line,
        "simulated_s": result.simulated_s,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "record_hashes": [f"{outcome.record_hash:016x}" for outcome in result.outcomes],
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
