package rules_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/long"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/stretchr/testify/require"
)

// TestRandomScripts compares the Owner with the model. A failure prints the seed and the smallest
// script that still fails. To repeat it, run go test ./internal/rules -run TestRandomScripts -seed
// N.
func TestRandomScripts(t *testing.T) {
	n := long.Times(1000)
	lines, tooLong, refused := 0, 0, 0
	for i := range uint64(n) {
		now := long.Seed() + i
		s, err := randomScript(seeded(now))
		if err != nil {
			refused++
			continue
		}
		log, wrong := compare(s, now)
		if wrong != "" {
			small := shrink(s, now)
			_, wrong = compare(small, now)
			t.Fatalf("seed %d: %s\nscript:\n%v", now, wrong, small)
		}
		lines += log
		if log == 0 {
			tooLong++
		}
	}
	require.Greater(t, lines, 10*n, "the scripts do too little")
	require.Less(t, tooLong, n/20+1, "too many scripts are given up")
	require.Less(t, refused, n/50+1, "too many definitions are wrong")
	t.Logf("%d scripts, %d lines, %d scripts given up, %d refused", n, lines, tooLong, refused)
}

// compare runs the script on the model and three times on an Owner: in one turn for each step and
// without a wheel; in random frames and turns, without a wheel, and with most numbers in extras;
// and in random frames and turns with a wheel and with numbers in the instances. All four logs must
// be equal. If late frames have rules of their own, the model gets the frames too. It returns the
// number of lines in the log, or 0 if the script is too long to compare, and the first difference.
func compare(s *Script, seed uint64) (lines int, wrong string) {
	plain := newModel(s)
	want := replay(s, nil, plain)
	if plain.over() {
		return 0, ""
	}
	for way, name := range []string{"one turn for each step", "random frames, little room", "random frames and a wheel"} {
		d, cuts := newDrive(s, nil, nil), frames(nil)
		if way > 0 {
			how := rand.New(rand.NewPCG(seed, uint64(way)+1))
			cuts, d.how = cut(s, how), how
			if way == 2 {
				d = newDrive(s, how, newTinyWheel())
			}
			if s.late {
				m := newModel(s)
				if want = replay(s, cuts, m); m.over() {
					return 0, ""
				}
			}
		}
		restore := func() {}
		if way == 1 {
			restore = rules.Fits(seed % 3000)
		}
		got, panicked := catch(func() []byte { return replay(s, cuts, d) }, d)
		restore()
		if diff := differ(want, got); diff != "" || panicked != "" || d.fault != "" {
			return plain.lineages, fmt.Sprintf("%s, frames %v\n%s\n%s\n%s", name, cuts, d.fault, panicked, diff)
		}
	}
	return plain.lineages, ""
}

// catch returns the log, and the panic that ended it early, if any.
func catch(f func() []byte, d *Drive) (log []byte, panicked string) {
	defer func() {
		if p := recover(); p != nil {
			log, panicked = d.log, fmt.Sprintf("panic: %v\n%s", p, debug.Stack())
		}
	}()
	return f(), ""
}

// frames are the instants of additional frames, before each step and before the end.
type frames [][]int64

func cut(s *Script, how *rand.Rand) frames {
	f, now := make(frames, len(s.steps)+1), int64(0)
	for i := range f {
		until := s.end
		if i < len(s.steps) {
			until = s.steps[i].at
		}
		for range how.IntN(3) {
			if now < until {
				now += how.Int64N(until - now + 1)
				f[i] = append(f[i], now)
			}
		}
		now = until
	}
	return f
}

// sided is the model or the Owner.
type sided interface {
	run(until int64)
	do(at int64, o Op) string
	state()
	said(format string, args ...any) []byte
}

func (m *model) said(format string, args ...any) []byte {
	m.log = fmt.Appendf(m.log, format, args...)
	return m.log
}

func (d *Drive) said(format string, args ...any) []byte {
	d.log = fmt.Appendf(d.log, format, args...)
	return d.log
}

// replay executes the steps of the script, and writes the result of each command and the state
// after it to the log.
func replay(s *Script, cuts frames, side sided) []byte {
	reach := func(i int, at int64) {
		if cuts != nil {
			for _, frame := range cuts[i] {
				side.run(frame)
			}
		}
		side.run(at)
	}
	for i, st := range s.steps {
		if !st.once || i == 0 || s.steps[i-1].at != st.at {
			reach(i, st.at)
		}
		r := side.do(st.at, st.op)
		side.said("step %d: %s: ", i+1, r)
		side.state()
	}
	reach(len(s.steps), s.end)
	side.state()
	return side.said("")
}

// differ returns the first line in which two logs differ, and the lines before it.
func differ(want, got []byte) string {
	if bytes.Equal(want, got) {
		return ""
	}
	a, b := strings.Split(string(want), "\n"), strings.Split(string(got), "\n")
	i := 0
	for i < min(len(a), len(b)) && a[i] == b[i] {
		i++
	}
	line := func(log []string) string {
		if i < len(log) {
			return log[i]
		}
		return "(nothing)"
	}
	before := ""
	for _, l := range a[max(0, i-12):i] {
		before += "  " + l + "\n"
	}
	return fmt.Sprintf("line %d:\nmodel: %s\nSet:   %s\nbefore:\n%s", i+1, line(a), line(b), before)
}

// TestPulsesAreWholePeriods checks that a buff that nothing affects pulses as often as whole
// periods fit into its duration.
func TestPulsesAreWholePeriods(t *testing.T) {
	rng := rand.New(rand.NewPCG(long.Seed(), 4))
	for range 300 {
		spec := buff.Spec{
			ID: "p", Duration: time.Duration(1+rng.IntN(5000)) * time.Millisecond, Period: time.Duration(50+rng.IntN(400)) * time.Millisecond,
			First: define.First(rng.IntN(3)), Tail: define.Tail(rng.IntN(3)),
		}
		want := int(spec.Duration / spec.Period)
		if spec.Tail == define.TailFit {
			want = max(int((spec.Duration+spec.Period/2)/spec.Period), 1)
		}
		if spec.First != define.FirstNone {
			want++
		}
		if spec.Tail == define.TailPartial && spec.Duration%spec.Period != 0 {
			want++
		}
		c, err := buff.NewCatalog(spec)
		require.NoError(t, err)
		s, turn := rules.NewOwner(1, 0, 0, 1), &rules.Turn{}
		s.Do(turn, 0, buff.Command{Verb: verb.Apply, Application: buff.Application{Spec: c.Spec("p")}})
		require.True(t, s.Run(turn, 1<<40, 1<<30))
		pulses := 0
		for _, e := range turn.Events {
			if e.Kind == buff.Pulsed {
				pulses++
			}
		}
		require.Equal(t, want, pulses, "%v every %v, first %v, tail %v", spec.Duration, spec.Period, spec.First, spec.Tail)
	}
}
