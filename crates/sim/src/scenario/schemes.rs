//! Control schemes: those of flows, which act at stations, and those of access points. Each scheme has here its name, its
//! settings with their keys, and the conditions on its flow.

use airfair_laws::exchange::Aggregates;
use airfair_laws::{arf_aware, arf_window, rate_cap, uplink_share};
use airfair_units::{Duration, Probability};

use super::Transport;
use super::declare::{Choice, Keys};
use super::error::Mistakes;
use super::keys::{OFF, TIME, bytes, time};
use super::kind::{Kind, words};
use super::names::Target;
use super::reader::Entry;

words!(arf_aware::Variant { Held = "held", OneShot = "one-shot", Continuous = "continuous" });
words!(arf_window::Reading { Projected = "projected", Printed = "printed" });
words!(Aggregates { Full = "full", Seen = "seen", Apart = "apart" });
words!(arf_window::RoundTrip { Least = "least", Smoothed = "smoothed" });

const POLL: Kind = Kind::Either(&[OFF, time(Duration::from_millis(1), Duration::from_secs(3_600))]);
/// Range of a bucket of channel time: the longest aggregate, of 5.5 ms, must fit.
const BUCKET: Kind = time(Duration::from_millis(10), Duration::from_secs(3_600));
const SLOT: Kind = time(Duration::from_millis(1), Duration::from_secs(3_600));

/// Settings of ARF-aware TCP, with the way in which TCP learns the rate.  [arf-aware-tcp §3]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArfAware {
    /// Parameters of ARF-aware TCP's law.
    pub law: arf_aware::Params,
    /// Time between two polls of the link's rate; with `None`, the driver notifies TCP of each change.
    pub poll: Option<Duration>,
    /// Delay until TCP knows a new rate of its link: from the change, or from the poll by which TCP asks its driver.
    pub notification_delay: Duration,
}

/// Scheme of cross-layer control.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// No cross-layer control.
    #[default]
    None,
    /// ARF-aware TCP. The sender must be a station.  [arf-aware-tcp §3]
    ArfAware(ArfAware),
    /// Scheme that limits windows of TCP by channel occupancy. At least one end must be a station.  [arf-window §III]
    ArfWindow(arf_window::Params),
    /// Scheme that limits the rate to a fixed share of the rate of the sender's link. The sender must be a station.
    RateCap(rate_cap::Params),
    /// Scheme that limits the rate by the share of the channel that the access point grants. At least one end must be
    /// a station.  [occupancy-tfrc §III]
    Occupancy,
}

impl Scheme {
    /// Word for the scheme in the scenario file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ArfAware(_) => "arf-aware",
            Self::ArfWindow(_) => "arf-window",
            Self::RateCap(_) => "rate-cap",
            Self::Occupancy => "occupancy",
        }
    }
}

/// Scheme by which an access point acts on the packets that it forwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ApScheme {
    /// The access point acts on no packet.
    #[default]
    None,
    /// Scheme that drops data of stations that use the channel for more than their share.
    UplinkShare(uplink_share::Params),
}

impl ApScheme {
    /// Word for the scheme in the scenario file.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::UplinkShare(_) => "uplink-share",
        }
    }
}

/// Meaning of a flow's key `control`.
pub(super) const CONTROL: &str = "Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP and a station as \
             sender. `arf-window` needs TCP and a station at one end at least. `occupancy` needs TCP or TFRC, a \
             station at one end at least and an access point with `occupancy`. `rate-cap` needs TCP or TFRC and a \
             station as sender. If both ends are stations, `arf-window` and `occupancy` act at both.";

/// Schemes of cross-layer control.
pub(super) const CONTROLS: Choice<Scheme> = Choice {
    key: "scheme",
    noun: "control scheme",
    says: "Name of the scheme.",
    name: |control| control.name(),
    alone: || [vec![Scheme::None], schemes()].concat(),
    tables: schemes,
    has_default: false,
    settings: |keys, control| {
        keys.of("a control scheme");
        match control {
            Scheme::None | Scheme::Occupancy => {}
            Scheme::ArfAware(it) => arf_aware(keys, it),
            Scheme::ArfWindow(it) => arf_window(keys, it),
            Scheme::RateCap(it) => rate_cap(keys, it),
        }
    },
};

