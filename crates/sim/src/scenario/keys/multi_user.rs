//! Keys of a cell's multi-user frames.

use airfair_units::{Dbm, Duration};
use airfair_wlan::MultiUser;
use airfair_wlan::multi_user::{MuEdca, MuMimo, MultiUserAck, Ofdma, Scheduler};
use airfair_wlan::phy::GuardInterval;

use super::super::declare::{Form, Keys, OrNone};
use super::super::kind::{Absent, Kind, Plain, Words, words};
use super::super::reader::Entry;
use super::ranges::{OFF, integer, time};

words!(Scheduler {
    RoundRobin = "round-robin",
    ProportionalFair = "proportional-fair",
    LargestBacklog = "largest-backlog",
    Deadline = "deadline"
});
words!(MultiUserAck { Bar = "bar", MuBar = "mu-bar", AggregatedMuBar = "aggregated-mu-bar" });

const SCHEDULERS: Kind = Kind::Either(&[OFF, Kind::Word(Scheduler::WORDS)]);
/// Numbers of users that a PPDU of 160 MHz may have.
const USERS: Kind = integer(1, 74);
/// Numbers of resource units for random access beside at least one station in a PPDU of 160 MHz.
const RANDOM: Kind = integer(0, 73);
const TRIGGER_INTERVAL: Kind = time(Duration::from_micros(100), Duration::from_secs(60));
/// Range of the largest age of a report of a sounding.
const SOUNDING_INTERVAL: Kind = time(Duration::from_millis(1), Duration::from_secs(60));
/// Guard intervals of HE TB PPDUs.  [80211ax-2021 §9.3.1.22]
const UP_GUARD_INTERVALS: Kind =
    Kind::Durations(&[GuardInterval::Ns1600.duration(), GuardInterval::Ns3200.duration()]);
/// Powers that a trigger can ask for.  [80211ax-2021 §9.3.1.22.1]
const TARGET: Kind = Kind::Power { min: Dbm::new(-110), max: Dbm::new(-20) };
/// Range of the MU EDCA timer: 1 to 255 units.  [80211ax-2021 §9.4.2.251]
const TIMER: Kind =
    time(MuEdca::TIMER_UNIT, Duration::from_nanos(255 * MuEdca::TIMER_UNIT.as_nanos()));

/// Declares the keys of a cell for multi-user frames.
pub(super) fn multi_user(keys: &mut Keys, it: &mut MultiUser) {
    let none = Plain::Word("off");
    let (has_ofdma, has_mu_edca) = (it.ofdma.is_some(), it.mu_edca.is_some());
    let or_none = OrNone { none, default: Ofdma::default(), declare: ofdma };
    keys.table_or("ofdma", &mut it.ofdma, or_none, "{ up = \"round-robin\" }")
        .written_if(has_ofdma)
        .says(
            "OFDMA: frames to and from several stations at once, each in its own part of the width, in 802.11ax. \
             Stations of older standards, and those without `aggregation`, have frames of their own.",
        );
    let or_none = OrNone { none, default: MuEdca::default(), declare: mu_edca };
    keys.table_or("mu_edca", &mut it.mu_edca, or_none, "{ aifsn = 0 }")
        .written_if(has_mu_edca)
        .says(
            "Channel access of a station after the access point has triggered it, which replaces `edca` until a timer \
             ends. It needs `ofdma.up`.",
        );
    let has_mu_mimo = it.mu_mimo.is_some();
    let or_none = OrNone { none, default: MuMimo::default(), declare: mu_mimo };
    let example = "{ users = 4, sounding_every = \"10 ms\" }";
    keys.table_or("mu_mimo", &mut it.mu_mimo, or_none, example).written_if(has_mu_mimo).says(
        "MU-MIMO: frames to several stations at once, each on spatial streams of its own, in 802.11ax. Stations of older \
         standards, and those without `aggregation` or with less than the cell's `width`, have frames of their own. With \
         `ofdma.down`, the access point chooses for each frame what delivers more per time.",
    );
}

fn mu_mimo(keys: &mut Keys, it: &mut MuMimo) {
    keys.of("MU-MIMO");
    keys.key("users", &mut it.users, integer(2, 8), "4")
        .says("Largest number of stations in one PPDU, at most the access point's `streams`, which they share.");
    keys.key("sounding_every", &mut it.sounding_every, SOUNDING_INTERVAL, "\"10 ms\"").says(
        "Largest age of a report on the channel to a station. When it is older, the access point measures the channel \
         again before a frame that the station shares with others.",
    );
}

