use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use rand_core::SeedableRng;

use super::*;
use crate::air::access::AccessState;
use crate::config::{CellConfig, Rules, StationConfig};
use crate::edca::{AccessParameters, Attempts};
use crate::frame::{Frame, Msdu, Ppdu};
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::phy::Standard;
use crate::queue::config::{AirtimeSharing, Discipline};
use crate::queue::headers::Headers;
use crate::random::Stream;
use crate::record::{Record, SentFrame};
use crate::{ErrorModel, QueueConfig};

/// A cell with an access point and stations at 11 Mb/s. The first station cannot decode the frames of the members in
/// `noise`.
pub(super) fn cell(rules: Rules, stations: usize, noise: &[NodeId]) -> Cell<()> {
    with(&config(rules, stations, noise))
}

pub(crate) fn config(rules: Rules, stations: usize, noise: &[NodeId]) -> CellConfig {
    let rate = DataRate::from_mbps(11);
    let station = |index| StationConfig {
        standard: rules.standard,
        link: None,
        rate_up: rate.into(),
        rate_down: rate.into(),
        adaptation: [None; 2],
        queue: QueueConfig::fifo(9),
        access: AccessParameters::default(),
        categories: Vec::new(),
        senses_only: if index == 0 { noise.to_vec() } else { Vec::new() },
        hidden_from: Vec::new(),
        errors: ErrorModel::None,
    };
    let stations: Vec<_> = (0..stations).map(station).collect();
    let ap_access = AccessParameters::default();
    CellConfig {
        rules,
        ap_queue: QueueConfig::fifo(9),
        ap_access,
        ap_categories: Vec::new(),
        stations,
        foreign: Vec::new(),
    }
}

pub(super) fn with<P: Copy + Headers>(config: &CellConfig) -> Cell<P> {
    Cell::new(config, streams(config.stations.len() + 1), streams(config.stations.len()))
}

fn with_relation(config: &CellConfig) -> Cell<()> {
    Cell::with_relation(config, streams(config.stations.len() + 1), streams(config.stations.len()))
}

fn streams(count: usize) -> Vec<Stream> {
    (0..count).map(|member| Stream::seed_from_u64(member as u64)).collect()
}

pub(super) fn down() -> Msdu<()> {
    Msdu { payload: (), size: Bytes::new(972), from: NodeId::AP, to: NodeId::station(0) }
}

/// Name of the state of the access point's channel access.
fn state(cell: &Cell<()>) -> &'static str {
    match cell.air.accesses[0].state {
        AccessState::Idle => "Idle",
        AccessState::Contending => "Contending",
        AccessState::Exchange(_) => "Exchange",
    }
}

pub(super) fn next(cell: &mut Cell<()>) {
    let next = cell.next_event();
    assert!(next < Moment::NEVER, "something is due");
    cell.handle_event(next.at(), next.phase());
}

/// A cell whose access point has just started an exchange, with `waiting` further packets in its queue. If `deaf`, the
/// station cannot decode the access point's frames.
fn in_exchange(attempts: u16, rts: bool, deaf: bool, waiting: usize) -> Cell<()> {
    let rts_threshold = rts.then_some(Bytes::ZERO);
    let attempts = Attempts::Max(attempts);
    let rules = Rules { rts_threshold, attempts, ..Rules::of(Standard::B) };
    let mut cell = cell(rules, 1, if deaf { &[NodeId::AP] } else { &[] });
    for _ in 0..=waiting {
        cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
    }
    next(&mut cell);
    cell
}

/// The access point is idle while only bulk for a station that is held waits, and seeks access once it is not held.
#[test]
fn the_access_point_seeks_access_when_a_station_is_no_longer_held() {
    let mut config = config(Rules::of(Standard::B), 1, &[]);
    config.ap_queue.discipline = Discipline::Airtime(AirtimeSharing::default());
    let mut cell = with(&config);
    cell.hold(Time::ZERO, NodeId::station(0), true);
    // The first packet is in service at once; three of 972 octets are bulk.
    (0..4).for_each(|_| _ = cell.enqueue(Time::ZERO, down().as_ref()));
    while cell.next_event() < Moment::NEVER {
        next(&mut cell);
    }
    assert_eq!((state(&cell), cell.mac.queues[0].len()), ("Idle", 3));
    cell.hold(Time::from_nanos(10_000_000), NodeId::station(0), false);
    assert_eq!(state(&cell), "Contending");
}

