"""Uses of laws: a law at the nodes of a pattern, with parameters and with what identifies it in results."""

from __future__ import annotations

import functools
import importlib
import inspect
import json
import math
import sys
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from . import law_names, law_source
from ._core import Scenario
from .law import Law, LawError, Laws, Maker, nodes
from .names import did_you_mean

Parameter = str | int | float | bool
"""Value of a parameter of a law."""


@dataclass(frozen=True)
class LawUse:
    """Law at the nodes of a pattern, as results record it."""

    node: str
    """Pattern of the nodes, for example "station.*"."""
    name: str
    """Module and class, for example "mylaws:Mine"."""
    version: str = ""
    """Version that the law declares."""
    sha256: str | None = None
    """Hash of the law's source; `None` if the source cannot be read."""
    parameters: tuple[tuple[str, Parameter], ...] = ()
    """Parameters that are passed to the law's constructor, by name."""
    maker: Maker | None = field(default=None, compare=False, repr=False)
    """Function that creates the law; `None` if the use was read from a saved result."""
    apart: str | None = field(default=None, compare=False, repr=False)
    """Reason why other processes cannot create the law; `None` if they can."""

    @property
    def written(self) -> dict[str, Any]:
        """Values for JSON."""
        return {
            "node": self.node,
            "law": self.name,
            "version": self.version,
            "sha256": self.sha256,
            "parameters": dict(self.parameters),
        }

    @classmethod
    def read(cls, written: Mapping[str, Any]) -> LawUse:
        """Use from the values of `written`; raises `KeyError` or `TypeError` for anything else."""
        node, name, version = (str(written[key]) for key in ("node", "law", "version"))
        return cls(
            node, name, version, written["sha256"], tuple(dict(written["parameters"]).items())
        )

    @property
    def key(self) -> bytes:
        """Text that is equal for equal laws only; of laws without a source, for the same object only."""
        own = self.written if self.sha256 else self.written | {"object": id(self.maker)}
        return json.dumps(own, sort_keys=True).encode()

    def made(self) -> Law:
        """Law for one node of one replication."""
        if self.maker is None:
            raise LawError(f"{self.name}: this law was read from a result and cannot run")
        law: object = self.maker(**dict(self.parameters))
        if not isinstance(law, Law):
            allowed = "allowed is a subclass of Law, or a function that returns one of its objects"
            raise TypeError(f"laws[{self.node!r}] = {self.name}: {allowed}")
        return law

    def __reduce__(self) -> tuple[type[LawUse], tuple[object, ...]]:
        return LawUse, (self.node, self.name, self.version, self.sha256, self.parameters)

    def __str__(self) -> str:
        settings = ", ".join(f"{name}={value!r}" for name, value in self.parameters)
        version = f" {self.version}" if self.version else ""
        return f"{self.node}: {self.name}{version}" + (f" ({settings})" if settings else "")


def uses(laws: Laws | Iterable[LawUse], where: str = "laws") -> tuple[LawUse, ...]:
    """Uses of laws by node, in the order in which they act.

    Raises `LawError` for a value that creates no law, and for a law whose file has changed since it was
    loaded.
    """
    if not isinstance(laws, Mapping):
        given: object = laws
        if not isinstance(given, tuple | list) or not all(isinstance(one, LawUse) for one in given):
            raise LawError(f"{where}: {laws!r}; allowed is a mapping of nodes to laws")
        return tuple(given)
    made: tuple[LawUse, ...] = ()
    for node, makers in laws.items():
        several = (
            makers if isinstance(makers, Sequence) and not isinstance(makers, str) else [makers]
        )
        made += tuple(_use(str(node), maker, f"{where}[{node!r}]") for maker in several)
    return made


def check_nodes(uses: Iterable[LawUse], scenario: Scenario) -> None:
    """Raise `LawError` if a law is at a node that the scenario lacks."""
    for use in uses:
        try:
            nodes(use.node, scenario)
        except LawError as error:
            raise LawError(f"laws: {error}") from None


def mapping(uses: Iterable[LawUse]) -> dict[str, list[Maker]]:
    """Functions that create the laws, by node, for `World`."""
    makers: dict[str, list[Maker]] = {}
    for use in uses:
        makers.setdefault(use.node, []).append(use.made)
    return makers


def with_parameters(use: LawUse, values: Mapping[str, Parameter]) -> LawUse:
    """Use with those of the values that the constructor of its law accepts."""
    accepted, takes_any = parameters(use.maker) if use.maker else ((), False)
    own = {name: value for name, value in values.items() if takes_any or name in accepted}
    merged = tuple(sorted({**dict(use.parameters), **own}.items()))
    return replace(use, parameters=merged)


def parameters(maker: Maker) -> tuple[tuple[str, ...], bool]:
    """Names of the keywords that a law's constructor accepts; true if it accepts any."""
    try:
        signature = inspect.signature(maker)
    except (TypeError, ValueError):
        return (), False
    kinds = inspect.Parameter
    by_name = [
        each.name
        for each in signature.parameters.values()
        if each.kind in (kinds.POSITIONAL_OR_KEYWORD, kinds.KEYWORD_ONLY)
    ]
    return tuple(by_name), any(
        each.kind is kinds.VAR_KEYWORD for each in signature.parameters.values()
    )


