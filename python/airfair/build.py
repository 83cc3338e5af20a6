"""Builds scenarios: a function and a type for each table of the scenario file.

Written by `make docs` from the schema of the scenario file. A function has an argument for each key.
Keys that are not given have the defaults of docs/scenario.md. A scenario is checked when it is loaded;
a type checker also checks keys, words and kinds of tables, in calls and in plain dictionaries.

>>> from airfair import build
>>> cell = build.scenario(
...     duration="10 s",
...     bss={"home": build.bss(standard="802.11g")},
...     station={"laptop": build.station(rate="54 Mb/s")},
...     host={"server": build.host(link=build.host_link(rate="100 Mb/s"))},
...     flow={"a": build.flow(from_="laptop", to="server", transport=build.transport_tcp())},
... )
>>> flow: build.FlowTable = {"from": "laptop", "to": "server", "transport": {"kind": "tcp"}}
"""

from collections.abc import Mapping, Sequence
from typing import Literal, Never, Required, TypedDict, TypeVar, cast

Kind = TypeVar("Kind")


def _given(kind: type[Kind], keys: Mapping[str, object], /, **tag: str) -> Kind:  # noqa: ARG001 - a type
    """The keys that are given, by their names in the scenario file, as a table of this kind."""
    given = {name.rstrip("_"): value for name, value in keys.items() if value is not None}
    return cast("Kind", {**tag, **given})


class AggregationTable(TypedDict, total=False):
    """Table whose keys are the arguments of `aggregation`."""

    after_silence: Literal["retransmission", "request"]
    max_bytes: str
    max_duration: str
    slow_below: str
    slow_duration: str
    window: int


class ControlUplinkShareTable(TypedDict, total=False):
    """Table whose keys are the arguments of `control_uplink_share`."""

    bucket: str
    scheme: Required[Literal["uplink-share"]]


class BackgroundTable(TypedDict, total=False):
    """Table whose keys are the arguments of `background`."""

    aifsn: int
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    txop_limit: str


class VideoTable(TypedDict, total=False):
    """Table whose keys are the arguments of `video`."""

    aifsn: int
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    txop_limit: str


class VoiceTable(TypedDict, total=False):
    """Table whose keys are the arguments of `voice`."""

    aifsn: int
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    txop_limit: str


class FairTable(TypedDict, total=False):
    """Table whose keys are the arguments of `fair`."""

    access: str
    credit: str
    debt: str
    grant: str
    grants: bool
    holds: bool
    level_time: str
    period: str
    smoothing: str
    unused: float
    window_time: str
    windows: bool


class OccupancyTable(TypedDict, total=False):
    """Table whose keys are the arguments of `occupancy`."""

    aggregates: Literal["full", "seen", "apart"]
    beacons: int
    patience: int
    satisfied: float
    spare: Literal["printed", "once"]


class QueueFifoTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_fifo`."""

    ack_filter: bool
    discipline: Literal["fifo"]
    mark_above: int
    overflow: Literal["tail", "longest-flow"]
    packets: int


class WeightsTable(TypedDict, total=False):
    """Table whose keys are the arguments of `weights`."""

    ack: int
    data: int


class QueueRoundRobinTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_round_robin`."""

    ack_filter: bool
    discipline: Required[Literal["round-robin"]]
    limit: Literal["each", "shared"]
    overflow: Literal["tail", "longest-flow"]
    packets: int


class QueueDeficitRoundRobinTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_deficit_round_robin`."""

    ack_filter: bool
    discipline: Required[Literal["deficit-round-robin"]]
    limit: Literal["each", "shared"]
    overflow: Literal["tail", "longest-flow"]
    packets: int
    quantum: str


class QueueCodelTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_codel`."""

    ack_filter: bool
    discipline: Required[Literal["codel"]]
    ecn: bool
    interval: str
    overflow: Literal["tail", "longest-flow"]
    packets: int
    target: str


class QueueDualpi2Table(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_dualpi2`."""

    ack_filter: bool
    coupling: int
    discipline: Required[Literal["dualpi2"]]
    overflow: Literal["tail", "longest-flow"]
    packets: int
    step: str
    target: str


class QueueFqCodelTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_fq_codel`."""

    ack_filter: bool
    discipline: Required[Literal["fq-codel"]]
    ecn: bool
    interval: str
    isolation: Literal["flows", "dual-dsthost"]
    packets: int
    quantum: str
    queues: int
    target: str


class AqlTable(TypedDict, total=False):
    """Table whose keys are the arguments of `aql`."""

    high: str
    low: str
    threshold: str


class QueueTimeRegulatorTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_time_regulator`."""

    ack_filter: bool
    adjustment: str
    bucket: str
    charges_backoff: bool
    discipline: Required[Literal["time-regulator"]]
    limit: Literal["each", "shared"]
    overflow: Literal["tail", "longest-flow"]
    packets: int


class BeaconTable(TypedDict, total=False):
    """Table whose keys are the arguments of `beacon`."""

    interval: str
    phase: str
    size: str


class ErrorsBernoulliTable(TypedDict, total=False):
    """Table whose keys are the arguments of `errors_bernoulli`."""

    model: Required[Literal["bernoulli"]]
    probability: Required[float]


class ErrorsBitTable(TypedDict, total=False):
    """Table whose keys are the arguments of `errors_bit`."""

    ber: Required[float]
    model: Required[Literal["bit"]]


class ErrorsGilbertElliottTable(TypedDict, total=False):
    """Table whose keys are the arguments of `errors_gilbert_elliott`."""

    bad: float
    good: float
    mean_bad: Required[str]
    mean_good: Required[str]
    model: Required[Literal["gilbert-elliott"]]


class ErrorsSnrTable(TypedDict, total=False):
    """Table whose keys are the arguments of `errors_snr`."""

    model: Required[Literal["snr"]]
    snr: Required[str]


class MuEdcaTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mu_edca`."""

    aifsn: int
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767]
    timer: str


class MuMimoTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mu_mimo`."""

    sounding_every: str
    users: int


class OfdmaTable(TypedDict, total=False):
    """Table whose keys are the arguments of `ofdma`."""

    ack: Literal["bar", "mu-bar", "aggregated-mu-bar"]
    down: Literal["off", "round-robin", "proportional-fair", "largest-backlog", "deadline"]
    poll: bool
    random: int
    target_rssi: Literal["off"] | str
    trigger_every: Literal["off"] | str
    up: Literal["off", "round-robin", "proportional-fair", "largest-backlog", "deadline"]
    up_guard_interval: str
    users: int


class FadingRayleighTable(TypedDict, total=False):
    """Table whose keys are the arguments of `fading_rayleigh`."""

    coherence: str
    model: Required[Literal["rayleigh"]]


class FadingRicianTable(TypedDict, total=False):
    """Table whose keys are the arguments of `fading_rician`."""

    coherence: str
    k: str
    model: Required[Literal["rician"]]


class PropagationTwoRayTable(TypedDict, total=False):
    """Table whose keys are the arguments of `propagation_two_ray`."""

    ap_height: str
    model: Required[Literal["two-ray"]]
    station_height: str


class PropagationLogDistanceTable(TypedDict, total=False):
    """Table whose keys are the arguments of `propagation_log_distance`."""

    exponent: float
    model: Required[Literal["log-distance"]]
    reference_loss: str


class PropagationResidentialTable(TypedDict, total=False):
    """Table whose keys are the arguments of `propagation_residential`."""

    floors: int | str
    model: Required[Literal["residential"]]
    walls: int | str


class RetryLimitsTable(TypedDict, total=False):
    """Table whose keys are the arguments of `retry_limits`."""

    long: int
    short: int


class ControlArfAwareTable(TypedDict, total=False):
    """Table whose keys are the arguments of `control_arf_aware`."""

    notification_delay: str
    poll: Literal["off"] | str
    scheme: Required[Literal["arf-aware"]]
    variant: Literal["held", "one-shot", "continuous"]


class ControlArfWindowTable(TypedDict, total=False):
    """Table whose keys are the arguments of `control_arf_window`."""

    aggregates: Literal["full", "seen", "apart"]
    fall: Literal["projected", "printed"]
    long_lived: str
    rise: Literal["projected", "printed"]
    round_trip: Literal["least", "smoothed"]
    scheme: Required[Literal["arf-window"]]
    slot: str


class ControlOccupancyTable(TypedDict, total=False):
    """Table whose keys are the arguments of `control_occupancy`."""

    scheme: Required[Literal["occupancy"]]


class ControlRateCapTable(TypedDict, total=False):
    """Table whose keys are the arguments of `control_rate_cap`."""

    scheme: Required[Literal["rate-cap"]]
    share: float


class DelayedAckTable(TypedDict, total=False):
    """Table whose keys are the arguments of `delayed_ack`."""

    coalescing: Literal["off"] | str
    segments: int
    timeout: str


class SourceConstantTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_constant`."""

    model: Required[Literal["constant"]]
    rate: Required[str]


class SourceOnOffTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_on_off`."""

    model: Required[Literal["on-off"]]
    off: Required[str]
    on: Required[str]
    rate: Required[str]


class SourceFramesTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_frames`."""

    interval: Required[str]
    model: Required[Literal["frames"]]
    sizes: Required[Sequence[str]]


class SourceRpcTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_rpc`."""

    model: Required[Literal["rpc"]]
    size: Required[str]
    think: str


class SourceWebTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_web`."""

    document: str
    model: Required[Literal["web"]]
    object: str
    objects: int
    think: str


class SourceVideoTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_video`."""

    buffer: str
    chunk: str
    cushion: str
    model: Required[Literal["video"]]
    rates: Sequence[str]
    reservoir: str


class SourceResponsivenessTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_responsiveness`."""

    model: Required[Literal["responsiveness"]]
    think: str


class SourceCallTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_call`."""

    codec: Literal["amr", "g711", "g729", "opus"]
    deadline: str
    model: Required[Literal["call"]]
    silence: str
    talk: str


class SourceGameTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_game`."""

    deadline: str
    end: Required[Literal["server", "player"]]
    interval: str
    interval_scale: str
    model: Required[Literal["game"]]
    size: str
    size_scale: str
    synchronisation: Literal["status", "lockstep"]


class RateControlTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate_control`."""

    feedback: str
    law: Required[Literal["gcc"]]
    least: str
    start: str


class SourceDesktopTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_desktop`."""

    deadline: str
    end: Required[Literal["server", "client"]]
    model: Required[Literal["desktop"]]


class TransportExternalTable(TypedDict, total=False):
    """Table whose keys are the arguments of `transport_external`."""

    kind: Required[Literal["external"]]


class LossBernoulliTable(TypedDict, total=False):
    """Table whose keys are the arguments of `loss_bernoulli`."""

    model: Required[Literal["bernoulli"]]
    probability: Required[float]
    towards: str


class LossGilbertElliottTable(TypedDict, total=False):
    """Table whose keys are the arguments of `loss_gilbert_elliott`."""

    bad: float
    good: float
    model: Required[Literal["gilbert-elliott"]]
    to_bad: Required[float]
    to_good: Required[float]
    towards: str


class RedTable(TypedDict, total=False):
    """Table whose keys are the arguments of `red`."""

    ecn: bool
    gentle: bool
    max: int
    max_probability: float
    min: int
    weight: float


RouterTable = Mapping[str, Never]
"""Table without keys, as `router` builds it."""


class MobilityVelocityTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mobility_velocity`."""

    model: Required[Literal["velocity"]]
    velocity: Required[Sequence[str]]


class MobilityWaypointsTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mobility_waypoints`."""

    model: Required[Literal["waypoints"]]
    points: Required[Sequence[Sequence[str]]]


class MobilityTraceTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mobility_trace`."""

    file: Required[str]
    model: Required[Literal["trace"]]


class MobilityRandomWaypointTable(TypedDict, total=False):
    """Table whose keys are the arguments of `mobility_random_waypoint`."""

    begin: Literal["uniform", "position", "steady-state"]
    corners: Sequence[Sequence[str]]
    max_speed: Required[str]
    min_speed: str
    model: Required[Literal["random-waypoint"]]
    pause: str
    radius: str


class PositionTable(TypedDict, total=False):
    """Table whose keys are the arguments of `position`."""

    circle: Required[str]


class RateArfTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate_arf`."""

    control: Required[Literal["arf"]]
    counting: Literal["in-a-row", "in-all"]
    down: int
    initial: Literal["highest", "lowest"]
    preset: Literal["kamerman97", "qualnet4", "qualnet5", "ns3"]
    rts_failures: bool
    timer: Literal["off"] | str | int
    up: int


class RateAarfTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate_aarf`."""

    control: Required[Literal["aarf"]]
    down: int
    initial: Literal["highest", "lowest"]
    most_up: int
    rts_failures: bool
    timer: Literal["off"] | str | int
    up: int


class RateMinstrelTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate_minstrel`."""

    attempts: int
    control: Required[Literal["minstrel"]]
    ewma: int
    interval: str
    lookaround: int
    sample_interval: str
    segment: str


class RateOracleTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate_oracle`."""

    control: Required[Literal["oracle"]]
    highest: str


class EdcaTable(TypedDict, total=False):
    """Table whose keys are the arguments of `edca`."""

    aifsn: int
    background: BackgroundTable
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"]
    txop_limit: str
    video: VideoTable
    voice: VoiceTable


class QueueDataAckTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_data_ack`."""

    ack_filter: bool
    discipline: Required[Literal["data-ack"]]
    hardware_queue: Literal["off"] | int
    hardware_queue_counts: Literal["aggregates", "packets"]
    limit: Literal["each", "shared"]
    overflow: Literal["tail", "longest-flow"]
    packets: int
    weights: Literal["active-flows"] | WeightsTable


class QueueAirtimeTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_airtime`."""

    ack_filter: bool
    airtime_quantum: Literal["off"] | str
    aql: Literal["off"] | AqlTable
    charges_uplink: bool
    discipline: Required[Literal["airtime"]]
    ecn: bool
    hardware_queue: Literal["off"] | int
    hardware_queue_counts: Literal["aggregates", "packets"]
    interval: str
    packets: int
    quantum: str
    queues: int
    slow_below: Literal["off"] | str
    slow_interval: str
    slow_target: str
    target: str


class QueueAirtimeDualpi2Table(TypedDict, total=False):
    """Table whose keys are the arguments of `queue_airtime_dualpi2`."""

    ack_filter: bool
    airtime_quantum: Literal["off"] | str
    aql: Literal["off"] | AqlTable
    charges_uplink: bool
    coupling: int
    discipline: Required[Literal["airtime-dualpi2"]]
    hardware_queue: Literal["off"] | int
    hardware_queue_counts: Literal["aggregates", "packets"]
    packets: int
    step: str
    target: str


class RadioTable(TypedDict, total=False):
    """Table whose keys are the arguments of `radio`."""

    capture: Literal["off"] | str
    carrier_sense: Literal["lowest-rate"] | str
    energy_detection: Literal["carrier-sense"] | str
    fading: Literal["none"] | FadingRayleighTable | FadingRicianTable
    frequency: str
    noise_figure: str
    propagation: Literal["free-space", "two-ray", "residential"] | PropagationTwoRayTable | PropagationLogDistanceTable | PropagationResidentialTable
    range: Mapping[str, str]
    reception: Literal["snr", "sensitivity", "qualnet4"]
    shadowing: str
    tx_power: str
    walls: str


class TransportTcpTable(TypedDict, total=False):
    """Table whose keys are the arguments of `transport_tcp`."""

    arithmetic: Literal["rfc", "linux"]
    byte_counting: bool
    deflation: Literal["to-flight", "to-ssthresh"]
    delayed_ack: bool | DelayedAckTable
    ecn: bool
    ecn_feedback: Literal["classic", "exact", "ace", "accurate"]
    flavour: Literal["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic", "bbr1", "bbr", "dctcp", "prague"]
    full_queue: Literal["loss", "hold"]
    grow_beyond_receive_window: bool
    handshake: bool
    initial_ssthresh: Literal["unlimited"] | int
    initial_window: int
    kind: Required[Literal["tcp"]]
    limited_transmit: bool
    loss_recovery: Literal["duplicates", "rack"]
    min_rto: str
    pacing: bool
    prr: bool
    quick_acks: int
    receive_window: str
    recovery_timer: Literal["impatient", "slow-but-steady"]
    sack: bool
    segment: str
    size: Literal["endless"] | str
    slow_start: Literal["standard", "hystart", "hystart++"]
    small_queues: Literal["off"] | str
    source: Literal["bulk", "web", "video", "responsiveness"] | SourceConstantTable | SourceOnOffTable | SourceFramesTable | SourceRpcTable | SourceWebTable | SourceVideoTable | SourceResponsivenessTable
    stack: Literal["simulated", "kernel"]
    tick: str
    timestamps: bool
    window_scaling: bool


class TransportQuicTable(TypedDict, total=False):
    """Table whose keys are the arguments of `transport_quic`."""

    ack_every: int
    datagram: str
    ecn: bool
    flavour: Literal["newreno", "cubic", "bbr1", "bbr"]
    handshake: bool
    initial_window: int
    kind: Required[Literal["quic"]]
    max_ack_delay: str
    pacing: bool
    receive_window: str
    server_crypto: str
    size: Literal["endless"] | str
    slow_start: Literal["standard", "hystart", "hystart++"]
    source: Literal["bulk", "web", "video", "responsiveness"] | SourceConstantTable | SourceOnOffTable | SourceFramesTable | SourceRpcTable | SourceWebTable | SourceVideoTable | SourceResponsivenessTable


class TransportTfrcTable(TypedDict, total=False):
    """Table whose keys are the arguments of `transport_tfrc`."""

    kind: Required[Literal["tfrc"]]
    profile: Literal["rfc5348", "rfc3448", "ns-2"]
    rate: Literal["greedy"] | str
    segment: str
    source: SourceOnOffTable | SourceFramesTable
    stack: Literal["simulated", "kernel"]


class SourceVideoCallTable(TypedDict, total=False):
    """Table whose keys are the arguments of `source_video_call`."""

    deadline: str
    interval: str
    model: Required[Literal["video-call"]]
    rate: str
    rate_control: Literal["none", "gcc", "nada"] | RateControlTable


class QueueTable(TypedDict, total=False):
    """Table whose keys are the arguments of `queue`."""

    bytes: str
    discipline: Literal["fifo", "red", "dualpi2"]
    mark_above: int
    packets: int
    red: RedTable


class RateTable(TypedDict, total=False):
    """Table whose keys are the arguments of `rate`."""

    down: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable
    up: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable


class ApTable(TypedDict, total=False):
    """Table whose keys are the arguments of `ap`."""

    control: Literal["none", "uplink-share"] | ControlUplinkShareTable
    edca: EdcaTable
    fair: bool | FairTable
    hears: Sequence[str]
    max_attempts: Literal["unlimited", "cell"] | int
    occupancy: bool | OccupancyTable
    position: Sequence[str]
    queue: QueueFifoTable | QueueDataAckTable | QueueRoundRobinTable | QueueDeficitRoundRobinTable | QueueCodelTable | QueueDualpi2Table | QueueFqCodelTable | QueueAirtimeTable | QueueAirtimeDualpi2Table | QueueTimeRegulatorTable
    window_sharing: bool


class TransportUdpTable(TypedDict, total=False):
    """Table whose keys are the arguments of `transport_udp`."""

    kind: Required[Literal["udp"]]
    payload: str
    rate: Literal["saturated"] | str
    source: Literal["call", "video-call"] | SourceCallTable | SourceGameTable | SourceVideoCallTable | SourceDesktopTable


class HostLinkTable(TypedDict, total=False):
    """Table whose keys are the arguments of `host_link`."""

    delay: str
    loss: Literal["none"] | LossBernoulliTable | LossGilbertElliottTable
    queue: QueueTable
    rate: str
    to: str


class LinkTable(TypedDict, total=False):
    """Table whose keys are the arguments of `link`."""

    between: Required[Sequence[str]]
    delay: str
    loss: Literal["none"] | LossBernoulliTable | LossGilbertElliottTable
    queue: QueueTable
    rate: str


class StationTable(TypedDict, total=False):
    """Table whose keys are the arguments of `station`."""

    aggregation: Literal["off"] | AggregationTable
    amsdu: Literal["off"] | str
    bss: str
    count: int
    edca: EdcaTable
    errors: Literal["none"] | ErrorsBernoulliTable | ErrorsBitTable | ErrorsGilbertElliottTable | ErrorsSnrTable
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"]
    hears: Sequence[str]
    hidden_from: Sequence[str]
    max_attempts: Literal["unlimited", "cell"] | int
    mobility: Literal["none"] | MobilityVelocityTable | MobilityWaypointsTable | MobilityTraceTable | MobilityRandomWaypointTable
    position: Sequence[str] | PositionTable
    queue: QueueFifoTable | QueueDataAckTable | QueueRoundRobinTable | QueueDeficitRoundRobinTable | QueueCodelTable | QueueDualpi2Table | QueueFqCodelTable | QueueAirtimeTable | QueueAirtimeDualpi2Table | QueueTimeRegulatorTable
    rate: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable | RateTable
    senses_only: Sequence[str]
    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"]
    streams: int
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"]


class BssTable(TypedDict, total=False):
    """Table whose keys are the arguments of `bss`."""

    after_collision: Literal["standard", "difs", "eifs"]
    aggregation: Literal["off"] | AggregationTable
    amsdu: Literal["off"] | str
    ap: ApTable
    band: Literal["2.4 GHz", "5 GHz", "6 GHz"]
    basic_rate: str
    basic_rates: Sequence[str]
    beacon: bool | BeaconTable
    channel: int
    colour: int
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"]
    edca: EdcaTable
    eifs: Literal["standard", "none", "ns-2", "ns-3"]
    errors: Literal["none"] | ErrorsBernoulliTable | ErrorsBitTable | ErrorsGilbertElliottTable | ErrorsSnrTable
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"]
    hears: Sequence[str]
    llc_snap: bool
    max_attempts: Literal["unlimited"] | int
    mu_edca: Literal["off"] | MuEdcaTable
    mu_mimo: Literal["off"] | MuMimoTable
    obss_pd: str
    ofdma: Literal["off"] | OfdmaTable
    post_backoff: bool
    preamble: Literal["long", "short"]
    protection: bool
    punctured: Sequence[Literal["0 MHz", "20 MHz", "40 MHz", "60 MHz", "80 MHz", "100 MHz", "120 MHz", "140 MHz", "160 MHz", "180 MHz", "200 MHz", "220 MHz", "240 MHz", "260 MHz", "280 MHz", "300 MHz"]]
    radio: Literal["none"] | RadioTable
    retry_limits: RetryLimitsTable
    rts_threshold: Literal["off"] | str
    standard: Required[Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"]]
    streams: int
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"]
    width_rule: Literal["dynamic", "static"]


FlowTable = TypedDict("FlowTable", {
    "access_category": Literal["background", "best effort", "video", "voice"],
    "control": Literal["none", "arf-aware", "arf-window", "occupancy", "rate-cap"] | ControlArfAwareTable | ControlArfWindowTable | ControlOccupancyTable | ControlRateCapTable,
    "count": int,
    "dscp": Literal["none"] | int,
    "from": Required[str],
    "start": str,
    "start_jitter": str,
    "stop": Literal["end"] | str,
    "to": Required[str],
    "transport": Required[TransportTcpTable | TransportQuicTable | TransportTfrcTable | TransportUdpTable | TransportExternalTable],
}, total=False)


class HostTable(TypedDict, total=False):
    """Table whose keys are the arguments of `host`."""

    link: HostLinkTable


class ScenarioTable(TypedDict, total=False):
    """Table whose keys are the arguments of `scenario`."""

    bss: Mapping[str, BssTable]
    duration: Required[str]
    flow: Required[Mapping[str, FlowTable]]
    host: Mapping[str, HostTable]
    link: Mapping[str, LinkTable]
    replications: int
    router: Mapping[str, RouterTable]
    seed: int
    series: Literal["off"] | str
    station: Mapping[str, StationTable]
    title: str
    warmup: str


def scenario(
    *,
    duration: str,
    flow: Mapping[str, FlowTable],
    bss: Mapping[str, BssTable] | None = None,
    host: Mapping[str, HostTable] | None = None,
    link: Mapping[str, LinkTable] | None = None,
    replications: int | None = None,
    router: Mapping[str, RouterTable] | None = None,
    seed: int | None = None,
    series: Literal["off"] | str | None = None,
    station: Mapping[str, StationTable] | None = None,
    title: str | None = None,
    warmup: str | None = None,
) -> ScenarioTable:
    """Defaults are those of cells up to 802.11g.

    For 802.11n and later, some keys of TCP, queues and wires have other defaults: `airfair run
    --explain` prints them.

    duration: Simulated time of one run.
    flow: Flows, at most 10000.
    bss: Cells, at most 500: each is an access point with a channel. The names of cells, stations,
        hosts, routers and links must all differ. Default: {}.
    host: Wired hosts, at most 1000. Hosts are ends of flows, and also forward packets. Default: {}.
    link: Wired links other than the hosts' own links, at most 10000. Default: {}.
    replications: Number of independent runs; results are means over them. Default: 1.
    router: Wired nodes that only forward packets, at most 1000. A packet takes the route with the
        fewest hops. Of several such routes it takes the one with the least delay, and of several of
        these the first in the file. Default: {}.
    seed: Seed of the random streams; each replication has its own streams of this seed. Default: 1.
    series: Step of the time series. There are at most 20 million values: steps times flows,
        stations and queues, in all replications. Default: "1 s".
    station: Wireless stations, at most 5000. The name `ap` is reserved. Default: {}.
    title: Title of the scenario, shown with its results. Default: "untitled".
    warmup: Time at the start of a run that results leave out; less than `duration`. Default: "0 s".
    """
    return _given(ScenarioTable, locals())


def bss(
    *,
    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"],
    after_collision: Literal["standard", "difs", "eifs"] | None = None,
    aggregation: Literal["off"] | AggregationTable | None = None,
    amsdu: Literal["off"] | str | None = None,
    ap: ApTable | None = None,
    band: Literal["2.4 GHz", "5 GHz", "6 GHz"] | None = None,
    basic_rate: str | None = None,
    basic_rates: Sequence[str] | None = None,
    beacon: bool | BeaconTable | None = None,
    channel: int | None = None,
    colour: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    edca: EdcaTable | None = None,
    eifs: Literal["standard", "none", "ns-2", "ns-3"] | None = None,
    errors: Literal["none"] | ErrorsBernoulliTable | ErrorsBitTable | ErrorsGilbertElliottTable | ErrorsSnrTable | None = None,
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"] | None = None,
    hears: Sequence[str] | None = None,
    llc_snap: bool | None = None,
    max_attempts: Literal["unlimited"] | int | None = None,
    mu_edca: Literal["off"] | MuEdcaTable | None = None,
    mu_mimo: Literal["off"] | MuMimoTable | None = None,
    obss_pd: str | None = None,
    ofdma: Literal["off"] | OfdmaTable | None = None,
    post_backoff: bool | None = None,
    preamble: Literal["long", "short"] | None = None,
    protection: bool | None = None,
    punctured: Sequence[Literal["0 MHz", "20 MHz", "40 MHz", "60 MHz", "80 MHz", "100 MHz", "120 MHz", "140 MHz", "160 MHz", "180 MHz", "200 MHz", "220 MHz", "240 MHz", "260 MHz", "280 MHz", "300 MHz"]] | None = None,
    radio: Literal["none"] | RadioTable | None = None,
    retry_limits: RetryLimitsTable | None = None,
    rts_threshold: Literal["off"] | str | None = None,
    streams: int | None = None,
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"] | None = None,
    width_rule: Literal["dynamic", "static"] | None = None,
) -> BssTable:
    """Cells, at most 500: each is an access point with a channel.

    The names of cells, stations, hosts, routers and links must all differ.

    standard: Standard of the access point, and of each station that sets none.
    after_collision: Gap after a collision. `standard`: EIFS for stations that heard it, the ACK
        time-out for those that sent. `difs`, `eifs`: the same gap for all stations; DIFS is that of
        Bianchi's model. Default: "standard".
    aggregation: A-MPDUs that the access point sends and accepts. With `off` each frame is sent
        alone. Default: the defaults of its keys, from 802.11n on.
    amsdu: Largest size of an A-MSDU, which is several packets to one receiver in one MPDU: 3839 or
        7935 B, and in 802.11ac and later at 5 and 6 GHz also 11398 B. In an A-MPDU of 802.11n an
        MPDU has at most 4095 octets. Default: "off".
    ap: The access point. Default: {"control": "none", "edca": {"background": {}, "video": {},
        "voice": {}}, "fair": false, "max_attempts": "cell", "occupancy": false, "queue": {},
        "window_sharing": false}.
    band: Band of the channel. 802.11n has 2.4 and 5 GHz, and 802.11ax and later all three. At 6
        GHz, all stations are of 802.11ax or later. Default: 2.4 GHz in 802.11b and g, else 5 GHz.
    basic_rate: Basic rate, for a basic rate set with one entry. Default: see `basic_rates`.
    basic_rates: Basic rate set. Each rate is one of the standard that all stations have. Not
        together with `basic_rate`. Default: 1, 2 Mb/s in 802.11b; 6, 12, 24 Mb/s in 802.11a; both
        of these and 5.5, 11 Mb/s in 802.11g, without the OFDM rates if a b station is in the cell;
        later standards have those of 802.11g at 2.4 GHz and of 802.11a at 5 and 6 GHz.
    beacon: Beacons of the access point. Each is sent at the lowest basic rate, as soon as the
        medium has been idle for a PIFS. Default: true if `ap.occupancy` is on, else false.
    channel: Number of the primary channel of 20 MHz in the cell's band. With `width` it gives the
        block of spectrum that the cell occupies: at 5 GHz, 36 with 80 MHz means channels 36 to 48.
        At 2.4 GHz the second channel of 40 MHz is above the primary channels 1 to 9 and below the
        others; channel 14 is for 802.11b. At 6 GHz the channels are 1, 5, 9, … 233; 320 MHz is a
        channel 320-1 if the primary is in one, else 320-2. Cells with overlapping blocks are
        neighbours, whose members hear each other. Blocks at 2.4 GHz that overlap without a common
        channel of 20 MHz are not modelled: different channels are at least four numbers apart, and
        five with 802.11b. Default: a channel of its own.
    colour: BSS colour, by which members tell frames of the cell from those of neighbours; in
        802.11ax and later. Default: no colour.
    cw_max: Largest contention window [slots], at least `cw_min`. `standard` is 1023. Default:
        "standard".
    cw_min: Smallest contention window [slots]. `standard` is 31 in 802.11b, in 802.11g cells with a
        b station, and for b stations; else 15. Default: "standard".
    edca: Channel access of the stations; a station can set each key for itself. `ap.edca` is the
        access point's. Default: {"background": {}, "video": {}, "voice": {}}.
    eifs: Wait after a frame that was sensed but not decoded. `standard`: EIFS, which the next
        decoded frame ends early. `none`: no EIFS. `ns-2`: a NAV of EIFS, which nothing shortens,
        and then a DIFS. `ns-3`: EIFS from the end of a frame that was received from its start and
        destroyed by noise or a later frame; none after other frames, which do not prolong it
        either. Default: "standard".
    errors: Error model of frames between a station and the access point, in both directions, for
        each station that sets none. Default: "none".
    guard_interval: Guard interval of data frames: 400 and 800 ns in 802.11n and ac; 800, 1600 and
        3200 ns in later standards. Default: 800 ns; 400 ns if a station has a rate in Mb/s that
        needs it.
    hears: Members of neighbours that the members of this cell hear: names of cells, which mean all
        their members, of stations, and of access points such as `home.ap`. Two members hear each
        other if the list of each has the other. `[]` means no neighbour. Only together with
        `channel`. Default: all members of neighbours.
    llc_snap: 8 octets of LLC/SNAP precede each packet. Default: true.
    max_attempts: Largest number of transmission attempts of a frame, whatever its length. Default:
        see `retry_limits`.
    mu_edca: Channel access of a station after the access point has triggered it, which replaces
        `edca` until a timer ends. It needs `ofdma.up`. Default: "off".
    mu_mimo: MU-MIMO: frames to several stations at once, each on spatial streams of its own, in
        802.11ax. Stations of older standards, and those without `aggregation` or with less than the
        cell's `width`, have frames of their own. With `ofdma.down`, the access point chooses for
        each frame what delivers more per time. Default: "off".
    obss_pd: OBSS-PD level of the members of 802.11ax and later. They ignore frames of another
        colour that they receive with less power, and then send with limited power themselves. Only
        together with `colour` and `radio`. Default: no spatial reuse.
    ofdma: OFDMA: frames to and from several stations at once, each in its own part of the width, in
        802.11ax. Stations of older standards, and those without `aggregation`, have frames of their
        own. Default: "off".
    post_backoff: A station draws a back-off after each success, even before it has the next frame.
        After a failure, and after a frame that is given up, it draws one in any case. Default:
        true.
    preamble: PLCP preamble of DSSS and CCK frames. Default: "long".
    protection: A CTS-to-self precedes frames that a station in the cell cannot decode: OFDM frames
        if there is a b station; HT, VHT and HE frames if there is a station of 802.11a, b or g. Not
        in 802.11a and b. Default: true.
    punctured: Punctured subchannels, which the PPDUs of the cell leave empty. Each has 20 MHz and
        is named by its place: the distance of its lower edge from that of the channel. In 802.11be
        with a width of 80 MHz one, of 160 MHz one or two, of 320 MHz two, four or six, in the
        patterns of the standard. Stations of older standards have the widest part without any.
        Default: [].
    radio: Radio model. Transmit powers, distances and noise decide which stations hear each other
        and which frames have errors, instead of `errors`, `senses_only` and `hears`. Cells with
        overlapping channels all have a radio, or none. Default: "none".
    retry_limits: Largest numbers of transmission attempts, by the standard's two retry counters.
        Not together with `max_attempts`. Default: {"long": 4, "short": 7}.
    rts_threshold: Length above which PSDUs are protected by RTS/CTS. Default: "off".
    streams: Largest number of spatial streams of a data frame; at most 4 in 802.11n. Default: 1, or
        as many as the stations' rates in Mb/s need.
    width: Width of the channel: 20 and 40 MHz in 802.11n and at 2.4 GHz, else up to 160 MHz; 320
        MHz in 802.11be at 6 GHz. Default: 80 MHz in 802.11ac and later at 5 and 6 GHz, else 20 MHz;
        wider if a station has a rate in Mb/s that only a wider channel has.
    width_rule: Rule for frames while a neighbour occupies a part of the channel other than the
        primary channel of 20 MHz. `dynamic`: a narrower PPDU is sent. `static`: the member waits
        until the whole channel is idle. In a cell of 20 MHz both are the same. Only together with
        `channel`. Default: "dynamic".
    """
    return _given(BssTable, locals())


def aggregation(
    *,
    after_silence: Literal["retransmission", "request"] | None = None,
    max_bytes: str | None = None,
    max_duration: str | None = None,
    slow_below: str | None = None,
    slow_duration: str | None = None,
    window: int | None = None,
) -> AggregationTable:
    """A-MPDUs that the access point sends and accepts.

    With `off` each frame is sent alone. Default: the defaults of its keys, from 802.11n on.

    after_silence: Step after an aggregate without a response. `retransmission`: it is sent again
        with a doubled contention window. `request`: a block ack request first asks which MPDUs
        arrived, as in ns-3. Default: "retransmission".
    max_bytes: Largest size of an A-MPDU, at least that of the largest packet alone. Default: 65535
        B in 802.11n, 1048575 B in 802.11ac, 6500631 B in 802.11ax, 15523200 B in 802.11be.
    max_duration: Longest duration of an aggregate on the air. A packet that takes longer is sent
        alone. The drivers ath9k and iwlwifi have 4 ms. Default: "5.484 ms".
    slow_below: Data rate below which `slow_duration` applies. Default: "12 Mb/s".
    slow_duration: Longest duration of an aggregate at data rates below `slow_below`, if shorter
        than `max_duration`. Default: "5.484 ms".
    window: Window of the block ack agreement [packets]: 64; in 802.11ax also 256, and in 802.11be
        256, 512 and 1024. Default: 64.
    """
    return _given(AggregationTable, locals())


def ap(
    *,
    control: Literal["none", "uplink-share"] | ControlUplinkShareTable | None = None,
    edca: EdcaTable | None = None,
    fair: bool | FairTable | None = None,
    hears: Sequence[str] | None = None,
    max_attempts: Literal["unlimited", "cell"] | int | None = None,
    occupancy: bool | OccupancyTable | None = None,
    position: Sequence[str] | None = None,
    queue: QueueFifoTable | QueueDataAckTable | QueueRoundRobinTable | QueueDeficitRoundRobinTable | QueueCodelTable | QueueDualpi2Table | QueueFqCodelTable | QueueAirtimeTable | QueueAirtimeDualpi2Table | QueueTimeRegulatorTable | None = None,
    window_sharing: bool | None = None,
) -> ApTable:
    """The access point.

    control: Scheme of the access point. With `uplink-share` it drops data packets of stations whose
        data uses the channel for more than an equal share of the time. Default: "none".
    edca: Channel access of this node. These keys apply to best effort, and to all packets if no
        flow has another category. The tables apply to the other categories. Default: {"background":
        {}, "video": {}, "voice": {}}.
    fair: The access point gives its stations equal airtime in both directions. It lowers the
        windows in the ACKs of TCP uploads of a station that uses more than its share, and if
        `queue` is the airtime scheduler, bulk data for that station waits. With `ofdma`, it chooses
        the users of frames and triggers, whatever `ofdma.down` and `ofdma.up` name; if it triggers
        stations, no window is lowered, and no bulk waits. Not together with `mu_mimo`. Default:
        false.
    hears: Members of neighbours that the access point hears, if others than those of the cell's
        list. Default: the cell's.
    max_attempts: Largest number of transmission attempts of a frame of this node; `cell` is the
        cell's. Default: "cell".
    occupancy: The beacons grant each active station an equal share of the channel. Flows with
        `control = "occupancy"` keep to it. Default: false.
    position: Position in the plane of all cells, to the east and to the north. Positions of
        stations are relative to it. Only together with `radio`. Default: ["0 m", "0 m"].
    queue: Transmit queue of the access point. Default: {}.
    window_sharing: The access point writes a receive window into each TCP ACK that it forwards: the
        capacity of its queue, divided by the number of connections that it sees. Default: false.
    """
    return _given(ApTable, locals())


def control_uplink_share(
    *,
    bucket: str | None = None,
) -> ControlUplinkShareTable:
    """Scheme of the access point.

    With `uplink-share` it drops data packets of stations whose data uses the channel for more than
    an equal share of the time.

    bucket: Largest channel time that a station can save for later. Default: "50 ms".
    """
    return _given(ControlUplinkShareTable, locals(), scheme="uplink-share")


def edca(
    *,
    aifsn: int | None = None,
    background: BackgroundTable | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"] | None = None,
    txop_limit: str | None = None,
    video: VideoTable | None = None,
    voice: VoiceTable | None = None,
) -> EdcaTable:
    """Channel access of this node.

    These keys apply to best effort, and to all packets if no flow has another category. The tables
    apply to the other categories.

    aifsn: Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only
        for access points. Default: 2; 3 in 802.11n and later.
    background: Channel access of packets of this category, in 802.11n and later. Default: {}.
    cw_max: Largest contention window [slots]; `cell` is the cell's. Default: the cell's.
    cw_min: Smallest contention window [slots]; `cell` is the cell's. Default: the cell's.
    txop_limit: TXOP limit: longest time for which the node may keep sending once it has won the
        channel; `0 s` allows one frame. Default: 0 s.
    video: Channel access of packets of this category, in 802.11n and later. Default: {}.
    voice: Channel access of packets of this category, in 802.11n and later. Default: {}.
    """
    return _given(EdcaTable, locals())


def background(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> BackgroundTable:
    """Channel access of packets of this category, in 802.11n and later.

    aifsn: Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only
        for access points. Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots]. `standard` is the PHY's for background, the PHY's
        smallest window for video and half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots]. `standard` is the PHY's for background, half of it
        for video and a quarter for voice. Default: the standard's.
    txop_limit: TXOP limit: longest time for which the node may keep sending once it has won the
        channel; `0 s` allows one frame. Default: 0 s for background, 4.096 ms for video, 2.08 ms
        for voice.
    """
    return _given(BackgroundTable, locals())


def video(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> VideoTable:
    """Channel access of packets of this category, in 802.11n and later.

    aifsn: Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only
        for access points. Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots]. `standard` is the PHY's for background, the PHY's
        smallest window for video and half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots]. `standard` is the PHY's for background, half of it
        for video and a quarter for voice. Default: the standard's.
    txop_limit: TXOP limit: longest time for which the node may keep sending once it has won the
        channel; `0 s` allows one frame. Default: 0 s for background, 4.096 ms for video, 2.08 ms
        for voice.
    """
    return _given(VideoTable, locals())


def voice(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> VoiceTable:
    """Channel access of packets of this category, in 802.11n and later.

    aifsn: Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only
        for access points. Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots]. `standard` is the PHY's for background, the PHY's
        smallest window for video and half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots]. `standard` is the PHY's for background, half of it
        for video and a quarter for voice. Default: the standard's.
    txop_limit: TXOP limit: longest time for which the node may keep sending once it has won the
        channel; `0 s` allows one frame. Default: 0 s for background, 4.096 ms for video, 2.08 ms
        for voice.
    """
    return _given(VoiceTable, locals())


def fair(
    *,
    access: str | None = None,
    credit: str | None = None,
    debt: str | None = None,
    grant: str | None = None,
    grants: bool | None = None,
    holds: bool | None = None,
    level_time: str | None = None,
    period: str | None = None,
    smoothing: str | None = None,
    unused: float | None = None,
    window_time: str | None = None,
    windows: bool | None = None,
) -> FairTable:
    """The access point gives its stations equal airtime in both directions.

    It lowers the windows in the ACKs of TCP uploads of a station that uses more than its share, and
    if `queue` is the airtime scheduler, bulk data for that station waits. With `ofdma`, it chooses
    the users of frames and triggers, whatever `ofdma.down` and `ofdma.up` name; if it triggers
    stations, no window is lowered, and no bulk waits. Not together with `mu_mimo`.

    access: Airtime that a station with aggregates should have each time it wins the channel. If it
        has less, a part of the contention counts as unused time, so that its window grows and its
        aggregates get longer. Default: "400 us".
    credit: Airtime of its share that a station may save for later. Default: "10 ms".
    debt: Airtime that a station may use beyond its share before bulk data for the station waits.
        Default: "5 ms".
    grant: Time that the access point reserves with each CTS, if `grants` is true. Default: "5 ms".
    grants: The access point reserves time for single stations by a CTS. So a station that sends
        UDP, TFRC or QUIC, whose windows it cannot lower, keeps quiet while it is ahead of others.
        Default: false.
    holds: Bulk data for a station waits if the station has used more than its share. Default: true.
    level_time: Time in which the share of the stations grows or shrinks by a factor e at most.
        Default: "1 s".
    period: Time after which the access point sets the share of its stations and their windows anew.
        Default: "50 ms".
    smoothing: Time constant of the exponential average of the airtime that a station uses. Default:
        "300 ms".
    unused: Fraction of the time that the access point tries to leave unused: more than 0 and less
        than 1. The share of its stations grows if more is unused, and shrinks if less is. Default:
        0.01.
    window_time: Time in which the window of a station that sends nothing grows by a factor e. It
        shrinks as fast if the station uses twice its share. Default: "500 ms".
    windows: The access point lowers the windows in the ACKs of TCP uploads. Default: true.
    """
    return _given(FairTable, locals())


def occupancy(
    *,
    aggregates: Literal["full", "seen", "apart"] | None = None,
    beacons: int | None = None,
    patience: int | None = None,
    satisfied: float | None = None,
    spare: Literal["printed", "once"] | None = None,
) -> OccupancyTable:
    """The beacons grant each active station an equal share of the channel.

    Flows with `control = "occupancy"` keep to it.

    aggregates: Channel time of a packet in an aggregate. `full`: the aggregate's time, divided by
        the number of packets that its limits allow. `seen`: divided by the mean number of packets
        in the flow's aggregates. `apart`: the time of a frame with this packet alone. Default:
        "full".
    beacons: Length of an observation slot [beacon intervals], n in the paper. Default: 3.
    patience: Beacons missed in a row after which a station stops limiting its flows. Default: 10.
    satisfied: Fraction of its equal share that a station must use before it may have more, r in the
        paper: more than 0 and less than 1. Default: 0.8.
    spare: Unused channel time that a flow may have beyond its share. `printed`: all that its
        station leaves unused, although the access point has already granted it to others. `once`:
        only what other flows of the station leave unused. Default: "printed".
    """
    return _given(OccupancyTable, locals())


def queue_fifo(
    *,
    ack_filter: bool | None = None,
    mark_above: int | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> QueueFifoTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    mark_above: Packets that find more packets than this in the queue, the one in service included,
        are marked if their transport has `ecn`; for DCTCP. Default: no marks.
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 50.
    """
    return _given(QueueFifoTable, locals(), discipline="fifo")


