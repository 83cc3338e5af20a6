//! Checks of scalar values against the kind of their key.

use std::str::FromStr;

use airfair_units::{DataRate, Duration, ParseQuantityError, Probability};

use super::document::{Node, Value};
use super::error::{is_unprintable, nearest};
use super::kind::{Kind, MAX_RATE, MAX_TITLE, MAX_WINDOW, Plain, Scalar};
use super::overrides::did_you_mean;

impl Kind {
    /// True if values of this kind are numbers with a unit.
    pub(super) fn is_quantity(&self) -> bool {
        matches!(
            self,
            Self::Duration { .. }
                | Self::Durations(_)
                | Self::Bytes { .. }
                | Self::Rate
                | Self::LinkRate
                | Self::Decibels { .. }
                | Self::Power { .. }
                | Self::Length { .. }
                | Self::Speed { .. }
                | Self::Frequency { .. }
        )
    }
}

/// Message for a value whose type is not that of its key.
pub(super) fn wrong_type(kind: &Kind, node: &Node) -> String {
    let quantity = match kind {
        Kind::Either(kinds) => kinds.iter().any(Kind::is_quantity),
        kind => kind.is_quantity(),
    };
    match (kind, &node.value) {
        (_, Value::Integer(_) | Value::Float(_)) if quantity => {
            "a number without a unit".to_owned()
        }
        (Kind::Tuple(tuple), Value::Array(_)) => {
            let noun = tuple.one.split(" [").next();
            format!("not {}", noun.expect("split gives one piece at least"))
        }
        (Kind::Either(_) | Kind::Word(_), Value::Text(text)) => {
            format!("no such value{}", did_you_mean(nearest(text, kind.words())))
        }
        _ => format!("wrong type: {}", node.type_name()),
    }
}

/// Problem and allowed values, for a value that does not fit its key; `None` means the general wording.
pub(super) type Misfit = (Option<String>, Option<String>);

/// Reads a scalar value of this kind.
pub(super) fn plain<'n>(kind: &Kind, value: &'n Value) -> Result<Plain<'n>, Misfit> {
    const OTHER: Misfit = (None, None);
    let range = out_of_range;
    match (kind, value) {
        (Kind::Text, Value::Text(text)) => {
            let problem = if text.chars().any(is_unprintable) {
                "not one line of plain text"
            } else if text.chars().count() > MAX_TITLE {
                "too long"
            } else {
                return Ok(Plain::Text(text));
            };
            Err((Some(problem.to_owned()), None))
        }
        (Kind::Name | Kind::Member, Value::Text(text)) => Ok(Plain::Text(text)),
        (Kind::Flag, Value::Flag(flag)) => Ok(Plain::Flag(*flag)),
        (Kind::Integer { min, max }, Value::Integer(number)) => {
            let number = number.and_then(|n| u64::try_from(n).ok());
            let number = number.filter(|n| (min..=max).contains(&n));
            number.map(Plain::Integer).ok_or_else(range)
        }
        (Kind::Window, Value::Integer(number)) => {
            let number = number.and_then(|n| u64::try_from(n).ok());
            let window = |n: &u64| (*n + 1).is_power_of_two() && *n > 0;
            let number = number.filter(|n| *n <= u64::from(MAX_WINDOW)).filter(window);
            let problem = || (Some("not a contention window".to_owned()), None);
            number.map(Plain::Integer).ok_or_else(problem)
        }
        (Kind::Decimal { min, max }, Value::Integer(_) | Value::Float(_)) => {
            let number = thousandths(value).filter(|n| (min..=max).contains(&n));
            number.map(Plain::Decimal).ok_or_else(range)
        }
        (Kind::Probability, Value::Integer(number)) => {
            let number = number.and_then(|n| u8::try_from(n).ok()).map(f64::from);
            number.and_then(Probability::new).map(Plain::Probability).ok_or_else(range)
        }
        (Kind::Probability, Value::Float(text)) => {
            let number = text.replace('_', "").parse().ok();
            number.and_then(Probability::new).map(Plain::Probability).ok_or_else(range)
        }
        (Kind::Duration { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Durations(all), Value::Text(text)) => {
            let value = text.parse::<Duration>().map_err(misfit)?;
            let is_one = all.contains(&value);
            is_one.then(|| value.plain()).ok_or_else(|| (Some("no such value".to_owned()), None))
        }
        (Kind::Bytes { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Decibels { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Power { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Length { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Speed { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Frequency { min, max }, Value::Text(text)) => within(text, *min, *max),
        (Kind::Rate, Value::Text(text)) => within(text, DataRate::from_bps(1), MAX_RATE),
        (Kind::LinkRate, Value::Text(text)) => match text.parse() {
            Ok(name) => Ok(Plain::RateName(name)),
            Err(_) => within(text, DataRate::from_bps(1), MAX_RATE),
        },
        (Kind::Word(words), Value::Text(text)) => {
            words.iter().find(|word| *word == text).map(|word| Plain::Word(word)).ok_or(OTHER)
        }
        _ => Err(OTHER),
    }
}

fn out_of_range() -> Misfit {
    (Some("out of range".to_owned()), None)
}

/// Reads a number with a unit, within a range.
fn within<V>(text: &str, min: V, max: V) -> Result<Plain<'static>, Misfit>
where
    V: Scalar + PartialOrd + FromStr<Err = ParseQuantityError>,
{
    let value = text.parse::<V>().map_err(misfit)?;
    (min..=max).contains(&value).then(|| value.plain()).ok_or_else(out_of_range)
}

/// Converts a number with at most three decimal places to thousandths.
fn thousandths(value: &Value) -> Option<u64> {
    match value {
        Value::Integer(number) => u64::try_from((*number)?).ok()?.checked_mul(1_000),
        Value::Float(text) => {
            let (whole, places) = text.split_once('.')?;
            let places = format!("{places:0<3}");
            let whole: u64 = whole.replace('_', "").parse().ok()?;
            let places: u64 = places.parse().ok().filter(|_| places.len() == 3)?;
            whole.checked_mul(1_000)?.checked_add(places)
        }
        _ => None,
    }
}

/// Problem and allowed values for a quantity that cannot be read.
pub(super) fn misfit(error: ParseQuantityError) -> Misfit {
    match error {
        ParseQuantityError::Unit { allowed, example } => (
            Some("unknown or missing unit".to_owned()),
            Some(format!("{allowed}, for example \"{example}\"")),
        ),
        ParseQuantityError::NotANumber { .. } => {
            (Some("not a number with a unit".to_owned()), None)
        }
        other => (Some(other.to_string()), None),
    }
}