fn schemes() -> Vec<Scheme> {
    vec![
        Scheme::ArfAware(ArfAware::default()),
        Scheme::ArfWindow(arf_window::Params::default()),
        Scheme::Occupancy,
        Scheme::RateCap(rate_cap::Params::default()),
    ]
}

/// Meaning of an access point's key `control`.
pub(super) const AP_CONTROL: &str = "Scheme of the access point. With `uplink-share` it drops data packets of stations \
    whose data uses the channel for more than an equal share of the time.";

/// Noun for a scheme of an access point, by which the reference tells its tables from those of flows.
pub(super) const AP_SCHEME: &str = "scheme of an access point";

/// Schemes of access points.
pub(super) const AP_CONTROLS: Choice<ApScheme> = Choice {
    key: "scheme",
    noun: AP_SCHEME,
    says: "Name of the scheme.",
    name: |control| control.name(),
    alone: || [vec![ApScheme::None], ap_schemes()].concat(),
    tables: ap_schemes,
    has_default: false,
    settings: |keys, control| {
        keys.of("a scheme of an access point");
        match control {
            ApScheme::None => {}
            ApScheme::UplinkShare(it) => uplink_share(keys, it),
        }
    },
};

fn ap_schemes() -> Vec<ApScheme> {
    vec![ApScheme::UplinkShare(uplink_share::Params::default())]
}

fn uplink_share(keys: &mut Keys, it: &mut uplink_share::Params) {
    keys.key("bucket", &mut it.bucket, BUCKET, "\"20 ms\"")
        .says("Largest channel time that a station can save for later.");
}

fn rate_cap(keys: &mut Keys, it: &mut rate_cap::Params) {
    keys.key("share", &mut it.share, Kind::Probability, "0.25").says(
        "Share of the sender's link rate that the flow may use, more than 0. The limit begins at the first change of \
         that rate.",
    );
}

fn arf_aware(keys: &mut Keys, it: &mut ArfAware) {
    keys.word("variant", &mut it.law.variant, "\"one-shot\"").says(
        "Interpretation of the paper. `held`: while the rate is low, the window is at most a k-th of the saved one. \
         `one-shot`: the window is set to a k-th of the saved one once. `continuous`: the window is at most a k-th of \
         the current one.",
    );
    let is_polled = it.poll.is_some();
    keys.optional("poll", &mut it.poll, POLL, "\"1 s\"").written_if(is_polled).says(
        "Time between two queries of the link rate, as with SNMP. With `off` the driver notifies TCP of each change.",
    );
    let is_late = !it.notification_delay.is_zero();
    keys.key("notification_delay", &mut it.notification_delay, TIME, "\"10 ms\"")
        .written_if(is_late)
        .says(
            "Delay from a change of the link rate, or from a query of the rate, until TCP knows the rate.",
        );
}

fn arf_window(keys: &mut Keys, it: &mut arf_window::Params) {
    keys.key("slot", &mut it.slot, SLOT, "\"1 s\"").says(
        "Observation slot, T in the paper: the time over which the station measures its channel.",
    );
    let amount = bytes(0, 1_000_000_000_000_000);
    keys.key("long_lived", &mut it.long_lived, amount, "\"1 MB\"")
        .says(
            "Amount of data that a connection must have transferred before the scheme takes it for long-lived.",
        );
    keys.word("rise", &mut it.rise, "\"printed\"").says(
        "Channel time of a connection after a rise of the rate. `projected`: the time that its data would take at the \
         new rate. `printed`: the time measured at the old rate, so that the rise counts twice.",
    );
    keys.word("fall", &mut it.fall, "\"printed\"")
        .says("Channel time of a connection after a fall of the rate, as in `rise`.");
    keys.word("round_trip", &mut it.round_trip, "\"smoothed\"").says(
        "Round-trip time from which a window is computed. `least`: the smallest so far. `smoothed`: the smoothed one, \
         which contains the wait in the queue that the window fills.",
    );
    let is_other = it.aggregates != Aggregates::default();
    keys.word("aggregates", &mut it.aggregates, "\"apart\"").written_if(is_other).says(AGGREGATES);
}

