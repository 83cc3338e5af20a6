// The engine in a worker of its own. It runs one request at a time, in slices between which it receives newer requests. A newer
// request ends a run, but not within its first `GRACE_MS`: a user who drags a control sees the results of short runs.

/** The wall time of a slice [ms]: short enough to receive requests soon, long enough that slicing costs little. */
const SLICE_MS = 20;
/** The first slice of a run [ns of simulated time]. */
const FIRST_SLICE_NS = 1_000_000n;

let engine = null;
/** The wall time for which a run goes on although there is a newer request [ms]. */
const GRACE_MS = 400;
/** The number of the newest request. */
let newest = 0;

/** Reads the engine's output of a length in octets. */
function read(length) {
  const { memory, airfair_output } = engine;
  return new TextDecoder().decode(new Uint8Array(memory.buffer, airfair_output(), length));
}

/** Passes a request to the engine. Returns the mistakes of its scenario, or the time until which to simulate. */
function open(request) {
  const octets = new TextEncoder().encode(JSON.stringify(request));
  const address = engine.airfair_input(octets.length);
  new Uint8Array(engine.memory.buffer, address, octets.length).set(octets);
  return JSON.parse(read(engine.airfair_open()));
}

// A message to oneself: the messages that arrived before it are handled first.
const channel = new MessageChannel();
let resume = null;
channel.port1.onmessage = () => resume();
function handleMessages() {
  return new Promise((resolve) => {
    resume = resolve;
    channel.port2.postMessage(null);
  });
}

async function run(id, request) {
  const answer = open(request);
  if (answer.mistakes) {
    postMessage({ id, mistakes: answer.mistakes });
    return;
  }
  const end = BigInt(answer.until_ns);
  let now = 0n;
  let slice = FIRST_SLICE_NS;
  const started = performance.now();
  let reported = started;
  while (now < end) {
    const start = performance.now();
    now = BigInt.asUintN(64, engine.airfair_advance(now + slice));
    const took = performance.now() - start;
    slice = took < SLICE_MS / 2 ? slice * 2n : took > SLICE_MS * 2 ? slice / 2n + 1n : slice;
    if (start - reported > 100) {
      reported = start;
      postMessage({ id, progress: Number(now) / Number(end) });
    }
    await handleMessages();
    if (id !== newest && performance.now() - started > GRACE_MS) {
      postMessage({ id, dropped: true });
      return;
    }
  }
  postMessage({ id, document: read(engine.airfair_finish()) });
}

let last = Promise.resolve();
self.onmessage = ({ data }) => {
  if (data.module) {
    engine = new WebAssembly.Instance(data.module, {}).exports;
    return;
  }
  newest = data.id;
  last = last.then(async () => {
    if (data.id !== newest) {
      postMessage({ id: data.id, dropped: true });
      return;
    }
    try {
      await run(data.id, data.request);
    } catch (error) {
      // A trap leaves the engine in an unknown state: the page starts another worker.
      const panic = engine ? read(engine.airfair_failure()) : "";
      postMessage({ id: data.id, failure: panic || String(error) });
    }
  });
};
