//! Requests of a station to its access point, and checks of the replies.

use std::collections::VecDeque;

use airfair_laws::occupancy::Grant;
use airfair_units::Time;

use super::message::{Message, OCTETS};
use super::{LEASE, Rejected};

/// Requests of a station to one access point, and their state.
#[derive(Clone, Debug)]
pub struct Requests {
    nonce: u64,
    /// Sequence number of the station's last request.
    number: u32,
    /// Unanswered requests of the last second, with their times.
    open: VecDeque<(u32, Time)>,
    asked_at: Option<Time>,
    heard_at: Option<Time>,
}

impl Requests {
    /// Makes the state of requests to an access point. The random number `nonce` identifies this
    /// station.
    pub fn new(nonce: u64) -> Self {
        Self { nonce, number: 0, open: VecDeque::new(), asked_at: None, heard_at: None }
    }

    /// True if it is time for the next request. Without replies there is only one request per
    /// second, so that an access point without an agent costs little airtime.
    pub fn is_due(&self, now: Time) -> bool {
        let lately = |at: Option<Time>| at.is_some_and(|at| now.saturating_since(at) < LEASE);
        lately(self.heard_at) || !lately(self.asked_at)
    }

    /// Makes the next request for a grant, encoded for sending.
    pub fn ask(&mut self, now: Time) -> [u8; OCTETS] {
        self.asked_at = Some(now);
        self.number = self.number.wrapping_add(1);
        self.open.push_back((self.number, now));
        Message { nonce: self.nonce, number: self.number, grant: None }.encode()
    }

    /// Checks a reply. It must answer a request of the last second that is newer than the last one
    /// answered.
    ///
    /// # Errors
    /// Returns the reason if the reply is rejected.
    pub fn receive(&mut self, now: Time, octets: &[u8]) -> Result<Grant, Rejected> {
        while self.open.front().is_some_and(|(_, at)| now.saturating_since(*at) >= LEASE) {
            self.open.pop_front();
        }
        let message = Message::decode(octets).ok_or(Rejected::Malformed)?;
        let grant = message.grant.ok_or(Rejected::Malformed)?;
        if message.nonce != self.nonce {
            return Err(Rejected::Nonce);
        }
        let place = self.open.iter().position(|(number, _)| *number == message.number);
        // Replies to earlier requests are rejected from now on.
        self.open.drain(..=place.ok_or(Rejected::Number)?);
        self.heard_at = Some(now);
        Ok(grant)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Duration;

    const NONCE: u64 = 0x5eed;

    fn at_ms(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    fn answer(nonce: u64, number: u32, even: u16) -> [u8; OCTETS] {
        let grant = Some(Grant { even, additional: 0, backoff: 0 });
        Message { nonce, number, grant }.encode()
    }

    /// State of a station that has sent requests at 100, 200 and 300 ms.
    fn asked() -> Requests {
        let mut asking = Requests::new(NONCE);
        for ms in [100, 200, 300] {
            asking.ask(at_ms(ms));
        }
        asking
    }

    #[test]
    fn an_answer_to_a_question_is_believed_once_and_in_its_order() {
        let mut asking = asked();
        let now = at_ms(350);
        assert_eq!(asking.receive(now, &answer(NONCE, 2, 20)).unwrap().even, 20);
        assert_eq!(asking.receive(now, &answer(NONCE, 2, 21)), Err(Rejected::Number), "twice");
        assert_eq!(
            asking.receive(now, &answer(NONCE, 1, 10)),
            Err(Rejected::Number),
            "out of order"
        );
        assert_eq!(
            asking.receive(now, &answer(NONCE, 4, 40)),
            Err(Rejected::Number),
            "never asked"
        );
        assert_eq!(asking.receive(now, &answer(NONCE, 3, 30)).unwrap().even, 30);
    }

    /// Without replies a station asks once a second: the reply at 350 ms allows requests at any
    /// time until 1350 ms, and then one per second.
    #[test]
    fn without_answers_a_station_asks_once_a_second() {
        assert!(Requests::new(NONCE).is_due(at_ms(0)));
        let mut asking = asked();
        assert_eq!([400, 1_299, 1_300].map(|ms| asking.is_due(at_ms(ms))), [false, false, true]);
        asking.receive(at_ms(350), &answer(NONCE, 3, 1)).unwrap();
        asking.ask(at_ms(1_300));
        let due = [1_349, 1_350, 2_299, 2_300].map(|ms| asking.is_due(at_ms(ms)));
        assert_eq!(due, [true, false, false, true]);
    }

    /// Replies with a foreign random number, malformed ones and those to old requests are rejected.
    /// The third request is one second old at 1300 ms.
    #[test]
    fn old_foreign_and_malformed_answers_are_rejected() {
        let mut asking = asked();
        assert_eq!(asking.receive(at_ms(350), &answer(NONCE + 1, 3, 1)), Err(Rejected::Nonce));
        assert_eq!(asking.receive(at_ms(350), &[0; OCTETS]), Err(Rejected::Malformed));
        let question = asking.clone().ask(at_ms(350));
        assert_eq!(asking.receive(at_ms(350), &question), Err(Rejected::Malformed), "its own echo");
        assert!(asking.clone().receive(at_ms(1_299), &answer(NONCE, 3, 1)).is_ok());
        assert_eq!(asking.receive(at_ms(1_300), &answer(NONCE, 3, 1)), Err(Rejected::Number));
        assert!(asking.open.is_empty());
    }
}
