//! UDP: a sender of numbered datagrams, and a sink that counts them.  [RFC768]

use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::ecn::Ecn;
use crate::limit::Limit;
use crate::live::{Format, Live, Report, Reporter, Speaker, SpeakerEvent};

/// IPv4 header without options [octets].  [RFC791 §3.1]
const IP_HEADER: u64 = 20;
/// UDP header [octets].  [RFC768]
const UDP_HEADER: u64 = 8;

/// One UDP datagram. The payload has a length but no content.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Datagram {
    /// Number of the datagram, from 0 when the sender opens.
    pub seq: u64,
    /// Length of the application data in the datagram [octets].
    pub payload: u32,
    /// True in the last datagram of a frame: RTP's marker.  [RFC3551 §4.1]
    pub is_last: bool,
    /// ECN field of the packet.
    pub ecn: Ecn,
}

impl Datagram {
    /// Datagram that is a message of its own, without ECN.
    #[inline]
    pub const fn new(seq: u64, payload: u32) -> Self {
        Self { seq, payload, is_last: true, ecn: Ecn::NOT_ECT }
    }

    /// Size of the IP packet: 20 octets IP, 8 octets UDP, payload [octets].  [RFC768]
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_HEADER + UDP_HEADER + u64::from(self.payload))
    }
}

/// Rate at which a UDP sender sends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SendRate {
    /// Datagrams are sent at even intervals; the value is the rate of the payload.
    Constant(DataRate),
    /// A datagram is sent whenever the owner polls.
    Saturated,
    /// Frames of a live application are sent when it makes them.
    Live(Live),
}

/// Configuration of a UDP [`Sender`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SenderConfig {
    /// Payload of each datagram, greater than zero; of a live application's the largest [octets].
    pub payload: Bytes,
    /// Rate at which the sender sends, counted in payload.
    pub rate: SendRate,
}

/// Times at which the datagrams of a constant rate are due: the k-th at k · payload · 8 / rate after the
/// first, rounded to the nearest nanosecond without accumulating errors.
#[derive(Clone, Copy, Debug)]
struct Schedule {
    due: Time,
    /// Whole nanoseconds between datagrams.
    step: Duration,
    /// Fraction of a nanosecond that `step` leaves out [1 / `bits_per_second` ns].
    remainder: u64,
    /// Sum of the fractions left out so far [1 / `bits_per_second` ns].
    gathered: u64,
    bits_per_second: u64,
}

impl Schedule {
    fn new(start: Time, payload: Bytes, rate: DataRate) -> Self {
        let bits_per_second = rate.bps();
        let nanosecond_bits = payload.bits() * 1_000_000_000;
        Self {
            due: start,
            step: Duration::from_nanos(nanosecond_bits / bits_per_second),
            remainder: nanosecond_bits % bits_per_second,
            // Starting at half a nanosecond makes truncation round to the nearest.
            gathered: bits_per_second / 2,
            bits_per_second,
        }
    }

    fn advance(&mut self) {
        self.due += self.step;
        self.gathered += self.remainder;
        if self.gathered >= self.bits_per_second {
            self.gathered -= self.bits_per_second;
            self.due += Duration::from_nanos(1);
        }
    }
}

#[derive(Clone, Copy, Debug)]
enum State {
    Closed,
    Constant(Schedule),
    Saturated,
    Live,
}

/// Sends UDP datagrams of one size, or the frames of a live application.
///
/// There is no `handle_timeout`: call [`poll_transmit`](Self::poll_transmit) when
/// [`next_timeout`](Self::next_timeout) is reached.
#[derive(Clone, Debug)]
pub struct Sender {
    rate: SendRate,
    payload: u32,
    state: State,
    sent: u64,
    /// Frames of a live application; `None` for other senders.
    speaker: Option<Box<Speaker>>,
}

impl Sender {
    /// Creates a closed sender. [`open`](Self::open) starts sending.
    pub fn new(config: SenderConfig) -> Self {
        assert!(!config.payload.is_zero(), "a datagram without payload");
        let payload = u32::try_from(config.payload.get()).expect("a datagram of 4 GiB");
        let speaker = match config.rate {
            SendRate::Live(live) => Some(Box::new(Speaker::new(live, config.payload))),
            SendRate::Constant(_) | SendRate::Saturated => None,
        };
        Self { rate: config.rate, payload, state: State::Closed, sent: 0, speaker }
    }

    /// Keys the random numbers of a live application; others have none.
    pub fn set_seed(&mut self, seed: u64) {
        if let Some(speaker) = &mut self.speaker {
            speaker.set_seed(seed);
        }
    }

