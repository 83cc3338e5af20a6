//! First rates of the TFRC sender of ns-2.35, and what it remembers besides the state of the RFCs. Each item
//! names its function in `tcp/tfrc.cc`.

/// `InitRate_`: rate before the first report [octets/s].
pub(super) const INITIAL_RATE: f64 = 300.0;

/// `tcp_tick_`: clock tick of ns-2's TCP-like time-out [s].
const TICK: f64 = 0.1;

/// State that only the ns-2 variant of the TFRC sender has.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Memory {
    /// True once a report with loss has ended slow start.
    pub(super) is_out_of_slow_start: bool,
    /// `round_id`: number of reports and of expiries of the no-feedback timer.
    pub(super) rounds: u32,
    /// `datalimited_`, and `lastlimited_` for some time: true if the application had less to send than
    /// allowed.
    pub(super) is_data_limited: bool,
    /// `t_srtt_`: 8 · smoothed round trip; 0 before the first sample [ticks].
    pub(super) srtt: i64,
    /// `t_rttvar_`: 4 · mean deviation [ticks].
    pub(super) rttvar: i64,
}

impl Memory {
    /// `update_rtt`: integer round-trip estimation of a TCP with ticks of 100 ms.
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a round trip in ticks; the cast saturates"
    )]
    pub(super) fn measure(mut self, sample: f64) -> Self {
        let ticks = ((sample / TICK + 0.5) as i64).max(1);
        if self.srtt == 0 {
            self.srtt = ticks << 3;
            self.rttvar = ticks << 1;
        } else {
            let delta = ticks - (self.srtt >> 3);
            self.srtt = (self.srtt + delta).max(1);
            self.rttvar = (self.rttvar + delta.abs() - (self.rttvar >> 2)).max(1);
        }
        self
    }

    /// `tzero_`: smoothed round trip plus four deviations, in whole ticks [s].
    #[expect(clippy::cast_precision_loss, reason = "a count of ticks")]
    pub(super) fn rto(&self) -> f64 {
        (((self.rttvar << 3) + self.srtt) >> 3) as f64 * TICK
    }
}

/// `rfc3390`: initial window [octets].
pub(super) fn initial_window(segment: f64) -> f64 {
    let packets = if segment <= 1_095.0 {
        4.0
    } else if segment < 2_190.0 {
        3.0
    } else {
        2.0
    };
    packets * segment
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The time-out is computed from round trips in ticks of 100 ms, as ns-2's integers do it.
    ///
    /// Verifies: ns-2.35 `tcp/tfrc.cc`, `update_rtt`
    #[test]
    fn the_timeout_counts_in_ticks_of_100_ms() {
        // 40 ms → 1 tick: srtt 8, rttvar 2; (2·8 + 8)/8 = 3 ticks
        let first = Memory::default().measure(0.04);
        assert!((first.rto() - 0.3).abs() < 1e-12);
        // 560 ms → 6 ticks: delta 5; srtt 13, rttvar 2 + 5 − 0 = 7; (56 + 13)/8 = 8
        let second = first.measure(0.56);
        assert!((second.rto() - 0.8).abs() < 1e-12);
        // 1 tick again: delta 1 − 13/8 = 0; rttvar 7 − 7/4 = 6; (48 + 13)/8 = 7
        assert!((second.measure(0.1).rto() - 0.7).abs() < 1e-12);
    }

    /// The initial window is four, three or two packets, by the segment size.
    ///
    /// Verifies: ns-2.35 `tcp/tfrc.cc`, `rfc3390`
    #[test]
    fn the_initial_window_has_four_three_or_two_packets() {
        for (segment, octets) in
            [(1_000.0, 4_000.0), (1_095.0, 4_380.0), (1_460.0, 4_380.0), (2_190.0, 4_380.0)]
        {
            assert!((initial_window(segment) - octets).abs() < 1e-9, "{segment}");
        }
    }
}
