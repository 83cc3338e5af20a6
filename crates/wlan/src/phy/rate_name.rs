//! Names of rates: `"ht-mcs15"`, `"vht-mcs9x2"`, `"he-mcs11x1"`, `"eht-mcs13x1"`, or `"144.4 Mb/s"` if only one mode
//! has this rate.

use std::fmt;
use std::str::FromStr;

use airfair_units::DataRate;

use super::mode::{Coding, Format, HeLtf, Mode, NoSuchMode, Parameters};
use super::{Band, GuardInterval, Unit, Width};

/// Format of a link: the properties of a mode that the name of a rate leaves open.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkFormat {
    /// Format of the link's data frames.
    pub format: Format,
    /// Width of the data frames.
    pub width: Width,
    /// Guard interval of the data field.
    pub guard: GuardInterval,
    /// Largest number of spatial streams.
    pub streams: u8,
    /// Type of the HE-LTF; `None` for the type that products use by default.
    pub ltf: Option<HeLtf>,
    /// Forward error correction; `None` for the code that products use by default.
    pub coding: Option<Coding>,
    /// Part of the width that carries the data. In a channel with punctured subchannels it is not the full width.
    pub unit: Unit,
}

impl LinkFormat {
    /// Format of a link with the HE-LTF and the code that products use by default.
    pub fn new(format: Format, width: Width, guard: GuardInterval, streams: u8) -> Self {
        Self { format, width, guard, streams, ltf: None, coding: None, unit: Unit::Full }
    }

    /// The format with PPDUs of this width. Those that are narrower than the link have no punctured subchannels.
    #[must_use]
    pub fn with_width(self, width: Width) -> Self {
        let unit = if width == self.width { self.unit } else { Unit::Full };
        Self { width, unit, ..self }
    }

    /// Widths of the link's PPDUs, ascending: its own, and narrower ones that avoid its punctured subchannels.
    pub fn widths(self, band: Band) -> impl Iterator<Item = Width> {
        let clean = self.unit.widest_part(self.width);
        let widths = self.format.widths(band).iter().copied();
        widths.filter(move |width| *width <= clean || *width == self.width)
    }

    /// Mode of an MCS with this number of streams.
    ///
    /// # Errors
    /// [`NoSuchMode`] if the standard does not have the mode.
    pub fn mode(self, mcs: u8, streams: u8) -> Result<Mode, NoSuchMode> {
        let usual = Parameters::of(self.format, mcs, streams, self.width, self.guard);
        Mode::new(Parameters {
            ltf: self.ltf.or(usual.ltf),
            coding: self.coding.unwrap_or(usual.coding),
            unit: self.unit,
            ..usual
        })
    }

    /// Modes of the link, by streams and MCS.
    pub fn modes(self) -> impl Iterator<Item = Mode> {
        (1..=self.streams).flat_map(move |streams| {
            (0..=self.format.max_mcs()).filter_map(move |mcs| self.mode(mcs, streams).ok())
        })
    }

    /// Mode that `text` names.
    ///
    /// # Errors
    /// [`BadRate`] if `text` names no mode of the link, or several.
    pub fn parse(self, text: &str) -> Result<Mode, BadRate> {
        match text.parse::<RateName>() {
            Ok(name) => self.named(name),
            Err(NoRateName) => self.plain(tenths(text)),
        }
    }

    /// Mode of the link with this name.
    ///
    /// # Errors
    /// [`BadRate`] if the link has no such mode.
    pub fn named(self, RateName { format, mcs, streams }: RateName) -> Result<Mode, BadRate> {
        if format != self.format {
            return Err(BadRate::OtherFormat(self.names().collect()));
        }
        if streams > self.streams {
            return Err(BadRate::TooManyStreams(self.streams));
        }
        self.mode(mcs, streams).map_err(BadRate::NoSuchMode)
    }

    /// The only mode of the link with this rate in the tables of the standard.
    ///
    /// # Errors
    /// [`BadRate`] if no mode or several modes have the rate.
    pub fn at(self, rate: DataRate) -> Result<Mode, BadRate> {
        let bps = rate.bps();
        self.plain(bps.is_multiple_of(100_000).then_some(bps / 100_000))
    }

