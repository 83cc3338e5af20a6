"""Names of the runs: transports, and readings of what `arf_cwnd` does in arf mode.

The study files declare each of them.
"""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.claims import Readings
from airfair.reproduce import studies

HELD, NEWRENO, ONE_SHOT, CONTINUOUS = "arf_aware", "newreno", "one_shot", "continuous"
SCHEMES: Mapping[str, str] = {
    HELD: "ARF-aware TCP",
    NEWRENO: "NewReno",
    ONE_SHOT: "ARF-aware, one-shot",
    CONTINUOUS: "ARF-aware, continuous",
}
"""Transports under comparison."""
BOTH = (HELD, NEWRENO)

AS_READ = Readings(HELD, near=(CONTINUOUS, ONE_SHOT))
"""The paper does not say what becomes of the cap in arf mode, so all three are as near [D-041]."""
CAPS: Mapping[str, str] = {
    HELD: "the cap held in arf mode",
    CONTINUOUS: "the cap computed anew, continuous",
    ONE_SHOT: "the window reduced once, one-shot",
}
"""Texts of the readings."""

NOTICES: Mapping[str, str] = studies.declared("arf-aware-tcp", "polling")["words"]["notice"]
"""Ways in which TCP learns of the link's rate."""
