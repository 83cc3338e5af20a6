"""Tests of searches for the conditions in which a law of one's own loses."""

from __future__ import annotations

import json
import os
import re
import shlex
import signal
import sys
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import airfair
from airfair import cli, law_names
from airfair.archive import Archive, Done, Job, run
from airfair.errors import OptionError
from airfair.law import Law, LawError
from airfair.law_worker import trimmed
from airfair.limit_search.cells import Times, pair
from airfair.limit_search.decide import Effect
from airfair.limit_search.measures import CRITERIA
from airfair.limit_search.schemes import of_laws
from airfair.limit_search.search import Found, Plan, find, point_seed
from airfair.limit_search.space import condition, spread

PLAN = Plan(points=8, replications=3, seed=2, times=Times(0.2, 3.1))

LAWS = """
import airfair


class Idle(airfair.Law):
    pass


class Mute(airfair.Law):
    "The access point drops all packets from 0.1 s on, before the measured time begins."

    version = "1"
    listen = "packets"

    def packet(self, node, packet):
        if node.now_s > 0.1:
            packet.drop()


class Narrow(airfair.Law):
    "Senders of a station send one segment per round trip."

    def start(self, node):
        for sender in node.senders:
            sender.limit_window(segments=1)


class Weights(airfair.Law):
    def start(self, node):
        node.set_weights(3, 1)


class Raises(airfair.Law):
    listen = "packets"

    def packet(self, node, packet):
        if node.now_s > 0.5 and packet.flow == "f17":
            raise ZeroDivisionError("no window")
"""


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "lostlaws.py").write_text(LAWS, encoding="utf-8")
    monkeypatch.setattr(sys, "path", [*sys.path])
    monkeypatch.delitem(sys.modules, "lostlaws", raising=False)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def law(name: str) -> type[Law]:
    return law_names.find(f"lostlaws:{name}", [Path()])


def search(laws: dict[str, type[Law]], archive: Archive | None = None) -> Found:
    """Search in this process alone: processes of their own would take most of the time."""
    return find(of_laws(laws), PLAN, archive, threads=1)


# ------------------------------------------------------------------ conditions


@pytest.mark.usefixtures("folder")
def test_a_law_of_stations_acts_at_those_whose_flows_use_it_and_one_of_an_access_point_there() -> (
    None
):
    scheme = of_laws({"station.*": law("Idle"), "access-point": law("Mute")})
    assert scheme.id == "lostlaws.Idle+lostlaws.Mute"
    seen = set()
    for place in spread(scheme.space, 32, seed=1):
        where = condition(scheme.space, place.tolist())
        both = pair(where, scheme.switch, PLAN.times)
        assert both.without == both.using
        *stations, access_point = [use.node for use in both.laws]
        assert access_point == "access-point"
        users = [f"station.s{flow.number}" for flow in both.flows if flow.uses]
        assert stations == (["station.*"] if len(users) == len(both.flows) else users)
        wanted = round(len(both.flows) * float(where["deployed"]) / 100)
        assert len(users) == max(wanted, 1)
        seen.add(stations == ["station.*"])
    assert seen == {True, False}


@pytest.mark.usefixtures("folder")
def test_a_law_of_an_access_point_alone_has_no_share_of_users() -> None:
    scheme = of_laws({"access-point": law("Mute")}, judge=["delay", "total"])
    assert "deployed" not in {dimension.id for dimension in scheme.space}
    assert not {"own", "others"} & {*scheme.measures}
    assert scheme.judged == ("delay", "total")
    assert len(scheme.measures) == len({*scheme.measures})
    assert {*scheme.measures} <= {*CRITERIA}
    assert scheme.under("802.11ax").laws == scheme.laws


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize("node", ["station.s1", "access-point.home", "x"])
def test_a_node_that_not_every_condition_has_is_refused(node: str) -> None:
    with pytest.raises(LawError, match=r"allowed are access-point and station\.\*"):
        of_laws({node: law("Idle")})


# ------------------------------------------------------------------ decisions


