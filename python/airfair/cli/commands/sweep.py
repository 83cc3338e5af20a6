"""`airfair sweep`: runs a study, a scenario under the levels of some factors."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli import options
from airfair.cli.completers import complete, engines, files, toml_files

if TYPE_CHECKING:
    from airfair.cli.parser import Commands

_EPILOGUE = """\
examples:
  airfair sweep queue.toml
  airfair sweep queue.toml --replications 20 --out results/queue
  airfair sweep queue.toml --engine dask:tcp://head-node:8786
  airfair sweep queue.toml --json | jq '.points[] | {levels, measures}'

Finished runs are kept, so that no run is made twice: airfair cache says where.
docs/studies.md says what a study can hold.
"""


def add(commands: Commands) -> None:
    """Add the command."""
    sweep = commands.add_parser(
        "sweep",
        help="run a study: a scenario under the levels of some factors",
        description="Run a study, compare the levels of its factors in pairs, and decide its claims.",
        epilog=_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    study = sweep.add_argument("study", metavar="STUDY.toml", help="study file")
    complete(study, toml_files)
    sweep.add_argument(
        "--replications", type=int, metavar="N", help="runs of each point, instead of the study's"
    )
    options.out(
        sweep,
        "write tables (Parquet), figures (PNG, SVG) and a page to DIR; files of the same names are replaced",
    )
    engine = sweep.add_argument(
        "--engine",
        default="local",
        metavar="ENGINE",
        help="local, dask (processes of this machine) or dask:ADDRESS (default: local)",
    )
    complete(engine, engines)
    store = sweep.add_argument(
        "--store", type=Path, metavar="FILE", help="keep finished runs in FILE"
    )
    complete(store, files)
    sweep.add_argument(
        "--no-store", action="store_true", help="keep no runs, and take none that are kept"
    )
    options.threads(sweep)
    options.json(sweep)
    sweep.set_defaults(action=_sweep)


def _sweep(arguments: argparse.Namespace) -> int:
    from airfair.experiment import sweep

    return sweep.main(arguments)
