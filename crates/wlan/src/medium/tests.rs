use airfair_units::{Bytes, Duration, Probability};
use rand_core::{Rng, SeedableRng};

use super::*;
use crate::QueueConfig;
use crate::cell::{Cell, Departure};
use crate::config::{Rules, StationConfig};
use crate::edca::{AccessParameters, Attempts};
use crate::errors::ErrorModel;
use crate::frame::Msdu;
use crate::phy::{Preamble, Standard, TxVector};
use crate::sizes::DATA_OVERHEAD;

const US: fn(Time) -> u64 = |at| at.as_nanos() / 1_000;
/// Size of a PSDU. In 802.11b with the long preamble, 192 µs, it lasts 1117.1 → 1118 µs at 11 Mb/s, and 12 288 µs at 1
/// Mb/s.
const SIZE: Bytes = Bytes::new(1_536);

fn config(rates: &[u64]) -> CellConfig {
    let rules = Rules::of(Standard::B);
    let station = |mbps: &u64| StationConfig {
        standard: Standard::B,
        link: None,
        rate_up: DataRate::from_mbps(*mbps).into(),
        rate_down: DataRate::from_mbps(*mbps).into(),
        adaptation: [None; 2],
        queue: QueueConfig::fifo(500),
        access: AccessParameters::default(),
        categories: Vec::new(),
        senses_only: Vec::new(),
        hidden_from: Vec::new(),
        errors: ErrorModel::None,
    };
    CellConfig {
        rules,
        ap_queue: QueueConfig::fifo(500),
        ap_access: AccessParameters::default(),
        ap_categories: Vec::new(),
        stations: rates.iter().map(station).collect(),
        foreign: Vec::new(),
    }
}

fn streams(count: usize) -> Vec<Stream> {
    (0..count).map(|member| Stream::seed_from_u64(member as u64)).collect()
}

fn medium(config: &CellConfig) -> Medium<u32> {
    Medium::new(config, streams(config.stations.len() + 1), streams(config.stations.len()))
}

fn stage(mbps: u64, attempts: u8) -> Stage {
    let tx = TxVector::of(DataRate::from_mbps(mbps), Preamble::Long).expect("a rate");
    Stage { tx, attempts, rts: false }
}

fn job(tag: u32, to: Addressee, stages: &[Stage]) -> Job<u32> {
    let mut chain = [None; STAGES];
    chain.iter_mut().zip(stages).for_each(|(place, stage)| *place = Some(*stage));
    Job { tag, to, psdu: SIZE, chain, is_urgent: false }
}

/// Events that the medium reports to the MACs until none is left, each with its time.
fn run(medium: &mut Medium<u32>) -> Vec<(Time, News<u32>)> {
    let mut told = Vec::new();
    while medium.next_event() < Moment::NEVER {
        let next = medium.next_event();
        medium.handle_event(next.at(), next.phase());
        told.extend(std::iter::from_fn(|| medium.poll_news()).map(|news| (next.at(), news)));
    }
    told
}

fn done(told: &[(Time, News<u32>)]) -> Vec<(u64, Done<u32>)> {
    let done = |(at, news): &(Time, News<u32>)| match news {
        News::Done(done) => Some((US(*at), *done)),
        News::Received { .. } => None,
    };
    told.iter().filter_map(done).collect()
}

/// A frame arrives at 1360 µs, after a DIFS and its own duration, and its ACK at 1618 µs. DIFS 50, frame 192 + 1118,
/// SIFS 10, ACK at 2 Mb/s 192 + 56.
///
/// Verifies: [80211-2020 §10.3.2]
#[test]
fn a_frame_takes_a_difs_its_airtime_a_sifs_and_an_ack() {
    let mut medium = medium(&config(&[11]));
    let (ap, station) = (NodeId::AP, NodeId::station(0));
    medium
        .enqueue(Time::ZERO, station, job(7, Addressee::One(ap), &[stage(11, 3)]))
        .expect("room in the queue");
    let told = run(&mut medium);
    let tx = stage(11, 3).tx;
    let received = News::Received { tag: 7, by: ap, tx, again: false };
    assert_eq!((US(told[0].0), told[0].1), (1_360, received));
    let airtime = Duration::from_micros(1_310 + 248);
    let attempts = [1, 0, 0, 0];
    let expected = Done { tag: 7, from: station, attempts, acknowledged: true, airtime };
    assert_eq!(done(&told), [(1_618, expected)]);
}

