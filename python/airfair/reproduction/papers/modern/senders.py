"""Claims, figure and tables of the study `modern` on today's transports: each scheme under each sender."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product

from airfair.estimate import Estimate, quotient
from airfair.experiment.claims import Predicate, Reading
from airfair.experiment.conditions import Condition, Key, condition, ratio, versus
from airfair.experiment.words import INDEX
from airfair.figures import Category, by_name
from airfair.reproduction import studies
from airfair.reproduction.paper import Drawing, Json, Shown
from airfair.reproduction.series import line, mean, nested
from airfair.reproduction.tables import Table, column

from . import plan
from .claims import AS_DECLARED, AX, HALF, LEFT, MORE
from .figures import figures_of, percent_of_slow
from .runs import SLOW, Measurements, ModernRuns

_STUDY = studies.declared("modern", "senders")
SENDERS: dict[str, str] = _STUDY["words"]["over"]
SCHEMES: dict[str, str] = {**plan.SCHEMES, **_STUDY["words"]["scheme"]}
COMPARED = ("g", AX)
_BBR, _QUIC = ("bbr1", "bbr"), ("quic", "quic-bbr")
Place = tuple[str, str, str]
"""Standard, direction and sender of the flows of a cell."""


def key(place: Place, scheme: str = plan.NONE) -> Key:
    """Key of a scheme under a sender."""
    standard, way, sender = place
    return (f"senders-{standard}-{way}", f"{sender}, {scheme}")


# ------------------------------------------------------------------ claims


def _named(place: Place) -> str:
    standard, way, sender = place
    return f"{plan.STANDARDS[standard]} {way}, {SENDERS[sender]}"


def drags(data: Measurements, places: Iterable[Place]) -> Iterator[Condition]:
    """Conditions that the slow station has more than half of the airtime without a scheme."""
    for place in places:
        of = key(place)
        what = f"{_named(place)}, slow station's part of the air"
        yield condition(what, data[of].slow_part(), above=HALF + INDEX.allowed, of=[of])


def helps(data: Measurements, places: Iterable[Place], scheme: str) -> Iterator[Condition]:
    """Conditions that a scheme increases total goodput, and leaves enough to the slow station."""
    for place in places:
        keys, versus_none = (key(place, scheme), key(place)), f"{SCHEMES[scheme]} / no scheme"
        what = f"{_named(place)}, {versus_none}"
        yield versus(ratio, what, data, ModernRuns.total, *keys, above=MORE)
        slow = f"{_named(place)}, slow station, {versus_none}"
        yield versus(ratio, slow, data, lambda runs: runs.goodput(SLOW), *keys, above=LEFT)


def keeps(data: Measurements, places: Iterable[Place], scheme: str) -> Iterator[Condition]:
    """Conditions that a scheme changes the total goodput by less than a tenth."""
    for place in places:
        keys = key(place, scheme), key(place)
        what = f"{_named(place)}, {SCHEMES[scheme]} / no scheme"
        yield versus(ratio, what, data, ModernRuns.total, *keys, above=1 / MORE, below=MORE)


def _claim(
    id_: str, points: Callable[..., Iterable[Condition]], places: Iterable[Place], *scheme: str
) -> Predicate[Measurements]:
    places = tuple(places)
    setups = tuple(dict.fromkeys(key(place)[0] for place in places))
    decides: Reading[Measurements] = Reading(
        AS_DECLARED, setups, lambda data: points(data, places, *scheme)
    )
    return Predicate(f"senders-{id_}", decides)


_WITHOUT_CUBIC = (*_BBR, "prague")
"""Senders over TCP under which the schemes have not been run elsewhere in this study."""
PREDICATES: tuple[Predicate[Measurements], ...] = (
    _claim("drag", drags, product(COMPARED, ["down"], SENDERS)),
    _claim("airtime", helps, product(COMPARED, ["down"], SENDERS), plan.AIRTIME),
    _claim("occupancy", helps, product([AX], plan.WAYS, _WITHOUT_CUBIC), "occupancy"),
    _claim("arf-window", helps, product([AX], plan.WAYS, _WITHOUT_CUBIC), "arf-window"),
    _claim("arf-aware", keeps, product(COMPARED, ["up"], _BBR), "arf-aware"),
    _claim("sharing", keeps, product(COMPARED, plan.WAYS, _QUIC), "window-sharing"),
)


# ------------------------------------------------------------------ figure and tables


def _gain(data: Measurements, place: Place, scheme: str) -> Estimate | None:
    """Total goodput with a scheme, divided by that without; `None` if it is not run."""
    if key(place, scheme) not in data:
        return None
    return quotient(data[key(place, scheme)].total(), data[key(place)].total())


_DRAWN = (plan.AIRTIME, "occupancy", "arf-window", "arf-aware", "window-sharing")
"""Schemes in the figure, which has room for five."""


def senders(data: Measurements) -> Shown:
    """Figure and tables of each scheme under each sender."""
    tables, panels, measured = [], [], []
    for standard, way in product(COMPARED, plan.WAYS):
        panels.append(_panel(data, standard, way))
        tables.append(_table(data, standard, way))
        for sender, id_ in product(SENDERS, SCHEMES):
            place = standard, way, sender
            if key(place, id_) in data:
                measured.append(((*place, id_), _values(data, place, id_)))
    drawing = Drawing(by_name(panels), wide=True)
    return Shown([], None, nested(measured), tables, {"senders": drawing})


def _values(data: Measurements, place: Place, scheme: str) -> Json:
    runs = data[key(place, scheme)]
    return {
        "mbps": mean(runs.total()),
        "slow": mean(runs.goodput(SLOW)),
        "air": mean(runs.slow_part()),
        "delay_ms": mean(runs.delay("")),
        "gain": mean(_gain(data, place, scheme)),
    }


def _panel(data: Measurements, standard: str, way: str) -> Category:
    """Gain of some schemes under each sender; a scheme that cannot be used with a sender has no value."""
    groups = [
        line(SCHEMES[id_], [_gain(data, (standard, way, sender), id_) for sender in SENDERS])
        for id_ in _DRAWN
    ]
    title, names = f"{plan.STANDARDS[standard]}, {way}loads", list(SENDERS.values())
    return Category(title, "", "Goodput / without the scheme", names, groups, {1: ""})


def _table(data: Measurements, standard: str, way: str) -> Table:
    keys = {
        f"{SENDERS[sender]}, {SCHEMES[id_]}": of
        for sender, id_ in product(SENDERS, SCHEMES)
        if (of := key((standard, way, sender), id_)) in data
    }
    part = column("slow's air %", [percent_of_slow(data[of]) for of in keys.values()], 0)
    title = f"Schemes under each sender, {plan.STANDARDS[standard]}, {way}"
    columns = [*figures_of(data, list(keys.values())), part]
    return Table(f"senders-{standard}-{way}", title, list(keys), columns)
