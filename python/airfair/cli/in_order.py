"""Program that runs replications of a scenario in a given order, for `airfair check --twice`."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from airfair.cli import laws, scenarios
from airfair.cli.status import DONE
from airfair.law_use import uses
from airfair.law_worker import run


def main(name: str, order: Sequence[int], texts: Sequence[str]) -> int:
    """Run the replications with the laws of `--law`, and print their record hashes as the last line."""
    scenario = scenarios.read(name)
    own = uses(laws.of(argparse.Namespace(law=texts), name, scenario))
    hashes = {}
    for replication in order:
        try:
            outcome = run(scenario, replication, own, lambda _: None)
        except Exception as error:  # noqa: BLE001 - of a law, which may raise anything
            return laws.failed(error)
        hashes[replication] = f"{outcome.record_hash:016x}"
    print(json.dumps(hashes))
    return DONE


if __name__ == "__main__":
    sys.exit(main(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]))
