//! The cell: rates, retries and windows that its standard allows.

use airfair_units::DataRate;
use airfair_wlan::phy::{Preamble, Standard};

use super::access::{self, OwnAccess};
use super::beacons;
use super::error::{Mistakes, ScenarioError, listed, nearest};
use super::overrides::did_you_mean;
use super::parse::{CellContext, Context, items};
use super::queues::queue;
use super::radio::{Radio, Spoilt, radio};
use super::reader::{Entry, Fields};
use super::stations::CellMembers;
use super::{AccessPoint, AfterCollision, Attempts, Bss, Eifs, ErrorModel, Periods, Rules};

/// A cell whose stations are not known yet.
pub(super) struct Draft<'n> {
    fields: Fields<'n>,
    standard: Option<Standard>,
    llc_snap: Option<bool>,
    radio: Result<Option<Radio>, Spoilt>,
}

/// Takes from the cell what stations and flows must know.
pub(super) fn draft<'n>(
    mut fields: Fields<'n>,
    context: &mut Context,
    mistakes: &mut Mistakes,
) -> Draft<'n> {
    let standard = standard(&fields.take("standard"));
    let llc_snap = fields.take("llc_snap").flag();
    let radio = radio(fields.take("radio"), standard, mistakes);
    let has_radio = radio.as_ref().map(Option::is_some).ok();
    let given = fields.take("errors");
    no_radio(&given, has_radio, mistakes);
    let errors = errors(given);
    let name = fields.name.to_owned();
    context.cells.push(CellContext { name, standard, llc_snap, errors, has_radio });
    Draft { fields, standard, llc_snap, radio }
}

/// Where powers and distances decide who hears what, nobody else may.
pub(super) fn no_radio(entry: &Entry, has_radio: Option<bool>, mistakes: &mut Mistakes) {
    if has_radio == Some(true) && entry.is_set() && !entry.bad {
        let problem = "the cell has a radio, which decides that";
        mistakes.add(entry.at, entry.mistake(problem, "one of the two"));
    }
}

/// An error model.
pub(super) fn errors(entry: Entry) -> Option<ErrorModel> {
    if entry.word().is_some() {
        return Some(ErrorModel::None);
    }
    let mut fields = entry.table()?;
    Some(match fields.take("model").word()? {
        "bernoulli" => ErrorModel::Bernoulli(fields.take("probability").probability()?),
        "bit" => ErrorModel::Bits(fields.take("ber").probability()?),
        "snr" => ErrorModel::Snr(fields.take("snr").decibels()?),
        _ => ErrorModel::GilbertElliott(Periods {
            good: fields.take("good").probability()?,
            bad: fields.take("bad").probability()?,
            mean_good: fields.take("mean_good").duration()?,
            mean_bad: fields.take("mean_bad").duration()?,
        }),
    })
}

/// The standard that an entry names.
pub(super) fn standard(entry: &Entry) -> Option<Standard> {
    entry.word().map(|word| word.parse().expect("the allowed words are the standards"))
}

/// The cell that a station is in, by index.
pub(super) fn reference(
    entry: &Entry,
    context: &Context,
    mistakes: &mut Mistakes,
) -> Option<usize> {
    let names = || context.cells.iter().map(|cell| cell.name.as_str());
    let all = || listed(names());
    if entry.bad || !context.cells_complete {
        return None;
    }
    let Some(name) = entry.text() else {
        if names().count() > 1 {
            let error = entry.mistake("missing, and there are several cells", all());
            mistakes.add(entry.at, error);
        }
        return (names().count() == 1).then_some(0);
    };
    let index = names().position(|cell| cell == name);
    if index.is_none() {
        let hint = did_you_mean(nearest(name, names()));
        mistakes.add(entry.at, entry.mistake(format!("no such cell{hint}"), all()));
    }
    index
}

