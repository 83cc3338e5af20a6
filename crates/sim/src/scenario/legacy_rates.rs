//! Rates of 802.11a, b and g in messages.

use airfair_units::DataRate;
use airfair_wlan::phy::Standard;

use super::error::ScenarioError;
use super::reader::Entry;

/// Mistake: a rate that `standard` does not have.
pub(super) fn not_a_rate(entry: &Entry, standard: Standard) -> ScenarioError {
    entry.mistake(format!("not an {standard} rate"), list_rates(standard.rates()))
}

/// Rates as a message lists them, such as `1, 2, 5.5, 11 Mb/s`.
pub(super) fn list_rates(rates: &[DataRate]) -> String {
    let texts: Vec<String> = rates.iter().map(ToString::to_string).collect();
    let bare: Vec<&str> = texts.iter().map(|text| text.trim_end_matches(" Mb/s")).collect();
    format!("{} Mb/s", bare.join(", "))
}
