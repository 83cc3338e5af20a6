"""Fixtures: a scenario file, and a function that starts `airfair` as a user does."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from support import PROGRAM, SCENARIO, Program


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Sort files: those with waiting tests first, then those with slow tests. Workers end together."""

    def those_with(mark: str) -> set[Path]:
        return {item.path for item in items if item.get_closest_marker(mark)}

    waits, slow = those_with("waits"), those_with("slow")
    items.sort(key=lambda item: (item.path not in waits, item.path not in slow))


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """Scenario file whose simulation takes milliseconds."""
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Function that runs `airfair` with arguments and returns its exit status and output."""

    def start(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
            env={name: value for name, value in os.environ.items() if name != "COLUMNS"},
        )

    return start
