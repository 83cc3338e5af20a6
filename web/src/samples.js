// Computes the numbers of the live picture from the states of an emulation. This module does not use the page.

import { groups, limitGroups, MAX_GROUPS } from "./results.js";

/** The time over which a number is a mean [s]. */
const WINDOW_S = 1;
/** The time that the charts show [s]. */
export const SPAN_S = 60;

const sum = (values) => values.reduce((total, value) => total + value, 0);
const mean = (values) => (values.length ? sum(values) / values.length : null);

/** The mean delay [ms] of `packets` whose delays add up to `delay` [s]; null without packets. */
const delayOf = (delay, packets) => (packets > 0 ? (1e3 * delay) / packets : null);

/** The greatest numbers of stations with a part of a bar, and with a line of a chart, of their own. */
const MAX_PARTS = 40;
const MAX_LINES = 12;

/**
 * Names and kinds of parts or lines of stations, with the indices of the stations in `places`. Up to `most` stations have one
 * each; more are grouped by their names. A kind is one of five colours; lines with the same colour differ by `dash`.
 */
function split(names, most) {
  const each = names.map((name, place) => ({ name, places: [place] }));
  const all = names.length <= most ? each : limitGroups(groups(names), () => 0, "other stations");
  return all.map((group, index) => ({
    ...group,
    kind: `s${(index % MAX_GROUPS) + 1}`,
    dash: (index + Math.floor(index / MAX_GROUPS)) % MAX_GROUPS,
  }));
}
export const airGroups = (names) => split(names, MAX_PARTS);
export const lineGroups = (names) => split(names, MAX_LINES);

/** The numbers for the time between two states. */
export function sample(before, now) {
  const elapsed = now.elapsed_s - before.elapsed_s;
  const rate = (of, was, way) => {
    const octets = (node) => node[`${way}_bytes`] + node[`simulated_${way}_bytes`];
    return (8e-6 * (octets(of) - octets(was))) / elapsed;
  };
  const stations = now.nodes.flatMap((of, place) => {
    const was = before.nodes[place];
    if (!of.radio) return [];
    const over = (key) => of.radio[key] - was.radio[key];
    return {
      name: of.name,
      airtime: over("airtime_s") / elapsed,
      up: rate(of, was, "sent"),
      down: rate(of, was, "received"),
      delayUp: delayOf(of.sent_delay_s - was.sent_delay_s, of.delivered_packets - was.delivered_packets),
      delayDown: delayOf(of.received_delay_s - was.received_delay_s, of.received_packets - was.received_packets),
      queue: of.radio.queue_packets,
      retries: over("frames") > 0 ? over("retries") / over("frames") : 0,
      drops: over("drops") / elapsed,
      rateUp: of.radio.rate_up_bps,
      rateDown: of.radio.rate_down_bps,
    };
  });
  const points = now.access_points.map((of, place) => {
    const over = (key) => (of[key] - before.access_points[place][key]) / elapsed;
    return {
      name: of.name,
      queue: of.queue_packets,
      drops: over("drops"),
      collision: over("collision_s"),
      beacon: over("beacon_s"),
      neighbour: over("neighbour_s"),
      contention: over("contention_s"),
    };
  });
  return { time: now.elapsed_s, stations, points };
}

/** The samples of the last minute, each a mean over the second before it. */
export class Samples {
  #states = [];
  list = [];

  /** Adds a state. Returns false for one that is not newer than the last one, as after a new connection. */
  add(state) {
    const last = this.#states.at(-1);
    if (last && state.elapsed_s <= last.elapsed_s) return false;
    this.#states.push(state);
    const isOld = ({ elapsed_s: at }) => at <= state.elapsed_s - 0.99 * WINDOW_S;
    const start = this.#states.findLast(isOld) ?? this.#states[0];
    if (start !== state) this.list.push(sample(start, state));
    const from = state.elapsed_s - SPAN_S;
    this.#states = this.#states.slice(this.#states.indexOf(start));
    this.list = this.list.filter(({ time }) => time >= from);
    return true;
  }
}

/**
 * The parts of a cell's air in a sample, with shares that add up to 1. `cells` has the name of each station's cell. What no
 * counter has is idle; counters that a long frame has carried into this second are scaled.
 */
export function airParts({ stations, points }, cell, cells, groups) {
  const point = points.find(({ name }) => name === cell);
  const here = groups.map((group) => ({ ...group, places: group.places.filter((place) => cells[place] === cell) }));
  const held = here
    .filter(({ places }) => places.length)
    .map(({ name, kind, places }) => ({ name, kind, share: sum(places.map((place) => stations[place].airtime)) }));
  const lost = [
    { name: "beacons", kind: "beacon", share: point.beacon },
    { name: "collisions", kind: "collision", share: point.collision },
    { name: "other networks", kind: "neighbour", share: point.neighbour },
    { name: "gaps and back-off", kind: "contention", share: point.contention },
  ];
  const used = sum([...held, ...lost].map(({ share }) => share));
  const parts = [...held, ...lost, { name: "idle", kind: "idle", share: Math.max(0, 1 - used) }];
  return parts.map((part) => ({ ...part, share: part.share / Math.max(1, used) }));
}

/** What the charts of lines show of a station. */
export const QUANTITIES = {
  throughput: (station) => station.up + station.down,
  queue: (station) => station.queue,
  delayUp: (station) => station.delayUp,
  delayDown: (station) => station.delayDown,
};

/** The lines of a quantity: the mean of each group's stations in each sample. */
export function linesOf(samples, lines, quantity) {
  const value = (stations, places) => mean(places.map((place) => quantity(stations[place])).filter((it) => it !== null));
  return lines.map(({ name, kind, dash, places }) => ({
    name: places.length > 1 ? `${name}, mean` : name,
    kind,
    dash,
    values: samples.map(({ stations }) => value(stations, places)),
  }));
}

/** The smallest of 1, 2 and 5 times a power of ten that is at least `value`, for the end of an axis; at least `least`. */
export function axisEnd(value, least) {
  const wanted = Math.max(value, least);
  const power = 10 ** Math.floor(Math.log10(wanted));
  return power * [1, 2, 5, 10].find((step) => step * power >= wanted * (1 - 1e-9));
}

/** The text of a rate [bit/s] in Mb/s; a dash for null. */
export const rateText = (bps) => (bps === null ? "–" : `${Number((bps / 1e6).toPrecision(4))} Mb/s`);
