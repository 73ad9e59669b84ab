package compile_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"reflect"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/internal/long"
)

// ruling is a definition and the errors expected for it.
type ruling struct {
	spec buff.Spec
	want []string // each "field: text"; nil if the definition is valid
}

func rule(t *testing.T, table []ruling) {
	t.Helper()
	for _, c := range table {
		require.Equal(t, c.want, faultsOf(t, c.spec), "%+v", c.spec)
	}
}

// endless returns a valid definition of an infinite buff after the function spoil has changed it.
func endless(spoil func(*buff.Spec)) buff.Spec {
	s := buff.Spec{ID: "p", Kind: define.Infinite, Period: 100 * time.Millisecond}
	spoil(&s)
	return s
}

func TestCheckTime(t *testing.T) {
	type S = buff.Spec
	const ms = time.Millisecond
	rule(t, []ruling{
		{timed(func(s *S) { s.MinDuration, s.MaxDuration = time.Second, time.Second }), nil},
		{timed(func(s *S) { s.MinDuration = 1001 * ms }), []string{"min_duration: 1.001s is above the duration of 1s"}},
		{timed(func(s *S) { s.MaxDuration = 999 * ms }), []string{"max_duration: 999ms is below the duration of 1s"}},
		{timed(func(s *S) { s.MinDuration, s.MaxDuration = 800*ms, 700*ms }), []string{"min_duration: 800ms is above max_duration, which is 700ms"}},
		{timed(func(s *S) { s.MinDuration = -1 }), []string{"min_duration: must be above zero, not -1ns"}},
		{
			timed(func(s *S) { s.MaxDuration = math.MaxInt64 }),
			[]string{"max_duration: must be whole milliseconds, not 2562047h47m16.854775807s"},
		},
		{timed(func(s *S) { s.MaxDuration = 9601 * time.Hour }), []string{"max_duration: 9601h0m0s is above the limit of 9600h0m0s"}},
		{endless(func(s *S) { s.MinDuration, s.MaxDuration = ms, 2*ms }), nil}, // they limit applications that set a duration

		{timed(func(s *S) {
			s.Tail, s.Align, s.Haste, s.HasteDuration = define.TailFit, define.AlignOwner, define.HasteRescale, true
		}), nil},
		{
			timed(func(s *S) {
				s.Period, s.Tail, s.Align, s.Haste, s.HasteDuration = 0, define.TailFit, define.AlignOwner, define.HasteNext, true
				s.Catchup = define.CatchupSkip
			}),
			[]string{
				"tail: fit needs a period", "align: owner needs a period", "haste: next needs a period",
				"haste_duration: true needs a period", "catchup: skip needs a period",
			},
		},
		{timed(func(s *S) { s.Catchup, s.CatchupMax = define.CatchupCoalesce, 2 }), nil},
		{timed(func(s *S) { s.Catchup, s.CatchupMax = define.CatchupCoalesce, 1 }), []string{"catchup.coalesce: must be from 2 to 100000, not 1"}},
		{timed(func(s *S) { s.Catchup, s.CatchupMax = define.CatchupCoalesce, -3 }), []string{"catchup.coalesce: must be from 2 to 100000, not -3"}},
		{timed(func(s *S) { s.CatchupMax = 5 }), []string{"catchup.coalesce: is the most that coalesce counts, not all"}},
	})
}

