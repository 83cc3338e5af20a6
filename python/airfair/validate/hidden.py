"""Two saturated stations that do not hear each other: how many attempts fail, by a direct calculation.

No closed form is exact here, as the two count their slots on grids that shift against each other. So this
is a calculation of its own: a Markov chain in microseconds, of nothing but two stations, from the clauses of
the standard, drawn many times. It shares no code, no random numbers and no structure with the simulator: it
has no channel and no queue of events, it goes from one start of a frame to the next.

The rules, of a station s, its rival r and an access point that only answers:

- Its back-off is uniform in 0 … CW slots and starts a DIFS after the last frame that it heard or sent.
  The rival's frames are not heard, so nothing stops it but the access point's.  [80211-2020 §10.3.4.3]
- Its frame is lost if any of the rival's overlaps it, or if the access point answers the rival meanwhile.
- A SIFS after a frame that arrived the access point answers, whatever the rival does [80211-2020
  §10.3.2.3.3]; the rival stops counting when that answer starts, with whole slots counted, and goes on a
  DIFS after the exchange: after the ACK, or when the NAV that a CTS has set is over [80211-2020 §10.3.2.4].
  If it has begun to send before the answer starts, it hears none of it.
- Without an answer within SIFS + slot + aRxPHYStartDelay the attempt has failed [80211-2020 §10.3.2.11]; the
  next back-off begins with the next whole slot since the DIFS after its own frame.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.scenario import load

from . import theory
from .cells import PSDU, SOURCE, rate_text
from .plan import Check, Plan
from .theory import DOT11A, DOT11B, Phy

if TYPE_CHECKING:
    from collections.abc import Mapping

    import polars as pl
    from numpy.typing import NDArray

    from airfair import Result, Scenario
    from airfair.scenario import Value

    Floats = NDArray[np.float64]

CONFIDENCE = 0.999
"""Of the interval of the difference."""
BATCHES = 16
"""Independent parts of the calculation, and replications of the simulation."""
ATTEMPTS = 40_000
"""In each of them."""
RX_START_DELAY = {"802.11b": 192, "802.11a": 20}
"""aRxPHYStartDelay: preamble and header [µs].  [80211-2020 §16.3.4, §17.4.4]"""


@dataclass(frozen=True)
class Pair:
    """Two stations at one rate, each hidden from the other; times in whole µs."""

    phy: Phy
    rate: float
    """[Mb/s]"""
    cw_min: int
    cw_max: int
    max_attempts: int | None
    """Attempts of a frame; `None` is without end."""
    rts: bool = False

    @property
    def id(self) -> str:
        """Name of the check."""
        access = "rts" if self.rts else "basic"
        limit = "" if self.max_attempts is None else f"-{self.max_attempts}-attempt"
        return f"{self.phy.standard}/{access}/{self.rate:g}-cw-{self.cw_min}{limit}"


@dataclass(slots=True)
class _Station:
    """One of the two, and its next step."""

    start: int
    """Of its next frame."""
    slots: int
    """Of its back-off, all of which are before `start`; those that have been counted are not known."""
    end: int = -1
    """Of its last frame."""
    window: int = 0
    failures: int = 0
    granted: bool = False
    """True if the next frame is the data that follows a CTS."""


def failed_share(pair: Pair, attempts: int, seed: int) -> float:
    """Part of so many attempts that fail: RTS or data without an answer, by drawing one after the other."""
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
        """Hears the access point from `begin` on, and counts again from `resume` on."""
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
    """Half the confidence interval of the difference of two means, by Student's t with Welch's variance."""
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
"""Windows in which a frame of the rival may or may not fit; and the standard's."""


def plans() -> Iterator[Plan]:
    """Each pair in the simulator."""
    for pair in PAIRS:
        yield _plan(pair)


def _plan(pair: Pair) -> Plan:
    def evaluate(result: Result) -> list[Check]:
        expected = np.array([failed_share(pair, ATTEMPTS, seed) for seed in range(BATCHES)])
        measured = _measured(result, rts=pair.rts)
        mean = float(expected.mean())
        return [
            Check(
                f"hidden/{pair.id}",
                mean,
                float(measured.mean()),
                margin(expected, measured) / mean,
                margin(measured, measured) / math.sqrt(2),
            )
        ]

    return Plan(_scenario(pair), evaluate)


def _measured(result: Result, *, rts: bool) -> Floats:
    """The simulator's share of attempts that failed, of both stations together, one per replication."""

    def total(samples: pl.Series) -> Floats:
        pairs: Floats = (
            samples.to_numpy().reshape(result.replications, 2).sum(axis=1, dtype=np.float64)
        )
        return pairs

    received = total(result.flows["packets_received"])
    # Not every RTS is followed by data; there, each that fails is the only attempt of its packet.
    dropped = total(result.stations["dropped_retry_limit"])
    attempts = received + dropped if rts else total(result.stations["frames"])
    failed: Floats = 1 - received / attempts
    return failed


def _scenario(pair: Pair) -> Scenario:
    cost = theory.exchange(pair.phy, PSDU, pair.rate, rts=pair.rts).success
    seconds = ATTEMPTS * cost / 1e6
    cell: Mapping[str, Value] = {
        "standard": pair.phy.standard,
        "basic_rates": [rate_text(rate) for rate in pair.phy.basic_rates],
        "rts_threshold": "0 B" if pair.rts else "off",
        "max_attempts": pair.max_attempts or "unlimited",
        "cw_min": pair.cw_min,
        "cw_max": pair.cw_max,
    }
    document: Mapping[str, Value] = {
        "duration": f"{math.ceil(seconds)} s",
        "series": "off",
        "bss": {"cell": cell},
        "station": {
            "a": {"rate": rate_text(pair.rate), "hidden_from": ["b"]},
            "b": {"rate": rate_text(pair.rate)},
        },
        "host": {"sink": {"link": {"rate": "1 Gb/s"}}},
        "flow": {name: {"from": name, "to": "sink", "transport": SOURCE} for name in "ab"},
    }
    return load(document, replications=BATCHES)
