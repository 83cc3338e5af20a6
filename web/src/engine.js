// The engine as the page has it: requests with promises, of which a newer one drops an older one.

/** Compiles the module that the page carries. */
export async function compile(base64) {
  return WebAssembly.compile(octets(base64));
}

function octets(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const found = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) found[i] = letters.charCodeAt(i);
  return found;
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
  #asked = new Map();
  #number = 0;

  constructor(module, source) {
    this.#module = module;
    this.#source = source;
  }

  /** The document that `request` asks for; `tell` learns how much of it is done. An older request may be dropped. */
  ask(request, tell = () => {}) {
    this.#worker ??= this.#start();
    const id = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#asked.set(id, { resolve, reject, tell });
      this.#worker.postMessage({ id, request });
    });
  }

  /** Ends what is going on, at once. */
  stop() {
    this.#end(new Dropped());
  }

  #end(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const asked = [...this.#asked.values()];
    this.#asked.clear();
    for (const { reject } of asked) reject(error);
  }

  #start() {
    const url = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.postMessage({ module: this.#module });
    worker.onmessage = ({ data }) => this.#hear(data);
    worker.onerror = (event) => this.#end(new Error(event.message || "the worker cannot be started"));
    return worker;
  }

  #hear({ id, progress, mistakes, document, failure }) {
    // After a panic nothing in the worker can be relied on: the next request has a new one.
    if (failure) this.#end(new Error(failure));
    const asked = this.#asked.get(id);
    if (!asked) return;
    if (progress !== undefined) {
      asked.tell(progress);
      return;
    }
    this.#asked.delete(id);
    if (document) asked.resolve(JSON.parse(document));
    else asked.reject(mistakes ? new Mistakes(mistakes) : new Dropped());
  }
}
