//! Rates of stations, and the laws that find them.

use airfair_units::Duration;

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged, Tuple};
use super::{OFF, TIME, TRUE, number, word};

const SCHEDULE: Kind = Kind::List(&Kind::Tuple(&STEP));
static STEP: Tuple = Tuple {
    one: "a pair [time, rate]",
    many: "a schedule [[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"], …]",
    items: &[TIME, Kind::Rate],
};
const ONE_WAY: Kind = Kind::Either(&[Kind::Rate, SCHEDULE, ADAPTED]);
pub(super) const STATION_RATE: Kind =
    Kind::Either(&[Kind::Rate, SCHEDULE, ADAPTED, Kind::Table(&UP_DOWN)]);
const ADAPTED: Kind = Kind::Tagged(&LAWS);
const INTERVAL: Kind =
    Kind::Duration { min: Duration::from_millis(1), max: Duration::from_secs(60) };
const THRESHOLD: Kind = Kind::Integer { min: 1, max: 1_000_000 };
const TIMER: Kind = Kind::Either(&[
    OFF,
    Kind::Duration { min: Duration::from_micros(1), max: Duration::from_secs(3_600) },
    THRESHOLD,
]);

static UP_DOWN: Table = Table {
    noun: "a pair of rates",
    keys: &[
        Key::new(
            "up",
            ONE_WAY,
            Absent::Follows("the highest rate of the standard"),
            "\"2 Mb/s\"",
            "Rate of the station's own transmissions.",
        ),
        Key::new(
            "down",
            ONE_WAY,
            Absent::Follows("the highest rate of the standard"),
            "\"2 Mb/s\"",
            "Rate of the access point's transmissions to it.",
        ),
    ],
};

static LAWS: Tagged = Tagged {
    key: "control",
    noun: "rate adaptation",
    otherwise: None,
    variants: &[("arf", &ARF), ("aarf", &AARF), ("minstrel", &MINSTREL), ("oracle", &ORACLE)],
};

const fn control(word: &'static [&'static str], example: &'static str) -> Key {
    Key::new("control", Kind::Word(word), Absent::Required, example, "The law.")
}

const UP_THRESHOLD: Key = Key::new(
    "up",
    THRESHOLD,
    number(10),
    "5",
    "Frames acknowledged in a row before the next higher rate is tried.",
);
const DOWN_THRESHOLD: Key = Key::new(
    "down",
    THRESHOLD,
    number(2),
    "3",
    "Frames in a row that are not acknowledged before the rate falls; the first one at a rate that is being \
     tried is enough.",
);
const fn timer(absent: Absent) -> Key {
    Key::new(
        "timer",
        TIMER,
        absent,
        "15",
        "What else lets it try the next higher rate: a time since the last fall, or a number of attempts \
         since the last change.",
    )
}

const fn rts_failures(absent: Absent) -> Key {
    Key::new(
        "rts_failures",
        Kind::Flag,
        absent,
        "false",
        "Whether an RTS without an answer counts as a frame that is not acknowledged.",
    )
}

const fn initial(absent: Absent) -> Key {
    Key::new(
        "initial",
        Kind::Word(&["highest", "lowest"]),
        absent,
        "\"lowest\"",
        "Rate that it starts with.",
    )
}

/// Automatic rate fallback.
pub(in crate::scenario) static ARF: Table = Table {
    noun: "a rate adaptation",
    keys: &[
        control(&["arf"], "\"arf\""),
        Key::new(
            "preset",
            Kind::Word(&["kamerman97", "qualnet4", "qualnet5", "ns3"]),
            word("qualnet4"),
            "\"ns3\"",
            "Whose ARF gives what is not set: its paper's, QualNet 4's, that of QualNet's later versions, or ns-3's.",
        ),
        UP_THRESHOLD,
        DOWN_THRESHOLD,
        Key::new(
            "counting",
            Kind::Word(&["in-a-row", "in-all"]),
            Absent::Follows("`in-a-row`; `in-all` in `qualnet5`"),
            "\"in-all\"",
            "Which successes and failures count: those in a row, or all since the rate changed.",
        ),
        timer(Absent::Follows("`60 ms`; `15` in `ns3`")),
        rts_failures(Absent::Follows("`true` in `qualnet4` and `qualnet5`, else `false`")),
        initial(Absent::Follows("`highest`; `lowest` in `qualnet5` and `ns3`")),
    ],
};

/// Adaptive automatic rate fallback.
pub(in crate::scenario) static AARF: Table = Table {
    noun: "a rate adaptation",
    keys: &[
        control(&["aarf"], "\"aarf\""),
        UP_THRESHOLD,
        Key::new(
            "most_up",
            THRESHOLD,
            number(50),
            "80",
            "Largest value that `up` doubles to when a rate that is tried fails.",
        ),
        DOWN_THRESHOLD,
        timer(Absent::Is(Plain::Duration(Duration::from_millis(60)))),
        rts_failures(TRUE),
        initial(word("highest")),
    ],
};

/// Knowledge of the channel.
pub(in crate::scenario) static ORACLE: Table = Table {
    noun: "a rate adaptation",
    keys: &[Key::new(
        "control",
        Kind::Word(&["oracle"]),
        Absent::Required,
        "\"oracle\"",
        "The law: before each frame the rate at which one of ordinary size gets through soonest, by a noise that \
         no station knows. A bound for the others.",
    )],
};

/// Minstrel.
pub(in crate::scenario) static MINSTREL: Table = Table {
    noun: "a rate adaptation",
    keys: &[
        control(&["minstrel"], "\"minstrel\""),
        Key::new(
            "interval",
            INTERVAL,
            Absent::Is(Plain::Duration(Duration::from_millis(100))),
            "\"50 ms\"",
            "How often the success of each rate is summed up.",
        ),
        Key::new(
            "ewma",
            Kind::Integer { min: 0, max: 99 },
            number(75),
            "90",
            "Weight of what was known before, in percent.",
        ),
        Key::new(
            "lookaround",
            Kind::Integer { min: 1, max: 100 },
            number(10),
            "20",
            "Frames that sample another rate, in percent.",
        ),
        Key::new(
            "segment",
            INTERVAL,
            Absent::Is(Plain::Duration(Duration::from_millis(6))),
            "\"24 ms\"",
            "Longest time that the attempts of a frame at one rate may take.",
        ),
    ],
};
