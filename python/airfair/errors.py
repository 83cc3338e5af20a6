"""Errors in words."""

from __future__ import annotations


def describe(error: OSError) -> str:
    """An operating system's error in one line."""
    return error.strerror or str(error)
