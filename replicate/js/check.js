// check feeds lists of messages to a client and compares its state after each message with the
// expected state. It returns the number of messages, and throws an Error at the first difference.
// It runs in node and in browsers.
import { Client, left } from "./client.js";

const hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));

const screen = (client) => ({
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

export const check = (lists) => {
  let n = 0;
  for (const list of lists) {
    const client = new Client();
    for (const v of list) {
      let error;
      try {
        client.receive(bytes(v.message));
      } catch (err) {
        error = err.code ?? String(err);
      }
      const got = JSON.stringify([error, hex(client.missed()), screen(client)]);
      const want = JSON.stringify([v.error, v.answer, v.state]);
      if (got !== want) throw new Error(`${v.about}\n${v.message}\n got ${got}\nwant ${want}`);
      n++;
    }
  }
  return n;
};
