"""Mobility traces: files of waypoints that a scenario file refers to."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Iterator, Mapping
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

from ._core import ScenarioError

COLUMNS = ("time_s", "x_m", "y_m")
NANOSECOND = Decimal("1e-9")
MILLIMETRE = Decimal("1e-3")
LARGEST = Decimal("1e9")
"""Beyond any run and any cell; what is allowed is checked with the scenario."""
MOST = 50_000
"""Waypoints of all stations: the scenario as run, in which they are written out, must stay readable."""


def overrides(text: bytes, folder: Path) -> list[tuple[str, str]]:
    """What replaces each trace that the scenario `text` refers to, relative to `folder`: its waypoints.

    Raises `ScenarioError` with the address of the key and the line of the file, and `OSError` if the file
    cannot be read.
    """
    replaced, total = [], 0
    for path, name, count in _references(text):
        points = waypoints(path, name, folder / name)
        total += len(points) * count
        if total > MOST:
            raise _mistake(path, name, f"{total} waypoints of all stations, more than {MOST}")
        written = ", ".join(f'["{t:f} s", "{x:f} m", "{y:f} m"]' for t, x, y in points)
        replaced.append((path, f'{{ model = "waypoints", points = [{written}] }}'))
    return replaced


def _references(text: bytes) -> Iterator[tuple[str, str, int]]:
    """Addresses of the stations' mobility, the file that each names, and how many stations follow it."""
    try:
        stations = tomllib.loads(text.decode()).get("station", {})
    except (UnicodeDecodeError, tomllib.TOMLDecodeError):
        return  # the scenario's own reader says what is wrong
    for name, station in _tables(stations):
        mobility = station.get("mobility")
        if isinstance(mobility, Mapping) and mobility.get("model") == "trace":
            file = mobility.get("file")
            if isinstance(file, str) and mobility.keys() == {"model", "file"}:
                count = station.get("count", 1)
                yield f"station.{name}.mobility", file, count if isinstance(count, int) else 1


def _tables(value: object) -> Iterator[tuple[str, Mapping[str, Any]]]:
    if isinstance(value, Mapping):
        yield from ((name, item) for name, item in value.items() if isinstance(item, Mapping))


Waypoint = tuple[Decimal, Decimal, Decimal]
"""Time [s], and place east and north of the access point [m]."""


def waypoints(path: str, name: str, file: Path) -> list[Waypoint]:
    """The waypoints in `file`."""
    with file.open(newline="", encoding="utf-8") as opened:
        try:
            rows = list(_rows(csv.reader(opened)))
        except (ValueError, csv.Error, UnicodeDecodeError) as error:
            raise _mistake(path, name, str(error)) from None
    if not rows:
        raise _mistake(path, name, "no waypoints")
    return rows


def _rows(reader: Iterator[list[str]]) -> Iterator[Waypoint]:
    header = next(reader, [])
    if tuple(column.strip() for column in header) != COLUMNS:
        raise ValueError(f"line 1: columns {header}")
    last: Decimal | None = None
    for line, row in enumerate(reader, start=2):
        if not row:
            continue
        if len(row) != len(COLUMNS):
            raise ValueError(f"line {line}: {len(row)} values")
        try:
            numbers = [Decimal(value.strip()) for value in row]
        except InvalidOperation:
            raise ValueError(f"line {line}: not a number in {row}") from None
        if not all(number.is_finite() and abs(number) < LARGEST for number in numbers):
            raise ValueError(f"line {line}: out of range in {row}")
        time, x, y = numbers
        if last is not None and time <= last:
            raise ValueError(f"line {line}: time {time} is not later than {last}")
        if line > MOST + 1:
            raise ValueError(f"line {line}: more than {MOST} waypoints")
        last = time
        yield time.quantize(NANOSECOND), x.quantize(MILLIMETRE), y.quantize(MILLIMETRE)


def _mistake(path: str, name: str, problem: str) -> ScenarioError:
    allowed = (
        f"a header {','.join(COLUMNS)} and a line of numbers for each waypoint, times ascending"
    )
    text = f'{path}.file = "{name}": {problem}; allowed {allowed}'
    error = ScenarioError(text)
    error.problems = [text]
    return error
