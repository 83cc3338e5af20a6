//! Every key of the scenario file: name, kind, default, example, meaning. Parser, JSON Schema and
//! reference are read off these tables.

use airfair_units::{Bytes, DataRate, Decibels, Duration, Probability};

use super::kind::{Absent, Key, Kind, Plain, Table, Tagged};

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

const OFF: Kind = Kind::Word(&["off"]);
const TRUE: Absent = Absent::Is(Plain::Flag(true));
const TENTH: Probability = Probability::literal(0.1);
const TWO_THOUSANDTHS: Probability = Probability::literal(0.002);
const FALSE: Absent = Absent::Is(Plain::Flag(false));
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

const RUN: Kind = Kind::Duration { min: Duration::from_micros(1), max: MAX_DURATION };
/// A point in a run.
pub(super) const TIME: Kind = Kind::Duration { min: Duration::ZERO, max: MAX_DURATION };
const PERIOD: Kind =
    Kind::Duration { min: Duration::from_micros(1), max: Duration::from_secs(3_600) };
const DELAY: Kind = Kind::Duration { min: Duration::ZERO, max: Duration::from_secs(3_600) };
const SERIES: Kind = Kind::Either(&[OFF, RUN]);
const STANDARD: Kind = Kind::Word(&["802.11b", "802.11a", "802.11g"]);
const RATES: Kind = Kind::List(&Kind::Rate);
const RTS: Kind = Kind::Either(&[OFF, RTS_THRESHOLD]);
const RTS_THRESHOLD: Kind = bytes(0, 65_536);
const ATTEMPT: Kind = Kind::Integer { min: 1, max: 255 };
const ATTEMPTS: Kind = Kind::Either(&[ATTEMPT, UNLIMITED]);
const UNLIMITED: Kind = Kind::Word(&["unlimited"]);
const WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["standard"])]);
const SCHEDULE: Kind = Kind::List(&Kind::Step);
const ONE_WAY: Kind = Kind::Either(&[Kind::Rate, SCHEDULE]);
const STATION_RATE: Kind = Kind::Either(&[Kind::Rate, SCHEDULE, Kind::Table(&UP_DOWN)]);
const STOP: Kind = Kind::Either(&[Kind::Word(&["end"]), TIME]);
const SCHEME: Kind = Kind::Word(&["arf-aware"]);
const CONTROL: Kind =
    Kind::Either(&[Kind::Word(&["none", "arf-aware"]), Kind::Table(&CONTROL_TABLE)]);
const TCP_SIZE: Kind = Kind::Either(&[Kind::Word(&["endless"]), FINITE]);
const FINITE: Kind = bytes(1, 1_000_000_000_000_000);
const DELAYED: Kind = Kind::Either(&[Kind::Flag, Kind::Table(&DELAYED_ACK)]);
const ACK_TIMER: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(10) };
const MIN_RTO: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(60) };
const SSTHRESH: Kind = Kind::Either(&[UNLIMITED, Kind::Integer { min: 2, max: 1_000_000 }]);
const UDP_RATE: Kind = Kind::Either(&[Kind::Word(&["saturated"]), Kind::Rate]);
const TFRC_RATE: Kind = Kind::Either(&[Kind::Word(&["greedy"]), Kind::Rate]);
const FRAME_SIZES: Kind = Kind::List(&FRAME_SIZE);
const FRAME_SIZE: Kind = bytes(1, 10_000_000);

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
            "Step of the time series; at most 10 million steps in a run.",
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

/// One cell.
pub(super) static BSS: Table = Table {
    noun: "a cell",
    later: None,
    keys: &[
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
            "ap",
            Kind::Table(&AP),
            Absent::Defaults,
            "{ queue = { packets = 20 } }",
            "The access point.",
        ),
    ],
};

const ERRORS: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&ERROR_MODELS)]);

static ERROR_MODELS: Tagged = Tagged {
    key: "model",
    noun: "error model",
    variants: &[
        ("bernoulli", &FRAME_ERRORS),
        ("bit", &BIT_ERRORS),
        ("gilbert-elliott", &PERIODS),
        ("snr", &SNR),
    ],
};

