//! Order of events: by time, and at one instant by phase.

use airfair_units::Time;

/// Order of events at one instant: those of an earlier phase happen first.
///
/// Ends of frames are processed before time-outs, and all starts of frames come last, together. So two members whose
/// back-off ends in the same slot both transmit, and their frames collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// PPDUs end, and packets arrive.
    End,
    /// Members' waits for a response time out. Also flows start and settings change, after all that ends at this
    /// instant.
    Timeout,
    /// PPDUs start, all of the instant together.
    Start,
}

/// Place of an event in the order of events: its time and, among events at one time, its [`Phase`]. Both are in one
/// integer, because moments are compared several times for each event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Moment(u64);

/// Number of moments per nanosecond, of which the three values of [`Phase`] use the first three.
const PHASES: u64 = 4;

impl Moment {
    /// Moment later than every event.
    pub const NEVER: Self = Self(u64::MAX);

    /// Makes the moment, time and phase in one integer, of events at time `at`. `phase` orders the events of one
    /// instant.
    #[inline]
    pub fn new(at: Time, phase: Phase) -> Self {
        let instant = at.as_nanos().checked_mul(PHASES);
        Self(instant.expect("an event within 146 years") + phase as u64)
    }

    /// Makes the moment, time and phase in one integer, of events at time `at`; `phase` orders the events of one
    /// instant. Without a time the result is [`NEVER`](Self::NEVER), which is later than every event.
    #[inline]
    pub(crate) fn of(at: Option<Time>, phase: Phase) -> Self {
        at.map_or(Self::NEVER, |at| Self::new(at, phase))
    }

    /// Time of the events at this moment.
    #[inline]
    pub fn at(self) -> Time {
        Time::from_nanos(self.0 / PHASES)
    }

    /// Key for an order by moment and, among equal moments, by `number`.
    #[inline]
    pub fn before(self, number: u64) -> u128 {
        u128::from(self.0) << 64 | u128::from(number)
    }

    /// Phase of the events at this moment: ends, time-outs or starts.
    #[inline]
    #[expect(clippy::cast_possible_truncation, reason = "one of a few phases")]
    pub fn phase(self) -> Phase {
        // A table look-up costs less than three comparisons.
        const OF: [Phase; PHASES as usize] =
            [Phase::End, Phase::Timeout, Phase::Start, Phase::Start];
        OF[(self.0 % PHASES) as usize]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_come_by_time_and_then_by_phase() {
        let phases = [Phase::End, Phase::Timeout, Phase::Start];
        let instants = [0, 1, 720 * 3_600_000_000_000].map(Time::from_nanos);
        let all: Vec<_> = instants.iter().flat_map(|at| phases.map(|phase| (*at, phase))).collect();
        let moments: Vec<_> = all.iter().map(|(at, phase)| Moment::new(*at, *phase)).collect();
        assert!(moments.is_sorted() && moments.iter().all(|moment| *moment < Moment::NEVER));
        let back: Vec<_> = moments.iter().map(|moment| (moment.at(), moment.phase())).collect();
        assert_eq!(back, all);
    }
}
