package judge

// Section 1.1 of the rules: time.

import (
	"fmt"
	"math/big"
	"slices"
	"strings"
)

// instance is one running buff of the owner. Its times are in the buff's own time unless a comment
// says otherwise.
type instance struct {
	age    int64
	def    *definition
	source string
	others []string // sources of the applications in effect
	key    int64
	level  int

	magnitude int64
	stacks    int     // number of stacks, if they share one timer
	layers    []layer // the applications, with `timers: each`
	waiting   []wait  // the waiting applications, with `timers: queue`
	turn      int64   // the age of the running application, with `timers: queue`
	endless   bool
	end       int64
	full      int64 // the duration that starts again when only some stacks end

	period int64 // the period of the current interval
	coming int64 // the period of the next interval; `haste: next` changes only this field
	later  int64 // the period after the next refresh, for `haste: snapshot`; 0 means no change
	from   int64 // the start of the current interval
	beat   int64 // the end of the current interval, when the buff pulses

	content                      // content of the last application; with `timers: each` only the numbers are used
	known    *knowledge          // the known attributes of the source
	modified map[*number]float64 // the last value of each modifier
	given    int64               // position in the order in which the modifiers of the owner's buffs took effect

	recharging bool  // a charge will come back
	charged    int64 // if recharging is set: when

	inhibited      bool   // the game makes the ongoing requirement fail
	failed         bool   // the ongoing requirement fails
	shaded         bool   // without effect for a reason other than an immunity
	silenced       bool   // without effect because of an immunity
	hidden         bool   // the log has a "hide" line for the buff, and no "show" line after it
	halted         bool   // paused by the step pause_buff
	stoppedByDeath bool   // paused by the death of its owner
	local          *clock // converts the owner's time to the buff's time; nil if they are equal
	ties           []tie  // if the buff is a link: its heads
	gone           bool
	tested, met    bool // the condition of on.when has been tested, and held at the last test
	mark           func(rule string)

	ofAura   bool  // an aura has applied the buff
	look     int64 // if the buff has an aura: time of its next search, in ms of the world's time
	started  int64 // the start, in the buff's own time
	vars     map[string]float64
	absorbed int64 // the damage that its shield has absorbed

	born  int64   // position in the order in which the auras started
	holds []*hold // if an aura has applied the buff: its bearers
	late  missing // due pulses of this frame that a later pulse will include
}

// tie is one head of a link, with the number of stacks that the head has added.
type tie struct {
	head   *instance
	stacks int
}

// tie records that the given head has started the buff or added stacks to it. It has no effect if
// the head is nil.
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

// hasLink reports whether the owner has a running buff of the given definition that is tied to b.
func (b *instance) hasLink(o *owner, id string) bool {
	return slices.ContainsFunc(o.buffs, func(c *instance) bool { return c.def.ID == id && c.tiedTo(b) })
}

func (b *instance) tiedTo(head *instance) bool {
	return slices.ContainsFunc(b.ties, func(t tie) bool { return t.head == head })
}

// isLink reports whether the buff is tied to a head that still runs.
func (b *instance) isLink() bool {
	return slices.ContainsFunc(b.ties, func(t tie) bool { return !t.head.gone })
}

// standing reports whether the clock of the buff is stopped.
func (b *instance) standing() bool { return b.local != nil && b.local.held }

// outer converts an instant of the buff's own time to the owner's time.
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

// last returns the time at which the whole buff ends.
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

// nextPulse returns the time of the next pulse, which is the end of the current interval. The
// second result is false if the buff has no further pulse.
func (b *instance) nextPulse() (int64, bool) {
	if b.period == 0 || !b.endless && b.beat > b.last() && len(b.waiting) == 0 {
		return 0, false
	}
	return b.beat, true
}

// nextPartial returns the time of the pulse that `tail: partial` causes for the last part of a
// period. The pulse is due at the end of the buff and runs before the end, because a pulse has the
// lower rank.
func (b *instance) nextPartial() (int64, bool) {
	end := b.last()
	if !b.hasPartial() || b.from >= end || b.beat <= end || b.beat-b.period >= end {
		return 0, false
	}
	return end, true
}

