//! A sender under a script. Segments have 1000 octets and are called by their number, from 0: number k
//! starts at octet 1 + 1000·k, and "ACK k" says that all below number k has arrived.

use airfair_transport::tcp::{Flags, Segment, Sender, SenderConfig, SenderEvent};
use airfair_units::{Bytes, Duration, Time};

/// Payload of a segment [octets].
pub(crate) const SEGMENT: u64 = 1_000;
/// Window in every ACK of the script [octets].
pub(crate) const WINDOW: u64 = 1_000_000;

/// No handshake and nothing optional: what a script starts from.
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

/// The point `ms` milliseconds after the start.
pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// First octet of segment `number`.
pub(crate) fn octet(number: u64) -> u64 {
    1 + SEGMENT * number
}

/// "All below segment `number` has arrived."
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

/// A sender, and the time.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    now: Time,
}

impl Script {
    /// A sender that was opened at time zero and has not been polled.
    pub(crate) fn new(config: SenderConfig) -> Self {
        let mut sender = Sender::new(config);
        sender.open(Time::ZERO);
        Self { sender, now: Time::ZERO }
    }

    /// Time is now `at_ms`.
    pub(crate) fn at(&mut self, at_ms: u64) -> &mut Self {
        assert!(ms(at_ms) >= self.now, "the script runs backwards");
        self.now = ms(at_ms);
        self
    }

    /// Any segment arrives.
    pub(crate) fn receive(&mut self, segment: Segment) -> &mut Self {
        self.sender.handle_segment(self.now, &segment);
        self
    }

    /// ACK `number` arrives.
    pub(crate) fn ack(&mut self, number: u64) -> &mut Self {
        self.receive(ack(number))
    }

    /// The timer expires, exactly now and not a nanosecond before.
    pub(crate) fn expire(&mut self) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), Some(self.now));
        self.sender.handle_timeout(self.now - Duration::from_nanos(1));
        assert_eq!(self.sender.next_timeout(), Some(self.now), "a spurious time-out is a no-op");
        self.sender.handle_timeout(self.now);
        self
    }

    /// Exactly these segments of full size go out, then silence.
    #[track_caller]
    pub(crate) fn sends(&mut self, numbers: impl IntoIterator<Item = u64>) -> &mut Self {
        let sent = self.drain();
        let octets: Vec<_> = sent.iter().map(|segment| (segment.seq, segment.payload)).collect();
        let expected: Vec<_> = numbers.into_iter().map(|number| (octet(number), 1_000)).collect();
        assert_eq!(octets, expected);
        self
    }

    /// Silence.
    #[track_caller]
    pub(crate) fn silent(&mut self) -> &mut Self {
        self.sends([])
    }

    /// Exactly these segments go out, then `refused` is refused, and then there is silence.
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

    /// All that goes out now.
    pub(crate) fn drain(&mut self) -> Vec<Segment> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// cwnd and ssthresh are these [segments].
    #[track_caller]
    pub(crate) fn window(&mut self, cwnd: u32, ssthresh: u32) -> &mut Self {
        assert_eq!((self.sender.cwnd(), self.sender.ssthresh()), (cwnd, ssthresh));
        self
    }

    /// The timer is set to `at_ms`.
    #[track_caller]
    pub(crate) fn timer(&mut self, at_ms: u64) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), Some(ms(at_ms)));
        self
    }

    /// The timer does not run.
    #[track_caller]
    pub(crate) fn timer_is_off(&mut self) -> &mut Self {
        assert_eq!(self.sender.next_timeout(), None);
        self
    }

    /// Exactly these events have happened since the last question.
    #[track_caller]
    pub(crate) fn events(&mut self, expected: impl IntoIterator<Item = SenderEvent>) -> &mut Self {
        let events: Vec<_> = std::iter::from_fn(|| self.sender.poll_event()).collect();
        assert_eq!(events, expected.into_iter().collect::<Vec<_>>());
        self
    }
}
