//! Blocks of a pcapng file, little-endian.  [pcapng §4]

/// Link type of an interface whose packets begin with a radiotap header.
const IEEE802_11_RADIOTAP: u16 = 127;
/// Timestamp resolution of nanoseconds, as a negative power of ten.
const NANOSECONDS: u8 = 9;

/// An option of a pcapng block: code and value.
type BlockOption<'a> = (u16, &'a [u8]);

/// Direction of a captured packet at an interface.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum PacketDirection {
    /// The packet was observed by a monitor, which neither sends nor receives.
    Observed,
    Inbound,
    Outbound,
}

/// A captured packet at one interface.
#[derive(Clone, Copy, Debug)]
pub(super) struct Packet<'a> {
    pub(super) interface: u32,
    /// Time since the run started [ns].
    pub(super) at: u64,
    /// Octets of the packet that are stored.
    pub(super) octets: &'a [u8],
    /// Length of the whole packet on the air [octets].
    pub(super) length: u32,
    pub(super) direction: PacketDirection,
    /// Reason for a wrong frame check sequence; `None` if it is correct.
    pub(super) bad_fcs: Option<&'a str>,
}

/// Encodes the section header block with a comment. The file has a single section.
pub(super) fn section(comment: &str) -> Vec<u8> {
    let mut body = 0x1a2b_3c4d_u32.to_le_bytes().to_vec();
    body.extend([1, 0, 0, 0]);
    body.extend(u64::MAX.to_le_bytes());
    let program = concat!("airfair ", env!("CARGO_PKG_VERSION"));
    put_options(&mut body, &[(1, comment.as_bytes()), (4, program.as_bytes())]);
    block(0x0a0d_0d0a, &body)
}

/// Encodes an interface description block. Interfaces are numbered in the order of their blocks.
pub(super) fn interface(name: &str, description: &str, address: Option<[u8; 6]>) -> Vec<u8> {
    let mut body = IEEE802_11_RADIOTAP.to_le_bytes().to_vec();
    body.extend([0; 6]);
    let mut entries: Vec<BlockOption<'_>> = vec![(2, name.as_bytes()), (3, description.as_bytes())];
    if let Some(address) = &address {
        entries.push((6, address));
    }
    entries.push((9, &[NANOSECONDS]));
    put_options(&mut body, &entries);
    block(1, &body)
}

/// Encodes a name resolution block from IPv4 addresses and their names.
pub(super) fn names<'a>(of: impl Iterator<Item = ([u8; 4], &'a str)>) -> Vec<u8> {
    let mut body = Vec::new();
    for (address, name) in of {
        let value = [&address, name.as_bytes(), &[0]].concat();
        put_option(&mut body, 1, &value);
    }
    body.extend([0; 4]);
    block(4, &body)
}

/// Encodes an enhanced packet block.
pub(super) fn packet(it: &Packet<'_>) -> Vec<u8> {
    let mut body = it.interface.to_le_bytes().to_vec();
    let [low, high] = halves(it.at);
    body.extend(high.to_le_bytes());
    body.extend(low.to_le_bytes());
    body.extend(length(it.octets).to_le_bytes());
    body.extend(it.length.to_le_bytes());
    body.extend(it.octets);
    pad(&mut body);
    let direction = match it.direction {
        PacketDirection::Observed => 0,
        PacketDirection::Inbound => 1,
        PacketDirection::Outbound => 2,
    };
    let flags = direction | u32::from(it.bad_fcs.is_some()) << 24;
    let flags = flags.to_le_bytes();
    match it.bad_fcs {
        None if direction == 0 => {}
        None => put_options(&mut body, &[(2, &flags)]),
        Some(reason) => put_options(&mut body, &[(1, reason.as_bytes()), (2, &flags)]),
    }
    block(6, &body)
}

fn block(kind: u32, body: &[u8]) -> Vec<u8> {
    let total = (length(body) + 12).to_le_bytes();
    [&kind.to_le_bytes(), &total[..], body, &total].concat()
}

fn put_options(body: &mut Vec<u8>, entries: &[BlockOption<'_>]) {
    for (code, value) in entries {
        put_option(body, *code, value);
    }
    body.extend([0; 4]);
}

fn put_option(body: &mut Vec<u8>, code: u16, value: &[u8]) {
    // A title may be longer than the length field allows.
    let value = &value[..value.len().min(1 << 15)];
    let length = u16::try_from(value.len()).unwrap_or(u16::MAX);
    body.extend(code.to_le_bytes());
    body.extend(length.to_le_bytes());
    body.extend(value);
    pad(body);
}

/// Pads a block's body to a multiple of four octets.
fn pad(body: &mut Vec<u8>) {
    body.resize(body.len().next_multiple_of(4), 0);
}

fn length(octets: &[u8]) -> u32 {
    u32::try_from(octets.len()).expect("a block is shorter than 4 GiB")
}

#[expect(clippy::cast_possible_truncation, reason = "each half has 32 bits")]
fn halves(value: u64) -> [u32; 2] {
    [value as u32, (value >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An enhanced packet block pads the packet to words of four octets and has its own length at both ends.
    /// It has 12 octets of every block, 20 of fixed fields, and here 5 octets padded to 8. A flags option
    /// adds 8 octets and the end of options 4.
    ///
    /// Verifies: [pcapng §4.3]
    #[test]
    fn a_packet_is_filled_up_to_words_and_says_its_length_twice() {
        let it = Packet {
            interface: 3,
            at: (7 << 32) + 9,
            octets: &[1, 2, 3, 4, 5],
            length: 1_500,
            direction: PacketDirection::Observed,
            bad_fcs: None,
        };
        let plain = packet(&it);
        let word = |at: usize| u32::from_le_bytes(plain[at..at + 4].try_into().expect("a word"));
        assert_eq!((word(0), word(4), plain.len()), (6, 40, 40));
        assert_eq!([word(8), word(12), word(16), word(20), word(24)], [3, 7, 9, 5, 1_500]);
        assert_eq!((&plain[28..36], word(36)), (&[1, 2, 3, 4, 5, 0, 0, 0][..], 40));
        let sent = packet(&Packet { direction: PacketDirection::Outbound, ..it });
        assert_eq!(sent[36..48], [2, 0, 4, 0, 2, 0, 0, 0, 0, 0, 0, 0]);
        let marked = packet(&Packet { bad_fcs: Some("why"), ..it });
        assert_eq!(marked[36..44], [1, 0, 3, 0, b'w', b'h', b'y', 0]);
        assert_eq!(marked[44..52], [2, 0, 4, 0, 0, 0, 0, 1]);
    }
}
