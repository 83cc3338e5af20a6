//! The medium alone, for MACs that run elsewhere: channel access, airtime, and reception.
//!
//! A [`Cell`](crate::Cell) chooses rates, retries and queues by its own rules. Here each frame comes with a *retry
//! chain*. The medium contends for the channel by the same rules of the DCF ([`crate::contention`]), lets frames
//! collide, take their time and be errored, answers them, and reports the attempt at which a frame was acknowledged.
//! Any member may send to any other. A member sends its frames one after the other.
//!
//! ```text
//!            enqueue                  Received, once for each attempt that arrives
//!   MAC ───────────────► Medium ─────► MAC of the receiver
//!    ▲                     │
//!    └─────────────────────┘ Done: attempts of each stage, acknowledged or not
//! ```

mod exchange;
#[cfg(test)]
mod tests;

use std::collections::VecDeque;

use airfair_laws::Direction;
use airfair_units::{Bytes, DataRate, Duration, Time};

use crate::airtime::Airtime;
use crate::config::{AfterCollision, CellConfig};
use crate::contender::{Access, AccessLimits, Contender, Deadline, Exchange, Step};
use crate::contention::Contention;
use crate::errors::LinkErrors;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::hearing::Hearing;
use crate::moment::{Moment, Phase};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::queue::config::QueueConfig;
use crate::random::Stream;
use crate::roster::{ContenderId, Roster};

/// Largest number of stages of a retry chain.
pub const STAGES: usize = 4;

/// Stage of a frame's retry chain: attempts at one rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stage {
    /// Vector of the frame in this stage.
    pub tx: TxVector,
    /// Number of attempts in this stage, at least one.
    pub attempts: u8,
    /// True if RTS and CTS precede the frame in this stage.
    pub rts: bool,
}

/// Receivers of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Addressee {
    /// All members, none of which responds.
    All,
    /// One member, which responds.
    One(NodeId),
    /// An address that no member has. The frame has no response, and is sent again.
    Unknown,
}

/// A frame that a MAC hands to the medium. `T` is the type of the value by which the MAC identifies the frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Job<T> {
    /// Value by which the MAC identifies the frame.
    pub tag: T,
    /// Receivers of the frame.
    pub to: Addressee,
    /// Size of the PSDU, check sequence included.
    pub psdu: Bytes,
    /// Retry chain, which ends at the first empty stage.
    pub chain: [Option<Stage>; STAGES],
    /// True for a beacon, which precedes the frames that wait.
    pub is_urgent: bool,
}

/// Result of a frame that was acknowledged or given up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Done<T> {
    /// Value by which the MAC identifies the frame.
    pub tag: T,
    /// Transmitter of the frame.
    pub from: NodeId,
    /// Number of attempts made in each stage of the frame's retry chain.
    pub attempts: [u8; STAGES],
    /// True if the transmitter has received the ACK.
    pub acknowledged: bool,
    /// Duration of all frames of the frame's exchanges, control frames included.
    pub airtime: Duration,
}

/// Event that the medium reports to the MACs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum News<T> {
    /// A frame has arrived at a member.
    Received {
        /// Value by which the sending MAC identifies the frame.
        tag: T,
        /// Member that has received the frame.
        by: NodeId,
        /// Vector of the frame.
        tx: TxVector,
        /// True if this was not the first attempt, so that the frame may have arrived before.
        again: bool,
    },
    /// A frame was acknowledged or given up.
    Done(Done<T>),
}

/// A member with its queue of frames, and with the progress of the first one.
#[derive(Clone, Debug)]
struct Sender<T> {
    queue: VecDeque<Job<T>>,
    capacity: usize,
    /// Contention window and back-offs of the member, and the rule that ends a retry chain.
    contender: Contender<()>,
    access: Access,
    attempts: [u8; STAGES],
    airtime: Duration,
}

