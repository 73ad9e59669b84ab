// Draws a timeline: for each owner, lanes with bars, pulses and marks, and curves of attributes.
import { h, s, seconds, neat } from "./dom.js";

const words = { stack: "▴", refresh: "⇧", stackend: "▾", deny: "×", error: "!", exec: "◆", react: "↯", queue: "≡", period: "»", die: "†", revive: "◇", timeout: "◆", miss: "?" };
const named = { apply: "applied", refresh: "refreshed", stack: "more stacks", stackend: "fewer stacks", exec: "executed", react: "reacted", queue: "queue changed", period: "period changed", die: "died", revive: "revived", pulse: "pulse", suppressed: "pulse without effect", error: "fault", miss: "no target" };
const sentence = (m) => seconds(m.at) + " " + (m.kind === "deny" ? m.text : (named[m.kind] || m.kind) + (m.n > 1 ? " ×" + m.n : ""));
const nice = (x) => { const p = 10 ** Math.floor(Math.log10(Math.max(x, 1))); return p * [1, 2, 5, 10].find((k) => k * p >= x * 0.999); };
const maxLanes = 60;

// keysOf returns a key for each part of a timeline, to find the parts that two timelines do not share.
const keysOf = (line) => {
  const keys = new Set();
  for (const o of line.owners || []) {
    for (const m of o.marks) keys.add([o.name, m.at, m.kind].join());
    for (const l of o.lanes) {
      const lane = [o.name, l.id, l.source];
      for (const m of l.marks) keys.add([lane, m.at, m.kind].join());
      for (const b of l.bars) {
        keys.add([lane, b.to, b.why].join());
        for (const p of b.pulses) keys.add([lane, p.at, p.kind].join());
        for (const v of spans(b)) keys.add([lane, v.at, v.to, v.n, !!v.hidden, v.shield || 0].join());
      }
    }
  }
  return keys;
};
// spans returns the levels of a bar with their ends.
const spans = (b) => b.levels.map((v, i) => ({ ...v, to: i + 1 < b.levels.length ? b.levels[i + 1].at : b.to }));

// draw replaces the content of a box by a timeline with the given scale, and returns where(clientX): the time there.
// Parts that the other timeline does not have are marked.
export const draw = (box, line, at, title, until, other) => {
  const known = other && keysOf(other);
  const only = (...key) => (known && !known.has(key.join()) ? " only" : ""), told = (mark) => (mark ? ", only in this version" : "");
  const width = Math.max(box.clientWidth, 280), label = Math.min(130, width / 4), end = Math.max(line.end, until || 0, 1);
  const x = (ms) => label + (ms / end) * (width - label - 10);
  const parts = [];
  box.parentElement.parentElement.style.setProperty("--label", label + "px"); // aligns the scrubber
  if (title) parts.push(h("h3", {}, title));
  for (const o of line.owners || []) {
    const lanes = o.lanes.slice(0, maxLanes), kids = [];
    let y = 22;
    for (const l of lanes) {
      const lane = [o.name, l.id, l.source], name = l.id + (l.source && o.lanes.some((z) => z.id === l.id && z.source !== l.source) ? " by " + l.source : "");
      kids.push(s("text", { x: 0, y: y + 15 }, name.length > label / 6.4 ? name.slice(0, label / 6.4 - 1) + "…" : name, s("title", {}, name)));
      const most = Math.max(1, ...l.bars.flatMap((b) => b.levels.map((v) => v.n)));
      for (const b of l.bars) {
        spans(b).forEach((v, i) => {
          const to = v.to, high = 8 + (12 * v.n) / most, mark = only(lane, v.at, v.to, v.n, !!v.hidden, v.shield || 0);
          if (to <= v.at && b.to > b.from) return;
          kids.push(s("rect", { class: "bar " + l.polarity + (v.hidden ? " hid" : "") + (v.paused ? " paused" : "") + mark, x: x(v.at), width: Math.max(x(to) - x(v.at), 1.5), y: y + 22 - high, height: high }, s("title", {}, `${name} ×${v.n}${v.hidden ? ", without effect" : ""}${v.paused ? ", paused" : ""}${v.shield ? ", shield " + v.shield : ""}, ${seconds(v.at)} to ${seconds(to)}${told(mark)}`)));
          if (most > 1 && (i === 0 || b.levels[i - 1].n !== v.n)) kids.push(s("text", { class: "soft", x: x(v.at) + 2, y: y + 34 }, v.n));
        });
        const top = Math.max(...b.levels.map((v) => v.shield || 0));
        if (top) kids.push(s("path", { class: "shield", d: steps(b.levels.map((v) => [v.at, v.shield || 0]), b.to, x, (v) => y + 22 - (20 * v) / top) }, s("title", {}, "shield, at most " + top)));
        let drawn = -1;
        for (const p of b.pulses) {
          const mark = only(lane, p.at, p.kind), pixel = Math.round(x(p.at));
          if (pixel === drawn && !mark) continue; // thousands of pulses would freeze the page
          drawn = pixel;
          kids.push(s("circle", { class: "pulse " + p.kind + mark, cx: x(p.at), cy: y + 22, r: mark ? 3.6 : 2.4 }, s("title", {}, sentence(p) + told(mark))));
        }
        if (b.why) kids.push(s("line", { class: "end" + only(lane, b.to, b.why), x1: x(b.to), x2: x(b.to), y1: y + 1, y2: y + 23 }, s("title", {}, seconds(b.to) + " " + b.why)));
      }
      let free = 0; // marks of one instant are next to each other
      l.marks.forEach((m, i) => {
        const mark = only(lane, m.at, m.kind), left = i && m.at === l.marks[i - 1].at ? free : x(m.at) - 4;
        free = Math.min(left + 10, x(m.at) + 36);
        kids.push(s("text", { class: m.kind + mark, x: left, y: y + 2 }, words[m.kind] || "·", s("title", {}, sentence(m) + told(mark))));
      });
      y += 38;
    }
    if (o.lanes.length > maxLanes) { kids.push(s("text", { x: 0, y: y + 10 }, `and ${o.lanes.length - maxLanes} more rows`)); y += 20; }
    for (const m of o.marks) kids.push(s("text", { class: m.kind, x: x(m.at) - 4, y: 12 }, words[m.kind] || "·", s("title", {}, sentence(m))));
    for (const c of o.curves) {
      const same = other && (other.owners || []).filter((z) => z.name === o.name).flatMap((z) => z.curves).find((z) => z.name === c.name);
      const values = [...c.points, ...(same ? same.points : [])].map((p) => p[1]), low = Math.min(...values), span = Math.max(...values) - low || 1;
      const path = (z, to) => steps(z.points, to, x, (v) => y + 38 - (32 * (v - low)) / span);
      kids.push(s("text", { x: 0, y: y + 18 }, c.name), s("text", { class: "soft", x: 0, y: y + 31 }, neat(c.points[0][1]) + " → " + neat(c.points[c.points.length - 1][1])));
      if (same && String(same.points) !== String(c.points)) kids.push(s("path", { class: "curve other", d: path(same, other.end) }, s("title", {}, c.name + " in the other version")));
      kids.push(s("path", { class: "curve", d: path(c, line.end) }, s("title", {}, c.name)));
      y += 46;
    }
    const step = nice(end / Math.max((width - label) / 60, 2)), grid = [];
    for (let t = 0; t <= end; t += step) grid.push(s("line", { class: "grid", x1: x(t), x2: x(t), y1: 16, y2: y }), s("text", { class: "soft", x: Math.min(x(t), width - 26), y: 11 }, seconds(t)));
    const cursor = at === null ? null : s("line", { class: "cursor", x1: x(at), x2: x(at), y1: 10, y2: y });
    parts.push(line.owners.length > 1 ? h("h3", {}, o.name) : null, s("svg", { role: "img", "aria-label": `${o.name}: ${o.lanes.map((l) => l.id).join(", ")} over ${seconds(line.end)}`, viewBox: `0 0 ${width} ${y + 4}`, preserveAspectRatio: "xMinYMin", height: y + 4 }, ...grid, ...kids, cursor));
  }
  box.replaceChildren(...parts.filter(Boolean));
  return (clientX) => Math.max(0, Math.min(end, ((clientX - box.getBoundingClientRect().left - label) / (width - label - 10)) * end));
};
const steps = (points, end, x, y) => points.map((p, i) => (i ? `H${x(p[0]).toFixed(1)}V` : `M${x(p[0]).toFixed(1)} `) + y(p[1]).toFixed(1)).join("") + "H" + x(end).toFixed(1);

