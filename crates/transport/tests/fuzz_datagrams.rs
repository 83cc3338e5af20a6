//! Fuzz test of hostile datagrams for decoder, sender and receiver: no panic, bounded work, and consistent
//! counters.
//!
//! Each round is a pair of endpoints over a bad path, with an attacker who knows all identifiers and numbers
//! and sends random octets, valid packets with bits flipped, truncated, extended or replayed, and fields with
//! extreme values. A round depends on its seed only, which a failure prints.
//!
//! `PROPTEST_RNG_SEED` chooses the histories, as for the property tests; without it each run has new ones.
//! `AIRFAIR_FUZZ_SECONDS` lets it run for so long instead of [`ROUNDS`].

#![expect(
    clippy::disallowed_methods,
    clippy::disallowed_types,
    reason = "how long it runs, and new seeds, come from the clock; what a round does does not"
)]

use std::time::{Duration as WallTime, Instant, SystemTime, UNIX_EPOCH};

use airfair_transport::tfrc::wire::{self, DATA_HEADER, Packet};
use airfair_transport::tfrc::{
    Data, Feedback, Profile, Receiver, ReceiverConfig, ReceiverStats, Sender, SenderConfig,
    SenderStats, Traffic,
};
use airfair_units::{Bytes, DataRate, Duration, Time};

/// Number of rounds of the fuzz test if no time is set.
const ROUNDS: u64 = 400;
/// Number of steps of a round of the fuzz test, each with one hostile datagram. A round tests a new pair of
/// endpoints.
const STEPS: u64 = 1_000;
/// Most packets taken from a sender in one step of the fuzz test, which has one hostile datagram.
const BURST: usize = 64;
/// Largest number of loss events that one datagram may reveal, by the one gap that it closes.
const EVENTS: u64 = 128;
/// Limit of the length of an endpoint's debug output, which includes lists and so bounds the memory.
const LARGEST_STATE: usize = 100_000;

#[test]
fn no_datagram_harms_an_endpoint() {
    let seed = variable("PROPTEST_RNG_SEED").unwrap_or_else(|| {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).expect("a clock after 1970");
        u64::from(now.subsec_nanos())
    });
    let time = variable("AIRFAIR_FUZZ_SECONDS").map(WallTime::from_secs);
    let started = Instant::now();
    let goes_on = |round| time.map_or(round < ROUNDS, |time| started.elapsed() < time);
    let mut round = 0;
    while goes_on(round) {
        let _told = OnFailure { seed, round };
        Round::new(seed, round).run();
        round += 1;
    }
    println!("{round} rounds of {STEPS} datagrams, PROPTEST_RNG_SEED={seed}");
}

fn variable(name: &str) -> Option<u64> {
    let text = std::env::var(name).ok()?;
    Some(text.parse().unwrap_or_else(|_| panic!("{name}={text}: a whole number is allowed")))
}

/// Guard that prints, when a round of the fuzz test panics, how to reproduce it.
struct OnFailure {
    seed: u64,
    round: u64,
}

impl Drop for OnFailure {
    fn drop(&mut self) {
        if std::thread::panicking() {
            println!("failed: PROPTEST_RNG_SEED={}, round {}", self.seed, self.round);
        }
    }
}

struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ mixed >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// A random number below `end`.
    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn place(&mut self, length: usize) -> usize {
        usize::try_from(self.below(length as u64)).expect("below a length")
    }

    fn octet(&mut self) -> u8 {
        self.next().to_be_bytes()[0]
    }

    /// A 32-bit field, half of the time with an extreme value.
    fn field(&mut self) -> u32 {
        let any = u32::try_from(self.next() >> 32).expect("32 bits");
        match self.below(6) {
            0 => 0,
            1 => u32::MAX,
            2 => 1 << 31,
            3 => any & 0xffff,
            _ => any,
        }
    }
}

/// A pair of endpoints, their traffic so far, and the attacker's random numbers.
struct Round {
    random: Random,
    now: Time,
    sender: Sender,
    receiver: Receiver,
    /// Some of the valid datagrams sent so far, for the attacker to change.
    seen: Vec<Vec<u8>>,
    ssrc: u32,
    reporter: u32,
    seq: u16,
}

