"""Generator of `airfair.build`, which builds scenarios, from the schema of the scenario file.

Each table of the schema becomes a type of dictionary (`TypedDict`) and a function that builds it.
`python -m airfair.builders` prints the module; `make docs` writes it to its file.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ._core import schema

Schema = Mapping[str, Any]

_HEAD = Path(__file__).with_name("templates") / "build.txt"
"""Start of the module, up to its first type."""
_INDENT = 100


_NAMES = {("host", "link"): "host_link", ("rate", "up"): "rate", ("rate", "down"): "rate"}
"""Names of builders by table and key, where the key alone is ambiguous or the same table occurs elsewhere."""


@dataclass(frozen=True)
class Builder:
    """One kind of table of a scenario, with a type and a function of `airfair.build`."""

    name: str
    about: str
    schema: Schema
    tag: tuple[str, str] | None = None
    """Key that selects the kind of table, and its word for this kind; `None` if there is one kind only."""

    @property
    def properties(self) -> Schema:
        """Schema of each key."""
        found: Schema = self.schema["properties"]
        return found

    @property
    def required(self) -> frozenset[str]:
        """Keys that a table of this kind must have."""
        return frozenset(self.schema.get("required", ()))

    @property
    def type(self) -> str:
        """Name of the type."""
        return f"{self.name.title().replace('_', '')}Table"

    def type_code(self, types: Types) -> str:
        """Source text of the type; `types` has the names of the tables in it."""
        keys = {
            key: f"Required[{types.of(found)}]" if key in self.required else types.of(found)
            for key, found in self.properties.items()
        }
        if not keys:
            # Every dictionary would be a `TypedDict` without keys.
            return f'{self.type} = Mapping[str, Never]\n"""Table without keys, as `{self.name}` builds it."""'
        if any(keyword.iskeyword(key) for key in keys):
            lines = [f'    "{key}": {kind},' for key, kind in keys.items()]
            return "\n".join(
                [f'{self.type} = TypedDict("{self.type}", {{', *lines, "}, total=False)"]
            )
        lines = [f"    {key}: {kind}" for key, kind in keys.items()]
        about = f'    """Table whose keys are the arguments of `{self.name}`."""'
        return "\n".join([f"class {self.type}(TypedDict, total=False):", about, "", *lines])

    def code(self, types: Types) -> str:
        """Source text of the function; `types` has the names of the tables that it takes."""
        keys = [key for key in self.properties if self.tag is None or key != self.tag[0]]
        keys.sort(key=lambda key: key not in self.required)
        parameters = [
            f"    {_argument(key)}: {types.of(self.properties[key])}"
            + ("," if key in self.required else " | None = None,")
            for key in keys
        ]
        head = [f"def {self.name}(", *(["    *,"] if keys else []), *parameters]
        lines = [*head, f") -> {self.type}:"]
        lines += _docstring(self.about, [(_argument(key), self.properties[key]) for key in keys])
        tag = f', {self.tag[0]}="{self.tag[1]}"' if self.tag else ""
        given = f"_given({self.type}, {'locals()' if keys else '{}'}{tag})"
        lines.append(f"    return {given if self.properties else '{}'}")
        return "\n".join(lines)


class Types:
    """Python types of values, by their schema."""

    def __init__(self) -> None:
        self._tables: dict[int, str] = {}

    def name(self, table: Schema, name: str) -> None:
        """Set the name of the type of a table."""
        self._tables[id(table)] = name

    def of(self, found: Schema) -> str:
        """Type of a value."""
        return _union(self._all(found))

    def _all(self, found: Schema) -> Iterator[str]:
        for each in (*found.get("anyOf", ()), *found.get("oneOf", ())):
            yield from self._all(each)
        if "enum" in found:
            yield f"Literal[{', '.join(json.dumps(word) for word in found['enum'])}]"
        elif found.get("type") in _PLAIN:
            yield _PLAIN[found["type"]]
        elif found.get("type") == "array":
            items = [each for each in (found.get("items"), *found.get("prefixItems", ())) if each]
            yield f"Sequence[{_union(kind for item in items for kind in self._all(item))}]"
        elif "properties" in found:
            yield self._tables[id(found)]
        elif found.get("type") == "object":
            values = found["patternProperties"].values()
            yield f"Mapping[str, {_union(kind for value in values for kind in self._all(value))}]"


def module() -> str:
    """Source text of the module `airfair.build`."""
    made: dict[str, Builder] = {}
    types = Types()
    for parent, builder in _walk("scenario", "", json.loads(schema()), "A scenario."):
        name = builder.name
        if name in made and set(made[name].properties) != set(builder.properties):
            name = f"{parent}_{name}"
        one = made.setdefault(name, replace(builder, name=name))
        types.name(builder.schema, one.type)
    # A type comes after the types of the tables in it.
    ordered = sorted(made.values(), key=lambda builder: _height(builder.schema))
    classes = "\n\n\n".join(builder.type_code(types) for builder in ordered)
    functions = "\n\n\n".join(builder.code(types) for builder in made.values())
    listed = "".join(
        f'    "{name}",\n' for name in sorted([*made, *(builder.type for builder in made.values())])
    )
    head = _HEAD.read_text(encoding="utf-8")
    return f"{head}\n\n{classes}\n\n\n{functions}\n\n\n__all__ = [\n{listed}]\n"


def _height(found: object) -> int:
    """Number of tables inside each other in a schema, or in a part of it."""
    if isinstance(found, Mapping):
        return ("properties" in found) + max(map(_height, found.values()), default=0)
    return max(map(_height, found), default=0) if isinstance(found, list) else 0


def _walk(name: str, parent: str, found: Schema, about: str) -> Iterator[tuple[str, Builder]]:
    """Builders of a schema and of all schemas in it, each with the name of the enclosing table."""
    about = found.get("description", about)
    for each in (*found.get("anyOf", ()), *found.get("oneOf", ())):
        yield from _walk(name, parent, each, about)
    for each in found.get("patternProperties", {}).values():
        yield from _walk(name, parent, each, about)
    properties = found.get("properties")
    if properties is None:
        return
    tag = _tag(found)
    own = f"{name}_{tag[1].replace('-', '_')}" if tag else name
    yield parent, Builder(own, about, found, tag)
    for key, each in properties.items():
        yield from _walk(_NAMES.get((name, key), key), name, each, "")


def _tag(found: Schema) -> tuple[str, str] | None:
    """Key that selects this kind of table, and its only allowed word; `None` if there is no such key."""
    one = [
        (key, each["enum"][0])
        for key, each in found["properties"].items()
        if len(each.get("enum", ())) == 1
        and key in ("kind", "model", "control", "scheme", "discipline")
    ]
    return one[0] if one else None


def _argument(key: str) -> str:
    return f"{key}_" if keyword.iskeyword(key) else key


def _union(types: Iterable[str]) -> str:
    """Union of `types`, in which all `Literal` types are merged into one."""
    every = list(dict.fromkeys(types))
    words = [kind for kind in every if kind.startswith("Literal[")]
    merged = [f"Literal[{', '.join(kind[8:-1] for kind in words)}]"] if words else []
    return " | ".join(merged + [kind for kind in every if kind not in words])


_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def _docstring(about: str, arguments: list[tuple[str, Schema]]) -> list[str]:
    first, _, rest = about.partition(". ")
    lines = textwrap.wrap(f"{first.rstrip('.')}.", _INDENT - 8)
    if len(lines) > 1:
        first, rest = "A table of the scenario file", about
        lines = [f"{first}."]
    if rest:
        lines += ["", *textwrap.wrap(rest, _INDENT - 4)]
    if arguments:
        lines.append("")
    for name, found in arguments:
        text = f"{name}: {found.get('description', '')}"
        if "default" in found:
            text += f" Default: {json.dumps(found['default'], ensure_ascii=False)}."
        lines += textwrap.wrap(text, _INDENT - 4, subsequent_indent="    ", break_long_words=False)
    body = [line.replace("\\", "\\\\").replace('"""', "'''") for line in lines]
    if len(body) == 1:
        return [f'    """{body[0]}"""']
    return [f'    """{body[0]}', *(f"    {line}".rstrip() for line in body[1:]), '    """']


if __name__ == "__main__":
    sys.stdout.write(module())
