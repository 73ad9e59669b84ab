package compile_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/stretchr/testify/require"
)

// timed returns a valid definition after the function spoil has changed it.
func timed(spoil func(*buff.Spec)) buff.Spec {
	s := buff.Spec{ID: "p", Duration: time.Second, Period: 100 * time.Millisecond}
	spoil(&s)
	return s
}

func instant(spoil func(*buff.Spec)) buff.Spec {
	s := buff.Spec{ID: "p", Kind: define.Instant}
	spoil(&s)
	return s
}

func TestCheck(t *testing.T) {
	type S = buff.Spec
	stacking := func(st define.Stacking) buff.Spec { return timed(func(s *S) { s.Stack = st }) }
	forever := func(st define.Stacking) buff.Spec { return S{ID: "p", Kind: define.Infinite, Stack: st} }
	for _, c := range []struct {
		spec S
		want []string // "field: text"
	}{
		{S{Duration: 1e9}, []string{"id: missing"}},

		{S{ID: "p"}, []string{"duration: must be above zero (instant and infinite are said by name)"}},
		{S{ID: "p", Duration: -time.Second}, []string{"duration: must be above zero, not -1s"}},
		{S{ID: "p", Duration: 1500 * time.Microsecond}, []string{"duration: must be whole milliseconds, not 1.5ms"}},
		{S{ID: "p", Duration: define.MaxDuration}, nil},
		{S{ID: "p", Duration: define.MaxDuration + time.Millisecond}, []string{"duration: 9600h0m0.001s is above the limit of 9600h0m0s"}},
		{S{ID: "p", Kind: define.Instant, Duration: 1e9}, []string{"duration: instant has no duration, but 1s was given"}},
		{S{ID: "p", Kind: define.Infinite, Duration: 1e9}, []string{"duration: infinite has no duration, but 1s was given"}},
		{S{ID: "p", Kind: 9}, []string{"duration: define.Kind(9) is not a kind"}},

		{timed(func(s *S) { s.Period = define.MinPeriod }), nil},
		{timed(func(s *S) { s.Period = define.MinPeriod - time.Millisecond }), []string{"period: 49ms is below the floor of 50ms"}},
		{timed(func(s *S) { s.Period = -time.Second }), []string{"period: must be above zero, not -1s"}},
		{timed(func(s *S) { s.Period = 60500 * time.Microsecond }), []string{"period: must be whole milliseconds, not 60.5ms"}},
		{timed(func(s *S) { s.Period = 401 * 24 * time.Hour }), []string{"period: 9624h0m0s is above the limit of 9600h0m0s"}},
		{timed(func(s *S) { s.Period, s.First = 0, define.FirstEvery }), []string{"first: every needs a period"}},
		{timed(func(s *S) { s.Period, s.Tail = 0, define.TailPartial }), []string{"tail: partial needs a period"}},
		{timed(func(s *S) { s.Period, s.On.Pulse = 0, call("h") }), []string{"on.pulse: needs a period"}},
		{
			timed(func(s *S) {
				s.Period, s.First, s.Tail, s.On.Pulse = 0, define.FirstStart, define.TailPartial, call("h")
			}),
			[]string{"first: start needs a period", "tail: partial needs a period", "on.pulse: needs a period"},
		},

		{instant(func(s *S) { s.Period = time.Second }), []string{"period: an instant buff is never carried, so it cannot pulse"}},
		{instant(func(s *S) { s.Stack.Limit = 2 }), []string{"stack: an instant buff is never carried, so it cannot stack"}},
		{instant(func(s *S) { s.On.Apply = call("h") }), []string{"on.apply: an instant buff is never carried: use on.exec"}},
		{instant(func(s *S) { s.On.Refresh = call("h") }), []string{"on.refresh: an instant buff is never carried: use on.exec"}},
		{instant(func(s *S) { s.On.Overflow = call("h") }), []string{"on.overflow: an instant buff is never carried: use on.exec"}},
		{instant(func(s *S) { s.On.RemoveAny = call("h") }), []string{"on.remove: an instant buff is never carried: use on.exec"}},
		{timed(func(s *S) { s.On.Exec = call("h") }), []string{"on.exec: is for instant buffs, and this one is timed"}},

		{stacking(define.Stacking{Limit: -1}), []string{"stack.limit: must be from 1 to 32767, not -1"}},
		{stacking(define.Stacking{Limit: define.MaxStacks, Initial: define.MaxStacks}), nil},
		{stacking(define.Stacking{Limit: define.MaxStacks + 1}), []string{"stack.limit: must be from 1 to 32767, not 32768"}},
		{stacking(define.Stacking{Limit: 1 << 32}), []string{"stack.limit: must be from 1 to 32767, not 4294967296"}},
		{stacking(define.Stacking{Initial: 2}), []string{"stack.initial: must be from 1 to the limit of 1, not 2"}},
		{stacking(define.Stacking{Limit: 3, Initial: -1}), []string{"stack.initial: must be from 1 to the limit of 3, not -1"}},
		{stacking(define.Stacking{Limit: 3, Initial: 1<<32 + 1}), []string{"stack.initial: must be from 1 to the limit of 3, not 4294967297"}},
		{stacking(define.Stacking{Refresh: define.RefreshPandemic, RefreshPct: 100}), nil},
		{stacking(define.Stacking{Refresh: define.RefreshPandemic, RefreshPct: 101}), []string{"stack.refresh_share: must be from 1 to 100, not 101"}},
		{stacking(define.Stacking{Refresh: define.RefreshPandemic, RefreshPct: -1}), []string{"stack.refresh_share: must be from 1 to 100, not -1"}},
		{stacking(define.Stacking{Refresh: define.RefreshMax, RefreshPct: 30}), []string{"stack.refresh_share: is for refresh pandemic, not max"}},
		{forever(define.Stacking{Refresh: define.RefreshNone}), nil},
		{forever(define.Stacking{Refresh: define.RefreshExtend}), []string{"stack.refresh: extend means nothing for an infinite buff"}},
		{forever(define.Stacking{Expire: define.ExpireOne}), []string{"stack.expire: one means nothing for an infinite buff"}},

		{timed(func(s *S) { s.OnDeath, s.OnSourceGone = define.FatePause, define.FateAdopt }), nil},
		{
			timed(func(s *S) {
				s.OnDeath, s.OnSourceGone, s.OnFault = define.FateAdopt, define.FatePause, define.FatePause
			}),
			[]string{"on_death: adopt is not possible here", "on_source_gone: pause is not possible here", "on_fault: pause is not possible here"},
		},
		{
			timed(func(s *S) { s.OnDeath, s.OnSourceGone, s.OnFault = 5, 6, 255 }),
			[]string{"on_death: define.Fate(5) is not a fate", "on_source_gone: define.Fate(6) is not a fate", "on_fault: define.Fate(255) is not a fate"},
		},

		{timed(func(s *S) { s.On.Pulse = call("") }), []string{"on.pulse[0].call: the handler's name is missing"}},
		{
			timed(func(s *S) {
				s.On.Apply = []define.Action{{Do: define.DoApply, Name: "x"}, {Do: define.DoRemove, Name: "y"}}
			}),
			[]string{`on.apply[0].apply: no definition "x"`, `on.apply[1].remove: no definition "y"`},
		},
		{
			timed(func(s *S) { s.On.Refresh = []define.Action{{Do: define.DoRemove, Name: "p", Reason: reason.Limit}} }),
			[]string{"on.refresh[0].reason: limit is not a reason that ends a buff"},
		},
		{timed(func(s *S) { s.On.Overflow = []define.Action{{Do: 99}} }), []string{"on.overflow[0].define.Do(99): define.Do(99) is not an action"}},
		{
			timed(func(s *S) {
				s.On.Remove = map[reason.Reason][]define.Action{reason.Death: {{Do: define.DoApply, Name: "x"}}, reason.Full: nil, reason.None: nil}
				s.On.RemoveAny = []define.Action{{Do: define.DoApply, Name: "y"}}
			}),
			[]string{
				`on.remove.any[0].apply: no definition "y"`, `on.remove.death[0].apply: no definition "x"`,
				"on.remove.none: is not a reason that ends a buff", "on.remove.full: is not a reason that ends a buff",
			},
		},
	} {
		require.Equal(t, c.want, faultsOf(t, c.spec))
	}
}

