// The live picture of an emulation: shows each state of the stream, and changes rates.

import { AirBar, keyed, percentOf } from "./air.js";
import { byId, darkness, h, table } from "./dom.js";
import { LiveChart } from "./live_chart.js";
import { makeRates } from "./rates.js";
import { fixed } from "./results.js";
import { airGroups, airParts, lineGroups, linesOf, QUANTITIES, Samples } from "./samples.js";
import { change, follow } from "./stream.js";

const CHARTS = {
  throughput: { label: "Throughput of the stations over the last minute", axis: "throughput [Mb/s]", unit: "Mb/s", digits: 2 },
  queue: { label: "Queues of stations and access points over the last minute", axis: "queue [packets]", unit: "packets", digits: 0, least: 10 },
  delayDown: { label: "Delay of packets to the stations over the last minute", axis: "delay [ms]", unit: "ms", least: 10 },
  delayUp: { label: "Delay of packets from the stations over the last minute", axis: "delay [ms]", unit: "ms", least: 10 },
};

/** The numbers of a cell's air: a bar, a table and a chart of the last minute. */
class CellAir {
  #bar = new AirBar();
  #table = h("div", { class: "scroll", tabindex: 0, role: "region" });
  #chart;
  #cell;

  constructor(root, cell, isOneOfSeveral) {
    this.#cell = cell;
    this.#table.setAttribute("aria-label", `Shares of the air of ${cell} as a table`);
    const chart = h("div", { class: "chart" });
    const pair = h("div", { class: "pair air" }, this.#table, chart);
    root.append(...(isOneOfSeveral ? [h("h3", {}, cell)] : []), this.#bar.element, pair);
    this.#chart = new LiveChart(chart, { label: `Shares of the air of ${cell} over the last minute`, axis: "share of the air [%]", isStacked: true });
  }

  show(samples, cells, groups) {
    const all = samples.map((it) => airParts(it, this.#cell, cells, groups));
    const isSeen = ({ kind }, place) => !["beacon", "neighbour"].includes(kind) || all.some((parts) => parts[place].share > 0);
    const parts = all.map((each) => each.filter(isSeen));
    const now = parts.at(-1);
    this.#bar.show(now, `Airtime of ${this.#cell} over the last second`);
    fill(this.#table, `Airtime of ${this.#cell}`, ["Holder", "Share"], now.map((part) => [() => keyed(part), percentOf(part)]));
    const times = samples.map(({ time }) => time);
    this.#chart.show(times, now.map((part, place) => ({ ...part, values: parts.map((at) => at[place].share) })));
  }

  redraw() {
    this.#chart.redraw();
  }
}

/** Fills a table below `root`. The first cell of a row is a function that makes it; a table of the same rows keeps it. */
function fill(root, caption, head, rows) {
  const body = root.querySelector("tbody");
  if (body?.rows.length !== rows.length) {
    root.replaceChildren(table(caption, head, rows.map(([first, ...others]) => [first(), ...others])));
    return;
  }
  rows.forEach((row, at) => {
    row.forEach((text, place) => {
      const cell = body.rows[at].cells[place];
      if (place > 0 && cell.textContent !== text) cell.textContent = text;
    });
  });
}

class Picture {
  #about;
  #samples = new Samples();
  #parts;
  #lines;
  #kinds;
  #airs;
  #charts = {};
  #showRates;

  constructor(about) {
    this.#about = about;
    const { title, cells, stations } = about;
    byId("title").textContent = title;
    document.title = `${title} – airfair`;
    const names = stations.map(({ name }) => name);
    this.#parts = airGroups(names);
    this.#lines = lineGroups(names);
    this.#kinds = stations.map((_, place) => this.#parts.find(({ places }) => places.includes(place)).kind);
    byId("cells").replaceChildren();
    this.#airs = cells.map((cell) => new CellAir(byId("cells"), cell, cells.length > 1));
    for (const [name, wish] of Object.entries(CHARTS)) this.#charts[name] = new LiveChart(byId(name), wish);
    this.#showRates = makeRates(byId("rates"), stations, this.#kinds, setRate);
    darkness.addEventListener("change", () => {
      [...this.#airs, ...Object.values(this.#charts)].forEach((it) => it.redraw());
    });
  }

  show(state) {
    if (!this.#samples.add(state)) return;
    showState(state);
    const { list } = this.#samples;
    if (!list.length) return;
    const cells = this.#about.stations.map(({ cell }) => cell);
    this.#airs.forEach((air) => air.show(list, cells, this.#parts));
    const times = list.map(({ time }) => time);
    for (const [name, chart] of Object.entries(this.#charts)) {
      const points = name === "queue" ? queuesOfPoints(list) : [];
      chart.show(times, [...linesOf(list, this.#lines, QUANTITIES[name]), ...points]);
    }
    this.#showRates(list.at(-1));
    this.#showNumbers(list.at(-1));
  }

  #showNumbers({ stations, points }) {
    const head = ["Station", "Air [%]", "Up [Mb/s]", "Down [Mb/s]", "Queue [packets]", "Delay down [ms]", "Delay up [ms]", "Retries [%]", "Drops [1/s]"];
    const ofStation = (it, place) => [
      () => keyed({ name: it.name, kind: this.#kinds[place] }),
      fixed(100 * it.airtime, 1),
      fixed(it.up, 2),
      fixed(it.down, 2),
      String(it.queue),
      fixed(it.delayDown, 1),
      fixed(it.delayUp, 1),
      fixed(100 * it.retries, 1),
      fixed(it.drops, 0),
    ];
    const ofPoint = (it) => [() => accessPoint(it, points), "", "", "", String(it.queue), "", "", "", fixed(it.drops, 0)];
    fill(byId("numbers"), "Numbers of the last second", head, [...stations.map(ofStation), ...points.map(ofPoint)]);
  }
}

const accessPoint = ({ name }, points) => (points.length > 1 ? `access point of ${name}` : "access point");

/** The lines of the queues of access points: one, or their mean. */
function queuesOfPoints(samples) {
  const { points } = samples[0];
  const values = samples.map((it) => it.points.reduce((total, { queue }) => total + queue, 0) / points.length);
  return [{ name: points.length > 1 ? "access points, mean" : "access point", kind: "ap", dash: 0, values }];
}

async function setRate(station, bps) {
  const error = await change({ set: "rate", station, value: `${bps} b/s` });
  byId("trouble").textContent = error ? `The rate of ${station} is not changed: ${error}` : "";
}

/** Shows the time, the verdict so far and the lateness of packets. */
function showState({ elapsed_s: elapsed, valid, objections, lateness }) {
  byId("elapsed").textContent = `${Math.floor(elapsed)} s`;
  byId("late").textContent = `p99 of lateness ${fixed(lateness.p99_us / 1e3, 2)} ms`;
  const verdict = byId("verdict");
  const text = valid ? "valid so far" : "invalid so far";
  if (verdict.textContent !== text) verdict.textContent = text;
  verdict.className = valid ? "holds" : "fails";
  const reasons = byId("reasons");
  if (reasons.children.length !== objections.length) reasons.replaceChildren(...objections.map(() => h("li", {})));
  objections.forEach((reason, place) => {
    if (reasons.children[place].textContent !== reason) reasons.children[place].textContent = reason;
  });
}

function ended(last) {
  const notice = byId("connection");
  notice.hidden = false;
  const verdict = last ? ` after ${fixed(last.elapsed_s, 1)} s. It is ${last.valid ? "valid" : "invalid"}` : "";
  notice.textContent = `The emulation has ended${verdict}. The picture is its last minute.`;
  byId("state").textContent = "ended";
  byId("state").className = "muted";
  for (const input of byId("rates").querySelectorAll("input")) input.disabled = true;
}

function lost(reason) {
  const notice = byId("connection");
  notice.hidden = reason === null;
  if (reason !== null && notice.textContent !== reason) notice.textContent = reason;
  byId("state").textContent = reason === null ? "running" : "not connected";
  byId("state").className = reason === null ? "holds" : "fails";
}

let picture = null;
byId("needs-javascript").remove();
byId("main").hidden = false;
follow({
  about: (about) => (picture ??= new Picture(about)),
  state: (state) => picture.show(state),
  end: (last) => {
    if (last) picture?.show(last);
    ended(last);
  },
  lost,
});
