package rules_test

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/stretchr/testify/require"
)

// saves returns the number of random scripts in which the owner is saved and restored.
func saves() int { return long.Times(200) }

// TestSaveIsNothing checks that an Owner that is restored at the moment of its Save continues like
// the saved Owner, whatever its state and whatever commands follow.
func TestSaveIsNothing(t *testing.T) {
	n := saves()
	total, settled := 0, 0
	for k := range uint64(n) {
		seed := long.Seed() + k
		s := newSaveScript(t, rand.New(rand.NewPCG(seed, 11)), func(*buff.Spec) {})
		straight := s.run(t, seed, false)
		restore := func() {}
		if seed%2 == 1 { // store most numbers in extras
			restore = rules.Fits(seed % 8 * 500)
		}
		saved := s.run(t, seed, true)
		restore()
		if straight.restless || saved.restless || saved.cut { // buffs that hide each other in a ring: each reevaluation changes them again
			continue
		}
		settled++
		for line := range straight.log {
			if line >= len(saved.log) || straight.log[line] != saved.log[line] {
				t.Fatalf("seed %d, line %d:\nstraight: %s\nsaved:    %s", seed, line, straight.log[line], strings.Join(saved.log[max(0, line-8):], "\n"))
			}
		}
		require.Len(t, saved.log, len(straight.log), "seed %d", seed)
		total += saved.carried
	}
	require.Greater(t, total, 20*n, "hardly anything was saved")
	require.Greater(t, settled, n/2)
	t.Logf("%d scripts, %d buffs saved and restored", settled, total)
}

// saveScript is a catalog of random definitions, with the commands to execute.
type saveScript struct {
	catalog *buff.Catalog
	specs   []*buff.Spec
	tags    []buff.Tag
	steps   []saveStep
}

type saveStep struct {
	at  int64
	cmd buff.Command
	nth int // index among the live instances, for a command that needs a handle
}

type saveRun struct {
	log      []string
	carried  int
	cut      bool // a base was reduced to its maximum at a restore
	restless bool
}

func (s *saveScript) run(t *testing.T, seed uint64, saving bool) saveRun {
	var r saveRun
	turn := &rules.Turn{Catalog: s.catalog, Seed: seed}
	turn.Call = func(_ *rules.Turn, c *rules.Call) reason.Reason {
		r.log = append(r.log, fmt.Sprintf("call %d of %v", c.Handler, c.Event.Kind))
		return reason.None
	}
	set := rules.NewOwner(7, 3, 0, 40)
	flush := func() {
		for i := range turn.Events {
			e := &turn.Events[i]
			r.restless = r.restless || e.Why == reason.Cascade
			r.log = append(r.log, fmt.Sprintf("%s s%d m%d l%d c%d", e.AppendLog(nil, false), e.Source, e.Magnitude, e.Level, e.Count))
		}
		turn.Events = turn.Events[:0]
		for _, p := range turn.Outbox {
			a := &p.Command.Application
			r.log = append(r.log, fmt.Sprintf("sent %d %v s%d x%d l%d m%d %v %v", p.To, a.Spec, a.Source, a.Stacks, a.Level, a.Magnitude, a.Duration, rules.Taken(a)))
		}
		turn.Outbox = turn.Outbox[:0]
	}
	for _, st := range s.steps {
		s.do(t, turn, set, st)
		flush()
		if saving && !r.restless {
			set = s.again(t, turn, set, &r, fmt.Sprintf("seed %d, at %d", seed, st.at))
		}
		for i := range set.All() {
			i.Handle = 0
			r.log = append(r.log, fmt.Sprintf("%d %v %+v", st.at, i.Spec, i))
		}
		for v := range set.Attributes(s.catalog) {
			r.log = append(r.log, fmt.Sprintf("%d %+v", st.at, v))
		}
	}
	return r
}

