// node vectors.js FILE: holds the client against lists of messages, one after the other. Each line of the
// file is a list of its own, or the whole file is one.
import { readFileSync } from "node:fs";
import assert from "node:assert/strict";
import { Client, left } from "./client.js";

let client;
const hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");

const screen = () => ({
  now: client.now,
  fingerprint: client.fingerprint.toString(16).padStart(16, "0"),
  known: client.known,
  owners: [...client.owners.values()]
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    .map((o) => ({
      id: o.id,
      dead: o.dead,
      buffs: [...o.buffs.values()].sort((a, b) => a.slot - b.slot).map((b) => ({
        slot: b.slot, spec: b.spec, name: client.specs.get(b.spec)?.id ?? "", source: b.source, stacks: b.stacks, magnitude: String(b.magnitude),
        level: b.level, charges: b.charges, shield: String(b.shield), waiting: b.waiting, hidden: b.hidden, held: b.held, rate: b.rate,
        left: left(b, client.now), later: left(b, client.now + 1000),
      })),
    })),
});

let n = 0;
const text = readFileSync(process.argv[2], "utf8");
for (const list of text.startsWith("[{") ? text.trim().split("\n") : [text]) {
  client = new Client();
  for (const v of JSON.parse(list)) {
    let error;
    try {
      client.receive(Uint8Array.from(Buffer.from(v.message, "hex")));
    } catch (err) {
      error = err.code ?? String(err);
    }
    assert.equal(error, v.error, v.about);
    assert.equal(hex(client.missed()), v.answer, v.about);
    assert.deepEqual(screen(), v.state, v.about);
    n++;
  }
}
console.log(`${n} messages`);
