//! Errors that noise makes in frames that no other frame overlaps.

use airfair_units::{Bytes, DataRate, Dbm, Decibels, Probability, Time};

use crate::airtime::ORDINARY;
use crate::config::CellConfig;
use crate::errors::{ErrorModel, LinkErrors};
use crate::node::{Link, NodeId};
use crate::phy::{Rate, TxVector};
use crate::radio::Propagation;
use crate::random::Stream;
use crate::sizes;

/// Received power of a frame at its receiver, and the noise there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signal {
    /// Received power, fading included.
    pub power: Dbm,
    /// Noise of the receiver: thermal noise and the noise that the receiver adds.
    pub noise: Dbm,
}

/// Source of errors in frames that no other frame overlaps.
#[derive(Clone, Debug)]
pub(crate) enum Noise {
    /// Error models of the stations' links with the access point.
    Links {
        errors: LinkErrors,
        /// Highest rates at which data frames from each station, and to each station, get through; empty without such
        /// limits.
        ceilings: Vec<[DataRate; 2]>,
    },
    /// Model in which the received power and the positions of members decide the errors, in a cell with a radio.
    Propagation(Box<Propagation>),
}

impl Noise {
    pub(crate) fn links(config: &CellConfig, streams: Vec<Stream>) -> Self {
        assert_eq!(streams.len(), config.stations.len(), "one stream per link");
        let models = config.stations.iter().map(|station| station.errors);
        Self::Links { errors: LinkErrors::new(models.zip(streams)), ceilings: Vec::new() }
    }

    /// Takes the rates of the links as the highest ones at which data frames get through.
    ///
    /// # Panics
    /// In a cell with a radio, where powers decide.
    pub(crate) fn limit(&mut self, config: &CellConfig) {
        let Self::Links { ceilings, .. } = self else { panic!("powers decide what gets through") };
        let rates = config.stations.iter().map(|it| [it.rate_up, it.rate_down]);
        *ceilings = rates.map(|of| of.map(Rate::data_rate)).collect();
    }

    /// Sets the highest rate at which data frames of a station in one direction get through.
    pub(crate) fn set_ceiling(&mut self, link: Link, rate: DataRate) {
        if let Self::Links { ceilings, .. } = self {
            ceilings[link.station.index() - 1][link.direction as usize] = rate;
        }
    }

    /// True if a data frame with vector `tx` is faster than frames on the link of its transmitter get through.
    #[inline]
    pub(crate) fn is_beyond(&self, from: NodeId, to: NodeId, tx: TxVector) -> bool {
        let Self::Links { ceilings, .. } = self else { return false };
        let link = Link::between(from, to);
        let of_link = ceilings.get(link.station.index() - 1);
        of_link.is_some_and(|highest| tx.rate() > highest[link.direction as usize])
    }

    /// Replaces the error model of the link between a station and the access point. `stream` is used if the link had no
    /// errors so far.
    pub(crate) fn set_model(&mut self, station: NodeId, model: ErrorModel, stream: Stream) {
        let Self::Links { errors, .. } = self else {
            panic!("with a radio powers decide what is errored")
        };
        errors.set_model(station.index() - 1, model, stream);
    }

    /// Probability that noise makes an error in a data frame of the size that rate control assumes, if it is sent now
    /// with the vector `tx` between the station and the access point, with a power that is less by `reduction`.
    pub(crate) fn loss(
        &mut self,
        now: Time,
        (station, tx): (NodeId, TxVector),
        reduction: Decibels,
    ) -> Probability {
        let psdu = sizes::mpdu(ORDINARY, tx);
        match self {
            Self::Links { errors, .. } => errors.loss(station.index() - 1, tx, psdu),
            Self::Propagation(propagation) => propagation.loss(now, station, (tx, psdu), reduction),
        }
    }

    /// Draws the errors of a frame between two members that ends now. Returns true if it is errored. Between two stations,
    /// the transmitter's link counts.
    #[inline]
    pub(crate) fn errs(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        tx: TxVector,
        psdu: Bytes,
    ) -> bool {
        let Link { station, .. } = Link::between(from, to);
        match self {
            Self::Links { errors, .. } => errors.errs(station.index() - 1, now, tx, psdu),
            Self::Propagation(propagation) => propagation.errs(now, station, tx, psdu),
        }
    }

    /// Power and noise of a frame between two members that ends now, in a cell with a radio. No random number is drawn.
    pub(crate) fn signal(
        &mut self,
        now: Time,
        (from, to): (NodeId, NodeId),
        tx: TxVector,
    ) -> Option<Signal> {
        let Self::Propagation(propagation) = self else { return None };
        let (power, noise) = propagation.signal(now, Link::between(from, to).station, tx);
        Some(Signal { power, noise })
    }

    /// True if noise may make errors in any frame of the cell.
    pub(crate) fn is_on_anywhere(&self) -> bool {
        match self {
            Self::Links { errors, .. } => errors.is_on_anywhere(),
            Self::Propagation(_) => true,
        }
    }

    /// True if noise, or a limit of the rate, may make errors in frames between two members.
    #[inline]
    pub(crate) fn is_on(&self, from: NodeId, to: NodeId) -> bool {
        match self {
            Self::Links { errors, ceilings } => {
                let station = Link::between(from, to).station;
                errors.is_on(station.index() - 1) || !ceilings.is_empty()
            }
            Self::Propagation(_) => true,
        }
    }
}
