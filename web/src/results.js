// Computes the numbers that the page shows from the document of a run, and formats numbers. This module does not use the page.

/**
 * Groups names with the same stem and consecutive numbers, such as `far1`, `far2`, `far3`. A group has a `name` (`far1 … far3`),
 * a `stem` (`far`), and `places`, the indices of its members in `names`. Any other name is a group of its own.
 */
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

/** The greatest number of groups in a bar or a chart: the number of colours. */
export const MAX_GROUPS = 5;

/** Limits groups to `MAX_GROUPS`: keeps those with the greatest `weight` in their order, and joins the others into one. */
export function limitGroups(all, weight, others) {
  if (all.length <= MAX_GROUPS) return all;
  const first = [...all].sort((x, y) => weight(y) - weight(x)).slice(0, MAX_GROUPS - 1);
  const rest = all.filter((group) => !first.includes(group));
  const places = rest.flatMap((group) => group.places);
  return [
    ...all.filter((group) => first.includes(group)),
    { name: `${places.length} ${others}`, stem: others, places },
  ];
}

/** The greatest number of neighbours with a part of their own in a bar. */
const MAX_NEIGHBOURS = 3;

/** The parts of a cell's air that its neighbours held, the largest first; the last one may stand for several neighbours. */
function neighbourParts({ cells, tables }, cell) {
  const { channel, neighbour, airtime_share: shares } = tables.neighbours;
  const part = (name, share) => ({ name, kind: "neighbour", share });
  const all = channel
    .flatMap((of, i) => (of === cell ? [part(`network ${cells[neighbour[i]]}`, shares[i])] : []))
    .sort((x, y) => y.share - x.share);
  if (all.length <= MAX_NEIGHBOURS) return all;
  const rest = all.splice(MAX_NEIGHBOURS - 1);
  return [...all, part(`${rest.length} other networks`, sum(rest.map(({ share }) => share)))];
}

/**
 * The shares of a cell's airtime of stations, beacons, collisions, neighbours, overlap, contention and idle time. The shares add
 * up to 1.
 */
export function airtimeParts(document, cell) {
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
  const parts = limitGroups(all, share, "other stations").map((group, index) => ({
    name: group.name,
    kind: `s${index + 1}`,
    share: share(group),
  }));
  const lost = [
    { name: "beacons", kind: "beacon", share: of("beacon") },
    { name: "collisions", kind: "collision", share: of("collision") },
    ...neighbourParts(document, cell),
    { name: "overlap with neighbours", kind: "overlap", share: of("overlap") },
    { name: "gaps and back-off", kind: "contention", share: of("contention") },
    { name: "idle", kind: "idle", share: of("idle") },
  ];
  return [...parts, ...lost.filter(({ kind, share }) => share > 0 || !["beacon", "overlap"].includes(kind))];
}

/** The mean goodput of each group's flows [Mb/s] in steps that end at `times` [s]; null if the run has no series. */
export function goodput(document) {
  const { delivered, flows, tables } = document;
  if (!delivered) return null;
  const steps = delivered.flow.filter((flow) => flow === 0).length;
  const rate = (flow, step) => {
    const row = flow * steps + step;
    return (8e3 * delivered.delivered_bytes[row]) / delivered.length_ns[row];
  };
  const weight = (group) => mean(group.places.map((place) => tables.flows.goodput_bps[place]));
  const all = limitGroups(groups(flows.map((flow) => flow.name)), weight, "other flows");
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

/** Jain's fairness index of values, 1 if all are equal; null if all are 0. */
export function jain(values) {
  const squares = sum(values.map((value) => value * value));
  return squares > 0 ? sum(values) ** 2 / (values.length * squares) : null;
}

/** The rows of the table of numbers: name, unit, number of decimals, and the value or null. */
export function figures(document) {
  const { flows, tables } = document;
  const column = tables.flows;
  const rates = column.goodput_bps.map((bps) => bps / 1e6);
  const each = groups(flows.map((flow) => flow.name));
  const listed = each.length <= 8 ? each : [];
  const of = (group, values) => {
    const known = group.places.map((place) => values[place]).filter((value) => value !== null);
    return mean(known);
  };
  const air = tables.airtime.airtime_share;
  const row = (name, unit, digits, value) => ({ name, unit, digits, value });
  const by = (what, unit, digits, values) =>
    listed.map((group) => row(`${what} of ${group.stem}`, unit, digits, of(group, values)));
  return [
    row("Goodput of all flows", "Mb/s", 2, sum(rates)),
    ...by("Goodput", "Mb/s", 2, rates),
    row("Jain’s index of goodput", "", 3, jain(rates)),
    row("Jain’s index of airtime", "", 3, air.length ? jain(air) : null),
    row("Airtime lost to collisions", "%", 1, percent(mean(tables.channel_shares.collision))),
    ...by("Delay (p95)", "ms", 1, column.delay_p95_ms),
    row("Packets lost", "%", 2, percent(mean(column.loss.filter((loss) => loss !== null)))),
    row("TCP’s time-outs", "", 0, sum(column.timeouts)),
  ];
}

/** The relative change from the first value to the second, as a text such as `+50 %`. */
export function change(first, second) {
  if (!(first > 0) || typeof second !== "number") return "–";
  const percent = Math.round(100 * (second / first - 1));
  return percent === 0 ? "same" : `${percent > 0 ? "+" : "−"}${Math.abs(percent)} %`;
}

/** Formats a number with a number of decimals; null and NaN become a dash. */
export const fixed = (value, digits) =>
  value === null || Number.isNaN(value) ? "–" : value.toFixed(digits);

/** Formats a time [ns] in seconds, with enough decimals to distinguish times that are `step` [ns] apart. */
export function timeText(ns, step) {
  const digits = Math.min(9, Math.max(0, Math.ceil(-Math.log10(step / 1e9))));
  return `${(ns / 1e9).toFixed(digits)} s`;
}

/** Formats a duration [ns] in s, ms or µs, with four significant digits. */
export function durationText(ns) {
  const [unit, size] = ns >= 1e9 ? ["s", 1e9] : ns >= 1e6 ? ["ms", 1e6] : ["µs", 1e3];
  return `${Number((ns / size).toPrecision(4))} ${unit}`;
}
