// The page: files, the editor, and the results of its text.
import { $, h, s, seconds, later, ask } from "./dom.js";
import { call, isStatic } from "./backend.js";
import { create } from "./editor.js";
import * as schema from "./schema.js";
import { draw, stateAt, diffOf } from "./timeline.js";
import * as numbers from "./numbers.js";

let root = null, about = { dir: "", game: false };
let name = "", saved = "", version = "", isScenario = false, readOnly = false; // the open file
let known = {}, definitions = [], buff = "", number = 0, line = null, versionA = null, at = 0, where = () => 0;
let entries = [];
const scripts = JSON.parse(localStorage.getItem("scripts") || "{}"); // by folder, file and buff
const drafts = {}; // edited texts by folder and file
const key = (file) => about.dir + "\n" + file;
const store = (k, v) => { try { localStorage.setItem(k, typeof v === "string" ? v : JSON.stringify(v)); } catch { /* full: only drafts are lost */ } };
const dirOf = (file) => file.split("/").slice(0, -1).join("/") || ".";
// Each draft is an item of the storage, so that two windows do not overwrite each other's drafts.
const stored = (k) => "draft\n" + k;
for (const k of Object.keys(localStorage)) if (k.startsWith(stored(""))) drafts[k.slice(stored("").length)] = JSON.parse(localStorage.getItem(k));
const keepDraft = (file, draft) => { drafts[key(file)] = draft; store(stored(key(file)), draft); };
const forget = (file) => { delete drafts[key(file)]; localStorage.removeItem(stored(key(file))); };
const edited = () => name && !readOnly && editor.text() !== saved;
// unsaved returns the drafts of the folder by file.
const unsaved = () => Object.fromEntries(Object.entries(drafts).filter(([k]) => k.startsWith(key(""))).map(([k, d]) => [k.slice(key("").length), d.text]));
// open returns the edited texts, which replace those of the files.
const open = () => (name && !readOnly ? { ...unsaved(), [name]: editor.text() } : unsaved());

// Problems are shown until the user has closed them.
const problem = (text, conflict) => {
  $("problem").hidden = !text;
  $("problem").firstElementChild.textContent = text || "";
  $("take").hidden = $("over").hidden = !conflict;
};
const guarded = (f) => async (...args) => { try { return await f(...args); } catch (e) { problem(e.message, e.status === 409); } };

const showFile = () => {
  const mark = edited();
  $("file").textContent = name ? name + (readOnly ? " (cannot be edited)" : mark ? " — not saved" : "") : about.dir;
  $("save").disabled = !mark;
  document.title = (mark ? "• " : "") + (name || "bufftick studio");
};
const listFiles = () => {
    $("list").replaceChildren(...entries.map((e) => h("li", {}, h("button", { type: "button", "aria-current": e.name === name ? "page" : undefined, title: e.problem, onclick: () => openFile(e.name) }, (key(e.name) in drafts ? "• " : "") + e.name, e.kind === "scenario" ? h("span", { class: "soft" }, " test") : "", e.problem ? h("span", { class: "error" }, " !") : ""))));
};
const refresh = async () => {
  const file = name, before = version;
  entries = await call("files");
  const e = entries.find((x) => x.name === file);
  for (const f of Object.keys(unsaved())) if (!entries.some((x) => x.name === f)) entries.push({ name: f, problem: "removed by another program, not saved" });
  listFiles();
  if (!name || readOnly || name !== file || version !== before || writing) return;
  if (!e && version) { // its text is all that is left of the file
    version = ""; saved = null;
    keepDraft(name, { text: editor.text(), version });
    showFile();
    problem(name + " has been removed by another program. Your text is not saved.", true);
  }
  if (!e || e.version === version || e.problem) return;
  if (edited()) problem(name + " has been changed by another program. Your text is not saved.", true);
  else await openFile(name, true);
};
const openFile = guarded(async (file, again) => {
  let text = "", v = "", bad = "";
  try { ({ text, version: v } = await call("read", { name: file })); } catch (e) { bad = e.message; }
  const draft = drafts[key(file)], row = again ? editor.line() : 1;
  if (bad && !draft) problem(bad);
  else if (!again) problem("");
  name = file; readOnly = !!bad && !draft;
  crlf = text.includes("\r\n");
  saved = text.replaceAll("\r\n", "\n");
  version = v;
  editor.open(draft && !again ? draft.text : saved, readOnly);
  if (draft && !again) version = draft.version;
  if (again) editor.go(row, 1);
  if (!again) { $("against").value = ""; versionA = null; number = 0; }
  buff = ""; definitions = []; line = null; $("findings").firstElementChild.replaceChildren();
  listFiles(); showFile(); check();
  location.hash = isStatic ? "" : encodeURIComponent(file);
});
let crlf = false;
const write = guarded(async () => {
  if (!edited() && version) return true;
  const file = name, text = editor.text();
  writing = true;
  let r;
  try { r = await call("save", { name, version, text: crlf ? text.replaceAll("\n", "\r\n") : text }); } finally { writing = false; }
  if (isStatic) keepFile(file, text);
  if (name === file) { version = r.version; saved = text; problem(""); }
  if (name === file && edited()) keepDraft(file, { text: editor.text(), version });
  else if (name === file || (drafts[key(file)] || {}).text === text) forget(file);
  showFile(); await refresh(); test();
  return true;
});
// save waits for a running save, which changes the version that the next one replaces.
let writing = false, last = null;
const save = () => last = Promise.resolve(last).then(write);

