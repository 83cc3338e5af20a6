//! The transmit queue of a station or an access point.

use airfair_units::{DataRate, Duration};

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged};
use super::{CAPACITY, PACKETS, bytes, number, size, word};

const WEIGHT: Kind = Kind::Integer { min: 1, max: 1_000 };
const WEIGHTS: Kind = Kind::Either(&[Kind::Word(&["active-flows"]), Kind::Table(&WEIGHT_PAIR)]);
const CODEL_TIME: Kind =
    Kind::Duration { min: Duration::from_micros(1), max: Duration::from_secs(60) };

/// The disciplines; first in, first out where none is named.
pub(super) const QUEUE: Kind = Kind::Tagged(&DISCIPLINES);

static DISCIPLINES: Tagged = Tagged {
    key: "discipline",
    noun: "discipline",
    otherwise: Some("fifo"),
    variants: &[
        ("fifo", &FIFO),
        ("data-ack", &DATA_ACK),
        ("round-robin", &ROUND_ROBIN),
        ("deficit-round-robin", &DEFICIT_ROUND_ROBIN),
        ("codel", &CODEL),
        ("fq-codel", &FQ_CODEL),
        ("airtime", &AIRTIME),
        ("time-regulator", &TIME_REGULATOR),
    ],
};

const fn millis(ms: u64) -> Absent {
    Absent::Is(Plain::Duration(Duration::from_millis(ms)))
}

const fn micros(us: u64) -> Absent {
    Absent::Is(Plain::Duration(Duration::from_micros(us)))
}

const fn discipline(word: &'static [&'static str], name: &'static str) -> Key {
    Key::new("discipline", Kind::Word(word), Absent::Is(Plain::Word(name)), "", "Who leaves first.")
}

const ROOM: Key = Key::new("packets", PACKETS, number(50), "20", CAPACITY);
const LIMIT: Key = Key::new(
    "limit",
    Kind::Word(&["each", "shared"]),
    word("each"),
    "\"shared\"",
    "What `packets` counts: those of each queue for itself, or of all together.",
);
const OVERFLOW: Key = Key::new(
    "overflow",
    Kind::Word(&["tail", "longest-flow"]),
    word("tail"),
    "\"longest-flow\"",
    "Who gives way where there is no room: the packet that comes, or the oldest of the flow with most \
     packets in the same queue.",
);
const ACK_FILTER: Key = Key::new(
    "ack_filter",
    Kind::Flag,
    Absent::Is(Plain::Flag(false)),
    "true",
    "Whether a pure TCP ACK takes the place of an older one of its flow that waits; ACKs with SACK \
     blocks and duplicates stay.",
);
const TARGET: Key =
    Key::new("target", CODEL_TIME, millis(5), "\"20 ms\"", "Standing delay that CoDel accepts.");
const INTERVAL: Key = Key::new(
    "interval",
    CODEL_TIME,
    millis(100),
    "\"300 ms\"",
    "Time in which the delay must fall below the target once.",
);
const QUANTUM_TIME: Kind =
    Kind::Duration { min: Duration::from_micros(10), max: Duration::from_secs(1) };
const SHARE_TIME: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(60) };
const QUANTUM: Key = Key::new(
    "quantum",
    bytes(64, 65_535),
    size(1_514),
    "\"300 B\"",
    "Octets that a queue may send more at each of its turns.",
);

/// First in, first out.
pub(in crate::scenario) static FIFO: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[discipline(&["fifo"], "fifo"), ROOM, OVERFLOW, ACK_FILTER],
};

/// TCP's data and pure ACKs apart.
pub(in crate::scenario) static DATA_ACK: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["data-ack"], "data-ack"),
        ROOM,
        LIMIT,
        Key::new(
            "weights",
            WEIGHTS,
            Absent::Defaults,
            "\"active-flows\"",
            "Packets of each queue in a round: fixed, or by the number of connections up and down \
             that the access point sees.",
        ),
        OVERFLOW,
        ACK_FILTER,
    ],
};

static WEIGHT_PAIR: Table = Table {
    noun: "a pair of weights",
    later: None,
    keys: &[
        Key::new(
            "data",
            WEIGHT,
            number(2),
            "3",
            "Packets of TCP data, and all that is no pure ACK.",
        ),
        Key::new("ack", WEIGHT, number(1), "3", "Pure TCP ACKs."),
    ],
};