def queue_data_ack(
    *,
    ack_filter: bool | None = None,
    hardware_queue: Literal["off"] | int | None = None,
    hardware_queue_counts: Literal["aggregates", "packets"] | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    weights: Literal["active-flows"] | WeightsTable | None = None,
) -> QueueDataAckTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    hardware_queue: Largest number of aggregates or packets that the driver holds before they are on
        the air, those in service included; `hardware_queue_counts` chooses the unit. Without
        aggregation each packet counts as one. With `off` packets leave their queues when the access
        point wins the medium; only the first packet of the next frame leaves before that. Default:
        "off".
    hardware_queue_counts: Unit of `hardware_queue`. With `aggregates` the driver forms aggregates
        in advance; ath9k holds 2. With `packets` the hardware forms an aggregate when it wins the
        medium, of all packets that it holds for one station; ath10k holds up to 1424 packets and
        mt76 up to 2048, but `aql` of the airtime discipline usually limits them first. Default:
        "aggregates".
    limit: Queues to which `packets` applies: each queue by itself (`each`), or all queues together
        (`shared`). Default: "each".
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 50.
    weights: Packets that each queue sends in a round: fixed numbers, or the numbers of connections
        up and down that the access point sees (`active-flows`). Default: {}.
    """
    return _given(QueueDataAckTable, locals(), discipline="data-ack")


def weights(
    *,
    ack: int | None = None,
    data: int | None = None,
) -> WeightsTable:
    """A table of the scenario file.

    Packets that each queue sends in a round: fixed numbers, or the numbers of connections up and
    down that the access point sees (`active-flows`).

    ack: Pure TCP ACKs. Default: 1.
    data: Packets of TCP data, and all others that are not pure ACKs. Default: 2.
    """
    return _given(WeightsTable, locals())


def queue_round_robin(
    *,
    ack_filter: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> QueueRoundRobinTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    limit: Queues to which `packets` applies: each queue by itself (`each`), or all queues together
        (`shared`). Default: "each".
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 50.
    """
    return _given(QueueRoundRobinTable, locals(), discipline="round-robin")


