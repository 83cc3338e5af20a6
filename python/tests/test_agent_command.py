"""Tests of `airfair agent`, which starts the agent's program."""

from __future__ import annotations

import os

import pytest

from airfair.cli import main
from airfair.cli.commands import agent

WORDS = ["run", "--interface", "wlan0", "--dry-run", "--json"]


class HandedError(Exception):
    """Raised in place of the start of the program, with its arguments."""


def test_words_are_handed_over_as_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    def handed(program: str, words: list[str]) -> None:
        raise HandedError(program, words)

    monkeypatch.setattr(agent, "_program", lambda: "/opt/airfair-agent")
    monkeypatch.setattr(os, "execv", handed)
    with pytest.raises(HandedError) as got:
        main(["agent", *WORDS])
    assert got.value.args == ("/opt/airfair-agent", ["airfair-agent", *WORDS])


def test_without_the_program_it_says_how_to_build_it(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(agent, "_program", lambda: None)
    assert main(["agent", *WORDS]) == 2
    assert "build it with `make agent`" in capsys.readouterr().err
    assert main(["agent", "--help"]) == 0
    assert "usage: airfair agent COMMAND" in capsys.readouterr().out
