//! TFRC: a sending rate that is fair to TCP.  [RFC5348], [RFC3448]
//!
//! The receiver measures the loss event rate p ([`LossIntervals`]), and the sender computes a rate from it
//! ([`step`]) with TCP's throughput equation ([`Equation`]). Rates are `f64` in octets per second, and times
//! in formulas are `f64` in seconds. Every operation is one of `+ − × ÷ √`, which IEEE 754 rounds exactly, so
//! the result is the same on every platform.
//!
//! The three [`Variant`]s of the sender differ in:
//!
//! | | `Rfc5348` | `Rfc3448` | `Ns2` (ns-2.35, `tcp/tfrc.cc`) |
//! | --- | --- | --- | --- |
//! | rate before feedback | s per second (§4.2) | s per second (§4.2) | 300 octets/s (`InitRate_`) |
//! | first feedback | `W_init`/R (§4.2, RFC 3390) | s/R (§4.3) | 4, 3 or 2 packets per R (`rfc3390`) |
//! | slow start | doubles, ≤ 2·max(`X_recv_set`) (§4.3) | doubles, ≤ 2·`X_recv` (§4.3) | doubles, ≤ 2·`X_recv`, above it falls to `X_recv` (`slowstart`) |
//! | p > 0 | min(equation, 2·max(`X_recv_set`)) | min(equation, 2·`X_recv`) | up by at most s/R per R, down at once (`increase_rate`, `decrease_rate`); the feedback that ends slow start takes the equation alone (`recv`) |
//! | data-limited | §4.3 step 4, first branch | nothing | the limit is not below the initial rate (`idleFix_`) |
//! | no-feedback timer | max(4R, 2s/X) (§4.3) | max(4R, 2s/X) (§4.3, erratum 270) | max(2R, 2s/X) (`recv`) |
//! | after its expiry | §4.4 | §4.4, erratum 1458: for p = 0 too | halves X (`reduce_rate_on_no_feedback`) |
//! | idle until then | not below `W_init`/R (§4.4) | `X_recv` < 4s/R is not halved (§4.4) | not below the initial rate |
//! | q of R | 0.9 (§4.3) | 0.9 (§4.3) | 0.95 (`df_`) |
//! | `t_RTO` | 4R (§3.1) | 4R (§3.1) | TCP's, in ticks of 100 ms (`update_rtt`, `tcp_tick_`) |
//! | damping (§4.5) | off | off | on, with q2 = 0.95 (`ca_`, `df_`) |
//! | second term of the equation | unchanged | unchanged | 3·√(3bp/8) is 1 at most (`p_to_b` in `formula.h`) |
//! | least rate | s/64 s (§4.3) | s/64 s (§4.3) | s/64 s; ns-2 has none |
//!
//! Not taken from ns-2: the ramp of `slow_increase_`; `voip_`, `conservative_` and ECN; its average of fewer
//! than eight intervals, which includes one more than the RFC's; and its data-limited state, which lasts 1.5
//! R after the source has data again (here it is that of the report's interval).

mod equation;
mod loss_intervals;
mod ns2;
mod ns2_memory;
mod receive_rates;
mod sender;
mod state;

pub use equation::{Equation, inverse_throughput, throughput, throughput_factor};
pub use loss_intervals::{Discounting, INTERVALS, LossIntervals, WEIGHTS};
pub use ns2_memory::Memory;
pub use receive_rates::ReceiveRates;
pub use sender::{initial_action, start, step};
pub use state::{Action, Event, MAX_BACKOFF, Observation, Params, State, Variant, initial_rate};
