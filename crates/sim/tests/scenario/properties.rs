//! For any text: no panic, and an accepted scenario is written and read back unchanged.

use airfair_sim::scenario::{Driver, Scenario};
use proptest::prelude::*;

use super::neighbours::HOUSE;

const FILES: [&str; 14] = [
    include_str!("../../../../scenarios/one-slow-station.toml"),
    include_str!("../../../../scenarios/one-slow-station-arf-aware.toml"),
    include_str!("../../../../scenarios/saturated-cell.toml"),
    include_str!("../../../../scenarios/walking-away.toml"),
    include_str!("../../../../scenarios/hidden-stations.toml"),
    include_str!("../../../../scenarios/b-station-in-a-g-cell.toml"),
    include_str!("../../../../scenarios/download.toml"),
    include_str!("../../../../scenarios/airtime-fair-access-point.toml"),
    include_str!("../../../../scenarios/home-far-laptop.toml"),
    include_str!("../../../../scenarios/classroom.toml"),
    include_str!("../../../../scenarios/b-and-n-clients.toml"),
    include_str!("../../../../scenarios/ofdma.toml"),
    RICH,
    HOUSE,
];

/// A scenario with one item of each kind.
const RICH: &str = r#"
title = "all of it"
duration = "50 s"
warmup = "1.5 s"
series = "off"
seed = 0x2a
replications = 10
[bss.home]
standard = "802.11g"
basic_rates = ["2 Mb/s", "1 Mb/s"]
rts_threshold = "500 B"
protection = false
max_attempts = "unlimited"
after_collision = "difs"
post_backoff = false
cw_min = 3
cw_max = 63
llc_snap = false
ap.queue = { packets = 20, discipline = "fifo" }
[station.s]
count = 3
standard = "802.11b"
rate = { up = [["0 s", "11 Mb/s"], ["20 s", "1 Mb/s"]], down = "2 Mb/s" }
senses_only = ["t", "r1"]
[station.r]
count = 3
[station.t]
queue = { packets = 2 }
[host.h]
link = { to = "home", rate = "1 Gb/s", delay = "3 ms", queue = { packets = 10 } }
[flow.relay]
from = "s"
to = "r"
start = "1 s"
stop = "10 s"
control = { scheme = "arf-aware", variant = "one-shot" }
[flow.relay.transport]
kind = "tcp"
segment = "1000 B"
size = "10 MB"
delayed_ack = { segments = 2, timeout = "100 ms" }
initial_window = 1
initial_ssthresh = 20
receive_window = "1 MB"
window_scaling = true
min_rto = "200 ms"
limited_transmit = false
byte_counting = false
grow_beyond_receive_window = true
handshake = false
[flow.down]
from = "h"
to = "s2"
transport = { kind = "udp", payload = "1000 B", rate = "2 Mb/s" }
[flow.capped]
from = "t"
to = "h"
transport = { kind = "tfrc" }
control = { scheme = "rate-cap", share = 0.25 }
"#;

/// Values that are valid for some keys and not for others.
const VALUES: [&str; 17] = [
    "1",
    "-1",
    "true",
    "\"\"",
    "\"off\"",
    "\"1 s\"",
    "\"1 Mb/s\"",
    "\"100 B\"",
    "[]",
    "{}",
    "1e400",
    "[[\"0 s\", \"1 Mb/s\"]]",
    "{ kind = \"udp\" }",
    "{ kind = \"tfrc\", profile = \"ns-2\", rate = \"1 Mb/s\" }",
    "\"s\"",
    "1979-05-27",
    "99999999999999999999",
];

#[derive(Clone, Debug)]
enum Mutation {
    Byte(prop::sample::Index, u8),
    Truncate(prop::sample::Index),
    DeleteLine(prop::sample::Index),
    DuplicateLine(prop::sample::Index),
    SwapValues(prop::sample::Index, prop::sample::Index),
    SetValue(prop::sample::Index, usize),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    prop_oneof![
        (index(), any::<u8>()).prop_map(|(i, byte)| Mutation::Byte(i, byte)),
        (index(), prop::sample::select(b"[]{}=\".,\n #0".to_vec()))
            .prop_map(|(i, byte)| Mutation::Byte(i, byte)),
        index().prop_map(Mutation::Truncate),
        index().prop_map(Mutation::DeleteLine),
        index().prop_map(Mutation::DuplicateLine),
        (index(), index()).prop_map(|(a, b)| Mutation::SwapValues(a, b)),
        (index(), 0..VALUES.len()).prop_map(|(i, value)| Mutation::SetValue(i, value)),
    ]
}

