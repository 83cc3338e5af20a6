//! Capture of a run's frames for Wireshark and tshark: pcapng with radiotap headers.
//!
//! Each cell has a monitor interface with every frame, including lost ones. Each access point and station has
//! its own interface with the frames that it sent and received. A packet's timestamp is the end of its PPDU.
//! Each MPDU of an aggregate is a packet, as with a real monitor: all of them have the timestamp of the PPDU
//! and the same reference number. Each part of a multi-user PPDU has its own number.

mod addresses;
mod blocks;
mod mac;
mod multi_user;
mod packets;
mod radiotap;
mod sounding;

use std::io::Write;

use airfair_sim::packet::{self, Body, External, Side};
use airfair_sim::record::{CellId, Member, Record};
use airfair_sim::recorder::Recorder;
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::{FrameOutcome, Monitored, Trace};
use airfair_units::Time;
use airfair_wlan::{FrameKind, Mpdu, NodeId};

use crate::outlet::{Outlet, Written};
use crate::selection::{Selection, members, monitor};
use addresses::{Addresses, Mac};
use blocks::PacketDirection;
use mac::{DataAddresses, FCS, LLC_SNAP_IPV4};
use packets::Packets;
use radiotap::{Channel, Subframe};

/// Address of all members.
const BROADCAST: Mac = [0xff; 6];
/// Size of the delimiter before each MPDU of an A-MPDU.  [80211-2020 §9.7.1]
const DELIMITER: usize = 4;

/// Capture settings of one cell.
#[derive(Debug)]
struct Cell {
    /// Number of the interface of the cell's monitor. The interfaces of the access point and the stations
    /// follow.
    first: u32,
    channel: Channel,
    /// True if packets have LLC and SNAP headers on the air.
    has_llc: bool,
    /// Number of the cell's beacons so far, which is the sequence number of the next beacon.
    beacons: u16,
}

/// Function that appends the first octets of a packet from outside, beginning with its IP header, and returns its
/// `EtherType`. It returns `None` if it no longer has the packet.
pub type Contents = Box<dyn Fn(&External, &mut Vec<u8>) -> Option<u16> + Send + Sync>;

/// Recorder that writes the frames of a run as a capture in pcapng.
pub struct Capture<W> {
    scenario: Scenario,
    selection: Selection,
    cells: Vec<Cell>,
    addresses: Addresses,
    packets: Packets,
    /// Number of A-MPDUs written so far. An A-MPDU at several interfaces counts for each of them.
    aggregates: u32,
    /// Octets of packets from outside; `None` if nobody knows them.
    contents: Option<Contents>,
    outlet: Outlet<W>,
}

/// One frame of a PPDU: an MPDU of an A-MPDU, or the only MPDU.
#[derive(Clone, Copy)]
struct FramePart<'h> {
    heard: &'h Monitored<packet::Packet>,
    mpdu: Option<&'h Mpdu<packet::Packet>>,
    subframe: Option<Subframe>,
    /// Sequence number of the frame if the frame is a beacon; place of the segment if it is a report of a sounding.
    number: u16,
}

/// Stored octets of a captured frame, and its length on the air.
struct Image {
    octets: Vec<u8>,
    length: u32,
}

/// Interface at which a frame is captured, the frame's direction there, and the reason for a wrong check
/// sequence.
#[derive(Clone, Copy)]
struct InterfaceView {
    interface: u32,
    direction: PacketDirection,
    bad_fcs: Option<&'static str>,
}

