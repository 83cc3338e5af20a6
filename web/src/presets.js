// The presets, one for the 802.11 anomaly and one for each of the five papers: values of the controls, the schemes of both runs,
// and three sentences that explain them.

/** The values of the controls that a preset does not set. */
const DEFAULTS = {
  standard: "802.11b",
  way: "up",
  near: 1,
  far: 1,
  nearRate: 11,
  farRate: 1,
  fallAt: 0,
  speed: 0,
  queue: 50,
  loss: 0,
  delay: 2,
  transport: "newreno",
  window: 64,
  beacons: false,
  duration: 30,
  warmup: 0,
  seed: 1,
};

export const PRESETS = {
  anomaly: {
    name: "The anomaly",
    title: "One slow station drags the fast one down",
    sentences: [
      "In 802.11 every station wins the channel equally often, and a frame at 1 Mb/s occupies it many times as long as one at 11 Mb/s.",
      "So the far station takes most of the air, and the near one falls to the same goodput.",
      "Run A has no slow station, and run B has one; everything else is the same, the seed included.",
    ],
    controls: {},
    a: "all-near",
    b: "none",
  },
  "arf-aware-tcp": {
    name: "ARF-aware TCP",
    title: "A slow sender takes fewer turns",
    sentences: [
      "After 10 s the rate of the far station falls to 1 Mb/s, and the goodput of the near one falls with it (run A).",
      "In run B each sender knows the rate of its link: while this rate is a k-th of the highest one, TCP uses a k-th of its window.",
      "The slow station then competes less often, and the near one keeps more of its goodput.",
    ],
    controls: { fallAt: 10, warmup: 10, window: 32 },
    a: "none",
    b: "arf-aware",
  },
  "tfrc-friendliness": {
    name: "TFRC beside TCP",
    title: "Is TFRC fair to TCP?",
    sentences: [
      "TFRC computes its rate from an equation for the throughput of TCP with the same losses and round-trip time, and changes the rate slowly.",
      "In run A two TCP connections share a noisy cell; in run B the far one is TFRC.",
      "Whether TFRC takes more or less than TCP depends on how packets are lost: change the frame errors and the queue to see this.",
    ],
    controls: { farRate: 11, near: 2, far: 2, loss: 10, delay: 20 },
    a: "none",
    b: "tfrc",
  },
  "occupancy-tfrc": {
    name: "Equal shares",
    title: "The access point grants shares of the channel",
    sentences: [
      "Two stations download by TFRC, one at 54 Mb/s and one at 6 Mb/s, and both get the goodput of the slow one (run A).",
      "In run B the access point measures the channel time of each station, and grants all stations equal shares in its beacons.",
      "A station computes the throughput that its share and its rate allow, and its receivers report no more than that to their senders.",
    ],
    controls: {
      standard: "802.11a",
      way: "down",
      nearRate: 54,
      farRate: 6,
      queue: 100,
      delay: 50,
      transport: "tfrc-3448",
      beacons: true,
      duration: 60,
      warmup: 30,
    },
    a: "none",
    b: "occupancy",
  },
  "updown-fairness": {
    name: "Up against down",
    title: "Uploads starve downloads, until ACKs have a queue of their own",
    sentences: [
      "The access point contends as one station for all downloads, and its queue is full: downloads lose data packets, and uploads lose only ACKs (run A).",
      "In run B the access point serves TCP’s data and ACKs from two queues, two packets of data for each ACK.",
      "Uploads then wait for their ACKs, and leave airtime to the downloads.",
    ],
    controls: { way: "opposed", near: 4, far: 4, farRate: 11, queue: 100, transport: "sack" },
    a: "none",
    b: "data-ack",
  },
  "arf-window": {
    name: "Window after ARF",
    title: "TCP’s window follows the rate of a station that walks away",
    sentences: [
      "A station downloads while it walks away, and ARF lowers its rate; TCP notices that only when a queue has overflowed (run A).",
      "In run B the station computes a window from its channel time at each change of rate, and limits TCP’s window to that.",
      "Fewer packets are dropped, and goodput rises where time-outs are avoided.",
    ],
    controls: {
      standard: "802.11a",
      way: "down",
      near: 0,
      nearRate: 54,
      farRate: 6,
      speed: 5,
      duration: 60,
      queue: 25,
      delay: 20,
      window: 128,
    },
    a: "none",
    b: "arf-window",
  },
};

/** The values of all controls of a preset. */
export const controlsOf = (id) => ({ ...DEFAULTS, ...PRESETS[id].controls });