// faultsOf returns the errors of NewCatalog for the definitions, each as "field: text", or nil if
// there are none.
func faultsOf(t *testing.T, specs ...buff.Spec) (found []string) {
	t.Helper()
	catalog, err := buff.NewCatalog(specs...)
	if err == nil {
		require.NotNil(t, catalog)
		return nil
	}
	require.Nil(t, catalog)
	require.ErrorIs(t, err, buff.ErrSpec)
	var all buff.SpecErrors
	require.ErrorAs(t, err, &all)
	for _, e := range all {
		if !strings.Contains(e.Text, " has no effect with ") { // TestPairsOfWords tests these errors
			found = append(found, e.Field+": "+e.Text)
		}
	}
	return found
}

func TestCheckReportsEverythingAtOnce(t *testing.T) {
	_, err := buff.NewCatalog(
		buff.Spec{ID: "a", Duration: -1, Period: 1e9, Stack: define.Stacking{By: define.BySource, Limit: -1}, On: define.Hooks{Overflow: []define.Action{{Do: define.DoApply, Name: "x"}}}},
		buff.Spec{Duration: 1e9},
		buff.Spec{ID: "a", Duration: 1e9, On: define.Hooks{Pulse: []define.Action{{Do: define.DoKill}}}},
	)
	require.EqualError(t, err, `buff "#2": id: missing
buff "a": id: defined twice
buff "a": duration: must be above zero, not -1ns
buff "a": stack.limit: must be from 1 to 32767, not -1
buff "a": on.overflow[0].apply: no definition "x"
buff "a": on.pulse: needs a period`)
	require.Equal(t, `buff "a": wrong`, (&buff.SpecError{ID: "a", Text: "wrong"}).Error())
}

