"""What the tests share: a small scenario, and how to start the program."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from airfair.reproduce.paper import Paper

Program = Callable[..., subprocess.CompletedProcess[str]]

PROGRAM = [sys.executable, "-W", "error", "-m", "airfair"]

SCENARIO = """\
title    = "One slow station drags the fast one down"
duration = "4 s"
series   = "500 ms"

[bss.home]
standard = "802.11b"

[station.slow]
bss  = "home"
rate = "1 Mb/s"

[station.fast]
bss  = "home"
rate = "11 Mb/s"

[host.server]
link = { to = "home", rate = "100 Mb/s", delay = "2 ms", queue = { packets = 100 } }

[flow.a]
from = "slow"
to   = "server"
transport = { kind = "tcp", flavour = "newreno" }

[flow.b]
from = "fast"
to   = "server"
transport = { kind = "tcp", flavour = "newreno" }
"""


def unused_reasons(paper: Paper[Any], data: object) -> list[str]:
    """Reasons of claims that do not exist, or for conditions that no claim has."""
    conditions = {predicate.id: predicate.deciding.points(data) for predicate in paper.predicates}
    return [
        f"{claim}: {reason.of}"
        for claim, reasons in paper.reasons.items()
        for reason in reasons
        if not any(map(reason.explains, conditions.get(claim, ())))
    ]
