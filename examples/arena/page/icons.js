// The icons: white paths in a square of 24 by 24, on a coloured disc.
import { picture } from "./pictures.js";

const glyphs = {
  venom: ["#2f8f3e", "M12 4c3 4 5.2 6.6 5.2 9.6a5.2 5.2 0 0 1-10.4 0C6.8 10.600 9 8 12 4zM10 14.200a2.300 2.300 0 0 0 2.300 2.600"],
  renew: ["#1f9d7a", "M6 18c0-8 5-12 13-12 0 8-4.500 12.500-11 11.500M6 20c1-5 4-8.500 8-10.500"],
  stun: ["#c9941a", "M12 3.500l2.300 5.600 6 .5-4.600 3.900 1.500 5.900L12 16.200l-5.200 3.200 1.500-5.900L3.700 9.600l6-.5z"],
  shield: ["#4a78b8", "M12 4l7 2.500v5c0 4.500-3 7.500-7 9-4-1.500-7-4.500-7-9v-5zM12 7.500v9.500"],
  haste: ["#c7b022", "M13.500 3L6 13.500h5L9.500 21 18 10h-5.500z"],
  banner: ["#b8433c", "M7 3.500v17.500M7 5h10.500l-2.500 3.500 2.500 3.500H7"],
  silence: ["#7a55c7", "M5 6h14v9h-7l-4 4v-4H5zM8.500 8.500l7 4M15.500 8.500l-7 4"],
  cleanse: ["#8fb3bf", "M12 3.500v5M12 15.500v5M3.500 12h5M15.500 12h5M7 7l2.500 2.500M14.500 14.500L17 17M17 7l-2.500 2.500M9.500 14.500L7 17"],
  rend: ["#b52f3b", "M6 5c4 3 6 8 6.500 14M10.500 4c4 3 5.500 7.500 6 13M4.500 10c2.500 2 3.800 5 4 9"],
  mark: ["#8c6a2e", "M12 5.500a6.500 6.500 0 1 0 .01 0M12 3v5M12 16v5M3 12h5M16 12h5"],
  hex: ["#6a3fa8", "M12 4a6.500 6.500 0 0 0-4 11.500V19h8v-3.500A6.500 6.500 0 0 0 12 4zM9.700 11.300v.01M14.300 11.300v.01M11 19v-2M13 19v-2"],
  smite: ["#d07a24", "M12 3.500c1 4 5 5.500 5 10.500a5 5 0 0 1-10 0c0-2.500 1.500-3.500 2-5.500 1.500 1 1.800 2 2 3.500 1.500-2 1.600-5 1-8.500z"],
  sunder: ["#7d6f64", "M12 4l7 2.500v5c0 4.500-3 7.500-7 9-4-1.500-7-4.500-7-9v-5zM13 6l-3 5h4l-3.500 6.500"],
  crack: ["#80552f", "M4 8l5 2.500-1.500 4 5 1.500 1 4.500M9 10.500l5-4.500M12.500 16l6-2.500"],
  doom: ["#8a1f6e", "M12 4v9M12 17.500v.5M5 20h14L12 4z"],
  rage: ["#d1342b", "M4.500 8l5 2.500M19.500 8l-5 2.500M7 12.500v.01M17 12.500v.01M6.500 18c3.500-3.500 7.500-3.500 11 0"],
  meal: ["#9a6b3c", "M4.500 12h15a7.500 7.500 0 0 1-15 0zM9 8.500c-1-1.500 1-2.500 0-4M13.500 8.500c-1-1.500 1-2.500 0-4"],
  skull: ["#5c5866", "M12 4a6.500 6.500 0 0 0-4 11.500V19h8v-3.500A6.500 6.500 0 0 0 12 4zM9.700 11.300v.01M14.300 11.300v.01"],
  oath: ["#c2a033", "M12 4l2 5h5l-4 3.500 1.500 5.500L12 15l-4.500 3L9 12.500 5 9h5z"],
  tremor: ["#a5482a", "M3.500 13h3l2-6 3.500 11 3-8 1.500 3h4"],
  clock: ["#555", "M12 5a7 7 0 1 0 .01 0M12 8v4.500l3 2"],
};

const shade = (hex, by) => {
  const n = parseInt(hex.slice(1).padEnd(6, hex.slice(1)), 16);
  const part = (v) => Math.max(0, Math.min(255, Math.round(by > 0 ? v + (255 - v) * by : v * (1 + by))));
  return `rgb(${part(n >> 16)},${part((n >> 8) & 255)},${part(n & 255)})`;
};

/** disc returns a picture of an icon, size device pixels wide, round or with square corners. */
export function disc(icon, size, square = false) {
  return picture(`${icon} ${size} ${square}`, size, size, (g) => draw(g, icon, size, square));
}

function draw(g, icon, size, square) {
  const [hue, path] = glyphs[icon] ?? glyphs.clock, r = size / 2;
  const fill = g.createRadialGradient(r * 0.75, r * 0.55, 0, r, r, r * 1.1);
  fill.addColorStop(0, shade(hue, 0.38));
  fill.addColorStop(0.55, hue);
  fill.addColorStop(1, shade(hue, -0.55));
  g.fillStyle = fill;
  g.beginPath();
  if (square) g.roundRect(0, 0, size, size, size * 0.23);
  else g.arc(r, r, r, 0, 7);
  g.fill();
  const scale = (size * (square ? 0.74 : 0.8)) / 24;
  g.translate(r - 12 * scale, r - 12 * scale);
  g.scale(scale, scale);
  g.lineCap = g.lineJoin = "round";
  const p = new Path2D(path);
  g.strokeStyle = "#0007";
  g.lineWidth = 4.400;
  g.stroke(p);
  g.strokeStyle = "#fffdf6";
  g.lineWidth = size < 26 ? 2.600 : 2;
  g.stroke(p);
}
