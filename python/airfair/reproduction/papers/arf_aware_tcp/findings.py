"""Findings of the runs of `arf-aware-tcp` that the paper does not report."""

from __future__ import annotations

from airfair.reproduction.paper import Found, Search
from airfair.reproduction.tables import Table, column

from .plan import NOTICES
from .runs import ArfAwareRuns, Measurements


def polling(data: Measurements) -> Found:
    """Finding on Table 1 if TCP learns the link rate later."""
    runs = {label: data["polling", id_] for id_, label in NOTICES.items()}
    columns = [
        column(f"session {i + 1}, kb/s", [one.throughput_kbps[:, i] for one in runs.values()], 0)
        for i in range(2)
    ]
    total = [float(one.aggregate_kbps().mean()) for one in runs.values()]
    title = "Throughput of Table 1, by the way in which TCP learns the link’s rate"
    return Found(
        {"at_once": total[0], "soon": total[2], "late": total[3]},
        [Table("polling", title, list(runs), columns)],
    )


SEARCHES: tuple[Search[ArfAwareRuns], ...] = (
    Search("one-hop", ("table1", "table1-one-hop")),
    Search("slow-relay", ("table3", "table3-slow-relay")),
    Search("readings", ("table1",)),
    Search("polling", ("polling",), polling),
)
