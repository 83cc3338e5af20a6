"""Findings of the runs of `occupancy-tfrc` that the paper does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airfair.estimate import Estimate, Floats, estimate
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Column, Table, TableCell

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
    SetupPoint,
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
from .runs import Measurements, OccupancyRuns, Take, dropped, flow, percent_more, station

Key = tuple[str, str]


def bound(data: Measurements) -> Found:
    """Finding on Figure 3 if θ does not bound the rate (RFC 5348), or if spare time counts once."""
    versions = {"eq. 1": EQ1, "RFC 5348": RFC5348, "once": COUNTED_ONCE}
    keys = {name: [v.proposed(mbps) for mbps in SOME_RATES] for name, v in versions.items()}
    plain = {
        name: [versions[name].plain(mbps) for mbps in SOME_RATES] for name in ("eq. 1", "RFC 5348")
    }
    columns = [
        Column(f"{name}-{what}", f"{name}, {short}", cells(data, keys[name], take, digits))
        for what, short, take, digits in (
            ("ratio", "occ. ratio", OccupancyRuns.held_ratio, 3),
            ("sta1", "STA1 Mb/s", flow(0), 2),
            ("drops", "drops %", OccupancyRuns.drops, 3),
        )
        for name in versions
    ]
    columns += [
        Column(f"{name}-plain", f"plain, {name}, STA1 Mb/s", cells(data, plain[name], flow(0)))
        for name in plain
    ]
    title = "Proposed scheme by eq. 1, with RFC 5348, and with spare time counted once"
    rows = [f"{mbps} Mb/s" for mbps in SOME_RATES]
    return Found(
        {"furthest": [(name, *_furthest(data, SOME_RATES, keys[name])) for name in versions]},
        [Table("bound", title, rows, columns)],
    )


def settings(data: Measurements) -> Found:
    """Finding on the settings on which equal occupancy depends, for both profiles of TFRC."""
    keys = {name: [tuned(label, name).key(ON) for label in SETTINGS] for name in PROFILES}
    columns = [
        Column(f"{name}-{what}", f"{name}, {short}", cells(data, here, take, 3))
        for name, here in keys.items()
        for what, short, take in (
            ("ratio", "occ. ratio", OccupancyRuns.held_ratio),
            ("drops", "drops %", OccupancyRuns.drops),
        )
    ]
    ratios = [
        (label, *(_ratio(data, key) for key in both))
        for label, *both in zip(SETTINGS, *keys.values(), strict=True)
    ]
    return Found(
        {"mbps": TUNED_MBPS, "ratios": ratios},
        [
            Table(
                "law",
                f"Proposed scheme by setting, STA2 at {TUNED_MBPS} Mb/s",
                list(SETTINGS),
                columns,
            )
        ],
    )


def equality(data: Measurements) -> Found:
    """Finding on the directions and transports in which occupancies are equal."""
    furthest = [
        (WAYS[way], name, *_furthest(data, SOME_RATES, keys))
        for way in WAYS
        for name, keys in equal_keys(way).items()
    ]
    return Found({"furthest": furthest})


def _ratio(data: Measurements, key: Key) -> Estimate:
    return estimate(data[key].held_ratio())


def _furthest(
    data: Measurements, rates: Sequence[int], keys: Sequence[Key]
) -> tuple[Estimate, int]:
    """Ratio of occupancies that differs most from 1, and the rate at which it occurs."""
    ratios = dict(zip(rates, (_ratio(data, key) for key in keys), strict=True))
    worst = max(ratios, key=lambda mbps: abs(ratios[mbps].mean - 1))
    return ratios[worst], worst


def unseen(data: Measurements) -> Found:
    """Finding on the reasons why occupancies are not equal in uplink."""
    keys = {label: uplink(label).key(ON) for label in UPLINK}
    columns = [
        Column(what, short, cells(data, list(keys.values()), take, 3))
        for what, short, take in (
            ("ratio", "occ. ratio", OccupancyRuns.held_ratio),
            ("1", "STA1's occ.", station(0)),
            ("2", "STA2's occ.", station(1)),
            ("drops-1", "STA1's drops %", dropped(0)),
            ("drops-2", "STA2's drops %", dropped(1)),
        )
    ]
    return Found(
        {"ratios": [(label, _ratio(data, key)) for label, key in keys.items()]},
        [Table("uplink", "Uplink TFRC of stations at 54 and 6 Mb/s", list(keys), columns)],
    )


def _schemes(data: Measurements, id_: str, title: str, places: Mapping[str, SetupPoint]) -> Table:
    """Table of both schemes at some points, by label."""
    columns = [
        Column(
            f"{scheme}-{what}",
            f"{scheme}, {short}",
            cells(data, [place.key(scheme) for place in places.values()], take, digits),
        )
        for what, short, take, digits in _WHAT
        for scheme in BOTH
    ]
    return Table(id_, title, list(places), [*columns, _gains(data, places)])


def _gains(
    data: Measurements, places: Mapping[str, SetupPoint], take: Take = OccupancyRuns.aggregate
) -> Column:
    """Column with the gain of the proposed scheme over plain TFRC at each point."""
    pairs = [(data[place.key(PLAIN)], data[place.key(ON)]) for place in places.values()]
    return Column(
        "gain", "gain %", [TableCell(percent_more(*pair, take), digits=1) for pair in pairs]
    )


_WHAT = (
    ("mbps", "Mb/s", OccupancyRuns.aggregate, 2),
    ("jain", "Jain's index", OccupancyRuns.jain, 3),
    ("drops", "drops %", OccupancyRuns.drops, 3),
    ("delay", "p95 ms", OccupancyRuns.delay, 0),
)


def _changes(
    data: Measurements, places: Mapping[str, SetupPoint]
) -> list[tuple[str, Estimate, Estimate, Estimate]]:
    """Gain in throughput, and Jain's index without and with the scheme, at each point by label."""

    def change(place: SetupPoint) -> tuple[Estimate, Estimate, Estimate]:
        plain, proposed = (data[place.key(scheme)] for scheme in (PLAIN, ON))
        return percent_more(plain, proposed), estimate(plain.jain()), estimate(proposed.jain())

    return [(label, *change(place)) for label, place in places.items()]


