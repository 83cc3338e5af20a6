//! Explicit congestion notification over QUIC.  [RFC9000 §13.4], [RFC9002 §7.1]

use airfair_transport::ecn::Ecn;
use airfair_transport::quic::{
    Ack, Controller, Data, EcnCounts, Receiver, ReceiverConfig, Sender, SenderConfig,
};

use crate::script::*;

fn with_ecn() -> SenderConfig {
    SenderConfig { ecn: true, ..unpaced() }
}

/// ACK of the packets before `end`, of which the last `marked` have a mark, and the others a codepoint.
fn marked(end: u64, marked: u64) -> Ack {
    let mut receiver = Receiver::new(ReceiverConfig { ack_every: 1, ..ReceiverConfig::default() });
    let mut ack = None;
    for number in 0..end {
        let ecn = if number < end - marked { Ecn::ECT_0 } else { Ecn::CE };
        receiver.handle_data(ms(0), &Data { number, offset: 0, payload: 1, number_length: 2, ecn });
        ack = receiver.poll_transmit(ms(0));
    }
    ack.expect("a packet")
}

/// ACK of these packets with these counts.
fn counted(numbers: Vec<u64>, marks: EcnCounts) -> Ack {
    let mut ack = ack_of(numbers);
    ack.marks = marks;
    ack
}

fn fields(sender: &mut Sender, at_ms: u64) -> Vec<Ecn> {
    send(sender, at_ms).iter().map(|it| it.ecn).collect()
}

/// All packets have ECT(0). Of a window of ten packets a mark leaves five, with CUBIC seven. A second mark on a packet of
/// the same window, and a loss in it, change nothing; a mark on a packet that was sent afterwards does.
///
/// Verifies: [RFC9002 §7.1], [RFC9002 §7.3.2], [RFC9000 §13.4.1]
#[test]
fn a_mark_reduces_the_window_once_per_recovery_period() {
    for (controller, left) in [(Controller::NewReno, [5, 2]), (Controller::Cubic, [7, 4])] {
        let mut sender = Sender::new(SenderConfig { controller, ..with_ecn() });
        sender.open(ms(0));
        assert_eq!(fields(&mut sender, 0), [Ecn::ECT_0; 10]);
        sender.handle_ack(ms(100), &marked(1, 1));
        assert_eq!((sender.cwnd(), sender.stats().marks_answered), (left[0], 1));
        sender.handle_ack(ms(101), &marked(2, 2));
        // Packets 2 to 4 are lost.
        let numbers: Vec<_> = (0..2).chain(5..10).collect();
        let counts = marked(7, 2).marks;
        sender.handle_ack(ms(102), &counted(numbers, counts));
        assert_eq!(sender.stats().packets_lost, 3);
        assert_eq!((sender.cwnd(), sender.stats().recoveries), (left[0], 0));
        let sent = send(&mut sender, 102);
        assert!(sent.iter().all(|it| it.ecn == Ecn::ECT_0) && !sent.is_empty());
        let news = u32::try_from(sent.len()).expect("few packets");
        let last = sent.last().expect("a packet").number;
        let numbers: Vec<_> = (0..2).chain(5..=last).collect();
        let counts = EcnCounts { ce: 3, ect: counts.ect + news - 1 };
        sender.handle_ack(ms(200), &counted(numbers, counts));
        assert_eq!(sender.stats().marks_answered, 2);
        assert!(sender.cwnd() <= left[0], "{}", sender.cwnd());
    }
}

/// An ACK without counts, for packets that had a codepoint, fails the validation: further packets have none, and counts
/// that come later are not read.
///
/// Verifies: [RFC9000 §13.4.2.1]
#[test]
fn without_counts_the_sender_gives_up() {
    let mut sender = opened(with_ecn());
    assert!(ack(&mut sender, 100, 0..2).iter().all(|it| it.ecn == Ecn::NOT_ECT));
    sender.handle_ack(ms(110), &marked(5, 5));
    assert_eq!((sender.stats().marks_answered, sender.cwnd()), (0, 15));
}

/// Counts of an old acknowledgment, which a newer one has overtaken, are not read.
///
/// Verifies: [RFC9000 §13.4.2.1]
#[test]
fn old_counts_are_not_read() {
    let mut sender = opened(with_ecn());
    let counts = |ect, ce| EcnCounts { ect, ce };
    sender.handle_ack(ms(100), &counted(vec![1, 2], counts(2, 0)));
    sender.handle_ack(ms(101), &counted(vec![0], counts(1, 0)));
    sender.handle_ack(ms(102), &counted(vec![0, 1, 2, 3], counts(3, 1)));
    assert_eq!(sender.stats().marks_answered, 1);
}

/// A marked packet is acknowledged at once, although two packets usually share an ACK.
///
/// Verifies: [RFC9000 §13.2.1]
#[test]
fn a_mark_is_acknowledged_at_once() {
    let mut receiver = Receiver::new(ReceiverConfig::default());
    let mut counts = |number, ecn| {
        receiver.handle_data(ms(0), &Data { number, offset: 0, payload: 1, number_length: 2, ecn });
        receiver.poll_transmit(ms(0)).map(|it| (it.marks.ect, it.marks.ce))
    };
    assert_eq!([counts(0, Ecn::ECT_0), counts(1, Ecn::ECT_0)], [None, Some((2, 0))]);
    assert_eq!(counts(2, Ecn::CE), Some((2, 1)));
    // A duplicate is not counted.
    assert_eq!([counts(2, Ecn::CE), counts(3, Ecn::ECT_0)], [None, None]);
    assert_eq!(counts(4, Ecn::CE), Some((3, 2)));
    assert_eq!(receiver.stats().marked, 2);
}
