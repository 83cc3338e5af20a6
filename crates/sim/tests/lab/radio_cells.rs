//! Cells with radios on one channel: far from each other, near, and at a distance at which frames are noise; and powers
//! of triggered stations at a neighbour.

use airfair_sim::outcome::Outcome;

use crate::common::{parse, run_once};

/// Runs two cells of 802.11a whose access points are `metres` apart. In each, a station 30 m from its access point sends
/// at 54 Mb/s, which reaches 37 m; 6 Mb/s, and with them carrier sense, reach 370 m.
fn two_cells(metres: u32, keys: &str, walls: &str) -> Outcome {
    let cell = |name: &str, x: u32| {
        format!(
            "[bss.{name}]\nstandard = \"802.11a\"\nap.position = [\"{x} m\", \"0 m\"]\n{keys}\n\
             [bss.{name}.radio]\nrange = {{ \"6 Mb/s\" = \"370 m\", \"54 Mb/s\" = \"37 m\" }}\nwalls = \"{walls}\"\n\
             [station.s{name}]\nbss = \"{name}\"\nrate = \"54 Mb/s\"\nposition = [\"0 m\", \"30 m\"]\n\
             [host.h{name}]\nlink = {{ to = \"{name}\" }}\n[flow.f{name}]\nfrom = \"s{name}\"\nto = \"h{name}\"\n\
             transport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }}\n"
        )
    };
    let cells = [cell("a", 0), cell("b", metres)].concat();
    run_once(&parse(&format!("duration = \"2 s\"\nseries = \"off\"\n{cells}")), 0)
}

const SHARED: &str = "channel = 36";

/// A radio of 20 dBm at 5.2 GHz, whose path loss has the exponent 3.
const RADIO: &str = "radio = { tx_power = \"20 dBm\", frequency = \"5.2 GHz\", carrier_sense = \"-82 dBm\", \
     propagation = { model = \"log-distance\", exponent = 3.0 } }";

fn delivered(outcome: &Outcome) -> [u64; 2] {
    [0, 1].map(|flow| outcome.flows[flow].delivered.get())
}

/// Frames that are sent again, of all frames of both stations [%].
fn retries(outcome: &Outcome) -> u64 {
    let of = |number: fn(&Outcome, usize) -> u64| number(outcome, 0) + number(outcome, 1);
    of(|it, i| it.stations[i].radio.retries) * 100 / of(|it, i| it.stations[i].radio.frames)
}

/// At 370 m frames are about as strong as 6 Mb/s needs, a few dB above the noise. At 10 km they are below a tenth of the
/// noise: with an exponent of about 2 they lose 20 · log10 27 = 29 dB on the way from 370 m.
#[test]
fn cells_far_apart_do_not_know_of_each_other() {
    let (alone, far) = (two_cells(0, "", "0 dB"), two_cells(10_000, SHARED, "0 dB"));
    assert_eq!(far.flows, alone.flows);
    assert_eq!(far.record_hash, alone.record_hash);
}

#[test]
fn cells_that_sense_each_other_share_the_channel() {
    let alone = delivered(&two_cells(0, "", "0 dB"))[0];
    let shares = delivered(&two_cells(50, SHARED, "0 dB"));
    let sum: u64 = shares.iter().sum();
    assert!(sum > alone / 100 * 85 && sum < alone / 100 * 115, "{shares:?} of {alone}");
    assert!(shares[0].abs_diff(shares[1]) < sum / 20, "{shares:?}");
}

/// Loss of walls is a distance: with an exponent of about 2, two walls of 20 dB are a factor of 100.
#[test]
fn walls_hide_cells_from_each_other() {
    let alone = two_cells(0, "", "0 dB");
    let walls = |loss: &str| two_cells(100, SHARED, loss);
    assert_eq!(delivered(&walls("20 dB")), delivered(&alone));
    assert!(delivered(&walls("1 dB"))[0] < delivered(&alone)[0] / 100 * 65);
}

