//! Measurements of one run: plain numbers between warm-up and end, one row per flow, station, link and channel.
//!
//! Packets of flows and links are those sent within the measured time, followed to their end: one that was
//! sent in the warm-up counts nowhere, one that is under way at the end is in flight. All else counts when
//! it happens.

use airfair_units::{Bytes, DataRate, Duration};
use serde::{Deserialize, Serialize};

use airfair_transport::limit::Limit;

use crate::record::{LimitedBy, Place, SenderWindow};

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
    /// One per access category that flows are of, from the lowest; none where all are of one.
    pub categories: Vec<CategoryOutcome>,
    /// Two per link of the scenario: forth, then back.
    pub links: Vec<LinkOutcome>,
    /// Time series, if the scenario records them.
    pub series: Series,
    /// Hash of every record of the run, warm-up included: equal runs have equal hashes.
    pub record_hash: u64,
    /// Events processed.
    pub events: u64,
}

impl Outcome {
    /// The same without histograms, which take as much room as all the rest: as the store of finished runs has it.
    #[must_use]
    pub fn without_histograms(mut self) -> Self {
        for flow in &mut self.flows {
            flow.delays = Vec::new();
        }
        self
    }
}

/// Achievements of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Application octets delivered in order.
    pub delivered: Bytes,
    /// Its life within the measured time: from its start to its end, which is when a source that ends was
    /// done or, where nothing tells (TFRC and UDP), when it stopped and the last octets came out.
    pub active: Duration,
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
    /// Packets that the receiver sent, such as TCP ACKs, and a queue or the MAC dropped.
    pub acks_dropped: u64,
    /// Segments sent again.
    pub retransmissions: u64,
    /// Retransmission time-outs.
    pub timeouts: u64,
    /// Fast retransmits.
    pub fast_retransmits: u64,
    /// Round-trip times that the sender measured.
    pub rtt: Quantiles,
    /// One-way delay of the sender's packets, from its host to the receiver's, queues included.
    pub delay: Quantiles,
    /// The histogram behind it: bins with packets in them, from the shortest delays. A run has it; the store of finished runs does
    /// without.
    pub delays: Vec<DelayBin>,
    /// Interarrival jitter J, mean over the packets; `None` before there are two.  [RFC3550 §6.4.1]
    pub jitter: Option<Duration>,
    /// Mean link rate of the sending station over the measured time, `T_i`; `None` for a wired sender.  [arf-aware-tcp eq. 3]
    pub mean_link_rate: Option<DataRate>,
    /// Time at which a source that ends was done, all of it acknowledged, counted from the start of the flow.
    pub completion: Option<Duration>,
    /// The things that limited it, each with its time.
    pub limits: Limits,
}

/// The things that limited a flow while its sender was open. Their times add up to that.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Limits {
    /// Time in which its sender limited itself and no packet of it waited on the way, by [`Limit`].
    pub sender: [Duration; Limit::ALL.len()],
    /// Places where packets of it waited or were lost, in the order in which that happened first.
    pub places: Vec<PlaceOutcome>,
}

/// A place on a flow's route.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceOutcome {
    /// The place.
    pub place: Place,
    /// Time in which packets waited there while the sender could not send more.
    pub waited: Duration,
    /// Packets that were lost there.
    pub lost: u64,
}

impl Limits {
    /// Adds a time.
    pub fn add(&mut self, by: LimitedBy, time: Duration) {
        match by {
            LimitedBy::Sender(limit) => self.sender[limit as usize] += time,
            LimitedBy::Place(place) => self.at(place).waited += time,
        }
    }

    /// Counts a packet that was lost.
    pub fn lose(&mut self, place: Place) {
        self.at(place).lost += 1;
    }

    fn at(&mut self, place: Place) -> &mut PlaceOutcome {
        let known = self.places.iter().position(|it| it.place == place);
        let index = known.unwrap_or(self.places.len());
        if known.is_none() {
            self.places.push(PlaceOutcome { place, waited: Duration::ZERO, lost: 0 });
        }
        &mut self.places[index]
    }

    /// Time of all of them.
    pub fn total(&self) -> Duration {
        self.sender.iter().copied().chain(self.places.iter().map(|it| it.waited)).sum()
    }
}

/// Time series of a run: for each thing one entry per step, from time 0, warm-up included. Empty where the
/// scenario records none. The last step may be shorter than the others.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// One per flow.
    pub flows: Vec<Vec<FlowStep>>,
    /// One per station.
    pub stations: Vec<Vec<StationStep>>,
    /// Packets in the transmit queue of each access point, averaged over the step.
    pub access_points: Vec<Vec<f64>>,
    /// Packets queued or in service on each direction of each link, averaged over the step.
    pub links: Vec<Vec<f64>>,
}