@pytest.mark.usefixtures("folder")
def test_a_law_that_does_nothing_is_the_same_at_every_point_in_every_measure() -> None:
    found = search({"station.*": law("Idle")})
    assert len(found.points) == PLAN.points
    every = [one for comparisons in found.comparisons for one in comparisons.values()]
    assert {(one.effect, one.verdict) for one in every} == {(0.0, Effect.SAME)}


@pytest.mark.usefixtures("folder")
def test_a_law_that_stops_all_traffic_loses_all_goodput_at_every_point() -> None:
    """Mean difference of goodput, relative to the mean without the law: (0 − g) / g = −100 %."""
    found = search({"access-point": law("Mute")})
    totals = [comparisons["total"] for comparisons in found.comparisons if "total" in comparisons]
    assert len(totals) >= PLAN.points - 1
    assert [one.effect for one in totals] == pytest.approx([-100] * len(totals))
    assert {one.verdict for one in totals} == {Effect.LOSES}
    assert {verdict for verdict in found.verdicts() if verdict} <= {Effect.LOSES, Effect.MIXED}


@pytest.mark.usefixtures("folder")
def test_runs_of_a_search_are_those_of_the_same_scenario_with_the_same_laws() -> None:
    found = search({"station.*": law("Narrow")})
    scheme = found.scheme
    some = [point for point in found.points if float(point.where["deployed"]) < 100][:3]
    for point in some:
        both = pair(point.where, scheme.switch, PLAN.times)
        result = airfair.run(
            both.using,
            seed=point_seed(PLAN.seed, scheme.id, point.place),
            replications=PLAN.replications,
            laws={use.node: law("Narrow") for use in both.laws},
            threads=1,
        )
        goodput = result.flows["goodput_bps"].to_numpy().reshape(PLAN.replications, -1)
        assert point.using["total"] == pytest.approx(goodput.sum(axis=1), rel=1e-12)
    assert any(not np.array_equal(one.using["total"], one.without["total"]) for one in some)


@pytest.mark.usefixtures("folder")
def test_processes_of_their_own_find_what_one_process_finds() -> None:
    scheme, plan = of_laws({"station.*": law("Narrow")}), replace(PLAN, points=4)
    at_once, in_turn = (find(scheme, plan, threads=threads) for threads in (2, 1))
    assert at_once.comparisons == in_turn.comparisons
    assert any(one.effect for each in in_turn.comparisons for one in each.values())


# ------------------------------------------------------------------ function


@pytest.mark.usefixtures("folder", "short")
def test_the_function_judges_a_law_by_criteria_of_the_users_own() -> None:
    """Nothing crosses an access point that drops all packets, so all goodput of f1 is lost."""
    first = airfair.criterion("goodput[f1]", better="more", matters=1, name="first")
    found = airfair.limits(
        laws={"access-point": law("Mute")},
        judge=first,
        criteria=[first],
        standard="802.11a",
        points=6,
        replications=3,
        quick=True,
        store=None,
        threads=1,
        progress=False,
    )["lostlaws.Mute"]
    assert found.scheme.judged == ("first",)
    assert found.scheme.measures.count("first") == 1
    assert found.scheme.standard == "802.11a"
    firsts = [one["first"] for one in found.comparisons if "first" in one]
    assert firsts
    assert [one.effect for one in firsts] == pytest.approx([-100] * len(firsts))
    assert Effect.LOSES in found.verdicts()
    assert found.verdicts() == found.verdicts("first")


@pytest.mark.usefixtures("folder", "short")
def test_the_exception_of_a_law_names_the_scenario_and_leaves_it(folder: Path) -> None:
    """Processes of their own raise the same exception, whose notes the command prints, too."""
    laws = {"access-point": law("Raises")}
    with pytest.raises(ZeroDivisionError) as caught:
        airfair.limits(
            laws=laws, quick=True, points=6, replications=3, out="found", store="runs", threads=2
        )
    place = Path("found/lostlaws.Raises/failed.toml")
    where, told = caught.value.__notes__
    assert where.startswith("in Raises at cell, at 0.")
    assert told == f"airfair wrote {place}, the scenario in whose replication 0 the law failed"
    assert trimmed(caught.value).endswith(f"no window\n{where}\n{told}\n")
    with pytest.raises(ZeroDivisionError):
        airfair.run(folder / place, laws=laws, replications=1)


