package buff

import (
	"slices"

	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/internal/wire"
	"github.com/bufftick/bufftick/wheel"
)

// buffs appends the buffs to be saved, the oldest first.
func (w *saver) buffs() {
	s, n := w.set, len(w.aside.Buffs)
	w.findHeadless()
	for at := range s.used { // in memory order, which has fewer cache misses than the order of age
		if i := s.slot(at); i.def != 0 && w.keeps(i) {
			n++
		}
	}
	w.dst = wire.AppendUint(w.dst, uint64(n))
	for at := s.oldest; at != noSlot; at = s.slot(at).newer {
		if w.keeps(s.slot(at)) {
			w.buff(at)
		}
	}
	w.dst = appendBuffs(w.dst, w.aside.Buffs, blobFormat)
}

// findHeadless finds the heads that are not saved, and the links that have no other heads. These
// links are not saved either, since they would never end. It allocates only if there is such a
// head.
func (w *saver) findHeadless() {
	s, g := w.set, w.set.gates()
	if g == nil || len(g.links) == 0 {
		return
	}
	for again := true; again; {
		again = false
		for at := s.oldest; at != noSlot; at = s.slot(at).newer {
			i := s.slot(at)
			age, lost := s.age(i), !w.keeps(i)
			if slices.Contains(w.headless, age) {
				continue
			}
			if !lost && len(w.headless) > 0 && g.linked(s.handle(at)) > 0 {
				lost = !g.linkedBy(s.handle(at), w.headless)
			}
			if lost && (w.keeps(i) || g.isHead(age)) {
				w.headless, again = append(w.headless, age), true
			}
		}
	}
}

// keeps reports whether an instance is saved. Buffs applied by auras are not: if the aura still
// exists, it applies them again.
func (w *saver) keeps(i *instance) bool {
	if i.flags&member != 0 || len(w.headless) > 0 && slices.Contains(w.headless, w.set.age(i)) {
		return false
	}
	switch spec := w.set.specOf(i); spec.Save.Mode {
	case define.SaveNever:
		return false
	case define.SaveIfRemaining:
		own, _ := w.scale(i)
		return i.end == wheel.Never || offset(i.end, own) >= spec.ifRemaining
	}
	return true
}

// scale returns the instance's time at the moment of saving, and its time scale.
func (w *saver) scale(i *instance) (wheel.Time, savedScale) {
	if i.flags&timeScaled == 0 {
		return w.now, savedScale{}
	}
	p := &w.set.extraOf(i).scale
	outer := max(w.now, p.at) // it may start at the owner's next whole ms
	if p.num == 0 {
		outer = p.at // the start of the pause, see timeScale.ownerZero
	}
	own, to := p.save(outer, define.OfBuff)
	to.Ahead, to.Inner = int64(outer-w.now), offset(own, w.now)
	return own, to
}

// buff appends one instance.
func (w *saver) buff(at uint16) {
	s := w.set
	i := s.slot(at)
	appliers, with := s.gates().appliersOf(at), s.gates().linked(s.handle(at))
	if i.extra == noSlot && i.flags&(timeScaled|deathPaused) == 0 {
		w.dst = s.savePlain(w.dst, i, w.now, appliers, with)
	} else {
		w.fullBuff(i, lengths{appliers: appliers, with: with})
	}
	for k := 0; appliers > 0; k++ {
		if a := s.gates().appliers[k]; a.at == at {
			w.dst = wire.AppendUint(w.dst, uint64(a.source))
			appliers--
		}
	}
	var head linkage
	for range with { // by age
		head = s.gates().nextLinked(s.handle(at), head.head)
		w.dst = wire.AppendUint(w.dst, head.head)
	}
	head = linkage{}
	for range with {
		head = s.gates().nextLinked(s.handle(at), head.head)
		w.dst = wire.AppendInt(w.dst, int64(head.stacks))
	}
}

// savePlain appends an instance without an extra and without a time scale, up to the
// entries of its lists. The result is that of [savedBuff.append]. Most buffs are plain, and
// building a savedBuff for each would be slower.
func (s *Set) savePlain(dst []byte, i *instance, now wheel.Time, appliers, with int) []byte {
	spec, period := s.specOf(i), s.period(i)
	set := uint64(0)
	note := func(is bool, bit uint64) {
		if is {
			set |= bit
		}
	}
	duration := bounded(s.duration(i))
	note(i.level != 0, hasLevel)
	note(i.magnitude != 0, hasMagnitude)
	note(i.hasLeft(spec), hasLeft)
	note(duration != 0, hasDuration)
	note(period != 0, hasNext)
	note(spec.otherPeriod(int(i.level), period) != 0, hasPeriod)
	causes := i.hideCauses()
	note(causes != 0, hasHidden)
	note(spec.Clock == define.Uptime, isUptime)
	note(spec.Clock == define.Wall, isWall)
	note(appliers > 0, hasAppliers)
	note(with > 0, hasWith)

	dst = wire.AppendUint(wire.AppendText(dst, spec.ID), set)
	dst = wire.AppendInt(wire.AppendUint(wire.AppendUint(dst, s.age(i)), uint64(i.source)), int64(i.stacks))
	if i.level != 0 {
		dst = wire.AppendInt(dst, int64(i.level))
	}
	if i.magnitude != 0 {
		dst = wire.AppendInt(dst, i.magnitude)
	}
	if set&hasLeft != 0 {
		dst = wire.AppendInt(dst, bounded(offset(i.end, now)))
	}
	if duration != 0 {
		dst = wire.AppendInt(dst, duration)
	}
	if period != 0 {
		dst = wire.AppendInt(dst, bounded(offset(i.boundary, now)))
	}
	if set&hasPeriod != 0 {
		dst = wire.AppendInt(dst, period)
	}
	if causes != 0 {
		dst = wire.AppendUint(dst, causes)
	}
	if appliers > 0 {
		dst = wire.AppendUint(dst, uint64(appliers))
	}
	if with > 0 {
		dst = wire.AppendUint(dst, uint64(with))
	}
	return dst
}

