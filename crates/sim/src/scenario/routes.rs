//! Routes of packets through the wired network.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};

use airfair_units::Duration;

use super::error::{Address, Mistakes, ScenarioError};
use super::{Endpoint, Heading, Link, Node, Scenario};

/// Index of a link in the scenario, and the direction in which a route takes it.
type Wire = (usize, Heading);

/// Links from one wired node to another, in order.
pub(crate) type Wires = Vec<Wire>;

/// Routes from one node to all others: fewest hops first, then least delay, then the link that comes first in the
/// file.
#[derive(Debug)]
pub(crate) struct Routes {
    /// Last hop of the route to each node.
    last_hop: BTreeMap<Node, Wire>,
    source: Node,
}

impl Routes {
    /// Routes from `source` over `links`.
    pub(crate) fn from(source: Node, links: &[Link]) -> Self {
        let mut incident: BTreeMap<Node, Vec<Wire>> = BTreeMap::new();
        for (index, link) in links.iter().enumerate() {
            for heading in [Heading::Forth, Heading::Back] {
                incident.entry(heading.start(link.ends)).or_default().push((index, heading));
            }
        }
        let mut best: BTreeMap<Node, (u32, Duration)> =
            BTreeMap::from([(source, Default::default())]);
        let mut last_hop = BTreeMap::new();
        let mut open = BinaryHeap::from([Reverse((0, Duration::ZERO, source))]);
        while let Some(Reverse((hops, delay, node))) = open.pop() {
            if best[&node] < (hops, delay) {
                continue;
            }
            for &(index, heading) in incident.get(&node).into_iter().flatten() {
                let link = &links[index];
                let next = heading.end(link.ends);
                // The defaults of a file are chosen before its delays are checked.
                let cost = (hops + 1, delay.saturating_add(link.delay));
                if best.get(&next).is_none_or(|known| cost < *known) {
                    best.insert(next, cost);
                    last_hop.insert(next, (index, heading));
                    open.push(Reverse((cost.0, cost.1, next)));
                }
            }
        }
        Self { last_hop, source }
    }

    /// Route to `target`, which is empty for the source; `None` if there is none.
    pub(crate) fn to(&self, target: Node, links: &[Link]) -> Option<Wires> {
        let (mut wires, mut node) = (Vec::new(), target);
        while node != self.source {
            let (link, heading) = *self.last_hop.get(&node)?;
            wires.push((link, heading));
            node = heading.start(links[link].ends);
        }
        wires.reverse();
        Some(wires)
    }
}

impl Scenario {
    /// Wired node at which the wired part of a flow's route begins or ends.
    pub(crate) fn wired_node(&self, end: Endpoint) -> Node {
        match end {
            Endpoint::Station(index) => Node::Cell(self.stations[index].cell),
            Endpoint::Host(index) => Node::Host(index),
        }
    }

    /// True if there is a route between two ends.
    pub fn is_reachable(&self, from: Endpoint, to: Endpoint) -> bool {
        let [from, to] = [from, to].map(|end| self.wired_node(end));
        Routes::from(from, &self.links).to(to, &self.links).is_some()
    }
}

/// Largest number of wired links on a route.
const MAX_HOPS: usize = 1_000;

/// Checks that there is a route between the ends of each flow. A `[flow.NAME]` section that stands for several flows is
/// reported once.
pub(super) fn check(scenario: &Scenario, addresses: &[Address], mistakes: &mut Mistakes) {
    let mut known: BTreeMap<Node, Routes> = BTreeMap::new();
    let mut told = BTreeSet::new();
    for (flow, address) in scenario.flows.iter().zip(addresses) {
        let (from, to) = (scenario.wired_node(flow.from), scenario.wired_node(flow.to));
        let routes = known.entry(from).or_insert_with(|| Routes::from(from, &scenario.links));
        let problem = match routes.to(to, &scenario.links) {
            None => "no route from one end to the other",
            Some(wires) if wires.len() > MAX_HOPS => {
                "the route from one end to the other is too long"
            }
            Some(_) => continue,
        };
        if told.insert(address.at) {
            let (path, found, problem) = (address.path.clone(), String::new(), problem.to_owned());
            let allowed = format!("links between them, at most {MAX_HOPS} on the route");
            mistakes.add(address.at, ScenarioError { path, found, problem, allowed });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Capacity, LinkQueue, Loss};
    use airfair_units::DataRate;

    fn link(ends: [usize; 2], delay_ms: u64) -> Link {
        Link {
            name: String::new(),
            ends: ends.map(Node::Router),
            rate: DataRate::from_mbps(1),
            delay: Duration::from_millis(delay_ms),
            queue: LinkQueue { capacity: Capacity::Packets(1), ..LinkQueue::default() },
            loss: [Loss::None; 2],
        }
    }

    fn way(links: &[Link], from: usize, to: usize) -> Option<Wires> {
        Routes::from(Node::Router(from), links).to(Node::Router(to), links)
    }

    #[test]
    fn fewer_hops_beat_less_delay_and_less_delay_beats_an_earlier_place() {
        // Links 0 ── 1 ── 2 ── 3, a slow short cut 0 ── 3, and two routes of two hops from 0 to 2.
        let links = [
            link([0, 1], 1),
            link([1, 2], 9),
            link([2, 3], 1),
            link([3, 0], 50),
            link([4, 0], 1),
            link([2, 4], 1),
        ];
        assert_eq!(way(&links, 0, 3), Some(vec![(3, Heading::Back)]));
        assert_eq!(way(&links, 0, 2), Some(vec![(4, Heading::Back), (5, Heading::Back)]));
        assert_eq!(way(&links, 2, 0), Some(vec![(5, Heading::Forth), (4, Heading::Forth)]));
        assert_eq!(way(&links, 1, 1), Some(vec![]));
    }

    #[test]
    fn of_two_equal_links_the_first_in_the_file_is_taken() {
        let links = [link([0, 1], 5), link([1, 0], 5)];
        assert_eq!(way(&links, 1, 0), Some(vec![(0, Heading::Back)]));
    }

    #[test]
    fn no_way_leads_to_an_island() {
        assert_eq!(way(&[link([0, 1], 1), link([2, 3], 1)], 0, 3), None);
    }
}
