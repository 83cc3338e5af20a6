"""`airfair run`: runs a scenario and shows the results of its flows and stations."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from airfair.cli import laws, output, recordings, scenarios, tracing
from airfair.cli.status import DONE, FAILED, INTERRUPTED, check_globs, complain
from airfair.errors import describe
from airfair.names import printable

if TYPE_CHECKING:
    from airfair._core import Scenario
    from airfair.cli.tracing import Traces
    from airfair.law import Law
    from airfair.result import Result


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    scenario, text, overrides = scenarios.with_text(arguments)
    names = [flow["name"] for flow in scenario.flows]
    check_globs("--flows", arguments.flows, names, "flow")
    own = laws.of(arguments, arguments.scenario, scenario)
    out: Path | None = arguments.out
    recordings.check(arguments, scenario)
    written = [*output.results(out), *recordings.outputs(arguments), *tracing.outputs(arguments)]
    output.check(written, force=arguments.force)
    traces, result, cut, failure, raised = None, None, False, None, None
    with output.prepared(out):
        if arguments.explain:
            people = output.for_people(arguments)
            print(f"{scenarios.explained(text, overrides)}\n", file=people, flush=True)
        try:
            traces = tracing.prepare(arguments, scenario)
            result, raised = _simulate(scenario, arguments.threads, traces, own)
            if out is not None and result.replications:
                failure = output.save(result, arguments)
        except KeyboardInterrupt:
            if result is None:
                raise
            cut = True  # Ctrl-C while figures were drawn, after the tables were written
        finally:
            interrupted = result is None or result.interrupted
            told, lost = ([], []) if traces is None else traces.finish(interrupted)
    _print(result, arguments)
    _warn(result, text, overrides)
    if failure:
        lost.insert(0, describe(failure))
    elif out is not None and result.replications:
        told.insert(0, f"wrote {out}")
    if arguments.flent is not None and result.replications:
        wrong = recordings.save(result, arguments)
        (told if wrong is None else lost).append(wrong or f"wrote {arguments.flent}")
    for line in told:
        print(f"airfair: {printable(line)}", file=sys.stderr)
    if raised is not None:
        laws.failed(raised)
        asked = result.scenario.replications
        lost.append(f"a law has ended the run after {result.replications} of {asked} replications")
    return complain(FAILED, *lost) if lost else _ended(result, cut=cut)


def _ended(result: Result, *, cut: bool) -> int:
    """Exit status after all files are written; prints a message if Ctrl-C ended the run or its figures."""
    if result.interrupted:
        asked = result.scenario.replications
        words = f"interrupted after {result.replications} of {asked} replications"
        return complain(INTERRUPTED, words)
    return complain(INTERRUPTED, "interrupted before all figures were drawn") if cut else DONE


def _simulate(
    scenario: Scenario, threads: int | None, traces: Traces | None, own: dict[str, list[type[Law]]]
) -> tuple[Result, Exception | None]:
    """Result of the run, and the exception of a law that has ended it."""
    from airfair.engine import finished, run_in_turn, with_laws
    from airfair.progress import Progress

    traced = None if traces is None else (traces.replication, traces.tracing)
    with Progress(scenario.title) as progress:
        if own and traced is None:
            (result,), error = with_laws([scenario], own, threads=threads, progress=progress)
            return result, error
        if own:
            return run_in_turn(scenario, laws=own, progress=progress, tracing=traced)
        (result,) = finished([scenario], threads=threads, progress=progress, tracing=traced)
    return result, None


def _warn(result: Result, text: bytes, overrides: list[tuple[str, str]]) -> None:
    """Warn of defaults that limit flows, unless the run was interrupted."""
    from airfair import held_back

    if result.interrupted:
        return
    for line in held_back.warnings(result, held_back.NamedKeys(text, overrides)):
        print(f"airfair: warning: {line}", file=sys.stderr)


def _print(result: Result, arguments: argparse.Namespace) -> None:
    if arguments.json:
        output.print_json(result.to_json())
    else:
        from airfair.run_tables import Wish
        from airfair.run_text import show

        show(result, Wish(arguments.all, arguments.flows))
    sys.stdout.flush()
