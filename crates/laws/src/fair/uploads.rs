//! TCP uploads through an access point, as far as its headers show what is in flight.

use airfair_units::{Bytes, Duration, Time};

/// Time after its last data for which an upload counts.
const ACTIVE: Duration = Duration::from_secs(2);

/// Least window of a connection [segments].
pub const LEAST_SEGMENTS: u64 = 2;

/// A TCP upload that the access point forwards.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Upload {
    station: u16,
    /// Time of the last data; `None` before any, and after the FIN.
    seen: Option<Time>,
    /// One past the last octet of data that has passed.
    next: u64,
    /// Last acknowledgment number that has passed.
    acknowledged: u64,
    /// Largest data segment so far [octets].
    segment: u64,
}

/// All TCP uploads through an access point, indexed by the numbers of their connections.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Uploads(Vec<Upload>);

/// Data of a station's TCP uploads that has passed the access point and is not acknowledged. Data in the queue of the
/// station itself is unknown.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InFlight {
    /// Number of the station's uploads.
    pub connections: u32,
    /// Data in flight of all of them [octets].
    pub octets: u64,
    /// Least window of all of them together: two segments each [octets].
    pub least: u64,
}

impl Uploads {
    /// Notes data of an upload: `payload` octets from sequence number `seq` on.
    pub fn note_data(
        &mut self,
        now: Time,
        (connection, station): (u16, u16),
        (seq, payload): (u64, u32),
    ) {
        let index = usize::from(connection);
        if index >= self.0.len() {
            self.0.resize(index + 1, Upload::default());
        }
        let upload = &mut self.0[index];
        let size = u64::from(payload);
        (upload.station, upload.seen) = (station, Some(now));
        upload.next = upload.next.max(seq + size);
        upload.segment = upload.segment.max(size);
    }

    /// Notes an acknowledgment to the sender of an upload.
    pub fn note_ack(&mut self, connection: u16, ack: u64) {
        if let Some(upload) = self.0.get_mut(usize::from(connection)) {
            upload.acknowledged = upload.acknowledged.max(ack);
        }
    }

    /// Removes an upload, because its FIN has passed the access point.
    pub fn forget(&mut self, connection: u16) {
        if let Some(upload) = self.0.get_mut(usize::from(connection)) {
            *upload = Upload::default();
        }
    }

    /// Station that sends an upload; `None` for other connections.
    #[must_use]
    pub fn sender(&self, connection: u16) -> Option<u16> {
        let upload = self.0.get(usize::from(connection))?;
        upload.seen.map(|_| upload.station)
    }

    /// Data in flight of all uploads of a station. O(connections).
    #[must_use]
    pub fn of(&self, station: u16, now: Time) -> InFlight {
        let mut sum = InFlight::default();
        let is_one = |it: &&Upload| it.station == station && it.is_active(now);
        for upload in self.0.iter().filter(is_one) {
            sum.connections += 1;
            sum.octets += upload.in_flight();
            sum.least += LEAST_SEGMENTS * upload.segment;
        }
        sum
    }

    /// Window for an ACK to the sender of an upload, if all uploads of its station together may have `all` in flight:
    /// an equal part, but neither less than two segments nor less than what is in flight already. `None` for other
    /// connections. O(connections).
    #[must_use]
    pub fn window(&self, now: Time, connection: u16, all: Bytes) -> Option<Bytes> {
        let upload = self.0.get(usize::from(connection)).filter(|it| it.is_active(now))?;
        let connections = self.of(upload.station, now).connections;
        let part = all.get() / u64::from(connections.max(1));
        let least = (LEAST_SEGMENTS * upload.segment).max(upload.in_flight());
        Some(Bytes::new(part.max(least)))
    }
}

impl Upload {
    fn is_active(&self, now: Time) -> bool {
        self.seen.is_some_and(|seen| now.saturating_since(seen) < ACTIVE)
    }

    fn in_flight(&self) -> u64 {
        self.next.saturating_sub(self.acknowledged)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const fn ms(ms: u64) -> Time {
        Time::from_nanos(ms * 1_000_000)
    }

    /// Two uploads of station 1 with segments of 1000 octets: 5000 octets of the first have passed, of which 2000 are
    /// acknowledged, and 1000 of the second. A retransmission counts nothing. An upload of station 2 is another's.
    #[test]
    fn data_in_flight_is_what_has_passed_and_is_not_acknowledged() {
        let mut uploads = Uploads::default();
        (0..5).for_each(|k| uploads.note_data(ms(0), (4, 1), (k * 1_000, 1_000)));
        uploads.note_data(ms(1), (7, 1), (0, 1_000));
        uploads.note_data(ms(1), (8, 2), (0, 1_000));
        uploads.note_ack(4, 2_000);
        uploads.note_data(ms(2), (4, 1), (1_000, 1_000));
        let expected = InFlight { connections: 2, octets: 4_000, least: 4_000 };
        assert_eq!(uploads.of(1, ms(2)), expected);
        assert_eq!([4, 7, 8, 9].map(|it| uploads.sender(it)), [Some(1), Some(1), Some(2), None]);
        uploads.forget(4);
        assert_eq!(uploads.of(1, ms(2)).connections, 1);
        assert_eq!(uploads.of(1, ms(2_001)), InFlight::default());
    }

    /// Of 20 000 octets each of two connections gets half; of 1000 it gets two segments, or what is in flight.
    #[test]
    fn a_window_is_never_less_than_what_is_in_flight() {
        let mut uploads = Uploads::default();
        (0..5).for_each(|k| uploads.note_data(ms(0), (4, 1), (k * 1_000, 1_000)));
        uploads.note_data(ms(0), (7, 1), (0, 1_000));
        let window =
            |connection, all| uploads.window(ms(1), connection, Bytes::new(all)).map(Bytes::get);
        assert_eq!([4, 7].map(|it| window(it, 20_000)), [Some(10_000); 2]);
        assert_eq!([4, 7, 8].map(|it| window(it, 1_000)), [Some(5_000), Some(2_000), None]);
    }
}
