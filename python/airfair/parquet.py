"""Parquet files with the unit and the meaning of each column.

Both are in the file's own metadata, as JSON under the key `airfair`, which is also the mark of airfair.
"""

from __future__ import annotations

import io
import json
from pathlib import Path

import polars as pl

from .columns import Table
from .marks import PROGRAM
from .store import DamagedError


def encode(frame: pl.DataFrame, table: Table) -> bytes:
    """Parquet file of a frame, with the metadata of the columns that `table` declares."""
    known = [table.by_name[name] for name in frame.columns if name in table.by_name]
    about = {
        "table": table.name,
        "meaning": table.meaning,
        "units": {column.name: column.unit for column in known if column.unit},
        "meanings": {column.name: column.meaning for column in known},
    }
    buffer = io.BytesIO()
    frame.write_parquet(buffer, metadata={PROGRAM: json.dumps(about, ensure_ascii=False)})
    return buffer.getvalue()


def decode(octets: bytes, where: Path) -> pl.DataFrame:
    """Frame from a Parquet file; raises `DamagedError`, which names the path `where`, if it is invalid."""
    try:
        return pl.read_parquet(io.BytesIO(octets))
    except (
        pl.exceptions.PolarsError,
        # Polars panics on some invalid files.
        pl.exceptions.PanicException,
        OSError,
        ValueError,
        OverflowError,
        MemoryError,
    ) as error:
        raise DamagedError(f"{where}: not a Parquet table: {_line(error)}") from error


def conformed(frame: pl.DataFrame, like: pl.Schema, where: Path) -> pl.DataFrame:
    """Frame with the columns of this version in order, followed by all others.

    Columns that its writer did not know are null. Raises `DamagedError` if a column holds something else.
    """
    wrong = [
        f"{name} is {frame.schema[name]}, not {kind}"
        for name, kind in like.items()
        if name in frame.schema and frame.schema[name] != kind
    ]
    if wrong:
        raise DamagedError(f"{where}: {'; '.join(wrong)}")
    missing = [
        pl.lit(None, kind).alias(name) for name, kind in like.items() if name not in frame.schema
    ]
    further = [name for name in frame.columns if name not in like]
    return frame.with_columns(missing).select(*like, *further)


def _line(error: BaseException) -> str:
    """Message of an error in one line."""
    return " ".join(str(error).split())[:200]
