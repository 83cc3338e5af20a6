//! Keys of flows and of the schemes that control them.

use airfair_laws::exchange::Aggregates;
use airfair_laws::{arf_aware, arf_window, rate_cap};
use airfair_units::{Duration, Time};
use airfair_wlan::edca::AccessCategory;

use super::super::declare::{Choice, Keys};
use super::super::kind::{Kind, words};
use super::super::{ArfAware, Flow, Scheme};
use super::ranges::{OFF, TIME, bytes, integer, time};
use super::transports::TRANSPORTS;

words!(AccessCategory {
    Background = "background",
    BestEffort = "best effort",
    Video = "video",
    Voice = "voice",
});
words!(arf_aware::Variant { Held = "held", OneShot = "one-shot", Continuous = "continuous" });
words!(arf_window::Reading { Projected = "projected", Printed = "printed" });
words!(Aggregates { Full = "full", Seen = "seen", Apart = "apart" });
words!(arf_window::RoundTrip { Least = "least", Smoothed = "smoothed" });

const STOP: Kind = Kind::Either(&[Kind::Word(&["end"]), TIME]);
const DSCP: Kind = Kind::Either(&[integer(0, 63), Kind::Word(&["none"])]);
const POLL: Kind = Kind::Either(&[OFF, time(Duration::from_millis(1), Duration::from_secs(3_600))]);
const SLOT: Kind = time(Duration::from_millis(1), Duration::from_secs(3_600));

/// Declares the keys of a flow, or of one flow per member of a group. `ends` are the names of sender and receiver.
pub(crate) fn flow(keys: &mut Keys, it: &mut Flow, ends: [&str; 2]) {
    keys.of("a flow");
    let [from, to] = ends.map(|end| move || Some(format!("{end:?}")));
    keys.other("from", || Kind::Name, "\"fast\"", from).says(
        "Sender: a station or a host. A group of stations makes one flow per member, with numbered names.",
    );
    keys.other("to", || Kind::Name, "\"fast\"", to)
        .says("Receiver: a station or a host. Two groups of equal size are paired by number.");
    keys.key("count", &mut 1_u32, integer(1, 10_000), "3").written_if(false).says(
        "Number of equal flows between each pair, with the names NAME1, NAME2, …. With 1 the name has no number.",
    );
    let (mut start, mut stop) = (it.start - Time::ZERO, it.stop.map(|stop| stop - Time::ZERO));
    keys.key("start", &mut start, TIME, "\"1 s\"")
        .says("Start of the flow, before the end of the run.");
    keys.key("start_jitter", &mut it.start_jitter, TIME, "\"1 s\"").says(
        "Largest random delay that is added to the start: uniform from 0, and different in each replication. It makes \
         replications differ where nothing else is random, as in a wired network.",
    );
    keys.optional("stop", &mut stop, STOP, "\"10 s\"")
        .says("End of the flow's source, after its start.");
    (it.start, it.stop) = (Time::ZERO + start, stop.map(|stop| Time::ZERO + stop));
    let is_other = it.access_category != AccessCategory::default();
    keys.word("access_category", &mut it.access_category, "\"voice\"").written_if(is_other).says(
        "Access category of the flow's packets in both directions, in cells of 802.11n, ac and ax. Each category has \
         its own queue and channel access.",
    );
    let is_marked = it.dscp.is_some();
    keys.optional("dscp", &mut it.dscp, DSCP, "46").written_if(is_marked).says(
        "Differentiated services code point (DSCP) of the flow's packets. The access category follows from it by RFC \
         8325: 46 (EF) is voice, 34 (AF41) video, 8 (CS1) background.",
    );
    let example = "{ kind = \"tcp\", min_rto = \"200 ms\" }";
    keys.choice("transport", &mut it.transport, &TRANSPORTS, example)
        .says(
            "Transport protocol with its settings. An `external` flow sends nothing by itself; the program that \
             drives the simulation provides its packets.",
        );
    keys.choice("control", &mut it.control, &CONTROLS, "\"arf-aware\"")
        .written_before("transport")
        .says(
            "Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP and a station as \
             sender. `arf-window` needs TCP and a station at one end at least. `occupancy` needs TCP or TFRC, a \
             station at one end at least and an access point with `occupancy`. `rate-cap` needs TCP or TFRC and a \
             station as sender. If both ends are stations, `arf-window` and `occupancy` act at both.",
        );
}

/// Schemes of cross-layer control.
pub(crate) const CONTROLS: Choice<Scheme> = Choice {
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
