"""`airfair emulate`: runs real programs in a simulated cell in real time."""

from __future__ import annotations

import argparse
import contextlib
import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from airfair import _core, json_documents
from airfair._core import Scenario, Tracing, __version__
from airfair.cli import laws, output, scenarios, tracing
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError, complain
from airfair.errors import describe
from airfair.names import counted, did_you_mean, printable

if TYPE_CHECKING:
    from pathlib import Path

    from airfair.emulation.session import Command, Limit, Session
    from airfair.emulation.web import Listener
    from airfair.law import Law
    from airfair.result import Result

_FOREVER_NS = 2**63
"""Duration of an emulation without a limit [ns]."""


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if sys.platform != "linux":
        raise InputError("airfair emulate runs on Linux only: it needs network namespaces")
    if arguments.clean:
        return _clean(arguments)
    if arguments.scenario is None:
        raise InputError("SCENARIO.toml: missing; name a scenario file or an example")
    from airfair.emulation import backend, mistakes, session

    scenario = scenarios.of(arguments, emulated=True)
    if arguments.backend == "hwsim":
        return _radios(arguments, scenario)
    joined, chosen = _of_nodes(arguments, scenario)
    limit = _limit(arguments, scenario)
    lasts_ns = _FOREVER_NS if limit is None else limit.duration_ns
    traced = _Traced(tracing.wanted(arguments, scenario, lasts_ns))
    wish = session.Wish(
        joined=joined,
        congestion=chosen,
        command=_command(arguments, scenario),
        limit=limit,
        backend=arguments.backend,
        spins=arguments.spin,
        # COMMAND uses the terminal, so the live view is not shown on it.
        is_quiet=bool(arguments.rest) and sys.stderr.isatty(),
        keeps_output=arguments.json,
        laws=(lambda: _laws(arguments, scenario)) if arguments.law else None,
        tracing=None if traced.wanted is None else traced.open,
    )
    written = [*output.results(arguments.out), *tracing.outputs(arguments)]
    output.check(written, force=arguments.force)
    with _listening(arguments.web) as listener, output.prepared(arguments.out), traced:
        try:
            ended = session.run(scenario, replace(wish, listener=listener))
        except backend.NotPermittedError as error:
            return complain(FAILED, *error.lines)
        except _LawNotMadeError as error:
            return laws.failed(error.cause)
        except mistakes.MistakeError as error:
            raise InputError(f"{error.option} {error}") from error
        except ValueError as error:
            raise InputError(f"{arguments.scenario}: {error}") from error
        return _finish(ended, arguments, traced)


def _finish(ended: Session, arguments: argparse.Namespace, traced: _Traced) -> int:
    """Print and save an emulation that has ended; returns the exit status."""
    told, lost = traced.finish(ended.state["elapsed_s"])
    _print(ended, arguments)
    status = DONE if ended.status is None else ended.status
    if arguments.out is not None and ended.result is not None:
        status = _save(ended.result, arguments) or status
    for line in told:
        print(f"airfair: {printable(line)}", file=sys.stderr)
    if lost:
        status = complain(FAILED, *lost)
    if ended.raised is not None:
        return _law_has_ended(ended, ended.raised)
    # Without COMMAND, Ctrl-C is the usual end of an emulation and no failure.
    return INTERRUPTED if ended.interrupted and arguments.rest and not lost else status


class _Traced:
    """Trace files of an emulation. They are discarded if the block ends before `finish`."""

    def __init__(self, wanted: tracing.Wanted | None) -> None:
        self.wanted = wanted
        self._traces: tracing.Traces | None = None

    def open(self, scenario: Scenario) -> Tracing:
        """Open the files; raises `InputError`."""
        self._traces = cast("tracing.Wanted", self.wanted).open(scenario)
        return self._traces.tracing

    def finish(self, elapsed_s: float) -> tuple[list[str], list[str]]:
        """Close the files after this time; returns lines with what was written, and lines with errors."""
        traces, self._traces = self._traces, None
        if traces is None:
            return [], []
        end_ns = min(traces.window.end_ns, round(elapsed_s * 1e9))
        traces.window = tracing.Window(min(traces.window.start_ns, end_ns), end_ns)
        return traces.finish(interrupted=False)

    def __enter__(self) -> None:
        pass

    def __exit__(self, *error: object) -> None:
        if self._traces is not None:
            self._traces.discard()


