//! Cells: checks of rates, retry limits and contention windows against the cell's standard.

use airfair_units::DataRate;
use airfair_wlan::Channel;
use airfair_wlan::phy::{Preamble, Standard, Timing};

use super::context::{CellContext, Context};
use super::declare::Keys;
use super::error::Mistakes;
use super::keys::{ERRORS, WrittenHears};
use super::kind::Words;
use super::legacy_rates::{list_rates, not_a_rate};
use super::printed::{self, Open};
use super::reader::{Entry, Fields};
use super::stations::CellMembers;
use super::{
    Beacons, Bss, CellRates, access, beacons, capabilities, fair, keys, multi_user, neighbours,
    queues, radio,
};

/// A cell whose own keys have been read, before those of its stations.
pub(super) struct Draft<'n> {
    fields: Fields<'n>,
    standard: Option<Standard>,
    channel: Option<Channel>,
    has_radio: Option<bool>,
}

/// Reads the properties of a cell that stations and flows depend on.
pub(super) fn draft<'n>(
    fields: Fields<'n>,
    context: &mut Context,
    mistakes: &mut Mistakes,
) -> Draft<'n> {
    let standard = fields.get("standard").word().map(Standard::of);
    let llc_snap = fields.get("llc_snap").value::<bool>();
    let channel = capabilities::channel(&fields, standard, mistakes);
    let rates = standard.zip(channel).map(|(standard, channel)| CellRates::of(standard, channel));
    let has_radio = radio::check(fields.get("radio"), rates, mistakes);
    let given = fields.get("errors");
    radio::no_radio(given, has_radio, mistakes);
    let (ap, is_alone) = (fields.get("ap").fields(), !fields.get("channel").is_set());
    if !is_alone {
        let lists = [Some(&fields), ap].into_iter().flatten().map(|it| it.get("hears"));
        lists.for_each(|it| radio::no_radio(it, has_radio, mistakes));
    }
    if let Some(ap) = ap {
        radio::no_position(ap.get("position"), has_radio, mistakes);
    }
    neighbours::check_spatial_reuse(&fields, standard, has_radio, mistakes);
    let errors = ERRORS.read(given);
    let name = fields.name.to_owned();
    let access = access::of_stations(fields.get("edca"), mistakes);
    let open = Open::of_cell(&fields);
    context.cells.push(CellContext {
        name,
        standard,
        channel,
        is_alone,
        open,
        llc_snap,
        errors,
        has_radio,
        access,
    });
    Draft { fields, standard, channel, has_radio }
}

impl<'n> Draft<'n> {
    /// Keys of the cell.
    pub(super) fn fields(&self) -> &Fields<'n> {
        &self.fields
    }
}

/// Legacy standard from which a cell takes its timing, control frames and beacons.
fn legacy(standard: Option<Standard>, channel: Option<Channel>) -> Option<Standard> {
    Some(standard?.legacy(channel?.band))
}

/// Reads the rest of a cell, once the stations in it are known.
pub(super) fn finish(
    Draft { fields, standard, channel, has_radio }: &Draft,
    stations: &CellMembers,
    mistakes: &mut Mistakes,
) -> Option<Bss> {
    let standard = *standard;
    let channel = standard.zip(*channel);
    let channel = channel.map(|(of, channel)| printed::channel_for(channel, of, stations.links()));
    multi_user::check(fields, standard, channel, *has_radio, mistakes);
    neighbours::check_channel(fields, standard, channel, mistakes);
    let legacy = legacy(standard, channel);
    let basic_rates = basic_rates(fields, legacy, stations, mistakes);
    check_protection(fields.get("protection"), standard, mistakes);
    let (limit, limits) = (fields.get("max_attempts"), fields.get("retry_limits"));
    if limit.is_set() && limits.is_set() {
        let error = limits.mistake("set together with max_attempts", "one of the two");
        mistakes.add(limits.at, error);
    }
    let preamble = fields.get("preamble").word().map(Preamble::of);
    let timing = || Some(standard?.timing_in(channel?.band, stations.b_stations()?, preamble?));
    let timing = timing();
    let windows = windows(fields, timing, mistakes);
    let beacon = fields.get("beacon");
    if let Some(ap) = fields.get("ap").fields() {
        queues::check_discipline(ap.get("queue"), true, mistakes);
        let own = access::of_access_point(ap, standard);
        fair::check(ap.get("fair"), fields, mistakes);
        let grants = beacons::grants(ap.get("occupancy"), mistakes);
        let air = || Some((legacy?, basic_rates.as_deref()?, preamble?));
        beacons::check(beacon, grants, air(), mistakes);
        if let Some(cell) = cell_windows(timing, windows) {
            own.check(cell, mistakes);
            access::check_cell(fields.get("edca"), standard, cell, mistakes);
            stations.check_access(cell, mistakes);
        }
    }
    let mut bss = Bss::new(fields.name, standard?);
    bss.rules.channel = channel?;
    let declare = |keys: &mut Keys, it: &mut Bss| keys::bss(keys, it, WrittenHears::default());
    let mut bss = Keys::read(fields, bss, declare)?;
    bss.rules.channel = channel?;
    bss.rules.basic_rates = basic_rates?;
    if !beacon.is_set() {
        bss.beacons = bss.ap.occupancy.map(|_| Beacons::default());
    }
    Some(bss)
}

