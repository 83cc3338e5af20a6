//! Plan of an emulation: nodes, addresses, and the flow that carries packets between two nodes.
//!
//! Addresses follow from the order in the scenario. Station number n has `10.11.0.n`, `fd11::n` and
//! `02:af:00:00:00:n`. Host number n has `10.11.16.n`, `fd11::1000 + n` and `02:af:00:00:10:n`.
//! IPv6 and Ethernet addresses have n in hexadecimal. All nodes are neighbours on one link, as
//! behind an access point that bridges. The gateway has the number `0xfffe`.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use airfair_sim::packet::{FlowId, Side};
use airfair_sim::scenario::{Endpoint, Flow, Scenario, Transport};
use airfair_wlan::edca::AccessCategory;

use crate::headers::Headers;
use crate::kernel_flow::{Carrier, KernelFlow, kernel_flows, place};

/// Most nodes of an emulation. Each pair of nodes needs a flow in each direction.
pub const MAX_NODES: usize = 100;
/// Length of the IPv4 prefix of the nodes' addresses [bits].
pub const PREFIX_V4: u8 = 16;
/// Length of the IPv6 prefix of the nodes' addresses [bits].
pub const PREFIX_V6: u8 = 64;
/// Number of the first host. Stations have smaller numbers.
const FIRST_HOST: u16 = 0x1001;

/// Ethernet address (48 bits).
pub type Mac = [u8; 6];

/// Station or host, which has a network namespace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Name of the station or host in the scenario.
    pub name: String,
    /// Station or host in the scenario, by index.
    pub end: Endpoint,
    /// Number from which the node's addresses follow.
    pub number: u16,
    /// True if the node's namespace existed before the emulation.
    pub is_joined: bool,
}

impl Node {
    /// Name of the node's network interface. An existing namespace may have a `wlan0` or an `eth0` already.
    pub fn interface(&self) -> &'static str {
        match (self.end, self.is_joined) {
            (Endpoint::Station(_), false) => "wlan0",
            (Endpoint::Host(_), false) => "eth0",
            (Endpoint::Station(_), true) => "af-wlan0",
            (Endpoint::Host(_), true) => "af-eth0",
        }
    }

    /// Addresses of the node.
    pub fn address(&self) -> Address {
        Address(self.number)
    }

    /// Ethernet address of the node, locally administered.
    pub fn mac(&self) -> Mac {
        self.address().mac()
    }

    /// IPv4 address of the node, in 10.11.0.0/16.
    pub fn v4(&self) -> Ipv4Addr {
        self.address().v4()
    }

    /// Unique local IPv6 address of the node (RFC 4193).
    pub fn v6(&self) -> Ipv6Addr {
        self.address().v6()
    }
}

/// Addresses of a node or of the gateway, which follow from its number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address(u16);

/// Addresses of the gateway at the access point, to which the default route of each namespace leads.
pub const GATEWAY: Address = Address(0xfffe);

impl Address {
    /// Ethernet address, locally administered.
    pub fn mac(self) -> Mac {
        let [high, low] = self.0.to_be_bytes();
        [0x02, 0xaf, 0, 0, high, low]
    }

    /// IPv4 address in 10.11.0.0/16.
    pub fn v4(self) -> Ipv4Addr {
        let [high, low] = self.0.to_be_bytes();
        Ipv4Addr::new(10, 11, high, low)
    }

    /// Unique local IPv6 address (RFC 4193).
    pub fn v6(self) -> Ipv6Addr {
        Ipv6Addr::new(0xfd11, 0, 0, 0, 0, 0, 0, self.0)
    }

    /// IPv6 link-local address that the kernel derives from the Ethernet address.  [RFC4291
    /// appendix A]
    pub fn link_local(self) -> Ipv6Addr {
        let mac = self.mac();
        let mut octets =
            [0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, 0, 0, 0];
        octets[13..].copy_from_slice(&mac[3..]);
        octets.into()
    }
}

/// Flows from one node to another. If every station at either end supports access categories, there
/// is one flow per category, the lowest first; else there is one flow.  Deviates: [D-161]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct PairFlows {
    first: FlowId,
    is_by_category: bool,
}