/// Each input moves the access point's channel access to the state that the diagram of [`AccessState`] shows. A call without
/// a due event changes nothing.
///
/// Verifies: [80211-2020 §10.3.4]
#[test]
fn access_follows_its_diagram() {
    let mut table = Vec::new();
    let mut row = |mut cell: Cell<()>, input: &str, act: &dyn Fn(&mut Cell<()>)| {
        let before = state(&cell);
        act(&mut cell);
        table.push(format!("{before} · {input} → {}", state(&cell)));
    };
    let idle = || cell(Rules::of(Standard::B), 1, &[]);
    let contending = || {
        let mut cell = idle();
        cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
        cell
    };
    // A TXOP with room for any number of frames.
    let in_txop = |waiting| {
        let mut cell = in_exchange(9, false, false, waiting);
        cell.air.accesses[0].limits.txop = Duration::from_millis(50);
        cell
    };
    let packet = |cell: &mut Cell<()>| _ = cell.enqueue(Time::ZERO, down().as_ref());
    // The data frame or RTS ends; then the response comes, or the time-out.
    let response = |cell: &mut Cell<()>| (0..2).for_each(|_| next(cell));
    let timeout = |cell: &mut Cell<()>| (0..2).for_each(|_| next(cell));
    row(idle(), "packet", &packet);
    row(contending(), "packet", &packet);
    row(contending(), "due", &next);
    row(in_exchange(9, false, false, 0), "packet", &packet);
    row(in_exchange(9, true, false, 0), "CTS", &response);
    row(in_exchange(9, false, false, 0), "ACK", &response);
    row(in_exchange(9, false, false, 1), "ACK, more to send", &response);
    row(in_txop(0), "ACK, TXOP", &response);
    row(in_txop(1), "ACK, TXOP, more to send", &response);
    row(in_exchange(9, false, true, 0), "no ACK", &timeout);
    row(in_exchange(9, true, true, 0), "no CTS", &timeout);
    row(in_exchange(1, false, true, 0), "no ACK, last attempt", &timeout);
    row(in_exchange(1, false, true, 1), "no ACK, last attempt, more to send", &timeout);
    // The first access is due at 50 µs at the earliest, so no event is due at 49 µs.
    let spurious = |cell: &mut Cell<()>| {
        for phase in [Phase::End, Phase::Timeout, Phase::Start] {
            cell.handle_event(Time::from_nanos(49_000), phase);
        }
    };
    row(idle(), "spurious", &spurious);
    row(contending(), "spurious", &spurious);
    row(in_exchange(9, false, false, 0), "spurious", &spurious);
    let expected = "\
Idle · packet → Contending
Contending · packet → Contending
Contending · due → Exchange
Exchange · packet → Exchange
Exchange · CTS → Exchange
Exchange · ACK → Idle
Exchange · ACK, more to send → Contending
Exchange · ACK, TXOP → Idle
Exchange · ACK, TXOP, more to send → Exchange
Exchange · no ACK → Contending
Exchange · no CTS → Contending
Exchange · no ACK, last attempt → Idle
Exchange · no ACK, last attempt, more to send → Contending
Idle · spurious → Idle
Contending · spurious → Contending
Exchange · spurious → Exchange";
    assert_eq!(table.join("\n"), expected);
}

/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn a_cts_sets_the_nav_of_those_who_did_not_decode_the_rts() {
    let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
    let (listener, sender) = (NodeId::station(0), NodeId::station(1));
    let mut cell = cell(rules, 2, &[sender]);
    cell.enqueue(Time::ZERO, Msdu { from: sender, to: NodeId::AP, ..down() }.as_ref())
        .expect("room in the queue");
    // RTS 50 … 322, CTS 332 … 580, then SIFS 10, data 920, SIFS 10, ACK 248: until 1768 µs.
    let mut nav_is_clear = |steps: usize, us: u64| {
        (0..steps).for_each(|_| next(&mut cell));
        cell.air.contention.nav_is_clear(listener, Time::from_nanos(us * 1000))
    };
    assert!(nav_is_clear(2, 322));
    assert!(!nav_is_clear(2, 1767) && nav_is_clear(0, 1768));
}

/// Number of groups, contenders and exchanges that a saturated cell inspects one by one for each data frame [tenths].
/// Contenders that wait in a heap are not inspected one by one, and do not count.
fn entries_per_frame(stations: usize, may_change: bool) -> usize {
    const FRAMES: usize = 4_000;
    let rules = Rules { attempts: Attempts::Unlimited, ..Rules::of(Standard::B) };
    let config = config(rules, stations, &[]);
    let mut cell = if may_change { with_relation(&config) } else { with(&config) };
    let up = |from| Msdu { payload: (), size: Bytes::new(972), from, to: NodeId::AP };
    (0..stations).for_each(|i| _ = cell.enqueue(Time::ZERO, up(NodeId::station(i)).as_ref()));
    let (mut frames, mut entries, mut departures) = (0, 0, Vec::new());
    // Windows first grow to fit the number of stations.
    while frames < 2 * FRAMES {
        let now = cell.next_event().at();
        next(&mut cell);
        if frames >= FRAMES {
            entries += cell.air.contention.looked_at();
            entries += cell.air.open_exchanges();
        }
        cell.take_departures(&mut departures);
        for Departure { msdu, .. } in departures.drain(..) {
            let from = msdu.from;
            cell.enqueue(now, up(from).as_ref()).expect("room in the queue");
        }
        for record in cell.drain_records() {
            frames += usize::from(matches!(record, Record::Sent { frame: SentFrame::Data, .. }));
        }
    }
    entries * 10 / FRAMES
}

