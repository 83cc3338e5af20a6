//! Rate control of the model, and the events reported to it.

use super::*;

impl Model<'_> {
    /// Rate control of station `id` for frames to another member.
    pub(super) fn law(&mut self, id: usize, to: usize) -> Option<&mut Law> {
        let from = self.stations[id].member;
        self.laws[from.max(to) - 1][usize::from(from == 0)].as_mut()
    }

    /// Reports an event to the rate control of station `id` for frames to `to`, if there is one.
    pub(super) fn tell_law(&mut self, now: u64, (id, to): (usize, usize), event: RateEvent) {
        if let Some(law) = self.law(id, to) {
            law.tell(now, event);
        }
    }

    /// True if the next frame of station `id` to `to` is a `BlockAckReq`.
    pub(super) fn requests(&self, id: usize, to: usize) -> bool {
        let link = &self.stations[id].links[to];
        self.agreed(id, to).is_some() && (link.has_moved || link.asks)
    }

    /// Reports to rate control that a data frame of station `id` is about to be sent.
    pub(super) fn tell_of_sending(&mut self, now: u64, id: usize) {
        let to = self.receiver(id).expect("something to send");
        if !self.requests(id, to) {
            let s = &self.stations[id];
            let is_first = s.short == s.internal && s.long == 0;
            self.tell_law(now, (id, to), RateEvent::Sending { is_first });
        }
    }

    /// Reports the end of the exchange of station `id` to rate control: success, or a missing response to a frame of
    /// kind `failed`.
    pub(super) fn tell_of_outcome(&mut self, now: u64, id: usize, failed: Option<FrameKind>) {
        let plan = self.stations[id].plan.clone().expect("it was in an exchange");
        if plan.kind == FrameKind::BlockAckRequest {
            return;
        }
        let received = &self.stations[id].links[plan.to].received;
        let sent = plan.mpdus.len().max(1);
        let event = match failed {
            Some(FrameKind::Rts) => RateEvent::RtsFailure { mpdus: sent },
            Some(_) => RateEvent::Block { sent, acknowledged: 0 },
            None if plan.answered_by == FrameKind::Ack => {
                RateEvent::Block { sent, acknowledged: sent }
            }
            None => {
                let acknowledged = plan.mpdus.iter().filter(|it| received.contains(it)).count();
                RateEvent::Block { sent, acknowledged }
            }
        };
        self.tell_law(now, (id, plan.to), event);
    }

    /// True if the attempt of station `id` that was just made or is about to be made is the last that its rate
    /// control plans; `None` if it plans no attempts.
    pub(super) fn chain_ends(&mut self, id: usize) -> Option<bool> {
        let to = self.receiver(id)?;
        let requests = self.requests(id, to);
        self.law(id, to).filter(|_| !requests).and_then(|law| law.chain_ends())
    }
}
