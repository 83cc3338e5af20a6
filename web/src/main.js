// The page: runs the scenarios that the controls or the user's texts describe, and shows their results.

import { showAir } from "./air.js";
import { Busy } from "./busy.js";
import { ChannelView, clampView } from "./channel.js";
import { makePresets, makeSchemes } from "./choices.js";
import { makeControls } from "./controls.js";
import { byId, copy, darkness, h } from "./dom.js";
import { compile, Dropped, Engine, Mistakes } from "./engine.js";
import { showFigures } from "./figures.js";
import { Goodput } from "./goodput.js";
import { goodput, timeText } from "./results.js";
import { toml } from "./scenario.js";
import { decode, encode, SIDES, stateOf } from "./state.js";
import { makeTexts } from "./texts.js";

/* global VERSION */
const NAMES = { a: "A", b: "B" };
/** The time without a change after which the link is updated [ms]. */
const PAUSE_MS = 300;

/** An object with `make(side)` for each side. */
const each = (make) => Object.fromEntries(SIDES.map((side) => [side, make(side)]));

function note(lines) {
  byId("notes").replaceChildren(...lines.map((line) => h("p", { class: "notice" }, line)));
}

class Page {
  #state = stateOf("anomaly");
  /** The run that each side shows: its scenario's text and its document, or null. */
  #runs = each(() => null);
  /** The record hash that the link has for each side; null once it has been compared with the run's. */
  #linkHashes = each(() => null);
  /** The upper end of the vertical axis of both charts [Mb/s]. */
  #top = 1;
  #saveTimer = null;
  /** The fragment that the page has written into its address. */
  #fragment = null;

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
          onViewChange: () => this.#showView(),
          duration: () => this.#duration(),
        }),
    );
    this.busy = new Busy(() => this.#stop());
    this.texts = makeTexts(byId("texts"), {
      onEdit: (side, text) => this.#setText(side, text),
      onReset: (side) => this.#setText(side, null),
    });
    this.showPreset = makePresets((preset) => this.#choosePreset(preset));
    this.showSchemes = makeSchemes((side, scheme) => {
      this.#state.scheme[side] = scheme;
      this.#showState();
      this.#rerun([side]);
    });
    this.showControls = makeControls(byId("fields"), () => this.#state, () => {
      this.#showState();
      this.#rerun(SIDES.filter((side) => this.#state.text[side] === null));
    });
    this.#addListeners();
  }

  #addListeners() {
    byId("fields").addEventListener("submit", (event) => event.preventDefault());
    byId("copy-link").addEventListener("click", ({ target }) => copy(byId("link"), target));
    byId("position").addEventListener("input", ({ target }) => {
      const { view } = this.#state;
      view.from = (Number(target.value) / 1000) * (this.#duration() - view.length);
      clampView(view, this.#duration());
      this.#showView();
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
      if (location.hash !== this.#fragment) this.open();
    });
    darkness.addEventListener("change", () => {
      for (const side of SIDES) {
        this.charts[side].redraw();
        this.channels[side].draw();
      }
    });
  }

  /** Shows the state that the address describes. */
  open() {
    const { state, hashes, notes } = decode(location.hash, VERSION);
    this.#state = state;
    this.#linkHashes = hashes;
    note(notes);
    this.#showState();
    this.#rerun(SIDES);
  }

  #choosePreset(preset) {
    // The browser's back button leads to the present state, with the texts that the user has written.
    this.#save();
    history.pushState(null, "", location.href);
    this.#state = stateOf(preset);
    note([]);
    this.#showState();
    this.#rerun(SIDES);
  }

  /** Sets the text that a run follows: one that the user has written, or null to follow the controls. */
  #setText(side, text) {
    this.#state.text[side] = text;
    this.#showState();
    this.#rerun([side]);
  }

  /** Shows the state in the controls, the presets and the lists of schemes. */
  #showState() {
    const state = this.#state;
    this.showControls();
    this.showPreset(state.preset);
    this.showSchemes(state);
    const own = SIDES.filter((side) => state.text[side] !== null).map((side) => NAMES[side]);
    byId("own").hidden = !own.length;
    byId("own").textContent =
      own.length === 2
        ? "Both runs follow the texts that you have written below; the controls change neither run."
        : `Run ${own[0]} follows the text that you have written below; the controls change only the other run.`;
  }

  /** Returns the scenario's text of a side: the user's own, or the one that the controls describe. */
  #textOf(side) {
    const { text, controls, scheme } = this.#state;
    return text[side] ?? toml(controls, scheme[side]);
  }

  /** Runs the scenarios of `sides` again, and shows the results. */
  #rerun(sides) {
    for (const side of sides) {
      const scenario = this.#textOf(side);
      this.texts.show(side, scenario, this.#state.text[side] !== null);
      this.#run(side, scenario);
    }
  }

  async #run(side, scenario) {
    this.busy.start();
    // While the user drags a control, a run can end whose scenario is no longer the newest one. Its result is shown, but
    // neither its hash nor its error.
    const isNewest = () => scenario === this.#textOf(side);
    try {
      const onProgress = (part) => this.busy.progress(side, part);
      const document = await this.engines[side].ask({ scenario }, onProgress);
      this.#runs[side] = { scenario, document };
      if (isNewest()) {
        this.texts.ran(side, document);
        this.#compareHash(side, document.record_hash);
      }
      this.#showRun(side);
    } catch (error) {
      if (!(error instanceof Dropped) && isNewest()) this.#showFailure(side, error);
    } finally {
      this.busy.end();
    }
  }

  #stop() {
    for (const side of SIDES) this.engines[side].stop();
    note(["Stopped. The page shows the runs that were finished."]);
  }

  /** Shows that the run of a side failed with `error`. */
  #showFailure(side, error) {
    this.#runs[side] = this.#linkHashes[side] = null;
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
    return SIDES.map((side) => this.#runs[side]?.document ?? null);
  }

  #showTrouble() {
    const troubles = SIDES.map((side) => [NAMES[side], this.texts.trouble(side)]);
    const lines = troubles.filter(([, trouble]) => trouble).map(([name, trouble]) => `Run ${name}: ${trouble}`);
    byId("trouble").replaceChildren(...lines.map((line) => h("p", { class: "notice bad" }, line)));
  }

  #showRun(side) {
    const { scenario, document } = this.#runs[side];
    this.#showTrouble();
    showAir(byId(`air-${side}`), document, NAMES[side]);
    this.#showGoodput(side);
    showFigures(this.#documents());
    // The view is limited by the longer run, which is known once only this run is left.
    if (this.busy.running === 1) clampView(this.#state.view, this.#duration());
    this.#showPosition();
    this.channels[side].set(scenario, document);
    this.#saveLater();
  }

  /** Shows the goodput of the side `changed`, and that of the other side if their common scale has changed. */
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

  /** Notes whether a run has the record hash that the link has for it. */
  #compareHash(side, hash) {
    const expected = this.#linkHashes[side];
    this.#linkHashes[side] = null;
    if (!expected) return;
    const name = NAMES[side];
    const line =
      expected === hash
        ? `Run ${name} has the same records as the run from which the link was made.`
        : `Run ${name} differs from the run from which the link was made: its record hash is ${hash}, and was ${expected}.`;
    byId("notes").append(h("p", { class: "notice" }, line));
  }

  /** The duration of the longer of the runs that are shown [ns]. */
  #duration() {
    return Math.max(0, ...this.#documents().map((document) => document?.duration_ns ?? 0));
  }

  /** Shows the part of the runs that `#state.view` names, in both channels. */
  async #showView() {
    this.#showPosition();
    this.#saveLater();
    await Promise.all(SIDES.map((side) => this.channels[side].show()));
  }

  #showPosition() {
    const { from, length } = this.#state.view;
    const input = byId("position");
    const room = this.#duration() - length;
    input.value = room > 0 ? Math.round((1000 * from) / room) : 0;
    input.setAttribute("aria-valuetext", timeText(from, length / 10));
  }

  /** Updates the link once nothing has changed for `PAUSE_MS`. */
  #saveLater() {
    clearTimeout(this.#saveTimer);
    this.#saveTimer = setTimeout(() => this.#save(), PAUSE_MS);
  }

  #save() {
    clearTimeout(this.#saveTimer);
    const hashes = each((side) => this.#runs[side]?.document.record_hash ?? null);
    this.#fragment = `#${encode(this.#state, VERSION, hashes)}`;
    history.replaceState(null, "", this.#fragment);
    byId("link").value = location.href;
  }
}

/** Shows why the page cannot run. */
function showFatal(sentence) {
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
  showFatal("This browser has no WebAssembly, or it is switched off: the simulator cannot run here. airfair run runs the same simulator on a command line.");
} else {
  compile(byId("engine").textContent.trim()).then(start, (error) =>
    showFatal(`The simulator cannot be started in this browser: ${error.message}`),
  );
}
