//! The radio of a cell, where its members are and how they move.

use airfair_units::{Dbm, Decibels, Duration, Frequency, Length, Speed};

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged, Tuple};
use super::{NOW, OFF, PERIOD, TIME, model, word};

/// A distance that is covered by radio.
pub(in crate::scenario) const RANGE: Kind =
    Kind::Length { min: Length::from_millimetres(1), max: Length::from_metres(1_000_000) };
/// Farthest place from the access point, east and north [m].
pub(in crate::scenario) const FAR: i32 = 1_000_000;
const COORDINATE: Kind =
    Kind::Length { min: Length::from_metres(-(FAR as i64)), max: Length::from_metres(FAR as i64) };
const FASTEST: i64 = 1_000_000;
const VELOCITY: Kind = Kind::Speed {
    min: Speed::from_millimetres_per_second(-FASTEST),
    max: Speed::from_millimetres_per_second(FASTEST),
};
const SPEED: Kind =
    Kind::Speed { min: Speed::ZERO, max: Speed::from_millimetres_per_second(FASTEST) };
const HEIGHT: Kind =
    Kind::Length { min: Length::from_millimetres(100), max: Length::from_metres(10_000) };
const SIGMA: Kind = Kind::Decibels { min: Decibels::ZERO, max: Decibels::new(30) };
const POWER: Kind = Kind::Power { min: Dbm::new(-50), max: Dbm::new(60) };
const THRESHOLD: Kind = Kind::Power { min: Dbm::new(-150), max: Dbm::new(0) };

/// How the radio is given in a cell.
pub(super) const CELL_RADIO: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Table(&RADIO)]);

static RADIO: Table = Table {
    noun: "a radio",
    keys: &[
        Key::new(
            "range",
            Kind::Ranges,
            Absent::Follows("what power and propagation give"),
            "{ \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }",
            "Distance at which frames at a rate are just received: the transmit power is solved for it. With \
             two rates the exponent of log-distance propagation is solved as well. Beside neither `tx_power` \
             nor, with two, `propagation`.",
        ),
        Key::new(
            "propagation",
            PROPAGATION,
            word("free-space"),
            "{ model = \"log-distance\", exponent = 3.5 }",
            "Loss by distance.",
        ),
        Key::new(
            "frequency",
            Kind::Frequency {
                min: Frequency::from_megahertz(100),
                max: Frequency::from_megahertz(100_000),
            },
            Absent::Follows("5.2 GHz in 802.11a, else 2.437 GHz"),
            "\"5.8 GHz\"",
            "Carrier.",
        ),
        Key::new(
            "tx_power",
            POWER,
            Absent::Is(Plain::Power(Dbm::new(20))),
            "\"15 dBm\"",
            "Transmit power of every member, antenna gain included.",
        ),
        Key::new(
            "noise_figure",
            Kind::Decibels { min: Decibels::ZERO, max: Decibels::new(50) },
            Absent::Is(Plain::Decibels(Decibels::new(10))),
            "\"7 dB\"",
            "By how much a receiver is noisier than 290 K in the channel's bandwidth.",
        ),
        Key::new(
            "reception",
            Kind::Word(&["snr", "sensitivity", "qualnet4"]),
            word("snr"),
            "\"sensitivity\"",
            "Which frames are spoilt: by the ratio of signal to noise (`snr`), those that arrive below the \
             standard's sensitivity of their rate (`sensitivity`), or below QualNet 4's, at its transmit powers, \
             which fall as the rate rises (`qualnet4`, 802.11a only).",
        ),
        Key::new(
            "carrier_sense",
            Kind::Either(&[Kind::Word(&["lowest-rate"]), THRESHOLD]),
            word("lowest-rate"),
            "\"-90 dBm\"",
            "Power from which on a member senses a frame; below, sender and member are hidden from each other. \
             Otherwise it is the power at which the lowest rate is just received.",
        ),
        Key::new(
            "shadowing",
            SIGMA,
            Absent::Is(Plain::Decibels(Decibels::ZERO)),
            "\"4 dB\"",
            "Standard deviation of what obstacles add to or take from each link, drawn once in a run.",
        ),
        Key::new(
            "fading",
            FADING,
            word("none"),
            "{ model = \"rayleigh\" }",
            "How the power of a link varies while nothing moves; it spoils frames, and hides nobody.",
        ),
        Key::new(
            "capture",
            Kind::Either(&[OFF, Kind::Decibels { min: Decibels::ZERO, max: Decibels::new(100) }]),
            word("off"),
            "\"10 dB\"",
            "Whether the stronger of frames that overlap survives at a receiver, if it is stronger than the others \
             together by this much.",
        ),
    ],
};

