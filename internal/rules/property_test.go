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

// Properties that do not depend on the rules. A Drive itself checks after each frame that applied
// minus removed buffs equals present buffs, that no event is early or goes back in time, that no
// handler of a buff starts after its end, and that all counters are correct.

// eachScript runs a test on random scripts, fewer than are compared with the model.
func eachScript(t *testing.T, f func(s *Script, seed uint64) (wrong string)) {
	for i := range uint64(long.Times(100)) {
		now := long.Seed() + i
		s, err := randomScript(seeded(now))
		if err != nil {
			continue
		}
		if m := newModel(s); replay(s, nil, m) != nil && m.over() {
			continue // the script starts one cascade after another
		}
		if wrong := f(s, now); wrong != "" {
			t.Fatalf("seed %d: %s\nscript:\n%v", now, wrong, s)
		}
	}
}

// every returns frames at intervals of the given ms.
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

// TestFramesMakeNoDifference checks that one frame for each step, frames of 7 ms, frames of 50 ms
// and random frames give the same log.
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

// TestLateFramesLoseNothing checks that with coalesce and without a cap, combined pulses stand for
// exactly as many pulses as frames of 1 ms give, if handlers do nothing. Scripts with actions are
// skipped, because actions may add other buffs.
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
				d.Immune, d.Require.Ongoing = define.ImmuneIgnore, define.TagTest{} // the event of a suppressed pulse does not have the stacks that count
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

// TestOwner_Clear_LeavesNothing checks that no state of the buffs remains after Clear, and that
// there are at most as many records of diminishing returns as pairs of a group and a source.
func TestOwner_Clear_LeavesNothing(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		d := newDrive(s, nil, nil)
		replay(s, nil, d)
		if n := d.set.Memories(); n > 4 { // one group and four sources
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

// TestGrantsEndWithTheirBuffs checks that when the last buff has ended, none of its grants and
// immunities is left and its extra is free.
func TestGrantsEndWithTheirBuffs(t *testing.T) {
	eachScript(t, func(s *Script, _ uint64) string {
		for i := range s.defs {
			s.defs[i].On = define.Hooks{} // otherwise removed buffs may be applied again
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
		for _, name := range s.tags { // drop the tags that the game has added
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

// TestStackPulses checks that with TimersEach, each stack counts in as many pulses as whole periods
// fit into its duration, however the applications overlap and however late the frames are.
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
