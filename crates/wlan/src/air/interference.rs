//! Interference in a cell with a radio that shares its channel: the powers of all frames on the air at each member.
//!
//! The receiver of a frame is synchronised to it. All other frames, also those too weak to be sensed, add to the noise
//! for the time for which they overlap it. Deviates: [D-270]

use airfair_units::{Dbm, Time};

use super::spectrum::Channels;
use crate::node::NodeId;
use crate::radio::milliwatts;

/// Frames on the air, and those that overlapped one of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Interference {
    signals: Vec<Signal>,
}

/// One frame as a signal.
#[derive(Clone, Debug)]
struct Signal {
    /// Member in the header of the frame, whose fellows in a turn have signals of their own.
    leader: NodeId,
    start: Time,
    end: Time,
    channels: Channels,
    /// Received power at each member [mW].
    powers: Vec<f64>,
}

impl Interference {
    /// Adds the signal of a frame, or of one of several that are sent together with the frame of `leader`.
    pub(crate) fn add(
        &mut self,
        (leader, channels): (NodeId, Channels),
        (start, end): (Time, Time),
        powers: impl Iterator<Item = Dbm>,
    ) {
        let is_on_air = |it: &&Signal| it.end > start;
        let oldest = self.signals.iter().filter(is_on_air).map(|it| it.start).min();
        self.signals.retain(|it| it.end > oldest.unwrap_or(start));
        let powers = powers.map(milliwatts).collect();
        self.signals.push(Signal { leader, start, end, channels, powers });
    }

    /// Largest power of other frames at member `to`, in the channels of a frame of `leader`, while the part of this frame
    /// from `start` to `end` is on the air [mW].
    pub(crate) fn level(&self, to: NodeId, leader: NodeId, (start, end): (Time, Time)) -> f64 {
        let own = self.signals.iter().rfind(|it| it.leader == leader);
        let own = own.map_or(Channels::WHOLE, |it| it.channels);
        let others = || {
            let overlaps = |it: &&Signal| it.start < end && it.end > start;
            self.signals.iter().filter(|it| it.leader != leader).filter(overlaps)
        };
        let sum = |at: Time| {
            let there = others().filter(|it| it.start <= at && it.end > at);
            there.map(|it| it.powers[to.index()] * it.channels.share_in(own)).sum::<f64>()
        };
        let starts = others().map(|it| it.start).filter(|at| *at > start);
        std::iter::once(start).chain(starts).map(sum).fold(0.0, f64::max)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const US: fn(u64) -> Time = |us| Time::from_nanos(us * 1_000);

    /// -30 dBm are 1e-3 mW. From 0 to 100 µs, frame 1 meets frame 2 from 50 to 150 and frame 3 from 80 to 90 µs.
    #[test]
    fn the_largest_sum_of_other_frames_counts() {
        let mut all = Interference::default();
        let power = |dbm: i64| [Dbm::new(dbm)].into_iter();
        all.add((NodeId(1), Channels::WHOLE), (US(0), US(100)), power(-20));
        all.add((NodeId(2), Channels::WHOLE), (US(50), US(150)), power(-30));
        all.add((NodeId(3), Channels::WHOLE), (US(80), US(90)), power(-30));
        let level = |from, to| all.level(NodeId(0), NodeId(1), (US(from), US(to))) * 1e3;
        let near = |a: f64, b: f64| (a - b).abs() < 1e-9;
        assert!(near(level(0, 50), 0.0) && near(level(0, 60), 1.0) && near(level(60, 81), 2.0));
        assert!(near(level(90, 100), 1.0) && near(level(0, 100), 2.0));
        // Frames that have ended are kept as long as a frame is on the air that they overlapped.
        all.add((NodeId(4), Channels::WHOLE), (US(120), US(130)), power(-30));
        assert!(near(all.level(NodeId(0), NodeId(2), (US(50), US(150))) * 1e3, 11.0));
        all.add((NodeId(5), Channels::WHOLE), (US(200), US(210)), power(-30));
        assert_eq!(all.signals.len(), 1);
    }
}
