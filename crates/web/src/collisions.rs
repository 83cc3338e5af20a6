//! Times of collisions, so that a viewer can step from one to the next.

use airfair_sim::record::{CellId, Record};
use airfair_sim::recorder::Recorder;
use airfair_units::Time;
use airfair_wlan::AirUse;

/// Largest number of collisions whose start times are kept.
const MOST: usize = 20_000;

/// Recorder that keeps the start times of collisions.
#[derive(Debug, Default)]
pub(crate) struct Collisions {
    /// Start of each collision, and the cell in which it happened.
    pub(crate) starts: Vec<(Time, CellId)>,
    /// True if there were more than [`MOST`] collisions.
    pub(crate) is_cut: bool,
    /// End of the last recorded collision in each cell.
    ends: Vec<Time>,
}

impl Recorder for Collisions {
    fn record(&mut self, _now: Time, record: &Record) {
        if let Record::Cell(cell, record) = record {
            self.note(*cell, record);
        }
    }

    fn record_cell(&mut self, _now: Time, cell: CellId, records: &[airfair_wlan::Record]) {
        for record in records {
            self.note(cell, record);
        }
    }
}

impl Collisions {
    #[inline]
    fn note(&mut self, cell: CellId, record: &airfair_wlan::Record) {
        if let &airfair_wlan::Record::Air { from, to, usage: AirUse::Collision } = record {
            self.add(cell, from, to);
        }
    }

    /// Adds a collision from `from` to `to`. One collision may be recorded in parts, if one of its
    /// frames ends before another.
    #[cold]
    fn add(&mut self, cell: CellId, from: Time, to: Time) {
        let index = cell.index();
        self.ends.resize(self.ends.len().max(index + 1), Time::ZERO);
        if self.ends[index] < from || from == Time::ZERO {
            if self.starts.len() < MOST {
                self.starts.push((from, cell));
            } else {
                self.is_cut = true;
            }
        }
        self.ends[index] = to;
    }
}
