//! Keys of TCP, TFRC, UDP and external flows, and the list of all transports.

use airfair_laws::newreno::Deflation;
use airfair_transport::tcp::{
    Arithmetic, DelayedAck, EcnFeedback, Flavour, LossRecovery, ReceiverConfig, RecoveryTimer,
    SenderConfig, SlowStart,
};
use airfair_transport::tfrc::{self, Profile};
use airfair_transport::udp;
use airfair_units::{Bytes, DataRate, Duration};

use super::super::declare::{Choice, Form, Keys, OrNone};
use super::super::kind::{Absent, Kind, Plain, words};
use super::super::reader::Entry;
use super::super::{Quic, Tcp, Tfrc, Transport};
use super::limits::{IP_TCP, IP_TFRC, IP_UDP, MAX_MSDU};
use super::live::LIVE;
use super::quic::quic;
use super::ranges::{DELAY, OFF, PERIOD, UNLIMITED, bytes, integer, time};
use super::workloads;

words!(Flavour {
    Reno = "reno",
    NewReno = "newreno",
    Sack = "sack",
    Westwood = "westwood",
    WestwoodPlus = "westwood+",
    Vegas = "vegas",
    Cubic = "cubic",
    Bbr1 = "bbr1",
    Bbr = "bbr",
    Dctcp = "dctcp",
    Prague = "prague",
});
words!(SlowStart { Standard = "standard", HyStart = "hystart", HyStartPlusPlus = "hystart++" });
words!(RecoveryTimer { Impatient = "impatient", SlowButSteady = "slow-but-steady" });
words!(LossRecovery { Duplicates = "duplicates", Rack = "rack" });
words!(EcnFeedback { Classic = "classic", Exact = "exact", Ace = "ace", Accurate = "accurate" });
words!(Arithmetic { Rfc = "rfc", Linux = "linux" });
words!(Deflation { ToFlight = "to-flight", ToThreshold = "to-ssthresh" });
words!(Profile { Rfc5348 = "rfc5348", Rfc3448 = "rfc3448", Ns2 = "ns-2" });

const ACK_TIMER: Kind = time(Duration::from_millis(1), Duration::from_secs(10));
const MIN_RTO: Kind = time(Duration::from_millis(1), Duration::from_secs(60));
const OFF_OR_TIME: Kind =
    Kind::Either(&[OFF, time(Duration::from_micros(1), Duration::from_secs(1))]);
const TICK: Kind = time(Duration::from_micros(1), Duration::from_secs(1));
const SSTHRESH: Kind = Kind::Either(&[UNLIMITED, integer(2, 1_000_000)]);
pub(crate) const UDP_RATE: Kind = Kind::Either(&[Kind::Word(&["saturated"]), Kind::Rate]);
pub(crate) const UDP_PAYLOAD: Kind = bytes(1, MAX_MSDU - IP_UDP);
const TFRC_RATE: Kind = Kind::Either(&[Kind::Word(&["greedy"]), Kind::Rate]);
const FRAME_SIZES: Kind = Kind::List(&bytes(1, 10_000_000));
const ANY_RATE: DataRate = DataRate::from_mbps(1);
const ANY_TIME: Duration = Duration::from_secs(1);

pub(crate) const TRANSPORTS: Choice<Transport> = Choice {
    key: "kind",
    noun: "transport",
    says: "Transport protocol.",
    name: |transport| match transport {
        Transport::Tcp(_) => "tcp",
        Transport::Quic(_) => "quic",
        Transport::Tfrc(_) => "tfrc",
        Transport::Udp { .. } => "udp",
        Transport::External => "external",
    },
    alone: Vec::new,
    tables: || {
        let (payload, rate) = (Bytes::new(1_200), udp::SendRate::Saturated);
        vec![
            Transport::Tcp(Tcp::default()),
            Transport::Quic(Quic::default()),
            Transport::Tfrc(Tfrc::default()),
            Transport::Udp { payload, rate },
            Transport::External,
        ]
    },
    has_default: false,
    settings: |keys, transport| match transport {
        Transport::Tcp(it) => tcp(keys, it),
        Transport::Quic(it) => quic(keys, it),
        Transport::Tfrc(it) => tfrc(keys, it),
        Transport::Udp { payload, rate } => udp(keys, payload, rate),
        Transport::External => keys.of("an external transport"),
    },
};

