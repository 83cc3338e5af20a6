"""`airfair reproduce`: reproduces the tables and figures of papers."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import options
from airfair.cli.completers import complete, papers

if TYPE_CHECKING:
    from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command."""
    reproduce = commands.add_parser(
        "reproduce",
        help="reproduce the tables and figures of a paper",
        description="Reproduce the tables and figures of a paper and decide its claims. "
        "Without PAPER: all papers, each in a directory of its own; above them index.html, to begin with, "
        "and claims.html: all claims, which hold, which do not, and why.",
    )
    paper = reproduce.add_argument(
        "paper", nargs="?", metavar="PAPER[/EXPERIMENT]", help="what to run"
    )
    complete(paper, papers)
    reproduce.add_argument("--list", action="store_true", help="list what there is and run nothing")
    reproduce.add_argument("--replications", type=int, metavar="N", help="independent runs")
    options.out(reproduce, "write report and figures to DIR")
    options.force(reproduce)
    options.threads(reproduce)
    options.json(reproduce)
    reproduce.add_argument(
        "--quick",
        action="store_true",
        help="a first look: fewer and shorter runs, nothing beyond the papers' own figures and claims",
    )
    reproduce.add_argument(
        "--fresh",
        action="store_true",
        help="run all anew; else what an earlier call finished is taken from runs.sqlite in the results",
    )
    reproduce.set_defaults(action=_reproduce)


def _reproduce(arguments: argparse.Namespace) -> int:
    from airfair import reproduce

    return reproduce.main(arguments)
