// Pictures are drawn once and then copied. Without a graphics card, drawing a path costs many times as much as a
// copy, and a copy that is not aligned to the pixels several times as much as an aligned one.

const most = 8e6; // pixels: the size of each of the two generations
let young = new Map(), old = new Map(), pixels = 0; // by key; young has the recently used ones

/** picture returns the picture with that key, w by h device pixels; draw draws it the first time. */
export function picture(key, w, h, draw) {
  let p = young.get(key);
  if (p) return p;
  p = old.get(key) ?? drawn(w, h, draw);
  young.set(key, p);
  pixels += p.width * p.height;
  if (pixels > most) [old, young, pixels] = [young, new Map(), 0];
  return p;
}

function drawn(w, h, draw) {
  const c = typeof OffscreenCanvas === "undefined" ? document.createElement("canvas") : new OffscreenCanvas(w, h);
  c.width = w;
  c.height = h;
  draw(c.getContext("2d"));
  return c.transferToImageBitmap?.() ?? c;
}

/** around returns a picture drawn around 0, 0 with a radius of half, at scale device pixels per unit. */
export function around(key, half, scale, draw) {
  const side = Math.ceil(half * scale);
  return picture(`${key} ${half} ${scale}`, 2 * side, 2 * side, (g) => {
    g.setTransform(scale, 0, 0, scale, side, side);
    draw(g);
  });
}

/** put copies a picture, centred at x, y, onto a canvas with scale device pixels per unit. */
export function put(g, p, x, y, scale) {
  g.drawImage(p, Math.round(x * scale - p.width / 2) / scale, Math.round(y * scale - p.height / 2) / scale, p.width / scale, p.height / scale);
}

let ruler, family;

/** font returns a bold font of that size. */
export const font = (size) => `700 ${size}px ${(family ??= getComputedStyle(document.body).fontFamily)}`;

/** text copies a word, centred at x, y, with an outline of edge units around its letters. */
export function text(g, word, x, y, size, hue, edge, edgeHue, scale) {
  put(g, written(word, size, hue, edge, edgeHue, scale), x, y, scale);
}

function written(word, size, hue, edge, edgeHue, scale) {
  const key = `${word} ${size} ${hue} ${edge} ${edgeHue} ${scale}`;
  const p = young.get(key);
  if (p) return p;
  ruler ??= document.createElement("canvas").getContext("2d");
  ruler.font = font(size);
  const w = 2 * Math.ceil((ruler.measureText(word).width / 2 + edge + 1) * scale), h = 2 * Math.ceil((size * 0.7 + edge) * scale);
  return picture(key, w, h, (g) => {
    g.setTransform(scale, 0, 0, scale, w / 2, h / 2);
    g.font = font(size);
    g.textAlign = "center";
    g.textBaseline = "middle";
    g.lineJoin = "round";
    g.lineWidth = edge;
    g.strokeStyle = edgeHue;
    g.strokeText(word, 0, 0);
    g.fillStyle = hue;
    g.fillText(word, 0, 0);
  });
}
