"""The parallel environment of PettingZoo: each station is an agent."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, Unpack

from airfair.errors import MissingExtraError

if TYPE_CHECKING:
    from .agents import Stations
    from .task import Options


def parallel_env(
    *,
    reward: Literal["cell", "own"] = "cell",
    render_mode: str | None = None,
    **options: Unpack[Options],
) -> Stations:
    """Environment of PettingZoo in which each station chooses its own contention window.

    A station observes what it knows itself: its share of retries, the share of time in which it senses a busy
    channel, and its goodput. `reward="cell"` (the default) rewards all with the goodput of the whole cell,
    `reward="own"` each with its own; both are relative to the highest data rate.

    Of the `Options`, `observe` has no effect, and `draw` cannot change the stations of the cell.

    Raises `MissingExtraError` if PettingZoo is not installed, and `TaskError` for options that are not
    allowed.
    """
    try:
        from .agents import Stations
    except ImportError as error:
        raise MissingExtraError("parallel_env", "pettingzoo", "airfair[gym] pettingzoo") from error
    return Stations(reward=reward, render_mode=render_mode, **options)
