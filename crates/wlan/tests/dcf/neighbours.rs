//! Several cells on one channel: carrier sense, collisions and the account of the air across cells.

use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::multi_user::{Ofdma, Scheduler};
use airfair_wlan::phy::Standard;
use airfair_wlan::{
    AfterCollision, AirUse, Beacon, Cell, CellConfig, CellMember, Eifs, Elements, FrameKind,
    Listen, Moment, Msdu, Neighbourhood, NodeId, Overheard, Record,
};
use proptest::prelude::*;

use crate::bench::{Bench, MBPS, Sent, at, config, error_stream, stream, without_backoff};
use crate::multi_user::{OFDMA, agree, stations};

const SIZE: u64 = 1000;

/// Cells on one channel, with all that they have recorded.
pub(crate) struct Street {
    cells: Vec<Cell<u32>>,
    neighbourhood: Option<Neighbourhood>,
    now: Time,
    records: Vec<Vec<(Time, Record)>>,
}

impl Street {
    /// Cells whose members hear each other as `hears` says. The random streams of stations are numbered through all
    /// cells, as those of one cell would be.
    pub(crate) fn new(
        mut configs: Vec<CellConfig>,
        hears: impl Fn(CellMember, CellMember) -> bool,
    ) -> Self {
        let neighbourhood = Neighbourhood::new(&mut configs, |_, _| true, hears);
        let mut before = 0;
        let mut cells = Vec::new();
        for (index, config) in configs.iter().enumerate() {
            let stations = before + 1..=before + config.stations.len();
            before += config.stations.len();
            let members = std::iter::once(900 + index).chain(stations);
            let links = (0..config.stations.len()).map(error_stream).collect();
            let mut cell = Cell::new(config, members.map(stream).collect(), links);
            if neighbourhood.as_ref().is_some_and(|it| it.is_coupled(index)) {
                cell.share();
            }
            cells.push(cell);
        }
        let records = vec![Vec::new(); cells.len()];
        Self { cells, neighbourhood, now: Time::ZERO, records }
    }

    fn send(&mut self, from: CellMember, to: NodeId) {
        self.send_packet(from, to, SIZE);
    }

    pub(crate) fn send_packet(&mut self, (cell, from): CellMember, to: NodeId, size: u64) {
        let msdu = Msdu { payload: 0, size: Bytes::new(size), from, to };
        self.cells[cell].enqueue(self.now, msdu.as_ref()).expect("room");
    }

    fn next(&self) -> (Moment, usize) {
        let next = |(index, cell): (usize, &Cell<u32>)| (cell.next_event(), index);
        self.cells.iter().enumerate().map(next).min().expect("some cells")
    }

    pub(crate) fn run_until(&mut self, end: Time) {
        loop {
            let (next, cell) = self.next();
            if next.at() >= end {
                break;
            }
            self.now = next.at();
            let mut due = Some(cell);
            while let Some(cell) = due {
                self.cells[cell].handle_event(next.at(), next.phase());
                let all = self.neighbourhood.as_mut();
                due = all.and_then(|it| it.after(&mut self.cells, (cell, next)));
            }
            self.drain();
        }
        self.now = end;
        self.cells.iter_mut().for_each(|it| it.flush(end));
        self.drain();
    }

    fn drain(&mut self) {
        for (cell, records) in self.cells.iter_mut().zip(&mut self.records) {
            records.extend(cell.drain_records().map(|record| (self.now, record)));
        }
    }

    pub(crate) fn sent(&self, cell: usize) -> Vec<Sent> {
        let sent = |(end, record): &(Time, Record)| match *record {
            Record::Sent { node, frame, retry, collided } => {
                Some(Sent { end: *end, node, frame, retry, collided })
            }
            _ => None,
        };
        self.records[cell].iter().filter_map(sent).collect()
    }

