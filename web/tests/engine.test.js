import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Dropped, Engine, Mistakes } from "../src/engine.js";

/** The workers that have been made. Each records the messages that it `received`; its method `send` sends a message back. */
let workers = [];

beforeEach(() => {
  workers = [];
  globalThis.Worker = class {
    received = [];
    isEnded = false;
    constructor() {
      workers.push(this);
    }
    postMessage(message) {
      this.received.push(message);
    }
    terminate() {
      this.isEnded = true;
    }
    send(data) {
      this.onmessage({ data });
    }
  };
  URL.createObjectURL = () => "blob:";
  URL.revokeObjectURL = () => {};
});

test("a request yields its progress and then its document", async () => {
  const engine = new Engine("module", "source");
  const reported = [];
  const asked = engine.ask({ scenario: "x" }, (part) => reported.push(part));
  const [worker] = workers;
  assert.deepEqual(worker.received, [{ module: "module" }, { id: 1, request: { scenario: "x" } }]);
  worker.send({ id: 1, progress: 0.5 });
  worker.send({ id: 1, document: '{"a": 1}' });
  assert.deepEqual(await asked, { a: 1 });
  assert.deepEqual(reported, [0.5]);
});

test("an older request can still yield its document, or is rejected as dropped", async () => {
  const engine = new Engine("module", "source");
  const [first, second, third] = [1, 2, 3].map((n) => engine.ask({ n }));
  workers[0].send({ id: 1, document: "1" });
  workers[0].send({ id: 2, dropped: true });
  workers[0].send({ id: 3, mistakes: ["here", "there"] });
  assert.equal(await first, 1);
  await assert.rejects(second, Dropped);
  await assert.rejects(third, (error) => error instanceof Mistakes && error.list.length === 2);
  assert.equal(workers.length, 1);
});

test("after a panic all requests fail with its message, and the next request has a new worker", async () => {
  const engine = new Engine("module", "source");
  const asked = [engine.ask({}), engine.ask({})];
  workers[0].send({ id: 1, failure: "this is a bug in airfair, please report" });
  for (const each of asked) await assert.rejects(each, /please report/);
  assert.ok(workers[0].isEnded);
  const next = engine.ask({});
  workers[1].send({ id: 3, document: "3" });
  assert.equal(await next, 3);
});

test("a request that is stopped is dropped at once", async () => {
  const engine = new Engine("module", "source");
  const asked = engine.ask({});
  engine.stop();
  await assert.rejects(asked, Dropped);
  assert.ok(workers[0].isEnded);
  // A message that was under way is ignored.
  workers[0].send({ id: 1, document: "1" });
});