@pytest.mark.usefixtures("folder")
@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"judge": "delay"}, OptionError, "judge: allowed only with a law"),
        ({"set": {"seed": 1}}, OptionError, "set: allowed only with a law"),
        (
            {"schemes": ["tfrc", "data-ack"], "laws": {}},
            OptionError,
            "scheme 'tfrc', 'data-ack': allowed is a scheme or a law of your own, not both",
        ),
        ({"laws": {}, "judge": "dely"}, OptionError, "judge 'dely': unknown, did you mean"),
        ({"laws": {}}, LawError, "laws: there is none"),
        ({"laws": {"station.s1": Law}}, LawError, "'station.s1': each condition has other st"),
        (
            {
                "laws": {"access-point": Law},
                "judge": airfair.criterion("goodput", better="more", matters=1, name="delay"),
            },
            OptionError,
            "criteria: the name 'delay' is taken",
        ),
    ],
)
def test_wrong_arguments_run_nothing(
    options: dict[str, Any], error: type[ValueError], message: str
) -> None:
    with pytest.raises(error, match=f"^{re.escape(message)}"):
        airfair.limits(**options, store=None)


# ------------------------------------------------------------------ archive


def test_a_search_continues_and_a_new_source_repeats_runs_with_the_law_alone(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[int] = []

    def counted(jobs: Sequence[Job], archive: Archive | None, **options: object) -> Done:
        done = run(jobs, archive, **options)  # type: ignore[arg-type]
        made.append(len(jobs) - done.found)
        return done

    monkeypatch.setattr("airfair.limit_search.search.run", counted)
    with Archive(folder / "runs.sqlite") as archive:
        first, runs = search({"access-point": law("Mute")}, archive), sum(made)
        again, repeated = search({"access-point": law("Mute")}, archive), sum(made) - runs
        path = folder / "lostlaws.py"
        path.write_text(LAWS + "\n# changed\n", encoding="utf-8")
        changed, renewed = search({"access-point": law("Mute")}, archive), sum(made) - runs
    with_law = len(first.points) * PLAN.replications
    assert (runs, repeated, renewed) == (2 * with_law, 0, with_law)
    assert first.comparisons == again.comparisons == changed.comparisons
    keys = [[point.key for point in found.points] for found in (first, again, changed)]
    assert keys[0] == keys[1] != keys[2]


@pytest.mark.usefixtures("folder")
def test_ctrl_c_keeps_the_finished_points() -> None:
    def interrupt(fraction: float) -> None:
        if fraction > 0.5:
            os.kill(os.getpid(), signal.SIGINT)

    with Archive(Path("runs.sqlite")) as archive:
        scheme = of_laws({"access-point": law("Mute")})
        cut = find(scheme, PLAN, archive, interrupt, threads=1)
        whole = find(scheme, PLAN, archive, threads=1)
    assert cut.interrupted
    assert 0 < len(cut.points) < len(whole.points)
    assert [point.key for point in cut.points] == [
        point.key for point in whole.points[: len(cut.points)]
    ]


# ------------------------------------------------------------------ command


def limits(*words: object) -> int:
    options = ("--quick", "--points", 6, "--replications", 3, "--out", "found")
    return cli.main(["limits", *map(str, (*words, *options))])


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few points, and short runs for `--quick`."""
    monkeypatch.setattr("airfair.limit_search.running.FEWEST_POINTS", 6)
    monkeypatch.setattr("airfair.limit_search.running.QUICK_PLAN", PLAN)


@pytest.mark.usefixtures("short")
def test_the_files_of_a_law_are_those_of_a_scheme_and_say_how_to_run_its_worst_point(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert limits("--law", "access-point=lostlaws.py:Mute", "--threads", 1, "--json") == cli.DONE
    (document,) = json.loads(capsys.readouterr().out)["schemes"]
    assert (document["scheme"], document["paper"]) == ("lostlaws.Mute", None)
    (use,) = document["laws"]
    assert (use["node"], use["law"], use["version"]) == ("access-point", "lostlaws:Mute", "1")
    assert document["verdicts"]["wins"] == 0
    out = folder / "found" / "lostlaws.Mute"
    assert json.loads((out / "run.json").read_text("utf-8"))["laws"] == document["laws"]
    assert {"map.svg", "map.png", "points.parquet"} <= {path.name for path in out.iterdir()}
    worst = (out / "worst-total-with.toml").read_text("utf-8")
    command = shlex.split(worst.partition("\n")[0].removeprefix("# airfair "))
    assert command[1] == "worst-total-with.toml"
    assert cli.main([command[0], str(out / command[1]), *command[2:], "--json"]) == cli.DONE
    flows = json.loads(capsys.readouterr().out)["flows"]
    assert {flow["goodput_bps"] for flow in flows} == {0}
    assert not (out / "worst-total-without.toml").read_text("utf-8").startswith("#")


@pytest.mark.usefixtures("short")
def test_a_law_that_raises_leaves_the_scenario_in_which_it_did(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    law_ = "access-point=lostlaws:Raises"
    assert limits("--law", law_, "--threads", 1) == cli.FAILED
    lines = capsys.readouterr().err.splitlines()
    assert lines[-3] == "ZeroDivisionError: no window"
    assert re.fullmatch(r"in Raises at cell, at 0\.[5-9]\d* s of the run", lines[-2])
    place = folder / "found" / "lostlaws.Raises" / "failed.toml"
    # Earlier points have fewer stations, and their runs are finished.
    assert "[flow.f17]" in place.read_text("utf-8")
    told = f"airfair wrote {place.relative_to(folder)}, the scenario in whose replication 0 the law failed"
    assert lines[-1] == told
    assert cli.main(["run", str(place), "--law", law_, "--threads", "1"]) == cli.FAILED
    assert capsys.readouterr().err.splitlines()[-3:-1] == lines[-3:-1]


@pytest.mark.usefixtures("short", "folder")
def test_keys_are_set_where_the_law_acts(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The law needs a queue with weights; without one, the access point refuses its action."""
    monkeypatch.setattr("airfair.limit_search.files._figures", lambda _: {})
    law_ = ("--law", "access-point=lostlaws:Weights", "--threads", 1)
    assert limits(*law_) == cli.FAILED
    assert "SettingError" in capsys.readouterr().err
    key = 'bss.cell.ap.queue.discipline="data-ack"'
    assert limits(*law_, "--set", key, "--judge", "balance", "--json") == cli.DONE
    (document,) = json.loads(capsys.readouterr().out)["schemes"]
    assert document["judged"] == ["balance"]
    assert not Path("found/lostlaws.Weights/failed.toml").exists()
    assert limits(*law_, "--set", "bss.cell.ap.queue.discipline=data-ak") == cli.BAD_INPUT


@pytest.mark.usefixtures("folder", "short")
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ["--law", "station.s1=lostlaws:Mute"],
            "--law station.s1=lostlaws:Mute: 'station.s1': eac",
        ),
        (["--law", "access-point=lostlaws:Mut"], "--law access-point=lostlaws:Mut: "),
        (
            ["--law", "access-point=none.py:Mute"],
            "--law access-point=none.py:Mute: no file none.py",
        ),
        (["--law", "lostlaws:Mute"], "--law 'lostlaws:Mute': allowed is NODE=MODULE:CLASS"),
        (["tfrc", "--law", "access-point=lostlaws:Mute"], "scheme 'tfrc': allowed is a scheme or"),
        (
            ["--law", "access-point=lostlaws:Mute", "--judge", "dely"],
            "--judge 'dely': unknown, did you mean \"delay\"?; allowed total, ",
        ),
        (["tfrc", "--judge", "delay"], "--judge: allowed only with a law"),
        (["tfrc", "--set", "a=1"], "--set: allowed only with a law"),
        (["--law", "access-point=lostlaws:Mute", "--set", "a"], "--set 'a': allowed is PATH=VALUE"),
    ],
)
def test_a_mistake_is_one_line(
    capsys: pytest.CaptureFixture[str], arguments: list[object], message: str
) -> None:
    assert limits(*arguments) == cli.BAD_INPUT
    printed = capsys.readouterr()
    assert printed.out == ""
    assert printed.err.startswith(f"airfair: {message}")
    assert printed.err.count("\n") == 1
