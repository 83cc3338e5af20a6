//! The E-model: the opinion of a call from its delay and its losses.  [G107 §7], [G113 Appendix I]
//!
//! A rating factor R of about 93 is a perfect call over a telephone. Delay and losses take their parts of it. R becomes a mean
//! opinion score (MOS) from 1, bad, to 4.5, excellent. All parameters but delay, losses and codec have the default values of
//! [G107 Table 3], with which the echo of the far end is weak.  Deviates: [D-357]

use airfair_transport::live::Codec;

/// Loudness ratings of the sending and of the receiving side [dB].  [G107 Table 3]
const SENDING_LOUDNESS: f64 = 8.0;
const RECEIVING_LOUDNESS: f64 = 2.0;
/// Loudness rating of the talker's echo [dB].  [G107 Table 3]
const TALKER_ECHO: f64 = 65.0;
/// Weighted echo path loss of the listener [dB].  [G107 Table 3]
const LISTENER_ECHO_LOSS: f64 = 110.0;
/// Sum of all noise at the reference point, with the default values [dBm0p].  [G107 eq. 7-3]
const NOISE: f64 = -61.179_214_386_241_69;
/// Impairments that come with the voice itself, with the default values.  [G107 eq. 7-8]
const SIMULTANEOUS: f64 = 1.413_568_081_343_861_6;
/// Largest delay that nobody notices, without echo [ms].  [G107 Table 1]
const UNNOTICED_MS: f64 = 100.0;

/// Codec, as far as the E-model distinguishes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Equipment {
    /// Equipment impairment factor Ie without losses.
    impairment: f64,
    /// Packet-loss robustness factor Bpl.
    robustness: f64,
    /// Time from the first sample of a packet to its departure, for 20 ms of voice and the look-ahead [ms].
    pub(super) delay_ms: f64,
}

/// G.711 with the packet loss concealment of its appendix I.  [G113 Appendix I]
const G711: Equipment = Equipment { impairment: 0.0, robustness: 25.1, delay_ms: 20.0 };
/// G.729A, in packets of two frames, with voice activity detection.  [G113 Appendix I]
const G729: Equipment = Equipment { impairment: 11.0, robustness: 19.0, delay_ms: 25.0 };
/// AMR at 12.2 kb/s, which is GSM's enhanced full rate.  [G113 Appendix I]
const AMR: Equipment = Equipment { impairment: 5.0, robustness: 10.0, delay_ms: 25.0 };

/// Equipment of a codec; `None` if [G113 Appendix I] does not have it.
pub(super) fn equipment(codec: Codec) -> Option<Equipment> {
    match codec {
        Codec::Amr => Some(AMR),
        Codec::G711 => Some(G711),
        Codec::G729 => Some(G729),
        Codec::Opus => None,
    }
}

/// Rating factor R of a call, for the delay from mouth to ear and the share of packets that are missing, at random, where
/// they should be played.  [G107 eq. 7-1]
pub(super) fn rating(codec: &Equipment, delay_ms: f64, missing: f64) -> f64 {
    let signal = 15.0 - 1.5 * (SENDING_LOUDNESS + NOISE);
    let percent = 100.0 * missing;
    let lossy = (95.0 - codec.impairment) * percent / (percent + codec.robustness);
    signal - SIMULTANEOUS - delay(signal, delay_ms) - (codec.impairment + lossy)
}

/// Impairment by delay: the talker's echo, the listener's echo, and the delay itself.  [G107 eq. 7-18]
fn delay(signal: f64, ms: f64) -> f64 {
    talker_echo(ms) + listener_echo(signal, 2.0 * ms) + pure_delay(ms)
}

/// Impairment by the talker's own echo after this delay.  [G107 eq. 7-19 to 7-22]
fn talker_echo(ms: f64) -> f64 {
    if ms < 1.0 {
        return 0.0;
    }
    let masked = TALKER_ECHO - 40.0 * libm::log10((1.0 + ms / 10.0) / (1.0 + ms / 150.0))
        + 6.0 * libm::exp(-0.3 * ms * ms);
    let (without, with) = (-1.5 * (NOISE - RECEIVING_LOUDNESS), 80.0 + 2.5 * (masked - 14.0));
    let half = (without - with) / 2.0;
    (half + libm::sqrt(half * half + 100.0) - 1.0) * (1.0 - libm::exp(-ms))
}

/// Impairment by the listener's echo after this round trip.  [G107 eq. 7-25, 7-26]
fn listener_echo(signal: f64, round_trip_ms: f64) -> f64 {
    let rating = 10.5 * (LISTENER_ECHO_LOSS + 7.0) * libm::pow(round_trip_ms + 1.0, -0.25);
    let half = (signal - rating) / 2.0;
    half + libm::sqrt(half * half + 169.0)
}

