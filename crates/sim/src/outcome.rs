//! Results of one run: plain numbers for the measured time, for each flow, station, access point, link and channel.
//!
//! Packets of flows and links count if they were sent within the measured time, up to their arrival or loss. A packet
//! sent in the warm-up counts nowhere, and a packet that has not arrived at the end is in flight. Everything else
//! counts at the time at which it happens.

use airfair_units::{Bytes, DataRate, Duration};
use serde::{Deserialize, Serialize};

use airfair_transport::limit::Limit;

use crate::record::{CellId, LimitedBy, Place, SenderWindow};

/// Results of one replication.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Outcome {
    /// Number of the replication, from 0.
    pub replication: u32,
    /// Seed of the run.
    pub seed: u64,
    /// Measured time: the duration of the run without its warm-up.
    pub elapsed: Duration,
    /// Results of each flow, in the scenario's order.
    pub flows: Vec<FlowOutcome>,
    /// Results of each station, in the scenario's order.
    pub stations: Vec<StationOutcome>,
    /// Frames, drops and queue of each cell's access point, in the scenario's order.
    pub access_points: Vec<RadioOutcome>,
    /// Use of each cell's channel, in the scenario's order.
    pub channels: Vec<ChannelOutcome>,
    /// Results of each access category that flows use, from the lowest. Empty if all flows use the same category.
    pub categories: Vec<CategoryOutcome>,
    /// Results of both directions of each wired link, forth and then back.
    pub links: Vec<LinkOutcome>,
    /// Time series; empty unless the scenario records them.
    pub series: Series,
    /// Hash of all records of the run, warm-up included. Equal runs have equal hashes.
    pub record_hash: u64,
    /// Number of events of the run.
    pub events: u64,
    /// Time for which neighbours held the air of cells, by cell and then by neighbour, both ascending. A pair without such
    /// time has no entry.
    pub neighbours: Vec<NeighbourOutcome>,
    /// Messages of each flow whose sender has a source, in the scenario's order.
    pub messages: Vec<MessageOutcome>,
    /// Frames that each live application missed, in the scenario's order.
    pub live: Vec<LiveOutcome>,
    /// Responsiveness that each flow with probes measured, in the scenario's order.
    pub probes: Vec<ProbeOutcome>,
    /// Histogram of the waits of each flow in [`messages`](Self::messages).
    pub waits: Vec<WaitsOutcome>,
    /// Marks of each flow that takes part in explicit congestion notification, in the scenario's order.
    pub marks: Vec<MarkOutcome>,
    /// Pictures of each video call, in the scenario's order.
    pub calls: Vec<CallOutcome>,
}

impl Outcome {
    /// Drops the histograms of delays, which take as much room as all other results. The archive of finished runs
    /// stores outcomes without them.
    #[must_use]
    pub fn without_histograms(mut self) -> Self {
        for flow in &mut self.flows {
            flow.delays = Vec::new();
        }
        self
    }
}