fn mutate(text: &[u8], mutation: &Mutation) -> Vec<u8> {
    let mut lines: Vec<Vec<u8>> = text.split(|byte| *byte == b'\n').map(<[u8]>::to_vec).collect();
    let value_at = |line: &[u8]| line.iter().position(|byte| *byte == b'=').map(|n| n + 1);
    match mutation {
        Mutation::Byte(i, byte) if !text.is_empty() => {
            let mut text = text.to_vec();
            *i.get_mut(&mut text) = *byte;
            return text;
        }
        Mutation::Truncate(i) => return text[..i.index(text.len() + 1)].to_vec(),
        Mutation::Byte(..) => {}
        Mutation::DeleteLine(i) => drop(lines.remove(i.index(lines.len()))),
        Mutation::DuplicateLine(i) => lines.push(i.get(&lines).clone()),
        Mutation::SwapValues(a, b) => {
            let (a, b) = (a.index(lines.len()), b.index(lines.len()));
            if let (Some(at_a), Some(at_b)) = (value_at(&lines[a]), value_at(&lines[b]))
                && a != b
            {
                let (tail_a, tail_b) = (lines[a].split_off(at_a), lines[b].split_off(at_b));
                lines[a].extend(tail_b);
                lines[b].extend(tail_a);
            }
        }
        Mutation::SetValue(i, value) => {
            let line = i.get_mut(&mut lines);
            if let Some(at) = value_at(line) {
                line.truncate(at);
                line.extend(VALUES[*value].as_bytes());
            }
        }
    }
    lines.join(&b'\n')
}

fn check(bytes: &[u8], overrides: &[(String, String)]) -> Result<(), TestCaseError> {
    match Scenario::load(bytes, overrides, &mut |_| Ok(Vec::new()), Driver::Run) {
        Ok(scenario) => {
            let text = scenario.to_toml();
            prop_assert_eq!(Scenario::parse(&text, &[]), Ok(scenario), "{}", text);
        }
        Err(errors) => {
            prop_assert!(!errors.is_empty());
            for (i, error) in errors.iter().enumerate() {
                let line = error.to_string();
                prop_assert!(!line.is_empty() && !line.contains('\n'), "{:?}", line);
                prop_assert!(!errors[..i].contains(error), "told twice: {}", line);
            }
        }
    }
    Ok(())
}

#[test]
fn each_file_is_read_back_as_it_was_written() {
    for text in FILES {
        let scenario = Scenario::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors:#?}"));
        assert_eq!(Scenario::parse(&scenario.to_toml(), &[]), Ok(scenario));
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(750))]

    #[test]
    fn no_mutation_of_a_scenario_panics(
        file in 0..FILES.len(),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let mut bytes = FILES[file].as_bytes().to_vec();
        for mutation in &mutations {
            bytes = mutate(&bytes, mutation);
        }
        check(&bytes, &[])?;
    }

    #[test]
    fn no_mutation_of_a_resolved_scenario_panics(
        file in 0..FILES.len(),
        mutations in prop::collection::vec(mutation(), 1..4),
    ) {
        let mut bytes = Scenario::parse(FILES[file], &[]).unwrap().to_toml().into_bytes();
        for mutation in &mutations {
            bytes = mutate(&bytes, mutation);
        }
        check(&bytes, &[])?;
    }

    #[test]
    fn no_override_panics(
        path in prop::collection::vec(prop::sample::select(vec![
            "", "bss", "home", "station", "s", "flow", "relay", "transport", "rate", "count", "size", "x y",
        ]), 1..5),
        value in prop::sample::select(VALUES.to_vec()),
    ) {
        check(RICH.as_bytes(), &[(path.join("."), value.to_owned())])?;
    }

    #[test]
    fn no_bytes_panic(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes, &[])?;
    }
}
