// SPDX-License-Identifier: MIT
// This module shows the player's own buffs before the server has confirmed them, see
// docs/protocol.md and predict.d.ts. It has no clock.
import { left } from "./client.js";

const SLOTS = 4096; // a server's slots are below it
const KEYS = 65535;

export class Predictor {
  #client;
  #options;
  #pending = []; // oldest first
  #fades = new Map(); // by slot: differences that are fading out
  #count = 0;

  constructor(client, owner = "", { most = 16, timeout = 3000, fade = 500 } = {}) {
    this.#client = client;
    this.#options = { most, timeout, fade };
    this.reset(owner);
  }

  /** pending is the number of predictions without an answer. */
  get pending() { return this.#pending.length; }

  /** reset discards all predictions, and sets the id of the player's own owner. */
  reset(owner = this.owner) {
    this.owner = owner;
    this.#pending = [];
    this.#fades.clear();
  }

  /** predict shows buffs that a command at the time now should apply. It returns the key to
   * send with the command, or 0 if nothing is predicted. */
  predict(now, delay, buffs) {
    if (this.#pending.length >= this.#options.most || !this.#client.owners.has(this.owner)) return 0;
    const key = (this.#count % KEYS) + 1;
    this.#count++;
    this.#pending.push({
      key, since: now, at: Infinity,
      buffs: buffs.map((b, k) => {
        const { duration, by } = this.#client.specs.get(b.spec) ?? {};
        return { duration: duration || null, by, ...b, start: now + delay, slot: SLOTS * key + k };
      }),
    });
    return key;
  }

  /** confirm accepts the answer that the server has executed a command. Packets with the time at,
   * or a later one, contain its effects. */
  confirm(key, at) {
    const p = this.#pending.find((p) => p.key === key);
    if (p) p.at = at;
  }

  /** refuse accepts the answer that the server has refused a command. */
  refuse(key) { this.confirm(key, -Infinity); }

  /** buffs returns the player's own buffs as they are to be shown at the time now. */
  buffs(now) {
    const waits = (p) => this.#client.now < p.at && now - p.since < this.#options.timeout;
    if (!this.#pending.every(waits)) {
      const before = this.#shown(now);
      this.#pending = this.#pending.filter(waits);
      this.#fades.clear();
      for (const b of this.#shown(now)) {
        const was = before.find((x) => x.slot === b.slot), [from, to] = [was ? left(was, now) : null, left(b, now)];
        if (from !== null && to !== null && from !== to) this.#fades.set(b.slot, { spec: b.spec, source: b.source, error: from - to, since: now });
      }
    }
    return this.#shown(now);
  }

  // shown returns the server's buffs with all fades and predictions on top.
  #shown(now) {
    const out = [...(this.#client.owners.get(this.owner)?.buffs.values() ?? [])];
    out.forEach((b, k) => { out[k] = this.#faded(b, now); });
    for (const p of this.#pending) {
      for (const { duration, by, start, ...fields } of p.buffs) {
        const k = out.findIndex((b) => b.spec === fields.spec && (by === "target" || b.source === this.owner));
        const b = out[k] ?? { source: this.owner, stacks: 1, magnitude: 0, level: 0, charges: 0, shield: 0, waiting: 0, hidden: false };
        const end = duration === null ? null : Math.min(start, now) + duration; // full until the start
        out[k < 0 ? out.length : k] = { ...b, ...fields, slot: b.slot ?? fields.slot, end, held: 0, left: null, rate: [1, 1] };
      }
    }
    return out;
  }

  // faded returns a buff whose end is moved by what is left of a difference.
  #faded(b, now) {
    const f = this.#fades.get(b.slot);
    if (!f || f.spec !== b.spec || f.source !== b.source) return b;
    const part = 1 - (now - f.since) / this.#options.fade, ms = f.error * part;
    if (!(part > 0) || left(b, now) === null) return b;
    return b.held ? { ...b, left: b.left + ms } : { ...b, end: b.end + (ms * b.rate[1]) / b.rate[0] };
  }
}
