// SPDX-License-Identifier: MIT
/** A buff of an owner in view: see docs/protocol.md. */
export interface Buff {
  /** Slot on its owner; reused once the buff has ended. */
  slot: number;
  /** Number of its definition, the key in Client.specs. */
  spec: number;
  /** Id of its source, in decimal digits. */
  source: string;
  stacks: number;
  magnitude: number;
  level: number;
  charges: number;
  /** Remaining shield. */
  shield: number;
  /** Number of queued applications. */
  waiting: number;
  /** The buff currently has no effect. */
  hidden: boolean;
  /** Server time of its end at the current rate; null if it has no end or is paused. */
  end: number | null;
  /** Reasons why it is paused, as bits: 1 the buff, 2 its owner, 4 the area, 8 death. 0 if it is not paused. */
  held: number;
  /** If paused, the remaining ms of its own time, or null if it has no end. */
  left: number | null;
  /** Rate of its time: rate[0] ms of its own time pass in rate[1] ms of server time. */
  rate: [number, number];
}

export interface Owner {
  /** Id in decimal digits. */
  id: string;
  dead: boolean;
  /** The attributes that the server sends, by name: "health", or "health/max_health" for a share from 0 to 1. */
  attributes: Map<string, number>;
  /** Its buffs, by slot. */
  buffs: Map<number, Buff>;
}

export interface Spec {
  id: string;
  /** Name for players; "" if it has none. */
  name: string;
  icon: string;
  /** The buff is not displayed. */
  hide: boolean;
  /** 0 neutral, 1 good, 2 bad for its owner. */
  polarity: number;
  /** The highest is displayed first. */
  priority: number;
  /** Duration in ms; 0 if it does not end by itself. */
  duration: number;
  /** Which applications join the same buff. */
  by: "none" | "source" | "target" | "key";
  /** Maximum number of stacks. */
  limit: number;
  /** Numbers for its description; NaN if the value varies between buffs. */
  params: Record<string, number>;
}

/** The error that receive throws. */
export interface ProtocolError extends Error {
  code: "gap" | "format" | "limit";
}

/** Returns the remaining ms of a buff's own time at the given server time; null if the buff has no end. */
export function left(buff: Buff, now: number): number | null;

export class Client {
  constructor(limits?: { owners?: number; buffs?: number; specs?: number });
  /** Owners in view, by id. */
  readonly owners: ReadonlyMap<string, Owner>;
  /** Definitions, by number. */
  readonly specs: ReadonlyMap<number, Spec>;
  /** Server time of the last packet, in ms. */
  readonly now: number;
  /** Fingerprint of all definitions of the server; 0n if unknown. */
  readonly fingerprint: bigint;
  /** Whether the client has received all definitions in one message, and not only those of the buffs that it has seen. */
  readonly known: boolean;
  /** Accepts a message. If it throws a ProtocolError, send missed(). If its code is not "gap", the client has also discarded its state. */
  receive(message: Uint8Array | ArrayBuffer): void;
  /** Returns a message that requests all changes since the last packet or, if there was none, the whole state. */
  missed(): Uint8Array;
  /** Discards everything but the definitions. Call it for a new connection. */
  reset(): void;
}