const editor = create($("editor"), "Text of the file", {
  change: (text) => {
    const was = key(name) in drafts;
    if (text === saved) forget(name); else keepDraft(name, { text, version });
    if (was !== key(name) in drafts) listFiles();
    showFile(); check(); test();
  },
  moved: () => pick(),
  complete: (text, pos) => root && (isScenario && schema.pathAt(text, pos).path[0] === "script" ? schema.completeStep(known, text, pos) : schema.complete(root, known, text, pos)),
  hint: (text, pos) => {
    const end = pos + /^[\w.$-]*/.exec(text.slice(pos))[0].length, { path } = schema.pathAt(text.slice(0, end) + ": ", end + 2);
    return root && (schema.help(root, path) || null);
  },
});
const script = create($("script"), "Script: the steps that the timeline plays", {
  change: (text) => { scripts[key(name) + "\n" + buff] = text; store("scripts", scripts); play(); },
  moved: () => {}, complete: (text, pos) => schema.completeStep(known, text, pos),
});

// check asks for errors of the text. The answer to an older text is ignored.
const check = later(10, guarded(async () => {
  if (!name) return;
  const file = name, r = await call("check", { name: file, open: open() });
  if (file !== name) return;
  if (r.definitions.length || !r.findings.length) definitions = r.definitions;
  known = r.names; isScenario = r.scenario;
  editor.mark(r.findings.filter((f) => f.file === name));
  const errors = r.findings.filter((f) => f.severity === "error").length;
  document.body.dataset.errors = errors;
  $("findings").firstElementChild.replaceChildren(...r.findings.slice(0, 100).map((f) => h("li", {}, h("button", { type: "button", class: f.severity, onclick: async () => { if (f.file && f.file !== name) await openFile(f.file); editor.go(f.line, f.column); } }, `${f.file === name ? "" : f.file + " "}${f.line ? "line " + f.line + ": " : ""}${f.id ? f.id + ": " : ""}${f.field ? f.field + ": " : ""}${f.text}`))));
  pick(); play();
}));

