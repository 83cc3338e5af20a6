"""`airfair timeline`: draws what happens on the channel for a short time."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from pathlib import Path
from typing import Any

from airfair._core import LONGEST_FRAME_NS, Scenario, Tracing, run
from airfair.cli import output, scenarios, tracing
from airfair.cli.status import DONE, INTERRUPTED, InputError, complain
from airfair.errors import describe
from airfair.names import printable
from airfair.progress import Progress

_SUFFIXES = (".png", ".svg", ".pdf")
_WIDTHS = ("column", "page")
_DEFAULT_NS = 5_000_000


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    scenario = scenarios.of(arguments)
    out: Path = arguments.out
    if out.suffix not in _SUFFIXES:
        raise InputError(f"--out {out}: unknown suffix; allowed are {', '.join(_SUFFIXES)}")
    if not scenario.cells:
        raise InputError(
            f"{arguments.scenario}: the scenario has no cell, and so no channel to draw"
        )
    end = arguments.end
    window = tracing.window_of(scenario.duration_ns, arguments.start, end, "--")
    if end is None:
        window = tracing.Window(window.start_ns, min(window.start_ns + _DEFAULT_NS, window.end_ns))
    names = tracing.chosen(scenario, arguments.station, "--station")
    replication = tracing.replication(scenario, arguments.replication, "--replication")
    output.check([output.Output("--out", out)], force=arguments.force)
    is_new = not out.exists()
    try:
        out.open("ab").close()
    except (OSError, ValueError) as error:
        told = describe(error) if isinstance(error, OSError) else str(error)
        raise InputError(f"--out {out}: {told}") from error
    status = None
    try:
        trace = _trace(scenario, replication, window, names)
        if trace is None:
            return complain(INTERRUPTED, "interrupted")
        status = _draw(arguments, scenario, window, trace)
    finally:
        if is_new and status is None:
            out.unlink(missing_ok=True)
    return status


def _trace(scenario: Scenario, replication: int, window: tracing.Window, names: list[str]) -> Any:  # noqa: ANN401 - JSON
    """Events of the window, in the format of `--timeline`; `None` if the run was interrupted."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "timeline.json"
        files = Tracing(
            scenario,
            "",
            timeline=path,
            from_ns=window.start_ns,
            until_ns=window.end_ns,
            names=names,
        )
        short = scenario.cut(window.end_ns + LONGEST_FRAME_NS)
        with Progress(scenario.title) as progress:
            batch = run(
                [(short, scenario.seed, replication)], progress=progress, tracing=(0, files)
            )
        (report,) = files.finish()
        if report["errno"] is not None:
            raise OSError(report["errno"], f"{folder}: no room for the events of the time window")
        return None if batch.interrupted else json.loads(path.read_bytes())


def _draw(
    arguments: argparse.Namespace,
    scenario: Scenario,
    window: tracing.Window,
    trace: Any,  # noqa: ANN401 - JSON
) -> int:
    from airfair import channel_figure

    lanes = channel_figure.slices(trace)
    count = sum(map(len, lanes.values()))
    if count > channel_figure.MOST:
        raise InputError(
            f"{arguments.scenario}: {count} intervals {window}; allowed are {channel_figure.MOST}; "
            "choose a shorter time with --until, or fewer stations with --station"
        )
    if not arguments.station and count:
        lanes = {name: found for name, found in lanes.items() if found}
    if not count:
        print(
            f"airfair: {printable(str(arguments.out))}: nothing happens {window}", file=sys.stderr
        )
    figure = channel_figure.draw(
        lanes,
        (window.start_ns * 1e-9, window.end_ns * 1e-9),
        width=channel_figure.COLUMN if arguments.width == "column" else channel_figure.PAGE,
        access_points=scenario.cells,
    )
    try:
        arguments.out.write_bytes(channel_figure.save(figure, arguments.out.suffix))
    except OSError as error:
        raise OSError(error.errno, f"--out {arguments.out}: {describe(error)}") from error
    print(f"airfair: wrote {printable(str(arguments.out))}", file=sys.stderr)
    return DONE
