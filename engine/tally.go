package engine

import (
	"iter"

	"github.com/bufftick/bufftick/buff"
)

// Tally is what the engine has counted of one definition, all its versions together.
type Tally struct {
	Spec   *buff.Spec // the version that is in force; of a definition that is not there any more, the last one
	Gone   bool       // it is not there any more
	Live   int        // instances, those of busy owners as they were before
	Denied uint64     // applications that were refused since the engine was made
}

// tally counts what events tell, by the lines of definitions. It sees each event once.
type tally struct {
	lines []counted // by buff.Spec.Line; the first is nobody's
	read  int       // how many of Engine.loop.Events it has seen
}

type counted struct {
	spec   *buff.Spec // the newest version that there has been
	live   int
	denied uint64
}

// know makes room for the definitions of a catalog, which are the newest from here on.
func (t *tally) know(c *buff.Catalog) {
	t.lines = append(t.lines, make([]counted, c.Lines()+1-len(t.lines))...)
	for s := range c.All() {
		t.lines[s.Line()].spec = s
	}
}

// add counts events that it has not seen.
func (t *tally) add(events []buff.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case buff.Applied, buff.Restored:
			t.lines[e.Spec.Line()].live++
		case buff.Removed:
			t.lines[e.Spec.Line()].live--
		case buff.Denied:
			t.lines[e.Spec.Line()].denied++
		}
	}
}

// addLoop counts what the loop has done since it was last asked.
func (t *tally) addLoop(events []buff.Event) {
	t.add(events[t.read:])
	t.read = len(events)
}

// Tally returns what has been counted of a definition, in whatever version it is given;
// nothing of one that is not of the engine's catalog.
//
// Only the loop goroutine may call it.
func (e *Engine) Tally(s *buff.Spec) Tally {
	e.enter("Tally")
	c := e.Catalog()
	if _, ok := c.Newest(s); !ok {
		return Tally{}
	}
	e.tally.addLoop(e.loop.Events)
	return e.tally.at(s.Line(), c)
}

// Tallies returns what has been counted of each definition there is or, since the engine
// was made, was, in the order in which they came.
//
// Only the loop goroutine may call it.
func (e *Engine) Tallies() iter.Seq[Tally] {
	e.enter("Tallies")
	return func(yield func(Tally) bool) {
		c := e.Catalog()
		e.tally.addLoop(e.loop.Events)
		for line := range e.tally.lines {
			if e.tally.lines[line].spec != nil && !yield(e.tally.at(line, c)) {
				return
			}
		}
	}
}

func (t *tally) at(line int, c *buff.Catalog) Tally {
	n := &t.lines[line]
	return Tally{Spec: n.spec, Gone: !c.Has(n.spec), Live: n.live, Denied: n.denied}
}
