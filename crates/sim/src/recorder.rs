//! Recorders, which consume the records of a run as they come: metrics, traces, and others.

use airfair_units::Time;

use crate::link::LinkId;
use crate::packet::FlowId;
use crate::record::{CellId, FlowRecord, LinkRecord, Record};
use crate::trace::Trace;

/// Consumer of a run's records.
pub trait Recorder {
    /// True if the consumer wants [`trace`](Self::trace). Without such a consumer, a run spends no time on traces.
    const TRACES: bool = false;

    /// True if the consumer wants to know what limits each flow and where its packets are lost: [`Sample::Limited`] and
    /// [`Sample::LostAt`]. Without such a consumer, a run does not measure this.
    ///
    /// [`Sample::Limited`]: crate::record::Sample::Limited
    /// [`Sample::LostAt`]: crate::record::Sample::LostAt
    const LIMITS: bool = false;

    /// Consumes a record. Successive values of `now` never decrease.
    fn record(&mut self, now: Time, record: &Record);

    /// Consumes the records of a cell that one event has caused.
    #[inline]
    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        for record in records {
            self.record(now, &Record::Cell(cell, *record));
        }
    }

    /// Consumes a record of a flow.
    #[inline]
    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.record(now, &Record::Flow(flow, record));
    }

    /// Consumes a record of a link.
    #[inline]
    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.record(now, &Record::Link(link, record));
    }

    /// Consumes an item of a trace. Successive values of `now` never decrease.
    fn trace(&mut self, _now: Time, _trace: Trace<'_>) {}
}

/// Ignores all records, at no cost.
impl Recorder for () {
    fn record(&mut self, _now: Time, _record: &Record) {}

    fn record_cell(&mut self, _now: Time, _cell: CellId, _records: &[airfair_wlan::Record]) {}
}

/// Consumes records through a reference, so that the owner keeps the consumer even if the run is cancelled.
impl<R: Recorder> Recorder for &mut R {
    const TRACES: bool = R::TRACES;
    const LIMITS: bool = R::LIMITS;

    fn record(&mut self, now: Time, record: &Record) {
        (**self).record(now, record);
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        (**self).record_cell(now, cell, records);
    }

    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        (**self).record_flow(now, flow, record);
    }

    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        (**self).record_link(now, link, record);
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        (**self).trace(now, trace);
    }
}

/// Passes each record to both consumers.
impl<A: Recorder, B: Recorder> Recorder for (A, B) {
    const TRACES: bool = A::TRACES || B::TRACES;
    const LIMITS: bool = A::LIMITS || B::LIMITS;

    fn record(&mut self, now: Time, record: &Record) {
        self.0.record(now, record);
        self.1.record(now, record);
    }

    fn record_cell(&mut self, now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        self.0.record_cell(now, cell, records);
        self.1.record_cell(now, cell, records);
    }

    fn record_flow(&mut self, now: Time, flow: FlowId, record: FlowRecord) {
        self.0.record_flow(now, flow, record);
        self.1.record_flow(now, flow, record);
    }

    fn record_link(&mut self, now: Time, link: LinkId, record: LinkRecord) {
        self.0.record_link(now, link, record);
        self.1.record_link(now, link, record);
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        self.0.trace(now, trace);
        self.1.trace(now, trace);
    }
}
