//! Credits of stations: the airtime that each has been given and has not used.

use airfair_units::Duration;

use super::observation::Served;
use super::params::Params;

/// Credit and turn of a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Station {
    /// Value of [`Credits::given`] at which the station's credit is, or was, zero [ns].
    zero: i64,
    /// Number of the PPDU that has served the station last; 0 before the first.
    last: u64,
}

/// Credits of all stations.  [ns3-multi-user §`UpdateCredits`]
///
/// All credits grow together, so that a PPDU changes only the stations that it serves.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Credits {
    /// Airtime that each station has been given so far [ns].
    given: i64,
    /// Airtime that is still to be given: less than 1 ns for each station.
    rest: Duration,
    /// Number of PPDUs so far.
    ppdus: u64,
    stations: Vec<Station>,
}

impl Credits {
    pub(super) fn new(stations: u16) -> Self {
        let stations = vec![Station::default(); stations.into()];
        Self { given: 0, rest: Duration::ZERO, ppdus: 0, stations }
    }

    /// Credit of a station, at most [`Params::credit_cap`] [ns].
    pub(super) fn of(&self, params: &Params, station: u16) -> i64 {
        (self.given - self.stations[usize::from(station)].zero).min(nanos(params.credit_cap))
    }

    /// Number of the PPDU that has served a station last.
    pub(super) fn last(&self, station: u16) -> u64 {
        self.stations[usize::from(station)].last
    }

    /// Gives the time of a PPDU to all stations, and takes it from those that were served.
    ///
    /// A credit is bounded before it is charged, as in ns-3. The bound is applied when a credit is read; between
    /// two charges a credit only grows, so that this makes no difference.
    pub(super) fn settle(&mut self, params: &Params, duration: Duration, served: &[Served]) {
        let stations = self.stations.len() as u64;
        let total = duration + self.rest;
        let each = total / stations;
        self.rest = total - each * stations;
        self.given += nanos(each);
        self.ppdus += 1;
        let width: u64 = served.iter().map(|it| u64::from(it.tones)).sum();
        let (mut before, mut paid) = (0, Duration::ZERO);
        for it in served {
            // Differences of rounded sums, so that the charges add up to the duration.
            before += u64::from(it.tones);
            let due = duration * before / width;
            let zero = self.given - self.of(params, it.station) + nanos(due - paid);
            self.stations[usize::from(it.station)] = Station { zero, last: self.ppdus };
            paid = due;
        }
    }

    /// Airtime that is still to be given.
    #[cfg(test)]
    pub(super) fn rest(&self) -> Duration {
        self.rest
    }
}

/// Nanoseconds as a number with a sign.
fn nanos(duration: Duration) -> i64 {
    i64::try_from(duration.as_nanos()).expect("less than 292 years")
}
