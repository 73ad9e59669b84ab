"""A client of package replicate, written from docs/protocol.md alone to check that the page is complete.

    python3 decoder.py FILE      holds it against lists of messages: each line of FILE is one, or the whole file is
"""
import json
import struct
import sys

LOCALS, BUFFS, DEFINITIONS = 16384, 65536, 131072  # limits of the client
TIME, SPAN, SLOTS, PARAMS, ATTRIBUTES, INT = 2**48, 9223372036854, 4096, 64, 64, 2**31 - 1
PACKET, REPAIR, DEFINE, MISSED = 0x10, 0x11, 0x12, 0x20


class Wrong(Exception):
    """A message that is refused: "gap", "format" or "limit"."""


class Reader:
    def __init__(self, message):
        self.bytes, self.at = message, 0

    def take(self, n):
        if n > len(self.bytes) - self.at:
            raise Wrong("format")
        self.at += n
        return self.bytes[self.at - n : self.at]

    def byte(self):
        return self.take(1)[0]

    def number(self, most=2**64 - 1):
        value = 0
        for shift in range(0, 70, 7):
            b = self.byte()
            value |= (b & 0x7F) << shift
            if b < 0x80:
                break
        else:
            raise Wrong("format")
        if value > most:
            raise Wrong("format")
        return value

    def signed(self):
        v = self.number()
        return v >> 1 if v & 1 == 0 else -(v >> 1) - 1

    def fixed(self):
        return struct.unpack("<Q", self.take(8))[0]

    def float(self):
        return struct.unpack("<d", self.take(8))[0]

    def text(self):
        return self.take(self.number()).decode("utf-8", "replace")

    def done(self):
        return self.at == len(self.bytes)


class Buff:
    def __init__(self, spec, source):
        self.spec, self.source = spec, source
        self.stacks, self.magnitude, self.level, self.charges, self.shield = 1, 0, 0, 0, 0
        self.hidden, self.waiting = False, 0
        self.plain()

    def plain(self):
        self.end = self.own = None  # the end; the remaining own time if paused
        self.held, self.rate = 0, (1, 1)

    def left(self, now):
        if self.held:
            return self.own
        if self.end is None:
            return None
        return max(self.end - now, 0) * self.rate[0] // self.rate[1]

    def time(self, r, now):
        v = r.number(TIME)
        form, ms = v & 3, v >> 2
        self.plain()
        if form == 0:
            return
        if form == 1:
            self.end = now + ms
            return
        if form == 2 and ms > 0:
            self.end = now + ms - 1
        if form == 3:
            self.held = r.byte()
            self.own = ms - 1 if ms > 0 else None
        self.rate = (r.number(10**9), r.number(10**9))
        if 0 in self.rate:
            raise Wrong("format")
        if self.rate[0] == self.rate[1]:
            self.rate = (1, 1)


class Owner:
    def __init__(self, id):
        self.id, self.dead = id, False
        self.attributes, self.buffs = {}, {}  # by name; by slot