def other_transports(data: Measurements) -> Found:
    """Finding on TCP and on uplink."""
    lowest = RATES[0]
    places = {f"{NAMES[t]} {way}": equal(lowest, way, t) for way, t in EQUAL}
    title = f"Stations at 54 and {lowest} Mb/s, by transport and direction"
    return Found(
        {"mbps": lowest, "places": _changes(data, places)},
        [_schemes(data, "transports", title, places)],
    )


def standards(data: Measurements) -> Found:
    """Finding on other standards and RTS/CTS."""
    places = {label: under(label) for label in STANDARDS}
    title = "Two stations at the highest and the lowest rate"
    return Found({"places": _changes(data, places)}, [_schemes(data, "standards", title, places)])


def constant(data: Measurements) -> Found:
    """Finding on TFRC beside a constant rate, to which no scheme applies."""
    places = {f"{rate:g} Mb/s": beside_constant(rate) for rate in CONSTANT}

    def tfrc(runs: OccupancyRuns) -> Floats:
        total: Floats = runs.mbps[:, :2].sum(axis=1)
        return total

    fast = [
        [estimate(tfrc(data[place.key(scheme)])) for place in places.values()] for scheme in BOTH
    ]
    slow = [
        [estimate(data[place.key(scheme)].occupancy[:, 2]) for place in places.values()]
        for scheme in BOTH
    ]
    columns = [
        Column(
            f"{scheme}-fast", f"{scheme}, TFRC Mb/s", [TableCell(one, digits=2) for one in cells_]
        )
        for scheme, cells_ in zip(BOTH, fast, strict=True)
    ] + [
        Column(
            f"{scheme}-slow", f"{scheme}, CBR's occ.", [TableCell(one, digits=3) for one in cells_]
        )
        for scheme, cells_ in zip(BOTH, slow, strict=True)
    ]
    columns += [*_schemes(data, "", "", places).columns[4:6], _gains(data, places, tfrc)]
    title = "TFRC to two stations at 54 Mb/s beside CBR to a station at 6 Mb/s"
    return Found(
        {"sums": list(zip(places, *fast, strict=True))},
        [Table("constant", title, list(places), columns)],
    )


