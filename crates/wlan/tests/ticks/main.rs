//! Tests of the cell against a model that advances microsecond by microsecond.

mod aggregates;
mod categories;
mod laws;
mod model;
mod multi_user;
mod neighbours;
mod scripts;

use std::iter::Peekable;
use std::slice::Iter;

use airfair_units::{Bytes, Duration, Probability, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::{Band, GuardInterval, Rate, Standard, Width};
use airfair_wlan::{
    AccessParameters, AfterCollision, AirUse, Attempts, Audibility, Beacon, Cell, CellConfig,
    Channel, Eifs, Elements, ErrorModel, FrameKind, Headers, LinkCapabilities, Listen, Msdu,
    Neighbourhood, NodeId, Overheard, QueueConfig, Record, Rules, SentFrame, StationConfig,
};
use proptest::prelude::*;

use model::{
    Announced, Arrival, CellMember, Change, Happens, Heard, Model, Sent, access_stream, class,
    error_stream, run_all, stream,
};

/// Payload of a packet: its access category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Packet(AccessCategory);

impl Headers for Packet {
    fn category(&self) -> AccessCategory {
        self.0
    }
}

/// Source of a cell's knowledge of which members sense and decode each other.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Way {
    /// Which members hear each other is constant for the whole run. Members that hear the same frames then count slots
    /// as a group, and an exchange that all members sense is handled as a whole.
    Fixed,
    /// Which members hear each other may change during the run. Members that wait equally long then count slots as a
    /// group, and an exchange is handled frame by frame, because the audibility of the next frame is not known yet.
    Changing,
}

impl Way {
    /// Cell with this index among those on the channel.
    fn cell(self, index: usize, config: &CellConfig) -> Cell<Packet> {
        let members = config.stations.len();
        let streams = (0..=members).map(|it| stream(index, it)).collect();
        let links = (0..members).map(|it| error_stream(index, it)).collect();
        let mut cell = match self {
            Self::Fixed => Cell::new(config, streams, links),
            Self::Changing => Cell::with_relation(config, streams, links),
        };
        cell.access_at_random((0..members).map(|it| access_stream(index, it)).collect());
        cell
    }
}

/// Listeners to the frames of the tested cell, which decide whether PPDUs are constructed.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Audience {
    /// Cell in which every member listens to the frames that it sends or decodes, and a monitor to all frames, so that
    /// the cell cannot skip the construction of a PPDU.
    Monitor,
    /// Every member listens to the frames that it sends or decodes. PPDUs of an exchange that nothing can disturb are
    /// left out.
    Listeners,
    /// No listeners.
    Nobody,
}

/// Cells on one channel, and what happens to each of them.
struct Street<'a> {
    cells: Vec<(&'a CellConfig, Happens<'a>)>,
    /// Relation between the cells, if one of them hears another.
    neighbourhood: Option<Neighbourhood>,
}

impl<'a> Street<'a> {
    /// A cell alone on its channel.
    fn alone(config: &'a CellConfig, happens: Happens<'a>) -> Self {
        Self { cells: vec![(config, happens)], neighbourhood: None }
    }

    /// The cells at the start of a run.
    fn build(&self, way: Way, audience: Audience) -> Vec<Cell<Packet>> {
        let build = |(index, (config, happens)): (usize, &(&CellConfig, Happens<'_>))| {
            let mut cell = way.cell(index, config);
            aggregates::agree(&mut cell, happens.agreed);
            if self.neighbourhood.as_ref().is_some_and(|it| it.is_coupled(index)) {
                cell.share();
            }
            if audience == Audience::Monitor {
                cell.monitor();
            }
            if audience != Audience::Nobody {
                (0..=config.stations.len()).for_each(|member| {
                    cell.listen(NodeId(u16::try_from(member).expect("few stations")), Listen::Own);
                });
            }
            cell
        };
        self.cells.iter().enumerate().map(build).collect()
    }
}

/// Packets, beacons and changes of audibility in a cell that are still to come.
struct Coming<'a> {
    arrivals: Peekable<Iter<'a, Arrival>>,
    changes: Peekable<Iter<'a, Change>>,
    beacons: Peekable<Iter<'a, Announced>>,
}