/// Results of a flow.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowOutcome {
    /// Application octets delivered in order.
    pub delivered: Bytes,
    /// Duration of the flow's life within the measured time. A life begins at the flow's start. It ends when all data
    /// of a finite source is acknowledged; for TFRC and UDP, which do not report this, it ends when the flow has
    /// stopped and its last octets are delivered.
    pub active: Duration,
    /// Packets that the sender sent, retransmissions included.
    pub packets_sent: u64,
    /// Packets that the queue of the sender's own host refused and that the sender kept. They do not count as sent.
    pub packets_refused: u64,
    /// Packets of the sender that reached the receiver's host.
    pub packets_received: u64,
    /// Data segments that reached the receiver's host below the highest octet received so far: retransmissions, as a
    /// trace at this host shows them.
    pub packets_repeated: u64,
    /// Packets of the sender that a queue, the MAC or a wired link dropped or lost.
    pub packets_dropped: u64,
    /// Packets of the sender that were queued, on the air or on a wire at the end of the run.
    pub packets_in_flight: u64,
    /// Packets of the receiver, such as TCP ACKs, that a queue, the MAC or a wired link dropped or lost.
    pub acks_dropped: u64,
    /// Segments that the sender retransmitted.
    pub retransmissions: u64,
    /// Retransmission time-outs of the sender; of a TFRC sender, expiries of its no-feedback timer.
    pub timeouts: u64,
    /// Fast retransmits of the sender.
    pub fast_retransmits: u64,
    /// Distribution of the round-trip times that the sender measured.
    pub rtt: Quantiles,
    /// Distribution of the one-way delays of the sender's packets, from its host to the receiver's, queues included.
    pub delay: Quantiles,
    /// Histogram of the one-way delays: bins that contain packets, from the shortest delay. Results from the archive
    /// of finished runs have none.
    pub delays: Vec<DelayBin>,
    /// Interarrival jitter J, averaged over the packets; `None` for fewer than two packets.  [RFC3550 §6.4.1]
    pub jitter: Option<Duration>,
    /// Mean link rate of the sending station over the measured time, `T_i`; `None` for a wired sender.
    /// [arf-aware-tcp eq. 3]
    pub mean_link_rate: Option<DataRate>,
    /// Time from the flow's start until all data of a finite source was acknowledged; `None` if this did not happen.
    pub completion: Option<Duration>,
    /// Time for which the flow was limited, by limit: its own sender, or a queue on its route.
    pub limits: FlowLimits,
}

/// Messages of a flow that were complete within the measured time.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct MessageOutcome {
    /// Index of the flow in the scenario.
    pub flow: u32,
    /// Distribution of the times from the request of a message, or from its generation, to the delivery of its last octet.
    pub delay: Quantiles,
    /// Number of chunks of a video.
    pub chunks: u64,
    /// Sum of the rates of the chunks [b/s].
    pub rates_bps: u64,
    /// Times at which the player had nothing to play.
    pub stalls: u64,
    /// Time for which the player had nothing to play.
    pub stalled: Duration,
}

/// Frames that a live application missed within the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LiveOutcome {
    /// Index of the flow in the scenario.
    pub flow: u32,
    /// Frames of which a packet was lost.
    pub lost: u64,
    /// Frames that were complete after the deadline of the application.
    pub late: u64,
    /// Opinion of a call; `None` for other applications, for codecs that the E-model does not know, and without a frame.
    pub opinion: Option<Opinion>,
}

/// Pictures of one direction of a video call within the measured time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallOutcome {
    /// Index of the flow in the scenario.
    pub flow: u32,
    /// Mean of the rate that the control of the call allowed its pictures; `None` without a control.
    pub target: Option<DataRate>,
    /// Pictures that were shown so long that the call froze.
    pub freezes: u64,
    /// Time for which these pictures were shown.
    pub frozen: Duration,
}

/// Opinion of one direction of a call by the E-model.  [G107 §7]
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Opinion {
    /// Rating factor R.
    pub rating: f64,
    /// Delay from the departure of a frame at which it is played, with which R is highest.
    pub playout: Duration,
}

/// Responsiveness under load: trimmed means of round trips.  [draft-responsiveness §5.3]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProbeOutcome {
    /// Index in the scenario of the flow with the probes.
    pub flow: u32,
    /// Round trip of the probes, on a connection of their own; `None` without a probe.
    pub foreign: Option<Duration>,
    /// Round trip of the connections that fill the path between the same ends; `None` without one.
    pub loaded: Option<Duration>,
}

/// Histogram of the times for which the user of a flow waits.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct WaitsOutcome {
    /// Index of the flow in the scenario.
    pub flow: u32,
    /// Bins with messages, from the shortest wait.
    pub bins: Vec<DelayBin>,
}

