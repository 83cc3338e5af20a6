"""Fixtures: a scenario file, and the program as a user starts it."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from support import PROGRAM, SCENARIO, Program


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Shares the tests out to processes (`--dist=loadgroup`): the longest begin.

    Those that wait follow each other in one process. Those that share what their module makes once stay
    together, so that it is made once.
    """
    for item in items:
        if item.get_closest_marker("waits"):
            item.add_marker(pytest.mark.xdist_group("waits"))
        elif _shares(item):
            item.add_marker(pytest.mark.xdist_group(item.path.stem))
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


def _shares(item: pytest.Item) -> bool:
    """Whether a test uses what is made once for its module."""
    fixtures = getattr(item, "_fixtureinfo").name2fixturedefs.values()  # noqa: B009
    return any(made.scope == "module" for one in fixtures for made in one)


@pytest.fixture
def scenario(tmp_path: Path) -> Path:
    """A scenario file that runs in milliseconds."""
    path = tmp_path / "scenario.toml"
    path.write_text(SCENARIO, encoding="utf-8")
    return path


@pytest.fixture
def program(tmp_path: Path) -> Program:
    """Start `airfair` with arguments, wait for it and return what it printed."""

    def start(*arguments: object, stdin: str = "") -> subprocess.CompletedProcess[str]:
        return subprocess.run(
            [*PROGRAM, *map(str, arguments)],
            cwd=tmp_path,
            input=stdin,
            capture_output=True,
            text=True,
            timeout=600,
            check=False,
        )

    return start
