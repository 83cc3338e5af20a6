//! Capabilities of cells and of links: valid combinations of band, width, guard interval, streams and aggregation.

use std::fmt::Display;

use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::aggregation::{BlockAckWindow, amsdu_limits};
use airfair_wlan::phy::mode::Format;
use airfair_wlan::phy::ppdu::MAX_PPDU_DURATION;
use airfair_wlan::phy::rate_name::LinkFormat;
use airfair_wlan::phy::{Band, GuardInterval, Punctured, Standard, Width};
use airfair_wlan::{Aggregation, Channel, LinkCapabilities};

use super::error::{Mistakes, Spoilt};
use super::keys::PLACES;
use super::kind::Words;
use super::reader::{Entry, Fields};

/// Keys of a cell that 802.11n and later standards have. A station has the same keys without `band`.
const KEYS: [&str; 6] = ["band", "width", "guard_interval", "streams", "aggregation", "amsdu"];

/// Standards that stations may have in a cell of `standard` in this band, from the newest: the cell's own, and older
/// ones of the band.
pub(super) fn standards(standard: Standard, band: Band) -> Vec<Standard> {
    let is_there =
        |it: &Standard| it.bands().contains(&band) && it.generation() <= standard.generation();
    Standard::ALL.into_iter().rev().filter(is_there).collect()
}

/// Reads the channel of a cell. Returns `None` if a mistake hides it.
pub(super) fn channel(
    fields: &Fields,
    standard: Option<Standard>,
    mistakes: &mut Mistakes,
) -> Option<Channel> {
    let standard = standard?;
    let Some(format) = standard.format() else {
        let is_right = refuse(fields, &KEYS, standard, mistakes).is_ok();
        let usual = Channel::of(standard).width;
        punctured(fields.get("punctured"), standard, Ok(usual), mistakes)
            .ok()
            .filter(|_| is_right)?;
        return Some(Channel::of(standard));
    };
    let name = standard.to_string();
    let band = Choice { usual: standard.band(), all: standard.bands(), whose: &name };
    let band = band.read(fields.get("band"), mistakes).ok()?;
    let usual = Channel::at(standard, band);
    let at = format!("{standard} at {band}");
    let width = Choice { usual: usual.width, all: format.widths(band), whose: &at };
    let guard = Choice { usual: usual.guard, all: format.guard_intervals(), whose: &name };
    let width = width.read(fields.get("width"), mistakes);
    let punctured = punctured(fields.get("punctured"), standard, width, mistakes);
    let guard = guard.read(fields.get("guard_interval"), mistakes);
    let most = (format.max_streams(), name.as_str());
    let streams = streams(fields.get("streams"), most, usual.streams, mistakes);
    let aggregation =
        aggregation(fields.get("aggregation"), format, usual.aggregation, mistakes).ok()?;
    let known = (amsdu_limits(format, band), at.as_str());
    let amsdu = amsdu(fields.get("amsdu"), known, usual.amsdu, mistakes);
    let (width, punctured, guard) = (width.ok()?, punctured.ok()?, guard.ok()?);
    let (streams, amsdu) = (streams?, amsdu.ok()?);
    Some(Channel { band, width, punctured, guard, streams, aggregation, amsdu })
}

/// Reads the capabilities of the link between a station and its access point. `air` holds the standard and the
/// channel of the cell, and the standard of the station.
pub(super) fn link(
    fields: &Fields,
    air: Option<((Standard, Channel), Standard)>,
    mistakes: &mut Mistakes,
) -> Result<Option<LinkCapabilities>, Spoilt> {
    let ((cell, channel), own) = air.ok_or(Spoilt)?;
    let Some(most) = channel.link(cell, own) else {
        return refuse(fields, &KEYS[1..], own, mistakes).map(|()| None);
    };
    let usual = most.format;
    let widths: Vec<Width> = usual.widths(channel.band).collect();
    // The cell's guard interval is one of its own format. A link of an older format has its own guard intervals.
    let is_same = cell.format() == Some(usual.format);
    let shortest = if is_same { channel.guard } else { GuardInterval::Ns400 };
    let guards: Vec<GuardInterval> =
        usual.format.guard_intervals().iter().copied().filter(|it| *it >= shortest).collect();
    let whose = format!("{own} in its cell");
    let width = Choice { usual: usual.width, all: &widths, whose: &whose };
    let guard = Choice { usual: usual.guard, all: &guards, whose: &whose };
    let width = width.read(fields.get("width"), mistakes);
    let guard = guard.read(fields.get("guard_interval"), mistakes);
    let most_streams = (usual.streams, whose.as_str());
    let streams = streams(fields.get("streams"), most_streams, usual.streams, mistakes);
    let aggregation = own_aggregation(fields.get("aggregation"), &most, mistakes)?;
    let known: Vec<Bytes> = amsdu_limits(usual.format, channel.band).to_vec();
    let known: Vec<Bytes> = known.into_iter().filter(|it| Some(*it) <= most.amsdu).collect();
    let amsdu = amsdu(fields.get("amsdu"), (&known, &whose), most.amsdu, mistakes)?;
    let (width, guard, streams) = (width?, guard?, streams.ok_or(Spoilt)?);
    let format = LinkFormat { guard, streams, ..usual.with_width(width) };
    Ok(Some(LinkCapabilities { format, aggregation, amsdu }))
}

