// The first line is the verdict. Its numbers change all the time, so screen readers announce it
// only when its topic changes, at most once in five seconds.
let told = "", latest = ["", ""], quiet = 0;
const tell = () => {
  quiet = 0;
  if (latest[0] === told) return;
  told = latest[0];
  put($("aloud"), latest[1]);
  quiet = setTimeout(tell, 5000);
};
const verdict = (kind, topic, ...parts) => {
  const n = $("verdict"), text = parts.map((p) => (typeof p === "string" ? p : p.textContent)).join("");
  set(n, "class", kind);
  latest = [topic, text];
  if (!quiet) tell();
  if (n.textContent === text) return;
  // If only numbers change, keep the links, because a link that is replaced under the pointer
  // cannot be clicked.
  const old = [...n.childNodes], like = (a, b) => (typeof b === "string" ? a.nodeType === 3 : a.nodeType === 1 && a.getAttribute("href") === b.getAttribute("href"));
  if (old.length === parts.length && old.every((a, k) => like(a, parts[k]))) return old.forEach((a, k) => put(a, typeof parts[k] === "string" ? parts[k] : parts[k].textContent));
  const at = n.contains(document.activeElement) ? document.activeElement.getAttribute("href") : null;
  n.replaceChildren(...parts);
  const same = at && [...n.querySelectorAll("a")].find((a) => a.getAttribute("href") === at);
  if (same) same.focus();
};
const judge = (v) => {
  put($("p99"), v.recent > 0 ? span(v.recent / 1000) : "–");
  put($("budget"), v.budget > 0 ? "budget " + span(v.budget) : "no budget");
  put($("speed"), v.speed ? " · game speed " + v.speed.toFixed(2) + " ×" : "");
  const parts = [];
  for (const say of v.verdict.say) {
    if (parts.length) parts.push(" ");
    for (const p of say) parts.push(p.player ? playerLink(p.player) : p.to ? h("a", { href: p.to }, p.text) : p.text);
  }
  verdict(v.verdict.level, v.verdict.topic, ...parts);
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
      return put(n, (v.workers > 64 ? "of " + count(v.workers) + ", " : "") + (Number.isFinite(busy) ? "handlers use " + (Math.min(busy, 1) * 100).toFixed(busy < 0.1 ? 1 : 0) + " % of the workers’ time" : ""));
    }
    set(n, "class", p.held ? "held" : "");
    put(n, "Worker " + (p.i + 1) + (p.held ? ": stuck" : ": free"));
  });
  list($("stuck"), v.stuck, (p) => p.id, (p) => kids(h("li", {}), [playerLink(p), h("span", {})]), (n, p) => {
    put(n.lastChild, " has been in " + p.spec + " for " + (p.more ? "over " : "") + span(p.for));
  });
  queue("inbox", count(v.inbox) + " of " + count(v.inboxMax), v.inbox, v.inboxMax);
  queue("mailboxes", plural(v.mail, "message", "messages"), v.mail, Math.max(v.owners, 100));
  queue("waiting for a worker", plural(v.waiting, "player", "players"), v.waiting, v.owners || 1);
  queue("busy", plural(v.busy, "player", "players"), v.busy, v.owners || 1);
  queue("time backlog", v.behind > 0 ? span(v.behind) : "none", v.behind, 1000);
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
let drawnAt = -Infinity;
const showView = (v) => {
  addRates(v);
  addFrames(v);
  judge(v);
  countIncidents(v);
  if ($("overview").hidden) return;
  showFaces(v);
  put($("clock-note"), plural(v.timers, "deadline", "deadlines") + (v.beyond ? ", " + count(v.beyond) + " of them beyond 12 hours" : ""));
  if (v.at - drawnAt < 180 && v.at >= drawnAt) return; // charts and lists need no faster updates
  drawnAt = v.at;
  drawEvents();
  drawFrames(v.budget);
  drawTimes(v);
  showWorkers(v);
  showRank("most", v.most, count);
  put($("most-note"), "of " + count(v.buffs) + " in total" + (v.swept < 1 ? "; " + Math.floor(v.swept * 100) + " % of players scanned" : ""));
  showRank("slow", v.busiest, (ns) => span(ns / 5e6));
};
