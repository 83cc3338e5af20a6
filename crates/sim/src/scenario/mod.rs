//! The scenario: a description of one experiment that cannot be wrong.
//!
//! [`Scenario::parse`] turns a TOML text into a [`Scenario`] or into *all* its mistakes at once; what
//! comes out needs no further check. Units are in the values, every key has a documented default, and
//! [`Scenario::to_toml`] writes the scenario back with every default spelled out.

mod access;
mod beacons;
mod capabilities;
mod cell;
mod declare;
mod document;
mod eras;
mod error;
mod flows;
mod keys;
mod kind;
mod links;
mod names;
mod overrides;
mod parse;
mod parts;
mod plain;
mod printed;
mod queues;
mod radio;
mod rates;
mod reader;
mod reference;
pub(crate) mod routes;
mod schema;
mod size;
mod stations;
mod traces;
mod write;

pub use access::Access;
pub use eras::AppliedDefault;
pub use error::{ScenarioError, escaped};
pub use parse::{Driver, MAX_FILE};
pub(crate) use radio::CellRates;
pub use radio::{Area, Begin, Fading, Motion, PathLossModel, Radio, RangeRate, Trajectory};
pub use reference::reference_markdown;
pub use schema::schema;
pub use traces::{MAX_TRACE, ReadFile};

use airfair_laws::{arf, arf_aware, arf_window, minstrel, minstrel_ht, occupancy, rate_cap};
use airfair_transport::tcp;
pub use airfair_transport::tcp::Transfer as TcpTransfer;
pub use airfair_transport::tfrc::{Profile as TfrcProfile, Traffic as TfrcTraffic};
pub use airfair_transport::udp::SendRate as UdpRate;
use airfair_units::{Bytes, DataRate, Duration, Probability, Time};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::{Rate, Standard};
pub use airfair_wlan::{
    AccessParameters, AfterCollision, Aggregation, AirtimeSharing, Attempts, Channel, CoDel,
    Discipline, Eifs, ErrorModel, Limit, LinkCapabilities, Overflow, Periods, QueueConfig, Rules,
    TimeRegulation, Weights,
};

/// One experiment.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Its subject in one line.
    pub title: String,
    /// Simulated time of one run.
    pub duration: Duration,
    /// Part at the start that no result counts.
    pub warmup: Duration,
    /// Step of the throughput series; `None` records none.
    pub series_step: Option<Duration>,
    /// Seed of the first replication; the others follow it.
    pub seed: u64,
    /// Independent runs.
    pub replications: u32,
    /// Cells, in order of appearance.
    pub cells: Vec<Bss>,
    /// Wireless stations, in order of appearance.
    pub stations: Vec<Station>,
    /// Wired hosts, in order of appearance.
    pub hosts: Vec<String>,
    /// Wired nodes that only forward, in order of appearance.
    pub routers: Vec<String>,
    /// Wired links: each host's own, in the order of the hosts, then the others in order of appearance.
    pub links: Vec<Link>,
    /// Flows, in order of appearance.
    pub flows: Vec<Flow>,
}

impl Default for Scenario {
    /// A scenario with nothing in it, not even time.
    fn default() -> Self {
        Self {
            title: "untitled".to_owned(),
            duration: Duration::ZERO,
            warmup: Duration::ZERO,
            series_step: Some(Duration::from_secs(1)),
            seed: 1,
            replications: 1,
            cells: Vec::new(),
            stations: Vec::new(),
            hosts: Vec::new(),
            routers: Vec::new(),
            links: Vec::new(),
            flows: Vec::new(),
        }
    }
}

/// One cell: an access point and the rules of its channel, which no other cell shares.
#[derive(Clone, Debug, PartialEq)]
pub struct Bss {
    /// Name.
    pub name: String,
    /// Rules of its channel; the standard is also that of each station that names none.
    pub rules: Rules,
    /// True if 8 octets of LLC/SNAP precede each packet.
    pub llc_snap: bool,
    /// Powers and noise, by which members hear each other; `None`: as stations say.
    pub radio: Option<Radio>,
    /// Its beacons; `None`: it sends none.
    pub beacons: Option<Beacons>,
    /// Its access point.
    pub ap: AccessPoint,
}

