"""Closed form of a saturated cell of 802.11ax whose access point serves all stations by MU-MIMO.

The access point alone contends. It measures its channels when their reports are older than an interval at
the start of an access; the PPDU for all stations follows in the same TXOP. Until the next sounding it sends
as many PPDUs as accesses begin within the interval. This number depends on the back-offs, and the form has
its mean.

```text
sounding ─ SIFS ─ exchange ─ AIFS, back-off ─ exchange ─ … ─ AIFS, back-off ─ sounding
       report │◄─────────── interval ───────────►│
```

Sources: [80211ax-2021 §26.7] for soundings, [80211ax-2021 §9.3.1.19, §9.4.1.64 to §9.4.1.66] for their
frames, and [80211ax-2021 §27.3] for durations. `ofdma` has those that PPDUs by OFDMA have as well.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from . import ofdma
from .theory import DOT11A, ofdm_airtime

SUBCARRIERS = {20: 64, 40: 122, 80: 250, 160: 500}
"""Subcarriers of a report, by width [MHz].  [80211ax-2021 §9.4.1.65]"""
TRAINING = {1: 1, 2: 2, 3: 4, 4: 4, 5: 6, 6: 6, 7: 8, 8: 8}
"""HE-LTFs by number of streams.  [80211ax-2021 §27.3.11.10]"""
LTF = 7.2
"""Duration of an HE-LTF with a guard interval of 0.8 µs [µs]."""
BEFORE_SIG_B = 36
"""Duration of the preamble without HE-SIG-B and HE-LTFs [µs]."""
REPORT_HEADERS = 24 + 2 + 5 + 4
"""Octets around a report in its frame.  [80211ax-2021 §9.4.1.64, §9.6.31.2]"""
SLOTS = 16
"""Number of possible back-offs of a first attempt."""


@dataclass(frozen=True)
class Cell:
    """Saturated cell with stations of one stream, at a guard interval of 0.8 µs down and 1.6 µs up."""

    width: int
    """Width of the channel [MHz]."""
    mcs: int
    """MCS of all stations, at least 3, so that control frames have 24 Mb/s."""
    users: int
    """Number of stations, all of which share each PPDU."""
    streams: int
    """Streams of the access point."""
    mpdus: int
    """MPDUs for each station in a PPDU."""
    payload: int
    interval: float
    """Largest age of a report [µs]."""
    ack: ofdma.Acknowledgement = "bar"

    @property
    def airtimes(self) -> ofdma.Airtimes:
        """Durations and sizes that cells with OFDMA have as well; stations answer in units of their own."""
        cell = ofdma.Cell(
            self.users,
            ack=self.ack,
            most_users=True,
            width=self.width,
            mcs=self.mcs,
            payload=self.payload,
            window=self.mpdus,
        )
        return ofdma.Airtimes(cell, ofdma.STANDARD)

    def report(self) -> int:
        """Octets of a report with its frame and delimiter.

        With R streams of the access point there are R - 1 angles φ of 9 bits and R - 1 angles ψ of 7 bits
        for each subcarrier, and 4 bits for its signal-to-noise ratio.
        """
        bits = 8 + SUBCARRIERS[self.width] * ((self.streams - 1) * (9 + 7) + 4)
        return ofdma.DELIMITER_OCTETS + REPORT_HEADERS + math.ceil(bits / 8)

    def sounding(self) -> float:
        """Time from the start of an announcement to the end of the reports [µs]."""
        announcement = ofdm_airtime(21 + 4 * self.users, ofdma.TRIGGER_RATE)
        ndp = BEFORE_SIG_B + LTF * TRAINING[self.streams] + 4
        poll = ofdm_airtime(28 + 6 * self.users, ofdma.TRIGGER_RATE)
        reports = self.airtimes.triggered(self.report())
        return announcement + ndp + poll + reports + 3 * DOT11A.sifs

    def response(self) -> float:
        """Time from the end of the data to the end of the last block ack [µs]."""
        return self.airtimes.response()

    def exchange(self) -> float:
        """Time from the start of the data to the end of the last block ack [µs]."""
        air = self.airtimes
        preamble = BEFORE_SIG_B + air.sig_b(is_ofdma=False) + LTF * TRAINING[self.users]
        symbols = air.symbols(air.carried(self.mpdus), 1, self.mcs)
        return preamble + 13.6 * symbols + self.response()

    def exchanges(self) -> float:
        """Mean number of exchanges from one sounding to the next.

        After each exchange, AIFS and back-off, the next access begins. Those within the interval, which
        counts from the reports, have no sounding.
        """
        fixed, mean = self.exchange() + ofdma.AIFS, 1.0
        sums, accesses = [1.0], 0
        while True:
            accesses += 1
            sums = [
                sum(sums[max(0, total - SLOTS + 1) : total + 1]) / SLOTS
                for total in range(len(sums) + SLOTS - 1)
            ]
            left = self.interval - DOT11A.sifs - accesses * fixed
            if left < 0:
                return mean
            mean += sum(sums[: math.floor(left / DOT11A.slot) + 1])

    def goodput(self) -> float:
        """Goodput of all stations [Mb/s]."""
        backoff = DOT11A.slot * (SLOTS - 1) / 2
        exchanges = self.exchanges()
        cycle = self.sounding() + DOT11A.sifs
        cycle += exchanges * (self.exchange() + ofdma.AIFS + backoff)
        return exchanges * self.users * self.mpdus * 8 * self.payload / cycle
