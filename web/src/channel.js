// Shows the frames of a run on the channel: a picture in which the user can zoom, move, and step from frame to frame, and a
// table of the same frames.

import { Dropped } from "./engine.js";
import { h, table } from "./dom.js";
import { durationText, timeText } from "./results.js";
import { describe, MAX_ROWS, Picture } from "./picture.js";

const MAX_TABLE_ROWS = 200;
/** The shortest and the longest part of a run that the picture shows [ns]. */
const MIN_SPAN_NS = 200e3;
const MAX_SPAN_NS = 2e9;

/** Moves and resizes `view`, such that it is a part of a run of `duration` [ns] and has a length that can be drawn. */
export function clampView(view, duration) {
  view.length = Math.min(Math.max(view.length, MIN_SPAN_NS), MAX_SPAN_NS, duration);
  view.from = Math.round(Math.min(Math.max(view.from, 0), duration - view.length));
  view.length = Math.round(view.length);
}

export class ChannelView {
  #name;
  #engine;
  #onViewChange;
  #view;
  #duration;
  #picture;
  #canvas;
  #status;
  #rows;
  #details;
  #scenario = null;
  #document = null;
  #data = null;
  /** True if `#data` belongs to an earlier run. */
  #isStale = false;
  #selected = -1;

  /**
   * `view()` returns the part of the run that both channels show, an object that this class changes; `duration()` the length of
   * the longer run [ns]. `onViewChange` is called after each change of the view.
   */
  constructor(root, { name, engine, view, onViewChange, duration }) {
    this.#name = name;
    this.#engine = engine;
    this.#onViewChange = onViewChange;
    this.#view = view;
    this.#duration = duration;
    const button = (text, label, act) =>
      h("button", { type: "button", onclick: act, "aria-label": `${label} of run ${name}` }, text);
    this.#canvas = h("canvas", { "aria-hidden": "true" });
    this.#status = h("output", { class: "status" });
    this.#rows = h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `Frames of run ${name} as a table` });
    this.#details = h("details", {}, h("summary", {}, "Frames as a table"), this.#rows);
    this.#details.addEventListener("toggle", () => this.#tabulate());
    const box = h(
      "div",
      {
        class: "picture",
        tabindex: 0,
        role: "application",
        "aria-roledescription": "timeline",
        "aria-label": `Channel of run ${name}`,
        "aria-describedby": "channel-keys",
        onkeydown: (event) => this.#onKey(event),
      },
      this.#canvas,
    );
    root.append(
      h(
        "div",
        { class: "tools" },
        button("‹ frame", "Previous frame", () => this.step(-1)),
        button("frame ›", "Next frame", () => this.step(1)),
        button("‹ collision", "Previous collision", () => this.jump(-1)),
        button("collision ›", "Next collision", () => this.jump(1)),
      ),
      box,
      h("p", { class: "muted" }, this.#status),
      this.#details,
    );
    this.#picture = new Picture(this.#canvas);
    this.#addPointerListeners();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** Replaces the run by another one, with its scenario's text and its document. */
  async set(scenario, document) {
    this.#scenario = scenario;
    this.#document = document;
    // The picture of the earlier run stays until the frames of this one have arrived.
    this.#isStale = true;
    this.#selected = -1;
    await this.show();
  }

  clear() {
    this.#engine.stop();
    this.#scenario = this.#data = this.#document = null;
    this.#selected = -1;
    this.#canvas.width = this.#canvas.height = 0;
    this.#canvas.style.height = "0";
    this.#status.textContent = "";
    this.#rows.replaceChildren();
  }

  /** Shows the view. If its frames are not loaded, requests them of the engine, with a margin on both sides. */
  async show() {
    if (!this.#scenario) return;
    if (this.#isLoaded()) {
      this.draw();
      return;
    }
    const { from, length: span } = this.#view();
    const margin = span < MAX_SPAN_NS / 2 ? span : 0;
    const channel = {
      from_ns: Math.max(0, Math.round(from - margin)),
      to_ns: Math.round(from + span + margin),
    };
    try {
      const scenario = this.#scenario;
      const data = await this.#engine.ask({ scenario, channel });
      if (scenario !== this.#scenario) return;
      const kept = this.#selected < 0 ? null : this.#data?.frames.start_ns[this.#selected];
      this.#data = data;
      this.#isStale = false;
      this.#selected = kept === null ? -1 : data.frames.start_ns.indexOf(kept);
      this.draw();
    } catch (error) {
      if (!(error instanceof Dropped)) this.#status.textContent = error.message;
    }
  }

  /** True if all frames of the view are loaded. */
  #isLoaded() {
    const { from, length: span } = this.#view();
    if (!this.#data || this.#isStale) return false;
    const { from_ns: first, to_ns: last } = this.#data;
    return first <= from && (from + span <= last || last >= this.#document.duration_ns);
  }

  draw() {
    if (!this.#data || this.#canvas.clientWidth === 0) return;
    this.#picture.draw(this.#data, this.#view(), this.#selected);
    this.#showStatus();
    this.#tabulate();
  }

  /** Indices of the frames that are at least partly in the view. */
  #visible() {
    const { frames } = this.#data;
    const { from, length: span } = this.#view();
    const isIn = (i) => frames.end_ns[i] > from && frames.start_ns[i] < from + span;
    return frames.start_ns.flatMap((_, i) => (isIn(i) ? [i] : []));
  }

  /** Describes the frame with an index in the status line, or the view if the index is −1. */
  #showStatus(place = this.#selected) {
    const { from, length: span } = this.#view();
    const rows = this.#data.rows.length;
    const hidden = rows > MAX_ROWS ? ` The first ${MAX_ROWS} of ${rows} members are drawn.` : "";
    const cut = from + span > this.#data.to_ns && this.#data.to_ns < this.#document.duration_ns;
    const upTo = cut ? ` Frames are shown up to ${timeText(this.#data.to_ns, 1e3)}: zoom in to see the others.` : "";
    if (place >= 0) {
      const it = describe(this.#data, place);
      this.#status.textContent = `${it.kind} from ${it.from} to ${it.to}, ${it.octets} at ${it.rate}, ${it.lasts} from ${it.start}: ${it.fate}.${upTo}${hidden}`;
      return;
    }
    if (from >= this.#document.duration_ns) {
      this.#status.textContent = `The run is over: it ends at ${timeText(this.#document.duration_ns, 1e6)}.`;
      return;
    }
    const here = this.#visible();
    const collided = here.filter((i) => this.#data.frames.fate[i] === "collided").length;
    const where = `${timeText(from, span / 100)}, ${durationText(span)}`;
    this.#status.textContent = here.length
      ? `From ${where}: ${here.length} frames, ${collided} of them collided.${upTo}${hidden}`
      : `From ${where}: nothing is on the air.${upTo}${hidden}`;
  }

  #tabulate() {
    if (!this.#details.open || !this.#data) return;
    const here = this.#visible();
    const rows = here.slice(0, MAX_TABLE_ROWS).map((i) => {
      const it = describe(this.#data, i);
      return [it.start, it.lasts, it.kind, it.from, it.to, it.rate, it.octets, it.fate];
    });
    const head = ["Start", "Lasts", "Frame", "From", "To", "Rate", "Size", "Fate"];
    const more = here.length > rows.length ? [h("p", {}, `The first ${rows.length} of ${here.length}.`)] : [];
    this.#rows.replaceChildren(table(`Frames of run ${this.#name}`, head, rows), ...more);
  }

  /** The time from which steps and jumps start [ns]: the start of the selected frame, or the middle of the view. */
  #anchor() {
    const { from, length: span } = this.#view();
    return this.#selected >= 0 ? this.#data.frames.start_ns[this.#selected] : from + span / 2;
  }

  /** Selects the frame that starts at `ns`. Centres the view on it if `isFar`, or if the frame is near an edge of the view. */
  async #goTo(ns, isFar) {
    const view = this.#view();
    if (isFar || ns < view.from + view.length * 0.1 || ns > view.from + view.length * 0.9) {
      view.from = ns - view.length / 2;
    }
    clampView(view, this.#duration());
    if (this.#isLoaded()) this.#selected = this.#data.frames.start_ns.indexOf(ns);
    await this.#onViewChange();
    if (this.#data) this.#selected = this.#data.frames.start_ns.indexOf(ns);
    this.draw();
  }

  /** Selects the next frame (`direction` 1) or the previous one (−1). */
  async step(direction) {
    if (!this.#data) return;
    const { start_ns: starts } = this.#data.frames;
    const here = this.#anchor();
    let place = this.#selected + direction;
    if (this.#selected < 0) {
      place = direction > 0 ? starts.findIndex((at) => at >= here) : starts.findLastIndex((at) => at < here);
    }
    if (place >= 0 && place < starts.length) {
      this.#selected = place;
      await this.#goTo(starts[place], false);
      // Frames that collide can start at the same time, so the start does not identify a frame; its index does.
      if (this.#data.frames.start_ns[place] === starts[place]) this.#selected = place;
      this.draw();
      return;
    }
    // No such frame is loaded: the view moves on by its own length.
    const view = this.#view();
    view.from += direction * view.length;
    clampView(view, this.#duration());
    this.#selected = -1;
    await this.#onViewChange();
  }

  /** Selects the first frame of the next collision (`direction` 1) or the previous one (−1). */
  async jump(direction) {
    if (!this.#document) return;
    const { start_ns: starts, is_cut: isCut } = this.#document.collisions;
    const here = this.#anchor();
    const place =
      direction > 0 ? starts.findIndex((at) => at > here) : starts.findLastIndex((at) => at < here);
    if (place < 0) {
      const side = direction > 0 ? "after" : "before";
      const known = isCut && direction > 0 ? ` This page knows only the first ${starts.length}.` : "";
      this.#status.textContent = `No collision ${side} ${timeText(here, 1e3)}.${known}`;
      return;
    }
    await this.#goTo(starts[place], true);
    this.#status.textContent = `Collision ${place + 1} of ${starts.length}${isCut ? " that are known" : ""}. ${this.#status.textContent}`;
  }

  /** Multiplies the length of the view by a factor; the time `about` stays in its place, by default the middle. */
  zoom(factor, about) {
    const view = this.#view();
    const middle = about ?? view.from + view.length / 2;
    const before = (middle - view.from) / view.length;
    view.length *= factor;
    clampView(view, this.#duration());
    view.from = middle - before * view.length;
    clampView(view, this.#duration());
    return this.#onViewChange();
  }

  /** Moves the view by `part` of its length, towards earlier times if negative. */
  pan(part) {
    const view = this.#view();
    view.from += part * view.length;
    clampView(view, this.#duration());
    return this.#onViewChange();
  }

  #onKey(event) {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const acts = {
      ArrowLeft: () => this.pan(-0.25),
      ArrowRight: () => this.pan(0.25),
      "+": () => this.zoom(0.5),
      "=": () => this.zoom(0.5),
      "-": () => this.zoom(2),
      n: () => this.step(1),
      p: () => this.step(-1),
      c: () => this.jump(1),
      C: () => this.jump(-1),
      Escape: () => {
        this.#selected = -1;
        this.draw();
      },
    };
    const act = acts[event.key];
    if (!act || !this.#document) return;
    event.preventDefault();
    act();
  }

  #addPointerListeners() {
    const canvas = this.#canvas;
    let last = null;
    let hasMoved = false;
    canvas.addEventListener("pointerdown", (event) => {
      last = event.offsetX;
      hasMoved = false;
      canvas.setPointerCapture(event.pointerId);
    });
    canvas.addEventListener("pointermove", (event) => {
      if (!this.#data) return;
      if (last === null) {
        this.#showStatus(this.#picture.frameAt(event.offsetX, event.offsetY));
        return;
      }
      if (!hasMoved && Math.abs(event.offsetX - last) < 4) return;
      hasMoved = true;
      const view = this.#view();
      view.from -= (event.offsetX - last) * this.#picture.nsPerPixel;
      last = event.offsetX;
      clampView(view, this.#duration());
      this.#onViewChange();
    });
    canvas.addEventListener("pointerup", (event) => {
      if (this.#data && last !== null && !hasMoved) {
        this.#selected = this.#picture.frameAt(event.offsetX, event.offsetY);
        this.draw();
      }
      last = null;
    });
    canvas.addEventListener("pointercancel", () => (last = null));
    canvas.addEventListener("pointerleave", () => {
      if (this.#data && last === null) this.#showStatus();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        // The wheel without Ctrl scrolls the page.
        if (!event.ctrlKey || !this.#data) return;
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#picture.timeAt(event.offsetX));
      },
      { passive: false },
    );
  }
}