const PROPAGATION: Kind =
    Kind::Either(&[Kind::Word(&["free-space", "two-ray"]), Kind::Tagged(&PATH_LOSSES)]);

static PATH_LOSSES: Tagged = Tagged {
    key: "model",
    noun: "propagation model",
    otherwise: None,
    variants: &[("two-ray", &TWO_RAY), ("log-distance", &LOG_DISTANCE)],
};

/// Two rays.
pub(in crate::scenario) static TWO_RAY: Table = Table {
    noun: "two-ray propagation",
    keys: &[
        model(&["two-ray"], "\"two-ray\""),
        Key::new(
            "ap_height",
            HEIGHT,
            Absent::Is(Plain::Length(Length::from_millimetres(1_500))),
            "\"3 m\"",
            "Height of the access point's antenna above ground.",
        ),
        Key::new(
            "station_height",
            HEIGHT,
            Absent::Is(Plain::Length(Length::from_millimetres(1_500))),
            "\"1 m\"",
            "Height of the stations' antennas; between two stations, of both.",
        ),
    ],
};

/// Loss that grows with a power of the distance.
pub(in crate::scenario) static LOG_DISTANCE: Table = Table {
    noun: "log-distance propagation",
    keys: &[
        model(&["log-distance"], "\"log-distance\""),
        Key::new(
            "exponent",
            Kind::Decimal { min: 1_000, max: 10_000 },
            Absent::Is(Plain::Decimal(3_000)),
            "3.5",
            "Loss grows by ten times this many dB for ten times the distance; 2 is free space.",
        ),
        Key::new(
            "reference_loss",
            Kind::Decibels { min: Decibels::ZERO, max: Decibels::new(200) },
            Absent::Follows("free space"),
            "\"46.7 dB\"",
            "Loss at 1 m.",
        ),
    ],
};

const FADING: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&FADINGS)]);

static FADINGS: Tagged = Tagged {
    key: "model",
    noun: "fading model",
    otherwise: None,
    variants: &[("rayleigh", &RAYLEIGH), ("rician", &RICIAN)],
};

const COHERENCE: Key = Key::new(
    "coherence",
    PERIOD,
    Absent::Is(Plain::Duration(Duration::from_millis(10))),
    "\"50 ms\"",
    "Time for which the power stays as it is; then it is drawn anew.",
);

/// Echoes only.
pub(in crate::scenario) static RAYLEIGH: Table =
    Table { noun: "Rayleigh fading", keys: &[model(&["rayleigh"], "\"rayleigh\""), COHERENCE] };

/// Echoes beside a direct ray.
pub(in crate::scenario) static RICIAN: Table = Table {
    noun: "Rician fading",
    keys: &[
        model(&["rician"], "\"rician\""),
        Key::new(
            "k",
            Kind::Decibels { min: Decibels::new(-50), max: Decibels::new(50) },
            Absent::Is(Plain::Decibels(Decibels::new(6))),
            "\"10 dB\"",
            "Power of the direct ray over that of all echoes.",
        ),
        COHERENCE,
    ],
};