    fn plain(self, tenths: Option<u64>) -> Result<Mode, BadRate> {
        let rates = || {
            let mut rates: Vec<u64> = self.modes().map(Mode::tenths_of_mbps).collect();
            rates.sort_unstable();
            rates.dedup();
            rates.into_iter().map(rate_of_tenths).collect()
        };
        let tenths = tenths.ok_or_else(|| BadRate::Unknown(rates()))?;
        let found: Vec<Mode> = self.modes().filter(|it| it.tenths_of_mbps() == tenths).collect();
        match found[..] {
            [] => Err(BadRate::Unknown(rates())),
            [mode] => Ok(mode),
            _ => Err(BadRate::Ambiguous(found.into_iter().map(RateName::of).collect())),
        }
    }

    fn names(self) -> impl Iterator<Item = RateName> {
        self.modes().map(RateName::of)
    }

    /// Mode of the link with this rate: the only one that has it in the tables of the standard, or else the only one
    /// that has it as vendors print rates.
    ///
    /// # Errors
    /// As [`at`](Self::at).
    pub fn printed_as(self, rate: PrintedRate) -> Result<Mode, BadRate> {
        self.plain(Some(rate.tenths)).or_else(|error| {
            let found: Vec<Mode> = self.modes().filter(|mode| rate.is_of(*mode)).collect();
            let mut highest = found.iter().filter(|mode| self.is_highest(**mode));
            match (&error, &found[..], highest.next(), highest.next()) {
                (BadRate::Unknown(_), [mode], ..) | (BadRate::Unknown(_), _, Some(mode), None) => {
                    Ok(*mode)
                }
                _ => Err(error),
            }
        })
    }

    /// True if the mode has the highest rate for its number of streams at the shortest guard interval of the format,
    /// which is the rate that vendors print.
    pub fn is_highest(self, mode: Mode) -> bool {
        let guard = self.format.guard_intervals()[0];
        let mut others = Self { guard, ..self }.modes();
        others.all(|other| other.streams() != mode.streams() || other.rate() <= mode.rate())
    }
}

/// Rate of a mode as in the tables of the standard, such as `144.4 Mb/s`.
pub fn plain_rate(mode: Mode) -> String {
    rate_of_tenths(mode.tenths_of_mbps())
}

fn rate_of_tenths(tenths: u64) -> String {
    match (tenths / 10, tenths % 10) {
        (whole, 0) => format!("{whole} Mb/s"),
        (whole, tenths) => format!("{whole}.{tenths} Mb/s"),
    }
}

/// Tenths of a Mb/s in a text like `144.4 Mb/s`.
fn tenths(text: &str) -> Option<u64> {
    text.parse().ok().map(|PrintedRate { tenths, .. }| tenths)
}

/// A rate as vendors print it, such as `866 Mb/s` or `1.2 Gb/s`. Its last digit may be rounded or truncated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PrintedRate {
    /// Rate [100 kb/s].
    tenths: u64,
    /// Value of one unit of the last printed digit [100 kb/s].
    digit: u64,
}

impl PrintedRate {
    /// True if the mode has the printed rate, rounded or truncated.
    pub fn is_of(self, mode: Mode) -> bool {
        let rate = mode.tenths_of_mbps();
        let printed = self.tenths / self.digit;
        rate / self.digit == printed || (rate + self.digit / 2) / self.digit == printed
    }
}

impl FromStr for PrintedRate {
    type Err = NoRateName;

    fn from_str(text: &str) -> Result<Self, NoRateName> {
        let split = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).ok_or(NoRateName)?;
        let (number, unit) = text.split_at(split);
        let scale = match unit.trim_start() {
            "Mb/s" => 10,
            "Gb/s" => 10_000,
            _ => return Err(NoRateName),
        };
        let (whole, fraction) = number.split_once('.').unwrap_or((number, ""));
        let digits = |text: &str| text.bytes().all(|it| it.is_ascii_digit());
        let is_plain = !whole.is_empty() && whole.len() <= 5 && fraction.len() <= 4;
        if !is_plain || !digits(whole) || !digits(fraction) {
            return Err(NoRateName);
        }
        let number = |text: &str| if text.is_empty() { Ok(0) } else { text.parse::<u64>() };
        let parts = 10_u64.pow(u32::try_from(fraction.len()).map_err(|_| NoRateName)?);
        let (whole, fraction) = (number(whole), number(fraction));
        let all =
            scale * (whole.map_err(|_| NoRateName)? * parts + fraction.map_err(|_| NoRateName)?);
        if !all.is_multiple_of(parts) {
            return Err(NoRateName);
        }
        Ok(Self { tenths: all / parts, digit: (scale / parts).max(1) })
    }
}

/// Name of a rate: format, MCS and streams. The link determines the other properties of the mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct RateName {
    /// Format of the PPDU.
    pub format: Format,
    /// MCS, counted for one stream.
    pub mcs: u8,
    /// Number of spatial streams.
    pub streams: u8,
}

