"""Introduction of a report: the scheme, where it runs, with what, and the words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from .prose import Item, Numbers, Passage

Kind = Literal["station", "access point", "host", "router"]
Medium = Literal["air", "wire"]


@dataclass(frozen=True)
class Node:
    """A machine of a topology."""

    label: str
    x: float
    """Column of the drawing, 0 on the left and 10 on the right."""
    y: float
    """Row, 0 on top."""
    kind: Kind
    note: str = ""
    """A few words below its name: its rate, what it runs."""


@dataclass(frozen=True)
class Edge:
    """Two machines that exchange frames or packets; data goes from the first to the second."""

    start: str
    end: str
    medium: Medium
    label: str = ""


@dataclass(frozen=True)
class Topology:
    """Machines that send to each other, and what is between them."""

    nodes: Mapping[str, Node]
    edges: Sequence[Edge]
    about: str = ""
    """The drawing in words."""


@dataclass(frozen=True)
class Introduction:
    """The first screen of a report."""

    source: str
    """Authors, and where they simulated or measured."""
    scheme: str
    """The idea in two sentences."""
    topology: Topology | None
    parameters: Sequence[Item]
    """Settings of the experiments; the source is a place in the paper, or that it is not said there."""
    abbreviations: Mapping[str, str]
    lead: Sequence[str]
    """Names of the figures that come first; the first of them stands for the paper."""
    shows: Callable[[Any], Numbers] | None
    """Numbers of the sentence `picture` in `text/figures.md`, from what the first's experiment measured."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Sections of the paper about an experiment, by its id."""

    @classmethod
    def of(
        cls,
        said: Mapping[str, Passage],
        topology: Topology,
        lead: Sequence[str],
        shows: Callable[[Any], Numbers],
        sections: Mapping[str, str],
    ) -> Introduction:
        """Introduction in the words of `text/introduction.md`."""
        return cls(
            source=said["source"].text,
            scheme=said["scheme"].text,
            topology=replace(topology, about=said["topology"].text),
            parameters=said["parameters"].items,
            abbreviations={item.name: item.value for item in said["abbreviations"].items},
            lead=lead,
            shows=shows,
            sections=sections,
        )
