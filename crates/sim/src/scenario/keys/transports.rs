//! TCP, TFRC and UDP, and the schemes that control TCP.

use airfair_units::{Bytes, Duration, Probability};

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged};
use super::{
    DELAY, IP_TCP, IP_TFRC, IP_UDP, MAX_MSDU, PERIOD, TRUE, UNLIMITED, bytes, model, number,
    protocol, size, word,
};

const FALSE: Absent = Absent::Is(Plain::Flag(false));
const TCP_SIZE: Kind = Kind::Either(&[Kind::Word(&["endless"]), FINITE]);
const FINITE: Kind = bytes(1, 1_000_000_000_000_000);
const DELAYED: Kind = Kind::Either(&[Kind::Flag, Kind::Table(&DELAYED_ACK)]);
const ACK_TIMER: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(10) };
const MIN_RTO: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(60) };
const SLOT: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(3_600) };
const SSTHRESH: Kind = Kind::Either(&[UNLIMITED, Kind::Integer { min: 2, max: 1_000_000 }]);
const UDP_RATE: Kind = Kind::Either(&[Kind::Word(&["saturated"]), Kind::Rate]);
const TFRC_RATE: Kind = Kind::Either(&[Kind::Word(&["greedy"]), Kind::Rate]);
const FRAME_SIZES: Kind = Kind::List(&FRAME_SIZE);
const FRAME_SIZE: Kind = bytes(1, 10_000_000);

/// A TCP connection.
pub(in crate::scenario) static TCP: Table = Table {
    noun: "a TCP transport",
    later: None,
    keys: &[
        protocol(&["tcp"], "\"tcp\""),
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
            "quick_acks",
            Kind::Integer { min: 0, max: 1_000 },
            number(0),
            "16",
            "ACKs at the start of a connection that are sent at once, before delaying begins; Linux \
             begins with up to 16.",
        ),
        Key::new(
            "full_queue",
            Kind::Word(&["loss", "hold"]),
            word("loss"),
            "\"hold\"",
            "What becomes of a segment that the transmit queue of the sender's own host has no room \
             for: it is lost, as in ns-2, or the sender keeps it and reduces its window, as Linux does.",
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
pub(in crate::scenario) static TFRC: Table = Table {
    noun: "a TFRC transport",
    later: None,
    keys: &[
        protocol(&["tfrc"], "\"tfrc\""),
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
    otherwise: None,
    variants: &[("on-off", &ON_OFF), ("frames", &FRAMES)],
};

/// An application that pauses.
pub(in crate::scenario) static ON_OFF: Table = Table {
    noun: "an on-off source",
    later: None,
    keys: &[
        model(&["on-off"], "\"on-off\""),
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
pub(in crate::scenario) static FRAMES: Table = Table {
    noun: "a source of frames",
    later: None,
    keys: &[
        model(&["frames"], "\"frames\""),
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

/// Cross-layer control with its settings.
pub(super) static CONTROLS: Tagged = Tagged {
    key: "scheme",
    noun: "control scheme",
    otherwise: None,
    variants: &[
        ("arf-aware", &ARF_AWARE),
        ("arf-window", &ARF_WINDOW),
        ("occupancy", &OCCUPANCY),
        ("rate-cap", &RATE_CAP),
    ],
};

const fn scheme(word: &'static [&'static str], example: &'static str) -> Key {
    Key::new("scheme", Kind::Word(word), Absent::Required, example, "Name of the scheme.")
}

/// The congestion window divided while the rate is low.
pub(in crate::scenario) static ARF_AWARE: Table = Table {
    noun: "a control scheme",
    later: None,
    keys: &[
        scheme(&["arf-aware"], "\"arf-aware\""),
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

/// Readings of what a connection's time is after a change of the rate.
const READING: Kind = Kind::Word(&["projected", "printed"]);

/// Windows from the occupancy of the channel.
pub(in crate::scenario) static ARF_WINDOW: Table = Table {
    noun: "a control scheme",
    later: None,
    keys: &[
        scheme(&["arf-window"], "\"arf-window\""),
        Key::new(
            "slot",
            SLOT,
            Absent::Is(Plain::Duration(Duration::from_millis(300))),
            "\"1 s\"",
            "Observation slot, T: the station's account of its channel goes over so long a time.",
        ),
        Key::new(
            "long_lived",
            bytes(0, 1_000_000_000_000_000),
            Absent::Is(Plain::Bytes(Bytes::new(100_000))),
            "\"1 MB\"",
            "What a connection must have moved before the scheme takes it for long-lived.",
        ),
        Key::new(
            "rise",
            READING,
            word("projected"),
            "\"printed\"",
            "A connection's time after a rise of the rate: what its data would take at the new rate, so that it has \
             what the channel has (`projected`), or as measured at the old one, so that the rise counts twice \
             (`printed`).",
        ),
        Key::new(
            "fall",
            READING,
            word("projected"),
            "\"printed\"",
            "Likewise after a fall of the rate.",
        ),
        Key::new(
            "round_trip",
            Kind::Word(&["least", "smoothed"]),
            word("least"),
            "\"smoothed\"",
            "Round trip that a window is computed for: the least so far, or the mean of late, which contains the wait \
             in the queue that the window fills.",
        ),
    ],
};

/// Rates within a granted share of the channel. What there is to choose is the access point's.
pub(in crate::scenario) static OCCUPANCY: Table = Table {
    noun: "a control scheme",
    later: None,
    keys: &[scheme(&["occupancy"], "\"occupancy\"")],
};

/// A fixed share of the rate of a link.
pub(in crate::scenario) static RATE_CAP: Table = Table {
    noun: "a control scheme",
    later: None,
    keys: &[
        scheme(&["rate-cap"], "\"rate-cap\""),
        Key::new(
            "share",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::literal(0.5))),
            "0.25",
            "Share of the rate of the sender's own frames that the flow may have from the first change of that rate \
             on: more than 0.",
        ),
    ],
};

/// A UDP source.
pub(in crate::scenario) static UDP: Table = Table {
    noun: "a UDP transport",
    later: None,
    keys: &[
        protocol(&["udp"], "\"udp\""),
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
