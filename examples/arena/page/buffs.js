// Rows of buffs, each with a ring that shows the remaining time.
import { left } from "./client.js";
import { disc } from "./icons.js";
import { around, font, put, text } from "./pictures.js";

const rings = { 0: "#e8c573", 1: "#63e2a4", 2: "#ff6472" };
const heldRing = "#9fd8ff";

/** part returns the remaining share of a buff's time, from 0 to 1, or null if it has no end. */
export function part(buff, spec, now) {
  const ms = left(buff, now);
  if (ms === null) return null;
  const whole = Math.max(spec.duration || ms, buff.most || 0, ms, 1);
  buff.most = whole; // a stun of half the duration starts with a full ring
  return ms / whole;
}

/** shown returns the visible buffs of an owner, the most important first. */
export function shown(client, owner) {
  const out = [];
  if (!owner) return out;
  for (const b of owner.buffs.values()) {
    const spec = client.specs.get(b.spec);
    if (spec && !spec.hide) out.push([b, spec]);
  }
  return out.sort((x, y) => y[1].priority - x[1].priority || x[0].slot - y[0].slot);
}

// ringOf returns the properties of a ring that ring draws, quantised to the pixels of its circumference.
function ringOf(b, spec, now, r, scale) {
  const p = part(b, spec, now), pixels = Math.ceil(2 * Math.PI * r * scale);
  return { icon: spec.icon, hue: b.held ? heldRing : rings[spec.polarity] ?? rings[0], dim: b.hidden, step: p === null ? null : Math.round(p * pixels) / pixels };
}

/** ring draws one buff in a circle of radius r around x, y. */
export function ring(g, b, spec, now, x, y, r, scale) {
  const of = ringOf(b, spec, now, r, scale);
  put(g, around(`ring ${of.icon} ${of.hue} ${of.dim} ${of.step}`, r, scale, (g) => draw(g, of, r, scale)), x, y, scale);
}

function draw(g, { icon, hue, dim, step }, r, scale) {
  const inner = r - Math.max(1.4, r * 0.16), gone = (1 - (step ?? 1)) * 2 * Math.PI;
  g.beginPath();
  g.arc(0, 0, r, 0, 7);
  g.fillStyle = "#0b0a10";
  g.fill();
  g.drawImage(disc(icon, Math.ceil(inner * 2 * scale)), -inner, -inner, inner * 2, inner * 2);
  if (gone > 0) {
    g.beginPath();
    g.moveTo(0, 0);
    g.arc(0, 0, inner, -Math.PI / 2, -Math.PI / 2 + gone);
    g.fillStyle = "#0009";
    g.fill();
  }
  g.beginPath();
  g.arc(0, 0, r - (r - inner) / 2, -Math.PI / 2 + gone, 1.5 * Math.PI);
  g.strokeStyle = hue;
  g.lineWidth = r - inner;
  g.globalAlpha = dim ? 0.35 : 1;
  g.stroke();
}

// words returns the texts inside a ring and at its edge.
function words(b, now, r) {
  const ms = left(b, now), long = ms > 0 && ms < 100000 && r >= 13;
  return [long ? (b.held ? "II" : ms < 3000 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000))) : "", b.stacks > 1 ? String(b.stacks) : ""];
}

/** label writes the seconds and stacks of a ring. */
export function label(g, b, spec, now, x, y, r, scale) {
  const [seconds, stacks] = words(b, now, r);
  const write = (word, at, down, size) => text(g, word, at, down, size, "#fff", size / 3.500, "#000d", scale);
  if (seconds) write(seconds, x, y + 0.5, r * 0.78);
  if (stacks) write(stacks, x + r * 0.72, y + r * 0.72, Math.max(9, r * 0.74));
}

/** stepOf returns the distance between the buffs of a Row. */
export const stepOf = (size) => Math.round(size + Math.max(3, size * 0.14));

const dark = matchMedia("(prefers-color-scheme: dark)");

/** Row is a canvas with the buffs of one unit. Unchanged cells are not redrawn. */
export class Row {
  constructor(canvas, { size, columns, most, labels = true }) {
    Object.assign(this, { canvas, size, columns, most, labels, g: canvas.getContext("2d"), w: 0, h: 0, cells: [] });
  }
  draw(client, owner, now) {
    const all = shown(client, owner), { size, g } = this;
    const list = all.length > this.most ? all.slice(0, this.most - 1) : all, more = all.length - list.length;
    const step = stepOf(size), rows = Math.max(1, Math.ceil((list.length + (more ? 1 : 0)) / this.columns));
    const scale = devicePixelRatio || 1, w = Math.ceil(this.columns * step + 2), h = Math.ceil(rows * step + 1);
    if (this.w !== w * scale || this.h !== h * scale) {
      this.canvas.width = this.w = w * scale;
      this.canvas.height = this.h = h * scale;
      this.canvas.style.width = `${w}px`;
      this.canvas.style.height = `${h}px`;
      this.cells = [];
    }
    const r = size / 2, looks = list.map(([b, spec]) => {
      const of = ringOf(b, spec, now, r, scale);
      return `${of.icon} ${of.hue} ${of.dim} ${of.step} ${this.labels ? words(b, now, r) : ""}`;
    });
    if (more) looks.push(`+${more} ${dark.matches}`);
    g.setTransform(scale, 0, 0, scale, 0, 0);
    for (let k = 0; k < Math.max(looks.length, this.cells.length); k++) {
      if (looks[k] === this.cells[k]) continue;
      const x = (k % this.columns) * step, y = Math.floor(k / this.columns) * step;
      g.clearRect(x, y, step, step);
      if (k < list.length) {
        ring(g, ...list[k], now, x + r + 1, y + r + 0.5, r, scale);
        if (this.labels) label(g, ...list[k], now, x + r + 1, y + r + 0.5, r, scale);
      } else if (k < looks.length) {
        g.fillStyle = getComputedStyle(this.canvas).color;
        g.font = font(size * 0.5);
        g.textAlign = "center";
        g.textBaseline = "middle";
        g.fillText(`+${more}`, x + r, y + r);
      }
    }
    this.cells = looks;
    return all.length;
  }
}
