//! Random waypoint model: trips between random places with random speeds, and pauses between them.

use std::fmt;

use airfair_units::{Duration, Speed, Time};
use libm::{ceil, log, pow};
use rand_core::Rng;

use super::draws::unit;
use super::region::{Position, Region};
use crate::random::Stream;

/// Random waypoint model. Places are uniform in a region. Each trip is straight, with a speed that is uniform between
/// two limits. A pause of constant length follows each trip.
///
/// Averaged over travelling time, the mean speed is (max - min)/ln(max/min) and not the middle of the limits, because
/// slow trips last longer. With a lower limit of zero, the mean decays towards zero during a run, since trips at
/// speeds near zero never end.  [yoon-2003]
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RandomWaypoint {
    region: Region,
    /// Limits of the speed [m/s].
    speeds: (f64, f64),
    pause: Duration,
    start: Start,
}

/// State of a member in the random waypoint model at the start of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Start {
    /// Pause at a uniformly drawn place: the classic model. During many trips, the members then become denser in the
    /// middle of the region, and slower, until their distribution is steady.
    #[default]
    Uniform,
    /// The member starts with a pause at this position.
    At(Position),
    /// Pause or trip drawn from the stationary distribution: the steady state.  [navidi-2004]
    SteadyState,
}

/// Error in the parameters of a random waypoint model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RandomWaypointError {
    /// The region has no extent.
    NoRegion,
    /// The lower limit of the speed is negative.
    NegativeSpeed,
    /// The upper limit of the speed is not positive, or is below the lower limit.
    NoSpeed,
    /// The lower limit of the speed is zero, so that the steady state is rest.
    NoSteadyState,
    /// The position at the start is outside of the region.
    StartOutside,
}

impl fmt::Display for RandomWaypointError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::NoRegion => "the region has no extent",
            Self::NegativeSpeed => "the lowest speed is negative",
            Self::NoSpeed => "the highest speed must be positive and not below the lowest",
            Self::NoSteadyState => "a steady state needs a lowest speed above zero",
            Self::StartOutside => "the start lies outside of the region",
        })
    }
}

impl std::error::Error for RandomWaypointError {}

impl RandomWaypoint {
    /// Creates a model with speeds between `lowest` and `highest`.
    ///
    /// # Errors
    /// See [`RandomWaypointError`].
    pub fn new(
        region: Region,
        (lowest, highest): (Speed, Speed),
        pause: Duration,
        start: Start,
    ) -> Result<Self, RandomWaypointError> {
        use RandomWaypointError as E;
        let wrong = [
            (region.diameter() <= 0.0, E::NoRegion),
            (lowest < Speed::ZERO, E::NegativeSpeed),
            (highest <= Speed::ZERO || highest < lowest, E::NoSpeed),
            (start == Start::SteadyState && lowest == Speed::ZERO, E::NoSteadyState),
            (matches!(start, Start::At(place) if !region.contains(place)), E::StartOutside),
        ];
        if let Some((_, error)) = wrong.into_iter().find(|(is_wrong, _)| *is_wrong) {
            return Err(error);
        }
        let speeds = (lowest.as_metres_per_second(), highest.as_metres_per_second());
        Ok(Self { region, speeds, pause, start })
    }

    /// Region in which trips begin and end.
    pub fn region(&self) -> &Region {
        &self.region
    }

    /// Highest speed of a trip [m/s].
    pub(super) fn highest_speed(&self) -> f64 {
        self.speeds.1
    }

    /// Draws a speed for a trip, uniform and above zero, so that every trip ends.
    fn draw_speed(&self, stream: &mut Stream) -> f64 {
        let (lowest, highest) = self.speeds;
        lowest + (highest - lowest) * unit(stream.next_u64())
    }

    /// Draws a speed at a random time instead of per trip: its density is proportional to 1/v.  [navidi-2004]
    fn draw_steady_speed(&self, stream: &mut Stream) -> f64 {
        let (lowest, highest) = self.speeds;
        lowest * pow(highest / lowest, unit(stream.next_u64()))
    }

