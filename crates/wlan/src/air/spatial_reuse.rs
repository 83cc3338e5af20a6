//! Spatial reuse by OBSS-PD: members ignore weak frames of cells of another colour, and send with less power meanwhile.
//! [80211ax-2021 §26.10.2]
//!
//! A frame is ignored if it has a colour other than that of the cell and arrives with less power than the level of the
//! cell. It neither keeps the medium busy nor sets the NAV, but remains interference. From then on until the end of the
//! next TXOP that the member gains, and while an ignored frame is on the air, the member's power is at most
//!
//! ```text
//!   P ≤ P_ref - (level - level_min),  level_min = -82 dBm,  P_ref = 21 dBm, or 25 dBm with more than two streams
//! ```
//!
//! A frame that starts while the member itself sends restricts the member only as long as it is on the air.
//! Deviates: [D-280]

use airfair_units::{Dbm, Decibels, Time};

use super::hearing::Audibility;
use crate::config::Rules;
use crate::frame::Frame;
use crate::node::NodeId;

/// Lowest level of OBSS-PD, at which the power has no limit but the reference.
const LOWEST: Dbm = Dbm::new(-82);
/// Reference power; the second value is for access points with more than two streams.  [80211ax-2021 §26.10.2.4]
const REFERENCE: [Dbm; 2] = [Dbm::new(21), Dbm::new(25)];

/// Spatial reuse in one cell.
#[derive(Clone, Debug)]
pub(crate) struct SpatialReuse {
    colour: u8,
    /// Power below which members ignore frames of another colour; `None` if they ignore none.
    level: Option<Dbm>,
    /// True if the access point has more than two streams.
    has_many_streams: bool,
    /// Ignored frames on the air: their transmitters, with the members that ignore them.
    ignored: Vec<(NodeId, Vec<NodeId>)>,
    /// Restriction of each member; as long as the highest member that has sent or ignored a frame.
    members: Vec<Restriction>,
}

/// Restriction of a member's transmit power.
#[derive(Clone, Copy, Debug, Default)]
struct Restriction {
    /// True if the member has ignored a frame since its last TXOP.
    is_pending: bool,
    /// True if a restriction was pending when the member's last TXOP began.
    is_in_txop: bool,
    /// End of the member's last frame.
    sends_until: Time,
    /// Decibels by which the member's last frame has less power than usual.
    reduction: Decibels,
}

impl SpatialReuse {
    /// Spatial reuse by the rules of a cell; `None` if the cell has no colour.
    pub(crate) fn new(rules: &Rules) -> Option<Self> {
        let of = rules.spatial_reuse?;
        let has_many_streams = rules.channel.streams > 2;
        let (ignored, members) = (Vec::new(), Vec::new());
        Some(Self { colour: of.colour, level: of.level, has_many_streams, ignored, members })
    }

    /// Colour of the cell's frames.
    pub(crate) fn colour(&self) -> u8 {
        self.colour
    }

    /// Lets members ignore a frame with this colour and these powers that starts now, as far as they may.
    pub(crate) fn ignore(
        &mut self,
        now: Time,
        (from, colour): (NodeId, Option<u8>),
        powers: &[Dbm],
        row: &mut [Audibility],
    ) {
        let Some(level) = self.level.filter(|_| colour.is_some_and(|it| it != self.colour)) else {
            return;
        };
        let mut by = Vec::new();
        for ((member, power), audibility) in (0..).map(NodeId).zip(powers).zip(row) {
            if *power < level && *audibility != Audibility::Nothing {
                *audibility = Audibility::Nothing;
                let restriction = self.member(member);
                restriction.is_pending |= restriction.sends_until <= now;
                by.push(member);
            }
        }
        if !by.is_empty() {
            self.ignored.push((from, by));
        }
    }

    /// Ends a frame that some members may have ignored.
    pub(crate) fn end(&mut self, from: NodeId) {
        self.ignored.retain(|(ignored, _)| *ignored != from);
    }

    /// Begins a TXOP of a member, whose end also ends a restriction that is pending.
    pub(crate) fn begin_txop(&mut self, holder: NodeId) {
        let holder = self.member(holder);
        holder.is_in_txop = std::mem::take(&mut holder.is_pending);
    }

    /// Decibels by which a frame of `from` that starts now has less than the usual `power`: one of its TXOP, or a
    /// response.
    pub(crate) fn limit(&self, from: NodeId, power: Dbm, is_response: bool) -> Decibels {
        let Restriction { is_pending, is_in_txop, .. } =
            self.members.get(from.index()).copied().unwrap_or_default();
        let is_restricted = is_pending
            || is_in_txop && !is_response
            || self.ignored.iter().any(|(_, by)| by.contains(&from));
        let reference = REFERENCE[usize::from(self.has_many_streams && from.is_ap())];
        let most = self.level.filter(|_| is_restricted).map(|level| reference - (level - LOWEST));
        most.map_or(Decibels::ZERO, |most| (power - most).max(Decibels::ZERO))
    }

