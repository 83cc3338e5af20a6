//! Requests for grants at an access point, and its replies.

use std::collections::BTreeMap;
use std::net::{IpAddr, SocketAddr};

use airfair_laws::occupancy::Grant;
use airfair_units::Time;

use super::message::{Message, OCTETS};
use super::{LEASE, Rejected};

/// Most addresses of stations that an access point remembers for requests of grants.
pub const ROOM: usize = 1_024;

/// Station that requests grants, with its last request.
#[derive(Clone, Copy, Debug)]
struct Requester {
    from: SocketAddr,
    nonce: u64,
    /// Sequence number of the station's last request.
    number: u32,
    asked_at: Time,
    /// True until the station's last request is answered.
    is_due: bool,
}

/// Table of the stations that request grants from an access point, by IP address.
#[derive(Clone, Debug, Default)]
pub struct RequestTable {
    requesters: BTreeMap<IpAddr, Requester>,
}

impl RequestTable {
    /// Processes a message from an address. Of several requests between two samples only the last
    /// is answered. A station is known by its random number, which its messages contain; its
    /// address belongs to it until it has sent nothing for a second.
    ///
    /// # Errors
    /// Returns the reason if the message is rejected.
    pub fn receive(&mut self, now: Time, from: SocketAddr, octets: &[u8]) -> Result<(), Rejected> {
        let message = Message::decode(octets).filter(|it| it.grant.is_none());
        let Message { nonce, number, .. } = message.ok_or(Rejected::Malformed)?;
        let is_there = |it: &&Requester| now.saturating_since(it.asked_at) < LEASE;
        match self.requesters.get(&from.ip()).filter(is_there) {
            Some(known) if known.nonce != nonce => return Err(Rejected::Nonce),
            Some(known) if known.number >= number => return Err(Rejected::Number),
            Some(_) => {}
            None => self.make_room(now)?,
        }
        let requester = Requester { from, nonce, number, asked_at: now, is_due: true };
        self.requesters.insert(from.ip(), requester);
        Ok(())
    }

    fn make_room(&mut self, now: Time) -> Result<(), Rejected> {
        if self.requesters.len() >= ROOM {
            self.requesters.retain(|_, it| now.saturating_since(it.asked_at) < LEASE);
        }
        if self.requesters.len() < ROOM { Ok(()) } else { Err(Rejected::Full) }
    }

    /// IP addresses of stations with an unanswered request.
    pub fn asked(&self) -> Vec<IpAddr> {
        self.requesters.iter().filter(|(_, it)| it.is_due).map(|(address, _)| *address).collect()
    }

    /// Replies to all unanswered requests; none without a grant. The requests count as answered in
    /// both cases.
    pub fn answers(&mut self, grant: Option<Grant>) -> Vec<(SocketAddr, [u8; OCTETS])> {
        let answer = |it: &mut Requester| {
            let is_due = std::mem::take(&mut it.is_due) && grant.is_some();
            let message = Message { nonce: it.nonce, number: it.number, grant };
            is_due.then(|| (it.from, message.encode()))
        };
        self.requesters.values_mut().filter_map(answer).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;

    const GRANT: Grant = Grant { even: 32_767, additional: 5, backoff: 0 };

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn question(nonce: u64, number: u32) -> [u8; OCTETS] {
        Message { nonce, number, grant: None }.encode()
    }

    fn station(last: u8) -> SocketAddr {
        ([10, 0, 0, last], 8_011).into()
    }

    #[test]
    fn each_question_is_answered_once() {
        let mut it = RequestTable::default();
        assert!(it.answers(Some(GRANT)).is_empty());
        for number in [1, 2] {
            it.receive(at_ms(number.into()), station(2), &question(7, number)).unwrap();
        }
        it.receive(at_ms(3), station(3), &question(8, 1)).unwrap();
        assert_eq!(it.asked(), [station(2).ip(), station(3).ip()]);
        let answers = it.answers(Some(GRANT));
        let expected = Message { nonce: 7, number: 2, grant: Some(GRANT) }.encode();
        assert_eq!(answers.len(), 2);
        assert_eq!(answers[0], (station(2), expected));
        assert!(it.answers(Some(GRANT)).is_empty() && it.asked().is_empty());
    }

    /// A reply is as long as its request, and there is at most one per request.
    #[test]
    fn nothing_is_amplified() {
        let mut it = RequestTable::default();
        let (mut asked, mut answered) = (0, 0);
        for round in 0..1_000_u32 {
            for copy in 0..round % 4 {
                let octets = question(7, 4 * round + copy);
                asked += octets.len();
                let _ = it.receive(at_ms(round.into()), station(2), &octets);
            }
            answered +=
                it.answers(Some(GRANT)).iter().map(|(_, octets)| octets.len()).sum::<usize>();
            assert!(answered <= asked);
        }
        assert!(answered > 0);
    }

    #[test]
    fn repeated_questions_and_those_of_others_by_the_same_address_are_refused() {
        let mut it = RequestTable::default();
        it.receive(at_ms(0), station(2), &question(7, 5)).unwrap();
        assert_eq!(it.receive(at_ms(10), station(2), &question(7, 5)), Err(Rejected::Number));
        assert_eq!(it.receive(at_ms(10), station(2), &question(7, 4)), Err(Rejected::Number));
        assert_eq!(it.receive(at_ms(999), station(2), &question(8, 1)), Err(Rejected::Nonce));
        it.receive(at_ms(1_000), station(2), &question(8, 1)).unwrap();
        let answer = Message { nonce: 8, number: 2, grant: Some(GRANT) }.encode();
        assert_eq!(it.receive(at_ms(1_001), station(2), &answer), Err(Rejected::Malformed));
        assert_eq!(it.receive(at_ms(1_001), station(2), &[]), Err(Rejected::Malformed));
    }

    /// The table of requesters has room for 1024 addresses. A new address replaces those that have
    /// been silent for a second.
    #[test]
    fn the_table_is_bounded() {
        let mut it = RequestTable::default();
        let from = |number: u16| {
            let [high, low] = number.to_be_bytes();
            SocketAddr::from(([10, 0, high, low], 8_011))
        };
        for number in 0..1_024 {
            it.receive(at_ms(0), from(number), &question(7, 1)).unwrap();
        }
        assert_eq!(it.receive(at_ms(999), from(1_024), &question(7, 1)), Err(Rejected::Full));
        it.receive(at_ms(999), from(0), &question(7, 2)).unwrap();
        it.receive(at_ms(1_000), from(1_024), &question(7, 1)).unwrap();
        assert_eq!(it.requesters.len(), 2);
    }

    #[test]
    fn without_grants_no_question_is_answered() {
        let mut it = RequestTable::default();
        it.receive(at_ms(0), station(2), &question(7, 1)).unwrap();
        assert!(it.answers(None).is_empty() && it.answers(Some(GRANT)).is_empty());
    }
}
