//! Senders whose application does not always have data.

use airfair_transport::tfrc::{Frame, Profile, ReceiverConfig, SenderConfig, SenderEvent, Traffic};
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::path::{Delivery, Path, ms};
use crate::script::{Report, Script, config};

fn with(traffic: Traffic) -> SenderConfig {
    SenderConfig { traffic, ..config(Profile::Rfc5348) }
}

fn lossless(sender: SenderConfig) -> Path<impl FnMut(&crate::path::Packet, u64) -> Delivery> {
    let fate = |_: &_, _| Delivery::Arrives(Duration::from_millis(50));
    Path::new(sender, ReceiverConfig::new(Profile::Rfc5348), fate)
}

/// A source below the allowed rate keeps its rate, and the allowed rate grows to twice the largest receive rate,
/// but no further.
///
/// Verifies: [RFC5348 §4.3 and §8.2.1]
#[test]
fn a_constant_source_is_data_limited() {
    // 1000 octets at 80 kb/s: 10 000 octets/s.
    let mut path = lossless(with(Traffic::Constant(DataRate::from_kbps(80))));
    path.run(ms(60_000));
    let stats = path.sender.stats();
    // The data of the first second waited for the first report.
    assert_eq!(stats.packets_sent, 601);
    assert!(stats.limited_feedbacks > 500, "{stats:?}");
    let rate = path.sender.allowed_rate();
    assert!((40_000.0..100_000.0).contains(&rate), "{rate}");
    assert_eq!(stats.no_feedback_timeouts, 0);
}

/// In an idle period the rate does not fall below the initial rate.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn a_pause_costs_no_more_than_the_initial_rate() {
    let traffic = Traffic::OnOff {
        rate: DataRate::from_mbps(1),
        on: Duration::from_secs(2),
        off: Duration::from_secs(20),
    };
    let mut path = lossless(with(traffic));
    path.run(ms(2_300));
    assert!(path.sender.allowed_rate() > 125_000.0);
    path.run(ms(21_999));
    let stats = path.sender.stats();
    assert!(stats.no_feedback_timeouts > 20, "{stats:?}");
    let (rate, initial) =
        (path.sender.allowed_rate(), 4_000.0 / path.sender.smoothed_rtt().unwrap());
    assert!(rate >= initial && rate < 2.0 * initial, "{rate} {initial}");
    // The receiver received nothing and sent no reports.
    let said = path.receiver.stats().feedbacks_sent;
    assert!(said < 40, "{said}");
    path.run(ms(23_900));
    assert!(path.sender.allowed_rate() > 125_000.0);
}

/// Frames are split into packets of size s, the last of which is marked; the media clock is that of the
/// frame.
#[test]
fn a_trace_of_frames() {
    let frame = |after, size| Frame { after: Duration::from_millis(after), size: Bytes::new(size) };
    let frames = vec![frame(0, 500), frame(1_000, 2_300), frame(40, 100)];
    let mut script = Script::new(with(Traffic::Frames { frames, repeat: false }));
    let first = script.packets();
    assert_eq!((first[0].payload, first[0].is_frame_end, first[0].media_time), (500, true, 0));
    script.until(99);
    script.report(100, 0, 0.0);
    // 25 ms between packets, and half of that as credit after the pause: the frame of 1040 waits 22.5 ms.
    script.events(&[SenderEvent::RttSample(Duration::from_millis(100)), SenderEvent::RateChange]);
    let mut packets = Vec::new();
    while packets.len() < 4 {
        let at = script.sender.next_timeout().unwrap();
        script.now = at;
        script.sender.handle_timeout(at);
        packets.extend(script.packets().into_iter().map(|data| (at, data)));
    }
    let seen: Vec<_> = packets
        .iter()
        .map(|(at, data)| (*at, data.payload, data.is_frame_end, data.media_time))
        .collect();
    let half_ms = |halves: u64| Time::from_nanos(halves * 500_000);
    let expected = [
        (ms(1_000), 1_000, false, 90_000),
        (half_ms(2_025), 1_000, false, 90_000),
        (half_ms(2_075), 300, true, 90_000),
        // 1040 ms · 90
        (half_ms(2_125), 100, true, 93_600),
    ];
    assert_eq!(seen, expected);
    let events: Vec<_> = std::iter::from_fn(|| script.sender.poll_event()).collect();
    assert_eq!(events.last(), Some(&SenderEvent::Finished));
    assert!(script.sender.is_finished());
    // Nothing is left to send, so no timer runs, also after the report on the last packet.
    assert_eq!(script.sender.next_timeout(), None);
    script.now = ms(1_162);
    script.receive(Report { echo: 1_062, receive_rate: 10_000, p: 0.0 });
    assert_eq!((script.sender.stats().feedbacks, script.sender.next_timeout()), (2, None));
}

/// Data of a constant source above the allowed rate waits, and the excess is dropped at the buffer limit.
#[test]
fn a_buffer_bounds_what_waits() {
    let sender = SenderConfig {
        buffer: Some(Bytes::new(5_000)),
        ..with(Traffic::Constant(DataRate::from_mbps(1)))
    };
    let mut script = Script::new(sender);
    // One packet per second is sent; 125 are generated in the first second.
    script.until(999);
    let stats = script.sender.stats();
    assert_eq!(stats.packets_sent, 1);
    script.until(1_001);
    assert_eq!(script.sender.stats().bytes_dropped, Bytes::new((126 - 1 - 5) * 1_000));
}
