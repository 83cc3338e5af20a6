"""Casoni, Merani: Congestion Control in Wireless Environments, TFRC beside TCP over 802.11b."""

from __future__ import annotations

from functools import partial
from pathlib import Path

from airfair.reproduce import studies
from airfair.reproduce.paper import Experiment, Paper, reference

from . import figures
from .claims import BOUNDS, PREDICATES
from .findings import SEARCHES, calibration
from .introduction import introduction
from .plan import (
    ACCESS,
    ALONE,
    COMBINATIONS,
    FLAVOURS,
    HELD,
    MIXED,
    SIMULATED,
    VARIED,
    alone,
    mixed,
    queues,
    simulated,
    varied,
)
from .reasons import REASONS
from .runs import Measurements, Runs

STATEMENTS = {
    "fig2": "Equally increasing the number of flows the index gets close to 0.6: TFRC is friendly, and "
    "conservative. At 10/1 Reno's time-outs let the TFRC flow raise its rate.",
    "fig3": "Fairness values almost always bigger than 0.6; at 10/10 time-outs limit SACK, thus improving "
    "the fairness.",
    "fig4": "With the increase of the number of flows TFRC reveals to be more fair than TCP.",
    "fig5": "The TFRC flow achieves quite a constant throughput if compared to TCP; 67.06 kB/s for each "
    "TCP flow and 53.48 for TFRC, 2 Mb/s together.",
    "fig6": "TFRC behaves more timidly, with TCP SACK smoother than TCP Reno.",
    "fig8": "NewReno keeps to gain more than the others; TFRC gets roughly the same as Westwood and SACK "
    "but half of NewReno's, and is pretty stable.",
    "fig10": "With BS0 - H0 at 4 Mb/s TCP SACK seems to be the most penalized while TFRC provides again a "
    "stable and fair data connection.",
}
"""Statements of the paper's text about each figure."""


def paper(directory: Path) -> Paper[Runs]:
    """The paper, whose files are in `directory`."""
    printed = reference(directory)
    experiments = [*_testbed(printed["fig5"]), *_simulation()]
    return Paper(
        id=directory.name,
        title="Congestion Control in Wireless Environments: TFRC beside TCP over 802.11b",
        reference=printed,
        setups=studies.setups(directory),
        experiments={experiment.id: experiment for experiment in experiments},
        measure=Runs.of,
        predicates=PREDICATES,
        searches=SEARCHES,
        bounds=BOUNDS,
        calibration=calibration(printed["fig5"]),
        reasons=REASONS,
        introduction=introduction(printed),
        units="Throughputs are application octets delivered: kB/s on the testbed, kb/s in the simulation.",
        replications=10,
        quick_replications=5,
    )


def _testbed(fig5: dict[str, float]) -> list[Experiment[Runs]]:
    reno, sack = ([mixed(flavour, *pair) for pair in COMBINATIONS] for flavour in FLAVOURS)
    single = [alone(protocol, n) for protocol in ("reno", "tfrc") for n in ALONE]

    def three(flavour: str) -> list[str]:
        return [mixed(flavour, *MIXED)]

    # The findings about queues and other open settings belong to Figure 3.
    held = [queues(*pair) for pair in HELD]
    held += [varied(flavour, *pair) for flavour in FLAVOURS for pair in VARIED]
    return [
        _figure("fig2", "TFRC's inter-protocol fairness beside TCP Reno", reno, "reno"),
        _figure("fig3", "TFRC's inter-protocol fairness beside TCP SACK", [*sack, *held], "sack"),
        Experiment(
            "fig4",
            "Max-min fairness of TCP Reno and TFRC, each alone",
            tuple(single),
            figures.intra,
            STATEMENTS["fig4"],
        ),
        Experiment(
            "fig5",
            "Three TCP Reno flows and one TFRC over three minutes",
            ("calibration", *three("reno")),
            partial(figures.over_three_minutes, "reno", fig5),
            STATEMENTS["fig5"],
        ),
        Experiment(
            "fig6",
            "Three TCP SACK flows and one TFRC over three minutes",
            tuple(three("sack")),
            partial(figures.over_three_minutes, "sack", None),
            STATEMENTS["fig6"],
        ),
    ]


def _figure(id_: str, title: str, needed: list[str], flavour: str) -> Experiment[Runs]:
    show = partial(figures.index, flavour)
    return Experiment(id_, title, tuple(needed), show, STATEMENTS[id_])


def _simulation() -> list[Experiment[Runs]]:
    return [
        Experiment(
            figure,
            f"Five flows over three routers, BS0 - H0 at {rate}",
            tuple(dict.fromkeys(simulated(figure, access)[0] for access in ACCESS)),
            partial(figures.five_flows, figure),
            STATEMENTS[figure],
        )
        for figure, rate in SIMULATED.items()
    ]


__all__ = ["Measurements", "paper"]
