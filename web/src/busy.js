// How far the runs are, once they take longer than a moment.

import { byId } from "./dom.js";

/** Time after which progress is shown [ms]. */
const PATIENCE_MS = 250;

export class Busy {
  #running = 0;
  #done = { a: 0, b: 0 };
  #patience = null;

  constructor(stop) {
    byId("stop").addEventListener("click", stop);
  }

  /** Number of runs that go on. */
  get running() {
    return this.#running;
  }

  start() {
    this.#running += 1;
    this.#patience ??= setTimeout(() => this.#show(true), PATIENCE_MS);
    this.#mark();
  }

  progress(side, part) {
    this.#done[side] = part;
    byId("progress").value = (this.#done.a + this.#done.b) / 2;
  }

  end() {
    this.#running -= 1;
    if (this.#running === 0) {
      clearTimeout(this.#patience);
      this.#patience = null;
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
