"""Hooks of mkdocs, which add pages and pictures from other folders, rewrite links and remove comments.

Files at the root of the repository, and pages made from its files, become pages of docs. A link to a file
outside docs leads to the page that shows this file. A link to a file that no page shows is an error.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mkdocs.exceptions import PluginError
from mkdocs.structure.files import File, Files

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parents[1]
DRAWN = ROOT / "target" / "book" / "figures"

SHOWN = {
    "ARCHITECTURE.md": "architecture.md",
    "CHANGELOG.md": "changelog.md",
    "CONTRIBUTING.md": "contributing.md",
    "bench/RESULTS.md": "performance.md",
}
"""Names of pages, by the file of the repository that is the page."""
ANSWERED = {
    **SHOWN,
    "README.md": "index.md",
    "scenarios": "examples.md",
    "scenarios/ofdma.toml": "examples.md",
    "examples/queue-size": "examples.md#a-study-how-long-a-queue",
}
"""Pages that show files outside docs, by file."""
_LINK = re.compile(r"(?<=\]\()(?!\w+:|#)([^)#\s]+)(#[^)\s]*)?(?=\))")
_CITED = re.compile(r"\[(D-\d{3})\]\((?:\.\./)*deviations\.md\)")
_DEVIATES = re.compile(r"(`[^`\n]*`)|\[(D-\d{3}(?:(?:, | and | to )D-\d{3})*)\](?!\()")
_NUMBER = re.compile(r"D-\d{3}")
_SOURCE = re.compile(
    r"(`[^`\n]*`)|(?<!\])\[([A-Za-z0-9][A-Za-z0-9-]+)((?: |\n)[^\]\[]+)?\](?![\(\[:])"
)
_LISTED = re.compile(r"^\| `([^`]+)` \|", re.MULTILINE)
_DEVIATION = re.compile(r"^\*\*(?=(D-\d{3}) · )", re.MULTILINE)
DEVIATIONS = {
    number: f"docs/deviations/{path.name}"
    for path in sorted((ROOT / "docs/deviations").glob("*.md"))
    for number in _DEVIATION.findall(path.read_text(encoding="utf-8"))
}
"""Pages of deviations, by number of the deviation."""
_FILE = re.compile(r"^<!-- file: (\S+) -->\n(`{3,}\w+)$", re.MULTILINE)
_COMMENT = re.compile(r"(`[^`\n]*`)|<!--.*?-->", re.DOTALL)
_FENCE = re.compile(r"(^ *```.*?^ *```$)", re.DOTALL | re.MULTILINE)


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add pages from outside docs, and the pictures of `make site`."""
    for source, page in SHOWN.items():
        text = (ROOT / source).read_text(encoding="utf-8")
        files.append(File.generated(config, page, content=_from(source, text)))
    files.append(File.generated(config, "examples.md", content=_examples()))
    for path in sorted(DRAWN.glob("*")):
        files.append(File.generated(config, f"figures/{path.name}", abs_src_path=str(path)))
    return files


def on_page_markdown(markdown: str, page: Page, **_: Any) -> str:  # noqa: ANN401 - as mkdocs calls it
    """Rewrite links to files outside docs and to deviations, and remove comments, which are for writers.

    A block below `<!-- file: NAME -->` gets its name as a title.
    """
    source = f"docs/{page.file.src_uri}"
    markdown = _CITED.sub(lambda m: _entry(source, m[1]), markdown)
    if source == "docs/references.md":
        return _LISTED.sub(lambda m: f'| <a id="{m[1].lower()}"></a>`{m[1]}` |', markdown)
    if source in DEVIATIONS.values():
        markdown = _DEVIATION.sub(lambda m: f'<a id="{m[1].lower()}"></a>**', markdown)
    markdown = _FILE.sub(lambda m: f'{m[2]} title="{m[1]}"', markdown)
    if source.startswith("docs/") and (ROOT / source).exists():
        markdown = _deviating(source, markdown)
    parts = _FENCE.split(markdown)
    parts[::2] = [_cited(source, _COMMENT.sub(r"\1", _inside(source, part))) for part in parts[::2]]
    # A number and its interval stay on one line.
    parts[::2] = [
        part.replace(" ± ", "\N{NO-BREAK SPACE}±\N{NO-BREAK SPACE}") for part in parts[::2]
    ]
    return "".join(parts)