func TestCheckStack(t *testing.T) {
	type S = buff.Spec
	type St = define.Stacking
	stacking := func(st St) S { return timed(func(s *S) { s.Stack = st }) }
	forever := func(st St) S { return endless(func(s *S) { s.Stack = st }) }
	pile := func(list ...define.Threshold) S { return stacking(St{Limit: 5, Thresholds: list}) }
	rule(t, []ruling{
		{stacking(St{Timers: define.TimersEach, Limit: define.MaxAsyncStacks}), nil},
		{stacking(St{Timers: define.TimersEach, Limit: define.MaxAsyncStacks + 1}), []string{"stack.limit: must be from 1 to 256 with timers each, not 257"}},
		{stacking(St{Timers: define.TimersQueue, Limit: define.MaxStacks}), []string{"stack.limit: must be from 1 to 256 with timers queue, not 32767"}},
		{stacking(St{Timers: define.TimersQueue, Initial: 256}), nil}, // the default limit of a queue is the maximum
		{
			forever(St{Timers: define.TimersEach, Expire: define.ExpireOne, Phase: define.PhaseReset}),
			[]string{
				"stack.timers: each means nothing for an infinite buff",
				"stack.expire: one is not possible with timers each, where each application ends by itself",
				"stack.phase: reset is not possible with timers each, which share one beat",
				"stack.expire: one means nothing for an infinite buff",
			},
		},
		{
			stacking(St{Timers: define.TimersQueue, Expire: define.ExpireHalf, Phase: define.PhaseExecute}),
			[]string{
				"stack.expire: half is not possible with timers queue, where each application ends by itself",
				"stack.phase: execute is not possible with timers queue, which share one beat",
			},
		},
		{
			timed(func(s *S) { s.Tail, s.Stack.Timers = define.TailPartial, define.TimersEach }),
			[]string{"tail: partial is not possible with timers each"},
		},
		{timed(func(s *S) { s.Tail, s.Stack.Timers = define.TailPartial, define.TimersQueue }), nil},
		{timed(func(s *S) { s.Tail, s.Stack.Timers = define.TailFit, define.TimersEach }), nil},

		{stacking(St{Effective: 1}), nil},
		{stacking(St{By: define.BySource, Effective: buff.MaxPerOwner}), nil},
		{stacking(St{By: define.BySource, Effective: buff.MaxPerOwner + 1}), []string{"stack.effective: must be from 1 to 4096, not 4097"}},
		{stacking(St{Effective: -1}), []string{"stack.effective: must be from 1 to 4096, not -1"}},
		{
			stacking(St{By: define.ByTarget, Effective: 2}),
			[]string{"stack.effective: means nothing by target, where there is only one; with timers each it counts stacks, with level segregate levels"},
		},
		{stacking(St{By: define.ByTarget, Level: define.LevelSegregate, Effective: 2}), nil},
		{stacking(St{By: define.ByTarget, Timers: define.TimersEach, Limit: 3, Effective: 3}), nil},
		{stacking(St{By: define.ByTarget, Timers: define.TimersEach, Limit: 3, Effective: 4}), []string{"stack.effective: must be from 1 to the limit of 3, not 4"}},

		{stacking(St{Refresh: define.RefreshResidual}), nil},
		{
			timed(func(s *S) { s.Period, s.Stack.Refresh = 0, define.RefreshResidual }),
			[]string{"stack.refresh: residual_tick needs a period"},
		},
		{forever(St{Refresh: define.RefreshPandemic}), []string{"stack.refresh: pandemic means nothing for an infinite buff"}},
		{forever(St{Refresh: define.RefreshMax}), []string{"stack.refresh: max means nothing for an infinite buff"}},
		{forever(St{Refresh: define.RefreshResidual}), []string{"stack.refresh: residual_tick means nothing for an infinite buff"}},
		{stacking(St{Refresh: define.RefreshExtend, RefreshCap: time.Second}), nil},
		{stacking(St{Refresh: define.RefreshExtend, RefreshCap: 999 * time.Millisecond}), []string{"stack.refresh_cap: 999ms is below the duration of 1s"}},
		{stacking(St{Refresh: define.RefreshMax, RefreshCap: time.Second}), []string{"stack.refresh_cap: is for refresh extend, not max"}},
		{stacking(St{Refresh: define.RefreshExtend, RefreshCap: -1}), []string{"stack.refresh_cap: must be above zero, not -1ns"}},

		{stacking(St{Limit: 2, Expire: define.ExpireHalf}), nil},
		{stacking(St{Limit: 3, Expire: define.ExpireCount, ExpireN: 2}), nil},
		{stacking(St{Limit: 3, Expire: define.ExpireCount, ExpireN: 3}), []string{"stack.expire: must be below the limit of 3 and at least 1, not 3"}},
		{stacking(St{Limit: 3, Expire: define.ExpireCount}), []string{"stack.expire: must be below the limit of 3 and at least 1, not 0"}},
		{stacking(St{Expire: define.ExpireCount, ExpireN: 1}), []string{"stack.expire: a number of stacks needs a limit above 1"}},
		{stacking(St{Limit: 3, Expire: define.ExpireHalf, ExpireN: 1}), []string{"stack.expire: a number of stacks (1) is not for expire half"}},

		{pile(define.Threshold{At: 5, Consume: 5}, define.Threshold{At: 3, Consume: define.ConsumeAll}), nil},
		{pile(define.Threshold{At: 6, Consume: 1}), []string{"stack.thresholds[0].at: must be from 1 to the limit of 5, not 6"}},
		{pile(define.Threshold{Consume: 1}), []string{
			"stack.thresholds[0].at: must be from 1 to the limit of 5, not 0",
		}},
		{pile(define.Threshold{At: 2, Consume: 1}, define.Threshold{At: 2, Consume: 2}), []string{"stack.thresholds[1].at: there is a threshold at 2 already"}},
		{pile(define.Threshold{At: 2}), []string{"stack.thresholds[0]: does nothing: want apply or consume"}},
		{
			pile(define.Threshold{At: 2, Consume: 3}, define.Threshold{At: 3, Consume: -2}),
			[]string{
				"stack.thresholds[0].consume: must be from 1 to the 2 stacks that there are then, or all of them, not 3",
				"stack.thresholds[1].consume: must be from 1 to the 3 stacks that there are then, or all of them, not -2",
			},
		},
		{pile(define.Threshold{At: 2, Apply: "p"}), []string{"stack.thresholds[0].apply: a threshold may not apply its own definition"}},
		{pile(define.Threshold{At: 2, Apply: "x"}), []string{`stack.thresholds[0].apply: no definition "x"`}},
	})
}

