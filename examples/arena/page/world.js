// The positions of all units. Scenes arrive ten times a second; positions between two of them are interpolated.
const delay = 130; // ms behind the newest scene, so that there is usually a scene on both sides

export class World {
  constructor() {
    this.people = new Map(); // by id: names and classes
    this.units = new Map(); // by id: positions
    this.facts = [];
    this.still = false;
    this.behind = delay;
    this.at = 0;
  }

  meet(hello) {
    Object.assign(this, { you: hello.you, king: hello.king, width: hello.width, height: hello.height, grain: hello.grain, icons: hello.icons, skills: hello.skills });
    this.people = new Map(hello.units.map((u) => [u.id, { ...u, sort: u.class.toLowerCase(), team: ["ember", "tide", "hollow"][u.side] }]));
    this.units.clear();
  }

  /** scene accepts the positions of the units in view; now is the page's estimate of the server's time. */
  scene(view, now) {
    const at = view.getFloat64(1, true), count = view.getUint16(10, true);
    if (at <= this.at && this.at - at < 5000) return;
    this.at = at;
    this.still = (view.getUint8(9) & 1) !== 0;
    this.behind += (Math.min(Math.max(now - at, 0), 1000) + delay - this.behind) * 0.1;
    for (let k = 0, p = 12; k < count; k++, p += 10) {
      const id = view.getUint16(p, true), flags = view.getUint8(p + 7);
      const place = { at, x: view.getUint16(p + 2, true) / this.grain, y: view.getUint16(p + 4, true) / this.grain };
      let u = this.units.get(id);
      if (!u) {
        u = { id, ...this.people.get(id), places: [], swing: 0, hit: 0, health: 1 };
        this.units.set(id, u);
      }
      const last = u.places.at(-1);
      if (last && Math.hypot(last.x - place.x, last.y - place.y) > 6) u.places = []; // revived elsewhere
      u.places.push(place);
      if (u.places.length > 6) u.places.shift();
      Object.assign(u, {
        facing: (view.getUint8(p + 6) / 128) * Math.PI,
        dead: (flags & 1) !== 0, moving: (flags & 2) !== 0, played: (flags & 4) !== 0, target: view.getUint16(p + 8, true), seen: at,
      });
    }
    for (const [id, u] of this.units) if (u.seen < at - 400) this.units.delete(id);
    this.#facts(view, 12 + 10 * count);
  }

  #facts(view, p) {
    if (p >= view.byteLength) return;
    for (let left = view.getUint16(p + 1, true), q = p + 3; left > 0; left--, q += 8) {
      this.facts.push({ kind: view.getUint8(q), what: view.getUint8(q + 1), source: view.getUint16(q + 2, true), target: view.getUint16(q + 4, true), amount: view.getUint16(q + 6, true) });
    }
    if (this.facts.length > 400) this.facts.splice(0, this.facts.length - 400); // a tab in the background
  }

  /** settle moves all units to their positions at an instant of the server's time, and reads their health. */
  settle(now, client) {
    const t = now - this.behind;
    for (const u of this.units.values()) {
      const attributes = client.owners.get(String(u.id))?.attributes;
      if (attributes) Object.assign(u, { health: attributes.get("health/max_health"), points: attributes.get("health"), most: attributes.get("max_health") });
      const p = u.places;
      let k = p.length - 1;
      while (k > 0 && p[k].at > t) k--;
      const a = p[k], b = p[Math.min(k + 1, p.length - 1)];
      const f = b.at > a.at ? Math.min(Math.max((t - a.at) / (b.at - a.at), 0), 1) : 0;
      u.x = a.x + (b.x - a.x) * f;
      u.y = a.y + (b.y - a.y) * f;
      const turn = Math.atan2(Math.sin(u.facing - (u.turn ?? u.facing)), Math.cos(u.facing - (u.turn ?? u.facing)));
      u.turn = (u.turn ?? u.facing) + turn * 0.2;
    }
  }
}
