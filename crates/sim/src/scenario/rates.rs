//! Rates of a station: one, a schedule, or what a law finds; up and down.

use airfair_laws::{arf, minstrel};
use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::phy::Standard;

use super::error::Mistakes;
use super::kind::Plain;
use super::parse::{items, point};
use super::reader::{Entry, Fields, Given};
use super::{RateControl, cell};

/// Rate over time.
type Schedule = Vec<(Time, DataRate)>;
/// Rate over time, or where a law starts that finds it.
pub(super) type Rate = (Schedule, Option<RateControl>);

/// The rates of a station's own frames and of those to it.
pub(super) fn rates(
    entry: Entry,
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<[Rate; 2]> {
    let is_pair = match &entry.given {
        Some(Given::Table(fields)) => !fields.has("control"),
        _ => false,
    };
    if !is_pair {
        let both = one_way(entry, standard, duration, mistakes)?;
        return Some([both.clone(), both]);
    }
    let mut pair = entry.table()?;
    let up = one_way(pair.take("up"), standard, duration, mistakes);
    let down = one_way(pair.take("down"), standard, duration, mistakes);
    Some([up?, down?])
}

fn one_way(
    entry: Entry,
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Rate> {
    if !matches!(entry.given, Some(Given::Table(_))) {
        return Some((schedule(entry, standard, duration, mistakes)?, None));
    }
    let law = law(entry.table()?, mistakes)?;
    let rates = standard?.rates();
    let start = match law {
        RateControl::Arf(params) if params.starts_high => rates.last(),
        _ => rates.first(),
    };
    Some((vec![(Time::ZERO, *start.expect("each standard has rates"))], Some(law)))
}

fn law(mut fields: Fields, mistakes: &mut Mistakes) -> Option<RateControl> {
    match fields.take("control").word()? {
        "minstrel" => Some(RateControl::Minstrel(minstrel::Params {
            interval: fields.take("interval").duration()?,
            ewma: fields.take("ewma").integer()?,
            lookaround: fields.take("lookaround").integer()?,
            segment: fields.take("segment").duration()?,
        })),
        "oracle" => Some(RateControl::Oracle),
        name => arf(fields, name == "aarf", mistakes).map(RateControl::Arf),
    }
}

fn arf(mut fields: Fields, is_adaptive: bool, mistakes: &mut Mistakes) -> Option<arf::Params> {
    let up = fields.take("up");
    let most = is_adaptive.then(|| fields.take("most_up"));
    if let (Some(least), Some(most)) = (up.integer::<u32>(), &most)
        && most.integer::<u32>().is_some_and(|most| most < least)
    {
        mistakes.add(most.at, most.mistake("less than up", format!("at least {least}")));
    }
    let preset = if is_adaptive { arf::Params::qualnet4() } else { preset(&mut fields)? };
    let mut params = arf::Params {
        up: up.integer()?,
        down: fields.take("down").integer()?,
        most_up: match most {
            Some(most) => Some(most.integer()?),
            None => None,
        },
        ..preset
    };
    if !is_adaptive && fields.says("counting") {
        params.counting = match fields.take("counting").word()? {
            "in-all" => arf::Counting::InAll,
            _ => arf::Counting::InARow,
        };
    }
    if fields.says("timer") {
        params.timer = arf_timer(&fields.take("timer"))?;
    }
    if fields.says("rts_failures") {
        params.rts_failures = fields.take("rts_failures").flag()?;
    }
    if fields.says("initial") {
        params.starts_high = fields.take("initial").word()? == "highest";
    }
    Some(params)
}

/// Whose ARF gives what the scenario does not.
fn preset(fields: &mut Fields) -> Option<arf::Params> {
    Some(match fields.take("preset").word()? {
        "kamerman97" => arf::Params::kamerman97(),
        "ns3" => arf::Params::ns3(),
        "qualnet5" => arf::Params::qualnet5(),
        _ => arf::Params::qualnet4(),
    })
}

fn arf_timer(timer: &Entry) -> Option<arf::Timer> {
    Some(match timer.plain()? {
        Plain::Duration(time) => arf::Timer::Time(time),
        Plain::Integer(_) => arf::Timer::Attempts(timer.integer()?),
        _ => arf::Timer::Off,
    })
}

fn schedule(
    entry: Entry,
    standard: Option<Standard>,
    duration: Option<Duration>,
    mistakes: &mut Mistakes,
) -> Option<Schedule> {
    if !entry.is_set() && !entry.bad {
        let highest = standard?.rates().last().expect("each standard has rates");
        return Some(vec![(Time::ZERO, *highest)]);
    }
    if entry.rate().is_some() {
        return Some(vec![(Time::ZERO, rate(&entry, standard, mistakes)?)]);
    }
    let empty = entry.mistake("an empty schedule", "one step at least, at \"0 s\"");
    let (at, spoilt) = (entry.at, entry.bad);
    let steps = items(entry);
    if steps.is_empty() && !spoilt {
        mistakes.add(at, empty);
    }
    let mut schedule = Vec::new();
    let mut last: Option<Duration> = None;
    for (i, step) in steps.iter().enumerate() {
        let Some(Given::Tuple(pair)) = &step.given else { continue };
        let time = pair[0].duration();
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
    let (rate, standard) = (entry.rate()?, standard?);
    if !standard.rates().contains(&rate) {
        mistakes.add(entry.at, cell::not_a_rate(entry, standard));
        return None;
    }
    Some(rate)
}
