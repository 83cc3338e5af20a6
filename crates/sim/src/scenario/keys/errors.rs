//! Keys of the errors of frames between a station and its access point.

use airfair_units::{Decibels, Duration, Probability};
use airfair_wlan::{ErrorModel, Periods};

use super::super::declare::{Choice, Keys};
use super::super::kind::Kind;
use super::ranges::PERIOD;

const SNR: Kind = Kind::Decibels { min: Decibels::new(-100), max: Decibels::new(200) };
const ANY_TIME: Duration = Duration::from_secs(1);

/// Models of frame errors.
pub(crate) const ERRORS: Choice<ErrorModel> = Choice {
    key: "model",
    noun: "error model",
    says: "Error model.",
    name: |model| match model {
        ErrorModel::None => "none",
        ErrorModel::Bernoulli(_) => "bernoulli",
        ErrorModel::Bits(_) => "bit",
        ErrorModel::GilbertElliott(_) => "gilbert-elliott",
        ErrorModel::Snr(_) => "snr",
    },
    alone: || vec![ErrorModel::None],
    tables: || {
        let (good, bad) = (Probability::ZERO, Probability::ONE);
        let periods = Periods { good, bad, mean_good: ANY_TIME, mean_bad: ANY_TIME };
        vec![
            ErrorModel::Bernoulli(bad),
            ErrorModel::Bits(bad),
            ErrorModel::GilbertElliott(periods),
            ErrorModel::Snr(Decibels::ZERO),
        ]
    },
    has_default: false,
    settings: |keys, model| match model {
        ErrorModel::None => {}
        ErrorModel::Bernoulli(probability) => {
            keys.of("Bernoulli frame errors");
            keys.key("probability", probability, Kind::Probability, "0.2")
                .required()
                .says("Probability that a frame is errored, whatever its kind and length.");
        }
        ErrorModel::Bits(ber) => {
            keys.of("bit errors");
            keys.key("ber", ber, Kind::Probability, "1e-6")
                .required()
                .says("Bit error probability; one wrong bit makes a frame errored.");
        }
        ErrorModel::GilbertElliott(it) => periods(keys, it),
        ErrorModel::Snr(snr) => {
            keys.of("a noisy channel");
            keys.key("snr", snr, SNR, "\"6 dB\"").required().says(
                "Signal-to-noise ratio in the channel's bandwidth. The probability of a frame error follows from it, \
                 the rate and the length.",
            );
        }
    },
};

fn periods(keys: &mut Keys, it: &mut Periods) {
    keys.of("good and bad periods");
    keys.key("good", &mut it.good, Kind::Probability, "0.01")
        .says("Probability that a frame is errored in a good period.");
    keys.key("bad", &mut it.bad, Kind::Probability, "0.5")
        .says("Probability that a frame is errored in a bad period.");
    keys.key("mean_good", &mut it.mean_good, PERIOD, "\"1 s\"")
        .required()
        .says("Mean of a good period's length, which is exponential.");
    keys.key("mean_bad", &mut it.mean_bad, PERIOD, "\"100 ms\"")
        .required()
        .says("Mean of a bad period's length, which is exponential.");
}
