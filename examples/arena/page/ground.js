// The ground of the arena: drawn once in tiles of the displayed size, then copied.

const grain = 26; // pixels to a pace
const side = 512; // of a tile, in pixels
const most = 60; // tiles
const stones = [[22, 15], [68, 15], [22, 45], [68, 45]];

const themes = {
  dark: { slab: [44, 41, 54], spread: 9, joint: "#17151d", seal: "#201a30", line: "#6d54a8", rune: "#9f7dec", moss: "#33402f", rock: "#6b6877", wall: "#121018", lit: "#ffffff0a", ember: "#ff5a1f", tide: "#1fb6d6", tint: 0.16 },
  light: { slab: [222, 206, 174], spread: 10, joint: "#b79f76", seal: "#cdbdd4", line: "#8a6cc0", rune: "#6f44be", moss: "#b9c08c", rock: "#8c8474", wall: "#8f7a58", lit: "#ffffff40", ember: "#ff6a2a", tide: "#1595b5", tint: 0.2 },
};

/** Floor copies the ground onto a canvas. */
export class Floor {
  constructor(width, height, dark) {
    Object.assign(this, { width, height, tiles: new Map(), pace: 0, ...ground(width, height, dark) });
  }

  /** draw fills the canvas at pace pixels per pace: the arena's corner is at ox, oy, with the wall around it. */
  draw(g, ox, oy, pace) {
    const { width: w, height: h } = g.canvas;
    if (pace !== this.pace) this.tiles.clear();
    this.pace = pace;
    const right = Math.ceil(this.width * pace), below = Math.ceil(this.height * pace), x0 = Math.max(0, ox), x1 = Math.min(w, ox + right);
    g.fillStyle = this.wall;
    if (ox > 0) g.fillRect(0, 0, ox, h);
    if (ox + right < w) g.fillRect(ox + right, 0, w - ox - right, h);
    if (oy > 0) g.fillRect(x0, 0, x1 - x0, oy);
    if (oy + below < h) g.fillRect(x0, oy + below, x1 - x0, h - oy - below);
    const first = (at) => Math.max(0, Math.floor(-at / side)), last = (at, of, whole) => Math.ceil(Math.min(of - at, whole) / side);
    let seen = 0;
    for (let y = first(oy); y < last(oy, h, below); y++) {
      for (let x = first(ox); x < last(ox, w, right); x++, seen++) g.drawImage(this.#tile(x, y), ox + x * side, oy + y * side);
    }
    for (const key of this.tiles.keys()) {
      if (this.tiles.size <= Math.max(most, seen)) break;
      this.tiles.delete(key);
    }
  }

  #tile(x, y) {
    const key = `${x} ${y}`;
    let c = this.tiles.get(key);
    if (c) this.tiles.delete(key); // move it to the end: recently used
    else {
      c = document.createElement("canvas");
      c.width = Math.min(side, Math.ceil(this.width * this.pace) - x * side);
      c.height = Math.min(side, Math.ceil(this.height * this.pace) - y * side);
      const g = c.getContext("2d", { alpha: false }), by = this.pace / grain;
      g.setTransform(by, 0, 0, by, -x * side, -y * side);
      g.imageSmoothingQuality = "high";
      g.drawImage(this.picture, 0, 0);
    }
    this.tiles.set(key, c);
    return c;
  }
}

