//! Keys of cells and their access points: rules, beacons, channel access.

use airfair_laws::{fair, occupancy};
use airfair_units::{Dbm, Duration, Length};
use airfair_wlan::aggregation::{BlockAckWindow, SLOW_BELOW};
use airfair_wlan::block_ack::AfterSilence;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::ppdu::MAX_PPDU_DURATION;
use airfair_wlan::phy::{Band, GuardInterval, Preamble, Punctured, Standard, Width};
use airfair_wlan::{
    AccessParameters, AfterCollision, Aggregation, Attempts, Channel, Eifs, ErrorModel,
};

use super::super::declare::{Form, Keys, OrNone};
use super::super::kind::{Absent, Kind, Plain, Scalar, words};
use super::super::reader::Entry;
use super::super::schemes::{AGGREGATES, AP_CONTROL, AP_CONTROLS, ApScheme};
use super::super::{Access, AccessPoint, Beacons, Bss, Radio, WidthRule};
use super::errors::ERRORS;
use super::limits::MAX_MSDU;
use super::multi_user::multi_user;
use super::queues::QUEUE;
use super::radio::{self, POINT, radio};
use super::ranges::{OFF, TIME, UNLIMITED, bytes, integer, time};

words!(Standard {
    B = "802.11b",
    A = "802.11a",
    G = "802.11g",
    N = "802.11n",
    Ac = "802.11ac",
    Ax = "802.11ax",
    Be = "802.11be"
});
words!(Band { Ghz2 = "2.4 GHz", Ghz5 = "5 GHz", Ghz6 = "6 GHz" });
words!(Width {
    Mhz20 = "20 MHz",
    Mhz40 = "40 MHz",
    Mhz80 = "80 MHz",
    Mhz160 = "160 MHz",
    Mhz320 = "320 MHz",
});
words!(GuardInterval {
    Ns400 = "400 ns",
    Ns800 = "800 ns",
    Ns1600 = "1600 ns",
    Ns3200 = "3200 ns"
});
words!(Preamble { Long = "long", Short = "short" });
words!(AfterCollision { Standard = "standard", Difs = "difs", Eifs = "eifs" });
words!(Eifs { Standard = "standard", None = "none", Nav = "ns-2", Ns3 = "ns-3" });
words!(AfterSilence { Retransmission = "retransmission", Request = "request" });
words!(WidthRule { Dynamic = "dynamic", Static = "static" });
words!(occupancy::Spare { Printed = "printed", Once = "once" });

/// Places of subchannels of 20 MHz in a channel: distances between the lower edges.
pub(crate) const PLACES: [&str; 16] = [
    "0 MHz", "20 MHz", "40 MHz", "60 MHz", "80 MHz", "100 MHz", "120 MHz", "140 MHz", "160 MHz",
    "180 MHz", "200 MHz", "220 MHz", "240 MHz", "260 MHz", "280 MHz", "300 MHz",
];

const RTS: Kind = Kind::Either(&[OFF, bytes(0, 65_536)]);
const ATTEMPT: Kind = integer(1, 255);
const ATTEMPTS: Kind = Kind::Either(&[ATTEMPT, UNLIMITED]);
const OWN_ATTEMPTS: Kind = Kind::Either(&[ATTEMPT, Kind::Word(&["unlimited", "cell"])]);
/// Largest MPDU with its delimiter [octets].
const LARGEST_MPDU: u64 = MAX_MSDU + 34;
const MAX_BYTES: Kind = bytes(LARGEST_MPDU, 15_523_200);
pub(super) const AMSDU: Kind = Kind::Either(&[Kind::Word(&["off"]), bytes(3_839, 11_398)]);
/// Range of a limit on airtime: from the smallest limit of iwlwifi to the duration of the longest PPDU.
const AIRTIME: Kind = time(Duration::from_micros(100), MAX_PPDU_DURATION);
const WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["standard"])]);
const OWN_WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["cell"])]);
const CATEGORY_WINDOW: Kind = Kind::Either(&[Kind::Window, Kind::Word(&["standard"])]);
const TXOP: Kind = time(Duration::ZERO, Duration::from_millis(2_097));
const BEACON_INTERVAL: Kind = time(Duration::from_micros(100), Duration::from_secs(60));

