//! Modes of HT, VHT and HE: format, MCS, streams, width, guard interval, LTF and code, packed into 16 bits.
//! [80211-2020 §19, §21], [80211ax-2021 §27]

use std::fmt;

use airfair_units::{DataRate, Duration};

use super::modulation::ModulationAndCoding;
use super::{Band, GuardInterval, Width, ofdm};

/// Format of a PPDU of HT or later.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Format {
    /// High throughput (802.11n), mixed format.
    Ht,
    /// Very high throughput (802.11ac), single user.
    Vht,
    /// High efficiency (802.11ax), single user.
    He,
}

impl Format {
    /// All formats, from the oldest.
    pub const ALL: [Self; 3] = [Self::Ht, Self::Vht, Self::He];

    /// Widths of the format's PPDUs in this band; empty if the format does not exist there.
    pub const fn widths(self, band: Band) -> &'static [Width] {
        use Width::{Mhz20, Mhz40, Mhz80, Mhz160};
        match (self, band) {
            (Self::Ht, Band::Ghz2 | Band::Ghz5) | (Self::He, Band::Ghz2) => &[Mhz20, Mhz40],
            (Self::Vht, Band::Ghz2) | (Self::Ht | Self::Vht, Band::Ghz6) => &[],
            (Self::Vht, Band::Ghz5) | (Self::He, Band::Ghz5 | Band::Ghz6) => {
                &[Mhz20, Mhz40, Mhz80, Mhz160]
            }
        }
    }

    /// Checks that the format's PPDUs may have this width in this band.
    ///
    /// # Errors
    /// [`NoSuchMode`] with the allowed widths.
    pub fn check_width(self, width: Width, band: Band) -> Result<(), NoSuchMode> {
        let widths = self.widths(band);
        if widths.contains(&width) {
            return Ok(());
        }
        let (found, allowed) = (width.to_string(), texts(widths));
        let others = format!("{}, {band}", self.word().to_uppercase());
        Err(NoSuchMode { found, with: others, allowed, clause: self.clause() })
    }

    /// Guard intervals of the format.
    pub const fn guard_intervals(self) -> &'static [GuardInterval] {
        use GuardInterval::{Ns400, Ns800, Ns1600, Ns3200};
        match self {
            Self::Ht | Self::Vht => &[Ns400, Ns800],
            Self::He => &[Ns800, Ns1600, Ns3200],
        }
    }

    /// Highest MCS, counted for one stream.
    pub const fn max_mcs(self) -> u8 {
        match self {
            Self::Ht => 7,
            Self::Vht => 9,
            Self::He => 11,
        }
    }

    /// Largest number of spatial streams.
    pub const fn max_streams(self) -> u8 {
        match self {
            Self::Ht => 4,
            Self::Vht | Self::He => 8,
        }
    }

    /// Prefix of the names of the format's rates, such as `ht` in `ht-mcs7`.
    pub const fn word(self) -> &'static str {
        match self {
            Self::Ht => "ht",
            Self::Vht => "vht",
            Self::He => "he",
        }
    }

    /// Clause of the standard with the format's rate-dependent parameters.
    const fn clause(self) -> &'static str {
        match self {
            Self::Ht => "802.11-2020 §19.5",
            Self::Vht => "802.11-2020 §21.5",
            Self::He => "802.11ax-2021 §27.5",
        }
    }
}

/// Type of the long training field of HE (HE-LTF), which is its length relative to a symbol.  [80211ax-2021
/// §27.3.11.10]
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum HeLtf {
    /// 1x HE-LTF: 3.2 µs and a guard interval.
    X1,
    /// 2x HE-LTF: 6.4 µs and a guard interval.
    X2,
    /// 4x HE-LTF: 12.8 µs and a guard interval.
    X4,
}

impl HeLtf {
    /// All types of the HE-LTF, ascending.
    pub const ALL: [Self; 3] = [Self::X1, Self::X2, Self::X4];

    /// Duration of one symbol of the HE-LTF, without its guard interval.
    pub const fn duration(self) -> Duration {
        Duration::from_nanos(3_200 << self as u64)
    }

    /// Default type of the HE-LTF for a guard interval.
    const fn of(guard: GuardInterval) -> Self {
        match guard {
            GuardInterval::Ns3200 => Self::X4,
            _ => Self::X2,
        }
    }

