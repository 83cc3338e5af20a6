//! Netlink requests and replies.
//!
//! Lengths in received messages are checked; nothing else in them is trusted.

use std::io::{Error, ErrorKind};
use std::ops::Range;

use anyhow::{Context, Result, ensure};

use crate::os::Netlink;

const ERROR: u16 = 2;
const DONE: u16 = 3;
const REQUEST: u16 = 0x1;
/// Flag of a netlink dump request, whose reply is a list.
pub(crate) const DUMP: u16 = 0x300;
/// Flag of a netlink request for an acknowledgment.
pub(crate) const ACKNOWLEDGE: u16 = 0x4;
/// Position of the sequence number in the netlink header [octets].
const NUMBER: Range<usize> = 8..12;
/// Length of the netlink header [octets].
const HEADER: usize = 16;
/// Length of the smallest header of a netlink family [octets].
const FAMILY_HEADER: usize = 4;

/// Builds a netlink request: message type, flags, fixed part and attributes.
pub(crate) fn question(
    kind: u16,
    flags: u16,
    first: &[u8],
    attributes: &[(u16, &[u8])],
) -> Vec<u8> {
    let mut octets = vec![0; 4];
    octets.extend(kind.to_ne_bytes());
    octets.extend((REQUEST | flags).to_ne_bytes());
    octets.extend([0; 8]);
    octets.extend(first);
    for (kind, value) in attributes {
        let length = u16::try_from(4 + value.len()).expect("questions are short");
        octets.extend(length.to_ne_bytes());
        octets.extend(kind.to_ne_bytes());
        octets.extend(*value);
        octets.resize(octets.len().next_multiple_of(4), 0);
    }
    let length = u32::try_from(octets.len()).expect("questions are short");
    octets[..4].copy_from_slice(&length.to_ne_bytes());
    octets
}

/// Sends a netlink request and returns the messages of the reply, without their header and the
/// first four octets of the family header. Replies to earlier requests are skipped.
pub(crate) fn ask(socket: &Netlink, question: &[u8]) -> Result<Vec<Vec<u8>>> {
    let (mut question, number) = (question.to_vec(), socket.number());
    question[NUMBER].copy_from_slice(&number.to_ne_bytes());
    socket.send(&question)?;
    let is_dump = u16::from_ne_bytes([question[6], question[7]]) & DUMP == DUMP;
    let mut found = Vec::new();
    loop {
        let octets = socket.receive().context("the kernel did not answer")?;
        let is_over = take(&octets, number, &mut found)?;
        if is_over || !is_dump && !found.is_empty() {
            return Ok(found);
        }
    }
}

/// Appends to `into` the content of the netlink messages with this sequence number; true at the end
/// of the reply.
fn take(octets: &[u8], number: u32, into: &mut Vec<Vec<u8>>) -> Result<bool> {
    let mut rest = octets;
    while rest.len() >= HEADER {
        let length = u32::from_ne_bytes([rest[0], rest[1], rest[2], rest[3]]);
        let length = usize::try_from(length).context("length")?;
        ensure!(
            (HEADER..=rest.len()).contains(&length),
            "a message is longer than what was received"
        );
        let (message, behind) = rest.split_at(length);
        let padding = length.next_multiple_of(4) - length;
        rest = behind.get(padding..).unwrap_or_default();
        if message[NUMBER] != number.to_ne_bytes() {
            continue;
        }
        match u16::from_ne_bytes([message[4], message[5]]) {
            DONE => return Ok(true),
            ERROR => {
                let code = message
                    .get(HEADER..HEADER + 4)
                    .map_or(0, |it| i32::from_ne_bytes([it[0], it[1], it[2], it[3]]));
                return if code == 0 { Ok(true) } else { Err(refusal(-code).into()) };
            }
            _ => into.push(message.get(HEADER + FAMILY_HEADER..).unwrap_or_default().to_vec()),
        }
    }
    Ok(false)
}

