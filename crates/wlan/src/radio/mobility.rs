//! Mobility: position of a member over time.

use std::fmt;

use airfair_units::{Speed, Time};

use super::random_waypoint::{RandomWaypoint, Walk};
use super::region::Position;
use crate::random::Stream;

/// Mobility model of a member.
#[derive(Clone, Debug, PartialEq)]
pub enum Mobility {
    /// The node stays at this position.
    Fixed(Position),
    /// The node moves at a constant velocity.
    Velocity {
        /// Position at the start of the run.
        from: Position,
        /// Component of the velocity along x.
        right: Speed,
        /// Component of the velocity along y.
        up: Speed,
    },
    /// Waypoints at given times.
    Waypoints(Waypoints),
    /// Random waypoint model: trips between random places, with pauses.
    RandomWaypoint(RandomWaypoint),
}

/// Positions of a member at given times. Between two of them the motion is straight and uniform. Before the first and
/// after the last, the member is at rest.
#[derive(Clone, Debug, PartialEq)]
pub struct Waypoints(Vec<(Time, Position)>);

/// Error in a list of waypoints.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaypointsError {
    /// The list has no waypoints.
    Empty,
    /// The waypoint with this index, from 0, is not later than the one before it.
    NotLater(usize),
}

impl fmt::Display for WaypointsError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Empty => f.write_str("no waypoints"),
            Self::NotLater(index) => write!(f, "waypoint {index} is not later than the one before"),
        }
    }
}

impl std::error::Error for WaypointsError {}

impl Waypoints {
    /// Creates waypoints from a list in the order of time.
    ///
    /// # Errors
    /// [`WaypointsError`] if the list is empty, or a waypoint is not later than the one before.
    pub fn new(places: Vec<(Time, Position)>) -> Result<Self, WaypointsError> {
        if places.is_empty() {
            return Err(WaypointsError::Empty);
        }
        match places.windows(2).position(|pair| pair[1].0 <= pair[0].0) {
            Some(index) => Err(WaypointsError::NotLater(index + 1)),
            None => Ok(Self(places)),
        }
    }

    /// Position at `now`. `passed` is the number of waypoints known to be in the past, at least one; the call updates
    /// it.
    fn position(&self, now: Time, passed: &mut usize) -> Position {
        while self.0.get(*passed).is_some_and(|(at, _)| *at <= now) {
            *passed += 1;
        }
        let (start, from) = self.0[*passed - 1];
        match self.0.get(*passed) {
            Some(&(end, to)) if start <= now => {
                from.towards(to, (now - start).as_secs_f64() / (end - start).as_secs_f64())
            }
            _ => from,
        }
    }
}

impl Mobility {
    /// Lower left and upper right corner of a rectangle that contains all positions until `end`.
    pub fn bounds(&self, end: Time) -> (Position, Position) {
        match self {
            Self::Fixed(at) => (*at, *at),
            Self::Velocity { from, right, up } => {
                around(&[*from, straight(*from, *right, *up, end)])
            }
            Self::Waypoints(Waypoints(places)) => {
                // Later waypoints are included as well, which only enlarges the rectangle.
                let places: Vec<Position> = places.iter().map(|(_, place)| *place).collect();
                around(&places)
            }
            Self::RandomWaypoint(model) => model.region().bounds(),
        }
    }
}

fn around(places: &[Position]) -> (Position, Position) {
    places.iter().fold((places[0], places[0]), |(low, high), place| {
        (
            Position { x: low.x.min(place.x), y: low.y.min(place.y) },
            Position { x: high.x.max(place.x), y: high.y.max(place.y) },
        )
    })
}

fn straight(from: Position, right: Speed, up: Speed, now: Time) -> Position {
    let seconds = now.as_secs_f64();
    Position {
        x: from.x + right.as_metres_per_second() * seconds,
        y: from.y + up.as_metres_per_second() * seconds,
    }
}

/// A member in motion. Positions depend only on the model and the random stream, and not on when they are asked for.
#[derive(Clone, Debug)]
pub struct Mover {
    mobility: Mobility,
    way: Way,
    /// Time of the last call of `position`.
    asked: Time,
}

/// State of a member's motion between two calls of `position`.
#[derive(Clone, Debug)]
enum Way {
    /// No state, for a member at rest or with a constant velocity.
    Direct,
    /// Number of waypoints that have been reached.
    Listed { passed: usize },
    /// Current trip of the random waypoint model.
    Random(Box<Walk>),
}

impl Mover {
    /// Creates a member at the start of a run. Only the random waypoint model draws from the stream.
    pub fn new(mobility: Mobility, stream: Stream) -> Self {
        let way = match &mobility {
            Mobility::Fixed(_) | Mobility::Velocity { .. } => Way::Direct,
            Mobility::Waypoints(_) => Way::Listed { passed: 1 },
            Mobility::RandomWaypoint(model) => Way::Random(Box::new(Walk::new(*model, stream))),
        };
        Self { mobility, way, asked: Time::ZERO }
    }

    /// Position of the member at `now`.
    ///
    /// # Panics
    /// If `now` is before the time of an earlier call.
    pub fn position(&mut self, now: Time) -> Position {
        assert!(now >= self.asked, "a position in the past");
        self.asked = now;
        match (&self.mobility, &mut self.way) {
            (Mobility::Fixed(at), _) => *at,
            (Mobility::Velocity { from, right, up }, _) => straight(*from, *right, *up, now),
            (Mobility::Waypoints(places), Way::Listed { passed }) => places.position(now, passed),
            (Mobility::RandomWaypoint(_), Way::Random(walk)) => walk.position(now),
            _ => unreachable!("a way of another model"),
        }
    }

