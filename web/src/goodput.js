// Goodput over time: a line for each group of flows, told apart by colour and by dashes.

import uPlot from "uplot";

import { colour, h, table } from "./dom.js";
import { said } from "./results.js";

const DASHES = [[], [9, 5], [2, 4], [12, 4, 2, 4], [5, 5]];
const HEIGHT = 220;

/** A chart below `root`, whose axes `top` [Mb/s] and `key` it shares with others. */
export class Goodput {
  #root;
  #key;
  #chart = null;
  /** Names of the lines of the chart. */
  #lines = null;
  #details = null;
  #full = null;
  #shown = null;

  constructor(root, key) {
    this.#root = root;
    this.#key = key;
    new ResizeObserver(() => this.#resize()).observe(root);
  }

  show(series, top, from, name) {
    this.#shown = { series, top, from, name };
    this.#draw();
  }

  /** Draws anew, in the colours of now. */
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
      this.#root.append(h("p", { class: "muted" }, "No series is recorded, or one too long to draw here: see series in the scenario."));
      return;
    }
    const box = h("div", { role: "img", "aria-label": `Goodput of run ${name} over time; the table has the same.` });
    this.#full = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Goodput of run ${name} as a table` });
    this.#details = h("details", {}, h("summary", {}, "As a table"), this.#full);
    this.#details.addEventListener("toggle", () => this.#tabulate());
    this.#root.append(box, this.#details);
    this.#chart = new uPlot(this.#options(series), data, box);
  }

  /** Fills the table while it is open: that costs more than the chart. */
  #tabulate() {
    if (!this.#details.open) return;
    const { series, name } = this.#shown;
    const rows = series.times.map((time, step) => [
      said(time, 1),
      ...series.lines.map((line) => said(line.values[step], 2)),
    ]);
    const head = ["until [s]", ...series.lines.map((line) => `${line.name} [Mb/s]`)];
    this.#full.replaceChildren(table(`Goodput of run ${name}`, head, rows));
  }

  #options(series) {
    const [ink, grid, muted] = ["ink", "grid", "muted"].map(colour);
    const axis = { stroke: ink, grid: { stroke: grid, width: 1 }, ticks: { stroke: grid, width: 1 } };
    const lines = series.lines.map(({ name }, index) => ({
      label: name,
      stroke: colour(`series-${index + 1}`),
      width: 2,
      dash: DASHES[index],
      points: { show: false },
      value: (_, value) => (value === null ? "–" : `${said(value, 2)} Mb/s`),
    }));
    return {
      width: Math.max(200, Math.floor(this.#root.clientWidth)),
      height: HEIGHT,
      scales: { x: { time: false }, y: { range: () => [0, this.#shown.top] } },
      axes: [
        { ...axis, label: "time [s]", labelSize: 18, size: 34, labelFont: "12px system-ui" },
        { ...axis, label: "Mb/s for each flow", labelSize: 18, size: 42, labelFont: "12px system-ui" },
      ],
      series: [{ label: "until", value: (_, value) => (value === null ? "–" : `${said(value, 1)} s`) }, ...lines],
      cursor: { sync: { key: this.#key }, drag: { x: false, y: false } },
      legend: { live: true, markers: { width: 2, dash: (_, i) => (DASHES[i - 1]?.length ? "dashed" : "solid") } },
      hooks: { draw: [(chart) => drawStart(chart, this.#shown.from, muted)] },
    };
  }
}

/** A line where the measured time begins. */
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
