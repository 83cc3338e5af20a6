//! The radio of a cell as a scenario describes it, and where its stations are.

use airfair_units::{DataRate, Dbm, Decibels, Duration, Frequency, Length, Speed, Time};
use airfair_wlan::phy::Standard;
pub use airfair_wlan::radio::Fading;
use airfair_wlan::radio::{
    Decoder, Layout, Mobility, PathLoss, Position, RandomWaypoint, RandomWaypointError, RangeError,
    Region, Start, Waypoints,
};

use super::cell;
use super::error::{Mistakes, ScenarioError};
use super::parse::{items, point};
use super::reader::{Entry, Fields, Given};
use super::traces::Traces;

/// Powers, distances and noise of one cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// Distances at which rates are just received, at most two, rates ascending; the power follows from them.
    pub range: Vec<(DataRate, Length)>,
    /// Loss by distance; with two ranges log-distance, its exponent solved for them.
    pub propagation: Propagation,
    /// Carrier.
    pub frequency: Frequency,
    /// Transmit power where no range is given.
    pub tx_power: Dbm,
    /// Noise of a receiver above that of 290 K.
    pub noise_figure: Decibels,
    /// Which frames are spoilt.
    pub reception: Reception,
    /// Power from which on a frame is sensed; that of the lowest rate just received if `None`.
    pub carrier_sense: Option<Dbm>,
    /// Standard deviation of shadowing.
    pub shadowing: Decibels,
    /// Variation over time.
    pub fading: Fading,
    /// By how much a frame must be stronger than all that overlap it to survive; `None`: none survives.
    pub capture: Option<Decibels>,
}

impl Radio {
    /// The space of a cell whose stations go these ways and may use these rates.
    pub(crate) fn layout(
        &self,
        standard: Standard,
        ways: Vec<Mobility>,
        rates: Vec<DataRate>,
    ) -> Layout {
        Layout { ways, rates, ..self.solved(standard).expect("the scenario was checked") }
    }

    /// The space without its stations.
    fn solved(&self, standard: Standard) -> Result<Layout, RangeError> {
        let (path_loss, between) = self.path_losses();
        let mut radio = airfair_wlan::radio::Radio {
            noise_figure: self.noise_figure,
            decoder: match self.reception {
                Reception::Snr => Decoder::Snr,
                Reception::Sensitivity => Decoder::Sensitivity,
                Reception::Qualnet4 => Decoder::Qualnet4,
            },
            capture: self.capture,
            ..airfair_wlan::radio::Radio::new(standard, path_loss)
        };
        let lowest = standard.rates()[0];
        radio.carrier_sense = self.carrier_sense.unwrap_or_else(|| radio.required_power(lowest));
        let (shadowing, fading) = (self.shadowing, self.fading);
        let (ways, rates) = (Vec::new(), Vec::new());
        let transmit_power = self.tx_power;
        let layout = Layout { radio, between, transmit_power, shadowing, fading, ways, rates };
        if self.range.is_empty() {
            return Ok(layout);
        }
        let solved = radio.solve_range(Decibels::ZERO, &self.range)?;
        let radio = airfair_wlan::radio::Radio { path_loss: solved.path_loss, ..radio };
        let between = if self.range.len() > 1 { solved.path_loss } else { between };
        Ok(Layout { radio, between, transmit_power: solved.transmit_power, ..layout })
    }

