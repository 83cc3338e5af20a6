"""Why claims of `updown-fairness` do not hold; `docs/updown-fairness.md` has what found it."""

from __future__ import annotations

from airfair.reproduce.claims import Reason

REASONS = {
    "mt1-dl2ul2": (
        Reason(
            "At M_t = 1 a collision loses a packet, and collisions alone decide: they keep windows at "
            "three to five segments, so a buffer of 20 packets never fills and Q hardly matters. What "
            "made the ratio 1 in the testbed (capture, a weaker transmitter?): not found out yet.",
        ),
    ),
    "mt1-dl4ul4": (
        Reason(
            "At Q = 10 both get nearly the same, which 5 replications cannot tell from equal; with 60 the "
            "ratio there is 1.021 ± 0.008, and the claim holds.",
            of="least ratio at any Q",
        ),
    ),
    "mt2-downlink": (
        Reason(
            "True from Q = 100 on. Four uplink flows already overflow a buffer of 50 packets.",
            of="dl4-ul4, least ratio*",
        ),
    ),
    "reversal": (
        Reason(
            "At M_t = 1 collisions alone decide, and one station, which contends with few, loses less "
            "than the access point, which contends with all. What hit the testbed's stations more, "
            "capture or a weaker transmitter: not found out yet; nor why the reversal comes at M_t = 3 "
            "here.",
            of="least ratio at M_t = 1 to 3",
        ),
    ),
    "uplink-loss-falls": (
        Reason(
            "It falls from 8.8 to 0.16 % by M_t = 4; the next step is too small for 5 replications. With "
            "60 it is -0.034 ± 0.015 %, and the claim holds there too.",
            of="loss at M_t = 5*",
        ),
    ),
    "scheduler-1-1": (
        Reason(
            "True within 1 % as long as the queue of ACKs does not overflow, that is up to n·W/2 ≤ Q for "
            "n flows with windows of W segments; beyond it lost ACKs let more segments go. Nothing keeps "
            "W small on an ideal channel with windows of 1 MB; with 0.3 % of the packets lost for good "
            "the claim holds.",
        ),
    ),
    "scheduler-no-help-below": (
        Reason(
            "True at M_t = 1 only, where the access point's queue is empty. At M_t = 2 lost ACKs hold "
            "uplink back under FIFO, and a queue of their own gives it back.",
            of="*M_t = 2, |ln ratio|*",
        ),
    ),
}
