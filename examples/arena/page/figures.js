// Heroes from above, and the King: drawn once for each class, side and direction.
import { around, picture } from "./pictures.js";

export const teams = {
  ember: { main: "#e2622b", dark: "#7c2a10", light: "#ffb483" },
  tide: { main: "#2596ad", dark: "#0d4652", light: "#93e6f2" },
  hollow: { main: "#6b3fb0", dark: "#2b1750", light: "#c9a8ff" },
};

const heads = { blade: "#c9ced6", ranger: "#5f8f4a", hexer: "#55348a", cleric: "#f3ead2", warden: "#b98a4a" };
const steps = 32, kingSteps = 96;

/** figure returns the picture of a hero that faces a direction, reach device pixels to each side of its centre. */
export function figure(sort, team, turn, reach) {
  const step = ((Math.round((turn / (2 * Math.PI)) * steps) % steps) + steps) % steps;
  return picture(`${sort} ${team} ${step} ${reach}`, reach * 2, reach * 2, (g) => {
    g.translate(reach, reach);
    g.rotate((step / steps) * 2 * Math.PI);
    g.scale(reach / 2, reach / 2); // two bodies wide
    hero(g, sort, teams[team]);
  });
}

// hero draws a hero that faces along x, with a body of about 1.
function hero(g, sort, t) {
  g.lineJoin = g.lineCap = "round";
  g.lineWidth = 0.110;
  g.strokeStyle = "#120d14";
  const blob = (fill, path) => { g.beginPath(); path(); g.fillStyle = fill; g.fill(); g.stroke(); };
  // The cloak trails behind.
  blob(t.dark, () => { g.moveTo(0.1, -0.62); g.quadraticCurveTo(-1.25, -0.72, -1.2, 0); g.quadraticCurveTo(-1.25, 0.72, 0.1, 0.62); g.closePath(); });
  weapon(g, sort, blob);
  const cloth = g.createLinearGradient(0.3, -0.8, -0.3, 0.8);
  cloth.addColorStop(0, t.light);
  cloth.addColorStop(0.4, t.main);
  cloth.addColorStop(1, t.dark);
  blob(cloth, () => g.ellipse(0, 0, 0.52, 0.86, 0, 0, 7));
  const skin = "#e9b98d";
  blob(skin, () => g.arc(0.5, -0.62, 0.2, 0, 7));
  blob(skin, () => g.arc(0.55, 0.6, 0.2, 0, 7));
  const head = heads[sort];
  blob(head, () => g.arc(0.06, 0, 0.46, 0, 7));
  g.fillStyle = "#fff5";
  g.beginPath();
  g.arc(0.14, -0.16, 0.18, 0, 7);
  g.fill();
  marks[sort](g, blob);
}

const marks = {
  blade(g) { g.beginPath(); g.moveTo(-0.36, 0); g.lineTo(0.5, 0); g.stroke(); },
  ranger(g) { g.beginPath(); g.moveTo(0.45, -0.2); g.lineTo(-0.1, 0); g.lineTo(0.45, 0.2); g.stroke(); },
  hexer(g) { g.fillStyle = "#c79bff"; g.beginPath(); g.arc(0.3, -0.14, 0.08, 0, 7); g.arc(0.3, 0.14, 0.08, 0, 7); g.fill(); },
  cleric(g) { g.strokeStyle = "#c69a2c"; g.lineWidth = 0.14; g.beginPath(); g.arc(0.06, 0, 0.3, 0, 7); g.stroke(); },
  warden(g, blob) { blob("#8a6230", () => g.ellipse(-0.05, -0.46, 0.16, 0.12, 0, 0, 7)); blob("#8a6230", () => g.ellipse(-0.05, 0.46, 0.16, 0.12, 0, 0, 7)); },
};

