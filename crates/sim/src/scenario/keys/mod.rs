//! Declarations of all keys of the scenario file: one function per table, one call per key, and one line for the
//! words of each enum. Checks across keys are in other modules: `super::cell`, `super::flows`, ….

mod cells;
mod errors;
mod flows;
mod queues;
mod radio;
mod rates;
mod stations;
mod transports;
mod wires;

use std::sync::LazyLock;

use airfair_units::{Bytes, Duration};
use airfair_wlan::ErrorModel;
use airfair_wlan::phy::Standard;

use super::declare::{Form, Keys};
use super::kind::{Absent, Kind, Plain, Table};
use super::reader::Entry;
use super::{Bss, Endpoint, Flow, Link, Node, Scenario, Station};

pub(super) use cells::{access, aggregation, bss, edca};
pub(super) use errors::ERRORS;
pub(super) use flows::flow;
pub(super) use queues::QUEUE;
pub(super) use radio::{FAR, MOBILITY, RANGE, point, radio};
pub(super) use rates::{LAWS, OF_MINSTREL, OF_MINSTREL_HT, minstrel_ht};
pub(super) use stations::{Written, station};
pub(super) use transports::{SOURCES, TRANSPORTS};
pub(super) use wires::{host, link, router};

/// Longest duration of a run: 30 days.
pub(super) const MAX_DURATION: Duration = Duration::from_secs(30 * 24 * 3600);
/// Largest number of wireless stations.
pub(super) const MAX_STATIONS: usize = 5_000;
/// Largest number of wired hosts.
pub(super) const MAX_HOSTS: usize = 1_000;
/// Largest number of cells.
pub(super) const MAX_CELLS: usize = 100;
/// Largest number of routers.
pub(super) const MAX_ROUTERS: usize = 1_000;
/// Largest number of links, without those of the hosts.
pub(super) const MAX_LINKS: usize = 10_000;
/// Largest number of flows.
pub(super) const MAX_FLOWS: usize = 10_000;
/// Largest number of frames in the list of a media source, which repeats them.
pub(super) const MAX_FRAMES: usize = 100_000;
/// Largest MSDU of a legacy frame.  [80211-2020 §9.2.4.8]
pub(super) const MAX_MSDU: u64 = 2_304;
/// Length of the LLC and SNAP headers [octets].
pub(super) const LLC_SNAP: u64 = 8;
/// Length of IP and TCP headers without options [octets].
pub(super) const IP_TCP: u64 = 40;
/// Length of TCP's timestamps option with its padding [octets].
pub(super) const TIMESTAMPS: u64 = 12;
/// Length of IP, UDP and RTP headers with TFRC's extension [octets].
pub(super) const IP_TFRC: u64 = 52;
/// Length of IP and UDP headers [octets].
pub(super) const IP_UDP: u64 = 28;
/// Largest window without the window-scale option.  [RFC7323 §2.2]
pub(super) const MAX_UNSCALED: Bytes = Bytes::new(65_535);

/// Range of a queue's length [packets].
const PACKETS: Kind = integer(1, 100_000);
const CAPACITY: &str = "Capacity [packets], the packet in service included.";
pub(super) const OFF: Kind = Kind::Word(&["off"]);
const UNLIMITED: Kind = Kind::Word(&["unlimited"]);
const RUN: Kind = time(Duration::from_micros(1), MAX_DURATION);
/// Range of a time since the start of a run: from zero to the longest run.
pub(super) const TIME: Kind = time(Duration::ZERO, MAX_DURATION);
const PERIOD: Kind = time(Duration::from_micros(1), Duration::from_secs(3_600));
const DELAY: Kind = time(Duration::ZERO, Duration::from_secs(3_600));
const SERIES: Kind = Kind::Either(&[OFF, RUN]);

const fn integer(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max }
}

pub(super) const fn time(min: Duration, max: Duration) -> Kind {
    Kind::Duration { min, max }
}

pub(super) const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min: Bytes::new(min), max: Bytes::new(max) }
}

/// All keys of the scenario file.
pub(super) static ROOT: LazyLock<&Table> =
    LazyLock::new(|| Keys::describe(&mut Scenario::default(), root));

pub(super) fn root(keys: &mut Keys, it: &mut Scenario) {
    keys.of("the scenario");
    let describe = |_: &mut _| (Kind::Text, Absent::Is(Plain::Text("untitled")));
    let write = |title: &String| Plain::Text(title).to_string();
    let read = |entry: &Entry, _: &_| entry.text().map(str::to_owned);
    keys.any("title", &mut it.title, "\"One slow station\"", Form { describe, read, write })
        .says("Title of the scenario, shown with its results.");
    keys.key("duration", &mut it.duration, RUN, "\"100 s\"")
        .required()
        .says("Simulated time of one run.");
    keys.key("warmup", &mut it.warmup, TIME, "\"5 s\"")
        .says("Time at the start of a run that results leave out; less than `duration`.");
    keys.optional("series", &mut it.series_step, SERIES, "\"100 ms\"").says(
        "Step of the time series. There are at most 20 million values: steps times flows, stations and queues, in all \
         replications.",
    );
    keys.key("seed", &mut it.seed, integer(0, i64::MAX.cast_unsigned()), "42")
        .says("Seed of the random streams; each replication has its own streams of this seed.");
    keys.key("replications", &mut it.replications, integer(1, 10_000), "10")
        .says("Number of independent runs; results are means over them.");
    sections(keys);
}

/// Declares the sections of items whose names the user chooses. Each kind of item is written elsewhere.
fn sections(keys: &mut Keys) {
    let (nobody, here) = ([""; 2], Endpoint::Station(0));
    let bss = || Kind::Named(Keys::describe(&mut Bss::new("", Standard::B), self::bss));
    let station = || {
        let station = &mut Station::new("", 0, Standard::B, None, ErrorModel::None);
        Kind::Named(Keys::describe(station, |k, it| self::station(k, it, Written::default())))
    };
    let any_link = || Link::new("", [Node::Cell(0); 2]);
    let host = || Kind::Named(Keys::describe(&mut any_link(), |k, it| self::host(k, it, nobody)));
    let router = || Kind::Named(Keys::describe(&mut (), self::router));
    let link = || Kind::Named(Keys::describe(&mut any_link(), |k, it| self::link(k, it, nobody)));
    let flow = || {
        Kind::Named(Keys::describe(&mut Flow::new("", here, here), |k, it| {
            self::flow(k, it, nobody);
        }))
    };
    keys.other("bss", bss, "", || None).or_none().says(
        "Cells, at most 100: each is an access point with a channel of its own. The names of cells, stations, hosts, \
         routers and links must all differ.",
    );
    keys.other("station", station, "", || None)
        .or_none()
        .says("Wireless stations, at most 5000. The name `ap` is reserved.");
    keys.other("host", host, "", || None)
        .or_none()
        .says("Wired hosts, at most 1000. Hosts are ends of flows, and also forward packets.");
    keys.other("router", router, "", || None).or_none().says(
        "Wired nodes that only forward packets, at most 1000. A packet takes the route with the fewest hops. Of \
         several such routes it takes the one with the least delay, and of several of these the first in the file.",
    );
    keys.other("link", link, "", || None)
        .or_none()
        .says("Wired links other than the hosts' own links, at most 10000.");
    keys.other("flow", flow, "", || None).says("Flows, at most 10000.");
}
