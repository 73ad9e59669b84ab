// A player's buffs are shown as bars, which also move between two messages.
const plain = (name) => name.toLowerCase().replace(/[\s_-]/g, "");
let shown = null, shownAt = 0, pulses = null;
const buffRow = (b) => {
  const n = h("li", { "data-handle": b.handle });
  n.parts = {
    what: h("a", { class: "what" }), stacks: h("span", { class: "chip stacks" }), more: h("span", { class: "chip" }),
    from: h("div", { class: "from" }), fill: h("i", {}), beat: h("i", {}), time: h("div", { class: "left" }),
  };
  const p = n.parts;
  p.track = h("div", { class: "track", role: "progressbar", "aria-valuemin": 0, "aria-valuemax": 100 }, p.fill);
  p.pulse = h("div", { class: "beat" }, p.beat);
  p.remove = h("button", { type: "button" }, "Remove");
  // The first click asks for confirmation. A second click within five seconds removes the buff.
  const calm = () => { delete p.remove.dataset.sure; put(p.remove, "Remove"); };
  p.remove.addEventListener("click", () => {
    if (p.remove.dataset.sure) { calm(); return act({ act: "remove", handle: b.handle }); }
    p.remove.dataset.sure = "yes";
    put(p.remove, "Really?");
    setTimeout(calm, 5000);
  });
  p.source = h("a", {});
  n.append(h("div", { class: "who" }, p.what, p.stacks, p.more, p.from), h("div", { class: "bars" }, p.track, p.pulse), h("div", { class: "time" }, p.time, p.remove));
  p.from.append("from ", p.source, h("span", {}));
  return n;
};
const fillBuff = (n, b) => {
  const p = n.parts, more = [];
  put(p.what, b.name || b.spec);
  set(p.what, "href", "#/definition/" + encodeURIComponent(b.spec));
  put(p.stacks, "×" + b.stacks);
  p.stacks.hidden = b.stacks < 2;
  if (b.level) more.push("level " + b.level);
  if (b.charges) more.push(plural(b.charges, "charge", "charges"));
  if (b.shield) more.push("shield " + b.shield);
  if (b.waiting) more.push(b.waiting + " queued");
  if (b.hidden) more.push("no effect");
  if (b.paused) more.push("paused");
  put(p.more, more.join(", "));
  p.more.hidden = !more.length;
  set(p.source, "href", "#/player/" + b.source.id);
  put(p.source, title(b.source));
  put(p.from.lastChild, (b.name && plain(b.name) !== plain(b.spec) ? " · " + b.spec : "") + (b.magnitude !== "0" ? " · magnitude " + b.magnitude : ""));
  set(p.fill, "class", b.side + (b.left === null ? " ever" : ""));
  p.pulse.hidden = b.next === null || !b.period;
  p.remove.hidden = !allowed;
  const name = (b.name || b.spec) + " from " + title(b.source);
  set(p.track, "aria-label", "Time left of " + name);
  set(p.remove, "aria-label", (p.remove.dataset.sure ? "Really remove " : "Remove ") + name);
  if (n.lastNext !== undefined && b.next !== null && b.next > n.lastNext + b.period / 4) {
    n.classList.add("pulsed"); // no animation, which would repaint sixty times a second for each pulse
    clearTimeout(n.calm);
    n.calm = setTimeout(() => n.classList.remove("pulsed"), 300);
  }
  n.lastNext = b.next === null ? undefined : b.next;
  n.classList.toggle("off", !!b.hidden);
  n.buff = b;
};
// grow sets the length of a bar without causing a new layout.
const grow = (n, part) => { const to = "scaleX(" + part.toFixed(2) + ")"; if (n.to !== to) n.style.transform = n.to = to; };
// moveBars advances the bars by the game time that has passed since the last message.
const moveBars = (passed) => {
  for (const n of $("buffs").children) {
    const b = n.buff, p = n.parts;
    if (!b) continue;
    const left = b.left === null ? null : Math.max(b.left - (b.paused ? 0 : passed), 0), part = left === null ? 1 : Math.min(left / Math.max(b.whole, b.left, 1), 1);
    grow(p.fill, part);
    set(p.track, "aria-valuenow", Math.round(part * 100));
    let text = left === null ? (b.infinite ? "no end" : "paused") : span(left);
    if (b.next !== null && b.period) {
      const next = Math.max(b.next - passed, 0);
      grow(p.beat, Math.min(Math.max(1 - next / b.period, 0), 1));
      set(p.pulse, "title", "next pulse in " + span(next < 1000 ? 100 * Math.round(next / 100) : next));
    }
    put(p.time, text);
    set(p.track, "aria-valuetext", text);
  }
};
// neat formats a number without rounding errors. A value that is not a number is already a
// string.
const neat = (x) => (typeof x === "number" ? String(Number(x.toPrecision(12))) : x);
const eventRow = (e) => h("li", { class: e.kind }, h("span", { class: "soft" }, e.clock), h("span", { class: "k" }, e.kind),
  h("span", {}, e.spec ? specLink(e.spec) : "", (e.stacks > 1 ? " ×" + e.stacks : "") + (e.change ? " " + e.change : "")),
  h("span", { class: "w soft" }, (e.why ? because(e.why) : "") + (e.source ? (e.why ? " · " : "") + "from " + title(e.source) : "") + (e.late >= 100 ? " · " + span(e.late) + " late" : "")));
