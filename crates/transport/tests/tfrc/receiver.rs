//! Scripted tests of the TFRC receiver. The sender's R is 100 ms; packets have 1000 octets and take 50 ms.

use airfair_laws::tfrc::{Equation, throughput};
use airfair_transport::tfrc::{
    Data, Feedback, Profile, Receiver, ReceiverConfig, ReceiverEvent, Reports,
};
use airfair_units::{DataRate, Duration, Time};

use crate::path::ms;

fn data(seq: u16, arrives: u64) -> Data {
    Data {
        ssrc: 1,
        seq,
        media_time: 0,
        is_frame_end: true,
        sent_at: u32::try_from(arrives * 1_000).expect("a short script").wrapping_sub(50_000),
        rtt: 100_000,
        payload: 1_000,
    }
}

struct Script {
    receiver: Receiver,
    now: Time,
}

impl Script {
    fn new(profile: Profile) -> Self {
        Self { receiver: Receiver::new(ReceiverConfig::new(profile)), now: Time::ZERO }
    }

    /// Lets the feedback timer expire up to `at`. Returns the reports with their times [ms].
    fn until(&mut self, at: u64) -> Vec<(u64, Feedback)> {
        let mut reports = Vec::new();
        while let Some(timer) = self.receiver.next_timeout().filter(|&timer| timer <= ms(at)) {
            self.receiver.handle_timeout(timer - Duration::from_nanos(1));
            assert_eq!(self.receiver.next_timeout(), Some(timer), "a spurious time-out is a no-op");
            self.now = timer;
            self.receiver.handle_timeout(timer);
            reports.extend(self.drain());
        }
        self.now = ms(at);
        reports
    }

    fn drain(&mut self) -> Vec<(u64, Feedback)> {
        let at = self.now.as_nanos() / 1_000_000;
        std::iter::from_fn(|| self.receiver.poll_transmit(self.now))
            .map(|report| (at, report))
            .collect()
    }

    /// Lets packets arrive, by number and time. Returns all reports up to the last of them.
    fn receive(&mut self, arrivals: impl IntoIterator<Item = (u16, u64)>) -> Vec<(u64, Feedback)> {
        let mut reports = Vec::new();
        for (seq, at) in arrivals {
            reports.extend(self.until(at));
            self.receiver.handle_data(self.now, &data(seq, at));
            reports.extend(self.drain());
        }
        reports
    }
}

fn times(reports: &[(u64, Feedback)]) -> Vec<u64> {
    reports.iter().map(|report| report.0).collect()
}

/// Numbers and times of `packets` packets, one every 20 ms from number 0, without those in `lost`.
fn stream(lost: &[u16], packets: u16) -> impl Iterator<Item = (u16, u64)> {
    (0..packets).filter(|seq| !lost.contains(seq)).map(|seq| (seq, 20 * u64::from(seq)))
}

/// The first packet is reported at once, and the following ones once per round trip.
///
/// Verifies: [RFC5348 §6.1 and §6.2]
#[test]
fn the_first_packet_is_reported_at_once_and_then_each_round_trip() {
    let mut script = Script::new(Profile::Rfc5348);
    let reports = script.receive(stream(&[], 18));
    assert_eq!(times(&reports), [0, 100, 200, 300]);
    let first = Feedback {
        reporter: 2,
        ssrc: 1,
        sent_at: 0u32.wrapping_sub(50_000),
        delay: 0,
        receive_rate: 0,
        loss_event_rate: 0,
    };
    assert_eq!(reports[0].1, first);
    // The timer expires before the packet of 100 ms: 20, 40, 60 and 80 arrived, the last one 20 ms ago.
    let second = Feedback { sent_at: 30_000, delay: 20_000, receive_rate: 40_000, ..first };
    assert_eq!(reports[1].1, second);
    assert_eq!(reports[2].1, Feedback { sent_at: 130_000, receive_rate: 50_000, ..second });
}

