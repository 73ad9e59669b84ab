package engine

import "github.com/bufftick/bufftick/buff"

// specCounters counts what events tell, by the lineages of definitions. It sees each event once.
type specCounters struct {
	lineages []counted // by buff.Spec.Lineage; the first is nobody's
	read     int       // how many of Engine.loop.Events it has seen
}

type counted struct {
	spec   *buff.Spec // the newest version that there has been
	live   int
	denied uint64
}

// know makes room for the definitions of a catalog, which are the newest from here on.
func (t *specCounters) know(c *buff.Catalog) {
	t.lineages = append(t.lineages, make([]counted, c.Lineages()+1-len(t.lineages))...)
	for s := range c.All() {
		t.lineages[s.Lineage()].spec = s
	}
}

// add counts events that it has not seen.
func (t *specCounters) add(events []buff.Event) {
	for i := range events {
		switch e := &events[i]; e.Kind {
		case buff.Applied, buff.Restored:
			t.lineages[e.Spec.Lineage()].live++
		case buff.Removed:
			t.lineages[e.Spec.Lineage()].live--
		case buff.Denied:
			t.lineages[e.Spec.Lineage()].denied++
		}
	}
}

// addLoop counts what the loop has done since it was last asked.
func (t *specCounters) addLoop(events []buff.Event) {
	t.add(events[t.read:])
	t.read = len(events)
}
