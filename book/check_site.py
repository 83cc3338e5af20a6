"""Checks the built book: links and anchors have targets, and no page loads files from the network.

Use: make test-site.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Mapping
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

_LOADED = {"script": "src", "img": "src", "iframe": "src", "source": "src", "object": "data"}
_LOADING = {"stylesheet", "icon", "preload", "modulepreload", "preconnect", "manifest"}


class Page(HTMLParser):
    """Parser that collects the links of a page, the URLs that the page loads, and its anchors."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.links: list[str] = []
        self.loads: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        """Collect the links, loads and anchors of an element."""
        found = {name: value or "" for name, value in attrs}
        self.anchors |= {found[key] for key in ("id", "name") if found.get(key)}
        if tag == "link" and _LOADING & set(found.get("rel", "").split()):
            self.loads.append(found.get("href", ""))
        elif tag in _LOADED and _LOADED[tag] in found:
            self.loads.append(found[_LOADED[tag]])
        elif tag == "a" and "href" in found:
            self.links.append(found["href"])


def problems(site: Path) -> list[str]:
    """Errors of a built book, one per line."""
    pages = {path: Page(path.read_text(encoding="utf-8")) for path in sorted(site.rglob("*.html"))}
    found = [] if pages else [f"{site}: no pages"]
    for path, page in pages.items():
        if path.name != "404.html":  # links of this page are absolute, from the root of the server
            found += [f"{path}: loads {url}" for url in page.loads if not _is_local(url)]
            found += [
                line for url in (*page.links, *page.loads) for line in _broken(path, url, pages)
            ]
    for style in site.rglob("*.css"):
        text = style.read_text(encoding="utf-8")
        if "url(http" in text or "@import" in text:
            found.append(f"{style}: loads from the network")
    return found


def _is_local(url: str) -> bool:
    return urlsplit(url).scheme in {"", "data"} and not url.startswith("//")


def _broken(path: Path, url: str, pages: Mapping[Path, Page]) -> Iterator[str]:
    parts = urlsplit(url)
    if parts.scheme or not (parts.path or parts.fragment):
        return
    target = (path.parent / unquote(parts.path)).resolve() if parts.path else path
    target = target / "index.html" if target.is_dir() else target
    if not target.exists():
        yield f"{path}: {url}: no such file"
    elif target in pages and unquote(parts.fragment) not in {*pages[target].anchors, "", "__skip"}:
        yield f"{path}: {url}: no such anchor"


if __name__ == "__main__":
    lines = problems(Path(sys.argv[1]).resolve())
    print(
        "\n".join(lines)
        if lines
        else "book: all links lead somewhere, and no page loads from the network"
    )
    sys.exit(bool(lines))
