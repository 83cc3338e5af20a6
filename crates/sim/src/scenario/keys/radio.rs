//! Keys of a cell's radio, and of its stations' positions and motions.

use airfair_units::{Dbm, Decibels, Duration, Frequency, Length, Speed, Time};
use airfair_wlan::radio::{Crossings, Decoder, Fading};

use super::super::declare::{Choice, Form, Keys};
use super::super::kind::{Absent, Kind, Plain, RANGE, Scalar, Thousandths, Tuple, words};
use super::super::reader::Entry;
use super::super::{Area, Begin, Motion, PathLossModel, Radio, RangeRate, Trajectory};
use super::ranges::{OFF, PERIOD, TIME};

words!(Decoder { Snr = "snr", Sensitivity = "sensitivity", Qualnet4 = "qualnet4" });
words!(Begin { Uniform = "uniform", Position = "position", SteadyState = "steady-state" });

/// Largest coordinate of a station relative to the access point [m].
pub(crate) const FAR: i32 = 1_000_000;
const COORDINATE: Kind =
    Kind::Length { min: Length::from_metres(-(FAR as i64)), max: Length::from_metres(FAR as i64) };
const FASTEST: Speed = Speed::from_millimetres_per_second(1_000_000);
const VELOCITY: Kind =
    Kind::Speed { min: Speed::from_millimetres_per_second(-1_000_000), max: FASTEST };
const SPEED: Kind = Kind::Speed { min: Speed::ZERO, max: FASTEST };
const HEIGHT: Kind =
    Kind::Length { min: Length::from_millimetres(100), max: Length::from_metres(10_000) };
const POWER: Kind = Kind::Power { min: Dbm::new(-50), max: Dbm::new(60) };
const SENSE: Kind = Kind::Either(&[
    Kind::Word(&["lowest-rate"]),
    Kind::Power { min: Dbm::new(-150), max: Dbm::new(0) },
]);
const DETECTION: Kind = Kind::Either(&[
    Kind::Word(&["carrier-sense"]),
    Kind::Power { min: Dbm::new(-150), max: Dbm::new(0) },
]);
const CAPTURE: Kind = Kind::Either(&[OFF, decibels(0, 100)]);
const CROSSINGS: Kind = Kind::Either(&[Kind::Integer { min: 0, max: 100 }, RANGE]);
const CARRIER: Kind = Kind::Frequency {
    min: Frequency::from_megahertz(100),
    max: Frequency::from_megahertz(100_000),
};

pub(super) static POINT: Tuple = Tuple {
    one: "a pair [x, y] such as [\"10 m\", \"-5 m\"]",
    many: "a list of pairs [[\"0 m\", \"0 m\"], [\"10 m\", \"-5 m\"], …]",
    items: &[COORDINATE, COORDINATE],
};
static VELOCITIES: Tuple = Tuple {
    one: "a pair [x, y] such as [\"1.5 m/s\", \"0 m/s\"]",
    many: "a list of such pairs",
    items: &[VELOCITY, VELOCITY],
};
static WAYPOINT: Tuple = Tuple {
    one: "a triple [time, x, y]",
    many: "a list [[\"0 s\", \"10 m\", \"0 m\"], [\"60 s\", \"90 m\", \"0 m\"], …]",
    items: &[TIME, COORDINATE, COORDINATE],
};

const POINTS: Kind = Kind::List(&Kind::Tuple(&POINT));
const WAYPOINTS: Kind = Kind::List(&Kind::Tuple(&WAYPOINT));

const fn decibels(min: i64, max: i64) -> Kind {
    Kind::Decibels { min: Decibels::new(min), max: Decibels::new(max) }
}

