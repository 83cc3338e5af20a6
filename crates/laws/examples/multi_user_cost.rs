//! Cost of the multi-user scheduler: a number of PPDUs of stations with backlogs, each chosen and settled.
//!
//! `multi_user_cost POLICY STATIONS PPDUS` prints the octets of station 0, so that nothing is optimised away. The
//! difference between the instructions of two numbers of PPDUs, by `valgrind --tool=callgrind`, is the cost.

use airfair_laws::multi_user::{
    Action, Backlog, Candidate, Observation, Order, Params, Policy, Served, Split, State, Urgency,
    settle, step,
};
use airfair_units::{Bytes, DataRate, Duration};

/// Splits of a channel of 80 MHz.
const SPLITS: [Split; 6] = [
    Split { units: 37, tones: 26 },
    Split { units: 16, tones: 52 },
    Split { units: 8, tones: 106 },
    Split { units: 4, tones: 242 },
    Split { units: 2, tones: 484 },
    Split { units: 1, tones: 996 },
];

fn main() {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, policy, stations, ppdus] = &arguments[..] else {
        panic!("multi_user_cost POLICY STATIONS PPDUS");
    };
    let policy = match policy.as_str() {
        "round-robin" => Policy::RoundRobin,
        "proportional-fair" => Policy::ProportionalFair,
        "largest-backlog" => Policy::LargestBacklog,
        "deadline" => Policy::Deadline,
        other => panic!("policy {other:?}"),
    };
    let stations: u16 = stations.parse().expect("a number of stations");
    let ppdus: u64 = ppdus.parse().expect("a number of PPDUs");
    let params = Params { policy, max_users: 8, ..Params::default() };
    let mut candidates: Vec<_> = (0..stations)
        .map(|station| Candidate {
            station,
            is_multi_user: true,
            backlog: Backlog::Octets(Bytes::new(10_000 + u64::from(station))),
            rate: DataRate::from_mbps(20 + u64::from(station)),
            urgency: if station % 2 == 0 { Urgency::Voice } else { Urgency::Other },
            waiting: Duration::ZERO,
        })
        .collect();
    let (mut state, mut order, mut served) = (State::new(stations), Order::default(), Vec::new());
    let mut octets = Bytes::ZERO;
    for ppdu in 0..ppdus {
        let first = usize::try_from(ppdu).expect("64 bits") % candidates.len();
        candidates[first].backlog = Backlog::Octets(Bytes::new(10_000 + ppdu % 7_919));
        candidates[first].waiting = Duration::from_micros(ppdu % 9_973);
        let seen = Observation { candidates: &candidates, splits: &SPLITS };
        let Action::MultiUser(split) = step(&params, &state, &seen, &mut order) else {
            panic!("less than two stations");
        };
        served.clear();
        served.extend(order.assignments().map(|it| Served {
            station: it.station,
            tones: split.tones,
            octets: Bytes::new(5_000),
        }));
        octets += served.iter().filter(|it| it.station == 0).map(|it| it.octets).sum();
        settle(&params, &mut state, Duration::from_micros(1_000 + ppdu % 3_001), &served);
    }
    println!("{octets}");
}
