//! Tests of the server of metrics with clients that are slow, wrong, or many.

use std::io::{ErrorKind, Read, Write};
use std::net::TcpStream;
use std::os::unix::net::UnixStream;

use airfair_units::{Duration, Time};

use super::*;
use crate::os;

/// Server on a free port of the loopback.
fn server() -> (MetricsServer, u16) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let port = listener.local_addr().unwrap().port();
    let server =
        MetricsServer { listener: Listener::Loopback(listener), clients: Vec::new(), made: None };
    (server, port)
}

fn client(port: u16) -> TcpStream {
    TcpStream::connect(("127.0.0.1", port)).unwrap()
}

fn at(ms: u64) -> Time {
    Time::ZERO + Duration::from_millis(ms)
}

/// Reply to a request, which the server may serve in several turns.
fn reply(server: &mut MetricsServer, port: u16, request: &[u8]) -> String {
    let mut client = client(port);
    client.write_all(request).unwrap();
    rest(server, &mut client)
}

fn rest(server: &mut MetricsServer, client: &mut TcpStream) -> String {
    client.set_nonblocking(true).unwrap();
    let mut text = Vec::new();
    for _ in 0..1_000 {
        server.serve(at(0), &Status::default());
        match client.read_to_end(&mut text) {
            Err(error) if error.kind() == ErrorKind::WouldBlock => os::wait_for(&[], 1),
            done => {
                done.unwrap();
                return String::from_utf8(text).unwrap();
            }
        }
    }
    panic!("the reply does not end: {}", String::from_utf8_lossy(&text));
}

const GET: &[u8] = b"GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n";

#[test]
fn a_client_gets_the_metrics() {
    let (mut server, port) = server();
    let text = reply(&mut server, port, GET);
    let (head, body) = text.split_once("\r\n\r\n").unwrap();
    assert!(head.starts_with("HTTP/1.0 200 OK\r\n"), "{head}");
    assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())), "{head}");
    assert_eq!(body, text_of_nothing());
    let head = reply(&mut server, port, b"HEAD /metrics HTTP/1.0\r\n\r\n");
    assert!(head.ends_with("\r\n\r\n") && head.starts_with("HTTP/1.0 200"), "{head}");
}

fn text_of_nothing() -> String {
    text(&Status::default())
}

#[test]
fn wrong_requests_get_an_error() {
    let (mut server, port) = server();
    for (request, status) in [
        (&b"GET / HTTP/1.0\r\n\r\n"[..], "404"),
        (b"DELETE /metrics HTTP/1.0\r\n\r\n", "405"),
        (b"\x16\x03\x01\xff\n\n", "400"),
        (&vec![b'x'; 3 * LONGEST], "431"),
    ] {
        let text = reply(&mut server, port, request);
        assert!(text.starts_with(&format!("HTTP/1.0 {status} ")), "{text}");
    }
    assert!(reply(&mut server, port, GET).starts_with("HTTP/1.0 200"));
}

/// A request in single octets gets its reply; one that never ends is dropped after five seconds.
#[test]
fn a_slow_client_is_served_or_dropped() {
    let (mut server, port) = server();
    let (mut slow, mut silent) = (client(port), client(port));
    for octet in GET {
        slow.write_all(&[*octet]).unwrap();
        server.serve(at(0), &Status::default());
    }
    assert!(rest(&mut server, &mut slow).ends_with(&text_of_nothing()));
    drop(slow);
    server.serve(at(4_999), &Status::default());
    assert_eq!(server.clients.len(), 1);
    server.serve(at(5_000), &Status::default());
    assert!(server.clients.is_empty());
    assert_eq!(silent.read(&mut [0; 1]).unwrap(), 0, "the connection is closed");
}

/// Of more clients than there is room for, the first are dropped, and the last is served.
#[test]
fn many_clients_keep_nobody_out() {
    let (mut server, port) = server();
    let crowd: Vec<TcpStream> = (0..3 * MOST).map(|_| client(port)).collect();
    for _ in 0..3 {
        server.serve(at(0), &Status::default());
    }
    assert_eq!(server.clients.len(), MOST);
    assert!(reply(&mut server, port, GET).starts_with("HTTP/1.0 200"));
    drop(crowd);
}

/// A client that does not read its reply, which is longer than the socket's buffers, delays
/// nobody, and is dropped.
#[test]
fn a_client_that_does_not_read_delays_nobody() {
    let (mut server, port) = server();
    let interface = Some("x".repeat(32 << 20));
    let status = Status { interface, samples: 1, ..Status::default() };
    let mut lazy = client(port);
    lazy.write_all(GET).unwrap();
    os::wait_for(&[server.listener.descriptor()], 1_000);
    let before = os::monotonic_ns();
    while !server.clients.iter().any(Client::is_reading) {
        server.serve(at(0), &status);
        assert!(os::monotonic_ns() - before < 10_000_000_000);
    }
    server.serve(at(0), &status);
    assert!(reply(&mut server, port, GET).ends_with(&text_of_nothing()));
    server.serve(at(5_000), &status);
    assert!(server.clients.is_empty());
}

#[test]
fn the_text_is_made_once_per_sample() {
    let (mut made, status) = (None, Status { samples: 1, ..Status::default() });
    let first = current(&mut made, &status);
    assert!(Arc::ptr_eq(&first, &current(&mut made, &status)));
    let next = current(&mut made, &Status { samples: 2, ..status });
    assert!(next.contains("airfair_samples_total 2\n"));
}

#[test]
fn a_port_that_is_taken_is_named() {
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap();
    let error = MetricsServer::open(&MetricsAddress::Loopback(address)).unwrap_err();
    let said = format!("{error:#}");
    assert!(
        said.starts_with(&format!("metrics = \"{address}\": Address already in use")),
        "{said}"
    );
}

#[test]
fn a_unix_socket_replaces_a_stale_one_and_nothing_else() {
    let path = std::env::temp_dir().join(format!("airfair-metrics-{}", std::process::id()));
    let address = MetricsAddress::Unix(path.clone());
    // A socket file that nobody listens to is left by an agent that was killed.
    drop(UnixListener::bind(&path).unwrap());
    let mut server = MetricsServer::open(&address).unwrap();
    let said = format!("{:#}", MetricsServer::open(&address).unwrap_err());
    assert!(said.contains("another program answers there"), "{said}");
    server.serve(at(0), &Status::default());
    let mut client = UnixStream::connect(&path).unwrap();
    client.write_all(GET).unwrap();
    server.serve(at(0), &Status::default());
    let mut text = String::new();
    client.read_to_string(&mut text).unwrap();
    assert!(text.starts_with("HTTP/1.0 200 OK"), "{text}");
    drop(server);
    assert!(!path.exists());
    fs::write(&path, "precious").unwrap();
    let said = format!("{:#}", MetricsServer::open(&address).unwrap_err());
    assert!(said.contains("is no socket"), "{said}");
    assert_eq!(fs::read(&path).unwrap(), b"precious");
    fs::remove_file(&path).unwrap();
}
