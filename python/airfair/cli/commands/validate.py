"""`airfair validate`: checks the simulator against theory, or its TCP against the kernel's."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from airfair import validation
from airfair.cli import output
from airfair.cli.status import DONE, FAILED, INTERRUPTED, InputError, as_option
from airfair.engine import Interrupted
from airfair.errors import OptionError, describe
from airfair.validation import kernel
from airfair.validation.kernel.running import validate_kernel
from airfair.validation.kernel.runs import ComparisonError, NoEmulationError
from airfair.validation.kernel.table import text


def main(args: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    if args.kernel:
        return _beside_the_kernel(args)
    wanted = {"quick": args.quick, "only": args.only, "keep": args.keep}
    if alone := [name for name, value in wanted.items() if value]:
        raise InputError(f"--{alone[0]}: works only with --kernel")
    return _theory(args)


def _theory(args: argparse.Namespace) -> int:
    try:
        found = validation.validate()
    except Interrupted as stop:
        found = stop.result
    output.for_people(args).write(validation.text(found.checks))
    if args.json:
        output.print_json(found.document())
    if found.interrupted:
        return INTERRUPTED
    return DONE if found.passed else FAILED


def _beside_the_kernel(args: argparse.Namespace) -> int:
    if args.keep is not None:
        output.check([output.Output("--keep", args.keep)], force=args.force)
        _check_file(args.keep)
    try:
        found = validate_kernel(quick=args.quick, only=args.only or "")
    except OptionError as error:
        raise InputError(*map(as_option, error.problems)) from error
    except NoEmulationError as error:
        first, *rest = str(error).splitlines()
        raise InputError(f"--kernel: {first}", *rest) from error
    except ComparisonError as error:
        raise InputError(*str(error).splitlines()) from error
    output.for_people(args).write(text(found.rows))
    if args.json:
        output.print_json(found.document())
    if args.keep is not None:
        try:
            found.save(args.keep)
        except OSError as error:
            why = f"{describe(error)}; the file is unchanged"
            sys.stderr.write(f"airfair: --keep {args.keep}: {why}\n")
            return FAILED
    return DONE if found.agrees else FAILED


def _check_file(file: Path) -> None:
    """Raise `InputError` before the comparison if its result cannot be saved in `file`."""
    try:
        kernel.check_file(file)
    except OSError as error:
        raise InputError(f"--keep {file}: {describe(error)}") from error
    except ValueError as error:
        raise InputError(f"--keep {file}: not a comparison that --keep wrote ({error})") from error
