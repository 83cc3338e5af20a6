// Shows the share of airtime of each station as a bar, whose parts differ by colour and by hatching, and as a table.

import { h, table } from "./dom.js";
import { airtimeParts, fixed } from "./results.js";

/** The width of a bar that is not on the page yet [px]. */
const USUAL_WIDTH = 550;

/** The text of a part's share. */
export const percentOf = (part) => `${fixed(100 * part.share, 1)} %`;

/** A part's name with the sign of its colour and hatching. */
export const keyed = (part) => h("span", {}, h("i", { class: `key part ${part.kind}` }), part.name);

/** A bar whose parts are as wide as their shares, in `element`. */
export class AirBar {
  element = h("div", { class: "bar", role: "img" });
  #names = null;

  /** Shows parts with a name, a kind and a share. Parts with the same names as before only change their widths. */
  show(parts, label) {
    const names = parts.map((part) => part.name).join("\n");
    if (names !== this.#names) {
      this.#names = names;
      const make = (part) => h("span", { class: `part ${part.kind}` }, h("b", {}, part.name));
      this.element.replaceChildren(...parts.map(make));
    }
    const width = this.element.clientWidth || USUAL_WIDTH;
    this.element.setAttribute("aria-label", `${label}: ${parts.map((part) => `${part.name} ${percentOf(part)}`).join(", ")}`);
    parts.forEach((part, index) => {
      const span = this.element.children[index];
      span.title = `${part.name} ${percentOf(part)}`;
      span.style.width = `${100 * part.share}%`;
      span.firstChild.hidden = part.share * width <= 16 + 8 * part.name.length;
    });
  }
}

/** Shows a bar and a table for each cell of a run's document below `root`. */
export function showAir(root, document, name) {
  root.replaceChildren();
  if (!document.cells.length) {
    root.append(h("p", { class: "muted" }, "There is no cell in this scenario: nothing is on the air."));
  }
  document.cells.forEach((cell, index) => {
    const parts = airtimeParts(document, index);
    const bar = new AirBar();
    bar.show(parts, `Airtime of run ${name}`);
    const rows = parts.map((part) => [keyed(part), percentOf(part)]);
    const several = document.cells.length > 1 ? [h("h4", {}, cell)] : [];
    root.append(...several, bar.element, table(`Airtime of run ${name}`, ["Holder", "Share"], rows));
  });
}