/// Lists `hears` of a cell and of its access point as TOML; `None` for a list that is not given.
#[derive(Clone, Debug, Default)]
pub(crate) struct WrittenHears {
    pub(crate) cell: Option<String>,
    pub(crate) ap: Option<String>,
}

pub(crate) fn bss(keys: &mut Keys, it: &mut Bss, written: WrittenHears) {
    keys.of("a cell");
    let rules = &mut it.rules;
    keys.word("standard", &mut rules.standard, "\"802.11a\"")
        .required()
        .says("Standard of the access point, and of each station that sets none.");
    let (standard, is_legacy) = (rules.standard, rules.standard.format().is_none());
    channel(keys, &mut rules.channel, is_legacy);
    let WrittenHears { cell, ap } = written;
    neighbours(keys, (&mut it.channel, &mut it.width_rule), cell);
    spatial_reuse(keys, (&mut it.colour, &mut it.obss_pd));
    multi_user(keys, &mut rules.multi_user);
    keys.other("basic_rate", || Kind::Rate, "\"2 Mb/s\"", || None)
        .follows("see `basic_rates`")
        .says("Basic rate, for a basic rate set with one entry.");
    let rates = || {
        let rates = rules.basic_rates.iter().map(|rate| format!("\"{rate}\""));
        Some(format!("[{}]", rates.collect::<Vec<_>>().join(", ")))
    };
    keys.other("basic_rates", || Kind::List(&Kind::Rate), "[\"1 Mb/s\", \"11 Mb/s\"]", rates)
        .follows(
            "1, 2 Mb/s in 802.11b; 6, 12, 24 Mb/s in 802.11a; both of these and 5.5, 11 Mb/s in 802.11g, without the \
             OFDM rates if a b station is in the cell; later standards have those of 802.11g at 2.4 GHz and of \
             802.11a at 5 and 6 GHz",
        )
        .says(
            "Basic rate set. Each rate is one of the standard that all stations have. Not together with `basic_rate`.",
        );
    keys.word("preamble", &mut rules.preamble, "\"short\"")
        .says("PLCP preamble of DSSS and CCK frames.");
    keys.optional("rts_threshold", &mut rules.rts_threshold, RTS, "\"500 B\"")
        .says("Length above which PSDUs are protected by RTS/CTS.");
    keys.key("protection", &mut rules.protection, Kind::Flag, "false")
        .written_if(rules.standard == Standard::G || !is_legacy)
        .says(
            "A CTS-to-self precedes frames that a station in the cell cannot decode: OFDM frames if there is a b \
             station; HT, VHT and HE frames if there is a station of 802.11a, b or g. Not in 802.11a and b.",
        );
    attempts(keys, &mut rules.attempts);
    keys.word("after_collision", &mut rules.after_collision, "\"difs\"").says(
        "Gap after a collision. `standard`: EIFS for stations that heard it, the ACK time-out for those that sent. \
         `difs`, `eifs`: the same gap for all stations; DIFS is that of Bianchi's model.",
    );
    keys.word("eifs", &mut rules.eifs, "\"ns-2\"").says(
        "Wait after a frame that was sensed but not decoded. `standard`: EIFS, which the next decoded frame ends \
         early. `none`: no EIFS. `ns-2`: a NAV of EIFS, which nothing shortens, and then a DIFS. `ns-3`: EIFS from the \
         end of a frame that was received from its start and destroyed by noise or a later frame; none after other \
         frames, which do not prolong it either.",
    );
    keys.key("post_backoff", &mut rules.post_backoff, Kind::Flag, "false")
        .says(
            "A station draws a back-off after each success, even before it has the next frame. After a failure, and \
             after a frame that is given up, it draws one in any case.",
        );
    keys.optional("cw_min", &mut rules.cw_min, WINDOW, "63").says(
        "Smallest contention window [slots]. `standard` is 31 in 802.11b, in 802.11g cells with a b station, and for \
         b stations; else 15.",
    );
    keys.optional("cw_max", &mut rules.cw_max, WINDOW, "2047")
        .says("Largest contention window [slots], at least `cw_min`. `standard` is 1023.");
    keys.key("llc_snap", &mut it.llc_snap, Kind::Flag, "false")
        .says("8 octets of LLC/SNAP precede each packet.");
    let example = "{ model = \"bernoulli\", probability = 0.1 }";
    keys.choice("errors", &mut ErrorModel::None, &ERRORS, example).written_if(false).says(
        "Error model of frames between a station and the access point, in both directions, for each station that sets \
         none.",
    );
    keys.table("edca", &mut Access::of(standard), edca, "{ txop_limit = \"3 ms\" }").written_if(false).says(
        "Channel access of the stations; a station can set each key for itself. `ap.edca` is the access point's.",
    );
    let (none, default, has_radio) =
        (Plain::Word("none"), Radio::new(rules.channel.band), it.radio.is_some());
    let example = "{ range = { \"54 Mb/s\" = \"40 m\" } }";
    keys.table_or("radio", &mut it.radio, OrNone { none, default, declare: radio }, example).written_if(has_radio).says(
        "Radio model. Transmit powers, distances and noise decide which stations hear each other and which frames \
         have errors, instead of `errors`, `senses_only` and `hears`. Cells with overlapping channels all have a radio, or \
         none.",
    );
    let (none, default) = (Plain::Flag(false), Beacons::default());
    keys.table_or("beacon", &mut it.beacons, OrNone { none, default, declare: beacon }, "{ interval = \"100 ms\" }")
        .follows("true if `ap.occupancy` is on, else false")
        .says(
            "Beacons of the access point. Each is sent at the lowest basic rate, as soon as the medium has been idle \
             for a PIFS.",
        );
    let declare = |keys: &mut Keys, it: &mut AccessPoint| access_point(keys, it, ap.as_deref());
    keys.table("ap", &mut it.ap, declare, "{ queue = { packets = 20 } }").says("The access point.");
}

