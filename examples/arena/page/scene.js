// The canvas: ground, heroes, their casts, and the rings above their heads.
import { figure, king, teams } from "./figures.js";
import { Floor } from "./ground.js";
import { label, ring, shown, part } from "./buffs.js";
import { around, put, text } from "./pictures.js";

const arms = { 0: "#fff4d0", 1: "#f7e3b0", 2: "#b26bff", 3: "#ffd76a", 4: "#fff4d0", 5: "#d9c2ff" };
const spells = ["#57d267", "#5fe8b5", "#ffd24a", "#8fc2ff", "#ffe95c", "#ff7a6b", "#c39bff", "#d8f3ff"];
const pulses = { venom: "#8be86a", rend: "#ff8a90", hex: "#c9a1ff", quake: "#ffb27a", reckoning: "#ff86d4" };
const kinds = { struck: 0, cast: 1, hurt: 2, healed: 3, absorbed: 4, resisted: 5, fell: 6, rose: 7, shook: 8 };

export class Scene {
  constructor(canvas) {
    Object.assign(this, { canvas, g: canvas.getContext("2d", { alpha: false }), texts: [], shots: [], motes: [], x: 45, y: 30, shake: 0, state: new Map() });
    this.dark = matchMedia("(prefers-color-scheme: dark)");
    this.dark.addEventListener("change", () => (this.floor = null));
    const size = () => {
      this.scale = Math.min(devicePixelRatio || 1, 2);
      this.w = canvas.clientWidth;
      this.h = canvas.clientHeight;
      canvas.width = this.w * this.scale;
      canvas.height = this.h * this.scale;
      this.pace = Math.min(Math.max(this.w / 46, this.h / 30, 25), 46);
    };
    addEventListener("resize", size);
    size();
  }

  /** place returns the position in the arena of a pixel of the page. */
  place(px, py) { return [this.x + (px - this.w / 2) / this.pace, this.y + (py - this.h * this.middle) / this.pace]; }

  draw(world, client, owner, now, focus, me) {
    const { g, pace } = this, t = performance.now();
    this.middle = this.h > this.w ? 0.46 : 0.53;
    this.floor ??= new Floor(world.width, world.height, this.dark.matches);
    if (focus) {
      const far = Math.hypot(focus.x - this.x, focus.y - this.y) > 12;
      this.x += (focus.x - this.x) * (far ? 1 : 0.14);
      this.y += (focus.y - this.y) * (far ? 1 : 0.14);
    }
    this.shake *= 0.9;
    const onto = (v) => Math.round(v * this.scale) / this.scale; // a pixel
    const ox = onto(this.w / 2 - this.x * pace + Math.sin(t / 19) * this.shake), oy = onto(this.h * this.middle - this.y * pace + Math.cos(t / 23) * this.shake);
    g.setTransform(1, 0, 0, 1, 0, 0);
    this.floor.draw(g, Math.round(ox * this.scale), Math.round(oy * this.scale), pace * this.scale);
    g.setTransform(this.scale, 0, 0, this.scale, 0, 0);
    this.#facts(world, me, t);
    const seen = [];
    for (const u of world.units.values()) {
      u.px = ox + u.x * pace;
      u.py = oy + u.y * pace;
      if (u.px > -90 && u.px < this.w + 90 && u.py > -90 && u.py < this.h + 110) seen.push(u);
    }
    seen.sort((a, b) => b.dead - a.dead || a.y - b.y);
    for (const u of seen) {
      u.buffs = shown(client, owner(u.id));
      u.has = {};
      for (const [b, spec] of u.buffs) u.has[spec.id] ??= [b, spec];
    }
    for (const u of seen) this.#under(u, me, now, t);
    for (const u of seen) this.#body(u, t);
    this.#moving(ox, oy, t);
    for (const u of seen) this.#over(u, me, now);
    this.#texts(t);
    this.seen = seen.length;
  }

  #put(p, x, y) { put(this.g, p, x, y, this.scale); }

