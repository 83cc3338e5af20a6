//! Loss of frames at a received power, from tables: with moving members, every frame has another signal-to-noise
//! ratio.

use std::collections::BTreeMap;

use airfair_units::{Bytes, Dbm, Decibels, Probability};

use super::reception::{Decoder, Radio};
use crate::phy::TxVector;
use crate::phy::error_rate::LogSurvival;
use crate::phy::known_survivals::log_survival;
use crate::phy::mode_errors::ErrorClass;

/// Distance between neighbouring points of the tables [thousandths of a dB].
const STEP: i64 = 50;
/// First signal-to-noise ratio in the tables [thousandths of a dB]; `LAST` is the last one. Below the first, no frame
/// of any mode survives; above the last, all do.
const FIRST: i64 = -20_000;
const LAST: i64 = 40_000;

/// Probabilities that frames without overlap are lost, for one cell.
///
/// With [`Decoder::Snr`], logarithms of survival are interpolated linearly between points 0.05 dB apart. A point is
/// computed when a cell first needs it. The result is within 0.002 of
/// [`frame_error_rate`](crate::phy::error_rate::frame_error_rate), for any length.
#[derive(Clone, Debug)]
pub struct Decoding {
    radio: Radio,
    curves: BTreeMap<TxVector, Curve>,
    /// Curves of HT, VHT and HE. Rate control asks for hundreds of modes, many of which share a curve.
    of_modes: BTreeMap<ErrorClass, Curve>,
}

/// Probability that frames with one vector survive noise, by signal-to-noise ratio, at the points computed so far.
#[derive(Clone, Debug)]
struct Curve {
    tx: TxVector,
    points: Vec<Option<LogSurvival>>,
}

impl Decoding {
    /// Creates empty tables for a cell.
    pub fn new(radio: Radio) -> Self {
        Self { radio, curves: BTreeMap::new(), of_modes: BTreeMap::new() }
    }

    /// Probability that a PPDU with this vector and `psdu` octets is not decoded at this power.
    ///
    /// # Panics
    /// With QualNet 4's sensitivities, if the vector is not one of 802.11a.
    pub fn loss(&mut self, tx: TxVector, psdu: Bytes, received: Dbm) -> Probability {
        match self.radio.decoder {
            Decoder::Sensitivity | Decoder::Qualnet4 => {
                let is_received = received >= self.radio.required_power(tx);
                if is_received { Probability::ZERO } else { Probability::ONE }
            }
            Decoder::Snr => {
                let snr = self.radio.snr(tx, received);
                let new = || Curve::new(tx);
                let curve = match tx {
                    TxVector::Mode(mode) => {
                        self.of_modes.entry(ErrorClass::of(mode)).or_insert_with(new)
                    }
                    _ => self.curves.entry(tx).or_insert_with(new),
                };
                let loss = curve.survival(snr).frame_error_rate(psdu);
                Probability::new(loss).expect("clamped")
            }
        }
    }
}

impl Curve {
    fn new(tx: TxVector) -> Self {
        let points = (LAST - FIRST) / STEP + 1;
        Self { tx, points: vec![None; usize::try_from(points).expect("a short table")] }
    }

    /// Survival at `snr`, interpolated linearly between the two points around it.
    fn survival(&mut self, snr: Decibels) -> LogSurvival {
        let above = snr.as_thousandths().clamp(FIRST, LAST - 1) - FIRST;
        let index = usize::try_from(above / STEP).expect("clamped");
        let share =
            Decibels::from_thousandths(above % STEP).get() / Decibels::from_thousandths(STEP).get();
        let (low, high) = (self.point(index), self.point(index + 1));
        let between = |low: f64, high: f64| low + share * (high - low);
        LogSurvival {
            header: between(low.header, high.header),
            per_bit: between(low.per_bit, high.per_bit),
            overhead_bits: low.overhead_bits,
        }
    }

