//! Rates of a station's link, as requests name them.

use airfair_units::DataRate;
use airfair_wlan::phy::Rate;

/// Unit of rates in the tables of the standard.
const TENTH: u64 = 100_000;

/// Data rates that both directions of a link permit, in ascending order.
pub(crate) fn of_both(up: &[Rate], down: &[Rate]) -> Vec<DataRate> {
    let both = up.iter().filter(|rate| down.contains(rate));
    let mut rates: Vec<_> = both.map(|rate| rate.data_rate()).collect();
    rates.sort_unstable();
    rates.dedup();
    rates
}

/// Rate of a link with the data rate `wanted`, or else the mode that has it in the tables of the
/// standard, which round to tenths of a Mb/s. Of several modes it is the first, with the fewest
/// streams. A rate that the link does not have is returned as it is, so that the world refuses it.
pub(crate) fn meant(rates: &[Rate], wanted: DataRate) -> Rate {
    let is_in_tables = |rate: &Rate| match rate {
        Rate::Legacy(_) => false,
        Rate::Mode(mode) => mode.tenths_of_mbps() * TENTH == wanted.bps(),
    };
    let exact = rates.iter().find(|rate| rate.data_rate() == wanted);
    let found = exact.or_else(|| rates.iter().find(|rate| is_in_tables(rate)));
    found.copied().unwrap_or(Rate::Legacy(wanted))
}

#[cfg(test)]
mod tests {
    use airfair_wlan::phy::mode::Format;
    use airfair_wlan::phy::{GuardInterval, Mode, Width};

    use super::*;

    /// Rate of so many tenths of a Mb/s.
    fn tenths(count: u64) -> DataRate {
        DataRate::from_bps(count * TENTH)
    }

    /// HT modes of one and two streams at 20 MHz with short guard intervals. MCS 3 of one stream has
    /// the rate of MCS 1 of two streams: 28.9 Mb/s in the tables, 104 bits in 3.6 µs.
    fn ht() -> Vec<Rate> {
        let all = Mode::all(Format::Ht, Width::Mhz20, GuardInterval::Ns400);
        all.filter(|mode| mode.streams() <= 2).map(Rate::Mode).collect()
    }

    #[test]
    fn a_rate_is_found_as_the_tables_print_it_and_as_it_is() {
        let rates = ht();
        for wanted in [tenths(289), DataRate::from_bps(104 * 1_000_000_000 / 3_600)] {
            let Rate::Mode(mode) = meant(&rates, wanted) else { panic!("{wanted:?} is a mode") };
            assert_eq!((mode.streams(), mode.mcs()), (1, 3));
        }
        let Rate::Mode(highest) = meant(&rates, tenths(1_444)) else { panic!("it is a mode") };
        assert_eq!((highest.streams(), highest.mcs()), (2, 7));
        assert_eq!(meant(&rates, tenths(288)), Rate::Legacy(tenths(288)));
        let legacy = [Rate::Legacy(tenths(55)), Rate::Legacy(tenths(110))];
        assert_eq!(meant(&legacy, tenths(55)), legacy[0]);
    }

    #[test]
    fn rates_of_both_directions_are_listed_once_in_ascending_order() {
        let rates = ht();
        let listed = of_both(&rates, &rates);
        // Eight rates of each number of streams; MCS 1, 3, 4 and 5 of one stream have the rates of
        // MCS 0 to 3 of two streams: 14.4, 28.9, 43.3 and 57.8 Mb/s.
        assert!(listed.is_sorted() && (rates.len(), listed.len()) == (16, 12));
        assert_eq!(of_both(&rates, &[]), []);
        assert_eq!(of_both(&rates, &rates[..1]), [rates[0].data_rate()]);
    }
}
