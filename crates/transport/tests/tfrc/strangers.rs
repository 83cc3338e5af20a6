//! TFRC endpoints ignore and count packets of other flows.

use airfair_transport::tfrc::wire::{self, DATA_HEADER, Packet};
use airfair_transport::tfrc::{
    Data, Feedback, Profile, Receiver, ReceiverConfig, Sender, SenderConfig,
};
use airfair_units::{Bytes, Duration, Time};
use proptest::prelude::*;

use crate::path::{Random, ms};

/// A sender and a receiver during their flow, after some losses and reports, and the time.
fn pair() -> (Sender, Receiver, Time) {
    let mut random = Random(3);
    let fate = move |_: &crate::path::Packet, _| {
        if random.chance(10_000) {
            crate::path::Delivery::Lost
        } else {
            crate::path::Delivery::Arrives(Duration::from_millis(50))
        }
    };
    let sender = SenderConfig::new(Profile::Rfc5348, Bytes::new(1_000));
    let mut path = crate::path::Path::new(sender, ReceiverConfig::new(Profile::Rfc5348), fate);
    path.run(ms(5_000));
    (path.sender, path.receiver, path.now)
}

/// Complete state of both endpoints, without the counters of ignored packets.
fn state(sender: &Sender, receiver: &Receiver) -> String {
    let text = format!("{sender:?} {receiver:?}");
    let digits: &[_] = &['0', '1', '2', '3', '4', '5', '6', '7', '8', '9'];
    ["strangers: ", "stale: ", "implausible: "].iter().fold(text, |text, name| {
        let parts = text.split(name).enumerate();
        parts
            .map(|(place, part)| if place == 0 { part } else { part.trim_start_matches(digits) })
            .collect()
    })
}

/// A receiver that is configured with its sender ignores others from the first packet on.
#[test]
fn a_receiver_may_know_its_sender_beforehand() {
    let config = ReceiverConfig { sender: Some(7), ..ReceiverConfig::new(Profile::Rfc5348) };
    let mut receiver = Receiver::new(config);
    let data = Data {
        ssrc: 8,
        seq: 0,
        media_time: 0,
        is_frame_end: true,
        sent_at: 0,
        rtt: 0,
        payload: 100,
    };
    receiver.handle_data(ms(0), &data);
    assert_eq!((receiver.poll_transmit(ms(0)), receiver.stats().strangers), (None, 1));
    receiver.handle_data(ms(1), &Data { ssrc: 7, ..data });
    assert_eq!(receiver.poll_transmit(ms(1)).map(|report| report.ssrc), Some(7));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, ..ProptestConfig::default() })]

    /// Packets with another SSRC change nothing at sender and receiver but the counters of strangers.
    ///
    /// Verifies: [RFC3550 §8]
    #[test]
    fn a_stranger_changes_nothing(
        ssrc in any::<u32>().prop_filter("our own", |ssrc| *ssrc != 1),
        reporter in any::<u32>().prop_filter("our own", |reporter| *reporter != 2),
        seq: u16,
        words in any::<[u32; 4]>(),
        rtt in 0u32..1 << 24,
        is_about_us: bool,
    ) {
        let (mut sender, mut receiver, now) = pair();
        let before = state(&sender, &receiver);
        let data = Data {
            ssrc,
            seq,
            media_time: words[0],
            is_frame_end: false,
            sent_at: words[1],
            rtt,
            payload: words[2] % 1_500,
        };
        receiver.handle_data(now, &data);
        let feedback = Feedback {
            reporter,
            ssrc: if is_about_us { 1 } else { ssrc },
            sent_at: words[0],
            delay: words[1],
            receive_rate: words[2],
            loss_event_rate: words[3],
        };
        sender.handle_feedback(now, &feedback);
        prop_assert_eq!(state(&sender, &receiver), before);
        prop_assert_eq!((sender.stats().strangers, receiver.stats().strangers), (1, 1));
    }

    /// Arbitrary datagrams for both endpoints, some with valid SSRCs: no panic, and both continue to work.
    #[test]
    fn no_datagram_panics(
        datagrams in prop::collection::vec((prop::collection::vec(any::<u8>(), 0..64), 0u8..4), 1..60),
    ) {
        let (mut sender, mut receiver, mut now) = pair();
        for (mut octets, kind) in datagrams {
            if octets.len() >= DATA_HEADER && kind == 1 {
                octets[..2].copy_from_slice(&[0x90, 96]);
                octets[8..12].copy_from_slice(&1u32.to_be_bytes());
                octets[12..17].copy_from_slice(&[0xbe, 0xde, 0, 2, 0x16]);
            }
            if kind == 2 {
                octets.resize(wire::FEEDBACK, 0);
                octets[..4].copy_from_slice(&[0x82, 205, 0, 6]);
                octets[4..12].copy_from_slice(&[0, 0, 0, 2, 0, 0, 0, 1]);
                // A packet that may have been sent.
                let sent_at = u32::try_from(now.as_nanos() / 1_000).unwrap() - u32::from(octets[12]) * 1_000;
                octets[12..16].copy_from_slice(&sent_at.to_be_bytes());
                octets[16..18].copy_from_slice(&[0, 0]);
            }
            match wire::decode(&octets) {
                Ok(Packet::Data(data)) => receiver.handle_data(now, &data),
                Ok(Packet::Feedback(feedback)) => sender.handle_feedback(now, &feedback),
                Err(_) => {}
            }
            now += Duration::from_millis(7);
            sender.handle_timeout(now);
            receiver.handle_timeout(now);
            while sender.poll_transmit(now).is_some() {}
            while receiver.poll_transmit(now).is_some() {}
            prop_assert!(sender.allowed_rate() >= 15.625 && sender.allowed_rate().is_finite());
            prop_assert!((0.0..=1.0).contains(&receiver.loss_event_rate()));
            prop_assert!(sender.next_timeout().is_some_and(|at| at > now));
        }
    }
}
