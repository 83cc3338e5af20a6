"""Writes the verdicts of a full run to docs/verdicts.json, with which a test compares the documents.

Run `make record` after `make reproduce`.
"""

import hashlib
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
RECORD = ROOT / "docs/verdicts.json"


def golden() -> str:
    """Return a hash of the golden tables' record hashes, which changes with the engine's results."""
    tables = sorted((ROOT / "crates/sim/tests/golden").glob("*.txt"))
    records = "".join(path.read_text(encoding="utf-8").rsplit("records ", 1)[1] for path in tables)
    return hashlib.sha256(records.encode()).hexdigest()


def recorded(results: Path) -> dict[str, object]:
    """Return the verdicts of all papers in a directory of results."""
    papers = {}
    for path in sorted(results.glob("*/*.json")):
        document = json.loads(path.read_text(encoding="utf-8"))
        if path.stem != path.parent.name:
            continue
        if document["quick"] or document["interrupted"]:
            sys.exit(f"{path}: not a full run; make reproduce")
        claims = {
            claim["id"]: {"state": claim["state"], "points": claim["points"]}
            for claim in document["claims"]
        }
        papers[path.stem] = {"plan": document["plan"], "claims": claims}
        if document["calibration"]:
            papers[path.stem]["calibration"] = [
                {key: one[key] for key in ("label", "fits", "role")}
                for one in document["calibration"]
            ]
    if not papers:
        sys.exit(f"{results}: no results; make reproduce")
    return {"golden": golden(), "papers": papers}


if __name__ == "__main__":
    text = json.dumps(recorded(ROOT / "results"), indent=1, ensure_ascii=False)
    RECORD.write_text(text + "\n", encoding="utf-8")
    print(f"wrote {RECORD.relative_to(ROOT)}: read the documents of papers whose verdicts moved")