impl<'a> Coming<'a> {
    fn new(happens: Happens<'a>) -> Self {
        let Happens { arrivals, changes, beacons, .. } = happens;
        let (arrivals, changes) = (arrivals.iter().peekable(), changes.iter().peekable());
        Self { arrivals, changes, beacons: beacons.iter().peekable() }
    }

    /// Time [µs] of the next packet or beacon.
    fn at(&mut self) -> Option<u64> {
        let arrival = self.arrivals.peek().map(|arrival| arrival.at);
        let beacon = self.beacons.peek().map(|beacon| beacon.at);
        arrival.into_iter().chain(beacon).min()
    }

    /// Hands a packet or a beacon to the cell that comes at `at` [µs]. A packet comes before a beacon.
    fn hand_to(&mut self, cell: &mut Cell<Packet>, at: u64) {
        if let Some(arrival) = self.arrivals.next_if(|arrival| arrival.at == at) {
            let Arrival { from, to, size, category, .. } = *arrival;
            let payload = Packet(category);
            // A packet that finds the queue full is recorded.
            let _ = cell.enqueue(time(at), Msdu { payload: &payload, size, from, to });
        } else if let Some(beacon) = self.beacons.next() {
            let beacon = Beacon { psdu: beacon.psdu, elements: Elements::default() };
            cell.send_beacon(time(at), beacon);
        }
    }
}

fn time(us: u64) -> Time {
    Time::from_nanos(us * 1000)
}

/// Runs cells until `until` [µs]. `take` gets the records, with the indices of their cells.
fn drive(
    street: &Street<'_>,
    (way, audience, until): (Way, Audience, u64),
    mut take: impl FnMut(usize, Time, Record),
) -> Vec<Cell<Packet>> {
    let mut neighbourhood = street.neighbourhood.clone();
    let mut cells = street.build(way, audience);
    let mut coming: Vec<Coming<'_>> =
        street.cells.iter().map(|(_, happens)| Coming::new(*happens)).collect();
    loop {
        let next = |(index, cell): (usize, &Cell<Packet>)| (cell.next_event(), index);
        let (event, cell) = cells.iter().enumerate().map(next).min().expect("a cell");
        let input = |(index, it): (usize, &mut Coming<'_>)| Some((it.at()?, index));
        let input = coming.iter_mut().enumerate().filter_map(input).min();
        let input = input.filter(|(at, _)| time(*at) <= event.at());
        let now = input.map_or(event.at(), |(at, _)| time(at)).min(time(until));
        if now < time(until) {
            for (cell, coming) in cells.iter_mut().zip(&mut coming) {
                while let Some(Change { listener, from, audibility, .. }) =
                    coming.changes.next_if(|change| time(change.at) <= now)
                {
                    cell.set_audibility(*listener, *from, *audibility);
                }
            }
            if let Some((at, cell)) = input {
                coming[cell].hand_to(&mut cells[cell], at);
            } else {
                let mut due = Some(cell);
                while let Some(cell) = due {
                    cells[cell].handle_event(now, event.phase());
                    let all = neighbourhood.as_mut();
                    due = all.and_then(|it| it.after(&mut cells, (cell, event)));
                }
            }
        } else {
            for cell in &mut cells {
                cell.flush(now);
            }
        }
        for (index, cell) in cells.iter_mut().enumerate() {
            cell.drain_records().for_each(|record| take(index, now, record));
        }
        if now == time(until) {
            return cells;
        }
    }
}

/// Frames that a cell without listeners sends until `until` [µs].
fn measure(config: &CellConfig, arrivals: &[Arrival], until: u64) -> Vec<Sent> {
    let happens = Happens { agreed: &[], arrivals, changes: &[], beacons: &[] };
    let street = Street::alone(config, happens);
    measure_as(&street, (Way::Fixed, Audience::Nobody, until)).remove(0).sent
}

/// All frames that listeners have received.
fn overheard(cell: &Cell<Packet>) -> impl Iterator<Item = Overheard<'_, Packet>> {
    (0..).map_while(|place| cell.overheard(place))
}