impl Bss {
    /// A cell by its standard's rules.
    pub fn new(name: &str, standard: Standard) -> Self {
        let (name, rules) = (name.to_owned(), Rules::of(standard));
        let ap = AccessPoint { access: Access::of(standard), ..AccessPoint::default() };
        Self { name, rules, llc_snap: true, radio: None, beacons: None, ap }
    }
}

/// The beacons of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacons {
    /// Time from one to the next.
    pub interval: Duration,
    /// Octets of one, header and check sequence included, shares of the channel apart.
    pub size: Bytes,
}

impl Default for Beacons {
    /// 100 time units of 1024 µs  [80211-2020 §9.4.1.3]. Header 24 and check sequence 4, fixed fields 12, a name
    /// of 8 letters 10, rates 10, traffic map 6.  [80211-2020 §9.3.3.2]  Deviates: [D-110]
    fn default() -> Self {
        Self { interval: Duration::from_micros(102_400), size: Bytes::new(66) }
    }
}

/// The access point of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccessPoint {
    /// Transmit queue.
    pub queue: Queue,
    /// Channel access.
    pub access: Access,
    /// True if it shares its queue between connections by the windows in their ACKs.
    /// [pilosof-2003 §V]
    pub window_sharing: bool,
    /// Shares of the channel that it grants its stations in its beacons.  [occupancy-tfrc §III]
    pub occupancy: Option<occupancy::Params>,
}

/// A transmit queue of a station or an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Capacity and discipline; its weights are those at the start.
    pub config: QueueConfig,
    /// True if its weights follow the number of connections.  [updown-fairness §IV]
    pub counts_flows: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(50, Limit::Shared, Discipline::Fifo)
    }
}

impl Queue {
    /// A queue that drops at its tail and filters nothing.
    pub const fn new(packets: u32, limit: Limit, discipline: Discipline) -> Self {
        let (overflow, ack_filter) = (Overflow::Tail, false);
        let config = QueueConfig { packets, limit, discipline, overflow, ack_filter };
        Self { config, counts_flows: false }
    }
}

/// Law that finds the rate of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateControl {
    /// ARF and AARF.
    Arf(arf::Params),
    /// Minstrel, for rates of 802.11a, b and g.
    Minstrel(minstrel::Params),
    /// Minstrel-HT, for those of 802.11n, ac and ax.
    MinstrelHt(minstrel_ht::Params),
    /// Knowledge of the channel.
    Oracle,
}

/// A wireless station.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Name.
    pub name: String,
    /// Its cell, an index into [`Scenario::cells`].
    pub cell: usize,
    /// Amendment, the cell's unless set.
    pub standard: Standard,
    /// Its link with the access point, the least of what both ends can do; none if one of them is older than HT.
    pub link: Option<LinkCapabilities>,
    /// Rate of its own transmissions over time; first entry at [`Time::ZERO`], times ascending.
    pub rate_up: Vec<(Time, Rate)>,
    /// Rate of the access point's transmissions to it over time, likewise.
    pub rate_down: Vec<(Time, Rate)>,
    /// Laws that find these rates instead, up and down; the schedules then say where they start.
    pub adaptation: [Option<RateControl>; 2],
    /// Transmit queue.
    pub queue: Queue,
    /// Channel access.
    pub access: Access,
    /// Stations (indices into [`Scenario::stations`], ascending) that it senses but does not decode.
    /// The relation is symmetric, and within one cell.
    pub senses_only: Vec<usize>,
    /// Stations whose frames it does not even sense, likewise.
    pub hidden_from: Vec<usize>,
    /// Its place and motion, if its cell has a radio.
    pub trajectory: Option<Trajectory>,
    /// Errors of frames between it and its access point.
    pub errors: ErrorModel,
}

impl Station {
    /// A station of the cell, at the highest rate of its link.
    pub fn new(
        name: &str,
        cell: usize,
        standard: Standard,
        link: Option<LinkCapabilities>,
        errors: ErrorModel,
    ) -> Self {
        let highest = rates::highest(standard, link);
        Self {
            name: name.to_owned(),
            cell,
            standard,
            link,
            rate_up: vec![(Time::ZERO, highest)],
            rate_down: vec![(Time::ZERO, highest)],
            adaptation: [None; 2],
            queue: Queue::default(),
            access: Access::of(standard),
            senses_only: Vec::new(),
            hidden_from: Vec::new(),
            trajectory: None,
            errors,
        }
    }
}

