"""Published numbers with which closed forms and the simulator are compared."""

from __future__ import annotations

from typing import NamedTuple


class Published(NamedTuple):
    """Row of ns-3's tables: throughput with EIFS and with DIFS after a collision [Mb/s]."""

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
"""Normalised throughput by (RTS/CTS, window, stages) and number of stations, with the FHSS parameters of
[bianchi-2000 table II]."""

NS3_AX_STATIONS = (5, 20, 50)
NS3_AX: dict[int, tuple[tuple[float, float, float], ...]] = {
    20: (
        (6.3746, 5.3742, 4.7004),
        (11.7574, 9.9954, 8.7763),
        (16.0419, 13.7413, 12.1107),
        (20.0089, 17.241, 15.2369),
        (26.3492, 22.9553, 20.3991),
        (30.6683, 26.921, 24.0151),
        (33.4062, 29.4662, 26.3507),
        (34.9671, 30.9282, 27.6975),
        (38.5714, 34.3355, 30.8512),
        (40.6674, 36.3371, 32.7137),
        (40.6674, 36.3371, 32.7137),
        (43.0043, 38.5865, 34.8154),
    ),
    40: (
        (11.6208, 9.8965, 8.7),
        (19.8764, 17.1424, 15.1599),
        (26.1198, 22.781, 20.2613),
        (30.6683, 26.921, 24.0151),
        (38.5714, 34.3355, 30.8512),
        (43.0043, 38.5865, 34.8154),
        (45.6261, 41.1328, 37.2058),
        (45.6261, 41.1328, 37.2058),
        (48.5883, 44.0388, 39.9486),
        (51.9619, 47.3867, 43.1279),
        (51.9619, 47.3867, 43.1279),
        (51.9619, 47.3867, 43.1279),
    ),
    80: (
        (20.0101, 17.3219, 15.3567),
        (31.6415, 27.8747, 24.92),
        (38.0818, 33.947, 30.5372),
        (43.0043, 38.5865, 34.8154),
        (48.5883, 44.0388, 39.9486),
        (51.9619, 47.3867, 43.1279),
        (55.8389, 51.2855, 46.8571),
        (55.8389, 51.2855, 46.8571),
        (55.8389, 51.2855, 46.8571),
        (60.3411, 55.8834, 51.2922),
        (60.3411, 55.8834, 51.2922),
        (60.3411, 55.8834, 51.2922),
    ),
    160: (
        (30.671, 27.1188, 24.3141),
        (42.3965, 38.0965, 34.416),
        (47.8139, 43.4017, 39.4236),
        (51.9619, 47.3867, 43.1279),
        (55.8389, 51.2855, 46.8571),
        (60.3411, 55.8834, 51.2922),
        (60.3411, 55.8834, 51.2922),
        (60.3411, 55.8834, 51.2922),
        (60.3411, 55.8834, 51.2922),
        (65.6329, 61.3869, 56.6548),
        (65.6329, 61.3869, 56.6548),
        (65.6329, 61.3869, 56.6548),
    ),
}
"""Saturation throughput [Mb/s] of 1500-octet packets in 802.11ax without aggregation, with DIFS after a
collision: by width [MHz], by MCS from 0 on, for `NS3_AX_STATIONS`. `bianchiResultsDifs` in
src/wifi/examples/wifi-bianchi.cc of ns-3.34 to 3.48, by reference/bianchi11ax.py there.  [ns3-bianchi]"""

NS3_HE_BOUNDS: dict[str, tuple[float, float]] = {
    "5 GHz": (6, 844),
    "5 GHz, 256 MPDUs": (6, 1033),
    "5 GHz, RTS/CTS": (6, 745),
    "2.4 GHz": (6, 238),
    "2.4 GHz, RTS/CTS": (6, 223),
}
"""Goodputs between which ns-3 expects those of all cells of its `wifi-he-network` [Mb/s], by their settings:
examples/wireless/examples-to-run.py.  [ns3-bianchi]"""

MAGRIN_USERS = (1, 2, 4, 5, 8, 9, 18)
MAGRIN_DOWN = {
    "single user": (61.629,) * 7,
    "bar": (61.146, 51.812, 46.673, 46.673, 46.673, 45.886, 45.886),
    "mu-bar": (59.278, 51.281, 48.035, 48.035, 48.035, 52.538, 52.538),
    "aggregated-mu-bar": (59.949, 52.173, 48.839, 48.839, 48.839, 53.253, 53.253),
}
"""Downlink of the form of [magrin-2021] [Mb/s], by acknowledgement, for `MAGRIN_USERS` stations."""
MAGRIN_BESIDE_UPLINK = {
    False: (28.508, 15.429, 11.149, 8.087, 6.577, 5.522, 4.747, 4.154, 3.606),
    True: (28.508, 15.429, 7.811, 8.087, 3.610, 3.624, 3.624, 3.617, 3.606),
}
"""Its downlink by aggregated MU-BARs beside an uplink that contends [Mb/s], for 1 to 9 stations: equal units
for those served, or (`True`) as many stations as possible."""
MAGRIN_DELAY = {
    False: (4.795, 4.591, 6.887, 4.578, 5.722, 6.866, 8.011, 9.155, 4.047),
    True: (4.795, 4.591, 4.578, 4.578, 4.006, 4.020, 4.033, 4.047, 4.047),
}
"""Its delay without an uplink [ms], likewise."""
MAGRIN_CONTENDERS = (1, 3, 5, 9, 19)
MAGRIN_SINGLE_USER = {
    15: (58.645, 54.377, 51.711, 48.461, 44.227),
    127: (58.475, 59.299, 59.057, 58.038, 55.458),
    1023: (42.008, 50.113, 53.498, 56.439, 58.510),
}
"""Its sum of down and up with single-user PPDUs [Mb/s], by CWmin, for `MAGRIN_CONTENDERS` stations."""
