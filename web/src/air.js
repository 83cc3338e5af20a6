// Shows the share of airtime of each station as a bar, whose parts differ by colour and by hatching, and as a table.

import { h, table } from "./dom.js";
import { airtimeParts, fixed } from "./results.js";

/** Shows a bar and a table for each cell of a run's document below `root`. */
export function showAir(root, document, name) {
  root.replaceChildren();
  if (!document.cells.length) {
    root.append(h("p", { class: "muted" }, "There is no cell in this scenario: nothing is on the air."));
  }
  document.cells.forEach((cell, index) => {
    const parts = airtimeParts(document, index);
    const percent = (part) => `${fixed(100 * part.share, 1)} %`;
    const label = `Airtime of run ${name}: ${parts.map((p) => `${p.name} ${percent(p)}`).join(", ")}`;
    const bar = h("div", { class: "bar", role: "img", "aria-label": label });
    for (const part of parts) {
      const span = h("span", { class: `part ${part.kind}`, title: `${part.name} ${percent(part)}` });
      span.style.width = `${100 * part.share}%`;
      if (part.share > 0.03 + 0.014 * part.name.length) span.append(h("b", {}, part.name));
      bar.append(span);
    }
    const rows = parts.map((part) => [
      h("span", {}, h("i", { class: `key part ${part.kind}` }), part.name),
      percent(part),
    ]);
    const several = document.cells.length > 1 ? [h("h4", {}, cell)] : [];
    root.append(...several, bar, table(`Airtime of run ${name}`, ["Holder", "Share"], rows));
  });
}
