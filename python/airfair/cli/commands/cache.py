"""`airfair cache`: shows and prunes the archive of finished runs."""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from airfair import json_documents
from airfair._core import quantity
from airfair.archive import Archive, Kept, build, default_path, pruning
from airfair.cli.output import print_json
from airfair.cli.status import DONE, InputError
from airfair.names import counted

_DAY_S = 86_400


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    path = _path(getattr(arguments, "archive", None))
    match arguments.what:
        case "path":
            sys.stdout.write(f"{path}\n")
        case "prune":
            _prune(path, arguments)
        case _:
            _list(path, as_json=getattr(arguments, "json", False))
    return DONE


def _path(named: Path | None) -> Path:
    path = named or default_path()
    if path is None:
        raise InputError(
            "the environment variable AIRFAIR_CACHE is off, so there is no archive; name one with "
            "--archive FILE"
        )
    return path


def _list(path: Path, *, as_json: bool) -> None:
    size, kept = 0, []
    if path.exists():
        with Archive(path) as archive:
            size, kept = archive.size, archive.kept()
    if as_json:
        builds = [_document(each) for each in kept]
        content = {"path": str(path), "size": size, "builds": builds}
        print_json(json_documents.document("archive", content))
        return
    runs = sum(each.runs for each in kept)
    sys.stdout.write(f"{path}: {counted(runs, 'run')}{f', {_sized(size)}' if runs else ''}\n")
    if kept:
        sys.stdout.write("\nbuild         version         runs       size  made\n")
    for each in kept:
        own = "  this build" if each.build == build() else ""
        sys.stdout.write(
            f"{each.build.hex()[:12]}  {each.version:<9}  {each.runs:>9,}  {_sized(each.size):>9}  "
            f"{_days(each)}{own}\n"
        )


def _document(kept: Kept) -> dict[str, object]:
    return {
        "build": kept.build.hex(),
        "this_build": kept.build == build(),
        "version": kept.version,
        "runs": kept.runs,
        "size": kept.size,
        "first_made": _day(kept.first),
        "last_made": _day(kept.last),
    }


def _prune(path: Path, arguments: argparse.Namespace) -> None:
    steps = list(_steps(arguments))
    if not steps:
        raise InputError(
            "cache prune: no option chooses runs; allowed are --all, --other-builds, --older-than, --down-to "
            "and --damaged"
        )
    removed, before, after = 0, 0, 0
    if path.exists():
        with Archive(path) as archive:
            before = archive.size
            removed = sum(step(archive) for step in steps)
            if removed:
                archive.compact()
            after = archive.size
    if arguments.json:
        document: dict[str, object] = {
            "path": str(path),
            "removed": removed,
            "size_before": before,
            "size": after,
        }
        print_json(json_documents.document("pruning", document))
        return
    room = f", {_sized(before)} before, {_sized(after)} now" if removed else ""
    sys.stdout.write(f"{path}: {counted(removed, 'run')} removed{room}\n")


def _steps(arguments: argparse.Namespace) -> Iterator[Callable[[Archive], int]]:
    """Removals that the command line requests, in order."""
    if arguments.damaged:
        yield pruning.damaged
    if arguments.all:
        yield pruning.everything
    if arguments.other_builds:
        yield pruning.other_builds
    if arguments.older_than is not None:
        if not arguments.older_than >= 0:
            raise InputError(
                f"--older-than {arguments.older_than:g}: allowed is a number of days, 0 or more"
            )
        yield lambda archive: pruning.older_than(archive, arguments.older_than * _DAY_S)
    if arguments.down_to is not None:
        size = _size(arguments.down_to)
        yield lambda archive: pruning.down_to(archive, size)


def _size(text: str) -> int:
    try:
        return int(quantity(text, "size"))
    except ValueError as error:
        raise InputError(f'--down-to "{text}": {error}') from error


def _sized(size: int) -> str:
    return f"{size / 1e6:,.1f} MB"


def _days(kept: Kept) -> str:
    first, last = _day(kept.first), _day(kept.last)
    return first if first == last else f"{first} to {last}"


def _day(seconds: int) -> str:
    return time.strftime("%Y-%m-%d", time.localtime(seconds))
