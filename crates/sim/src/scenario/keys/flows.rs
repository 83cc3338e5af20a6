//! Keys of flows.

use airfair_units::Time;
use airfair_wlan::edca::AccessCategory;

use super::super::Flow;
use super::super::declare::Keys;
use super::super::kind::{Kind, words};
use super::super::schemes::{CONTROL, CONTROLS};
use super::ranges::{TIME, integer};
use super::transports::TRANSPORTS;

words!(AccessCategory {
    Background = "background",
    BestEffort = "best effort",
    Video = "video",
    Voice = "voice",
});
const STOP: Kind = Kind::Either(&[Kind::Word(&["end"]), TIME]);
const DSCP: Kind = Kind::Either(&[integer(0, 63), Kind::Word(&["none"])]);

/// Declares the keys of a flow, or of one flow per member of a group. `ends` are the names of sender and receiver.
pub(crate) fn flow(keys: &mut Keys, it: &mut Flow, ends: [&str; 2]) {
    keys.of("a flow");
    let [from, to] = ends.map(|end| move || Some(format!("{end:?}")));
    keys.other("from", || Kind::Name, "\"fast\"", from).says(
        "Sender: a station or a host. A group of stations makes one flow per member, with numbered names.",
    );
    keys.other("to", || Kind::Name, "\"fast\"", to)
        .says("Receiver: a station or a host. Two groups of equal size are paired by number.");
    keys.key("count", &mut 1_u32, integer(1, 10_000), "3").written_if(false).says(
        "Number of equal flows between each pair, with the names NAME1, NAME2, …. With 1 the name has no number.",
    );
    let (mut start, mut stop) = (it.start - Time::ZERO, it.stop.map(|stop| stop - Time::ZERO));
    keys.key("start", &mut start, TIME, "\"1 s\"")
        .says("Start of the flow, before the end of the run.");
    keys.key("start_jitter", &mut it.start_jitter, TIME, "\"1 s\"").says(
        "Largest random delay that is added to the start: uniform from 0, and different in each replication. It makes \
         replications differ where nothing else is random, as in a wired network.",
    );
    keys.optional("stop", &mut stop, STOP, "\"10 s\"")
        .says("End of the flow's source, after its start.");
    (it.start, it.stop) = (Time::ZERO + start, stop.map(|stop| Time::ZERO + stop));
    let is_other = it.access_category != AccessCategory::default();
    keys.word("access_category", &mut it.access_category, "\"voice\"").written_if(is_other).says(
        "Access category of the flow's packets in both directions, in cells of 802.11n and later. Each category has \
         its own queue and channel access.",
    );
    let is_marked = it.dscp.is_some();
    keys.optional("dscp", &mut it.dscp, DSCP, "46").written_if(is_marked).says(
        "Differentiated services code point (DSCP) of the flow's packets. The access category follows from it by RFC \
         8325: 46 (EF) is voice, 34 (AF41) video, 8 (CS1) background.",
    );
    let example = "{ kind = \"tcp\", min_rto = \"200 ms\" }";
    keys.choice("transport", &mut it.transport, &TRANSPORTS, example)
        .says(
            "Transport protocol with its settings. An `external` flow sends nothing by itself; the program that \
             drives the simulation provides its packets.",
        );
    keys.choice("control", &mut it.control, &CONTROLS, "\"arf-aware\"")
        .written_before("transport")
        .says(CONTROL);
}
