"""Labels of levels as quantities: found by their number, and columns of numbers with a unit."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from .factors import Label
from .values import UNITS, on_an_axis, quantity

LabelsOf = Mapping[str, Sequence["Label"] | None]
"""Labels of each factor; `None` if they are not known in advance."""

_CLOSE = 1e-9
"""Largest relative difference between two numbers that count as the same level."""


def find(wanted: Label, labels: Sequence[Label]) -> Label | None:
    """Label that is `wanted`, or else the label of the same quantity; `None` if there is none.

    With the labels "1 Mb/s" and "2 Mb/s", the first is found as "1 Mb/s", "1000 kb/s", 1 and 1.0: a number
    is in the unit of the first label.
    """
    if wanted in labels:
        return labels[labels.index(wanted)]
    axis, asked = on_an_axis(list(labels)), quantity(wanted)
    if axis is None or asked is None or axis[1] not in {"", *UNITS}:
        return None
    numbers, unit = axis
    number = _in_unit(*asked, unit)
    if number is None:
        return None
    near = (math.isclose(number, one, rel_tol=_CLOSE) for one in numbers)
    return next((label for label, is_near in zip(labels, near, strict=True) if is_near), None)


def found(wanted: Label, labels: Sequence[Label] | None) -> Label:
    """Label of the quantity `wanted`; `wanted` itself if there is none, or if `labels` are not known."""
    label = None if labels is None else find(wanted, labels)
    return wanted if label is None else label


def unknown(levels: LabelsOf, factor: str, *wanted: Label) -> list[str]:
    """Error texts for a factor that is not among `levels`, or for those of its labels that are not."""
    if factor not in levels:
        return [f"unknown factor {factor}; allowed {', '.join(levels) or 'none'}"]
    labels = levels[factor]
    if labels is None:
        return []
    there = ", ".join(map(str, labels))
    return [
        f"factor {factor} has no level {label!r}; allowed {there}"
        for label in wanted
        if find(label, labels) is None
    ]


def _in_unit(number: float, unit: str, other: str) -> float | None:
    """Number in the unit `other`; one without a unit already is. `None` if the units differ in kind."""
    if unit in {"", other}:
        return number
    size, base = UNITS.get(unit), UNITS.get(other)
    if size is None or base is None or size[0] != base[0]:
        return None
    return number * size[1] / base[1]


def numbers(labels: Sequence[Label]) -> tuple[list[float], str] | None:
    """Labels as numbers in the unit of the first one, and that unit.

    `None` unless all are quantities of a scenario: "802.11b" is no number of bits.
    """
    axis = on_an_axis(list(labels))
    return axis if axis is not None and axis[1] in UNITS else None


def heading(factor: str, unit: str) -> str:
    """Name of the column with the levels of a factor as numbers: "station.slow.rate [Mb/s]"."""
    return f"{factor} [{unit}]"
