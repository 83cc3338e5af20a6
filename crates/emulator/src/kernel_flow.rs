//! Flows of the scenario that run over kernel sockets, each on a port of its own.

use airfair_sim::packet::FlowId;
use airfair_sim::scenario::{Endpoint, Scenario, Tcp, TcpTransfer, Tfrc, TfrcTraffic, Transport};
use airfair_units::Time;

use crate::headers;

/// Port of the first flow over kernel sockets. The next flows have the ports after it.
const FIRST_PORT: u16 = 40_000;

/// Flow of the scenario that runs over kernel sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct KernelFlow {
    pub(crate) flow: FlowId,
    /// Index of the node that sends the flow's data.
    pub(crate) from: usize,
    /// Index of the node that receives the flow's data.
    pub(crate) to: usize,
    pub(crate) port: u16,
    pub(crate) carrier: Carrier,
    /// Differentiated services code point of the flow's packets.
    pub(crate) dscp: Option<u8>,
    pub(crate) start: Time,
    pub(crate) stop: Option<Time>,
}

/// Implementation that sends a flow's packets over kernel sockets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Carrier {
    /// TCP of the kernel; `size` in octets, `None` for an endless transfer. With `ecn` the SYN asks for explicit
    /// congestion notification.
    Tcp { congestion_control: &'static str, ecn: bool, size: Option<u64> },
    /// Program `airfair tfrc`, with the profile of both ends and further options of the sender.
    Tfrc { profile: &'static str, sending: Vec<String> },
}

impl Carrier {
    fn of(transport: &Transport) -> Option<Self> {
        match transport {
            Transport::Tcp(tcp @ Tcp { is_kernels: true, .. }) => {
                let congestion_control = match tcp.flavour_word() {
                    "cubic" => "cubic",
                    "bbr1" => "bbr",
                    "dctcp" => "dctcp",
                    "vegas" => "vegas",
                    "westwood" | "westwood+" => "westwood",
                    _ => "reno",
                };
                let size = match tcp.sender.transfer {
                    TcpTransfer::Endless => None,
                    TcpTransfer::Bytes(size) => Some(size.get()),
                };
                // The kernel's DCTCP asks for it by itself, in its own way.
                let ecn = tcp.sender.ecn && congestion_control != "dctcp";
                Some(Self::Tcp { congestion_control, ecn, size })
            }
            Transport::Tfrc(tfrc @ Tfrc { is_kernels: true, .. }) => {
                let mut sending = vec!["--segment".to_owned(), tfrc.segment.to_string()];
                if let TfrcTraffic::Constant(rate) = tfrc.traffic {
                    sending.extend(["--rate".to_owned(), rate.to_string()]);
                }
                Some(Self::Tfrc { profile: tfrc.profile_word(), sending })
            }
            _ => None,
        }
    }

    /// IP protocol number of the flow's packets.
    pub(crate) fn protocol(&self) -> u8 {
        match self {
            Self::Tcp { .. } => headers::TCP,
            Self::Tfrc { .. } => headers::UDP,
        }
    }
}

/// Index among the nodes of one end of a flow. Stations precede hosts.
pub(crate) fn place(scenario: &Scenario, end: Endpoint) -> usize {
    match end {
        Endpoint::Station(at) => at,
        Endpoint::Host(at) => scenario.stations.len() + at,
    }
}

/// Flows of a scenario that run over kernel sockets.
pub(crate) fn kernel_flows(scenario: &Scenario) -> Vec<KernelFlow> {
    let place = |end| place(scenario, end);
    let mut found = Vec::new();
    for index in 0..scenario.flows.len() {
        let flow = &scenario.flows[index];
        let Some(carrier) = Carrier::of(&flow.transport) else { continue };
        let (from, to, start, stop) = (place(flow.from), place(flow.to), flow.start, flow.stop);
        let dscp = flow.dscp;
        let number = u16::try_from(found.len()).expect("fewer flows than ports");
        let (flow, port) = (FlowId::new(index), FIRST_PORT + number);
        found.push(KernelFlow { flow, from, to, port, carrier, dscp, start, stop });
    }
    found
}