impl RateName {
    /// Name of a mode's rate.
    pub fn of(mode: Mode) -> Self {
        Self { format: mode.format(), mcs: mode.mcs(), streams: mode.streams() }
    }
}

/// Formats the name of a rate. HT counts its MCSs over all streams.
impl fmt::Display for RateName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { format, mcs, streams } = *self;
        match format {
            Format::Ht => write!(f, "ht-mcs{}", u16::from(streams - 1) * 8 + u16::from(mcs)),
            Format::Vht | Format::He | Format::Eht => {
                write!(f, "{}-mcs{mcs}x{streams}", format.word())
            }
        }
    }
}

/// Error: a text is not the name of a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct NoRateName;

impl FromStr for RateName {
    type Err = NoRateName;

    fn from_str(text: &str) -> Result<Self, NoRateName> {
        let (word, mcs) = text.split_once("-mcs").ok_or(NoRateName)?;
        let format = Format::ALL.into_iter().find(|it| it.word() == word).ok_or(NoRateName)?;
        if format == Format::Ht {
            let mcs = number(mcs)?;
            return Ok(Self { format, mcs: mcs % 8, streams: mcs / 8 + 1 });
        }
        let (mcs, streams) = mcs.split_once('x').ok_or(NoRateName)?;
        Ok(Self { format, mcs: number(mcs)?, streams: number(streams)? })
    }
}

/// Parses a number without a sign and without leading zeros.
fn number(text: &str) -> Result<u8, NoRateName> {
    let found: u8 = text.parse().map_err(|_| NoRateName)?;
    if found.to_string() == text { Ok(found) } else { Err(NoRateName) }
}

/// Reason for which a link does not have a rate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum BadRate {
    /// The rate has another format. Contains the names of the link's own rates.
    OtherFormat(Vec<RateName>),
    /// The rate has more streams than the link, which has this number of streams.
    TooManyStreams(u8),
    /// The standard does not have the rate at the width of the link.
    NoSuchMode(NoSuchMode),
    /// Several modes have the rate.
    Ambiguous(Vec<RateName>),
    /// No mode has the rate. Contains the rates of the link.
    Unknown(Vec<String>),
}

impl BadRate {
    /// Problem with the rate in a few words, for a message.
    pub fn problem(&self) -> String {
        match self {
            Self::OtherFormat(_) => "a mode of another format than the link's".to_owned(),
            Self::TooManyStreams(_) => "a mode with more streams than the link has".to_owned(),
            Self::NoSuchMode(NoSuchMode { found, with, clause, .. }) => {
                format!("{found} does not go with {with} ({clause})")
            }
            Self::Ambiguous(_) => "the rate of several modes".to_owned(),
            Self::Unknown(_) => "not a rate of the link".to_owned(),
        }
    }

    /// Rates, numbers of streams, or MCS that are allowed instead of the bad rate, for a message.
    pub fn allowed(&self) -> String {
        match self {
            Self::OtherFormat(names) | Self::Ambiguous(names) => list(names),
            Self::TooManyStreams(1) => "1 stream".to_owned(),
            Self::TooManyStreams(most) => format!("1 to {most} streams"),
            Self::NoSuchMode(error) => format!("MCS {}", error.allowed.join(", ")),
            Self::Unknown(rates) => rates.join(", "),
        }
    }
}

impl fmt::Display for BadRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; allowed {}", self.problem(), self.allowed())
    }
}

impl std::error::Error for BadRate {}

