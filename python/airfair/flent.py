"""Recordings of flent (`.flent.gz`): a result as one, and recordings, measured or simulated, in one figure.

flent measures real networks; its tests are named after what they run, such as RRUL. A recording has series of
throughputs and of pings, with a value for each step.
"""

from __future__ import annotations

import gzip
import io
import json
import math
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ._core import __version__
from .marks import PROGRAM
from .store import replace

if TYPE_CHECKING:
    import polars as pl

    from ._core import Scenario
    from .figures import Figure
    from .result import Result

SUFFIX = ".flent.gz"
VERSION = 4
"""Version of flent's format."""
START = datetime(2000, 1, 1, tzinfo=UTC)
"""Time at which a simulated recording starts, since flent needs one: a run has the same file every time."""
_UPLOAD, _DOWNLOAD, _PING = "TCP upload", "TCP download", "Ping (ms)"
_MOST = 1 << 28
"""Largest size of a recording that is read [octets]."""

Series = dict[str, list[float | None]]


class RecordingError(ValueError):
    """Raised for a file that is no recording of flent, and for a result that cannot be one."""


@dataclass(frozen=True)
class Recording:
    """Recording of a test of flent."""

    name: str
    """Name of flent's test, such as rrul."""
    title: str
    times: Sequence[float]
    """Time of each value since the start of the test [s]."""
    series: Mapping[str, Sequence[float | None]]
    """Values by the name of the series: throughputs in Mb/s, pings in ms; `None` where there is none."""

    @property
    def table(self) -> pl.DataFrame:
        """Values in long form: `series`, `time_s`, `value`."""
        import polars as pl

        parts = [
            pl.DataFrame(
                {"series": [name] * len(values), "time_s": list(self.times), "value": list(values)},
                schema={"series": pl.String, "time_s": pl.Float64, "value": pl.Float64},
            )
            for name, values in self.series.items()
        ]
        empty = pl.DataFrame(
            schema={"series": pl.String, "time_s": pl.Float64, "value": pl.Float64}
        )
        return pl.concat([empty, *parts])


def recording(result: Result) -> Recording:
    """First run of `result` as a recording of RRUL.

    Each TCP flow without a source is an upload, if it starts at a station, or a download; each flow with the
    source `responsiveness` is a ping, with the round trips that its sender measures. `_` in a name becomes a
    space, and a name that begins with `upload`, `download` or `ping` loses this word. Other flows are left
    out.

    Raises `RecordingError` for a result without time series, or without such flows.
    """
    shown = kinds(result.scenario)
    rates, trips = (result.series(what) for what in ("throughput", "rtt"))
    times: list[float] = []
    series: Series = {}
    for name, kind in shown.items():
        frame = (trips if kind == _PING else rates).filter(replication=0, flow=name)
        times = frame["time_s"].to_list()
        if kind == _PING:
            values = frame["rtt_ms"].to_list()
        else:
            values = [rate / 1e6 for rate in frame["throughput_bps"].to_list()]
        series[_label(name, kind)] = values
    return Recording("rrul", result.scenario.title, times, series | _sums(series))


def write(result: Result, file: str | os.PathLike[str]) -> None:
    """Write the first run of `result` as a recording, which flent and `read` read, to a `.flent.gz` file.

    Raises `RecordingError` as `recording` does, and `OSError` if the file cannot be written.
    """
    replace(Path(file), encoded(result))


def encoded(result: Result) -> bytes:
    """First run of `result` as the content of a `.flent.gz` file."""
    text = json.dumps(_document(result, recording(result)), allow_nan=False)
    octets = io.BytesIO()
    # Without a time in its header, the file is the same every time.
    with gzip.GzipFile(filename="", mode="wb", fileobj=octets, mtime=0) as packed:
        packed.write(text.encode())
    return octets.getvalue()


def read(file: str | os.PathLike[str]) -> Recording:
    """Read a recording of flent, or of airfair: `.flent.gz`, or the JSON in it.

    Raises `RecordingError` for a file that is no recording, and `OSError` if it cannot be read.
    """
    path = Path(file)
    try:
        document = json.loads(_unpacked(path.read_bytes()))
        times = [float(time) for time in document["x_values"]]
        series = {
            str(name): _values(values, len(times)) for name, values in document["results"].items()
        }
        about = document["metadata"]
        return Recording(str(about["NAME"]), str(about.get("TITLE") or path.name), times, series)
    except (
        KeyError,
        TypeError,
        AttributeError,
        ValueError,
        EOFError,
        zlib.error,
        gzip.BadGzipFile,
    ) as error:
        why = f"lacks {error}" if isinstance(error, KeyError) else str(error)
        raise RecordingError(f"{path}: not a recording of flent: {why}") from error


