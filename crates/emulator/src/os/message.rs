//! Netlink messages: header, fixed part of the message type, and attributes, which can be nested.
//! [RFC3549]

/// Flag of a netlink request.
pub(crate) const REQUEST: u16 = 0x1;
/// Flag of a netlink request for an acknowledgment.
pub(crate) const ACK: u16 = 0x4;
/// Flags of a netlink dump request, whose reply is a list.
pub(crate) const DUMP: u16 = 0x300;
/// Netlink message type of an error or, with error number 0, an acknowledgment.
pub(crate) const ERROR: u16 = 2;
/// Netlink message type that ends the reply to a dump request.
pub(crate) const DONE: u16 = 3;
/// Length of the netlink header [octets].
const HEADER: usize = 16;

/// Netlink message under construction.
pub(crate) struct Message(Vec<u8>);

impl Message {
    pub(crate) fn new(kind: u16, flags: u16) -> Self {
        let mut octets = vec![0; 4]; // length, filled in by `finish`
        octets.extend(kind.to_ne_bytes());
        octets.extend(flags.to_ne_bytes());
        octets.extend([0; 8]);
        Self(octets)
    }

    pub(crate) fn put(&mut self, octets: &[u8]) {
        self.0.extend(octets);
    }

    pub(crate) fn attribute(&mut self, kind: u16, value: &[u8]) {
        self.nested(kind, |message| message.0.extend(value));
    }

    pub(crate) fn text(&mut self, kind: u16, value: &str) {
        self.attribute(kind, &[value.as_bytes(), &[0]].concat());
    }

    pub(crate) fn nested(&mut self, kind: u16, inner: impl FnOnce(&mut Self)) {
        let start = self.0.len();
        self.0.extend([0; 2]);
        self.0.extend(kind.to_ne_bytes());
        inner(self);
        let length = u16::try_from(self.0.len() - start).expect("a short attribute");
        self.0[start..start + 2].copy_from_slice(&length.to_ne_bytes());
        self.0.resize(self.0.len().next_multiple_of(4), 0);
    }

    pub(crate) fn finish(mut self) -> Vec<u8> {
        let length = u32::try_from(self.0.len()).expect("a short message");
        self.0[..4].copy_from_slice(&length.to_ne_bytes());
        self.0
    }
}

/// Received netlink message: type, and content after the header.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Received<'o> {
    pub(crate) kind: u16,
    pub(crate) content: &'o [u8],
}

impl Received<'_> {
    /// Error number if the message is of type `ERROR`; zero for an acknowledgment.
    pub(crate) fn error(&self) -> Option<i32> {
        let number = self.content.first_chunk::<4>().filter(|_| self.kind == ERROR);
        number.map(|octets| -i32::from_ne_bytes(*octets))
    }
}

/// Cuts off the first `length` octets and skips the padding; `None` if `length` is below `least` or
/// beyond the end.
fn split<'o>(octets: &mut &'o [u8], length: usize, least: usize) -> Option<&'o [u8]> {
    if length < least || length > octets.len() {
        return None;
    }
    let part = &octets[..length];
    *octets = &octets[length.next_multiple_of(4).min(octets.len())..];
    Some(part)
}

/// Netlink messages in a buffer. An incomplete message at the end is left out.
pub(crate) fn messages(mut octets: &[u8]) -> impl Iterator<Item = Received<'_>> {
    std::iter::from_fn(move || {
        let length = u32::from_ne_bytes(*octets.first_chunk()?);
        let message = split(&mut octets, usize::try_from(length).ok()?, HEADER)?;
        let kind = u16::from_ne_bytes([message[4], message[5]]);
        Some(Received { kind, content: &message[HEADER..] })
    })
}

/// Types and values of netlink attributes. An incomplete attribute at the end is left out.
pub(crate) fn attributes(mut octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    /// Flag bits of an attribute type: nested, and network byte order.
    const MARKS: u16 = 0xc000;
    std::iter::from_fn(move || {
        let length = u16::from_ne_bytes(*octets.first_chunk()?);
        let attribute = split(&mut octets, usize::from(length), 4)?;
        let kind = u16::from_ne_bytes([attribute[2], attribute[3]]);
        Some((kind & !MARKS, &attribute[4..]))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_are_padded_and_their_lengths_are_not() {
        let mut message = Message::new(16, 0);
        message.text(3, "wlan0");
        let octets = message.finish();
        // 16 octets of the header; 4 + 6 of the attribute, padded to 12.
        assert_eq!(octets.len(), 28);
        assert_eq!(octets[..4], 28_u32.to_ne_bytes());
        assert_eq!(octets[16..18], 10_u16.to_ne_bytes());
        assert_eq!(&octets[20..26], b"wlan0\0");
    }

    #[test]
    fn the_length_of_an_attribute_includes_nested_attributes() {
        let mut message = Message::new(16, 0);
        message.nested(18, |message| message.text(1, "veth"));
        // 4 octets; then 4 + 5, padded to 12.
        assert_eq!(message.0[16..18], 16_u16.to_ne_bytes());
    }

    #[test]
    fn messages_and_attributes_are_read_as_they_were_made() {
        let mut first = Message::new(20, REQUEST);
        first.put(&[1, 2, 3, 4]);
        first.text(5, "four");
        first.attribute(0x8006, &[7]);
        let both = [first.finish(), Message::new(21, 0).finish()].concat();
        let read: Vec<Received> = messages(&both).collect();
        assert_eq!((read.len(), read[0].kind, read[1].kind), (2, 20, 21));
        let found: Vec<_> = attributes(&read[0].content[4..]).collect();
        assert_eq!(found, [(5, &b"four\0"[..]), (6, &[7][..])]);
        // A truncated message or a wrong length ends the list.
        for end in 0..both.len() {
            assert!(messages(&both[..end]).count() < 2);
        }
        assert_eq!(attributes(&[3, 0, 1, 0]).count() + attributes(&[200, 0, 1, 0]).count(), 0);
    }

    #[test]
    fn an_answer_has_the_number_of_its_error() {
        let answer = |error: i32| {
            let mut message = Message::new(ERROR, 0);
            message.put(&error.to_ne_bytes());
            messages(&message.finish()).next().and_then(|it| it.error())
        };
        assert_eq!([answer(0), answer(-16)], [Some(0), Some(16)]);
    }
}