class Client:
    def __init__(self):
        self.definitions, self.defined, self.now = {}, 0, 0
        self.reset()

    def reset(self):
        self.locals, self.last, self.fingerprint, self.attributes = {}, 0, 0, {}

    def missed(self):
        out, v = [MISSED], self.last
        while v >= 0x80:
            out.append(v & 0x7F | 0x80)
            v >>= 7
        return bytes(out + [v])

    def receive(self, message):
        if not message:
            raise Wrong("format")
        r = Reader(message)
        kind = r.byte()
        if kind == DEFINE:
            self.define(r)
            return
        try:
            if kind not in (PACKET, REPAIR):
                raise Wrong("format")
            self.packet(r, kind)
        except Wrong as e:
            if str(e) != "gap":
                self.reset()
            raise

    def packet(self, r, kind):
        n = r.number()
        base = r.number() if kind == REPAIR else n - 1
        now = r.number(TIME)
        if n == 0 or base >= n:
            raise Wrong("format")
        if n <= self.last:
            return
        if base > self.last:
            raise Wrong("gap")
        while not r.done():
            part = r.number()
            about, local = part & 3, part >> 2
            if about == 3:
                if local == 0:
                    self.fingerprint = r.fixed()
                elif local == 1:
                    now += r.number(TIME - now)
                elif local == 2:
                    self.definition(r, self.definitions)
                elif local == 3:
                    self.attribute(Reader(r.take(r.number())))
                else:
                    r.take(r.number())
                continue
            if local >= LOCALS:
                raise Wrong("limit")
            if about == 2:
                self.locals.pop(local, None)
                continue
            if about == 1:
                owner = Owner(r.number())
                self.locals = {k: o for k, o in self.locals.items() if o.id != owner.id}
                self.locals[local] = owner
            elif local not in self.locals:
                raise Wrong("format")
            for _ in range(r.number()):
                self.record(self.locals[local], r, now)
        self.last, self.now = n, now

    def record(self, owner, r, now):
        slot, mask = r.number(SLOTS) - 1, r.byte()
        if slot < 0 and mask & 2:
            number, steps = r.number(ATTRIBUTES - 1), r.signed()
            if number not in self.attributes:
                raise Wrong("format")
            name, step = self.attributes[number]
            owner.attributes[name] = steps * step
            return
        if slot < 0:
            owner.dead = mask & 1 != 0
            return
        if mask == 0:
            owner.buffs.pop(slot, None)
            return
        if mask & 0x80:
            owner.buffs[slot] = Buff(r.number(2**32 - 1), r.number())
            if sum(len(o.buffs) for o in self.locals.values()) > BUFFS:
                raise Wrong("limit")
        if slot not in owner.buffs:
            raise Wrong("format")
        b = owner.buffs[slot]
        if mask & 0x01:
            b.time(r, now)
        if mask & 0x02:
            b.stacks = r.number(INT)
        if mask & 0x04:
            b.magnitude, b.level = r.signed(), r.number(INT)
        if mask & 0x08:
            b.charges = r.number(INT)
        if mask & 0x10:
            b.shield = r.number(2**63 - 1)
        if mask & 0x20:
            b.hidden = r.byte() & 1 != 0
        if mask & 0x40:
            b.waiting = r.number(INT)

    def define(self, r):
        fingerprint, count = r.fixed(), r.number()
        if count > DEFINITIONS:
            raise Wrong("limit")
        definitions = dict(self.definitions)
        for _ in range(count):
            self.definition(r, definitions)
        if not r.done():
            raise Wrong("format")
        self.definitions, self.defined = definitions, fingerprint

    def definition(self, r, definitions):
        r = Reader(r.take(r.number()))
        n = r.number(2**32 - 1)
        id, name, icon, flags = r.text(), r.text(), r.text(), r.byte()
        priority, duration, limit = r.signed(), r.number(SPAN), r.number(INT)
        params = [(r.text(), r.float()) for _ in range(r.number(PARAMS))]
        if n not in definitions and len(definitions) >= DEFINITIONS:
            raise Wrong("limit")
        facts = [flags & 1, flags >> 1 & 3, duration, flags >> 3 & 3, limit]
        definitions[n] = {"id": id, "title": name, "icon": icon, "priority": priority, "facts": facts}

    def attribute(self, r):
        number, step, name = r.number(ATTRIBUTES - 1), r.float(), r.take(r.number())
        if not 0 < step < float("inf") or not 1 <= len(name) <= 128 or not all(0x21 <= c <= 0x7E for c in name):
            raise Wrong("format")
        self.attributes.setdefault(number, (name.decode(), step))

    def screen(self):
        """Returns the state in the form of vectors.json."""
        owners = sorted(self.locals.values(), key=lambda o: o.id)
        return {
            "now": self.now,
            "fingerprint": "%016x" % self.fingerprint,
            "known": self.fingerprint != 0 and self.fingerprint == self.defined,
            "owners": [self.shown_owner(o) for o in owners],
        }

    def shown_owner(self, o):
        out = {"id": str(o.id), "dead": o.dead, "buffs": [self.shown(at, o.buffs[at]) for at in sorted(o.buffs)]}
        if o.attributes:
            out["attributes"] = {name: struct.pack(">d", v).hex() for name, v in o.attributes.items()}
        return out

    def shown(self, slot, b):
        d = self.definitions.get(b.spec, {"id": "", "title": "", "facts": []})
        return {
            "slot": slot, "spec": b.spec, "name": d["id"], "title": d["title"], "facts": d["facts"], "source": str(b.source), "stacks": b.stacks,
            "magnitude": str(b.magnitude), "level": b.level, "charges": b.charges, "shield": str(b.shield), "waiting": b.waiting, "hidden": b.hidden,
            "held": b.held, "rate": list(b.rate), "left": b.left(self.now), "later": b.left(self.now + 1000),
        }


def check(lists):
    """Returns the number of messages; exits at the first difference."""
    n = 0
    for messages in lists:
        client = Client()
        for v in messages:
            error = None
            try:
                client.receive(bytes.fromhex(v["message"]))
            except Wrong as e:
                error = str(e)
            got = {"error": error, "answer": client.missed().hex(), "state": client.screen()}
            want = {"error": v.get("error"), "answer": v["answer"], "state": v["state"]}
            if got != want:
                sys.exit("%s\n%s\n got %s\nwant %s" % (v["about"], v["message"], json.dumps(got), json.dumps(want)))
            n += 1
    return n


if __name__ == "__main__":
    with open(sys.argv[1], encoding="utf-8") as f:
        text = f.read()
    lists = [json.loads(line) for line in text.strip().split("\n")] if text.startswith("[{") else [json.loads(text)]
    print(check(lists), "messages")
