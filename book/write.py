"""Writes the parts of pages that programs make: numbers, tables of results, listings, outputs of commands.

Use: make book. `--record RESULTS` first writes the numbers of full runs to docs/numbers.json.
"""

from __future__ import annotations

import json
import os
import re
import sys
import tempfile
from pathlib import Path

import history
import named
import steps


def fresh(page: Path, *, run: bool) -> str:
    """Current text of a page, after its steps if `run` is true."""
    text = page.read_text(encoding="utf-8")
    if run:
        with tempfile.TemporaryDirectory() as folder:
            text = steps.followed(text, Path(folder))
            for image, drawn in steps.images(Path(folder)).items():
                image.write_bytes(drawn)
    return named.updated(history.updated(text), named.context_of(page))


def main(arguments: list[str]) -> None:
    """Update all pages."""
    if arguments[:1] == ["--record"]:
        document = json.dumps(named.record(Path(arguments[1])), indent=1, ensure_ascii=False)
        document = re.sub(r"\[\s+(\S+)\s+(\S+)\s+\]", r"[\1 \2]", document)
        named.RECORD.write_text(document + "\n", encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        os.environ["AIRFAIR_CACHE"] = str(Path(folder) / "runs.sqlite")
        for page in named.pages():
            text = fresh(page, run=page.name != "reasons.md")
            if text != page.read_text(encoding="utf-8"):
                page.write_text(text, encoding="utf-8")
                print(f"wrote {page.relative_to(named.ROOT)}")


if __name__ == "__main__":
    main(sys.argv[1:])
