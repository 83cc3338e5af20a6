"""Findings of the runs of `arf-window` of which the paper does not speak."""

from __future__ import annotations

from collections.abc import Sequence

from airfair.estimate import Estimate
from airfair.reproduce.calibration import Candidate, chosen, ranked, table
from airfair.reproduce.paper import Finding, Json, Search
from airfair.reproduce.tables import Table

from .figures import scheme_columns
from .plan import (
    AWAY,
    BEYOND,
    CANDIDATES,
    DECIDING,
    MIDDLE,
    NEWRENO,
    PAPERS_RUNS,
    PAPERS_WANDERING_S,
    PRINTED,
    PROJECTED,
    READINGS,
    SLOTS,
    SMOOTHED,
    STRAIGHT,
    WANDERING_S,
    WINDOW,
    Place,
    Reading,
    baseline_key,
    beyond,
    in_region,
    needed,
    on_the_way,
    spot_label,
    with_reading,
    with_slot,
)
from .runs import Measurements, Runs, gain

MBPS, DROPS = "Mb/s", "drops, %"


def candidates(printed: Json, data: Measurements) -> list[Candidate]:
    """Places with standard TCP alone, against Table I's row."""
    keys = {spot_label(spot): baseline_key(spot) for spot in CANDIDATES}
    row = printed["standard"]
    return [
        Candidate(
            label,
            {MBPS: data[key].throughput(), DROPS: data[key].drops()},
            {MBPS: row["throughput_mbps"], DROPS: row["drop_percent"]},
            runs=PAPERS_RUNS * PAPERS_WANDERING_S // WANDERING_S,
        )
        for label, key in keys.items()
    ]


def baseline(printed: Json, data: Measurements) -> Finding:
    """Which place the paper's standard TCP points to."""
    all_ = candidates(printed, data)
    here = chosen(all_)
    fit = [one.label for one in ranked(all_) if one.fits and one is not here]
    blind = [one.label for one in all_ if not one.measured[DROPS].any()]
    row = printed["standard"]
    return Finding(
        "Where the server is and what the access point keeps",
        f"The paper says neither. Table I has standard TCP at {row['throughput_mbps']} Mb/s with "
        f"{row['drop_percent']} % of the packets dropped. Of {len(all_)} candidates, run with standard TCP "
        f"alone, the nearest is {here.label}, {100 * here.distance:.1f} % off. As well fit: {_listed(fit)}; "
        f"both figures could be means of the paper's {PAPERS_RUNS} runs there, if these lasted "
        f"{PAPERS_WANDERING_S} s. Nothing at all is dropped with {_listed(blind)}, which decides nothing.",
        [
            table(
                "baseline",
                "Standard TCP, random waypoint, by server and queue",
                all_,
                {MBPS: 2, DROPS: 3},
            )
        ],
    )


def _listed(labels: Sequence[str]) -> str:
    return "; ".join(labels) if labels else "none"


def readings(data: Measurements) -> Finding:
    """Each element of the law's reading apart."""
    gains = {
        reading: [gain(data, with_reading(reading, way)) for way in STRAIGHT]
        for reading in READINGS
    }
    better = [r for r, both in gains.items() if all(one.low > 0 for one in both)]
    all_three = better == [PROJECTED]
    told = (
        "It takes all three: every other combination gains nothing"
        if all_three
        else f"{len(better)} of them gain throughput both ways"
    )
    return Finding(
        "Which reading of the law gains",
        "Eq. 8 divides a connection's time τ by a segment's time at the new rate. As printed τ is what was "
        "measured at the old one, so that a change counts twice: a rise promises more than the slot has, a "
        "fall leaves less than the channel has. The round trip of eq. 11 is the least so far, or a mean that "
        f"contains the wait in the queue. Of all {len(READINGS)} combinations the scheme gains "
        f"{_both(PROJECTED, gains)} with τ projected both ways and the least round trip; "
        f"{_both(SMOOTHED, gains)} with the mean in its place; {_both(PRINTED, gains)} by the "
        f"letter. {told}.",
        [
            Table(
                f"readings-{way}",
                f"{way.capitalize()} at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %; "
                "τ after a rise, after a fall, round trip",
                [f"{r.rise}, {r.fall}, {r.round_trip}" for r in READINGS],
                scheme_columns(data, [with_reading(r, way) for r in READINGS]),
            )
            for way in STRAIGHT
        ],
    )