def queue_deficit_round_robin(
    *,
    ack_filter: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    quantum: str | None = None,
) -> QueueDeficitRoundRobinTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    limit: Queues to which `packets` applies: each queue by itself (`each`), or all queues together
        (`shared`). Default: "each".
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 50.
    quantum: Quantum: octets that are added to a queue's deficit at each of its turns. Default:
        "1514 B".
    """
    return _given(QueueDeficitRoundRobinTable, locals(), discipline="deficit-round-robin")


def queue_codel(
    *,
    ack_filter: bool | None = None,
    ecn: bool | None = None,
    interval: str | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    target: str | None = None,
) -> QueueCodelTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    ecn: Packets whose transport has `ecn` are marked instead of dropped. Default: false.
    interval: CoDel's interval: the time within which the delay must fall below the target once.
        Default: "100 ms".
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 1000.
    target: CoDel's target: the standing delay that it accepts. Default: "5 ms".
    """
    return _given(QueueCodelTable, locals(), discipline="codel")


def queue_dualpi2(
    *,
    ack_filter: bool | None = None,
    coupling: int | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    step: str | None = None,
    target: str | None = None,
) -> QueueDualpi2Table:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    coupling: Coupling factor: packets of the queue of low latency are marked with this times the
        square root of the probability with which Classic packets are marked or dropped. Default: 2.
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 10000.
    step: Delay in the queue of low latency beyond which each packet is marked while another waits
        behind it. Packets whose transport sends ECT(1), as `prague` does, are in this queue.
        Default: "1 ms".
    target: Delay of the queue of Classic traffic at which DualPI2 aims. Default: "15 ms".
    """
    return _given(QueueDualpi2Table, locals(), discipline="dualpi2")


def queue_fq_codel(
    *,
    ack_filter: bool | None = None,
    ecn: bool | None = None,
    interval: str | None = None,
    isolation: Literal["flows", "dual-dsthost"] | None = None,
    packets: int | None = None,
    quantum: str | None = None,
    queues: int | None = None,
    target: str | None = None,
) -> QueueFqCodelTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    ecn: Packets whose transport has `ecn` are marked instead of dropped. Default: true.
    interval: CoDel's interval: the time within which the delay must fall below the target once.
        Default: "100 ms".
    isolation: Owners of equal shares: each flow (`flows`), or each station to which the access
        point sends, with equal parts for its flows (`dual-dsthost`, as in CAKE). Default: "flows".
    packets: Capacity [packets], the packet in service included. Default: 10240.
    quantum: Quantum: octets that are added to a queue's deficit at each of its turns. Default:
        "1514 B".
    queues: Number of queues to which flows are hashed. Default: 1024.
    target: CoDel's target: the standing delay that it accepts. Default: "5 ms".
    """
    return _given(QueueFqCodelTable, locals(), discipline="fq-codel")


def queue_airtime(
    *,
    ack_filter: bool | None = None,
    airtime_quantum: Literal["off"] | str | None = None,
    aql: Literal["off"] | AqlTable | None = None,
    charges_uplink: bool | None = None,
    ecn: bool | None = None,
    hardware_queue: Literal["off"] | int | None = None,
    hardware_queue_counts: Literal["aggregates", "packets"] | None = None,
    interval: str | None = None,
    packets: int | None = None,
    quantum: str | None = None,
    queues: int | None = None,
    slow_below: Literal["off"] | str | None = None,
    slow_interval: str | None = None,
    slow_target: str | None = None,
    target: str | None = None,
) -> QueueAirtimeTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    airtime_quantum: Airtime that is added to a station's deficit at each of its turns. With `off`
        each turn is one aggregate, whatever airtime it takes, as in Linux before its airtime
        scheduler. Default: "300 us".
    aql: Airtime queue limits (AQL) of the packets that the driver takes. They have no effect
        without `hardware_queue`. Default: {}.
    charges_uplink: A station is also charged for the frames that it sends, not only for those sent
        to it. Default: true.
    ecn: Packets whose transport has `ecn` are marked instead of dropped. Default: true.
    hardware_queue: Largest number of aggregates or packets that the driver holds before they are on
        the air, those in service included; `hardware_queue_counts` chooses the unit. Without
        aggregation each packet counts as one. With `off` packets leave their queues when the access
        point wins the medium; only the first packet of the next frame leaves before that. Default:
        "off".
    hardware_queue_counts: Unit of `hardware_queue`. With `aggregates` the driver forms aggregates
        in advance; ath9k holds 2. With `packets` the hardware forms an aggregate when it wins the
        medium, of all packets that it holds for one station; ath10k holds up to 1424 packets and
        mt76 up to 2048, but `aql` of the airtime discipline usually limits them first. Default:
        "aggregates".
    interval: CoDel's interval: the time within which the delay must fall below the target once.
        Default: "100 ms".
    packets: Capacity [packets], the packet in service included. Default: 8192.
    quantum: Quantum: octets that are added to a flow's deficit at each of its turns. Default: "300
        B".
    queues: Number of queues to which the flows of a station are hashed. Default: 4096.
    slow_below: Rate of a station's last frame below which `slow_target` and `slow_interval` apply
        to it. With `off` they apply to none, as in Linux since 6.16. Default: "12 Mb/s".
    slow_interval: CoDel's interval for a station at a low rate. Default: "300 ms".
    slow_target: CoDel's target for a station at a low rate. Default: "50 ms".
    target: CoDel's target: the standing delay that it accepts. Default: "20 ms".
    """
    return _given(QueueAirtimeTable, locals(), discipline="airtime")


def aql(
    *,
    high: str | None = None,
    low: str | None = None,
    threshold: str | None = None,
) -> AqlTable:
    """Airtime queue limits (AQL) of the packets that the driver takes.

    They have no effect without `hardware_queue`.

    high: Higher limit for one station, which applies while the expected airtime of all packets in
        the driver is below `threshold`. Default: "12 ms".
    low: Limit for one station: the driver takes more of its packets while the expected airtime of
        those in the driver is below this value, however many it holds for other stations. Default:
        "5 ms".
    threshold: Expected airtime of all packets in the driver, of all stations and categories, from
        which on `low` applies instead of `high`. Default: "24 ms".
    """
    return _given(AqlTable, locals())


def queue_airtime_dualpi2(
    *,
    ack_filter: bool | None = None,
    airtime_quantum: Literal["off"] | str | None = None,
    aql: Literal["off"] | AqlTable | None = None,
    charges_uplink: bool | None = None,
    coupling: int | None = None,
    hardware_queue: Literal["off"] | int | None = None,
    hardware_queue_counts: Literal["aggregates", "packets"] | None = None,
    packets: int | None = None,
    step: str | None = None,
    target: str | None = None,
) -> QueueAirtimeDualpi2Table:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    airtime_quantum: Airtime that is added to a station's deficit at each of its turns. With `off`
        each turn is one aggregate, whatever airtime it takes, as in Linux before its airtime
        scheduler. Default: "300 us".
    aql: Airtime queue limits (AQL) of the packets that the driver takes. They have no effect
        without `hardware_queue`. Default: {}.
    charges_uplink: A station is also charged for the frames that it sends, not only for those sent
        to it. Default: true.
    coupling: Coupling factor: packets of the queue of low latency are marked with this times the
        square root of the probability with which Classic packets are marked or dropped. Default: 2.
    hardware_queue: Largest number of aggregates or packets that the driver holds before they are on
        the air, those in service included; `hardware_queue_counts` chooses the unit. Without
        aggregation each packet counts as one. With `off` packets leave their queues when the access
        point wins the medium; only the first packet of the next frame leaves before that. Default:
        "off".
    hardware_queue_counts: Unit of `hardware_queue`. With `aggregates` the driver forms aggregates
        in advance; ath9k holds 2. With `packets` the hardware forms an aggregate when it wins the
        medium, of all packets that it holds for one station; ath10k holds up to 1424 packets and
        mt76 up to 2048, but `aql` of the airtime discipline usually limits them first. Default:
        "aggregates".
    packets: Capacity [packets], the packet in service included. Default: 8192.
    step: Delay in the queue of low latency beyond which each packet is marked while another waits
        behind it. Packets whose transport sends ECT(1), as `prague` does, are in this queue.
        Default: "1 ms".
    target: Delay of the queue of Classic traffic at which DualPI2 aims. Default: "15 ms".
    """
    return _given(QueueAirtimeDualpi2Table, locals(), discipline="airtime-dualpi2")


def queue_time_regulator(
    *,
    ack_filter: bool | None = None,
    adjustment: str | None = None,
    bucket: str | None = None,
    charges_backoff: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> QueueTimeRegulatorTable:
    """Transmit queue of the access point.

    ack_filter: An arriving pure TCP ACK replaces an older ACK of its flow that waits. Duplicate
        ACKs and ACKs with SACK blocks are kept. Default: false.
    adjustment: Interval at which unused shares are given to stations that can use them. Default:
        "200 ms".
    bucket: Largest amount of channel time that a station can save. Default: "50 ms".
    charges_backoff: The mean back-off before a frame counts as channel time. The interframe space
        before it always counts. Default: true.
    limit: Queues to which `packets` applies: each queue by itself (`each`), or all queues together
        (`shared`). Default: "each".
    overflow: Packet that is dropped when the queue is full: the arriving one (`tail`), or the
        oldest of the flow with most packets in the same queue (`longest-flow`). Default: "tail".
    packets: Capacity [packets], the packet in service included. Default: 50.
    """
    return _given(QueueTimeRegulatorTable, locals(), discipline="time-regulator")


def beacon(
    *,
    interval: str | None = None,
    phase: str | None = None,
    size: str | None = None,
) -> BeaconTable:
    """Beacons of the access point.

    Each is sent at the lowest basic rate, as soon as the medium has been idle for a PIFS. Default:
    true if `ap.occupancy` is on, else false.

    interval: Beacon interval; by default 100 time units of 1024 µs. Default: "102.4 ms".
    phase: Time by which beacons are later than multiples of `interval`, less than `interval`.
        Default: drawn for each run in a cell with neighbours, else 0 s.
    size: Size of a beacon, header and check sequence included. Granted shares of the channel add
        six octets. Default: "66 B".
    """
    return _given(BeaconTable, locals())


def errors_bernoulli(
    *,
    probability: float,
) -> ErrorsBernoulliTable:
    """A table of the scenario file.

    Error model of frames between a station and the access point, in both directions, for each
    station that sets none.

    probability: Probability that a frame is errored, whatever its kind and length.
    """
    return _given(ErrorsBernoulliTable, locals(), model="bernoulli")


def errors_bit(
    *,
    ber: float,
) -> ErrorsBitTable:
    """A table of the scenario file.

    Error model of frames between a station and the access point, in both directions, for each
    station that sets none.

    ber: Bit error probability; one wrong bit makes a frame errored.
    """
    return _given(ErrorsBitTable, locals(), model="bit")


def errors_gilbert_elliott(
    *,
    mean_bad: str,
    mean_good: str,
    bad: float | None = None,
    good: float | None = None,
) -> ErrorsGilbertElliottTable:
    """A table of the scenario file.

    Error model of frames between a station and the access point, in both directions, for each
    station that sets none.

    mean_bad: Mean of a bad period's length, which is exponential.
    mean_good: Mean of a good period's length, which is exponential.
    bad: Probability that a frame is errored in a bad period. Default: 1.0.
    good: Probability that a frame is errored in a good period. Default: 0.0.
    """
    return _given(ErrorsGilbertElliottTable, locals(), model="gilbert-elliott")


def errors_snr(
    *,
    snr: str,
) -> ErrorsSnrTable:
    """A table of the scenario file.

    Error model of frames between a station and the access point, in both directions, for each
    station that sets none.

    snr: Signal-to-noise ratio in the channel's bandwidth. The probability of a frame error follows
        from it, the rate and the length.
    """
    return _given(ErrorsSnrTable, locals(), model="snr")


def mu_edca(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767] | None = None,
    timer: str | None = None,
) -> MuEdcaTable:
    """A table of the scenario file.

    Channel access of a station after the access point has triggered it, which replaces `edca` until
    a timer ends. It needs `ofdma.up`.

    aifsn: Idle slots after a SIFS before the back-off counts down; 2 or more. With 0 the station
        does not contend at all until the timer ends. Default: 8.
    cw_max: Largest contention window [slots], at least `cw_min`. Default: 1023.
    cw_min: Smallest contention window [slots]. Default: 511.
    timer: MU EDCA timer, a multiple of 8.192 ms. It starts again with each response to a frame that
        the station was triggered for. Default: "2088.96 ms".
    """
    return _given(MuEdcaTable, locals())


