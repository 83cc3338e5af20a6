"""README shows what the program prints. `make readme` writes it anew."""

from __future__ import annotations

import os
from pathlib import Path

import airfair
from airfair import terminal
from airfair.terminal_tables import Wish

ROOT = Path(__file__).resolve().parents[2]
SCENARIO = "scenarios/one-slow-station.toml"
BEFORE = f".venv/bin/airfair run {SCENARIO}\n```\n\n```\n"


def test_the_sample_output_in_the_readme_is_what_the_command_prints() -> None:
    readme = ROOT / "README.md"
    text = readme.read_text(encoding="utf-8")
    start = text.index(BEFORE) + len(BEFORE)
    end = text.index("\n```", start)
    result = airfair.run(ROOT / SCENARIO)
    # Without title and time, which differs from machine to machine.
    lines = list(terminal.report(result, Wish(), terminal.WIDTH, terminal.Ink()))[3:]
    printed = "\n".join(lines)
    if os.environ.get("AIRFAIR_README") == "write":
        readme.write_text(text[:start] + printed + text[end:], encoding="utf-8")
    else:
        assert text[start:end] == printed, "README.md is stale: make readme"