// again saves the Owner and returns a new Owner that is restored from the blob.
func (s *saveScript) again(t *testing.T, turn *rules.Turn, set *rules.Owner, r *saveRun, where string) *rules.Owner {
	m := buff.Moment{Now: turn.Now, Wall: 1_000_000 + int64(turn.Now), Uptime: int64(turn.Now)}
	blob, lost := set.Save(nil, s.catalog, m, 0)
	require.Zero(t, lost)
	twice, _ := set.Save(nil, s.catalog, m, 0)
	require.Equal(t, blob, twice, "%s: Save has changed the Set", where)
	back := rules.NewOwner(7, 3, set.Generation(), 40)
	turn.Dropped = 0
	came, err := back.Restore(turn, m, blob, func(name string) (define.HandlerID, bool) {
		var id define.HandlerID
		_, err := fmt.Sscanf(name, "h%d", &id)
		return id + 1, err == nil
	})
	require.NoError(t, err, where)
	require.Equal(t, set.Timeouts(), back.Timeouts(), where)
	sources := map[buff.OwnerID]bool{}
	for b := range set.All() {
		if b.Source != 0 && b.Source != 7 && b.Spec.OnSourceGone != define.FateKeep {
			sources[b.Source] = true
		}
	}
	require.Equal(t, buff.Restoration{Restored: set.Len(), Timeouts: set.Timeouts(), Sources: slices.Sorted(maps.Keys(sources))}, came)
	r.carried += back.Len()
	for _, e := range turn.Events {
		r.restless = r.restless || e.Why == reason.Cascade
	}
	if r.restless {
		return back
	}
	k := 0
	for i := range set.All() {
		if k >= len(turn.Events) || turn.Events[k].Kind != buff.Restored || turn.Events[k].Spec != i.Spec {
			require.Fail(t, "not restored", "%s: %v, but %v", where, i, turn.Events)
		}
		e := turn.Events[k]
		require.Equal(t, i.NextPulse, e.Next, where)
		if i.End != wheel.Never {
			require.Equal(t, i.End, e.End, where)
		}
		k++
	}
	require.Len(t, turn.Events, k, "%s: %v", where, turn.Events)
	turn.Events = turn.Events[:0]
	require.Equal(t, set.Next(), back.Next(), where)
	if again, _ := back.Save(nil, s.catalog, m, 0); string(again) != string(blob) {
		a, _ := buff.BlobJSON(blob)
		b, _ := buff.BlobJSON(again)
		// A base above a maximum that has fallen is reduced when the owner is restored.
		r.cut = true
		values := regexp.MustCompile(`"value": .*`)
		require.Equal(t, values.ReplaceAllString(string(a), ""), values.ReplaceAllString(string(b), ""), "%s: saved again, it is another blob", where)
	}
	text, err := buff.BlobJSON(blob)
	require.NoError(t, err)
	parsed, err := buff.ParseBlobJSON(text)
	require.NoError(t, err)
	require.Equal(t, blob, parsed)
	return back
}

// TestWallIsStaying checks that buffs with the clock Wall have the same state after their owner
// returns as if the owner had stayed.
func TestWallIsStaying(t *testing.T) {
	ended, stayed := 0, 0
	for n := range saves() {
		rng := rand.New(rand.NewPCG(long.Seed()+uint64(n), 13))
		s := newSaveScript(t, rng, func(spec *buff.Spec) {
			spec.Clock, spec.Align, spec.Require, spec.Immunity, spec.Group = define.Wall, define.AlignStart, define.Requirements{}, define.Match{}, define.Group{}
			spec.Stack.Effective, spec.Save.OfflineExpire = 0, define.OfflineRun
			spec.On, spec.Links = define.Hooks{}, nil // changes that pulses would have made are not made during the time away
		})
		set, turn := rules.NewOwner(7, 3, 0, 40), &rules.Turn{Catalog: s.catalog, Seed: 1}
		for _, st := range s.steps {
			st.cmd.Whose = define.OfBuff // the owner's own time is rounded to whole ms
			s.do(t, turn, set, st)
		}
		then := buff.Moment{Now: turn.Now, Wall: 1000}
		blob, _ := set.Save(nil, s.catalog, then, 0)
		before := set.Len()
		away := rng.Int64N(3000)
		turn.Now = turn.Now.Add(away)
		turn.Events = nil
		require.True(t, set.Run(turn, turn.Now, 1<<30))

		other := &rules.Turn{Catalog: s.catalog, Seed: 1, Now: 7}
		back := rules.NewOwner(7, 3, 0, 40)
		came, err := back.Restore(other, buff.Moment{Now: 7, Wall: 1000 + away}, blob, nil)
		require.NoError(t, err)
		require.Equal(t, []int{set.Len(), before - set.Len()}, []int{came.Restored, came.Expired}, "seed %d", long.Seed()+uint64(n))
		shift := int64(turn.Now) - 7
		var want, got []buff.Instance
		for i := range set.All() {
			want = append(want, i)
		}
		for i := range back.All() {
			for _, at := range []*wheel.Time{&i.End, &i.NextPulse} {
				if *at != wheel.Never {
					*at = at.Add(shift)
				}
			}
			got = append(got, i)
		}
		for k := range want {
			want[k].Handle, got[k].Handle = 0, 0
			require.Equal(t, want[k], got[k], "seed %d, away for %d ms", long.Seed()+uint64(n), away)
		}
		ended, stayed = ended+came.Expired, stayed+came.Restored
	}
	require.Greater(t, min(ended, stayed), saves())
}

