// The page: state in, two runs, pictures out.

import { showAir } from "./air.js";
import { ChannelView, within } from "./channel.js";
import { makeControls } from "./controls.js";
import { byId, copy, darkness, h, table } from "./dom.js";
import { compile, Dropped, Engine, Mistakes } from "./engine.js";
import { Goodput } from "./goodput.js";
import { PRESETS } from "./presets.js";
import { change, figures, goodput, length, said, time } from "./results.js";
import { SCHEMES, toml } from "./scenario.js";
import { decode, encode, SIDES, stateOf } from "./state.js";
import { makeTexts } from "./texts.js";

/* global VERSION */
const NAMES = { a: "A", b: "B" };
/** A run that takes longer shows how far it is [ms]. */
const PATIENCE_MS = 250;

let state = stateOf("anomaly");
/** What each side shows: its scenario, and the document of the run. */
const shown = { a: null, b: null };
/** Hashes that the link names, until something else is run. */
let promised = { a: null, b: null };
let running = 0;

function cannot(sentence) {
  byId("cannot").textContent = sentence;
  byId("cannot").hidden = false;
}

function note(lines) {
  byId("notes").replaceChildren(...lines.map((line) => h("p", { class: "notice" }, line)));
}

/** Text of a side: what the user has written, or what the controls say. */
const textOf = (side) => state.text[side] ?? toml(state.controls, state.scheme[side]);

