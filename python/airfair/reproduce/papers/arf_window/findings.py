"""What the runs of `arf-window` show and the paper does not say."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from airfair.reproduce.estimate import Estimate, estimate
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .figures import scheme_columns
from .plan import (
    ARF,
    AWAY,
    BACKGROUNDS,
    BELTS,
    CONNECTIONS,
    DECIDING,
    DELAYS_MS,
    FALLS,
    FLAVOURS,
    NEWRENO,
    ONCE,
    QUALNETS_ARF,
    QUEUES,
    RANDOM,
    SCHEMES,
    SLOTS,
    SPEEDS,
    STATIONS,
    SYSTEMS,
    TOWARD,
    WINDOW,
    Place,
    at_middle,
    at_random,
    at_rest,
    beside_background,
    in_grid,
    on_the_way,
    once_key,
    setup_id,
    slot_key,
    with_arf,
    with_connections,
    with_fall,
    with_flavour,
    with_stations,
)
from .runs import Measurements, Runs, gain, gain_over

PRINTED_DROPS = 0.351
"""Standard TCP's in Table I [%]."""
PRINTED_MBPS = 8.44
TRAPPED = 0.06
"""Loss of throughput beyond what any belt costs."""


def network(data: Measurements) -> Finding:
    """Over the server's distance and the access point's queue."""
    places = {(d, q): in_grid(d, q) for d in DELAYS_MS for q in QUEUES}
    gains = {at: gain(data, place) for at, place in places.items()}
    better = [at for at, one in gains.items() if one.low > 0]
    worse = [at for at, one in gains.items() if one.high < 0]
    drops = {at: float(data[p.key(NEWRENO)].drops().mean()) for at, p in places.items()}
    nearest = min(drops, key=lambda at: abs(drops[at] - PRINTED_DROPS))
    there = {scheme: float(data[places[nearest].key(scheme)].drops().mean()) for scheme in SCHEMES}
    least = min(
        (
            float(data[p.key(WINDOW)].drops().mean()) / drops[at]
            for at, p in places.items()
            if drops[at] > 0
        ),
        default=float("nan"),
    )
    title = "Away at 5 m/s: throughput in Mb/s, gain and drop rates in %, by server and queue"
    return Finding(
        "Where the scheme helps, and where not",
        f"Of {len(places)} pairs of a server's delay and a queue, the scheme has more throughput in "
        f"{_listed(better)} and less in {_listed(worse)}; elsewhere the interval contains 0. Drops "
        f"like the {PRINTED_DROPS:g} % of Table I come at {_at(nearest)}: {there[NEWRENO]:.3f} % with "
        f"standard TCP, {there[WINDOW]:.3f} % with the scheme. Nowhere does it avoid more than "
        f"{1 - least:.0%} of the drops: the round trip of eq. 11 contains the wait in the queue, so that "
        "a full queue justifies the window that fills it.",
        [
            Table(
                "network",
                title,
                [_at(at) for at in places],
                scheme_columns(data, list(places.values())),
            )
        ],
    )


def _at(at: tuple[int, int]) -> str:
    delay, packets = at
    return f"{delay} ms, {packets} packets"


def _listed(places: Sequence[tuple[int, int]]) -> str:
    return f"{len(places)} ({'; '.join(map(_at, places))})" if places else "none"


def falls(data: Measurements) -> Finding:
    """One fall of the rate, everything else at rest."""
    places = {mbps: with_fall(mbps) for mbps in FALLS}
    gains = {mbps: gain(data, place) for mbps, place in places.items()}
    lost = [mbps for mbps in FALLS if gains[mbps].high < 0]
    last = places[FALLS[-1]]
    left = float(data[last.key(WINDOW)].throughput().mean())
    had = float(data[last.key(NEWRENO)].throughput().mean())
    return Finding(
        "Each fall of the rate costs twice",
        "Eq. 13 takes the time Δ⁻ that the same data would need at the lower rate from the station's time, "
        "and eq. 8 divides what is left by the time of a segment at that lower rate. A station at rest whose "
        f"rate falls once from 54 Mb/s loses throughput by it if it falls to {_rates(lost)}; at "
        f"{FALLS[-1]} Mb/s it has {left:.2f} Mb/s instead of {had:.2f}. The window stays where it is "
        "until the rate changes again, for only a change is an occasion to compute it.",
        [
            Table(
                "falls",
                "20 s after one fall from 54 Mb/s, no radio: throughput in Mb/s, gain in %",
                [f"to {mbps} Mb/s" for mbps in FALLS],
                scheme_columns(data, list(places.values()))[:3],
            )
        ],
    )


def _rates(rates: Sequence[int]) -> str:
    return f"{rates[0]} Mb/s or less" if rates else "none of these"


