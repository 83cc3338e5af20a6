//! The handshake of a QUIC connection with TLS 1.3 in one round trip.  [RFC9000 §7, §8.1], [RFC9001 §4]
//!
//! ```text
//!  client (sender)                                                     server (receiver)
//!  Initial: ClientHello, padded ──────────────────────────────────────►
//!          ◄─────────────── Initial: ServerHello, Handshake: certificate … (three times what has arrived at most)
//!  Initial, Handshake: ACK, padded, unless this was all ──────────────►  the address is valid: no limit
//!          ◄───────────────────────────────────────────── Handshake: … Finished
//!  Handshake: Finished, 1-RTT: data ──────────────────────────────────►
//! ```
//!
//! The client alone repairs losses: it repeats its last datagram after a probe time-out, and the server repeats
//! what the client does not have. Deviates: [D-334]

use airfair_units::{Bytes, Duration, Time};

use super::config::LEAST_DATAGRAM;
use super::packet::{CONNECTION_ID, IP_UDP, TAG};

/// Octets that a server may send for each one that it has received, before the client's address is valid.
/// [RFC9000 §8.1]
const AMPLIFICATION: u64 = 3;
/// Length of a long header: flags, version, both connection identifiers with their lengths, length, packet number
/// [octets].  [RFC9000 §17.2]
const LONG_HEADER: u64 = 1 + 4 + 2 * (1 + CONNECTION_ID) + 2 + 2;
/// Length of an Initial packet's empty token [octets].  [RFC9000 §17.2.2]
const TOKEN: u64 = 1;
/// Length of an ACK frame with one range [octets].  [RFC9000 §19.3]
const ACK_FRAME: u64 = 5;
/// Length of the header of a CRYPTO frame: type, offset, length [octets].  [RFC9000 §19.6]
const CRYPTO_HEADER: u64 = 1 + 2 + 2;
/// Length of Finished with SHA-256 [octets].  [RFC8446 §4.4.4]
const FINISHED: u64 = 4 + 32;
/// Octets of a datagram with a Handshake packet that are not TLS messages.
const HANDSHAKE_OVERHEAD: u64 = LONG_HEADER + CRYPTO_HEADER + TAG;
/// Octets of the server's first datagram that are not TLS messages: those of an Initial packet and of a Handshake packet.
const FIRST_OVERHEAD: u64 =
    LONG_HEADER + TOKEN + ACK_FRAME + CRYPTO_HEADER + TAG + HANDSHAKE_OVERHEAD;
/// UDP payload of the client's last datagram.
const LAST: u64 = LONG_HEADER + ACK_FRAME + CRYPTO_HEADER + FINISHED + TAG;
/// Largest number of datagrams of the server.
const MOST_DATAGRAMS: u64 = 32;

/// Largest length of the server's TLS messages, so that the number of datagrams has a limit.
pub const MOST_CRYPTO: Bytes =
    Bytes::new(MOST_DATAGRAMS * (LEAST_DATAGRAM.get() - HANDSHAKE_OVERHEAD) / 2);

/// Datagram of the handshake, of either end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Handshake {
    /// Number of the datagram: of the client in the order of sending, of the server in the order of its TLS messages.
    pub number: u32,
    /// Number of the client's datagram that this one of the server answers; 0 for one of the client.
    answered: u32,
    /// Datagrams of the server that have arrived at the client, as bits.
    arrived: u32,
    /// Length of the UDP payload [octets].
    length: u16,
    /// True if the client asks for what it does not have.
    is_probe: bool,
    /// True if a long header of the datagram's first packet has the type Initial.
    pub is_initial: bool,
    /// True if the datagram is the server's last one.
    is_last: bool,
}

impl Handshake {
    /// Length of the UDP payload.
    pub fn datagram(&self) -> Bytes {
        Bytes::new(self.length.into())
    }

    /// Size of the IP packet.
    pub fn size(&self) -> Bytes {
        Bytes::new(IP_UDP) + self.datagram()
    }
}

