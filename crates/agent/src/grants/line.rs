//! Sockets by which grants are asked for and given. They are opened behind the agent's other rights, and need none of them.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Result};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use airfair_laws::occupancy::Grant;
use airfair_units::{Duration, Time};
use anyhow::Context;

use super::answering::{Answering, ROOM};
use super::asking::Asking;
use super::message::OCTETS;
use super::neighbours;
use crate::os;
use crate::sample::Asked;

/// Time between looks for another gateway, or for an interface that has come back.
const PERIOD: Duration = Duration::from_secs(1);
/// Messages that are read at a time: twice those of a full table. What is beyond it waits, or is lost.
const MOST: usize = 2 * ROOM;
/// Gateways of this namespace over IPv4, and the flag of a route that has one.
const ROUTES: &str = "/proc/net/route";
const GATEWAY: u32 = 2;

/// The agent's end of it.
#[derive(Debug)]
pub enum Line {
    /// At a station.
    Station(Asker),
    /// At an access point.
    AccessPoint(Listener),
}

/// A station, and the access point that it asks.
#[derive(Debug)]
pub struct Asker {
    interface: String,
    port: u16,
    /// Address of the access point; the gateway unless given.
    told: Option<IpAddr>,
    looked_at: Option<Time>,
    asked: Option<AccessPoint>,
}

/// An access point that is asked.
#[derive(Debug)]
struct AccessPoint {
    address: IpAddr,
    /// The interface's number.
    index: Option<u32>,
    socket: UdpSocket,
    asking: Asking,
}

impl Asker {
    /// One that asks by an interface.
    pub fn new(interface: &str, port: u16, told: Option<IpAddr>) -> Self {
        Self { interface: interface.to_owned(), port, told, looked_at: None, asked: None }
    }

    /// Takes the last grant that has come, and asks for the next one. What cannot be sent is a question that is not answered.
    pub fn turn(&mut self, now: Time) -> Option<Grant> {
        if self.looked_at.is_none_or(|at| now.saturating_since(at) >= PERIOD) {
            self.looked_at = Some(now);
            self.look();
        }
        let AccessPoint { socket, asking, .. } = self.asked.as_mut()?;
        let mut granted = None;
        each(socket, |octets, _| granted = asking.hear(now, octets).ok().or(granted));
        if asking.is_due(now) {
            let _ = socket.send(&asking.ask(now));
        }
        granted
    }

    /// Looks for the access point, which may have another address now, or be behind an interface that has come back. Then there is
    /// another random number, too.
    fn look(&mut self) {
        let address = self.told.or_else(|| gateway(&self.interface));
        let index = os::interface_index(&self.interface);
        if self.asked.as_ref().is_some_and(|it| (Some(it.address), it.index) == (address, index)) {
            return;
        }
        // The port is wanted again.
        self.asked = None;
        self.asked = address.and_then(|it| self.open(it).ok());
    }

    fn open(&self, address: IpAddr) -> Result<AccessPoint> {
        let any = if address.is_ipv6() {
            IpAddr::from(Ipv6Addr::UNSPECIFIED)
        } else {
            IpAddr::from(Ipv4Addr::UNSPECIFIED)
        };
        let socket = bound(&self.interface, SocketAddr::new(any, self.port))?;
        // What comes from elsewhere the kernel keeps away.
        socket.connect(SocketAddr::new(address, self.port))?;
        let index = os::interface_index(&self.interface);
        Ok(AccessPoint { address, index, socket, asking: Asking::new(os::random()?) })
    }

    /// The access point that is asked, once it has an address.
    pub fn access_point(&self) -> Option<IpAddr> {
        self.asked.as_ref().map(|it| it.address)
    }
}

/// An access point that answers stations behind an interface.
#[derive(Debug)]
pub struct Listener {
    interface: String,
    index: u32,
    port: u16,
    looked_at: Time,
    /// None while the interface is away.
    socket: Option<UdpSocket>,
    answering: Answering,
    neighbours: BTreeMap<IpAddr, String>,
}

impl Listener {
    /// One behind an interface, or behind the bridge that it is part of.
    ///
    /// # Errors
    /// If there is no such interface, or another program has the port.
    pub fn open(interface: &str, port: u16) -> anyhow::Result<Self> {
        let interface = bridge(interface).unwrap_or_else(|| interface.to_owned());
        let socket = listening(&interface, port)
            .with_context(|| format!("port {port} for grants at {interface}"))
            .map(Some)?;
        let index = os::interface_index(&interface).unwrap_or_default();
        let (answering, neighbours) = (Answering::default(), BTreeMap::new());
        let looked_at = Time::ZERO;
        Ok(Self { interface, index, port, looked_at, socket, answering, neighbours })
    }

    /// Those who have asked since the last answers.
    pub fn hear(&mut self, now: Time) -> Vec<Asked> {
        let is_due = now.saturating_since(self.looked_at) >= PERIOD;
        if is_due {
            self.looked_at = now;
            self.look();
        }
        let Self { socket: Some(socket), answering, .. } = self else { return Vec::new() };
        each(socket, |octets, from| {
            let address = SocketAddr::new(from.ip().to_canonical(), from.port());
            let _ = answering.hear(now, address, octets);
        });
        let asked = answering.asked();
        // Once a second at most, and not while nobody asks.
        if is_due && !asked.is_empty() {
            self.neighbours = neighbours::at(self.index);
        }
        let of = |address| Asked { address, station: self.neighbours.get(&address).cloned() };
        asked.into_iter().map(of).collect()
    }

    /// An interface that comes back under another number has another socket. The old one would keep the port.
    fn look(&mut self) {
        let Some(index) = os::interface_index(&self.interface) else { return };
        if index != self.index || self.socket.is_none() {
            self.index = index;
            self.socket = None;
            self.socket = listening(&self.interface, self.port).ok();
        }
    }