/// Frames of a cell, and the time [µs] for which its access point has sensed frames of other cells: alone, and together
/// with frames of the cell.
#[derive(Default)]
struct Measured {
    sent: Vec<Sent>,
    heard: Vec<Heard>,
    foreign_air: [u64; 2],
}

fn measure_as(street: &Street<'_>, way: (Way, Audience, u64)) -> Vec<Measured> {
    let mut all: Vec<Measured> = street.cells.iter().map(|_| Measured::default()).collect();
    let us = |now: Time| now.as_nanos() / 1000;
    let cells = drive(street, way, |cell, now, record| match record {
        Record::Sent { node, frame, collided, .. } => {
            let kinds = [SentFrame::Data, SentFrame::Rts, SentFrame::Response, SentFrame::Beacon];
            let kind = kinds.iter().position(|kind| *kind == frame).expect("a kind");
            let kind = u8::try_from(kind).expect("four kinds");
            all[cell].sent.push((us(now), node.0, kind, collided));
        }
        Record::Air { from, to, usage: AirUse::Neighbour { .. } } => {
            all[cell].foreign_air[0] += us(to) - us(from);
        }
        Record::Air { from, to, usage: AirUse::Overlap } => {
            all[cell].foreign_air[1] += us(to) - us(from);
        }
        _ => {}
    });
    for (cell, measured) in cells.iter().zip(&mut all) {
        let is_told =
            |it: &Overheard<'_, _>| it.kind() == FrameKind::Beacon || it.backoff.is_some();
        for it in overheard(cell).filter(is_told) {
            let backoff = it.backoff.map(|backoff| backoff.as_nanos() / 1000);
            measured.heard.push((us(it.end()), it.listener.0, class(it.kind()), backoff));
        }
    }
    all
}

fn compare(config: &CellConfig, (arrivals, beacons): (&[Arrival], &[Announced]), way: Way) {
    compare_changing(config, Happens { agreed: &[], arrivals, changes: &[], beacons }, way);
}

fn compare_changing(config: &CellConfig, happens: Happens<'_>, way: Way) {
    compare_street(&Street::alone(config, happens), |_, _| false, way);
}

/// Compares cells on one channel with their models. `hears` is the relation between members of different cells.
fn compare_street(street: &Street<'_>, hears: impl Fn(CellMember, CellMember) -> bool, way: Way) {
    let last = |happens: &Happens<'_>| happens.arrivals.last().map_or(0, |arrival| arrival.at);
    let until = street.cells.iter().map(|(_, it)| last(it)).max().unwrap_or(0) + 60_000;
    let all = street.cells.iter().enumerate();
    let model = all.map(|(index, (config, it))| Model::new((index, *config), it.agreed, until));
    let mut models: Vec<Model<'_>> = model.collect();
    let happens: Vec<Happens<'_>> = street.cells.iter().map(|(_, happens)| *happens).collect();
    run_all(&mut models, &happens, hears);
    for audience in [Audience::Monitor, Audience::Listeners, Audience::Nobody] {
        let all = measure_as(street, (way, audience, until));
        for (index, (measured, model)) in all.into_iter().zip(&models).enumerate() {
            let is_known = |at: u64| at < until;
            differ((street, index), (measured.sent, model.sent.clone()), |it| is_known(it.0));
            if audience != Audience::Nobody {
                differ((street, index), (measured.heard, model.heard.clone()), |it| is_known(it.0));
            }
            let air = (vec![measured.foreign_air], vec![model.foreign_air]);
            differ((street, index), air, |_| true);
        }
    }
}

