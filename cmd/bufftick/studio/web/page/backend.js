// The backend: the server of bufftick studio, or the same code as WebAssembly if the page is a
// static site. call(method, request) returns the result or throws an Error; status 409 means that
// another program has changed the file.
export const isStatic = document.documentElement.dataset.static !== undefined;
const params = new URLSearchParams(location.hash.slice(1));
if (params.has("token")) {
  sessionStorage.setItem("token", params.get("token"));
  history.replaceState(null, "", location.pathname);
}
const remote = async (method, request) => {
  let r;
  try {
    r = await fetch("api/" + method, { method: "POST", headers: { "Content-Type": "application/json", "X-Studio-Token": sessionStorage.getItem("token") || "" }, body: JSON.stringify(request || {}) });
  } catch {
    throw new Error("The server does not answer. Start bufftick studio again; your text stays in this window.");
  }
  const answer = await r.json();
  if (!r.ok) throw Object.assign(new Error(answer.error), { status: r.status });
  return answer;
};
let started = null;
const start = async () => {
  const go = new Go();
  const packed = await fetch("studio.wasm.gz");
  const bytes = new Response(packed.body.pipeThrough(new DecompressionStream("gzip")), { headers: { "Content-Type": "application/wasm" } });
  const { instance } = await WebAssembly.instantiateStreaming(bytes, go.importObject);
  go.run(instance);
};
const local = async (method, request) => {
  if (method === "about") return { dir: "playground", game: false };
  await (started ||= start());
  try {
    return JSON.parse(await window.bufftick.call(method, JSON.stringify(request || {})));
  } catch (e) { throw e instanceof Error ? e : Object.assign(new Error(e), { status: /changed by another/.test(e) ? 409 : 422 }); }
};
export const call = isStatic ? local : remote;
