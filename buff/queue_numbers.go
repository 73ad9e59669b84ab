package buff

// Each application in a queue has numbers of its own: those that were worked out when it came,
// and what was known of its source. Those of the one that runs are the instance's; the others
// lie beside them, and change places with them when another one runs.

// waitingNumbers are those of one that waits. They are used again, with their memory.
type waitingNumbers struct {
	values   []float64
	captured []Captured
	used     bool
}

// shelf returns room for the numbers of one that waits, and its number, counted from 1.
func (k *magnitudes) shelf() (*waitingNumbers, uint16) {
	if k.waiting == nil {
		k.waiting = new([]waitingNumbers)
	}
	for j := range *k.waiting {
		if w := &(*k.waiting)[j]; !w.used {
			w.used = true
			return w, uint16(j + 1)
		}
	}
	w := put(k.waiting, waitingNumbers{used: true})
	return w, uint16(len(*k.waiting))
}

// clearShelves forgets the numbers of all that wait, but not the memory of the lists.
func (k *magnitudes) clearShelves() {
	if k.waiting == nil {
		return
	}
	for j := range *k.waiting {
		(*k.waiting)[j].clear()
	}
}

func (w *waitingNumbers) clear() {
	*w = waitingNumbers{values: w.values[:0], captured: w.captured[:0]}
}

// waitingOf returns the numbers of one that waits, which has some.
func (k *magnitudes) waitingOf(l *asyncStack) *waitingNumbers { return &(*k.waiting)[l.numbers-1] }

// unshelve forgets the numbers of one that does not wait any more.
func (k *magnitudes) unshelve(l *asyncStack) {
	if l.numbers == 0 {
		return
	}
	k.waitingOf(l).clear()
	l.numbers = 0
}

// swap gives the instance the numbers of one that waited, and that one those of the instance.
func (k *magnitudes) swap(w *waitingNumbers) {
	k.values, w.values = w.values, k.values
	k.captured, w.captured = w.captured, k.captured
}

// shelve keeps the numbers of an application that waits, which have been worked out.
func (s *Set) shelve(t *Turn, i *instance, a *Application, l *asyncStack) {
	if a.Spec.uses&usesMagnitudes == 0 {
		return
	}
	w, n := s.extraOf(i).needMagnitudes().shelf()
	l.numbers = n
	w.values = append(w.values[:0], t.worked.values...)
	w.captured = w.captured[:0]
	if a.Source != s.owner { // who is there to be asked
		w.captured = a.Spec.known(w.captured, a.Captured)
	}
}

// known appends what of a source is known that the definition reads.
func (s *Spec) known(dst, of []Captured) []Captured {
	for _, c := range s.captures {
		if v, ok := captured(of, c.attr, c.when); ok {
			dst = append(dst, Captured{c.attr, c.when, v})
		}
	}
	return dst
}

// stepAside puts what runs among those that wait, with what it has left, before another one runs.
func (s *Set) stepAside(i *instance, left int64) {
	x := s.extraOf(i)
	l := asyncStack{left: left, magnitude: i.magnitude, source: i.source, age: x.running, level: i.level}
	if i.spec.uses&usesMagnitudes != 0 {
		k := x.needMagnitudes()
		w, n := k.shelf()
		l.numbers = n
		k.swap(w)
	}
	x.async = append(x.async, l)
}

// reviseQueue makes an instance with a queue one of the application's version: the numbers of all
// its applications are worked out anew by that, with what each keeps. Those of the application
// that comes stay as they were worked out.
func (s *Set) reviseQueue(t *Turn, at uint16, a *Application) {
	i := &s.slots[at]
	if i.spec == a.Spec {
		return
	}
	w := &t.worked
	pool := w.pool
	w.coming = append(w.coming[:0], w.values...)
	s.reworkWaiting(t, i, a.Spec)
	running := Application{Spec: a.Spec, Source: i.source, Magnitude: i.magnitude, Captured: t.inherit(s.magnitudesOf(i))}
	s.rework(t, i, &running)
	shield, shielded := int64(0), i.spec.Shield.On
	if shielded {
		shield = s.extraOf(i).shield
	}
	s.takeVersion(t, at, &running)
	if shielded && a.Spec.Shield.On {
		s.extraOf(i).shield = shield // the application that comes fills it up
	}
	w.values, w.pool = append(w.values[:0], w.coming...), pool
}

// reworkWaiting works out the numbers of another version for those that wait.
func (s *Set) reworkWaiting(t *Turn, i *instance, spec *Spec) {
	if (i.spec.uses|spec.uses)&usesMagnitudes == 0 {
		return
	}
	x := s.needExtra(i)
	k := x.needMagnitudes()
	for j := range x.async {
		l := &x.async[j]
		if l.numbers == 0 {
			_, l.numbers = k.shelf()
		}
		w := k.waitingOf(l)
		s.reworkValues(t, i.spec, spec, w.values, &asked{
			captured: w.captured, own: l.source == s.owner, level: int(l.level), stacks: 1, magnitude: l.magnitude,
		})
		if spec.uses&usesMagnitudes == 0 {
			k.unshelve(l)
			continue
		}
		w.values = append(w.values[:0], t.worked.values...)
		w.captured = spec.known(nil, w.captured)
	}
}