/// At 420 m frames of the other cell are not sensed. They raise the noise by 3 to 6 dB, and 54 Mb/s has a margin of
/// 20 · log10 (37 / 30) = 1.8 dB.
#[test]
fn frames_too_weak_to_be_sensed_destroy_others() {
    let (alone, apart) = (two_cells(0, "", "0 dB"), two_cells(420, SHARED, "0 dB"));
    assert!(retries(&alone) < 5, "{} %", retries(&alone));
    assert!(retries(&apart) > 20, "{} %", retries(&apart));
    assert!(apart.stations.iter().all(|it| it.radio.retries > 0));
}

/// Runs a cell on channel 40 beside another one, or alone.
fn beside(neighbour: &str) -> Outcome {
    let text = format!(
        "duration = \"300 ms\"\n[bss.a]\nstandard = \"802.11a\"\nchannel = 40\nradio = {{}}\n\
         [station.s]\nbss = \"a\"\nposition = [\"20 m\", \"0 m\"]\n[host.h]\nlink = {{ to = \"a\" }}\n\
         [flow.f]\nfrom = \"s\"\nto = \"h\"\n\
         transport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }}\n{neighbour}"
    );
    run_once(&parse(&text), 0)
}

/// A cell of 40 MHz with the primary channel 36 has channel 40 in its block. Its beacons of 20 MHz are on 36 alone, and
/// have no power on 40.
#[test]
fn a_frame_without_a_channel_of_a_cell_does_not_reach_it() {
    let neighbour = "[bss.b]\nstandard = \"802.11ac\"\nwidth = \"40 MHz\"\nchannel = 36\nbeacon = true\n\
                     radio = {}\n[station.t]\nbss = \"b\"\nposition = [\"5 m\", \"0 m\"]\n";
    let (alone, beside) = (beside(""), beside(neighbour));
    assert_eq!(beside.flows, alone.flows);
    assert!(!beside.channels[1].beacon.is_zero() && beside.channels[0].neighbours.is_zero());
}

/// Time for which a neighbour's access point hears a station that is triggered, without a target power and with one [us].
///
/// The path loss is 46.768 dB at 1 m with exponent 3, and frames of at least -82 dBm are sensed: at 20 dBm, up to 69.4 m.
/// The station is 10 m from its own access point and 65 m from the other one, which are 75 m apart. Its whole power arrives
/// there with 20 - 46.768 - 30 · log10 65 = -81.2 dBm. For -60 dBm at its own access point it sends with 76.8 - 60 =
/// 16.8 dBm, 3.2 dB less.
fn heard_from_a_triggered_station(target: &str) -> u64 {
    let text = format!(
        "duration = \"200 ms\"\nseries = \"off\"\n\
         [bss.a]\nstandard = \"802.11ax\"\nwidth = \"20 MHz\"\nchannel = 36\n\
         ofdma = {{ down = \"off\", up = \"round-robin\", trigger_every = \"1 ms\", poll = true, \
         target_rssi = \"{target}\" }}\nmu_edca = {{ aifsn = 0 }}\n\
         {RADIO}\n\
         [station.sa]\nbss = \"a\"\nposition = [\"10 m\", \"0 m\"]\nrate = \"he-mcs3x1\"\n\
         [host.ha]\nlink = {{ to = \"a\" }}\n\
         [flow.fa]\nfrom = \"sa\"\nto = \"ha\"\ntransport = {{ kind = \"udp\", payload = \"500 B\", rate = \"saturated\" }}\n\
         [bss.b]\nstandard = \"802.11ax\"\nwidth = \"20 MHz\"\nchannel = 36\nap.position = [\"75 m\", \"0 m\"]\n\
         {RADIO}\n\
         [station.sb]\nbss = \"b\"\nposition = [\"1 m\", \"0 m\"]\n\
         [host.hb]\nlink = {{ to = \"b\" }}\n\
         [flow.fb]\nfrom = \"hb\"\nto = \"sb\"\ntransport = {{ kind = \"udp\", payload = \"500 B\", rate = \"1 kb/s\" }}\n"
    );
    let outcome = run_once(&parse(&text), 0);
    assert!(outcome.flows[0].delivered.get() > 20_000, "{:?}", outcome.flows[0]);
    outcome.channels[1].neighbours.as_nanos() / 1_000
}

