//! Traces, compared with the records of the same run.

use airfair_sim::metrics::Fingerprint;
use airfair_sim::packet::Packet;
use airfair_sim::random::Streams;
use airfair_sim::record::Record;
use airfair_sim::recorder::Recorder;
use airfair_sim::run::{Control, simulate};
use airfair_sim::trace::{ChannelAccess, Trace};
use airfair_units::{Duration, Time};
use airfair_wlan::{AirUse, FrameKind, NodeId, Ppdu, Record as CellRecord};
use proptest::prelude::*;

use crate::common::parse;
use crate::conservation::random_scenario;

/// Recorder that keeps the frames of a run twice for comparison: as its cell's records tell of them, and as its trace
/// does.
#[derive(Debug, Default)]
struct Frames {
    sent: Vec<(NodeId, bool, bool)>,
    collided: u64,
    traced: Vec<Ppdu<Packet>>,
    access: Vec<(Time, NodeId, ChannelAccess)>,
    windows: u64,
    /// Time with frames on the air, according to the cell's records.
    busy: Duration,
}

impl Recorder for Frames {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, record: &Record) {
        match *record {
            Record::Cell(_, CellRecord::Sent { node, retry, collided, .. }) => {
                self.sent.push((node, retry, collided));
                self.collided += u64::from(collided);
            }
            Record::Cell(_, CellRecord::Air { from, to, usage })
                if !matches!(usage, AirUse::Contention | AirUse::Idle) =>
            {
                self.busy += to - from;
            }
            _ => {}
        }
    }

    fn trace(&mut self, now: Time, trace: Trace<'_>) {
        match trace {
            Trace::Frame(_, monitored) => {
                assert_eq!(monitored.ppdu.end, now);
                self.traced.push(monitored.ppdu.clone());
            }
            Trace::Access(member, access) => self.access.push((now, member.node, access)),
            Trace::Window(..) => self.windows += 1,
            _ => {}
        }
    }
}

const TEXT: &str = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11b\"\nrts_threshold = \"600 B\"\n\
    [station.near]\n[station.far]\nerrors = { model = \"bernoulli\", probability = 0.2 }\n[host.h]\n\
    [flow.up]\nfrom = \"near\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n\
    [flow.down]\nfrom = \"h\"\nto = \"far\"\ntransport = { kind = \"udp\", payload = \"400 B\", rate = \"2 Mb/s\" }\n";

#[test]
fn the_trace_has_every_frame_once_with_its_times_and_its_packets() {
    let run = simulate(&parse(TEXT), Streams::new(1, 0), Frames::default(), &Control::default());
    let Frames { sent, collided, traced, windows, .. } = run.expect("nobody cancels").recorder;
    let told = |ppdu: &Ppdu<Packet>| (ppdu.frame.from, ppdu.frame.retry, ppdu.collided);
    assert_eq!(traced.iter().map(told).collect::<Vec<_>>(), sent);
    assert!(collided > 0 && traced.len() > 1_000 && windows > 10);
    for ppdu in &traced {
        assert_eq!(ppdu.end - ppdu.start, ppdu.frame.duration);
        let is_data = ppdu.frame.kind == FrameKind::Data;
        assert_eq!(ppdu.mpdus.len(), usize::from(is_data));
        for mpdu in &ppdu.mpdus {
            let packet = mpdu.msdu.payload;
            assert_eq!(mpdu.size(ppdu.frame.tx), ppdu.frame.psdu);
            assert!(packet.flow.0 < 2 && packet.sent_at <= ppdu.start);
        }
    }
    // Between frames that did not collide there is at least a SIFS.
    let alone: Vec<_> = traced.iter().filter(|ppdu| !ppdu.collided).collect();
    let sifs = Duration::from_micros(10);
    assert!(alone.windows(2).all(|pair| pair[0].end + sifs <= pair[1].start));
}

#[test]
fn a_trace_moves_no_record() {
    let streams = Streams::new(1, 0);
    let plain = simulate(&parse(TEXT), streams, Fingerprint::default(), &Control::default());
    let both = (Fingerprint::default(), Frames::default());
    let traced = simulate(&parse(TEXT), streams, both, &Control::default());
    let (plain, traced) = (plain.expect("a run"), traced.expect("a run"));
    let (fingerprint, frames) = traced.recorder;
    assert_eq!(plain.recorder.get(), fingerprint.get());
    assert!(!frames.sent.is_empty() && frames.traced.len() == frames.sent.len());
}

