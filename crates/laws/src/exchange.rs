//! Time that one packet takes over the air, `T_data(C, λ)`.
//!
//! Source: [arf-window eq. 10], [occupancy-tfrc eq. 9]. It is a term of both laws and decides nothing, so that there
//! is no `step`.
//!
//! ```text
//!   DIFS  back-off │ RTS │ SIFS │ CTS │ SIFS │ DATA │ SIFS │ ACK │
//!   ├─── access ───┤
//! ```
//!
//! The papers know a packet to a frame. Of an aggregate the time is that of all its packets, and each has an equal part
//! of it.  Deviates: [D-157]

use airfair_units::{Bytes, DataRate, Duration};

use crate::Direction;

/// Packets of an aggregate among which a law divides its time.  Deviates: [D-157]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregates {
    /// One, as if each packet were a frame of its own.
    Apart,
    /// As many as the flow's aggregates had in the observation slot, on average.
    Seen,
    /// As many as an aggregate of the link may have at its rate: the highest throughput that can be achieved.
    #[default]
    Full,
}

impl Aggregates {
    /// Most packets of an aggregate of a flow that is to have its highest throughput, where there were so many on average.
    pub fn most(self, seen: u32) -> u32 {
        match self {
            Self::Apart => 1,
            Self::Seen => seen,
            Self::Full => u32::MAX,
        }
    }

    /// The same for packets that a flow has sent already: no more than it had.
    #[must_use]
    pub fn of_sent(self) -> Self {
        if self == Self::Full { Self::Seen } else { self }
    }
}

/// A packet whose exchange a law asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Way of it on its link.
    pub direction: Direction,
    /// Its length, LLC/SNAP included.
    pub msdu: Bytes,
    /// Rate of its frame.
    pub rate: DataRate,
    /// Packets like it in an aggregate at the most; an aggregate's own limits may allow fewer.
    pub most: u32,
}

/// The parts of an exchange.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// DIFS and mean back-off.
    pub access: Duration,
    /// RTS and CTS, where they are used; a CTS to oneself alone.
    pub protection: [Option<Duration>; 2],
    /// The data frame.
    pub data: Duration,
    /// Its ACK.
    pub ack: Duration,
    /// Gap between two of them.
    pub sifs: Duration,
    /// Packets that share the data frame, one at least.
    pub packets: u32,
}

impl Exchange {
    /// All of it, divided by the packets that share it.  [arf-window eq. 10], [occupancy-tfrc eq. 9]
    pub fn time(&self) -> Duration {
        let [first, second] =
            self.protection.map(|it| it.map_or(Duration::ZERO, |it| it.saturating_add(self.sifs)));
        let parts = [self.access, first, second, self.data, self.sifs, self.ack];
        // By the counters of a real machine a frame may last for centuries: the sum ends at the longest interval.
        parts.into_iter().fold(Duration::ZERO, Duration::saturating_add) / u64::from(self.packets)
    }
}

/// Exchange of a cell that begins with such an access and carries such packets.
pub type Exchanges<'c> = dyn Fn(Duration, Load) -> Exchange + 'c;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::us;

    /// 802.11a: DIFS 34 and back-off 45, control frames 28, SIFS 16, data 248 µs.
    /// 79 + 28 + 16 + 28 + 16 + 248 + 16 + 28 = 459 µs; after a CTS to oneself 415; without RTS/CTS 371.
    ///
    /// Verifies: [arf-window eq. 10], [occupancy-tfrc eq. 9]
    #[test]
    fn every_gap_counts() {
        let time = |protection| {
            let (access, data, ack, sifs) = (us(79), us(248), us(28), us(16));
            Exchange { access, protection, data, ack, sifs, packets: 1 }.time()
        };
        let control = Some(us(28));
        assert_eq!(time([control, control]), us(459));
        assert_eq!(time([None, control]), us(415));
        assert_eq!(time([None; 2]), us(371));
    }

    /// Access 79, an aggregate of 580 µs, SIFS 16 and `BlockAck` 32: 707 µs, and each of 7 packets has 101 of them.
    #[test]
    fn packets_of_an_aggregate_share_its_time() {
        let (access, data, ack, sifs) = (us(79), us(580), us(32), us(16));
        let exchange = Exchange { access, protection: [None; 2], data, ack, sifs, packets: 7 };
        assert_eq!(exchange.time(), us(101));
        let most = |it: Aggregates| it.most(7);
        assert_eq!([Aggregates::Apart, Aggregates::Seen].map(most), [1, 7]);
        assert!(most(Aggregates::Full) > 256);
        let of_sent = |it: Aggregates| most(it.of_sent());
        assert_eq!([Aggregates::Apart, Aggregates::Seen, Aggregates::Full].map(of_sent), [1, 7, 7]);
    }
}
