"""`airfair limits`: searches where a scheme loses to doing nothing."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import options
from airfair.cli.completers import complete, schemes

if TYPE_CHECKING:
    from airfair.cli.parser import Commands

_DESCRIPTION = """\
Search the conditions under which a scheme loses to doing nothing: pairs of runs
with and without it, under the same seeds. Without SCHEME: all schemes, each in
a directory of its own. A search that was interrupted goes on where it was.
"""

_EPILOGUE = """\
examples:
  airfair limits --quick
  airfair limits data-ack --out results/limits
  airfair limits --standard 802.11ax arf-aware
  airfair limits tfrc --points 512 --json | jq '.schemes[].measures[].rules'
"""


def add(commands: Commands) -> None:
    """Add the command."""
    limits = commands.add_parser(
        "limits",
        help="search where a scheme loses to doing nothing",
        description=_DESCRIPTION,
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    scheme = limits.add_argument(
        "scheme", nargs="?", metavar="SCHEME", help="whose limits; see --list"
    )
    complete(scheme, schemes)
    limits.add_argument("--list", action="store_true", help="list the schemes and run nothing")
    limits.add_argument(
        "--standard",
        metavar="STANDARD",
        help="search in one standard alone: 802.11b, a, g, n, ac or ax (default: b, a and g)",
    )
    limits.add_argument("--quick", action="store_true", help="fewer points, fewer and shorter runs")
    limits.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="conditions that are spread evenly; half as many follow at the border",
    )
    limits.add_argument("--replications", type=int, metavar="N", help="pairs of runs at each point")
    limits.add_argument("--seed", type=int, metavar="N", help="seed of points and runs")
    options.out(
        limits,
        "write points, map and extreme scenarios to DIR/SCHEME, or DIR/STANDARD/SCHEME "
        "(default: results/limits)",
    )
    options.force(limits)
    options.threads(limits)
    options.json(limits)
    limits.set_defaults(action=_limits)


def _limits(arguments: argparse.Namespace) -> int:
    from airfair import limits

    return limits.main(arguments)
