"""Introduction of a report: the scheme, where it runs, with what, and the words."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

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

    about: str
    """The drawing in words."""
    nodes: Mapping[str, Node]
    edges: Sequence[Edge]


@dataclass(frozen=True)
class Parameter:
    """A setting of the experiments, and who says so."""

    name: str
    value: str
    source: str
    """A place in the paper, or that it is not said there."""


@dataclass(frozen=True)
class Introduction:
    """The first screen of a report."""

    source: str
    """Authors, and where they simulated or measured."""
    scheme: str
    """The idea in two sentences."""
    topology: Topology | None
    parameters: Sequence[Parameter]
    abbreviations: Mapping[str, str]
    lead: Sequence[str]
    """Names of the figures that come first; the first of them stands for the paper."""
    shows: Callable[[Any], str]
    """One sentence of what the first of these shows, from what its experiment measured."""
    sections: Mapping[str, str] = field(default_factory=dict)
    """Sections of the paper about an experiment, by its id."""
