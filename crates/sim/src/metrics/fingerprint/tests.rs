//! Tests that different records have different hashes.

use super::*;
use crate::link::LinkId;
use crate::record::{Sample, SenderWindow};
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::CategoryEvent;
use airfair_wlan::edca::AccessCategory;
use proptest::prelude::*;

/// Numbers from which a record is made: time, kind, cell, subject, four long numbers, a count, two flags and an
/// enum's index. A record ignores the numbers for which it has no field.
type Fields = [u64; 11];

fn any_number() -> impl Strategy<Value = u64> {
    prop_oneof![0..8u64, Just(1 << 8), Just(1 << 9), Just(1 << 16), Just(1 << 32), Just(1 << 48)]
}

fn any_fields() -> impl Strategy<Value = Fields> {
    (prop::array::uniform11(any_number()), 0..KINDS).prop_map(|(mut fields, kind)| {
        fields[1] = kind;
        fields
    })
}

/// Two sets of fields for records that differ in one field at most.
fn any_two() -> impl Strategy<Value = [Fields; 2]> {
    (any_fields(), 0..11usize, any_number()).prop_map(|(fields, at, number)| {
        let mut other = fields;
        other[at] = if at == 1 { number % KINDS } else { number };
        [fields, other]
    })
}

const KINDS: u64 = 27;

#[expect(clippy::cast_possible_truncation, reason = "the lower bits are as good")]
fn event_of([now, kind, cell, whose, a, b, c, d, count, flags, word]: Fields) -> (u64, Record) {
    let (whose, count, flags) = (whose as u16, count as u32, flags as u8);
    let (node, flow, link) = (NodeId(whose), FlowId(whose), LinkId(whose));
    let (from, to, time) = (Time::from_nanos(a), Time::from_nanos(b), Duration::from_nanos(a));
    let (flag, other_flag, sent) = (flags & 1 == 1, flags & 2 == 2, SentAt(from));
    let direction = if flag { Direction::Up } else { Direction::Down };
    let cell = CellId(cell as u16 % 1_024);
    let in_cell = |record| Record::Cell(cell, record);
    let of_flow = |record| Record::Flow(flow, record);
    let on_link = |record| Record::Link(link, record);
    let record = match kind {
        0 => in_cell(CellRecord::Air { from, to, usage: usage_of(word, direction, node) }),
        1 => {
            let frames = [SentFrame::Data, SentFrame::Rts, SentFrame::Response, SentFrame::Beacon];
            let frame = frames[word as usize % 4];
            in_cell(CellRecord::Sent { node, frame, retry: flag, collided: other_flag })
        }
        2 => in_cell(CellRecord::Collision),
        3 => in_cell(CellRecord::Queue { node, length: count }),
        4 => {
            let causes = [
                DropCause::QueueFull,
                DropCause::RetryLimit,
                DropCause::CoDel,
                DropCause::AckFiltered,
                DropCause::TooLate,
                DropCause::Scheme,
                DropCause::DualPi2,
            ];
            let cause = causes[word as usize % 7];
            in_cell(CellRecord::Dropped { node, cause })
        }
        5 => in_cell(CellRecord::Duplicate { node }),
        6 => {
            let rate = DataRate::from_bps(a + 1);
            in_cell(CellRecord::Rate { station: node, direction, rate })
        }
        7 => in_cell(CellRecord::Errored { node }),
        8 => of_flow(FlowRecord::Started),
        9 => of_flow(FlowRecord::Sent),
        10 => of_flow(FlowRecord::Received(sent)),
        11 => of_flow(FlowRecord::Lost(if flag { Side::Sender } else { Side::Receiver }, sent)),
        12 => of_flow(FlowRecord::Delivered(Bytes::new(a))),
        13 => of_flow(FlowRecord::Retransmission),
        14 => of_flow(FlowRecord::Timeout),
        15 => of_flow(FlowRecord::FastRetransmit),
        16 => of_flow(FlowRecord::RoundTrip(time)),
        17 => of_flow(FlowRecord::Finished),
        18 => of_flow(FlowRecord::Repeated(sent)),
        19 if flag => of_flow(FlowRecord::MessageLost),
        19 => of_flow(FlowRecord::Refused),
        24 => of_flow(FlowRecord::Marked(sent)),
        25 if flag => of_flow(FlowRecord::Target(DataRate::from_bps(a + 1))),
        25 => of_flow(FlowRecord::MarkAnswered),
        20 => on_link(LinkRecord::Queued(count)),
        21 => on_link(LinkRecord::Arrived(count)),
        22 => on_link(match word % 3 {
            0 => LinkRecord::Dropped,
            1 => LinkRecord::DroppedEarly,
            _ => LinkRecord::Lost(count),
        }),
        23 if flag => in_cell(CellRecord::Joined { node, packets: 7 }),
        23 => {
            #[expect(clippy::cast_possible_truncation, reason = "as many bits as there are")]
            let mpdus = (count as u16).max(2);
            in_cell(CellRecord::Aggregate { node, to: node, mpdus, octets: Bytes::new(a) })
        }
        _ => {
            let (own, others) = (Duration::from_nanos(c), Duration::from_nanos(d));
            let early = [own, others];
            Record::Measured(cell, node, Measured { from, to, own, others, early, active: count })
        }
    };
    (now, record)
}

