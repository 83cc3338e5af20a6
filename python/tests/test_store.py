"""Tests of directories of results: files are complete, of one run, and checked by hashes."""

from __future__ import annotations

import errno
import json
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

import airfair
from airfair import store
from support import SCENARIO


def names(directory: Path) -> set[str]:
    return {path.name for path in directory.iterdir()}


def fail_at(monkeypatch: pytest.MonkeyPatch, call: int) -> None:
    """Make renames fail from a given call on, counted from 0."""
    real: Callable[[Path, Path], Path] = Path.replace
    calls = iter(range(100))

    def replace(self: Path, target: Path) -> Path:
        if next(calls) >= call:
            raise OSError(errno.EIO, "Input/output error")
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)


def test_the_manifest_comes_last_and_has_the_hash_of_every_other_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    renamed = []
    real = Path.replace

    def replace(self: Path, target: Path) -> Path:
        renamed.append(target.name)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", replace)
    store.write_all(tmp_path, {"a": b"1", "b": b""}, {"seed": 7})
    assert renamed == ["a", "b", "run.json"]
    manifest = store.manifest(tmp_path)
    # sha256sum of "1" and of an empty file
    assert manifest["files"] == {
        "a": "6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b",
        "b": "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    }
    assert (manifest["seed"], manifest["airfair"]) == (7, airfair.__version__)


def test_what_an_earlier_run_left_goes_away_and_nothing_else(tmp_path: Path) -> None:
    store.write_all(tmp_path, {"a": b"1", "old": b"2", "edited": b"3", "kept": b"4"})
    (tmp_path / "notes.txt").write_bytes(b"mine")
    (tmp_path / "edited").write_bytes(b"mine as well")
    store.write_all(tmp_path, {"a": b"5"}, keep=("kept",))
    assert names(tmp_path) == {"a", "edited", "kept", "notes.txt", "run.json"}
    assert (tmp_path / "a").read_bytes() == b"5"
    assert store.manifest(tmp_path)["files"].keys() == {"a", "kept"}


@pytest.mark.parametrize(
    "files",
    ['{"../outside": "x"}', '{"/etc/passwd": "x"}', '{"": "x"}', '["outside"]', "7", "[" * 9],
)
def test_a_strange_manifest_removes_nothing(tmp_path: Path, files: str) -> None:
    out = tmp_path / "out"
    out.mkdir()
    (tmp_path / "outside").write_bytes(b"")
    manifest = f'{{"program": "airfair", "files": {files}}}'
    (out / "run.json").write_text(manifest, encoding="utf-8")
    store.write_all(out, {"a": b"1"})
    assert names(out) == {"a", "run.json"}
    assert (tmp_path / "outside").exists()


def test_before_the_first_rename_nothing_was_written_and_that_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_all(tmp_path, {"a": b"1"})
    fail_at(monkeypatch, 0)
    with pytest.raises(store.NotWrittenError, match="Input/output error; nothing was written"):
        store.write_all(tmp_path, {"a": b"2", "b": b"3"})
    assert names(tmp_path) == {"a", "run.json"}
    assert store.read(tmp_path, "a") == b"1"


def test_after_a_rename_nothing_claims_that_nothing_was_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store.write_all(tmp_path, {"a": b"1", "b": b"1"})
    fail_at(monkeypatch, 1)
    with pytest.raises(store.NotWrittenError, match="a of this run are written") as raised:
        store.write_all(tmp_path, {"a": b"2", "b": b"2"})
    assert "nothing" not in str(raised.value)
    (kept,) = names(tmp_path) - {"a", "b", "run.json"}
    # The manifest is still that of the earlier run: a file of the new run does not have its hash.
    assert store.read(tmp_path, "b") == b"1"
    with pytest.raises(store.DamagedError, match=r"a: its hash differs from the one in run.json"):
        store.read(tmp_path, "a")
    # The kept new manifest shows that the file is airfair's, so the next run replaces it.
    assert names(tmp_path / kept) == {"run.json"}
    monkeypatch.undo()
    store.write_all(tmp_path, {"a": b"3"})
    assert names(tmp_path) == {"a", "run.json"}


def test_a_directory_that_is_removed_meanwhile_is_an_error_in_words(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    real = Path.replace

    def removed(self: Path, target: Path) -> Path:
        shutil.rmtree(out)
        return real(self, target)

    monkeypatch.setattr(Path, "replace", removed)
    with pytest.raises(store.NotWrittenError, match="No such file or directory; nothing was"):
        store.write_all(out, {"a": b"1"})
    assert not out.exists()


def test_the_tables_are_safe_before_figures_are_drawn(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(_: airfair.Result) -> dict[str, bytes]:
        raise KeyboardInterrupt

    monkeypatch.setattr("airfair.run_figures.figures", interrupted)
    result = airfair.run(SCENARIO)
    with pytest.raises(KeyboardInterrupt):
        result.save(tmp_path)
    for name in store.manifest(tmp_path)["files"]:
        store.read(tmp_path, name)
    assert json.loads(store.read(tmp_path, "result.json")) == result.to_json()
    assert "report.html" not in names(tmp_path)


@pytest.mark.parametrize("function", ["tempfile.mkdtemp", "pathlib.Path.replace"])
def test_where_figures_find_no_room_the_tables_are_said_to_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, function: str
) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    def figures(_: airfair.Result) -> dict[str, bytes]:
        monkeypatch.setattr(function, full)
        return {}

    monkeypatch.setattr("airfair.run_figures.figures", figures)
    result = airfair.run(SCENARIO)
    tables = (
        "scenario.toml, result.json, .*link_series.parquet of this run are written, other files"
    )
    with pytest.raises(store.NotWrittenError, match=f"No space left on device; {tables}"):
        result.save(tmp_path)
    assert store.read(tmp_path, "result.json") == store.encode(result.to_json())
    assert "report.html" not in names(tmp_path)


def test_octets_of_another_encoding_are_json_escapes() -> None:
    assert json.loads(store.encode(["caf\udce9"])) == ["caf\udce9"]
