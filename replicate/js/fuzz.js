// node fuzz.js FILE N [SEED]: feeds N randomly corrupted messages from the lists in FILE to a
// client. The client may throw only its documented errors and must stay within its limits.
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { Client, left } from "./client.js";

const text = readFileSync(process.argv[2], "utf8");
const seeds = (text.startsWith("[{") ? text.trim().split("\n") : [text])
  .flatMap((list) => JSON.parse(list)).map((v) => Buffer.from(v.message, "hex")).filter((m) => m.length > 0);
const count = Number(process.argv[3]);

// random is an xorshift generator, so that the same seed gives the same messages.
let state = BigInt.asUintN(64, BigInt(process.argv[4] ?? 1) * 0x9e3779b97f4a7c15n) | 1n;
let [x, y] = [Number(state & 0xffffffffn), Number(state >> 32n)];
const random = (n) => {
  let t = x ^ (x << 23);
  x = y;
  y = t ^ y ^ (t >>> 17) ^ (y >>> 26);
  return ((x + y) >>> 0) % n;
};

const spoiled = () => {
  let m = Uint8Array.from(seeds[random(seeds.length)]);
  for (let k = random(6); k > 0 && m.length > 0; k--) {
    switch (random(5)) {
      case 0: m[random(m.length)] = random(256); break;
      case 1: m[random(m.length)] ^= 1 << random(8); break;
      case 2: m = m.slice(0, random(m.length + 1)); break;
      case 3: m = Uint8Array.from([...m, ...seeds[random(seeds.length)].subarray(random(4))]); break;
      default: m[1] = random(4); // a low packet number, so that the rest is decoded too
    }
  }
  return m;
};

const limits = { owners: 20, buffs: 60, specs: 30 };
let client = new Client(limits);
const ends = { none: 0, gap: 0, format: 0, limit: 0 };
for (let n = 0; n < count; n++) {
  if (n % 40 === 0) client = new Client(limits);
  const m = spoiled();
  let code = "none";
  try {
    client.receive(m);
  } catch (err) {
    code = err.code;
    assert.ok(code === "gap" || code === "format" || code === "limit", `${err.stack}\nafter ${Buffer.from(m).toString("hex")}`);
  }
  ends[code]++;
  let buffs = 0;
  for (const o of client.owners.values()) {
    buffs += o.buffs.size;
    for (const b of o.buffs.values()) {
      const ms = left(b, client.now);
      assert.ok(ms === null || (Number.isFinite(ms) && ms >= 0), Buffer.from(m).toString("hex"));
    }
  }
  assert.ok(client.owners.size <= limits.owners && buffs <= limits.buffs && client.specs.size <= limits.specs, Buffer.from(m).toString("hex"));
  client.missed();
}
console.log(`${count} messages: ${ends.none} accepted, ${ends.gap} gaps, ${ends.format} malformed, ${ends.limit} over the limits`);
