"""Yoo, Kim, Yoo: Resolving Performance Anomaly using ARF-aware TCP."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce import studies
from airfair.reproduce.paper import Experiment, Json, Paper, Setup, reference

from . import figures, tables
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES
from .introduction import introduction
from .reasons import REASONS
from .runs import Runs
from .tables import Place

if TYPE_CHECKING:
    from airfair.result import Result
    from airfair.scenario import Value

SEGMENT = 1000
"""Application octets per packet: the figures count packets."""

SCHEMES = {
    "arf_aware": "ARF-aware TCP",
    "newreno": "NewReno",
    "one_shot": "ARF-aware, one-shot",
    "continuous": "ARF-aware, continuous",
}
"""Transports under comparison."""
BOTH = ("arf_aware", "newreno")

FIGURES = {
    "fig2": ("Throughput of two sessions, session 1 slow from 20 s", "table1"),
    "fig4-7": ("Five sessions at four rates: each one, and all together", "table5"),
    "fig8-9": ("Session 1 slow from 20 to 70 s: the anomaly and the recovery", "recovery"),
}
"""Title and setup of each."""

STATEMENTS = {
    "fig2": "In ARF-aware TCP, throughput of Session1 drops at 20 second because the sender adjusts the "
    "congestion window. Session2 keeps sending rate as before. TCP newReno suffers from performance anomaly: "
    "both sessions utilize the channel at equal proportion.",
    "fig4-7": "ARF-aware TCP shares network bandwidth as the link rate; TCP newReno shares it very "
    "inconsistently. ARF-aware TCP keeps network utilization even in the performance anomaly scenario; the "
    "cumulated throughput drops very seriously in the TCP newReno case.",
    "fig8-9": "When ARF-aware TCP recovers to normal mode, it boosts the sending rate and recovers the "
    "original rate very quickly.",
}
"""Statements of the paper's text about each figure."""


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed = reference(directory)
    setups = studies.setups(directory)
    experiments = [*_tables(printed), *_figures()]
    return Paper(
        id=directory.name,
        title="Resolving Performance Anomaly using ARF-aware TCP",
        reference=printed,
        setups=setups,
        experiments={e.id: e for e in experiments},
        measure=_measure,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=BOUNDS,
        reasons=REASONS,
        introduction=introduction(printed),
        units="Throughputs in kb/s over the whole run.",
        schemes=_controls(setups["table1"]),
    )


def _controls(setup: Setup) -> dict[str, Value]:
    """What each scheme makes every flow's `control`."""
    return {f"{SCHEMES[it.id]}: control": it.set["flow.slow.control"] for it in setup.variants}


def _measure(result: Result) -> Runs:
    return Runs.of(result, SEGMENT)


def _tables(printed: Json) -> list[Experiment[Runs]]:
    schemes = {id_: _place(id_, "", id_) for id_ in SCHEMES}

    def table(id_: str, title: str, places: Sequence[Place], some: int | None = None) -> None:
        show = partial(tables.show, (id_, title), places, printed[id_], some=some)
        setups = tuple(dict.fromkeys(place.setup for place in places))
        experiments.append(Experiment(id_, title, setups, show))

    def everywhere(setup: str) -> list[Place]:
        return [Place(p.id, p.label, setup, p.scheme) for p in schemes.values()]

    def elsewhere(setup: str, where: str) -> list[Place]:
        return [_place(f"{where}_{scheme}", setup, scheme) for scheme in BOTH]

    experiments: list[Experiment[Runs]] = []
    one_hop = elsewhere("table1-one-hop", "one_hop")
    title = "Two sessions, session 1 goes from 11 to 1 Mb/s at 20 s"
    table("table1", title, [*everywhere("table1"), *one_hop])
    alone = [_place("fair_share", "table2", "newreno"), _place("anomaly", "table1", "newreno")]
    table("table2", "NewReno with and without a slow session", alone)
    slow_relay = elsewhere("table3-slow-relay", "slow_relay")
    title = "Both sessions go from 11 to 1 Mb/s at 20 s"
    table("table3", title, [*everywhere("table3"), *slow_relay])
    title = "Five sessions, session 1 goes from 11 to 1 Mb/s at 20 s"
    table("table4", title, everywhere("table4"))
    title = "Five sessions go from 11 to 1, 2, 5.5, 11 and 11 Mb/s at 20 s"
    table("table5", title, everywhere("table5"), 4)
    return experiments


def _place(id_: str, setup: str, scheme: str) -> Place:
    """A column: the scheme, and where it ran if the id says so, as in one_hop_newreno, anomaly."""
    label = SCHEMES[scheme]
    where = id_.removesuffix(scheme).replace("_", " ").strip()
    return Place(id_, f"{label}, {where}" if where else label, setup, scheme)


def _figures() -> list[Experiment[Runs]]:
    return [
        Experiment(id_, title, (setup,), partial(figures.show, id_, (setup,)), STATEMENTS[id_])
        for id_, (title, setup) in FIGURES.items()
    ]