/// Events of a flow in one step of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStep {
    /// Application octets delivered in order.
    pub delivered: Bytes,
    /// Sum of the one-way delays of the packets that arrived.
    pub delay_sum: Duration,
    /// Sum of the round trips that the sender measured.
    pub rtt_sum: Duration,
    /// Number of packets that arrived.
    pub delays: u64,
    /// Number of round trips that the sender measured.
    pub rtts: u64,
    /// The sender's window at the end of the step; `None` unless TCP's and open.
    pub window: Option<SenderWindow>,
}

/// Airtime, queue and rates of a station in one step of a series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationStep {
    /// Length of the step.
    pub length: Duration,
    /// Air held by data and control frames of its exchanges, both directions.
    pub airtime: Duration,
    /// Packets in the transmit queue, averaged over the step.
    pub queue: f64,
    /// Rate of its own data frames, averaged over the step [b/s].
    pub rate_up_bps: f64,
    /// Rate of data frames to it, averaged over the step [b/s].
    pub rate_down_bps: f64,
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

/// Packets of a flow whose one-way delays are of one bin of a histogram.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayBin {
    /// Shortest delay of the bin.
    pub from: Duration,
    /// Shortest delay of the next bin.
    pub to: Duration,
    /// Number of packets.
    pub packets: u64,
}

/// Frames, drops and queue of any transmitter, station or access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioOutcome {
    /// Data frames sent, retries included.
    pub frames: u64,
    /// RTS frames sent, retries included.
    pub rts_frames: u64,
    /// Data and RTS frames that had been on the air before.
    pub retries: u64,
    /// Own transmissions of any kind that collided.
    pub collisions: u64,
    /// Own transmissions of any kind that noise made unreadable for their receiver.
    pub frame_errors: u64,
    /// Packets given up at the retry limit.
    pub dropped_retry_limit: u64,
    /// Packets refused by the full transmit queue.
    pub dropped_queue_full: u64,
    /// Packets dropped because they had waited too long.  [RFC8289]
    pub dropped_codel: u64,
    /// ACKs that a newer one replaced in the transmit queue.
    pub dropped_ack_filter: u64,
    /// Packets of aggregates that came when what was behind them had been handed on without them.
    pub dropped_late: u64,
    /// Received frames that were repetitions of one already received.
    pub duplicates: u64,
    /// Data frames sent that were aggregates of several MPDUs.
    pub aggregates: u64,
    /// MPDUs in those aggregates.
    pub aggregated_mpdus: u64,
    /// Packets of A-MSDUs sent, but the first of each.
    pub joined_packets: u64,
    /// Packets in the transmit queue, averaged over time.
    pub queue_mean: f64,
    /// Most packets in the transmit queue.
    pub queue_max: u64,
}

/// What flows of an access category got, and its use of the air of all cells.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CategoryOutcome {
    /// Application octets that its flows delivered in order.
    pub delivered: Bytes,
    /// One-way delay of the packets of its senders, queues included.
    pub delay: Quantiles,
    /// Air held by frames of its exchanges.
    pub airtime: Duration,
    /// Data frames sent, retries included.
    pub frames: u64,
    /// Frames of its exchanges that collided.
    pub collisions: u64,
    /// Times that it gave way to a higher category of its member, which had won in the same slot.
    pub internal_collisions: u64,
    /// Packets of both directions that queues and the MAC of its members dropped.
    pub dropped: u64,
}

/// Rates and air of a station, beside its transmitter.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationOutcome {
    /// Its transmitter.
    pub radio: RadioOutcome,
    /// Data frames sent to it under a block ack agreement.
    pub agreed_frames_down: u64,
    /// MPDUs in those frames.
    pub agreed_mpdus_down: u64,
    /// Those of the frames that had several MPDUs.
    pub aggregates_down: u64,
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
    /// Its own measurement; nothing where it does not observe its channel, or for less than a slot.
    pub measured: Measured,
}

/// Measurement of a station on its channel, over all of its observation slots.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Time that it observed.
    pub time: Duration,
    /// Frames and SIFS of its own exchanges, both ways, that were answered.
    pub own: Duration,
    /// Those of all other stations.
    pub others: Duration,
}

/// Use of a channel. The six durations add up to the measured time, to the nanosecond.
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

/// Packets and queue of one direction of a wired link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Packets that it was given.
    pub packets_sent: u64,
    /// Those of them that it carried to the other end.
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