fn tcp(keys: &mut Keys, it: &mut Tcp) {
    let Tcp { sender, receiver, source, keeps_refused, is_kernels } = it;
    let is_written = *is_kernels;
    keys.of("a TCP transport");
    keys.no_or_yes("stack", is_kernels, &["simulated", "kernel"], "\"kernel\"")
        .written_if(is_written)
        .says(
            "TCP implementation: the simulated one, or that of this machine's kernel over real sockets, in `airfair \
             emulate` only. Of the other settings, `kernel` allows `flavour`, `ecn` and `size`.",
        );
    keys.word("flavour", &mut sender.flavour, "\"cubic\"").says(
        "Congestion control. `sack`, `westwood+`, `cubic`, `dctcp`, `prague`, `bbr1` and `bbr` use selective acknowledgements. `bbr1` and \
         `bbr` are versions 1 and 3 of BBR, which pace, and detect losses as `loss_recovery = \"rack\"` does. \
         `dctcp` reduces its window in proportion to the share of marked octets (RFC 8257); it always has `ecn`, and \
         its receiver echoes each mark exactly. `prague` is like it, for queues of low latency: it sends ECT(1), paces, \
         and depends less on the round trip (draft-briscoe-iccrg-prague-congestion-control).",
    );
    keys.maybe("sack", &mut sender.sack, Kind::Flag, "true")
        .follows("see `flavour`")
        .says("Selective acknowledgements (RFC 2018, 6675). The flavour `sack` requires them.");
    keys.key("prr", &mut sender.proportional_reduction, Kind::Flag, "true").says(
        "Proportional rate reduction in recovery (RFC 6937); needs selective acknowledgements.",
    );
    let is_rack = sender.loss_recovery == LossRecovery::Rack;
    keys.word("loss_recovery", &mut sender.loss_recovery, "\"rack\"").written_if(is_rack).says(
        "Rule by which a segment counts as lost. `duplicates`: three duplicate ACKs, or three acknowledged ranges \
         above it (RFC 5681, 6675). `rack`: the time since it was sent, with tail loss probes (RFC 8985) and \
         proportional rate reduction, as in Linux; it needs selective acknowledgements.",
    );
    let is_linux = sender.arithmetic == Arithmetic::Linux;
    keys.word("arithmetic", &mut sender.arithmetic, "\"linux\"").written_if(is_linux).says(
        "Arithmetic of `reno`, `newreno`, `sack` and `cubic`: that of the RFCs in octets, or Linux's in whole \
         segments, with Linux's CUBIC and HyStart, a retransmission time-out of at least SRTT plus `min_rto`, and a \
         receive window that grows.",
    );
    keys.maybe_word("slow_start", &mut sender.slow_start, "\"hystart++\"")
        .follows("`hystart` for `cubic` with `arithmetic = \"linux\"`, otherwise `standard`")
        .says(
            "End of slow start of `reno`, `newreno`, `sack` and `cubic`. `standard`: a loss. `hystart`: also a long train \
             of ACKs or grown round trips, as in Linux's CUBIC. `hystart++`: grown round trips, and then five rounds of \
             slower growth (RFC 9406).",
        );
    let has_ecn = sender.ecn;
    keys.key("ecn", &mut sender.ecn, Kind::Flag, "true").written_if(has_ecn).says(
        "Explicit congestion notification (RFC 3168): queues with `ecn` mark the connection's new data instead of \
         dropping it, and the sender answers a mark as it answers a loss, without a retransmission.",
    );
    keys.maybe_word("ecn_feedback", &mut sender.ecn_feedback, "\"accurate\"")
        .follows("`accurate` for `prague`, `exact` for `dctcp`, otherwise `classic`")
        .says(
            "Method by which the receiver reports marks. `classic`: in all ACKs until the sender has answered (RFC 3168). \
             `exact`: in the ACKs of marked segments (RFC 8257), for `dctcp` and `prague` alone. `accurate`: accurate ECN \
             (RFC 9768), a count of marked packets modulo eight in each ACK, and an option of 8 octets with counts of \
             octets. `ace`: the same without the option.",
        );
    let paces = sender.pacing;
    keys.key("pacing", &mut sender.pacing, Kind::Flag, "true").written_if(paces).says(
        "Segments leave at a rate, in bursts of a millisecond or two segments: at twice the window per round trip in \
         slow start, and at 1.2 windows afterwards, as in Linux. `bbr1` and `bbr` always pace, at a rate of their own.",
    );
    keys.key("timestamps", &mut sender.timestamps, Kind::Flag, "true").says(
        "Timestamps in every segment and ACK (RFC 7323): 12 more octets of header, and a round-trip measurement with \
         every new ACK.",
    );
    keys.key("segment", &mut sender.segment, bytes(1, MAX_MSDU - IP_TCP), "\"1000 B\"").says(
        "Application octets per segment. With 40 octets of headers, and LLC/SNAP, they must fit in an MSDU of 2304 \
         octets.",
    );
    workloads::size(keys, &mut sender.transfer);
    workloads::source(keys, source);
    let (none, default) = (Plain::Flag(false), DelayedAck::default());
    keys.table_or(
        "delayed_ack",
        &mut receiver.delayed_ack,
        OrNone { none, default, declare: delayed_ack },
        "false",
    )
    .says("Delayed acknowledgements: `true` is `{ segments = 2, timeout = \"200 ms\" }`.");
    windows_and_timers(keys, sender, receiver);
    keys.no_or_yes("full_queue", keeps_refused, &["loss", "hold"], "\"hold\"").says(
        "Treatment of a segment for which the transmit queue of the sender's host has no room. `loss`: it is lost, as \
         in ns-2. `hold`: the sender keeps it and reduces its window, as Linux does.",
    );
    let is_small = sender.small_queue.is_some();
    keys.optional("small_queues", &mut sender.small_queue, OFF_OR_TIME, "\"1 ms\"").written_if(is_small).says(
        "TCP small queues: limit of a sender's data in the transmit queue of its host. The limit is the amount that \
         pacing would send in this time, at least two segments and at most 4 MiB. Linux has 1 ms, and 8 ms on Wi-Fi.",
    );
    keys.key("handshake", &mut sender.handshake, Kind::Flag, "false")
        .says("The connection opens with SYN and SYN-ACK.");
    it.agree();
}

