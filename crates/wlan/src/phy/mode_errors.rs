//! Probability that noise makes an error in an HT, VHT, HE or EHT PPDU, with BCC or LDPC.
//!
//! The noise is white and Gaussian, without fading. Each stream has the given signal-to-noise ratio, as with equally
//! many receive antennas and a channel that separates the streams. A demapper makes soft bits of each constellation,
//! independently of each other [caire-1998 §III]. For BCC the model is a union bound over the wrong paths of the
//! decoder, while the OFDM model ([`error_rate`](super::error_rate)) has hard decisions. For LDPC it is the normal
//! approximation of the best code of its length [polyanskiy-2010 §IV], of whose redundancy real codes and decoders
//! use only a part.
//!
//! `docs/validate.md` compares the curves with link simulations [patidar-2017].

mod paths;
mod soft_bits;

use airfair_units::{Dbm, Decibels};
use libm::pow;

use super::mode::{Coding, Format};
use super::modulation::{CodeRate, ModulationAndCoding};
use super::survival::{LogSurvival, log_success};
use super::{Mode, Unit};
use paths::Code;
use soft_bits::SoftBits;

/// Length of the longest codeword, which all but the shortest PPDUs use [coded bits].  [80211-2020 §19.3.11.7.5]
const CODEWORD: f64 = 1_944.0;
/// Part of an LDPC code's redundancy that its decoder does not use. With this part u, a code of rate R performs like
/// the best code of rate R + (1 - R)·u. The value is the only one that fits the tables of [patidar-2017] at all code
/// rates and constellations.
const UNUSED_REDUNDANCY: f64 = 0.28;
/// Length of L-SIG [bits].
const L_SIG: f64 = 24.0;
/// Length of the SERVICE field [bits].
const SERVICE: f64 = 16.0;

/// Properties of a mode on which its survival of noise depends. Modes of one class have equal survival.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct ErrorClass {
    format: Format,
    coding: Coding,
    mcs: u8,
    /// Number of BCC encoders, each of which adds tail bits; 0 for LDPC.
    encoders: u64,
}

impl ErrorClass {
    /// Error class of a mode.
    pub fn of(mode: Mode) -> Self {
        let (format, coding, mcs) = (mode.format(), mode.coding(), mode.mcs());
        Self { format, coding, mcs, encoders: mode.encoders() }
    }
}

/// Probabilities that the parts of an HT, VHT, HE or EHT PPDU survive noise, for any length.
///
/// `snr` is the ratio of powers in the occupied subcarriers, for each stream; in a resource unit, in its tones. The
/// header consists of L-SIG and HT-SIG, VHT-SIG-A, HE-SIG-A or U-SIG, in BPSK with code rate 1/2. HE-SIG-B and EHT-SIG
/// are not part of it.
pub fn log_survival(mode: Mode, snr: Decibels) -> LogSurvival {
    let snr = snr.get();
    LogSurvival { header: header(mode, snr), ..of_data(mode, snr) }
}

/// Data bits of HT-SIG, VHT-SIG-A, HE-SIG-A or U-SIG.
fn header_bits(format: Format) -> f64 {
    match format {
        Format::Ht | Format::Vht => 48.0,
        Format::He | Format::Eht => 52.0,
    }
}

/// Logarithm of the probability that L-SIG and HT-SIG, VHT-SIG-A, HE-SIG-A or U-SIG survive.
fn header(mode: Mode, snr: f64) -> f64 {
    let robust = ModulationAndCoding::of(0);
    let bits = L_SIG + header_bits(mode.format());
    bits * convolutional(robust, snr)
}

fn of_data(mode: Mode, snr: f64) -> LogSurvival {
    let (per_bit, tails) = match mode.coding() {
        Coding::Bcc => (convolutional(mode.modulation(), snr), tails(mode)),
        Coding::Ldpc => (low_density(mode.modulation(), snr), 0.0),
    };
    LogSurvival { header: 0.0, per_bit, overhead_bits: SERVICE + tails }
}

/// Number of tail bits of all encoders of a mode.
fn tails(mode: Mode) -> f64 {
    #[expect(clippy::cast_precision_loss, reason = "at most a dozen encoders")]
    let encoders = mode.encoders() as f64;
    6.0 * encoders
}

/// Logarithm of the probability that no wrong path of a convolutional code begins at a bit.
fn convolutional(of: ModulationAndCoding, snr: f64) -> f64 {
    let bits = SoftBits::of(of.constellation, ratio(snr));
    log_right(Code::of(of.code_rate).path(|weight| bits.pairwise(weight)))
}

