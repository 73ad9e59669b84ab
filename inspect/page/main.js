// The connection, the pages and the keys.
let allowed = false, unsafe = false, secret = "", stop = null, view = null, viewAt = 0, speed = 1, route = null, gapTimer = 0;
const base = location.pathname;
const say = (text) => put($("told"), text);
const headers = (more) => (secret ? { Authorization: "Bearer " + secret, ...more } : more || {});
const ask = async (query) => {
  const r = await fetch(base + query, { headers: headers() });
  if (!r.ok) throw new Error((await r.text()).trim());
  return r.json();
};
// lock asks the user for the token again, after a response with status 401.
const lock = () => { secret = ""; $("unlock").hidden = false; delete $("unlock").dataset.used; };
const act = async (what) => {
  if (!secret) { $("unlock").hidden = false; $("token").focus(); return say("Actions require the token."); }
  try {
    const r = await fetch(base + "?act", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify(what) });
    const text = (await r.text()).trim();
    if (r.status === 401) lock();
    if (r.ok && what.act === "reload") {
      const went = JSON.parse(text);
      set($("d-said"), "class", went.ok ? "ok" : "failed");
      put($("d-said"), (went.ok ? "Applied" : "Refused, the old definitions remain in use") + (went.text ? ": " + went.text.split("\n")[0] : "."));
    } else say(!r.ok ? text : what.act === "check" ? "Token accepted. It is used until this page is closed." : what.act + ": done");
    return r.ok;
  } catch (e) { say(e.message); return false; }
};
const handlers = {
  hello(m) {
    put($("title"), m.title);
    document.title = m.title;
    allowed = m.actions;
    unsafe = m.unsafe;
    $("unlock").hidden = !m.actions;
    $("d-reload").hidden = !m.reload || !m.actions;
    const known = past.kept !== undefined;
    past.kept = m.history;
    if (!known && past.id) askPast();
  },
  view(v) {
    const now = performance.now();
    if (view && v.at > view.at) speed = speed * 0.8 + Math.min(Math.max((v.now - view.now) / (v.at - view.at), 0), 1000) * 0.2;
    view = v;
    viewAt = now;
    showView(v);
  },
  player: (p) => { if (route === "player/" + p.id) showPlayer(p); },
  catalog: showCounts,
  gap(m) {
    put($("gap"), "This browser is too slow: " + plural(Number(m.skipped), "view was", "views were") + " skipped, " + count(Number(m.sum)) + " in total. The page shows the latest view.");
    $("gap").hidden = false;
    clearTimeout(gapTimer);
    gapTimer = setTimeout(() => { $("gap").hidden = true; }, 10000);
  },
  stalled(m) { speed = 0; verdict("alarm", "stalled", m.say); },
};
const pause = (ms, signal) => new Promise((done) => { const t = setTimeout(done, ms); signal.addEventListener("abort", () => { clearTimeout(t); done(); }); });
// follow reads server-sent events with fetch, because an EventSource cannot send a token.
const follow = async (query, signal) => {
  const r = await fetch(base + query, { headers: headers(), signal });
  if (r.status === 401) { lock(); throw new Error("this page requires a token"); }
  if (r.status === 503 && !query.includes("player") && !query.includes("catalog")) { handlers.view(await ask("?snapshot")); throw new Error(""); }
  if (!r.ok) throw new Error((await r.text()).trim());
  const reader = r.body.pipeThrough(new TextDecoderStream()).getReader();
  for (let rest = ""; ; ) {
    const { value, done } = await reader.read();
    if (done) throw new Error("the stream ended");
    const parts = (rest + value).split("\n\n");
    rest = parts.pop();
    for (const p of parts) {
      const m = /^event: (\w+)\ndata: (.*)$/.exec(p);
      if (m && Object.hasOwn(handlers, m[1])) handlers[m[1]](JSON.parse(m[2]));
    }
  }
};
// All tabs of this browser share one stream through a SharedWorker: see worker.js. Without a
// SharedWorker, each tab has its own stream.
let shared = null;
try {
  shared = new SharedWorker(base + "?worker=@worker@");
  shared.onerror = () => { if (shared) { shared = null; connect(); } };
  shared.port.onmessage = ({ data }) => {
    if (data.locked) lock();
    if (data.failed) offline(data.failed);
    for (const [kind, text] of data.events || []) if (Object.hasOwn(handlers, kind)) handlers[kind](JSON.parse(text));
    shared.port.postMessage({ took: true });
  };
  addEventListener("pagehide", () => { if (shared) shared.port.postMessage({ bye: true }); });
  addEventListener("pageshow", (e) => { if (e.persisted) connect(); });
} catch { shared = null; }
const offline = (why) => verdict("alarm", "offline", "No connection: " + why + ". Reconnecting …");
const connect = async () => {
  if (shared) return shared.port.postMessage({ secret, players: route.startsWith("player/") ? [route.slice(7)] : [], catalog: route.startsWith("definition") });
  if (stop) stop.abort();
  const mine = (stop = new AbortController());
  const query = "?stream" + (route.startsWith("player/") ? "&player=" + route.slice(7) : "") + (route.startsWith("definition") ? "&catalog" : "");
  while (!mine.signal.aborted) {
    try { await follow(query, mine.signal); } catch (e) {
      if (mine.signal.aborted) return;
      if (e.message) offline(e.message);
    }
    await pause(1000, mine.signal);
  }
};
const show = () => {
  const m = /^(?:#\/(player\/\d{1,20}|definition\/[^/]{1,300}|definitions|incidents|)(?:\/with\/(\d{1,20}))?(?:\/at\/(\d{1,15}))?|#|)$/.exec(location.hash), before = route;
  route = m && (m[1] || !(m[2] || m[3])) ? m[1] || "" : "nowhere";
  const page = route.split("/")[0] || "overview";
  for (const id of ["overview", "player", "definitions", "definition", "incidents", "nowhere"]) $(id).hidden = id !== page;
  put($("n-what"), location.hash.slice(0, 80));
  for (const id of ["overview", "definitions", "incidents"]) page === id ? $("to-" + id).setAttribute("aria-current", "page") : $("to-" + id).removeAttribute("aria-current");
  page === "player" ? openPast(route.slice(7), m[2] || "", m[3] ? Number(m[3]) : null) : openPast("", "", null);
  if (before === route && page === "player") return;
  noted = "";
  if (page === "definition") openSpec(decodeURIComponent(route.slice(11)));
  showSpecs();
  if (page === "player") { $("buffs").items = null; $("buffs").replaceChildren(); $("history").items = null; $("history").replaceChildren(); shown = pulses = null; put($("p-name"), "Player"); put($("p-id"), "#" + route.slice(7)); put($("p-sum"), ""); put($("p-state"), ""); }
  connect();
};
addEventListener("hashchange", show);

// Between two messages, the hands and the bars move at the speed of the game.
const still = matchMedia("(prefers-reduced-motion: reduce)");
const animate = () => {
  if (view) {
    const passed = still.matches ? 0 : Math.min(performance.now() - viewAt, 1000) * speed, now = view.now + passed;
    if (!$("overview").hidden) {
      turn(now);
      const sec = Math.floor(now / 1000);
      put($("now"), now < 360000000 ? two(Math.floor(sec / 3600), 2) + ":" + two(Math.floor(sec / 60) % 60, 2) + ":" + two(sec % 60, 2) + "." + two(Math.floor(now % 1000), 3) : view.clock);
    } else if (!$("player").hidden && shown && !shown.busy) moveBars(shown.paused ? 0 : Math.min(performance.now() - shownAt, 2000) * speed);
  }
  setTimeout(() => requestAnimationFrame(animate), still.matches ? 500 : $("player").hidden ? 100 : 250); // a higher frame rate would cost more without a visible difference
};

const found = $("found"), query = $("query");
let asked = 0;
const search = async () => {
  const text = query.value.trim(), n = ++asked;
  if (!text) { found.hidden = true; return; }
  try {
    // Searching very many names takes several requests. "no players" is shown only after the last
    // request.
    const same = [], others = [];
    for (let from = 0, more = false; ; ) {
      const r = await ask("?search=" + encodeURIComponent(text) + (from ? "&from=" + from : ""));
      if (n !== asked) return;
      same.push(...r.same);
      others.push(...r.players.filter((p) => !same.some((q) => q.id === p.id)));
      more = more || r.more || others.length > 20;
      const part = r.next && view && view.owners ? Math.min(Math.floor((100 * r.next) / view.owners), 99) + " % of players searched …" : "";
      const rows = [...same, ...others.slice(0, 20)].map((p) => ({ k: p.id, p }));
      const note = part || (!rows.length ? "no players found" : more ? "more players match" : "");
      if (note) rows.push({ k: "note " + note, note });
      list(found, rows, (x) => x.k, (x) => h("li", {}, x.note ? h("span", { class: "soft" }, x.note) : playerLink(x.p)), () => {});
      found.hidden = false;
      if (!(from = r.next)) break;
    }
  } catch (e) { if (n === asked) { list(found, [{ k: "error " + e.message }], (x) => x.k, () => h("li", {}, h("span", {}, e.message)), () => {}); found.hidden = false; } }
};
let typing = 0;
query.addEventListener("input", () => { clearTimeout(typing); typing = setTimeout(search, 200); });
$("search").addEventListener("submit", (e) => { e.preventDefault(); const a = found.querySelector("a"); if (a && !found.hidden) a.click(); else search(); });
$("search").addEventListener("keydown", (e) => {
  const links = [...found.querySelectorAll("a")], at = links.indexOf(document.activeElement);
  if (e.key === "ArrowDown" && links.length) { links[Math.min(at + 1, links.length - 1)].focus(); e.preventDefault(); }
  if (e.key === "ArrowUp") { (at > 0 ? links[at - 1] : query).focus(); e.preventDefault(); }
});
found.addEventListener("click", () => { found.hidden = true; query.value = ""; query.blur(); });
document.addEventListener("click", (e) => { if (!$("search").contains(e.target)) found.hidden = true; });
// A token is checked at once, so that a wrong token is noticed before it is needed.
$("unlock").addEventListener("submit", async (e) => {
  e.preventDefault();
  secret = $("token").value;
  $("token").value = "";
  if (!secret || !(await act({ act: "check" }))) return;
  $("token").blur();
  $("unlock").dataset.used = "yes";
  connect();
});

const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
const paint = (name) => { root.dataset.theme = name; put($("theme"), name === "dark" ? "Light" : "Dark"); };
paint(dark.matches ? "dark" : "light");
dark.addEventListener("change", () => paint(dark.matches ? "dark" : "light"));
$("theme").addEventListener("click", () => paint(root.dataset.theme === "dark" ? "light" : "dark"));
document.addEventListener("keydown", (e) => {
  if (e.key === "Escape") {
    if (!found.hidden || document.activeElement === query) { found.hidden = true; query.blur(); } else location.hash = "#/";
    return;
  }
  if (e.ctrlKey || e.metaKey || e.altKey || /^(INPUT|TEXTAREA)$/.test(document.activeElement.tagName)) return;
  if (e.key === "/") { query.focus(); e.preventDefault(); }
  if (e.key === "o") location.hash = "#/";
  if (e.key === "d") location.hash = "#/definitions";
  if (e.key === "i") location.hash = "#/incidents";
  if (e.key === "t") $("theme").click();
});
show();
animate();
