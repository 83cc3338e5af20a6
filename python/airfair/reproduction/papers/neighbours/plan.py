"""Names of the variants of `neighbours`: cells, cures and their places. Study files declare each."""

from __future__ import annotations

from collections.abc import Mapping

from airfair.experiment.conditions import Key

STANDARDS: Mapping[str, str] = {"g": "802.11g", "ax": "802.11ax"}
WAYS = ("down", "up")
NOBODY, YOURS, BOTH, OUTER = "nobody slow", "yours slow", "both slow", "outer slow"
"""Cells with a slow station."""
NONE = "none"
TURNS = "turns"
CURES: Mapping[str, Mapping[str, str]] = {
    "down": {"airtime": "airtime scheduler", "occupancy": "granted shares"},
    "up": {"arf-aware": "ARF-aware TCP", "occupancy": "granted shares"},
}
"""Cures by direction. ARF-aware TCP is at stations that send, and the scheduler at the access point."""
LONGER = "longer turns"
"""Label of `TURNS`: a TXOP limit of 4 ms, which the study has for 802.11ax."""
PLACES: Mapping[str, str] = {"mine": "in my cell", "yours": "in yours", "both": "in both"}
AMONG_THREE: Mapping[str, str] = {
    "middle": "in the middle cell",
    "outer": "in the outer cells",
    "all": "in all cells",
}


def two(way: str, standard: str, slow: str, cure: str = NONE, place: str = "") -> Key:
    """Two cells, in which `slow` have a slow station, with a cure at a place."""
    return (f"cells-{way}", f"{standard}, {slow}, {_cure(cure, place)}")


def three(standard: str, slow: str, cure: str = NONE, place: str = "") -> Key:
    """Three cells, of which the outer ones do not hear each other."""
    return ("middle", f"{standard}, {slow}, {_cure(cure, place)}")


COLOURS: Mapping[str, str] = {"off": "without spatial reuse", "on": "with spatial reuse"}
"""Labels of the cells side by side with and without colours and an OBSS-PD level."""


def reuse(colour: str, slow: str, cure: str = NONE, place: str = "") -> Key:
    """Two cells side by side, whose colours are off or on."""
    return ("reuse", f"colour {colour}, {slow}, {_cure(cure, place)}")


def _cure(cure: str, place: str) -> str:
    return f"{cure} in {place}" if place else cure
