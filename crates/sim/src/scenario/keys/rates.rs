//! Keys of rates and of rate control.

use airfair_laws::arf::{self, Counting, Timer};
use airfair_laws::{minstrel, minstrel_ht};
use airfair_units::Duration;

use super::super::RateControl;
use super::super::declare::{Choice, Form, Keys};
use super::super::kind::{Absent, Kind, Plain, Scalar, Tuple, words};
use super::super::reader::Entry;
use super::ranges::{OFF, TIME, integer, time};

words!(Counting { InARow = "in-a-row", InAll = "in-all" });
words!(Preset {
    Kamerman97 = "kamerman97",
    QualNet4 = "qualnet4",
    QualNet5 = "qualnet5",
    Ns3 = "ns3"
});

const INTERVAL: Kind = time(Duration::from_millis(1), Duration::from_secs(60));
const THRESHOLD: Kind = integer(1, 1_000_000);
const TIMER: Kind =
    Kind::Either(&[OFF, time(Duration::from_micros(1), Duration::from_secs(3_600)), THRESHOLD]);
const SCHEDULE: Kind = Kind::List(&Kind::Tuple(&STEP));
static STEP: Tuple = Tuple {
    one: "a pair [time, rate]",
    many: "a schedule [[\"0 s\", \"11 Mb/s\"], [\"20 s\", \"1 Mb/s\"], …]",
    items: &[TIME, Kind::LinkRate],
};

/// Kind of a station's rate: constant, by schedule, by rate control, or one of these for each direction.
pub(super) fn station_rate() -> Kind {
    let pair = Kind::Table(Keys::describe(&mut (), up_down));
    Kind::Either(vec![Kind::LinkRate, SCHEDULE, LAWS.tagged(), pair].leak())
}

fn one_way() -> Kind {
    Kind::Either(vec![Kind::LinkRate, SCHEDULE, LAWS.tagged()].leak())
}

fn up_down(keys: &mut Keys, _: &mut ()) {
    keys.of("a pair of rates");
    keys.other("up", one_way, "\"2 Mb/s\"", || None)
        .follows("the highest rate of the link")
        .says("Rate of the station's own transmissions.");
    keys.other("down", one_way, "\"2 Mb/s\"", || None)
        .follows("the highest rate of the link")
        .says("Rate of the access point's transmissions to the station.");
}

/// Algorithms of rate control for a link.
pub(crate) const LAWS: Choice<RateControl> = Choice {
    key: "control",
    noun: "rate adaptation",
    says: "Rate adaptation algorithm.",
    name: |law| match law {
        RateControl::Arf(arf::Params { most_up: None, .. }) => "arf",
        RateControl::Arf(_) => "aarf",
        RateControl::Minstrel(_) | RateControl::MinstrelHt(_) => "minstrel",
        RateControl::Oracle { .. } => "oracle",
    },
    alone: Vec::new,
    tables: || {
        let arf = arf::Params::default();
        vec![
            RateControl::Arf(arf),
            RateControl::Arf(arf::Params { most_up: Some(50), ..arf }),
            RateControl::Minstrel(minstrel::Params::default()),
            RateControl::Oracle { highest: None },
        ]
    },
    has_default: false,
    settings: |keys, law| {
        keys.of("a rate adaptation");
        match law {
            RateControl::Arf(it) => arf(keys, it),
            RateControl::Minstrel(it) => {
                minstrel(keys, it);
                // The file does not show whether the link will have Minstrel or Minstrel-HT, so the keys are those of
                // both.
                if let Keys::Describe { .. } = keys {
                    samples(keys, &mut minstrel_ht::Params::default());
                }
            }
            RateControl::MinstrelHt(it) => minstrel_ht(keys, it),
            RateControl::Oracle { highest } => {
                keys.says(
                    "Rate adaptation algorithm. Before each frame it chooses the rate at which a frame of ordinary \
                     size gets through soonest, from the noise, which no real station knows. The oracle is an upper \
                     bound for the other algorithms.",
                );
                keys.maybe("highest", highest, Kind::Rate, "\"60 Mb/s\"")
                    .follows("the highest rate of the link")
                    .says("Rate above which it chooses none, except the lowest rate of the link.");
            }
        }
    },
};

/// Implementation of ARF from which the keys take their defaults.
#[derive(Clone, Copy, PartialEq)]
enum Preset {
    Kamerman97,
    QualNet4,
    QualNet5,
    Ns3,
}

impl Preset {
    fn params(self) -> arf::Params {
        match self {
            Self::Kamerman97 => arf::Params::kamerman97(),
            Self::QualNet4 => arf::Params::qualnet4(),
            Self::QualNet5 => arf::Params::qualnet5(),
            Self::Ns3 => arf::Params::ns3(),
        }
    }
}

