//! The TFRC sender's behaviour by RFC 5348, as scripts.

use airfair_transport::tfrc::{Profile, SenderConfig, SenderEvent};
use airfair_units::{DataRate, Duration};

use crate::path::ms;
use crate::script::{Report, Script, config};

/// X(p) of the throughput equation for R = 100 ms and s = 1000 octets.
fn equation(p: f64) -> f64 {
    10_000.0 / ((2.0 * p / 3.0).sqrt() + 12.0 * (0.375 * p).sqrt() * p * (1.0 + 32.0 * p * p))
}

/// Before the first report the sender sends a packet per second, and halves the rate whenever the no-feedback
/// timer expires.
///
/// Verifies: [RFC5348 §4.2 and §4.4]
#[test]
fn before_the_first_report_a_packet_per_second_and_halved_every_two_intervals() {
    let mut script = Script::new(config(Profile::Rfc5348));
    // Packets are sent at 0 and 1 s. At 2 s the timer halves X before the third is due, which is then 2 s
    // after the second.
    assert_eq!(script.until(1_999), [(0, 0), (1_000_000, 1)]);
    assert_eq!(script.until(2_999), []);
    script.allows(500.0).events(&[SenderEvent::NoFeedback, SenderEvent::RateChange]);
    // Two packets at 500 octets/s take 4 s. At 6 s X becomes 250; the packet of 5 s has been sent, and the
    // next is due at 9 s.
    assert_eq!(script.until(8_999), [(3_000_000, 2), (5_000_000, 3)]);
    script.allows(250.0);
    assert_eq!(script.until(9_000), [(9_000_000, 4)]);
}

/// Without reports the rate falls to one packet in 64 s and no further.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn without_any_report_the_rate_ends_at_a_packet_in_64_s() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(1_000_000);
    script.allows(1_000.0 / 64.0);
    let sent: Vec<_> = script.until(2_000_000).iter().map(|packet| packet.0).collect();
    assert!(sent.len() >= 15);
    assert!(sent.windows(2).all(|pair| pair[1] - pair[0] == 64_000_000), "{sent:?}");
}

/// In slow start each report at most doubles the rate, up to 2·`X_recv`.
///
/// Verifies: [RFC5348 §4.3 and §4.6]
#[test]
fn slow_start_by_reports() {
    let mut script = Script::new(config(Profile::Rfc5348));
    assert_eq!(script.until(0), [(0, 0)]);
    // W_init/R = 4·1000/.1 s: a packet every 25 ms from now on; the one of 25 ms is overdue.
    script.report(100, 0, 0.0);
    script.allows(40_000.0);
    let sent = script.until(199);
    assert_eq!(sent, [(100_000, 1), (125_000, 2), (150_000, 3), (175_000, 4)]);
    script.report(200, 40_000, 0.0);
    script.allows(80_000.0);
    // One was sent at 200, and the next is due 12.5 ms later.
    let sent: Vec<_> = script.until(224).iter().map(|packet| packet.0).collect();
    assert_eq!(sent, [212_500]);
    script.report(300, 70_000, 0.0);
    script.allows(140_000.0);
    // The path carries no more than that, whatever is sent.
    script.report(400, 70_000, 0.0);
    script.report(500, 70_000, 0.0);
    script.allows(140_000.0);
}

/// After a step in loss the rate follows the equation within a round trip.
///
/// Verifies: [RFC5348 §4.3]
#[test]
fn a_step_in_loss_is_obeyed_at_once() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(0);
    script.report(100, 0, 0.0);
    for (at, p) in [(500, 0.001), (600, 0.001), (700, 0.01), (800, 0.1), (900, 0.001)] {
        script.report(at, 1_000_000, p);
        script.allows(equation(p));
    }
    // X(.001) = 383 856 octets/s: 38 packets in 100 ms.
    let sent = script.until(999).len();
    assert!((38..=39).contains(&sent), "{sent}");
}

