// A chart fills its box and is redrawn for each update. It shows a tip at the pointer; at(x, w)
// returns the nearest position that has data, and the text of its tip.
const chart = (id, label, at) => {
  const box = $(id), svg = s("svg", { role: "img", "aria-label": label }), rule = h("i", { class: "rule" }), words = h("div", { class: "tip" });
  box.append(svg, rule, words);
  rule.hidden = words.hidden = true;
  let over = null;
  const c = { svg, size: () => [Math.max(box.clientWidth, 60), box.clientHeight] };
  c.point = () => {
    const w = c.size()[0], found = over === null ? null : at(over, w);
    rule.hidden = words.hidden = !found;
    if (!found) return;
    rule.style.left = found[0].toFixed(1) + "px";
    put(words, found[1]);
    words.style.left = Math.max(0, Math.min(found[0] + 8, w - words.offsetWidth)).toFixed(1) + "px";
  };
  box.addEventListener("pointermove", (e) => { over = e.clientX - box.getBoundingClientRect().left; c.point(); });
  box.addEventListener("pointerleave", () => { over = null; c.point(); });
  return c;
};
// nice returns a round number of at least x.
const nice = (x) => {
  if (!(x > 0)) return 1;
  const p = 10 ** Math.floor(Math.log10(x));
  return p * [1, 2, 5, 10].find((k) => k * p >= x * 0.999);
};
const groups = [
  { title: "pulses", kinds: ["pulse"] },
  { title: "applied", kinds: ["apply", "refresh", "stack", "exec", "restore", "queue", "period"] },
  { title: "ended", kinds: ["remove", "stackend"] },
  { title: "timeouts, reactions", kinds: ["timeout", "react", "miss"] },
  { title: "hidden or shown", kinds: ["hide", "show", "suppressed"] },
  { title: "denied or failed", kinds: ["deny", "error"] },
  { title: "attributes, deaths", kinds: ["change", "die", "revive"] },
  { title: "others", kinds: [] }, // unknown kinds
];
const known = groups.flatMap((g) => g.kinds);
const eventChart = chart("events", "Events per second over the last half minute, by kind", (x, w) => {
  const end = rates.length ? rates[rates.length - 1].at : 0, want = end - (1 - x / w) * half;
  let best = -1;
  rates.forEach((r, i) => { if (best < 0 || Math.abs(r.at - want) < Math.abs(rates[best].at - want)) best = i; });
  if (best < 0) return null;
  const n = groups.map((_, i) => smooth(best, i));
  return [w - ((end - rates[best].at) / half) * w, span(end - rates[best].at) + " ago: " + count(sum(n)) + " per second; " +
    groups.map((g, i) => [n[i], g.title]).filter((p) => p[0] >= 0.5).map((p) => count(p[0]) + " " + p[1]).join(", ")];
});
const legend = groups.map((g, i) => {
  g.n = h("b", {}, "0");
  g.li = h("li", {}, s("svg", { viewBox: "0 0 10 10" }, s("rect", { class: "s" + i, width: 10, height: 10, rx: 2 })), g.n, " " + g.title);
  $("kinds").append(g.li);
  g.area = s("path", { class: "s" + i });
  return g;
});
const half = 30000; // number of ms shown in the chart
const rates = []; // {at, n: [rate of each group]}, newest last
let last = null;
const addRates = (v) => {
  const n = {};
  let other = 0;
  for (const k of v.kinds) { n[k.kind] = k.n; if (!known.includes(k.kind)) other += k.n; }
  const sums = groups.map((g) => g.kinds.reduce((a, k) => a + (n[k] || 0), 0));
  sums[sums.length - 1] = other;
  if (last && v.at > last.at && v.since === last.since) rates.push({ at: v.at, n: sums.map((x, i) => (Math.max(x - last.sums[i], 0) * 1000) / (v.at - last.at)) });
  if (last && v.at < last.at) rates.length = 0; // the server was restarted
  last = { at: v.at, since: v.since, sums };
  while (rates.length && rates[0].at < v.at - half) rates.shift();
};
// smooth returns the mean rate of the last second, to hide the rhythm of the game.
const smooth = (at, i) => {
  let sum = 0, n = 0;
  for (let k = at; k >= 0 && rates[k].at > rates[at].at - 1000; k--, n++) sum += rates[k].n[i];
  return sum / n;
};
const drawEvents = () => {
  const [w, hgt] = eventChart.size(), pad = 18, c = eventChart.svg;
  const points = rates.map((_, at) => groups.map((_, i) => smooth(at, i))), end = rates.length ? rates[rates.length - 1].at : 0;
  const top = nice(Math.max(1, ...points.map(sum))), labels = [];
  c.replaceChildren();
  for (const part of [0, 0.5, 1]) {
    const y = hgt - pad - (hgt - 2 * pad) * part;
    c.append(s("line", { class: "axis", x1: 0, x2: w, y1: y, y2: y }));
    labels.push(s("text", { x: 0, y: y - 4 }, count(top * part))); // drawn last, on top of the areas
  }
  const x = (i) => (w - ((end - rates[i].at) / half) * w).toFixed(1);
  let below = points.map(() => 0);
  groups.forEach((g, k) => {
    const above = points.map((p, i) => below[i] + p[k]);
    const y = (v) => (hgt - pad - ((hgt - 2 * pad) * v) / top).toFixed(1);
    let d = "";
    above.forEach((v, i) => { d += (i ? "L" : "M") + x(i) + " " + y(v); });
    for (let i = below.length - 1; i >= 0; i--) d += "L" + x(i) + " " + y(below[i]);
    if (d) set(g.area, "d", d + "Z");
    c.append(g.area);
    below = above;
    g.li.hidden = !g.kinds.length && !points.some((p) => p[k] > 0);
    put(g.n, count(points.length ? points[points.length - 1][k] : 0));
  });
  c.append(...labels, s("text", { x: 0, y: hgt - 3 }, "30 s ago"), s("text", { x: w, y: hgt - 3, "text-anchor": "end" }, "now"));
  put($("rate"), count(points.length ? sum(points[points.length - 1]) : 0));
  eventChart.point();
};

