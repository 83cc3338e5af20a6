"""Simulator core of airfair."""

from collections.abc import Callable, Mapping, Sequence
from os import PathLike
from typing import Any, Literal, TypeAlias, final, overload

import numpy as np
from numpy.typing import NDArray

__all__ = [
    "LARGEST_SCENARIO",
    "LARGEST_TRACE",
    "LONGEST_FRAME_NS",
    "Batch",
    "Candidate",
    "Cell",
    "Emulation",
    "FlowEnd",
    "Frame",
    "Link",
    "Node",
    "Observation",
    "Outcome",
    "Packet",
    "Radios",
    "RunError",
    "Scenario",
    "ScenarioError",
    "SettingError",
    "Tracing",
    "UsersDue",
    "UsersServed",
    "World",
    "Worlds",
    "__version__",
    "delays",
    "duration_ns",
    "emulated",
    "emulation_congestion",
    "emulation_enter",
    "emulation_isolate",
    "emulation_try",
    "escaped",
    "observation_columns",
    "quantity",
    "reference",
    "run",
    "schema",
    "series",
    "series_columns",
    "stream",
    "table_columns",
    "tables",
    "tfrc_receive",
    "tfrc_send",
    "traceable",
]

__version__: str

_LinkEvent: TypeAlias = tuple[str, int, bool, int, tuple[object, int, int] | None]
LARGEST_SCENARIO: int
LARGEST_TRACE: int
LONGEST_FRAME_NS: int

class ScenarioError(ValueError):
    """A scenario has mistakes: `problems` holds one line for each."""

    problems: list[str]

class RunError(RuntimeError):
    """A run failed."""

class SettingError(ValueError):
    """A setting cannot be changed during the run, or not to this value."""

@final
class Scenario:
    """One experiment that cannot be wrong."""

    @staticmethod
    def parse(
        text: bytes,
        overrides: Sequence[tuple[str, str]] = ...,
        read: Callable[[str], bytes | str] | None = ...,
        *,
        emulated: bool = ...,
    ) -> Scenario: ...
    @staticmethod
    def applied_defaults(
        text: bytes,
        overrides: Sequence[tuple[str, str]] = ...,
        *,
        emulated: bool = ...,
    ) -> list[dict[str, str]]: ...
    def to_toml(self) -> str: ...
    @property
    def title(self) -> str: ...
    @property
    def seed(self) -> int: ...
    @property
    def replications(self) -> int: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def duration_ns(self) -> int: ...
    @property
    def warmup_s(self) -> float: ...
    @property
    def series_step_s(self) -> float | None: ...
    @property
    def series_step_ns(self) -> int | None: ...
    @property
    def cells(self) -> list[str]: ...
    @property
    def stations(self) -> list[str]: ...
    @property
    def shared_channels(self) -> list[tuple[str, list[str]]]: ...
    @property
    def categories(self) -> list[str]: ...
    @property
    def station_cells(self) -> list[str]: ...
    @property
    def hosts(self) -> list[str]: ...
    @property
    def links(self) -> list[dict[str, str]]: ...
    @property
    def flows(self) -> list[dict[str, str]]: ...
    @property
    def sources(self) -> list[str | None]: ...
    def cut(self, until_ns: int) -> Scenario:
        """The same scenario that is over at `until_ns` if not before, without warm-up and series."""
    def with_seed(self, seed: int) -> Scenario:
        """The same scenario with another seed."""