    /// True for a live application, whose frames are counted when they are complete or lost.
    pub fn is_live(&self) -> bool {
        self.speaker.is_some()
    }

    /// Starts sending. The first datagram is due at once, unless an application decides.
    pub fn open(&mut self, now: Time) {
        if let Some(speaker) = &mut self.speaker {
            speaker.open(now);
        }
        self.state = match self.rate {
            SendRate::Saturated => State::Saturated,
            SendRate::Live(_) => State::Live,
            SendRate::Constant(rate) => {
                State::Constant(Schedule::new(now, Bytes::new(u64::from(self.payload)), rate))
            }
        };
    }

    /// Stops sending until the next [`open`](Self::open).
    pub fn close(&mut self, _now: Time) {
        self.state = State::Closed;
        if let Some(speaker) = &mut self.speaker {
            speaker.close();
        }
    }

    /// Time at which the next datagram of a constant rate, or the next frame, is due; `None` for a closed or a saturated
    /// sender.
    #[inline]
    pub fn next_timeout(&self) -> Option<Time> {
        match self.state {
            State::Constant(schedule) => Some(schedule.due),
            State::Live => self.speaker.as_ref()?.next(),
            State::Closed | State::Saturated => None,
        }
    }

    /// Accounts for the first arrival of the datagram with the number `seq`, and for its mark. Returns the delay of its
    /// frame, from the time at which the application made it, if the frame is complete now. Other senders than live applications have no frames.
    pub fn handle_arrival(&mut self, now: Time, seq: u64, is_marked: bool) -> Option<Duration> {
        self.speaker.as_mut()?.handle_arrival(now, seq, is_marked)
    }

    /// Accounts for the loss of the datagram with the number `seq`. Returns true if a frame of a live application is lost
    /// with it.
    pub fn handle_loss(&mut self, seq: u64) -> bool {
        self.speaker.as_mut().is_some_and(|it| it.handle_loss(seq))
    }

    /// Handles a report of a call's receiver. Other senders ignore it.
    pub fn handle_report(&mut self, now: Time, report: &Report) {
        if let Some(speaker) = &mut self.speaker {
            speaker.handle_report(now, report);
        }
    }

    /// Next event of a call whose rate is controlled; other senders have none.
    #[inline]
    pub fn poll_event(&mut self) -> Option<SpeakerEvent> {
        self.speaker.as_mut()?.poll_event()
    }

    /// Returns the next datagram, if one is due. A saturated sender always returns one, so poll it only when
    /// there is room in the queue.
    #[inline]
    pub fn poll_transmit(&mut self, now: Time) -> Option<Datagram> {
        match &mut self.state {
            State::Closed => return None,
            State::Constant(schedule) if now < schedule.due => return None,
            State::Constant(schedule) => schedule.advance(),
            State::Live => return self.poll_live(now),
            State::Saturated => {}
        }
        let seq = self.sent;
        self.sent += 1;
        Some(Datagram::new(seq, self.payload))
    }

    /// Returns the next datagram of a live application, if one is due.
    #[cold]
    fn poll_live(&mut self, now: Time) -> Option<Datagram> {
        let seq = self.sent;
        let piece = self.speaker.as_mut()?.poll(now, seq)?;
        self.sent += 1;
        let (is_last, ecn) = (piece.is_last, piece.ecn);
        Some(Datagram { is_last, ecn, ..Datagram::new(seq, piece.payload) })
    }

    /// Reason why [`poll_transmit`](Self::poll_transmit) returns nothing; `None` if the sender is closed. A
    /// saturated sender is limited by the queue of its own host.
    #[must_use]
    pub fn limit(&self) -> Option<Limit> {
        match self.state {
            State::Closed => None,
            State::Constant(_) | State::Live => Some(Limit::Application),
            State::Saturated => Some(Limit::HostQueue),
        }
    }

    /// Size of the IP packet of each datagram; of a live application's largest.
    pub fn packet_size(&self) -> Bytes {
        Datagram::new(self.sent, self.payload).size()
    }

    /// Number of datagrams that the sender has sent.
    pub fn sent(&self) -> u64 {
        self.sent
    }
}

/// Counters of a UDP sink. The number of arrivals is `received + duplicates + late`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SinkStats {
    /// Number of distinct datagrams received.
    pub received: u64,
    /// Payload of the distinct datagrams [octets].
    pub octets: Bytes,
    /// Distinct datagrams that arrived after one with a higher number.  [RFC4737 §3.3]
    pub reordered: u64,
    /// Number of repeated arrivals of datagrams.
    pub duplicates: u64,
    /// Arrivals so far behind the highest number that the sink cannot tell whether they are duplicates. They
    /// count as lost.
    pub late: u64,
}

