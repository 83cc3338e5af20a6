//! UDP sockets for requests and grants. They are opened after the agent has dropped its
//! capabilities.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Result};
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};
use std::os::fd::AsRawFd;

use airfair_laws::occupancy::Grant;
use airfair_units::{Duration, Time};
use anyhow::Context;

use super::answering::{ROOM, RequestTable};
use super::asking::Requests;
use super::message::OCTETS;
use super::neighbours;
use crate::os;
use crate::sample::Asked;

/// Time between checks for a new gateway or a reopened interface.
const PERIOD: Duration = Duration::from_secs(1);
/// Most messages read from a socket at a time: twice the number of requesters. Further messages
/// wait in the socket or are lost.
const MOST: usize = 2 * ROOM;
/// File with the kernel's IPv4 routing table.
const ROUTES: &str = "/proc/net/route";
/// Flag of a route that has a gateway.
const GATEWAY: u32 = 2;

/// Socket by which the agent requests or sends grants.
#[derive(Debug)]
pub enum GrantSocket {
    /// Socket by which a station requests grants.
    Station(Requester),
    /// Socket by which an access point replies to requests for grants.
    AccessPoint(Responder),
}

/// Station that requests grants from its access point.
#[derive(Debug)]
pub struct Requester {
    interface: String,
    port: u16,
    /// Configured address of the access point; `None` for the gateway.
    configured: Option<IpAddr>,
    refreshed_at: Option<Time>,
    asked: Option<AccessPoint>,
}

/// Access point from which a station requests grants.
#[derive(Debug)]
struct AccessPoint {
    address: IpAddr,
    /// Index of the interface towards the access point.
    index: Option<u32>,
    socket: UdpSocket,
    asking: Requests,
}

impl Requester {
    /// Makes a station that requests grants over an interface. `configured` is the address of the
    /// access point; `None` for the gateway.
    pub fn new(interface: &str, port: u16, configured: Option<IpAddr>) -> Self {
        Self { interface: interface.to_owned(), port, configured, refreshed_at: None, asked: None }
    }

    /// Returns the last grant received, and sends the next request. Errors on sending count as lost
    /// requests.
    pub fn turn(&mut self, now: Time) -> Option<Grant> {
        if self.refreshed_at.is_none_or(|at| now.saturating_since(at) >= PERIOD) {
            self.refreshed_at = Some(now);
            self.refresh();
        }
        let AccessPoint { socket, asking, .. } = self.asked.as_mut()?;
        let mut granted = None;
        each(socket, |octets, _| granted = asking.receive(now, octets).ok().or(granted));
        if asking.is_due(now) {
            let _ = socket.send(&asking.ask(now));
        }
        granted
    }

    /// Checks if the address of the access point or the interface has changed, and if so opens a
    /// new socket with a new random number.
    fn refresh(&mut self) {
        let address = self.configured.or_else(|| gateway(&self.interface));
        let index = os::interface_index(&self.interface);
        if self.asked.as_ref().is_some_and(|it| (Some(it.address), it.index) == (address, index)) {
            return;
        }
        // Closes the old socket first, because the new one needs its port.
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
        // The kernel drops packets from other addresses.
        socket.connect(SocketAddr::new(address, self.port))?;
        let index = os::interface_index(&self.interface);
        Ok(AccessPoint { address, index, socket, asking: Requests::new(os::random()?) })
    }

    /// Address of the access point from which grants are requested, once it is known.
    pub fn access_point(&self) -> Option<IpAddr> {
        self.asked.as_ref().map(|it| it.address)
    }
}

/// Access point that replies to requests for grants at an interface.
#[derive(Debug)]
pub struct Responder {
    interface: String,
    index: u32,
    port: u16,
    refreshed_at: Time,
    /// Socket for requests; `None` while the interface is missing.
    socket: Option<UdpSocket>,
    answering: RequestTable,
    neighbours: BTreeMap<IpAddr, String>,
}

impl Responder {
    /// Listens for requests of stations for grants of airtime, at an interface or at the bridge
    /// that the interface belongs to.
    ///
    /// # Errors
    /// Returns an error if there is no such interface or if the port is in use.
    pub fn open(interface: &str, port: u16) -> anyhow::Result<Self> {
        let interface = bridge(interface).unwrap_or_else(|| interface.to_owned());
        let socket = listening(&interface, port)
            .with_context(|| format!("port {port} for grants at {interface}"))
            .map(Some)?;
        let index = os::interface_index(&interface).unwrap_or_default();
        let (answering, neighbours) = (RequestTable::default(), BTreeMap::new());
        let refreshed_at = Time::ZERO;
        Ok(Self { interface, index, port, refreshed_at, socket, answering, neighbours })
    }

