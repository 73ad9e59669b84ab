// The definitions are fetched when a page that shows them is opened, and when they have changed.
let specs = [], version = "", counts = null, before = null, loading = false, sorting = "live", upward = false;
const figures = new Map(); // statistics of each definition, by index
const loadSpecs = async () => {
  if (loading) return;
  loading = true;
  try {
    const all = [];
    let got = "";
    for (let from = 0; ; ) {
      const part = await ask("?catalog&from=" + from);
      if (got && part.version !== got) break; // the catalog has changed, so the next message will cause another fetch
      got = part.version;
      all.push(...part.specs);
      if (!part.next) { specs = all; version = got; break; }
      from = part.next;
    }
  } catch (e) { say(e.message); } finally { loading = false; }
  showSpecs();
};
const sumOf = (list) => (list || []).reduce((a, b) => a + b, 0);
// figure returns the statistics of the definition at an index.
const figure = (d, i) => {
  const c = counts, f = { live: NaN, rate: NaN, kinds: [], refused: 0, why: [], p50: 0, p99: 0, share: 0, calls: 0 };
  if (!c || i >= c.live.length) return f;
  f.live = c.live[i];
  f.refused = c.refused[i];
  for (const x of c.denied) if (x.spec === d.id) f.why.push(x);
  if (!c.calls || i >= c.calls.length) return f;
  const whole = sumOf(c.took), span = before && before.version === c.version ? (c.at - before.at) / 1000 : 0;
  f.calls = c.calls[i]; f.p50 = c.p50[i] / 1000; f.p99 = c.p99[i] / 1000;
  f.rate = span > 0 ? 0 : NaN;
  f.share = whole > 0 ? c.took[i] / whole : 0;
  for (const [kind, list] of Object.entries(c.kinds || {})) {
    const was = (before && before.kinds && before.kinds[kind]) || [], rate = span > 0 ? Math.max(list[i] - (was[i] || 0), 0) / span : NaN;
    if (list[i]) f.kinds.push({ kind, n: list[i], rate });
    f.rate += rate;
  }
  f.kinds.sort((a, b) => b.rate - a.rate || b.n - a.n);
  return f;
};
const perSecond = (x) => (Number.isNaN(x) ? "…" : x === 0 ? "0" : x < 10 ? x.toFixed(1) : count(x));
const percent = (x) => (x === 0 ? "" : x < 0.001 ? "< 0.1 %" : (100 * x).toFixed(1) + " %");
const lasting2 = (d) => [d.kind, d.lasts, d.period && "every " + d.period].filter(Boolean).join(", ");
const whyText = (f, long) => {
  const known = sumOf(f.why.map((x) => x.n)), out = f.why.map((x) => count(x.n) + " " + (long ? because(x.why) : x.why));
  if (f.refused > known) out.push(count(f.refused - known) + " before a client connected");
  return out.join(long ? "; " : ", ");
};
const columns = {
  id: { title: "Definition", of: (x) => x.d.id },
  live: { title: "Live", of: (x) => x.f.live, text: (x) => count(x.f.live) },
  rate: { title: "Events per second", of: (x) => x.f.rate, text: (x) => perSecond(x.f.rate), tip: (x) => x.f.kinds.map((k) => k.kind + " " + perSecond(k.rate)).join(", ") },
  denied: { title: "Denied", of: (x) => x.f.refused, text: (x) => whyText(x.f, false), tip: (x) => whyText(x.f, true) },
  p50: { title: "Handler p50", of: (x) => x.f.p50, text: (x) => (x.f.p50 ? span(x.f.p50) : "") },
  p99: { title: "p99", of: (x) => x.f.p99, text: (x) => (x.f.p99 ? span(x.f.p99) : "") },
  share: { title: "Handler share", of: (x) => x.f.share, text: (x) => percent(x.f.share) },
  place: { title: "File and line", of: (x) => x.d.place || "", text: (x) => x.d.place || "" },
};
const specLink = (id, text) => h("a", { href: "#/definition/" + encodeURIComponent(id) }, text || id);
const specRow = ({ d }) => {
  const tr = h("tr", {}, h("th", { scope: "row" }, specLink(d.id), h("div", { class: "soft" }, (d.name && plain(d.name) !== plain(d.id) ? d.name + " · " : "") + lasting2(d))));
  tr.cells2 = {};
  for (const k in columns) if (k !== "id") tr.append((tr.cells2[k] = h("td", { class: k, "data-title": columns[k].title })));
  return tr;
};
const heads = {};
for (const k in columns) {
  const b = h("button", { type: "button" }, columns[k].title);
  heads[k] = h("th", { scope: "col", class: k }, b);
  b.addEventListener("click", () => { upward = sorting === k ? !upward : k === "id" || k === "place"; sorting = k; showSpecs(); });
  $("spec-heads").append(heads[k]);
}
const fitsSpec = (d, want) => !want || (d.id + " " + d.name + " " + (d.place || "") + " " + d.fields.map((f) => f.join(" ")).join(" ")).toLowerCase().includes(want);
const showSpecs = () => {
  if (!$("definition").hidden) showSpec();
  if ($("definitions").hidden) return;
  const want = $("d-filter").value.trim().toLowerCase(), by = columns[sorting].of;
  const rows = specs.map((d, i) => ({ d, i })).filter((x) => fitsSpec(x.d, want));
  for (const x of rows) x.f = figure(x.d, x.i);
  rows.sort((a, b) => {
    const p = by(a), q = by(b), way = upward ? 1 : -1;
    return (p < q || Number.isNaN(p) ? -way : p > q || Number.isNaN(q) ? way : 0) || (a.d.id < b.d.id ? -1 : 1);
  });
  for (const k in columns) k === sorting ? heads[k].setAttribute("aria-sort", upward ? "ascending" : "descending") : heads[k].removeAttribute("aria-sort");
  list($("specs"), rows.slice(0, 500), (x) => version + " " + x.i, specRow, (tr, x) => {
    for (const k in tr.cells2) {
      put(tr.cells2[k], columns[k].text(x));
      if (columns[k].tip) set(tr.cells2[k], "title", columns[k].tip(x));
    }
  });
  $("d-none").hidden = !want || rows.length > 0;
  put($("d-none"), "No definition matches “" + want + "”.");
  $("spec-table").hidden = !rows.length;
  put($("d-note"), plural(specs.length, "definition", "definitions") + (want ? ", " + count(rows.length) + (rows.length === 1 ? " matches" : " match") : "") + (rows.length > 500 ? ", 500 are shown" : ""));
};
// The page of one definition, with its statistics, its fields and the players that have the buff.
const holders = { id: "", list: [], next: 0, busy: 0, all: 0, asked: 0, done: false };
const showSpec = () => {
  const id = decodeURIComponent(route.split("/")[1] || ""), i = specs.findIndex((d) => d.id === id), d = specs[i];
  put($("s-id"), id);
  put($("s-note"), d ? d.note || "" : version ? "Unknown definition; a reload may have removed it." : "");
  const box = $("s-figures");
  if (!d) { box.replaceChildren(); $("s-fields").replaceChildren(); $("s-place").hidden = true; return; }
  const f = figure(d, i), rows = [["kind", lasting2(d)], ["live", count(f.live)]];
  $("s-place").hidden = !d.place;
  put($("s-place"), d.place || "");
  for (const k of f.kinds) rows.push([k.kind, perSecond(k.rate) + " per second, " + count(k.n) + " since a client connected"]);
  for (const x of f.why) rows.push(["denied", count(x.n) + " · " + because(x.why)]);
  if (f.refused > sumOf(f.why.map((x) => x.n))) rows.push(["denied", count(f.refused - sumOf(f.why.map((x) => x.n))) + " before a client connected"]);
  rows.push(["handlers", f.calls ? "p50 < " + span(f.p50) + ", p99 < " + span(f.p99) + "; " + (percent(f.share) || "0 %") + " of total handler time; " + count(f.calls) + " calls, sampled" : "none has returned since a client connected"]);
  list(box, rows.map((r, n) => ({ k: n + r[0], r })), (x) => x.k, (x) => h("div", {}, h("dt", {}, x.r[0]), h("dd", {})), (n, x) => put(n.lastChild, x.r[1]));
  list($("s-fields"), d.fields.map((x, n) => ({ k: version + n + x[0], x })), (x) => x.k, ({ x }) => h("div", {}, h("dt", {}, x[0]), h("dd", {}, x[1])), () => {});
};
const showHolders = () => {
  list($("holders"), holders.list, (x) => x.id, (x) => h("li", {}, playerLink(x), h("span", { class: "soft" })), (n, x) => put(n.lastChild, (x.buffs > 1 ? x.buffs + " buffs, " : "") + plural(x.stacks, "stack", "stacks") + ", from " + title(x.source)));
  put($("h-note"), (holders.list.length ? plural(holders.list.length, "player has it", "players have it") + (holders.next ? " among the " + Math.floor((100 * holders.next) / Math.max(holders.all, 1)) + " % of players searched" : "") : holders.done ? "no holders" : "searching …") +
    (holders.busy ? "; unknown for " + plural(holders.busy, "player", "players") + " with running handlers" : ""));
  $("h-more").hidden = !holders.next;
};
// askHolders continues the search for holders until it has found some more holders or has visited
// all players.
const askHolders = async () => {
  const n = ++holders.asked, had = holders.list.length;
  try {
    do {
      const r = await ask("?holders=" + encodeURIComponent(holders.id) + "&from=" + holders.next);
      if (n !== holders.asked) return;
      holders.list.push(...r.list);
      Object.assign(holders, { next: r.next || 0, busy: holders.busy + r.busy, all: r.all, done: !r.next });
      showHolders();
    } while (holders.next && holders.list.length < had + 20);
  } catch (e) { if (n === holders.asked) put($("h-note"), e.message); }
};
const openSpec = (id) => {
  Object.assign(holders, { id, list: [], next: 0, busy: 0, all: 0, done: false, asked: holders.asked + 1 });
  showHolders();
  showSpec();
  if (id) askHolders();
};
$("h-more").addEventListener("click", askHolders);
$("h-again").addEventListener("click", () => openSpec(holders.id));
const showCounts = (c) => {
  if (!counts || counts.version !== c.version || c.at > counts.at) { before = counts; counts = c; }
  if (c.version !== version) loadSpecs();
  else showSpecs();
  list($("reloads"), c.reloads.length ? c.reloads : [{ none: true }], (r) => JSON.stringify(r), (r) => {
    if (r.none) return h("li", { class: "soft" }, "none so far");
    const li = h("li", {}, h("span", { class: r.ok ? "ok" : "failed" }, r.ok ? "applied" : "refused, the old definitions remain in use"), " ", h("span", { class: "soft" }, r.at));
    if (r.text) li.append(h("pre", { tabindex: 0, "aria-label": "Report" }, r.text));
    return li;
  }, () => {});
};
$("d-filter").addEventListener("input", showSpecs);
$("d-reload").addEventListener("click", () => act({ act: "reload" }));
