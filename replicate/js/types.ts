// Code that a game in TypeScript would write. TestTypeScript type-checks it; it is never run.
import { Client, left, type Buff, type Owner, type ProtocolError, type Spec } from "./client.js";
import { Predictor, type Prediction } from "./predict.js";

export function screen(client: Client, message: ArrayBuffer, send: (m: Uint8Array) => void): string[] {
  try {
    client.receive(message);
    client.receive(new Uint8Array(message));
  } catch (err) {
    const code: "gap" | "format" | "limit" = (err as ProtocolError).code;
    if (code !== "gap") client.reset();
    send(client.missed());
  }
  const lines: string[] = [];
  for (const [id, owner] of client.owners) {
    const o: Owner = owner;
    for (const b of o.buffs.values()) lines.push(`${id} ${o.dead} ${line(client, b)}`);
  }
  const known: boolean = client.known;
  const fingerprint: bigint = client.fingerprint;
  return known && fingerprint !== 0n ? lines : [];
}

function line(client: Client, b: Buff): string {
  const spec: Spec | undefined = client.specs.get(b.spec);
  const limit: number = spec && spec.by === "target" ? spec.limit : 1;
  const health: number | undefined = client.owners.get("7")?.attributes.get("health/max_health");
  if (limit > 1 && health !== undefined && health < 0.2) return spec?.name ?? "";
  const ms: number | null = left(b, client.now);
  const [own, server]: [number, number] = b.rate;
  return `${spec?.id} ${spec?.params["damage"]} ${ms} ${own / server} ${b.source.length} ${b.stacks} ${b.held}`;
}

export function cast(predictor: Predictor, now: number, send: (key: number) => void): Buff[] {
  const shield: Prediction = { spec: 3, by: "target", duration: null, shield: 200 };
  send(predictor.predict(now, 50, [shield, { spec: 4 }]));
  predictor.confirm(1, now);
  predictor.refuse(2);
  if (predictor.pending > 3) predictor.reset();
  predictor.reset("7");
  return predictor.buffs(now);
}

new Predictor(new Client());
new Predictor(new Client(), "7", { most: 4, timeout: 1000, fade: 0 });
new Client();
new Client({ owners: 1, buffs: 2, specs: 3 });

// These must not compile.
// @ts-expect-error: unknown limit
new Client({ viewers: 1 });
// @ts-expect-error: a message is not a string
new Client().receive("10");
// @ts-expect-error: now is read-only
new Client().now = 5;
// @ts-expect-error: ids are strings because they have 64 bits
new Client().owners.get(7);
// @ts-expect-error: a buff may have no end
export const end: number = left({} as Buff, 0);
// @ts-expect-error: owners is read-only
new Client().owners.set("7", {});
// @ts-expect-error: the server decides the source
new Predictor(new Client(), "7").predict(0, 0, [{ spec: 1, source: "7" }]);
// @ts-expect-error: definitions of which an owner can have several buffs from one source are not predicted
new Predictor(new Client(), "7").predict(0, 0, [{ spec: 1, by: "none" }]);