function start(module) {
  const source = byId("worker").textContent;
  const engine = () => new Engine(module, source);
  const runs = { a: engine(), b: engine() };
  const charts = { a: new Goodput(byId("goodput-a"), "goodput"), b: new Goodput(byId("goodput-b"), "goodput") };
  const view = () => state.view;
  /** Length of the longer of the runs that are shown [ns]. */
  const duration = () => Math.max(1, ...SIDES.map((side) => shown[side]?.document.duration_ns ?? 0));
  const channel = {};
  const moved = async () => {
    showPosition();
    saveLater();
    await Promise.all(SIDES.map((side) => channel[side].show()));
  };
  for (const side of SIDES) {
    channel[side] = new ChannelView(byId(`channel-${side}`), { name: NAMES[side], engine: engine(), view, moved, duration });
  }
  const texts = makeTexts(byId("texts"), {
    written: (side, text) => {
      state.text[side] = text;
      shownControls();
      rerun([side]);
    },
    dropped: (side) => {
      state.text[side] = null;
      shownControls();
      rerun([side]);
    },
  });
  const showControls = makeControls(byId("fields"), () => state, () => {
    shownControls();
    rerun(SIDES.filter((side) => state.text[side] === null));
  });
  byId("fields").addEventListener("submit", (event) => event.preventDefault());

  /** All that shows the state and not the runs. */
  function shownControls() {
    showControls();
    showIdeas();
    for (const side of SIDES) showScheme(side);
    const own = SIDES.filter((side) => state.text[side] !== null).map((side) => NAMES[side]);
    byId("own").hidden = !own.length;
    byId("own").textContent =
      own.length === 2
        ? "Both runs follow the texts that you have written below; the controls change neither."
        : `Run ${own[0]} follows the text that you have written below; the controls change the other one alone.`;
  }

  function showIdeas() {
    byId("ideas").replaceChildren(
      ...Object.entries(PRESETS).map(([id, { name }]) =>
        h("button", { type: "button", "aria-pressed": String(id === state.preset), onclick: () => choose(id) }, name),
      ),
    );
    const { title, says } = PRESETS[state.preset];
    byId("idea").replaceChildren(h("h3", {}, title), h("p", {}, says.join(" ")));
  }

  function choose(id) {
    state = stateOf(id);
    note([]);
    shownControls();
    byId("ideas").querySelector("[aria-pressed=true]").focus();
    rerun(SIDES);
  }

  function showScheme(side) {
    const select = byId(`scheme-${side}`);
    const kinds = new Set(Object.values(SCHEMES).map(({ group }) => group));
    const ofKind = (kind) => Object.entries(SCHEMES).filter(([, { group }]) => group === kind);
    const option = ([id, scheme]) => {
      const needs = scheme.fits?.(state.controls);
      const text = needs ? `${scheme.name} (needs ${needs})` : scheme.name;
      return h("option", { value: id, disabled: Boolean(needs) && id !== state.scheme[side] }, text);
    };
    select.replaceChildren(
      ...[...kinds].map((label) => h("optgroup", { label }, ofKind(label).map(option))),
    );
    select.value = state.scheme[side];
    select.disabled = state.text[side] !== null;
  }

  for (const side of SIDES) {
    byId(`scheme-${side}`).addEventListener("change", ({ target }) => {
      state.scheme[side] = target.value;
      shownControls();
      rerun([side]);
    });
  }

  /** Runs the scenarios of `sides` anew, and shows what comes of it. */
  function rerun(sides) {
    for (const side of sides) {
      const scenario = textOf(side);
      texts.show(side, scenario, state.text[side] !== null);
      run(side, scenario);
    }
  }

  async function run(side, scenario) {
    busy(1);
    // While a control is dragged what comes is of a moment ago: it is shown, and not taken for the last word.
    const isNewest = () => scenario === textOf(side);
    try {
      const document = await runs[side].ask({ scenario }, (done) => progress(side, done));
      shown[side] = { scenario, document };
      if (isNewest()) {
        texts.ran(side, document);
        compare(side, document.record_hash);
      }
      showRun(side);
    } catch (error) {
      if (error instanceof Dropped || !isNewest()) return;
      shown[side] = null;
      promised[side] = null;
      forget(side);
      if (error instanceof Mistakes) texts.mistaken(side, error.list);
      else texts.failed(side, error.message);
      trouble();
    } finally {
      busy(-1);
    }
  }

  function forget(side) {
    byId(`air-${side}`).replaceChildren(h("p", { class: "muted" }, "There is no run."));
    charts[side].clear();
    channel[side].clear();
    showFigures();
  }

  function trouble() {
    const lines = SIDES.filter((side) => texts.trouble(side)).map((side) => `Run ${NAMES[side]}: ${texts.trouble(side)}`);
    byId("trouble").replaceChildren(...lines.map((line) => h("p", { class: "notice bad" }, line)));
  }

  function showRun(side) {
    const { scenario, document } = shown[side];
    trouble();
    showAir(byId(`air-${side}`), document, NAMES[side]);
    showGoodput(side);
    showFigures();
    // A shorter run that is done first does not say where the other one can be looked at.
    if (running === 1) within(state.view, duration());
    showPosition();
    channel[side].set(scenario, document);
    saveLater();
  }

  /** Tells whether a run is the one that the link was made of. */
  function compare(side, hash) {
    const was = promised[side];
    promised[side] = null;
    if (!was) return;
    const name = NAMES[side];
    const line =
      was === hash
        ? `Run ${name} is the one that the link was made of, record by record.`
        : `Run ${name} differs from the one that the link was made of: its records have hash ${hash}, and had ${was}.`;
    byId("notes").append(h("p", { class: "notice" }, line));
  }

  let top = 1;
  /** Both charts have one scale. */
  function showGoodput(changed) {
    const series = SIDES.map((side) => shown[side] && goodput(shown[side].document));
    const before = top;
    const peak = Math.max(0, ...series.flatMap((one) => one?.lines.flatMap((line) => line.values) ?? []));
    top = peak > 0 ? 1.08 * peak : 1;
    SIDES.forEach((side, index) => {
      if (!shown[side] || (side !== changed && top === before)) return;
      charts[side].show(series[index], top, shown[side].document.warmup_ns / 1e9, NAMES[side]);
    });
  }

  function showFigures() {
    const both = SIDES.map((side) => shown[side] && figures(shown[side].document));
    const names = [...new Set(both.flatMap((rows) => rows?.map((row) => row.name) ?? []))];
    const rows = names.map((name) => {
      const [a, b] = both.map((rows) => rows?.find((row) => row.name === name) ?? null);
      const { unit, digits } = a ?? b;
      const value = (row) => (row ? said(row.value, digits) : "–");
      return [unit ? `${name} [${unit}]` : name, value(a), value(b), change(a?.value, b?.value)];
    });
    const hashes = SIDES.map((side) => h("code", {}, shown[side]?.document.record_hash ?? "–"));
    rows.push(["Record hash", ...hashes, ""]);
    byId("figures").replaceChildren(table("Figures of both runs", ["Figure", "Run A", "Run B", "Change"], rows));
    const one = shown.a?.document ?? shown.b?.document;
    const more = one?.replications > 1 ? ` The scenario asks for ${one.replications} replications: here is the first.` : "";
    byId("measured").textContent = one
      ? `Measured from ${one.warmup_ns ? length(one.warmup_ns) : "the start"} to ${length(one.duration_ns)}, in one run each: airfair run --replications 10 says how sure a figure is.${more}`
      : "";
  }

  const done = { a: 0, b: 0 };
  function progress(side, part) {
    done[side] = part;
    byId("progress").value = (done.a + done.b) / 2;
  }

  let patience = null;
  function busy(change) {
    running += change;
    byId("results").setAttribute("aria-busy", String(running > 0));
    if (running === 0) {
      clearTimeout(patience);
      patience = null;
      Object.assign(done, { a: 0, b: 0 });
    } else {
      patience ??= setTimeout(() => busyShown(true), PATIENCE_MS);
    }
    if (running === 0) busyShown(false);
  }

  function busyShown(isShown) {
    byId("progress").hidden = byId("stop").hidden = !isShown;
  }

  byId("stop").addEventListener("click", () => {
    for (const side of SIDES) runs[side].stop();
    note(["Stopped. What was finished is shown."]);
  });

  function showPosition() {
    const { from, length: span } = state.view;
    const input = byId("position");
    const room = duration() - span;
    input.value = room > 0 ? Math.round((1000 * from) / room) : 0;
    input.setAttribute("aria-valuetext", time(from, span / 10));
  }

  byId("position").addEventListener("input", ({ target }) => {
    state.view.from = (Number(target.value) / 1000) * (duration() - state.view.length);
    within(state.view, duration());
    moved();
  });
  const either = () => channel[shown.a ? "a" : "b"];
  const acts = {
    earlier: () => either().pan(-0.5),
    later: () => either().pan(0.5),
    "zoom-in": () => either().zoom(0.5),
    "zoom-out": () => either().zoom(2),
  };
  for (const [id, act] of Object.entries(acts)) byId(id).addEventListener("click", () => shown.a || shown.b ? act() : null);

  let saving = null;
  let saved = location.hash;
  function saveLater() {
    clearTimeout(saving);
    saving = setTimeout(() => {
      const hashes = Object.fromEntries(SIDES.map((side) => [side, shown[side]?.document.record_hash ?? null]));
      saved = `#${encode(state, VERSION, hashes)}`;
      history.replaceState(null, "", saved);
      byId("link").value = location.href;
    }, 300);
  }

  byId("copy-link").addEventListener("click", ({ target }) => copy(byId("link"), target));

  function open() {
    const { state: found, hashes, notes } = decode(location.hash, VERSION);
    state = found;
    promised = hashes;
    note(notes);
    shownControls();
    rerun(SIDES);
  }

  window.addEventListener("hashchange", () => {
    if (location.hash !== saved) open();
  });
  darkness.addEventListener("change", () => {
    for (const side of SIDES) {
      charts[side].redraw();
      channel[side].draw();
    }
  });
  if (matchMedia("(max-width: 64rem)").matches) byId("controls").open = false;
  byId("main").hidden = false;
  open();
}

byId("needs-javascript").remove();
if (typeof WebAssembly !== "object") {
  cannot("This browser has no WebAssembly, or it is switched off: the simulator cannot run here. airfair run does the same on a command line.");
} else {
  compile(byId("engine").textContent.trim()).then(start, (error) =>
    cannot(`The simulator cannot be started in this browser: ${error.message}`),
  );
}
