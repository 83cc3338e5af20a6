//! The wired network: its nodes and links.

use airfair_laws::dualpi2;
use airfair_units::{Bytes, DataRate, Duration, Probability};

/// A node of the wired network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// Access point of a cell, as an index into [`Scenario::cells`](super::Scenario::cells).
    Cell(usize),
    /// Host, as an index into [`Scenario::hosts`](super::Scenario::hosts).
    Host(usize),
    /// Router, as an index into [`Scenario::routers`](super::Scenario::routers).
    Router(usize),
}

/// A wired link. Apart from losses, both directions have the same settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Name of the link. A host's own link has the name of the host.
    pub name: String,
    /// Nodes at the ends of the link: *forth* leads from the first to the second, *back* from the second to the first.
    pub ends: [Node; 2],
    /// Transmission rate, per direction.
    pub rate: DataRate,
    /// Propagation delay of each direction.
    pub delay: Duration,
    /// Queue of each direction.
    pub queue: LinkQueue,
    /// Losses after the queue, forth and back.
    pub loss: [Loss; 2],
}

impl Link {
    /// Creates a link of 100 Mb/s without delay and losses.
    pub fn new(name: &str, ends: [Node; 2]) -> Self {
        let (rate, queue) = (DataRate::from_mbps(100), LinkQueue::default());
        Self {
            name: name.to_owned(),
            ends,
            rate,
            delay: Duration::ZERO,
            queue,
            loss: [Loss::None; 2],
        }
    }
}

/// Direction of a wired link between its two ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Heading {
    /// Direction from the first end of the link to the second, in the order of the scenario.
    Forth,
    /// Direction from the second end of the link to the first.
    Back,
}

impl Heading {
    /// The end in `ends` at which packets leave the link.
    pub(crate) fn end<N: Copy>(self, ends: [N; 2]) -> N {
        ends[1 - self as usize]
    }

    /// The end in `ends` at which packets enter the link.
    pub(crate) fn start<N: Copy>(self, ends: [N; 2]) -> N {
        ends[self as usize]
    }
}

/// Queue of one direction of a wired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQueue {
    /// Capacity, the packet in service included.
    pub capacity: Capacity,
    /// Two coupled queues, for Classic traffic and for low latency, instead of one. The capacity is then in packets.
    /// [RFC9332]
    pub dual: Option<dualpi2::Params>,
    /// Random early detection; with `None`, a full queue drops arriving packets.
    pub red: Option<Red>,
    /// Largest number of packets in the queue that a packet may find without being marked; `None` without marks. Not
    /// together with random early detection.  [RFC8257 §3.1]
    pub mark_above: Option<u32>,
}

impl Default for LinkQueue {
    fn default() -> Self {
        Self { capacity: Capacity::Packets(100), dual: None, red: None, mark_above: None }
    }
}

/// Capacity of a link's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// Capacity as a number of packets.
    Packets(u32),
    /// Capacity as a number of octets.
    Bytes(Bytes),
}

/// Random early detection.  [red-1993]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Red {
    /// Average queue length up to which no packet is dropped [packets], `min_th`.
    pub min: u32,
    /// Average queue length from which every packet is dropped [packets], `max_th`. With `gentle`, every packet is
    /// dropped from twice this value on.
    pub max: u32,
    /// Drop probability at an average queue length of `max`, `max_p`.
    pub max_probability: Probability,
    /// Weight of a new sample in the average queue length, `w_q`.
    pub weight: Probability,
    /// True if the drop probability rises from `max_probability` to one between average queue lengths of `max` and
    /// twice `max`.
    pub gentle: bool,
    /// True if packets whose transport answers marks are marked instead of dropped.  [RFC3168 §5]
    pub marks: bool,
}

impl Default for Red {
    /// Defaults of ns-2.35, which follow the authors' later advice.  [red-1993]
    fn default() -> Self {
        let max_probability = Probability::literal(0.1);
        let weight = Probability::literal(0.002);
        Self { min: 5, max: 15, max_probability, weight, gentle: true, marks: false }
    }
}

/// Losses of one direction of a link, after its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// No packet is lost after the queue.
    #[default]
    None,
    /// Independent losses with the same probability for each packet.
    Bernoulli(Probability),
    /// Losses that depend on a state, which may change from packet to packet.  [gilbert-1960]
    GilbertElliott(GilbertElliott),
}

/// Settings of a Markov chain of two states, with a loss probability in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GilbertElliott {
    /// Loss probability in the good state, in which the chain starts.
    pub good: Probability,
    /// Loss probability in the bad state.
    pub bad: Probability,
    /// Probability of a change from good to bad, before each packet.
    pub to_bad: Probability,
    /// Probability of a change from bad to good, before each packet.
    pub to_good: Probability,
}
