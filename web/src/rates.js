// A slider for the rate of each station. It follows the running cell unless the user has just moved it.

import { h } from "./dom.js";
import { rateText } from "./samples.js";

/** The time without a movement after which a rate is set [ms]. */
const PAUSE_MS = 120;
/** The time after a movement in which the slider does not follow the cell [ms]. */
const HOLD_MS = 1500;

/** Makes the sliders below `root`. `set` is called with a station and a rate [bit/s]. Returns a function that shows a sample. */
export function makeRates(root, stations, kinds, set) {
  const sliders = stations.map((station, place) => slider(station, kinds[place], place, set));
  root.replaceChildren(...sliders.map(({ element }) => element));
  return ({ stations: now }) => sliders.forEach(({ show }, place) => show(now[place]));
}

function slider({ name, rates_bps: rates }, kind, place, set) {
  const id = `rate-${place}`;
  const output = h("output", { for: id });
  const input = h("input", { type: "range", id, min: 0, max: Math.max(0, rates.length - 1), step: 1, disabled: !rates.length });
  const label = h("label", { for: id }, h("i", { class: `key part ${kind}` }), name);
  const element = h("div", { class: "control" }, label, output, input);
  let moved = -Infinity;
  let pause = null;
  const tell = (text) => {
    if (output.textContent === text) return;
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  input.addEventListener("input", () => {
    const rate = rates[Number(input.value)];
    moved = performance.now();
    tell(rateText(rate));
    clearTimeout(pause);
    pause = setTimeout(() => set(name, rate), PAUSE_MS);
  });
  const show = ({ rateUp, rateDown }) => {
    if (performance.now() - moved < HOLD_MS) return;
    const at = rates.indexOf(rateDown ?? rateUp);
    if (at >= 0) input.value = at;
    const both = rateUp === rateDown ? rateText(rateUp) : `${rateText(rateUp)} up, ${rateText(rateDown)} down`;
    tell(rates.length ? both : `${both}; rate control chooses it`);
  };
  return { element, show };
}
