package buff

import "github.com/bufftick/bufftick/wheel"

// saveBuffs writes the buffs that are kept, the oldest first.
func (s *Set) saveBuffs(dst []byte, aside *saved, now wheel.Time) []byte {
	n := len(aside.Buffs)
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if s.keeps(&s.slots[at], now) {
			n++
		}
	}
	dst = appendUint(dst, uint64(n))
	for at := s.oldest; at != noSlot; at = s.slots[at].newer {
		if i := &s.slots[at]; s.keeps(i, now) {
			dst = s.saveBuff(dst, i, now)
		}
	}
	return appendBuffs(dst, aside.Buffs)
}

// keeps reports whether an instance is in a blob.
func (s *Set) keeps(i *instance, now wheel.Time) bool {
	if i.flags&member != 0 {
		return false
	}
	switch i.spec.Save.Mode {
	case SaveNever:
		return false
	case SaveIfRemaining:
		own, _ := s.savePace(i, now)
		return i.end == wheel.Never || offset(i.end, own) >= i.spec.ifRemaining
	}
	return true
}

// savePace returns the instance's own time at the moment of saving, and how it goes on.
func (s *Set) savePace(i *instance, now wheel.Time) (wheel.Time, savedPace) {
	if i.flags&paced == 0 {
		return now, savedPace{}
	}
	p := &s.extraOf(i).pace
	outer := max(now, p.at) // it may begin at the next whole ms of its owner
	own, to := p.save(outer, OfBuff)
	to.Ahead, to.Inner = int64(outer-now), offset(own, now)
	return own, to
}

// saveBuff writes one instance.
func (s *Set) saveBuff(dst []byte, i *instance, now wheel.Time) []byte {
	own, pace := s.savePace(i, now)
	left, next := bounded(offset(i.end, own)), bounded(offset(i.beat, own))
	b := savedBuff{
		ID: i.spec.ID, Age: i.age, Source: i.source, Stacks: int64(i.stacks), Level: int64(i.level), Magnitude: i.magnitude,
		Duration: bounded(i.duration), Dead: i.flags&deathPaused != 0,
	}
	if i.spec.Clock != Online {
		b.Clock = i.spec.Clock.String()
	}
	if i.end != wheel.Never || i.spec.Stack.Timers != TimersShared { // with other timers there is one, if beyond all time
		b.Left = &left
	}
	if i.period != 0 {
		b.Next = &next
		if i.period != i.spec.period && i.period != i.spec.periodAt(int(i.level)) {
			b.Period = i.period
		}
	}
	for k, f := range causeFlags {
		if i.flags&f != 0 {
			b.causes |= 1 << k
		}
	}
	if i.flags&paced != 0 {
		b.Pace = &pace
	}
	if i.extra == noSlot {
		return b.append(dst, lengths{})
	}
	return s.saveExtra(dst, i, &b, own)
}

// saveExtra writes an instance that is not plain.
func (s *Set) saveExtra(dst []byte, i *instance, b *savedBuff, own wheel.Time) []byte {
	x, spec := s.extraOf(i), i.spec
	b.Wanted, b.Length, b.Charges, b.Owed = x.wanted, x.length, int64(x.charges), int64(x.owed)
	if spec.Stack.By == ByKey {
		b.Key = x.key
	}
	if spec.Shield.On {
		b.Shield = &x.shield
	}
	k := s.keptOf(i)
	lists := lengths{params: len(spec.Params), numbers: len(spec.numbers) - len(spec.Params), captures: len(k.captured)}
	switch spec.Stack.Timers {
	case TimersEach:
		lists.layers = len(x.layers)
	case TimersQueue:
		lists.waiting = len(x.layers)
		b.Running = x.running - i.age
	}
	dst = b.append(dst, lists)
	for k := range x.layers {
		l := &x.layers[k]
		to := savedLayer{
			Left: bounded(l.left), Magnitude: l.magnitude, Source: l.source, Age: l.age - i.age, Stacks: int64(l.stacks), Level: int64(l.level),
		}
		if lists.layers > 0 {
			to.Left = bounded(offset(l.end, own))
			if i.period > 0 {
				to.Last = bounded(offset(l.last, own))
			}
		}
		dst = to.append(dst)
	}
	for j := range spec.numbers {
		dst = appendValue(dst, "", spec.numbers[j].name, k.values[j])
	}
	for _, c := range k.captured {
		dst = appendValue(dst, captureWords[c.when], spec.catalog.schema.At(c.attr).Name, c.value)
	}
	return dst
}

// captureWords stand before the name of a captured attribute, by its snapshot.
var captureWords = [...]string{SnapshotCast: "cast:", SnapshotApply: "apply:"}

// bounded keeps a span within what a blob may say.
func bounded(ms int64) int64 { return min(max(ms, -farthest), farthest) }
