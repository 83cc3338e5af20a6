//! Mistakes in QUIC flows.

use super::{messages, with};

/// Messages for a QUIC flow with these settings.
fn of(settings: &str) -> Vec<String> {
    let transport = format!("{{ kind = \"quic\", {settings} }}");
    messages(with(&[("flow.a.transport", &transport)]))
}

#[test]
fn values_that_quic_cannot_have() {
    for (settings, message) in [
        (
            "datagram = \"1000 B\"",
            "flow.a.transport.datagram = \"1000 B\": out of range; allowed an amount of data from 1200 B to 1472 B",
        ),
        (
            "ack_every = 0",
            "flow.a.transport.ack_every = 0: out of range; allowed a whole number from 1 to 1000",
        ),
        (
            "flavour = \"bbr\", pacing = false",
            "flow.a.transport.pacing = false: flavour bbr always paces; allowed true, or another flavour",
        ),
        (
            "flavour = \"bbr1\", slow_start = \"hystart\"",
            "flow.a.transport.slow_start = \"hystart\": the flavour has a slow start of its own; allowed \"standard\", \
             or flavour newreno or cubic",
        ),
        (
            "flavour = \"vegas\"",
            "flow.a.transport.flavour = \"vegas\": no such value; allowed \"newreno\", \"cubic\", \"bbr1\", \"bbr\"",
        ),
        (
            "source = \"web\", size = \"1 MB\"",
            "flow.a.transport.size = \"1 MB\": set together with a source; allowed \"endless\", or a source \"bulk\"",
        ),
    ] {
        assert_eq!(of(settings), [message], "{settings}");
    }
}

/// Schemes that limit a window or a rate at a host or a station cannot reach into QUIC.
#[test]
fn no_scheme_of_a_flow_reaches_quic() {
    for (control, problem, kind) in [
        ("arf-aware", "arf-aware needs TCP: it scales the TCP congestion window", "tcp"),
        ("arf-window", "arf-window needs TCP: it limits the TCP window", "tcp"),
        ("rate-cap", "rate-cap needs TCP or TFRC: the window of QUIC is out of its reach", "tfrc"),
        (
            "occupancy",
            "occupancy needs TCP or TFRC: the window of QUIC is out of its reach",
            "tfrc",
        ),
    ] {
        let overrides = [
            ("bss.home.ap.occupancy", "true"),
            ("flow.a.transport", "{ kind = \"quic\" }"),
            ("flow.a.control", &format!("\"{control}\"")),
        ];
        let message = format!(
            "flow.a.control = \"{control}\": {problem}; allowed \"none\", or transport = {{ kind = \"{kind}\" }}"
        );
        assert_eq!(messages(with(&overrides)), [message]);
    }
}