pub(crate) fn radio(keys: &mut Keys, it: &mut Radio) {
    keys.of("a radio");
    let ranges = it.range.len();
    range(keys, it);
    let example = "{ model = \"log-distance\", exponent = 3.5 }";
    keys.choice("propagation", &mut it.propagation, &PROPAGATION, example)
        .written_if(ranges < 2)
        .says("Propagation model: path loss over distance.");
    keys.key("frequency", &mut it.frequency, CARRIER, "\"5.8 GHz\"")
        .follows("5.2 GHz in 802.11a, else 2.437 GHz")
        .written_before(if ranges > 0 { "range" } else { "propagation" })
        .says("Carrier frequency.");
    keys.key("tx_power", &mut it.tx_power, POWER, "\"15 dBm\"")
        .written_if(ranges == 0)
        .written_before("propagation")
        .says("Transmit power of every member, antenna gain included.");
    keys.key("noise_figure", &mut it.noise_figure, decibels(0, 50), "\"7 dB\"")
        .says(
            "Noise figure of the receivers: their noise above that of 290 K in the channel's bandwidth.",
        );
    keys.word("reception", &mut it.reception, "\"sensitivity\"").says(
        "Rule that decides which frames have errors. `snr`: the probability of an error follows from the \
         signal-to-noise ratio. `sensitivity`: all frames have errors that arrive with less power than the standard's \
         sensitivity for their rate. `qualnet4`: the same with QualNet 4's sensitivities and transmit powers, which \
         fall as the rate rises (802.11a only).",
    );
    keys.optional("carrier_sense", &mut it.carrier_sense, SENSE, "\"-90 dBm\"").says(
        "Power from which on a station or access point senses a frame; below it, sender and receiver are hidden from \
         each other. `lowest-rate` is the power at which the lowest rate is just received.",
    );
    let has_level = it.energy_detection.is_some();
    keys.optional("energy_detection", &mut it.energy_detection, DETECTION, "\"-62 dBm\"")
        .written_if(has_level)
        .says(
            "Power from which on a member senses a frame whose preamble it has missed, because it sent or received \
             another frame at that time: CCA-ED. `carrier-sense`: it senses such a frame as all others. For cells beside neighbours.",
        );
    keys.key("shadowing", &mut it.shadowing, decibels(0, 30), "\"4 dB\"").says(
        "Standard deviation of shadowing, the loss or gain of each link by obstacles; drawn once per run.",
    );
    keys.choice("fading", &mut it.fading, &FADING, "{ model = \"rayleigh\" }").says(
        "Fading: variation of a link's power while nothing moves. It causes frame errors but hides no station.",
    );
    keys.optional("capture", &mut it.capture, CAPTURE, "\"10 dB\"").says(
        "The strongest of overlapping frames survives at a receiver if its power is at least this many times that of \
         all others together. With `off` none survives.",
    );
    let has_walls = it.walls != Decibels::ZERO;
    keys.key("walls", &mut it.walls, decibels(0, 100), "\"10 dB\"").written_if(has_walls).says(
        "Loss of the walls around the cell. A frame between two cells passes the walls of both.",
    );
}

/// Rate that a key of the table of ranges names.
pub(crate) fn range_rate(entry: &Entry) -> Option<RangeRate> {
    entry.value().map(RangeRate::Plain).or_else(|| entry.value().map(RangeRate::Named))
}

fn range(keys: &mut Keys, it: &mut Radio) {
    let is_given = !it.range.is_empty();
    let read = |entry: &Entry, _: &_| {
        let pair =
            |item: &Entry| item.places().and_then(|pair| range_rate(&pair[0]).zip(pair[1].value()));
        let mut ranges = entry.items().iter().map(pair).collect::<Option<Vec<_>>>()?;
        ranges.sort_unstable();
        Some(ranges)
    };
    let write = |ranges: &Vec<(RangeRate, Length)>| {
        let range = |(rate, length)| format!("\"{rate}\" = \"{length}\"");
        format!("{{ {} }}", ranges.iter().copied().map(range).collect::<Vec<_>>().join(", "))
    };
    let describe = |_: &mut _| (Kind::Ranges, Absent::Required);
    let example = "{ \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }";
    keys.any("range", &mut it.range, example, Form { describe, read, write })
        .follows("computed from power and propagation")
        .written_if(is_given)
        .says(
            "Distance at which frames at a rate, in Mb/s or by the name of its mode, are just received. The transmit \
             power is computed from it; with two rates, the exponent of log-distance propagation as well. Not \
             together with `tx_power`; with two rates, also not together with `propagation`.",
        );
}

