//! Every key of the scenario file: name, kind, default, example, meaning. Parser, JSON Schema and
//! reference are read off these tables.

mod air;
mod queues;
mod radio;
mod rates;
mod transports;
mod wires;

use airfair_units::{Bytes, Duration};

use super::kind::{Absent, Key, Kind, Plain, Table, Tagged};

pub(super) use air::{BIT_ERRORS, BSS, FRAME_ERRORS, PERIODS, SNR, STATION};
pub(super) use queues::{
    AIRTIME, CODEL, DATA_ACK, DEFICIT_ROUND_ROBIN, FIFO, FQ_CODEL, ROUND_ROBIN, TIME_REGULATOR,
};
pub(super) use radio::{
    FAR, LOG_DISTANCE, RANDOM_WAYPOINT, RANGE, RAYLEIGH, RICIAN, STRAIGHT, TRACE, TWO_RAY,
    WAYPOINTS,
};
pub(super) use rates::{AARF, ARF, MINSTREL, ORACLE};
pub(super) use transports::{ARF_AWARE, ARF_WINDOW, FRAMES, ON_OFF, RATE_CAP, TCP, TFRC, UDP};
pub(super) use wires::{BERNOULLI, GILBERT_ELLIOTT, HOST, LINK, ROUTER};

/// Longest run, 30 days.
pub(super) const MAX_DURATION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Most wireless stations.
pub(super) const MAX_STATIONS: usize = 5_000;
/// Most wired hosts.
pub(super) const MAX_HOSTS: usize = 1_000;
/// Most cells.
pub(super) const MAX_CELLS: usize = 100;
/// Most routers.
pub(super) const MAX_ROUTERS: usize = 1_000;
/// Most links beside those of the hosts.
pub(super) const MAX_LINKS: usize = 10_000;
/// Most flows.
pub(super) const MAX_FLOWS: usize = 10_000;
/// Most frames of a source, before they repeat.
pub(super) const MAX_FRAMES: usize = 100_000;
/// Largest MSDU of a legacy frame.  [80211-2020 §9.2.4.8]
pub(super) const MAX_MSDU: u64 = 2_304;
/// LLC and SNAP headers.
pub(super) const LLC_SNAP: u64 = 8;
/// IP and TCP headers without options.
pub(super) const IP_TCP: u64 = 40;
/// TCP's timestamps option with its padding.
pub(super) const TIMESTAMPS: u64 = 12;
/// IP, UDP and RTP headers, TFRC's extension included.
pub(super) const IP_TFRC: u64 = 52;
/// IP and UDP headers.
pub(super) const IP_UDP: u64 = 28;
/// Largest window without the window-scale option.  [RFC7323 §2.2]
pub(super) const MAX_UNSCALED: Bytes = Bytes::new(65_535);

/// Length of a queue.
const PACKETS: Kind = Kind::Integer { min: 1, max: 100_000 };
const CAPACITY: &str = "Capacity, the packet in service included.";
const OFF: Kind = Kind::Word(&["off"]);
const TRUE: Absent = Absent::Is(Plain::Flag(true));
const NOW: Absent = Absent::Is(Plain::Duration(Duration::ZERO));

const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min: Bytes::new(min), max: Bytes::new(max) }
}

const fn word(word: &'static str) -> Absent {
    Absent::Is(Plain::Word(word))
}

const fn number(number: u64) -> Absent {
    Absent::Is(Plain::Integer(number))
}

const fn size(octets: u64) -> Absent {
    Absent::Is(Plain::Bytes(Bytes::new(octets)))
}

/// The word that tells a model from the others.
const fn model(word: &'static [&'static str], example: &'static str) -> Key {
    Key::new("model", Kind::Word(word), Absent::Required, example, "The model.")
}

/// The word that tells a transport from the others.
const fn protocol(word: &'static [&'static str], example: &'static str) -> Key {
    Key::new("kind", Kind::Word(word), Absent::Required, example, "The protocol.")
}

const RUN: Kind = Kind::Duration { min: Duration::from_micros(1), max: MAX_DURATION };
/// A point in a run.
pub(super) const TIME: Kind = Kind::Duration { min: Duration::ZERO, max: MAX_DURATION };
const PERIOD: Kind =
    Kind::Duration { min: Duration::from_micros(1), max: Duration::from_secs(3_600) };
const DELAY: Kind = Kind::Duration { min: Duration::ZERO, max: Duration::from_secs(3_600) };
const SERIES: Kind = Kind::Either(&[OFF, RUN]);
const UNLIMITED: Kind = Kind::Word(&["unlimited"]);
const STOP: Kind = Kind::Either(&[Kind::Word(&["end"]), TIME]);
const CONTROL: Kind = Kind::Either(&[
    Kind::Word(&["none", "arf-aware", "arf-window", "occupancy", "rate-cap"]),
    Kind::Tagged(&transports::CONTROLS),
]);

