//! Radio model of a cell in a scenario, and positions of its stations.

use std::fmt;

use airfair_units::{DataRate, Dbm, Decibels, Duration, Frequency, Length, Speed, Time};
use airfair_wlan::Channel;
use airfair_wlan::phy::rate_name::{BadRate, LinkFormat, RateName};
use airfair_wlan::phy::{Band, Preamble, Standard, TxVector};
pub use airfair_wlan::radio::Fading;
use airfair_wlan::radio::{
    Decoder, Layout, Mobility, PathLoss, Position, RandomWaypoint, RandomWaypointError, RangeError,
    Region, Start, Waypoints,
};

use super::declare::Keys;
use super::error::{Mistakes, ScenarioError, Spoilt};
use super::keys::MOBILITY;
use super::kind::Words;
use super::reader::{Entry, Fields};
use super::traces::Traces;
use super::{cell, keys};

/// Powers, distances and noise of a cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// Distances at which rates are just received, at most two, with ascending rates. The transmit power follows from
    /// the distances.
    pub range: Vec<(RangeRate, Length)>,
    /// Path loss model. With two ranges the model is log-distance, and its exponent follows from the ranges.
    pub propagation: PathLossModel,
    /// Carrier frequency of the cell.
    pub frequency: Frequency,
    /// Transmit power of all members, if no range is given.
    pub tx_power: Dbm,
    /// Noise figure of a receiver: its noise above thermal noise at 290 K.
    pub noise_figure: Decibels,
    /// Rule that decides which frames are errored.
    pub reception: Decoder,
    /// Power from which a frame is sensed. With `None`, the power at which the lowest rate is just received.
    pub carrier_sense: Option<Dbm>,
    /// Standard deviation of log-normal shadowing.
    pub shadowing: Decibels,
    /// Fading: variation of the received power over time.
    pub fading: Fading,
    /// Ratio by which a frame must exceed the sum of all overlapping frames to survive; with `None`, no overlapping
    /// frame survives.
    pub capture: Option<Decibels>,
}

impl Radio {
    /// Radio with a transmit power of 20 dBm in free space.
    pub(crate) fn new(band: Band) -> Self {
        Self {
            range: Vec::new(),
            propagation: PathLossModel::FreeSpace,
            frequency: match band {
                Band::Ghz5 => Frequency::from_megahertz(5_200),
                Band::Ghz2 => Frequency::from_megahertz(2_437),
            },
            tx_power: Dbm::new(20),
            noise_figure: Decibels::new(10),
            reception: Decoder::Snr,
            carrier_sense: None,
            shadowing: Decibels::ZERO,
            fading: Fading::None,
            capture: None,
        }
    }

    /// Layout of a cell whose stations move as in `ways` and may send with the transmission vectors `vectors`.
    pub(crate) fn layout(
        &self,
        rates: CellRates,
        ways: Vec<Mobility>,
        vectors: Vec<TxVector>,
    ) -> Layout {
        Layout { ways, vectors, ..self.solved(rates).expect("the scenario was checked") }
    }

    /// Layout of a cell without stations. If the scenario gives ranges, transmit power and path loss follow from them.
    fn solved(&self, rates: CellRates) -> Result<Layout, RangeError> {
        let (path_loss, between) = self.path_losses();
        let mut radio = airfair_wlan::radio::Radio {
            noise_figure: self.noise_figure,
            decoder: self.reception,
            capture: self.capture,
            ..airfair_wlan::radio::Radio::new(rates.legacy, path_loss)
        };
        let lowest = vector(rates.legacy.rates()[0]);
        radio.carrier_sense = self.carrier_sense.unwrap_or_else(|| radio.required_power(lowest));
        let (shadowing, fading) = (self.shadowing, self.fading);
        let (ways, vectors) = (Vec::new(), Vec::new());
        let transmit_power = self.tx_power;
        let layout = Layout { radio, between, transmit_power, shadowing, fading, ways, vectors };
        if self.range.is_empty() {
            return Ok(layout);
        }
        let of = |rate| rates.vector(rate).expect("the scenario was checked");
        let ranges: Vec<_> = self.range.iter().map(|(rate, range)| (of(*rate), *range)).collect();
        let solved = radio.solve_range(Decibels::ZERO, &ranges)?;
        let radio = airfair_wlan::radio::Radio { path_loss: solved.path_loss, ..radio };
        let between = if self.range.len() > 1 { solved.path_loss } else { between };
        Ok(Layout { radio, between, transmit_power: solved.transmit_power, ..layout })
    }