/// Impairment by delay without an echo.  [G107 eq. 7-27, 7-28]
fn pure_delay(ms: f64) -> f64 {
    if ms <= UNNOTICED_MS {
        return 0.0;
    }
    let doublings = libm::log2(ms / UNNOTICED_MS);
    let sixth = |x: f64| libm::pow(1.0 + libm::pow(x, 6.0), 1.0 / 6.0);
    25.0 * (sixth(doublings) - 3.0 * sixth(doublings / 3.0) + 2.0)
}

/// Mean opinion score for a rating factor.  [G107 Annex B]
pub fn opinion(rating: f64) -> f64 {
    if rating <= 0.0 {
        return 1.0;
    }
    if rating >= 100.0 {
        return 4.5;
    }
    1.0 + 0.035 * rating + rating * (rating - 60.0) * (100.0 - rating) * 7e-6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_near(found: f64, expected: f64, error: f64) {
        assert!((found - expected).abs() < error, "{found} instead of {expected}");
    }

    /// R = 93.2: 1 + 0.035 · 93.2 + 93.2 · 33.2 · 6.8 · 7e-6 = 1 + 3.262 + 0.1473 = 4.41. R = 70, where many users are
    /// dissatisfied: 1 + 2.45 + 70 · 10 · 30 · 7e-6 = 3.597. R = 50: 1 + 1.75 − 50 · 10 · 50 · 7e-6 = 2.575.
    /// Verifies: [G107 Annex B]
    #[test]
    fn opinions_of_ratings() {
        for (rating, expected) in [(93.2, 4.409), (70.0, 3.597), (50.0, 2.575)] {
            is_near(opinion(rating), expected, 0.001);
        }
        for (rating, expected) in [(-3.0, 1.0), (0.0, 1.0), (100.0, 4.5), (120.0, 4.5)] {
            is_near(opinion(rating), expected, 1e-12);
        }
    }

    /// Without delay and losses: 15 − 1.5 · (8 − 61.179) − 1.414 = 93.355, less 0.149 for the listener's echo at no delay,
    /// (94.769 − 1228.5) / 2 + √(566.87² + 169) = 0.149.
    /// Verifies: [G107 §7]
    #[test]
    fn a_call_with_all_defaults_has_a_rating_of_93_2() {
        is_near(rating(&G711, 0.0, 0.0), 93.206, 0.01);
    }

    /// 2 % of losses with G.711: 95 · 2 / (2 + 25.1) = 7.01. With AMR: 5 + 90 · 2 / (2 + 10) = 20, and 10 + 5 = 15 less for
    /// losses of 1.25 %, 90 · 1.25 / 11.25 = 10.
    /// Verifies: [G113 Appendix I]
    #[test]
    fn losses_take_their_part() {
        let perfect = rating(&G711, 0.0, 0.0);
        is_near(perfect - rating(&G711, 0.0, 0.02), 7.011, 0.001);
        is_near(perfect - rating(&AMR, 0.0, 0.02), 20.0, 1e-9);
        is_near(perfect - rating(&AMR, 0.0, 0.0125), 15.0, 1e-9);
        is_near(perfect - rating(&G729, 0.0, 0.0), 11.0, 1e-9);
    }

    /// 400 ms are two doublings of 100 ms: 25 · ((1 + 64)^(1/6) − 3 · (1 + (2/3)^6)^(1/6) + 2)
    /// = 25 · (2.00517 − 3 · 1.01416 + 2) = 24.07. Nobody notices 100 ms.
    /// Verifies: [G107 §7.4]
    #[test]
    fn delay_without_an_echo() {
        assert_eq!(pure_delay(100.0).to_bits(), 0.0_f64.to_bits());
        is_near(pure_delay(400.0), 24.07, 0.02);
    }

    /// Cole and Rosenbluth have fitted the whole impairment by delay, echoes included: 0.024 a millisecond, and 0.11 more for
    /// each beyond 177.3 ms. The fit is within 3.2 points of R up to 400 ms.
    #[test]
    fn the_delay_is_near_the_fit_of_cole_and_rosenbluth() {
        let perfect = rating(&G711, 0.0, 0.0);
        for ms in [50.0, 100.0, 150.0, 200.0, 300.0, 400.0_f64] {
            let fit = 0.024 * ms + 0.11 * (ms - 177.3).max(0.0);
            is_near(perfect - rating(&G711, ms, 0.0), fit, 3.2);
        }
    }
}
