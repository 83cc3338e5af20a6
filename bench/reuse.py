"""Records the goodput of cells with OBSS-PD spatial reuse, and of Komondor's cells, in `reuse.json`.

Run from a checkout after `make build`: `.venv/bin/python bench/reuse.py`. It takes some minutes. The cells
are those of `airfair validate`, at all levels; docs/validate.md has the table.
"""

from __future__ import annotations

import json
from pathlib import Path

from airfair.engine import run
from airfair.statistics import half_width
from airfair.validation import spatial_reuse
from airfair.validation.aggregates import goodput
from airfair.validation.published import KOMONDOR, WILHELMI

RECORD = Path(__file__).resolve().with_suffix(".json")
SECONDS = 5


def main() -> None:
    """Run the cells and write the record."""
    levels = {}
    for level, programs in WILHELMI.items():
        result = run(spatial_reuse.Level(level, SECONDS).scenario())
        mine = [goodput(result, name) for name in "ab"]
        levels[str(level)] = {
            name: {
                "airfair": [
                    round(float(samples.mean()), 4),
                    round(half_width(samples.tolist()), 4),
                ],
                "markov": programs.markov[i],
                "komondor": programs.komondor[i],
            }
            for i, (name, samples) in enumerate(zip("ab", mine, strict=True))
        }
        print(level, levels[str(level)], flush=True)
    tests = {}
    for cell in spatial_reuse.KOMONDOR_CELLS:
        result = run(cell.scenario())
        tests[cell.name] = {
            name: {"airfair": round(float(goodput(result, name).mean()), 4), "komondor": theirs}
            for name, theirs in zip(cell.geometry.places, KOMONDOR[cell.name], strict=True)
        }
    document = {"levels": levels, "komondor": tests}
    RECORD.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
