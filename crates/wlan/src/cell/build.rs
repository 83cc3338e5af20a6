//! Construction of a cell from its configuration.

use std::collections::VecDeque;

use airfair_laws::Direction;
use airfair_units::Time;

use super::interface::Cell;
use super::mac::CellMac;
use super::member::Member;
use super::multi_user::schedule::MultiUserMac;
use super::overheard::HeardFrames;
use super::recipients::Recipients;
use crate::air::Air;
use crate::air::access::accesses;
use crate::air::contention::Capture;
use crate::air::hearing::Hearing;
use crate::air::noise::Noise;
use crate::airtime::Airtime;
use crate::capabilities::LinkCapabilities;
use crate::config::{CellConfig, StationConfig};
use crate::link_rate::{LinkRate, RateLaw};
use crate::node::NodeId;
use crate::phy::mode_groups::mode_groups;
use crate::phy::{Mode, Standard, TxVector};
use crate::queue::TransmitQueue;
use crate::queue::headers::Headers;
use crate::radio::Propagation;
use crate::random::Stream;
use crate::roster::{ContenderId, Roster};

impl<P: Copy + Headers> Cell<P> {
    /// Creates a silent cell. `streams` are the random streams of the members' back-offs, the access point's first,
    /// and `error_streams` those of the stations' links.
    ///
    /// # Panics
    /// If the number of streams does not match the members and links, or an AIFSN is zero.
    pub fn new(config: &CellConfig, streams: Vec<Stream>, error_streams: Vec<Stream>) -> Self {
        let roster = Roster::new(config);
        let hearing = Hearing::fixed(config, &roster);
        Self::on(config, streams, Noise::links(config, error_streams), (hearing, roster))
    }

    /// Creates a silent cell with a radio, in which received powers decide audibility and frame errors. `all_decode` is
    /// the result of [`Propagation::all_decode`]. The cost of simulating a frame that some members do not sense grows
    /// with the number of members.
    ///
    /// # Panics
    /// If the number of streams does not match the members, or an AIFSN is zero.
    pub fn with_propagation(
        propagation: Propagation,
        all_decode: bool,
        config: &CellConfig,
        streams: Vec<Stream>,
    ) -> Self {
        let roster = Roster::new(config);
        // Whether members hear foreign ones, or answers to triggers, depends on the powers of each frame.
        let is_shared = !config.foreign.is_empty();
        let has_target = config.rules.multi_user.ofdma.is_some_and(|it| it.target_rssi.is_some());
        let is_fixed = all_decode && !is_shared && !has_target;
        let hearing = if is_fixed { Hearing::fixed } else { Hearing::changing };
        let hearing = (hearing(config, &roster), roster);
        let (capture, detection) = (propagation.capture(), propagation.energy_detection());
        let mut cell =
            Self::on(config, streams, Noise::Propagation(Box::new(propagation)), hearing);
        if is_shared {
            cell.air.contention.set_capture(Capture::Interference(capture));
            // Only the interference of a frame that is not sensed destroys others.
            cell.air.contention.set_energy_detection(detection);
        } else if let Some(margin) = capture {
            cell.air.contention.set_capture(Capture::Margin(margin));
        }
        cell
    }

    /// Creates a silent cell whose audibility may change: see [`set_audibility`](Self::set_audibility). The cost of
    /// simulating a frame that some members do not sense grows with the number of members.
    ///
    /// # Panics
    /// As [`new`](Self::new).
    pub fn with_relation(
        config: &CellConfig,
        streams: Vec<Stream>,
        error_streams: Vec<Stream>,
    ) -> Self {
        let roster = Roster::new(config);
        let hearing = Hearing::changing(config, &roster);
        Self::on(config, streams, Noise::links(config, error_streams), (hearing, roster))
    }

