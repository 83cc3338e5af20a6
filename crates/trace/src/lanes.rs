//! Intervals of a station's or access point's channel access: waiting, backing off, awaiting a response.
//!
//! A frame is recorded when it leaves the air, and a wait when it is over, so an interval is known at its
//! end. A member that waits may send a response meanwhile; its wait then becomes two intervals.

use airfair_sim::trace::ChannelAccess;
use airfair_units::Time;

/// Interval in which a station or an access point waits with a packet to send or in an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wait {
    /// Start of the interval.
    pub from: Time,
    /// End of the interval.
    pub to: Time,
    /// Reason for the wait.
    pub kind: WaitKind,
}

/// Reason why a station or an access point waits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitKind {
    /// The medium is busy, or the interframe space or the NAV is not over, so back-off slots do not count
    /// down.
    Deferring,
    /// The response to a frame is awaited, or the next frame of the same exchange is due.
    Answer,
    /// Back-off slots count down.
    Backoff {
        /// Back-off slots left at the start of the interval.
        slots: u64,
    },
}

/// Waits of one station or access point in sequence: intervals in which it defers, backs off or awaits a
/// response.
#[derive(Clone, Copy, Debug, Default)]
pub struct Lane {
    access: ChannelAccess,
    since: Time,
}

impl Lane {
    /// Changes the state of the station's or access point's channel access at `now`. Returns the waits that
    /// end with the old state.
    pub fn change(
        &mut self,
        now: Time,
        access: ChannelAccess,
    ) -> impl Iterator<Item = Wait> + use<> {
        // One deferral lasts from the first busy period to the end of the interframe space after the last.
        let defers = match self.access {
            ChannelAccess::Deferring { .. } => true,
            ChannelAccess::CountingDown { from, .. } => now <= from,
            ChannelAccess::Resting | ChannelAccess::InExchange => false,
        };
        let goes_on =
            matches!(access, ChannelAccess::Deferring { .. } | ChannelAccess::CountingDown { .. });
        let until = if defers && goes_on { self.since } else { now };
        let over = waits(self.access, self.since, until);
        (self.access, self.since) = (access, until);
        over
    }

    /// Records a frame that the station or access point sends from `start` to `end`. Returns the waits,
    /// deferral and back-off or the time for a response, that end at `start`.
    pub fn send(&mut self, start: Time, end: Time) -> impl Iterator<Item = Wait> + use<> {
        let over = waits(self.access, self.since, start);
        self.since = end;
        over
    }

    /// Ends the sequence of waits of this station or access point at `now`, the end of the run. Returns the
    /// waits, intervals of deferral, back-off or awaiting a response, that end with it.
    pub fn finish(&mut self, now: Time) -> impl Iterator<Item = Wait> + use<> {
        self.change(now, ChannelAccess::Resting)
    }
}

/// Waits of a station or access point from `since` to `now` in the state `access`.
fn waits(access: ChannelAccess, since: Time, now: Time) -> impl Iterator<Item = Wait> + use<> {
    let wait = |from: Time, to: Time, kind| (from < to).then_some(Wait { from, to, kind });
    let [deferral, backoff] = match access {
        ChannelAccess::Resting => [None, None],
        ChannelAccess::InExchange => [wait(since, now, WaitKind::Answer), None],
        ChannelAccess::Deferring { .. } => [wait(since, now, WaitKind::Deferring), None],
        ChannelAccess::CountingDown { from, slots } => {
            let counts = from.max(since);
            [
                wait(since, now.min(counts), WaitKind::Deferring),
                wait(counts, now, WaitKind::Backoff { slots }),
            ]
        }
    };
    deferral.into_iter().chain(backoff)
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn us(us: u64) -> Time {
        Time::from_nanos(us * 1_000)
    }

    /// The waits of a member and its own frames follow each other without overlap; times are in µs. A packet
    /// arrives while the medium is busy, at 100. The member sends a response from 150 to 160. The medium is
    /// idle from 200 on, and slots count from 250. It is busy at 300, idle at 310, and busy again before the
    /// end of the interframe space. At 500 the member gets access. Its frame ends at 600, and the response
    /// ends at 650.
    #[test]
    fn intervals_follow_each_other_without_overlap() {
        let mut lane = Lane::default();
        let mut found = Vec::new();
        found.extend(lane.change(us(100), ChannelAccess::Deferring { slots: 7 }));
        found.extend(lane.send(us(150), us(160)));
        let counting = |from, slots| ChannelAccess::CountingDown { from, slots };
        found.extend(lane.change(us(200), counting(us(250), 7)));
        found.extend(lane.change(us(300), ChannelAccess::Deferring { slots: 4 }));
        found.extend(lane.change(us(310), counting(us(360), 4)));
        found.extend(lane.change(us(320), ChannelAccess::Deferring { slots: 4 }));
        found.extend(lane.change(us(400), counting(us(420), 4)));
        found.extend(lane.change(us(500), ChannelAccess::InExchange));
        found.extend(lane.send(us(500), us(600)));
        found.extend(lane.change(us(650), ChannelAccess::Deferring { slots: 9 }));
        found.extend(lane.finish(us(700)));
        let wait = |from, to, kind| Wait { from: us(from), to: us(to), kind };
        let expected = [
            wait(100, 150, WaitKind::Deferring),
            wait(160, 250, WaitKind::Deferring),
            wait(250, 300, WaitKind::Backoff { slots: 7 }),
            wait(300, 420, WaitKind::Deferring),
            wait(420, 500, WaitKind::Backoff { slots: 4 }),
            wait(600, 650, WaitKind::Answer),
            wait(650, 700, WaitKind::Deferring),
        ];
        assert_eq!(found, expected);
    }
}
