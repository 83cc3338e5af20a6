"""Errors in words."""

from __future__ import annotations

from typing import Self


def describe(error: OSError) -> str:
    """An operating system's error in one line."""
    return error.strerror or str(error)


class EngineError(RuntimeError):
    """Raised if an engine cannot execute the runs; it has passed the finished ones to `on_done`."""


class OtherBuildError(EngineError):
    """Raised if a worker has another build of airfair, whose results may differ."""


class MistakesError(ValueError):
    """Base of errors that report several mistakes at once; `problems` has one line for each."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)

    def __reduce__(self) -> tuple[type[Self], tuple[str, ...]]:
        return type(self), tuple(self.problems)


class OptionError(MistakesError):
    """Raised for arguments that are not allowed; each line begins with the argument's name."""


class MissingExtraError(ImportError):
    """Raised if a package that an optional part of airfair needs is not installed."""

    def __init__(self, part: str, package: str, install: str) -> None:
        super().__init__(
            f"{part} needs {package}, which is not installed; install it with: pip install {install}",
            name=package,
        )