impl<T: Copy> Sender<T> {
    fn new(queue: QueueConfig, limits: AccessLimits, stream: Stream) -> Self {
        Self {
            queue: VecDeque::new(),
            capacity: usize::try_from(queue.packets).unwrap_or(usize::MAX),
            contender: Contender::new(queue, limits, stream),
            access: Access::Idle,
            attempts: [0; STAGES],
            airtime: Duration::ZERO,
        }
    }

    fn job(&self) -> &Job<T> {
        self.queue.front().expect("a frame wherever it contends or has won the channel")
    }

    /// Stage of the next attempt for the first frame, with its index; `None` if all attempts were made.
    fn stage(&self) -> Option<(usize, Stage)> {
        let stages = self.job().chain.iter().map_while(|stage| *stage);
        stages.enumerate().find(|(at, stage)| self.attempts[*at] < stage.attempts)
    }

    fn has_begun(&self) -> bool {
        self.attempts != [0; STAGES] || matches!(self.access, Access::Exchange(_))
    }
}

/// One channel with its members, for MACs that run elsewhere.
#[derive(Debug)]
pub struct Medium<T> {
    airtime: Airtime,
    after_collision: AfterCollision,
    post_backoff: bool,
    contention: Contention,
    senders: Vec<Sender<T>>,
    /// Errors of frames between each station and the access point.
    links: LinkErrors,
    /// Highest rates at which frames from each station, and frames to each station, get through.
    ceilings: Vec<[DataRate; 2]>,
    on_air: Vec<Ppdu<()>>,
    /// Initiators of exchanges whose next frame is due after a SIFS; `unanswered` has those that wait for a time-out.
    following: Vec<NodeId>,
    unanswered: Vec<NodeId>,
    /// Members for which noise has destroyed the frame to all members that has just left the air, ascending.
    missed: Vec<NodeId>,
    news: VecDeque<News<T>>,
}

impl<T: Copy> Medium<T> {
    /// Creates a silent channel with the rules and members of `config`. The medium uses each member's queue length,
    /// channel access, audibility and error model, and takes the rates as ceilings: the highest rates at which frames
    /// get through. `streams` are the random streams of the members' back-offs, the access point's first, and
    /// `error_streams` those of the stations' links.
    ///
    /// # Panics
    /// If the number of streams does not match the members and links.
    pub fn new(config: &CellConfig, streams: Vec<Stream>, error_streams: Vec<Stream>) -> Self {
        assert_eq!(streams.len(), config.stations.len() + 1, "one stream per member");
        assert_eq!(error_streams.len(), config.stations.len(), "one stream per link");
        let config = CellConfig {
            ap_categories: Vec::new(),
            stations: config
                .stations
                .iter()
                .cloned()
                .map(|mut station| {
                    station.categories.clear();
                    station
                })
                .collect(),
            ..config.clone()
        };
        let airtime = Airtime::new(&config);
        let roster = Roster::new(&config);
        let hearing = Hearing::fixed(&config, &roster);
        let stations = config.stations.iter();
        let queues = std::iter::once((config.ap_queue, config.ap_access))
            .chain(stations.clone().map(|station| (station.queue, station.access)));
        let sender = |((queue, access), stream)| {
            Sender::new(
                queue,
                AccessLimits::new(&access, &airtime.timing, config.rules.attempts),
                stream,
            )
        };
        let senders = queues.zip(streams).map(sender).collect();
        let models = stations.clone().map(|station| station.errors);
        Self {
            after_collision: config.rules.after_collision,
            post_backoff: config.rules.post_backoff,
            contention: Contention::new(&config, &airtime.timing, (hearing, roster)),
            airtime,
            senders,
            links: LinkErrors::new(models.zip(error_streams)),
            ceilings: stations
                .map(|it| [it.rate_up.data_rate(), it.rate_down.data_rate()])
                .collect(),
            on_air: Vec::new(),
            following: Vec::new(),
            unanswered: Vec::new(),
            missed: Vec::new(),
            news: VecDeque::new(),
        }
    }