/// Independent frame errors.
pub(super) static FRAME_ERRORS: Table = Table {
    noun: "Bernoulli frame errors",
    later: None,
    keys: &[
        Key::new(
            "model",
            Kind::Word(&["bernoulli"]),
            Absent::Required,
            "\"bernoulli\"",
            "The model.",
        ),
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
pub(super) static BIT_ERRORS: Table = Table {
    noun: "bit errors",
    later: None,
    keys: &[
        Key::new("model", Kind::Word(&["bit"]), Absent::Required, "\"bit\"", "The model."),
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
pub(super) static PERIODS: Table = Table {
    noun: "good and bad periods",
    later: None,
    keys: &[
        Key::new(
            "model",
            Kind::Word(&["gilbert-elliott"]),
            Absent::Required,
            "\"gilbert-elliott\"",
            "The model.",
        ),
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
pub(super) static SNR: Table = Table {
    noun: "a noisy channel",
    later: None,
    keys: &[
        Key::new("model", Kind::Word(&["snr"]), Absent::Required, "\"snr\"", "The model."),
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
    later: None,
    keys: &[
        Key::new("short", ATTEMPT, number(7), "5", "Attempts of a frame not protected by RTS."),
        Key::new("long", ATTEMPT, number(4), "5", "Attempts of a frame protected by RTS."),
    ],
};

static AP: Table = Table {
    noun: "an access point",
    later: None,
    keys: &[Key::new(
        "queue",
        Kind::Table(&QUEUE_50),
        Absent::Defaults,
        "{ packets = 20 }",
        "Transmit queue of the access point.",
    )],
};

const PACKETS: Kind = Kind::Integer { min: 1, max: 100_000 };
const DISCIPLINE: Key =
    Key::new("discipline", Kind::Word(&["fifo"]), word("fifo"), "\"fifo\"", "Who leaves first.");
const CAPACITY: &str = "Capacity, the packet in service included.";

static QUEUE_50: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[Key::new("packets", PACKETS, number(50), "20", CAPACITY), DISCIPLINE],
};

/// One wireless station, or several alike.
pub(super) static STATION: Table = Table {
    noun: "a station",
    later: None,
    keys: &[
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
            STATION_RATE,
            Absent::Follows("the highest rate of its standard"),
            "[[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"]]",
            "Data rate between it and the access point: one, a schedule of times and rates that \
             starts at 0 s, or `{ up, down }` for its own transmissions and the access point's.",
        ),
        Key::new(
            "queue",
            Kind::Table(&QUEUE_50),
            Absent::Defaults,
            "{ packets = 20 }",
            "Transmit queue.",
        ),
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
            "count",
            Kind::Integer { min: 1, max: 5_000 },
            number(1),
            "3",
            "Makes so many stations alike, NAME1, NAME2, …; NAME then stands for all of them. \
             With 1 the name stays as it is.",
        ),
    ],
};

static UP_DOWN: Table = Table {
    noun: "a pair of rates",
    later: Some(("control", "rate adaptation is not available in this version")),
    keys: &[
        Key::new(
            "up",
            ONE_WAY,
            Absent::Follows("the highest rate of the standard"),
            "\"2 Mb/s\"",
            "Rate of the station's own transmissions.",
        ),
        Key::new(
            "down",
            ONE_WAY,
            Absent::Follows("the highest rate of the standard"),
            "\"2 Mb/s\"",
            "Rate of the access point's transmissions to it.",
        ),
    ],
};

/// One wired host.
pub(super) static HOST: Table = Table {
    noun: "a host",
    later: None,
    keys: &[Key::new(
        "link",
        Kind::Table(&HOST_LINK),
        Absent::Defaults,
        "{ delay = \"2 ms\" }",
        "Its link to the access point or another node.",
    )],
};

/// One wired node that only forwards.
pub(super) static ROUTER: Table = Table { noun: "a router", later: None, keys: &[] };

const LINK_RATE: Key = Key::new(
    "rate",
    Kind::Rate,
    Absent::Is(Plain::Rate(DataRate::from_mbps(100))),
    "\"1 Gb/s\"",
    "Rate in each direction.",
);
const LINK_DELAY: Key = Key::new("delay", DELAY, NOW, "\"2 ms\"", "Propagation delay.");
const LINK_QUEUE: Key = Key::new(
    "queue",
    Kind::Table(&BEFORE_LINK),
    Absent::Defaults,
    "{ packets = 20 }",
    "Queue at each end.",
);
const LINK_LOSS: Key = Key::new(
    "loss",
    LOSS,
    word("none"),
    "{ model = \"bernoulli\", probability = 0.01 }",
    "What is lost on the way, after the queue.",
);

static HOST_LINK: Table = Table {
    noun: "a link",
    later: None,
    keys: &[
        Key::new(
            "to",
            Kind::Name,
            Absent::Follows("the only cell"),
            "\"home\"",
            "Where it ends: a cell (its access point), a router or another host.",
        ),
        LINK_RATE,
        LINK_DELAY,
        LINK_QUEUE,
        LINK_LOSS,
    ],
};

/// One more wired link.
pub(super) static LINK: Table = Table {
    noun: "a link",
    later: None,
    keys: &[
        Key::new(
            "between",
            Kind::List(&Kind::Name),
            Absent::Required,
            "[\"home\", \"server\"]",
            "The two nodes that it joins: cells (their access points), routers, hosts.",
        ),
        LINK_RATE,
        LINK_DELAY,
        LINK_QUEUE,
        LINK_LOSS,
    ],
};

static BEFORE_LINK: Table = Table {
    noun: "a queue",
    later: None,
    keys: &[
        Key::new("packets", PACKETS, number(100), "20", CAPACITY),
        Key::new(
            "bytes",
            bytes(1, 1_000_000_000),
            Absent::Follows("see `packets`"),
            "\"150 kB\"",
            "Capacity in octets, the packet in service included. Not beside `packets`.",
        ),
        Key::new(
            "discipline",
            Kind::Word(&["fifo", "red"]),
            word("fifo"),
            "\"red\"",
            "Who leaves first and who is dropped: at the tail when it is full (`fifo`), or at random \
             before it is (`red`).",
        ),
        Key::new(
            "red",
            Kind::Table(&RED),
            Absent::Defaults,
            "{ min = 4 }",
            "Settings of random early detection; only with `discipline = \"red\"`.",
        ),
    ],
};

/// Defaults of ns-2.35 and of the authors' later advice.  [red-1993]
static RED: Table = Table {
    noun: "random early detection",
    later: None,
    keys: &[
        Key::new(
            "min",
            PACKETS,
            number(5),
            "4",
            "Average queue up to which none is dropped [packets].",
        ),
        Key::new("max", PACKETS, number(15), "12", "Average queue at `max_probability` [packets]."),
        Key::new(
            "max_probability",
            Kind::Probability,
            Absent::Is(Plain::Probability(TENTH)),
            "0.02",
            "Drop probability where the average reaches `max`.",
        ),
        Key::new(
            "weight",
            Kind::Probability,
            Absent::Is(Plain::Probability(TWO_THOUSANDTHS)),
            "0.01",
            "Weight of a new sample in the average.",
        ),
        Key::new(
            "gentle",
            Kind::Flag,
            TRUE,
            "false",
            "Whether the probability rises to one between `max` and twice `max`, instead of at once.",
        ),
    ],
};

const LOSS: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&LOSSES)]);

