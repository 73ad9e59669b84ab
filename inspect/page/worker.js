// The SharedWorker of the page. It holds one stream for all tabs of a browser. Browsers open at
// most six HTTP/1 connections to a host, so six tabs with a stream each would block all other
// requests.
//
// A tab sends {secret, players, catalog} when it shows another page, {bye} when it is closed, and
// {took} after each message. It receives {events: [[kind, data], …]}, {failed: text} or {locked}.
// A tab that is frozen does not answer. It receives nothing more until it answers, and then the
// latest state.
"use strict";
const base = self.location.pathname, groups = new Map(), most = 32, window = 20, patience = 60000;
const pause = (ms, signal) => new Promise((done) => { const t = setTimeout(done, ms); signal.addEventListener("abort", () => { clearTimeout(t); done(); }); });

// A Tab has a limited number of unacknowledged messages.
class Tab {
  constructor(port) { this.port = port; this.waits = this.missed = this.skipped = this.took = 0; this.later = new Map(); }
  wants(kind, data) {
    if (kind === "catalog") return this.catalog;
    return kind !== "player" || this.players.some((id) => data.startsWith('{"id":"' + id + '"'));
  }
  send(kind, data) {
    if (!this.wants(kind, data)) return;
    if (this.waits < window && !this.missed && !this.later.size) return this.post({ events: [[kind, data]] });
    if (kind === "view") this.missed++; else this.later.set(kind, data);
  }
  post(message) {
    if (!this.waits++) this.took = Date.now();
    this.port.postMessage(message);
  }
  // acknowledge is called when the tab has processed a message.
  async acknowledge() {
    this.took = Date.now();
    if (--this.waits || (!this.missed && !this.later.size)) return;
    const missed = this.missed, events = missed ? [["gap", JSON.stringify({ skipped: String(missed), sum: String((this.skipped += missed)) })]] : [];
    // A view contains only the frames since the previous view, so after a gap the tab needs a
    // complete view.
    const whole = missed ? await this.group.snapshot() : "";
    if (whole) events.push(["view", whole]);
    events.push(...this.later);
    this.later.clear();
    this.missed = 0;
    this.post({ events });
  }
  isFrozen() { return this.waits > 0 && Date.now() - this.took > patience; }
}

// A Group is the set of tabs with the same token. They share a stream.
class Group {
  constructor(secret) { this.secret = secret; this.tabs = new Set(); this.now = this.next = null; this.refused = false; }
  headers() { return this.secret ? { Authorization: "Bearer " + this.secret } : {}; }
  query() {
    const players = new Set();
    for (const t of this.tabs) for (const id of t.players) if (players.size < most) players.add(id);
    const catalog = [...this.tabs].some((t) => t.catalog);
    return "?stream" + (this.refused ? "" : [...players].map((id) => "&player=" + id).join("")) + (catalog ? "&catalog" : "");
  }
  each(f) { for (const t of this.tabs) f(t); }
  async snapshot() {
    try {
      const r = await fetch(base + "?snapshot", { headers: this.headers() });
      return r.ok ? (await r.text()).trim() : "";
    } catch { return ""; }
  }
  // restart opens a stream for everything that the tabs show now. The previous stream is closed
  // when the new stream is open, because the server resets its counts when it has no client.
  restart() {
    this.refused = false;
    if (this.next) this.next.abort();
    const mine = (this.next = new AbortController());
    this.run(mine);
  }
  async run(mine) {
    while (!mine.signal.aborted) {
      let text = "";
      try { await this.follow(mine); } catch (e) { text = e.message; }
      if (mine.signal.aborted) return;
      if (text) this.each((t) => t.post({ failed: text }));
      await pause(1000, mine.signal);
    }
  }
  async follow(mine) {
    let r = await fetch(base + (this.asked = this.query()), { headers: this.headers(), signal: mine.signal });
    if (r.status === 503 && this.query().includes("player")) { // too many players are followed, so continue without them
      const text = (await r.text()).trim();
      this.refused = true;
      this.each((t) => { if (t.players.length) t.post({ failed: text }); });
      r = await fetch(base + (this.asked = this.query()), { headers: this.headers(), signal: mine.signal });
    }
    if (r.status === 401) { this.each((t) => t.post({ locked: true })); throw new Error("this page requires a token"); }
    if (r.status === 503) {
      const whole = await this.snapshot();
      if (whole) this.each((t) => t.send("view", whole));
      throw new Error(whole ? "" : (await r.text()).trim());
    }
    if (!r.ok) throw new Error((await r.text()).trim());
    if (this.now && this.now !== mine) this.now.abort();
    this.now = mine;
    if (this.next === mine) this.next = null;
    const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
    for (let rest = ""; ; ) {
      const { value, done } = await reader.read();
      if (done) throw new Error("the stream ended");
      const parts = (rest + value).split("\n\n");
      rest = parts.pop();
      for (const p of parts) {
        const m = /^event: (\w+)\ndata: (.*)$/.exec(p);
        if (m) this.each((t) => t.send(m[1], m[2]));
      }
      this.each((t) => { if (t.isFrozen()) this.leave(t); });
    }
  }
  join(t) { this.tabs.add(t); t.group = this; groups.set(this.secret, this); }
  leave(t) {
    if (!this.tabs.delete(t)) return;
    if (this.tabs.size) { if (this.query() !== this.asked) this.restart(); return; }
    groups.delete(this.secret);
    for (const c of [this.now, this.next]) if (c) c.abort();
  }
}

self.onconnect = (e) => {
  const t = new Tab(e.ports[0]);
  const leave = () => { if (t.group) t.group.leave(t); };
  t.port.onmessage = ({ data }) => {
    if (data.bye) return leave();
    if (data.took) {
      if (t.group && !t.group.tabs.has(t)) { t.group.join(t); t.group.restart(); } // the tab was removed while it was frozen
      return t.acknowledge();
    }
    t.players = data.players;
    t.catalog = data.catalog;
    t.later.clear();
    const group = groups.get(data.secret) || new Group(data.secret);
    if (t.group !== group) leave();
    group.join(t);
    group.restart();
  };
  t.port.onmessageerror = leave;
  t.port.addEventListener("close", leave); // not supported by all browsers
};