/// Smallest and largest contention window of the cell; `None` if a mistake hides them.
fn cell_windows(timing: Option<Timing>, own: Option<Windows>) -> Option<access::Windows> {
    let (timing, (smallest, largest)) = (timing?, own?);
    let windows = (smallest.unwrap_or(timing.cw_min), largest.unwrap_or(timing.cw_max));
    Some(windows).filter(|(smallest, largest)| smallest <= largest)
}

fn basic_rates(
    fields: &Fields,
    standard: Option<Standard>,
    stations: &CellMembers,
    mistakes: &mut Mistakes,
) -> Option<Vec<DataRate>> {
    let (one, many) = (fields.get("basic_rate"), fields.get("basic_rates"));
    if one.is_set() && many.is_set() {
        let error = many.mistake("set together with basic_rate", "one of the two");
        mistakes.add(many.at, error);
    }
    if one.bad || many.bad {
        return None;
    }
    if !one.is_set() && !many.is_set() {
        return Some(standard?.default_basic_rates(stations.b_stations()?));
    }
    let (single, list) = (one.is_set(), many.is_set());
    let given: Vec<&Entry> = single.then_some(one).into_iter().chain(many.items()).collect();
    if given.is_empty() {
        mistakes.add(many.at, many.mistake("an empty set", "at least one rate"));
    }
    let (mut rates, mut of_standard) = (Vec::new(), Vec::new());
    for &entry in &given {
        let Some(rate) = entry.value::<DataRate>() else { continue };
        if rates.contains(&rate) && !(single && list) {
            mistakes.add(entry.at, entry.mistake("given twice", "each rate once"));
        }
        rates.push(rate);
        let standard = standard?;
        if !standard.rates().contains(&rate) {
            mistakes.add(entry.at, not_a_rate(entry, standard));
            continue;
        }
        if let Some(station) = stations.first_without(rate) {
            let problem = format!("station {station} has 802.11b, which lacks this rate");
            let allowed = list_rates(Standard::B.rates());
            mistakes.add(entry.at, entry.mistake(problem, allowed));
        }
        of_standard.push(rate);
    }
    of_standard.sort_unstable();
    Some(of_standard).filter(|rates| !rates.is_empty() && rates.len() == given.len())
}

fn check_protection(entry: &Entry, standard: Option<Standard>, mistakes: &mut Mistakes) {
    if let Some(standard @ (Standard::A | Standard::B)) = standard
        && entry.is_set()
        && !entry.bad
    {
        let problem = format!("{standard} has no protection");
        let allowed = "in a cell of 802.11g or later";
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

/// Smallest and largest contention window that the file sets for a cell; `None` where it sets none.
type Windows = (Option<u16>, Option<u16>);

fn windows(fields: &Fields, timing: Option<Timing>, mistakes: &mut Mistakes) -> Option<Windows> {
    let (min, max) = (fields.get("cw_min"), fields.get("cw_max"));
    let given = |entry: &Entry| match entry.word() {
        Some(_) => Some(None),
        None => entry.integer().map(Some),
    };
    let windows = (given(min)?, given(max)?);
    // The standard's timing is needed only if one of the two windows is not set.
    let smallest = windows.0.or(timing.map(|timing| timing.cw_min));
    let largest = windows.1.or(timing.map(|timing| timing.cw_max));
    if let Some(windows) = smallest.zip(largest) {
        access::check_order(min, max, windows, mistakes);
    }
    Some(windows)
}
