"""Designs of experiments: rules that select points, that is combinations of levels of the factors.

A grid has every combination. A list has named points and parts of a grid. Random, Latin hypercube and Sobol
designs sample a given number of points: any value of a range, and each of several levels about equally often.
[mckay-1979] [sobol-1967]
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from .errors import StudyError
from .factors import Factor, Label, Level, plain
from .labels import found, unknown
from .values import quantity

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Kind = Literal["random", "latin-hypercube", "sobol"]
KINDS: tuple[Kind, ...] = ("random", "latin-hypercube", "sobol")


@dataclass(frozen=True)
class Grid:
    """Every combination of the levels; those of the last factor change fastest."""

    def size(self, factors: Sequence[Factor]) -> int:
        """Number of points."""
        return math.prod(len(factor.levels) for factor in factors)

    def points(self, factors: Sequence[Factor]) -> Iterator[tuple[Level, ...]]:
        """Points as tuples with one level of each factor."""
        yield from itertools.product(*(factor.levels for factor in factors))

    def check(self, factors: Sequence[Factor]) -> None:
        """Raise `StudyError` if a factor has a range instead of levels."""
        open_ = [factor.name for factor in factors if factor.range is not None]
        if open_:
            raise StudyError(
                *(
                    f"factor {name}: has a range, but a grid needs a list of levels; list levels, or choose "
                    "the design random, latin-hypercube or sobol"
                    for name in open_
                )
            )


Named = Mapping[str, "Label | Sequence[Label]"]
"""Point or part of a grid: by factor, one label (or value of a range), or several. Several stand for all
combinations, in which levels of the last factor change fastest."""


@dataclass(frozen=True)
class Listed:
    """Listed points and parts of the grid, each point once, in the order of the list."""

    named: tuple[Named, ...]

    def size(self, factors: Sequence[Factor]) -> int:
        """Number of points."""
        return len(self._points(factors))

    def points(self, factors: Sequence[Factor]) -> Iterator[tuple[Level, ...]]:
        """Points as tuples with one level of each factor."""
        yield from self._points(factors)

    def _points(self, factors: Sequence[Factor]) -> list[tuple[Level, ...]]:
        points: dict[tuple[Level, ...], None] = {}
        for number, labels in enumerate(self.named, start=1):
            levels = {factor.name: _levels(factor, labels, number) for factor in factors}
            for chosen in itertools.product(*(levels[name] for name in labels)):
                by_name = dict(zip(labels, chosen, strict=True))
                points[tuple(by_name[factor.name] for factor in factors)] = None
        return list(points)

    def check(self, factors: Sequence[Factor]) -> None:
        """Raise `StudyError` if a point lacks a factor, or names an unknown factor or level."""
        known = {factor.name: None for factor in factors}
        problems = (
            []
            if self.named
            else ["design: the list of points is empty; allowed is at least one point"]
        )
        for number, labels in enumerate(self.named, start=1):
            problems += [
                f"design, point {number}: {problem}"
                for name in labels
                for problem in unknown(known, name)
            ]
            for factor in factors:
                try:
                    _levels(factor, labels, number)
                except StudyError as error:
                    problems += error.problems
        if problems:
            raise StudyError(*problems)


def _levels(factor: Factor, labels: Named, number: int) -> list[Level]:
    if factor.name not in labels:
        raise StudyError(f"design, point {number}: factor {factor.name} is missing")
    found: Any = plain(labels[factor.name])
    several = found if isinstance(found, list) else [found]
    if not several:
        raise StudyError(
            f"design, point {number}: factor {factor.name} has no level; allowed is at least one"
        )
    return [_level(factor, one, number) for one in several]


def _level(factor: Factor, label: Label, number: int) -> Level:
    if factor.range is not None and quantity(label) is None:
        raise StudyError(
            f"design, point {number}: {factor.name} = {label!r}; allowed is a number or a quantity with unit"
        )
    if factor.range is not None:
        return Level(label, {factor.name: label})
    known = [level.label for level in factor.levels]
    if problems := unknown({factor.name: known}, factor.name, label):
        raise StudyError(*(f"design, point {number}: {problem}" for problem in problems))
    return factor.levels[known.index(found(label, known))]


@dataclass(frozen=True)
class Sampled:
    """Sample of `count` points, at random or evenly spread; the same for the same seed."""

    kind: Kind
    count: int
    seed: int = 1

    def size(self, _: Sequence[Factor]) -> int:
        """Number of points."""
        return self.count

    def points(self, factors: Sequence[Factor]) -> Iterator[tuple[Level, ...]]:
        """Points as tuples with one level of each factor."""
        for row in self.places(len(factors)):
            yield tuple(
                factor.level(float(place)) for factor, place in zip(factors, row, strict=True)
            )

    def check(self, factors: Sequence[Factor]) -> None:
        """Raise `StudyError` if there are no factors, or the number of points is not possible."""
        if self.kind not in KINDS:
            allowed = ", ".join(f'"{kind}"' for kind in KINDS)
            raise StudyError(f"design {self.kind!r}: unknown; allowed {allowed}")
        for what, number, least in (("points", self.count, 1), ("seed", self.seed, 0)):
            if isinstance(number, bool) or not hasattr(number, "__index__") or number < least:
                raise StudyError(
                    f"design {self.kind}: {what} {number!r}; allowed is a whole number, {least} or more"
                )
        if not factors:
            raise StudyError(
                f"design {self.kind}: the study has no factors; allowed is at least one"
            )

    def places(self, factors: int) -> NDArray[np.float64]:
        """Coordinates in the unit cube, (point, factor)."""
        import numpy as np

        if self.kind == "random":
            return np.random.default_rng(self.seed).random((self.count, factors))
        from scipy.stats import qmc

        if self.kind == "latin-hypercube":
            places: NDArray[np.float64] = qmc.LatinHypercube(factors, rng=self.seed).random(
                self.count
            )
            return places
        # A Sobol sequence is balanced for powers of two: the next larger one is made, then cut.
        whole = (self.count - 1).bit_length()
        even: NDArray[np.float64] = qmc.Sobol(factors, rng=self.seed).random_base2(whole)
        return even[: self.count]


Design = Grid | Listed | Sampled


def random(count: int, *, seed: int = 1) -> Sampled:
    """Design of `count` points at random, for `Experiment(design=…)`."""
    return Sampled("random", count, seed)


def latin_hypercube(count: int, *, seed: int = 1) -> Sampled:
    """Design of `count` points with one in each of `count` equal parts of every factor.  [mckay-1979]"""
    return Sampled("latin-hypercube", count, seed)


def sobol(count: int, *, seed: int = 1) -> Sampled:
    """Design of `count` points of a scrambled Sobol sequence, best a power of two.  [sobol-1967]"""
    return Sampled("sobol", count, seed)


def design(chosen: Design | str | Sequence[Named]) -> Design:
    """Design for the word "grid" or a list of points; a design is returned as it is.

    Raises `StudyError` for anything else.
    """
    if isinstance(chosen, Grid | Listed | Sampled):
        return chosen
    if chosen == "grid":
        return Grid()
    points: object = chosen
    if isinstance(points, list | tuple) and all(isinstance(point, Mapping) for point in points):
        return Listed(tuple(points))
    raise StudyError(
        f"design {chosen!r}: unknown; allowed are "
        '"grid", a list of points, airfair.random(n), airfair.latin_hypercube(n), airfair.sobol(n)'
    )
