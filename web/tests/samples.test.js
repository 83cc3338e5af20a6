// Tests of the numbers of the live picture.

import assert from "node:assert/strict";
import test from "node:test";

import { airGroups, airParts, axisEnd, lineGroups, linesOf, QUANTITIES, rateText, Samples, SPAN_S } from "../src/samples.js";

/** A state at a time [s], in which each counter has grown at a constant rate. */
function state(at, { airtime = 0.25, up = 1e6, packets = 100, queue = 3, contention = 0.2, idleNode = false } = {}) {
  const node = {
    name: "a",
    sent_bytes: (up / 8) * at,
    received_bytes: 0,
    simulated_sent_bytes: (1e6 / 8) * at,
    simulated_received_bytes: 0,
    delivered_packets: idleNode ? 0 : packets * at,
    sent_delay_s: idleNode ? 0 : packets * at * 0.004,
    received_packets: 0,
    received_delay_s: 0,
    radio: { airtime_s: airtime * at, frames: 10 * at, retries: 2 * at, drops: at, queue_packets: queue, rate_up_bps: 6e6, rate_down_bps: 54e6 },
  };
  const host = { ...node, name: "server", radio: undefined };
  const point = { name: "home", queue_packets: 7, drops: 0, collision_s: 0.05 * at, beacon_s: 0, neighbour_s: 0, contention_s: contention * at };
  return { elapsed_s: at, nodes: [node, host], access_points: [point] };
}

const near = (value, wanted) => assert.ok(Math.abs(value - wanted) < 1e-9, `${value} is not ${wanted}`);

test("a sample is the mean over the second before it", () => {
  const samples = new Samples();
  for (const at of [0, 0.25, 0.5, 0.75, 1, 1.25]) samples.add(state(at));
  assert.deepEqual(samples.list.map(({ time }) => time), [0.25, 0.5, 0.75, 1, 1.25]);
  const { stations, points } = samples.list.at(-1);
  assert.equal(stations.length, 1);
  const [a] = stations;
  near(a.airtime, 0.25);
  // 1 Mb/s of programs and 1 Mb/s of simulated flows
  near(a.up, 2);
  near(a.down, 0);
  near(a.delayUp, 4);
  assert.equal(a.delayDown, null);
  near(a.retries, 0.2);
  assert.equal(a.queue, 3);
  near(points[0].collision, 0.05);
});

test("a change is in the numbers completely after a second", () => {
  const samples = new Samples();
  const times = [0, 0.5, 1, 1.5, 2];
  // The station sends nothing until 1 s, and 4 Mb/s from then on.
  for (const at of times) {
    const now = state(at, { up: 0 });
    now.nodes[0].simulated_sent_bytes = 5e5 * Math.max(0, at - 1);
    samples.add(now);
  }
  assert.deepEqual(samples.list.map(({ stations }) => stations[0].up), [0, 0, 2, 4]);
});

test("states that are not newer are left out, and old samples are forgotten", () => {
  const samples = new Samples();
  assert.ok(samples.add(state(1)));
  assert.ok(!samples.add(state(1)));
  assert.ok(!samples.add(state(0.5)));
  for (let at = 2; at < 100; at += 1) samples.add(state(at));
  assert.equal(samples.list.length, SPAN_S + 1);
  assert.equal(samples.list.at(-1).time, 99);
  // After a gap, a sample is the mean over the gap.
  samples.add(state(200));
  assert.equal(samples.list.length, 1);
  near(samples.list[0].stations[0].airtime, 0.25);
});

test("the parts of the air add up to 1", () => {
  const of = (options) => {
    const samples = new Samples();
    samples.add(state(0, options));
    samples.add(state(1, options));
    return airParts(samples.list[0], "home", ["home"], airGroups(["a"]));
  };
  const parts = of({});
  assert.deepEqual(parts.map(({ kind }) => kind), ["s1", "beacon", "collision", "neighbour", "contention", "idle"]);
  const share = (list, kind) => list.find((part) => part.kind === kind).share;
  near(share(parts, "s1"), 0.25);
  near(share(parts, "idle"), 0.5);
  // Counters of a frame that began before the second add up to more than the second.
  const full = of({ airtime: 0.95, contention: 0.25 });
  near(share(full, "idle"), 0);
  near(share(full, "s1"), 0.95 / 1.25);
  near(full.reduce((total, part) => total + part.share, 0), 1);
});

test("a cell has the parts of its own stations", () => {
  const samples = new Samples();
  const two = (at) => {
    const one = state(at);
    one.nodes.push({ ...one.nodes[0], name: "b" });
    one.access_points.push({ ...one.access_points[0], name: "away" });
    return one;
  };
  samples.add(two(0));
  samples.add(two(1));
  const parts = airParts(samples.list[0], "away", ["home", "away"], airGroups(["a", "b"]));
  assert.deepEqual(parts.filter(({ kind }) => kind.startsWith("s")).map(({ name, kind }) => [name, kind]), [["b", "s2"]]);
});

test("few stations have a line each, and many stations are grouped", () => {
  const numbered = (count) => Array.from({ length: count }, (_, place) => `s${place + 1}`);
  const few = lineGroups(numbered(12));
  assert.deepEqual(few.map(({ name }) => name), numbered(12));
  assert.equal(new Set(few.map(({ kind, dash }) => `${kind} ${dash}`)).size, 12);
  const many = [...numbered(12), "slow"];
  assert.deepEqual(lineGroups(many).map(({ name }) => name), ["s1 … s12", "slow"]);
  assert.deepEqual(airGroups(many).map(({ name }) => name), many);
  const unlike = lineGroups([..."abcdefghijklm"]);
  assert.deepEqual(unlike.map(({ name }) => name), ["a", "b", "c", "d", "9 other stations"]);
  assert.equal(airGroups(numbered(41)).length, 1);
});

test("a line has gaps where a station has no packets", () => {
  const samples = new Samples();
  [state(0, { idleNode: true }), state(1, { idleNode: true })].forEach((it) => samples.add(it));
  const [line] = linesOf(samples.list, lineGroups(["a"]), QUANTITIES.delayUp);
  assert.deepEqual(line.values, [null]);
  const [queue] = linesOf(samples.list, lineGroups(["a"]), QUANTITIES.queue);
  assert.deepEqual(queue.values, [3]);
});

test("an axis ends at a round number", () => {
  const ends = [[0, 1], [1, 1], [1.1, 1], [3, 1], [7, 1], [20, 10], [54, 10], [0.3, 0.1]];
  assert.deepEqual(ends.map(([value, least]) => axisEnd(value, least)), [1, 1, 2, 5, 10, 20, 100, 0.5]);
});

test("a rate has its unit", () => {
  assert.deepEqual([5.5e6, 54e6, 8602941, 1200.98e6, null].map(rateText), ["5.5 Mb/s", "54 Mb/s", "8.603 Mb/s", "1201 Mb/s", "–"]);
});
