// What is chosen as a whole: a preset, and the scheme of each run.

import { byId, h } from "./dom.js";
import { PRESETS } from "./presets.js";
import { SCHEMES } from "./scenario.js";
import { SIDES } from "./state.js";

/** Makes a button for each preset; `choose` is told which. Returns how to show the one that is chosen. */
export function makePresets(choose) {
  const buttons = Object.entries(PRESETS).map(([id, { name }]) => [
    id,
    h("button", { type: "button", onclick: () => choose(id) }, name),
  ]);
  byId("ideas").append(...buttons.map(([, button]) => button));
  return (preset) => {
    for (const [id, button] of buttons) button.setAttribute("aria-pressed", String(id === preset));
    const { title, says } = PRESETS[preset];
    byId("idea").replaceChildren(h("h3", {}, title), h("p", {}, says.join(" ")));
  };
}

/** Makes the lists of schemes; `choose` is told of a side and its scheme. Returns how to show a state. */
export function makeSchemes(choose) {
  for (const side of SIDES) {
    byId(`scheme-${side}`).addEventListener("change", ({ target }) => choose(side, target.value));
  }
  return (state) => SIDES.forEach((side) => showSchemes(byId(`scheme-${side}`), state, side));
}

function showSchemes(select, { controls, scheme, text }, side) {
  const option = ([id, { name, fits }]) => {
    const needs = fits?.(controls);
    const isOff = Boolean(needs) && id !== scheme[side];
    return h("option", { value: id, disabled: isOff }, needs ? `${name} (needs ${needs})` : name);
  };
  const kinds = new Set(Object.values(SCHEMES).map(({ group }) => group));
  const ofKind = (kind) => Object.entries(SCHEMES).filter(([, { group }]) => group === kind);
  select.replaceChildren(
    ...[...kinds].map((label) => h("optgroup", { label }, ofKind(label).map(option))),
  );
  select.value = scheme[side];
  select.disabled = text[side] !== null;
}
