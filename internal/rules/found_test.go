package rules_test

import (
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// found is a failure that the random scripts have found, reduced to the smallest script.
type found struct {
	what string
	defs []buff.Spec
	do   []step
	end  int64
	want []string // expected log lines without their source, in this order; other lines may be between them
	not  string   // no log line may contain this text
}

const millis = time.Millisecond

// TestFoundScripts replays the failures that the random scripts have found.
func TestFoundScripts(t *testing.T) {
	for _, list := range [][]found{foundAtApplication, foundInTime, foundInEffect} {
		for _, f := range list {
			t.Run(strings.ReplaceAll(f.what, " ", "_"), func(t *testing.T) {
				s := &Script{defs: f.defs, steps: f.do, end: f.end, limit: 8}
				require.NoError(t, s.build())
				d := newDrive(s, nil, nil)
				log := string(replay(s, nil, d))
				require.Empty(t, d.fault)
				rest := log
				for _, want := range f.want {
					_, after, ok := strings.Cut(rest, want+" ")
					require.True(t, ok, "no %q in\n%s", want, log)
					rest = after
				}
				if f.not != "" {
					require.NotContains(t, log, f.not)
				}
				_, wrong := compare(s, 1)
				require.Empty(t, wrong)
			})
		}
	}
}

func apply(at int64, spec string) step {
	return step{at: at, op: Op{verb: verb.Apply, spec: spec, source: 1}}
}

var foundAtApplication = []found{
	{
		what: "what a further application sets off knows of its own source",
		defs: []buff.Spec{
			{
				ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Limit: 2, Thresholds: []define.Threshold{{At: 2, Apply: "q"}}},
				On: define.Hooks{Refresh: []define.Action{{Do: define.DoApply, Name: "q"}}},
			},
			{ID: "q", Kind: define.Instant, On: define.Hooks{Exec: []define.Action{{Do: define.DoChange, Change: &define.Change{
				Attr: "power", By: define.Number{From: define.FromAttr, Attr: "mind", Of: define.OfSource},
			}}}}},
		},
		do: []step{
			{op: Op{verb: verb.Apply, spec: "p", source: ownID}},
			{op: Op{verb: verb.Apply, spec: "p", source: 1}},
			{op: Op{verb: verb.Apply, spec: "p", source: 2}},
		},
		want: []string{"0 exec q x1 s1", "0 change q power by=14", "0 change q power by=14", "0 exec q x1 s2", "0 change q power by=11.5"},
		not:  "deny",
	},
	{
		what: "what auras apply stands for itself, and stacks by its own rule",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget}}},
		do: []step{
			{at: 0, op: Op{verb: verb.Enter, spec: "p", source: 2}},
			apply(10, "p"),
			{at: 20, op: Op{verb: verb.Enter, spec: "p", source: 3}},
			{at: 30, op: Op{verb: verb.Leave, spec: "p", source: 2}},
			{at: 40, op: Op{verb: verb.Leave, spec: "p", source: 3}},
		},
		end:  200,
		want: []string{"0 apply p x1", "10 apply p x1 end=110", "20 refresh p x1", "40 remove p why=out_of_aura", "110 remove p why=expired"},
	},
	{
		what: "diminishing returns come to nothing for what has no end too",
		defs: []buff.Spec{{ID: "p", Kind: define.Infinite, DR: define.DR{Group: "dr", Steps: []int{100, 0}, Reset: time.Second}}},
		do:   []step{apply(0, "p"), apply(1, "p")},
		want: []string{"0 apply p x1", "1 deny p why=dr"},
	},
	{
		what: "levels add up once",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Limit: 2, Level: define.LevelSum}}},
		do: []step{
			{at: 0, op: Op{verb: verb.Apply, spec: "p", level: 2}},
			{at: 1, op: Op{verb: verb.Apply, spec: "p", level: 1}},
		},
		want: []string{"1 stack p x2 s0 m0 l3", "1 refresh p x2 end=101 s0 m0 l3"},
	},
	{
		what: "a layer may replace the only one",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Overflow: define.OverflowReplace}}},
		do:   []step{apply(0, "p"), apply(1, "p")},
		end:  200,
		want: []string{"1 stackend p x0 why=overflow", "1 stack p x1 end=101", "101 remove p why=expired"},
	},
	{
		what: "a layer that replaces another is an overflow",
		defs: []buff.Spec{
			{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Overflow: define.OverflowReplace}, On: define.Hooks{Overflow: []define.Action{{Do: define.DoApply, Name: "q"}}}},
			{ID: "q", Kind: define.Instant},
		},
		do:   []step{apply(0, "p"), apply(1, "p")},
		want: []string{"1 stack p x1 end=101", "1 exec q x1"},
	},
	{
		what: "charges are filled up without a refresh too",
		defs: []buff.Spec{{
			ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Refresh: define.RefreshNone},
			Charges: define.Charges{N: 2, ConsumeOn: []string{"hit"}, Refresh: define.ChargesAdd},
		}},
		do:   []step{apply(0, "p"), apply(0, "p")},
		want: []string{"step 2: :  i1 x1 s1 c4"},
	},
	{
		what: "of equals that wait the youngest gives way",
		defs: []buff.Spec{{ID: "p", Duration: 10 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue, Limit: 3}}},
		do: []step{
			{op: Op{verb: verb.Apply, spec: "p", source: 1, magnitude: 9}},
			{op: Op{verb: verb.Apply, spec: "p", source: 2, magnitude: 1}},
			{op: Op{verb: verb.Apply, spec: "p", source: 3, magnitude: 1}},
			{op: Op{verb: verb.Apply, spec: "p", source: 4, magnitude: 5}},
		},
		end:  50,
		want: []string{"10 queue p active=5 end=20 s4", "20 queue p active=1 end=30 s2", "30 remove p why=expired"},
	},
	{
		what: "a share that is less than a millisecond is resisted",
		defs: []buff.Spec{{ID: "p", Duration: millis, DR: define.DR{Group: "dr", Steps: []int{25}, Reset: time.Second}}},
		do:   []step{apply(0, "p")},
		want: []string{"0 deny p why=resist"},
	},
	{
		what: "diminishing returns that are over stay forgotten",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, DR: define.DR{Group: "dr", Steps: []int{100, 50, 25}, Reset: 100 * millis}}},
		do:   []step{apply(0, "p"), apply(300, "p"), apply(300, "p")},
		want: []string{"0 apply p x1 end=100", "300 apply p x1 end=400", "300 apply p x1 end=350"},
	},
}