/// The whole file.
pub(super) static ROOT: Table = Table {
    noun: "the scenario",
    later: None,
    keys: &[
        Key::new(
            "title",
            Kind::Text,
            Absent::Is(Plain::Text("untitled")),
            "\"One slow station\"",
            "What the scenario shows.",
        ),
        Key::new("duration", RUN, Absent::Required, "\"100 s\"", "Simulated time of one run."),
        Key::new(
            "warmup",
            TIME,
            NOW,
            "\"5 s\"",
            "Time at the start that no result counts; less than the duration.",
        ),
        Key::new(
            "series",
            SERIES,
            Absent::Is(Plain::Duration(Duration::from_secs(1))),
            "\"100 ms\"",
            "Step of the time series; at most 20 million values: steps of all flows, stations and queues \
             in all replications.",
        ),
        Key::new(
            "seed",
            Kind::Integer { min: 0, max: i64::MAX.cast_unsigned() },
            number(1),
            "42",
            "Seed of the first replication; the others follow it.",
        ),
        Key::new(
            "replications",
            Kind::Integer { min: 1, max: 10_000 },
            number(1),
            "10",
            "Independent runs; results are means over them.",
        ),
        Key::new(
            "bss",
            Kind::Named(&BSS),
            Absent::Defaults,
            "",
            "Cells, at most 100: an access point and the rules of a channel that no other cell shares. \
             All names in a file differ: those of cells, stations, hosts, routers and links.",
        ),
        Key::new(
            "station",
            Kind::Named(&STATION),
            Absent::Defaults,
            "",
            "Wireless stations, at most 5000. The name `ap` is reserved.",
        ),
        Key::new(
            "host",
            Kind::Named(&HOST),
            Absent::Defaults,
            "",
            "Wired hosts, at most 1000: ends of flows, which forward as well.",
        ),
        Key::new(
            "router",
            Kind::Named(&ROUTER),
            Absent::Defaults,
            "",
            "Wired nodes that only forward, at most 1000. Packets take the fewest hops, among equals the \
             least delay, among equals the first in the file.",
        ),
        Key::new(
            "link",
            Kind::Named(&LINK),
            Absent::Defaults,
            "",
            "Wired links beside those of the hosts, at most 10000.",
        ),
        Key::new("flow", Kind::Named(&FLOW), Absent::Required, "", "Flows, at most 10000."),
    ],
};

/// One flow, or one per member of a group.
pub(super) static FLOW: Table = Table {
    noun: "a flow",
    later: None,
    keys: &[
        Key::new(
            "from",
            Kind::Name,
            Absent::Required,
            "\"fast\"",
            "Sender, a station or host; a group of stations makes one flow per member, numbered.",
        ),
        Key::new(
            "to",
            Kind::Name,
            Absent::Required,
            "\"fast\"",
            "Receiver, likewise; two groups of equal size pair up by number.",
        ),
        Key::new(
            "count",
            Kind::Integer { min: 1, max: 10_000 },
            number(1),
            "3",
            "Makes so many flows alike between each pair, NAME1, NAME2, …. With 1 the name stays as \
             it is.",
        ),
        Key::new("start", TIME, NOW, "\"1 s\"", "When it starts; before the end of the run."),
        Key::new(
            "start_jitter",
            TIME,
            NOW,
            "\"1 s\"",
            "Adds a random delay to the start, uniform from 0 to this, another in each replication: \
             without it a network without radio has no chance in it.",
        ),
        Key::new("stop", STOP, word("end"), "\"10 s\"", "When its source stops; after its start."),
        Key::new(
            "transport",
            Kind::Tagged(&TRANSPORTS),
            Absent::Required,
            "{ kind = \"tcp\", min_rto = \"200 ms\" }",
            "Transport protocol with its settings.",
        ),
        Key::new(
            "control",
            CONTROL,
            word("none"),
            "\"arf-aware\"",
            "Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP and a station as sender, \
             `arf-window` TCP and a station at either end, `occupancy` TCP or TFRC, a station at either end and \
             an access point with `occupancy`, `rate-cap` TCP or TFRC and a station as sender. What needs a station at either end acts at each.",
        ),
    ],
};

static TRANSPORTS: Tagged = Tagged {
    key: "kind",
    noun: "transport",
    otherwise: None,
    variants: &[("tcp", &TCP), ("tfrc", &TFRC), ("udp", &UDP)],
};
