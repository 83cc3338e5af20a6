//! Frames and packets, as laws in Python see them.

use std::sync::{Arc, Mutex};

use airfair_sim::coupling::Action;
use airfair_sim::packet::{self as sim, Body, Side};
use airfair_sim::record::Member;
use airfair_units::{Bytes, Duration, Time};
use airfair_wlan::{Class, FrameKind, Headers, NodeId, Overheard};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict};

use super::Names;
use super::node::{Scope, locked};
use crate::settings::{SettingError, narrow};
use crate::world::By;

/// Frame that a node has decoded or sent.
#[pyclass(frozen, module = "airfair._core", get_all)]
pub(crate) struct Frame {
    /// Kind: "data", "ack", "block-ack", "block-ack-request", "rts", "cts", "cts-to-self" or
    /// "beacon".
    kind: &'static str,
    /// Name of the transmitter; `None` for a CTS and an ACK, which do not contain it.
    sender: Option<String>,
    /// Name of the receiver; `None` for a beacon, which is for all.
    receiver: Option<String>,
    /// True if the frame is addressed to the node.
    to_me: bool,
    /// Rate of the frame [bit/s].
    rate_bps: u64,
    /// Time on the air [ns].
    duration_ns: u64,
    /// Duration field of the frame [ns].
    duration_field_ns: u64,
    /// Time at which the frame left the air [ns].
    end_ns: u64,
    /// Size of the PSDU of a data frame or a beacon [octets]; 0 for other frames.
    octets: u64,
    /// Back-off that the node has counted before the frame [ns]; `None` unless the frame is the
    /// first of an exchange of the node.
    backoff_ns: Option<u64>,
    /// Packets of the frame, if the node is its sender or receiver.
    packets: Vec<Py<Packet>>,
    /// Elements of a beacon: octets by element number.
    elements: Py<PyDict>,
}

impl Frame {
    pub(super) fn of(
        py: Python<'_>,
        frame: &Overheard<'_, sim::Packet>,
        at: Member,
        names: &Names,
    ) -> PyResult<Self> {
        let members = &names.members[at.cell.index()];
        let name = |node: NodeId| members[node.index()].clone();
        let packets = frame.packets().map(|msdu| Py::new(py, Packet::of(&msdu.payload, names)));
        let elements = PyDict::new(py);
        for (number, octets) in frame.elements().iter() {
            elements.set_item(number, PyBytes::new(py, octets))?;
        }
        Ok(Self {
            kind: word(frame.kind()),
            sender: frame.from().map(name),
            receiver: frame.to().map(name),
            to_me: frame.is_receiver(),
            rate_bps: frame.tx().rate().bps(),
            duration_ns: frame.duration().as_nanos(),
            duration_field_ns: frame.duration_field().as_nanos(),
            end_ns: frame.end().as_nanos(),
            octets: frame.psdu().get(),
            backoff_ns: frame.backoff.map(Duration::as_nanos),
            packets: packets.collect::<PyResult<_>>()?,
            elements: elements.unbind(),
        })
    }
}

#[pymethods]
impl Frame {
    fn __repr__(&self) -> String {
        let of = |name: &Option<String>| name.clone().unwrap_or_else(|| "?".to_owned());
        format!("<Frame {} from {} to {}>", self.kind, of(&self.sender), of(&self.receiver))
    }
}

fn word(kind: FrameKind) -> &'static str {
    match kind {
        FrameKind::Data => "data",
        FrameKind::Ack => "ack",
        FrameKind::BlockAck => "block-ack",
        FrameKind::BlockAckRequest => "block-ack-request",
        FrameKind::Rts => "rts",
        FrameKind::Cts => "cts",
        FrameKind::CtsToSelf => "cts-to-self",
        FrameKind::Beacon => "beacon",
    }
}

/// Packet of a flow. While an access point's law handles it, the law may change it.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Packet {
    flow: String,
    packet: sim::Packet,
    point: Option<&'static str>,
    scope: Option<Arc<Mutex<Scope>>>,
}

