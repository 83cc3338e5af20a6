"""Why claims of `updown-fairness` do not hold; `docs/updown-fairness.md` has what found it."""

from __future__ import annotations

from airfair.experiment.claims import Reason

REASONS = {
    "mt1-dl2ul2": (
        Reason(
            "What gives downlink twice uplink's goodput in dl1-ul1, as printed, gives it that in "
            "dl2-ul2, too. At M_t = 1 a collision loses a packet, and losses keep windows at three to "
            "five segments: a buffer of 20 packets never fills, and Q does not matter. An ideal "
            "channel has 1.28 here, and 0.78 in dl1-ul1. What made the testbed's dl2-ul2 fairer than "
            "its dl1-ul1: not found out yet.",
        ),
    ),
    "mt2-downlink": (
        Reason(
            "True from Q = 100 on. Four uplink flows already overflow a buffer of 50 packets with "
            "their ACKs and downlink's data.",
            of="dl4-ul4, ratio at Q = 50",
        ),
    ),
    "scheduler-1-1": (
        Reason(
            "True in dl1-ul1, and wherever the queue of ACKs does not overflow, that is up to n·W/2 ≤ "
            "Q for n flows with windows of W segments; beyond it lost ACKs let more segments go. "
            "Nothing keeps W small where M_t > 5 mends all losses and windows never bind; with 0.3 % "
            "of the packets lost for good the claim holds.",
        ),
    ),
    "scheduler-no-help-below": (
        Reason(
            "The scheduler does help: at M_t = 2 lost ACKs hold uplink back under FIFO, and a queue "
            "of their own gives it back. At M_t = 1 the access point's queue holds little, and it "
            "helps a little.",
        ),
    ),
}
