// The page's side of the engine, which runs in a worker: each request has a promise. A newer request may supersede an older one.

/** Compiles the WebAssembly module that the page contains in base64. */
export async function compile(base64) {
  return WebAssembly.compile(decodeBase64(base64));
}

function decodeBase64(base64) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(base64);
  const letters = atob(base64);
  const bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; i += 1) bytes[i] = letters.charCodeAt(i);
  return bytes;
}

/** The error of a request that was stopped, or superseded by a newer one. */
export class Dropped extends Error {}

/** The error of a request whose scenario is not valid; `list` has the messages of the parser. */
export class Mistakes extends Error {
  constructor(list) {
    super(list.join("\n"));
    this.list = list;
  }
}

/** An engine in a worker of its own. The worker starts with the first request. */
export class Engine {
  #module;
  #source;
  #worker = null;
  /** Callbacks of the requests without an answer, by the request's number. */
  #pending = new Map();
  #number = 0;

  /** `module` is the compiled engine, `source` the script of the worker. */
  constructor(module, source) {
    this.#module = module;
    this.#source = source;
  }

  /**
   * Sends a request, and resolves to its document. `onProgress` is called with the part of the run that is done, from 0 to 1.
   * Rejects with `Dropped` if a newer request supersedes this one, and with `Mistakes` if the scenario is not valid.
   */
  ask(request, onProgress = () => {}) {
    this.#worker ??= this.#start();
    const id = (this.#number += 1);
    return new Promise((resolve, reject) => {
      this.#pending.set(id, { resolve, reject, onProgress });
      this.#worker.postMessage({ id, request });
    });
  }

  /** Ends the worker, and with it all requests, at once. */
  stop() {
    this.#terminate(new Dropped());
  }

  #terminate(error) {
    this.#worker?.terminate();
    this.#worker = null;
    const pending = [...this.#pending.values()];
    this.#pending.clear();
    for (const { reject } of pending) reject(error);
  }

  #start() {
    const url = URL.createObjectURL(new Blob([this.#source], { type: "text/javascript" }));
    const worker = new Worker(url);
    URL.revokeObjectURL(url);
    worker.postMessage({ module: this.#module });
    worker.onmessage = ({ data }) => this.#onMessage(data);
    worker.onerror = (event) => this.#terminate(new Error(event.message || "the worker cannot be started"));
    return worker;
  }

  #onMessage({ id, progress, mistakes, document, failure }) {
    // A panic leaves the engine in an unknown state: the next request starts a new worker.
    if (failure) this.#terminate(new Error(failure));
    const request = this.#pending.get(id);
    if (!request) return;
    if (progress !== undefined) {
      request.onProgress(progress);
      return;
    }
    this.#pending.delete(id);
    if (document) request.resolve(JSON.parse(document));
    else request.reject(mistakes ? new Mistakes(mistakes) : new Dropped());
  }
}