    /// True if an HE SU PPDU may have this type of HE-LTF with this guard interval.  [80211ax-2021 Table 27-18]
    const fn goes_with(self, guard: GuardInterval) -> bool {
        matches!(
            (self, guard),
            (_, GuardInterval::Ns800)
                | (Self::X2, GuardInterval::Ns1600)
                | (Self::X4, GuardInterval::Ns3200)
        )
    }
}

/// Forward error correction of the data field.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Coding {
    /// Binary convolutional code.
    Bcc,
    /// Low-density parity-check code.
    Ldpc,
}

/// Parameters of a mode of HT, VHT or HE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Parameters {
    /// Format of the PPDU.
    pub format: Format,
    /// MCS, counted for one stream: MCS 15 of HT is 7 with two streams.
    pub mcs: u8,
    /// Number of spatial streams.
    pub streams: u8,
    /// Width of the channel of the PPDU.
    pub width: Width,
    /// Guard interval of the data field.
    pub guard: GuardInterval,
    /// Type of the HE-LTF; `None` outside HE.
    pub ltf: Option<HeLtf>,
    /// Forward error correction of the data field.
    pub coding: Coding,
}

impl Parameters {
    /// Parameters with the HE-LTF and the code that products use by default: a 2x HE-LTF, or 4x with the longest guard
    /// interval; BCC in HT and VHT, and LDPC in HE, which requires it above 20 MHz.
    pub fn of(format: Format, mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Self {
        let is_he = format == Format::He;
        let ltf = is_he.then_some(HeLtf::of(guard));
        let coding = if is_he { Coding::Ldpc } else { Coding::Bcc };
        Self { format, mcs, streams, width, guard, ltf, coding }
    }

    /// True if the standard has the MCS with these parameters: each symbol carries a whole number of bits, and each VHT
    /// encoder has an equal share of them.  [80211-2020 §21.5], [80211ax-2021 §27.5]
    fn has_mcs(self) -> bool {
        if self.mcs > self.format.max_mcs() {
            return false;
        }
        // HE rounds down if LDPC leaves a fraction. VHT excludes such an MCS, and also these, which have 2 or 6
        // encoders.
        self.format != Format::Vht
            || ((data_bits_times_twelve(self).is_multiple_of(12))
                && !matches!(
                    (self.width, self.mcs, self.streams),
                    (Width::Mhz80, 6, 3 | 7) | (Width::Mhz80, 9, 6) | (Width::Mhz160, 9, 3)
                ))
    }

    /// True if the mode may use BCC.  [80211ax-2021 §27.3.12.5]
    fn may_be_convolutional(self) -> bool {
        self.format != Format::He
            || (self.width == Width::Mhz20 && self.streams <= 4 && self.mcs <= 9)
    }
}

/// Number of data subcarriers, `N_SD`.  [80211-2020 Table 19-6, Table 21-5], [80211ax-2021 §27.5]
const fn data_subcarriers(format: Format, width: Width) -> u64 {
    match (format, width) {
        (Format::Ht | Format::Vht, Width::Mhz20) => 52,
        (Format::Ht | Format::Vht, Width::Mhz40) => 108,
        (Format::Ht | Format::Vht, Width::Mhz80) | (Format::He, Width::Mhz20) => 234,
        (Format::Ht | Format::Vht, Width::Mhz160) | (Format::He, Width::Mhz40) => 468,
        (Format::He, Width::Mhz80) => 980,
        (Format::He, Width::Mhz160) => 1_960,
    }
}

/// Data bits of twelve symbols, which are a whole number for every code rate.
fn data_bits_times_twelve(of: Parameters) -> u64 {
    let ModulationAndCoding { constellation, code_rate } = ModulationAndCoding::of(of.mcs);
    let (data, coded) = code_rate.fraction();
    let coded_bits =
        data_subcarriers(of.format, of.width) * constellation.bits() * u64::from(of.streams);
    coded_bits * data * (12 / coded)
}

/// A valid mode of HT, VHT or HE.
///
/// ```text
///   bit 0   2       6        9     11     13   15
///     format │  mcs  │ streams │ width │ guard │ ltf │ coding
/// ```
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode([u8; 2]);

impl Mode {
    /// Mode with these parameters.
    ///
    /// # Errors
    /// [`NoSuchMode`] if the standard does not have the mode: the first parameter that conflicts with the others, and
    /// its allowed values.
    pub fn new(of: Parameters) -> Result<Self, NoSuchMode> {
        check(of)?;
        let ltf = of.ltf.map_or(0, |ltf| ltf as u16);
        let fields = [
            (of.format as u16, 0),
            (u16::from(of.mcs), 2),
            (u16::from(of.streams - 1), 6),
            (of.width as u16, 9),
            (of.guard as u16, 11),
            (ltf, 13),
            (of.coding as u16, 15),
        ];
        let word = fields.iter().fold(0, |word, (value, place)| word | (value << place));
        Ok(Self(word.to_le_bytes()))
    }

