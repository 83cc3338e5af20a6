//! Time that one packet takes over the air, `T_data(C, λ)`.
//!
//! Source: [arf-window eq. 10], [occupancy-tfrc eq. 9]. It is a term of both laws and decides nothing, so that there
//! is no `step`.
//!
//! ```text
//!   DIFS  back-off │ RTS │ SIFS │ CTS │ SIFS │ DATA │ SIFS │ ACK │
//!   ├─── access ───┤
//! ```

use airfair_units::{Bytes, DataRate, Duration};

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
}

impl Exchange {
    /// All of it.  [arf-window eq. 10], [occupancy-tfrc eq. 9]
    pub fn time(&self) -> Duration {
        let protection = self.protection.iter().flatten().map(|frame| *frame + self.sifs);
        self.access + protection.sum() + self.data + self.sifs + self.ack
    }
}

/// Exchange of a cell that begins with such an access and carries a packet so long at such a rate.
pub type Exchanges<'c> = dyn Fn(Duration, Bytes, DataRate) -> Exchange + 'c;

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
            Exchange { access, protection, data, ack, sifs }.time()
        };
        let control = Some(us(28));
        assert_eq!(time([control, control]), us(459));
        assert_eq!(time([None, control]), us(415));
        assert_eq!(time([None; 2]), us(371));
    }
}
