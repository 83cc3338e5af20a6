"""Records results of `airfair limits` for docs/limits.md, limits-shares.md and limits-ax.md.

The results are shares, medians, counts in regions, and maps.

Use: python book/limits.py RESULTS [STANDARD], after `airfair limits --out RESULTS [--standard STANDARD]`.
STANDARD is 802.11ax-ofdma after `airfair limits --standard 802.11ax --ofdma`, and so on. The script writes
docs/limits.json and the maps. It keeps the results of other standards, and those of schemes that were not
searched now, if the golden tables of the engine have not changed since. book/regions.toml defines the
regions.
"""

from __future__ import annotations

import json
import shutil
import sys
import tomllib
from pathlib import Path
from typing import Any

import polars as pl

from airfair.limit_search.schemes import SCHEMES, Scheme
from airfair.limit_search.space import described

BOOK = Path(__file__).resolve().parent
RECORD = BOOK.parent / "docs" / "limits.json"


def search(directory: Path, scheme: Scheme, regions: dict[str, Any]) -> dict[str, Any]:
    """Results of one scheme's search for the record [%, or points of an index]."""
    document = json.loads((directory / "limits.json").read_text(encoding="utf-8"))
    if document["interrupted"] or document["replications"] < 10:  # noqa: PLR2004 - a full search
        raise SystemExit(f"{directory}: not a full search")
    compared = _compared(directory, scheme)
    return {
        "wins": 100 * document["verdicts"]["wins"],
        "loses": 100 * document["verdicts"]["loses"],
        "both": 100 * document["verdicts"].get("mixed", 0),
        "measures": {
            one["label"]: {
                "wins": 100 * one["verdicts"]["wins"],
                "loses": 100 * one["verdicts"]["loses"],
                "median win": one["median_win"] or 0,
                "median loss": one["median_loss"] or 0,
                "worst": one["worst"]["effect"] if one["worst"] else 0,
            }
            for one in document["measures"]
        },
        "regions": {name: _region(compared, **one) for name, one in regions.items()},
    }


def _compared(directory: Path, scheme: Scheme) -> pl.DataFrame:
    """Comparisons at the evenly spread conditions, with the columns by which regions select."""
    points = pl.read_parquet(directory / "points.parquet").filter(pl.col("stage") == 1)
    where = [{"key": row["key"], **described(scheme.space, row)} for row in points.to_dicts()]
    compared = pl.read_parquet(directory / "comparisons.parquet")
    return compared.join(pl.DataFrame(where, infer_schema_length=None), on="key")


def _region(compared: pl.DataFrame, measure: str, where: str) -> dict[str, float]:
    """Counts of conditions, wins and losses in a region, and medians of the effects."""
    here = compared.filter(pl.col("measure") == measure).filter(pl.sql_expr(where))
    found: dict[str, float] = {"points": here.height}
    for verdict in ("wins", "loses"):
        effects = here.filter(pl.col("verdict") == verdict)["effect"]
        found[verdict] = effects.len()
        if effects.len():
            found[f"median_{verdict}"] = effects.median()
    found["median"] = here["effect"].median()
    return found


def golden() -> dict[str, str]:
    """Record hashes of the golden tables; a test compares them with those of the current engine."""
    tables = sorted((BOOK.parent / "crates/sim/tests/golden").glob("*.txt"))
    return {
        path.name: path.read_text(encoding="utf-8").rsplit("records ", 1)[1].strip()
        for path in tables
    }


def _under(scheme: Scheme, standard: str | None) -> Scheme:
    """Scheme as it was searched: in all older standards, in one standard, or with extra dimensions."""
    if standard is None:
        return scheme
    name, *extra = standard.split("-")
    return scheme.with_extra(*extra) if extra else scheme.under(name)


def main(results: Path, standard: str | None = None) -> None:
    """Write the results of the schemes that were searched, and keep those of the others."""
    regions = tomllib.loads((BOOK / "regions.toml").read_text(encoding="utf-8"))
    if standard:
        results, regions = results / standard, regions.get(standard, {})
    found = {}
    for name, scheme in SCHEMES.items():
        if not (results / name / "limits.json").exists():
            continue
        found[name] = search(results / name, _under(scheme, standard), regions.get(name, {}))
        short = f"{standard.removeprefix('802.11')}-{name}" if standard else name
        shutil.copyfile(
            results / name / "map.svg", RECORD.parent / "figures" / f"limits-{short}.svg"
        )
    kept = json.loads(RECORD.read_text(encoding="utf-8")) if RECORD.exists() else {}
    before = kept.get(standard, {}) if standard else kept
    if before.get("golden") != golden():
        before = {name: one for name, one in before.items() if name not in SCHEMES}
    now = {**before, "golden": golden(), **found}
    found = {**kept, standard: now} if standard else now
    document = json.dumps(found, indent=1, ensure_ascii=False)
    RECORD.write_text(document + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]), *sys.argv[2:])