fn windows_and_timers(keys: &mut Keys, sender: &mut SenderConfig, receiver: &mut ReceiverConfig) {
    keys.key("initial_window", &mut sender.initial_window, integer(1, 1_000), "2")
        .says("Initial window [segments].");
    keys.optional("initial_ssthresh", &mut sender.initial_ssthresh, SSTHRESH, "20")
        .says("Initial slow-start threshold [segments].");
    keys.key("receive_window", &mut receiver.buffer, bytes(1, 1_000_000_000), "\"20 kB\"").says(
        "Receive window: at least one segment; more than 65535 B only with `window_scaling`.",
    );
    keys.key("window_scaling", &mut sender.window_scaling, Kind::Flag, "true")
        .says("The connection offers the window scale option (RFC 7323).");
    keys.key("min_rto", &mut sender.rto.min, MIN_RTO, "\"200 ms\"")
        .says("Smallest retransmission time-out; RFC 6298 has 1 s.");
    keys.key("tick", &mut sender.rto.granularity, TICK, "\"10 ms\"")
        .says("Tick of the clock that measures round trips; ns-2's `tcpTick_` is 10 ms.");
    keys.word("recovery_timer", &mut sender.recovery_timer, "\"slow-but-steady\"").says(
        "Partial ACKs that restart the retransmission timer in NewReno's fast recovery: the first one (`impatient`: \
         RFC 6582, and ns-2.35 by default), or every one (`slow-but-steady`: ns-2's `newreno_changes1_ 0`).",
    );
    keys.word("deflation", &mut sender.deflation, "\"to-ssthresh\"").says(
        "Window at the end of NewReno's fast recovery. `to-flight`: just above the data in flight, so that no burst \
         follows. `to-ssthresh`: ssthresh, as in ns-2 (`exit_recovery_fix_ 0`). Reno always takes ssthresh.",
    );
    keys.key("limited_transmit", &mut sender.limited_transmit, Kind::Flag, "false")
        .says("Limited transmit (RFC 3042).");
    keys.key("byte_counting", &mut sender.byte_counting, Kind::Flag, "false")
        .says("cwnd grows by acknowledged octets (RFC 3465), instead of once per ACK as in ns-2.");
    let grow = &mut sender.grow_beyond_receive_window;
    keys.key("grow_beyond_receive_window", grow, Kind::Flag, "true")
        .says("cwnd also grows while the receive window is the limit, as in ns-2.");
    keys.key("quick_acks", &mut receiver.quick_acks, integer(0, 1_000), "16").says(
        "ACKs at the start of a connection that are sent at once, before ACKs are delayed; Linux has up to 16.",
    );
}

