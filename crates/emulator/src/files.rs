//! File server in each namespace: HTTP on port 80, with files of any requested size.
//!
//! `GET /100M` returns 100 million octets of zeros. Uploads are read and discarded. Each connection
//! has a thread with blocking writes, so that the kernel's TCP alone decides when data is sent.

use std::io::{BufRead, BufReader, Read, Result, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use crate::os::{Namespace, stop_listening};

const PORT: u16 = 80;
/// Most simultaneous connections of the file server.
const MOST: usize = 64;
/// Greatest length of the head of an HTTP request [octets].
const HEAD: u64 = 16_384;
/// Most octets that the server writes at once.
const CHUNK: usize = 65_536;

/// Running HTTP file server. It stops when this value is dropped.
#[derive(Debug)]
pub(crate) struct FileServer(Arc<TcpListener>);

impl FileServer {
    /// Starts a file server in a namespace.
    pub(crate) fn start(namespace: &Namespace) -> Result<Self> {
        let listener = namespace.within(|| {
            // Dual stack, or IPv4 alone if the kernel has no IPv6.
            TcpListener::bind(("::", PORT)).or_else(|_| TcpListener::bind(("0.0.0.0", PORT)))
        })?;
        let listener = Arc::new(listener);
        let accepting = Arc::clone(&listener);
        thread::Builder::new().name("files".to_owned()).spawn(move || accept(&accepting))?;
        Ok(Self(listener))
    }
}

impl Drop for FileServer {
    fn drop(&mut self) {
        stop_listening(&self.0);
    }
}

fn accept(listener: &TcpListener) {
    let open = Arc::new(AtomicUsize::new(0));
    while let Ok((connection, _)) = listener.accept() {
        if open.load(Ordering::Relaxed) >= MOST {
            continue;
        }
        open.fetch_add(1, Ordering::Relaxed);
        let counter = Arc::clone(&open);
        let serve = move || {
            // An error here means that the client has closed the connection.
            let _ = serve(connection);
            counter.fetch_sub(1, Ordering::Relaxed);
        };
        if thread::Builder::new().spawn(serve).is_err() {
            open.fetch_sub(1, Ordering::Relaxed);
        }
    }
}

/// Parsed head of an HTTP request to the file server.
#[derive(Debug, PartialEq, Eq)]
struct Request {
    is_upload: bool,
    wants_body: bool,
    path: String,
    length: Option<u64>,
    expects: bool,
}

fn serve(mut connection: TcpStream) -> Result<()> {
    let mut reader = BufReader::new(connection.try_clone()?);
    let Some(request) = request(&mut (&mut reader).take(HEAD)) else {
        return answer(
            &mut connection,
            "400 Bad Request",
            "this server does not support the request\n",
        );
    };
    if request.is_upload {
        let Some(length) = request.length else {
            return answer(
                &mut connection,
                "411 Length Required",
                "the header Content-Length is missing\n",
            );
        };
        if request.expects {
            connection.write_all(b"HTTP/1.1 100 Continue\r\n\r\n")?;
        }
        let read = std::io::copy(&mut reader.take(length), &mut std::io::sink())?;
        return answer(&mut connection, "200 OK", &format!("{read} octets\n"));
    }
    let Some(mut left) = size(&request.path) else {
        let usage =
            "the path is the size of the answer: /100M, /10k, /1G; PUT and POST upload data\n";
        let status = if request.path == "/" { "200 OK" } else { "404 Not Found" };
        return answer(&mut connection, status, usage);
    };
    write!(connection, "HTTP/1.1 200 OK\r\nContent-Length: {left}\r\nConnection: close\r\n\r\n")?;
    let zeros = vec![0; CHUNK];
    while request.wants_body && left > 0 {
        let chunk = usize::try_from(left).map_or(CHUNK, |left| left.min(CHUNK));
        connection.write_all(&zeros[..chunk])?;
        left -= chunk as u64;
    }
    Ok(())
}

fn answer(connection: &mut TcpStream, status: &str, text: &str) -> Result<()> {
    let length = text.len();
    write!(
        connection,
        "HTTP/1.1 {status}\r\nContent-Type: text/plain\r\nContent-Length: {length}\r\nConnection: close\r\n\r\n{text}"
    )
}

fn request(head: &mut impl BufRead) -> Option<Request> {
    let mut lines = head.lines().map_while(Result::ok);
    let first = lines.next()?;
    let mut words = first.split(' ');
    let (method, path) = (words.next()?, words.next()?.to_owned());
    let is_upload = matches!(method, "PUT" | "POST");
    if !is_upload && !matches!(method, "GET" | "HEAD") {
        return None;
    }
    let wants_body = method != "HEAD";
    let mut request = Request { is_upload, wants_body, path, length: None, expects: false };
    for line in lines {
        if line.is_empty() {
            return Some(request);
        }
        let (name, value) = line.split_once(':')?;
        match name.to_ascii_lowercase().as_str() {
            "content-length" => request.length = value.trim().parse().ok(),
            "expect" => request.expects = true,
            _ => {}
        }
    }
    None
}

/// Number of octets that the path of an HTTP request asks for, such as 100 million by `/100M`.
fn size(path: &str) -> Option<u64> {
    let text = path.strip_prefix('/')?;
    let digits = text.trim_end_matches(['k', 'K', 'M', 'G']);
    let unit = match &text[digits.len()..] {
        "" => 1,
        "k" | "K" => 1_000,
        "M" => 1_000_000,
        "G" => 1_000_000_000,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_names_the_size_of_the_file() {
        assert_eq!(size("/100M"), Some(100_000_000));
        assert_eq!(
            (size("/7"), size("/10k"), size("/2G")),
            (Some(7), Some(10_000), Some(2_000_000_000))
        );
        for nothing in ["/", "/M", "/1Mk", "/-1", "100M", "/99999999999999999999", "/1 000"] {
            assert_eq!(size(nothing), None, "{nothing}");
        }
    }

    fn read(head: &str) -> Option<Request> {
        request(&mut head.as_bytes())
    }

    #[test]
    fn requests_are_read_and_nonsense_is_none() {
        let get = read("GET /1k HTTP/1.1\r\nHost: server\r\n\r\n").expect("a request");
        assert_eq!((get.path.as_str(), get.is_upload), ("/1k", false));
        let put = read("PUT /x HTTP/1.1\r\nContent-Length: 9\r\nExpect: 100-continue\r\n\r\n");
        let put = put.expect("a request");
        assert_eq!((put.is_upload, put.length, put.expects), (true, Some(9), true));
        for nonsense in ["", "GET", "BREW /pot HTTP/1.1\r\n\r\n", "GET / HTTP/1.1\r\nHost: x"] {
            assert_eq!(read(nonsense), None, "{nonsense:?}");
        }
    }
}
