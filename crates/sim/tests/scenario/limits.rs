//! The largest scenarios: every accepted one can be written and read again.

use std::fmt::Write as _;

use airfair_sim::scenario::{MAX_FILE, Scenario};

/// A name of 64 characters, the longest allowed.
fn name(prefix: char, number: usize) -> String {
    format!("{prefix}{number:063}")
}

/// Text of a scenario with as many flows, hosts and links as allowed, with the longest names, and with some stations.
fn largest(stations: usize, flow: &str) -> String {
    let mut text =
        "duration = \"1 s\"\nseries = \"off\"\n[bss.home]\nstandard = \"802.11g\"\n".to_owned();
    for i in 0..stations {
        let station = "rate = { control = \"arf\" }\nqueue = { packets = 100, discipline = \"fq-codel\" }\n\
                       errors = { model = \"gilbert-elliott\", good = 0.001, bad = 0.5, \
                       mean_good = \"1234567 us\", mean_bad = \"123456 us\" }\n";
        write!(text, "[station.{}]\n{station}", name('s', i)).expect("a String takes any text");
    }
    let hosts = 1_000;
    for i in 0..hosts {
        let loss = "loss = { model = \"gilbert-elliott\", good = 0.001, bad = 0.5, to_bad = 0.001, to_good = 0.5 }";
        let link =
            format!("to = \"home\", {loss}, queue = {{ discipline = \"red\", packets = 100 }}");
        write!(text, "[host.{}]\nlink = {{ {link} }}\n", name('h', i))
            .expect("a String takes any text");
    }
    for i in 0..10_000 {
        let ends = [i % hosts, (i + 1) % hosts].map(|host| name('h', host));
        write!(
            text,
            "[flow.{}]\nfrom = \"{}\"\nto = \"{}\"\n{flow}\n",
            name('f', i),
            ends[0],
            ends[1]
        )
        .expect("a String takes any text");
    }
    text
}

/// Checks that a scenario with the largest number of flows like `flow` is accepted, and that it is accepted again
/// after it has been written.
fn is_read_again(stations: usize, flow: &str) {
    let text = largest(stations, flow);
    assert!(text.len() < MAX_FILE, "{}", text.len());
    let scenario = Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{errors:#?}"));
    let written = scenario.to_toml();
    assert!(written.len() <= MAX_FILE, "{}", written.len());
    assert!(Scenario::parse(&written, &[]) == Ok(scenario));
}

#[test]
fn as_many_stations_and_flows_as_are_allowed_are_read_again() {
    is_read_again(
        5_000,
        "transport = { kind = \"tcp\", flavour = \"cubic\", size = \"123456789 B\" }\nstart = \"123456789 ns\"",
    );
}

#[test]
fn as_many_flows_of_frames_as_are_allowed_are_read_again() {
    is_read_again(
        1,
        "transport = { kind = \"tfrc\", source = { model = \"frames\", interval = \"40 ms\", \
         sizes = [\"1234 B\", \"12345 B\", \"1 B\"] } }",
    );
}

/// A scenario is refused if it could not be read again once written. Stations of a group that is hidden from another
/// group are written with the name of each member of the other group, and names have 64 characters.
#[test]
fn what_could_not_be_read_again_is_refused() {
    let hidden = |count: usize| {
        let (one, other) = ("g".repeat(60), "h".repeat(60));
        format!(
            "duration = \"1 s\"\n[bss.home]\nstandard = \"802.11b\"\n[station.{one}]\ncount = {count}\n\
             [station.{other}]\ncount = {count}\nhidden_from = [\"{one}\"]\n[host.x]\n[flow.f]\n\
             from = \"x\"\nto = \"{other}1\"\ntransport = {{ kind = \"tcp\" }}\n"
        )
    };
    // 2 · 400² names of 66 to 68 octets are 21 MB; 2 · 500² are 34 MB.
    let accepted = Scenario::parse(&hidden(400), &[]).expect("no mistake");
    assert!(Scenario::parse(&accepted.to_toml(), &[]) == Ok(accepted));
    let errors = Scenario::parse(&hidden(500), &[]).expect_err("too large");
    assert_eq!(errors.len(), 1);
    assert!(errors[0].to_string().contains("more than 24 MiB and could not be read again"));
}

/// The defaults of a cell of today depend on the routes of its flows, which are sought before delays are checked.
#[test]
fn the_longest_delay_that_can_be_written_is_a_mistake_with_an_address() {
    let delay = format!("{} ns", u64::MAX);
    let text = format!(
        "duration = \"1 s\"\n[bss.cell]\nstandard = \"802.11n\"\n[station.slow]\n[host.server.link]\ndelay = \"{delay}\"\n\
         [flow.slow]\nfrom = \"server\"\nto = \"slow\"\n"
    );
    let errors = Scenario::parse(&text, &[]).expect_err("no wire is as long");
    assert_eq!(errors[0].path, "host.server.link.delay");
    assert!(errors[0].to_string().contains(&delay), "{}", errors[0]);
}
