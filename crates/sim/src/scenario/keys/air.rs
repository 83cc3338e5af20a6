//! Cells and stations, and what spoils their frames.

use std::sync::LazyLock;

use airfair_units::{Decibels, Duration, Probability};

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged};
use super::queues::QUEUE;
use super::radio::{CELL_RADIO, MOBILITY, POSITION};
use super::rates::station_rate;
use super::{OFF, PERIOD, TRUE, UNLIMITED, bytes, model, number, size, word};

const STANDARD: Kind = Kind::Word(&["802.11b", "802.11a", "802.11g"]);
const RATES: Kind = Kind::List(&Kind::Rate);
const RTS: Kind = Kind::Either(&[OFF, RTS_THRESHOLD]);
const RTS_THRESHOLD: Kind = bytes(0, 65_536);
const ATTEMPT: Kind = Kind::Integer { min: 1, max: 255 };
const ATTEMPTS: Kind = Kind::Either(&[ATTEMPT, UNLIMITED]);
const WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["standard"])]);
const OWN_WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["cell"])]);
const OWN_ATTEMPTS: Kind = Kind::Either(&[ATTEMPT, Kind::Word(&["unlimited", "cell"])]);
const BEACONS: Kind = Kind::Either(&[Kind::Flag, Kind::Table(&BEACON)]);
const GRANTS: Kind = Kind::Either(&[Kind::Flag, Kind::Table(&OCCUPANCY)]);
const TXOP: Kind = Kind::Duration { min: Duration::ZERO, max: Duration::from_millis(2_097) };

/// One cell.
pub(in crate::scenario) static BSS: LazyLock<Table> = LazyLock::new(|| {
    Table {
    noun: "a cell",
    keys: vec![
        Key::new(
            "standard",
            STANDARD,
            Absent::Required,
            "\"802.11a\"",
            "Amendment of the access point, and of each station that names none.",
        ),
        Key::new(
            "basic_rate",
            Kind::Rate,
            Absent::Follows("see `basic_rates`"),
            "\"2 Mb/s\"",
            "Short for a basic rate set of one.",
        ),
        Key::new(
            "basic_rates",
            RATES,
            Absent::Follows(
                "1, 2 Mb/s in 802.11b; 6, 12, 24 Mb/s in 802.11a; both and 5.5, 11 in \
                 802.11g, without the OFDM rates if a b station is in the cell",
            ),
            "[\"1 Mb/s\", \"11 Mb/s\"]",
            "Basic rate set: each a rate of the standard that every station has. Not beside \
             `basic_rate`.",
        ),
        Key::new(
            "preamble",
            Kind::Word(&["long", "short"]),
            word("long"),
            "\"short\"",
            "PLCP preamble of DSSS and CCK frames.",
        ),
        Key::new(
            "rts_threshold",
            RTS,
            word("off"),
            "\"500 B\"",
            "PSDUs longer than this are protected by RTS/CTS.",
        ),
        Key::new(
            "protection",
            Kind::Flag,
            TRUE,
            "false",
            "802.11g only: whether OFDM frames follow a CTS-to-self when a b station is in the cell.",
        ),
        Key::new(
            "max_attempts",
            ATTEMPTS,
            Absent::Follows("see `retry_limits`"),
            "7",
            "One limit on transmission attempts of a frame, whatever its length.",
        ),
        Key::new(
            "retry_limits",
            Kind::Table(&RETRY_LIMITS),
            Absent::Defaults,
            "{ short = 5 }",
            "Transmission attempts by the standard's two counters. Not beside `max_attempts`.",
        ),
        Key::new(
            "after_collision",
            Kind::Word(&["standard", "difs", "eifs"]),
            word("standard"),
            "\"difs\"",
            "Gap after a collision: EIFS for those who heard it and an ACK time-out for those in it \
             (`standard`), or one gap for all, DIFS as in Bianchi's model.",
        ),
        Key::new(
            "eifs",
            Kind::Word(&["standard", "ns-2"]),
            word("standard"),
            "\"ns-2\"",
            "Wait after a frame that was sensed and not decoded: EIFS, ended early by the next frame \
             that is decoded (`standard`), or a NAV of EIFS that nothing shortens and a DIFS behind it \
             (`ns-2`).",
        ),
        Key::new(
            "post_backoff",
            Kind::Flag,
            TRUE,
            "false",
            "Whether a station draws a back-off after each success, before it has the next frame.",
        ),
        Key::new(
            "cw_min",
            WINDOW,
            word("standard"),
            "63",
            "Smallest contention window [slots]: 31 in 802.11b and where a b station is, else 15.",
        ),
        Key::new(
            "cw_max",
            WINDOW,
            word("standard"),
            "2047",
            "Largest contention window [slots]: 1023; not below `cw_min`.",
        ),
        Key::new(
            "llc_snap",
            Kind::Flag,
            TRUE,
            "false",
            "Whether 8 octets of LLC/SNAP precede each packet.",
        ),
        Key::new(
            "errors",
            ERRORS,
            word("none"),
            "{ model = \"bernoulli\", probability = 0.1 }",
            "Frames that noise spoils between a station and the access point, both ways: for each \
             station that says nothing itself.",
        ),
        Key::new(
            "radio",
            CELL_RADIO,
            word("none"),
            "{ range = { \"54 Mb/s\" = \"40 m\" } }",
            "Powers, distances and noise, which then decide who hears whom and which frames are spoilt, in place of \
             `errors` and `senses_only`. The access point is at [\"0 m\", \"0 m\"].",
        ),
        Key::new(
            "beacon",
            BEACONS,
            Absent::Follows("true where `ap.occupancy` is on, else false"),
            "{ interval = \"100 ms\" }",
            "Beacons of the access point, at the lowest basic rate, as soon as the medium has been idle for a PIFS.",
        ),
        Key::new(
            "ap",
            Kind::Table(&AP),
            Absent::Defaults,
            "{ queue = { packets = 20 } }",
            "The access point.",
        ),
    ].leak(),
}
});