const frames = []; // [number, ms]
const frameChart = chart("frames", "Times of recent frames", (x, w) => {
  const i = Math.round(frames.length - 1 - (w - x) / (w / 600));
  return i >= 0 && i < frames.length ? [w - (frames.length - 1 - i) * (w / 600), "frame " + count(frames[i][0]) + ": " + span(frames[i][1])] : null;
});
const timesChart = chart("times", "Histogram of frame times since a client connected", (x, w) => {
  if (!view || !view.times.length) return null;
  const [low, high] = timesRange(view), k = low + (x / w) * (high - low), t = view.times.find((t) => place(t[0]) >= k && place(t[0]) - 1 <= k);
  return t ? [x, plural(t[1], "frame", "frames") + " took " + span(t[0] / 1190) + " to " + span(t[0] / 1000)] : null;
});
const addFrames = (v) => {
  const newest = frames.length ? frames[frames.length - 1][0] : 0;
  if (newest > Number(v.frame)) frames.length = 0; // this is a new engine
  let n = Number(v.first); // NaN if there are no frames
  for (const us of v.frames) {
    if (!frames.length || n > frames[frames.length - 1][0]) frames.push([n, us / 1000]);
    n++;
  }
  if (frames.length > 600) frames.splice(0, frames.length - 600);
};
// The scale is logarithmic, so that frames that take a hundredth of the budget are visible next
// to much longer frames.
const drawFrames = (budget) => {
  const [w, hgt] = frameChart.size(), pad = 18, c = frameChart.svg;
  const times = frames.map((f) => Math.max(f[1], 0.001));
  const low = Math.floor(Math.log10(Math.min(1, ...times))), high = Math.max(low + 2, Math.log10(Math.max(budget * 2, ...times) * 1.1));
  const y = (ms) => (hgt - pad - ((hgt - 2 * pad) * (Math.log10(ms) - low)) / (high - low)).toFixed(1);
  const labels = [];
  c.replaceChildren();
  for (let k = low; k <= high; k++) {
    c.append(s("line", { class: "axis", x1: 0, x2: w, y1: y(10 ** k), y2: y(10 ** k) }));
    labels.push(s("text", { x: 0, y: y(10 ** k) - 4 }, span(10 ** k)));
  }
  const x = (i) => (w - (times.length - 1 - i) * (w / 600)).toFixed(1);
  let d = "";
  times.forEach((ms, i) => { d += (i ? "L" : "M") + x(i) + " " + y(ms); });
  if (d) c.append(s("path", { class: "fill", d: d + "L" + w + " " + (hgt - pad) + "L" + x(0) + " " + (hgt - pad) + "Z" }), s("path", { class: "took", d }));
  if (budget > 0) c.append(s("line", { class: "budget", x1: 0, x2: w, y1: y(budget), y2: y(budget) }), s("text", { class: "over", x: w, y: y(budget) - 4, "text-anchor": "end" }, "budget " + span(budget)));
  c.append(...labels, s("text", { x: 0, y: hgt - 3 }, "600 frames ago"), s("text", { x: w, y: hgt - 3, "text-anchor": "end" }, "now"));
  frameChart.point();
};
// The histogram has four buckets for each doubling of the frame time, so its x axis is
// logarithmic. The budget is always visible, even if all frames are on one side of it.
const place = (us) => Math.log2(Math.max(us, 1)) * 4;
const timesRange = (v) => {
  const budget = v.budget > 0 ? place(v.budget * 1000) : null, first = place(v.times[0][0]) - 3, end = place(v.times[v.times.length - 1][0]) + 1;
  const low = budget === null ? first : Math.min(first, budget - 3);
  return [low, Math.max(end, low + 16, budget === null ? 0 : budget + 3)];
};
const drawTimes = (v) => {
  const [w, hgt] = timesChart.size(), pad = 16, c = timesChart.svg;
  c.replaceChildren();
  if (!v.times.length) return;
  const budget = v.budget * 1000, [low, high] = timesRange(v);
  const x = (us) => ((place(us) - low) / (high - low)) * w, step = w / (high - low);
  const most = Math.max(...v.times.map((t) => t[1])), whole = v.times.reduce((a, t) => a + t[1], 0);
  for (const [us, n] of v.times) {
    const tall = Math.max(1.5, (hgt - 2 * pad) * Math.sqrt(n / most));
    c.append(s("rect", { class: budget > 0 && us > budget * 1.19 ? "bar over" : "bar", x: x(us) - step + 0.5, width: Math.max(step - 1, 1), y: hgt - pad - tall, height: tall }));
  }
  c.append(s("line", { class: "axis", x1: 0, x2: w, y1: hgt - pad, y2: hgt - pad }));
  for (let us = 1, k = 0; us < 6e7; us *= [2, 2.5, 2][k++ % 3]) {
    const at = x(us);
    if (at > 18 && at < w - 18 && k % 3 === 0) c.append(s("text", { x: at, y: hgt - 3, "text-anchor": "middle" }, span(us / 1000)));
  }
  if (budget > 0) c.append(s("line", { class: "budget", x1: x(budget), x2: x(budget), y1: 8, y2: hgt - pad }), s("text", x(budget) > w / 2 ? { class: "over", x: x(budget) - 4, y: 12, "text-anchor": "end" } : { class: "over", x: x(budget) + 4, y: 12 }, "budget " + span(v.budget)));
  c.append(x(budget) > w / 2 || !(budget > 0) ? s("text", { x: 0, y: 10 }, plural(whole, "frame", "frames")) : s("text", { x: w, y: 10, "text-anchor": "end" }, plural(whole, "frame", "frames")));
  timesChart.point();
};
