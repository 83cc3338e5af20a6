"""`airfair tfrc`: a TFRC flow between two real hosts."""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from airfair.cli import options

if TYPE_CHECKING:
    from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command."""
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
        "--limits",
        action="store_true",
        help="read limits of the rate from standard input while it sends: "
        "lines such as '400 kb/s', or 'none'",
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
        options.json(end)
    send.set_defaults(action=_tfrc, end="send")
    receive.set_defaults(action=_tfrc, end="receive")


def _tfrc(arguments: argparse.Namespace) -> int:
    from airfair import tfrc

    return tfrc.main(arguments)