    fn on(
        config: &CellConfig,
        streams: Vec<Stream>,
        noise: Noise,
        (hearing, roster): (Hearing, Roster),
    ) -> Self {
        let airtime = Airtime::new(config);
        let accesses = accesses(config, &airtime, &roster, streams);
        let queue = |id: ContenderId| {
            let station = id.member().index().checked_sub(1).map(|index| &config.stations[index]);
            TransmitQueue::new(station.map_or(config.ap_queue, |station| station.queue))
        };
        let mac = CellMac {
            members: members(config, &airtime),
            queues: roster.all().map(queue).collect(),
            received: if roster.is_plain() { Vec::new() } else { vec![None; roster.hops()] },
            recipients: Recipients::default(),
            deliveries: Vec::new(),
            departures: Vec::new(),
            reports_delivered: true,
            rate_changes: VecDeque::new(),
            adapts: config.stations.iter().any(|s| s.adaptation.iter().any(Option::is_some)),
            shares_time: config.ap_queue.discipline.shares_time(),
            multi_user: MultiUserMac::new(config, &roster),
            heard: HeardFrames::default(),
            monitor: None,
        };
        let air = Air::new(config, airtime, (hearing, roster), accesses, noise);
        let mut cell = Self { air, mac };
        for (index, station) in config.stations.iter().enumerate() {
            if let Some(agreement) = station.link.as_ref().and_then(LinkCapabilities::agreement) {
                for direction in [Direction::Up, Direction::Down] {
                    cell.agree(NodeId::station(index), direction, agreement);
                }
            }
        }
        let Self { air, mac } = &mut cell;
        if mac.multi_user.is_some() {
            mac.plan_release(air);
            air.plan_next(Time::ZERO);
        }
        cell
    }
}

/// Members of the cell: the access point, which has no link to itself, and the stations with the rates of their links.
fn members(config: &CellConfig, airtime: &Airtime) -> Vec<Member> {
    let highest =
        *vectors(config.rules.legacy(), airtime).last().expect("every standard has rates");
    let ap = Member::new([LinkRate::fixed(highest), LinkRate::fixed(highest)]);
    let station = |station: &StationConfig| {
        let [up, down] = station.adaptation;
        let link = |rate, law| link_rate(airtime, station, airtime.vector(rate), law);
        Member::new([link(station.rate_up, up), link(station.rate_down, down)])
    };
    std::iter::once(ap).chain(config.stations.iter().map(station)).collect()
}

/// Rate of data frames of a station in one direction: `tx`, or the rate that the rate control `law` chooses.
fn link_rate(
    airtime: &Airtime,
    station: &StationConfig,
    tx: TxVector,
    law: Option<RateLaw>,
) -> LinkRate {
    if let (Some(RateLaw::MinstrelHt { params, seed }), Some(link)) = (law, station.link) {
        return LinkRate::grouped((params, seed), mode_groups(link.format, airtime.band()));
    }
    let modes = |modes: Vec<Mode>| modes.into_iter().map(TxVector::Mode).collect();
    let vectors = || match (station.link, law) {
        (None, _) => vectors(station.standard, airtime),
        // An oracle may choose any mode, because it knows which of two modes with one rate is better now.
        (Some(link), Some(RateLaw::Oracle { .. })) => modes(link.modes()),
        (Some(link), _) => modes(link.ladder()),
    };
    match law {
        // Cost of a lost frame, with the back-off before it.
        Some(law @ RateLaw::Oracle { highest }) => {
            let (backoff, mut vectors) = (airtime.mean_backoff(), vectors());
            let most = highest.map(|it| it.max(vectors[0].rate()));
            vectors.retain(|tx| most.is_none_or(|most| tx.rate() <= most));
            LinkRate::adapted(law, vectors, |tx| backoff + airtime.exchange(tx))
        }
        Some(law) => LinkRate::adapted(law, vectors(), |tx| airtime.exchange(tx)),
        None => LinkRate::fixed(tx),
    }
}

fn vectors(standard: Standard, airtime: &Airtime) -> Vec<TxVector> {
    standard.rates().iter().map(|rate| airtime.vector(*rate)).collect()
}