// pick selects the buff at the cursor, and its script.
const pick = () => {
  const now = editor.line(), d = definitions.filter((x) => x.line <= now).pop() || definitions[0], id = d ? d.id : "";
  if (id === buff && $("script").dataset.file === name + isScenario) return;
  buff = id;
  $("script").dataset.file = name + isScenario;
  $("script").hidden = $("h-script").hidden = $("clicks").hidden = isScenario;
  $("kept").textContent = "";
  $("buff").textContent = isScenario ? name : buff || "Timeline";
  script.open(scripts[key(name) + "\n" + buff] ?? scripts[key(name) + "\n"] ?? (buff ? `- {at: 0, apply: ${buff}}\n` : ""));
  play();
};
// played returns the script with the values of the sliders.
const played = () => {
  const [level, stacks, haste] = ["level", "stacks", "haste"].map((id) => Number($(id).value));
  $("sliders").textContent = [level && "level " + level, stacks && "stacks " + stacks, haste !== 100 && "haste " + haste / 100].filter(Boolean).join(", ") || "as in the script";
  return script.text().split("\n").map((l) => {
    const m = /^(\s*- \{)(.*\bapply: *([^,}\s]+).*)\}\s*$/.exec(l);
    if (!m) return l;
    let more = "";
    if (level && !/\blevel:/.test(l)) more += ", level: " + level;
    if (stacks && !/\bstacks:/.test(l)) more += ", stacks: " + stacks;
    return m[1] + m[2] + more + "}";
  }).join("\n");
};
// hasted returns the text with the period of the selected buff at the haste of the slider.
const hasted = (text) => {
  const haste = Number($("haste").value), i = definitions.findIndex((d) => d.id === buff);
  if (haste === 100 || i < 0 || isScenario) return text;
  const from = definitions[i].line - 1, to = i + 1 < definitions.length ? definitions[i + 1].line - 1 : Infinity;
  return text.split("\n").map((l, n) => n < from || n >= to ? l : l.replace(/(\bperiod: *)([\d.]+)(ms|s|m)?\b/, (_, word, number, unit) =>
    word + Math.max(50, Math.round(number * ({ s: 1000, m: 60000 }[unit] || 1) * 100 / haste)) + "ms")).join("\n");
};
const other = async () => {
  const which = $("against").value;
  if (which === "saved") return saved;
  if (which === "commit") return (await call("committed", { name })).text;
  return which === "a" ? versionA : null;
};
const request = (more) => ({ name, number, open: { ...open(), ...(readOnly ? {} : { [name]: hasted(editor.text()) }) }, script: played(), ...more });
const play = later(40, guarded(async () => {
  if (!name || (!buff && !isScenario) || Number(document.body.dataset.errors || 0) > 0 && !line) return;
  const began = performance.now(), r = await call("play", request());
  document.body.dataset.played = Math.round(performance.now() - began);
  if (r.findings.length) {
    script.mark(r.findings.filter((f) => f.file === "script"));
    $("state").textContent = (r.findings[0].file === "script" ? "Script, line " + r.findings[0].line + ": " : "The timeline waits for: ") + r.findings[0].text;
    return;
  }
  script.mark([]);
  line = r;
  let old = null;
  try {
    const text = await other();
    if (text !== null) old = await call("play", { ...request(), open: { ...open(), [name]: hasted(text) } });
  } catch (e) { $("against").value = ""; problem(e.message); }
  show(old);
}));
let before = null;
const show = (old) => {
  before = old;
  at = Math.min(at, line.end);
  $("at").max = line.end; $("at").value = at; $("when").textContent = seconds(at);
  const a = h("div", {}), b = h("div", {});
  $("line").replaceChildren(a, ...(old ? [b] : []), ...(line.note ? [h("p", { class: "note" }, line.note)] : []), ...(line.frames ? [h("p", { class: "note" }, "Auras and effects on other players come at the end of a frame. A frame lasts 500 ms here. Every player that a step names exists.")] : []));
  const until = old ? Math.max(line.end, old.end) : line.end;
  const both = old && !old.findings.length;
  where = draw(a, line, at, old ? "This text" : "", until, both && old);
  if (old) {
    if (old.findings.length) b.append("The other version has an error: " + old.findings[0].text);
    else { draw(b, old, at, "The other version", until, line); $("line").append(h("h3", {}, "Differences"), diffOf(old.log, line.log) || h("p", {}, "None: both have the same log.")); }
  }
  $("state").replaceChildren(stateAt(line, at));
};
const scrub = (ms) => { if (!line) return; at = Math.round(Math.max(0, Math.min(ms, line.end))); show(before); };
$("at").oninput = () => scrub(Number($("at").value));
$("line").onkeydown = (e) => { const d = { ArrowLeft: -1, ArrowRight: 1 }[e.key]; if (d && line) { e.preventDefault(); scrub(at + d * Math.max(50, line.end / 100)); } };
$("line").onclick = (e) => scrub(where(e.clientX));
// addStep inserts a step at the time of the scrubber, in the order of time.
const ms = (l) => { const m = /\bat: *(\d+(?:\.\d+)?)(ms|s|m)?/.exec(l); return m ? Number(m[1]) * ({ s: 1000, m: 60000 }[m[2]] || 1) : -1; };
const addStep = (step, shift) => {
  const t = at + (shift || 0), lines = script.text().split("\n").filter((l) => l.trim());
  const i = lines.findIndex((l) => ms(l) > t);
  lines.splice(i < 0 ? lines.length : i, 0, `- {at: ${seconds(t)}, ${step}}`);
  script.set(lines.join("\n") + "\n");
};
// player returns the player of the buttons: the owner of the first application in the script.
const player = () => { for (const l of script.text().split("\n")) if (/\bapply:/.test(l)) return (/\bowner: *([^,}\s]+)/.exec(l) || [0, "p1"])[1]; return "p1"; };
const addAct = (step, shift) => addStep((player() === "p1" ? "" : `owner: ${player()}, `) + step, shift);
const health = () => (known.attributes || []).find((a) => a === "health") || (known.attributes || [])[0];
for (const [label, act] of [
  ["Apply", () => addAct("apply: " + buff)], ["Hit", () => (health() ? addAct(`damage: ${health()}, by: 10, source: enemy`) : problem("A hit needs an attribute, such as health, in the definitions."))],
  ["Enemy comes near", () => addStep("owner: enemy, near: " + player())], ["Dispel", () => addAct("dispel: " + buff)], ["Pause 2s", () => { addAct("pause: true"); addAct("resume: true", 2000); }], ["Kill", () => addAct("kill: true")], ["Revive", () => addAct("revive: true")],
]) $("clicks").append(h("button", { type: "button", onclick: act }, label));
for (const id of ["level", "stacks", "haste"]) $(id).oninput = () => play();
$("against").onchange = () => play();
$("mark-a").onclick = () => { versionA = editor.text(); $("against").value = "a"; play(); };
$("keep").onclick = guarded(async () => {
  if (hasted(editor.text()) !== editor.text()) return problem("A test is kept with the period of the definition: set the haste to 1 first.");
  const title = await ask("Name of the test", buff);
  if (!title) return;
  const r = await call("keep", request({ title }));
  await refresh(); test();
  $("kept").textContent = "Kept as " + r.file + ".";
});

