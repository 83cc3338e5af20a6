//! What the access point's queue is told where stations share time: what each exchange has used.
//! [hoiland-2017 §3.2], [tan-2004 §4.2]

use airfair_units::{Duration, Time};

use super::Cell;
use crate::airtime::Protection;
use crate::config::NodeId;
use crate::frame::FrameKind;
use crate::node::{Access, Plan};
use crate::queue::Charge;
use crate::queue::headers::Headers;

impl<P: Copy + Headers> Cell<P> {
    /// An exchange of `from` has got as far as a frame of kind `last`. The access point does not know of
    /// frames that it did not receive: attempts of stations that failed are charged to nobody.
    #[cold]
    pub(super) fn account(&mut self, now: Time, from: NodeId, last: FrameKind) {
        let Access::Exchange(plan) = self.nodes[from.index()].access else { return };
        let sifs = self.airtime.timing.sifs;
        let before = match plan.protection {
            Protection::None => Duration::ZERO,
            Protection::RtsCts(rate) => {
                self.airtime.rts(rate) + sifs + self.airtime.cts(rate) + sifs
            }
            Protection::CtsToSelf(rate) => self.airtime.cts(rate) + sifs,
        };
        let airtime = match (last, plan.protection) {
            (FrameKind::Rts, Protection::RtsCts(rate)) => self.airtime.rts(rate),
            (FrameKind::Data, _) => before + plan.data,
            _ => before + plan.data + sifs + plan.ack,
        };
        let to_own_end = if last == FrameKind::Rts { airtime } else { before + plan.data };
        // Further frames of a TXOP follow a SIFS.
        let (gap, backoff) = if plan.own_end == plan.txop_start + to_own_end {
            (self.airtime.timing.difs, self.airtime.mean_backoff())
        } else {
            (sifs, Duration::ZERO)
        };
        let Plan { to, rate, .. } = plan;
        let (station, up) = if from.is_ap() { (to, false) } else { (from, true) };
        let charge = Charge { station, up, rate, airtime, gap, backoff };
        self.nodes[NodeId::AP.index()].queue.charge(now, &charge);
        self.plan_release();
    }

    /// A packet that the access point's queue has held back may go.
    #[cold]
    pub(super) fn release(&mut self, now: Time) {
        self.nodes[NodeId::AP.index()].queue.release(now);
        self.take_dropped(NodeId::AP);
        self.seek_access(now, NodeId::AP);
        self.plan_release();
    }

    /// Looks when the access point's queue wants to be asked again.
    pub(super) fn plan_release(&mut self) {
        self.release = self.nodes[NodeId::AP.index()].queue.next_release();
    }
}