#[test]
fn a_neighbour_does_not_hear_triggered_stations_that_reduce_their_powers() {
    let (usual, reduced) =
        (heard_from_a_triggered_station("off"), heard_from_a_triggered_station("-60 dBm"));
    assert!(usual > 10_000 && reduced < usual / 10, "{usual} {reduced}");
}

/// Octets delivered in a cell with this width and the primary channel 36, beside another cell of this width, primary channel
/// and distance [m], or alone. Its station is 1 m from its access point, so no interference causes errors.
///
/// The path loss is 46.768 dB at 1 m with exponent 3. At 20 dBm, frames arrive with -80.1 dBm over 60 m, with -77.7 dBm
/// over 50 m, with -70.6 dBm over 29 m, with -65.8 dBm over 20 m and with -59.1 dBm over 12 m.
fn delivered_beside(standard: &str, width: &str, neighbour: Option<(&str, u32, u32)>) -> u64 {
    let rate = if standard == "802.11n" { "ht-mcs7" } else { "vht-mcs7x1" };
    let cell = |name: &str, width: &str, keys: &str| {
        format!(
            "[bss.{name}]\nstandard = \"{standard}\"\nband = \"5 GHz\"\nwidth = \"{width}\"\n{keys}\n{RADIO}\n\
             [station.s{name}]\nbss = \"{name}\"\nrate = \"{rate}\"\nposition = [\"1 m\", \"0 m\"]\n\
             [host.h{name}]\nlink = {{ to = \"{name}\" }}\n[flow.f{name}]\nfrom = \"s{name}\"\nto = \"h{name}\"\n\
             transport = {{ kind = \"udp\", payload = \"1000 B\", rate = \"saturated\" }}\n"
        )
    };
    let other = neighbour.map(|(width, channel, metres)| {
        cell("b", width, &format!("channel = {channel}\nap.position = [\"{metres} m\", \"0 m\"]"))
    });
    let cells = [cell("a", width, "channel = 36"), other.unwrap_or_default()].concat();
    run_once(&parse(&format!("duration = \"500 ms\"\nseries = \"off\"\n{cells}")), 0).flows[0]
        .delivered
        .get()
}

/// Octets that a cell of this width delivers beside a neighbour, as a share of those that it delivers alone [%].
fn share_beside(standard: &str, width: &str, neighbour: (&str, u32, u32)) -> u64 {
    let alone = delivered_beside(standard, width, None);
    delivered_beside(standard, width, Some(neighbour)) * 100 / alone
}

/// VHT senses a PPDU of 20 MHz on a secondary channel from -72 dBm on, HT from -62 dBm on. Weaker ones leave PPDUs as wide
/// as the cell.
///
/// Verifies: [80211-2020 §19.3.19.5.4, §21.3.18.5.4]
#[test]
fn weak_frames_on_secondary_channels_leave_ppdus_wide() {
    for (standard, width, channel, far, near) in
        [("802.11ac", "80 MHz", 44, 50, 20), ("802.11n", "40 MHz", 40, 20, 12)]
    {
        let [far, near] =
            [far, near].map(|metres| share_beside(standard, width, ("20 MHz", channel, metres)));
        assert!(far >= 99 && near < 75, "{standard}: {far} % and {near} %");
    }
}

/// VHT senses a PPDU of 80 MHz on secondary channels from -69 dBm on, and narrower ones from -72 dBm on. Over 29 m they
/// arrive with -70.6 dBm.
///
/// Verifies: [80211-2020 §21.3.18.5.4]
#[test]
fn wide_frames_on_secondary_channels_may_be_stronger_than_narrow_ones() {
    let [wide, narrow] =
        ["80 MHz", "40 MHz"].map(|it| share_beside("802.11ac", "160 MHz", (it, 52, 29)));
    assert!(wide >= 99 && narrow < 75, "{wide} % and {narrow} %");
}

