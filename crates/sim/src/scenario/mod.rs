//! Scenarios: complete and valid descriptions of one simulated network.
//!
//! [`Scenario::parse`] turns a TOML text into a [`Scenario`], or reports *all* its mistakes at once. A parsed
//! scenario needs no further check. Values carry their units, and every key has a documented default.
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
mod schemes;
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
pub use schemes::{ApScheme, ArfAware, Scheme};
pub use traces::{MAX_TRACE, ReadFile};

use airfair_laws::{arf, minstrel, minstrel_ht, occupancy};
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

/// A network with its flows, its duration and its replications.
#[derive(Clone, Debug, PartialEq)]
pub struct Scenario {
    /// Title: the subject of the scenario in one line.
    pub title: String,
    /// Simulated time of one run.
    pub duration: Duration,
    /// Warm-up: the part at the start of a run that results ignore.
    pub warmup: Duration,
    /// Step of the time series; `None` for no time series.
    pub series_step: Option<Duration>,
    /// Seed of all random streams; each replication derives its own streams from it.
    pub seed: u64,
    /// Number of independent runs.
    pub replications: u32,
    /// Cells, in order of appearance.
    pub cells: Vec<Bss>,
    /// Wireless stations, in order of appearance.
    pub stations: Vec<Station>,
    /// Names of the wired hosts, in order of appearance.
    pub hosts: Vec<String>,
    /// Names of the wired nodes that only forward, in order of appearance.
    pub routers: Vec<String>,
    /// Wired links: each host's own link, in the order of the hosts, and then the others in order of appearance.
    pub links: Vec<Link>,
    /// Flows, in order of appearance.
    pub flows: Vec<Flow>,
}

impl Default for Scenario {
    /// Empty scenario with a duration of zero.
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

/// A cell: an access point, and the rules of its channel, which it shares with no other cell.
#[derive(Clone, Debug, PartialEq)]
pub struct Bss {
    /// Name of the cell.
    pub name: String,
    /// Rules of the cell's channel. Stations have the cell's standard unless they name another.
    pub rules: Rules,
    /// True if 8 octets of LLC/SNAP precede each packet on the air.
    pub llc_snap: bool,
    /// Radio model, by which members hear each other. With `None`, members hear each other except for the stations in
    /// [`Station::senses_only`] and [`Station::hidden_from`].
    pub radio: Option<Radio>,
    /// Beacons; `None` if the cell sends none.
    pub beacons: Option<Beacons>,
    /// Access point of the cell.
    pub ap: AccessPoint,
}

impl Bss {
    /// Creates a cell with the standard's defaults.
    pub fn new(name: &str, standard: Standard) -> Self {
        let (name, rules) = (name.to_owned(), Rules::of(standard));
        let ap = AccessPoint { access: Access::of(standard), ..AccessPoint::default() };
        Self { name, rules, llc_snap: true, radio: None, beacons: None, ap }
    }
}

/// Beacons of a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Beacons {
    /// Time from one beacon of the cell to the next.
    pub interval: Duration,
    /// Size of a beacon [octets], header and check sequence included, without elements for shares of the channel.
    pub size: Bytes,
}

impl Default for Beacons {
    /// Beacons with an interval of 100 time units of 1024 µs [80211-2020 §9.4.1.3] and 66 octets: header 24, check
    /// sequence 4, fixed fields 12, a name of 8 letters 10, rates 10, traffic map 6.  [80211-2020 §9.3.3.2]
    /// Deviates: [D-110]
    fn default() -> Self {
        Self { interval: Duration::from_micros(102_400), size: Bytes::new(66) }
    }
}

/// Access point of a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct AccessPoint {
    /// Transmit queue of the access point, for packets to the stations.
    pub queue: Queue,
    /// Channel access of the access point, per access category.
    pub access: Access,
    /// True if the access point divides its queue among TCP connections by rewriting the windows in their ACKs.
    /// [pilosof-2003 §V]
    pub window_sharing: bool,
    /// Shares of the channel that the access point grants in its beacons; `None` if it grants none.  [occupancy-tfrc
    /// §III]
    pub occupancy: Option<occupancy::Params>,
    /// Scheme by which the access point acts on the packets that it forwards.
    pub control: ApScheme,
}

