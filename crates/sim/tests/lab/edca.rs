//! Access categories of flows.

use crate::common::{SATURATED, parse, run_once};

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
