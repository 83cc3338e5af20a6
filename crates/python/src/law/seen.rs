//! Frames and packets, as laws in Python see them.

use std::sync::{Arc, Mutex};

use airfair_sim::coupling::{Action, View};
use airfair_sim::packet::{self as sim, Body, TcpFlags as Flags};
use airfair_units::{Bytes, DataRate, Duration, Time};
use airfair_wlan::{Class, Elements, FrameKind, Headers, NodeId, Overheard};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString};

use super::flow_end::side_word;
use super::names::Names;
use super::scope::{Scope, later, locked};
use crate::duration::By;
use crate::settings::{SettingError, narrow};

/// Frame that a node has decoded or sent.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Frame {
    kind: FrameKind,
    sender: Option<Py<PyString>>,
    receiver: Option<Py<PyString>>,
    to_me: bool,
    is_foreign: bool,
    rate: DataRate,
    duration: Duration,
    duration_field: Duration,
    end: Time,
    psdu: Bytes,
    backoff: Option<Duration>,
    /// Duration of the RTS that a CTS answers.
    request: Option<Duration>,
    /// Packets with the sizes of their MSDUs.
    packets: Vec<(sim::Packet, Bytes)>,
    elements: Elements,
    names: Arc<Names>,
}

impl Frame {
    pub(super) fn of(
        py: Python<'_>,
        frame: &Overheard<'_, sim::Packet>,
        view: &View<'_>,
        names: &Arc<Names>,
    ) -> Self {
        let members = &names.members[view.member().cell.index()];
        let name = |node: NodeId| members[node.index()].clone_ref(py);
        Self {
            kind: frame.kind(),
            sender: frame.from().map(name),
            receiver: frame.to().map(name),
            to_me: frame.is_receiver(),
            is_foreign: frame.is_foreign(),
            rate: frame.tx().rate(),
            duration: frame.duration(),
            duration_field: frame.duration_field(),
            end: frame.end(),
            psdu: frame.psdu(),
            backoff: frame.backoff,
            request: (frame.kind() == FrameKind::Cts).then(|| view.airtime().rts(frame.tx())),
            packets: frame.packets().map(|msdu| (msdu.payload, msdu.size)).collect(),
            elements: *frame.elements(),
            names: Arc::clone(names),
        }
    }
}

#[pymethods]
impl Frame {
    /// Kind: "data", "ack", "block-ack", "block-ack-request", "rts", "cts", "cts-to-self", "beacon",
    /// "trigger", "trigger-based" for a buffer report, or "multi-station-block-ack".
    #[getter]
    fn kind<'py>(&self, py: Python<'py>) -> &'py Bound<'py, PyString> {
        word(py, self.kind)
    }

    /// Name of the transmitter; `None` for a CTS and an ACK, which do not contain it, and for a
    /// frame of another cell.
    #[getter]
    fn sender(&self, py: Python<'_>) -> Option<Py<PyString>> {
        self.sender.as_ref().map(|name| name.clone_ref(py))
    }

    /// Name of the receiver; `None` for a beacon or a trigger, which are for several nodes, and
    /// for a frame of another cell.
    #[getter]
    fn receiver(&self, py: Python<'_>) -> Option<Py<PyString>> {
        self.receiver.as_ref().map(|name| name.clone_ref(py))
    }

    /// True if the frame is addressed to the node.
    #[getter]
    fn to_me(&self) -> bool {
        self.to_me
    }

    /// True if the frame is of another cell on the channel.
    #[getter]
    fn is_foreign(&self) -> bool {
        self.is_foreign
    }

    /// Rate of the frame [bit/s].
    #[getter]
    fn rate_bps(&self) -> u64 {
        self.rate.bps()
    }

    /// Time on the air [ns].
    #[getter]
    fn duration_ns(&self) -> u64 {
        self.duration.as_nanos()
    }

    /// Duration field of the frame [ns].
    #[getter]
    fn duration_field_ns(&self) -> u64 {
        self.duration_field.as_nanos()
    }

    /// Time at which the frame left the air [ns].
    #[getter]
    fn end_ns(&self) -> u64 {
        self.end.as_nanos()
    }

    /// Size of the PSDU of a data frame or a beacon [octets]; 0 for other frames.
    #[getter]
    fn octets(&self) -> u64 {
        self.psdu.get()
    }

    /// Back-off that the node has counted before the frame [ns]; `None` unless the frame is the
    /// first of an exchange of the node.
    #[getter]
    fn backoff_ns(&self) -> Option<u64> {
        self.backoff.map(Duration::as_nanos)
    }

    /// Duration of the RTS that a CTS answers, at the rate of the CTS [ns]; `None` for other
    /// frames.
    #[getter]
    fn request_ns(&self) -> Option<u64> {
        self.request.map(Duration::as_nanos)
    }

    /// Packets of the frame, if the node is its sender or receiver; of a block-ack to the node,
    /// the packets that it acknowledges.
    #[getter]
    fn packets(&self) -> Vec<Packet> {
        let packet = |(packet, msdu): &(sim::Packet, Bytes)| Packet {
            msdu: Some(*msdu),
            ..Packet::of(packet, &self.names)
        };
        self.packets.iter().map(packet).collect()
    }

    /// Elements of a beacon: octets by element number.
    #[getter]
    fn elements<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let elements = PyDict::new(py);
        for (number, octets) in self.elements.iter() {
            elements.set_item(number, PyBytes::new(py, octets))?;
        }
        Ok(elements)
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let of = |name: &Option<Py<PyString>>| {
            name.as_ref().map_or_else(|| "?".to_owned(), |name| name.bind(py).to_string())
        };
        format!("<Frame {} from {} to {}>", self.kind(py), of(&self.sender), of(&self.receiver))
    }
}

