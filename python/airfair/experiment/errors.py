"""Mistakes in an experiment, as its author would want to read them."""

from __future__ import annotations


class StudyError(ValueError):
    """An experiment has mistakes: `problems` holds one line for each, with its place in front."""

    def __init__(self, *problems: str) -> None:
        super().__init__("\n".join(problems))
        self.problems = list(problems)

    def __reduce__(self) -> tuple[type[StudyError], tuple[str, ...]]:
        return type(self), tuple(self.problems)
