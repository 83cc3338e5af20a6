// Writes the scenario that the controls describe, in the form in which a user would write the file.

/** The rates of each standard in ascending order [Mb/s]. */
export const RATES = {
  "802.11b": [1, 2, 5.5, 11],
  "802.11a": [6, 9, 12, 18, 24, 36, 48, 54],
  "802.11g": [1, 2, 5.5, 6, 9, 11, 12, 18, 24, 36, 48, 54],
};

/** The range of two rates of each standard, for cells in which stations move. */
const RANGES = {
  "802.11b": '{ "1 Mb/s" = "370 m", "11 Mb/s" = "100 m" }',
  "802.11a": '{ "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" }',
  "802.11g": '{ "6 Mb/s" = "370 m", "54 Mb/s" = "37 m" }',
};

export const DIRECTIONS = {
  up: "All upload",
  down: "All download",
  opposed: "Near stations upload, far ones download",
};

export const TRANSPORTS = {
  newreno: "TCP NewReno",
  reno: "TCP Reno",
  sack: "TCP SACK",
  westwood: "TCP Westwood",
  vegas: "TCP Vegas",
  cubic: "TCP CUBIC",
  tfrc: "TFRC (RFC 5348)",
  "tfrc-3448": "TFRC (RFC 3448)",
  udp: "UDP, saturated",
};

const isTcp = (transport) => !transport.startsWith("tfrc") && transport !== "udp";
const hasAcks = (transport) => transport !== "udp";

/**
 * The schemes from which the user chooses one for each run. `missing` returns the traffic that the scheme needs and the controls
 * do not ask for, or null. The other keys change the scenario: `control` sets the flows' control, only of uploads if `upload`;
 * `discipline` the access point's queue; `farTransport` the transport of the far stations. `grants` makes the access point grant
 * shares in beacons, and `equalRates` gives all stations the near rate.
 */
export const SCHEMES = {
  none: { group: "Compare with", name: "No scheme: a plain queue" },
  "all-near": {
    group: "Compare with",
    name: "No slow station: all at the near rate",
    equalRates: true,
  },
  "arf-aware": {
    group: "The papers’ schemes",
    name: "ARF-aware TCP",
    control: "arf-aware",
    upload: true,
    missing: (k) =>
      k.way === "down" ? "uploads" : isTcp(k.transport) ? null : "TCP",
  },
  "arf-window": {
    group: "The papers’ schemes",
    name: "Window from channel occupancy",
    control: "arf-window",
    missing: (k) => (isTcp(k.transport) ? null : "TCP"),
  },
  occupancy: {
    group: "The papers’ schemes",
    name: "Equal shares, granted in beacons",
    control: "occupancy",
    grants: true,
    missing: (k) => (hasAcks(k.transport) ? null : "TCP or TFRC"),
  },
  "data-ack": {
    group: "The papers’ schemes",
    name: "Scheduler for DATA and ACKs",
    discipline: "data-ack",
    missing: (k) => (hasAcks(k.transport) ? null : "TCP or TFRC"),
  },
  tfrc: { group: "Transport of the far stations", name: "TFRC", farTransport: "tfrc" },
  westwood: { group: "Transport of the far stations", name: "TCP Westwood", farTransport: "westwood" },
  sack: { group: "Transport of the far stations", name: "TCP SACK", farTransport: "sack" },
  cubic: { group: "Transport of the far stations", name: "TCP CUBIC", farTransport: "cubic" },
  airtime: {
    group: "The access point’s queue",
    name: "Shared airtime, as in Linux",
    discipline: "airtime",
  },
  "time-regulator": {
    group: "The access point’s queue",
    name: "Time-based regulator",
    discipline: "time-regulator",
  },
  "fq-codel": { group: "The access point’s queue", name: "FQ-CoDel", discipline: "fq-codel" },
};

const rate = (mbps) => `"${mbps} Mb/s"`;
const setting = (key, value) => `${key.padEnd(9)} = ${value}`;

