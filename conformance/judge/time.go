package judge

// Section 1.1 of the rules: time.

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// instance is one running buff of the owner. All times are of the buff's clock.
type instance struct {
	age    int64
	def    *definition
	source string
	others []string // the sources of its applications
	key    int64
	level  int

	magnitude int64
	stacks    int     // with shared timers
	layers    []layer // with timers each
	waiting   []wait  // with a queue
	turn      int64   // with a queue: the age of the running application
	endless   bool
	end       int64
	full      int64 // the duration that expire: one restarts

	period int64 // of the running interval
	coming int64 // of the next interval (haste: next)
	later  int64 // from the next refresh on (haste: snapshot); 0: no change
	from   int64 // the start of the running interval
	beat   int64 // the end of the running interval, with a pulse

	content                      // of the last application; with timers each only the numbers
	known    *knowledge          // about its source
	modified map[*number]float64 // the last values of its modifiers
	given    int64               // the order in which modifiers came into effect

	inhibited bool   // by the game
	failed    bool   // its ongoing requirement fails
	shaded    bool   // hidden by anything but an immunity
	silenced  bool   // hidden by an immunity
	hidden    bool   // as the log said last
	halted    bool   // by pause_buff
	buried    bool   // by on_death: pause
	local     *clock // its own time, of its owner's; nil: the same
	ties      []tie  // to the heads of which it is a link
	gone      bool
	mark      func(rule string)

	ofAura bool  // an aura gave it
	look   int64 // when its own aura looks next, in the world's ms
	born   int64 // the order in which auras began
	holds  []*hold
	late   missing // the pulses of this frame that one pulse will stand for
}

// tie is one head of a link, with the number of stacks that the head brought.
type tie struct {
	head   *instance
	stacks int
}

// tie notes that an application of a head made or changed the buff.
func (b *instance) tie(head *instance, stacks int) {
	if head == nil {
		return
	}
	for i := range b.ties {
		if b.ties[i].head == head {
			b.ties[i].stacks += stacks
			return
		}
	}
	b.ties = append(b.ties, tie{head, stacks})
}

// hasLink reports whether the owner has a live instance of a definition that is tied to this head.
func (b *instance) hasLink(o *owner, id string) bool {
	return slices.ContainsFunc(o.buffs, func(c *instance) bool { return c.def.ID == id && c.tiedTo(b) })
}

func (b *instance) tiedTo(head *instance) bool {
	return slices.ContainsFunc(b.ties, func(t tie) bool { return t.head == head })
}

// isLink reports whether the buff is tied to a live head.
func (b *instance) isLink() bool {
	return slices.ContainsFunc(b.ties, func(t tie) bool { return !t.head.gone })
}

// standing reports whether the clock of the buff is stopped.
func (b *instance) standing() bool { return b.local != nil && b.local.held }

// outer converts an instant of the buff's clock to the owner's.
func (b *instance) outer(at int64) (int64, bool) {
	if b.local == nil {
		return at, true
	}
	return b.local.when(at)
}

// count returns the number of stacks.
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

// last returns the end of the whole buff.
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

// nextPulse returns the time of the next pulse: one period after the last boundary, unless that is
// after the end.
func (b *instance) nextPulse() (int64, bool) {
	if b.period == 0 || !b.endless && b.beat > b.last() && len(b.waiting) == 0 {
		return 0, false
	}
	return b.beat, true
}

// nextPartial returns the time of the pulse for the last part of a period, with tail: partial: the
// end. It has the rank of a pulse.
func (b *instance) nextPartial() (int64, bool) {
	if b.def.Tail != "partial" || b.period == 0 || !b.ends() || b.each() || b.from >= b.last() || b.beat <= b.last() {
		return 0, false
	}
	if !b.endless && (b.stacksAfterEnd() > 0 || len(b.waiting) > 0) {
		return 0, false // a stack ends, and the beat continues
	}
	return b.last(), true
}

// pulseDue runs the pulse at the end of the running interval, and starts the next one.
func (o *owner) pulseDue(b *instance) {
	c := b.due()
	o.nextBeat(b)
	if c.n > 0 {
		o.pulseOfFrame(b, c)
	}
}

// nextBeat starts the next interval at the end of the running one.
func (o *owner) nextBeat(b *instance) {
	b.from, b.period = b.beat, b.coming
	b.beat = o.boundary(b, b.beat)
	for i := range b.layers {
		b.layers[i].own += b.beat - b.from
	}
}

// boundary returns the end of an interval that starts at from. With align: owner intervals end at
// multiples of the period in the owner's time, so that all buffs of one period pulse together.
func (o *owner) boundary(b *instance, from int64) int64 {
	if b.def.Align != "owner" {
		return from + b.period
	}
	zero := int64(0)
	if b.local != nil { // the zero of the owner's time in the buff's own, as if its rate had always been the present one
		x := new(big.Rat).Mul(big.NewRat(b.local.outer, 1), b.local.rate)
		zero = up(x.Sub(b.local.inner, x))
	}
	k := (from - zero) / b.period
	if (from-zero)%b.period < 0 {
		k--
	}
	return (k+1)*b.period + zero
}

// partial runs the pulse for a part of an interval, and ends the interval; if the buff lives on,
// another one starts.
func (o *owner) partial(b *instance) {
	o.catchesUp(b)
	elapsed, period := b.period-(b.beat-b.last()), b.period
	fraction := fmt.Sprintf(" fraction=%d/%d", elapsed, period)
	b.from, b.period = b.last(), b.coming
	b.beat = b.from + b.period
	o.pulseFor(b, b.active(), fraction, share{elapsed: elapsed, period: period})
}