/// Progress of the client in its handshake.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Progress {
    /// The datagram had arrived before.
    None,
    /// The datagram gives a round trip, if it answers the client's last one.
    Sample(Option<Duration>),
    /// As `Sample`, and all of the server's datagrams have arrived.
    Complete(Option<Duration>),
}

/// The client's part of the handshake: of the end that sends data.
#[derive(Clone, Debug)]
pub(super) struct Client {
    /// Datagrams sent.
    sent: u32,
    /// Time at which the last datagram was sent, until a round trip has been measured with it.
    last_at: Option<Time>,
    /// Server's datagrams that have arrived, as bits.
    arrived: u32,
    /// Number of the server's datagrams, once known.
    total: Option<u32>,
    /// Datagram to be sent, and true if it is a probe.
    due: Option<bool>,
    /// Time at which the client sends a probe.
    deadline: Option<Time>,
    /// Probe time-outs in a row.
    timeouts: u32,
}

impl Client {
    pub(super) fn new() -> Self {
        Self {
            sent: 0,
            last_at: None,
            arrived: 0,
            total: None,
            due: Some(false),
            deadline: None,
            timeouts: 0,
        }
    }

    /// Time at which [`handle_timeout`](Self::handle_timeout) has something to do.
    pub(super) fn next_timeout(&self) -> Option<Time> {
        self.deadline
    }

    /// Asks the server for what has not arrived, at the probe time-out. Returns true if it was time.
    pub(super) fn handle_timeout(&mut self, now: Time) -> bool {
        let is_time = self.deadline.is_some_and(|deadline| now >= deadline);
        if is_time {
            (self.due, self.timeouts) = (Some(true), self.timeouts + 1);
        }
        is_time
    }

    /// Next datagram, if one is due. Its probe time-out is `timeout`, which doubles with each one in a row.
    pub(super) fn poll_transmit(&mut self, now: Time, timeout: Duration) -> Option<Handshake> {
        let is_probe = self.due.take()?;
        let is_complete = self.is_complete();
        self.sent += 1;
        self.last_at = Some(now);
        // A client's datagram with an Initial packet is padded.  [RFC9000 §14.1]
        let length = if is_complete { LAST } else { LEAST_DATAGRAM.get() };
        let factor = 1 << self.timeouts.min(20);
        self.deadline = (!is_complete).then(|| now + timeout.saturating_mul(factor));
        Some(Handshake {
            number: self.sent - 1,
            answered: 0,
            arrived: self.arrived,
            length: in_u16(length),
            is_probe,
            is_initial: !is_complete,
            is_last: false,
        })
    }

    /// Processes a datagram of the server. The first one is answered, so that the server knows the address to be valid,
    /// and so is the last one.
    pub(super) fn handle(&mut self, now: Time, datagram: &Handshake) -> Progress {
        let bit = 1_u32.checked_shl(datagram.number).unwrap_or(0);
        if self.arrived & bit != 0 || bit == 0 {
            return Progress::None;
        }
        let is_first = self.arrived == 0;
        self.arrived |= bit;
        self.timeouts = 0;
        if datagram.is_last {
            self.total = Some(datagram.number + 1);
        }
        let is_answer = datagram.answered + 1 == self.sent;
        let round_trip = self.last_at.take_if(|_| is_answer).map(|sent| now - sent);
        if self.is_complete() {
            (self.due, self.deadline) = (Some(false), None);
            return Progress::Complete(round_trip);
        }
        if is_first {
            self.due = Some(false);
        }
        Progress::Sample(round_trip)
    }

    fn is_complete(&self) -> bool {
        self.total.is_some_and(|total| self.arrived.count_ones() == total)
    }
}

/// The server's part of the handshake: of the end that receives data.
#[derive(Clone, Debug)]
pub(super) struct Server {
    /// Lengths of the UDP payloads of all datagrams [octets].
    lengths: Vec<u64>,
    /// Server's datagrams that the client has, as bits.
    arrived: u32,
    /// Next datagram to send; none is left before the first datagram of the client arrives.
    next: u32,
    /// True once a datagram of the client has arrived.
    has_begun: bool,
    /// Number of the client's datagram that is answered.
    answered: u32,
    /// Octets that may be sent; `None` once the client's address is valid.
    allowed: Option<u64>,
}