// hasPartial reports whether the last part of a period pulses at the end. It does not if only some
// stacks end, or if another application waits: then the beats continue.
func (b *instance) hasPartial() bool {
	return b.def.Tail == "partial" && b.period != 0 && b.ends() && !b.each() && (b.endless || b.stacksAfterEnd() == 0 && len(b.waiting) == 0)
}

// pulseDue runs the pulse at the end of the current interval, and starts the next interval.
func (o *owner) pulseDue(b *instance) {
	c := b.due()
	if rate := b.def.Haste.rate; rate != nil && b.def.Haste.word() == "next" {
		o.rereadRate(b)
		old := b.coming
		if to := b.def.hastened(b.def.everyMS(b.level, b.numbers), b.numbers); to != old {
			o.catchesUp(b)
			o.all.mark(markRateNext)
			b.coming = to
			o.nextBeat(b)
			if b.ends() && b.last() == b.from { // the buff ends with this pulse
				o.say("period %s%s", b.def.ID, o.nextOf(b))
			} else {
				o.hastened(b, b.from, to, old)
			}
			if c.n > 0 {
				o.pulseOfFrame(b, c)
			}
			return
		}
	}
	o.nextBeat(b)
	if c.n > 0 {
		o.pulseOfFrame(b, c)
	}
}

// nextBeat starts the next interval at the end of the current interval.
func (o *owner) nextBeat(b *instance) {
	b.from, b.period = b.beat, b.coming
	b.beat = o.boundary(b, b.beat)
	if b.hasPartial() && b.from == b.last() { // after the last pulse a new period starts, if the buff lives on
		b.beat = b.from + b.period
	}
	for i := range b.layers {
		b.layers[i].own += b.beat - b.from
	}
}

// boundary returns the end of an interval that starts at the given time. With `align: owner`,
// intervals end at multiples of the period in the owner's time, so that all buffs with the same
// period pulse together.
func (o *owner) boundary(b *instance, from int64) int64 {
	if b.def.Align != "owner" {
		return from + b.period
	}
	zero := int64(0)
	// The buff's own time at the owner's time 0, extrapolated with the present rate.
	if b.local != nil {
		x := new(big.Rat).Mul(big.NewRat(b.local.outer, 1), b.local.rate)
		zero = up(x.Sub(b.local.inner, x))
	}
	k := (from - zero) / b.period
	if (from-zero)%b.period < 0 {
		k--
	}
	return (k+1)*b.period + zero
}

// partial runs the pulse for a part of an interval, and ends this interval. If the buff continues,
// a new interval starts.
func (o *owner) partial(b *instance) {
	o.catchesUp(b)
	elapsed, period := b.period-(b.beat-b.last()), b.period
	fraction := fmt.Sprintf(" fraction=%d/%d", elapsed, period)
	b.from, b.period = b.last(), b.coming
	b.beat = b.from + b.period
	o.pulseFor(b, b.active(), fraction, share{elapsed: elapsed, period: period})
}

// pulse runs one whole pulse now. The stacks in c take part in it.
func (o *owner) pulse(b *instance, c counted, more string) { o.pulseFor(b, c, more, share{}) }

// pulseFor runs a pulse that represents a part of a period or several pulses, as the share s says.
// Buffs that the pulse applies get the magnitude of b. With `timers: each`, they get the sum of the
// magnitudes of the stacks that take part. If a failed requirement, an immunity or a stronger buff
// keeps b from having an effect, the pulse is only logged as suppressed.
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
	// With `snapshot: pulse`, read the attributes again at each pulse.
	for i := range b.def.on().Pulse {
		a := b.def.on().Pulse[i]
		for _, change := range []*change{a.Change, a.Damage} {
			if change != nil && change.By.Snapshot == "pulse" {
				b.numbers[&change.By] = amount{x: change.By.reads(o.value(change.By.Attr))}
			}
		}
	}
	if list := b.def.on().Pulse; slices.ContainsFunc(list, func(a action) bool { return a.Remove.Buff.ID == b.def.ID }) &&
		slices.ContainsFunc(list, func(a action) bool { return a.Apply.ID == b.def.ID }) {
		o.all.mark(markReplacesItself)
	}
	e := b.eventOf(c)
	e.share = s
	e.share.stacks = c.n
	o.issue(b.def, b.def.on().Pulse, e)
}

