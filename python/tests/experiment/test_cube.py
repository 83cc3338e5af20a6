"""Tests of `ExperimentResult.to_xarray`. Without xarray, a stand-in keeps what it would be given.

`make test-readers` opens a cube with xarray itself.
"""

from __future__ import annotations

import importlib.util
import sys
from dataclasses import dataclass
from types import ModuleType
from typing import Any

import numpy as np
import polars as pl
import pytest

import airfair
from small_experiments import RATES, SCHEMES, StopsAfter, experiment, interrupted, run

AXES = ("station.slow.rate [Mb/s]", "scheme", "replication")
"""Columns of tables that have the coordinates of an experiment on rates and schemes."""


@dataclass
class Variable:
    """Variable or coordinate, with the attributes of xarray's that the tests read."""

    dims: tuple[str, ...]
    values: np.ndarray[Any, Any]
    attrs: dict[str, str]


class Dataset:
    """Stand-in for xarray's class; it checks that lengths of axes agree, as xarray does."""

    def __init__(
        self, variables: dict[str, Any], coords: dict[str, Any], attrs: dict[str, Any]
    ) -> None:
        self.attrs = attrs
        self.coords = {name: self._made(*one) for name, one in coords.items()}
        self.data_vars = {name: self._made(*one) for name, one in variables.items()}
        self.sizes: dict[str, int] = {}
        for one in (*self.coords.values(), *self.data_vars.values()):
            for name, length in zip(one.dims, one.values.shape, strict=True):
                assert self.sizes.setdefault(name, length) == length, name

    @staticmethod
    def _made(dims: str | tuple[str, ...], values: Any, attrs: Any = None) -> Variable:  # noqa: ANN401
        return Variable((dims,) if isinstance(dims, str) else dims, np.asarray(values), attrs or {})

    def __getitem__(self, name: str) -> Variable:
        return self.coords[name] if name in self.coords else self.data_vars[name]


@pytest.fixture(autouse=True)
def xarray(monkeypatch: pytest.MonkeyPatch) -> None:
    """xarray, or the stand-in where it is not installed."""
    if importlib.util.find_spec("xarray") is None:
        module = ModuleType("xarray")
        module.Dataset = Dataset  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, "xarray", module)


@pytest.fixture(scope="module")
def results() -> airfair.ExperimentResult:
    return run(factors={**RATES, **SCHEMES}, replications=4)


def at(cube: Any, name: str, **places: object) -> Any:  # noqa: ANN401 - a value of any kind
    """Value of a variable at these coordinates."""
    one = cube[name]
    places |= {"station.slow.rate": places.pop("station.slow.rate [Mb/s]")}
    index = tuple(np.asarray(cube[dim].values).tolist().index(places[dim]) for dim in one.dims)
    return one.values[index]


def test_a_measure_is_a_variable_over_factors_and_replications(
    results: airfair.ExperimentResult,
) -> None:
    cube = results.to_xarray("goodput", pl.col("loss").max())
    assert list(cube.data_vars) == ["goodput_bps", 'col("loss").max()']
    goodput = cube["goodput_bps"]
    assert goodput.dims == ("station.slow.rate", "scheme", "replication")
    assert goodput.values.shape == (2, 2, 4)
    assert goodput.attrs["units"] == "bit/s"
    for row in results.values("goodput").to_dicts():
        places = {name: row[name] for name in AXES}
        assert at(cube, "goodput_bps", **places) == row["value"]
    assert cube.attrs["title"] == results.title


def test_a_table_has_an_axis_for_its_flows(results: airfair.ExperimentResult) -> None:
    cube = results.to_xarray()
    assert {"goodput_bps", "loss", "delay_p95_ms"} <= set(cube.data_vars)
    assert cube["goodput_bps"].dims == ("station.slow.rate", "scheme", "replication", "flow")
    assert cube["goodput_bps"].attrs["long_name"].startswith("Application octets")
    # Counts that all exist stay whole numbers.
    assert cube["packets_sent"].values.dtype.kind == "u"
    for row in results.flows.to_dicts():
        places = {name: row[name] for name in (*AXES, "flow")}
        assert at(cube, "goodput_bps", **places) == row["goodput_bps"]
        assert at(cube, "packets_sent", **places) == row["packets_sent"]