def _both(reading: Reading, gains: dict[Reading, list[Estimate]]) -> str:
    away, toward = gains[reading]
    return f"{_percent(away)} away and {_percent(toward)} toward"


def region(data: Measurements) -> Finding:
    """The scheme over all candidates."""
    places = {spot_label(spot): in_region(spot) for spot in CANDIDATES}
    gains = {at: gain(data, place) for at, place in places.items()}
    better = [f"{at} ({_percent(one)})" for at, one in gains.items() if one.low > 0]
    worse = [f"{at} ({_percent(one)})" for at, one in gains.items() if one.high < 0]
    return Finding(
        "Where the scheme gains, and where not",
        f"Away at {MIDDLE} m/s, of {len(places)} places the scheme has more throughput at {len(better)}: "
        f"{_listed(better)}; and less at {len(worse)}: {_listed(worse)}. Elsewhere the interval contains 0.",
        [
            Table(
                "region",
                f"Away at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by server and queue",
                list(places),
                scheme_columns(data, list(places.values())),
            )
        ],
    )


def slots(data: Measurements) -> Finding:
    """Over the paper's unknown T."""
    here = on_the_way(DECIDING, AWAY, MIDDLE)
    places: dict[str, Place] = {SLOTS[0]: with_slot(SLOTS[0]), "300 ms": here}
    places |= {slot: with_slot(slot) for slot in SLOTS[1:]}
    told = ", ".join(f"{_percent(gain(data, place))} with {slot}" for slot, place in places.items())
    return Finding(
        "The length of the observation slot",
        f"The paper does not give T. Away at {MIDDLE} m/s the gain is {told}.",
        [
            Table(
                "slots",
                f"Away at {MIDDLE} m/s: throughput in Mb/s, gain and drop rates in %, by T",
                list(places),
                scheme_columns(data, list(places.values())),
            )
        ],
    )


def later(data: Measurements) -> Finding:
    """Finding on what the paper leaves for later."""
    places = {id_: beyond(id_) for id_ in BEYOND}
    told = "; ".join(
        f"{id_} {_percent(gain(data, p))}, drops {_mean_drops(data, p)}"
        for id_, p in places.items()
    )
    return Finding(
        "More stations, more connections, Westwood",
        f"The paper leaves these for later. At the place where claims are decided the scheme gains: {told}.",
        [
            Table(
                "beyond",
                "Sums in Mb/s, gain and drop rates in %",
                list(places),
                scheme_columns(data, list(places.values())),
            )
        ],
    )


def _mean_drops(data: Measurements, place: Place) -> str:
    before, after = (float(Runs.drops(data[place.key(s)]).mean()) for s in (NEWRENO, WINDOW))
    return f"{before:.2f} → {after:.2f} %"


def _percent(gain: Estimate) -> str:
    return f"{gain.mean:+.1f} ± {gain.ci95:.1f} %"


def _setups(places: Sequence[Place]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(setup for place in places for setup, _ in place.keys_of_both))


BASELINE = ("candidates",)
"""Setups with all candidates."""

_READINGS = [with_reading(reading, way) for reading in READINGS for way in STRAIGHT]
_REGION = [in_region(spot) for spot in CANDIDATES]

SEARCHES = (
    Search(_setups(_READINGS), readings),
    Search(_setups(_REGION), region),
    Search(("slots", *needed(DECIDING, AWAY)), slots),
    Search(("beyond",), later),
)
FOUND_WITH = {
    "fig4": tuple(dict.fromkeys([*_setups(_READINGS), *_setups(_REGION), "slots"])),
    "fig5": (),
    "table1": (*BASELINE, "beyond"),
}
"""Setups of findings, with the experiment that they belong to."""