// Numbers
const count = guarded(async (list) => {
  $("told").textContent = "Running …";
  const began = performance.now();
  const r = await call("numbers", request({ runs: list.length > 1 ? Math.min(Number($("runs").value), 200) : Number($("runs").value), variants: list }));
  numbers.show(r);
  $("told").dataset.ms = Math.round(performance.now() - began);
});
$("count").onclick = () => count([{ label: "", text: hasted(editor.text()) }]);
$("sweep").onclick = guarded(() => count(numbers.variants(editor.text(), editor.cursor(), $("from").value, $("to").value).map((v) => ({ ...v, text: hasted(v.text) }))));
$("copy").onclick = guarded(() => navigator.clipboard.writeText(numbers.copy()));

// Tests
const test = later(700, guarded(async () => {
  const list = await call("tests", { open: open() }), bad = list.filter((t) => t.state === "failed" || t.state === "error").length;
  $("t-tests").textContent = "Tests" + (bad ? ` (${bad} red)` : "");
  $("tested").textContent = list.length ? `${list.length - bad} of ${list.length} tests pass.` : "There is no test yet. Play a script and choose “Keep as test”.";
  $("tests").replaceChildren(...list.map((t) => h("li", {}, h("button", { type: "button", class: t.state, onclick: async () => { await openFile(t.file); number = t.number; } }, { passed: "✓ ", failed: "✗ ", error: "✗ ", none: "– " }[t.state] + t.title + { passed: "", failed: ": another log", error: ": cannot run", none: ": no expected log" }[t.state]),
    t.text ? h("div", { class: "diff" }, t.text) : null, t.diff ? h("div", { class: "diff" }, ...t.diff.slice(0, 60).map((l) => h("div", { class: { "-": "minus", "+": "plus" }[l[0]] }, l))) : null)));
}));

