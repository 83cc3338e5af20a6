//! The cell as one machine: members, medium, and the order of what happens on the air.

mod account;
mod beacons;
mod channel;
mod exchange;
mod noise;
mod overhear;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use airfair_units::{DataRate, Duration, Time};

use crate::airtime::Airtime;
use crate::config::{AfterCollision, CellConfig, NodeId, StationConfig};
use crate::contention::Contention;
use crate::errors::ErrorModel;
use crate::frame::{Frame, FrameKind, Msdu, Transmission};
use crate::hearing::{Hearing, Reach};
use crate::link_rate::{LinkRate, RateLaw};
use crate::node::{Access, Limits, Node, Stream};
use crate::queue::config::Weights;
use crate::queue::headers::Headers;
use crate::radio::Space;
use crate::record::{DropCause, Record};

use beacons::Beacons;
use channel::Channel;
use noise::Noise;
pub use overhear::{Listen, Overheard};

/// Order of what happens at one instant.
///
/// What leaves the air is known before time-outs are judged, and all that starts, starts together:
/// so two members whose back-off ends in the same slot both transmit, and collide.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Phase {
    /// Ends of transmissions, arrivals of packets.
    End,
    /// Time-outs, starts of flows, changes of settings.
    Timeout,
    /// Starts of transmissions.
    Start,
}

/// A frame that follows another after a SIFS.
#[derive(Clone, Copy, Debug)]
struct Pending {
    at: Time,
    frame: Frame,
}

/// A member that waits in vain for a response.
#[derive(Clone, Copy, Debug)]
struct Unanswered {
    at: Time,
    node: NodeId,
    kind: FrameKind,
}

/// A packet that has left its transmitter's queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Departure<P> {
    /// The packet.
    pub msdu: Msdu<P>,
    /// Whether it was given up without having reached its receiver.
    pub lost: bool,
}

/// A law has changed the rate of data frames from (`up`) or to a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateChange {
    /// The station.
    pub station: NodeId,
    /// Whether of its own frames, or of those to it.
    pub up: bool,
    /// Rate from now on.
    pub rate: DataRate,
}

/// One 802.11 cell: an access point, its stations and their channel. `P` travels with each packet.
#[derive(Debug)]
pub struct Cell<P> {
    airtime: Airtime,
    response_timeout: Duration,
    after_collision: AfterCollision,
    post_backoff: bool,
    contention: Contention,
    beacons: Beacons,
    /// What comes next, kept since the world asks more often than it changes.
    next: Option<(Time, Phase)>,
    channel: Channel,
    nodes: Vec<Node<P>>,
    noise: Noise,
    pending: Vec<Pending>,
    unanswered: Vec<Unanswered>,
    winners: Vec<NodeId>,
    ended: Vec<Transmission>,
    deliveries: VecDeque<Msdu<P>>,
    departures: VecDeque<Departure<P>>,
    rate_changes: VecDeque<RateChange>,
    /// Whether any rate follows a law.
    adapts: bool,
    /// Whether the access point's queue is told what time stations use; when it wants to be asked again.
    shares_time: bool,
    release: Option<Time>,
    /// What each member is told of what it overhears, if anyone is told anything, who is told all of it, and
    /// what they have not been told yet.
    scopes: Vec<Option<Listen>>,
    listeners: Vec<NodeId>,
    overheard: VecDeque<Overheard<P>>,
}

impl<P: Copy + Headers> Cell<P> {
    /// A silent cell. `streams` are the members' back-off generators, the access point's first;
    /// `error_streams` those of the stations' links.
    ///
    /// # Panics
    /// If there is not one stream per member, and one per link, or an AIFSN is zero.
    pub fn new(config: &CellConfig, streams: Vec<Stream>, error_streams: Vec<Stream>) -> Self {
        Self::on(config, streams, Noise::links(config, error_streams), Hearing::fixed(config))
    }