const PROPAGATION: Choice<PathLossModel> = Choice {
    key: "model",
    noun: "propagation model",
    says: "Name of the model.",
    name: |model| match model {
        PathLossModel::FreeSpace => "free-space",
        PathLossModel::TwoRay { .. } => "two-ray",
        PathLossModel::LogDistance { .. } => "log-distance",
        PathLossModel::Residential { .. } => "residential",
    },
    alone: || vec![PathLossModel::FreeSpace, TWO_RAY, RESIDENTIAL],
    tables: || {
        let decade = Decibels::new(30);
        let log_distance = PathLossModel::LogDistance { decade, reference_loss: None };
        vec![TWO_RAY, log_distance, RESIDENTIAL]
    },
    has_default: false,
    settings: |keys, model| match model {
        PathLossModel::FreeSpace => {}
        PathLossModel::TwoRay { ap_height, station_height } => {
            keys.of("two-ray propagation");
            keys.key("ap_height", ap_height, HEIGHT, "\"3 m\"")
                .says("Height of the access point's antenna above ground.");
            keys.key("station_height", station_height, HEIGHT, "\"1 m\"")
                .says("Height of the stations' antennas above ground.");
        }
        PathLossModel::LogDistance { decade, reference_loss } => {
            keys.of("log-distance propagation");
            let mut exponent = Thousandths(decade.as_thousandths().unsigned_abs() / 10);
            let most = Kind::Decimal { min: 1_000, max: 10_000 };
            keys.key("exponent", &mut exponent, most, "3.5").says(
                "Path loss exponent: at ten times the distance the loss is larger by ten times this many dB. 2 is \
                 free space.",
            );
            *decade = Decibels::from_thousandths(10 * exponent.0.cast_signed());
            keys.maybe("reference_loss", reference_loss, decibels(0, 200), "\"46.7 dB\"")
                .follows("that of free space")
                .says("Loss at 1 m.");
        }
        PathLossModel::Residential { floors, walls } => {
            keys.of("residential propagation");
            keys.key("floors", floors, CROSSINGS, "\"3 m\"").says(
                "Floors between the antennas of each link: their number, or the length of the distance for each of \
                 them. F floors lose 18.3·F^((F+2)/(F+1)−0.46) dB.",
            );
            keys.key("walls", walls, CROSSINGS, "2").says(
                "Walls between the antennas of each link: their number, or the length of the distance for each of \
                 them. A wall loses 5 dB.",
            );
        }
    },
};

impl Scalar for Crossings {
    fn plain(self) -> Plain<'static> {
        match self {
            Self::Count(count) => Plain::Integer(count.into()),
            Self::Every(length) => Plain::Length(length),
        }
    }

    fn of(plain: Plain) -> Option<Self> {
        match plain {
            Plain::Integer(count) => count.try_into().ok().map(Self::Count),
            Plain::Length(length) => Some(Self::Every(length)),
            _ => None,
        }
    }
}

const RESIDENTIAL: PathLossModel =
    PathLossModel::Residential { floors: Crossings::Count(0), walls: Crossings::Count(0) };

const TWO_RAY: PathLossModel = PathLossModel::TwoRay {
    ap_height: Length::from_millimetres(1_500),
    station_height: Length::from_millimetres(1_500),
};

const FADING: Choice<Fading> = Choice {
    key: "model",
    noun: "fading model",
    says: "Name of the model.",
    name: |model| match model {
        Fading::None => "none",
        Fading::Rayleigh { .. } => "rayleigh",
        Fading::Rician { .. } => "rician",
    },
    alone: || vec![Fading::None],
    tables: || {
        let coherence = Duration::from_millis(10);
        vec![Fading::Rayleigh { coherence }, Fading::Rician { k: Decibels::new(6), coherence }]
    },
    has_default: false,
    settings: |keys, model| match model {
        Fading::None => {}
        Fading::Rayleigh { coherence } => {
            keys.of("Rayleigh fading");
            self::coherence(keys, coherence);
        }
        Fading::Rician { k, coherence } => {
            keys.of("Rician fading");
            keys.key("k", k, decibels(-50, 50), "\"10 dB\"")
                .says(
                    "Rician K-factor: power of the direct path relative to that of all reflected paths.",
                );
            self::coherence(keys, coherence);
        }
    },
};

