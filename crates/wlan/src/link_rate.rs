//! Data rate of one hop in one direction: given, or by rate control.

use airfair_laws::snr_oracle::{self, Choice};
use airfair_laws::{arf, minstrel, minstrel_ht};
use airfair_units::{DataRate, Duration, Probability, Time};
use rand_core::{Rng, SeedableRng};

use crate::phy::mode_groups::OVERHEAD;
use crate::phy::{Mode, TxVector};
use crate::random::Stream;

/// Rate control of the data frames of a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RateLaw {
    /// ARF or AARF, which change the rate by the ACKs of the last frames.
    Arf(arf::Params),
    /// Minstrel, which chooses the rate by the success of each rate; some frames sample other rates.
    Minstrel {
        /// Intervals and weights of Minstrel.
        params: minstrel::Params,
        /// Seed for Minstrel's choice of rates to sample.
        seed: u64,
    },
    /// Minstrel-HT, for links of 802.11n and later, which chooses the rate by the share of MPDUs that block acks
    /// acknowledge at each rate.
    MinstrelHt {
        /// Intervals and limits of Minstrel-HT.
        params: minstrel_ht::Params,
        /// Seed for the order in which Minstrel-HT samples rates.
        seed: u64,
    },
    /// Ideal rate control, by the current effect of noise on each rate, which no real transmitter knows.
    Oracle {
        /// Highest rate that it may choose, apart from the lowest of the link; `None` for all rates.
        highest: Option<DataRate>,
    },
}

/// Event on a link that is reported to the transmitter's rate control.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LinkEvent {
    /// A frame is about to be sent, for the first time or again.
    Sending { is_first: bool },
    /// A data frame of `sent` MPDUs was sent, and `acknowledged` of them were acknowledged; 0 if there was no
    /// response.
    Block { sent: u16, acknowledged: u16 },
    /// An RTS had no answer, so that `mpdus` MPDUs were not sent.
    RtsFailure { mpdus: u16 },
}

/// A rate control with its state, and the vectors among which it chooses.
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
        /// True from the plan of a frame's attempts to its outcome. A frame that did not fit into its TXOP is planned
        /// only once.
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
            RateLaw::Oracle { .. } => Self::Oracle { level: 0, times },
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
            // An oracle does not learn from outcomes.
            Self::Oracle { .. } => {}
        }
    }
}

fn is_sending(event: LinkEvent) -> bool {
    matches!(event, LinkEvent::Sending { .. })
}

/// State of the retry chain that a rate control has planned for a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Chain {
    /// There is no chain: the MAC's limits decide when the frame is given up.
    None,
    /// Another attempt of the chain follows.
    GoesOn,
    /// The last attempt of the chain has failed.
    Ended,
}

/// Rate of the data frames from one member to another.
#[derive(Clone, Debug)]
pub(crate) struct LinkRate {
    tx: TxVector,
    /// Rate control with its state; `None` for a given rate. The box keeps a member without rate control small.
    adaptation: Option<Box<Adaptation>>,
}

impl LinkRate {
    /// Creates a rate that is given by this vector, without rate control.
    pub(crate) fn fixed(tx: TxVector) -> Self {
        Self { tx, adaptation: None }
    }

    /// Creates a rate that the rate control `law` chooses among `vectors`, which ascend by rate. `time` returns the
    /// duration of a frame of ordinary size with its ACK and interframe spaces.
    pub(crate) fn adapted(
        law: RateLaw,
        vectors: Vec<TxVector>,
        time: impl Fn(TxVector) -> Duration,
    ) -> Self {
        let law = Law::new(law, vectors.iter().map(|tx| time(*tx)).collect());
        Self { tx: vectors[law.level()], adaptation: Some(Box::new(Adaptation { law, vectors })) }
    }

    /// Creates a rate that Minstrel-HT chooses among `modes`, which are listed with their groups.
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

    /// Current vector of the data frames.
    #[inline]
    pub(crate) fn get(&self) -> TxVector {
        self.tx
    }

    /// Sets the vector of a link without rate control.
    pub(crate) fn set(&mut self, tx: TxVector) {
        self.tx = tx;
    }

    /// True if the rate control needs the effect of noise on each rate before each frame, as the ideal one does.
    pub(crate) fn asks_noise(&self) -> bool {
        self.adaptation.as_ref().is_some_and(|it| matches!(it.law, Law::Oracle { .. }))
    }

    /// Lets the ideal rate control choose: `loss` returns the probability that a frame of ordinary size with a vector
    /// is lost. Returns the new vector if it changes.
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

    /// State of the retry chain that the rate control has planned, after a failed attempt.
    pub(crate) fn chain(&self) -> Chain {
        match self.adaptation.as_ref().map(|it| &it.law) {
            Some(Law::Minstrel { state, .. }) if state.is_last_attempt() => Chain::Ended,
            Some(Law::MinstrelHt { state, .. }) if state.is_last_attempt() => Chain::Ended,
            Some(Law::Minstrel { .. } | Law::MinstrelHt { .. }) => Chain::GoesOn,
            Some(Law::Arf { .. } | Law::Oracle { .. }) | None => Chain::None,
        }
    }

    /// Largest number of attempts that the rate control plans for an MPDU of an aggregate; `None` if it plans no
    /// attempts.
    pub(crate) fn longest_chain(&self) -> Option<u16> {
        match self.adaptation.as_ref()?.law {
            Law::MinstrelHt { params, .. } => Some(params.longest_chain()),
            _ => None,
        }
    }

    /// True if the next MPDU must be sent alone, because one of its attempts samples a rate.
    pub(crate) fn sends_alone(&self) -> bool {
        let law = self.adaptation.as_ref().map(|it| &it.law);
        law.is_some_and(|law| matches!(law, Law::MinstrelHt { state, .. } if state.is_alone()))
    }

    /// Passes an event to the rate control. Returns the new vector if it changes.
    pub(crate) fn handle(&mut self, now: Time, event: LinkEvent) -> Option<TxVector> {
        let adaptation = self.adaptation.as_mut()?;
        adaptation.law.handle(now, event);
        let tx = adaptation.vectors[adaptation.law.level()];
        (std::mem::replace(&mut self.tx, tx) != tx).then_some(tx)
    }
}
