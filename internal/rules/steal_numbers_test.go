package rules

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/compile"
	"github.com/bufftick/bufftick/internal/stolen"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// TestStolenNumbers checks that a stolen buff has the numbers with which it was applied, and that
// each waiting application of a queue has its own numbers. The binary form has the numbers of the
// first application by name, so they do not depend on the present definition.
func TestStolenNumbers(t *testing.T) {
	turns := buff.Spec{
		ID: "turns", Duration: 10 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue},
		Params: []define.Param{{Name: "a", Value: define.Caller("a")}, {Name: "b", Value: define.Caller("b").Or(50)}},
	}
	first := mustCatalog(t, turns)
	victim, turn := NewOwner(1, 1, 0, 10), &Turn{Catalog: first}
	for k, a := range []buff.Application{
		{Params: []buff.Arg{{Caller: "a", Value: 5}, {Caller: "b", Value: 6}}},
		{Params: []buff.Arg{{Caller: "a", Value: 9}}, Duration: buff.Lasting(3 * time.Second)},
		{Params: []buff.Arg{{Caller: "a", Value: 7}, {Caller: "b", Value: 8}}, Duration: buff.Lasting(4 * time.Second)},
	} {
		a.Spec, a.Source = first.Spec("turns"), 9
		r := victim.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: a})
		require.NoError(t, r.Failure, k)
		require.Contains(t, []buff.EventKind{buff.Applied, buff.Queued}, r.Kind, k)
	}
	victim.Do(turn, 0, buff.Command{Verb: verb.Steal, Query: buff.Query{Spec: first.Spec("turns"), To: 2}})
	require.Len(t, turn.Outbox, 1)
	loot := turn.Outbox[0].Command

	// numbers returns the parameters of the application that runs after 0, 11 and 14 seconds.
	numbers := func(c *buff.Catalog, cmd buff.Command, names ...string) (out [][]float64) {
		thief, turn := NewOwner(2, 2, 0, 10), &Turn{Catalog: c}
		require.NoError(t, thief.Do(turn, 0, cmd).Failure)
		for _, at := range []wheel.Time{0, 11_000, 14_000} {
			turn.Now = at
			require.True(t, thief.Run(turn, at, 100))
			require.Equal(t, 1, thief.Len(), "at %v", at)
			values := []float64{}
			for b := range thief.All() {
				for _, name := range names {
					v, ok := thief.Param(b.Handle, name)
					require.True(t, ok)
					values = append(values, v)
				}
			}
			out = append(out, values)
		}
		return out
	}
	require.Equal(t, [][]float64{{5, 6}, {9, 50}, {7, 8}}, numbers(first, loot, "a", "b"))

	data, err := loot.AppendBinary(nil, first)
	require.NoError(t, err)
	over := func(c *buff.Catalog) (cmd buff.Command) {
		require.NoError(t, cmd.UnmarshalBinary(data, c))
		return cmd
	}
	require.Equal(t, [][]float64{{5, 6}, {9, 50}, {7, 8}}, numbers(first, over(first), "a", "b"))
	turns.Params = []define.Param{{Name: "b", Value: define.Caller("b").Or(50)}, {Name: "c", Value: define.Caller("c").Or(1)}, {Name: "a", Value: define.Caller("a").Or(2)}}
	second, err := first.Next(turns)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{5, 6, 1}, {9, 50, 1}, {7, 8, 1}}, numbers(second, over(second), "a", "b", "c"))
	turns.Params = turns.Params[:2:2]
	second, err = second.Next(turns)
	require.NoError(t, err)
	require.Equal(t, [][]float64{{6, 1}, {50, 1}, {8, 1}}, numbers(second, over(second), "b", "c"), "a is read by nobody any more")
}

// TestStolenStacks checks that the further applications of a stolen buff can be encoded with the
// least and the greatest value of each number, and that a number outside its range is rejected with
// an error that lists all three numbers.
func TestStolenStacks(t *testing.T) {
	c := mustCatalog(t, buff.Spec{ID: "turns", Duration: 10 * time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}})
	longest := define.MaxDuration.Milliseconds()
	code := func(rest ...stolen.Part) []byte {
		cmd := buff.Command{Verb: verb.Apply, Owner: 2, Application: buff.Application{
			Spec: c.Spec("turns"), Source: 9, Origin: buff.Origin{Steal: true, Stolen: &stolen.Buff{Spec: compile.Of(c.Spec("turns")), Rest: rest}},
		}}
		data, err := cmd.AppendBinary(nil, c)
		require.NoError(t, err)
		return data
	}
	refused := func(text string, data []byte) {
		var back buff.Command
		err := back.UnmarshalBinary(data, c)
		require.ErrorIs(t, err, buff.ErrCommand, text)
		require.Contains(t, err.Error(), text)
	}
	many := slices.Repeat([]stolen.Part{{Left: 9, Stacks: 1}}, 10_000)
	most := stolen.Part{Left: longest, Magnitude: 1 << 40, Stacks: define.MaxStacks, Level: define.MaxLevel}
	for _, rest := range [][]stolen.Part{{{Left: 1, Magnitude: -7, Stacks: 1, Level: 0}}, {most, {Left: 3, Magnitude: 4, Stacks: 5, Level: 6}}, many} {
		var back buff.Command
		require.NoError(t, back.UnmarshalBinary(code(rest...), c))
		require.Equal(t, rest, stolen.Of(back.Application.Origin.Stolen).Rest)
	}
	refused("2 stacks of level 3 that last 0 ms", code(stolen.Part{Left: 0, Stacks: 2, Level: 3}))
	refused("0 stacks of level 3 that last 9 ms", code(stolen.Part{Left: 9, Stacks: 0, Level: 3}))
	refused("2 stacks of level -1 that last 9 ms", code(stolen.Part{Left: 9, Stacks: 2, Level: -1}))
	refused(fmt.Sprintf("2 stacks of level 3 that last %d ms", longest+1), code(stolen.Part{Left: longest + 1, Stacks: 2, Level: 3}))
	above := func(data []byte) []byte { // the number 32767 becomes 32768
		return bytes.Replace(data, binary.AppendVarint(nil, 1<<15-1), binary.AppendVarint(nil, 1<<15), 1)
	}
	refused("32768 stacks of level 3 that last 9 ms", above(code(stolen.Part{Left: 9, Stacks: define.MaxStacks, Level: 3})))
	refused("2 stacks of level 32768 that last 9 ms", above(code(stolen.Part{Left: 9, Stacks: 2, Level: define.MaxLevel})))
	whole := code(stolen.Part{Left: 9, Magnitude: 8, Stacks: 2, Level: 3})
	refused("1 stacks in 3 bytes", whole[:len(whole)-1])
}
