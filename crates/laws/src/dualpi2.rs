//! `DualPI2`: marks and drops for two coupled queues, one for Classic traffic and one for low latency (L4S).
//! [RFC9332 §A.1, §A.2]
//!
//! A proportional-integral controller sets a base probability p' by the delay of the queues. Classic packets are marked
//! or dropped with p'², packets of the L queue are marked with p' times the coupling factor, or if they have waited
//! longer than a threshold. The owner calls [`update`] at each interval of the controller, and [`judge`] for each packet
//! that leaves a queue.
//!
//! Likelihoods are counted up to one instead of drawn, as [RFC9332 §A.1] allows, so the law uses no random numbers.

use airfair_units::Duration;

/// Parameters of `DualPI2`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Delay of the Classic queue at which the controller aims.
    pub target: Duration,
    /// Interval of the controller, `Tupdate`.
    pub update: Duration,
    /// Delay in the L queue from which on each of its packets is marked.
    pub step: Duration,
    /// Coupling factor k.
    pub coupling: u8,
}

impl Default for Params {
    /// Parameters for the Internet, with the interval and the threshold of Linux.  [RFC9332 §A.1], [linux-dualpi2]
    fn default() -> Self {
        let time = Duration::from_millis;
        Self { target: time(15), update: time(16), step: time(1), coupling: 2 }
    }
}

/// Longest round trip for which the controller is stable, `RTT_max` [s].  [RFC9332 §A.1]
const LONGEST_ROUND_TRIP: f64 = 0.1;

/// State of the controller.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct State {
    /// Base probability p'.
    pub base: f64,
    /// Delay at the last update.
    previous: Duration,
    /// Likelihoods of the Classic and of the L queue that are not used up yet.
    counts: [f64; 2],
}

/// Queue of a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Queue {
    /// Queue of Classic traffic.
    Classic,
    /// Queue of L4S traffic.
    Low,
}

/// A packet that leaves its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leaving {
    /// Queue of the packet.
    pub queue: Queue,
    /// Time for which the packet has waited.
    pub waited: Duration,
    /// True if another packet waits in the same queue.
    pub has_follower: bool,
    /// True if the two queues together have less than two full packets. They are then left alone.
    pub is_short: bool,
}

/// Fate of a packet that leaves its queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// The packet passes unchanged.
    Pass,
    /// The packet is marked, or dropped if its transport does not answer marks.
    Mark,
    /// The packet is dropped, because the queues are overloaded.
    Drop,
}

/// Returns the state after an update with the `delay` of the longer waiting head of the two queues.
/// `dual_pi2_update` [RFC9332 §A.1]
#[must_use]
pub fn update(params: &Params, state: State, delay: Duration) -> State {
    let interval = params.update.as_secs_f64();
    let alpha = 0.1 * interval / (LONGEST_ROUND_TRIP * LONGEST_ROUND_TRIP);
    let beta = 0.3 / LONGEST_ROUND_TRIP;
    let (now, before) = (delay.as_secs_f64(), state.previous.as_secs_f64());
    let base = state.base + alpha * (now - params.target.as_secs_f64()) + beta * (now - before);
    State { base: base.clamp(0.0, 1.0), previous: delay, ..state }
}

/// Returns the state after a packet has left its queue, and the fate of the packet.  `dual_pi2_dequeue`
/// [RFC9332 §A.1], overload as in [linux-dualpi2]
#[must_use]
pub fn judge(params: &Params, mut state: State, packet: Leaving) -> (State, Verdict) {
    let coupled = state.base * f64::from(params.coupling);
    let (squared, is_overloaded) = (state.base * state.base, coupled > 1.0);
    let verdict = match packet.queue {
        Queue::Low => {
            let is_late = packet.has_follower && packet.waited > params.step;
            let likelihood = match (is_late, packet.is_short) {
                (true, _) => 1.0,
                (false, true) => 0.0,
                (false, false) => coupled.min(1.0),
            };
            let is_dropped =
                is_overloaded && !packet.is_short && recur(&mut state.counts[0], squared);
            match (is_dropped, recur(&mut state.counts[1], likelihood)) {
                (true, _) => Verdict::Drop,
                (false, true) => Verdict::Mark,
                (false, false) => Verdict::Pass,
            }
        }
        Queue::Classic if packet.is_short || !recur(&mut state.counts[0], squared) => Verdict::Pass,
        Queue::Classic if is_overloaded => Verdict::Drop,
        Queue::Classic => Verdict::Mark,
    };
    (state, verdict)
}

