//! Tests of both ends together, over a link with arbitrary losses.

use airfair_units::{Duration, Time};
use proptest::prelude::*;

use super::*;

const MS: Duration = Duration::from_millis(1);
const LONG: Duration = Duration::from_secs(1_000);

fn limits(window: u16, after_silence: AfterSilence) -> OriginatorConfig {
    OriginatorConfig { window, attempts: 4, after_silence, asks: true }
}

/// Originator and recipient of a block ack agreement, with their output.
struct LossyLink {
    originator: Originator<u32>,
    recipient: Recipient<u32>,
    window: u16,
    /// True if the recipient gets consecutive packets together, by `receive_row`.
    in_rows: bool,
    now: Time,
    pushed: u32,
    delivered: Vec<u32>,
    done: Vec<(u32, PacketOutcome)>,
}

impl LossyLink {
    fn new(window: u16, start: u16, limits: OriginatorConfig, timeout: Duration) -> Self {
        let start = Sequence::new(start);
        let (originator, recipient) =
            (Originator::new(limits, start), Recipient::new(window, timeout, start));
        let (delivered, done, in_rows) = (Vec::new(), Vec::new(), false);
        Self { originator, recipient, window, in_rows, now: Time::ZERO, pushed: 0, delivered, done }
    }

    /// Performs one exchange: fills the window and sends up to `count` packets of the batch, or sends a `BlockAckReq`.
    /// A packet is lost if the bit of its index in the batch is set in `lost`. The response is lost if
    /// `loses_response`.
    fn exchange(&mut self, count: usize, lost: u64, loses_response: bool) {
        self.now += MS;
        self.recipient.handle_timeout(self.now);
        let comes = if let Some(start) = self.originator.request() {
            if lost & 1 == 0 {
                self.recipient.handle_request(start);
            }
            lost & 1 == 0
        } else {
            self.send(count, lost)
        };
        let tell = |it: Done<&u32>| self.done.push((*it.packet, it.outcome));
        if comes && !loses_response {
            self.originator.handle_block_ack(&self.recipient.block_ack(), tell);
        } else {
            self.originator.handle_silence(tell);
        }
        self.collect();
    }

    /// Sends up to `count` MPDUs. An MPDU is lost if the bit of its index is set in `lost`. Returns true if any MPDU
    /// has arrived.
    fn send(&mut self, count: usize, lost: u64) -> bool {
        while self.originator.has_room() && self.originator.outstanding().count() < count {
            self.originator.push(self.pushed);
            self.pushed += 1;
        }
        let batch: Vec<(Sequence, u32)> =
            self.originator.batch().take(count).map(|it| (it.sequence, *it.packet)).collect();
        assert!(batch.is_sorted_by_key(|(sequence, _)| sequence.after(self.originator.start())));
        assert!(batch.iter().all(|(it, _)| it.after(self.originator.start()) < self.window));
        self.originator.send(u16::try_from(batch.len()).expect("a window"));
        if self.in_rows && lost == 0 && self.send_row() {
            return true;
        }
        let mut come = false;
        for (place, (sequence, packet)) in batch.into_iter().enumerate() {
            if lost >> (place % 64) & 1 == 0 {
                if self.recipient.receive(self.now, sequence, || packet) == Reception::InOrder {
                    self.delivered.push(packet);
                }
                self.delivered.extend(std::iter::from_fn(|| self.recipient.poll_released()));
                come = true;
            }
        }
        come
    }

    /// Passes all packets on the air to the recipient at once, if they are consecutive. Returns false if this is not
    /// possible.
    fn send_row(&mut self) -> bool {
        let Some((first, row)) = self.originator.row_on_air() else { return false };
        let count = u16::try_from(row.len()).expect("a window");
        let is_next = self.recipient.receive_row(first, count);
        if is_next {
            self.delivered.extend(row.map(|packet| *packet));
        }
        is_next
    }

    fn collect(&mut self) {
        self.delivered.extend(std::iter::from_fn(|| self.recipient.poll_released()));
        assert!(self.recipient.buffered().count() < usize::from(self.window));
        assert!(
            self.delivered.is_sorted_by(|a, b| a < b),
            "in order, and once: {:?}",
            self.delivered
        );
    }

    /// Performs exchanges without losses until nothing is outstanding. The recipient then waits at most for its
    /// time-out.
    fn settle(&mut self) {
        for _ in 0..100 {
            if self.originator.outstanding().count() == 0 && self.originator.request().is_none() {
                break;
            }
            let left = self.originator.outstanding().count();
            self.exchange(left, 0, false);
        }
        self.now += LONG * 2;
        self.recipient.handle_timeout(self.now);
        self.collect();
        assert_eq!(
            (self.originator.outstanding().count(), self.recipient.buffered().count()),
            (0, 0)
        );
    }
}