def test_both_directions_of_a_link_are_on_one_axis(results: airfair.ExperimentResult) -> None:
    cube = results.to_xarray(table="links")
    assert cube["link"].values.tolist() == ["server", "server"]
    assert sorted(cube["from"].values.tolist()) == ["home", "server"]
    assert cube["from"].dims == ("link",)
    first = results.links.filter(point=0, replication=0)["packets"].to_list()
    assert cube["packets"].values[0, 0, 0].tolist() == first


@pytest.mark.parametrize(
    "table", ["stations", "airtime", "access_points", "channels", "fairness", "runs"]
)
def test_every_table_is_a_cube_with_all_its_values(
    results: airfair.ExperimentResult, table: str
) -> None:
    cube, rows = results.to_xarray(table=table), getattr(results, table)
    for name, one in cube.data_vars.items():
        assert one.values.size == rows.height
        assert np.nansum(one.values.astype(float)) == pytest.approx(
            rows[name].cast(pl.Float64).sum()
        )


def test_points_that_are_no_grid_are_one_axis() -> None:
    made = run(
        factors={"station.slow.queue.packets": airfair.between(5, 50), "name": {"a": {}, "b": {}}},
        design=airfair.sobol(8),
    )
    cube = made.to_xarray("goodput")
    assert cube["goodput_bps"].dims == ("point", "replication")
    assert cube["goodput_bps"].values.shape == (8, 2)
    assert cube["name"].dims == ("point",)
    assert cube["name"].values.tolist() == made.points["name"].to_list()
    packets = cube["station.slow.queue.packets"].values
    assert packets.tolist() == made.points["station.slow.queue.packets"].to_list()
    assert cube["goodput_bps"].values.ravel().tolist() == made.values("goodput")["value"].to_list()


def test_what_does_not_exist_is_nan() -> None:
    cut = interrupted(experiment(factors=RATES, replications=3), engine=StopsAfter(3))
    cube = cut.to_xarray("goodput", "completion_s")
    assert cube["goodput_bps"].values.shape == (2, 2)
    # Replications take turns: the third run is the second replication of the first point.
    assert np.isnan(cube["goodput_bps"].values).tolist() == [[False, False], [False, True]]
    assert np.isnan(cube["completion_s"].values).all()
    flows = cut.to_xarray()
    assert np.isnan(flows["packets_sent"].values).sum() == 2
    nothing = interrupted(experiment(factors=RATES), engine=StopsAfter(0)).to_xarray("goodput")
    assert nothing["goodput_bps"].values.shape == (2, 0)


def test_an_experiment_without_factors_has_replications_alone() -> None:
    cube = run(replications=3).to_xarray("goodput")
    assert cube["goodput_bps"].dims == ("replication",)


def test_points_may_have_different_flows() -> None:
    made = run(factors={"flow.a.count": [1, 2]})
    cube = made.to_xarray()
    assert cube["flow"].values.tolist() == ["a", "b", "a1", "a2"]
    values = cube["goodput_bps"].values
    assert np.isnan(values[0]).tolist() == [[False, False, True, True]] * 2
    assert np.isnan(values[1]).tolist() == [[True, False, False, False]] * 2


def test_mistakes_are_told(results: airfair.ExperimentResult) -> None:
    with pytest.raises(airfair.StudyError, match="unknown table flow; allowed flows"):
        results.to_xarray(table="flow")
    with pytest.raises(airfair.StudyError, match="allowed is one of them"):
        results.to_xarray("goodput", table="flows")
    with pytest.raises(airfair.StudyError, match="unknown column goodputs"):
        results.to_xarray("goodputs")


def test_without_xarray_the_error_says_what_to_install(
    results: airfair.ExperimentResult, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "xarray", None)
    with pytest.raises(ImportError, match=r"pip install 'airfair\[xarray\]'"):
        results.to_xarray("goodput")
