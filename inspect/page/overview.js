// The first line says in words how things stand.
const verdict = (kind, ...parts) => {
  const n = $("verdict"), text = parts.map((p) => (typeof p === "string" ? p : p.textContent)).join("");
  set(n, "class", kind);
  if (n.textContent !== text) n.replaceChildren(...parts);
};
const judge = (v) => {
  const slow = recent(0.99);
  put($("p99"), span(slow));
  put($("budget"), v.budget > 0 ? "the budget is " + span(v.budget) : "no budget");
  if (v.stuck.length) {
    const parts = [v.stuck.length === 1 ? "A player is stuck: " : v.stuck.length + " players are stuck: "];
    v.stuck.slice(0, 3).forEach((p, i) => parts.push(i ? ", " : "", playerLink(p), " in " + p.spec + " for " + span(p.for)));
    if (v.stuck.length >= v.workers) parts.push(". No worker is left: nobody is served.");
    else parts.push(". Everybody else goes on.");
    return verdict("alarm", ...parts);
  }
  if (v.faults) return verdict("alarm", "A function of the game fails: " + v.faults[0].what + " " + v.faults[0].last + " (" + plural(Number(v.faults[0].n), "time", "times") + ").");
  if (v.alarm) return verdict("alarm", v.alarm);
  if (v.inbox > v.inboxMax * 0.8) return verdict("alarm", "The inbox is nearly full: " + count(v.inbox) + " of " + count(v.inboxMax) + " commands wait.");
  if (v.behind > 0) return verdict("watch", "The game is " + span(v.behind) + " behind: a Tick brought more than it may work off at once.");
  if (v.waiting > 0) return verdict("watch", plural(v.waiting, "player waits", "players wait") + " for a worker: the frame's budget was used up.");
  if (v.budget > 0 && slow > v.budget) return verdict("watch", "Frames are too long: one in a hundred takes " + span(slow) + ", and the budget is " + span(v.budget) + ".");
  verdict("calm", "All is well: " + plural(v.owners, "player", "players") + " with " + plural(v.buffs, "buff", "buffs") +
    (Number.isFinite(slow) ? ", and 99 of 100 frames take less than " + span(slow) + (v.budget > 0 ? " of " + span(v.budget) : "") : "") + ".");
};
const queues = {};
const queue = (name, text, n, most) => {
  let q = queues[name];
  if (!q) {
    q = queues[name] = { fill: h("i", {}), n: h("dd", {}) };
    $("queues").append(h("dt", {}, name), most ? h("dd", { class: "meter" }, q.fill) : h("dd", {}), q.n);
  }
  const part = most > 0 ? Math.min(n / most, 1) : 0;
  q.fill.style.width = (Math.max(part, n > 0 ? 0.01 : 0) * 100).toFixed(1) + "%";
  set(q.fill, "class", part > 0.8 ? "full" : "");
  put(q.n, text);
};
let handled = null, busy = NaN;
const showWorkers = (v) => {
  if (handled && v.at > handled.at && v.handled >= handled.n) {
    const now = (v.handled - handled.n) / 1000 / (v.at - handled.at) / v.workers;
    busy = Number.isFinite(busy) ? busy * 0.9 + now * 0.1 : now;
  }
  handled = { at: v.at, n: v.handled };
  const workers = [];
  for (let i = 0; i < Math.min(v.workers, 64); i++) workers.push({ i, held: i < v.stuck.length });
  list($("workers"), [...workers, { i: "all" }], (p) => p.i, () => h("li", {}), (n, p) => {
    if (p.i === "all") {
      set(n, "class", "all");
      return put(n, (v.workers > 64 ? "of " + count(v.workers) + ", " : "") + (Number.isFinite(busy) ? "handlers take " + (Math.min(busy, 1) * 100).toFixed(busy < 0.1 ? 1 : 0) + " % of their time" : ""));
    }
    set(n, "class", p.held ? "held" : "");
    put(n, "worker " + (p.i + 1) + (p.held ? " stuck" : " free"));
  });
  list($("stuck"), v.stuck, (p) => p.id, (p) => kids(h("li", {}), [playerLink(p), h("span", {})]), (n, p) => {
    put(n.lastChild, " has been in " + p.spec + " for " + span(p.for));
  });
  queue("inbox", count(v.inbox) + " of " + count(v.inboxMax), v.inbox, v.inboxMax);
  queue("mailboxes", plural(v.mail, "message", "messages"), v.mail, Math.max(v.owners, 100));
  queue("waiting for a worker", plural(v.waiting, "player", "players"), v.waiting, v.owners || 1);
  queue("busy", plural(v.busy, "player", "players"), v.busy, v.owners || 1);
  queue("backlog of time", v.behind > 0 ? span(v.behind) : "none", v.behind, 1000);
  queue("deadlines", count(v.timers), 0, 0);
  queue("refused, undelivered", count(Number(v.refused)) + ", " + count(Number(v.undelivered)), 0, 0);
};
const showRank = (id, items, text) => {
  const top = items.length ? items[0].n : 1;
  list($(id), items, (p) => p.id, (p) => {
    const fill = h("i", {}), n = h("span", {});
    const li = h("li", {}, playerLink(p), h("span", { class: "meter" }, fill), n);
    li.parts = [li.firstChild, fill, n];
    return li;
  }, (li, p) => {
    put(li.parts[0], title(p));
    li.parts[1].style.width = ((p.n / top) * 100).toFixed(1) + "%";
    put(li.parts[2], text(p.n));
  });
};
const showView = (v) => {
  addRates(v);
  addFrames(v);
  judge(v);
  if ($("overview").hidden) return;
  showFaces(v);
  put($("clock-note"), plural(v.timers, "deadline waits", "deadlines wait") + (v.beyond ? ", " + count(v.beyond) + " of them beyond 12 hours" : ""));
  drawEvents();
  drawFrames(v.budget);
  drawTimes(v);
  showWorkers(v);
  showRank("most", v.most, count);
  put($("most-note"), "of " + count(v.buffs) + (v.swept < 1 ? "; " + Math.floor(v.swept * 100) + " % of the players seen" : " in all"));
  showRank("slow", v.busiest, (ns) => span(ns / 5e6));
};