/// A lost MPDU is sent again, and the recipient buffers the MPDUs behind it until it arrives.
///
/// Verifies: [80211-2020 §10.25.6.3, §10.25.6.6]
#[test]
fn what_is_lost_comes_again_and_what_came_behind_it_waits() {
    let mut link = LossyLink::new(64, 4_094, limits(64, AfterSilence::Request), LONG);
    link.exchange(4, 0b0010, false);
    assert_eq!((link.delivered.clone(), link.recipient.buffered().count()), (vec![0], 2));
    assert_eq!(link.originator.start(), Sequence::new(4_095));
    let batch: Vec<(u16, bool)> =
        link.originator.batch().map(|it| (it.sequence.get(), it.retry)).collect();
    assert_eq!(batch, [(4_095, true)]);
    link.exchange(2, 0, false);
    assert_eq!(link.delivered, [0, 1, 2, 3, 4]);
}

/// A `BlockAck` is lost: the originator sends a request, and no MPDU is sent twice.
///
/// Verifies: [80211-2020 §10.25.6.5]
#[test]
fn silence_is_followed_by_a_request_and_the_answer_settles_what_was_sent() {
    let mut link = LossyLink::new(64, 0, limits(64, AfterSilence::Request), LONG);
    link.exchange(8, 0b100, true);
    assert_eq!((link.done.len(), link.originator.request()), (0, Some(Sequence::new(0))));
    link.exchange(8, 0, false);
    assert_eq!((link.done.len(), link.originator.outstanding().count()), (7, 1));
    assert_eq!(link.originator.request(), None);
}

/// After four attempts a packet is given up. A request moves the window, and the packets behind it are released.
///
/// Verifies: [80211-2020 §10.25.6.6.3]
#[test]
fn what_is_given_up_is_no_longer_waited_for() {
    let mut link = LossyLink::new(64, 0, limits(64, AfterSilence::Request), LONG);
    for _ in 0..4 {
        link.exchange(2, 0b01, false);
    }
    assert!(link.done.contains(&(0, PacketOutcome::RetryLimit)));
    assert_eq!(link.delivered, []);
    let start = link.originator.request().expect("a request");
    link.recipient.handle_request(start);
    link.collect();
    assert_eq!(link.delivered, (1..link.pushed).collect::<Vec<u32>>());
}

/// After four requests the originator stops, and the recipient's time-out moves its window.
#[test]
fn who_asks_in_vain_asks_no_more() {
    for after_silence in [AfterSilence::Request, AfterSilence::Retransmission] {
        let mut link = LossyLink::new(64, 0, limits(64, after_silence), LONG);
        while link.originator.start() == Sequence::new(0) {
            link.exchange(2, 0b01, false);
        }
        for _ in 0..4 {
            assert!(link.originator.request().is_some());
            link.exchange(0, 1, false);
        }
        assert_eq!(link.originator.request(), None);
    }
}

#[test]
fn a_recipient_hands_on_what_has_waited_long_enough() {
    let start = Sequence::new(0);
    let mut recipient = Recipient::new(64, REORDER_TIMEOUT, start);
    recipient.receive(Time::ZERO, start + 1, || 1_u32);
    recipient.receive(Time::ZERO + MS, start + 3, || 3);
    let due = Time::ZERO + REORDER_TIMEOUT;
    assert_eq!(recipient.next_timeout(), Some(due));
    recipient.handle_timeout(due);
    assert_eq!((recipient.poll_released(), recipient.poll_released()), (Some(1), None));
    recipient.handle_timeout(due + MS);
    assert_eq!((recipient.poll_released(), recipient.next_timeout()), (Some(3), None));
    // A late packet is acknowledged, and discarded.
    assert_eq!(recipient.receive(due + MS, start, || 0), Reception::Refused);
    assert_eq!((recipient.poll_released(), recipient.block_ack().has(start)), (None, true));
}

