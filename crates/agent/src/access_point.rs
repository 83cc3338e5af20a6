//! Equal shares of the channel at an access point: it grants them, and keeps the TCP connections of its stations to them.
//!
//! Source: [occupancy-tfrc §III]. Grant, shares of flows, rates and windows are the laws' own, in their order. There a
//! station keeps itself to what beacons grant it; here the access point does it for stations that know nothing, by
//! windows in the ACKs that it forwards, and leaves those alone that ask for grants.  Deviates: [D-174], [D-175], [D-176], [D-195]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use airfair_laws::occupancy::station::share;
use airfair_laws::occupancy::{Grant, access_point};
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::Occupancy;
use crate::connections::{Ends, FORGOTTEN, Follower, Moved, SeenConnection};
use crate::decision::{Decision, Window};
use crate::estimate::{Estimator, Seen, SeenLink, sum};
use crate::grants::LEASE;
use crate::grants::answering::ROOM;
use crate::sample::{Asked, Sample};
use crate::shares::{
    Connection, Flow, Granted, KeptBy, Limits, Share, Slot, is_active, occupancy, only_asks,
};

/// Octets of headers of IPv4 and IPv6 with TCP's, and of TCP's timestamps.  [RFC9293 §3.1], [RFC7323 §3.2]
const HEADERS: [u64; 2] = [40, 60];
const TIMESTAMPS: u64 = 12;
/// Samples until a grant acts: it is in the answer to the next question, and taken with the sample behind that.
const LATE: usize = 2;

/// A connection, as far as it is remembered.
#[derive(Clone, Debug)]
struct Known {
    /// Link of its station.
    link: String,
    round_trip: Option<Duration>,
    limits: Limits,
    /// Time at which it was seen last.
    seen: Time,
}

impl AsMut<Limits> for Known {
    fn as_mut(&mut self) -> &mut Limits {
        &mut self.limits
    }
}

/// Who has asked within the last second.
#[derive(Clone, Debug)]
struct Asker {
    /// Its address on the air, where it is known.
    station: Option<String>,
    asked_at: Time,
}

/// A station that says that it keeps what it is granted.  Deviates: [D-195]
#[derive(Clone, Debug, Default)]
struct Keeper {
    /// Shares that it was granted of late.
    shares: VecDeque<f64>,
    /// Samples in a row in which it had clearly more.
    over: u16,
    /// Time until which it is not believed.
    doubted_until: Option<Time>,
}

/// Memory from sample to sample.
#[derive(Clone, Debug)]
pub struct AccessPoint {
    settings: Occupancy,
    estimator: Estimator,
    follower: Follower,
    slot: Slot,
    known: BTreeMap<Ends, Known>,
    /// Addresses that have asked for grants, and what is known of them.
    askers: BTreeMap<IpAddr, Asker>,
    /// Stations that have asked of late, or were found to hold more than they said, by their links.
    keepers: BTreeMap<String, Keeper>,
    grant: Option<Grant>,
    granted: Vec<Granted>,
    is_limiting: bool,
}

