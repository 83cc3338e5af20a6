//! Netlink messages: header, fixed part of the message type, and attributes, which can be nested.
//! Numbers are in the byte order of the machine.  [RFC3549]
//!
//! Lengths in received messages are checked; nothing else in them is trusted.

use std::io::{Error, ErrorKind, Result};

/// Flag of a request (`NLM_F_REQUEST`).
const REQUEST: u16 = 0x1;
/// Flag of a request for an acknowledgment (`NLM_F_ACK`).
const ACKNOWLEDGE: u16 = 0x4;
/// Flags of a dump request, whose reply is a list (`NLM_F_DUMP`).
const DUMP: u16 = 0x300;
/// Flag of a request that creates its object if there is none (`NLM_F_CREATE`).
pub const CREATE: u16 = 0x400;
/// Flag of a request that fails if its object exists (`NLM_F_EXCL`).
pub const EXCLUSIVE: u16 = 0x200;

/// Message type of an error or, with error number 0, an acknowledgment (`NLMSG_ERROR`).
const ERROR: u16 = 2;
/// Message type that ends the reply to a dump request (`NLMSG_DONE`).
const DONE: u16 = 3;

/// Length of the netlink header [octets].
const HEADER: usize = 16;
/// Length of the header of an attribute [octets].
const ATTRIBUTE_HEADER: usize = 4;
/// Flag bits of an attribute type: nested, and network byte order.
const ATTRIBUTE_FLAGS: u16 = 0xc000;

/// Netlink message under construction.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Message(Vec<u8>);

impl Message {
    /// Starts a request that the kernel acknowledges. `flags` are further flags, such as [`CREATE`].
    pub fn request(kind: u16, flags: u16) -> Self {
        Self::new(kind, ACKNOWLEDGE | flags)
    }

    /// Starts a dump request, whose reply is a list.
    pub fn dump(kind: u16) -> Self {
        Self::new(kind, DUMP)
    }

    /// Starts a request to which the kernel replies only if it fails.
    pub fn unacknowledged(kind: u16) -> Self {
        Self::new(kind, 0)
    }

    fn new(kind: u16, flags: u16) -> Self {
        let mut octets = vec![0; HEADER];
        octets[4..6].copy_from_slice(&kind.to_ne_bytes());
        octets[6..8].copy_from_slice(&(REQUEST | flags).to_ne_bytes());
        Self(octets)
    }

    /// Appends octets, such as the fixed part of the message type.
    pub fn put(&mut self, octets: &[u8]) -> &mut Self {
        self.0.extend(octets);
        self
    }

    /// Appends an attribute.
    pub fn attribute(&mut self, kind: u16, value: &[u8]) -> &mut Self {
        self.nested(kind, |message| _ = message.put(value))
    }

    /// Appends an attribute with a text, which ends with a zero.
    pub fn text(&mut self, kind: u16, value: &str) -> &mut Self {
        self.nested(kind, |message| _ = message.put(value.as_bytes()).put(&[0]))
    }

    /// Appends an attribute whose value is what `fill` appends, such as further attributes.
    pub fn nested(&mut self, kind: u16, fill: impl FnOnce(&mut Self)) -> &mut Self {
        let start = self.0.len();
        self.put(&[0; 2]).put(&kind.to_ne_bytes());
        fill(self);
        let length =
            u16::try_from(self.0.len() - start).expect("an attribute has 16 bits of length");
        self.0[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self.0.resize(self.0.len().next_multiple_of(4), 0);
        self
    }

    /// Octets of the whole message, with this sequence number.
    pub fn finish(&mut self, number: u32) -> &[u8] {
        let length = u32::try_from(self.0.len()).expect("a message has 32 bits of length");
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0[8..12].copy_from_slice(&number.to_ne_bytes());
        &self.0
    }
}

/// Received netlink message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Received<'o> {
    /// Type of the message.
    pub kind: u16,
    /// Sequence number of the request that the message answers; 0 if nobody asked for it.
    pub number: u32,
    /// Fixed part and attributes, which follow the netlink header.
    pub content: &'o [u8],
}