var foundInTime = []found{
	{
		what: "the tail of an aligned buff pulses once",
		defs: []buff.Spec{{
			ID: "p", Duration: 30 * millis, Period: 100 * millis, Tail: define.TailPartial, Align: define.AlignOwner,
			Stack: define.Stacking{Limit: 2, Initial: 2, Expire: define.ExpireOne},
		}},
		do:   []step{apply(120, "p")},
		end:  200,
		want: []string{"150 stackend p x1 why=expired end=180", "180 pulse p x1 fraction=80/100", "180 remove p why=expired"},
		not:  "150 pulse",
	},
	{
		what: "who leaves an aura loses all stacks",
		defs: []buff.Spec{{ID: "p", Duration: 50 * millis, Stack: define.Stacking{Limit: 3, Initial: 3, Expire: define.ExpireOne}}},
		do: []step{
			{at: 0, op: Op{verb: verb.Enter, spec: "p"}},
			{at: 50, op: Op{verb: verb.Leave, spec: "p", by: 20 * millis}},
		},
		end:  200,
		want: []string{"0 apply p x3", "70 remove p why=out_of_aura"},
	},
	{
		what: "a tail is a part of the period that ran",
		defs: []buff.Spec{
			{ID: "p", Duration: 50 * millis, Period: 100 * millis, Tail: define.TailPartial, Haste: define.HasteNext},
			{ID: "q", Duration: 150 * millis, Period: 100 * millis, Tail: define.TailPartial, Haste: define.HasteNext},
		},
		do: []step{
			apply(0, "p"),
			apply(0, "q"),
			{at: 10, op: Op{verb: verb.SetPeriod, by: 200 * millis, number: 0}},
			{at: 100, op: Op{verb: verb.SetPeriod, by: 50 * millis, number: 1}},
		},
		end:  200,
		want: []string{"50 pulse p x1 fraction=50/100", "100 pulse q x1", "100 period q next=150", "150 pulse q x1 fraction=50/100"},
	},
	{
		what: "nothing that is rescaled comes at once",
		defs: []buff.Spec{{ID: "p", Duration: 150 * millis, Period: 200 * millis, Haste: define.HasteRescale, HasteDuration: true}},
		do: []step{
			apply(0, "p"),
			{at: 149, op: Op{verb: verb.SetPeriod, by: 50 * millis}},
		},
		end:  200,
		want: []string{"149 period p end=150", "150 remove p why=expired"},
	},
	{
		what: "stacks that fall one by one do not drift",
		defs: []buff.Spec{
			{ID: "p", Duration: 50 * millis, Stack: define.Stacking{By: define.ByTarget, Limit: 9, Expire: define.ExpireOne}},
			{ID: "q", Duration: 50 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}},
		},
		do: []step{
			{op: Op{verb: verb.Apply, spec: "p", stacks: 7, source: 1}},
			apply(0, "q"),
			apply(0, "q"),
			apply(0, "q"),
			{op: Op{verb: verb.SetRate, whose: define.OfBuff, rate: buff.Ratio{Num: 3, Den: 7}, number: 0}},
			{op: Op{verb: verb.SetRate, whose: define.OfBuff, rate: buff.Ratio{Num: 3, Den: 7}, number: 1}},
		},
		end:  1000,
		want: []string{"350 remove q why=expired", "817 remove p why=expired"},
	},
	{
		what: "a queue ends in the frame in which somebody joins it",
		defs: []buff.Spec{
			{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersQueue}},
			{ID: "q", Duration: 50 * millis, On: define.Hooks{RemoveAny: []define.Action{{Do: define.DoApply, Name: "p"}}}},
		},
		do:   []step{apply(0, "p"), apply(0, "q")},
		end:  300,
		want: []string{"50 queue p active=0 end=100", "100 queue p active=0 end=200", "200 remove p why=expired"},
	},
	{
		what: "a layer that is extended does not fall silent",
		defs: []buff.Spec{{ID: "p", Duration: 130 * millis, Period: 50 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach}}},
		do: []step{
			apply(0, "p"),
			{at: 10, op: Op{verb: verb.Extend, by: 20 * millis}},
		},
		end:  200,
		want: []string{"100 pulse p x1", "150 pulse p x1", "150 remove p why=expired"},
	},
	{
		what: "a death finds the late pulses done",
		defs: []buff.Spec{
			{ID: "p", Duration: time.Second, Period: 50 * millis, Catchup: define.CatchupCoalesce, OnDeath: define.FatePause},
			{
				ID: "q", Duration: 120 * millis, Immunity: define.Match{Tags: []string{"a"}},
				On: define.Hooks{RemoveAny: []define.Action{{Do: define.DoKill}}},
			},
			{ID: "r", Duration: time.Second, Period: 50 * millis, Catchup: define.CatchupCoalesce, OnDeath: define.FateKeep, Tags: []string{"a"}},
		},
		do:   []step{apply(0, "p"), apply(0, "r"), apply(0, "q")},
		end:  210,
		want: []string{"120 suppressed r why=immune count=2", "120 remove q why=expired", "120 pulse p x1 count=2", "200 pulse r x1 count=2"},
	},
	{
		what: "an application too many makes one stack last longer",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Limit: 3, Initial: 3}}},
		do:   []step{apply(0, "p"), apply(50, "p")},
		end:  200,
		want: []string{"50 refresh p x3 end=150", "100 stackend p x1 why=expired", "150 remove p why=expired"},
	},
	{
		what: "a layer counts in its last pulse at any rate of time",
		defs: []buff.Spec{{ID: "p", Duration: 100 * millis, Period: 50 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach}}},
		do: []step{
			apply(0, "p"),
			{at: 0, op: Op{verb: verb.SetRate, whose: define.OfBuff, rate: buff.Ratio{Num: 3, Den: 7}}},
		},
		end:  300,
		want: []string{"117 pulse p x1", "234 pulse p x1", "234 remove p why=expired"},
	},
	{
		what: "an aligned buff finds the beat of its new period",
		defs: []buff.Spec{{ID: "p", Duration: 400 * millis, Period: 100 * millis, Align: define.AlignOwner, Haste: define.HasteNext}},
		do: []step{
			apply(50, "p"),
			{at: 60, op: Op{verb: verb.SetPeriod, by: 75 * millis}},
		},
		end:  300,
		want: []string{"60 period p next=100", "100 pulse p x1", "150 pulse p x1", "225 pulse p x1", "300 pulse p x1"},
	},
	{
		what: "a layer tells no end while its time stands still",
		defs: []buff.Spec{{ID: "p", Duration: 150 * millis, Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Limit: 2}}},
		do: []step{
			apply(0, "p"),
			{at: 50, op: Op{verb: verb.Pause, whose: define.OfBuff}},
			apply(500, "p"),
			apply(500, "p"),
		},
		want: []string{"500 stack p x2", "500 refresh p x2"},
	},
}

