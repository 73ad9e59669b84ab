// The checks of the client and of predictions. They run in node and in browsers. The first argument
// of each is an object with what the modules client.js and predict.js export. They throw an Error at
// the first difference.
const hex = (bytes) => [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
const bytes = (text) => Uint8Array.from(text.match(/../g) ?? [], (two) => parseInt(two, 16));

const bits = (v) => {
  const view = new DataView(new ArrayBuffer(8));
  view.setFloat64(0, v);
  return hex(new Uint8Array(view.buffer));
};

const facts = (s) => (s ? [s.hide ? 1 : 0, s.polarity, s.duration, ["none", "source", "target", "key"].indexOf(s.by), s.limit] : []);

const screen = (client, left) => ({
  now: client.now,
  fingerprint: client.fingerprint.toString(16).padStart(16, "0"),
  known: client.known,
  owners: [...client.owners.values()]
    .sort((a, b) => (BigInt(a.id) < BigInt(b.id) ? -1 : 1))
    .map((o) => ({
      id: o.id,
      dead: o.dead,
      attributes: o.attributes.size ? Object.fromEntries([...o.attributes].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([name, v]) => [name, bits(v)])) : undefined,
      buffs: [...o.buffs.values()].sort((a, b) => a.slot - b.slot).map((b) => ({
        slot: b.slot, spec: b.spec, name: client.specs.get(b.spec)?.id ?? "", title: client.specs.get(b.spec)?.name ?? "", facts: facts(client.specs.get(b.spec)), source: b.source, stacks: b.stacks, magnitude: String(b.magnitude),
        level: b.level, charges: b.charges, shield: String(b.shield), waiting: b.waiting, hidden: b.hidden, held: b.held, rate: b.rate,
        left: left(b, client.now), later: left(b, client.now + 1000),
      })),
    })),
});

/** check feeds lists of messages to a client and compares its state after each message with the
 * expected state. It returns the number of messages. */
export const check = ({ Client, left }, lists) => {
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
      const got = JSON.stringify([error, hex(client.missed()), screen(client, left)]);
      const want = JSON.stringify([v.error, v.answer, v.state]);
      if (got !== want) throw new Error(`${v.about}\n${v.message}\n got ${got}\nwant ${want}`);
      n++;
    }
  }
  return n;
};

/** checkPredictions plays cases in which the player is owner 7, and returns their number. A step of a
 * case calls a method, or compares the shown buffs: the definition, source, stacks and remaining time
 * of each. */
export const checkPredictions = ({ Client, Predictor, left }, cases) => {
  for (const { about, limits, steps } of cases) {
    const client = new Client(), predictor = new Predictor(client, "7", limits);
    const shown = (now) => predictor.buffs(now).map((b) => [b.spec, b.source, b.stacks, left(b, now)]).sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    for (const s of steps) {
      let got, want;
      if (s.receive) client.receive(bytes(s.receive));
      else if (s.predict) [got, want] = [predictor.predict(s.predict.now, s.predict.delay, s.predict.buffs), s.key];
      else if (s.confirm) predictor.confirm(...s.confirm);
      else if (s.refuse) predictor.refuse(s.refuse);
      else if (s.reset) predictor.reset();
      else if (s.resetClient) client.reset();
      else [got, want] = [JSON.stringify(shown(s.now)), JSON.stringify(s.shown)];
      if (got !== want) throw new Error(`${about}\n${JSON.stringify(s)}\n got ${got}\nwant ${want}`);
    }
  }
  return cases.length;
};
