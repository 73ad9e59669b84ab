// SPDX-License-Identifier: MIT
import type { Buff, Client } from "./client.js";

/** A buff that the server will apply if it accepts the command. */
export interface Prediction extends Partial<Omit<Buff, "spec" | "slot" | "source" | "end" | "held" | "left" | "rate">> {
  /** Number of its definition. */
  spec: number;
  /** Whether a new application joins only a buff of the same source, or any. The default is stack.by of the definition. */
  by?: "source" | "target";
  /** Its remaining time after the application, in ms, or null for no end. The default is the duration of the definition. */
  duration?: number | null;
}

/** Shows the player's own buffs before the server has confirmed them. All times are server times in ms. */
export class Predictor {
  /**
   * @param owner id of the player's own owner
   * @param limits.most maximum number of predictions without an answer, 16
   * @param limits.timeout ms after which a prediction without an answer is discarded, 3000
   * @param limits.fade ms in which the difference between a prediction and the server's state fades out, 500
   */
  constructor(client: Client, owner?: string, limits?: { most?: number; timeout?: number; fade?: number });
  /** Id of the player's own owner. */
  readonly owner: string;
  /** Number of predictions without an answer. */
  readonly pending: number;
  /**
   * Shows the buffs of a command that the player gives at the time now and the server will probably execute delay ms later.
   * Returns the key to send with the command, from 1 to 65,535, or 0 if nothing is predicted: there are too many predictions, or the owner is not in view.
   */
  predict(now: number, delay: number, buffs: Prediction[]): number;
  /** The server has executed the command. Packets with the time at, or a later one, contain its effects. */
  confirm(key: number, at: number): void;
  /** The server has refused the command. */
  refuse(key: number): void;
  /** Returns the player's own buffs as they are to be shown. Slots from 4096 up belong to predicted buffs. */
  buffs(now: number): Buff[];
  /** Discards all predictions. Call it whenever the client is reset; with an id if the player has another owner. */
  reset(owner?: string): void;
}