static LOSSES: Tagged = Tagged {
    key: "model",
    noun: "loss model",
    variants: &[("bernoulli", &BERNOULLI), ("gilbert-elliott", &GILBERT_ELLIOTT)],
};

const TOWARDS: Key = Key::new(
    "towards",
    Kind::Name,
    Absent::Follows("both directions"),
    "\"server\"",
    "The end that the lossy direction leads to.",
);

/// Independent losses.
pub(super) static BERNOULLI: Table = Table {
    noun: "Bernoulli loss",
    later: None,
    keys: &[
        Key::new(
            "model",
            Kind::Word(&["bernoulli"]),
            Absent::Required,
            "\"bernoulli\"",
            "The model.",
        ),
        Key::new(
            "probability",
            Kind::Probability,
            Absent::Required,
            "0.01",
            "Probability that a packet is lost.",
        ),
        TOWARDS,
    ],
};

/// Losses in bursts.
pub(super) static GILBERT_ELLIOTT: Table = Table {
    noun: "Gilbert-Elliott loss",
    later: None,
    keys: &[
        Key::new(
            "model",
            Kind::Word(&["gilbert-elliott"]),
            Absent::Required,
            "\"gilbert-elliott\"",
            "The model.",
        ),
        Key::new(
            "good",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ZERO)),
            "0.001",
            "Loss probability in the good state.",
        ),
        Key::new(
            "bad",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ONE)),
            "0.5",
            "Loss probability in the bad state.",
        ),
        Key::new(
            "to_bad",
            Kind::Probability,
            Absent::Required,
            "0.01",
            "Probability per packet of a change from good to bad.",
        ),
        Key::new(
            "to_good",
            Kind::Probability,
            Absent::Required,
            "0.3",
            "Probability per packet of a change from bad to good.",
        ),
        TOWARDS,
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
            "Cross-layer control: one of the papers' schemes. `arf-aware` needs TCP and a station \
             as sender.",
        ),
    ],
};

static TRANSPORTS: Tagged = Tagged {
    key: "kind",
    noun: "transport",
    variants: &[("tcp", &TCP), ("tfrc", &TFRC), ("udp", &UDP)],
};

