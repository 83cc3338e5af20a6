"""Actions of `airfair validate`: checks against theory, and against the kernel's TCP with `--kernel`."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

from airfair import store, validation
from airfair.cli import output
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError
from airfair.errors import describe
from airfair.terminal import Progress
from airfair.validation import kernel
from airfair.validation.kernel.cells import is_quick, stacks
from airfair.validation.kernel.runs import ComparisonError
from airfair.validation.kernel.table import Agreement, rows, text

if TYPE_CHECKING:
    import argparse
    from pathlib import Path


def theory(args: argparse.Namespace) -> int:
    """Run `airfair validate` and return its exit status; `args` has json."""
    with Progress("validating") as progress:
        checks, interrupted = validation.run(progress=progress)
    people = sys.stderr if args.json else sys.stdout
    people.write(validation.text(checks))
    if args.json:
        sys.stdout.write(store.encode(validation.document(checks)).decode())
    if interrupted:
        return INTERRUPTED
    return DONE if all(check.passed for check in checks) else FAILED


def beside_the_kernel(args: argparse.Namespace) -> int:
    """Run `airfair validate --kernel` and return its exit status.

    `args` has json, quick, only, keep and force.
    """
    _check_permission()
    only = args.only or ""
    chosen = [cell for cell in stacks() if is_quick(cell) or not args.quick]
    chosen = [cell for cell in chosen if only in cell.name]
    if not chosen:
        raise InputError(
            f"--only {only}: no cell's name contains this; a name is, for example, `11a alone up cubic 3%`"
        )
    quick = (kernel.QUICK_RUNS, kernel.QUICK_SECONDS)
    runs, seconds = quick if args.quick else (kernel.RUNS, kernel.SECONDS)
    if args.keep is not None:
        output.check([output.Output("--keep", args.keep)], force=args.force)
        _check_file(args.keep)
    try:
        with Progress("comparing") as progress:
            found = kernel.compare(chosen, runs, seconds, progress=progress)
    except ComparisonError as error:
        raise InputError(*str(error).splitlines()) from error
    table = rows(found)
    (sys.stderr if args.json else sys.stdout).write(text(table))
    if args.json:
        sys.stdout.write(store.encode(kernel.document(table)).decode())
    if args.keep is not None:
        try:
            kernel.keep(args.keep, found, runs, seconds)
        except OSError as error:
            why = f"{describe(error)}; the file is unchanged"
            sys.stderr.write(f"airfair: --keep {args.keep}: {why}\n")
            return FAILED
    differs = any(row.verdict is Agreement.DIFFERS for row in table)
    return FAILED if differs else DONE


def _check_permission() -> None:
    """Raise `InputError` if no emulation is possible."""
    try:
        kernel.check_permission()
    except ComparisonError as error:
        first, *rest = str(error).splitlines()
        raise InputError(f"--kernel: {first}", *rest) from error


def _check_file(file: Path) -> None:
    """Raise `InputError` before the comparison if its result cannot be saved in `file`."""
    try:
        kernel.check_file(file)
    except OSError as error:
        raise InputError(f"--keep {file}: {describe(error)}") from error
    except ValueError as error:
        raise InputError(f"--keep {file}: not a comparison that --keep wrote ({error})") from error
