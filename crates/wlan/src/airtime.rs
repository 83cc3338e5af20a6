//! How long each frame and each exchange lasts, and at which rate responses come.

use airfair_units::{Bytes, DataRate, Duration};

use crate::config::CellConfig;
use crate::frame::{ACK_SIZE, CTS_SIZE, DATA_OVERHEAD, RTS_SIZE};
use crate::phy::{Preamble, Standard, Timing, dsss, ofdm};

/// Frame by which rates are compared.  [linux-minstrel]
pub(crate) const ORDINARY: Bytes = Bytes::new(1_200);

/// Timing rules of one cell.
#[derive(Clone, Debug)]
pub struct Airtime {
    standard: Standard,
    preamble: Preamble,
    basic_rates: Vec<DataRate>,
    protects: bool,
    rts_threshold: Option<Bytes>,
    /// Gaps and windows.
    pub timing: Timing,
}

/// What goes before a data frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    None,
    /// RTS, answered by CTS, both at this rate.
    RtsCts(DataRate),
    /// A CTS to oneself at this rate.
    CtsToSelf(DataRate),
}

impl Airtime {
    /// The rules of `config`.
    pub fn new(config: &CellConfig) -> Self {
        let b_stations = config.has_b_stations();
        let mut timing = config.rules.standard.timing(b_stations, config.rules.preamble);
        timing.cw_min = config.rules.cw_min.unwrap_or(timing.cw_min);
        timing.cw_max = config.rules.cw_max.unwrap_or(timing.cw_max);
        Self {
            standard: config.rules.standard,
            preamble: config.rules.preamble,
            basic_rates: config.rules.basic_rates.clone(),
            protects: config.rules.protection && b_stations,
            rts_threshold: config.rules.rts_threshold,
            timing,
        }
    }

    /// Rate of the control frame that answers a frame at `rate`: the highest basic rate not above it
    /// of the same modulation, else the highest mandatory one.  [80211-2020 §10.6.6.5.2]
    pub fn response_rate(&self, rate: DataRate) -> DataRate {
        let is_dsss = Standard::is_dsss(rate);
        let fits = |basic: &&DataRate| **basic <= rate && Standard::is_dsss(**basic) == is_dsss;
        let mandatory: &[DataRate] = if is_dsss { &dsss::RATES } else { &ofdm::MANDATORY_RATES };
        let basic = self.basic_rates.iter().rfind(fits);
        *basic.or_else(|| mandatory.iter().rfind(fits)).unwrap_or(&mandatory[0])
    }

    /// What goes before a data frame of `msdu` octets at `rate`.
    pub fn protection(&self, msdu: Bytes, rate: DataRate) -> Protection {
        let hidden_from_b = self.protects && !Standard::is_dsss(rate);
        let audible = if hidden_from_b { dsss::RATES[3] } else { rate };
        if self.rts_threshold.is_some_and(|threshold| msdu + DATA_OVERHEAD > threshold) {
            Protection::RtsCts(self.response_rate(audible))
        } else if hidden_from_b {
            Protection::CtsToSelf(self.response_rate(audible))
        } else {
            Protection::None
        }
    }

    /// A data frame that carries `msdu` octets.
    pub fn data(&self, msdu: Bytes, rate: DataRate) -> Duration {
        self.standard.ppdu_duration(msdu + DATA_OVERHEAD, rate, self.preamble)
    }

    /// The ACK of a data frame at `rate`.
    pub fn ack(&self, rate: DataRate) -> Duration {
        self.standard.ppdu_duration(ACK_SIZE, self.response_rate(rate), self.preamble)
    }

    /// What a frame of ordinary size takes with its ACK and the gaps, the yardstick of rate adaptation.
    pub fn exchange(&self, rate: DataRate) -> Duration {
        let Timing { sifs, difs, .. } = self.timing;
        difs + self.data(ORDINARY, rate) + sifs + self.ack(rate)
    }

    /// Mean back-off of a first attempt.
    pub fn mean_backoff(&self) -> Duration {
        Duration::from_nanos((self.timing.slot * u64::from(self.timing.cw_min)).as_nanos() / 2)
    }

    /// An RTS at `rate`.
    pub fn rts(&self, rate: DataRate) -> Duration {
        self.standard.ppdu_duration(RTS_SIZE, rate, self.preamble)
    }

    /// A CTS at `rate`.
    pub fn cts(&self, rate: DataRate) -> Duration {
        self.standard.ppdu_duration(CTS_SIZE, rate, self.preamble)
    }

    /// Rate of beacons: the lowest that every station supports.
    pub fn beacon_rate(&self) -> DataRate {
        self.basic_rates[0]
    }

    /// A beacon of `psdu` octets.
    pub fn beacon(&self, psdu: Bytes) -> Duration {
        self.standard.ppdu_duration(psdu, self.beacon_rate(), self.preamble)
    }

    /// ACK and CTS time-out, counted from the end of the frame: SIFS, a slot and the PHY's start delay.
    /// [80211-2020 §10.3.2.9, §10.3.2.11]
    pub fn response_timeout(&self) -> Duration {
        self.timing.sifs + self.timing.slot + self.timing.rx_phy_start_delay
    }
}
