//! Errors that noise makes in frames that no other frame overlaps.

use airfair_units::{Bytes, Probability, Time};

use super::{Cell, Signal};
use crate::airtime::ORDINARY;
use crate::config::CellConfig;
use crate::errors::{ErrorModel, LinkErrors};
use crate::frame::{Frame, FrameKind, Ppdu};
use crate::node::NodeId;
use crate::phy::TxVector;
use crate::queue::headers::Headers;
use crate::radio::Propagation;
use crate::random::Stream;
use crate::record::Record;
use crate::sizes;

/// Source of errors in frames that no other frame overlaps.
#[derive(Clone, Debug)]
pub(super) enum Noise {
    /// Error models of the stations' links with the access point.
    Links(LinkErrors),
    /// Model in which the received power and the positions of members decide the errors, in a cell with a radio.
    Propagation(Box<Propagation>),
}

impl Noise {
    pub(super) fn links(config: &CellConfig, streams: Vec<Stream>) -> Self {
        assert_eq!(streams.len(), config.stations.len(), "one stream per link");
        let models = config.stations.iter().map(|station| station.errors);
        Self::Links(LinkErrors::new(models.zip(streams)))
    }

    /// Replaces the error model of the link between a station and the access point. `stream` is used if the link had no
    /// errors so far.
    pub(super) fn set_model(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        let Self::Links(links) = self else { panic!("with a radio powers decide what is errored") };
        links.set_model(station.index() - 1, model, stream);
    }

    /// Probability that noise makes an error in a data frame of the size that rate control assumes, if it is sent now
    /// with the vector `tx` between the station and the access point.
    pub(super) fn loss(&mut self, now: Time, station: NodeId, tx: TxVector) -> Probability {
        let psdu = sizes::mpdu(ORDINARY, tx);
        match self {
            Self::Links(links) => links.loss(station.index() - 1, tx, psdu),
            Self::Propagation(propagation) => propagation.loss(now, station, tx, psdu),
        }
    }

    /// Draws the errors of a frame between this station and the access point that ends now. Returns true if it is
    /// errored.
    #[inline]
    pub(super) fn errs(&mut self, now: Time, station: NodeId, tx: TxVector, psdu: Bytes) -> bool {
        match self {
            Self::Links(links) => links.errs(station.index() - 1, now, tx, psdu),
            Self::Propagation(propagation) => propagation.errs(now, station, tx, psdu),
        }
    }

    /// Power and noise of a frame between this station and the access point that ends now, in a cell with a radio. No
    /// random number is drawn.
    pub(super) fn signal(&mut self, now: Time, station: NodeId, tx: TxVector) -> Option<Signal> {
        match self {
            Self::Links(_) => None,
            Self::Propagation(propagation) => {
                let (power, noise) = propagation.signal(now, station, tx);
                Some(Signal { power, noise })
            }
        }
    }

    /// True if noise may make errors in any frame of the cell.
    pub(super) fn is_on_anywhere(&self) -> bool {
        match self {
            Self::Links(links) => links.is_on_anywhere(),
            Self::Propagation(_) => true,
        }
    }

    /// True if noise may make errors in frames between this station and the access point.
    #[inline]
    pub(super) fn is_on(&self, station: NodeId) -> bool {
        match self {
            Self::Links(links) => links.is_on(station.index() - 1),
            Self::Propagation(_) => true,
        }
    }
}

impl<P: Copy + Headers> Cell<P> {
    /// Draws the errors of a frame for its receiver, unless it has collided.
    pub(super) fn add_noise(&mut self, now: Time, ppdu: &mut Ppdu<P>) {
        let Frame { kind, from, to, tx, psdu, .. } = ppdu.frame;
        let Some(to) = to else { return self.add_noise_to_beacon(now, ppdu) };
        let station = if from.is_ap() { to } else { from };
        if !self.noise.is_on(station) || ppdu.collided || kind == FrameKind::CtsToSelf {
            return;
        }
        if ppdu.errored {
            for _ in 0..ppdu.mpdus.len().max(1) {
                self.channel.records.push(Record::Errored { node: from });
            }
            return;
        }
        if !self.contention.decodes(to, from) {
            return;
        }
        let Self { noise, channel, .. } = self;
        let mut errs = |psdu| {
            let errored = noise.errs(now, station, tx, psdu);
            if errored {
                channel.records.push(Record::Errored { node: from });
            }
            errored
        };
        if ppdu.mpdus.is_empty() {
            ppdu.errored = errs(psdu);
            return;
        }
        for mpdu in &mut ppdu.mpdus {
            mpdu.errored = errs(mpdu.size(tx));
        }
        ppdu.errored = ppdu.mpdus.iter().all(|mpdu| mpdu.errored);
    }
}
