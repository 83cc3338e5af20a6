//! A model of saturated contention, station by station, written from the standard's text: every station has its own
//! counter and its own start of slots. The cell must agree with it frame by frame.

use airfair_units::{DataRate, Duration, Time};
use airfair_wlan::phy::{Preamble, Standard, TxVector};
use airfair_wlan::{Attempts, SentFrame, Stream};
use proptest::prelude::*;
use rand_core::Rng;

use crate::bench::{Bench, MBPS, config, stream};

const SIZE: u64 = 1000;
const ATTEMPTS: u16 = 5;

/// Saturated station of the model of contention.
struct Station {
    stream: Stream,
    data: Duration,
    ack: Duration,
    window_bits: u32,
    failures: u16,
    /// Slots of the back-off still to count.
    counter: u64,
    /// Time at which the station's next slot starts to count; `None` while the station awaits a response.
    counts_from: Option<Time>,
    /// Time at which the station's wait for a response ends.
    times_out: Option<Time>,
}

impl Station {
    fn draw(&mut self) {
        self.counter = u64::from(self.stream.next_u32()) >> (32 - self.window_bits);
    }

    fn fail(&mut self, smallest: u32) {
        self.times_out = None;
        self.failures += 1;
        if self.failures == ATTEMPTS {
            (self.failures, self.window_bits) = (0, smallest);
        } else {
            self.window_bits = (self.window_bits + 1).min(10);
        }
        self.draw();
    }
}

struct Model {
    standard: Standard,
    stations: Vec<Station>,
    idle_since: Time,
    /// Frames sent so far: end, station, true if the frame collided.
    sent: Vec<(Time, usize, bool)>,
}

impl Model {
    fn new(standard: Standard, rates: &[DataRate]) -> Self {
        let timing = standard.timing(false, Preamble::Long);
        let basic = standard.default_basic_rates(false);
        let station = |(index, rate): (usize, &DataRate)| {
            let answer = *basic.iter().rfind(|basic| *basic <= rate).unwrap_or(&basic[0]);
            let air = |octets, rate| {
                let tx = TxVector::of(rate, Preamble::Long).expect("a rate");
                standard.ppdu_duration(airfair_units::Bytes::new(octets), tx)
            };
            Station {
                stream: stream(index + 1),
                data: air(SIZE + 28, *rate),
                ack: air(14, answer),
                window_bits: u32::from(timing.cw_min).count_ones(),
                failures: 0,
                counter: 0,
                counts_from: Some(Time::ZERO + timing.difs),
                times_out: None,
            }
        };
        let stations = rates.iter().enumerate().map(station).collect();
        Self { standard, stations, idle_since: Time::ZERO, sent: Vec::new() }
    }

    /// Carries out the next transmission or collision and its consequences.
    fn step(&mut self) {
        let timing = self.standard.timing(false, Preamble::Long);
        let (slot, smallest) = (timing.slot, u32::from(timing.cw_min).count_ones());
        let due = |s: &Station| s.counts_from.map(|from| from + slot * s.counter);
        // Stations whose time-out comes before the next start join the countdown.
        loop {
            let start = self.stations.iter().filter_map(due).min();
            let first = self.stations.iter_mut().filter_map(|s| Some((s.times_out?, s)));
            let Some((at, station)) = first.min_by_key(|(at, _)| *at) else { break };
            if start.is_some_and(|start| start < at) {
                break;
            }
            station.fail(smallest);
            let first_slot = self.idle_since + timing.difs;
            let passed = at.saturating_since(first_slot).as_nanos().div_ceil(slot.as_nanos());
            station.counts_from = Some(first_slot + slot * passed);
        }
        let start = self.stations.iter().filter_map(due).min().expect("somebody is due");
        let winners: Vec<usize> =
            (0..self.stations.len()).filter(|i| due(&self.stations[*i]) == Some(start)).collect();
        for station in &mut self.stations {
            if let Some(from) = station.counts_from {
                station.counter -=
                    start.saturating_since(from).whole_steps(slot).min(station.counter);
            }
        }
        if let [winner] = winners[..] {
            self.succeed(winner, start, smallest);
        } else {
            self.collide(&winners, start);
        }
    }

