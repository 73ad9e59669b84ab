// The numbers of many runs: a table, a histogram, and the result of a sweep.
import { $, h, s, neat, seconds } from "./dom.js";

const columns = [["buff", (r) => r.id], ["on", (r) => r.owner], ["applied", (r) => neat(r.applied)], ["refused", (r) => neat(r.refused)], ["uptime", (r, n) => neat((r.uptime / n.seconds / 10) || 0) + " %"], ["pulses", (r) => neat(r.pulses)],
  ["damage", (r) => neat(r.damage)], ["per second", (r, n) => neat(r.damage / n.seconds || 0)], ["healing", (r) => neat(r.healing)], ["absorbed", (r) => neat(r.blocked)]];
const table = (head, rows) => $("table").replaceChildren(h("thead", {}, h("tr", {}, ...head.map((t) => h("th", { scope: "col" }, t)))), h("tbody", {}, ...rows.map((r) => h("tr", {}, ...r.map((t) => h("td", {}, t))))));
const chart = (label, first, last, ...kids) => $("chart").replaceChildren(s("svg", { viewBox: "0 0 600 130", role: "img", "aria-label": label, preserveAspectRatio: "none" }, ...kids), h("div", { class: "soft" }, h("span", {}, first), h("span", {}, last)));

export const show = (list) => {
  const wrong = list.find((n) => n.findings.length);
  if (wrong) return ($("told").textContent = (wrong.label ? wrong.label + ": " : "") + wrong.findings[0].text);
  const n = list[0];
  if (!n.runs) return ($("told").textContent = "No run was finished in time. Make the script shorter.");
  if (list.length > 1) return sweep(list);
  const d = n.damage;
  $("told").textContent = `${n.runs.toLocaleString("en")} runs of ${seconds(n.seconds * 1000)}: damage ${neat(d.mean)} ${d.min === d.max ? "in each" : "on average"}, ${neat(d.mean / n.seconds || 0)} per second${d.min === d.max ? "" : `; 90 % of the runs are from ${neat(d.p5)} to ${neat(d.p95)}`}.`;
  table(columns.map((c) => c[0]), n.rows.map((r) => columns.map((c) => c[1](r, n))));
  if (d.min === d.max) return $("chart").replaceChildren();
  const most = Math.max(...n.bins, 1), w = 600 / n.bins.length;
  chart("Number of runs by damage", neat(d.min), neat(d.max), ...n.bins.map((v, i) => s("rect", { x: i * w + 1, width: w - 2, y: 130 - (120 * v) / most, height: (120 * v) / most }, s("title", {}, `${v} runs`))));
};
const sweep = (list) => {
  $("told").textContent = `${list[0].runs} runs for each value.`;
  table(["value", "damage", "per second", "5 %", "95 %", "length"], list.map((n) => [n.label, neat(n.damage.mean), neat(n.damage.mean / n.seconds || 0), neat(n.damage.p5), neat(n.damage.p95), seconds(n.seconds * 1000)]));
  const top = Math.max(...list.map((n) => n.damage.p95), 1), x = (i) => 20 + (i * 560) / Math.max(list.length - 1, 1), y = (v) => 130 - (115 * v) / top;
  chart("Damage by value", list[0].label, list[list.length - 1].label, ...list.map((n, i) => s("line", { class: "grid", x1: x(i), x2: x(i), y1: y(n.damage.p5), y2: y(n.damage.p95) })), s("path", { class: "curve", d: list.map((n, i) => (i ? "L" : "M") + x(i) + " " + y(n.damage.mean)).join("") }),
    ...list.map((n, i) => s("rect", { x: x(i) - 3, y: y(n.damage.mean) - 3, width: 6, height: 6 }, s("title", {}, `${n.label}: ${neat(n.damage.mean)}`))));
};

// copy returns the table as text with tabs, which spreadsheets read.
export const copy = () => [...$("table").querySelectorAll("tr")].map((r) => [...r.children].map((c) => c.textContent).join("\t")).join("\n");

// variants returns texts in which the number at the cursor has other values.
export const variants = (text, cursor, from, to) => {
  const parse = (t) => /^(-?\d+(?:\.\d+)?)(\D*)$/.exec(t.trim());
  const a = parse(from), b = parse(to), at = [...text.matchAll(/-?\d+(?:\.\d+)?[a-z%]*/g)].find((m) => m.index <= cursor && cursor <= m.index + m[0].length);
  if (!at) throw new Error("Put the cursor on a number of a definition.");
  if (!a || !b) throw new Error("Want two numbers such as 6s and 20s.");
  const low = Number(a[1]), high = Number(b[1]), unit = a[2] || b[2] || parse(at[0])?.[2] || "", whole = Number.isInteger(low) && Number.isInteger(high);
  const steps = whole ? Math.min(Math.abs(high - low), 14) : 14, out = [];
  for (let i = 0; i <= steps; i++) {
    const v = low + ((high - low) * i) / Math.max(steps, 1), label = (whole ? Math.round(v) : Number(v.toFixed(3))) + unit;
    out.push({ label, text: text.slice(0, at.index) + label + text.slice(at.index + at[0].length) });
  }
  return out;
};
