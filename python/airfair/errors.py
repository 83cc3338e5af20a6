"""Errors in words."""

from __future__ import annotations


def describe(error: OSError) -> str:
    """An operating system's error in one line."""
    return error.strerror or str(error)


class EngineError(RuntimeError):
    """Raised if an engine cannot execute the runs; it has passed the finished ones to `on_done`."""


class OtherBuildError(EngineError):
    """Raised if a worker has another build of airfair, whose results may differ."""


class OptionError(ValueError):
    """Raised for arguments that are not allowed; `problems` has one line for each, with its name in front."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)

    def __reduce__(self) -> tuple[type[OptionError], tuple[str, ...]]:
        return type(self), tuple(self.problems)
