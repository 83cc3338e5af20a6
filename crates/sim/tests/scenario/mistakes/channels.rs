//! Mistakes in the channel of a cell and in its links: keys of 802.11n and later that do not fit each other.

use airfair_sim::scenario::Scenario;

use super::messages;

/// An 802.11ax cell with a station of another standard.
const MODERN: &str = r#"
duration = "1 s"
[bss.home]
standard = "802.11ax"
[station.new]
[station.old]
standard = "802.11n"
[flow.a]
from = "new"
to = "old"
transport = { kind = "udp", payload = "500 B", rate = "saturated" }
"#;

/// Values for channels and links that do not fit each other: keys with values, and the message.
const OF_CHANNELS: &[(&[(&str, &str)], &str)] = &[
    (
        &[
            ("bss.home.standard", "802.11ac"),
            ("bss.home.width", "20 MHz"),
            ("station.new.rate", "vht-mcs9x1"),
        ],
        r#"station.new.rate = "vht-mcs9x1": MCS 9 does not go with VHT, 20 MHz, 1 stream (802.11-2020 §21.5); allowed MCS 0, 1, 2, 3, 4, 5, 6, 7, 8"#,
    ),
    (
        &[("bss.home.band", "2.4 GHz"), ("bss.home.width", "80 MHz")],
        r#"bss.home.width = "80 MHz": not possible for 802.11ax at 2.4 GHz; allowed "20 MHz", "40 MHz""#,
    ),
    (
        &[("bss.home.band", "6 GHz")],
        r#"station.old.standard = "802.11n": not possible in an 802.11ax cell at 6 GHz; allowed "802.11ax""#,
    ),
    (
        &[("bss.home.punctured", "[\"0 MHz\"]")],
        r#"bss.home.punctured = ["0 MHz"]: 802.11ax has no punctured subchannels; allowed in an 802.11be cell"#,
    ),
    (
        &[("bss.home.standard", "802.11be"), ("bss.home.punctured", "[\"0 MHz\", \"20 MHz\"]")],
        r#"bss.home.punctured = ["0 MHz", "20 MHz"]: no pattern of punctured subchannels in 80 MHz; allowed one subchannel: "0 MHz", "20 MHz", "40 MHz" or "60 MHz""#,
    ),
    (
        &[
            ("bss.home.standard", "802.11be"),
            ("bss.home.width", "40 MHz"),
            ("bss.home.punctured", "[\"0 MHz\"]"),
        ],
        r#"bss.home.punctured = ["0 MHz"]: no pattern of punctured subchannels in 40 MHz; allowed a channel of 80, 160 or 320 MHz"#,
    ),
    (
        &[
            ("bss.home.standard", "802.11be"),
            ("bss.home.width", "160 MHz"),
            ("bss.home.punctured", "[\"20 MHz\", \"40 MHz\"]"),
        ],
        r#"bss.home.punctured = ["20 MHz", "40 MHz"]: no pattern of punctured subchannels in 160 MHz; allowed one subchannel, or the two of 40 MHz from "0 MHz", "40 MHz", "80 MHz" or "120 MHz" on"#,
    ),
    (
        &[
            ("bss.home.standard", "802.11be"),
            ("bss.home.band", "6 GHz"),
            ("bss.home.width", "320 MHz"),
            ("bss.home.punctured", "[\"40 MHz\"]"),
            ("station.old.standard", "802.11be"),
        ],
        r#"bss.home.punctured = ["40 MHz"]: no pattern of punctured subchannels in 320 MHz; allowed the two subchannels of 40 MHz from a multiple of 40 MHz on, the four of 80 MHz from a multiple of 80 MHz on, or the four of the lowest or highest 80 MHz and two of other 40 MHz"#,
    ),
    (
        &[("bss.home.standard", "802.11be"), ("bss.home.punctured", "[\"10 MHz\"]")],
        r#"bss.home.punctured[0] = "10 MHz": no such value, did you mean "0 MHz"?; allowed "0 MHz", "20 MHz", "40 MHz", "60 MHz", "80 MHz", "100 MHz", "120 MHz", "140 MHz", "160 MHz", "180 MHz", "200 MHz", "220 MHz", "240 MHz", "260 MHz", "280 MHz", "300 MHz""#,
    ),
    (
        &[("bss.home.standard", "802.11be"), ("bss.home.width", "320 MHz")],
        r#"bss.home.width = "320 MHz": not possible for 802.11be at 5 GHz; allowed "20 MHz", "40 MHz", "80 MHz", "160 MHz""#,
    ),
    (
        &[
            ("bss.home.standard", "802.11be"),
            ("bss.home.width", "160 MHz"),
            ("bss.home.punctured", "[\"0 MHz\"]"),
            ("station.old.standard", "802.11ax"),
            ("station.old.width", "160 MHz"),
        ],
        r#"station.old.width = "160 MHz": not possible for 802.11ax in its cell; allowed "20 MHz", "40 MHz", "80 MHz""#,
    ),
    (
        &[("bss.home.standard", "802.11be"), ("station.new.rate", "eht-mcs14x1")],
        r#"station.new.rate = "eht-mcs14x1": MCS 14 does not go with this model, which never duplicates data (EHT DUP) (802.11be-2024 §36.5); allowed MCS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13"#,
    ),
    (
        &[("bss.home.standard", "802.11be"), ("station.new.rate", "eht-mcs15x1")],
        r#"station.new.rate = "eht-mcs15x1": MCS 15 does not go with this model, which has no dual carrier modulation (802.11be-2024 §36.5); allowed MCS 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13"#,
    ),
    (
        &[("bss.home.aggregation.window", "512")],
        "bss.home.aggregation.window = 512: not a window of HE; allowed 64, 256",
    ),
    (
        &[("bss.home.standard", "802.11be"), ("bss.home.aggregation.window", "128")],
        "bss.home.aggregation.window = 128: not a window of EHT; allowed 64, 256, 512, 1024",
    ),
    (
        &[("bss.home.standard", "802.11ac"), ("bss.home.band", "2.4 GHz")],
        r#"bss.home.band = "2.4 GHz": not possible for 802.11ac; allowed "5 GHz""#,
    ),
    (
        &[("bss.home.guard_interval", "400 ns")],
        r#"bss.home.guard_interval = "400 ns": not possible for 802.11ax; allowed "800 ns", "1600 ns", "3200 ns""#,
    ),
    (
        &[("station.old.guard_interval", "1600 ns")],
        r#"station.old.guard_interval = "1600 ns": not possible for 802.11n in its cell; allowed "400 ns", "800 ns""#,
    ),
    (
        &[("bss.home.guard_interval", "1600 ns"), ("station.new.guard_interval", "800 ns")],
        r#"station.new.guard_interval = "800 ns": not possible for 802.11ax in its cell; allowed "1600 ns", "3200 ns""#,
    ),
    (
        &[("station.old.rate", "he-mcs11x1")],
        r#"station.old.rate = "he-mcs11x1": a mode of another format than the link's; allowed ht-mcs0, ht-mcs1, ht-mcs2, ht-mcs3, ht-mcs4, ht-mcs5, ht-mcs6, ht-mcs7"#,
    ),
    (
        &[("station.old.rate", "ht-mcs8")],
        r#"station.old.rate = "ht-mcs8": a mode with more streams than the link has; allowed 1 stream"#,
    ),
    (
        &[("bss.home.streams", "2"), ("station.old.rate", "27 Mb/s")],
        r#"station.old.rate = "27 Mb/s": the rate of several modes; allowed ht-mcs1, ht-mcs8"#,
    ),
    (
        &[("station.old.rate", "11 Mb/s")],
        r#"station.old.rate = "11 Mb/s": not a rate of the link; allowed 13.5 Mb/s, 27 Mb/s, 40.5 Mb/s, 54 Mb/s, 81 Mb/s, 108 Mb/s, 121.5 Mb/s, 135 Mb/s"#,
    ),
    (
        &[("station.old.rate", "{ control = \"minstrel\", ewma = 90 }")],
        "station.old.rate.ewma = 90: a key for links of 802.11a, b and g; allowed interval, segment, sample_interval, attempts",
    ),
    (
        &[("bss.home.aggregation.max_bytes", "1 kB")],
        r#"bss.home.aggregation.max_bytes = "1 kB": out of range; allowed an amount of data from 2338 B to 15523.2 kB"#,
    ),
    (
        &[("station.old.aggregation.max_bytes", "70 kB")],
        r#"station.old.aggregation.max_bytes = "70 kB": more than an A-MPDU of HT holds; allowed at most 65535 B"#,
    ),
    (
        &[("station.old.aggregation.window", "256")],
        "station.old.aggregation.window = 256: not a window of HT; allowed 64",
    ),
    (
        &[("bss.home.aggregation.window", "100")],
        "bss.home.aggregation.window = 100: not a window of HE; allowed 64, 256",
    ),
    (
        &[("bss.home.amsdu", "5 kB")],
        r#"bss.home.amsdu = "5 kB": not a size of A-MSDUs of 802.11ax at 5 GHz; allowed "3839 B", "7935 B", "11398 B", "off""#,
    ),
    (
        &[("bss.home.band", "2.4 GHz"), ("bss.home.amsdu", "11398 B")],
        r#"bss.home.amsdu = "11398 B": not a size of A-MSDUs of 802.11ax at 2.4 GHz; allowed "3839 B", "7935 B", "off""#,
    ),
    (
        &[("bss.home.amsdu", "11398 B"), ("station.old.amsdu", "11398 B")],
        r#"station.old.amsdu = "11398 B": not a size of A-MSDUs of 802.11n in its cell; allowed "3839 B", "7935 B", "off""#,
    ),
    (
        &[("station.new.amsdu", "3839 B")],
        r#"station.new.amsdu = "3839 B": not a size of A-MSDUs of 802.11ax in its cell; allowed "off""#,
    ),
    (
        &[("bss.home.aggregation.max_duration", "6 ms")],
        r#"bss.home.aggregation.max_duration = "6 ms": out of range; allowed a duration from 100 us to 5.484 ms, such as "20 ms""#,
    ),
    (
        &[
            ("bss.home.aggregation.max_duration", "3 ms"),
            ("station.new.aggregation", "{ max_duration = \"4 ms\" }"),
        ],
        r#"station.new.aggregation = { max_duration = "4 ms" }: more than its cell allows; allowed at most 6500631 B and a window of 64, 3 ms and at low rates 5.484 ms"#,
    ),
    (
        &[("bss.home.aggregation", "off"), ("station.new.aggregation", "{ window = 64 }")],
        r#"station.new.aggregation = { window = 64 }: more than its cell allows; allowed "off""#,
    ),
    (
        &[("station.new.aggregation", "{ window = 256 }")],
        "station.new.aggregation = { window = 256 }: more than its cell allows; allowed at most 6500631 B and a window of 64",
    ),
    (
        &[("station.old.standard", "802.11a"), ("flow.a.access_category", "voice")],
        r#"flow.a.access_category = "voice": station old has 802.11a, which has no access categories; allowed best effort, or a station of 802.11n or later"#,
    ),
    (
        &[("station.old.standard", "802.11a"), ("flow.a.dscp", "46")],
        "flow.a.dscp = 46: station old has 802.11a, which has no access categories; allowed best effort, or a station of 802.11n or later",
    ),
    (
        &[("flow.a.access_category", "voice"), ("flow.a.dscp", "46")],
        "flow.a.dscp = 46: set together with access_category; allowed one of the two",
    ),
    (
        &[("flow.a.access_category", "loud")],
        r#"flow.a.access_category = "loud": no such value; allowed "background", "best effort", "video", "voice""#,
    ),
    (
        &[("flow.a.dscp", "64")],
        r#"flow.a.dscp = 64: out of range; allowed a whole number from 0 to 63 or "none""#,
    ),
    (
        &[("station.new.edca", "{ voice = { cw_min = 15, cw_max = 7 } }")],
        "station.new.edca.voice = cw_min 15, cw_max 7: the smallest contention window is larger than the largest; allowed cw_min at most cw_max; the default of each is the standard's",
    ),
    (
        &[("station.old.width", "80 MHz")],
        r#"station.old.width = "80 MHz": not possible for 802.11n in its cell; allowed "20 MHz", "40 MHz""#,
    ),
    (
        &[("station.new.streams", "2")],
        "station.new.streams = 2: not possible for 802.11ax in its cell; allowed 1",
    ),
    (
        &[
            ("bss.home.standard", "802.11n"),
            ("bss.home.streams", "5"),
            ("station.old.standard", "802.11a"),
        ],
        "bss.home.streams = 5: not possible for 802.11n; allowed 1 to 4",
    ),
    (
        &[("station.old.standard", "802.11g")],
        r#"station.old.standard = "802.11g": not possible in an 802.11ax cell at 5 GHz; allowed "802.11ax", "802.11ac", "802.11n", "802.11a""#,
    ),
    (
        &[("station.old.standard", "802.11a"), ("station.old.width", "20 MHz")],
        r#"station.old.width = "20 MHz": 802.11a does not have this setting; allowed with 802.11n and later"#,
    ),
    (
        &[
            ("bss.home.standard", "802.11a"),
            ("station.old.standard", "802.11a"),
            ("bss.home.aggregation", "off"),
        ],
        r#"bss.home.aggregation = "off": 802.11a does not have this setting; allowed with 802.11n and later"#,
    ),
    (
        &[("station.old.standard", "802.11a"), ("station.old.rate", "ht-mcs3")],
        r#"station.old.rate = "ht-mcs3": not an 802.11a rate; allowed 6, 9, 12, 18, 24, 36, 48, 54 Mb/s"#,
    ),
];

#[test]
fn a_channel_and_a_link_say_what_they_lack() {
    for (overrides, expected) in OF_CHANNELS {
        let overrides: Vec<(String, String)> = overrides
            .iter()
            .map(|(path, value)| ((*path).to_owned(), (*value).to_owned()))
            .collect();
        assert_eq!(messages(Scenario::parse(MODERN, &overrides)), [*expected]);
    }
}
