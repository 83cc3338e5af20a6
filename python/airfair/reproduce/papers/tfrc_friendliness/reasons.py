"""Why claims of `tfrc-friendliness` do not hold; `docs/tfrc-friendliness.md` has what found it."""

from __future__ import annotations

from airfair.reproduce.claims import Reason

_NS2 = "ns-2.35 has the same order, flow by flow, so it is not a matter of the simulator."

REASONS = {
    "reno-index-0.6": (
        Reason(
            "The index rises as the paper says; its level depends on settings that the paper does not "
            "tell. At 10/10 it is 0.63 if TCP counts octets and 0.64 with TFRC packets of 1000 octets, "
            "either of which makes the claim true, and 0.69 with 20 packets at the access point.",
            of="index at 10/10",
        ),
    ),
    "reno-10-1": (
        Reason(
            "Reno's time-outs do become more frequent, but the index grows with the number of flows more "
            "than it depends on their mix: at 10/1 it is 0.488, below 10/10 (0.553), above 1/1 (0.421), "
            "and no different from the mean of the equal combinations (by 0.002 ± 0.006 in 60 "
            "replications).",
            of="index at 10/1 - *",
        ),
    ),
    "sack-index-above-0.6": (
        Reason(
            "SACK has fewer time-outs and takes more from TFRC than Reno does, as the paper says; the "
            "level of the index depends on settings that the paper does not tell. If TCP acknowledges "
            "every segment, it is above 0.6 in 0.957 ± 0.038 of the combinations.",
            of="part of the combinations*",
        ),
    ),
    "sack-10-10": (
        Reason(
            "Of the access point's 50 packets two or three are left for each of twenty flows. At the "
            "losses that follow, TFRC's equation falls faster than a TCP that still gets fast "
            "retransmits. With 200 packets fairness does improve (index 0.517 at 5/5, 0.492 at 10/10).",
            of="index, 10/10 *",
        ),
    ),
    "intra-fairness": (
        Reason(
            "With twenty flows, the least and the largest of twenty two-minute averages differ by chance "
            "as much as the protocols do; eight runs, as the paper made, cannot tell.",
            of="max-min with 20 flows*",
        ),
    ),
    "fig8-newreno-most": (
        Reason(
            f"{_NS2} Not found out yet what put NewReno first in the paper's runs.",
            of="NewReno / *",
        ),
        Reason(
            "TFRC gets more than NewReno because its packets are smaller: 532 octets find room in a full "
            "drop-tail queue where TCP's 540 do not. With 552 octets it gets two thirds of NewReno.",
            of="TFRC / *",
        ),
    ),
    "fig10-sack-least": (
        Reason(
            f"{_NS2} SACK gets what NewReno gets there; not found out yet what set them apart in the "
            "paper's runs.",
            of="SACK / *",
        ),
        Reason(
            "The cell's bursts at 4 Mb/s meet a queue of 20 packets: TCPs limited by their windows lose 4 "
            "% of their packets, paced TFRC 1 %, so TFRC takes the most.",
            of="TFRC's index",
        ),
    ),
}