/// A frame without a response is sent in all stages of its retry chain, and then given up. Two attempts at 11 Mb/s and
/// one at 1 Mb/s: 2 · 1310 + 192 + 12 288 µs on the air.
#[test]
fn a_frame_that_nobody_answers_goes_through_its_chain() {
    let mut medium = medium(&config(&[11]));
    let chain = [stage(11, 2), stage(1, 1)];
    let lost = job(1, Addressee::Unknown, &chain);
    medium.enqueue(Time::ZERO, NodeId::station(0), lost).expect("room in the queue");
    let told = done(&run(&mut medium));
    let (_, Done { attempts, acknowledged, airtime, .. }) = told[0];
    assert_eq!((attempts, acknowledged), ([2, 1, 0, 0], false));
    assert_eq!(airtime, Duration::from_micros(2 * 1_310 + 192 + 12_288));
}

#[test]
fn a_station_is_reached_at_its_ceiling_and_not_above() {
    let mut medium = medium(&config(&[1]));
    medium.set_ceiling(NodeId::station(0), Direction::Up, DataRate::from_mbps(2));
    let chain = [stage(11, 2), stage(2, 2), stage(1, 1)];
    for (from, to) in [(NodeId::AP, NodeId::station(0)), (NodeId::station(0), NodeId::AP)] {
        medium.enqueue(Time::ZERO, from, job(1, Addressee::One(to), &chain)).expect("room");
    }
    let mut told = done(&run(&mut medium));
    told.sort_by_key(|(_, done)| done.from);
    let down = told[0].1;
    // A collision would cost a further attempt; these seeds have none.
    assert_eq!((down.attempts, down.acknowledged), ([2, 2, 1, 0], true));
    assert_eq!((told[1].1.attempts, told[1].1.acknowledged), ([2, 1, 0, 0], true));
}

#[test]
fn a_frame_for_all_comes_once_to_each_whose_link_has_no_error() {
    let mut config = config(&[11, 11, 11]);
    config.stations[1].errors = ErrorModel::Bernoulli(Probability::ONE);
    let mut medium = medium(&config);
    medium
        .enqueue(Time::ZERO, NodeId::AP, job(3, Addressee::All, &[stage(1, 5)]))
        .expect("room in the queue");
    let told = run(&mut medium);
    let by = |(_, news): &(Time, News<u32>)| match news {
        News::Received { by, .. } => Some(*by),
        News::Done(_) => None,
    };
    let received: Vec<NodeId> = told.iter().filter_map(by).collect();
    assert_eq!(received, [NodeId::station(0), NodeId::station(2)]);
    // DIFS 50 + 192 + 12 288
    assert_eq!((done(&told)[0].0, done(&told)[0].1.attempts), (12_530, [1, 0, 0, 0]));
}

/// In a g cell with a b station, CTS-to-self precedes OFDM frames, also those to all members and those that nobody
/// answers: CTS at 11 Mb/s 192 + 112/11 → 203 µs, and 1536 octets at 54 Mb/s 20 + 57·4 + 6 = 254 µs. The frame to all
/// comes to the g station alone, since the b station recognises no OFDM.
///
/// Verifies: [80211-2020 §10.3.2.14]
#[test]
fn a_cts_to_self_precedes_ofdm_frames_to_all_and_to_nobody() {
    let mut config = config(&[54, 11]);
    config.rules =
        Rules { basic_rates: Standard::G.default_basic_rates(true), ..Rules::of(Standard::G) };
    config.stations[0].standard = Standard::G;
    let mut medium = medium(&config);
    let chain = [stage(54, 1)];
    for (tag, to) in [(1, Addressee::Unknown), (2, Addressee::All)] {
        medium.enqueue(Time::ZERO, NodeId::AP, job(tag, to, &chain)).expect("room in the queue");
    }
    let told = run(&mut medium);
    let airtimes: Vec<u64> =
        done(&told).iter().map(|(_, done)| done.airtime.as_nanos() / 1_000).collect();
    assert_eq!(airtimes, [203 + 254; 2]);
    let received = |(_, news): &(Time, News<u32>)| match news {
        News::Received { tag, by, .. } => Some((*tag, *by)),
        News::Done(_) => None,
    };
    let received: Vec<_> = told.iter().filter_map(received).collect();
    assert_eq!(received, [(2, NodeId::station(0))]);
}