const showPlayer = (p) => {
  if (shown && shown.id !== p.id) pulses = null;
  shown = p;
  shownAt = performance.now();
  put($("p-name"), p.name || "Player");
  put($("p-id"), "#" + p.id);
  const state = !p.present ? "is not in the engine" : p.unseen ? "is busy: a handler is running" : p.busy ? "is busy: a handler is running; the data is from before" : p.paused ? "is paused" : "";
  const held = view && view.stuck.find((x) => x.id === p.id);
  if (!held) put($("p-state"), state);
  else if ($("p-state").spec !== held.spec || !$("p-state").querySelector("a")) $("p-state").replaceChildren("is stuck in ", specLink(held.spec), ": its handler does not return");
  $("p-state").spec = held ? held.spec : "";
  if (pulses === null) pulses = Number(p.pulses);
  put($("p-sum"), p.unseen ? "Its buffs are unknown until its handler returns." : p.present ? plural(p.carried, "buff", "buffs") + (p.carried > p.buffs.length && p.buffs.length ? ", the oldest " + p.buffs.length + " are shown" : "") + " · " + plural(p.timeouts, "timeout", "timeouts") +
    " · " + plural(Number(p.pulses) - pulses, "pulse", "pulses") + " since you opened this page" + (p.area ? " · area " + p.area : "") + (p.mail ? " · " + plural(p.mail, "message", "messages") + " in the mailbox" : "") + (p.cut ? " · incomplete: too much data" : "") : "The engine has no player with this id.");
  list($("buffs"), p.buffs, (b) => b.handle, buffRow, fillBuff);
  moveBars(0);
  $("p-attributes").hidden = !p.attributes.length;
  set($("p-events"), "class", p.attributes.length ? "most" : "wide");
  list($("attributes"), p.attributes, (a) => a.name, () => h("li", {}), (n, a) => {
    const is = JSON.stringify(a);
    if (n.is === is) return; // unchanged; replacing the elements would cause a new layout and repaint
    n.is = is;
    const made = a.modifiers.map((m) => h("div", {}, m.text + " · " + m.from));
    n.replaceChildren(h("b", {}, neat(a.value)), a.name, h("div", {}, "base " + neat(a.base)), ...made);
  });
  const seen = new Map(), rows = p.events.map((e) => {
    const k = e.at + e.kind + e.spec + (e.source ? e.source.id : "") + (e.change || ""), n = seen.get(k) || 0;
    seen.set(k, n + 1);
    return { k: k + " " + n, e };
  });
  list($("history"), rows.length ? rows : [{ k: "none" }], (x) => x.k, (x) => (x.e ? eventRow(x.e) : h("li", { class: "soft" }, "no events yet")), () => {});
  $("p-command").hidden = !unsafe || !p.present;
  $("p-actions").hidden = !allowed || !p.present;
  put($("p-pause"), p.paused ? "Resume this player" : "Pause this player");
};
$("p-pause").addEventListener("click", () => shown && act({ act: shown.paused ? "resume" : "pause", player: shown.id }));
// A command line for development. The server returns the completions and the results.
let wishes = 0;
$("command").addEventListener("input", async () => {
  const n = ++wishes, text = $("command").value;
  if (!secret) return;
  try {
    const r = await ask("?complete=" + encodeURIComponent(text) + "&player=" + shown.id);
    if (n === wishes) $("completions").replaceChildren(...r.lines.map((x) => h("option", { value: x })));
  } catch (e) { put($("commanded"), e.message); }
});
$("p-command").addEventListener("submit", async (e) => {
  e.preventDefault();
  const text = $("command").value.trim();
  if (!text) return;
  if (!secret) { $("unlock").hidden = false; $("token").focus(); return say("Commands require the token."); }
  try {
    const r = await fetch(base + "?act", { method: "POST", headers: headers({ "Content-Type": "application/json" }), body: JSON.stringify({ act: "command", player: shown.id, text }) }), said = (await r.text()).trim();
    if (r.status === 401) lock();
    set($("commanded"), "class", r.ok ? "" : "failed");
    put($("commanded"), r.ok ? text + ": " + JSON.parse(said).said : said);
    if (r.ok) $("command").value = "";
  } catch (e) { put($("commanded"), e.message); }
});
