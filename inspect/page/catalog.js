// The definitions are fetched when the page of them is opened, and again when they change.
let specs = [], version = "", counts = null, loading = false;
const loadSpecs = async (want) => {
  if (loading) return;
  loading = true;
  try {
    const all = [];
    let got = "";
    for (let from = 0; ; ) {
      const part = await ask("?catalog&from=" + from);
      if (got && part.version !== got) break; // changed meanwhile: the next message asks again
      got = part.version;
      all.push(...part.specs);
      if (!part.next) { specs = all; version = got; break; }
      from = part.next;
    }
  } catch (e) { say(e.message); } finally { loading = false; }
  showSpecs();
};
const specRow = (d) => {
  const n = h("li", {});
  n.live = h("span", { class: "n" });
  n.denied = h("span", { class: "denied" });
  const times = [d.kind, d.lasts, d.period && "every " + d.period].filter(Boolean).join(", ");
  const fields = h("dl", {});
  for (const [k, v] of d.fields) fields.append(h("dt", {}, k), h("dd", {}, v));
  n.append(h("details", {}, h("summary", {}, h("b", {}, d.id), h("span", { class: "soft" }, times), n.live, n.denied), d.note ? h("p", { class: "note" }, d.note) : "", fields));
  return n;
};
const showSpecs = () => {
  const want = $("d-filter").value.trim().toLowerCase(), denied = new Map();
  for (const d of (counts && counts.denied) || []) {
    const of = denied.get(d.spec) || { n: 0, why: [] };
    of.n += d.n;
    of.why.push(count(d.n) + " denied: " + because(d.why));
    denied.set(d.spec, of);
  }
  const refusals = (x) => {
    const of = denied.get(x.d.id) || { n: 0, why: [] }, before = (counts ? counts.refused[x.i] : 0) - of.n;
    return (before > 0 ? [...of.why, count(before) + " denied before somebody looked"] : of.why).join("; ");
  };
  const fits = (d) => !want || (d.id + " " + d.name + " " + d.fields.map((f) => f.join(" ")).join(" ")).toLowerCase().includes(want);
  const shown = specs.map((d, i) => ({ d, i })).filter((x) => fits(x.d));
  const none = want && !shown.length ? [{ none: want }] : [];
  list($("specs"), [...none, ...shown.slice(0, 500)], (x) => (x.none ? "none " + x.none : version + " " + x.i), (x) => (x.none ? h("li", { class: "soft" }, "No definition fits “" + x.none + "”.") : specRow(x.d)), (n, x) => {
    if (x.none) return;
    put(n.live, counts && x.i < counts.live.length ? count(counts.live[x.i]) + " live" : "");
    put(n.denied, refusals(x));
  });
  put($("d-note"), plural(specs.length, "definition", "definitions") + (want ? ", of which " + count(shown.length) + " fit" : "") + (shown.length > 500 ? ", and 500 are shown" : ""));
};
const showCounts = (c) => {
  counts = c;
  if (c.version !== version) loadSpecs();
  else showSpecs();
  list($("reloads"), c.reloads.length ? c.reloads : [{ none: true }], (r) => JSON.stringify(r), (r) => {
    if (r.none) return h("li", { class: "soft" }, "none so far");
    const li = h("li", {}, h("span", { class: r.ok ? "ok" : "failed" }, r.ok ? "in force" : "refused, the old ones stay"), " ", h("span", { class: "soft" }, r.at));
    if (r.text) li.append(h("pre", {}, r.text));
    return li;
  }, () => {});
};
$("d-filter").addEventListener("input", showSpecs);
$("d-reload").addEventListener("click", () => act({ act: "reload" }));
