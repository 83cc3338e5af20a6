// The page: state in, two runs, pictures out.

import { showAir } from "./air.js";
import { Busy } from "./busy.js";
import { ChannelView, within } from "./channel.js";
import { makePresets, makeSchemes } from "./choices.js";
import { makeControls } from "./controls.js";
import { byId, copy, darkness, h } from "./dom.js";
import { compile, Dropped, Engine, Mistakes } from "./engine.js";
import { showFigures } from "./figures.js";
import { Goodput } from "./goodput.js";
import { goodput, time } from "./results.js";
import { toml } from "./scenario.js";
import { decode, encode, SIDES, stateOf } from "./state.js";
import { makeTexts } from "./texts.js";

/* global VERSION */
const NAMES = { a: "A", b: "B" };
/** A pause in what is changed after which the link is written [ms]. */
const PAUSE_MS = 300;

const each = (make) => Object.fromEntries(SIDES.map((side) => [side, make(side)]));

function note(lines) {
  byId("notes").replaceChildren(...lines.map((line) => h("p", { class: "notice" }, line)));
}

class Page {
  #state = stateOf("anomaly");
  /** What each side shows: its scenario and the document of the run, or null. */
  #shown = each(() => null);
  /** Hashes that the link names, until something else is run. */
  #promised = each(() => null);
  /** Scale of both charts [Mb/s]. */
  #top = 1;
  #saving = null;
  /** The page's own part of its address. */
  #saved = null;

  constructor(module, source) {
    const engine = () => new Engine(module, source);
    this.engines = each(engine);
    this.charts = each((side) => new Goodput(byId(`goodput-${side}`), "goodput"));
    this.channels = each(
      (side) =>
        new ChannelView(byId(`channel-${side}`), {
          name: NAMES[side],
          engine: engine(),
          view: () => this.#state.view,
          moved: () => this.#move(),
          duration: () => this.#duration(),
        }),
    );
    this.busy = new Busy(() => this.#stop());
    this.texts = makeTexts(byId("texts"), {
      written: (side, text) => this.#write(side, text),
      dropped: (side) => this.#write(side, null),
    });
    this.showPreset = makePresets((preset) => this.#choose(preset));
    this.showSchemes = makeSchemes((side, scheme) => {
      this.#state.scheme[side] = scheme;
      this.#showState();
      this.#rerun([side]);
    });
    this.showControls = makeControls(byId("fields"), () => this.#state, () => {
      this.#showState();
      this.#rerun(SIDES.filter((side) => this.#state.text[side] === null));
    });
    this.#listen();
  }

  #listen() {
    byId("fields").addEventListener("submit", (event) => event.preventDefault());
    byId("copy-link").addEventListener("click", ({ target }) => copy(byId("link"), target));
    byId("position").addEventListener("input", ({ target }) => {
      const { view } = this.#state;
      view.from = (Number(target.value) / 1000) * (this.#duration() - view.length);
      within(view, this.#duration());
      this.#move();
    });
    const acts = {
      earlier: (channel) => channel.pan(-0.5),
      later: (channel) => channel.pan(0.5),
      "zoom-in": (channel) => channel.zoom(0.5),
      "zoom-out": (channel) => channel.zoom(2),
    };
    for (const [id, act] of Object.entries(acts)) {
      byId(id).addEventListener("click", () => this.#duration() > 0 && act(this.channels.a));
    }
    window.addEventListener("hashchange", () => {
      if (location.hash !== this.#saved) this.open();
    });
    darkness.addEventListener("change", () => {
      for (const side of SIDES) {
        this.charts[side].redraw();
        this.channels[side].draw();
      }
    });
  }

  /** Shows what the address says. */
  open() {
    const { state, hashes, notes } = decode(location.hash, VERSION);
    this.#state = state;
    this.#promised = hashes;
    note(notes);
    this.#showState();
    this.#rerun(SIDES);
  }

  #choose(preset) {
    // Whoever goes back finds what was there, and what was written.
    this.#save();
    history.pushState(null, "", location.href);
    this.#state = stateOf(preset);
    note([]);
    this.#showState();
    this.#rerun(SIDES);
  }

  /** A run follows a text that the user has written, or the controls again. */
  #write(side, text) {
    this.#state.text[side] = text;
    this.#showState();
    this.#rerun([side]);
  }

  /** All that shows the state and not the runs. */
  #showState() {
    const state = this.#state;
    this.showControls();
    this.showPreset(state.preset);
    this.showSchemes(state);
    const own = SIDES.filter((side) => state.text[side] !== null).map((side) => NAMES[side]);
    byId("own").hidden = !own.length;
    byId("own").textContent =
      own.length === 2
        ? "Both runs follow the texts that you have written below; the controls change neither."
        : `Run ${own[0]} follows the text that you have written below; the controls change the other one alone.`;
  }

  /** Text of a side: what the user has written, or what the controls say. */
  #textOf(side) {
    const { text, controls, scheme } = this.#state;
    return text[side] ?? toml(controls, scheme[side]);
  }

  /** Runs the scenarios of `sides` anew, and shows what comes of it. */
  #rerun(sides) {
    for (const side of sides) {
      const scenario = this.#textOf(side);
      this.texts.show(side, scenario, this.#state.text[side] !== null);
      this.#run(side, scenario);
    }
  }

