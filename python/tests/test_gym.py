"""Environments to learn in: the tests are left out where Gymnasium is not installed."""

from __future__ import annotations

import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import airfair

gymnasium = pytest.importorskip(
    "gymnasium", reason="Gymnasium is not installed: requirements/gym.txt"
)

from gymnasium.error import ResetNeeded  # noqa: E402
from gymnasium.utils.env_checker import check_env  # noqa: E402

import airfair.gym  # noqa: E402
from airfair.gym import Environment, TaskError  # noqa: E402

NAME = "airfair.gym:airfair/ContentionWindow-v0"
SATURATED = "scenarios/saturated-cell.toml"
SHORT = {"scenario": SATURATED, "duration": "200 ms"}


def episode(env: Any, actions: list[Any], seed: int | None = None) -> tuple[list[float], str]:  # noqa: ANN401
    """Rewards of an episode and its record hash; the actions are repeated."""
    env.reset(seed=seed)
    rewards = []
    over = False
    info: dict[str, Any] = {}
    while not over:
        _, reward, terminated, over, info = env.step(actions[len(rewards) % len(actions)])
        assert not terminated
        rewards.append(reward)
    return rewards, info["record_hash"]


def test_make_registers_the_task_by_itself() -> None:
    """The name contains the module, so that no import is needed."""
    code = f"import gymnasium; env = gymnasium.make({NAME!r}); env.reset(seed=1); print(env.step(3)[1])"
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", code], capture_output=True, check=True
    )
    assert 0 < float(done.stdout) < 1