impl Round {
    fn new(seed: u64, round: u64) -> Self {
        let mut random = Random(seed.wrapping_mul(0x2545_f491_4f6c_dd1d) ^ round);
        let profiles = [Profile::Rfc5348, Profile::Rfc3448, Profile::Ns2];
        let profile = profiles[random.place(3)];
        let segment = Bytes::new([1, 100, 1_000, 65_000][random.place(4)]);
        let bps = [1, 400_000, 100_000_000_000, u64::MAX][random.place(4)];
        let is_greedy = random.below(2) == 0;
        let (ssrc, reporter) = (random.field(), random.field());
        let config = SenderConfig {
            traffic: if is_greedy {
                Traffic::Greedy
            } else {
                Traffic::Constant(DataRate::from_bps(bps))
            },
            buffer: Some(segment * 50),
            ssrc,
            initial_seq: u16::try_from(random.field() >> 16).expect("16 bits"),
            granularity: Duration::from_millis(random.below(2)),
            least_no_feedback: Duration::from_millis(random.below(2) * 200),
            ..SenderConfig::new(profile, segment)
        };
        // The flow has run for hours, so timestamps wrap.
        let now = Time::from_nanos(random.below(1 << 44));
        let mut sender = Sender::new(config);
        sender.open(now);
        let receiver = Receiver::new(ReceiverConfig { reporter, ..ReceiverConfig::new(profile) });
        Self { random, now, sender, receiver, seen: Vec::new(), ssrc, reporter, seq: 0 }
    }

    fn run(&mut self) {
        for step in 0..STEPS {
            let datagram = self.datagram();
            let before = (self.sender.stats(), self.receiver.stats());
            self.deliver(&datagram);
            self.exchange();
            self.check(before);
            // Mostly microseconds, sometimes up to a quarter of an hour.
            let range =
                [1, 1_000, 1_000_000, 1_000_000_000, 1_000_000_000_000][self.random.place(5)];
            self.now += Duration::from_nanos(self.random.below(range));
            if step % 100 == 0 {
                let size = format!("{:?}{:?}", self.sender, self.receiver).len();
                assert!(size < LARGEST_STATE, "{size} characters of state");
            }
        }
    }

    fn datagram(&mut self) -> Vec<u8> {
        match self.random.below(8) {
            0 => (0..self.random.below(80)).map(|_| self.random.octet()).collect(),
            1 | 2 => self.mutated(),
            3 => self.replayed(),
            4 | 5 => self.extreme_data(),
            _ => wire::encode_feedback(&self.extreme_feedback()).to_vec(),
        }
    }

    fn replayed(&mut self) -> Vec<u8> {
        if self.seen.is_empty() {
            return Vec::new();
        }
        let place = self.random.place(self.seen.len());
        self.seen[place].clone()
    }

    /// A formerly valid packet with a few bits flipped, truncated or extended.
    fn mutated(&mut self) -> Vec<u8> {
        let mut octets = self.replayed();
        for _ in 0..=self.random.below(4) {
            match self.random.below(8) {
                0 => octets.truncate(self.random.place(octets.len() + 1)),
                1 => octets.push(self.random.octet()),
                _ if octets.is_empty() => {}
                _ => {
                    let place = self.random.place(octets.len());
                    octets[place] ^= 1 << self.random.below(8);
                }
            }
        }
        octets
    }

    /// Data packet with the sender's SSRC: jumps, reordering, and any time and round trip.
    fn extreme_data(&mut self) -> Vec<u8> {
        let jump = match self.random.below(8) {
            0 => 32_767,
            1 => 32_768,
            2 => u16::try_from(self.random.field() >> 16).expect("16 bits"),
            3 => u16::MAX,
            4 => 2,
            _ => 1,
        };
        self.seq = self.seq.wrapping_add(jump);
        let data = Data {
            ssrc: if self.random.below(16) == 0 { self.random.field() } else { self.ssrc },
            seq: self.seq,
            media_time: self.random.field(),
            is_frame_end: self.random.below(2) == 0,
            sent_at: self.random.field(),
            rtt: self.random.field(),
            payload: 0,
        };
        let mut octets = wire::encode_data(&data).to_vec();
        octets.resize(DATA_HEADER + self.random.place(1_500), 0);
        octets
    }