/// RTS has no addressee that could answer it for a frame to all: 192 + 12 288 µs of data alone.
#[test]
fn no_rts_precedes_a_frame_to_all() {
    let mut config = config(&[11]);
    config.rules.rts_threshold = Some(Bytes::ZERO);
    let mut medium = medium(&config);
    medium
        .enqueue(Time::ZERO, NodeId::AP, job(1, Addressee::All, &[stage(1, 1)]))
        .expect("room in the queue");
    let (_, Done { airtime, .. }) = done(&run(&mut medium))[0];
    assert_eq!(airtime, Duration::from_micros(192 + 12_288));
}

/// Two stations that are hidden from each other send frames to all at the same time. Of the other two stations, each
/// hears one of the senders. Noise destroys every frame of the first one: only the second one's frame is received. If
/// noise destroys the frames of both, none is.
#[test]
fn frames_to_all_that_end_together_have_errors_of_their_own() {
    let [first, second, near_second, near_first] = [0, 1, 2, 3].map(NodeId::station);
    let mut config = config(&[11; 4]);
    config.stations[0].errors = ErrorModel::Bernoulli(Probability::ONE);
    let hidden = [(first, second), (first, near_second), (second, near_first)];
    for (index, station) in config.stations.iter_mut().enumerate() {
        let own = NodeId::station(index);
        let of = |(one, other): &(NodeId, NodeId)| match own {
            _ if own == *one => Some(*other),
            _ if own == *other => Some(*one),
            _ => None,
        };
        station.hidden_from = hidden.iter().filter_map(of).collect();
        station.hidden_from.sort_unstable();
    }
    let received = |config: &CellConfig| received_by_all(config, [first, second]);
    assert_eq!(received(&config), [(2, near_second)]);
    config.stations[1].errors = ErrorModel::Bernoulli(Probability::ONE);
    assert_eq!(received(&config), []);
}

/// Tags and receivers of frames to all that these two members send at once.
fn received_by_all(config: &CellConfig, [first, second]: [NodeId; 2]) -> Vec<(u32, NodeId)> {
    let mut medium = medium(config);
    for (tag, from) in [(1, first), (2, second)] {
        medium
            .enqueue(Time::ZERO, from, job(tag, Addressee::All, &[stage(11, 1)]))
            .expect("room in the queue");
    }
    let received = |(_, news): (Time, News<u32>)| match news {
        News::Received { tag, by, .. } => Some((tag, by)),
        News::Done(_) => None,
    };
    run(&mut medium).into_iter().filter_map(received).collect()
}

/// Between two attempts, a frame has begun, and a beacon waits until it is done.
#[test]
fn a_beacon_waits_for_all_attempts_of_a_frame() {
    let mut medium = medium(&config(&[11]));
    let frame = job(1, Addressee::Unknown, &[stage(11, 2)]);
    medium.enqueue(Time::ZERO, NodeId::AP, frame).expect("room in the queue");
    // The frame starts, ends, and is not answered.
    for _ in 0..3 {
        let next = medium.next_event();
        medium.handle_event(next.at(), next.phase());
    }
    let now = Time::from_nanos(50_000 + 1_310_000) + medium.airtime().response_timeout();
    let beacon = Job { is_urgent: true, ..job(9, Addressee::All, &[stage(1, 1)]) };
    medium.enqueue(now, NodeId::AP, beacon).expect("room in the queue");
    let order: Vec<u32> = done(&run(&mut medium)).iter().map(|(_, done)| done.tag).collect();
    assert_eq!(order, [1, 9]);
}

#[test]
fn a_beacon_goes_before_what_waits_and_behind_what_has_begun() {
    let mut medium = medium(&config(&[11]));
    let frame = |tag| job(tag, Addressee::Unknown, &[stage(11, 2)]);
    for tag in [1, 2] {
        medium.enqueue(Time::ZERO, NodeId::AP, frame(tag)).expect("room in the queue");
    }
    let next = medium.next_event();
    medium.handle_event(next.at(), next.phase());
    let beacon = Job { is_urgent: true, ..job(9, Addressee::All, &[stage(1, 1)]) };
    medium.enqueue(next.at(), NodeId::AP, beacon).expect("room in the queue");
    let order: Vec<u32> = done(&run(&mut medium)).iter().map(|(_, done)| done.tag).collect();
    assert_eq!(order, [1, 9, 2]);
}

