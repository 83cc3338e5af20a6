"""Keys of an experiment that are about laws: `laws`, and `law.NAME` for a parameter of their constructors."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from airfair._core import Scenario
from airfair.law import LawError, nodes
from airfair.law_names import find
from airfair.law_use import LawUse, unknown_parameter, uses, value_problem, with_parameters

from .errors import Gathered, StudyError
from .keys import Keys

LAWS, PARAMETER = "laws", "law."
"""Key of the laws by node, and beginning of the keys of parameters."""


def is_about_laws(path: str) -> bool:
    """True for a key that is about laws and not of the scenario."""
    return path == LAWS or path.startswith(PARAMETER)


def of_scenario(keys: Keys) -> Keys:
    """Keys without those about laws."""
    if not any(map(is_about_laws, keys)):
        return keys
    return {path: value for path, value in keys.items() if not is_about_laws(path)}


def declared(where: str, value: Any) -> tuple[LawUse, ...]:  # noqa: ANN401 - as the user gives it
    """Laws by node; raises `StudyError` for anything else."""
    try:
        return uses(value, where)
    except (LawError, TypeError) as error:
        raise StudyError(str(error)) from error


def acting(base: Sequence[LawUse], keys: Keys) -> tuple[LawUse, ...]:
    """Laws that act with these keys set: those of the key `laws`, or else `base`, with their parameters."""
    chosen: Any = keys.get(LAWS, base)
    values: dict[str, Any] = {
        path.removeprefix(PARAMETER): value
        for path, value in keys.items()
        if path.startswith(PARAMETER)
    }
    return tuple(with_parameters(use, values) for use in chosen) if values else tuple(chosen)


def check(
    base: Sequence[LawUse], every: Iterable[tuple[str, Keys]], ranges: Iterable[tuple[str, str]]
) -> None:
    """Raise `StudyError` for a parameter that no law has, and for a value that no parameter can have.

    `every` has the keys that the experiment may set and the address of each, and `ranges` the address and
    the name of each key that is picked or drawn from a range.
    """
    gathered = Gathered()
    named = [*ranges]
    laws = [*base]
    for where, keys in every:
        for path, value in keys.items():
            if path == LAWS:
                given: Any = value
                laws += given
            elif path.startswith(PARAMETER):
                named.append((where, path))
                if problem := value_problem(f"{where}: {path}", value):
                    gathered.problems.append(problem)
    for where, path in named:
        if problem := unknown_parameter(f"{where}: {path}", path.removeprefix(PARAMETER), laws):
            gathered.problems.append(problem)
    gathered.tell()


def check_nodes(laws: Iterable[LawUse], scenario: Scenario, where: str = LAWS) -> None:
    """Raise `StudyError` if a law is at a node that the scenario lacks."""
    problems = []
    for law in laws:
        try:
            nodes(law.node, scenario)
        except LawError as error:
            problems.append(f"{where}: {error}")
    if problems:
        raise StudyError(*dict.fromkeys(problems))


def found(folders: Sequence[Any]) -> Callable[[str, Any], Any]:
    """Reader of `laws` in a study file: laws by name, whose modules are searched in `folders` first."""

    def read(where: str, value: object) -> dict[str, Any]:
        allowed = 'allowed is a table such as { "access-point" = "mylaws:Mine" }'
        if not isinstance(value, Mapping):
            raise StudyError(f"{where}: {value!r}; {allowed}")
        made: dict[str, Any] = {}
        gathered = Gathered()
        for node, names in value.items():
            several = names if isinstance(names, list) else [names]
            made[node] = []
            for name in several:
                with gathered:
                    if not isinstance(name, str):
                        raise StudyError(f"{where}.{node}: {name!r}; {allowed}")
                    try:
                        made[node].append(find(name, folders))
                    except LawError as error:
                        raise StudyError(f"{where}.{node} = {name!r}: {error}") from error
        gathered.tell()
        return made

    return read
