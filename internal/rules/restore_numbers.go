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
			r.ensureAside().Bases = append(r.aside.Bases, b)
			continue
		}
		if err := r.set.ensureRare().ensureSheet(catalog).SetBase(a, float64(b.Value)); err != nil {
			panic("rules: a base that was checked: " + err.Error())
		}
	}
}

// restoreNumbers restores the numbers of a buff and of its waiting applications, by name. A number that is
// not saved is evaluated. If an input of the evaluation is missing, the number gets its default, or
// zero: unlike an application, a restore cannot deny a buff.
func (r *restorer) restoreNumbers(c *restoredBuff) {
	spec, b := c.spec, c.saved
	if spec.Uses&(compile.UsesMagnitudes|compile.UsesNumbers) == 0 {
		c.clearNumbers()
		return
	}
	q := r.evaluator(spec, c.i.source, c.i.level, int32(c.i.stacks), c.i.magnitude)
	had := &b.Numbers
	if c.startedWaiting > 0 { // a waiting application has started during the time away
		had = &b.Waiting[c.startedWaiting-1].Numbers
	}
	q.captured = r.restoreCaptures(spec, had)
	if spec.Rereads {
		q.captured = reread(r.turn, r.set, q.captured, spec, c.i.source)
		r.set.ensureRare().rereads = true
	}
	if c.x.shield == unknownShield {
		c.x.shield = wholePool(r.evaluate(spec.PoolBy, &q))
	}
	r.restorePools(c)
	if spec.Uses&compile.UsesMagnitudes == 0 {
		c.clearNumbers()
		return
	}
	k := r.allocMagnitudes(len(spec.Modifiers))
	k.captured, k.values = q.captured, r.restoreValues(spec, had, &q)
	r.restoreWaitingNumbers(c, k)
	c.x.magnitudes = k
}

// evaluator returns an evaluator for an application.
func (r *restorer) evaluator(spec *compile.Program, source buff.OwnerID, level int16, stacks int32, magnitude int64) evaluator {
	return evaluator{set: r.set, turn: r.turn, spec: spec, own: source == r.set.id, level: int(level), stacks: stacks, magnitude: magnitude}
}

// ownNumbers returns the numbers of an async stack or a waiting application.
func (r *restorer) ownNumbers(spec *compile.Program, l *asyncStack, had *state.Numbers, stacks int32) waitingNumbers {
	q := r.evaluator(spec, l.source, l.level, stacks, l.magnitude)
	q.captured = r.restoreCaptures(spec, had)
	return waitingNumbers{values: r.restoreValues(spec, had, &q), captured: q.captured, used: true}
}

// restorePools evaluates those shields of async stacks and of waiting applications that are not saved.
func (r *restorer) restorePools(c *restoredBuff) {
	for k := range c.x.async {
		if l := &c.x.async[k]; l.shield == unknownShield {
			q := r.evaluator(c.spec, l.source, l.level, max(int32(l.stacks), 1), l.magnitude)
			l.shield = wholePool(r.evaluate(c.spec.PoolBy, &q))
		}
	}
}

// clearNumbers marks all async stacks and waiting applications as having no separate numbers.
func (c *restoredBuff) clearNumbers() {
	for k := range c.x.async {
		c.x.async[k].numbers = 0
	}
}

// restoreWaitingNumbers restores the numbers of waiting applications.
func (r *restorer) restoreWaitingNumbers(c *restoredBuff, k *magnitudes) {
	switch {
	case c.spec.Stack.Timers == define.TimersEach && len(c.spec.Numbers) > 0:
		r.restoreAsyncNumbers(c, k)
		return
	case c.spec.Stack.Timers != define.TimersQueue, len(c.x.async) == 0:
		c.clearNumbers()
		return
	}
	waiting := make([]waitingNumbers, len(c.x.async))
	for j := range c.x.async {
		l := &c.x.async[j]
		had := &c.saved.Waiting[l.numbers-1].Numbers
		waiting[j] = r.ownNumbers(c.spec, l, had, 1)
		l.numbers = uint16(j + 1)
	}
	k.waiting = &waiting
}

// restoreAsyncNumbers restores the separate numbers of async stacks. A stack without saved numbers uses the
// numbers of the buff.
func (r *restorer) restoreAsyncNumbers(c *restoredBuff, k *magnitudes) {
	if len(c.saved.Async) == 0 {
		c.clearNumbers()
		return
	}
	own := make([]waitingNumbers, len(c.saved.Async))
	// c.countedAsync may also have stacks that have ended and are no longer in c.x.async.
	for _, list := range [][]asyncStack{c.countedAsync, c.x.async} {
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
			*w = r.ownNumbers(c.spec, l, had, int32(c.i.stacks))
		}
	}
	k.waiting = &own
}

// restoreValues returns the saved numbers of an application, in the order of the definition.
func (r *restorer) restoreValues(spec *compile.Program, had *state.Numbers, q *evaluator) []float64 {
	from := len(r.values)
	for j := range spec.Numbers {
		n, list := &spec.Numbers[j], had.Others
		if j < len(spec.Params) {
			list = had.Params
		}
		v, ok := findValue(list, n.Name)
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

// findValue returns the saved value with that name, and reports whether the value exists and is
// finite.
func findValue(list []state.Value, name string) (float64, bool) {
	for k := range list {
		if v := float64(list[k].Value); list[k].Name == name && compile.Finite(v) {
			return v, true
		}
	}
	return 0, false
}

// allocMagnitudes returns the next of the magnitudes that placeMemory has allocated, with room for the
// given number of keys.
func (r *restorer) allocMagnitudes(keys int) *magnitudes {
	r.magnitudes = append(r.magnitudes, magnitudes{keys: r.keys[:0:keys]})
	k := &r.magnitudes[len(r.magnitudes)-1]
	r.keys = r.keys[keys:]
	return k
}

// restoreCaptures returns the saved attributes of the source that the definition reads.
func (r *restorer) restoreCaptures(s *compile.Program, b *state.Numbers) []buff.Captured {
	from := len(r.captured)
	for j := range b.Captures {
		a, when, ok := s.Catalog.CaptureNamed(b.Captures[j].Name)
		if _, twice := findCaptured(r.captured[from:], a, when); ok && !twice && s.Wants(a, when) {
			r.captured = append(r.captured, buff.Captured{Attr: a, When: when, Value: float64(b.Captures[j].Value)})
		}
	}
	return r.captured[from:len(r.captured):len(r.captured)]
}
