// node jumps.js SEED MINUTES: plays a game with random lag, loss, refusals and changes, and counts
// what a player sees jump, with and without prediction. Time is simulated, so the same seed gives the
// same figures. It fails if a screen differs from the server after the last answer, or if prediction
// adds a jump.
//
// A jump is a drawn frame in which the remaining time of a buff differs by more than 50 ms from the
// remaining time in the frame before, less the time between the two; or in which a buff appears or
// disappears with more than 50 ms left. What a player's own command changes within 100 ms, or in the next frame, is no jump.
import assert from "node:assert/strict";
import { Client, left } from "./client.js";
import { Predictor } from "./predict.js";

const FRAME = 50, DRAW = 1000 / 60, ME = 7;
const specs = { haste: 1, renew: 2, cooldown: 3, breath: 4 };
const durations = { 1: 6000, 2: 9000, 3: 1500, 4: 900 };

// random returns a generator of numbers from 0 to 1.
const random = (seed) => () => {
  seed = (seed + 0x6d2b79f5) | 0;
  let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
  return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
};

const number = (v) => {
  const out = [];
  for (; v >= 128; v = Math.floor(v / 128)) out.push((v % 128) | 128);
  return [...out, v];
};
const definitions = () => Uint8Array.from([0x12, ...Array(8).fill(1), 4,
  ...Object.values(specs).flatMap((n) => [10 + number(durations[n]).length - 1, n, 1, 97, 0, 0, 8, 0, ...number(durations[n]), 1, 0])]);

// World is a server with one owner. Its slots are the numbers of the definitions.
class World {
  buffs = new Map(); // by definition: the end
  changed = new Set();
  packets = 0;
  constructor(dice, refused, altered) { Object.assign(this, { dice, refused, altered }); }

  // cast executes a command at a time, and returns whether it did.
  cast(what, at) {
    const ready = ![3, 4].some((n) => this.buffs.get(n) > at);
    if (!ready || this.dice() < this.refused) return false;
    const factor = this.dice() < this.altered ? 0.5 + this.dice() : 1;
    for (const n of [what, 3, 4]) {
      const rest = n === 2 ? Math.min(Math.max((this.buffs.get(2) ?? 0) - at, 0), 0.3 * durations[2]) : 0;
      this.buffs.set(n, at + Math.round(durations[n] * (n === what ? factor : 1)) + rest);
      this.changed.add(n);
    }
    return true;
  }

  // strange removes or shortens a buff, as another player's action.
  strange(now) {
    const [n, end] = [...this.buffs][Math.floor(this.dice() * this.buffs.size)] ?? [];
    if (n === undefined) return;
    this.dice() < 0.5 ? this.buffs.delete(n) : this.buffs.set(n, now + Math.ceil((end - now) * this.dice()));
    this.changed.add(n);
  }

  end(now) {
    for (const [n, end] of this.buffs) if (end <= now) this.buffs.delete(n), this.changed.add(n);
  }

  record(n, now) {
    const end = this.buffs.get(n);
    return end === undefined ? [n + 1, 0] : [n + 1, 0x81, n, ME, ...number((end - now) * 4 + 1)];
  }

  packet(now) {
    const changes = [...this.changed].flatMap((n) => this.record(n, now)), count = this.changed.size;
    this.changed.clear();
    if (this.packets === 0) return this.full(now, [0x10, ++this.packets]);
    return Uint8Array.from([0x10, ...number(++this.packets), ...number(now), ...(count ? [0, count, ...changes] : [])]);
  }

  full(now, head) {
    const all = [...this.buffs.keys()];
    return Uint8Array.from([...head, ...number(now), 1, ME, all.length, ...all.flatMap((n) => this.record(n, now))]);
  }
}

// Line delivers messages in order, each after a random part of the lag.
class Line {
  queue = [];
  ready = 0;
  constructor(dice, [least, most]) { Object.assign(this, { dice, least, most }); }
  send(now, message) {
    this.ready = Math.max(this.ready, now + (this.least + this.dice() * (this.most - this.least)) / 2);
    this.queue.push([this.ready, message]);
  }
  take(now) {
    const out = [];
    while (this.queue.length && this.queue[0][0] <= now) out.push(this.queue.shift()[1]);
    return out;
  }
}