/// Logarithm of the probability that an LDPC codeword is correct, per data bit.
fn low_density(of: ModulationAndCoding, snr: f64) -> f64 {
    let rate = fraction(of.code_rate);
    let as_if = rate + UNUSED_REDUNDANCY * (1.0 - rate);
    let bits = SoftBits::of(of.constellation, ratio(snr));
    log_right(bits.word_error(CODEWORD, as_if)) / (CODEWORD * rate)
}

/// Logarithm of the probability of success, 1 minus `wrong`. It stays finite even for a certain loss, so that a table
/// can interpolate.
fn log_right(wrong: f64) -> f64 {
    log_success(wrong.min(1.0 - f64::EPSILON), 1.0)
}

fn ratio(decibels: f64) -> f64 {
    pow(10.0, decibels / 10.0)
}

/// Minimum receiver sensitivity for this mode, at each antenna connector. In a resource unit a receiver needs the same
/// power in each tone as in the full width. [80211-2020 Table 19-23, Table 21-25], [80211ax-2021 Table 27-51],
/// [80211be-2024 §36.3.21.2]
pub fn sensitivity(mode: Mode) -> Dbm {
    const AT_20_MHZ: [i64; 14] =
        [-82, -79, -77, -74, -70, -66, -65, -64, -59, -57, -54, -52, -49, -46];
    let at_20_mhz = Dbm::new(AT_20_MHZ[usize::from(mode.mcs())]);
    match mode.unit().powered(mode.kind()) {
        Unit::Full => at_20_mhz + Decibels::new(3 * mode.width() as i64),
        unit => at_20_mhz + unit.over_20_mhz(mode.width()),
    }
}

