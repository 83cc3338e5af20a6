"""Checks citations: docs/references.md has every cited key, and docs/deviations every cited deviation.

Each module of crates/laws cites a source in its module documentation, and has a test with a citation after
`Verifies:`.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
# [RFC6298 §2], [80211-2020 §10.3.3, §10.3.4], [arf-aware-tcp eq. 3], [RFC1042]
CITATION = re.compile(
    r"\[([A-Za-z0-9][A-Za-z0-9-]*) (?:§|eq\.|Annex|Table|Fig\.|errat)[^\]]*\]|\[(RFC\d+)\]"
)
DEVIATION = re.compile(r"\[?(D-\d{3})\]?")


def sources() -> list[Path]:
    """Return all files that can contain citations."""
    patterns = ["crates/**/*.rs", "python/**/*.py", "docs/**/*.md", "*.md", "experiments/**/*.toml"]
    return sorted(path for pattern in patterns for path in ROOT.glob(pattern))


def listed_keys() -> set[str]:
    """Return the keys in docs/references.md."""
    text = (ROOT / "docs/references.md").read_text(encoding="utf-8")
    return set(re.findall(r"^\| `([^`]+)` \|", text, flags=re.MULTILINE))


def listed_deviations() -> set[str]:
    """Return the numbers of the entries in docs/deviations."""
    pages = sorted((ROOT / "docs/deviations").glob("*.md"))
    texts = [page.read_text(encoding="utf-8") for page in pages]
    return {
        number for text in texts for number in re.findall(r"^\*\*(D-\d{3})", text, re.MULTILINE)
    }


def problems() -> list[str]:
    """Return a line for each mistake."""
    known = listed_keys()
    deviations = listed_deviations()
    found: list[str] = []
    for path in sources():
        name = path.relative_to(ROOT)
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            keys = [first or second for first, second in CITATION.findall(line)]
            found += [
                f"{name}:{number}: [{key}] is not in docs/references.md"
                for key in keys
                if key not in known
            ]
            found += [
                f"{name}:{number}: {deviation} is not in docs/deviations"
                for deviation in DEVIATION.findall(line)
                if deviation not in deviations
            ]
    for law in sorted((ROOT / "crates/laws/src").glob("*.rs")):
        text = law.read_text(encoding="utf-8")
        header = "".join(line for line in text.splitlines(keepends=True) if line.startswith("//!"))
        # Modules that several laws share have no source of their own.
        if law.name in {"lib.rs", "window.rs", "fixture.rs"}:
            continue
        if not CITATION.search(header):
            found.append(f"crates/laws/src/{law.name}: a law without a source in its first lines")
        parts = [text, *(part.read_text("utf-8") for part in law.with_suffix("").glob("*.rs"))]
        if not any("Verifies: [" in part for part in parts):
            found.append(
                f"crates/laws/src/{law.name}: a law without a test that verifies its source"
            )
    return found


if __name__ == "__main__":
    lines = problems()
    print("\n".join(lines) if lines else "citations: all keys resolve")
    sys.exit(bool(lines))
