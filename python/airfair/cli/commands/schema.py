"""`airfair schema`: prints the JSON Schema of the scenario file, or of the study file."""

from __future__ import annotations

import argparse

from airfair.cli.output import print_json
from airfair.cli.status import DONE


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if arguments.file == "study":
        from airfair.experiment.study_schema import schema as of_study

        print_json(of_study())
        return DONE
    from airfair._core import schema

    print(schema())
    return DONE