static CONTROL_TABLE: Table = Table {
    noun: "a control scheme",
    later: None,
    keys: &[
        Key::new("scheme", SCHEME, Absent::Required, "\"arf-aware\"", "Name of the scheme."),
        Key::new(
            "variant",
            Kind::Word(&["held", "one-shot", "continuous"]),
            word("held"),
            "\"one-shot\"",
            "Reading of the paper: the window is capped at a k-th of the saved one as long as the \
             rate is low (`held`), is set to it once (`one-shot`), or is capped at a k-th of the \
             current one (`continuous`).",
        ),
    ],
};

/// A TCP connection.
pub(super) static TCP: Table = Table {
    noun: "a TCP transport",
    later: None,
    keys: &[
        Key::new("kind", Kind::Word(&["tcp"]), Absent::Required, "\"tcp\"", "The protocol."),
        Key::new(
            "flavour",
            Kind::Word(&["reno", "newreno", "sack", "westwood", "westwood+", "vegas", "cubic"]),
            word("newreno"),
            "\"cubic\"",
            "Congestion control. `sack`, `westwood+` and `cubic` acknowledge selectively.",
        ),
        Key::new(
            "sack",
            Kind::Flag,
            Absent::Follows("as the flavour is used: see `flavour`"),
            "true",
            "Selective acknowledgements (RFC 2018, 6675); flavour `sack` cannot be without.",
        ),
        Key::new(
            "prr",
            Kind::Flag,
            FALSE,
            "true",
            "Proportional rate reduction in recovery (RFC 6937); needs selective acknowledgements.",
        ),
        Key::new(
            "timestamps",
            Kind::Flag,
            FALSE,
            "true",
            "Timestamps in every segment and ACK (RFC 7323): 12 more octets of header, and a round \
             trip measured by every new ACK.",
        ),
        Key::new(
            "segment",
            bytes(1, MAX_MSDU - IP_TCP),
            size(1_460),
            "\"1000 B\"",
            "Application octets per segment; with 40 octets of headers and LLC/SNAP it must fit \
             in an MSDU of 2304.",
        ),
        Key::new("size", TCP_SIZE, word("endless"), "\"10 MB\"", "How much there is to send."),
        Key::new(
            "delayed_ack",
            DELAYED,
            TRUE,
            "false",
            "Delayed acknowledgements: `true` is `{ segments = 2, timeout = \"200 ms\" }`.",
        ),
        Key::new(
            "initial_window",
            Kind::Integer { min: 1, max: 1_000 },
            number(10),
            "2",
            "Initial window [segments].",
        ),
        Key::new(
            "initial_ssthresh",
            SSTHRESH,
            word("unlimited"),
            "20",
            "Initial slow-start threshold [segments].",
        ),
        Key::new(
            "receive_window",
            bytes(1, 1_000_000_000),
            size(65_535),
            "\"20 kB\"",
            "Receiver's window: at least one segment; above 65535 B only with `window_scaling`.",
        ),
        Key::new(
            "window_scaling",
            Kind::Flag,
            FALSE,
            "true",
            "Whether the window-scale option is offered.",
        ),
        Key::new(
            "min_rto",
            MIN_RTO,
            Absent::Is(Plain::Duration(Duration::from_secs(1))),
            "\"200 ms\"",
            "Smallest retransmission time-out; RFC 6298 says 1 s.",
        ),
        Key::new(
            "tick",
            Kind::Duration { min: Duration::from_micros(1), max: Duration::from_secs(1) },
            Absent::Is(Plain::Duration(Duration::from_micros(1))),
            "\"10 ms\"",
            "Tick of the clock that measures round trips; ns-2's `tcpTick_` is 10 ms.",
        ),
        Key::new(
            "recovery_timer",
            Kind::Word(&["impatient", "slow-but-steady"]),
            word("impatient"),
            "\"slow-but-steady\"",
            "What restarts the retransmission timer in NewReno's fast recovery: the first partial \
             ACK (RFC 6582, and ns-2.35 by default), or every one (`newreno_changes1_ 0`).",
        ),
        Key::new(
            "deflation",
            Kind::Word(&["to-flight", "to-ssthresh"]),
            word("to-flight"),
            "\"to-ssthresh\"",
            "Window on leaving NewReno's fast recovery: just above what is in flight, so that no \
             burst follows, or ssthresh as in ns-2 (`exit_recovery_fix_ 0`). Reno always takes ssthresh.",
        ),
        Key::new("limited_transmit", Kind::Flag, TRUE, "false", "Limited transmit (RFC 3042)."),
        Key::new(
            "byte_counting",
            Kind::Flag,
            TRUE,
            "false",
            "Whether cwnd grows by octets acknowledged (RFC 3465), else once per ACK as ns-2 does.",
        ),
        Key::new(
            "grow_beyond_receive_window",
            Kind::Flag,
            FALSE,
            "true",
            "Whether cwnd grows while the receiver's window is the limit, as in ns-2.",
        ),
        Key::new(
            "handshake",
            Kind::Flag,
            TRUE,
            "false",
            "Whether the connection opens with SYN and SYN-ACK.",
        ),
    ],
};

