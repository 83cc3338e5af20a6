//! Tests of a world through the interface of its owner.

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::{Pause, World};
use crate::clock::{Clock, Woken};
use crate::random::Streams;
use crate::scenario::Scenario;

/// Clock that returns what the test has scripted, and notes the times that it was asked to wait for [µs]. After the
/// end of the script every event is due.
#[derive(Debug, Default)]
struct Scripted {
    script: VecDeque<Woken>,
    asked: Vec<u64>,
}

impl Clock for Scripted {
    fn wait_until(&mut self, at: Time) -> Woken {
        self.asked.push(at.as_nanos() / 1_000);
        self.script.pop_front().unwrap_or(Woken::Due)
    }
}

const fn us(us: u64) -> Time {
    Time::from_nanos(us * 1_000)
}

/// Two hosts with a link of 8 Mb/s between them, on a clock that answers as `script` says when it is to wait. From 1 ms
/// on, a packet of 1000 octets leaves every 10 ms: it takes 1 ms to send and arrives another 2 ms later.
fn wire(script: &[Woken]) -> World<(), Scripted> {
    let text = "duration = \"1 s\"\n[router.r]\n[host.a]\nlink = { to = \"r\", rate = \"8 Mb/s\", delay = \"2 ms\" }\n\
                [host.b]\nlink = { to = \"r\", rate = \"8 Gb/s\" }\n\
                [flow.f]\nfrom = \"a\"\nto = \"b\"\nstart = \"1 ms\"\n\
                transport = { kind = \"udp\", payload = \"972 B\", rate = \"777600 b/s\" }\n";
    let scenario = Scenario::parse(text, &[]).unwrap_or_else(|errors| panic!("{errors:?}"));
    let clock = Scripted { script: script.iter().copied().collect(), asked: Vec::new() };
    World::new(&scenario, Streams::new(1, 0), (), clock)
}

/// The clock waits for the start of the flow at 1 ms, for the arrival of its packet at 4 ms and, 1 µs later, at the
/// other host, and then for 5 ms, because no further event comes before.
#[test]
fn the_clock_waits_for_each_event_and_then_for_the_end() {
    let mut world = wire(&[]);
    assert_eq!(world.next_event(), Some(us(1_000)));
    assert_eq!(world.advance(us(5_000)), Pause::Reached);
    assert_eq!(world.clock().asked, [1_000, 4_000, 4_001, 5_000]);
    assert_eq!((world.now(), world.next_event()), (us(5_000), Some(us(11_000))));
}

/// When the clock has input for the owner of the world, the world returns before the event that it awaits, and handles
/// this event in the next call. The input comes at once, while the world awaits the packet's arrival at 4 ms, and while
/// it awaits the time of 5 ms to which it was to advance.
#[test]
fn input_hands_over_to_the_owner_before_the_event_that_was_awaited() {
    use Woken::{Due, Input};
    let mut world = wire(&[Input, Due, Input, Due, Due, Input]);
    assert_eq!((world.advance(us(5_000)), world.now()), (Pause::Input, Time::ZERO));
    assert_eq!((world.advance(us(5_000)), world.now()), (Pause::Input, us(1_000)));
    assert_eq!(world.next_event(), Some(us(4_000)));
    assert_eq!((world.advance(us(5_000)), world.now()), (Pause::Input, us(4_001)));
    assert_eq!((world.advance(us(5_000)), world.now()), (Pause::Reached, us(5_000)));
    let asked = [1_000, 1_000, 4_000, 4_000, 4_001, 5_000, 5_000];
    assert_eq!(world.clock().asked, asked);
}

#[test]
fn a_late_clock_stops_nothing_and_the_longest_delay_is_kept() {
    let late = |ms| Woken::Late(Duration::from_millis(ms));
    let mut world = wire(&[late(3), late(7), late(1)]);
    assert_eq!(world.advance(us(5_000)), Pause::Reached);
    assert_eq!(world.lateness(), Duration::from_millis(7));
}

#[test]
#[should_panic(expected = "as long as its scenario")]
fn a_world_ends_with_its_scenario() {
    let _ = wire(&[]).advance(us(1_000_001));
}
