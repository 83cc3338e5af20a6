//! Ranges of values that keys of several tables have.

use airfair_units::{Bytes, Duration};

use super::super::kind::Kind;
use super::limits::MAX_DURATION;

/// Range of a queue's length [packets].
pub(super) const PACKETS: Kind = integer(1, 100_000);
pub(super) const CAPACITY: &str = "Capacity [packets], the packet in service included.";
pub(crate) const OFF: Kind = Kind::Word(&["off"]);
pub(super) const UNLIMITED: Kind = Kind::Word(&["unlimited"]);
pub(super) const RUN: Kind = time(Duration::from_micros(1), MAX_DURATION);
/// Range of a time since the start of a run: from zero to the longest run.
pub(crate) const TIME: Kind = time(Duration::ZERO, MAX_DURATION);
pub(super) const PERIOD: Kind = time(Duration::from_micros(1), Duration::from_secs(3_600));
pub(super) const DELAY: Kind = time(Duration::ZERO, Duration::from_secs(3_600));
pub(super) const SERIES: Kind = Kind::Either(&[OFF, RUN]);

pub(super) const fn integer(min: u64, max: u64) -> Kind {
    Kind::Integer { min, max }
}

pub(crate) const fn time(min: Duration, max: Duration) -> Kind {
    Kind::Duration { min, max }
}

pub(crate) const fn bytes(min: u64, max: u64) -> Kind {
    Kind::Bytes { min: Bytes::new(min), max: Bytes::new(max) }
}
pub(crate) const MARK_ABOVE: &str = "Packets that find more packets than this in the queue, the one in service included, are \
                                     marked if their transport has `ecn`; for DCTCP.";
