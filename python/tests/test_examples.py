"""Tests that each study among the examples is valid, and that the cells of each notebook run."""

from __future__ import annotations

import ast
import json
import runpy
import shutil
from pathlib import Path
from typing import Any

import pytest
import steps
from matplotlib.figure import Figure

from airfair import cli
from airfair.experiment import load_study

EXAMPLES = Path(__file__).parents[2] / "examples"
HOW_TO = EXAMPLES.parent / "docs" / "how-to" / "notebook.md"
NOTEBOOKS = sorted(EXAMPLES.glob("*/*.ipynb"))
OTHERS = {"cell.toml", "Cargo.toml", "clippy.toml"}
STUDIES = sorted(path for path in EXAMPLES.glob("*/*.toml") if path.name not in OTHERS)


def test_a_profile_is_made_of_every_scenario_that_ships() -> None:
    train = runpy.run_path(str(EXAMPLES.parent / "bench" / "train.py"))
    assert len(train["shipped_scenarios"]()) > len(list(EXAMPLES.parent.glob("scenarios/*.toml")))


@pytest.mark.slow
@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_from_its_first_cell_to_its_last(
    path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    shutil.copytree(path.parent, tmp_path / "here")
    monkeypatch.chdir(tmp_path / "here")
    monkeypatch.setenv("AIRFAIR_CACHE", str(tmp_path / "runs.sqlite"))
    names: dict[str, Any] = {}
    shown = [
        _run("".join(cell["source"]), names)
        for cell in json.loads(path.read_text())["cells"]
        if cell["cell_type"] == "code"
    ]
    assert any(isinstance(value, Figure) for value in shown)
    assert any(hasattr(value, "_repr_html_") and value._repr_html_() for value in shown)


def test_the_how_to_of_notebooks_runs_as_written_and_each_cell_shows_something(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("AIRFAIR_CACHE", str(tmp_path / "runs.sqlite"))
    names: dict[str, Any] = {}
    shown = []
    for block in steps.blocks(HOW_TO.read_text(encoding="utf-8")):
        if block.kind == "sh":
            assert cli.main(block.body.split()[1:]) == cli.DONE
            continue
        tree = ast.parse(block.body)
        hidden = [line for line in tree.body[:-1] if isinstance(line, ast.Expr)]
        assert not hidden, "a notebook shows the last line of a cell alone"
        shown.append(_run(block.body, names))
    assert all(value is not None for value in shown)
    assert sum(isinstance(value, Figure) for value in shown) == 7
    (verdict,) = shown[-1] if isinstance(shown[-1], list) else ()
    assert str(verdict).startswith("The claim fast-gains")


def _run(source: str, names: dict[str, Any]) -> object:
    """Run a cell and return the value of its last expression, which a notebook would show."""
    tree = ast.parse(source)
    last = tree.body[-1]
    if not isinstance(last, ast.Expr):
        exec(compile(tree, "cell", "exec"), names)  # noqa: S102 - our own notebook
        return None
    exec(compile(ast.Module(tree.body[:-1], []), "cell", "exec"), names)  # noqa: S102 - as above
    return eval(compile(ast.Expression(last.value), "cell", "eval"), names)  # noqa: S307 - as above


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_a_notebook_is_kept_without_output(path: Path) -> None:
    cells = json.loads(path.read_text())["cells"]
    assert not any(cell.get("outputs") for cell in cells)


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_a_study_among_the_examples_has_no_mistake(path: Path) -> None:
    assert load_study(path).experiment.size > 1
