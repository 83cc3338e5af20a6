"""Finds broken links in Markdown: to a missing file or to a missing heading."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
_LINK = re.compile(r"\]\((?!\w+:)([^)#\s]*)(?:#([^)\s]*))?\)")
_FENCE = re.compile(r"^(`{3,}).*?^\1$", re.DOTALL | re.MULTILINE)
_CODE = re.compile(r"`[^`\n]+`")
_HEADING = re.compile(r"^#+ +(.+?)(?: *\{ *#([\w-]+) *\})?$", re.MULTILINE)

MADE = {
    "figures",
    "examples.md",
    "changelog.md",
    "contributing.md",
    "architecture.md",
    "performance.md",
}
"""Pages and folders that `make site` adds; `make test-site` checks links to them."""


def broken(page: Path) -> Iterator[str]:
    """Broken links of a page, one per line."""
    text = _CODE.sub("", _FENCE.sub("", page.read_text(encoding="utf-8")))
    for found in _LINK.finditer(text):
        path, anchor = found[1], found[2]
        target = (page.parent / path).resolve() if path else page
        where = f"{page.relative_to(ROOT) if page.is_relative_to(ROOT) else page}: {found[0][1:]}"
        if not target.exists():
            made = (
                target.relative_to(ROOT / "docs") if target.is_relative_to(ROOT / "docs") else None
            )
            if made is None or made.parts[0] not in MADE:
                yield f"{where}: no such file"
        elif anchor and target.suffix == ".md" and anchor not in anchors(target):
            yield f"{where}: no such heading"


def anchors(page: Path) -> set[str]:
    """Anchors of a page's headings."""
    text = _FENCE.sub("", page.read_text(encoding="utf-8"))
    return {found[2] or slug(found[1]) for found in _HEADING.finditer(text)}


def slug(heading: str) -> str:
    """Anchor that mkdocs gives a heading."""
    plain = re.sub(r"\[(.*?)\]\(.*?\)|[`*]", r"\1", heading)
    ascii_ = unicodedata.normalize("NFKD", plain).encode("ascii", "ignore").decode()
    return re.sub(r"[-\s]+", "-", re.sub(r"[^\w\s-]", "", ascii_).strip().lower())
