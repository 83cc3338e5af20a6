"""Tests that files, functions and tests in ARCHITECTURE.md exist, and that dependencies are as stated."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import circles
import pytest

ROOT = Path(__file__).parents[2]
TEXT = (ROOT / "ARCHITECTURE.md").read_text(encoding="utf-8")


def section(title: str) -> str:
    """Text between a heading and the next one."""
    return TEXT[TEXT.index(f"\n## {title}\n") :].split("\n## ")[1]


def rows(title: str) -> list[list[str]]:
    """Cells of the rows of a section's table that name functions."""
    lines = section(title).splitlines()
    return [row.split("|")[1:4] for row in lines if row.startswith("| ") and "`" in row]


STEPS = rows("The way of a packet") + rows("The way of an aggregate")


def _expanded(path: str) -> list[str]:
    """Paths without braces: those of `a/{b,c}.rs` are `a/b.rs` and `a/c.rs`."""
    found = re.fullmatch(r"(.*)\{(.*)\}(.*)", path)
    if found is None:
        return [path]
    before, middle, after = found.groups()
    return [f"{before}{part}{after}" for part in middle.split(",")]


def test_the_files_that_it_tells_to_open_exist() -> None:
    listed = section("Where to look")
    paths = re.findall(r"`((?:book|crates|python|experiments|tests)/[^`<]*)`", listed)
    missing = [path for each in paths for path in _expanded(each) if not (ROOT / path).exists()]
    assert len(paths) > 30
    assert not missing


@pytest.mark.parametrize("row", STEPS, ids=lambda row: row[0].strip())
def test_the_functions_on_the_way_of_a_packet_are_where_it_says(row: list[str]) -> None:
    files = re.findall(r"`([\w/]+\.rs)`", row[1])
    folder = ""
    texts = []
    for file in files:
        path = ROOT / "crates" / (file if "/" in file else f"{folder}/{file}")
        folder = str(path.parent.relative_to(ROOT / "crates"))
        texts.append(path.read_text(encoding="utf-8"))
    functions = [name.rpartition("::")[2] for name in re.findall(r"`([\w:]+)`", row[2])]
    source = "".join(texts)
    missing = [
        name for name in functions if f"fn {name}(" not in source and f"fn {name}<" not in source
    ]
    assert texts
    assert functions
    assert not missing


def test_each_invariant_names_a_test_that_exists() -> None:
    invariants = re.split(r"^\d\. ", section("Invariants"), flags=re.MULTILINE)[1:]
    assert len(invariants) == 7
    sources = [*(ROOT / "crates").glob("*/tests/**/*.rs"), *(ROOT / "python/tests").glob("*.py")]
    tests = "".join(path.read_text(encoding="utf-8") for path in sources)
    for invariant in invariants:
        names = re.findall(r"`([a-z0-9]+(?:_[a-z0-9]+){3,})`", invariant)
        files = re.findall(r"`(crates/\w+/tests/[\w/{},]+\.rs)`", invariant)
        missing = [name for name in names if not re.search(rf"(?:fn|def) {name}\b", tests)]
        missing += [
            path for each in files for path in _expanded(each) if not (ROOT / path).exists()
        ]
        assert names
        assert not missing


def depends_on(crate: str) -> set[str]:
    """Crates that a crate of the workspace depends on, without those of its tests."""
    manifest = tomllib.loads((ROOT / "crates" / crate / "Cargo.toml").read_text(encoding="utf-8"))
    return {name.removeprefix("airfair-") for name in manifest["dependencies"]}


def test_the_layers_do_not_depend_on_each_other() -> None:
    assert depends_on("laws") == {"units", "libm"}
    assert depends_on("transport") == {"units", "laws", "libm"}
    assert depends_on("wlan").isdisjoint({"transport", "sim"})
    assert depends_on("agent").isdisjoint({"transport", "sim", "emulator"})
    assert depends_on("netlink") == {"units"}
    assert depends_on("sim").isdisjoint({"link", "trace", "emulator", "agent", "python", "web"})
    assert depends_on("link") == {"units", "sim"}