    /// Loss between the access point and a station, and between two stations.
    fn path_losses(&self) -> (PathLoss, PathLoss) {
        let frequency = self.frequency;
        match self.propagation {
            // Two ranges are solved for the exponent; any will do to start with.
            _ if self.range.len() > 1 => {
                let any = PathLoss::log_distance(frequency, 2.0);
                (any, any)
            }
            Propagation::FreeSpace => {
                let free = PathLoss::FreeSpace { frequency };
                (free, free)
            }
            Propagation::TwoRay { ap_height, station_height } => {
                let (height, other_height) = (ap_height, station_height);
                let to_ap = PathLoss::TwoRay { frequency, height, other_height };
                let height = station_height;
                (to_ap, PathLoss::TwoRay { frequency, height, other_height })
            }
            Propagation::LogDistance { decade, reference_loss } => {
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

/// Loss by distance.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Propagation {
    /// Friis.
    FreeSpace,
    /// With a ray that the ground reflects.
    TwoRay {
        /// Height of the access point's antenna.
        ap_height: Length,
        /// Height of the stations' antennas.
        station_height: Length,
    },
    /// By a power of the distance.
    LogDistance {
        /// Ten times the exponent: dB for ten times the distance.
        decade: Decibels,
        /// Loss at 1 m; free space if `None`.
        reference_loss: Option<Decibels>,
    },
}

/// Which frames are spoilt at their receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// By the ratio of signal to noise.
    Snr,
    /// Those below the standard's sensitivity of their rate.
    Sensitivity,
    /// Those below QualNet 4's, at its powers.
    Qualnet4,
}

/// How a station moves from its position on.
#[derive(Clone, Debug, PartialEq)]
pub enum Motion {
    /// Not at all.
    None,
    /// Straight on: speed to the east and to the north.
    Velocity([Speed; 2]),
    /// Along given places.
    Waypoints(Vec<(Time, [Length; 2])>),
    /// Between random places.
    RandomWaypoint {
        /// Where they are.
        region: Area,
        /// Lowest and highest speed of a trip.
        speeds: [Speed; 2],
        /// Rest after each trip.
        pause: Duration,
        /// Where and how it starts.
        begin: Begin,
    },
}

/// Where random places are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Area {
    /// Within this distance of the access point.
    Disc(Length),
    /// Between two opposite corners.
    Rectangle([[Length; 2]; 2]),
}

/// How a random way starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Begin {
    /// Anywhere in the region.
    Uniform,
    /// At the station's position.
    Position,
    /// As if it had been moving for ever.
    SteadyState,
}

/// Where a station is, and how it moves.
#[derive(Clone, Debug, PartialEq)]
pub struct Way {
    /// East and north of the access point.
    pub position: [Length; 2],
    /// How it moves from there.
    pub motion: Motion,
}

