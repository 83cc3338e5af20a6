//! Channel time paced by the wall clock.
//!
//! Events are computed in channel time. A world whose clock is late catches up: a late wake-up
//! delays packets, but never leaves the channel idle. Only after a [stall](crate::lateness::STALL)
//! does channel time slip: it stops for as long as the machine did, because the programs in
//! the namespaces did not run either.

use std::sync::Arc;

use airfair_sim::clock::{Clock, Woken};
use airfair_units::{Duration, Time};

use crate::lateness::STALL;
use crate::laws::AllLaws;
use crate::verdict::{BySecond, Span};

/// Wall clock with a sleep that input interrupts.
pub(crate) trait Wall {
    /// Wall time since a fixed, arbitrary moment.
    fn now(&mut self) -> Duration;

    /// Sleeps until `at`; true if input came first or is waiting already.
    fn sleep_until(&mut self, at: Duration) -> bool;
}

/// Maps channel time, the clock of the simulated cell, to wall time, and keeps account of idle time
/// and stalls.
#[derive(Debug)]
pub(crate) struct Pace<W> {
    pub(crate) wall: W,
    /// Wall time at which channel time is zero. Each slip, a stop of channel time after a stall of
    /// the machine, moves it later.
    origin: Duration,
    /// Last reading of the wall clock.
    seen: Duration,
    /// Wall time at which the last wait began, if input ended that wait.
    asleep: Option<Duration>,
    /// Time for which the engine had nothing to do, since the start.
    pub(crate) rest: Duration,
    pub(crate) longest: Duration,
    pub(crate) slips: u64,
    pub(crate) slipped: Duration,
    /// Part of `slipped` that is due to laws.
    pub(crate) slipped_in_laws: Duration,
    pub(crate) by_second: BySecond,
    laws: Arc<AllLaws>,
    /// Time in laws up to the last moment at which the clock was not late.
    in_laws_before: Duration,
}

impl<W: Wall> Pace<W> {
    /// Starts channel time at the current wall time.
    pub(crate) fn new(wall: W) -> Self {
        Self::with_laws(wall, Arc::default())
    }

    /// Starts channel time at the current wall time, in an emulation with laws.
    pub(crate) fn with_laws(mut wall: W, laws: Arc<AllLaws>) -> Self {
        let origin = wall.now();
        Self {
            wall,
            origin,
            seen: origin,
            asleep: None,
            rest: Duration::ZERO,
            longest: Duration::ZERO,
            slips: 0,
            slipped: Duration::ZERO,
            slipped_in_laws: Duration::ZERO,
            by_second: BySecond::default(),
            laws,
            in_laws_before: Duration::ZERO,
        }
    }

    /// Starts channel time anew, before the first event.
    pub(crate) fn restart(&mut self) {
        self.origin = self.wall.now();
        self.seen = self.origin;
    }

    /// Lateness of an event at the channel time `at`, and the part of it that is due to laws.
    pub(crate) fn lateness(&mut self, at: Time) -> Span {
        let time = self.now().saturating_since(at);
        Span { time, in_laws: self.in_laws().min(time) }
    }

    /// Time in laws since the clock was late.
    fn in_laws(&self) -> Duration {
        self.laws.spent() - self.in_laws_before
    }

    /// Channel time that corresponds to the current wall time.
    pub(crate) fn now(&mut self) -> Time {
        self.look();
        Time::ZERO + self.seen.saturating_sub(self.origin)
    }

    fn look(&mut self) {
        self.seen = self.wall.now();
        if let Some(since) = self.asleep.take() {
            self.rest += self.seen - since;
        }
    }

    /// Wall time at the last reading of the wall clock.
    pub(crate) fn seen(&self) -> Duration {
        self.seen
    }

    /// Compares the wall clock with the channel time `at`, which is `due` on the wall clock, and
    /// handles lateness.
    fn since(&mut self, at: Time, due: Duration) -> Woken {
        let late = self.seen.saturating_sub(due);
        self.longest = self.longest.max(late);
        if late <= STALL {
            return if late.is_zero() { Woken::Due } else { Woken::Late(late) };
        }
        let in_laws = self.in_laws().min(late);
        self.in_laws_before = self.laws.spent();
        self.origin += late;
        self.slips += 1;
        self.slipped += late;
        self.slipped_in_laws += in_laws;
        self.by_second.add(at, Span { time: late, in_laws });
        Woken::Due
    }
}

