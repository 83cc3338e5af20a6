//! Keys of the scenario file itself, and its sections.

use std::sync::LazyLock;

use airfair_wlan::ErrorModel;
use airfair_wlan::phy::Standard;

use super::super::declare::{Form, Keys};
use super::super::kind::{Absent, Kind, Plain, Table};
use super::super::reader::Entry;
use super::super::{Bss, Endpoint, Flow, Link, Node, Scenario, Station};
use super::cells::WrittenHears;
use super::ranges::{RUN, SERIES, TIME, integer};
use super::stations::Written;

/// All keys of the scenario file.
pub(crate) static ROOT: LazyLock<&Table> =
    LazyLock::new(|| Keys::describe(&mut Scenario::default(), root));

pub(crate) fn root(keys: &mut Keys, it: &mut Scenario) {
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
    let bss = || {
        let bss = &mut Bss::new("", Standard::B);
        Kind::Named(Keys::describe(bss, |k, it| super::bss(k, it, WrittenHears::default())))
    };
    let station = || {
        let station = &mut Station::new("", 0, Standard::B, None, ErrorModel::None);
        Kind::Named(Keys::describe(station, |k, it| super::station(k, it, Written::default())))
    };
    let any_link = || Link::new("", [Node::Cell(0); 2]);
    let host = || Kind::Named(Keys::describe(&mut any_link(), |k, it| super::host(k, it, nobody)));
    let router = || Kind::Named(Keys::describe(&mut (), super::router));
    let link = || Kind::Named(Keys::describe(&mut any_link(), |k, it| super::link(k, it, nobody)));
    let flow = || {
        Kind::Named(Keys::describe(&mut Flow::new("", here, here), |k, it| {
            super::flow(k, it, nobody);
        }))
    };
    keys.other("bss", bss, "", || None).or_none().says(
        "Cells, at most 500: each is an access point with a channel. The names of cells, stations, hosts, \
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
