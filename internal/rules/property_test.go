package rules_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
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

// What must hold whatever the rules say. A drive finds out by itself that applied - removed
// = carried after each frame, that nothing is early or goes back in time, that no handler of
// a buff starts after its end, and that what is counted is what there is.

// eachScript runs a test over random scripts, fewer than those that are held against the
// model.
func eachScript(t *testing.T, f func(s *Script, seed uint64) (wrong string)) {
	for i := range uint64(long.Times(100)) {
		now := long.Seed() + i
		s, err := randomScript(seeded(now))
		if err != nil {
			continue
		}
		if m := newModel(s); replay(s, nil, m) != nil && m.over() {
			continue // it sets off one cascade after the other
		}
		if wrong := f(s, now); wrong != "" {
			t.Fatalf("seed %d: %s\nscript:\n%v", now, wrong, s)
		}
	}
}

// every returns frames that are some ms apart.
func (s *Script) every(step int64) frames {
	f, now := make(frames, len(s.steps)+1), int64(0)
	for i := range f {
		until := s.end
		if i < len(s.steps) {
			until = s.steps[i].at
		}
		for now += step; now < until; now += step {
			f[i] = append(f[i], now)
		}
		now = until
	}
	return f
}

// TestFramesMakeNoDifference: one frame for each step, frames of 7 ms and of 50 ms, and any
// other, tell the same story.
func TestFramesMakeNoDifference(t *testing.T) {
	eachScript(t, func(s *Script, seed uint64) string {
		if s.late {
			return ""
		}
		how := rand.New(rand.NewPCG(seed, 5))
		var first []byte
		for i, cuts := range []frames{nil, s.every(7), s.every(50), cut(s, how)} {
			d := newDrive(s, nil, nil)
			log := replay(s, cuts, d)
			if i == 0 {
				first = log
			}
			if d.fault != "" || !bytes.Equal(first, log) {
				return fmt.Sprintf("frames %v\n%s\n%s", cuts, d.fault, differ(first, log))
			}
		}
		return ""
	})
}

// TestLateFramesLoseNothing: with coalesce and no cap a pulse stands for as many as there
// were: as many as pulse with frames of 1 ms, as long as no handler does anything. Actions
// of definitions may bring in others, so that scripts with any are left out.
func TestLateFramesLoseNothing(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		if !s.late {
			return ""
		}
		for i := range s.defs {
			d := &s.defs[i]
			d.CatchupMax, d.On = 0, define.Hooks{}
			if d.Catchup == define.CatchupSkip {
				d.Catchup = define.CatchupCoalesce
			}
			if d.Stack.Timers == define.TimersEach {
				d.Immune, d.Require.Ongoing = define.ImmuneIgnore, define.TagTest{} // a suppressed pulse does not tell its stacks
			}
		}
		if err := s.build(); err != nil {
			return ""
		}
		coarse, fine := pulsesOf(s, nil), pulsesOf(s, s.every(1))
		if coarse != fine {
			return fmt.Sprintf("one frame a step: %+v, frames of 1 ms: %+v", coarse, fine)
		}
		return ""
	})
}

type pulses struct{ all, suppressed, stacks int }

func pulsesOf(s *Script, cuts frames) (p pulses) {
	d := newDrive(s, nil, nil)
	d.seen = func(e *buff.Event) {
		switch n := max(int(e.Count), 1); e.Kind {
		case buff.Pulsed:
			p.all += n
			p.stacks += n * int(e.Stacks)
		case buff.Suppressed:
			p.suppressed += n
		}
	}
	replay(s, cuts, d)
	return p
}

// TestNothingIsLeft: after Clear there is nothing of what the buffs had. What is remembered
// of diminishing returns is no more than there are groups and sources.
func TestNothingIsLeft(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		d := newDrive(s, nil, nil)
		replay(s, nil, d)
		if n := d.set.Memories(); n > 4 { // one group, four sources
			return fmt.Sprintf("%d groups are remembered", n)
		}
		d.set.Clear(&d.turn, wheel.Time(s.end), reason.Unload)
		d.flush()
		d.balance()
		all, free := d.set.Extras()
		switch {
		case d.fault != "":
			return d.fault
		case all != free:
			return fmt.Sprintf("%d extras, and %d of them free", all, free)
		case d.set.Next() != wheel.Never || d.set.Len() != 0 || d.set.Timeouts() != 0:
			return "something is left"
		}
		for _, name := range s.tags {
			if tag, _ := s.catalog.Tag(name); d.set.Has(tag) {
				return "the owner still has " + name
			}
		}
		return ""
	})
}

// TestGrantsEndWithTheirBuffs: when the last buff has ended by itself nothing of its grants
// and immunities is left, and its extra is free.
func TestGrantsEndWithTheirBuffs(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		for i := range s.defs {
			s.defs[i].On = define.Hooks{} // or what is removed may come back
		}
		if err := s.build(); err != nil {
			return err.Error()
		}
		d := newDrive(s, nil, nil)
		replay(s, nil, d)
		for d.set.Len() > 0 {
			for i := range d.set.All() {
				d.do(s.end, Op{verb: verb.Remove, number: d.numbers[i.Handle] - 1})
				d.balance()
				break
			}
		}
		for _, name := range s.tags { // what the game gave it takes
			for range 50 {
				d.do(s.end, Op{verb: verb.DropTag, tag: name})
			}
		}
		for _, name := range s.tags {
			if tag, _ := s.catalog.Tag(name); d.set.Has(tag) {
				return "the owner still has " + name
			}
		}
		d.balance()
		return d.fault
	})
}

// TestStackPulses: where each application has a timer of its own the pulses of all stacks
// are as many as whole periods fit into each, however the applications overlap, and however
// late the frames are.
func TestStackPulses(t *testing.T) {
	for i := range uint64(500) {
		rng := rand.New(rand.NewPCG(long.Seed()+i, 6))
		period := time.Duration(50+rng.IntN(100)) * millis
		c, err := buff.NewCatalog(buff.Spec{
			ID: "p", Duration: time.Second, Period: period, Catchup: pick(&dice{rng: rng}, define.CatchupAll, define.CatchupCoalesce),
			Stack: define.Stacking{By: define.ByTarget, Timers: define.TimersEach, Limit: 200},
		})
		require.NoError(t, err)
		s, turn := rules.NewOwner(1, 0, 0, 1), &rules.Turn{}
		at, want := wheel.Time(0), 0
		for range 1 + rng.IntN(12) {
			d, n := time.Duration(1+rng.IntN(600))*millis, 1+rng.IntN(5)
			want += n * int(d/period)
			s.Do(turn, at, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("p"), Stacks: n, Duration: buff.Lasting(d)}})
			at += wheel.Time(rng.IntN(150))
			turn.Now = at
			require.True(t, s.Run(turn, at, 1<<30))
		}
		turn.Now = 1 << 20
		require.True(t, s.Run(turn, turn.Now, 1<<30))
		got := 0
		for _, e := range turn.Events {
			if e.Kind == buff.Pulsed {
				got += int(e.Stacks) * max(int(e.Count), 1)
			}
		}
		require.Equal(t, want, got, "seed %d", long.Seed()+i)
	}
}
