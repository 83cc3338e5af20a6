"""Errors in the declaration of an experiment."""

from __future__ import annotations

from types import TracebackType

from airfair.errors import MistakesError


class StudyError(MistakesError):
    """Raised for mistakes in an experiment or study; `problems` has one line for each, with its address."""


class DefaultsWarning(UserWarning):
    """Warning that levels of a factor change the 802.11 standard, and thereby defaults of other keys."""


class Gathered:
    """Context manager that collects the mistakes of several parts, to report all at once."""

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
        """Raise `StudyError` with all collected mistakes, if there are any."""
        if self.problems:
            raise StudyError(*dict.fromkeys(self.problems))
