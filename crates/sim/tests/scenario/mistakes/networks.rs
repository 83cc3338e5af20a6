//! Mistakes in a network of cells, hosts, routers and links.

use airfair_sim::scenario::Scenario;

use super::messages;

const TWO_CELLS: &str = r#"
duration = "1 s"
[bss.home]
standard = "802.11b"
[bss.office]
standard = "802.11a"
[station.here]
bss = "home"
[station.there]
bss = "office"
rate = "54 Mb/s"
[host.server]
link = { to = "hub" }
[router.hub]
[link.one]
between = ["home", "hub"]
[link.two]
between = ["hub", "office"]
queue = { bytes = "30 kB", discipline = "red" }
loss = { model = "bernoulli", probability = 0.01, towards = "hub" }
[flow.a]
from = "here"
to = "there"
transport = { kind = "tcp" }
"#;

/// Mistakes in a network of two cells: key, value and message.
const NETWORKS: &[(&str, &str, &str)] = &[
    (
        "station.here",
        "{ rate = \"1 Mb/s\" }",
        r#"station.here.bss: missing, and there are several cells; allowed "home", "office""#,
    ),
    (
        "station.here.senses_only",
        r#"["there"]"#,
        r#"station.here.senses_only[0] = "there": in another cell; allowed stations of the same cell"#,
    ),
    (
        "station.there.rate",
        "11 Mb/s",
        r#"station.there.rate = "11 Mb/s": not an 802.11a rate; allowed 6, 9, 12, 18, 24, 36, 48, 54 Mb/s"#,
    ),
    (
        "host.server.link",
        "{ rate = \"1 Mb/s\" }",
        "host.server.link.to: missing, and there are several cells; allowed a node",
    ),
    (
        "host.server.link.to",
        "here",
        r#"host.server.link.to = "here": a station, not a cell, router or host; allowed "home", "hub", "office", "server""#,
    ),
    (
        "host.server.link.to",
        "server",
        r#"host.server.link.to = "server": the host itself; allowed another node"#,
    ),
    (
        "link.one.between",
        r#"["home"]"#,
        r#"link.one.between = ["home"]: not two nodes; allowed a list of two names"#,
    ),
    (
        "link.one.between",
        r#"["hub", "hub"]"#,
        r#"link.one.between[1] = "hub": both ends are one node; allowed another node"#,
    ),
    (
        "link.one.between",
        r#"["hub", "two"]"#,
        r#"link.one.between[1] = "two": a link, not a cell, router or host; allowed "home", "hub", "office", "server""#,
    ),
    (
        "link.two.loss.towards",
        "home",
        r#"link.two.loss.towards = "home": not an end of this link; allowed one of the two nodes it joins"#,
    ),
    (
        "link.two.loss.probability",
        "1.5",
        "link.two.loss.probability = 1.5: out of range; allowed a number from 0 to 1",
    ),
    (
        "link.two.loss.model",
        "bernouli",
        r#"link.two.loss.model = "bernouli": no such loss model, did you mean "bernoulli"?; allowed "bernoulli", "gilbert-elliott""#,
    ),
    (
        "link.two.queue.packets",
        "10",
        r#"link.two.queue.bytes = "30 kB": set together with packets; allowed one of the two"#,
    ),
    (
        "link.two.queue.red.min",
        "15",
        "link.two.queue.red.min = 15: min is not less than max; allowed less than max, 15",
    ),
    (
        "link.one.queue.red.min",
        "3",
        r#"link.one.queue.red = { min = 3 }: set for another discipline; allowed discipline = "red""#,
    ),
    (
        "flow.a.to",
        "hub",
        r#"flow.a.to = "hub": a router, not a station or host; allowed "here", "server", "there""#,
    ),
    (
        "flow.a.start_jitter",
        "1 s",
        r#"flow.a.start_jitter = "1 s": the flow could start after the end of the run; allowed start + start_jitter before 1 s"#,
    ),
    (
        "link.two.between",
        r#"["hub", "server"]"#,
        "flow.a: no route from one end to the other; allowed links between them, at most 1000 on the route",
    ),
];

#[test]
fn what_is_wrong_with_a_network_is_told_once() {
    let read = |set: &[(String, String)]| Scenario::parse(TWO_CELLS, set);
    assert_eq!(read(&[]).expect("no mistake").links.len(), 3);
    for (path, value, expected) in NETWORKS {
        let set = [((*path).to_owned(), (*value).to_owned())];
        // A link with an unknown end has no directions for its losses.
        let no_loss = ("link.two.loss".to_owned(), "none".to_owned());
        let set =
            if *path == "link.two.between" { vec![no_loss, set[0].clone()] } else { set.into() };
        assert_eq!(messages(read(&set)), [*expected]);
    }
}

#[test]
fn hosts_alone_need_no_cell_but_something_to_be_linked_to() {
    let text = "duration = \"1 s\"\n[host.a]\n[host.b]\nlink = { to = \"a\" }\n[flow.f]\n\
                from = \"a\"\nto = \"b\"\ntransport = { kind = \"tcp\" }\n";
    let wanted = "host.a.link.to: missing, and there is no cell; allowed a router or another host";
    assert_eq!(messages(Scenario::parse(text, &[])), [wanted]);
    let set = [("host.a.link.to".to_owned(), "b".to_owned())];
    assert_eq!(Scenario::parse(text, &set).expect("no mistake").cells, []);
}
