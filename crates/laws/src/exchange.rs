//! Channel time of one packet, `T_data(C, λ)`.
//!
//! Source: [arf-window eq. 10], [occupancy-tfrc eq. 9]. Both laws use this time as a term, so there is no
//! `step`.
//!
//! ```text
//!   DIFS  back-off │ RTS │ SIFS │ CTS │ SIFS │ DATA │ SIFS │ ACK │
//!   ├─── access ───┤
//! ```
//!
//! The papers assume one packet per frame. The time of an aggregate is divided equally among its packets.
//! Deviates: [D-157]

use airfair_units::{Bytes, DataRate, Duration};

use crate::Direction;

/// Choice of the number of packets among which a law divides the channel time of an aggregate.
/// Deviates: [D-157]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Aggregates {
    /// Every packet counts as if it were sent in its own frame.
    Apart,
    /// The time of an aggregate is divided among the mean number of packets per aggregate that the flow had
    /// in the observation slot.
    Seen,
    /// The time of an aggregate is divided among the most packets that an aggregate may have on the link at
    /// its rate, which gives the highest throughput.
    #[default]
    Full,
}

impl Aggregates {
    /// Largest number of packets per aggregate that this choice allows a flow whose aggregates had `seen`
    /// packets on average.
    pub fn max_packets(self, seen: u32) -> u32 {
        match self {
            Self::Apart => 1,
            Self::Seen => seen,
            Self::Full => u32::MAX,
        }
    }

    /// Assumption on aggregates for packets that a flow has already sent: at most as many packets per
    /// aggregate as were observed.
    #[must_use]
    pub fn of_sent(self) -> Self {
        if self == Self::Full { Self::Seen } else { self }
    }
}

/// A packet for whose frame exchange a law needs the duration.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Direction of the packet on its link.
    pub direction: Direction,
    /// Length of the packet, LLC/SNAP included.
    pub msdu: Bytes,
    /// PHY rate of the frame that contains the packet.
    pub rate: DataRate,
    /// Largest number of packets of this length in one aggregate. The limits of the aggregate itself may
    /// allow fewer.
    pub max_packets: u32,
}

/// Durations of the parts of a frame exchange with data.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Exchange {
    /// Duration of DIFS and mean back-off before the exchange.
    pub access: Duration,
    /// Durations of RTS and CTS, if used; only the second for a CTS-to-self.
    pub protection: [Option<Duration>; 2],
    /// Duration of the data frame.
    pub data: Duration,
    /// Duration of the ACK of the data frame.
    pub ack: Duration,
    /// Duration of the gap between two frames of the exchange.
    pub sifs: Duration,
    /// Number of packets that share the data frame, at least one.
    pub packets: u32,
}

impl Exchange {
    /// Duration of the exchange divided by the packets that share it.  [arf-window eq. 10],
    /// [occupancy-tfrc eq. 9]
    pub fn time(&self) -> Duration {
        let [first, second] =
            self.protection.map(|it| it.map_or(Duration::ZERO, |it| it.saturating_add(self.sifs)));
        let parts = [self.access, first, second, self.data, self.sifs, self.ack];
        // With the counters of a real machine a frame may last for centuries, so the sum saturates.
        parts.into_iter().fold(Duration::ZERO, Duration::saturating_add) / u64::from(self.packets)
    }
}

/// Function that returns the frame exchange in a cell for an access time and a packet.
pub type Exchanges<'c> = dyn Fn(Duration, Load) -> Exchange + 'c;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::us;

    /// The time of an exchange includes every gap between its frames. By 802.11a, with DIFS 34 and back-off
    /// 45, control frames 28, SIFS 16 and data 248 µs, it is 79 + 28 + 16 + 28 + 16 + 248 + 16 + 28 = 459 µs;
    /// after a CTS-to-self 415; without RTS/CTS 371.
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

    /// The packets of an aggregate share its time equally. Access 79, an aggregate of 580 µs, SIFS 16 and
    /// `BlockAck` 32 are 707 µs; each of 7 packets gets 101 of them.
    #[test]
    fn packets_of_an_aggregate_share_its_time() {
        let (access, data, ack, sifs) = (us(79), us(580), us(32), us(16));
        let exchange = Exchange { access, protection: [None; 2], data, ack, sifs, packets: 7 };
        assert_eq!(exchange.time(), us(101));
        let most = |it: Aggregates| it.max_packets(7);
        assert_eq!([Aggregates::Apart, Aggregates::Seen].map(most), [1, 7]);
        assert!(most(Aggregates::Full) > 256);
        let of_sent = |it: Aggregates| most(it.of_sent());
        assert_eq!([Aggregates::Apart, Aggregates::Seen, Aggregates::Full].map(of_sent), [1, 7, 7]);
    }
}