/// A node that wired links join.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// The access point of a cell: index into [`Scenario::cells`].
    Cell(usize),
    /// Index into [`Scenario::hosts`].
    Host(usize),
    /// Index into [`Scenario::routers`].
    Router(usize),
}

/// A wired link, the same in both directions but for what it loses.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Link {
    /// Name; a host's own link bears the host's.
    pub name: String,
    /// Nodes that it joins: *forth* leads from the first to the second, *back* from the second to the first.
    pub ends: [Node; 2],
    /// Rate.
    pub rate: DataRate,
    /// Propagation delay.
    pub delay: Duration,
    /// Queue before the link, at each end.
    pub queue: LinkQueue,
    /// Losses on the way, forth and back.
    pub loss: [Loss; 2],
}

impl Link {
    /// A link of 100 Mb/s without delay or loss.
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

/// The queue before a wired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQueue {
    /// Room, the packet in service included.
    pub capacity: Capacity,
    /// Random early detection; `None`: only a full queue drops, at its tail.
    pub red: Option<Red>,
}

impl Default for LinkQueue {
    fn default() -> Self {
        Self { capacity: Capacity::Packets(100), red: None }
    }
}

/// Room in a queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Capacity {
    /// So many packets.
    Packets(u32),
    /// So many octets.
    Bytes(Bytes),
}

/// Random early detection.  [red-1993]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Red {
    /// Average queue up to which nothing is dropped [packets], `min_th`.
    pub min: u32,
    /// Average queue from which everything is dropped, or half of that if gentle [packets], `max_th`.
    pub max: u32,
    /// Probability at `max`, `max_p`.
    pub max_probability: Probability,
    /// Weight of a new sample in the average, `w_q`.
    pub weight: Probability,
    /// True if the probability rises from `max_probability` to one between `max` and twice `max`.
    pub gentle: bool,
}

impl Default for Red {
    /// As ns-2.35 and the authors' later advice have it.  [red-1993]
    fn default() -> Self {
        let max_probability = Probability::literal(0.1);
        Self { min: 5, max: 15, max_probability, weight: Probability::literal(0.002), gentle: true }
    }
}

/// Losses of one direction of a link, after its queue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Loss {
    /// Nothing.
    #[default]
    None,
    /// Each packet with one probability, whatever became of the others.
    Bernoulli(Probability),
    /// Two states that change from packet to packet.  [gilbert-1960]
    GilbertElliott(GilbertElliott),
}

/// A chain of two states with a loss probability in each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GilbertElliott {
    /// Loss in the good state, in which it starts.
    pub good: Probability,
    /// Loss in the bad state.
    pub bad: Probability,
    /// Change from good to bad before a packet.
    pub to_bad: Probability,
    /// Change from bad to good before a packet.
    pub to_good: Probability,
}

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Index into [`Scenario::stations`].
    Station(usize),
    /// Index into [`Scenario::hosts`].
    Host(usize),
}

impl Flow {
    /// A flow that starts at once and does not stop.
    pub fn new(name: &str, from: Endpoint, to: Endpoint) -> Self {
        Self {
            name: name.to_owned(),
            from,
            to,
            start: Time::ZERO,
            start_jitter: Duration::ZERO,
            stop: None,
            transport: Transport::Tcp(Tcp::default()),
            control: Scheme::None,
            access_category: AccessCategory::default(),
            dscp: None,
        }
    }
}

/// A flow from one end to another.
#[derive(Clone, Debug, PartialEq)]
pub struct Flow {
    /// Name.
    pub name: String,
    /// Sender.
    pub from: Endpoint,
    /// Receiver, never the sender.
    pub to: Endpoint,
    /// Time of its start.
    pub start: Time,
    /// Most of a random delay, uniform from zero, that comes on top in each replication.
    pub start_jitter: Duration,
    /// Time at which its source stops; `None`: at the end of the run.
    pub stop: Option<Time>,
    /// Transport.
    pub transport: Transport,
    /// Cross-layer control.
    pub control: Scheme,
    /// Access category of its packets, both ways, unless a code point gives it.
    pub access_category: AccessCategory,
    /// Differentiated services code point of its packets, if it is given: it then says which category they are of.
    pub dscp: Option<u8>,
}

