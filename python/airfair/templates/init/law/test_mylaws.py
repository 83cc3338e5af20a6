"""Tests of the law: `pytest` in this directory runs them."""

from pathlib import Path

import airfair
from mylaws import ShareAir

CELL = Path(__file__).with_name("cell.toml")
LAWS = {"access-point": ShareAir}


def test_the_slow_station_leaves_air_to_the_fast_one():
    """Jain's index of airtime is 1 if both stations use the air equally."""
    plain, own = airfair.run(CELL), airfair.run(CELL, laws=LAWS)
    assert own.fairness["airtime"][0] > plain.fairness["airtime"][0] + 0.2
    assert own.flows["goodput_bps"].sum() > 1.5 * plain.flows["goodput_bps"].sum()


def test_the_same_seed_gives_the_same_run():
    """A law that draws from `node.random()` only, and keeps its state in `self`, gives equal hashes."""
    first, second = (airfair.run(CELL, laws=LAWS, set={"duration": "6 s"}) for _ in range(2))
    assert first.outcomes[0].record_hash == second.outcomes[0].record_hash