    /// All modes of a format with this width and guard interval, and with the HE-LTF and the code that products use by
    /// default, by streams and MCS.
    pub fn all(format: Format, width: Width, guard: GuardInterval) -> impl Iterator<Item = Self> {
        (1..=format.max_streams()).flat_map(move |streams| {
            (0..=format.max_mcs()).filter_map(move |mcs| {
                Self::new(Parameters::of(format, mcs, streams, width, guard)).ok()
            })
        })
    }

    #[inline]
    fn field(self, place: u16, bits: u16) -> usize {
        usize::from((u16::from_le_bytes(self.0) >> place) & ((1 << bits) - 1))
    }

    /// Format of the PPDU.
    #[inline]
    pub fn format(self) -> Format {
        Format::ALL[self.field(0, 2)]
    }

    /// MCS, counted for one stream.
    #[inline]
    pub fn mcs(self) -> u8 {
        (u16::from_le_bytes(self.0) >> 2 & 0xf).to_le_bytes()[0]
    }

    /// Number of spatial streams.
    #[inline]
    pub fn streams(self) -> u8 {
        (u16::from_le_bytes(self.0) >> 6 & 0x7).to_le_bytes()[0] + 1
    }

    /// Width of the channel of the PPDU.
    #[inline]
    pub fn width(self) -> Width {
        Width::ALL[self.field(9, 2)]
    }

    /// Guard interval of the data field.
    #[inline]
    pub fn guard(self) -> GuardInterval {
        GuardInterval::ALL[self.field(11, 2)]
    }

    /// Type of the HE-LTF; `None` outside HE.
    #[inline]
    pub fn ltf(self) -> Option<HeLtf> {
        (self.format() == Format::He).then(|| HeLtf::ALL[self.field(13, 2)])
    }

    /// Forward error correction of the data field.
    #[inline]
    pub fn coding(self) -> Coding {
        if self.field(15, 1) == 0 { Coding::Bcc } else { Coding::Ldpc }
    }

    /// All parameters of the mode.
    pub fn parameters(self) -> Parameters {
        Parameters {
            format: self.format(),
            mcs: self.mcs(),
            streams: self.streams(),
            width: self.width(),
            guard: self.guard(),
            ltf: self.ltf(),
            coding: self.coding(),
        }
    }

    /// Constellation and code rate of the mode.
    #[inline]
    pub fn modulation(self) -> ModulationAndCoding {
        ModulationAndCoding::of(self.mcs())
    }

    /// Coded bits per symbol, `N_CBPS`.
    pub fn coded_bits(self) -> u64 {
        data_subcarriers(self.format(), self.width())
            * self.modulation().constellation.bits()
            * u64::from(self.streams())
    }

    /// Data bits per symbol, `N_DBPS`. In HE they are rounded down if the code rate leaves a fraction. [80211-2020
    /// §19.5, §21.5], [80211ax-2021 §27.5]
    pub fn data_bits(self) -> u64 {
        data_bits_times_twelve(self.parameters()) / 12
    }

    /// Duration of a symbol of the data field, guard interval included.  [80211-2020 Table 19-6], [80211ax-2021 Table
    /// 27-12]
    pub fn symbol(self) -> Duration {
        let useful = if self.format() == Format::He { 12_800 } else { 3_200 };
        Duration::from_nanos(useful) + self.guard().duration()
    }

    /// OFDM modulation of the mode's non-HT reference rate.  [80211-2020 §10.6.11]
    // Not inlined, so that callers with legacy vectors do not pay for it.
    #[inline(never)]
    pub fn reference(self) -> ofdm::Modulation {
        self.modulation().reference()
    }

    /// Data rate of the mode, rounded down to a whole bit/s.
    #[inline(never)]
    pub fn rate(self) -> DataRate {
        DataRate::from_bps(self.data_bits() * 1_000_000_000 / self.symbol().as_nanos())
    }