impl Way {
    /// The way as the radio follows it.
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

/// The radio of a cell, if it has one.
pub(super) fn radio(
    entry: Entry,
    standard: Option<Standard>,
    mistakes: &mut Mistakes,
) -> Result<Option<Radio>, Spoilt> {
    if entry.word().is_some() {
        return Ok(None);
    }
    let radio = entry.table().and_then(|fields| given(fields, standard, mistakes));
    radio.map(Some).ok_or(Spoilt)
}

fn given(mut fields: Fields, standard: Option<Standard>, mistakes: &mut Mistakes) -> Option<Radio> {
    let range = fields.take("range");
    let whole = (range.at, range.mistake("", "ranges that some power gives"));
    let range = ranges(range, standard, mistakes);
    let (power, propagation) = (fields.take("tx_power"), fields.take("propagation"));
    let given = range.as_ref().map_or(0, Vec::len);
    for (entry, from) in [(&power, 1), (&propagation, 2)] {
        if entry.is_set() && !entry.bad && given >= from {
            let problem = "solved for what is given under range";
            mistakes.add(entry.at, entry.mistake(problem, "one of the two"));
        }
    }
    let tx_power = power.power();
    let propagation = self::propagation(propagation);
    let carrier = fields.take("frequency");
    let frequency = match standard {
        _ if carrier.is_set() => carrier.frequency(),
        Some(Standard::A) => Some(Frequency::from_megahertz(5_200)),
        Some(_) => Some(Frequency::from_megahertz(2_437)),
        None => None,
    };
    let reception = reception(&fields.take("reception"), standard, mistakes);
    let carrier_sense = fields.take("carrier_sense");
    let carrier_sense = carrier_sense.plain().map(|_| carrier_sense.power());
    let capture = fields.take("capture");
    let capture = capture.plain().map(|_| capture.decibels());
    let noise_figure = fields.take("noise_figure").decibels();
    let shadowing = fields.take("shadowing").decibels();
    let fading = fading(fields.take("fading"));
    let radio = Radio {
        range: range?,
        propagation: propagation?,
        frequency: frequency?,
        tx_power: tx_power?,
        noise_figure: noise_figure?,
        reception: reception?,
        carrier_sense: carrier_sense?,
        shadowing: shadowing?,
        fading: fading?,
        capture: capture?,
    };
    if let Err(error) = radio.solved(standard?) {
        let (at, mistake) = whole;
        mistakes.add(at, ScenarioError { problem: error.to_string(), ..mistake });
        return None;
    }
    Some(radio)
}

/// Distances by rate, rates ascending.
fn ranges(
    entry: Entry,
    standard: Option<Standard>,
    mistakes: &mut Mistakes,
) -> Option<Vec<(DataRate, Length)>> {
    if entry.bad {
        return None;
    }
    let (at, is_set) = (entry.at, entry.is_set());
    let wrong = entry.mistake("not one or two rates", "the ranges of one rate or of two");
    let mut pairs = Vec::new();
    let items = items(entry);
    for item in &items {
        let Some(Given::Tuple(pair)) = &item.given else { continue };
        if let (Some(rate), Some(standard)) = (pair[0].rate(), standard)
            && !standard.rates().contains(&rate)
        {
            mistakes.add(item.at, cell::not_a_rate(item, standard));
            continue;
        }
        pairs.extend(pair[0].rate().zip(pair[1].length()));
    }
    if is_set && !(1..=2).contains(&items.len()) {
        mistakes.add(at, wrong);
        return None;
    }
    pairs.sort_unstable();
    if let [(low, far), (high, near)] = pairs[..] {
        let entry = items.last().expect("two items");
        let told = (low == high).then(|| ("given twice".to_owned(), "each rate once".to_owned()));
        let too_far = || {
            let problem = format!("{high} reaches no less far than {low}");
            (near >= far).then(|| (problem, format!("less than {far} for {high}")))
        };
        if let Some((problem, allowed)) = told.or_else(too_far) {
            mistakes.add(entry.at, entry.mistake(problem, allowed));
            return None;
        }
    }
    Some(pairs).filter(|pairs| pairs.len() == items.len())
}

const DEFAULT_HEIGHT: Length = Length::from_millimetres(1_500);

fn propagation(entry: Entry) -> Option<Propagation> {
    if let Some(word) = entry.word() {
        let (ap_height, station_height) = (DEFAULT_HEIGHT, DEFAULT_HEIGHT);
        let two_ray = Propagation::TwoRay { ap_height, station_height };
        return Some(if word == "two-ray" { two_ray } else { Propagation::FreeSpace });
    }
    let mut fields = entry.table()?;
    if fields.take("model").word()? == "two-ray" {
        let ap_height = fields.take("ap_height").length()?;
        return Some(Propagation::TwoRay {
            ap_height,
            station_height: fields.take("station_height").length()?,
        });
    }
    let exponent = fields.take("exponent").decimal()?;
    let loss = fields.take("reference_loss");
    Some(Propagation::LogDistance {
        decade: Decibels::from_thousandths(10 * exponent.cast_signed()),
        reference_loss: if loss.is_set() { Some(loss.decibels()?) } else { None },
    })
}

fn reception(
    entry: &Entry,
    standard: Option<Standard>,
    mistakes: &mut Mistakes,
) -> Option<Reception> {
    Some(match entry.word()? {
        "snr" => Reception::Snr,
        "sensitivity" => Reception::Sensitivity,
        _ => {
            if standard? != Standard::A {
                let problem = "QualNet's powers and sensitivities are those of 802.11a";
                mistakes.add(entry.at, entry.mistake(problem, "\"snr\", \"sensitivity\""));
                return None;
            }
            Reception::Qualnet4
        }
    })
}

fn fading(entry: Entry) -> Option<Fading> {
    if entry.word().is_some() {
        return Some(Fading::None);
    }
    let mut fields = entry.table()?;
    let model = fields.take("model").word()?;
    let coherence = fields.take("coherence").duration()?;
    Some(match model {
        "rayleigh" => Fading::Rayleigh { coherence },
        _ => Fading::Rician { k: fields.take("k").decibels()?, coherence },
    })
}

/// A mistake hides what was meant.
#[derive(Clone, Copy, Debug)]
pub(super) struct Spoilt;

/// Where the members of a group are, and how they move.
#[derive(Debug)]
pub(super) struct Place {
    at: At,
    motion: Motion,
}

#[derive(Debug)]
enum At {
    Point([Length; 2]),
    /// Evenly on a circle around the access point.
    Circle(Length),
}

impl Place {
    /// Waypoints of one member.
    pub(super) fn waypoints(&self) -> usize {
        if let Motion::Waypoints(points) = &self.motion { points.len() } else { 0 }
    }