/// Word for a kind, made once.
fn word(py: Python<'_>, kind: FrameKind) -> &Bound<'_, PyString> {
    match kind {
        FrameKind::Data => intern!(py, "data"),
        FrameKind::Ack => intern!(py, "ack"),
        FrameKind::BlockAck => intern!(py, "block-ack"),
        FrameKind::BlockAckRequest => intern!(py, "block-ack-request"),
        FrameKind::Rts => intern!(py, "rts"),
        FrameKind::Cts => intern!(py, "cts"),
        FrameKind::CtsToSelf => intern!(py, "cts-to-self"),
        FrameKind::CtsToOther => intern!(py, "cts-to-other"),
        FrameKind::CfEnd => intern!(py, "cf-end"),
        FrameKind::Beacon => intern!(py, "beacon"),
        FrameKind::MultiUser => intern!(py, "multi-user"),
        FrameKind::Trigger => intern!(py, "trigger"),
        FrameKind::TriggerBased => intern!(py, "trigger-based"),
        FrameKind::MultiBlockAck => intern!(py, "multi-station-block-ack"),
        FrameKind::NdpAnnouncement => intern!(py, "ndp-announcement"),
        FrameKind::Ndp => intern!(py, "ndp"),
        FrameKind::BeamformingReport => intern!(py, "beamforming-report"),
    }
}

/// Packet of a flow. While an access point's law handles it, the law may change it.
#[pyclass(frozen, module = "airfair._core")]
pub(crate) struct Packet {
    names: Arc<Names>,
    inner: sim::Packet,
    /// Size of the MSDU with the packet, if a frame carries it.
    msdu: Option<Bytes>,
    /// Point at which an access point sees the packet, and the packet's station.
    at: Option<(&'static str, Py<PyString>)>,
    /// Scope and number of the call in which the packet passes an access point.
    passing: Option<(Arc<Mutex<Scope>>, u64)>,
}

impl Packet {
    fn of(packet: &sim::Packet, names: &Arc<Names>) -> Self {
        Self { names: Arc::clone(names), inner: *packet, msdu: None, at: None, passing: None }
    }

    /// Packet that an access point forwards, as its law sees it `at` a point, "from-station",
    /// "to-queue" or "delivered", and with its station.
    pub(super) fn passing(
        packet: &sim::Packet,
        names: &Arc<Names>,
        at: (&'static str, Py<PyString>),
        scope: &Arc<Mutex<Scope>>,
    ) -> Self {
        let passing = Some((Arc::clone(scope), locked(scope).call()));
        Self { at: Some(at), passing, ..Self::of(packet, names) }
    }

    fn act(&self, action: Action) -> PyResult<()> {
        let Some((scope, call)) = &self.passing else {
            return Err(SettingError::new_err(
                "a packet in a frame cannot be changed; allowed in `packet`",
            ));
        };
        locked(scope).act_on_packet(*call, action)
    }

    /// Control bits of a TCP segment; `None` for other packets.
    fn flags(&self) -> Option<Flags> {
        match &self.inner.body {
            Body::Segment(segment) => Some(segment.flags),
            Body::External(external) => external.tcp.map(|tcp| tcp.flags),
            _ => None,
        }
    }
}

#[pymethods]
impl Packet {
    /// Name of the flow.
    #[getter]
    fn flow(&self, py: Python<'_>) -> Py<PyString> {
        self.names.flows[self.inner.flow.index()].clone_ref(py)
    }

    /// End of the flow that has sent the packet: "sender" or "receiver".
    #[getter]
    fn origin(&self) -> &'static str {
        side_word(self.inner.origin)
    }

    /// Point at which an access point sees the packet: "from-station", "to-queue" or "delivered";
    /// `None` for a packet of a frame.
    #[getter]
    fn point(&self) -> Option<&'static str> {
        self.at.as_ref().map(|(point, _)| *point)
    }

    /// Name of the station that has sent the packet to the access point, or to which it goes;
    /// `None` for a packet of a frame.
    #[getter]
    fn station(&self, py: Python<'_>) -> Option<Py<PyString>> {
        self.at.as_ref().map(|(_, station)| station.clone_ref(py))
    }

    /// Size of the IP packet [octets].
    #[getter]
    fn octets(&self) -> u64 {
        self.inner.size().get()
    }

    /// Size of the MSDU with the packet, LLC/SNAP included [octets]; `None` unless in a frame.
    #[getter]
    fn msdu_octets(&self) -> Option<u64> {
        self.msdu.map(Bytes::get)
    }

    /// Application data in the packet [octets].
    #[getter]
    fn payload(&self) -> u64 {
        match &self.inner.body {
            Body::Segment(segment) => segment.payload.into(),
            Body::Datagram(datagram) => datagram.payload.into(),
            Body::TfrcData(data) => data.payload.into(),
            Body::QuicData(data) => data.payload.into(),
            Body::QuicAck(_) | Body::QuicHandshake(_) | Body::TfrcFeedback(_) | Body::Report(_) => {
                0
            }
            Body::External(external) => external.tcp.map_or(0, |tcp| tcp.payload.into()),
        }
    }

    /// True for a pure ACK of TCP, which carries no data and neither opens nor closes a connection.
    #[getter]
    fn is_ack(&self) -> bool {
        matches!(self.inner.class(), Class::PureAck { .. })
    }

    /// True for a TCP segment with the FIN bit.
    #[getter]
    fn is_fin(&self) -> bool {
        self.flags().is_some_and(|flags| flags.has(Flags::FIN))
    }

    /// True for a TCP segment with the SYN bit.
    #[getter]
    fn is_syn(&self) -> bool {
        self.flags().is_some_and(|flags| flags.has(Flags::SYN))
    }

    /// True for a TCP segment.
    #[getter]
    fn is_tcp(&self) -> bool {
        self.flags().is_some()
    }

    /// Receive window that a TCP segment advertises [octets]; `None` for other packets, and in an
    /// emulation for connections whose SYN has not crossed the cell.
    #[getter]
    fn window(&self) -> Option<u64> {
        match &self.inner.body {
            Body::Segment(segment) => Some(segment.window),
            Body::External(external) => {
                let tcp = external.tcp?;
                let advertised = u64::from(tcp.window?);
                Some(tcp.limit.map_or(advertised, |limit| advertised.min(limit.get())))
            }
            _ => None,
        }
    }

    /// Drops the packet.
    fn drop(&self) -> PyResult<()> {
        self.act(Action::DropPacket)
    }

    /// Delays the packet by a duration, such as "5 ms" or a number of seconds.
    fn delay(&self, by: By) -> PyResult<()> {
        let by = by.duration()?;
        let now = self.passing.as_ref().map_or(Time::ZERO, |(scope, _)| locked(scope).now());
        self.act(Action::DelayPacket(later(now, by)))
    }

    /// Lowers the receive window that the packet advertises to at most `octets`.
    fn lower_window(&self, octets: i64) -> PyResult<()> {
        let window: u64 = narrow(octets, "0 and more octets")?;
        self.act(Action::RewriteWindow(Bytes::new(window)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let flow = self.flow(py);
        let (flow, origin, octets) = (flow.bind(py), self.origin(), self.octets());
        format!("<Packet of {flow} from its {origin}, {octets} octets>")
    }
}
