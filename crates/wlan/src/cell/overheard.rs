//! Frames that a member overhears, as it knows them.

use std::ops::Range;

use airfair_units::{Bytes, Duration, Time};

use crate::elements::Elements;
use crate::frame::{Frame, FrameKind, Msdu};
use crate::node::NodeId;
use crate::phy::TxVector;

/// A frame as a listener knows it: its header, and its packets if the listener is their sender or receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Overheard<'c, P> {
    /// Member that has decoded or sent the frame.
    pub listener: NodeId,
    /// Back-off that the listener has counted before this frame while the packet waited, in whole slots. It is known
    /// only for the first frame of an exchange of the listener, and is zero if the medium was idle. Time with a busy
    /// medium does not count.  Deviates: [D-104]
    pub backoff: Option<Duration>,
    heard: &'c Heard,
    packets: &'c [Carried<P>],
}

/// A frame that has left the air and that listeners may fetch.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Heard {
    end: Time,
    frame: Frame,
    airtime: Duration,
    is_foreign: bool,
    /// Indices of the frame's packets among the packets of all stored frames.
    packets: Range<usize>,
    elements: Elements,
}

/// A packet in a stored data frame, or one that a stored `BlockAck` acknowledges.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Carried<P> {
    msdu: Msdu<P>,
    /// True if noise has made an error in the packet's MPDU.
    errored: bool,
}

impl<'c, P> Overheard<'c, P> {
    /// Time at which the frame left the air.
    #[inline]
    pub fn end(&self) -> Time {
        self.heard.end
    }

    /// True if the frame is of another cell. Its addresses are unknown, and so is all that it carries.  Deviates: [D-291]
    #[inline]
    pub fn is_foreign(&self) -> bool {
        self.heard.is_foreign
    }

    /// Kind of the frame. For members other than its sender, a CTS-to-self is a CTS.
    #[inline]
    pub fn kind(&self) -> FrameKind {
        match self.heard.frame.kind {
            FrameKind::CtsToSelf | FrameKind::CtsToOther if !self.is_own() => FrameKind::Cts,
            kind => kind,
        }
    }

    /// Transmitter of the frame; `None` for CTS and ACK, which do not contain it [80211-2020 §9.3.1.3], and for a frame
    /// of another cell.
    #[inline]
    pub fn from(&self) -> Option<NodeId> {
        let is_anonymous =
            self.is_foreign() || matches!(self.kind(), FrameKind::Ack | FrameKind::Cts);
        (!is_anonymous).then_some(self.heard.frame.from)
    }

    /// Address of the frame's receiver; `None` for a beacon, which is for all, and for a frame of another cell.
    #[inline]
    pub fn to(&self) -> Option<NodeId> {
        let Frame { kind, from, to, .. } = self.heard.frame;
        if kind == FrameKind::CtsToSelf { Some(from) } else { to }
    }

    /// Vector with which the frame was sent.
    #[inline]
    pub fn tx(&self) -> TxVector {
        self.heard.frame.tx
    }

    /// Time of the frame on the air.
    #[inline]
    pub fn duration(&self) -> Duration {
        self.heard.frame.duration
    }

    /// Airtime of the frame: its duration or, of a part of a PPDU of several users, the part's share of it by width or
    /// streams.
    #[inline]
    pub fn airtime(&self) -> Duration {
        self.heard.airtime
    }

    /// Duration field of the frame.
    #[inline]
    pub fn duration_field(&self) -> Duration {
        self.heard.frame.duration_field
    }

    /// Size of the PSDU of a data frame or a beacon, header and check sequence included; zero for other frames.
    #[inline]
    pub fn psdu(&self) -> Bytes {
        match self.heard.frame.kind {
            FrameKind::Data | FrameKind::Beacon => self.heard.frame.psdu,
            _ => Bytes::ZERO,
        }
    }

    /// Packets whose sender or receiver is the listener: in a data frame, those that it sends, or receives without an
    /// error; in a `BlockAck` to it, those of its aggregate that have arrived.
    #[inline]
    pub fn packets(&self) -> impl Iterator<Item = &'c Msdu<P>> + use<'c, P> {
        let is_own = self.is_own();
        let is_end = match self.heard.frame.kind {
            FrameKind::Data => is_own || self.is_receiver(),
            _ => self.is_receiver(),
        };
        let known = if is_end { self.packets } else { &[] };
        known.iter().filter(move |it| is_own || !it.errored).map(|it| &it.msdu)
    }

    /// True if the frame is addressed to the listener.
    #[inline]
    pub fn is_receiver(&self) -> bool {
        self.heard.frame.to == Some(self.listener)
    }

    /// Elements of the frame, if it is a beacon; empty otherwise.
    #[inline]
    pub fn elements(&self) -> &'c Elements {
        &self.heard.elements
    }

    #[inline]
    fn is_own(&self) -> bool {
        self.heard.frame.from == self.listener
    }
}

