import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { controlsOf } from "../src/presets.js";
import { RATES, SCHEMES, toml } from "../src/scenario.js";
import { CONTROLS, reconcile } from "../src/state.js";

const file = new URL("../../target/playground/airfair.wasm", import.meta.url);
const engine = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {}).exports;

/** The mistakes that the parser finds in a text. */
function mistakes(text) {
  const octets = new TextEncoder().encode(JSON.stringify({ scenario: text }));
  const address = engine.airfair_input(octets.length);
  new Uint8Array(engine.memory.buffer).set(octets, address);
  const length = engine.airfair_open();
  const answer = new Uint8Array(engine.memory.buffer, engine.airfair_output(), length);
  return JSON.parse(new TextDecoder().decode(answer)).mistakes ?? [];
}

/** Pseudo-random numbers from 0 to 1, the same ones in each run. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test("the parser accepts the scenario of any values of the controls", () => {
  const random = numbers(1);
  const pick = (list) => list[Math.floor(random.next().value * list.length)];
  const any = ({ choices, rate, from, to }, standard) =>
    rate ? pick(RATES[standard]) : choices ? pick(choices) : pick([from, to, Math.round(from + random.next().value * (to - from))]);
  let tried = 0;
  for (let round = 0; round < 200; round += 1) {
    const controls = controlsOf("anomaly");
    for (const [key, what] of Object.entries(CONTROLS)) controls[key] = any(what, controls.standard);
    reconcile({ controls });
    for (const [id, { missing }] of Object.entries(SCHEMES)) {
      if (missing?.(controls)) continue;
      const text = toml(controls, id);
      assert.deepEqual(mistakes(text), [], text);
      tried += 1;
    }
  }
  assert.ok(tried > 1500);
});

test("the parser refuses a scheme that the controls do not support", () => {
  for (const [id, controls] of [
    ["arf-aware", { way: "down" }],
    ["arf-aware", { transport: "tfrc" }],
    ["arf-window", { transport: "udp" }],
    ["occupancy", { transport: "udp" }],
  ]) {
    const all = { ...controlsOf("anomaly"), ...controls };
    assert.notEqual(SCHEMES[id].missing(all), null, id);
    const found = mistakes(toml(all, id));
    // Without an upload the scenario has no flow with ARF-aware TCP, and the parser accepts it.
    assert.ok(found.length > 0 || controls.way === "down", id);
  }
});
