"""Mark of airfair in the files that it writes, by which it recognises them.

The mark is part of each format's metadata: the program of a pcapng file, a key of a Parquet file, the creator
of an SVG or a PDF, the software of a PNG, the key `program` of a JSON document, packed or not.
"""

from __future__ import annotations

import os
import re
import struct
import zlib
from pathlib import Path
from typing import BinaryIO

PROGRAM = "airfair"
"""Mark that airfair writes where a file format has an entry for the name of a program."""

_PART = 1 << 16
"""Number of octets at the start and end of a file in which the mark is searched."""

_JSON = re.compile(rb'"program":\s*"airfair[ "]')
_SVG = re.compile(rb"<dc:creator>\s*<cc:Agent>\s*<dc:title>airfair</dc:title>")
_PARQUET = b"\x18\x07airfair\x18"
"""Encoded key of airfair's metadata in the footer of a Parquet file, and the start of its value."""
_SECTION = struct.Struct("<III4xq")
"""Header of a pcapng section: type, length, byte order, and length of all blocks of the section."""
_SECTION_TYPE, _BYTE_ORDER, _PROGRAM_OPTION = 0x0A0D0D0A, 0x1A2B3C4D, 4


def is_marked(path: Path) -> bool:
    """True if a file has the mark; raises `OSError` if it cannot be read."""
    with path.open("rb") as file:
        head = file.read(_PART)
        if head.startswith(b"PAR1"):
            return _PARQUET in _footer(file)
        if head.startswith(b"%PDF-"):
            return b"/Creator (airfair)" in head + _end(file, _PART)
    if head.startswith(b"\x89PNG\r\n\x1a\n"):
        return b"tEXtSoftware\0airfair" in head
    if head.startswith(_SECTION_TYPE.to_bytes(4, "little")):
        return _is_marked_capture(head)
    if head.startswith(b"\x1f\x8b"):
        return _is_marked_archive(head)
    if head.lstrip(b" \t\r\n\x1e").startswith(b"{"):
        return _JSON.search(head) is not None
    return b"<svg" in head and _SVG.search(head) is not None


def _footer(file: BinaryIO) -> bytes:
    """Footer of a Parquet file, which is followed by its length."""
    length = int.from_bytes(_end(file, 8)[:4], "little")
    return _end(file, length + 8)


def _end(file: BinaryIO, length: int) -> bytes:
    size = file.seek(0, os.SEEK_END)
    file.seek(max(0, size - length))
    return file.read()


def _is_marked_archive(head: bytes) -> bool:
    """True if JSON that gzip has packed has the mark."""
    try:
        text = zlib.decompressobj(wbits=31).decompress(head, _PART)
    except zlib.error:
        return False
    return _JSON.search(text) is not None


def _is_marked_capture(head: bytes) -> bool:
    """True if the header of a pcapng file names airfair as the program."""
    if len(head) < _SECTION.size:
        return False
    _, length, order, _ = _SECTION.unpack_from(head)
    at = _SECTION.size
    while order == _BYTE_ORDER and at + 4 <= min(length, len(head)):
        code, size = struct.unpack_from("<HH", head, at)
        value = head[at + 4 : at + 4 + size]
        if code == _PROGRAM_OPTION:
            return value.split(b" ")[0] == PROGRAM.encode()
        at += 4 + (size + 3) // 4 * 4
    return False
