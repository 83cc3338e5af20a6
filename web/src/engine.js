// The engine as the page has it: requests with promises, of which a newer one drops an older one.

/** Compiles the module that the page carries. */
export function compile(base64) {
  const octets = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
  return WebAssembly.compile(octets);
}

/** A run that a newer one has taken the place of. */
export class Dropped extends Error {}

/** Mistakes of a scenario, as the parser tells them. */
export class Mistakes extends Error {
  constructor(list) {
    super(list.join("\n"));
    this.list = list;
  }
}

/** One worker with the engine in it. */
export class Engine {
  #module;
  #source;
  #worker = null;
  #asked = null;
  #number = 0;

  constructor(module, source) {
    this.#module = module;
    this.#source = source;
  }

  /** The document that `request` asks for; `tell` learns how much of it is done. */
  ask(request, tell = () => {}) {
    this.#asked?.reject(new Dropped());
    this.#worker ??= this.#start();
    const id = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#asked = { id, resolve, reject, tell };
      this.#worker.postMessage({ id, request });
    });
  }

  /** Ends what is going on, at once. */
  stop() {
    this.#worker?.terminate();
    this.#worker = null;
    this.#asked?.reject(new Dropped());
    this.#asked = null;
  }

  #start() {
    const url = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.postMessage({ module: this.#module });
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => this.#fail(event.message || "the worker cannot be started");
    return worker;
  }

  #hear({ id, progress, mistakes, document, failure }) {
    if (failure) this.#fail(failure);
    if (id !== this.#asked?.id) return;
    const { resolve, reject, tell } = this.#asked;
    if (progress !== undefined) return tell(progress);
    if (mistakes) reject(new Mistakes(mistakes));
    if (document) resolve(JSON.parse(document));
    if (mistakes || document) this.#asked = null;
  }

  /** After a panic nothing in the worker can be relied on: the next request has a new one. */
  #fail(sentence) {
    const asked = this.#asked;
    this.#asked = null;
    this.stop();
    asked?.reject(new Error(sentence));
  }
}