impl PairFlows {
    fn of(self, category: AccessCategory) -> FlowId {
        let rank = if self.is_by_category { category as usize } else { 0 };
        FlowId::new(self.first.index() + rank)
    }
}

/// Plan of an emulation: nodes, and the flows between them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Nodes of the emulation: stations, then hosts, in the scenario's order.
    pub nodes: Vec<Node>,
    /// The scenario with an external flow added for each ordered pair of connected nodes.
    pub scenario: Scenario,
    /// Number of flows that the scenario itself defines. They precede the added ones.
    pub own_flows: usize,
    /// Flows of the scenario that run over kernel sockets.
    pub(crate) kernel_flows: Vec<KernelFlow>,
    /// Flows by index of sender and receiver; `None` where the nodes are not connected.
    flows: Vec<Option<PairFlows>>,
    /// Indices of the sending and the receiving node of each flow that the emulation adds to the
    /// scenario for packets of programs.
    ends: Vec<(usize, usize)>,
}

impl Plan {
    /// Makes the plan of the emulation of a scenario.
    ///
    /// # Errors
    /// Returns a message if the scenario has more than [`MAX_NODES`] nodes.
    pub fn new(mut scenario: Scenario) -> Result<Self, String> {
        let stations = scenario.stations.iter().map(|station| &station.name).enumerate();
        let stations = stations.map(|(at, name)| (name, Endpoint::Station(at), at, 1));
        let hosts = scenario.hosts.iter().enumerate();
        let hosts = hosts.map(|(at, name)| (name, Endpoint::Host(at), at, FIRST_HOST));
        let count = scenario.stations.len() + scenario.hosts.len();
        if count > MAX_NODES {
            return Err(format!(
                "{count} stations and hosts; allowed in an emulation are {MAX_NODES}"
            ));
        }
        let node = |(name, end, at, first): (&String, _, usize, u16)| Node {
            name: name.clone(),
            end,
            number: first + u16::try_from(at).expect("fewer than MAX_NODES"),
            is_joined: false,
        };
        let nodes: Vec<Node> = stations.chain(hosts).map(node).collect();
        let own_flows = scenario.flows.len();
        let kernel_flows = kernel_flows(&scenario);
        let (mut flows, mut ends) = (vec![None; count * count], Vec::new());
        for (from, sender) in nodes.iter().enumerate() {
            for (to, receiver) in nodes.iter().enumerate() {
                if from == to || !scenario.is_reachable(sender.end, receiver.end) {
                    continue;
                }
                let is_by_category = knows_categories(&scenario, [sender.end, receiver.end]);
                let (first, all) = (FlowId::new(scenario.flows.len()), AccessCategory::ALL);
                let categories =
                    if is_by_category { &all[..] } else { &[AccessCategory::BestEffort] };
                for &access_category in categories {
                    let name = name(sender, receiver, access_category);
                    let flow = Flow::new(&free_name(&scenario, &name), sender.end, receiver.end);
                    let transport = Transport::External;
                    scenario.add_flow(Flow { transport, access_category, ..flow });
                    ends.push((from, to));
                }
                flows[from * count + to] = Some(PairFlows { first, is_by_category });
            }
        }
        Ok(Self { nodes, scenario, own_flows, kernel_flows, flows, ends })
    }

