//! State of RACK-TLP loss detection at a sender: RACK, the tail loss probe, proportional rate reduction, and
//! the one timer that they share. [RFC8985], [linux-rack]

use airfair_laws::prr;
use airfair_units::{Bytes, Time};

use super::rack::Rack;
use super::segment::FIRST_OCTET;
use super::tlp::TailProbe;
use super::undo::Undo;

/// Purpose of a RACK-TLP sender's running timer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Timer {
    /// The timer is for the retransmission time-out.
    Retransmission,
    Probe,
    /// The timer is for reordering: when it expires, loss detection runs again.
    Reordering,
}

/// State of a sender whose losses RACK-TLP detects.
#[derive(Clone, Debug)]
pub(super) struct RackTlp {
    pub(super) rack: Rack,
    pub(super) probe: TailProbe,
    pub(super) timer: Timer,
    /// Deadline and purpose of the timer before the last segment was sent, to restore if the host refuses
    /// that segment.
    pub(super) timer_before: (Option<Time>, Timer),
    /// True if a tail loss probe is to be sent, whatever the window.
    pub(super) is_probe_due: bool,
    /// State of proportional rate reduction in recovery, or in a reduction that answers marks.
    pub(super) prr: Option<prr::State>,
    /// True if the reduction answers marks, and lets whole segments leave, rounded up.
    pub(super) answers_marks: bool,
    /// Window of proportional rate reduction after the last ACK in recovery [octets].
    pub(super) window: u64,
    /// Window before the current recovery, to be restored if the recovery was needless.
    pub(super) undo: Option<Undo>,
    /// Time and end of the last segment, if the next segment may form a pair with it.
    pub(super) first_of_two: Option<(Time, u64)>,
}

impl RackTlp {
    /// Creates the state, with delivery rate samples if `samples`.
    pub(super) fn new(samples: bool) -> Self {
        Self {
            rack: Rack::new(FIRST_OCTET, samples),
            probe: TailProbe::default(),
            timer: Timer::Retransmission,
            timer_before: (None, Timer::Retransmission),
            is_probe_due: false,
            prr: None,
            answers_marks: false,
            window: 0,
            undo: None,
            first_of_two: None,
        }
    }

    /// Octets in the network: sent, and neither arrived nor lost.
    pub(super) fn in_network(&self) -> u64 {
        self.rack.in_network()
    }

    /// Ends proportional rate reduction, because cwnd was set from outside the law.
    pub(super) fn end_prr(&mut self) {
        self.prr = None;
    }

    /// Removes the last segment, which was new, has `length` octets, and was refused by the sender's own
    /// host.
    pub(super) fn on_taken_back(&mut self, length: u64) {
        self.rack.on_taken_back();
        if let Some(state) = &mut self.prr {
            state.sent -= Bytes::new(length);
        }
    }

    /// Runs one step of proportional rate reduction. The first step always allows the retransmission of one
    /// segment.  [RFC6937 §3], `tcp_cwnd_reduction` [linux-rack]
    pub(super) fn reduce(&mut self, delivered: u64, is_safe: bool, ssthresh: u64, segment: u64) {
        let Some(state) = self.prr.filter(|_| delivered > 0) else { return };
        let pipe = self.rack.in_network();
        let seen = prr::Observation {
            delivered: Bytes::new(delivered),
            pipe: Bytes::new(pipe),
            ssthresh: Bytes::new(ssthresh),
            // If further segments are lost the network is full, and the slow start part would be wrong.
            segment: Bytes::new(if is_safe { segment } else { 0 }),
        };
        let (state, allowance) = prr::step(state, &seen);
        let least = if state.sent.is_zero() { segment } else { 0 };
        let allowance = if self.answers_marks {
            allowance.get().div_ceil(segment) * segment
        } else {
            allowance.get()
        };
        self.prr = Some(state);
        self.window = pipe + allowance.max(least);
    }
}