  async #run(side, scenario) {
    this.busy.start();
    // While a control is dragged what comes is of a moment ago: it is shown, and not taken for the last word.
    const isNewest = () => scenario === this.#textOf(side);
    try {
      const tell = (part) => this.busy.progress(side, part);
      const document = await this.engines[side].ask({ scenario }, tell);
      this.#shown[side] = { scenario, document };
      if (isNewest()) {
        this.texts.ran(side, document);
        this.#compare(side, document.record_hash);
      }
      this.#showRun(side);
    } catch (error) {
      if (!(error instanceof Dropped) && isNewest()) this.#forget(side, error);
    } finally {
      this.busy.end();
    }
  }

  #stop() {
    for (const side of SIDES) this.engines[side].stop();
    note(["Stopped. What was finished is shown."]);
  }

  /** A side has no run, and why. */
  #forget(side, error) {
    this.#shown[side] = this.#promised[side] = null;
    byId(`air-${side}`).replaceChildren(h("p", { class: "muted" }, "There is no run."));
    this.charts[side].clear();
    this.channels[side].clear();
    if (error instanceof Mistakes) this.texts.mistaken(side, error.list);
    else this.texts.failed(side, error.message);
    this.#showTrouble();
    showFigures(this.#documents());
    this.#saveLater();
  }

  #documents() {
    return SIDES.map((side) => this.#shown[side]?.document ?? null);
  }

  #showTrouble() {
    const troubles = SIDES.map((side) => [NAMES[side], this.texts.trouble(side)]);
    const lines = troubles.filter(([, trouble]) => trouble).map(([name, trouble]) => `Run ${name}: ${trouble}`);
    byId("trouble").replaceChildren(...lines.map((line) => h("p", { class: "notice bad" }, line)));
  }

  #showRun(side) {
    const { scenario, document } = this.#shown[side];
    this.#showTrouble();
    showAir(byId(`air-${side}`), document, NAMES[side]);
    this.#showGoodput(side);
    showFigures(this.#documents());
    // A shorter run that is done first does not say where the other one can be looked at.
    if (this.busy.running === 1) within(this.#state.view, this.#duration());
    this.#showPosition();
    this.channels[side].set(scenario, document);
    this.#saveLater();
  }

  /** Shows the goodput of a side, and that of the other one if their scale has changed. */
  #showGoodput(changed) {
    const documents = this.#documents();
    const series = documents.map((document) => document && goodput(document));
    const peak = Math.max(0, ...series.flatMap((one) => one?.lines.flatMap((line) => line.values) ?? []));
    const before = this.#top;
    this.#top = peak > 0 ? 1.08 * peak : 1;
    SIDES.forEach((side, index) => {
      if (!documents[index] || (side !== changed && this.#top === before)) return;
      const from = documents[index].warmup_ns / 1e9;
      this.charts[side].show(series[index], this.#top, from, NAMES[side]);
    });
  }

  /** Tells whether a run is the one that the link was made of. */
  #compare(side, hash) {
    const was = this.#promised[side];
    this.#promised[side] = null;
    if (!was) return;
    const name = NAMES[side];
    const line =
      was === hash
        ? `Run ${name} is the one that the link was made of, record by record.`
        : `Run ${name} differs from the one that the link was made of: its records have hash ${hash}, and had ${was}.`;
    byId("notes").append(h("p", { class: "notice" }, line));
  }

  /** Length of the longer of the runs that are shown [ns]. */
  #duration() {
    return Math.max(0, ...this.#documents().map((document) => document?.duration_ns ?? 0));
  }

  /** The part of the channel that is shown has changed. */
  async #move() {
    this.#showPosition();
    this.#saveLater();
    await Promise.all(SIDES.map((side) => this.channels[side].show()));
  }

  #showPosition() {
    const { from, length } = this.#state.view;
    const input = byId("position");
    const room = this.#duration() - length;
    input.value = room > 0 ? Math.round((1000 * from) / room) : 0;
    input.setAttribute("aria-valuetext", time(from, length / 10));
  }

  /** Writes the link, once nothing has changed for a while. */
  #saveLater() {
    clearTimeout(this.#saving);
    this.#saving = setTimeout(() => this.#save(), PAUSE_MS);
  }

  #save() {
    clearTimeout(this.#saving);
    const hashes = each((side) => this.#shown[side]?.document.record_hash ?? null);
    this.#saved = `#${encode(this.#state, VERSION, hashes)}`;
    history.replaceState(null, "", this.#saved);
    byId("link").value = location.href;
  }
}

function cannot(sentence) {
  byId("cannot").textContent = sentence;
  byId("cannot").hidden = false;
}

function start(module) {
  if (matchMedia("(max-width: 64rem)").matches) byId("controls").open = false;
  byId("main").hidden = false;
  new Page(module, byId("worker").textContent).open();
}

byId("needs-javascript").remove();
if (typeof WebAssembly !== "object") {
  cannot("This browser has no WebAssembly, or it is switched off: the simulator cannot run here. airfair run does the same on a command line.");
} else {
  compile(byId("engine").textContent.trim()).then(start, (error) =>
    cannot(`The simulator cannot be started in this browser: ${error.message}`),
  );
}
