//! Opening of connections.

use airfair_transport::tcp::{Flags, Segment, Sender, SenderConfig, SenderEvent, Transfer};
use airfair_units::{Bytes, Duration};

use crate::script::{SEGMENT, Script, WINDOW, ack, ms, plain};

const SYN: Segment = Segment {
    seq: 0,
    ack: 0,
    window: 65_535,
    payload: 0,
    flags: Flags::SYN,
    options: 8,
    ..Segment::EMPTY
};
const SYN_ACK: Segment = Segment {
    seq: 0,
    ack: 1,
    window: 3_000,
    payload: 0,
    flags: Flags::SYN_ACK,
    options: 8,
    ..Segment::EMPTY
};
const ACK: Segment = Segment {
    seq: 1,
    ack: 1,
    window: 65_535,
    payload: 0,
    flags: Flags::ACK,
    options: 0,
    ..Segment::EMPTY
};

fn with_handshake() -> SenderConfig {
    SenderConfig { handshake: true, ..plain() }
}

/// The sender sends a SYN, answers the SYN-ACK with an ACK, and then sends data.
///
/// Verifies: [RFC9293 §3.5], [RFC6298 §2.2]
#[test]
fn syn_then_ack_then_data() {
    let mut script = Script::new(with_handshake());
    assert_eq!(script.drain(), [SYN]);
    script.at(100).silent().timer(1_000).receive(SYN_ACK);
    // The ACK, then what the window of the SYN-ACK allows: 3 of the 4 segments of the initial window.
    let sent = script.drain();
    assert_eq!(sent[0], ACK);
    assert_eq!(sent[1..].iter().map(|s| s.seq).collect::<Vec<_>>(), [1, 1_001, 2_001]);
    assert!(sent[1..].iter().all(|s| s.flags == Flags::ACK && s.ack == 1 && s.payload == 1_000));
    script
        .events([SenderEvent::Established, SenderEvent::RttSample(Duration::from_millis(100))])
        // SRTT 100, RTTVAR 50 → 300, but the minimum is 1 s.
        .timer(1_100);
}

/// Without window scaling the SYN has 4 octets of options instead of 8.
///
/// Verifies: [RFC7323 §2.2]
#[test]
fn without_scaling_the_syn_is_four_octets_shorter() {
    let mut script = Script::new(SenderConfig { window_scaling: false, ..with_handshake() });
    assert_eq!(script.drain(), [Segment { options: 4, ..SYN }]);
    // 20 IP + 20 TCP + 4 MSS
    assert_eq!(Segment { options: 4, ..SYN }.size(), Bytes::new(44));
}

#[test]
fn only_a_syn_ack_of_our_syn_opens() {
    let mut script = Script::new(with_handshake());
    script.drain();
    for wrong in [
        ACK,
        Segment { flags: Flags::SYN, ..SYN_ACK },
        Segment { ack: 2, ..SYN_ACK },
        Segment { ack: 0, ..SYN_ACK },
    ] {
        script.receive(wrong).silent().events([]);
    }
}

/// A lost SYN costs a time-out of 1 s, and the initial window stays as configured.
///
/// Verifies: [RFC6298 §5.5], [RFC6298 §5.7], [RFC6928 §2]
#[test]
fn one_lost_syn_costs_a_second_and_leaves_the_initial_window_alone() {
    let mut script = Script::new(with_handshake());
    script.drain();
    script.at(1_000).expire();
    assert_eq!(script.drain(), [SYN]);
    script.events([SenderEvent::Timeout]).timer(3_000);
    script.at(1_100).receive(Segment { window: WINDOW, ..SYN_ACK });
    // No round trip was measured (Karn's algorithm), and the time-out starts at 3 s.
    assert_eq!(script.drain().len(), 1 + 4);
    script.events([SenderEvent::Established]).timer(4_100);
}

/// After more than one lost SYN the initial window is one segment.
///
/// Verifies: [RFC6928 §2]
#[test]
fn two_lost_syns_leave_one_segment() {
    let mut script = Script::new(with_handshake());
    script.drain();
    script.at(1_000).expire().drain();
    script.at(3_000).expire().drain();
    script.at(3_100).receive(Segment { window: WINDOW, ..SYN_ACK });
    assert_eq!(script.drain().iter().map(|s| s.payload).collect::<Vec<_>>(), [0, 1_000]);
}

/// A second SYN-ACK causes an ACK and changes nothing else.
///
/// Verifies: [RFC9293 §3.10.7.4]
#[test]
fn a_second_syn_ack_is_answered_and_changes_nothing() {
    let mut script = Script::new(with_handshake());
    script.drain();
    script.at(100).receive(SYN_ACK).drain();
    script.at(200).receive(SYN_ACK);
    // Between data segments, so its sequence number is that of the next octet.
    assert_eq!(script.drain(), [Segment { seq: 3_001, ..ACK }]);
    script.timer(1_100);
}

#[test]
fn without_handshake_data_flows_from_the_start() {
    let mut script = Script::new(plain());
    script.sends(0..4).events([SenderEvent::Established]).at(10).ack(1).sends(4..6);
}

#[test]
fn nothing_happens_before_opening_or_at_a_second_opening() {
    let mut script = Script::new(plain());
    script.sends(0..4).at(5).sender.open(ms(0));
    script.silent();
    let mut closed = Sender::new(plain());
    closed.handle_segment(ms(0), &ack(0));
    closed.handle_timeout(ms(0));
    assert_eq!(closed.poll_transmit(ms(0)), None);
    assert_eq!((closed.next_timeout(), closed.poll_event()), (None, None));
}

#[test]
fn a_last_segment_may_be_short() {
    let transfer = Transfer::Bytes(Bytes::new(2 * SEGMENT + 300));
    let mut script = Script::new(SenderConfig { transfer, ..plain() });
    let sent: Vec<_> = script.drain().iter().map(|s| (s.seq, s.payload)).collect();
    assert_eq!(sent, [(1, 1_000), (1_001, 1_000), (2_001, 300)]);
}