function ground(width, height, dark) {
  const t = themes[dark ? "dark" : "light"], c = document.createElement("canvas");
  c.width = width * grain;
  c.height = height * grain;
  const g = c.getContext("2d", { alpha: false });
  let seed = 7;
  const dice = () => (seed = (seed * 16807) % 2147483647) / 2147483647;
  g.scale(grain, grain);
  g.fillStyle = t.joint;
  g.fillRect(0, 0, width, height);
  for (let y = 0; y < height; y += 1.5) {
    for (let x = -dice() * 2; x < width;) {
      const w = 1.3 + dice() * 1.9, by = (dice() - 0.5) * 2 * t.spread;
      g.fillStyle = `rgb(${t.slab.map((v) => Math.round(v + by)).join()})`;
      g.beginPath();
      g.roundRect(x + 0.03, y + 0.03, w - 0.06, 1.44, 0.14);
      g.fill();
      g.fillStyle = t.lit;
      g.fillRect(x + 0.12, y + 0.06, w - 0.26, 0.07);
      if (dice() < 0.06) {
        g.fillStyle = t.moss;
        g.globalAlpha = 0.6;
        g.beginPath();
        g.ellipse(x + w * dice(), y + dice() * 1.4, 0.2 + dice() * 0.6, 0.12 + dice() * 0.3, dice() * 3, 0, 7);
        g.fill();
        g.globalAlpha = 1;
      }
      x += w;
    }
  }
  tint(g, 0, height / 2, t.ember, t.tint, height);
  tint(g, width, height / 2, t.tide, t.tint, height);
  for (const [x, y] of stones) circle(g, x, y, t, dice);
  seal(g, width / 2, height / 2, t);
  g.lineWidth = 1.6;
  g.strokeStyle = t.wall;
  g.strokeRect(0, 0, width, height);
  g.lineWidth = 0.18;
  g.strokeStyle = t.rock;
  g.strokeRect(0.85, 0.85, width - 1.7, height - 1.7);
  return { picture: c, wall: t.wall };
}

function tint(g, x, y, hue, by, r) {
  const f = g.createRadialGradient(x, y, 2, x, y, r);
  f.addColorStop(0, hue);
  f.addColorStop(1, `${hue}00`);
  g.globalAlpha = by;
  g.fillStyle = f;
  g.fillRect(0, 0, 1000, 1000);
  g.globalAlpha = 1;
}

// circle draws a ring of stones, where squads meet.
function circle(g, x, y, t, dice) {
  g.globalAlpha = 0.5;
  g.fillStyle = t.moss;
  g.beginPath();
  g.arc(x, y, 7, 0, 7);
  g.fill();
  g.globalAlpha = 1;
  for (let k = 0; k < 14; k++) {
    const a = (k / 14) * 2 * Math.PI, sx = x + Math.cos(a) * 7, sy = y + Math.sin(a) * 7, s = 0.5 + dice() * 0.35;
    g.fillStyle = "#0005";
    g.beginPath();
    g.ellipse(sx + 0.15, sy + 0.22, s * 1.1, s * 0.8, a, 0, 7);
    g.fill();
    g.fillStyle = t.rock;
    g.beginPath();
    g.ellipse(sx, sy, s, s * 0.7, a + dice(), 0, 7);
    g.fill();
    g.fillStyle = t.lit;
    g.beginPath();
    g.ellipse(sx - 0.1, sy - 0.12, s * 0.6, s * 0.35, a, 0, 7);
    g.fill();
  }
}

// seal draws the seal under the King.
function seal(g, x, y, t) {
  g.fillStyle = t.seal;
  g.globalAlpha = 0.86;
  g.beginPath();
  g.arc(x, y, 11, 0, 7);
  g.fill();
  g.globalAlpha = 1;
  g.strokeStyle = t.line;
  for (const [r, w, a] of [[11, 0.22, 0.8], [10.300, 0.07, 0.6], [7.400, 0.1, 0.6], [4, 0.16, 0.8]]) {
    g.globalAlpha = a;
    g.lineWidth = w;
    g.beginPath();
    g.arc(x, y, r, 0, 7);
    g.stroke();
  }
  g.globalAlpha = 0.45;
  g.lineWidth = 0.08;
  for (const turn of [0, Math.PI / 4]) {
    g.beginPath();
    for (let k = 0; k <= 4; k++) {
      const a = turn + (k / 4) * 2 * Math.PI;
      g.lineTo(x + Math.cos(a) * 10.300, y + Math.sin(a) * 10.300);
    }
    g.stroke();
  }
  g.globalAlpha = 0.8;
  g.lineWidth = 0.14;
  g.strokeStyle = t.rune;
  for (let k = 0; k < 16; k++) {
    g.save();
    g.translate(x, y);
    g.rotate((k / 16) * 2 * Math.PI);
    g.translate(8.800, 0);
    g.beginPath();
    g.moveTo(-0.4, -0.4);
    g.lineTo(0.4, k % 3 ? 0.4 : -0.4);
    g.moveTo(k % 2 ? 0 : -0.4, 0.4);
    g.lineTo(0.4, 0);
    g.stroke();
    g.restore();
  }
  g.globalAlpha = 1;
}