impl AccessPoint {
    /// One with such settings; rates are medians of so many.
    pub fn new(settings: Occupancy, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            follower: Follower::default(),
            slot: Slot::new(settings.params.beacons),
            known: BTreeMap::new(),
            askers: BTreeMap::new(),
            keepers: BTreeMap::new(),
            grant: None,
            granted: Vec::new(),
            is_limiting: false,
        }
    }

    /// Shares of all stations that were active, by their links' names.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// The grant of the last sample, for stations that ask.
    pub fn grant(&self) -> Option<Grant> {
        self.grant
    }

    /// Takes in a sample: what was seen, and what changes.
    pub fn take(&mut self, sample: &Sample) -> (Seen, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.follower.take(sample);
        if seen.links.is_empty() {
            return (seen, self.forget());
        }
        if !seen.elapsed.is_zero() {
            self.observe(&seen, &connections);
        }
        let keepers = self.hear(sample, &seen.links, seen.at);
        let windows = self.share_out(&seen, &keepers);
        self.is_limiting |= !windows.is_empty();
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Nothing is seen any more.
    fn forget(&mut self) -> Option<Decision> {
        self.slot.clear();
        self.known.clear();
        self.grant = None;
        self.granted.clear();
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Takes note of what has happened since the last sample.
    fn observe(&mut self, seen: &Seen, connections: &[SeenConnection]) {
        let links: BTreeMap<&str, &SeenLink> =
            seen.links.iter().map(|link| (address(link), link)).collect();
        let of = |it: &SeenConnection| links.get(&*it.station).copied();
        self.slot.push(seen, connections.iter().filter(|it| of(it).is_some()));
        for connection in connections {
            let Some(link) = of(connection) else { continue };
            let before = self.known.get(&connection.ends);
            let known = Known {
                link: link.name.clone(),
                round_trip: before.and_then(|it| it.round_trip),
                limits: Limits {
                    largest: connection.largest,
                    octets: before.map(|it| it.limits.octets).unwrap_or_default(),
                },
                seen: seen.at,
            };
            self.known.insert(connection.ends, known);
        }
        self.known.retain(|_, known| seen.at.saturating_since(known.seen) < FORGOTTEN);
    }

    /// Links of stations that have asked within the last second. Whose an address is the kernel knows, or its connections tell;
    /// of who is unknown there is nothing to limit either.
    fn hear(&mut self, sample: &Sample, links: &[SeenLink], now: Time) -> BTreeSet<String> {
        for Asked { address, station } in &sample.asked {
            if self.askers.len() < ROOM || self.askers.contains_key(address) {
                let station = station.clone();
                self.askers.insert(*address, Asker { station, asked_at: now });
            }
        }
        self.askers.retain(|_, it| now.saturating_since(it.asked_at) < LEASE);
        let stations: BTreeMap<&str, &SeenLink> =
            links.iter().map(|it| (address(it), it)).collect();
        let link = |(ip, asker): (&IpAddr, &Asker)| {
            let station = asker.station.as_deref().and_then(|it| stations.get(it));
            station.map(|it| it.name.clone()).or_else(|| self.link_of(*ip))
        };
        let keepers: BTreeSet<String> = self.askers.iter().filter_map(link).collect();
        let is_doubted = |it: &Keeper| it.doubted_until.is_some_and(|at| now < at);
        self.keepers.retain(|link, it| keepers.contains(link) || is_doubted(it));
        keepers
    }

    /// Link of a station by the address of its end of some connection.
    fn link_of(&self, address: IpAddr) -> Option<String> {
        let first = SocketAddr::new(address, 0);
        let lowest = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let (ends, known) = self.known.range([first, lowest]..).next()?;
        (ends[0].ip() == address).then(|| known.link.clone())
    }

    /// Grants shares to stations, and divides those of stations that do not do it themselves between their flows: limits that are
    /// new.  [occupancy-tfrc eq. 2 to 18]
    fn share_out(&mut self, seen: &Seen, keepers: &BTreeSet<String>) -> Vec<Window> {
        let (links, slot) = (&seen.links, self.slot.length());
        self.granted.clear();
        self.grant = None;
        if slot.is_zero() {
            return Vec::new();
        }
        let (stations, asking) = self.active(links, keepers);
        let occupied: Vec<Duration> = stations.iter().map(|(_, occupied)| *occupied).collect();
        // Real beacons are not counted.  Deviates: [D-175]
        let (beacons, backoff) = (asking, Duration::ZERO);
        let observation = access_point::Observation { slot, beacons, occupied: &occupied, backoff };
        let params = self.settings.params;
        let grant = access_point::grant(&params, &observation);
        self.grant = Some(grant);
        let mut flows = self.flows(links, slot);
        let mut windows = Vec::new();
        for (link, occupied) in stations {
            let used = occupied.as_secs_f64() / slot.as_secs_f64();
            let it = Share { used, available: share(&params, grant, used), slot };
            let mut kept_by = KeptBy::AccessPoint;
            if keepers.contains(&link.name) {
                self.judge(&link.name, seen.at, &it);
                let is_doubted = self.is_doubted(&link.name, seen.at);
                kept_by = if is_doubted { KeptBy::Both } else { KeptBy::Station };
            }
            let station = link.name.clone();
            self.granted.push(Granted { station, used, share: it.available, kept_by });
            if kept_by != KeptBy::Station {
                let flows = flows.remove(&link.name).unwrap_or_default();
                windows.extend(it.keep(&self.settings, &flows, &mut self.known));
            }
        }
        windows.extend(self.free(keepers, seen.at));
        windows
    }

    /// Stations that were active, with their channel occupancy times, and the time of those that did nothing but ask: what takes
    /// the place of beacons makes nobody active.  Deviates: [D-193]
    fn active<'l>(
        &self,
        links: &'l [SeenLink],
        keepers: &BTreeSet<String>,
    ) -> (Vec<(&'l SeenLink, Duration)>, Duration) {
        let (mut stations, mut asking) = (Vec::new(), Duration::ZERO);
        for link in links {
            let used = self.slot.used_by(&link.name);
            let occupied = occupancy(link, &used);
            if keepers.contains(&link.name) && only_asks(&used, self.slot.intervals()) {
                asking = sum(asking, occupied);
            } else if is_active(&used) {
                stations.push((link, occupied));
            }
        }
        (stations, asking)
    }

    /// Takes note of what a station that says that it keeps its share has held: who has held clearly more for `patience` samples
    /// in a row is doubted for a minute. Clearly more is as far above a share as satisfied is below one, share / r.
    /// Deviates: [D-195]
    fn judge(&mut self, link: &str, now: Time, it: &Share) {
        let params = self.settings.params;
        let keeper = self.keepers.entry(link.to_owned()).or_default();
        let most = keeper.shares.iter().copied().fold(it.available, f64::max);
        keeper.over = if it.used > most / params.satisfied.get() { keeper.over + 1 } else { 0 };
        keeper.shares.push_back(it.available);
        while keeper.shares.len() > usize::from(params.beacons) + LATE {
            keeper.shares.pop_front();
        }
        if keeper.over >= params.patience {
            keeper.over = 0;
            keeper.doubted_until = Some(now + FORGOTTEN);
        }
    }

    fn is_doubted(&self, link: &str, now: Time) -> bool {
        let until = self.keepers.get(link).and_then(|it| it.doubted_until);
        until.is_some_and(|at| now < at)
    }

    /// Takes limits from the connections of stations that keep them to their shares themselves.
    fn free(&mut self, keepers: &BTreeSet<String>, now: Time) -> Vec<Window> {
        let stations: BTreeSet<&str> =
            keepers.iter().map(|it| &**it).filter(|it| !self.is_doubted(it, now)).collect();
        let mut windows = Vec::new();
        if stations.is_empty() {
            return windows;
        }
        for (ends, known) in &mut self.known {
            if known.limits.octets != [None; 2] && stations.contains(&*known.link) {
                let octets = std::mem::take(&mut known.limits.octets);
                let [up, down] = octets.map(|it| it.map(|_| Window::FREE));
                windows.push(Window { ends: *ends, up, down });
            }
        }
        windows
    }

    /// Flows in the slot, by the links of their stations.
    fn flows(&mut self, links: &[SeenLink], slot: Duration) -> BTreeMap<String, Vec<Flow>> {
        let links: BTreeMap<&str, &SeenLink> = links.iter().map(|it| (&*it.name, it)).collect();
        let mut flows: BTreeMap<String, Vec<Flow>> = BTreeMap::new();
        for (ends, moved) in self.slot.moved() {
            let Some(known) = self.known.get_mut(&ends) else { continue };
            let Some(link) = links.get(&*known.link) else { continue };
            if let (Some(there), Some(back)) = (moved[0].mean_echo(), moved[1].mean_echo()) {
                known.round_trip = Some(sum(there, back));
            }
            let connection = Connection {
                ends,
                moved: &moved,
                headers: [headers(&ends, &moved[0]), headers(&ends, &moved[1])],
                round_trips: [known.round_trip.unwrap_or_default(); 2],
            };
            flows.entry(known.link.clone()).or_default().extend(connection.flows(link, slot));
        }
        flows
    }
}

/// Address of a link's station on the air, the last word of its name.
fn address(link: &SeenLink) -> &str {
    link.name.rsplit(' ').next().unwrap_or_default()
}

/// Headers of packets that one end has sent.
fn headers(ends: &Ends, sent: &Moved) -> Bytes {
    let stamps = if sent.echoes > 0 { TIMESTAMPS } else { 0 };
    Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + stamps)
}

#[cfg(test)]
mod tests;