// pulse is one pulse of the stacks that count, now.
func (o *owner) pulse(b *instance, c counted, more string) { o.pulseFor(b, c, more, share{}) }

// pulseFor is a pulse for a part of a period, or for several pulses. Its applications have the
// magnitude of the buff; with timers: each the sum of the stacks that count. A pulse of a buff
// without effect (a failed requirement, an immunity, a group) is logged as suppressed.
func (o *owner) pulseFor(b *instance, c counted, more string, s share) {
	switch {
	case b.shaded:
		o.say("suppressed %s%s", b.def.ID, countIn(more))
		return
	case b.silenced:
		o.say("suppressed %s why=immune%s", b.def.ID, countIn(more))
		return
	}
	if o.says && o.frame > o.stamp {
		more += fmt.Sprintf(" seen=%d", o.frame)
	}
	o.say("pulse %s x%d%s", b.def.ID, c.n, more)
	for i := range b.def.on().Pulse { // snapshot: pulse reads the attributes again
		a := b.def.on().Pulse[i]
		for _, change := range []*change{a.Change, a.Damage} {
			if change != nil && change.By.Snapshot == "pulse" {
				b.numbers[&change.By] = amount{x: change.By.reads(o.value(change.By.Attr))}
			}
		}
	}
	if list := b.def.on().Pulse; slices.ContainsFunc(list, func(a action) bool { return a.Remove == b.def.ID }) &&
		slices.ContainsFunc(list, func(a action) bool { return a.Apply == b.def.ID }) {
		o.all.mark(markReplacesItself)
	}
	e := b.eventOf(c)
	e.share = s
	e.share.stacks = c.n
	o.issue(b.def, b.def.on().Pulse, e)
}

// countIn returns the part of more that a suppressed pulse logs: only the number of pulses.
func countIn(more string) string {
	if strings.HasPrefix(more, " count=") {
		return more
	}
	return ""
}

// beginBeat starts the first interval now.
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

// fixed returns the duration of an application in ms, after everything that scales it, or 0 if it
// is resisted.
func (d *definition) fixed(a application, percent, period int64) int64 {
	ms := a.duration
	if a.scale != nil {
		x := new(big.Rat).Mul(big.NewRat(ms, 1), a.scale)
		ms = down(x.Add(x, big.NewRat(1, 2)))
	}
	if d.DurationScale != nil {
		ms = halfUp(float64(ms) * max(a.numbers[d.DurationScale].x, 0))
	}
	if ms == 0 {
		return 0
	}
	ms = (ms*percent + 50) / 100 // rounded half up
	if d.MinDuration > 0 {
		ms = max(ms, int64(d.MinDuration))
	}
	if d.MaxDuration > 0 {
		ms = min(ms, int64(d.MaxDuration))
	}
	if d.Tail == "fit" { // round the duration to whole periods
		ms = max((ms+period/2)/period, 1) * period
	}
	return ms
}

func halfUp(x float64) int64 { return int64(x + 0.5) }

// setPeriod changes the period as haste says: at the next refresh (snapshot), with the next
// interval (next), or at once, with the rest of the interval scaled and rounded half up (rescale).
// With haste_duration the remaining time is scaled too.
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
		left := max(scaled(b.beat-now, to, b.period), 1) // never at this ms, which has passed
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
			h.ends = now + max(scaled(h.ends-now, to, old), 1) // of lingering members
		}
		b.end = now + max(scaled(b.end-now, to, old), 1)
		b.full = scaled(b.full, to, old)
		for i := range b.waiting {
			o.all.mark(markQueueHaste)
			b.waiting[i].left = max(scaled(b.waiting[i].left, to, old), 1)
		}
		line += o.endOf(b)
	}
	o.say("%s%s", line, o.nextOf(b))
}

// scaled returns round(n × to/old), half up.
func scaled(n, to, old int64) int64 { return (2*n*to + old) / (2 * old) }

// clock converts an instant of the owner to the buff's clock.
func (b *instance) clock(now int64) int64 {
	if b.local == nil {
		return now
	}
	return b.local.now(now)
}

// told returns key= and an instant of the buff in the world's ms, after a space, or an empty string
// while a clock is stopped.
func (o *owner) told(b *instance, key string, at int64) string {
	own, ok := at, true
	if b.local != nil {
		own, ok = b.local.past(at)
	}
	if !ok {
		return ""
	}
	if at, ok = o.clock.past(own); !ok {
		return ""
	}
	return fmt.Sprintf(" %s=%d", key, at)
}

// endOf returns end= in the world's ms, after a space, or an empty string while the buff is paused.
func (o *owner) endOf(b *instance) string {
	return o.endAt(b, b.last())
}

// endAt returns end= for an end of the buff or of one of its stacks, after a space.
func (o *owner) endAt(b *instance, end int64) string {
	if at, yes := b.lingers(); yes {
		end = at
	} else if b.endless {
		return ""
	}
	return o.told(b, "end", end)
}

// nextOf returns next= in the world's ms, after a space, if there is a next pulse.
func (o *owner) nextOf(b *instance) string {
	at, ok := b.nextPulse()
	ok = ok && (!b.ends() || at <= b.last()) // not after the end of the running application of a queue
	if part, partly := b.nextPartial(); !ok && partly {
		at, ok = part, true
	}
	if !ok {
		return ""
	}
	return o.told(b, "next", at)
}
