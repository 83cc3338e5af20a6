//! Errors by noise in frames between a station and its access point.

use std::collections::BTreeMap;

use airfair_units::{Bytes, Decibels, Duration, Probability, Time};
use rand_core::Rng;

use crate::phy::TxVector;
use crate::phy::error_rate::{LogSurvival, independent_bits};
use crate::phy::known_survivals::log_survival;
use crate::phy::mode_errors::ErrorClass;
use crate::random::Stream;

/// Model of frame errors between a station and its access point, in both directions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ErrorModel {
    /// Noise causes no errors.
    #[default]
    None,
    /// Independent errors with one probability for all frames, regardless of their length.
    Bernoulli(Probability),
    /// Independent bit errors with this probability in the PSDU.
    Bits(Probability),
    /// Good and bad periods of exponentially distributed length.  [gilbert-1960]
    GilbertElliott(Periods),
    /// Errors that depend on rate and length of the frame, at this signal-to-noise ratio.
    Snr(Decibels),
}

/// Parameters of the Gilbert-Elliott model: a link alternates between a good and a bad state in continuous time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Periods {
    /// Frame error probability in good periods.
    pub good: Probability,
    /// Frame error probability in bad periods.
    pub bad: Probability,
    /// Mean length of a good period.
    pub mean_good: Duration,
    /// Mean length of a bad period.
    pub mean_bad: Duration,
}

impl Periods {
    /// Long-run fraction of time in bad periods.
    fn bad_share(&self) -> f64 {
        let (good, bad) = (self.mean_good.as_secs_f64(), self.mean_bad.as_secs_f64());
        bad / (good + bad)
    }

    /// Probability of the bad state `elapsed` after a known state: π + (1 or 0 - π)·e^(-t/τ) with 1/τ = 1/good +
    /// 1/bad. This is exact for the two-state chain, so that changes of the state need no events.
    fn bad_after(&self, was_bad: bool, elapsed: Duration) -> Probability {
        let share = self.bad_share();
        let rate = 1.0 / self.mean_good.as_secs_f64() + 1.0 / self.mean_bad.as_secs_f64();
        let memory = libm::exp(-elapsed.as_secs_f64() * rate);
        let start = if was_bad { 1.0 } else { 0.0 };
        let bad = (share + (start - share) * memory).clamp(0.0, 1.0);
        Probability::new(bad).expect("clamped")
    }
}

/// Errors of frames on the links of a cell, each link with its own model.
#[derive(Clone, Debug, Default)]
pub(crate) struct LinkErrors {
    links: Vec<Option<FrameErrors>>,
    survivals: Survivals,
}

impl LinkErrors {
    /// Creates the errors of links with these models and random streams.
    pub(crate) fn new(links: impl Iterator<Item = (ErrorModel, Stream)>) -> Self {
        let links = links.map(|(model, stream)| FrameErrors::new(model, stream)).collect();
        Self { links, survivals: Survivals::default() }
    }

    /// Replaces the error model of link `at`. `stream` is used if the link had no errors so far.
    pub(crate) fn set_model(&mut self, at: usize, model: ErrorModel, stream: Stream) {
        match &mut self.links[at] {
            Some(link) => link.set_model(model),
            link => *link = FrameErrors::new(model, stream),
        }
    }

    /// Probability that a frame of link `at` is lost, as far as it depends on vector and length.
    pub(crate) fn loss(&mut self, at: usize, tx: TxVector, psdu: Bytes) -> Probability {
        let link = self.links[at].as_mut();
        link.map_or(Probability::ZERO, |link| link.loss(tx, psdu, &mut self.survivals))
    }

    /// Draws the errors of a frame of link `at`, which ends at `now`. Returns true if noise has made an error in it.
    #[inline]
    pub(crate) fn errs(&mut self, at: usize, now: Time, tx: TxVector, psdu: Bytes) -> bool {
        let link = self.links[at].as_mut();
        link.is_some_and(|link| link.errs(now, (tx, psdu), &mut self.survivals))
    }

    /// True if link `at` has an error model.
    #[inline]
    pub(crate) fn is_on(&self, at: usize) -> bool {
        self.links[at].is_some()
    }

    /// True if some link has an error model.
    pub(crate) fn is_on_anywhere(&self) -> bool {
        self.links.iter().any(Option::is_some)
    }
}