/// A neighbour's PPDU of 80 MHz has half of its power, 3 dB less, within a block of 40 MHz. Over 60 m these are -83.1 dBm,
/// below carrier sense, and over 50 m -80.7 dBm.
#[test]
fn power_outside_of_the_block_is_not_sensed() {
    let [far, near] =
        [60, 50].map(|metres| share_beside("802.11ac", "40 MHz", ("80 MHz", 48, metres)));
    assert!(far >= 99 && near < 75, "{far} % and {near} %");
}

/// A cell of 802.11a on channel 36, `x` metres from the origin, with a station that sends packets of this rate and size.
fn cell_at(name: &str, x: u32, (rate, octets): (&str, u32), radio: &str) -> String {
    format!(
        "[bss.{name}]\nstandard = \"802.11a\"\nchannel = 36\nap.position = [\"{x} m\", \"0 m\"]\n\
         radio = {{ tx_power = \"20 dBm\", carrier_sense = \"-82 dBm\", \
         propagation = {{ model = \"log-distance\", exponent = 3.0 }}{radio} }}\n\
         [station.s{name}]\nbss = \"{name}\"\nrate = \"{rate}\"\nposition = [\"0 m\", \"1 m\"]\n\
         [host.h{name}]\nlink = {{ to = \"{name}\" }}\n[flow.f{name}]\nfrom = \"s{name}\"\nto = \"h{name}\"\n\
         transport = {{ kind = \"udp\", payload = \"{octets} B\", rate = \"saturated\" }}\n"
    )
}

/// A station of the cell of [`cell_of`] that sends packets of this rate and size.
fn station_at(name: &str, [x, y]: [i32; 2], (rate, octets): (&str, u32)) -> String {
    format!(
        "[station.{name}]\nbss = \"a\"\nrate = \"{rate}\"\nposition = [\"{x} m\", \"{y} m\"]\n\
         [flow.f{name}]\nfrom = \"{name}\"\nto = \"h\"\n\
         transport = {{ kind = \"udp\", payload = \"{octets} B\", rate = \"saturated\" }}\n"
    )
}

/// Runs one cell with these stations. An access point on the same channel, 250 m away, is too weak to be sensed.
fn cell_of(stations: &[String], radio: &str) -> Outcome {
    let text = format!(
        "duration = \"5 s\"\nseries = \"off\"\n[bss.a]\nstandard = \"802.11a\"\nchannel = 36\n\
         [bss.far]\nstandard = \"802.11a\"\nchannel = 36\nap.position = [\"250 m\", \"0 m\"]\nradio = {{}}\n\
         [host.h]\nlink = {{ to = \"a\" }}\n\
         [bss.a.radio]\ntx_power = \"20 dBm\"\ncarrier_sense = \"-82 dBm\"\n\
         propagation = {{ model = \"log-distance\", exponent = 3.0 }}\ncapture = \"5 dB\"\n{radio}\n{}",
        stations.concat()
    );
    run_once(&parse(&text), 0)
}

/// Frames of the stations of two cells, of which one sends short frames and the other long ones. Each arrives at the other
/// cell with -77.7 to -79 dBm, over 50 to 55 m, and disturbs nobody there.
fn frames_of_short_and_long(radio: &str) -> [u64; 2] {
    let cell = |name: &str, x: u32, rate: &str, octets: u32| {
        cell_at(name, x, (rate, octets), &format!(", capture = \"5 dB\"{radio}"))
    };
    let cells = [cell("short", 0, "54 Mb/s", 100), cell("long", 50, "6 Mb/s", 1_400)].concat();
    let outcome = run_once(&parse(&format!("duration = \"5 s\"\nseries = \"off\"\n{cells}")), 0);
    [0, 1].map(|it| outcome.stations[it].radio.frames)
}

/// Stations that start together miss the preamble of each other's frame. The one with the short frame is ready again while
/// the long frame is on the air, of which it has only the energy. With CCA-ED at -62 dBm it does not notice that, and
/// sends until the long frame ends.
///
/// Verifies: [80211-2020 §17.3.10.6]
#[test]
fn energy_below_its_threshold_does_not_keep_the_medium_busy() {
    let usual = frames_of_short_and_long("");
    assert_eq!(frames_of_short_and_long(", energy_detection = \"-82 dBm\""), usual);
    let missed = frames_of_short_and_long(", energy_detection = \"-62 dBm\"");
    assert!(missed[0] > usual[0] / 100 * 120, "{missed:?} {usual:?}");
}

