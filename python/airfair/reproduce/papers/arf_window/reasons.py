"""Why the claims of `arf-window` do not hold; `docs/arf-window.md` has what found it."""

from __future__ import annotations

from airfair.reproduce.claims import Reason

_EITHER = "there is nothing to drop, under standard TCP either."

REASONS = {
    "away-throughput": (
        Reason(
            "A fall of the rate counts twice: eq. 13 takes it from the station's time, eq. 8 divides what "
            "is left by the longer time of a segment, and the window becomes too small. It costs most "
            "between 131 and 262 m, where the channel just carries the window, and after the last fall on "
            "the way out, which no rise puts right. Counted once, at 5 m/s, a loss of 2.6 % becomes one "
            "of 1.0 %, and still no gain.",
        ),
    ),
    "away-drops": (
        Reason(
            "There is nothing to drop, under standard TCP either: a window of 90 segments cannot overflow "
            "a queue of 100 packets, and ARF falls before a frame is given up. Where queues are short "
            "enough to drop, the scheme avoids at most 23 % of it, since its window is computed from a "
            "round trip that contains the full queue.",
        ),
    ),
    "toward-throughput": (
        Reason(
            "As for away-throughput, a fall of the rate counts twice. It costs between 131 and 262 m, "
            "where the channel just carries the window and every dip of it is lost; nearer the window is "
            "the limit, further away the queue hides the dip.",
        ),
    ),
    "toward-drops": (Reason(f"As for away-drops: {_EITHER}"),),
    "random-waypoint": (
        Reason(
            "As for away-throughput, a fall of the rate counts twice. Counted once, a loss of 3.1 % "
            "becomes one of 1.7 %, and still no gain.",
            of="throughput *",
        ),
        Reason(f"As for away-drops: {_EITHER}", of="drop rate*"),
    ),
}