@final
class Emulation:
    """A cell under a wall clock, with a network namespace for each station and host."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        backend: str,
        seed: int,
        duration_ns: int | None = None,
        spin: bool = False,
        laws: Sequence[tuple[int, object]] = ...,
        joined: Mapping[str, PathLike[str]] = ...,
        congestion: Mapping[str, str] = ...,
        tracing: Tracing | None = ...,
    ) -> Emulation: ...
    @property
    def raised(self) -> BaseException | None:
        """Exception of the law that has ended the emulation; `None` if no law has."""
    @property
    def law_thread(self) -> int | None:
        """Identifier of the thread that calls the laws, as in `threading.get_ident`; `None` without laws."""
    @property
    def laws_are_ending(self) -> bool:
        """True once the laws have been told of the end."""
    def stop(self) -> None:
        """Asks the emulation to end, without waiting for it."""
    @property
    def nodes(self) -> list[dict[str, Any]]: ...
    @property
    def programs(self) -> list[dict[str, Any]]:
        """Programs that carry flows: node, arguments of `airfair`, start_s, stop_s, `limited` flow."""
    @property
    def hosts_file(self) -> str: ...
    @property
    def congestion_control(self) -> str: ...
    @property
    def goes_before_others(self) -> bool: ...
    @property
    def is_over(self) -> bool: ...
    def view(self) -> str:
        """Its state, as a JSON document."""
    def set_rate(self, station: str, direction: str, rate: float) -> None:
        """Sets the rate of a station, `up`, `down` or `both` ways."""
    def set_errors(self, station: str, probability: float) -> None:
        """Sets the probability with which a frame between a station and its access point is errored."""
    def set_weights(self, cell: str, data: int, acks: int) -> None:
        """Sets the weights of data and ACKs in the queue of the access point of a cell."""
    def set_queue(self, cell: str, queue: str) -> None:
        """Gives the access point of a cell another transmit queue, a table of TOML."""
    def spawn(
        self,
        node: str,
        command: list[str],
        hosts: PathLike[str],
        *,
        to_errors: bool = False,
        limited: int | None = None,
    ) -> int:
        """Starts a program in the namespace of a node, with `hosts` as `/etc/hosts`: its process id."""
    def end(self) -> tuple[Scenario, Outcome | None, str]:
        """Ends it: the scenario as emulated, its outcome (`None` within the warm-up), and its last state."""

@final
class Radios:
    """The medium of a scenario behind the radios of `mac80211_hwsim`."""

    def __new__(
        cls, scenario: Scenario, *, seed: int, duration_ns: int | None = None
    ) -> Radios: ...
    @property
    def members(self) -> list[tuple[str, str]]: ...
    @property
    def is_over(self) -> bool: ...
    def line(self) -> str:
        """A line on what has happened since the last one."""
    def end(self) -> str:
        """Ends it: its accounts in words; raises `OSError` if the radios had gone before."""

@final
class Outcome:
    """Measurements of one run; `tables` turns them into columns."""

    @property
    def replication(self) -> int: ...
    @property
    def seed(self) -> int: ...
    @property
    def elapsed_ns(self) -> int: ...
    @property
    def events(self) -> int: ...
    @property
    def record_hash(self) -> int: ...
    def to_bytes(self, *, histograms: bool = True) -> bytes:
        """Everything in it, or all but histograms, as only this very build of airfair reads it."""
    @staticmethod
    def from_bytes(octets: bytes) -> Outcome:
        """The outcome that `to_bytes` wrote; raises `ValueError` for anything else."""

@final
class Batch:
    """Runs that `run` finished."""

    @property
    def outcomes(self) -> list[Outcome | None]: ...
    @property
    def interrupted(self) -> bool: ...

@final
class Tracing:
    """Files that are written while one run goes on."""

    def __new__(
        cls,
        scenario: Scenario,
        comment: str,
        *,
        pcap: str | PathLike[str] | None = None,
        timeline: str | PathLike[str] | None = None,
        qlog: str | PathLike[str] | None = None,
        qlog_version: str = "draft",
        from_ns: int = 0,
        until_ns: int | None = None,
        names: Sequence[str] | None = None,
    ) -> Tracing: ...
    def finish(self) -> list[dict[str, Any]]:
        """End the files: option, items, until_ns, errno of each."""

def traceable(scenario: Scenario) -> list[str]: ...
def run(
    jobs: Sequence[tuple[Scenario, int, int]],
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
    tracing: tuple[int, Tracing] | None = None,
) -> Batch: ...
def stream(
    jobs: Sequence[tuple[Scenario, int, int]],
    done: Callable[[list[tuple[int, bytes]]], object],
    *,
    threads: int | None = None,
    progress: Callable[[float], object] | None = None,
) -> bool: ...
@overload
def tables(
    scenario: Scenario, outcomes: Sequence[Outcome], *, lists: Literal[False] = False
) -> dict[str, dict[str, NDArray[np.generic]]]: ...
@overload
def tables(
    scenario: Scenario, outcomes: Sequence[Outcome], *, lists: Literal[True]
) -> dict[str, dict[str, list[float]]]: ...
def series(
    scenario: Scenario, outcomes: Sequence[Outcome], what: str
) -> dict[str, NDArray[np.generic]]: ...
def delays(outcomes: Sequence[Outcome]) -> dict[str, NDArray[np.generic]]: ...
def table_columns() -> dict[str, tuple[str, list[tuple[str, str, str, bool]]]]: ...
def series_columns() -> dict[str, tuple[str, list[tuple[str, str, str, bool]]]]: ...
def quantity(text: str, dimension: str) -> float: ...
def tfrc_send(
    to: str,
    *,
    profile: str,
    segment: int,
    ssrc: int,
    max_rate_bps: int,
    rate_bps: int | None = None,
    duration_s: float | None = None,
    limits: bool = False,
    report: Callable[[float, dict[str, Any]], object] | None = None,
) -> dict[str, Any]: ...
def tfrc_receive(
    at: str,
    *,
    profile: str,
    reporter: int,
    duration_s: float | None = None,
    report: Callable[[float, dict[str, Any]], object] | None = None,
) -> dict[str, Any]: ...
def emulation_try(backend: str) -> None: ...
def emulation_isolate() -> None: ...
def emulated(scenario: Scenario) -> Scenario:
    """Scenario with the flows that an emulation adds for packets of programs."""

def emulation_congestion(name: str) -> None:
    """Tests if a namespace may have this TCP congestion control; raises `OSError` if not."""

def emulation_enter(
    network: str | PathLike[str],
    hosts: str | PathLike[str],
    user: str | PathLike[str] | None = None,
) -> None: ...
def escaped(text: str) -> str: ...
def schema() -> str: ...
def reference() -> str: ...
def duration_ns(text: str) -> int:
    """Number of nanoseconds of a duration such as "10 ms"."""

def observation_columns() -> list[tuple[str, str, str]]:
    """Columns of an observation: objects ("flows", "stations", "cells" or "links"), name and meaning."""

@final
class World:
    """One replication of a scenario, which the owner advances in steps."""

    def __new__(
        cls,
        scenario: Scenario,
        *,
        seed: int,
        replication: int,
        tracing: Tracing | None = None,
        laws: Sequence[tuple[int, object]] = ...,
    ) -> World: ...
    @property
    def now_ns(self) -> int: ...
    def advance(self, by: str | float | None) -> Observation: ...
    def set(self, path: str, value: str) -> None: ...
    def rates(self, station: int) -> list[int]: ...
    def set_rate_index(self, station: int, direction: str, index: int) -> None: ...
    def set_contention_window(
        self, member: int, smallest: int, largest: int, category: str | None = None
    ) -> None: ...
    def set_aifsn(self, member: int, aifsn: int, category: str | None = None) -> None: ...
    def set_txop_limit(self, member: int, limit_ns: int, category: str | None = None) -> None: ...
    def set_aggregate_limits(
        self,
        station: int,
        direction: str,
        *,
        octets: int | None = None,
        mpdus: int | None = None,
        duration_ns: int | None = None,
    ) -> None: ...
    def set_airtime_weight(self, station: int, weight: int) -> None: ...
    def set_weights(self, member: int, data: int, acks: int) -> None: ...
    def set_window_limit(self, flow: int, end: str, unit: str, value: int) -> None: ...
    def set_rate_limit(self, flow: int, end: str, bps: int | None) -> None: ...
    def start_flow(self, flow: int) -> None: ...
    def stop_flow(self, flow: int) -> None: ...
    def copy(self) -> World: ...
    def finish(self) -> Outcome: ...
    def close(self) -> None: ...

@final
class Link:
    """A cell that carries packets of its caller between the ends of external flows."""

    def __new__(
        cls, scenario: Scenario, *, seed: int, between: tuple[str, str] | None = None
    ) -> Link: ...
    def scenario(self) -> Scenario: ...
    @property
    def now_ns(self) -> int: ...
    @property
    def next_timeout_ns(self) -> int | None: ...
    @property
    def under_way(self) -> int: ...
    def longest_packet(self, flow: str) -> int: ...
    def send(
        self, now: str | float, flow: str, is_receiver: bool, size: int, packet: object
    ) -> bool: ...
    def poll(self, now: str | float) -> _LinkEvent | None: ...
    def finish(self) -> tuple[Scenario, Outcome | None, list[_LinkEvent]]: ...

@final
class Worlds:
    """Several worlds that advance in steps of one length, by one call and on all cores.

    A learner sees the `history` last steps of one world, or of one station in it if `by_station`. It sees the
    `signals` as numbers from 0 to 1, the newest first; with `window`, it sees their means and standard
    deviations over windows of so many steps, of which each shares a half with the next. With
    `station_signals`, a learner of a world also sees these of each of its `stations`.

    An action gives values of the `lever`, with `sets_stations` one for each station. Learners earn the
    `reward`, with `by_station` each the goodput of its station.

    With `film_ns`, each world keeps a film of its channel, as long as this.
    """

    def __new__(
        cls,
        count: int,
        *,
        step_ns: int,
        signals: list[str],
        lever: str,
        history: int,
        station_signals: list[str] = ...,
        stations: int | None = None,
        window: int | None = None,
        sets_stations: bool = False,
        reward: str = "goodput",
        by_station: bool = False,
        threads: int | None = None,
        film_ns: int | None = None,
    ) -> Worlds: ...
    @property
    def width(self) -> int: ...
    def start(self, world: int, scenario: Scenario, seed: int) -> None: ...
    def set(self, values: list[list[int]]) -> None: ...
    def advance(
        self, wait: list[int] = ...
    ) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_]]: ...
    def seen(self) -> tuple[NDArray[np.float32], NDArray[np.float64], NDArray[np.bool_]]: ...
    def highest_bps(self, world: int) -> float: ...
    def finish(self, world: int) -> Outcome: ...
    def film(
        self, world: int
    ) -> tuple[Scenario, int, list[tuple[int, int, int, int, str, str, str, int]]]: ...

@final
class Observation:
    """Activity of a world during one step, as arrays in the order of the scenario.

    The arrays of flows are `goodput_bps` to `timeouts`, those of stations `airtime_share` to `dropped`, those
    of cells `channel_busy_share` to `access_point_dropped`, and those of directions of links the last two.
    """

    @property
    def at_s(self) -> float:
        """Time at the end of the step [s]."""
    @property
    def length_s(self) -> float:
        """Length of the step [s]."""
    @property
    def goodput_bps(self) -> NDArray[np.float64]:
        """Application data delivered in order during the step, per second."""
    @property
    def delay_ms(self) -> NDArray[np.float64]:
        """Mean one-way delay of the packets that arrived during the step."""
    @property
    def rtt_ms(self) -> NDArray[np.float64]:
        """Mean of the round-trip times that the sender measured during the step."""
    @property
    def cwnd_segments(self) -> NDArray[np.float64]:
        """Congestion window of a TCP sender at the end of the step."""
    @property
    def packets_sent(self) -> NDArray[np.float64]:
        """Packets that the sender sent during the step."""
    @property
    def packets_received(self) -> NDArray[np.float64]:
        """Packets of the sender that arrived during the step."""
    @property
    def packets_dropped(self) -> NDArray[np.float64]:
        """Packets of the sender that were lost during the step."""
    @property
    def retransmissions(self) -> NDArray[np.float64]:
        """Segments that the sender retransmitted during the step."""
    @property
    def timeouts(self) -> NDArray[np.float64]:
        """Expiries of the sender's retransmission or no-feedback timer during the step."""
    @property
    def airtime_share(self) -> NDArray[np.float64]:
        """Share of the step in which a frame of the station's exchanges was alone on the air."""
    @property
    def queue_packets(self) -> NDArray[np.float64]:
        """Packets in the station's transmit queue at the end of the step."""
    @property
    def rate_up_bps(self) -> NDArray[np.float64]:
        """Rate of data frames from the station at the end of the step."""
    @property
    def rate_down_bps(self) -> NDArray[np.float64]:
        """Rate of data frames to the station at the end of the step."""
    @property
    def frames(self) -> NDArray[np.float64]:
        """Data and RTS frames that the station sent during the step."""
    @property
    def retries(self) -> NDArray[np.float64]:
        """Retries among `frames`."""
    @property
    def collisions(self) -> NDArray[np.float64]:
        """Frames of the station that another frame overlapped at the receiver during the step."""
    @property
    def dropped(self) -> NDArray[np.float64]:
        """Packets that the station dropped during the step, for any reason."""
    @property
    def channel_busy_share(self) -> NDArray[np.float64]:
        """Share of the step in which the channel was busy; a frame counts when it ends."""
    @property
    def channel_collisions(self) -> NDArray[np.float64]:
        """Collisions on the cell's channel during the step."""
    @property
    def access_point_queue_packets(self) -> NDArray[np.float64]:
        """Packets in the access point's transmit queue at the end of the step."""
    @property
    def access_point_frames(self) -> NDArray[np.float64]:
        """Data and RTS frames that the access point sent during the step."""
    @property
    def access_point_retries(self) -> NDArray[np.float64]:
        """Retries among `access_point_frames`."""
    @property
    def access_point_collisions(self) -> NDArray[np.float64]:
        """Frames of the access point that another frame overlapped at the receiver during the step."""
    @property
    def access_point_dropped(self) -> NDArray[np.float64]:
        """Packets that the access point dropped during the step, for any reason."""
    @property
    def link_queue_packets(self) -> NDArray[np.float64]:
        """Packets in the queue of this direction of the link at the end of the step."""
    @property
    def link_dropped(self) -> NDArray[np.float64]:
        """Packets that this direction of the link lost or refused during the step."""

