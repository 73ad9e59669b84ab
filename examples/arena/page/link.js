// The WebSocket with simulated lag and loss, and the server's time.
import { Client } from "./client.js";
import { Predictor } from "./predict.js";

// Kinds of messages: see serve/wire.go.
export const hello = 0x01, scene = 0x02, facts = 0x03, pong = 0x04, truth = 0x05, answer = 0x06;
const play = 0x30, watch = 0x31, walk = 0x32, go = 0x33, aim = 0x34, cast = 0x35, ping = 0x36, pause = 0x37;

// Messages that the simulated loss may drop: the server sends their contents again.
const lossy = new Set([0x10, 0x11, 0x20, scene, pong, ping, truth]);

export class Link {
  constructor(address, heard) {
    Object.assign(this, { address, heard, lag: 0, loss: 0, offset: null, open: false, gaps: 0, bytes: 0, buffBytes: 0, tries: 0, asked: 0, ready: [0, 0], pings: [] });
    this.client = new Client();
    this.predictor = new Predictor(this.client);
    this.wants = null; // the first message, sent again after a reconnect: [kind, …]
    setInterval(() => this.#ping(), 1000);
  }

  /** now is the server's time in ms, extrapolated between messages. A better estimate corrects it by at most 20 % of
   * the time that passes, so that rings do not jump; only an error of more than a second is corrected at once. */
  get now() {
    if (this.offset === null) return 0;
    const t = performance.now(), error = this.offset - this.shift, most = (t - this.read) * 0.2;
    this.shift += Math.abs(error) > 1000 ? error : Math.min(Math.max(error, -most), most);
    this.read = t;
    return t + this.shift;
  }

  connect() {
    this.socket = new WebSocket(this.address);
    this.socket.binaryType = "arraybuffer";
    this.socket.onopen = () => {
      this.open = true;
      this.tries = 0;
      this.pings = [];
      this.client.reset();
      this.predictor.reset();
      if (this.wants) this.#now(this.wants());
      this.#ping();
    };
    this.socket.onmessage = (e) => this.#later(0, new Uint8Array(e.data), (m) => this.#receive(m));
    this.socket.onclose = () => {
      this.open = false;
      this.heard("closed");
      this.again = setTimeout(() => this.connect(), Math.min(4000, 400 * 2 ** this.tries++));
    };
  }

  /** cut drops the connection like a network failure; it reconnects after a while, or at once with connect. */
  cut(hold = false) {
    this.socket.close();
    if (hold) this.socket.onclose = () => { this.open = false; this.heard("closed"); };
  }

  // later delays a message by half of the lag, in order, or drops it.
  #later(way, bytes, then) {
    if (lossy.has(bytes[0]) && Math.random() * 100 < this.loss) return;
    const due = Math.max(performance.now() + this.lag / 2, this.ready[way]);
    this.ready[way] = due;
    const wait = due - performance.now();
    if (wait < 1) then(bytes);
    else setTimeout(() => then(bytes), wait);
  }

  #now(bytes) { if (this.open && this.socket.readyState === 1) this.socket.send(bytes); }
  #send(...bytes) { this.#later(1, Uint8Array.from(bytes), (m) => this.#now(m)); }

  #receive(m) {
    this.bytes += m.length;
    if (m[0] >> 4 === 1) {
      this.buffBytes += m.length;
      this.#state(m);
      return;
    }
    const view = new DataView(m.buffer, m.byteOffset, m.byteLength);
    if (m[0] === pong) this.#pong(view);
    else if (m[0] === hello) {
      const h = JSON.parse(new TextDecoder().decode(m.subarray(1)));
      this.client.reset();
      this.predictor.reset(String(h.you));
      this.heard("hello", h);
    } else this.heard(m[0], view);
  }

  // state applies a packet of package replicate.
  #state(m) {
    try {
      this.client.receive(m);
      if (m[0] !== 0x12) this.asked = 0;
    } catch (err) {
      if (!err.code) throw err;
      if (performance.now() - this.asked > this.lag + 150) { // a request is on its way already
        this.asked = performance.now();
        this.gaps++;
        this.#send(...this.client.missed());
      }
    }
  }

  #ping() {
    if (!this.open) return;
    const b = new Uint8Array(9);
    b[0] = ping;
    new DataView(b.buffer).setFloat64(1, performance.now(), true);
    this.#later(1, b, (m) => this.#now(m));
  }

  // pong sets the clock by the fastest of the last answers: the error is at most half of its round trip.
  #pong(view) {
    const at = performance.now(), trip = at - view.getFloat64(1, true);
    this.pings.push({ trip, offset: view.getFloat64(9, true) + trip / 2 - at });
    if (this.pings.length > 6) this.pings.shift();
    else setTimeout(() => this.#ping(), 60); // the first pings follow quickly
    const best = this.pings.reduce((a, b) => (b.trip < a.trip ? b : a));
    this.trip = best.trip;
    if (this.offset === null) [this.shift, this.read] = [best.offset, at];
    this.offset = best.offset;
  }

  #two(kind, ...values) {
    const b = new Uint8Array(1 + 2 * values.length), view = new DataView(b.buffer);
    b[0] = kind;
    values.forEach((v, k) => view.setUint16(1 + 2 * k, v, true));
    return b;
  }
  play(token) {
    this.wants = () => Uint8Array.from([play, ...new TextEncoder().encode(token() ?? "")]);
    this.#now(this.wants());
  }
  watch(id = 0) {
    this.wants = () => this.#two(watch, id);
    this.#now(this.wants());
  }
  walk(x, y) { this.#send(walk, Math.round(x * 100) & 255, Math.round(y * 100) & 255); }
  go(x, y) { this.#send(...this.#two(go, x, y)); }
  aim(id) { this.#send(...this.#two(aim, id)); }
  /** cast requests an ability; key is that of its prediction, or 0. */
  cast(k, key = 0) { this.#send(cast, k, key & 255, key >> 8); }
  pause(still) { this.#send(pause, still ? 1 : 0); }
}
