//! Received power, compared with noise and with overlapping frames.

use airfair_units::{Dbm, Decibels, Length};

use super::path_loss::PathLoss;
use super::sensitivity::{carrier_sense_threshold, criterion, qualnet4, sensitivity};
use crate::air::hearing::Audibility;
use crate::phy::known_survivals::frame_error_rate;
use crate::phy::mode::Format;
use crate::phy::{Mode, Standard, TxVector, Unit, Width};

/// Thermal noise kTB of DSSS and CCK: 290 K in the 22 MHz in front of the correlator.
const DSSS_NOISE: Dbm = Dbm::from_thousandths(-100_551);
/// Thermal noise kTB of OFDM: 290 K in its 52 subcarriers of 312.5 kHz, 16.25 MHz. The ratio is then Es/N0 of each
/// subcarrier, as the error model defines it. The nominal 16.6 MHz would cost 0.09 dB, and the 20 MHz of the channel
/// 0.90 dB. [80211-2020 §17.3.2.3]
const OFDM_NOISE: Dbm = Dbm::from_thousandths(-101_867);
/// Noise figure of a receiver, as assumed in the standard's sensitivities.  [80211-2020 §17.3.10.2]
const NOISE_FIGURE: Decibels = Decibels::new(10);
/// Bounds of the search for a signal-to-noise ratio [thousandths of a dB].
const SEARCHED: (i64, i64) = (-50_000, 100_000);

/// Antenna and transmit power of one member.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terminal {
    /// Transmit power at the antenna connector.
    pub transmit_power: Dbm,
    /// Gain of the antenna over an isotropic one, minus cable losses, for sending and receiving.
    pub antenna_gain: Decibels,
}

/// Criterion by which a frame that no other frame overlaps is decoded.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Decoder {
    /// A frame has random errors, with a probability by its signal-to-noise ratio, rate and length.
    #[default]
    Snr,
    /// A frame is decoded if its received power is at least the sensitivity of its rate.  [80211-2020 §17.3.10.2]
    Sensitivity,
    /// A frame is decoded if its received power is at least QualNet 4's sensitivity, with QualNet 4's transmit powers
    /// of 802.11a.
    Qualnet4,
}

/// Properties that all members of a cell share: path loss and receivers.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Radio {
    /// Path loss model.
    pub path_loss: PathLoss,
    /// Noise figure of a receiver: its noise above thermal noise.
    pub noise_figure: Decibels,
    /// Criterion by which a frame is decoded.
    pub decoder: Decoder,
    /// Power from which a frame makes the medium busy.
    pub carrier_sense: Dbm,
    /// Power from which a frame makes the medium busy for a member that has missed the frame's preamble, because it sent or
    /// received another frame then; `None` if it senses such frames as all others.  [80211-2020 §17.3.10.6]
    pub energy_detection: Option<Dbm>,
    /// Capture margin: ratio by which a frame must exceed the sum of overlapping frames to survive; with `None`, none
    /// survives.
    pub capture: Option<Decibels>,
}

impl Radio {
    /// Default receivers of `standard`: a noise figure of 10 dB, carrier sense at the sensitivity of the most robust
    /// rate, decoding by signal-to-noise ratio, and no capture.
    pub fn new(standard: Standard, path_loss: PathLoss) -> Self {
        Self {
            path_loss,
            noise_figure: NOISE_FIGURE,
            decoder: Decoder::default(),
            carrier_sense: carrier_sense_threshold(standard),
            energy_detection: None,
            capture: None,
        }
    }

    /// Received power of a frame over `distance` [m]. `link` is the link's gain beside the path loss.
    pub fn received(&self, from: Terminal, to: Terminal, distance: f64, link: Decibels) -> Dbm {
        radiated(from, to) - self.path_loss.loss(distance) + link
    }

    /// Longest distance over which at least `power` is received [m]; `None` if it is not received even at the
    /// smallest distance. Accurate to half a thousandth of a dB, which is 0.006 % in free space.
    pub fn reach(&self, from: Terminal, to: Terminal, power: Dbm) -> Option<f64> {
        let loss = radiated(from, to) - power;
        let nearest = self.path_loss.loss(self.path_loss.nearest());
        (loss >= nearest).then(|| self.path_loss.distance(loss))
    }

    /// Longest distance over which frames with this vector are just received; `None` if they are not received even at
    /// the smallest distance.
    pub fn range(&self, from: Terminal, to: Terminal, tx: TxVector) -> Option<Length> {
        self.reach(from, to, self.required_power(tx)).map(Length::rounded)
    }

