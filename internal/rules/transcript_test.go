package rules_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestTranscripts runs the stories in testdata. An output line has the format of a scenario:
// "<ms> <kind> <buff> [x<stacks>] [key=value …]". The commands:
//
//	define                        one definition on each line: its ID, then its fields;
//	                              actions are on.pulse=(apply:b, remove:b/dispelled,
//	                              call:handler, kill), on.remove.expired=(…) and so on; an
//	                              action with @source or @target is for the source or target
//	reload                        like define: the next version of the definitions
//	handler NAME [at=3s]          one command on each line, or panic or goexit; with "at" the
//	                              handler does nothing at other instants
//	late                          the first Owner also runs only once for each advance
//	carry N                       the owner may have at most N buffs and N timeouts
//	apply ID [source=a] [stacks=1] [level=1] [key=1] [magnitude=1] [duration=5s] [scale=3/4]
//	         [param=dmg:35] [as=NAME]
//	remove X [stacks=1] [reason=word]       X is a NAME, or an ID: its oldest buff
//	extend X 2s [upto=9s], set_remaining X 2s, set_period X 2s
//	pause X, resume X, rate X 3/2           X may be owner
//	inhibit X, release X, tag TAG, untag TAG, immune TAG [purge], vulnerable TAG
//	dispel / steal / extend_all [id=ID] [tag=TAG] [type=word] [polarity=word] [grade=word]
//	         [source=a] [most=1] [newest] [for=9s] [by=9s]; the thief is owner 2
//	thief                         applies the buffs stolen so far to the thief, and prints the
//	                              thief's events and buffs
//	happened ACT [target=b] [amount=30]
//	act ACT, consume ACT or X [stacks=1], absorb 70 [school=TAG]
//	kill, revive, source_gone SOURCE
//	enter ID [source=a], leave ID [source=a] [linger=1s]
//	timeout NAME after=5s [call=handler], cancel NAME
//	area                          the owner moves to another area
//	change ATTR 5, set ATTR 5, damage ATTR 5 [school=TAG]
//	attributes, curves, formulas  names that definitions may use: see lexicon
//	stats, params                 the owner's attributes; the parameters of its buffs
//	caster ATTR 5                 the base of an attribute of owner b; the attributes of other
//	                              sources are unknown
//	cast …, arrive                an application that is made now and executed later
//	changes, adopt                after a reload: prints the changes; updates running buffs
//	advance 4s [seen]             time passes; with "seen" the output shows late pulses
//	show                          the buffs, the oldest application first
//
// Every command is executed on two Owners. One runs instant by instant, the other once for each
// advance; their output must be the same. After each command, the counters of both are compared
// with their buffs, and at the end both are checked.
func TestTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") || strings.HasPrefix(path, "testdata/save/") { // see TestSaveTranscripts
			return
		}
		s := &Story{t: t, limit: 100, handlers: map[string]*datadriven.TestData{}}
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string {
			told := s.command(d)
			for _, side := range s.sides {
				require.Empty(s.t, side.set.Counters(s.catalog), "after %s", d.Pos)
			}
			return told
		})
		for _, side := range s.sides {
			side.check()
		}
	})
}

// Story is one file: its definitions, its time and its two Owners.
type Story struct {
	lexicon
	t        *testing.T
	limit    int
	late     bool
	catalog  *buff.Catalog
	handlers map[string]*datadriven.TestData
	now      wheel.Time
	sides    []*side
}

// side is one of the two Owners, with the handles that the story has named.
type side struct {
	*Story
	set      *rules.Owner
	caster   *rules.Owner // owner b
	prepared buff.Application
	thief    *rules.Owner // owner 2, nil until something was stolen
	stolen   []rules.Outgoing
	booty    rules.Turn // the thief's Turn
	turn     rules.Turn
	names    map[string]buff.Handle
	timeouts map[string]buff.TimeoutHandle
	carried  int // applied minus removed buffs
}