func TestCheckGates(t *testing.T) {
	type S = buff.Spec
	dr := func(d define.DR) S { return timed(func(s *S) { s.DR = d }) }
	test := func(all, none string) S {
		return timed(func(s *S) { s.Require.Ongoing = define.TagTest{All: []string{all}, None: []string{none}} })
	}
	rule(t, []ruling{
		{timed(func(s *S) { s.Group = define.Group{Priority: 1} }), []string{"group.name: missing"}},
		{timed(func(s *S) { s.Group = define.Group{Rule: define.GroupHide} }), []string{"group.name: missing"}},
		{timed(func(s *S) { s.Group = define.Group{Name: "g", Priority: math.MinInt, Rule: define.GroupHide} }), nil},

		{timed(func(s *S) { s.Slot = define.Slot{Class: "c", Limit: buff.MaxPerOwner} }), nil},
		{timed(func(s *S) { s.Slot = define.Slot{Class: "c", Limit: buff.MaxPerOwner + 1} }), []string{"slot.limit: must be from 1 to 4096, not 4097"}},
		{timed(func(s *S) { s.Slot = define.Slot{Class: "c", Limit: -1} }), []string{"slot.limit: must be from 1 to 4096, not -1"}},
		{timed(func(s *S) { s.Slot = define.Slot{Class: "c"} }), []string{"slot.limit: missing: how many slots the class has"}},
		{timed(func(s *S) { s.Slot = define.Slot{Limit: 3} }), []string{"slot.class: missing"}},
		{timed(func(s *S) { s.Slot = define.Slot{Evict: define.EvictOldest} }), []string{"slot.class: missing"}},
		{timed(func(s *S) { s.PerSource.Limit = -1 }), []string{"per_source.limit: must be at least 1, not -1"}},

		{timed(func(s *S) { s.Tags = []string{"a.b", "a", "ü.毒"} }), nil},
		{
			timed(func(s *S) { s.Tags = []string{"", ".", "a..b", "a b", "a\tb", "a\x00", "a\u00a0b", "a.b", "a.b"} }),
			[]string{
				"tags[0]: a tag is words with dots between them, and none may be empty",
				"tags[1]: a tag is words with dots between them, and none may be empty",
				"tags[2]: a tag is words with dots between them, and none may be empty",
				"tags[3]: a tag must not have spaces or control characters",
				"tags[4]: a tag must not have spaces or control characters",
				"tags[5]: a tag must not have spaces or control characters",
				"tags[6]: a tag must not have spaces or control characters",
				`tags[8]: "a.b" is in the list already`,
			},
		},
		{timed(func(s *S) { s.Grants = []string{"1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17"} }), []string{"grants[0]: a tag has at most 16 words, not 17"}},
		{timed(func(s *S) { s.Immunity.Tags = []string{"x."} }), []string{"immunity.tags[0]: a tag is words with dots between them, and none may be empty"}},
		{timed(func(s *S) { s.Shield = define.Shield{On: true, Schools: []string{"x", "x"}} }), []string{`shield.schools[1]: "x" is in the list already`}},

		{test("a.b", "a.c"), nil},
		{test("a", "a.b"), nil}, // an owner that has "a" but not "a.b" passes the test
		{test("a.b", "a.b"), []string{`require.ongoing.none[0]: can never hold: whoever has what stands in all has "a.b"`}},
		{test("a.b", "a"), []string{`require.ongoing.none[0]: can never hold: whoever has what stands in all has "a"`}},
		{timed(func(s *S) { s.Require.Apply.Any = []string{"b."} }), []string{"require.apply.any[0]: a tag is words with dots between them, and none may be empty"}},
		{timed(func(s *S) { s.Require.Remove.None = []string{"b", "b"} }), []string{`require.remove.none[1]: "b" is in the list already`}},

		{timed(func(s *S) { s.Interrupt = []string{"move", "", "move", "a b"} }), []string{
			"interrupt[1]: the name of an act is empty", `interrupt[2]: "move" is in the list already`,
			"interrupt[3]: the name of an act must not have spaces or control characters",
		}},

		{timed(func(s *S) { s.Chance = define.ChanceNever }), nil},
		{instant(func(s *S) { s.Chance = 1000 }), nil},
		{instant(func(s *S) { s.Chance = 1001 }), []string{"chance: must be from 1 to 1000 per mille, or ChanceNever, not 1001"}},
		{timed(func(s *S) { s.Chance = -2 }), []string{"chance: must be from 1 to 1000 per mille, or ChanceNever, not -2"}},

		{dr(define.DR{Group: "stun", Steps: []int{100, 50, 0}, Reset: time.Second}), nil},
		{dr(define.DR{Scope: define.ScopePair}), []string{
			"dr.group: missing", "dr.steps: want at least one share",
			"dr.reset: missing: how long after its last end the group is forgotten",
		}},
		{dr(define.DR{Group: "stun", Steps: []int{101, 50, -1}, Reset: -time.Second}), []string{
			"dr.steps[0]: must be from 0 to 100, not 101", "dr.steps[2]: must be from 0 to 100, not -1", "dr.reset: must be above zero, not -1s",
		}},
		{dr(define.DR{Group: "stun", Steps: make([]int, 101), Reset: 1500 * time.Microsecond}), []string{
			"dr.steps: 101 steps are more than 100", "dr.reset: must be whole milliseconds, not 1.5ms",
		}},

		{timed(func(s *S) {
			s.Dispel = define.DispelRule{Type: "magic", Grade: define.GradeUndispellable, Resist: 1000}
		}), nil},
		{timed(func(s *S) { s.Dispel.Resist = 1001 }), []string{"dispel.resist: must be from 0 to 1000, not 1001"}},
		{timed(func(s *S) { s.Dispel.Resist = -1 }), []string{"dispel.resist: must be from 0 to 1000, not -1"}},
		{timed(func(s *S) { s.Dispel.Per = define.PerCharge }), []string{"dispel.per: charge needs charges"}},
		{timed(func(s *S) { s.Dispel.Per, s.Charges.N = define.PerCharge, 1 }), nil},
	})
}

