"""`airfair limits`: searches for conditions in which a scheme is worse than no scheme."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import options
from airfair.cli.completers import complete, schemes

if TYPE_CHECKING:
    from airfair.cli.parser import Commands

_DESCRIPTION = """\
Search for the conditions under which a scheme makes things worse: each point is
run with the scheme and without it, under the same seeds. Without SCHEME, all
schemes are searched, each in a directory of its own. The same command continues
an interrupted search.
"""

_EPILOGUE = """\
examples:
  airfair limits --quick
  airfair limits data-ack --out results/limits
  airfair limits --standard 802.11ax arf-aware
  airfair limits tfrc --points 512 --json | jq '.schemes[].measures[].rules'
"""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    limits = commands.add_parser(
        "limits",
        help="search for conditions under which a scheme makes things worse",
        description=_DESCRIPTION,
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    scheme = limits.add_argument(
        "scheme", nargs="?", metavar="SCHEME", help="scheme to search (see --list; default: all)"
    )
    complete(scheme, schemes)
    limits.add_argument(
        "--list", action="store_true", help="list the schemes without running anything"
    )
    limits.add_argument(
        "--standard",
        metavar="STANDARD",
        help="search in this standard only: 802.11b, a, g, n, ac or ax (default: b, a and g)",
    )
    limits.add_argument(
        "--quick", action="store_true", help="use fewer points, and fewer and shorter runs"
    )
    limits.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="number of points spread evenly over the conditions (default: 256, with --quick 24); half as "
        "many are added at the border between gain and loss",
    )
    limits.add_argument(
        "--replications",
        type=int,
        metavar="N",
        help="number of pairs of runs at each point (default: 10, with --quick 4)",
    )
    limits.add_argument(
        "--seed", type=int, metavar="N", help="seed of the points and of the runs (default: 1)"
    )
    options.out(
        limits,
        "write the points, a map and the scenarios of the best and worst points to DIR/SCHEME, or to "
        "DIR/STANDARD/SCHEME with --standard (default: results/limits)",
    )
    options.force(limits)
    options.threads(limits)
    options.json(limits)
    limits.set_defaults(action=_limits)


def _limits(arguments: argparse.Namespace) -> int:
    from airfair.cli.actions import limits

    return limits.main(arguments)
