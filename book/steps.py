"""Runs the commands and snippets of a page in order, in an empty folder.

A comment on the line above a fenced block decides on the use of the block:

- no comment above `sh` or `python`: the block is run; images that it writes into docs/images are kept;
- `<!-- not run: reason -->`: the block is not run;
- `<!-- file: NAME -->`: the block is written to this file, for later steps;
- `<!-- listing: PATH -->`: the block shows this file of the repository;
- `<!-- output -->`, `<!-- output: 3:9 -->`: the block shows the output of the command above, or these lines;
- `<!-- fails -->`: the last command of the block ends with an error, which is its output;
- `<!-- picture: NAME -->`: the block is code whose `figure` is a picture of the book.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
IMAGES = Path("docs/images")
"""Folder of the repository for images that commands draw."""
_BLOCK = re.compile(
    r"(?:^<!-- (?P<kind>not run|file|listing|output|picture|fails)(?:: (?P<of>.*?))? -->\n)?"
    r"^(?P<fence>`{3,})(?P<language>\w*)[^\n]*\n(?P<body>.*?)^(?P=fence)$",
    re.DOTALL | re.MULTILINE,
)
_RUN = {"sh", "python"}
_PROGRAMS = ("airfair", ".venv/bin/airfair")
_TIME = re.compile(r", in \d.*$")
"""Wall time of a run, which differs from machine to machine."""


class StepError(AssertionError):
    """Error of a step that fails, or whose output differs from the page."""


@dataclass(frozen=True)
class Block:
    """Fenced block of a page, with its kind."""

    kind: str
    of: str
    body: str
    span: tuple[int, int]
    """Position of the body in the page."""


def blocks(text: str) -> Iterator[Block]:
    """Blocks of a page that are run, written, or shown, or have a reason for not being run."""
    for found in _BLOCK.finditer(text):
        kind = found["kind"] or (found["language"] if found["language"] in _RUN else "")
        if kind:
            yield Block(kind, found["of"] or "", found["body"], found.span("body"))


Draw = Callable[[str, object], None]
"""Function that draws a picture, given its name and its figure."""


def followed(text: str, folder: Path, draw: Draw | None = None) -> str:
    """Text of a page with current listings and outputs.

    Raises `StepError` if a step fails.
    """
    for name in ("scenarios", "examples"):
        (folder / name).symlink_to(ROOT / name)
    (folder / IMAGES).mkdir(parents=True)
    reader = _Reader(draw)
    with contextlib.chdir(folder):
        changed = [(block.span, reader.step(block)) for block in blocks(text)]
    for (start, end), body in reversed(changed):
        text = text if body is None else text[:start] + body + text[end:]
    return text


class _Reader:
    """Runs the steps of a page; keeps the last output and the variables of snippets."""

    def __init__(self, draw: Draw | None) -> None:
        self._draw = draw
        self._printed = ""
        self._names: dict[str, Any] = {"__name__": "page"}

    def step(self, block: Block) -> str | None:
        """Run one step and return the text that its block has to show; `None` if the block stays as it is."""
        match block.kind:
            case "sh":
                for line in _lines(block.body):
                    self._printed = _command(line)
            case "fails":
                *before, last = _lines(block.body)
                for line in before:
                    _command(line)
                self._printed = _command(last, fails=True)
            case "python" | "picture":
                self._printed = _snippet(block.body, self._names)
                if block.kind == "picture" and self._draw is not None:
                    self._draw(block.of, self._names["figure"])
            case "file":
                Path(block.of).parent.mkdir(parents=True, exist_ok=True)
                Path(block.of).write_text(block.body, encoding="utf-8")
            case "listing":
                return (ROOT / block.of).read_text(encoding="utf-8")
            case "output":
                return _part(self._printed, block.of)
        return None


def images(folder: Path) -> dict[Path, bytes]:
    """Images drawn by the steps of a page, by their path in the repository."""
    return {ROOT / IMAGES / path.name: path.read_bytes() for path in (folder / IMAGES).iterdir()}


def reasons(text: str) -> list[str]:
    """Reasons why blocks of a page are not run."""
    return [block.of for block in blocks(text) if block.kind == "not run"]


def _lines(body: str) -> Iterator[str]:
    for line in body.replace("\\\n", " ").splitlines():
        if command := shlex.join(shlex.split(line, comments=True)):
            yield command


def _command(line: str, *, fails: bool = False) -> str:
    from airfair.cli import main

    program, *arguments = shlex.split(line)
    if program not in _PROGRAMS:
        raise StepError(f"{line}: only airfair is run here; mark the block as not run")
    into = arguments.index(">") if ">" in arguments else len(arguments)
    with _captured() as (out, errors):
        try:
            status = main(arguments[:into])
        except SystemExit as end:  # raised by --help
            status = end.code or 0
    if bool(status) != fails:
        raise StepError(f"{line}: status {status}\n{out.text()}{errors.text()}")
    if fails:
        return errors.text()
    if into < len(arguments):
        Path(arguments[into + 1]).write_text(out.text(), encoding="utf-8")
    return out.text()


def _snippet(body: str, names: dict[str, Any]) -> str:
    with _captured() as (out, _):
        try:
            exec(compile(body, "snippet", "exec"), names)  # noqa: S102 - code of the book
        except Exception as error:
            raise StepError(f"{body}\n{type(error).__name__}: {error}") from error
    return out.text()


class _Words(io.TextIOWrapper):
    """Standard stream in memory, with a binary buffer to which JSON documents are written."""

    def __init__(self) -> None:
        super().__init__(io.BytesIO(), encoding="utf-8", write_through=True)

    def text(self) -> str:
        """Text that was written to the stream."""
        return self.buffer.getvalue().decode()  # type: ignore[attr-defined]


@contextlib.contextmanager
def _captured() -> Iterator[tuple[_Words, _Words]]:
    columns = os.environ.get("COLUMNS")
    os.environ["COLUMNS"] = "80"
    out, errors = _Words(), _Words()
    try:
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(errors):
            yield out, errors
    finally:
        if columns is None:
            del os.environ["COLUMNS"]
        else:
            os.environ["COLUMNS"] = columns


def _part(printed: str, lines: str) -> str:
    start, _, end = lines.partition(":")
    kept = printed.splitlines()[int(start or 0) : int(end) if end else None]
    return "\n".join(_TIME.sub("", line).rstrip() for line in kept).strip("\n") + "\n"
