// SPDX-License-Identifier: MIT
// This module decodes the buffs of the owners in a player's view, see docs/protocol.md and
// client.d.ts. It has no dependencies and no clock. It does not trust the server. On failure it
// throws an Error with the code "gap" (a lost packet), "format" (a malformed message) or "limit".
// The options bound its memory.

const TIME = 2 ** 48, SPAN = 9223372036854, INT = 2 ** 31 - 1, SLOTS = 4096, ATTRIBUTES = 64;

class ProtocolError extends Error {
  constructor(code, text) {
    super(`replicate: ${text}`);
    this.code = code;
  }
}

const bad = (text) => { throw new ProtocolError("format", text); };

class Reader {
  constructor(bytes) {
    this.bytes = bytes;
    this.view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    this.at = 0;
  }
  byte() {
    if (this.at >= this.bytes.length) bad("truncated message");
    return this.bytes[this.at++];
  }
  // big reads an unsigned number of up to 64 bits.
  big() {
    let v = 0n;
    for (let k = 0; k < 10; k++) {
      const b = this.byte();
      if (k === 9 && b > 1) break;
      v |= BigInt(b & 127) << BigInt(7 * k);
      if (b < 128) return v;
    }
    return bad("number too long");
  }
  // number reads an unsigned number that must not exceed the given limit. Above 2^53 it is rounded.
  number(most = Infinity) {
    let v = 0, unit = 1;
    for (let k = 0; k < 10; k++) {
      const b = this.byte();
      v += (b & 127) * unit;
      if (b < 128) return v <= most && !(k === 9 && b > 1) ? v : bad("number out of range");
      unit *= 128;
    }
    return bad("number too long");
  }
  signed() {
    const v = this.big();
    return Number(v & 1n ? -(v >> 1n) - 1n : v >> 1n);
  }
  eight() {
    if (this.bytes.length - this.at < 8) bad("truncated message");
    this.at += 8;
    return this.at - 8;
  }
  fixed() { return this.view.getBigUint64(this.eight(), true); }
  float() { return this.view.getFloat64(this.eight(), true); }
  // end reads a length and returns where the bytes of that length end.
  end() {
    const n = this.number();
    return n > this.bytes.length - this.at ? bad("truncated message") : this.at + n;
  }
  // skip continues at an offset, which must not have been passed.
  skip(end) { this.at = this.at > end ? bad("truncated definition") : end; }
  text() {
    const end = this.end(), part = this.bytes.subarray(this.at, end);
    this.at = end;
    return new TextDecoder("utf-8", { ignoreBOM: true }).decode(part);
  }
}

/** number encodes a BigInt as a number. */
const number = (v) => {
  const out = [];
  for (; v >= 128n; v >>= 7n) out.push(Number(v & 127n) | 128);
  return [...out, Number(v)];
};

/** left returns the remaining ms of a buff's own time at the given server time, or
 * null if the buff has no end. */
export const left = (buff, now) => {
  if (buff.held) return buff.left;
  if (buff.end === null) return null;
  const ms = Math.max(buff.end - now, 0), [own, server] = buff.rate;
  return Math.floor(ms / server) * own + Math.floor(((ms % server) * own) / server);
};

export class Client {
  #locals = [];
  #numbers = new Map(); // owner id to local number
  #buffs = 0;
  #last = 0n; // number of the last packet
  #specsOf = 0n;
  #attributes = []; // by number: their names and steps
  #limits;

  constructor({ owners = 16384, buffs = 65536, specs = 131072 } = {}) {
    this.#limits = { owners, buffs, specs };
    this.owners = new Map(); // by id
    this.specs = new Map(); // by number
    this.now = 0;
    this.fingerprint = 0n;
  }

