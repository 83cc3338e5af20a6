// The channel of a run: its picture, what is selected in it, steps and jumps, and the same as a table.

import { Dropped } from "./engine.js";
import { h, table } from "./dom.js";
import { length, time } from "./results.js";
import { describe, MOST_ROWS, Picture } from "./picture.js";

const MOST_IN_TABLE = 200;
const SHORTEST = 200e3;
const LONGEST = 2e9;

/** Keeps a view within a run. */
export function within(view, duration) {
  view.length = Math.min(Math.max(view.length, SHORTEST), LONGEST, duration);
  view.from = Math.round(Math.min(Math.max(view.from, 0), duration - view.length));
  view.length = Math.round(view.length);
}

export class ChannelView {
  #name;
  #engine;
  #moved;
  #view;
  #duration;
  #picture;
  #canvas;
  #says;
  #rows;
  #details;
  #scenario = null;
  #document = null;
  #data = null;
  /** True if `#data` is of another run. */
  #isStale = false;
  #selected = -1;

  /** `view()` is the part of the runs that all show, of `duration()` at most; `moved` is called after it has been changed. */
  constructor(root, { name, engine, view, moved, duration }) {
    this.#name = name;
    this.#engine = engine;
    this.#moved = moved;
    this.#view = view;
    this.#duration = duration;
    const button = (text, label, act) =>
      h("button", { type: "button", onclick: act, "aria-label": `${label} of run ${name}` }, text);
    this.#canvas = h("canvas", { "aria-hidden": "true" });
    this.#says = h("output", { class: "says" });
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
        onkeydown: (event) => this.#press(event),
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
      h("p", { class: "muted" }, this.#says),
      this.#details,
    );
    this.#picture = new Picture(this.#canvas);
    this.#listen();
    new ResizeObserver(() => this.draw()).observe(box);
  }

  /** Another run: its text and figures. */
  async set(scenario, document) {
    this.#scenario = scenario;
    this.#document = document;
    // What is drawn stays until there is something else to draw.
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
    this.#says.textContent = "";
    this.#rows.replaceChildren();
  }

  /** Shows the view; asks the engine for it where it is not at hand. */
  async show() {
    if (!this.#scenario) return;
    if (this.#holds()) {
      this.draw();
      return;
    }
    const { from, length: span } = this.#view();
    const margin = span < LONGEST / 2 ? span : 0;
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
      if (!(error instanceof Dropped)) this.#says.textContent = error.message;
    }
  }

