"""Loads results that `airfair run --out` wrote.

A directory holds the outcomes of its runs in `outcomes.parquet`, from which every table and every series
follows, those too that have no file of their own. Only the build that wrote them can read them; the other
Parquet files are tables for everybody.
"""

from __future__ import annotations

import errno
import io
import os
from pathlib import Path
from typing import Any

import polars as pl

from . import store
from ._core import Outcome, Scenario
from .archive import build
from .copies import ForeignResultError
from .result import Result
from .store import MANIFEST, DamagedError

_SCENARIO = "scenario.toml"


def load_result(directory: str | os.PathLike[str]) -> Result:
    """Load a result from a directory of `airfair run --out` or `Result.save`: the same tables, bit for bit.

    Raises `FileNotFoundError` where there is no result, `DamagedError` if one of its files is not what its
    `run.json` says, and `ForeignResultError` if another build of airfair made it.
    """
    folder = Path(directory)
    about = _manifest(folder)
    if about.get("build") != build().hex():
        again = f"airfair run {folder / _SCENARIO}"
        raise ForeignResultError(
            f"{folder}: made by another build of airfair ({about.get('airfair')}) than this one, which "
            f"cannot read it. Its Parquet files are tables as they are; {again} runs it again"
        )
    for name in about["files"]:
        if name.endswith(".parquet") and (folder / name).exists():
            store.read(folder, name)
    scenario = Scenario.parse(store.read(folder, _SCENARIO), emulated=True)
    outcomes = _outcomes(folder)
    if [f"{outcome.record_hash:016x}" for outcome in outcomes] != about.get("record_hashes"):
        raise DamagedError(
            f"{folder / store.OUTCOMES}: not the runs that {MANIFEST} beside it lists"
        )
    return Result(
        scenario,
        outcomes,
        interrupted=len(outcomes) < scenario.replications,
        cpu_s=_seconds(about, "cpu_s"),
        wall_s=_seconds(about, "wall_s"),
    )


def _manifest(folder: Path) -> dict[str, Any]:
    """Manifest of a directory that holds the outcomes of runs."""
    content = (folder / MANIFEST).read_bytes()
    about = store.manifest(folder)
    if not isinstance(about.get("files"), dict):
        raise DamagedError(
            f"{folder / MANIFEST}: no manifest of a directory of results: {content[:40]!r}"
        )
    for name in (_SCENARIO, store.OUTCOMES):
        if name not in about["files"]:
            words = f"{MANIFEST} lists no {name}, which airfair run --out writes"
            if about.get("kind") == "experiment":
                words += "; airfair.load_experiment reads what airfair sweep wrote"
            raise FileNotFoundError(errno.ENOENT, words, str(folder))
    return about


def _outcomes(folder: Path) -> list[Outcome]:
    content = store.read(folder, store.OUTCOMES)
    try:
        octets = pl.read_parquet(io.BytesIO(content))["outcome"]
        return [Outcome.from_bytes(one) for one in octets]
    except (ValueError, pl.exceptions.PolarsError) as error:
        raise DamagedError(f"{folder / store.OUTCOMES}: {error}") from error


def _seconds(about: dict[str, Any], key: str) -> float | None:
    value = about.get(key)
    return float(value) if isinstance(value, int | float) else None
