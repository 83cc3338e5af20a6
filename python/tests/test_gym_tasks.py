"""All tasks: what holds for each, and hand-worked rewards. Left out where Gymnasium is not installed."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest
from matplotlib.colors import to_rgb

import airfair
from airfair import _core
from airfair.channel_figure import LOOKS

gymnasium = pytest.importorskip("gymnasium", reason="Gymnasium is not installed")

from gymnasium.utils.env_checker import check_env  # noqa: E402

from airfair.gym import TASKS, Environment, TaskError, VectorEnv, baselines  # noqa: E402

NAMES = list(TASKS)
WEIGHTS, RATE, WINDOWS, LIMITS = (
    f"airfair/{it}-v0" for it in ("QueueWeights", "LinkRate", "UploadWindows", "AggregateLimits")
)
SHORT: dict[str, dict[str, Any]] = {
    WEIGHTS: {
        "set": {
            "flow.uploads.stop": "1 s",
            "flow.downloads.start": "1 s",
            "station.uploader.count": 2,
            "station.downloader.count": 2,
        },
        "duration": "2 s",
        "step": "200 ms",
    },
    WINDOWS: {
        "set": {
            "station.one.rate": [["0 s", "11 Mb/s"], ["1 s", "1 Mb/s"]],
            "station.two.rate": "11 Mb/s",
        },
        "duration": "2 s",
        "step": "200 ms",
    },
    LIMITS: {
        "set": {"flow.call.start": "250 ms", "flow.call.stop": "750 ms"},
        "duration": "1 s",
        "step": "50 ms",
    },
}


def options(name: str) -> dict[str, Any]:
    return {"task": name, "duration": "200 ms", **SHORT.get(name, {})}


def episode(env: Environment, actions: np.random.Generator) -> tuple[list[float], str]:
    """Rewards of an episode with random actions, and the hash of its records."""
    env.reset(seed=5)
    levels = len(env.task.lever.levels)
    rewards, over = [], False
    while not over:
        drawn = actions.integers(levels, size=env.task.parts)
        action = drawn if env.task.lever.each_station else drawn[0]
        _, reward, _, over, info = env.step(action)
        rewards.append(reward)
    return rewards, info["record_hash"]


@pytest.mark.parametrize("observe", ["cell", "local"])
@pytest.mark.parametrize("actions", ["discrete", "continuous"])
@pytest.mark.parametrize("name", NAMES)
def test_the_checker_of_gymnasium_finds_nothing(name: str, actions: str, observe: str) -> None:
    made = options(name)
    made.pop("task")
    env = gymnasium.make(f"airfair.gym:{name}", actions=actions, observe=observe, **made)
    check_env(env.unwrapped)


@pytest.mark.parametrize("name", NAMES)
def test_a_seed_and_actions_determine_the_records(name: str) -> None:
    env = Environment(**options(name))
    first = episode(env, np.random.default_rng(1))
    assert episode(Environment(**options(name)), np.random.default_rng(1)) == first
    assert episode(env, np.random.default_rng(2))[1] != first[1]


@pytest.mark.parametrize("name", NAMES)
def test_many_worlds_do_what_one_does(name: str) -> None:
    """The second of two environments has the seed 5, and the actions that are drawn for it."""
    one = Environment(**options(name))
    made = options(name)
    made.pop("task")
    many = gymnasium.make_vec(
        name, num_envs=2, vectorization_mode="vector_entry_point", autoreset_mode="Disabled", **made
    )
    assert isinstance(many, VectorEnv)
    many.reset(seed=4)
    one.reset(seed=5)
    many.action_space.seed(1)
    over = False
    while not over:
        actions = many.action_space.sample()
        seen, reward, _, over, info = one.step(actions[1])
        all_seen, rewards, _, _, infos = many.step(actions)
        assert all_seen[1].tolist() == seen.tolist()
        assert rewards[1] == reward
    assert infos["record_hash"][1] == info["record_hash"]


@pytest.mark.parametrize("name", NAMES)
def test_continuous_actions_span_the_levels(name: str) -> None:
    task = Environment(actions="continuous", **options(name)).task
    levels = task.lever.levels
    assert task.values(np.full(task.parts, -1.0)) == [*levels[0]] * task.parts
    assert task.values(np.full(task.parts, 1.0)) == [*levels[-1]] * task.parts


@pytest.mark.parametrize("name", NAMES)
def test_pictures_of_each_task_show_its_frames_and_change_no_record(name: str) -> None:
    """A lane of 22 pixels for each station and for the access point lies between margins of 28 and 74."""
    filmed = Environment(**options(name), render_mode="rgb_array")
    assert episode(filmed, np.random.default_rng(1)) == episode(
        Environment(**options(name)), np.random.default_rng(1)
    )
    filmed.reset(seed=5)
    highest = np.full(filmed.task.parts, len(filmed.task.lever.levels) - 1)
    for _ in range(2):
        filmed.step(highest if filmed.task.lever.each_station else highest[0])
    image = filmed.render()
    assert image is not None
    lanes = len(filmed.task.scenario(()).stations) + 1
    lane = min(22, 640 // lanes)
    assert image.shape == (28 + lanes * lane + 74, 860, 3)
    data = np.array([round(255 * part) for part in to_rgb(LOOKS[0].fill)], np.uint8)
    assert (image == data).all(axis=2)[28 : 28 + lanes * lane, 110:844].any()


def test_the_ratio_of_weights_is_continuous() -> None:
    """0 is 1 : 1, 1/3 is 2^1, and -0.5 is 2^-1.5, so 8 * 0.354 = 2.8 of 8."""
    between = TASKS[WEIGHTS].lever.between
    assert [between(x) for x in (0.5, 4 / 6, 0.25)] == [(8, 8), (8, 4), (3, 8)]


def test_the_fair_goodput_is_the_number_of_flows_times_their_geometric_mean() -> None:
    """Two flows of 4 and 1 Mb/s are worth 2 * 2 Mb/s. A flow counts once it is open for a whole step."""
    made = {**options(WINDOWS), "set": {**SHORT[WINDOWS]["set"], "flow.b.start": "1100 ms"}}
    env = Environment(**made)
    env.reset(seed=9)
    seed = int(np.random.Generator(np.random.PCG64(np.random.SeedSequence(9))).integers(2**63))
    world = airfair.World(env.task.scenario(()), seed=seed)
    flow_a, flow_b = list(world.flow.values())
    for step in range(10):
        _, reward, *_ = env.step(np.array([2, 4]))
        for flow, window in ((flow_a, 4), (flow_b, 16)):
            flow.limit_window(segments=window)
        a, b = world.advance("200 ms").goodput_bps
        worth = 2 * np.sqrt(a * b) if step >= 6 else a
        assert reward == pytest.approx(worth / 11e6)
    assert a > 0
    assert b > 0


def test_a_starved_flow_makes_the_fair_goodput_zero() -> None:
    """A packet takes more than 1 ms, so that of four flows at most one has data in such a step."""
    made = {**options(WEIGHTS), "step": "1 ms"}
    env = Environment(**made)
    env.reset(seed=1)
    rewards = [env.step(0)[1] for _ in range(500)]
    assert max(rewards) == 0


def test_the_timely_goodput_is_less_where_a_call_is_late() -> None:
    """A mean delay of 12 ms is three times the budget, so that a third of the goodput counts.

    Before the calls start and after they stop, all goodput counts. The learner sees 1 - 4 / (4 + delay). The
    delay is infinite for a call of which packets were sent, but none arrived.
    """
    env = Environment(**options(LIMITS), history=1)
    env.reset(seed=9)
    seed = int(np.random.Generator(np.random.PCG64(np.random.SeedSequence(9))).integers(2**63))
    world = airfair.World(env.task.scenario(()), seed=seed)
    calls = [place for place, name in enumerate(world.flows) if name.startswith("call")]
    delays = []
    for step in range(20):
        action = 1 if step < 10 else 5
        seen, reward, *_ = env.step(action)
        for station in world.station.values():
            station.limit_aggregates(duration=["500 us", "5484 us"][action == 5])
        found = world.advance("50 ms")
        without = np.where(found.packets_sent[calls] > 0, np.inf, 0)
        delay = np.where(np.isnan(found.delay_ms[calls]), without, found.delay_ms[calls]).max()
        delays.append(delay)
        worth = found.goodput_bps.sum() * (min(1, 4 / delay) if delay else 1)
        assert reward == pytest.approx(worth / 65e6)
        assert seen[0] == pytest.approx(1 - 4 / (4 + delay), abs=1e-6)
    assert max(delays[:5]) == 0
    assert 0 < max(delays[6:10]) < max(delays[10:15])


def test_a_call_without_an_answer_makes_the_timely_goodput_zero() -> None:
    """In a step of 1 ms, a call that sends a packet behind an aggregate of 5 ms has none that arrives."""
    env = Environment(**{**options(LIMITS), "step": "1 ms"}, history=1)
    env.reset(seed=1)
    steps = [env.step(5) for _ in range(750)]
    late = [reward for seen, reward, *_ in steps if seen[0] == 1]
    assert late
    assert max(late) == 0


def test_the_reward_of_a_rate_is_whole_packets_at_that_rate() -> None:
    """1464 octets in 10 ms are 1.1712 Mb/s of 65 Mb/s. At 6.5 Mb/s a packet takes some 2 ms, so five fit."""
    env = Environment(**{**options(RATE), "set": {"bss.home.radio.fading": "none"}})
    env.reset(seed=1)
    packets = {}
    for action in (0, 7):
        rewards = [env.step(action)[1] for _ in range(8)]
        packets[action] = np.array(rewards) * 65e6 / 1.1712e6
        assert packets[action] == pytest.approx(np.round(packets[action]), abs=1e-6)
    assert set(np.round(packets[0][1:])) <= {4, 5}
    # 1530 octets with all headers: 36 µs and 48 symbols of 4 µs; SIFS and ACK 16 + 28 µs, AIFS 43 µs, and
    # a mean back-off of 7.5 slots of 9 µs. That is 382.5 µs, of which 26.1 fit in 10 ms.
    assert packets[7][1:].mean() == pytest.approx(26.1, abs=0.7)


def test_a_learner_sees_the_rate_the_goodput_and_the_airtime_of_each_station() -> None:
    """After 1 s the first station has 1 Mb/s of 11."""
    env = Environment(**options(WINDOWS), history=1)
    env.reset(seed=1)
    for step in range(10):
        seen, *_ = env.step(np.array([5, 5]))
        assert seen.shape == (7,)
        assert seen[1] == pytest.approx(1 if step < 5 else 1 / 11)
        assert seen[4] == 1
    # One station cannot use more of the channel than there is, and the slow one uses more.
    assert seen[3] > 2 * seen[6]
    assert seen[3] + seen[6] <= 1


def test_a_learner_sees_the_share_of_uploads_among_the_flows() -> None:
    """Three stations send and one receives during the first second, then one sends and three receive."""
    env = Environment(**options(WEIGHTS), history=1)
    env.reset(seed=1)
    shares = [env.step(4)[0][0] for _ in range(10)]
    assert shares[4] == 0.75
    assert shares[9] == 0.25


def test_rivals_and_the_best_setting_are_better_than_chance() -> None:
    """The oracle knows the channel, and the best fixed rate cannot follow it."""
    made: Any = {"duration": "1 s", "episodes": 3, "vary": {}}
    rows = {row.policy: row for row in baselines(RATE, **made).rows}
    assert list(rows) == ["ARF", "Minstrel-HT", "oracle", "best fixed rate", "random"]
    oracle, best, random = (rows[it].goodput_mbps for it in ("oracle", "best fixed rate", "random"))
    assert oracle > max(best, rows["Minstrel-HT"].goodput_mbps)
    assert best > 1.2 * random


class OneLevel:
    """One level down while a call is late, else one up."""

    def __call__(self, seen: np.ndarray) -> np.ndarray:
        if not seen.any():
            self.level = np.full(len(seen), 5)
        self.level = np.clip(self.level + np.where(seen[:, 0] > 0.5, -1, 1), 0, 5)
        return self.level


def test_a_limit_that_follows_the_delay_is_better_than_a_fixed_one() -> None:
    """Ten uploads: short aggregates suit the calls, and long ones the time without them."""
    made: Any = {"episodes": 2, "vary": {}, "policies": {"one level": OneLevel()}}
    rows = {
        row.policy: row
        for row in baselines(LIMITS, set={"station.uploader.count": 10}, **made).rows
    }
    best, follows = rows["best fixed limit"], rows["one level"]
    assert follows.goodput_mbps > 1.05 * best.goodput_mbps
    assert best.goodput_mbps > rows["802.11"].goodput_mbps


def small_where_slow(seen: np.ndarray) -> np.ndarray:
    """Two segments for the slower station, and 16 for the other."""
    slower = seen[:, [1, 4]] < seen[:, [4, 1]]
    return np.where(slower, 1, 4)


def test_windows_that_follow_the_rates_are_better_than_fixed_ones() -> None:
    """A slow station that keeps its large window takes the channel from the fast one."""
    one = [["0 s", "1 Mb/s"], ["3 s", "11 Mb/s"]]
    two = [["0 s", "11 Mb/s"], ["3 s", "1 Mb/s"]]
    table = baselines(
        WINDOWS,
        duration="6 s",
        episodes=3,
        set={"station.one.rate": one, "station.two.rate": two},
        policies={"small where slow": small_where_slow},
    )
    assert re.search(r"\(\d+, \d+\)", str(table))
    rows = {row.policy: row for row in table.rows}
    best = rows["best fixed windows"]
    assert best.setting is not None
    assert len(best.setting) == 2
    follows = rows["small where slow"].goodput_mbps
    assert follows > 1.1 * best.goodput_mbps
    assert best.goodput_mbps > rows["random"].goodput_mbps


def test_the_best_fixed_setting_is_that_of_each_station() -> None:
    """The second station is slow, so its window is the smaller one. The search begins with 32 for both."""
    rates = {"station.one.rate": "11 Mb/s", "station.two.rate": "1 Mb/s"}
    rows = baselines(WINDOWS, duration="3 s", episodes=2, set=rates).rows
    (setting,) = (row.setting for row in rows if row.setting is not None)
    (fast,), (slow,) = setting
    assert slow < fast


def test_actions_and_options_that_are_not_allowed_are_refused() -> None:
    env = Environment(**options(WINDOWS))
    env.reset(seed=1)
    with pytest.raises(TaskError, match="action of 3 parts: allowed are 2"):
        env.step(np.array([1, 1, 1]))
    with pytest.raises(TaskError, match="action 6: allowed are 0 to 5"):
        env.step(np.array([1, 6]))
    with pytest.raises(TaskError, match="task 'Chess': allowed are 'airfair/"):
        Environment(task="Chess")
    with pytest.raises(airfair.ScenarioError, match=r"flow\.c"):
        Environment(task=WINDOWS, set={"flow.c.control": "none"})


def test_names_and_numbers_of_the_core_are_checked() -> None:
    made: Any = {"step_ns": 10**7, "signals": ["busy"], "history": 3}
    with pytest.raises(ValueError, match='lever "luck": allowed are "contention window"'):
        _core.Worlds(1, lever="luck", **made)
    with pytest.raises(ValueError, match='reward "praise": allowed are "goodput"'):
        _core.Worlds(1, lever="window", reward="praise", **made)
    with pytest.raises(ValueError, match="station_signals: allowed for a learner of a world"):
        _core.Worlds(1, lever="window", station_signals=["busy"], **made)
    scenario = Environment(task=WEIGHTS).task.scenario(())
    worlds = _core.Worlds(1, lever="queue weights", **made)
    worlds.start(0, scenario, 1)
    with pytest.raises(ValueError, match="3 values: allowed are 2"):
        worlds.set([[1, 1, 1]])
    with pytest.raises(_core.SettingError, match="0: allowed are 1 to"):
        worlds.set([[1, 0]])
    worlds = _core.Worlds(1, lever="rate down", **made)
    worlds.start(0, scenario, 1)
    for rate in (-1, 4):
        with pytest.raises(_core.SettingError, match="not a rate of the station's standard"):
            worlds.set([[rate]])
    worlds = _core.Worlds(1, lever="aggregate limit", **made)
    worlds.start(0, Environment(task=LIMITS).task.scenario(()), 1)
    with pytest.raises(_core.SettingError, match="0: allowed are 1 to"):
        worlds.set([[0]])
    with pytest.raises(_core.SettingError, match="allowed are limits above 0, and up to those"):
        worlds.set([[5485]])
    of_stations = _core.Worlds(1, lever="window", station_signals=["busy"], stations=2, **made)
    with pytest.raises(ValueError, match="16 stations in the scenario: allowed are 2"):
        of_stations.start(0, scenario, 1)