var foundInEffect = []found{
	{
		what: "late pulses from before an immunity are not immune",
		defs: []buff.Spec{
			{ID: "p", Duration: time.Second, Period: 50 * millis, Catchup: define.CatchupCoalesce, Tags: []string{"a"}},
			{ID: "other", Duration: time.Second, Immunity: define.Match{Tags: []string{"b"}}},
			{ID: "immune", Duration: time.Second, Immunity: define.Match{Tags: []string{"a"}}},
			{ID: "bomb", Duration: 120 * millis, On: define.Hooks{RemoveAny: []define.Action{{Do: define.DoApply, Name: "immune"}}}},
		},
		do:   []step{apply(0, "other"), apply(0, "p"), apply(0, "bomb")},
		end:  200,
		want: []string{"120 pulse p x1 count=2", "120 apply immune x1 end=1120", "200 suppressed p why=immune count=2"},
	},
	{
		what: "who was second shows at once when the first must go",
		defs: []buff.Spec{
			{ID: "p", Duration: time.Second, Group: define.Group{Name: "g", Priority: 1, Rule: define.GroupHide}, Require: define.Requirements{Remove: define.TagTest{All: []string{"a"}}}},
			{ID: "q", Duration: time.Second, Group: define.Group{Name: "g", Rule: define.GroupHide}},
			{ID: "r", Duration: time.Second, Require: define.Requirements{Ongoing: define.TagTest{All: []string{"a"}}}},
		},
		do:   []step{apply(0, "p"), apply(0, "q"), apply(0, "r"), {at: 1, op: Op{verb: verb.AddTag, tag: "a"}}},
		want: []string{"0 hide q", "0 hide r", "1 remove p why=condition", "1 show q", "1 show r"},
	},
	{
		what: "what shows because of a newcomer shows before its first pulse",
		defs: []buff.Spec{
			{ID: "p", Duration: 100 * millis, Stack: define.Stacking{Effective: 1}, Slot: define.Slot{Class: "s", Limit: 2, Evict: define.EvictOldest}},
			{ID: "q", Duration: 300 * millis, Period: 50 * millis, First: define.FirstStart, Slot: define.Slot{Class: "s", Limit: 2, Evict: define.EvictOldest}},
		},
		do:   []step{apply(0, "p"), apply(0, "p"), apply(0, "q")},
		want: []string{"0 hide p", "0 apply q x1 end=300", "0 show p", "0 pulse q x1"},
	},
	{
		what: "a refresh may make the hidden one of a group the strongest",
		defs: []buff.Spec{{ID: "p", Duration: 400 * millis, Stack: define.Stacking{By: define.BySource}, Group: define.Group{Name: "g", Rule: define.GroupHide}}},
		do: []step{
			apply(0, "p"),
			{at: 50, op: Op{verb: verb.Apply, spec: "p", source: 2, magnitude: 1}},
			{at: 100, op: Op{verb: verb.Apply, spec: "p", source: 1, magnitude: 2}},
		},
		want: []string{"50 hide p s1", "100 refresh p x1 end=500 s1", "100 show p s1", "100 hide p s2"},
	},
	{
		what: "what has no end is stolen for the most that is asked",
		defs: []buff.Spec{{ID: "p", Kind: define.Infinite}},
		do:   []step{apply(0, "p"), {at: 1, op: Op{verb: verb.Steal, ask: &ask{to: 5}, by: 50 * millis}}},
		want: []string{"1 remove p why=stolen", "sent to 5: p s5 x1 l0 m0 k0 for"},
		not:  "for its own",
	},
	{
		what: "a tag that nobody gave cannot be dropped",
		defs: []buff.Spec{
			{ID: "stun", Kind: define.Infinite, Grants: []string{"a.x"}},
			{ID: "cast", Kind: define.Infinite, Require: define.Requirements{Ongoing: define.TagTest{None: []string{"a"}}}},
		},
		do: []step{
			{at: 0, op: Op{verb: verb.DropTag, tag: "a.x"}},
			apply(0, "stun"),
			apply(0, "cast"),
			{at: 1, op: Op{verb: verb.DropTag, tag: "a.x"}},
			{at: 2, op: Op{verb: verb.AddTag, tag: "a.x"}},
			{at: 3, op: Op{verb: verb.DropTag, tag: "a"}},
		},
		want: []string{"0 hide cast"},
		not:  "show",
	},
}

// TestFault_ShowsHiddenBuffs checks that buffs that a faulty buff has hidden are shown at the
// instant at which the faulty buff ends.
func TestFault_ShowsHiddenBuffs(t *testing.T) {
	g := define.Group{Name: "g", Rule: define.GroupHide}
	strong := g
	strong.Priority = 1
	r := newRig(t,
		buff.Spec{ID: "weak", Duration: time.Second, Group: g},
		buff.Spec{ID: "strong", Duration: time.Second, Period: 50 * millis, Group: strong, OnFault: define.FateRemove, On: define.Hooks{Pulse: call("h")}},
	)
	r.turn.Call = func(*rules.Turn, *rules.Call) reason.Reason { return reason.Panic }
	r.apply(0, "weak")
	r.apply(0, "strong")
	r.run(500)
	last := r.turn.Events[len(r.turn.Events)-1]
	require.Equal(t, "50 show weak", last.String())
}
