"""Repetition of a run in two fresh processes, which shows whether its laws can be repeated."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Sequence

from airfair.cli.status import DONE, FAILED, complain


def twice(name: str, laws: Sequence[str]) -> int:
    """Run the first replication of a scenario twice, compare the record hashes, and return an exit status.

    The two processes have different seeds of hashes, so that an order of a set of texts differs, too.
    """
    command = [sys.executable, "-m", "airfair", "run", name, "--replications", "1", "--json"]
    command += [word for law in laws for word in ("--law", law)]
    hashes = []
    for seed in ("1", "2"):
        environment = os.environ | {"PYTHONHASHSEED": seed}
        run = subprocess.run(command, stdout=subprocess.PIPE, env=environment, check=False)
        if run.returncode:
            return run.returncode
        hashes.append(json.loads(run.stdout)["record_hashes"][0])
    if hashes[0] == hashes[1]:
        return DONE
    told = f"{name}: two runs of the first replication differ: record hashes {' and '.join(hashes)}"
    if laws:
        told += "; a law may use random numbers of node.random() and the time of node.now_s, and no others"
    return complain(FAILED, told)