  /** known reports whether the client has received all definitions in one message. */
  get known() { return this.fingerprint !== 0n && this.fingerprint === this.#specsOf; }

  /** missed returns a message that requests everything after the last packet. */
  missed() { return Uint8Array.from([0x20, ...number(this.#last)]); }

  /** reset discards everything but the definitions. Call it for a new connection. */
  reset() {
    this.#locals = [];
    this.#numbers.clear();
    this.#attributes = [];
    this.owners.clear();
    this.#buffs = 0;
    this.#last = 0n;
    this.fingerprint = 0n;
  }

  /** receive accepts a message. On an Error with the code "gap", send missed(). */
  receive(message) {
    const bytes = message instanceof Uint8Array ? message : new Uint8Array(message);
    if (bytes.length === 0) bad("empty message");
    const r = new Reader(bytes), kind = r.byte();
    if (kind === 0x12) return this.#define(r);
    try {
      if (kind !== 0x10 && kind !== 0x11) bad(`unknown kind ${kind}`);
      this.#packet(r, kind);
    } catch (err) {
      if (err.code !== "gap") this.reset();
      throw err;
    }
  }

  #packet(r, kind) {
    const n = r.big(), base = kind === 0x11 ? r.big() : n - 1n;
    let now = r.number(TIME);
    if (n === 0n || base >= n) bad("invalid header");
    if (n <= this.#last) return;
    if (base > this.#last) throw new ProtocolError("gap", `it follows packet ${base}, the last received is ${this.#last}`);
    while (r.at < r.bytes.length) {
      const about = r.bytes[r.at] & 3, local = Math.floor(r.number() / 4);
      if (about === 3) {
        if (local === 0) this.fingerprint = r.fixed();
        else if (local === 1) now += r.number(TIME - now);
        else if (local === 2) this.#spec(r, this.specs);
        else if (local === 3) this.#attribute(r);
        else r.skip(r.end()); // a part of a later version of the protocol
        continue;
      }
      if (local >= this.#limits.owners) throw new ProtocolError("limit", `local number ${local}`);
      if (about !== 0) this.#drop(local);
      if (about === 2) continue;
      if (about === 1) this.#assign(local, String(r.big()));
      const owner = this.#locals[local];
      if (!owner) bad("change of an unknown owner");
      for (let count = r.number(); count > 0; count--) this.#record(owner, r, now);
    }
    this.#last = n;
    this.now = now;
  }

  // assign gives a local number to an owner. The owner's previous number is dropped.
  #assign(local, id) {
    this.#drop(this.#numbers.get(id));
    this.#numbers.set(id, local);
    const owner = { id, dead: false, attributes: new Map(), buffs: new Map() };
    this.#locals[local] = owner;
    this.owners.set(id, owner);
  }

  #drop(local) {
    const owner = this.#locals[local];
    if (!owner) return;
    this.#buffs -= owner.buffs.size;
    delete this.#locals[local];
    this.#numbers.delete(owner.id);
    this.owners.delete(owner.id);
  }

  #record(owner, r, now) {
    const slot = r.number(SLOTS) - 1, mask = r.byte();
    if (slot < 0) {
      if (mask & 2) this.#value(owner, r);
      else owner.dead = (mask & 1) !== 0;
      return;
    }
    if (mask === 0) {
      if (owner.buffs.delete(slot)) this.#buffs--;
      return;
    }
    let b = owner.buffs.get(slot);
    if (mask & 0x80) {
      if (!b && ++this.#buffs > this.#limits.buffs) throw new ProtocolError("limit", `${this.#buffs} buffs`);
      b = {
        slot, spec: r.number(2 ** 32 - 1), source: String(r.big()), stacks: 1, magnitude: 0, level: 0, charges: 0, shield: 0,
        waiting: 0, hidden: false, end: null, held: 0, left: null, rate: [1, 1],
      };
      owner.buffs.set(slot, b);
    }
    if (!b) bad("change of an unknown buff");
    if (mask & 0x01) time(b, r, now);
    if (mask & 0x02) b.stacks = r.number(INT);
    if (mask & 0x04) [b.magnitude, b.level] = [r.signed(), r.number(INT)];
    if (mask & 0x08) b.charges = r.number(INT);
    if (mask & 0x10) {
      const shield = r.big();
      if (shield >> 63n) bad("number out of range");
      b.shield = Number(shield);
    }
    if (mask & 0x20) b.hidden = (r.byte() & 1) !== 0;
    if (mask & 0x40) b.waiting = r.number(INT);
  }

  // value decodes the value of an attribute.
  #value(owner, r) {
    const a = this.#attributes[r.number(ATTRIBUTES - 1)], steps = r.signed();
    if (!a) bad("unknown attribute");
    owner.attributes.set(a.name, steps * a.step);
  }

  // attribute decodes the name of an attribute. Once known, it does not change until a reset.
  #attribute(r) {
    const end = r.end(), n = r.number(ATTRIBUTES - 1), step = r.float(), name = r.text();
    if (!(step > 0 && step < Infinity) || !/^[!-~]{1,128}$/.test(name)) bad("invalid attribute");
    r.skip(end);
    this.#attributes[n] ??= { name, step };
  }

  #define(r) {
    const fingerprint = r.fixed(), specs = new Map(this.specs);
    const count = r.number();
    if (count > this.#limits.specs) throw new ProtocolError("limit", `${count} definitions`);
    for (let k = 0; k < count; k++) this.#spec(r, specs);
    if (r.at !== r.bytes.length) bad("trailing bytes after the definitions");
    this.specs = specs;
    this.#specsOf = fingerprint;
  }

  // spec decodes one definition. It skips fields of later versions of the protocol.
  #spec(r, specs) {
    const end = r.end(), n = r.number(2 ** 32 - 1), id = r.text(), name = r.text(), icon = r.text(), flags = r.byte();
    const priority = r.signed(), duration = r.number(SPAN), limit = r.number(INT), params = {};
    for (let left = r.number(64); left > 0; left--) {
      const name = r.text();
      Object.defineProperty(params, name, { value: r.float(), enumerable: true, configurable: true });
    }
    r.skip(end);
    if (!specs.has(n) && specs.size >= this.#limits.specs) throw new ProtocolError("limit", `${specs.size + 1} definitions`);
    specs.set(n, {
      id, name, icon, hide: (flags & 1) !== 0, polarity: (flags >> 1) & 3, by: ["none", "source", "target", "key"][(flags >> 3) & 3],
      priority, duration, limit, params,
    });
  }
}

// time decodes the end of a buff.
function time(b, r, now) {
  const v = r.number(TIME), form = v % 4, ms = Math.floor(v / 4);
  Object.assign(b, { end: null, held: 0, left: null, rate: [1, 1] });
  if (form === 0) return;
  if (form === 1) {
    b.end = now + ms;
    return;
  }
  if (form === 3) {
    b.held = r.byte();
    b.left = ms > 0 ? ms - 1 : null;
  } else if (ms > 0) {
    b.end = now + ms - 1;
  }
  b.rate = [r.number(1e9), r.number(1e9)];
  if (b.rate[0] === 0 || b.rate[1] === 0) bad("rate of zero");
  if (b.rate[0] === b.rate[1]) b.rate = [1, 1];
}
