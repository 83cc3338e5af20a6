//! What one run measured: plain numbers between warm-up and end, one row per flow, station, link and channel.

use airfair_units::{Bytes, DataRate, Duration};
use serde::{Deserialize, Serialize};

/// Everything that one replication measured.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Which replication, from 0.
    pub replication: u32,
    /// Seed that it ran with.
    pub seed: u64,
    /// Measured time: the run without its warm-up.
    pub elapsed: Duration,
    /// One per flow, in the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// One per station, in the scenario's order.
    pub stations: Vec<StationOutcome>,
    /// One per cell, in the scenario's order.
    pub access_points: Vec<RadioOutcome>,
    /// One per cell, in the scenario's order.
    pub channels: Vec<ChannelOutcome>,
    /// Two per link of the scenario: forth, then back.
    pub links: Vec<LinkOutcome>,
    /// Hash of every record of the run, warm-up included: equal runs have equal hashes.
    pub record_hash: u64,
    /// Events processed.
    pub events: u64,
}

/// What a flow achieved.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Application octets delivered in order.
    pub delivered: Bytes,
    /// Packets that the sender emitted, retransmissions included.
    pub packets_sent: u64,
    /// Packets that its own host's queue had no room for and that it kept; not among those emitted.
    pub packets_refused: u64,
    /// Packets of the sender that reached the receiver's host.
    pub packets_received: u64,
    /// Data segments among them below the highest octet that had come: retransmissions, as a trace at the
    /// receiving host shows them.
    pub packets_repeated: u64,
    /// Packets of the sender that a queue or the MAC dropped.
    pub packets_dropped: u64,
    /// Packets of the sender that were queued, on the air or on a wire at the end.
    pub packets_in_flight: u64,
    /// Packets of the receiver, such as TCP ACKs, that a queue or the MAC dropped.
    pub acks_dropped: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Retransmission time-outs.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Round-trip times that the sender measured.
    pub rtt: Quantiles,
    /// Mean link rate of the sending station over the measured time, `T_i`; `None` for a wired sender.  [arf-aware-tcp eq. 3]
    pub mean_link_rate: Option<DataRate>,
    /// When a finite source was done, counted from the start of the flow.
    pub completion: Option<Duration>,
    /// Application octets delivered in each step of the series, from time 0 (warm-up included).
    pub series: Vec<Bytes>,
}

/// A distribution, by a histogram with 1 % resolution.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Number of samples.
    pub count: u64,
    /// Mean.
    pub mean: Duration,
    /// Smallest sample.
    pub min: Duration,
    /// Median.
    pub p50: Duration,
    /// 95 % are at most this.
    pub p95: Duration,
    /// 99 % are at most this.
    pub p99: Duration,
    /// Largest sample.
    pub max: Duration,
}

/// What any transmitter, station or access point, did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioOutcome {
    /// Data frames sent, retries included.
    pub frames: u64,
    /// Data and RTS frames that had been on the air before.
    pub retries: u64,
    /// Own transmissions (data or RTS) that collided.
    pub collisions: u64,
    /// Own transmissions of any kind that noise spoilt for their receiver.
    pub frame_errors: u64,
    /// Packets given up at the retry limit.
    pub dropped_retry_limit: u64,
    /// Packets refused by the full transmit queue.
    pub dropped_queue_full: u64,
    /// Packets dropped because they had waited too long.  [RFC8289]
    pub dropped_codel: u64,
    /// ACKs that a newer one replaced in the transmit queue.
    pub dropped_ack_filter: u64,
    /// Received frames that were repetitions of one already received.
    pub duplicates: u64,
    /// Packets in the transmit queue, averaged over time.
    pub queue_mean: f64,
    /// Most packets in the transmit queue.
    pub queue_max: u64,
}

/// What a station did, and the air it held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationOutcome {
    /// Its transmitter.
    pub radio: RadioOutcome,
    /// Times that a law changed the rate between it and the access point.
    pub rate_changes: u64,
    /// Mean rate of its own data frames over the measured time.
    pub mean_rate_up: Option<DataRate>,
    /// Mean rate of data frames to it over the measured time.
    pub mean_rate_down: Option<DataRate>,
    /// Air held by data frames that it sent.
    pub airtime_data_up: Duration,
    /// Air held by data frames sent to it.
    pub airtime_data_down: Duration,
    /// Air held by ACK, RTS and CTS of its exchanges, both directions.
    pub airtime_control: Duration,
    /// Gaps and back-off before frames of its exchanges, both directions, and between them: contention that led
    /// to a collision is nobody's.  [occupancy-tfrc fig. 1]
    pub contention: Duration,
    /// What it measured itself; nothing where it does not observe its channel, or for less than a slot.
    pub measured: Measured,
}

/// What a station measured of its channel, over all of its observation slots.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Time that it observed.
    pub time: Duration,
    /// Frames and SIFS of its own exchanges, both ways, that were answered.
    pub own: Duration,
    /// Those of all other stations.
    pub others: Duration,
}

/// What happened on a channel. The six durations add up to the measured time, to the nanosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelOutcome {
    /// One data frame alone on the air.
    pub data: Duration,
    /// One control frame alone on the air.
    pub control: Duration,
    /// A beacon alone on the air.
    pub beacon: Duration,
    /// Frames that overlap.
    pub collision: Duration,
    /// Idle while a frame waits: interframe spaces, back-off, time-outs.
    pub contention: Duration,
    /// Idle, and nobody has anything to send.
    pub idle: Duration,
    /// Frames sent, of every kind.
    pub frames: u64,
    /// Collisions: periods in which frames overlapped.
    pub collisions: u64,
}

/// What a wired link did.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Packets carried.
    pub packets: u64,
    /// Packets refused by the full queue.
    pub dropped_queue_full: u64,
    /// Packets refused by random early detection.
    pub dropped_early: u64,
    /// Packets lost on the way.
    pub lost: u64,
    /// Packets queued or in service, averaged over time.
    pub queue_mean: f64,
    /// Most packets queued or in service.
    pub queue_max: u64,
}
