//! Keys of the live applications of UDP flows.

use airfair_transport::live::{
    Bounds, Call, Codec, Desktop, DesktopEnd, Game, GameEnd, Live, Model, RateControl,
    Synchronisation, VideoCall,
};
use airfair_transport::udp::SendRate;
use airfair_units::{Bytes, DataRate, Duration};

use super::super::declare::{Choice, Keys};
use super::super::kind::{Kind, words};
use super::ranges::{DELAY, PERIOD, bytes, time};

words!(Codec { Amr = "amr", G711 = "g711", G729 = "g729", Opus = "opus" });
words!(Synchronisation { Status = "status", Lockstep = "lockstep" });
words!(GameEnd { Server = "server", Player = "player" });
words!(DesktopEnd { Server = "server", Client = "client" });

const TALK: Kind = time(Duration::from_millis(20), Duration::from_secs(3_600));
const PICTURES: Kind = time(Duration::from_millis(1), Duration::from_secs(10));
const FEEDBACK: Kind = time(Duration::from_millis(1), Duration::from_secs(5));
const SIZE: Kind = bytes(1, 100_000);
const SCALE: Kind = bytes(0, 10_000);
const SPREAD: Kind = time(Duration::ZERO, Duration::from_secs(10));
const USUAL: &str = "see `end`";

/// Live applications, as the rates at which a UDP sender sends.
pub(crate) const LIVE: Choice<SendRate> = Choice {
    key: "model",
    noun: "live application",
    says: "Name of the application.",
    name: |rate| match rate {
        SendRate::Constant(_) | SendRate::Saturated => "even",
        SendRate::Live(live) => match live.model {
            Model::Call(_) => "call",
            Model::Game(_) => "game",
            Model::VideoCall(_) => "video-call",
            Model::Desktop(_) => "desktop",
        },
    },
    alone: || [Live::call(), Live::video_call()].map(SendRate::Live).to_vec(),
    tables: || {
        let all = [Live::call(), Live::game(), Live::video_call(), Live::desktop()];
        all.map(SendRate::Live).to_vec()
    },
    has_default: false,
    settings: |keys, rate| {
        let SendRate::Live(live) = rate else { return };
        keys.of("a live application");
        match &mut live.model {
            Model::Call(it) => call(keys, it),
            Model::Game(it) => game(keys, it),
            Model::VideoCall(it) => video_call(keys, it),
            Model::Desktop(it) => desktop(keys, it),
        }
        keys.key("deadline", &mut live.deadline, PERIOD, "\"80 ms\"").says(
            "Delay of a frame, from the time at which the application makes it, above which it comes too late.",
        );
    },
};

fn call(keys: &mut Keys, it: &mut Call) {
    keys.word("codec", &mut it.codec, "\"g711\"").says(
        "Codec. A frame of voice each 20 ms has 33 octets with `amr` at 12.2 kb/s, 160 with `g711`, 20 with `g729` and 80 \
         with `opus`, and 12 more for RTP. In a silence `amr` sends 7 octets each 160 ms, and the others send nothing.",
    );
    keys.key("talk", &mut it.talk, TALK, "\"2 s\"")
        .says("Mean length of the talk spurts, whose lengths have an exponential distribution.");
    keys.key("silence", &mut it.silence, DELAY, "\"0 s\"").says(
        "Mean length of the silences, whose lengths have an exponential distribution; with `0 s` there are none.",
    );
}

fn game(keys: &mut Keys, it: &mut Game) {
    let Game { synchronisation, end, size, size_scale, interval, interval_scale } = it;
    keys.word("end", end, "\"player\"").required().says(
        "End of the game that sends. With `status` a server sends 50 octets (scale 11) each 13 ms (3.7 ms), and a player \
         38 (3.7) each 15 ms (5.7 ms). With `lockstep` a server sends 210 (35) each 28 ms (4.2 ms), and a player 92 (38) \
         each 22 ms (3.4 ms).",
    );
    keys.word("synchronisation", synchronisation, "\"status\"").says(
        "Data that keeps the players' games the same: the state that the server has computed (`status`), or all commands \
         (`lockstep`).",
    );
    keys.maybe::<Bytes>("size", size, SIZE, "\"330 B\"").follows(USUAL).says(
        "Location of the Largest Extreme Value distribution of the sizes, which 37 % of the frames do not exceed.",
    );
    keys.maybe("size_scale", size_scale, SCALE, "\"82 B\"")
        .follows(USUAL)
        .says("Scale of the distribution of the sizes.");
    keys.maybe("interval", interval, PERIOD, "\"50 ms\"").follows(USUAL).says(
        "Location of the Largest Extreme Value distribution of the times from frame to frame.",
    );
    keys.maybe("interval_scale", interval_scale, SPREAD, "\"4500 us\"")
        .follows(USUAL)
        .says("Scale of the distribution of these times.");
}

fn video_call(keys: &mut Keys, it: &mut VideoCall) {
    keys.key("rate", &mut it.rate, Kind::Rate, "\"600 kb/s\"").says(
        "Mean rate of the pictures, whose sizes have a Weibull distribution of shape 0.8099; with a `rate_control` the highest. \
         Each datagram has 12 octets more for RTP, and 20 with `gcc`.",
    );
    keys.key("interval", &mut it.interval, PICTURES, "\"33 ms\"")
        .says("Time from picture to picture.");
    let example = "{ law = \"gcc\", start = \"1 Mb/s\" }";
    keys.choice("rate_control", &mut it.control, &RATE_CONTROLS, example).says(
        "Control of the rate of the pictures by reports of the receiver, which cross the path as packets. `gcc`, Google \
         congestion control, and `nada` (RFC 8698) follow delays and losses, and `nada` marks, too, up to `rate`; packets leave \
         in bursts each 5 ms.",
    );
}

/// Controls of the rate of a video call.
pub(crate) const RATE_CONTROLS: Choice<RateControl> = Choice {
    key: "law",
    noun: "rate control",
    says: "Name of the control law.",
    name: |control| match control {
        RateControl::None => "none",
        RateControl::Gcc(_) => "gcc",
        RateControl::Nada(_) => "nada",
    },
    alone: || [vec![RateControl::None], laws()].concat(),
    tables: laws,
    has_default: false,
    settings: |keys, control| {
        keys.of("a control of a call's rate");
        match control {
            RateControl::None => {}
            RateControl::Gcc(it) => {
                bounds(keys, it, ["300 kb/s, within the limits", "one per picture"]);
            }
            RateControl::Nada(it) => bounds(keys, it, ["`least`", "100 ms"]),
        }
    },
};

fn laws() -> Vec<RateControl> {
    let bounds = Bounds::default();
    vec![RateControl::Gcc(bounds), RateControl::Nada(bounds)]
}

fn bounds(keys: &mut Keys, it: &mut Bounds, [start, feedback]: [&'static str; 2]) {
    keys.key("least", &mut it.least, Kind::Rate, "\"50 kb/s\"")
        .says("Lowest rate of the pictures.");
    keys.maybe::<DataRate>("start", &mut it.start, Kind::Rate, "\"1 Mb/s\"")
        .follows(start)
        .says("Rate of the pictures at the start.");
    keys.maybe("feedback", &mut it.feedback, FEEDBACK, "\"50 ms\"")
        .follows(feedback)
        .says("Time from report to report of the receiver.");
}

fn desktop(keys: &mut Keys, it: &mut Desktop) {
    keys.word("end", &mut it.end, "\"client\"").required().says(
        "End of the remote desktop that sends: the server has a packet of 41 or 1478 octets each 60 ms on average, the \
         client one of 51 octets each 48 ms.",
    );
}
