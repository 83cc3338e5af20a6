"""Rates of the standards: legacy ones in Mb/s, those of 802.11n, ac and ax by MCS.

In 802.11n, ac and ax, fast stations have two streams. Slow stations have one, as distant stations do. Frames
are aggregated, and guard intervals are 800 ns long.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

TODAY = ("802.11n", "802.11ac", "802.11ax")
"""Standards whose rates are MCS and whose frames are aggregated."""
LEGACY = ("802.11b", "802.11a", "802.11g")
STANDARDS = LEGACY + TODAY
STREAMS = 2
"""Number of streams of fast stations in 802.11n, ac and ax."""
WIDTHS: Mapping[str, tuple[str, ...]] = {
    "802.11n": ("20 MHz", "40 MHz"),
    "802.11ac": ("20 MHz", "40 MHz", "80 MHz"),
    "802.11ax": ("20 MHz", "40 MHz", "80 MHz"),
}


@dataclass(frozen=True)
class Rate:
    """Data rate of a link."""

    mbps: float
    key: str
    """Text of the rate in a scenario."""
    snr_db: float
    """Signal-to-noise ratio at which nine of ten frames of 1500 octets are received, by simulation."""


_DSSS_SNR_DB: Mapping[float, float] = {1: -2.9, 2: 1.7, 5.5: 4.3, 11: 7.1}
_OFDM_SNR_DB: Mapping[float, float] = {
    6: 4.0, 9: 6.9, 12: 7.0, 18: 9.9, 24: 13.6, 36: 16.6, 48: 21.4, 54: 22.7,
}  # fmt: skip
_LEGACY_SNR_DB = {"802.11b": _DSSS_SNR_DB, "802.11a": _OFDM_SNR_DB, "802.11g": _OFDM_SNR_DB}

# Only MCS that all widths have: MCS 9 of VHT is not allowed at 20 MHz.
_BCC_SNR_DB = (0.8, 3.8, 6.4, 9.6, 12.7, 17.1, 18.4, 19.6, 23.9)
_LDPC_SNR_DB = (-0.5, 2.5, 4.8, 8.1, 11.0, 15.2, 16.4, 17.8, 21.6, 23.2, 26.9, 28.6)
_MODE_SNR_DB = {"802.11n": _BCC_SNR_DB[:8], "802.11ac": _BCC_SNR_DB, "802.11ax": _LDPC_SNR_DB}
_BITS = (0.5, 1, 1.5, 2, 3, 4, 4.5, 5, 6, 20 / 3, 7.5, 25 / 3)
"""Data bits per subcarrier, by MCS."""
_SUBCARRIERS = {"20 MHz": 52, "40 MHz": 108, "80 MHz": 234}
_HE_SUBCARRIERS = {"20 MHz": 234, "40 MHz": 468, "80 MHz": 980}


def steps(standard: str) -> int:
    """Number of rates of a standard; for 802.11n, ac and ax, those with one stream."""
    if standard in LEGACY:
        return len(_LEGACY_SNR_DB[standard])
    return len(_MODE_SNR_DB[standard])


def rate(standard: str, step: int, width: str = "", streams: int = 1) -> Rate:
    """Rate number `step` of a standard, counted from the slowest."""
    if standard in LEGACY:
        mbps, snr_db = list(_LEGACY_SNR_DB[standard].items())[step]
        return Rate(float(mbps), f"{mbps:g} Mb/s", snr_db)
    symbol, subcarriers = (13.6, _HE_SUBCARRIERS) if standard == "802.11ax" else (4.0, _SUBCARRIERS)
    bits = int(subcarriers[width] * _BITS[step] * streams + 1e-9)
    key = {
        "802.11n": f"ht-mcs{step + 8 * (streams - 1)}",
        "802.11ac": f"vht-mcs{step}x{streams}",
        "802.11ax": f"he-mcs{step}x{streams}",
    }[standard]
    return Rate(round(bits / symbol, 1), key, _MODE_SNR_DB[standard][step])