    /// A silent cell in a `space`, whose powers decide who hears whom and which frames are spoilt until
    /// `end`. A frame costs time that grows with the members where not all decode each other all along.
    ///
    /// # Panics
    /// If there is not one stream per member, or an AIFSN is zero.
    pub fn within(space: Space, end: Time, config: &CellConfig, streams: Vec<Stream>) -> Self {
        let hearing =
            if space.all_decode(end) { Hearing::fixed } else { Hearing::changing }(config);
        let capture = space.capture();
        let mut cell = Self::on(config, streams, Noise::Space(Box::new(space)), hearing);
        if let Some(margin) = capture {
            cell.contention.set_capture(margin);
        }
        cell
    }

    /// A silent cell whose members may be hidden from each other, now or later: see
    /// [`set_reach`](Self::set_reach). A frame costs time that grows with the members.
    ///
    /// # Panics
    /// As [`new`](Self::new) does.
    pub fn with_relation(
        config: &CellConfig,
        streams: Vec<Stream>,
        error_streams: Vec<Stream>,
    ) -> Self {
        Self::on(config, streams, Noise::links(config, error_streams), Hearing::changing(config))
    }

    fn on(config: &CellConfig, streams: Vec<Stream>, noise: Noise, hearing: Hearing) -> Self {
        assert_eq!(streams.len(), config.stations.len() + 1, "one stream per member");
        let airtime = Airtime::new(config);
        let highest = *config.rules.standard.rates().last().expect("every standard has rates");
        let fixed = LinkRate::fixed(highest);
        let ap = (config.ap_queue, &config.ap_access, (fixed.clone(), fixed));
        let rates = |s: &StationConfig| {
            let link = |rate, law: Option<RateLaw>| match law {
                // What a frame that is lost costs, the back-off before it included.
                Some(law @ RateLaw::Oracle) => {
                    let backoff = airtime.mean_backoff();
                    LinkRate::adapted(law, s.standard, |rate| backoff + airtime.exchange(rate))
                }
                Some(law) => LinkRate::adapted(law, s.standard, |rate| airtime.exchange(rate)),
                None => LinkRate::fixed(rate),
            };
            let [up, down] = s.adaptation;
            (link(s.rate_up, up), link(s.rate_down, down))
        };
        let stations = config.stations.iter().map(|s| (s.queue, &s.access, rates(s)));
        let nodes = std::iter::once(ap)
            .chain(stations)
            .zip(streams)
            .map(|((queue, access, rates), stream)| {
                let limits = Limits::new(access, &airtime.timing, config.rules.attempts);
                Node::new(queue, limits, rates, stream)
            })
            .collect();
        Self {
            response_timeout: airtime.response_timeout(),
            after_collision: config.rules.after_collision,
            post_backoff: config.rules.post_backoff,
            contention: Contention::new(config, &airtime.timing, hearing),
            beacons: Beacons::default(),
            next: None,
            channel: Channel::default(),
            airtime,
            nodes,
            noise,
            pending: Vec::new(),
            unanswered: Vec::new(),
            winners: Vec::new(),
            ended: Vec::new(),
            deliveries: VecDeque::new(),
            departures: VecDeque::new(),
            rate_changes: VecDeque::new(),
            adapts: config.stations.iter().any(|s| s.adaptation.iter().any(Option::is_some)),
            shares_time: config.ap_queue.discipline.shares_time(),
            release: None,
            scopes: Vec::new(),
            listeners: Vec::new(),
            overheard: VecDeque::new(),
        }
    }

    /// Queues a packet at its transmitter. A full queue refuses it, and the record says so.
    pub fn enqueue(&mut self, now: Time, msdu: Msdu<P>) -> bool {
        let id = msdu.from;
        let is_let_in = self.nodes[id.index()].queue.push(now, msdu);
        self.take_dropped(id);
        if !is_let_in {
            self.record_drop(id, DropCause::QueueFull);
            return false;
        }
        self.record_queue(id);
        self.seek_access(now, id);
        if self.shares_time {
            self.plan_release();
            self.plan_next(now);
        }
        true
    }

    /// A resting member that has something to send, contends.
    fn seek_access(&mut self, now: Time, id: NodeId) {
        if self.nodes[id.index()].access == Access::Idle && !self.nodes[id.index()].queue.is_empty()
        {
            self.channel.begin_waiting(now);
            let left = self.contention.try_access(id, now);
            self.nodes[id.index()].backoff = left.unwrap_or(0);
            if left.is_none() {
                self.back_off(now, id);
            }
            self.nodes[id.index()].access = Access::Contending;
            self.plan_next(now);
        }
    }

