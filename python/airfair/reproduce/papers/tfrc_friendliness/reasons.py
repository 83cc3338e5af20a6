"""Why claims of `tfrc-friendliness` do not hold; `docs/tfrc-friendliness.md` has what found it."""

from __future__ import annotations

from airfair.experiment.claims import Reason

_NS2 = "ns-2.35 has the same order, flow by flow, so it is not a matter of the simulator."

REASONS = {
    "reno-index-0.6": (
        Reason(
            "With spoilt frames alone the index at 10/10 is what the paper says. Periods in which "
            "nothing gets through bring time-outs, of which TFRC is slower to recover than TCP, and "
            "it gets less: 0.70 to 0.73. Settings that the paper does not tell move it as far.",
        ),
    ),
    "sack-index-above-0.6": (
        Reason(
            "SACK has fewer time-outs and takes more from TFRC than Reno does, everywhere. Above 0.6 "
            "the index is where the air has periods in which nothing gets through, as the paper "
            "describes its own; with spoilt frames alone it is so with many flows only.",
            of="combinations*",
        ),
    ),
    "sack-10-10": (
        Reason(
            "SACK's time-outs do become more frequent, but of the access point's 50 packets two or "
            "three are left for each of twenty flows. At the losses that follow, TFRC's equation "
            "falls faster than a TCP that still gets fast retransmits. With 200 packets the index no "
            "longer rises from 5/5 to 10/10, and does not fall either.",
            of="index at 10/10 *",
        ),
    ),
    "intra-fairness": (
        Reason(
            "With ten flows TFRC is the fairer one. With twenty, the least and the largest of twenty "
            "two-minute averages differ by chance as much as the protocols do; where the air has bad "
            "periods, TCP is ahead.",
            of="max-min with 20 flows*",
        ),
    ),
    "smoother": (
        Reason(
            "A second in which nothing gets through ends TFRC's feedback: its rate is halved again "
            "and again and comes back slowly, while SACK starts again at once. With shorter periods "
            "TFRC is smoother.",
        ),
    ),
    "fig8-newreno-most": (
        Reason(
            f"{_NS2} Not found out yet what put NewReno first in the paper's runs.",
            of="NewReno / *",
        ),
        Reason(
            "TFRC gets more than NewReno because its packets are smaller: 532 octets find room in a "
            "full drop-tail queue where TCP's 540 do not. With 552 octets it gets 0.62 of NewReno.",
            of="TFRC / *",
        ),
    ),
    "fig10-sack-least": (
        Reason(
            f"{_NS2} SACK gets what NewReno gets there, or a little more; not found out yet what set them "
            "apart in the paper's runs.",
            of="SACK / *",
        ),
        Reason(
            "The cell's bursts at 4 Mb/s meet a queue of 20 packets: TCPs limited by their windows "
            "lose 4 % of their packets, paced TFRC 1 %, so TFRC takes the most.",
            of="TFRC's index",
        ),
    ),
}