func (s *Story) command(d *datadriven.TestData) string {
	switch d.Cmd {
	case "attributes", "curves", "formulas":
		return s.speak(s.t, d)
	case "changes":
		return s.changes()
	case "define":
		var err error
		var dead define.DeadRule
		for _, a := range d.CmdArgs {
			require.Equal(s.t, "dead", a.Key)
			require.NoError(s.t, dead.UnmarshalText([]byte(a.Vals[0])))
		}
		if s.catalog, err = buff.Build(buff.Definitions{Attributes: s.attributes, Dead: dead, Specs: s.definitions(s.t, d)}); err != nil {
			return err.Error()
		}
		return ""
	case "reload":
		next, err := s.catalog.Next(s.definitions(s.t, d)...)
		if err != nil {
			return err.Error()
		}
		s.catalog = next
		for _, side := range s.sides {
			side.turn.Catalog = next
		}
		return ""
	case "handler":
		own := *d // d is reused for the next command
		s.handlers[d.CmdArgs[0].Key] = &own
		return ""
	case "late":
		s.late = true
		return ""
	case "carry":
		s.limit = number(s.t, d.CmdArgs[0].Key)
		return ""
	}
	for len(s.sides) < 2 {
		side := &side{Story: s, set: rules.NewOwner(1, 0, 0, s.limit), caster: rules.NewOwner(2, 1, 0, 1), names: map[string]buff.Handle{}, timeouts: map[string]buff.TimeoutHandle{}}
		side.turn.Call, side.turn.Catalog, side.turn.Seed = side.call, s.catalog, 1
		s.sides = append(s.sides, side)
	}
	byInstant, atOnce := s.sides[0].command(d, !s.late), s.sides[1].command(d, false)
	seen := regexp.MustCompile(` seen=\d+`)
	require.Equal(s.t, seen.ReplaceAllString(byInstant, ""), seen.ReplaceAllString(atOnce, ""), "%s: instant by instant, and at once", d.Pos)
	if d.Cmd == "advance" {
		s.now = s.now.After(span(s.t, d.CmdArgs[0].Key))
	}
	return atOnce
}

func (s *side) command(d *datadriven.TestData, byInstant bool) string {
	switch d.Cmd {
	case "show":
		return s.show()
	case "stats":
		return s.stats()
	case "params":
		return s.params()
	case "thief":
		return s.robbed()
	case "adopt":
		return s.adopt()
	case "caster":
		c := s.parse("base", d.CmdArgs)
		return fmt.Sprint(s.caster.Do(&rules.Turn{Catalog: s.catalog}, s.now, c).Kind)
	case "cast":
		s.prepared = s.parse("apply", d.CmdArgs).Application
		s.castBy(&s.prepared, define.SnapshotCast)
		return ""
	case "advance":
		until := s.now.After(span(s.t, d.CmdArgs[0].Key))
		for next := s.set.Next(); byInstant && next < until; next = s.set.Next() {
			s.run(next)
		}
		s.run(until)
		return s.told(d.HasArg("seen"))
	}
	c := s.parse(d.Cmd, d.CmdArgs)
	if d.Cmd == "arrive" {
		c.Application = s.prepared
	}
	if c.Verb == verb.Apply {
		s.castBy(&c.Application, define.SnapshotApply)
	}
	r := s.set.Do(&s.turn, s.now, c)
	for _, a := range d.CmdArgs {
		if a.Key == "as" {
			s.names[a.Vals[0]] = r.Handle
		}
	}
	if r.Timeout != 0 {
		s.timeouts[d.CmdArgs[0].Key] = r.Timeout
	}
	if r.Failure != nil && len(s.turn.Events) == 0 {
		return r.Failure.Error()
	}
	out := s.told(false)
	for _, p := range s.turn.Outbox {
		a := &p.Command.Application
		if p.Command.Verb != verb.Apply {
			out += fmt.Sprintf("for owner %d: %s\n", p.To, p.Command.Text(s.catalog))
			continue
		}
		out += fmt.Sprintf("for owner %d: apply %v x%d magnitude=%d%s\n", p.To, a.Spec, a.Stacks, a.Magnitude, rules.Loot(a))
	}
	for _, p := range s.turn.Outbox {
		if err := carriedOver(&p.Command, s.catalog); err != nil {
			return err.Error()
		}
		s.stolen = append(s.stolen, p)
	}
	s.turn.Outbox = s.turn.Outbox[:0]
	if d.Cmd == "absorb" {
		out += fmt.Sprintf("%d of it is left\n", r.Amount)
	}
	return out
}

