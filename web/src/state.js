// The state of the page, and the link that encodes it.

import { PRESETS, controlsOf } from "./presets.js";
import { RATES, SCHEMES, TRANSPORTS, DIRECTIONS } from "./scenario.js";

/** The values that each control can have: one of a list, a rate of the standard, or an integer from `from` to `to`. */
export const CONTROLS = {
  standard: { choices: Object.keys(RATES) },
  way: { choices: Object.keys(DIRECTIONS) },
  near: { from: 0, to: 20 },
  far: { from: 1, to: 20 },
  nearRate: { rate: true },
  farRate: { rate: true },
  fallAt: { from: 0, to: 60 },
  speed: { from: 0, to: 10 },
  queue: { from: 2, to: 300 },
  loss: { from: 0, to: 50 },
  delay: { from: 0, to: 200 },
  transport: { choices: Object.keys(TRANSPORTS) },
  window: { choices: [20, 32, 64, 128, 256, 1000] },
  beacons: { choices: [false, true] },
  duration: { from: 5, to: 120 },
  warmup: { from: 0, to: 60 },
  seed: { from: 0, to: Number.MAX_SAFE_INTEGER },
};

export const SIDES = ["a", "b"];

/** Returns the initial state of a preset. `text` has the user's own scenarios, null for a side that the controls describe. */
export function stateOf(preset) {
  const { a, b } = PRESETS[preset];
  const controls = controlsOf(preset);
  return {
    preset,
    controls,
    scheme: { a, b },
    text: { a: null, b: null },
    /** The part of the run that the channel shows [ns]. */
    view: { from: (controls.warmup + 2) * 1e9, length: 20e6 },
  };
}

/** The rate of `standard` that is nearest to `mbps` on a logarithmic scale. */
export function nearestRate(standard, mbps) {
  const off = (rate) => Math.abs(Math.log(rate / mbps));
  return RATES[standard].reduce((best, rate) => (off(rate) < off(best) ? rate : best));
}

/** Adjusts controls that depend on others, after one has changed: rates to the standard, times to the duration. */
export function reconcile({ controls }) {
  for (const key of ["nearRate", "farRate"]) {
    controls[key] = nearestRate(controls.standard, controls[key]);
  }
  for (const key of ["fallAt", "warmup"]) {
    controls[key] = Math.min(controls[key], controls.duration - 1);
  }
}

/** Encodes the state as a link's fragment: the version, the preset, the values that differ from it, and both record hashes. */
export function encode(state, version, hashes) {
  const params = new URLSearchParams({ v: version, preset: state.preset });
  const initial = stateOf(state.preset);
  for (const key of Object.keys(CONTROLS)) {
    if (state.controls[key] !== initial.controls[key]) params.set(key, String(state.controls[key]));
  }
  for (const side of SIDES) {
    if (state.scheme[side] !== initial.scheme[side]) params.set(side, state.scheme[side]);
    if (state.text[side] !== null) params.set(`text-${side}`, state.text[side]);
    if (hashes[side]) params.set(`hash-${side}`, hashes[side]);
  }
  for (const key of ["from", "length"]) {
    if (state.view[key] !== initial.view[key]) params.set(key, String(Math.round(state.view[key])));
  }
  return params.toString();
}

/** Parses the value that a link has for a control; undefined if the control cannot have it. */
function parse(key, text, standard) {
  const { choices, rate, from, to } = CONTROLS[key];
  const allowed = rate ? RATES[standard] : choices;
  if (allowed) return allowed.find((value) => String(value) === text);
  const number = /^\d+$/.test(text) ? Number(text) : NaN;
  return number >= from && number <= to ? number : undefined;
}

/**
 * Decodes the fragment of a link into the state and the record hashes. `notes` has a sentence for each part that could not be
 * used. An empty fragment yields the first preset.
 */
export function decode(fragment, version) {
  const params = new URLSearchParams(fragment.replace(/^#/, ""));
  const notes = [];
  const preset = params.get("preset") ?? "anomaly";
  const isKnown = Object.hasOwn(PRESETS, preset);
  if (!isKnown) notes.push(`The link names a preset that this page does not have, “${preset}”.`);
  const state = stateOf(isKnown ? preset : "anomaly");
  const hashes = { a: null, b: null };
  const linkVersion = params.get("v");
  if (linkVersion !== null && linkVersion !== version) {
    notes.push(`The link was made by airfair ${linkVersion}, and this page is of version ${version}: results may differ.`);
  }
  if (params.has("standard")) params.sort();
  const standard = parse("standard", params.get("standard") ?? state.controls.standard);
  if (standard) state.controls.standard = standard;
  for (const [key, value] of params) {
    const [what, side] = key.split("-");
    if (["v", "preset"].includes(key)) continue;
    if (Object.hasOwn(CONTROLS, key)) {
      const found = parse(key, value, state.controls.standard);
      if (found === undefined) notes.push(`The link has an impossible value of ${key}, “${value}”.`);
      else state.controls[key] = found;
    } else if (SIDES.includes(key)) {
      if (Object.hasOwn(SCHEMES, value)) state.scheme[key] = value;
      else notes.push(`The link names a scheme that this page does not have, “${value}”.`);
    } else if (SIDES.includes(side) && what === "text") {
      state.text[side] = value;
    } else if (SIDES.includes(side) && what === "hash") {
      hashes[side] = value;
    } else if (["from", "length"].includes(key) && Number(value) >= 0) {
      state.view[key] = Number(value);
    } else {
      notes.push(`The link contains “${key}”, which this page does not know.`);
    }
  }
  reconcile(state);
  return { state, hashes, notes };
}