    /// Speed that the member never exceeds [m/s].
    pub fn highest_speed(&self) -> f64 {
        match &self.mobility {
            Mobility::Fixed(_) => 0.0,
            Mobility::Velocity { right, up, .. } => {
                let (x, y) = (right.as_metres_per_second(), up.as_metres_per_second());
                libm::sqrt(x * x + y * y)
            }
            Mobility::Waypoints(Waypoints(places)) => {
                let speed = |pair: &[(Time, Position)]| {
                    pair[0].1.distance(pair[1].1) / (pair[1].0 - pair[0].0).as_secs_f64()
                };
                places.windows(2).map(speed).fold(0.0, f64::max)
            }
            Mobility::RandomWaypoint(model) => model.highest_speed(),
        }
    }

    /// True if the member never moves.
    pub fn is_fixed(&self) -> bool {
        match &self.mobility {
            Mobility::Fixed(_) => true,
            Mobility::Velocity { right, up, .. } => *right == Speed::ZERO && *up == Speed::ZERO,
            Mobility::Waypoints(Waypoints(places)) => places.len() == 1,
            Mobility::RandomWaypoint(_) => false,
        }
    }

    /// Lower left and upper right corner of a rectangle that contains all positions of the member until `end`.
    pub fn bounds(&self, end: Time) -> (Position, Position) {
        self.mobility.bounds(end)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airfair_units::{Duration, Length};
    use proptest::prelude::*;
    use rand_core::SeedableRng;

    use crate::radio::{RandomWaypoint, Region, Start};

    fn at(x: i64, y: i64) -> Position {
        Position::new(Length::from_metres(x), Length::from_metres(y))
    }

    fn seconds(s: u64) -> Time {
        Time::ZERO + Duration::from_secs(s)
    }

    fn mover(mobility: Mobility) -> Mover {
        Mover::new(mobility, Stream::seed_from_u64(4))
    }

    fn random(seed: u64) -> Mover {
        let region = Region::Rectangle { corner: at(0, 0), opposite: at(200, 50) };
        let model = RandomWaypoint::new(
            region,
            (Speed::ZERO, Speed::from_metres_per_second(20)),
            Duration::from_millis(700),
            Start::Uniform,
        );
        let model = Mobility::RandomWaypoint(model.expect("a model"));
        Mover::new(model, Stream::seed_from_u64(seed))
    }

    #[test]
    fn a_constant_velocity_leads_straight_on() {
        let (right, up) =
            (Speed::from_metres_per_second(10), Speed::from_millimetres_per_second(-500));
        let mut mover = mover(Mobility::Velocity { from: at(-20, 3), right, up });
        assert_eq!(mover.position(seconds(4)), at(20, 1));
        assert_eq!(mover.bounds(seconds(4)), (at(-20, 1), at(20, 3)));
        assert!(!mover.is_fixed());
    }

    #[test]
    fn between_waypoints_it_is_linear_and_at_the_ends_it_stays() {
        let places =
            vec![(seconds(10), at(0, 0)), (seconds(20), at(40, -20)), (seconds(21), at(40, 0))];
        let mut mover = mover(Mobility::Waypoints(Waypoints::new(places).expect("ordered")));
        let seen = [0, 10, 15, 20, 21, 99].map(|s| mover.position(seconds(s)));
        assert_eq!(seen, [at(0, 0), at(0, 0), at(20, -10), at(40, -20), at(40, 0), at(40, 0)]);
        assert_eq!(mover.bounds(seconds(1)), (at(0, -20), at(40, 0)));
    }

    #[test]
    fn waypoints_are_in_order_or_an_error() {
        assert_eq!(Waypoints::new(vec![]), Err(WaypointsError::Empty));
        let twice = vec![(seconds(1), at(0, 0)), (seconds(2), at(1, 0)), (seconds(2), at(0, 0))];
        assert_eq!(Waypoints::new(twice), Err(WaypointsError::NotLater(2)));
    }

    #[test]
    #[should_panic(expected = "a position in the past")]
    fn time_does_not_go_back() {
        let mut mover = mover(Mobility::Fixed(at(0, 0)));
        mover.position(seconds(2));
        mover.position(seconds(1));
    }

    proptest! {
        #[test]
        fn the_way_does_not_depend_on_who_asks(
            seed: u64, steps in prop::collection::vec(0u64..3_000_000_000, 1..100), every in 1usize..20,
        ) {
            let (mut often, mut seldom) = (random(seed), random(seed));
            let (low, high) = often.bounds(Time::MAX);
            let mut now = Time::ZERO;
            for (i, step) in steps.into_iter().enumerate() {
                now += Duration::from_nanos(step);
                let place = often.position(now);
                prop_assert!(low.x <= place.x && place.x <= high.x);
                prop_assert!(low.y <= place.y && place.y <= high.y);
                if i % every == 0 {
                    prop_assert_eq!(seldom.position(now), place);
                }
            }
        }

        #[test]
        fn nobody_is_faster_than_the_maximum(seed: u64, step in 1u64..500) {
            let mut mover = random(seed);
            let (mut now, mut last) = (Time::ZERO, mover.position(Time::ZERO));
            for _ in 0..200 {
                now += Duration::from_millis(step);
                let place = mover.position(now);
                let most = 20.0 * Duration::from_millis(step).as_secs_f64();
                prop_assert!(last.distance(place) <= most + 1e-6);
                last = place;
            }
        }
    }
}