def test_without_gymnasium_the_error_gives_the_command_that_installs_it() -> None:
    code = (
        "import sys; sys.modules['gymnasium'] = None\n"
        "from airfair.errors import MissingExtraError\n"
        "try:\n    import airfair.gym\n"
        "except MissingExtraError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, check=True, text=True)
    assert "pip install airfair[gym]" in done.stdout


@pytest.mark.parametrize("actions", ["discrete", "continuous"])
@pytest.mark.parametrize("observe", ["cell", "local"])
def test_the_checker_of_gymnasium_finds_nothing(actions: Any, observe: Any) -> None:  # noqa: ANN401
    env = gymnasium.make(NAME, actions=actions, observe=observe, **SHORT)
    check_env(env.unwrapped)


def test_a_seed_and_actions_determine_the_records() -> None:
    one, two = Environment(**SHORT), Environment(**SHORT)
    actions = [0, 3, 6, 2]
    first = episode(one, actions, seed=7)
    assert episode(two, actions, seed=7) == first
    # The next episode has other random numbers, as has another seed.
    second = episode(one, actions)
    assert second[1] != first[1]
    assert episode(two, actions) == second
    assert episode(two, actions, seed=8)[1] != first[1]
    assert episode(two, [0, 3, 6, 1], seed=7)[1] != first[1]


def test_an_episode_has_the_records_of_a_world_with_the_same_windows() -> None:
    """Action 3 is window 127: 2^(3 + 4) - 1. The first number of the generator is the seed of the world."""
    env = Environment(**SHORT)
    rewards, of_records = episode(env, [3], seed=11)
    seed = int(np.random.Generator(np.random.PCG64(np.random.SeedSequence(11))).integers(2**63))
    world = airfair.World(SATURATED, seed=seed, set={"duration": "200 ms", "warmup": "0 s"})
    goodput = []
    for part in (*world.station.values(), *world.access_point.values()):
        part.contention_window = (127, 127)
    while not world.over:
        goodput.append(world.advance("10 ms").goodput_bps.sum())
    assert f"{world.result().outcomes[0].record_hash:016x}" == of_records
    # The reward is the goodput relative to 54 Mb/s.
    assert rewards == pytest.approx([each / 54e6 for each in goodput])
    assert len(rewards) == 20


def test_an_observation_is_the_share_of_collided_frames_newest_first() -> None:
    """With window 15, ten stations lose more than a third of the frames. Steps before the start are 0."""
    env = Environment(scenario=SATURATED, duration="1 s", history=4, window=None)
    seen, _ = env.reset(seed=1)
    assert seen.tolist() == [0, 0, 0, 0]
    shares = []
    for count in range(1, 7):
        seen, *_ = env.step(0)
        shares.insert(0, seen[0])
        assert seen.tolist() == [*shares[:4], *[0.0] * (4 - count)]
    assert 0.35 < np.mean(shares) < 0.75


def test_windows_give_means_and_standard_deviations() -> None:
    """History 6 and window 4: windows start at steps 0, 2 and 4; the last has two steps only."""
    raw = Environment(scenario=SATURATED, duration="1 s", history=6, window=None)
    env = Environment(scenario=SATURATED, duration="1 s", history=6, window=4)
    raw.reset(seed=3)
    env.reset(seed=3)
    for action in (0, 1, 4, 2, 6, 5, 0, 3):
        steps, *_ = raw.step(action)
        seen, *_ = env.step(action)
    parts = [steps[0:4], steps[2:6], steps[4:6]]
    expected = [moment for part in parts for moment in (part.mean(), part.std())]
    assert seen.tolist() == pytest.approx(expected, abs=1e-6)


def test_an_access_point_sees_the_busy_channel_and_the_time_of_its_frames() -> None:
    """A saturated channel is busy most of the time; larger windows leave less of it to collisions."""
    env = Environment(scenario=SATURATED, duration="2 s", observe="local", history=100, window=100)
    wasted = {}
    for action in (0, 3):
        env.reset(seed=1)
        for _ in range(100):
            seen, *_ = env.step(action)
        busy, _, used, _ = seen[:4]
        assert 0.4 < used < busy < 1
        wasted[action] = busy - used
    assert wasted[0] > 2 * wasted[3]


def test_continuous_actions_span_the_same_windows() -> None:
    """-1, 0 and 1 are the exponents 4, 7 and 10, so the records are those of actions 0, 3 and 6."""
    env = Environment(actions="continuous", **SHORT)
    discrete = Environment(**SHORT)
    numbers = [np.array([number], np.float32) for number in (-1, 0, 1)]
    assert episode(env, numbers, seed=2) == episode(discrete, [0, 3, 6], seed=2)


def test_each_episode_draws_its_cell() -> None:
    draw = {
        "station.s.count": (5, 50),
        "station.s.rate": ["6 Mb/s", "54 Mb/s"],
    }
    env = Environment(scenario=SATURATED, draw=draw, duration="20 ms")
    drawn = [env.reset(seed=1)[1]["drawn"], *(env.reset()[1]["drawn"] for _ in range(19))]
    assert drawn[0] == env.reset(seed=1)[1]["drawn"]
    counts = {each["station.s.count"] for each in drawn}
    assert min(counts) >= 5
    assert max(counts) <= 50
    assert len(counts) > 8
    assert {each["station.s.rate"] for each in drawn} == {"6 Mb/s", "54 Mb/s"}


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"step": "0 s"}, "nanoseconds"),
        ({"step": "10 parsecs"}, "step = '10 parsecs'"),
        ({"observe": "all"}, 'observe = \'all\': allowed are "cell" and "local"'),
        ({"actions": "few"}, 'allowed are "discrete" and "continuous"'),
        ({"history": 0}, "steps of history"),
        ({"history": -1}, "can't convert negative"),
        ({"window": 3}, "even numbers of steps"),
        ({"window": 302}, "even numbers of steps"),
        (
            {"draw": {"station.s.count": (50, 5)}},
            "draw['station.s.count'] = (50, 5): allowed is a pair",
        ),
        (
            {"draw": {"station.s.count": []}},
            "allowed is a pair (lowest, highest) of numbers or a list",
        ),
        (
            {"draw": {"station.s.count": "5"}},
            "allowed is a pair (lowest, highest) of numbers or a list",
        ),
    ],
)
def test_options_that_are_not_allowed_are_refused(options: Any, sentence: str) -> None:  # noqa: ANN401
    with pytest.raises(TaskError) as raised:
        Environment(**options)
    assert sentence in str(raised.value)


def test_a_drawn_key_that_does_not_exist_is_a_mistake_of_the_scenario() -> None:
    with pytest.raises(airfair.ScenarioError, match="station"):
        Environment(draw={"station.s.legs": (1, 2)})


def test_actions_that_are_not_allowed_are_refused() -> None:
    env = Environment(**SHORT)
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.step(0)
    env.reset()
    for action in (7, -1):
        with pytest.raises(TaskError, match="allowed are 0 to 6"):
            env.step(action)
    continuous = Environment(actions="continuous", **SHORT)
    continuous.reset()
    with pytest.raises(TaskError, match="NaN"):
        continuous.step(np.array([np.nan], np.float32))


def test_an_episode_that_is_over_needs_a_reset() -> None:
    env = Environment(scenario=SATURATED, duration="20 ms")
    episode(env, [1], seed=1)
    with pytest.raises(ResetNeeded, match="call reset first"):
        env.step(1)
