"""Findings of the runs of `tfrc-friendliness` that the paper does not report."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from airfair.estimate import Estimate, Floats
from airfair.reproduction.calibration import Candidate, chosen, table
from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from . import plan
from .claims import relative
from .runs import Measurements

TOTAL = "all, Mb/s"
FIG5 = plan.PRINTED["fig5"]
"""Printed values of Figure 5."""


def candidates(data: Measurements, places: Iterable[str] = plan.CANDIDATES) -> dict[str, Candidate]:
    """Candidates of the calibration: receivers and channels, each compared with the total of Figure 5."""
    tcp, tfrc = FIG5["tcp_reno_each_kBps"], FIG5["tfrc_kBps"]
    total = {TOTAL: (plan.MIXED[0] * tcp + plan.MIXED[1] * tfrc) * 8 / 1e3}
    return {
        place: Candidate(plan.told(place), {TOTAL: data["calibration", place].total_mbps()}, total)
        for place in places
    }


def calibration(data: Measurements) -> Found:
    """Finding that chooses the receiver and channel with which claims on the testbed are decided."""
    found = candidates(data)
    all_ = list(found.values())
    of = chosen(all_)
    fitting = [place for place, one in found.items() if of.role(one) != "beside"]

    def timeouts(place: str) -> float:
        return float(data["calibration", place].timeouts_per_minute().mean())

    numbers = {
        "candidates": len(found),
        "decides": plan.told(plan.DECIDES),
        "near": [plan.VARIANTS[place] for place in plan.NEAR],
        "as_planned": of.decides is found[plan.DECIDES]
        and {*fitting} == {plan.DECIDES, *plan.NEAR},
        "fitting": [plan.told(place) for place in fitting],
        "ideal_mbps": float(found[plan.IDEAL].measured[TOTAL].mean()),
        "ideal_timeouts": timeouts(plan.IDEAL),
        "timeouts": timeouts(plan.DECIDES),
        "near_timeouts": [timeouts(place) for place in plan.NEAR],
    }
    return Found(numbers, [_table(found, data)], all_)


def _table(found: Mapping[str, Candidate], data: Measurements) -> Table:
    """Table of candidates by distance; its last columns have quantities that do not affect the choice."""
    order = sorted(found, key=lambda place: found[place].distance)
    runs = [data["calibration", place] for place in order]
    tcp, tfrc = ([FIG5[key]] * len(runs) for key in ("tcp_reno_each_kBps", "tfrc_kBps"))
    more = [
        column("Reno, kB/s", [one.mean(tfrc=False) for one in runs], 1, tcp),
        column("TFRC, kB/s", [one.mean(tfrc=True) for one in runs], 1, tfrc),
        column("time-outs/min", [one.timeouts_per_minute() for one in runs], 1),
    ]
    title = "Three Reno flows and one TFRC by receiver and channel, beside Figure 5"
    made = table("calibration", title, list(found.values()), {TOTAL: 2})
    return replace(made, columns=[*made.columns, *more])


def buffers(data: Measurements) -> Found:
    """Finding on the length of the access point's queue at 5/5 and 10/10."""

    def index(pair: tuple[int, int], packets: int) -> Floats:
        return data[plan.queues(*pair), str(packets)].index()

    def goes(packets: int) -> Mapping[str, float]:
        few, many = (float(index(pair, packets).mean()) for pair in plan.HELD)
        return {"packets": packets, "few": few, "many": many}

    columns = [
        column(f"{q} packets", [index(pair, q) for pair in plan.HELD], 3) for q in plan.QUEUES
    ]
    title = "Index of TFRC beside TCP SACK, by the capacity of the access point's queue in packets"
    return Found(
        {"shortest": goes(plan.QUEUES[0]), "longest": goes(plan.QUEUES[-1])},
        [Table("queues", title, [f"{tcp}/{tfrc}" for tcp, tfrc in plan.HELD], columns)],
    )


def settings(data: Measurements) -> Found:
    """Finding on settings that the paper leaves open."""
    places = [(flavour, pair) for flavour in plan.FLAVOURS for pair in plan.VARIED]
    columns = [
        column(
            f"{plan.FLAVOURS[flavour]}, {pair[0]}/{pair[1]}",
            [data[plan.varied(flavour, *pair), id_].index() for id_ in plan.OPEN],
            3,
        )
        for flavour, pair in places
    ]
    means = {
        label: data[plan.varied("reno", *plan.VARIED[-1]), id_].index().mean()
        for id_, (label, _) in plan.OPEN.items()
    }
    least, most = min(means, key=means.__getitem__), max(means, key=means.__getitem__)
    rows = [label for label, _ in plan.OPEN.values()]
    return Found(
        {
            "channel": plan.VARIANTS[plan.DECIDES],
            "least": means[least],
            "least_with": least,
            "most": means[most],
            "most_with": most,
        },
        [Table("settings", "Index of TFRC by open settings", rows, columns)],
    )


def sizes(data: Measurements) -> Found:
    """Finding on TFRC beside NewReno over a drop-tail queue, by the size of TFRC's packets."""

    def ratio(octets: str) -> Estimate:
        return relative(data["sizes", octets], "newreno")

    ratios = {octets: ratio(octets) for octets in plan.SIZES}
    least, most = (find(plan.SIZES, key=lambda octets: ratios[octets].mean) for find in (min, max))
    title = "Throughput of TFRC divided by NewReno’s in Figure 8, by the size of TFRC’s packets"
    return Found(
        {
            "sizes": len(plan.SIZES),
            "least": ratios[least].mean,
            "least_at": least,
            "most": ratios[most].mean,
            "most_at": most,
            "papers": ratios[plan.PAPERS_SIZE].mean,
            "papers_size": plan.PAPERS_SIZE,
        },
        [
            Table(
                "sizes",
                title,
                [f"{octets} octets" for octets in plan.SIZES],
                [column("TFRC / NewReno", ratios.values(), 2)],
            )
        ],
    )


SEARCHES = (
    Search("buffers", ("queues-*",), buffers),
    Search("settings", ("varied-*",), settings),
    Search("sizes", ("sizes",), sizes),
)