/// The first frame of each exchange starts when the last traced countdown of its transmitter is over, `slots` slots
/// after `from`. If the medium became busy during a countdown, the transmitter defers, and the next countdown has at
/// most as many slots as were left.
#[test]
fn every_exchange_starts_when_the_countdown_before_it_is_over() {
    let scenarios = [
        (include_str!("../../../../scenarios/saturated-cell.toml"), 9),
        (include_str!("../../../../scenarios/hidden-stations.toml"), 9),
        (include_str!("../../../../scenarios/walking-away.toml"), 9),
        (include_str!("../../../../scenarios/b-station-in-a-g-cell.toml"), 20),
        (TEXT, 20),
    ];
    for (text, slot) in scenarios {
        let mut scenario = parse(text);
        scenario.duration = scenario.duration.min(Duration::from_secs(3));
        scenario.warmup = Duration::ZERO;
        let slot = Duration::from_micros(slot);
        let run = simulate(&scenario, Streams::new(1, 0), Frames::default(), &Control::default());
        let Frames { access, traced, .. } = run.expect("nobody cancels").recorder;
        let mut last = vec![(Time::ZERO, ChannelAccess::Resting); scenario.stations.len() + 1];
        let mut starts = Vec::new();
        for &(now, node, next) in &access {
            let (since, before) = std::mem::replace(&mut last[node.index()], (now, next));
            assert!(since <= now && before != next);
            match (before, next) {
                (ChannelAccess::CountingDown { from, slots }, ChannelAccess::InExchange) => {
                    assert_eq!(now, from + slot * slots, "{}", scenario.title);
                    starts.push((now, node));
                }
                (
                    ChannelAccess::CountingDown { from, slots: before },
                    ChannelAccess::Deferring { slots: left },
                ) if before > 0 => {
                    let passed = now.saturating_since(from).whole_steps(slot);
                    assert_eq!(before - left, passed, "{} at {now}", scenario.title);
                }
                _ => {}
            }
        }
        let is_start = |ppdu: &&Ppdu<Packet>| starts.contains(&(ppdu.start, ppdu.frame.from));
        assert!(starts.len() > 100, "{} exchanges of {}", starts.len(), scenario.title);
        let kinds = [FrameKind::Data, FrameKind::Rts, FrameKind::CtsToSelf];
        let told = traced.iter().filter(is_start).map(|ppdu| ppdu.frame.kind);
        assert!(told.into_iter().all(|kind| kinds.contains(&kind)));
        // One may still be on the air when the run ends.
        assert!(traced.iter().filter(is_start).count() + 4 >= starts.len());
    }
}

/// A member that has received a data frame answers the frame after a SIFS, and no other member does.
#[test]
fn a_frame_that_was_received_is_answered_and_no_other_is() {
    #[derive(Default)]
    struct Answers(Vec<(NodeId, bool, Time)>, Vec<(NodeId, Time)>, u64);
    impl Recorder for Answers {
        const TRACES: bool = true;
        fn record(&mut self, _now: Time, _record: &Record) {}
        fn trace(&mut self, now: Time, trace: Trace<'_>) {
            let Trace::Frame(_, monitored) = trace else { return };
            let frame = &monitored.ppdu.frame;
            match frame.kind {
                FrameKind::Data => {
                    let to = frame.to.expect("a receiver");
                    self.0.push((to, monitored.receivers == [to], now));
                }
                FrameKind::Ack => self.1.push((frame.from, monitored.ppdu.start)),
                _ => {}
            }
            self.2 += u64::from(monitored.signal.is_some());
        }
    }
    let texts =
        [(include_str!("../../../../scenarios/hidden-stations.toml"), 16, true), (TEXT, 10, false)];
    for (text, sifs, has_radio) in texts {
        let mut scenario = parse(text);
        scenario.duration = scenario.duration.min(Duration::from_secs(2));
        scenario.warmup = Duration::ZERO;
        let run = simulate(&scenario, Streams::new(1, 0), Answers::default(), &Control::default());
        let Answers(data, acks, signals) = run.expect("nobody cancels").recorder;
        let sifs = Duration::from_micros(sifs);
        let received = data.iter().filter(|(_, received, _)| *received);
        let due: Vec<_> = received.map(|(to, _, end)| (*to, *end + sifs)).collect();
        assert!(data.len() > due.len(), "some are lost");
        assert!(due[..acks.len()] == acks, "{}", scenario.title);
        assert!(due.len() <= acks.len() + 1);
        assert_eq!(has_radio, signals > 0);
    }
}

/// Time in which at least one of the traced frames is on the air.
fn on_air(traced: &[Ppdu<Packet>]) -> Duration {
    let mut spans: Vec<(Time, Time)> = traced.iter().map(|ppdu| (ppdu.start, ppdu.end)).collect();
    spans.sort_unstable();
    let (mut sum, mut until) = (Duration::ZERO, Time::ZERO);
    for (start, end) in spans {
        sum += end.saturating_since(start.max(until));
        until = until.max(end);
    }
    sum
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(40))]

    /// Frames, retries and collisions of a trace are those of the records. The time on the air is that of the records,
    /// except for frames that the end of the run cuts off, each of at most 20 ms. The records are those of a run
    /// without a trace.
    #[test]
    fn a_trace_agrees_with_the_records_whatever_the_cell(text in random_scenario(), seed in 0u64..1_000) {
        let scenario = parse(&text);
        let streams = Streams::new(seed, 0);
        let plain = simulate(&scenario, streams, Fingerprint::default(), &Control::default());
        let both = (Fingerprint::default(), Frames::default());
        let traced = simulate(&scenario, streams, both, &Control::default());
        let (fingerprint, frames) = traced.expect("nobody cancels").recorder;
        prop_assert_eq!(plain.expect("nobody cancels").recorder.get(), fingerprint.get());
        let told = |ppdu: &Ppdu<Packet>| (ppdu.frame.from, ppdu.frame.retry, ppdu.collided);
        prop_assert!(frames.traced.iter().map(told).eq(frames.sent));
        let on_air = on_air(&frames.traced);
        prop_assert!(on_air <= frames.busy && frames.busy <= on_air + Duration::from_millis(20));
        let slot = Duration::from_micros(20);
        let mut last = vec![ChannelAccess::Resting; scenario.stations.len() + 1];
        for (now, node, next) in frames.access {
            let before = std::mem::replace(&mut last[node.index()], next);
            if let (ChannelAccess::CountingDown { from, slots }, ChannelAccess::InExchange) = (before, next) {
                prop_assert_eq!(now, from + slot * slots);
            }
        }
    }
}
