//! Mistakes in the channels of cells, and in the lists of members that they hear.

use airfair_sim::scenario::Scenario;

use super::messages;

/// Two cells on one channel, and a third on another one.
const HOUSE: &str = r#"
duration = "1 s"
[bss.home]
standard = "802.11n"
band = "2.4 GHz"
channel = 6
[bss.guest]
standard = "802.11g"
channel = 6
[bss.far]
standard = "802.11g"
channel = 11
[station.s]
bss = "home"
count = 2
[station.g]
bss = "guest"
[station.f]
bss = "far"
[host.server]
link = { to = "home" }
[flow.a]
from = "s1"
to = "server"
transport = { kind = "udp", payload = "500 B", rate = "saturated" }
"#;

/// Keys with values.
type Values = &'static [(&'static str, &'static str)];

/// Keys with values, and the messages.
const OF_NEIGHBOURS: &[(Values, &[&str])] = &[
    (
        &[("bss.home.channel", "36")],
        &[
            "bss.home.channel = 36: no primary channel of 20 MHz at 2.4 GHz for 802.11n; allowed 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        ],
    ),
    (
        &[("bss.home.band", "5 GHz"), ("bss.home.width", "40 MHz"), ("bss.home.channel", "165")],
        &[
            "bss.home.channel = 165: no primary channel of 40 MHz at 5 GHz for 802.11n; allowed 36, 40, 44, 48, 52, 56, 60, 64, 100, 104, 108, 112, 116, 120, 124, 128, 132, 136, 140, 144, 149, 153, 157, 161",
        ],
    ),
    (
        &[("bss.home.standard", "802.11ax"), ("bss.home.band", "6 GHz"), ("bss.home.channel", "6")],
        &[
            "bss.home.channel = 6: no primary channel of 80 MHz at 6 GHz for 802.11ax; allowed 1, 5, 9, … 221",
        ],
    ),
    (
        &[("bss.home.channel", "300")],
        &["bss.home.channel = 300: out of range; allowed a whole number from 1 to 233"],
    ),
    (
        &[("bss.far.channel", "14")],
        &[
            "bss.far.channel = 14: no primary channel of 20 MHz at 2.4 GHz for 802.11g; allowed 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        ],
    ),
    (
        &[
            ("bss.guest.channel", "0"),
            ("bss.home.channel", "15"),
            ("bss.home.hears", r#"["guest"]"#),
        ],
        &[
            "bss.guest.channel = 0: out of range; allowed a whole number from 1 to 233",
            "bss.home.channel = 15: no primary channel of 20 MHz at 2.4 GHz for 802.11n; allowed 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13",
        ],
    ),
    (
        &[("bss.far.channel", "9")],
        &[
            "bss.far.channel = 9: overlaps a channel of cell home in part, which is not modelled; allowed 1, 2, 6, 10, 11, 12, 13",
        ],
    ),
    (
        &[("bss.far.channel", "10"), ("station.g.standard", "802.11b")],
        &[
            "bss.far.channel = 10: overlaps a channel of cell guest in part, which is not modelled; allowed 1, 6, 11, 12, 13",
        ],
    ),
    (
        &[("bss.home.width", "40 MHz"), ("bss.far.channel", "12")],
        &[
            "bss.far.channel = 12: overlaps a channel of cell home in part, which is not modelled; allowed 1, 2, 6, 10",
        ],
    ),
    (
        &[("bss.home.hears", r#"["home"]"#)],
        &[r#"bss.home.hears[0] = "home": a member of the same cell; allowed members of "guest""#],
    ),
    (
        &[("station.s.hears", r#"["guest", "s2"]"#), ("bss.guest.ap.hears", r#"["guest.ap"]"#)],
        &[
            r#"bss.guest.ap.hears[0] = "guest.ap": a member of the same cell; allowed members of "home""#,
            r#"station.s.hears[1] = "s2": a member of the same cell; allowed members of "guest""#,
        ],
    ),
    (
        &[("bss.home.hears", r#"["guset", "server", "guest.app", "g.ap"]"#)],
        &[
            r#"bss.home.hears[0] = "guset": no such cell or station, did you mean "guest"?; allowed "f", "far", "g", "guest", "home", "s", "s1", "s2""#,
            r#"bss.home.hears[1] = "server": a host, not a cell or station; allowed "f", "far", "g", "guest", "home", "s", "s1", "s2""#,
            r#"bss.home.hears[2] = "guest.app": no such cell or station; allowed "f", "far", "g", "guest", "home", "s", "s1", "s2""#,
            r#"bss.home.hears[3] = "g.ap": a station, not a cell; allowed "far", "guest", "home""#,
        ],
    ),
    (
        &[("bss.home.hears", "[1]")],
        &[
            r#"bss.home.hears[0] = 1: wrong type: integer; allowed the name of a cell, a station or an access point ("CELL.ap")"#,
        ],
    ),
    (
        &[("bss.home.hears", r#"["guest", "f"]"#)],
        &[
            r#"bss.home.hears[1] = "f": the channel of cell far does not overlap; allowed members of "guest""#,
        ],
    ),
    (
        &[("station.f.hears", r#"["guest.ap"]"#)],
        &[
            r#"station.f.hears[0] = "guest.ap": the channel of cell guest does not overlap; allowed [], because no cell has an overlapping channel"#,
        ],
    ),
    (
        &[("bss.home.hears", r#"["g"]"#), ("bss.guest.hears", "[]")],
        &[
            r#"bss.home.hears[0] = "g": one-sided, because the lists `hears` there leave out home; allowed members whose own list has home, or that have none"#,
        ],
    ),
    (
        &[("bss.home.ap.hears", r#"["guest"]"#), ("bss.guest.hears", r#"["s"]"#)],
        &[
            r#"bss.home.ap.hears[0] = "guest": one-sided, because the lists `hears` there leave out home.ap; allowed members whose own list has home.ap, or that have none"#,
        ],
    ),
    (
        &[("bss.home.radio", "{}"), ("station.s.position", r#"["10 m", "0 m"]"#)],
        &[
            "bss.home.radio = { }: cell guest on an overlapping channel has none; allowed a radio in all cells with overlapping channels, or in none of them",
        ],
    ),
    (
        &[
            ("bss.far.radio", "{}"),
            ("bss.far.hears", "[]"),
            ("bss.far.ap.hears", "[]"),
            ("station.f.position", r#"["10 m", "0 m"]"#),
            ("station.f.hears", "[]"),
        ],
        &[
            "bss.far.hears = []: the cell has a radio, which decides this; allowed one of the two",
            "bss.far.ap.hears = []: the cell has a radio, which decides this; allowed one of the two",
            "station.f.hears = []: the cell has a radio, which decides this; allowed one of the two",
        ],
    ),
    (
        &[("bss.home.ap.position", r#"["10 m", "0 m"]"#)],
        &[
            r#"bss.home.ap.position = ["10 m", "0 m"]: its cell has no radio, so positions have no effect; allowed bss.NAME.radio = { … } as well"#,
        ],
    ),
    (
        &[
            ("bss.far.radio.walls", "101 dB"),
            ("station.f.position", r#"["10 m", "0 m"]"#),
            ("bss.far.ap.position", r#"["10 m"]"#),
        ],
        &[
            r#"bss.far.radio.walls = "101 dB": out of range; allowed a ratio of powers from 0 dB to 100 dB, such as "12 dB""#,
            r#"bss.far.ap.position = ["10 m"]: not a pair; allowed a pair [x, y] such as ["10 m", "-5 m"]"#,
        ],
    ),
    (
        &[("bss.home.standard", "802.11ax"), ("bss.home.colour", "64")],
        &["bss.home.colour = 64: out of range; allowed a whole number from 1 to 63"],
    ),
    (
        &[("bss.home.standard", "802.11ax"), ("bss.home.colour", "0")],
        &["bss.home.colour = 0: out of range; allowed a whole number from 1 to 63"],
    ),
    (
        &[("bss.home.colour", "7"), ("bss.guest.obss_pd", "-82 dBm")],
        &[
            "bss.home.colour = 7: 802.11n does not have this setting; allowed with 802.11ax or later",
            r#"bss.guest.obss_pd = "-82 dBm": 802.11g does not have this setting; allowed with 802.11ax or later"#,
        ],
    ),
    (
        &[("bss.home.standard", "802.11ax"), ("bss.home.obss_pd", "-72 dBm")],
        &[
            r#"bss.home.obss_pd = "-72 dBm": the cell has no colour; allowed together with the key colour of the cell"#,
            r#"bss.home.obss_pd = "-72 dBm": the cell has no radio; allowed together with the key radio of the cell"#,
        ],
    ),
    (
        &[
            ("bss.home.standard", "802.11ax"),
            ("bss.home.colour", "1"),
            ("bss.home.obss_pd", "-61 dBm"),
        ],
        &[
            r#"bss.home.obss_pd = "-61 dBm": out of range; allowed a power from -82 dBm to -62 dBm, such as "20 dBm""#,
        ],
    ),
];

#[test]
fn channels_and_lists_of_neighbours_say_what_is_wrong() {
    assert!(Scenario::parse(HOUSE, &[]).is_ok());
    for (overrides, expected) in OF_NEIGHBOURS {
        let overrides: Vec<(String, String)> = overrides
            .iter()
            .map(|(path, value)| ((*path).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(messages(Scenario::parse(HOUSE, &overrides)), *expected);
    }
}

#[test]
fn keys_that_need_a_channel_do_not_occur_without_it() {
    let alone = HOUSE.replace("channel = 11\n", "");
    let keys = [
        ("bss.far.width_rule", "\"dynamic\""),
        ("bss.far.hears", r#"["home"]"#),
        ("bss.far.ap.hears", "[]"),
        ("station.f.hears", r#"["home"]"#),
    ];
    for (path, value) in keys {
        let expected = format!(
            "{path} = {value}: the cell has a channel of its own; allowed together with the key channel of the cell"
        );
        let overrides = [(path.to_owned(), value.to_owned())];
        assert_eq!(messages(Scenario::parse(&alone, &overrides)), [expected]);
    }
    let hears = [("bss.home.hears".to_owned(), r#"["far"]"#.to_owned())];
    assert_eq!(
        messages(Scenario::parse(&alone, &hears)),
        [
            r#"bss.home.hears[0] = "far": cell far has a channel of its own; allowed members of "guest""#
        ]
    );
}

#[test]
fn a_list_that_is_one_sided_for_some_members_is_no_mistake() {
    // The station g hears nobody, but its access point hears the cell home.
    let overrides = [("bss.home.hears", r#"["guest"]"#), ("station.g.hears", "[]")];
    let overrides = overrides.map(|(path, value)| (path.to_owned(), value.to_owned()));
    assert!(Scenario::parse(HOUSE, &overrides).is_ok());
}

#[test]
fn channel_14_is_for_802_11b() {
    let text = HOUSE.replace("\"802.11g\"\nchannel = 11", "\"802.11b\"\nchannel = 14");
    assert!(Scenario::parse(&text, &[]).is_ok());
}

#[test]
fn a_radio_without_neighbours_may_have_a_channel() {
    let overrides = [("bss.far.radio", "{}"), ("station.f.position", r#"["10 m", "0 m"]"#)];
    let overrides = overrides.map(|(path, value)| (path.to_owned(), value.to_owned()));
    assert!(Scenario::parse(HOUSE, &overrides).is_ok());
}
