"""Streams for people: their width, colours, and characters that they cannot show."""

from __future__ import annotations

import io
import os
from dataclasses import dataclass
from typing import TextIO

WIDTH = 80
"""Width of output to a pipe [columns]."""
MOST_WIDTH = 400
"""Largest width used on a terminal [columns]."""


def columns(stream: TextIO) -> int:
    """Width for tables on `stream` [columns]: the variable COLUMNS, else that of the terminal, else 80."""
    said = os.environ.get("COLUMNS", "")
    if said.isdecimal() and int(said) > 0:
        return min(int(said), MOST_WIDTH)
    try:
        found = os.get_terminal_size(stream.fileno()).columns if is_terminal(stream) else 0
    except OSError:
        found = 0
    return min(found or WIDTH, MOST_WIDTH)


def is_terminal(stream: object) -> bool:
    """True if `stream` is a terminal; false for a pipe, a file and a missing stream."""
    isatty = getattr(stream, "isatty", None)
    return bool(isatty and isatty())


def write(text: str, stream: TextIO) -> None:
    """Write text to `stream` at once, with question marks for characters that it cannot show."""
    if isinstance(stream, io.TextIOWrapper):
        stream.reconfigure(errors="replace")
    stream.write(text)
    stream.flush()


@dataclass(frozen=True)
class Ink:
    """Formatter of text: with escape sequences, or plain."""

    colour: bool = False

    def bold(self, text: str) -> str:
        """Bold text."""
        return f"\x1b[1m{text}\x1b[0m" if self.colour else text

    def on(self, colour: str, ink: str, text: str) -> str:
        """Text with the background `colour` and the text colour `ink`, both as #rrggbb."""
        if not self.colour:
            return text
        return f"\x1b[38;{_sgr(ink)};48;{_sgr(colour)}m{text}\x1b[0m"


def _sgr(colour: str) -> str:
    red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
    if os.environ.get("COLORTERM") in ("truecolor", "24bit"):
        return f"2;{red};{green};{blue}"
    cube = [round(part / 255 * 5) for part in (red, green, blue)]
    return f"5;{16 + 36 * cube[0] + 6 * cube[1] + cube[2]}"
