// Figures of a document, in the words of the page. Nothing here knows of the page.

/** Places of `names` that were numbered in a row, together; one that is alone is called by its name. */
export function groups(names) {
  const runs = [];
  let stem = "";
  let last = 0;
  names.forEach((name, place) => {
    const [, start, digits] = /^(.*?)(\d+)$/.exec(name) ?? [null, name, null];
    const number = digits === null ? NaN : Number(digits);
    if (start === stem && number === last + 1) runs.at(-1).push(place);
    else runs.push([place]);
    stem = start;
    last = number;
  });
  return runs.map((places) => ({
    name: places.length > 1 ? `${names[places[0]]} … ${names[places.at(-1)]}` : names[places[0]],
    stem: places.length > 1 ? names[places[0]].replace(/\d+$/, "") : names[places[0]],
    places,
  }));
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => (values.length ? sum(values) / values.length : null);
const percent = (share) => (share === null ? null : 100 * share);

/** Most parts of stations in a bar, and most lines in a chart: as many as there are colours. */
export const MOST = 5;

/** Groups with a colour each; of many the first by `weight`, the others together. */
function shown(all, weight, others) {
  if (all.length <= MOST) return all;
  const first = [...all].sort((x, y) => weight(y) - weight(x)).slice(0, MOST - 1);
  const rest = all.filter((group) => !first.includes(group));
  const places = rest.flatMap((group) => group.places);
  return [
    ...all.filter((group) => first.includes(group)),
    { name: `${places.length} ${others}`, stem: others, places },
  ];
}

/** Who holds the air of a cell: parts that add up to 1. */
export function holders(document, cell) {
  const { stations, tables } = document;
  const here = stations.flatMap((station, place) =>
    station.cell === document.cells[cell] ? [place] : [],
  );
  const all = groups(here.map((place) => stations[place].name)).map((group) => ({
    ...group,
    places: group.places.map((place) => here[place]),
  }));
  const share = (group) => sum(group.places.map((place) => tables.airtime.airtime_share[place]));
  const of = (kind) => tables.channel_shares[kind][cell];
  const parts = shown(all, share, "other stations").map((group, index) => ({
    name: group.name,
    kind: `s${index + 1}`,
    share: share(group),
  }));
  const lost = [
    { name: "beacons", kind: "beacon", share: of("beacon") },
    { name: "collisions", kind: "collision", share: of("collision") },
    { name: "gaps and back-off", kind: "contention", share: of("contention") },
    { name: "idle", kind: "idle", share: of("idle") },
  ];
  return [...parts, ...lost.filter((part) => part.kind !== "beacon" || part.share > 0)];
}

/** Goodput of each group of flows over time, as means of its members [Mb/s]; null where there is no series. */
export function goodput(document) {
  const { delivered, flows, tables } = document;
  if (!delivered) return null;
  const steps = delivered.flow.filter((flow) => flow === 0).length;
  const rate = (flow, step) => {
    const row = flow * steps + step;
    return (8e3 * delivered.delivered_bytes[row]) / delivered.length_ns[row];
  };
  const weight = (group) => mean(group.places.map((place) => tables.flows.goodput_bps[place]));
  const all = shown(groups(flows.map((flow) => flow.name)), weight, "other flows");
  const times = Array.from(
    { length: steps },
    (_, step) => (delivered.start_ns[step] + delivered.length_ns[step]) / 1e9,
  );
  const lines = all.map((group) => ({
    name: group.places.length > 1 ? `${group.name}, mean` : group.name,
    values: times.map((_, step) => mean(group.places.map((flow) => rate(flow, step)))),
  }));
  return { times, lines };
}

/** Jain's index of values, 1 where all are equal. */
export function jain(values) {
  const squares = sum(values.map((value) => value * value));
  return squares > 0 ? sum(values) ** 2 / (values.length * squares) : null;
}

/** Rows of the table that compares runs: name, unit, digits, a value or null. */
export function figures(document) {
  const { flows, tables } = document;
  const column = tables.flows;
  const rates = column.goodput_bps.map((bps) => bps / 1e6);
  const each = groups(flows.map((flow) => flow.name));
  const lots = each.length <= 8 ? each : [];
  const of = (group, values) => {
    const known = group.places.map((place) => values[place]).filter((value) => value !== null);
    return mean(known);
  };
  const air = tables.airtime.airtime_share;
  const row = (name, unit, digits, value) => ({ name, unit, digits, value });
  const by = (what, unit, digits, values) =>
    lots.map((group) => row(`${what} of ${group.stem}`, unit, digits, of(group, values)));
  return [
    row("Goodput of all flows", "Mb/s", 2, sum(rates)),
    ...by("Goodput", "Mb/s", 2, rates),
    row("Jain’s index of goodput", "", 3, jain(rates)),
    row("Jain’s index of airtime", "", 3, air.length ? jain(air) : null),
    row("Air lost to collisions", "%", 1, percent(mean(tables.channel_shares.collision))),
    ...by("Delay, 95 %,", "ms", 1, column.delay_p95_ms),
    row("Packets lost", "%", 2, percent(mean(column.loss.filter((loss) => loss !== null)))),
    row("TCP’s time-outs", "", 0, sum(column.timeouts)),
  ];
}

/** How much the second value is more or less than the first, in words. */
export function change(first, second) {
  if (!(first > 0) || typeof second !== "number") return "–";
  const percent = Math.round(100 * (second / first - 1));
  return percent === 0 ? "same" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

/** A number with so many digits behind the point, or a dash. */
export const said = (value, digits) =>
  value === null || Number.isNaN(value) ? "–" : value.toFixed(digits);

/** A time [ns] with as many digits as tell neighbours apart at a step [ns]. */
export function time(ns, step) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9))));
  return `${(ns / 1e9).toFixed(digits)} s`;
}

/** A length of time [ns] with a fitting unit. */
export function length(ns) {
  const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ["µs", 1e3];
  return `${Number((ns / size).toPrecision(4))} ${unit}`;
}