function weapon(g, sort, blob) {
  const stick = (x0, y0, x1, y1, wide, fill) => {
    g.save();
    g.lineWidth = wide + 0.14;
    g.beginPath(); g.moveTo(x0, y0); g.lineTo(x1, y1); g.stroke();
    g.lineWidth = wide;
    g.strokeStyle = fill;
    g.stroke();
    g.restore();
  };
  switch (sort) {
    case "blade":
      stick(0.5, 0.62, 1.75, 0.4, 0.15, "#e8edf4");
      stick(0.62, 0.38, 0.7, 0.84, 0.1, "#caa24a");
      break;
    case "warden":
      stick(0.5, 0.62, 1.35, 0.55, 0.12, "#7a5430");
      blob("#9aa1ab", () => g.roundRect(1.15, 0.26, 0.42, 0.6, 0.1));
      blob("#8d6b3a", () => g.ellipse(0.66, -0.66, 0.2, 0.5, 0.25, 0, 7));
      break;
    case "ranger":
      g.save();
      g.strokeStyle = "#120d14"; g.lineWidth = 0.26;
      g.beginPath(); g.arc(0.35, 0, 0.98, -0.95, 0.95); g.stroke();
      g.strokeStyle = "#a8743c"; g.lineWidth = 0.13; g.stroke();
      g.strokeStyle = "#f5f1e6"; g.lineWidth = 0.05;
      g.beginPath(); g.moveTo(0.92, -0.8); g.lineTo(0.5, 0); g.lineTo(0.92, 0.8); g.stroke();
      g.restore();
      break;
    default:
      stick(0.3, 0.66, 1.4, 0.5, 0.12, sort === "hexer" ? "#4a3566" : "#d9c389");
      blob(sort === "hexer" ? "#b26bff" : "#ffe08a", () => g.arc(1.48, 0.48, 0.24, 0, 7));
  }
}

/** king returns the picture of the King, 2 r wide, at an instant. */
export function king(turn, r, t, angry, dead, scale) {
  const step = Math.round((turn / (2 * Math.PI)) * kingSteps) % kingSteps, sway = Math.round(Math.sin(t / 600) * 3) / 75;
  return around(`king ${step} ${sway} ${angry} ${dead}`, 2.08 * r, scale, (g) => {
    g.rotate((step / kingSteps) * 2 * Math.PI);
    g.scale(r, r);
    drawKing(g, sway, angry, dead);
  });
}

// drawKing draws the King, facing along x, with a radius of 1.
function drawKing(g, sway, angry, dead) {
  g.lineJoin = "round";
  g.lineWidth = 0.05;
  g.strokeStyle = "#0c0714";
  const blob = (fill, path) => { g.beginPath(); path(); g.fillStyle = fill; g.fill(); g.stroke(); };
  if (dead) g.globalAlpha = 0.45;
  blob("#1b1030", () => { // a torn cloak
    g.moveTo(0.3, -0.9);
    for (let k = 0; k <= 8; k++) g.lineTo(-1.05 - (k % 2) * 0.28 + sway, -0.95 + (k / 8) * 1.9);
    g.lineTo(0.3, 0.9);
    g.closePath();
  });
  const robe = g.createRadialGradient(0, 0, 0.1, 0, 0, 1.1);
  robe.addColorStop(0, "#6d4aa8");
  robe.addColorStop(1, "#271545");
  blob(robe, () => g.ellipse(-0.05, 0, 0.62, 1.05, 0, 0, 7));
  for (const side of [-1, 1]) {
    blob("#8b8798", () => g.ellipse(0, side * 0.86, 0.36, 0.3, 0, 0, 7));
    blob("#5c586b", () => { g.moveTo(-0.1, side * 1.05); g.lineTo(0.12, side * 1.4); g.lineTo(0.24, side * 1.02); g.closePath(); });
    blob("#d8cfb8", () => g.arc(0.72, side * 0.7, 0.17, 0, 7));
  }
  g.save(); // a curved sword
  g.lineWidth = 0.16; g.beginPath(); g.moveTo(0.5, 0.78); g.lineTo(1.9, 0.3); g.stroke();
  g.lineWidth = 0.09; g.strokeStyle = angry ? "#ff6b5a" : "#cdb7ff"; g.stroke();
  g.restore();
  blob("#e7dec8", () => g.arc(0.12, 0, 0.42, 0, 7));
  blob("#e3b84d", () => { // the crown
    for (let k = 0; k < 12; k++) {
      const a = (k / 12) * 2 * Math.PI, d = k % 2 ? 0.36 : 0.58;
      g.lineTo(0.08 + Math.cos(a) * d, Math.sin(a) * d);
    }
    g.closePath();
  });
  blob("#2a1846", () => g.arc(0.08, 0, 0.3, 0, 7));
  g.fillStyle = dead ? "#444" : angry ? "#ff5340" : "#c9a1ff";
  g.beginPath(); g.arc(0.22, -0.12, 0.07, 0, 7); g.arc(0.22, 0.12, 0.07, 0, 7); g.fill();
}
