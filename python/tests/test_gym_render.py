"""Pictures of environments: left out where Gymnasium is not installed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402
from gymnasium.wrappers import RenderCollection  # noqa: E402

import airfair  # noqa: E402
from airfair.channel_figure import LOOKS  # noqa: E402
from airfair.gym import Environment, TaskError, VectorEnv  # noqa: E402
from airfair.gym.picture import Pictures  # noqa: E402
from airfair.gym.rendering import SPAN_NS  # noqa: E402

NAME = "airfair.gym:airfair/ContentionWindow-v0"
SATURATED = "scenarios/saturated-cell.toml"
SHORT: dict[str, Any] = {
    "scenario": SATURATED,
    "duration": "50 ms",
    "render_mode": "rgb_array",
    "history": 4,
    "window": None,
}
LEFT, RIGHT, TOP, LANE = 110, 844, 28, 22
"""Place of the lanes in a picture of fewer than 30 of them [pixels]."""
COLOUR = {look.label: look for look in LOOKS}


def rgb(colour: str) -> list[int]:
    return [int(colour[at : at + 2], 16) for at in (1, 3, 5)]


def has(image: Any, colour: str) -> Any:  # noqa: ANN401
    """Pixels with this colour."""
    return (image == np.array(rgb(colour), np.uint8)).all(axis=2)


def test_the_checker_of_gymnasium_finds_nothing_in_an_environment_that_renders() -> None:
    check_env(gymnasium.make(NAME, **SHORT).unwrapped, skip_render_check=False)


def test_pictures_of_an_episode_are_collected() -> None:
    """One picture of the reset and one of each of five steps, of which the last ends the episode."""
    env = RenderCollection(gymnasium.make(NAME, **SHORT))
    env.reset(seed=1)
    for _ in range(5):
        *_, over, _ = env.step(0)
    assert over
    frames = env.render()
    assert len(frames) == 6
    # Ten stations and the access point have a lane each.
    assert {frame.shape for frame in frames} == {(TOP + 11 * LANE + 74, 860, 3)}
    assert {frame.dtype for frame in frames} == {np.dtype(np.uint8)}
    lanes = [frame[TOP : TOP + 11 * LANE, LEFT:RIGHT] for frame in frames]
    fill = COLOUR["data"].fill
    assert not has(lanes[0], fill).any()
    # After 10 ms, nothing is left of the middle; a step later, there is.
    middle = (RIGHT - LEFT) // 2
    assert not has(lanes[1], fill)[:, : middle - 1].any()
    assert has(lanes[1], fill)[:, middle:].any()
    assert has(lanes[2], fill)[:, : middle - 1].any()
    # With the smallest window, frames of several stations collide.
    assert has(lanes[2], COLOUR["collided"].edge).any()


def test_a_picture_has_the_intervals_at_their_times_and_lanes() -> None:
    """The lanes are 734 pixels wide for 20 ms: 5 ms before now are at 110 + 734·0.75 = 660.5."""
    pictures = Pictures(airfair.load(SATURATED), SPAN_NS)
    now, ms = 50_000_000, 1_000_000
    film = [
        (0, 2, now - 10 * ms, now - 5 * ms, "frame", "data", "received", 0),
        (0, 3, now - 5 * ms, now, "frame", "data", "collided", 1),
        (0, 0, now - SPAN_NS - 5 * ms, now - 15 * ms, "frame", "ACK", "received", 0),
        (0, 4, now - 25 * ms, now - 21 * ms, "frame", "data", "received", 0),
    ]
    image = pictures.paint(film, now)
    # The rows of a lane in its middle: 110 + 734·0.5 = 477, and 660 (round half to even) or 844.
    middle = [TOP + lane * LANE + LANE // 2 for lane in range(11)]
    received = np.flatnonzero(has(image, COLOUR["data"].fill)[middle[2]])
    assert (received.min(), received.max()) == (478, 658)
    collided = np.flatnonzero(has(image, COLOUR["collided"].edge)[middle[3]])
    assert 660 <= collided.min() < 668
    assert collided.max() == RIGHT - 1
    acks = np.flatnonzero(has(image, COLOUR["ACK"].fill)[middle[0]])
    # 110 + 734·0.25 = 293.5; what is before the picture is cut off.
    assert (acks.min(), acks.max()) == (LEFT, 293)
    assert not has(image, COLOUR["data"].fill)[middle[4]].any()


def test_a_vector_has_a_picture_of_each_environment_at_its_time() -> None:
    """The second cell has the pictures of a single environment with its seed."""
    env = VectorEnv(2, **SHORT)
    single = Environment(**SHORT)
    env.reset(seed=7)
    single.reset(seed=8)
    for _ in range(3):
        env.step(np.array([0, 2]))
        single.step(2)
    pictures = env.render()
    assert pictures is not None
    assert len(pictures) == 2
    assert np.array_equal(pictures[1], single.render())
    assert not np.array_equal(pictures[0], pictures[1])


def test_cells_of_many_stations_have_low_lanes_without_names() -> None:
    env = Environment(**SHORT, draw={"station.s.count": [200]})
    env.reset(seed=1)
    env.step(3)
    image = env.render()
    assert image is not None
    assert image.shape == (TOP + 201 * 4 + 74, 860, 3)


def test_render_modes_and_the_order_of_calls_are_checked() -> None:
    with pytest.raises(
        TaskError, match="render_mode = 'human': allowed are None and \"rgb_array\""
    ):
        Environment(**{**SHORT, "render_mode": "human"})
    for env in (Environment(**SHORT), VectorEnv(2, **SHORT)):
        with pytest.raises(ResetNeeded, match="call reset first"):
            env.render()
    blind = Environment(scenario=SATURATED)
    blind.reset()
    with pytest.warns(UserWarning, match='render_mode="rgb_array"'):
        assert blind.render() is None


def test_environments_that_do_not_render_import_no_matplotlib() -> None:
    code = (
        "import sys, airfair.gym; env = airfair.gym.Environment(); env.reset(seed=1); env.step(1);"
        "assert 'matplotlib' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_stations_as_agents_have_the_same_picture() -> None:
    pytest.importorskip("pettingzoo", reason="PettingZoo is not installed")
    from airfair.gym import parallel_env

    env = parallel_env(**SHORT)
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.render()
    env.reset(seed=1)
    env.step(dict.fromkeys(env.agents, 2))
    image = env.render()
    assert image is not None
    assert image.shape == (TOP + 11 * LANE + 74, 860, 3)