/// Reports those of `keys` that the file sets although `standard` is a legacy standard, which does not have them.
fn refuse(
    fields: &Fields,
    keys: &[&str],
    standard: Standard,
    mistakes: &mut Mistakes,
) -> Result<(), Spoilt> {
    let mut is_right = true;
    for entry in keys.iter().map(|key| fields.get(key)) {
        let is_spoilt = entry.bad || entry.fields().is_some_and(Fields::is_spoilt);
        if entry.is_set() && !is_spoilt {
            let problem = format!("{standard} does not have this setting");
            mistakes.add(entry.at, entry.mistake(problem, "with 802.11n and later"));
        }
        is_right &= !entry.is_set() && !entry.bad;
    }
    if is_right { Ok(()) } else { Err(Spoilt) }
}

/// Reads the punctured subchannels of a cell, which must be one of the standard's patterns for the cell's width.
fn punctured(
    entry: &Entry,
    standard: Standard,
    width: Result<Width, Spoilt>,
    mistakes: &mut Mistakes,
) -> Result<Punctured, Spoilt> {
    if entry.items().is_empty() && !entry.bad {
        return Ok(Punctured::NONE);
    }
    if standard != Standard::Be {
        if !entry.bad {
            let problem = format!("{standard} has no punctured subchannels");
            mistakes.add(entry.at, entry.mistake(problem, "in an 802.11be cell"));
        }
        return Err(Spoilt);
    }
    let words = entry.items().iter().map(Entry::word).collect::<Option<Vec<_>>>().ok_or(Spoilt)?;
    if entry.bad {
        return Err(Spoilt);
    }
    let width = width?;
    let place = |word: &&str| PLACES.iter().position(|place| place == word);
    let places = words.iter().filter_map(place).map(|it| u8::try_from(it).expect("16 places"));
    let pattern = Punctured::at(places);
    let is_known = Punctured::patterns(width).contains(&pattern);
    if is_known && pattern.places().count() == words.len() {
        return Ok(pattern);
    }
    let problem = format!("no pattern of punctured subchannels in {width}");
    let allowed = match width {
        Width::Mhz20 | Width::Mhz40 => "a channel of 80, 160 or 320 MHz",
        Width::Mhz80 => "one subchannel: \"0 MHz\", \"20 MHz\", \"40 MHz\" or \"60 MHz\"",
        Width::Mhz160 => {
            "one subchannel, or the two of 40 MHz from \"0 MHz\", \"40 MHz\", \"80 MHz\" or \"120 MHz\" on"
        }
        Width::Mhz320 => {
            "the two subchannels of 40 MHz from a multiple of 40 MHz on, the four of 80 MHz from a multiple of 80 MHz \
             on, or the four of the lowest or highest 80 MHz and two of other 40 MHz"
        }
    };
    mistakes.add(entry.at, entry.mistake(problem, allowed));
    Err(Spoilt)
}

/// Allowed values of a key, and its default.
struct Choice<'c, V> {
    /// Default of the key, if the file does not set it.
    usual: V,
    all: &'c [V],
    /// Noun for messages: the cell or station to which the key belongs.
    whose: &'c str,
}

impl<V: Words + PartialEq + Display> Choice<'_, V> {
    fn read(&self, entry: &Entry, mistakes: &mut Mistakes) -> Result<V, Spoilt> {
        if !entry.is_set() && !entry.bad {
            return Ok(self.usual);
        }
        let value = V::of(entry.word().ok_or(Spoilt)?);
        if self.all.contains(&value) {
            return Ok(value);
        }
        let allowed: Vec<String> = self.all.iter().map(|it| format!("\"{it}\"")).collect();
        let problem = format!("not possible for {}", self.whose);
        mistakes.add(entry.at, entry.mistake(problem, allowed.join(", ")));
        Err(Spoilt)
    }
}

fn streams(
    entry: &Entry,
    (most, whose): (u8, &str),
    usual: u8,
    mistakes: &mut Mistakes,
) -> Option<u8> {
    if !entry.is_set() && !entry.bad {
        return Some(usual);
    }
    let streams = entry.integer()?;
    if streams <= most {
        return Some(streams);
    }
    let allowed = if most == 1 { "1".to_owned() } else { format!("1 to {most}") };
    mistakes.add(entry.at, entry.mistake(format!("not possible for {whose}"), allowed));
    None
}

