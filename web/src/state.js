// The state of the page, and the link that holds it.

import { PRESETS, controlsOf } from "./presets.js";
import { RATES, SCHEMES, TRANSPORTS, WAYS } from "./scenario.js";

/** What each control may be: one of a list, or a whole number between two. */
export const CONTROLS = {
  standard: { among: Object.keys(RATES) },
  way: { among: Object.keys(WAYS) },
  near: { from: 0, to: 20 },
  far: { from: 1, to: 20 },
  nearRate: { rate: true },
  farRate: { rate: true },
  fallAt: { from: 0, to: 60 },
  speed: { from: 0, to: 10 },
  queue: { from: 2, to: 300 },
  loss: { from: 0, to: 50 },
  delay: { from: 0, to: 200 },
  transport: { among: Object.keys(TRANSPORTS) },
  window: { among: [20, 32, 64, 128, 256, 1000] },
  beacons: { among: [false, true] },
  duration: { from: 5, to: 120 },
  warmup: { from: 0, to: 60 },
  seed: { from: 0, to: Number.MAX_SAFE_INTEGER },
};

export const SIDES = ["a", "b"];

/** The state of a preset. `text` is what the user has written, where a run no longer follows the controls. */
export function stateOf(preset) {
  const { a, b } = PRESETS[preset];
  const controls = controlsOf(preset);
  return {
    preset,
    controls,
    scheme: { a, b },
    text: { a: null, b: null },
    /** Part of the run that is shown of the channel [ns]. */
    view: { from: (controls.warmup + 2) * 1e9, length: 20e6 },
  };
}

/** The rate of `standard` that is nearest to `mbps`. */
export function nearestRate(standard, mbps) {
  const off = (rate) => Math.abs(Math.log(rate / mbps));
  return RATES[standard].reduce((best, rate) => (off(rate) < off(best) ? rate : best));
}

/** Makes what belongs together fit, after a control has changed. */
export function settle({ controls }) {
  for (const key of ["nearRate", "farRate"]) {
    controls[key] = nearestRate(controls.standard, controls[key]);
  }
  for (const key of ["fallAt", "warmup"]) {
    controls[key] = Math.min(controls[key], controls.duration - 1);
  }
}

/** Link's word for the state: the preset, what differs from it, and the hashes of both runs. */
export function encode(state, version, hashes) {
  const words = new URLSearchParams({ v: version, preset: state.preset });
  const usual = stateOf(state.preset);
  for (const key of Object.keys(CONTROLS)) {
    if (state.controls[key] !== usual.controls[key]) words.set(key, String(state.controls[key]));
  }
  for (const side of SIDES) {
    if (state.scheme[side] !== usual.scheme[side]) words.set(side, state.scheme[side]);
    if (state.text[side] !== null) words.set(`text-${side}`, state.text[side]);
    if (hashes[side]) words.set(`hash-${side}`, hashes[side]);
  }
  for (const key of ["from", "length"]) {
    if (state.view[key] !== usual.view[key]) words.set(key, String(Math.round(state.view[key])));
  }
  return words.toString();
}

/** A control's value as a link says it; undefined where it may not be. */
function parse(key, said, standard) {
  const { among, rate, from, to } = CONTROLS[key];
  const allowed = rate ? RATES[standard] : among;
  if (allowed) return allowed.find((value) => String(value) === said);
  const number = /^\d+$/.test(said) ? Number(said) : NaN;
  return number >= from && number <= to ? number : undefined;
}

/** State and hashes of a link, and what the reader has to be told of it; of no link the first preset. */
export function decode(fragment, version) {
  const words = new URLSearchParams(fragment.replace(/^#/, ""));
  const notes = [];
  const preset = words.get("preset") ?? "anomaly";
  const isKnown = Object.hasOwn(PRESETS, preset);
  if (!isKnown) notes.push(`The link names a preset that this page does not have, “${preset}”.`);
  const state = stateOf(isKnown ? preset : "anomaly");
  const hashes = { a: null, b: null };
  const said = words.get("v");
  if (said !== null && said !== version) {
    notes.push(`The link is of airfair ${said}, and this page of ${version}: results may differ.`);
  }
  if (words.has("standard")) words.sort();
  const standard = parse("standard", words.get("standard") ?? state.controls.standard);
  if (standard) state.controls.standard = standard;
  for (const [key, value] of words) {
    const [what, side] = key.split("-");
    if (["v", "preset"].includes(key)) continue;
    if (Object.hasOwn(CONTROLS, key)) {
      const found = parse(key, value, state.controls.standard);
      if (found === undefined) notes.push(`The link’s ${key} cannot be “${value}” here.`);
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
      notes.push(`The link says “${key}”, which this page does not know.`);
    }
  }
  settle(state);
  return { state, hashes, notes };
}
