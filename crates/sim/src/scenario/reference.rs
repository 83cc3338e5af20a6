//! The reference of the scenario file: one line per key.

use super::keys::{
    AARF, AIRTIME, ARF, ARF_AWARE, ARF_WINDOW, BERNOULLI, BIT_ERRORS, BSS, CODEL, DATA_ACK,
    DEFICIT_ROUND_ROBIN, FIFO, FLOW, FQ_CODEL, FRAME_ERRORS, FRAMES, GILBERT_ELLIOTT, HOST, LINK,
    LOG_DISTANCE, MINSTREL, ON_OFF, ORACLE, PERIODS, RANDOM_WAYPOINT, RATE_CAP, RAYLEIGH, RICIAN,
    ROOT, ROUND_ROBIN, ROUTER, SNR, STATION, STRAIGHT, TCP, TFRC, TIME_REGULATOR, TRACE, TWO_RAY,
    UDP, WAYPOINTS,
};
use super::kind::{Kind, Table};
use super::schema::default_text;

/// The keys of the scenario file as Markdown tables, for `docs/scenario.md`.
pub fn reference_markdown() -> String {
    let sections: [(&str, &Table); 41] = [
        ("Top level", &ROOT),
        ("`[bss.NAME]`", &BSS),
        ("`[station.NAME]`", &STATION),
        ("`rate = { control = \"arf\", … }`", &ARF),
        ("`rate = { control = \"aarf\", … }`", &AARF),
        ("`rate = { control = \"minstrel\", … }`", &MINSTREL),
        ("`rate = { control = \"oracle\" }`", &ORACLE),
        ("`queue = { … }` of a station or an access point", &FIFO),
        ("`queue = { discipline = \"data-ack\", … }`", &DATA_ACK),
        ("`queue = { discipline = \"round-robin\", … }`", &ROUND_ROBIN),
        ("`queue = { discipline = \"deficit-round-robin\", … }`", &DEFICIT_ROUND_ROBIN),
        ("`queue = { discipline = \"codel\", … }`", &CODEL),
        ("`queue = { discipline = \"fq-codel\", … }`", &FQ_CODEL),
        ("`queue = { discipline = \"airtime\", … }` of an access point", &AIRTIME),
        ("`queue = { discipline = \"time-regulator\", … }` of an access point", &TIME_REGULATOR),
        ("`errors = { model = \"bernoulli\", … }`", &FRAME_ERRORS),
        ("`errors = { model = \"bit\", … }`", &BIT_ERRORS),
        ("`errors = { model = \"gilbert-elliott\", … }`", &PERIODS),
        ("`errors = { model = \"snr\", … }`", &SNR),
        ("`propagation = { model = \"two-ray\", … }`", &TWO_RAY),
        ("`propagation = { model = \"log-distance\", … }`", &LOG_DISTANCE),
        ("`fading = { model = \"rayleigh\", … }`", &RAYLEIGH),
        ("`fading = { model = \"rician\", … }`", &RICIAN),
        ("`mobility = { model = \"velocity\", … }`", &STRAIGHT),
        ("`mobility = { model = \"waypoints\", … }`", &WAYPOINTS),
        ("`mobility = { model = \"trace\", … }`", &TRACE),
        ("`mobility = { model = \"random-waypoint\", … }`", &RANDOM_WAYPOINT),
        ("`[host.NAME]`", &HOST),
        ("`[router.NAME]`", &ROUTER),
        ("`[link.NAME]`", &LINK),
        ("`loss = { model = \"bernoulli\", … }`", &BERNOULLI),
        ("`loss = { model = \"gilbert-elliott\", … }`", &GILBERT_ELLIOTT),
        ("`[flow.NAME]`", &FLOW),
        ("`control = { scheme = \"arf-aware\", … }`", &ARF_AWARE),
        ("`control = { scheme = \"arf-window\", … }`", &ARF_WINDOW),
        ("`control = { scheme = \"rate-cap\", … }`", &RATE_CAP),
        ("`transport = { kind = \"tcp\", … }`", &TCP),
        ("`transport = { kind = \"tfrc\", … }`", &TFRC),
        ("`source = { model = \"on-off\", … }`", &ON_OFF),
        ("`source = { model = \"frames\", … }`", &FRAMES),
        ("`transport = { kind = \"udp\", … }`", &UDP),
    ];
    let mut out = String::new();
    for (i, (heading, table)) in sections.into_iter().enumerate() {
        out.push_str(if i == 0 { "" } else { "\n" });
        out.extend(["## ", heading, "\n\n"]);
        out.push_str("| key | value | default | example | meaning |\n|---|---|---|---|---|\n");
        rows(&mut out, "", table);
    }
    out
}

fn rows(out: &mut String, prefix: &str, table: &Table) {
    for key in table.keys {
        let name = format!("{prefix}{}", key.name);
        let example =
            if key.example.is_empty() { String::new() } else { format!("`{}`", key.example) };
        let cells = [key.kind.describe(), default_text(key), example, key.doc.to_owned()];
        let cells = cells.map(|cell| cell.replace('|', "\\|"));
        out.extend([
            "| `",
            &name,
            "` | ",
            &cells.join(" | "),
            " |
",
        ]);
        if let Some(inner) = inner(&key.kind) {
            rows(out, &format!("{name}."), inner);
        }
    }
}

/// The table that a key can hold in place.
fn inner(kind: &Kind) -> Option<&'static Table> {
    match kind {
        Kind::Table(table) => Some(table),
        Kind::Either(kinds) => kinds.iter().find_map(inner),
        _ => None,
    }
}