fn usage_of(word: u64, direction: Direction, station: NodeId) -> AirUse {
    match word % 6 {
        0 => AirUse::Data { station, direction },
        1 => AirUse::Control { station },
        2 => AirUse::Collision,
        3 => AirUse::Contention,
        4 => AirUse::Idle,
        _ => AirUse::Beacon,
    }
}

fn hash(events: &[(u64, Record)]) -> u64 {
    let mut hash = Fingerprint::default();
    for (now, record) in events {
        hash.record(Time::from_nanos(*now), record);
    }
    hash.get()
}

fn words((now, record): &(u64, Record)) -> Vec<u64> {
    let mut words = Vec::new();
    encode(Time::from_nanos(*now), record, |word| words.push(word));
    words
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(20_000))]

    #[test]
    fn records_that_differ_in_any_field_have_other_words(two in any_two()) {
        let [one, other] = two.map(event_of);
        prop_assert_eq!(one == other, words(&one) == words(&other));
    }
}

proptest! {
    #[test]
    fn runs_that_differ_in_any_field_of_one_record_have_other_hashes(
        rest in prop::collection::vec(any_fields(), 0..30),
        at in any::<prop::sample::Index>(),
        two in any_two(),
    ) {
        let with = |one: Fields| {
            let mut events: Vec<_> = rest.iter().copied().map(event_of).collect();
            events.insert(at.index(rest.len() + 1), event_of(one));
            events
        };
        let [one, other] = two.map(with);
        prop_assert_eq!(one == other, hash(&one) == hash(&other));
    }
}

#[test]
fn a_look_at_the_world_leaves_the_hash_alone() {
    let event = (7, Record::Cell(CellId(0), CellRecord::Collision));
    let window = SenderWindow { cwnd: 1, ssthresh: 2 };
    let looks = [Sample::Window(FlowId(3), window), Sample::StepEnd].map(Record::Sample);
    assert_eq!(hash(&[event, (8, looks[0]), (9, looks[1])]), hash(&[event]));
    assert_ne!(hash(&[event]), 0);
}

/// The first word of a response of member 3 in cell 1, sent as a retry, is 2 · 2^56 + 1 · 2^48 + 3 · 2^32 + 2 + 2^8.
/// The second word is its time, 5 ns.
#[test]
fn the_first_word_is_as_the_table_says() {
    let sent = CellRecord::Sent {
        node: NodeId(3),
        frame: SentFrame::Response,
        retry: true,
        collided: false,
    };
    let event = (5, Record::Cell(CellId(1), sent));
    assert_eq!(words(&event), [0x0201_0003_0000_0102, 5]);
}

#[test]
fn a_frame_of_one_mpdu_and_what_is_told_of_categories_have_no_hash() {
    let mut fingerprint = Fingerprint::default();
    let (node, to) = (NodeId(1), NodeId(0));
    let alone = CellRecord::Aggregate { node, to, mpdus: 1, octets: Bytes::new(100) };
    let dropped = CellRecord::Category(AccessCategory::Voice, CategoryEvent::Dropped);
    for record in [alone, dropped] {
        fingerprint.add_cell(Time::ZERO, CellId(0).into(), &record);
    }
    assert_eq!(fingerprint.get(), Fingerprint::default().get());
    let two = CellRecord::Aggregate { node, to, mpdus: 2, octets: Bytes::new(200) };
    fingerprint.add_cell(Time::ZERO, CellId(0).into(), &two);
    assert_ne!(fingerprint.get(), Fingerprint::default().get());
}