#[test]
fn a_number_beyond_the_window_moves_it() {
    let start = Sequence::new(4_090);
    let mut recipient = Recipient::new(64, LONG, start);
    recipient.receive(Time::ZERO, start + 1, || 1_u32);
    recipient.receive(Time::ZERO, start + 65, || 65);
    assert_eq!((recipient.poll_released(), recipient.buffered().count()), (Some(1), 1));
    assert_eq!(recipient.block_ack().start(), start + 2);
    assert!(recipient.block_ack().has(start + 65) && !recipient.block_ack().has(start + 1));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    /// With any losses, packets arrive in order and at most once, and each has one outcome. An acknowledged packet
    /// has arrived, and a packet that has not arrived was given up.
    #[test]
    fn everything_is_delivered_in_order_exactly_once_or_given_up(
        window in prop::sample::select(vec![1_u16, 8, 64, 256, 1_024]),
        start in 0_u16..4_096,
        after_silence in prop::sample::select(vec![AfterSilence::Request, AfterSilence::Retransmission]),
        exchanges in prop::collection::vec((1_usize..300, any::<u64>(), any::<u64>(), 0_u8..4), 1..120),
    ) {
        let mut link = LossyLink::new(window, start, limits(window, after_silence), LONG);
        for (count, losses, others, response) in exchanges {
            link.exchange(count.min(usize::from(window)), losses & others, response == 0);
        }
        link.settle();
        let mut outcomes = link.done.clone();
        outcomes.sort_by_key(|(packet, _)| *packet);
        let packets: Vec<u32> = outcomes.iter().map(|(packet, _)| *packet).collect();
        prop_assert_eq!(packets, (0..link.pushed).collect::<Vec<u32>>());
        for (packet, outcome) in outcomes {
            let arrived = link.delivered.binary_search(&packet).is_ok();
            prop_assert!(arrived || outcome == PacketOutcome::RetryLimit, "{packet} {outcome:?}");
        }
    }

    /// Consecutive sequence numbers that are noted together change the bitmap as they would one by one, even if they
    /// are repeated, skipped or beyond the window.
    ///
    /// Verifies: [80211-2020 §10.25.6.3]
    #[test]
    fn the_scoreboard_takes_numbers_in_a_row_as_one_by_one(
        window in prop::sample::select(vec![1_u16, 8, 64, 256, 1_024]),
        start in 0_u16..4_096,
        rows in prop::collection::vec((-300_i32..300, 1_u16..600, any::<bool>()), 1..12),
    ) {
        let mut recipient = Recipient::new(window, LONG, Sequence::new(start));
        let (mut next, mut first) = (i32::from(start), i32::from(start));
        let mut come = std::collections::BTreeSet::new();
        let sequence = |number: i32| Sequence::new(u16::try_from(number.rem_euclid(4_096)).expect("below 4096"));
        for (jump, count, is_asked) in rows {
            next += jump;
            for number in next..next + i32::from(count) {
                recipient.receive(Time::ZERO, sequence(number), || 0_u32);
                if number >= first {
                    first = first.max(number + 1 - i32::from(window));
                    come.insert(number);
                }
            }
            next += i32::from(count);
            if is_asked {
                let map = recipient.block_ack();
                prop_assert_eq!(map.start(), sequence(first));
                for number in first..first + i32::from(window) {
                    prop_assert_eq!(map.has(sequence(number)), come.contains(&number), "{}", number);
                }
            }
        }
    }

    /// An aggregate that arrives as a whole has the same effect as its packets one by one, also with other aggregates
    /// in between.
    #[test]
    fn a_row_is_what_its_packets_are_one_by_one(
        window in prop::sample::select(vec![1_u16, 8, 64, 256, 1_024]),
        start in 0_u16..4_096,
        exchanges in prop::collection::vec(
            (1_usize..300, prop_oneof![3 => Just(0), 1 => any::<u64>()], 0_u8..6), 1..60,
        ),
    ) {
        let new = || LossyLink::new(window, start, limits(window, AfterSilence::default()), LONG);
        let (mut one_by_one, mut in_rows) = (new(), LossyLink { in_rows: true, ..new() });
        for (count, lost, response) in exchanges {
            let seen = [&mut one_by_one, &mut in_rows].map(|link| {
                link.exchange(count.min(usize::from(window)), lost, response == 0);
                (link.originator.start(), link.recipient.block_ack(), link.delivered.len(), link.done.clone())
            });
            prop_assert_eq!(&seen[0], &seen[1]);
        }
        prop_assert_eq!(one_by_one.delivered, in_rows.delivered);
    }

    /// With a short reorder time-out, too, packets stay in order and none arrives twice.
    #[test]
    fn a_recipient_that_does_not_wait_keeps_the_order(
        exchanges in prop::collection::vec((1_usize..64, any::<u64>(), 0_u8..3), 1..120),
    ) {
        let mut link = LossyLink::new(64, 4_000, limits(64, AfterSilence::Request), MS * 2);
        for (count, losses, response) in exchanges {
            link.exchange(count, losses, response == 0);
        }
        link.settle();
    }
}
