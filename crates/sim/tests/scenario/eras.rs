//! Defaults by era: their values, where they apply, and the keys to which they give way.

use airfair_sim::scenario::{
    AppliedDefault, Discipline, Driver, Flow, Scenario, Tcp, TcpTransfer, Transport,
};
use airfair_transport::tcp::{Arithmetic, Flavour, LossRecovery};
use airfair_units::{Bytes, DataRate, Duration};

/// Text of a scenario with a download and an upload of a station in a cell, followed by the sections `more`.
fn text(standard: &str, transport: &str, more: &str) -> String {
    format!(
        "duration = \"9 s\"\n[bss.home]\nstandard = \"{standard}\"\n[station.near]\n[host.h]\n\
         [flow.down]\nfrom = \"h\"\nto = \"near\"\ntransport = {{ kind = \"tcp\"{transport} }}\n\
         [flow.up]\nfrom = \"near\"\nto = \"h\"\ntransport = {{ kind = \"tcp\" }}\n{more}"
    )
}

fn parse(text: &str) -> Scenario {
    Scenario::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"))
}

fn applied(text: &str) -> Vec<AppliedDefault> {
    Scenario::applied_defaults(text, &[], Driver::Run)
}

fn tcp(flow: &Flow) -> &Tcp {
    let Transport::Tcp(tcp) = &flow.transport else { panic!("TCP") };
    tcp
}

/// Keys of one section of a scenario text that the file leaves open, and whose default is that of cells of 802.11n
/// and later.
fn keys_of(text: &str, section: &str) -> Vec<String> {
    let of_section = |it: &AppliedDefault| it.section == section;
    applied(text).into_iter().filter(of_section).map(|it| it.key).collect()
}

#[test]
fn a_cell_of_today_has_hosts_and_queues_of_linux() {
    for standard in ["802.11n", "802.11ac", "802.11ax", "802.11be"] {
        let scenario = parse(&text(standard, "", ""));
        let [down, up] = [0, 1].map(|flow| tcp(&scenario.flows[flow]));
        for flow in [down, up] {
            assert_eq!(flow.sender.flavour, Flavour::Cubic);
            assert_eq!(flow.sender.loss_recovery, LossRecovery::Rack);
            assert_eq!(flow.sender.arithmetic, Arithmetic::Linux);
            assert!(flow.sender.uses_sack() && flow.sender.timestamps);
            assert!(flow.receiver.tunes_window && flow.receiver.window_scaling);
            // Half of 6 MiB.
            assert_eq!(flow.receiver.buffer, Bytes::new(3 << 20));
            assert_eq!(flow.sender.segment, Bytes::new(1_448));
            assert_eq!(flow.sender.initial_window, 10);
            assert!(flow.keeps_refused);
        }
        assert_eq!(down.sender.small_queue, Some(Duration::from_millis(1)));
        assert_eq!(up.sender.small_queue, Some(Duration::from_millis(8)));
        let ap = scenario.cells[0].ap.queue.config;
        assert!(matches!(ap.discipline, Discipline::FqCoDel { queues: 1_024, .. }));
        assert_eq!(scenario.stations[0].queue.config.packets, 1_000);
        assert_eq!(scenario.links[0].rate, DataRate::from_mbps(10_000));
    }
}

#[test]
fn a_legacy_cell_keeps_its_defaults() {
    for standard in ["802.11b", "802.11g", "802.11a"] {
        let text = text(standard, "", "");
        assert_eq!(applied(&text), []);
        let scenario = parse(&text);
        assert_eq!(*tcp(&scenario.flows[0]), *tcp(&parse_named_legacy(standard).flows[0]));
        assert_eq!(scenario.cells[0].ap.queue.config.packets, 50);
        assert_eq!(scenario.links[0].rate, DataRate::from_mbps(100));
    }
}

