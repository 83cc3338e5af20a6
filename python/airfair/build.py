"""Builds scenarios: a function for each table of the scenario file, an argument for each key.

Written by `make docs` from the schema of the scenario file. What is not given has the default of
docs/scenario.md; whether a scenario can be is judged where it is loaded.

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


def scenario(
    *,
    duration: str,
    flow: Mapping[str, Value],
    bss: Mapping[str, Value] | None = None,
    host: Mapping[str, Value] | None = None,
    link: Mapping[str, Value] | None = None,
    replications: int | None = None,
    router: Mapping[str, Value] | None = None,
    seed: int | None = None,
    series: Literal["off"] | str | None = None,
    station: Mapping[str, Value] | None = None,
    title: str | None = None,
    warmup: str | None = None,
) -> Table:
    """Defaults are those of cells up to 802.11g.

    In 802.11n, ac and ax some of TCP, queues and wires are others: `airfair run --explain` prints
    them.

    duration: Simulated time of one run.
    flow: Flows, at most 10000.
    bss: Cells, at most 100: an access point and the rules of a channel that no other cell shares.
        All names in a file differ: those of cells, stations, hosts, routers and links. Default: {}.
    host: Wired hosts, at most 1000: ends of flows, which forward as well. Default: {}.
    link: Wired links beside those of the hosts, at most 10000. Default: {}.
    replications: Independent runs; results are means over them. Default: 1.
    router: Wired nodes that only forward, at most 1000. Packets take the fewest hops, among equals
        the least delay, among equals the first in the file. Default: {}.
    seed: Seed of the first replication; the others follow it. Default: 1.
    series: Step of the time series; at most 20 million values: steps of all flows, stations and
        queues in all replications. Default: "1 s".
    station: Wireless stations, at most 5000. The name `ap` is reserved. Default: {}.
    title: What the scenario shows. Default: "untitled".
    warmup: Time at the start that no result counts; less than the duration. Default: "0 s".
    """
    return _given(locals())


def bss(
    *,
    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"],
    after_collision: Literal["standard", "difs", "eifs"] | None = None,
    aggregation: Literal["off"] | Mapping[str, Value] | None = None,
    amsdu: Literal["off"] | str | None = None,
    ap: Mapping[str, Value] | None = None,
    band: Literal["2.4 GHz", "5 GHz"] | None = None,
    basic_rate: str | None = None,
    basic_rates: Sequence[str] | None = None,
    beacon: bool | Mapping[str, Value] | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    edca: Mapping[str, Value] | None = None,
    eifs: Literal["standard", "ns-2"] | None = None,
    errors: Literal["none"] | Mapping[str, Value] | None = None,
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"] | None = None,
    llc_snap: bool | None = None,
    max_attempts: Literal["unlimited"] | int | None = None,
    post_backoff: bool | None = None,
    preamble: Literal["long", "short"] | None = None,
    protection: bool | None = None,
    radio: Literal["none"] | Mapping[str, Value] | None = None,
    retry_limits: Mapping[str, Value] | None = None,
    rts_threshold: Literal["off"] | str | None = None,
    streams: int | None = None,
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz"] | None = None,
) -> Table:
    """Cells, at most 100: an access point and the rules of a channel that no other cell shares.

    All names in a file differ: those of cells, stations, hosts, routers and links.

    standard: Amendment of the access point, and of each station that names none.
    after_collision: Gap after a collision: EIFS for those who heard it and an ACK time-out for
        those in it (`standard`), or one gap for all, DIFS as in Bianchi's model. Default:
        "standard".
    aggregation: A-MPDUs that the access point sends and takes; `off`: each frame goes alone.
        Default: as its keys say from 802.11n on.
    amsdu: Most octets of an A-MSDU, packets to one receiver in one MPDU: 3839 or 7935 B, in
        802.11ac and ax at 5 GHz 11398 B, too. In an A-MPDU of 802.11n an MPDU has at most 4095
        octets. Default: "off".
    ap: The access point. Default: {"edca": {"background": {}, "video": {}, "voice": {}},
        "max_attempts": "cell", "occupancy": false, "queue": {}, "window_sharing": false}.
    band: Band of the channel; 802.11n and ax have both. Default: 2.4 GHz in 802.11b and g, else 5
        GHz.
    basic_rate: Short for a basic rate set of one. Default: see `basic_rates`.
    basic_rates: Basic rate set: each a rate of the standard that every station has. Not beside
        `basic_rate`. Default: 1, 2 Mb/s in 802.11b; 6, 12, 24 Mb/s in 802.11a; both and 5.5, 11 in
        802.11g, without the OFDM rates if a b station is in the cell; later standards have those of
        802.11g at 2.4 GHz and of 802.11a at 5 GHz.
    beacon: Beacons of the access point, at the lowest basic rate, as soon as the medium has been
        idle for a PIFS. Default: true where `ap.occupancy` is on, else false.
    cw_max: Largest contention window [slots]: 1023; not below `cw_min`. Default: "standard".
    cw_min: Smallest contention window [slots]: 31 in 802.11b, in 802.11g where a b station is, and
        of b stations, else 15. Default: "standard".
    edca: Channel access of each station, for all that it does not say itself; `ap.edca` is the
        access point's. Default: {"background": {}, "video": {}, "voice": {}}.
    eifs: Wait after a frame that was sensed and not decoded: EIFS, ended early by the next frame
        that is decoded (`standard`), or a NAV of EIFS that nothing shortens and a DIFS behind it
        (`ns-2`). Default: "standard".
    errors: Frames that noise spoils between a station and the access point, both ways: for each
        station that says nothing itself. Default: "none".
    guard_interval: Guard interval of data frames: 400 and 800 ns in 802.11n and ac; 800, 1600 and
        3200 ns in 802.11ax. Default: 800 ns; 400 ns where a printed rate of a station needs it.
    llc_snap: Whether 8 octets of LLC/SNAP precede each packet. Default: true.
    max_attempts: One limit on transmission attempts of a frame, whatever its length. Default: see
        `retry_limits`.
    post_backoff: Whether a station draws a back-off after each success, before it has the next
        frame. Default: true.
    preamble: PLCP preamble of DSSS and CCK frames. Default: "long".
    protection: Whether frames that a station in the cell does not know follow a CTS-to-self: OFDM
        where a b station is, HT, VHT and HE where one of 802.11a, b or g is. Not in 802.11a and b.
        Default: true.
    radio: Powers, distances and noise, which then decide who hears whom and which frames are
        errored, in place of `errors` and `senses_only`. The access point is at ["0 m", "0 m"].
        Default: "none".
    retry_limits: Transmission attempts by the standard's two counters. Not beside `max_attempts`.
        Default: {"long": 4, "short": 7}.
    rts_threshold: PSDUs longer than this are protected by RTS/CTS. Default: "off".
    streams: Most spatial streams of a data frame; 4 in 802.11n. Default: 1, or as many as the
        printed rates of its stations need.
    width: Width of the channel: 20 and 40 MHz in 802.11n and at 2.4 GHz, else up to 160 MHz.
        Default: 80 MHz in 802.11ac and in 802.11ax at 5 GHz, else 20 MHz; wider where a printed
        rate of a station is one of that width alone.
    """
    return _given(locals())


def aggregation(
    *,
    after_silence: Literal["retransmission", "request"] | None = None,
    max_bytes: str | None = None,
    max_duration: str | None = None,
    slow_below: str | None = None,
    slow_duration: str | None = None,
    window: int | None = None,
) -> Table:
    """A-MPDUs that the access point sends and takes; `off`: each frame goes alone.

    Default: as its keys say from 802.11n on.

    after_silence: What follows an aggregate without response: it goes again with a doubled window,
        or a request for a block ack asks first what has come, as in ns-3. Default:
        "retransmission".
    max_bytes: Most octets of an A-MPDU, at least those of the largest packet alone. Default: 65535
        B in 802.11n, 1048575 B in 802.11ac, 6500631 B in 802.11ax.
    max_duration: Longest time of an aggregate on the air; a packet that lasts longer goes alone.
        Drivers have 4 ms (ath9k, iwlwifi). Default: "5.484 ms".
    slow_below: Data rate below which `slow_duration` holds. Default: "12 Mb/s".
    slow_duration: The same at data rates below `slow_below`, if it is shorter. Default: "5.484 ms".
    window: Window of the block ack agreement: 64 packets, or 256 in 802.11ax. Default: 64.
    """
    return _given(locals())


def ap(
    *,
    edca: Mapping[str, Value] | None = None,
    max_attempts: Literal["unlimited", "cell"] | int | None = None,
    occupancy: bool | Mapping[str, Value] | None = None,
    queue: Mapping[str, Value] | None = None,
    window_sharing: bool | None = None,
) -> Table:
    """The access point.

    edca: Its own channel access: that of best effort, and of all packets where no flow is of
        another category; and that of the other categories. Default: {"background": {}, "video": {},
        "voice": {}}.
    max_attempts: Its own limit on transmission attempts of a frame, or the cell's. Default: "cell".
    occupancy: Whether its beacons grant each active station an equal share of the channel, which
        flows with `control = "occupancy"` keep. Default: false.
    queue: Transmit queue of the access point. Default: {}.
    window_sharing: Whether it writes into each TCP ACK that it forwards a window of its queue's
        capacity shared between all connections that it sees. Default: false.
    """
    return _given(locals())


def edca(
    *,
    aifsn: int | None = None,
    background: Mapping[str, Value] | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "cell"] | None = None,
    txop_limit: str | None = None,
    video: Mapping[str, Value] | None = None,
    voice: Mapping[str, Value] | None = None,
) -> Table:
    """A table of the scenario file.

    Its own channel access: that of best effort, and of all packets where no flow is of another
    category; and that of the other categories.

    aifsn: Idle slots after a SIFS before back-off counts: 2 makes a DIFS; 1 is for access points.
        Default: 2; 3 in 802.11n, ac and ax.
    background: That of packets of this category, in 802.11n, ac and ax. Default: {}.
    cw_max: Largest contention window [slots], or the cell's. Default: the cell's.
    cw_min: Smallest contention window [slots], or the cell's. Default: the cell's.
    txop_limit: How long it may go on sending once it has won the channel; `0 s` is one frame.
        Default: 0 s.
    video: That of packets of this category, in 802.11n, ac and ax. Default: {}.
    voice: That of packets of this category, in 802.11n, ac and ax. Default: {}.
    """
    return _given(locals())


def background(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> Table:
    """That of packets of this category, in 802.11n, ac and ax.

    aifsn: Idle slots after a SIFS before back-off counts: 2 makes a DIFS; 1 is for access points.
        Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots], or the standard's for the category: the PHY's for
        background, its smallest for video, half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots], or the standard's for the category: the PHY's for
        background, half for video, a quarter for voice. Default: the standard's.
    txop_limit: How long it may go on sending once it has won the channel; `0 s` is one frame.
        Default: 0 s for background, 4.096 ms for video, 2.08 ms for voice.
    """
    return _given(locals())


def video(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> Table:
    """That of packets of this category, in 802.11n, ac and ax.

    aifsn: Idle slots after a SIFS before back-off counts: 2 makes a DIFS; 1 is for access points.
        Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots], or the standard's for the category: the PHY's for
        background, its smallest for video, half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots], or the standard's for the category: the PHY's for
        background, half for video, a quarter for voice. Default: the standard's.
    txop_limit: How long it may go on sending once it has won the channel; `0 s` is one frame.
        Default: 0 s for background, 4.096 ms for video, 2.08 ms for voice.
    """
    return _given(locals())


def voice(
    *,
    aifsn: int | None = None,
    cw_max: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    cw_min: Literal[1, 3, 7, 15, 31, 63, 127, 255, 511, 1023, 2047, 4095, 8191, 16383, 32767, "standard"] | None = None,
    txop_limit: str | None = None,
) -> Table:
    """That of packets of this category, in 802.11n, ac and ax.

    aifsn: Idle slots after a SIFS before back-off counts: 2 makes a DIFS; 1 is for access points.
        Default: 7 for background, 2 for video and voice.
    cw_max: Largest contention window [slots], or the standard's for the category: the PHY's for
        background, its smallest for video, half of that for voice. Default: the standard's.
    cw_min: Smallest contention window [slots], or the standard's for the category: the PHY's for
        background, half for video, a quarter for voice. Default: the standard's.
    txop_limit: How long it may go on sending once it has won the channel; `0 s` is one frame.
        Default: 0 s for background, 4.096 ms for video, 2.08 ms for voice.
    """
    return _given(locals())


def occupancy(
    *,
    aggregates: Literal["full", "seen", "apart"] | None = None,
    beacons: int | None = None,
    patience: int | None = None,
    satisfied: float | None = None,
    spare: Literal["printed", "once"] | None = None,
) -> Table:
    """A table of the scenario file.

    Whether its beacons grant each active station an equal share of the channel, which flows with
    `control = "occupancy"` keep.

    aggregates: Time of a packet in an aggregate: the aggregate's, divided by as many packets as its
        limits allow (`full`), or by as many as those of the flow had on average (`seen`), or that
        of a frame of its own (`apart`). Default: "full".
    beacons: Beacon intervals of an observation slot, n. Default: 3.
    patience: Beacons missed in a row after which a station limits its flows no longer. Default: 10.
    satisfied: Part of an equal share from which on a station may have more, r: more than 0 and less
        than 1. Default: 0.8.
    spare: Whether a flow may have, beyond its share, all that its station leaves unused
        (`printed`), though the access point has given it away already, or only what other flows of
        the station leave (`once`). Default: "printed".
    """
    return _given(locals())


def queue_fifo(
    *,
    ack_filter: bool | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 50.
    """
    return {"discipline": "fifo", **_given(locals())}