fn fraction(code_rate: CodeRate) -> f64 {
    match code_rate {
        CodeRate::Half => 1.0 / 2.0,
        CodeRate::TwoThirds => 2.0 / 3.0,
        CodeRate::ThreeQuarters => 3.0 / 4.0,
        CodeRate::FiveSixths => 5.0 / 6.0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::mode::Parameters;
    use crate::phy::{GuardInterval, PpduKind, Width};
    use airfair_units::Bytes;

    fn mode(format: Format, mcs: u8, coding: Coding) -> Mode {
        let of = Parameters::of(format, mcs, 1, Width::Mhz20, GuardInterval::Ns800);
        let streams = if format == Format::Vht && mcs == 9 { 3 } else { 1 };
        Mode::new(Parameters { streams, coding, ..of }).expect("a mode of the standard")
    }

    fn loss(mode: Mode, octets: u64, snr: Decibels) -> f64 {
        log_survival(mode, snr).frame_error_rate(Bytes::new(octets))
    }

    /// Each mode of VHT and EHT, which has those of HE, is decoded at the ratio that its sensitivity leaves. The ratio
    /// is the power minus noise of -174 dBm/Hz in 20 MHz, -101 dBm, minus the margin that the standard grants a
    /// receiver: 10 dB of noise figure and 5 dB of losses.
    ///
    /// Verifies: [80211-2020 Table 19-23, Table 21-25], [80211ax-2021 Table 27-51], [80211be-2024 §36.3.21.2]
    #[test]
    fn every_mode_is_decoded_at_its_sensitivity() {
        let least = |mode| Decibels::rounded(sensitivity(mode).get() + 101.0 - 10.0);
        for mcs in 0..=9 {
            let mode = mode(Format::Vht, mcs, Coding::Bcc);
            let snr = Decibels::rounded(least(mode).get() - 5.0);
            assert!(loss(mode, 4_096, snr) < 0.1, "{mode:?} {}", loss(mode, 4_096, snr));
        }
        for mcs in 0..=13 {
            let mode = mode(Format::Eht, mcs, Coding::Ldpc);
            let snr = Decibels::rounded(least(mode).get() - 5.0);
            assert!(loss(mode, 4_096, snr) < 0.1, "{mode:?} {}", loss(mode, 4_096, snr));
        }
    }

    /// The sensitivity rises by 3 dB with each doubling of the channel width.
    ///
    /// Verifies: [80211-2020 Table 21-25]
    #[test]
    fn a_wider_channel_needs_as_much_more_power_as_it_has_noise() {
        let at = |width| {
            let of = Parameters::of(Format::Eht, 7, 1, width, GuardInterval::Ns800);
            sensitivity(Mode::new(of).expect("a mode"))
        };
        assert_eq!(Width::ALL.map(at), [-64, -61, -58, -55, -52].map(Dbm::new));
        // In 26 tones a receiver needs the same power per tone as in 242: -64 - 9.688 dBm.
        let of = Parameters::of(Format::He, 7, 1, Width::Mhz80, GuardInterval::Ns800);
        let of = Parameters { unit: Unit::Tones26, guard: GuardInterval::Ns1600, ..of };
        let of = Parameters { kind: PpduKind::Triggered, ..of };
        let unit = Mode::new(of).expect("a mode");
        assert_eq!(sensitivity(unit), Dbm::from_thousandths(-73_688));
        assert_eq!(ErrorClass::of(unit), ErrorClass::of(mode(Format::He, 7, Coding::Ldpc)));
    }

    #[test]
    fn without_signal_everything_is_lost_and_logarithms_are_numbers() {
        for coding in [Coding::Bcc, Coding::Ldpc] {
            for mcs in [0, 7, 9] {
                let of = mode(Format::He, mcs, coding);
                let LogSurvival { header, per_bit, .. } = log_survival(of, Decibels::new(-60));
                assert!(header.is_finite() && per_bit.is_finite(), "{of:?} {header} {per_bit}");
                assert!(loss(of, 32, Decibels::new(-60)) > 0.999_999, "{of:?}");
            }
        }
    }

    #[test]
    fn more_signal_less_length_and_a_lower_mcs_are_never_worse() {
        for mcs in [0, 2, 4, 5, 7, 9] {
            for coding in [Coding::Bcc, Coding::Ldpc] {
                let mode = mode(Format::He, mcs, coding);
                let mut last = 1.0;
                for decibels in -8..40 {
                    let now = loss(mode, 1_500, Decibels::new(decibels));
                    assert!(
                        (0.0..=1.0).contains(&now) && now <= last + 1e-9,
                        "{mode:?} {decibels}"
                    );
                    assert!(loss(mode, 100, Decibels::new(decibels)) <= now + 1e-12);
                    last = now;
                }
                assert!(last < 1e-6, "{mode:?}");
            }
        }
    }

    /// Signal-to-noise ratio at which noise makes errors in one of ten PSDUs of `octets` [dB]. Errors in the headers of
    /// PPDUs do not count.
    fn needed(mode: Mode, octets: u64) -> f64 {
        let (mut low, mut high) = (-20.0, 60.0);
        for _ in 0..40 {
            let middle = f64::midpoint(low, high);
            let is_enough = of_data(mode, middle).frame_error_rate(Bytes::new(octets)) < 0.1;
            *if is_enough { &mut high } else { &mut low } = middle;
        }
        high
    }

    /// Rows of the table in `docs/validate.md`: coding, MCS, octets, published value and the model's value [dB].
    fn documented() -> Vec<(Coding, u8, u64, f64, f64)> {
        let page = include_str!("../../../../docs/validate.md");
        let row = |line: &str| {
            let cells: Vec<&str> = line.split('|').map(str::trim).collect();
            let [_, coding, mcs, octets, published, ours, _] = cells[..] else { return None };
            let coding = [("BCC", Coding::Bcc), ("LDPC", Coding::Ldpc)]
                .into_iter()
                .find_map(|(name, it)| (name == coding).then_some(it))?;
            let [published, ours] = [published, ours].map(|it| it.replace('\u{2212}', "-").parse());
            Some((coding, mcs.parse().ok()?, octets.parse().ok()?, published.ok()?, ours.ok()?))
        };
        page.lines().filter_map(row).collect()
    }

    /// The model agrees with published link simulations: BCC within 0.25 dB, and LDPC within 0.3 dB. The published
    /// values are an excerpt of the tables in ns-3 that come from [patidar-2017]: the ratio at which one PPDU in ten is
    /// lost, interpolated between two values by the logarithm of the loss.
    #[test]
    fn published_link_simulations_are_met_as_the_docs_say() {
        let rows = documented();
        assert_eq!(rows.len(), 15);
        for (coding, mcs, octets, published, ours) in rows {
            let now = needed(mode(Format::He, mcs, coding), octets);
            assert!((now - ours).abs() < 0.006, "{coding:?} {mcs}: docs {ours}, now {now}");
            let allowed = if coding == Coding::Bcc { 0.25 } else { 0.3 };
            assert!((now - published).abs() < allowed, "{coding:?} {mcs}: {now} {published}");
        }
    }

    /// At equal ratios LDPC loses less than BCC, by one to three decibels, and each MCS needs more than the one
    /// below.
    #[test]
    fn ldpc_gains_on_bcc() {
        let all =
            |coding| [0, 1, 3, 4, 5, 7, 9].map(|mcs| needed(mode(Format::He, mcs, coding), 1_458));
        let (bcc, ldpc) = (all(Coding::Bcc), all(Coding::Ldpc));
        assert!(
            ldpc.is_sorted_by(|a, b| a < b) && bcc.is_sorted_by(|a, b| a < b),
            "{ldpc:?} {bcc:?}"
        );
        let gains = bcc.iter().zip(ldpc).map(|(bcc, ldpc)| bcc - ldpc);
        assert!(gains.into_iter().all(|gain| (1.0..3.0).contains(&gain)), "{bcc:?}, {ldpc:?}");
    }
}
