//! Keys of wireless stations.

use airfair_wlan::Aggregation;
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::{GuardInterval, Width};

use super::super::Station;
use super::super::declare::Keys;
use super::super::kind::{Kind, Words};
use super::cells::{AMSDU, access, aggregation, hears};
use super::errors::ERRORS;
use super::queues::QUEUE;
use super::radio::trajectory;
use super::ranges::integer;
use super::rates::station_rate;

/// Values of a station's keys that refer to other parts of the scenario, as TOML.
#[derive(Debug, Default)]
pub(crate) struct Written {
    pub(crate) bss: String,
    pub(crate) rate: String,
    /// Width, guard interval, streams and aggregation of a link of 802.11n or later.
    pub(crate) link: Option<[String; 4]>,
    /// Largest A-MSDU, if the cell allows A-MSDUs.
    pub(crate) amsdu: Option<String>,
    pub(crate) senses_only: String,
    pub(crate) hidden_from: String,
    /// List `hears`, if the station has its own.
    pub(crate) hears: Option<String>,
}

/// Declares the keys for capabilities of a station that may be less than its cell's, if both are of 802.11n or later.
fn link(keys: &mut Keys, written: Option<[String; 4]>, amsdu: Option<String>) {
    let [width, guard, streams, aggregates] =
        written.map_or_else(Default::default, |written| written.map(Some));
    keys.other("width", || Kind::Word(Width::WORDS), "\"20 MHz\"", || width)
        .follows("the cell's, as far as the station's standard allows")
        .says("Channel width of data frames from and to the station, if narrower than the cell's.");
    keys.other("guard_interval", || Kind::Word(GuardInterval::WORDS), "\"1600 ns\"", || guard)
        .follows("the cell's; 800 ns if the station's standard is older")
        .says("Guard interval of data frames from and to the station, if longer than the cell's.");
    keys.other("streams", || integer(1, 8), "2", || streams)
        .follows("the cell's, as far as the station's standard allows")
        .says("Largest number of spatial streams of data frames from and to the station.");
    let kind = || {
        let table = Keys::describe(&mut Aggregation::of(Format::Eht), aggregation);
        Kind::Either(vec![Kind::Word(&["off"]), Kind::Table(table)].leak())
    };
    keys.other("aggregation", kind, "\"off\"", || aggregates)
        .follows("the cell's, as far as the station's standard allows")
        .says("A-MPDUs that the station sends and accepts.");
    keys.other("amsdu", || AMSDU, "\"off\"", || amsdu)
        .follows("the cell's, as far as the station's standard allows")
        .says("Largest size of an A-MSDU that the station sends and accepts.");
}

/// Declares the keys of a wireless station, or of a group of equal ones.
pub(crate) fn station(keys: &mut Keys, it: &mut Station, written: Written) {
    keys.of("a station");
    let Written { bss, rate, link, amsdu, senses_only, hidden_from, hears: heard } = written;
    keys.other("bss", || Kind::Name, "\"home\"", || Some(bss))
        .follows("the only cell")
        .says("Cell of the station; required if there are several.");
    keys.word("standard", &mut it.standard, "\"802.11b\"")
        .follows("the cell's")
        .says(
            "Standard of the station: the cell's, or an older one of the same band. Of the standards up to 802.11g, \
             only 802.11g cells allow another one, 802.11b.",
        );
    self::link(keys, link, amsdu);
    let example = "[[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"]]";
    keys.other("rate", station_rate, example, || Some(rate))
        .follows("the highest rate of its link")
        .says(
            "Data rate between the station and the access point. A rate is in Mb/s as vendors print it (`866 Mb/s`, \
             `1.2 Gb/s`), or the name of a mode, because 802.11n and later have several modes of one rate \
             (`ht-mcs15`, `vht-mcs9x2`, `he-mcs11x1`, `eht-mcs13x1`). Allowed are one rate, a schedule of times and rates that \
             starts at 0 s, rate adaptation `{ control = … }`, or `{ up, down }` for the station's transmissions and \
             the access point's.",
        );
    keys.choice("queue", &mut it.queue, &QUEUE, "{ packets = 20 }")
        .says("Transmit queue of the station.");
    access(keys, &mut it.access);
    let hears_as_told = it.trajectory.is_none();
    let others = || Kind::List(&Kind::Name);
    keys.other("senses_only", others, "[\"fast\"]", || hears_as_told.then_some(senses_only))
        .or_none()
        .says(
            "Stations of the same cell whose frames this station senses but cannot decode. They also cannot decode \
             the frames of this station. EIFS follows such frames.",
        );
    keys.choice("errors", &mut it.errors, &ERRORS, "{ model = \"bit\", ber = 1e-5 }")
        .follows("the cell's")
        .written_if(hears_as_told)
        .says(
            "Error model of frames between the station and the access point, in both directions.",
        );
    keys.other("hidden_from", others, "[\"fast\"]", || hears_as_told.then_some(hidden_from))
        .or_none()
        .written_before("errors")
        .says(
            "Stations of the same cell whose frames this station does not sense. They also do not sense the frames of \
             this station.",
        );
    hears(keys, heard)
        .follows("the cell's")
        .says("Members of neighbours that the station hears, if others than those of the cell's list. See the key of cells.");
    trajectory(keys, it.trajectory.as_ref());
    keys.key("count", &mut 1_u32, integer(1, 5_000), "3").written_if(false).says(
        "Number of equal stations, with the names NAME1, NAME2, …; NAME then means all of them. With 1 the name has \
         no number.",
    );
}
