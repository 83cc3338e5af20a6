// Draws the channel: a row for each member of the cells, a box for each frame, and marks where a member defers, backs off or
// waits for a response. The row of an access point is shaded where a neighbour's network holds the air.

import { colour } from "./dom.js";
import { groups, durationText, MAX_GROUPS, timeText } from "./results.js";

/** The height of a row [px]. */
const ROW_HEIGHT = 36;
/** The height of a data frame [px]. The rest of the row is for the marks of deferral and back-off. */
const FRAME_HEIGHT = 20;
/** The height of the time axis [px]. */
const AXIS_HEIGHT = 24;
/** The greatest number of rows in a picture. */
export const MAX_ROWS = 24;

/** The height of each kind of frame, as a part of a data frame's. */
const HEIGHTS = { data: 1, "tcp-ack": 0.65, beacon: 0.8 };
const heightOf = (kind) => HEIGHTS[kind] ?? 0.4;

/**
 * The top and the height of the frame with index `i` in its row [px]. A part of a multi-user exchange has its share of the
 * width, with the lowest frequencies at the bottom.
 */
export function boxOf(frames, i) {
  if (frames.unit[i] === null) {
    const tall = FRAME_HEIGHT * heightOf(frames.kind[i]);
    return { top: 3 + FRAME_HEIGHT - tall, tall };
  }
  const [, place, places] = frames.unit[i];
  const tall = FRAME_HEIGHT / places;
  return { top: 3 + FRAME_HEIGHT - (place + 1) * tall, tall };
}

/** The number of each row's colour: that of its group of stations, as in the bars of airtime; 0 for an access point. */
function colours(rows) {
  const list = rows.map(() => 0);
  const cells = new Set(rows.map((row) => row.cell));
  for (const cell of cells) {
    const places = rows.flatMap((row, i) => (row.cell === cell && !row.is_access_point ? [i] : []));
    groups(places.map((place) => rows[place].name)).forEach((group, index) => {
      for (const place of group.places) list[places[place]] = Math.min(index + 1, MAX_GROUPS);
    });
  }
  return list;
}

const tiles = new Map();
/** Returns a fill pattern of diagonal lines, `rising`, `falling` or both. */
function hatch(context, stroke, rising, falling) {
  const key = [stroke, rising, falling].join();
  if (!tiles.has(key)) tiles.set(key, tileOf(stroke, rising, falling));
  return context.createPattern(tiles.get(key), "repeat");
}

function tileOf(stroke, rising, falling) {
  const size = 6;
  const tile = document.createElement("canvas");
  tile.width = tile.height = size;
  const ink = tile.getContext("2d");
  ink.strokeStyle = stroke;
  ink.lineWidth = 1.2;
  ink.beginPath();
  for (const shift of [-size, 0, size]) {
    if (rising) {
      ink.moveTo(shift, size);
      ink.lineTo(shift + size, 0);
    }
    if (falling) {
      ink.moveTo(shift, 0);
      ink.lineTo(shift + size, size);
    }
  }
  ink.stroke();
  return tile;
}

/** The width of the column with the names of the rows [px], for a canvas of `width`. */
const gutterOf = (width) => Math.min(110, Math.max(58, width * 0.16));

/** The step between the marks of the axis [ns], 1, 2 or 5 times a power of ten, such that `span` has at most `most` of them. */
function stepOf(span, most) {
  const rough = span / most;
  const power = 10 ** Math.floor(Math.log10(rough));
  return power * [1, 2, 5, 10].find((factor) => factor * power >= rough);
}

export class Picture {
  #canvas;
  #data = null;
  #view = null;

  constructor(canvas) {
    this.#canvas = canvas;
  }

  /** The simulated time at a horizontal position on the canvas [ns]. */
  timeAt(x) {
    const width = this.#canvas.clientWidth;
    const gutter = gutterOf(width);
    return this.#view.from + ((x - gutter) / (width - gutter)) * this.#view.length;
  }

