//! Playout of a call: the delay at which frames are played, and the opinion of the call with it.  Deviates: [D-358]

use airfair_transport::live::Codec;
use airfair_units::Duration;

use super::e_model::{Equipment, equipment, rating};
use super::quantiles::Histogram;
use crate::outcome::Opinion;

/// Opinion of a call with these delays of frames, of which `lost` more never arrived; `None` without a frame, or if the
/// E-model does not know the codec.
///
/// Frames that come later than they are played are missing, so a longer delay means fewer gaps. The delay is the one with the
/// best rating.
pub(super) fn opinion(codec: Codec, delays: &Histogram, lost: u64) -> Option<Opinion> {
    let equipment = equipment(codec)?;
    let bins = delays.bins();
    let complete: u64 = bins.iter().map(|bin| bin.packets).sum();
    if complete + lost == 0 {
        return None;
    }
    let longest = delays.quantiles().max;
    let mut on_time = 0;
    let played = bins.iter().map(|bin| {
        on_time += bin.packets;
        let playout = bin.to.min(longest);
        Opinion {
            rating: rated(&equipment, playout, complete + lost - on_time, complete + lost),
            playout,
        }
    });
    let silent = Opinion { rating: 0.0, playout: Duration::ZERO };
    Some(played.fold(silent, |best, it| if it.rating > best.rating { it } else { best }))
}

/// Rating of a call of which this many of all frames are missing when they should be played.
#[expect(clippy::cast_precision_loss, reason = "counts below 2^53")]
fn rated(equipment: &Equipment, playout: Duration, missing: u64, all: u64) -> f64 {
    let delay_ms = equipment.delay_ms + playout.as_secs_f64() * 1e3;
    rating(equipment, delay_ms, missing as f64 / all as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn histogram(samples: &[(u64, u64)]) -> Histogram {
        let mut histogram = Histogram::default();
        for &(ms, count) in samples {
            (0..count).for_each(|_| histogram.add(Duration::from_millis(ms)));
        }
        histogram
    }

    fn of(samples: &[(u64, u64)], lost: u64) -> Opinion {
        opinion(Codec::G711, &histogram(samples), lost).expect("frames")
    }

    /// All frames take 10 ms: 30 ms from mouth to ear with the frame itself cost less than one point of 93.2.
    #[test]
    fn a_call_without_variation_is_played_at_its_delay() {
        let found = of(&[(10, 1_000)], 0);
        assert_eq!(found.playout, Duration::from_millis(10));
        assert!((92.0..93.0).contains(&found.rating), "{found:?}");
    }

    /// One frame of a hundred takes 300 ms. To wait for it costs 20 points and more; to go without costs
    /// 95 · 1 / (1 + 25.1) = 3.6. If half of the frames take 300 ms, to go without costs 95 · 50 / 75.1 = 63.
    #[test]
    fn few_late_frames_are_given_up_and_many_are_waited_for() {
        let few = of(&[(10, 99), (300, 1)], 0);
        assert!(few.playout < Duration::from_millis(11), "{few:?}");
        assert!((of(&[(10, 99)], 1).rating - few.rating).abs() < 0.01, "{few:?}");
        let many = of(&[(10, 50), (300, 50)], 0);
        assert_eq!(many.playout, Duration::from_millis(300));
        assert!((65.0..75.0).contains(&many.rating), "{many:?}");
    }

    #[test]
    fn calls_without_frames_have_no_opinion_and_lost_ones_the_worst() {
        assert_eq!(opinion(Codec::G711, &Histogram::default(), 0), None);
        assert_eq!(opinion(Codec::Opus, &histogram(&[(10, 9)]), 0), None);
        assert!(of(&[], 7).rating.abs() < f64::EPSILON);
    }
}