/// Declares the keys of a cell whose channel other cells may share.
fn neighbours(
    keys: &mut Keys,
    (channel, width_rule): (&mut Option<u8>, &mut WidthRule),
    written: Option<String>,
) {
    let is_shared = channel.is_some();
    keys.maybe("channel", channel, integer(1, 233), "36").follows("a channel of its own").says(
        "Number of the primary channel of 20 MHz in the cell's band. With `width` it gives the block of spectrum that the \
         cell occupies: at 5 GHz, 36 with 80 MHz means channels 36 to 48. At 2.4 GHz the second channel of 40 MHz is above \
         the primary channels 1 to 9 and below the others; channel 14 is for 802.11b. At 6 GHz the channels are 1, 5, 9, … \
         233; 320 MHz is a channel 320-1 if the primary is in one, else 320-2. Cells with overlapping blocks are \
         neighbours, whose members hear each other. Blocks at 2.4 GHz that overlap without a common channel of 20 MHz are \
         not modelled: different channels are at least four numbers apart, and five with 802.11b.",
    );
    keys.word("width_rule", width_rule, "\"static\"").written_if(is_shared).says(
        "Rule for frames while a neighbour occupies a part of the channel other than the primary channel of 20 MHz. \
         `dynamic`: a narrower PPDU is sent. `static`: the member waits until the whole channel is idle. In a cell of \
         20 MHz both are the same. Only together with `channel`.",
    );
    hears(keys, written).follows("all members of neighbours").says(
        "Members of neighbours that the members of this cell hear: names of cells, which mean all their members, of \
         stations, and of access points such as `home.ap`. Two members hear each other if the list of each has the \
         other. `[]` means no neighbour. Only together with `channel`.",
    );
}

