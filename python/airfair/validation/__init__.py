"""Validation: checks the simulator against theory, and its TCP against the kernel's (`kernel`)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

from airfair import json_documents, lazy
from airfair.engine import Interrupted, finished
from airfair.progress import shown

from . import propagation
from .checks import plans

if TYPE_CHECKING:
    import polars as pl

    from .plan import Check
else:
    pl = lazy.Module("polars")


@dataclass(frozen=True, repr=False)
class Validation:
    """Checks of the simulator against theory; it prints as the number of checks that passed."""

    checks: Sequence[Check]
    interrupted: bool = False
    """True if Ctrl-C ended the runs before the last check."""

    def __repr__(self) -> str:
        return _passed(self.checks) + (", interrupted" if self.interrupted else "")

    @property
    def passed(self) -> bool:
        """True if all checks passed."""
        return all(check.passed for check in self.checks)

    @property
    def table(self) -> pl.DataFrame:
        """Table with a row for each check: expected and measured value, deviation and tolerance."""
        rows = [
            {**asdict(check), "deviation": check.deviation, "passed": check.passed}
            for check in self.checks
        ]
        return pl.DataFrame(rows, infer_schema_length=None)

    def document(self) -> dict[str, Any]:
        """Document that `airfair validate --json` prints."""
        return document(self.checks)


def validate(
    *, threads: int | None = None, progress: Callable[[float], object] | bool = True
) -> Validation:
    """Check the simulator against theory: Bianchi's model, Heusse's model, ns-3's tables, sums of airtime.

    `threads` is the number of threads, by default one per core. `progress` is true to show a bar on standard
    error, or a function called with the fraction done.

    Raises `Interrupted` on Ctrl-C; its `result` has the checks of the finished runs.
    """
    work = list(plans())
    with shown(progress, "validating") as tell:
        results = finished([plan.scenario for plan in work], threads=threads, progress=tell)
    whole = [
        (plan, result) for plan, result in zip(work, results, strict=True) if not result.interrupted
    ]
    checks = [check for plan, result in whole for check in plan.evaluate(result)]
    if len(whole) < len(work):
        count = sum(result.replications for result in results)
        raise Interrupted(Validation(checks, interrupted=True), count)
    return Validation([*checks, *propagation.checks()])


def document(checks: Sequence[Check]) -> dict[str, Any]:
    """Document that `airfair validate --json` prints."""
    entries = [
        {
            "id": check.id,
            "expected": check.expected,
            "measured": check.measured,
            "tolerance": check.tolerance,
            "passed": check.passed,
            "ci95": check.ci95,
            "unit": check.unit,
        }
        for check in checks
    ]
    return json_documents.document("validation", {"checks": entries})


def text(checks: Sequence[Check]) -> str:
    """Text with a line for each group of checks, and for each failed check."""
    groups: dict[str, list[Check]] = {}
    for check in checks:
        groups.setdefault(check.id.rpartition("/")[0], []).append(check)
    lines = [f"  {'check':<34}{'passed':>10}{'worst':>11}{'allowed':>11}{'± 95 %':>11}"]
    lines += [_group(name, members) for name, members in groups.items()]
    lines += [_failure(check) for check in checks if not check.passed]
    lines.append(_passed(checks))
    return "\n".join(lines) + "\n"


def _passed(checks: Sequence[Check]) -> str:
    return f"{sum(check.passed for check in checks)} of {len(checks)} checks passed"


def _group(name: str, members: list[Check]) -> str:
    passed = sum(check.passed for check in members)
    worst = max(members, key=lambda check: abs(check.deviation))
    widths = [check.ci95 / check.expected for check in members if check.ci95 is not None]
    width = _percent(max(widths), "") if widths else ""
    mark = "✓" if passed == len(members) else "✗"
    return (
        f"{mark} {name:<34}{passed:>5} of {len(members):<2}{_percent(worst.deviation, '+'):>11}"
        f"{_percent(max(check.tolerance for check in members), ''):>11}{width:>11}"
    ).rstrip()


def _percent(fraction: float, sign: str) -> str:
    return f"{100 * fraction:{sign}.2f} %"


def _failure(check: Check) -> str:
    return (
        f"✗ {check.id}: expected {check.expected:.6g}, measured {check.measured:.6g} {check.unit}, "
        f"{_percent(check.deviation, '+')}, allowed {_percent(check.tolerance, '')}"
    )
