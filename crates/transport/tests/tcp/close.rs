//! Closing of connections.

use airfair_transport::tcp::{Flags, Segment, Sender, SenderConfig, SenderEvent, Transfer};
use airfair_units::{Bytes, Duration};

use crate::script::{SEGMENT, Script, WINDOW, ack, ms, octet, plain};

/// Script of a connection with handshake and this transfer, whose SYN was answered after 100 ms.
fn opened(transfer: Transfer) -> Script {
    let mut script = Script::new(SenderConfig { handshake: true, transfer, ..plain() });
    script.drain();
    let syn_ack = Segment { seq: 0, ack: 1, flags: Flags::SYN_ACK, ..ack(0) };
    script.at(100).receive(syn_ack);
    script
}

fn bytes(segments: u64) -> Transfer {
    Transfer::Bytes(Bytes::new(segments * SEGMENT))
}

fn fin(number: u64) -> Segment {
    let window = 65_535;
    Segment {
        seq: octet(number),
        ack: 1,
        window,
        payload: 0,
        flags: Flags::FIN_ACK,
        options: 0,
        ..Segment::EMPTY
    }
}

fn ack_of_fin(number: u64) -> Segment {
    Segment { ack: octet(number) + 1, ..ack(number) }
}

/// The sender sends its FIN once all data is acknowledged, and finishes with the ACK of the FIN.
///
/// Verifies: [RFC9293 §3.6]
#[test]
fn the_fin_follows_when_all_data_is_acknowledged() {
    let mut script = opened(bytes(3));
    script.drain();
    script.at(200).ack(2).silent();
    script.at(210).ack(3);
    assert_eq!(script.drain(), [fin(3)]);
    script.events([SenderEvent::Established, SenderEvent::RttSample(Duration::from_millis(100))]);
    assert!(!script.sender.is_finished());
    script.at(310).receive(ack_of_fin(3)).silent();
    assert!(script.sender.is_finished());
    assert_eq!(script.sender.next_timeout(), None);
    assert_eq!(script.sender.stats().bytes_acked, Bytes::new(3_000));
    script.events([SenderEvent::RttSample(Duration::from_millis(100)), SenderEvent::Finished]);
}

/// A FIN without an ACK is sent again after each time-out.
///
/// Verifies: [RFC6298 §5.4]
#[test]
fn a_lost_fin_is_sent_again() {
    let mut script = opened(bytes(1));
    script.drain();
    script.at(200).ack(1);
    assert_eq!(script.drain(), [fin(1)]);
    for at in [1_200, 3_200] {
        script.at(at).expire();
        assert_eq!(script.drain(), [fin(1)]);
    }
    script.at(3_300).receive(ack_of_fin(1)).silent();
    assert!(script.sender.is_finished());
    // No payload was sent twice.
    assert_eq!(script.sender.stats().retransmissions, 0);
}

#[test]
fn nothing_to_send_is_syn_and_fin() {
    let mut script = opened(bytes(0));
    let sent = script.drain();
    assert_eq!(sent.len(), 2);
    assert_eq!(sent[1], fin(0));
    script.at(200).receive(ack_of_fin(0)).silent();
    assert!(script.sender.is_finished());
}

#[test]
fn an_endless_source_ends_with_what_it_has_sent() {
    let mut script = opened(Transfer::Endless);
    script.drain();
    script.at(150).sender.close(ms(150));
    script.silent().at(200).ack(3).silent().ack(4);
    assert_eq!(script.drain(), [fin(4)]);
}

#[test]
fn what_is_lost_before_closing_is_still_repaired() {
    let mut script = opened(Transfer::Endless);
    script.drain();
    script.sender.close(ms(100));
    script.at(200).ack(1).silent();
    script.at(1_200).expire().sends([1]);
    script.at(1_300).ack(3).sends([3]);
    script.at(1_400).ack(4);
    assert_eq!(script.drain(), [fin(4)]);
}

#[test]
fn a_source_of_so_many_bytes_is_not_cut_short() {
    let mut script = opened(bytes(6));
    assert_eq!(script.drain().len(), 1 + 4);
    script.sender.close(ms(100));
    script.at(200).ack(2).sends([4, 5]);
}

#[test]
fn closing_before_the_answer_to_the_syn_sends_no_data() {
    let mut script = Script::new(SenderConfig { handshake: true, ..plain() });
    script.drain();
    script.sender.close(ms(0));
    let syn_ack = Segment { seq: 0, ack: 1, flags: Flags::SYN_ACK, ..ack(0) };
    script.at(100).receive(syn_ack);
    assert_eq!(script.drain()[1..], [fin(0)]);
}

#[test]
fn closing_before_opening_leaves_syn_and_fin() {
    let mut sender = Sender::new(SenderConfig { handshake: true, ..plain() });
    sender.close(ms(0));
    sender.open(ms(0));
    assert!(sender.poll_transmit(ms(0)).is_some_and(|segment| segment.flags == Flags::SYN));
    let syn_ack = Segment { seq: 0, ack: 1, flags: Flags::SYN_ACK, ..ack(0) };
    sender.handle_segment(ms(100), &syn_ack);
    assert!(sender.poll_transmit(ms(100)).is_some_and(|segment| segment.flags == Flags::ACK));
    assert_eq!(sender.poll_transmit(ms(100)), Some(fin(0)));
}

#[test]
fn without_handshake_the_last_ack_is_the_end() {
    let mut script = Script::new(SenderConfig { transfer: bytes(2), ..plain() });
    script.sends(0..2).at(100).ack(2).silent();
    assert!(script.sender.is_finished());

    let mut script = Script::new(plain());
    script.sends(0..4).at(100).ack(4);
    script.sender.close(ms(100));
    assert!(script.sender.is_finished());
    script.silent();
}

/// A source whose host has refused its first segment would try again after a second. If it closes before, it is
/// finished, and needs no timer.
#[test]
fn after_the_end_no_timer_runs() {
    let mut script = Script::new(plain());
    script.refuses([], 0).timer(1_000);
    script.at(500).sender.close(ms(500));
    assert!(script.sender.is_finished());
    script.timer_is_off().silent();
}

/// Late ACKs after the end are not answered, whatever they acknowledge.
#[test]
fn after_the_end_there_is_silence() {
    let mut script = Script::new(SenderConfig { transfer: bytes(2), ..plain() });
    script.sends(0..2).at(100).ack(2);
    script.events([
        SenderEvent::Established,
        SenderEvent::RttSample(Duration::from_millis(100)),
        SenderEvent::Finished,
    ]);
    script.receive(Segment { window: 2 * WINDOW, ..ack(2) }).ack(2).ack(1).silent().events([]);
    script.sender.handle_timeout(ms(60_000));
    assert_eq!(script.sender.next_timeout(), None);
}
