//! Time for which neighbours hold the air of a cell, in whole runs.

use crate::balance;
use crate::common::{SATURATED, parse, run_once};
use std::fmt::Write as _;

use airfair_sim::outcome::Outcome;
use airfair_units::Duration;
use proptest::prelude::*;

/// Text of cells `c0`, `c1`, … on channel 36, each with one station, which sends packets or none, and with the list of
/// those whom its members hear.
fn cells(cells: &[(bool, Option<&[usize]>)]) -> String {
    let mut text = String::from("duration = \"200 ms\"\n");
    for (index, (sends, hears)) in cells.iter().enumerate() {
        let transport = if *sends { SATURATED } else { "{ kind = \"tcp\", size = \"1 B\" }" };
        let hears = hears.map_or_else(String::new, |list| {
            let names: Vec<String> = list.iter().map(|it| format!("\"c{it}\"")).collect();
            format!("hears = [{}]\n", names.join(", "))
        });
        let start = if *sends { "" } else { "start = \"199 ms\"\n" };
        let _ = write!(
            text,
            "[bss.c{index}]\nstandard = \"802.11a\"\nchannel = 36\n{hears}\
             [station.s{index}]\nbss = \"c{index}\"\nrate = \"54 Mb/s\"\n\
             [host.h{index}]\nlink = {{ to = \"c{index}\", rate = \"100 Mb/s\" }}\n\
             [flow.f{index}]\nfrom = \"s{index}\"\nto = \"h{index}\"\n{start}transport = {transport}\n"
        );
    }
    text
}

/// Neighbours of a cell that held its air, with the time.
fn held(outcome: &Outcome, cell: usize) -> Vec<(usize, Duration)> {
    let of = outcome.neighbours.iter().filter(|it| it.cell.index() == cell);
    of.map(|it| (it.neighbour.index(), it.airtime)).collect()
}

/// Cell 0 has nothing to send until 199 ms. Its access point senses each frame of cell 1 from 4 µs, aCCATime, after its
/// start, so the air is held for the time of all frames but 4 µs of each. At 199 ms at most 1 ms of them overlaps or waits.
#[test]
fn an_idle_cell_is_held_for_the_frames_of_its_neighbour() {
    let scenario = parse(&cells(&[(false, None), (true, None)]));
    let outcome = run_once(&scenario, 0);
    balance::check(&scenario, &outcome);
    let [(1, time)] = held(&outcome, 0)[..] else { panic!("{:?}", outcome.neighbours) };
    let other = outcome.channels[1];
    let frames = (other.data + other.control).as_nanos() - 4_000 * other.frames;
    assert!(time.as_nanos().abs_diff(frames) < 1_000_000, "{time} of {frames} ns");
    assert!(time > Duration::from_millis(100));
}

/// The middle cell is held by both others, which are not held by each other.
#[test]
fn each_neighbour_has_its_own_time() {
    let row = [(true, Some(&[1][..])), (true, Some(&[0, 2][..])), (true, Some(&[1][..]))];
    let scenario = parse(&cells(&row));
    let outcome = run_once(&scenario, 0);
    balance::check(&scenario, &outcome);
    let names = |cell| held(&outcome, cell).iter().map(|it| it.0).collect::<Vec<_>>();
    assert_eq!(names(1), [0, 2]);
    assert!([0, 2].iter().all(|cell| names(*cell).iter().all(|it| *it == 1)));
    let least = Duration::from_millis(20);
    assert!(held(&outcome, 1).iter().all(|it| it.1 > least), "{:?}", outcome.neighbours);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    /// The times of the neighbours of each cell add up to the cell's time of neighbours, whoever hears whom.
    #[test]
    fn times_of_neighbours_add_up(
        all in prop::collection::vec((prop::bool::weighted(0.8), prop::collection::vec(0usize..5, 0..4)), 2..6),
        warmup in prop::bool::ANY, replication in 0u32..1000,
    ) {
        let count = all.len();
        let lists: Vec<(bool, Vec<usize>)> = all.iter().enumerate().map(|(index, (sends, list))| {
            let mut list: Vec<usize> = list.iter().copied().filter(|it| *it != index && *it < count).collect();
            // A list is for both: who is heard hears as well.
            list.extend((0..count).filter(|it| *it != index && all[*it].1.contains(&index)));
            list.sort_unstable();
            list.dedup();
            (*sends, list)
        }).collect();
        let rows: Vec<_> = lists.iter().map(|(sends, list)| (*sends, Some(&list[..]))).collect();
        let mut scenario = parse(&cells(&rows));
        scenario.warmup = if warmup { Duration::from_millis(50) } else { Duration::ZERO };
        balance::check(&scenario, &run_once(&scenario, replication));
    }
}
