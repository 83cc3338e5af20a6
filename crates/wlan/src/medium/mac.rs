//! MAC of the medium: frames with retry chains, for MACs that run elsewhere.

use std::collections::VecDeque;

use airfair_units::{Duration, Time};

use super::jobs::{Addressee, Done, Job, News, STAGES, Stage};
use crate::air::access::Verdict;
use crate::air::sequence::{Content, Sequence};
use crate::air::{Air, Mac};
use crate::airtime::Protection;
use crate::block_ack::Bitmap;
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::link_rate::Chain;
use crate::node::NodeId;
use crate::roster::ContenderId;
use crate::sizes::ACK_SIZE;

/// Frames of one member, and the progress of the first one.
#[derive(Clone, Debug)]
pub(super) struct Sender<T> {
    queue: VecDeque<Job<T>>,
    capacity: usize,
    /// Attempts made in each stage of the retry chain; `airtime` is the duration of the frames of these attempts.
    attempts: [u8; STAGES],
    airtime: Duration,
}

impl<T: Copy> Sender<T> {
    pub(super) fn new(capacity: u32) -> Self {
        let capacity = usize::try_from(capacity).unwrap_or(usize::MAX);
        let (attempts, airtime) = ([0; STAGES], Duration::ZERO);
        Self { queue: VecDeque::new(), capacity, attempts, airtime }
    }

    fn job(&self) -> &Job<T> {
        self.queue.front().expect("a frame wherever it contends or has won the channel")
    }

    /// Stage of the next attempt for the first frame, with its index; `None` if all attempts were made.
    fn stage(&self) -> Option<(usize, Stage)> {
        let stages = self.job().chain.iter().map_while(|stage| *stage);
        stages.enumerate().find(|(at, stage)| self.attempts[*at] < stage.attempts)
    }
}

/// MAC of all members of the medium.
#[derive(Debug)]
pub(super) struct JobMac<T> {
    senders: Vec<Sender<T>>,
    news: VecDeque<News<T>>,
}

impl<T: Copy> JobMac<T> {
    pub(super) fn new(senders: Vec<Sender<T>>) -> Self {
        Self { senders, news: VecDeque::new() }
    }

    /// Queues a frame at member `from`, an urgent one before those that wait. `has_begun` is true if the member is in an
    /// exchange.
    ///
    /// # Errors
    /// The frame, if the queue has no room for it, or if its retry chain is empty.
    pub(super) fn enqueue(
        &mut self,
        from: NodeId,
        job: Job<T>,
        has_begun: bool,
    ) -> Result<(), Job<T>> {
        let sender = &mut self.senders[from.index()];
        let has_room = job.is_urgent || sender.queue.len() < sender.capacity;
        if !has_room || job.chain[0].is_none_or(|stage| stage.attempts == 0) {
            return Err(job);
        }
        if job.is_urgent {
            let has_begun = has_begun || sender.attempts != [0; STAGES];
            let place = usize::from(!sender.queue.is_empty() && has_begun);
            sender.queue.insert(place, job);
        } else {
            sender.queue.push_back(job);
        }
        Ok(())
    }

    pub(super) fn poll_news(&mut self) -> Option<News<T>> {
        self.news.pop_front()
    }

    /// Takes the first frame of contender `id` from its queue, and reports its end.
    fn finish(&mut self, air: &mut Air<()>, now: Time, id: ContenderId, acknowledged: bool) {
        let sender = &mut self.senders[id.index()];
        let job = sender.queue.pop_front().expect("a frame in service");
        air.accesses[id.index()].start_afresh();
        self.news.push_back(News::Done(Done {
            tag: job.tag,
            from: id.member(),
            attempts: std::mem::replace(&mut sender.attempts, [0; STAGES]),
            acknowledged,
            airtime: std::mem::take(&mut sender.airtime),
        }));
        if sender.queue.is_empty() {
            air.frames.end_waiting(now);
        }
    }
}

impl<T: Copy> Mac<()> for JobMac<T> {
    fn begin(&mut self, air: &mut Air<()>, _: Time, id: ContenderId) -> Sequence {
        let sender = &mut self.senders[id.index()];
        let (at, stage) = sender.stage().expect("an attempt is left, or the frame would be done");
        sender.attempts[at] += 1;
        let (Job { psdu, to, .. }, tx) = (*sender.job(), stage.tx);
        let protection = match (to, air.airtime.protection_of(psdu, tx)) {
            (Addressee::All, Protection::RtsCts(_)) => Protection::None,
            (Addressee::All, protection) => protection,
            (_, Protection::None) if stage.rts => Protection::RtsCts(air.airtime.guard(tx)),
            (_, protection) => protection,
        };
        Sequence {
            content: if to == Addressee::All { Content::Broadcast } else { Content::Packet },
            to: if let Addressee::One(to) = to { Some(to) } else { None },
            protection,
            tx,
            psdu,
            data: air.airtime.frame(psdu, tx),
            response: (ACK_SIZE, air.airtime.ack(tx)),
            retry: air.accesses[id.index()].is_retrying(),
        }
    }

    fn deliver(&mut self, _: &mut Air<()>, _: Time, ppdu: &Ppdu<()>, to: NodeId) {
        let Frame { from, tx, retry: again, .. } = ppdu.frame;
        let tag = self.senders[from.index()].job().tag;
        self.news.push_back(News::Received { tag, by: to, tx, again });
    }

    fn answered(
        &mut self,
        air: &mut Air<()>,
        now: Time,
        id: ContenderId,
        _: Option<&Bitmap>,
    ) -> Option<Sequence> {
        let acknowledged = air.sequence(id).content != Content::Broadcast;
        self.finish(air, now, id, acknowledged);
        None
    }

    fn unanswered(&mut self, air: &mut Air<()>, now: Time, id: ContenderId, _: FrameKind) {
        let is_last = self.senders[id.index()].stage().is_none();
        let chain = if is_last { Chain::Ended } else { Chain::GoesOn };
        match (air.accesses[id.index()].fail(false, chain), chain) {
            (Verdict::Retry, Chain::GoesOn) => {}
            // Limits of the scenario may end a chain early, and never extend it.
            _ => self.finish(air, now, id, false),
        }
    }

    fn has_content(&self, id: ContenderId) -> bool {
        !self.senders[id.index()].queue.is_empty()
    }

    fn begin_frame(&mut self, id: ContenderId, frame: &Frame) {
        self.senders[id.index()].airtime += frame.duration;
    }
}