def mixtures(data: Measurements) -> Found:
    """Finding on stations with several flows."""
    places = {label: mixture(label) for label in MIXTURES}
    ratios = [
        (label, *(_ratio(data, place.key(scheme)) for scheme in (PLAIN, ON)))
        for label, place in places.items()
    ]
    title = "Several flows of a station, at 54 and 6 Mb/s"
    table = _schemes(data, "mixtures", title, places)
    columns = [
        Column(
            f"{scheme}-ratio",
            f"{scheme}, occ. ratio",
            cells(
                data, [place.key(scheme) for place in places.values()], OccupancyRuns.held_ratio, 3
            ),
        )
        for scheme in BOTH
    ]
    return Found({"ratios": ratios}, [replace(table, columns=[*table.columns, *columns])])


def noise(data: Measurements) -> Found:
    """Finding on noise in which frames and beacons are lost."""
    places = {f"{loss:.0%}": noisy(loss) for loss in LOSSES}
    title = "Plain and proposed TFRC, by the share of frames and beacons with errors"
    return Found({"places": _changes(data, places)}, [_schemes(data, "noise", title, places)])


def wandering(data: Measurements) -> Found:
    """Finding on moving stations with ARF, and on the rivals that need ARF."""
    keys = {
        f"{moving(way, transport).point}: {ARF_RIVALS[id_].label}": moving(way, transport).key(id_)
        for (way, transport), ids in MOVES.items()
        for id_ in ids
    }
    columns = [
        Column(what, short, cells(data, list(keys.values()), take, digits))
        for what, short, take, digits in _WHAT
    ]
    plain = [data[moving(*at).key(PLAIN)] for at, ids in MOVES.items() for _ in ids]
    gains = [
        percent_more(*pair)
        for pair in zip(plain, [data[key] for key in keys.values()], strict=True)
    ]
    columns.append(Column("gain", "gain %", [TableCell(gain, digits=1) for gain in gains]))
    places = {moving(*at).point: moving(*at) for at in MOVES}
    return Found(
        {"places": _changes(data, places)},
        [Table("moving", "Four stations with ARF in random waypoint motion", list(keys), columns)],
    )


def rivals(data: Measurements) -> Found:
    """Finding on all rivals."""
    places = [_fairest(data, way, t) for way in WAYS for t in RIVAL_TRANSPORTS]
    return Found(
        {"places": places, "rivals": [(rival.label, rival.needs) for rival in RIVALS.values()]}
    )


def _fairest(data: Measurements, way: str, transport: str) -> Mapping[str, object]:
    """Numbers on rivals in a direction: indices of both schemes and of the fairest, and the fastest rival."""
    place = rival_place(way, transport)
    indices = {id_: float(data[place.key(id_)].jain().mean()) for id_ in RIVALS}
    fairest = max(indices, key=indices.__getitem__)
    fastest = max(RIVALS, key=lambda id_: float(data[place.key(id_)].aggregate().mean()))
    return {
        "direction": WAYS[way],
        "place": place.point,
        "plain_index": indices[PLAIN],
        "proposed_index": indices[ON],
        "best_index": indices[fairest],
        "fairest": RIVALS[fairest].label,
        "fastest": RIVALS[fastest].label,
    }


SEARCHES = (
    Search("bound", ("fig3", "rfc5348", "once"), bound),
    Search("settings", ("law",), settings),
    Search("equality", ("transports",), equality),
    Search("unseen", ("uplink",), unseen),
    Search("transports", ("transports",), other_transports),
    Search("standards", ("standards",), standards),
    Search("constant", ("constant",), constant),
    Search("mixtures", ("mixtures",), mixtures),
    Search("noise", ("noise",), noise),
    Search("moving", ("moving",), wandering),
    Search("rivals", ("rivals-down", "rivals-up"), rivals),
)