  // under draws the ground effects: banners, the King's quake, and the team rings at the feet.
  #under(u, me, now, t) {
    const { g, pace } = this;
    if (u.has.banner) this.#banner(u, t);
    if (u.has.tremor) {
      const p = 1 - (part(...u.has.tremor, now) ?? 0), r = 11 * pace;
      g.beginPath();
      g.arc(u.px, u.py, r, 0, 7);
      g.fillStyle = "#ff3b2612";
      g.fill();
      g.lineWidth = 2.5;
      g.strokeStyle = "#ff5a3ccc";
      g.stroke();
      g.beginPath();
      g.arc(u.px, u.py, r * p, 0, 7);
      g.fillStyle = "#ff3b2620";
      g.fill();
    }
    if (u.sort === "king") {
      const wide = 3.3 + Math.round(Math.sin(t / 500) * 4) * 0.045;
      this.#put(around(`glow ${!!u.has.fury} ${wide}`, wide * pace, this.scale, (g) => {
        const r = wide * pace, glow = g.createRadialGradient(0, 0, pace, 0, 0, r);
        glow.addColorStop(0, u.has.fury ? "#ff4a3a66" : "#9a63ff66");
        glow.addColorStop(1, "#9a63ff00");
        g.fillStyle = glow;
        g.fillRect(-r, -r, 2 * r, 2 * r);
      }), u.px, u.py);
    }
    const r = u.sort === "king" ? 2 * pace : 0.6 * pace;
    const aimed = me && u.id === me.target, self = me && u.id === me.id, ringed = !u.dead && !aimed && !self;
    this.#put(around(`feet ${ringed ? u.team : ""} ${r}`, r * 1.15 + 3, this.scale, (g) => {
      g.beginPath();
      g.ellipse(2, r * 0.28, r, r * 0.82, 0, 0, 7);
      g.fillStyle = "#0006";
      g.fill();
      if (!ringed) return;
      g.beginPath();
      g.arc(0, 0, r * 1.08, 0, 7);
      g.lineWidth = 1.6;
      g.strokeStyle = teams[u.team].light;
      g.globalAlpha = 0.4;
      g.stroke();
    }), u.px, u.py);
    if (u.dead || ringed) return;
    g.beginPath();
    g.arc(u.px, u.py, r * 1.22, 0, 7);
    g.lineWidth = 2.6;
    g.strokeStyle = self ? "#fff6d8" : "#ff4d5a";
    g.globalAlpha = 0.95;
    if (aimed) {
      g.setLineDash([r * 0.95, r * 0.95 * 1.02]);
      g.lineDashOffset = t / 30;
    }
    g.stroke();
    g.setLineDash([]);
    g.globalAlpha = 1;
  }

  // banner draws the range of a war banner: a tint and a rotating dashed circle.
  #banner(u, t) {
    const { g, pace } = this, r = 9 * pace, n = Math.round((2 * Math.PI * r) / 22), turn = t / 60 / r;
    if (u.px < -r || u.px > this.w + r || u.py < -r || u.py > this.h + r) return;
    g.fillStyle = g.strokeStyle = teams[u.team].light;
    g.globalAlpha = 0.04;
    g.beginPath();
    g.arc(u.px, u.py, r, 0, 7);
    g.fill();
    g.globalAlpha = 0.3;
    g.lineWidth = 1.6;
    g.beginPath();
    for (let k = 0; k < n; k++) { // straight segments look round enough
      const a = turn + (k / n) * 2 * Math.PI, b = a + 10 / r;
      g.moveTo(u.px + Math.cos(a) * r, u.py + Math.sin(a) * r);
      g.lineTo(u.px + Math.cos(b) * r, u.py + Math.sin(b) * r);
    }
    g.stroke();
    g.globalAlpha = 1;
  }

  #body(u, t) {
    const { g, pace, scale } = this;
    if (u.sort === "king") {
      this.#put(king(u.turn, 2 * pace, t, !!u.has.fury, u.dead, scale), u.px, u.py);
      if (u.has.stoneskin) this.#bubble(u, 2.6 * pace, "#c9a8ff");
      return;
    }
    const reach = Math.ceil(1.12 * pace * scale), turn = u.turn;
    const strike = Math.max(0, 1 - (t - u.swing) / 180), walk = u.moving ? Math.sin(t / 70 + u.id) * 0.06 : 0;
    const push = strike * 0.25 * pace;
    if (u.dead) g.globalAlpha = 0.28;
    const x = u.px + Math.cos(turn) * push, y = u.py + Math.sin(turn) * push;
    if (u.has.haste) {
      g.globalAlpha = 0.22;
      for (let k = 1; k < 3; k++) this.#put(figure(u.sort, u.team, turn, reach), x - Math.cos(turn) * k * 9, y - Math.sin(turn) * k * 9);
      g.globalAlpha = 1;
    }
    this.#put(figure(u.sort, u.team, turn + walk + strike * 0.35, reach), x, y);
    g.globalAlpha = 1;
    if (u.dead) return;
    if (t - u.hit < 110) {
      this.#put(around("hit", pace * 0.52, scale, (g) => {
        g.fillStyle = "#ffffff59";
        g.beginPath();
        g.arc(0, 0, pace * 0.52, 0, 7);
        g.fill();
      }), x, y);
    }
    if (u.has.barrier) this.#bubble(u, 0.98 * pace, "#8fc2ff");
    if (u.has.stun) {
      for (let k = 0; k < 3; k++) {
        const a = t / 260 + (k * 2 * Math.PI) / 3;
        this.#star(u.px + Math.cos(a) * pace * 0.62, u.py - pace * 0.28 + Math.sin(a) * pace * 0.24, pace * 0.17);
      }
    }
    if (u.has.banner) this.#flag(u);
    if ((u.has.venom || u.has.renew) && Math.random() < 0.07) {
      const good = !u.has.venom || (u.has.renew && Math.random() < 0.5);
      this.#mote(u.x + (Math.random() - 0.5) * 0.9, u.y, 0, -1.1, good ? "#6ff0b8" : "#7be05a", 700, t);
    }
  }

  #bubble(u, r, hue) {
    this.#put(around(`bubble ${hue}`, r, this.scale, (g) => {
      const f = g.createRadialGradient(-r * 0.3, -r * 0.4, r * 0.1, 0, 0, r);
      f.addColorStop(0, `${hue}10`);
      f.addColorStop(0.8, `${hue}30`);
      f.addColorStop(1, `${hue}b0`);
      g.fillStyle = f;
      g.beginPath();
      g.arc(0, 0, r, 0, 7);
      g.fill();
    }), u.px, u.py);
  }

  #star(x, y, r) {
    this.#put(around("star", r + 1, this.scale, (g) => {
      g.beginPath();
      for (let k = 0; k < 10; k++) {
        const a = (k / 10) * 2 * Math.PI - Math.PI / 2, d = k % 2 ? r * 0.45 : r;
        g.lineTo(Math.cos(a) * d, Math.sin(a) * d);
      }
      g.closePath();
      g.fillStyle = "#ffd84d";
      g.strokeStyle = "#5a3d00";
      g.lineWidth = 1;
      g.fill();
      g.stroke();
    }), x, y);
  }

  #flag(u) {
    const { pace } = this, sway = Math.round(Math.sin(performance.now() / 240) * 6) / 2;
    this.#put(around(`flag ${u.team} ${sway}`, pace * 1.62, this.scale, (g) => {
      const x = -pace * 0.55, y = 0;
      g.strokeStyle = "#2a1c10";
      g.lineWidth = 2.5;
      g.beginPath();
      g.moveTo(x, y + pace * 0.3);
      g.lineTo(x, y - pace * 1.5);
      g.stroke();
      g.fillStyle = teams[u.team].main;
      g.strokeStyle = "#1a0f0a";
      g.lineWidth = 1;
      g.beginPath();
      g.moveTo(x, y - pace * 1.5);
      g.quadraticCurveTo(x + pace * 0.4, y - pace * 1.5 + sway, x + pace * 0.8, y - pace * 1.4);
      g.lineTo(x + pace * 0.62, y - pace * 1.15);
      g.lineTo(x + pace * 0.8, y - pace * 0.9);
      g.quadraticCurveTo(x + pace * 0.4, y - pace * 0.98 + sway, x, y - pace * 0.92);
      g.closePath();
      g.fill();
      g.stroke();
    }), u.px, u.py);
  }

  // over draws the health and the first buffs above a head.
  #over(u, me, now) {
    const { g, pace } = this;
    if (u.dead) {
      if (u.has.fallen) ring(g, ...u.has.fallen, now, u.px, u.py, pace * 0.42, this.scale);
      return;
    }
    if (u.sort === "king") return;
    const mine = me && (u.id === me.id || u.id === me.target), w = mine ? pace * 1.7 : pace * 1.25, h = mine ? 6 : 4, y = u.py - pace * 0.98;
    g.fillStyle = "#000b";
    g.fillRect(u.px - w / 2 - 1, y - 1, w + 2, h + 2);
    g.fillStyle = teams[u.team].main;
    g.fillRect(u.px - w / 2, y, w * u.health, h);
    g.fillStyle = "#ffffff38";
    g.fillRect(u.px - w / 2, y, w * u.health, h * 0.4);
    const most = mine ? 6 : 4, r = mine ? 9 : 6.4, step = r * 2 + 1.5, n = Math.min(u.buffs.length, most);
    for (let k = 0; k < n; k++) {
      const x = u.px + (k - (n - 1) / 2) * step, top = y - r - 3;
      ring(g, ...u.buffs[k], now, x, top, r, this.scale);
      if (mine) label(g, ...u.buffs[k], now, x, top, r, this.scale);
    }
    if (mine || (me && u.team === me.team && u.squad === me.squad)) this.#text(u.name, u.px, y - 2 * r - 11, 12, "#fff6e0", 1);
  }

  // facts turns events into shots, numbers and particles.
  #facts(world, me, t) {
    for (const f of world.facts.splice(0)) {
      const from = world.units.get(f.source), to = world.units.get(f.target);
      if (!to || to.x === undefined) continue;
      const mine = me && (f.source === me.id || f.target === me.id);
      switch (f.kind) {
        case kinds.struck:
          to.hit = t;
          if (from?.x !== undefined) {
            from.swing = t;
            if (f.what >= 1 && f.what <= 3) this.#shot(from, to, arms[f.what], t, f.what === 1);
            else this.#slash(to, from, t);
          }
          this.#number(to, f.amount, mine && f.target === me.id ? "#ff6d6d" : "#fff1cf", mine, t);
          break;
        case kinds.cast:
          if (from?.x !== undefined && from !== to) this.#shot(from, to, spells[f.what], t, false);
          for (let k = 0; k < 10; k++) this.#mote(to.x, to.y, Math.cos(k * 0.63) * 2.2, Math.sin(k * 0.63) * 2.2, spells[f.what], 480, t);
          break;
        case kinds.hurt:
          this.#number(to, f.amount, pulses[world.icons[f.what]] ?? "#ffe7b0", mine, t);
          break;
        case kinds.healed:
          if (mine || Math.random() < 0.3) this.#number(to, `+${f.amount}`, "#6ff0a8", mine, t);
          break;
        case kinds.absorbed:
          if (mine) this.#number(to, `(${f.amount})`, "#9cc9ff", true, t);
          break;
        case kinds.resisted:
          if (mine) this.#number(to, "immune", "#ffd84d", true, t);
          break;
        case kinds.fell:
          for (let k = 0; k < 16; k++) this.#mote(to.x, to.y, Math.cos(k * 0.4) * 2.5, Math.sin(k * 0.4) * 2.5, teams[to.team].light, 900, t);
          break;
        case kinds.shook:
          this.shake = 9;
          for (let k = 0; k < 48; k++) this.#mote(to.x + Math.cos(k * 0.131) * 10, to.y + Math.sin(k * 0.131) * 10, Math.cos(k * 0.131) * 2, Math.sin(k * 0.131) * 2, "#e09a6a", 800, t);
      }
    }
  }

  #number(u, text, hue, mine, t) {
    if (!mine && (this.texts.length > 26 || Math.random() < 0.45)) return;
    if (this.texts.length > 60) this.texts.shift();
    this.texts.push({ u, text: String(text), hue, mine, t, dx: ((this.turns = (this.turns ?? 0) + 1) % 5 - 2) * (u.sort === "king" ? 30 : mine ? 19 : 11), x: u.x, y: u.y });
  }
  #shot(from, to, hue, t, arrow) { if (this.shots.length < 120) this.shots.push({ x: from.x, y: from.y, to, hue, t, arrow, time: 70 + Math.hypot(to.x - from.x, to.y - from.y) * 16 }); }
  #slash(to, from, t) { if (this.shots.length < 120) this.shots.push({ slash: true, to, turn: Math.atan2(to.y - from.y, to.x - from.x), t, time: 160 }); }
  #mote(x, y, vx, vy, hue, time, t) { if (this.motes.length < 260) this.motes.push({ x, y, vx, vy, hue, time, t }); }

  #moving(ox, oy, t) {
    const { g, pace } = this;
    g.lineCap = "round";
    this.shots = this.shots.filter((s) => {
      const p = (t - s.t) / s.time;
      if (p >= 1) return false;
      const tx = ox + s.to.x * pace, ty = oy + s.to.y * pace;
      if (s.slash) {
        g.globalAlpha = 1 - p;
        g.strokeStyle = "#fff8e2";
        g.lineWidth = 3;
        g.beginPath();
        g.arc(tx - Math.cos(s.turn) * pace * 0.7, ty - Math.sin(s.turn) * pace * 0.7, pace * 0.95, s.turn - 0.9 + p * 0.8, s.turn + 0.2 + p * 0.8);
        g.stroke();
      } else {
        const sx = ox + s.x * pace, sy = oy + s.y * pace, x = sx + (tx - sx) * p, y = sy + (ty - sy) * p, d = Math.hypot(tx - sx, ty - sy) || 1;
        const tail = s.arrow ? 15 : 20, bx = x - ((tx - sx) / d) * tail, by = y - ((ty - sy) / d) * tail;
        g.globalAlpha = s.arrow ? 0.9 : 0.45;
        g.strokeStyle = s.hue;
        g.lineWidth = s.arrow ? 1.8 : 5;
        g.beginPath();
        g.moveTo(bx, by);
        g.lineTo(x, y);
        g.stroke();
        if (!s.arrow) {
          g.globalAlpha = 1;
          g.fillStyle = "#fff";
          g.beginPath();
          g.arc(x, y, 3.2, 0, 7);
          g.fill();
        }
      }
      return true;
    });
    this.motes = this.motes.filter((m) => {
      const p = (t - m.t) / m.time;
      if (p >= 1) return false;
      g.globalAlpha = 1 - p;
      g.fillStyle = m.hue;
      const s = (t - m.t) / 1000, r = 3.2 * (1 - p * 0.6);
      g.fillRect(ox + (m.x + m.vx * s) * pace - r / 2, oy + (m.y + m.vy * s) * pace - r / 2, r, r);
      return true;
    });
    g.globalAlpha = 1;
  }

  #texts(t) {
    this.texts = this.texts.filter((n) => {
      const p = (t - n.t) / (n.mine ? 1000 : 700);
      if (p >= 1) return false;
      const u = n.u, x = (u.px ?? 0) + n.dx, y = (u.py ?? 0) - this.pace * (u.sort === "king" ? 1.6 : 0.4) - p * 34;
      this.#text(n.text, x, y, n.mine ? 18 - Math.round(p * 6) / 2 : 12.5, n.hue, (n.mine ? 1 : 0.85) * Math.min(1, 2.2 * (1 - p)));
      return true;
    });
  }

  #text(word, x, y, size, hue, alpha) {
    this.g.globalAlpha = alpha;
    text(this.g, word, x, y, size, hue, 3, "#0b080e", this.scale);
    this.g.globalAlpha = 1;
  }
}
