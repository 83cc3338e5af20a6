//! Equal shares of airtime at an access point. It grants the shares, and limits the TCP connections
//! of its stations to them.
//!
//! Source: [occupancy-tfrc §III]. Grants, shares of flows, rates and windows are functions of the
//! law, called in the paper's order. In the paper beacons carry the grants and stations limit
//! themselves. Here the access point limits stations that do not know the scheme, by windows in the
//! ACKs that it forwards. It leaves stations alone that ask for grants.  Deviates: [D-174],
//! [D-175], [D-176], [D-195]

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::net::{IpAddr, Ipv4Addr, SocketAddr};

use airfair_laws::occupancy::station::share;
use airfair_laws::occupancy::{Grant, access_point};
use airfair_units::{Bytes, Duration, Time};

use crate::configuration::Occupancy;
use crate::connections::{ConnectionTracker, ConnectionTraffic, Ends, FORGOTTEN, Traffic};
use crate::decision::{ConnectionLimit, Decision};
use crate::estimate::{Estimate, Estimator, LinkEstimate, sum};
use crate::grants::LEASE;
use crate::grants::answering::ROOM;
use crate::sample::{Asked, Sample};
use crate::shares::{
    Connection, EnforcedBy, Flow, Granted, LimitState, Slot, StationShare, is_active, occupancy,
    only_asks,
};

/// Lengths of IPv4 and IPv6 headers with TCP header, without options [octets].  [RFC9293 §3.1]
const HEADERS: [u64; 2] = [40, 60];
/// Length of the timestamps option in a TCP header [octets].  [RFC7323 §3.2]
const TIMESTAMPS: u64 = 12;
/// Number of samples from the computation of a grant until a station limits its flows to it. The
/// access point sends the grant in the reply to the next request, and the station applies it at its
/// own next sample.
const LATE: usize = 2;

/// Connection that the access point forwards: its station, round trip and limits.
#[derive(Clone, Debug)]
struct KnownConnection {
    /// Name of the link of the connection's station.
    link: String,
    round_trip: Option<Duration>,
    limits: LimitState,
    /// Time of the connection's last traffic.
    seen: Time,
}

impl AsMut<LimitState> for KnownConnection {
    fn as_mut(&mut self) -> &mut LimitState {
        &mut self.limits
    }
}

/// IP address whose station has asked for grants within the last second.
#[derive(Clone, Debug)]
struct Requester {
    /// MAC address of the station, where it is known.
    station: Option<String>,
    asked_at: Time,
}

/// Station that has announced to limit itself to its grant.  Deviates: [D-195]
#[derive(Clone, Debug, Default)]
struct Keeper {
    /// Shares of airtime granted to the station with the last few samples.
    shares: VecDeque<f64>,
    /// Consecutive samples in which the station used clearly more than its share.
    over: u16,
    /// Time until which the access point does not believe the station's announcement.
    doubted_until: Option<Time>,
}

/// Law of equal airtime shares at an access point, with its state: traffic, stations that ask for
/// grants, and shares granted.
#[derive(Clone, Debug)]
pub struct AccessPoint {
    settings: Occupancy,
    estimator: Estimator,
    tracker: ConnectionTracker,
    slot: Slot,
    known: BTreeMap<Ends, KnownConnection>,
    /// Stations that have asked for grants within the last second, by IP address.
    requesters: BTreeMap<IpAddr, Requester>,
    /// Stations that have asked for grants, by the name of their link, and so announce that they
    /// limit themselves. A station is removed a second after its last request, unless the access
    /// point has found that the station does not limit itself.
    keepers: BTreeMap<String, Keeper>,
    grant: Option<Grant>,
    granted: Vec<Granted>,
    is_limiting: bool,
}

impl AccessPoint {
    /// Makes the law of equal airtime shares. Link rates are medians of the last `polls` samples.
    pub fn new(settings: Occupancy, polls: usize) -> Self {
        Self {
            settings,
            estimator: Estimator::new(polls),
            tracker: ConnectionTracker::default(),
            slot: Slot::new(settings.params.beacons),
            known: BTreeMap::new(),
            requesters: BTreeMap::new(),
            keepers: BTreeMap::new(),
            grant: None,
            granted: Vec::new(),
            is_limiting: false,
        }
    }

