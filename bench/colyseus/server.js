// node server.js FILE applies the changes in a file to a room's state, has Colyseus encode the messages to each
// client of the room, and prints the cost as JSON. There are no sockets: the bytes are only counted.
//
// Each line of the file is JSON: first the players that each client sees, then the initial buffs, then the
// changes of each frame. A change is [owner, slot, definition, source, stacks, end]; without a definition it is
// the end of a buff.
import { closeSync, openSync, readFileSync, readSync } from "node:fs";
import * as schema from "@colyseus/schema";
import * as core from "@colyseus/core";

const { Schema, MapSchema, StateView, Encoder, Decoder, type, view } = schema;

class Buff extends Schema {}
type("uint16")(Buff.prototype, "spec");
type("uint32")(Buff.prototype, "source");
type("uint16")(Buff.prototype, "stacks");
type("number")(Buff.prototype, "end");

class Player extends Schema {
  constructor() {
    super();
    this.buffs = new MapSchema();
  }
}
type({ map: Buff })(Player.prototype, "buffs");

class World extends Schema {
  constructor() {
    super();
    this.players = new MapSchema();
  }
}
type({ map: Player })(World.prototype, "players");
view()(World.prototype, "players");

// lines yields the lines of a file without loading the whole file.
function* lines(path) {
  const file = openSync(path, "r"), chunk = Buffer.alloc(1 << 16);
  let rest = [];
  for (let n; (n = readSync(file, chunk)) > 0;) {
    let from = 0;
    for (let at; (at = chunk.subarray(0, n).indexOf(10, from)) >= 0; from = at + 1) {
      yield Buffer.concat([...rest, chunk.subarray(from, at)]).toString();
      rest = [];
    }
    rest.push(Buffer.from(chunk.subarray(from, n)));
  }
  closeSync(file);
}

const world = new World();

function change([owner, slot, spec, source, stacks, end]) {
  const buffs = world.players.get(String(owner)).buffs, key = String(slot);
  if (spec === undefined) {
    buffs.delete(key);
    return;
  }
  let b = buffs.get(key);
  if (!b || b.spec !== spec || b.source !== source) {
    b = new Buff();
    Object.assign(b, { spec, source, stacks, end });
    buffs.set(key, b);
    return;
  }
  b.stacks = stacks; // Colyseus ignores assignments of the same value
  b.end = end;
}

Encoder.BUFFER_SIZE = 64 << 20;
const input = lines(process.argv[2]);
const sights = JSON.parse(input.next().value), beginning = JSON.parse(input.next().value);
for (let id = 1; id <= sights.length; id++) world.players.set(String(id), new Player());
beginning.forEach(change);

const serializer = new core.SchemaSerializer();
serializer.reset(world);
let bytes = 0, packets = 0;
const clients = sights.map((sees) => {
  const c = { state: 1, view: new StateView(), raw(data) { bytes += data.length; packets++; this.last = data; } };
  for (const id of sees) c.view.add(world.players.get(String(id)));
  return c;
});

// One client decodes its messages, to check that they are complete.
const decoder = new Decoder(new World());
let known = 0;
const raw = clients[0].raw;
clients[0].raw = function (data) {
  raw.call(this, data);
  if (data.length > 1) decoder.decode(data, { offset: 1 });
  known++;
};

const start = process.cpuUsage(), began = performance.now();
decoder.decode(serializer.getFullState(clients[0]), { offset: 1 });
serializer.applyPatches(clients);
const first = process.cpuUsage(start), heap = process.memoryUsage().rss;

const used = { changes: 0, patches: 0 };
const frames = [];
let warm = 20, counted = 0;
for (const line of input) {
  const changes = JSON.parse(line);
  const a = process.cpuUsage();
  changes.forEach(change);
  const b = process.cpuUsage();
  serializer.applyPatches(clients);
  const c = process.cpuUsage();
  if (warm-- > 0) {
    bytes = packets = 0;
    continue;
  }
  counted++;
  used.changes += b.user + b.system - a.user - a.system;
  used.patches += c.user + c.system - b.user - b.system;
}

// Compare the decoded state with the room's.
let wrong = 0;
for (const id of sights[0]) {
  const here = world.players.get(String(id)), there = decoder.state.players.get(String(id));
  if (!there || there.buffs.size !== here.buffs.size) wrong++;
  here.buffs.forEach((b, slot) => {
    const t = there?.buffs.get(slot);
    if (!t || t.spec !== b.spec || t.source !== b.source || t.stacks !== b.stacks || t.end !== b.end) wrong++;
  });
}
if (decoder.state.players.size !== sights[0].length) wrong++;

const version = (name) => JSON.parse(readFileSync(new URL(`node_modules/${name}/package.json`, import.meta.url), "utf8")).version;
console.log(JSON.stringify({
  versions: `@colyseus/core ${version("@colyseus/core")}, @colyseus/schema ${version("@colyseus/schema")}, node ${process.versions.node}`,
  viewers: clients.length, frames: counted, bytes, packets, changes: used.changes, patches: used.patches,
  first: first.user + first.system, memory: heap, wrong, took: Math.round(performance.now() - began), known,
}));