def belts(data: Measurements) -> Finding:
    """At rest, in each belt of rates, and what happens at their edges."""
    places = {belt: at_rest(belt) for belt in BELTS}
    gains = {belt: gain(data, place) for belt, place in places.items()}
    worst = min(gains, key=lambda belt: gains[belt].mean)
    away, toward = (_trapped(data, way) for way in (AWAY, TOWARD))
    rows = [f"{metres} m, up to {belt}" for belt, metres in BELTS.items()]
    return Finding(
        "The loss comes from one belt, and from windows that stay small",
        f"A station at rest loses most where {worst} is the highest rate that gets through: "
        f"{_percent(gains[worst])}. There the channel just carries the window; nearer the window is the "
        "limit, and further out the queue is long enough to hide a window that is small for a while. On the "
        "way out the last fall costs more. A probe that fails is no change, so the window of that fall stays "
        f"until frames fail in a row again: {away} of the runs away lose more than {TRAPPED:.0%} of their "
        f"throughput, {toward} of those toward.",
        [
            Table(
                "belts",
                "At rest: throughput in Mb/s, gain in %, by distance and highest rate that gets through",
                rows,
                scheme_columns(data, list(places.values()))[:3],
            )
        ],
    )


def _trapped(data: Measurements, way: str) -> str:
    """Runs that lose more than `TRAPPED`, of all."""
    places = [on_the_way(DECIDING, way, speed) for speed in SPEEDS]
    kept = np.array(
        [data[p.key(WINDOW)].throughput() / data[p.key(NEWRENO)].throughput() for p in places]
    )
    return f"{int((kept < 1 - TRAPPED).sum())} of {kept.size}"


def changes(data: Measurements) -> Finding:
    """ARF that tries less often."""
    places = {QUALNETS_ARF: at_middle(), **{label: with_arf(label) for label in ARF}}
    often = {label: data[p.key(NEWRENO)].rate_changes_per_s for label, p in places.items()}
    gains = [gain(data, place) for place in places.values()]
    first, *_, last = often.values()
    columns = scheme_columns(data, list(places.values()))[:3]
    count = Column("changes", "changes, 1/s", [Cell(estimate(n), digits=2) for n in often.values()])
    return Finding(
        "The more often the rate changes, the shorter a wrong window lasts",
        f"With QualNet's thresholds the rate changes {first.mean():.0f} times in a second, most of them "
        f"probes that fail. The scheme costs {-gains[0].mean:.1f} % then. With {last.mean():.2f} changes in "
        "a second, where the window of a fall stays, it costs "
        f"{-gains[-1].mean:.1f} ± {gains[-1].ci95:.1f} %.",
        [
            Table(
                "changes",
                "Away at 5 m/s: throughput in Mb/s and gain in %, by what lets ARF try the next rate",
                list(places),
                [*columns, count],
            )
        ],
    )


def slots(data: Measurements) -> Finding:
    """Over the paper's unknown T."""
    standard = data[at_middle().key(NEWRENO)]
    runs = {slot: data[slot_key(slot)] for slot in SLOTS}
    gains = {slot: gain_over(standard, one) for slot, one in runs.items()}
    figures = ", ".join(f"{_percent(gains[slot])} with {slot}" for slot in SLOTS)
    return Finding(
        "The length of the observation slot does not decide",
        f"The paper does not give T. Away at 5 m/s the gain is {figures}.",
        [
            Table(
                "slots",
                "Away at 5 m/s: throughput in Mb/s, gain and drop rate in %, by T",
                SLOTS,
                _proposed(list(runs.values()), list(gains.values())),
            )
        ],
    )


def _proposed(runs: Sequence[Runs], gains: Sequence[Estimate]) -> list[Column]:
    """What variants of the scheme have, and gain over standard TCP."""
    rates = [Cell(estimate(one.throughput()), digits=2) for one in runs]
    return [
        Column("throughput", "proposed, Mb/s", rates),
        Column("gain", "gain, %", [Cell(one, digits=2) for one in gains]),
        _drops("drops", "proposed", runs),
    ]


def _drops(id_: str, name: str, runs: Sequence[Runs]) -> Column:
    return Column(id_, f"{name}, drops %", [Cell(estimate(one.drops()), digits=3) for one in runs])


def once(data: Measurements) -> Finding:
    """A fall that counts once."""
    runs = {label: data[once_key(label)] for label in ONCE}
    standard = {label: data[place.key(NEWRENO)] for label, place in ONCE.items()}
    gains = {label: gain_over(standard[label], one) for label, one in runs.items()}
    told = "; ".join(
        f"{label} {_percent(gains[label])} instead of {_percent(gain(data, place))}"
        for label, place in ONCE.items()
    )
    return Finding(
        "If a fall counted once",
        "Without Δ⁻ in eq. 13 a fall is felt through eq. 8 alone. Against standard TCP the scheme then has: "
        f"{told}.",
        [
            Table(
                "once",
                "A fall that counts once: throughput in Mb/s, gain and drop rates in %",
                list(ONCE),
                [
                    *_proposed(list(runs.values()), list(gains.values())),
                    _drops("newreno-drops", "standard", list(standard.values())),
                ],
            )
        ],
    )