fn refusal(code: i32) -> Error {
    // The kernel reports an unknown family as "no such file".
    let error = Error::from_raw_os_error(code);
    if error.kind() == ErrorKind::NotFound { Error::other("unknown to the kernel") } else { error }
}

/// Types and values of netlink attributes, up to the first incomplete one.
pub(crate) fn attributes(mut octets: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    std::iter::from_fn(move || {
        let (head, _) = octets.split_at_checked(4)?;
        let length = usize::from(u16::from_ne_bytes([head[0], head[1]]));
        let value = octets.get(4..length)?;
        // The two highest bits are flags: nested, and network byte order.
        let kind = u16::from_ne_bytes([head[2], head[3]]) & 0x3fff;
        octets = octets.get(length.next_multiple_of(4)..).unwrap_or_default();
        Some((kind, value))
    })
}

#[cfg(test)]
mod tests {
    use std::os::fd::OwnedFd;
    use std::os::unix::net::UnixDatagram;
    use std::thread;

    use super::*;

    /// Message from the kernel with this type and sequence number, and an attribute filled with
    /// `value`.
    fn answer(kind: u16, number: u32, value: u8) -> Vec<u8> {
        let mut message = question(kind, 0, &[0, 0, 0, 0], &[(1, &[value; 4])]);
        message[NUMBER].copy_from_slice(&number.to_ne_bytes());
        message
    }

    /// The late rest of an earlier reply is not taken for the reply to the next request, whether
    /// that is a dump request or a single one.
    #[test]
    fn an_answer_that_comes_late_is_not_taken_for_one_to_the_next_question() {
        let (ours, kernel) = UnixDatagram::pair().unwrap();
        let socket = Netlink::over(OwnedFd::from(ours));
        let plays = thread::spawn(move || {
            let mut octets = [0; 64];
            for is_dump in [true, false] {
                let size = kernel.recv(&mut octets).unwrap();
                assert!(size >= HEADER);
                let number = u32::from_ne_bytes(octets[NUMBER].try_into().unwrap());
                let older = number.wrapping_sub(1);
                kernel.send(&answer(20, older, 1)).unwrap();
                kernel.send(&answer(DONE, older, 1)).unwrap();
                let one = [answer(20, older, 2), answer(20, number, 3)].concat();
                kernel.send(&one).unwrap();
                if is_dump {
                    kernel.send(&answer(20, number, 4)).unwrap();
                    kernel.send(&answer(DONE, number, 0)).unwrap();
                }
            }
        });
        let values = |flags| {
            let found = ask(&socket, &question(20, flags, &[0; 4], &[])).unwrap();
            found.iter().map(|it| it[4]).collect::<Vec<u8>>()
        };
        assert_eq!(values(DUMP), [3, 4]);
        assert_eq!(values(0), [3]);
        plays.join().unwrap();
    }

    #[test]
    fn an_answer_ends_with_its_last_message_or_with_an_error() {
        let mut message = question(20, 0, &[17, 0, 0, 0], &[(1, &[1, 2, 3, 4, 5])]);
        let mut found = Vec::new();
        assert!(!take(&message, 0, &mut found).unwrap());
        assert_eq!(found, [vec![9, 0, 1, 0, 1, 2, 3, 4, 5, 0, 0, 0]]);
        message[4..6].copy_from_slice(&DONE.to_ne_bytes());
        assert!(take(&message, 0, &mut found).unwrap());
        message[4..6].copy_from_slice(&ERROR.to_ne_bytes());
        message[16..20].copy_from_slice(&(-2_i32).to_ne_bytes());
        assert!(take(&message, 0, &mut found).is_err());
    }

    #[test]
    fn an_answer_cut_anywhere_is_borne() {
        let whole = question(20, 0, &[17, 0, 0, 0], &[(1, &[1, 2, 3, 4, 5])]);
        for end in 0..whole.len() {
            let _ = take(&whole[..end], 0, &mut Vec::new());
            attributes(&whole[..end]).for_each(drop);
        }
    }
}
