"""Parts of a world, with the settings that its owner can change during a run."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from types import TracebackType
from typing import Any, Generic, TypeVar

from . import _core
from ._core import SettingError
from .names import did_you_mean
from .scenario import Value, toml_value

_SECOND = 10**9

_Part = TypeVar("_Part")


class Parts(Mapping[str, _Part], Generic[_Part]):
    """Parts of a world by name."""

    def __init__(self, kind: str, parts: Mapping[str, _Part]) -> None:
        self._kind, self._parts = kind, parts

    def __getitem__(self, name: str) -> _Part:
        try:
            return self._parts[name]
        except KeyError:
            raise KeyError(f"no {self._kind} {name!r}{did_you_mean(name, self._parts)}") from None

    def __iter__(self) -> Iterator[str]:
        return iter(self._parts)

    def __len__(self) -> int:
        return len(self._parts)


class _Setting:
    """Property that can be set and not read: an observation shows the state of a world."""

    def __init__(self, change: Callable[[Any, Any], None]) -> None:
        self._change, self.__doc__ = change, change.__doc__

    def __get__(self, part: object, kind: type) -> _Setting:
        if part is None:
            return self
        raise AttributeError(
            "this setting can be set and not read; an observation shows the state of a world"
        )

    def __set__(self, part: object, value: object) -> None:
        self._change(part, value)


class _Change:
    """Context that raises a `SettingError` with the path of a setting, also for a value of the wrong type.

    A class of its own takes a third of the time of a generator with `contextmanager`.
    """

    __slots__ = ("_allowed", "_path", "_value")

    def __init__(self, path: str, value: object, allowed: str) -> None:
        self._path, self._value, self._allowed = path, value, allowed

    def __enter__(self) -> None:
        pass

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if isinstance(error, SettingError):
            raise SettingError(f"{self._path}: {error}") from None
        if isinstance(error, (TypeError, ValueError, OverflowError)):
            raise SettingError(
                f"{self._path}: {self._value!r}; allowed are {self._allowed}"
            ) from None


def _pair(path: str, value: tuple[int, int], allowed: str) -> tuple[int, int]:
    try:
        first, second = value
    except (TypeError, ValueError):
        raise SettingError(f"{path}: {value!r}; allowed are {allowed}") from None
    return first, second


def _whole(value: float) -> int:
    """`value` rounded to a whole number that is not negative."""
    if not 0 <= value < math.inf:
        raise SettingError(f"{value}: allowed are numbers from 0, and not infinity")
    return round(value)


def set_key(core: _core.World, path: str, value: Value) -> None:
    """Set a key of the scenario for the rest of a run."""
    try:
        text = toml_value(value)
    except TypeError as error:
        raise SettingError(f"{path}: {error}") from None
    core.set(path, text)


_AGGREGATES = "whole numbers of octets and MPDUs from 1, and durations"
_WINDOWS = "two whole numbers from 0 to 32767, the smallest and the largest window"
_RATES = 'rates such as "54 Mb/s", and numbers in [bit/s]'


def _set_rate(core: _core.World, path: str, value: str | float) -> None:
    """Set the rate at `path`, as in a scenario or in [bit/s]."""
    if not isinstance(value, str):
        with _Change(path, value, _RATES):
            value = f"{_whole(float(value))} b/s"
    set_key(core, path, value)


def _set_losses(core: _core.World, path: str, value: str | float | Mapping[str, Value]) -> None:
    """Set the model of losses at `path`, as in a scenario or as the probability for each packet."""
    if isinstance(value, (int, float)):
        value = {"model": "bernoulli", "probability": float(value)} if value else "none"
    set_key(core, path, value)


def _nanoseconds(duration: str | float) -> int:
    """Duration [ns] of a text with a unit, or of a number of seconds."""
    if isinstance(duration, str):
        return _core.duration_ns(duration)
    return _whole(float(duration) * _SECOND)


class _Member:
    """Station or access point of a world, with the settings that both have."""

    _PATH = ""

    def __init__(self, core: _core.World, number: int, name: str) -> None:
        self._core, self._number = core, number
        self._path = self._PATH.format(name=name)

    def set_contention_window(
        self, smallest: int, largest: int, *, category: str | None = None
    ) -> None:
        """Set the smallest and largest contention window [slots], 0 to 32767, of one access category or all.

        Windows need not be a power of two less one. A back-off that has been drawn goes on.
        """
        with _Change(f"{self._path}.contention_window", (smallest, largest), _WINDOWS):
            self._core.set_contention_window(self._number, smallest, largest, category)

    def set_aifsn(self, aifsn: int, *, category: str | None = None) -> None:
        """Set the AIFSN, 1 to 15, of one access category or all."""
        with _Change(f"{self._path}.aifsn", aifsn, "whole numbers from 1 to 15"):
            self._core.set_aifsn(self._number, aifsn, category)

    def set_txop_limit(self, limit: str | float, *, category: str | None = None) -> None:
        """Set the TXOP limit, "0 s" to "8.16 ms" or a number of seconds, of one access category or all."""
        with _Change(f"{self._path}.txop_limit", limit, '"0 s" to "8.16 ms", and numbers in [s]'):
            self._core.set_txop_limit(self._number, _nanoseconds(limit), category)

    @_Setting
    def contention_window(self, window: tuple[int, int]) -> None:
        """Smallest and largest contention window [slots], for all access categories."""
        smallest, largest = _pair(f"{self._path}.contention_window", window, _WINDOWS)
        self.set_contention_window(smallest, largest)

    @_Setting
    def aifsn(self, aifsn: int) -> None:
        """AIFSN, for all access categories."""
        self.set_aifsn(aifsn)

    @_Setting
    def txop_limit(self, limit: str | float) -> None:
        """TXOP limit, for all access categories."""
        self.set_txop_limit(limit)

    @_Setting
    def queue(self, queue: Mapping[str, Value]) -> None:
        """Transmit queue, as the key `queue` in a scenario. Waiting packets move to the new queue."""
        set_key(self._core, f"{self._path}.queue", queue)

    @_Setting
    def weights(self, weights: tuple[int, int]) -> None:
        """Weights of DATA and of pure ACKs in a queue with discipline "data-ack"."""
        with _Change(f"{self._path}.weights", weights, "two whole numbers from 1"):
            data, acks = weights
            self._core.set_weights(self._number, data, acks)


class Station(_Member):
    """Station of a world, with the settings that can change during a run."""

    _PATH = "station.{name}"

    @property
    def rates(self) -> Sequence[int]:
        """Rates that the station's data frames may have in either direction, ascending [bit/s]."""
        return self._core.rates(self._number)

    @_Setting
    def rate(self, rate: str | float) -> None:
        """Rate of data frames from and to the station, as in a scenario or in [bit/s]."""
        _set_rate(self._core, f"{self._path}.rate", rate)

    @_Setting
    def rate_up(self, rate: str | float) -> None:
        """Rate of data frames from the station, as in a scenario or in [bit/s]."""
        _set_rate(self._core, f"{self._path}.rate.up", rate)

    @_Setting
    def rate_down(self, rate: str | float) -> None:
        """Rate of data frames to the station, as in a scenario or in [bit/s]."""
        _set_rate(self._core, f"{self._path}.rate.down", rate)

    def set_rate_index(self, index: int, *, direction: str = "both") -> None:
        """Set the rate to `rates[index]` in `direction`, "up", "down" or "both". Faster than `rate`."""
        with _Change(f"{self._path}.rates[{index}]", index, "positions in `rates`, from 0"):
            self._core.set_rate_index(self._number, direction, index)

    @_Setting
    def errors(self, errors: str | float | Mapping[str, Value]) -> None:
        """Frame errors, as the key `errors` in a scenario; a number is the probability for each frame."""
        _set_losses(self._core, f"{self._path}.errors", errors)

    @_Setting
    def airtime_weight(self, weight: int) -> None:
        """Weight of the station's airtime in its access point's queue, 1 to 65535; the default is 256."""
        with _Change(f"{self._path}.airtime_weight", weight, "whole numbers from 1 to 65535"):
            self._core.set_airtime_weight(self._number, weight)

    def limit_aggregates(
        self,
        *,
        direction: str = "both",
        octets: int | None = None,
        mpdus: int | None = None,
        duration: str | float | None = None,
    ) -> None:
        """Limit the A-MPDUs from ("up") and to ("down") the station, at most to the scenario's limits.

        `duration` is the longest time on the air. `None` leaves a limit as it is.
        """
        limits = {"octets": octets, "mpdus": mpdus, "duration": duration}
        found = {name: limit for name, limit in limits.items() if limit is not None}
        with _Change(f"{self._path}.aggregates", found, _AGGREGATES):
            duration_ns = None if duration is None else _nanoseconds(duration)
            self._core.set_aggregate_limits(
                self._number, direction, octets=octets, mpdus=mpdus, duration_ns=duration_ns
            )


