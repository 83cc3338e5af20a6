"""What the runs of `occupancy-tfrc` show and the paper does not say."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.reproduce.estimate import Estimate, estimate
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .cells import NAMES
from .claims import EQUAL
from .figures import cells, equal_keys
from .plan import (
    ARF_RIVALS,
    BESIDE_S,
    BOTH,
    CONSTANT,
    DELAYS_MS,
    HIGHER,
    LOSSES,
    MIXTURES,
    MOVES,
    OBSERVED,
    ON,
    ONCE,
    PATIENCE,
    PLAIN,
    PRINTED_N,
    PRINTED_R,
    QUEUES,
    RATES,
    RIVAL_TRANSPORTS,
    RIVALS,
    SATISFIED,
    SCHEMES,
    SOME_RATES,
    STANDARDS,
    UPLINK,
    WAYS,
    Place,
    beside_constant,
    distant,
    figure3,
    mixture,
    moving,
    noisy,
    once,
    patient,
    queued,
    rival_place,
    setup_id,
    slotted,
    steady,
    tuned,
    under,
    uplink,
)
from .runs import Measurements, Runs, dropped, percent_more, station

Key = tuple[str, str]
WAYS_AND_TRANSPORTS = [(way, transport) for way in WAYS for transport in NAMES]


def equality(data: Measurements) -> Finding:
    """Where occupancies are equal within 5 %, and where not."""
    told = []
    for way in WAYS:
        for name, keys in equal_keys(way).items():
            ratios = dict(zip(RATES, (_ratio(data, key) for key in keys), strict=True))
            worst = max(ratios, key=lambda mbps: abs(ratios[mbps].mean - 1))
            told.append(
                f"{WAYS[way]}, {name}: {_count(list(ratios.values()))} of {len(RATES)}, at worst "
                f"{ratios[worst]} at {worst} Mb/s"
            )
    return Finding(
        f"Equal occupancy within {EQUAL:.0%}: where it holds",
        "Rates of STA2 at which the whole interval of STA2's occupancy over STA1's lies within "
        f"{EQUAL:.0%} of 1, with the proposed scheme: {'; '.join(told)}.",
    )


def _ratio(data: Measurements, key: Key) -> Estimate:
    return estimate(data[key].held_ratio())


def _is_equal(ratio: Estimate) -> bool:
    return ratio.low > 1 - EQUAL and ratio.high < 1 + EQUAL


def _count(ratios: Sequence[Estimate]) -> int:
    return sum(map(_is_equal, ratios))


def counted_once(data: Measurements) -> Finding:
    """Where time that is left counts once."""
    places = [figure3(mbps) for mbps in RATES]
    others = [once(mbps).key(ONCE) for mbps in RATES]
    printed = [place.key(ON) for place in places]
    later = [steady(mbps).key(ON) for mbps in RATES]
    higher = [once(mbps).key(HIGHER) for mbps in RATES]
    fewer = [
        estimate(data[other].drops() - data[key].drops())
        for other, key in zip(others, printed, strict=True)
    ]
    more = [
        percent_more(data[key], data[other]) for other, key in zip(others, printed, strict=True)
    ]
    shares = {mbps: _ratio(data, key) for mbps, key in zip(RATES, others, strict=True)}
    worst = max(shares, key=lambda mbps: abs(shares[mbps].mean - 1))
    return Finding(
        "Time that is left is given away twice",
        "The access point adds what is left of the channel to the shares (eq. 6); the station adds what it "
        "leaves of its share once more (eq. 11). For one flow per station the share is then twice what is "
        "available less what is used, and with two stations the whole loop overshoots by three times any "
        "error. The queue overflows, and whom it has hit is limited by TFRC's equation for a long time. "
        f"If the station counts only what other flows of its own leave, {_count(list(shares.values()))} of "
        f"{len(RATES)} rates are equal within {EQUAL:.0%}, at worst {shares[worst]} at {worst} Mb/s. A "
        "station that counts as unsatisfied only from 0.9 of its share on has the same effect: "
        f"{_count([_ratio(data, key) for key in higher])} of {len(RATES)}.",
        [
            Table(
                "once",
                "Proposed, as printed, with spare time counted once, with r = 0.9; differences in pairs",
                [f"{mbps} Mb/s" for mbps in RATES],
                [
                    Column(
                        "p-ratio", "printed, occ. ratio", cells(data, printed, Runs.held_ratio, 3)
                    ),
                    Column(
                        "l-ratio", "from 100 s, occ. ratio", cells(data, later, Runs.held_ratio, 3)
                    ),
                    Column("o-ratio", "once, occ. ratio", cells(data, others, Runs.held_ratio, 3)),
                    Column(
                        "h-ratio", "r = 0.9, occ. ratio", cells(data, higher, Runs.held_ratio, 3)
                    ),
                    Column("p-drops", "printed, drops %", cells(data, printed, Runs.drops, 3)),
                    Column("o-drops", "once, drops %", cells(data, others, Runs.drops, 3)),
                    Column("h-drops", "r = 0.9, drops %", cells(data, higher, Runs.drops, 3)),
                    Column("fewer", "once, more drops %", [Cell(one, digits=3) for one in fewer]),
                    Column("more", "once, more Mb/s %", [Cell(one, digits=2) for one in more]),
                ],
            )
        ],
    )


def _grid(data: Measurements, id_: str, title: str, rows: Mapping[str, Sequence[Key]]) -> Table:
    """Ratio and drops at some rates, a row per setting."""
    by_rate = list(zip(*rows.values(), strict=True))
    ratios = [
        Column(f"ratio-{mbps}", f"{mbps} Mb/s, occ. ratio", cells(data, keys, Runs.held_ratio, 3))
        for mbps, keys in zip(SOME_RATES, by_rate, strict=True)
    ]
    drops = [
        Column(f"drops-{mbps}", f"{mbps} Mb/s, drops %", cells(data, keys, Runs.drops, 3))
        for mbps, keys in zip(SOME_RATES, by_rate, strict=True)
    ]
    return Table(id_, title, list(rows), [*ratios, *drops])


def _worst(data: Measurements, keys: Sequence[Key]) -> str:
    ratios = dict(zip(SOME_RATES, (_ratio(data, key) for key in keys), strict=True))
    worst = max(ratios, key=lambda mbps: abs(ratios[mbps].mean - 1))
    return f"{ratios[worst]} at {worst} Mb/s"


def unseen(data: Measurements) -> Finding:
    """Why uplink is not equal."""
    places = {label: uplink(label) for label in UPLINK}
    columns = [
        Column(f"{scheme}-{what}", f"{name}, {short}", cells(data, keys, take, digits))
        for scheme, name in ((ON, "printed"), (ONCE, "once"))
        for keys in [[place.key(scheme) for place in places.values()]]
        for what, short, take, digits in (
            ("ratio", "occ. ratio", Runs.held_ratio, 3),
            ("1", "STA1's occ.", station(0), 3),
            ("2", "STA2's occ.", station(1), 3),
            ("drops-1", "STA1's drops %", dropped(0), 3),
            ("drops-2", "STA2's drops %", dropped(1), 3),
        )
    ]
    told = "; ".join(f"{label} {_ratio(data, place.key(ON))}" for label, place in places.items())
    return Finding(
        "What the access point does not see in uplink",
        "Collisions, and back-offs that pass at the same time, are time that the access point takes for "
        "left over and gives away. STA2, slow, takes what it is granted, more than half; STA1 would need "
        "more accesses than DCF gives it, and its queue overflows. Occupancy of STA2, at 6 Mb/s, over "
        f"that of STA1: {told}. RTS/CTS, under which a collision is an RTS, makes both equal.",
        [Table("uplink", "TFRC up, 54 and 6 Mb/s", list(places), columns)],
    )


def queues(data: Measurements) -> Finding:
    """Over the access point's queue."""
    rows = {
        f"{packets} packets": [queued(mbps, packets).key(ON) for mbps in SOME_RATES]
        for packets in QUEUES
    }
    told = "; ".join(f"{label} {_worst(data, keys)}" for label, keys in rows.items())
    return Finding(
        "A longer queue absorbs the overshoot",
        f"Occupancy of STA2 over STA1's, the worst of {', '.join(map(str, SOME_RATES))} Mb/s: {told}. "
        f"Runs are {BESIDE_S} s long, so that the start weighs twice as much as in Figure 3.",
        [_grid(data, "queue", "Proposed, by the access point's queue", rows)],
    )