impl ProbeOutcome {
    /// Round trips per minute on connections of their own, on those that fill the path, and the mean of both.
    /// [draft-responsiveness §5.3.1]
    pub fn per_minute(&self) -> [Option<f64>; 3] {
        let of = |round_trip: Option<Duration>| round_trip.map(|it| 60.0 / it.as_secs_f64());
        let (foreign, loaded) = (of(self.foreign), of(self.loaded));
        [foreign, loaded, foreign.zip(loaded).map(|(a, b)| f64::midpoint(a, b))]
    }
}

/// Marks on the packets of a flow, and the answers of its sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct MarkOutcome {
    /// Index of the flow in the scenario.
    pub flow: u32,
    /// Packets of the sender that reached the receiver's host.
    pub received: u64,
    /// Those of the packets received that a queue had marked.
    pub packets: u64,
    /// Reductions of the sender's window that answered marks; 0 for TCP of the kernel, which does not report them.
    pub answered: u64,
}

impl MessageOutcome {
    /// Mean rate of the chunks of a video [b/s]; `None` without chunks.
    #[expect(clippy::cast_precision_loss, reason = "a mean to 15 digits")]
    pub fn mean_rate_bps(&self) -> Option<f64> {
        (self.chunks > 0).then(|| self.rates_bps as f64 / self.chunks as f64)
    }
}

/// Time for which a flow was limited, by limit: its own sender, or a queue on its route. The times add up to the time
/// for which the sender was open.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct FlowLimits {
    /// Time for which the sender limited itself while none of its packets waited on the route, indexed by [`Limit`].
    pub sender: [Duration; Limit::ALL.len()],
    /// Queues in which the flow's packets waited or were lost, in the order in which this happened first.
    pub places: Vec<PlaceOutcome>,
}

/// Waiting time and losses of a flow's packets in one queue on its route, and on the hop behind this queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct PlaceOutcome {
    /// Queue on the flow's route in which the packets waited or were lost.
    pub place: Place,
    /// Time for which packets of the flow waited in the queue while the sender could not send more.
    pub waited: Duration,
    /// Packets of the flow that were lost in the queue or on the hop behind it.
    pub lost: u64,
}

impl FlowLimits {
    /// Adds the duration of a period in which `by` limited the flow.
    pub fn add(&mut self, by: LimitedBy, time: Duration) {
        match by {
            LimitedBy::Sender(limit) => self.sender[limit as usize] += time,
            LimitedBy::Place(place) => self.at(place).waited += time,
        }
    }

    /// Counts a packet of the flow that was lost in the queue `place` or on the hop behind it.
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

    /// Sum of the times of all limits: the time for which the flow's sender was open.
    pub fn total(&self) -> Duration {
        self.sender.iter().copied().chain(self.places.iter().map(|it| it.waited)).sum()
    }
}

/// Time series of a run. Its steps are equal intervals from time 0, warm-up included; the last one may be shorter. All
/// lists are empty if the scenario records no series.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Series {
    /// Results of each flow, in the scenario's order, in each step of the time series.
    pub flows: Vec<Vec<FlowStep>>,
    /// Results of each station, in the scenario's order, in each step of the time series.
    pub stations: Vec<Vec<StationStep>>,
    /// Packets in the transmit queue of each access point, averaged over each step.
    pub access_points: Vec<Vec<f64>>,
    /// Packets queued or in service on each direction of each link, averaged over each step.
    pub links: Vec<Vec<f64>>,
}

/// Results of a flow in one step of a time series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowStep {
    /// Application octets delivered in order in this step.
    pub delivered: Bytes,
    /// Sum of the one-way delays of the packets that arrived in this step.
    pub delay_sum: Duration,
    /// Sum of the round-trip times that the sender measured in this step.
    pub rtt_sum: Duration,
    /// Number of packets that arrived in this step.
    pub delays: u64,
    /// Number of round-trip times that the sender measured in this step.
    pub rtts: u64,
    /// Window of a TCP or QUIC sender at the end of the step; `None` for other transports, before the start and after the
    /// end.
    pub window: Option<SenderWindow>,
}

