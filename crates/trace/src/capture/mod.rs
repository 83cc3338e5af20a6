//! A capture of the frames of a run, as Wireshark and tshark read it: pcapng with radiotap headers.
//!
//! Each cell has a monitor, which has every frame, lost ones too. Each member has an interface of its own, which has what it
//! sent and what it received. A packet bears the time at which it left the air.

mod addresses;
mod blocks;
mod mac;
mod packets;
mod radiotap;

use std::io::Write;

use airfair_sim::packet::{self, Side};
use airfair_sim::record::{CellId, Member, Record, Recorder};
use airfair_sim::scenario::Scenario;
use airfair_sim::trace::{Monitored, Trace};
use airfair_units::Time;
use airfair_wlan::phy::Band;
use airfair_wlan::{FrameKind, NodeId};

use crate::outlet::{Outlet, Written};
use crate::selection::{Selection, members, monitor};
use addresses::{Addresses, Mac};
use blocks::Heading;
use mac::{FCS, LLC_SNAP_IPV4, Way};
use packets::Packets;
use radiotap::Channel;

/// A cell as its capture shows it.
#[derive(Debug)]
struct Cell {
    /// Number of the monitor's interface; those of the members follow.
    first: u32,
    channel: Channel,
    /// True if a packet has LLC and SNAP headers on the air.
    has_llc: bool,
    /// Beacons so far, which number the next.
    beacons: u16,
}

/// Writer of a capture.
#[derive(Debug)]
pub struct Capture<W> {
    scenario: Scenario,
    selection: Selection,
    cells: Vec<Cell>,
    addresses: Addresses,
    packets: Packets,
    outlet: Outlet<W>,
}

/// A frame as it is kept: octets, and how many there were on the air.
struct Image {
    octets: Vec<u8>,
    length: u32,
}

/// A frame as one interface has it.
#[derive(Clone, Copy)]
struct View {
    interface: u32,
    heading: Heading,
    spoilt: Option<&'static str>,
}

impl<W: Write> Capture<W> {
    /// A capture of what `selection` says of a run of `scenario`; `comment` says which.
    pub fn new(scenario: &Scenario, selection: Selection, comment: &str, to: W) -> Self {
        let mut outlet = Outlet::new(to);
        outlet.put(&blocks::section(comment));
        let mut first = 0;
        let mut cells = Vec::new();
        for (cell, bss) in scenario.cells.iter().enumerate() {
            let about = format!("all frames of cell {}", bss.name);
            outlet.put(&blocks::interface(&monitor(scenario, cell), &about, None));
            let mut count = 1;
            for (node, name) in members(scenario, cell) {
                let kind = if node.is_ap() { "access point" } else { "station" };
                let about = format!("{kind} {name} of cell {}", bss.name);
                let address = addresses::mac(CellId::new(cell), node);
                outlet.put(&blocks::interface(name, &about, Some(address)));
                count += 1;
            }
            let channel = Channel::of(cell, bss.rules.channel.band == Band::Ghz5);
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
            outlet,
        }
    }

    /// Ends the capture.
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
            let spoilt = spoilt(heard);
            let image = self.image(id, heard, number, spoilt.is_some());
            self.put(heard.ppdu.end, &image, View { spoilt, ..self.view(id, None) });
        }
        let ends = std::iter::once((frame.from, Heading::Outbound));
        let receivers = heard.receivers.iter().map(|node| (*node, Heading::Inbound));
        let traced = |node| self.selection.has(Member { cell: id, node });
        let views = ends.chain(receivers).filter(|(node, _)| traced(*node));
        let view = |(node, heading)| View { heading, ..self.view(id, Some(node)) };
        let views: Vec<View> = views.map(view).collect();
        if !views.is_empty() {
            let image = self.image(id, heard, number, false);
            for view in views {
                self.put(heard.ppdu.end, &image, view);
            }
        }
    }

    /// A frame at a member of a cell, or at its monitor.
    fn view(&self, id: CellId, node: Option<NodeId>) -> View {
        let interface = self.cells[id.index()].first + node.map_or(0, |node| 1 + u32::from(node.0));
        View { interface, heading: Heading::Beside, spoilt: None }
    }

    fn put(&mut self, at: Time, image: &Image, view: View) {
        let View { interface, heading, spoilt } = view;
        let (octets, length) = (&image.octets[..], image.length);
        let at = at.as_nanos();
        let packet = blocks::Packet { interface, at, octets, length, heading, spoilt };
        self.outlet.put_item(&blocks::packet(&packet));
    }

    /// The frame from its radiotap header on.
    fn image(
        &self,
        id: CellId,
        heard: &Monitored<packet::Packet>,
        number: u16,
        is_spoilt: bool,
    ) -> Image {
        let Cell { channel, has_llc, .. } = self.cells[id.index()];
        let (ppdu, frame) = (&heard.ppdu, &heard.ppdu.frame);
        let mut octets = radiotap::header(ppdu, channel, heard.signal, is_spoilt);
        let header = octets.len();
        let address = |node| addresses::mac(id, node);
        let from = address(frame.from);
        let mut length;
        match (frame.kind, frame.to) {
            (FrameKind::Data, Some(to)) => {
                let mpdu = &ppdu.mpdus[0];
                let way = self.way(&mpdu.msdu.payload, from, address(to), to.is_ap());
                // The delimiter of an S-MPDU is no part of the frame.
                length = usize::try_from(mpdu.size(frame.tx).get()).expect("a frame is short");
                octets.extend(mac::data(frame, way, mpdu.sequence, mpdu.retry));
                octets.extend(LLC_SNAP_IPV4);
                octets.extend(self.packets.headers(&mpdu.msdu.payload, &self.addresses));
                // Nobody could decode the packet without; they are no part of the air then.
                length += if has_llc { 0 } else { LLC_SNAP_IPV4.len() };
            }
            (FrameKind::Beacon, _) => {
                let micros = ppdu.start.as_nanos() / 1_000;
                let bss = &self.scenario.cells[id.index()];
                let body = mac::beacon(frame, from, bss, (&heard.elements, micros, number));
                octets.extend(body);
                length = octets.len() - header + FCS;
            }
            (_, to) => {
                let to = to.map_or([0; 6], address);
                octets.extend(mac::control(frame, from, to));
                length = octets.len() - header + FCS;
            }
        }
        if octets.len() - header + FCS == length {
            let mut check = mac::check_sequence(&octets[header..]);
            if is_spoilt {
                check = check.map(|octet| !octet);
            }
            octets.extend(check);
        }
        let length = u32::try_from(header + length).expect("a frame is short");
        Image { octets, length }
    }

    fn way(&self, packet: &packet::Packet, transmitter: Mac, receiver: Mac, is_up: bool) -> Way {
        let other = if packet.origin == Side::Sender { Side::Receiver } else { Side::Sender };
        let end = |side| self.addresses.mac_of_end(packet.flow, side);
        let (source, destination) = (end(packet.origin), end(other));
        Way { transmitter, receiver, source, destination, is_up }
    }
}

/// Reason why nobody whom a frame is for has its octets, if so.
fn spoilt(heard: &Monitored<packet::Packet>) -> Option<&'static str> {
    if heard.ppdu.collided {
        Some("collided")
    } else if heard.ppdu.errored && heard.receivers.is_empty() {
        Some("errored by noise")
    } else {
        None
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
