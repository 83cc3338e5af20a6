"""`airfair completion`: prints the script with which a shell completes words of this program."""

from __future__ import annotations

import argparse

from airfair.cli.parser import Commands
from airfair.cli.status import DONE

_DESCRIPTION = """\
Print a script with which a shell completes commands, options, scenario files,
papers and schemes.

  bash   echo 'eval "$(airfair completion bash)"' >> ~/.bashrc
  zsh    echo 'eval "$(airfair completion zsh)"' >> ~/.zshrc, after compinit
  fish   airfair completion fish > ~/.config/fish/completions/airfair.fish
"""


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    completion = commands.add_parser(
        "completion", help="print a script for completion in a shell", description=_DESCRIPTION
    )
    completion.add_argument(
        "shell", choices=["bash", "zsh", "fish"], help="shell that reads the script"
    )
    completion.set_defaults(action=_completion)


def _completion(arguments: argparse.Namespace) -> int:
    from argcomplete.shell_integration import shellcode

    print(shellcode(["airfair"], shell=arguments.shell))
    return DONE
