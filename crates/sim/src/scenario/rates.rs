//! Rates of a station: one, a schedule, or what a law finds; up and down.

use airfair_laws::arf;
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::phy::Standard;

use super::error::Mistakes;
use super::keys::LAWS;
use super::parse::point;
use super::reader::Entry;
use super::{RateControl, Station, cell};

/// Rate over time.
type Schedule = Vec<(Time, DataRate)>;
/// Rate over time, or where a law starts that finds it.
pub(super) type Rate = (Schedule, Option<RateControl>);

/// The rates of a station's own frames and of those to it.
pub(super) fn rates(
    entry: &Entry,
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<[Rate; 2]> {
    let Some(pair) = entry.fields().filter(|fields| !fields.has("control")) else {
        let both = one_way(entry, standard, duration, mistakes)?;
        return Some([both.clone(), both]);
    };
    let up = one_way(pair.get("up"), standard, duration, mistakes);
    let down = one_way(pair.get("down"), standard, duration, mistakes);
    Some([up?, down?])
}

fn one_way(
    entry: &Entry,
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Rate> {
    if entry.fields().is_none() {
        return Some((schedule(entry, standard, duration, mistakes)?, None));
    }
    let law = law(entry, mistakes)?;
    let rates = standard?.rates();
    let start = match law {
        RateControl::Arf(params) if params.starts_high => rates.last(),
        _ => rates.first(),
    };
    Some((vec![(Time::ZERO, *start.expect("each standard has rates"))], Some(law)))
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
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Schedule> {
    if !entry.is_set() && !entry.bad {
        let highest = standard?.rates().last().expect("each standard has rates");
        return Some(vec![(Time::ZERO, *highest)]);
    }
    if entry.value::<DataRate>().is_some() {
        return Some(vec![(Time::ZERO, rate(entry, standard, mistakes)?)]);
    }
    let steps = entry.items();
    if steps.is_empty() && !entry.bad {
        let allowed = "one step at least, at \"0 s\"";
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
                wrong("a schedule starts with the run", "\"0 s\" in the first step".to_owned());
            } else if let Some(last) = last.filter(|last| now <= *last) {
                wrong("not later than the step before", format!("after {last}"));
            } else if let Some(end) = duration.filter(|end| now >= *end) {
                wrong("after the end of the run", format!("before {end}"));
            }
            last = Some(now);
        }
        let rate = rate(&pair[1], standard, mistakes);
        schedule.extend(time.zip(rate).map(|(time, rate)| (point(time), rate)));
    }
    Some(schedule).filter(|schedule| schedule.len() == steps.len() && !schedule.is_empty())
}

fn rate(entry: &Entry, standard: Option<Standard>, mistakes: &mut Mistakes) -> Option<DataRate> {
    let (rate, standard) = (entry.value::<DataRate>()?, standard?);
    if !standard.rates().contains(&rate) {
        mistakes.add(entry.at, cell::not_a_rate(entry, standard));
        return None;
    }
    Some(rate)
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

fn written_schedule(steps: &[(Time, DataRate)]) -> String {
    if let [(Time::ZERO, rate)] = steps {
        return format!("\"{rate}\"");
    }
    let pairs: Vec<String> =
        steps.iter().map(|(time, rate)| format!("[\"{time}\", \"{rate}\"]")).collect();
    format!("[{}]", pairs.join(", "))
}
