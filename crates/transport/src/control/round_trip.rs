//! Smoothing of round-trip samples.  [RFC6298 §2], [RFC9002 §5.3]

use airfair_units::Duration;

/// Smoothed round-trip time and its smoothed variation.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Smoothed {
    /// SRTT: smoothed round-trip time.
    pub(crate) rtt: Duration,
    /// RTTVAR: smoothed variation of the round-trip time.
    pub(crate) variation: Duration,
}

impl Smoothed {
    /// Values after `sample`, which a first sample sets and a later one enters with the weights 1/8 and 1/4.
    /// [RFC6298 §2.2 and §2.3]
    pub(crate) fn after(before: Option<Self>, sample: Duration) -> Self {
        let Some(Self { rtt, variation }) = before else {
            return Self { rtt: sample, variation: sample / 2 };
        };
        let error = if rtt > sample { rtt - sample } else { sample - rtt };
        Self { variation: (variation * 3 + error) / 4, rtt: (rtt * 7 + sample) / 8 }
    }
}