// do executes one step on an Owner.
func (s *saveScript) do(t *testing.T, turn *rules.Turn, set *rules.Owner, st saveStep) {
	now := wheel.Time(st.at)
	turn.Now = now
	require.True(t, set.Run(turn, now, 1<<30))
	c := st.cmd
	k := 0
	for i := range set.All() {
		if k == st.nth%max(set.Len(), 1) {
			c.Handle = i.Handle
		}
		k++
	}
	if c.Verb == verb.Consume && st.nth%2 == 0 {
		c.Handle = 0
	}
	if c.Verb == verb.AddTimeout && set.Timeouts() > 30 {
		return
	}
	set.Do(turn, now, c)
	require.True(t, set.Run(turn, now, 1<<30))
}

func newSaveScript(t *testing.T, rng *rand.Rand, change func(*buff.Spec)) *saveScript {
	s := &saveScript{}
	var specs []buff.Spec
	for len(specs) < 6 {
		spec := anySpec(rng, fmt.Sprintf("b%d", len(specs)))
		change(&spec)
		if _, err := buff.Build(buff.Definitions{Attributes: scriptAttributes, Specs: []buff.Spec{spec}}); err == nil {
			specs = append(specs, spec)
		}
	}
	if rng.IntN(3) == 0 {
		randomLinks(&dice{rng: rng}, specs)
		for k := range specs {
			change(&specs[k])
		}
	}
	var err error
	s.catalog, err = buff.Build(buff.Definitions{Attributes: scriptAttributes, Specs: specs})
	require.NoError(t, err)
	for spec := range s.catalog.All() {
		s.specs = append(s.specs, spec)
	}
	for _, name := range saveTags {
		if tag, ok := s.catalog.Tag(name); ok {
			s.tags = append(s.tags, tag)
		}
	}
	now := int64(0)
	for range 30 {
		now += rng.Int64N(4) * 37
		s.steps = append(s.steps, saveStep{at: now, cmd: s.anyCommand(rng), nth: rng.IntN(1000)})
	}
	return s
}

var saveTags = []string{"a", "a.b", "a.b.c", "d", "d.e"}

// some returns a value of the list, with a preference for the first.
func some[T any](rng *rand.Rand, list ...T) T {
	if rng.IntN(2) == 0 {
		return list[0]
	}
	return list[rng.IntN(len(list))]
}

func someTags(rng *rand.Rand, often int) []string {
	if rng.IntN(often) > 0 {
		return nil
	}
	return []string{saveTags[rng.IntN(len(saveTags))]}
}

// anySpec returns a random definition, which may be invalid.
func anySpec(rng *rand.Rand, id string) buff.Spec {
	ms := func(list ...time.Duration) time.Duration { return some(rng, list...) * time.Millisecond }
	s := buff.Spec{
		ID: id, Kind: some(rng, define.Timed, define.Timed, define.Infinite), Tags: someTags(rng, 2), Grants: someTags(rng, 2), Period: ms(50, 0, 70, 333),
		First: define.First(some(rng, 0, 1, 2)), Tail: define.Tail(some(rng, 0, 1, 2)), Align: define.Align(some(rng, 0, 1)), Haste: define.Haste(rng.IntN(3)),
		HasteDuration: rng.IntN(3) == 0, Immune: define.ImmuneRule(some(rng, 0, 1, 2)), Inhibition: define.Inhibition(some(rng, 0, 1, 2)),
		OnDeath: some(rng, define.FatePause, define.FateKeep, define.FateRemove), OnSourceGone: some(rng, define.FateKeep, define.FateRemove, define.FateAdopt),
	}
	if s.Kind == define.Timed {
		s.Duration = ms(500, 200, 1000, 130)
	}
	s.Stack = define.Stacking{
		By: define.By(some(rng, 0, 1, 2, 3)), Limit: some(rng, 3, 0, 1, 5), Timers: define.Timers(some(rng, 0, 1, 2)), Effective: some(rng, 0, 0, 1, 2),
		Refresh: define.Refresh(some(rng, 0, 1, 2, 3, 4, 5)), Phase: define.Phase(some(rng, 0, 1, 2)), Overflow: define.Overflow(some(rng, 0, 1, 2, 3)),
		Expire: define.Expire(some(rng, 0, 1, 2)), Level: define.LevelRule(some(rng, 0, 1, 2, 3)),
	}
	if s.Stack.Timers == define.TimersEach {
		s.Stack.Limit = max(s.Stack.Limit, 2)
	}
	if rng.IntN(4) == 0 {
		s.Group = define.Group{Name: "g", Priority: rng.IntN(3), Rule: some(rng, define.GroupHide, define.GroupHigher)}
	}
	if rng.IntN(4) == 0 {
		s.Require.Ongoing = define.TagTest{None: someTags(rng, 1)}
	}
	if rng.IntN(6) == 0 {
		s.Immunity.Tags = someTags(rng, 1)
	}
	if rng.IntN(4) == 0 {
		s.Chance = 500
	}
	if rng.IntN(4) == 0 && s.Kind == define.Timed {
		s.DR = some(rng, define.DR{Group: "x", Steps: []int{100, 50, 25}, Reset: 300 * time.Millisecond},
			define.DR{Group: "y", Steps: []int{100, 40, 0}, Reset: 700 * time.Millisecond, Scope: define.ScopePair})
	}
	if rng.IntN(4) == 0 {
		s.Charges = define.Charges{N: 3, ConsumeOn: []string{"cast"}, Refresh: define.ChargeRule(rng.IntN(3))}
	}
	if rng.IntN(4) == 0 {
		s.Shield = define.Shield{On: true, Pool: some[int64](rng, 100, 0), Priority: rng.IntN(2)}
	}
	if rng.IntN(4) == 0 {
		s.Params = []define.Param{{Name: "p", Value: define.Caller("p").Or(1.5)}, {Name: "q", Value: define.Const(-0.1)}}
	}
	if rng.IntN(4) == 0 {
		s.Interrupt = []string{"move"}
	}
	if s.Period > 0 {
		s.On.Pulse = []define.Action{{Do: define.DoCall, Name: "h0"}}
	}
	if d := (&dice{rng: rng}); rng.IntN(2) == 0 {
		if rng.IntN(2) == 0 {
			s.On.RemoveAny = []define.Action{{Do: define.DoChange, Change: &define.Change{Attr: "mind", By: define.Const(0.5)}}}
		}
		randomStats(d, &s)
		randomHooks(d, &s)
	}
	return s
}