fn list(names: &[RateName]) -> String {
    names.iter().map(RateName::to_string).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use GuardInterval::{Ns400, Ns800};

    fn ht(guard: GuardInterval, streams: u8) -> LinkFormat {
        LinkFormat::new(Format::Ht, Width::Mhz20, guard, streams)
    }

    #[test]
    fn every_name_is_read_as_it_is_written() {
        for format in Format::ALL {
            let link = LinkFormat::new(format, Width::Mhz40, Ns800, format.max_streams());
            for mode in link.modes() {
                let name = RateName::of(mode).to_string();
                assert_eq!(link.parse(&name), Ok(mode), "{name}");
            }
        }
        let names: Vec<String> = ht(Ns800, 2).names().map(|it| it.to_string()).collect();
        assert_eq!(
            (names[0].as_str(), names[15].as_str(), names.len()),
            ("ht-mcs0", "ht-mcs15", 16)
        );
    }

    #[test]
    fn a_plain_rate_is_a_mode_where_one_alone_has_it() {
        let parse = |text: &str| ht(Ns400, 2).parse(text).map(|it| RateName::of(it).to_string());
        assert_eq!(parse("144.4 Mb/s"), Ok(String::from("ht-mcs15")));
        assert_eq!(parse("7.2 Mb/s"), Ok(String::from("ht-mcs0")));
        let ambiguous = parse("14.4 Mb/s").expect_err("of one stream or two").to_string();
        assert_eq!(ambiguous, "the rate of several modes; allowed ht-mcs1, ht-mcs8");
        let one = ht(Ns800, 1).parse("60 Mb/s").expect_err("no rate of HT").to_string();
        assert!(one.ends_with(
            "allowed 6.5 Mb/s, 13 Mb/s, 19.5 Mb/s, 26 Mb/s, 39 Mb/s, 52 Mb/s, 58.5 Mb/s, 65 Mb/s"
        ));
    }

    /// A rate is found by its value in the tables of the standard, and as vendors print it. MCS 9 with two streams, 80
    /// MHz and 400 ns: 2 · 234 subcarriers · 8 bits · 5/6 in 3.6 µs are 3120 bits, 866.67 Mb/s. Tables round this to
    /// 866.7; vendors round it to 867 or truncate it to 866.
    #[test]
    fn a_rate_is_found_as_it_is_printed() {
        let vht = LinkFormat::new(Format::Vht, Width::Mhz80, Ns400, 2);
        for text in ["866.7 Mb/s", "866 Mb/s", "867 Mb/s", "867Mb/s", "0.867 Gb/s", "0.86 Gb/s"] {
            let rate = text.parse().expect("a printed rate");
            assert_eq!(
                vht.printed_as(rate).map(|it| RateName::of(it).to_string()),
                Ok("vht-mcs9x2".into()),
                "{text}"
            );
        }
        let he = LinkFormat::new(Format::He, Width::Mhz160, Ns800, 2);
        for (text, name) in
            [("2402 Mb/s", "he-mcs11x2"), ("2.4 Gb/s", "he-mcs11x2"), ("1.2 Gb/s", "he-mcs11x1")]
        {
            let rate = text.parse().expect("a printed rate");
            assert_eq!(
                he.printed_as(rate).map(|it| RateName::of(it).to_string()),
                Ok(name.into()),
                "{text}"
            );
        }
        for text in ["868 Mb/s", "866.6 Mb/s", "865.9 Mb/s", "0.88 Gb/s"] {
            let rate = text.parse().expect("a printed rate");
            assert!(vht.printed_as(rate).is_err(), "{text}");
        }
        for text in [
            "866",
            "866 kb/s",
            "866.66667 Mb/s",
            "866.67 Mb/s",
            ".5 Gb/s",
            "1.2.3 Gb/s",
            "",
            "Mb/s",
        ] {
            assert_eq!(text.parse::<PrintedRate>(), Err(NoRateName), "{text}");
        }
    }

    #[test]
    fn a_rate_of_another_format_or_with_too_many_streams_is_refused() {
        let link = ht(Ns800, 1);
        assert!(matches!(link.parse("he-mcs11x1"), Err(BadRate::OtherFormat(_))));
        assert_eq!(link.parse("ht-mcs8"), Err(BadRate::TooManyStreams(1)));
        let vht = LinkFormat::new(Format::Vht, Width::Mhz20, Ns800, 1);
        let error = vht.parse("vht-mcs9x1").expect_err("not at 20 MHz").to_string();
        assert_eq!(
            error,
            "MCS 9 does not go with VHT, 20 MHz, 1 stream (802.11-2020 §21.5); allowed MCS 0, 1, 2, 3, 4, 5, 6, 7, 8"
        );
    }

    #[test]
    fn what_is_no_name_is_an_error_and_no_panic() {
        let texts = [
            "",
            "ht-mcs",
            "ht-mcs300",
            "ht-mcs07",
            "vht-mcs9",
            "vht-mcs9x",
            "vht-mcs9x0",
            "he-mcs12x1",
            "he-mcs1x9",
            "ht-mcs32",
            "1e3 Mb/s",
            "-1 Mb/s",
            ". Mb/s",
            "144.44 Mb/s",
            "99999999999999999999 Mb/s",
        ];
        for text in texts {
            for format in Format::ALL {
                let link = LinkFormat::new(format, Width::Mhz20, Ns800, 8);
                assert!(link.parse(text).is_err(), "{text}");
            }
        }
    }
}
