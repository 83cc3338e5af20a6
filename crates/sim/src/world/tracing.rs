//! Comparison of the world's state after each event, for a recorder that wants a trace.

use airfair_wlan::NodeId;

use super::{Freedom, World};
use crate::clock::Clock;
use crate::packet::FlowId;
use crate::record::{CellId, Member};
use crate::recorder::Recorder;
use crate::trace::Trace;

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
        let Some(freedom) = Freedom::of(&self.flows[id.index()].source) else { return };
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
