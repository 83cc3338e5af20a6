//! Execution of a run of the list, and its measures.

use airfair_sim::metrics::Metrics;
use airfair_sim::outcome::Outcome;
use airfair_sim::packet::{FlowId, Packet};
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, run, run_with};
use airfair_sim::trace::{ChannelAccess, Trace};
use airfair_units::{DataRate, Time};
use airfair_wlan::{FrameKind, Monitored};

use crate::digest::{self, Digest};
use crate::driven;
use crate::list::{Kind, Run};

/// Names of the figures of a run, in the order in which they are compared.
pub(crate) const NAMES: [&str; 7] =
    ["octets", "packets", "lost", "frames", "collisions", "air_us", "events"];

/// Hashes and figures of a run, for comparison.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Measured {
    /// Hash of the text of the run's scenario.
    pub(crate) scenario: u32,
    /// Hash of all records of the run.
    pub(crate) records: u64,
    /// Figures of the run in the order of [`NAMES`].
    pub(crate) measures: [u64; NAMES.len()],
    /// Hash of the run's outcome. It includes the trace if the run is traced, and what the simulated network returns to
    /// the code that drives the simulation if the run is driven.
    pub(crate) outcome: u32,
}

impl Measured {
    /// Executes a run and returns its hashes and figures, such as the octets delivered and the frames sent.
    pub(crate) fn of(it: &Run) -> Self {
        let (outcome, outputs) = run_one(it);
        let sum = |each: &dyn Fn(&airfair_sim::outcome::FlowOutcome) -> u64| {
            outcome.flows.iter().map(each).sum::<u64>()
        };
        let air = |channel: &airfair_sim::outcome::ChannelOutcome| {
            channel.data + channel.control + channel.beacon + channel.collision
        };
        let channels = || outcome.channels.iter();
        let measures = [
            sum(&|flow| flow.delivered.get()),
            sum(&|flow| flow.packets_sent),
            sum(&|flow| flow.packets_dropped),
            channels().map(|channel| channel.frames).sum(),
            channels().map(|channel| channel.collisions).sum(),
            channels().map(|channel| air(channel).as_nanos() / 1_000).sum(),
            outcome.events,
        ];
        // The histogram of waits is that of the quantiles in `messages`.
        // Calls without a control of their rate are listed in `live`, too.
        let mut calls = outcome.calls;
        calls.retain(|it| it.target.is_some());
        let outcome = Outcome { waits: Vec::new(), calls, ..outcome };
        let octets = postcard::to_allocvec(&outcome).expect("an outcome can be serialised");
        // Empty tables at the end are the last octets, which the hash leaves out.
        let empty = [
            outcome.calls.is_empty(),
            outcome.marks.is_empty(),
            true,
            outcome.probes.is_empty(),
            outcome.live.is_empty(),
            outcome.messages.is_empty(),
            outcome.neighbours.is_empty(),
        ];
        let left_out = empty.iter().take_while(|it| **it).count();
        let known = octets.len() - left_out;
        let mut whole = digest::of(&octets[..known]);
        whole.add(u64::from(outputs.short()));
        Self {
            scenario: it.scenario_hash(),
            records: outcome.record_hash,
            measures,
            outcome: whole.short(),
        }
    }
}

/// Outcome of a run, and a hash: of the trace if the run is traced, and of what the simulated network returns to the
/// code that drives the simulation if the run is driven. For a plain run the hash is that of nothing.
fn run_one(it: &Run) -> (Outcome, Digest) {
    let control = Control::default();
    match it.kind {
        Kind::Plain => {
            (run(&it.scenario, it.seed, 0, &control).expect("nobody cancels"), Digest::default())
        }
        Kind::Traced => {
            let mut traced = Traced::default();
            let outcome = run_with(&it.scenario, it.seed, 0, &mut traced, &control);
            (outcome.expect("nobody cancels"), traced.0)
        }
        Kind::Driven => driven::run(&it.scenario, it.seed, Metrics::new(&it.scenario)),
    }
}

/// Recorder that hashes the trace of a run.
#[derive(Default)]
struct Traced(Digest);

impl Recorder for Traced {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        // These repeat what records, frames and windows have.
        if matches!(
            trace,
            Trace::Sent(_) | Trace::Received(_) | Trace::Lost(..) | Trace::Sender(..)
        ) {
            return;
        }
        self.0.add(now.as_nanos());
        match trace {
            Trace::Frame(cell, monitored) => {
                self.0.add(u64::from(cell.0));
                self.frame(monitored);
            }
            Trace::Access(member, access) => {
                self.0.add(u64::from(member.cell.0) << 32 | u64::from(member.node.0));
                self.access(access);
            }
            Trace::Window(flow, window) => {
                self.flow(flow, 1);
                self.0.add(u64::from(window.cwnd) << 32 | u64::from(window.ssthresh));
            }
            Trace::Rate(flow, rate) => {
                self.flow(flow, 2);
                self.0.add(rate.map_or(0, DataRate::bps));
            }
            Trace::Sent(_) | Trace::Received(_) | Trace::Lost(..) | Trace::Sender(..) => {}
        }
    }
}

impl Traced {
    fn flow(&mut self, flow: FlowId, kind: u64) {
        self.0.add(kind << 32 | u64::from(flow.0));
    }

    fn access(&mut self, access: ChannelAccess) {
        match access {
            ChannelAccess::Resting => self.0.add(0),
            ChannelAccess::Deferring { slots } => self.0.add(1 + slots),
            ChannelAccess::CountingDown { from, slots } => {
                self.0.add(from.as_nanos());
                self.0.add(slots);
            }
            ChannelAccess::InExchange => self.0.add(u64::MAX),
        }
    }

    fn frame(&mut self, monitored: &Monitored<Packet>) {
        let ppdu = &monitored.ppdu;
        let frame = &ppdu.frame;
        let kind = match frame.kind {
            FrameKind::Data => 0,
            FrameKind::Ack => 1,
            FrameKind::BlockAck => 2,
            FrameKind::BlockAckRequest => 3,
            FrameKind::Rts => 4,
            FrameKind::Cts => 5,
            FrameKind::CtsToSelf => 6,
            FrameKind::Beacon => 7,
            FrameKind::MultiUser => 8,
            FrameKind::Trigger => 9,
            FrameKind::TriggerBased => 10,
            FrameKind::MultiBlockAck => 11,
            FrameKind::NdpAnnouncement => 12,
            FrameKind::Ndp => 13,
            FrameKind::BeamformingReport => 14,
            FrameKind::CtsToOther => 15,
            FrameKind::CfEnd => 16,
        };
        let flags = [frame.retry, ppdu.collided, ppdu.errored];
        let flags = flags.iter().fold(kind, |bits, flag| bits << 1 | u64::from(*flag));
        let to = frame.to.map_or(u16::MAX, |to| to.0);
        self.0.add(flags << 32 | u64::from(frame.from.0) << 16 | u64::from(to));
        for word in [
            ppdu.start.as_nanos(),
            ppdu.end.as_nanos(),
            frame.psdu.get(),
            frame.duration_field.as_nanos(),
            monitored.receivers.iter().fold(1, |all, it| all << 8 | u64::from(it.0)),
        ] {
            self.0.add(word);
        }
        for mpdu in &ppdu.mpdus {
            let packet = &mpdu.msdu.payload;
            self.0.add(u64::from(packet.flow.0) << 1 | u64::from(mpdu.errored));
            self.0.add(packet.sent_at.as_nanos());
        }
    }
}
