//! Comparison of the world's state after each event, for a recorder that wants a trace.

use airfair_units::Bytes;
use airfair_wlan::NodeId;

use super::{Freedom, World};
use crate::clock::Clock;
use crate::endpoint::Source;
use crate::packet::FlowId;
use crate::record::{CellId, Member};
use crate::recorder::Recorder;
use crate::trace::{SenderState, Trace};

impl<R: Recorder, C: Clock> World<R, C> {
    /// Traces frames that have left the air of a cell, and members whose channel access has changed.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_cell(&mut self, index: usize) {
        let Self { cells, recorder, now, .. } = self;
        let (air, cell) = (&mut cells[index].cell, CellId::new(index));
        while let Some(monitored) = air.poll_monitored() {
            recorder.trace(*now, Trace::Frame(cell, &monitored));
        }
        let tell = |node: NodeId, access| {
            recorder.trace(*now, Trace::Access(Member { cell, node }, access));
        };
        air.tell_access(tell);
    }

    /// Traces the state of a sender that has just acted, and its window or rate if that has changed.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_sender(&mut self, id: FlowId) {
        if let Source::Quic(sender) = &mut self.flows[id.index()].source {
            let lost: Vec<_> = std::iter::from_fn(|| sender.poll_lost()).collect();
            for packet in lost.into_iter().rev() {
                self.recorder.trace(self.now, Trace::Lost(id, packet));
            }
        }
        let source = &self.flows[id.index()].source;
        let Some(freedom) = Freedom::of(source) else { return };
        self.recorder.trace(self.now, Trace::Sender(id, state(source, freedom)));
        if self.traced[id.index()].replace(freedom) == Some(freedom) {
            return;
        }
        let trace = match freedom {
            Freedom::Window(window) => Trace::Window(id, window),
            Freedom::Rate(rate) => Trace::Rate(id, rate),
        };
        self.recorder.trace(self.now, trace);
    }
}

/// State of a sender that has this window or rate.
fn state(source: &Source, freedom: Freedom) -> SenderState {
    match (source, freedom) {
        (Source::Tcp(sender), _) => {
            let segment = sender.segment_size();
            let octets = |segments: u32| Bytes::new(segment.get() * u64::from(segments));
            let ssthresh = sender.ssthresh();
            SenderState {
                segment,
                cwnd: Some(octets(sender.cwnd())),
                ssthresh: (ssthresh < u32::MAX).then(|| octets(ssthresh)),
                in_network: Some(sender.in_network()),
                smoothed: sender.smoothed_round_trip(),
                least: sender.least_round_trip(),
                pacing: None,
            }
        }
        (Source::Quic(sender), _) => SenderState {
            segment: sender.datagram_size(),
            cwnd: Some(sender.window()),
            ssthresh: sender.threshold(),
            in_network: Some(sender.in_flight()),
            smoothed: sender.smoothed_round_trip(),
            least: sender.least_round_trip(),
            pacing: sender.pacing(),
        },
        (Source::Tfrc(sender), Freedom::Rate(pacing)) => {
            SenderState { smoothed: sender.smoothed_round_trip(), pacing, ..SenderState::default() }
        }
        _ => SenderState::default(),
    }
}