@contextlib.contextmanager
def _listening(port: str | None) -> Iterator[Listener | None]:
    """Listener of the live picture; `None` without the option."""
    if port is None:
        yield None
        return
    from airfair.emulation import web

    try:
        listener = web.listen(port)
    except web.WebError as error:
        raise InputError(f"--web {error}") from error
    with contextlib.closing(listener.socket):
        yield listener


class _LawNotMadeError(Exception):
    """Raised if the constructor of a law raises an exception, which is the cause."""

    def __init__(self, cause: Exception) -> None:
        super().__init__(str(cause))
        self.cause = cause


def _laws(arguments: argparse.Namespace, scenario: Scenario) -> list[tuple[int, Law]]:
    """Laws of the command line, as pairs of a member and its law."""
    from airfair.law import place

    own = laws.of(arguments, arguments.scenario, scenario)
    try:
        return place(own, scenario)
    except Exception as error:
        raise _LawNotMadeError(error) from error


def _law_has_ended(ended: Session, error: BaseException) -> int:
    """Print the traceback of the law that has ended the emulation; returns the exit status."""
    laws.failed(error)
    if ended.interrupted and isinstance(error, KeyboardInterrupt):
        return complain(INTERRUPTED, "interrupted a law that did not return")
    return complain(FAILED, f"a law has ended the emulation after {ended.state['elapsed_s']:.3f} s")


def _radios(arguments: argparse.Namespace, scenario: Scenario) -> int:
    if arguments.has_rest or arguments.node is not None:
        raise InputError(
            "--backend hwsim: --in and COMMAND are not allowed, because it makes no namespaces; start "
            "programs in the namespaces of the radios"
        )
    if arguments.joined:
        raise InputError(
            "--backend hwsim: --node is not allowed, because it makes no interfaces; move the radios"
        )
    if arguments.web is not None:
        raise InputError(
            "--backend hwsim: --web is not allowed, because the kernel's mac80211 is the MAC: airfair does "
            "not see its queues and packets"
        )
    if arguments.congestion:
        raise InputError(
            "--backend hwsim: --congestion-control is not allowed, because it makes no namespaces; set "
            "net.ipv4.tcp_congestion_control in those of the radios"
        )
    if arguments.law:
        raise InputError(
            "--backend hwsim: --law is not allowed, because the kernel's mac80211 is the MAC: airfair does "
            "not see its queues, and does not choose its rates"
        )
    if files := tracing.outputs(arguments):
        raise InputError(
            f"--backend hwsim: {files[0].option} is not allowed, because a monitor of the kernel's radios "
            "captures their frames (iw)"
        )
    if arguments.json or arguments.out is not None:
        raise InputError(
            "--backend hwsim: --json and --out are not allowed, because it has no result"
        )
    from airfair.emulation import radios

    try:
        return radios.run(scenario, _duration(arguments.duration))
    except ValueError as error:
        raise InputError(f"{arguments.scenario}: {error}") from error
    except OSError as error:
        return complain(FAILED, describe(error))


def _clean(arguments: argparse.Namespace) -> int:
    if arguments.scenario is not None or arguments.has_rest:
        raise InputError("--clean: no scenario and no COMMAND are allowed beside it")
    from airfair.emulation import running

    left = running.clean(running.folder())
    for process in left:
        print(f"removed the files that the killed emulation {process} left behind")
    if not left:
        print("no killed emulation left files behind")
    return DONE


def _command(arguments: argparse.Namespace, scenario: Scenario) -> Command | None:
    from airfair.emulation.session import Command

    names = [*scenario.stations, *scenario.hosts]
    if arguments.has_rest and not arguments.rest:
        raise InputError("--: COMMAND is missing after it")
    if arguments.node is not None and not arguments.rest:
        raise InputError("--in: works only with -- COMMAND")
    if not arguments.rest:
        return None
    node = names[0] if arguments.node is None else arguments.node
    if node not in names:
        raise InputError(
            f"--in {node!r}: the scenario has no such station or host{did_you_mean(node, names)}"
        )
    return Command(arguments.rest, node)