/// The scenario in a legacy cell of `standard`, with the legacy value of each key that differs by era set explicitly.
fn parse_named_legacy(standard: &str) -> Scenario {
    let named = applied(&text("802.11n", "", ""));
    let keys = named.iter().filter(|it| it.section == "flow.down");
    let set = |it: &AppliedDefault| (format!("flow.down.{}", it.key), it.legacy.to_owned());
    let overrides: Vec<_> = keys.map(set).collect();
    Scenario::parse(&text(standard, "", ""), &overrides).expect("values that a file may have")
}

#[test]
fn whatever_the_file_says_wins_and_each_default_stands_by_itself() {
    let transport = ", flavour = \"reno\", receive_window = \"20 kB\", delayed_ack = false";
    let text = text("802.11ac", transport, "");
    let scenario = parse(&text);
    let down = tcp(&scenario.flows[0]);
    assert_eq!(down.sender.flavour, Flavour::Reno);
    assert_eq!(down.receiver.buffer, Bytes::new(20_000));
    assert_eq!(down.receiver.delayed_ack, None);
    assert_eq!(down.sender.loss_recovery, LossRecovery::Rack);
    let keys = keys_of(&text, "flow.down");
    assert!(!keys.iter().any(|key| key.ends_with("flavour") || key.ends_with("delayed_ack")));
    assert!(keys.iter().any(|key| key == "transport.quick_acks"));
}

#[test]
fn a_default_that_other_keys_exclude_gives_way() {
    let cases = [
        ("flavour = \"vegas\"", "arithmetic"),
        ("flavour = \"westwood\"", "arithmetic"),
        ("flavour = \"westwood+\"", "arithmetic"),
        ("sack = false", "loss_recovery"),
        ("window_scaling = false", "receive_window"),
        ("timestamps = false", "segment"),
        ("segment = \"1460 B\"", "timestamps"),
        ("segment = \"2256 B\"", "timestamps"),
    ];
    for (said, gone) in cases {
        let text = text("802.11ax", &format!(", {said}"), "");
        let scenario = parse(&text);
        let keys = keys_of(&text, "flow.down");
        assert!(!keys.contains(&format!("transport.{gone}")), "{said}: {keys:?}");
        let selective = usize::from(said.contains("westwood+"));
        let usual = keys_of(&text, "flow.up").len();
        assert_eq!(keys.len(), usual - 2 - selective, "{said}: all others stay");
        assert_eq!(Scenario::parse(&scenario.to_toml(), &[]), Ok(scenario), "{said}");
    }
}

#[test]
fn a_queue_that_the_file_describes_stays_a_fifo_and_does_not_limit() {
    let with = |queue: &str| {
        let set = [
            ("bss.home.ap.queue".to_owned(), queue.to_owned()),
            ("station.near.queue".to_owned(), queue.to_owned()),
        ];
        let scenario = Scenario::parse(&text("802.11n", "", ""), &set).expect("no mistake");
        [scenario.cells[0].ap.queue.config, scenario.stations[0].queue.config]
    };
    for queue in with("{ ack_filter = true }") {
        assert_eq!((queue.packets, queue.discipline), (1_000, Discipline::Fifo));
    }
    assert_eq!(with("{ packets = 20 }").map(|queue| queue.packets), [20; 2]);
    let codel = with("{ discipline = \"codel\" }");
    assert!(codel.iter().all(|queue| matches!(queue.discipline, Discipline::CoDel(_))));
}

