// Completion and help from the JSON Schema of the format. The functions only use the text, so they
// also work while it is not valid YAML.

// pathAt returns the keys that lead to a position, such as ["buffs", "venom", "stack"], and the
// word before the position. inValue is set after a colon.
export const pathAt = (text, pos) => {
  const blocks = [], flow = []; // blocks: {indent, key}; flow: {key} for each open bracket
  let value = false, last = "";
  for (const line of text.slice(0, pos).split("\n")) {
    if (flow.length === 0) {
      const dashes = /^(\s*(?:- +)*)/.exec(line)[0], indent = dashes.length;
      if (line.trim() || indent) while (blocks.length && blocks[blocks.length - 1].indent >= indent) blocks.pop();
      value = false;
      last = "";
      const m = /^[\s-]*("[^"]*"|'[^']*'|[^\s#'"{}[\],:][^#{}[\],:]*):(\s|$)/.exec(line);
      if (m) { blocks.push({ indent, key: m[1].replace(/^["']|["']$/g, "") }); value = true; last = m[0]; }
      scan(line.slice(m ? m[0].length : 0));
    } else scan(line);
  }
  function scan(rest) {
    let word = "";
    for (let i = 0; i < rest.length; i++) {
      const c = rest[i];
      if (c === "#" && (i === 0 || rest[i - 1] === " ")) break;
      if (c === '"' || c === "'") { const end = rest.indexOf(c, i + 1); if (end < 0) break; word += rest.slice(i + 1, end); i = end; continue; }
      if (c === "{" || c === "[") { flow.push({ map: c === "{", key: null }); word = ""; value = c === "["; }
      else if (c === "}" || c === "]") { flow.pop(); word = ""; value = true; }
      else if (c === "," && flow.length) { flow[flow.length - 1].key = null; word = ""; value = !flow[flow.length - 1].map; }
      else if (c === ":" && flow.length && (rest[i + 1] === " " || i + 1 === rest.length)) { flow[flow.length - 1].key = word.trim(); word = ""; value = true; }
      else word += c;
    }
    last = word;
  }
  const path = blocks.map((b) => b.key).concat(flow.filter((f) => f.key !== null).map((f) => f.key));
  return { path, value, word: /[\w.$-]*$/.exec(text.slice(0, pos))[0] };
};

const resolve = (root, n) => (n && n.$ref ? { ...n.$ref.slice(2).split("/").reduce((x, k) => x[k], root), ...n } : n);
const branches = (root, n) => {
  n = resolve(root, n);
  if (!n) return [];
  const parts = [...(n.anyOf || []), ...(n.allOf || [])];
  return parts.length ? [n, ...parts.flatMap((x) => branches(root, x))] : n.items ? [n, ...branches(root, n.items)] : [n];
};
// nodes returns the parts of the schema for a path.
export const nodes = (root, path) => {
  let at = branches(root, root);
  for (const key of path) {
    at = at.flatMap((n) => (n.properties && n.properties[key] ? branches(root, n.properties[key]) : n.additionalProperties && typeof n.additionalProperties === "object" ? branches(root, n.additionalProperties) : []));
  }
  return at;
};
const describe = (n) => {
  const words = n.enum ? n.enum.join(" | ") : n.anyOf ? [...new Set(n.anyOf.map((x) => x.enum ? x.enum.join(" | ") : x.type).filter(Boolean))].join(" | ") : n.type;
  return words || "";
};
// help returns the text for a path, or null.
export const help = (root, path) => {
  const n = nodes(root, path).find((x) => x.description);
  return n ? { title: path[path.length - 1], type: describe(n), text: n.description } : null;
};

// names maps keys to the sections whose names are their values.
const names = { apply: "buffs", remove: "buffs", links: "buffs", buff: "buffs", attr: "attributes", curve: "curves", dr: "dr", slot: "slots", call: "handlers", tags: "tags", grants: "tags", all: "tags", any: "tags", none: "tags", school: "tags",
  tag: "tags", untag: "tags", immune: "tags", vulnerable: "tags", extend: "buffs", dispel: "buffs", steal: "buffs", use: "buffs", inhibit: "buffs", release: "buffs", set_remaining: "buffs", set_period: "buffs", damage: "attributes", change: "attributes", base: "attributes", show: "attributes" };
// complete returns the options at a position: {from, options}.
export const complete = (root, known, text, pos) => {
  const { path, value, word } = pathAt(text, pos);
  const options = [];
  if (value) {
    const key = path[path.length - 1];
    for (const name of known[names[key]] || []) options.push({ label: name, type: "variable" });
    for (const n of nodes(root, path)) {
      for (const w of n.enum || (n.type === "boolean" ? ["true", "false"] : [])) options.push({ label: String(w), type: "enum" });
    }
  } else {
    for (const n of nodes(root, path)) {
      for (const [k, v] of Object.entries(n.properties || {})) if (v !== true) options.push({ label: k, apply: k + ": ", type: "property", info: resolve(root, v).description, detail: describe(resolve(root, v)).slice(0, 40) });
    }
  }
  return options.length ? { from: pos - word.length, options, validFor: /^[\w.$-]*$/ } : null;
};
// steps are the options in a script: the verbs and their options.
const verbs = { apply: "the buff is applied", damage: "the attribute loses a number, after the shields", change: "the attribute changes", base: "the attribute is set", kill: "the owner dies", revive: "the owner lives again", pause: "the owner's time stops", resume: "it continues", happened: "an act happens", dispel: "the buff is dispelled", remove: "the buff is removed", extend: "its end moves", use: "charges are used", absorb: "shields absorb damage", tag: "the owner gets a tag", untag: "it loses the tag", immune: "it becomes immune to a tag", show: "values in the log", tick: "time passes", set_period: "its period changes",
  at: "time from the start", owner: "p1 by default", source: "a by default", stacks: "number", level: "number", by: "number or span", to: "number or span", school: "a tag", amount: "number", target: "another owner" };
export const completeStep = (known, text, pos) => {
  const { path, value, word } = pathAt(text, pos), section = names[path[path.length - 1]];
  const options = value ? (known[section] || []).map((label) => ({ label, type: "variable" })) : Object.entries(verbs).map(([label, info]) => ({ label, apply: label + ": ", info, type: "property" }));
  return options.length ? { from: pos - word.length, options, validFor: /^[\w.$-]*$/ } : null;
};
