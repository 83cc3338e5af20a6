"""Generator of `airfair.build`, whose functions build scenarios, from the schema of the scenario file.

`python -m airfair.builders` prints the module; `make docs` writes it to its file.
"""

from __future__ import annotations

import json
import keyword
import sys
import textwrap
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from ._core import schema

Schema = Mapping[str, Any]

_HEAD = '''"""Builds scenarios: a function for each table of the scenario file, an argument for each key.

Written by `make docs` from the schema of the scenario file. Keys that are not given have the
defaults of docs/scenario.md. A scenario is checked when it is loaded.

>>> from airfair import build
>>> cell = build.scenario(
...     duration="10 s",
...     bss={"home": build.bss(standard="802.11g")},
...     station={"laptop": build.station(rate="54 Mb/s")},
...     host={"server": build.host(link=build.host_link(rate="100 Mb/s"))},
...     flow={"a": build.flow(from_="laptop", to="server", transport=build.transport_tcp())},
... )
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from .scenario import Value

Table = dict[str, Value]
"""Keys of a table with their values."""


def _given(keys: Mapping[str, Value | None]) -> Table:
    """The keys that are given, by their names in the scenario file."""
    return {name.rstrip("_"): value for name, value in keys.items() if value is not None}
'''
_INDENT = 100


_NAMES = {("host", "link"): "host_link", ("rate", "up"): "rate", ("rate", "down"): "rate"}
"""Names of builders by table and key, where the key alone is ambiguous or the same table occurs elsewhere."""


@dataclass(frozen=True)
class Builder:
    """Function of `airfair.build` that builds one kind of table of a scenario."""

    name: str
    about: str
    properties: Schema
    required: frozenset[str]
    tag: tuple[str, str] | None = None
    """Key that selects the kind of table, and its word for this kind; `None` if there is one kind only."""

    def code(self) -> str:
        """Source text of the function."""
        keys = [key for key in self.properties if self.tag is None or key != self.tag[0]]
        keys.sort(key=lambda key: key not in self.required)
        parameters = [_parameter(key, self.properties[key], key in self.required) for key in keys]
        lines = [f"def {self.name}(", *(["    *,"] if keys else []), *parameters, ") -> Table:"]
        lines += _docstring(self.about, [(_argument(key), self.properties[key]) for key in keys])
        parts = [f'"{self.tag[0]}": "{self.tag[1]}"'] if self.tag else []
        parts += ["**_given(locals())"] if keys else []
        whole = "_given(locals())" if keys and not self.tag else f"{{{', '.join(parts)}}}"
        lines.append(f"    return {whole}")
        return "\n".join(lines)


def module() -> str:
    """Source text of the module `airfair.build`."""
    made: dict[str, Builder] = {}
    for parent, builder in _walk("scenario", "", json.loads(schema()), "A scenario."):
        name = builder.name
        if name in made and set(made[name].properties) != set(builder.properties):
            name = f"{parent}_{name}"
        made.setdefault(name, Builder(name, *_rest(builder)))
    functions = "\n\n\n".join(builder.code() for builder in made.values())
    listed = "".join(f'    "{name}",\n' for name in sorted(made))
    return f"{_HEAD}\n\n{functions}\n\n\n__all__ = [\n{listed}]\n"


def _rest(builder: Builder) -> tuple[str, Schema, frozenset[str], tuple[str, str] | None]:
    return builder.about, builder.properties, builder.required, builder.tag


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
    yield parent, Builder(own, about, properties, frozenset(found.get("required", ())), tag)
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


def _parameter(key: str, found: Schema, required: bool) -> str:  # noqa: FBT001 - one of its properties
    kind = _union(_types(found))
    return (
        f"    {_argument(key)}: {kind},"
        if required
        else f"    {_argument(key)}: {kind} | None = None,"
    )


_PLAIN = {"string": "str", "integer": "int", "number": "float", "boolean": "bool"}


def _types(found: Schema) -> Iterator[str]:
    """Python types that the schema of a value allows."""
    for each in (*found.get("anyOf", ()), *found.get("oneOf", ())):
        yield from _types(each)
    if "enum" in found:
        yield f"Literal[{', '.join(json.dumps(word) for word in found['enum'])}]"
    elif found.get("type") in _PLAIN:
        yield _PLAIN[found["type"]]
    elif found.get("type") == "array":
        each = [found.get("items"), *found.get("prefixItems", ())]
        items = _union(kind for item in each if item for kind in _types(item))
        yield f"Sequence[{items or 'Value'}]"
    elif found.get("type") == "object":
        yield "Mapping[str, Value]"


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
