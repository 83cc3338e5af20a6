"""Names of the variants: stations, directions, transports, schemes, settings. Study files declare each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from airfair.experiment.claims import Readings
from airfair.experiment.keys import Keys
from airfair.reproduction import studies
from airfair.reproduction.paper import Json


def _factors(study: str) -> Json:
    """Factors of one of this paper's studies."""
    found: Json = studies.declared("occupancy-tfrc", study)["factors"]
    return found


_GUESTS = studies.declared("occupancy-tfrc", "guests")["set"]


RATES = tuple(int(rate.split()[0]) for rate in _factors("fig3")["R"]["values"])
"""Rates of STA2 in Figure 3, from which Figure 4 draws the rates of its stations [Mb/s]."""
SOME_RATES = (6, 18, 54)
"""Rates of STA2 in runs that decide nothing [Mb/s]."""
COUNTS = tuple(_factors("fig4")["N"]["labels"])
"""Numbers N of stations in Figure 4."""
SOME_COUNTS = (1, 5, 20)
"""Numbers N of stations in runs that decide nothing."""
FEW = 6
"""Largest N with more replications; with few stations, random rates vary more between replications."""
FIG4, MANY = "fig4", "fig4-many"
"""Setups of Figure 4 with at most `FEW` stations, and with more."""
TOP = 54

DOWN, UP = "down", "up"
WAYS: Mapping[str, str] = {DOWN: "downlink", UP: "uplink"}
NAMES: Mapping[str, str] = {"tfrc": "TFRC", "newreno": "NewReno", "cubic": "CUBIC"}
"""Transports by id."""
EQUAL = tuple((way, transport) for way in WAYS for transport in NAMES)
"""Directions and transports that are tested for equal occupancy."""


@dataclass(frozen=True)
class Scheme:
    """Scheme for sharing the channel between stations."""

    label: str
    needs: str = ""
    """Devices or software that the scheme changes."""


PLAIN, ON, ONCE = "plain", "proposed", "once"
BOTH = (PLAIN, ON)
"""Schemes of the paper; `ONCE` is airfair's own [D-114]."""
SCHEMES: Mapping[str, Scheme] = {
    PLAIN: Scheme("plain"),
    ON: Scheme("proposed"),
    ONCE: Scheme("proposed, spare time counts once"),
}
SCHEME_KEYS: Mapping[str, Keys] = _factors("fig3")["scheme"]
"""Keys of a scenario that turn each scheme on."""
ARF_RIVALS: Mapping[str, Scheme] = {
    **{id_: SCHEMES[id_] for id_ in BOTH},
    "arf-window": Scheme("arf-window"),
    "arf-aware": Scheme("ARF-aware TCP"),
}
MOVES: Mapping[tuple[str, str], tuple[str, ...]] = {
    (DOWN, "tfrc"): BOTH,
    (DOWN, "newreno"): (*BOTH, "arf-window"),
    (UP, "newreno"): tuple(ARF_RIVALS),
}
"""Schemes that are run with moving stations, by direction and transport."""
RIVALS: Mapping[str, Scheme] = {
    PLAIN: Scheme("plain", "nothing"),
    ON: Scheme("proposed", "access point (beacons) and stations, software of both"),
    ONCE: Scheme("proposed, spare once", "the same"),
    "txop": Scheme("TXOP of equal time", "EDCA of stations, by beacon"),
    "window": Scheme("CWmin by rate", "EDCA of each station, firmware"),
    "payload": Scheme("frame size by rate", "senders, software"),
    "regulator": Scheme("time regulator", "access point: queue and driver, software"),
    "airtime": Scheme("airtime DRR, FQ-CoDel", "access point: queue and driver, software"),
}
RIVAL_TRANSPORTS = ("tfrc", "newreno")

