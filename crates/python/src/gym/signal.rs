//! Signals that learners see of each step, as numbers from 0 to 1.

use airfair_sim::observe::{self, Objects};
use airfair_sim::scenario::{Endpoint, Scenario, Transport};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::reward::DELAY_BUDGET_MS;

/// Number from 0 to 1 that a learner sees of each step, of a whole world or of a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Signal {
    /// Share of the data and RTS frames that another frame overlapped at the receiver.
    Collided,
    /// Share of retries among the data and RTS frames.
    Retried,
    /// Share of the step in which the channel was busy.
    Busy,
    /// Share of the step in which a frame of a station's exchanges was alone on the air.
    Airtime,
    /// Goodput, relative to the highest rate of data frames.
    Goodput,
    /// Goodput of the flows that stations send, as `Goodput`.
    Uploaded,
    /// Goodput of the flows that stations receive, as `Goodput`.
    Downloaded,
    /// Share of uploads among the flows that have delivered data.
    Uploads,
    /// Rate of data frames from a station, relative to the highest rate; of a world, the mean over its stations.
    RateUp,
    /// Rate of data frames to a station, as `RateUp`.
    RateDown,
    /// Delay of UDP: the largest mean delay of a flow, divided by the sum of that and the allowed delay. It is a half at
    /// the allowed delay, and 1 if no packet has arrived of a flow that has sent some.
    Delay,
}

impl Signal {
    const ALL: [(&str, Self); 11] = [
        ("collided", Self::Collided),
        ("retried", Self::Retried),
        ("busy", Self::Busy),
        ("airtime", Self::Airtime),
        ("goodput", Self::Goodput),
        ("uploaded", Self::Uploaded),
        ("downloaded", Self::Downloaded),
        ("uploads", Self::Uploads),
        ("rate_up", Self::RateUp),
        ("rate_down", Self::RateDown),
        ("delay", Self::Delay),
    ];

    /// Signal with this name.
    pub(crate) fn of(name: &str) -> PyResult<Self> {
        let found = Self::ALL.iter().find(|(word, _)| *word == name);
        found.map(|(_, signal)| *signal).ok_or_else(|| {
            let words: Vec<String> =
                Self::ALL.iter().map(|(word, _)| format!("{word:?}")).collect();
            PyValueError::new_err(format!("signal {name:?}: allowed are {}", words.join(", ")))
        })
    }
}

/// Activity of a world, or of a station in it, in one step.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Seen {
    /// Goodputs of the flows that stations send, of those that they receive, and of all [bit/s].
    uploaded: f64,
    downloaded: f64,
    pub(crate) goodput: f64,
    /// Numbers of the flows that have delivered data: those that stations send, and those that they receive.
    uploads: f64,
    downloads: f64,
    airtime: f64,
    busy: f64,
    frames: f64,
    retries: f64,
    collisions: f64,
    /// Rates of data frames from and to a station [bit/s].
    rates: [f64; 2],
    /// Largest mean delay of a UDP flow [ms]; infinite if no packet has arrived of a flow that has sent some.
    pub(crate) delay_ms: f64,
}

impl Seen {
    /// Value of a signal. Without a frame, no frame has collided; without a flow, no flow is an upload.
    pub(crate) fn value(&self, signal: Signal, highest: &Highest) -> f64 {
        let share = |part: f64, of: f64| if of > 0.0 { part / of } else { 0.0 };
        let value = match signal {
            Signal::Collided => share(self.collisions, self.frames),
            Signal::Retried => share(self.retries, self.frames),
            Signal::Busy => self.busy,
            Signal::Airtime => self.airtime,
            Signal::Goodput => self.goodput / highest.of_cells,
            Signal::Uploaded => self.uploaded / highest.of_cells,
            Signal::Downloaded => self.downloaded / highest.of_cells,
            Signal::Uploads => share(self.uploads, self.uploads + self.downloads),
            Signal::RateUp => self.rates[0] / highest.of_links,
            Signal::RateDown => self.rates[1] / highest.of_links,
            Signal::Delay => 1.0 - DELAY_BUDGET_MS / (DELAY_BUDGET_MS + self.delay_ms),
        };
        value.clamp(0.0, 1.0)
    }
}

/// Highest rates of data frames, to which goodputs and rates are relative [bit/s].
#[derive(Clone, Copy, Debug)]
pub(crate) struct Highest {
    /// Sum over the cells of the highest rate in each.
    pub(crate) of_cells: f64,
    /// Highest rate of all.
    of_links: f64,
}

impl Highest {
    #[expect(clippy::cast_precision_loss, reason = "rates are far below 2^53 b/s")]
    fn of(scenario: &Scenario) -> Self {
        let mut highest = vec![0; scenario.cells.len()];
        for station in &scenario.stations {
            for (_, rate) in station.rate_up.iter().chain(&station.rate_down) {
                highest[station.cell] = rate.data_rate().bps().max(highest[station.cell]);
            }
        }
        let of_links = highest.iter().fold(0, |most, it| most.max(*it)) as f64;
        Self { of_cells: highest.iter().map(|it| *it as f64).sum(), of_links }
    }
}

/// Places of columns among the values of an observation.
#[derive(Clone, Copy, Debug)]
struct Columns {
    goodput: usize,
    delay: usize,
    sent: usize,
    airtime: usize,
    rate_up: usize,
    rate_down: usize,
    frames: usize,
    retries: usize,
    collisions: usize,
    busy: usize,
    ap_frames: usize,
    ap_retries: usize,
    ap_collisions: usize,
}

