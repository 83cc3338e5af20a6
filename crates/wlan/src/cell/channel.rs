//! The frames on the air, and the account of every nanosecond of it.

use airfair_laws::Direction;
use airfair_units::Time;

use crate::frame::{Frame, FrameKind, Ppdu};
use crate::record::{AirUse, Record, SentFrame};

/// The channel. Its records account for each nanosecond once: use is charged whenever it changes.
#[derive(Debug)]
pub(super) struct Channel<P> {
    on_air: Vec<Ppdu<P>>,
    /// Members with something to send, or whose response is due.
    waiting: usize,
    charged_until: Time,
    pub(super) records: Vec<Record>,
}

impl<P> Default for Channel<P> {
    fn default() -> Self {
        Self { on_air: Vec::new(), waiting: 0, charged_until: Time::ZERO, records: Vec::new() }
    }
}

impl<P> Channel<P> {
    #[inline]
    pub(super) fn next_end(&self) -> Option<Time> {
        if let [alone] = self.on_air.as_slice() {
            return Some(alone.end);
        }
        self.on_air.iter().map(|ppdu| ppdu.end).min()
    }

    /// A frame starts now.
    pub(super) fn put(&mut self, ppdu: Ppdu<P>) {
        self.charge(ppdu.start);
        self.on_air.push(ppdu);
    }

    /// A frame is certain to start a SIFS after the one that it follows.
    pub(super) fn put_ahead(&mut self, ppdu: Ppdu<P>) {
        self.on_air.push(ppdu);
    }

    /// All frames on the air that are `overlapped` where their receiver is are lost.
    pub(super) fn collide(&mut self, overlapped: impl Fn(&Frame) -> bool) {
        let known = self.on_air.iter().any(|ppdu| ppdu.collided);
        for ppdu in &mut self.on_air {
            ppdu.collided |= overlapped(&ppdu.frame);
        }
        if !known && self.on_air.iter().any(|ppdu| ppdu.collided) {
            self.records.push(Record::Collision);
        }
    }

    /// Frames that have just started.
    pub(super) fn started(&mut self, now: Time) -> impl Iterator<Item = &mut Ppdu<P>> {
        self.on_air.iter_mut().filter(move |on_air| on_air.start == now)
    }

    /// Moves the frames that end now to `ended`.
    pub(super) fn take_ended(&mut self, now: Time, ended: &mut Vec<Ppdu<P>>) {
        if let [alone] = self.on_air.as_slice() {
            if alone.end == now {
                self.charge(now);
                std::mem::swap(&mut self.on_air, ended);
            }
            return;
        }
        if self.next_end() != Some(now) {
            return;
        }
        self.charge(now);
        ended.extend(self.on_air.extract_if(.., |ppdu| ppdu.end == now));
    }

    /// One more member has something to send.
    pub(super) fn begin_waiting(&mut self, now: Time) {
        if self.waiting == 0 {
            self.charge(now);
        }
        self.waiting += 1;
    }

    /// One member less has something to send.
    pub(super) fn end_waiting(&mut self, now: Time) {
        if self.waiting == 1 {
            self.charge(now);
        }
        self.waiting -= 1;
    }

    /// Charges the time since the last change to what the air was used for.
    pub(super) fn charge(&mut self, now: Time) {
        if now == self.charged_until {
            return;
        }
        if let [follows] = self.on_air.as_slice()
            && follows.start > self.charged_until
        {
            let start = follows.start.min(now);
            self.charge_as(start, AirUse::Contention);
            if start == now {
                return;
            }
        }
        let usage = match self.on_air.as_slice() {
            [] if self.waiting > 0 => AirUse::Contention,
            [] => AirUse::Idle,
            [alone] if !alone.collided => usage_of(&alone.frame),
            _ => AirUse::Collision,
        };
        self.charge_as(now, usage);
    }

    #[inline]
    fn charge_as(&mut self, to: Time, usage: AirUse) {
        self.records.push(Record::Air { from: self.charged_until, to, usage });
        self.charged_until = to;
    }

    pub(super) fn record_sent(&mut self, ppdu: &Ppdu<P>) {
        let frame = match ppdu.frame.kind {
            FrameKind::Data => SentFrame::Data,
            FrameKind::Rts => SentFrame::Rts,
            FrameKind::Ack | FrameKind::Cts | FrameKind::CtsToSelf => SentFrame::Response,
            FrameKind::Beacon => SentFrame::Beacon,
        };
        let Frame { from: node, retry, .. } = ppdu.frame;
        self.records.push(Record::Sent { node, frame, retry, collided: ppdu.collided });
    }
}

fn usage_of(frame: &Frame) -> AirUse {
    let Some(to) = frame.to else { return AirUse::Beacon };
    let (station, direction) =
        if frame.from.is_ap() { (to, Direction::Down) } else { (frame.from, Direction::Up) };
    match frame.kind {
        FrameKind::Data => AirUse::Data { station, direction },
        _ => AirUse::Control { station },
    }
}
