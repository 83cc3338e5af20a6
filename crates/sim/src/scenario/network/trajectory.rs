//! Positions and motions of stations.

use airfair_units::{Duration, Length, Speed, Time};
use airfair_wlan::radio::{
    Mobility, Position, RandomWaypoint, RandomWaypointError, Region, Start, Waypoints,
};

/// Motion of a station from its position.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// No motion: the station stays at its position.
    None,
    /// Motion at constant velocity: speed to the east, and speed to the north.
    Velocity([Speed; 2]),
    /// Motion in straight lines between waypoints, each with the time at which the station reaches it.
    Waypoints(Vec<(Time, [Length; 2])>),
    /// Motion in straight lines between random points.
    RandomWaypoint {
        /// Region that contains the random points.
        region: Area,
        /// Lowest and highest speed of a trip from one random point to the next.
        speeds: [Speed; 2],
        /// Pause after each trip from one random point to the next.
        pause: Duration,
        /// Position and motion of the station at the start of the run.
        begin: Begin,
    },
}

impl Motion {
    /// True if the motion itself determines the position at which the station starts.
    pub(crate) fn says_where_it_starts(&self) -> bool {
        match self {
            Self::None | Self::Velocity(_) => false,
            Self::Waypoints(_) => true,
            Self::RandomWaypoint { begin, .. } => *begin != Begin::Position,
        }
    }
}

/// Region of the random points of a random waypoint motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Disc with this radius around the access point.
    Disc(Length),
    /// Rectangle with these two opposite corners.
    Rectangle([[Length; 2]; 2]),
}

/// Start of a random waypoint motion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Start with a trip from a random point, uniform in the region.
    Uniform,
    /// Start at the station's position.
    Position,
    /// Start in the steady state of the motion: point, speed and pause are distributed as after a long time.
    SteadyState,
}

/// Trajectory of a station: its position and its motion.
#[derive(Clone, Debug, PartialEq)]
pub struct Trajectory {
    /// Coordinates relative to the access point, to the east and to the north.
    pub position: [Length; 2],
    /// Motion of the station from its position.
    pub motion: Motion,
}

impl Trajectory {
    /// Trajectory in the form that the radio model uses.
    pub(crate) fn mobility(&self) -> Mobility {
        self.checked().expect("the scenario was checked")
    }

    pub(crate) fn checked(&self) -> Result<Mobility, RandomWaypointError> {
        let place = |[x, y]: [Length; 2]| Position::new(x, y);
        Ok(match &self.motion {
            Motion::None => Mobility::Fixed(place(self.position)),
            Motion::Velocity([right, up]) => {
                Mobility::Velocity { from: place(self.position), right: *right, up: *up }
            }
            Motion::Waypoints(points) => {
                let points = points.iter().map(|(at, point)| (*at, place(*point))).collect();
                Mobility::Waypoints(Waypoints::new(points).expect("waypoints were checked"))
            }
            Motion::RandomWaypoint { region, speeds: [lowest, highest], pause, begin } => {
                let region = match *region {
                    Area::Disc(radius) => Region::Disc { centre: Position::default(), radius },
                    Area::Rectangle([one, other]) => {
                        Region::Rectangle { corner: place(one), opposite: place(other) }
                    }
                };
                let start = match begin {
                    Begin::Uniform => Start::Uniform,
                    Begin::Position => Start::At(place(self.position)),
                    Begin::SteadyState => Start::SteadyState,
                };
                let model = RandomWaypoint::new(region, (*lowest, *highest), *pause, start);
                Mobility::RandomWaypoint(model?)
            }
        })
    }
}
