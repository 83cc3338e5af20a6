"""Figures as data, and the roles of factors: on the x axis, as lines, as panels, or fixed at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal

from airfair.palette import PALETTE

from .factors import Label
from .labels import LabelsOf, unknown
from .measures import Measure
from .values import on_an_axis

Kind = Literal["means", "boxes", "cdf"]
"""Kind of a figure: means, boxes of the runs, or the cumulative distribution of the runs."""

ROLES: Mapping[str, Sequence[str]] = {
    "means": ("x", "by", "panel"),
    "boxes": ("x", "by"),
    "cdf": ("by",),
}
"""Roles that a factor may have in a figure, by its kind; any other may be fixed at a level."""


@dataclass(frozen=True)
class FigureOf:
    """Declaration of a figure: a measure over a factor, or its distribution."""

    id: str
    y: Measure
    x: str | None = None
    by: str | None = None
    panel: str | None = None
    at: Mapping[str, Label] = field(default_factory=dict)
    title: str | None = None
    caption: str = ""
    printed: Mapping[str, Sequence[float]] = field(default_factory=dict)
    """Published values in the order of x, by the level of `by`, or under "" if there is no `by`."""
    kind: Kind = "means"

    @property
    def heading(self) -> str:
        """Title, by default the measure and the factor."""
        if self.title:
            return self.title
        if self.kind == "cdf":
            return f"{self.y.name} by {self.by}" if self.by else self.y.name
        return f"{self.y.name} over {self.x}"

    def placed(self, levels: LabelsOf) -> FigureOf:
        """Figure with a factor on its x axis, or with one for the curves of a distribution.

        The x axis has the first factor without a role, and curves are for the first one that varies.
        """
        if self.kind == "cdf":
            varying = (name for name in levels if name not in self.at and _varies(levels[name]))
            return replace(self, by=self.by or next(varying, None))
        free = (name for name in levels if name not in (self.by, self.panel, *self.at))
        return replace(self, x=self.x or next(free, None))

    def problems(self, levels: LabelsOf) -> list[str]:
        """Reasons why the figure cannot be drawn."""
        found = self._of_roles(levels)
        if self.printed and self.kind != "means":
            found.append(
                f"printed: a figure of kind {self.kind} has none; allowed with means alone"
            )
        return found

    def _of_roles(self, levels: LabelsOf) -> list[str]:
        """Reasons that follow from the roles of the factors."""
        x, by, panel, at, roles = self.x, self.by, self.panel, self.at, ROLES[self.kind]
        if x is None and "x" in roles:
            return ["every factor is already used; name the factor of the x axis as x"]
        named = [name for name in (x, by, panel, *at) if name is not None]
        missing = [problem for name in dict.fromkeys(named) for problem in unknown(levels, name)]
        if missing:
            return missing
        found = [
            f"{name} is named twice among x, by, panel and at; allowed is once"
            for name in dict.fromkeys(named)
            if named.count(name) > 1
        ]
        found += [
            f"{role} = {name}: a figure of kind {self.kind} has none; allowed {', '.join(roles)}"
            for role, name in (("x", x), ("panel", panel))
            if name is not None and role not in roles
        ]
        for name, label in at.items():
            found += unknown(levels, name, label)
        free = [name for name, known in levels.items() if name not in named and _varies(known)]
        if free:
            found.append(
                f"{', '.join(free)} {'varies' if len(free) == 1 else 'vary'} too; choose one level "
                f'(at={{"{free[0]}": …}}), or name the factor as {_others(roles, "x")}'
            )
        lines = levels[by] if by is not None else ()
        if lines is None or len(lines) > len(PALETTE):
            many = "a range" if lines is None else f"{len(lines)} levels"
            instead = f"; use this factor as {_others(roles, 'by')}" if len(roles) > 1 else ""
            found.append(f"by = {by}: has {many}; allowed are {len(PALETTE)} lines{instead}")
        along = levels[x] if x is not None else None
        if panel is not None and along is not None and on_an_axis(list(along)) is None:
            found.append(no_numbers(x or ""))
        return found


def _others(roles: Sequence[str], role: str) -> str:
    return " or ".join(name for name in roles if name != role)


def _varies(levels: Sequence[Label] | None) -> bool:
    return levels is None or len(levels) > 1


def no_numbers(x: str) -> str:
    """Error text for a factor whose levels are names, where a numeric axis is needed."""
    return f"x = {x}: its levels are names, but panels need numbers on the x axis; use by or at"
