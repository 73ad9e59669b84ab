// Rows of buffs, each with a ring that shows what is left.
import { left } from "./client.js";
import { disc } from "./icons.js";

const rings = { 0: "#e8c573", 1: "#63e2a4", 2: "#ff6472" };
const heldRing = "#9fd8ff";

/** part returns how much of a buff is left, from 0 to 1, or null if it has no end. */
export function part(buff, spec, now) {
  const ms = left(buff, now);
  if (ms === null) return null;
  const whole = Math.max(spec.duration || ms, buff.most || 0, ms, 1);
  buff.most = whole; // a stun of half the time has a ring of its own
  return ms / whole;
}

/** shown returns the buffs of an owner that are to be shown, the most important first. */
export function shown(client, owner) {
  const out = [];
  if (!owner) return out;
  for (const b of owner.buffs.values()) {
    const spec = client.specs.get(b.spec);
    if (spec && !spec.hide) out.push([b, spec]);
  }
  return out.sort((x, y) => y[1].priority - x[1].priority || x[0].slot - y[0].slot);
}

/** ring draws one buff in a circle of radius r around x, y. */
export function ring(g, b, spec, now, x, y, r, scale) {
  const inner = r - Math.max(1.4, r * 0.16), picture = disc(spec.icon, Math.ceil(inner * 2 * scale));
  const p = part(b, spec, now);
  g.beginPath();
  g.arc(x, y, r, 0, 7);
  g.fillStyle = "#0b0a10";
  g.fill();
  g.drawImage(picture, x - inner, y - inner, inner * 2, inner * 2);
  if (p !== null && p < 1) {
    g.beginPath();
    g.moveTo(x, y);
    g.arc(x, y, inner, -Math.PI / 2, -Math.PI / 2 + (1 - p) * 2 * Math.PI);
    g.fillStyle = "#0009";
    g.fill();
  }
  g.beginPath();
  g.arc(x, y, r - (r - inner) / 2, -Math.PI / 2 + (p === null ? 0 : (1 - p) * 2 * Math.PI), 1.5 * Math.PI);
  g.strokeStyle = b.held ? heldRing : rings[spec.polarity] ?? rings[0];
  g.lineWidth = r - inner;
  g.globalAlpha = b.hidden ? 0.35 : 1;
  g.stroke();
  g.globalAlpha = 1;
}

/** label writes what is inside a ring: seconds, and stacks. */
export function label(g, b, spec, now, x, y, r) {
  g.textAlign = "center";
  g.textBaseline = "middle";
  g.lineJoin = "round";
  const ms = left(b, now);
  const write = (text, at, down, size) => {
    g.font = `700 ${size}px ${getFont()}`;
    g.lineWidth = size / 3.500;
    g.strokeStyle = "#000d";
    g.strokeText(text, at, down);
    g.fillStyle = "#fff";
    g.fillText(text, at, down);
  };
  if (ms > 0 && ms < 100000 && r >= 13) write(b.held ? "II" : ms < 3000 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000)), x, y + 0.5, r * 0.78);
  if (b.stacks > 1) write(String(b.stacks), x + r * 0.72, y + r * 0.72, Math.max(9, r * 0.74));
}

let font;
const getFont = () => (font ??= getComputedStyle(document.body).fontFamily);

/** Row is a canvas with the buffs of somebody. */
export class Row {
  constructor(canvas, { size, columns, most, labels = true }) {
    Object.assign(this, { canvas, size, columns, most, labels, g: canvas.getContext("2d"), w: 0, h: 0 });
  }
  draw(client, owner, now) {
    const all = shown(client, owner), { size, g } = this;
    const list = all.length > this.most ? all.slice(0, this.most - 1) : all, more = all.length - list.length;
    const step = size + Math.max(3, size * 0.14), rows = Math.max(1, Math.ceil((list.length + (more ? 1 : 0)) / this.columns));
    const scale = devicePixelRatio || 1, w = Math.ceil(this.columns * step + 2), h = Math.ceil(rows * step + 1);
    if (this.w !== w * scale || this.h !== h * scale) {
      this.canvas.width = this.w = w * scale;
      this.canvas.height = this.h = h * scale;
      this.canvas.style.width = `${w}px`;
      this.canvas.style.height = `${h}px`;
    }
    g.setTransform(scale, 0, 0, scale, 0, 0);
    g.clearRect(0, 0, w, h);
    const r = size / 2;
    list.forEach(([b, spec], k) => {
      const x = (k % this.columns) * step + r + 1, y = Math.floor(k / this.columns) * step + r + 0.5;
      ring(g, b, spec, now, x, y, r, scale);
      if (this.labels) label(g, b, spec, now, x, y, r);
    });
    if (more) {
      const k = list.length, x = (k % this.columns) * step + r, y = Math.floor(k / this.columns) * step + r;
      g.fillStyle = getComputedStyle(this.canvas).color;
      g.font = `600 ${size * 0.5}px ${getFont()}`;
      g.textAlign = "center";
      g.textBaseline = "middle";
      g.fillText(`+${more}`, x, y);
    }
    return all.length;
  }
}