PROFILES = tuple(_factors("law")["profile"])
"""Profiles of TFRC, which differ in the receive rate X_recv in reports."""
SETTINGS = tuple(_factors("law")["setting"])
"""Settings of Figure 3 that are varied."""
TUNED_MBPS = 18
"""Rate of STA2 in runs with varied settings [Mb/s]."""
UPLINK = tuple(_factors("uplink")["change"])
"""Settings of uplink that are varied, with STA2 at 6 Mb/s."""
CONSTANT = tuple(_factors("constant")["C"]["values"])
"""Constant rates beside TFRC."""
MIXTURES = tuple(_factors("mixtures")["flows"])
"""Combinations of several flows of a station."""
GUESTS: Mapping[str, str] = {name: keys["rate"] for name, keys in _GUESTS["station"].items()}
"""Rates of the stations in the runs with a guest, by name; the third station is the guest."""
COMES_S, GOES_S = (int(_GUESTS["flow"]["of-guest"][key].split()[0]) for key in ("start", "stop"))
"""Times at which the guest's flow starts and stops [s]."""
LOSSES = ("10%", "30%")
"""Parts of the frames, including beacons, that are lost to noise."""
STANDARDS = tuple(_factors("standards")["standard"])

AS_READ = Readings("eq. 1", near=("RFC 5348",), beside=("once",))
"""Readings of the paper: TFRC by eq. 1, which is RFC 3448's, or by RFC 5348, which the paper cites. Both are
near, because the baseline, plain TFRC, fits both [D-119]. The third, with spare time counted once, is
airfair's own [D-114]."""
REPLICATIONS = 10
"""Replications of deciding runs, except those of Figure 4 with more than `FEW` stations."""


@dataclass(frozen=True)
class SetupPoint:
    """Point of a setup at which several schemes are run."""

    setup: str
    point: str

    def key(self, scheme: str) -> tuple[str, str]:
        """Setup and variant of a scheme at this point."""
        return (self.setup, f"{self.point}, {scheme}")


def figure3(mbps: int) -> SetupPoint:
    """Point of Figure 3 with this rate of STA2."""
    return SetupPoint("fig3", f"{mbps} Mb/s")


def once(mbps: int) -> SetupPoint:
    """Point of Figure 3 with this rate of STA2, if spare time counts once."""
    return SetupPoint("once", f"{mbps} Mb/s")


def figure3_2008(mbps: int) -> SetupPoint:
    """Point of Figure 3 with this rate of STA2, over TFRC by RFC 5348 (2008)."""
    return SetupPoint("rfc5348", f"{mbps} Mb/s")


def equal(mbps: int, way: str, transport: str) -> SetupPoint:
    """Point with two stations in a direction over a transport."""
    return SetupPoint("transports", f"{WAYS[way]}, {NAMES[transport]}, {mbps} Mb/s")


def figure4(count: int) -> SetupPoint:
    """Point of Figure 4 with `count` stations."""
    return SetupPoint(FIG4 if count <= FEW else MANY, f"N = {count}")


def figure4_2008(count: int) -> SetupPoint:
    """Point of Figure 4 with `count` stations, over TFRC by RFC 5348 (2008)."""
    return SetupPoint("rfc5348-many", f"N = {count}")


def tuned(label: str, profile: str) -> SetupPoint:
    """Point of Figure 3 with a varied setting."""
    return SetupPoint("law", f"{label}, {profile}")


def mixture(label: str) -> SetupPoint:
    """Point with several flows of a station."""
    return SetupPoint("mixtures", label)


def rival_place(way: str, transport: str) -> SetupPoint:
    """Point with five stations, each at another rate."""
    return SetupPoint(f"rivals-{way}", NAMES[transport])


def drawn_rates(count: int, replication: int) -> list[int]:
    """Rates of `count` stations, which do not depend on the scheme [D-116]."""
    name = f"occupancy-tfrc/fig4/{count}/{replication}"
    generator = np.random.default_rng(list(name.encode()))
    return [RATES[i] for i in generator.integers(len(RATES), size=count)]


def drawn(labels: studies.Labels, replication: int) -> Keys:
    """Keys of N stations with random rates and one download each, for a replication."""
    rates = drawn_rates(int(labels["N"]), replication)
    transport: Keys = {"kind": "tfrc", "profile": "rfc3448", "segment": "1448 B"}
    return {
        "station": {
            f"sta{i}": {"rate": f"{rate} Mb/s", "queue": {"packets": 100}}
            for i, rate in enumerate(rates, start=1)
        },
        "flow": {
            f"of-sta{i}": {
                "from": "server",
                "to": f"sta{i}",
                "start_jitter": "1 s",
                "transport": transport,
            }
            for i in range(1, len(rates) + 1)
        },
    }


DRAWS = dict.fromkeys((FIG4, MANY, "rfc5348-many"), drawn)
"""Functions that draw the stations of a study, by its name."""