/// A flow between two cells has the defaults of the newest cell on its path, and so has a link that it crosses. A flow
/// within the 802.11g cell keeps the legacy defaults.
#[test]
fn the_newest_cell_on_the_path_decides_and_other_paths_keep_their_defaults() {
    let text = "duration = \"9 s\"\n[bss.old]\nstandard = \"802.11g\"\n[bss.n]\nstandard = \"802.11n\"\n\
                [bss.ax]\nstandard = \"802.11ax\"\n[station.g]\nbss = \"old\"\n[station.web]\nbss = \"n\"\ncount = 12\n\
                [station.x]\nbss = \"ax\"\n[host.one]\nlink = { to = \"old\" }\n[router.r]\n\
                [link.a]\nbetween = [\"old\", \"r\"]\n[link.b]\nbetween = [\"r\", \"ax\"]\n[link.c]\nbetween = [\"r\", \"n\"]\n\
                [flow.legacy]\nfrom = \"one\"\nto = \"g\"\ntransport = { kind = \"tcp\" }\n\
                [flow.across]\nfrom = \"g\"\nto = \"x\"\ntransport = { kind = \"tcp\" }\n\
                [flow.both]\nfrom = \"web12\"\nto = \"x\"\ntransport = { kind = \"tcp\" }\n";
    let scenario = parse(text);
    let flavours: Vec<_> = scenario.flows.iter().map(|flow| tcp(flow).sender.flavour).collect();
    assert_eq!(flavours, [Flavour::NewReno, Flavour::Cubic, Flavour::Cubic]);
    let applied = applied(text);
    let standard = |section: &str| {
        let of = applied.iter().find(|it| it.section == section);
        of.map(|it| (it.cell.as_str(), it.standard))
    };
    assert_eq!(standard("flow.legacy"), None);
    assert_eq!(standard("flow.both"), Some(("ax", "802.11ax")));
    assert_eq!(standard("station.web"), Some(("n", "802.11n")));
    assert_eq!(standard("host.one"), None);
    assert_eq!(standard("link.c"), Some(("ax", "802.11ax")));
    let rates: Vec<_> = scenario.links.iter().map(|link| link.rate).collect();
    assert_eq!(rates, [100, 10_000, 10_000, 10_000].map(DataRate::from_mbps));
    assert_eq!(scenario.stations[0].queue.config.packets, 50);
}

#[test]
fn ends_with_the_kernels_tcp_take_no_default() {
    let text = text("802.11ac", ", stack = \"kernel\"", "");
    let sections: Vec<_> = Scenario::applied_defaults(&text, &[], Driver::Emulation)
        .into_iter()
        .map(|it| it.section)
        .collect();
    assert!(!sections.contains(&"flow.down".to_owned()));
    assert!(sections.contains(&"flow.up".to_owned()));
}

#[test]
fn a_scenario_that_names_the_defaults_is_the_same() {
    for standard in ["802.11n", "802.11ac", "802.11ax", "802.11be"] {
        let text = text(standard, ", size = \"1 MB\"", "");
        let said = |it: AppliedDefault| (format!("{}.{}", it.section, it.key), it.value.to_owned());
        let overrides: Vec<_> = applied(&text).into_iter().map(said).collect();
        let named = Scenario::parse(&text, &overrides).expect("values that a file may have");
        assert_eq!(Scenario::applied_defaults(&text, &overrides, Driver::Run), []);
        let open = parse(&text);
        assert_eq!(tcp(&open.flows[0]).sender.transfer, TcpTransfer::Bytes(Bytes::new(1_000_000)));
        assert_eq!(open, named);
        assert_eq!(parse(&open.to_toml()), open);
    }
}

#[test]
fn a_mistake_is_told_once_where_defaults_hold() {
    let cases = [
        ("[flow.g]\nfrom = \"h\"\nto = \"near\"\ntransport = 5\n", "flow.g.transport"),
        (
            "[flow.g]\nfrom = \"nobody\"\nto = \"near\"\ntransport = { kind = \"tcp\" }\n",
            "flow.g.from",
        ),
        ("[host.g]\nlink = \"fast\"\n", "host.g.link"),
        ("[station.g]\nqueue = 5\n", "station.g.queue"),
        ("[station.g]\nqueue = { discipline = 5 }\n", "station.g.queue.discipline"),
    ];
    for (more, path) in cases {
        let errors = Scenario::parse(&text("802.11ax", "", more), &[]).expect_err(path);
        assert_eq!(errors.len(), 1, "{errors:?}");
        assert_eq!(errors[0].path, path);
    }
    let slip = text("802.11ax", ", flavor = \"vegas\"", "");
    assert_eq!(Scenario::parse(&slip, &[]).expect_err("a slip").len(), 1);
}
