"""`airfair init`: writes a working example to start from.

Each kind has a directory of templates in `airfair/templates/init`. If it holds one file, the command copies
it to FILE; if it holds several, the command copies them into the new directory DIR. The files in `kinds`
there are other scenarios to start from. Examples are the files in `airfair/scenarios`.
"""

from __future__ import annotations

import argparse
import os
import sys
import textwrap
import tomllib
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from airfair.cli.scenarios import EXAMPLES
from airfair.cli.status import DONE, InputError
from airfair.errors import describe
from airfair.names import did_you_mean

_PACKAGE = Path(__file__).resolve().parents[2]
PLAYGROUND = _PACKAGE / "playground.html"
"""HTML page that `make web` builds; wheels contain it."""
NEIGHBOURS = ("apartment-house", "stadium", "flow-in-the-middle", "hidden-neighbour")
"""Scenarios of several cells on a channel, which `airfair init scenario --kind` writes."""


@dataclass(frozen=True)
class Kind:
    """Kind of example that `airfair init` writes from a template."""

    name: str
    """Name of the template's directory."""
    file: str
    """Default name of the file or directory that is written."""
    then: str
    """Command that the user is advised to run next; {} stands for the path that was written."""

    @property
    def is_file(self) -> bool:
        """True if the command writes one file, false if it writes a directory."""
        return Path(self.file).suffix != ""


KINDS = (
    Kind("scenario", "scenario.toml", "airfair run {}"),
    Kind("study", "study", "airfair sweep {}/study.toml"),
    Kind("paper", "paper", "airfair reproduce {}"),
    Kind("law", "law", "airfair sweep {}/judge.study.toml"),
)


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    match arguments.kind:
        case "example":
            return _example(arguments)
        case "playground":
            return _playground(arguments)
        case name:
            return _init(next(kind for kind in KINDS if kind.name == name), arguments)


def _example(arguments: argparse.Namespace) -> int:
    known = {path.stem: path for path in sorted(EXAMPLES.glob("*.toml"))}
    if arguments.list:
        indent = max(map(len, known)) + 2
        for name, path in known.items():
            print(
                textwrap.fill(f"{name:<{indent}}{_title(path)}", 80, subsequent_indent=" " * indent)
            )
        return DONE
    if arguments.name is None:
        raise InputError("NAME: missing; list the examples with: airfair init example --list")
    if arguments.name not in known:
        hint = did_you_mean(arguments.name, known)
        raise InputError(f"example {arguments.name!r}: unknown{hint}; allowed {', '.join(known)}")
    text = known[arguments.name].read_text(encoding="utf-8")
    if arguments.place == "-":
        sys.stdout.write(text)
        return DONE
    place = Path(arguments.place or f"{arguments.name}.toml")
    _write(place, lambda: _create(place, text), f"airfair run {place}")
    return DONE


def _playground(arguments: argparse.Namespace) -> int:
    try:
        page = PLAYGROUND.read_text(encoding="utf-8")
    except FileNotFoundError:
        raise InputError(
            f"{PLAYGROUND.name}: not part of this build of airfair; build it in a clone with `make web`"
        ) from None
    place = Path(arguments.place)
    _write(place, lambda: _create(place, page), f"open {place.resolve().as_uri()} in a browser")
    return DONE


def _title(path: Path) -> str:
    title: str = tomllib.loads(path.read_text(encoding="utf-8"))["title"]
    return title


def _init(kind: Kind, arguments: argparse.Namespace) -> int:
    content = template(kind, getattr(arguments, "scenario", None))
    if arguments.place == "-" and kind.is_file:
        sys.stdout.write("".join(content.values()))
        return DONE
    if arguments.place == "-":
        raise InputError(
            f"-: a {kind.name} is a directory and cannot be written to standard output; name a directory"
        )
    place = Path(arguments.place)
    write = (
        (lambda: _create(place, "".join(content.values())))
        if kind.is_file
        else (lambda: _fill(place, content))
    )
    _write(place, write, kind.then.format(place))
    return DONE


def _write(place: Path, write: Callable[[], None], then: str) -> None:
    """Call `write`, and print `then` as the next step; raise `InputError` if `place` cannot be written."""
    try:
        write()
    except FileExistsError as error:
        raise InputError(
            f"{place}: exists already and is not overwritten; name another place"
        ) from error
    except (OSError, ValueError) as error:
        words = describe(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"{place}: {words}") from error
    print(f"airfair: wrote {place}; next: {then}", file=sys.stderr)


def template(kind: Kind, scenario: str | None = None) -> dict[str, str]:
    """Files of the template by name, or the scenario that `--kind` names."""
    templates = _PACKAGE / "templates" / "init"
    if scenario is not None:
        path = templates / "kinds" / f"{scenario}.toml"
        return {path.name: path.read_text(encoding="utf-8")}
    folder = templates / kind.name
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.iterdir())}


def _fill(folder: Path, content: dict[str, str]) -> None:
    """Create a directory with these files; after an error nothing is left."""
    folder.mkdir()
    written: list[Path] = []
    try:
        for name, text in content.items():
            _create(folder / name, text)
            written.append(folder / name)
    except OSError:
        for path in written:
            path.unlink(missing_ok=True)
        folder.rmdir()
        raise


def _create(path: Path, text: str) -> None:
    """Create a file with this text; after an error no file is left. Raises `FileExistsError`."""
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o666)
    try:
        with open(descriptor, "w", encoding="utf-8") as file:  # noqa: PTH123 - a descriptor has no path
            file.write(text)
    except OSError:
        path.unlink(missing_ok=True)
        raise