function play({ seed, minutes, lag, loss = 0, refused = 0, altered = 0, mute = 0, foreign = 0, predicts = true }) {
  const dice = random(seed), hands = random(seed ^ 0x5bd1e995), world = new World(dice, refused, altered);
  const up = new Line(dice, lag), down = new Line(dice, lag);
  const client = new Client(), predictor = new Predictor(client, String(ME));
  const own = (now) => (predicts ? predictor.buffs(now) : [...client.owners.get(String(ME))?.buffs.values() ?? []]);
  client.receive(definitions());
  const end = minutes * 60_000, skew = (hands() - 0.5) * 40; // the error of the client's clock
  const out = { casts: 0, jumps: 0, refused: 0, waits: [] };
  let frame = 0, next = 3000, seen = new Map(), at = 0, pressed = -1e9, waiting = null, asked = 0, jumped = false;

  const receive = (message) => {
    if (!(message instanceof Uint8Array)) {
      const [key, time, done] = message;
      out.refused += done ? 0 : 1;
      if (!done && waiting?.key === key) waiting = null;
      if (predicts) done ? predictor.confirm(key, time) : predictor.refuse(key);
      return;
    }
    try {
      client.receive(message);
    } catch (err) {
      assert.equal(err.code, "gap", err.stack);
      if (wall - asked > lag[1] + 150) up.send(asked = wall, "missed");
    }
  };

  let wall = 0;
  const lost = () => dice() < loss && wall < end;
  for (let k = 0; wall < end + 4000; k++) {
    wall = k * DRAW;
    for (; (frame + 1) * FRAME <= wall; ) { // the server's frame
      const time = ++frame * FRAME, answers = [];
      let repair = false;
      for (const m of up.take(time)) {
        if (m === "missed") repair = true;
        else if (dice() >= mute) answers.push([m.key, time, world.cast(m.what, time - FRAME)]);
      }
      world.end(time);
      for (const a of answers) if (dice() >= mute) down.send(time, a);
      if (dice() < foreign && wall < end) world.strange(time);
      if (repair && !lost()) down.send(time, world.full(time, [0x11, ...number(++world.packets), 0]));
      if ((world.changed.size || frame % 20 === 0) && (!lost() || world.packets === 0)) down.send(time, world.packet(time));
      else if (world.changed.size) world.packet(time); // lost
    }
    down.take(wall).forEach(receive);

    const now = wall + skew, shown = new Map(own(now).map((b) => [b.spec, left(b, now)]));
    const step = wall - at, changed = new Set();
    for (const n of new Set([...seen.keys(), ...shown.keys()])) {
      const want = Math.max((seen.get(n) ?? 0) - step, 0), got = shown.get(n) ?? 0;
      if (Math.abs(got - want) > 50) changed.add(n);
    }
    if (waiting && changed.has(waiting.what)) out.waits.push(wall - waiting.since), waiting = null;
    if (changed.size && wall - pressed > 100) out.jumps += jumped ? 0 : 1, jumped = true;
    else jumped = false;
    [seen, at] = [shown, wall];

    if (wall >= next && wall < end) { // the player presses a key
      next = wall + 400 + hands() * 2600;
      if ((shown.get(3) ?? 0) > 0 || (shown.get(4) ?? 0) > 0) continue;
      const what = hands() < 0.5 ? 1 : 2, rest = Math.min(shown.get(2) ?? 0, 0.3 * durations[2]);
      const key = !predicts ? ++out.casts : predictor.predict(now, (lag[0] + lag[1]) / 4 - FRAME / 2, [
        { spec: what, by: "target", duration: durations[what] + (what === 2 ? rest : 0) }, { spec: 3 }, { spec: 4 },
      ]);
      if (predicts) out.casts++;
      up.send(wall, { key, what });
      pressed = wall;
      waiting = { key, what, since: wall };
    }
  }
  const lasting = (all) => all.filter(([, ms]) => ms > 0).sort();
  const rest = lasting(own(wall).map((b) => [b.spec, left(b, wall)])), want = lasting([...world.buffs].map(([n, e]) => [n, Math.floor(e - wall)]));
  assert.deepEqual(rest, want, `seed ${seed}: the screen differs from the server`);
  assert.equal(predictor.pending, 0);
  out.waits.sort((a, b) => a - b);
  return out;
}

const [seed, minutes] = [Number(process.argv[2] ?? 1), Number(process.argv[3] ?? 10)];
const rows = [];
for (const lag of [[0, 0], [100, 100], [400, 400], [0, 400]]) {
  for (const loss of [0, 0.1]) {
    for (const wrong of [0, 0.05]) {
      const [off, on] = [false, true].map((predicts) => play({ seed, minutes, lag, loss, refused: wrong, altered: wrong, predicts }));
      const each = (n) => (n / minutes).toFixed(1), half = (o) => Math.round(o.waits[o.waits.length >> 1]);
      rows.push({
        "lag, ms": lag[0] === lag[1] ? `${lag[0]}` : lag.join("-"), loss, "refused, changed": wrong, "casts/min": each(on.casts),
        "jumps/min": each(off.jumps), predicted: each(on.jumps), "refused/min": each(on.refused), "wait, ms": half(off), "predicted, ms": half(on),
      });
      if (lag[1] >= 100) assert.ok(off.jumps > 3 * on.jumps, `${off.jumps} jumps, with prediction ${on.jumps}`);
      if (loss + wrong === 0) assert.ok(on.jumps <= on.refused, `${on.jumps} jumps and ${on.refused} refusals`);
    }
  }
}
console.table(rows);

// Lost commands and answers, and other players' actions: the screen is right in the end.
let games = 0;
for (let k = 0; k < 20 * minutes; k++, games++) {
  play({ seed: seed * 1000 + k, minutes: 0.2, lag: [0, 400], loss: 0.1, refused: 0.1, altered: 0.1, mute: 0.1, foreign: 0.05 });
}
console.log(`${games} games on bad lines`);

// Keys have 16 bits and are used again; 0 is not a key.
const client = new Client(), predictor = new Predictor(client, String(ME));
client.receive(new World(random(seed), 0, 0).packet(0));
for (let k = 0; k < 70_000; k++) {
  const key = predictor.predict(k, 0, []);
  assert.equal(key, (k % 65535) + 1);
  predictor.refuse(key);
  predictor.buffs(k);
}
