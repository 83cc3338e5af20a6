//! Keys of wireless stations.

use airfair_wlan::Aggregation;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::{GuardInterval, Width};

use super::super::Station;
use super::super::declare::Keys;
use super::super::kind::{Kind, Words};
use super::cells::{AMSDU, access, aggregation};
use super::errors::ERRORS;
use super::integer;
use super::queues::QUEUE;
use super::radio::trajectory;
use super::rates::station_rate;

/// Values of a station's keys that refer to other parts of the scenario, as TOML.
#[derive(Debug, Default)]
pub(in crate::scenario) struct Written {
    pub(in crate::scenario) bss: String,
    pub(in crate::scenario) rate: String,
    /// Width, guard interval, streams and aggregation of a link of 802.11n or later.
    pub(in crate::scenario) link: Option<[String; 4]>,
    /// Largest A-MSDU, if the cell allows A-MSDUs.
    pub(in crate::scenario) amsdu: Option<String>,
    pub(in crate::scenario) senses_only: String,
    pub(in crate::scenario) hidden_from: String,
}

/// Capabilities of a station that may be less than its cell's, if both are of 802.11n or later.
fn link(keys: &mut Keys, written: Option<[String; 4]>, amsdu: Option<String>) {
    let [width, guard, streams, aggregates] =
        written.map_or_else(Default::default, |written| written.map(Some));
    keys.other("width", || Kind::Word(Width::WORDS), "\"20 MHz\"", || width)
        .follows("the cell's, as far as its standard goes")
        .says("Width of its data frames and of those to it, if it is not as wide as its cell.");
    keys.other("guard_interval", || Kind::Word(GuardInterval::WORDS), "\"1600 ns\"", || guard)
        .follows("the cell's; 800 ns if its standard is older")
        .says("Guard interval of its data frames and of those to it, if it is longer than the cell's.");
    keys.other("streams", || integer(1, 8), "2", || streams)
        .follows("the cell's, as far as its standard goes")
        .says("Most spatial streams of its data frames and of those to it.");
    let kind = || {
        let table = Keys::describe(&mut Aggregation::of(Format::He), aggregation);
        Kind::Either(vec![Kind::Word(&["off"]), Kind::Table(table)].leak())
    };
    keys.other("aggregation", kind, "\"off\"", || aggregates)
        .follows("the cell's, as far as its standard goes")
        .says("A-MPDUs that it sends and takes.");
    keys.other("amsdu", || AMSDU, "\"off\"", || amsdu)
        .follows("the cell's, as far as its standard goes")
        .says("Most octets of an A-MSDU that it sends and takes.");
}

/// A wireless station, or a group of equal ones.
pub(in crate::scenario) fn station(keys: &mut Keys, it: &mut Station, written: Written) {
    keys.of("a station");
    let Written { bss, rate, link, amsdu, senses_only, hidden_from } = written;
    keys.other("bss", || Kind::Name, "\"home\"", || Some(bss))
        .follows("the only cell")
        .says("Cell that it is in; to be given where there are several.");
    keys.word("standard", &mut it.standard, "\"802.11b\"")
        .follows("the cell's")
        .says("Its amendment: the cell's, or an older one of its band. A legacy cell has no other mix than b in g.");
    self::link(keys, link, amsdu);
    let example = "[[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"]]";
    keys.other("rate", station_rate, example, || Some(rate))
        .follows("the highest rate of its link")
        .says(
            "Data rate between it and the access point, in Mb/s as vendors print it (`866 Mb/s`, `1.2 Gb/s`), or by name where \
             802.11n and later have several of one rate (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`): one, a schedule of times and rates that \
             starts at 0 s, a law `{ control = … }` that finds it, or `{ up, down }` for its own \
             transmissions and the access point's.",
        );
    keys.choice("queue", &mut it.queue, &QUEUE, "{ packets = 20 }").says("Transmit queue.");
    access(keys, &mut it.access);
    let hears_as_told = it.trajectory.is_none();
    let others = || Kind::List(&Kind::Name);
    keys.other("senses_only", others, "[\"fast\"]", || hears_as_told.then_some(senses_only))
        .or_none()
        .says(
            "Stations of its cell that it senses but does not decode, nor they it: EIFS follows their frames.",
        );
    keys.choice("errors", &mut it.errors, &ERRORS, "{ model = \"bit\", ber = 1e-5 }")
        .follows("the cell's")
        .written_if(hears_as_told)
        .says("Frames that noise spoils between it and the access point, both ways.");
    keys.other("hidden_from", others, "[\"fast\"]", || hears_as_told.then_some(hidden_from))
        .or_none()
        .written_before("errors")
        .says("Stations of its cell whose frames it does not even sense, nor they its.");
    trajectory(keys, it.trajectory.as_ref());
    keys.key("count", &mut 1_u32, integer(1, 5_000), "3").written_if(false).says(
        "Makes so many stations alike, NAME1, NAME2, …; NAME then stands for all of them. \
         With 1 the name stays as it is.",
    );
}
