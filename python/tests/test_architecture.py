"""ARCHITECTURE.md names files and functions that exist."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text()
WAY = TEXT[TEXT.index("## The way of a packet") :].split("\n## ")[0]
ROWS = [row.split("|")[1:4] for row in WAY.splitlines() if row.startswith("| ") and "`" in row]


def _expanded(path: str) -> list[str]:
    """Paths that `a/{b,c}.rs` stands for."""
    found = re.fullmatch(r"(.*)\{(.*)\}(.*)", path)
    if found is None:
        return [path]
    before, middle, after = found.groups()
    return [f"{before}{part}{after}" for part in middle.split(",")]


def test_the_files_that_it_tells_to_open_exist() -> None:
    listed = TEXT[: TEXT.index("## Crates")]
    paths = re.findall(r"`((?:crates|python|experiments)/[^`<]*)`", listed)
    missing = [path for each in paths for path in _expanded(each) if not (ROOT / path).exists()]
    assert len(paths) > 30
    assert not missing


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0].strip())
def test_the_functions_on_the_way_of_a_packet_are_where_it_says(row: list[str]) -> None:
    files = re.findall(r"`([\w/]+\.rs)`", row[1])
    folder = ""
    texts = []
    for file in files:
        path = ROOT / "crates" / (file if "/" in file else f"{folder}/{file}")
        folder = str(path.parent.relative_to(ROOT / "crates"))
        texts.append(path.read_text())
    functions = [name.rpartition("::")[2] for name in re.findall(r"`([\w:]+)`", row[2])]
    anywhere = "".join(path.read_text() for path in (ROOT / "crates").rglob("src/**/*.rs"))
    source = "".join(texts) or anywhere
    missing = [
        name for name in functions if f"fn {name}(" not in source and f"fn {name}<" not in source
    ]
    assert functions
    assert not missing
