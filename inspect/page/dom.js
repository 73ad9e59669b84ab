// Helpers to build the page. They insert text only as text, never as HTML.
const $ = (id) => document.getElementById(id);
const kids = (n, list) => { for (const k of list) n.append(k); return n; }; // strings become text nodes
const h = (tag, attrs, ...list) => {
  const n = document.createElement(tag);
  for (const k in attrs) n.setAttribute(k, attrs[k]);
  return kids(n, list);
};
const s = (tag, attrs, ...list) => {
  const n = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const k in attrs) n.setAttribute(k, attrs[k]);
  return kids(n, list);
};
const put = (n, text) => { if (n.textContent !== text) n.textContent = text; };
const set = (n, k, v) => { if (n.getAttribute(k) !== String(v)) n.setAttribute(k, v); };

const whole = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 0 });
const count = (n) => (Number.isFinite(n) ? whole.format(n) : "–");
const plural = (n, one, many) => count(n) + " " + (n === 1 ? one : many);
// span formats a duration in ms.
const span = (ms) => {
  if (!Number.isFinite(ms)) return "–";
  if (ms < 1) return Math.round(ms * 1000) + " µs";
  if (ms < 10) return ms.toFixed(1).replace(".0", "") + " ms";
  if (ms < 1000) return Math.round(ms) + " ms";
  if (ms < 60000) return (ms / 1000).toFixed(1) + " s";
  const sec = Math.floor(ms / 1000), two = (x) => String(x).padStart(2, "0");
  if (sec < 3600) return Math.floor(sec / 60) + ":" + two(sec % 60);
  return Math.floor(sec / 3600) + ":" + two(Math.floor(sec / 60) % 60) + ":" + two(sec % 60);
};
const title = (p) => (p.name ? p.name + " #" + p.id : "#" + p.id);
const playerLink = (p) => h("a", { href: "#/player/" + p.id }, title(p));

// list updates the items of a list by key. Items are reused, so that the focused element keeps
// the focus.
const list = (parent, items, key, make, update) => {
  const old = parent.items || new Map(), now = new Map(), focused = parent.contains(document.activeElement) ? document.activeElement : null;
  let at = parent.firstChild;
  for (const it of items) {
    const k = key(it);
    if (now.has(k)) continue;
    let n = old.get(k);
    if (!n) n = make(it);
    now.set(k, n);
    update(n, it);
    if (n === at) at = at.nextSibling;
    else parent.insertBefore(n, at);
  }
  for (const [k, n] of old) if (now.get(k) !== n) n.remove();
  parent.items = now;
  // An element loses the focus when it is moved.
  if (focused && focused !== document.activeElement && focused.isConnected) focused.focus({ preventScroll: true });
};

const reasons = {
  expired: "its duration ended", cancelled: "removed by a command", dispelled: "removed by a dispel", stolen: "stolen by another owner",
  replaced: "replaced by another buff of its group or source", overflow: "cleared by a limit", consumed: "its last charge was used",
  broken: "its shield was used up", death: "the owner died", source_gone: "its source left", immunity: "the owner became immune",
  condition: "its removal condition was met", out_of_aura: "the owner left the range of the aura", interrupt: "an action of the owner ended it",
  unload: "the owner left", reload: "its definition changed", fault: "its handler failed",
  limit: "the stack limit is reached", full: "the owner has the maximum number of buffs", exclusive: "another buff of its group is active",
  slot: "all slots of its class are taken", immune: "the owner is immune", requirement: "its requirement is not met", cost: "the owner cannot pay for it",
  chance: "its chance roll failed", dr: "reduced to zero by diminishing returns", resist: "resisted: its duration_scale is 0, or a condition in it is not met",
  level: "a higher level is active", param: "a parameter is missing", duration: "invalid duration", stacks: "invalid number of stacks",
  badlevel: "invalid level", cascade: "endless chain of commands", panic: "its handler panicked", goexit: "its handler ended its goroutine",
};
const because = (why) => (reasons[why] ? why + ": " + reasons[why] : why);
