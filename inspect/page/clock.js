// A face is a ring of bars, one for each slot, with a hand.
const faces = [
  { title: "Hours", level: 3, size: 12, round: 43200000, marks: 12 },
  { title: "Minutes", level: 2, size: 60, round: 3600000, marks: 12 },
  { title: "Seconds", level: 1, size: 60, round: 60000, marks: 12 },
  { title: "This second", level: 0, size: 100, round: 1000, marks: 10 },
];
const inner = 46, outer = 92, middle = 110;
const bars = (slots, below, cls, top) => {
  const n = slots.length;
  let d = "";
  for (let i = 0; i < n; i++) {
    const from = inner + (outer - inner) * Math.sqrt((below ? below[i] : 0) / top);
    const to = inner + (outer - inner) * Math.sqrt(((below ? below[i] : 0) + slots[i]) / top);
    if (!slots[i]) continue;
    const a = ((i + 0.5) / n) * 2 * Math.PI, x = Math.sin(a), y = -Math.cos(a), end = Math.max(to, from + 1.5);
    d += "M" + (x * from).toFixed(1) + " " + (y * from).toFixed(1) + "L" + (x * end).toFixed(1) + " " + (y * end).toFixed(1);
  }
  return d;
};
for (const f of faces) {
  const width = ((2 * Math.PI * inner) / f.size) * (f.size > 12 ? 0.72 : 0.5);
  f.run = s("path", { class: "run", "stroke-width": width.toFixed(1), fill: "none" });
  f.next = s("path", { class: "next", "stroke-width": width.toFixed(1), fill: "none" });
  f.hand = s("line", { class: "hand", x1: 0, y1: 8, x2: 0, y2: -outer, "data-face": f.title });
  f.waits = h("p", {});
  f.svg = s("svg", { viewBox: [-middle, -middle, 2 * middle, 2 * middle].join(" "), role: "img" },
    s("circle", { class: "ring", r: inner - 2 }), s("circle", { class: "ring", r: outer + 2 }), f.next, f.run);
  for (let i = 0; i < f.marks; i++) {
    const a = (i / f.marks) * 2 * Math.PI;
    const mark = f.level ? (i * f.size) / f.marks : i / 10;
    f.svg.append(s("text", { class: "num", x: (Math.sin(a) * 101).toFixed(1), y: (-Math.cos(a) * 101).toFixed(1) }, String(mark)));
  }
  f.svg.append(f.hand, s("circle", { class: "hub", r: 3.5 }));
  $("faces").append(h("div", { class: "face" }, h("h3", {}, f.title), f.svg, f.waits));
}
const sum = (l) => (l || []).reduce((a, b) => a + b, 0);
const showFaces = (v) => {
  for (const f of faces) {
    const d = v.faces[f.level], next = d.next || [];
    let top = 1;
    for (let i = 0; i < d.slots.length; i++) top = Math.max(top, d.slots[i] + (next[i] || 0));
    set(f.run, "d", bars(d.slots, null, "run", top));
    set(f.next, "d", bars(next, d.slots, "next", top));
    const all = sum(d.slots) + sum(next);
    put(f.waits, f.level ? count(all) + " waiting" : count(all) + " due this second");
    set(f.svg, "aria-label", f.title + ": " + count(all) + " waiting, hand at slot " + d.hand);
  }
};
// turn moves the hands to a game time in ms.
const turn = (now) => {
  for (const f of faces) f.hand.setAttribute("transform", "rotate(" + (((now % f.round) / f.round) * 360).toFixed(2) + ")");
};