@final
class Cell:
    """Cell of a node: its members and the timing of its standard."""

    @property
    def access_point(self) -> str:
        """Name of the cell, which is that of its access point."""
    @property
    def stations(self) -> tuple[str, ...]:
        """Names of the stations, in the order of the scenario."""
    @property
    def sifs_ns(self) -> int:
        """Short interframe space [ns]."""
    @property
    def difs_ns(self) -> int:
        """DCF interframe space [ns]."""
    @property
    def slot_ns(self) -> int:
        """Slot time of the back-off [ns]."""
    @property
    def cw_min(self) -> int:
        """Smallest contention window of the standard [slots]."""
    @property
    def mean_backoff_ns(self) -> int:
        """Mean back-off of a first attempt [ns]."""

@final
class Node:
    """Station or access point at which a law runs."""

    @property
    def name(self) -> str:
        """Name of the station, or of the access point's cell."""
    @property
    def cell(self) -> Cell | None:
        """Cell of the node; `None` before the start of the run."""
    @property
    def now_s(self) -> float:
        """Time of the run [s]."""
    @property
    def now_ns(self) -> int:
        """Time of the run [ns]."""
    @property
    def ends(self) -> tuple[FlowEnd, ...]:
        """Ends of flows at the node, in the order of the scenario; empty at an access point."""
    @property
    def senders(self) -> tuple[FlowEnd, ...]:
        """Senders of flows at the node, in the order of the scenario; empty at an access point."""
    @property
    def receivers(self) -> tuple[FlowEnd, ...]:
        """Receivers of flows at the node, in the order of the scenario; empty at an access point."""
    def packet_time_ns(
        self,
        octets: int,
        rate: int,
        direction: str,
        *,
        most: int | None = None,
        access_ns: int = 0,
    ) -> int:
        """Channel time of a packet to or from the access point [ns], at a station.

        The packet has `octets`, LLC/SNAP included, and the direction "up" or "down". It is one of up to
        `most` equal packets that share an exchange at this rate [bit/s] after a channel access of
        `access_ns`. Without `most`, the exchange has as many packets as the limits of an aggregate allow.
        """
    def random(self) -> float:
        """Random number, uniform in [0, 1), from the node's stream for laws."""
    def random_below(self, below: int) -> int:
        """Random integer, uniform in 0, ..., `below` - 1, from the node's stream for laws."""
    def wake_in(self, by: str | float) -> None:
        """Call the law's `timer` after a duration, such as "100 ms" or a number of seconds."""
    def wake_at_ns(self, at_ns: int) -> None:
        """Call the law's `timer` at a time of the run [ns]."""
    def set_weights(self, data: int, acks: int) -> None:
        """Set the weights of DATA and of pure ACKs in the node's queue [packets per round]."""
    def listen(self, to: Literal["own", "all", "neighbours", "packets", "users"]) -> None:
        """Ask for other events from now on.

        These are "own" or "all" frames, frames of "neighbours", or at an access point "packets" or "users".
        """
    def report(
        self,
        from_ns: int,
        to_ns: int,
        *,
        own_ns: int,
        others_ns: int,
        active: int,
        early_ns: tuple[int, int] = ...,
    ) -> None:
        """Record a station's measurement of its channel from `from_ns` to `to_ns`.

        It consists of the durations of the answered exchanges of the station itself and of others, the parts
        of both that lie before `from_ns`, and the number of active stations.
        """

