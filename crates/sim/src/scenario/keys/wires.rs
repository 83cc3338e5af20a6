//! Keys of hosts, routers and wired links, with their queues and losses.

use airfair_laws::dualpi2;
use airfair_units::Probability;

use super::super::declare::{Choice, Keys};
use super::super::kind::{Kind, words};
use super::super::{Capacity, GilbertElliott, Link, LinkQueue, Loss, Red};
use super::ranges::{CAPACITY, DELAY, MARK_ABOVE, PACKETS, bytes};

/// Queue discipline of a wired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum LinkDiscipline {
    Fifo,
    Red,
    DualPi2,
}

words!(LinkDiscipline { Fifo = "fifo", Red = "red", DualPi2 = "dualpi2" });

/// Declares the keys of a wired host with its own link. `names` are the names of the link's ends.
pub(crate) fn host(keys: &mut Keys, link: &mut Link, names: [&str; 2]) {
    keys.of("a host");
    let declare = |keys: &mut Keys, link: &mut Link| {
        keys.of("a link");
        keys.other("to", || Kind::Name, "\"home\"", || Some(format!("{:?}", names[1])))
            .follows("the only cell")
            .says("Other end of the link: a cell (its access point), a router or another host.");
        wire(keys, link, names);
    };
    keys.table("link", link, declare, "{ delay = \"2 ms\" }")
        .says("Link of the host to the access point or to another node.");
}

/// Declares the keys of a wired node that only forwards.
pub(crate) fn router(keys: &mut Keys, _: &mut ()) {
    keys.of("a router");
}

/// Declares the keys of a wired link that is not a host's own. `names` are the names of its ends.
pub(crate) fn link(keys: &mut Keys, link: &mut Link, names: [&str; 2]) {
    keys.of("a link");
    let between = || Kind::List(&Kind::Name);
    keys.other("between", between, "[\"home\", \"server\"]", || Some(format!("{names:?}")))
        .says("Two nodes that the link joins: cells (their access points), routers or hosts.");
    wire(keys, link, names);
}

/// Declares the keys that all wired links have. `names` are the names of the link's ends.
fn wire(keys: &mut Keys, it: &mut Link, names: [&str; 2]) {
    keys.key("rate", &mut it.rate, Kind::Rate, "\"1 Gb/s\"").says("Rate in each direction.");
    keys.key("delay", &mut it.delay, DELAY, "\"2 ms\"")
        .says("Propagation delay; `rate` times `delay` is at most 1 GB.");
    keys.table("queue", &mut it.queue, queue, "{ packets = 20 }").says("Queue at each end.");
    let mut lossy = Lossy::of(it, names);
    keys.choice("loss", &mut lossy, &LOSS, "{ model = \"bernoulli\", probability = 0.01 }")
        .says("Loss model: packets that are lost on the wire, after the queue.");
    it.loss = [lossy.loss; 2];
}

fn queue(keys: &mut Keys, it: &mut LinkQueue) {
    keys.of("a queue");
    let (mut packets, mut size) = match it.capacity {
        Capacity::Packets(packets) => (packets, None),
        Capacity::Bytes(size) => (0, Some(size)),
    };
    keys.key("packets", &mut packets, PACKETS, "20").written_if(size.is_none()).says(CAPACITY);
    keys.maybe("bytes", &mut size, bytes(1, 1_000_000_000), "\"150 kB\"")
        .follows("see `packets`")
        .says("Capacity in octets, the packet in service included. Not together with `packets`.");
    it.capacity = size.map_or(Capacity::Packets(packets), Capacity::Bytes);
    keys.maybe("mark_above", &mut it.mark_above, PACKETS, "65")
        .follows("no marks")
        .says(MARK_ABOVE);
    let (mut is_red, mut settings) = (it.red.is_some(), it.red.unwrap_or_default());
    let mut discipline = match it.dual {
        Some(_) => LinkDiscipline::DualPi2,
        None if is_red => LinkDiscipline::Red,
        None => LinkDiscipline::Fifo,
    };
    keys.word("discipline", &mut discipline, "\"red\"").says(
        "Queue discipline. `fifo` drops arriving packets when the queue is full; `red` drops packets at random before \
         that; `dualpi2` has a queue of low latency beside the Classic one (RFC 9332), for `prague`.",
    );
    is_red = discipline == LinkDiscipline::Red;
    it.dual = (discipline == LinkDiscipline::DualPi2).then(dualpi2::Params::default);
    keys.table("red", &mut settings, red, "{ min = 4 }")
        .written_if(is_red)
        .says("Settings of random early detection; only with `discipline = \"red\"`.");
    it.red = is_red.then_some(settings);
}

