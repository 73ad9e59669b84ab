// The entry point: input, the panels next to the canvas, and the frame loop.
import { Link, scene as sceneKind, truth as truthKind, answer as answerKind } from "./link.js";
import { World } from "./world.js";
import { Scene } from "./scene.js";
import { Row, stepOf } from "./buffs.js";
import { left } from "./client.js";
import { disc } from "./icons.js";
import { figure, king as kingOf, teams } from "./figures.js";
import { put, text } from "./pictures.js";

const $ = (q, from = document) => from.querySelector(q);
const small = matchMedia("(max-width: 720px)");
const world = new World(), view = new Scene($("#scene"));
const link = new Link(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/play`, heard);
const { client } = link;
const stats = { compared: 0, worst: 0, frames: 0, fps: 0, long: 0, predicted: 0, mispredicted: 0 };
let follows = 0; // the unit that a spectator follows

// Messages from the server.
function heard(what, more) {
  if (what === "hello") greet(more);
  else if (what === sceneKind) world.scene(more, link.now);
  else if (what === truthKind) hold(more);
  else if (what === answerKind) answered(more.getUint8(1), more.getUint8(2), more.getUint16(3, true), more.getFloat64(5, true));
}

function greet(h) {
  world.meet(h);
  if (h.token) sessionStorage.setItem("token", h.token);
  document.body.classList.toggle("playing", h.you !== 0);
  if (h.you && h.you !== held.you) skills();
  held.you = h.you;
  fill();
}

// hold compares the drawn remaining times with the server's, at the same instant of its time.
function hold(v) {
  const at = v.getFloat64(1, true);
  if (client.now !== at) return; // the preceding packet was lost and has been requested
  let p = 10;
  for (let n = v.getUint8(9); n > 0; n--) {
    const owner = client.owners.get(String(v.getUint16(p, true)));
    let buffs = v.getUint8(p + 2);
    for (p += 3; buffs > 0; buffs--, p += 10) {
      const b = owner?.buffs.get(v.getUint16(p, true)), theirs = v.getFloat64(p + 2, true), mine = b ? left(b, at) : undefined;
      stats.compared++;
      if (b === undefined) stats.worst = Infinity;
      else stats.worst = Math.max(stats.worst, Math.abs((mine ?? -1) - theirs));
    }
  }
}

// The kinds of targets: see game/book.go.
const aims = { foe: 0, friend: 1, self: 2, any: 3 };

const held = { you: 0, keys: new Set() };
const immune = 5; // the ability was cast, but the target resisted
const refusals = { 1: "Not ready", 2: "You cannot do that now", 3: "Select a target first", 4: "Too far away", 5: "Immune", 6: "Nothing to dispel" };

function answered(skill, why, key, at) {
  if (why === 0 || why === immune) link.predictor.confirm(key, at);
  else link.predictor.refuse(key), stats.mispredicted += key > 0;
  if (why !== 0) refuse(skill, why);
}

function refuse(skill, why) {
  const b = $("#skills").children[skill];
  b?.classList.remove("no");
  void b?.offsetWidth; // restarts the animation
  b?.classList.add("no");
  if (why !== 1) notice(refusals[why] ?? "Refused");
}

let noticed;
function notice(text) {
  $("#notice").textContent = text;
  $("#notice").classList.add("on");
  clearTimeout(noticed);
  noticed = setTimeout(() => $("#notice").classList.remove("on"), 1300);
}

// cast requests an ability, and shows what it will probably do to the player's hero.
function cast(k) { link.cast(k, $("#predict").checked ? predict(world.skills[k]) : 0); }

// predict returns the key of a prediction, or 0 if the cast may fail or its effect is not known. It
// predicts cooldowns, and the buff if the hero casts it at itself.
function predict(s) {
  const now = link.now, me = world.units.get(world.you), at = world.units.get(me?.target);
  const shown = link.predictor.buffs(now), own = new Map(shown.map((b) => [client.specs.get(b.spec)?.id, b]));
  const numbers = new Map([...client.specs].map(([n, spec]) => [spec.id, n]));
  const way = (link.trip ?? 0) / 2, runs = now + Math.min(way - 50, 0); // the server reads requests at the start of a frame
  const waits = (id) => own.has(id) && left(own.get(id), runs) > 0;
  if (!me || me.dead || world.still || s.aim === aims.any || ["breath", `${s.id}_cooldown`, "stun", "silence", "fallen"].some(waits)) return 0;
  const foe = at && !at.dead && at.team !== me.team, near = at && Math.hypot(at.x - me.x, at.y - me.y) <= s.range + (at.sort === "king" ? 2 : 0);
  if (s.aim === aims.foe && !(foe && near)) return 0;
  const buffs = [{ spec: numbers.get(`${s.id}_cooldown`) }, { spec: numbers.get("breath") }];
  const atSelf = s.aim === aims.self || (s.aim === aims.friend && (!at || at === me || at.dead || foe));
  if (s.id === "renew" && atSelf) { // refresh: pandemic
    const spec = numbers.get(s.id), { duration } = client.specs.get(spec), b = shown.find((b) => b.spec === spec && b.source === String(me.id));
    buffs.push({ spec, duration: duration + Math.min(b ? left(b, now) : 0, 0.3 * duration) });
  } else if (atSelf) buffs.push({ spec: numbers.get(s.id) });
  const key = link.predictor.predict(now, Math.max(way - 25, 0), buffs);
  stats.predicted += key > 0;
  return key;
}

// The buttons of the abilities.
function skills() {
  $("#skills").replaceChildren(...world.skills.map((s, k) => {
    const b = document.createElement("button");
    b.title = `${s.name}: ${s.text}`;
    b.setAttribute("aria-label", b.title);
    b.append(document.createElement("canvas"), Object.assign(document.createElement("kbd"), { textContent: k + 1 }));
    b.onclick = () => cast(k);
    return b;
  }));
}

function drawSkills(now) {
  const cool = new Map();
  let silent = false;
  for (const b of owner(world.you)?.buffs.values() ?? []) {
    const id = client.specs.get(b.spec)?.id ?? "";
    if (id.endsWith("_cooldown") || id === "breath") cool.set(id, b);
    silent ||= id === "silence" || id === "stun" || id === "fallen";
  }
  const size = small.matches ? 43 : 60, scale = devicePixelRatio || 1;
  world.skills.forEach((s, k) => {
    const c = $("#skills").children[k].firstChild;
    const all = [cool.get(`${s.id}_cooldown`), cool.get("breath")].filter(Boolean);
    const wait = all.reduce((a, b) => (!a || left(b, now) > left(a, now) ? b : a), null), ms = wait ? left(wait, now) : 0;
    const held = wait?.held, around = 4 * size * scale; // pixels
    const word = ms > 950 || held ? (held ? "II" : ms < 3000 ? (ms / 1000).toFixed(1) : String(Math.ceil(ms / 1000))) : "";
    const part = ms > 0 ? Math.round((ms / Math.max(client.specs.get(wait.spec).duration, ms)) * around) / around : 0;
    const looks = `${s.id} ${part} ${word} ${held} ${silent} ${size} ${scale}`;
    if (c.looks === looks) return;
    c.looks = looks;
    if (c.width !== size * scale) c.width = c.height = size * scale;
    drawSkill(c.getContext("2d"), { barrier: "shield" }[s.id] ?? s.id, size, scale, { part, word, held, silent });
  });
}

function drawSkill(g, icon, size, scale, { part, word, held, silent }) {
  g.setTransform(scale, 0, 0, scale, 0, 0);
  g.clearRect(0, 0, size, size);
  g.drawImage(disc(icon, Math.ceil(size * scale), true), 0, 0, size, size);
  g.save();
  g.beginPath();
  g.roundRect(0, 0, size, size, size * 0.23);
  g.clip();
  if (part > 0) {
    g.beginPath();
    g.moveTo(size / 2, size / 2);
    g.arc(size / 2, size / 2, size, -Math.PI / 2 + (1 - part) * 2 * Math.PI, 1.5 * Math.PI);
    g.fillStyle = "#07060bc4";
    g.fill();
    if (word) text(g, word, size / 2, size / 2, size * 0.34, "#fff", 4, "#000c", scale);
  } else if (silent) {
    g.fillStyle = "#07060ba0";
    g.fillRect(0, 0, size, size);
  }
  g.restore();
  g.lineWidth = 2;
  g.strokeStyle = held ? "#9fd8ff" : part > 0 || silent ? "#ffffff38" : "#f2d48a";
  g.beginPath();
  g.roundRect(1, 1, size - 2, size - 2, size * 0.22);
  g.stroke();
}

// owner returns an owner with its buffs, which for the player's hero include the predicted buffs.
let mine = { buffs: [] };
const owner = (id) => (id === world.you ? mine : client.owners.get(String(id)));

// The panels next to the canvas.
const rows = new Map();
const row = (canvas, o) => rows.get(canvas) ?? (rows.set(canvas, new Row(canvas, o)), rows.get(canvas));

function unitFrame(el, u) {
  el.hidden = !u;
  if (!u || el.of === u.id) return;
  el.of = u.id;
  el.classList.remove("ember", "tide", "hollow");
  el.classList.add(u.team);
  $("h2 span", el).textContent = u.name;
  $("h2 small", el).textContent = u.class;
  portrait($(".portrait", el), u);
}

function portrait(c, u) {
  const size = c.clientWidth * (devicePixelRatio || 1);
  c.width = c.height = size;
  const g = c.getContext("2d"), t = teams[u.team], f = g.createRadialGradient(size / 2, size * 0.4, 0, size / 2, size / 2, size * 0.55);
  f.addColorStop(0, t.light);
  f.addColorStop(1, t.dark);
  g.fillStyle = f;
  g.fillRect(0, 0, size, size);
  put(g, u.sort === "king" ? kingOf(Math.PI / 2, size * 0.36, 0, false, false, 1) : figure(u.sort, u.team, Math.PI * 0.35, Math.round(size * 0.6)), size / 2, size / 2, 1);
}

function bar(el, part, word) {
  if (el.part !== part) $(".bar i", el).style.transform = `scaleX(${part})`;
  if (word !== undefined && el.word !== word) $(el.id === "king" ? "small" : ".bar b", el).textContent = word;
  [el.part, el.word] = [part, word];
}

function fill() { // the squad
  const you = world.people.get(world.you);
  const mates = you ? [...world.people.values()].filter((p) => p.id !== you.id && p.side === you.side && p.squad === you.squad) : [];
  $("#party").replaceChildren(...mates.map((m) => {
    const el = document.createElement("div");
    el.className = m.team;
    el.innerHTML = '<h2><span></span><small></small></h2><div class="bar"><i></i></div><canvas class="buffs"></canvas>';
    $("span", el).textContent = m.name;
    $("small", el).textContent = m.class;
    el.of = m.id;
    return el;
  }));
}

const whole = new Intl.NumberFormat("en");
const health = (u) => (u.most === undefined ? `${Math.round(u.health * 100)} %` : `${whole.format(u.points)} / ${whole.format(u.most)}`); // numbers only of the own squad
let odd = false;

function frames(now) {
  odd = !odd;
  const king = world.units.get(world.king), me = world.units.get(world.you), target = me && world.units.get(me.target);
  if (odd) {
    if (king) {
      bar($("#king"), king.health, king.dead ? "fallen" : health(king));
      const wide = $("#king").clientWidth - 24, size = small.matches ? 19 : 24, step = stepOf(size);
      const r = row($("#king .buffs"), {});
      Object.assign(r, { size, columns: Math.floor((wide - 2) / step), most: 2 * Math.floor((wide - 2) / step) });
      stats.king = r.draw(client, owner(world.king), now);
    }
    return;
  }
  unitFrame($("#self"), me);
  unitFrame($("#target"), target && target !== me ? target : null);
  for (const [el, u] of [[$("#self"), me], [$("#target"), target]]) {
    if (!u || el.hidden) continue;
    el.classList.toggle("dead", u.dead);
    bar(el, u.health, health(u));
    const size = small.matches ? 17 : 26;
    const r = row($(".buffs", el), {});
    Object.assign(r, { size, columns: small.matches ? 6 : 5, most: small.matches ? 12 : 15 });
    r.draw(client, owner(u.id), now);
  }
  if (small.matches) return;
  for (const el of $("#party").children) {
    const u = world.units.get(el.of);
    if (!u) continue;
    el.classList.toggle("dead", u.dead);
    bar(el, u.health);
    row($(".buffs", el), { size: 17, columns: 7, most: 7, labels: false }).draw(client, owner(u.id), now);
  }
}

// The frame loop.
let last = performance.now();
function frame(t) {
  requestAnimationFrame(frame);
  stats.frames++;
  if (t - last > 34) stats.long++;
  last = t;
  if (!world.width) return;
  const now = link.now;
  world.settle(now, client);
  const me = world.units.get(world.you);
  mine = { buffs: link.predictor.buffs(now) };
  view.draw(world, client, owner, now, me ?? world.units.get(follows) ?? world.units.get(world.king), me);
  frames(now);
  if (world.you) drawSkills(now);
}
requestAnimationFrame(frame);

let counted = { frames: 0, bytes: 0, buffs: 0, at: performance.now() };
setInterval(() => {
  const at = performance.now(), s = (at - counted.at) / 1000;
  stats.fps = Math.round((stats.frames - counted.frames) / s);
  $("#fps").textContent = `${stats.fps} fps`;
  $("#rate").textContent = link.open ? `${Math.round((link.buffBytes - counted.buffs) / s)} of ${Math.round((link.bytes - counted.bytes) / s).toLocaleString("en")} B/s` : "–";
  counted = { frames: stats.frames, bytes: link.bytes, buffs: link.buffBytes, at };
  $("#truth").textContent = stats.compared ? `${stats.compared.toLocaleString("en")}: ${stats.worst === Infinity ? "one missing" : `off by ${stats.worst} ms`}` : "–";
  $("#truth").className = stats.compared ? (stats.worst > 0 ? "wrong" : "right") : "";
  $("#gaps").textContent = link.gaps;
  $("#predicted").textContent = `${stats.predicted}, ${stats.mispredicted} refused`;
  $("#lamp").className = !link.open ? "" : world.still ? "still" : "on";
  $("#state").textContent = !link.open ? "connecting …" : world.still ? "paused" : `ping ${Math.round(link.trip ?? 0)} ms`;
  $("#pause").setAttribute("aria-pressed", world.still);
  $("#pause").textContent = world.still ? "Resume" : "Pause";
  $("#watch").textContent = world.you ? "Spectate" : "Play a hero";
}, 500);

// Keys and clicks.
const ways = { w: [0, -1], a: [-1, 0], s: [0, 1], d: [1, 0], arrowup: [0, -1], arrowleft: [-1, 0], arrowdown: [0, 1], arrowright: [1, 0] };
function step() {
  let x = 0, y = 0;
  for (const k of held.keys) [x, y] = [x + ways[k][0], y + ways[k][1]];
  if (x !== held.x || y !== held.y) link.walk((held.x = x), (held.y = y));
}
addEventListener("keydown", (e) => {
  const key = e.key.toLowerCase();
  if (e.target instanceof HTMLInputElement || e.ctrlKey || e.metaKey || e.altKey) return;
  if (ways[key] && world.you) held.keys.add(key), step(), e.preventDefault();
  else if (!e.repeat && key >= "1" && key <= "8" && world.you) cast(Number(key) - 1);
  else if (key === "tab" && world.you && document.activeElement === view.canvas) next(), e.preventDefault();
  else if (key === "escape") link.aim(0);
});
addEventListener("keyup", (e) => held.keys.delete(e.key.toLowerCase()) && step());
addEventListener("blur", () => (held.keys.clear(), world.you && step()));

// next targets the nearest foe, and then the next nearest.
function next() {
  const me = world.units.get(world.you);
  const foes = [...world.units.values()].filter((u) => u.team !== me.team && !u.dead).sort((a, b) => Math.hypot(a.x - me.x, a.y - me.y) - Math.hypot(b.x - me.x, b.y - me.y)).slice(0, 8);
  const at = foes.findIndex((u) => u.id === me.target);
  if (foes.length) link.aim(foes[(at + 1) % foes.length].id);
}

view.canvas.addEventListener("pointerdown", (e) => {
  if (!world.width || !link.open) return;
  view.canvas.focus({ preventScroll: true });
  const [x, y] = view.place(e.clientX, e.clientY);
  let best = null, near = e.pointerType === "touch" ? 1.6 : 1.1;
  for (const u of world.units.values()) {
    const d = Math.hypot(u.x - x, u.y - y) - (u.sort === "king" ? 1.6 : 0);
    if (!u.dead && d < near) [best, near] = [u, d];
  }
  if (!world.you) {
    if (best) link.watch((follows = best.id));
  } else if (best) link.aim(best.id);
  else link.go(Math.min(Math.max(x, 0), world.width) * world.grain, Math.min(Math.max(y, 0), world.height) * world.grain);
});

for (const [id, unit] of [["lag", "ms"], ["loss", "%"]]) {
  $(`#${id}`).oninput = (e) => {
    link[id] = Number(e.target.value);
    $(`#${id}text`).textContent = `${e.target.value} ${unit}`;
    link.pings = [];
  };
}
const begin = (play) => {
  document.body.classList.add("looking");
  if (play) link.play(() => sessionStorage.getItem("token"));
  else link.watch(follows);
};
$("#play").onclick = () => begin(true);
$("#look").onclick = () => begin(false);
$("#watch").onclick = () => begin(!world.you);
$("#pause").onclick = () => link.pause(!world.still);
if (small.matches) $("#line").open = false;
link.wants = () => Uint8Array.from([0x31, 0, 0]); // spectate behind the gate
link.connect();
if (location.hash === "#play") begin(true);
if (location.hash === "#watch") begin(false);

/** For tests and the console. */
window.arena = { link, client, world, stats, view, left };
