//! MU-MIMO: stations that share all tones of a PPDU, each on spatial streams of its own.  [80211ax-2021 §27.3.3]

use airfair_laws::multi_user::{self as law, Action, Candidate, Observation, Split};
use airfair_units::Time;

use super::super::mac::CellMac;
use super::channels::Sharing;
use super::downlink::Receivers;
use super::schedule::MultiUserMac;
use crate::air::Air;
use crate::node::NodeId;
use crate::phy::{Mode, Unit};
use crate::queue::headers::Headers;

impl Receivers {
    /// True if the stations share all tones.
    fn share_tones(&self) -> bool {
        self.parts.iter().all(|(_, mode)| mode.unit() == Unit::Full)
    }
}

impl MultiUserMac {
    /// Stations of a PPDU by MU-MIMO that are to be sounded before, those first to which the channel is not known; `None`
    /// if it is known to all. All are sounded together, so that their reports grow old together.
    pub(super) fn stations_to_sound(
        &self,
        now: Time,
        receivers: &Receivers,
    ) -> Option<Vec<NodeId>> {
        let sharing = self.sharing.as_ref().filter(|_| receivers.share_tones())?;
        let stations = receivers.parts.iter().map(|(station, _)| *station);
        let (known, unknown): (Vec<_>, Vec<_>) = stations.partition(|it| sharing.knows(now, *it));
        (!unknown.is_empty()).then(|| [unknown, known].concat())
    }
}

impl<P: Copy + Headers> CellMac<P> {
    /// Lets the law choose the stations that share the next PPDU by MU-MIMO: as many as may, with equal shares of the
    /// streams. If a packet does not fit the streams of a station, fewer stations share them. `may_sound` is true if
    /// channels may be measured before.
    pub(super) fn choose_by_streams(
        &self,
        air: &Air<P>,
        now: Time,
        mu: &mut MultiUserMac,
        may_sound: bool,
    ) -> Option<Receivers> {
        let mut sharing = mu.sharing.take()?;
        let mut candidates = std::mem::take(&mut sharing.candidates);
        candidates.clear();
        candidates.extend(mu.candidates.iter().map(|it| {
            let mode = mu.on_streams(self.members[usize::from(it.station)].rate_down.get(), 1);
            let may_share = mode.is_some() && sharing.may_share(now, NodeId(it.station), may_sound);
            Candidate { is_multi_user: it.is_multi_user && may_share, ..*it }
        }));
        sharing.candidates = candidates;
        let most = sharing.rule.users.min(sharing.streams.into());
        let chosen = (2..=most).rev().find_map(|users| self.share(air, mu, (&sharing, users)));
        mu.sharing = Some(sharing);
        chosen
    }

    /// Lets the law choose this number of stations, and shares the streams among them.
    fn share(
        &self,
        air: &Air<P>,
        mu: &mut MultiUserMac,
        (sharing, users): (&Sharing, u16),
    ) -> Option<Receivers> {
        let schedule = mu.down.as_ref()?;
        let params = law::Params { max_users: users, ..schedule.params };
        let splits = [Split { units: users, tones: 1 }];
        let seen = Observation { candidates: &sharing.candidates, splits: &splits };
        let action = law::step(&params, &schedule.state, &seen, &mut mu.order);
        if !matches!(action, Action::MultiUser(_)) {
            return None;
        }
        let tx = |station: u16| self.members[usize::from(station)].rate_down.get();
        let chosen: Vec<u16> = mu.order.assignments().map(|it| it.station).collect();
        let wanted: Vec<u8> = chosen.iter().map(|it| tx(*it).streams()).collect();
        let shares = law::share_streams(&wanted, sharing.streams);
        let part = |(station, streams): (u16, u8)| -> Option<(NodeId, Mode)> {
            let mode = mu.on_streams(tx(station), streams)?;
            mu.holds_a_packet(&air.airtime, station, mode).then_some((NodeId(station), mode))
        };
        let parts = chosen.into_iter().zip(shares).map(part).collect::<Option<Vec<_>>>()?;
        Some(Receivers { answer: mu.unit_for(parts.len()), parts })
    }
}
