"""Render modes of environments, and the pictures of their worlds."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import numpy as np
from gymnasium import logger
from numpy.typing import NDArray

from airfair import _core
from airfair._core import Scenario

from .task import TaskError

Image = NDArray[np.uint8]
"""Picture, (height, width, 3): red, green and blue."""
Interval = tuple[int, int, int, int, str, str, str, int]
"""Interval of a film, as `_core.Worlds.film` gives it."""

RENDERING: Mapping[str, Any] = {"render_modes": ["rgb_array"], "render_fps": 20}
"""Metadata of environments: render modes, and pictures per second of films."""
SPAN_NS = 20_000_000
"""Time that a picture shows [ns]."""


class Screen:
    """Pictures of the worlds of an environment; matplotlib is imported with the first one.

    Raises `TaskError` for a render mode that is not allowed.
    """

    def __init__(self, render_mode: str | None) -> None:
        if render_mode is not None and render_mode not in RENDERING["render_modes"]:
            raise TaskError(f'render_mode = {render_mode!r}: allowed are None and "rgb_array"')
        self.mode = render_mode
        self._pictures = lru_cache(maxsize=16)(_pictures)

    @property
    def film_ns(self) -> int | None:
        """Length of the films that the worlds have to keep [ns]; `None` for no films."""
        return None if self.mode is None else SPAN_NS

    def pictures(self, worlds: _core.Worlds, count: int) -> tuple[Image, ...] | None:
        """Picture of each of the `count` worlds; `None` with a warning if there is no render mode."""
        if self.mode is None:
            logger.warn('no render_mode: render() shows pictures with render_mode="rgb_array"')
            return None
        films = [worlds.film(index) for index in range(count)]
        return tuple(self._pictures(scenario).paint(film, now) for scenario, now, film in films)


def _pictures(scenario: Scenario) -> Any:  # noqa: ANN401 - imported where it is used
    from .picture import Pictures

    return Pictures(scenario, SPAN_NS)
