//! Removes a radio of `mac80211_hwsim`, for tests inside virtual machines: `remove_radio NUMBER`.
//! [linux-hwsim]

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "std opens no socket of netlink"))]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let number: u32 = std::env::args().nth(1).ok_or("remove_radio NUMBER")?.parse()?;
    linux::remove(number)?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {}

#[cfg(target_os = "linux")]
mod linux {
    use std::fs::File;
    use std::io::{Error, ErrorKind, Read, Result, Write};
    use std::os::fd::{FromRawFd, OwnedFd};

    /// Message type of generic netlink's controller family, which finds other families by name.
    const CONTROL: u16 = 0x10;
    const GET_FAMILY: u8 = 3;
    const FAMILY_ID: u16 = 1;
    const FAMILY_NAME: u16 = 2;
    /// Command of the family `MAC80211_HWSIM` that removes a radio.
    const DELETE_RADIO: u8 = 5;
    const RADIO_ID: u16 = 10;
    /// Length of the netlink header [octets].
    const HEAD: usize = 16;
    /// Length of the netlink header and the generic netlink header [octets].
    const HEADS: usize = HEAD + 4;
    /// Netlink message type of an error or an acknowledgment.
    const ERROR: u16 = 2;

    pub(super) fn remove(number: u32) -> Result<()> {
        // SAFETY: no pointer is involved.
        let socket = unsafe {
            libc::socket(
                libc::AF_NETLINK,
                libc::SOCK_RAW | libc::SOCK_CLOEXEC,
                libc::NETLINK_GENERIC,
            )
        };
        if socket < 0 {
            return Err(Error::last_os_error());
        }
        // SAFETY: the call has just returned this descriptor, which nobody else has.
        let mut line = File::from(unsafe { OwnedFd::from_raw_fd(socket) });
        let family =
            ask(&mut line, &message(CONTROL, GET_FAMILY, FAMILY_NAME, b"MAC80211_HWSIM\0"))?;
        let family = family_id(&family).ok_or(ErrorKind::InvalidData)?;
        ask(&mut line, &message(family, DELETE_RADIO, RADIO_ID, &number.to_ne_bytes())).map(drop)
    }

    /// Builds a generic netlink request with one attribute. `GET_FAMILY` returns data; all other
    /// commands request an acknowledgment.
    fn message(family: u16, command: u8, attribute: u16, value: &[u8]) -> Vec<u8> {
        let length = |octets: usize| u16::try_from(octets).expect("a short message");
        let answered = if command == GET_FAMILY { 0 } else { libc::NLM_F_ACK };
        let flags = u16::try_from(libc::NLM_F_REQUEST | answered).expect("two bits");
        let whole = HEADS + 4 + value.len().next_multiple_of(4);
        let mut octets = u32::from(length(whole)).to_ne_bytes().to_vec();
        octets.extend([family.to_ne_bytes(), flags.to_ne_bytes()].concat());
        octets.resize(HEAD, 0);
        octets.extend([command, 1, 0, 0]);
        octets.extend([length(4 + value.len()).to_ne_bytes(), attribute.to_ne_bytes()].concat());
        octets.extend(value);
        octets.resize(whole, 0);
        octets
    }

    /// Sends a message over a netlink socket. Returns the reply, or the error that the reply
    /// reports.
    fn ask(line: &mut File, message: &[u8]) -> Result<Vec<u8>> {
        line.write_all(message)?;
        let mut octets = vec![0; 8_192];
        let length = line.read(&mut octets)?;
        octets.truncate(length);
        let short = || Error::from(ErrorKind::UnexpectedEof);
        let kind = octets.get(4..).and_then(<[u8]>::first_chunk).ok_or_else(short)?;
        if u16::from_ne_bytes(*kind) != ERROR {
            return Ok(octets);
        }
        let why = octets.get(HEAD..).and_then(<[u8]>::first_chunk).ok_or_else(short)?;
        match i32::from_ne_bytes(*why) {
            0 => Ok(octets),
            why => Err(Error::from_raw_os_error(-why)),
        }
    }

    /// Number of a generic netlink family, from the attributes of the controller's reply.
    fn family_id(answer: &[u8]) -> Option<u16> {
        let mut rest = answer.get(HEADS..)?;
        loop {
            let number = |at: usize| Some(u16::from_ne_bytes(*rest.get(at..)?.first_chunk()?));
            if number(2)? == FAMILY_ID {
                return number(4);
            }
            rest = rest.get(usize::from(number(0)?).next_multiple_of(4).max(4)..)?;
        }
    }
}
