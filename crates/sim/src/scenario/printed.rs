//! Rates as vendors print them, such as `866 Mb/s` or `1.2 Gb/s`: each is the highest rate of a number of streams.
//!
//! If the file leaves width, guard interval or streams open, a printed rate decides them, as long as it can mean only
//! one mode. Otherwise the message names the keys that would make it unique.

use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::rate_name::{LinkFormat, PrintedRate, RateName};
use airfair_wlan::phy::{Band, GuardInterval, Mode, Standard, Width};
use airfair_wlan::{Channel, LinkCapabilities};

use super::document::Value;
use super::error::ScenarioError;
use super::kind::Words;
use super::reader::{Entry, Fields};

/// Width, guard interval and streams of a link: true for each that neither the cell nor the station sets. These follow
/// from the rate in the file, such as `866 Mb/s`, as only a few modes have this rate.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    width: bool,
    guard: bool,
    streams: bool,
}

impl Open {
    /// Width, guard interval and streams that a cell does not set. For a cell with a radio, all count as set, because
    /// the ranges of the radio refer to given rates.
    pub(super) fn of_cell(fields: &Fields) -> Self {
        if fields.get("radio").is_set() {
            return Self::default();
        }
        let [width, guard, streams] = open(fields);
        // Punctured subchannels are places in a channel of known width.
        Self { width: width && !fields.get("punctured").is_set(), guard, streams }
    }

    /// Width, guard interval and streams that neither the cell (`self`) nor the station sets.
    fn and(self, station: &Fields) -> Self {
        let [width, guard, streams] = open(station);
        Self {
            width: self.width && width,
            guard: self.guard && guard,
            streams: self.streams && streams,
        }
    }
}

fn open(fields: &Fields) -> [bool; 3] {
    ["width", "guard_interval", "streams"].map(|key| {
        let entry = fields.get(key);
        !entry.is_set() && !entry.bad
    })
}

/// Capabilities of a station's link. Properties that the file leaves open follow from the rates under the station's
/// key `rate`.
pub(super) fn link_for(
    station: &Fields,
    cell: Open,
    band: Band,
    link: Option<LinkCapabilities>,
) -> Option<LinkCapabilities> {
    let (mut link, open) = (link?, cell.and(station));
    for rate in printed_rates(station.get("rate")) {
        if link.format.printed_as(rate).is_err()
            && let Ok(format) =
                intended_format(rate, link.format, &Choices::of(link.format, open, band))
        {
            link.format = format;
        }
    }
    Some(link)
}

/// Channel of a cell, widened to what the links in it need.
pub(super) fn channel_for(
    channel: Channel,
    standard: Standard,
    links: impl Iterator<Item = LinkFormat>,
) -> Channel {
    links.fold(channel, |channel, link| Channel {
        width: channel.width.max(link.width),
        streams: channel.streams.max(link.streams),
        // A link of an older format has its own guard interval.
        guard: if Some(link.format) == standard.format() {
            channel.guard.min(link.guard)
        } else {
            channel.guard
        },
        ..channel
    })
}

/// Rates under a key of the file in the way in which vendors print them, such as `866 Mb/s`: one rate, the rates of a
/// schedule over time, or those of both directions.
fn printed_rates(entry: &Entry) -> Vec<PrintedRate> {
    if let Some(fields) = entry.fields() {
        let ways = ["up", "down"].into_iter().filter(|way| fields.has(way));
        return ways.flat_map(|way| printed_rates(fields.get(way))).collect();
    }
    let of_step = |step: &Entry| printed(step.places()?.get(1)?);
    printed(entry).into_iter().chain(entry.items().iter().filter_map(of_step)).collect()
}

/// Rate under a key of the file in the way in which vendors print it, such as `866 Mb/s`; `None` if the value is not a
/// rate.
pub(super) fn printed(entry: &Entry) -> Option<PrintedRate> {
    let Value::Text(text) = &entry.node?.value else { return None };
    text.parse().ok()
}

/// Widths, guard intervals and streams that a link may have.
struct Choices {
    widths: Vec<Width>,
    guards: Vec<GuardInterval>,
    streams: Vec<u8>,
}

impl Choices {
    /// Widths, guard intervals and streams that a link may get. Those that are not `open`, because the file sets them,
    /// stay as they are; `open` ones may be any that the format has.
    fn of(link: LinkFormat, open: Open, band: Band) -> Self {
        let all = Self::all(link.format, band);
        Self {
            widths: if open.width { all.widths } else { vec![link.width] },
            guards: if open.guard { all.guards } else { vec![link.guard] },
            streams: if open.streams { all.streams } else { (1..=link.streams).collect() },
        }
    }

