"""Yoo, Kim, Yoo: Resolving Performance Anomaly using ARF-aware TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduction import studies
from airfair.reproduction.paper import Experiment, Json, Paper, Setup, reasons, reference
from airfair.reproduction.prose import Passage, Prose

from . import figures, tables
from .claims import PREDICATES, SETTLE_S
from .findings import SEARCHES
from .introduction import introduction
from .plan import BOTH, NEWRENO, SCHEMES
from .runs import ArfAwareRuns
from .tables import ColumnSource

if TYPE_CHECKING:
    from airfair.scenario import Value

FIGURES = {"fig2": "table1", "fig4-7": "table5", "fig8-9": "recovery"}
"""Setup of each experiment that has figures but no table."""


def paper(directory: Path) -> Paper[ArfAwareRuns]:
    """Declaration of the paper whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": printed["setup"], "settle_s": SETTLE_S})
    shown = prose["experiments"].by_id()
    setups = studies.setups(directory)
    experiments = [*_tables(printed, shown), *_figures(shown)]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=setups,
        experiments={e.id: e for e in experiments},
        measure=ArfAwareRuns.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        units=said["units"].text,
        schemes=_controls(setups["table1"]),
    )


def _controls(setup: Setup) -> dict[str, Value]:
    """Value of the key `control` of every flow, by scheme."""
    return {f"{SCHEMES[it.id]}: control": it.set["flow.slow.control"] for it in setup.variants}


def _tables(printed: Json, shown: Mapping[str, Passage]) -> list[Experiment[ArfAwareRuns]]:
    places = [_place(id_, "", id_) for id_ in SCHEMES]

    def everywhere(setup: str) -> list[ColumnSource]:
        return [ColumnSource(p.id, p.label, setup, p.scheme) for p in places]

    def elsewhere(setup: str, where: str) -> list[ColumnSource]:
        return [_place(f"{where}_{scheme}", setup, scheme) for scheme in BOTH]

    def table(
        id_: str, places: Sequence[ColumnSource], some: int | None = None, more: Sequence[str] = ()
    ) -> Experiment[ArfAwareRuns]:
        title = shown[id_].title
        show = partial(tables.show, (id_, title), places, printed[id_], some=some)
        setups = dict.fromkeys([*(place.setup for place in places), *more])
        return Experiment(id_, title, tuple(setups), show)

    alone = [_place("fair_share", "table2", NEWRENO), _place("anomaly", "table1", NEWRENO)]
    slow_relay = elsewhere("table3-slow-relay", "slow_relay")
    return [
        table(
            "table1",
            [*everywhere("table1"), *elsewhere("table1-one-hop", "one_hop")],
            more=["polling"],
        ),
        table("table2", alone),
        table("table3", [*everywhere("table3"), *slow_relay]),
        table("table4", everywhere("table4")),
        table("table5", everywhere("table5"), 4),
    ]


def _place(id_: str, setup: str, scheme: str) -> ColumnSource:
    """Source of a column, whose label names the scheme, and the setup if `id_` does."""
    label = SCHEMES[scheme]
    where = id_.removesuffix(scheme).replace("_", " ").strip()
    return ColumnSource(id_, f"{label}, {where}" if where else label, setup, scheme)


def _figures(shown: Mapping[str, Passage]) -> list[Experiment[ArfAwareRuns]]:
    return [
        Experiment(
            id_, shown[id_].title, (setup,), partial(figures.show, id_, (setup,)), shown[id_].text
        )
        for id_, setup in FIGURES.items()
    ]