    /// Receives requests for grants. Returns the stations that have asked since the last replies.
    pub fn receive(&mut self, now: Time) -> Vec<Asked> {
        let is_due = now.saturating_since(self.refreshed_at) >= PERIOD;
        if is_due {
            self.refreshed_at = now;
            self.refresh();
        }
        let Self { socket: Some(socket), answering, .. } = self else { return Vec::new() };
        each(socket, |octets, from| {
            let address = SocketAddr::new(from.ip().to_canonical(), from.port());
            let _ = answering.receive(now, address, octets);
        });
        let asked = answering.asked();
        // At most once per second, and only after requests.
        if is_due && !asked.is_empty() {
            self.neighbours = neighbours::at(self.index);
        }
        let of = |address| Asked { address, station: self.neighbours.get(&address).cloned() };
        asked.into_iter().map(of).collect()
    }

    /// Opens a new socket if the interface has a new index. The old socket is closed first, because
    /// it holds the port.
    fn refresh(&mut self) {
        let Some(index) = os::interface_index(&self.interface) else { return };
        if index != self.index || self.socket.is_none() {
            self.index = index;
            self.socket = None;
            self.socket = listening(&self.interface, self.port).ok();
        }
    }

    /// Replies to all requests with `grant`. Errors on sending count as lost replies.
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

/// UDP socket for IPv6 and IPv4 at an interface; for IPv4 alone if the machine has no IPv6.
fn listening(interface: &str, port: u16) -> Result<UdpSocket> {
    let six = bound(interface, SocketAddr::from((Ipv6Addr::UNSPECIFIED, port)));
    six.or_else(|_| bound(interface, SocketAddr::from((Ipv4Addr::UNSPECIFIED, port))))
}

/// UDP socket bound to an interface.
fn bound(interface: &str, address: SocketAddr) -> Result<UdpSocket> {
    let socket = UdpSocket::bind(address)?;
    os::bind_to_interface(socket.as_raw_fd(), interface)?;
    socket.set_nonblocking(true)?;
    Ok(socket)
}

/// Calls `what` for each message that waits in the socket, with its octets and the sender's
/// address.
fn each(socket: &UdpSocket, mut what: impl FnMut(&[u8], SocketAddr)) {
    // One octet longer than a message, so that messages that are too long are detected.
    let mut octets = [0; OCTETS + 1];
    for _ in 0..MOST {
        match socket.recv_from(&mut octets) {
            Ok((size, from)) => what(&octets[..size], from),
            Err(error) if error.kind() == ErrorKind::WouldBlock => return,
            // ICMP error for an earlier packet: nobody listens at the other end.
            Err(_) => {}
        }
    }
}

/// Name of the bridge that an interface belongs to.
fn bridge(interface: &str) -> Option<String> {
    let master = fs::read_link(format!("/sys/class/net/{interface}/master")).ok()?;
    Some(master.file_name()?.to_str()?.to_owned())
}

/// IPv4 gateway of an interface.
fn gateway(interface: &str) -> Option<IpAddr> {
    gateway_in(&fs::read_to_string(ROUTES).ok()?, interface)
}

/// Gateway of an interface in the text of the kernel's routing table: that of the default route
/// with the lowest metric. The table has addresses in network order, printed as a number in the
/// machine's order.
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

    /// A station's request over a real socket on the loopback interface gets its reply. The two
    /// ends have the same address and different ports.
    #[test]
    fn a_question_over_the_loopback_is_answered() {
        let Ok(mut listener) = Responder::open("lo", 0) else {
            return eprintln!("left out: there is no loopback");
        };
        let port = listener.socket.as_ref().unwrap().local_addr().unwrap().port();
        let local = IpAddr::from(Ipv4Addr::LOCALHOST);
        let socket = bound("lo", SocketAddr::new(local, 0)).unwrap();
        socket.connect(SocketAddr::new(local, port)).unwrap();
        let asking = Requests::new(7);
        let mut requester = Requester::new("lo", port, Some(local));
        let index = os::interface_index("lo");
        requester.asked = Some(AccessPoint { address: local, index, socket, asking });
        assert_eq!(requester.turn(at_ms(0)), None);
        let heard = || listener.receive(at_ms(50));
        let heard = std::iter::repeat_with(heard).take(1_000).find(|it| !it.is_empty());
        assert_eq!(heard.unwrap()[0].address, local);
        let grant = Grant { even: 32_767, additional: 0, backoff: 0 };
        listener.answer(Some(grant));
        // A third socket has the right address and the wrong port.
        let stranger = UdpSocket::bind(SocketAddr::new(local, 0)).unwrap();
        let to = requester.asked.as_ref().unwrap().socket.local_addr().unwrap();
        stranger.send_to(&[0; OCTETS], to).unwrap();
        let mut turns = (1..100).filter_map(|turn| requester.turn(at_ms(100 + turn)));
        assert_eq!(turns.next(), Some(grant));
        assert_eq!(requester.access_point(), Some(local));
    }
}