/// Meaning of the key `aggregates`, which both laws of occupancy have.
pub(super) const AGGREGATES: &str = "Channel time of a packet in an aggregate. `full`: the aggregate's time, divided by the number of packets that \
    its limits allow. `seen`: divided by the mean number of packets in the flow's aggregates. `apart`: the time of a \
    frame with this packet alone.";

/// Checks that the share of a rate cap is not zero, since a cap of zero would stop the flow.
fn check_share(share: &Entry, mistakes: &mut Mistakes) {
    if share.value().is_some_and(Probability::is_zero) {
        mistakes.add(share.at, share.mistake("out of range", "more than 0"));
    }
}

/// Checks the conditions of the scheme of a flow.
pub(super) fn check_control(
    entry: &Entry,
    transport: Option<&Transport>,
    ends: (Option<Target>, Option<Target>),
    mistakes: &mut Mistakes,
) {
    let Some(control) = CONTROLS.variant(entry) else { return };
    if let (Scheme::RateCap(_), Some(fields)) = (&control, entry.fields()) {
        check_share(fields.get("share"), mistakes);
    }
    let is_tcp = transport.is_none_or(|it| matches!(it, Transport::Tcp(_)));
    let needs_rate = |of_udp, of_quic, of_external| {
        let problem = match transport {
            Some(Transport::Udp { .. }) => of_udp,
            Some(Transport::Quic(_)) => of_quic,
            Some(Transport::External) => of_external,
            Some(Transport::Tcp(_) | Transport::Tfrc(_)) | None => return None,
        };
        Some((problem, "\"none\", or transport = { kind = \"tfrc\" }"))
    };
    let is_host = |end| matches!(end, Some(Target::Host(_)));
    let needs_tcp =
        |problem| (!is_tcp).then_some((problem, "\"none\", or transport = { kind = \"tcp\" }"));
    let needs_station = |problem| {
        let allowed = "\"none\", or a flow from or to a station";
        (is_host(ends.0) && is_host(ends.1)).then_some((problem, allowed))
    };
    let problems = match control {
        Scheme::None => return,
        Scheme::ArfAware(_) => [
            needs_tcp("arf-aware needs TCP: it scales the TCP congestion window"),
            is_host(ends.0).then_some((
                "arf-aware needs a station as sender: only a wireless link changes its rate",
                "\"none\", or a flow from a station",
            )),
        ],
        Scheme::Occupancy => [
            needs_rate(
                "occupancy needs TCP or TFRC: the rate of a UDP source cannot be limited",
                "occupancy needs TCP or TFRC: the window of QUIC is out of its reach",
                "occupancy needs TCP or TFRC: the rate of an external flow cannot be limited",
            ),
            needs_station(
                "occupancy needs a station at one end at least: only stations receive beacons",
            ),
        ],
        Scheme::RateCap(_) => [
            needs_rate(
                "rate-cap needs TCP or TFRC: the rate of a UDP source cannot be limited",
                "rate-cap needs TCP or TFRC: the window of QUIC is out of its reach",
                "rate-cap needs TCP or TFRC: the rate of an external flow cannot be limited",
            ),
            is_host(ends.0).then_some((
                "rate-cap needs a station as sender: only a wireless link changes its rate",
                "\"none\", or a flow from a station",
            )),
        ],
        Scheme::ArfWindow(_) => [
            needs_tcp("arf-window needs TCP: it limits the TCP window"),
            needs_station(
                "arf-window needs a station at one end at least: only stations can observe the channel",
            ),
        ],
    };
    for (problem, allowed) in problems.into_iter().flatten() {
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}