/// When reports stop, the rate is halved every four round trips, until the next report.
///
/// Verifies: [RFC5348 §4.4]
#[test]
fn reports_that_stop_halve_the_rate_after_four_round_trips() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(0);
    script.report(100, 0, 0.0);
    script.report(400, 1_000_000, 0.01);
    for (from, divisor) in [(400, 1.0), (800, 2.0), (1_200, 4.0), (1_600, 8.0)] {
        script.until(from + 399);
        script.allows(equation(0.01) / divisor);
    }
    assert_eq!(script.sender.stats().no_feedback_timeouts, 3);
    // After one report the equation applies again; the receive rate in it is the limit.
    script.report(2_000, 20_000, 0.01);
    script.allows(40_000.0);
}

/// The no-feedback timer expires after four round trips by the RFCs and after two in ns-2.
///
/// Verifies: [RFC3448 §4.3, erratum 270], ns-2.35 `tcp/tfrc.cc`, `recv`
#[test]
fn the_profiles_wait_four_round_trips_or_two() {
    for (profile, wait) in [(Profile::Rfc5348, 400), (Profile::Rfc3448, 400), (Profile::Ns2, 200)] {
        let mut script = Script::new(config(profile));
        script.until(0);
        for at in [100, 200, 301, 402] {
            script.report(at, 100_000, 0.0);
        }
        script.until(402 + wait - 1);
        assert_eq!(script.sender.stats().no_feedback_timeouts, 0, "{profile:?}");
        script.until(402 + wait);
        assert_eq!(script.sender.stats().no_feedback_timeouts, 1, "{profile:?}");
    }
}

/// ns-2's sender starts with 300 octets/s, and in slow start sends a packet at once with every report.
///
/// Verifies: ns-2.35 `tcp/tfrc.cc`, `start` and `recv`
#[test]
fn ns2_starts_with_300_octets_per_second_and_answers_reports_with_packets() {
    let mut script = Script::new(config(Profile::Ns2));
    // 1000/300 s = 3.33 s to the second packet.
    assert_eq!(script.until(100), [(0, 0)]);
    script.report(100, 0, 0.0);
    assert_eq!(script.drain(), [(100_000, 1)]);
    assert_eq!(script.until(125), [(125_000, 2)]);
    script.report(130, 0, 0.0);
    assert_eq!(script.drain(), [(130_000, 3)]);
    // With loss, packets keep to their due times: after 9 ms and not one.
    script.until(131);
    script.receive(Report { echo: 100, receive_rate: 100_000, p: 0.01 });
    assert_eq!(script.drain(), []);
}

/// Damping lowers the pacing rate after a long round trip and leaves the allowed rate unchanged.
///
/// Verifies: [RFC5348 §4.5]
#[test]
fn damping_slows_the_packets_down_and_not_the_allowed_rate() {
    let mut config = config(Profile::Rfc5348);
    config.law.damping = Some(0.9);
    let mut script = Script::new(config);
    script.until(0);
    script.report(100, 0, 0.0);
    script.until(500);
    // A sample of 400 ms: X_inst = .55·X (as computed in the test of the law).
    script.receive(Report { echo: 100, receive_rate: 1_000_000, p: 0.01 });
    let ratio = script.sender.pacing_rate() / script.sender.allowed_rate();
    assert!((ratio - 0.55).abs() < 1e-9, "{ratio}");
}

/// The round-trip sample is the time since the echoed packet was sent, less the receiver's delay.
///
/// Verifies: [RFC5348 §4.3 step 1]
#[test]
fn the_receivers_delay_is_no_part_of_the_round_trip() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(130);
    let mut feedback = Report { echo: 0, receive_rate: 0, p: 0.0 }.feedback();
    feedback.delay = 30_000;
    script.sender.handle_feedback(script.now, &feedback);
    let sample = SenderEvent::RttSample(Duration::from_millis(100));
    script.events(&[sample, SenderEvent::RateChange]);
    assert_eq!(script.packets()[0].rtt, 100_000);
    // An instant reply counts as one tick of the timestamps.
    feedback.sent_at = 130_000;
    feedback.delay = 0;
    script.sender.handle_feedback(script.now, &feedback);
    script.events(&[SenderEvent::RttSample(Duration::from_micros(1))]);
}

