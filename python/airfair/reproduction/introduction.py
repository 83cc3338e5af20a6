"""Introduction of a report: scheme, topology, parameters and main figures."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, Self

from .prose import Item, Numbers, Passage

Kind = Literal["station", "access point", "host", "router"]
Medium = Literal["air", "wire"]


@dataclass(frozen=True)
class Node:
    """Node of a topology."""

    label: str
    x: float
    """Horizontal position, from 0 (left) to 10 (right)."""
    y: float
    """Vertical position, 0 on top."""
    kind: Kind
    note: str = ""
    """Note below the name: its rate or software."""


@dataclass(frozen=True)
class Edge:
    """Link between two nodes; data goes from the first to the second."""

    start: str
    end: str
    medium: Medium
    label: str = ""


@dataclass(frozen=True)
class Topology:
    """Topology of an experiment: nodes and links."""

    nodes: Mapping[str, Node]
    edges: Sequence[Edge]
    about: str = ""
    """Description of the drawing, as alternative text."""


@dataclass(frozen=True)
class Introduction:
    """Content of the introduction of a report."""

    source: str
    """Authors, and their simulator or testbed."""
    scheme: str
    """Idea of the scheme in two sentences."""
    topology: Topology | None
    parameters: Sequence[Item]
    """Parameters of the experiments, each with its source: a section of the paper, or "not given"."""
    abbreviations: Mapping[str, str]
    lead: Sequence[str]
    """Names of the figures shown first; the first one represents the paper."""
    shows: Callable[[Any], Numbers] | None
    """Function from measurements to the numbers of section `picture` in `text/figures.md`."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Sections of the paper, by the id of the experiment that they describe."""

    @classmethod
    def of(
        cls,
        declared: Mapping[str, Any],
        said: Mapping[str, Passage],
        shows: Callable[[Any], Numbers],
    ) -> Self:
        """Introduction with the figures and the topology of `report.toml`, and the texts of a paper."""
        nodes = {id_: Node(**node) for id_, node in declared["nodes"].items()}
        edges = [Edge(*edge) for edge in declared["edges"]]
        return cls(
            source=said["source"].text,
            scheme=said["scheme"].text,
            topology=Topology(nodes, edges, said["topology"].text),
            parameters=said["parameters"].items,
            abbreviations={item.name: item.value for item in said["abbreviations"].items},
            lead=declared["lead"],
            shows=shows,
            sections=declared.get("sections", {}),
        )