// TestCatalogCopies changes everything that the caller has passed to NewCatalog, and checks that
// the catalog does not change.
func TestCatalogCopies(t *testing.T) {
	tags := []string{"debuff.poison"}
	pulse := call("h")
	expired := call("h")
	gone := map[reason.Reason][]define.Action{reason.Expired: expired}
	after := call("h")
	over := []define.Action{{Do: define.DoApply, Name: "q"}}
	steps, params := []int{100, 50}, []define.Param{{Name: "a"}}
	thresholds := []define.Threshold{{At: 1, Apply: "q"}}
	var lists [7][]string // lists of tags and acts
	for i := range lists {
		lists[i] = []string{"x.y"}
	}
	specs := []buff.Spec{
		{
			ID: "p", Tags: tags, Duration: 100 * time.Millisecond, Period: 100 * time.Millisecond,
			Stack: define.Stacking{By: define.ByTarget, Thresholds: thresholds}, On: define.Hooks{Overflow: over, Pulse: pulse, Remove: gone, RemoveAny: after},
			Grants: lists[0], Require: define.Requirements{Apply: define.TagTest{All: lists[1], Any: lists[2]}, Remove: define.TagTest{None: lists[3]}},
			Immunity: define.Match{Tags: lists[4]}, Interrupt: lists[5], Charges: define.Charges{N: 1, ConsumeOn: lists[6]},
			DR: define.DR{Group: "g", Steps: steps, Reset: time.Second}, Params: params,
		},
		{ID: "q", Kind: define.Instant},
	}
	c, err := buff.NewCatalog(specs...)
	require.NoError(t, err)
	again, err := buff.NewCatalog(*c.Spec("p"), *c.Spec("q"))
	require.NoError(t, err, "a definition of one catalog may go into another")
	before := fmt.Sprintf("%+v", *c.Spec("p"))

	tags[0], over[0].Name, specs[0].Duration = "x", "p", 0
	steps[0], params[0].Name, thresholds[0].At = 7, "x", 9
	for i := range lists {
		lists[i][0] = "spoiled"
	}
	pulse[0], expired[0], after[0] = define.Action{}, define.Action{}, define.Action{}
	delete(gone, reason.Expired)
	gone[reason.Death] = after
	c.Handlers()[0] = "x"

	require.Equal(t, before, fmt.Sprintf("%+v", *c.Spec("p")))
	require.Equal(t, []string{"h"}, c.Handlers())
	require.Equal(t, 2, c.Len())
	require.Nil(t, c.Spec("x"))
	require.True(t, c.Has(c.Spec("p")))
	require.False(t, c.Has(again.Spec("p")))
	require.False(t, c.Has(nil))
	for s := range c.All() {
		require.Same(t, c.Spec(s.String()), s)
		require.Equal(t, map[string]int{"p": 0, "q": 1}[s.ID], s.Index())
	}
}

// call is a list of one action, which calls a handler.
func call(name string) []define.Action { return []define.Action{{Do: define.DoCall, Name: name}} }
