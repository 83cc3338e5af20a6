//! Generated MAC and IP addresses, since a scenario only has names.
//!
//! ```text
//! station or access point   02:af:cell (two octets, the lower first):member (two octets)
//! host                      02:af:ff:01:host, an address of cell 511, which is more than a scenario may have
//! IP: station               10.0.x.y, host 10.1.x.y, counted from 1
//! ports                     49152 + flow at the sender, 57344 at the receiver
//! ```

use airfair_sim::packet::{FlowId, Side};
use airfair_sim::record::CellId;
use airfair_sim::scenario::{Endpoint, Scenario};
use airfair_wlan::NodeId;

/// A MAC address.
pub(super) type Mac = [u8; 6];
/// An IPv4 address.
pub(super) type Ip = [u8; 4];

/// Number of ports that senders use; flows beyond that number differ in the receiver's port.
const PORTS: u16 = 8_192;

/// Generated addresses of all stations, and the nodes at both ends of all flows.
#[derive(Debug)]
pub(super) struct Addresses {
    /// MAC address of each station in its own cell, by number of the station.
    stations: Vec<Mac>,
    /// Sender's and receiver's node of each flow.
    flows: Vec<[Endpoint; 2]>,
}

impl Addresses {
    pub(super) fn of(scenario: &Scenario) -> Self {
        let mut members = vec![0; scenario.cells.len()];
        let station = |station: &airfair_sim::scenario::Station| {
            let number = members[station.cell];
            members[station.cell] += 1;
            mac(CellId::new(station.cell), NodeId::station(number))
        };
        Self {
            stations: scenario.stations.iter().map(station).collect(),
            flows: scenario.flows.iter().map(|flow| [flow.from, flow.to]).collect(),
        }
    }

    /// Node at one end of a flow.
    fn end(&self, flow: FlowId, side: Side) -> Endpoint {
        self.flows[flow.index()][usize::from(side == Side::Receiver)]
    }

    /// MAC address of the node at one end of a flow.
    pub(super) fn mac_of_end(&self, flow: FlowId, side: Side) -> Mac {
        match self.end(flow, side) {
            Endpoint::Station(index) => self.stations[index],
            Endpoint::Host(index) => {
                let [high, low] = number(index);
                [0x02, 0xaf, 0xff, 0x01, high, low]
            }
        }
    }

    /// IP address of the node at one end of a flow.
    pub(super) fn ip_of_end(&self, flow: FlowId, side: Side) -> Ip {
        ip(self.end(flow, side))
    }
}

/// MAC address of an access point or a station.
pub(super) fn mac(cell: CellId, node: NodeId) -> Mac {
    let [high, low] = node.0.to_be_bytes();
    let [above, cell] = cell.0.to_be_bytes();
    [0x02, 0xaf, cell, above, high, low]
}

fn ip(end: Endpoint) -> Ip {
    let (net, index) = match end {
        Endpoint::Station(index) => (0, index),
        Endpoint::Host(index) => (1, index),
    };
    let [high, low] = number(index + 1);
    [10, net, high, low]
}

/// Port of one end of a flow. No two flows have the same pair of ports.
pub(super) fn port(flow: FlowId, side: Side) -> u16 {
    match side {
        Side::Sender => 49_152 + flow.0 % PORTS,
        Side::Receiver => 49_152 + PORTS + flow.0 / PORTS,
    }
}

/// IP address of each station and host, with its name.
pub(super) fn names(scenario: &Scenario) -> impl Iterator<Item = (Ip, &str)> {
    let stations = scenario.stations.iter().enumerate();
    let stations = stations.map(|(index, it)| (ip(Endpoint::Station(index)), it.name.as_str()));
    let hosts = scenario.hosts.iter().enumerate();
    stations.chain(hosts.map(|(index, name)| (ip(Endpoint::Host(index)), name.as_str())))
}

fn number(index: usize) -> [u8; 2] {
    u16::try_from(index).expect("at most 65 535 nodes").to_be_bytes()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;
    use std::fmt::Write as _;

    use super::*;

    /// No two members or hosts have the same address, in as many cells as a scenario may have.
    #[test]
    fn members_of_all_cells_and_hosts_have_addresses_of_their_own() {
        let mut text = String::from("duration = \"1 s\"\n");
        for cell in 0..500 {
            let _ = write!(
                text,
                "[bss.c{cell}]\nstandard = \"802.11a\"\n[station.s{cell}]\nbss = \"c{cell}\"\n[host.h{cell}]\n\
                 link = {{ to = \"c{cell}\", rate = \"1 Mb/s\" }}\n[flow.f{cell}]\nfrom = \"h{cell}\"\nto = \"s{cell}\"\n\
                 transport = {{ kind = \"tcp\" }}\n"
            );
        }
        let scenario = Scenario::parse(&text, &[]).expect("a scenario without mistakes");
        let addresses = Addresses::of(&scenario);
        let ends = (0..500).flat_map(|flow| {
            [Side::Sender, Side::Receiver].map(|side| addresses.mac_of_end(FlowId(flow), side))
        });
        let points = (0..500).map(|cell| mac(CellId::new(cell), NodeId::AP));
        let all: BTreeSet<Mac> = ends.chain(points).collect();
        assert_eq!(all.len(), 1_500);
    }
}