def _deviating(source: str, markdown: str) -> str:
    """Text in which bracketed numbers of deviations are links."""

    def linked(found: re.Match[str]) -> str:
        if found[1]:
            return found[1]
        return _NUMBER.sub(lambda it: _entry(source, it[0]), found[2])

    parts = _FENCE.split(markdown)
    parts[::2] = [_DEVIATES.sub(linked, part) for part in parts[::2]]
    return "".join(parts)


def _entry(source: str, number: str) -> str:
    """Link from a page to the entry of a deviation."""
    page = posixpath.relpath(DEVIATIONS[number], posixpath.dirname(source))
    return f"[{number}]({page}#{number.lower()})"


def _from(source: str, text: str) -> str:
    """Text of a file outside docs as a page of docs, with its links rewritten."""

    def mended(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(posixpath.dirname(source), link[1]))
        return _target(source, path, "docs") + (link[2] or "")

    return _LINK.sub(mended, text)


def _inside(source: str, text: str) -> str:
    """Text of a page of docs, with links to files outside docs rewritten."""
    folder = posixpath.dirname(source)

    def mended(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link[1]))
        if path.startswith("docs/"):
            return link[0]
        return _target(source, path, folder) + (link[2] or "")

    return _LINK.sub(mended, text)


def _cited(source: str, text: str) -> str:
    """Text in which citations such as `[RFC5348 §3.1]` are links to the list of sources."""
    listed = set(_LISTED.findall((ROOT / "docs/references.md").read_text(encoding="utf-8")))
    page = posixpath.relpath("docs/references.md", posixpath.dirname(source))

    def linked(found: re.Match[str]) -> str:
        if found[2] not in listed:
            return found[0]
        return f"[\\[{found[2]}{found[3] or ''}\\]]({page}#{found[2].lower()})"

    return _SOURCE.sub(linked, text)


def _target(source: str, path: str, folder: str) -> str:
    if path.startswith("docs/"):
        return posixpath.relpath(path, folder)
    if path not in ANSWERED:
        raise PluginError(f"{source}: no page shows {path}; book/hooks.py, ANSWERED")
    return posixpath.relpath(f"docs/{ANSWERED[path]}", folder)


def _examples() -> str:
    """Page with all example scenarios and a study."""
    lines = [
        "# Scenarios to copy",
        "",
        "Each is a file of the folder `scenarios`. Its first lines say what it shows and what to try.",
        "`airfair init example NAME` writes one of them where that folder is missing.",
        "`airfair run` runs it, and [the scenario file](scenario.md) explains every key.",
    ]
    for path in sorted((ROOT / "scenarios").glob("*.toml")):
        lines += ["", f"## {_title(path)}", "", *_listing(f"scenarios/{path.name}")]
    study = "examples/queue-size"
    lines += [
        "",
        "## A study: how long a queue",
        "",
        f"`airfair sweep {study}/queue-size.toml` runs it; a notebook beside it does the same in Python.",
        "[Studies](studies.md) explains every key.",
        "",
        *_listing(f"{study}/queue-size.toml"),
        "",
        *_listing(f"{study}/cell.toml"),
    ]
    return "\n".join(lines) + "\n"


def _title(path: Path) -> str:
    found = re.search(r'^title\s*=\s*"(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)
    return found[1] if found else path.stem


def _listing(name: str) -> list[str]:
    text = (ROOT / name).read_text(encoding="utf-8").rstrip()
    return [f'```toml title="{name}"', text, "```"]
