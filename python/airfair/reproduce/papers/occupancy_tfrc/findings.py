"""Findings of the runs of `occupancy-tfrc` of which the paper does not speak."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from airfair.estimate import Estimate, estimate
from airfair.reproduce.paper import Finding, Search
from airfair.reproduce.tables import Cell, Column, Table

from .claims import COUNTED_ONCE, EQ1, RFC5348
from .figures import cells, equal_keys
from .plan import (
    ARF_RIVALS,
    BOTH,
    CONSTANT,
    EQUAL,
    LOSSES,
    MIXTURES,
    MOVES,
    NAMES,
    ON,
    PLAIN,
    PROFILES,
    RATES,
    RIVAL_TRANSPORTS,
    RIVALS,
    SETTINGS,
    SOME_RATES,
    STANDARDS,
    TUNED_MBPS,
    UPLINK,
    WAYS,
    Place,
    beside_constant,
    equal,
    mixture,
    moving,
    noisy,
    rival_place,
    tuned,
    under,
    uplink,
)
from .runs import Measurements, Runs, dropped, flow, percent_more, station

Key = tuple[str, str]


def equality(data: Measurements) -> Finding:
    """Finding on the places where occupancies are the same, and where they are not."""
    told = [
        f"{WAYS[way]}, {name}, {_worst(data, SOME_RATES, keys)}"
        for way in WAYS
        for name, keys in equal_keys(way).items()
    ]
    return Finding(
        "Equal occupancy, up and down, for TFRC and TCP",
        "STA2's occupancy over STA1's with the proposed scheme, where it is furthest from 1: "
        f"{'; '.join(told)}.",
    )


def _ratio(data: Measurements, key: Key) -> Estimate:
    return estimate(data[key].held_ratio())


def _worst(data: Measurements, rates: Sequence[int], keys: Sequence[Key]) -> str:
    """The ratio furthest from 1 and where it is."""
    ratios = dict(zip(rates, (_ratio(data, key) for key in keys), strict=True))
    worst = max(ratios, key=lambda mbps: abs(ratios[mbps].mean - 1))
    return f"{ratios[worst]} at {worst} Mb/s"


def bound(data: Measurements) -> Finding:
    """Finding on Figure 3 where θ does not bound the rate, or where spare time counts once."""
    versions = {"eq. 1": EQ1, "RFC 5348": RFC5348, "once": COUNTED_ONCE}
    keys = {name: [v.proposed(mbps) for mbps in SOME_RATES] for name, v in versions.items()}
    plain = {
        name: [versions[name].plain(mbps) for mbps in SOME_RATES] for name in ("eq. 1", "RFC 5348")
    }
    columns = [
        Column(f"{name}-{what}", f"{name}, {short}", cells(data, keys[name], take, digits))
        for what, short, take, digits in (
            ("ratio", "occ. ratio", Runs.held_ratio, 3),
            ("sta1", "STA1 Mb/s", flow(0), 2),
            ("drops", "drops %", Runs.drops, 3),
        )
        for name in versions
    ]
    columns += [
        Column(f"{name}-plain", f"plain, {name}, STA1 Mb/s", cells(data, plain[name], flow(0)))
        for name in plain
    ]
    told = "; ".join(f"{name} {_worst(data, SOME_RATES, keys[name])}" for name in versions)
    return Finding(
        "Whether θ bounds the rate decides",
        "A receiver says θ/2 in place of what it has received. By eq. 1, and RFC 3448, the sender may send "
        "twice what the last report says: θ. RFC 5348 allows twice the largest report of two round trips: a "
        "grant that came too high is used until two round trips later, the queue overflows, and TFRC's "
        "equation holds back whom it hits. Occupancy of STA2 over STA1's, where it is furthest from 1: "
        f"{told}.",
        [
            Table(
                "bound",
                "Proposed by eq. 1, over RFC 5348, and with spare time counted once",
                [f"{mbps} Mb/s" for mbps in SOME_RATES],
                columns,
            )
        ],
    )


def settings(data: Measurements) -> Finding:
    """Finding on what equal shares depend on, for both kinds of TFRC."""
    keys = {name: [tuned(label, name).key(ON) for label in SETTINGS] for name in PROFILES}
    columns = [
        Column(f"{name}-{what}", f"{name}, {short}", cells(data, here, take, 3))
        for name, here in keys.items()
        for what, short, take in (
            ("ratio", "occ. ratio", Runs.held_ratio),
            ("drops", "drops %", Runs.drops),
        )
    ]
    told = "; ".join(
        f"{label} {_ratio(data, first)} by eq. 1, {_ratio(data, other)} over RFC 5348"
        for label, first, other in zip(SETTINGS, *keys.values(), strict=True)
    )
    return Finding(
        "What is left over is given away twice, and what takes it in",
        "The access point adds what is left of the channel to the shares (eq. 6), a station adds what it "
        "leaves of its share once more (eq. 11). Stations that use a part u of their equal shares are "
        "granted the channel once below u = r, 2 - u times up to u = 2r / (1 + r), where eq. 12 makes "
        "flows unsatisfied, too, and 4 - 3u times from there on: at most 1.33 with r = 0.8 and 1.16 with "
        f"0.9. Occupancy of STA2, at {TUNED_MBPS} Mb/s, over STA1's: {told}.",
        [Table("law", f"Proposed, STA2 at {TUNED_MBPS} Mb/s", list(SETTINGS), columns)],
    )


def unseen(data: Measurements) -> Finding:
    """Why uplink is not equal."""
    places = {label: uplink(label) for label in UPLINK}
    keys = [place.key(ON) for place in places.values()]
    columns = [
        Column(what, short, cells(data, keys, take, 3))
        for what, short, take in (
            ("ratio", "occ. ratio", Runs.held_ratio),
            ("1", "STA1's occ.", station(0)),
            ("2", "STA2's occ.", station(1)),
            ("drops-1", "STA1's drops %", dropped(0)),
            ("drops-2", "STA2's drops %", dropped(1)),
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
    places = {f"{NAMES[t]} {way}": equal(lowest, way, t) for way, t in EQUAL}
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
    return Finding(
        "Noise",
        "Noise on the links of both stations, 54 and 6 Mb/s, spoils frames and beacons; θ has no repetitions "
        f"in it. By the part that is lost, proposed against plain: {_changes(data, places)}.",
        [_schemes(data, "noise", "By the part of frames and beacons that noise spoils", places)],
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
    Search(("fig3", "rfc5348", "once"), bound),
    Search(("law",), settings),
    Search(("transports",), equality),
    Search(("uplink",), unseen),
    Search(("transports",), other_transports),
    Search(("standards",), standards),
    Search(("constant",), constant),
    Search(("mixtures",), mixtures),
    Search(("noise",), noise),
    Search(("moving",), wandering),
    Search(("rivals-down", "rivals-up"), rivals),
)
