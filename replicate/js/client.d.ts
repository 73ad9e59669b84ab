/** What a client knows of the buffs of the owners in its view: see docs/protocol.md. */
export interface Buff {
  /** Its place on its owner; that of another one once it has ended. */
  slot: number;
  /** Its definition, by which Client.specs has it. */
  spec: number;
  /** Who has applied it: the digits of its id. */
  source: string;
  stacks: number;
  magnitude: number;
  level: number;
  charges: number;
  /** What its shield still absorbs. */
  shield: number;
  /** Applications that wait behind the one that runs. */
  waiting: number;
  /** It has no effect just now. */
  hidden: boolean;
  /** When it ends by the server's time, if its time goes on as it does; null if it has no end, or is held. */
  end: number | null;
  /** What holds its time: 1 a pause of the buff, 2 of its owner, 4 of the zone, 8 death; 0 if it passes. */
  held: number;
  /** While it is held, the ms of its own time that are left; null if it has no end. */
  left: number | null;
  /** The ms of its own time, and in how many of the server's they pass. */
  rate: [number, number];
}

export interface Owner {
  /** The digits of its id. */
  id: string;
  dead: boolean;
  /** By slot. */
  buffs: Map<number, Buff>;
}

export interface Spec {
  id: string;
  icon: string;
  /** It is not to be shown. */
  hide: boolean;
  /** 0 neutral, 1 good, 2 bad for its owner. */
  polarity: number;
  /** The highest is shown first. */
  priority: number;
  /** In ms; 0: it has no end by itself. */
  duration: number;
  /** For its text; NaN if it is not the same for all its buffs. */
  params: Record<string, number>;
}

/** What receive throws. */
export interface ProtocolError extends Error {
  code: "gap" | "format" | "limit";
}

/** The ms of its own time that a buff has left at an instant of the server's time; null: it has no end. */
export function left(buff: Buff, now: number): number | null;

export class Client {
  constructor(limits?: { owners?: number; buffs?: number; specs?: number });
  /** Who is in view, by id. */
  readonly owners: ReadonlyMap<string, Owner>;
  /** Definitions, by number. */
  readonly specs: ReadonlyMap<number, Spec>;
  /** The server's time of the last packet, in ms. */
  readonly now: number;
  /** That of the definitions that the packets are about; 0n: it is not known. */
  readonly fingerprint: bigint;
  /** The definitions are those that the packets are about; if not, the game sends them. */
  readonly known: boolean;
  /** Takes in a message. It throws a ProtocolError: at "gap" send missed(); at the others too, and nothing is known any more. */
  receive(message: Uint8Array | ArrayBuffer): void;
  /** The message that asks for all that came after the last packet; for all, at the beginning. */
  missed(): Uint8Array;
  /** Forgets everything but the definitions: a connection begins anew. */
  reset(): void;
}