func TestCheckUse(t *testing.T) {
	type S = buff.Spec
	sound := define.Aura{Apply: "q", Radius: 10, Interval: time.Second}
	aura := func(spoil func(*define.Aura)) S {
		a := sound
		spoil(&a)
		return timed(func(s *S) { s.Aura = a })
	}
	params := func(list ...define.Param) S { return timed(func(s *S) { s.Params = list }) }
	rule(t, []ruling{
		{timed(func(s *S) {
			s.Charges = define.Charges{N: define.MaxStacks, ConsumeOn: []string{"hit"}, Refresh: define.ChargesAdd}
		}), nil},
		{timed(func(s *S) { s.Charges = define.Charges{N: 2, Recharge: time.Second} }), nil},
		{timed(func(s *S) { n := define.Const(2); s.HasteBy = &n }), []string{"haste: a constant has no effect: write the period that it gives"}},
		{timed(func(s *S) { n := define.Caller("k"); s.HasteBy, s.Haste = &n, define.HasteNext }), []string{"haste.mode: next cannot read a number that the application brings; say mode: snapshot"}},
		{timed(func(s *S) { s.Charges.Recharge = time.Second }), []string{"charges.recharge: needs charges"}},
		{timed(func(s *S) { s.Charges = define.Charges{N: 2, Recharge: time.Millisecond} }), []string{"charges.recharge: 1ms is below the floor of 50ms"}},
		{timed(func(s *S) { s.Charges.N = define.MaxStacks + 1 }), []string{"charges.n: must be from 1 to 32767, not 32768"}},
		{timed(func(s *S) { s.Charges.N = -1 }), []string{"charges.n: must be from 1 to 32767, not -1"}},
		{
			timed(func(s *S) { s.Charges = define.Charges{ConsumeOn: []string{"hit"}, Refresh: define.ChargesKeep} }),
			[]string{"charges.consume_on: needs charges", "charges.on_refresh: keep needs charges"},
		},
		{timed(func(s *S) { s.Charges = define.Charges{N: 1, ConsumeOn: []string{"hit", "hit"}} }), []string{`charges.consume_on[1]: "hit" is in the list already`}},

		{timed(func(s *S) { s.Shield = define.Shield{On: true, Pool: math.MaxInt64, Priority: math.MinInt} }), nil},
		{timed(func(s *S) { s.Shield = define.Shield{On: true, Pool: -1} }), []string{"shield.pool: must not be below zero, and is -1"}},
		{timed(func(s *S) { s.Shield = define.Shield{Pool: 5} }), []string{"shield: is not On"}},
		{timed(func(s *S) { s.Shield = define.Shield{Priority: 5} }), []string{"shield: is not On"}},

		{timed(func(s *S) { s.Aura = define.Aura{Linger: time.Second} }), []string{
			"aura.apply: missing", "aura.radius: missing: how far it reaches", "aura.interval: missing: how often the area is looked at",
		}},
		{aura(func(a *define.Aura) { a.Apply = "p" }), []string{"aura.apply: an aura may not apply its own definition"}},
		{aura(func(*define.Aura) {}), []string{`aura.apply: no definition "q"`}},
		{aura(func(a *define.Aura) { a.Apply, a.Radius = "p", -1 }), []string{
			"aura.apply: an aura may not apply its own definition", "aura.radius: must be above zero and finite, not -1",
		}},
		{aura(func(a *define.Aura) { a.Apply, a.Radius, a.Interval = "p", math.NaN(), define.MinPeriod-1 }), []string{
			"aura.apply: an aura may not apply its own definition", "aura.radius: must be above zero and finite, not NaN",
			"aura.interval: 49.999999ms is below the floor of 50ms", "aura.interval: must be whole milliseconds, not 49.999999ms",
		}},
		{aura(func(a *define.Aura) { a.Apply, a.Radius, a.Linger = "p", math.Inf(1), -1 }), []string{
			"aura.apply: an aura may not apply its own definition", "aura.radius: must be above zero and finite, not +Inf",
			"aura.linger: must not be below zero, and is -1ns",
		}},

		{params(define.Param{Name: "a", Value: define.Caller("x")}, define.Param{Name: "b", Value: define.Const(-2.5)}, define.Param{Name: "c", Value: define.Caller("x").Or(0)}), nil},
		{params(define.Param{Name: "a"}, define.Param{}, define.Param{Name: "a"}), []string{
			"params[1]: the name is empty", "params.a: there is one of that name already",
		}},
		{params(define.Param{Name: "a", Value: define.Const(math.NaN())}, define.Param{Name: "b", Value: define.Const(math.Inf(-1))}), []string{
			"params.a.const: must be finite, not NaN", "params.b.const: must be finite, not -Inf",
		}},
		{params(define.Param{Name: "a", Value: define.Number{From: define.FromCaller}}), []string{
			"params.a.caller: missing: an application could not give what it needs",
		}},
	})

	var many []define.Param
	for i := range define.MaxParams + 1 {
		many = append(many, define.Param{Name: fmt.Sprint(i)})
	}
	require.Nil(t, faultsOf(t, params(many[1:]...)))
	require.Equal(t, []string{"params: 65 are more than 64"}, faultsOf(t, params(many...)))

	q := buff.Spec{ID: "q", Kind: define.Instant}
	require.Equal(t, []string{`aura.apply: "q" is instant: there would be nothing to take away`}, faultsOf(t, aura(func(*define.Aura) {}), q))
	q = S{ID: "q", Duration: time.Second, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}}
	require.Equal(t, []string{`aura.apply: "q" has timers queue, but a member of an aura has no end of its own`}, faultsOf(t, aura(func(*define.Aura) {}), q))
	q = buff.Spec{ID: "q", Kind: define.Infinite, Aura: sound}
	q.Aura.Apply = "p"
	require.Nil(t, faultsOf(t, aura(func(*define.Aura) {}), q), "two auras may apply each other")
}