impl Server {
    /// Creates the server's part with TLS messages of `crypto` octets. Each datagram has 1200 octets at most; the last is
    /// shorter, unless it is the first.
    pub(super) fn new(crypto: Bytes) -> Self {
        let full = LEAST_DATAGRAM.get();
        let mut left = crypto.get().saturating_sub(full - FIRST_OVERHEAD);
        let mut lengths = vec![full];
        while left > 0 {
            let part = left.min(full - HANDSHAKE_OVERHEAD);
            lengths.push(part + HANDSHAKE_OVERHEAD);
            left -= part;
        }
        let next = in_u32(lengths.len());
        Self { lengths, arrived: 0, next, has_begun: false, answered: 0, allowed: Some(0) }
    }

    /// Processes a datagram of the client.
    pub(super) fn handle(&mut self, datagram: &Handshake) {
        self.arrived |= datagram.arrived;
        self.answered = datagram.number;
        self.allowed = match self.allowed {
            // The client has a key that only the server's first datagram gives.  [RFC9000 §8.1]
            _ if self.arrived != 0 => None,
            allowed => allowed.map(|octets| octets + AMPLIFICATION * u64::from(datagram.length)),
        };
        if !std::mem::replace(&mut self.has_begun, true) || datagram.is_probe {
            self.next = 0;
        }
    }

    /// Next datagram that the client does not have, if it may be sent.
    pub(super) fn poll_transmit(&mut self) -> Option<Handshake> {
        let total = in_u32(self.lengths.len());
        let mut open = (self.next..total).skip_while(|it| self.arrived >> it & 1 == 1);
        let number = open.next()?;
        let length = self.lengths[number as usize];
        if let Some(allowed) = &mut self.allowed {
            *allowed = allowed.checked_sub(length)?;
        }
        self.next = number + 1;
        Some(Handshake {
            number,
            answered: self.answered,
            arrived: 0,
            length: in_u16(length),
            is_probe: false,
            is_initial: number == 0,
            is_last: number + 1 == total,
        })
    }
}

fn in_u16(length: u64) -> u16 {
    u16::try_from(length).expect("a datagram")
}

