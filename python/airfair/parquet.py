"""Parquet files with the unit and the meaning of each column.

Programs that know Arrow read them from the metadata of each field (`unit`, `description`). The key `airfair`
of the file's own metadata has the units as well, for programs that know Parquet alone, and is airfair's mark.
"""

from __future__ import annotations

import ctypes
import io
import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

import polars as pl

from .columns import Table
from .marks import PROGRAM
from .store import DamagedError


def encode(frame: pl.DataFrame, table: Table) -> bytes:
    """A frame as a Parquet file; a column that `table` does not have bears no metadata."""
    said = [table.by_name[name] for name in frame.columns if name in table.by_name]
    about = {
        "table": table.name,
        "meaning": table.meaning,
        "units": {one.name: one.unit for one in said if one.unit},
    }
    described = {one.name: {"unit": one.unit, "description": one.meaning} for one in said}
    buffer = io.BytesIO()
    frame.write_parquet(
        buffer,
        metadata={PROGRAM: json.dumps(about, ensure_ascii=False)},
        arrow_schema=_Described(frame.schema, described),
    )
    return buffer.getvalue()


def decode(octets: bytes, where: Path) -> pl.DataFrame:
    """The frame in a Parquet file; raises `DamagedError` with `where` if it is none."""
    try:
        return pl.read_parquet(io.BytesIO(octets))
    except (
        pl.exceptions.PolarsError,
        # Polars breaks its own promises over what is no Parquet file.
        pl.exceptions.PanicException,
        OSError,
        ValueError,
        OverflowError,
        MemoryError,
    ) as error:
        raise DamagedError(f"{where}: no table in Parquet: {_line(error)}") from error


def conformed(frame: pl.DataFrame, like: pl.Schema, where: Path) -> pl.DataFrame:
    """A frame with the columns that this version knows, in their order, and behind them all others.

    What its writer did not know yet is null. Raises `DamagedError` if a column holds something else.
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
    """What an error says, in one line."""
    return " ".join(str(error).split())[:200]


class _ArrowSchema(ctypes.Structure):
    """A schema, or a field of one, in Arrow's C data interface."""


_ArrowSchema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", ctypes.c_void_p),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_ArrowSchema))),
    ("dictionary", ctypes.c_void_p),
    ("release", ctypes.c_void_p),
    ("private_data", ctypes.c_void_p),
]

_address_in = ctypes.pythonapi.PyCapsule_GetPointer
_address_in.restype = ctypes.c_void_p
_address_in.argtypes = [ctypes.py_object, ctypes.c_char_p]

_FORMATS = {b"vu": b"U", b"vz": b"Z"}
"""Texts and octets as programs of some years ago know them, in place of polars' views."""


@dataclass
class _Described:
    """A schema of polars whose fields have metadata, as an object of Arrow's PyCapsule interface.

    It outlives the capsule: the capsule's fields point to octets that are kept here.
    """

    schema: pl.Schema
    metadata: Mapping[str, Mapping[str, str]]
    _kept: list[ctypes.Array[ctypes.c_char]] = field(default_factory=list)

    def __arrow_c_schema__(self) -> object:
        """The capsule of polars, with metadata put into its fields."""
        capsule = self.schema.__arrow_c_schema__()
        whole = _ArrowSchema.from_address(_address_in(capsule, b"arrow_schema"))
        for i in range(whole.n_children):
            one = whole.children[i].contents
            if one.format in _FORMATS:
                one.format = _FORMATS[one.format]
            if told := self.metadata.get(one.name.decode()):
                octets = ctypes.create_string_buffer(_encoded(told))
                self._kept.append(octets)
                one.metadata = ctypes.addressof(octets)
        return capsule


def _encoded(pairs: Mapping[str, str]) -> bytes:
    """Pairs of texts as Arrow's C data interface has metadata: numbers and lengths in the machine's order."""
    texts = [text.encode() for pair in pairs.items() for text in pair]
    parts = [part for text in texts for part in (_number(len(text)), text)]
    return _number(len(pairs)) + b"".join(parts)


def _number(value: int) -> bytes:
    return bytes(ctypes.c_int32(value))
