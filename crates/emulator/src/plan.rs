//! The plan of an emulation: its nodes with their addresses, and the flow that carries packets from one to another.
//!
//! Addresses follow from the order in the scenario: the n-th station is `10.11.0.n`, `fd11::n` and
//! `02:af:00:00:00:n`; the n-th host is `10.11.16.n`, `fd11::1000 + n` and `02:af:00:00:10:n`, where IPv6 and Ethernet
//! write n in hexadecimal. All are neighbours on one link, as behind an access point that bridges.

use std::fmt::Write as _;
use std::net::{Ipv4Addr, Ipv6Addr};

use airfair_sim::packet::FlowId;
use airfair_sim::scenario::{Endpoint, Flow, Scenario, Transport};

/// Most nodes: each has a flow to each other.
pub const MAX_NODES: usize = 100;
/// Prefix of the IPv4 addresses, in bits.
pub const PREFIX_V4: u8 = 16;
/// Prefix of the IPv6 addresses, in bits.
pub const PREFIX_V6: u8 = 64;
/// Number of the first host: stations come before.
const FIRST_HOST: u16 = 0x1001;

/// An Ethernet address.
pub type Mac = [u8; 6];

/// A station or a host, with a namespace of its own.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Node {
    /// Its name in the scenario.
    pub name: String,
    /// What it is there.
    pub end: Endpoint,
    /// Its number, from which its addresses follow.
    pub number: u16,
}

impl Node {
    /// Name of its interface.
    pub fn interface(&self) -> &'static str {
        match self.end {
            Endpoint::Station(_) => "wlan0",
            Endpoint::Host(_) => "eth0",
        }
    }

    /// Ethernet address: one of those that are given locally.
    pub fn mac(&self) -> Mac {
        let [high, low] = self.number.to_be_bytes();
        [0x02, 0xaf, 0, 0, high, low]
    }

    /// IPv4 address.
    pub fn v4(&self) -> Ipv4Addr {
        let [high, low] = self.number.to_be_bytes();
        Ipv4Addr::new(10, 11, high, low)
    }

    /// IPv6 address, of the kind that is nobody's elsewhere.
    pub fn v6(&self) -> Ipv6Addr {
        Ipv6Addr::new(0xfd11, 0, 0, 0, 0, 0, 0, self.number)
    }

    /// IPv6 address that its kernel makes from the Ethernet address.  [RFC4291 appendix A]
    pub fn link_local(&self) -> Ipv6Addr {
        let mac = self.mac();
        let mut octets =
            [0xfe, 0x80, 0, 0, 0, 0, 0, 0, mac[0] ^ 2, mac[1], mac[2], 0xff, 0xfe, 0, 0, 0];
        octets[13..].copy_from_slice(&mac[3..]);
        octets.into()
    }
}

/// Nodes and the flows between them.
#[derive(Clone, Debug)]
pub struct Plan {
    /// Stations, then hosts, in the scenario's order.
    pub nodes: Vec<Node>,
    /// The scenario with a flow for each way between two nodes.
    pub scenario: Scenario,
    /// Flows of the scenario itself: they come first.
    pub own_flows: usize,
    /// Flow from a node to another, by the places of both; none where no way leads there.
    flows: Vec<Option<FlowId>>,
    /// Ends of each flow that is not the scenario's own.
    ends: Vec<(usize, usize)>,
}

impl Plan {
    /// The plan of a scenario.
    ///
    /// # Errors
    /// A sentence, if it has more nodes than can be emulated.
    pub fn new(mut scenario: Scenario) -> Result<Self, String> {
        let stations = scenario.stations.iter().map(|station| &station.name).enumerate();
        let stations = stations.map(|(at, name)| (name, Endpoint::Station(at), at, 1));
        let hosts = scenario.hosts.iter().enumerate();
        let hosts = hosts.map(|(at, name)| (name, Endpoint::Host(at), at, FIRST_HOST));
        let count = scenario.stations.len() + scenario.hosts.len();
        if count > MAX_NODES {
            return Err(format!(
                "{count} stations and hosts: at most {MAX_NODES} can be emulated, each with a namespace"
            ));
        }
        let node = |(name, end, at, first): (&String, _, usize, u16)| Node {
            name: name.clone(),
            end,
            number: first + u16::try_from(at).expect("fewer than MAX_NODES"),
        };
        let nodes: Vec<Node> = stations.chain(hosts).map(node).collect();
        let own_flows = scenario.flows.len();
        let (mut flows, mut ends) = (vec![None; count * count], Vec::new());
        for (from, sender) in nodes.iter().enumerate() {
            for (to, receiver) in nodes.iter().enumerate() {
                if from != to && scenario.is_reachable(sender.end, receiver.end) {
                    let name = free_name(&scenario, &format!("{}-{}", sender.name, receiver.name));
                    let flow = Flow::new(&name, sender.end, receiver.end);
                    let flow = Flow { transport: Transport::External, ..flow };
                    flows[from * count + to] = Some(scenario.add_flow(flow));
                    ends.push((from, to));
                }
            }
        }
        Ok(Self { nodes, scenario, own_flows, flows, ends })
    }

    /// The flow that carries packets from one node to another; `None` if no way leads there.
    pub fn flow(&self, from: usize, to: usize) -> Option<FlowId> {
        self.flows[from * self.nodes.len() + to]
    }

    /// The nodes between which a flow carries packets; `None` for the scenario's own.
    pub fn ends(&self, flow: FlowId) -> Option<(usize, usize)> {
        flow.index().checked_sub(self.own_flows).map(|at| self.ends[at])
    }

    /// Place of the node with this name.
    pub fn node(&self, name: &str) -> Option<usize> {
        self.nodes.iter().position(|node| node.name == name)
    }

    /// Content of `/etc/hosts` in each namespace.
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

/// The name for a flow, or one like it that no flow has.
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
    use airfair_sim::scenario::{Bss, Node as Wired};
    use airfair_units::Duration;
    use airfair_wlan::phy::Standard;

    /// Two stations, their server, and a host that no link joins to them.
    fn plan() -> Plan {
        let mut scenario = Scenario::lasting(Duration::from_secs(1));
        let home = scenario.add_cell(Bss::new("home", Standard::B));
        scenario.add_station("slow", home);
        scenario.add_station("fast", home);
        scenario.add_host("server", Wired::Cell(home));
        let island = scenario.add_router("island");
        scenario.add_host("castaway", Wired::Router(island));
        Plan::new(scenario).expect("few nodes")
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
        assert_eq!(server.link_local().to_string(), "fe80::af:ff:fe00:1001");
    }

    #[test]
    fn each_way_has_a_flow_and_an_island_has_none() {
        let plan = plan();
        let flow = plan.flow(1, 2).expect("from fast to server");
        assert_eq!(plan.scenario.flows[flow.index()].name, "fast-server");
        assert_eq!(plan.ends(flow), Some((1, 2)));
        assert_eq!(plan.flow(0, 3), None);
        assert_eq!(plan.scenario.flows.len(), 6);
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
