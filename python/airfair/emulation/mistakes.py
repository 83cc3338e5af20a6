"""Mistakes in options of emulations that only the system shows."""

from __future__ import annotations

from typing import ClassVar


class MistakeError(ValueError):
    """Raised for a value of an option that the system refuses; the text has the value and what is allowed."""

    option: ClassVar[str]
    """Option of `airfair emulate`."""
