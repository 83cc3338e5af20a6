// The controls of the cell, as labelled native inputs. A control writes its value into the state, and then calls `changed`.

import { h } from "./dom.js";
import { CONTROLS, reconcile } from "./state.js";
import { RATES, TRANSPORTS, DIRECTIONS } from "./scenario.js";

/** True if the far stations move. */
const isWalking = (k) => k.speed > 0;
const WALKS = "ARF chooses it while they walk";

/**
 * The fieldsets with their controls. `format` turns a value into text, `labels` has the text of each choice, and `disabledReason`
 * returns the reason why a control has no effect, or a falsy value.
 */
const FIELDS = [
  {
    legend: "Stations",
    controls: {
      near: { label: "Near stations" },
      nearRate: { label: "Rate of near stations", format: (v) => `${v} Mb/s` },
      far: { label: "Far stations" },
      farRate: { label: "Rate of far stations", format: (v) => `${v} Mb/s`, disabledReason: (k) => isWalking(k) && WALKS },
      fallAt: {
        label: "Far stations are slow from",
        format: (v) => (v === 0 ? "the start" : `${v} s`),
        disabledReason: (k) => isWalking(k) && WALKS,
      },
      speed: { label: "Far stations walk away", format: (v) => (v === 0 ? "no" : `${v} m/s`) },
    },
  },
  {
    legend: "Traffic",
    controls: {
      way: { label: "Direction", labels: DIRECTIONS },
      transport: { label: "Transport", labels: TRANSPORTS },
      window: { label: "TCP’s receive window", format: (v) => `${v} kB` },
      delay: { label: "Delay to the server", format: (v) => `${v} ms` },
    },
  },
  {
    legend: "Channel and queues",
    controls: {
      standard: { label: "Standard" },
      queue: { label: "Queue length", format: (v) => `${v} packets` },
      loss: {
        label: "Frame errors of far stations",
        format: (v) => `${v} %`,
        disabledReason: (k) => isWalking(k) && "distance decides while they walk",
      },
      beacons: { label: "Beacons that grant shares" },
    },
  },
  {
    legend: "Run",
    controls: {
      duration: { label: "Duration", format: (v) => `${v} s` },
      warmup: { label: "Measured from", format: (v) => (v === 0 ? "the start" : `${v} s`) },
      seed: { label: "Seed", number: true },
    },
  },
];

/**
 * Makes the controls of `state()` below `root`. `changed` is called with the key of the control after each change. Returns a
 * function that shows the state in the controls.
 */
export function makeControls(root, state, changed) {
  const shows = [];
  const change = (key, value) => {
    state().controls[key] = value;
    reconcile(state());
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

/** Makes one control: its `element`, and `show`, which shows the value that it has in given controls. */
function control(key, field, change) {
  const id = `control-${key}`;
  const { choices, rate } = CONTROLS[key];
  if (key === "beacons") return checkbox(key, id, field, change);
  if (field.number) return number(key, id, field, change);
  if (choices) return select(key, id, field, change);
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
  const { choices } = CONTROLS[key];
  const text = (value) => field.labels?.[value] ?? field.format?.(value) ?? value;
  const options = choices.map((value) => h("option", { value }, text(value)));
  const input = h("select", { id, onchange: () => change(key, choices[input.selectedIndex]) }, options);
  const element = h("div", { class: "control" }, h("label", { for: id }, field.label), input);
  return { element, show: (k) => (input.selectedIndex = choices.indexOf(k[key])) };
}

function range(key, id, field, change, isRate) {
  const format = field.format ?? String;
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
    const reason = field.disabledReason?.(k);
    input.disabled = Boolean(reason);
    const text = reason || format(k[key]);
    output.textContent = text;
    input.setAttribute("aria-valuetext", text);
  };
  return { element, show };
}
