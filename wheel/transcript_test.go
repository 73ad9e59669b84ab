package wheel

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestTranscripts runs the transcripts in testdata. Their commands are:
//
//	start [at=INSTANT] [dial=1000] [faces=60/60/12]   a new wheel; the faces finest
//	                                                  first, 60/60/12 is the clock
//	add NAME WHEN      starts a timer; prints the slot where it waits
//	move NAME WHEN     gives it a new deadline; prints the slot where it waits
//	remove NAME        ends it
//	replace OLD NAME WHEN   ends OLD and starts a timer; prints the slot where it waits
//	advance WHEN       advances the time; prints the fired timers in order
//	next               prints the earliest deadline
//	show               prints the hands, and every slot with a timer in it
//	face LEVEL         prints the hand and the number of entries in each slot
//	handle NAME        prints the parts of its handle
//	age                makes a free timer one use from its last generation
//	crowd N WHEN WHEN  starts N timers, due between the two instants; prints counters
//	thin [N]           ends N of those, or as many as it takes for a sweep to start
//	frames N LENGTH    advances N times; prints the number of entries moved in each frame
//
// WHEN is an instant (01:02:03, 01:02:03.450, -00:00:01, never, earliest) or, with a sign, a
// distance from now (+90s, +1h30m, +-1ms). The structure of the wheel is checked after every
// command.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		s := &transcript{handles: map[string]Handle{}}
		datadriven.RunTest(t, path, func(t *testing.T, d *datadriven.TestData) string {
			out := s.do(t, d)
			require.NoError(t, check(s.w), d.Pos)
			return out
		})
	})
}

// TestDocExample checks that the example in the package documentation agrees with the
// transcript.
func TestDocExample(t *testing.T) {
	doc, err := os.ReadFile("doc.go")
	require.NoError(t, err)
	story, err := os.ReadFile("testdata/cascade.txt")
	require.NoError(t, err)
	steps := regexp.MustCompile(`(?m)^//\t(\S+) +(\w+ at \d+ +\S+(?: \.\. \S+)?)`).FindAllSubmatch(doc, -1)
	require.Len(t, steps, 6)
	for _, step := range steps {
		want := fmt.Sprintf(`(?m)^now %s, .*\n%s: T$`, step[1], step[2])
		require.Regexp(t, want, string(story))
	}
}

type transcript struct {
	w       *Wheel
	faces   shape
	names   []string // by id
	handles map[string]Handle
	many    []Handle // the timers of crowd
}

func (s *transcript) do(t *testing.T, d *datadriven.TestData) string {
	arg := func(i int) string { return d.CmdArgs[i].Key }
	switch d.Cmd {
	case "start":
		s.start(t, d)
	case "add":
		s.names = append(s.names, arg(0))
		h := s.w.Add(s.when(t, arg(1)), uint64(len(s.names)-1))
		s.handles[arg(0)] = h
		return s.where(h)
	case "move":
		if h := s.handles[arg(0)]; s.w.Move(h, s.when(t, arg(1))) {
			return s.where(h)
		}
		return "no such timer"
	case "replace":
		h := s.w.ReplaceSelf(s.handles[arg(0)], s.when(t, arg(2)))
		s.handles[arg(1)] = h
		return s.where(h)
	case "remove":
		if s.w.Remove(s.handles[arg(0)]) {
			return "true: it was waiting"
		}
		return "false"
	case "advance":
		return s.advance(s.when(t, arg(0)))
	case "next":
		if due, ok := s.w.Next(); ok {
			return due.String()
		}
		return "nothing waits"
	case "handle":
		h := s.handles[arg(0)]
		return fmt.Sprintf("index %d, generation %d", uint32(h), h>>32)
	case "age":
		s.w.timer(nextFree(s.w)).gen = lastGeneration - 1
	case "show":
		return s.show()
	case "face":
		return s.face(arg(0))
	case "crowd":
		return s.crowd(t, d)
	case "thin":
		return s.thin(t, d)
	case "frames":
		return s.frames(t, d)
	default:
		d.Fatalf(t, "no such command: %s", d.Cmd)
	}
	return ""
}

func (s *transcript) start(t *testing.T, d *datadriven.TestData) {
	at, faces, sh := "00:00:00", "60/60/12", clockFace
	d.MaybeScanArgs(t, "at", &at)
	d.MaybeScanArgs(t, "dial", &sh.dial)
	d.MaybeScanArgs(t, "faces", &faces)
	_, err := fmt.Sscanf(faces, "%d/%d/%d", &sh.seconds, &sh.minutes, &sh.hours)
	require.NoError(t, err, d.Pos)
	s.faces = sh
	s.w, s.many = newWheel(sh, s.when(t, at)), nil
}

// advance prints the fired timers, or a panic.
func (s *transcript) advance(now Time) (out string) {
	defer func() {
		if r := recover(); r != nil {
			out = fmt.Sprintf("panic: %v", r)
		}
	}()
	var b strings.Builder
	for _, f := range s.w.Advance(now, nil) {
		fmt.Fprintf(&b, "%v %s\n", f.Due, s.name(f.ID))
	}
	if b.Len() == 0 {
		return "nothing"
	}
	return b.String()
}