    /// Path loss between the access point and a station, and between two stations.
    fn path_losses(&self) -> (PathLoss, PathLoss) {
        let frequency = self.frequency;
        match self.propagation {
            // With two ranges, the exponent is solved for later. Any value will do here.
            _ if self.range.len() > 1 => {
                let any = PathLoss::log_distance(frequency, 2.0);
                (any, any)
            }
            PathLossModel::FreeSpace => {
                let free = PathLoss::FreeSpace { frequency };
                (free, free)
            }
            PathLossModel::TwoRay { ap_height, station_height } => {
                let (height, other_height) = (ap_height, station_height);
                let to_ap = PathLoss::TwoRay { frequency, height, other_height };
                let height = station_height;
                (to_ap, PathLoss::TwoRay { frequency, height, other_height })
            }
            PathLossModel::LogDistance { decade, reference_loss } => {
                let mut model = PathLoss::log_distance(frequency, decade.get() / 10.0);
                if let (PathLoss::LogDistance { loss, .. }, Some(given)) =
                    (&mut model, reference_loss)
                {
                    *loss = given;
                }
                (model, model)
            }
        }
    }
}

/// Rate for which a range is given: a data rate, or the name of a mode.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum RangeRate {
    /// Rate of the cell's legacy standard, or of the only mode with this rate.
    Plain(DataRate),
    /// Rate of the mode with this name.
    Named(RateName),
}

impl RangeRate {
    /// Rate that a key of the table of ranges names.
    pub(super) fn of(entry: &Entry) -> Option<Self> {
        entry.value().map(Self::Plain).or_else(|| entry.value().map(Self::Named))
    }
}

impl fmt::Display for RangeRate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Plain(rate) => rate.fmt(f),
            Self::Named(name) => name.fmt(f),
        }
    }
}

/// Rates of a cell: those of its legacy standard, and those of links of its own standard.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CellRates {
    legacy: Standard,
    link: Option<LinkFormat>,
}

impl CellRates {
    /// Rates of a cell of this standard.
    pub(crate) fn of(standard: Standard, channel: Channel) -> Self {
        let link = channel.link(standard, standard).map(|link| link.format);
        Self { legacy: standard.legacy(channel.band), link }
    }

    /// True if all frames of the cell are frames of 802.11a.
    fn are_80211a(self) -> bool {
        self.legacy == Standard::A && self.link.is_none()
    }

    /// Transmission vector of a rate. A rate of the legacy standard is a legacy rate, even if a mode has the same
    /// value.
    fn vector(self, rate: RangeRate) -> Result<TxVector, NotThere> {
        let found = match (rate, self.link) {
            (RangeRate::Plain(rate), _) if self.legacy.rates().contains(&rate) => {
                return Ok(vector(rate));
            }
            (_, None) => return Err(NotThere::Legacy),
            (RangeRate::Plain(rate), Some(link)) => link.at(rate),
            (RangeRate::Named(name), Some(link)) => link.named(name),
        };
        found.map(TxVector::Mode).map_err(NotThere::Mode)
    }
}

/// Reason for which a cell does not have a rate.
#[derive(Debug)]
enum NotThere {
    /// The cell has only legacy rates, and this is none of them.
    Legacy,
    /// No mode of the cell has this rate.
    Mode(BadRate),
}

fn vector(rate: DataRate) -> TxVector {
    TxVector::of(rate, Preamble::Long).expect("a rate of the standard")
}

