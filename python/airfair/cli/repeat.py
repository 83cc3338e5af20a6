"""Repetition of runs in two fresh processes, which shows whether their laws can be repeated.

Each process runs this module as a program.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Sequence

from airfair.cli import laws as named
from airfair.cli import scenarios
from airfair.cli.status import DONE, FAILED, complain

ORDERS = ((0, 1), (1, 0))
"""Replications that each process runs, in its order."""


def twice(name: str, laws: Sequence[str]) -> int:
    """Run two replications of a scenario twice, compare the record hashes, and return an exit status.

    The two processes have different seeds of hashes, so that an order of a set of texts differs, too. They
    run the replications in different orders. A law that keeps state from the run before gives other records.
    """
    hashes = []
    for seed, order in enumerate(ORDERS, 1):
        command = [sys.executable, "-m", __name__, name, json.dumps(order), *laws]
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        done = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
        if done.returncode:
            return done.returncode
        hashes.append(json.loads(done.stdout.splitlines()[-1]))
    first, second = hashes
    for replication, which in enumerate(("first", "second")):
        one, other = first[str(replication)], second[str(replication)]
        if one != other:
            words = f"{name}: two runs of the {which} replication differ: record hashes {one} and {other}"
            if laws:
                words += (
                    "; a law may use random numbers of node.random() and the time of node.now_s, and no "
                    "others, and keep state in attributes of self, not of its class or module"
                )
            return complain(FAILED, words)
    return DONE


def in_order(name: str, order: Sequence[int], texts: Sequence[str]) -> int:
    """Run the replications with the laws of `--law`, and print their record hashes as the last line."""
    from airfair.law_use import uses
    from airfair.law_worker import run

    scenario = scenarios.read(name)
    own = uses(named.of(argparse.Namespace(law=texts), name, scenario))
    hashes = {}
    for replication in order:
        try:
            outcome = run(scenario, replication, own, lambda _: None)
        except Exception as error:  # noqa: BLE001 - of a law, which may raise anything
            return named.failed(error)
        hashes[replication] = f"{outcome.record_hash:016x}"
    print(json.dumps(hashes))
    return DONE


if __name__ == "__main__":
    sys.exit(in_order(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3:]))
