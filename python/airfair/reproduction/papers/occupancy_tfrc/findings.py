"""Findings of the runs of `occupancy-tfrc` that the paper does not report."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from airfair.estimate import Estimate, Floats, estimate
from airfair.experiment.conditions import Key
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.series import each
from airfair.reproduction.tables import Column, Table, column

from . import plan
from .claims import COUNTED_ONCE, EQ1, RFC5348
from .figures import DELAY, DROPS, JAIN, MBPS, equal_keys
from .runs import Measurements, OccupancyRuns, Take, dropped, flow, percent_more, station

Places = Mapping[str, plan.SetupPoint]
"""Points by the labels of their rows."""


def _at(setup: str, labels: Sequence[str]) -> Places:
    """Points of a setup that are named by their labels."""
    return {label: plan.SetupPoint(setup, label) for label in labels}


def bound(data: Measurements) -> Found:
    """Finding on Figure 3 if θ does not bound the rate (RFC 5348), or if spare time counts once."""
    versions = {"eq. 1": EQ1, "RFC 5348": RFC5348, "once": COUNTED_ONCE}
    keys = {name: [v.proposed(mbps) for mbps in plan.SOME_RATES] for name, v in versions.items()}
    columns = [
        column(f"{name}, {short}", each(data, keys[name], take), digits)
        for short, take, digits in (
            ("occ. ratio", OccupancyRuns.held_ratio, 3),
            ("STA1 Mb/s", flow(0), 2),
            ("drops %", OccupancyRuns.drops, 3),
        )
        for name in versions
    ]
    for name in ("eq. 1", "RFC 5348"):
        plain = [versions[name].plain(mbps) for mbps in plan.SOME_RATES]
        columns.append(column(f"plain, {name}, STA1 Mb/s", each(data, plain, flow(0)), 2))
    title = "Proposed scheme by eq. 1, with RFC 5348, and with spare time counted once"
    rows = [f"{mbps} Mb/s" for mbps in plan.SOME_RATES]
    return Found(
        {"furthest": [(name, *_furthest(data, keys[name])) for name in versions]},
        [Table("bound", title, rows, columns)],
    )


def settings(data: Measurements) -> Found:
    """Finding on the settings on which equal occupancy depends, for both profiles of TFRC."""
    keys = {
        name: [plan.tuned(label, name).key(plan.ON) for label in plan.SETTINGS]
        for name in plan.PROFILES
    }
    columns = [
        column(f"{name}, {short}", each(data, here, take), 3)
        for name, here in keys.items()
        for short, take in (
            ("occ. ratio", OccupancyRuns.held_ratio),
            ("drops %", OccupancyRuns.drops),
        )
    ]
    ratios = [
        (label, *(_ratio(data, key) for key in both))
        for label, *both in zip(plan.SETTINGS, *keys.values(), strict=True)
    ]
    title = f"Proposed scheme by setting, STA2 at {plan.TUNED_MBPS} Mb/s"
    return Found(
        {"mbps": plan.TUNED_MBPS, "ratios": ratios},
        [Table("law", title, list(plan.SETTINGS), columns)],
    )


def equality(data: Measurements) -> Found:
    """Finding on the directions and transports in which occupancies are equal."""
    furthest = [
        (label, name, *_furthest(data, keys))
        for way, label in plan.WAYS.items()
        for name, keys in equal_keys(way).items()
    ]
    return Found({"furthest": furthest})


def _ratio(data: Measurements, key: Key) -> Estimate:
    return estimate(data[key].held_ratio())


def _furthest(data: Measurements, keys: Sequence[Key]) -> tuple[Estimate, int]:
    """Ratio of occupancies that differs most from 1, and the rate at which it occurs."""
    ratios = dict(zip(plan.SOME_RATES, (_ratio(data, key) for key in keys), strict=True))
    worst = max(ratios, key=lambda mbps: abs(ratios[mbps].mean - 1))
    return ratios[worst], worst


def unseen(data: Measurements) -> Found:
    """Finding on the reasons why occupancies are not equal in uplink."""
    keys = {label: place.key(plan.ON) for label, place in _at("uplink", plan.UPLINK).items()}
    columns = [
        column(short, each(data, [*keys.values()], take), 3)
        for short, take in (
            ("occ. ratio", OccupancyRuns.held_ratio),
            ("STA1's occ.", station(0)),
            ("STA2's occ.", station(1)),
            ("STA1's drops %", dropped(0)),
            ("STA2's drops %", dropped(1)),
        )
    ]
    return Found(
        {"ratios": [(label, _ratio(data, key)) for label, key in keys.items()]},
        [Table("uplink", "Uplink TFRC of stations at 54 and 6 Mb/s", list(keys), columns)],
    )


def _schemes(data: Measurements, id_: str, title: str, places: Places) -> Table:
    """Table of both schemes at some points, by label."""
    columns = [
        _scheme(data, places, scheme, of.short, of.take, of.digits)
        for of in (MBPS, JAIN, DROPS, DELAY)
        for scheme in plan.BOTH
    ]
    return Table(id_, title, list(places), [*columns, _gains(data, places)])


def _scheme(  # noqa: PLR0913, PLR0917 - what a column shows
    data: Measurements, places: Places, scheme: str, short: str, take: Take, digits: int
) -> Column:
    keys = [place.key(scheme) for place in places.values()]
    return column(f"{scheme}, {short}", each(data, keys, take), digits)


def _gains(data: Measurements, places: Places, take: Take = OccupancyRuns.aggregate) -> Column:
    """Column with the gain of the proposed scheme over plain TFRC at each point."""
    pairs = [(data[place.key(plan.PLAIN)], data[place.key(plan.ON)]) for place in places.values()]
    return column("gain %", [percent_more(*pair, take) for pair in pairs], 1)


def _changes(data: Measurements, places: Places) -> Found:
    """Gain in throughput, and Jain's index without and with the scheme, at each point by label."""

    def change(place: plan.SetupPoint) -> tuple[Estimate, ...]:
        plain, proposed = (data[place.key(scheme)] for scheme in plan.BOTH)
        return percent_more(plain, proposed), estimate(plain.jain()), estimate(proposed.jain())

    return Found({"places": [(label, *change(place)) for label, place in places.items()]})