/// While no packet arrives no report is sent; the next packet is then reported at once.
///
/// Verifies: [RFC5348 §6.1]
#[test]
fn without_data_no_report_and_then_one_with_the_next_packet() {
    let mut script = Script::new(Profile::Rfc5348);
    script.receive(stream(&[], 3));
    // 20 and 40 are reported at 100; nothing arrived until 200.
    assert_eq!(times(&script.until(10_000)), [100]);
    assert_eq!(script.receiver.next_timeout(), None);
    let reports = script.receive([(3, 10_000)]);
    assert_eq!(times(&reports), [10_000]);
    // 1000 octets in 9.9 s.
    assert_eq!(reports[0].1.receive_rate, 101);
    assert_eq!(script.receiver.next_timeout(), Some(ms(10_100)));
}

/// While the sender has no round-trip estimate, the receiver reports every packet.
///
/// Verifies: [RFC5348 §6.3]
#[test]
fn a_sender_without_round_trip_gets_a_report_per_packet() {
    let mut script = Script::new(Profile::Rfc5348);
    for seq in 0..3 {
        script.until(1_000 * u64::from(seq));
        let packet = Data { rtt: 0, ..data(seq, 1_000 * u64::from(seq)) };
        script.receiver.handle_data(script.now, &packet);
        assert_eq!(script.drain().len(), 1);
        assert_eq!(script.receiver.next_timeout(), None);
    }
}

/// The first loss is reported at once, with the p at which the equation yields the receive rate.
///
/// Packet 31 is lost; packet 34, the third one after it, reveals that at 680 ms. In the last 100 ms the 4
/// packets of 600 (30), 640, 660 and 680 ms arrived, since 580 is R ago; the reports before were of 5 per
/// 100 ms.
///
/// Verifies: [RFC5348 §5.1, §6.1 and §6.3.1], [RFC3448 §6.3.1]
#[test]
fn the_first_loss_is_reported_at_once_with_the_p_of_the_receive_rate() {
    for (profile, target) in [(Profile::Rfc5348, 50_000.0), (Profile::Rfc3448, 40_000.0)] {
        let mut script = Script::new(profile);
        let reports = script.receive(stream(&[31], 35));
        let (at, report) = *reports.last().unwrap();
        assert_eq!(at, 680);
        let p = report.loss_event_fraction();
        let x = throughput(&Equation::default(), 1_000.0, 0.1, p);
        assert!((x - target).abs() < 1.0, "{profile:?}: {x}");
        // X_recv also covers the last round trip, because the report of 600 is more recent than that.
        assert_eq!(report.receive_rate, 40_000);
        assert_eq!(script.receiver.poll_event(), Some(ReceiverEvent::LossEvent));
        assert_eq!(script.receiver.poll_event(), None);
        // The next report is a round trip later.
        assert_eq!(script.receiver.next_timeout(), Some(ms(780)));
    }
}

/// RFC 5348 counts the newest packet in the current loss interval, RFC 3448 does not.
///
/// The current interval has `S_C - S_A + 1` packets in RFC 5348, one less in RFC 3448. Eight intervals of 10
/// precede it.
///
/// Verifies: [RFC5348 §5.3 and §5.4], [RFC3448 §5.4]
#[test]
fn the_current_interval_counts_the_newest_packet() {
    for (profile, more) in [(Profile::Rfc5348, 1.0), (Profile::Rfc3448, 0.0)] {
        let lost: Vec<u16> = (0..10).map(|i| 31 + 10 * i).collect();
        let mut script = Script::new(profile);
        let reports = script.receive(stream(&lost, 170));
        let (at, report) = reports.last().unwrap();
        // One packet every 20 ms; the last loss is 121; the timer expires before a packet of the same time.
        let newest = u16::try_from((at - 1) / 20).unwrap();
        let current = f64::from(newest - 121) + more;
        assert!(current > 40.0);
        // DF = 2·10/current, at least 0.25; weights 1, and 1, 1, 1, 0.8, 0.6, 0.4, 0.2 times DF.
        let discount = f64::max(20.0 / current, 0.25);
        let expected = (1.0 + 5.0 * discount) / (current + 50.0 * discount);
        let p = report.loss_event_fraction();
        assert!((p / expected - 1.0).abs() < 1e-3, "{profile:?}: {p}, not {expected}");
    }
}