    /// All widths, guard intervals and streams of a format.
    fn all(format: Format, band: Band) -> Self {
        Self {
            widths: format.widths(band).to_vec(),
            guards: format.guard_intervals().to_vec(),
            streams: (1..=format.max_streams()).collect(),
        }
    }

    /// Formats of this width with a mode of this rate, each with the smallest number of streams that the mode needs.
    fn links(&self, link: LinkFormat, width: Width, rate: PrintedRate) -> Vec<(LinkFormat, Mode)> {
        let (guards, streams) = (&self.guards, &self.streams);
        let formats = streams.iter().flat_map(|streams| {
            guards.iter().map(move |guard| LinkFormat {
                guard: *guard,
                streams: *streams,
                ..link.with_width(width)
            })
        });
        let with_mode = |format: LinkFormat| {
            let has = |mode: &Mode| mode.streams() == format.streams && rate.is_of(*mode);
            format.modes().filter(has).map(move |mode| (format, mode)).collect::<Vec<_>>()
        };
        formats.flat_map(with_mode).collect()
    }
}

/// The only format in `found`, or else the format of the only mode that vendors print: one with the highest rate for
/// its number of streams. `None` if the rate is ambiguous.
fn unambiguous(found: &[(LinkFormat, Mode)]) -> Option<LinkFormat> {
    if let [(format, _)] = found {
        return Some(*format);
    }
    let mut highest = found.iter().filter(|(format, mode)| format.is_highest(*mode));
    highest.next().filter(|_| highest.next().is_none()).map(|(format, _)| *format)
}

/// Number of streams of common clients. A rate that needs more streams may mean another width.
const USUAL_STREAMS: u8 = 2;

/// Format of a link that has the rate which a paper prints: the format of the usual channel width if it needs no more
/// streams than common clients have, and otherwise the only format with this rate at any width.
///
/// # Errors
/// All formats that the rate may mean.
fn intended_format(
    rate: PrintedRate,
    link: LinkFormat,
    choices: &Choices,
) -> Result<LinkFormat, Vec<(LinkFormat, Mode)>> {
    let usual = choices.links(link, link.width, rate);
    if let Some(format) = unambiguous(&usual)
        && format.streams <= USUAL_STREAMS
    {
        return Ok(format);
    }
    let others = choices.widths.iter().filter(|width| **width != link.width);
    let others = others.flat_map(|width| choices.links(link, *width, rate));
    let all: Vec<_> = usual.iter().copied().chain(others).collect();
    unambiguous(&all).ok_or(all)
}

/// Largest number of formats that a message names, and largest number of streams of common products.
const MOST_NAMED: usize = 3;
const FEW_STREAMS: u8 = 4;

/// Keeps only the items that satisfy `is_it`, if there are any; otherwise keeps all.
fn keep_if_any<T>(found: &mut Vec<T>, is_it: impl Fn(&T) -> bool) {
    if found.iter().any(&is_it) {
        found.retain(is_it);
    }
}

/// Mistake for a rate that the link does not have. The message names keys that would allow it, if there are any.
pub(super) fn mistake(entry: &Entry, link: LinkFormat, band: Band) -> Option<ScenarioError> {
    let rate = printed(entry)?;
    let choices = Choices::all(link.format, band);
    let links = |width: &Width| choices.links(link, *width, rate);
    let mut found: Vec<_> = choices.widths.iter().flat_map(links).collect();
    keep_if_any(&mut found, |(format, mode)| format.is_highest(*mode));
    keep_if_any(&mut found, |(format, _)| format.streams <= FEW_STREAMS);
    found.sort_by_key(|(format, _)| (format.width != link.width, format.streams, format.guard));
    found.truncate(MOST_NAMED);
    let with_keys = |(format, mode): &(LinkFormat, Mode)| {
        let mut keys = Vec::new();
        if format.width != link.width {
            keys.push(format!("width = \"{}\"", format.width.word()));
        }
        if format.guard != link.guard {
            keys.push(format!("guard_interval = \"{}\"", format.guard.word()));
        }
        if format.streams > link.streams {
            keys.push(format!("streams = {}", format.streams));
        }
        format!("{} with {}", RateName::of(*mode), keys.join(", "))
    };
    let names: Vec<String> = found.iter().map(with_keys).collect();
    let streams =
        if link.streams == 1 { "1 stream".to_owned() } else { format!("{} streams", link.streams) };
    let problem = format!("not a rate of a link with {}, {}, {streams}", link.width, link.guard);
    (!names.is_empty()).then(|| entry.mistake(problem, names.join("; ")))
}