func TestCheckSave(t *testing.T) {
	type S = buff.Spec
	save := func(v define.Saving) S { return timed(func(s *S) { s.Save = v }) }
	rule(t, []ruling{
		{save(define.Saving{Mode: define.SaveIfRemaining, IfRemaining: time.Second, Offline: define.OfflineAll, OfflineCap: 100_000}), nil},
		{save(define.Saving{Mode: define.SaveIfRemaining}), []string{"save.if_remaining: missing: mode if_remaining needs it"}},
		{save(define.Saving{IfRemaining: time.Second}), []string{"save.if_remaining: is for mode if_remaining, not always"}},
		{save(define.Saving{Mode: define.SaveIfRemaining, IfRemaining: -1}), []string{"save.if_remaining: must be above zero, not -1ns"}},
		{save(define.Saving{OfflineCap: 1}), []string{"save.offline_pulses.all: is the most that all gives, not none"}},
		{save(define.Saving{Offline: define.OfflineAll, OfflineCap: -1}), []string{"save.offline_pulses.all: must be from 1 to 100000, not -1"}},
		{save(define.Saving{Offline: define.OfflineAll, OfflineCap: 100_001}), []string{"save.offline_pulses.all: must be from 1 to 100000, not 100001"}},
		{timed(func(s *S) { s.Period, s.Save.Offline = 0, define.OfflineCoalesce }), []string{"save.offline_pulses: coalesce needs a period"}},
		{timed(func(s *S) { s.Clock, s.Save.Mode = define.Uptime, define.SaveNever }), nil},
		{
			timed(func(s *S) { s.Clock, s.Save.Mode = define.Wall, define.SaveNever }),
			[]string{"save.mode: never means nothing with clock wall, which goes on while the owner is away"},
		},
	})
}