/// Declares the keys of a cell's BSS colour, and of spatial reuse.
fn spatial_reuse(keys: &mut Keys, (colour, obss_pd): (&mut Option<u8>, &mut Option<Dbm>)) {
    keys.maybe("colour", colour, integer(1, 63), "5").follows("no colour").says(
        "BSS colour, by which members tell frames of the cell from those of neighbours; in 802.11ax and later.",
    );
    let levels = Kind::Power { min: Dbm::new(-82), max: Dbm::new(-62) };
    keys.maybe("obss_pd", obss_pd, levels, "\"-72 dBm\"").follows("no spatial reuse").says(
        "OBSS-PD level of the members of 802.11ax and later. They ignore frames of another colour that they receive with \
         less power, and then send with limited power themselves. Only together with `colour` and `radio`.",
    );
}

/// Declares the key `hears`, which is read with the names of other sections.
pub(super) fn hears<'k, 'f>(keys: &'k mut Keys<'f>, written: Option<String>) -> &'k mut Keys<'f> {
    keys.other("hears", || Kind::List(&Kind::Member), "[\"guest\"]", || written)
}

/// Declares the keys of a cell's channel in 802.11n and later. The channel is not read here, because most of it depends
/// on other keys.
fn channel(keys: &mut Keys, it: &mut Channel, is_legacy: bool) {
    keys.word("band", &mut it.band, "\"2.4 GHz\"")
        .follows("2.4 GHz in 802.11b and g, else 5 GHz")
        .written_if(!is_legacy)
        .says("Band of the channel. 802.11n has 2.4 and 5 GHz, and 802.11ax and later all three. At 6 GHz, all stations are \
             of 802.11ax or later.");
    keys.word("width", &mut it.width, "\"40 MHz\"")
        .follows(
            "80 MHz in 802.11ac and later at 5 and 6 GHz, else 20 MHz; wider if a station has a rate in Mb/s that \
             only a wider channel has",
        )
        .written_if(!is_legacy)
        .says("Width of the channel: 20 and 40 MHz in 802.11n and at 2.4 GHz, else up to 160 MHz; 320 MHz in 802.11be at 6 GHz.");
    let punctured = it.punctured;
    let places = || {
        let places = punctured.places().map(|it| format!("\"{}\"", PLACES[usize::from(it)]));
        Some(format!("[{}]", places.collect::<Vec<_>>().join(", ")))
    };
    keys.other("punctured", || Kind::List(&Kind::Word(&PLACES)), "[\"20 MHz\"]", places)
        .or_none()
        .written_if(punctured != Punctured::NONE)
        .says(
            "Punctured subchannels, which the PPDUs of the cell leave empty. Each has 20 MHz and is named by its place: \
             the distance of its lower edge from that of the channel. In 802.11be with a width of 80 MHz one, of \
             160 MHz one or two, of 320 MHz two, four or six, in the patterns of the standard. Stations of older \
             standards have the widest part without any.",
        );
    keys.word("guard_interval", &mut it.guard, "\"1600 ns\"")
        .follows("800 ns; 400 ns if a station has a rate in Mb/s that needs it")
        .written_if(!is_legacy)
        .says("Guard interval of data frames: 400 and 800 ns in 802.11n and ac; 800, 1600 and 3200 ns in later standards.");
    keys.key("streams", &mut it.streams, integer(1, 8), "2")
        .follows("1, or as many as the stations' rates in Mb/s need")
        .written_if(!is_legacy)
        .says("Largest number of spatial streams of a data frame; at most 4 in 802.11n.");
    let default = Aggregation::of(Format::Eht);
    let none = Plain::Word("off");
    keys.table_or(
        "aggregation",
        &mut it.aggregation,
        OrNone { none, default, declare: aggregation },
        "\"off\"",
    )
    .follows("the defaults of its keys, from 802.11n on")
    .written_if(!is_legacy)
    .says("A-MPDUs that the access point sends and accepts. With `off` each frame is sent alone.");
    let has_amsdu = it.amsdu.is_some();
    keys.optional("amsdu", &mut it.amsdu, AMSDU, "\"7935 B\"").written_if(has_amsdu).says(
        "Largest size of an A-MSDU, which is several packets to one receiver in one MPDU: 3839 or 7935 B, and in \
         802.11ac and later at 5 and 6 GHz also 11398 B. In an A-MPDU of 802.11n an MPDU has at most 4095 octets.",
    );
}