impl Received<'_> {
    /// Number of the error that the message reports, 0 if it acknowledges a request; `None` if the
    /// message does neither.
    pub fn error(&self) -> Option<i32> {
        let code = self.content.first_chunk().filter(|_| self.kind == ERROR)?;
        Some(i32::from_ne_bytes(*code).saturating_neg())
    }

    /// True if the message is the last one of a reply. An error number in the message that ends a
    /// list is ignored: a driver that cannot list its stations has none.
    ///
    /// # Errors
    /// Returns the error that the message reports; `InvalidData` if an error has no number.
    pub(crate) fn ends_reply(&self) -> Result<bool> {
        match (self.kind, self.error()) {
            (DONE, _) | (ERROR, Some(0)) => Ok(true),
            (ERROR, Some(code)) => Err(Error::from_raw_os_error(code)),
            (ERROR, None) => Err(Error::new(ErrorKind::InvalidData, "an error without its number")),
            _ => Ok(false),
        }
    }
}

/// Cuts off the first `length` octets and skips the padding; `None` if `length` is below `least` or
/// beyond the end.
fn split<'o>(octets: &mut &'o [u8], length: usize, least: usize) -> Option<&'o [u8]> {
    let part = octets.get(..length).filter(|_| length >= least)?;
    *octets = octets.get(length.next_multiple_of(4)..).unwrap_or_default();
    Some(part)
}

/// Netlink messages in a buffer, up to the first one with a wrong length, which is an error of kind
/// `InvalidData`.
pub fn messages(mut octets: &[u8]) -> impl Iterator<Item = Result<Received<'_>>> {
    std::iter::from_fn(move || {
        if octets.is_empty() {
            return None;
        }
        let message = received(&mut octets).ok_or_else(|| {
            octets = &[];
            Error::new(ErrorKind::InvalidData, "a netlink message with a wrong length")
        });
        Some(message)
    })
}

fn received<'o>(octets: &mut &'o [u8]) -> Option<Received<'o>> {
    let length = u32::from_ne_bytes(*octets.first_chunk()?);
    let message = split(octets, usize::try_from(length).ok()?, HEADER)?;
    let (header, content) = message.split_at(HEADER);
    let kind = u16::from_ne_bytes([header[4], header[5]]);
    let number = u32::from_ne_bytes([header[8], header[9], header[10], header[11]]);
    Some(Received { kind, number, content })
}

/// Types and values of netlink attributes, up to the first one with a wrong length.
pub fn attributes(mut octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let length = u16::from_ne_bytes(*octets.first_chunk()?);
        let attribute = split(&mut octets, usize::from(length), ATTRIBUTE_HEADER)?;
        let (header, value) = attribute.split_at(ATTRIBUTE_HEADER);
        Some((u16::from_ne_bytes([header[2], header[3]]) & !ATTRIBUTE_FLAGS, value))
    })
}