def delays(data: Measurements) -> Finding:
    """Over the server's distance."""
    rows = {
        f"{delay} ms": [distant(mbps, delay).key(ON) for mbps in SOME_RATES] for delay in DELAYS_MS
    }
    told = "; ".join(f"{label} {_worst(data, keys)}" for label, keys in rows.items())
    return Finding(
        "The longer the round trip, the longer a loss holds a flow back",
        "TFRC's equation asks for fewer losses, by the square of the round trip, at the same rate. "
        f"Occupancy of STA2 over STA1's, the worst of {', '.join(map(str, SOME_RATES))} Mb/s, by the "
        f"server's distance, one way: {told}. Runs are {BESIDE_S} s long.",
        [_grid(data, "delay", "Proposed, by the delay from server to access point", rows)],
    )


def settings(data: Measurements) -> Finding:
    """Over n and r, and with slots that do not overlap."""
    rows = {
        **{f"n = {n}": [tuned(mbps, n).key(ON) for mbps in SOME_RATES] for n in OBSERVED},
        **{
            f"r = {r:g}": [tuned(mbps, satisfied=r).key(ON) for mbps in SOME_RATES]
            for r in SATISFIED
        },
        "one slot of 300 ms": [slotted(mbps).key(ON) for mbps in SOME_RATES],
    }
    told = "; ".join(f"{label} {_worst(data, keys)}" for label, keys in rows.items())
    return Finding(
        "n and r",
        f"The paper has n = {PRINTED_N} and r = {PRINTED_R:g}, found empirically, over slots that overlap. "
        "Stations that use just r of their equal parts are granted 4 - 3r of the channel together, 1.6 at "
        "0.8 and 1.3 at 0.9, against 2 - r if spare time counts once. "
        f"Occupancy of STA2 over STA1's, the worst of {', '.join(map(str, SOME_RATES))} Mb/s: {told}.",
        [_grid(data, "law", "Proposed, by n, by r, and with slots that do not overlap", rows)],
    )


