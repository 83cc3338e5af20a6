"""Modern defaults that apply in a scenario: for TCP, queues and wires of cells with 802.11n and later."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Mapping, Sequence

from .names import printable

WIDTH = 80
_FIXED = "\x00"
_QUOTED = re.compile(r'"[^"]*"')
_MOST_NAMED = 3
"""Largest number of sections with the same default that are named one by one."""

Applied = Mapping[str, str]
"""A default, as `Scenario.applied_defaults` returns it."""


def explained(applied: Iterable[Applied]) -> str:
    """Text with each default that applies, its value and the reason, in lines of at most 80 columns."""
    by_cell: dict[tuple[str, str], dict[tuple[str, ...], list[str]]] = {}
    for it in applied:
        alike = by_cell.setdefault((it["standard"], it["cell"]), {})
        same = it["section"].partition(".")[0], it["key"], it["value"], it["reason"], it["legacy"]
        alike.setdefault(same, []).append(it["section"])
    if not by_cell:
        return (
            "No default of 802.11n or later is used: the scenario has no such cell, or sets all those "
            "keys."
        )
    parts = []
    for (standard, cell), alike in by_cell.items():
        lines = _wrapped(f"Defaults of {standard}, because cell {cell} is the newest on the path:")
        for (_, key, value, reason, legacy), sections in alike.items():
            lines += _wrapped(f"{_path(sections, key)} = {value}", indent="  ")
            lines += _wrapped(f"{reason}; up to 802.11g {legacy}", indent="      ")
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def differing(levels: Sequence[Iterable[Applied]]) -> list[str]:
    """Keys whose modern defaults apply at some levels but not at all of them, each with both values."""
    sets = [
        {(it["section"].partition(".")[0], it["key"], it["legacy"], it["value"]) for it in applied}
        for applied in levels
    ]
    common = set.intersection(*sets)
    found = {key: None for applied in sets for key in sorted(applied - common)}
    return [f"{section}.*.{key}: {legacy} or {today}" for section, key, legacy, today in found]


def _path(sections: Sequence[str], key: str) -> str:
    if len(sections) == 1:
        return f"{sections[0]}.{key}"
    more = len(sections) - _MOST_NAMED
    shown = ", ".join(sections[:_MOST_NAMED])
    return f"{shown}{f' and {more} more' if more > 0 else ''}: {key}"


def _wrapped(text: str, indent: str = "") -> list[str]:
    # Do not break lines within a quoted value.
    whole = _QUOTED.sub(lambda it: it[0].replace(" ", _FIXED), printable(text))
    lines = textwrap.wrap(
        whole,
        WIDTH,
        initial_indent=indent,
        subsequent_indent=indent + "    ",
        break_on_hyphens=False,
        break_long_words=False,
    )
    return [line.replace(_FIXED, " ") for line in lines]
