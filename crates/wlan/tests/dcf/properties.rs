//! Properties of random cells under random load.

use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::phy::Standard;
use airfair_wlan::{
    AccessParameters, AfterCollision, AirUse, Attempts, Audibility, Beacon, CellConfig, Eifs,
    Elements, NodeId, Record,
};
use proptest::prelude::*;

use crate::bench::{Bench, config};

/// A packet that arrives after a pause.
#[derive(Clone, Debug)]
struct Arrival {
    pause_us: u64,
    station: usize,
    down: bool,
    size: u64,
    /// Octets of a beacon that is due at the same time, if any.
    beacon: Option<u64>,
}

fn arrivals() -> impl Strategy<Value = Vec<Arrival>> {
    let beacon = prop_oneof![Just(None), Just(None), (1u64..300).prop_map(Some)];
    let arrival = (0u64..3_000, 0usize..6, prop::bool::ANY, 1u64..2_000, beacon).prop_map(
        |(pause_us, station, down, size, beacon)| Arrival { pause_us, station, down, size, beacon },
    );
    prop::collection::vec(arrival, 1..60)
}

/// Random channel access parameters of a member, often those of the DCF.
fn accesses() -> impl Strategy<Value = AccessParameters> {
    let windows = &[(None, None), (Some(0), None), (Some(3), Some(7))][..];
    let attempts = &[None, None, Some(Attempts::Max(2)), Some(Attempts::Max(1))][..];
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

pub(crate) fn cells() -> impl Strategy<Value = CellConfig> {
    let standards = prop::sample::select(&Standard::LEGACY[..]);
    let options = (
        prop::option::of(0u64..2_500),
        prop::sample::select(vec![Attempts::default(), Attempts::Max(1), Attempts::Max(3)]),
        prop::sample::select(
            &[AfterCollision::Standard, AfterCollision::Difs, AfterCollision::Eifs][..],
        ),
        prop::sample::select(&[Eifs::Standard, Eifs::Nav, Eifs::None, Eifs::Ns3][..]),
        prop::bool::ANY,
        prop::sample::select(&[None, Some(0), Some(3)][..]),
    );
    let member = (0usize..12, prop::bool::ANY, 0u8..4, accesses());
    let members = prop::collection::vec(member, 1..6);
    (standards, options, accesses(), members).prop_map(|(standard, options, ap_access, members)| {
        let (rts, attempts, after_collision, eifs, post_backoff, cw_min) = options;
        let rates = standard.rates();
        let mut cell =
            config(standard, &members.iter().map(|m| rates[m.0 % rates.len()]).collect::<Vec<_>>());
        cell.rules.rts_threshold = rts.map(Bytes::new);
        (cell.rules.attempts, cell.rules.after_collision, cell.rules.eifs) =
            (attempts, after_collision, eifs);
        (cell.rules.post_backoff, cell.rules.cw_min) = (post_backoff, cw_min);
        (cell.ap_queue.packets, cell.ap_access) = (5, ap_access);
        for (index, (_, old, deaf, access)) in members.iter().enumerate() {
            if standard == Standard::G && *old {
                let b = Standard::B.rates()[3];
                let station = &mut cell.stations[index];
                station.standard = Standard::B;
                (station.rate_up, station.rate_down) = (b.into(), b.into());
            }
            cell.stations[index].access = *access;
            let (first, other) = (NodeId::station(0), NodeId::station(index));
            match *deaf {
                1 if index > 0 => {
                    cell.stations[index].senses_only.push(first);
                    cell.stations[0].senses_only.push(other);
                }
                2 if index > 0 => {
                    cell.stations[index].hidden_from.push(first);
                    cell.stations[0].hidden_from.push(other);
                }
                _ => {}
            }
        }
        cell.rules.basic_rates = standard.default_basic_rates(cell.has_b_stations());
        cell
    })
}

fn run(cell: &CellConfig, arrivals: &[Arrival], poke: bool) -> Bench {
    run_on(Bench::new(cell), (cell, arrivals), |bench| {
        if poke {
            bench.poke();
        }
    })
}

fn run_on(
    mut bench: Bench,
    (cell, arrivals): (&CellConfig, &[Arrival]),
    mut after: impl FnMut(&mut Bench),
) -> Bench {
    for arrival in arrivals {
        bench.run_until(bench.now + Duration::from_micros(arrival.pause_us));
        let station = NodeId::station(arrival.station % cell.stations.len());
        let (from, to) = if arrival.down { (NodeId::AP, station) } else { (station, NodeId::AP) };
        bench.send(from, to, arrival.size);
        if let Some(psdu) = arrival.beacon {
            let psdu = Bytes::new(psdu);
            bench.cell.send_beacon(bench.now, Beacon { psdu, elements: Elements::default() });
        }
        after(&mut bench);
    }
    bench.run_until(bench.now + Duration::from_millis(40));
    bench.cell.flush(bench.now);
    bench.poke();
    bench
}

/// Asserts that the recorded use of the air covers the time from the start to the end without a gap.
pub(crate) fn check_air(bench: &Bench, has_hidden: bool) {
    let mut until = Time::ZERO;
    for (_, record) in &bench.records {
        if let Record::Air { from, to, usage } = record {
            assert_eq!(*from, until, "a gap or an overlap before {usage:?}");
            assert!(to > from);
            until = *to;
        }
    }
    assert_eq!(until, bench.now);
    let control_alone = |usage: &AirUse| {
        matches!(usage, AirUse::Data { .. } | AirUse::Control { .. } | AirUse::Beacon)
    };
    let alone = bench
        .records
        .iter()
        .filter(|(_, record)| matches!(record, Record::Air { usage, .. } if control_alone(usage)));
    let clean = bench.sent().iter().filter(|sent| !sent.collided).count();
    // A frame may reach its receiver while frames of members hidden from there are on the air.
    let is_alone = has_hidden || alone.count() >= clean;
    assert!(is_alone, "every frame that did not collide was alone on the air");
}

/// Asserts that each accepted packet has either been delivered once, or been lost with a recorded cause, or is still
/// queued.
pub(crate) fn check_packets(bench: &Bench) {
    let mut fate = vec![0; bench.accepted() as usize];
    for (_, number) in &bench.delivered {
        fate[*number as usize] += 1;
    }
    for departure in bench.departed.iter().filter(|departure| departure.lost) {
        fate[departure.msdu.payload as usize] += 1;
    }
    for msdu in bench.cell.undelivered().chain(bench.cell.buffered()) {
        fate[msdu.payload as usize] += 1;
    }
    assert!(fate.iter().all(|fates| *fates == 1), "{fate:?}");
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn air_and_packets_are_conserved(cell in cells(), arrivals in arrivals()) {
        let bench = run(&cell, &arrivals, false);
        check_air(&bench, cell.has_hidden());
        check_packets(&bench);
    }

    #[test]
    fn members_may_be_hidden_and_found_again_at_any_time(
        cell in cells(), arrivals in arrivals(),
        changes in prop::collection::vec((0u16..6, 0u16..6, 0usize..3), 60)
    ) {
        let members = u16::try_from(cell.stations.len() + 1).expect("few stations");
        let mut changes = changes.into_iter();
        let change = |bench: &mut Bench| {
            let (one, other, audibility) = changes.next().expect("one for each arrival");
            let levels = [Audibility::Nothing, Audibility::Senses, Audibility::Decodes];
            bench.cell.set_audibility(NodeId(one % members), NodeId(other % members), levels[audibility]);
        };
        let bench = run_on(Bench::with_relation(&cell), (&cell, &arrivals), change);
        check_air(&bench, true);
        check_packets(&bench);
    }

    #[test]
    fn spurious_calls_change_nothing(cell in cells(), arrivals in arrivals()) {
        let (quiet, poked) = (run(&cell, &arrivals, false), run(&cell, &arrivals, true));
        prop_assert_eq!(quiet.records, poked.records);
        prop_assert_eq!(quiet.delivered, poked.delivered);
    }
}
