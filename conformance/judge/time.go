package judge

// §1.1 Time.

import (
	"fmt"
	"math/big"
	"strings"
)

// instance is one buff that runs on the owner. All times are of its own clock.
type instance struct {
	age    int64
	number int64 // of all that began, on all owners
	doomed bool  // its source has too many
	def    *definition
	source string
	others []string // sources that have joined it
	key    int64
	level  int

	magnitude int64
	stacks    int     // with one timer for all
	layers    []layer // with timers each
	waiting   []wait  // with a queue
	turn      int64   // the age of the application that runs, in a queue
	endless   bool
	end       int64
	full      int64 // the duration that "expire: one" restarts

	period  int64 // of the interval that runs
	coming  int64 // the period of the next interval (haste: next)
	later   int64 // the period from the next refresh (haste: snapshot); 0: as it is
	from    int64 // when the interval began
	beat    int64 // when it ends, with a pulse
	charges int
	pool    int64

	numbers map[*number]float64 // of the last application
	given   int64               // when its modifiers came, in the order of such things

	inhibited bool        // by the game
	failed    bool        // its requirement
	shaded    bool        // by anything else than an immunity
	silenced  bool        // by an immunity
	hidden    bool        // as the log last said
	halted    bool        // by pause_buff
	buried    bool        // by on_death: pause
	local     *clock      // its own time, of its owner's; nil: the same
	parents   []*instance // whose link it is
	gone      bool

	ofAura bool  // an aura gave it
	look   int64 // when its own aura looks next, in the world's ms
	born   int64 // in the order in which auras began
	holds  []*hold
	late   missing // the pulses of this frame that one will stand for
}

// standing says that its own clock stands still.
func (b *instance) standing() bool { return b.local != nil && b.local.held }

// outer is when, in its owner's time, an instant of its own comes.
func (b *instance) outer(at int64) (int64, bool) {
	if b.local == nil {
		return at, true
	}
	return b.local.when(at)
}

// count is how many stacks there are.
func (b *instance) count() int {
	if !b.each() {
		return b.stacks
	}
	n := 0
	for _, l := range b.layers {
		n += l.stacks
	}
	return n
}

func (b *instance) each() bool { s := b.def.stack(); return s.each() }

// last is the end of the whole buff.
func (b *instance) last() int64 {
	if end, yes := b.lingers(); yes {
		return end
	}
	if !b.each() {
		return b.end
	}
	end := b.layers[0].end
	for _, l := range b.layers {
		end = max(end, l.end)
	}
	return end
}

// nextPulse: "next = deadline + period always"; "every boundary ≤ end ticks; nothing counts ticks in advance".
func (b *instance) nextPulse() (int64, bool) {
	if b.period == 0 || !b.endless && b.beat > b.last() && len(b.waiting) == 0 {
		return 0, false
	}
	return b.beat, true
}

// nextPartial: "partial: extra tick at end with Fraction = elapsed/period, never when 0". "A partial pulse keeps the rank
// of a pulse."
func (b *instance) nextPartial() (int64, bool) {
	if b.def.Tail != "partial" || b.period == 0 || !b.ends() || b.each() || b.from >= b.last() || b.beat <= b.last() {
		return 0, false
	}
	if !b.endless && (b.stacksAfterEnd() > 0 || len(b.waiting) > 0) {
		return 0, false // a stack ends, and the beat goes on
	}
	return b.last(), true
}

// pulseDue is the pulse at the end of the interval that runs; the next begins.
func (o *owner) pulseDue(b *instance) {
	n, sum := b.counting()
	o.nextBeat(b)
	if n > 0 {
		o.pulseOfFrame(b, n, sum)
	}
}

// nextBeat lets the next interval begin where one ends.
func (o *owner) nextBeat(b *instance) {
	b.from, b.period = b.beat, b.coming
	b.beat = o.boundary(b, b.beat)
	for i := range b.layers {
		b.layers[i].own += b.beat - b.from
	}
}

// boundary is where an interval ends that begins at from. "align: owner (owner-wide pulse)": at those of the owner's own
// time, so that all of one period pulse together.
func (o *owner) boundary(b *instance, from int64) int64 {
	if b.def.Align != "owner" {
		return from + b.period
	}
	zero := int64(0)
	if b.local != nil { // where the zero of the owner's time is in its own, if its rate had always been what it is
		x := new(big.Rat).Mul(big.NewRat(b.local.outer, 1), b.local.rate)
		zero = up(x.Sub(b.local.inner, x))
	}
	k := (from - zero) / b.period
	if (from-zero)%b.period < 0 {
		k--
	}
	return (k+1)*b.period + zero
}

// partial is the pulse for a part of an interval. It ends the interval, and if the buff lives on another one begins there:
// "next = deadline + period".
func (o *owner) partial(b *instance) {
	o.catchesUp(b)
	elapsed, period := b.period-(b.beat-b.last()), b.period
	fraction := fmt.Sprintf(" fraction=%d/%d", elapsed, period)
	b.from, b.period = b.last(), b.coming
	b.beat = b.from + b.period
	_, sum := b.pulsingNow()
	o.pulse(b, b.stacks, sum, fraction, elapsed, period)
}

