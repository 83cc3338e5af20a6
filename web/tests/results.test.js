import assert from "node:assert/strict";
import { test } from "node:test";

import { change, figures, goodput, groups, airtimeParts, jain, durationText, MAX_GROUPS, fixed, timeText } from "../src/results.js";

const names = (list) => groups(list).map((group) => group.name);

test("names with consecutive numbers are one group", () => {
  assert.deepEqual(names(["near1", "near2", "near3", "far", "x2", "x4"]), ["near1 … near3", "far", "x2", "x4"]);
  assert.deepEqual(groups(["a1", "a2", "b"]).map((group) => group.places), [[0, 1], [2]]);
  assert.deepEqual(names([]), []);
});

/** The document of a run of one cell. Each of the named stations has a flow and an equal share of half of the airtime. */
function run(stations, steps = 2) {
  const n = stations.length;
  const each = (value) => stations.map((_, i) => (typeof value === "function" ? value(i) : value));
  const perStep = (value) => stations.flatMap((_, i) => Array.from({ length: steps }, (_, step) => value(i, step)));
  return {
    cells: ["home"],
    stations: stations.map((name) => ({ name, cell: "home" })),
    flows: stations.map((name) => ({ name })),
    tables: {
      flows: { goodput_bps: each((i) => (i + 1) * 1e6), loss: each(null), delay_p95_ms: each(3), timeouts: each(1) },
      airtime: { airtime_share: each(0.5 / n) },
      channel_shares: { beacon: [0], collision: [0.2], overlap: [0], contention: [0.2], idle: [0.1] },
      neighbours: { channel: [], neighbour: [], airtime_share: [] },
    },
    delivered: {
      flow: perStep((i) => i),
      start_ns: perStep((_, step) => step * 1e9),
      length_ns: perStep(() => 1e9),
      delivered_bytes: perStep((i, step) => 125_000 * (i + 1) * (step + 1)),
    },
  };
}

test("the shares of airtime add up to 1", () => {
  for (const count of [1, 3, MAX_GROUPS, MAX_GROUPS + 1, 12]) {
    const parts = airtimeParts(run(Array.from({ length: count }, (_, i) => `s${String.fromCharCode(97 + i)}`)), 0);
    assert.ok(Math.abs(parts.reduce((sum, part) => sum + part.share, 0) - 1) < 1e-9, count);
    assert.ok(parts.length <= MAX_GROUPS + 3, count);
  }
});

test("of many stations those with the largest shares have a part each, in their order", () => {
  const document = run(["a", "b", "c", "d", "e", "f", "g"]);
  document.tables.airtime.airtime_share = [0.01, 0.2, 0.03, 0.1, 0.02, 0.1, 0.04];
  const parts = airtimeParts(document, 0).map((part) => part.name);
  assert.deepEqual(parts.slice(0, 5), ["b", "d", "f", "g", "3 other stations"]);
});

test("the air that neighbours hold has a part for each network, up to three", () => {
  const document = run(["a"]);
  document.cells = ["home", "north", "south", "east", "west"];
  document.tables.airtime.airtime_share = [0.1];
  document.tables.channel_shares.overlap = [0.05];
  // Home is held by all four others, and north by home.
  document.tables.neighbours = {
    channel: [0, 0, 0, 0, 1],
    neighbour: [1, 2, 3, 4, 0],
    airtime_share: [0.05, 0.2, 0.04, 0.06, 0.9],
  };
  const parts = airtimeParts(document, 0).filter(({ kind }) => ["neighbour", "overlap"].includes(kind));
  const rounded = parts.map(({ name, share }) => [name, fixed(share, 2)]);
  assert.deepEqual(rounded, [
    ["network south", "0.20"],
    ["network west", "0.06"],
    ["2 other networks", "0.09"],
    ["overlap with neighbours", "0.05"],
  ]);
});

test("goodput of a group is the mean of its members", () => {
  // 125 kB in a second are 1 Mb/s; the first flow has that in the first step, the second twice as much.
  const { times, lines } = goodput(run(["a1", "a2"]));
  assert.deepEqual(times, [1, 2]);
  assert.deepEqual(lines, [{ name: "a1 … a2, mean", values: [1.5, 3] }]);
  assert.equal(goodput({ ...run(["a"]), delivered: null }), null);
});

test("numbers of a run without a cell or with nothing sent are dashes", () => {
  const document = run(["a"]);
  document.tables.airtime.airtime_share = [];
  document.tables.channel_shares.collision = [];
  const rows = new Map(figures(document).map(({ name, value, digits }) => [name, fixed(value, digits)]));
  assert.equal(rows.get("Jain’s index of airtime"), "–");
  assert.equal(rows.get("Airtime lost to collisions"), "–");
  assert.equal(rows.get("Packets lost"), "–");
  assert.equal(rows.get("Goodput of all flows"), "1.00");
});

test("numbers are formatted for a reader", () => {
  assert.equal(jain([1, 1, 1]), 1);
  assert.equal(jain([3, 0, 0]), 1 / 3);
  assert.equal(jain([0, 0]), null);
  assert.deepEqual([change(2, 3), change(2, 1), change(2, 2.001), change(0, 1), change(1, null)], ["+50 %", "−50 %", "same", "–", "–"]);
  assert.deepEqual([durationText(2e9), durationText(20e6), durationText(314e3)], ["2 s", "20 ms", "314 µs"]);
  assert.equal(timeText(25.0004e9, 1e5), "25.0004 s");
});
