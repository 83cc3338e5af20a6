//! Counters for viewers of a running emulation. They are sums since its start; a viewer takes
//! differences.

use airfair_sim::packet::FlowId;
use airfair_sim::record::{CellId, FlowRecord, Record, SentAt};
use airfair_sim::recorder::Recorder;
use airfair_sim::world::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{AirUse, NodeId, SentFrame};

use crate::plan::Plan;

/// Counters of one member of a cell: an access point or a station.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Number of data frames that the member has sent, retries included.
    pub frames: u64,
    /// Number of retries among the data frames that the member has sent.
    pub retries: u64,
    /// Packets refused or dropped by the transmit queue, or given up after the last retry.
    pub drops: u64,
    /// Number of packets in the member's transmit queue now.
    pub queue: u32,
    /// Airtime of data frames that the member has sent.
    pub airtime_up: Duration,
    /// Airtime of data frames sent to the member.
    pub airtime_down: Duration,
    /// Airtime of the control frames in the member's exchanges, in both directions.
    pub airtime_control: Duration,
    /// Rates of the member's link, up and down; `None` until a rate is set by a request or chosen
    /// by rate control.
    pub rates: [Option<DataRate>; 2],
}

impl Member {
    /// Airtime of all frames in the member's exchanges, as results count it.
    pub fn airtime(&self) -> Duration {
        self.airtime_up + self.airtime_down + self.airtime_control
    }
}

/// Time of a cell's channel outside the exchanges of its stations. The rest is idle.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ChannelUse {
    /// Time in which frames overlapped, or were alone after they had collided.
    pub collision: Duration,
    /// Airtime of beacons and soundings.
    pub beacon: Duration,
    /// Time of back-off, interframe spaces and time-outs: nothing was on the air, but a member had a
    /// frame to send.
    pub contention: Duration,
    /// Airtime of other cells that the access point sensed, overlaps with frames of this cell
    /// included.
    pub neighbour: Duration,
}

/// Payload that simulated flows have delivered from and to a node.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Simulated {
    /// Octets delivered by simulated flows from the node.
    pub sent_bytes: u64,
    /// Octets delivered by simulated flows to the node.
    pub received_bytes: u64,
}

/// Counters of one simulated flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SimulatedFlow {
    /// Octets of payload that the flow has delivered.
    pub delivered_bytes: u64,
    /// Number of packets of the flow's sender that have reached the receiver.
    pub received_packets: u64,
    /// Sum of the delays of these packets, from the sender to the receiver.
    pub delay: Duration,
}

/// Counters of the members of each cell, access point first, of each node, and of each flow of the scenario.
#[derive(Clone, Debug, Default)]
pub(crate) struct Live {
    pub(crate) cells: Vec<Vec<Member>>,
    pub(crate) channels: Vec<ChannelUse>,
    pub(crate) nodes: Vec<Simulated>,
    pub(crate) of_flows: Vec<SimulatedFlow>,
    /// Indices of the sending and the receiving node of each flow; `None` if the kernel carries the
    /// flow.
    flows: Vec<Option<(usize, usize)>>,
}

impl Live {
    pub(crate) fn new(stations: impl Iterator<Item = usize>, plan: &Plan) -> Self {
        let cells: Vec<_> = stations.map(|count| vec![Member::default(); count + 1]).collect();
        Self {
            channels: vec![ChannelUse::default(); cells.len()],
            cells,
            nodes: vec![Simulated::default(); plan.nodes.len()],
            of_flows: vec![SimulatedFlow::default(); plan.own_flows],
            flows: plan.simulated_flows().collect(),
        }
    }

    fn deliver(&mut self, flow: FlowId, size: Bytes) {
        if let Some(&Some((from, to))) = self.flows.get(flow.index()) {
            self.nodes[from].sent_bytes += size.get();
            self.nodes[to].received_bytes += size.get();
            self.of_flows[flow.index()].delivered_bytes += size.get();
        }
    }

    fn receive(&mut self, flow: FlowId, delay: Duration) {
        if let Some(Some(_)) = self.flows.get(flow.index()) {
            let counted = &mut self.of_flows[flow.index()];
            counted.received_packets += 1;
            counted.delay += delay;
        }
    }

    fn member(&mut self, cell: CellId, node: NodeId) -> &mut Member {
        &mut self.cells[cell.index()][node.index()]
    }
}