fn ofdma(keys: &mut Keys, it: &mut Ofdma) {
    keys.of("OFDMA");
    scheduler(keys, "down", &mut it.down, "\"largest-backlog\"").says(
        "Scheduler of downlink frames to several stations. `round-robin`: equal shares of time multiplied by width. \
         `proportional-fair`: the rate that a station would have, compared with the mean of the rates that it has had. \
         `largest-backlog`: the most octets in the queue. `deadline`: the packet that has waited longest for its \
         category. `off`: frames to one station only.",
    );
    scheduler(keys, "up", &mut it.up, "\"round-robin\"").says(
        "Scheduler of uplink frames of several stations, which the access point triggers, as in `down`. `off`: no \
         triggers, so that stations only contend.",
    );
    keys.key("users", &mut it.users, USERS, "8").says(
        "Largest number of stations in one PPDU: at most 9 at 20 MHz, 18 at 40 MHz, 37 at 80 MHz and 74 at 160 MHz.",
    );
    keys.word("ack", &mut it.ack, "\"mu-bar\"").says(
        "Acknowledgement of a downlink frame to several stations. `bar`: by one station after the other, which block \
         ack requests ask. `mu-bar`: by all at once after a trigger frame. `aggregated-mu-bar`: by all at once; the \
         frame itself has the trigger in each aggregate.",
    );
    let interval: Kind = Kind::Either(&[OFF, TRIGGER_INTERVAL]);
    keys.optional("trigger_every", &mut it.trigger_every, interval, "\"5 ms\"").says(
        "Time since its last access to the channel after which the access point contends for a Basic trigger, even \
         without downlink traffic. `off`: it triggers only after a downlink frame to several stations.",
    );
    keys.key("poll", &mut it.poll, Kind::Flag, "true").says(
        "A buffer status report poll (BSRP) asks the stations for their backlogs before each Basic trigger.",
    );
    let describe =
        |it: &mut GuardInterval| (UP_GUARD_INTERVALS, Absent::Is(Plain::Duration(it.duration())));
    let read = |entry: &Entry, _: &_| {
        let guard = entry.value()?;
        GuardInterval::ALL.into_iter().find(|it| it.duration() == guard)
    };
    let write = |it: &GuardInterval| Plain::Duration(it.duration()).to_string();
    keys.any(
        "up_guard_interval",
        &mut it.up_guard_interval,
        "\"1.6 us\"",
        Form { describe, read, write },
    )
    .says("Guard interval of the frames that triggers ask for: 1.6 or 3.2 µs.");
    let is_random = it.random > 0;
    keys.key("random", &mut it.random, RANDOM, "2").written_if(is_random).says(
        "Number of resource units of each Basic trigger that stations access at random (UORA). They serve stations \
         whose backlogs the access point does not know; the others have units of their own. Together with `users` at \
         most as many as the width has.",
    );
    let has_target = it.target_rssi.is_some();
    let target: Kind = Kind::Either(&[OFF, TARGET]);
    keys.optional("target_rssi", &mut it.target_rssi, target, "\"-60 dBm\"").written_if(has_target).says(
        "Power at which the access point wants to receive the frames that its triggers ask for. Stations reduce theirs \
         for it. `off`: they send with their usual power. Only together with `radio`.",
    );
}

/// Declares a key with a scheduler, or `off` for none.
fn scheduler<'a, 'k>(
    keys: &'a mut Keys<'k>,
    name: &'static str,
    value: &mut Option<Scheduler>,
    example: &'static str,
) -> &'a mut Keys<'k> {
    let word = |it: &Option<Scheduler>| Plain::Word(it.map_or("off", Words::word));
    let describe = |it: &mut _| (SCHEDULERS, Absent::Is(word(it)));
    let read = |entry: &Entry, _: &_| Some(entry.word().filter(|it| *it != "off").map(Words::of));
    let write = |it: &_| word(it).to_string();
    keys.any(name, value, example, Form { describe, read, write })
}

fn mu_edca(keys: &mut Keys, it: &mut MuEdca) {
    keys.of("a channel access after triggers");
    keys.key("aifsn", &mut it.aifsn, integer(0, 15), "0").says(
        "Idle slots after a SIFS before the back-off counts down; 2 or more. With 0 the station does not contend at \
         all until the timer ends.",
    );
    keys.key("cw_min", &mut it.cw_min, Kind::Window, "255")
        .says("Smallest contention window [slots].");
    keys.key("cw_max", &mut it.cw_max, Kind::Window, "2047")
        .says("Largest contention window [slots], at least `cw_min`.");
    keys.key("timer", &mut it.timer, TIMER, "\"65.536 ms\"").says(
        "MU EDCA timer, a multiple of 8.192 ms. It starts again with each response to a frame that the station was \
         triggered for.",
    );
}