#[test]
fn a_full_queue_and_an_empty_chain_are_refused() {
    let mut config = config(&[11]);
    config.ap_queue = QueueConfig::fifo(1);
    let mut medium = medium(&config);
    let good = job(1, Addressee::All, &[stage(1, 1)]);
    assert_eq!(
        medium.enqueue(Time::ZERO, NodeId::AP, job(0, Addressee::All, &[])).map_err(|it| it.tag),
        Err(0)
    );
    assert!(medium.enqueue(Time::ZERO, NodeId::AP, good).is_ok());
    assert_eq!(
        medium.enqueue(Time::ZERO, NodeId::AP, Job { tag: 2, ..good }).map_err(|it| it.tag),
        Err(2)
    );
    assert_eq!(medium.next_event().at(), Time::from_nanos(50_000));
}

/// Time, transmitter and tag of each frame of a cell that is done.
fn run_cell(mut cell: Cell<u32>) -> Vec<(Time, NodeId, u32)> {
    let (mut ends, mut departures, mut deliveries) = (Vec::new(), Vec::new(), Vec::new());
    while cell.next_event() < Moment::NEVER {
        let next = cell.next_event();
        cell.handle_event(next.at(), next.phase());
        cell.take_departures(&mut departures);
        let left = departures.drain(..);
        ends.extend(left.map(|Departure { msdu, .. }| (next.at(), msdu.from, msdu.payload)));
        cell.take_deliveries(&mut deliveries);
        deliveries.clear();
    }
    ends
}

/// [`Medium`] alone, to which each frame is given with a retry chain of seven attempts at one rate, finishes the same
/// frames at the same times as a whole [`Cell`] with the same fixed rates, seven attempts and back-offs: plain, with
/// RTS, with hidden stations, and with a g station among b stations, which have larger windows.
#[test]
fn frames_are_done_when_they_are_in_a_cell_of_the_same_rates() {
    let mut plain = config(&[11, 1, 2]);
    plain.stations[2].errors = ErrorModel::Bernoulli(Probability::literal(0.3));
    plain.rules.attempts = Attempts::Max(7);
    let (mut with_rts, mut hidden) = (plain.clone(), plain.clone());
    with_rts.rules.rts_threshold = Some(Bytes::ZERO);
    hidden.stations[0].hidden_from = vec![NodeId::station(1)];
    hidden.stations[1].hidden_from = vec![NodeId::station(0)];
    let mut mixed = plain.clone();
    mixed.rules.standard = Standard::G;
    mixed.rules.basic_rates = Standard::G.default_basic_rates(true);
    mixed.stations[0].standard = Standard::G;
    mixed.stations[0].rate_up = DataRate::from_mbps(54).into();
    for config in [plain, with_rts, hidden, mixed] {
        let mut cell: Cell<u32> = Cell::new(&config, streams(4), streams(3));
        let mut medium = medium(&config);
        for tag in 0..100 {
            for (id, station) in (0..).map(NodeId::station).zip(&config.stations) {
                let size = SIZE - DATA_OVERHEAD;
                let msdu = Msdu { payload: tag, size, from: id, to: NodeId::AP };
                cell.enqueue(Time::ZERO, msdu.as_ref()).expect("room in the queue");
                let tx = TxVector::of(station.rate_up.data_rate(), Preamble::Long);
                let stage = Stage { tx: tx.expect("a rate"), attempts: 7, rts: false };
                let job = job(tag, Addressee::One(NodeId::AP), &[stage]);
                medium.enqueue(Time::ZERO, id, job).expect("room in the queue");
            }
        }
        let told = run(&mut medium);
        let end = |(at, news): &(Time, News<u32>)| match news {
            News::Done(done) => Some((*at, done.from, done.tag)),
            News::Received { .. } => None,
        };
        let found: Vec<_> = told.iter().filter_map(end).collect();
        assert_eq!((found.len(), found), (300, run_cell(cell)));
    }
}