impl<W: Write> Capture<W> {
    /// Creates a capture of the part `selection` of a run of `scenario`. `comment` describes the run in the
    /// file.
    pub fn new(scenario: &Scenario, selection: Selection, comment: &str, to: W) -> Self {
        let mut outlet = Outlet::new(to);
        outlet.put(&blocks::section(comment));
        let mut first = 0;
        let mut cells = Vec::new();
        for (cell, bss) in scenario.cells.iter().enumerate() {
            let on = bss.channel.map_or_else(String::new, |it| format!(" on channel {it}"));
            let about = format!("all frames of cell {}{on}", bss.name);
            outlet.put(&blocks::interface(&monitor(scenario, cell), &about, None));
            let mut count = 1;
            for (node, name) in members(scenario, cell) {
                let kind = if node.is_ap() { "access point" } else { "station" };
                let about = format!("{kind} {name} of cell {}", bss.name);
                let address = addresses::mac(CellId::new(cell), node);
                outlet.put(&blocks::interface(name, &about, Some(address)));
                count += 1;
            }
            let channel = Channel::of(cell, bss);
            cells.push(Cell { first, channel, has_llc: bss.llc_snap, beacons: 0 });
            first += count;
        }
        outlet.put(&blocks::names(addresses::names(scenario)));
        Self {
            scenario: scenario.clone(),
            selection,
            cells,
            addresses: Addresses::of(scenario),
            packets: Packets::of(scenario),
            aggregates: 0,
            contents: None,
            outlet,
        }
    }

    /// Adds the octets of packets from outside, which otherwise have headers without content.
    #[must_use]
    pub fn with_contents(self, contents: Contents) -> Self {
        Self { contents: Some(contents), ..self }
    }

    /// Ends the capture and flushes the file.
    pub fn finish(self) -> Written<W> {
        self.outlet.finish()
    }

    fn keep(&mut self, id: CellId, heard: &Monitored<packet::Packet>) {
        let frame = &heard.ppdu.frame;
        let number = self.cells[id.index()].beacons;
        if frame.kind == FrameKind::Beacon {
            self.cells[id.index()].beacons = (number + 1) % 4_096;
        }
        if self.outlet.is_closed() || !self.selection.contains(heard.ppdu.end) {
            return;
        }
        if self.selection.has_monitor(id) {
            self.put_parts(id, heard, number, self.view(id, None));
        }
        let ends = std::iter::once((frame.from, PacketDirection::Outbound));
        let receivers = heard.receivers.iter().map(|node| (*node, PacketDirection::Inbound));
        let traced = |node| self.selection.has(Member { cell: id, node });
        let views = ends.chain(receivers).filter(|(node, _)| traced(*node));
        let view = |(node, direction)| InterfaceView { direction, ..self.view(id, Some(node)) };
        let views: Vec<InterfaceView> = views.map(view).collect();
        for view in views {
            self.put_parts(id, heard, number, view);
        }
    }

    /// Writes the frames of a PPDU that an interface has sent, received or observed.
    fn put_parts(
        &mut self,
        id: CellId,
        heard: &Monitored<packet::Packet>,
        number: u16,
        view: InterfaceView,
    ) {
        let ppdu = &heard.ppdu;
        // An MU-BAR is the last frame of its part.
        let triggers = usize::from(heard.part.is_some_and(|it| it.asks.is_some()));
        let streams = self.scenario.cells[id.index()].rules.channel.streams;
        let report = sounding::Report::of(&ppdu.frame, streams);
        let segments = report.map_or(0, |report| report.segments().count());
        let count = ppdu.mpdus.len() + triggers + segments;
        // Only an A-MPDU has delimiters, even with a single MPDU.
        let is_aggregate = heard.part.is_some()
            || ppdu.mpdus.iter().any(|mpdu| ppdu.frame.psdu > mpdu.size(ppdu.frame.tx));
        self.aggregates = self.aggregates.wrapping_add(u32::from(is_aggregate));
        let subframe = |place| Subframe {
            reference: self.aggregates,
            is_last: place + 1 >= count,
            is_alone: count <= 1,
        };
        let part = |place| {
            let mpdu = ppdu.mpdus.get(place);
            let number = if segments > 0 { u16::try_from(place).unwrap_or(0) } else { number };
            FramePart { heard, mpdu, subframe: is_aggregate.then(|| subframe(place)), number }
        };
        let parts: Vec<FramePart<'_>> = (0..count.max(1)).map(part).collect();
        for part in parts {
            let bad_fcs = bad_fcs(part);
            match view.direction {
                PacketDirection::Observed => self.put(id, part, InterfaceView { bad_fcs, ..view }),
                PacketDirection::Inbound if part.mpdu.is_some() && bad_fcs.is_some() => {}
                PacketDirection::Inbound | PacketDirection::Outbound => self.put(id, part, view),
            }
        }
    }

