"""`airfair completion`: prints the script with which a shell completes words of this program."""

from __future__ import annotations

import argparse

from argcomplete.shell_integration import shellcode

from airfair.cli.status import DONE


def main(arguments: argparse.Namespace) -> int:
    """Run the command, and return its exit status."""
    print(shellcode(["airfair"], shell=arguments.shell))
    return DONE