/// Number of datagrams, up to the highest, whose arrival the sink remembers.
const MEMORY: u64 = 128;

/// Receives UDP datagrams and counts new, duplicate and reordered ones.
#[derive(Clone, Debug, Default)]
pub struct Sink {
    /// One more than the highest number received.
    next: u64,
    /// Bit k is set if number `next - 1 - k` has arrived.
    seen: u128,
    stats: SinkStats,
    /// Reports to the sender of a call whose rate is controlled; `None` for other flows.
    reporter: Option<Box<Reporter>>,
}

impl Sink {
    /// Creates a sink that has received no datagram.
    pub fn new() -> Self {
        Self::default()
    }

    /// Sink of a sender with this rate, which gets reports if it is a call whose rate is controlled.
    pub fn of(rate: &SendRate) -> Self {
        let video = match rate {
            SendRate::Live(live) => live.model.controlled(),
            SendRate::Constant(_) | SendRate::Saturated => None,
        };
        let reporter =
            video.map(|it| Box::new(Reporter::new(it.control.feedback(), Format::of(it.control))));
        Self { reporter, ..Self::default() }
    }

    /// True if the sink sends reports.
    #[inline]
    pub fn reports(&self) -> bool {
        self.reporter.is_some()
    }

    /// Notes the arrival of a datagram for the next report.
    pub fn note_arrival(&mut self, now: Time, datagram: &Datagram) {
        if let Some(reporter) = &mut self.reporter {
            reporter.handle_arrival(now, datagram.seq, datagram.is_last);
        }
    }

    /// Time at which the next report is due.
    pub fn next_timeout(&self) -> Option<Time> {
        self.reporter.as_ref()?.next_timeout()
    }

    /// Report that is due.
    pub fn poll_report(&mut self, now: Time) -> Option<Report> {
        self.reporter.as_mut()?.poll_report(now)
    }

    /// Records the arrival of a datagram. Returns the payload if the datagram is new, otherwise zero
    /// [octets].
    pub fn handle_datagram(&mut self, datagram: &Datagram) -> Bytes {
        if datagram.seq >= self.next {
            let ahead = datagram.seq + 1 - self.next;
            self.seen = match ahead {
                1 => self.seen << 1 | 1,
                2..MEMORY => self.seen << ahead | 1,
                _ => 1,
            };
            self.next = datagram.seq + 1;
        } else {
            let behind = self.next - 1 - datagram.seq;
            if behind >= MEMORY {
                self.stats.late += 1;
                return Bytes::ZERO;
            }
            if self.seen >> behind & 1 == 1 {
                self.stats.duplicates += 1;
                return Bytes::ZERO;
            }
            self.seen |= 1 << behind;
            self.stats.reordered += 1;
        }
        let payload = Bytes::new(u64::from(datagram.payload));
        self.stats.received += 1;
        self.stats.octets += payload;
        payload
    }

    /// Number of datagrams missing below the highest number received.
    pub fn lost(&self) -> u64 {
        self.next - self.stats.received
    }

