// Small helpers for elements, times and numbers.
export const $ = (id) => document.getElementById(id);
const fill = (n, attrs, kids) => {
  for (const [k, v] of Object.entries(attrs || {})) {
    if (k.startsWith("on")) n.addEventListener(k.slice(2), v);
    else if (v !== undefined && v !== null && v !== false) n.setAttribute(k, v === true ? "" : v);
  }
  n.append(...kids.filter((k) => k !== null && k !== undefined));
  return n;
};
export const h = (name, attrs, ...kids) => fill(document.createElement(name), attrs, kids);
export const s = (name, attrs, ...kids) => fill(document.createElementNS("http://www.w3.org/2000/svg", name), attrs, kids);
export const seconds = (ms) => Number((ms / 1000).toFixed(3)) + "s";
export const neat = (n) => (Math.abs(n) >= 100 ? Math.round(n) : Number(n.toFixed(2))).toLocaleString("en");
// later calls a function when there was no further call for some ms. Calls do not overlap: a call
// during another one is made after it.
export const later = (ms, f) => {
  let timer = 0, busy = false, again = false;
  const run = async () => {
    if (busy) { again = true; return; }
    busy = true;
    try { await f(); } finally { busy = false; }
    if (again) { again = false; run(); }
  };
  return () => { clearTimeout(timer); timer = setTimeout(run, ms); };
};
// ask asks for a text in a dialog, and returns "" if it is cancelled.
export const ask = (label, value) => new Promise((done) => {
  const d = $("ask");
  $("ask-text").textContent = label;
  $("ask-value").value = value;
  d.returnValue = "";
  d.onclose = () => done(d.returnValue === "ok" ? $("ask-value").value.trim() : "");
  d.showModal();
  $("ask-value").select();
});
