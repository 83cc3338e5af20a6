"""`airfair reproduce`: reproduces the tables and figures of papers."""

from __future__ import annotations

import argparse

from airfair.cli import options
from airfair.cli.completers import papers
from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    reproduce = commands.add_parser(
        "reproduce",
        help="reproduce the tables, figures and claims of a paper",
        description="Reproduce the tables and figures of a paper and decide whether its claims hold. "
        "Without PAPER, all papers are reproduced, each in a directory of its own. index.html above them "
        "leads to all reports; claims.html lists all claims with their verdicts, and the reason for each "
        "claim that does not hold.",
    )
    reproduce.completed(
        papers,
        "paper",
        nargs="?",
        metavar="PAPER[/EXPERIMENT]",
        help="paper to reproduce, by its id (see --list) or its directory; or one experiment of it "
        "(default: all papers)",
    )
    reproduce.flag("--list", "list the papers and their experiments without running anything")
    options.replications(
        reproduce, "number of runs of each variant (default: the paper's study files)"
    )
    options.out(
        reproduce,
        "write the report and its figures to DIR (default: results/PAPER; all papers: results)",
    )
    options.force(reproduce)
    options.threads(reproduce)
    options.json(reproduce)
    reproduce.flag(
        "--quick", "use fewer and shorter runs, and leave out experiments beyond the paper's own"
    )
    reproduce.flag(
        "--fresh",
        "run everything again instead of reading the finished runs in runs.sqlite beside the results",
    )
    reproduce.set_defaults(action=_reproduce)


def _reproduce(arguments: argparse.Namespace) -> int:
    from airfair.cli.actions import reproduce

    return reproduce.main(arguments)