    /// Shares of airtime of all active stations, by link.
    pub fn granted(&self) -> &[Granted] {
        &self.granted
    }

    /// Grant that follows from the last sample, for stations that ask for grants.
    pub fn grant(&self) -> Option<Grant> {
        self.grant
    }

    /// Processes a sample. Returns the estimates, and the decision if it has changed.
    pub fn take(&mut self, sample: &Sample) -> (Estimate, Option<Decision>) {
        let seen = self.estimator.take(sample);
        let connections = self.tracker.take(sample);
        if seen.links.is_empty() {
            return (seen, self.forget());
        }
        if !seen.elapsed.is_zero() {
            self.observe(&seen, &connections);
        }
        let keepers = self.update_keepers(sample, &seen.links, seen.at);
        let windows = self.share_out(&seen, &keepers);
        self.is_limiting |= !windows.is_empty();
        (seen, (!windows.is_empty()).then_some(Decision::Windows(windows)))
    }

    /// Forgets all stations and connections after a failed sample, and lifts the limits.
    fn forget(&mut self) -> Option<Decision> {
        self.slot.clear();
        self.known.clear();
        self.grant = None;
        self.granted.clear();
        std::mem::take(&mut self.is_limiting).then_some(Decision::Lift)
    }

    /// Adds the traffic since the last sample to the observation slot and to the known connections.
    fn observe(&mut self, seen: &Estimate, connections: &[ConnectionTraffic]) {
        let links: BTreeMap<&str, &LinkEstimate> =
            seen.links.iter().map(|link| (link.address(), link)).collect();
        let of = |it: &ConnectionTraffic| links.get(&*it.station).copied();
        self.slot.push(seen, connections.iter().filter(|it| of(it).is_some()));
        for connection in connections {
            let Some(link) = of(connection) else { continue };
            let before = self.known.get(&connection.ends);
            let known = KnownConnection {
                link: link.name.clone(),
                round_trip: before.and_then(|it| it.round_trip),
                limits: LimitState {
                    largest: connection.largest,
                    octets: before.map(|it| it.limits.octets).unwrap_or_default(),
                },
                seen: seen.at,
            };
            self.known.insert(connection.ends, known);
        }
        self.known.retain(|_, known| seen.at.saturating_since(known.seen) < FORGOTTEN);
    }

    /// Names of the links of stations that limit their own windows: those that have asked this
    /// access point for a grant of airtime within the last second. A station with this IP address
    /// is found in the kernel's neighbour table or by its connections. A station that is unknown in
    /// both has no traffic to limit, and is left out.
    fn update_keepers(
        &mut self,
        sample: &Sample,
        links: &[LinkEstimate],
        now: Time,
    ) -> BTreeSet<String> {
        for Asked { address, station } in &sample.asked {
            if self.requesters.len() < ROOM || self.requesters.contains_key(address) {
                let station = station.clone();
                self.requesters.insert(*address, Requester { station, asked_at: now });
            }
        }
        self.requesters.retain(|_, it| now.saturating_since(it.asked_at) < LEASE);
        let stations: BTreeMap<&str, &LinkEstimate> =
            links.iter().map(|it| (it.address(), it)).collect();
        let link = |(ip, requester): (&IpAddr, &Requester)| {
            let station = requester.station.as_deref().and_then(|it| stations.get(it));
            station.map(|it| it.name.clone()).or_else(|| self.link_of(*ip))
        };
        let keepers: BTreeSet<String> = self.requesters.iter().filter_map(link).collect();
        let is_doubted = |it: &Keeper| it.doubted_until.is_some_and(|at| now < at);
        self.keepers.retain(|link, it| keepers.contains(link) || is_doubted(it));
        keepers
    }

    /// Link of the station that has a connection with this IP address; `None` if no known
    /// connection has it.
    fn link_of(&self, address: IpAddr) -> Option<String> {
        let first = SocketAddr::new(address, 0);
        let lowest = SocketAddr::from((Ipv4Addr::UNSPECIFIED, 0));
        let (ends, known) = self.known.range([first, lowest]..).next()?;
        (ends[0].ip() == address).then(|| known.link.clone())
    }