func (s *saveScript) anyCommand(rng *rand.Rand) buff.Command {
	c := buff.Command{Verb: verb.Apply}
	spec := s.specs[rng.IntN(len(s.specs))]
	c.Application = buff.Application{
		Spec: spec, Source: buff.OwnerID(1 + rng.IntN(3)), Stacks: rng.IntN(3), Level: rng.IntN(4), Key: uint64(rng.IntN(2)), Magnitude: int64(rng.IntN(50)),
		Params: rules.Takes(spec, buff.Arg{Caller: "p", Value: rng.Float64()}, buff.Arg{Caller: "power", Value: rng.Float64()}),
	}
	if id := c.Application.Source; rng.IntN(5) > 0 { // every attribute of this source is known
		caster := rules.NewOwner(id, 4, 0, 1)
		mind, _ := s.catalog.Attr("mind")
		caster.Do(&rules.Turn{Catalog: s.catalog}, 0, buff.Command{Verb: verb.SetBase, Attr: mind, Value: rng.Float64()})
		rules.Capture(&c.Application, nil, caster, s.catalog, define.SnapshotApply)
	}
	if rng.IntN(5) == 0 {
		c.Application.Duration = buff.Lasting(time.Duration(50+rng.IntN(600)) * time.Millisecond)
	}
	if rng.IntN(2) == 0 {
		return c
	}
	c.Verb = some(rng, verb.SetRate, verb.Remove, verb.Extend, verb.Kill, verb.LoseSource, verb.SetRemaining, verb.SetPeriod, verb.Pause, verb.Resume,
		verb.Inhibit, verb.Release, verb.AddTag, verb.DropTag, verb.Immunize, verb.DropImmunity, verb.Dispel, verb.Steal, verb.Interrupt, verb.Consume,
		verb.Absorb, verb.Revive, verb.Compensate, verb.AddTimeout, verb.AddBase, verb.SetBase, verb.Damage, verb.Damage, verb.SetArea)
	switch c.Verb {
	case verb.AddBase, verb.SetBase, verb.Damage:
		c.Application, c.Value = buff.Application{}, 40*rng.NormFloat64()
		c.Attr, _ = s.catalog.Attr(some(rng, "health", "mind", "power", "most"))
	}
	c.By, c.Amount, c.Stacks = time.Duration(50+rng.IntN(300))*time.Millisecond, rng.Int64N(80), rng.IntN(2)
	c.Rate = buff.Ratio{Num: 1 + rng.Uint32N(5), Den: 1 + rng.Uint32N(7)}
	c.Whose = []define.Whose{define.OfBuff, define.OfOwner}[rng.IntN(2)]
	c.Query = buff.Query{Source: buff.OwnerID(rng.IntN(3)), Most: 1, To: 9, Grade: define.Grade(rng.IntN(3))}
	c.Handler = 1 + define.HandlerID(rng.IntN(3))
	c.Name = fmt.Sprintf("h%d", c.Handler-1)
	if len(s.tags) > 0 {
		c.Tag = s.tags[rng.IntN(len(s.tags))]
	}
	if c.Verb == verb.Absorb {
		c.Tag = 0
	}
	c.Act, _ = s.catalog.Act(some(rng, "cast", "move"))
	return c
}
