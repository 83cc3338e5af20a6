//! Comparison of the world's state after each event, for a recorder that wants a trace.

use airfair_units::DataRate;
use airfair_wlan::NodeId;

use super::World;
use crate::clock::Clock;
use crate::endpoint::Source;
use crate::packet::FlowId;
use crate::record::{CellId, Member, SenderWindow};
use crate::recorder::Recorder;
use crate::trace::Trace;

/// Window or rate of a sender as last passed to the recorder's trace.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Freedom {
    Window(SenderWindow),
    Rate(Option<DataRate>),
}

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

    /// Traces the window or the rate of a sender that has just acted, if it has changed.
    #[cold]
    #[inline(never)]
    pub(super) fn trace_sender(&mut self, id: FlowId) {
        let freedom = match &self.flows[id.index()].source {
            Source::Tcp(sender) => {
                Freedom::Window(SenderWindow { cwnd: sender.cwnd(), ssthresh: sender.ssthresh() })
            }
            Source::Tfrc(sender) => Freedom::Rate(bits_per_second(sender.pacing_rate())),
            Source::Udp(_) | Source::External(_) => return,
        };
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

/// Converts a rate in octets per second. `None` below 1 bit/s.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn bits_per_second(octets: f64) -> Option<DataRate> {
    let bits = (octets * 8.0) as u64;
    (bits > 0).then(|| DataRate::from_bps(bits))
}
