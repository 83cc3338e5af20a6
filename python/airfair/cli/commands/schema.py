"""`airfair schema`: prints the JSON Schema of the scenario file, or of the study file."""

from __future__ import annotations

import argparse

from airfair.cli.output import print_json
from airfair.cli.parser import Commands
from airfair.cli.status import DONE


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    schema = commands.add_parser(
        "schema",
        help="print the JSON Schema of the scenario file, or of the study file",
        description="Print the JSON Schema of the scenario file or of the study file, for editors.",
    )
    schema.add_argument(
        "file",
        nargs="?",
        choices=("scenario", "study"),
        default="scenario",
        help="kind of the file: scenario or study (default: scenario)",
    )
    schema.set_defaults(action=_schema)


def _schema(arguments: argparse.Namespace) -> int:
    if arguments.file == "study":
        from airfair.experiment.study_schema import schema as of_study

        print_json(of_study())
        return DONE
    from airfair._core import schema

    print(schema())
    return DONE
