//! Parameters of modes: the combinations that the standard has, and the error for others. [80211-2020 §19, §21],
//! [80211ax-2021 §27], [80211be-2024 §36]

use std::fmt;

use super::format::{Coding, Format, HeLtf, PpduKind};
use super::modulation::ModulationAndCoding;
use super::unit::Unit;
use super::{Band, GuardInterval, Width};

/// Parameters of a mode of HT, VHT, HE or EHT.
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
    /// Type of the HE-LTF or EHT-LTF; `None` in HT and VHT.
    pub ltf: Option<HeLtf>,
    /// Forward error correction of the data field.
    pub coding: Coding,
    /// Part of the width that carries the data.
    pub unit: Unit,
    /// Kind of the PPDU.
    pub kind: PpduKind,
}

impl Parameters {
    /// Parameters of a PPDU for a single user in the full width, with the HE-LTF and the code that products use by
    /// default: a 2x HE-LTF, or 4x with the longest guard interval; BCC in HT and VHT, and LDPC in HE and EHT, which
    /// require it above 20 MHz.
    pub fn of(format: Format, mcs: u8, streams: u8, width: Width, guard: GuardInterval) -> Self {
        let ltf = format.has_units().then_some(HeLtf::of(guard));
        let coding = if format.has_units() { Coding::Ldpc } else { Coding::Bcc };
        let (unit, kind) = (Unit::Full, PpduKind::Single);
        Self { format, mcs, streams, width, guard, ltf, coding, unit, kind }
    }

    /// True if the standard has the MCS with these parameters: each symbol carries a whole number of bits, and each VHT
    /// encoder has an equal share of them.  [80211-2020 §21.5], [80211ax-2021 §27.5]
    fn has_mcs(self) -> bool {
        let is_known = self.mcs <= self.format.max_mcs();
        if !is_known || self.format != Format::Vht {
            return is_known;
        }
        let ModulationAndCoding { constellation, code_rate } = ModulationAndCoding::of(self.mcs);
        let coded_bits = data_subcarriers(self.format, self.width, self.unit)
            * constellation.bits()
            * u64::from(self.streams);
        let (data, coded) = code_rate.fraction();
        // HE and EHT round down if LDPC leaves a fraction. VHT excludes such an MCS, and also these, which have 2 or
        // 6 encoders.
        (coded_bits * data).is_multiple_of(coded)
            && !matches!(
                (self.width, self.mcs, self.streams),
                (Width::Mhz80, 6, 3 | 7) | (Width::Mhz80, 9, 6) | (Width::Mhz160, 9, 3)
            )
    }

    /// True if the mode may use BCC: in HE and EHT in units up to 242 tones.  [80211ax-2021 §27.3.12.5],
    /// [80211be-2024 §36.3.13.3]
    fn may_be_convolutional(self) -> bool {
        !self.format.has_units()
            || (self.unit.tones(self.width) <= 242 && self.streams <= 4 && self.mcs <= 9)
    }

    /// Format and kind of the PPDU as the standard calls them, such as `HE TB`.
    fn name(self) -> String {
        let format = self.format.word().to_uppercase();
        match self.kind {
            PpduKind::Single => format,
            PpduKind::Multi => format + " MU",
            PpduKind::Triggered => format + " TB",
        }
    }

    /// True if a PPDU with these parameters may have this unit. A user of an MU PPDU without OFDMA has the unit that all
    /// of its users share.
    fn may_have(self, unit: Unit) -> bool {
        Unit::without_ofdma(self.format, self.width).contains(&unit)
            || (self.kind != PpduKind::Single && unit.is_of_ofdma(self.format, self.width))
    }
}

/// Number of data subcarriers, `N_SD`.  [80211-2020 Table 19-6, Table 21-5], [80211ax-2021 §27.5], [80211be-2024 §36.5]
pub(super) const fn data_subcarriers(format: Format, width: Width, unit: Unit) -> u64 {
    match (format, width) {
        (Format::He | Format::Eht, _) => unit.data_subcarriers(width),
        (Format::Ht | Format::Vht, Width::Mhz20) => 52,
        (Format::Ht | Format::Vht, Width::Mhz40) => 108,
        (Format::Ht | Format::Vht, Width::Mhz80) => 234,
        (Format::Ht | Format::Vht, Width::Mhz160 | Width::Mhz320) => 468,
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

impl Format {
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
}

/// Checks that the standard has a mode with these parameters.
pub(super) fn check(of: Parameters) -> Result<(), NoSuchMode> {
    let Parameters { format, mcs, streams, width, guard, .. } = of;
    let name = || of.name();
    let plural = if streams == 1 { "" } else { "s" };
    let refuse = |found: String, with: String, allowed: Vec<String>| {
        Err(NoSuchMode { found, with, allowed, clause: format.clause() })
    };
    let widths = format.all_widths();
    if !widths.contains(&width) {
        return refuse(width.to_string(), name(), texts(widths));
    }
    if of.kind != PpduKind::Single && !format.has_units() {
        let only = vec![format.word().to_uppercase()];
        return refuse(name(), "this model".to_owned(), only);
    }
    let guards = of.kind.guard_intervals(format);
    if !guards.contains(&guard) {
        return refuse(guard.to_string(), name(), texts(guards));
    }
    if !(1..=format.max_streams()).contains(&streams) {
        let allowed = (1..=format.max_streams()).map(|it| it.to_string()).collect();
        return refuse(format!("{streams} stream{plural}"), name(), allowed);
    }
    if !of.has_mcs() {
        let fits = |mcs: &u8| Parameters { mcs: *mcs, ..of }.has_mcs();
        let allowed = (0..=format.max_mcs()).filter(fits).map(|it| it.to_string()).collect();
        let with = match (format, mcs) {
            (Format::Eht, 14) => "this model, which never duplicates data (EHT DUP)".to_owned(),
            (Format::Eht, 15) => "this model, which has no dual carrier modulation".to_owned(),
            _ => format!("{}, {width}, {streams} stream{plural}", name()),
        };
        return refuse(format!("MCS {mcs}"), with, allowed);
    }
    check_ltf(of)?;
    if !of.may_have(of.unit) {
        let units = Unit::ALL.into_iter().filter(|it| of.may_have(*it)).collect::<Vec<_>>();
        return refuse(of.unit.to_string(), format!("{}, {width}", name()), texts(&units));
    }
    if of.coding == Coding::Bcc && !of.may_be_convolutional() {
        let unit = if of.unit == Unit::Full { String::new() } else { format!(", {}", of.unit) };
        let with = format!("{}, {width}{unit}, {streams} stream{plural}, MCS {mcs}", name());
        return refuse(String::from("BCC"), with, vec![String::from("LDPC")]);
    }
    Ok(())
}

/// Checks that the type of the LTF goes with the guard interval.
fn check_ltf(of: Parameters) -> Result<(), NoSuchMode> {
    let Parameters { format, guard, ltf, kind, .. } = of;
    let fits = |it: HeLtf| format.has_units() && it.goes_with(guard, format, kind);
    if ltf.map_or(!format.has_units(), fits) {
        return Ok(());
    }
    let all = HeLtf::ALL.into_iter().filter(|it| fits(*it));
    let allowed = all.map(|it| format!("{it:?}")).collect();
    let (found, with) = (format!("LTF {ltf:?}"), format!("{}, {guard}", of.name()));
    Err(NoSuchMode { found, with, allowed, clause: format.clause() })
}

/// Texts of some values, for the list of allowed ones.
fn texts<T: fmt::Display>(all: &[T]) -> Vec<String> {
    all.iter().map(T::to_string).collect()
}