/// Transmit queue of a station or an access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Queue {
    /// Capacity and discipline of the queue. Weights for DATA and ACKs are those at the start of a run.
    pub config: QueueConfig,
    /// True if the weights for DATA and ACKs follow the number of TCP connections.  [updown-fairness §IV]
    pub counts_flows: bool,
}

impl Default for Queue {
    fn default() -> Self {
        Self::new(50, Limit::Shared, Discipline::Fifo)
    }
}

impl Queue {
    /// Creates a drop-tail queue without ACK filter.
    pub const fn new(packets: u32, limit: Limit, discipline: Discipline) -> Self {
        let (overflow, ack_filter) = (Overflow::Tail, false);
        let config = QueueConfig { packets, limit, discipline, overflow, ack_filter };
        Self { config, counts_flows: false }
    }
}

/// Rate control of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateControl {
    /// ARF or AARF.
    Arf(arf::Params),
    /// Minstrel, for rates of 802.11a, b and g.
    Minstrel(minstrel::Params),
    /// Minstrel-HT, for rates of 802.11n, ac and ax.
    MinstrelHt(minstrel_ht::Params),
    /// Ideal rate control, which knows the state of the channel.
    Oracle,
}

/// A wireless station.
#[derive(Clone, Debug, PartialEq)]
pub struct Station {
    /// Name of the station.
    pub name: String,
    /// Cell of the station, as an index into [`Scenario::cells`].
    pub cell: usize,
    /// Standard of the station; the cell's by default.
    pub standard: Standard,
    /// Capabilities common to both ends of the link with the access point; `None` if one of the ends is older than
    /// HT.
    pub link: Option<LinkCapabilities>,
    /// Rates of the station's own frames, each with the time from which on it holds. The first time is [`Time::ZERO`],
    /// and times ascend.
    pub rate_up: Vec<(Time, Rate)>,
    /// Rates of the access point's frames to the station, each with the time from which on it holds. The first time is
    /// [`Time::ZERO`], and times ascend.
    pub rate_down: Vec<(Time, Rate)>,
    /// Rate control, up and down, in place of the rate schedules. The schedules then hold the initial rates.
    pub adaptation: [Option<RateControl>; 2],
    /// Transmit queue of the station.
    pub queue: Queue,
    /// Channel access of the station, per access category.
    pub access: Access,
    /// Stations that this station senses but does not decode, as ascending indices into [`Scenario::stations`]. The
    /// relation is symmetric, and holds within one cell.
    pub senses_only: Vec<usize>,
    /// Stations whose frames this station does not sense, as ascending indices into [`Scenario::stations`]. The
    /// relation is symmetric, and holds within one cell.
    pub hidden_from: Vec<usize>,
    /// Position and motion of the station; `None` in a cell without a radio.
    pub trajectory: Option<Trajectory>,
    /// Error model of the frames between the station and its access point.
    pub errors: ErrorModel,
}

impl Station {
    /// Creates a station of a cell, at the highest rate of its link.
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

/// A node of the wired network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Node {
    /// Access point of a cell, as an index into [`Scenario::cells`].
    Cell(usize),
    /// Host, as an index into [`Scenario::hosts`].
    Host(usize),
    /// Router, as an index into [`Scenario::routers`].
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

/// Queue of one direction of a wired link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LinkQueue {
    /// Capacity, the packet in service included.
    pub capacity: Capacity,
    /// Random early detection; with `None`, a full queue drops arriving packets.
    pub red: Option<Red>,
}

