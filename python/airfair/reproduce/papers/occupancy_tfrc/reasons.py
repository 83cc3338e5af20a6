"""Why claims of `occupancy-tfrc` do not hold; `docs/occupancy-tfrc.md` has what found it."""

from __future__ import annotations

from airfair.reproduce.claims import Reason

REASONS = {
    "equal-occupancy": (
        Reason(
            "Time that is left over is given away twice, by the access point (eq. 6) and again by each "
            "station (eq. 11): two that use 0.8 of their parts are granted 1.6 of the channel. The queue of "
            "100 packets overflows, and TFRC's equation holds back whom it hits, STA1 the longest, which "
            "needs the fewest losses for its rate; STA2 takes what it leaves. If spare time counts once, "
            "or with the server nearer or a longer queue, occupancies are equal at every rate; with r = "
            "0.9 they nearly are.",
        ),
    ),
    "sta1-unaffected": (
        Reason(
            "As for equal-occupancy: the grants overshoot, the queue overflows, and STA1 is held back by "
            "TFRC's equation, at 18 Mb/s in all replications. Counted once its throughput is the same at "
            "every rate.",
        ),
    ),
    "aggregate-higher": (
        Reason(
            "Where the rates are nearly the same there is hardly an anomaly to gain from, and the overshoot "
            "(see equal-occupancy) leaves gaps in which nobody sends. There are fewer drops, but under plain "
            "TFRC they cost nothing: the queue stays filled. If spare time counts once, there is more "
            "throughput at every rate, 0.11 Mb/s at 54.",
            of="[345][648] Mb/s*",
        ),
    ),
}