/// Airtime, queue and rates of a station in one step of a time series.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationStep {
    /// Length of the step, which is shorter than the others for the last one.
    pub length: Duration,
    /// Airtime of data and control frames of the station's exchanges, both directions.
    pub airtime: Duration,
    /// Packets in the station's transmit queue, averaged over the step.
    pub queue: f64,
    /// Rate of the station's own data frames, averaged over the step [b/s].
    pub rate_up_bps: f64,
    /// Rate of data frames to the station, averaged over the step [b/s].
    pub rate_down_bps: f64,
}

/// Distribution of durations, from a histogram with a resolution of 1 %.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Quantiles {
    /// Number of samples.
    pub count: u64,
    /// Mean of the samples.
    pub mean: Duration,
    /// Smallest of all samples.
    pub min: Duration,
    /// Median of the samples.
    pub p50: Duration,
    /// 95th percentile of the samples.
    pub p95: Duration,
    /// 99th percentile of the samples.
    pub p99: Duration,
    /// Largest of all samples.
    pub max: Duration,
}

/// Bin of a histogram of a flow's one-way delays.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct DelayBin {
    /// Shortest delay of the bin.
    pub from: Duration,
    /// Shortest delay of the next bin.
    pub to: Duration,
    /// Number of packets whose delay is in the bin.
    pub packets: u64,
}

/// Frames, drops and queue of a transmitter: a station's or an access point's.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct RadioOutcome {
    /// Data frames sent, retries included.
    pub frames: u64,
    /// RTS frames sent, retries included.
    pub rts_frames: u64,
    /// Data and RTS frames sent that repeated an earlier attempt.
    pub retries: u64,
    /// Transmissions of any kind by this transmitter that collided.
    pub collisions: u64,
    /// Transmissions of any kind by this transmitter that noise made unreadable for their receiver.
    pub frame_errors: u64,
    /// Packets given up at the retry limit.
    pub dropped_retry_limit: u64,
    /// Packets refused because the transmit queue was full.
    pub dropped_queue_full: u64,
    /// Packets that CoDel dropped because they had waited too long [RFC8289], or that `DualPI2` dropped [RFC9332].
    pub dropped_codel: u64,
    /// ACKs that a newer ACK replaced in the transmit queue.
    pub dropped_ack_filter: u64,
    /// Packets of aggregates that arrived after the reorder buffer had passed on later ones.
    pub dropped_late: u64,
    /// Packets that a scheme or a law at an access point dropped.
    pub dropped_by_scheme: u64,
    /// Received frames that repeated one already received.
    pub duplicates: u64,
    /// Data frames sent that were aggregates of several MPDUs.
    pub aggregates: u64,
    /// Number of MPDUs in the aggregates of several MPDUs that were sent.
    pub aggregated_mpdus: u64,
    /// Packets sent in A-MSDUs, without the first of each A-MSDU.
    pub joined_packets: u64,
    /// Number of packets in the transmit queue, averaged over time.
    pub queue_mean: f64,
    /// Largest number of packets in the transmit queue.
    pub queue_max: u64,
}

/// Results of an access category: its flows, and its use of all cells' channels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct CategoryOutcome {
    /// Application octets that the category's flows delivered in order.
    pub delivered: Bytes,
    /// Distribution of the one-way delays of the packets of the category's senders, queues included.
    pub delay: Quantiles,
    /// Airtime of frames of the category's exchanges.
    pub airtime: Duration,
    /// Data frames of the category sent, retries included.
    pub frames: u64,
    /// Frames of the category's exchanges that collided.
    pub collisions: u64,
    /// Number of internal collisions in which the category gave way to a higher category of the same member that won
    /// in the same slot.
    pub internal_collisions: u64,
    /// Packets of both directions that queues and the MAC of the category's members dropped.
    pub dropped: u64,
}

