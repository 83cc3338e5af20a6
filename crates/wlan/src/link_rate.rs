//! The data rate of one hop in one direction: given, or found by a law.

use airfair_laws::snr_oracle::{self, Choice};
use airfair_laws::{arf, minstrel};
use airfair_units::{Duration, Probability, Time};
use rand_core::{Rng, SeedableRng};

use crate::contender::Stream;
use crate::phy::TxVector;

/// Law by which the rate of a link is found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLaw {
    /// By the ACKs of the last frames.
    Arf(arf::Params),
    /// By the success of each rate, some frames sampling others.
    Minstrel {
        /// Intervals and weights.
        params: minstrel::Params,
        /// Seed of what is sampled.
        seed: u64,
    },
    /// By what noise does to each rate now, which no transmitter knows.
    Oracle,
}

/// Event that a transmitter sees on its link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEvent {
    /// A frame is about to go out, for the first time or again.
    Sending { is_first: bool },
    /// A data frame was acknowledged.
    Success,
    /// A data frame was not.
    Failure,
    /// An RTS had no answer.
    RtsFailure,
}

/// A law with what it remembers and the rates that it chooses from.
#[derive(Clone, Debug)]
struct Adaptation {
    law: Law,
    vectors: Vec<TxVector>,
}

#[derive(Clone, Debug)]
enum Law {
    Arf {
        params: arf::Params,
        state: arf::State,
    },
    Minstrel {
        params: minstrel::Params,
        state: minstrel::State,
        times: Vec<Duration>,
        stream: Stream,
    },
    Oracle {
        level: u16,
        times: Vec<Duration>,
    },
}

impl Law {
    fn new(law: RateLaw, times: Vec<Duration>) -> Self {
        match law {
            RateLaw::Arf(params) => {
                Self::Arf { params, state: arf::State::new(&params, times.len()) }
            }
            RateLaw::Minstrel { params, seed } => {
                let state = minstrel::State::new(&params, &times);
                Self::Minstrel { params, state, times, stream: Stream::seed_from_u64(seed) }
            }
            RateLaw::Oracle => Self::Oracle { level: 0, times },
        }
    }

    fn level(&self) -> usize {
        usize::from(match self {
            Self::Arf { state, .. } => state.level,
            Self::Minstrel { state, .. } => state.level(),
            Self::Oracle { level, .. } => *level,
        })
    }

    fn handle(&mut self, now: Time, event: LinkEvent) {
        match self {
            Self::Arf { params, state } => {
                let event = match event {
                    LinkEvent::Sending { .. } => arf::Event::Sending,
                    LinkEvent::Success => arf::Event::Success,
                    LinkEvent::Failure => arf::Event::Failure,
                    LinkEvent::RtsFailure => arf::Event::RtsFailure,
                };
                *state = arf::step(params, *state, now, event);
            }
            Self::Minstrel { params, state, times, stream } => {
                let event = match event {
                    LinkEvent::Sending { is_first } => {
                        minstrel::Event::Sending { is_first, draw: stream.next_u32() }
                    }
                    LinkEvent::Success => minstrel::Event::Success,
                    LinkEvent::Failure | LinkEvent::RtsFailure => minstrel::Event::Failure,
                };
                *state = minstrel::step(params, times, *state, now, event);
            }
            // It learns nothing.
            Self::Oracle { .. } => {}
        }
    }
}

/// Attempts of a frame that a law of rates has planned.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// It plans none: the MAC's limits say when a frame is given up.
    None,
    /// Another attempt follows.
    GoesOn,
    /// The last one has failed.
    Ended,
}

/// Rate of the data frames from one member to another.
#[derive(Clone, Debug)]
pub(crate) struct LinkRate {
    tx: TxVector,
    /// Apart, so that a member without a law stays small.
    adaptation: Option<Box<Adaptation>>,
}

impl LinkRate {
    /// One vector for good.
    pub(crate) fn fixed(tx: TxVector) -> Self {
        Self { tx, adaptation: None }
    }

    /// A rate that `law` finds among `vectors`, which ascend by rate; `time` is that of an ordinary frame, its ACK and
    /// the gaps included.
    pub(crate) fn adapted(
        law: RateLaw,
        vectors: Vec<TxVector>,
        time: impl Fn(TxVector) -> Duration,
    ) -> Self {
        let law = Law::new(law, vectors.iter().map(|tx| time(*tx)).collect());
        Self { tx: vectors[law.level()], adaptation: Some(Box::new(Adaptation { law, vectors })) }
    }

    /// Vector that frames are sent with now.
    #[inline]
    pub(crate) fn get(&self) -> TxVector {
        self.tx
    }

    /// Sets a vector that no law finds.
    pub(crate) fn set(&mut self, tx: TxVector) {
        self.tx = tx;
    }

    /// True if its law wants to know, before each frame, what noise does to each rate.
    pub(crate) fn asks_noise(&self) -> bool {
        self.adaptation.as_ref().is_some_and(|it| matches!(it.law, Law::Oracle { .. }))
    }

    /// An ordinary frame would be lost with the probability `loss` if it is sent in each way; the new vector, if the law
    /// changes it.
    pub(crate) fn choose(
        &mut self,
        mut loss: impl FnMut(TxVector) -> Probability,
    ) -> Option<TxVector> {
        let Adaptation { law: Law::Oracle { level, times }, vectors } =
            self.adaptation.as_deref_mut()?
        else {
            return None;
        };
        let choice = |(time, tx): (&Duration, &TxVector)| Choice { time: *time, loss: loss(*tx) };
        let best = snr_oracle::best(times.iter().zip(&*vectors).map(choice));
        *level = u16::try_from(best).expect("at most some hundred rates");
        let tx = vectors[best];
        (std::mem::replace(&mut self.tx, tx) != tx).then_some(tx)
    }

    /// Where the retry chain of its law stands after a failed attempt.
    pub(crate) fn chain(&self) -> Chain {
        match self.adaptation.as_ref().map(|it| &it.law) {
            Some(Law::Minstrel { state, .. }) if state.is_last_attempt() => Chain::Ended,
            Some(Law::Minstrel { .. }) => Chain::GoesOn,
            Some(Law::Arf { .. } | Law::Oracle { .. }) | None => Chain::None,
        }
    }

    /// Something happened on the link; the new vector, if the law changes it.
    pub(crate) fn handle(&mut self, now: Time, event: LinkEvent) -> Option<TxVector> {
        let adaptation = self.adaptation.as_mut()?;
        adaptation.law.handle(now, event);
        let tx = adaptation.vectors[adaptation.law.level()];
        (std::mem::replace(&mut self.tx, tx) != tx).then_some(tx)
    }
}
