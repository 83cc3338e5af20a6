//! Keys of flows and of the schemes that control them.

use airfair_laws::exchange::Aggregates;
use airfair_laws::{arf_aware, arf_window, rate_cap};
use airfair_units::{Duration, Time};
use airfair_wlan::edca::AccessCategory;

use super::super::declare::{Choice, Keys};
use super::super::kind::{Kind, words};
use super::super::{ArfAware, Flow, Scheme};
use super::transports::TRANSPORTS;
use super::{OFF, TIME, bytes, integer, time};

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

/// Flow between two ends, or one flow per member of a group. `ends` are the names of sender and receiver.
pub(in crate::scenario) fn flow(keys: &mut Keys, it: &mut Flow, ends: [&str; 2]) {
    keys.of("a flow");
    let [from, to] = ends.map(|end| move || Some(format!("{end:?}")));
    keys.other("from", || Kind::Name, "\"fast\"", from).says(
        "Sender, a station or host; a group of stations makes one flow per member, numbered.",
    );
    keys.other("to", || Kind::Name, "\"fast\"", to)
        .says("Receiver, likewise; two groups of equal size pair up by number.");
    keys.key("count", &mut 1_u32, integer(1, 10_000), "3").written_if(false).says(
        "Makes so many flows alike between each pair, NAME1, NAME2, …. With 1 the name stays as \
         it is.",
    );
    let (mut start, mut stop) = (it.start - Time::ZERO, it.stop.map(|stop| stop - Time::ZERO));
    keys.key("start", &mut start, TIME, "\"1 s\"")
        .says("When it starts; before the end of the run.");
    keys.key("start_jitter", &mut it.start_jitter, TIME, "\"1 s\"").says(
        "Adds a random delay to the start, uniform from 0 to this, another in each replication: \
         without it a network without radio has no chance in it.",
    );
    keys.optional("stop", &mut stop, STOP, "\"10 s\"")
        .says("When its source stops; after its start.");
    (it.start, it.stop) = (Time::ZERO + start, stop.map(|stop| Time::ZERO + stop));
    let is_other = it.access_category != AccessCategory::default();
    keys.word("access_category", &mut it.access_category, "\"voice\"").written_if(is_other).says(
        "Access category of its packets, both ways, on the air of 802.11n, ac and ax, each with queue and channel \
         access of its own.",
    );
    let is_marked = it.dscp.is_some();
    keys.optional("dscp", &mut it.dscp, DSCP, "46").written_if(is_marked).says(
        "Differentiated services code point of its packets, which gives the access category as RFC 8325 has it: 46 \
         (EF) is voice, 34 (AF41) video, 8 (CS1) background.",
    );
    let example = "{ kind = \"tcp\", min_rto = \"200 ms\" }";
    keys.choice("transport", &mut it.transport, &TRANSPORTS, example)
        .says("Transport protocol with its settings. The packets of an `external` one are those of a program that drives the world: of itself it sends none.");
    keys.choice("control", &mut it.control, &CONTROLS, "\"arf-aware\"")
        .written_before("transport")
        .says(
            "Cross-layer control: one of the papers' schemes, or `rate-cap`. `arf-aware` needs TCP and a station \
             as sender, `arf-window` TCP and a station at either end, `occupancy` TCP or TFRC, a \
             station at either end and an access point with `occupancy`, `rate-cap` TCP or TFRC and a station \
             as sender. What needs a station at either end acts at each.",
        );
}

/// Schemes of cross-layer control.
pub(in crate::scenario) const CONTROLS: Choice<Scheme> = Choice {
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
        "Share of the rate of the sender's own frames that the flow may have from the first change of that rate \
         on: more than 0.",
    );
}

fn arf_aware(keys: &mut Keys, it: &mut ArfAware) {
    keys.word("variant", &mut it.law.variant, "\"one-shot\"").says(
        "Reading of the paper: the window is capped at a k-th of the saved one as long as the \
         rate is low (`held`), is set to it once (`one-shot`), or is capped at a k-th of the \
         current one (`continuous`).",
    );
    let is_polled = it.poll.is_some();
    keys.optional("poll", &mut it.poll, POLL, "\"1 s\"").written_if(is_polled).says(
        "Time between two readings of the link's rate, as by SNMP; with `off` the driver notifies TCP of each change.",
    );
    let is_late = !it.notification_delay.is_zero();
    keys.key("notification_delay", &mut it.notification_delay, TIME, "\"10 ms\"")
        .written_if(is_late)
        .says("Time from a change of the link's rate, or from a reading of it, until TCP knows.");
}

fn arf_window(keys: &mut Keys, it: &mut arf_window::Params) {
    keys.key("slot", &mut it.slot, SLOT, "\"1 s\"").says(
        "Observation slot, T: the station's account of its channel goes over so long a time.",
    );
    let amount = bytes(0, 1_000_000_000_000_000);
    keys.key("long_lived", &mut it.long_lived, amount, "\"1 MB\"")
        .says("What a connection must have moved before the scheme takes it for long-lived.");
    keys.word("rise", &mut it.rise, "\"printed\"").says(
        "A connection's time after a rise of the rate: what its data would take at the new rate, so that it has \
         what the channel has (`projected`), or as measured at the old one, so that the rise counts twice \
         (`printed`).",
    );
    keys.word("fall", &mut it.fall, "\"printed\"").says("Likewise after a fall of the rate.");
    keys.word("round_trip", &mut it.round_trip, "\"smoothed\"").says(
        "Round trip that a window is computed for: the least so far, or the mean of late, which contains the wait \
         in the queue that the window fills.",
    );
    let is_other = it.aggregates != Aggregates::default();
    keys.word("aggregates", &mut it.aggregates, "\"apart\"").written_if(is_other).says(AGGREGATES);
}

/// Meaning of the key `aggregates`, which both laws of occupancy have.
pub(super) const AGGREGATES: &str = "Time of a packet in an aggregate: the aggregate's, divided by as many packets as its limits allow (`full`), or by as \
     many as those of the flow had on average (`seen`), or that of a frame of its own (`apart`).";