static DELAYED_ACK: Table = Table {
    noun: "delayed acknowledgement",
    later: None,
    keys: &[
        Key::new(
            "segments",
            Kind::Integer { min: 1, max: 1_000 },
            number(2),
            "4",
            "One ACK at least every so many segments.",
        ),
        Key::new(
            "timeout",
            ACK_TIMER,
            Absent::Is(Plain::Duration(Duration::from_millis(200))),
            "\"100 ms\"",
            "One ACK at the latest after this time.",
        ),
    ],
};

/// A TFRC flow.
pub(super) static TFRC: Table = Table {
    noun: "a TFRC transport",
    later: None,
    keys: &[
        Key::new("kind", Kind::Word(&["tfrc"]), Absent::Required, "\"tfrc\"", "The protocol."),
        Key::new(
            "profile",
            Kind::Word(&["rfc5348", "rfc3448", "ns-2"]),
            word("rfc5348"),
            "\"ns-2\"",
            "Whose TFRC: the standard of 2008, that of 2003, or ns-2.35's.",
        ),
        Key::new(
            "segment",
            bytes(1, MAX_MSDU - IP_TFRC),
            Absent::Is(Plain::Bytes(Bytes::new(1_000))),
            "\"500 B\"",
            "Application octets per packet, s in the throughput equation.",
        ),
        Key::new(
            "rate",
            TFRC_RATE,
            word("greedy"),
            "\"300 kb/s\"",
            "What the application offers: always more (`greedy`), or a constant rate.",
        ),
        Key::new(
            "source",
            Kind::Tagged(&SOURCES),
            Absent::Follows("see `rate`"),
            "{ model = \"on-off\", rate = \"500 kb/s\", on = \"1 s\", off = \"2 s\" }",
            "An application that does not offer the same all the time. Not beside `rate`.",
        ),
    ],
};

static SOURCES: Tagged = Tagged {
    key: "model",
    noun: "source model",
    variants: &[("on-off", &ON_OFF), ("frames", &FRAMES)],
};

/// An application that pauses.
pub(super) static ON_OFF: Table = Table {
    noun: "an on-off source",
    later: None,
    keys: &[
        Key::new("model", Kind::Word(&["on-off"]), Absent::Required, "\"on-off\"", "The model."),
        Key::new(
            "rate",
            Kind::Rate,
            Absent::Required,
            "\"300 kb/s\"",
            "Rate of application bits while on, in whole packets; the first comes at once.",
        ),
        Key::new("on", PERIOD, Absent::Required, "\"500 ms\"", "Length of each on-period."),
        Key::new("off", DELAY, Absent::Required, "\"3 s\"", "Length of each off-period."),
    ],
};

/// An application that sends frames.
pub(super) static FRAMES: Table = Table {
    noun: "a source of frames",
    later: None,
    keys: &[
        Key::new("model", Kind::Word(&["frames"]), Absent::Required, "\"frames\"", "The model."),
        Key::new(
            "interval",
            PERIOD,
            Absent::Required,
            "\"40 ms\"",
            "Time from frame to frame, and from the start to the first.",
        ),
        Key::new(
            "sizes",
            FRAME_SIZES,
            Absent::Required,
            "[\"8 kB\", \"2 kB\", \"2 kB\"]",
            "Sizes of the frames, from the beginning again at the end; at most 100000. A frame is cut \
             into packets, and dropped whole if more than 50 packets' worth waits.",
        ),
    ],
};

/// A UDP source.
pub(super) static UDP: Table = Table {
    noun: "a UDP transport",
    later: None,
    keys: &[
        Key::new("kind", Kind::Word(&["udp"]), Absent::Required, "\"udp\"", "The protocol."),
        Key::new(
            "payload",
            bytes(1, MAX_MSDU - IP_UDP),
            Absent::Required,
            "\"1000 B\"",
            "Application octets per datagram; with 28 octets of headers and LLC/SNAP it must fit \
             in an MSDU of 2304.",
        ),
        Key::new(
            "rate",
            UDP_RATE,
            Absent::Required,
            "\"2 Mb/s\"",
            "Rate of application bits; `saturated`: the sender's queue is never empty.",
        ),
    ],
};