/// Declares the keys of ARF or AARF: a preset, or each parameter.
fn arf(keys: &mut Keys, it: &mut arf::Params) {
    let mut preset = Preset::QualNet4;
    let is_adaptive = it.most_up.is_some();
    if !is_adaptive {
        keys.word("preset", &mut preset, "\"ns3\"").written_if(false).says(
            "Implementation of ARF that gives the defaults of the other keys: that of its paper (`kamerman97`), of \
             QualNet 4, of QualNet's later versions (`qualnet5`), or of ns-3.",
        );
    }
    if preset != Preset::QualNet4 {
        *it = preset.params();
    }
    keys.key("up", &mut it.up, THRESHOLD, "5")
        .says("Frames acknowledged in a row before the next higher rate is tried.");
    if let Some(most_up) = &mut it.most_up {
        keys.key("most_up", most_up, THRESHOLD, "80")
            .says("Largest value of `up`, which doubles each time that a rate on trial fails.");
    }
    keys.key("down", &mut it.down, THRESHOLD, "3").says(
        "Frames in a row without an acknowledgement before the rate falls. At a rate on trial, the first one is \
         enough.",
    );
    if !is_adaptive {
        keys.word("counting", &mut it.counting, "\"in-all\"")
            .follows("`in-a-row`; `in-all` in `qualnet5`")
            .written_before("down")
            .says(
                "Successes and failures that count: those in a row, or all since the last change of the rate.",
            );
    }
    let by_preset = |keys: &mut Keys, what| {
        if !is_adaptive {
            keys.follows(what);
        }
    };
    timer(keys, &mut it.timer);
    by_preset(keys, "`60 ms`; `15` in `ns3`");
    keys.key("rts_failures", &mut it.rts_failures, Kind::Flag, "false")
        .says("An RTS without an answer counts as a frame without an acknowledgement.");
    by_preset(keys, "`true` in `qualnet4` and `qualnet5`, else `false`");
    let mut starts_low = !it.starts_high;
    keys.no_or_yes("initial", &mut starts_low, &["highest", "lowest"], "\"lowest\"")
        .says("Initial rate.");
    by_preset(keys, "`highest`; `lowest` in `qualnet5` and `ns3`");
    it.starts_high = !starts_low;
}

fn timer(keys: &mut Keys, timer: &mut Timer) {
    let plain = |timer: &Timer| match *timer {
        Timer::Off => Plain::Word("off"),
        Timer::Time(time) => time.plain(),
        Timer::Attempts(attempts) => attempts.plain(),
    };
    let read = |entry: &Entry, _: &Timer| match entry.plain()? {
        Plain::Word("off") => Some(Timer::Off),
        Plain::Duration(time) => Some(Timer::Time(time)),
        attempts => u32::of(attempts).map(Timer::Attempts),
    };
    let describe = |timer: &mut Timer| (TIMER, Absent::Is(plain(timer)));
    keys.any("timer", timer, "15", Form { describe, read, write: |timer: &Timer| plain(timer).to_string() }).says(
        "Other condition for a trial of the next higher rate: a time since the last fall, or a number of attempts \
         since the last change.",
    );
}

/// Keys of Minstrel that Minstrel-HT lacks.
pub(crate) const OF_MINSTREL: [&str; 2] = ["ewma", "lookaround"];
pub(crate) const OF_MINSTREL_HT: [&str; 2] = ["sample_interval", "attempts"];

fn minstrel(keys: &mut Keys, it: &mut minstrel::Params) {
    keys.key("interval", &mut it.interval, INTERVAL, "\"50 ms\"")
        .follows("`100 ms`; `50 ms` in 802.11n and later")
        .says("Interval at which the success probability of each rate is updated.");
    keys.key("ewma", &mut it.ewma, integer(0, 99), "90").says(
        "Weight of the old value in the average of the success probability [%]; 802.11a, b and g.",
    );
    keys.key("lookaround", &mut it.lookaround, integer(1, 100), "20")
        .says("Share of frames that sample another rate [%]; 802.11a, b and g.");
    keys.key("segment", &mut it.segment, INTERVAL, "\"24 ms\"")
        .says("Longest time that the attempts of a frame at one rate may take.");
}

pub(crate) fn minstrel_ht(keys: &mut Keys, it: &mut minstrel_ht::Params) {
    keys.key("interval", &mut it.interval, INTERVAL, "\"50 ms\"");
    keys.key("segment", &mut it.segment, INTERVAL, "\"24 ms\"");
    samples(keys, it);
}

fn samples(keys: &mut Keys, it: &mut minstrel_ht::Params) {
    keys.key("sample_interval", &mut it.sample_interval, INTERVAL, "\"10 ms\"")
        .says("Shortest time between frames that sample another rate; 802.11n and later.");
    keys.key("attempts", &mut it.attempts, integer(2, 100), "4").says(
        "Largest number of attempts of a frame at each rate of its retry chain; 802.11n and later.",
    );
}
