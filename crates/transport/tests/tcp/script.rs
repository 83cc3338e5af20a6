//! Scripted tests of a TCP sender. Segments have 1000 octets and numbers from 0: segment k starts at octet
//! 1 + 1000·k, and "ACK k" acknowledges everything below segment k.

use airfair_transport::tcp::{Flags, Segment, Sender, SenderConfig, SenderEvent};
use airfair_units::{Bytes, Duration, Time};

pub(crate) const SEGMENT: u64 = 1_000;
/// Window in every ACK of the scripts [octets].
pub(crate) const WINDOW: u64 = 1_000_000;

/// A sender configuration without handshake and options, as a base for others.
pub(crate) fn plain() -> SenderConfig {
    SenderConfig {
        segment: Bytes::new(SEGMENT),
        handshake: false,
        assumed_window: Bytes::new(WINDOW),
        initial_window: 4,
        limited_transmit: false,
        ..SenderConfig::default()
    }
}

/// The time `ms` milliseconds after the start.
pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Sequence number of the first octet of segment `number`.
pub(crate) fn octet(number: u64) -> u64 {
    1 + SEGMENT * number
}

/// An ACK of everything below segment `number`.
pub(crate) fn ack(number: u64) -> Segment {
    Segment {
        seq: 1,
        ack: octet(number),
        window: WINDOW,
        payload: 0,
        flags: Flags::ACK,
        options: 0,
        ..Segment::EMPTY
    }
}

/// Script of a test: a TCP sender and the current time.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    now: Time,
}

impl Script {
    /// Creates the script of a sender that was opened at time zero and has not been polled.
    pub(crate) fn new(config: SenderConfig) -> Self {
        let mut sender = Sender::new(config);
        sender.open(Time::ZERO);
        Self { sender, now: Time::ZERO }
    }

    /// Advances the time to `at_ms`.
    pub(crate) fn at(&mut self, at_ms: u64) -> &mut Self {
        assert!(ms(at_ms) >= self.now, "the script runs backwards");
        self.now = ms(at_ms);
        self
    }

    /// Lets `segment` arrive at the sender now.
    pub(crate) fn receive(&mut self, segment: Segment) -> &mut Self {
        self.sender.handle_segment(self.now, &segment);
        self
    }

    /// Lets ACK `number` arrive at the sender now.
    pub(crate) fn ack(&mut self, number: u64) -> &mut Self {
        self.receive(ack(number))
    }

    /// Lets the sender's timer expire, and checks that it expires exactly now.
    pub(crate) fn expire(&mut self) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), Some(self.now));
        self.sender.handle_timeout(self.now - Duration::from_nanos(1));
        assert_eq!(self.sender.next_timeout(), Some(self.now), "a spurious time-out is a no-op");
        self.sender.handle_timeout(self.now);
        self
    }

    /// Checks that exactly these full-size segments are sent now.
    #[track_caller]
    pub(crate) fn sends(&mut self, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        let sent = self.drain();
        let octets: Vec<_> = sent.iter().map(|segment| (segment.seq, segment.payload)).collect();
        let expected: Vec<_> = numbers.into_iter().map(|number| (octet(number), 1_000)).collect();
        assert_eq!(octets, expected);
        self
    }

    /// Checks that nothing is sent now.
    #[track_caller]
    pub(crate) fn silent(&mut self) -> &mut Self {
        self.sends([])
    }

    /// Checks that exactly these segments are sent, and refuses the next one, `refused`.
    #[track_caller]
    pub(crate) fn refuses(
        &mut self,
        sent: impl IntoIterator<Item = u64>,
        refused: u64,
    ) -> &mut Self {
        for number in sent.into_iter().chain([refused]) {
            let segment = self.sender.poll_transmit(self.now).expect("a segment");
            assert_eq!((segment.seq, segment.payload), (octet(number), 1_000));
            if number == refused {
                self.sender.handle_refusal(self.now, &segment);
            }
        }
        self.silent()
    }

    /// All segments that are sent now.
    pub(crate) fn drain(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// Checks cwnd and ssthresh [segments].
    #[track_caller]
    pub(crate) fn window(&mut self, cwnd: u32, ssthresh: u32) -> &mut Self {
        assert_eq!((self.sender.cwnd(), self.sender.ssthresh()), (cwnd, ssthresh));
        self
    }

    /// Checks that the sender's timer is set to `at_ms`.
    #[track_caller]
    pub(crate) fn timer(&mut self, at_ms: u64) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), Some(ms(at_ms)));
        self
    }

    /// Checks that the sender's timer does not run.
    #[track_caller]
    pub(crate) fn timer_is_off(&mut self) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), None);
        self
    }

    /// Checks that exactly these events have happened since the last check.
    #[track_caller]
    pub(crate) fn events(&mut self, expected: impl IntoIterator<Item = SenderEvent>) -> &mut Self {
        let events: Vec<_> = std::iter::from_fn(|| self.sender.poll_event()).collect();
        assert_eq!(events, expected.into_iter().collect::<Vec<_>>());
        self
    }
}