/// Results of a station: its transmitter, its rates, and its use of the channel.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct StationOutcome {
    /// Frames, drops and queue of the station's transmitter.
    pub radio: RadioOutcome,
    /// Data frames sent to the station under a block ack agreement.
    pub agreed_frames_down: u64,
    /// MPDUs in the data frames sent to the station under a block ack agreement.
    pub agreed_mpdus_down: u64,
    /// Data frames of several MPDUs sent to the station under a block ack agreement.
    pub aggregates_down: u64,
    /// Changes of the rate between the station and its access point, by rate control or by the program that owns the
    /// simulated world.
    pub rate_changes: u64,
    /// Mean rate of the station's own data frames over the measured time.
    pub mean_rate_up: Option<DataRate>,
    /// Mean rate of data frames to the station over the measured time.
    pub mean_rate_down: Option<DataRate>,
    /// Airtime of data frames that the station sent.
    pub airtime_data_up: Duration,
    /// Airtime of data frames sent to the station.
    pub airtime_data_down: Duration,
    /// Airtime of ACK, RTS and CTS frames of the station's exchanges, both directions.
    pub airtime_control: Duration,
    /// Interframe spaces and back-off before and between frames of the station's exchanges, both directions.
    /// Contention that led to a collision belongs to no station.  [occupancy-tfrc fig. 1]
    pub contention: Duration,
    /// The station's own measurement of its channel; all zero for a station that does not observe its channel, or
    /// observes it for less than a slot.
    pub measured: Measured,
}

/// Measurement of a station on its channel, over all of its observation slots.  [arf-window §III-A]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Measured {
    /// Time for which the station observed its channel.
    pub time: Duration,
    /// Duration of the frames and SIFS of the station's own exchanges that were answered, both directions.
    pub own: Duration,
    /// Duration of the frames and SIFS of all other stations' exchanges that were answered.
    pub others: Duration,
}

/// Use of a cell's channel. The eight durations add up to the measured time, to the nanosecond.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct ChannelOutcome {
    /// Time with one data frame alone on the air.
    pub data: Duration,
    /// Time with one control frame alone on the air.
    pub control: Duration,
    /// Time with one beacon alone on the air, a frame of a sounding, or a frame that begins or ends a grant.
    pub beacon: Duration,
    /// Time in which frames of the cell overlap on the channel.
    pub collision: Duration,
    /// Time with frames of other cells, which the access point senses, and none of the cell.
    #[serde(default)]
    pub neighbours: Duration,
    /// Time with frames of the cell and frames of other cells, which the access point senses, at once.
    #[serde(default)]
    pub overlap: Duration,
    /// Idle time while a frame waits to be sent: interframe spaces, back-off, time-outs.
    pub contention: Duration,
    /// Idle time while no member has anything to send.
    pub idle: Duration,
    /// Frames of every kind that were sent on the channel.
    pub frames: u64,
    /// Number of collisions: periods in which frames overlapped.
    pub collisions: u64,
}

/// Time for which a neighbour held the air of a cell. The times of a cell add up to its
/// [`neighbours`](ChannelOutcome::neighbours).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct NeighbourOutcome {
    /// Cell whose air the neighbour held.
    pub cell: CellId,
    /// Cell of the frames on the air. Of several, it is the one whose frame started first.
    pub neighbour: CellId,
    /// Time with frames of the neighbour, which the access point of the cell senses, and none of the cell.
    pub airtime: Duration,
}

/// Packets and queue of one direction of a wired link.
#[derive(Clone, Copy, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct LinkOutcome {
    /// Packets given to the link.
    pub packets_sent: u64,
    /// Packets given to the link that arrived at its other end.
    pub packets: u64,
    /// Packets that the link refused because its queue was full.
    pub dropped_queue_full: u64,
    /// Packets that random early detection dropped in the queue of the link.
    pub dropped_early: u64,
    /// Packets lost on the link after its queue.
    pub lost: u64,
    /// Number of packets queued or in service on the link, averaged over time.
    pub queue_mean: f64,
    /// Largest number of packets queued or in service on the link.
    pub queue_max: u64,
}