fn in_u32(count: usize) -> u32 {
    u32::try_from(count).expect("few datagrams")
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    fn at(ms: u64) -> Time {
        Time::ZERO + MS * ms
    }

    fn sent(server: &mut Server) -> Vec<u16> {
        std::iter::from_fn(|| server.poll_transmit()).map(|it| it.length).collect()
    }

    /// A long header has 1 + 4 + 2·9 + 2 + 2 = 27 octets. The first datagram has 27 + 1 + 5 + 5 + 16 and 27 + 5 + 16 of
    /// overhead, 102, so that 1098 octets of TLS messages fit, and each further one 48: 1152 fit. 3402 octets fit into
    /// three datagrams, one more makes a fourth one.
    ///
    /// Verifies: [RFC9000 §17.2], [RFC9000 §14.1]
    #[test]
    fn the_servers_messages_take_their_datagrams() {
        let lengths = |crypto| Server::new(Bytes::new(crypto)).lengths;
        assert_eq!([lengths(500), lengths(1_098)], [[1_200], [1_200]]);
        assert_eq!(lengths(1_099), [1_200, 49]);
        assert_eq!(lengths(3_000), [1_200, 1_200, 3_000 - 1_098 - 1_152 + 48]);
        assert_eq!(lengths(3_402), [1_200; 3]);
        assert_eq!(lengths(3_403), [1_200, 1_200, 1_200, 49]);
        assert!(lengths(MOST_CRYPTO.get()).len() as u64 <= MOST_DATAGRAMS);
        assert_eq!(LAST, 27 + 5 + 5 + 36 + 16);
    }

    /// One datagram of 1200 octets allows three of the server. A probe allows three more; a datagram that shows that the
    /// first one has arrived allows all.
    ///
    /// Verifies: [RFC9000 §8.1]
    #[test]
    fn the_server_sends_three_times_what_it_has_received() {
        let mut server = Server::new(Bytes::new(9_000));
        assert_eq!(server.lengths.len(), 8);
        assert!(sent(&mut server).is_empty());
        let mut client = Client::new();
        let first = client.poll_transmit(at(0), MS * 999).expect("the first");
        assert_eq!((first.length, first.is_initial), (1_200, true));
        server.handle(&first);
        assert_eq!(sent(&mut server), [1_200; 3]);
        let probed = |server: &Server| {
            let mut server = server.clone();
            server.handle(&Handshake { number: 1, is_probe: true, ..first });
            sent(&mut server)
        };
        assert_eq!(probed(&server), [1_200; 3]);
        server.handle(&Handshake { number: 1, arrived: 1, ..first });
        let rest = sent(&mut server);
        assert_eq!((rest.len(), &rest[..4]), (5, &[1_200; 4][..]));
    }

    /// Client and server with messages of three datagrams: the first is answered, the last is answered with Finished, and
    /// each gives a round trip that belongs to the datagram that it answers.
    ///
    /// Verifies: [RFC9001 §4.1], [RFC9002 §5.1]
    #[test]
    fn three_datagrams_complete_the_handshake_in_a_round_trip() {
        let (mut client, mut server) = (Client::new(), Server::new(Bytes::new(3_000)));
        server.handle(&client.poll_transmit(at(0), MS * 999).expect("the first"));
        assert_eq!((client.poll_transmit(at(0), MS), client.next_timeout()), (None, Some(at(999))));
        let flight: Vec<_> = std::iter::from_fn(|| server.poll_transmit()).collect();
        let round_trip = Some(MS * 40);
        assert_eq!(client.handle(at(40), &flight[0]), Progress::Sample(round_trip));
        assert_eq!(client.handle(at(40), &flight[0]), Progress::None);
        let answer = client.poll_transmit(at(40), MS * 120).expect("an answer");
        assert_eq!((answer.length, answer.arrived), (1_200, 1));
        assert_eq!(client.next_timeout(), Some(at(160)));
        // These answer the first datagram, not the last one that was sent.
        assert_eq!(client.handle(at(41), &flight[1]), Progress::Sample(None));
        assert_eq!(client.handle(at(42), &flight[2]), Progress::Complete(None));
        let last = client.poll_transmit(at(42), MS * 120).expect("Finished");
        assert_eq!((u64::from(last.length), last.is_initial), (LAST, false));
        assert_eq!(client.next_timeout(), None);
        server.handle(&answer);
        server.handle(&last);
        assert!(sent(&mut server).is_empty());
    }

    /// Whatever is lost, the client's probes, after twice the time each, make the handshake complete, and the server never
    /// sends more than three times what it has received before the address is valid.
    ///
    /// Verifies: [RFC9000 §8.1], [RFC9002 §6.2.4]
    #[test]
    fn probes_repair_losses() {
        for seed in 0..500_u64 {
            let mut random = seed;
            let mut is_lost = || {
                random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                random >> 60 < 6
            };
            let crypto = Bytes::new(200 + 37 * seed);
            let (mut client, mut server) = (Client::new(), Server::new(crypto));
            let (mut now, mut received, mut returned) = (at(0), 0, 0);
            let mut rounds = 0;
            while !client.is_complete() {
                rounds += 1;
                assert!(rounds < 200, "no end: {client:?}, {server:?}");
                while let Some(datagram) = client.poll_transmit(now, MS * 10) {
                    if !is_lost() {
                        received += u64::from(datagram.length);
                        server.handle(&datagram);
                    }
                }
                while let Some(datagram) = server.poll_transmit() {
                    returned += u64::from(datagram.length);
                    assert!(server.allowed.is_none() || returned <= 3 * received);
                    if !is_lost() {
                        client.handle(now, &datagram);
                    }
                }
                if client.due.is_none() && !client.is_complete() {
                    now = client.next_timeout().expect("a probe");
                    assert!(client.handle_timeout(now));
                }
            }
        }
    }
}