fn delayed_ack(keys: &mut Keys, it: &mut DelayedAck) {
    keys.of("delayed acknowledgement");
    keys.key("segments", &mut it.segments, integer(1, 1_000), "4")
        .says("Largest number of segments that one ACK acknowledges.");
    keys.key("timeout", &mut it.timeout, ACK_TIMER, "\"100 ms\"").says("Longest delay of an ACK.");
    let coalesces = it.coalescing.is_some();
    keys.optional("coalescing", &mut it.coalescing, OFF_OR_TIME, "\"50 us\"").written_if(coalesces).says(
        "Time for which an ACK that is due waits, so that it acknowledges all segments that arrive meanwhile, such as the \
         rest of an aggregate. In Linux the application reads them together, and its read sends the ACK.",
    );
}

fn tfrc(keys: &mut Keys, it: &mut Tfrc) {
    let is_written = it.is_kernels;
    keys.of("a TFRC transport");
    keys.no_or_yes("stack", &mut it.is_kernels, &["simulated", "kernel"], "\"kernel\"")
        .written_if(is_written)
        .says(
            "TFRC implementation: the simulated one, or `airfair tfrc` over sockets of this machine's kernel, in \
             `airfair emulate` only. Of the other settings, `kernel` allows `profile`, `segment` and `rate`.",
        );
    keys.word("profile", &mut it.profile, "\"ns-2\"")
        .says("Version of TFRC: the standard of 2008, that of 2003, or ns-2.35's.");
    keys.key("segment", &mut it.segment, bytes(1, MAX_MSDU - IP_TFRC), "\"500 B\"")
        .says("Application octets per packet, s in the throughput equation.");
    let mut rate = match it.traffic {
        tfrc::Traffic::Constant(rate) => Some(rate),
        _ => None,
    };
    let is_even =
        |traffic: &_| matches!(traffic, tfrc::Traffic::Greedy | tfrc::Traffic::Constant(_));
    let was_even = is_even(&it.traffic);
    keys.optional("rate", &mut rate, TFRC_RATE, "\"300 kb/s\"")
        .written_if(was_even)
        .says(
            "Rate that the application offers: always more than TFRC allows (`greedy`), or a constant rate.",
        );
    let example = "{ model = \"on-off\", rate = \"500 kb/s\", on = \"1 s\", off = \"2 s\" }";
    keys.choice("source", &mut it.traffic, &SOURCES, example)
        .written_if(!was_even)
        .follows("see `rate`")
        .says("Application whose rate changes over time. Not together with `rate`.");
    if is_even(&it.traffic) {
        it.traffic = rate.map_or(tfrc::Traffic::Greedy, tfrc::Traffic::Constant);
    }
}