impl Packet {
    fn of(packet: &sim::Packet, names: &Names) -> Self {
        let flow = names.flows[packet.flow.index()].clone();
        Self { flow, packet: *packet, point: None, scope: None }
    }

    /// Packet that passes an access point at `point`.
    pub(super) fn passing(
        packet: &sim::Packet,
        names: &Names,
        point: &'static str,
        scope: &Arc<Mutex<Scope>>,
    ) -> Self {
        Self { point: Some(point), scope: Some(Arc::clone(scope)), ..Self::of(packet, names) }
    }

    fn act(&self, action: Action) -> PyResult<()> {
        let Some(scope) = &self.scope else {
            return Err(SettingError::new_err(
                "a packet in a frame cannot be changed; allowed in `packet`",
            ));
        };
        locked(scope).act_on_packet(action)
    }

    fn segment(&self) -> Option<&airfair_transport::tcp::Segment> {
        match &self.packet.body {
            Body::Segment(segment) => Some(segment),
            _ => None,
        }
    }
}

#[pymethods]
impl Packet {
    /// Name of the flow.
    #[getter]
    fn flow(&self) -> &str {
        &self.flow
    }

    /// End of the flow that has sent the packet: "sender" or "receiver".
    #[getter]
    fn origin(&self) -> &'static str {
        match self.packet.origin {
            Side::Sender => "sender",
            Side::Receiver => "receiver",
        }
    }

    /// Point at which an access point sees the packet: "from-station", "to-queue" or "delivered";
    /// `None` for a packet of a frame.
    #[getter]
    fn point(&self) -> Option<&'static str> {
        self.point
    }

    /// Size of the IP packet [octets].
    #[getter]
    fn octets(&self) -> u64 {
        self.packet.size().get()
    }

    /// Application data in the packet [octets].
    #[getter]
    fn payload(&self) -> u64 {
        match &self.packet.body {
            Body::Segment(segment) => segment.payload.into(),
            Body::Datagram(datagram) => datagram.payload.into(),
            Body::TfrcData(data) => data.payload.into(),
            Body::TfrcFeedback(_) => 0,
            Body::External(external) => external.tcp.map_or(0, |tcp| tcp.payload.into()),
        }
    }

    /// True for a pure ACK of TCP, which carries no data and neither opens nor closes a connection.
    #[getter]
    fn is_ack(&self) -> bool {
        matches!(self.packet.class(), Class::PureAck { .. })
    }

    /// True for a TCP segment with the FIN bit.
    #[getter]
    fn is_fin(&self) -> bool {
        let fin = airfair_transport::tcp::Flags::FIN;
        self.segment().is_some_and(|segment| segment.flags.has(fin))
    }

    /// True for a TCP segment with the SYN bit.
    #[getter]
    fn is_syn(&self) -> bool {
        let syn = airfair_transport::tcp::Flags::SYN;
        self.segment().is_some_and(|segment| segment.flags.has(syn))
    }

    /// True for a TCP segment.
    #[getter]
    fn is_tcp(&self) -> bool {
        self.segment().is_some()
    }

    /// Receive window that a TCP segment advertises [octets]; `None` for other packets.
    #[getter]
    fn window(&self) -> Option<u64> {
        self.segment().map(|segment| segment.window)
    }

    /// Drops the packet.
    fn drop(&self) -> PyResult<()> {
        self.act(Action::DropPacket)
    }

    /// Delays the packet by a duration, such as "5 ms" or a number of seconds.
    fn delay(&self, by: By) -> PyResult<()> {
        let by = by.duration()?;
        let now = self.scope.as_ref().map_or(Time::ZERO, |scope| locked(scope).now());
        self.act(Action::DelayPacket(now + by))
    }

    /// Lowers the receive window that the packet advertises to at most `octets`.
    fn lower_window(&self, octets: i64) -> PyResult<()> {
        let window: u64 = narrow(octets, "0 and more octets")?;
        self.act(Action::RewriteWindow(Bytes::new(window)))
    }

    fn __repr__(&self) -> String {
        format!("<Packet of {:?} from its {}, {} octets>", self.flow, self.origin(), self.octets())
    }
}
