"""`airfair limits`: searches for conditions in which a scheme is worse than no scheme."""

from __future__ import annotations

import argparse

from airfair.cli import laws, options
from airfair.cli.completers import schemes
from airfair.cli.parser import Commands

_DESCRIPTION = """\
Search for the conditions under which a scheme makes things worse: each point is
run with the scheme and without it, under the same seeds. The scheme is SCHEME,
or a law of your own with --law; without both, all schemes are searched, each in
a directory of its own. The same command continues an interrupted search.
"""

_EPILOGUE = """\
examples:
  airfair limits --quick
  airfair limits data-ack --out results/limits
  airfair limits --standard 802.11ax arf-aware
  airfair limits --law access-point=mylaws:Mine --judge total --judge delay
  airfair limits tfrc --points 512 --json | jq '.schemes[].measures[].rules'
"""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    limits = commands.add_parser(
        "limits",
        help="search for conditions under which a scheme makes things worse",
        description=_DESCRIPTION,
        epilog=_EPILOGUE,
    )
    limits.completed(
        schemes,
        "scheme",
        nargs="?",
        metavar="SCHEME",
        help="scheme to search (see --list; default: all)",
    )
    limits.flag("--list", "list the schemes without running anything")
    laws.add(
        limits,
        "NODE is access-point or station.*, whose law acts at 1 to 100 %% of the stations",
        "in the working directory or on the Python path",
    )
    limits.several(
        "--judge",
        "MEASURE",
        "with --law: measure that decides whether the law wins or loses at a point, such as total, "
        "airtime_fairness, slowest, delay or loss (default: total and airtime_fairness); may be repeated",
    )
    limits.several(
        "--set",
        "PATH=VALUE",
        "with --law: set a key of the scenarios in which the law acts, for example "
        "bss.cell.beacon=true; may be repeated",
    )
    limits.option(
        "--standard",
        "STANDARD",
        "search in this standard only: 802.11b, a, g, n, ac or ax (default: b, a and g)",
    )
    limits.flag(
        "--ofdma", "with --standard 802.11ax: vary OFDMA as well, which is off, down, up or both"
    )
    limits.flag(
        "--neighbour",
        "with --standard 802.11ax: vary a second cell on the channel as well, which is none, in range or "
        "hidden",
    )
    limits.flag("--quick", "use fewer points, and fewer and shorter runs")
    limits.number(
        "--points",
        "number of points spread evenly over the conditions (default: 256, with --quick 24); half as "
        "many are added at the border between gain and loss",
    )
    options.replications(
        limits, "number of pairs of runs at each point (default: 10, with --quick 4)"
    )
    limits.number("--seed", "seed of the points and of the runs (default: 1)")
    options.out(
        limits,
        "write the points, a map and the scenarios of the best and worst points to DIR/SCHEME, or to "
        "DIR/STANDARD/SCHEME with --standard, where STANDARD is 802.11ax-ofdma with --ofdma, and so on "
        "(default: results/limits)",
    )
    options.force(limits)
    options.threads(limits)
    options.json(limits)
    limits.set_defaults(action=_limits)


def _limits(arguments: argparse.Namespace) -> int:
    from airfair.cli.actions import limits

    return limits.main(arguments)
