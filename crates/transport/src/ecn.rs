//! Codepoints of explicit congestion notification (ECN) in the IP header.  [RFC3168 §5]

/// Codepoint of the ECN field of a packet.  [RFC3168 §5], [RFC8311 §3.1]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Ecn(u8);

impl Ecn {
    /// The transport of the packet does not answer marks.
    pub const NOT_ECT: Self = Self(0);
    /// ECT(1): the transport answers marks, and is scalable.  [RFC9331 §4.1]
    pub const ECT_1: Self = Self(1);
    /// ECT(0): the transport answers a mark as it answers a loss.
    pub const ECT_0: Self = Self(2);
    /// CE, congestion experienced: a queue has marked the packet.
    pub const CE: Self = Self(3);

    /// True if a queue may mark the packet, or has done so.
    #[inline]
    pub const fn is_capable(self) -> bool {
        self.0 != 0
    }

    /// Marks the packet if its transport answers marks. Returns false if it does not.
    pub fn mark(&mut self) -> bool {
        let is_capable = self.is_capable();
        if is_capable {
            *self = Self::CE;
        }
        is_capable
    }

    /// The two bits as in the IP header.
    #[inline]
    pub const fn bits(self) -> u8 {
        self.0
    }

    /// The codepoint with these two bits. Further bits are ignored.
    #[inline]
    pub const fn of_bits(bits: u8) -> Self {
        Self(bits & 3)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A queue changes both ECT codepoints to CE, and leaves a packet alone whose transport does not answer.
    ///
    /// Verifies: [RFC3168 §5]
    #[test]
    fn capable_packets_are_marked_and_others_are_not() {
        let marked = |mut it: Ecn| (it.mark(), it);
        assert_eq!(marked(Ecn::NOT_ECT), (false, Ecn::NOT_ECT));
        for capable in [Ecn::ECT_0, Ecn::ECT_1, Ecn::CE] {
            assert_eq!(marked(capable), (true, Ecn::CE));
        }
        assert_eq!([Ecn::NOT_ECT, Ecn::ECT_1, Ecn::ECT_0, Ecn::CE].map(Ecn::bits), [0, 1, 2, 3]);
    }
}