    /// Mean of 1/v over trips [s/m].
    fn mean_slowness(&self) -> f64 {
        let (lowest, highest) = self.speeds;
        // For nearly equal limits the quotient would lose its precision.
        if highest - lowest < 1e-6 * highest {
            return 1.0 / highest;
        }
        log(highest / lowest) / (highest - lowest)
    }

    /// Share of time in pauses.  [navidi-2004]
    fn pause_share(&self) -> f64 {
        let pause = self.pause.as_secs_f64();
        pause / (pause + self.region.mean_distance() * self.mean_slowness())
    }

    /// Draws the ends of the trip at a random time: the probability of two places is proportional to the distance
    /// between them.  [navidi-2004]
    fn draw_steady_trip(&self, stream: &mut Stream) -> (Position, Position) {
        loop {
            let ends = (self.region.draw(stream), self.region.draw(stream));
            if unit(stream.next_u64()) * self.region.diameter() <= ends.0.distance(ends.1) {
                return ends;
            }
        }
    }
}

/// A member in random waypoint motion: a trip and the pause after it, and then the next trip.
#[derive(Clone, Debug)]
pub(super) struct Walk {
    model: RandomWaypoint,
    stream: Stream,
    trip: Trip,
}

/// A trip with the pause after it.
#[derive(Clone, Copy, Debug)]
struct Trip {
    start: Time,
    from: Position,
    to: Position,
    /// Speed of the trip [m/s].
    speed: f64,
    arrival: Time,
    /// Time at which the pause after the trip ends and the next trip starts.
    end: Time,
}

impl Trip {
    fn new(start: Time, (from, to): (Position, Position), speed: f64, pause: Duration) -> Self {
        let arrival = later(start, from.distance(to) / speed);
        Self { start, from, to, speed, arrival, end: after(arrival, pause) }
    }

    fn position(&self, now: Time) -> Position {
        if now >= self.arrival {
            return self.to;
        }
        let length = self.from.distance(self.to);
        let covered = self.speed * (now - self.start).as_secs_f64();
        self.from.towards(self.to, (covered / length).min(1.0))
    }
}

/// `time + seconds`, rounded up to a whole ns; at most [`Time::MAX`].
#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "saturates, and is positive"
)]
fn later(time: Time, seconds: f64) -> Time {
    after(time, Duration::from_nanos(ceil(seconds * 1e9) as u64))
}

/// `time + duration`; at most [`Time::MAX`].
fn after(time: Time, duration: Duration) -> Time {
    if duration < Time::MAX - time { time + duration } else { Time::MAX }
}

impl Walk {
    pub(super) fn new(model: RandomWaypoint, mut stream: Stream) -> Self {
        let rest = |at, pause| Trip::new(Time::ZERO, (at, at), model.speeds.1, pause);
        let trip = match model.start {
            Start::Uniform => rest(model.region.draw(&mut stream), model.pause),
            Start::At(place) => rest(place, model.pause),
            Start::SteadyState if unit(stream.next_u64()) <= model.pause_share() => {
                let left = model.pause.as_secs_f64() * unit(stream.next_u64());
                let left = later(Time::ZERO, left) - Time::ZERO;
                rest(model.region.draw(&mut stream), left)
            }
            Start::SteadyState => {
                let (from, to) = model.draw_steady_trip(&mut stream);
                let here = from.towards(to, unit(stream.next_u64()));
                let speed = model.draw_steady_speed(&mut stream);
                Trip::new(Time::ZERO, (here, to), speed, model.pause)
            }
        };
        Self { model, stream, trip }
    }

