import assert from "node:assert/strict";
import { test } from "node:test";

import { PRESETS, controlsOf } from "../src/presets.js";
import { SCHEMES, toml } from "../src/scenario.js";
import { CONTROLS, decode, encode, reconcile, stateOf } from "../src/state.js";

const NONE = { a: null, b: null };

test("a link holds the whole state", () => {
  const state = stateOf("updown-fairness");
  Object.assign(state.controls, { near: 7, standard: "802.11a", nearRate: 48, farRate: 6, beacons: true });
  state.scheme.b = "fq-codel";
  state.text.a = "title = \"mine & yours # 1\"\nduration = '1 s'\n";
  state.view = { from: 1_234_567_890, length: 250_000 };
  const link = encode(state, "1.2.3", { a: "0123456789abcdef", b: null });
  const found = decode(`#${link}`, "1.2.3");
  assert.deepEqual(found.state, state);
  assert.deepEqual(found.hashes, { a: "0123456789abcdef", b: null });
  assert.deepEqual(found.notes, []);
});

test("a link has only the values that differ from its preset", () => {
  assert.equal(encode(stateOf("anomaly"), "1.0", NONE), "v=1.0&preset=anomaly");
});

test("a page without a link shows the anomaly", () => {
  assert.deepEqual(decode("", "1.0"), { state: stateOf("anomaly"), hashes: NONE, notes: [] });
});

test("a link of another version yields a note and its state", () => {
  const { state, notes } = decode("#v=0.0.9&preset=arf-window&speed=2", "0.1.0");
  assert.equal(state.controls.speed, 2);
  assert.deepEqual(notes, ["The link was made by airfair 0.0.9, and this page is of version 0.1.0: results may differ."]);
});

test("an impossible value in a link yields a note, and the other values are used", () => {
  const link = "#v=1&preset=perpetuum&near=99&far=x&queue=9&a=magic&colour=red&from=-1&nearRate=7&seed=1e3";
  const { state, notes } = decode(link, "1");
  assert.deepEqual(state, { ...stateOf("anomaly"), controls: { ...controlsOf("anomaly"), queue: 9 } });
  const about = ["perpetuum", "near", "far", "magic", "colour", "from", "nearRate", "seed"];
  assert.equal(notes.length, about.length);
  for (const word of about) assert.ok(notes.some((line) => line.includes(word)), word);
});

test("a link's standard applies before its rates, in any order", () => {
  const { state, notes } = decode("#preset=anomaly&nearRate=54&standard=802.11a&farRate=6", "1");
  assert.deepEqual([state.controls.nearRate, state.controls.farRate, notes], [54, 6, []]);
});

test("rates follow the standard", () => {
  const state = stateOf("anomaly");
  state.controls.standard = "802.11a";
  reconcile(state);
  assert.deepEqual([state.controls.nearRate, state.controls.farRate], [12, 6]);
});

test("the slow-down and the measured time begin before the end of the run", () => {
  const state = stateOf("anomaly");
  Object.assign(state.controls, { fallAt: 60, warmup: 60, duration: 30 });
  reconcile(state);
  assert.deepEqual([state.controls.fallAt, state.controls.warmup], [29, 29]);
});

test("a preset has three sentences, and controls and schemes that exist", () => {
  for (const [id, { sentences, a, b }] of Object.entries(PRESETS)) {
    assert.equal(sentences.length, 3, id);
    for (const sentence of sentences) assert.match(sentence, /^[A-Z].*\.$/, id);
    const controls = controlsOf(id);
    for (const scheme of [a, b]) assert.equal(SCHEMES[scheme].missing?.(controls) ?? null, null, id);
    assert.deepEqual(Object.keys(controls).sort(), Object.keys(CONTROLS).sort(), id);
    // A link can hold the values of each preset.
    const link = encode({ ...stateOf("anomaly"), controls }, "1", NONE);
    assert.deepEqual(decode(link, "1").state.controls, controls, id);
  }
});

test("both runs of a preset differ by their scheme alone", () => {
  const lines = (scheme) => toml(controlsOf("arf-aware-tcp"), scheme).split("\n");
  const [a, b] = [lines("none"), lines("arf-aware")];
  assert.deepEqual(
    a.flatMap((line, i) => (line === b[i] ? [] : [b[i]])),
    ['title    = "ARF-aware TCP"', 'control   = "arf-aware"', 'control   = "arf-aware"'],
  );
});
