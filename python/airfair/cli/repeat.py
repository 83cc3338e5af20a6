"""Repetition of runs in two fresh processes, which shows whether their laws can be repeated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

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
        command = [sys.executable, "-m", "airfair.cli.in_order", name, json.dumps(order), *laws]
        environment = os.environ | {"PYTHONHASHSEED": str(seed)}
        run = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
        if run.returncode:
            return run.returncode
        hashes.append(json.loads(run.stdout.splitlines()[-1]))
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
