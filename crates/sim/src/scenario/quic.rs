//! Checks of QUIC flows.

use airfair_transport::control::SlowStart;
use airfair_transport::quic::Controller;

use super::error::Mistakes;
use super::kind::Words;
use super::reader::Fields;
use super::workloads::check_workload;

/// Checks settings of a QUIC transport that depend on each other.
pub(super) fn check_quic(fields: &Fields, mistakes: &mut Mistakes) {
    check_workload(fields, mistakes);
    let crypto = fields.get("server_crypto");
    if crypto.node.is_some() && !crypto.bad && fields.get("handshake").value() != Some(true) {
        let problem = "there are no messages without a handshake";
        mistakes.add(crypto.at, crypto.mistake(problem, "handshake = true"));
    }
    let flavour = fields.get("flavour").word();
    let Some(word) = flavour.filter(|word| Controller::of(word).has_model()) else { return };
    let (pacing, start) = (fields.get("pacing"), fields.get("slow_start"));
    if pacing.node.is_some() && pacing.value() == Some(false) {
        let problem = format!("flavour {word} always paces");
        mistakes.add(pacing.at, pacing.mistake(&problem, "true, or another flavour"));
    }
    let ecn = fields.get("ecn");
    if ecn.value() == Some(true) {
        let problem = format!("flavour {word} does not answer marks");
        mistakes.add(ecn.at, ecn.mistake(&problem, "false, or another flavour"));
    }
    if start.word().is_some_and(|word| SlowStart::of(word) != SlowStart::Standard) {
        let allowed = "\"standard\", or flavour newreno or cubic";
        mistakes.add(start.at, start.mistake("the flavour has a slow start of its own", allowed));
    }
}
