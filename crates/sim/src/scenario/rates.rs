//! Rates of a station, up and down: constant, by schedule, or by rate control.

use airfair_laws::{arf, minstrel_ht};
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::LinkCapabilities;
use airfair_wlan::phy::rate_name::{BadRate, RateName};
use airfair_wlan::phy::{Band, Rate, Standard, mode_groups};

use super::declare::Keys;
use super::error::Mistakes;
use super::keys::{self, LAWS, OF_MINSTREL, OF_MINSTREL_HT};
use super::legacy_rates::not_a_rate;
use super::reader::Entry;
use super::{RateControl, Station, highest, printed};

/// Rate of a link over time.
type Schedule = Vec<(Time, Rate)>;
/// Rate of one direction of a link over time, or the initial rate and its rate control.
pub(super) type OneWay = (Schedule, Option<RateControl>);
/// Properties of a station that decide which rates its link has.
#[derive(Clone, Copy)]
pub(super) struct Ends {
    pub(super) standard: Standard,
    pub(super) link: Option<LinkCapabilities>,
    pub(super) band: Band,
}

/// The lowest rate of a station with this standard and these capabilities of its link.
fn lowest(standard: Standard, link: Option<LinkCapabilities>) -> Rate {
    let legacy = || Rate::Legacy(standard.rates()[0]);
    link.map_or_else(legacy, |link| Rate::Mode(link.ladder()[0]))
}

