//! Format of requests and replies. Both have 28 octets. Numbers are big-endian, except for the six
//! octets of the grant, which are those of the beacon's element.
//!
//! | octets | content |
//! | --- | --- |
//! | 0 to 3 | `AFGR` |
//! | 4 | version, 1 |
//! | 5 | 1: request of a station that limits itself; 2: reply of the access point |
//! | 6, 7 | zero |
//! | 8 to 15 | random number of the station, repeated in the reply |
//! | 16 to 19 | sequence number of the request, repeated in the reply |
//! | 20 to 25 | the grant [occupancy-tfrc §III-B]; zero in a request |
//! | 26, 27 | zero |

use airfair_laws::occupancy::Grant;

/// Length of a request for a grant, and of a reply [octets].
pub const OCTETS: usize = 28;
const NAME: [u8; 4] = *b"AFGR";
const VERSION: u8 = 1;
const ASKS: u8 = 1;
const GRANTS: u8 = 2;

/// Request for a grant, or reply with a grant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Message {
    /// Random number of the requesting station.
    pub nonce: u64,
    /// Sequence number of the request, which the reply repeats.
    pub number: u32,
    /// Grant of the access point; `None` in a request.
    pub grant: Option<Grant>,
}

impl Message {
    /// Encodes the message for sending.
    pub fn encode(&self) -> [u8; OCTETS] {
        let mut octets = [0; OCTETS];
        octets[..4].copy_from_slice(&NAME);
        octets[4] = VERSION;
        octets[5] = if self.grant.is_some() { GRANTS } else { ASKS };
        octets[8..16].copy_from_slice(&self.nonce.to_be_bytes());
        octets[16..20].copy_from_slice(&self.number.to_be_bytes());
        if let Some(grant) = self.grant {
            octets[20..26].copy_from_slice(&grant.encode());
        }
        octets
    }

    /// Decodes a message; `None` if it is malformed. Shares are parts of 65 535, so any value is
    /// valid, except that the share of each active station in a grant, `even`, must not be zero.
    pub fn decode(octets: &[u8]) -> Option<Self> {
        let octets: &[u8; OCTETS] = octets.try_into().ok()?;
        let is_ours = octets[..4] == NAME && octets[4] == VERSION;
        if !is_ours || octets[6..8] != [0; 2] || octets[26..] != [0; 2] {
            return None;
        }
        let grant = match octets[5] {
            ASKS if octets[20..26] == [0; 6] => None,
            GRANTS => Some(Grant::decode(&octets[20..26]).filter(|it| it.even > 0)?),
            _ => return None,
        };
        Some(Self {
            nonce: u64::from_be_bytes(octets[8..16].try_into().ok()?),
            number: u32::from_be_bytes(octets[16..20].try_into().ok()?),
            grant,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A reply has the octets of the documented format. A share of 0.5 is 32 767 = 0x7fff of
    /// 65 535, and 0.1 is 6553 = 0x1999, both little-endian.
    ///
    /// Verifies: [occupancy-tfrc §III-B]
    #[test]
    fn an_answer_has_the_documented_format() {
        let grant = Grant::new(0.5, 0.1, airfair_units::Duration::ZERO);
        let message = Message { nonce: 0x0102_0304_0506_0708, number: 9, grant: Some(grant) };
        let mut expected =
            *b"AFGR\x01\x02\0\0\x01\x02\x03\x04\x05\x06\x07\x08\0\0\0\x09\xff\x7f\x99\x19\0\0\0\0";
        assert_eq!(message.encode(), expected);
        expected[5] = 1;
        assert_eq!(Message::decode(&expected), None, "a question has no grant");
        expected[20..24].fill(0);
        assert_eq!(Message::decode(&expected), Some(Message { grant: None, ..message }));
        expected[5] = 2;
        assert_eq!(Message::decode(&expected), None, "a share of nothing");
    }

    /// A message is rejected if an octet of its name, version, kind or zeros is changed, or if its
    /// length is wrong.
    #[test]
    fn malformed_octets_are_no_message() {
        let grant = Some(Grant { even: 1, additional: 0, backoff: 0 });
        let good = Message { nonce: 1, number: 1, grant }.encode();
        assert!(Message::decode(&good).is_some());
        for at in (0..8).chain(26..28) {
            let mut bad = good;
            bad[at] ^= 0x80;
            assert_eq!(Message::decode(&bad), None, "octet {at}");
        }
        assert_eq!(Message::decode(&good[..27]), None);
        assert_eq!(Message::decode(&[&good[..], &[0]].concat()), None);
    }

    proptest! {
        /// No input causes a panic, and a decoded message is encoded as the same octets.
        #[test]
        fn decoding_and_encoding_are_inverse(octets in prop::collection::vec(any::<u8>(), 0..64)) {
            if let Some(message) = Message::decode(&octets) {
                prop_assert_eq!(&message.encode()[..], &octets[..]);
            }
        }

        /// Octets that are nearly a message cause no panic, and a decoded message is encoded as the
        /// same octets.
        #[test]
        fn mutated_messages_decode_or_are_rejected(
            nonce: u64, number: u32, even: u16, at in 0..OCTETS, other: u8,
        ) {
            let grant = Some(Grant { even: even.max(1), additional: 7, backoff: 8 });
            let message = Message { nonce, number, grant };
            let mut octets = message.encode();
            prop_assert_eq!(Message::decode(&octets), Some(message));
            octets[at] = other;
            if let Some(message) = Message::decode(&octets) {
                prop_assert_eq!(message.encode(), octets);
            }
        }
    }
}