/// Late, duplicate and impossible reports only change their counters.
#[test]
fn old_and_impossible_reports_are_refused() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(0);
    script.report(100, 0, 0.0);
    script.report(200, 40_000, 0.0);
    // A packet every 12.5 ms: the last one at 250.
    script.until(255);
    let before = (script.sender.allowed_rate().to_bits(), script.sender.next_timeout());
    // A duplicate, and the first report again.
    script.receive(Report { echo: 100, receive_rate: 1, p: 0.5 });
    script.receive(Report { echo: 0, receive_rate: 1, p: 0.5 });
    // A packet of the future, one not sent yet, and a delay longer than the packet's age.
    script.receive(Report { echo: 256, receive_rate: 1, p: 0.5 });
    script.receive(Report { echo: 251, receive_rate: 1, p: 0.5 });
    let mut delayed = Report { echo: 200, receive_rate: 1, p: 0.5 }.feedback();
    delayed.delay = 55_001;
    script.sender.handle_feedback(script.now, &delayed);
    let stats = script.sender.stats();
    assert_eq!((stats.feedbacks, stats.stale, stats.implausible), (2, 2, 3));
    let after = (script.sender.allowed_rate().to_bits(), script.sender.next_timeout());
    assert_eq!(before, after);
    // A delay of one microsecond less than the packet's age is possible.
    delayed.delay = 54_999;
    script.sender.handle_feedback(script.now, &delayed);
    assert_eq!(script.sender.stats().feedbacks, 3);
}

#[test]
fn numbers_wrap_on_the_wire() {
    let sender = SenderConfig { initial_seq: 65_534, ..config(Profile::Rfc5348) };
    let mut script = Script::new(sender);
    script.until(0);
    script.report(100, 0, 0.0);
    let numbers: Vec<_> = script.until(175).iter().map(|packet| packet.1).collect();
    assert_eq!(numbers, [65_535, 0, 1, 2]);
}

/// A sender that a control law limits below the allowed rate counts as data-limited.
///
/// Verifies: [RFC5348 §8.2.1]
#[test]
fn another_layers_limit_makes_the_sender_data_limited() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(0);
    script.report(100, 0, 0.0);
    script.report(400, 1_000_000, 0.01);
    // 80 kb/s of payload: a packet every 100 ms.
    script.sender.set_rate_limit(ms(400), Some(DataRate::from_kbps(80)));
    for (at, limited) in [(500, 0), (600, 1), (700, 2), (800, 3)] {
        // Packets up to 400 ms were delayed by the equation only.
        assert_eq!(script.report(at, 10_000, 0.01), 1);
        assert_eq!(script.sender.stats().limited_feedbacks, limited, "at {at} ms");
    }
    // The receive rate from before the limit still counts.
    script.allows(equation(0.01));
    assert!((script.sender.pacing_rate() - 10_000.0).abs() < 1e-9);
    script.sender.set_rate_limit(ms(800), None);
    assert!((script.sender.pacing_rate() - script.sender.allowed_rate()).abs() < 1e-9);
}

#[test]
fn a_closed_sender_is_silent_and_may_open_again() {
    let mut script = Script::new(config(Profile::Rfc5348));
    script.until(0);
    script.report(100, 0, 0.0);
    script.sender.close(ms(100));
    assert_eq!((script.sender.next_timeout(), script.drain()), (None, vec![]));
    script.receive(Report { echo: 0, receive_rate: 1, p: 0.5 });
    script.sender.open(ms(100));
    script.allows(1_000.0);
    assert_eq!(script.drain(), [(100_000, 1)]);
    // A report about the previous flow.
    script.receive(Report { echo: 0, receive_rate: 1, p: 0.5 });
    assert_eq!(script.sender.stats().implausible, 1);
}