// name returns the name of the timer with an id. The id of a timer that replaced another timer is
// its handle.
func (s *transcript) name(id uint64) string {
	for name, h := range s.handles {
		if id >= uint64(len(s.names)) && uint64(h) == id {
			return name
		}
	}
	return s.names[id]
}

// when parses an instant or a distance from now.
func (s *transcript) when(t *testing.T, text string) Time {
	if span, ok := strings.CutPrefix(text, "+"); ok {
		d, err := time.ParseDuration(span)
		require.NoError(t, err)
		return s.w.Now().After(d)
	}
	switch text {
	case "never":
		return Never
	case "earliest":
		return earliest
	}
	digits, before := strings.CutPrefix(text, "-")
	if !strings.Contains(digits, ".") {
		digits += ".000"
	}
	var h, m, sec, ms int64
	_, err := fmt.Sscanf(digits, "%d:%d:%d.%03d", &h, &m, &sec, &ms)
	require.NoError(t, err, text)
	at := ((h*60+m)*60+sec)*1000 + ms
	if before {
		at = -at
	}
	return Time(at)
}

// level returns the name of a level. Faces have names only in the shape of a clock.
func (s *transcript) level(l int) string {
	switch {
	case l == dial:
		return "dial"
	case l >= shelf:
		return fmt.Sprintf("shelf %d", l-shelf+1)
	case s.faces != clockFace:
		return fmt.Sprintf("level %d", l)
	}
	return []string{"seconds", "minutes", "hours"}[l-1]
}

// face prints the nonzero counters of a face. A + marks a slot of the next round.
func (s *transcript) face(name string) string {
	l := slices.Index([]string{"dial", "seconds", "minutes", "hours"}, name)
	f := s.w.Face(l, nil)
	var b strings.Builder
	fmt.Fprintf(&b, "hand at %d", f.Hand)
	for k, n := range f.Slots {
		round, size := "", len(f.Slots)/f.Rounds
		if k >= size {
			round = "+"
		}
		if n > 0 {
			fmt.Fprintf(&b, ", %d%s: %d", k%size, round, n)
		}
	}
	return b.String()
}

// where describes the slot of a timer's entry: its level, number and time range.
func (s *transcript) where(h Handle) (out string) {
	i := uint32(h)
	s.each(func(place string, in []entry) {
		for _, e := range in {
			if e.timer == i && e.stamp == s.w.timer(i).stamp {
				out = place
			}
		}
	})
	return out
}

// each calls f for the late slot and for every nonempty slot of the levels, finest first and in
// time order.
func (s *transcript) each(f func(place string, in []entry)) {
	in, _ := entries(s.w, s.w.queue(late))
	f("late", in)
	for l := range s.w.Levels() {
		face, v := s.w.Face(l, nil), &s.w.level[l]
		for k, n := range face.Slots {
			if n == 0 {
				continue
			}
			in, _ := entries(s.w, s.w.queue(v.first+v.ring(uint32(k))))
			f(s.place(l, uint32(k), face.Unit), in)
		}
	}
}

func (s *transcript) place(level int, k uint32, unit int64) string {
	f := &s.w.level[level]
	from, name := s.w.start(level, k), s.level(level)
	last := from.Add(unit - 1)
	if level < shelf {
		name += fmt.Sprintf(" at %d", k%f.size)
	}
	if from == last {
		return fmt.Sprintf("%-13s %v", name, from)
	}
	return fmt.Sprintf("%-13s %v .. %v", name, from, last)
}

// show prints the hands, the late timers, the slots from the finest level to the coarsest, and
// the resting timers. A postponed timer is shown in the slot of its entry; dead entries are
// only counted.
func (s *transcript) show() string {
	var b strings.Builder
	now := digitsOf(s.w, s.w.now)
	fmt.Fprintf(&b, "now %v", s.w.now)
	for l := hours; l >= dial; l-- {
		fmt.Fprintf(&b, ", %s at %d", s.level(l), now.at[l])
	}
	b.WriteString("\n")
	s.each(func(place string, in []entry) { s.list(&b, place, in) })
	rests := ""
	for i := uint32(1); uint64(i) < s.w.made; i++ {
		if s.w.timer(i).state() == resting {
			rests += " " + s.name(s.w.timer(i).id)
		}
	}
	if rests != "" {
		fmt.Fprintf(&b, "resting:%s\n", rests)
	}
	fmt.Fprintf(&b, "%d waiting", s.w.Len())
	if n := s.w.Stats().Dead; n > 0 {
		fmt.Fprintf(&b, ", %d dead", n)
	}
	b.WriteString("\n")
	return b.String()
}

func (s *transcript) list(b *strings.Builder, place string, in []entry) {
	line := ""
	for _, e := range in {
		if s.w.timer(e.timer).stamp == e.stamp {
			line += " " + s.name(s.w.timer(e.timer).id)
		}
	}
	if line != "" {
		b.WriteString(place + ":" + line + "\n")
	}
}