    /// A report with the receiver's SSRC: any rate and loss, for the present, the past or an impossible time.
    fn extreme_feedback(&mut self) -> Feedback {
        let micros = self.now.as_nanos() / 1_000;
        let ago = [0, 1, 1_000, 1_000_000, 1 << 31, 1 << 32][self.random.place(6)];
        let sent_at = micros.wrapping_sub(self.random.below(ago + 1)) & u64::from(u32::MAX);
        Feedback {
            reporter: if self.random.below(16) == 0 { self.random.field() } else { self.reporter },
            ssrc: self.ssrc,
            sent_at: u32::try_from(sent_at).expect("32 bits"),
            delay: if self.random.below(2) == 0 { 0 } else { self.random.field() },
            receive_rate: self.random.field(),
            loss_event_rate: self.random.field(),
        }
    }

    fn deliver(&mut self, octets: &[u8]) {
        match wire::decode(octets) {
            Ok(Packet::Data(data)) => {
                assert_eq!(octets[..DATA_HEADER], wire::encode_data(&data));
                let before = self.receiver.stats().loss_events;
                self.receiver.handle_data(self.now, &data);
                let events = self.receiver.stats().loss_events - before;
                assert!(events <= EVENTS, "{events} loss events from one datagram");
            }
            Ok(Packet::Feedback(feedback)) => {
                assert_eq!(octets.len(), wire::FEEDBACK);
                self.sender.handle_feedback(self.now, &feedback);
            }
            Err(_) => {}
        }
    }

    /// Runs the timers, and passes on a burst of the endpoints' packets, half of which arrive.
    fn exchange(&mut self) {
        self.sender.handle_timeout(self.now);
        self.receiver.handle_timeout(self.now);
        for _ in 0..BURST {
            let Some(data) = self.sender.poll_transmit(self.now) else { break };
            self.seq = data.seq;
            let datagram = wire::encode_data(&data).to_vec();
            self.pass(datagram);
        }
        // A datagram causes at most one report.
        if let Some(feedback) = self.receiver.poll_transmit(self.now) {
            self.pass(wire::encode_feedback(&feedback).to_vec());
        }
        assert_eq!(self.receiver.poll_transmit(self.now), None);
    }

    fn pass(&mut self, datagram: Vec<u8>) {
        if self.random.below(2) == 0 {
            self.deliver(&datagram);
        }
        if self.seen.len() < 64 {
            self.seen.push(datagram);
        } else {
            let place = self.random.place(64);
            self.seen[place] = datagram;
        }
    }

    fn check(&mut self, before: (SenderStats, ReceiverStats)) {
        let (sender, receiver) = (self.sender.stats(), self.receiver.stats());
        let grown = counts(&sender, &receiver);
        for (now, then) in grown.into_iter().zip(counts(&before.0, &before.1)) {
            assert!(now >= then, "a counter runs backwards: {before:?} {:?}", (sender, receiver));
        }
        assert!(receiver.reordered <= receiver.packets_received);
        assert!(receiver.loss_events <= receiver.lost);
        assert!(receiver.late <= receiver.lost + (1 << 15), "more come late than were missing");
        assert!((0.0..=1.0).contains(&self.receiver.loss_event_rate()));
        let (rate, pace) = (self.sender.allowed_rate(), self.sender.pacing_rate());
        assert!(rate.is_finite() && rate > 0.0 && pace.is_finite() && pace > 0.0, "{rate} {pace}");
        assert!(self.sender.smoothed_rtt().is_none_or(|rtt| rtt > 0.0 && rtt.is_finite()));
        assert!(
            self.receiver.next_timeout().is_none_or(|at| at > self.now),
            "a timer stands still"
        );
    }
}

/// Counters of both endpoints, which must never decrease.
fn counts(sender: &SenderStats, receiver: &ReceiverStats) -> [u64; 15] {
    [
        sender.packets_sent,
        sender.bytes_sent.get(),
        sender.bytes_dropped.get(),
        sender.feedbacks,
        sender.no_feedback_timeouts,
        sender.strangers + sender.stale + sender.implausible,
        receiver.packets_received,
        receiver.bytes_received.get(),
        receiver.reordered,
        receiver.late,
        receiver.copies,
        receiver.strangers,
        receiver.lost,
        receiver.loss_events,
        receiver.feedbacks_sent,
    ]
}
