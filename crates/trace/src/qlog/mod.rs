//! Logs of the senders of TCP, QUIC and TFRC flows in qlog, one file for each flow.  [qlog]
//!
//! The events are those of QUIC: packets sent and received, packets lost, recovery metrics and congestion states.
//! Packets of TCP have the numbers of segments, and the description in each file says so.  Deviates: [D-340]

mod lines;
mod log;
mod quic;

use std::io::Write;

use airfair_sim::packet::FlowId;
use airfair_sim::record::{CellId, FlowRecord, Member, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::{Endpoint, Flow, Scenario, Transport};
use airfair_sim::trace::Trace;
use airfair_units::Time;
use airfair_wlan::NodeId;

use crate::outlet::Written;
use crate::selection::Selection;
pub use lines::Version;
use log::Log;

/// Recorder that writes a log for each TCP, QUIC and TFRC flow of a run.
#[derive(Debug)]
pub struct Qlog<W> {
    selection: Selection,
    logs: Vec<Option<Log<W>>>,
}

impl<W: Write> Qlog<W> {
    /// Creates the logs of the part `selection` of a run of `scenario`. `comment` describes the run in each file.
    /// `files` are the files of the flows that [`logged`] lists.
    ///
    /// # Panics
    /// If there is another number of files.
    pub fn new(
        scenario: &Scenario,
        selection: Selection,
        comment: &str,
        (version, files): (Version, Vec<W>),
    ) -> Self {
        let mut logs: Vec<_> = scenario.flows.iter().map(|_| None).collect();
        let flows = logged(scenario, &selection);
        assert_eq!(flows.len(), files.len(), "a file for each flow");
        for (index, file) in flows.into_iter().zip(files) {
            logs[index] = Some(Log::new(scenario, index, comment, (version, file)));
        }
        Self { selection, logs }
    }

    /// Flushes all files.
    pub fn finish(self) -> Vec<Written<W>> {
        self.logs.into_iter().flatten().map(Log::finish).collect()
    }

    /// The log of a flow at a time; the log does not write outside of the traced interval.
    fn log(&mut self, now: Time, flow: FlowId) -> Option<&mut Log<W>> {
        let log = self.logs[flow.index()].as_mut()?;
        log.pass(now, self.selection.contains(now));
        Some(log)
    }
}

/// Indices of the flows whose senders can be logged: those of TCP, QUIC and TFRC between traced stations, or between
/// hosts alone.
pub fn logged(scenario: &Scenario, selection: &Selection) -> Vec<usize> {
    let is_logged = |flow: &Flow| {
        let stations: Vec<Member> = [flow.from, flow.to]
            .into_iter()
            .filter_map(|end| match end {
                Endpoint::Station(index) => Some(member(scenario, index)),
                Endpoint::Host(_) => None,
            })
            .collect();
        matches!(flow.transport, Transport::Tcp(_) | Transport::Quic(_) | Transport::Tfrc(_))
            && (stations.is_empty() || stations.iter().any(|it| selection.has(*it)))
    };
    (0..scenario.flows.len()).filter(|index| is_logged(&scenario.flows[*index])).collect()
}

/// Member number of a station in its cell, in which the access point is number 0.
fn member(scenario: &Scenario, station: usize) -> Member {
    let cell = scenario.stations[station].cell;
    let before = scenario.stations[..station].iter().filter(|it| it.cell == cell).count();
    let node = NodeId(u16::try_from(before + 1).expect("at most 65 534 stations"));
    Member { cell: CellId::new(cell), node }
}

impl<W: Write> Recorder for Qlog<W> {
    const TRACES: bool = true;

    fn record(&mut self, now: Time, record: &Record) {
        let Record::Flow(flow, record) = record else { return };
        let Some(log) = self.log(now, *flow) else { return };
        match record {
            FlowRecord::RoundTrip(measured) => log.note_round_trip(*measured),
            FlowRecord::Timeout => log.note_timeout(),
            FlowRecord::FastRetransmit => log.note_fast_retransmit(),
            _ => {}
        }
    }

    fn record_cell(&mut self, _now: Time, _cell: CellId, _records: &[airfair_wlan::Record]) {}

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        match trace {
            Trace::Sent(packet) => {
                if let Some(log) = self.log(now, packet.flow) {
                    log.note_sent(packet);
                }
            }
            Trace::Received(packet) => {
                if let Some(log) = self.log(now, packet.flow) {
                    log.receive(packet);
                }
            }
            Trace::Lost(flow, packet) => {
                if let Some(log) = self.log(now, flow) {
                    log.lose(packet);
                }
            }
            Trace::Sender(flow, state) => {
                if let Some(log) = self.log(now, flow) {
                    log.settle(state);
                }
            }
            _ => {}
        }
    }
}
