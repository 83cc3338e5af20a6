//! Losses of packets on a wired link, after its queue.

use airfair_units::Probability;
use airfair_wlan::Stream;
use rand_core::Rng;

use crate::scenario::{GilbertElliott, Loss};

/// Loss process of one direction of a link.
#[derive(Clone, Debug)]
pub(super) struct Channel {
    model: Loss,
    is_bad: bool,
    stream: Stream,
}

impl Channel {
    pub(super) fn new(model: Loss, stream: Stream) -> Self {
        Self { model, is_bad: false, stream }
    }

    /// Replaces the loss model. A Gilbert-Elliott chain starts in its good state.
    pub(super) fn set_model(&mut self, model: Loss) {
        (self.model, self.is_bad) = (model, false);
    }

    /// Draws the fate of the next packet: true if the link carries it to the other end.
    #[inline]
    pub(super) fn carries(&mut self) -> bool {
        self.model == Loss::None || self.carries_by_chance()
    }

    #[inline(never)]
    fn carries_by_chance(&mut self) -> bool {
        match self.model {
            Loss::None => true,
            Loss::Bernoulli(probability) => !self.happens(probability),
            Loss::GilbertElliott(GilbertElliott { good, bad, to_bad, to_good }) => {
                let change = if self.is_bad { to_good } else { to_bad };
                self.is_bad ^= self.happens(change);
                !self.happens(if self.is_bad { bad } else { good })
            }
        }
    }

    fn happens(&mut self, probability: Probability) -> bool {
        probability.happens(self.stream.next_u64())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::{Purpose, Streams};

    const PACKETS: u32 = 200_000;

    fn outcomes(model: Loss) -> Vec<bool> {
        let stream = Streams::new(7, 0).stream("link", Purpose::LossForth);
        let mut channel = Channel::new(model, stream);
        (0..PACKETS).map(|_| channel.carries()).collect()
    }

    fn lost(outcomes: &[bool]) -> f64 {
        let lost = outcomes.iter().filter(|carried| !**carried).count();
        f64::from(u32::try_from(lost).expect("few packets")) / f64::from(PACKETS)
    }

    /// The fraction of lost packets differs from the probability p by less than five standard deviations √(p (1 − p) /
    /// n).
    #[test]
    fn independent_losses_come_as_often_as_asked() {
        for p in [0.0005, 0.01, 0.1, 0.5] {
            let outcomes = outcomes(Loss::Bernoulli(Probability::literal(p)));
            let spread = (p * (1.0 - p) / f64::from(PACKETS)).sqrt();
            assert!((lost(&outcomes) - p).abs() < 5.0 * spread, "{p}");
        }
        assert!(outcomes(Loss::Bernoulli(Probability::ONE)).iter().all(|carried| !carried));
        assert!(outcomes(Loss::None).iter().all(|carried| *carried));
    }

    /// Losses have the share and the bursts of the chain, which is in the bad state for `to_bad / (to_bad + to_good)`
    /// = 0.01 / 0.05 = 1/5 of the packets, in stays of `1 / to_good` = 25 packets on average.
    #[test]
    fn losses_of_two_states_come_in_bursts_of_the_right_length() {
        let chain = GilbertElliott {
            good: Probability::ZERO,
            bad: Probability::ONE,
            to_bad: Probability::literal(0.01),
            to_good: Probability::literal(0.04),
        };
        let outcomes = outcomes(Loss::GilbertElliott(chain));
        assert!((lost(&outcomes) - 0.2).abs() < 0.01, "{}", lost(&outcomes));
        let bursts = outcomes.windows(2).filter(|pair| pair[0] && !pair[1]).count();
        let bursts = f64::from(u32::try_from(bursts).expect("few bursts"));
        let length = lost(&outcomes) * f64::from(PACKETS) / bursts;
        assert!((length - 25.0).abs() < 2.0, "{length}");
    }
}
