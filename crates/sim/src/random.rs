//! Named random streams.
//!
//! A stream depends on the seed, the replication, the *name* of its owner and its purpose, never on the order of
//! creation. Adding a station leaves the random numbers of the other stations unchanged. Two schemes compared under
//! one seed share random streams, so their runs are paired.

use airfair_wlan::Stream;
use rand_core::SeedableRng;

/// Purpose of a random stream.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Purpose {
    /// Random stream for the back-offs of a member of a cell.
    Backoff,
    /// Random stream for the errors of frames between a station and its access point.
    FrameErrors,
    /// Random stream for the rates that rate control samples, for frames from a station.
    SamplingUp,
    /// Random stream for the rates that rate control samples, for frames to a station.
    SamplingDown,
    /// Random stream for the random delay of a flow's start.
    Start,
    /// Random stream for the losses of a wired link from its first end to its second.
    LossForth,
    /// Random stream for the losses of a wired link from its second end to its first.
    LossBack,
    /// Random stream for random early detection on a wired link, from its first end to its second.
    RedForth,
    /// Random stream for random early detection on a wired link, from its second end to its first.
    RedBack,
    /// Random stream for the motion of a station.
    Mobility,
    /// Random stream for the shadowing and fading of a station's link.
    Shadowing,
    /// Random stream for the random access of a station to resource units.
    RandomAccess,
    /// Random stream for the agents at a node that are written outside of the simulator, such as laws in Python.
    Agent,
    /// Random stream for the phase of a cell's beacons.
    BeaconPhase,
    /// Random stream for the times at which a flow's congestion control probes.
    Probing,
    /// Random stream for the times and sizes of the frames of a flow's live application.
    Application,
}

/// Random streams of one run.
#[derive(Clone, Copy, Debug)]
pub struct Streams {
    seed: u64,
    replication: u32,
}

impl Streams {
    /// Creates the streams of replication `replication` under `seed`.
    pub fn new(seed: u64, replication: u32) -> Self {
        Self { seed, replication }
    }

    /// Random stream of the station, cell, flow or link named `owner` for `purpose`.
    pub fn stream(&self, owner: &str, purpose: Purpose) -> Stream {
        let purpose = match purpose {
            Purpose::Backoff => 1,
            Purpose::LossForth => 2,
            Purpose::LossBack => 3,
            Purpose::RedForth => 4,
            Purpose::RedBack => 5,
            Purpose::FrameErrors => 6,
            Purpose::Start => 7,
            Purpose::SamplingUp => 8,
            Purpose::SamplingDown => 9,
            Purpose::Mobility => 10,
            Purpose::Shadowing => 11,
            Purpose::Agent => 12,
            Purpose::RandomAccess => 13,
            Purpose::BeaconPhase => 14,
            Purpose::Probing => 20,
            Purpose::Application => 30,
        };
        let words = [self.seed, u64::from(self.replication), purpose];
        let mixed =
            words.into_iter().fold(fnv1a(owner.as_bytes()), |state, word| mix(state ^ word));
        Stream::seed_from_u64(mixed)
    }
}

/// 64-bit FNV-1a hash, which is the same on every platform.
fn fnv1a(bytes: &[u8]) -> u64 {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, step)
}

/// Finaliser of `SplitMix64`, in which every bit of the input affects every bit of the output.
fn mix(word: u64) -> u64 {
    let word = word.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ (word >> 31)
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_core::Rng;

    fn first(seed: u64, replication: u32, owner: &str) -> u64 {
        Streams::new(seed, replication).stream(owner, Purpose::Backoff).next_u64()
    }

    #[test]
    fn a_stream_depends_on_seed_replication_and_name_and_on_nothing_else() {
        assert_eq!(first(1, 0, "slow"), first(1, 0, "slow"));
        let draws =
            [first(1, 0, "slow"), first(2, 0, "slow"), first(1, 1, "slow"), first(1, 0, "fast")];
        for (i, a) in draws.iter().enumerate() {
            assert!(draws[i + 1..].iter().all(|b| a != b));
        }
    }

    #[test]
    fn the_generator_is_pinned() {
        // A change here changes every result: see CONTRIBUTING.md, "Results change".
        assert_eq!(first(1, 0, "slow"), 15_780_651_709_246_830_406);
    }
}