/// Reads the rates of a station's own frames and of the frames to it.
pub(super) fn rates(
    entry: &Entry,
    ends: Option<Ends>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<[OneWay; 2]> {
    let Some(pair) = entry.fields().filter(|fields| !fields.has("control")) else {
        let both = one_way(entry, ends, duration, mistakes)?;
        return Some([both.clone(), both]);
    };
    let up = one_way(pair.get("up"), ends, duration, mistakes);
    let down = one_way(pair.get("down"), ends, duration, mistakes);
    Some([up?, down?])
}

fn one_way(
    entry: &Entry,
    ends: Option<Ends>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<OneWay> {
    if entry.fields().is_none() {
        return Some((schedule(entry, ends, duration, mistakes)?, None));
    }
    let (law, Ends { standard, link, .. }) = (law(entry, mistakes)?, ends?);
    let law = of_link(law, link, entry, mistakes)?;
    let start = match (law, link) {
        (RateControl::MinstrelHt(_), Some(link)) => {
            Rate::Mode(mode_groups::most_robust(link.format))
        }
        (RateControl::Arf(params), _) if params.starts_high => highest(standard, link),
        _ => lowest(standard, link),
    };
    Some((vec![(Time::ZERO, start)], Some(law)))
}

/// Rate control that the link can have: `"minstrel"` means Minstrel-HT on links of 802.11n and later.
fn of_link(
    law: RateControl,
    link: Option<LinkCapabilities>,
    entry: &Entry,
    mistakes: &mut Mistakes,
) -> Option<RateControl> {
    let (RateControl::Minstrel(_), Some(fields)) = (law, entry.fields()) else {
        return Some(law);
    };
    let (others, problem, allowed) = match link {
        Some(_) => (OF_MINSTREL, "a key for links of 802.11a, b and g", OF_MINSTREL_HT),
        None => (OF_MINSTREL_HT, "a key for links of 802.11n and later", OF_MINSTREL),
    };
    let mut is_wrong = false;
    let is_other = |entry: &&Entry| entry.is_set() && !entry.bad;
    for entry in others.map(|key| fields.get(key)).into_iter().filter(is_other) {
        let allowed = format!("interval, segment, {}", allowed.join(", "));
        mistakes.add(entry.at, entry.mistake(problem, allowed));
        is_wrong = true;
    }
    match link {
        _ if is_wrong => None,
        Some(_) => Keys::read(fields, minstrel_ht::Params::default(), keys::minstrel_ht)
            .map(RateControl::MinstrelHt),
        None => Some(law),
    }
}

fn law(entry: &Entry, mistakes: &mut Mistakes) -> Option<RateControl> {
    if let (Some(RateControl::Arf(arf::Params { most_up: Some(_), .. })), Some(fields)) =
        (LAWS.variant(entry), entry.fields())
    {
        let (up, most) = (fields.get("up"), fields.get("most_up"));
        if let (Some(least), Some(highest)) = (up.integer::<u32>(), most.integer::<u32>())
            && highest < least
        {
            mistakes.add(most.at, most.mistake("less than up", format!("at least {least}")));
        }
    }
    LAWS.read(entry)
}

fn schedule(
    entry: &Entry,
    ends: Option<Ends>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Schedule> {
    if !entry.is_set() && !entry.bad {
        let Ends { standard, link, .. } = ends?;
        return Some(vec![(Time::ZERO, highest(standard, link))]);
    }
    if entry.plain().is_some() {
        return Some(vec![(Time::ZERO, rate(entry, ends, mistakes)?)]);
    }
    let steps = entry.items();
    if steps.is_empty() && !entry.bad {
        let allowed = "at least one step, at \"0 s\"";
        mistakes.add(entry.at, entry.mistake("an empty schedule", allowed));
    }
    let mut schedule = Vec::new();
    let mut last: Option<Duration> = None;
    for (i, step) in steps.iter().enumerate() {
        let Some(pair) = step.places() else { continue };
        let time = pair[0].value::<Duration>();
        if let Some(now) = time {
            let mut wrong = |problem: &str, allowed: String| {
                mistakes.add(pair[0].at, pair[0].mistake(problem, allowed));
            };
            if i == 0 && !now.is_zero() {
                wrong(
                    "a schedule starts at the start of the run",
                    "\"0 s\" in the first step".to_owned(),
                );
            } else if let Some(last) = last.filter(|last| now <= *last) {
                wrong("not later than the step before", format!("after {last}"));
            } else if let Some(end) = duration.filter(|end| now >= *end) {
                wrong("after the end of the run", format!("before {end}"));
            }
            last = Some(now);
        }
        let rate = rate(&pair[1], ends, mistakes);
        schedule.extend(time.zip(rate).map(|(time, rate)| (Time::ZERO + time, rate)));
    }
    Some(schedule).filter(|schedule| schedule.len() == steps.len() && !schedule.is_empty())
}

/// Reads a rate, and reports a rate that the link does not have.
fn rate(entry: &Entry, ends: Option<Ends>, mistakes: &mut Mistakes) -> Option<Rate> {
    let (rate, name) = (entry.value::<DataRate>(), entry.value::<RateName>());
    let Ends { standard, link, band } = ends?;
    let found = match (link, rate, name) {
        (_, None, None) => return None,
        (None, rate, _) => {
            let known = rate.filter(|rate| standard.rates().contains(rate)).map(Rate::Legacy);
            known.ok_or_else(|| not_a_rate(entry, standard))
        }
        (Some(LinkCapabilities { format, .. }), rate, name) => {
            let at = |rate| match printed::printed(entry) {
                Some(printed) => format.printed_as(printed),
                None => format.at(rate),
            };
            let found = name.map(|name| format.named(name)).or(rate.map(at));
            let found = found.expect("one of the two").map(Rate::Mode);
            found.map_err(|error| {
                let with_keys = || printed::mistake(entry, format, band);
                let unknown = matches!(error, BadRate::Unknown(_)).then(with_keys).flatten();
                unknown.unwrap_or_else(|| entry.mistake(error.problem(), error.allowed()))
            })
        }
    };
    found.map_err(|mistake| mistakes.add(entry.at, mistake)).ok()
}

/// The rates of a station as TOML.
pub(super) fn written(station: &Station) -> String {
    let [law_up, law_down] = station.adaptation;
    let one_way = |law: Option<RateControl>, rates| {
        law.map_or_else(|| written_schedule(rates), |law| LAWS.write(&law))
    };
    let (up, down) = (one_way(law_up, &station.rate_up), one_way(law_down, &station.rate_down));
    if up == down { up } else { format!("{{ up = {up}, down = {down} }}") }
}

fn written_schedule(steps: &[(Time, Rate)]) -> String {
    if let [(Time::ZERO, rate)] = steps {
        return format!("\"{rate}\"");
    }
    let pairs: Vec<String> =
        steps.iter().map(|(time, rate)| format!("[\"{time}\", \"{rate}\"]")).collect();
    format!("[{}]", pairs.join(", "))
}
