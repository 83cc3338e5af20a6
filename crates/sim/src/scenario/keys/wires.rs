//! Hosts, routers and links, their queues and losses.

use airfair_units::{DataRate, Probability};

use super::super::kind::{Absent, Key, Kind, Plain, Table, Tagged};
use super::{CAPACITY, DELAY, NOW, PACKETS, TRUE, bytes, model, number, word};

const TENTH: Probability = Probability::literal(0.1);
const TWO_THOUSANDTHS: Probability = Probability::literal(0.002);

/// One wired host.
pub(in crate::scenario) static HOST: Table = Table {
    noun: "a host",
    keys: &[Key::new(
        "link",
        Kind::Table(&HOST_LINK),
        Absent::Defaults,
        "{ delay = \"2 ms\" }",
        "Its link to the access point or another node.",
    )],
};

/// One wired node that only forwards.
pub(in crate::scenario) static ROUTER: Table = Table { noun: "a router", keys: &[] };

const LINK_RATE: Key = Key::new(
    "rate",
    Kind::Rate,
    Absent::Is(Plain::Rate(DataRate::from_mbps(100))),
    "\"1 Gb/s\"",
    "Rate in each direction.",
);
const LINK_DELAY: Key = Key::new("delay", DELAY, NOW, "\"2 ms\"", "Propagation delay.");
const LINK_QUEUE: Key = Key::new(
    "queue",
    Kind::Table(&BEFORE_LINK),
    Absent::Defaults,
    "{ packets = 20 }",
    "Queue at each end.",
);
const LINK_LOSS: Key = Key::new(
    "loss",
    LOSS,
    word("none"),
    "{ model = \"bernoulli\", probability = 0.01 }",
    "What is lost on the way, after the queue.",
);

static HOST_LINK: Table = Table {
    noun: "a link",
    keys: &[
        Key::new(
            "to",
            Kind::Name,
            Absent::Follows("the only cell"),
            "\"home\"",
            "Where it ends: a cell (its access point), a router or another host.",
        ),
        LINK_RATE,
        LINK_DELAY,
        LINK_QUEUE,
        LINK_LOSS,
    ],
};

/// One more wired link.
pub(in crate::scenario) static LINK: Table = Table {
    noun: "a link",
    keys: &[
        Key::new(
            "between",
            Kind::List(&Kind::Name),
            Absent::Required,
            "[\"home\", \"server\"]",
            "The two nodes that it joins: cells (their access points), routers, hosts.",
        ),
        LINK_RATE,
        LINK_DELAY,
        LINK_QUEUE,
        LINK_LOSS,
    ],
};

static BEFORE_LINK: Table = Table {
    noun: "a queue",
    keys: &[
        Key::new("packets", PACKETS, number(100), "20", CAPACITY),
        Key::new(
            "bytes",
            bytes(1, 1_000_000_000),
            Absent::Follows("see `packets`"),
            "\"150 kB\"",
            "Capacity in octets, the packet in service included. Not beside `packets`.",
        ),
        Key::new(
            "discipline",
            Kind::Word(&["fifo", "red"]),
            word("fifo"),
            "\"red\"",
            "Who leaves first and who is dropped: at the tail when it is full (`fifo`), or at random \
             before it is (`red`).",
        ),
        Key::new(
            "red",
            Kind::Table(&RED),
            Absent::Defaults,
            "{ min = 4 }",
            "Settings of random early detection; only with `discipline = \"red\"`.",
        ),
    ],
};

/// Defaults of ns-2.35 and of the authors' later advice.  [red-1993]
static RED: Table = Table {
    noun: "random early detection",
    keys: &[
        Key::new(
            "min",
            PACKETS,
            number(5),
            "4",
            "Average queue up to which none is dropped [packets].",
        ),
        Key::new("max", PACKETS, number(15), "12", "Average queue at `max_probability` [packets]."),
        Key::new(
            "max_probability",
            Kind::Probability,
            Absent::Is(Plain::Probability(TENTH)),
            "0.02",
            "Drop probability where the average reaches `max`.",
        ),
        Key::new(
            "weight",
            Kind::Probability,
            Absent::Is(Plain::Probability(TWO_THOUSANDTHS)),
            "0.01",
            "Weight of a new sample in the average.",
        ),
        Key::new(
            "gentle",
            Kind::Flag,
            TRUE,
            "false",
            "Whether the probability rises to one between `max` and twice `max`, instead of at once.",
        ),
    ],
};

const LOSS: Kind = Kind::Either(&[Kind::Word(&["none"]), Kind::Tagged(&LOSSES)]);

static LOSSES: Tagged = Tagged {
    key: "model",
    noun: "loss model",
    otherwise: None,
    variants: &[("bernoulli", &BERNOULLI), ("gilbert-elliott", &GILBERT_ELLIOTT)],
};

const TOWARDS: Key = Key::new(
    "towards",
    Kind::Name,
    Absent::Follows("both directions"),
    "\"server\"",
    "The end that the lossy direction leads to.",
);

/// Independent losses.
pub(in crate::scenario) static BERNOULLI: Table = Table {
    noun: "Bernoulli loss",
    keys: &[
        model(&["bernoulli"], "\"bernoulli\""),
        Key::new(
            "probability",
            Kind::Probability,
            Absent::Required,
            "0.01",
            "Probability that a packet is lost.",
        ),
        TOWARDS,
    ],
};

/// Losses in bursts.
pub(in crate::scenario) static GILBERT_ELLIOTT: Table = Table {
    noun: "Gilbert-Elliott loss",
    keys: &[
        model(&["gilbert-elliott"], "\"gilbert-elliott\""),
        Key::new(
            "good",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ZERO)),
            "0.001",
            "Loss probability in the good state.",
        ),
        Key::new(
            "bad",
            Kind::Probability,
            Absent::Is(Plain::Probability(Probability::ONE)),
            "0.5",
            "Loss probability in the bad state.",
        ),
        Key::new(
            "to_bad",
            Kind::Probability,
            Absent::Required,
            "0.01",
            "Probability per packet of a change from good to bad.",
        ),
        Key::new(
            "to_good",
            Kind::Probability,
            Absent::Required,
            "0.3",
            "Probability per packet of a change from bad to good.",
        ),
        TOWARDS,
    ],
};