    /// True if the queue of `from` has room for one more packet of data to `to` without another giving way.
    pub fn has_room(&self, from: NodeId, to: NodeId) -> bool {
        self.nodes[from.index()].queue.has_room_for(to)
    }

    /// Sets the rate of data frames from (`up`) or to a station, from its next attempt on.
    pub fn set_rate(&mut self, station: NodeId, up: bool, rate: DataRate) {
        self.link_rate(station, up).set(rate);
    }

    /// Sets which frames between a station and the access point are spoilt, from those on the air on. A link that had
    /// no errors before draws from `stream`.
    ///
    /// # Panics
    /// If the cell is [`within`](Self::within) a space, where powers decide.
    pub fn set_errors(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        self.noise.set_model(station, model, stream);
    }

    /// Sets the weights of data and ACKs in the queue of `node`, from the next packet on.
    pub fn set_weights(&mut self, node: NodeId, weights: Weights) {
        self.nodes[node.index()].queue.set_weights(weights);
    }

    /// When the cell next needs [`handle_event`](Self::handle_event), and in which phase.
    pub fn next_event(&self) -> Option<(Time, Phase)> {
        self.next
    }

    /// Looks what comes next.
    #[inline]
    fn plan_next(&mut self, now: Time) {
        self.next = self.find_next();
        if self.beacons.waiting.is_some() {
            self.await_beacon(now);
        }
    }

    fn find_next(&mut self) -> Option<(Time, Phase)> {
        let mut timeout = self.unanswered.iter().map(|u| u.at).min();
        if let Some(release) = self.release {
            timeout = Some(timeout.map_or(release, |timeout| timeout.min(release)));
        }
        let response = self.pending.iter().map(|p| p.at).min();
        let mut next = self.channel.next_end().map(|at| (at, Phase::End));
        let later = [
            (timeout, Phase::Timeout),
            (response, Phase::Start),
            (self.contention.next_access(), Phase::Start),
        ];
        for (at, phase) in later {
            // What comes first at an instant stands first here.
            if let Some(at) = at
                && next.is_none_or(|(next, _)| at < next)
            {
                next = Some((at, phase));
            }
        }
        next
    }