static POINT: Tuple = Tuple {
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

/// Where a station starts.
pub(super) const POSITION: Kind = Kind::Either(&[Kind::Tuple(&POINT), Kind::Table(&CIRCLE)]);

static CIRCLE: Table = Table {
    noun: "a circle of stations",
    keys: &[Key::new(
        "circle",
        RANGE,
        Absent::Required,
        "\"20 m\"",
        "Radius around the access point; the members of a group stand evenly, the first one to the east.",
    )],
};

/// How a station moves.
pub(super) const MOBILITY: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&MOBILITIES)]);

static MOBILITIES: Tagged = Tagged {
    key: "model",
    noun: "mobility model",
    otherwise: None,
    variants: &[
        ("velocity", &STRAIGHT),
        ("waypoints", &WAYPOINTS),
        ("trace", &TRACE),
        ("random-waypoint", &RANDOM_WAYPOINT),
    ],
};

/// Straight on.
pub(in crate::scenario) static STRAIGHT: Table = Table {
    noun: "a straight way",
    keys: &[
        model(&["velocity"], "\"velocity\""),
        Key::new(
            "velocity",
            Kind::Tuple(&VELOCITIES),
            Absent::Required,
            "[\"1.5 m/s\", \"0 m/s\"]",
            "Speed to the east and to the north, from `position` on.",
        ),
    ],
};

/// Along given places.
pub(in crate::scenario) static WAYPOINTS: Table = Table {
    noun: "a way along waypoints",
    keys: &[
        model(&["waypoints"], "\"waypoints\""),
        Key::new(
            "points",
            Kind::List(&Kind::Tuple(&WAYPOINT)),
            Absent::Required,
            "[[\"0 s\", \"10 m\", \"0 m\"], [\"60 s\", \"90 m\", \"0 m\"]]",
            "Where it is when: straight between two, at rest before the first and after the last. In place of \
             `position`.",
        ),
    ],
};

/// From a file.
pub(in crate::scenario) static TRACE: Table = Table {
    noun: "a mobility trace",
    keys: &[
        model(&["trace"], "\"trace\""),
        Key::new(
            "file",
            Kind::Text,
            Absent::Required,
            "\"walk.csv\"",
            "Waypoints in a file of comma-separated values with the columns `time_s`, `x_m` and `y_m`, its name \
             relative to the scenario file. In place of `position`.",
        ),
    ],
};

/// Between random places.
pub(in crate::scenario) static RANDOM_WAYPOINT: Table = Table {
    noun: "a random waypoint model",
    keys: &[
        model(&["random-waypoint"], "\"random-waypoint\""),
        Key::new(
            "radius",
            RANGE,
            Absent::Follows("see `corners`"),
            "\"100 m\"",
            "Its places are in a disc of this radius around the access point.",
        ),
        Key::new(
            "corners",
            Kind::List(&Kind::Tuple(&POINT)),
            Absent::Follows("see `radius`"),
            "[[\"0 m\", \"0 m\"], [\"50 m\", \"30 m\"]]",
            "Its places are in the rectangle between these two. One of `radius` and `corners` must be given.",
        ),
        Key::new(
            "min_speed",
            SPEED,
            Absent::Is(Plain::Speed(Speed::ZERO)),
            "\"0.5 m/s\"",
            "Lowest speed of a trip. At 0 m/s the mean speed falls as a run goes on: slow trips last longest.",
        ),
        Key::new("max_speed", SPEED, Absent::Required, "\"10 m/s\"", "Highest speed of a trip."),
        Key::new("pause", TIME, NOW, "\"30 s\"", "Rest after each trip."),
        Key::new(
            "begin",
            Kind::Word(&["uniform", "position", "steady-state"]),
            word("uniform"),
            "\"steady-state\"",
            "Where and how it starts: anywhere in the region, at `position`, or as if it had been moving for ever \
             (`steady-state`, for a lowest speed above 0), so that nothing drifts while the run goes on.",
        ),
    ],
};
