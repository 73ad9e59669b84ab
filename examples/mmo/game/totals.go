package game

import "github.com/bufftick/bufftick/buff"

// totals counts the events of a game.
type totals struct {
	events [buff.Revived + 1]int // number of events by kind
	casts  [buff.Revived + 1]int // number of casts by bots, by result

	deaths, felled, bursts, dispels int

	latest int64 // longest delay of an event, in ms
	stuck  int   // number of times that a handler exceeded the budget
}

func (t *totals) add(e buff.Event) {
	t.events[e.Kind]++
	t.latest = max(t.latest, int64(e.Seen-e.At))
}

// total returns the number of events.
func (t *totals) total() int {
	n := 0
	for _, k := range t.events {
		n += k
	}
	return n
}

// alive returns the number of active buffs.
func (t *totals) alive() int {
	return t.events[buff.Applied] + t.events[buff.Restored] - t.events[buff.Removed]
}

// share returns, as a percentage, how many casts of lasting buffs had the result k.
func (t *totals) share(k buff.EventKind) float64 {
	lasting := t.casts[buff.Applied] + t.casts[buff.Refreshed] + t.casts[buff.Stacked]
	return 100 * float64(t.casts[k]) / float64(max(lasting, 1))
}
