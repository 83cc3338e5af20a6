//! Scenarios that several tests share.

use std::fmt::Write as _;

use airfair_sim::outcome::Outcome;
use airfair_sim::run::{Control, run};
use airfair_sim::scenario::Scenario;

/// Parses a scenario without mistakes.
pub(crate) fn parse(text: &str) -> Scenario {
    Scenario::parse(text, &[]).unwrap_or_else(|errors| {
        let lines: Vec<String> = errors.iter().map(ToString::to_string).collect();
        panic!("{}", lines.join("\n"))
    })
}

/// Runs a scenario under seed 1.
pub(crate) fn run_once(scenario: &Scenario, replication: u32) -> Outcome {
    run(scenario, 1, replication, &Control::default()).expect("nobody cancels")
}

/// Text of a cell with stations `s1 …` that send to a wired host, one flow each.
pub(crate) fn uploads(cell: &str, rates: &[&str], transport: &str, seconds: u32) -> String {
    let mut text = format!("duration = \"{seconds} s\"\n[bss.cell]\n{cell}\n");
    for (index, rate) in (1..).zip(rates) {
        let _ = write!(
            text,
            "[station.s{index}]\nrate = \"{rate}\"\n\
             [flow.f{index}]\nfrom = \"s{index}\"\nto = \"server\"\ntransport = {transport}\n"
        );
    }
    text + "[host.server]\nlink = { rate = \"100 Mb/s\", delay = \"2 ms\" }\n"
}

/// TCP with default settings.
pub(crate) const TCP: &str = "{ kind = \"tcp\" }";
/// A source that always has a packet of 1500 octets to send.
pub(crate) const SATURATED: &str = "{ kind = \"udp\", payload = \"1472 B\", rate = \"saturated\" }";
