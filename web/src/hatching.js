// The colours and hatchings of the parts of the air on a canvas. They are those of the style sheet's `.part`.

import { colour, darkness } from "./dom.js";

/** For each kind, the variable of its colour, and what is drawn on it: lines by their directions, or dots. */
const KINDS = {
  s1: ["series-1", []],
  s2: ["series-2", ["falling"]],
  s3: ["series-3", ["rising"]],
  s4: ["series-4", ["upright"]],
  s5: ["series-5", ["level"]],
  beacon: ["open", ["dots"]],
  collision: ["bad", ["rising", "falling"]],
  neighbour: ["neighbour", ["rising"]],
  contention: ["grid", ["falling"]],
  idle: ["panel", []],
};
/** The size of a tile [px]. */
const SIZE = 7;

const DRAWN = {
  rising: (ink) => line(ink, [-1, SIZE + 1], [SIZE + 1, -1]),
  falling: (ink) => line(ink, [-1, -1], [SIZE + 1, SIZE + 1]),
  upright: (ink) => line(ink, [SIZE / 2, 0], [SIZE / 2, SIZE]),
  level: (ink) => line(ink, [0, SIZE / 2], [SIZE, SIZE / 2]),
  dots: (ink) => {
    ink.beginPath();
    ink.arc(SIZE / 2, SIZE / 2, 1.4, 0, 7);
    ink.fill();
  },
};

function line(ink, from, to) {
  ink.beginPath();
  ink.moveTo(...from);
  ink.lineTo(...to);
  ink.stroke();
}

const paints = new Map();
darkness.addEventListener("change", () => paints.clear());

/** The fill of a kind of part. */
export function paint(kind) {
  if (!paints.has(kind)) paints.set(kind, made(kind));
  return paints.get(kind);
}

function made(kind) {
  const [variable, drawn] = KINDS[kind];
  const scale = devicePixelRatio || 1;
  const tile = document.createElement("canvas");
  tile.width = tile.height = Math.round(SIZE * scale);
  const ink = tile.getContext("2d");
  ink.scale(tile.width / SIZE, tile.height / SIZE);
  ink.fillStyle = colour(variable);
  ink.fillRect(0, 0, SIZE, SIZE);
  ink.strokeStyle = ink.fillStyle = colour(kind === "contention" ? "muted" : "page");
  ink.lineWidth = kind === "contention" ? 0.7 : 1.2;
  drawn.forEach((name) => DRAWN[name](ink));
  return ink.createPattern(tile, "repeat");
}
