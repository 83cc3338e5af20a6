"""Compares airfair with ns-2.35 on Figures 8 and 10 of `tfrc-friendliness`, dedicated links; prints Markdown.

Run from a checkout after `make build`, with `ns` installed:
`.venv/bin/python bench/ns2/compare_friendliness.py [JSON]`. JSON is the file to which the
numbers are written. The documents use `bench/ns2/friendliness.json`.

Both simulators count packets at the receivers, headers included, over the same number of seeds. Two values
agree if they differ by at most 15 %, or by at most ns-2's standard deviation.
"""

from __future__ import annotations

import json
import statistics
import subprocess
import sys
from pathlib import Path

import airfair

HERE = Path(__file__).resolve().parent
SCENARIO = HERE.parents[1] / "experiments" / "tfrc-friendliness" / "dedicated-access.toml"
SEEDS = 20
FLOWS = ("NewReno", "Westwood+", "SACK", "TFRC, S3", "TFRC, S4")
PACKETS = (540 / 500, 540 / 500, 540 / 500, 532 / 480, 532 / 480)
"""Octets on the wire per application octet, of each flow."""
PERIODS = {"early": (0, 35), "late": (35, 200)}
WITHIN = 0.15
RATES = {8: "1 Mb/s", 10: "4 Mb/s"}
"""Rate of the link BS0 - H0 in each figure."""

Samples = dict[str, list[list[float]]]
"""Throughput [kb/s] of each flow in each run, by period."""


def ns2(figure: int) -> Samples:
    """Run ns-2 with each seed."""
    runs = []
    for seed in range(1, SEEDS + 1):
        command = ["ns", "tfrc_friendliness.tcl", "-figure", str(figure), "-seed", str(seed)]
        out = subprocess.run(command, cwd=HERE, check=True, capture_output=True, text=True).stdout
        runs.append(json.loads(next(line for line in out.splitlines() if line.startswith("{"))))
    return {period: [run[period] for run in runs] for period in PERIODS}


def ours(figure: int) -> Samples:
    """Run the same scenario in airfair."""
    # ns-2.35's `Agent/TCP/Linux` implements Westwood+; the paper uses the older Westwood.
    keys = {"link.BS0-H0.rate": RATES[figure], "flow.westwood.transport.flavour": "westwood+"}
    # The scenario has the settings of ns-2 of 2003. ns-2.35 has those that apply since 2004.
    keys |= {f"flow.{flow}.transport.min_rto": "200 ms" for flow in ("newreno", "westwood", "sack")}
    for flow in ("tfrc3", "tfrc4"):
        keys |= {
            f"flow.{flow}.transport.segment": "480 B",
            f"flow.{flow}.transport.rate": "288 kb/s",
        }
    result = airfair.run(SCENARIO, replications=SEEDS, set=keys)
    octets = result.series("delivered")["delivered_bytes"].to_numpy().reshape(SEEDS, 5, -1)
    return {
        period: [
            [run[i, start:end].sum() * 8 / (end - start) / 1e3 * PACKETS[i] for i in range(5)]
            for run in octets
        ]
        for period, (start, end) in PERIODS.items()
    }


def main() -> int:
    """Print the table. Return 1 if a flow deviates too much."""
    off = 0
    rows: dict[str, dict[str, tuple[float, float] | float]] = {}
    print("| figure | from … to | flow | ns-2.35 [kb/s] | airfair [kb/s] | ratio | within |")
    print("| --- | --- | --- | --- | --- | --- | --- |")
    for figure in RATES:
        theirs, mine = ns2(figure), ours(figure)
        for period, (start, end) in PERIODS.items():
            for i, flow in enumerate(FLOWS):
                a, b = ([run[i] for run in samples[period]] for samples in (theirs, mine))
                if max(b) == 0:
                    continue
                ratio = statistics.mean(b) / statistics.mean(a)
                spread = statistics.stdev(a)
                near = abs(statistics.mean(b) - statistics.mean(a)) <= spread
                how = "15 %" if abs(ratio - 1) <= WITHIN else "spread" if near else "**no**"
                off += how == "**no**"
                rows[f"{figure}, {start} to {end} s, {flow}"] = {
                    "ns-2.35": (statistics.mean(a), spread),
                    "airfair": (statistics.mean(b), statistics.stdev(b)),
                    "ratio": ratio,
                }
                print(
                    f"| {figure} | {start} … {end} s | {flow} "
                    f"| {statistics.mean(a):.0f} ± {spread:.0f} "
                    f"| {statistics.mean(b):.0f} ± {statistics.stdev(b):.0f} | {ratio:.2f} | {how} |"
                )
    if len(sys.argv) > 1:
        document = {"rows": rows, "all": len(rows), "off": off}
        Path(sys.argv[1]).write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return int(off > 0)


if __name__ == "__main__":
    sys.exit(main())
