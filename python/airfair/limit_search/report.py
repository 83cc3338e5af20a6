"""Report of a search: JSON document and text."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

from airfair._core import __version__

from .decide import FALSE_DISCOVERIES, Effect
from .rules import Account, Rule, Worst, accounts, evenly, shares
from .space import described

if TYPE_CHECKING:
    from .search import Found

WIDTH = 80
_SHOWN = 4
"""Largest number of rules of one measure in the text."""

_SHOWN_EFFECTS = (Effect.WINS, Effect.LOSES, Effect.SAME, Effect.UNDECIDED)
"""Effects on one measure, in the order of tables."""

Json = dict[str, Any]


def document(found: Found) -> Json:
    """Element of `schemes` in the document of `airfair limits --json`."""
    scheme, plan = found.scheme, found.plan
    return {
        "scheme": scheme.id,
        "title": scheme.title,
        "standard": scheme.standard,
        "paper": scheme.paper,
        "laws": [law.written for law in scheme.laws],
        "version": __version__,
        "seed": plan.seed,
        "points": len(found.points),
        "points_evenly_spread": len(evenly(found)),
        "replications": plan.replications,
        "interrupted": found.interrupted,
        "false_discovery_rate": FALSE_DISCOVERIES,
        "judged": list(scheme.judged),
        "verdicts": _shares(_overall(found)),
        "measures": [_measure(found, account) for account in accounts(found)],
    }


def _overall(found: Found) -> dict[Effect, float]:
    verdicts = found.verdicts()
    return shares([verdicts[i] for i in evenly(found)])


def _shares(parts: dict[Effect, float]) -> Json:
    return {verdict.value: part for verdict, part in parts.items()}


def _measure(found: Found, account: Account) -> Json:
    return {
        "id": account.measure.id,
        "label": account.measure.label,
        "about": account.measure.about,
        "unit": unit(account.measure.scale),
        "matters": account.measure.matters,
        "points": account.points,
        "verdicts": {k: v for k, v in _shares(account.shares).items() if k != Effect.MIXED.value},
        "median_win": account.median_win,
        "median_loss": account.median_loss,
        "best": _worst(found, account.best),
        "worst": _worst(found, account.worst),
        "rules": [
            {
                **_region(rule),
                "mostly": rule.mostly,
                "elsewhere": {"hits": rule.elsewhere[0], "points": rule.elsewhere[1]},
            }
            for rule in account.rules
        ],
    }


def _region(rule: Rule) -> Json:
    names = ("wins", "region", "hits", "points", "median")
    return {name: getattr(rule, name) for name in names}


def _worst(found: Found, worst: Worst | None) -> Json | None:
    if worst is None:
        return None
    where = described(found.scheme.space, worst.point.where)
    return {"effect": worst.effect, "ci95": worst.ci95, "condition": where, "key": worst.point.key}


def unit(scale: str) -> str:
    """Unit of a measure's effects."""
    return "%" if scale == "relative" else "points"


# ------------------------------------------------------------------ tables


def rows(found: Found) -> Iterator[Json]:
    """Rows of `Limits.table`: a row for each measure that is defined at some point."""
    for account in accounts(found):
        measure, parts = account.measure, account.shares
        yield {
            "scheme": found.scheme.id,
            "standard": found.scheme.standard,
            "measure": measure.id,
            "judged": account.judged,
            "unit": unit(measure.scale),
            "matters": float(measure.matters),
            "points": account.points,
            **{effect.value: parts[effect] for effect in _SHOWN_EFFECTS},
            "median_win": account.median_win,
            "median_loss": account.median_loss,
        }


def rules(found: Found) -> Iterator[Json]:
    """Rows of `Limits.rules`: a row for each rule."""
    for account in accounts(found):
        for rule in account.rules:
            yield {
                "scheme": found.scheme.id,
                "measure": rule.measure.id,
                **_region(rule),
                "unit": unit(rule.measure.scale),
                "mostly": rule.mostly,
            }


# ------------------------------------------------------------------ text