/// Frames that listeners have decoded or sent. Each frame is stored once, with its hearers.
#[derive(Clone, Debug)]
pub(super) struct HeardFrames<P> {
    frames: Vec<Heard>,
    packets: Vec<Carried<P>>,
    hearers: Vec<Hearer>,
    /// Frames that each member has asked for; empty if no member has.
    scopes: Vec<Option<Listen>>,
    /// Members that have asked for all frames.
    listeners: Vec<NodeId>,
    /// Other members that have asked for frames of other cells.
    neighbourly: Vec<NodeId>,
}

/// A listener that has decoded or sent a frame.
#[derive(Clone, Debug)]
struct Hearer {
    node: NodeId,
    /// Index of the frame among the stored frames.
    place: usize,
    backoff: Option<Duration>,
}

/// Frames that a listener asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listen {
    /// All frames that the member decodes or sends, those of other cells included.
    All,
    /// Frames that the member sends, and frames addressed to it and beacons of its cell that it decodes.
    Own,
    /// Frames of other cells that the member decodes, in addition to those of another scope.
    Neighbours,
}

impl<P> Default for HeardFrames<P> {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            packets: Vec::new(),
            hearers: Vec::new(),
            scopes: Vec::new(),
            listeners: Vec::new(),
            neighbourly: Vec::new(),
        }
    }
}

impl<P: Copy> HeardFrames<P> {
    /// Stores frames for `node` from now on, as far as `scope` includes them. Of the scopes for frames of the cell, the one
    /// named last holds.
    pub(super) fn listen(&mut self, node: NodeId, scope: Listen, members: usize) {
        self.scopes.resize(members, None);
        if scope == Listen::Neighbours {
            self.neighbourly.retain(|listener| *listener != node);
            return self.neighbourly.push(node);
        }
        let before = self.scopes[node.index()].replace(scope);
        if scope == Listen::All && before != Some(scope) {
            self.listeners.push(node);
        } else if scope == Listen::Own {
            self.listeners.retain(|listener| *listener != node);
        }
    }

    /// Stored frame with this index.
    #[inline]
    pub(super) fn get(&self, place: usize) -> Option<Overheard<'_, P>> {
        let Hearer { node: listener, place, backoff } = *self.hearers.get(place)?;
        let heard = &self.frames[place];
        let packets = &self.packets[heard.packets.clone()];
        Some(Overheard { listener, backoff, heard, packets })
    }

    #[inline]
    pub(super) fn is_empty(&self) -> bool {
        self.hearers.is_empty()
    }

    #[inline]
    pub(super) fn clear(&mut self) {
        self.frames.clear();
        self.packets.clear();
        self.hearers.clear();
    }

    /// Number of stored frames, one for each member that has heard it.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.hearers.len()
    }

    /// Number of stored packets: the index of the first packet of the next frame.
    #[inline]
    pub(super) fn packets(&self) -> usize {
        self.packets.len()
    }

    /// Stores a packet of the next frame.
    #[inline]
    pub(super) fn push_packet(&mut self, msdu: Msdu<P>, errored: bool) {
        self.packets.push(Carried { msdu, errored });
    }

    /// Stores a frame that ends at `end`, with its airtime and the packets stored from index `packets` on. `hears` decides
    /// which of the members that have asked for it have heard it, with the back-off before it.
    pub(super) fn push(
        &mut self,
        (end, airtime): (Time, Duration),
        (frame, elements): (Frame, Elements),
        packets: usize,
        hears: impl Fn(NodeId) -> Option<Option<Duration>>,
    ) {
        let place = self.frames.len();
        let packets = packets..self.packets.len();
        self.frames.push(Heard { end, frame, airtime, is_foreign: false, packets, elements });
        let Self { hearers, scopes, listeners, .. } = self;
        let mut pass_to = |node: NodeId| {
            if let Some(backoff) = hears(node) {
                hearers.push(Hearer { node, place, backoff });
            }
        };
        for node in listeners.iter() {
            pass_to(*node);
        }
        let is_for_own = |node: &NodeId| scopes[node.index()] == Some(Listen::Own);
        if frame.kind == FrameKind::Beacon {
            (0..).map(NodeId).take(scopes.len()).filter(is_for_own).for_each(pass_to);
        } else {
            let ends = [Some(frame.from), frame.addressee()].into_iter().flatten();
            ends.filter(is_for_own).for_each(pass_to);
        }
    }

    /// Stores a frame of another cell that ends at `end`, for the listeners that have decoded it, as `decodes` says.
    pub(super) fn push_foreign(
        &mut self,
        end: Time,
        frame: Frame,
        decodes: impl Fn(NodeId) -> bool,
    ) {
        let place = self.frames.len();
        let packets = self.packets.len()..self.packets.len();
        let is_other = |node: &&NodeId| !self.listeners.contains(node);
        let all = self.listeners.iter().chain(self.neighbourly.iter().filter(is_other));
        let hearer = |node: &NodeId| Hearer { node: *node, place, backoff: None };
        self.hearers.extend(all.filter(|node| decodes(**node)).map(hearer));
        let elements = Elements::default();
        let airtime = frame.duration;
        self.frames.push(Heard { end, frame, airtime, is_foreign: true, packets, elements });
    }
}