// TestCheckInstant checks that fields that need a running instance are errors in an instant buff,
// and that fields that decide whether an application is accepted are not.
func TestCheckInstant(t *testing.T) {
	require.Nil(t, faultsOf(t, instant(func(s *buff.Spec) {
		s.Tags, s.Polarity, s.Dispel.Type, s.Chance = []string{"a"}, define.Negative, "magic", 500
		s.Require.Apply.None, s.Params = []string{"dead"}, []define.Param{{Name: "x", Value: define.Caller("x")}}
	})))
	found := faultsOf(t, instant(func(s *buff.Spec) {
		tag := []string{"a"}
		s.Period, s.Grants, s.MinDuration, s.MaxDuration, s.Clock = time.Second, tag, 1e6, 1e6, define.Wall
		s.Stack.Thresholds = []define.Threshold{{At: 1, Consume: 1}}
		s.Group.Name, s.Slot.Class, s.PerSource.Limit, s.Require.Ongoing.Any, s.Require.Remove.All = "g", "c", 1, tag, tag
		s.Inhibition, s.Immune, s.Immunity.Type, s.DR.Group = define.InhibitionReset, define.ImmuneIgnore, "magic", "stun"
		s.Dispel = define.DispelRule{Grade: define.GradeStrong, Per: define.PerStack, Resist: 1, Keep: true}
		s.Interrupt, s.Charges.N, s.Shield.On, s.Aura.Radius, s.Save.Mode = tag, 1, true, math.NaN(), define.SaveNever
	}))
	require.Equal(t, []string{
		"period: an instant buff is never carried, so it cannot pulse",
		"stack: an instant buff is never carried, so it cannot stack",
		"grants: an instant buff is never carried, so it cannot grant tags",
		"min_duration: an instant buff is never carried, so it has no duration",
		"max_duration: an instant buff is never carried, so it has no duration",
		"clock: an instant buff is never carried, so it has no clock",
		"group: an instant buff is never carried, so it cannot be exclusive",
		"slot: an instant buff is never carried, so it takes no slot",
		"per_source: an instant buff is never carried, so nothing of it can give way",
		"require.ongoing: an instant buff is never carried, so it can only require for apply",
		"require.remove: an instant buff is never carried, so it can only require for apply",
		"inhibition: an instant buff is never carried, so it cannot be inhibited",
		"immune: an instant buff is never carried, so no immunity can come later",
		"immunity: an instant buff is never carried, so it cannot make its owner immune",
		"dr: an instant buff is never carried, so it has no duration to diminish",
		"dispel.grade: an instant buff is never carried, so it cannot be dispelled",
		"dispel.per: an instant buff is never carried, so it cannot be dispelled",
		"dispel.resist: an instant buff is never carried, so it cannot be dispelled",
		"dispel.stealable: an instant buff is never carried, so it cannot be stolen",
		"interrupt: an instant buff is never carried, so it cannot be interrupted",
		"charges: an instant buff is never carried, so it has no charges",
		"shield: an instant buff is never carried, so it cannot absorb",
		"aura: an instant buff is never carried, so it has no aura",
		"save: an instant buff is never carried, so it cannot be saved",
	}, found)
}

// TestCheckWords checks that each unknown value of an enumeration is reported and causes no further
// errors.
func TestCheckWords(t *testing.T) {
	s := timed(func(s *buff.Spec) {
		s.Period = 0
		s.Polarity, s.Clock, s.First, s.Tail, s.Align, s.Haste, s.Catchup = 3, 3, 3, 3, 2, 3, 3
		s.Stack = define.Stacking{By: 4, Timers: 3, Refresh: 6, Phase: 3, Overflow: 4, Expire: 4, Level: 4}
		s.Group.Rule, s.Slot.Evict, s.Inhibition, s.Immune, s.Immunity.Polarity, s.DR.Scope = 6, 4, 3, 3, 3, 2
		s.Dispel.Grade, s.Dispel.Per, s.Charges.Refresh = 4, 3, 3
		s.Save = define.Saving{Mode: 3, Offline: 3, OfflineExpire: 255}
	})
	require.Equal(t, []string{
		"polarity: define.Polarity(3) is not one of the rules",
		"clock: define.Clock(3) is not one of the rules",
		"first: define.First(3) is not one of the rules",
		"tail: define.Tail(3) is not one of the rules",
		"align: define.Align(2) is not one of the rules",
		"haste: define.Haste(3) is not one of the rules",
		"catchup: define.Catchup(3) is not one of the rules",
		"stack.by: define.By(4) is not one of the rules",
		"stack.timers: define.Timers(3) is not one of the rules",
		"stack.refresh: define.Refresh(6) is not one of the rules",
		"stack.phase: define.Phase(3) is not one of the rules",
		"stack.overflow: define.Overflow(4) is not one of the rules",
		"stack.expire: define.Expire(4) is not one of the rules",
		"stack.level: define.LevelRule(4) is not one of the rules",
		"group.rule: define.GroupRule(6) is not one of the rules",
		"slot.evict: define.Evict(4) is not one of the rules",
		"inhibition: define.Inhibition(3) is not one of the rules",
		"immune: define.ImmuneRule(3) is not one of the rules",
		"immunity.polarity: define.Polarity(3) is not one of the rules",
		"dr.scope: define.Scope(2) is not one of the rules",
		"dispel.grade: define.Grade(4) is not one of the rules",
		"dispel.per: define.Per(3) is not one of the rules",
		"charges.on_refresh: define.ChargeRule(3) is not one of the rules",
		"save.mode: define.SaveMode(3) is not one of the rules",
		"save.offline_pulses: define.Offline(3) is not one of the rules",
		"save.offline_expire: define.OfflineExpire(255) is not one of the rules",
	}, faultsOf(t, s))
}