// pulse is one pulse of n stacks, now. What it applies has the magnitude of the buff; with timers each the sum of those
// of the stacks that take part.
//
// "Ongoing requirement: … Suppressed/Resumed events." "immunity midway: running suppressed (tick consumed), clock goes
// on." "pulses hidden by a group or partial tails: a suppressed line".
func (o *owner) pulse(b *instance, n int, sum int64, more string, part ...int64) {
	switch {
	case b.shaded:
		o.say("suppressed %s%s", b.def.ID, b.counted(more))
		return
	case b.silenced:
		o.say("suppressed %s why=immune%s", b.def.ID, b.counted(more))
		return
	}
	if o.says && o.frame > o.stamp {
		more += fmt.Sprintf(" seen=%d", o.frame)
	}
	o.say("pulse %s x%d%s", b.def.ID, n, more)
	for i := range b.def.on().Pulse { // "pulse: an attribute of the owner is read anew at each pulse"
		a := b.def.on().Pulse[i]
		for _, c := range []*change{a.Change, a.Damage} {
			if c != nil && c.By.Snapshot == "pulse" {
				b.numbers[&c.By] = c.By.reads(o.value(c.By.Attr))
			}
		}
	}
	s := share{n: n}
	if len(part) == 2 {
		s.elapsed, s.part = part[0], part[1]
	} else if len(part) == 1 {
		s.count = int(part[0])
	}
	if !b.each() {
		sum = b.magnitude
	}
	o.issueFor(b, b.def.on().Pulse, b.source, "", sum, s)
}

// counted is what a suppressed pulse says of how many it stands for.
func (b *instance) counted(more string) string {
	if strings.HasPrefix(more, " count=") {
		return more
	}
	return ""
}

// beginBeat lets the first interval begin, at its now.
func (o *owner) beginBeat(b *instance) {
	if b.period == 0 {
		return
	}
	b.from = b.clock(o.own)
	b.beat = o.boundary(b, b.from)
	for i := range b.layers {
		b.layers[i].own = b.from + b.period
	}
}

// fixed is the duration of an application in ms, after everything that scales it.
// 0 means that the application is resisted.
func (d *definition) fixed(ms int64, percent int64, level int, of map[*number]float64) int64 {
	if d.DurationScale != nil {
		if ms = halfUp(float64(ms) * max(of[d.DurationScale], 0)); ms == 0 {
			return 0
		}
	}
	ms = (ms*percent + 50) / 100 // "integer ms rounding", half up
	if d.MinDuration > 0 {
		ms = max(ms, int64(d.MinDuration))
	}
	if d.MaxDuration > 0 {
		ms = min(ms, int64(d.MaxDuration))
	}
	if d.Tail == "fit" { // "period kept, duration rounded to whole ticks at apply"
		p := d.Period.at(level)
		ms = max((ms+p/2)/p, 1) * p
	}
	return ms
}

func halfUp(x float64) int64 { return int64(x + 0.5) }

// setPeriod: "haste: snapshot (default) / next / rescale (left' = round(left × new/old)). Fixed integer rounding half-up
// so every server and replay agrees. hasteDuration: bool scales remaining too."
func (o *owner) setPeriod(id string, to int64) {
	b := o.oldest(id)
	if b == nil || b.period == 0 {
		return
	}
	line := "period " + b.def.ID
	old, now := b.coming, b.clock(o.own)
	switch or(b.def.Haste, "snapshot") {
	case "snapshot":
		b.later = to
	case "next":
		b.coming = to
	case "rescale":
		left := max(scaled(b.beat-now, to, b.period), 1) // never at the very ms: that has passed
		for i := range b.layers {
			l := &b.layers[i]
			l.own = now + scaled(l.own-now, to, b.period)
		}
		b.beat = now + left
		b.from = b.beat - to
		b.period, b.coming = to, to
	}
	if b.def.HasteDuration && b.ends() {
		for _, h := range b.holds {
			h.ends = now + max(scaled(h.ends-now, to, old), 1) // of those that linger
		}
		b.end = now + max(scaled(b.end-now, to, old), 1)
		b.full = scaled(b.full, to, old)
		line += o.endOf(b)
	}
	o.say("%s%s", line, o.nextOf(b))
}

// scaled is round(n × to/old), half up.
func scaled(n, to, old int64) int64 { return (2*n*to + old) / (2 * old) }

// clock is the buff's own now.
func (b *instance) clock(now int64) int64 {
	if b.local == nil {
		return now
	}
	return b.local.now(now)
}

// told is an instant of the buff in the world's ms; nothing comes as long as a clock stands still.
func (o *owner) told(b *instance, key string, at int64) string {
	own, ok := b.outer(at)
	if !ok {
		return ""
	}
	if at, ok = o.clock.when(own); !ok {
		return ""
	}
	return fmt.Sprintf(" %s=%d", key, at)
}

// endOf is " end=" in the world's ms; "no end while paused".
func (o *owner) endOf(b *instance) string {
	return o.endAt(b, b.last())
}

// endAt is " end=" for an end of the buff, or of one of its stacks.
func (o *owner) endAt(b *instance, end int64) string {
	if at, yes := b.lingers(); yes {
		end = at
	} else if b.endless {
		return ""
	}
	return o.told(b, "end", end)
}

// nextOf is " next=" in the world's ms, if there is a next pulse.
func (o *owner) nextOf(b *instance) string {
	at, ok := b.nextPulse()
	ok = ok && (!b.ends() || at <= b.last()) // behind the end of what runs of a queue nothing is told
	if part, partly := b.nextPartial(); !ok && partly {
		at, ok = part, true
	}
	if !ok {
		return ""
	}
	return o.told(b, "next", at)
}
