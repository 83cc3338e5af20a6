// The engine in its own thread: one run at a time, in slices, so that a newer request is heard while one goes on. A run
// that is nearly done is finished all the same, so that who drags a control sees something.

/** Wall time of a slice [ms]: short enough to be heard, long enough that slicing costs nothing. */
const SLICE_MS = 20;
/** First slice of a run [ns of simulated time]. */
const FIRST_SLICE_NS = 1_000_000n;

let engine = null;
/** Wall time for which a run goes on though there is a newer request [ms]. */
const GRACE_MS = 400;
/** Number of the newest request. */
let newest = 0;

function read(length) {
  const { memory, airfair_output } = engine;
  return new TextDecoder().decode(new Uint8Array(memory.buffer, airfair_output(), length));
}

function open(request) {
  const octets = new TextEncoder().encode(JSON.stringify(request));
  const address = engine.airfair_input(octets.length);
  new Uint8Array(engine.memory.buffer, address, octets.length).set(octets);
  return JSON.parse(read(engine.airfair_open()));
}

/** Lets other messages be handled. */
const breath = new MessageChannel();
let resume = null;
breath.port1.onmessage = () => resume();
function breathe() {
  return new Promise((resolve) => {
    resume = resolve;
    breath.port2.postMessage(null);
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
  const begun = performance.now();
  let told = begun;
  while (now < end) {
    const start = performance.now();
    now = BigInt.asUintN(64, engine.airfair_advance(now + slice));
    const took = performance.now() - start;
    slice = took < SLICE_MS / 2 ? slice * 2n : took > SLICE_MS * 2 ? slice / 2n + 1n : slice;
    if (start - told > 100) {
      told = start;
      postMessage({ id, progress: Number(now) / Number(end) });
    }
    await breathe();
    if (id !== newest && performance.now() - begun > GRACE_MS) {
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
      // A trap leaves the engine as it was in the midst of it: the page makes another worker.
      const said = engine ? read(engine.airfair_failure()) : "";
      postMessage({ id: data.id, failure: said || String(error) });
    }
  });
};
