//! Two endpoints, and a wire between them on which the test decides the delivery of each segment.

use std::collections::BTreeMap;

use airfair_transport::tcp::{
    LossRecovery, Receiver, ReceiverConfig, RefusalOutcome, Segment, Sender, SenderConfig,
    WindowLimit,
};
use airfair_units::{Bytes, Duration, Time};

/// Endpoint to which a segment is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum To {
    Receiver,
    Sender,
}

/// Delivery of a segment by the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Delivery {
    Lost,
    /// The sender's own host refuses the segment; a segment of the receiver is lost instead.
    Refused,
    Arrives(Duration),
    ArrivesTwice(Duration, Duration),
}

/// Settings of a control law: a window limit, and perhaps a cwnd [segments].
pub(crate) type ControlSettings = (WindowLimit, Option<u32>);

/// A pair of TCP endpoints, the wire between them and the time.
pub(crate) struct Pair<F> {
    pub(crate) sender: Sender,
    pub(crate) receiver: Receiver,
    pub(crate) now: Time,
    /// Segments on the wire in the order of arrival, then of sending.
    wire: BTreeMap<(Time, u64), (To, Segment)>,
    sent: u64,
    fate: F,
    /// Sizes of the sender's packets in the transmit queue of its host.
    host: Vec<Bytes>,
    /// Sequence number of the last segment that the sender's host refused.
    refused: Option<u64>,
    /// All segments of the sender in the order in which they were sent.
    pub(crate) log: Vec<(Time, Segment)>,
    /// Octets that may be in the network beyond the usable window.
    allowance: u64,
    /// True with proportional rate reduction, which needs a round trip to reach the window.
    is_gradual: bool,
    /// Largest usable window so far [octets].
    widest: u64,
    /// Number of segments on the wire beyond which it marks further ones.
    mark_beyond: usize,
}

impl<F: FnMut(To, u64) -> Delivery> Pair<F> {
    /// Creates a pair that is about to open. `fate` decides the delivery of each segment by its number since
    /// the start.
    pub(crate) fn new(sender: SenderConfig, receiver: ReceiverConfig, fate: F) -> Self {
        let is_rack = sender.flavour.has_model()
            || (sender.loss_recovery == LossRecovery::Rack && sender.uses_sack());
        // Two segments for limited transmit, or one for a probe.
        let extra = if sender.limited_transmit { 2 } else { u64::from(is_rack) };
        let allowance = extra * sender.segment.get();
        let is_gradual = is_rack || (sender.proportional_reduction && sender.uses_sack());
        let mut pair = Self {
            is_gradual,
            widest: 0,
            mark_beyond: usize::MAX,
            sender: Sender::new(sender),
            receiver: Receiver::new(receiver),
            now: Time::ZERO,
            wire: BTreeMap::new(),
            sent: 0,
            host: Vec::new(),
            fate,
            refused: None,
            log: Vec::new(),
            allowance,
        };
        pair.sender.open(Time::ZERO);
        pair.drain();
        pair
    }

    /// Lets the wire mark segments that are sent while more than `segments` are on it.
    pub(crate) fn mark_beyond(&mut self, segments: usize) {
        self.mark_beyond = segments;
    }

    /// Advances to the next arrival or time-out. Returns false if there is none.
    pub(crate) fn step(&mut self) -> bool {
        let arrival = self.wire.first_key_value().map(|(&(at, _), _)| at);
        let timers = [self.sender.next_timeout(), self.receiver.next_timeout()];
        let Some(at) = [arrival, timers[0], timers[1]].into_iter().flatten().min() else {
            return false;
        };
        assert!(at >= self.now, "a deadline in the past");
        self.now = at;
        for size in std::mem::take(&mut self.host) {
            self.sender.handle_departure(size);
        }
        if let Some(first) = self.wire.first_entry().filter(|first| first.key().0 == at) {
            let (to, segment) = first.remove();
            match to {
                To::Receiver => self.receiver.handle_segment(at, &segment),
                To::Sender => self.sender.handle_segment(at, &segment),
            }
        } else {
            // One of them is usually spurious.
            self.sender.handle_timeout(at);
            self.receiver.handle_timeout(at);
        }
        self.drain();
        true
    }

    /// Runs the pair until neither endpoint has anything to do.
    pub(crate) fn run(&mut self) {
        for _ in 0..100_000 {
            if !self.step() {
                return;
            }
        }
        panic!("no end after 100 000 steps, at {}: {:?}", self.now, self.sender);
    }

