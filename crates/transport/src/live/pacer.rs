//! Pacer of a call: frames wait in it, and leave in bursts.  [draft-gcc §4]

use std::collections::VecDeque;

use airfair_units::{Bytes, DataRate, Duration, Time};

/// `burst_time`: time from burst to burst.  [draft-gcc §4]
const BURST: Duration = Duration::from_millis(5);

/// Frames that wait, and the time until which the octets of earlier ones last.
#[derive(Clone, Debug, Default)]
pub(super) struct Pacer {
    /// Octets of each frame that have not left, in their order.
    frames: VecDeque<u64>,
    /// Number of the datagrams that wait.
    datagrams: u64,
    /// Sum of the octets that wait.
    octets: u64,
    /// Time at which all octets that have left would have left at an even rate.
    even: Time,
    /// Time of the next burst.
    next: Time,
}

/// A datagram's part of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Part {
    /// Octets of the frame.
    pub(super) octets: u64,
    /// True for the last part of a frame.
    pub(super) is_last: bool,
}

impl Pacer {
    /// Adds a frame, in datagrams with this room.
    pub(super) fn push(&mut self, octets: u64, room: u64) {
        self.frames.push_back(octets);
        self.datagrams += octets.div_ceil(room);
        self.octets += octets;
    }

    /// Number of the datagrams that wait.
    pub(super) fn datagrams(&self) -> u64 {
        self.datagrams
    }

    /// Sum of the octets that wait.
    pub(super) fn octets(&self) -> u64 {
        self.octets
    }

    /// Drops the frames that wait.
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        (self.datagrams, self.octets) = (0, 0);
    }

    /// Time of the next burst; `None` while nothing waits.
    pub(super) fn next(&self) -> Option<Time> {
        (!self.frames.is_empty()).then_some(self.next)
    }

    /// Next datagram at this rate, if its burst has come. A burst has the octets of 5 ms at the rate, and the last of its
    /// datagrams may exceed them, at the expense of the following bursts.
    pub(super) fn poll(&mut self, now: Time, rate: DataRate, room: u64) -> Option<Part> {
        if now < self.next {
            return None;
        }
        let left = self.frames.front_mut()?;
        self.even = self.even.max(now);
        let ahead = self.even - now;
        if ahead >= BURST {
            self.next = now + BURST * ahead.whole_steps(BURST);
            return None;
        }
        let octets = room.min(*left);
        *left -= octets;
        let is_last = *left == 0;
        if is_last {
            self.frames.pop_front();
        }
        self.datagrams -= 1;
        self.octets -= octets;
        self.even += rate.time_to_send(Bytes::new(octets));
        Some(Part { octets, is_last })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// At 1.6 Mb/s a burst of 5 ms has 1000 octets. A frame of 3000 octets in datagrams of 800 leaves with two datagrams at
    /// once, which are 600 octets too many; the next burst has the 400 octets that remain of its thousand, so one datagram,
    /// 400 too many, and the last one the rest.
    ///
    /// Verifies: [draft-gcc §4]
    #[test]
    fn a_burst_has_the_octets_of_five_milliseconds() {
        let rate = DataRate::from_kbps(1_600);
        let mut pacer = Pacer::default();
        pacer.push(3_000, 800);
        assert_eq!((pacer.datagrams(), pacer.octets()), (4, 3_000));
        let mut left = Vec::new();
        while let Some(now) = pacer.next() {
            while let Some(part) = pacer.poll(now, rate, 800) {
                left.push((now, part.octets, part.is_last));
            }
        }
        let expected = [(0, 800, false), (0, 800, false), (5, 800, false), (10, 600, true)];
        assert_eq!(left, expected.map(|(at, octets, is_last)| (ms(at), octets, is_last)));
        assert_eq!((pacer.datagrams(), pacer.octets()), (0, 0));
    }

    /// A datagram of 1000 octets at 160 kb/s lasts for 50 ms: the next one leaves in the burst 50 ms later. After a silence a
    /// frame leaves at once, and there is no credit for the silence.
    #[test]
    fn a_slow_rate_waits_for_several_bursts() {
        let rate = DataRate::from_kbps(160);
        let mut pacer = Pacer::default();
        pacer.push(2_000, 1_000);
        assert!(pacer.poll(ms(7), rate, 1_000).is_some());
        assert_eq!(pacer.poll(ms(7), rate, 1_000), None);
        assert_eq!(pacer.next(), Some(ms(57)));
        assert_eq!(pacer.poll(ms(56), rate, 1_000), None);
        assert!(pacer.poll(ms(57), rate, 1_000).is_some());
        pacer.push(2_000, 1_000);
        assert!(pacer.poll(ms(900), rate, 1_000).is_some());
        assert_eq!(pacer.poll(ms(900), rate, 1_000), None);
        pacer.clear();
        assert_eq!((pacer.next(), pacer.datagrams()), (None, 0));
    }
}