/// A loss interval lasts from the first lost packet of one loss event to that of the next.
///
/// Verifies: [RFC5348 §5.3 and §5.4]
#[test]
fn intervals_are_counted_from_first_loss_to_first_loss() {
    let mut script = Script::new(Profile::Rfc5348);
    // Events at 31, 50 and 80; 52 is lost within a round trip of 50, but 56 is not (50 is at 1000 ms, 56 at
    // 1120).
    let reports = script.receive(stream(&[31, 50, 52, 56, 80], 84));
    let stats = script.receiver.stats();
    assert_eq!((stats.lost, stats.loss_events), (5, 4));
    // The first interval I follows from the rate of 40 000; then 19, 6, 24 and now 83 − 80 = 3
    let first = 1.0 / reports.iter().find(|(at, _)| *at == 680).unwrap().1.loss_event_fraction();
    let p = script.receiver.loss_event_rate();
    let mean = (24.0 + 6.0 + 19.0 + first) / 4.0;
    assert!((1.0 / p - mean).abs() < 1e-6, "{} {mean}", 1.0 / p);
}

/// The receiver sends one report at once per loss event, and none for further losses of that event.
///
/// Verifies: [RFC5348 §6.1 steps 3 and 4]
#[test]
fn one_report_per_loss_event() {
    let mut script = Script::new(Profile::Rfc5348);
    let reports = script.receive(stream(&[31, 32, 34], 50));
    // 31 and 32 are revealed by 36 (33, 35, 36): 720; 34 by 37, and belongs to the same event.
    assert_eq!(times(&reports[8..]), [720, 820, 920]);
    assert_eq!(script.receiver.stats().loss_events, 1);
}

/// Packets reordered by less than three, and duplicates, are no losses; a packet that arrives after it
/// counted as lost stays lost.
///
/// Verifies: [RFC5348 §5.1]
#[test]
fn reordering_below_three_and_copies_are_no_loss() {
    let mut script = Script::new(Profile::Rfc5348);
    script.receive([(0, 0), (2, 20), (3, 30), (1, 40), (1, 41), (3, 42), (4, 50), (4, 51)]);
    let stats = script.receiver.stats();
    let counted = (stats.packets_received, stats.reordered, stats.copies, stats.lost);
    assert_eq!(counted, (5, 1, 3, 0));
    // A packet that counts as lost arrives: it stays lost.
    script.receive([(6, 60), (7, 70), (8, 80), (5, 90)]);
    let stats = script.receiver.stats();
    let counted = (stats.packets_received, stats.late, stats.copies, stats.lost);
    assert_eq!(counted, (8, 1, 3, 1));
}

/// A loss event that does not raise p is not reported at once, except by ns-2's receiver.
///
/// Verifies: [RFC5348 §6.1 steps 3 and 4]
#[test]
fn a_loss_after_a_long_time_is_reported_at_once_by_ns2_only() {
    // Events every 10 packets to 131, and one 103 later. When packet 237 reveals it at 4740 ms, the last
    // report has counted 102 packets since the previous event, so p falls a little.
    let mut lost: Vec<u16> = (31..=131).step_by(10).collect();
    lost.push(234);
    for (reports, is_reported) in [(Reports::EachRoundTrip, false), (Reports::OnArrival, true)] {
        let config = ReceiverConfig { reports, ..ReceiverConfig::new(Profile::Rfc5348) };
        let mut script = Script { receiver: Receiver::new(config), now: Time::ZERO };
        let reports = script.receive(stream(&lost, 238));
        assert_eq!(script.receiver.stats().loss_events, 12);
        assert_eq!(times(&reports).contains(&4_740), is_reported, "{reports:?}");
    }
}