#[test]
fn a_thousand_stations_cost_no_more_than_three_times_what_ten_cost() {
    let (few, many) = (entries_per_frame(10, false), entries_per_frame(1000, false));
    assert!(many <= 3 * few, "{many} tenths of an entry per frame against {few}");
}

/// While all members decode each other, contenders stay in their groups, which share one count of back-off slots, even
/// in a cell in which it may change who decodes whom. For each frame, the cell inspects at most twice as many groups,
/// contenders and exchanges one by one as in a cell in which it cannot change.
#[test]
fn where_all_decode_each_other_few_are_looked_at_even_if_that_may_change() {
    let (for_good, now) = (entries_per_frame(100, false), entries_per_frame(100, true));
    assert!(now <= 2 * for_good, "{now} tenths of an entry per frame against {for_good}");
}

/// A monitor reports RTS, CTS, data and ACK of two exchanges with size, rate, start, duration, duration field, sequence
/// number and retry flag.
///
/// Long preamble 192 µs; data of 1000 octets at 11 Mb/s 728 µs; RTS, CTS and ACK at 2 Mb/s 80 and 56 µs; SIFS 10.
///
/// Verifies: [80211-2020 §9.2]
#[test]
fn a_monitor_sees_every_frame_with_what_it_carries() {
    let rules = Rules { rts_threshold: Some(Bytes::ZERO), ..Rules::of(Standard::B) };
    let mut cell = cell(rules, 1, &[]);
    cell.monitor();
    for _ in 0..2 {
        cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
    }
    while cell.next_event() < Moment::NEVER {
        next(&mut cell);
    }
    let us = |time: u64| time / 1_000;
    let line = |ppdu: Ppdu<()>| {
        let Frame { kind, psdu, duration, duration_field, tx, .. } = ppdu.frame;
        let carried: Vec<_> = ppdu.mpdus.iter().map(|mpdu| (mpdu.sequence, mpdu.retry)).collect();
        assert_eq!(ppdu.end, ppdu.start + duration);
        let (duration, rest) = (us(duration.as_nanos()), us(duration_field.as_nanos()));
        format!("{kind:?} {psdu} at {} {duration} {rest} {carried:?}", tx.rate())
    };
    let seen: Vec<String> =
        std::iter::from_fn(|| cell.poll_monitored()).map(|it| line(it.ppdu)).collect();
    let exchange = |sequence| {
        [
            "Rts 20 B at 2 Mb/s 272 1446 []".to_owned(),
            "Cts 14 B at 2 Mb/s 248 1188 []".to_owned(),
            format!("Data 1000 B at 11 Mb/s 920 258 [({sequence}, false)]"),
            "Ack 14 B at 2 Mb/s 248 0 []".to_owned(),
        ]
    };
    assert_eq!(seen, [exchange(0), exchange(1)].concat());
}

/// A monitor that begins in the middle of an exchange changes no record: the frame on the air goes on as a PPDU, and its
/// errors are drawn once.
#[test]
fn a_monitor_may_begin_at_any_event() {
    let records = |monitor_at: usize| {
        let mut cell = cell(Rules::of(Standard::B), 2, &[]);
        let noise = ErrorModel::Bernoulli(Probability::literal(0.3));
        cell.set_errors(NodeId::station(0), noise, Stream::seed_from_u64(1));
        for _ in 0..9 {
            cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
        }
        let mut events = 0;
        while cell.next_event() < Moment::NEVER {
            if events == monitor_at {
                cell.monitor();
            }
            next(&mut cell);
            events += 1;
        }
        cell.drain_records().collect::<Vec<Record>>()
    };
    let plain = records(usize::MAX);
    assert!(plain.iter().any(|record| matches!(record, Record::Errored { .. })));
    for monitor_at in 0..12 {
        assert_eq!(records(monitor_at), plain, "a monitor from event {monitor_at} on");
    }
}

/// A frame that any of its receivers has decoded counts as received, even if noise has destroyed it for the others. A
/// frame that none has decoded is collided, or errored, or was missed if nothing disturbed it.
#[test]
fn a_frame_has_one_fate() {
    let mut cell = cell(Rules::of(Standard::B), 1, &[]);
    cell.monitor();
    cell.enqueue(Time::ZERO, down().as_ref()).expect("room in the queue");
    while cell.next_event() < Moment::NEVER {
        next(&mut cell);
    }
    let mut data = cell.poll_monitored().expect("the data frame");
    let station = data.receivers.clone();
    let mut outcome = |collided, errored, receivers: &[NodeId]| {
        (data.ppdu.collided, data.ppdu.errored) = (collided, errored);
        data.receivers = receivers.to_vec();
        data.outcome()
    };
    assert_eq!(station, [NodeId(1)]);
    assert_eq!(outcome(false, false, &station), FrameOutcome::Received);
    assert_eq!(outcome(false, true, &station), FrameOutcome::Received);
    assert_eq!(outcome(false, true, &[]), FrameOutcome::Errored);
    assert_eq!(outcome(true, true, &[]), FrameOutcome::Collided);
    assert_eq!(outcome(false, false, &[]), FrameOutcome::Missed);
}