// TestCheckAgreement checks that definitions that share a class of slots or a group of diminishing
// returns must have the same settings. The others are compared with the first valid one.
func TestCheckAgreement(t *testing.T) {
	slot := func(id string, limit int, evict define.Evict) buff.Spec {
		return buff.Spec{ID: id, Duration: time.Second, Slot: define.Slot{Class: "c", Limit: limit, Evict: evict}}
	}
	require.Nil(t, faultsOf(t, slot("a", 3, define.EvictOldest), slot("b", 3, define.EvictOldest)))
	_, err := buff.NewCatalog(slot("bad", 0, 0), slot("a", 3, 0), slot("b", 4, 0), slot("c", 3, define.EvictOldest), slot("d", 3, 0))
	require.EqualError(t, err, `buff "bad": slot.limit: missing: how many slots the class has
buff "b": slot.class: has limit 4 and evict reject here, but 3 and reject in "a"
buff "c": slot.class: has limit 3 and evict oldest here, but 3 and reject in "a"`)

	dr := func(id string, reset time.Duration, scope define.Scope, steps ...int) buff.Spec {
		return buff.Spec{ID: id, Duration: time.Second, DR: define.DR{Group: "g", Reset: reset, Scope: scope, Steps: steps}}
	}
	require.Nil(t, faultsOf(t, dr("a", time.Second, 0, 50, 0), dr("b", time.Second, 0, 50, 0)))
	_, err = buff.NewCatalog(dr("bad", -1, 0, 50), dr("a", time.Second, 0, 50, 0), dr("b", time.Second, 0, 50),
		dr("c", 2*time.Second, 0, 50, 0), dr("d", time.Second, define.ScopePair, 50, 0))
	require.EqualError(t, err, `buff "bad": dr.reset: must be above zero, not -1ns
buff "b": dr.group: has steps [50], reset 1s and scope target here, but steps [50 0], reset 1s and scope target in "a"
buff "c": dr.group: has steps [50 0], reset 2s and scope target here, but steps [50 0], reset 1s and scope target in "a"
buff "d": dr.group: has steps [50 0], reset 1s and scope pair here, but steps [50 0], reset 1s and scope target in "a"`)
}

// TestCheckCatalogLimits checks the limits for the numbers of tags, acts and names in a catalog.
func TestCheckCatalogLimits(t *testing.T) {
	names := func(prefix string, n int) (list []string) {
		for i := range n {
			list = append(list, fmt.Sprint(prefix, i))
		}
		return list
	}
	// One tag with a parent, and as many other tags as the limit allows.
	tags := append([]string{"a.b"}, names("t", define.MaxTags-2)...)
	s := timed(func(s *buff.Spec) { s.Tags = tags })
	require.Nil(t, faultsOf(t, s))
	s.Grants = []string{"a", "t0"} // these tags exist already
	require.Nil(t, faultsOf(t, s))
	s.Grants = []string{"c"}
	require.Len(t, faultsOf(t, s), 1)
	s.Grants, s.Tags = nil, append(tags[:len(tags)-1:len(tags)-1], "d.e", "f")
	require.Equal(t, []string{"tags[16382]: more than 16384 tags in one catalog"}, faultsOf(t, s), "d.e would be two")

	s = timed(func(s *buff.Spec) {
		s.Interrupt, s.Charges = names("x", define.MaxActs), define.Charges{N: 1, ConsumeOn: []string{"x1"}}
	})
	require.Nil(t, faultsOf(t, s))
	s.Charges.ConsumeOn = []string{"x1", "y"}
	require.Equal(t, []string{"charges.consume_on[1]: more than 64 acts in one catalog"}, faultsOf(t, s))

	if !long.On() {
		return // 65,536 definitions take a second
	}
	many := make([]buff.Spec, 1<<16)
	for i := range many {
		many[i] = buff.Spec{ID: fmt.Sprint(i), Duration: time.Second, Group: define.Group{Name: fmt.Sprint(i)}}
	}
	require.Nil(t, faultsOf(t, many[1:]...))
	require.Equal(t, []string{"group.name: more than 65535 of them in one catalog"}, faultsOf(t, many...))
}