fn coherence(keys: &mut Keys, coherence: &mut Duration) {
    keys.key("coherence", coherence, PERIOD, "\"50 ms\"")
        .says("Coherence time: the power is constant for this time, and then drawn again.");
}

/// Declares the keys of a station's position and motion.
pub(super) fn trajectory(keys: &mut Keys, trajectory: Option<&Trajectory>) {
    let position = || {
        let circle = Kind::Table(Keys::describe(&mut (), circle));
        Kind::Either(vec![Kind::Tuple(&POINT), circle].leak())
    };
    let starts_here = trajectory.filter(|it| !it.motion.says_where_it_starts());
    let written = || starts_here.map(|it| pair(it.position));
    keys.other("position", position, "[\"10 m\", \"0 m\"]", written)
        .follows("required if the cell has a radio")
        .says(
            "Position at the start, to the east and to the north of the access point, or `{ circle = \"10 m\" }`.",
        );
    let mut moving = Moving {
        motion: trajectory.map_or(Motion::None, |it| it.motion.clone()),
        is_in_file: false,
    };
    let example = "{ model = \"velocity\", velocity = [\"1.5 m/s\", \"0 m/s\"] }";
    keys.choice("mobility", &mut moving, &MOBILITY, example)
        .written_if(trajectory.is_some())
        .says("Mobility model: the motion of the station.");
}

fn circle(keys: &mut Keys, _: &mut ()) {
    keys.of("a circle of stations");
    keys.other("circle", || RANGE, "\"20 m\"", || None).says(
        "Radius of a circle around the access point. The members of a group are spaced evenly on it, the first one to \
         the east.",
    );
}

/// Motion of a station, as the file describes it.
#[derive(Clone, Debug)]
pub(crate) struct Moving {
    pub(crate) motion: Motion,
    /// True if the waypoints are in a trace file.
    pub(crate) is_in_file: bool,
}

pub(crate) const MOBILITY: Choice<Moving> = Choice {
    key: "model",
    noun: "mobility model",
    says: "Name of the model.",
    name: |it| match &it.motion {
        Motion::None => "none",
        Motion::Velocity(_) => "velocity",
        Motion::Waypoints(_) if it.is_in_file => "trace",
        Motion::Waypoints(_) => "waypoints",
        Motion::RandomWaypoint { .. } => "random-waypoint",
    },
    alone: || vec![Moving { motion: Motion::None, is_in_file: false }],
    tables: || {
        let trip = Motion::RandomWaypoint {
            region: Area::Disc(Length::ZERO),
            speeds: [Speed::ZERO; 2],
            pause: Duration::ZERO,
            begin: Begin::Uniform,
        };
        let (still, nowhere) = (Motion::Velocity([Speed::ZERO; 2]), Motion::Waypoints(Vec::new()));
        [(still, false), (nowhere.clone(), false), (nowhere, true), (trip, false)]
            .map(|(motion, is_in_file)| Moving { motion, is_in_file })
            .into()
    },
    has_default: false,
    settings: |keys, it| match &mut it.motion {
        Motion::None => {}
        Motion::Velocity(velocity) => self::velocity(keys, velocity),
        Motion::Waypoints(_) if it.is_in_file => {
            keys.of("a mobility trace");
            keys.other("file", || Kind::Text, "\"walk.csv\"", || None).says(
                "File of waypoints: comma-separated values with the columns `time_s`, `x_m` and `y_m`. The path is \
                 relative to the scenario file. Replaces `position`.",
            );
        }
        Motion::Waypoints(points) => waypoints(keys, points),
        Motion::RandomWaypoint { region, speeds: [lowest, highest], pause, begin } => {
            keys.of("a random waypoint model");
            area(keys, region);
            keys.key("min_speed", lowest, SPEED, "\"0.5 m/s\"").says(
                "Lowest speed of a trip. With 0 m/s the mean speed falls during a run, because slow trips last \
                 longest.",
            );
            keys.key("max_speed", highest, SPEED, "\"10 m/s\"")
                .required()
                .says("Highest speed of a trip.");
            keys.key("pause", pause, TIME, "\"30 s\"").says("Pause after each trip.");
            keys.word("begin", begin, "\"steady-state\"").says(
                "State at the start: anywhere in the region (`uniform`), at `position` (`position`), or as after a \
                 long time of motion (`steady-state`, for a lowest speed above 0), so that the distribution of \
                 positions and speeds stays the same during the run.",
            );
        }
    },
};

