"""Why a claim of `arf-aware-tcp` does not hold; `docs/arf-aware-tcp.md` has what found it."""

from __future__ import annotations

from airfair.experiment.claims import Reason

REASONS = {
    "fairness-above-0.9": (
        Reason(
            "Windows are whole segments. With five sessions the slow ones are left with a window of "
            "mostly one segment, and each segment then waits for the receiver's delayed ACK of 100 ms: "
            "the sessions at 1 and 2 Mb/s stay far below their share.",
            of="index in table5",
        ),
    ),
}
