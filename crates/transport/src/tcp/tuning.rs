//! Receive buffer auto-tuning as in Linux. The data read per round trip determines how large the window may
//! become; the window then grows by what arrives.  [linux-rcv-space]
//!
//! While the window grows, every segment is acknowledged at once.  Deviates: [D-190]

use airfair_units::{Duration, Time};

use super::config::UNSCALED_WINDOW;

/// Octets assumed to be read in the first round trip: ten segments of 1460 octets.
const FIRST_READ: u64 = 14_600;

/// Auto-tuned window of one receiver [octets].
#[derive(Clone, Copy, Debug)]
pub(crate) struct AutoTuning {
    window: u64,
    /// Size up to which the window may grow by what arrives.
    room: u64,
    /// Largest window that the receive buffer allows.
    most: u64,
    /// Most octets that the application has read in one round trip so far.
    read: u64,
    /// Start of the current round trip, over which octets read are counted.
    since: Time,
    read_before: u64,
}

impl AutoTuning {
    /// Creates a window of 64 kB, half of Linux's first buffer, that grows up to `most`.
    pub(crate) fn new(most: u64) -> Self {
        let window = UNSCALED_WINDOW.get().min(most);
        let (since, read_before) = (Time::ZERO, 0);
        Self { window, room: window, most, read: FIRST_READ, since, read_before }
    }

    pub(crate) fn window(&self) -> u64 {
        self.window
    }

    /// Grows the window by `payload` octets that have arrived, as far as there is room. Returns true if it
    /// has grown.
    pub(crate) fn grow(&mut self, payload: u64) -> bool {
        let added = payload.min(self.room - self.window);
        self.window += added;
        added > 0
    }

    /// Records that the application has read all octets before `next` and that the highest octet received is
    /// before `highest`. Once per round trip, makes room for a larger window.
    pub(crate) fn on_read(
        &mut self,
        now: Time,
        (next, highest): (u64, u64),
        rtt: Option<Duration>,
    ) {
        if next < highest {
            self.make_room(self.read, highest - next);
        }
        if rtt.is_none_or(|rtt| now.saturating_since(self.since) < rtt) {
            return;
        }
        let read = next - self.read_before;
        if read > self.read {
            self.make_room(read, highest - next);
        }
        (self.since, self.read_before) = (now, next);
    }

    /// Makes room for the next windows: twice the octets `read` in the last round trip, because the receiver
    /// sees the growth of the sender's window a round trip late; that times twice the relative growth of `read`;
    /// and the octets `behind_gap`.
    fn make_room(&mut self, read: u64, behind_gap: u64) {
        let twice = 2 * read;
        let grown = twice * (read - self.read) / self.read;
        self.read = read;
        self.room = self.room.max((twice + 2 * grown + behind_gap).min(self.most));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    const ROUND_TRIP: Option<Duration> = Some(Duration::from_millis(100));

    /// A window grows with each arriving segment, up to the room that follows from the octets read in a round
    /// trip.
    ///
    /// 29 200 octets in a round trip are twice the first 14 600, so there is room for 58 400 · (1 + 2 · 1) =
    /// 175 200. The window grows into it by what arrives.
    ///
    /// Verifies: [linux-rcv-space]
    #[test]
    fn a_window_grows_by_what_comes_up_to_what_is_read_in_a_round_trip() {
        let mut tuning = AutoTuning::new(1_000_000);
        assert_eq!((tuning.window(), tuning.grow(1_460)), (65_535, false));
        tuning.on_read(ms(99), (29_200, 29_200), ROUND_TRIP);
        assert!(!tuning.grow(1_460), "the round trip is not over");
        tuning.on_read(ms(100), (29_200, 29_200), ROUND_TRIP);
        assert!(tuning.grow(1_460));
        assert_eq!(tuning.window(), 66_995);
        while tuning.grow(1_460) {}
        assert_eq!(tuning.window(), 175_200);
        // The next round trip reads as much, so there is no more room.
        tuning.on_read(ms(200), (58_400, 58_400), ROUND_TRIP);
        assert!(!tuning.grow(1_460));
    }

    /// The data behind a gap has room in addition to twice the octets read.
    ///
    /// Twice 14 600, and the 50 000 behind the gap, are 79 200.
    ///
    /// Verifies: [linux-rcv-space]
    #[test]
    fn data_behind_a_gap_has_additional_room() {
        let mut tuning = AutoTuning::new(1_000_000);
        tuning.on_read(ms(1), (0, 50_000), None);
        while tuning.grow(1_460) {}
        assert_eq!(tuning.window(), 79_200);
    }

    #[test]
    fn there_is_a_largest_window() {
        let mut tuning = AutoTuning::new(100_000);
        tuning.on_read(ms(100), (1_000_000, 1_000_000), ROUND_TRIP);
        while tuning.grow(1_460) {}
        assert_eq!(tuning.window(), 100_000);
        assert_eq!(AutoTuning::new(9_000).window(), 9_000);
    }
}
