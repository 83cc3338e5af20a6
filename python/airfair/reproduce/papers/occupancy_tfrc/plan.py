"""Names of the runs: stations, directions, transports, schemes, settings. The study files declare each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from airfair.experiment.claims import Readings
from airfair.reproduce import studies

if TYPE_CHECKING:
    from airfair.experiment.keys import Keys
    from airfair.reproduce.paper import Json


def _factors(study: str) -> Json:
    """Factors of a study of this paper."""
    found: Json = studies.declared("occupancy-tfrc", study)["factors"]
    return found


def _guests() -> Json:
    found: Json = studies.declared("occupancy-tfrc", "guests")["set"]
    return found


RATES = tuple(int(rate.split()[0]) for rate in _factors("fig3")["R"]["values"])
"""Of STA2 in Figure 3, and those drawn from in Figure 4 [Mb/s]."""
SOME_RATES = (6, 18, 54)
"""Those of what stands beside."""
COUNTS = tuple(_factors("fig4")["N"]["labels"])
"""N of Figure 4."""
SOME_COUNTS = (1, 5, 20)
"""Likewise."""
FEW = 6
"""N up to which rates differ much from one replication to the next, and more of them are run."""
FIG4, MANY = "fig4", "fig4-many"
"""Setups of Figure 4 up to that N, and beyond."""
TOP = 54

DOWN, UP = "down", "up"
WAYS: Mapping[str, str] = {DOWN: "downlink", UP: "uplink"}
NAMES: Mapping[str, str] = {"tfrc": "TFRC", "newreno": "NewReno", "cubic": "CUBIC"}
"""Transports."""
EQUAL = tuple((way, transport) for way in WAYS for transport in NAMES)
"""Directions and transports in which equal occupancy is looked for."""


@dataclass(frozen=True)
class Scheme:
    """Scheme that is to give each station its part of the channel."""

    label: str
    needs: str = ""
    """Change that it needs."""


PLAIN, ON, ONCE = "plain", "proposed", "once"
BOTH = (PLAIN, ON)
"""The paper's two. The third is ours [D-114]."""
SCHEMES: Mapping[str, Scheme] = {
    PLAIN: Scheme("plain"),
    ON: Scheme("proposed"),
    ONCE: Scheme("proposed, spare time counts once"),
}
SCHEME_KEYS: Mapping[str, Keys] = _factors("fig3")["scheme"]
"""The keys that make each of them."""
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
"""Schemes that stations which move are run with."""
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
"""Whose TFRC, by what the reports say of X_recv."""
SETTINGS = tuple(_factors("law")["setting"])
"""Settings by which Figure 3 is varied."""
TUNED_MBPS = 18
"""Rate of STA2 where they are."""
UPLINK = tuple(_factors("uplink")["change"])
"""Settings by which uplink is changed, STA2 at 6 Mb/s."""
CONSTANT = (0.5, 1.0, 2.0, 4.0)
"""Rates that nobody controls [Mb/s]."""
MIXTURES = tuple(_factors("mixtures")["flows"])
"""Several flows of a station."""
GUESTS: Mapping[str, str] = {name: keys["rate"] for name, keys in _guests()["station"].items()}
"""Stations, the third of which comes and goes, with their rates."""
COMES_S, GOES_S = (int(_guests()["flow"]["of-guest"][key].split()[0]) for key in ("start", "stop"))
"""Times at which it does."""
LOSSES = (0.1, 0.3)
"""Part of the frames that noise spoils, beacons among them."""
STANDARDS = tuple(_factors("standards")["standard"])

AS_READ = Readings("eq. 1", near=("RFC 5348",), beside=("once",))
"""Whose TFRC: eq. 1, which is RFC 3448's, or RFC 5348, which the paper cites. Plain TFRC, the baseline,
cannot tell them apart, so that both are as near [D-119]; spare time that counts once is ours [D-114]."""
CLAIMED = ("fig3", FIG4, MANY)
"""Setups of the reading that decides claims."""
REPLICATIONS = 10
"""Runs of what decides claims, but for Figure 4 beyond `FEW` stations."""


@dataclass(frozen=True)
class SetupPoint:
    """Point of a setup at which several schemes are run."""

    setup: str
    point: str

    def key(self, scheme: str) -> tuple[str, str]:
        """Setup and variant of a scheme at this point."""
        return (self.setup, f"{self.point}, {scheme}")


def figure3(mbps: int) -> SetupPoint:
    """A rate of STA2 in Figure 3."""
    return SetupPoint("fig3", f"{mbps} Mb/s")


def once(mbps: int) -> SetupPoint:
    """Figure 3 where spare time counts once."""
    return SetupPoint("once", f"{mbps} Mb/s")


def figure3_2008(mbps: int) -> SetupPoint:
    """Figure 3 over TFRC as of 2008."""
    return SetupPoint("rfc5348", f"{mbps} Mb/s")


def equal(mbps: int, way: str, transport: str) -> SetupPoint:
    """Two stations in a direction over a transport."""
    return SetupPoint("transports", f"{WAYS[way]}, {NAMES[transport]}, {mbps} Mb/s")


def figure4(count: int) -> SetupPoint:
    """An N of Figure 4."""
    return SetupPoint(FIG4 if count <= FEW else MANY, f"N = {count}")


def figure4_2008(count: int) -> SetupPoint:
    """An N of Figure 4 over TFRC as of 2008."""
    return SetupPoint("rfc5348-many", f"N = {count}")


def tuned(label: str, profile: str) -> SetupPoint:
    """Figure 3 under another setting."""
    return SetupPoint("law", f"{label}, {profile}")


def uplink(label: str) -> SetupPoint:
    """Uplink at the lowest rate, changed."""
    return SetupPoint("uplink", label)


def beside_constant(mbps: float) -> SetupPoint:
    """A constant rate to a station at 6 Mb/s, TFRC to two at 54 Mb/s."""
    return SetupPoint("constant", f"{mbps:g} Mb/s")


def mixture(label: str) -> SetupPoint:
    """Several flows of a station."""
    return SetupPoint("mixtures", label)


def guests() -> SetupPoint:
    """A station at 6 Mb/s that comes and goes."""
    return SetupPoint("guests", "a guest")


def noisy(loss: float) -> SetupPoint:
    """Noise on both links."""
    return SetupPoint("noise", f"{loss:.0%} of the frames")


def under(label: str) -> SetupPoint:
    """Figure 3's lowest rate under another standard."""
    return SetupPoint("standards", label)


def moving(way: str, transport: str) -> SetupPoint:
    """Stations that wander under ARF."""
    return SetupPoint("moving", f"{WAYS[way]}, {NAMES[transport]}")


def rival_place(way: str, transport: str) -> SetupPoint:
    """A station at each of five rates."""
    return SetupPoint(f"rivals-{way}", NAMES[transport])


def drawn_rates(count: int, replication: int) -> list[int]:
    """Rates of `count` stations: the same in a replication whatever the scheme [D-116]."""
    name = f"occupancy-tfrc/fig4/{count}/{replication}"
    generator = np.random.default_rng(list(name.encode()))
    return [RATES[i] for i in generator.integers(len(RATES), size=count)]


def drawn(labels: studies.Labels, replication: int) -> Keys:
    """So many stations with random rates, a download each."""
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
"""Studies whose stations are drawn."""
