//! Modes of HT, VHT, HE and EHT: format, MCS, streams, width, unit, guard interval, LTF, code and kind of PPDU, packed
//! into 24 bits. [80211-2020 §19, §21], [80211ax-2021 §27], [80211be-2024 §36]

use std::fmt;

use airfair_units::{DataRate, Duration};

use super::modulation::ModulationAndCoding;
use super::parameters::data_subcarriers;
use super::{GuardInterval, Width, ofdm, parameters};

pub use super::format::{Coding, Format, HeLtf, PpduKind};
pub use super::parameters::{NoSuchMode, Parameters};
pub use super::unit::Unit;

/// A valid mode of HT, VHT, HE or EHT.
///
/// ```text
///   bit 0   2       6        9     11     13   15      16    17     19
///     format │  mcs  │ streams │ width │ guard │ ltf │ coding │ width │ kind │ unit
/// ```
/// The width has three bits, of which bit 16 is the highest. Modes are compared octet by octet.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Mode([u8; 3]);

impl Mode {
    /// Mode with these parameters. A unit that fills the width becomes [`Unit::Full`].
    ///
    /// # Errors
    /// [`NoSuchMode`] if the standard does not have the mode: the first parameter that conflicts with the others, and
    /// its allowed values.
    pub fn new(of: Parameters) -> Result<Self, NoSuchMode> {
        parameters::check(of)?;
        let unit = if of.unit == Unit::filling(of.width) { Unit::Full } else { of.unit };
        let width = of.width as u32;
        let fields = [
            (of.format as u32, 0),
            (u32::from(of.mcs), 2),
            (u32::from(of.streams - 1), 6),
            (width & 3, 9),
            (of.guard as u32, 11),
            (of.ltf.map_or(0, |ltf| ltf as u32), 13),
            (of.coding as u32, 15),
            (width >> 2, 16),
            (of.kind as u32, 17),
            (unit as u32, 19),
        ];
        let word = fields.iter().fold(0, |word, (value, place)| word | (value << place));
        let [first, second, third, _] = word.to_le_bytes();
        Ok(Self([first, second, third]))
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

    /// The field of this many bits at `place`.
    #[inline]
    const fn field(self, place: u32, bits: u32) -> u8 {
        let [first, second, third] = self.0;
        let word = u32::from_le_bytes([first, second, third, 0]);
        (word >> place & ((1 << bits) - 1)).to_le_bytes()[0]
    }

    /// Format of the PPDU.
    #[inline]
    pub fn format(self) -> Format {
        Format::ALL[usize::from(self.field(0, 2))]
    }

    /// MCS, counted for one stream.
    #[inline]
    pub fn mcs(self) -> u8 {
        self.field(2, 4)
    }

    /// Number of spatial streams.
    #[inline]
    pub fn streams(self) -> u8 {
        self.field(6, 3) + 1
    }

    /// Width of the channel of the PPDU.
    #[inline]
    pub fn width(self) -> Width {
        Width::ALL[usize::from(self.field(9, 2) | self.field(16, 1) << 2)]
    }

    /// Guard interval of the data field.
    #[inline]
    pub fn guard(self) -> GuardInterval {
        GuardInterval::ALL[usize::from(self.field(11, 2))]
    }

    /// Type of the HE-LTF or EHT-LTF; `None` in HT and VHT.
    #[inline]
    pub fn ltf(self) -> Option<HeLtf> {
        self.format().has_units().then(|| HeLtf::ALL[usize::from(self.field(13, 2))])
    }

    /// Forward error correction of the data field.
    #[inline]
    pub fn coding(self) -> Coding {
        if self.field(15, 1) == 0 { Coding::Bcc } else { Coding::Ldpc }
    }

    /// Kind of the PPDU.
    #[inline]
    pub fn kind(self) -> PpduKind {
        PpduKind::ALL[usize::from(self.field(17, 2))]
    }

    /// Part of the width that carries the data; [`Unit::Full`] also if it is a unit that fills the width.
    #[inline]
    pub fn unit(self) -> Unit {
        Unit::ALL[usize::from(self.field(19, 5))]
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
            unit: self.unit(),
            kind: self.kind(),
        }
    }

    /// This mode in a PPDU for one user, who has the whole width.
    #[must_use]
    pub fn in_whole_width(self) -> Self {
        let (unit, kind) = (Unit::Full, PpduKind::Single);
        Self::new(Parameters { unit, kind, ..self.parameters() }).expect("a mode of the width")
    }

    /// This mode in the whole of a narrower PPDU for one user. Where VHT has no such MCS, it is the next lower one.
    /// [80211-2020 §21.5]
    #[must_use]
    pub fn narrowed(self, width: Width) -> Self {
        let of = Parameters { width, unit: Unit::Full, ..self.parameters() };
        let narrower = (0..=of.mcs).rev().find_map(|mcs| Self::new(Parameters { mcs, ..of }).ok());
        narrower.expect("MCS 0 has all widths")
    }

    /// Constellation and code rate of the mode.
    #[inline]
    pub fn modulation(self) -> ModulationAndCoding {
        ModulationAndCoding::of(self.mcs())
    }

    /// Coded bits per symbol, `N_CBPS`.
    pub fn coded_bits(self) -> u64 {
        data_subcarriers(self.format(), self.width(), self.unit())
            * self.modulation().constellation.bits()
            * u64::from(self.streams())
    }

    /// Data bits per symbol, `N_DBPS`. In HE and EHT they are rounded down if the code rate leaves a fraction.
    /// [80211-2020 §19.5, §21.5], [80211ax-2021 §27.5], [80211be-2024 §36.5]
    pub fn data_bits(self) -> u64 {
        let (data, coded) = self.modulation().code_rate.fraction();
        self.coded_bits() * data / coded
    }

    /// Duration of a symbol of the data field, guard interval included.  [80211-2020 Table 19-6], [80211ax-2021 Table
    /// 27-12]
    pub fn symbol(self) -> Duration {
        let useful = if self.format().has_units() { 12_800 } else { 3_200 };
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
        let (data, coded) = match (self.coding(), self.format()) {
            (Coding::Ldpc, _) => return 0,
            (_, Format::He | Format::Eht) => return 1,
            (_, Format::Ht) => return self.data_bits().div_ceil(1_080),
            (_, Format::Vht) => (self.data_bits(), self.coded_bits()),
        };
        (data.div_ceil(2_160)..=data)
            .find(|n| data.is_multiple_of(*n) && coded.is_multiple_of(*n))
            .expect("one of the divisors, the bits themselves at the last")
    }
}

impl fmt::Debug for Mode {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.parameters().fmt(f)
    }
}

#[cfg(test)]
mod tests;