    /// Noise of a receiver for frames with this vector: thermal noise and the noise figure.
    pub fn noise(&self, tx: TxVector) -> Dbm {
        let thermal = match tx {
            TxVector::Dsss(..) => DSSS_NOISE,
            TxVector::Ofdm(_) => OFDM_NOISE,
            TxVector::Mode(mode) => mode_noise(mode),
        };
        thermal + self.noise_figure
    }

    /// Noise of a receiver in the whole channel of a frame with this vector.
    pub(crate) fn channel_noise(&self, tx: TxVector) -> Dbm {
        match tx {
            TxVector::Mode(mode) => channel_noise(mode.format(), mode.width()) + self.noise_figure,
            _ => self.noise(tx),
        }
    }

    /// Signal-to-noise ratio of a frame at this received power, as
    /// [`frame_error_rate`](crate::phy::error_rate::frame_error_rate) takes it.
    pub fn snr(&self, tx: TxVector, received: Dbm) -> Decibels {
        received - self.noise(tx)
    }

    /// Power at which frames with this vector are just received: the sensitivity, or the power at which the error
    /// model has the error rate that defines a sensitivity. This is 10 % of 1000 octets in OFDM and of 4096 octets in
    /// HT, VHT and HE, and 8 % of 1024 octets in DSSS and CCK.  [80211-2020 §17.3.10.2, §15.4.6.2, §16.3.8.2, Table
    /// 19-23]
    ///
    /// # Panics
    /// With QualNet 4's sensitivities, if the vector is not one of 802.11a.
    pub fn required_power(&self, tx: TxVector) -> Dbm {
        match self.decoder {
            Decoder::Sensitivity => sensitivity(tx),
            Decoder::Qualnet4 => qualnet4(tx),
            Decoder::Snr => self.noise(tx) + required_snr(tx),
        }
    }

    /// Audibility of a frame with this received power, if frames of its kind need `required` to be received.
    pub(crate) fn audibility(&self, power: Dbm, required: Dbm) -> Audibility {
        if !self.senses(power) {
            Audibility::Nothing
        } else if power >= required {
            Audibility::Decodes
        } else {
            Audibility::Senses
        }
    }

    /// True if a frame with this received power makes the medium busy.
    pub fn senses(&self, received: Dbm) -> bool {
        received >= self.carrier_sense
    }
}

/// Thermal noise kTB of HT and later formats: 290 K in the occupied subcarriers, pilots included, so that the ratio is
/// Es/N0 of each of them, as in OFDM. In a resource unit it is the noise in the tones over which the sender spreads its
/// power.  [80211-2020 Table 19-6, Table 21-5], [80211ax-2021 §27.3.2]
fn mode_noise(mode: Mode) -> Dbm {
    match (mode.format(), mode.unit().powered(mode.kind())) {
        (format @ (Format::Ht | Format::Vht), _) | (format, Unit::Full) => {
            channel_noise(format, mode.width())
        }
        (format, unit) => channel_noise(format, Width::Mhz20) + unit.over_20_mhz(mode.width()),
    }
}

/// Thermal noise in all occupied subcarriers of a channel: 56, 114, 242 and 484 of 312.5 kHz; 242, 484, 996, 1992 and
/// 3984 of 78.125 kHz.
fn channel_noise(format: Format, width: Width) -> Dbm {
    const HT_AND_VHT: [i64; 4] = [-101_545, -98_458, -95_189, -92_178];
    const HE: [i64; 5] = [-101_209, -98_199, -95_065, -92_054, -89_044];
    Dbm::from_thousandths(match format {
        Format::Ht | Format::Vht => HT_AND_VHT[width as usize],
        _ => HE[width as usize],
    })
}

/// Power on a linear scale [mW].
pub(crate) fn milliwatts(power: Dbm) -> f64 {
    libm::pow(10.0, power.get() / 10.0)
}

/// Received power without any loss between the antennas.
fn radiated(from: Terminal, to: Terminal) -> Dbm {
    from.transmit_power + from.antenna_gain + to.antenna_gain
}

