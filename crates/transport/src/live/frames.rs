//! Frames of a live application: their times and sizes.

use airfair_units::{Bytes, DataRate, Duration, Time};

use super::kinds::{Call, Codec, Desktop, Game, Live, Model, VideoCall};
use crate::draws::Draws;

/// Shape of the Weibull distribution of a picture's size.  [80211-14-0571 Annex 2]
const SHAPE: f64 = 0.8099;
/// Shortest interval between two frames of a game.
const LEAST_INTERVAL: Duration = Duration::from_micros(1);

/// Source of the frames of a live application.
#[derive(Clone, Debug)]
pub(super) struct Frames {
    model: Model,
    draws: Draws,
    /// Time at which the application makes its next frame.
    next: Time,
    /// Part of a call in which the next frame lies.
    part: Part,
}

/// Talk spurt or silence of a call.
#[derive(Clone, Copy, Debug)]
struct Part {
    is_talk: bool,
    end: Time,
}

impl Frames {
    /// Frames of an application that starts now.
    pub(super) fn new(live: &Live, seed: u64, now: Time) -> Self {
        let part = Part { is_talk: true, end: now };
        let mut frames = Self { model: live.model, draws: Draws::new(seed), next: now, part };
        match live.model {
            Model::Call(call) => frames.begin_call(&call, now),
            Model::Game(game) => frames.next = now + frames.interval(&game),
            Model::Desktop(desktop) => {
                frames.next = now + exponential(desktop.interval(), frames.draws.uniform());
            }
            Model::VideoCall(_) => {}
        }
        frames
    }

    /// Time at which the application makes its next frame.
    #[inline]
    pub(super) fn next(&self) -> Time {
        self.next
    }

    /// Sets the mean rate of the pictures of a video call.
    pub(super) fn set_rate(&mut self, rate: DataRate) {
        if let Model::VideoCall(video) = &mut self.model {
            video.rate = rate;
        }
    }

    /// Makes the next frame, and returns its size.
    pub(super) fn make(&mut self) -> Bytes {
        match self.model {
            Model::Call(call) => self.speak(&call),
            Model::Game(game) => {
                let interval = self.interval(&game);
                self.next += interval;
                let [size, _] = game.distributions();
                octets(size.quantile(self.draws.uniform()))
            }
            Model::VideoCall(video) => {
                self.next += video.interval;
                self.picture(&video)
            }
            Model::Desktop(desktop) => {
                self.next += exponential(desktop.interval(), self.draws.uniform());
                self.update(desktop)
            }
        }
    }

    /// Begins a call with a talk spurt or a silence, by the shares of their mean lengths.
    fn begin_call(&mut self, call: &Call, now: Time) {
        if call.silence.is_zero() {
            self.part.end = Time::from_nanos(u64::MAX);
            return;
        }
        let (talk, silence) = (call.talk.as_secs_f64(), call.silence.as_secs_f64());
        let talks = self.draws.uniform() * (talk + silence) < talk;
        self.part = Part { is_talk: !talks, end: now };
        self.change(call);
    }

    /// Frame of a call: of voice, or of noise in a silence.
    fn speak(&mut self, call: &Call) -> Bytes {
        let (size, interval) = match call.codec.noise() {
            Some((size, interval)) if !self.part.is_talk => (size, Some(interval)),
            _ => (call.codec.voice(), Some(Codec::INTERVAL)),
        };
        let next = interval.map(|it| self.next + it).filter(|next| *next < self.part.end);
        match next {
            Some(next) => self.next = next,
            None => self.change(call),
        }
        size
    }

    /// Ends the current part of a call, and goes on to the next one that has frames.
    fn change(&mut self, call: &Call) {
        loop {
            let (start, is_talk) = (self.part.end, !self.part.is_talk);
            let mean = if is_talk { call.talk } else { call.silence };
            let length = exponential(mean, self.draws.uniform());
            self.part = Part { is_talk, end: start + length };
            if is_talk || call.codec.noise().is_some() {
                self.next = start;
                return;
            }
        }
    }

    /// Random time to the next frame of a game.
    fn interval(&mut self, game: &Game) -> Duration {
        let [_, interval] = game.distributions();
        let ms = interval.quantile(self.draws.uniform());
        nanoseconds(ms * 1e6).max(LEAST_INTERVAL)
    }

    /// Random size of a picture.
    #[expect(clippy::cast_precision_loss, reason = "a rate has at most 12 digits")]
    fn picture(&mut self, video: &VideoCall) -> Bytes {
        let mean = video.rate.bps() as f64 * video.interval.as_secs_f64() / 8.0;
        let scale = mean / libm::tgamma(1.0 + 1.0 / SHAPE);
        octets(scale * libm::pow(-libm::log(self.draws.uniform()), 1.0 / SHAPE))
    }
}

impl Frames {
    /// Random size of a packet of a remote desktop.
    fn update(&mut self, desktop: Desktop) -> Bytes {
        let (mean, deviation) = desktop.size(self.draws.uniform());
        let [radius, angle] = [self.draws.uniform(), self.draws.uniform()];
        // Box and Muller's transformation of two uniform numbers into a normal one.
        let normal =
            libm::sqrt(-2.0 * libm::log(radius)) * libm::cos(2.0 * std::f64::consts::PI * angle);
        octets(mean + deviation * normal)
    }
}

/// Value of an exponential distribution with this mean, for a random number between 0 and 1.
fn exponential(mean: Duration, uniform: f64) -> Duration {
    nanoseconds(-mean.as_secs_f64() * 1e9 * libm::log(uniform)).max(Duration::from_nanos(1))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range")]
fn nanoseconds(ns: f64) -> Duration {
    Duration::from_nanos(ns.clamp(0.0, 1e18) as u64)
}

/// Whole octets of a frame: at least one, at most ten million.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped to the range")]
fn octets(octets: f64) -> Bytes {
    Bytes::new(octets.clamp(1.0, 1e7) as u64)
}