/// A transport protocol with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP.
    Tcp(Tcp),
    /// TFRC.
    Tfrc(Tfrc),
    /// UDP.
    Udp {
        /// Application octets per datagram.
        payload: Bytes,
        /// Rate of the source.
        rate: UdpRate,
    },
    /// None: the packets, both ways, are those of the program that drives the world, whose bytes nobody here reads.
    External,
}

impl Transport {
    /// True if its ends have real sockets of this machine's kernel, which only an emulation has.
    pub fn is_kernels(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_kernels,
            Self::Tfrc(tfrc) => tfrc.is_kernels,
            Self::Udp { .. } | Self::External => false,
        }
    }
}

/// Settings of one TFRC flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tfrc {
    /// Whose TFRC.
    pub profile: TfrcProfile,
    /// Application octets per packet, s.
    pub segment: Bytes,
    /// Packets that the application offers.
    pub traffic: TfrcTraffic,
    /// True if its ends have real sockets, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tfrc {
    fn default() -> Self {
        let (profile, segment) = (TfrcProfile::default(), Bytes::new(1_000));
        Self { profile, segment, traffic: TfrcTraffic::Greedy, is_kernels: false }
    }
}

impl Tfrc {
    /// Its profile, as the scenario file says it.
    pub fn profile_word(&self) -> &'static str {
        kind::Words::word(self.profile)
    }
}

/// Settings of one TCP connection. Its ends agree on what both must know.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Settings of the sender.
    pub sender: tcp::SenderConfig,
    /// Settings of the receiver.
    pub receiver: tcp::ReceiverConfig,
    /// True if the sender keeps what its own host's queue refuses, and reduces its window.  [linux-cwr]
    pub keeps_refused: bool,
    /// True if its ends are the kernel's, over real sockets, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tcp {
    /// The RFCs' recommendations, but for windows: no larger than a header can say without scaling.
    fn default() -> Self {
        let sender = tcp::SenderConfig { window_scaling: false, ..tcp::SenderConfig::default() };
        let receiver = tcp::ReceiverConfig {
            buffer: tcp::UNSCALED_WINDOW,
            window_scaling: false,
            ..tcp::ReceiverConfig::default()
        };
        Self { sender, receiver, keeps_refused: false, is_kernels: false }
    }
}

impl Tcp {
    /// Its flavour, as the scenario file says it.
    pub fn flavour_word(&self) -> &'static str {
        kind::Words::word(self.sender.flavour)
    }

    /// Makes the ends agree.
    fn agree(&mut self) {
        let Self { sender, receiver, .. } = self;
        sender.sack = Some(sender.uses_sack());
        sender.assumed_window = receiver.buffer;
        receiver.sack = sender.uses_sack();
        receiver.timestamps = sender.timestamps;
        receiver.window_scaling = sender.window_scaling;
        receiver.handshake = sender.handshake;
        receiver.tunes_window = sender.arithmetic == tcp::Arithmetic::Linux;
    }
}

/// ARF-aware TCP, and the way in which TCP learns of the rate.  [arf-aware-tcp §3]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ArfAware {
    /// The law.
    pub law: arf_aware::Params,
    /// Time between two readings of the link's rate; `None`: the driver notifies TCP of each change.
    pub poll: Option<Duration>,
    /// Time from a change, or from a reading, until TCP knows of it.
    pub notification_delay: Duration,
}

/// Scheme of cross-layer control that a flow is under.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Scheme {
    /// None.
    #[default]
    None,
    /// ARF-aware TCP. The sender is a station.  [arf-aware-tcp §3]
    ArfAware(ArfAware),
    /// Windows from channel occupancy. An end at least is a station.  [arf-window §III]
    ArfWindow(arf_window::Params),
    /// A fixed share of the rate of the sender's link. The sender is a station.
    RateCap(rate_cap::Params),
    /// Rates limited by the share of the channel that the access point grants. An end at least is a station.
    /// [occupancy-tfrc §III]
    Occupancy,
}

impl Scheme {
    /// The scenario file's word for it.
    pub fn name(&self) -> &'static str {
        match self {
            Self::None => "none",
            Self::ArfAware(_) => "arf-aware",
            Self::ArfWindow(_) => "arf-window",
            Self::RateCap(_) => "rate-cap",
            Self::Occupancy => "occupancy",
        }
    }
}

#[cfg(test)]
mod tests;
