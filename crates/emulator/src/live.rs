//! What a viewer sees while an emulation goes on: sums since its start, which a viewer takes the difference of.

use airfair_sim::record::{CellId, Record, Recorder};
use airfair_sim::world::Direction;
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::{AirUse, NodeId, SentFrame};

/// Sums over a member of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Data frames that it has sent, retries included.
    pub frames: u64,
    /// Those that had been on the air before.
    pub retries: u64,
    /// Packets that its queue has refused or dropped, or that it gave up.
    pub drops: u64,
    /// Packets in its queue now.
    pub queue: u32,
    /// Air held by data frames that it has sent.
    pub airtime_up: Duration,
    /// Air held by data frames sent to it.
    pub airtime_down: Duration,
    /// Air held by control frames of its exchanges, both directions.
    pub airtime_control: Duration,
    /// Rates that were set or found, up and down; `None` while the schedule is all there is.
    pub rates: [Option<DataRate>; 2],
}

impl Member {
    /// Air held by frames of its exchanges, as results count it.
    pub fn airtime(&self) -> Duration {
        self.airtime_up + self.airtime_down + self.airtime_control
    }
}

/// Sums over each member of each cell, the access point first.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    pub(crate) cells: Vec<Vec<Member>>,
}

impl Live {
    pub(crate) fn new(stations: impl Iterator<Item = usize>) -> Self {
        Self { cells: stations.map(|count| vec![Member::default(); count + 1]).collect() }
    }

    fn member(&mut self, cell: CellId, node: NodeId) -> &mut Member {
        &mut self.cells[cell.index()][node.index()]
    }
}

impl Recorder for Live {
    fn record(&mut self, _now: Time, record: &Record) {
        use airfair_wlan::Record as Cell;
        let Record::Cell(cell, record) = record else { return };
        match *record {
            Cell::Sent { node, frame: SentFrame::Data, retry, .. } => {
                let member = self.member(*cell, node);
                member.frames += 1;
                member.retries += u64::from(retry);
            }
            Cell::Air { from, to, usage: AirUse::Data { station, direction } } => {
                let member = self.member(*cell, station);
                let air = match direction {
                    Direction::Up => &mut member.airtime_up,
                    Direction::Down => &mut member.airtime_down,
                };
                *air += to - from;
            }
            Cell::Air { from, to, usage: AirUse::Control { station } } => {
                self.member(*cell, station).airtime_control += to - from;
            }
            Cell::Queue { node, length } => self.member(*cell, node).queue = length,
            Cell::Dropped { node, .. } => self.member(*cell, node).drops += 1,
            Cell::Rate { station, direction, rate } => {
                self.member(*cell, station).rates[direction as usize] = Some(rate);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use airfair_sim::run::{Control, run_with};
    use airfair_sim::scenario::Scenario;

    use super::*;

    const CELL: &str = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11g\"\nrts_threshold = \"700 B\"\n\
        errors = { model = \"bernoulli\", probability = 0.1 }\n\
        [station.slow]\nrate = \"6 Mb/s\"\n[station.fast]\n[station.old]\nstandard = \"802.11b\"\n[host.h]\n\
        [flow.up]\nfrom = \"slow\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n\
        [flow.down]\nfrom = \"h\"\nto = \"fast\"\ntransport = { kind = \"tcp\" }\n\
        [flow.over]\nfrom = \"old\"\nto = \"fast\"\ntransport = { kind = \"tcp\" }\n";

    /// RTS, CTS, CTS to oneself and ACK hold the air as well as data does.
    #[test]
    fn a_viewer_sees_the_air_that_results_have() {
        let scenario = Scenario::parse(CELL, &[]).expect("a scenario without mistakes");
        let mut live = Live::new([3].into_iter());
        let outcome = run_with(&scenario, 1, 0, &mut live, &Control::default());
        let outcome = outcome.expect("nobody cancels");
        for (station, member) in outcome.stations.iter().zip(&live.cells[0][1..]) {
            let control = station.airtime_control;
            assert!(control > Duration::from_millis(10), "{station:?}");
            assert_eq!(
                [member.airtime_up, member.airtime_down, member.airtime_control],
                [station.airtime_data_up, station.airtime_data_down, control]
            );
            assert_eq!(member.airtime(), member.airtime_up + member.airtime_down + control);
            assert_eq!(member.frames, station.radio.frames);
        }
    }
}
