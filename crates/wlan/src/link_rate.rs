//! The data rate of one hop in one direction: given, or found by a law.

use airfair_laws::snr_oracle::{self, Choice};
use airfair_laws::{arf, minstrel, minstrel_ht};
use airfair_units::{Duration, Probability, Time};
use rand_core::{Rng, SeedableRng};

use crate::contender::Stream;
use crate::phy::mode_groups::OVERHEAD;
use crate::phy::{Mode, TxVector};

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
    /// By the share of MPDUs that block acks acknowledge at each rate, for links of 802.11n, ac and ax.
    MinstrelHt {
        /// Intervals and limits.
        params: minstrel_ht::Params,
        /// Seed of the order of samples.
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
    /// A data frame of so many MPDUs has gone out, of which so many were acknowledged; none if there was no response.
    Block { sent: u16, acknowledged: u16 },
    /// An RTS had no answer, and so many MPDUs have not gone out.
    RtsFailure { mpdus: u16 },
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
    MinstrelHt {
        params: minstrel_ht::Params,
        state: minstrel_ht::State,
        /// True from the plan of a frame to its outcome: a frame that did not fit its TXOP is planned once.
        is_planned: bool,
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
            RateLaw::MinstrelHt { .. } => unreachable!("it chooses from groups"),
            RateLaw::Oracle => Self::Oracle { level: 0, times },
        }
    }

    fn level(&self) -> usize {
        usize::from(match self {
            Self::Arf { state, .. } => state.level,
            Self::Minstrel { state, .. } => state.level(),
            Self::MinstrelHt { state, .. } => state.level(),
            Self::Oracle { level, .. } => *level,
        })
    }

    fn handle(&mut self, now: Time, event: LinkEvent) {
        match self {
            Self::Arf { params, state } => {
                let event = match event {
                    LinkEvent::Sending { .. } => arf::Event::Sending,
                    LinkEvent::Block { sent, acknowledged } if 2 * acknowledged >= sent => {
                        arf::Event::Success
                    }
                    LinkEvent::Block { .. } => arf::Event::Failure,
                    LinkEvent::RtsFailure { .. } => arf::Event::RtsFailure,
                };
                *state = arf::step(params, *state, now, event);
            }
            Self::Minstrel { params, state, times, stream } => {
                let event = match event {
                    LinkEvent::Sending { is_first } => {
                        minstrel::Event::Sending { is_first, draw: stream.next_u32() }
                    }
                    LinkEvent::Block { acknowledged: 1.., .. } => minstrel::Event::Success,
                    LinkEvent::Block { .. } | LinkEvent::RtsFailure { .. } => {
                        minstrel::Event::Failure
                    }
                };
                *state = minstrel::step(params, times, *state, now, event);
            }
            Self::MinstrelHt { params, state, is_planned } => {
                let is_first = matches!(event, LinkEvent::Sending { is_first: true });
                let was_planned = std::mem::replace(is_planned, is_sending(event));
                if is_first && was_planned {
                    return;
                }
                let event = match event {
                    LinkEvent::Sending { is_first } => minstrel_ht::Event::Sending { is_first },
                    LinkEvent::Block { sent, acknowledged } => {
                        minstrel_ht::Event::Block { sent, acknowledged }
                    }
                    LinkEvent::RtsFailure { mpdus } => {
                        minstrel_ht::Event::Block { sent: mpdus, acknowledged: 0 }
                    }
                };
                minstrel_ht::step(params, state, now, event);
            }
            // It learns nothing.
            Self::Oracle { .. } => {}
        }
    }
}

fn is_sending(event: LinkEvent) -> bool {
    matches!(event, LinkEvent::Sending { .. })
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

    /// A rate that Minstrel-HT finds among `modes`, which stand in groups.
    pub(crate) fn grouped(
        (params, seed): (minstrel_ht::Params, u64),
        modes: Vec<(Mode, minstrel_ht::GroupedRate)>,
    ) -> Self {
        let (modes, rates): (Vec<Mode>, _) = modes.into_iter().unzip();
        let vectors: Vec<TxVector> = modes.into_iter().map(TxVector::Mode).collect();
        let mut stream = Stream::seed_from_u64(seed);
        let state = minstrel_ht::State::new(&params, OVERHEAD, rates, || stream.next_u32());
        let law = Law::MinstrelHt { params, state, is_planned: false };
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
            Some(Law::MinstrelHt { state, .. }) if state.is_last_attempt() => Chain::Ended,
            Some(Law::Minstrel { .. } | Law::MinstrelHt { .. }) => Chain::GoesOn,
            Some(Law::Arf { .. } | Law::Oracle { .. }) | None => Chain::None,
        }
    }

    /// Most attempts that its law plans for an MPDU of an aggregate, if it plans any.
    pub(crate) fn longest_chain(&self) -> Option<u16> {
        match self.adaptation.as_ref()?.law {
            Law::MinstrelHt { params, .. } => Some(params.longest_chain()),
            _ => None,
        }
    }

    /// True if an MPDU goes alone, as one of its attempts samples a rate.
    pub(crate) fn sends_alone(&self) -> bool {
        let law = self.adaptation.as_ref().map(|it| &it.law);
        law.is_some_and(|law| matches!(law, Law::MinstrelHt { state, .. } if state.is_alone()))
    }

    /// Something happened on the link; the new vector, if the law changes it.
    pub(crate) fn handle(&mut self, now: Time, event: LinkEvent) -> Option<TxVector> {
        let adaptation = self.adaptation.as_mut()?;
        adaptation.law.handle(now, event);
        let tx = adaptation.vectors[adaptation.law.level()];
        (std::mem::replace(&mut self.tx, tx) != tx).then_some(tx)
    }
}
