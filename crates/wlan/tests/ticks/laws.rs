//! Rate control in the model: the rate control itself for each link and direction, and the events that a driver
//! reports to it according to the standard.

use airfair_laws::{arf, minstrel_ht};
use airfair_units::Time;
use airfair_wlan::airtime::Airtime;
use airfair_wlan::phy::TxVector;
use airfair_wlan::phy::mode_groups::{OVERHEAD, mode_groups};
use airfair_wlan::{CellConfig, RateLaw, StationConfig, Stream};
use rand_core::{Rng, SeedableRng};

/// Event that is reported to a rate control.
#[derive(Clone, Copy, Debug)]
pub(crate) enum RateEvent {
    Sending { is_first: bool },
    Block { sent: usize, acknowledged: usize },
    RtsFailure { mpdus: usize },
}

/// Rate control of one direction of a link.
#[derive(Clone, Debug)]
pub(crate) enum Law {
    Arf(arf::Params, arf::State, Vec<TxVector>),
    /// The flag is true while an attempt is planned and its outcome is not known yet.
    MinstrelHt(minstrel_ht::Params, Box<minstrel_ht::State>, Vec<TxVector>, bool),
}

impl Law {
    fn new(law: RateLaw, station: &StationConfig, airtime: &Airtime, config: &CellConfig) -> Self {
        match law {
            RateLaw::Arf(params) => {
                let legacy = || station.standard.rates().iter().map(|it| airtime.vector(*it));
                let vectors: Vec<TxVector> = match station.link {
                    Some(link) => link.ladder().into_iter().map(TxVector::Mode).collect(),
                    None => legacy().collect(),
                };
                Self::Arf(params, arf::State::new(&params, vectors.len()), vectors)
            }
            RateLaw::MinstrelHt { params, seed } => {
                let link = station.link.expect("a link of HT or later");
                let groups = mode_groups(link.format, config.rules.channel.band);
                let vectors = groups.iter().map(|(mode, _)| TxVector::Mode(*mode)).collect();
                let rates = groups.into_iter().map(|(_, rate)| rate).collect();
                let mut stream = Stream::seed_from_u64(seed);
                let state = minstrel_ht::State::new(&params, OVERHEAD, rates, || stream.next_u32());
                Self::MinstrelHt(params, Box::new(state), vectors, false)
            }
            RateLaw::Minstrel { .. } | RateLaw::Oracle { .. } => {
                unreachable!("no cell here has it")
            }
        }
    }

    /// Rate control of all stations of a cell, uplink and downlink.
    pub(crate) fn all(config: &CellConfig, airtime: &Airtime) -> Vec<[Option<Self>; 2]> {
        let of = |station: &StationConfig| {
            station.adaptation.map(|law| Some(Self::new(law?, station, airtime, config)))
        };
        config.stations.iter().map(of).collect()
    }

    pub(crate) fn vector(&self) -> TxVector {
        match self {
            Self::Arf(_, state, vectors) => vectors[usize::from(state.level)],
            Self::MinstrelHt(_, state, vectors, _) => vectors[usize::from(state.level())],
        }
    }

    pub(crate) fn tell(&mut self, now: u64, told: RateEvent) {
        let now = Time::from_nanos(now * 1000);
        match self {
            Self::Arf(params, state, _) => {
                let event = match told {
                    RateEvent::Sending { .. } => arf::Event::Sending,
                    RateEvent::Block { sent, acknowledged }
                        if acknowledged >= sent - acknowledged =>
                    {
                        arf::Event::Success
                    }
                    RateEvent::Block { .. } => arf::Event::Failure,
                    RateEvent::RtsFailure { .. } => arf::Event::RtsFailure,
                };
                *state = arf::step(params, *state, now, event);
            }
            Self::MinstrelHt(params, state, _, is_planned) => {
                let short = |count| u16::try_from(count).expect("an aggregate");
                let event = match told {
                    RateEvent::Sending { is_first: true } if *is_planned => return,
                    RateEvent::Sending { is_first } => minstrel_ht::Event::Sending { is_first },
                    RateEvent::Block { sent, acknowledged } => {
                        let (sent, acknowledged) = (short(sent), short(acknowledged));
                        minstrel_ht::Event::Block { sent, acknowledged }
                    }
                    RateEvent::RtsFailure { mpdus } => {
                        minstrel_ht::Event::Block { sent: short(mpdus), acknowledged: 0 }
                    }
                };
                *is_planned = matches!(told, RateEvent::Sending { .. });
                minstrel_ht::step(params, state, now, event);
            }
        }
    }

    /// True if the rate control wants the next MPDU to be sent alone.
    pub(crate) fn is_alone(&self) -> bool {
        matches!(self, Self::MinstrelHt(_, state, ..) if state.is_alone())
    }

    /// True if the next attempt is the last one that the rate control plans for this frame; `None` if it plans no
    /// attempts.
    pub(crate) fn chain_ends(&self) -> Option<bool> {
        match self {
            Self::Arf(..) => None,
            Self::MinstrelHt(_, state, ..) => Some(state.is_last_attempt()),
        }
    }

    /// Highest number of attempts that the rate control plans for an MPDU; `None` if it plans no attempts.
    pub(crate) fn longest_chain(&self) -> Option<u16> {
        match self {
            Self::Arf(..) => None,
            Self::MinstrelHt(params, ..) => Some(u16::from(params.attempts) * 4),
        }
    }
}