function transport(kind, window) {
  if (kind === "udp") return '{ kind = "udp", payload = "1460 B", rate = "saturated" }';
  if (kind === "tfrc") return '{ kind = "tfrc", segment = "1448 B" }';
  if (kind === "tfrc-3448") return '{ kind = "tfrc", profile = "rfc3448", segment = "1448 B" }';
  const size = window === 64 ? "" : `, receive_window = "${window} kB"`;
  const scaling = window > 64 ? ", window_scaling = true" : "";
  return `{ kind = "tcp", flavour = "${kind}"${size}${scaling} }`;
}

function cell(k, scheme) {
  const discipline = scheme.discipline ? `discipline = "${scheme.discipline}", ` : "";
  const lines = [
    "[bss.home]",
    setting("standard", `"${k.standard}"`),
    setting("ap.queue", `{ ${discipline}packets = ${k.queue} }`),
  ];
  if (k.beacons || scheme.grants) lines.push(setting("beacon", '{ interval = "100 ms" }'));
  // A run that is compared with the scheme of grants sends the same beacons, but no station heeds the grants in them.
  if (k.beacons || scheme.grants) lines.push(setting("ap.occupancy", "true"));
  if (k.speed > 0) lines.push(setting("radio", `{ range = ${RANGES[k.standard]} }`));
  return lines;
}

function near(k) {
  const lines = ["[station.near]"];
  if (k.near > 1) lines.push(setting("count", k.near));
  lines.push(setting("rate", rate(k.nearRate)), setting("queue", `{ packets = ${k.queue} }`));
  if (k.speed > 0) lines.push(setting("position", '{ circle = "5 m" }'));
  return lines;
}

function far(k, scheme) {
  const lines = ["[station.far]"];
  if (k.far > 1) lines.push(setting("count", k.far));
  if (k.speed > 0) {
    lines.push(
      setting("rate", '{ control = "arf" }'),
      setting("position", k.far > 1 ? '{ circle = "10 m" }' : '["10 m", "0 m"]'),
      setting("mobility", `{ model = "velocity", velocity = ["${k.speed} m/s", "0 m/s"] }`),
    );
  } else if (scheme.equalRates) {
    lines.push(setting("rate", rate(k.nearRate)));
  } else if (k.fallAt > 0) {
    lines.push(
      setting("rate", `[["0 s", ${rate(k.nearRate)}], ["${k.fallAt} s", ${rate(k.farRate)}]]`),
    );
  } else {
    lines.push(setting("rate", rate(k.farRate)));
  }
  lines.push(setting("queue", `{ packets = ${k.queue} }`));
  if (k.loss > 0 && k.speed === 0) {
    lines.push(setting("errors", `{ model = "bernoulli", probability = ${k.loss / 100} }`));
  }
  return lines;
}

function flow(name, isUp, k, scheme) {
  const kind = name === "far" && scheme.farTransport ? scheme.farTransport : k.transport;
  const applies = scheme.control && (isUp || !scheme.upload);
  const [from, to] = isUp ? [name, "server"] : ["server", name];
  return [
    `[flow.${name}]`,
    setting("from", `"${from}"`),
    setting("to", `"${to}"`),
    setting("start_jitter", '"100 ms"'),
    setting("transport", transport(kind, k.window)),
    setting("control", `"${applies ? scheme.control : "none"}"`),
  ];
}

/** Returns the text of the scenario of the controls `k` under the scheme `id`. */
export function toml(k, id) {
  const scheme = SCHEMES[id];
  const blocks = [
    [
      `title    = "${scheme.name}"`,
      setting("duration", `"${k.duration} s"`),
      setting("warmup", `"${k.warmup} s"`),
      setting("seed", k.seed),
    ],
    cell(k, scheme),
    ...(k.near > 0 ? [near(k)] : []),
    far(k, scheme),
    ["[host.server]", setting("link", `{ rate = "100 Mb/s", delay = "${k.delay} ms" }`)],
    ...(k.near > 0 ? [flow("near", k.way !== "down", k, scheme)] : []),
    flow("far", k.way === "up", k, scheme),
  ];
  return blocks.map((lines) => lines.join("\n") + "\n").join("\n");
}
