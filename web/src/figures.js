// Shows the numbers of both runs as a table.

import { byId, h, table } from "./dom.js";
import { change, figures, durationText, fixed } from "./results.js";

/** Shows the numbers of the documents of both runs; a document is null if its run failed. */
export function showFigures(documents) {
  const both = documents.map((document) => document && figures(document));
  const names = [...new Set(both.flatMap((rows) => rows?.map((row) => row.name) ?? []))];
  const rows = names.map((name) => {
    const [a, b] = both.map((rows) => rows?.find((row) => row.name === name) ?? null);
    const { unit, digits } = a ?? b;
    const value = (row) => (row ? fixed(row.value, digits) : "–");
    return [unit ? `${name} [${unit}]` : name, value(a), value(b), change(a?.value, b?.value)];
  });
  const hashes = documents.map((document) => h("code", {}, document?.record_hash ?? "–"));
  rows.push(["Record hash", ...hashes, ""]);
  const head = ["Quantity", "Run A", "Run B", "Change"];
  byId("figures").replaceChildren(table("Numbers of both runs", head, rows));
  byId("measured").textContent = measured(documents[0] ?? documents[1]);
}

/** Describes the time over which the numbers were measured. */
function measured(document) {
  if (!document) return "";
  const { warmup_ns: from, duration_ns: to, replications } = document;
  const time = `${from ? durationText(from) : "the start"} to ${durationText(to)}`;
  const others =
    replications > 1 ? ` The scenario asks for ${replications} replications; this page runs only the first.` : "";
  return `Measured from ${time}. Each number is from one run; airfair run --replications 10 adds confidence intervals.${others}`;
}