/// Survival probabilities by vector and signal-to-noise ratio, for any link and length, as far as this cell has needed
/// them. The cell has its own copies because the process-wide table is behind a lock.
#[derive(Clone, Debug, Default)]
struct Survivals {
    of_vectors: BTreeMap<(TxVector, Decibels), LogSurvival>,
    /// Survival of HT, VHT and HE modes, by error class: many modes share one.
    of_modes: BTreeMap<(ErrorClass, Decibels), LogSurvival>,
}

impl Survivals {
    fn get(&mut self, tx: TxVector, snr: Decibels) -> LogSurvival {
        let survival = || log_survival(tx, snr);
        *match tx {
            TxVector::Mode(mode) => {
                self.of_modes.entry((ErrorClass::of(mode), snr)).or_insert_with(survival)
            }
            _ => self.of_vectors.entry((tx, snr)).or_insert_with(survival),
        }
    }
}

/// Errors of the frames of one link.
#[derive(Clone, Debug)]
struct FrameErrors {
    model: ErrorModel,
    stream: Stream,
    /// State of the link at the last frame, true for a bad period, with the time of this frame.
    seen: (bool, Time),
    /// Probabilities of loss by vector and length.
    known: BTreeMap<(TxVector, Bytes), Probability>,
}

impl FrameErrors {
    /// Creates the errors of a link under `model`; `None` for a model without errors.
    fn new(model: ErrorModel, stream: Stream) -> Option<Self> {
        let (seen, known) = ((false, Time::ZERO), BTreeMap::new());
        (model != ErrorModel::None).then_some(Self { model, stream, seen, known })
    }

    /// Replaces the error model, and keeps the random stream.
    fn set_model(&mut self, model: ErrorModel) {
        self.model = model;
        self.known.clear();
    }

    /// Probability that a frame of the link is lost, as far as it depends on vector and length.
    fn loss(&mut self, tx: TxVector, psdu: Bytes, survivals: &mut Survivals) -> Probability {
        let ErrorModel::Snr(snr) = self.model else { return Probability::ZERO };
        let loss = || probability(survivals.get(tx, snr).frame_error_rate(psdu));
        *self.known.entry((tx, psdu)).or_insert_with(loss)
    }

    /// Draws the errors of a frame of `psdu` octets, which ends at `now`. Returns true if noise has made an error in
    /// the frame.
    fn errs(
        &mut self,
        now: Time,
        (tx, psdu): (TxVector, Bytes),
        survivals: &mut Survivals,
    ) -> bool {
        let probability = match self.model {
            ErrorModel::None => return false,
            ErrorModel::Bernoulli(probability) => probability,
            ErrorModel::Bits(ber) => probability(independent_bits(ber.get(), psdu)),
            ErrorModel::Snr(_) => self.loss(tx, psdu, survivals),
            ErrorModel::GilbertElliott(periods) => {
                let (was_bad, at) = self.seen;
                let is_bad = periods.bad_after(was_bad, now - at).happens(self.stream.next_u64());
                self.seen = (is_bad, now);
                if is_bad { periods.bad } else { periods.good }
            }
        };
        probability.happens(self.stream.next_u64())
    }
}

