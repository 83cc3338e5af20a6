"""Checks of the shares of access categories by AIFSN and window against contention zones.  [xu-2009]

The slots since the shortest AIFS form zones. In each zone, categories whose own AIFS is over contend, and any
frame leads back to the first zone. An attempt of a category fails with the probability that anyone else
transmits, over the zones in which the category contends. If a station has both categories, its lower category
gives way to the higher one, which is not affected. As in Bianchi's model, attempts fail independently of the
past.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from airfair import Result, Scenario
from airfair.scenario import Value

from . import theory
from .cells import FIFO, WIRE_QUEUE, scenario, upload
from .plan import Check

TOLERANCE = 0.03
REPLICATIONS = 8
SECONDS = 20
"""Duration of each replication [s]."""
TURNS = 500
"""Number of iterations, each of which goes a tenth of the way to the next value."""


@dataclass(frozen=True)
class Category:
    """Access category with its AIFSN and contention window."""

    name: str
    aifsn: int
    cw_min: int
    cw_max: int

    def attempts(self, p: float) -> float:
        """Probability of an attempt in a slot in which the category contends, if attempts fail with `p`."""
        stages = round(math.log2((self.cw_max + 1) / (self.cw_min + 1)))
        return theory.attempt_rate(p, self.cw_min + 1, stages)

    @property
    def keys(self) -> Mapping[str, Value]:
        """Keys of the category in a scenario."""
        own: Mapping[str, Value] = {
            "aifsn": self.aifsn,
            "cw_min": self.cw_min,
            "cw_max": self.cw_max,
            "txop_limit": "0 s",
        }
        return own if self.name == "best effort" else {self.name: own}


@dataclass(frozen=True)
class EdcaCell:
    """Cell of saturated stations: `n` with a lower and a higher category, or `n` with each of them."""

    name: str
    low: Category
    high: Category
    n: int
    both: bool = False

    def silence(self, low: float, high: float) -> tuple[float, float, float]:
        """Probabilities that nobody transmits in a slot, and that an attempt of either category succeeds.

        `low` and `high` are probabilities of an attempt; 0 if the category does not contend in the slot.
        """
        if self.both:
            others = ((1 - low) * (1 - high)) ** (self.n - 1)
            return others * (1 - low) * (1 - high), others * (1 - high), others
        everybody = ((1 - low) * (1 - high)) ** self.n
        return everybody, everybody / (1 - low), everybody / (1 - high)

    def share(self) -> float:
        """Share of the higher category in all successful frames, by the model."""
        failure, success = [0.1, 0.1], [0.0, 0.0]
        categories = (self.low, self.high)
        first = min(category.aifsn for category in categories)
        last = max(category.aifsn for category in categories) - first
        for _ in range(TURNS):
            attempts = [c.attempts(p) for c, p in zip(categories, failure, strict=True)]
            here, slots, alone = 1.0, [0.0, 0.0], [0.0, 0.0]
            for zone in range(last + 1):
                counts = [zone >= c.aifsn - first for c in categories]
                low, high = (a if on else 0.0 for a, on in zip(attempts, counts, strict=True))
                everybody, *others = self.silence(low, high)
                # The last zone has no end, so the visits to its slots are a geometric series.
                visits = here / (1 - everybody) if zone == last else here
                for i in (0, 1):
                    slots[i] += visits * counts[i]
                    alone[i] += visits * counts[i] * others[i]
                here *= everybody
            for i in (0, 1):
                failure[i] += 0.1 * (1 - alone[i] / slots[i] - failure[i])
                success[i] = attempts[i] * alone[i]
        return success[1] / sum(success)

    def scenario(self) -> Scenario:
        """Scenario of the cell, without aggregation, since shares count frames."""
        keys = self.low.keys, self.high.keys
        groups = ("s", "s") if self.both else ("s", "t")
        return scenario(
            {
                "standard": "802.11n",
                "aggregation": "off",
                "after_collision": "difs",
                "max_attempts": "unlimited",
                "ap": {"queue": FIFO},
            },
            {
                name: {"count": self.n, "queue": FIFO, "edca": {**keys[0], **keys[1]}}
                for name in dict.fromkeys(groups)
            },
            {
                flow: {**upload(group), "access_category": category.name}
                for flow, group, category in zip(
                    ("low", "high"), groups, (self.low, self.high), strict=True
                )
            },
            duration=f"{SECONDS} s",
            wire={"rate": "1 Gb/s", "queue": WIRE_QUEUE},
            replications=REPLICATIONS,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Checks of both shares; the tolerance is relative to each share."""
        shape = result.replications, 2, self.n
        received = result.flows["packets_received"].to_numpy().reshape(shape).sum(axis=2)
        expected = self.share()
        for i, (category, share) in enumerate(((self.low, 1 - expected), (self.high, expected))):
            samples = received[:, i] / received.sum(axis=1)
            id_ = f"edca/{self.name}/{category.name.replace(' ', '-')}"
            yield Check.of(id_, share, samples, TOLERANCE)


LOW = Category("best effort", 3, 31, 1023)
LATE = Category("background", 5, 31, 1023)
NARROW = Category("video", 3, 15, 1023)
EARLY = Category("video", 2, 31, 1023)
VOICE = Category("voice", 2, 15, 63)
CELLS = (
    EdcaCell("by-window", LOW, NARROW, 5),
    EdcaCell("by-aifsn", LOW, EARLY, 5),
    EdcaCell("by-aifsn-of-5", LATE, LOW, 5),
    EdcaCell("by-both", LOW, VOICE, 4),
    EdcaCell("within-stations-by-window", LOW, NARROW, 5, both=True),
    EdcaCell("within-stations-by-aifsn", LOW, EARLY, 5, both=True),
    EdcaCell("within-stations-by-aifsn-of-5", LATE, LOW, 10, both=True),
)
