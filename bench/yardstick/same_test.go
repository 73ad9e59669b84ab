package main

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/bench/onelist"
	"github.com/bufftick/bufftick/buff"
)

// TestSame checks that the engine and onelist produce the same events for each owner, in the same
// order.
func TestSame(t *testing.T) {
	for _, p := range []play{{mix: fight}, {mix: city}, {mix: fight, uneven: true, shuffle: true}, {mix: city, uneven: true}} {
		t.Run(fmt.Sprint(p), func(t *testing.T) {
			require.Equal(t, story(newEngine(""), p), story(newOnelist(""), p))
		})
	}
}

// story plays a world, with calls between the frames, and returns the events of each owner as text.
func story(w world, p play) map[uint64]string {
	defer w.close()
	p.fill(w, 2000)
	log := map[uint64]string{}
	var handles []uint64
	for f := range 3000 {
		if f%7 == 0 {
			handles = append(handles, w.add(1+f%200, plain, 77+f%3, int64(100+f%5*450)))
			w.add(1+f*3%200, plain, 77+f%3, int64(900+f%5*1450))
		}
		if f%21 == 0 && len(handles) > 5 {
			w.remove(handles[len(handles)-4])
		}
		w.tick(p.length(f))
		switch w := w.(type) {
		case *engineWorld:
			kinds := map[buff.EventKind]string{buff.Pulsed: "pulse", buff.Removed: "remove", buff.Applied: "apply", buff.Refreshed: "refresh"}
			for e := range w.frame.Events() {
				log[uint64(e.Owner)] += fmt.Sprintln(int64(e.At), kinds[e.Kind], e.Source)
			}
		case *onelistWorld:
			kinds := map[onelist.Kind]string{onelist.Pulsed: "pulse", onelist.Removed: "remove", onelist.Applied: "apply", onelist.Refreshed: "refresh"}
			for _, e := range w.events {
				log[e.Owner] += fmt.Sprintln(e.At, kinds[e.Kind], e.Source)
			}
		}
	}
	return log
}

// TestWorlds_Pulses checks that all worlds have the same number of pulses.
func TestWorlds_Pulses(t *testing.T) {
	for _, name := range []string{"engine", "engine+quick", "engine+data", "engine+sync", "onelist", "onelist+all", "structs", "arrays", "heap"} {
		w := build(name)
		play{mix: city}.fill(w, 1000)
		require.Equal(t, 60, play{mix: city}.periods(w, 1), name) // 6 of 100 buffs pulse
		w.close()
	}
}