    /// Marks nodes as joined to existing namespaces.
    ///
    /// # Errors
    /// Returns the first name that no node has.
    pub fn join<'n>(&mut self, names: impl IntoIterator<Item = &'n str>) -> Result<(), &'n str> {
        for name in names {
            let found = self.nodes.iter_mut().find(|node| node.name == name);
            found.ok_or(name)?.is_joined = true;
        }
        Ok(())
    }

    /// Flow that carries packets of a category from one node to another; `None` if they are not
    /// connected.
    pub fn flow(&self, from: usize, to: usize, category: AccessCategory) -> Option<FlowId> {
        self.flows[from * self.nodes.len() + to].map(|ways| ways.of(category))
    }

    /// Flow that carries a packet with these headers from one node to another, and the side of the
    /// flow that sends the packet; `None` if the nodes are not connected.
    pub(crate) fn flow_of(
        &self,
        headers: Option<&Headers>,
        from: usize,
        to: usize,
    ) -> Option<(FlowId, Side)> {
        if let Some(Headers { protocol, from: (_, source), to: (_, destination), .. }) = headers {
            for it in self.kernel_flows.iter().filter(|it| it.carrier.protocol() == *protocol) {
                if (it.from, it.to, it.port) == (from, to, *destination) {
                    return Some((it.flow, Side::Sender));
                }
                if (it.to, it.from, it.port) == (from, to, *source) {
                    return Some((it.flow, Side::Receiver));
                }
            }
        }
        let category = headers.and_then(|headers| AccessCategory::of_dscp(headers.dscp));
        let flow = self.flow(from, to, category.unwrap_or_default())?;
        Some((flow, Side::Sender))
    }

    /// Indices of source and destination node of the packets of a flow that `origin` sends; `None`
    /// for a simulated flow.
    pub fn ends(&self, flow: FlowId, origin: Side) -> Option<(usize, usize)> {
        let others = || flow.index().checked_sub(self.own_flows).map(|at| self.ends[at]);
        let own = self.kernel_flows.iter().find(|it| it.flow == flow).map(|it| (it.from, it.to));
        let (from, to) = own.or_else(others)?;
        Some(if origin == Side::Sender { (from, to) } else { (to, from) })
    }

    /// Indices of the sending and the receiving node of each flow of the scenario; `None` for a
    /// flow that the kernel carries.
    pub(crate) fn simulated_flows(&self) -> impl Iterator<Item = Option<(usize, usize)>> {
        let is_kernels = |flow| self.kernel_flows.iter().any(|it| it.flow == flow);
        let own = self.scenario.flows.iter().take(self.own_flows).enumerate();
        own.map(move |(index, flow)| {
            let ends = (place(&self.scenario, flow.from), place(&self.scenario, flow.to));
            (!is_kernels(FlowId::new(index))).then_some(ends)
        })
    }

    /// Index of one direction of a flow: that of the packets which `origin` sends.
    pub(crate) fn direction_index(flow: FlowId, origin: Side) -> usize {
        2 * flow.index() + usize::from(origin == Side::Receiver)
    }

    /// Flow that a direction belongs to; `track` is the index of the direction.
    pub(crate) fn flow_of_direction(track: usize) -> FlowId {
        FlowId::new(track / 2)
    }

    /// Index of the opposite direction for each direction of each flow; `None` where no packets go.
    pub(crate) fn opposites(&self) -> impl Iterator<Item = Option<usize>> {
        (0..2 * self.scenario.flows.len()).map(|track| {
            let flow = Self::flow_of_direction(track);
            if self.kernel_flows.iter().any(|it| it.flow == flow) {
                return Some(track ^ 1);
            }
            let (from, to) = self.ends(flow, Side::Sender)?;
            let back = self.flow(to, from, self.scenario.flows[flow.index()].access_category)?;
            Some(Self::direction_index(back, Side::Sender))
        })
    }

    /// Index among `kernel_flows` of a TFRC flow; `None` for other flows.
    pub(crate) fn tfrc(&self, flow: FlowId) -> Option<usize> {
        let is_tfrc = |it: &KernelFlow| matches!(it.carrier, Carrier::Tfrc { .. });
        self.kernel_flows.iter().position(|it| it.flow == flow && is_tfrc(it))
    }

    /// Index of the node with this name.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// Contents of `/etc/hosts` in the namespace of each node.
    pub fn hosts_file(&self) -> String {
        let mut text = "127.0.0.1 localhost\n::1 localhost\n".to_owned();
        for node in &self.nodes {
            let name = &node.name;
            writeln!(text, "{} {name}\n{} {name}", node.v4(), node.v6())
                .expect("a text takes text");
        }
        text
    }
}

