//! Equations of a station under a grant: its share, the shares of its flows, and their highest rates.
//! [occupancy-tfrc §III-B, §III-C]

use airfair_units::{DataRate, Duration};

use super::{Grant, Params, Spare};
use crate::exchange::Exchange;

/// Share of the channel granted to a station that has `used` this fraction of the channel.
/// [occupancy-tfrc eq. 5 and 7]
#[must_use]
pub fn share(params: &Params, grant: Grant, used: f64) -> f64 {
    let is_unsatisfied = params.is_unsatisfied(used, grant.even());
    grant.even() + if is_unsatisfied { grant.additional() } else { 0.0 }
}

/// Share of the channel of a flow whose rate is not controlled: `packets` per second times the duration of an
/// exchange.  [occupancy-tfrc eq. 8 and 10]
#[must_use]
pub fn needed(packets: f64, exchange: &Exchange) -> f64 {
    packets * exchange.time().as_secs_f64()
}

/// Division of a station's share among its controlled flows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Division {
    even: f64,
    additional: f64,
    params: Params,
}

impl Division {
    /// Divides a station's share `available` among its controlled flows, which have `used` these fractions of
    /// the channel, after uncontrolled flows have got the share `need`.
    /// [occupancy-tfrc eq. 11 to 13, eq. 15]
    #[must_use]
    #[expect(clippy::cast_precision_loss, reason = "at most 65 535 flows")]
    pub fn new(params: &Params, available: f64, used: &[f64], need: f64) -> Self {
        let even = (available - need) / used.len().max(1) as f64;
        let is_unsatisfied = |used: &&f64| params.is_unsatisfied(**used, even);
        let remaining = match params.spare {
            Spare::Printed => available - used.iter().sum::<f64>() - need,
            Spare::Once => used.iter().filter(|it| !is_unsatisfied(it)).map(|it| even - it).sum(),
        };
        let unsatisfied = used.iter().filter(is_unsatisfied).count();
        let additional = if unsatisfied == 0 { 0.0 } else { remaining / unsatisfied as f64 };
        Self { even, additional, params: *params }
    }

    /// Share of a controlled flow that has `used` this fraction of the channel; negative if uncontrolled
    /// flows need more than there is.  [occupancy-tfrc eq. 14]
    #[must_use]
    pub fn share(&self, used: f64) -> f64 {
        let is_unsatisfied = self.params.is_unsatisfied(used, self.even);
        self.even + if is_unsatisfied { self.additional } else { 0.0 }
    }
}

/// Frequency of the packets that answer a flow's data, such as ACKs and reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Answers {
    /// One report per round trip, as with TFRC; the value is the round-trip time.
    EachRoundTrip(Duration),
    /// One answer per b data packets, as with TCP's ACKs; the value is b.
    Each(f64),
}

/// Channel time of the packets of a controlled flow at the current rates of its link.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PacketCost {
    /// λ: mean payload of a data packet [octets].
    pub payload: f64,
    /// Frame exchange of a data packet.
    pub data: Exchange,
    /// Frame exchange of a packet that answers the flow's data.
    pub answer: Exchange,
    /// Frequency of the packets that answer the flow's data.
    pub answers: Answers,
}