/// Lowest signal-to-noise ratio, to a thousandth of a dB, with at most the error rate of the standard's sensitivity.
/// It is found by bisection.
fn required_snr(tx: TxVector) -> Decibels {
    let (psdu, target) = criterion(tx);
    let (mut too_low, mut enough) = SEARCHED;
    while enough - too_low > 1 {
        let middle = too_low + (enough - too_low) / 2;
        if frame_error_rate(tx, psdu, Decibels::from_thousandths(middle)) <= target {
            enough = middle;
        } else {
            too_low = middle;
        }
    }
    Decibels::from_thousandths(enough)
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Frequency;

    use crate::phy::mode::Parameters;
    use crate::phy::{GuardInterval, PpduKind, ofdm};

    const TERMINAL: Terminal =
        Terminal { transmit_power: Dbm::new(20), antenna_gain: Decibels::new(2) };

    fn radio() -> Radio {
        let frequency = Frequency::from_megahertz(5_200);
        Radio::new(Standard::A, PathLoss::FreeSpace { frequency })
    }

    /// Thermal noise is kT times the bandwidth. kT = 1.380649e-23 · 290 = 4.00388e-21 W/Hz = -173.9752 dBm/Hz; 22
    /// MHz: + 73.4242 dB; 52 · 312.5 kHz = 16.25 MHz: + 72.1085 dB.
    #[test]
    fn noise_is_ktb() {
        let noise = |hertz: f64| 10.0 * libm::log10(1.380_649e-23 * 290.0 * hertz * 1e3);
        assert!((noise(22e6) - DSSS_NOISE.get()).abs() < 6e-4, "{}", noise(22e6));
        assert!((noise(52.0 * 312.5e3) - OFDM_NOISE.get()).abs() < 6e-4, "{}", noise(16.25e6));
        for (width, (subcarriers, he)) in Width::ALL.into_iter().zip([
            (56.0, 242.0),
            (114.0, 484.0),
            (242.0, 996.0),
            (484.0, 1_992.0),
        ]) {
            let of = |format| {
                let of = Parameters::of(format, 0, 1, width, GuardInterval::Ns800);
                mode_noise(Mode::new(of).expect("a mode")).get()
            };
            assert!((noise(subcarriers * 312.5e3) - of(Format::Vht)).abs() < 6e-4, "{width}");
            assert!((noise(he * 78.125e3) - of(Format::He)).abs() < 6e-4, "{width}");
        }
        let unit = |width, unit, kind| {
            let usual = Parameters::of(Format::Eht, 0, 1, width, GuardInterval::Ns1600);
            mode_noise(Mode::new(Parameters { unit, kind, ..usual }).expect("a mode")).get()
        };
        for (width, of, tones) in [
            (Width::Mhz320, Unit::Full, 3_984.0),
            (Width::Mhz80, Unit::Tones26, 26.0),
            (Width::Mhz80, Unit::Tones242, 242.0),
            (Width::Mhz320, Unit::Tones3x996And484, 3_472.0),
        ] {
            let triggered = unit(width, of, PpduKind::Triggered);
            assert!((noise(tones * 78.125e3) - triggered).abs() < 1.1e-3, "{of}");
            let down = unit(width, of, PpduKind::Multi);
            assert!((down - unit(width, Unit::Full, PpduKind::Single)).abs() < 1e-9, "{of}");
        }
        // With a noise figure of 10 dB, -82 dBm are 9.867 dB above the noise.
        let ratio = radio().snr(TxVector::Ofdm(ofdm::Modulation::Bpsk12), Dbm::new(-82));
        assert_eq!(ratio, Decibels::from_thousandths(9_867));
    }

    /// 20 + 2 + 2 - 86.768 - 3 = -65.768 dBm at 100 m behind an obstacle of 3 dB.
    #[test]
    fn a_link_budget_adds_up() {
        let link = Decibels::new(-3);
        let received = radio().received(TERMINAL, TERMINAL, 100.0, link);
        assert_eq!(received, Dbm::from_thousandths(-65_768));
        let reach = radio().reach(TERMINAL, TERMINAL, received - link).expect("far enough");
        assert!((reach - 100.0).abs() < 0.01, "{reach}");
        assert_eq!(radio().reach(TERMINAL, TERMINAL, Dbm::new(30)), None);
    }

    /// At the power at which frames are just received, the error rate is the one that defines the standard's
    /// sensitivity.
    ///
    /// Verifies: [80211-2020 §17.3.10.2]
    #[test]
    fn what_is_just_received_is_lost_as_often_as_the_standard_says() {
        for tx in TxVector::all() {
            let power = radio().required_power(tx);
            let (psdu, target) = criterion(tx);
            let at = |power| frame_error_rate(tx, psdu, radio().snr(tx, power));
            assert!(at(power) <= target && at(power - Decibels::from_thousandths(1)) > target);
            // The standard's sensitivities have a margin of 5 dB, so the error model must need less power than they
            // allow.
            assert!(power < sensitivity(tx), "{tx}: {power}");
        }
    }

    #[test]
    fn carrier_sense_compares_powers() {
        let radio = radio();
        assert!(radio.senses(Dbm::new(-82)) && !radio.senses(Dbm::from_thousandths(-82_001)));
        assert!((milliwatts(Dbm::new(-30)) - 1e-3).abs() < 1e-15);
    }
}