def mu_mimo(
    *,
    sounding_every: str | None = None,
    users: int | None = None,
) -> MuMimoTable:
    """A table of the scenario file.

    MU-MIMO: frames to several stations at once, each on spatial streams of its own, in 802.11ax.
    Stations of older standards, and those without `aggregation` or with less than the cell's
    `width`, have frames of their own. With `ofdma.down`, the access point chooses for each frame
    what delivers more per time.

    sounding_every: Largest age of a report on the channel to a station. When it is older, the
        access point measures the channel again before a frame that the station shares with others.
        Default: "102.4 ms".
    users: Largest number of stations in one PPDU, at most the access point's `streams`, which they
        share. Default: 2.
    """
    return _given(MuMimoTable, locals())


def ofdma(
    *,
    ack: Literal["bar", "mu-bar", "aggregated-mu-bar"] | None = None,
    down: Literal["off", "round-robin", "proportional-fair", "largest-backlog", "deadline"] | None = None,
    poll: bool | None = None,
    random: int | None = None,
    target_rssi: Literal["off"] | str | None = None,
    trigger_every: Literal["off"] | str | None = None,
    up: Literal["off", "round-robin", "proportional-fair", "largest-backlog", "deadline"] | None = None,
    up_guard_interval: str | None = None,
    users: int | None = None,
) -> OfdmaTable:
    """A table of the scenario file.

    OFDMA: frames to and from several stations at once, each in its own part of the width, in
    802.11ax. Stations of older standards, and those without `aggregation`, have frames of their
    own.

    ack: Acknowledgement of a downlink frame to several stations. `bar`: by one station after the
        other, which block ack requests ask. `mu-bar`: by all at once after a trigger frame.
        `aggregated-mu-bar`: by all at once; the frame itself has the trigger in each aggregate.
        Default: "bar".
    down: Scheduler of downlink frames to several stations. `round-robin`: equal shares of time
        multiplied by width. `proportional-fair`: the rate that a station would have, compared with
        the mean of the rates that it has had. `largest-backlog`: the most octets in the queue.
        `deadline`: the packet that has waited longest for its category. `off`: frames to one
        station only. Default: "round-robin".
    poll: A buffer status report poll (BSRP) asks the stations for their backlogs before each Basic
        trigger. Default: false.
    random: Number of resource units of each Basic trigger that stations access at random (UORA).
        They serve stations whose backlogs the access point does not know; the others have units of
        their own. Together with `users` at most as many as the width has. Default: 0.
    target_rssi: Power at which the access point wants to receive the frames that its triggers ask
        for. Stations reduce theirs for it. `off`: they send with their usual power. Only together
        with `radio`. Default: "off".
    trigger_every: Time since its last access to the channel after which the access point contends
        for a Basic trigger, even without downlink traffic. `off`: it triggers only after a downlink
        frame to several stations. Default: "off".
    up: Scheduler of uplink frames of several stations, which the access point triggers, as in
        `down`. `off`: no triggers, so that stations only contend. Default: "off".
    up_guard_interval: Guard interval of the frames that triggers ask for: 1.6 or 3.2 µs. Default:
        "3.2 us".
    users: Largest number of stations in one PPDU: at most 9 at 20 MHz, 18 at 40 MHz, 37 at 80 MHz
        and 74 at 160 MHz. Default: 4.
    """
    return _given(OfdmaTable, locals())


def radio(
    *,
    capture: Literal["off"] | str | None = None,
    carrier_sense: Literal["lowest-rate"] | str | None = None,
    energy_detection: Literal["carrier-sense"] | str | None = None,
    fading: Literal["none"] | FadingRayleighTable | FadingRicianTable | None = None,
    frequency: str | None = None,
    noise_figure: str | None = None,
    propagation: Literal["free-space", "two-ray", "residential"] | PropagationTwoRayTable | PropagationLogDistanceTable | PropagationResidentialTable | None = None,
    range: Mapping[str, str] | None = None,
    reception: Literal["snr", "sensitivity", "qualnet4"] | None = None,
    shadowing: str | None = None,
    tx_power: str | None = None,
    walls: str | None = None,
) -> RadioTable:
    """Radio model.

    Transmit powers, distances and noise decide which stations hear each other and which frames have
    errors, instead of `errors`, `senses_only` and `hears`. Cells with overlapping channels all have
    a radio, or none.

    capture: The strongest of overlapping frames survives at a receiver if its power is at least
        this many times that of all others together. With `off` none survives. Default: "off".
    carrier_sense: Power from which on a station or access point senses a frame; below it, sender
        and receiver are hidden from each other. `lowest-rate` is the power at which the lowest rate
        is just received. Default: "lowest-rate".
    energy_detection: Power from which on a member senses a frame whose preamble it has missed,
        because it sent or received another frame at that time: CCA-ED. `carrier-sense`: it senses
        such a frame as all others. For cells beside neighbours. Default: "carrier-sense".
    fading: Fading: variation of a link's power while nothing moves. It causes frame errors but
        hides no station. Default: "none".
    frequency: Carrier frequency. Default: 5.2 GHz in 802.11a, else 2.437 GHz.
    noise_figure: Noise figure of the receivers: their noise above that of 290 K in the channel's
        bandwidth. Default: "10 dB".
    propagation: Propagation model: path loss over distance. Default: "free-space".
    range: Distance at which frames at a rate, in Mb/s or by the name of its mode, are just
        received. The transmit power is computed from it; with two rates, the exponent of log-
        distance propagation as well. Not together with `tx_power`; with two rates, also not
        together with `propagation`. Default: computed from power and propagation.
    reception: Rule that decides which frames have errors. `snr`: the probability of an error
        follows from the signal-to-noise ratio. `sensitivity`: all frames have errors that arrive
        with less power than the standard's sensitivity for their rate. `qualnet4`: the same with
        QualNet 4's sensitivities and transmit powers, which fall as the rate rises (802.11a only).
        Default: "snr".
    shadowing: Standard deviation of shadowing, the loss or gain of each link by obstacles; drawn
        once per run. Default: "0 dB".
    tx_power: Transmit power of every member, antenna gain included. Default: "20 dBm".
    walls: Loss of the walls around the cell. A frame between two cells passes the walls of both.
        Default: "0 dB".
    """
    return _given(RadioTable, locals())


def fading_rayleigh(
    *,
    coherence: str | None = None,
) -> FadingRayleighTable:
    """Fading: variation of a link's power while nothing moves.

    It causes frame errors but hides no station.

    coherence: Coherence time: the power is constant for this time, and then drawn again. Default:
        "10 ms".
    """
    return _given(FadingRayleighTable, locals(), model="rayleigh")


def fading_rician(
    *,
    coherence: str | None = None,
    k: str | None = None,
) -> FadingRicianTable:
    """Fading: variation of a link's power while nothing moves.

    It causes frame errors but hides no station.

    coherence: Coherence time: the power is constant for this time, and then drawn again. Default:
        "10 ms".
    k: Rician K-factor: power of the direct path relative to that of all reflected paths. Default:
        "6 dB".
    """
    return _given(FadingRicianTable, locals(), model="rician")


def propagation_two_ray(
    *,
    ap_height: str | None = None,
    station_height: str | None = None,
) -> PropagationTwoRayTable:
    """Propagation model: path loss over distance.

    ap_height: Height of the access point's antenna above ground. Default: "1.5 m".
    station_height: Height of the stations' antennas above ground. Default: "1.5 m".
    """
    return _given(PropagationTwoRayTable, locals(), model="two-ray")


def propagation_log_distance(
    *,
    exponent: float | None = None,
    reference_loss: str | None = None,
) -> PropagationLogDistanceTable:
    """Propagation model: path loss over distance.

    exponent: Path loss exponent: at ten times the distance the loss is larger by ten times this
        many dB. 2 is free space. Default: 3.0.
    reference_loss: Loss at 1 m. Default: that of free space.
    """
    return _given(PropagationLogDistanceTable, locals(), model="log-distance")


def propagation_residential(
    *,
    floors: int | str | None = None,
    walls: int | str | None = None,
) -> PropagationResidentialTable:
    """Propagation model: path loss over distance.

    floors: Floors between the antennas of each link: their number, or the length of the distance
        for each of them. F floors lose 18.3·F^((F+2)/(F+1)−0.46) dB. Default: 0.
    walls: Walls between the antennas of each link: their number, or the length of the distance for
        each of them. A wall loses 5 dB. Default: 0.
    """
    return _given(PropagationResidentialTable, locals(), model="residential")


def retry_limits(
    *,
    long: int | None = None,
    short: int | None = None,
) -> RetryLimitsTable:
    """Largest numbers of transmission attempts, by the standard's two retry counters.

    Not together with `max_attempts`.

    long: Attempts of a frame protected by RTS. Default: 4.
    short: Attempts of a frame not protected by RTS. Default: 7.
    """
    return _given(RetryLimitsTable, locals())


def flow(
    *,
    from_: str,
    to: str,
    transport: TransportTcpTable | TransportQuicTable | TransportTfrcTable | TransportUdpTable | TransportExternalTable,
    access_category: Literal["background", "best effort", "video", "voice"] | None = None,
    control: Literal["none", "arf-aware", "arf-window", "occupancy", "rate-cap"] | ControlArfAwareTable | ControlArfWindowTable | ControlOccupancyTable | ControlRateCapTable | None = None,
    count: int | None = None,
    dscp: Literal["none"] | int | None = None,
    start: str | None = None,
    start_jitter: str | None = None,
    stop: Literal["end"] | str | None = None,
) -> FlowTable:
    """Flows, at most 10000.

    from_: Sender: a station or a host. A group of stations makes one flow per member, with numbered
        names.
    to: Receiver: a station or a host. Two groups of equal size are paired by number.
    transport: Transport protocol with its settings. An `external` flow sends nothing by itself; the
        program that drives the simulation provides its packets.
    access_category: Access category of the flow's packets in both directions, in cells of 802.11n
        and later. Each category has its own queue and channel access. Default: "best effort".
    control: Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP
        and a station as sender. `arf-window` needs TCP and a station at one end at least.
        `occupancy` needs TCP or TFRC, a station at one end at least and an access point with
        `occupancy`. `rate-cap` needs TCP or TFRC and a station as sender. If both ends are
        stations, `arf-window` and `occupancy` act at both. Default: "none".
    count: Number of equal flows between each pair, with the names NAME1, NAME2, …. With 1 the name
        has no number. Default: 1.
    dscp: Differentiated services code point (DSCP) of the flow's packets. The access category
        follows from it by RFC 8325: 46 (EF) is voice, 34 (AF41) video, 8 (CS1) background. Default:
        "none".
    start: Start of the flow, before the end of the run. Default: "0 s".
    start_jitter: Largest random delay that is added to the start: uniform from 0, and different in
        each replication. It makes replications differ where nothing else is random, as in a wired
        network. Default: "0 s".
    stop: End of the flow's source, after its start. Default: "end".
    """
    return _given(FlowTable, locals())


def control_arf_aware(
    *,
    notification_delay: str | None = None,
    poll: Literal["off"] | str | None = None,
    variant: Literal["held", "one-shot", "continuous"] | None = None,
) -> ControlArfAwareTable:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender. `arf-window` needs TCP and a station at one end
    at least. `occupancy` needs TCP or TFRC, a station at one end at least and an access point with
    `occupancy`. `rate-cap` needs TCP or TFRC and a station as sender. If both ends are stations,
    `arf-window` and `occupancy` act at both.

    notification_delay: Delay from a change of the link rate, or from a query of the rate, until TCP
        knows the rate. Default: "0 s".
    poll: Time between two queries of the link rate, as with SNMP. With `off` the driver notifies
        TCP of each change. Default: "off".
    variant: Interpretation of the paper. `held`: while the rate is low, the window is at most a
        k-th of the saved one. `one-shot`: the window is set to a k-th of the saved one once.
        `continuous`: the window is at most a k-th of the current one. Default: "held".
    """
    return _given(ControlArfAwareTable, locals(), scheme="arf-aware")


def control_arf_window(
    *,
    aggregates: Literal["full", "seen", "apart"] | None = None,
    fall: Literal["projected", "printed"] | None = None,
    long_lived: str | None = None,
    rise: Literal["projected", "printed"] | None = None,
    round_trip: Literal["least", "smoothed"] | None = None,
    slot: str | None = None,
) -> ControlArfWindowTable:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender. `arf-window` needs TCP and a station at one end
    at least. `occupancy` needs TCP or TFRC, a station at one end at least and an access point with
    `occupancy`. `rate-cap` needs TCP or TFRC and a station as sender. If both ends are stations,
    `arf-window` and `occupancy` act at both.

    aggregates: Channel time of a packet in an aggregate. `full`: the aggregate's time, divided by
        the number of packets that its limits allow. `seen`: divided by the mean number of packets
        in the flow's aggregates. `apart`: the time of a frame with this packet alone. Default:
        "full".
    fall: Channel time of a connection after a fall of the rate, as in `rise`. Default: "projected".
    long_lived: Amount of data that a connection must have transferred before the scheme takes it
        for long-lived. Default: "100000 B".
    rise: Channel time of a connection after a rise of the rate. `projected`: the time that its data
        would take at the new rate. `printed`: the time measured at the old rate, so that the rise
        counts twice. Default: "projected".
    round_trip: Round-trip time from which a window is computed. `least`: the smallest so far.
        `smoothed`: the smoothed one, which contains the wait in the queue that the window fills.
        Default: "least".
    slot: Observation slot, T in the paper: the time over which the station measures its channel.
        Default: "300 ms".
    """
    return _given(ControlArfWindowTable, locals(), scheme="arf-window")