/// θ: highest rate of application data of a flow with `share` of the channel. The flow gets at least one
/// packet per observation `slot`, because it would be invisible otherwise. [occupancy-tfrc eq. 16 to 18], for
/// TCP [arf-window eq. 8 and 9]  Deviates: [D-112]
#[must_use]
pub fn highest_rate(share: f64, slot: Duration, packet: &PacketCost) -> DataRate {
    let (data, answer) = (packet.data.time().as_secs_f64(), packet.answer.time().as_secs_f64());
    let packets = match packet.answers {
        Answers::EachRoundTrip(round_trip) => (share - answer / round_trip.as_secs_f64()) / data,
        Answers::Each(packets) => share / (data + answer / packets),
    };
    let octets = packet.payload * packets.max(1.0 / slot.as_secs_f64());
    DataRate::from_bps(whole_bits(octets).max(1))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn whole_bits(octets: f64) -> u64 {
    (8.0 * octets + 0.5) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fixture::us;
    use proptest::prelude::*;

    fn is_near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-9 * a.abs().max(b.abs()).max(1.0)
    }

    /// A station that has used nearly all of its equal share may also use the additional share: 0.4 for each
    /// and 0.2 more, if it has used 0.32 or more.
    ///
    /// Verifies: [occupancy-tfrc eq. 7]
    #[test]
    fn a_station_that_uses_its_share_may_have_more() {
        let params = Params::default();
        let grant = Grant::new(0.4, 0.2, Duration::ZERO);
        let unit = 1.0 / 65_535.0;
        assert!((share(&params, grant, 0.31) - 0.4).abs() < unit);
        assert!((share(&params, grant, 0.33) - 0.6).abs() < 2.0 * unit);
    }

    /// A flow that is not controlled needs the channel time of its packets: 50 packets per second with 34 +
    /// 66 + 248 + 16 + 36 = 400 µs each.
    ///
    /// Verifies: [occupancy-tfrc eq. 8], [occupancy-tfrc eq. 10]
    #[test]
    fn an_uncontrollable_flow_needs_its_packets_time() {
        assert!(is_near(needed(50.0, &exchange(248)), 0.02));
    }

    /// Frame exchange with DIFS and back-off of 100, SIFS 16 and ACK 36 µs, around a data frame of `data` µs.
    fn exchange(data: u64) -> Exchange {
        let (access, ack, sifs) = (us(100), us(36), us(16));
        Exchange { access, protection: [None; 2], data: us(data), ack, sifs, packets: 1 }
    }

    /// Uncontrolled flows get what they need, and the controlled ones share the rest as stations share the
    /// channel. A station has 0.6 of the channel, of which 0.1 is needed by uncontrolled flows; the equal share
    /// of each of two controlled flows is 0.25. With 0.22 and 0.08 used, 0.2 remain. Only the first flow is
    /// unsatisfied, because it has used more than the fraction r = 0.8 of its equal share, and gets all of the
    /// remaining 0.2 in addition. If both are unsatisfied, each gets half of the rest; if they use more than
    /// there is, the excess is subtracted from their shares.
    ///
    /// Verifies: [occupancy-tfrc eq. 11], [occupancy-tfrc eq. 12], [occupancy-tfrc eq. 13],
    /// [occupancy-tfrc eq. 14], [occupancy-tfrc eq. 15]
    #[test]
    fn flows_share_as_stations_do_after_those_that_nobody_controls() {
        let shares = |used: [f64; 2]| {
            let division = Division::new(&Params::default(), 0.6, &used, 0.1);
            used.map(|used| division.share(used))
        };
        let near = |a: [f64; 2], b: [f64; 2]| is_near(a[0], b[0]) && is_near(a[1], b[1]);
        assert!(near(shares([0.22, 0.08]), [0.45, 0.25]));
        assert!(near(shares([0.22, 0.24]), [0.27, 0.27]));
        assert!(near(shares([0.30, 0.28]), [0.21, 0.21]));
        assert!(near(shares([0.0, 0.0]), [0.25, 0.25]));
    }

    /// With `Spare::Once` a flow gets only what other flows leave; as printed, also what the station leaves. A
    /// station has 0.3 of the channel. A flow that uses 0.26 may have 0.3, and 0.34 as printed. Of two flows with
    /// 0.15 each, which use 0.13 and 0.05, the first may have what the other leaves, 0.25.
    #[test]
    fn time_that_is_left_may_count_once() {
        let share = |spare, used: &[f64]| {
            Division::new(&Params { spare, ..Params::default() }, 0.3, used, 0.0).share(used[0])
        };
        assert!(is_near(share(Spare::Once, &[0.26]), 0.3));
        assert!(is_near(share(Spare::Printed, &[0.26]), 0.34));
        assert!(is_near(share(Spare::Once, &[0.13, 0.05]), 0.25));
        assert!(is_near(share(Spare::Printed, &[0.13, 0.05]), 0.27));
    }

    /// The channel time of a flow's reports is subtracted before its data rate is computed. One flow with
    /// 400 µs per packet of 1448 octets and reports of 200 µs every 100 ms: 0.502 of the channel leave 0.5 for
    /// data, 1250 packets per second.
    ///
    /// Verifies: [occupancy-tfrc eq. 16], [occupancy-tfrc eq. 17], [occupancy-tfrc eq. 18]
    #[test]
    fn reports_are_paid_for_before_data() {
        let packet = PacketCost {
            payload: 1_448.0,
            data: exchange(248),
            answer: exchange(48),
            answers: Answers::EachRoundTrip(Duration::from_millis(100)),
        };
        let slot = Duration::from_millis(300);
        assert_eq!(highest_rate(0.502, slot, &packet), DataRate::from_bps(8 * 1_448 * 1_250));
        // ACKs for two segments each: 400 + 200 / 2 = 500 µs.
        let tcp = PacketCost { answers: Answers::Each(2.0), ..packet };
        assert_eq!(highest_rate(0.5, slot, &tcp), DataRate::from_bps(8 * 1_448 * 1_000));
    }

    /// A flow with a share of zero still has a rate of one packet in an observation slot of 300 ms.
    #[test]
    fn a_flow_is_never_silenced() {
        let slot = Duration::from_millis(300);
        for answers in [Answers::EachRoundTrip(us(1)), Answers::Each(1.0)] {
            let packet =
                PacketCost { payload: 300.0, data: exchange(248), answer: exchange(48), answers };
            for share in [-1.0, 0.0] {
                assert_eq!(highest_rate(share, slot, &packet), DataRate::from_kbps(8));
            }
        }
    }

    proptest! {
        /// If no controlled flow is unsatisfied, their shares add up to what the station has available, less
        /// what its uncontrolled flows need. Otherwise the part of this sum that the controlled flows have not
        /// used is granted in addition.
        #[test]
        fn all_is_given_away(
            available in 0.0f64..1.0,
            part in 0.0f64..1.0,
            used in prop::collection::vec(0.0f64..1.0, 1..9),
        ) {
            let need = available * part;
            let division = Division::new(&Params::default(), available, &used, need);
            let sum: f64 = used.iter().map(|used| division.share(*used)).sum();
            let total: f64 = used.iter().sum();
            let is_hungry = |used: &f64| division.params.is_unsatisfied(*used, division.even);
            let expected = if used.iter().any(is_hungry) {
                2.0 * (available - need) - total
            } else {
                available - need
            };
            prop_assert!((sum - expected).abs() < 1e-9, "{} {}", sum, expected);
        }
    }
}
