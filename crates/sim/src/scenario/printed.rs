//! Rates as vendors print them, and the width, guard interval and streams that a rate needs where the file says none.
//!
//! A vendor prints the highest rate of so many streams: `866 Mb/s`, `1.2 Gb/s`. That is taken where one mode alone can be
//! meant; else the message names the keys with which it would be.

use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::rate_name::{LinkFormat, PrintedRate, RateName};
use airfair_wlan::phy::{Band, GuardInterval, Mode, Standard, Width};
use airfair_wlan::{Channel, LinkCapabilities};

use super::document::Value;
use super::error::ScenarioError;
use super::kind::Words;
use super::reader::{Entry, Fields};

/// Properties of a link that the file leaves open: neither the cell nor the station says them.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Open {
    width: bool,
    guard: bool,
    streams: bool,
}

impl Open {
    /// Properties that a cell leaves open. One with a radio leaves none: its ranges are those of rates that it has.
    pub(super) fn of_cell(fields: &Fields) -> Self {
        if fields.get("radio").is_set() {
            return Self::default();
        }
        let [width, guard, streams] = open(fields);
        Self { width, guard, streams }
    }

    /// Properties that the station leaves open as well as the cell.
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

/// The link of a station, with what the rates under `rate` need of that which the file leaves open.
pub(super) fn link_for(
    station: &Fields,
    cell: Open,
    band: Band,
    link: Option<LinkCapabilities>,
) -> Option<LinkCapabilities> {
    let (mut link, open) = (link?, cell.and(station));
    for rate in printed_rates(station.get("rate")) {
        if link.format.printed_as(rate).is_err()
            && let Ok(format) = meant(rate, link.format, &Choices::of(link.format, open, band))
        {
            link.format = format;
        }
    }
    Some(link)
}

/// The channel of a cell, with what the links in it need beyond that.
pub(super) fn channel_for(
    channel: Channel,
    standard: Standard,
    links: impl Iterator<Item = LinkFormat>,
) -> Channel {
    links.fold(channel, |channel, link| Channel {
        width: channel.width.max(link.width),
        streams: channel.streams.max(link.streams),
        // That of an older format is its own.
        guard: if Some(link.format) == standard.format() {
            channel.guard.min(link.guard)
        } else {
            channel.guard
        },
        ..channel
    })
}

/// Plain rates that stand under a key, in its schedule or for either way.
fn printed_rates(entry: &Entry) -> Vec<PrintedRate> {
    if let Some(fields) = entry.fields() {
        let ways = ["up", "down"].into_iter().filter(|way| fields.has(way));
        return ways.flat_map(|way| printed_rates(fields.get(way))).collect();
    }
    let of_step = |step: &Entry| printed(step.places()?.get(1)?);
    printed(entry).into_iter().chain(entry.items().iter().filter_map(of_step)).collect()
}

/// The rate under a key as it is printed there.
pub(super) fn printed(entry: &Entry) -> Option<PrintedRate> {
    let Value::Text(text) = &entry.node?.value else { return None };
    text.parse().ok()
}

/// Formats that a link may have.
struct Choices {
    widths: Vec<Width>,
    guards: Vec<GuardInterval>,
    streams: Vec<u8>,
}

impl Choices {
    /// Formats of a link whose given properties stay as they are.
    fn of(link: LinkFormat, open: Open, band: Band) -> Self {
        let all = Self::all(link.format, band);
        Self {
            widths: if open.width { all.widths } else { vec![link.width] },
            guards: if open.guard { all.guards } else { vec![link.guard] },
            streams: if open.streams { all.streams } else { (1..=link.streams).collect() },
        }
    }

    /// All that there are.
    fn all(format: Format, band: Band) -> Self {
        Self {
            widths: format.widths(band).to_vec(),
            guards: format.guard_intervals().to_vec(),
            streams: (1..=format.max_streams()).collect(),
        }
    }

    /// Links of this width with a mode of this rate and no more streams than it has.
    fn links(&self, link: LinkFormat, width: Width, rate: PrintedRate) -> Vec<(LinkFormat, Mode)> {
        let (guards, streams) = (&self.guards, &self.streams);
        let formats = streams.iter().flat_map(|streams| {
            guards.iter().map(move |guard| LinkFormat {
                width,
                guard: *guard,
                streams: *streams,
                ..link
            })
        });
        let with_mode = |format: LinkFormat| {
            let has = |mode: &Mode| mode.streams() == format.streams && rate.is_of(*mode);
            format.modes().filter(has).map(move |mode| (format, mode)).collect::<Vec<_>>()
        };
        formats.flat_map(with_mode).collect()
    }
}

/// The only one of them, or the only one that a vendor would print.
fn sole(found: &[(LinkFormat, Mode)]) -> Option<LinkFormat> {
    if let [(format, _)] = found {
        return Some(*format);
    }
    let mut highest = found.iter().filter(|(format, mode)| format.is_highest(*mode));
    highest.next().filter(|_| highest.next().is_none()).map(|(format, _)| *format)
}

/// Streams of a client, as they are sold: with more of them another width may be meant.
const USUAL_STREAMS: u8 = 2;

/// The link that a rate means: that of the usual width, if so few streams are enough, else the only one of all widths.
fn meant(
    rate: PrintedRate,
    link: LinkFormat,
    choices: &Choices,
) -> Result<LinkFormat, Vec<(LinkFormat, Mode)>> {
    let usual = choices.links(link, link.width, rate);
    if let Some(format) = sole(&usual)
        && format.streams <= USUAL_STREAMS
    {
        return Ok(format);
    }
    let others = choices.widths.iter().filter(|width| **width != link.width);
    let others = others.flat_map(|width| choices.links(link, *width, rate));
    let all: Vec<_> = usual.iter().copied().chain(others).collect();
    sole(&all).ok_or(all)
}

/// Most links that an error message names, and most streams that common products have.
const MOST_NAMED: usize = 3;
const FEW_STREAMS: u8 = 4;

/// Keeps what is of a kind, if there is any.
fn keep_if_any<T>(found: &mut Vec<T>, is_it: impl Fn(&T) -> bool) {
    if found.iter().any(&is_it) {
        found.retain(is_it);
    }
}

/// A mistake in a rate that the link lacks: with the keys that would allow it, if there are any.
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