    /// Divides the airtime among the active stations, and the share of each station among its
    /// flows. `keepers` are the links of the stations that have announced to limit themselves. The
    /// access point sets no limits for the flows of these stations, unless it does not believe the
    /// announcement. Returns the limits that have changed.  [occupancy-tfrc eq. 2 to 18]
    fn share_out(&mut self, seen: &Estimate, keepers: &BTreeSet<String>) -> Vec<ConnectionLimit> {
        let (links, slot) = (&seen.links, self.slot.length());
        self.granted.clear();
        self.grant = None;
        if slot.is_zero() {
            return Vec::new();
        }
        let (stations, asking) = self.active(links, keepers);
        let occupied: Vec<Duration> = stations.iter().map(|(_, occupied)| *occupied).collect();
        // No counter shows real beacons.  Deviates: [D-175]
        let (beacons, backoff) = (asking, Duration::ZERO);
        let observation = access_point::Observation { slot, beacons, occupied: &occupied, backoff };
        let params = self.settings.params;
        let grant = access_point::grant(&params, &observation);
        self.grant = Some(grant);
        let mut flows = self.flows(links, slot);
        let mut windows = Vec::new();
        for (link, occupied) in stations {
            let used = occupied.as_secs_f64() / slot.as_secs_f64();
            let it = StationShare { used, available: share(&params, grant, used), slot };
            let mut kept_by = EnforcedBy::AccessPoint;
            if keepers.contains(&link.name) {
                self.check_keeper(&link.name, seen.at, &it);
                let is_doubted = self.is_doubted(&link.name, seen.at);
                kept_by = if is_doubted { EnforcedBy::Both } else { EnforcedBy::Station };
            }
            let station = link.name.clone();
            self.granted.push(Granted { station, used, share: it.available, kept_by });
            if kept_by != EnforcedBy::Station {
                let flows = flows.remove(&link.name).unwrap_or_default();
                windows.extend(it.keep(&self.settings, &flows, &mut self.known));
            }
        }
        windows.extend(self.free(keepers, seen.at));
        windows
    }

    /// Active stations with their channel occupancy times, and the total occupancy of the stations
    /// that only asked for grants. Asking takes the place of receiving beacons, so it does not make
    /// a station active.  Deviates: [D-193]
    fn active<'l>(
        &self,
        links: &'l [LinkEstimate],
        keepers: &BTreeSet<String>,
    ) -> (Vec<(&'l LinkEstimate, Duration)>, Duration) {
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

    /// Checks a station that has announced to limit itself. If it uses clearly more than its share
    /// in `patience` consecutive samples, the access point limits it for a minute. Clearly more
    /// means more than the share divided by r, the ratio below which a station counts as satisfied.
    /// Deviates: [D-195]
    fn check_keeper(&mut self, link: &str, now: Time, it: &StationShare) {
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

    /// Removes limits from the connections of stations that limit themselves.
    fn free(&mut self, keepers: &BTreeSet<String>, now: Time) -> Vec<ConnectionLimit> {
        let stations: BTreeSet<&str> =
            keepers.iter().map(|it| &**it).filter(|it| !self.is_doubted(it, now)).collect();
        let mut windows = Vec::new();
        if stations.is_empty() {
            return windows;
        }
        for (ends, known) in &mut self.known {
            if known.limits.octets != [None; 2] && stations.contains(&*known.link) {
                let octets = std::mem::take(&mut known.limits.octets);
                let [up, down] = octets.map(|it| it.map(|_| ConnectionLimit::FREE));
                windows.push(ConnectionLimit { ends: *ends, up, down });
            }
        }
        windows
    }

    /// Data flows in the observation slot that can be limited, by link.
    fn flows(&mut self, links: &[LinkEstimate], slot: Duration) -> BTreeMap<String, Vec<Flow>> {
        let links: BTreeMap<&str, &LinkEstimate> = links.iter().map(|it| (&*it.name, it)).collect();
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

/// Length of the headers of the packets that one end of a connection has sent.
fn headers(ends: &Ends, sent: &Traffic) -> Bytes {
    let stamps = if sent.echoes > 0 { TIMESTAMPS } else { 0 };
    Bytes::new(HEADERS[usize::from(ends[0].is_ipv6())] + stamps)
}

#[cfg(test)]
mod tests;