static BEACON: Table = Table {
    noun: "the beacons",
    keys: &[
        Key::new(
            "interval",
            Kind::Duration { min: Duration::from_micros(100), max: Duration::from_secs(60) },
            Absent::Is(Plain::Duration(Duration::from_micros(102_400))),
            "\"100 ms\"",
            "Time from one to the next: 100 time units of 1024 µs unless set.",
        ),
        Key::new(
            "size",
            bytes(28, 2_304),
            size(66),
            "\"120 B\"",
            "Octets of one, header and check sequence included; shares of the channel take six more.",
        ),
    ],
};

const ERRORS: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&ERROR_MODELS)]);

static ERROR_MODELS: Tagged = Tagged {
    key: "model",
    noun: "error model",
    otherwise: None,
    variants: &[
        ("bernoulli", &FRAME_ERRORS),
        ("bit", &BIT_ERRORS),
        ("gilbert-elliott", &PERIODS),
        ("snr", &SNR),
    ],
};

/// Independent frame errors.
pub(in crate::scenario) static FRAME_ERRORS: Table = Table {
    noun: "Bernoulli frame errors",
    keys: &[
        model(&["bernoulli"], "\"bernoulli\""),
        Key::new(
            "probability",
            Kind::Probability,
            Absent::Required,
            "0.2",
            "Probability that a frame is spoilt, whatever its kind and length.",
        ),
    ],
};

/// Independent bit errors.
pub(in crate::scenario) static BIT_ERRORS: Table = Table {
    noun: "bit errors",
    keys: &[
        model(&["bit"], "\"bit\""),
        Key::new(
            "ber",
            Kind::Probability,
            Absent::Required,
            "1e-6",
            "Probability that a bit is wrong; a frame is spoilt by one of them.",
        ),
    ],
};

/// Good and bad periods.
pub(in crate::scenario) static PERIODS: Table = Table {
    noun: "good and bad periods",
    keys: &[
        model(&["gilbert-elliott"], "\"gilbert-elliott\""),
        Key::new(
            "good",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ZERO)),
            "0.01",
            "Probability that a frame is spoilt in a good period.",
        ),
        Key::new(
            "bad",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ONE)),
            "0.5",
            "Probability that a frame is spoilt in a bad period.",
        ),
        Key::new(
            "mean_good",
            PERIOD,
            Absent::Required,
            "\"1 s\"",
            "Mean of a good period's length, which is exponential.",
        ),
        Key::new(
            "mean_bad",
            PERIOD,
            Absent::Required,
            "\"100 ms\"",
            "Mean of a bad period's length, which is exponential.",
        ),
    ],
};

/// Noise.
pub(in crate::scenario) static SNR: Table = Table {
    noun: "a noisy channel",
    keys: &[
        model(&["snr"], "\"snr\""),
        Key::new(
            "snr",
            Kind::Decibels { min: Decibels::new(-100), max: Decibels::new(200) },
            Absent::Required,
            "\"6 dB\"",
            "Ratio of signal to noise in the channel's bandwidth; rate and length decide the rest.",
        ),
    ],
};

static RETRY_LIMITS: Table = Table {
    noun: "the retry limits",
    keys: &[
        Key::new("short", ATTEMPT, number(7), "5", "Attempts of a frame not protected by RTS."),
        Key::new("long", ATTEMPT, number(4), "5", "Attempts of a frame protected by RTS."),
    ],
};

const OWN_EDCA: Key = Key::new(
    "edca",
    Kind::Table(&EDCA),
    Absent::Defaults,
    "{ aifsn = 3 }",
    "Its own channel access.",
);
const OWN_LIMIT: Key = Key::new(
    "max_attempts",
    OWN_ATTEMPTS,
    word("cell"),
    "3",
    "Its own limit on transmission attempts of a frame, or the cell's.",
);