def _of_nodes(
    arguments: argparse.Namespace, scenario: Scenario
) -> tuple[dict[str, Path], dict[str, str]]:
    """Namespaces that nodes join, and congestion control of the other nodes."""
    from airfair.emulation import congestion, joining, mistakes

    names = [*scenario.stations, *scenario.hosts]
    try:
        joined = joining.paths(joining.pairs(arguments.joined or []), scenario)
        return joined, congestion.pairs(arguments.congestion or [], names, joined)
    except mistakes.MistakeError as error:
        raise InputError(f"{error.option} {error}") from error


def _limit(arguments: argparse.Namespace, scenario: Scenario) -> Limit | None:
    """Time after which the emulation ends: `--duration`, or without COMMAND the scenario's `duration`."""
    from airfair.emulation.session import Limit

    if arguments.duration is None and not arguments.rest:
        return Limit(scenario.duration_ns, "the scenario's duration")
    own = _duration(arguments.duration)
    return None if own is None else Limit(own, "--duration")


def _duration(text: str | None) -> int | None:
    """Time of `--duration` [ns]; `None` for no limit."""
    if text is None or text == "off":
        return None
    try:
        seconds = _core.quantity(text, "time")
    except ValueError as error:
        raise InputError(f"--duration {text!r}: {error}, or off") from error
    if seconds <= 0:
        raise InputError(f"--duration {text!r}: allowed is a time above 0, or off")
    return round(seconds * 1e9)


def _save(result: Result, arguments: argparse.Namespace) -> int:
    failure = output.save(result, arguments)
    if failure is not None:
        return complain(FAILED, describe(failure))
    print(f"airfair: wrote {printable(str(arguments.out))}", file=sys.stderr)
    return DONE


def _document(ended: Session) -> dict[str, Any]:
    content = {
        "version": __version__,
        "backend": ended.backend,
        "congestion_control": ended.congestion_control,
        **ended.state,
        "status": ended.status,
        "result": None if ended.result is None else ended.result.to_json(),
    }
    return json_documents.document("emulation", content)


def _print(ended: Session, arguments: argparse.Namespace) -> None:
    if arguments.json:
        json.dump(_document(ended), sys.stdout, ensure_ascii=False)
        print()
        return
    # Standard output has only the output of COMMAND, if there is one.
    stream = sys.stderr if arguments.rest else sys.stdout
    with contextlib.redirect_stdout(stream):
        if ended.result is not None:
            from airfair.run_tables import Wish
            from airfair.run_text import show

            show(ended.result, Wish())
        for text in _verdict(ended.state):
            print(text)
    stream.flush()


def _verdict(state: dict[str, Any]) -> list[str]:
    from airfair.emulation import live

    late = state["lateness"]
    told = (
        f"lateness: p50 {late['p50_us'] / 1e3:.2f} ms, p99 {late['p99_us'] / 1e3:.2f} ms, "
        f"p99.9 {late['p999_us'] / 1e3:.2f} ms, longest stall {late['longest_stall_us'] / 1e3:.1f} ms, "
        f"{late['slips']} slips"
    )
    lost = f"dropped by the kernel instead of the cell: {live.dropped(state)} packets"
    wall_s = state["elapsed_s"] + late["slipped_s"]
    own = [_law_time(law, wall_s) for law in state["laws"]]
    if state["valid"]:
        return [told, lost, *own, "verdict: valid"]
    reasons = [f"verdict: invalid: {printable(reason)}" for reason in state["objections"]]
    return [told, lost, *own, *reasons, "remedies: docs/emulator.md, The verdict"]


def _law_time(law: dict[str, Any], wall_s: float) -> str:
    """Number of calls of a law, and the time in them, in words."""
    calls = counted(law["calls"], "call")
    per_cent = 100 * law["time_s"] / wall_s if wall_s else 0.0
    return (
        f"law {printable(law['law'])} at {printable(law['node'])}: {calls}, {per_cent:.1f} % of the time, "
        f"longest {law['longest_us'] / 1e3:.2f} ms"
    )