class AccessPoint(_Member):
    """Access point of a world, with the settings that can change during a run."""

    _PATH = "bss.{name}.ap"


class Flow:
    """Flow of a world, with the settings that can change during a run."""

    def __init__(self, core: _core.World, index: int, name: str) -> None:
        self._core, self._index, self._path = core, index, f"flow.{name}"

    def start(self) -> None:
        """Start the flow now. The start that the scenario has planned is then without effect."""
        with _Change(f"{self._path}.start", None, ""):
            self._core.start_flow(self._index)

    def stop(self) -> None:
        """Stop the flow now. A stopped flow cannot be started again."""
        with _Change(f"{self._path}.stop", None, ""):
            self._core.stop_flow(self._index)

    def limit_window(
        self,
        *,
        octets: int | None = None,
        segments: int | None = None,
        divide_by: int | None = None,
        end: str = "sender",
    ) -> None:
        """Limit the window of TCP at one `end`, "sender" or "receiver"; without a value, remove the limit.

        A sender's window is limited in octets, in segments, or to its congestion window divided by a number.
        A receiver's is limited in octets.
        """
        limits = {"octets": octets, "segments": segments, "divide_by": divide_by}
        given = [(unit, value) for unit, value in limits.items() if value is not None]
        with _Change(f"{self._path}.limit_window", dict(given), "whole numbers from 1"):
            if len(given) > 1:
                units = " and ".join(unit for unit, _ in given)
                raise SettingError(f"{units}: allowed is one of octets, segments and divide_by")
            ((unit, value),) = given or [("none", 0)]
            self._core.set_window_limit(self._index, end, unit, value)

    def limit_rate(self, rate: str | float | None, *, end: str = "sender") -> None:
        """Limit the rate of TFRC at one `end`, "sender" or "receiver"; `None` removes the limit."""
        with _Change(f"{self._path}.limit_rate", rate, _RATES):
            bps = _core.quantity(rate, "rate") if isinstance(rate, str) else rate
            self._core.set_rate_limit(self._index, end, None if bps is None else _whole(float(bps)))


class Link:
    """Wired link of a world, with the settings that can change during a run."""

    def __init__(self, core: _core.World, name: str, is_of_host: bool) -> None:  # noqa: FBT001 - internal
        self._core = core
        self._path = f"host.{name}.link" if is_of_host else f"link.{name}"

    @_Setting
    def rate(self, rate: str | float) -> None:
        """Rate of both directions, as in a scenario or in [bit/s]."""
        _set_rate(self._core, f"{self._path}.rate", rate)

    @_Setting
    def loss(self, loss: str | float | Mapping[str, Value]) -> None:
        """Loss after the queue, as the key `loss` in a scenario; a number is the probability per packet."""
        _set_losses(self._core, f"{self._path}.loss", loss)