static EDCA: Table = Table {
    noun: "a channel access",
    keys: &[
        Key::new(
            "aifsn",
            Kind::Integer { min: 1, max: 15 },
            number(2),
            "3",
            "Idle slots after a SIFS before back-off counts: 2 makes a DIFS; 1 is for access points.",
        ),
        Key::new(
            "cw_min",
            OWN_WINDOW,
            word("cell"),
            "15",
            "Smallest contention window [slots], or the cell's.",
        ),
        Key::new(
            "cw_max",
            OWN_WINDOW,
            word("cell"),
            "255",
            "Largest contention window [slots], or the cell's.",
        ),
        Key::new(
            "txop_limit",
            TXOP,
            Absent::Is(Plain::Duration(Duration::ZERO)),
            "\"3 ms\"",
            "How long it may go on sending once it has won the channel; `0 s` is one frame.",
        ),
    ],
};

static AP: LazyLock<Table> = LazyLock::new(|| {
    Table {
    noun: "an access point",
    keys: vec![
        Key::new(
            "queue",
            QUEUE.tagged(),
            Absent::Defaults,
            "{ discipline = \"data-ack\" }",
            "Transmit queue of the access point.",
        ),
        OWN_EDCA,
        OWN_LIMIT,
        Key::new(
            "window_sharing",
            Kind::Flag,
            Absent::Is(Plain::Flag(false)),
            "true",
            "Whether it writes into each TCP ACK that it forwards a window of its queue's capacity \
             shared between all connections that it sees.",
        ),
        Key::new(
            "occupancy",
            GRANTS,
            Absent::Is(Plain::Flag(false)),
            "true",
            "Whether its beacons grant each active station an equal share of the channel, which flows with \
             `control = \"occupancy\"` keep.",
        ),
    ].leak(),
}
});

static OCCUPANCY: Table = Table {
    noun: "the grant of shares",
    keys: &[
        Key::new(
            "beacons",
            Kind::Integer { min: 1, max: 1_000 },
            number(3),
            "5",
            "Beacon intervals of an observation slot, n.",
        ),
        Key::new(
            "satisfied",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::literal(0.8))),
            "0.9",
            "Part of an equal share from which on a station may have more, r: more than 0 and less than 1.",
        ),
        Key::new(
            "spare",
            Kind::Word(&["printed", "once"]),
            word("printed"),
            "\"once\"",
            "Whether a flow may have, beyond its share, all that its station leaves unused (`printed`), though the \
             access point has given it away already, or only what other flows of the station leave (`once`).",
        ),
        Key::new(
            "patience",
            Kind::Integer { min: 1, max: 1_000 },
            number(10),
            "3",
            "Beacons missed in a row after which a station limits its flows no longer.",
        ),
    ],
};

/// One wireless station, or several alike.
pub(in crate::scenario) static STATION: LazyLock<Table> = LazyLock::new(|| {
    Table {
    noun: "a station",
    keys: vec![
        Key::new(
            "bss",
            Kind::Name,
            Absent::Follows("the only cell"),
            "\"home\"",
            "Cell that it is in; to be given where there are several.",
        ),
        Key::new(
            "standard",
            STANDARD,
            Absent::Follows("the cell's"),
            "\"802.11b\"",
            "Its amendment; a b station may be in a g cell, no other mix exists.",
        ),
        Key::new(
            "rate",
            station_rate(),
            Absent::Follows("the highest rate of its standard"),
            "[[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"]]",
            "Data rate between it and the access point: one, a schedule of times and rates that \
             starts at 0 s, a law `{ control = … }` that finds it, or `{ up, down }` for its own \
             transmissions and the access point's.",
        ),
        Key::new("queue", QUEUE.tagged(), Absent::Defaults, "{ packets = 20 }", "Transmit queue."),
        OWN_EDCA,
        OWN_LIMIT,
        Key::new(
            "senses_only",
            Kind::List(&Kind::Name),
            Absent::Defaults,
            "[\"fast\"]",
            "Stations of its cell that it senses but does not decode, nor they it: EIFS follows their frames.",
        ),
        Key::new(
            "errors",
            ERRORS,
            Absent::Follows("the cell's"),
            "{ model = \"bit\", ber = 1e-5 }",
            "Frames that noise spoils between it and the access point, both ways.",
        ),
        Key::new(
            "hidden_from",
            Kind::List(&Kind::Name),
            Absent::Defaults,
            "[\"fast\"]",
            "Stations of its cell whose frames it does not even sense, nor they its.",
        ),
        Key::new(
            "position",
            POSITION,
            Absent::Follows("to be given where the cell has a radio"),
            "[\"10 m\", \"0 m\"]",
            "Where it starts: to the east and to the north of the access point; or `{ circle = \"10 m\" }`.",
        ),
        Key::new(
            "mobility",
            MOBILITY,
            word("none"),
            "{ model = \"velocity\", velocity = [\"1.5 m/s\", \"0 m/s\"] }",
            "How it moves.",
        ),
        Key::new(
            "count",
            Kind::Integer { min: 1, max: 5_000 },
            number(1),
            "3",
            "Makes so many stations alike, NAME1, NAME2, …; NAME then stands for all of them. \
             With 1 the name stays as it is.",
        ),
    ].leak(),
}
});
