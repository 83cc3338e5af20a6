"""Optional dependencies: packages that only some parts of airfair need."""

from __future__ import annotations


class MissingExtraError(ImportError):
    """A package that an optional part of airfair needs is not installed."""

    def __init__(self, part: str, package: str, install: str) -> None:
        super().__init__(
            f"{part} needs {package}, which is not installed; install it with: pip install {install}",
            name=package,
        )