def text(found: Found) -> str:
    """Text on one scheme for a terminal of 80 columns."""
    even = len(evenly(found))
    size = (
        f"{even} points spread evenly, {len(found.points) - even} at the border, "
        f"{found.plan.replications} pairs of runs at each"
    )
    title = f"{found.scheme.id}: {found.scheme.title}"
    if found.scheme.standard:
        title += f", in {found.scheme.standard}"
    lines = [*textwrap.wrap(title, WIDTH), size]
    if not found.points:
        return "\n".join(lines) + "\n"
    every = accounts(found)
    lines += ["", *_HEAD]
    lines += [_row(account) for account in every]
    overall = _overall(found)
    lines += [
        "",
        *textwrap.wrap(
            f"By {' and '.join(a.measure.label for a in every if a.judged)} together: "
            f"wins {_percent(overall[Effect.WINS])}, loses {_percent(overall[Effect.LOSES])}, "
            f"wins by one and loses by another {_percent(overall[Effect.MIXED])}, "
            f"neither {_percent(overall[Effect.SAME] + overall[Effect.UNDECIDED])}.",
            WIDTH,
        ),
        "",
    ]
    for account in every:
        lines += _rules(account)
    return "\n".join(lines) + "\n"


_COLUMNS = (
    ("wins", "%", 7),
    ("loses", "%", 7),
    ("same", "%", 7),
    ("open", "%", 7),
    ("median", "win", 11),
    ("median", "loss", 12),
)
_HEAD = [
    f"{name:<28}" + "".join(f"{column[line]!s:>{column[2]}}" for column in _COLUMNS)
    for line, name in enumerate(("of the points spread evenly", ""))
]


def _row(account: Account) -> str:
    name = f"{'*' if account.judged else ' '} {account.measure.label}"
    numbers = "".join(f"{100 * account.shares[effect]:>7.0f}" for effect in _SHOWN_EFFECTS)
    medians = (
        f"{_effect(account, account.median_win):>11}{_effect(account, account.median_loss):>12}"
    )
    return f"{name:<28}{numbers}{medians}".rstrip()


def _effect(account: Account, effect: float | None) -> str:
    return "" if effect is None else signed(effect, account.measure.scale)


def signed(effect: float, scale: str) -> str:
    """Text of an effect with its sign and unit."""
    digits = 0 if abs(effect) >= 10 else 1 if abs(effect) >= 1 else 2  # noqa: PLR2004 - decades
    word = f"{effect:+.{digits}f}".replace("-", "−")
    return f"{word} {'%' if scale == 'relative' else 'pts'}"


def _percent(part: float) -> str:
    return f"{100 * part:.0f} %"


def _rules(account: Account) -> list[str]:
    lines = []
    for wins in (False, True):
        rules = [rule for rule in account.rules if rule.wins is wins]
        for rule in rules[:_SHOWN]:
            lines += textwrap.wrap(
                sentence(rule), WIDTH, initial_indent="  ", subsequent_indent="    "
            )
        if rules and rules[0].mostly:
            hits, points = rules[0].elsewhere
            lines.append(f"    on points that were not used to find them: {hits} of {points}")
    return [account.measure.label, *lines] if lines else []


def sentence(rule: Rule) -> str:
    """Sentence that states a rule."""
    mark = "+ wins" if rule.wins else "− loses"
    where = mark if rule.mostly else f"{mark} more than elsewhere"
    return (
        f"{where}: {rule.region}: {rule.hits} of {rule.points} points, "
        f"median {signed(rule.median, rule.measure.scale)}"
    )


def in_short(found: Found) -> str:
    """Shares of wins and losses of a scheme in one line."""
    cut = ", interrupted" if found.interrupted else ""
    if not found.points:
        return f"{found.scheme.id}: no points{cut}"
    return f"{_shares_text(found)}, of {len(evenly(found))} points spread evenly{cut}"


def _shares_text(found: Found) -> str:
    parts = _overall(found)
    return (
        f"{found.scheme.id}: wins {_percent(parts[Effect.WINS])}, "
        f"loses {_percent(parts[Effect.LOSES])}, mixed {_percent(parts[Effect.MIXED])}"
    )


def summary(every: Sequence[Found]) -> str:
    """Summary: wins, losses and main rules of each scheme."""
    lines = ["when to switch it on", ""]
    for found in every:
        if not found.points:
            continue
        lines.append(_shares_text(found))
        rules = [rule for account in accounts(found) if account.judged for rule in account.rules]
        for wins, heading in ((True, "on"), (False, "off")):
            of_sign = [rule for rule in rules if rule.wins is wins]
            if of_sign:
                rule = max(of_sign, key=lambda rule: (rule.mostly, rule.hits))
                words = (
                    f"{heading}, for {rule.measure.label}: {rule.region} "
                    f"({rule.hits} of {rule.points} points)"
                )
                lines += textwrap.wrap(words, WIDTH, initial_indent="  ", subsequent_indent="    ")
    return "\n".join(lines) + "\n"