/// Fails if the list measured in the cell with this index differs from the list expected by the model, as far as
/// `is_known` is true.
fn differ<T: Copy + Ord + std::fmt::Debug>(
    (street, index): (&Street<'_>, usize),
    (measured, expected): (Vec<T>, Vec<T>),
    is_known: impl Fn(&T) -> bool,
) {
    let known = |list: Vec<T>| {
        let mut list: Vec<T> = list.into_iter().filter(|it| is_known(it)).collect();
        // Frames that end at the same instant are in no particular order.
        list.sort_unstable();
        list
    };
    let (measured, expected) = (known(measured), known(expected));
    let differs = measured.iter().zip(&expected).position(|(a, b)| a != b);
    let place = differs.unwrap_or(measured.len().min(expected.len()));
    let near = |list: &[T]| list[place.saturating_sub(4)..list.len().min(place + 3)].to_vec();
    assert!(
        measured == expected,
        "frame {place} of cell {index}:\nmeasured {:?}\nexpected {:?}\n{:?}",
        near(&measured),
        near(&expected),
        street.cells
    );
}

/// Beacons now and then, or none; a new one may replace one that still waits. Header, time stamp, interval,
/// capabilities and FCS are 40 octets.
fn beacons() -> impl Strategy<Value = Vec<Announced>> {
    let pause = prop_oneof![Just(0u64), 1u64..400, 0u64..6_000, 0u64..40_000];
    let some = prop::collection::vec((pause, 40u64..400), 1..20).prop_map(|list| {
        let mut at = 0;
        let announce = |(pause, psdu)| {
            at += pause;
            Announced { at, psdu: Bytes::new(psdu) }
        };
        list.into_iter().map(announce).collect()
    });
    prop_oneof![1 => Just(Vec::new()), 4 => some]
}

/// Packets in bursts and apart, so that queues fill and empty, and packets arrive in every state of the channel.
fn arrivals(members: usize) -> impl Strategy<Value = Vec<Arrival>> {
    let pause = prop_oneof![Just(0u64), 1u64..400, 0u64..6_000];
    let arrival = (pause, 0..members, prop::bool::ANY, 1u64..1_500);
    prop::collection::vec(arrival, 1..40).prop_map(|list| {
        let mut at = 0;
        let arrive = |(pause, station, down, size)| {
            at += pause;
            let station = NodeId::station(station);
            let (from, to) = if down { (NodeId::AP, station) } else { (station, NodeId::AP) };
            let category = AccessCategory::default();
            Arrival { at, from, to, size: Bytes::new(size), category }
        };
        list.into_iter().map(arrive).collect()
    })
}

/// Standards in their bands, with modes whose durations are whole microseconds: HE and EHT have their longest guard interval.
fn channels(standards: &'static [Standard]) -> impl Strategy<Value = (Standard, Channel)> {
    let in_bands = |it: Standard| it.bands().iter().map(move |band| (it, *band));
    let all: Vec<(Standard, Band)> = standards.iter().copied().flat_map(in_bands).collect();
    let drawn = (prop::sample::select(all), prop::bool::ANY, 1u8..3, prop::bool::ANY);
    drawn.prop_map(|((standard, band), is_wide, streams, is_short)| {
        let usual = Channel::at(standard, band);
        let guard = match (standard.format(), is_short) {
            (Some(Format::He | Format::Eht), _) => GuardInterval::Ns3200,
            (_, true) => GuardInterval::Ns400,
            (_, false) => GuardInterval::Ns800,
        };
        let width = if is_wide { Width::Mhz40 } else { Width::Mhz20 };
        // Tests make their own aggregation agreements.
        (standard, Channel { width, guard, streams, aggregation: None, ..usual })
    })
}

fn rules(standards: &'static [Standard]) -> impl Strategy<Value = Rules> {
    let waits = (
        prop::sample::select(
            &[AfterCollision::Standard, AfterCollision::Difs, AfterCollision::Eifs][..],
        ),
        prop::sample::select(&[Eifs::Standard, Eifs::Nav, Eifs::None, Eifs::Ns3][..]),
    );
    let attempts = prop::sample::select(vec![
        Attempts::Unlimited,
        Attempts::default(),
        Attempts::Max(3),
        Attempts::Limits { short: 3, long: 1 },
    ]);
    let options = (prop::option::of(0u64..1_600), prop::bool::ANY, prop::bool::ANY);
    let window = prop::sample::select(&[None, Some(0), Some(1), Some(7)][..]);
    (channels(standards), waits, attempts, options, window).prop_map(
        |((standard, channel), (after_collision, eifs), attempts, options, cw_min)| {
            let (threshold, protection, post_backoff) = options;
            Rules {
                channel,
                rts_threshold: threshold.map(Bytes::new),
                protection,
                post_backoff,
                attempts,
                after_collision,
                eifs,
                cw_min,
                ..Rules::of(standard)
            }
        },
    )
}

/// Random channel access parameters, often those of the DCF.
fn accesses() -> impl Strategy<Value = AccessParameters> {
    let windows = &[(None, None), (Some(0), None), (Some(3), Some(7)), (None, Some(63))][..];
    let attempts = &[None, None, Some(Attempts::Max(2)), Some(Attempts::Unlimited)][..];
    let drawn = (
        prop::sample::select(&[1u8, 2, 2, 3, 7][..]),
        prop::sample::select(windows),
        prop::sample::select(&[0u64, 0, 1_000, 3_000, 9_000][..]),
        prop::sample::select(attempts),
    );
    let own = drawn.prop_map(|(aifsn, (cw_min, cw_max), txop_us, attempts)| AccessParameters {
        aifsn,
        cw_min,
        cw_max,
        txop_limit: Duration::from_micros(txop_us),
        attempts,
        counts_at_start: false,
    });
    prop_oneof![Just(AccessParameters::default()), own]
}

/// A random station: rates uplink and downlink, true for 802.11b, members that it does not decode and members hidden
/// from it as bits, probability of errors, channel access.
type Drawn = (usize, usize, bool, (u32, u32), Option<f64>, AccessParameters);

/// Sensing and decoding among the members of a random cell.
#[derive(Clone, Copy, PartialEq)]
enum Hears {
    /// All members decode each other.
    Everyone,
    /// All members sense each other and decode the access point.
    AccessPoint,
    /// All members sense each other; some do not decode others.
    Noise,
    /// Some members are hidden from each other.
    NotAll,
}

/// Hides members from each other, always in both directions. Hidden members are then not sensed either.
fn hide(members: &[Drawn], stations: &mut [StationConfig]) {
    let id = |member: usize| NodeId(u16::try_from(member).expect("few stations"));
    for member in 1..=stations.len() {
        let bits = members[member - 1].3.1;
        for other in (0..member).filter(|other| bits >> other & 1 == 1) {
            // The access point is hidden from few stations.
            if other == 0 && bits >> 6 != 0 {
                continue;
            }
            stations[member - 1].hidden_from.push(id(other));
            if other > 0 {
                stations[other - 1].hidden_from.push(id(member));
            }
        }
    }
    for station in stations {
        station.hidden_from.sort_unstable();
        station.senses_only.retain(|other| !station.hidden_from.contains(other));
    }
}

/// Random cells of up to five stations with packets and beacons.
fn cells(hears: Hears) -> impl Strategy<Value = (CellConfig, Vec<Arrival>, Vec<Announced>)> {
    cells_of(&Standard::ALL, hears)
}

/// Random cells whose access points have one of these standards.
fn cells_of(
    standards: &'static [Standard],
    hears: Hears,
) -> impl Strategy<Value = (CellConfig, Vec<Arrival>, Vec<Announced>)> {
    let errors = prop::sample::select(&[None, None, None, Some(0.1), Some(0.5), Some(0.9)][..]);
    let station = (
        0usize..12,
        0usize..12,
        prop::bool::weighted(0.3),
        (0u32..64, 0u32..128),
        errors,
        accesses(),
    );
    let members = prop::collection::vec(station, 1..6);
    (rules(standards), accesses(), members)
        .prop_map(move |(rules, ap_access, members)| {
            let count = members.len();
            let build = |(index, (up, down, old, (deaf, _), errors, access)): (usize, &Drawn)| {
                let older = |it: &Standard| {
                    it.bands().contains(&rules.channel.band)
                        && it.generation() < rules.standard.generation()
                };
                let older: Vec<Standard> = Standard::ALL.into_iter().filter(older).collect();
                let is_old = !older.is_empty() && *old && hears != Hears::Everyone;
                let standard = if is_old { older[up % older.len()] } else { rules.standard };
                let link = rules.channel.link(rules.standard, standard);
                let legacy = || standard.rates().iter().copied().map(Rate::Legacy).collect();
                let modes = |link: LinkCapabilities| link.modes().into_iter().map(Rate::Mode);
                let rates: Vec<Rate> = link.map_or_else(legacy, |link| modes(link).collect());
                let first = usize::from(hears == Hears::AccessPoint);
                let hears_not = |other: &usize| {
                    hears != Hears::Everyone && deaf >> other & 1 == 1 && *other != index + 1
                };
                StationConfig {
                    standard,
                    link,
                    rate_up: rates[up % rates.len()],
                    rate_down: rates[down % rates.len()],
                    adaptation: [None; 2],
                    queue: QueueConfig::fifo(1000),
                    access: *access,
                    categories: Vec::new(),
                    senses_only: (first..=count)
                        .filter(hears_not)
                        .map(|other| NodeId(u16::try_from(other).expect("few stations")))
                        .collect(),
                    hidden_from: Vec::new(),
                    errors: errors.map_or(ErrorModel::None, |probability| {
                        ErrorModel::Bernoulli(Probability::literal(probability))
                    }),
                }
            };
            let mut stations: Vec<_> = members.iter().enumerate().map(build).collect();
            if hears == Hears::NotAll {
                hide(&members, &mut stations);
            }
            let mut config = CellConfig {
                rules: rules.clone(),
                ap_queue: QueueConfig::fifo(1000),
                ap_access,
                ap_categories: Vec::new(),
                stations,
                foreign: Vec::new(),
            };
            let has_b = config.has_b_stations();
            config.rules.basic_rates = config.rules.legacy().default_basic_rates(has_b);
            config
        })
        .prop_flat_map(|config| {
            let members = config.stations.len();
            (Just(config), arrivals(members), beacons())
        })
}

/// A random change of audibility: pause before it [µs], listener, transmitter and audibility as numbers.
type DrawnChange = (u64, u16, u16, usize);

/// Random changes of audibility.
fn changes() -> impl Strategy<Value = Vec<DrawnChange>> {
    prop::collection::vec((0u64..3_000, 0u16..6, 0u16..6, 0usize..3), 0..30)
}

/// The drawn changes of audibility among the members of a cell.
fn changes_in(config: &CellConfig, drawn: &[DrawnChange]) -> Vec<Change> {
    let members = u16::try_from(config.stations.len() + 1).expect("few stations");
    let mut at = 0;
    let change = |(pause, listener, from, audibility): &DrawnChange| {
        at += pause;
        let levels = [Audibility::Nothing, Audibility::Senses, Audibility::Decodes];
        let (listener, from) = (NodeId(listener % members), NodeId(from % members));
        Change { at, listener, from, audibility: levels[*audibility] }
    };
    drawn.iter().map(change).collect()
}

/// Runs a cell and returns all its records, and the cell. Records of the use of the air come last, because they may be
/// made later than the use ends.
fn account(
    config: &CellConfig,
    happens: Happens<'_>,
    (way, audience): (Way, Audience),
) -> (Vec<(Time, Record)>, Cell<Packet>) {
    let last = happens.arrivals.last().map_or(0, |arrival| arrival.at);
    let mut records = Vec::new();
    let street = Street::alone(config, happens);
    let cells = drive(&street, (way, audience, last + 60_000), |_, now, record| {
        let at = if let Record::Air { to, .. } = record { to } else { now };
        records.push((at, record));
    });
    records.sort_by_key(|(_, record)| matches!(record, Record::Air { .. }));
    (records, cells.into_iter().next().expect("one cell"))
}

/// Runs a cell in two ways, which differ in how it learns who hears whom, or in who listens to its frames. Fails if the
/// records differ, or the frames that listening members receive.
fn compare_ways(config: &CellConfig, happens: Happens<'_>, ways: [(Way, Audience); 2]) {
    let [(one, first), (other, second)] = ways.map(|way| account(config, happens, way));
    if ways.iter().all(|(_, audience)| *audience != Audience::Nobody) {
        assert!(overheard(&first).eq(overheard(&second)), "{ways:?}: {config:?}\n{happens:?}");
    }
    let differs = one.iter().zip(&other).position(|(a, b)| a != b);
    let index = differs.unwrap_or(one.len().min(other.len()));
    let near = |records: &[(Time, Record)]| {
        records[index.saturating_sub(6)..records.len().min(index + 3)].to_vec()
    };
    assert!(
        one == other,
        "record {index} of {ways:?}:\n{:?}\n{:?}\n{config:?}\n{happens:?}",
        near(&one),
        near(&other)
    );
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// A cell sends the same frames at the same times as the model.
    ///
    /// Verifies: [80211-2020 §10.3.2.3.7, §10.3.2.4, §10.3.3, §10.3.4.2, §10.3.4.3, §10.3.4.4]
    #[test]
    fn every_frame_goes_out_when_a_station_by_station_model_says(
        (config, arrivals, beacons) in prop_oneof![cells(Hears::Everyone), cells(Hears::AccessPoint)]
    ) {
        compare(&config, (&arrivals, &beacons), Way::Fixed);
    }

    /// The cell agrees with the model where stations do not decode their access point, and so get no ACK and no CTS.
    ///
    /// Verifies: [80211-2020 §10.3.2.9, §10.3.2.11]
    #[test]
    fn so_it_does_where_responses_are_not_decoded(
        (config, arrivals, beacons) in cells(Hears::Noise)
    ) {
        compare(&config, (&arrivals, &beacons), Way::Fixed);
    }

    /// The cell agrees with the model where members are hidden from each other.
    ///
    /// Verifies: [80211-2020 §10.3.2.3.7, §10.3.2.4, §10.3.2.9, §10.3.2.11, §10.3.4.2]
    #[test]
    fn so_it_does_where_members_do_not_sense_each_other(
        (config, arrivals, beacons) in cells(Hears::NotAll)
    ) {
        compare(&config, (&arrivals, &beacons), Way::Changing);
    }

    /// The cell agrees with the model where members become hidden and heard again, in one direction or both, whatever
    /// is on the air.
    #[test]
    fn so_it_does_where_members_come_and_go(
        (config, arrivals, beacons) in cells(Hears::NotAll),
        drawn in changes(),
    ) {
        let changes = changes_in(&config, &drawn);
        let happens =
            Happens { agreed: &[], arrivals: &arrivals, changes: &changes, beacons: &beacons };
        compare_changing(&config, happens, Way::Changing);
    }

    /// Groups of members that share one count of slots only save work. If the groups are of members that hear the same
    /// frames, or of members that wait equally long, with exceptions, a cell makes the same records in the same order.
    #[test]
    fn groups_by_class_and_groups_with_exceptions_record_the_same(
        (config, arrivals, beacons) in
            prop_oneof![cells(Hears::Everyone), cells(Hears::Noise), cells(Hears::NotAll)]
    ) {
        let happens =
            Happens { agreed: &[], arrivals: &arrivals, changes: &[], beacons: &beacons };
        let ways = [Way::Fixed, Way::Changing].map(|way| (way, Audience::Monitor));
        compare_ways(&config, happens, ways);
    }

    /// Leaving out the PPDUs of an exchange that nothing can disturb changes no records, their order, nor the frames
    /// that listeners receive.
    #[test]
    fn a_cell_whose_frames_nobody_wants_to_see_tells_the_same(
        (config, arrivals, beacons) in
            prop_oneof![cells(Hears::Everyone), cells(Hears::AccessPoint), cells(Hears::Noise)]
    ) {
        let happens =
            Happens { agreed: &[], arrivals: &arrivals, changes: &[], beacons: &beacons };
        for audience in [Audience::Listeners, Audience::Nobody] {
            let ways = [Audience::Monitor, audience].map(|audience| (Way::Fixed, audience));
            compare_ways(&config, happens, ways);
        }
    }
}