impl Recorder for Live {
    fn record(&mut self, now: Time, record: &Record) {
        use airfair_wlan::Record as Cell;
        let (cell, record) = match record {
            Record::Cell(cell, record) => (cell, record),
            Record::Flow(flow, FlowRecord::Delivered(size)) => return self.deliver(*flow, *size),
            Record::Flow(flow, FlowRecord::Received(SentAt(at))) => {
                return self.receive(*flow, now - *at);
            }
            _ => return,
        };
        match *record {
            Cell::Sent { node, frame: SentFrame::Data, retry, .. } => {
                let member = self.member(*cell, node);
                member.frames += 1;
                member.retries += u64::from(retry);
            }
            Cell::Air { from, to, usage: AirUse::Data { station, direction } } => {
                let member = self.member(*cell, station);
                let air = match direction {
                    Direction::Up => &mut member.airtime_up,
                    Direction::Down => &mut member.airtime_down,
                };
                *air += to - from;
            }
            Cell::Air { from, to, usage: AirUse::Control { station } } => {
                self.member(*cell, station).airtime_control += to - from;
            }
            Cell::Air { from, to, usage } => {
                let channel = &mut self.channels[cell.index()];
                let time = match usage {
                    AirUse::Collision => &mut channel.collision,
                    AirUse::Beacon => &mut channel.beacon,
                    AirUse::Contention => &mut channel.contention,
                    AirUse::Neighbour { .. } | AirUse::Overlap => &mut channel.neighbour,
                    AirUse::Idle | AirUse::Data { .. } | AirUse::Control { .. } => return,
                };
                *time += to - from;
            }
            Cell::Queue { node, length } => self.member(*cell, node).queue = length,
            Cell::Dropped { node, .. } => self.member(*cell, node).drops += 1,
            Cell::Rate { station, direction, rate } => {
                self.member(*cell, station).rates[direction as usize] = Some(rate);
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use airfair_sim::run::{Control, run_with};
    use airfair_sim::scenario::{Bss, Endpoint, Flow, Node, Scenario, Tcp, Transport};
    use airfair_wlan::phy::Standard;

    use super::*;

    const CELL: &str = "duration = \"1 s\"\n[bss.c]\nstandard = \"802.11g\"\nrts_threshold = \"700 B\"\n\
        errors = { model = \"bernoulli\", probability = 0.1 }\n\
        [station.slow]\nrate = \"6 Mb/s\"\n[station.fast]\n[station.old]\nstandard = \"802.11b\"\n[host.h]\n\
        [flow.up]\nfrom = \"slow\"\nto = \"h\"\ntransport = { kind = \"tcp\" }\n\
        [flow.down]\nfrom = \"h\"\nto = \"fast\"\ntransport = { kind = \"tcp\" }\n\
        [flow.over]\nfrom = \"old\"\nto = \"fast\"\ntransport = { kind = \"tcp\" }\n";

    /// The airtime that a viewer sees is that of the results: RTS, CTS, CTS-to-self and ACK count
    /// like data.
    #[test]
    fn a_viewer_sees_the_air_that_results_have() {
        let scenario = Scenario::parse(CELL, &[]).expect("a scenario without mistakes");
        let plan = Plan::new(scenario.clone()).expect("few nodes");
        let mut live = Live::new([3].into_iter(), &plan);
        let outcome = run_with(&scenario, 1, 0, &mut live, &Control::default());
        let outcome = outcome.expect("nobody cancels");
        for (station, member) in outcome.stations.iter().zip(&live.cells[0][1..]) {
            let control = station.airtime_control;
            assert!(control > Duration::from_millis(10), "{station:?}");
            assert_eq!(
                [member.airtime_up, member.airtime_down, member.airtime_control],
                [station.airtime_data_up, station.airtime_data_down, control]
            );
            assert_eq!(member.airtime(), member.airtime_up + member.airtime_down + control);
            assert_eq!(member.frames, station.radio.frames);
        }
        let cell = &outcome.channels[0];
        let ChannelUse { collision, beacon, contention, neighbour } = live.channels[0];
        assert!(contention > Duration::from_millis(10), "{contention:?}");
        assert_eq!(
            [collision, beacon, contention, neighbour],
            [cell.collision, cell.beacon, cell.contention, Duration::ZERO]
        );
    }

    /// Payload of simulated flows counts at the nodes of both ends, and that of other flows at
    /// none. Flow 0, a download, is carried by the kernel, so its packets are counted elsewhere. Of
    /// flow 1, a simulated upload, 500 octets have arrived. Flow 2 carries packets of real
    /// programs; the flows for these have the numbers after the two flows of the scenario.
    #[test]
    fn payload_of_simulated_flows_is_counted_at_both_ends() {
        let mut scenario = Scenario::lasting(Duration::from_secs(1));
        let home = scenario.add_cell(Bss::new("home", Standard::G));
        let station = Endpoint::Station(scenario.add_station("laptop", home));
        let server = Endpoint::Host(scenario.add_host("server", Node::Cell(home)));
        let tcp = Tcp { is_kernels: true, ..Tcp::default() };
        let download = Flow::new("down", server, station);
        scenario.add_flow(Flow { transport: Transport::Tcp(tcp), ..download });
        scenario.add_flow(Flow::new("up", station, server));
        let plan = Plan::new(scenario).expect("few nodes");
        let mut live = Live::new([1].into_iter(), &plan);
        for (flow, octets) in [(0, 7_000), (1, 300), (1, 200), (2, 90)] {
            let delivered = FlowRecord::Delivered(Bytes::new(octets));
            live.record(Time::ZERO, &Record::Flow(FlowId::new(flow), delivered));
        }
        let now = Time::from_nanos(9_000);
        for (flow, at) in [(0, 1_000), (1, 2_000), (1, 5_000), (2, 0)] {
            let received = FlowRecord::Received(SentAt(Time::from_nanos(at)));
            live.record(now, &Record::Flow(FlowId::new(flow), received));
        }
        // The packets of flow 1 took 7 and 4 µs.
        let delay = Duration::from_micros(11);
        let counted = SimulatedFlow { delivered_bytes: 500, received_packets: 2, delay };
        assert_eq!(live.of_flows, [SimulatedFlow::default(), counted]);
        let sent = Simulated { sent_bytes: 500, received_bytes: 0 };
        let received = Simulated { sent_bytes: 0, received_bytes: 500 };
        assert_eq!(live.nodes, [sent, received]);
    }
}