@final
class FlowEnd:
    """One end of a flow at the node of a law: its sender or its receiver."""

    @property
    def flow(self) -> str:
        """Name of the flow."""
    @property
    def side(self) -> Literal["sender", "receiver"]:
        """End at the node."""
    @property
    def is_tcp(self) -> bool:
        """True if the transport is TCP."""
    @property
    def is_tfrc(self) -> bool:
        """True if the transport is TFRC."""
    @property
    def cwnd(self) -> int | None:
        """Congestion window [segments]; `None` unless this is a TCP sender."""
    @property
    def rtt_s(self) -> float | None:
        """Smoothed round-trip time [s]; `None` before the first estimate."""
    @property
    def rtt_ns(self) -> int | None:
        """Smoothed round-trip time [ns]; `None` before the first estimate."""
    @property
    def least_rtt_s(self) -> float | None:
        """Least round-trip time of TCP [s]; `None` before the first estimate."""
    @property
    def buffer(self) -> int | None:
        """Buffer of a TCP receiver [octets], which bounds its window; `None` at other ends."""
    def limit_window(
        self,
        *,
        octets: int | None = None,
        segments: int | None = None,
        divide_by: int | None = None,
    ) -> None:
        """Limit the window of TCP; without a value, remove the limit."""
    def set_cwnd(self, segments: int) -> None:
        """Set the congestion window of a TCP sender [segments]."""
    def limit_rate(self, bps: float) -> None:
        """Limit the rate of TFRC [bit/s]."""
    def lift(self) -> None:
        """Remove all limits of the transport at this end."""
    def estimate_rtt(self) -> None:
        """Make a TCP receiver estimate its round-trip time from now on."""