/// Declares the keys of the A-MPDUs that one end of a link sends.
pub(crate) fn aggregation(keys: &mut Keys, it: &mut Aggregation) {
    keys.of("an aggregation");
    keys.key("max_bytes", &mut it.max_bytes, MAX_BYTES, "\"8 kB\"")
        .follows("65535 B in 802.11n, 1048575 B in 802.11ac, 6500631 B in 802.11ax, 15523200 B in 802.11be")
        .says("Largest size of an A-MPDU, at least that of the largest packet alone.");
    let describe = |_: &mut BlockAckWindow| (integer(64, 1_024), Absent::Is(Plain::Integer(64)));
    let read = |entry: &Entry, _: &_| entry.integer().and_then(BlockAckWindow::of);
    let write = |window: &BlockAckWindow| window.mpdus().to_string();
    keys.any("window", &mut it.window, "256", Form { describe, read, write })
        .says("Window of the block ack agreement [packets]: 64; in 802.11ax also 256, and in 802.11be 256, 512 and 1024.");
    let is_limited = it.max_duration != MAX_PPDU_DURATION;
    let has_slow = it.slow_duration != MAX_PPDU_DURATION || it.slow_below != SLOW_BELOW;
    keys.key("max_duration", &mut it.max_duration, AIRTIME, "\"4 ms\"").written_if(is_limited).says(
        "Longest duration of an aggregate on the air. A packet that takes longer is sent alone. The drivers ath9k and \
         iwlwifi have 4 ms.",
    );
    keys.key("slow_duration", &mut it.slow_duration, AIRTIME, "\"1 ms\"")
        .written_if(has_slow)
        .says(
            "Longest duration of an aggregate at data rates below `slow_below`, if shorter than `max_duration`.",
        );
    keys.key("slow_below", &mut it.slow_below, Kind::Rate, "\"30 Mb/s\"")
        .written_if(has_slow)
        .says("Data rate below which `slow_duration` applies.");
    keys.word("after_silence", &mut it.after_silence, "\"request\"").says(
        "Step after an aggregate without a response. `retransmission`: it is sent again with a doubled contention \
         window. `request`: a block ack request first asks which MPDUs arrived, as in ns-3.",
    );
}

/// Declares the keys for the attempts after which a frame is given up: one limit for all frames, or a short and a long
/// one.
fn attempts(keys: &mut Keys, attempts: &mut Attempts) {
    let is_pair = |attempts: &Attempts| matches!(attempts, Attempts::Limits { .. });
    let was_pair = is_pair(attempts);
    let describe = |_: &mut _| (ATTEMPTS, Absent::Required);
    let read = |entry: &Entry, _: &_| one_limit(entry);
    keys.any(
        "max_attempts",
        attempts,
        "7",
        Form { describe, read, write: |it: &Attempts| limit(*it).to_string() },
    )
    .follows("see `retry_limits`")
    .written_if(!was_pair)
    .says("Largest number of transmission attempts of a frame, whatever its length.");
    let mut limits = if is_pair(attempts) { *attempts } else { Attempts::default() };
    keys.table("retry_limits", &mut limits, retry_limits, "{ short = 5 }")
        .written_if(was_pair)
        .says(
            "Largest numbers of transmission attempts, by the standard's two retry counters. Not together with \
             `max_attempts`.",
        );
    if is_pair(attempts) {
        *attempts = limits;
    }
}