// Recipes and new files
const found = guarded(async () => {
  const query = $("query").value, list = await call("recipes", { query });
  if (query !== $("query").value) return;
  $("found").replaceChildren(...list.map((r) => h("li", {}, h("button", { type: "button", onclick: guarded(() => fromRecipe(r.id)) }, h("b", {}, r.id), " " + r.title, h("span", {}, r.about)))));
  if (!$("found").firstChild) $("found").append(h("li", { class: "note" }, "No recipe has these words."));
});
const fromRecipe = async (id) => {
  $("recipes").close();
  const r = await call("recipe", { id, dir: name && !isScenario ? dirOf(name) : dirOf((entries.find((e) => e.kind === "definitions") || { name: "" }).name), open: open() });
  await openNew(r.name, r.text);
  scripts[key(r.name) + "\n"] = r.script; store("scripts", scripts);
  if (r.note) problem(r.note);
};
const openNew = async (file, text) => {
  await call("save", { name: file, text, version: "" });
  await refresh(); await openFile(file);
  editor.go(1, 1);
};
$("cookbook").onclick = () => { found(); $("recipes").showModal(); $("query").focus(); };
$("query").oninput = found;
$("new").onclick = guarded(async () => {
  let file = await ask("Name of the file", (name && !isScenario && dirOf(name) !== "." ? dirOf(name) + "/" : "") + "new.yaml");
  if (!file) return;
  if (!/\.(ya?ml|json|csv)$/.test(file)) file += ".yaml";
  await openNew(file, "buffs:\n  my_buff:\n    duration: 10s\n");
});

// A running game
let watched = 0;
$("watch").onsubmit = (e) => {
  e.preventDefault();
  clearInterval(watched);
  const look = async () => {
    try {
      const p = await call("game", { player: $("player").value.trim() });
      $("gamed").textContent = p.present ? `${p.name || "Player"} ${p.id || ""}: ${p.carried} buffs` : "There is no such player.";
      $("carried").replaceChildren(...(p.buffs || []).map((b) => h("li", {}, h("b", {}, b.name || b.spec), " ×" + b.stacks, b.shield ? ", shield " + b.shield : "", b.hidden ? ", without effect" : "", b.left ? ", " + seconds(b.left) + " left" : "", b.next ? ", next pulse in " + seconds(b.next) : "")));
    } catch (err) { $("gamed").textContent = err.message; clearInterval(watched); }
  };
  look();
  watched = setInterval(look, 500);
};
$("reload").onclick = async () => {
  const say = (text) => { $("reloaded").textContent = text; };
  try {
    if (!await save()) return;
    const r = await call("game", { reload: true });
    say(r.ok === false ? "Refused, the game keeps its definitions: " + r.text : "The game uses the new definitions.");
  } catch (e) { say(e.message); }
};

