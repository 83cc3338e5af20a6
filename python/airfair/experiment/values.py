"""Ranges of continuous factors, and conversion of quantities with units.

Both ends of a range are plain numbers or have a unit of the scenario file ("1 Mb/s", "20 ms", "64 B").
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from airfair.scenario import Value

from .errors import StudyError

Scale = Literal["linear", "log"]

_QUANTITY = re.compile(r"\s*([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)\s*([^\d\s].*?)?\s*")

UNITS: dict[str, tuple[str, float]] = {
    **{
        unit: ("s", 10.0**power)
        for unit, power in (("ns", -9), ("us", -6), ("µs", -6), ("ms", -3), ("s", 0))
    },
    "min": ("s", 60.0),
    "h": ("s", 3600.0),
    **{
        f"{prefix}b/s": ("b/s", 10.0**power)
        for prefix, power in (("", 0), ("k", 3), ("M", 6), ("G", 9))
    },
    **{
        f"{prefix}B": ("B", 10.0**power)
        for prefix, power in (("", 0), ("k", 3), ("M", 6), ("G", 9))
    },
    **{f"{prefix}iB": ("B", 2.0**power) for prefix, power in (("K", 10), ("M", 20), ("G", 30))},
    "m": ("m", 1.0),
    "km": ("m", 1000.0),
    "m/s": ("m/s", 1.0),
    "km/h": ("m/s", 1 / 3.6),
    "dB": ("dB", 1.0),
    "dBm": ("dBm", 1.0),
}
"""Base unit and size of each unit of a scenario."""


def quantity(value: object) -> tuple[float, str] | None:
    """Number and unit of a value such as 7 or "2 Mb/s"; `None` if it is neither a number nor a quantity."""
    value = getattr(value, "tolist", lambda: value)()
    if isinstance(value, bool):
        return None
    if isinstance(value, int | float):
        return float(value), ""
    if isinstance(value, str) and (match := _QUANTITY.fullmatch(value)):
        try:
            return float(match[1]), match[2] or ""
        except ValueError:
            return None
    return None


def on_an_axis(values: list[object]) -> tuple[list[float], str] | None:
    """Numbers in the unit of the first value, and that unit; `None` if the units cannot be converted."""
    read = [quantity(value) for value in values]
    known = [one for one in read if one is not None]
    if not known or len(known) < len(read):
        return None
    unit = known[0][1]
    if all(one == unit for _, one in known):
        return [number for number, _ in known], unit
    sizes = [UNITS.get(one) for _, one in known]
    bases = {size[0] for size in sizes if size}
    if None in sizes or len(bases) > 1:
        return None
    scale = UNITS[unit][1]
    each = zip(known, sizes, strict=True)
    return [number * size[1] / scale for (number, _), size in each if size], unit


def in_order(values: Sequence[object]) -> list[int]:
    """Indices of values in the order of their numbers; in their own order unless all are quantities."""
    axis, places = on_an_axis(list(values)), range(len(values))
    return list(places) if axis is None else sorted(places, key=axis[0].__getitem__)


@dataclass(frozen=True)
class Between:
    """Range of values from `low` to `high`, both included."""

    low: float
    high: float
    unit: str = ""
    scale: Scale = "linear"
    whole: bool = False
    """True if the range has only whole numbers."""

    def at(self, place: float) -> Value:
        """Value at a position from 0 (`low`) to 1 (`high`)."""
        if self.whole:
            # All whole numbers have equal parts of the range.
            return self._written(min(math.floor(self._between(place, 1)), int(self.high)))
        return self._written(self._between(place, 0))

    def _between(self, place: float, beyond: int) -> float:
        low, high = self.low, self.high + beyond
        if self.scale == "log":
            return float(low * (high / low) ** place)
        return low + (high - low) * place

    def _written(self, number: float) -> Value:
        if not self.unit:
            return number
        # A scenario keeps six decimals of a quantity, and allows no exponent.
        text = f"{number:.6f}".rstrip("0").rstrip(".")
        return f"{text} {self.unit}"

    def __str__(self) -> str:
        spaced = f" {self.unit}" if self.unit else ""
        return f"{self.low:g} to {self.high:g}{spaced}" + (", log" if self.scale == "log" else "")


def between(low: float | str, high: float | str, *, scale: Scale = "linear") -> Between:
    """Range from `low` to `high`, for a factor of a sampled design or for `Experiment(draw=…)`.

    Both ends are numbers, or texts with a unit such as "1 Mb/s". Between two `int`, only whole numbers are
    picked. Values are uniform on the `scale`: "linear" or "log".

    Raises `StudyError` if the units differ in kind, or if `low` is not less than `high`.
    """
    low, high = (getattr(end, "tolist", lambda end=end: end)() for end in (low, high))
    ends = on_an_axis([low, high])
    if ends is None:
        raise StudyError(
            f"between {low!r} and {high!r}: allowed are two numbers with the same unit"
        )
    (first, last), unit = ends
    if not (math.isfinite(first) and math.isfinite(last) and first < last):
        raise StudyError(f"between {low!r} and {high!r}: the second must be larger")
    if scale not in ("linear", "log"):
        raise StudyError(f'between: scale {scale!r}; allowed "linear", "log"')
    if scale == "log" and first <= 0:
        raise StudyError(f"between {low!r} and {high!r}: a logarithmic scale needs ends above 0")
    whole = not unit and all(isinstance(end, int) for end in (low, high))
    return Between(first, last, unit, scale, whole)