    /// Ends [µs] of the frames of a cell.
    fn ends(&self, cell: usize) -> Vec<u64> {
        self.sent(cell).iter().map(|it| it.end.as_nanos() / 1000).collect()
    }

    /// Time [µs] for which the air of a cell had a use.
    pub(crate) fn time(&self, cell: usize, has: impl Fn(AirUse) -> bool) -> u64 {
        let time = |(_, record): &(Time, Record)| match *record {
            Record::Air { from, to, usage } if has(usage) => (to - from).as_nanos(),
            _ => 0,
        };
        self.records[cell].iter().map(time).sum::<u64>() / 1000
    }
}

/// A cell of 802.11b with stations of 11 Mb/s and without back-off. A packet takes 192 + ⌈1028 · 8 / 11⌉ = 940 µs, its
/// ACK 248 µs, a SIFS 10 µs and a DIFS 50 µs.
fn cell(stations: usize) -> CellConfig {
    without_backoff(config(Standard::B, &vec![MBPS(11); stations]))
}

#[test]
fn a_neighbour_that_is_heard_delays_access_and_counts_as_such_in_the_account() {
    let mut street = Street::new(vec![cell(1), cell(1)], |_, _| true);
    let id = NodeId::station(0);
    street.send((0, id), NodeId::AP);
    street.run_until(at(500));
    street.send((1, id), NodeId::AP);
    street.run_until(at(3_000));
    assert_eq!(street.ends(0), [990, 1_248]);
    assert_eq!(street.ends(1), [1_248 + 990, 1_248 + 1_248]);
    let neighbour = |cell| street.time(cell, |it| matches!(it, AirUse::Neighbour { .. }));
    assert_eq!((neighbour(0), neighbour(1)), (940 + 248, 940 + 248));
    assert_eq!(street.time(0, |_| true), 3_000);
    assert_eq!(street.time(1, |_| true), 3_000);
}

#[test]
fn members_of_two_cells_that_start_in_one_slot_collide() {
    let mut street = Street::new(vec![cell(1), cell(1)], |_, _| true);
    for cell in [0, 1] {
        street.send((cell, NodeId::station(0)), NodeId::AP);
    }
    street.run_until(at(1_000));
    for cell in [0, 1] {
        assert!(street.sent(cell)[0].collided);
        assert_eq!(street.time(cell, |it| it == AirUse::Overlap), 940);
    }
}

/// The access points do not hear the other cell, so both frames arrive, although stations hear each other.
#[test]
fn a_frame_arrives_if_its_receiver_does_not_hear_the_neighbour() {
    let hears = |one: CellMember, other: CellMember| !one.1.is_ap() && !other.1.is_ap();
    let mut street = Street::new(vec![cell(1), cell(1)], hears);
    for cell in [0, 1] {
        street.send((cell, NodeId::station(0)), NodeId::AP);
    }
    street.run_until(at(1_300));
    assert_eq!(street.ends(0), [990, 1_248]);
    assert!(street.sent(0).iter().chain(&street.sent(1)).all(|it| !it.collided));
    assert_eq!(street.ends(1), [990, 1_248]);
}

/// Frames that members of the second cell hear of the first one, each with its listener, kind, duration and duration field
/// [µs]. Their addresses and packets are unknown.
fn foreign(street: &Street) -> Vec<(u16, FrameKind, u64, u64)> {
    let us = |duration: Duration| duration.as_nanos() / 1000;
    let line = |it: Overheard<'_, u32>| {
        assert!(it.is_foreign() && it.from().is_none() && it.to().is_none());
        assert!(it.packets().next().is_none() && !it.is_receiver());
        (it.listener.0, it.kind(), us(it.duration()), us(it.duration_field()))
    };
    (0..).map_while(|place| street.cells[1].overheard(place)).map(line).collect()
}

