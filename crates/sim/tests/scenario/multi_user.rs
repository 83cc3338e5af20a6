//! Keys of a cell's multi-user frames: defaults, values, and the written file.

use airfair_sim::scenario::Scenario;
use airfair_units::{Dbm, Duration};
use airfair_wlan::MultiUser;
use airfair_wlan::multi_user::{MuEdca, MuMimo, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::GuardInterval;

fn parse(cell: &str) -> Scenario {
    parse_with(cell, "")
}

/// Scenario with these keys of its cell and of its station.
fn parse_with(cell: &str, station: &str) -> Scenario {
    let text = format!(
        "duration = \"9 s\"\n[bss.home]\nstandard = \"802.11ax\"\n{cell}\n[station.s]\n{station}\n[host.h]\n[flow.f]\nfrom = \"s\"\n\
         to = \"h\"\ntransport = {{ kind = \"tcp\" }}\n"
    );
    Scenario::parse(&text, &[]).unwrap_or_else(|errors| panic!("{cell}: {errors:#?}"))
}

fn multi_user(cell: &str) -> MultiUser {
    parse(cell).cells[0].rules.multi_user
}

#[test]
fn a_cell_that_sets_none_has_none_and_does_not_write_them() {
    let scenario = parse("");
    assert_eq!(scenario.cells[0].rules.multi_user, MultiUser::default());
    let written = scenario.to_toml();
    assert!(!written.contains("ofdma") && !written.contains("mu_edca"), "{written}");
    assert_eq!(parse("ofdma = \"off\"\nmu_edca = \"off\""), scenario);
}

#[test]
fn empty_tables_have_the_defaults() {
    let of = multi_user("ofdma = {}");
    assert_eq!(of, MultiUser { ofdma: Some(Ofdma::default()), ..MultiUser::default() });
    let of = multi_user("ofdma.up = \"round-robin\"\nmu_edca = {}");
    assert_eq!(of.mu_edca, Some(MuEdca::default()));
}

#[test]
fn each_key_sets_its_field_and_is_read_back() {
    let cell = "ofdma = { down = \"deadline\", up = \"largest-backlog\", users = 8, ack = \"aggregated-mu-bar\", \
                trigger_every = \"5 ms\", poll = true, up_guard_interval = \"1600 ns\", random = 2, \
                target_rssi = \"-60 dBm\" }\nradio = {}\n\
                mu_edca = { aifsn = 0, cw_min = 31, cw_max = 63, timer = \"16384 us\" }\n\
                streams = 4\nmu_mimo = { users = 3, sounding_every = \"7 ms\" }";
    let ofdma = Ofdma {
        down: Some(Scheduler::Deadline),
        up: Some(Scheduler::LargestBacklog),
        users: 8,
        ack: MultiUserAck::AggregatedMuBar,
        trigger_every: Some(Duration::from_millis(5)),
        poll: true,
        up_guard_interval: GuardInterval::Ns1600,
        random: 2,
        target_rssi: Some(Dbm::new(-60)),
    };
    let timer = Duration::from_micros(2 * 8_192);
    let mu_edca = MuEdca { aifsn: 0, cw_min: 31, cw_max: 63, timer };
    let scenario = parse_with(cell, "position = [\"1 m\", \"0 m\"]");
    let of = scenario.cells[0].rules.multi_user;
    let mu_mimo = MuMimo { users: 3, sounding_every: Duration::from_millis(7) };
    let (ofdma, mu_edca, mu_mimo) = (Some(ofdma), Some(mu_edca), Some(mu_mimo));
    assert_eq!(of, MultiUser { ofdma, mu_edca, mu_mimo });
    assert_eq!(Scenario::parse(&scenario.to_toml(), &[]), Ok(scenario));
}