@final
class Frame:
    """Frame that a node has decoded or sent."""

    @property
    def kind(self) -> str:
        """Kind of the frame.

        It is "data", "ack", "block-ack", "block-ack-request", "rts", "cts", "cts-to-self", "cts-to-other",
        "cf-end" or "beacon";
        with OFDMA also "trigger", "trigger-based" for a buffer report, or "multi-station-block-ack";
        with MU-MIMO also "ndp-announcement", "ndp" or "beamforming-report".
        """
    @property
    def sender(self) -> str | None:
        """Name of the transmitter; `None` for CTS, ACK and frames of other cells."""
    @property
    def receiver(self) -> str | None:
        """Name of the receiver; `None` for beacons, triggers and frames of other cells."""
    @property
    def to_me(self) -> bool:
        """True if the frame is addressed to the node."""
    @property
    def is_foreign(self) -> bool:
        """True if the frame is of another cell on the channel."""
    @property
    def rate_bps(self) -> int:
        """Rate of the frame [bit/s]."""
    @property
    def duration_ns(self) -> int:
        """Time on the air [ns]."""
    @property
    def duration_field_ns(self) -> int:
        """Duration field of the frame [ns]."""
    @property
    def end_ns(self) -> int:
        """Time at which the frame left the air [ns]."""
    @property
    def octets(self) -> int:
        """Size of the PSDU of a data frame or a beacon [octets]; 0 for other frames."""
    @property
    def backoff_ns(self) -> int | None:
        """Back-off that the node has counted before the first frame of an exchange of its own [ns]."""
    @property
    def request_ns(self) -> int | None:
        """Duration of the RTS that a CTS answers, at the rate of the CTS [ns]; `None` for other frames."""
    @property
    def packets(self) -> list[Packet]:
        """Packets of the frame, if the node is its sender or receiver.

        Those of a block-ack to the node are the packets that it acknowledges.
        """
    @property
    def elements(self) -> dict[int, bytes]:
        """Elements of a beacon: octets by element number."""

