"""Draws the pictures of the gallery and the learning curve.

A picture of the gallery is the `figure` of the code below it on the page. The learning curve is drawn from
bench/ppo.json.

Use: make site. The pictures go to target/book/figures, where `mkdocs` finds them.
"""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

import learning
import steps

from airfair.figures import svg

GALLERY = steps.ROOT / "docs" / "gallery.md"
INTO = steps.ROOT / "target" / "book" / "figures"


def main(only: list[str]) -> None:
    """Draw the pictures with given names, or all."""
    INTO.mkdir(parents=True, exist_ok=True)

    def draw(name: str, figure: object) -> None:
        if not only or name in only:
            (INTO / f"{name}.svg").write_text(svg(figure), encoding="utf-8")

    draw("learning-curve", learning.figure())
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AIRFAIR_CACHE"] = str(Path(folder) / "runs.sqlite")
        (Path(folder) / "page").mkdir()
        steps.followed(GALLERY.read_text(encoding="utf-8"), Path(folder) / "page", draw)


if __name__ == "__main__":
    main(sys.argv[1:])
