// Incidents: current and past problems.
const kinds = {
  stuck: "stuck handler", halt: "all workers blocked", overload: "overload", slow: "too slow", frames: "long frames", waiting: "players wait", behind: "behind", lost: "time dropped",
  late: "late events", fault: "game callback failed", game: "game alarm", inbox: "inbox nearly full", reload: "reload refused", stalled: "no ticks", closed: "engine closed",
  panic: "handler panicked", goexit: "handler ended its goroutine", cascade: "endless commands",
};
let noted = "", asking = false;
const moment = (ms) => { const d = new Date(ms); return two(d.getHours(), 2) + ":" + two(d.getMinutes(), 2) + ":" + two(d.getSeconds(), 2); };
const incidentRow = (x) => {
  const li = h("li", { class: x.level });
  li.long = h("span", { class: "soft" });
  li.text = h("span", {});
  li.append(h("span", { class: "soft" }, moment(x.time)), h("b", {}, kinds[x.kind] || x.kind), li.long, h("div", {}, li.text));
  const more = h("div", { class: "who2" });
  for (const p of x.players) more.append(h("a", { href: "#/player/" + p.id + "/at/" + x.at }, title(p)), " ");
  if (x.spec && x.spec !== "a timeout") more.append("in ", specLink(x.spec), x.place ? " " : "", x.place ? h("code", {}, x.place) : "");
  if (more.childNodes.length) li.append(more);
  if (x.stack) li.append(h("details", {}, h("summary", {}, "Handler stack"), h("pre", { tabindex: 0, "aria-label": "Stack of the handler" }, x.stack)));
  return li;
};
const showIncidents = (all) => {
  list($("incident-list"), all.length ? all : [{ none: true, id: "none" }], (x) => x.id + (x.players || []).length, (x) => (x.none ? h("li", { class: "soft" }, "none; incidents are recorded while the page is open or Attend runs") : incidentRow(x)), (n, x) => {
    if (x.none) return;
    put(n.text, x.text);
    put(n.long, x.times ? plural(x.times, "time", "times") : x.over ? (x.timeEnd > x.time ? "for " + span(x.timeEnd - x.time) : "momentary") : "ongoing");
    n.classList.toggle("open", !x.over);
  });
};
// askIncidents fetches the incidents if they have changed.
const askIncidents = async (number) => {
  if (asking || number === noted) return;
  asking = true;
  try { showIncidents(await ask("?incidents")); noted = number; } catch (e) { say(e.message); } finally { asking = false; }
};
const countIncidents = (v) => {
  put($("open-incidents"), v.open ? String(v.open) : "");
  set($("open-incidents"), "aria-label", v.open ? v.open + " not over" : "");
  if (!$("incidents").hidden) askIncidents(v.open ? v.incidents + " " + Math.floor(v.at / 1000) : v.incidents);
};