    /// Sets and returns the decibels by which a frame that starts now has less than the usual `power`.
    pub(crate) fn reduce(&mut self, now: Time, frame: &Frame, power: Dbm) -> Decibels {
        let reduction = self.limit(frame.from, power, frame.kind.is_response());
        let member = self.member(frame.from);
        (member.sends_until, member.reduction) = (now + frame.duration, reduction);
        reduction
    }

    /// Decibels by which the last frame of `from` had less power than usual.
    pub(crate) fn reduction(&self, from: NodeId) -> Decibels {
        self.members.get(from.index()).map(|it| it.reduction).unwrap_or_default()
    }

    fn member(&mut self, member: NodeId) -> &mut Restriction {
        if self.members.len() <= member.index() {
            self.members.resize(member.index() + 1, Restriction::default());
        }
        &mut self.members[member.index()]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::SpatialReuse as Config;
    use crate::frame::FrameKind;
    use crate::phy::{Preamble, Standard, TxVector};
    use airfair_units::{Bytes, DataRate, Duration};

    const NOW: Time = Time::from_nanos(1_000_000);
    const USUAL: Dbm = Dbm::new(20);
    const NONE: Decibels = Decibels::ZERO;
    const AP: NodeId = NodeId::AP;
    const STATION: NodeId = NodeId(1);
    const NEIGHBOUR: NodeId = NodeId(2);

    fn cell(level: i64) -> SpatialReuse {
        let mut rules = Rules::of(Standard::Ax);
        rules.channel.streams = 1;
        rules.spatial_reuse = Some(Config { colour: 1, level: Some(Dbm::new(level)) });
        SpatialReuse::new(&rules).expect("a colour")
    }

    /// Lets members ignore a frame of the neighbour that arrives with -71 dBm at the access point and with -73 dBm at the
    /// station. Returns how they hear it.
    fn ignore(all: &mut SpatialReuse, colour: Option<u8>) -> [Audibility; 2] {
        let mut row = [Audibility::Decodes; 2];
        all.ignore(NOW, (NEIGHBOUR, colour), &[Dbm::new(-71), Dbm::new(-73)], &mut row);
        row
    }

    /// At a level of -72 dBm the power is at most 21 - 10 = 11 dBm, 9 dB less than 20 dBm.
    ///
    /// Verifies: [80211ax-2021 §26.10.2.4]
    #[test]
    fn whoever_ignores_a_frame_sends_with_less_power() {
        let mut all = cell(-72);
        for colour in [None, Some(1)] {
            assert_eq!(ignore(&mut all, colour), [Audibility::Decodes; 2], "{colour:?}");
        }
        assert_eq!(ignore(&mut all, Some(2)), [Audibility::Decodes, Audibility::Nothing]);
        assert_eq!(all.limit(AP, USUAL, false), NONE);
        assert_eq!(all.limit(STATION, USUAL, true), Decibels::new(9));
        assert_eq!(all.limit(STATION, Dbm::new(5), true), NONE);
    }

    /// The restriction outlasts the ignored frame, until the end of the next TXOP. A response in a later TXOP of another
    /// member is free of it.
    ///
    /// Verifies: [80211ax-2021 §26.10.2.4]
    #[test]
    fn a_restriction_lasts_to_the_end_of_the_next_txop() {
        let mut all = cell(-72);
        ignore(&mut all, Some(2));
        all.end(NEIGHBOUR);
        assert_eq!(all.limit(STATION, USUAL, true), Decibels::new(9));
        all.begin_txop(STATION);
        assert_eq!(all.limit(STATION, USUAL, false), Decibels::new(9));
        assert_eq!(all.limit(STATION, USUAL, true), NONE);
        all.begin_txop(STATION);
        assert_eq!(all.limit(STATION, USUAL, false), NONE);
    }

    /// A frame that begins while the station itself sends restricts it only as long as that frame is on the air.
    ///
    /// Verifies: [80211ax-2021 §26.10.2.4]
    #[test]
    fn a_station_that_sends_ignores_nothing() {
        let mut all = cell(-72);
        all.begin_txop(STATION);
        let frame = Frame {
            kind: FrameKind::Data,
            from: STATION,
            to: Some(AP),
            tx: TxVector::of(DataRate::from_mbps(6), Preamble::Long).expect("a rate"),
            psdu: Bytes::new(1_500),
            duration: Duration::from_micros(2_000),
            duration_field: Duration::ZERO,
            retry: false,
        };
        assert_eq!(all.reduce(Time::from_nanos(500_000), &frame, USUAL), NONE);
        ignore(&mut all, Some(2));
        assert_eq!(all.limit(STATION, USUAL, false), Decibels::new(9));
        all.end(NEIGHBOUR);
        assert_eq!(all.limit(STATION, USUAL, false), NONE);
        assert_eq!(all.reduction(STATION), NONE);
    }
}