def test_the_lints_forbid_clocks_and_unsafe_code() -> None:
    methods = tomllib.loads((ROOT / "clippy.toml").read_text(encoding="utf-8"))[
        "disallowed-methods"
    ]
    clocks = {"std::time::Instant::now", "std::time::SystemTime::now"}
    assert clocks <= {each["path"] for each in methods}
    lints = tomllib.loads((ROOT / "Cargo.toml").read_text(encoding="utf-8"))["workspace"]["lints"]
    assert lints["rust"]["unsafe_code"] == "forbid"
    assert lints["clippy"]["disallowed_methods"] == "deny"
    own = {
        path.parent.name
        for path in (ROOT / "crates").glob("*/Cargo.toml")
        if "workspace = true" not in path.read_text(encoding="utf-8").partition("\n[lints]\n")[2]
    }
    assert own == {"agent", "emulator", "python", "web"}


PACKAGE = ROOT / "python/airfair"


def imported(path: Path) -> Iterator[str]:
    """Absolute names that a module of the package imports, wherever in the module it does so."""
    home = path.relative_to(PACKAGE.parent).parent.parts
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (one.name for one in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = home[: len(home) + 1 - node.level] if node.level else ()
            whole = ".".join([*base, *([node.module] if node.module else [])])
            yield from (f"{whole}.{one.name}" for one in node.names)


def test_no_module_of_the_library_imports_the_command_line() -> None:
    """`airfair.__main__` is the program, and so the one module besides that does."""
    library = [
        path
        for path in PACKAGE.rglob("*.py")
        if not path.is_relative_to(PACKAGE / "cli") and path != PACKAGE / "__main__.py"
    ]
    assert len(library) > 100
    assert not {
        (str(path.relative_to(PACKAGE)), name)
        for path in library
        for name in imported(path)
        if f"{name}.".startswith("airfair.cli.")
    }
    # Negative control: imports in functions, relative ones and those of the package are seen.
    assert "airfair.cli.main" in set(imported(PACKAGE / "__main__.py"))
    assert "airfair.store" in set(imported(PACKAGE / "cli/output.py"))


def test_no_file_needs_one_that_needs_it() -> None:
    found = {house: circles.circles(arrows) for house, arrows in circles.arrows_by_house().items()}
    assert len(found) > 10
    assert not {house: groups for house, groups in found.items() if groups}, (
        "run tests/circles.py, which lists the circles with the names that close them"
    )


def tree(folder: Path, files: dict[str, str]) -> Path:
    """Write files into a folder, and return it."""
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text, encoding="utf-8")
    return folder


RUST = {
    "lib.rs": "pub mod room;\npub mod hall;\n",
    "room/mod.rs": "mod door;\npub use door::{Door, Key as Opener};\n",
    "room/door.rs": "pub struct Door;\npub struct Key;\n",
    "hall.rs": "use crate::room::Opener;\npub struct Hall;\n",
}


@pytest.mark.parametrize(
    ("door", "expected"),
    [
        ("", []),
        ("use crate::hall::Hall;", ["hall.rs", "room/door.rs"]),
        ("fn f() { crate::hall::g() }", ["hall.rs", "room/door.rs"]),
        ("use super::super::{hall::{self}};", ["hall.rs", "room/door.rs"]),
        ("// crate::hall::Hall", []),
        ("#[cfg(test)]\n#[expect(x)]\nmod tests {\n    use crate::hall::Hall;\n}", []),
    ],
)
def test_a_circle_in_a_crate_is_found(tmp_path: Path, door: str, expected: list[str]) -> None:
    """`hall` uses `Key`, which `room` re-exports from `door` under another name."""
    source = tree(tmp_path, RUST | {"room/door.rs": f"{RUST['room/door.rs']}{door}\n"})
    found = circles.circles(circles.Crate(source).arrows())
    assert [str(file.relative_to(source)) for group in found for file in group] == expected


@pytest.mark.parametrize(
    ("door", "expected"),
    [
        ("", []),
        ("from house import Hall", ["door.py", "hall.py"]),
        ("def f():\n    from . import hall", ["door.py", "hall.py"]),
        ("import house.hall", ["door.py", "hall.py"]),
        ("if TYPE_CHECKING:\n    from .hall import Hall", []),
    ],
)
def test_a_circle_in_the_package_is_found(tmp_path: Path, door: str, expected: list[str]) -> None:
    """The package re-exports `Hall`."""
    source = tree(
        tmp_path / "house",
        {
            "__init__.py": "from .hall import Hall",
            "hall.py": "from .door import Door\nclass Hall: ...",
            "door.py": f"class Door: ...\n{door}",
        },
    )
    found = circles.circles(circles.Package(source).arrows())
    assert [file.name for group in found for file in group] == expected
