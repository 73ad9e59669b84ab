package buff

import (
	"cmp"
	"slices"

	"github.com/bufftick/bufftick/wheel"
)

// With TimersEach, each application to an instance is a layer with an end of its own. They
// pulse together on the instance's beat, and a layer of D ms counts in exactly D/P of the
// pulses, rounded down: not in one that would fall into its last part of a period.

// addLayer adds the stacks of an application that lasts d ms.
func (s *Set) addLayer(t *Turn, i *instance, a *Application, d int64, stacks int16, age uint64) {
	x, now := s.needExtra(i), s.nowOf(t, i)
	l := layer{end: now.Add(d), magnitude: a.Magnitude, source: a.Source, age: age, stacks: stacks, level: int16(a.Level)}
	if i.period > 0 {
		l.last = now.Add(d - d%i.period)
	}
	at, _ := slices.BinarySearchFunc(x.layers, l, layerOrder)
	x.layers = slices.Insert(x.layers, at, l)
	i.end = x.layers[len(x.layers)-1].end
}

// layerOrder orders layers by their ends, and equal ones by age.
func layerOrder(a, b layer) int {
	return cmp.Or(cmp.Compare(a.end, b.end), cmp.Compare(a.age, b.age))
}

// againEach is a further application where each has a timer of its own.
func (s *Set) againEach(t *Turn, at uint16, a *Application, d int64) outcome {
	i, spec := &s.slots[at], a.Spec
	r := outcome{handle: s.handle(at), kind: Stacked}
	room := spec.limit - int32(i.stacks)
	full := room <= 0
	if full && (spec.Stack.Overflow == OverflowDeny || spec.Stack.Overflow == OverflowClear) {
		return s.refuse(t, at, a)
	}
	s.version(t, at, a)
	if full {
		if spec.Stack.Overflow == OverflowAllow {
			r.kind = s.stretch(t, at, d)
			s.overflow(t, a)
			return r
		}
		s.loseLayer(t, at, oldestOf(s.extraOf(i).layers), 1, Overflowed)
		room = 1
	}
	was, n := i.stacks, int16(min(spec.stacks(a), room))
	s.ages++
	i.stacks += n
	i.magnitude = a.Magnitude
	s.reranked(spec)
	s.level(i, a)
	s.addLayer(t, i, a, d, n, s.ages)
	s.renew(t, at, a)
	s.topUp(t, i, a)
	s.touch(at)
	e := s.about(Stacked, at)
	e.End = s.told(t, i, s.nowOf(t, i).Add(d))
	t.emit(s, &e)
	if spec.uses&usesLinks != 0 {
		s.bring(t, i)
	}
	s.cross(t, at, was)
	if spec.First == FirstEvery {
		s.pulse(t, at)
	}
	if full {
		s.overflow(t, a)
	}
	return r
}

// stretch gives the stack that ends first the end of an application too many, if that is
// later: it is a layer of its own from then on.
func (s *Set) stretch(t *Turn, at uint16, d int64) EventKind {
	i := &s.slots[at]
	x, now := s.extraOf(i), s.nowOf(t, i)
	l := x.layers[0]
	if now.Add(d) > l.end {
		if x.layers[0].stacks--; x.layers[0].stacks == 0 {
			x.layers = slices.Delete(x.layers, 0, 1)
		}
		l.end, l.stacks = now.Add(d), 1
		if i.period > 0 {
			l.last = now.Add(d - d%i.period)
		}
		to, _ := slices.BinarySearchFunc(x.layers, l, layerOrder)
		x.layers = slices.Insert(x.layers, to, l)
		i.end = x.layers[len(x.layers)-1].end
		s.touch(at)
	}
	e := s.about(Refreshed, at)
	e.End = s.told(t, i, l.end)
	t.emit(s, &e)
	s.follow(t, i.spec.refresh, s.keptOf(i))
	if i.spec.uses&usesLinks != 0 {
		s.bring(t, i)
	}
	return Refreshed
}