/// Reads the largest A-MSDU [octets], which must be one of `known`.
fn amsdu(
    entry: &Entry,
    (known, whose): (&[Bytes], &str),
    usual: Option<Bytes>,
    mistakes: &mut Mistakes,
) -> Result<Option<Bytes>, Spoilt> {
    if !entry.is_set() && !entry.bad {
        return Ok(usual);
    }
    if entry.bad {
        return Err(Spoilt);
    }
    let amsdu = entry.value::<Bytes>();
    if amsdu.is_none_or(|it| known.contains(&it)) {
        return Ok(amsdu);
    }
    let sizes = known.iter().map(|it| format!("\"{} B\"", it.get()));
    let allowed: Vec<String> = sizes.chain(["\"off\"".to_owned()]).collect();
    let problem = format!("not a size of A-MSDUs of {whose}");
    mistakes.add(entry.at, entry.mistake(problem, allowed.join(", ")));
    Err(Spoilt)
}

/// Reads the aggregation that a cell allows. Keys that the file does not set are as in `usual`.
fn aggregation(
    entry: &Entry,
    format: Format,
    usual: Option<Aggregation>,
    mistakes: &mut Mistakes,
) -> Result<Option<Aggregation>, Spoilt> {
    if !entry.is_set() && !entry.bad {
        return Ok(usual);
    }
    if entry.bad {
        return Err(Spoilt);
    }
    let Some(fields) = entry.fields() else { return Ok(None) };
    let usual = usual.unwrap_or(Aggregation::of(format));
    let (max_bytes, window) = (fields.get("max_bytes"), fields.get("window"));
    let name = format.word().to_uppercase();
    let most = Aggregation::of(format).max_bytes;
    let octets =
        if max_bytes.is_set() { max_bytes.value::<Bytes>() } else { Some(usual.max_bytes) };
    if octets.is_some_and(|octets| octets > most) {
        let problem = format!("more than an A-MPDU of {name} holds");
        let allowed = format!("at most {} B", most.get());
        mistakes.add(max_bytes.at, max_bytes.mistake(problem, allowed));
        return Err(Spoilt);
    }
    let mpdus = if window.is_set() { window.integer() } else { Some(usual.window.mpdus()) };
    let mpdus: u16 = mpdus.ok_or(Spoilt)?;
    let widest = Aggregation::widest(format);
    let mut windows = vec![
        BlockAckWindow::Mpdus64,
        BlockAckWindow::Mpdus256,
        BlockAckWindow::Mpdus512,
        BlockAckWindow::Mpdus1024,
    ];
    windows.retain(|it| *it <= widest);
    let Some(known) = windows.iter().copied().find(|it| it.mpdus() == mpdus) else {
        let allowed: Vec<String> = windows.iter().map(|it| it.mpdus().to_string()).collect();
        let problem = format!("not a window of {name}");
        mistakes.add(window.at, window.mistake(problem, allowed.join(", ")));
        return Err(Spoilt);
    };
    let after_silence = fields.get("after_silence");
    let after_silence = if after_silence.is_set() {
        after_silence.word().map(Words::of)
    } else {
        Some(usual.after_silence)
    };
    let duration = |key, usual| {
        let entry = fields.get(key);
        if entry.is_set() { entry.value::<Duration>() } else { Some(usual) }
    };
    let slow_below = fields.get("slow_below");
    let slow_below =
        if slow_below.is_set() { slow_below.value::<DataRate>() } else { Some(usual.slow_below) };
    Ok(Some(Aggregation {
        max_bytes: octets.ok_or(Spoilt)?,
        window: known,
        max_duration: duration("max_duration", usual.max_duration).ok_or(Spoilt)?,
        slow_duration: duration("slow_duration", usual.slow_duration).ok_or(Spoilt)?,
        slow_below: slow_below.ok_or(Spoilt)?,
        after_silence: after_silence.ok_or(Spoilt)?,
    }))
}

/// Reads the aggregation that a station allows, which may not exceed that of its cell.
fn own_aggregation(
    entry: &Entry,
    most: &LinkCapabilities,
    mistakes: &mut Mistakes,
) -> Result<Option<Aggregation>, Spoilt> {
    let own = aggregation(entry, most.format.format, most.aggregation, mistakes)?;
    let allowed = match (own, most.aggregation) {
        (Some(_), None) => "\"off\"".to_owned(),
        (Some(own), Some(most)) if own.least(most) != own => {
            let (bytes, window) = (most.max_bytes.get(), most.window.mpdus());
            let both = format!("at most {bytes} B and a window of {window}");
            match (most.max_duration, most.slow_duration) {
                (MAX_PPDU_DURATION, MAX_PPDU_DURATION) => both,
                (all, slow) => format!("{both}, {all} and at low rates {slow}"),
            }
        }
        _ => return Ok(own),
    };
    mistakes.add(entry.at, entry.mistake("more than its cell allows", allowed));
    Err(Spoilt)
}