    fn point(&mut self, index: usize) -> LogSurvival {
        let tx = self.tx;
        let steps = i64::try_from(index).expect("a short table");
        *self.points[index].get_or_insert_with(|| {
            log_survival(tx, Decibels::from_thousandths(FIRST + steps * STEP))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Frequency;

    use crate::phy::error_rate::{frame_error_rate, log_survival};
    use crate::phy::mode::{Format, Parameters};
    use crate::phy::{GuardInterval, Mode, Preamble, Standard, Width};
    use crate::radio::PathLoss;

    fn radio(decoder: Decoder) -> Radio {
        let frequency = Frequency::from_megahertz(2_437);
        Radio { decoder, ..Radio::new(Standard::G, PathLoss::FreeSpace { frequency }) }
    }

    fn error(tx: TxVector, octets: u64, thousandths: i64) -> f64 {
        let radio = radio(Decoder::Snr);
        let snr = Decibels::from_thousandths(thousandths);
        let loss = Decoding::new(radio).loss(tx, Bytes::new(octets), radio.noise(tx) + snr);
        (loss.get() - frame_error_rate(tx, Bytes::new(octets), snr)).abs()
    }

    /// Interpolated losses of OFDM, DSSS and CCK frames differ from exact ones by less than 0.002. With y = -ln of
    /// survival, y falls like e^(-c·x), with c of 3 to 4 per dB where frames begin to survive. Linear interpolation
    /// over h is off by at most h²/8 of the second derivative: 0.05²/8 · 16 · y·e^-y ≤ 0.0018, since y·e^-y ≤ 0.37.
    #[test]
    fn tables_are_within_two_thousandths_of_the_exact_rate() {
        let mut worst = 0.0f64;
        for tx in TxVector::all() {
            for octets in [14, 200, 1_536, 2_304] {
                // 17 has no factor in common with the distance of points, so all positions between two points are
                // tested.
                let errors = (-12_000..30_000).step_by(17).map(|snr| error(tx, octets, snr));
                worst = errors.fold(worst, f64::max);
            }
        }
        assert!(worst < 0.002, "{worst}");
    }

    /// Interpolated losses of HT and HE frames differ from exact ones by less than 0.01. With LDPC, -ln of survival
    /// falls like e^(-c·x) with c of about 8 per dB, twice as steeply as with BCC. By the estimate for OFDM, DSSS and
    /// CCK frames in the test of tables before, the error is up to 0.007.
    #[test]
    fn tables_of_modes_are_near_the_exact_rate_at_any_ratio() {
        for (format, mcs) in [(Format::Ht, 0), (Format::Ht, 7), (Format::He, 0), (Format::He, 5)] {
            let of = Parameters::of(format, mcs, 1, Width::Mhz20, GuardInterval::Ns800);
            let tx = TxVector::Mode(Mode::new(of).expect("a mode"));
            let ratios = (-25_000..45_000).step_by(1_317);
            let worst = ratios.map(|snr| error(tx, 1_536, snr)).fold(0.0, f64::max);
            assert!(worst < 0.01, "{tx}: {worst}");
        }
    }

    /// Modes of one error class have equal survival, so that all widths, guard intervals and streams may share tables
    /// by class.
    #[test]
    fn modes_of_one_class_survive_alike() {
        let snr = Decibels::new(12);
        let mut seen = BTreeMap::new();
        for format in [Format::Ht, Format::Vht, Format::He] {
            for width in [Width::Mhz20, Width::Mhz40, Width::Mhz80, Width::Mhz160] {
                for mode in Mode::all(format, width, format.guard_intervals()[0]) {
                    let own = log_survival(TxVector::Mode(mode), snr);
                    assert_eq!(*seen.entry(ErrorClass::of(mode)).or_insert(own), own, "{mode:?}");
                }
            }
        }
        // 8 and 10 MCSs with different numbers of encoders, and 12 with LDPC.
        assert!(seen.len() < 150, "{}", seen.len());
    }

    #[test]
    fn beyond_the_tables_nothing_changes_any_more() {
        for tx in TxVector::all() {
            for snr in [-300_000, FIRST - 1, FIRST, LAST - 1, LAST, LAST + 1, 300_000] {
                assert!(error(tx, 14, snr) < 1e-9, "{tx} at {snr}");
            }
        }
    }

    /// By sensitivities, a frame is decoded at the sensitivity of its rate, and lost a thousandth of a dB below.
    ///
    /// Verifies: [80211-2020 Table 17-18]
    #[test]
    fn a_sensitivity_is_a_threshold() {
        let mut decoding = Decoding::new(radio(Decoder::Sensitivity));
        let tx =
            TxVector::of(airfair_units::DataRate::from_mbps(54), Preamble::Long).expect("a rate");
        let mut loss = |power| decoding.loss(tx, Bytes::new(1_536), power);
        assert_eq!(loss(Dbm::new(-65)), Probability::ZERO);
        assert_eq!(loss(Dbm::from_thousandths(-65_001)), Probability::ONE);
    }
}
