// A chart of goodput over time: a line for each group of flows, which differ by colour and by dashes.

import uPlot from "uplot";

import { colour, h, table } from "./dom.js";
import { fixed } from "./results.js";

/** The dashes of the lines of a chart. */
export const DASHES = [[], [9, 5], [2, 4], [12, 4, 2, 4], [5, 5]];
/** The height of a chart [px]. */
export const HEIGHT = 220;

/** The style that all axes have. */
export function axisStyle() {
  const [stroke, grid] = ["ink", "grid"].map(colour);
  const line = { stroke: grid, width: 1 };
  return { stroke, grid: line, ticks: line, labelSize: 18, labelFont: "12px system-ui" };
}

/** A chart below `root`. Charts with the same `key` share their cursor. */
export class Goodput {
  #root;
  #key;
  #chart = null;
  /** The names of the lines in the chart, or null to have it made anew. */
  #lines = null;
  #details = null;
  #table = null;
  #shown = null;

  constructor(root, key) {
    this.#root = root;
    this.#key = key;
    new ResizeObserver(() => this.#resize()).observe(root);
  }

  /** Shows the lines of run `name`; the vertical axis ends at `top` [Mb/s], and the measured time begins at `from` [s]. */
  show(series, top, from, name) {
    this.#shown = { series, top, from, name };
    this.#draw();
  }

  /** Draws the chart again, after the colours of the page have changed. */
  redraw() {
    this.#lines = null;
    if (this.#shown) this.#draw();
  }

  clear() {
    this.#chart?.destroy();
    this.#chart = null;
    this.#lines = null;
    this.#shown = null;
    this.#root.replaceChildren();
  }

  #resize() {
    const width = Math.floor(this.#root.clientWidth);
    if (this.#chart && width > 0 && width !== this.#chart.width) {
      this.#chart.setSize({ width, height: HEIGHT });
    }
  }

  #draw() {
    const { series, name } = this.#shown;
    const lines = series?.lines.map((line) => line.name).join("\n");
    const data = series && [series.times, ...series.lines.map((line) => line.values)];
    if (this.#chart && lines === this.#lines) {
      this.#chart.setData(data);
      this.#tabulate();
      return;
    }
    this.#lines = lines;
    this.#chart?.destroy();
    this.#chart = null;
    this.#root.replaceChildren();
    if (!series) {
      this.#root.append(h("p", { class: "muted" }, "There is no time series to draw: the key series of the scenario is off, or its step is too short."));
      return;
    }
    const box = h("div", { role: "img", "aria-label": `Goodput of run ${name} over time; the table has the same.` });
    this.#table = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Goodput of run ${name} as a table` });
    this.#details = h("details", {}, h("summary", {}, "As a table"), this.#table);
    this.#details.addEventListener("toggle", () => this.#tabulate());
    this.#root.append(box, this.#details);
    this.#chart = new uPlot(this.#options(series), data, box);
  }

  /** Fills the table if it is open; a closed one is not filled, since a table takes longer than the chart. */
  #tabulate() {
    if (!this.#details.open) return;
    const { series, name } = this.#shown;
    const rows = series.times.map((time, step) => [
      fixed(time, 1),
      ...series.lines.map((line) => fixed(line.values[step], 2)),
    ]);
    const head = ["until [s]", ...series.lines.map((line) => `${line.name} [Mb/s]`)];
    this.#table.replaceChildren(table(`Goodput of run ${name}`, head, rows));
  }

  #options(series) {
    const axis = axisStyle();
    const lines = series.lines.map(({ name }, index) => ({
      label: name,
      stroke: colour(`series-${index + 1}`),
      width: 2,
      dash: DASHES[index],
      points: { show: false },
      value: (_, value) => (value === null ? "–" : `${fixed(value, 2)} Mb/s`),
    }));
    return {
      width: Math.max(200, Math.floor(this.#root.clientWidth)),
      height: HEIGHT,
      scales: { x: { time: false }, y: { range: () => [0, this.#shown.top] } },
      axes: [
        { ...axis, label: "time [s]", size: 34 },
        { ...axis, label: "Mb/s for each flow", size: 42 },
      ],
      series: [{ label: "until", value: (_, value) => (value === null ? "–" : `${fixed(value, 1)} s`) }, ...lines],
      cursor: { sync: { key: this.#key }, drag: { x: false, y: false } },
      legend: { live: true, markers: { width: 2, dash: (_, i) => (DASHES[i - 1]?.length ? "dashed" : "solid") } },
      hooks: { draw: [(chart) => drawStart(chart, this.#shown.from, colour("muted"))] },
    };
  }
}

/** Draws a vertical line where the measured time begins. */
function drawStart(chart, from, stroke) {
  if (!(from > 0)) return;
  const { ctx, bbox } = chart;
  const x = Math.round(chart.valToPos(from, "x", true));
  ctx.save();
  ctx.strokeStyle = ctx.fillStyle = stroke;
  ctx.setLineDash([2, 3]);
  ctx.beginPath();
  ctx.moveTo(x, bbox.top);
  ctx.lineTo(x, bbox.top + bbox.height);
  ctx.stroke();
  ctx.restore();
}