    fn succeed(&mut self, winner: usize, start: Time, smallest: u32) {
        let timing = self.standard.timing(false, Preamble::Long);
        let end = start + self.stations[winner].data;
        self.sent.push((end, winner, false));
        self.idle_since = end + timing.sifs + self.stations[winner].ack;
        let next = self.idle_since + timing.difs;
        for (index, station) in self.stations.iter_mut().enumerate() {
            if index == winner {
                (station.failures, station.window_bits) = (0, smallest);
                station.draw();
            } else if station.times_out.is_some_and(|at| at <= self.idle_since) {
                station.fail(smallest);
            }
            if station.times_out.is_none() {
                station.counts_from = Some(next);
            }
        }
    }

    fn collide(&mut self, winners: &[usize], start: Time) {
        let timing = self.standard.timing(false, Preamble::Long);
        let timeout = timing.sifs + timing.slot + timing.rx_phy_start_delay;
        let end = |s: &Station| start + s.data;
        let last = winners.iter().map(|w| end(&self.stations[*w])).max().expect("two winners");
        // A station that still waits for an earlier ACK senses this collision like any other station.
        for (index, station) in self.stations.iter_mut().enumerate() {
            if winners.contains(&index) {
                self.sent.push((start + station.data, index, true));
                (station.counts_from, station.times_out) =
                    (None, Some(start + station.data + timeout));
            } else {
                if station.times_out.is_some_and(|at| at <= last) {
                    station.fail(u32::from(timing.cw_min).count_ones());
                }
                station.counts_from = station.times_out.is_none().then_some(last + timing.eifs);
            }
        }
        self.idle_since = last;
        // Stations whose time-out comes during the collision count again a DIFS after it, as they have decoded
        // nothing of it.
        for station in &mut self.stations {
            if station.times_out.is_some_and(|at| at <= last) {
                station.fail(u32::from(timing.cw_min).count_ones());
                station.counts_from = Some(last + timing.difs);
            }
        }
    }
}

fn check(standard: Standard, rates: &[DataRate], frames: usize) {
    let mut cell = config(standard, rates);
    cell.rules.attempts = Attempts::Max(ATTEMPTS);
    let mut bench = Bench::new(&cell);
    for station in 0..rates.len() {
        for _ in 0..2 {
            bench.send_up(station, SIZE);
        }
    }
    let mut model = Model::new(standard, rates);
    while model.sent.len() < frames {
        model.step();
    }
    let mut sent = Vec::new();
    let mut departed = 0;
    while sent.len() < frames {
        let next = bench.cell.next_event().at();
        bench.run_until(next + Duration::from_nanos(1));
        while departed < bench.departed.len() {
            let from = bench.departed[departed].msdu.from;
            departed += 1;
            bench.send(from, airfair_wlan::NodeId::AP, SIZE);
        }
        sent = bench.sent();
        sent.retain(|sent| sent.frame == SentFrame::Data);
    }
    // Frames that end at the same instant are in no particular order.
    let mut expected = model.sent;
    expected.sort_unstable();
    let mut measured: Vec<_> =
        sent.iter().map(|sent| (sent.end, sent.node.index() - 1, sent.collided)).collect();
    measured.sort_unstable();
    let count = frames - rates.len();
    for index in 0..count {
        assert_eq!(measured[index], expected[index], "frame {index} of {rates:?}");
    }
}

#[test]
fn ten_stations_of_one_rate_send_when_the_model_says() {
    check(Standard::B, &[MBPS(11); 10], 600);
    check(Standard::A, &[MBPS(54); 10], 600);
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// A saturated cell with stations of random rates sends each frame at the time at which the model sends it.
    ///
    /// Verifies: [80211-2020 §10.3.4.2, §10.3.4.3]
    #[test]
    fn stations_of_any_rates_send_when_the_model_says(
        rates in prop::collection::vec(prop::sample::select(Standard::B.rates()), 2..8),
        fast in prop::collection::vec(prop::sample::select(Standard::A.rates()), 2..8),
    ) {
        check(Standard::B, &rates, 200);
        check(Standard::A, &fast, 200);
    }
}
