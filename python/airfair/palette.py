"""Colours of figures and pages."""

from __future__ import annotations

PALETTE = ("#c44601", "#0072b2", "#008a63", "#a4508b", "#806000")
"""Okabe and Ito's hues, darkened to a contrast of 4.5 on white, in the order in which curves use them."""
INK = "#222222"
MUTED = "#6b6b6b"
GRID = "#dcdcdc"