    pub(super) fn position(&mut self, now: Time) -> Position {
        while now >= self.trip.end && self.trip.end < Time::MAX {
            let to = self.model.region.draw(&mut self.stream);
            let speed = self.model.draw_speed(&mut self.stream);
            self.trip = Trip::new(self.trip.end, (self.trip.to, to), speed, self.model.pause);
        }
        self.trip.position(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::Length;
    use rand_core::SeedableRng;

    const MEMBERS: u32 = 4_000;

    fn at(x: i64, y: i64) -> Position {
        Position::new(Length::from_metres(x), Length::from_metres(y))
    }

    fn regions() -> [Region; 2] {
        let centre = at(50, 50);
        [
            Region::Rectangle { corner: at(0, 0), opposite: at(100, 100) },
            Region::Disc { centre, radius: Length::from_metres(50) },
        ]
    }

    fn model(region: Region, lowest: i64, pause: u64, start: Start) -> RandomWaypoint {
        let speeds = (Speed::from_metres_per_second(lowest), Speed::from_metres_per_second(20));
        RandomWaypoint::new(region, speeds, Duration::from_secs(pause), start).expect("a model")
    }

    fn walks(model: RandomWaypoint) -> Vec<Walk> {
        (0..MEMBERS).map(|i| Walk::new(model, Stream::seed_from_u64(u64::from(i)))).collect()
    }

    /// Mean speed of all members at `seconds` [m/s], and share of the members at rest.
    fn speed(walks: &mut [Walk], seconds: u64) -> (f64, f64) {
        let now = Time::ZERO + Duration::from_secs(seconds);
        let (mut sum, mut at_rest) = (0.0, 0.0);
        for walk in walks {
            walk.position(now);
            if now < walk.trip.arrival {
                sum += walk.trip.speed;
            } else {
                at_rest += 1.0;
            }
        }
        (sum / f64::from(MEMBERS), at_rest / f64::from(MEMBERS))
    }

    /// Share of the members in the middle of the region, within half of its width and a quarter of its area.
    fn in_the_middle(walks: &mut [Walk], seconds: u64) -> f64 {
        let now = Time::ZERO + Duration::from_secs(seconds);
        let inside = walks.iter_mut().filter_map(|walk| {
            let place = walk.position(now);
            let (x, y) = ((place.x - 50.0).abs(), (place.y - 50.0).abs());
            let inside = match walk.model.region {
                Region::Rectangle { .. } => x.max(y) < 25.0,
                Region::Disc { .. } => x * x + y * y < 625.0,
            };
            inside.then_some(1.0)
        });
        inside.sum::<f64>() / f64::from(MEMBERS)
    }

    /// 1 to 20 m/s without pauses: the classic start has a mean of 10.5 m/s, and the steady state 19/ln 20 = 6.342
    /// m/s. The standard deviation of a speed is 5.3 m/s: 4·5.3/√4000 = 0.34.
    ///
    /// Verifies: [navidi-2004] [yoon-2003]
    #[test]
    fn the_steady_state_keeps_its_mean_speed_and_the_classic_start_falls_to_it() {
        for region in regions() {
            let mut steady = walks(model(region, 1, 0, Start::SteadyState));
            for seconds in [0, 3, 10, 40, 200, 1_000] {
                let (mean, _) = speed(&mut steady, seconds);
                assert!((mean - 6.342).abs() < 0.34, "{mean} m/s after {seconds} s");
            }
            let mut classic = walks(model(region, 1, 0, Start::Uniform));
            let [early, late] = [1, 1_000].map(|seconds| speed(&mut classic, seconds).0);
            assert!(early > 9.5 && (late - 6.342).abs() < 0.34, "{early} then {late} m/s");
        }
    }

    /// A pause of 5 s in a square of 100 m: E[1/v] = ln 20/19 = 0.157670 s/m, so trips of 52.1405 m last 8.2210 s.
    /// The share of pauses is 5/13.2210 = 0.3782; 4·√(0.378·0.622/4000) = 0.031. The mean speed is 52.1405/13.2210 =
    /// 3.944 m/s.
    ///
    /// Verifies: [navidi-2004]
    #[test]
    fn the_steady_state_keeps_its_share_of_pauses() {
        let model = model(regions()[0], 1, 5, Start::SteadyState);
        assert!((model.pause_share() - 0.3782).abs() < 1e-4);
        let mut steady = walks(model);
        for seconds in [0, 1, 4, 30, 500] {
            let (mean, at_rest) = speed(&mut steady, seconds);
            assert!((at_rest - 0.3782).abs() < 0.031, "{at_rest} after {seconds} s");
            assert!((mean - 3.944).abs() < 0.34, "{mean} m/s after {seconds} s");
        }
    }

    /// In a disc without pauses, the density is nearly 2(1 - r²/R²)/πR²: the inner half of the radius contains 2·¼ -
    /// ¼² = 0.4375 of the members. In both regions the share is constant, and far from the quarter of a uniform
    /// distribution.
    ///
    /// Verifies: [navidi-2004]
    #[test]
    fn the_steady_state_is_denser_in_the_middle_from_the_start() {
        for region in regions() {
            let mut steady = walks(model(region, 1, 0, Start::SteadyState));
            let shares = [0, 2, 20, 300].map(|seconds| in_the_middle(&mut steady, seconds));
            // Two shares differ by at most 4·√(2·0.43·0.57/4000) = 0.044.
            for share in shares {
                assert!(share > 0.38 && (share - shares[0]).abs() < 0.044, "{shares:?}");
            }
            let uniform = in_the_middle(&mut walks(model(region, 1, 0, Start::Uniform)), 0);
            assert!((uniform - 0.25).abs() < 0.028, "{uniform}");
            if matches!(region, Region::Disc { .. }) {
                assert!((shares[0] - 0.4375).abs() < 0.035, "{shares:?}");
            }
        }
    }

    /// If speeds begin at zero, the mean speed of the members decays during a run, and even the slowest trip goes on.
    ///
    /// Verifies: [yoon-2003]
    #[test]
    fn without_a_lowest_speed_the_mean_decays_and_nothing_stops() {
        let mut classic = walks(model(regions()[0], 0, 0, Start::Uniform));
        let means = [1, 100, 10_000].map(|seconds| speed(&mut classic, seconds).0);
        assert!(
            means[0] > 9.0 && means[1] < 0.6 * means[0] && means[2] < 0.8 * means[1],
            "{means:?}"
        );
        let slowest = Trip::new(Time::ZERO, (at(0, 0), at(100, 0)), 20.0 * unit(0), Duration::ZERO);
        assert_eq!((slowest.arrival, slowest.end), (Time::MAX, Time::MAX));
        let place = slowest.position(Time::ZERO + Duration::from_secs(1_000_000));
        assert!(place.x > 0.0 && place.x < 1e-6, "{place:?}");
    }

    #[test]
    fn a_start_is_where_it_was_given_and_pauses() {
        let mut walk = walks(model(regions()[0], 1, 5, Start::At(at(10, 20)))).swap_remove(0);
        let places = [0, 4, 6].map(|s| walk.position(Time::ZERO + Duration::from_secs(s)));
        assert_eq!(places[..2], [at(10, 20); 2]);
        assert_ne!(places[2], at(10, 20));
    }

    #[test]
    fn each_mistake_has_its_own_error() {
        use RandomWaypointError as E;
        let [square, _] = regions();
        let point = Region::Rectangle { corner: at(1, 1), opposite: at(1, 1) };
        let new = |region, lowest, highest, start| {
            let metres = Speed::from_metres_per_second;
            let model = RandomWaypoint::new(
                region,
                (metres(lowest), metres(highest)),
                Duration::ZERO,
                start,
            );
            model.err()
        };
        assert_eq!(new(point, 1, 2, Start::Uniform), Some(E::NoRegion));
        assert_eq!(new(square, -1, 2, Start::Uniform), Some(E::NegativeSpeed));
        assert_eq!(new(square, 3, 2, Start::Uniform), Some(E::NoSpeed));
        assert_eq!(new(square, 0, 0, Start::Uniform), Some(E::NoSpeed));
        assert_eq!(new(square, 0, 2, Start::SteadyState), Some(E::NoSteadyState));
        assert_eq!(new(square, 1, 2, Start::At(at(101, 0))), Some(E::StartOutside));
        assert_eq!(new(square, 2, 2, Start::SteadyState), None);
    }
}
