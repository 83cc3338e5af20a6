"""The figure of a measure over a factor."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

import numpy as np

from airfair.figures import PALETTE, Category, Chart, Points, by_category, over_number

from .compare import check
from .errors import StudyError
from .values import on_an_axis

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from airfair.estimate import Estimate

    from .factors import Label
    from .measures import Measure
    from .results import ExperimentResult


def plotted(  # noqa: PLR0913 - options of a figure
    results: ExperimentResult,
    x: str | None,
    y: Measure,
    by: str | None,
    *,
    panel: str | None,
    at: Mapping[str, Label],
    title: str | None,
    printed: Mapping[str, Sequence[float]],
) -> Figure:
    """The figure of `ExperimentResult.plot`."""
    names = [factor.name for factor in results.factors]
    x = x or next((name for name in names if name not in (by, panel, *at)), None)
    if x is None:
        raise StudyError("plot: there is no factor to draw along; name it as x")
    for name in filter(None, (x, by, panel)):
        check(results, name)
    for name, label in at.items():
        check(results, name, label)
    _check_all_are_held(results, {x, by, panel, *at})
    data = _Data(results, y, x, by, at, printed)
    if panel is None:
        return _single(data, title or f"{y.name} over {x}")
    if data.numbers is None:
        raise StudyError(
            f"plot: panels need numbers along x, and the levels of {x} are names; use by or at"
        )
    charts = [
        Chart(f"{panel} = {label}", data.numbers, data.lines({panel: label}))
        for label in _levels(results, panel)
    ]
    return over_number(charts, data.x_label, data.y_label)


def _check_all_are_held(results: ExperimentResult, held: set[str | None]) -> None:
    free = [
        f.name for f in results.factors if f.name not in held and len(_levels(results, f.name)) > 1
    ]
    if free:
        raise StudyError(
            f"plot: {', '.join(free)} {'varies' if len(free) == 1 else 'vary'} as well; hold it at a level "
            f'(at={{"{free[0]}": …}}), or name it as by or panel'
        )


def _levels(results: ExperimentResult, factor: str) -> list[Label]:
    return list(dict.fromkeys(point.labels[factor] for point in results.points_of))


def _single(data: _Data, title: str) -> Figure:
    if data.numbers is not None:
        return over_number(
            [Chart(title, data.numbers, data.lines({}))], data.x_label, data.y_label, columns=1
        )
    panel = Category(
        title, data.y_label, data.x, [str(label) for label in data.places], data.lines({})
    )
    return by_category(panel, wide=len(data.places) > 6)  # noqa: PLR2004 - names side by side in a narrow figure


class _Data:
    """Estimates of a measure by the levels of two factors."""

    def __init__(  # noqa: PLR0913, PLR0917 - what a figure is made of
        self,
        results: ExperimentResult,
        y: Measure,
        x: str,
        by: str | None,
        at: Mapping[str, Label],
        printed: Mapping[str, Sequence[float]],
    ) -> None:
        self.x = x
        self._printed = dict(printed)
        self._by = by
        self._at = at
        self._results = results
        self._scale = y.shown[0]
        self.y_label = y.label
        self._name = y.name
        self.places = _levels(results, x)
        self._order = list(range(len(self.places)))
        axis = on_an_axis(list(self.places))
        self.numbers: Sequence[float] | None = None
        self.x_label = x
        if axis is not None:
            self._order = np.argsort(axis[0], kind="stable").tolist()
            self.numbers = [axis[0][i] for i in self._order]
            self.places = [self.places[i] for i in self._order]
            self.x_label = f"{x} [{axis[1]}]" if axis[1] else x
        self._estimates: list[Estimate] = [one.estimate for one in results.samples(y)]

    def lines(self, held: Mapping[str, Label]) -> list[Points]:
        """A line for each level of `by`, or one for all, where other factors are `held`."""
        labels = _levels(self._results, self._by) if self._by else [None]
        if len(labels) > len(PALETTE):
            raise StudyError(
                f"plot: {self._by} has {len(labels)} levels, a figure has {len(PALETTE)} lines that can be "
                "told apart; draw it along x, or in panels"
            )
        return [self._line(label, held) for label in labels]

    def _line(self, label: Label | None, held: Mapping[str, Label]) -> Points:
        found = []
        for place in self.places:
            wanted = {**self._at, **held, self.x: place}
            if self._by is not None and label is not None:
                wanted[self._by] = label
            found.append(self._at_levels(wanted))
        lowest = 0.0 if all(not (mean < 0) for mean, _ in found) else -math.inf
        name = str(label) if label is not None else self._name
        values = self._printed.get("" if label is None else str(label), ())
        hollow = {new: values[old] for new, old in enumerate(self._order) if old < len(values)}
        return Points(name, np.array(found).T, hollow, (lowest, math.inf))

    def _at_levels(self, wanted: Mapping[str, Label]) -> tuple[float, float]:
        for point, one in zip(self._results.points_of, self._estimates, strict=True):
            if all(point.labels[name] == label for name, label in wanted.items()):
                return one.mean * self._scale, one.ci95 * self._scale
        return math.nan, math.nan
