"""Draws a topology as SVG in the colours of the page."""

from __future__ import annotations

import math

from markupsafe import Markup, escape

from .introduction import Edge, Kind, Medium, Node, Topology

COLUMN, ROW = 40, 58
"""Distance between columns and between rows, in units of the drawing."""
MARGIN_X, MARGIN_Y = 44, 26
LINE = 14
"""Distance between two lines of text."""
CLEAR = 17
"""Radius around a node within which no edge is drawn."""

SHAPES: dict[Kind, str] = {
    "station": '<circle r="9" class="machine"/>',
    "access point": '<path d="M-11 8 L0 -11 L11 8 Z" class="machine"/>'
    '<path d="M-9 -12 A13 13 0 0 1 9 -12" class="waves"/>',
    "host": '<rect x="-10" y="-9" width="20" height="18" rx="2" class="machine"/>',
    "router": '<rect x="-9" y="-9" width="18" height="18" rx="9" class="machine"/>'
    '<path d="M-4.5 0H4.5M0 -4.5V4.5" class="waves"/>',
}
MEDIA: dict[Medium, str] = {"air": "over the air", "wire": "over a wire"}


def draw(topology: Topology, name: str) -> Markup:
    """SVG of a topology; its ids begin with `name`, to be unique in the page."""
    nodes = topology.nodes.values()
    width = 2 * MARGIN_X + COLUMN * max(node.x for node in nodes)
    height = 2 * MARGIN_Y + ROW * max(node.y for node in nodes) + 2 * LINE
    parts = [_edge(edge, topology, name) for edge in topology.edges]
    parts += [_node(node) for node in nodes]
    used = dict.fromkeys(edge.medium for edge in topology.edges)
    kinds = dict.fromkeys(node.kind for node in nodes)
    words = ", ".join([*kinds, *(f"{medium}: {MEDIA[medium]}" for medium in used)])
    return Markup(
        '<svg class="topology" role="img" aria-labelledby="{0}-title {0}-desc" viewBox="0 0 {1:g} {2:g}">'
        '<title id="{0}-title">Topology</title><desc id="{0}-desc">{3} ({4})</desc>'
        '<defs><marker id="{0}-arrow" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" '
        'markerHeight="7" orient="auto"><path d="M0 0.5 L7.5 4 L0 7.5 Z" class="head"/></marker></defs>'
    ).format(name, width, height, topology.about, words) + Markup("").join(
        [*parts, Markup("</svg>")]
    )


def _place(node: Node) -> tuple[float, float]:
    return MARGIN_X + COLUMN * node.x, MARGIN_Y + ROW * node.y


def _node(node: Node) -> Markup:
    x, y = _place(node)
    shape = Markup(SHAPES[node.kind])  # noqa: S704 - made above
    words = Markup('<text y="{}" class="name">{}</text>').format(9 + LINE, node.label)
    if node.note:
        words += Markup('<text y="{}" class="note">{}</text>').format(9 + 2 * LINE, node.note)
    return Markup('<g transform="translate({:g} {:g})">{}{}</g>').format(x, y, shape, words)


def _edge(edge: Edge, topology: Topology, name: str) -> Markup:
    (x1, y1), (x2, y2) = (_place(topology.nodes[end]) for end in (edge.start, edge.end))
    length = math.hypot(x2 - x1, y2 - y1)
    dx, dy = CLEAR * (x2 - x1) / length, CLEAR * (y2 - y1) / length
    line = Markup(
        '<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}" marker-end="url(#{}-arrow)"/>'
    ).format(x1 + dx, y1 + dy, x2 - dx, y2 - dy, edge.medium, name)
    if not edge.label:
        return line
    return line + Markup('<text x="{:.1f}" y="{:.1f}" class="note">{}</text>').format(
        (x1 + x2) / 2, (y1 + y2) / 2 - 7, escape(edge.label)
    )