    /// Counters of the sink since its creation.
    pub fn stats(&self) -> &SinkStats {
        &self.stats
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn constant(payload: u64, rate: DataRate) -> Sender {
        Sender::new(SenderConfig { payload: Bytes::new(payload), rate: SendRate::Constant(rate) })
    }

    fn sink(numbers: impl IntoIterator<Item = u64>) -> Sink {
        let mut sink = Sink::new();
        for seq in numbers {
            sink.handle_datagram(&Datagram::new(seq, 100));
        }
        sink
    }

    /// A datagram has 28 octets of IP and UDP headers in addition to its payload.
    ///
    /// Verifies: [RFC768]
    #[test]
    fn a_packet_is_28_octets_of_headers_and_the_payload() {
        assert_eq!(Datagram::new(0, 1_000).size(), Bytes::new(1_028));
    }

    #[test]
    fn a_constant_rate_is_even_and_starts_at_once() {
        // 1000 octets at 2 Mb/s: 8000/2 000 000 s = 4 ms
        let mut sender = constant(1_000, DataRate::from_mbps(2));
        assert_eq!((sender.next_timeout(), sender.poll_transmit(Time::ZERO)), (None, None));
        let start = Time::from_nanos(7);
        sender.open(start);
        for seq in 0..5 {
            let due = start + Duration::from_millis(4 * seq);
            assert_eq!(sender.next_timeout(), Some(due));
            if seq > 0 {
                assert_eq!(sender.poll_transmit(due - Duration::from_nanos(1)), None);
            }
            assert_eq!(sender.poll_transmit(due), Some(Datagram::new(seq, 1_000)));
            assert_eq!(sender.poll_transmit(due), None);
        }
        sender.close(start);
        assert_eq!((sender.next_timeout(), sender.poll_transmit(Time::MAX)), (None, None));
        assert_eq!(sender.sent(), 5);
    }

    #[test]
    fn fractions_of_a_nanosecond_are_rounded_and_never_lost() {
        // 1 octet at 3 Gb/s: 8/3 = 2.67 ns, so datagrams 1, 2, 3 are due at 3, 5 (5.33), 8 ns
        let mut sender = constant(1, DataRate::from_bps(3_000_000_000));
        sender.open(Time::ZERO);
        let due: Vec<_> = (0..7)
            .map(|_| {
                sender.poll_transmit(Time::MAX);
                sender.next_timeout().unwrap().as_nanos()
            })
            .collect();
        assert_eq!(due, [3, 5, 8, 11, 13, 16, 19]);
    }

    #[test]
    fn a_late_owner_gets_all_that_was_due() {
        let mut sender = constant(1_000, DataRate::from_mbps(2));
        sender.open(Time::ZERO);
        let late = Time::ZERO + Duration::from_millis(10);
        // Datagrams are due at 0, 4 and 8 ms.
        let numbers: Vec<_> = std::iter::from_fn(|| sender.poll_transmit(late))
            .map(|datagram| datagram.seq)
            .collect();
        assert_eq!(numbers, [0, 1, 2]);
    }

    #[test]
    fn a_saturated_sender_always_has_one_more() {
        let config = SenderConfig { payload: Bytes::new(500), rate: SendRate::Saturated };
        let mut sender = Sender::new(config);
        assert_eq!(sender.poll_transmit(Time::ZERO), None);
        sender.open(Time::ZERO);
        for seq in 0..100 {
            assert_eq!(sender.poll_transmit(Time::ZERO), Some(Datagram::new(seq, 500)));
        }
        assert_eq!(sender.next_timeout(), None);
    }

    /// A late datagram counts as reordered, a repeated one as a duplicate, and a missing one as lost.
    ///
    /// Verifies: [RFC4737 §3.3]
    #[test]
    fn the_sink_distinguishes_lost_duplicate_and_reordered_datagrams() {
        // 3 arrives late by two, 1 arrives twice, 6 never arrives
        let sink = sink([0, 1, 2, 4, 5, 3, 1, 7]);
        let octets = Bytes::new(700);
        let stats = SinkStats { received: 7, octets, reordered: 1, duplicates: 1, late: 0 };
        assert_eq!((*sink.stats(), sink.lost()), (stats, 1));
    }

    #[test]
    fn the_sink_remembers_the_last_128() {
        // 127 behind the highest is inside the memory, 128 behind is outside
        let known = sink([0, 128, 1]);
        assert_eq!((known.stats().reordered, known.stats().late, known.lost()), (1, 0, 126));
        let late = sink([1, 128, 0]);
        assert_eq!((late.stats().reordered, late.stats().late, late.lost()), (0, 1, 127));
        // A jump beyond the memory clears it.
        assert_eq!(sink([0, 1_000, 999, 999, 1_000]).stats().duplicates, 2);
    }

    proptest! {
        /// The k-th datagram is due at k · payload · 8 / rate, to the nearest nanosecond, without drift.
        #[test]
        fn pacing_is_exact(payload in 1u64..65_508, bps in 1_000u64..10_000_000_000, k in 1u128..2_000) {
            let mut sender = constant(payload, DataRate::from_bps(bps));
            sender.open(Time::ZERO);
            for _ in 0..k {
                prop_assert!(sender.poll_transmit(Time::MAX).is_some());
            }
            let due = u128::from(sender.next_timeout().unwrap().as_nanos());
            let exact = k * u128::from(payload) * 8_000_000_000;
            let error = (due * u128::from(bps)).abs_diff(exact);
            prop_assert!(2 * error <= u128::from(bps), "off by {error}/{bps} ns");
        }

        #[test]
        fn every_arrival_is_counted_once(numbers in prop::collection::vec(0u64..300, 1..400)) {
            let sink = sink(numbers.iter().copied());
            let stats = sink.stats();
            let arrived = u64::try_from(numbers.len()).unwrap();
            prop_assert_eq!(stats.received + stats.duplicates + stats.late, arrived);
            let highest = numbers.iter().max().unwrap();
            prop_assert_eq!(stats.received + sink.lost(), highest + 1);
            prop_assert_eq!(stats.octets.get(), 100 * stats.received);
        }
    }
}