  /** The simulated time that one pixel covers [ns]. */
  get nsPerPixel() {
    const width = this.#canvas.clientWidth;
    return this.#view.length / (width - gutterOf(width));
  }

  /** The index of the frame at a point, or −1. */
  frameAt(x, y) {
    const { frames } = this.#data;
    const row = Math.floor(y / ROW_HEIGHT);
    const [at, slack] = [this.timeAt(x), 3 * this.nsPerPixel];
    const isHit = (_, i) =>
      frames.from[i] === row && frames.start_ns[i] - slack <= at && at <= frames.end_ns[i] + slack;
    const inRow = y - row * ROW_HEIGHT;
    const isInUnit = (_, i) => {
      const { top, tall } = boxOf(frames, i);
      return isHit(_, i) && (frames.unit[i] === null || (top <= inRow && inRow < top + tall));
    };
    const place = frames.start_ns.findIndex(isInUnit);
    return place < 0 ? frames.start_ns.findIndex(isHit) : place;
  }

  /** Draws the part `view` of the frames in `data`; `selected` is the index of the frame to highlight, or −1. */
  draw(data, view, selected) {
    this.#data = data;
    this.#view = view;
    const canvas = this.#canvas;
    const rows = Math.min(data.rows.length, MAX_ROWS);
    const width = canvas.clientWidth;
    const height = rows * ROW_HEIGHT + AXIS_HEIGHT;
    const scale = window.devicePixelRatio || 1;
    canvas.style.height = `${height}px`;
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    const context = canvas.getContext("2d");
    context.scale(scale, scale);
    const gutter = gutterOf(width);
    const x = (ns) => gutter + ((ns - view.from) / view.length) * (width - gutter);
    const palette = {
      ink: colour("ink"),
      muted: colour("muted"),
      grid: colour("grid"),
      page: colour("page"),
      bad: colour("bad"),
      open: colour("open"),
      neighbour: colour("neighbour"),
      series: [colour("muted"), ...Array.from({ length: MAX_GROUPS }, (_, i) => colour(`series-${i + 1}`))],
    };
    this.#drawRows(context, { rows, width, gutter, height, palette });
    context.save();
    context.beginPath();
    context.rect(gutter, 0, width - gutter, height);
    context.clip();
    this.#drawAxis(context, { x, width, gutter, height, palette });
    this.#drawHeld(context, { x, rows, palette });
    this.#drawWaits(context, { x, rows, palette });
    this.#drawFrames(context, { x, rows, palette, selected });
    context.restore();
  }