    /// Lets happen what [`next_event`](Self::next_event) announced. A spurious call is a no-op.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        match phase {
            Phase::End => self.end_transmissions(now),
            Phase::Timeout => {
                self.time_out(now);
                if self.release.is_some_and(|release| release <= now) {
                    self.release(now);
                }
            }
            Phase::Start => self.start_transmissions(now),
        }
        self.plan_next(now);
    }

    /// What frames of `from` that start from now on are to `listener`; those on the air keep the reach
    /// that they started with. An 802.11b receiver senses OFDM frames at most.
    ///
    /// # Panics
    /// If who hears whom is given for good: unless the cell was made by [`with_relation`](Self::with_relation), or
    /// [`within`](Self::within) a space that some may leave.
    pub fn set_reach(&mut self, listener: NodeId, from: NodeId, reach: Reach) {
        self.contention.set_reach(listener, from, reach);
    }

    /// A packet that has reached the receiver of this hop.
    pub fn poll_delivery(&mut self) -> Option<Msdu<P>> {
        self.deliveries.pop_front()
    }

    /// A packet that is no longer queued.
    pub fn poll_departure(&mut self) -> Option<Departure<P>> {
        self.departures.pop_front()
    }

    /// A rate that a law has changed.
    pub fn poll_rate_change(&mut self) -> Option<RateChange> {
        self.rate_changes.pop_front()
    }

    /// Something that happened.
    pub fn poll_record(&mut self) -> Option<Record> {
        self.channel.records.pop_front()
    }

    /// Packets in transmit queues that have not yet reached the receiver of their hop.
    pub fn undelivered(&self) -> impl Iterator<Item = &Msdu<P>> {
        self.nodes.iter().flat_map(|node| {
            let in_service = node.queue.in_service().filter(|_| !node.has_arrived);
            in_service.into_iter().chain(node.queue.waiting())
        })
    }

    /// Accounts for the air up to `now`, at the end of a run.
    pub fn flush(&mut self, now: Time) {
        self.channel.charge(now);
    }

    fn start_transmissions(&mut self, now: Time) {
        let mut winners = std::mem::take(&mut self.winners);
        // Winners first: a response that starts now would freeze them.
        self.contention.take_winners(now, &mut winners);
        let yields = self.beacons.due == Some(now) && self.start_beacon(now, &mut winners);
        while let Some(due) = self.pending.iter().position(|pending| pending.at == now) {
            let frame = self.pending.swap_remove(due).frame;
            self.transmit(now, frame);
        }
        for node in winners.drain(..) {
            let frame = self.begin_exchange(now, node);
            self.transmit(now, frame);
        }
        self.winners = winners;
        self.contention.begin_busy(now);
        self.meet(now);
        while let Some(id) = self.contention.pop_forestalled() {
            self.back_off(now, id);
        }
        if yields {
            self.back_off(now, NodeId::AP);
        }
    }

    fn transmit(&mut self, now: Time, frame: Frame) {
        if let Noise::Space(space) = &mut self.noise
            && self.contention.can_change()
        {
            self.contention.set_row(&frame, space.reach(now, frame.from, frame.rate));
            if space.capture().is_some() {
                self.contention.set_powers(frame.from, space.powers(now, frame.from));
            }
        }
        self.contention.announce(&frame);
        self.channel.put(now, frame);
    }

    /// Frames have started: those that overlap where their receiver is collide. Whoever
    /// misses the start of its response waits for nothing but its time-out.
    fn meet(&mut self, now: Time) {
        let contention = &self.contention;
        if contention.is_undisturbed() {
            return;
        }
        self.channel.collide(|frame| contention.overlapped(frame));
        for transmission in self.channel.started(now) {
            let Frame { kind, to: Some(node), .. } = transmission.frame else { continue };
            if !contention.misses(&transmission.frame) {
                continue;
            }
            transmission.missed = true;
            if let Access::Exchange(plan) = self.nodes[node.index()].access {
                let at = plan.own_end + self.response_timeout;
                self.unanswered.push(Unanswered { at, node, kind: kind.answers() });
            }
        }
    }

    /// A member that has found the medium busy draws a back-off and contends.
    fn back_off(&mut self, now: Time, id: NodeId) {
        let node = &mut self.nodes[id.index()];
        let backoff = node.draw_backoff();
        node.backoff += u64::from(backoff);
        self.contention.draw(id, now, backoff);
        self.contention.contend(id);
    }

    fn end_transmissions(&mut self, now: Time) {
        let mut ended = std::mem::take(&mut self.ended);
        self.channel.take_ended(now, &mut ended);
        for transmission in &mut ended {
            self.channel.record_sent(transmission);
            transmission.spoilt = self.spoil(now, transmission);
            if !self.scopes.is_empty() {
                self.overhear(now, transmission);
            }
        }
        // Responses are decided before the NAV of the frame they answer is set.
        for transmission in &ended {
            self.receive(now, transmission);
        }
        let next = self.pending.first().map(|pending| pending.frame.duration);
        self.contention.end_busy(now, &ended, &self.beacons.missed, next);
        self.fail_collided(now);
        ended.clear();
        self.ended = ended;
    }

    fn record_queue(&mut self, node: NodeId) {
        let length = self.nodes[node.index()].queue.len();
        self.channel.records.push_back(Record::Queue { node, length });
    }

    fn record_drop(&mut self, node: NodeId, cause: DropCause) {
        self.channel.records.push_back(Record::Dropped { node, cause });
    }

    /// Packets that the queue of `id` has dropped in favour of others.
    fn take_dropped(&mut self, id: NodeId) {
        while let Some((msdu, cause)) = self.nodes[id.index()].queue.poll_dropped() {
            self.record_drop(id, cause);
            self.departures.push_back(Departure { msdu, lost: true });
        }
    }
}
