//! Two TFRC endpoints, and a path between them on which the test decides the delivery of each packet.

use std::collections::BTreeMap;

use airfair_transport::tfrc::{Data, Feedback, Receiver, ReceiverConfig, Sender, SenderConfig};
use airfair_units::{Duration, Time};

/// The time `ms` milliseconds after the start.
pub(crate) fn ms(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// A TFRC packet on the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Packet {
    Data(Data),
    Feedback(Feedback),
}

/// Delivery of a packet by the path.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Lost,
    Arrives(Duration),
    ArrivesTwice(Duration, Duration),
}

/// A pair of TFRC endpoints, the path between them and the time.
pub(crate) struct Path<F> {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) now: Time,
    /// Packets on the path in the order of arrival, then of sending.
    wire: BTreeMap<(Time, u64), Packet>,
    sent: u64,
    fate: F,
}

impl<F: FnMut(&Packet, u64) -> Delivery> Path<F> {
    /// Creates a pair of TFRC endpoints whose flow opens now. `fate` decides the delivery of each packet by its
    /// number since the start.
    pub(crate) fn new(sender: SenderConfig, receiver: ReceiverConfig, fate: F) -> Self {
        let mut path = Self {
            sender: Sender::new(sender),
            receiver: Receiver::new(receiver),
            now: Time::ZERO,
            wire: BTreeMap::new(),
            sent: 0,
            fate,
        };
        path.sender.open(Time::ZERO);
        path.drain();
        path
    }

    /// Advances to the next arrival or time-out. Returns false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let arrival = self.wire.first_key_value().map(|(&(at, _), _)| at);
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        let Some(next) = timers.into_iter().chain([arrival]).flatten().min() else { return false };
        assert!(next >= self.now, "{next} is before {}", self.now);
        self.now = next;
        while let Some(entry) = self.wire.first_entry()
            && entry.key().0 == next
        {
            match entry.remove() {
                Packet::Data(data) => self.receiver.handle_data(next, &data),
                Packet::Feedback(feedback) => self.sender.handle_feedback(next, &feedback),
            }
            self.drain();
        }
        self.receiver.handle_timeout(next);
        self.sender.handle_timeout(next);
        self.drain();
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        assert!(timers.into_iter().flatten().all(|at| at > next), "a timer stands still");
        true
    }

    /// Runs both TFRC endpoints until the time `until`, or until nothing more happens.
    pub(crate) fn run(&mut self, until: Time) {
        while self.now < until && self.step() {}
    }

    fn drain(&mut self) {
        while let Some(data) = self.sender.poll_transmit(self.now) {
            self.send(Packet::Data(data));
        }
        while let Some(feedback) = self.receiver.poll_transmit(self.now) {
            self.send(Packet::Feedback(feedback));
        }
    }

    fn send(&mut self, packet: Packet) {
        let number = self.sent;
        self.sent += 1;
        let mut put = |delay, copy| {
            self.wire.insert((self.now + delay, 2 * number + copy), packet);
        };
        match (self.fate)(&packet, number) {
            Delivery::Lost => {}
            Delivery::Arrives(delay) => put(delay, 0),
            Delivery::ArrivesTwice(first, second) => {
                put(first, 0);
                put(second, 1);
            }
        }
    }
}

/// A small random number generator for tests: `SplitMix64`.
pub(crate) struct Random(pub(crate) u64);

impl Random {
    /// True with a probability of `millionths`/10⁶.
    pub(crate) fn chance(&mut self, millionths: u64) -> bool {
        self.next() % 1_000_000 < millionths
    }

    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }
}