/// Path loss model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum PathLossModel {
    /// Free space, by Friis' equation.
    FreeSpace,
    /// Two rays: the direct one, and one that the ground reflects.
    TwoRay {
        /// Height of the access point's antenna.
        ap_height: Length,
        /// Height of the stations' antennas.
        station_height: Length,
    },
    /// Log-distance model, in which the path loss grows with a power of the distance.
    LogDistance {
        /// Additional loss at ten times the distance: ten times the exponent [dB].
        decade: Decibels,
        /// Loss at 1 m; with `None`, that of free space.
        reference_loss: Option<Decibels>,
    },
}

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
    pub(super) fn says_where_it_starts(&self) -> bool {
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

    fn checked(&self) -> Result<Mobility, RandomWaypointError> {
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

/// Checks the key `radio` of a cell. True if the cell has a radio; `None` if a mistake hides it.
pub(super) fn check(
    entry: &Entry,
    rates: Option<CellRates>,
    mistakes: &mut Mistakes,
) -> Option<bool> {
    if entry.word().is_some() {
        return Some(false);
    }
    let fields = entry.fields()?;
    let range = fields.get("range");
    let standard = rates.map(|rates| rates.legacy);
    let ranges = check_ranges(range, rates, mistakes);
    for (key, from) in [("tx_power", 1), ("propagation", 2)] {
        let entry = fields.get(key);
        if entry.is_set() && !entry.bad && ranges.unwrap_or(0) >= from {
            let problem = "computed from range, which is set";
            mistakes.add(entry.at, entry.mistake(problem, "one of the two"));
        }
    }
    let reception = fields.get("reception");
    let decoder = Decoder::of(reception.word()?);
    if decoder == Decoder::Qualnet4 && !rates?.are_80211a() {
        let problem = "QualNet's powers and sensitivities exist for 802.11a only";
        mistakes.add(reception.at, reception.mistake(problem, "\"snr\", \"sensitivity\""));
        return None;
    }
    ranges?;
    let radio = Keys::read(fields, Radio::new(standard?.band()), keys::radio)?;
    if let Err(error) = radio.solved(rates?) {
        let problem = error.to_string();
        mistakes.add(range.at, range.mistake(problem, "ranges that one transmit power can have"));
        return None;
    }
    Some(true)
}

/// Number of rates for which the radio's key `range` gives the distance that they reach; `None` if one contains a
/// mistake. `rates` are those that the cell has.
fn check_ranges(entry: &Entry, rates: Option<CellRates>, mistakes: &mut Mistakes) -> Option<usize> {
    if entry.bad {
        return None;
    }
    let items = entry.items();
    let mut pairs = Vec::new();
    for item in items {
        let Some(pair) = item.places() else { continue };
        let Some((rate, rates)) = RangeRate::of(&pair[0]).zip(rates) else { continue };
        match rates.vector(rate) {
            Ok(vector) => pairs.extend(pair[1].value::<Length>().map(|range| (vector, range))),
            Err(NotThere::Legacy) => mistakes.add(item.at, cell::not_a_rate(item, rates.legacy)),
            Err(NotThere::Mode(bad)) => {
                mistakes.add(item.at, item.mistake(bad.problem(), bad.allowed()));
            }
        }
    }
    if entry.is_set() && !(1..=2).contains(&items.len()) {
        let allowed = "the ranges of one rate or of two";
        mistakes.add(entry.at, entry.mistake("not one or two rates", allowed));
        return None;
    }
    pairs.sort_unstable_by_key(|(vector, range)| (vector.rate(), *range));
    if let [(low, far), (high, near)] = pairs[..] {
        let entry = items.last().expect("two items");
        let is_twice = low.rate() == high.rate();
        let told = is_twice.then(|| ("given twice".to_owned(), "each rate once".to_owned()));
        let too_far = || {
            let problem = format!("{high} has no shorter range than {low}");
            (near >= far).then(|| (problem, format!("less than {far} for {high}")))
        };
        if let Some((problem, allowed)) = told.or_else(too_far) {
            mistakes.add(entry.at, entry.mistake(problem, allowed));
            return None;
        }
    }
    Some(pairs.len()).filter(|count| *count == items.len())
}

/// Trajectories of the members of a group.
#[derive(Debug)]
pub(super) struct GroupTrajectory {
    at: At,
    motion: Motion,
}

#[derive(Debug)]
enum At {
    Point([Length; 2]),
    /// Positions evenly spaced on a circle with this radius around the access point.
    Circle(Length),
}

impl GroupTrajectory {
    /// Number of waypoints of one member of the group.
    pub(super) fn waypoints(&self) -> usize {
        if let Motion::Waypoints(points) = &self.motion { points.len() } else { 0 }
    }

    /// Trajectory of the `i`-th of the `count` members of the group, from 1.
    pub(super) fn member(&self, i: usize, count: usize) -> Trajectory {
        let position = match self.at {
            At::Point(point) => point,
            At::Circle(radius) => on_circle(radius, i - 1, count),
        };
        Trajectory { position, motion: self.motion.clone() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand stations")]
fn on_circle(radius: Length, i: usize, count: usize) -> [Length; 2] {
    let angle = 2.0 * std::f64::consts::PI * i as f64 / count as f64;
    let radius = radius.as_metres();
    [Length::rounded(radius * libm::cos(angle)), Length::rounded(radius * libm::sin(angle))]
}

/// Reads the trajectories of a group, if its cell has a radio.
pub(super) fn trajectory(
    fields: &Fields,
    has_radio: Option<bool>,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Result<Option<GroupTrajectory>, Spoilt> {
    let (position, mobility) = (fields.get("position"), fields.get("mobility"));
    if !has_radio.ok_or(Spoilt)? {
        for entry in [position, mobility] {
            if entry.is_set() && !entry.bad && entry.word().is_none() {
                let problem = "its cell has no radio, so positions have no effect";
                mistakes.add(entry.at, entry.mistake(problem, "bss.NAME.radio = { … } as well"));
            }
        }
        return if position.bad || mobility.bad { Err(Spoilt) } else { Ok(None) };
    }
    on_radio(position, mobility, traces, mistakes).map(Some).ok_or(Spoilt)
}

fn on_radio(
    position: &Entry,
    mobility: &Entry,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Option<GroupTrajectory> {
    let is_set = position.is_set();
    let motion = motion(mobility, traces, mistakes)?;
    let needs_none = motion.says_where_it_starts();
    if needs_none && is_set && !position.bad {
        let problem = "mobility already sets the position at the start";
        mistakes.add(position.at, position.mistake(problem, "one of the two"));
        return None;
    }
    if !needs_none && !is_set && !position.bad {
        let problem = "missing, but its cell has a radio";
        let allowed = "a pair such as [\"10 m\", \"0 m\"], or { circle = \"10 m\" }";
        mistakes.add(position.at, position.mistake(problem, allowed));
        return None;
    }
    let at = if needs_none { At::Point(first_point(&motion)) } else { at(position)? };
    let trajectory = GroupTrajectory { at, motion };
    if let Err(error) = trajectory.member(1, 1).checked() {
        use RandomWaypointError as E;
        let (key, allowed) = match error {
            E::NoRegion => ("corners", "two corners that differ"),
            E::NegativeSpeed | E::NoSpeed => {
                ("max_speed", "more than 0 m/s, and at least min_speed")
            }
            E::NoSteadyState => {
                ("begin", "\"uniform\" or \"position\", or a min_speed above 0 m/s")
            }
            E::StartOutside => ("begin", "a position inside of the region"),
        };
        let mistake = mobility.mistake(error.to_string(), allowed);
        let path = format!("{}.{key}", mobility.path);
        mistakes.add(mobility.at, ScenarioError { path, ..mistake });
        return None;
    }
    Some(trajectory)
}

fn first_point(motion: &Motion) -> [Length; 2] {
    match motion {
        Motion::Waypoints(points) => points.first().map_or([Length::ZERO; 2], |first| first.1),
        _ => [Length::ZERO; 2],
    }
}

fn at(entry: &Entry) -> Option<At> {
    match entry.fields() {
        Some(fields) => fields.get("circle").value().map(At::Circle),
        None => keys::point(entry).map(At::Point),
    }
}

fn motion(entry: &Entry, traces: &Traces, mistakes: &mut Mistakes) -> Option<Motion> {
    let (moving, fields) = (MOBILITY.variant(entry)?, entry.fields());
    match (moving.motion, fields) {
        (Motion::Waypoints(_), Some(fields)) if moving.is_in_file => {
            let file = fields.get("file");
            match traces.get(file.text()?) {
                Ok(points) => return Some(Motion::Waypoints(points.clone())),
                Err(problem) => {
                    mistakes.add(file.at, file.mistake(problem, super::traces::allowed()));
                    return None;
                }
            }
        }
        (Motion::Waypoints(_), Some(fields)) => check_waypoints(fields.get("points"), mistakes)?,
        (Motion::RandomWaypoint { .. }, Some(fields)) => check_area(fields, mistakes)?,
        _ => {}
    }
    Some(MOBILITY.read(entry)?.motion)
}

fn check_waypoints(entry: &Entry, mistakes: &mut Mistakes) -> Option<()> {
    if entry.bad {
        return None;
    }
    if entry.items().is_empty() {
        mistakes.add(entry.at, entry.mistake("no waypoints", "one at least"));
        return None;
    }
    let mut last = None;
    for item in entry.items() {
        let time = item.places()?[0].value::<Duration>()?;
        if let Some(last) = last.filter(|last| time <= *last) {
            let allowed = format!("after {last}");
            mistakes.add(item.at, item.mistake("not later than the waypoint before", allowed));
            return None;
        }
        last = Some(time);
    }
    Some(())
}

fn check_area(fields: &Fields, mistakes: &mut Mistakes) -> Option<()> {
    let (radius, corners) = (fields.get("radius"), fields.get("corners"));
    if radius.bad || corners.bad {
        return None;
    }
    let (problem, allowed) = match (radius.is_set(), corners.is_set()) {
        (true, true) => ("set together with radius", "one of radius and corners"),
        (false, false) => ("neither radius nor corners", "one of radius and corners"),
        (false, true) if corners.items().len() != 2 => ("not two corners", "two opposite corners"),
        _ => return Some(()),
    };
    mistakes.add(corners.at, corners.mistake(problem, allowed));
    None
}