impl<W: Wall> Clock for Pace<W> {
    #[inline]
    fn wait_until(&mut self, at: Time) -> Woken {
        let due = self.origin + (at - Time::ZERO);
        if self.laws.is_over() {
            // The law that has failed may have stopped the emulation before.
            self.look();
            self.since(at, due);
            return Woken::Input;
        }
        if self.seen < due {
            self.look();
            if self.seen < due {
                self.in_laws_before = self.laws.spent();
                let since = self.seen;
                if self.wall.sleep_until(due) {
                    self.asleep = Some(since);
                    return Woken::Input;
                }
                self.seen = self.wall.now().max(due);
                self.rest += due - since;
            }
        }
        self.since(at, due)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::laws::LawAccount;
    use crate::laws::tests::call;
    use crate::verdict::InSecond;

    /// Wall clock with scripted wake-ups: `Ok` is the lateness of a sleep, `Err` the time at which
    /// input ends it.
    struct Script {
        now: Duration,
        wakes: Vec<Result<Duration, Duration>>,
    }

    impl Wall for Script {
        fn now(&mut self) -> Duration {
            self.now
        }

        fn sleep_until(&mut self, at: Duration) -> bool {
            match self.wakes.remove(0) {
                Ok(late) => self.now = at + late,
                Err(input_at) => self.now = input_at,
            }
            self.now < at
        }
    }

    fn pace(wakes: Vec<Result<Duration, Duration>>) -> Pace<Script> {
        Pace::new(Script { now: Duration::from_secs(7), wakes })
    }

    fn at(ms: u64) -> Time {
        Time::ZERO + Duration::from_millis(ms)
    }

    /// The idle time is the time until input comes or an event is due. The first 4 of 10 ms end
    /// with input, which takes 2 ms to handle. The rest of the sleep ends 3 ms late.
    #[test]
    fn rest_is_the_time_until_input_comes_or_something_is_due() {
        let mut pace = pace(vec![Err(Duration::from_millis(7_004)), Ok(Duration::from_millis(3))]);
        assert_eq!(pace.wait_until(at(10)), Woken::Input);
        pace.now();
        pace.wall.now += Duration::from_millis(2);
        assert_eq!(pace.wait_until(at(10)), Woken::Late(Duration::from_millis(3)));
        assert_eq!(pace.rest, Duration::from_millis(4 + 4));
    }

    #[test]
    fn a_late_wake_up_is_caught_up_with() {
        let mut pace = pace(vec![Ok(Duration::from_millis(3)), Ok(Duration::ZERO)]);
        assert_eq!(pace.wait_until(at(10)), Woken::Late(Duration::from_millis(3)));
        // Events within the 3 ms happen at once, at their own times.
        assert_eq!(pace.wait_until(at(12)), Woken::Late(Duration::from_millis(1)));
        assert_eq!(pace.wait_until(at(13)), Woken::Due);
        assert_eq!(pace.wait_until(at(14)), Woken::Due);
        assert_eq!((pace.slips, pace.longest), (0, Duration::from_millis(3)));
    }

    #[test]
    fn after_a_stall_channel_time_slips() {
        let mut pace = pace(vec![Ok(Duration::from_millis(21)), Ok(Duration::ZERO)]);
        assert_eq!(pace.wait_until(at(10)), Woken::Due);
        assert_eq!(pace.now(), at(10));
        assert_eq!((pace.slips, pace.slipped), (1, Duration::from_millis(21)));
        let time = Duration::from_millis(21);
        let stillest = InSecond { second: 0, time, in_laws: Duration::ZERO };
        assert_eq!(pace.by_second.most, stillest);
        // Later events keep their distance from this one.
        assert_eq!(pace.wait_until(at(11)), Woken::Due);
        assert_eq!(pace.now(), at(11));
    }

    /// A law takes 3 ms of a lateness of 4 ms; when the clock has slept, its time is forgotten. A law
    /// of 1 s is a stall; the machine adds 2 ms.
    #[test]
    fn the_lateness_in_laws_ends_when_the_clock_is_on_time() {
        let ms = Duration::from_millis;
        let all = Arc::<AllLaws>::default();
        let account = LawAccount::new("Mine".to_owned(), "slow".to_owned(), &all);
        let script = Script { now: Duration::from_secs(7), wakes: vec![Ok(ms(0)), Ok(ms(0))] };
        let mut pace = Pace::with_laws(script, all);
        assert_eq!(pace.wait_until(at(10)), Woken::Due);
        pace.wall.now += ms(4);
        call(&account, ms(3));
        assert_eq!(pace.lateness(at(10)), Span { time: ms(4), in_laws: ms(3) });
        assert_eq!(pace.lateness(at(12)), Span { time: ms(2), in_laws: ms(2) });
        assert_eq!(pace.wait_until(at(12)), Woken::Late(ms(2)));
        assert_eq!(pace.wait_until(at(20)), Woken::Due);
        pace.wall.now += ms(1);
        assert_eq!(pace.lateness(at(20)), Span::from(ms(1)));
        call(&account, ms(1_000));
        pace.wall.now += ms(1_002);
        pace.now();
        assert_eq!(pace.wait_until(at(20)), Woken::Due);
        assert_eq!((pace.slipped, pace.slipped_in_laws), (ms(1_003), ms(1_000)));
        let stillest = InSecond { second: 0, time: ms(1_003), in_laws: ms(1_000) };
        assert_eq!(pace.by_second.most, stillest);
        assert_eq!(pace.lateness(at(20)), Span::default());
    }

    #[test]
    fn a_law_that_ends_the_emulation_ends_each_wait() {
        let all = Arc::<AllLaws>::default();
        let script = Script { now: Duration::from_secs(7), wakes: vec![Ok(Duration::ZERO)] };
        let mut pace = Pace::with_laws(script, Arc::clone(&all));
        assert_eq!(pace.wait_until(at(10)), Woken::Due);
        let account = LawAccount::new(String::new(), String::new(), &all);
        pace.wall.now += Duration::from_secs(5);
        call(&account, Duration::from_secs(5));
        account.end_emulation();
        assert_eq!(pace.wait_until(at(10)), Woken::Input);
        assert_eq!(pace.slipped_in_laws, Duration::from_secs(5), "as long as the law ran");
        assert_eq!(pace.wait_until(at(99)), Woken::Input);
        assert_eq!(pace.slips, 1);
    }

    #[test]
    fn input_ends_the_wait_before_its_time() {
        let mut pace = pace(vec![Err(Duration::from_millis(7_004))]);
        assert_eq!(pace.wait_until(at(10)), Woken::Input);
        assert_eq!(pace.now(), at(4));
    }
}