def control_occupancy(
) -> ControlOccupancyTable:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender. `arf-window` needs TCP and a station at one end
    at least. `occupancy` needs TCP or TFRC, a station at one end at least and an access point with
    `occupancy`. `rate-cap` needs TCP or TFRC and a station as sender. If both ends are stations,
    `arf-window` and `occupancy` act at both.
    """
    return _given(ControlOccupancyTable, {}, scheme="occupancy")


def control_rate_cap(
    *,
    share: float | None = None,
) -> ControlRateCapTable:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender. `arf-window` needs TCP and a station at one end
    at least. `occupancy` needs TCP or TFRC, a station at one end at least and an access point with
    `occupancy`. `rate-cap` needs TCP or TFRC and a station as sender. If both ends are stations,
    `arf-window` and `occupancy` act at both.

    share: Share of the sender's link rate that the flow may use, more than 0. The limit begins at
        the first change of that rate. Default: 0.5.
    """
    return _given(ControlRateCapTable, locals(), scheme="rate-cap")


def transport_tcp(
    *,
    arithmetic: Literal["rfc", "linux"] | None = None,
    byte_counting: bool | None = None,
    deflation: Literal["to-flight", "to-ssthresh"] | None = None,
    delayed_ack: bool | DelayedAckTable | None = None,
    ecn: bool | None = None,
    ecn_feedback: Literal["classic", "exact", "ace", "accurate"] | None = None,
    flavour: Literal["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic", "bbr1", "bbr", "dctcp", "prague"] | None = None,
    full_queue: Literal["loss", "hold"] | None = None,
    grow_beyond_receive_window: bool | None = None,
    handshake: bool | None = None,
    initial_ssthresh: Literal["unlimited"] | int | None = None,
    initial_window: int | None = None,
    limited_transmit: bool | None = None,
    loss_recovery: Literal["duplicates", "rack"] | None = None,
    min_rto: str | None = None,
    pacing: bool | None = None,
    prr: bool | None = None,
    quick_acks: int | None = None,
    receive_window: str | None = None,
    recovery_timer: Literal["impatient", "slow-but-steady"] | None = None,
    sack: bool | None = None,
    segment: str | None = None,
    size: Literal["endless"] | str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] | None = None,
    small_queues: Literal["off"] | str | None = None,
    source: Literal["bulk", "web", "video", "responsiveness"] | SourceConstantTable | SourceOnOffTable | SourceFramesTable | SourceRpcTable | SourceWebTable | SourceVideoTable | SourceResponsivenessTable | None = None,
    stack: Literal["simulated", "kernel"] | None = None,
    tick: str | None = None,
    timestamps: bool | None = None,
    window_scaling: bool | None = None,
) -> TransportTcpTable:
    """Transport protocol with its settings.

    An `external` flow sends nothing by itself; the program that drives the simulation provides its
    packets.

    arithmetic: Arithmetic of `reno`, `newreno`, `sack` and `cubic`: that of the RFCs in octets, or
        Linux's in whole segments, with Linux's CUBIC and HyStart, a retransmission time-out of at
        least SRTT plus `min_rto`, and a receive window that grows. Default: "rfc".
    byte_counting: cwnd grows by acknowledged octets (RFC 3465), instead of once per ACK as in ns-2.
        Default: true.
    deflation: Window at the end of NewReno's fast recovery. `to-flight`: just above the data in
        flight, so that no burst follows. `to-ssthresh`: ssthresh, as in ns-2 (`exit_recovery_fix_
        0`). Reno always takes ssthresh. Default: "to-flight".
    delayed_ack: Delayed acknowledgements: `true` is `{ segments = 2, timeout = "200 ms" }`.
        Default: true.
    ecn: Explicit congestion notification (RFC 3168): queues with `ecn` mark the connection's new
        data instead of dropping it, and the sender answers a mark as it answers a loss, without a
        retransmission. Default: false.
    ecn_feedback: Method by which the receiver reports marks. `classic`: in all ACKs until the
        sender has answered (RFC 3168). `exact`: in the ACKs of marked segments (RFC 8257), for
        `dctcp` and `prague` alone. `accurate`: accurate ECN (RFC 9768), a count of marked packets
        modulo eight in each ACK, and an option of 8 octets with counts of octets. `ace`: the same
        without the option. Default: `accurate` for `prague`, `exact` for `dctcp`, otherwise
        `classic`.
    flavour: Congestion control. `sack`, `westwood+`, `cubic`, `dctcp`, `prague`, `bbr1` and `bbr`
        use selective acknowledgements. `bbr1` and `bbr` are versions 1 and 3 of BBR, which pace,
        and detect losses as `loss_recovery = "rack"` does. `dctcp` reduces its window in proportion
        to the share of marked octets (RFC 8257); it always has `ecn`, and its receiver echoes each
        mark exactly. `prague` is like it, for queues of low latency: it sends ECT(1), paces, and
        depends less on the round trip (draft-briscoe-iccrg-prague-congestion-control). Default:
        "newreno".
    full_queue: Treatment of a segment for which the transmit queue of the sender's host has no
        room. `loss`: it is lost, as in ns-2. `hold`: the sender keeps it and reduces its window, as
        Linux does. Default: "loss".
    grow_beyond_receive_window: cwnd also grows while the receive window is the limit, as in ns-2.
        Default: false.
    handshake: The connection opens with SYN and SYN-ACK. Default: true.
    initial_ssthresh: Initial slow-start threshold [segments]. Default: "unlimited".
    initial_window: Initial window [segments]. Default: 10.
    limited_transmit: Limited transmit (RFC 3042). Default: true.
    loss_recovery: Rule by which a segment counts as lost. `duplicates`: three duplicate ACKs, or
        three acknowledged ranges above it (RFC 5681, 6675). `rack`: the time since it was sent,
        with tail loss probes (RFC 8985) and proportional rate reduction, as in Linux; it needs
        selective acknowledgements. Default: "duplicates".
    min_rto: Smallest retransmission time-out; RFC 6298 has 1 s. Default: "1 s".
    pacing: Segments leave at a rate, in bursts of a millisecond or two segments: at twice the
        window per round trip in slow start, and at 1.2 windows afterwards, as in Linux. `bbr1` and
        `bbr` always pace, at a rate of their own. Default: false.
    prr: Proportional rate reduction in recovery (RFC 6937); needs selective acknowledgements.
        Default: false.
    quick_acks: ACKs at the start of a connection that are sent at once, before ACKs are delayed;
        Linux has up to 16. Default: 0.
    receive_window: Receive window: at least one segment; more than 65535 B only with
        `window_scaling`. Default: "65535 B".
    recovery_timer: Partial ACKs that restart the retransmission timer in NewReno's fast recovery:
        the first one (`impatient`: RFC 6582, and ns-2.35 by default), or every one (`slow-but-
        steady`: ns-2's `newreno_changes1_ 0`). Default: "impatient".
    sack: Selective acknowledgements (RFC 2018, 6675). The flavour `sack` requires them. Default:
        see `flavour`.
    segment: Application octets per segment. With 40 octets of headers, and LLC/SNAP, they must fit
        in an MSDU of 2304 octets. Default: "1460 B".
    size: Amount of data to send. Default: "endless".
    slow_start: End of slow start of `reno`, `newreno`, `sack` and `cubic`. `standard`: a loss.
        `hystart`: also a long train of ACKs or grown round trips, as in Linux's CUBIC. `hystart++`:
        grown round trips, and then five rounds of slower growth (RFC 9406). Default: `hystart` for
        `cubic` with `arithmetic = "linux"`, otherwise `standard`.
    small_queues: TCP small queues: limit of a sender's data in the transmit queue of its host. The
        limit is the amount that pacing would send in this time, at least two segments and at most 4
        MiB. Linux has 1 ms, and 8 ms on Wi-Fi. Default: "off".
    source: Application that writes the data over time. `bulk`: all data is there from the start.
        `web`, `video` and `responsiveness` are their tables with the defaults. A `size` is for
        `bulk` alone. Default: "bulk".
    stack: TCP implementation: the simulated one, or that of this machine's kernel over real
        sockets, in `airfair emulate` only. Of the other settings, `kernel` allows `flavour`, `ecn`
        and `size`. Default: "simulated".
    tick: Tick of the clock that measures round trips; ns-2's `tcpTick_` is 10 ms. Default: "1 us".
    timestamps: Timestamps in every segment and ACK (RFC 7323): 12 more octets of header, and a
        round-trip measurement with every new ACK. Default: false.
    window_scaling: The connection offers the window scale option (RFC 7323). Default: false.
    """
    return _given(TransportTcpTable, locals(), kind="tcp")


def delayed_ack(
    *,
    coalescing: Literal["off"] | str | None = None,
    segments: int | None = None,
    timeout: str | None = None,
) -> DelayedAckTable:
    """Delayed acknowledgements: `true` is `{ segments = 2, timeout = "200 ms" }`.

    coalescing: Time for which an ACK that is due waits, so that it acknowledges all segments that
        arrive meanwhile, such as the rest of an aggregate. In Linux the application reads them
        together, and its read sends the ACK. Default: "off".
    segments: Largest number of segments that one ACK acknowledges. Default: 2.
    timeout: Longest delay of an ACK. Default: "200 ms".
    """
    return _given(DelayedAckTable, locals())


def source_constant(
    *,
    rate: str,
) -> SourceConstantTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    rate: Rate of the application's data, which come in segments.
    """
    return _given(SourceConstantTable, locals(), model="constant")


def source_on_off(
    *,
    off: str,
    on: str,
    rate: str,
) -> SourceOnOffTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    off: Length of each off-period.
    on: Length of each on-period.
    rate: Rate of the application during an on-period, in whole segments; the first one comes at its
        start.
    """
    return _given(SourceOnOffTable, locals(), model="on-off")


def source_frames(
    *,
    interval: str,
    sizes: Sequence[str],
) -> SourceFramesTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    interval: Time from frame to frame, and from the start to the first frame.
    sizes: Sizes of the frames, at most 100000; after the last one the list starts again. A frame is
        dropped as a whole if more than 50 segments' worth of data waits to be sent.
    """
    return _given(SourceFramesTable, locals(), model="frames")


def source_rpc(
    *,
    size: str,
    think: str | None = None,
) -> SourceRpcTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    size: Size of an answer.
    think: Time from the arrival of an answer to the next call. Default: "0 s".
    """
    return _given(SourceRpcTable, locals(), model="rpc")


def source_web(
    *,
    document: str | None = None,
    object: str | None = None,
    objects: int | None = None,
    think: str | None = None,
) -> SourceWebTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    document: Size of a page's document. Default: "50000 B".
    object: Size of each object. Default: "30000 B".
    objects: Number of a page's objects, which are requested together once the document has arrived.
        Default: 70.
    think: Time from the end of a page to the request of the next one. Default: "10 s".
    """
    return _given(SourceWebTable, locals(), model="web")


def source_video(
    *,
    buffer: str | None = None,
    chunk: str | None = None,
    cushion: str | None = None,
    rates: Sequence[str] | None = None,
    reservoir: str | None = None,
) -> SourceVideoTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    buffer: Play time that the player buffers at most. It requests the next chunk when there is room
        for it. Default: "60 s".
    chunk: Play time of a chunk. Default: "4 s".
    cushion: Play time above the reservoir over which the requested rate rises to the highest one.
        Default: "10 s".
    rates: Rates of the video, from the lowest to the highest. Default: nine rates from 235 kb/s to
        5.8 Mb/s.
    reservoir: Play time in the buffer up to which the player requests the lowest rate. Default: "5
        s".
    """
    return _given(SourceVideoTable, locals(), model="video")


def source_responsiveness(
    *,
    think: str | None = None,
) -> SourceResponsivenessTable:
    """Application that writes the data over time.

    `bulk`: all data is there from the start. `web`, `video` and `responsiveness` are their tables
    with the defaults. A `size` is for `bulk` alone.

    think: Time from the arrival of an answer, of one octet, to the next request. Default: "10 ms".
    """
    return _given(SourceResponsivenessTable, locals(), model="responsiveness")


def transport_quic(
    *,
    ack_every: int | None = None,
    datagram: str | None = None,
    ecn: bool | None = None,
    flavour: Literal["newreno", "cubic", "bbr1", "bbr"] | None = None,
    handshake: bool | None = None,
    initial_window: int | None = None,
    max_ack_delay: str | None = None,
    pacing: bool | None = None,
    receive_window: str | None = None,
    server_crypto: str | None = None,
    size: Literal["endless"] | str | None = None,
    slow_start: Literal["standard", "hystart", "hystart++"] | None = None,
    source: Literal["bulk", "web", "video", "responsiveness"] | SourceConstantTable | SourceOnOffTable | SourceFramesTable | SourceRpcTable | SourceWebTable | SourceVideoTable | SourceResponsivenessTable | None = None,
) -> TransportQuicTable:
    """Transport protocol with its settings.

    An `external` flow sends nothing by itself; the program that drives the simulation provides its
    packets.

    ack_every: Number of packets after which the receiver acknowledges at once: 2 in RFC 9000, more
        with QUIC's extension for ACK frequency. A packet out of order is always acknowledged at
        once. Default: 2.
    datagram: UDP payload of a full packet. Of it, 33 octets are usually QUIC's header, frame header
        and authentication tag; headers of IP and UDP come on top, 28 octets. Default: "1200 B".
    ecn: Explicit congestion notification (RFC 9000, section 13.4): queues with `ecn` mark the
        connection's packets instead of dropping them, ACK frames count the marks, and the sender
        answers a mark as it answers a loss. Default: false.
    flavour: Congestion control: NewReno as RFC 9002 has it, CUBIC, or version 1 or 3 of BBR. Losses
        are detected as RFC 9002 has it for all of them. Default: "newreno".
    handshake: The connection opens with the handshake of TLS 1.3, which takes a round trip. Without
        it data is sent at once, as with 0-RTT. Default: false.
    initial_window: Initial window [packets]. Default: 10.
    max_ack_delay: Longest delay of an acknowledgement. Default: "25 ms".
    pacing: Packets leave at 1.25 windows per round trip (RFC 9002, section 7.7), in bursts of a
        millisecond or two packets. `bbr1` and `bbr` always pace, at a rate of their own. Default:
        true.
    receive_window: Data that the receiver allows ahead of what its application has read
        (`MAX_DATA`). The application reads at once. Default: "10000000 B".
    server_crypto: TLS messages of the receiver in the handshake, with its certificates. Up to 3402
        octets fit into the three datagrams that it may send before it knows that the sender's
        address is right; more take a further round trip. Default: "3000 B".
    size: Amount of data to send. Default: "endless".
    slow_start: End of slow start of `newreno` and `cubic`. `standard`: a loss. `hystart`: also a
        long train of ACKs or grown round trips. `hystart++`: grown round trips, and then five
        rounds of slower growth (RFC 9406). Default: "standard".
    source: Application that writes the data over time. `bulk`: all data is there from the start.
        `web`, `video` and `responsiveness` are their tables with the defaults. A `size` is for
        `bulk` alone. Default: "bulk".
    """
    return _given(TransportQuicTable, locals(), kind="quic")


