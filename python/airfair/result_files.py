"""Files of a result, as `airfair run --out` and `Result.save` write them."""

from __future__ import annotations

import os
import platform
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import columns, store
from ._core import __version__
from .replications import record_hashes
from .scenario import identity

if TYPE_CHECKING:
    import polars as pl

    from .result import Result

SCENARIO, DOCUMENT, PAGE = "scenario.toml", "result.json", "report.html"
DRAWN = ("throughput", "timeline", "airtime", "delays", "goodput", "waits", "completion")
"""Names of the figures that a result may have."""


def names() -> list[str]:
    """Names of all files that a result may have."""
    tables = [*columns.tables(), *(table.name for table in columns.series_files().values())]
    return [
        *(SCENARIO, DOCUMENT, PAGE, store.MANIFEST),
        *(f"{name}.parquet" for name in tables),
        *(f"{name}.{kind}" for name in DRAWN for kind in ("png", "svg")),
    ]


def save(
    result: Result,
    directory: str | os.PathLike[str],
    command_line: list[str] | None = None,
    *,
    force: bool = False,
) -> None:
    """Write scenario, manifest and tables of `result`; then its figures and the page that shows all.

    If this is interrupted, for example by Ctrl-C, the tables are complete.
    """
    out, about = Path(directory), _manifest(result, command_line)
    files = {
        SCENARIO: result.scenario.to_toml().encode(),
        DOCUMENT: store.encode(result.to_json()),
    }
    files |= {f"{name}.parquet": content for name, content in _tables(result)}
    store.write_all(out, files, about, force=force)
    if not result.replications:
        return
    from .run_figures import figures
    from .run_page import page

    drawn = figures(result)
    shown = drawn | {PAGE: page(result, drawn, about).encode()}
    store.write_all(out, shown, about, keep=files, force=force)


def _tables(result: Result) -> Iterator[tuple[str, bytes]]:
    """Tables and series by name, each as a Parquet file."""
    from .parquet import encode

    for name, table in columns.tables().items():
        # Tables of categories, neighbours, marks, messages and waits are left out if they have no use.
        if name == "categories" and not result.scenario.categories:
            continue
        if name == "neighbours" and not result.scenario.shared_channels:
            continue
        try:
            frame = getattr(result, name)
        except ValueError:  # results of archived runs have no histogram of delays
            continue
        if name in {"marks", "messages", "waits"} and not frame.height:
            continue
        yield name, encode(frame, table)
    if result.scenario.series_step_ns is None:
        return
    for kind, table in columns.series_files().items():
        frame = series_of(result, kind)
        if frame.height:
            yield table.name, encode(frame, table)


def series_of(result: Result, kind: str) -> pl.DataFrame:
    """Table of all series of a kind of subject (flow, station, …), with a row per step."""
    frame = None
    for series, renamed in columns.raw_of(kind).items():
        one = result.measurements.series(series).rename(renamed)
        frame = one if frame is None else frame.hstack(one.select(*renamed.values()))
    if frame is None:
        raise ValueError(f"there is no time series of a {kind}")
    derived = {
        column: result.series(series)[column] for series, column in _DERIVED.get(kind, {}).items()
    }
    table = columns.series_files()[kind]
    time = frame["start_ns"] / 1e9
    return frame.with_columns(time_s=time, **derived).select(*table.by_name)


_DERIVED = {
    "flow": {"throughput": "throughput_bps", "rtt": "rtt_ms", "delay": "delay_ms"},
    "station": {"airtime": "airtime_share"},
}
"""Series of a result whose column is added to a file, by kind of subject; other columns are the core's."""


def _manifest(result: Result, command_line: list[str] | None) -> dict[str, Any]:
    made = result.written.about if result.written else _maker()
    return {
        "title": result.scenario.title,
        "scenario_sha256": identity(result.scenario, result.version),
        "seed": result.scenario.seed,
        "replications": result.replications,
        "replications_asked": result.scenario.replications,
        "interrupted": result.interrupted,
        **{key: made.get(key) for key in ("airfair", "git", "build", "python", "platform")},
        "command_line": command_line,
        "simulated_s": result.simulated_s,
        "cpu_s": result.cpu_s,
        "wall_s": result.wall_s,
        "record_hashes": record_hashes(result),
        **({"laws": [law.written for law in result.laws]} if result.laws else {}),
    }


def _maker() -> dict[str, Any]:
    """Manifest entries on the version that makes runs now."""
    from .archive import build

    return {
        "airfair": __version__,
        "git": store.git_revision(),
        "build": build().hex(),
        "python": platform.python_version(),
        "platform": platform.platform(),
    }