/// Adds a likelihood to a count. Returns true, and takes one from the count, each time that it reaches one.  `recur`
/// [RFC9332 §A.1]
fn recur(count: &mut f64, likelihood: f64) -> bool {
    *count += likelihood;
    let is_reached = *count >= 1.0;
    *count -= f64::from(u8::from(is_reached));
    is_reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    fn leaving(queue: Queue) -> Leaving {
        Leaving { queue, waited: ms(0), has_follower: true, is_short: false }
    }

    /// With an interval of 16 ms, alpha is 0.1 · 0.016 / 0.1² = 0.16 Hz and beta 0.3 / 0.1 = 3 Hz. A delay that rises
    /// from 0 to 25 ms adds 0.16 · 0.010 + 3 · 0.025 = 0.0766; if it stays there, a further 0.0016; a fall to the
    /// target takes 3 · 0.010 = 0.03 away.
    ///
    /// Verifies: [RFC9332 §A.1]
    #[test]
    fn the_controller_follows_level_and_growth_of_the_delay() {
        let params = Params::default();
        let near = |state: State, expected: f64| (state.base - expected).abs() < 1e-12;
        let risen = update(&params, State::default(), ms(25));
        assert!(near(risen, 0.0766), "{risen:?}");
        let stayed = update(&params, risen, ms(25));
        assert!(near(stayed, 0.0782), "{stayed:?}");
        let fallen = update(&params, stayed, ms(15));
        assert!(near(fallen, 0.0482), "{fallen:?}");
        let idle = (0..100).fold(fallen, |state, _| update(&params, state, ms(0)));
        assert!(near(idle, 0.0), "{idle:?}");
    }

    /// With p' = 0.25 and k = 2, half of the packets of the L queue and a sixteenth of those of the Classic queue are
    /// marked.
    ///
    /// Verifies: [RFC9332 §2.1, §A.1]
    #[test]
    fn marks_of_the_queues_are_coupled_by_the_square() {
        let params = Params::default();
        for (queue, marks) in [(Queue::Low, 800), (Queue::Classic, 100)] {
            let mut state = State { base: 0.25, ..State::default() };
            let mut marked = 0;
            for _ in 0..1_600 {
                let (next, verdict) = judge(&params, state, leaving(queue));
                (state, marked) = (next, marked + u32::from(verdict == Verdict::Mark));
            }
            assert_eq!(marked, marks, "{queue:?}");
        }
    }

    /// A packet of the L queue that has waited longer than 1 ms is marked, if another one waits behind it.
    ///
    /// Verifies: [RFC9332 §A.1]
    #[test]
    fn a_late_packet_of_the_l_queue_is_marked() {
        let late = Leaving { waited: Duration::from_micros(1_001), ..leaving(Queue::Low) };
        let verdict = |packet| judge(&Params::default(), State::default(), packet).1;
        assert_eq!(verdict(late), Verdict::Mark);
        assert_eq!(verdict(Leaving { waited: ms(1), ..late }), Verdict::Pass);
        assert_eq!(verdict(Leaving { has_follower: false, ..late }), Verdict::Pass);
        assert_eq!(verdict(Leaving { queue: Queue::Classic, ..late }), Verdict::Pass);
    }

    /// From p' = 1/2 on, at which all packets of the L queue are marked, packets of both queues are dropped with p'².
    ///
    /// Verifies: [RFC9332 §A.2]
    #[test]
    fn overloaded_queues_drop() {
        let counts = |queue, base| {
            let mut state = State { base, ..State::default() };
            let mut found = [0; 3];
            for _ in 0..100 {
                let (next, verdict) = judge(&Params::default(), state, leaving(queue));
                (state, found[verdict as usize]) = (next, found[verdict as usize] + 1);
            }
            found
        };
        assert_eq!(counts(Queue::Classic, 0.5), [75, 25, 0]);
        assert_eq!(counts(Queue::Low, 0.5), [0, 100, 0]);
        let near = |[_, marks, drops]: [i32; 3]| (marks - 36).abs() <= 1 && (drops - 64).abs() <= 1;
        assert!(near(counts(Queue::Low, 0.8)), "{:?}", counts(Queue::Low, 0.8));
        assert!((counts(Queue::Classic, 0.8)[2] - 64).abs() <= 1);
    }
}
