//! Laws of rates, and what they are told.

use super::*;

impl Model<'_> {
    /// The law of the rate at which `id` sends to another member.
    pub(super) fn law(&mut self, id: usize, to: usize) -> Option<&mut Law> {
        let from = self.stations[id].member;
        self.laws[from.max(to) - 1][usize::from(from == 0)].as_mut()
    }

    /// The law is told, if it has a law and sends data.
    pub(super) fn tell_law(&mut self, now: u64, (id, to): (usize, usize), told: Told) {
        if let Some(law) = self.law(id, to) {
            law.tell(now, told);
        }
    }

    /// True if `id` next asks `to` for a `BlockAck`.
    pub(super) fn requests(&self, id: usize, to: usize) -> bool {
        let link = &self.stations[id].links[to];
        self.agreed(id, to).is_some() && (link.has_moved || link.asks)
    }

    /// A frame is about to go out.
    pub(super) fn tell_of_sending(&mut self, now: u64, id: usize) {
        let to = self.receiver(id).expect("something to send");
        if !self.requests(id, to) {
            let s = &self.stations[id];
            let is_first = s.short == s.internal && s.long == 0;
            self.tell_law(now, (id, to), Told::Sending { is_first });
        }
    }

    /// The exchange of `id` is over, with an answer or without one to a frame of this kind.
    pub(super) fn tell_of_outcome(&mut self, now: u64, id: usize, failed: Option<FrameKind>) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        if plan.kind == FrameKind::BlockAckRequest {
            return;
        }
        let received = &self.stations[id].links[plan.to].received;
        let sent = plan.mpdus.len().max(1);
        let told = match failed {
            Some(FrameKind::Rts) => Told::RtsFailure { mpdus: sent },
            Some(_) => Told::Block { sent, acknowledged: 0 },
            None if plan.answered_by == FrameKind::Ack => Told::Block { sent, acknowledged: sent },
            None => {
                let acknowledged = plan.mpdus.iter().filter(|it| received.contains(it)).count();
                Told::Block { sent, acknowledged }
            }
        };
        self.tell_law(now, (id, plan.to), told);
    }

    /// If a law plans the attempts of what `id` has sent or is about to send, true at the last of them.
    pub(super) fn chain_ends(&mut self, id: usize) -> Option<bool> {
        let to = self.receiver(id).expect("something to send");
        let requests = self.requests(id, to);
        self.law(id, to).filter(|_| !requests).and_then(|law| law.chain_ends())
    }
}