  #drawRows(context, { rows, width, gutter, height, palette }) {
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    for (let row = 0; row < rows; row += 1) {
      const { name, is_access_point: isAp } = this.#data.rows[row];
      context.fillStyle = palette.ink;
      context.fillText(isAp ? `${name} (AP)` : name, 2, row * ROW_HEIGHT + 3 + FRAME_HEIGHT / 2, gutter - 8);
      context.fillStyle = palette.grid;
      context.fillRect(gutter, (row + 1) * ROW_HEIGHT - 1, width - gutter, 1);
    }
    context.fillRect(gutter - 1, 0, 1, height - AXIS_HEIGHT);
  }

  #drawAxis(context, { x, width, gutter, height, palette }) {
    const { from, length: span } = this.#view;
    const step = stepOf(span, Math.max(2, (width - gutter) / 110));
    context.textBaseline = "alphabetic";
    for (let at = Math.ceil(from / step) * step; at <= from + span; at += step) {
      context.fillStyle = palette.grid;
      context.fillRect(x(at), 0, 1, height - AXIS_HEIGHT + 4);
      context.fillStyle = palette.muted;
      context.fillText(timeText(at, step), x(at) + 3, height - 6);
    }
  }

  /** Shades the rows of access points where neighbours hold the air, with their names, and hatches overlaps. */
  #drawHeld(context, { x, rows, palette }) {
    const { held, rows: members } = this.#data;
    const cross = hatch(context, palette.neighbour, true, true);
    context.textBaseline = "middle";
    for (let row = 0; row < rows; row += 1) {
      if (!members[row].is_access_point) continue;
      for (const [from, to, neighbour] of held[members[row].cell]) {
        // A gap separates neighbours that follow each other.
        const [left, wide] = [x(from), Math.max(1, x(to) - x(from) - 1)];
        context.globalAlpha = 0.35;
        context.fillStyle = neighbour === null ? cross : palette.neighbour;
        context.fillRect(left, row * ROW_HEIGHT + 1, wide, ROW_HEIGHT - 3);
        context.globalAlpha = 1;
        const name = neighbour === null ? "overlap" : nameOf(members, neighbour);
        if (wide > 8 + context.measureText(name).width) {
          context.fillStyle = palette.ink;
          context.fillText(name, Math.max(left, x(this.#view.from)) + 4, row * ROW_HEIGHT + 3 + FRAME_HEIGHT / 2);
        }
      }
    }
  }

  #drawWaits(context, { x, rows, palette }) {
    const { deferrals, answers, back_off: backOff } = this.#data;
    const lines = hatch(context, palette.ink, true, false);
    context.textBaseline = "middle";
    for (let row = 0; row < rows; row += 1) {
      const bottom = (row + 1) * ROW_HEIGHT - 3;
      context.fillStyle = palette.muted;
      for (const [from, to] of deferrals[row]) context.fillRect(x(from), bottom - 2, x(to) - x(from), 2);
      for (const [from, to] of answers[row]) {
        for (let at = x(from); at < x(to); at += 5) context.fillRect(at, bottom - 3, Math.min(3, x(to) - at), 3);
      }
      for (const [from, to, slots] of backOff[row]) {
        const wide = Math.max(1, x(to) - x(from));
        context.fillStyle = lines;
        context.fillRect(x(from), bottom - 9, wide, 9);
        if (wide > 24) {
          context.fillStyle = palette.page;
          context.fillRect(x(from) + 2, bottom - 10, 18, 10);
          context.fillStyle = palette.ink;
          context.fillText(String(slots), x(from) + 3, bottom - 5, 16);
        }
      }
    }
  }

  #drawFrames(context, { x, rows, palette, selected }) {
    const { frames } = this.#data;
    const { from: start, length: span } = this.#view;
    const cross = hatch(context, palette.page, true, true);
    const colourOf = colours(this.#data.rows);
    context.textBaseline = "middle";
    frames.start_ns.forEach((at, i) => {
      const [row, end] = [frames.from[i], frames.end_ns[i]];
      if (row >= rows || end < start || at > start + span) return;
      const [left, wide] = [x(at), Math.max(1.5, x(end) - x(at))];
      const { top: below, tall } = boxOf(frames, i);
      const top = row * ROW_HEIGHT + below;
      const station = this.#data.rows[row].is_access_point ? frames.to[i] : row;
      const fill = frames.kind[i] === "beacon" ? palette.open : palette.series[colourOf[station ?? row]];
      // A gap separates units that stations of the same colour have.
      const gap = frames.unit[i] === null ? 0 : 0.5;
      this.#drawFrame(context, { left, wide, top, tall: tall - gap, fill, fate: frames.fate[i], palette, cross });
      if (wide > 26 && tall > 14) {
        const label = labelOf(frames, i, wide);
        const isFull = frames.fate[i] === "received";
        if (!isFull) {
          context.fillStyle = palette.page;
          context.fillRect(left + 2, top + 3, Math.min(wide - 4, context.measureText(label).width + 5), tall - 6);
        }
        context.fillStyle = isFull ? palette.page : palette.ink;
        context.fillText(label, left + 4, top + tall / 2, wide - 8);
      }
      if (i === selected) {
        context.strokeStyle = palette.ink;
        context.lineWidth = 2;
        context.strokeRect(left - 2, row * ROW_HEIGHT + 2, wide + 4, ROW_HEIGHT - 4);
      }
    });
  }

  /**
   * Draws the box of a frame. A frame that collided is cross-hatched. A frame that noise corrupted is a dashed outline, and one
   * that nobody received a solid outline. All others are filled.
   */
  #drawFrame(context, { left, wide, top, tall, fill, fate, palette, cross }) {
    if (fate === "errored" || fate === "not received") {
      context.strokeStyle = palette.open;
      context.lineWidth = 1.5;
      context.setLineDash(fate === "errored" ? [3, 2] : []);
      context.strokeRect(left + 0.75, top + 0.75, Math.max(1, wide - 1.5), tall - 1.5);
      context.setLineDash([]);
      return;
    }
    context.fillStyle = fate === "collided" ? palette.bad : fill;
    context.fillRect(left, top, wide, tall);
    if (fate === "collided") {
      context.fillStyle = cross;
      context.fillRect(left, top, wide, tall);
    }
  }
}

