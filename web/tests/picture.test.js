import assert from "node:assert/strict";
import { test } from "node:test";

// The page's module asks for the colour scheme when it is loaded.
globalThis.matchMedia = () => ({ matches: false, addEventListener: () => {} });
const { boxOf, describe } = await import("../src/picture.js");

/** Frames of a document: an ACK, and the second of four units of 242 tones. */
const frames = {
  kind: ["ack", "data"],
  unit: [null, ["242 tones", 1, 4]],
  start_ns: [0, 50e3],
  end_ns: [28e3, 100e3],
  from: [0, 0],
  to: [1, 1],
  rate_bps: [24e6, 143e6],
  octets: [14, 3000],
  retry: [false, false],
  fate: ["received", "received"],
  mpdus: [0, 2],
  lost: [0, 0],
  category: [null, null],
};

test("a part of a frame has its share of the height, from the bottom", () => {
  const [whole, part] = [boxOf(frames, 0), boxOf(frames, 1)];
  const bottom = whole.top + whole.tall;
  assert.deepEqual(part, { top: bottom - 10, tall: 5 });
});

test("a part of a frame is described with its unit", () => {
  const rows = [{ name: "home" }, { name: "near" }];
  assert.equal(describe({ frames, rows }, 1).kind, "Data, 2 MPDUs, 242 tones, place 2 of 4");
  assert.equal(describe({ frames, rows }, 0).kind, "ACK");
});
