//! HTTP requests for metrics, and the heads of the replies.  [RFC1945 §5]

use std::fmt::Write;

/// Longest head of a request [octets]. Prometheus sends about 300.
pub(super) const LONGEST: usize = 8_192;

/// Outcome of reading the octets that a client has sent so far.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Request {
    /// The head of the request is not complete.
    Incomplete,
    /// Request for the metrics.
    Metrics,
    /// Request for the head of the reply alone.
    Head,
    /// Request that gets an error.
    Refused(Refusal),
}

/// Reason for which a request is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Refusal {
    /// The request is no HTTP.
    Malformed,
    /// The request has another path.
    NotFound,
    /// The request has another method than GET and HEAD.
    Method,
    /// The head of the request is longer than [`LONGEST`].
    TooLong,
}

impl Refusal {
    /// Status line and sentence of the reply.
    fn words(self) -> (&'static str, &'static str) {
        match self {
            Self::Malformed => ("400 Bad Request", "This is no HTTP request."),
            Self::NotFound => ("404 Not Found", "There is only /metrics here."),
            Self::Method => ("405 Method Not Allowed", "Allowed methods: GET, HEAD."),
            Self::TooLong => ("431 Request Header Fields Too Large", "The request is too long."),
        }
    }

    /// The whole reply.
    pub(super) fn reply(self) -> String {
        let (status, sentence) = self.words();
        let body = format!("{sentence}\n");
        head(status, "text/plain; charset=utf-8", body.len()) + &body
    }
}

/// Reads the head of a request.
pub(super) fn read(octets: &[u8]) -> Request {
    let is_whole =
        octets.windows(4).any(|it| it == b"\r\n\r\n") || octets.windows(2).any(|it| it == b"\n\n");
    if !is_whole {
        let is_too_long = octets.len() >= LONGEST;
        return if is_too_long { Request::Refused(Refusal::TooLong) } else { Request::Incomplete };
    }
    let line = octets.split(|it| *it == b'\n').next().unwrap_or_default();
    let Ok(line) = std::str::from_utf8(line) else { return Request::Refused(Refusal::Malformed) };
    let words: Vec<&str> = line.trim_end_matches('\r').split(' ').collect();
    let [method, target, version] = words[..] else {
        return Request::Refused(Refusal::Malformed);
    };
    if !version.starts_with("HTTP/1.") || method.is_empty() || !target.starts_with('/') {
        return Request::Refused(Refusal::Malformed);
    }
    if target.split('?').next() != Some("/metrics") {
        return Request::Refused(Refusal::NotFound);
    }
    match method {
        "GET" => Request::Metrics,
        "HEAD" => Request::Head,
        _ => Request::Refused(Refusal::Method),
    }
}

/// Head of a reply with the metrics, which have this length [octets].
pub(super) fn metrics_head(length: usize) -> String {
    head("200 OK", "text/plain; version=0.0.4; charset=utf-8", length)
}

fn head(status: &str, kind: &str, length: usize) -> String {
    let mut head = format!("HTTP/1.0 {status}\r\nContent-Type: {kind}\r\n");
    let _ = write!(head, "Content-Length: {length}\r\nConnection: close\r\n");
    if status.starts_with("405") {
        head.push_str("Allow: GET, HEAD\r\n");
    }
    head + "\r\n"
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_for_metrics_are_understood() {
        for text in [
            "GET /metrics HTTP/1.0\r\n\r\n",
            "GET /metrics HTTP/1.1\r\nHost: localhost:9811\r\nAccept: */*\r\n\r\n",
            "GET /metrics?name=it HTTP/1.1\n\n",
        ] {
            assert_eq!(read(text.as_bytes()), Request::Metrics, "{text}");
            let cut = &text.as_bytes()[..text.len() - 1];
            assert_eq!(read(cut), Request::Incomplete, "{text}");
        }
        assert_eq!(read(b"HEAD /metrics HTTP/1.0\r\n\r\n"), Request::Head);
        assert_eq!(read(b""), Request::Incomplete);
    }

    #[test]
    fn other_requests_are_refused_with_a_reason() {
        let refused = |text: &[u8]| match read(text) {
            Request::Refused(refusal) => refusal,
            other => panic!("{other:?}"),
        };
        assert_eq!(refused(b"GET / HTTP/1.0\r\n\r\n"), Refusal::NotFound);
        assert_eq!(refused(b"GET /metrics/../x HTTP/1.0\r\n\r\n"), Refusal::NotFound);
        assert_eq!(refused(b"POST /metrics HTTP/1.0\r\n\r\n"), Refusal::Method);
        for text in [
            &b"\r\n\r\n"[..],
            b"GET /metrics\r\n\r\n",
            b"GET  /metrics HTTP/1.0\r\n\r\n",
            b"GET /metrics HTTP/2.0\r\n\r\n",
            b"GET metrics HTTP/1.0\r\n\r\n",
            b"\x16\x03\x01\xff\xfe\n\n",
        ] {
            assert_eq!(refused(text), Refusal::Malformed, "{text:?}");
        }
        assert_eq!(refused(&[b'x'; LONGEST]), Refusal::TooLong);
        assert_eq!(read(&[b'x'; LONGEST - 1]), Request::Incomplete);
    }

    #[test]
    fn a_reply_has_its_length() {
        let reply = Refusal::Method.reply();
        let (head, body) = reply.split_once("\r\n\r\n").unwrap();
        assert!(head.starts_with("HTTP/1.0 405 Method Not Allowed\r\n"));
        assert!(head.contains(&format!("Content-Length: {}\r\n", body.len())));
        assert!(head.ends_with("Allow: GET, HEAD"));
        assert!(metrics_head(7).contains("version=0.0.4"));
    }
}