/// Members that ask for all frames, or for those of other cells, hear data of 940 µs and its ACK of 248 µs, which the
/// duration field of the data announces with a SIFS. The first station asks for own frames alone. The third one is hidden
/// from the access point, and does not hear the ACK.
#[test]
fn a_listener_hears_what_it_decodes_of_other_cells() {
    let hears =
        |one: CellMember, from: CellMember| (one, from) != ((1, NodeId(3)), (0, NodeId::AP));
    let mut street = Street::new(vec![cell(1), cell(3)], hears);
    street.cells[1].listen(NodeId(1), Listen::Own);
    street.cells[1].listen(NodeId(2), Listen::All);
    street.cells[1].listen(NodeId(2), Listen::Neighbours);
    street.cells[1].listen(NodeId(3), Listen::Neighbours);
    street.send((0, NodeId::station(0)), NodeId::AP);
    street.run_until(at(3_000));
    let data = |listener| (listener, FrameKind::Data, 940, 258);
    assert_eq!(foreign(&street), [data(2), data(3), (2, FrameKind::Ack, 248, 0)]);
}

/// Data of both cells overlap at all members but the second station of the second cell, which does not hear its own cell's
/// first station.
#[test]
fn a_listener_hears_no_foreign_frame_that_another_one_overlaps() {
    let mut own = cell(2);
    own.stations[0].hidden_from = vec![NodeId(2)];
    let mut street = Street::new(vec![cell(1), own], |_, _| true);
    (0..3).for_each(|member| street.cells[1].listen(NodeId(member), Listen::Neighbours));
    for cell in [0, 1] {
        street.send((cell, NodeId::station(0)), NodeId::AP);
    }
    street.run_until(at(1_000));
    assert_eq!(foreign(&street), [(2, FrameKind::Data, 940, 258)]);
}

/// Kinds and transmitters of the frames that stations of a cell send when triggered. Its first station `hears` the access
/// point of another cell, whose CTS ends at 600 + 52 + 16 + 44 = 712 µs. The NAV of the CTS covers data until 728 + 1396 =
/// 2124 µs. The trigger for reports comes at 1000 µs, and that for data after it. Packets come in between.
fn answers_to_triggers(hears: bool) -> Vec<(FrameKind, NodeId)> {
    let (up, trigger_every) = (Some(Scheduler::RoundRobin), Some(Duration::from_millis(1)));
    let ofdma = Ofdma { up, poll: true, trigger_every, ..OFDMA };
    let mut other = without_backoff(config(Standard::A, &[MBPS(6)]));
    other.rules.rts_threshold = Some(Bytes::ZERO);
    let relation = |one: CellMember, from: CellMember| {
        hears && (one, from) == ((0, NodeId(1)), (1, NodeId::AP))
    };
    let mut street = Street::new(vec![without_backoff(stations(2, ofdma)), other], relation);
    agree(&mut street.cells[0], 2);
    for station in [1, 2].map(NodeId) {
        street.cells[0].set_aifsn(Time::ZERO, station, None, 15);
    }
    street.run_until(at(600));
    street.send((1, NodeId(1)), NodeId::AP);
    street.run_until(at(1_050));
    [1, 2].map(NodeId).into_iter().for_each(|station| street.send((0, station), NodeId::AP));
    street.run_until(at(1_900));
    assert_eq!(street.ends(1)[..2], [652, 712]);
    let all = std::iter::from_fn(|| street.cells[0].poll_monitored());
    let frames = all.map(|it| (it.ppdu.frame.kind, it.ppdu.frame.from));
    frames.filter(|(_, from)| !from.is_ap()).collect()
}

/// Verifies: [80211ax-2021 §26.5.2.5]
#[test]
fn a_triggered_station_is_silent_while_a_neighbour_has_reserved_the_medium() {
    let of = |station| [(FrameKind::TriggerBased, station), (FrameKind::Data, station)];
    let [[report, data], [other_report, other_data]] = [1, 2].map(NodeId).map(of);
    assert_eq!(answers_to_triggers(false), [report, other_report, data, other_data]);
    assert_eq!(answers_to_triggers(true), [other_report, other_data]);
}

