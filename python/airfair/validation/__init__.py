"""Validation: checks the simulator against independent theory."""

from __future__ import annotations

from typing import TYPE_CHECKING

from airfair import json_documents
from airfair.engine import finished

from . import propagation
from .checks import plans

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Any

    from .plan import Check


def run(*, progress: Callable[[float], object] | None = None) -> tuple[list[Check], bool]:
    """Run all checks, and return them; the second value is true if Ctrl-C ended the runs before the last."""
    work = list(plans())
    results = finished([plan.scenario for plan in work], progress=progress)
    whole = [
        (plan, result) for plan, result in zip(work, results, strict=True) if not result.interrupted
    ]
    checks = [check for plan, result in whole for check in plan.evaluate(result)]
    interrupted = len(whole) < len(work)
    return (checks if interrupted else [*checks, *propagation.checks()]), interrupted


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
    passed = sum(check.passed for check in checks)
    lines.append(f"{passed} of {len(checks)} checks passed")
    return "\n".join(lines) + "\n"


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