// countIn returns what to append to the log line of a suppressed pulse: the argument if it has the
// form " count=N", and otherwise "".
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

// fixed returns the final duration of an application in ms, after all scaling and rounding. It
// returns 0 if the application is resisted.
func (d *definition) fixed(a application, percent, period int64, level int) int64 {
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
	ms = d.shortened(ms, level, a.numbers)
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

// setPeriod changes the period, as the field `haste` says. With `haste: snapshot` the change takes
// effect at the next refresh, with `haste: next` at the next interval. With `haste: rescale` it
// takes effect at once, and the rest of the current interval is scaled and rounded half up. With
// `haste_duration` the remaining duration is also scaled.
func (o *owner) setPeriod(id string, to int64) {
	b := o.oldest(id)
	if b == nil || b.period == 0 || b.def.Haste.rate != nil {
		return
	}
	o.hasten(b, to)
}

// hasten changes the period: see setPeriod.
func (o *owner) hasten(b *instance, to int64) {
	old, now := b.coming, b.clock(o.own)
	switch b.def.Haste.word() {
	case "snapshot":
		b.later = to
	case "next":
		b.coming = to
	case "rescale":
		left := max(scaled(b.beat-now, to, b.period), 1) // at least 1; the events of the present ms have already run
		for i := range b.layers {
			l := &b.layers[i]
			l.own = now + scaled(l.own-now, to, b.period)
		}
		b.beat = now + left
		b.from = b.beat - to
		b.period, b.coming = to, to
	}
	o.hastened(b, now, to, old)
}

// hastened scales the remaining duration of a buff whose period has changed, if `haste_duration`
// says so, and logs the change.
func (o *owner) hastened(b *instance, now, to, old int64) {
	line := "period " + b.def.ID
	if b.def.HasteDuration && b.ends() && b.def.Haste.word() != "snapshot" {
		for _, h := range b.holds {
			// Scale the linger time, if the owner has left the aura.
			h.ends = now + max(scaled(h.ends-now, to, old), 1)
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

// scaled returns n × to/old, rounded half up.
func scaled(n, to, old int64) int64 { return (2*n*to + old) / (2 * old) }

// clock converts an instant of the owner's time to the buff's own time.
func (b *instance) clock(now int64) int64 {
	if b.local == nil {
		return now
	}
	return b.local.now(now)
}

// told returns the log field for an instant of the buff's own time. It consists of a space, the
// key, "=" and the instant in ms of the world's time. If the clock of the buff or of the owner is
// stopped, "told" returns "".
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

// endOf returns the field " end=" of a log line for the end of the buff, or "" while the buff is
// paused.
func (o *owner) endOf(b *instance) string {
	return o.endAt(b, b.last())
}

// endAt is like endOf, but for the given end, which may be the end of a single stack.
func (o *owner) endAt(b *instance, end int64) string {
	if at, yes := b.lingers(); yes {
		end = at
	} else if b.endless {
		return ""
	}
	return o.told(b, "end", end)
}

// nextOf returns the field " next=" of a log line for the next pulse, or "" if there is no next
// pulse.
func (o *owner) nextOf(b *instance) string {
	at, ok := b.nextPulse()
	// In a queue, the pulse must not be after the end of the running application.
	ok = ok && (!b.ends() || at <= b.last())
	if part, partly := b.nextPartial(); !ok && partly {
		at, ok = part, true
	}
	if !ok {
		return ""
	}
	return o.told(b, "next", at)
}