@final
class Packet:
    """Packet of a flow, which an access point's law may change while it handles the packet."""

    @property
    def flow(self) -> str:
        """Name of the flow."""
    @property
    def origin(self) -> Literal["sender", "receiver"]:
        """End of the flow that has sent the packet."""
    @property
    def point(self) -> Literal["from-station", "to-queue", "delivered"] | None:
        """Point at which an access point sees the packet; `None` for a packet of a frame."""
    @property
    def station(self) -> str | None:
        """Station that has sent the packet to the access point, or to which it goes.

        `None` for a packet of a frame.
        """
    @property
    def octets(self) -> int:
        """Size of the IP packet [octets]."""
    @property
    def msdu_octets(self) -> int | None:
        """Size of the MSDU with the packet, LLC/SNAP included [octets]; `None` unless in a frame."""
    @property
    def payload(self) -> int:
        """Application data in the packet [octets]."""
    @property
    def is_tcp(self) -> bool:
        """True for a TCP segment."""
    @property
    def is_ack(self) -> bool:
        """True for a pure ACK of TCP, which carries no data and neither opens nor closes a connection."""
    @property
    def is_syn(self) -> bool:
        """True for a TCP segment with the SYN bit."""
    @property
    def is_fin(self) -> bool:
        """True for a TCP segment with the FIN bit."""
    @property
    def window(self) -> int | None:
        """Receive window that a TCP segment advertises [octets]; `None` for other packets.

        In an emulation also `None` for connections whose SYN has not crossed the cell.
        """
    def drop(self) -> None:
        """Drop the packet."""
    def delay(self, by: str | float) -> None:
        """Delay the packet by a duration, such as "5 ms" or a number of seconds."""
    def lower_window(self, octets: int) -> None:
        """Lower the receive window that the packet advertises to at most `octets`."""