def _schemes(data: Measurements, id_: str, title: str, places: Mapping[str, Place]) -> Table:
    """Both schemes at some places."""
    columns = [
        Column(
            f"{scheme}-{what}",
            f"{scheme}, {short}",
            cells(data, [place.key(scheme) for place in places.values()], take, digits),
        )
        for what, short, take, digits in _WHAT
        for scheme in BOTH
    ]
    return Table(id_, title, list(places), columns)


_WHAT = (
    ("mbps", "Mb/s", Runs.aggregate, 2),
    ("jain", "Jain's index", Runs.jain, 3),
    ("drops", "drops %", Runs.drops, 3),
    ("delay", "p95 ms", Runs.delay, 0),
)


def _changes(data: Measurements, places: Mapping[str, Place]) -> str:
    """Gain and index at each place."""
    return "; ".join(
        f"{label} {_percent(percent_more(data[place.key(PLAIN)], data[place.key(ON)]))} throughput, "
        f"index {data[place.key(PLAIN)].jain().mean():.3f} → {data[place.key(ON)].jain().mean():.3f}"
        for label, place in places.items()
    )


def _percent(gain: Estimate) -> str:
    return f"{gain.mean:+.1f} ± {gain.ci95:.1f} %"


def other_transports(data: Measurements) -> Finding:
    """TCP, and uplink."""
    lowest = RATES[0]
    places = {f"{NAMES[t]} {w}": figure3(lowest, w, t) for w, t in WAYS_AND_TRANSPORTS}
    return Finding(
        "TCP, and uplink",
        f"STA2 at {lowest} Mb/s, proposed against plain: {_changes(data, places)}.",
        [_schemes(data, "transports", f"54 and {lowest} Mb/s, by transport and direction", places)],
    )


def standards(data: Measurements) -> Finding:
    """Other standards, RTS/CTS."""
    places = {label: under(label) for label in STANDARDS}
    return Finding(
        "802.11b and g, and RTS/CTS",
        "The highest and the lowest rate (54 and 6, in 802.11b 11 and 1 Mb/s), proposed against plain: "
        f"{_changes(data, places)}.",
        [_schemes(data, "standards", "Two stations at the highest and the lowest rate", places)],
    )


def constant(data: Measurements) -> Finding:
    """A constant rate nobody controls."""
    places = {f"{rate:g} Mb/s": beside_constant(rate) for rate in CONSTANT}
    fast = [
        [estimate(data[place.key(scheme)].mbps[:, :2].sum(axis=1)) for place in places.values()]
        for scheme in BOTH
    ]
    slow = [
        [estimate(data[place.key(scheme)].occupancy[:, 2]) for place in places.values()]
        for scheme in BOTH
    ]
    columns = [
        Column(f"{scheme}-fast", f"{scheme}, TFRC Mb/s", [Cell(one, digits=2) for one in cells_])
        for scheme, cells_ in zip(BOTH, fast, strict=True)
    ] + [
        Column(f"{scheme}-slow", f"{scheme}, CBR's occ.", [Cell(one, digits=3) for one in cells_])
        for scheme, cells_ in zip(BOTH, slow, strict=True)
    ]
    gains = ", ".join(
        f"{rate} {before.mean:.1f} → {after.mean:.1f} Mb/s"
        for rate, before, after in zip(places, *fast, strict=True)
    )
    return Finding(
        "Beside a constant rate",
        "Two TFRC downloads at 54 Mb/s beside CBR to a station at 6 Mb/s, which nobody controls; TFRC's "
        f"sum without and with the scheme: {gains}. What a satisfied station leaves is not all given away: "
        "eq. 4 to 7 add what is still unused to the equal share and not to what is used, so that the "
        "unsatisfied settle halfway between the equal share and all that there is.",
        [
            Table(
                "constant",
                "CBR to a station at 6 Mb/s beside TFRC to two at 54",
                list(places),
                [*columns, *_schemes(data, "", "", places).columns[4:6]],
            )
        ],
    )


