//! What spoils frames that nothing overlaps, and the laws of rates that ask for it.

use airfair_units::{Bytes, DataRate, Probability, Time};

use super::{Cell, RateChange};
use crate::airtime::ORDINARY;
use crate::config::{CellConfig, NodeId};
use crate::errors::{ErrorModel, FrameErrors};
use crate::frame::{ACK_SIZE, CTS_SIZE, DATA_OVERHEAD, Frame, FrameKind, RTS_SIZE, Transmission};
use crate::link_rate::{LinkEvent, LinkRate};
use crate::node::Stream;
use crate::queue::headers::Headers;
use crate::radio::Space;
use crate::record::Record;

/// What spoils frames that nothing overlaps.
#[derive(Debug)]
pub(super) enum Noise {
    /// A model of its own for each station's link with the access point.
    Links(Vec<Option<FrameErrors>>),
    /// Powers and distances.
    Space(Box<Space>),
}

impl Noise {
    pub(super) fn links(config: &CellConfig, streams: Vec<Stream>) -> Self {
        assert_eq!(streams.len(), config.stations.len(), "one stream per link");
        let links = config.stations.iter().zip(streams);
        Self::Links(links.map(|(s, stream)| FrameErrors::new(s.errors, stream)).collect())
    }

    /// Changes what spoils the frames of a link; `stream` is for a link that had no errors yet.
    pub(super) fn set_model(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        let Self::Links(links) = self else { panic!("in space powers decide what is spoilt") };
        match &mut links[station.index() - 1] {
            Some(link) => link.set_model(model),
            link => *link = FrameErrors::new(model, stream),
        }
    }

    /// Probability that an ordinary frame at `rate` between this station and the access point is lost now.
    pub(super) fn loss(&mut self, now: Time, station: NodeId, rate: DataRate) -> Probability {
        let psdu = ORDINARY + DATA_OVERHEAD;
        match self {
            Self::Links(links) => links[station.index() - 1]
                .as_mut()
                .map_or(Probability::ZERO, |link| link.loss(rate, psdu)),
            Self::Space(space) => space.loss(now, station, rate, psdu),
        }
    }

    /// Whether a frame between this station and the access point that ends now is spoilt.
    #[inline]
    pub(super) fn spoil(
        &mut self,
        now: Time,
        station: NodeId,
        rate: DataRate,
        psdu: Bytes,
    ) -> bool {
        match self {
            Self::Links(links) => {
                links[station.index() - 1].as_mut().is_some_and(|link| link.spoil(now, rate, psdu))
            }
            Self::Space(space) => space.spoil(now, station, rate, psdu),
        }
    }

    /// Whether frames between this station and the access point may be spoilt.
    #[inline]
    pub(super) fn is_on(&self, station: NodeId) -> bool {
        match self {
            Self::Links(links) => links[station.index() - 1].is_some(),
            Self::Space(_) => true,
        }
    }
}

impl<P: Copy + Headers> Cell<P> {
    /// Whether noise spoils a frame that its receiver would decode.
    pub(super) fn spoil(&mut self, now: Time, transmission: &Transmission) -> bool {
        let Frame { kind, from, to, rate, .. } = transmission.frame;
        let Some(to) = to else { return self.spoil_beacon(now, transmission) };
        let station = if from.is_ap() { to } else { from };
        if !self.noise.is_on(station) || transmission.collided || kind == FrameKind::CtsToSelf {
            return false;
        }
        if !self.contention.decodes(to, from) {
            return false;
        }
        let psdu = match kind {
            FrameKind::Data => {
                let msdu =
                    self.nodes[from.index()].queue.in_service().expect("a packet in service");
                msdu.size + DATA_OVERHEAD
            }
            FrameKind::Rts => RTS_SIZE,
            FrameKind::Cts | FrameKind::CtsToSelf => CTS_SIZE,
            FrameKind::Ack => ACK_SIZE,
            FrameKind::Beacon => unreachable!("it is for nobody in particular"),
        };
        let spoilt = self.noise.spoil(now, station, rate, psdu);
        if spoilt {
            self.channel.records.push_back(Record::Spoilt { node: from });
        }
        spoilt
    }

    pub(super) fn link_rate(&mut self, station: NodeId, up: bool) -> &mut LinkRate {
        let node = &mut self.nodes[station.index()];
        if up { &mut node.rate_up } else { &mut node.rate_down }
    }

    /// Something happened to the frame in service of a member: the law of its link may change the rate.
    #[inline]
    pub(super) fn adapt(&mut self, now: Time, id: NodeId, event: LinkEvent) {
        if self.adapts {
            self.adapt_link(now, id, event);
        }
    }

    fn adapt_link(&mut self, now: Time, from: NodeId, event: LinkEvent) {
        let msdu = self.nodes[from.index()].queue.in_service().expect("a packet in service");
        let to = msdu.to;
        let (station, up) = if from.is_ap() { (to, false) } else { (from, true) };
        let change = if self.link_rate(station, up).asks_noise() {
            self.ask_noise(now, station, up, event)
        } else {
            self.link_rate(station, up).handle(now, event)
        };
        if let Some(rate) = change {
            self.channel.records.push_back(Record::Rate { station, up, rate });
            self.rate_changes.push_back(RateChange { station, up, rate });
        }
    }

    /// An oracle chooses before each frame.
    fn ask_noise(
        &mut self,
        now: Time,
        station: NodeId,
        up: bool,
        event: LinkEvent,
    ) -> Option<DataRate> {
        if !matches!(event, LinkEvent::Sending { .. }) {
            return None;
        }
        let node = &mut self.nodes[station.index()];
        let link = if up { &mut node.rate_up } else { &mut node.rate_down };
        let noise = &mut self.noise;
        link.choose(|rate| noise.loss(now, station, rate))
    }
}
