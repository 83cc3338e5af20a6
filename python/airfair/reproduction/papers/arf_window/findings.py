"""Findings of the runs of `arf-window` that the paper does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.reproduction.calibration import Candidate, chosen, table
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table

from .figures import scheme_columns
from .plan import (
    AWAY,
    BEYOND,
    CANDIDATES,
    DECIDING,
    MIDDLE,
    NEWRENO,
    PAPERS_RUNS,
    PRINTED,
    PROJECTED,
    READINGS,
    SLOTS,
    SMOOTHED,
    STRAIGHT,
    TABLE1,
    WINDOW,
    SchemePair,
    baseline_key,
    beyond,
    in_region,
    needed,
    on_the_way,
    spot_label,
    with_reading,
    with_slot,
)
from .runs import Measurements, gain

MBPS, DROPS = "Mb/s", "drops, %"


def candidates(data: Measurements) -> list[Candidate]:
    """Candidates of the calibration: places, each compared with Table I's row for standard TCP."""
    keys = {spot_label(spot): baseline_key(spot) for spot in CANDIDATES}
    row = TABLE1["standard"]
    return [
        Candidate(
            label,
            {MBPS: data[key].throughput(), DROPS: data[key].drops()},
            {MBPS: row["throughput_mbps"], DROPS: row["drop_percent"]},
            runs=PAPERS_RUNS,
        )
        for label, key in keys.items()
    ]


def baseline(data: Measurements) -> Found:
    """Finding of the calibration: candidates ranked by their distance from Table I's row for standard TCP."""
    all_ = candidates(data)
    of = chosen(all_)
    numbers = {
        "printed": TABLE1["standard"],
        "candidates": len(all_),
        "nearest": of.decides.label,
        "distance_percent": 100 * of.decides.distance,
        "fit": [one.label for one in of.near],
        "runs": PAPERS_RUNS,
        "nothing_dropped": [one.label for one in all_ if not one.measured[DROPS].any()],
    }
    title = "Standard TCP, random waypoint, by server and queue"
    return Found(numbers, [table("baseline", title, all_, {MBPS: 2, DROPS: 3})], all_)


def readings(data: Measurements) -> Found:
    """Finding on all combinations of the three open points of the law."""
    gains = {
        reading: [gain(data, with_reading(reading, way)) for way in STRAIGHT]
        for reading in READINGS
    }
    better = [r for r, both in gains.items() if all(one.low > 0 for one in both)]
    numbers = {
        "combinations": len(READINGS),
        "projected": gains[PROJECTED],
        "smoothed": gains[SMOOTHED],
        "by_the_letter": gains[PRINTED],
        "better": len(better),
        "only_projected": better == [PROJECTED],
    }
    tables = [
        Table(
            f"readings-{way}",
            f"{way.capitalize()} at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %; "
            "τ after a rise, after a fall, round trip",
            [f"{r.rise}, {r.fall}, {r.round_trip}" for r in READINGS],
            scheme_columns(data, [with_reading(r, way) for r in READINGS]),
        )
        for way in STRAIGHT
    ]
    return Found(numbers, tables)


def region(data: Measurements) -> Found:
    """Finding on the gain of the scheme at each candidate place."""
    places = {spot_label(spot): in_region(spot) for spot in CANDIDATES}
    gains = {at: gain(data, place) for at, place in places.items()}
    numbers = {
        "speed_mps": MIDDLE,
        "places": len(places),
        "better": [(at, one) for at, one in gains.items() if one.low > 0],
        "worse": [(at, one) for at, one in gains.items() if one.high < 0],
    }
    title = (
        f"Away at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by server and queue"
    )
    return Found(numbers, [_table(data, "region", title, places)])


def _table(data: Measurements, id_: str, title: str, places: Mapping[str, SchemePair]) -> Table:
    """Table of both schemes at some places."""
    return Table(id_, title, list(places), scheme_columns(data, list(places.values())))


def slots(data: Measurements) -> Found:
    """Finding on the gain of the scheme for several observation slots T, which the paper does not state."""
    here = on_the_way(DECIDING, AWAY, MIDDLE)
    places: dict[str, SchemePair] = {SLOTS[0]: with_slot(SLOTS[0]), "300 ms": here}
    places |= {slot: with_slot(slot) for slot in SLOTS[1:]}
    gains = [(slot, gain(data, place)) for slot, place in places.items()]
    title = f"Away at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by T"
    return Found({"speed_mps": MIDDLE, "gains": gains}, [_table(data, "slots", title, places)])


def later(data: Measurements) -> Found:
    """Finding on settings that the paper leaves for later work."""
    places = {id_: beyond(id_) for id_ in BEYOND}
    gains = [(id_, gain(data, place), *_drops(data, place)) for id_, place in places.items()]
    title = "Sums in Mb/s, gain and drop rates in %"
    return Found({"gains": gains}, [_table(data, "beyond", title, places)])


def _drops(data: Measurements, place: SchemePair) -> tuple[float, float]:
    """Mean drop rates without and with the scheme [%]."""
    standard, proposed = (float(data[place.key(s)].drops().mean()) for s in (NEWRENO, WINDOW))
    return standard, proposed


def _setups(places: Sequence[SchemePair]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(setup for place in places for setup, _ in place.keys_of_both))


BASELINE = ("candidates",)
"""Setups in which the candidates are run."""

_READINGS = [with_reading(reading, way) for reading in READINGS for way in STRAIGHT]
_REGION = [in_region(spot) for spot in CANDIDATES]

SEARCHES = (
    Search("readings", _setups(_READINGS), readings),
    Search("region", _setups(_REGION), region),
    Search("slots", ("slots", *needed(DECIDING, AWAY)), slots),
    Search("later", ("beyond",), later),
)
FOUND_WITH = {
    "fig4": tuple(dict.fromkeys([*_setups(_READINGS), *_setups(_REGION), "slots"])),
    "fig5": (),
    "table1": (*BASELINE, "beyond"),
}
"""Setups that findings need, by the experiment to which the findings belong."""
