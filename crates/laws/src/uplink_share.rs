//! Uplink share: an access point drops data of stations that use the channel for more than their share.
//!
//! Source: the buckets of channel time of [tan-2004 §4], which delay packets to stations. Here they police data from
//! stations. Of N stations that send data, each may use the channel for an N-th of the time. It saves what it does not
//! use, up to [`Params::bucket`], and data beyond the share is dropped. A TCP sender then sends less, and leaves
//! channel time to the other stations.  Deviates: [D-222]
//!
//! The table of stations is updated in place, because a packet changes one station only.

use airfair_units::{Duration, Time};

use crate::connections::ACTIVE;

/// Parameters of the uplink share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Params {
    /// Largest channel time that a station can save for later.
    pub bucket: Duration,
}

impl Default for Params {
    /// A bucket of 50 ms, as that of the time regulator.
    fn default() -> Self {
        Self { bucket: Duration::from_millis(50) }
    }
}

/// A station that has sent data to the access point.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Station {
    /// Time of the station's last data packet.
    seen: Option<Time>,
    /// Channel time of each packet in the station's last data frame.
    packet_time: Duration,
    /// Time until which the share of the station is used up.
    used_until: Time,
}

/// State of the uplink share: all stations of the cell, indexed by their numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct State(Vec<Station>);

/// A data frame that the access point has received from a station.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Frame {
    /// Number of the station in its cell.
    pub station: u16,
    /// Duration of the frame on the air.
    pub duration: Duration,
    /// Number of packets in the frame.
    pub packets: u64,
}

/// Observation of the uplink share: a data packet of a station reaches the access point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Observation {
    /// Time of the observation.
    pub now: Time,
    /// Number of the station in its cell.
    pub station: u16,
}

/// Decision of the uplink share about a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// The packet goes on.
    Forward,
    /// The packet is dropped.
    Drop,
}

impl State {
    fn station(&mut self, number: u16) -> &mut Station {
        let index = usize::from(number);
        if index >= self.0.len() {
            self.0.resize(index + 1, Station::default());
        }
        &mut self.0[index]
    }

    /// Number of stations with data in the last [`ACTIVE`] time. O(stations).
    fn active(&self, now: Time) -> u64 {
        let is_active =
            |it: &&Station| it.seen.is_some_and(|seen| now.saturating_since(seen) < ACTIVE);
        self.0.iter().filter(is_active).count() as u64
    }
}

/// Records a data frame of a station, before its packets are judged.
pub fn hear(state: &mut State, frame: &Frame) {
    state.station(frame.station).packet_time = frame.duration / frame.packets.max(1);
}

/// Decides about a data packet of a station, and charges the station for a packet that goes on.
///
/// A packet that uses the channel for a time t uses the share of one of N stations for N · t.
pub fn step(params: &Params, state: &mut State, seen: &Observation) -> Action {
    let Observation { now, station } = *seen;
    state.station(station).seen = Some(now);
    let active = state.active(now);
    let station = state.station(station);
    let used_until = station.used_until.max(now);
    if used_until - now > params.bucket * active {
        return Action::Drop;
    }
    station.used_until = used_until + station.packet_time * active;
    Action::Forward
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Duration {
        Duration::from_millis(ms)
    }

    /// Sends a packet of a frame of 2 ms from a station. Returns true if it is dropped. The bucket is 5 ms.
    fn is_dropped(state: &mut State, at: u64, station: u16) -> bool {
        hear(state, &Frame { station, duration: ms(2), packets: 1 });
        let seen = Observation { now: Time::ZERO + ms(at), station };
        step(&Params { bucket: ms(5) }, state, &seen) == Action::Drop
    }

    /// Of two stations, each has half of the time: a packet of 2 ms uses the share for 4 ms. Station 1 sends without a
    /// pause. Its share is used up until 4 ms after the first packet, and then until 8, 12, 16, 20 and 24 ms. At 12 ms
    /// this is 12 ms ahead, more than 2 · 5 ms, and the packet is dropped. At 14 ms it is 10 ms, and the packet goes
    /// on; from then on each second packet does. Station 2 sends every 10 ms and loses nothing.
    ///
    /// Verifies: [tan-2004 §4]
    #[test]
    fn a_station_with_more_than_half_of_the_time_loses_each_second_packet() {
        let mut state = State::default();
        let mut dropped = Vec::new();
        for at in (0..=22).step_by(2) {
            assert!(at % 10 > 0 || !is_dropped(&mut state, at, 2), "at {at} ms");
            dropped.extend(is_dropped(&mut state, at, 1).then_some(at));
        }
        assert_eq!(dropped, [12, 16, 20]);
    }

    /// A station may use all the time while no other has sent data in the last two seconds.
    #[test]
    fn a_station_alone_loses_nothing() {
        let mut state = State::default();
        assert!(!is_dropped(&mut state, 0, 2));
        let mut dropped =
            |from| (from..from + 40).step_by(2).any(|at| is_dropped(&mut state, at, 1));
        assert_eq!([dropped(1_900), dropped(2_000)], [true, false]);
    }

    /// The packets of an aggregate share its duration: 8 packets in 8 ms use the channel for 1 ms each. With a bucket
    /// of 5 ms, six of them go on: 5 ms are used before the sixth, and 6 ms before the seventh.
    #[test]
    fn packets_of_an_aggregate_share_its_time() {
        let mut state = State::default();
        hear(&mut state, &Frame { station: 1, duration: ms(8), packets: 8 });
        let seen = Observation { now: Time::ZERO, station: 1 };
        let verdicts = [(); 8].map(|()| step(&Params { bucket: ms(5) }, &mut state, &seen));
        assert_eq!(verdicts.iter().filter(|it| **it == Action::Forward).count(), 6);
    }
}