/// A back-off follows a frame that is given up, even if `post_backoff` is false: the packet that comes 1 µs after the
/// drop is done when it is in a [`Cell`].
///
/// Verifies: [80211-2020 §10.3.4.3]
#[test]
fn a_frame_that_is_given_up_is_followed_by_a_back_off_in_any_case() {
    let mut config = config(&[11]);
    config.stations[0].errors = ErrorModel::Bernoulli(Probability::ONE);
    config.rules.attempts = Attempts::Max(1);
    config.rules.post_backoff = false;
    let id = NodeId::station(0);
    let mut ends = Vec::new();
    for seed in 0..4 {
        let of_members = [0, 1].map(|member| Stream::seed_from_u64(8 * seed + member)).to_vec();
        let mut medium: Medium<u32> = Medium::new(&config, of_members.clone(), streams(1));
        let mut cell: Cell<u32> = Cell::new(&config, of_members, streams(1));
        let (mut at, mut told, mut left) = (Time::ZERO, Vec::new(), Vec::new());
        for tag in 0..2 {
            let frame = job(tag, Addressee::One(NodeId::AP), &[stage(11, 1)]);
            medium.enqueue(at, id, frame).expect("room in the queue");
            let size = SIZE - DATA_OVERHEAD;
            let msdu = Msdu { payload: tag, size, from: id, to: NodeId::AP };
            cell.enqueue(at, msdu.as_ref()).expect("room in the queue");
            while left.len() <= tag as usize {
                let next = cell.next_event();
                cell.handle_event(next.at(), next.phase());
                let mut departures = Vec::new();
                cell.take_departures(&mut departures);
                left.extend(departures.iter().map(|_| next.at()));
            }
            while done(&told).len() <= tag as usize {
                let next = medium.next_event();
                medium.handle_event(next.at(), next.phase());
                told.extend(std::iter::from_fn(|| medium.poll_news()).map(|it| (next.at(), it)));
            }
            at = left[tag as usize] + Duration::from_micros(1);
        }
        let found: Vec<u64> = done(&told).iter().map(|(at, _)| *at).collect();
        assert_eq!(found, left.iter().map(|at| US(*at)).collect::<Vec<_>>(), "seed {seed}");
        ends.push(found[1]);
    }
    ends.dedup();
    assert!(ends.len() > 1, "each seed draws the same back-off: {ends:?}");
}

/// Each frame is done once, after attempts of its retry chain only, if any member sends to any other, to all, and to an
/// unknown address, with hidden stations, RTS and errors.
#[test]
fn each_frame_is_done_once_within_its_chain_whoever_sends_to_whom() {
    for seed in 0..40 {
        let mut draws = Stream::seed_from_u64(seed);
        let mut below = |end: u32| draws.next_u32() % end;
        let mut config = config(&[11, 2, 11]);
        if below(2) == 0 {
            config.stations[0].hidden_from = vec![NodeId::station(1)];
            config.stations[1].hidden_from = vec![NodeId::station(0)];
        }
        if below(2) == 0 {
            config.stations[2].errors = ErrorModel::Bernoulli(Probability::literal(0.2));
        }
        let mut medium = medium(&config);
        let (mut chains, mut told, mut at) = (Vec::new(), Vec::new(), Time::ZERO);
        for tag in 0..200 {
            let member = |of: u32| NodeId(u16::try_from(of).expect("a small number"));
            let from = member(below(4));
            let to = match below(6) {
                0 => Addressee::All,
                1 => Addressee::Unknown,
                it if it - 2 == u32::from(from.0) => Addressee::All,
                it => Addressee::One(member(it - 2)),
            };
            let mut any = || {
                let attempts = u8::try_from(1 + below(3)).expect("a small number");
                let stage = stage([1, 2, 11][below(3) as usize], attempts);
                Stage { rts: below(4) == 0, ..stage }
            };
            let job = job(tag, to, &[any(), any()]);
            chains.push(job.chain);
            medium.enqueue(at, from, job).expect("room in the queue");
            at += Duration::from_micros(u64::from(below(2_000)));
            while medium.next_event().at() <= at {
                let next = medium.next_event();
                medium.handle_event(next.at(), next.phase());
                told.extend(std::iter::from_fn(|| medium.poll_news()).map(|it| (next.at(), it)));
            }
        }
        told.extend(run(&mut medium));
        let done = done(&told);
        let mut tags: Vec<u32> = done.iter().map(|(_, done)| done.tag).collect();
        tags.sort_unstable();
        assert_eq!(tags, (0..200).collect::<Vec<_>>(), "seed {seed}");
        for (_, Done { tag, attempts, .. }) in done {
            let chain = chains[tag as usize];
            let most =
                |(used, stage): (&u8, &Option<Stage>)| *used <= stage.map_or(0, |it| it.attempts);
            assert!(attempts[0] > 0 && attempts.iter().zip(&chain).all(most), "seed {seed}");
        }
    }
}