fn retry_limits(keys: &mut Keys, attempts: &mut Attempts) {
    keys.of("the retry limits");
    let Attempts::Limits { short, long } = attempts else { unreachable!("two limits") };
    keys.key("short", short, ATTEMPT, "5").says("Attempts of a frame not protected by RTS.");
    keys.key("long", long, ATTEMPT, "5").says("Attempts of a frame protected by RTS.");
}

fn one_limit(entry: &Entry) -> Option<Attempts> {
    match entry.plain()? {
        Plain::Word("unlimited") => Some(Attempts::Unlimited),
        limit => u16::of(limit).map(Attempts::Max),
    }
}

fn limit(attempts: Attempts) -> Plain<'static> {
    match attempts {
        Attempts::Max(limit) => limit.plain(),
        Attempts::Unlimited | Attempts::Limits { .. } => Plain::Word("unlimited"),
    }
}

fn beacon(keys: &mut Keys, it: &mut Beacons) {
    keys.of("the beacons");
    keys.key("interval", &mut it.interval, BEACON_INTERVAL, "\"100 ms\"")
        .says("Beacon interval; by default 100 time units of 1024 µs.");
    keys.maybe("phase", &mut it.phase, TIME, "\"20 ms\"")
        .follows("drawn for each run in a cell with neighbours, else 0 s")
        .says(
            "Time by which beacons are later than multiples of `interval`, less than `interval`.",
        );
    keys.key("size", &mut it.size, bytes(28, 2_304), "\"120 B\"").says(
        "Size of a beacon, header and check sequence included. Granted shares of the channel add six octets.",
    );
}

fn access_point(keys: &mut Keys, it: &mut AccessPoint, written: Option<&str>) {
    keys.of("an access point");
    let describe = |_: &mut _| (Kind::Tuple(&POINT), Absent::Required);
    let (read, write) = (|it: &Entry, _: &_| radio::point(it), |it: &[Length; 2]| radio::pair(*it));
    let is_elsewhere = it.position != [Length::ZERO; 2];
    keys.any("position", &mut it.position, "[\"30 m\", \"0 m\"]", Form { describe, read, write })
        .follows("[\"0 m\", \"0 m\"]")
        .written_if(is_elsewhere)
        .says(
            "Position in the plane of all cells, to the east and to the north. Positions of stations are relative to it. \
             Only together with `radio`.",
        );
    hears(keys, written.map(str::to_owned))
        .follows("the cell's")
        .says("Members of neighbours that the access point hears, if others than those of the cell's list.");
    keys.choice("queue", &mut it.queue, &QUEUE, "{ discipline = \"data-ack\" }")
        .says("Transmit queue of the access point.");
    access(keys, &mut it.access);
    keys.key("window_sharing", &mut it.window_sharing, Kind::Flag, "true").says(
        "The access point writes a receive window into each TCP ACK that it forwards: the capacity of its queue, \
         divided by the number of connections that it sees.",
    );
    let (none, default) = (Plain::Flag(false), occupancy::Params::default());
    keys.table_or("occupancy", &mut it.occupancy, OrNone { none, default, declare: occupancy }, "true").says(
        "The beacons grant each active station an equal share of the channel. Flows with `control = \"occupancy\"` \
         keep to it.",
    );
    let (none, default) = (Plain::Flag(false), fair::Params::default());
    let is_fair = it.fair.is_some();
    keys.table_or("fair", &mut it.fair, OrNone { none, default, declare: fair }, "true").written_if(is_fair).says(
        "The access point gives its stations equal airtime in both directions. It lowers the windows in the ACKs of TCP \
         uploads of a station that uses more than its share, and if `queue` is the airtime scheduler, bulk data for that \
         station waits. With `ofdma`, it chooses the users of frames and triggers, whatever `ofdma.down` and `ofdma.up` \
         name; if it triggers stations, no window is lowered, and no bulk waits. Not together with `mu_mimo`.",
    );
    let has_scheme = it.control != ApScheme::None;
    keys.choice("control", &mut it.control, &AP_CONTROLS, "\"uplink-share\"")
        .written_if(has_scheme)
        .says(AP_CONTROL);
}