def unknown_parameter(where: str, name: str, uses: Sequence[LawUse]) -> str | None:
    """Error text if no law accepts a parameter; `None` if one does."""
    known: dict[str, None] = {}
    for use in uses:
        accepted, takes_any = parameters(use.maker) if use.maker else ((), False)
        if takes_any or name in accepted:
            return None
        known |= dict.fromkeys(accepted)
    names = ", ".join(dict.fromkeys(use.name for use in uses))
    if not uses:
        return f"{where}: there is no law; name one under laws"
    allowed = f"allowed {', '.join(known)}" if known else "their constructors have no parameters"
    return (
        f"{where}: no law has the parameter {name}{did_you_mean(name, known)}; {allowed} ({names})"
    )


def value_problem(where: str, value: object) -> str | None:
    """Error text if a value cannot be a parameter of a law."""
    finite = not isinstance(value, float) or math.isfinite(value)
    if isinstance(value, str | int | float | bool) and finite:
        return None
    return f"{where}: {value!r}; allowed is a finite number, text, true or false"


def _use(node: str, maker: object, where: str) -> LawUse:
    if isinstance(maker, LawUse):
        return maker
    function, fixed = (maker.func, maker) if isinstance(maker, functools.partial) else (maker, None)
    if not callable(function) or (isinstance(function, type) and not issubclass(function, Law)):
        allowed = "allowed is a subclass of Law, or a function that returns one of its objects"
        raise TypeError(f"{where} = {maker!r}: {allowed}")
    made: Maker = function
    module = getattr(function, "__module__", None) or "__main__"
    qualified = getattr(function, "__qualname__", type(function).__qualname__)
    version = getattr(function, "version", "")
    if not isinstance(version, str):
        raise LawError(f"{where}: version = {version!r}; allowed is text")
    sha256, apart = _source(module, qualified, function)
    given: dict[str, Any] = {}
    if fixed is not None:
        given = dict(fixed.keywords)
        if fixed.args or any(value_problem("", value) for value in given.values()):
            sha256, apart = None, "it has arguments other than numbers and texts by name"
            given, made = {}, maker  # type: ignore[assignment]
    file = law_source.file_of(module)
    shown = file.stem if module == "__main__" and file is not None else module
    settings = tuple(sorted(given.items()))
    return LawUse(node, f"{shown}:{qualified}", version, sha256, settings, made, apart)


def _source(module: str, qualified: str, function: Any) -> tuple[str | None, str | None]:  # noqa: ANN401 - a class or function
    """Hash of a law's source, and the reason why other processes cannot create it, or `None` for each."""
    found: object = sys.modules.get(module)
    for part in qualified.split("."):
        found = getattr(found, part, None)
    if found is not function:
        return None, "it is created inside a function or a notebook"
    file = law_source.file_of(module)
    if file is None:
        return None, "it is of a notebook or an interactive session"
    if isinstance(function, type):
        noted = law_source.origin(function)
        if noted is None:
            return None, "its class has been changed since it was loaded"
        sha256: str | None = noted.sha256
        if law_source.sha256(file) != sha256:
            raise LawError(
                f"{file}: has changed since {qualified} was loaded from it; load it again, for example with "
                "importlib.reload"
            )
    else:
        sha256 = law_source.sha256(file)
    return sha256, "it is of the main program" if module == "__main__" else None


@dataclass(frozen=True)
class Reference:
    """Law as it is sent to another process."""

    module: str
    name: str
    file: Path
    use: LawUse

    def loaded(self) -> LawUse:
        """Use with the function that creates the law, which is loaded from the same file.

        Raises `LawError` if the law cannot be loaded or its source differs.
        """
        return self._found(law_names.module(self.module, self.file), self.file)

    def imported(self) -> LawUse:
        """Use with the function that creates the law, which is imported on another machine.

        Raises `LawError` if the law cannot be imported or its source differs.
        """
        try:
            found = importlib.import_module(self.module)
        except Exception as error:
            raise LawError(f"{self.use.name}: cannot be imported here: {error}") from error
        return self._found(found, Path(str(getattr(found, "__file__", ""))))

    def _found(self, found: object, file: Path) -> LawUse:
        for part in self.name.split("."):
            found = getattr(found, part, None)
        if not callable(found) or law_source.sha256(file) != self.use.sha256:
            raise LawError(f"{file}: has another source of {self.use.name} than the run began with")
        return replace(self.use, maker=found)


def reference(use: LawUse) -> Reference:
    """Reference to a law that other processes can create."""
    maker: Any = use.maker
    file = law_source.file_of(maker.__module__)
    if file is None or use.apart is not None:
        raise LawError(f"{use.name}: cannot be sent to another process: {use.apart}")
    return Reference(maker.__module__, maker.__qualname__, file, use)