/// Only a station of the second cell hears the first one, so it alone waits.
#[test]
fn a_relation_may_be_one_sided() {
    let street = Street::new(vec![cell(1), cell(1)], |one, _| one == (1, NodeId::station(0)));
    let all = street.neighbourhood.expect("somebody hears somebody");
    assert!(all.is_coupled(0) && all.is_coupled(1));
    let none = Street::new(vec![cell(1), cell(1)], |_, _| false);
    assert!(none.neighbourhood.is_none());
}

/// With `after_collision` = [`AfterCollision::Eifs`] an access point waits for an EIFS after a beacon that it has sent while
/// it sensed another frame, although all of its stations have received the beacon. Its AIFSN of 3 makes its EIFS 384 µs
/// long, and lets it count slots apart from its station.
#[test]
fn an_access_point_knows_that_another_frame_has_overlapped_its_beacon() {
    let mut own = cell(1);
    own.rules.after_collision = AfterCollision::Eifs;
    own.ap_access.aifsn = 3;
    let hears = |listener: CellMember, from: CellMember| {
        (listener, from) == ((0, NodeId::AP), (1, NodeId::station(0)))
    };
    let mut street = Street::new(vec![own, cell(1)], hears);
    let beacon = Beacon { psdu: Bytes::new(300), elements: Elements::default() };
    street.cells[0].send_beacon(Time::ZERO, beacon);
    street.send((1, NodeId::station(0)), NodeId::AP);
    street.run_until(at(100));
    street.send((0, NodeId::AP), NodeId::station(0));
    street.run_until(at(5_000));
    // The beacon starts after a PIFS of 30 µs and takes 192 + 300 · 8 µs.
    let beacon = 30 + 192 + 2_400;
    assert_eq!(street.ends(1), [990, 1_248]);
    assert_eq!(street.ends(0), [beacon, beacon + 384 + 940, beacon + 384 + 1_198]);
}

/// Under the EIFS of ns-3, frames that start together do not synchronise their receiver. The access point hears the
/// station of the other cell, which hears nobody. After the two frames it waits for an AIFS, not for an EIFS of 364 µs,
/// and so sends before its station has waited in vain for an ACK.
///
/// Verifies: [ns-3]
#[test]
fn frames_start_together_although_the_cell_of_one_does_not_hear_the_other() {
    let mut own = cell(1);
    own.rules.eifs = Eifs::Ns3;
    let id = NodeId::station(0);
    let hears =
        |listener: CellMember, from: CellMember| (listener, from) == ((0, NodeId::AP), (1, id));
    let mut street = Street::new(vec![own, cell(1)], hears);
    street.send((0, id), NodeId::AP);
    street.send((1, id), NodeId::AP);
    street.run_until(at(100));
    street.send((0, NodeId::AP), id);
    street.run_until(at(2_300));
    assert!(street.sent(0)[0].collided);
    assert_eq!(street.ends(0), [990, 990 + 50 + 940, 990 + 50 + 1_198]);
}

