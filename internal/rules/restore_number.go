package rules

import (
	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/state"
)

// placeBases restores the bases of attributes.
func (r *restorer) placeBases() {
	catalog := r.catalog
	for _, b := range r.saved.Bases {
		a, ok := catalog.Attr(b.Name)
		if !ok {
			r.keepAside().Bases = append(r.aside.Bases, b)
			continue
		}
		if err := r.set.ensureRare().ensureSheet(catalog).SetBase(a, float64(b.Value)); err != nil {
			panic("rules: a base that was checked: " + err.Error())
		}
	}
}

// numbers restores the numbers of a buff and of its waiting applications, by name. A number that is
// not saved is evaluated. If an input of the evaluation is missing, the number gets its default, or
// zero: unlike an application, a restore cannot deny a buff.
func (r *restorer) numbers(c *comeback) {
	spec, b := c.spec, c.saved
	if spec.Uses&(compile.UsesMagnitudes|compile.UsesNumbers) == 0 {
		c.noNumbers()
		return
	}
	q := evaluator{set: r.set, turn: r.turn, spec: c.spec, own: c.i.source == r.set.id, level: int(c.i.level), stacks: int32(c.i.stacks), magnitude: c.i.magnitude}
	had := &b.Numbers
	if c.ran > 0 { // a waiting application has started during the time away
		had = &b.Waiting[c.ran-1].Numbers
	}
	q.captured = r.savedCaptures(spec, had)
	if spec.Rereads {
		q.captured = reread(r.turn, r.set, q.captured, spec, c.i.source)
		r.set.ensureRare().rereads = true
	}
	if c.x.shield == toWorkOut {
		c.x.shield = wholePool(r.evaluate(spec.PoolBy, &q))
	}
	r.pools(c)
	if spec.Uses&compile.UsesMagnitudes == 0 {
		c.noNumbers()
		return
	}
	k := r.newKept(len(spec.Modifiers))
	k.captured, k.values = q.captured, r.valuesOf(spec, had, &q)
	r.numbersWaiting(c, k)
	c.x.magnitudes = k
}

// pools evaluates those shields of async stacks and of waiting applications that are not saved.
func (r *restorer) pools(c *comeback) {
	for k := range c.x.async {
		if l := &c.x.async[k]; l.shield == toWorkOut {
			q := evaluator{set: r.set, turn: r.turn, spec: c.spec, own: l.source == r.set.id, level: int(l.level), stacks: max(int32(l.stacks), 1), magnitude: l.magnitude}
			l.shield = wholePool(r.evaluate(c.spec.PoolBy, &q))
		}
	}
}

// noNumbers marks all async stacks and waiting applications as having no separate numbers.
func (c *comeback) noNumbers() {
	for k := range c.x.async {
		c.x.async[k].numbers = 0
	}
}

// numbersWaiting restores the numbers of waiting applications.
func (r *restorer) numbersWaiting(c *comeback, k *magnitudes) {
	switch {
	case c.spec.Stack.Timers == define.TimersEach && len(c.spec.Numbers) > 0:
		r.numbersEach(c, k)
		return
	case c.spec.Stack.Timers != define.TimersQueue, len(c.x.async) == 0:
		c.noNumbers()
		return
	}
	waiting := make([]waitingNumbers, len(c.x.async))
	for j := range c.x.async {
		l := &c.x.async[j]
		had := &c.saved.Waiting[l.numbers-1].Numbers
		q := evaluator{set: r.set, turn: r.turn, spec: c.spec, own: l.source == r.set.id, level: int(l.level), stacks: 1, magnitude: l.magnitude}
		q.captured = r.savedCaptures(c.spec, had)
		waiting[j] = waitingNumbers{values: r.valuesOf(c.spec, had, &q), captured: q.captured, used: true}
		l.numbers = uint16(j + 1)
	}
	k.waiting = &waiting
}

// numbersEach restores the separate numbers of async stacks. A stack without saved numbers uses the
// numbers of the buff.
func (r *restorer) numbersEach(c *comeback, k *magnitudes) {
	if len(c.saved.Async) == 0 {
		c.noNumbers()
		return
	}
	own := make([]waitingNumbers, len(c.saved.Async))
	// c.counted may also have stacks that have ended and are no longer in c.x.async.
	for _, list := range [][]asyncStack{c.counted, c.x.async} {
		for j := range list {
			l := &list[j]
			if l.numbers == 0 {
				continue
			}
			w, had := &own[l.numbers-1], &c.saved.Async[l.numbers-1].Numbers
			if len(had.Params)+len(had.Others) == 0 {
				l.numbers = 0
				continue
			}
			q := evaluator{set: r.set, turn: r.turn, spec: c.spec, own: l.source == r.set.id, level: int(l.level), stacks: int32(c.i.stacks), magnitude: l.magnitude}
			q.captured = r.savedCaptures(c.spec, had)
			*w = waitingNumbers{values: r.valuesOf(c.spec, had, &q), captured: q.captured, used: true}
		}
	}
	k.waiting = &own
}

// valuesOf returns the saved numbers of an application, in the order of the definition.
func (r *restorer) valuesOf(spec *compile.Program, had *state.Numbers, q *evaluator) []float64 {
	from := len(r.values)
	for j := range spec.Numbers {
		n, list := &spec.Numbers[j], had.Others
		if j < len(spec.Params) {
			list = had.Params
		}
		v, ok := savedOf(list, n.Name)
		if !ok && n.From != compile.FromLive { // an unsaved FromLive stays 0, so that the formula is not evaluated again
			v = r.evaluate(n, q)
		}
		r.values = append(r.values, v)
	}
	return r.values[from:len(r.values):len(r.values)]
}

// evaluate evaluates a number that was not saved. If that fails, it returns the default of the
// number.
func (r *restorer) evaluate(n *compile.Number, q *evaluator) float64 {
	v, why := q.evaluate(n)
	if why != reason.None {
		return n.Value
	}
	return v
}

// savedOf returns the saved value with that name, and reports whether the value exists and is
// finite.
func savedOf(list []state.Value, name string) (float64, bool) {
	for k := range list {
		if v := float64(list[k].Value); list[k].Name == name && compile.Finite(v) {
			return v, true
		}
	}
	return 0, false
}

// newKept returns the next of the magnitudes that placeMemory has allocated, with room for the
// given number of keys.
func (r *restorer) newKept(keys int) *magnitudes {
	r.magnitudes = append(r.magnitudes, magnitudes{keys: r.keys[:0:keys]})
	k := &r.magnitudes[len(r.magnitudes)-1]
	r.keys = r.keys[keys:]
	return k
}

// savedCaptures returns the saved attributes of the source that the definition reads.
func (r *restorer) savedCaptures(s *compile.Program, b *state.Numbers) []buff.Captured {
	from := len(r.captured)
	for j := range b.Captures {
		a, when, ok := s.Catalog.CaptureNamed(b.Captures[j].Name)
		if _, twice := findCaptured(r.captured[from:], a, when); ok && !twice && s.Wants(a, when) {
			r.captured = append(r.captured, buff.Captured{Attr: a, When: when, Value: float64(b.Captures[j].Value)})
		}
	}
	return r.captured[from:len(r.captured):len(r.captured)]
}