@final
class UsersDue:
    """Access point that has won the channel, and may send to several stations or trigger them."""

    @property
    def direction(self) -> Literal["down", "up"]:
        """Direction of the data."""
    @property
    def is_poll(self) -> bool:
        """True if the stations are polled for their backlogs, before they are triggered for data."""
    @property
    def most(self) -> int:
        """Largest number of stations in the PPDU."""
    @property
    def width_mhz(self) -> int:
        """Width of the channel [MHz]."""
    @property
    def units(self) -> tuple[int, ...]:
        """Numbers of equal units into which the channel can be divided, from the most to 1."""
    @property
    def first(self) -> str | None:
        """Station that the queue serves alone if the law chooses nobody; `None` for the uplink."""
    @property
    def candidates(self) -> tuple[Candidate, ...]:
        """Stations that may share the PPDU."""

@final
class Candidate:
    """Station that may share a PPDU."""

    @property
    def station(self) -> str:
        """Name of the station."""
    @property
    def octets(self) -> int | None:
        """Data that wait for the station [octets].

        In the uplink, the backlog that the station has reported, rounded up to 256 octets; 65024 stands for
        that and more. `None` without a report in the last 20 ms.
        """
    @property
    def rate_bps(self) -> int:
        """Rate of the station's link in the whole width [bit/s]."""
    @property
    def waiting_ns(self) -> int | None:
        """Time for which the oldest packet has waited [ns]; `None` for the uplink."""
    @property
    def urgency(self) -> Literal["voice", "video", "other"]:
        """Kind of the packets; "other" for the uplink."""

@final
class UsersServed:
    """PPDU with data whose exchange has ended."""

    @property
    def direction(self) -> Literal["down", "up"]:
        """Direction of the data."""
    @property
    def duration_ns(self) -> int:
        """Duration of the PPDU [ns]."""
    @property
    def stations(self) -> tuple[str, ...]:
        """Stations with a part in it."""
    @property
    def tones(self) -> tuple[int, ...]:
        """Width of each station's unit [tones]; its streams if several share all tones (MU-MIMO)."""
    @property
    def octets(self) -> tuple[int, ...] | None:
        """Data of each station that were acknowledged [octets]; `None` for a single-user PPDU."""
