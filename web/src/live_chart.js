// A chart of the last minute, which is drawn anew with each state: lines, or areas one above the other.

import uPlot from "uplot";

import { colour, h } from "./dom.js";
import { axisStyle, DASHES, HEIGHT } from "./goodput.js";
import { paint } from "./hatching.js";
import { fixed } from "./results.js";
import { axisEnd, SPAN_S } from "./samples.js";

/** The colour of a line. */
const strokeOf = (kind) => (kind === "ap" ? colour("ink") : colour(`series-${kind.slice(1)}`));

export class LiveChart {
  #root;
  #wish;
  #chart = null;
  #names = null;
  #lines = [];
  #span = [0, SPAN_S];

  /**
   * A chart below `root`. `label` describes it, `axis` is the text of the vertical axis with the unit, `unit` and `digits` are
   * those of numbers, `least` is the smallest end of the axis. Areas have shares from 0 to 100 %.
   */
  constructor(root, wish) {
    this.#root = root;
    this.#wish = { digits: 1, least: 1, isStacked: false, ...wish };
    new ResizeObserver(() => this.#resize()).observe(root);
  }

  /** Shows lines with a name, a kind, the index of their dashes and values at `times` [s]. */
  show(times, lines) {
    const { isStacked } = this.#wish;
    this.#lines = lines;
    const now = times.at(-1) ?? 0;
    this.#span = [Math.max(0, now - SPAN_S), Math.max(SPAN_S, now)];
    const names = lines.map(({ name, kind }) => `${name} ${kind}`).join("\n");
    const data = [times, ...(isStacked ? stacked(lines) : lines.map(({ values }) => values))];
    if (!this.#chart || names !== this.#names) {
      this.#names = names;
      this.#make(data);
    } else {
      this.#chart.setData(data);
    }
    // Without a pointer the legend has the latest numbers.
    if (!isStacked && this.#chart.cursor.left < 0) this.#chart.setLegend({ idx: times.length - 1 }, false);
  }

  /** Draws the chart anew, after the colours of the page have changed. */
  redraw() {
    if (this.#chart) this.#make(this.#chart.data);
  }

  #resize() {
    const width = Math.floor(this.#root.clientWidth);
    if (this.#chart && width > 0 && width !== this.#chart.width) this.#chart.setSize({ width, height: HEIGHT });
  }

  #make(data) {
    this.#chart?.destroy();
    const box = h("div", { role: "img", "aria-label": `${this.#wish.label}; the tables have the latest numbers` });
    this.#root.replaceChildren(box);
    this.#chart = new uPlot(this.#options(), data, box);
  }

  #options() {
    const { axis: label, unit, digits, least, isStacked } = this.#wish;
    const axis = axisStyle();
    const series = this.#lines.map(({ name, kind, dash }, index) => ({
      label: name,
      points: { show: false },
      ...(isStacked
        ? { stroke: colour("page"), width: 1, fill: index === 0 ? () => paint(kind) : undefined }
        : { stroke: strokeOf(kind), width: 2, dash: DASHES[dash] }),
      value: (_, value) => (value === null ? "–" : `${fixed(value, digits)} ${unit}`),
    }));
    const top = () => axisEnd(Math.max(0, ...this.#lines.flatMap(({ values }) => values.map((value) => value ?? 0))), least);
    return {
      width: Math.max(200, Math.floor(this.#root.clientWidth)),
      height: HEIGHT,
      scales: {
        x: { time: false, range: () => this.#span },
        y: { range: () => [0, isStacked ? 100 : top()] },
      },
      axes: [
        { ...axis, label: "time since the start [s]", size: 34 },
        { ...axis, label, size: 46 },
      ],
      series: [{ label: "at", value: (_, value) => (value === null ? "–" : `${fixed(value, 1)} s`) }, ...series],
      bands: isStacked ? this.#lines.slice(1).map(({ kind }, index) => ({ series: [index + 2, index + 1], fill: () => paint(kind) })) : [],
      cursor: { drag: { x: false, y: false }, show: !isStacked },
      legend: { show: !isStacked, live: true, markers: { width: 2, dash: (_, index) => (index > 0 && series[index - 1].dash?.length ? "dashed" : "solid") } },
    };
  }
}

/** The upper edges of areas one above the other [%], from shares. */
function stacked(lines) {
  const edge = lines[0]?.values.map(() => 0) ?? [];
  return lines.map(({ values }) => values.map((value, at) => (edge[at] += 100 * value)));
}