def queue_data_ack(
    *,
    ack_filter: bool | None = None,
    hardware_queue: Literal["off"] | int | None = None,
    hardware_queue_counts: Literal["aggregates", "packets"] | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    weights: Literal["active-flows"] | Mapping[str, Value] | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    hardware_queue: Most aggregates or packets that the driver holds ahead of the air, those in
        service included; `hardware_queue_counts` chooses the unit. Without aggregates a packet is
        one. With `off` packets leave their queues when the access point wins the medium, except the
        first packet of a frame. Default: "off".
    hardware_queue_counts: Unit of `hardware_queue`. With `aggregates` the driver forms aggregates
        ahead of the air; ath9k holds 2. With `packets` the hardware forms an aggregate when it wins
        the medium, of all packets that it holds for one station; ath10k holds up to 1424 packets
        and mt76 up to 2048, and `aql` of the airtime discipline usually limits them first. Default:
        "aggregates".
    limit: What `packets` counts: those of each queue for itself, or of all together. Default:
        "each".
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 50.
    weights: Packets of each queue in a round: fixed, or by the number of connections up and down
        that the access point sees. Default: {}.
    """
    return {"discipline": "data-ack", **_given(locals())}


def weights(
    *,
    ack: int | None = None,
    data: int | None = None,
) -> Table:
    """A table of the scenario file.

    Packets of each queue in a round: fixed, or by the number of connections up and down that the
    access point sees.

    ack: Pure TCP ACKs. Default: 1.
    data: Packets of TCP data, and all that is no pure ACK. Default: 2.
    """
    return _given(locals())


def queue_round_robin(
    *,
    ack_filter: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    limit: What `packets` counts: those of each queue for itself, or of all together. Default:
        "each".
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 50.
    """
    return {"discipline": "round-robin", **_given(locals())}


def queue_deficit_round_robin(
    *,
    ack_filter: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    quantum: str | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    limit: What `packets` counts: those of each queue for itself, or of all together. Default:
        "each".
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 50.
    quantum: Octets that a queue may send more at each of its turns. Default: "1514 B".
    """
    return {"discipline": "deficit-round-robin", **_given(locals())}


def queue_codel(
    *,
    ack_filter: bool | None = None,
    interval: str | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
    target: str | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    interval: Time in which the delay must fall below the target once. Default: "100 ms".
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 1000.
    target: Standing delay that CoDel accepts. Default: "5 ms".
    """
    return {"discipline": "codel", **_given(locals())}


def queue_fq_codel(
    *,
    ack_filter: bool | None = None,
    interval: str | None = None,
    packets: int | None = None,
    quantum: str | None = None,
    queues: int | None = None,
    target: str | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    interval: Time in which the delay must fall below the target once. Default: "100 ms".
    packets: Capacity, the packet in service included. Default: 10240.
    quantum: Octets that a queue may send more at each of its turns. Default: "1514 B".
    queues: Queues that flows are hashed to. Default: 1024.
    target: Standing delay that CoDel accepts. Default: "5 ms".
    """
    return {"discipline": "fq-codel", **_given(locals())}


def queue_airtime(
    *,
    ack_filter: bool | None = None,
    airtime_quantum: Literal["off"] | str | None = None,
    aql: Literal["off"] | Mapping[str, Value] | None = None,
    charges_uplink: bool | None = None,
    hardware_queue: Literal["off"] | int | None = None,
    hardware_queue_counts: Literal["aggregates", "packets"] | None = None,
    interval: str | None = None,
    packets: int | None = None,
    quantum: str | None = None,
    queues: int | None = None,
    slow_below: str | None = None,
    slow_interval: str | None = None,
    slow_target: str | None = None,
    target: str | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    airtime_quantum: Airtime that a station may use more at each of its turns. With `off` stations
        have turns of one aggregate, whatever airtime these take, as in Linux before its airtime
        scheduler. Default: "300 us".
    aql: Airtime queue limits of what the driver takes; they mean nothing without `hardware_queue`.
        Default: {}.
    charges_uplink: Whether a station is charged for the frames that it sends, too, not only for
        those to it. Default: true.
    hardware_queue: Most aggregates or packets that the driver holds ahead of the air, those in
        service included; `hardware_queue_counts` chooses the unit. Without aggregates a packet is
        one. With `off` packets leave their queues when the access point wins the medium, except the
        first packet of a frame. Default: "off".
    hardware_queue_counts: Unit of `hardware_queue`. With `aggregates` the driver forms aggregates
        ahead of the air; ath9k holds 2. With `packets` the hardware forms an aggregate when it wins
        the medium, of all packets that it holds for one station; ath10k holds up to 1424 packets
        and mt76 up to 2048, and `aql` of the airtime discipline usually limits them first. Default:
        "aggregates".
    interval: Time in which the delay must fall below the target once. Default: "100 ms".
    packets: Capacity, the packet in service included. Default: 8192.
    quantum: Octets that a flow may send more at each of its turns. Default: "300 B".
    queues: Queues that the flows of a station are hashed to. Default: 4096.
    slow_below: Rate of a station's last frame below which the two keys that follow hold for it.
        Default: "12 Mb/s".
    slow_interval: Time in which the delay must fall below it once, at a low rate. Default: "300
        ms".
    slow_target: Standing delay that CoDel accepts, at a low rate. Default: "50 ms".
    target: Standing delay that CoDel accepts. Default: "20 ms".
    """
    return {"discipline": "airtime", **_given(locals())}


def aql(
    *,
    high: str | None = None,
    low: str | None = None,
    threshold: str | None = None,
) -> Table:
    """Airtime queue limits of what the driver takes; they mean nothing without `hardware_queue`.

    high: The same as long as it has less than `threshold` of all stations together. Default: "12
        ms".
    low: Expected airtime of a station's packets in the driver up to which it takes more of them,
        whatever it has of others. Default: "5 ms".
    threshold: Expected airtime of all packets in the driver, of all categories, from which `low`
        holds. Default: "24 ms".
    """
    return _given(locals())


def queue_time_regulator(
    *,
    ack_filter: bool | None = None,
    adjustment: str | None = None,
    bucket: str | None = None,
    charges_backoff: bool | None = None,
    limit: Literal["each", "shared"] | None = None,
    overflow: Literal["tail", "longest-flow"] | None = None,
    packets: int | None = None,
) -> Table:
    """Transmit queue of the access point.

    ack_filter: Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs
        with SACK blocks and duplicates stay. Default: false.
    adjustment: How often shares that are not used go to stations that can use them. Default: "200
        ms".
    bucket: Channel time that a station can save up. Default: "50 ms".
    charges_backoff: Whether the mean back-off before a frame counts as channel time; the gap before
        it does. Default: true.
    limit: What `packets` counts: those of each queue for itself, or of all together. Default:
        "each".
    overflow: Who gives way where there is no room: the packet that comes, or the oldest of the flow
        with most packets in the same queue. Default: "tail".
    packets: Capacity, the packet in service included. Default: 50.
    """
    return {"discipline": "time-regulator", **_given(locals())}


def beacon(
    *,
    interval: str | None = None,
    size: str | None = None,
) -> Table:
    """A table of the scenario file.

    Beacons of the access point, at the lowest basic rate, as soon as the medium has been idle for a
    PIFS. Default: true where `ap.occupancy` is on, else false.

    interval: Time from one to the next: 100 time units of 1024 µs unless set. Default: "102.4 ms".
    size: Octets of one, header and check sequence included; shares of the channel take six more.
        Default: "66 B".
    """
    return _given(locals())


def errors_bernoulli(
    *,
    probability: float,
) -> Table:
    """A table of the scenario file.

    Frames that noise spoils between a station and the access point, both ways: for each station
    that says nothing itself.

    probability: Probability that a frame is errored, whatever its kind and length.
    """
    return {"model": "bernoulli", **_given(locals())}


def errors_bit(
    *,
    ber: float,
) -> Table:
    """A table of the scenario file.

    Frames that noise spoils between a station and the access point, both ways: for each station
    that says nothing itself.

    ber: Probability that a bit is wrong; a frame is errored by one of them.
    """
    return {"model": "bit", **_given(locals())}


def errors_gilbert_elliott(
    *,
    mean_bad: str,
    mean_good: str,
    bad: float | None = None,
    good: float | None = None,
) -> Table:
    """A table of the scenario file.

    Frames that noise spoils between a station and the access point, both ways: for each station
    that says nothing itself.

    mean_bad: Mean of a bad period's length, which is exponential.
    mean_good: Mean of a good period's length, which is exponential.
    bad: Probability that a frame is errored in a bad period. Default: 1.0.
    good: Probability that a frame is errored in a good period. Default: 0.0.
    """
    return {"model": "gilbert-elliott", **_given(locals())}


def errors_snr(
    *,
    snr: str,
) -> Table:
    """A table of the scenario file.

    Frames that noise spoils between a station and the access point, both ways: for each station
    that says nothing itself.

    snr: Ratio of signal to noise in the channel's bandwidth; rate and length decide the rest.
    """
    return {"model": "snr", **_given(locals())}


def radio(
    *,
    capture: Literal["off"] | str | None = None,
    carrier_sense: Literal["lowest-rate"] | str | None = None,
    fading: Literal["none"] | Mapping[str, Value] | None = None,
    frequency: str | None = None,
    noise_figure: str | None = None,
    propagation: Literal["free-space", "two-ray"] | Mapping[str, Value] | None = None,
    range: Mapping[str, Value] | None = None,
    reception: Literal["snr", "sensitivity", "qualnet4"] | None = None,
    shadowing: str | None = None,
    tx_power: str | None = None,
) -> Table:
    """A table of the scenario file.

    Powers, distances and noise, which then decide who hears whom and which frames are errored, in
    place of `errors` and `senses_only`. The access point is at ["0 m", "0 m"].

    capture: Whether the stronger of frames that overlap survives at a receiver, if it is stronger
        than the others together by this much. Default: "off".
    carrier_sense: Power from which on a member senses a frame; below, sender and member are hidden
        from each other. Otherwise it is the power at which the lowest rate is just received.
        Default: "lowest-rate".
    fading: How the power of a link varies while nothing moves; it spoils frames, and hides nobody.
        Default: "none".
    frequency: Carrier. Default: 5.2 GHz in 802.11a, else 2.437 GHz.
    noise_figure: By how much a receiver is noisier than 290 K in the channel's bandwidth. Default:
        "10 dB".
    propagation: Loss by distance. Default: "free-space".
    range: Distance at which frames at a rate, in Mb/s or by the name of its mode, are just
        received: the transmit power is solved for it. With two rates the exponent of log-distance
        propagation is solved as well. Beside neither `tx_power` nor, with two, `propagation`.
        Default: what power and propagation give.
    reception: Which frames are errored: by the ratio of signal to noise (`snr`), those that arrive
        below the standard's sensitivity of their rate (`sensitivity`), or below QualNet 4's, at its
        transmit powers, which fall as the rate rises (`qualnet4`, 802.11a only). Default: "snr".
    shadowing: Standard deviation of what obstacles add to or take from each link, drawn once in a
        run. Default: "0 dB".
    tx_power: Transmit power of every member, antenna gain included. Default: "20 dBm".
    """
    return _given(locals())


def fading_rayleigh(
    *,
    coherence: str | None = None,
) -> Table:
    """How the power of a link varies while nothing moves; it spoils frames, and hides nobody.

    coherence: Time for which the power stays as it is; then it is drawn anew. Default: "10 ms".
    """
    return {"model": "rayleigh", **_given(locals())}


def fading_rician(
    *,
    coherence: str | None = None,
    k: str | None = None,
) -> Table:
    """How the power of a link varies while nothing moves; it spoils frames, and hides nobody.

    coherence: Time for which the power stays as it is; then it is drawn anew. Default: "10 ms".
    k: Power of the direct ray over that of all echoes. Default: "6 dB".
    """
    return {"model": "rician", **_given(locals())}


def propagation_two_ray(
    *,
    ap_height: str | None = None,
    station_height: str | None = None,
) -> Table:
    """Loss by distance.

    ap_height: Height of the access point's antenna above ground. Default: "1.5 m".
    station_height: Height of the stations' antennas; between two stations, of both. Default: "1.5
        m".
    """
    return {"model": "two-ray", **_given(locals())}


def propagation_log_distance(
    *,
    exponent: float | None = None,
    reference_loss: str | None = None,
) -> Table:
    """Loss by distance.

    exponent: Loss grows by ten times this many dB for ten times the distance; 2 is free space.
        Default: 3.0.
    reference_loss: Loss at 1 m. Default: free space.
    """
    return {"model": "log-distance", **_given(locals())}


def retry_limits(
    *,
    long: int | None = None,
    short: int | None = None,
) -> Table:
    """Transmission attempts by the standard's two counters.

    Not beside `max_attempts`.

    long: Attempts of a frame protected by RTS. Default: 4.
    short: Attempts of a frame not protected by RTS. Default: 7.
    """
    return _given(locals())


def flow(
    *,
    from_: str,
    to: str,
    transport: Mapping[str, Value],
    access_category: Literal["background", "best effort", "video", "voice"] | None = None,
    control: Literal["none", "arf-aware", "arf-window", "occupancy", "rate-cap"] | Mapping[str, Value] | None = None,
    count: int | None = None,
    dscp: Literal["none"] | int | None = None,
    start: str | None = None,
    start_jitter: str | None = None,
    stop: Literal["end"] | str | None = None,
) -> Table:
    """Flows, at most 10000.

    from_: Sender, a station or host; a group of stations makes one flow per member, numbered.
    to: Receiver, likewise; two groups of equal size pair up by number.
    transport: Transport protocol with its settings. The packets of an `external` one are those of a
        program that drives the world: of itself it sends none.
    access_category: Access category of its packets, both ways, on the air of 802.11n, ac and ax,
        each with queue and channel access of its own. Default: "best effort".
    control: Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP
        and a station as sender, `arf-window` TCP and a station at either end, `occupancy` TCP or
        TFRC, a station at either end and an access point with `occupancy`, `rate-cap` TCP or TFRC
        and a station as sender. What needs a station at either end acts at each. Default: "none".
    count: Makes so many flows alike between each pair, NAME1, NAME2, …. With 1 the name stays as it
        is. Default: 1.
    dscp: Differentiated services code point of its packets, which gives the access category as RFC
        8325 has it: 46 (EF) is voice, 34 (AF41) video, 8 (CS1) background. Default: "none".
    start: When it starts; before the end of the run. Default: "0 s".
    start_jitter: Adds a random delay to the start, uniform from 0 to this, another in each
        replication: without it a network without radio has no chance in it. Default: "0 s".
    stop: When its source stops; after its start. Default: "end".
    """
    return _given(locals())


def control_arf_aware(
    *,
    notification_delay: str | None = None,
    poll: Literal["off"] | str | None = None,
    variant: Literal["held", "one-shot", "continuous"] | None = None,
) -> Table:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender, `arf-window` TCP and a station at either end,
    `occupancy` TCP or TFRC, a station at either end and an access point with `occupancy`, `rate-
    cap` TCP or TFRC and a station as sender. What needs a station at either end acts at each.

    notification_delay: Time from a change of the link's rate, or from a reading of it, until TCP
        knows. Default: "0 s".
    poll: Time between two readings of the link's rate, as by SNMP; with `off` the driver notifies
        TCP of each change. Default: "off".
    variant: Reading of the paper: the window is capped at a k-th of the saved one as long as the
        rate is low (`held`), is set to it once (`one-shot`), or is capped at a k-th of the current
        one (`continuous`). Default: "held".
    """
    return {"scheme": "arf-aware", **_given(locals())}


def control_arf_window(
    *,
    aggregates: Literal["full", "seen", "apart"] | None = None,
    fall: Literal["projected", "printed"] | None = None,
    long_lived: str | None = None,
    rise: Literal["projected", "printed"] | None = None,
    round_trip: Literal["least", "smoothed"] | None = None,
    slot: str | None = None,
) -> Table:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender, `arf-window` TCP and a station at either end,
    `occupancy` TCP or TFRC, a station at either end and an access point with `occupancy`, `rate-
    cap` TCP or TFRC and a station as sender. What needs a station at either end acts at each.

    aggregates: Time of a packet in an aggregate: the aggregate's, divided by as many packets as its
        limits allow (`full`), or by as many as those of the flow had on average (`seen`), or that
        of a frame of its own (`apart`). Default: "full".
    fall: Likewise after a fall of the rate. Default: "projected".
    long_lived: What a connection must have moved before the scheme takes it for long-lived.
        Default: "100000 B".
    rise: A connection's time after a rise of the rate: what its data would take at the new rate, so
        that it has what the channel has (`projected`), or as measured at the old one, so that the
        rise counts twice (`printed`). Default: "projected".
    round_trip: Round trip that a window is computed for: the least so far, or the mean of late,
        which contains the wait in the queue that the window fills. Default: "least".
    slot: Observation slot, T: the station's account of its channel goes over so long a time.
        Default: "300 ms".
    """
    return {"scheme": "arf-window", **_given(locals())}


def control_occupancy(
) -> Table:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender, `arf-window` TCP and a station at either end,
    `occupancy` TCP or TFRC, a station at either end and an access point with `occupancy`, `rate-
    cap` TCP or TFRC and a station as sender. What needs a station at either end acts at each.
    """
    return {"scheme": "occupancy"}


def control_rate_cap(
    *,
    share: float | None = None,
) -> Table:
    """Cross-layer control: one of the papers' schemes, or `rate-cap`.

    `arf-aware` needs TCP and a station as sender, `arf-window` TCP and a station at either end,
    `occupancy` TCP or TFRC, a station at either end and an access point with `occupancy`, `rate-
    cap` TCP or TFRC and a station as sender. What needs a station at either end acts at each.

    share: Share of the rate of the sender's own frames that the flow may have from the first change
        of that rate on: more than 0. Default: 0.5.
    """
    return {"scheme": "rate-cap", **_given(locals())}


def transport_tcp(
    *,
    arithmetic: Literal["rfc", "linux"] | None = None,
    byte_counting: bool | None = None,
    deflation: Literal["to-flight", "to-ssthresh"] | None = None,
    delayed_ack: bool | Mapping[str, Value] | None = None,
    flavour: Literal["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic"] | None = None,
    full_queue: Literal["loss", "hold"] | None = None,
    grow_beyond_receive_window: bool | None = None,
    handshake: bool | None = None,
    initial_ssthresh: Literal["unlimited"] | int | None = None,
    initial_window: int | None = None,
    limited_transmit: bool | None = None,
    loss_recovery: Literal["duplicates", "rack"] | None = None,
    min_rto: str | None = None,
    prr: bool | None = None,
    quick_acks: int | None = None,
    receive_window: str | None = None,
    recovery_timer: Literal["impatient", "slow-but-steady"] | None = None,
    sack: bool | None = None,
    segment: str | None = None,
    size: Literal["endless"] | str | None = None,
    small_queues: Literal["off"] | str | None = None,
    stack: Literal["simulated", "kernel"] | None = None,
    tick: str | None = None,
    timestamps: bool | None = None,
    window_scaling: bool | None = None,
) -> Table:
    """Transport protocol with its settings.

    The packets of an `external` one are those of a program that drives the world: of itself it
    sends none.

    arithmetic: Whose arithmetic `reno`, `newreno`, `sack` and `cubic` have: the RFCs' in octets, or
        Linux's in whole segments, with its CUBIC and HyStart, a time-out of SRTT and `min_rto` at
        least, and a receiver's window that grows. Default: "rfc".
    byte_counting: Whether cwnd grows by octets acknowledged (RFC 3465), else once per ACK as ns-2
        does. Default: true.
    deflation: Window on leaving NewReno's fast recovery: just above what is in flight, so that no
        burst follows, or ssthresh as in ns-2 (`exit_recovery_fix_ 0`). Reno always takes ssthresh.
        Default: "to-flight".
    delayed_ack: Delayed acknowledgements: `true` is `{ segments = 2, timeout = "200 ms" }`.
        Default: true.
    flavour: Congestion control. `sack`, `westwood+` and `cubic` acknowledge selectively. Default:
        "newreno".
    full_queue: What becomes of a segment that the transmit queue of the sender's own host has no
        room for: it is lost, as in ns-2, or the sender keeps it and reduces its window, as Linux
        does. Default: "loss".
    grow_beyond_receive_window: Whether cwnd grows while the receiver's window is the limit, as in
        ns-2. Default: false.
    handshake: Whether the connection opens with SYN and SYN-ACK. Default: true.
    initial_ssthresh: Initial slow-start threshold [segments]. Default: "unlimited".
    initial_window: Initial window [segments]. Default: 10.
    limited_transmit: Limited transmit (RFC 3042). Default: true.
    loss_recovery: What tells that a segment is lost: three duplicate ACKs or ranges above it (RFC
        5681, 6675), or the time since it was sent, with tail loss probes (RFC 8985) and rate
        reduction in proportion, as in Linux. `rack` needs selective acknowledgements. Default:
        "duplicates".
    min_rto: Smallest retransmission time-out; RFC 6298 says 1 s. Default: "1 s".
    prr: Proportional rate reduction in recovery (RFC 6937); needs selective acknowledgements.
        Default: false.
    quick_acks: ACKs at the start of a connection that are sent at once, before delaying begins;
        Linux begins with up to 16. Default: 0.
    receive_window: Receiver's window: at least one segment; above 65535 B only with
        `window_scaling`. Default: "65535 B".
    recovery_timer: What restarts the retransmission timer in NewReno's fast recovery: the first
        partial ACK (RFC 6582, and ns-2.35 by default), or every one (`newreno_changes1_ 0`).
        Default: "impatient".
    sack: Selective acknowledgements (RFC 2018, 6675); flavour `sack` cannot be without. Default: as
        the flavour is used: see `flavour`.
    segment: Application octets per segment; with 40 octets of headers and LLC/SNAP it must fit in
        an MSDU of 2304. Default: "1460 B".
    size: How much there is to send. Default: "endless".
    small_queues: TCP small queues: the most that the sender keeps in the transmit queue of its own
        host, as pacing would send in so long a time, but two segments at least and 4 MiB at most.
        Linux has 1 ms, and 8 ms in front of Wi-Fi. Default: "off".
    stack: Whose TCP: the simulated one, or that of this machine's kernel over real sockets, which
        `airfair emulate` alone has. Of the other settings a `kernel` one has `flavour` and `size`.
        Default: "simulated".
    tick: Tick of the clock that measures round trips; ns-2's `tcpTick_` is 10 ms. Default: "1 us".
    timestamps: Timestamps in every segment and ACK (RFC 7323): 12 more octets of header, and a
        round trip measured by every new ACK. Default: false.
    window_scaling: Whether the window-scale option is offered. Default: false.
    """
    return {"kind": "tcp", **_given(locals())}


def delayed_ack(
    *,
    segments: int | None = None,
    timeout: str | None = None,
) -> Table:
    """Delayed acknowledgements: `true` is `{ segments = 2, timeout = "200 ms" }`.

    segments: One ACK at least every so many segments. Default: 2.
    timeout: One ACK at the latest after this time. Default: "200 ms".
    """
    return _given(locals())


def transport_tfrc(
    *,
    profile: Literal["rfc5348", "rfc3448", "ns-2"] | None = None,
    rate: Literal["greedy"] | str | None = None,
    segment: str | None = None,
    source: Mapping[str, Value] | None = None,
    stack: Literal["simulated", "kernel"] | None = None,
) -> Table:
    """Transport protocol with its settings.

    The packets of an `external` one are those of a program that drives the world: of itself it
    sends none.

    profile: Whose TFRC: the standard of 2008, that of 2003, or ns-2.35's. Default: "rfc5348".
    rate: What the application offers: always more (`greedy`), or a constant rate. Default:
        "greedy".
    segment: Application octets per packet, s in the throughput equation. Default: "1000 B".
    source: An application that does not offer the same all the time. Not beside `rate`. Default:
        see `rate`.
    stack: Whose sockets: simulated ones, or those of this machine's kernel, between which `airfair
        emulate`, and nothing else, lets `airfair tfrc` run. A `kernel` one has `profile`, `segment`
        and `rate`. Default: "simulated".
    """
    return {"kind": "tfrc", **_given(locals())}


def source_on_off(
    *,
    off: str,
    on: str,
    rate: str,
) -> Table:
    """An application that does not offer the same all the time.

    Not beside `rate`. Default: see `rate`.

    off: Length of each off-period.
    on: Length of each on-period.
    rate: Rate of application bits while on, in whole packets; the first comes at once.
    """
    return {"model": "on-off", **_given(locals())}


def source_frames(
    *,
    interval: str,
    sizes: Sequence[str],
) -> Table:
    """An application that does not offer the same all the time.

    Not beside `rate`. Default: see `rate`.

    interval: Time from frame to frame, and from the start to the first.
    sizes: Sizes of the frames, from the beginning again at the end; at most 100000. A frame is cut
        into packets, and dropped whole if more than 50 packets' worth waits.
    """
    return {"model": "frames", **_given(locals())}


def transport_udp(
    *,
    payload: str,
    rate: Literal["saturated"] | str,
) -> Table:
    """Transport protocol with its settings.

    The packets of an `external` one are those of a program that drives the world: of itself it
    sends none.

    payload: Application octets per datagram; with 28 octets of headers and LLC/SNAP it must fit in
        an MSDU of 2304.
    rate: Rate of application bits; `saturated`: the sender's queue is never empty.
    """
    return {"kind": "udp", **_given(locals())}


def transport_external(
) -> Table:
    """Transport protocol with its settings.

    The packets of an `external` one are those of a program that drives the world: of itself it
    sends none.
    """
    return {"kind": "external"}


def host(
    *,
    link: Mapping[str, Value] | None = None,
) -> Table:
    """Wired hosts, at most 1000: ends of flows, which forward as well.

    link: Its link to the access point or another node. Default: {"delay": "0 s", "loss": "none",
        "queue": {"discipline": "fifo", "packets": 100, "red": {"gentle": true, "max": 15,
        "max_probability": 0.1, "min": 5, "weight": 0.002}}, "rate": "100 Mb/s"}.
    """
    return _given(locals())


def host_link(
    *,
    delay: str | None = None,
    loss: Literal["none"] | Mapping[str, Value] | None = None,
    queue: Mapping[str, Value] | None = None,
    rate: str | None = None,
    to: str | None = None,
) -> Table:
    """Its link to the access point or another node.

    delay: Propagation delay; at most 1 GB is on the way, `rate` times `delay`. Default: "0 s".
    loss: What is lost on the way, after the queue. Default: "none".
    queue: Queue at each end. Default: {"discipline": "fifo", "packets": 100, "red": {"gentle":
        true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}}.
    rate: Rate in each direction. Default: "100 Mb/s".
    to: Where it ends: a cell (its access point), a router or another host. Default: the only cell.
    """
    return _given(locals())


def loss_bernoulli(
    *,
    probability: float,
    towards: str | None = None,
) -> Table:
    """What is lost on the way, after the queue.

    probability: Probability that a packet is lost.
    towards: The end that the lossy direction leads to. Default: both directions.
    """
    return {"model": "bernoulli", **_given(locals())}


def loss_gilbert_elliott(
    *,
    to_bad: float,
    to_good: float,
    bad: float | None = None,
    good: float | None = None,
    towards: str | None = None,
) -> Table:
    """What is lost on the way, after the queue.

    to_bad: Probability per packet of a change from good to bad.
    to_good: Probability per packet of a change from bad to good.
    bad: Loss probability in the bad state. Default: 1.0.
    good: Loss probability in the good state. Default: 0.0.
    towards: The end that the lossy direction leads to. Default: both directions.
    """
    return {"model": "gilbert-elliott", **_given(locals())}


def queue(
    *,
    bytes: str | None = None,
    discipline: Literal["fifo", "red"] | None = None,
    packets: int | None = None,
    red: Mapping[str, Value] | None = None,
) -> Table:
    """Queue at each end.

    bytes: Capacity in octets, the packet in service included. Not beside `packets`. Default: see
        `packets`.
    discipline: Who leaves first and who is dropped: at the tail when it is full (`fifo`), or at
        random before it is (`red`). Default: "fifo".
    packets: Capacity, the packet in service included. Default: 100.
    red: Settings of random early detection; only with `discipline = "red"`. Default: {"gentle":
        true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}.
    """
    return _given(locals())


def red(
    *,
    gentle: bool | None = None,
    max: int | None = None,
    max_probability: float | None = None,
    min: int | None = None,
    weight: float | None = None,
) -> Table:
    """Settings of random early detection; only with `discipline = "red"`.

    gentle: Whether the probability rises to one between `max` and twice `max`, instead of at once.
        Default: true.
    max: Average queue at `max_probability` [packets]. Default: 15.
    max_probability: Drop probability where the average reaches `max`. Default: 0.1.
    min: Average queue up to which none is dropped [packets]. Default: 5.
    weight: Weight of a new sample in the average. Default: 0.002.
    """
    return _given(locals())


def link(
    *,
    between: Sequence[str],
    delay: str | None = None,
    loss: Literal["none"] | Mapping[str, Value] | None = None,
    queue: Mapping[str, Value] | None = None,
    rate: str | None = None,
) -> Table:
    """Wired links beside those of the hosts, at most 10000.

    between: The two nodes that it joins: cells (their access points), routers, hosts.
    delay: Propagation delay; at most 1 GB is on the way, `rate` times `delay`. Default: "0 s".
    loss: What is lost on the way, after the queue. Default: "none".
    queue: Queue at each end. Default: {"discipline": "fifo", "packets": 100, "red": {"gentle":
        true, "max": 15, "max_probability": 0.1, "min": 5, "weight": 0.002}}.
    rate: Rate in each direction. Default: "100 Mb/s".
    """
    return _given(locals())


def router(
) -> Table:
    """Wired nodes that only forward, at most 1000.

    Packets take the fewest hops, among equals the least delay, among equals the first in the file.
    """
    return {}


def station(
    *,
    aggregation: Literal["off"] | Mapping[str, Value] | None = None,
    amsdu: Literal["off"] | str | None = None,
    bss: str | None = None,
    count: int | None = None,
    edca: Mapping[str, Value] | None = None,
    errors: Literal["none"] | Mapping[str, Value] | None = None,
    guard_interval: Literal["400 ns", "800 ns", "1600 ns", "3200 ns"] | None = None,
    hidden_from: Sequence[str] | None = None,
    max_attempts: Literal["unlimited", "cell"] | int | None = None,
    mobility: Literal["none"] | Mapping[str, Value] | None = None,
    position: Sequence[str] | Mapping[str, Value] | None = None,
    queue: Mapping[str, Value] | None = None,
    rate: str | Sequence[Sequence[str]] | Mapping[str, Value] | None = None,
    senses_only: Sequence[str] | None = None,
    standard: Literal["802.11b", "802.11a", "802.11g", "802.11n", "802.11ac", "802.11ax"] | None = None,
    streams: int | None = None,
    width: Literal["20 MHz", "40 MHz", "80 MHz", "160 MHz"] | None = None,
) -> Table:
    """Wireless stations, at most 5000.

    The name `ap` is reserved.

    aggregation: A-MPDUs that it sends and takes. Default: the cell's, as far as its standard goes.
    amsdu: Most octets of an A-MSDU that it sends and takes. Default: the cell's, as far as its
        standard goes.
    bss: Cell that it is in; to be given where there are several. Default: the only cell.
    count: Makes so many stations alike, NAME1, NAME2, …; NAME then stands for all of them. With 1
        the name stays as it is. Default: 1.
    edca: Its own channel access: that of best effort, and of all packets where no flow is of
        another category; and that of the other categories. Default: {"background": {}, "video": {},
        "voice": {}}.
    errors: Frames that noise spoils between it and the access point, both ways. Default: the
        cell's.
    guard_interval: Guard interval of its data frames and of those to it, if it is longer than the
        cell's. Default: the cell's; 800 ns if its standard is older.
    hidden_from: Stations of its cell whose frames it does not even sense, nor they its. Default:
        [].
    max_attempts: Its own limit on transmission attempts of a frame, or the cell's. Default: "cell".
    mobility: How it moves. Default: "none".
    position: Where it starts: to the east and to the north of the access point; or `{ circle = "10
        m" }`. Default: to be given where the cell has a radio.
    queue: Transmit queue. Default: {}.
    rate: Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2
        Gb/s`), or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-
        mcs9x2`, `he-mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{
        control = … }` that finds it, or `{ up, down }` for its own transmissions and the access
        point's. Default: the highest rate of its link.
    senses_only: Stations of its cell that it senses but does not decode, nor they it: EIFS follows
        their frames. Default: [].
    standard: Its amendment: the cell's, or an older one of its band. A legacy cell has no other mix
        than b in g. Default: the cell's.
    streams: Most spatial streams of its data frames and of those to it. Default: the cell's, as far
        as its standard goes.
    width: Width of its data frames and of those to it, if it is not as wide as its cell. Default:
        the cell's, as far as its standard goes.
    """
    return _given(locals())


def mobility_velocity(
    *,
    velocity: Sequence[str],
) -> Table:
    """How it moves.

    velocity: Speed to the east and to the north, from `position` on.
    """
    return {"model": "velocity", **_given(locals())}


def mobility_waypoints(
    *,
    points: Sequence[Sequence[str]],
) -> Table:
    """How it moves.

    points: Where it is when: straight between two, at rest before the first and after the last. In
        place of `position`.
    """
    return {"model": "waypoints", **_given(locals())}


def mobility_trace(
    *,
    file: str,
) -> Table:
    """How it moves.

    file: Waypoints in a file of comma-separated values with the columns `time_s`, `x_m` and `y_m`,
        its name relative to the scenario file. In place of `position`.
    """
    return {"model": "trace", **_given(locals())}


def mobility_random_waypoint(
    *,
    max_speed: str,
    begin: Literal["uniform", "position", "steady-state"] | None = None,
    corners: Sequence[Sequence[str]] | None = None,
    min_speed: str | None = None,
    pause: str | None = None,
    radius: str | None = None,
) -> Table:
    """How it moves.

    max_speed: Highest speed of a trip.
    begin: Where and how it starts: anywhere in the region, at `position`, or as if it had been
        moving for ever (`steady-state`, for a lowest speed above 0), so that nothing drifts while
        the run goes on. Default: "uniform".
    corners: Its places are in the rectangle between these two. One of `radius` and `corners` must
        be given. Default: see `radius`.
    min_speed: Lowest speed of a trip. At 0 m/s the mean speed falls as a run goes on: slow trips
        last longest. Default: "0 m/s".
    pause: Rest after each trip. Default: "0 s".
    radius: Its places are in a disc of this radius around the access point. Default: see `corners`.
    """
    return {"model": "random-waypoint", **_given(locals())}


def position(
    *,
    circle: str,
) -> Table:
    """Where it starts: to the east and to the north of the access point; or `{ circle = "10 m" }`.

    Default: to be given where the cell has a radio.

    circle: Radius around the access point; the members of a group stand evenly, the first one to
        the east.
    """
    return _given(locals())


def rate_arf(
    *,
    counting: Literal["in-a-row", "in-all"] | None = None,
    down: int | None = None,
    initial: Literal["highest", "lowest"] | None = None,
    preset: Literal["kamerman97", "qualnet4", "qualnet5", "ns3"] | None = None,
    rts_failures: bool | None = None,
    timer: Literal["off"] | str | int | None = None,
    up: int | None = None,
) -> Table:
    """A table of the scenario file.

    Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`),
    or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-
    mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{ control = … }` that
    finds it, or `{ up, down }` for its own transmissions and the access point's. Default: the
    highest rate of its link.

    counting: Which successes and failures count: those in a row, or all since the rate changed.
        Default: `in-a-row`; `in-all` in `qualnet5`.
    down: Frames in a row that are not acknowledged before the rate falls; the first one at a rate
        that is being tried is enough. Default: 2.
    initial: Rate that it starts with. Default: `highest`; `lowest` in `qualnet5` and `ns3`.
    preset: Whose ARF gives what is not set: its paper's, QualNet 4's, that of QualNet's later
        versions, or ns-3's. Default: "qualnet4".
    rts_failures: Whether an RTS without an answer counts as a frame that is not acknowledged.
        Default: `true` in `qualnet4` and `qualnet5`, else `false`.
    timer: What else lets it try the next higher rate: a time since the last fall, or a number of
        attempts since the last change. Default: `60 ms`; `15` in `ns3`.
    up: Frames acknowledged in a row before the next higher rate is tried. Default: 10.
    """
    return {"control": "arf", **_given(locals())}


def rate_aarf(
    *,
    down: int | None = None,
    initial: Literal["highest", "lowest"] | None = None,
    most_up: int | None = None,
    rts_failures: bool | None = None,
    timer: Literal["off"] | str | int | None = None,
    up: int | None = None,
) -> Table:
    """A table of the scenario file.

    Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`),
    or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-
    mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{ control = … }` that
    finds it, or `{ up, down }` for its own transmissions and the access point's. Default: the
    highest rate of its link.

    down: Frames in a row that are not acknowledged before the rate falls; the first one at a rate
        that is being tried is enough. Default: 2.
    initial: Rate that it starts with. Default: "highest".
    most_up: Largest value that `up` doubles to when a rate that is tried fails. Default: 50.
    rts_failures: Whether an RTS without an answer counts as a frame that is not acknowledged.
        Default: true.
    timer: What else lets it try the next higher rate: a time since the last fall, or a number of
        attempts since the last change. Default: "60 ms".
    up: Frames acknowledged in a row before the next higher rate is tried. Default: 10.
    """
    return {"control": "aarf", **_given(locals())}


def rate_minstrel(
    *,
    attempts: int | None = None,
    ewma: int | None = None,
    interval: str | None = None,
    lookaround: int | None = None,
    sample_interval: str | None = None,
    segment: str | None = None,
) -> Table:
    """A table of the scenario file.

    Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`),
    or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-
    mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{ control = … }` that
    finds it, or `{ up, down }` for its own transmissions and the access point's. Default: the
    highest rate of its link.

    attempts: Most attempts of a frame at each rate of its chain; 802.11n, ac and ax. Default: 7.
    ewma: Weight of what was known before, in percent; 802.11a, b and g. Default: 75.
    interval: How often the success of each rate is summed up. Default: `100 ms`; `50 ms` in
        802.11n, ac and ax.
    lookaround: Frames that sample another rate, in percent; 802.11a, b and g. Default: 10.
    sample_interval: Least time between frames that sample another rate; 802.11n, ac and ax.
        Default: "20 ms".
    segment: Longest time that the attempts of a frame at one rate may take. Default: "6 ms".
    """
    return {"control": "minstrel", **_given(locals())}


def rate_oracle(
) -> Table:
    """A table of the scenario file.

    Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`),
    or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-
    mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{ control = … }` that
    finds it, or `{ up, down }` for its own transmissions and the access point's. Default: the
    highest rate of its link.
    """
    return {"control": "oracle"}


def rate(
    *,
    down: str | Sequence[Sequence[str]] | Mapping[str, Value] | None = None,
    up: str | Sequence[Sequence[str]] | Mapping[str, Value] | None = None,
) -> Table:
    """A table of the scenario file.

    Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`),
    or by name where 802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-
    mcs11x1`): one, a schedule of times and rates that starts at 0 s, a law `{ control = … }` that
    finds it, or `{ up, down }` for its own transmissions and the access point's. Default: the
    highest rate of its link.

    down: Rate of the access point's transmissions to it. Default: the highest rate of the link.
    up: Rate of the station's own transmissions. Default: the highest rate of the link.
    """
    return _given(locals())


__all__ = [
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
    "delayed_ack",
    "edca",
    "errors_bernoulli",
    "errors_bit",
    "errors_gilbert_elliott",
    "errors_snr",
    "fading_rayleigh",
    "fading_rician",
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
    "occupancy",
    "position",
    "propagation_log_distance",
    "propagation_two_ray",
    "queue",
    "queue_airtime",
    "queue_codel",
    "queue_data_ack",
    "queue_deficit_round_robin",
    "queue_fifo",
    "queue_fq_codel",
    "queue_round_robin",
    "queue_time_regulator",
    "radio",
    "rate",
    "rate_aarf",
    "rate_arf",
    "rate_minstrel",
    "rate_oracle",
    "red",
    "retry_limits",
    "router",
    "scenario",
    "source_frames",
    "source_on_off",
    "station",
    "transport_external",
    "transport_tcp",
    "transport_tfrc",
    "transport_udp",
    "video",
    "voice",
    "weights",
]
