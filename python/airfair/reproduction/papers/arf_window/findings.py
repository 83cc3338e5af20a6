"""Findings of the runs of `arf-window` that the paper does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.reproduction.calibration import Candidate, chosen, table
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table

from . import plan
from .figures import scheme_columns
from .runs import Measurements, gain

MBPS, DROPS = "Mb/s", "drops, %"


def candidates(data: Measurements) -> list[Candidate]:
    """Candidates of the calibration: places, each compared with Table I's row for standard TCP."""
    keys = {plan.spot_label(spot): plan.baseline_key(spot) for spot in plan.CANDIDATES}
    row = plan.TABLE1["standard"]
    return [
        Candidate(
            label,
            {MBPS: data[key].throughput(), DROPS: data[key].drops()},
            {MBPS: row["throughput_mbps"], DROPS: row["drop_percent"]},
            runs=plan.PAPERS_RUNS,
        )
        for label, key in keys.items()
    ]


def baseline(data: Measurements) -> Found:
    """Finding of the calibration: candidates ranked by their distance from Table I's row for standard TCP."""
    all_ = candidates(data)
    of = chosen(all_)
    numbers = {
        "printed": plan.TABLE1["standard"],
        "candidates": len(all_),
        "nearest": of.decides.label,
        "distance_percent": 100 * of.decides.distance,
        "fit": [one.label for one in of.near],
        "runs": plan.PAPERS_RUNS,
        "nothing_dropped": [one.label for one in all_ if not one.measured[DROPS].any()],
    }
    title = "Standard TCP, random waypoint, by server and queue"
    return Found(numbers, [table("baseline", title, all_, {MBPS: 2, DROPS: 3})], all_)


def readings(data: Measurements) -> Found:
    """Finding on all combinations of the three open points of the law."""
    gains = {
        reading: [gain(data, plan.with_reading(reading, way)) for way in plan.STRAIGHT]
        for reading in plan.READINGS
    }
    better = [r for r, both in gains.items() if all(one.low > 0 for one in both)]
    numbers = {
        "combinations": len(plan.READINGS),
        "projected": gains[plan.PROJECTED],
        "smoothed": gains[plan.SMOOTHED],
        "by_the_letter": gains[plan.PRINTED],
        "better": len(better),
        "only_projected": better == [plan.PROJECTED],
    }
    tables = [
        Table(
            f"readings-{way}",
            f"{way.capitalize()} at {plan.MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %; "
            "τ after a rise, after a fall, round trip",
            [f"{r.rise}, {r.fall}, {r.round_trip}" for r in plan.READINGS],
            scheme_columns(data, [plan.with_reading(r, way) for r in plan.READINGS]),
        )
        for way in plan.STRAIGHT
    ]
    return Found(numbers, tables)


def region(data: Measurements) -> Found:
    """Finding on the gain of the scheme at each candidate place."""
    places = {plan.spot_label(spot): plan.in_region(spot) for spot in plan.CANDIDATES}
    gains = {at: gain(data, place) for at, place in places.items()}
    numbers = {
        "speed_mps": plan.MIDDLE,
        "places": len(places),
        "better": [(at, one) for at, one in gains.items() if one.low > 0],
        "worse": [(at, one) for at, one in gains.items() if one.high < 0],
    }
    title = f"Away at {plan.MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by server and queue"
    return Found(numbers, [_table(data, "region", title, places)])


def _table(
    data: Measurements, id_: str, title: str, places: Mapping[str, plan.SchemePair]
) -> Table:
    """Table of both schemes at some places."""
    return Table(id_, title, list(places), scheme_columns(data, list(places.values())))


def slots(data: Measurements) -> Found:
    """Finding on the gain of the scheme for several observation slots T, which the paper does not state."""
    here = plan.on_the_way(plan.DECIDING, plan.AWAY, plan.MIDDLE)
    places: dict[str, plan.SchemePair] = {
        plan.SLOTS[0]: plan.with_slot(plan.SLOTS[0]),
        "300 ms": here,
    }
    places |= {slot: plan.with_slot(slot) for slot in plan.SLOTS[1:]}
    gains = [(slot, gain(data, place)) for slot, place in places.items()]
    title = f"Away at {plan.MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by T"
    return Found({"speed_mps": plan.MIDDLE, "gains": gains}, [_table(data, "slots", title, places)])


def later(data: Measurements) -> Found:
    """Finding on settings that the paper leaves for later work."""
    places = {id_: plan.beyond(id_) for id_ in plan.BEYOND}
    gains = [(id_, gain(data, place), *_drops(data, place)) for id_, place in places.items()]
    title = "Sums in Mb/s, gain and drop rates in %"
    return Found({"gains": gains}, [_table(data, "beyond", title, places)])


def _drops(data: Measurements, place: plan.SchemePair) -> tuple[float, float]:
    """Mean drop rates without and with the scheme [%]."""
    standard, proposed = (
        float(data[place.key(s)].drops().mean()) for s in (plan.NEWRENO, plan.WINDOW)
    )
    return standard, proposed


def _setups(places: Sequence[plan.SchemePair]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(setup for place in places for setup, _ in place.keys_of_both))


BASELINE = ("candidates",)
"""Setups in which the candidates are run."""

_READINGS = [plan.with_reading(reading, way) for reading in plan.READINGS for way in plan.STRAIGHT]
_REGION = [plan.in_region(spot) for spot in plan.CANDIDATES]

SEARCHES = (
    Search("readings", _setups(_READINGS), readings),
    Search("region", _setups(_REGION), region),
    Search("slots", ("slots", *plan.needed(plan.DECIDING, plan.AWAY)), slots),
    Search("later", ("beyond",), later),
)
FOUND_WITH = {
    "fig4": tuple(dict.fromkeys([*_setups(_READINGS), *_setups(_REGION), "slots"])),
    "fig5": (),
    "table1": (*BASELINE, "beyond"),
}
"""Setups that findings need, by the experiment to which the findings belong."""
