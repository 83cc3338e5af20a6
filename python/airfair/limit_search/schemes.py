"""Schemes, each with the space of conditions that is searched.

`schemes.toml` declares them. A law of one's own is a scheme, too.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from airfair.law import LawError, Laws
from airfair.law_use import LawUse, uses

from .cells import STATIONS as AT_STATIONS
from .cells import Keys, Switch
from .measures import CRITERIA, Criterion
from .space import DECLARED, EXTRA, EXTRA_STANDARD, Space, space, under


@dataclass(frozen=True)
class Scheme:
    """Scheme, and the space of conditions in which its limits are searched."""

    id: str
    title: str
    paper: str | None
    """Paper of the scheme; `None` for a law of one's own."""
    space: Space
    judged: tuple[str, ...]
    """Criteria that decide the effect at a point: the aims of the scheme, and total goodput."""
    felt: tuple[str, ...]
    """Other criteria that are reported."""
    flow: Keys = field(default_factory=dict)
    """Keys of the flows that use the scheme."""
    cell: Keys = field(default_factory=dict)
    """Keys of the cell with the scheme."""
    base: Keys = field(default_factory=dict)
    """Keys, in both scenarios, of the flows that can use the scheme."""
    base_cell: Keys = field(default_factory=dict)
    """Keys, in both scenarios, of the cell."""
    senders_only: bool = False
    """True if only flows from stations can use the scheme."""
    leaves_one: bool = False
    """True if at least one flow must not use the scheme."""
    laws: tuple[LawUse, ...] = ()
    """Laws of one's own that are the scheme."""
    set: Keys = field(default_factory=dict)
    """Keys of the scenario with the scheme, by dotted path."""

    more: tuple[Criterion, ...] = ()
    """Criteria of the user's own, which are reported; those of a law may also decide."""
    standard: str | None = None
    """Standard of the space if it has only one; by default the space has 802.11b, a and g."""

    def under(self, standard: str) -> Scheme:
        """Scheme with a space of one standard."""
        return replace(self, space=under(self.space, standard), standard=standard)

    def with_extra(self, *ids: str) -> Scheme:
        """Scheme in 802.11ax, whose space also has the dimensions of `EXTRA` with these ids.

        The dimension `sender` takes the place of `flavour`.
        """
        of = self.under(EXTRA_STANDARD)
        kept = (d for d in of.space if d.id != "flavour" or "sender" not in ids)
        return replace(of, space=(*kept, *(d for d in EXTRA if d.id in ids)))

    @property
    def folder(self) -> str:
        """Directory of the scheme's files, below that of all searches."""
        extra = "".join(f"-{d.id}" for d in EXTRA if d in self.space)
        return f"{self.standard}{extra}/{self.id}" if self.standard else self.id

    @property
    def measures(self) -> tuple[str, ...]:
        """Ids of all criteria of the scheme."""
        return tuple(dict.fromkeys((*self.judged, *self.felt, *(one.id for one in self.more))))

    @property
    def criteria(self) -> dict[str, Criterion]:
        """All criteria of the scheme by id."""
        own = {one.id: one for one in self.more}
        return {id_: own.get(id_) or CRITERIA[id_] for id_ in self.measures}

    @property
    def switch(self) -> Switch:
        """Keys that turn the scheme on."""
        return Switch(
            self.flow,
            self.cell,
            self.base,
            self.base_cell,
            self.senders_only,
            self.leaves_one,
            self.laws,
        )


def _scheme(id_: str, declared: Mapping[str, Any]) -> Scheme:
    made = Scheme(id_, **{**declared, "space": space(*declared["space"])})
    return replace(made, judged=tuple(made.judged), felt=tuple(made.felt))


SCHEMES = {id_: _scheme(id_, declared) for id_, declared in DECLARED["schemes"].items()}

_AT_ACCESS_POINT = ("access-point", "access-point.*", "access-point.cell")
LAW_JUDGED = ("total", "airtime_fairness")
"""Criteria that decide the effect of a law of one's own, unless the caller chooses others."""
_LAW_CRITERIA = (
    "total", "airtime_fairness", "goodput_fairness", "balance", "slowest", "own", "others", "loss", "delay",
    "completion",
)  # fmt: skip


def of_laws(
    laws: Laws | Iterable[LawUse],
    judge: Sequence[str | Criterion] = (),
    set: Keys | None = None,  # noqa: A002 - named after the option --set
) -> Scheme:
    """Scheme that consists of laws of one's own.

    A law acts at the access point, or at the stations. At "station.*" it acts at 1 to 100 % of the stations:
    at those whose flows use the scheme. `judge` are the criteria that decide, by their ids in `CRITERIA` or
    of the user's own, by default `LAW_JUDGED`. `set` has keys of the scenario with the laws, by dotted path.

    Raises `LawError` for another node, and for a value that creates no law.
    """
    own = uses(laws)
    if not own:
        raise LawError("laws: there is none; allowed is at least one")
    for law in own:
        check_node(law.node)
    at_stations = any(law.node == AT_STATIONS for law in own)
    more = tuple(one for one in judge if isinstance(one, Criterion))
    judged = tuple(one if isinstance(one, str) else one.id for one in judge or LAW_JUDGED)
    felt = [name for name in _LAW_CRITERIA if at_stations or name not in {"own", "others"}]
    named = list(dict.fromkeys(law.name for law in own))
    return Scheme(
        id="+".join(name.replace(":", ".") for name in named),
        title=", ".join(f"{law.name} at {law.node}" for law in own),
        paper=None,
        space=space("law", *(["deployed"] if at_stations else [])),
        judged=tuple(dict.fromkeys(judged)),
        felt=tuple(name for name in felt if name not in judged),
        laws=own,
        set=dict(set or {}),
        more=more,
    )


def check_node(node: str) -> None:
    """Raise `LawError` for a node that not every condition has."""
    if node != AT_STATIONS and node not in _AT_ACCESS_POINT:
        raise LawError(
            f"{node!r}: each condition has other stations; allowed are access-point and {AT_STATIONS}"
        )
