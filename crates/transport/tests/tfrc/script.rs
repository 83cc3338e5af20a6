//! Scripted tests of a TFRC sender. Packets have 1000 octets, and the round trip is 100 ms unless stated
//! otherwise: a report at t echoes the packet sent at t − 100 ms.

use airfair_transport::tfrc::{Data, Feedback, Profile, Sender, SenderConfig, SenderEvent};
use airfair_units::{Bytes, Duration, Time};

use crate::path::ms;

/// Configuration of a sender with packets of 1000 octets.
pub(crate) fn config(profile: Profile) -> SenderConfig {
    SenderConfig::new(profile, Bytes::new(1_000))
}

/// Contents of a report that arrives at the sender.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Report {
    /// Send time of the packet that the report echoes [ms].
    pub(crate) echo: u64,
    /// Receive rate in the report [octets/s].
    pub(crate) receive_rate: u32,
    pub(crate) p: f64,
}

impl Report {
    #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "p below one")]
    pub(crate) fn feedback(self) -> Feedback {
        Feedback {
            reporter: 2,
            ssrc: 1,
            sent_at: u32::try_from(self.echo * 1_000).expect("a short script"),
            delay: 0,
            receive_rate: self.receive_rate,
            loss_event_rate: (self.p * 4_294_967_296.0) as u32,
        }
    }
}

/// Script of a test: a TFRC sender and the current time.
pub(crate) struct Script {
    pub(crate) sender: Sender,
    pub(crate) now: Time,
}

impl Script {
    /// Creates the script of a sender that was opened at time zero and has not been polled.
    pub(crate) fn new(config: SenderConfig) -> Self {
        let mut sender = Sender::new(config);
        sender.open(Time::ZERO);
        Self { sender, now: Time::ZERO }
    }

    /// Packets sent at their due times up to and including `at_ms`: microseconds and numbers.
    pub(crate) fn until(&mut self, at_ms: u64) -> Vec<(u64, u16)> {
        let mut sent = self.drain();
        while let Some(at) = self.sender.next_timeout().filter(|&at| at <= ms(at_ms)) {
            self.sender.handle_timeout(at - Duration::from_nanos(1));
            assert_eq!(self.sender.next_timeout(), Some(at), "a spurious time-out is a no-op");
            self.now = at;
            self.sender.handle_timeout(at);
            sent.extend(self.drain());
        }
        self.now = ms(at_ms);
        sent
    }

    /// Lets a report arrive at the sender now.
    pub(crate) fn receive(&mut self, report: Report) -> &mut Self {
        self.sender.handle_feedback(self.now, &report.feedback());
        self
    }

    /// Lets a report arrive at `at_ms` about the newest packet that it can echo. Returns the number of
    /// packets sent until then and at once after it.
    pub(crate) fn report(&mut self, at_ms: u64, receive_rate: u32, p: f64) -> usize {
        let sent = self.until(at_ms).len();
        self.receive(Report { echo: at_ms - 100, receive_rate, p });
        sent
    }

    /// Packets that are sent now: their send times [µs] and sequence numbers.
    pub(crate) fn drain(&mut self) -> Vec<(u64, u16)> {
        self.packets().iter().map(|data| (self.now.as_nanos() / 1_000, data.seq)).collect()
    }

    /// All packets that are sent now.
    pub(crate) fn packets(&mut self) -> Vec<Data> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// Checks the allowed rate X of the sender [octets/s].
    #[track_caller]
    pub(crate) fn allows(&mut self, rate: f64) -> &mut Self {
        let found = self.sender.allowed_rate();
        assert!((found - rate).abs() <= 1e-4 * rate, "{found} is not {rate}");
        self
    }

    /// Checks that exactly these events have happened since the last check.
    #[track_caller]
    pub(crate) fn events(&mut self, expected: &[SenderEvent]) -> &mut Self {
        let events: Vec<_> = std::iter::from_fn(|| self.sender.poll_event()).collect();
        assert_eq!(events, expected);
        self
    }
}
