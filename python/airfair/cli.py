"""The command line. Standard output carries results; everything else goes to standard error.

Exit status: 0 done, 1 a run or a check failed, 2 bad input, 130 interrupted by Ctrl-C, 143 by SIGTERM.
"""

from __future__ import annotations

import argparse
import contextlib
import fnmatch
import os
import signal
import sys
import textwrap
from pathlib import Path
from typing import TYPE_CHECKING

from ._core import LARGEST_SCENARIO, RunError, Scenario, ScenarioError, __version__, escaped

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .result import Result

_WIDTH = 80
"""Columns of a message on a terminal."""

DONE, FAILED, BAD_INPUT, INTERRUPTED, TERMINATED = 0, 1, 2, 130, 143

_RUN_EPILOGUE = """\
examples:
  airfair run scenarios/one-slow-station.toml
  airfair run cell.toml --replications 10 --out results/cell
  airfair run cell.toml --json | jq '.flows[].goodput_bps'
"""

_LIMITS = """\
Search the conditions under which a scheme loses to doing nothing: pairs of runs
with and without it, under the same seeds. Without SCHEME: all schemes, each in
a directory of its own. A search that was interrupted goes on where it was.
"""

_LIMITS_EPILOGUE = """\
examples:
  airfair limits --quick
  airfair limits data-ack --out results/limits
  airfair limits tfrc --points 512 --json | jq '.measures[].rules'
"""


class InputError(Exception):
    """A mistake of the user: one line each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = problems


class Termination:
    """Makes SIGTERM end the command as Ctrl-C does; `asked` tells the two apart."""

    def __init__(self) -> None:
        self.asked = False

    @contextlib.contextmanager
    def heard(self) -> Iterator[None]:
        """Listen meanwhile."""
        try:
            before = signal.signal(signal.SIGTERM, self._interrupt)
        except ValueError:  # not the main thread: whoever called listens
            yield
            return
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def _interrupt(self, *_: object) -> None:
        self.asked = True
        raise KeyboardInterrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit status."""
    _open_missing_streams()
    command_line = list(sys.argv[1:] if arguments is None else arguments)
    termination = Termination()
    with termination.heard():
        status = _command(command_line)
    return TERMINATED if status == INTERRUPTED and termination.asked else status


def _command(command_line: list[str]) -> int:
    try:
        status = _dispatch(command_line)
        sys.stdout.flush()
    except InputError as error:
        return _fail(BAD_INPUT, *error.problems)
    except ScenarioError as error:
        return _fail(BAD_INPUT, *error.problems)
    except RunError as error:
        return _fail(FAILED, str(error))
    except BrokenPipeError:
        # The reader of our output has seen enough. Nothing more can be written, not even at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except OSError as error:
        _drop_output()
        return _fail(FAILED, describe(error))
    except KeyboardInterrupt:
        return _fail(INTERRUPTED, "interrupted")
    return status


def _dispatch(command_line: list[str]) -> int:
    try:
        parsed = parser().parse_args(command_line)
    except SystemExit as end:  # help, version or a wrong command line, which argparse has told
        return DONE if end.code is None else int(end.code)
    parsed.command_line = ["airfair", *command_line]
    status: int = parsed.action(parsed)
    return status


def _open_missing_streams() -> None:
    """Open what was closed when the program started: Python has None there, and a file would take its number.

    To read or write a result then fails with an error; words for people are lost.
    """
    missing = (
        (0, "stdin", "r", os.O_WRONLY),
        (1, "stdout", "w", os.O_RDONLY),
        (2, "stderr", "w", os.O_WRONLY),
    )
    for number, name, mode, access in missing:
        if getattr(sys, name) is None:
            descriptor = os.open(os.devnull, access)
            if descriptor != number:
                os.dup2(descriptor, number)
                os.close(descriptor)
            setattr(sys, name, os.fdopen(number, mode, encoding="utf-8", closefd=False))


