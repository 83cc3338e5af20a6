//! Cases found with the model; every time is calculated by hand.

use airfair_units::{Bytes, DataRate};
use airfair_wlan::edca::AccessCategory;
use airfair_wlan::phy::Standard;
use airfair_wlan::{
    AccessParameters, AfterCollision, Attempts, CellConfig, Eifs, ErrorModel, NodeId, QueueConfig,
    Rules, StationConfig,
};
use rand_core::Rng;

use crate::measure;
use crate::model::{Arrival, stream};

fn pair(standard: Standard, rates: &[u64]) -> CellConfig {
    let station = |mbps: &u64| {
        let rate = DataRate::from_mbps(*mbps);
        StationConfig {
            standard,
            link: None,
            rate_up: rate.into(),
            rate_down: rate.into(),
            adaptation: [None; 2],
            queue: QueueConfig::fifo(9),
            access: AccessParameters::default(),
            categories: Vec::new(),
            senses_only: Vec::new(),
            hidden_from: Vec::new(),
            errors: ErrorModel::None,
        }
    };
    let stations = rates.iter().map(station).collect();
    let ap_access = AccessParameters::default();
    CellConfig {
        rules: Rules::of(standard),
        ap_queue: QueueConfig::fifo(9),
        ap_access,
        ap_categories: Vec::new(),
        stations,
        foreign: Vec::new(),
    }
}

fn packet(at: u64, from: u16, to: u16) -> Arrival {
    let (from, to, category) = (NodeId(from), NodeId(to), AccessCategory::default());
    Arrival { at, from, to, size: Bytes::new(972), category }
}

/// A packet that comes during an EIFS draws a back-off if the medium becomes busy before the EIFS is over.
///
/// Verifies: [80211-2020 §10.3.4.2]
#[test]
fn a_packet_that_came_inside_the_gap_draws_a_back_off_if_the_medium_gets_busy_before_its_end() {
    // Station 1 does not decode station 2: an EIFS of 364 µs follows station 2's data. Its packet comes in that time,
    // before the access point's ACK. The ACK makes the medium busy, so station 1 draws a back-off.
    let mut config = pair(Standard::B, &[11, 11]);
    config.stations[0].senses_only = vec![NodeId(2)];
    // Data 192 + 8000/11 = 920 µs: 1000 … 1920. ACK 1930 … 2178; DIFS; back-off; 920 µs.
    let backoff = u64::from(stream(0, 1).next_u32()) >> 27;
    assert_ne!(backoff, 0, "the seed of this test draws a back-off");
    let sent = measure(&config, &[packet(1000, 2, 0), packet(1925, 1, 0)], 9000);
    assert_eq!(sent[2], (2178 + 50 + 20 * backoff + 920, 1, 0, false));
}

/// A sender without a response is not bound by the NAV of its own frame: it counts its back-off after the ACK time-out.
///
/// Verifies: [80211-2020 §10.3.2.9]
#[test]
fn a_sender_without_answer_is_not_held_by_its_own_nav_whatever_follows_collisions() {
    // The access point's frame to a station that cannot decode it. Time-out 222 µs after its end at 1920; slots start
    // at DIFS + k·20: the next one at 230. Its own NAV would end at 1920 + 10 + 248, and a DIFS later at 308.
    let backoff = u64::from(stream(0, 0).next_u32()) >> 26;
    for after_collision in [AfterCollision::Standard, AfterCollision::Difs, AfterCollision::Eifs] {
        let mut config = pair(Standard::B, &[11]);
        config.rules.after_collision = after_collision;
        config.stations[0].senses_only = vec![NodeId::AP];
        let sent = measure(&config, &[packet(1000, 0, 1)], 5000);
        let again = 1920 + 230 + 20 * backoff + 920;
        assert_eq!(sent[..2], [(1920, 0, 0, false), (again, 0, 0, false)], "{after_collision:?}");
    }
}

/// A station that has decoded a frame stays quiet until its NAV ends, even if the response does not come.
///
/// Verifies: [80211-2020 §10.3.2.4]
#[test]
fn the_nav_keeps_a_listener_quiet_even_where_no_response_comes() {
    // The access point's frame to station 1, which cannot decode it, is sent once. Station 2 decodes it. Data 1000 …
    // 1920, SIFS 10, ACK 248: NAV until 2178; DIFS 50, data 920. RTS 1000 … 1272, 3 SIFS, CTS 248, data 920, ACK 248:
    // NAV until 2718; DIFS 50, RTS 272.
    for (threshold, at, end) in [(None, 1925, 2228 + 920), (Some(0), 1277, 2768 + 272)] {
        let mut config = pair(Standard::B, &[11, 11]);
        config.stations[0].senses_only = vec![NodeId::AP];
        config.rules.attempts = Attempts::Max(1);
        config.rules.rts_threshold = threshold.map(Bytes::new);
        (config.rules.cw_min, config.rules.cw_max) = (Some(0), Some(0));
        let sent = measure(&config, &[packet(1000, 0, 1), packet(at, 2, 0)], 9000);
        assert_eq!((sent[1].0, sent[1].1), (end, 2));
    }
}

/// An RTS does not set the NAV of the station to which it is addressed.
///
/// Verifies: [80211-2020 §10.3.2.4, §10.3.2.7]
#[test]
fn an_rts_does_not_set_the_nav_of_the_station_that_it_asks() {
    // Station 2 does not decode station 1's ACK, and keeps its EIFS as a NAV until 364 µs after it. The access point
    // has no back-off: its first RTS to station 2 comes a DIFS after the ACK and is not answered. At the second RTS
    // station 2's NAV is over, although the first one would have prolonged it.
    let mut config = pair(Standard::B, &[11, 11]);
    config.stations[1].senses_only = vec![NodeId(1)];
    config.rules.eifs = Eifs::Nav;
    config.rules.rts_threshold = Some(Bytes::new(1000));
    (config.rules.cw_min, config.rules.cw_max) = (Some(0), Some(0));
    let long = Arrival { size: Bytes::new(973), ..packet(1000, 0, 2) };
    let sent = measure(&config, &[packet(1000, 0, 1), long], 9000);
    // Data 1000 … 1920, ACK 1930 … 2178, NAV of station 2 until 2542. RTS 192 + 80 = 272: 2228 … 2500. Slots at 2550
    // + k·20, time-out at 2722: the next RTS 2730 … 3002; CTS 248: 3012 … 3260.
    let expected = [(1920, 0, 0), (2178, 1, 2), (2500, 0, 1), (3002, 0, 1), (3260, 2, 2)];
    let sent: Vec<_> = sent[..5].iter().map(|(end, node, kind, _)| (*end, *node, *kind)).collect();
    assert_eq!(sent, expected);
}