/// The cell, now that its stations are known.
pub(super) fn finish(draft: Draft, stations: &CellMembers, mistakes: &mut Mistakes) -> Option<Bss> {
    let Draft { mut fields, standard, llc_snap, radio } = draft;
    let basic_rates = basic_rates(&mut fields, standard, stations, mistakes);
    let preamble = fields.take("preamble").word().map(|word| match word {
        "short" => Preamble::Short,
        _ => Preamble::Long,
    });
    let after_collision = fields.take("after_collision").word().map(|word| match word {
        "difs" => AfterCollision::Difs,
        "eifs" => AfterCollision::Eifs,
        _ => AfterCollision::Standard,
    });
    let eifs = fields.take("eifs").word().map(|word| match word {
        "ns-2" => Eifs::Nav,
        _ => Eifs::Standard,
    });
    let protection = protection(&fields.take("protection"), standard, mistakes);
    let rts = fields.take("rts_threshold");
    let attempts = attempts(&mut fields, mistakes);
    let timing = (standard, stations.b_stations(), preamble);
    let windows = windows(&mut fields, timing, mistakes);
    let post_backoff = fields.take("post_backoff").flag();
    let beacon = fields.take("beacon");
    let ap = fields.take("ap").table().map(|ap| access_point(ap, mistakes));
    let grants = ap.as_ref().and_then(|(ap, _)| ap.as_ref()?.occupancy);
    let air = || Some((standard?, basic_rates.as_deref()?, preamble?));
    let beacons = beacons::beacons(beacon, grants, air(), mistakes);
    if let (Some((_, own)), Some(cell)) = (&ap, cell_windows(timing, windows)) {
        own.check(cell, mistakes);
        stations.check_access(cell, mistakes);
    }
    let rules = Rules {
        standard: standard?,
        preamble: preamble?,
        basic_rates: basic_rates?,
        rts_threshold: rts.given.is_some().then_some(rts.bytes())?,
        protection: protection?,
        attempts: attempts?,
        after_collision: after_collision?,
        eifs: eifs?,
        post_backoff: post_backoff?,
        cw_min: windows?.0,
        cw_max: windows?.1,
    };
    let name = fields.name.to_owned();
    Some(Bss {
        name,
        rules,
        llc_snap: llc_snap?,
        radio: radio.ok()?,
        beacons: beacons.ok()?,
        ap: ap?.0?,
    })
}

fn access_point(mut fields: Fields, mistakes: &mut Mistakes) -> (Option<AccessPoint>, OwnAccess) {
    let queue = queue(&fields.take("queue"), true, mistakes);
    let own = access::own(&mut fields, true, mistakes);
    let window_sharing = fields.take("window_sharing").flag();
    let occupancy = beacons::grants(fields.take("occupancy"), mistakes);
    let ap = || {
        let (queue, window_sharing, occupancy) = (queue?, window_sharing?, occupancy.ok()?);
        Some(AccessPoint { queue, access: own.parameters?, window_sharing, occupancy })
    };
    (ap(), own)
}

/// Smallest and largest window of the cell, unless a mistake hides them.
fn cell_windows(
    (standard, b_stations, preamble): (Option<Standard>, Option<bool>, Option<Preamble>),
    own: Option<Windows>,
) -> Option<access::Windows> {
    let windows = access::windows_of((standard?, b_stations?, preamble?), own?);
    Some(windows).filter(|(smallest, largest)| smallest <= largest)
}