def parser() -> argparse.ArgumentParser:
    """The grammar of the command line."""
    top = argparse.ArgumentParser(
        prog="airfair",
        description="What happens to transport protocols on a multi-rate 802.11 network, "
        "and what can be done about it.",
        epilog="Exit status: 0 done, 1 a run or a check failed, 2 bad input, 130 interrupted by Ctrl-C, "
        "143 by SIGTERM.",
    )
    top.add_argument("--version", action="version", version=f"airfair {__version__}")
    commands = top.add_subparsers(title="commands", metavar="COMMAND", required=True)

    run = commands.add_parser(
        "run",
        help="run a scenario",
        description="Run a scenario and show who got what.",
        epilog=_RUN_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    run.add_argument(
        "scenario", metavar="SCENARIO.toml", help="scenario file; - for standard input"
    )
    run.add_argument("--seed", type=int, metavar="N", help="seed, instead of the scenario's")
    run.add_argument("--replications", type=int, metavar="N", help="independent runs")
    run.add_argument(
        "--set",
        action="append",
        default=[],
        metavar="PATH=VALUE",
        help="set a key of the scenario, as in station.slow.rate='1 Mb/s'; may be repeated",
    )
    run.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write the scenario as run, tables (Parquet) and figures (PNG, SVG) to DIR; "
        "files of the same names are replaced",
    )
    run.add_argument("--all", action="store_true", help="show every row of long tables")
    run.add_argument(
        "--flows",
        action="append",
        default=[],
        metavar="GLOB",
        help="show the flows whose names match, as in 'voice*'; may be repeated",
    )
    _add_json(run)
    run.set_defaults(action=_run)

    reproduce = commands.add_parser(
        "reproduce",
        help="reproduce the tables and figures of a paper",
        description="Reproduce the tables and figures of a paper and decide its claims. "
        "Without PAPER: all papers, each in a directory of its own; above them index.html, to begin with, "
        "and claims.html: all claims, which hold, which do not, and why.",
    )
    reproduce.add_argument("paper", nargs="?", metavar="PAPER[/EXPERIMENT]", help="what to run")
    reproduce.add_argument("--list", action="store_true", help="list what there is and run nothing")
    reproduce.add_argument("--replications", type=int, metavar="N", help="independent runs")
    reproduce.add_argument(
        "--out", type=Path, metavar="DIR", help="write report and figures to DIR"
    )
    _add_json(reproduce)
    reproduce.add_argument(
        "--quick",
        action="store_true",
        help="a first look: fewer and shorter runs, nothing beyond the papers' own figures and claims",
    )
    reproduce.add_argument(
        "--fresh",
        action="store_true",
        help="run all anew; else what an earlier call finished is taken from runs.sqlite in the results",
    )
    reproduce.set_defaults(action=_reproduce)

    _add_limits(commands)

    validate = commands.add_parser(
        "validate",
        help="check the simulator against theory",
        description="Check the simulator against theory: Bianchi, Heusse, sums of airtime.",
    )
    _add_json(validate)
    validate.set_defaults(action=_validate)

    _add_tfrc(commands)

    schema = commands.add_parser(
        "schema",
        help="print the JSON Schema of the scenario file",
        description="Print the JSON Schema of the scenario file, for editors.",
    )
    schema.set_defaults(action=_schema)
    return top


