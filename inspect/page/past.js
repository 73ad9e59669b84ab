// The last minute of a player, with a lane for each buff, and the state at one instant. past.at is
// this instant, in ms of game time. If past.at is null, the present state is shown and updated.
const past = { id: "", other: "", at: null, all: [], timer: 0, asked: 0 };
const happened = { apply: "applied", refresh: "refreshed", stack: "more stacks", stackend: "fewer stacks", pulse: "pulse", exec: "instant", remove: "ended", deny: "denied", timeout: "timeout", error: "fault", hide: "hidden: no effect", show: "shown: has its effect again", suppressed: "pulse suppressed", queue: "queue changed", period: "period changed", restore: "restored with its owner", change: "attribute", react: "reacted", miss: "action without a target", die: "died", revive: "revived", pause: "paused", resume: "resumed", rate: "speed of time changed" };
const lasting = new Set(["apply", "refresh", "stack", "stackend", "restore"]);
const instant = (ms) => { const sec = Math.floor(ms / 1000); return two(Math.floor(sec / 3600), 2) + ":" + two(Math.floor(sec / 60) % 60, 2) + ":" + two(sec % 60, 2) + "." + two(Math.floor(ms % 1000), 3); };
const two = (n, l) => String(n).padStart(l, "0");
const stepText = (x) => instant(x.at) + " " + (happened[x.kind] || x.kind) + (x.n > 1 ? " ×" + x.n : "") + (x.text ? " " + x.text : "") + (x.why ? ", " + because(x.why) : "") + (x.source ? ", from " + title(x.source) : "") + (x.late >= 100 ? ", " + span(x.late) + " late" : "");
const laneName = (l) => l.name || l.spec || "the player";
const fits = (l, x, text) => !text || [l.name, l.spec, l.source && title(l.source), x && x.kind, x && happened[x.kind], x && x.why, x && x.text, x && x.source && title(x.source)].some((t) => t && t.toLowerCase().includes(text));
// levels divides a lane into intervals in which neither the number of stacks nor the effect
// changes.
const levels = (l, p) => {
  const out = [], steps = l.steps.filter((x) => lasting.has(x.kind) || x.kind === "hide" || x.kind === "show");
  const first = steps.find((x) => lasting.has(x.kind)), flip = steps.find((x) => x.kind === "hide" || x.kind === "show");
  let n = l.begin === null ? (first ? Math.max(first.kind === "stack" ? first.n - 1 : first.n, 1) : l.stacks || 1) : 1, off = flip ? flip.kind === "show" : !!l.hidden;
  let at = l.begin === null ? p.from : l.begin;
  const end = l.end === null ? p.now : l.end;
  for (const x of steps) {
    if (x.at > at) { out.push({ from: at, to: x.at, n, off }); at = x.at; }
    if (lasting.has(x.kind)) n = x.n || n;
    else off = x.kind === "hide";
  }
  if (end > at) out.push({ from: at, to: end, n, off });
  return out;
};
const marks = { pulse: ["circle", 2.6], suppressed: ["circle", 2.6], refresh: ["path"], stack: ["path"], deny: ["text", "×"], error: ["text", "!"], exec: ["text", "◆"], timeout: ["text", "◆"], die: ["text", "†"], revive: ["text", "◇"], change: ["circle", 2], remove: ["end"], period: ["path"], queue: ["path"], pause: ["text", "‖"], resume: ["text", "▸"], rate: ["text", "∿"] };
// speedAt returns the speed of a lane's time at an instant. passed returns how much of the lane's
// time passed between two instants.
const speedAt = (l, at) => { const t = (l.times || []).find((x) => x.from <= at && at < x.to); return t ? t.speed : 1; };
const passed = (l, from, to) => (l.times || []).reduce((ms, x) => ms - (1 - x.speed) * Math.max(Math.min(to, x.to) - Math.max(from, x.from), 0), to - from);
const speedText = (v) => (v === 0 ? "paused" : "time at " + Number(v.toFixed(3)) + " × speed");
const mark = (x, where) => {
  const m = marks[x.kind];
  if (!m) return null;
  const c = "m " + x.kind, tip = s("title", {}, stepText(x));
  if (m[0] === "circle") return s("circle", { class: c, cx: where, cy: x.kind === "change" ? 14 : 5, r: m[1] }, tip);
  if (m[0] === "text") return s("text", { class: c, x: where, y: 18 }, tip, m[1]);
  return s("line", { class: c, x1: where, x2: where, y1: m[0] === "end" ? 4 : 14, y2: 26 }, tip);
};
const laneRow = (l, p, text) => {
  const where = (ms) => (((Math.min(Math.max(ms, p.from), p.now) - p.from) / Math.max(p.now - p.from, 1)) * 100).toFixed(2) + "%";
  const g = s("svg", { role: "img", "aria-label": laneName(l) + ": " + plural(l.steps.length, "event", "events"), height: 28 });
  for (const x of l.times || []) {
    g.append(s("rect", { class: "still", x: where(x.from), width: Math.max(parseFloat(where(x.to)) - parseFloat(where(x.from)), 0.15) + "%", y: 0, height: 28 }, s("title", {}, speedText(x.speed) + ", " + instant(x.from) + " to " + instant(x.to))));
  }
  if (l.handle) {
    const list = levels(l, p), most = Math.max(...list.map((x) => x.n), 1);
    for (const x of list) {
      const high = 6 + (16 * x.n) / most;
      g.append(s("rect", { class: "stretch " + l.side + (x.off ? " hid" : "") + (l.paused && x.to === p.now ? " held" : ""), x: where(x.from), width: Math.max(parseFloat(where(x.to)) - parseFloat(where(x.from)), 0.15) + "%", y: 26 - high, height: high, rx: 2 }, s("title", {}, laneName(l) + " ×" + x.n + (x.off ? ", no effect" : ""))));
    }
  }
  for (const x of l.steps) {
    const n = x.at >= p.from && fits(l, x, text) ? mark(x, where(x.at)) : null;
    if (n) g.append(n);
  }
  return h("li", {}, h("div", { class: "lane" }, h("b", {}, l.spec ? specLink(l.spec, laneName(l)) : laneName(l)), l.source ? h("span", {}, " from " + title(l.source)) : l.spec ? h("span", {}, " denied or instant") : ""), g);
};
// stateAt returns the state of a lane at an instant, or null if the buff was not active.
const stateAt = (l, p, at) => {
  if (!l.handle || (l.begin !== null && l.begin > at) || (l.end !== null && l.end <= at)) return null;
  const level = levels(l, p).find((x) => x.from <= at && at <= x.to);
  return { lane: l, n: level ? level.n : l.stacks, off: level && level.off, left: leftAt(l, p, at), speed: speedAt(l, at) };
};
// leftAt returns the remaining time of a buff at an instant, or null if the buff has no end. If
// the buff is paused, the result is in the buff's own time.
const leftAt = (l, p, at) => {
  const told = l.steps.filter((x) => x.at <= at && (lasting.has(x.kind) || x.end !== undefined)).pop();
  const next = l.steps.find((x) => x.at > at && lasting.has(x.kind)), gone = l.steps.find((x) => x.kind === "remove");
  let own = null;
  if (told && told.end !== undefined) own = (told.end - told.at) * (speedAt(l, told.at) || speedAt(l, told.at - 1)) - passed(l, told.at, at);
  else if (!next && gone) own = gone.why === "expired" ? passed(l, at, l.end) : null;
  else if (!next && l.runs !== undefined) own = (l.runs - p.now) * (speedAt(l, p.now - 1) || 1) + passed(l, at, p.now);
  const speed = speedAt(l, at);
  return own === null ? null : Math.max(own / (speed || 1), 0);
};
const column = (name, list) => h("div", {}, h("p", { class: "soft" }, name), list);
// attributesAt shows the attributes at an instant, with their modifiers. Unknown values are
// marked.
const attributesAt = (p, at) => {
  if (!p.attributes) return [];
  if (at < p.sheet) return [column("Attributes at this time", h("ul", { class: "sheet" }, h("li", { class: "soft" }, "known from " + instant(p.sheet) + " on")))];
  const last = (list) => list.filter((x) => x.at <= at).pop();
  return [column("Attributes at this time", h("ul", { class: "sheet" }, ...p.attributes.map((a) => {
    const v = last(a.values), lay = (a.modifiers || []).map((m) => ({ m, x: last(m.steps) })).filter(({ x }) => x && x.text);
    return h("li", {}, h("b", {}, v.value === null ? "unknown" : neat(v.value)), a.name, h("div", {}, "base " + (v.base === null ? "unknown" : neat(v.base)) + (v.why ? " · " + v.why.replace(/^unknown: /, "") : "")),
      ...lay.map(({ m, x }) => h("div", {}, x.text + " · " + m.from + (x.n > 1 ? " ×" + x.n : "") + (x.why ? ", " + x.why : ""))));
  })))];
};
const showThen = (p, at, box) => {
  const there = p.lanes.map((l) => stateAt(l, p, at)).filter(Boolean), changes = new Map(), recent = [];
  for (const l of p.lanes) for (const x of l.steps) {
    if (!p.attributes && x.kind === "change" && x.at <= at) { const m = /^(\S+) (.*)$/.exec(x.text); if (m && (!changes.has(m[1]) || changes.get(m[1]).at <= x.at)) changes.set(m[1], x); }
    if (x.at <= at && x.at > at - 5000) recent.push({ l, x });
  }
  recent.sort((a, b) => b.x.at - a.x.at);
  box.replaceChildren(
    column("Buffs at this time", h("ul", { class: "bars" }, ...(there.length ? there.map((t) => {
      const part = t.left === null || !t.lane.whole ? 1 : Math.min(t.left / t.lane.whole, 1), fill = h("i", { class: t.lane.side + (t.left === null ? " ever" : "") });
      fill.style.width = (part * 100).toFixed(1) + "%";
      return h("li", { class: t.off ? "off" : "" }, h("span", {}, laneName(t.lane) + (t.n > 1 ? " ×" + t.n : "") + (t.off ? ", no effect" : "")), h("div", { class: "track" }, fill), h("span", {}, (t.left === null ? "" : span(t.left)) + (t.speed === 1 ? "" : (t.left === null ? "" : ", ") + speedText(t.speed))));
    }) : [h("li", { class: "soft" }, "no buffs")]))),
    ...attributesAt(p, at),
    column("Previous five seconds", h("ol", { class: "near" }, ...[...changes.values()].map((x) => h("li", {}, x.text)), ...recent.slice(0, 12).map(({ l, x }) => h("li", { class: x.kind }, stepText(x) + (l.spec ? " · " + laneName(l) : ""))))));
};
const drawPast = () => {
  const first = past.all[0];
  $("p-past").hidden = !first;
  if (!first) return;
  const text = $("past-filter").value.trim().toLowerCase(), at = past.at === null ? first.now : Math.min(Math.max(past.at, first.from), first.now);
  put($("past-note"), first.since > first.from ? "known from " + instant(first.since) + " on" : "until " + instant(first.now));
  const gone = past.at !== null && past.at < first.since;
  put($("past-say"), gone ? instant(past.at) + " is no longer recorded." : first.cut ? "Incomplete: too much data." : "");
  for (const [k, box] of [$("past-lanes"), $("past-lanes-2")].entries()) {
    const p = past.all[k];
    box.parentNode.hidden = !p;
    if (!p) continue;
    put(box.previousElementSibling, k || past.all[1] ? title(p) : "");
    box.previousElementSibling.hidden = !past.all[1];
    const rows = p.lanes.filter((l) => fits(l, null, text) || l.steps.some((x) => fits(l, x, text)));
    box.replaceChildren(...(rows.length ? rows.map((l) => laneRow(l, p, text)) : [h("li", { class: "soft" }, text ? "no matches" : "no events")]));
    showThen(p, at, box.nextElementSibling);
  }
  const range = $("past-at");
  range.min = first.from; range.max = first.now; range.value = at;
  set(range, "aria-valuetext", instant(at));
  $("past-lanes").style.setProperty("--at", ((at - first.from) / Math.max(first.now - first.from, 1)).toFixed(4));
  $("past-lanes-2").style.setProperty("--at", $("past-lanes").style.getPropertyValue("--at"));
  put($("past-when"), past.at === null ? "now" : instant(at) + ", " + span(first.now - at) + " before " + (past.at === null ? "now" : instant(first.now)));
  set($("past-link"), "href", "#/player/" + past.id + (past.other ? "/with/" + past.other : "") + "/at/" + at);
  $("past-live").hidden = past.at === null;
};
// askPast fetches the lanes. If a fixed instant is shown, the lanes are not updated, because they
// would no longer contain that instant after a minute.
const askPast = async () => {
  clearTimeout(past.timer);
  if (past.kept === undefined) return; // unknown until the hello message arrives
  if (!past.kept) { $("p-past").hidden = false; return put($("past-say"), "This engine keeps no history: set Options.Trace.History of the engine."); }
  const n = ++past.asked, ids = [past.id, past.other].filter(Boolean);
  if (!ids.length) return;
  try {
    const all = await Promise.all(ids.map((id) => ask("?history=" + id)));
    if (n !== past.asked) return;
    past.all = all;
    drawPast();
  } catch (e) { if (n === past.asked) { $("p-past").hidden = false; put($("past-say"), e.message); } }
  if (n === past.asked && past.at === null) past.timer = setTimeout(askPast, 2000);
};
// openPast shows the past of a player. If id is empty, it stops the updates.
const openPast = (id, other, at) => {
  const same = id && past.id === id && past.other === other && past.all.length;
  Object.assign(past, { id, other, at });
  $("past-with").value = other;
  if (same && at !== null) { past.asked++; clearTimeout(past.timer); return drawPast(); }
  past.all = [];
  drawPast();
  askPast();
};
$("past-at").addEventListener("input", () => {
  past.at = Number($("past-at").value);
  past.asked++;
  clearTimeout(past.timer);
  drawPast();
});
$("past-live").addEventListener("click", () => { location.hash = "#/player/" + past.id + (past.other ? "/with/" + past.other : ""); openPast(past.id, past.other, null); });
$("past-filter").addEventListener("input", drawPast);
$("past-beside").addEventListener("submit", (e) => {
  e.preventDefault();
  const m = /(\d{1,20})\s*$/.exec($("past-with").value);
  location.hash = "#/player/" + past.id + (m ? "/with/" + m[1] : "") + (past.at === null ? "" : "/at/" + past.at);
});
// The download uses fetch, because a link cannot send the token.
$("past-load").addEventListener("click", async () => {
  try {
    const r = await fetch(base + "?scenario=" + past.id, { headers: headers() }), text = await r.text();
    if (!r.ok) throw new Error(text.trim());
    const a = h("a", { href: URL.createObjectURL(new Blob([text], { type: "text/yaml" })), download: "player-" + past.id + ".yaml" });
    a.click();
    setTimeout(() => URL.revokeObjectURL(a.href), 1000);
    put($("past-say"), "player-" + past.id + ".yaml saved; play it with: bufftick run");
  } catch (e) { put($("past-say"), e.message); }
});