fn basic_rates(
    fields: &mut Fields,
    standard: Option<Standard>,
    stations: &CellMembers,
    mistakes: &mut Mistakes,
) -> Option<Vec<DataRate>> {
    let (one, many) = (fields.take("basic_rate"), fields.take("basic_rates"));
    if one.is_set() && many.is_set() {
        let error = many.mistake("given beside basic_rate", "one of the two");
        mistakes.add(many.at, error);
    }
    if one.bad || many.bad {
        return None;
    }
    if !one.is_set() && !many.is_set() {
        return Some(standard?.default_basic_rates(stations.b_stations()?));
    }
    let whole = (many.at, many.mistake("an empty set", "one rate at least"));
    let (single, list) = (one.is_set(), many.is_set());
    let mut given: Vec<Entry> = Vec::new();
    given.extend(single.then_some(one));
    given.extend(list.then(|| items(many)).into_iter().flatten());
    if given.is_empty() {
        mistakes.add(whole.0, whole.1);
    }
    let (mut rates, mut of_standard) = (Vec::new(), Vec::new());
    for entry in &given {
        let Some(rate) = entry.rate() else { continue };
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
            let problem = format!("station {station} is 802.11b and lacks it");
            let allowed = list_rates(Standard::B.rates());
            mistakes.add(entry.at, entry.mistake(problem, allowed));
        }
        of_standard.push(rate);
    }
    of_standard.sort_unstable();
    Some(of_standard).filter(|rates| !rates.is_empty() && rates.len() == given.len())
}

/// A rate that `standard` lacks.
pub(super) fn not_a_rate(entry: &Entry, standard: Standard) -> ScenarioError {
    entry.mistake(format!("not an {standard} rate"), list_rates(standard.rates()))
}

/// Rates as a message lists them: `1, 2, 5.5, 11 Mb/s`.
fn list_rates(rates: &[DataRate]) -> String {
    let texts: Vec<String> = rates.iter().map(ToString::to_string).collect();
    let bare: Vec<&str> = texts.iter().map(|text| text.trim_end_matches(" Mb/s")).collect();
    format!("{} Mb/s", bare.join(", "))
}

fn protection(entry: &Entry, standard: Option<Standard>, mistakes: &mut Mistakes) -> Option<bool> {
    if let Some(standard) = standard.filter(|standard| *standard != Standard::G)
        && entry.is_set()
        && !entry.bad
    {
        let problem = format!("{standard} has no protection");
        mistakes.add(entry.at, entry.mistake(problem, "in an 802.11g cell only"));
    }
    entry.flag()
}

fn attempts(fields: &mut Fields, mistakes: &mut Mistakes) -> Option<Attempts> {
    let (max, limits) = (fields.take("max_attempts"), fields.take("retry_limits"));
    if max.is_set() && limits.is_set() {
        let error = limits.mistake("given beside max_attempts", "one of the two");
        mistakes.add(limits.at, error);
        return None;
    }
    if max.bad {
        return None;
    }
    if max.word().is_some() {
        return Some(Attempts::Unlimited);
    }
    if max.is_set() {
        return max.integer().map(Attempts::Max);
    }
    let mut limits = limits.table()?;
    let (short, long) = (limits.take("short").integer(), limits.take("long").integer());
    Some(Attempts::Limits { short: short?, long: long? })
}

/// Smallest and largest contention window, where they are not the standard's.
type Windows = (Option<u16>, Option<u16>);

fn windows(
    fields: &mut Fields,
    (standard, b_stations, preamble): (Option<Standard>, Option<bool>, Option<Preamble>),
    mistakes: &mut Mistakes,
) -> Option<Windows> {
    let (min, max) = (fields.take("cw_min"), fields.take("cw_max"));
    let given = |entry: &Entry| match entry.word() {
        Some(_) => Some(None),
        None => entry.integer().map(Some),
    };
    let windows = (given(&min)?, given(&max)?);
    // What the standard says is needed only where one of the two is left to it.
    let standards = || Some(standard?.timing(b_stations?, preamble?));
    let smallest = windows.0.or_else(|| standards().map(|timing| timing.cw_min));
    let largest = windows.1.or_else(|| standards().map(|timing| timing.cw_max));
    if let (Some(smallest), Some(largest)) = (smallest, largest)
        && smallest > largest
    {
        let (entry, problem, allowed) = if max.is_set() {
            (max, format!("smaller than cw_min, {smallest}"), format!("at least {smallest}"))
        } else {
            (min, format!("larger than cw_max, {largest}"), format!("at most {largest}"))
        };
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
    Some(windows)
}