fn red(keys: &mut Keys, it: &mut Red) {
    keys.of("random early detection");
    keys.key("min", &mut it.min, PACKETS, "4")
        .says("Average queue length up to which no packet is dropped [packets].");
    keys.key("max", &mut it.max, PACKETS, "12")
        .says("Average queue length at which the drop probability is `max_probability` [packets].");
    keys.key("max_probability", &mut it.max_probability, Kind::Probability, "0.02")
        .says("Drop probability when the average queue length reaches `max`.");
    keys.key("weight", &mut it.weight, Kind::Probability, "0.01")
        .says("Weight of a new sample in the average queue length.");
    keys.key("gentle", &mut it.gentle, Kind::Flag, "false")
        .says("The drop probability rises to 1 between `max` and twice `max`, instead of at once.");
    let marks = it.marks;
    keys.key("ecn", &mut it.marks, Kind::Flag, "true").written_if(marks).says(
        "Packets whose transport has `ecn` are marked instead of dropped, unless the drop probability is 1.",
    );
}

/// Losses of a wired link as the file gives them: in both directions, or towards one end.
#[derive(Clone, Debug)]
pub(crate) struct Lossy {
    loss: Loss,
    towards: Option<String>,
}

impl Lossy {
    fn of(link: &Link, [first, second]: [&str; 2]) -> Self {
        let (loss, towards) = match link.loss {
            [forth, back] if forth == back => (forth, None),
            [forth, Loss::None] => (forth, Some(second.to_owned())),
            [_, back] => (back, Some(first.to_owned())),
        };
        Self { loss, towards }
    }
}

const LOSS: Choice<Lossy> = Choice {
    key: "model",
    noun: "loss model",
    says: "Name of the model.",
    name: |it| match it.loss {
        Loss::None => "none",
        Loss::Bernoulli(_) => "bernoulli",
        Loss::GilbertElliott(_) => "gilbert-elliott",
    },
    alone: || vec![Lossy { loss: Loss::None, towards: None }],
    tables: || {
        let (good, bad) = (Probability::ZERO, Probability::ONE);
        let bursts = GilbertElliott { good, bad, to_bad: bad, to_good: bad };
        [Loss::Bernoulli(bad), Loss::GilbertElliott(bursts)]
            .map(|loss| Lossy { loss, towards: None })
            .into()
    },
    has_default: false,
    settings: |keys, it| {
        match &mut it.loss {
            Loss::None => return,
            Loss::Bernoulli(probability) => {
                keys.of("Bernoulli loss");
                keys.key("probability", probability, Kind::Probability, "0.01")
                    .required()
                    .says("Probability that a packet is lost.");
            }
            Loss::GilbertElliott(it) => gilbert_elliott(keys, it),
        }
        let write = || it.towards.as_ref().map(|end| format!("{end:?}"));
        keys.other("towards", || Kind::Name, "\"server\"", write)
            .follows("both directions")
            .says("Receiving end of the lossy direction.");
    },
};

fn gilbert_elliott(keys: &mut Keys, it: &mut GilbertElliott) {
    keys.of("Gilbert-Elliott loss");
    keys.key("good", &mut it.good, Kind::Probability, "0.001")
        .says("Loss probability in the good state.");
    keys.key("bad", &mut it.bad, Kind::Probability, "0.5")
        .says("Loss probability in the bad state.");
    keys.key("to_bad", &mut it.to_bad, Kind::Probability, "0.01")
        .required()
        .says("Probability per packet of a change from good to bad.");
    keys.key("to_good", &mut it.to_good, Kind::Probability, "0.3")
        .required()
        .says("Probability per packet of a change from bad to good.");
}