def protection(data: Measurements) -> Finding:
    """What the paper's sentence on RTS/CTS can mean."""
    off, on = (
        estimate(data[at_random(name).key(NEWRENO)].throughput()) for name in (DECIDING, "rts")
    )
    both = all(abs(one.mean - PRINTED_MBPS) < one.ci95 for one in (off, on))
    word = "both readings are as near as the runs can tell" if both else "one reading is off"
    return Finding(
        "RTS/CTS: “disabled”, or a threshold of 0",
        "The paper has it both ways. Under random waypoint motion standard TCP has "
        f"{off.mean:.2f} ± {off.ci95:.2f} Mb/s without RTS/CTS and {on.mean:.2f} ± {on.ci95:.2f} with it, "
        f"against {PRINTED_MBPS} printed: {word}. The claims are decided without, by the word “disabled”.",
    )


def many(data: Measurements) -> Finding:
    """Several stations, several connections."""
    stations = {n: with_stations(n) for n in STATIONS}
    connections = {n: with_connections(n) for n in CONNECTIONS}
    places = [*stations.values(), *connections.values()]
    rows = [*(f"{n} stations" for n in STATIONS), *(f"{n} connections" for n in CONNECTIONS)]
    saved = [_saved(data, place) for place in places]
    told = ", ".join(f"{share:.0%} with {row}" for share, row in zip(saved, rows, strict=True))
    gains = ", ".join(f"{_percent(gain(data, p))}" for p in places)
    return Finding(
        "Several stations or connections: fewer drops, no more throughput",
        "Where several windows share the access point's queue it overflows even at 100 packets, and the "
        f"scheme avoids some of its drops: {told}. Throughput changes by {gains}.",
        [
            Table(
                "many",
                "Stations that wander, and connections away at 5 m/s: sums in Mb/s, gain and drop rates in %",
                rows,
                [*scheme_columns(data, places), *_jain(data, places)],
            )
        ],
    )


def _percent(gain: Estimate) -> str:
    return f"{gain.mean:+.1f} ± {gain.ci95:.1f} %"


def _saved(data: Measurements, place: Place) -> float:
    """Part of the drops that the scheme avoids."""
    standard, proposed = (float(data[place.key(s)].drops().mean()) for s in (NEWRENO, WINDOW))
    return 1 - proposed / standard if standard > 0 else 0.0


def _jain(data: Measurements, places: Sequence[Place]) -> list[Column]:
    names = {NEWRENO: "standard", WINDOW: "proposed"}
    return [
        Column(
            f"{scheme}-jain",
            f"{names[scheme]}, Jain's index",
            [Cell(estimate(data[p.key(scheme)].jain()), digits=3) for p in places],
        )
        for scheme in SCHEMES
    ]


def background(data: Measurements) -> Finding:
    """Another station's traffic."""
    places = {id_: beside_background(id_) for id_ in BACKGROUNDS}
    gains = "; ".join(
        f"beside {BACKGROUNDS[id_]} {_percent(gain(data, p))}" for id_, p in places.items()
    )
    names = {NEWRENO: "standard", WINDOW: "proposed"}
    others = [
        Column(
            f"{scheme}-background",
            f"{names[scheme]}, other Mb/s",
            [
                Cell(estimate(data[p.key(scheme)].background_mbps), digits=2)
                for p in places.values()
            ],
        )
        for scheme in SCHEMES
    ]
    return Finding(
        "Beside other traffic",
        f"With a second station near the access point, away at 5 m/s, the scheme's gain is: {gains}.",
        [
            Table(
                "background",
                "Away at 5 m/s beside other traffic: throughput in Mb/s, gain and drop rates in %",
                list(BACKGROUNDS.values()),
                [*scheme_columns(data, list(places.values())), *others],
            )
        ],
    )


def flavours(data: Measurements) -> Finding:
    """Westwood in place of NewReno."""
    places = {label: with_flavour(id_) for id_, label in FLAVOURS.items()}
    first, *rest = places.items()
    base = data[first[1].key(NEWRENO)]
    alone = "; ".join(
        f"{label} without the scheme has {_percent(gain_over(base, data[p.key(NEWRENO)]))} against NewReno"
        for label, p in rest
    )
    with_ = "; ".join(f"{label} {_percent(gain(data, p))}" for label, p in places.items())
    return Finding(
        "Westwood in place of NewReno",
        "Where nothing is lost all are the same; so away at 5 m/s with the near server and 50 packets: "
        f"{alone}. With the scheme each gains: {with_}.",
        [
            Table(
                "flavours",
                "Away at 5 m/s, server at 5 ms, 50 packets: throughput in Mb/s, gain and drop rates in %",
                list(places),
                scheme_columns(data, list(places.values())),
            )
        ],
    )


_WANDERING = tuple(setup_id(system, RANDOM) for system in SYSTEMS)

SEARCHES = (
    Search(("grid",), network),
    Search(("falls",), falls),
    Search(("belts", setup_id(DECIDING, AWAY), setup_id(DECIDING, TOWARD)), belts),
    Search(("arf", "grid"), changes),
    Search(("slots", "grid"), slots),
    Search(("once", "grid", setup_id(DECIDING, RANDOM)), once),
    Search(_WANDERING, protection),
    Search(("stations", "connections"), many),
    Search(("background",), background),
    Search(("flavours",), flavours),
)
