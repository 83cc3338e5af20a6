//! Random numbers of a node for its laws.

use airfair_wlan::Stream;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use rand_core::Rng;

/// Random numbers of a node for its laws.
#[derive(Clone, Debug)]
pub(crate) struct Random {
    stream: Stream,
}

impl Random {
    pub(crate) fn new(stream: Stream) -> Self {
        Self { stream }
    }

    /// Number in [0, 1).
    pub(super) fn uniform(&mut self) -> f64 {
        const BITS: u32 = 53;
        #[expect(clippy::cast_precision_loss, reason = "53 bits are exact")]
        let real = |bits: u64| bits as f64;
        real(self.stream.next_u64() >> (64 - BITS)) / real(1 << BITS)
    }

    /// Integer in 0, …, `below` - 1.
    pub(super) fn below(&mut self, below: u64) -> PyResult<u64> {
        if below == 0 {
            return Err(PyValueError::new_err("random_below(0): allowed is 1 and more"));
        }
        let wide = u128::from(self.stream.next_u64()) * u128::from(below);
        Ok(u64::try_from(wide >> 64).expect("less than `below`"))
    }
}
