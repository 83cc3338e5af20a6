// The controls: labelled and native. Each writes what it says into the state and tells that it did.

import { h } from "./dom.js";
import { CONTROLS, settle } from "./state.js";
import { RATES, TRANSPORTS, WAYS } from "./scenario.js";

const isWalking = (k) => k.speed > 0;
const WALKS = "ARF finds it while they walk";

/** Fieldsets. `says` puts a value into words, `off` says why a control does nothing. */
const FIELDS = [
  {
    legend: "Stations",
    controls: {
      near: { label: "Near stations" },
      nearRate: { label: "Rate of near ones", says: (v) => `${v} Mb/s` },
      far: { label: "Far stations" },
      farRate: { label: "Rate of far ones", says: (v) => `${v} Mb/s`, off: (k) => isWalking(k) && WALKS },
      fallAt: {
        label: "Far ones are slow from",
        says: (v) => (v === 0 ? "the start" : `${v} s`),
        off: (k) => isWalking(k) && WALKS,
      },
      speed: { label: "They walk away", says: (v) => (v === 0 ? "no" : `${v} m/s`) },
    },
  },
  {
    legend: "Traffic",
    controls: {
      way: { label: "Direction", words: WAYS },
      transport: { label: "Transport", words: TRANSPORTS },
      window: { label: "TCP’s receive window", says: (v) => `${v} kB` },
      delay: { label: "Way to the server", says: (v) => `${v} ms` },
    },
  },
  {
    legend: "Channel and queues",
    controls: {
      standard: { label: "Standard" },
      queue: { label: "Queues hold", says: (v) => `${v} packets` },
      loss: {
        label: "Errored frames of far ones",
        says: (v) => `${v} %`,
        off: (k) => isWalking(k) && "distance decides while they walk",
      },
      beacons: { label: "Beacons that grant shares" },
    },
  },
  {
    legend: "Run",
    controls: {
      duration: { label: "Duration", says: (v) => `${v} s` },
      warmup: { label: "Measured from", says: (v) => (v === 0 ? "the start" : `${v} s`) },
      seed: { label: "Seed", number: true },
    },
  },
];

/** Makes the controls of `state()` below `root`; `changed` is called after each change. Returns how to show a state. */
export function makeControls(root, state, changed) {
  const shows = [];
  const change = (key, value) => {
    state().controls[key] = value;
    settle(state());
    changed(key);
  };
  for (const { legend, controls } of FIELDS) {
    const made = Object.entries(controls).map(([key, field]) => {
      const { element, show } = control(key, field, change);
      shows.push(show);
      return element;
    });
    root.append(h("fieldset", {}, h("legend", {}, legend), made));
  }
  return () => shows.forEach((show) => show(state().controls));
}

function control(key, field, change) {
  const id = `control-${key}`;
  const { among, rate } = CONTROLS[key];
  if (key === "beacons") return checkbox(key, id, field, change);
  if (field.number) return number(key, id, field, change);
  if (among) return select(key, id, field, change);
  return range(key, id, field, change, rate);
}

function checkbox(key, id, field, change) {
  const input = h("input", { type: "checkbox", id, onchange: () => change(key, input.checked) });
  const element = h("div", { class: "control check" }, input, h("label", { for: id }, field.label));
  return { element, show: (k) => (input.checked = k[key]) };
}

function number(key, id, field, change) {
  const { from, to } = CONTROLS[key];
  const input = h("input", { type: "number", id, min: from, max: to, step: 1, inputmode: "numeric" });
  input.addEventListener("input", () => {
    if (input.value !== "" && input.checkValidity()) change(key, Number(input.value));
  });
  const element = h("div", { class: "control" }, h("label", { for: id }, field.label), input);
  return {
    element,
    show: (k) => {
      if (Number(input.value) !== k[key] || input.value === "") input.value = k[key];
    },
  };
}

function select(key, id, field, change) {
  const { among } = CONTROLS[key];
  const text = (value) => field.words?.[value] ?? field.says?.(value) ?? value;
  const options = among.map((value) => h("option", { value }, text(value)));
  const input = h("select", { id, onchange: () => change(key, among[input.selectedIndex]) }, options);
  const element = h("div", { class: "control" }, h("label", { for: id }, field.label), input);
  return { element, show: (k) => (input.selectedIndex = among.indexOf(k[key])) };
}

function range(key, id, field, change, isRate) {
  const says = field.says ?? String;
  const output = h("output", { for: id });
  const input = h("input", { type: "range", id, step: 1 });
  let values = null;
  input.addEventListener("input", () => {
    const place = Number(input.value);
    change(key, values ? values[place] : place);
  });
  const element = h(
    "div",
    { class: "control" },
    h("label", { for: id }, field.label),
    output,
    input,
  );
  const show = (k) => {
    values = isRate ? RATES[k.standard] : null;
    const { from, to } = values ? { from: 0, to: values.length - 1 } : CONTROLS[key];
    Object.assign(input, { min: from, max: to });
    input.value = values ? values.indexOf(k[key]) : k[key];
    const why = field.off?.(k);
    input.disabled = Boolean(why);
    const text = why || says(k[key]);
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  return { element, show };
}
