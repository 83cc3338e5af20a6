import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { controlsOf } from "../src/presets.js";
import { RATES, SCHEMES, toml } from "../src/scenario.js";
import { CONTROLS, settle } from "../src/state.js";

const file = new URL("../../target/playground/airfair.wasm", import.meta.url);
const engine = new WebAssembly.Instance(new WebAssembly.Module(readFileSync(file)), {}).exports;

/** Mistakes that the parser tells of a text. */
function mistakes(text) {
  const octets = new TextEncoder().encode(JSON.stringify({ scenario: text }));
  const address = engine.airfair_input(octets.length);
  new Uint8Array(engine.memory.buffer).set(octets, address);
  const length = engine.airfair_open();
  const answer = new Uint8Array(engine.memory.buffer, engine.airfair_output(), length);
  return JSON.parse(new TextDecoder().decode(answer)).mistakes ?? [];
}

/** Numbers that are the same each time. */
function* numbers(seed) {
  for (let state = seed; ; ) {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    yield state / 2 ** 32;
  }
}

test("whatever the controls say, the parser takes it", () => {
  const random = numbers(1);
  const pick = (list) => list[Math.floor(random.next().value * list.length)];
  const any = ({ among, rate, from, to }, standard) =>
    rate ? pick(RATES[standard]) : among ? pick(among) : pick([from, to, Math.round(from + random.next().value * (to - from))]);
  let tried = 0;
  for (let round = 0; round < 200; round += 1) {
    const controls = controlsOf("anomaly");
    for (const [key, what] of Object.entries(CONTROLS)) controls[key] = any(what, controls.standard);
    settle({ controls });
    for (const [id, { fits }] of Object.entries(SCHEMES)) {
      if (fits?.(controls)) continue;
      const text = toml(controls, id);
      assert.deepEqual(mistakes(text), [], text);
      tried += 1;
    }
  }
  assert.ok(tried > 1500);
});

test("a scheme that does not fit is refused by the parser as well", () => {
  for (const [id, controls] of [
    ["arf-aware", { way: "down" }],
    ["arf-aware", { transport: "tfrc" }],
    ["arf-window", { transport: "udp" }],
    ["occupancy", { transport: "udp" }],
  ]) {
    const all = { ...controlsOf("anomaly"), ...controls };
    assert.notEqual(SCHEMES[id].fits(all), null, id);
    const fits = mistakes(toml(all, id));
    // ARF-aware TCP is left out where nobody uploads, which would be a run without it.
    assert.ok(fits.length > 0 || controls.way === "down", id);
  }
});
