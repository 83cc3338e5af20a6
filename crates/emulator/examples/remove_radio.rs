//! Removes a radio of `mac80211_hwsim`, for tests inside virtual machines: `remove_radio NUMBER`.
//! [linux-hwsim]

#![cfg_attr(target_os = "linux", expect(unsafe_code, reason = "std opens no socket of netlink"))]

#[cfg(target_os = "linux")]
fn main() -> Result<(), Box<dyn std::error::Error>> {
    use std::io::Error;
    use std::os::fd::{FromRawFd, OwnedFd};

    use airfair_netlink::{FamilySocket, Socket};
    use airfair_units::Duration;

    /// Command of the family `MAC80211_HWSIM` that removes a radio.
    const DELETE_RADIO: u8 = 5;
    const RADIO_ID: u16 = 10;

    let number: u32 = std::env::args().nth(1).ok_or("remove_radio NUMBER")?.parse()?;
    let kind = libc::SOCK_RAW | libc::SOCK_CLOEXEC;
    // SAFETY: no pointer is involved.
    let socket = unsafe { libc::socket(libc::AF_NETLINK, kind, libc::NETLINK_GENERIC) };
    if socket < 0 {
        return Err(Error::last_os_error().into());
    }
    // SAFETY: the call has just returned this descriptor, which nobody else has.
    let socket = unsafe { OwnedFd::from_raw_fd(socket) };
    let socket = Socket::over(socket, Duration::from_secs(5))?;
    let socket = FamilySocket::find(socket, "MAC80211_HWSIM")?;
    let mut request = socket.family.request(DELETE_RADIO);
    socket.ask(request.attribute(RADIO_ID, &number.to_ne_bytes()))?;
    Ok(())
}

#[cfg(not(target_os = "linux"))]
fn main() {}