/// Applications of TFRC that send at a varying rate.
pub(crate) const SOURCES: Choice<tfrc::Traffic> = Choice {
    key: "model",
    noun: "source model",
    says: "Name of the model.",
    name: |traffic| match traffic {
        tfrc::Traffic::Greedy | tfrc::Traffic::Constant(_) => "even",
        tfrc::Traffic::OnOff { .. } => "on-off",
        tfrc::Traffic::Frames { .. } => "frames",
    },
    alone: Vec::new,
    tables: || {
        vec![
            tfrc::Traffic::OnOff { rate: ANY_RATE, on: ANY_TIME, off: ANY_TIME },
            tfrc::Traffic::Frames { frames: Vec::new(), repeat: true },
        ]
    },
    has_default: false,
    settings: |keys, traffic| match traffic {
        tfrc::Traffic::Greedy | tfrc::Traffic::Constant(_) => {}
        tfrc::Traffic::OnOff { rate, on, off } => {
            keys.of("an on-off source");
            keys.key("rate", rate, Kind::Rate, "\"300 kb/s\"").required().says(
                "Rate of the application during an on-period, in whole packets; the first packet comes at its start.",
            );
            keys.key("on", on, PERIOD, "\"500 ms\"").required().says("Length of each on-period.");
            keys.key("off", off, DELAY, "\"3 s\"").required().says("Length of each off-period.");
        }
        tfrc::Traffic::Frames { frames, .. } => self::frames(keys, frames),
    },
};

fn frames(keys: &mut Keys, frames: &mut Vec<tfrc::Frame>) {
    keys.of("a source of frames");
    let mut interval = frames.first().map_or(ANY_TIME, |frame| frame.after);
    keys.key("interval", &mut interval, PERIOD, "\"40 ms\"")
        .required()
        .says("Time from frame to frame, and from the start to the first frame.");
    let read = |entry: &Entry, _: &_| {
        let frame = |item: &Entry| Some(tfrc::Frame { after: interval, size: item.value()? });
        entry.items().iter().map(frame).collect()
    };
    let write = |frames: &Vec<tfrc::Frame>| {
        let sizes = frames.iter().map(|frame| Plain::Bytes(frame.size).to_string());
        format!("[{}]", sizes.collect::<Vec<_>>().join(", "))
    };
    let describe = |_: &mut _| (FRAME_SIZES, Absent::Required);
    keys.any("sizes", frames, "[\"8 kB\", \"2 kB\", \"2 kB\"]", Form { describe, read, write }).says(
        "Sizes of the frames, at most 100000; after the last one the list starts again. A frame is cut into packets, \
         and dropped as a whole if more than 50 packets' worth of data waits.",
    );
}

fn udp(keys: &mut Keys, payload: &mut Bytes, rate: &mut udp::SendRate) {
    keys.of("a UDP transport");
    keys.key("payload", payload, UDP_PAYLOAD, "\"1000 B\"")
        .follows("1200 B with a `source`, otherwise required")
        .says(
            "Application octets per datagram; with a `source` at most. With 28 octets of headers, and LLC/SNAP, they must \
             fit in an MSDU of 2304 octets.",
        );
    let mut constant = match *rate {
        udp::SendRate::Constant(rate) => Some(rate),
        udp::SendRate::Saturated | udp::SendRate::Live(_) => None,
    };
    let is_live = |rate: &_| matches!(rate, udp::SendRate::Live(_));
    let was_live = is_live(rate);
    keys.optional("rate", &mut constant, UDP_RATE, "\"2 Mb/s\"")
        .written_if(!was_live)
        .follows("required without a `source`")
        .says(
            "Rate of the application's bits; with `saturated` the sender's queue is never empty.",
        );
    let example = "{ model = \"call\", codec = \"g711\" }";
    keys.choice("source", rate, &LIVE, example)
        .written_if(was_live)
        .follows("see `rate`")
        .says(
            "Live application, whose frames come whether the network takes them or not. `call` and `video-call` are their \
             tables with the defaults. Not together with `rate`.",
        );
    if !is_live(rate) {
        *rate = constant.map_or(udp::SendRate::Saturated, udp::SendRate::Constant);
    }
}