def _add_limits(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    limits = commands.add_parser(
        "limits",
        help="search where a scheme loses to doing nothing",
        description=_LIMITS,
        epilog=_LIMITS_EPILOGUE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    limits.add_argument("scheme", nargs="?", metavar="SCHEME", help="whose limits; see --list")
    limits.add_argument("--list", action="store_true", help="list the schemes and run nothing")
    limits.add_argument("--quick", action="store_true", help="fewer points, fewer and shorter runs")
    limits.add_argument(
        "--points",
        type=int,
        metavar="N",
        help="conditions that are spread evenly; half as many follow at the border",
    )
    limits.add_argument("--replications", type=int, metavar="N", help="pairs of runs at each point")
    limits.add_argument("--seed", type=int, metavar="N", help="seed of points and runs")
    limits.add_argument(
        "--out",
        type=Path,
        metavar="DIR",
        help="write points, map and the extreme scenarios to DIR/SCHEME (default: results/limits)",
    )
    _add_json(limits)
    limits.set_defaults(action=_limits)


def _limits(arguments: argparse.Namespace) -> int:
    from . import limits

    return limits.main(arguments)


def _add_tfrc(commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> None:
    tfrc = commands.add_parser(
        "tfrc",
        help="send or receive a TFRC flow over real UDP",
        description="A TFRC flow (RFC 5348, over RTP) between two real hosts.",
    )
    ends = tfrc.add_subparsers(metavar="END", required=True)
    send = ends.add_parser(
        "send",
        help="send a flow to a receiver",
        description="Send a TFRC flow to a receiver. Without an answer it gives up after 10 s.",
    )
    send.add_argument("address", metavar="HOST:PORT", help="where the receiver listens")
    send.add_argument("--rate", metavar="RATE", help="what to offer, as '400 kb/s'; else greedy")
    send.add_argument(
        "--max-rate",
        default="1 Gb/s",
        metavar="RATE",
        help="payload that is sent at most, whatever the receiver reports (default: 1 Gb/s)",
    )
    send.add_argument(
        "--segment", default="1000 B", metavar="SIZE", help="payload per packet (default: 1000 B)"
    )
    receive = ends.add_parser(
        "receive",
        help="receive a flow and report to its sender",
        description="Receive the first TFRC flow that comes, and report to its sender. "
        "A sender that has been silent for 5 s gives way to the next.",
    )
    receive.add_argument("address", metavar="[HOST:]PORT", help="where to listen")
    for end in (send, receive):
        end.add_argument("--duration", metavar="TIME", help="as '10 s'; else until Ctrl-C")
        end.add_argument(
            "--profile",
            choices=["rfc5348", "rfc3448", "ns-2"],
            default="rfc5348",
            help="whose TFRC (default: rfc5348)",
        )
        _add_json(end)
    send.set_defaults(action=_tfrc, end="send")
    receive.set_defaults(action=_tfrc, end="receive")


def _tfrc(arguments: argparse.Namespace) -> int:
    from . import tfrc

    return tfrc.main(arguments)


def _add_json(command: argparse.ArgumentParser) -> None:
    command.add_argument(
        "--json", action="store_true", help="print one JSON document, and nothing else"
    )


def _run(arguments: argparse.Namespace) -> int:
    scenario = _scenario(arguments)
    _see_that_some_match(scenario, arguments.flows)
    out: Path | None = arguments.out
    made = [] if out is None else _prepare(out)
    result, cut, failure = None, False, None
    try:
        result = _simulate(scenario, progress_label=scenario.title)
        if out is not None and result.replications:
            failure = _save(result, out, arguments.command_line)
    except KeyboardInterrupt:
        if result is None:
            raise
        cut = True  # while figures were drawn: the tables are written
    finally:
        if result is None or not result.replications:
            from .store import remove_if_empty

            remove_if_empty(made)
    _print(result, arguments)
    if failure:
        raise failure
    if out is not None and result.replications:
        print(f"airfair: wrote {out}", file=sys.stderr)
    if result.interrupted:
        asked = scenario.replications
        return _fail(
            INTERRUPTED, f"interrupted after {result.replications} of {asked} replications"
        )
    return _fail(INTERRUPTED, "interrupted before all figures were drawn") if cut else DONE


def _see_that_some_match(scenario: Scenario, globs: list[str]) -> None:
    flows = [flow["name"] for flow in scenario.flows]
    unmatched = [glob for glob in globs if not fnmatch.filter(flows, glob)]
    if unmatched:
        raise InputError(*(f"--flows {glob!r}: no flow has such a name" for glob in unmatched))


def _scenario(arguments: argparse.Namespace) -> Scenario:
    """Scenario of the command line; raises `InputError` with all mistakes."""
    from . import scenario

    overrides = []
    for text in arguments.set:
        path, equals, value = text.partition("=")
        if not equals or not path.strip():
            raise InputError(f"--set {text!r}: not PATH=VALUE, as in station.slow.rate='1 Mb/s'")
        if any("\ud800" <= character <= "\udfff" for character in text):
            raise InputError(f"--set {text!r}: not a text in UTF-8")
        overrides.append((path.strip(), value))
    overrides += [
        (key, str(value))
        for key in ("seed", "replications")
        if (value := getattr(arguments, key)) is not None
    ]
    name, folder = arguments.scenario, Path()
    try:
        if name == "-":
            name = "standard input"
            content = sys.stdin.buffer.read(LARGEST_SCENARIO + 1)
        else:
            content, folder = scenario.read(Path(name)), Path(name).parent
    except OSError as error:
        raise InputError(f"{name}: {error.strerror or error}") from error
    except ValueError as error:  # a null character
        raise InputError(f"{name!r}: {error}") from error
    try:
        return scenario.parse(content, overrides, folder)
    except ScenarioError as error:
        raise InputError(*(f"{name}: {problem}" for problem in error.problems)) from error


def _prepare(out: Path) -> list[Path]:
    """See that `out` can be written before anything runs; directories that were made for it."""
    from .store import prepare

    made = [path for path in (out, *out.parents) if not path.exists()]
    try:
        prepare(out)
    except OSError as error:
        raise InputError(f"--out {out}: {describe(error)}") from error
    return made


def _simulate(scenario: Scenario, progress_label: str) -> Result:
    from .engine import run_many
    from .terminal import Progress

    with Progress(progress_label) as progress:
        (result,) = run_many([scenario], progress=progress)
    return result


def _save(result: Result, out: Path, command_line: list[str]) -> OSError | None:
    """Write the result; what went wrong is told after it is printed, since it may have taken hours."""
    from .store import save

    try:
        save(result, out, command_line)
    except OSError as error:
        return OSError(error.errno, f"--out {out}: {describe(error)}")
    return None


def _print(result: Result, arguments: argparse.Namespace) -> None:
    if arguments.json:
        from .store import encode

        sys.stdout.buffer.write(encode(result.to_json()))
    else:
        from .terminal import show
        from .terminal_tables import Wish

        show(result, Wish(arguments.all, arguments.flows))
    sys.stdout.flush()


def _reproduce(arguments: argparse.Namespace) -> int:
    from . import reproduce

    return reproduce.main(arguments)


def _validate(arguments: argparse.Namespace) -> int:
    from . import validate

    return validate.main(arguments)


def _schema(_: argparse.Namespace) -> int:
    from ._core import schema

    print(schema())
    return DONE


def describe(error: OSError) -> str:
    """An operating system's error in one line."""
    return error.strerror or str(error)


def _fail(status: int, *problems: str) -> int:
    for problem in problems:
        # A name that is no text in the machine's encoding comes as lone surrogates.
        text = problem.encode(errors="backslashreplace").decode()
        print(_wrapped(f"airfair: {escaped(text)}"), file=sys.stderr)
    return status


def _wrapped(line: str) -> str:
    """A line as a terminal shows it well; elsewhere, where programs look for lines, it stays whole."""
    if not sys.stderr.isatty():
        return line
    width = min(os.get_terminal_size(sys.stderr.fileno()).columns or _WIDTH, _WIDTH)
    return textwrap.fill(
        line,
        max(width, 40),
        subsequent_indent="    ",
        break_long_words=False,
        break_on_hyphens=False,
    )


def _drop_output() -> None:
    """Forget what standard output could not take, lest the interpreter try again at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


if __name__ == "__main__":
    sys.exit(main())
