//! Durations of the frame exchanges between a station and its access point.

use std::sync::Arc;

use airfair_laws::Direction;
use airfair_laws::exchange::{Exchange, Load};
use airfair_units::{Bytes, DataRate, Duration};
use airfair_wlan::aggregation::Agreement;
use airfair_wlan::airtime::{Airtime, Protection};
use airfair_wlan::phy::TxVector;
use airfair_wlan::{Carrier, NodeId};

use super::View;

/// Exchange that begins with a channel access of duration `access` and carries the packets of `load`.
pub(super) fn exchange(
    airtime: &Airtime,
    agreement: Option<&Agreement>,
    tx: TxVector,
    (access, load): (Duration, &Load),
) -> Exchange {
    let Carrier { packets, psdu, data, response: ack } =
        Carrier::of(airtime, agreement, (load.msdu, load.max_packets), tx);
    let protection = match airtime.protection_of(psdu, tx) {
        Protection::None => [None; 2],
        Protection::CtsToSelf(tx) => [None, Some(airtime.cts(tx))],
        Protection::RtsCts(tx) => [Some(airtime.rts(tx)), Some(airtime.cts(tx))],
    };
    Exchange { access, protection, data, ack, sifs: airtime.timing.sifs, packets }
}

/// Link between a station and its access point, as far as the station knows it: the timing of the cell, and the limits
/// of aggregates in both directions. An agent keeps it longer than its [`View`].
#[derive(Clone, Debug)]
pub struct Link {
    station: NodeId,
    airtime: Arc<Airtime>,
    /// Rules for aggregates up and down.
    agreements: [Option<Agreement>; 2],
}

impl Link {
    /// Link of the node of a view; `None` at an access point.
    pub fn of(view: &View<'_>) -> Option<Self> {
        let (station, airtime) = (view.node, Arc::new(view.airtime().clone()));
        let mut link = Self { station, airtime, agreements: [None; 2] };
        link.update(view);
        (!station.is_ap()).then_some(link)
    }

    /// Takes over the limits of aggregates, which may have changed.
    pub fn update(&mut self, view: &View<'_>) {
        self.agreements = [Direction::Up, Direction::Down].map(|way| view.agreement(way).copied());
    }

    /// Channel time of one of up to `most` packets of `msdu` octets that share an exchange at this rate, which begins
    /// with a channel access of duration `access`. `None` if the link does not have this rate.
    pub fn packet_time(
        &self,
        access: Duration,
        (direction, msdu, rate): (Direction, Bytes, DataRate),
        most: u32,
    ) -> Option<Duration> {
        let tx = self.airtime.vector_on(self.station, rate)?;
        let load = Load { direction, msdu, rate, max_packets: most };
        let agreement = self.agreements[direction as usize].as_ref();
        Some(exchange(&self.airtime, agreement, tx, (access, &load)).time())
    }
}
