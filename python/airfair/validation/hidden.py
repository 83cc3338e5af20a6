"""Checks of the failed attempts of two saturated stations, hidden from each other, by a direct calculation.

No closed form is exact, because the slots of the two stations shift against each other. So this module
calculates a Markov chain of the two stations in microseconds, from the clauses of the standard, and draws it
many times. The calculation shares no code, random numbers or structure with the simulator: it has no channel
and no queue of events, and goes from one start of a frame to the next.

The rules for a station, its rival and an access point that only answers are:

- The station's back-off is uniform in 0 … CW slots, and starts a DIFS after the last frame that the station
  heard or sent. Only frames of the access point stop the back-off, as the station does not hear the rival.
  [80211-2020 §10.3.4.3]
- The station's frame is lost if a frame of the rival overlaps it, or if the access point answers the rival
  meanwhile.
- The access point answers a SIFS after each frame that it received, even if the rival sends [80211-2020
  §10.3.2.3.3]. The rival stops counting slots when the answer starts; whole slots count. It resumes a DIFS
  after the exchange, that is after the ACK or the end of the NAV that a CTS has set [80211-2020 §10.3.2.4]. A
  rival that is sending when the answer starts does not hear it.
- An attempt has failed without an answer within SIFS + slot + aRxPHYStartDelay [80211-2020 §10.3.2.11]. The
  next back-off begins at the next whole slot, counted from the DIFS after the station's own frame.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from . import theory
from .cells import PSDU, of_phy, rate_text, scenario, upload
from .plan import Check
from .theory import DOT11A, DOT11B, Phy

if TYPE_CHECKING:
    import polars as pl
    from numpy.typing import NDArray

    from airfair import Result, Scenario

    Floats = NDArray[np.float64]

CONFIDENCE = 0.999
"""Confidence level of the interval of the difference, which is the tolerance."""
BATCHES = 16
"""Number of independent parts of the calculation, and of replications of the simulation."""
ATTEMPTS = 40_000
"""Number of attempts in each part."""
RX_START_DELAY = {"802.11b": 192, "802.11a": 20}
"""Duration aRxPHYStartDelay of preamble and header [µs].  [80211-2020 §16.3.4, §17.4.4]"""


@dataclass(frozen=True)
class Pair:
    """Two stations with the same rate, hidden from each other."""

    phy: Phy
    rate: float
    """Data rate of both stations [Mb/s]."""
    cw_min: int
    cw_max: int
    max_attempts: int | None
    """Largest number of attempts of a frame; `None` for no limit."""
    rts: bool = False

    @property
    def id(self) -> str:
        """Name of the check."""
        access = "rts" if self.rts else "basic"
        limit = "" if self.max_attempts is None else f"-{self.max_attempts}-attempt"
        return f"{self.phy.standard}/{access}/{self.rate:g}-cw-{self.cw_min}{limit}"

    def scenario(self) -> Scenario:
        """Scenario of both stations, long enough for `ATTEMPTS` in each replication."""
        cost = theory.exchange(self.phy, PSDU, self.rate, rts=self.rts).success
        return scenario(
            {
                **of_phy(self.phy, rts=self.rts),
                "max_attempts": self.max_attempts or "unlimited",
                "cw_min": self.cw_min,
                "cw_max": self.cw_max,
            },
            {
                "a": {"rate": rate_text(self.rate), "hidden_from": ["b"]},
                "b": {"rate": rate_text(self.rate)},
            },
            {name: upload(name) for name in "ab"},
            duration=f"{math.ceil(ATTEMPTS * cost / 1e6)} s",
            wire={"rate": "1 Gb/s"},
            replications=BATCHES,
        )

    def evaluate(self, result: Result) -> Iterator[Check]:
        """Check of the share of failed attempts against the calculation."""
        expected = np.array([failed_share(self, ATTEMPTS, seed) for seed in range(BATCHES)])
        measured, mean = self.measured(result), float(expected.mean())
        tolerance = margin(expected, measured) / mean
        width = margin(measured, measured) / math.sqrt(2)
        yield Check(f"hidden/{self.id}", mean, float(measured.mean()), tolerance, width)

    def measured(self, result: Result) -> Floats:
        """Simulated fraction of failed attempts of both stations together, one per replication."""

        def total(samples: pl.Series) -> Floats:
            pairs = samples.to_numpy().reshape(result.replications, 2)
            return np.asarray(pairs.sum(axis=1, dtype=np.float64))

        received = total(result.flows["packets_received"])
        # With RTS, `frames` does not count each attempt. A packet has one attempt, so failures are drops.
        dropped = total(result.stations["dropped_retry_limit"])
        attempts = received + dropped if self.rts else total(result.stations["frames"])
        return 1 - received / attempts


@dataclass(slots=True)
class _Station:
    """State of one of the two stations; times are in whole µs."""

    start: int
    """Start of its next frame."""
    slots: int
    """Number of slots of its back-off, which ends at `start`."""
    end: int = -1
    """End of its last frame."""
    window: int = 0
    failures: int = 0
    granted: bool = False
    """True if the next frame is the data that follows a CTS."""


def failed_share(pair: Pair, attempts: int, seed: int) -> float:
    """Fraction of `attempts` random attempts that fail, that is RTS or data frames without an answer."""
    draw = random.Random(seed)  # noqa: S311 - no cryptography
    phy, slot, sifs, difs = (
        pair.phy,
        round(pair.phy.slot),
        round(pair.phy.sifs),
        round(pair.phy.difs),
    )
    control = phy.control_rate(pair.rate)
    data = round(phy.airtime(PSDU, pair.rate))
    request, clear, ack = (
        round(phy.airtime(octets, control))
        for octets in (theory.RTS_OCTETS, theory.CTS_OCTETS, theory.ACK_OCTETS)
    )
    time_out = sifs + slot + RX_START_DELAY[phy.standard]
    patience = difs + slot * max(0, math.ceil((time_out - difs) / slot))

    def back_off(station: _Station, base: int) -> None:
        station.slots = int(draw.random() * (station.window + 1))
        station.start = base + slot * station.slots

    def pause(station: _Station, begin: int, resume: int) -> None:
        """Stop the countdown when the access point's answer starts at `begin`; continue at `resume`."""
        station.slots = min(station.slots, -((begin - station.start) // slot))
        station.start = resume + slot * station.slots

    stations = [_Station(0, 0, window=pair.cw_min) for _ in range(2)]
    for station in stations:
        back_off(station, difs)
    answer = -1  # start of the access point's last answer
    done = failed = 0
    while done < attempts:
        first = 0 if stations[0].start <= stations[1].start else 1
        own, rival = stations[first], stations[1 - first]
        begin, is_request = own.start, pair.rts and not own.granted
        own.end = end = begin + (request if is_request else data)
        is_lost = rival.end > begin or begin <= answer or rival.start < end
        if is_lost:
            done, failed = done + 1, failed + 1
            own.granted = False
            own.failures += 1
            own.window = min(2 * own.window + 1, pair.cw_max)
            if own.failures == pair.max_attempts:
                own.window, own.failures = pair.cw_min, 0
            back_off(own, end + patience)
            continue
        answer = end + sifs
        if is_request:
            own.granted = True
            own.start = answer + clear + sifs
            over = own.start + data + sifs + ack
        else:
            done += 1
            over = answer + ack
            own.granted = False
            own.window, own.failures = pair.cw_min, 0
            back_off(own, over + difs)
        if rival.start > answer:
            pause(rival, answer, over + difs)
    return failed / done


def margin(a: Floats, b: Floats) -> float:
    """Half width of the confidence interval of a difference of means (Welch's t)."""
    from scipy.special import stdtrit

    parts = np.array([a.var(ddof=1) / a.size, b.var(ddof=1) / b.size])
    freedom = parts.sum() ** 2 / (parts**2 / (np.array([a.size, b.size]) - 1)).sum()
    return float(stdtrit(freedom, (1 + CONFIDENCE) / 2)) * math.sqrt(float(parts.sum()))


PAIRS = (
    Pair(DOT11B, 11, 255, 255, 1),
    Pair(DOT11B, 11, 255, 255, 1, rts=True),
    Pair(DOT11A, 54, 127, 127, 1),
    Pair(DOT11A, 54, 127, 127, 1, rts=True),
    Pair(DOT11A, 54, 15, 1023, None),
    Pair(DOT11A, 54, 15, 15, 1, rts=True),
)
"""Pairs with windows longer and shorter than a frame, and with the windows of the standard."""
