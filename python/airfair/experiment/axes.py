"""Factors of a figure: on its x axis, as its lines, as its panels, or fixed at a level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Literal

from airfair.palette import PALETTE

from .labels import LabelsOf, unknown
from .values import on_an_axis

if TYPE_CHECKING:
    from .factors import Label

Kind = Literal["means", "boxes", "cdf"]
"""Kind of a figure: means, boxes of the runs, or the cumulative distribution of the runs."""

ROLES: Mapping[str, Sequence[str]] = {
    "means": ("x", "by", "panel"),
    "boxes": ("x", "by"),
    "cdf": ("by",),
}
"""Roles that a factor may have in a figure, by its kind; any other may be fixed at a level."""


def first_free(
    levels: LabelsOf, by: str | None, panel: str | None, at: Mapping[str, Label]
) -> str | None:
    """First factor that is neither `by` nor `panel` nor fixed by `at`; `None` without one."""
    return next((name for name in levels if name not in (by, panel, *at)), None)


def first_varying(levels: LabelsOf, at: Mapping[str, Label]) -> str | None:
    """First factor with several levels that is not fixed by `at`; `None` without one."""
    return next((name for name, known in levels.items() if name not in at and _varies(known)), None)


def problems(  # noqa: PLR0913 - the roles of factors
    levels: LabelsOf,
    x: str | None,
    by: str | None,
    panel: str | None,
    at: Mapping[str, Label],
    *,
    kind: Kind = "means",
) -> list[str]:
    """Reasons why a figure cannot be drawn."""
    roles = ROLES[kind]
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
        f"{role} = {name}: a figure of kind {kind} has none; allowed {', '.join(roles)}"
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