def transport_tfrc(
    *,
    profile: Literal["rfc5348", "rfc3448", "ns-2"] | None = None,
    rate: Literal["greedy"] | str | None = None,
    segment: str | None = None,
    source: SourceOnOffTable | SourceFramesTable | None = None,
    stack: Literal["simulated", "kernel"] | None = None,
) -> TransportTfrcTable:
    """Transport protocol with its settings.

    An `external` flow sends nothing by itself; the program that drives the simulation provides its
    packets.

    profile: Version of TFRC: the standard of 2008, that of 2003, or ns-2.35's. Default: "rfc5348".
    rate: Rate that the application offers: always more than TFRC allows (`greedy`), or a constant
        rate. Default: "greedy".
    segment: Application octets per packet, s in the throughput equation. Default: "1000 B".
    source: Application whose rate changes over time. Not together with `rate`. Default: see `rate`.
    stack: TFRC implementation: the simulated one, or `airfair tfrc` over sockets of this machine's
        kernel, in `airfair emulate` only. Of the other settings, `kernel` allows `profile`,
        `segment` and `rate`. Default: "simulated".
    """
    return _given(TransportTfrcTable, locals(), kind="tfrc")


def transport_udp(
    *,
    payload: str | None = None,
    rate: Literal["saturated"] | str | None = None,
    source: Literal["call", "video-call"] | SourceCallTable | SourceGameTable | SourceVideoCallTable | SourceDesktopTable | None = None,
) -> TransportUdpTable:
    """Transport protocol with its settings.

    An `external` flow sends nothing by itself; the program that drives the simulation provides its
    packets.

    payload: Application octets per datagram; with a `source` at most. With 28 octets of headers,
        and LLC/SNAP, they must fit in an MSDU of 2304 octets. Default: 1200 B with a `source`,
        otherwise required.
    rate: Rate of the application's bits; with `saturated` the sender's queue is never empty.
        Default: required without a `source`.
    source: Live application, whose frames come whether the network takes them or not. `call` and
        `video-call` are their tables with the defaults. Not together with `rate`. Default: see
        `rate`.
    """
    return _given(TransportUdpTable, locals(), kind="udp")


def source_call(
    *,
    codec: Literal["amr", "g711", "g729", "opus"] | None = None,
    deadline: str | None = None,
    silence: str | None = None,
    talk: str | None = None,
) -> SourceCallTable:
    """Live application, whose frames come whether the network takes them or not.

    `call` and `video-call` are their tables with the defaults. Not together with `rate`. Default:
    see `rate`.

    codec: Codec. A frame of voice each 20 ms has 33 octets with `amr` at 12.2 kb/s, 160 with
        `g711`, 20 with `g729` and 80 with `opus`, and 12 more for RTP. In a silence `amr` sends 7
        octets each 160 ms, and the others send nothing. Default: "amr".
    deadline: Delay of a frame, from the time at which the application makes it, above which it
        comes too late. Default: "100 ms".
    silence: Mean length of the silences, whose lengths have an exponential distribution; with `0 s`
        there are none. Default: "1.25 s".
    talk: Mean length of the talk spurts, whose lengths have an exponential distribution. Default:
        "1.25 s".
    """
    return _given(SourceCallTable, locals(), model="call")


def source_game(
    *,
    end: Literal["server", "player"],
    deadline: str | None = None,
    interval: str | None = None,
    interval_scale: str | None = None,
    size: str | None = None,
    size_scale: str | None = None,
    synchronisation: Literal["status", "lockstep"] | None = None,
) -> SourceGameTable:
    """Live application, whose frames come whether the network takes them or not.

    `call` and `video-call` are their tables with the defaults. Not together with `rate`. Default:
    see `rate`.

    end: End of the game that sends. With `status` a server sends 50 octets (scale 11) each 13 ms
        (3.7 ms), and a player 38 (3.7) each 15 ms (5.7 ms). With `lockstep` a server sends 210 (35)
        each 28 ms (4.2 ms), and a player 92 (38) each 22 ms (3.4 ms).
    deadline: Delay of a frame, from the time at which the application makes it, above which it
        comes too late. Default: "50 ms".
    interval: Location of the Largest Extreme Value distribution of the times from frame to frame.
        Default: see `end`.
    interval_scale: Scale of the distribution of these times. Default: see `end`.
    size: Location of the Largest Extreme Value distribution of the sizes, which 37 % of the frames
        do not exceed. Default: see `end`.
    size_scale: Scale of the distribution of the sizes. Default: see `end`.
    synchronisation: Data that keeps the players' games the same: the state that the server has
        computed (`status`), or all commands (`lockstep`). Default: "lockstep".
    """
    return _given(SourceGameTable, locals(), model="game")


def source_video_call(
    *,
    deadline: str | None = None,
    interval: str | None = None,
    rate: str | None = None,
    rate_control: Literal["none", "gcc", "nada"] | RateControlTable | None = None,
) -> SourceVideoCallTable:
    """Live application, whose frames come whether the network takes them or not.

    `call` and `video-call` are their tables with the defaults. Not together with `rate`. Default:
    see `rate`.

    deadline: Delay of a frame, from the time at which the application makes it, above which it
        comes too late. Default: "150 ms".
    interval: Time from picture to picture. Default: "40 ms".
    rate: Mean rate of the pictures, whose sizes have a Weibull distribution of shape 0.8099; with a
        `rate_control` the highest. Each datagram has 12 octets more for RTP, and 20 with `gcc`.
        Default: "2 Mb/s".
    rate_control: Control of the rate of the pictures by reports of the receiver, which cross the
        path as packets. `gcc`, Google congestion control, and `nada` (RFC 8698) follow delays and
        losses, and `nada` marks, too, up to `rate`; packets leave in bursts each 5 ms. Default:
        "none".
    """
    return _given(SourceVideoCallTable, locals(), model="video-call")


def rate_control(
    *,
    law: Literal["gcc"],
    feedback: str | None = None,
    least: str | None = None,
    start: str | None = None,
) -> RateControlTable:
    """A table of the scenario file.

    Control of the rate of the pictures by reports of the receiver, which cross the path as packets.
    `gcc`, Google congestion control, and `nada` (RFC 8698) follow delays and losses, and `nada`
    marks, too, up to `rate`; packets leave in bursts each 5 ms.

    law: Name of the control law.
    feedback: Time from report to report of the receiver. Default: one per picture.
    least: Lowest rate of the pictures. Default: "150 kb/s".
    start: Rate of the pictures at the start. Default: 300 kb/s, within the limits.
    """
    return _given(RateControlTable, locals())


def source_desktop(
    *,
    end: Literal["server", "client"],
    deadline: str | None = None,
) -> SourceDesktopTable:
    """Live application, whose frames come whether the network takes them or not.

    `call` and `video-call` are their tables with the defaults. Not together with `rate`. Default:
    see `rate`.

    end: End of the remote desktop that sends: the server has a packet of 41 or 1478 octets each 60
        ms on average, the client one of 51 octets each 48 ms.
    deadline: Delay of a frame, from the time at which the application makes it, above which it
        comes too late. Default: "100 ms".
    """
    return _given(SourceDesktopTable, locals(), model="desktop")


def transport_external(
) -> TransportExternalTable:
    """Transport protocol with its settings.

    An `external` flow sends nothing by itself; the program that drives the simulation provides its
    packets.
    """
    return _given(TransportExternalTable, {}, kind="external")


def host(
    *,
    link: HostLinkTable | None = None,
) -> HostTable:
    """Wired hosts, at most 1000.

    Hosts are ends of flows, and also forward packets.

    link: Link of the host to the access point or to another node. Default: {"delay": "0 s", "loss":
        "none", "queue": {"discipline": "fifo", "packets": 100, "red": {"ecn": false, "gentle":
        true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}}, "rate": "100 Mb/s"}.
    """
    return _given(HostTable, locals())


def host_link(
    *,
    delay: str | None = None,
    loss: Literal["none"] | LossBernoulliTable | LossGilbertElliottTable | None = None,
    queue: QueueTable | None = None,
    rate: str | None = None,
    to: str | None = None,
) -> HostLinkTable:
    """Link of the host to the access point or to another node.

    delay: Propagation delay; `rate` times `delay` is at most 1 GB. Default: "0 s".
    loss: Loss model: packets that are lost on the wire, after the queue. Default: "none".
    queue: Queue at each end. Default: {"discipline": "fifo", "packets": 100, "red": {"ecn": false,
        "gentle": true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}}.
    rate: Rate in each direction. Default: "100 Mb/s".
    to: Other end of the link: a cell (its access point), a router or another host. Default: the
        only cell.
    """
    return _given(HostLinkTable, locals())


def loss_bernoulli(
    *,
    probability: float,
    towards: str | None = None,
) -> LossBernoulliTable:
    """Loss model: packets that are lost on the wire, after the queue.

    probability: Probability that a packet is lost.
    towards: Receiving end of the lossy direction. Default: both directions.
    """
    return _given(LossBernoulliTable, locals(), model="bernoulli")


def loss_gilbert_elliott(
    *,
    to_bad: float,
    to_good: float,
    bad: float | None = None,
    good: float | None = None,
    towards: str | None = None,
) -> LossGilbertElliottTable:
    """Loss model: packets that are lost on the wire, after the queue.

    to_bad: Probability per packet of a change from good to bad.
    to_good: Probability per packet of a change from bad to good.
    bad: Loss probability in the bad state. Default: 1.0.
    good: Loss probability in the good state. Default: 0.0.
    towards: Receiving end of the lossy direction. Default: both directions.
    """
    return _given(LossGilbertElliottTable, locals(), model="gilbert-elliott")


def queue(
    *,
    bytes: str | None = None,
    discipline: Literal["fifo", "red", "dualpi2"] | None = None,
    mark_above: int | None = None,
    packets: int | None = None,
    red: RedTable | None = None,
) -> QueueTable:
    """Queue at each end.

    bytes: Capacity in octets, the packet in service included. Not together with `packets`. Default:
        see `packets`.
    discipline: Queue discipline. `fifo` drops arriving packets when the queue is full; `red` drops
        packets at random before that; `dualpi2` has a queue of low latency beside the Classic one
        (RFC 9332), for `prague`. Default: "fifo".
    mark_above: Packets that find more packets than this in the queue, the one in service included,
        are marked if their transport has `ecn`; for DCTCP. Default: no marks.
    packets: Capacity [packets], the packet in service included. Default: 100.
    red: Settings of random early detection; only with `discipline = "red"`. Default: {"ecn": false,
        "gentle": true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}.
    """
    return _given(QueueTable, locals())


def red(
    *,
    ecn: bool | None = None,
    gentle: bool | None = None,
    max: int | None = None,
    max_probability: float | None = None,
    min: int | None = None,
    weight: float | None = None,
) -> RedTable:
    """Settings of random early detection; only with `discipline = "red"`.

    ecn: Packets whose transport has `ecn` are marked instead of dropped, unless the drop
        probability is 1. Default: false.
    gentle: The drop probability rises to 1 between `max` and twice `max`, instead of at once.
        Default: true.
    max: Average queue length at which the drop probability is `max_probability` [packets]. Default:
        15.
    max_probability: Drop probability when the average queue length reaches `max`. Default: 0.1.
    min: Average queue length up to which no packet is dropped [packets]. Default: 5.
    weight: Weight of a new sample in the average queue length. Default: 0.002.
    """
    return _given(RedTable, locals())


def link(
    *,
    between: Sequence[str],
    delay: str | None = None,
    loss: Literal["none"] | LossBernoulliTable | LossGilbertElliottTable | None = None,
    queue: QueueTable | None = None,
    rate: str | None = None,
) -> LinkTable:
    """Wired links other than the hosts' own links, at most 10000.

    between: Two nodes that the link joins: cells (their access points), routers or hosts.
    delay: Propagation delay; `rate` times `delay` is at most 1 GB. Default: "0 s".
    loss: Loss model: packets that are lost on the wire, after the queue. Default: "none".
    queue: Queue at each end. Default: {"discipline": "fifo", "packets": 100, "red": {"ecn": false,
        "gentle": true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}}.
    rate: Rate in each direction. Default: "100 Mb/s".
    """
    return _given(LinkTable, locals())


def router(
) -> RouterTable:
    """Wired nodes that only forward packets, at most 1000.

    A packet takes the route with the fewest hops. Of several such routes it takes the one with the
    least delay, and of several of these the first in the file.
    """
    return {}


