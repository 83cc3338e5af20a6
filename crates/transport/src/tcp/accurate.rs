//! Accurate ECN at the receiver: counters of marked packets and of octets with each codepoint, which each ACK carries.
//! [RFC9768 §3.2]

use airfair_laws::accecn;

use super::config::EcnFeedback;
use super::segment::{Flags, OctetCounters, Segment};
use crate::ecn::Ecn;

/// ACE field before the first mark.  [RFC9768 §3.2.1]
pub(super) const INITIAL_ACE: u8 = 5;
/// Bit by which a host confirms accurate ECN, and that the SYN or SYN-ACK arrived without ECN codepoint.
/// [RFC9768 §3.1.1, §3.2.2.1]
pub(super) const NOT_ECT_ARRIVED: Flags = Flags::CWR;
/// Number of marks since the last ACK that cause an ACK, if there is data to acknowledge.  [RFC9768 §3.2.2.5.1]
const MARKS_PER_ACK: u32 = 2;
/// Room for TCP options [octets].  [RFC9293 §3.1]
const ROOM: u16 = 40;

/// Counters of a receiver with accurate ECN.  [RFC9768 §3.2.1]
#[derive(Clone, Debug)]
pub(super) struct MarkCounters {
    /// True if ACKs carry the `AccECN` option.
    sends_option: bool,
    /// `r.cep`: marked packets, and the initial five.
    packets: u64,
    /// `r.e0b` and `r.e1b`: octets with ECT(0) and with ECT(1), and the initial octet.
    capable: [u64; 2],
    /// `r.ceb`: octets with a mark.
    marked: u64,
    /// Marked packets since the last ACK.
    since_ack: u32,
    /// True if the last packet was marked.
    was_marked: bool,
}

impl MarkCounters {
    /// Creates the counters of a receiver; `None` if it has another kind of feedback.
    pub(super) fn new(feedback: EcnFeedback) -> Option<Self> {
        feedback.is_accurate().then_some(Self {
            sends_option: feedback == EcnFeedback::Accurate,
            packets: accecn::INITIAL_PACKETS,
            capable: [1; 2],
            marked: 0,
            since_ack: 0,
            was_marked: false,
        })
    }

    /// Counts a segment with data. Returns true if it must be acknowledged at once: the first marked one after others, and
    /// every second one.  [RFC9768 §3.2.2.5.1]
    pub(super) fn note(&mut self, segment: &Segment) -> bool {
        let codepoint = segment.flags.ecn();
        let is_marked = codepoint == Ecn::CE;
        let octets = u64::from(segment.payload);
        match codepoint {
            Ecn::CE => self.marked += octets,
            Ecn::ECT_0 => self.capable[0] += octets,
            Ecn::ECT_1 => self.capable[1] += octets,
            _ => {}
        }
        self.packets += u64::from(is_marked);
        self.since_ack += u32::from(is_marked);
        let was_marked = std::mem::replace(&mut self.was_marked, is_marked);
        (is_marked && !was_marked) || self.since_ack >= MARKS_PER_ACK
    }

    /// Control bits of the next ACK.
    pub(super) fn flags(&self) -> Flags {
        Flags::ACK.with_ace((self.packets % 8).to_le_bytes()[0])
    }

    /// Completes an ACK with the option. It takes the place of the last SACK block where there is no room for both. The
    /// option is in each ACK, so that a lost ACK hides no counter.  [RFC9768 §3.2.3.3]
    #[cold]
    pub(super) fn put(&mut self, ack: &mut Segment) {
        self.since_ack = 0;
        if !self.sends_option {
            return;
        }
        let blocks = ack.sack.option();
        if ack.options + OctetCounters::OPTION > ROOM {
            let all = ack.sack.iter(ack.ack).count();
            ack.sack.truncate(all - 1);
        }
        ack.options = ack.options - blocks + ack.sack.option() + OctetCounters::OPTION;
        ack.sack.set_counters(self.counters());
    }

    /// Completes a SYN-ACK: it confirms accurate ECN, and has the initial counters.  [RFC9768 §3.1.1, §3.2.3.2.1]
    #[cold]
    pub(super) fn put_first(&self, syn_ack: &mut Segment) {
        syn_ack.flags = Flags::SYN_ACK.and(NOT_ECT_ARRIVED);
        if self.sends_option {
            syn_ack.options += OctetCounters::OPTION;
            syn_ack.sack.set_counters(OctetCounters { ce: Some(0), ..self.counters() });
        }
    }

    /// Counters that the option carries: octets with the codepoint that the sender uses, and, from the first mark on, those
    /// with a mark.
    fn counters(&self) -> OctetCounters {
        let low =
            |octets: u64| u32::try_from(octets & u64::from(OctetCounters::MASK)).expect("24 bits");
        let [first, second] = self.capable;
        let is_order_1 = second > 1;
        let ect = if is_order_1 { second } else { first };
        let ce = (self.marked > 0).then(|| low(self.marked));
        OctetCounters { is_order_1, ect: low(ect), ce }
    }
}