/// Value of the first attribute of this type among netlink attributes.
pub fn value_of(octets: &[u8], kind: u16) -> Option<&[u8]> {
    attributes(octets).find(|(found, _)| *found == kind).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// The octets of a request to rename an interface, by hand: 16 octets of header, with the
    /// length, type 16, flags REQUEST | ACK | CREATE and number 7; the interface's index; 4 + 6
    /// octets of an attribute, padded to 12; 4 + 12 of one that contains another.
    #[cfg(target_endian = "little")]
    #[test]
    fn a_request_has_the_octets_of_one_made_by_hand() {
        let mut message = Message::request(16, CREATE);
        message.put(&[3, 0, 0, 0]).text(3, "wlan0");
        message.nested(18, |message| _ = message.attribute(1, &[1, 2, 3, 4]).text(2, ""));
        let mut expected = vec![52, 0, 0, 0, 16, 0, 5, 4, 7, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0, 0];
        expected.extend(b"\x0a\0\x03\0wlan0\0\0\0");
        expected.extend([20, 0, 18, 0, 8, 0, 1, 0, 1, 2, 3, 4, 5, 0, 2, 0, 0, 0, 0, 0]);
        assert_eq!(message.finish(7), expected);
        assert_eq!(Message::dump(30).finish(1)[4..8], [30, 0, 1, 3]);
        assert_eq!(Message::unacknowledged(30).finish(1)[4..8], [30, 0, 1, 0]);
    }

    #[test]
    fn an_answer_has_the_number_of_its_error() {
        let answer = |kind, content: &[u8]| {
            let mut message = Message::unacknowledged(kind);
            let octets = message.put(content).finish(0).to_vec();
            let received = messages(&octets).next().unwrap().unwrap();
            (received.error(), received.ends_reply().map_err(|it| it.raw_os_error()))
        };
        let error = |number: i32| answer(ERROR, &number.to_ne_bytes());
        assert_eq!(error(0), (Some(0), Ok(true)));
        assert_eq!(error(-16), (Some(16), Err(Some(16))));
        assert_eq!(error(i32::MIN), (Some(i32::MAX), Err(Some(i32::MAX))));
        assert_eq!(answer(ERROR, &[1, 0, 0]), (None, Err(None)));
        assert_eq!(answer(DONE, &(-95_i32).to_ne_bytes()), (None, Ok(true)));
        assert_eq!(answer(20, &(-16_i32).to_ne_bytes()), (None, Ok(false)));
    }

    /// Type, number and attributes of a message.
    type Sent = (u16, u32, Vec<(u16, Vec<u8>)>);

    fn sent() -> impl Strategy<Value = Vec<Sent>> {
        let attribute = (0..0x4000_u16, prop::collection::vec(any::<u8>(), 0..20));
        let attributes = prop::collection::vec(attribute, 0..5);
        prop::collection::vec((any::<u16>(), any::<u32>(), attributes), 1..4)
    }

    fn encoded(sent: &[Sent]) -> Vec<u8> {
        let message = |(kind, number, attributes): &Sent| {
            let mut message = Message::request(*kind, 0);
            for (kind, value) in attributes {
                message.attribute(kind | 0x8000, value);
            }
            message.finish(*number).to_vec()
        };
        sent.iter().flat_map(message).collect()
    }

    fn decoded(octets: &[u8]) -> Result<Vec<Sent>> {
        let one = |message: Result<Received<'_>>| {
            let Received { kind, number, content } = message?;
            let attributes = attributes(content).map(|(kind, value)| (kind, value.to_vec()));
            Ok((kind, number, attributes.collect()))
        };
        messages(octets).map(one).collect()
    }

    proptest! {
        #[test]
        fn messages_and_attributes_are_read_as_they_were_made(sent in sent()) {
            prop_assert_eq!(decoded(&encoded(&sent)).unwrap(), sent);
        }

        #[test]
        fn a_message_cut_anywhere_is_an_error(sent in sent(), cut: prop::sample::Index) {
            let whole = encoded(&sent);
            let end = cut.index(whole.len());
            let is_between_messages = (0..sent.len()).any(|count| encoded(&sent[..count]).len() == end);
            prop_assert_eq!(decoded(&whole[..end]).is_ok(), is_between_messages);
        }

        /// Whatever comes, reading ends, and each part lies within what was received.
        #[test]
        fn octets_of_any_kind_are_read_without_harm(octets in prop::collection::vec(any::<u8>(), 0..200)) {
            let mut seen = 0;
            for message in messages(&octets) {
                let Ok(message) = message else { continue };
                seen += HEADER + message.content.len();
                let inner: usize = attributes(message.content).map(|it| ATTRIBUTE_HEADER + it.1.len()).sum();
                prop_assert!(inner <= message.content.len());
                let _ = message.ends_reply();
            }
            prop_assert!(seen <= octets.len());
            prop_assert!(attributes(&octets).count() <= octets.len() / ATTRIBUTE_HEADER);
        }

        /// A flipped octet in a valid message ends reading early at worst.
        #[test]
        fn a_damaged_message_is_read_without_harm(sent in sent(), place: prop::sample::Index, by in 1u8..) {
            let mut octets = encoded(&sent);
            let place = place.index(octets.len());
            octets[place] ^= by;
            let _ = decoded(&octets);
            prop_assert!(messages(&octets).count() <= octets.len() / HEADER + 1);
        }
    }
}
