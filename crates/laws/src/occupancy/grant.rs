//! The grant of channel shares: three fields that the access point puts into a beacon.

use airfair_units::Duration;

/// The whole channel, in the unit of the shares in a grant.  [occupancy-tfrc §III-B]
const WHOLE: u16 = u16::MAX;

/// Grant of channel shares by an access point: three fields of 16 bits in a beacon.  [occupancy-tfrc §III-B]
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Grant {
    /// `p_even`: share of the channel of each active station [1/65535].
    pub even: u16,
    /// `p_additional`: additional share of each unsatisfied station [1/65535].
    pub additional: u16,
    /// Mean back-off of the access point [µs].
    pub backoff: u16,
}

impl Grant {
    /// Length of the grant in a beacon [octets].  [occupancy-tfrc §III-B]
    pub const OCTETS: u64 = 6;
    /// Element ID of the element that contains the grant: vendor specific.  [80211-2020 §9.4.2.25]
    pub const ELEMENT: u8 = 221;

    /// Creates a grant from `even`, the share of each active station, from `additional`, the additional share
    /// of each unsatisfied station, and from a mean back-off. Shares are fractions of the channel. Values are
    /// rounded down and limited to the range of the fields; a negative fraction counts as zero.
    #[must_use]
    pub fn new(even: f64, additional: f64, backoff: Duration) -> Self {
        let micros = backoff.as_nanos() / 1_000;
        Self {
            even: field(even),
            additional: field(additional),
            backoff: u16::try_from(micros).unwrap_or(u16::MAX),
        }
    }

    /// Encodes the three fields in their order, each in little-endian byte order.  [80211-2020 §9.2.2]
    #[must_use]
    pub fn encode(&self) -> [u8; 6] {
        let [even, additional, backoff] =
            [self.even, self.additional, self.backoff].map(u16::to_le_bytes);
        [even[0], even[1], additional[0], additional[1], backoff[0], backoff[1]]
    }

    /// Decodes a grant from a beacon; `None` unless there are six octets.
    #[must_use]
    pub fn decode(octets: &[u8]) -> Option<Self> {
        let octets: &[u8; 6] = octets.try_into().ok()?;
        let field = |at| u16::from_le_bytes([octets[at], octets[at + 1]]);
        Some(Self { even: field(0), additional: field(2), backoff: field(4) })
    }

    /// `p_even`: share of each active station, as a fraction of the channel.
    pub fn even(&self) -> f64 {
        fraction(self.even)
    }

    /// `p_additional`: additional share of each unsatisfied station, as a fraction of the channel.
    pub fn additional(&self) -> f64 {
        fraction(self.additional)
    }

    /// Mean back-off of the access point.
    pub fn backoff(&self) -> Duration {
        Duration::from_micros(self.backoff.into())
    }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the cast saturates")]
fn field(fraction: f64) -> u16 {
    (fraction * f64::from(WHOLE)) as u16
}

fn fraction(field: u16) -> f64 {
    f64::from(field) / f64::from(WHOLE)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The fields of a grant are rounded down: 0.5 · 65535 = 32767.5, 0.1 · 65535 = 6553.5, and a back-off of
    /// 67.5 µs.
    ///
    /// Verifies: [occupancy-tfrc §III-B]
    #[test]
    fn fields_are_rounded_down() {
        let grant = Grant::new(0.5, 0.1, Duration::from_nanos(67_500));
        assert_eq!(grant, Grant { even: 32_767, additional: 6_553, backoff: 67 });
        assert!((grant.even() - 32_767.0 / 65_535.0).abs() < 1e-12);
        assert_eq!(grant.backoff(), Duration::from_micros(67));
    }

    #[test]
    fn a_value_out_of_range_is_encoded_as_the_nearest() {
        let most = Grant { even: 65_535, additional: 65_535, backoff: 65_535 };
        assert_eq!(Grant::new(1.0, 7.0, Duration::from_secs(1)), most);
        let least = Grant { even: 0, additional: 0, backoff: 0 };
        assert_eq!(Grant::new(-0.1, f64::NAN, Duration::ZERO), least);
    }

    /// Each field of a grant is encoded with its lower octet first: 0x0102 as 2, 1.
    ///
    /// Verifies: [80211-2020 §9.2.2]
    #[test]
    fn the_lower_octet_of_a_field_comes_first() {
        let grant = Grant { even: 0x0102, additional: 0x0304, backoff: 0x0506 };
        assert_eq!(grant.encode(), [2, 1, 4, 3, 6, 5]);
    }

    proptest! {
        #[test]
        fn what_is_encoded_is_decoded(even: u16, additional: u16, backoff: u16) {
            let grant = Grant { even, additional, backoff };
            prop_assert_eq!(Grant::decode(&grant.encode()), Some(grant));
        }

        #[test]
        fn only_six_octets_are_a_grant(octets in prop::collection::vec(any::<u8>(), 0..20)) {
            prop_assert_eq!(Grant::decode(&octets).is_some(), octets.len() as u64 == Grant::OCTETS);
        }
    }
}