    /// View of the frames at the interface of the member `node` of a cell, or of the cell's monitor if `node`
    /// is `None`.
    fn view(&self, id: CellId, node: Option<NodeId>) -> InterfaceView {
        let interface = self.cells[id.index()].first + node.map_or(0, |node| 1 + u32::from(node.0));
        InterfaceView { interface, direction: PacketDirection::Observed, bad_fcs: None }
    }

    fn put(&mut self, id: CellId, part: FramePart<'_>, view: InterfaceView) {
        let InterfaceView { interface, direction, bad_fcs } = view;
        let Image { octets, length } = self.image(id, part, bad_fcs.is_some());
        let (at, octets) = (part.heard.ppdu.end.as_nanos(), &octets[..]);
        let packet = blocks::Packet { interface, at, octets, length, direction, bad_fcs };
        self.outlet.put_item(&blocks::packet(&packet));
    }

    /// Octets and length of a frame in the capture, beginning with the radiotap header.
    fn image(&self, id: CellId, part: FramePart<'_>, has_bad_fcs: bool) -> Image {
        let FramePart { heard, mpdu, subframe, number } = part;
        let Cell { channel, has_llc, .. } = self.cells[id.index()];
        let (ppdu, frame) = (&heard.ppdu, &heard.ppdu.frame);
        let how = (subframe, has_bad_fcs);
        let mut octets = radiotap::header(heard, channel, how);
        let header = octets.len();
        let address = |node| addresses::mac(id, node);
        let from = address(frame.from);
        let mut length;
        match (mpdu, frame.to) {
            (Some(mpdu), Some(to)) => {
                let way = self.way(&mpdu.msdu.payload, from, address(to), to.is_ap());
                // The delimiter of an S-MPDU is not a part of the frame.
                length = usize::try_from(mpdu.size(frame.tx).get()).expect("a frame is short");
                let backlog = heard.part.and_then(|part| part.backlog);
                octets.extend(mac::data(frame, mpdu, way, (heard.category, backlog)));
                let added = if has_llc { 0 } else { LLC_SNAP_IPV4.len() };
                if mpdu.amsdu.is_some() {
                    let packet = usize::try_from(mpdu.msdu.size.get()).expect("a packet is short");
                    let octets_of_first = u16::try_from(packet + added).unwrap_or(u16::MAX);
                    octets.extend(mac::amsdu_subframe(way, octets_of_first));
                }
                self.put_packet(&mut octets, &mpdu.msdu.payload);
                // A packet cannot be dissected without LLC and SNAP headers, so they are added if they are
                // not on the air.
                length += added;
            }
            _ if frame.kind == FrameKind::Beacon => {
                let micros = ppdu.start.as_nanos() / 1_000;
                let bss = &self.scenario.cells[id.index()];
                let body = mac::beacon(frame, from, bss, (&heard.elements, micros, number));
                octets.extend(body);
                length = octets.len() - header + FCS;
            }
            // An NDP has no frame.
            _ if frame.kind == FrameKind::Ndp => {
                let length = u32::try_from(header).expect("a short header");
                return Image { octets, length };
            }
            _ if frame.kind == FrameKind::BeamformingReport => {
                let streams = self.scenario.cells[id.index()].rules.channel.streams;
                let report = sounding::Report::of(frame, streams);
                let segment = report.map(|it| it.frame(frame, (from, address(NodeId::AP)), number));
                octets.extend(segment.unwrap_or_default());
                length = octets.len() - header + FCS;
            }
            _ => {
                octets.extend(self.control(id, heard));
                length = octets.len() - header + FCS;
            }
        }
        if octets.len() - header + FCS == length {
            let mut check = mac::check_sequence(&octets[header..]);
            if has_bad_fcs {
                check = check.map(|octet| !octet);
            }
            octets.extend(check);
        }
        let length = u32::try_from(header + length).expect("a frame is short");
        Image { octets, length }
    }

