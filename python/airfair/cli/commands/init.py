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

from airfair.cli.completers import directories, examples
from airfair.cli.parser import Commands
from airfair.cli.scenarios import EXAMPLES
from airfair.cli.status import DONE, InputError
from airfair.errors import describe
from airfair.names import did_you_mean

_PACKAGE = Path(__file__).resolve().parents[2]
PLAYGROUND = _PACKAGE / "playground.html"
"""HTML page that `make web` builds; wheels contain it."""
NEIGHBOURS = ("apartment-house", "stadium", "flow-in-the-middle", "hidden-neighbour")
"""Scenarios of several cells on a channel, which `airfair init scenario --kind` writes."""
SCENARIOS = ("home", "rrul", *NEIGHBOURS)
"""All scenarios that it writes; home is an evening of a family, and rrul a test of flent."""


@dataclass(frozen=True)
class Kind:
    """Kind of example that `airfair init` writes from a template."""

    name: str
    """Name of the template's directory."""
    file: str
    """Default name of the file or directory that is written."""
    about: str
    then: str
    """Command that the user is advised to run next; {} stands for the path that was written."""

    @property
    def where(self) -> str:
        """Help text of the argument FILE or DIR."""
        usual = f"(default: {self.file})"
        if self.is_file:
            return f"file to write {usual}; - for standard output"
        return f"directory to make {usual}"

    @property
    def is_file(self) -> bool:
        """True if the command writes one file, false if it writes a directory."""
        return Path(self.file).suffix != ""


KINDS = (
    Kind(
        "scenario",
        "scenario.toml",
        "a scenario of a cell with a slow and a fast station, in which comments explain each key",
        "airfair run {}",
    ),
    Kind(
        "study",
        "study",
        "a study that varies the queue of an access point, with comparisons, a figure and claims",
        "airfair sweep {}/study.toml",
    ),
    Kind(
        "paper",
        "paper",
        "a directory of a paper: a study with the paper's printed values and claims",
        "airfair reproduce {}",
    ),
    Kind(
        "law",
        "law",
        "a control law in Python, with a scenario, a test, and a study that judges it",
        "airfair sweep {}/judge.study.toml",
    ),
)


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    init = commands.add_parser(
        "init",
        help="write a working example to start from",
        description="Write a working example to start from. Existing files are never overwritten.",
    )
    kinds = init.add_subparsers(title="kinds", metavar="KIND", required=True)
    for kind in KINDS:
        one = kinds.add_parser(kind.name, help=kind.about, description=f"Write {kind.about}.")
        one.completed(
            directories,
            "place",
            nargs="?",
            default=kind.file,
            metavar="FILE" if kind.is_file else "DIR",
            help=kind.where,
        )
        one.set_defaults(action=_init, kind=kind, scenario=None)
        if kind.name == "scenario":
            one.option(
                "--kind",
                "NAME",
                f"an evening at home, flent's RRUL, or several cells on a channel: {', '.join(SCENARIOS)}",
                dest="scenario",
                choices=SCENARIOS,
            )
    _add_example(kinds)
    _add_playground(kinds)


def _add_example(kinds: Commands) -> None:
    example = kinds.add_parser(
        "example",
        help="one of the scenarios that come with airfair (see --list)",
        description="Write one of the scenarios that come with airfair.",
    )
    example.completed(examples, "name", nargs="?", metavar="NAME", help="name of the example")
    example.completed(
        directories,
        "place",
        nargs="?",
        metavar="FILE",
        help="file to write (default: NAME.toml); - for standard output",
    )
    example.flag("--list", "list the examples")
    example.set_defaults(action=_example)


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


def _add_playground(kinds: Commands) -> None:
    playground = kinds.add_parser(
        "playground",
        help="an HTML page that runs the simulator in a browser",
        description="Write the playground, an HTML page that runs the simulator in a browser, without a "
        "server.",
    )
    playground.completed(
        directories,
        "place",
        nargs="?",
        default=PLAYGROUND.name,
        metavar="FILE",
        help=f"file to write (default: {PLAYGROUND.name})",
    )
    playground.set_defaults(action=_playground)


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


def _init(arguments: argparse.Namespace) -> int:
    kind: Kind = arguments.kind
    content = template(kind, arguments.scenario)
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
    """Files of the template by name, or one of `SCENARIOS`."""
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
