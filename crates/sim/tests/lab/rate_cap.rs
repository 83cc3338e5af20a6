//! The example scheme of CONTRIBUTING.md: a fixed share of a link's rate.

use crate::common::{parse, run_once};

const CONTRIBUTING: &str = include_str!("../../../../CONTRIBUTING.md");
const LAW: &str = include_str!("../../../laws/src/rate_cap.rs");
const AGENT: &str = include_str!("../../src/coupling/rate_cap.rs");
const CELL_KEYS: &str = include_str!("../../src/scenario/keys/cells.rs");
const AGENTS: &str = include_str!("../../src/coupling/agent.rs");
const SCHEMES: &str = include_str!("../../src/scenario/schemes.rs");

/// Goodput after 5 s of a flow whose station's rate falls from 54 to 6 Mb/s at 4 s [kb/s].
fn goodput(flow: &str) -> u64 {
    let text = format!(
        "duration = \"9 s\"\nwarmup = \"5 s\"\nseries = \"off\"\n[bss.c]\nstandard = \"802.11a\"\n\
         [station.s]\nrate = {{ up = [[\"0 s\", \"54 Mb/s\"], [\"4 s\", \"6 Mb/s\"]], down = \"54 Mb/s\" }}\n\
         [host.h]\nlink = {{ rate = \"100 Mb/s\", delay = \"20 ms\" }}\n\
         [flow.f]\nfrom = \"s\"\nto = \"h\"\n{flow}\n"
    );
    run_once(&parse(&text), 0).flows[0].delivered.bits() / 4_000
}

/// A flow is limited to a quarter of the station's new rate of 6 Mb/s, 1500 kb/s, for TFRC and for TCP. TCP's window
/// has whole segments, four or five here, and its ACKs are delayed. The last case is a connection that begins at 4.5
/// s, so that it had no round trip when the rate changed. Without the scheme each flow has more.
#[test]
fn a_flow_has_its_share_of_a_new_rate() {
    let cap = "control = { scheme = \"rate-cap\", share = 0.25 }";
    let tcp = "transport = { kind = \"tcp\" }\n";
    for (flow, least) in [
        ("transport = { kind = \"tfrc\" }\n".to_owned(), 1_400),
        (tcp.to_owned(), 1_000),
        (format!("{tcp}start = \"4500 ms\"\n"), 1_000),
    ] {
        let (plain, capped) = (goodput(&flow), goodput(&(flow.clone() + cap)));
        assert!((least..=1_510).contains(&capped), "{flow}{capped} kb/s");
        assert!(plain > 2 * capped, "{flow}{plain} kb/s");
    }
}

/// The scheme `rate-cap` has no effect if the rate does not change.
#[test]
fn no_change_is_no_limit() {
    let hash = |control: &str| {
        let text =
            crate::common::uploads("standard = \"802.11a\"", &["54 Mb/s"], "{ kind = \"tcp\" }", 2)
                .replacen("[host.server]", &format!("control = \"{control}\"\n[host.server]"), 1);
        run_once(&parse(&text), 0).record_hash
    };
    assert_eq!(hash("rate-cap"), hash("none"));
}

/// Each line of code that CONTRIBUTING.md shows is in the sources: those of the example scheme `rate-cap`, of the lists
/// of schemes, or of the keys of a cell.
#[test]
fn the_guide_shows_the_code_as_it_is() {
    let blocks: Vec<&str> = CONTRIBUTING
        .split("```rust\n")
        .skip(1)
        .map(|rest| rest.split("```").next().expect("a block ends"))
        .collect();
    assert!(blocks.len() >= 3, "{} blocks", blocks.len());
    for line in blocks.iter().flat_map(|block| block.lines()).map(str::trim) {
        let is_shown =
            [LAW, AGENT, AGENTS, SCHEMES, CELL_KEYS].iter().any(|file| file.contains(line));
        assert!(is_shown || line == "…", "CONTRIBUTING.md shows what is not there: {line}");
    }
}