fn velocity(keys: &mut Keys, velocity: &mut [Speed; 2]) {
    keys.of("a straight way");
    let read = |entry: &Entry, _: &_| {
        let [right, up] = entry.places()? else { return None };
        Some([right.value()?, up.value()?])
    };
    let write = |[right, up]: &[Speed; 2]| format!("[\"{right}\", \"{up}\"]");
    let describe = |_: &mut _| (Kind::Tuple(&VELOCITIES), Absent::Required);
    keys.any("velocity", velocity, "[\"1.5 m/s\", \"0 m/s\"]", Form { describe, read, write })
        .says("Velocity to the east and to the north, from `position` on.");
}

fn waypoints(keys: &mut Keys, points: &mut Vec<(Time, [Length; 2])>) {
    keys.of("a way along waypoints");
    let point = |item: &Entry| {
        let [time, x, y] = item.places()? else { return None };
        Some((Time::ZERO + time.value::<Duration>()?, [x.value()?, y.value()?]))
    };
    let read = |entry: &Entry, _: &_| entry.items().iter().map(point).collect();
    let write = |points: &Vec<_>| {
        let point = |(at, [x, y]): &(Time, [Length; 2])| format!("[\"{at}\", \"{x}\", \"{y}\"]");
        format!("[{}]", points.iter().map(point).collect::<Vec<_>>().join(", "))
    };
    let describe = |_: &mut _| (WAYPOINTS, Absent::Required);
    let example = "[[\"0 s\", \"10 m\", \"0 m\"], [\"60 s\", \"90 m\", \"0 m\"]]";
    keys.any("points", points, example, Form { describe, read, write }).says(
        "Waypoints: times and positions. The station moves straight between two, and rests before the first and after \
         the last. Replaces `position`.",
    );
}

fn area(keys: &mut Keys, area: &mut Area) {
    let (mut radius, mut corners) = match *area {
        Area::Disc(radius) => (Some(radius), None),
        Area::Rectangle(corners) => (None, Some(corners)),
    };
    keys.maybe("radius", &mut radius, RANGE, "\"100 m\"")
        .follows("see `corners`")
        .says("Radius of a disc around the access point in which the station moves.");
    let read = |entry: &Entry, _: &_| {
        let points = entry.items().iter().map(point).collect::<Option<Vec<_>>>()?;
        points.try_into().ok().map(Some)
    };
    let write = |corners: &Option<[_; 2]>| {
        corners.map_or_else(String::new, |it| format!("[{}]", it.map(pair).join(", ")))
    };
    let describe = |_: &mut _| (POINTS, Absent::Required);
    let (example, is_given) = ("[[\"0 m\", \"0 m\"], [\"50 m\", \"30 m\"]]", corners.is_some());
    keys.any("corners", &mut corners, example, Form { describe, read, write })
        .follows("see `radius`")
        .written_if(is_given)
        .says(
            "Opposite corners of a rectangle in which the station moves. One of `radius` and `corners` is required.",
        );
    *area = corners.map_or(Area::Disc(radius.unwrap_or(Length::ZERO)), Area::Rectangle);
}

/// Coordinates that the file gives as a pair.
pub(crate) fn point(entry: &Entry) -> Option<[Length; 2]> {
    let [x, y] = entry.places()? else { return None };
    Some([x.value()?, y.value()?])
}

pub(super) fn pair([x, y]: [Length; 2]) -> String {
    format!("[\"{x}\", \"{y}\"]")
}