    /// Data rate of the mode as in the tables of the standard, rounded to tenths of a Mb/s [100 kb/s].
    pub fn tenths_of_mbps(self) -> u64 {
        // bits/ns · 10^4 = tenths of a Mb/s; half a tenth is rounded up.
        let ns = self.symbol().as_nanos();
        (self.data_bits() * 20_000 + ns) / (2 * ns)
    }

    /// Number of the mode's convolutional encoders, `N_ES`; 0 for LDPC.
    ///
    /// An encoder takes at most 300 Mb/s in HT and 600 Mb/s in VHT, with the short guard interval, and all encoders
    /// take the same number of bits of a symbol.  [80211-2020 §19.3.5, §21.3.10.5, §21.5]
    pub fn encoders(self) -> u64 {
        let (data, coded) = (self.data_bits(), self.coded_bits());
        match (self.coding(), self.format()) {
            (Coding::Ldpc, _) => 0,
            (_, Format::He) => 1,
            (_, Format::Ht) => data.div_ceil(1_080),
            (_, Format::Vht) => (data.div_ceil(2_160)..=data)
                .find(|n| data.is_multiple_of(*n) && coded.is_multiple_of(*n))
                .expect("one of the divisors, the bits themselves at the last"),
        }
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters().fmt(f)
    }
}

/// Error: the standard does not have this combination of parameters.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NoSuchMode {
    /// Parameter of the mode, such as the MCS, that conflicts with the other parameters, with its value.
    pub found: String,
    /// Parameters of the mode with which the parameter in `found` conflicts, with their values.
    pub with: String,
    /// Values that the parameter in `found` may have together with the parameters in `with`.
    pub allowed: Vec<String>,
    /// Clause of the standard that defines the allowed combinations.
    pub clause: &'static str,
}

impl fmt::Display for NoSuchMode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { found, with, allowed, clause } = self;
        write!(f, "{found} does not go with {with} ({clause}); ")?;
        if allowed.is_empty() {
            f.write_str("no value is allowed")
        } else {
            write!(f, "allowed {}", allowed.join(", "))
        }
    }
}

impl std::error::Error for NoSuchMode {}

fn check(of: Parameters) -> Result<(), NoSuchMode> {
    let Parameters { format, mcs, streams, width, guard, ltf, .. } = of;
    let name = format.word().to_uppercase();
    let plural = if streams == 1 { "" } else { "s" };
    let refuse = |found: String, with: String, allowed: Vec<String>| {
        Err(NoSuchMode { found, with, allowed, clause: format.clause() })
    };
    let widths = format.widths(Band::Ghz5);
    if !widths.contains(&width) {
        return refuse(width.to_string(), name, texts(widths));
    }
    if !format.guard_intervals().contains(&guard) {
        return refuse(guard.to_string(), name, texts(format.guard_intervals()));
    }
    if !(1..=format.max_streams()).contains(&streams) {
        let allowed = (1..=format.max_streams()).map(|it| it.to_string()).collect();
        return refuse(format!("{streams} stream{plural}"), name, allowed);
    }
    if !of.has_mcs() {
        let fits = |mcs: &u8| Parameters { mcs: *mcs, ..of }.has_mcs();
        let allowed = (0..=format.max_mcs()).filter(fits).map(|it| it.to_string()).collect();
        let with = format!("{name}, {width}, {streams} stream{plural}");
        return refuse(format!("MCS {mcs}"), with, allowed);
    }
    if ltf.is_some() != (format == Format::He) || ltf.is_some_and(|it| !it.goes_with(guard)) {
        let fits = |it: &&HeLtf| format == Format::He && it.goes_with(guard);
        let allowed = HeLtf::ALL.iter().filter(fits).map(|it| format!("{it:?}")).collect();
        return refuse(format!("LTF {ltf:?}"), format!("{name}, {guard}"), allowed);
    }
    if of.coding == Coding::Bcc && !of.may_be_convolutional() {
        let with = format!("{name}, {width}, {streams} stream{plural}, MCS {mcs}");
        return refuse(String::from("BCC"), with, vec![String::from("LDPC")]);
    }
    Ok(())
}

fn texts<T: fmt::Display>(all: &[T]) -> Vec<String> {
    all.iter().map(T::to_string).collect()
}

#[cfg(test)]
mod tests;