const FAIR_TIME: Kind = time(Duration::from_millis(1), Duration::from_secs(60));

/// At most as long as a PPDU can be [80211-2020 §19.4.3].
const ACCESS_TIME: Kind = time(Duration::from_micros(1), MAX_PPDU_DURATION);

/// At most as much as a duration field holds.
const GRANT_TIME: Kind = time(Duration::from_micros(100), Duration::from_millis(32));

fn fair(keys: &mut Keys, it: &mut fair::Params) {
    keys.of("a fair access point");
    keys.key("period", &mut it.period, FAIR_TIME, "\"100 ms\"").says(
        "Time after which the access point sets the share of its stations and their windows anew.",
    );
    keys.key("unused", &mut it.unused, Kind::Probability, "0.05").says(
        "Fraction of the time that the access point tries to leave unused: more than 0 and less than 1. The share of its \
         stations grows if more is unused, and shrinks if less is.",
    );
    keys.key("access", &mut it.access, ACCESS_TIME, "\"200 us\"").says(
        "Airtime that a station with aggregates should have each time it wins the channel. If it has less, a part of the \
         contention counts as unused time, so that its window grows and its aggregates get longer.",
    );
    keys.key("level_time", &mut it.level_time, FAIR_TIME, "\"2 s\"")
        .says("Time in which the share of the stations grows or shrinks by a factor e at most.");
    keys.key("window_time", &mut it.window_time, FAIR_TIME, "\"2 s\"")
        .says("Time in which the window of a station that sends nothing grows by a factor e. It shrinks as fast if the station uses twice its share.");
    keys.key("smoothing", &mut it.smoothing, FAIR_TIME, "\"100 ms\"")
        .says("Time constant of the exponential average of the airtime that a station uses.");
    keys.key("debt", &mut it.debt, TIME, "\"10 ms\"").says(
        "Airtime that a station may use beyond its share before bulk data for the station waits.",
    );
    keys.key("credit", &mut it.credit, TIME, "\"20 ms\"")
        .says("Airtime of its share that a station may save for later.");
    keys.key("holds", &mut it.holds, Kind::Flag, "false")
        .says("Bulk data for a station waits if the station has used more than its share.");
    keys.key("windows", &mut it.windows, Kind::Flag, "false")
        .says("The access point lowers the windows in the ACKs of TCP uploads.");
    keys.key("grants", &mut it.grants, Kind::Flag, "true").says(
        "The access point reserves time for single stations by a CTS. So a station that sends UDP, TFRC or QUIC, whose \
         windows it cannot lower, keeps quiet while it is ahead of others.",
    );
    keys.key("grant", &mut it.grant, GRANT_TIME, "\"2 ms\"")
        .says("Time that the access point reserves with each CTS, if `grants` is true.");
}

fn occupancy(keys: &mut Keys, it: &mut occupancy::Params) {
    keys.of("the grant of shares");
    keys.key("beacons", &mut it.beacons, integer(1, 1_000), "5")
        .says("Length of an observation slot [beacon intervals], n in the paper.");
    keys.key("satisfied", &mut it.satisfied, Kind::Probability, "0.9").says(
        "Fraction of its equal share that a station must use before it may have more, r in the paper: more than 0 and \
         less than 1.",
    );
    keys.word("spare", &mut it.spare, "\"once\"").says(
        "Unused channel time that a flow may have beyond its share. `printed`: all that its station leaves unused, \
         although the access point has already granted it to others. `once`: only what other flows of the station \
         leave unused.",
    );
    keys.key("patience", &mut it.patience, integer(1, 1_000), "3")
        .says("Beacons missed in a row after which a station stops limiting its flows.");
    let is_other = it.aggregates != occupancy::Params::default().aggregates;
    keys.word("aggregates", &mut it.aggregates, "\"apart\"").written_if(is_other).says(AGGREGATES);
}