// The frame of the page
const tabs = [["timeline", "Timeline"], ["numbers", "Numbers"], ["tests", "Tests"], ["game", "Game"]];
const showTab = (id) => {
  for (const [t] of tabs) { $("p-" + t).hidden = t !== id; $("t-" + t).setAttribute("aria-selected", t === id); $("t-" + t).tabIndex = t === id ? 0 : -1; }
  if (id === "timeline" && line) show(before); // a hidden panel has no width
};
for (const [id, label] of tabs) document.querySelector(".tabs").append(h("button", { type: "button", role: "tab", id: "t-" + id, "aria-controls": "p-" + id, onclick: () => showTab(id), onkeydown: (e) => {
  const shown = tabs.filter(([t]) => !$("t-" + t).hidden).map((t) => t[0]), d = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
  if (d) { const next = shown[(shown.indexOf(id) + d + shown.length) % shown.length]; showTab(next); $("t-" + next).focus(); }
} }, label));
const theme = (t) => { document.documentElement.dataset.theme = t; $("theme").textContent = t === "dark" ? "Light" : "Dark"; store("theme", t); };
theme(localStorage.getItem("theme") || (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light"));
$("theme").onclick = () => theme(document.documentElement.dataset.theme === "dark" ? "light" : "dark");
$("save").onclick = save;
$("dismiss").onclick = () => problem("");
$("take").onclick = guarded(async () => { problem(""); forget(name); await openFile(name, true); });
$("over").onclick = guarded(async () => { version = ((await call("files")).find((e) => e.name === name) || { version: "" }).version; problem(""); await save(); });
addEventListener("keydown", (e) => {
  if ((e.ctrlKey || e.metaKey) && e.key === "s") { e.preventDefault(); save(); }
  if (e.altKey && tabs["1234".indexOf(e.key)]) { e.preventDefault(); showTab(tabs["1234".indexOf(e.key)][0]); }
});
// Drafts of other windows. One of the file that is edited here stays as it is.
addEventListener("storage", (e) => {
  if (!e.key || !e.key.startsWith(stored(""))) return;
  const k = e.key.slice(stored("").length);
  if (k === key(name) && edited()) { if (!e.newValue) keepDraft(name, drafts[k]); return; }
  if (e.newValue) drafts[k] = JSON.parse(e.newValue); else delete drafts[k];
  listFiles(); check(); test();
});
addEventListener("resize", later(100, () => { if (line) show(before); }));

// A link of the static page holds a file and its script.
const pack = async (text, stream) => new Uint8Array(await new Response(new Blob([text]).stream().pipeThrough(stream)).arrayBuffer());
$("share").onclick = guarded(async () => {
  const bytes = await pack(JSON.stringify({ name, text: editor.text(), script: script.text() }), new CompressionStream("deflate-raw"));
  location.hash = "d=" + btoa(String.fromCharCode(...bytes)).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
  try { await navigator.clipboard.writeText(location.href); $("file").textContent = "The link is copied."; } catch { $("file").textContent = "The address of this page is the link."; }
});
// The static page keeps saved files in this browser.
const keepFile = (file, text) => store("playground", { ...JSON.parse(localStorage.getItem("playground") || "{}"), [file]: text });
const startStatic = async () => {
  $("share").hidden = false;
  about.dir = "playground";
  for (const file of Object.keys(unsaved())) forget(file);
  const m = /^#d=([\w-]+)$/.exec(location.hash);
  let first = { name: "poison.yaml", text: "attributes:\n  health: {base: 100, min: 0, max: 100, at_min: kill}\nbuffs:\n  poison:\n    polarity: negative\n    duration: 6s\n    period: 2s\n    stack: {by: source, limit: 5}\n    on: {pulse: [{damage: {attr: health, by: 5, per_stack: true}}]}\n", script: "- {at: 0, apply: poison}\n- {at: 3s, apply: poison}\n" };
  if (m) {
    try { first = JSON.parse(new TextDecoder().decode(await pack(Uint8Array.from(atob(m[1].replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0)), new DecompressionStream("deflate-raw")))); }
    catch { problem("The link is damaged. This is the example."); }
  }
  scripts[key(first.name) + "\n"] = first.script;
  for (const k of Object.keys(scripts)) if (k.startsWith(key(first.name) + "\n") && !k.endsWith("\n")) delete scripts[k];
  const kept = m ? {} : JSON.parse(localStorage.getItem("playground") || "{}");
  kept[first.name] ??= first.text;
  for (const [file, text] of Object.entries(kept)) await call("save", { name: file, text, version: "" });
  return first.name;
};

guarded(async () => {
  const hash = decodeURIComponent(location.hash.slice(1));
  const wanted = isStatic ? await startStatic() : hash;
  if (!isStatic) about = await call("about");
  $("t-game").hidden = !about.game;
  showTab("timeline");
  root = await call("schema");
  await refresh();
  showFile();
  const first = entries.find((e) => e.name === wanted) || entries.find((e) => e.kind === "definitions" && !e.problem) || entries[0];
  if (first) await openFile(first.name);
  else $("list").append(h("li", { class: "note" }, "There is no file of definitions yet."));
  test();
  document.body.dataset.ready = "yes";
  setInterval(guarded(refresh), 2000);
})();
