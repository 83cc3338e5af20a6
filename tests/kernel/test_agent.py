"""The agent at an access point whose stations, real mac80211 and TCP, know nothing of it, or have one."""

from dataclasses import replace
from pathlib import Path

import fair
import pytest

CELL = fair.Cell()
"""One fast and one slow station of 802.11g; the server is 10 ms away."""


@pytest.fixture(scope="session")
def there() -> list[str | Path]:
    """Programs of the machine, or a skipped test that says what is missing to build the agent."""
    lacking = fair.missing()
    if lacking:
        pytest.skip("the agent cannot be built: " + ", ".join(lacking))
    return fair.programs()


@pytest.mark.parametrize(("way", "keepers"), [("up", 1), ("down", 0)])
def test_stations_share_the_air_by_the_access_points_agent_and_by_their_own(
    way: str, keepers: int, there: list[str | Path]
) -> None:
    """In one of the machines the slow station has an agent at last, and keeps itself to its share."""
    cell = replace(CELL, keepers=keepers)
    seconds = 3 if keepers else 4
    phases, told = fair.measure(cell, [way], there=there, seconds=seconds)
    without, with_agent = phases["without", way], phases["with", way]
    print(fair.table([phases], cell))
    assert without.fairness <= 0.75
    assert with_agent.fairness >= 0.95
    assert with_agent.total > 1.2 * without.total
    if keepers:
        assert phases["kept", way].fairness >= 0.95
        assert phases["kept", way].total > 1.2 * without.total
        assert any("keeps to its share itself" in line for line in told.lines), told.console
    # mac80211_hwsim is a driver without airtime weights, which is said.
    assert any(line.startswith("weights: ") and "no airtime weights" in line for line in told.lines)
    # What it has decided follows from what it has seen, and it leaves nothing behind.
    replays = [line for line in told.lines if line.endswith("0 differ from the recording.")]
    assert len(replays) == 1 + keepers, told.console
    assert "The agent ends; all its changes are undone." in told.lines
    left = [line for line in told.lines if line.startswith("left: ")]
    assert left
    assert not any("clsact" in line for line in left)
    assert told.lines[-1] == "verdict: valid"