// TestAnySpec passes definitions with random values in all fields to NewCatalog, which must report
// errors but not panic.
func TestAnySpec(t *testing.T) {
	rng := rand.New(rand.NewPCG(long.Seed(), 5))
	sound := 0
	for range 3_000 {
		specs := make([]buff.Spec, 1+rng.IntN(3))
		for i := range specs {
			specs[i] = buff.Spec{ID: "a", Duration: time.Second}
			// Often only one or two fields are random; otherwise no definition would ever be valid.
			wild(rng, reflect.ValueOf(&specs[i]).Elem(), 1+rng.IntN(100))
		}
		d := buff.Definitions{Specs: specs}
		for _, name := range []string{"a", "b"}[:rng.IntN(3)] {
			d.Attributes = append(d.Attributes, define.Attribute{Attribute: stat.Attribute{Name: name}})
		}
		c, err := buff.Build(d)
		require.Equal(t, err == nil, c != nil)
		if err != nil {
			require.ErrorIs(t, err, buff.ErrSpec)
			require.NotEmpty(t, err.Error())
			continue
		}
		sound++
		var again []buff.Spec
		for s := range c.All() {
			again = append(again, *s)
		}
		d.Specs = again
		next, err := c.Rebuild(d)
		require.NoError(t, err, "what a catalog hands out is sound")
		require.Empty(t, next.Changes(), "and the same")
	}
	require.Greater(t, sound, 100, "nearly all are refused at once")
}

func wildCurve(rng *rand.Rand) *define.Curve {
	var points []define.Point
	for range rng.IntN(3) {
		points = append(points, define.Point{Level: rng.IntN(4), Value: []float64{0, 1, 0.05, -1, 1e300, 1e9}[rng.IntN(6)]})
	}
	c, err := define.NewCurve("c", points...)
	if err != nil && rng.IntN(2) == 0 {
		return &define.Curve{}
	}
	return c
}

// wild sets about one of every often exported fields to a random value.
func wild(rng *rand.Rand, v reflect.Value, often int) {
	words := []string{"", "a", "b", "a.b", "a..b", "a b", "\x00", "1.2.3.4.5.6.7.8.9.10.11.12.13.14.15.16.17"}
	numbers := []int64{0, 1, 2, 3, 5, -1, -2, 30, 100, 256, 1000, 1 << 15, 1 << 31, 1 << 32, 50e6, 1e9, 2e9, 1.5e6, math.MinInt64, math.MaxInt64}
	switch v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			f := v.Field(i)
			if f.CanSet() && (f.Kind() == reflect.Struct || rng.IntN(often) == 0) {
				wild(rng, f, often)
			}
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), rng.IntN(4), 4))
		for i := range v.Len() {
			wild(rng, v.Index(i), 1)
		}
	case reflect.Map: // Hooks.Remove
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		wild(rng, key, 1)
		wild(rng, value, 1)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.String:
		v.SetString(words[rng.IntN(len(words))])
	case reflect.Pointer:
		switch {
		case rng.IntN(8) == 0:
		case v.Type() == reflect.TypeFor[*define.Curve]():
			v.Set(reflect.ValueOf(wildCurve(rng)))
		default:
			v.Set(reflect.New(v.Type().Elem()))
			wild(rng, v.Elem(), 2)
		}
	case reflect.Interface: // Number.Formula
		if rng.IntN(4) > 0 {
			f := &testFormula{text: "wild"}
			wild(rng, reflect.ValueOf(&f.reads).Elem(), 1)
			v.Set(reflect.ValueOf(f))
		}
	case reflect.Bool:
		v.SetBool(rng.IntN(2) == 0)
	case reflect.Float64:
		v.SetFloat([]float64{0, 1, -1, math.NaN(), math.Inf(1), math.Inf(-1), math.MaxFloat64}[rng.IntN(7)])
	case reflect.Uint8:
		v.SetUint(uint64([]int{0, 1, 2, 3, 4, 5, 7, 255}[rng.IntN(8)]))
	case reflect.Int, reflect.Int64:
		v.SetInt(numbers[rng.IntN(len(numbers))])
	default:
		panic(v.Type())
	}
}