// stateAt returns a list of the buffs, attributes and refusals at an instant.
export const stateAt = (line, at) => {
  const items = [];
  for (const o of line.owners || []) {
    const who = line.owners.length > 1 ? o.name + ": " : "";
    for (const l of o.lanes) {
      for (const b of l.bars) {
        if (b.from > at || (b.to <= at && b.why) || b.to < at) continue;
        const v = b.levels.filter((z) => z.at <= at).pop() || b.levels[0], next = b.pulses.find((p) => p.at > at);
        items.push(h("li", {}, h("b", {}, who + l.id), " ×" + v.n, v.shield ? ", shield " + v.shield : "", v.hidden ? ", without effect" : "", v.paused ? ", paused" : "", v.end > at ? ", " + seconds(v.end - at) + " left" : "", next ? ", next pulse in " + seconds(next.at - at) : ""));
      }
      for (const m of l.marks) if ((m.kind === "deny" || m.kind === "miss") && Math.abs(m.at - at) <= line.end / 100) items.push(h("li", { class: "denied" }, who + l.id + ", " + sentence(m)));
    }
    const values = o.curves.map((c) => c.name + " " + neat(c.points.filter((p) => p[0] <= at).pop()[1]));
    if (values.length) items.push(h("li", {}, who + values.join(", ")));
  }
  return h("ul", {}, ...items);
};

// diffOf returns the lines of two logs that differ, or null if they are equal.
export const diffOf = (a, b) => {
  const count = new Map();
  for (const l of a) count.set(l, (count.get(l) || 0) + 1);
  const out = [];
  for (const l of b) count.get(l) ? count.set(l, count.get(l) - 1) : out.push([parseInt(l, 10), "plus", "+ " + l]);
  for (const [l, n] of count) for (let i = 0; i < n; i++) out.push([parseInt(l, 10), "minus", "- " + l]);
  if (!out.length) return null;
  out.sort((p, q) => p[0] - q[0]);
  return h("div", { class: "diff" }, ...out.slice(0, 200).map(([, kind, text]) => h("div", { class: kind }, text)));
};
