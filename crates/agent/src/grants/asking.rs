//! What a station asks of its access point, and the answers that it believes.

use std::collections::VecDeque;

use airfair_laws::occupancy::Grant;
use airfair_units::Time;

use super::message::{Message, OCTETS};
use super::{LEASE, Refused};

/// Questions to one access point.
#[derive(Clone, Debug)]
pub struct Asking {
    nonce: u64,
    /// Number of the last question.
    number: u32,
    /// Questions that wait for an answer, with their times: those of the last second.
    open: VecDeque<(u32, Time)>,
    asked_at: Option<Time>,
    heard_at: Option<Time>,
}

impl Asking {
    /// One that is known by a random number.
    pub fn new(nonce: u64) -> Self {
        Self { nonce, number: 0, open: VecDeque::new(), asked_at: None, heard_at: None }
    }

    /// True if it is time for the next question: at once, but once a second where none was answered in the last one, so that
    /// an access point without an agent costs hardly any air.
    pub fn is_due(&self, now: Time) -> bool {
        let lately = |at: Option<Time>| at.is_some_and(|at| now.saturating_since(at) < LEASE);
        lately(self.heard_at) || !lately(self.asked_at)
    }

    /// The next question.
    pub fn ask(&mut self, now: Time) -> [u8; OCTETS] {
        self.asked_at = Some(now);
        self.number = self.number.wrapping_add(1);
        self.open.push_back((self.number, now));
        Message { nonce: self.nonce, number: self.number, grant: None }.encode()
    }

    /// The grant in an answer to a question of the last second, newer than the last one that was believed.
    ///
    /// # Errors
    /// The reason for which it is not believed.
    pub fn hear(&mut self, now: Time, octets: &[u8]) -> Result<Grant, Refused> {
        while self.open.front().is_some_and(|(_, at)| now.saturating_since(*at) >= LEASE) {
            self.open.pop_front();
        }
        let message = Message::decode(octets).ok_or(Refused::Malformed)?;
        let grant = message.grant.ok_or(Refused::Malformed)?;
        if message.nonce != self.nonce {
            return Err(Refused::Nonce);
        }
        let place = self.open.iter().position(|(number, _)| *number == message.number);
        // Answers to questions before it come too late.
        self.open.drain(..=place.ok_or(Refused::Number)?);
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

    /// A station that has asked three times, at 100, 200 and 300 ms.
    fn asked() -> Asking {
        let mut asking = Asking::new(NONCE);
        for ms in [100, 200, 300] {
            asking.ask(at_ms(ms));
        }
        asking
    }

    #[test]
    fn an_answer_to_a_question_is_believed_once_and_in_its_order() {
        let mut asking = asked();
        let now = at_ms(350);
        assert_eq!(asking.hear(now, &answer(NONCE, 2, 20)).unwrap().even, 20);
        assert_eq!(asking.hear(now, &answer(NONCE, 2, 21)), Err(Refused::Number), "twice");
        assert_eq!(asking.hear(now, &answer(NONCE, 1, 10)), Err(Refused::Number), "out of order");
        assert_eq!(asking.hear(now, &answer(NONCE, 4, 40)), Err(Refused::Number), "never asked");
        assert_eq!(asking.hear(now, &answer(NONCE, 3, 30)).unwrap().even, 30);
    }

    /// Asked at 300 ms and heard at 350 ms: at any time until 1350 ms, and then once a second.
    #[test]
    fn who_is_not_answered_asks_once_a_second() {
        assert!(Asking::new(NONCE).is_due(at_ms(0)));
        let mut asking = asked();
        assert_eq!([400, 1_299, 1_300].map(|ms| asking.is_due(at_ms(ms))), [false, false, true]);
        asking.hear(at_ms(350), &answer(NONCE, 3, 1)).unwrap();
        asking.ask(at_ms(1_300));
        let due = [1_349, 1_350, 2_299, 2_300].map(|ms| asking.is_due(at_ms(ms)));
        assert_eq!(due, [true, false, false, true]);
    }

    /// The third question is a second old at 1300 ms.
    #[test]
    fn what_is_old_of_others_or_malformed_is_refused() {
        let mut asking = asked();
        assert_eq!(asking.hear(at_ms(350), &answer(NONCE + 1, 3, 1)), Err(Refused::Nonce));
        assert_eq!(asking.hear(at_ms(350), &[0; OCTETS]), Err(Refused::Malformed));
        let question = asking.clone().ask(at_ms(350));
        assert_eq!(asking.hear(at_ms(350), &question), Err(Refused::Malformed), "its own echo");
        assert!(asking.clone().hear(at_ms(1_299), &answer(NONCE, 3, 1)).is_ok());
        assert_eq!(asking.hear(at_ms(1_300), &answer(NONCE, 3, 1)), Err(Refused::Number));
        assert!(asking.open.is_empty());
    }
}
