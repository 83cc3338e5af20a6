// Shows the progress of the runs, once they have taken longer than a moment.

import { byId } from "./dom.js";

/** The time for which a run goes on before its progress is shown [ms]. */
const SHOW_AFTER_MS = 250;

export class Busy {
  #running = 0;
  /** The part of each run that is done, from 0 to 1. */
  #done = { a: 0, b: 0 };
  #timer = null;

  /** `stop` is called when the user presses the stop button. */
  constructor(stop) {
    byId("stop").addEventListener("click", stop);
  }

  /** The number of runs in progress. */
  get running() {
    return this.#running;
  }

  start() {
    this.#running += 1;
    this.#timer ??= setTimeout(() => this.#show(true), SHOW_AFTER_MS);
    this.#mark();
  }

  /** Shows that `part` of the run of `side` is done. */
  progress(side, part) {
    this.#done[side] = part;
    byId("progress").value = (this.#done.a + this.#done.b) / 2;
  }

  end() {
    this.#running -= 1;
    if (this.#running === 0) {
      clearTimeout(this.#timer);
      this.#timer = null;
      this.#done = { a: 0, b: 0 };
      this.#show(false);
    }
    this.#mark();
  }

  #mark() {
    byId("results").setAttribute("aria-busy", String(this.#running > 0));
  }

  #show(isShown) {
    byId("progress").hidden = byId("stop").hidden = !isShown;
  }
}