/// Cell with two stations and OFDMA, and a cell of 802.11a whose station sends 200 octets to its access point at `start`
/// [us]. Only `listener` of the first cell hears that station. Returns the number of MPDUs that errors destroy in frames of
/// each member, and the sizes of the aggregates to and from each station.
fn overlapped(ofdma: Ofdma, listener: NodeId, start: u64) -> ([usize; 3], Vec<(u16, u16)>) {
    let is_up = ofdma.up.is_some();
    let cells = [stations(2, ofdma), config(Standard::A, &[MBPS(54)])].map(without_backoff);
    let station = (1, NodeId::station(0));
    let mut street = Street::new(cells.to_vec(), |by, from| by == (0, listener) && from == station);
    agree(&mut street.cells[0], 2);
    for member in (0..2).map(NodeId::station).filter(|_| is_up) {
        street.cells[0].set_aifsn(Time::ZERO, member, None, u8::MAX);
    }
    street.run_until(at(if is_up { 1_050 } else { 0 }));
    for member in [0, 0, 0, 0, 1, 1, 1, 1].map(NodeId::station) {
        let (from, to) = if is_up { (member, NodeId::AP) } else { (NodeId::AP, member) };
        street.send_packet((0, from), to, 1_500);
    }
    street.run_until(at(start));
    street.send_packet(station, NodeId::AP, 200);
    street.run_until(at(3_000));
    let errors = |node: u16| {
        let is_own = |(_, it): &&(Time, Record)| *it == Record::Errored { node: NodeId(node) };
        street.records[0].iter().filter(is_own).count()
    };
    let aggregate = |(_, it): &(Time, Record)| match *it {
        Record::Aggregate { node, to, mpdus, .. } => Some((node.max(to).0, mpdus)),
        _ => None,
    };
    assert!(street.sent(0).iter().all(|it| !it.collided));
    assert!(street.ends(0).contains(&if is_up { 1_519 } else { 34 + 224 }));
    ([0, 1, 2].map(errors), street.records[0].iter().filter_map(aggregate).collect())
}

/// Each user of a PPDU loses only the MPDUs that another frame overlaps at its own receiver.
///
/// Downlink: 4 MPDUs of 1530 octets for each station in units of 484 tones. 3·1536 + 1534 octets are 49 152 bits with the
/// service field, 13 symbols of 3900 bits: 47.2 + 13 · 13.6 = 224 us, 56 us for each MPDU, after an AIFS of 34 us. The
/// frame of the neighbour, 228 octets in 9 symbols of 4 us, is on the air from 95 to 151 us. At the first station it
/// overlaps the second MPDU and the third one, from 90 to 202 us. The second station, which does not hear it, has all.
#[test]
fn each_user_loses_the_mpdus_that_another_frame_overlaps_at_its_receiver() {
    let (errors, aggregates) = overlapped(OFDMA, NodeId::station(0), 95);
    assert_eq!(errors, [2, 0, 0]);
    assert_eq!(aggregates, [(1, 4), (2, 4), (1, 2)]);
    let (errors, aggregates) = overlapped(OFDMA, NodeId::station(1), 95);
    assert_eq!(errors, [2, 0, 0]);
    assert_eq!(aggregates, [(1, 4), (2, 4), (2, 2)]);
}

/// Uplink: both stations send 4 MPDUs of 1530 octets to the access point, which hears the neighbour, in 48 + 13 · 14.4 =
/// 235.2 us. BSRP of 76 us, 16, reports of 62.4, 34, Basic trigger of 80, 16: the PPDUs start at 1284.4 us, and the second
/// and third MPDU take from 1343.2 to 1460.8 us. The neighbour's frame is on the air from 1350 to 1406 us.
#[test]
fn an_access_point_loses_the_mpdus_of_all_stations_that_another_frame_overlaps() {
    let trigger_every = Some(Duration::from_millis(1));
    let up = Some(Scheduler::RoundRobin);
    let ofdma = Ofdma { up, poll: true, trigger_every, ..OFDMA };
    let (errors, aggregates) = overlapped(ofdma, NodeId::AP, 1_350);
    assert_eq!(errors, [0, 2, 2]);
    assert_eq!(aggregates, [(1, 4), (2, 4), (1, 2), (2, 2)]);
}

/// A cell that hears no other one passes on all its frames to a cell that hears it.
#[test]
fn a_cell_that_hears_no_other_is_heard() {
    let mut street = Street::new(vec![cell(1), cell(1)], |one, _| one.0 == 1);
    let id = NodeId::station(0);
    street.send((0, id), NodeId::AP);
    street.run_until(at(500));
    street.send((1, id), NodeId::AP);
    street.run_until(at(3_000));
    assert_eq!(street.ends(0), [990, 1_248]);
    assert_eq!(street.ends(1), [1_248 + 990, 1_248 + 1_248]);
}

