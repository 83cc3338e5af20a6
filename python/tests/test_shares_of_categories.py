"""Tests of schedulers at an access point with packets of several access categories."""

from __future__ import annotations

import pytest

import airfair
from airfair.scenario import load


def down(queue: str, *categories: str) -> dict[str, float]:
    """Goodput of saturated downloads of each category, to a fast and to a slow station [Mb/s]."""
    stations = ("fast", "slow")
    transport = {"kind": "udp", "payload": "1472 B", "rate": "saturated"}
    scenario = load(
        {
            "duration": "4 s",
            "warmup": "1 s",
            "series": "off",
            "bss": {"cell": {"standard": "802.11ax", "ap": {"queue": {"discipline": queue}}}},
            "station": {"fast": {"rate": "he-mcs9x1"}, "slow": {"rate": "he-mcs0x1"}},
            "host": {"host": {"link": {"rate": "1 Gb/s"}}},
            "flow": {
                f"{category.replace(' ', '-')}-{station}": {
                    "from": "host",
                    "to": station,
                    "access_category": category,
                    "transport": transport,
                }
                for category in categories
                for station in stations
            },
        }
    )
    flows = airfair.run(scenario).flows
    return {str(row["flow"]): row["goodput_bps"] / 1e6 for row in flows.to_dicts()}


def ratio(goodput: dict[str, float], category: str) -> float:
    """Goodput of the fast station over that of the slow one, in one category."""
    return goodput[f"{category}-fast"] / goodput[f"{category}-slow"]


def test_an_airtime_scheduler_shares_within_each_category_and_edca_between_them() -> None:
    # With equal airtime, the ratio of fast to slow is the same in each category as with one category.
    alone = ratio(down("airtime", "best effort"), "best-effort")
    both = down("airtime", "best effort", "video")
    assert alone > 10
    assert ratio(both, "best-effort") == pytest.approx(alone, rel=0.1)
    assert ratio(both, "video") == pytest.approx(alone, rel=0.1)
    # Video wins the channel more often, and has most of the air.
    assert both["video-fast"] > 4 * both["best-effort-fast"]


def test_a_regulator_of_time_shares_the_channel_whatever_the_category() -> None:
    """Deviates: [D-150]"""
    alone = ratio(down("time-regulator", "best effort"), "best-effort")
    assert alone > 8
    both = down("time-regulator", "best effort", "video")
    total = {name: both[f"best-effort-{name}"] + both[f"video-{name}"] for name in ("fast", "slow")}
    assert total["fast"] / total["slow"] == pytest.approx(alone, rel=0.15)
