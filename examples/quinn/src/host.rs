//! A host: an endpoint of quinn-proto with its connection, at one end of a link.

use std::net::SocketAddr;
use std::time::Instant;

use airfair_link::{Bytes, End, Link, Refusal, Time, UDP_OVER_IPV4};
use bytes::BytesMut;
use quinn_proto::{
    ClientConfig, Connection, ConnectionHandle, DatagramEvent, Endpoint, Event, Transmit,
};

use crate::Error;

/// UDP payload of a packet in the link.
pub(crate) type Datagram = Vec<u8>;

/// Simulated time as quinn-proto wants it: an `Instant` that stands for time zero, and an offset.
#[derive(Clone, Copy)]
pub(crate) struct Epoch(pub(crate) Instant);

impl Epoch {
    pub(crate) fn instant(self, at: Time) -> Instant {
        self.0 + std::time::Duration::from_nanos(at.as_nanos())
    }

    pub(crate) fn time(self, at: Instant) -> Time {
        let ns = at.saturating_duration_since(self.0).as_nanos();
        Time::from_nanos(u64::try_from(ns).unwrap_or(u64::MAX))
    }
}

pub(crate) struct Host {
    endpoint: Endpoint,
    handle: Option<ConnectionHandle>,
    pub(crate) connection: Option<Connection>,
    end: End,
    peer: SocketAddr,
    epoch: Epoch,
    /// Datagram that the queue of this host had no room for. The host sends nothing before it, like a socket whose
    /// buffer is full.
    refused: Option<Datagram>,
}

impl Host {
    pub(crate) fn new(endpoint: Endpoint, end: End, peer: SocketAddr, epoch: Epoch) -> Self {
        Self { endpoint, handle: None, connection: None, end, peer, epoch, refused: None }
    }

    pub(crate) fn connect(&mut self, config: ClientConfig, name: &str) -> Result<(), Error> {
        let begin = self.epoch.instant(Time::ZERO);
        let (handle, connection) = self.endpoint.connect(begin, config, self.peer, name)?;
        (self.handle, self.connection) = (Some(handle), Some(connection));
        Ok(())
    }

    /// Time at which the connection wants to be called.
    pub(crate) fn next_timeout(&mut self) -> Option<Time> {
        Some(self.epoch.time(self.connection.as_mut()?.poll_timeout()?))
    }

    pub(crate) fn handle_timeout(&mut self, now: Time) {
        if self.next_timeout().is_some_and(|at| at <= now)
            && let Some(connection) = &mut self.connection
        {
            connection.handle_timeout(self.epoch.instant(now));
        }
    }

    /// Handles a datagram that the link has delivered.
    pub(crate) fn receive(&mut self, now: Time, datagram: &[u8]) -> Result<(), Error> {
        let (instant, mut buffer) = (self.epoch.instant(now), Vec::new());
        let data = BytesMut::from(datagram);
        match self.endpoint.handle(instant, self.peer, None, None, data, &mut buffer) {
            Some(DatagramEvent::NewConnection(incoming)) => {
                let accepted = self.endpoint.accept(incoming, instant, &mut buffer, None);
                let (handle, connection) = accepted.map_err(|error| error.cause)?;
                (self.handle, self.connection) = (Some(handle), Some(connection));
            }
            Some(DatagramEvent::ConnectionEvent(_, event)) => {
                if let Some(connection) = &mut self.connection {
                    connection.handle_event(event);
                }
            }
            // Stateless answers, which these hosts do not cause.
            Some(DatagramEvent::Response(_)) | None => {}
        }
        Ok(())
    }

    /// Passes events between the connection and its endpoint, and returns those for the application.
    pub(crate) fn events(&mut self) -> Vec<Event> {
        let (Some(handle), Some(connection)) = (self.handle, &mut self.connection) else {
            return Vec::new();
        };
        while let Some(event) = connection.poll_endpoint_events() {
            if let Some(answer) = self.endpoint.handle_event(handle, event) {
                connection.handle_event(answer);
            }
        }
        std::iter::from_fn(|| connection.poll()).collect()
    }

    /// Sends what the connection has to send now, until the link is full.
    pub(crate) fn transmit(&mut self, now: Time, link: &mut Link<Datagram>) -> Result<(), Error> {
        let instant = self.epoch.instant(now);
        let Some(connection) = &mut self.connection else { return Ok(()) };
        loop {
            let datagram = self.refused.take().or_else(|| {
                let mut buffer = Vec::new();
                let Transmit { size, .. } = connection.poll_transmit(instant, 1, &mut buffer)?;
                buffer.truncate(size);
                Some(buffer)
            });
            let Some(datagram) = datagram else { return Ok(()) };
            let size = Bytes::new(datagram.len() as u64) + UDP_OVER_IPV4;
            if let Err(error) = link.send(now, self.end, size, datagram) {
                if error.reason != Refusal::Full {
                    return Err(error.into());
                }
                self.refused = Some(error.payload);
                return Ok(());
            }
        }
    }
}
