"""The tutorial, followed word by word."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from support import PROGRAM

TUTORIAL = (Path(__file__).parents[2] / "docs" / "tutorial.md").read_text()
BLOCKS = re.findall(r"```(sh|python)\n(.*?)```", TUTORIAL, re.DOTALL)


@pytest.mark.slow
def test_every_command_and_snippet_of_the_tutorial_runs_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFAIR_CACHE", str(tmp_path / "kept.sqlite"))
    commands = 0
    for kind, block in BLOCKS:
        lines = [block] if kind == "python" else block.splitlines()
        for line in lines:
            command = [sys.executable, "-c", line] if kind == "python" else _command(line)
            done = subprocess.run(
                command, cwd=tmp_path, capture_output=True, text=True, check=False
            )
            assert done.returncode == 0, f"{line}\n{done.stdout}{done.stderr}"
            commands += 1
    assert commands > 12
    for made in ("results/slow/report.html", "results/queue/delay.png", "delay.png"):
        assert (tmp_path / made).stat().st_size > 1000
    assert "claims hold" in (tmp_path / "results" / "my-paper" / "report.html").read_text()


def _command(line: str) -> list[str]:
    program, *arguments = shlex.split(line)
    assert program == "airfair"
    return [*PROGRAM, *arguments]