/** The name of a cell, which is that of its access point. */
function nameOf(members, cell) {
  return members.find((member) => member.is_access_point && member.cell === cell).name;
}

/** The label in the box of a data frame: for an A-MPDU the number of its MPDUs and, if there is room, of the lost ones. */
function labelOf(frames, i, wide) {
  const [mpdus, lost] = [frames.mpdus[i], frames.lost[i]];
  if (mpdus < 2) return frames.retry[i] ? "retry" : "data";
  return lost > 0 && lost < mpdus && wide > 60 ? `${mpdus}, ${lost} lost` : String(mpdus);
}

/** Describes an A-MPDU: the number of its MPDUs and of the lost ones. Empty for a single MPDU. */
function aggregateText(frames, i) {
  const [mpdus, lost] = [frames.mpdus[i], frames.lost[i]];
  if (mpdus < 2) return "";
  return `, ${mpdus} MPDUs${lost > 0 && lost < mpdus ? `, ${lost} lost` : ""}`;
}

/** Describes the resource unit of a part of a multi-user exchange. Empty for other frames. */
function unitText(unit) {
  return unit === null ? "" : `, ${unit[0]}, place ${unit[1] + 1} of ${unit[2]}`;
}

/** Describes the frame with index `i`: a text for each column of the table. */
export function describe(data, i) {
  const { frames, rows } = data;
  const names = {
    data: "Data",
    "tcp-ack": "TCP ACK",
    ack: "ACK",
    "block-ack": "Block ack",
    "block-ack-request": "Block ack request",
    rts: "RTS",
    cts: "CTS",
    "cts-to-self": "CTS to self",
    "cts-to-other": "CTS to another",
    "cf-end": "CF-End",
    beacon: "Beacon",
    trigger: "Trigger",
    "trigger-based": "Buffer report",
    "multi-station-block-ack": "Block acks",
    "ndp-announcement": "NDP announcement",
    "ndp": "NDP",
    "beamforming-report": "Beamforming report",
  };
  const to = frames.to[i] === null ? "all" : rows[frames.to[i]].name;
  return {
    kind:
      names[frames.kind[i]] +
      (frames.category[i] === null ? "" : `, ${frames.category[i]}`) +
      aggregateText(frames, i) +
      unitText(frames.unit[i]) +
      (frames.retry[i] ? ", retry" : ""),
    start: timeText(frames.start_ns[i], 1e3),
    lasts: durationText(frames.end_ns[i] - frames.start_ns[i]),
    from: rows[frames.from[i]].name,
    to,
    rate: `${frames.rate_bps[i] / 1e6} Mb/s`,
    octets: `${frames.octets[i]} B`,
    fate: frames.fate[i],
  };
}
