package main

import (
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/engine"
)

// TestReplay_RecordedStacks checks that the engine has the recorded number of stacks after every
// line.
func TestReplay_RecordedStacks(t *testing.T) {
	id := spellID{"1", "buff"}
	var trace []traceLine
	var want []int
	for i, l := range []struct {
		event        string
		stacks, want int
	}{
		{"apply", 0, 1},
		{"dose", 4, 4},
		{"refresh", 0, 4},
		{"dose", 3, 3},
		{"refresh", 0, 3},
		{"undose", 1, 1},
		{"apply", 0, 1},
		{"undose", 1, 1},
		{"dose", 2, 2},
		{"death", 0, 0},
		{"undose", 1, 0},
		{"dose", 3, 3},
		{"remove", 0, 0},
		{"dose", 5, 5},
	} {
		rec := traceLine{line: i + 2, event: l.event, source: "ann", target: "bob", stacks: l.stacks}
		if l.event != "death" {
			rec.spell = id
		}
		trace, want = append(trace, rec), append(want, l.want)
	}
	table := map[spellID]spell{id: {id: id, duration: time.Minute}}
	r, err := newReplay(engine.Options{Synchronous: true}, time.Second, table, trace)
	require.NoError(t, err)
	for i := range trace {
		require.NoError(t, r.feed(&trace[i]))
		stacks := 0
		buffs, err := r.engine.Buffs(r.ids["bob"])
		require.NoError(t, err)
		for b := range buffs.All() {
			stacks += b.Stacks
		}
		require.Equal(t, want[i], stacks, "after line %d, %s", trace[i].line, trace[i].event)
	}
	require.NoError(t, r.engine.Close(t.Context()))
}

// TestReplay_RefusedLine checks that a command that the engine refuses ends the replay with an
// error, which contains the line.
func TestReplay_RefusedLine(t *testing.T) {
	id := spellID{"1", "buff"}
	var trace []traceLine
	for i := range buff.MaxPerOwner + 1 {
		trace = append(trace, traceLine{line: i + 2, event: "apply", source: fmt.Sprint(i), target: "bob", spell: id})
	}
	r, err := newReplay(engine.Options{Synchronous: true}, time.Second, nil, trace)
	require.NoError(t, err)
	err = r.all(trace)
	require.ErrorIs(t, err, buff.ErrFull)
	require.ErrorContains(t, err, "4098: apply: ")
	require.NoError(t, r.engine.Close(t.Context()))
}