    /// Durations of frames on this channel.
    pub fn airtime(&self) -> &Airtime {
        &self.airtime
    }

    /// Sets the highest rate at which frames of a station in one direction get through, from the next frame that ends
    /// on.
    pub fn set_ceiling(&mut self, station: NodeId, direction: Direction, rate: DataRate) {
        self.ceilings[station.index() - 1][direction as usize] = rate;
    }

    /// Queues a frame at member `from`.
    ///
    /// # Errors
    /// The frame, if the queue has no room for it, or if its retry chain is empty.
    pub fn enqueue(&mut self, now: Time, from: NodeId, job: Job<T>) -> Result<(), Job<T>> {
        let sender = &mut self.senders[from.index()];
        let has_room = job.is_urgent || sender.queue.len() < sender.capacity;
        if !has_room || job.chain[0].is_none_or(|stage| stage.attempts == 0) {
            return Err(job);
        }
        if job.is_urgent {
            let place = usize::from(!sender.queue.is_empty() && sender.has_begun());
            sender.queue.insert(place, job);
        } else {
            sender.queue.push_back(job);
        }
        if sender.access == Access::Idle {
            sender.access = Access::Contending;
            let id = ContenderId::first(from);
            if self.contention.try_access(id, now).is_none() {
                self.back_off(now, id);
            }
        }
        Ok(())
    }

    /// Moment at which the medium needs the next call of [`handle_event`](Self::handle_event).
    pub fn next_event(&mut self) -> Moment {
        let end = self.on_air.iter().map(|ppdu| ppdu.end).min();
        let timeout = self.unanswered.iter().filter_map(|id| match self.deadline(*id) {
            Deadline::At(at) => Some(at),
            Deadline::Idle => None,
        });
        let timeout = timeout.min();
        let response = self.following.iter().map(|id| self.due(*id)).min();
        Moment::of(end, Phase::End)
            .min(Moment::of(timeout, Phase::Timeout))
            .min(Moment::of(response, Phase::Start))
            .min(Moment::of(self.contention.next_access(), Phase::Start))
    }

    /// Handles the event that [`next_event`](Self::next_event) has announced. A call at another moment has no effect.
    pub fn handle_event(&mut self, now: Time, phase: Phase) {
        match phase {
            Phase::End => self.end(now),
            Phase::Timeout => self.fail_where(|_, _, deadline| deadline == Deadline::At(now), now),
            Phase::Start => self.start(now),
        }
    }

    /// Takes the next event for the MACs.
    pub fn poll_news(&mut self) -> Option<News<T>> {
        self.news.pop_front()
    }

    fn exchange(&self, id: NodeId) -> &Exchange {
        match &self.senders[id.index()].access {
            Access::Exchange(exchange) => exchange,
            _ => unreachable!("it is in an exchange"),
        }
    }

    fn set_step(&mut self, id: NodeId, step: Step) {
        if let Access::Exchange(exchange) = &mut self.senders[id.index()].access {
            exchange.step = step;
        }
    }

    fn due(&self, id: NodeId) -> Time {
        match self.exchange(id).step {
            Step::Following(_, at) => at,
            _ => unreachable!("it is listed as following"),
        }
    }

    fn deadline(&self, id: NodeId) -> Deadline {
        match self.exchange(id).step {
            Step::Unanswered(_, deadline) => deadline,
            _ => unreachable!("it is listed as unanswered"),
        }
    }

    fn start(&mut self, now: Time) {
        let mut winners = Vec::new();
        // Winners come first, because a response that starts now would stop their countdowns.
        self.contention.take_winners(now, &mut winners);
        let due: Vec<NodeId> =
            self.following.iter().copied().filter(|id| self.due(*id) == now).collect();
        self.following.retain(|id| !due.contains(id));
        for initiator in due {
            let frame = self.next_frame(initiator);
            self.transmit(now, initiator, frame);
        }
        for id in winners {
            let frame = self.begin_exchange(id.member());
            self.transmit(now, id.member(), frame);
        }
        self.contention.begin_busy(now);
        self.meet(now);
        while let Some(id) = self.contention.pop_forestalled() {
            self.back_off(now, id);
        }
    }

