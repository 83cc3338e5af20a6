//! Multi-user frames: checks of a cell's OFDMA, MU EDCA and MU-MIMO against its standard and its channel.

use airfair_units::{Dbm, Duration};
use airfair_wlan::Channel;
use airfair_wlan::multi_user::{MuEdca, MuMimo, Ofdma};
use airfair_wlan::phy::Standard;

use super::access;
use super::error::Mistakes;
use super::reader::{Entry, Fields};

/// Checks the keys for multi-user frames of a cell.
pub(super) fn check(
    cell: &Fields,
    standard: Option<Standard>,
    channel: Option<Channel>,
    has_radio: Option<bool>,
    mistakes: &mut Mistakes,
) {
    let [ofdma, mu_edca, mu_mimo] = ["ofdma", "mu_edca", "mu_mimo"].map(|key| cell.get(key));
    let Some(standard) = standard else { return };
    if standard != Standard::Ax {
        for entry in
            [ofdma, mu_edca, mu_mimo].into_iter().filter(|it| it.fields().is_some() && !it.bad)
        {
            let problem = format!("{standard} does not have this setting");
            mistakes.add(entry.at, entry.mistake(problem, "with 802.11ax"));
        }
        return;
    }
    if let (Some(settings), Some(channel)) = (ofdma.fields(), channel) {
        check_agreements(ofdma, channel, mistakes);
        check_ofdma(settings, channel, mistakes);
        let asks = mu_mimo.fields().is_some() || settings.get("ack").word() != Some("bar");
        check_target(settings, (asks, has_radio), mistakes);
    }
    if let (Some(settings), Some(channel)) = (mu_mimo.fields(), channel) {
        check_agreements(mu_mimo, channel, mistakes);
        check_mu_mimo(mu_mimo, settings, channel, mistakes);
    }
    let Some(settings) = mu_edca.fields() else { return };
    check_mu_edca(settings, mistakes);
    let has_triggers = ofdma.fields().is_some_and(|ofdma| ofdma.get("up").word() != Some("off"));
    if !has_triggers && !ofdma.bad {
        let error = mu_edca
            .mistake("the access point triggers no station", "with ofdma.up other than \"off\"");
        mistakes.add(mu_edca.at, error);
    }
}

/// Checks that the cell has the block ack agreements that multi-user frames need.
fn check_agreements(entry: &Entry, channel: Channel, mistakes: &mut Mistakes) {
    if channel.aggregation.is_none() {
        let problem = "needs block ack agreements, which the cell does not have";
        let allowed = "with aggregation other than \"off\"";
        mistakes.add(entry.at, entry.mistake(problem, allowed));
    }
}

fn check_ofdma(settings: &Fields, channel: Channel, mistakes: &mut Mistakes) {
    let most = Ofdma::most_users(channel.width);
    let (users, random) = (settings.get("users"), settings.get("random"));
    let named = users.integer::<u16>().unwrap_or_default();
    let left = most.checked_sub(named);
    if left.is_none() {
        let problem = format!("more than a channel of {} has resource units", channel.width);
        mistakes.add(users.at, users.mistake(problem, format!("at most {most}")));
    }
    if let (Some(left), Some(units)) = (left, random.integer::<u16>())
        && units > left
    {
        let width = channel.width;
        let problem =
            format!("with {named} users more than a channel of {width} has resource units");
        mistakes.add(random.at, random.mistake(problem, format!("at most {left}")));
    }
    if settings.get("up").word() != Some("off") {
        return;
    }
    let [every, poll, random] = ["trigger_every", "poll", "random"].map(|key| settings.get(key));
    let needs_up = [
        (every, every.value::<Duration>().is_some()),
        (poll, poll.value() == Some(true)),
        (random, random.integer::<u16>().is_some_and(|units| units > 0)),
    ];
    for (entry, _) in needs_up.into_iter().filter(|(_, is_on)| *is_on) {
        let allowed = "with up other than \"off\"";
        mistakes.add(entry.at, entry.mistake("the access point triggers no station", allowed));
    }
}

/// Checks that powers decide what the access point receives, and that it triggers stations for data or for responses,
/// for which `asks` is true.
fn check_target(
    settings: &Fields,
    (asks, has_radio): (bool, Option<bool>),
    mistakes: &mut Mistakes,
) {
    let entry = settings.get("target_rssi");
    let Some(target) = entry.value::<Dbm>() else { return };
    if has_radio == Some(false) {
        let allowed = "together with the key radio of the cell";
        mistakes.add(entry.at, entry.mistake("the cell has no radio", allowed));
    }
    if !asks && settings.get("up").word() == Some("off") {
        let allowed = "with up other than \"off\" or ack other than \"bar\"";
        mistakes.add(entry.at, entry.mistake("the access point triggers no station", allowed));
    }
    if target.get().fract() != 0.0 {
        let problem = "a trigger expresses whole dBm";
        mistakes.add(entry.at, entry.mistake(problem, "-110, -109, … -20 dBm"));
    }
}

/// Checks that the access point has a stream for each station of a PPDU.
fn check_mu_mimo(entry: &Entry, settings: &Fields, channel: Channel, mistakes: &mut Mistakes) {
    let (users, most) = (settings.get("users"), channel.streams);
    let wanted = users.integer().unwrap_or(MuMimo::default().users);
    if wanted > most.into() && !users.bad {
        let at = if users.is_set() { users } else { entry };
        let problem = format!("{wanted} users are more than the access point has streams");
        mistakes.add(at.at, at.mistake(problem, format!("at most streams, which is {most}")));
    }
}

fn check_mu_edca(settings: &Fields, mistakes: &mut Mistakes) {
    let (aifsn, timer) = (settings.get("aifsn"), settings.get("timer"));
    if aifsn.integer() == Some(1_u8) {
        let problem = "only an access point may wait less than a DIFS";
        mistakes.add(aifsn.at, aifsn.mistake(problem, "0, 2 to 15"));
    }
    let unit = MuEdca::TIMER_UNIT;
    if timer.value::<Duration>().is_some_and(|it| it.as_nanos() % unit.as_nanos() != 0) {
        let allowed = format!("1 to 255 times {unit}");
        mistakes.add(timer.at, timer.mistake(format!("not a multiple of {unit}"), allowed));
    }
    let (min, max) = (settings.get("cw_min"), settings.get("cw_max"));
    if let Some(windows) = min.integer().zip(max.integer()) {
        access::check_order(min, max, windows, mistakes);
    }
}
