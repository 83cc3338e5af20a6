//! Time for which neighbours hold the air of a cell, as intervals.

use airfair_sim::record::CellId;
use airfair_units::Time;
use airfair_wlan::AirUse;

/// Interval in which frames of other cells, which the access point senses, are on the air of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Held {
    /// Start of the interval.
    pub from: Time,
    /// End of the interval.
    pub to: Time,
    /// Cell of the frames, of several the one whose frame started first; `None` if the cell's own frames overlap them.
    pub by: Option<CellId>,
}

/// Intervals in which neighbours hold the air of one cell, in sequence.
#[derive(Clone, Copy, Debug, Default)]
pub struct HeldAir {
    current: Option<Held>,
}

impl HeldAir {
    /// Notes the use of the air from `from` to `to`, the end of the last use and that of this one. Returns the interval
    /// that ends at `from`.
    pub fn note(&mut self, usage: AirUse, from: Time, to: Time) -> Option<Held> {
        let next = match usage {
            AirUse::Neighbour { cell } => Some(Held { from, to, by: Some(CellId(cell)) }),
            AirUse::Overlap => Some(Held { from, to, by: None }),
            _ => None,
        };
        match (&mut self.current, next) {
            (Some(current), Some(next)) if current.by == next.by => {
                current.to = to;
                None
            }
            (current, next) => std::mem::replace(current, next),
        }
    }

    /// Interval that has not ended yet, up to the last use of the air.
    pub fn last(self) -> Option<Held> {
        self.current
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Times are in µs. The air changes its use at each record, and cell 3 holds it until 20, with another frame from 10
    /// on. Then cell 4 holds it, at once with a frame of the cell from 40 to 50.
    #[test]
    fn records_of_the_same_holder_are_one_interval() {
        let us = |us: u64| Time::from_nanos(us * 1_000);
        let by = |cell| AirUse::Neighbour { cell };
        let uses = [
            (AirUse::Idle, 0, 5),
            (by(3), 5, 10),
            (by(3), 10, 20),
            (by(4), 20, 40),
            (AirUse::Overlap, 40, 50),
            (AirUse::Contention, 50, 60),
            (by(4), 60, 70),
        ];
        let mut lane = HeldAir::default();
        let ended = uses.map(|(usage, from, to)| lane.note(usage, us(from), us(to)));
        let found: Vec<Held> = ended.into_iter().chain([lane.last()]).flatten().collect();
        let held =
            |from, to, by: Option<u16>| Held { from: us(from), to: us(to), by: by.map(CellId) };
        let expected = [
            held(5, 20, Some(3)),
            held(20, 40, Some(4)),
            held(40, 50, None),
            held(60, 70, Some(4)),
        ];
        assert_eq!(found, expected);
    }
}
