//! Shares of access categories against a model of contention zones: what stations that are saturated get by AIFSN and window.
//! [xu-2009]

use std::fmt::Write as _;

use airfair_units::Duration;

use crate::common::{SATURATED, parse, run_once};

/// Category of each of some stations.
#[derive(Clone, Copy)]
struct Category {
    name: &'static str,
    aifsn: u8,
    cw_min: u16,
    cw_max: u16,
}

impl Category {
    /// Probability that it transmits when a slot begins that counts for it, where its attempts fail with probability `p`:
    /// attempts per slot, one for each that is counted and one in which it transmits.
    fn attempts(&self, p: f64) -> f64 {
        let window = |stage| {
            let doubled = (f64::from(self.cw_min) + 1.0) * 2_f64.powi(stage);
            doubled.min(f64::from(self.cw_max) + 1.0)
        };
        let slots: f64 = (0..200).map(|stage| p.powi(stage) * (window(stage) + 1.0) / 2.0).sum();
        1.0 / (1.0 - p) / slots
    }
}

/// Chances of a category when a slot begins that counts for it: of an attempt, of its failure, and how often the frame
/// gets through, in any unit.
#[derive(Clone, Copy, Default)]
struct Chances {
    attempt: f64,
    failure: f64,
    success: f64,
}

/// Stations that have two categories, the second the higher one, or so many stations of each.
#[derive(Clone, Copy)]
enum Stations {
    OfBoth(i32),
    OfEach(i32),
}

/// Slots since the shortest AIFS are zones, in each of which those contend whose own AIFS is over; any frame leads back to
/// the first. Attempts of a category fail as often as, over its zones, anyone else transmits.
fn model(categories: [Category; 2], stations: Stations) -> [Chances; 2] {
    let least = categories[0].aifsn.min(categories[1].aifsn);
    let mut chances = [Chances { failure: 0.1, ..Chances::default() }; 2];
    for _ in 0..2_000 {
        for (it, category) in chances.iter_mut().zip(&categories) {
            it.attempt = category.attempts(it.failure);
        }
        let (mut here, mut of, mut alone) = (1.0, [0.0; 2], [0.0; 2]);
        for zone in 0..4_000_u16 {
            let counts = categories.map(|it| zone >= u16::from(it.aifsn - least));
            let silent = [0, 1].map(|i| if counts[i] { 1.0 - chances[i].attempt } else { 1.0 });
            let (all, others) = match stations {
                // A lower category gives way to the higher one of its station, and that one does not notice it.
                Stations::OfBoth(n) => {
                    let others = (silent[0] * silent[1]).powi(n - 1);
                    (others * silent[0] * silent[1], [others * silent[1], others])
                }
                Stations::OfEach(n) => {
                    let all = (silent[0] * silent[1]).powi(n);
                    (all, silent.map(|own| all / own))
                }
            };
            for i in [0, 1].into_iter().filter(|i| counts[*i]) {
                of[i] += here;
                alone[i] += here * others[i];
            }
            here *= all;
        }
        for i in [0, 1] {
            let failure = 1.0 - alone[i] / of[i];
            chances[i].failure += 0.1 * (failure - chances[i].failure);
            chances[i].success = chances[i].attempt * alone[i];
        }
    }
    chances
}

/// Share of the frames that are of the higher category, in a run of so many seconds.
fn measured(categories: [Category; 2], stations: Stations, seconds: u64) -> f64 {
    let mut text = format!(
        "duration = \"{seconds} s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11n\"\naggregation = \"off\"\n\
         after_collision = \"difs\"\nmax_attempts = \"unlimited\"\n[host.h]\nlink = {{ rate = \"1000 Mb/s\" }}\n"
    );
    let edca = categories.map(|Category { name, aifsn, cw_min, cw_max }| {
        let own =
            format!("aifsn = {aifsn}, cw_min = {cw_min}, cw_max = {cw_max}, txop_limit = \"0 s\"");
        if name == "best effort" { own } else { format!("{name} = {{ {own} }}") }
    });
    let mut station = |name: &str, count| {
        let edca = edca.join(", ");
        let _ = writeln!(text, "[station.{name}]\ncount = {count}\nedca = {{ {edca} }}");
    };
    let groups = match stations {
        Stations::OfBoth(n) => {
            station("s", n);
            ["s", "s"]
        }
        Stations::OfEach(n) => {
            for name in ["s", "t"] {
                station(name, n);
            }
            ["s", "t"]
        }
    };
    for (flow, (group, category)) in ["low", "high"].iter().zip(groups.iter().zip(categories)) {
        let _ = writeln!(
            text,
            "[flow.{flow}]\nfrom = \"{group}\"\nto = \"h\"\ntransport = {SATURATED}\naccess_category = \"{}\"",
            category.name
        );
    }
    let outcome = run_once(&parse(&text), 0);
    let flows = outcome.flows.len();
    let received = |from: usize| -> f64 {
        let all = outcome.flows[from..from + flows / 2].iter();
        all.map(|flow| Duration::from_nanos(flow.packets_received).as_secs_f64()).sum()
    };
    let (low, high) = (received(0), received(flows / 2));
    high / (low + high)
}

/// By windows alone, by AIFSN alone, by both, and where each station has both categories, which collide within it.
///
/// Verifies: [xu-2009], [80211-2020 §10.23.2.4]
#[test]
fn categories_share_as_their_model_says() {
    let category = |name, aifsn, cw_min, cw_max| Category { name, aifsn, cw_min, cw_max };
    let low = category("best effort", 3, 31, 1023);
    let narrow = category("video", 3, 15, 1023);
    let early = category("video", 2, 31, 1023);
    let both = category("voice", 2, 15, 63);
    let late = category("background", 5, 31, 1023);
    for (categories, stations) in [
        ([low, narrow], Stations::OfEach(5)),
        ([low, early], Stations::OfEach(5)),
        ([low, both], Stations::OfEach(4)),
        ([late, low], Stations::OfEach(5)),
        ([low, early], Stations::OfBoth(5)),
        ([low, narrow], Stations::OfBoth(5)),
        ([late, low], Stations::OfBoth(10)),
    ] {
        let [low, high] = model(categories, stations);
        let expected = high.success / (low.success + high.success);
        let share = measured(categories, stations, 30);
        let error = share / expected - 1.0;
        let of_low = (1.0 - share) / (1.0 - expected) - 1.0;
        assert!(error.abs() < 0.03 && of_low.abs() < 0.03, "{share} where {expected} is expected");
    }
}

/// EF is voice, AF41 video, CS1 background; what no service class has, best effort.
///
/// Verifies: [RFC8325 §4.3]
#[test]
fn a_code_point_is_the_same_as_its_category() {
    let run = |key: &str| {
        let text = format!(
            "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11ax\"\n[station.s]\n[host.h]\n\
             [flow.other]\nfrom = \"s\"\nto = \"h\"\ntransport = {SATURATED}\n\
             [flow.f]\nfrom = \"h\"\nto = \"s\"\ntransport = {SATURATED}\n{key}\n"
        );
        run_once(&parse(&text), 0).record_hash
    };
    let all = [(46, "voice"), (34, "video"), (8, "background"), (63, "best effort")];
    let hashes = all.map(|(dscp, category)| {
        let hash = run(&format!("access_category = \"{category}\""));
        assert_eq!(run(&format!("dscp = {dscp}")), hash, "{category}");
        hash
    });
    assert!((1..4).all(|i| !hashes[..i].contains(&hashes[i])), "categories make a difference");
}
