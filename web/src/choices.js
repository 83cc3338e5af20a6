// The choice of a preset and of the scheme of each run.

import { byId, h } from "./dom.js";
import { PRESETS } from "./presets.js";
import { SCHEMES } from "./scenario.js";
import { SIDES } from "./state.js";

/**
 * Makes a button for each preset, which calls `choose` with the preset's id. Returns a function that shows a preset as the chosen
 * one.
 */
export function makePresets(choose) {
  const buttons = Object.entries(PRESETS).map(([id, { name }]) => [
    id,
    h("button", { type: "button", onclick: () => choose(id) }, name),
  ]);
  byId("ideas").append(...buttons.map(([, button]) => button));
  return (preset) => {
    for (const [id, button] of buttons) button.setAttribute("aria-pressed", String(id === preset));
    const { title, sentences } = PRESETS[preset];
    byId("idea").replaceChildren(h("h3", {}, title), h("p", {}, sentences.join(" ")));
  };
}

/**
 * Fills the list of schemes of each run. `choose` is called with a side and the id of the scheme that the user has chosen for it.
 * Returns a function that shows the schemes of a state.
 */
export function makeSchemes(choose) {
  for (const side of SIDES) {
    byId(`scheme-${side}`).addEventListener("change", ({ target }) => choose(side, target.value));
  }
  return (state) => SIDES.forEach((side) => showSchemes(byId(`scheme-${side}`), state, side));
}

function showSchemes(select, { controls, scheme, text }, side) {
  const option = ([id, { name, missing }]) => {
    const needs = missing?.(controls);
    const disabled = Boolean(needs) && id !== scheme[side];
    return h("option", { value: id, disabled }, needs ? `${name} (needs ${needs})` : name);
  };
  const groups = new Set(Object.values(SCHEMES).map(({ group }) => group));
  const inGroup = (name) => Object.entries(SCHEMES).filter(([, { group }]) => group === name);
  select.replaceChildren(
    ...[...groups].map((label) => h("optgroup", { label }, inGroup(label).map(option))),
  );
  select.value = scheme[side];
  select.disabled = text[side] !== null;
}
