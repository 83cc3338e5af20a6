"""Tests of the agent at an access point and at a station, with the kernel's mac80211 and TCP."""

from dataclasses import replace
from pathlib import Path

import fair
import pytest

CELL = fair.Cell(scheme="occupancy")
"""One fast and one slow station of 802.11g; the wire to the server has a delay of 10 ms."""


@pytest.fixture(scope="session")
def there() -> list[str | Path]:
    """Return the programs of the machine. Skips the test if the agent cannot be built."""
    lacking = fair.missing()
    if lacking:
        pytest.skip("the agent cannot be built: " + ", ".join(lacking))
    return fair.programs()


@pytest.mark.parametrize(("way", "keepers"), [("up", 1), ("down", 0)])
def test_stations_share_the_air_by_the_access_points_agent_and_by_their_own(
    way: str, keepers: int, there: list[str | Path]
) -> None:
    """The agent at the access point raises fairness, also when the slow station keeps to its share itself."""
    cell = replace(CELL, keepers=keepers, seconds=3 if keepers else 4)
    phases, output = fair.measure(cell, [way], there=there)
    without, with_agent = phases["without", way], phases["with", way]
    print(fair.table([phases], cell))
    assert without.fairness <= 0.75
    assert with_agent.fairness >= 0.95
    assert with_agent.total > 1.2 * without.total
    if keepers:
        assert phases["kept", way].fairness >= 0.95
        assert phases["kept", way].total > 1.2 * without.total
        assert any("limits itself to its share" in line for line in output.lines), output.console
    # The agent reports that the driver mac80211_hwsim has no airtime weights.
    assert any(
        line.startswith("weights: ") and "no airtime weights" in line for line in output.lines
    )
    # A replay of the recording yields the same decisions, and the agent leaves no qdisc behind.
    replays = [line for line in output.lines if line.endswith("0 differ from the recording.")]
    assert len(replays) == 1 + keepers, output.console
    assert "The agent ends; all its changes are undone." in output.lines
    left = [line for line in output.lines if line.startswith("left: ")]
    assert left
    assert not any("clsact" in line for line in left)
    assert output.lines[-1] == "verdict: valid"


@pytest.mark.parametrize("way", ["up", "down"])
def test_an_access_point_is_fair_alone(way: str, there: list[str | Path]) -> None:
    """The scheme `fair` makes airtime equal in both directions, and leaves nothing behind."""
    cell = replace(CELL, scheme="fair", seconds=4)
    phases, output = fair.measure(cell, [way], there=there)
    without, with_agent = phases["without", way], phases["with", way]
    print(fair.table([phases], cell))
    assert without.fairness <= 0.75
    assert with_agent.fairness >= 0.95
    assert with_agent.total > 1.5 * without.total
    assert any(line.endswith("0 differ from the recording.") for line in output.lines)
    assert "The agent ends; all its changes are undone." in output.lines
    assert not any("clsact" in line for line in output.lines if line.startswith("left: "))
    assert output.lines[-1] == "verdict: valid"
