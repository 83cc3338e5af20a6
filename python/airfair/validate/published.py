"""Published figures of Bianchi's model, as second opinions on the closed forms and on the engine."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """A row of ns-3's tables: throughput after a collision followed by EIFS, and by DIFS [Mb/s]."""

    eifs: float
    difs: float


NS3_TABLES: dict[tuple[str, float], dict[int, Published]] = {
    ("802.11b", 1): {
        5: Published(0.8418, 0.8437),
        10: Published(0.7831, 0.7861),
        20: Published(0.7186, 0.7226),
        30: Published(0.6802, 0.6847),
        50: Published(0.6285, 0.6336),
    },
    ("802.11b", 2): {
        5: Published(1.6170, 1.6228),
        10: Published(1.5075, 1.5168),
        20: Published(1.3849, 1.3972),
        30: Published(1.3115, 1.3253),
        50: Published(1.2124, 1.2279),
    },
    ("802.11b", 5.5): {
        5: Published(3.8565, 3.8896),
        10: Published(3.6170, 3.6707),
        20: Published(3.3339, 3.4063),
        30: Published(3.1613, 3.2429),
        50: Published(2.9266, 3.0184),
    },
    ("802.11b", 11): {
        5: Published(6.3821, 6.4734),
        10: Published(6.0269, 6.1774),
        20: Published(5.5765, 5.7819),
        30: Published(5.2958, 5.5289),
        50: Published(4.9103, 5.1745),
    },
    ("802.11a", 6): {
        5: Published(4.6899, 4.7087),
        10: Published(4.3197, 4.3453),
        20: Published(3.9589, 3.9899),
        30: Published(3.7490, 3.7824),
        50: Published(3.4711, 3.5071),
    },
    ("802.11a", 24): {
        5: Published(16.0836, 16.2470),
        10: Published(14.9153, 15.1426),
        20: Published(13.7300, 14.0072),
        30: Published(13.0281, 13.3288),
        50: Published(12.0889, 12.4144),
    },
    ("802.11a", 54): {
        5: Published(29.2861, 29.8324),
        10: Published(27.3763, 28.1519),
        20: Published(25.3325, 26.2925),
        30: Published(24.0944, 25.1434),
        50: Published(22.4162, 23.5618),
    },
}
"""Saturation throughput [Mb/s] of 1500-octet packets, with EIFS and with DIFS after a collision, by
number of stations: src/wifi/examples/reference/bianchi_11{a,b}_{eifs,difs}.txt of ns-3."""

BIANCHI_2000: dict[tuple[bool, int, int], dict[int, float]] = {
    (False, 32, 3): {5: 0.8097, 10: 0.7532, 20: 0.6788, 30: 0.6273, 50: 0.5529},
    (False, 32, 5): {5: 0.8102, 10: 0.7579, 20: 0.6975, 30: 0.6603, 50: 0.6109},
    (False, 128, 3): {5: 0.8250, 10: 0.8263, 20: 0.7981, 30: 0.7702, 50: 0.7252},
    (True, 32, 3): {5: 0.8342, 10: 0.8371, 20: 0.8356, 30: 0.8329, 50: 0.8270},
    (True, 32, 5): {5: 0.8342, 10: 0.8370, 20: 0.8362, 30: 0.8346, 50: 0.8317},
    (True, 128, 3): {5: 0.7979, 10: 0.8217, 20: 0.8327, 30: 0.8355, 50: 0.8363},
}
"""Normalised throughput by (RTS/CTS, window, stages) and number of stations, with the FHSS figures of
[bianchi-2000 table II]."""