def figure(recordings: Mapping[str, Recording | Result | str | os.PathLike[str]]) -> Figure:
    """Figure of downloads, uploads and pings of several recordings, a curve for each name in `recordings`.

    A recording is a file, a `Recording`, or a result, which becomes one.
    """
    from .flent_figure import draw

    return draw({name: _read(one) for name, one in recordings.items()})


def _read(one: Recording | Result | str | os.PathLike[str]) -> Recording:
    if isinstance(one, Recording):
        return one
    if isinstance(one, str | os.PathLike):
        return read(one)
    return recording(one)


def kinds(scenario: Scenario) -> dict[str, str]:
    """Kind of each flow that a recording of the scenario has, by name.

    Raises `RecordingError` for a scenario without time series, or without such flows.
    """
    if scenario.series_step_ns is None:
        raise RecordingError(
            'the scenario records no time series; set series, for example "200 ms"'
        )
    found = {}
    for flow, source in zip(scenario.flows, scenario.sources, strict=True):
        if source == "responsiveness":
            found[flow["name"]] = _PING
        elif source is None and flow["transport"] == "tcp":
            found[flow["name"]] = _UPLOAD if flow["from"] in scenario.stations else _DOWNLOAD
    if not found:
        raise RecordingError(
            "the scenario has neither TCP flows without a source nor flows with probes"
        )
    return found


def _label(name: str, kind: str) -> str:
    """Name of a series of flent for a flow."""
    word, _, rest = name.partition("_")
    is_said = rest and word in {"upload", "download", "ping"}
    return f"{kind} {(rest if is_said else name).replace('_', ' ')}"


def _sums(series: Series) -> Series:
    """Series that flent derives: sums and means of uploads, downloads and pings."""
    members_of = {
        kind: [of for name, of in series.items() if name.startswith(kind)]
        for kind in (_UPLOAD, _DOWNLOAD, _PING)
    }
    derived: Series = {}
    for kind, members in members_of.items():
        if members:
            derived[f"{kind} avg"] = [_mean(known) for known in _known(members)]
            if kind != _PING:
                derived[f"{kind} sum"] = [math.fsum(known) for known in _known(members)]
    transfers = [*members_of[_UPLOAD], *members_of[_DOWNLOAD]]
    if transfers:
        derived["TCP totals"] = [math.fsum(known) for known in _known(transfers)]
    return derived


def _known(members: Sequence[Sequence[float | None]]) -> Iterator[list[float]]:
    for row in zip(*members, strict=True):
        yield [value for value in row if value is not None]


def _mean(known: Sequence[float]) -> float | None:
    return math.fsum(known) / len(known) if known else None


def _document(result: Result, one: Recording) -> dict[str, Any]:
    scenario = result.scenario
    start, first = START.strftime("%Y-%m-%dT%H:%M:%S.%fZ"), START.timestamp()
    host = next((flow["to"] for flow in scenario.flows if flow["to"] in scenario.hosts), "airfair")
    raw = {
        name: [
            {"t": first + time, "val": value}
            for time, value in zip(one.times, values, strict=True)
            if value is not None
        ]
        for name, values in one.series.items()
    }
    return {
        "metadata": {
            "program": f"{PROGRAM} {__version__}",
            "NAME": one.name,
            "TITLE": one.title,
            "NOTE": f"simulated by airfair {__version__}, seed {scenario.seed}",
            "HOST": host,
            "HOSTS": [host],
            "LOCAL_HOST": PROGRAM,
            "TIME": start,
            "T0": start,
            "LENGTH": scenario.duration_s,
            "TOTAL_LENGTH": scenario.duration_s,
            "STEP_SIZE": scenario.series_step_s,
            "IP_VERSION": 4,
            "FLENT_VERSION": None,
            "TEST_PARAMETERS": {},
            "SERIES_META": {
                name: {
                    "UNITS": "ms" if name.startswith(_PING) else "Mbits/s",
                    "MEAN_VALUE": _mean(known),
                }
                for name, values in one.series.items()
                for known in [[value for value in values if value is not None]]
            },
        },
        "version": VERSION,
        "x_values": list(one.times),
        "results": dict(one.series),
        "raw_values": raw,
    }


def _unpacked(octets: bytes) -> bytes:
    """Content of a file, which may be packed by gzip; raises `ValueError` if it is too large."""
    if not octets.startswith(b"\x1f\x8b"):
        return octets
    with gzip.GzipFile(fileobj=io.BytesIO(octets)) as packed:
        content = packed.read(_MOST + 1)
    if len(content) > _MOST:
        raise ValueError(f"more than {_MOST >> 20} MiB")
    return content


def _values(values: object, count: int) -> list[float | None]:
    if not isinstance(values, list) or len(values) != count:
        raise ValueError("a series has another length than x_values")
    return [None if value is None else float(value) for value in values]