    fn transmit(&mut self, now: Time, initiator: NodeId, frame: Frame) {
        self.contention.announce(&frame);
        self.senders[initiator.index()].airtime += frame.duration;
        self.on_air.push(Ppdu::new(now, (ContenderId::first(initiator), frame), Vec::new()));
    }

    /// Handles frames that have started: those that overlap at their receiver collide. An initiator that misses the
    /// start of its response waits for its time-out.
    fn meet(&mut self, now: Time) {
        if self.contention.is_undisturbed() {
            return;
        }
        for ppdu in &mut self.on_air {
            ppdu.collided |= self.contention.overlapped(&ppdu.frame);
        }
        let timeout = self.airtime.response_timeout();
        for ppdu in self.on_air.iter_mut().filter(|ppdu| ppdu.start == now) {
            if !self.contention.misses(&ppdu.frame) {
                continue;
            }
            ppdu.missed = true;
            let id = ppdu.initiator.member();
            if let Access::Exchange(exchange) = &mut self.senders[id.index()].access {
                let deadline = Deadline::At(exchange.own_end + timeout);
                exchange.step = Step::Unanswered(ppdu.frame.kind.answers(), deadline);
                self.unanswered.push(id);
            }
        }
    }

    fn back_off(&mut self, now: Time, id: ContenderId) {
        let slots = self.senders[id.member().index()].contender.draw_backoff();
        self.contention.draw(id, now, slots);
        self.contention.contend(id);
    }

    fn end(&mut self, now: Time) {
        let mut ended: Vec<Ppdu<()>> = self.on_air.extract_if(.., |ppdu| ppdu.end == now).collect();
        self.missed.clear();
        for ppdu in &mut ended {
            self.add_noise(now, ppdu);
        }
        self.missed.sort_unstable();
        // Responses are decided before the NAV of the frames that they answer is set.
        for ppdu in &ended {
            self.receive(now, ppdu);
        }
        self.contention.end_busy(now, &ended, &self.missed);
        if self.after_collision != AfterCollision::Standard {
            let knows =
                |it: &Self, id, deadline| deadline == Deadline::Idle && it.contention.is_idle(id);
            self.fail_where(knows, now);
        }
    }

    /// Draws the errors of a frame by noise, for each of its receivers.
    fn add_noise(&mut self, now: Time, ppdu: &mut Ppdu<()>) {
        let Frame { kind, from, to, tx, psdu, .. } = ppdu.frame;
        if kind == FrameKind::CtsToSelf {
            return;
        }
        if let Some(to) = to {
            ppdu.errored = !ppdu.collided
                && self.contention.decodes(to, from)
                && self.errs(now, (from, to), (tx, psdu), kind == FrameKind::Data);
        } else if kind == FrameKind::Beacon {
            for by in self.members().filter(|by| *by != from) {
                if self.contention.decodes(by, from)
                    && self.errs(now, (from, by), (tx, psdu), false)
                {
                    self.missed.push(by);
                    ppdu.errored = true;
                }
            }
        }
    }

    /// True if noise makes an error in a frame between two members. If `is_limited`, as for a frame to a single member,
    /// a frame above the highest rate that gets through is errored as well.
    fn errs(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        (tx, psdu): (TxVector, Bytes),
        is_limited: bool,
    ) -> bool {
        // Between two stations, the transmitter's link counts.
        let (station, direction) =
            if from.is_ap() { (to, Direction::Down) } else { (from, Direction::Up) };
        let at = station.index() - 1;
        let is_beyond = is_limited && tx.rate() > self.ceilings[at][direction as usize];
        is_beyond || self.links.errs(at, now, tx, psdu)
    }

    fn members(&self) -> impl Iterator<Item = NodeId> + use<T> {
        (0..).map(NodeId).take(self.senders.len())
    }
}
