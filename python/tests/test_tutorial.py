"""Test that the steps of the tutorial work as written."""

from __future__ import annotations

from pathlib import Path

import pytest
import steps

TUTORIAL = Path(__file__).parents[2] / "docs" / "tutorial.md"


@pytest.mark.slow
def test_every_command_and_snippet_of_the_tutorial_runs_in_its_order(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("AIRFAIR_CACHE", str(tmp_path / "kept.sqlite"))
    text = TUTORIAL.read_text(encoding="utf-8")
    assert len([block for block in steps.blocks(text) if block.kind in {"sh", "python"}]) > 8
    assert steps.followed(text, tmp_path) == text
    for made in ("results/slow/report.html", "results/queue/delay.png", "delay.png"):
        assert (tmp_path / made).stat().st_size > 1000
    assert "claims hold" in (tmp_path / "results" / "my-paper" / "report.html").read_text()
