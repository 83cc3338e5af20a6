"""Opens results with pandas, pyarrow, polars, DuckDB and xarray, as docs/how-to/data.md does.

Usage: read_results.py DIRECTORY, which `airfair run one-slow-station --out DIRECTORY` has written. An
assertion fails if the programs read different values. airfair itself is on PYTHONPATH.
"""

from __future__ import annotations

import json
import math
import sys
from pathlib import Path

import duckdb
import pandas as pd
import polars as pl
import pyarrow.parquet as pq
import xarray as xr

import airfair


def main(directory: Path) -> None:
    """Check the tables, the time series and the delays."""
    tables = sorted(path.stem for path in directory.glob("*.parquet"))
    assert {"flows", "stations", "delays", "flow_series", "station_series"} <= {*tables}, tables
    for table in tables:
        check_table(directory / f"{table}.parquet")
    check_series(directory)
    check_delays(directory)
    check_cube(directory / "scenario.toml")
    print(f"pandas, pyarrow, polars, DuckDB and xarray read {len(tables)} tables alike")


def check_table(path: Path) -> None:
    """Check that the programs agree on columns, rows and values, and that each numeric column has a unit."""
    table = pl.read_parquet(path)
    assert duckdb.sql(f"from '{path}'").pl().equals(table), path
    assert pl.from_pandas(pd.read_parquet(path)).cast(dict(table.schema)).equals(table), path
    about = json.loads(pq.read_metadata(path).metadata[b"airfair"])
    numbers = {name for name, kind in table.schema.items() if kind.is_numeric()}
    assert about["table"] == path.stem, path
    assert numbers <= about["units"].keys(), (path, numbers - about["units"].keys())
    assert {*table.columns} == about["meanings"].keys(), path


def check_series(directory: Path) -> None:
    """Check that xarray reads a table of time series as a cube of replication, flow and time."""
    frame = pd.read_parquet(directory / "flow_series.parquet")
    cube = frame.set_index(["replication", "flow", "time_s"]).to_xarray()
    assert isinstance(cube, xr.Dataset)
    mean = float(cube["throughput_bps"].mean())
    assert math.isclose(mean, frame["throughput_bps"].mean())
    assert cube["throughput_bps"].size == len(frame)


def check_delays(directory: Path) -> None:
    """Check that the histogram of delays has as many packets as the table of flows."""
    packets = "select sum({}) from '{}/{}.parquet' group by flow order by flow"
    bins = duckdb.sql(packets.format("packets", directory, "delays")).fetchall()
    flows = duckdb.sql(packets.format("packets_received", directory, "flows")).fetchall()
    assert bins == flows, (bins, flows)


def check_cube(scenario: Path) -> None:
    """Check that xarray's cube of an experiment has the values of its tables."""
    rates = ["2 Mb/s", "11 Mb/s"]
    exp = airfair.Experiment(
        scenario,
        factors={"station.fast.rate": rates, "flow.*.control": ["none", "arf-aware"]},
        set={"duration": "30 s"},
        replications=2,
    )
    results = exp.run(store=None, progress=False)
    cube = results.to_xarray("goodput", "loss[a]")
    assert cube["goodput_bps"].dims == ("station.fast.rate", "flow.*.control", "replication")
    assert cube["goodput_bps"].attrs["units"] == "bit/s"
    mean = float(cube["goodput_bps"].mean())
    assert math.isclose(mean, results.values("goodput")["value"].mean())
    flows = results.to_xarray().sel({"flow": "b", "flow.*.control": "arf-aware"})
    known = results.flows.filter(pl.col("flow") == "b", pl.col("flow.*.control") == "arf-aware")
    assert flows["goodput_bps"].to_numpy().ravel().tolist() == known["goodput_bps"].to_list()
    back = cube["goodput_bps"].to_dataframe().reset_index()
    assert len(back) == results.runs.height


main(Path(sys.argv[1]))