/// Relation between stations, numbered through two cells: pairs that do not sense each other. Access points hear all.
type Hidden = Vec<(usize, usize)>;

fn hidden_pairs(stations: usize) -> impl Strategy<Value = Hidden> {
    prop::collection::vec((0..stations, 0..stations), 0..4)
        .prop_map(|pairs| pairs.into_iter().filter(|(one, other)| one != other).collect())
}

/// Cells with `first` and `second` stations, and one cell with the stations of both, under the same relation.
fn both_ways(
    (first, second): (usize, usize),
    hidden: &Hidden,
    rules: (Standard, Eifs),
) -> (Vec<CellConfig>, CellConfig) {
    let is_hidden =
        |one: usize, other: usize| hidden.contains(&(one, other)) || hidden.contains(&(other, one));
    let of = |stations: std::ops::Range<usize>| {
        let rates: Vec<_> = stations.clone().map(|it| MBPS([11, 2][it % 2])).collect();
        let mut config = config(rules.0, &rates);
        config.rules.eifs = rules.1;
        for (place, it) in config.stations.iter_mut().enumerate() {
            let one = stations.start + place;
            let others = stations.clone().filter(|other| is_hidden(one, *other));
            it.hidden_from = others.map(|other| NodeId::station(other - stations.start)).collect();
        }
        config
    };
    (vec![of(0..first), of(first..first + second)], of(0..first + second))
}

proptest! {
    /// Two cells whose access points hear everything are one cell with the stations of both, frame by frame, whoever is
    /// hidden from whom.
    #[test]
    fn two_cells_are_one_cell_with_the_stations_of_both(
        sizes in (1usize..4, 1usize..4),
        pairs in hidden_pairs(6),
        nav in any::<bool>(),
        script in prop::collection::vec((0usize..6, 0u64..3_000), 1..40),
    ) {
        let all = sizes.0 + sizes.1;
        let pairs: Hidden = pairs.into_iter().filter(|it| it.0.max(it.1) < all).collect();
        let eifs = if nav { Eifs::Nav } else { Eifs::Standard };
        let (cells, one) = both_ways(sizes, &pairs, (Standard::B, eifs));
        let number = |(cell, id): CellMember| (cell * sizes.0 + id.index()).checked_sub(1);
        let hears = |one: CellMember, other: CellMember| {
            let is_station = !one.1.is_ap() && !other.1.is_ap();
            let pair = (number(one).unwrap_or(99), number(other).unwrap_or(99));
            !is_station || !(pairs.contains(&pair) || pairs.contains(&(pair.1, pair.0)))
        };
        let mut street = Street::new(cells, hears);
        let mut single = Bench::new(&one);
        let mut now = Time::ZERO;
        for (station, wait) in script {
            let station = station % all;
            now += Duration::from_micros(wait);
            street.run_until(now);
            single.run_until(now);
            let cell = usize::from(station >= sizes.0);
            street.send((cell, NodeId::station(station - cell * sizes.0)), NodeId::AP);
            single.send_up(station, SIZE);
        }
        street.run_until(now + Duration::from_millis(200));
        single.run_until(now + Duration::from_millis(200));
        let mut sent = Vec::new();
        for cell in [0, 1] {
            let renumbered = |it: Sent| match it.node {
                NodeId::AP => it,
                id => Sent { node: NodeId::station(id.index() - 1 + cell * sizes.0), ..it },
            };
            sent.extend(street.sent(cell).into_iter().map(renumbered));
        }
        let mut expected = single.sent();
        sent.sort_by_key(|it| (it.end, it.node));
        expected.sort_by_key(|it| (it.end, it.node));
        prop_assert_eq!(sent, expected);
    }
}
