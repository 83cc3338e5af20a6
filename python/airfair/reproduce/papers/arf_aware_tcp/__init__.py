"""Yoo, Kim, Yoo: Resolving Performance Anomaly using ARF-aware TCP."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.reproduce.paper import (
    Experiment,
    Json,
    Paper,
    Setup,
    Variant,
    read_toml,
    reasons,
    reference,
)
from airfair.reproduce.prose import Passage, Prose

from . import figures, tables
from .claims import PREDICATES, SETTLE_S
from .findings import SEARCHES
from .introduction import introduction
from .runs import Runs
from .tables import Place

if TYPE_CHECKING:
    from airfair.result import Result
    from airfair.scenario import Value

SEGMENT = 1000
"""Application octets per packet: the figures count packets."""

SCHEMES: dict[str, tuple[str, Value]] = {
    "arf_aware": ("ARF-aware TCP", {"scheme": "arf-aware", "variant": "held"}),
    "newreno": ("NewReno", "none"),
    "one_shot": ("ARF-aware, one-shot", {"scheme": "arf-aware", "variant": "one-shot"}),
    "continuous": ("ARF-aware, continuous", {"scheme": "arf-aware", "variant": "continuous"}),
}
"""Transports under comparison, with the `control` of every flow."""

ALL, BOTH = tuple(SCHEMES), ("arf_aware", "newreno")
SETUPS = {
    "table1": ALL,
    "table2": ("newreno",),
    "table3": ALL,
    "table4": ALL,
    "table5": ALL,
    "recovery": BOTH,
    "table1-one-hop": BOTH,
    "table3-slow-relay": BOTH,
}
"""Scenario files and the schemes that run on them."""

REPLICATIONS = 100
FEWER, CLOSE = 50, ("table5",)
"""Runs of each setup but those where a bound is near; elsewhere all are beyond seven standard errors."""

FIGURES = {"fig2": "table1", "fig4-7": "table5", "fig8-9": "recovery"}
"""Setup of each."""


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed, prose = reference(directory), Prose(directory / "text")
    said = prose["introduction"].by_id({"setup": printed["setup"], "settle_s": SETTLE_S})
    shown = prose["experiments"].by_id()
    setups = {id_: _setup(directory, id_, schemes) for id_, schemes in SETUPS.items()}
    experiments = [*_tables(printed, shown), *_figures(shown)]
    return Paper(
        id=directory.name,
        title=prose["introduction"].title,
        reference=printed,
        setups=setups,
        experiments={e.id: e for e in experiments},
        measure=_measure,
        replications=REPLICATIONS,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=said["bounds"].text,
        reasons=reasons(prose),
        introduction=introduction(said),
        prose=prose,
        units=said["units"].text,
        schemes={f"{label}: control": control for label, control in SCHEMES.values()},
    )


def _setup(directory: Path, id_: str, schemes: Sequence[str]) -> Setup:
    path = directory / f"{id_}.toml"
    flows = read_toml(path)["flow"]
    variants = [
        Variant(scheme, label, {f"flow.{flow}.control": control for flow in flows})
        for scheme, (label, control) in SCHEMES.items()
        if scheme in schemes
    ]
    return Setup(id_, path, tuple(variants), replications=None if id_ in CLOSE else FEWER)


def _measure(result: Result) -> Runs:
    return Runs.of(result, SEGMENT)


def _tables(printed: Json, shown: Mapping[str, Passage]) -> list[Experiment[Runs]]:
    places = [_place(id_, "", id_) for id_ in SCHEMES]

    def everywhere(setup: str) -> list[Place]:
        return [Place(p.id, p.label, setup, p.scheme) for p in places]

    def elsewhere(setup: str, where: str) -> list[Place]:
        return [_place(f"{where}_{scheme}", setup, scheme) for scheme in BOTH]

    def table(id_: str, places: Sequence[Place], some: int | None = None) -> Experiment[Runs]:
        title = shown[id_].title
        show = partial(tables.show, (id_, title), places, printed[id_], some=some)
        return Experiment(id_, title, tuple(dict.fromkeys(place.setup for place in places)), show)

    alone = [_place("fair_share", "table2", "newreno"), _place("anomaly", "table1", "newreno")]
    slow_relay = elsewhere("table3-slow-relay", "slow_relay")
    return [
        table("table1", [*everywhere("table1"), *elsewhere("table1-one-hop", "one_hop")]),
        table("table2", alone),
        table("table3", [*everywhere("table3"), *slow_relay]),
        table("table4", everywhere("table4")),
        table("table5", everywhere("table5"), 4),
    ]


def _place(id_: str, setup: str, scheme: str) -> Place:
    """A column: the scheme, and where it ran if the id says so, as in one_hop_newreno, anomaly."""
    label, _ = SCHEMES[scheme]
    where = id_.removesuffix(scheme).replace("_", " ").strip()
    return Place(id_, f"{label}, {where}" if where else label, setup, scheme)


def _figures(shown: Mapping[str, Passage]) -> list[Experiment[Runs]]:
    return [
        Experiment(
            id_, shown[id_].title, (setup,), partial(figures.show, id_, (setup,)), shown[id_].text
        )
        for id_, setup in FIGURES.items()
    ]