    /// The way of the `i`-th of `count` members, from 1.
    pub(super) fn way(&self, i: usize, count: usize) -> Way {
        let position = match self.at {
            At::Point(point) => point,
            At::Circle(radius) => on_circle(radius, i - 1, count),
        };
        Way { position, motion: self.motion.clone() }
    }
}

#[expect(clippy::cast_precision_loss, reason = "a few thousand stations")]
fn on_circle(radius: Length, i: usize, count: usize) -> [Length; 2] {
    let angle = 2.0 * std::f64::consts::PI * i as f64 / count as f64;
    let radius = radius.as_metres();
    [Length::rounded(radius * libm::cos(angle)), Length::rounded(radius * libm::sin(angle))]
}

/// Place and motion of a group, if its cell has a radio.
pub(super) fn place(
    fields: &mut Fields,
    has_radio: Option<bool>,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Result<Option<Place>, Spoilt> {
    let (position, mobility) = (fields.take("position"), fields.take("mobility"));
    if !has_radio.ok_or(Spoilt)? {
        for entry in [&position, &mobility] {
            if entry.is_set() && !entry.bad && entry.word().is_none() {
                let problem = "its cell has no radio, so that places mean nothing";
                mistakes.add(entry.at, entry.mistake(problem, "bss.NAME.radio = { … } as well"));
            }
        }
        return if position.bad || mobility.bad { Err(Spoilt) } else { Ok(None) };
    }
    on_radio(position, mobility, traces, mistakes).map(Some).ok_or(Spoilt)
}

fn on_radio(
    position: Entry,
    mobility: Entry,
    traces: &Traces,
    mistakes: &mut Mistakes,
) -> Option<Place> {
    let whole = (mobility.at, mobility.path.clone(), mobility.mistake("", "").found);
    let is_set = position.is_set();
    let motion = motion(mobility, traces, mistakes)?;
    let needs_none = match &motion {
        Motion::Waypoints(_) => true,
        Motion::RandomWaypoint { begin, .. } => *begin != Begin::Position,
        _ => false,
    };
    if needs_none && is_set && !position.bad {
        let problem = "its mobility says where it starts";
        mistakes.add(position.at, position.mistake(problem, "one of the two"));
        return None;
    }
    if !needs_none && !is_set && !position.bad {
        let problem = "missing, and its cell has a radio";
        let allowed = "a pair such as [\"10 m\", \"0 m\"], or { circle = \"10 m\" }";
        mistakes.add(position.at, position.mistake(problem, allowed));
        return None;
    }
    let at = if needs_none { At::Point(first_point(&motion)) } else { at(position)? };
    let place = Place { at, motion };
    if let Err(error) = place.way(1, 1).checked() {
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
        let (at, path, found) = whole;
        let (path, problem, allowed) =
            (format!("{path}.{key}"), error.to_string(), allowed.to_owned());
        mistakes.add(at, ScenarioError { path, found, problem, allowed });
        return None;
    }
    Some(place)
}

fn first_point(motion: &Motion) -> [Length; 2] {
    match motion {
        Motion::Waypoints(points) => points.first().map_or([Length::ZERO; 2], |first| first.1),
        _ => [Length::ZERO; 2],
    }
}

fn at(entry: Entry) -> Option<At> {
    if matches!(entry.given, Some(Given::Table(_))) {
        return Some(At::Circle(entry.table()?.take("circle").length()?));
    }
    Some(At::Point(coordinates(entry)?))
}

fn coordinates(entry: Entry) -> Option<[Length; 2]> {
    let [x, y] = entry.tuple()?;
    Some([x.length()?, y.length()?])
}

fn motion(entry: Entry, traces: &Traces, mistakes: &mut Mistakes) -> Option<Motion> {
    if entry.word().is_some() {
        return Some(Motion::None);
    }
    let mut fields = entry.table()?;
    match fields.take("model").word()? {
        "velocity" => {
            let [right, up] = fields.take("velocity").tuple()?;
            Some(Motion::Velocity([right.speed()?, up.speed()?]))
        }
        "waypoints" => waypoints(fields.take("points"), mistakes),
        "trace" => {
            let file = fields.take("file");
            match traces.get(file.text()?) {
                Ok(points) => Some(Motion::Waypoints(points.clone())),
                Err(problem) => {
                    mistakes.add(file.at, file.mistake(problem, super::traces::allowed()));
                    None
                }
            }
        }
        _ => random_waypoint(fields, mistakes),
    }
}

fn waypoints(entry: Entry, mistakes: &mut Mistakes) -> Option<Motion> {
    let (at, empty) = (entry.at, entry.mistake("no waypoint", "one at least"));
    if entry.bad {
        return None;
    }
    let items = items(entry);
    if items.is_empty() {
        mistakes.add(at, empty);
        return None;
    }
    let mut points: Vec<(Time, [Length; 2])> = Vec::new();
    for item in items {
        let (at, path, found) = (item.at, item.path.clone(), item.mistake("", "").found);
        let [time, x, y] = item.tuple()?;
        let time = point(time.duration()?);
        if let Some((last, _)) = points.last().filter(|(last, _)| time <= *last) {
            let problem = "not later than the waypoint before".to_owned();
            let allowed = format!("after {}", *last - Time::ZERO);
            mistakes.add(at, ScenarioError { path, found, problem, allowed });
            return None;
        }
        points.push((time, [x.length()?, y.length()?]));
    }
    Some(Motion::Waypoints(points))
}

fn random_waypoint(mut fields: Fields, mistakes: &mut Mistakes) -> Option<Motion> {
    let (radius, corners) = (fields.take("radius"), fields.take("corners"));
    if radius.bad || corners.bad {
        return None;
    }
    let region = match (radius.is_set(), corners.is_set()) {
        (true, false) => Area::Disc(radius.length()?),
        (false, true) => {
            let wrong = (corners.at, corners.mistake("not two corners", "two opposite corners"));
            let pairs = items(corners).into_iter().map(coordinates).collect::<Option<Vec<_>>>()?;
            let Ok(pair) = <[_; 2]>::try_from(pairs) else {
                mistakes.add(wrong.0, wrong.1);
                return None;
            };
            Area::Rectangle(pair)
        }
        (both, _) => {
            let problem = if both { "given beside radius" } else { "neither radius nor corners" };
            mistakes.add(corners.at, corners.mistake(problem, "one of radius and corners"));
            return None;
        }
    };
    Some(Motion::RandomWaypoint {
        region,
        speeds: [fields.take("min_speed").speed()?, fields.take("max_speed").speed()?],
        pause: fields.take("pause").duration()?,
        begin: match fields.take("begin").word()? {
            "position" => Begin::Position,
            "steady-state" => Begin::SteadyState,
            _ => Begin::Uniform,
        },
    })
}