  /** True if what is at hand has all of the view that there is. */
  #holds() {
    const { from, length: span } = this.#view();
    if (!this.#data || this.#isStale) return false;
    const { from_ns: first, to_ns: last } = this.#data;
    return first <= from && (from + span <= last || last >= this.#document.duration_ns);
  }

  draw() {
    if (!this.#data || this.#canvas.clientWidth === 0) return;
    this.#picture.draw(this.#data, this.#view(), this.#selected);
    this.#tell();
    this.#tabulate();
  }

  /** Places of the frames in the view. */
  #visible() {
    const { frames } = this.#data;
    const { from, length: span } = this.#view();
    const isIn = (i) => frames.end_ns[i] > from && frames.start_ns[i] < from + span;
    return frames.start_ns.flatMap((_, i) => (isIn(i) ? [i] : []));
  }

  #tell(place = this.#selected) {
    const { from, length: span } = this.#view();
    const rows = this.#data.rows.length;
    const hidden = rows > MOST_ROWS ? ` The first ${MOST_ROWS} of ${rows} members are drawn.` : "";
    const cut = from + span > this.#data.to_ns && this.#data.to_ns < this.#document.duration_ns;
    const upTo = cut ? ` Frames are shown up to ${time(this.#data.to_ns, 1e3)}: zoom in for the others.` : "";
    if (place >= 0) {
      const it = describe(this.#data, place);
      this.#says.textContent = `${it.kind} from ${it.from} to ${it.to}, ${it.octets} at ${it.rate}, ${it.lasts} from ${it.start}: ${it.fate}.${upTo}${hidden}`;
      return;
    }
    if (from >= this.#document.duration_ns) {
      this.#says.textContent = `The run is over: it ends at ${time(this.#document.duration_ns, 1e6)}.`;
      return;
    }
    const here = this.#visible();
    const collided = here.filter((i) => this.#data.frames.fate[i] === "collided").length;
    const where = `${time(from, span / 100)}, ${length(span)}`;
    this.#says.textContent = here.length
      ? `From ${where}: ${here.length} frames, ${collided} of them collided.${upTo}${hidden}`
      : `From ${where}: nothing is on the air.${upTo}${hidden}`;
  }

  #tabulate() {
    if (!this.#details.open || !this.#data) return;
    const here = this.#visible();
    const rows = here.slice(0, MOST_IN_TABLE).map((i) => {
      const it = describe(this.#data, i);
      return [it.start, it.lasts, it.kind, it.from, it.to, it.rate, it.octets, it.fate];
    });
    const head = ["Start", "Lasts", "Frame", "From", "To", "Rate", "Size", "Fate"];
    const more = here.length > rows.length ? [h("p", {}, `The first ${rows.length} of ${here.length}.`)] : [];
    this.#rows.replaceChildren(table(`Frames of run ${this.#name}`, head, rows), ...more);
  }

  /** Time from which steps and jumps count. */
  #here() {
    const { from, length: span } = this.#view();
    return this.#selected >= 0 ? this.#data.frames.start_ns[this.#selected] : from + span / 2;
  }

  /** Selects the frame that starts at a time, with that time in the middle of the view. */
  async #goTo(ns, isFar) {
    const view = this.#view();
    if (isFar || ns < view.from + view.length * 0.1 || ns > view.from + view.length * 0.9) {
      view.from = ns - view.length / 2;
    }
    within(view, this.#duration());
    if (this.#holds()) this.#selected = this.#data.frames.start_ns.indexOf(ns);
    await this.#moved();
    if (this.#data) this.#selected = this.#data.frames.start_ns.indexOf(ns);
    this.draw();
  }

  async step(direction) {
    if (!this.#data) return;
    const { start_ns: starts } = this.#data.frames;
    const here = this.#here();
    let place = this.#selected + direction;
    if (this.#selected < 0) {
      place = direction > 0 ? starts.findIndex((at) => at >= here) : starts.findLastIndex((at) => at < here);
    }
    if (place >= 0 && place < starts.length) {
      this.#selected = place;
      await this.#goTo(starts[place], false);
      // Frames that collide start at one instant: the place tells them apart.
      if (this.#data.frames.start_ns[place] === starts[place]) this.#selected = place;
      this.draw();
      return;
    }
    // There is none in what is at hand: the reader is taken on by a view.
    const view = this.#view();
    view.from += direction * view.length;
    within(view, this.#duration());
    this.#selected = -1;
    await this.#moved();
  }

  async jump(direction) {
    if (!this.#document) return;
    const { start_ns: starts, is_cut: isCut } = this.#document.collisions;
    const here = this.#here();
    const place =
      direction > 0 ? starts.findIndex((at) => at > here) : starts.findLastIndex((at) => at < here);
    if (place < 0) {
      const side = direction > 0 ? "after" : "before";
      const known = isCut && direction > 0 ? ` The first ${starts.length} are known.` : "";
      this.#says.textContent = `No collision ${side} ${time(here, 1e3)}.${known}`;
      return;
    }
    await this.#goTo(starts[place], true);
    this.#says.textContent = `Collision ${place + 1} of ${starts.length}${isCut ? " that are known" : ""}. ${this.#says.textContent}`;
  }

  /** Zooms by a factor about a time. */
  zoom(factor, about) {
    const view = this.#view();
    const middle = about ?? view.from + view.length / 2;
    const before = (middle - view.from) / view.length;
    view.length *= factor;
    within(view, this.#duration());
    view.from = middle - before * view.length;
    within(view, this.#duration());
    return this.#moved();
  }

  /** Moves the view by a part of its length. */
  pan(part) {
    const view = this.#view();
    view.from += part * view.length;
    within(view, this.#duration());
    return this.#moved();
  }

  #press(event) {
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

  #listen() {
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
        this.#tell(this.#picture.frameAt(event.offsetX, event.offsetY));
        return;
      }
      if (!hasMoved && Math.abs(event.offsetX - last) < 4) return;
      hasMoved = true;
      const view = this.#view();
      view.from -= (event.offsetX - last) * this.#picture.nsPerPixel;
      last = event.offsetX;
      within(view, this.#duration());
      this.#moved();
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
      if (this.#data && last === null) this.#tell();
    });
    canvas.addEventListener(
      "wheel",
      (event) => {
        // The wheel alone scrolls the page.
        if (!event.ctrlKey || !this.#data) return;
        event.preventDefault();
        this.zoom(event.deltaY > 0 ? 1.25 : 0.8, this.#picture.timeAt(event.offsetX));
      },
      { passive: false },
    );
  }
}
