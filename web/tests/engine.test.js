import assert from "node:assert/strict";
import { beforeEach, test } from "node:test";

import { Dropped, Engine, Mistakes } from "../src/engine.js";

/** Workers that have been made; each has what it was told, and `say` for what it answers. */
let workers = [];

beforeEach(() => {
  workers = [];
  globalThis.Worker = class {
    told = [];
    isEnded = false;
    constructor() {
      workers.push(this);
    }
    postMessage(message) {
      this.told.push(message);
    }
    terminate() {
      this.isEnded = true;
    }
    say(data) {
      this.onmessage({ data });
    }
  };
  URL.createObjectURL = () => "blob:";
  URL.revokeObjectURL = () => {};
});

test("a document comes back, and progress before it", async () => {
  const engine = new Engine("module", "source");
  const told = [];
  const asked = engine.ask({ scenario: "x" }, (part) => told.push(part));
  const [worker] = workers;
  assert.deepEqual(worker.told, [{ module: "module" }, { id: 1, request: { scenario: "x" } }]);
  worker.say({ id: 1, progress: 0.5 });
  worker.say({ id: 1, document: '{"a": 1}' });
  assert.deepEqual(await asked, { a: 1 });
  assert.deepEqual(told, [0.5]);
});

test("an older request that is nearly done comes as well, one that was dropped says so", async () => {
  const engine = new Engine("module", "source");
  const [first, second, third] = [1, 2, 3].map((n) => engine.ask({ n }));
  workers[0].say({ id: 1, document: "1" });
  workers[0].say({ id: 2, dropped: true });
  workers[0].say({ id: 3, mistakes: ["here", "there"] });
  assert.equal(await first, 1);
  await assert.rejects(second, Dropped);
  await assert.rejects(third, (error) => error instanceof Mistakes && error.list.length === 2);
  assert.equal(workers.length, 1);
});

test("after a panic all that was asked fails with its sentence, and the next request has a new worker", async () => {
  const engine = new Engine("module", "source");
  const asked = [engine.ask({}), engine.ask({})];
  workers[0].say({ id: 1, failure: "this is a bug in airfair, please report" });
  for (const each of asked) await assert.rejects(each, /please report/);
  assert.ok(workers[0].isEnded);
  const next = engine.ask({});
  workers[1].say({ id: 3, document: "3" });
  assert.equal(await next, 3);
});

test("what is stopped is dropped at once", async () => {
  const engine = new Engine("module", "source");
  const asked = engine.ask({});
  engine.stop();
  await assert.rejects(asked, Dropped);
  assert.ok(workers[0].isEnded);
  // A message that was under way finds nobody.
  workers[0].say({ id: 1, document: "1" });
});