// loseLayer takes n stacks off a layer, which is not the instance's last stack.
func (s *Set) loseLayer(t *Turn, at uint16, k int, n int16, why Reason) {
	s.thin(at, k, n)
	e := s.about(StackEnded, at)
	e.Why = why
	t.emit(s, &e)
}

// thin takes n stacks off a layer.
func (s *Set) thin(at uint16, k int, n int16) {
	i := &s.slots[at]
	x := s.extraOf(i)
	l := &x.layers[k]
	n = min(n, l.stacks)
	i.stacks -= n
	if l.stacks -= n; l.stacks == 0 {
		x.layers = slices.Delete(x.layers, k, k+1)
	}
	if last := len(x.layers) - 1; last >= 0 { // or another one comes at once
		i.end = x.layers[last].end
	}
	s.tune(at)
	s.touch(at)
}

// endLayer ends the layer that ends first.
func (s *Set) endLayer(t *Turn, at uint16, why Reason) {
	s.loseLayer(t, at, 0, MaxStacks, why)
}

// layersOver reports whether the layer that ends first has ended, and is not the last.
func (s *Set) layersOver(i *instance, now wheel.Time) bool {
	if i.spec.Stack.Timers != TimersEach {
		return false
	}
	layers := s.extraOf(i).layers
	return len(layers) > 1 && layers[0].end <= now
}

// shiftLayers moves the ends of all layers.
func (s *Set) shiftLayers(i *instance, ms int64) {
	if i.spec.Stack.Timers != TimersEach {
		return
	}
	layers := s.extraOf(i).layers
	for k := range layers {
		layers[k].stretch(layers[k].end.Add(ms), i.period)
	}
}

// stretch moves the end of a layer: it counts in as many pulses as whole periods of it fit
// now.
func (l *layer) stretch(end wheel.Time, period int64) {
	l.end = end
	if period > 0 {
		part := int64(end-l.last) % period
		if part < 0 {
			part += period
		}
		l.last = end.Add(-part)
	}
}

// setLayers gives all layers the same end.
func (s *Set) setLayers(i *instance, end wheel.Time) {
	if i.spec.Stack.Timers != TimersEach {
		return
	}
	layers := s.extraOf(i).layers
	for k := range layers {
		layers[k].stretch(end, i.period)
	}
	slices.SortFunc(layers, layerOrder)
}

// counting returns how many stacks count in a pulse at an instant of the instance's own
// time, and the sum of their magnitudes: the strongest, if not all are effective.
func (s *Set) counting(i *instance, at wheel.Time) (stacks int32, sum int64) {
	layers := s.extraOf(i).layers
	most := int32(i.spec.Stack.Effective)
	if most == 0 {
		for k := range layers {
			if l := &layers[k]; at <= l.last {
				stacks += int32(l.stacks)
				sum += int64(l.stacks) * l.magnitude
			}
		}
		return stacks, sum
	}
	for below := int64(0); stacks < most; {
		best := strongestBelow(layers, at, below, stacks > 0)
		if best < 0 {
			break
		}
		below = layers[best].magnitude
		for k := range layers {
			if l := &layers[k]; at <= l.last && l.magnitude == below {
				n := min(int32(l.stacks), most-stacks)
				stacks += n
				sum += int64(n) * l.magnitude
			}
		}
	}
	return stacks, sum
}

// sameCount reports whether in two pulses the same stacks count.
func (s *Set) sameCount(i *instance, a, b wheel.Time) bool {
	if i.spec.Stack.Timers != TimersEach {
		return true
	}
	stacks, sum := s.counting(i, a)
	more, total := s.counting(i, b)
	return stacks == more && sum == total
}

// strongestBelow returns a layer of the greatest magnitude of those that count at an
// instant, and, if bounded, are below a bound; -1 if there is none.
func strongestBelow(layers []layer, at wheel.Time, bound int64, bounded bool) int {
	best := -1
	for k := range layers {
		l := &layers[k]
		if at <= l.last && !(bounded && l.magnitude >= bound) && (best < 0 || l.magnitude > layers[best].magnitude) {
			best = k
		}
	}
	return best
}
