"""Names of the variants: transports, and readings of what `arf_cwnd` does in arf mode.

The study files of the paper declare each variant.
"""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.claims import Readings
from airfair.reproduction import studies

PRINTED = studies.printed("arf-aware-tcp")

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
"""Readings of the scheme, all near: the paper does not state how the cap changes in arf mode [D-041]."""
CAPS: Mapping[str, str] = {
    HELD: "the cap held in arf mode",
    CONTINUOUS: "the cap computed anew, continuous",
    ONE_SHOT: "the window reduced once, one-shot",
}
"""Text of each reading for reports."""

NOTICES: Mapping[str, str] = studies.declared("arf-aware-tcp", "polling")["words"]["notice"]
"""Texts for the ways in which TCP learns the link rate, by variant."""