    /// Answers those who have asked. What cannot be sent is an answer that is not given.
    pub fn answer(&mut self, grant: Option<Grant>) {
        let Some(socket) = &self.socket else { return };
        let is_six = socket.local_addr().is_ok_and(|it| it.is_ipv6());
        for (to, octets) in self.answering.answers(grant) {
            let ip = match to.ip() {
                IpAddr::V4(four) if is_six => IpAddr::from(four.to_ipv6_mapped()),
                other => other,
            };
            let _ = socket.send_to(&octets, SocketAddr::new(ip, to.port()));
        }
    }
}

/// A socket for both versions of IP, or for the older one where there is no other.
fn listening(interface: &str, port: u16) -> Result<UdpSocket> {
    let six = bound(interface, SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)));
    six.or_else(|_| bound(interface, SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))))
}

/// A socket that hears an interface alone.
fn bound(interface: &str, address: SocketAddr) -> Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    os::bind_to_interface(socket.as_raw_fd(), interface)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Does something with each message that has come.
fn each(socket: &UdpSocket, mut what: impl FnMut(&[u8], SocketAddr)) {
    // One that is longer than a message does not fit, and is none.
    let mut octets = [0; OCTETS + 1];
    for _ in 0..MOST {
        match socket.recv_from(&mut octets) {
            Ok((size, from)) => what(&octets[..size], from),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            // Nobody is at the other end, as a message has told that came back.
            Err(_) => {}
        }
    }
}

/// Bridge of which an interface is a part.
fn bridge(interface: &str) -> Option<String> {
    let master = fs::read_link(format!("/sys/class/net/{interface}/master")).ok()?;
    Some(master.file_name()?.to_str()?.to_owned())
}

/// Gateway of an interface over IPv4.
fn gateway(interface: &str) -> Option<IpAddr> {
    gateway_in(&fs::read_to_string(ROUTES).ok()?, interface)
}

/// The same in the kernel's table: the default route with the lowest metric. Addresses are octets in their order, read as
/// numbers of this machine.
fn gateway_in(routes: &str, interface: &str) -> Option<IpAddr> {
    let route = |line: &str| {
        let fields: Vec<&str> = line.split_whitespace().collect();
        let hexadecimal = |at: usize| u32::from_str_radix(fields.get(at)?, 16).ok();
        let is_it = *fields.first()? == interface
            && (hexadecimal(1)?, hexadecimal(7)?) == (0, 0)
            && hexadecimal(3)? & GATEWAY != 0;
        let metric: u32 = fields.get(6)?.parse().ok()?;
        is_it.then_some((metric, hexadecimal(2)?))
    };
    let (_, gateway) = routes.lines().filter_map(route).min_by_key(|(metric, _)| *metric)?;
    Some(IpAddr::from(gateway.to_ne_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "\
Iface\tDestination\tGateway \tFlags\tRefCnt\tUse\tMetric\tMask\t\tMTU\tWindow\tIRTT
eth0\t00000000\t0101000A\t0003\t0\t0\t100\t00000000\t0\t0\t0
wlan0\t00000000\t0202000A\t0003\t0\t0\t700\t00000000\t0\t0\t0
wlan0\t00000000\t0102000A\t0003\t0\t0\t600\t00000000\t0\t0\t0
wlan0\t0002000A\t00000000\t0001\t0\t0\t600\t00FFFFFF\t0\t0\t0
";

    #[cfg(target_endian = "little")]
    #[test]
    fn the_gateway_is_that_of_the_interface_with_the_lowest_metric() {
        assert_eq!(gateway_in(TABLE, "wlan0"), Some([10, 0, 2, 1].into()));
        assert_eq!(gateway_in(TABLE, "eth0"), Some([10, 0, 1, 1].into()));
        assert_eq!(gateway_in(TABLE, "wlan1"), None);
        assert_eq!(gateway_in("wlan0\t0000", "wlan0"), None);
    }

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// Real sockets. This machine's own address stands for both ends, which have different ports here.
    #[test]
    fn a_question_over_the_loopback_is_answered() {
        let Ok(mut listener) = Listener::open("lo", 0) else {
            return eprintln!("left out: there is no loopback");
        };
        let port = listener.socket.as_ref().unwrap().local_addr().unwrap().port();
        let local = IpAddr::from(Ipv4Addr::LOCALHOST);
        let socket = bound("lo", SocketAddr::new(local, 0)).unwrap();
        socket.connect(SocketAddr::new(local, port)).unwrap();
        let asking = Asking::new(7);
        let mut asker = Asker::new("lo", port, Some(local));
        let index = os::interface_index("lo");
        asker.asked = Some(AccessPoint { address: local, index, socket, asking });
        assert_eq!(asker.turn(at_ms(0)), None);
        let heard = || listener.hear(at_ms(50));
        let heard = std::iter::repeat_with(heard).take(1_000).find(|it| !it.is_empty());
        assert_eq!(heard.unwrap()[0].address, local);
        let grant = Grant { even: 32_767, additional: 0, backoff: 0 };
        listener.answer(Some(grant));
        // A stranger has the right address and another port.
        let stranger = UdpSocket::bind(SocketAddr::new(local, 0)).unwrap();
        let to = asker.asked.as_ref().unwrap().socket.local_addr().unwrap();
        stranger.send_to(&[0; OCTETS], to).unwrap();
        let mut turns = (1..100).filter_map(|turn| asker.turn(at_ms(100 + turn)));
        assert_eq!(turns.next(), Some(grant));
        assert_eq!(asker.access_point(), Some(local));
    }
}