def mixtures(data: Measurements) -> Finding:
    """Several flows of a station."""
    places = {label: mixture(label) for label in MIXTURES}
    ratios = "; ".join(
        f"{label} {_ratio(data, p.key(PLAIN))} → {_ratio(data, p.key(ON))}"
        for label, p in places.items()
    )
    return Finding(
        "Several flows of a station",
        "Stations at 54 and 6 Mb/s, where the share is the station's and not the flow's; occupancy of "
        f"the slow station over the fast one's, plain and proposed: {ratios}.",
        [_schemes(data, "mixtures", "Several flows of a station, at 54 and 6 Mb/s", places)],
    )


def noise(data: Measurements) -> Finding:
    """Noise that spoils beacons, too."""
    places = {f"{loss:.0%}": noisy(loss) for loss in LOSSES}
    ids = [PLAIN, *map(patient, PATIENCE)]
    columns = [
        Column(f"{id_}-{what}", f"{id_}, {short}", cells(data, keys, take, digits))
        for what, short, take, digits in _WHAT[:3]
        for id_ in ids
        for keys in [[place.key(id_) for place in places.values()]]
    ]
    told = "; ".join(
        f"{label} "
        + ", ".join(f"{data[p.key(id_)].jain().mean():.3f} with {id_}" for id_ in ids[1:])
        + f", {data[p.key(PLAIN)].jain().mean():.3f} plain"
        for label, p in places.items()
    )
    return Finding(
        "Beacons that get lost",
        "Noise on the links of both stations, 54 and 6 Mb/s, spoils frames and beacons. A station that "
        "misses more beacons in a row than its patience limits nothing until the next one. Jain's index of "
        f"occupancy, by the part that is lost: {told}.",
        [
            Table(
                "noise",
                "By the part of frames and beacons that noise spoils",
                list(places),
                columns,
            )
        ],
    )


def wandering(data: Measurements) -> Finding:
    """ARF and mobility, with the rivals that need them."""
    keys = {
        f"{moving(way, transport).point}: {ARF_RIVALS[id_].label}": moving(way, transport).key(id_)
        for (way, transport), ids in MOVES.items()
        for id_ in ids
    }
    columns = [
        Column(what, short, cells(data, list(keys.values()), take, digits))
        for what, short, take, digits in _WHAT
    ]
    places = {moving(*at).point: moving(*at) for at in MOVES}
    return Finding(
        "Under ARF, with stations that wander",
        "Four stations, random waypoint up to 10 m/s within 370 m, the radio of arf-window; proposed against "
        f"plain: {_changes(data, places)}. ARF-aware TCP and arf-window work on TCP and on changes of the "
        "rate alone: they have no place in the table of rivals, where rates are fixed.",
        [Table("moving", "Four stations that wander under ARF", list(keys), columns)],
    )


def rivals(data: Measurements) -> Finding:
    """All rivals."""
    told = []
    for way in WAYS:
        for transport in RIVAL_TRANSPORTS:
            place = rival_place(way, transport)
            indices = {id_: float(data[place.key(id_)].jain().mean()) for id_ in RIVALS}
            best = max(indices, key=indices.__getitem__)
            most = max(RIVALS, key=lambda id_: float(data[place.key(id_)].aggregate().mean()))
            told.append(
                f"{WAYS[way]}, {place.point}: index {indices[PLAIN]:.3f} plain, {indices[ON]:.3f} "
                f"proposed, {indices[best]:.3f} with {RIVALS[best].label}; most throughput with "
                f"{RIVALS[most].label}"
            )
    needs = "; ".join(f"{rival.label}: {rival.needs}" for rival in RIVALS.values())
    return Finding(
        "Rivals",
        f"Five stations at 54, 36, 24, 12 and 6 Mb/s. {'. '.join(told)}. TXOP and CWmin are a station's: "
        "an access point has one access function for all that it sends, so they change nothing for "
        f"data down. What each needs changed: {needs}.",
    )


SEARCHES = (
    Search((*(setup_id(*at) for at in WAYS_AND_TRANSPORTS), "once", "once-up"), equality),
    Search(("fig3", "once", "steady"), counted_once),
    Search(("uplink",), unseen),
    Search(("law", "queue"), queues),
    Search(("law", "delay"), delays),
    Search(("law",), settings),
    Search(tuple(setup_id(*at) for at in WAYS_AND_TRANSPORTS), other_transports),
    Search(("standards",), standards),
    Search(("constant",), constant),
    Search(("mixtures",), mixtures),
    Search(("noise",), noise),
    Search(("moving",), wandering),
    Search(("rivals-down", "rivals-up"), rivals),
)

__all__ = ["SCHEMES", "SEARCHES"]
