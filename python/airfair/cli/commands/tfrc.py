"""`airfair tfrc`: sends or receives a TFRC flow between two real hosts."""

from __future__ import annotations

import argparse

from airfair.cli import options
from airfair.cli.parser import Commands


def add(commands: Commands) -> None:
    """Add the command to the grammar."""
    tfrc = commands.add_parser(
        "tfrc",
        help="send or receive a TFRC flow over a real network",
        description="Send or receive a TFRC flow (RFC 5348) over RTP and UDP between two hosts.",
    )
    ends = tfrc.add_subparsers(metavar="END", required=True)
    send = ends.add_parser(
        "send",
        help="send a flow to a receiver",
        description="Send a TFRC flow to a receiver. The command fails if no receiver answers within 10 s.",
    )
    send.add_argument("address", metavar="HOST:PORT", help="address on which the receiver listens")
    send.option(
        "--rate",
        "RATE",
        "rate of the application, for example '400 kb/s' (default: as much as TFRC allows)",
    )
    send.option(
        "--max-rate",
        "RATE",
        "largest rate of payload, whatever the receiver reports (default: 1 Gb/s)",
        default="1 Gb/s",
    )
    send.flag(
        "--limits",
        "read limits of the rate from standard input while sending, one per line: '400 kb/s', or 'none'",
    )
    send.option("--segment", "SIZE", "payload of each packet (default: 1000 B)", default="1000 B")
    receive = ends.add_parser(
        "receive",
        help="receive a flow and report to its sender",
        description="Receive the first TFRC flow that arrives, and report to its sender. "
        "Once that sender has been silent for 5 s, another one can take its place.",
    )
    receive.add_argument(
        "address",
        metavar="[HOST:]PORT",
        help="address on which to listen (default of HOST: 0.0.0.0)",
    )
    for end in (send, receive):
        end.option(
            "--duration", "TIME", "end after this time, for example '10 s' (default: at Ctrl-C)"
        )
        end.add_argument(
            "--profile",
            choices=["rfc5348", "rfc3448", "ns-2"],
            default="rfc5348",
            help="version of TFRC: an RFC or ns-2's (default: rfc5348)",
        )
        options.json(end)
    send.set_defaults(action=_tfrc, end="send")
    receive.set_defaults(action=_tfrc, end="receive")


def _tfrc(arguments: argparse.Namespace) -> int:
    from airfair.cli.actions import tfrc

    return tfrc.main(arguments)