/// True if packets between these ends use access categories on the air: at least one end is a
/// station, and all stations among the ends support categories.
fn knows_categories(scenario: &Scenario, ends: [Endpoint; 2]) -> bool {
    let stations = ends.into_iter().filter_map(|end| match end {
        Endpoint::Station(index) => Some(&scenario.stations[index]),
        Endpoint::Host(_) => None,
    });
    let knows: Vec<bool> = stations.map(|station| station.standard.format().is_some()).collect();
    !knows.is_empty() && knows.into_iter().all(|it| it)
}

/// Name of the flow of a category from one node to another.
fn name(from: &Node, to: &Node, category: AccessCategory) -> String {
    let between = format!("{}-{}", from.name, to.name);
    if category == AccessCategory::BestEffort { between } else { format!("{between}-{category}") }
}

/// Name for a flow: `name`, with `-` appended until no flow of the scenario has the same name.
fn free_name(scenario: &Scenario, name: &str) -> String {
    let mut name = name.to_owned();
    while scenario.flows.iter().any(|flow| flow.name == name) {
        name.push('-');
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers;
    use airfair_sim::scenario::{Bss, Node as Wired, Tcp};
    use airfair_units::Duration;
    use airfair_wlan::phy::Standard;

    /// Plan with two stations, a server, and a host that no link connects with the others.
    fn plan() -> Plan {
        Plan::new(scenario()).expect("few nodes")
    }

    fn scenario() -> Scenario {
        let mut scenario = Scenario::lasting(Duration::from_secs(1));
        let home = scenario.add_cell(Bss::new("home", Standard::B));
        scenario.add_station("slow", home);
        scenario.add_station("fast", home);
        scenario.add_host("server", Wired::Cell(home));
        let island = scenario.add_router("island");
        scenario.add_host("castaway", Wired::Router(island));
        scenario
    }

    #[test]
    fn a_joined_node_has_an_interface_that_clashes_with_no_other() {
        let mut plan = Plan::new(scenario()).expect("few nodes");
        let names: Vec<String> = plan.nodes.iter().map(|node| node.name.clone()).collect();
        assert_eq!(plan.join(["nobody"]), Err("nobody"));
        assert!(plan.nodes.iter().all(|node| !node.is_joined));
        assert_eq!(plan.join(names.iter().map(String::as_str)), Ok(()));
        for node in &plan.nodes {
            let is_station = matches!(node.end, Endpoint::Station(_));
            assert_eq!(node.interface(), if is_station { "af-wlan0" } else { "af-eth0" });
        }
    }

    #[test]
    fn addresses_follow_from_the_order_in_the_scenario() {
        let plan = plan();
        let [slow, fast, server, _] = &plan.nodes[..] else { panic!("four nodes") };
        assert_eq!(
            (slow.v4(), fast.v4()),
            (Ipv4Addr::new(10, 11, 0, 1), Ipv4Addr::new(10, 11, 0, 2))
        );
        assert_eq!(server.v4(), Ipv4Addr::new(10, 11, 16, 1));
        assert_eq!(server.v6().to_string(), "fd11::1001");
        assert_eq!(server.mac(), [2, 0xaf, 0, 0, 0x10, 1]);
        assert_eq!(server.address().link_local().to_string(), "fe80::af:ff:fe00:1001");
    }

    /// Each direction of a flow over kernel sockets, and each external flow, has an opposite
    /// direction, and a simulated flow has none. A flow of the kernel has packets in both
    /// directions; each of the six external flows has the flow of the opposite direction.
    #[test]
    fn packets_that_come_back_are_those_of_the_opposite_direction() {
        let mut scenario = scenario();
        let ends = (Endpoint::Station(0), Endpoint::Host(0));
        let tcp = Tcp { is_kernels: true, ..Tcp::default() };
        scenario.add_flow(Flow::new("simulated", ends.0, ends.1));
        let flow = Flow::new("kernel", ends.0, ends.1);
        scenario.add_flow(Flow { transport: Transport::Tcp(tcp), ..flow });
        let plan = Plan::new(scenario).expect("few nodes");
        let opposites: Vec<_> = plan.opposites().collect();
        assert_eq!(opposites[..4], [None, None, Some(3), Some(2)]);
        assert_eq!(opposites.len(), 2 * (2 + 6));
        for (from, to) in [(0, 1), (0, 2), (1, 2), (2, 1)] {
            let [there, back] = [(from, to), (to, from)].map(|(from, to)| {
                let flow = plan.flow(from, to, AccessCategory::BestEffort).expect("a way");
                Plan::direction_index(flow, Side::Sender)
            });
            assert_eq!(opposites[there], Some(back));
        }
    }

    #[test]
    fn each_way_has_a_flow_and_an_island_has_none() {
        let plan = plan();
        let flow = plan.flow(1, 2, AccessCategory::Voice).expect("from fast to server");
        assert_eq!(plan.scenario.flows[flow.index()].name, "fast-server");
        assert_eq!(plan.ends(flow, Side::Sender), Some((1, 2)));
        assert_eq!(plan.flow(0, 3, AccessCategory::BestEffort), None);
        assert_eq!(plan.scenario.flows.len(), 6);
    }

    #[test]
    fn a_flow_of_the_kernel_is_known_by_its_port_both_ways() {
        let mut scenario = scenario();
        let ends = (Endpoint::Station(0), Endpoint::Host(0));
        let tcp = Tcp { is_kernels: true, ..Tcp::default() };
        let flow = Flow { transport: Transport::Tcp(tcp), ..Flow::new("up", ends.0, ends.1) };
        let id = scenario.add_flow(flow);
        let plan = Plan::new(scenario).expect("few nodes");
        let flow_of = |ports, from, to| {
            let headers = headers::read(&headers::tests::segment(ports, 0, &[]));
            plan.flow_of(headers.as_ref(), from, to)
        };
        let port = plan.kernel_flows[0].port;
        assert_eq!(flow_of((9, port), 0, 2), Some((id, Side::Sender)));
        assert_eq!(flow_of((port, 9), 2, 0), Some((id, Side::Receiver)));
        assert_eq!(plan.ends(id, Side::Receiver), Some((2, 0)));
        // Packets of another program, and of another station, belong to other flows.
        assert_ne!(flow_of((9, 80), 0, 2), Some((id, Side::Sender)));
        let others = plan.flow(1, 2, AccessCategory::BestEffort);
        assert_eq!(flow_of((9, port), 1, 2), others.map(|it| (it, Side::Sender)));
    }

    /// The code point of a packet determines its access category: EF is voice, AF41 is video, CS1
    /// is background. A code point without a service class is best effort.
    ///
    /// Verifies: [RFC8325 §4.3]
    #[test]
    fn a_code_point_determines_the_access_category() {
        let mut scenario = scenario();
        scenario.cells[0] = Bss::new("home", Standard::N);
        for station in &mut scenario.stations {
            station.standard = Standard::N;
        }
        let plan = Plan::new(scenario).expect("few nodes");
        let flow_of = |dscp| {
            let headers = headers::read(&headers::tests::segment((9, 80), dscp, &[]));
            let (flow, _) = plan.flow_of(headers.as_ref(), 1, 2).expect("a way");
            let Flow { name, access_category, .. } = &plan.scenario.flows[flow.index()];
            assert_eq!(plan.ends(flow, Side::Sender), Some((1, 2)), "{name}");
            (name.as_str(), *access_category)
        };
        assert_eq!(flow_of(46), ("fast-server-voice", AccessCategory::Voice));
        assert_eq!(flow_of(34), ("fast-server-video", AccessCategory::Video));
        assert_eq!(flow_of(8), ("fast-server-background", AccessCategory::Background));
        assert_eq!(flow_of(0), ("fast-server", AccessCategory::BestEffort));
        assert_eq!(flow_of(63), ("fast-server", AccessCategory::BestEffort));
        assert_eq!(plan.scenario.categories(), AccessCategory::ALL);
    }

    #[test]
    fn all_names_are_in_the_file_of_hosts() {
        let hosts = plan().hosts_file();
        assert!(
            hosts.contains("10.11.16.1 server\n") && hosts.contains("fd11::1 slow\n"),
            "{hosts}"
        );
    }
}