pub(crate) fn access(keys: &mut Keys, it: &mut Access) {
    keys.table("edca", it, edca, "{ aifsn = 3 }").says(
        "Channel access of this node. These keys apply to best effort, and to all packets if no flow has another \
         category. The tables apply to the other categories.",
    );
    let plain = |it: &Option<Attempts>| it.map_or(Plain::Word("cell"), limit);
    let read = |entry: &Entry, _: &_| match entry.word() {
        Some("cell") => Some(None),
        _ => one_limit(entry).map(Some),
    };
    let describe = |it: &mut _| (OWN_ATTEMPTS, Absent::Is(plain(it)));
    keys.any(
        "max_attempts",
        &mut it.best_effort.attempts,
        "3",
        Form { describe, read, write: |it: &Option<Attempts>| plain(it).to_string() },
    )
    .says("Largest number of transmission attempts of a frame of this node; `cell` is the cell's.");
}

pub(crate) fn edca(keys: &mut Keys, it: &mut Access) {
    keys.of("a channel access");
    // Without access categories there is nothing to write. Writing the defaults would change the identity of
    // scenarios in the archive.
    let (has_categories, usual) = (it.best_effort.counts_at_start, Access::of(Standard::B));
    best_effort(keys, &mut it.best_effort);
    let mut table = |name, own: &mut AccessParameters, usual, example| {
        let is_said = has_categories || *own != usual;
        keys.table(name, own, category, example)
            .written_if(is_said)
            .says("Channel access of packets of this category, in 802.11n and later.");
    };
    table("background", &mut it.background, usual.background, "{ aifsn = 9 }");
    table("video", &mut it.video, usual.video, "{ txop_limit = \"0 s\" }");
    table("voice", &mut it.voice, usual.voice, "{ cw_min = 7, cw_max = 15 }");
}

fn category(keys: &mut Keys, it: &mut AccessParameters) {
    keys.of("the channel access of a category");
    keys.key("aifsn", &mut it.aifsn, integer(1, 15), "5").follows("7 for background, 2 for video and voice").says(
        "Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only for access points.",
    );
    keys.optional("cw_min", &mut it.cw_min, CATEGORY_WINDOW, "7").follows("the standard's").says(
        "Smallest contention window [slots]. `standard` is the PHY's for background, half of it for video and a \
         quarter for voice.",
    );
    keys.optional("cw_max", &mut it.cw_max, CATEGORY_WINDOW, "31").follows("the standard's").says(
        "Largest contention window [slots]. `standard` is the PHY's for background, the PHY's smallest window for \
         video and half of that for voice.",
    );
    keys.key("txop_limit", &mut it.txop_limit, TXOP, "\"3 ms\"")
        .follows("0 s for background, 4.096 ms for video, 2.08 ms for voice")
        .says(
            "TXOP limit: longest time for which the node may keep sending once it has won the channel; `0 s` allows \
             one frame.",
        );
}

fn best_effort(keys: &mut Keys, it: &mut AccessParameters) {
    keys.key("aifsn", &mut it.aifsn, integer(1, 15), "5").follows("2; 3 in 802.11n and later").says(
        "Idle slots after a SIFS before the back-off counts down. 2 is a DIFS; 1 is allowed only for access points.",
    );
    keys.optional("cw_min", &mut it.cw_min, OWN_WINDOW, "15")
        .follows("the cell's")
        .says("Smallest contention window [slots]; `cell` is the cell's.");
    keys.optional("cw_max", &mut it.cw_max, OWN_WINDOW, "255")
        .follows("the cell's")
        .says("Largest contention window [slots]; `cell` is the cell's.");
    keys.key("txop_limit", &mut it.txop_limit, TXOP, "\"3 ms\"")
        .follows("0 s")
        .says(
            "TXOP limit: longest time for which the node may keep sending once it has won the channel; `0 s` allows \
             one frame.",
        );
}