impl Default for LinkQueue {
    fn default() -> Self {
        Self { capacity: Capacity::Packets(100), red: None }
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
}

impl Default for Red {
    /// Defaults of ns-2.35, which follow the authors' later advice.  [red-1993]
    fn default() -> Self {
        let max_probability = Probability::literal(0.1);
        Self { min: 5, max: 15, max_probability, weight: Probability::literal(0.002), gentle: true }
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

/// An end of a flow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Endpoint {
    /// Station, as an index into [`Scenario::stations`].
    Station(usize),
    /// Host, as an index into [`Scenario::hosts`].
    Host(usize),
}

impl Flow {
    /// Creates a flow that starts at time zero and does not stop.
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
    /// Name of the flow.
    pub name: String,
    /// End that sends the data.
    pub from: Endpoint,
    /// Receiving end, which is never the sending end.
    pub to: Endpoint,
    /// Time of the flow's start, without the random delay.
    pub start: Time,
    /// Upper bound of a random delay of the start, uniform from zero and drawn in each replication.
    pub start_jitter: Duration,
    /// Time at which the source stops; `None` for the end of the run.
    pub stop: Option<Time>,
    /// Transport protocol with its settings.
    pub transport: Transport,
    /// Cross-layer control of the flow.
    pub control: Scheme,
    /// Access category of the flow's packets, both directions. A given `dscp` takes precedence.
    pub access_category: AccessCategory,
    /// Differentiated services code point of the flow's packets, if given. A given code point decides the access
    /// category.
    pub dscp: Option<u8>,
}

/// A transport protocol with its settings.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Transport {
    /// TCP between two simulated hosts, or over sockets of the kernel.
    Tcp(Tcp),
    /// TFRC between two simulated hosts, or over sockets of the kernel.
    Tfrc(Tfrc),
    /// UDP at a given rate, or as fast as the sender's queue allows.
    Udp {
        /// Application octets per datagram.
        payload: Bytes,
        /// Rate at which the source sends.
        rate: UdpRate,
    },
    /// No simulated transport: the owner of the world injects all packets of the flow, both directions.
    External,
}

impl Transport {
    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub fn is_kernels(&self) -> bool {
        match self {
            Self::Tcp(tcp) => tcp.is_kernels,
            Self::Tfrc(tfrc) => tfrc.is_kernels,
            Self::Udp { .. } | Self::External => false,
        }
    }
}

/// Settings of a TFRC flow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tfrc {
    /// Implementation of TFRC that the flow follows.
    pub profile: TfrcProfile,
    /// Application octets per packet, s.
    pub segment: Bytes,
    /// Packets that the application offers to TFRC over time.
    pub traffic: TfrcTraffic,
    /// True if the flow's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tfrc {
    fn default() -> Self {
        let (profile, segment) = (TfrcProfile::default(), Bytes::new(1_000));
        Self { profile, segment, traffic: TfrcTraffic::Greedy, is_kernels: false }
    }
}

impl Tfrc {
    /// Word for the profile in the scenario file.
    pub fn profile_word(&self) -> &'static str {
        kind::Words::word(self.profile)
    }
}

/// Settings of a TCP connection. The settings of its ends are consistent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tcp {
    /// Settings of the TCP sender.
    pub sender: tcp::SenderConfig,
    /// Settings of the TCP receiver.
    pub receiver: tcp::ReceiverConfig,
    /// True if the sender keeps segments that the queue of its own host refuses, and then reduces its window.
    /// [linux-cwr]
    pub keeps_refused: bool,
    /// True if the connection's ends are sockets of this machine's kernel, which only an emulation has.
    pub is_kernels: bool,
}

impl Default for Tcp {
    /// Settings of a TCP connection as the RFCs recommend, with a receive window that fits into the header without
    /// scaling.
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
    /// Word for the flavour in the scenario file.
    pub fn flavour_word(&self) -> &'static str {
        kind::Words::word(self.sender.flavour)
    }

    /// Makes the settings of the sender and of the receiver consistent.
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

#[cfg(test)]
mod tests;