def other_transports(data: Measurements) -> Found:
    """Finding on TCP and on uplink."""
    lowest = plan.RATES[0]
    places = {f"{plan.NAMES[t]} {way}": plan.equal(lowest, way, t) for way, t in plan.EQUAL}
    title = f"Stations at 54 and {lowest} Mb/s, by transport and direction"
    table = _schemes(data, "transports", title, places)
    return Found({"mbps": lowest, **_changes(data, places).numbers}, [table])


def standards(data: Measurements) -> Found:
    """Finding on other standards and RTS/CTS."""
    places = _at("standards", plan.STANDARDS)
    title = "Two stations at the highest and the lowest rate"
    return replace(_changes(data, places), tables=[_schemes(data, "standards", title, places)])


def constant(data: Measurements) -> Found:
    """Finding on TFRC beside a constant rate, to which no scheme applies."""
    places = _at("constant", plan.CONSTANT)

    def tfrc(runs: OccupancyRuns) -> Floats:
        total: Floats = runs.mbps[:, :2].sum(axis=1)
        return total

    columns = [
        _scheme(data, places, scheme, short, take, digits)
        for short, take, digits in (("TFRC Mb/s", tfrc, 2), ("CBR's occ.", station(2), 3))
        for scheme in plan.BOTH
    ]
    fast = [[cell.measured for cell in one.cells] for one in columns[: len(plan.BOTH)]]
    columns += [*_schemes(data, "", "", places).columns[4:6], _gains(data, places, tfrc)]
    title = "TFRC to two stations at 54 Mb/s beside CBR to a station at 6 Mb/s"
    return Found(
        {"sums": list(zip(places, *fast, strict=True))},
        [Table("constant", title, list(places), columns)],
    )


def mixtures(data: Measurements) -> Found:
    """Finding on stations with several flows."""
    places = {label: plan.mixture(label) for label in plan.MIXTURES}
    ratios = [
        (label, *(_ratio(data, place.key(scheme)) for scheme in plan.BOTH))
        for label, place in places.items()
    ]
    table = _schemes(data, "mixtures", "Several flows of a station, at 54 and 6 Mb/s", places)
    columns = [
        _scheme(data, places, scheme, "occ. ratio", OccupancyRuns.held_ratio, 3)
        for scheme in plan.BOTH
    ]
    return Found({"ratios": ratios}, [replace(table, columns=[*table.columns, *columns])])


def noise(data: Measurements) -> Found:
    """Finding on noise in which frames and beacons are lost."""
    places = {loss: plan.SetupPoint("noise", f"{loss} of the frames") for loss in plan.LOSSES}
    title = "Plain and proposed TFRC, by the share of frames and beacons with errors"
    return replace(_changes(data, places), tables=[_schemes(data, "noise", title, places)])


def wandering(data: Measurements) -> Found:
    """Finding on moving stations with ARF, and on the rivals that need ARF."""
    moving = {
        f"{plan.WAYS[way]}, {plan.NAMES[t]}": schemes for (way, t), schemes in plan.MOVES.items()
    }
    places = _at("moving", [*moving])
    runs = {
        f"{label}: {plan.ARF_RIVALS[id_].label}": (
            data[place.key(plan.PLAIN)],
            data[place.key(id_)],
        )
        for label, place in places.items()
        for id_ in moving[label]
    }
    columns = [
        column(of.short, [of.take(one) for _, one in runs.values()], of.digits)
        for of in (MBPS, JAIN, DROPS, DELAY)
    ]
    columns.append(column("gain %", [percent_more(*pair) for pair in runs.values()], 1))
    title = "Four stations with ARF in random waypoint motion"
    return replace(_changes(data, places), tables=[Table("moving", title, list(runs), columns)])


def rivals(data: Measurements) -> Found:
    """Finding on all rivals."""
    places = [_fairest(data, way, t) for way in plan.WAYS for t in plan.RIVAL_TRANSPORTS]
    return Found(
        {"places": places, "rivals": [(rival.label, rival.needs) for rival in plan.RIVALS.values()]}
    )


def _fairest(data: Measurements, way: str, transport: str) -> Mapping[str, object]:
    """Numbers on rivals in a direction: indices of both schemes and of the fairest, and the fastest rival."""
    place = plan.rival_place(way, transport)
    indices = {id_: float(data[place.key(id_)].jain().mean()) for id_ in plan.RIVALS}
    fairest = max(indices, key=indices.__getitem__)
    fastest = max(plan.RIVALS, key=lambda id_: float(data[place.key(id_)].aggregate().mean()))
    return {
        "direction": plan.WAYS[way],
        "place": place.point,
        "plain_index": indices[plan.PLAIN],
        "proposed_index": indices[plan.ON],
        "best_index": indices[fairest],
        "fairest": plan.RIVALS[fairest].label,
        "fastest": plan.RIVALS[fastest].label,
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
