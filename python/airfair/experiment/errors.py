"""Mistakes in an experiment, as its author would want to read them."""

from __future__ import annotations

from types import TracebackType


class StudyError(ValueError):
    """An experiment has mistakes: `problems` holds one line for each, with its place in front."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)

    def __reduce__(self) -> tuple[type[StudyError], tuple[str, ...]]:
        return type(self), tuple(self.problems)


class DefaultsWarning(UserWarning):
    """Levels of a factor change the standard of a cell, and defaults of other keys with it."""


class Gathered:
    """Mistakes of several parts, each read `with` it, so that all of them are told at once."""

    def __init__(self) -> None:
        self.problems: list[str] = []

    def __enter__(self) -> None:
        return None

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> bool:
        if isinstance(error, StudyError):
            self.problems += error.problems
        return isinstance(error, StudyError)

    def tell(self) -> None:
        """Raises `StudyError` if there was any."""
        if self.problems:
            raise StudyError(*dict.fromkeys(self.problems))