/// A queue for each station.
pub(in crate::scenario) static ROUND_ROBIN: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[discipline(&["round-robin"], "round-robin"), ROOM, LIMIT, OVERFLOW, ACK_FILTER],
};

/// A queue for each station, fair in octets.
pub(in crate::scenario) static DEFICIT_ROUND_ROBIN: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["deficit-round-robin"], "deficit-round-robin"),
        ROOM,
        LIMIT,
        QUANTUM,
        OVERFLOW,
        ACK_FILTER,
    ],
};

/// Controlled delay.
pub(in crate::scenario) static CODEL: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["codel"], "codel"),
        Key::new("packets", PACKETS, number(1_000), "20", CAPACITY),
        TARGET,
        INTERVAL,
        OVERFLOW,
        ACK_FILTER,
    ],
};

/// A queue for each flow, with controlled delay.
pub(in crate::scenario) static FQ_CODEL: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["fq-codel"], "fq-codel"),
        Key::new("packets", PACKETS, number(10_240), "20", CAPACITY),
        TARGET,
        INTERVAL,
        QUANTUM,
        Key::new(
            "queues",
            Kind::Integer { min: 1, max: 65_535 },
            number(1_024),
            "16",
            "Queues that flows are hashed to.",
        ),
        ACK_FILTER,
    ],
};

/// Stations share airtime; a queue for each flow, with controlled delay.
pub(in crate::scenario) static AIRTIME: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["airtime"], "airtime"),
        Key::new("packets", PACKETS, number(8_192), "20", CAPACITY),
        Key::new(
            "airtime_quantum",
            QUANTUM_TIME,
            micros(300),
            "\"256 us\"",
            "Airtime that a station may use more at each of its turns.",
        ),
        Key::new(
            "charges_uplink",
            Kind::Flag,
            Absent::Is(Plain::Flag(true)),
            "false",
            "Whether a station is charged for the frames that it sends, too, not only for those to it.",
        ),
        Key::new(
            "target",
            CODEL_TIME,
            millis(20),
            "\"7 ms\"",
            "Standing delay that CoDel accepts.",
        ),
        Key::new(
            "interval",
            CODEL_TIME,
            millis(100),
            "\"50 ms\"",
            "Time in which the delay must fall below the target once.",
        ),
        Key::new(
            "slow_below",
            Kind::Rate,
            Absent::Is(Plain::Rate(DataRate::from_mbps(12))),
            "\"2 Mb/s\"",
            "Rate of a station's last frame below which the two keys that follow hold for it.",
        ),
        Key::new(
            "slow_target",
            CODEL_TIME,
            millis(50),
            "\"20 ms\"",
            "Standing delay that CoDel accepts, at a low rate.",
        ),
        Key::new(
            "slow_interval",
            CODEL_TIME,
            millis(300),
            "\"100 ms\"",
            "Time in which the delay must fall below it once, at a low rate.",
        ),
        Key::new(
            "quantum",
            bytes(64, 65_535),
            size(300),
            "\"600 B\"",
            "Octets that a flow may send more at each of its turns.",
        ),
        Key::new(
            "queues",
            Kind::Integer { min: 1, max: 65_535 },
            number(4_096),
            "16",
            "Queues that the flows of a station are hashed to.",
        ),
        ACK_FILTER,
    ],
};

/// Whoever has used its share of the channel waits.
pub(in crate::scenario) static TIME_REGULATOR: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        discipline(&["time-regulator"], "time-regulator"),
        ROOM,
        LIMIT,
        Key::new(
            "bucket",
            SHARE_TIME,
            millis(50),
            "\"20 ms\"",
            "Channel time that a station can save up.",
        ),
        Key::new(
            "adjustment",
            SHARE_TIME,
            millis(200),
            "\"1 s\"",
            "How often shares that are not used go to stations that can use them.",
        ),
        Key::new(
            "charges_backoff",
            Kind::Flag,
            Absent::Is(Plain::Flag(true)),
            "false",
            "Whether the mean back-off before a frame counts as channel time; the gap before it does.",
        ),
        OVERFLOW,
        ACK_FILTER,
    ],
};