/// A report echoes the packet with the highest number, even if another one arrived later.
#[test]
fn reordering_does_not_turn_the_echo_back() {
    let mut script = Script::new(Profile::Rfc5348);
    script.receive([(0, 0), (2, 50), (1, 60)]);
    let reports = script.until(100);
    assert_eq!((reports[0].1.sent_at, reports[0].1.delay), (0, 50_000));
}

/// A loss across the wrap of the sequence numbers is one packet.
#[test]
fn numbers_wrap() {
    let mut script = Script::new(Profile::Rfc5348);
    script.receive([(65_534, 0), (65_535, 20), (1, 60), (2, 80), (3, 100)]);
    let stats = script.receiver.stats();
    assert_eq!((stats.packets_received, stats.lost, stats.loss_events), (5, 1, 1));
}

/// ns-2's receiver reports when packets arrive, and takes a packet as lost as soon as a later one arrives.
///
/// Verifies: ns-2.35 `tcp/tfrc-sink.cc`, `recv` and `nextpkt`
#[test]
fn ns2_reports_with_arrivals_and_infers_loss_from_one_packet() {
    let mut script = Script::new(Profile::Ns2);
    let reports = script.receive(stream(&[], 12));
    // The packet of 100 ms is the first one a round trip later, and is included.
    assert_eq!(times(&reports), [0, 100, 200]);
    assert_eq!(reports[1].1.receive_rate, 50_000);
    // A round trip and a half after 200, the packet of 220 is reported.
    assert_eq!(times(&script.until(1_000)), [350]);
    let reports = script.receive([(12, 1_000)]);
    assert_eq!(times(&reports), [1_000]);
    // 13 is lost, which 14 reveals.
    let reports = script.receive([(14, 1_020)]);
    assert_eq!(times(&reports), [1_020]);
    assert_eq!(script.receiver.stats().loss_events, 1);
}

/// The time of a loss follows from the arrivals in RFC 5348, and from the send timestamps in ns-2.
///
/// Verifies: [RFC5348 §5.2], ns-2.35 `tcp/tfrc-sink.cc`, `estimate_tstamp`
#[test]
fn a_loss_has_the_time_of_arrivals_or_of_sending() {
    // 2 and 5 are lost. The packets are sent 20 ms apart and arrive with a delay of 300 ms between 3 and 4.
    let arrivals = [(0, 0), (1, 20), (3, 60), (4, 380), (6, 420), (7, 440), (8, 460)];
    for (profile, events) in [(Profile::Rfc5348, 2), (Profile::Ns2, 1)] {
        let mut receiver = Receiver::new(ReceiverConfig::new(profile));
        for (seq, at) in arrivals {
            let sent_at = 20_000 * u32::from(seq);
            receiver.handle_data(ms(at), &Data { sent_at, ..data(seq, at) });
        }
        assert_eq!(receiver.stats().loss_events, events, "{profile:?}");
    }
}

/// A receiver with a rate limit reports half of the limit instead of the receive rate.
///
/// 1000 octets every 20 ms are 50 000 octets/s. A limit of 160 kb/s is 20 000 octets/s, half of which is in
/// reports. The receive rate is still measured, for when the limit ends.
///
/// Verifies: [occupancy-tfrc §III-D]
#[test]
fn a_limited_receiver_reports_half_of_its_limit() {
    let mut script = Script::new(Profile::Rfc5348);
    assert_eq!(script.receiver.round_trip(), None);
    script.receive(stream(&[], 20));
    assert_eq!(script.receiver.round_trip(), Some(Duration::from_millis(100)));
    let rates = |reports: Vec<(u64, Feedback)>| -> Vec<u32> {
        reports.iter().map(|(_, report)| report.receive_rate).collect()
    };
    script.receiver.set_rate_limit(Some(DataRate::from_kbps(160)));
    let limited = rates(script.receive(stream(&[], 40).skip(20)));
    assert!(!limited.is_empty() && limited.iter().all(|rate| *rate == 10_000), "{limited:?}");
    script.receiver.set_rate_limit(None);
    let free = rates(script.receive(stream(&[], 60).skip(40)));
    assert!(!free.is_empty() && free.iter().all(|rate| *rate == 50_000), "{free:?}");
}
