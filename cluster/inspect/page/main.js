"use strict";
// All content is inserted with these functions, and only as text.
const $ = (id) => document.getElementById(id);
const h = (tag, attrs, ...list) => {
  const n = document.createElement(tag);
  for (const k in attrs) n.setAttribute(k, attrs[k]);
  n.append(...list);
  return n;
};
const put = (n, text) => { if (n.textContent !== text) n.textContent = text; };
const set = (n, k, v) => { if (n.getAttribute(k) !== v) n.setAttribute(k, v); };
const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const count = (n) => whole.format(n);
const plural = (n, one, many) => count(n) + " " + (Number(n) === 1 ? one : many);
// name replaces control and direction characters in a name and shortens it.
const name = (s) => { s = s.replace(/[\p{Cc}\p{Cf}]/gu, "�"); return s.length > 80 ? s.slice(0, 80) + "…" : s; };
const anchor = (zone) => "zone-" + encodeURIComponent(zone);

// list updates the children of parent by key. Children are reused, so that the focused element
// keeps the focus.
const list = (parent, items, key, make, update) => {
  const old = parent.items || new Map(), now = new Map(), focused = parent.contains(document.activeElement) ? document.activeElement : null;
  let at = parent.firstChild;
  for (const it of items) {
    const k = key(it);
    if (now.has(k)) continue;
    const n = old.get(k) || make(it);
    now.set(k, n);
    update(n, it);
    if (n === at) at = at.nextSibling;
    else parent.insertBefore(n, at);
  }
  for (const [k, n] of old) if (now.get(k) !== n) n.remove();
  parent.items = now;
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
};

const showNode = (n, v, zones) => {
  n.className = v.silent ? "silent" : "";
  put(n.says, v.closed ? "its connection to NATS is closed for good, and it releases its zones" : v.denied ? "NATS does not permit it to receive commands, and it claims no zones" : v.silent ? "alive, but does not reply: cut off from NATS?" :
    plural(v.zones, "zone", "zones") + ", " + plural(v.owners, "owner", "owners") + ", " + plural(v.commands, "command", "commands") + " executed, " + count(v.waiting) + " in flight" +
    (v.drained !== "0" ? ", " + plural(v.drained, "zone", "zones") + " released" : "") + (v.fenced !== "0" ? ", " + plural(v.fenced, "commit", "commits") + " rejected" : "") + (v.stopped !== "0" ? ", " + plural(v.stopped, "zone", "zones") + " stopped" : "") + (v.givenUp !== "0" ? ", " + plural(v.givenUp, "zone", "zones") + " stopped unsaved" : "") + (v.lost !== "0" ? ", " + plural(v.lost, "zone", "zones") + " loaded again after lost commits" : "") + (v.missed !== "0" ? ", " + plural(v.missed, "beat", "beats") + " missed" : ""));
  list(n.chips, zones, (z) => z.name, () => { const li = h("li", {}); li.append(h("a", {})); return li; }, (li, z) => {
    put(li.firstChild, name(z.name));
    set(li.firstChild, "href", "#" + anchor(z.name));
  });
};

const makeNode = (v) => {
  const n = h("li", {}, h("h3", {}, name(v.name)));
  n.says = h("p", { class: "says" });
  n.chips = h("ul", { class: "chips", "aria-label": "Zones of " + name(v.name) });
  n.append(n.says, n.chips);
  return n;
};

const makeZone = (z) => {
  const tr = h("tr", { id: anchor(z.name) });
  tr.called = h("th", { scope: "row" }, h("span", {}, name(z.name)));
  tr.bar = h("i", {});
  tr.time = h("span", {});
  tr.tds = [h("td", {}), h("td", {}, h("span", { class: "meter", "aria-hidden": "true" }, tr.bar), tr.time), h("td", { class: "n" }), h("td", { class: "n" }), h("td", { class: "n" }), h("td", { class: "n" })];
  tr.append(tr.called, ...tr.tds);
  return tr;
};

// unsavedLong is the time in ms after which an unsaved zone is shown as an alarm. A failover of
// the database may take this long.
const unsavedLong = 2000;
const showZone = (tr, z, most) => {
  tr.className = z.quarantined || !z.node || z.unsaved > unsavedLong ? "alarm" : z.wish && z.wish !== z.node ? "watch" : "";
  const link = tr.called.querySelector("a");
  if (!z.page && link) link.remove();
  if (z.page && !link) tr.called.append(h("a", { href: z.page, rel: "noopener noreferrer", "aria-label": "live page of " + name(z.name) }, "live page"));
  if (z.page && link) set(link, "href", z.page);
  put(tr.tds[0], z.quarantined ? "none: quarantined" : !z.node ? "none" : name(z.node) + (z.unsaved ? ", unsaved for " + (z.unsaved / 1000).toFixed(1) + " s" : "") + (z.wish && z.wish !== z.node ? " → " + name(z.wish) : ""));
  tr.bar.style.width = (100 * z.left / most) + "%";
  put(tr.time, z.node ? (z.left / 1000).toFixed(1) + " s" : "–");
  put(tr.tds[2], z.owners < 0 ? "–" : count(z.owners));
  put(tr.tds[3], z.owners < 0 ? "–" : count(z.waiting));
  put(tr.tds[4], z.load ? z.load.toFixed(1) : "–");
  put(tr.tds[5], z.epoch);
};