def station(
    *,
    aggregation: Literal["off"] | AggregationTable | None = None,
    amsdu: Literal["off"] | str | None = None,
    bss: str | None = None,
    count: int | None = None,
    edca: EdcaTable | None = None,
    errors: Literal["none"] | ErrorsBernoulliTable | ErrorsBitTable | ErrorsGilbertElliottTable | ErrorsSnrTable | None = None,
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"] | None = None,
    hears: Sequence[str] | None = None,
    hidden_from: Sequence[str] | None = None,
    max_attempts: Literal["unlimited", "cell"] | int | None = None,
    mobility: Literal["none"] | MobilityVelocityTable | MobilityWaypointsTable | MobilityTraceTable | MobilityRandomWaypointTable | None = None,
    position: Sequence[str] | PositionTable | None = None,
    queue: QueueFifoTable | QueueDataAckTable | QueueRoundRobinTable | QueueDeficitRoundRobinTable | QueueCodelTable | QueueDualpi2Table | QueueFqCodelTable | QueueAirtimeTable | QueueAirtimeDualpi2Table | QueueTimeRegulatorTable | None = None,
    rate: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable | RateTable | None = None,
    senses_only: Sequence[str] | None = None,
    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax", "802.11be"] | None = None,
    streams: int | None = None,
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz", "320 MHz"] | None = None,
) -> StationTable:
    """Wireless stations, at most 5000.

    The name `ap` is reserved.

    aggregation: A-MPDUs that the station sends and accepts. Default: the cell's, as far as the
        station's standard allows.
    amsdu: Largest size of an A-MSDU that the station sends and accepts. Default: the cell's, as far
        as the station's standard allows.
    bss: Cell of the station; required if there are several. Default: the only cell.
    count: Number of equal stations, with the names NAME1, NAME2, …; NAME then means all of them.
        With 1 the name has no number. Default: 1.
    edca: Channel access of this node. These keys apply to best effort, and to all packets if no
        flow has another category. The tables apply to the other categories. Default: {"background":
        {}, "video": {}, "voice": {}}.
    errors: Error model of frames between the station and the access point, in both directions.
        Default: the cell's.
    guard_interval: Guard interval of data frames from and to the station, if longer than the
        cell's. Default: the cell's; 800 ns if the station's standard is older.
    hears: Members of neighbours that the station hears, if others than those of the cell's list.
        See the key of cells. Default: the cell's.
    hidden_from: Stations of the same cell whose frames this station does not sense. They also do
        not sense the frames of this station. Default: [].
    max_attempts: Largest number of transmission attempts of a frame of this node; `cell` is the
        cell's. Default: "cell".
    mobility: Mobility model: the motion of the station. Default: "none".
    position: Position at the start, to the east and to the north of the access point, or `{ circle
        = "10 m" }`. Default: required if the cell has a radio.
    queue: Transmit queue of the station. Default: {}.
    rate: Data rate between the station and the access point. A rate is in Mb/s as vendors print it
        (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because 802.11n and later have several
        modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-mcs13x1`). Allowed are one
        rate, a schedule of times and rates that starts at 0 s, rate adaptation `{ control = … }`,
        or `{ up, down }` for the station's transmissions and the access point's. Default: the
        highest rate of its link.
    senses_only: Stations of the same cell whose frames this station senses but cannot decode. They
        also cannot decode the frames of this station. EIFS follows such frames. Default: [].
    standard: Standard of the station: the cell's, or an older one of the same band. Of the
        standards up to 802.11g, only 802.11g cells allow another one, 802.11b. Default: the cell's.
    streams: Largest number of spatial streams of data frames from and to the station. Default: the
        cell's, as far as the station's standard allows.
    width: Channel width of data frames from and to the station, if narrower than the cell's.
        Default: the cell's, as far as the station's standard allows.
    """
    return _given(StationTable, locals())


def mobility_velocity(
    *,
    velocity: Sequence[str],
) -> MobilityVelocityTable:
    """Mobility model: the motion of the station.

    velocity: Velocity to the east and to the north, from `position` on.
    """
    return _given(MobilityVelocityTable, locals(), model="velocity")


def mobility_waypoints(
    *,
    points: Sequence[Sequence[str]],
) -> MobilityWaypointsTable:
    """Mobility model: the motion of the station.

    points: Waypoints: times and positions. The station moves straight between two, and rests before
        the first and after the last. Replaces `position`.
    """
    return _given(MobilityWaypointsTable, locals(), model="waypoints")


def mobility_trace(
    *,
    file: str,
) -> MobilityTraceTable:
    """Mobility model: the motion of the station.

    file: File of waypoints: comma-separated values with the columns `time_s`, `x_m` and `y_m`. The
        path is relative to the scenario file. Replaces `position`.
    """
    return _given(MobilityTraceTable, locals(), model="trace")


def mobility_random_waypoint(
    *,
    max_speed: str,
    begin: Literal["uniform", "position", "steady-state"] | None = None,
    corners: Sequence[Sequence[str]] | None = None,
    min_speed: str | None = None,
    pause: str | None = None,
    radius: str | None = None,
) -> MobilityRandomWaypointTable:
    """Mobility model: the motion of the station.

    max_speed: Highest speed of a trip.
    begin: State at the start: anywhere in the region (`uniform`), at `position` (`position`), or as
        after a long time of motion (`steady-state`, for a lowest speed above 0), so that the
        distribution of positions and speeds stays the same during the run. Default: "uniform".
    corners: Opposite corners of a rectangle in which the station moves. One of `radius` and
        `corners` is required. Default: see `radius`.
    min_speed: Lowest speed of a trip. With 0 m/s the mean speed falls during a run, because slow
        trips last longest. Default: "0 m/s".
    pause: Pause after each trip. Default: "0 s".
    radius: Radius of a disc around the access point in which the station moves. Default: see
        `corners`.
    """
    return _given(MobilityRandomWaypointTable, locals(), model="random-waypoint")


def position(
    *,
    circle: str,
) -> PositionTable:
    """A table of the scenario file.

    Position at the start, to the east and to the north of the access point, or `{ circle = "10 m"
    }`. Default: required if the cell has a radio.

    circle: Radius of a circle around the access point. The members of a group are spaced evenly on
        it, the first one to the east.
    """
    return _given(PositionTable, locals())


def rate_arf(
    *,
    counting: Literal["in-a-row", "in-all"] | None = None,
    down: int | None = None,
    initial: Literal["highest", "lowest"] | None = None,
    preset: Literal["kamerman97", "qualnet4", "qualnet5", "ns3"] | None = None,
    rts_failures: bool | None = None,
    timer: Literal["off"] | str | int | None = None,
    up: int | None = None,
) -> RateArfTable:
    """Data rate between the station and the access point.

    A rate is in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because
    802.11n and later have several modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-
    mcs13x1`). Allowed are one rate, a schedule of times and rates that starts at 0 s, rate
    adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and the access
    point's. Default: the highest rate of its link.

    counting: Successes and failures that count: those in a row, or all since the last change of the
        rate. Default: `in-a-row`; `in-all` in `qualnet5`.
    down: Frames in a row without an acknowledgement before the rate falls. At a rate on trial, the
        first one is enough. Default: 2.
    initial: Initial rate. Default: `highest`; `lowest` in `qualnet5` and `ns3`.
    preset: Implementation of ARF that gives the defaults of the other keys: that of its paper
        (`kamerman97`), of QualNet 4, of QualNet's later versions (`qualnet5`), or of ns-3. Default:
        "qualnet4".
    rts_failures: An RTS without an answer counts as a frame without an acknowledgement. Default:
        `true` in `qualnet4` and `qualnet5`, else `false`.
    timer: Other condition for a trial of the next higher rate: a time since the last fall, or a
        number of attempts since the last change. Default: `60 ms`; `15` in `ns3`.
    up: Frames acknowledged in a row before the next higher rate is tried. Default: 10.
    """
    return _given(RateArfTable, locals(), control="arf")


def rate_aarf(
    *,
    down: int | None = None,
    initial: Literal["highest", "lowest"] | None = None,
    most_up: int | None = None,
    rts_failures: bool | None = None,
    timer: Literal["off"] | str | int | None = None,
    up: int | None = None,
) -> RateAarfTable:
    """Data rate between the station and the access point.

    A rate is in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because
    802.11n and later have several modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-
    mcs13x1`). Allowed are one rate, a schedule of times and rates that starts at 0 s, rate
    adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and the access
    point's. Default: the highest rate of its link.

    down: Frames in a row without an acknowledgement before the rate falls. At a rate on trial, the
        first one is enough. Default: 2.
    initial: Initial rate. Default: "highest".
    most_up: Largest value of `up`, which doubles each time that a rate on trial fails. Default: 50.
    rts_failures: An RTS without an answer counts as a frame without an acknowledgement. Default:
        true.
    timer: Other condition for a trial of the next higher rate: a time since the last fall, or a
        number of attempts since the last change. Default: "60 ms".
    up: Frames acknowledged in a row before the next higher rate is tried. Default: 10.
    """
    return _given(RateAarfTable, locals(), control="aarf")


def rate_minstrel(
    *,
    attempts: int | None = None,
    ewma: int | None = None,
    interval: str | None = None,
    lookaround: int | None = None,
    sample_interval: str | None = None,
    segment: str | None = None,
) -> RateMinstrelTable:
    """Data rate between the station and the access point.

    A rate is in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because
    802.11n and later have several modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-
    mcs13x1`). Allowed are one rate, a schedule of times and rates that starts at 0 s, rate
    adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and the access
    point's. Default: the highest rate of its link.

    attempts: Largest number of attempts of a frame at each rate of its retry chain; 802.11n and
        later. Default: 7.
    ewma: Weight of the old value in the average of the success probability [%]; 802.11a, b and g.
        Default: 75.
    interval: Interval at which the success probability of each rate is updated. Default: `100 ms`;
        `50 ms` in 802.11n and later.
    lookaround: Share of frames that sample another rate [%]; 802.11a, b and g. Default: 10.
    sample_interval: Shortest time between frames that sample another rate; 802.11n and later.
        Default: "20 ms".
    segment: Longest time that the attempts of a frame at one rate may take. Default: "6 ms".
    """
    return _given(RateMinstrelTable, locals(), control="minstrel")


def rate_oracle(
    *,
    highest: str | None = None,
) -> RateOracleTable:
    """Data rate between the station and the access point.

    A rate is in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because
    802.11n and later have several modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-
    mcs13x1`). Allowed are one rate, a schedule of times and rates that starts at 0 s, rate
    adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and the access
    point's. Default: the highest rate of its link.

    highest: Rate above which it chooses none, except the lowest rate of the link. Default: the
        highest rate of the link.
    """
    return _given(RateOracleTable, locals(), control="oracle")


def rate(
    *,
    down: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable | None = None,
    up: str | Sequence[Sequence[str]] | RateArfTable | RateAarfTable | RateMinstrelTable | RateOracleTable | None = None,
) -> RateTable:
    """Data rate between the station and the access point.

    A rate is in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or the name of a mode, because
    802.11n and later have several modes of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-
    mcs13x1`). Allowed are one rate, a schedule of times and rates that starts at 0 s, rate
    adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and the access
    point's. Default: the highest rate of its link.

    down: Rate of the access point's transmissions to the station. Default: the highest rate of the
        link.
    up: Rate of the station's own transmissions. Default: the highest rate of the link.
    """
    return _given(RateTable, locals())


__all__ = [
    "AggregationTable",
    "ApTable",
    "AqlTable",
    "BackgroundTable",
    "BeaconTable",
    "BssTable",
    "ControlArfAwareTable",
    "ControlArfWindowTable",
    "ControlOccupancyTable",
    "ControlRateCapTable",
    "ControlUplinkShareTable",
    "DelayedAckTable",
    "EdcaTable",
    "ErrorsBernoulliTable",
    "ErrorsBitTable",
    "ErrorsGilbertElliottTable",
    "ErrorsSnrTable",
    "FadingRayleighTable",
    "FadingRicianTable",
    "FairTable",
    "FlowTable",
    "HostLinkTable",
    "HostTable",
    "LinkTable",
    "LossBernoulliTable",
    "LossGilbertElliottTable",
    "MobilityRandomWaypointTable",
    "MobilityTraceTable",
    "MobilityVelocityTable",
    "MobilityWaypointsTable",
    "MuEdcaTable",
    "MuMimoTable",
    "OccupancyTable",
    "OfdmaTable",
    "PositionTable",
    "PropagationLogDistanceTable",
    "PropagationResidentialTable",
    "PropagationTwoRayTable",
    "QueueAirtimeDualpi2Table",
    "QueueAirtimeTable",
    "QueueCodelTable",
    "QueueDataAckTable",
    "QueueDeficitRoundRobinTable",
    "QueueDualpi2Table",
    "QueueFifoTable",
    "QueueFqCodelTable",
    "QueueRoundRobinTable",
    "QueueTable",
    "QueueTimeRegulatorTable",
    "RadioTable",
    "RateAarfTable",
    "RateArfTable",
    "RateControlTable",
    "RateMinstrelTable",
    "RateOracleTable",
    "RateTable",
    "RedTable",
    "RetryLimitsTable",
    "RouterTable",
    "ScenarioTable",
    "SourceCallTable",
    "SourceConstantTable",
    "SourceDesktopTable",
    "SourceFramesTable",
    "SourceGameTable",
    "SourceOnOffTable",
    "SourceResponsivenessTable",
    "SourceRpcTable",
    "SourceVideoCallTable",
    "SourceVideoTable",
    "SourceWebTable",
    "StationTable",
    "TransportExternalTable",
    "TransportQuicTable",
    "TransportTcpTable",
    "TransportTfrcTable",
    "TransportUdpTable",
    "VideoTable",
    "VoiceTable",
    "WeightsTable",
    "aggregation",
    "ap",
    "aql",
    "background",
    "beacon",
    "bss",
    "control_arf_aware",
    "control_arf_window",
    "control_occupancy",
    "control_rate_cap",
    "control_uplink_share",
    "delayed_ack",
    "edca",
    "errors_bernoulli",
    "errors_bit",
    "errors_gilbert_elliott",
    "errors_snr",
    "fading_rayleigh",
    "fading_rician",
    "fair",
    "flow",
    "host",
    "host_link",
    "link",
    "loss_bernoulli",
    "loss_gilbert_elliott",
    "mobility_random_waypoint",
    "mobility_trace",
    "mobility_velocity",
    "mobility_waypoints",
    "mu_edca",
    "mu_mimo",
    "occupancy",
    "ofdma",
    "position",
    "propagation_log_distance",
    "propagation_residential",
    "propagation_two_ray",
    "queue",
    "queue_airtime",
    "queue_airtime_dualpi2",
    "queue_codel",
    "queue_data_ack",
    "queue_deficit_round_robin",
    "queue_dualpi2",
    "queue_fifo",
    "queue_fq_codel",
    "queue_round_robin",
    "queue_time_regulator",
    "radio",
    "rate",
    "rate_aarf",
    "rate_arf",
    "rate_control",
    "rate_minstrel",
    "rate_oracle",
    "red",
    "retry_limits",
    "router",
    "scenario",
    "source_call",
    "source_constant",
    "source_desktop",
    "source_frames",
    "source_game",
    "source_on_off",
    "source_responsiveness",
    "source_rpc",
    "source_video",
    "source_video_call",
    "source_web",
    "station",
    "transport_external",
    "transport_quic",
    "transport_tcp",
    "transport_tfrc",
    "transport_udp",
    "video",
    "voice",
    "weights",
]