// robbed gives the thief the buffs that were stolen since the last call, and returns the events and
// the buffs of the thief.
func (s *side) robbed() (out string) {
	if s.thief == nil {
		s.thief, s.booty.Catalog = rules.NewOwner(2, 2, 0, s.limit), s.catalog
	}
	s.booty.Now = s.now
	require.True(s.t, s.thief.Run(&s.booty, s.now, 1<<30))
	for _, p := range s.stolen {
		s.thief.Do(&s.booty, s.now, p.Command)
	}
	s.stolen = s.stolen[:0]
	for i := range s.booty.Events {
		out += s.booty.Events[i].String() + "\n"
	}
	s.booty.Events = s.booty.Events[:0]
	return out + showOf(s.thief)
}

func (s *side) run(until wheel.Time) {
	s.turn.Now = until
	require.True(s.t, s.set.Run(&s.turn, until, 1<<30))
}

// told returns the events since the last call.
func (s *side) told(seen bool) (out string) {
	for i := range s.turn.Events {
		e := &s.turn.Events[i]
		out += string(e.AppendLog(nil, seen)) + "\n"
		switch e.Kind {
		case buff.Applied:
			s.carried++
		case buff.Removed:
			s.carried--
		}
	}
	s.turn.Events = s.turn.Events[:0]
	return out
}

func (s *side) show() string { return showOf(s.set) }

func showOf(set *rules.Owner) (out string) {
	for i := range set.All() {
		out += fmt.Sprintf("%v x%d source=%c", i.Spec, i.Stacks, 'a'+rune(i.Source)-1)
		if i.End != wheel.Never {
			out += fmt.Sprintf(" end=%d", i.End)
		}
		if i.NextPulse != wheel.Never {
			out += fmt.Sprintf(" next=%d", i.NextPulse)
		}
		for _, n := range []struct {
			key string
			n   int64
		}{{"level", int64(i.Level)}, {"charges", int64(i.Charges)}, {"shield", i.Shield}, {"waiting", int64(i.Waiting)}} {
			if n.n != 0 {
				out += fmt.Sprintf(" %s=%d", n.key, n.n)
			}
		}
		if i.Hidden {
			out += " hidden"
		}
		if i.Paused {
			out += " paused"
			if left := i.Left(0); left < 1<<63-1 {
				out += fmt.Sprintf(" left=%d", left.Milliseconds())
			}
		}
		out += "\n"
	}
	return out + fmt.Sprintf("%d buffs, %d timeouts", set.Len(), set.Timeouts())
}

// call executes the commands that the story lists for the handler.
func (s *side) call(t *rules.Turn, c *rules.Call) reason.Reason {
	name, _ := c.Do.(string)
	if c.Do == nil {
		name = s.catalog.HandlerName(c.Handler)
	}
	d := s.handlers[name]
	if name == "" || d.HasArg("at") && t.At() != s.start(d) {
		return reason.None
	}
	for _, line := range strings.Split(d.Input, "\n") {
		cmd, args, err := datadriven.ParseLine(line)
		require.NoError(s.t, err)
		switch cmd {
		case "panic":
			return reason.Panic
		case "goexit":
			return reason.Goexit
		}
		c := s.parse(cmd, args)
		t.Issue(s.set, &c)
	}
	return reason.None
}

func (s *side) start(d *datadriven.TestData) wheel.Time {
	a, _ := d.Arg("at")
	return wheel.Time(0).After(span(s.t, a.Vals[0]))
}

// check checks that the number of buffs is correct, that no due event is left, and that the next
// event has a deadline.
func (s *side) check() {
	require.Equal(s.t, s.carried, s.set.Len(), "applied - removed = carried")
	require.Greater(s.t, s.set.Next(), s.now, "something due has not run")
	if next := s.set.Next(); next != wheel.Never {
		require.True(s.t, s.set.WaitsBy(next), "no deadline for what is due next")
	}
}