/// Frames of two stations of one cell, of which one sends short frames and the other long ones. They are 40 m from each
/// other, where frames have -74.8 dBm, and 20 m from the access point, where frames have -65.8 dBm.
fn frames_of_short_and_long_in_a_cell(radio: &str) -> [u64; 2] {
    let stations = [
        station_at("short", [-20, 0], ("54 Mb/s", 100)),
        station_at("long", [20, 0], ("6 Mb/s", 1_400)),
    ];
    let outcome = cell_of(&stations, radio);
    [0, 1].map(|it| outcome.stations[it].radio.frames)
}

/// Stations of one cell that start together miss each other's preamble as those of two cells do. The station with the short
/// frame sends again while the long one is on the air, and fails again, so its window grows.
#[test]
fn energy_of_the_own_cell_does_not_keep_the_medium_busy_below_its_threshold() {
    let usual = frames_of_short_and_long_in_a_cell("");
    let missed = frames_of_short_and_long_in_a_cell("energy_detection = \"-62 dBm\"");
    assert!(missed[0] < usual[0] / 100 * 70, "{missed:?} {usual:?}");
    assert_eq!(frames_of_short_and_long_in_a_cell("energy_detection = \"-75 dBm\""), usual);
}

/// Frames and retries of a station of a cell whose other two stations are hidden from each other: they are 76 m apart, where frames
/// have -83.2 dBm. The station is 39 m from both, where frames have -74.5 dBm.
fn frames_beside_hidden_stations(radio: &str) -> [u64; 2] {
    let stations = [
        station_at("between", [0, 10], ("54 Mb/s", 100)),
        station_at("left", [-38, 0], ("6 Mb/s", 1_000)),
        station_at("right", [38, 0], ("6 Mb/s", 1_000)),
    ];
    let radio = cell_of(&stations, radio).stations[0].radio;
    [radio.frames, radio.retries]
}

/// A station that receives the frame of one hidden station misses the preamble of the other one's frame, and sends while
/// that is on the air. The access point still receives it, so the station has to send its own frame again.
#[test]
fn a_station_misses_the_second_of_two_frames() {
    let retries = |radio: &str| {
        let [frames, retries] = frames_beside_hidden_stations(radio);
        retries * 100 / frames
    };
    let (usual, missed) = (retries(""), retries("energy_detection = \"-62 dBm\""));
    assert!(missed > usual + 5, "{missed} % {usual} %");
}

/// Frames of a station between two cells that are hidden from each other, which capture with this margin. They are 75 m
/// apart, where frames have -83.0 dBm. At the station, frames of one have -66 dBm and those of the other -79 dBm.
fn frames_in_the_middle(radio: &str) -> u64 {
    let cell =
        |name: &str, x: u32, rate: &str, octets: u32| cell_at(name, x, (rate, octets), radio);
    let cells = [
        cell("weak", 0, "54 Mb/s", 100),
        cell("middle", 55, "54 Mb/s", 100),
        cell("strong", 75, "6 Mb/s", 1_400),
    ]
    .concat();
    let outcome = run_once(&parse(&format!("duration = \"5 s\"\nseries = \"off\"\n{cells}")), 0);
    outcome.stations[1].radio.frames
}

/// A station that receives a weak frame turns to one that is stronger by the margin of capture, and waits for its end. With
/// a larger margin it misses the preamble of the strong frame, of which it then has only the energy.
#[test]
fn a_captured_frame_keeps_the_medium_busy() {
    let with = |margin: &str| {
        frames_in_the_middle(&format!(", capture = \"{margin}\", energy_detection = \"-62 dBm\""))
    };
    let (captured, missed) = (with("5 dB"), with("20 dB"));
    assert!(missed > captured / 100 * 120, "{missed} {captured}");
}
