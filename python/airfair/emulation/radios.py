"""Simulated medium for the radios that the kernel simulates (mac80211_hwsim)."""

from __future__ import annotations

import sys
import time

from airfair import _core

from .session import POLL_S, STEP_S, say


def run(scenario: _core.Scenario, duration_ns: int | None) -> int:
    """Simulate the medium for `duration_ns` or until Ctrl-C, and print a line per second; return 0.

    Raises `OSError` if the radios cannot be used.
    """
    medium = _core.Radios(scenario, seed=scenario.seed, duration_ns=duration_ns)
    for radio, member in medium.members:
        say(f"radio {radio} is {member}")
    next_step = time.monotonic() + STEP_S
    try:
        while not medium.is_over:
            time.sleep(POLL_S)
            if time.monotonic() >= next_step:
                next_step += STEP_S
                say(medium.line())
    except KeyboardInterrupt:
        pass
    sys.stdout.write(medium.end() + "\n")
    return 0