    /// Appends LLC and SNAP headers with the first octets of a packet.
    fn put_packet(&self, octets: &mut Vec<u8>, packet: &packet::Packet) {
        let at = octets.len();
        octets.extend(LLC_SNAP_IPV4);
        if let (Body::External(outside), Some(contents)) = (&packet.body, &self.contents)
            && let Some(kind) = contents(outside, octets)
        {
            octets[at + 6..at + 8].copy_from_slice(&kind.to_be_bytes());
            return;
        }
        octets.truncate(at + LLC_SNAP_IPV4.len());
        octets.extend(self.packets.headers(packet, &self.addresses));
    }

    /// Octets of a control frame, or of a frame without content, without its check sequence.
    fn control(&self, id: CellId, heard: &Monitored<packet::Packet>) -> Vec<u8> {
        let (ppdu, frame) = (&heard.ppdu, &heard.ppdu.frame);
        let address = |node| addresses::mac(id, node);
        let only_user = || multi_user::only_user(ppdu);
        // An announcement to a single station, too, begins the sequence with a trigger.
        let is_for_all = frame.kind == FrameKind::NdpAnnouncement;
        let to = frame.to.or_else(only_user).filter(|_| !is_for_all).map_or(BROADCAST, address);
        let from = address(frame.from);
        let part = heard.part;
        if frame.kind == FrameKind::TriggerBased {
            let report = (heard.category, part.and_then(|part| part.backlog));
            return mac::null(frame, (from, to), report);
        }
        let delimiter = if part.is_some() { DELIMITER } else { 0 };
        let size = usize::try_from(frame.psdu.get()).expect("a frame is short") - delimiter;
        let numbers = (heard.category, ppdu.block_ack(), size);
        let mut octets = mac::control(frame, from, to, numbers);
        match (frame.kind, multi_user::request(heard)) {
            (FrameKind::Trigger | FrameKind::Data, Some((trigger, asked))) => {
                let band = self.scenario.cells[id.index()].rules.channel.band;
                multi_user::put_trigger(&mut octets, (trigger, band), &asked);
            }
            (FrameKind::NdpAnnouncement, _) => {
                let channel = self.scenario.cells[id.index()].rules.channel;
                sounding::put_announcement(&mut octets, ppdu.users(), channel);
            }
            (FrameKind::MultiBlockAck, _) => multi_user::put_block_acks(&mut octets, ppdu),
            _ => {}
        }
        octets
    }

    fn way(
        &self,
        packet: &packet::Packet,
        transmitter: Mac,
        receiver: Mac,
        is_up: bool,
    ) -> DataAddresses {
        let other = if packet.origin == Side::Sender { Side::Receiver } else { Side::Sender };
        let end = |side| self.addresses.mac_of_end(packet.flow, side);
        let (source, destination) = (end(packet.origin), end(other));
        DataAddresses { transmitter, receiver, source, destination, is_up }
    }
}

/// Reason why the frame check sequence is wrong at a monitor, if it is. A frame that its receiver missed is
/// intact at the monitor.
fn bad_fcs(part: FramePart<'_>) -> Option<&'static str> {
    let heard = part.heard;
    match part.mpdu.map_or_else(|| heard.outcome(), |mpdu| heard.outcome_of(mpdu)) {
        FrameOutcome::Collided => Some("collided"),
        FrameOutcome::Errored => Some("errored by noise"),
        FrameOutcome::Received | FrameOutcome::Missed => None,
    }
}

impl<W: Write> Recorder for Capture<W> {
    const TRACES: bool = true;

    fn record(&mut self, _now: Time, _record: &Record) {}

    fn trace(&mut self, _now: Time, trace: Trace<'_>) {
        if let Trace::Frame(cell, heard) = trace {
            self.keep(cell, heard);
        }
    }
}