impl Columns {
    fn of(scenario: &Scenario) -> Self {
        let start = |wanted: &str| {
            let length = |objects| match objects {
                Objects::Flows => scenario.flows.len(),
                Objects::Stations => scenario.stations.len(),
                Objects::Cells => scenario.cells.len(),
                Objects::Links => 2 * scenario.links.len(),
            };
            let before = observe::columns().take_while(|(_, name, _)| *name != wanted);
            before.map(|(objects, ..)| length(objects)).sum()
        };
        Self {
            goodput: start("goodput_bps"),
            delay: start("delay_ms"),
            sent: start("packets_sent"),
            airtime: start("airtime_share"),
            rate_up: start("rate_up_bps"),
            rate_down: start("rate_down_bps"),
            frames: start("frames"),
            retries: start("retries"),
            collisions: start("collisions"),
            busy: start("channel_busy_share"),
            ap_frames: start("access_point_frames"),
            ap_retries: start("access_point_retries"),
            ap_collisions: start("access_point_collisions"),
        }
    }
}

/// Reader of a world's observations.
#[derive(Debug)]
pub(crate) struct Reader {
    columns: Columns,
    /// Station that sends each flow, and the one that receives it, if there is one.
    ends: Vec<[Option<usize>; 2]>,
    /// Flows of UDP.
    udp: Vec<usize>,
    /// Cell of each station.
    cells: Vec<usize>,
    number_of_cells: usize,
    pub(crate) highest: Highest,
}

impl Reader {
    /// Creates the reader of the observations of a scenario's world.
    pub(crate) fn new(scenario: &Scenario) -> Self {
        let station = |end| if let Endpoint::Station(index) = end { Some(index) } else { None };
        let flows = scenario.flows.iter().enumerate();
        let udp = flows.filter(|(_, it)| matches!(it.transport, Transport::Udp { .. }));
        Self {
            columns: Columns::of(scenario),
            udp: udp.map(|(flow, _)| flow).collect(),
            ends: scenario.flows.iter().map(|it| [it.from, it.to].map(station)).collect(),
            cells: scenario.stations.iter().map(|it| it.cell).collect(),
            number_of_cells: scenario.cells.len(),
            highest: Highest::of(scenario),
        }
    }

    /// Goodput of each flow [bit/s].
    pub(crate) fn goodputs<'v>(&self, values: &'v [f64]) -> &'v [f64] {
        &values[self.columns.goodput..][..self.ends.len()]
    }

    /// Mean delay of the packets of a flow that have arrived [ms]. Without one, it is infinite if the flow has sent some.
    fn delay_ms(&self, values: &[f64], flow: usize) -> f64 {
        let delay = values[self.columns.delay + flow];
        let without = if values[self.columns.sent + flow] > 0.0 { f64::INFINITY } else { 0.0 };
        if delay.is_nan() { without } else { delay }
    }

    /// Activity of the whole world.
    pub(crate) fn world(&self, values: &[f64]) -> Seen {
        let (at, stations, cells) = (self.columns, self.cells.len(), self.number_of_cells);
        let sum = |from: usize, count: usize| values[from..from + count].iter().sum::<f64>();
        #[expect(clippy::cast_precision_loss, reason = "a scenario has few cells and stations")]
        let mean = |from: usize, of: usize, count: usize| sum(from, of) / count as f64;
        let mut seen = Seen {
            airtime: mean(at.airtime, stations, cells),
            busy: mean(at.busy, cells, cells),
            frames: sum(at.frames, stations) + sum(at.ap_frames, cells),
            retries: sum(at.retries, stations) + sum(at.ap_retries, cells),
            collisions: sum(at.collisions, stations) + sum(at.ap_collisions, cells),
            rates: [at.rate_up, at.rate_down].map(|it| mean(it, stations, stations)),
            ..Seen::default()
        };
        for flow in &self.udp {
            seen.delay_ms = self.delay_ms(values, *flow).max(seen.delay_ms);
        }
        for ([from, to], goodput) in self.ends.iter().zip(self.goodputs(values)) {
            seen.goodput += goodput;
            if from.is_some() {
                seen.upload(*goodput);
            } else if to.is_some() {
                seen.download(*goodput);
            }
        }
        seen
    }

    /// Writes the activity of each station to `into`.
    pub(crate) fn stations(&self, values: &[f64], into: &mut [Seen]) {
        let at = self.columns;
        for ((index, seen), cell) in into.iter_mut().enumerate().zip(&self.cells) {
            *seen = Seen {
                airtime: values[at.airtime + index],
                busy: values[at.busy + cell],
                frames: values[at.frames + index],
                retries: values[at.retries + index],
                collisions: values[at.collisions + index],
                rates: [at.rate_up, at.rate_down].map(|it| values[it + index]),
                ..Seen::default()
            };
        }
        for flow in &self.udp {
            for station in self.ends[*flow].iter().flatten() {
                let seen = &mut into[*station];
                seen.delay_ms = self.delay_ms(values, *flow).max(seen.delay_ms);
            }
        }
        for ([from, to], goodput) in self.ends.iter().zip(self.goodputs(values)) {
            if let Some(station) = from {
                into[*station].goodput += goodput;
                into[*station].upload(*goodput);
            }
            if let Some(station) = to {
                into[*station].goodput += goodput;
                into[*station].download(*goodput);
            }
        }
    }
}

impl Seen {
    fn upload(&mut self, goodput: f64) {
        self.uploaded += goodput;
        self.uploads += f64::from(u8::from(goodput > 0.0));
    }

    fn download(&mut self, goodput: f64) {
        self.downloaded += goodput;
        self.downloads += f64::from(u8::from(goodput > 0.0));
    }
}