// hasLeft reports whether a blob has the remaining time of the instance: if it is not infinite,
// and always if its timers are not shared.
func (i *instance) hasLeft(spec *program) bool {
	return i.end != wheel.Never || spec.Stack.Timers != define.TimersShared
}

// otherPeriod returns the period of an instance if it differs from the definition, otherwise 0.
func (s *program) otherPeriod(level int, period int64) int64 {
	if period != s.period && period != s.periodAt(level) {
		return period
	}
	return 0
}

// hideCauses returns the causes that hide the instance, as bits of the blob format.
func (i *instance) hideCauses() (set uint64) {
	if i.flags&hidden != 0 {
		for k, f := range causeFlags {
			if i.flags&f != 0 {
				set |= 1 << k
			}
		}
	}
	return set
}

// fullBuff appends an instance of any kind.
func (w *saver) fullBuff(i *instance, lists lengths) {
	own, scale := w.scale(i)
	s := w.set
	spec := s.specOf(i)
	left, next := bounded(offset(i.end, own)), bounded(offset(i.boundary, own))
	b := savedBuff{
		ID: spec.ID, Age: s.age(i), Source: i.source, Stacks: int64(i.stacks), Level: int64(i.level), Magnitude: i.magnitude,
		Duration: bounded(s.duration(i)), Dead: i.flags&deathPaused != 0, causes: i.hideCauses(),
	}
	if spec.Clock != define.Online {
		b.Clock = spec.Clock.String()
	}
	if i.hasLeft(spec) {
		b.Left = &left
	}
	if period := s.period(i); period != 0 {
		b.Next, b.Period = &next, spec.otherPeriod(int(i.level), period)
	}
	if i.flags&timeScaled != 0 {
		b.Scale = &scale
	}
	if i.extra == noSlot {
		w.dst = b.append(w.dst, lists)
		return
	}
	w.extra(i, &b, own, lists)
}

// extra appends an instance with an extra.
func (w *saver) extra(i *instance, b *savedBuff, own wheel.Time, lists lengths) {
	s := w.set
	x, spec := s.extraOf(i), s.specOf(i)
	b.Wanted, b.Length, b.Charges, b.Owed = x.pendingPeriod, x.currentPeriod, int64(x.charges), int64(x.pendingPulses)
	if spec.Stack.By == define.ByKey {
		b.Key = x.key
	}
	if spec.Shield.On && spec.Stack.Timers != define.TimersEach {
		b.Shield = &x.shield
	}
	k := s.magnitudesOf(i)
	lists.params, lists.numbers, lists.captures = spec.lists(k.captured)
	switch spec.Stack.Timers {
	case define.TimersEach:
		lists.async = len(x.async)
	case define.TimersQueue:
		lists.waiting = len(x.async)
		b.Running = x.running - s.age(i)
	}
	w.dst = b.append(w.dst, lists)
	for j := range x.async {
		l := &x.async[j]
		to := savedStack{
			Left: bounded(l.left), Magnitude: l.magnitude, Source: l.source, Age: l.age - s.age(i), Stacks: int64(l.stacks), Level: int64(l.level),
			Charges: int64(l.charges),
		}
		if spec.Shield.On {
			to.Shield = &l.shield
		}
		if lists.async > 0 {
			to.Left, to.Lag = bounded(offset(l.end, own)), min(l.lag, define.MaxDuration.Milliseconds())
		}
		w.dst = to.append(w.dst, blobFormat)
		w.dst = saveOwnNumbers(w.dst, spec, k, l)
	}
	w.dst = saveNumbers(w.dst, spec, k.values, k.captured)
}

// lists returns the lengths of the lists of numbers of an application.
func (s *program) lists(known []Captured) (params, numbers, captures int) {
	return len(s.Params), len(s.numbers) - len(s.Params), len(known)
}

// saveOwnNumbers appends the numbers of an async stack or a waiting application, like
// [savedNumbers.append].
func saveOwnNumbers(dst []byte, spec *program, k *magnitudes, l *asyncStack) []byte {
	if l.numbers == 0 {
		return append(dst, 0, 0, 0)
	}
	w := k.waitingOf(l)
	params, numbers, captures := spec.lists(w.captured)
	for _, n := range [...]int{params, numbers, captures} {
		dst = wire.AppendUint(dst, uint64(n))
	}
	return saveNumbers(dst, spec, w.values, w.captured)
}

// saveNumbers appends the numbers of an application, by name.
func saveNumbers(dst []byte, spec *program, values []float64, known []Captured) []byte {
	for j := range spec.numbers {
		dst = appendValue(dst, "", spec.numbers[j].name, values[j])
	}
	for _, c := range known {
		dst = appendValue(dst, captureWords[c.when], spec.catalog.schema.At(c.attr).Name, c.value)
	}
	return dst
}

// captureWords are the prefixes for the names of captured attributes, by snapshot.
var captureWords = [...]string{define.SnapshotCast: "cast:", define.SnapshotApply: "apply:"}

// bounded clamps a span in ms to the limits of a blob.
func bounded(ms int64) int64 { return min(max(ms, -farthest), farthest) }