    /// Runs a transfer of `all` octets to its end, with a control law that acts every seventh step. Checks
    /// that the octets arrive once, in order, and that the connection ends.
    pub(crate) fn transfer(&mut self, all: Bytes, controls: &[ControlSettings]) {
        let mut delivered = Bytes::ZERO;
        for steps in 0.. {
            if steps % 7 == 0
                && let Some(control) = controls.get(steps / 7)
            {
                self.act(*control);
            }
            assert!(self.receiver.delivered() >= delivered);
            delivered = self.receiver.delivered();
            assert!(steps < 50_000, "no end: {:?}", self.sender);
            if !self.step() {
                break;
            }
        }
        assert!(self.sender.is_finished());
        assert_eq!((delivered, self.sender.stats().bytes_acked), (all, all));
        let stats = self.receiver.stats();
        assert!(stats.segments_received >= stats.duplicates + stats.out_of_order);
        // The first transmissions of the segments make up the data, without gap or overlap.
        let mut end = 1;
        for segment in self.data() {
            assert!(segment.seq <= end);
            end = end.max(segment.seq + u64::from(segment.payload));
        }
        assert_eq!(end, 1 + all.get());
    }

    fn act(&mut self, (limit, cwnd): ControlSettings) {
        self.sender.set_window_limit(limit);
        if let Some(cwnd) = cwnd {
            self.sender.set_cwnd(cwnd);
        }
        self.drain();
    }

    /// Data segments of the sender in the order in which they were sent.
    pub(crate) fn data(&self) -> impl Iterator<Item = &Segment> {
        self.log.iter().map(|(_, segment)| segment).filter(|segment| segment.payload > 0)
    }

    /// Polls both endpoints until they are silent, and checks invariants.
    pub(crate) fn drain(&mut self) {
        while let Some(segment) = self.receiver.poll_transmit(self.now) {
            self.send(To::Sender, segment);
        }
        loop {
            let before = self.sender.flight();
            let Some(segment) = self.sender.poll_transmit(self.now) else {
                if self.leave_host() {
                    continue;
                }
                break;
            };
            self.widest = self.widest.max(self.sender.usable_window().get());
            if segment.payload > 0 && self.sender.flight() > before {
                self.check_windows();
            }
            let number = self.sent;
            self.send(To::Receiver, segment);
            if self.refused == Some(number) {
                self.refuse(segment);
                break;
            }
            self.host.push(segment.size());
            self.log.push((self.now, segment));
        }
        while self.sender.poll_event().is_some() {}
        assert!(self.sender.cwnd() >= 1);
    }

    /// Lets as many packets leave the sender's host as the sender waits for. Returns false if the sender
    /// waits for none.
    fn leave_host(&mut self) -> bool {
        let Some(mut awaited) = self.sender.awaited_departures() else { return false };
        while let Some(size) = self.host.pop() {
            let is_enough = size >= awaited;
            assert_eq!(self.sender.handle_departure(size), is_enough);
            if is_enough {
                return true;
            }
            awaited = self.sender.awaited_departures().expect("it waits");
        }
        panic!("it waits for packets that are not there");
    }

    /// Lets the sender's own host refuse a segment. A segment that the sender takes back counts as never
    /// sent.
    fn refuse(&mut self, segment: Segment) {
        let before = *self.sender.stats();
        let outcome = self.sender.handle_refusal(self.now, &segment);
        self.sender.handle_departure(segment.size());
        let after = self.sender.stats();
        assert_eq!(after.refusals, before.refusals + 1);
        let counts = after.segments_sent == before.segments_sent;
        assert_eq!(counts, outcome == RefusalOutcome::Lost);
        if outcome == RefusalOutcome::Lost {
            self.log.push((self.now, segment));
        }
        assert_eq!(self.sender.poll_transmit(self.now), None, "the queue is still full");
        assert!(self.sender.next_timeout().is_some(), "nothing would wake the sender");
    }

    /// Checks that new data fits both windows. A retransmission is in the network twice, but in flight once.
    fn check_windows(&mut self) {
        let usable = self.sender.usable_window().get();
        let window = if self.is_gradual { self.widest } else { usable };
        assert!(self.sender.in_network().get() <= window + self.allowance);
        assert!(self.sender.flight() <= self.sender.receive_window());
    }

    fn send(&mut self, to: To, mut segment: Segment) {
        if self.wire.len() > self.mark_beyond {
            let mut ecn = segment.flags.ecn();
            ecn.mark();
            segment.flags = segment.flags.with_ecn(ecn);
        }
        let number = self.sent;
        self.sent += 1;
        let (first, second) = match (self.fate)(to, number) {
            Delivery::Lost => (None, None),
            Delivery::Refused => {
                self.refused = Some(number);
                (None, None)
            }
            Delivery::Arrives(delay) => (Some(delay), None),
            Delivery::ArrivesTwice(delay, other) => (Some(delay), Some(other)),
        };
        for (copy, delay) in (0..).zip([first, second].into_iter().flatten()) {
            self.wire.insert((self.now + delay, 2 * number + copy), (to, segment));
        }
    }
}