// free maps each zone without a node to the time at which it was first seen without a node. A
// moving zone has no node for a moment.
const free = new Map();
const long = 4000;
const since = (zones) => {
  for (const name of free.keys()) if (!zones.some((z) => z.name === name)) free.delete(name);
  for (const z of zones) if (!free.has(z.name)) free.set(z.name, performance.now());
  return zones.some((z) => performance.now() - free.get(z.name) > long);
};

// verdict returns a level and a sentence. The sentence names the most severe problem, or says that
// the cluster has none.
const verdict = (v) => {
  const sick = v.zones.filter((z) => z.quarantined), none = v.zones.filter((z) => !z.node && !z.quarantined), silent = v.nodes.filter((n) => n.silent);
  const some = (list) => list.slice(0, 3).map((x) => name(x.name)).join(", ") + (list.length > 3 ? " and " + count(list.length - 3) + " more" : "");
  if (sick.length) return ["alarm", some(sick) + " failed three times and " + (sick.length > 1 ? "are" : "is") + " quarantined"];
  const tooLong = since(none);
  if (none.length) return [tooLong ? "alarm" : "watch", (tooLong ? "no node runs " : "moving: ") + some(none)];
  const unsaved = v.zones.filter((z) => z.unsaved > unsavedLong);
  if (unsaved.length) return ["alarm", some(unsaved) + (unsaved.length > 1 ? " run" : " runs") + " but cannot be saved"];
  const deaf = v.nodes.filter((n) => n.closed || n.denied);
  if (deaf.length) return ["alarm", some(deaf) + (deaf.length > 1 ? " receive" : " receives") + " no commands over NATS"];
  if (v.error) return ["alarm", "NATS: " + v.error];
  if (silent.length) return ["watch", some(silent) + (silent.length > 1 ? " do" : " does") + " not reply over NATS"];
  return ["calm", "all " + plural(v.zones.length, "zone runs", "zones run") + " on " + plural(v.nodes.length, "node", "nodes")];
};

const tell = (kind, text) => {
  const said = text[0].toUpperCase() + text.slice(1);
  set($("verdict"), "class", kind);
  put($("verdict"), said);
  put($("aloud"), said);
};

const show = (v) => {
  put($("title"), "Cluster, seen by " + name(v.node));
  tell(...verdict(v));
  const of = new Map();
  for (const z of v.zones) of.set(z.node, [...(of.get(z.node) || []), z]);
  list($("nodes"), v.nodes, (n) => n.name, makeNode, (li, n) => showNode(li, n, of.get(n.name) || []));
  const most = v.zones.reduce((m, z) => Math.max(m, z.left), 1);
  list($("zones"), v.zones, (z) => z.name, makeZone, (tr, z) => showZone(tr, z, most));
  list($("moves"), v.moves, (m) => m.at + " " + m.zone + " " + m.epoch + " " + m.to, (m) => h("tr", {}, h("td", {}, m.at.slice(11, 23).replace("Z", "")), h("th", { scope: "row" }, name(m.zone)),
    h("td", {}, m.from ? name(m.from) : "none"), h("td", {}, m.to ? name(m.to) : "none"), h("td", { class: "n" }, m.epoch)), () => {});
  $("no-moves").hidden = v.moves.length > 0;
  put($("zones-note"), v.cut ? "the first " + count(v.zones.length) : count(v.zones.length));
  put($("nodes-note"), count(v.nodes.length));
};

let token = "", failed = 0;
const ask = async () => {
  try {
    const r = await fetch("?view", { headers: token ? { Authorization: "Bearer " + token } : {}, cache: "no-store" });
    $("unlock").hidden = r.status !== 401;
    if (!r.ok) throw new Error(r.status === 401 ? "a token is required" : (await r.text()).trim());
    const v = await r.json();
    failed = 0;
    return v;
  } catch (e) {
    if (++failed > 1 || !$("unlock").hidden) tell("alarm", "this node does not reply: " + e.message);
    return null;
  }
};
const look = async () => {
  const v = await ask();
  if (v) show(v);
};
const again = async () => {
  setTimeout(again, 1000);
  if (!document.hidden) await look();
};
$("unlock").addEventListener("submit", (e) => {
  e.preventDefault();
  token = $("token").value;
  look();
});

const dress = (theme) => {
  document.documentElement.dataset.theme = theme;
  put($("theme"), theme === "dark" ? "Light" : "Dark");
};
dress(matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
const turn = () => dress(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
$("theme").addEventListener("click", turn);
document.addEventListener("keydown", (e) => { if (e.key === "t" && !e.target.matches("input") && !e.ctrlKey && !e.metaKey && !e.altKey) turn(); });
again();
