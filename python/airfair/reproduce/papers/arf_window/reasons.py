"""Why claims of `arf-window` do not hold, or depend; `docs/arf-window.md` has what found it."""

from __future__ import annotations

from airfair.experiment.claims import Reason

_NEAR_SERVER = (
    "With a nearer server and a longer queue standard TCP bridges the halving of its window, so that there "
    "is nothing to gain, and a window for the least round trip is a little too small. The baseline does not "
    "tell these places apart."
)

REASONS = {
    "away-throughput": (Reason(_NEAR_SERVER),),
    "toward-throughput": (Reason(_NEAR_SERVER),),
    "random-waypoint": (
        Reason(
            "The gain is there where the claim is decided, and half as much again as printed, where the word "
            "“about” ends.",
            of="throughput *",
        ),
    ),
}
