//! The data rate of one hop in one direction: given, or found by a law.

use airfair_laws::arf;
use airfair_units::{DataRate, Time};

use crate::phy::Standard;

/// A law with what it remembers and the rates that it chooses from.
#[derive(Clone, Copy, Debug)]
struct Adaptation {
    params: arf::Params,
    state: arf::State,
    rates: &'static [DataRate],
}

/// Rate of the data frames from one member to another.
#[derive(Clone, Debug)]
pub(crate) struct LinkRate {
    rate: DataRate,
    /// Apart, so that a member without a law stays small.
    adaptation: Option<Box<Adaptation>>,
}

impl LinkRate {
    /// `rate` for good, or what a law finds among the rates of `standard`.
    pub(crate) fn new(rate: DataRate, law: Option<arf::Params>, standard: Standard) -> Self {
        let Some(params) = law else { return Self { rate, adaptation: None } };
        let rates = standard.rates();
        let state = arf::State::new(&params, rates.len());
        let rate = rates[usize::from(state.level)];
        Self { rate, adaptation: Some(Box::new(Adaptation { params, state, rates })) }
    }

    /// The rate now.
    #[inline]
    pub(crate) fn get(&self) -> DataRate {
        self.rate
    }

    /// Sets a rate that no law finds.
    pub(crate) fn set(&mut self, rate: DataRate) {
        self.rate = rate;
    }

    /// Something happened on the link; the new rate, if the law changes it.
    #[inline]
    pub(crate) fn handle(&mut self, now: Time, event: arf::Event) -> Option<DataRate> {
        let adaptation = self.adaptation.as_mut()?;
        adaptation.state = arf::step(&adaptation.params, adaptation.state, now, event);
        let rate = adaptation.rates[usize::from(adaptation.state.level)];
        (std::mem::replace(&mut self.rate, rate) != rate).then_some(rate)
    }
}