fn probability(value: f64) -> Probability {
    Probability::new(value.clamp(0.0, 1.0)).expect("clamped")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::phy::error_rate::frame_error_rate;
    use crate::phy::mode::{Format, Mode};
    use crate::phy::{GuardInterval, Preamble, Width, dsss};
    use rand_core::SeedableRng;

    /// Vector of 11 Mb/s.
    const FAST: TxVector = TxVector::Dsss(dsss::Modulation::Cck8, Preamble::Long);
    const PERIODS: Periods = Periods {
        good: Probability::ZERO,
        bad: Probability::ONE,
        mean_good: Duration::from_millis(300),
        mean_bad: Duration::from_millis(100),
    };

    fn link(model: ErrorModel) -> FrameErrors {
        FrameErrors::new(model, Stream::seed_from_u64(5)).expect("a link with errors")
    }

    /// Under the Gilbert-Elliott model, bad periods have the expected share of time and the expected length. Frames
    /// come every 10 ms. The share of bad time is 100/400. A bad period continues for the next 10 ms with probability
    /// 1/4 + 3/4 e^(-10/75) = 0.90636, so bursts have 1/(1 - 0.90636) = 10.68 frames on average.
    #[test]
    fn bad_periods_have_their_share_of_time_and_their_length() {
        let mut link = link(ErrorModel::GilbertElliott(PERIODS));
        let mut at = Time::ZERO;
        let frames = 400_000;
        let (mut errored, mut bursts, mut last) = (0u32, 0u32, false);
        for _ in 0..frames {
            at += Duration::from_millis(10);
            let now = link.errs(at, (FAST, Bytes::new(1_000)), &mut Survivals::default());
            (errored, bursts) = (errored + u32::from(now), bursts + u32::from(now && !last));
            last = now;
        }
        let share = f64::from(errored) / f64::from(frames);
        let length = f64::from(errored) / f64::from(bursts);
        assert!((share - 0.25).abs() < 0.01, "{share}");
        assert!((length - 10.68).abs() < 0.4, "{length}");
    }

    #[test]
    fn a_link_forgets_its_state_in_the_long_run_and_keeps_it_for_an_instant() {
        let bad = |was_bad, ms| PERIODS.bad_after(was_bad, Duration::from_millis(ms)).get();
        assert!((bad(true, 0) - 1.0).abs() < 1e-12 && bad(false, 0).abs() < 1e-12);
        assert!((bad(true, 100_000) - 0.25).abs() < 1e-12);
        assert!((bad(true, 10) - 0.906_36).abs() < 1e-4);
    }

    #[test]
    fn frames_are_errored_as_often_as_the_model_says() {
        let size = Bytes::new(1_000);
        let snr = Decibels::new(4);
        let models = [
            (ErrorModel::Bernoulli(Probability::literal(0.3)), 0.3),
            // 1 - (1 - 1e-5)^8000
            (ErrorModel::Bits(Probability::literal(1e-5)), 0.076_884),
            (ErrorModel::Snr(snr), frame_error_rate(FAST, size, snr)),
        ];
        for (model, expected) in models {
            let (mut link, mut survivals) = (link(model), Survivals::default());
            let mut errs = || link.errs(Time::ZERO, (FAST, size), &mut survivals);
            let errored = (0..100_000).filter(|_| errs()).count();
            let share = f64::from(u32::try_from(errored).expect("few frames")) / 1e5;
            assert!((share - expected).abs() < 0.008, "{model:?}: {share}");
        }
        assert!(FrameErrors::new(ErrorModel::None, Stream::seed_from_u64(0)).is_none());
    }

    /// A link at 4 dB loses a frame of 1000 octets at 11 Mb/s with probability 1 - 3.1e-8. Once the link has 12 dB, it
    /// loses such a frame with probability 2.4e-11.
    #[test]
    fn a_link_with_a_new_signal_to_noise_ratio_forgets_the_old_losses() {
        let at = |snr| ErrorModel::Snr(Decibels::new(snr));
        let stream = Stream::seed_from_u64(5);
        let mut links = LinkErrors::new(std::iter::once((at(4), stream.clone())));
        let loss = |links: &mut LinkErrors| links.loss(0, FAST, Bytes::new(1_000)).get();
        let before = loss(&mut links);
        links.set_model(0, at(12), stream);
        let after = loss(&mut links);
        assert!(before > 0.999 && after < 0.001, "{before} {after}");
    }

    /// Loss by survival probabilities that links have already computed and share equals loss that is computed anew. Two
    /// links have the same signal-to-noise ratio, and modes have two widths.
    #[test]
    fn links_share_what_is_known_of_survival_and_no_more() {
        let modes = [Width::Mhz20, Width::Mhz80]
            .map(|width| Mode::all(Format::He, width, GuardInterval::Ns800));
        let snrs = [18, 18, 25].map(Decibels::new);
        let all = snrs.map(|snr| (ErrorModel::Snr(snr), Stream::seed_from_u64(5)));
        let mut links = LinkErrors::new(all.into_iter());
        for mode in modes.into_iter().flatten().filter(|mode| mode.streams() <= 2) {
            let tx = TxVector::Mode(mode);
            for (at, snr) in snrs.into_iter().enumerate() {
                for octets in [52, 1_500].map(Bytes::new) {
                    let exact = frame_error_rate(tx, octets, snr);
                    let difference = links.loss(at, tx, octets).get() - probability(exact).get();
                    assert!(difference.abs() < f64::EPSILON, "{mode:?} {snr:?}: {difference}");
                }
            }
        }
    }
}
