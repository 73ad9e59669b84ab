package engine_test

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/catalog"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// story runs one file of testdata in one mode. Its commands:
//
//	handler NAME        the input is what the Go handler does, a verb on each line
//	world [owners=(7,8)] [max-owners=N] [max-buffs=N] [mailbox=N] [handlers=N]
//	      [inbox=N] [turn=N] [limit=N]
//	                    a new engine; the input is the catalog
//	loop                verbs on the loop, between two Ticks; prints the answers
//	inbox               verbs by another goroutine; prints whether they were accepted
//	tick SPAN           lets time pass, in the number of Ticks of the mode; prints the
//	                    events owner by owner, then the calls of the handlers
//	frame SPAN          one Tick; prints the events in the order of the frame
//	reload              another catalog, made from the last; prints the result of Reload
//	show                prints the buffs of each owner
//	attributes          prints attributes that differ from the catalog, with their modifiers
//	counters            prints the number of instances and denials of each definition
//	stats               prints the statistics that are not zero
//
// A verb is the text of a command, as [buff.ParseCommand] reads it. In a handler the default owner
// is the handler's; elsewhere owner= is required. A verb may be followed by as=NAME, which names
// its buff or timeout for later verbs; #N is a handle given as a number. A definition is named in
// its oldest version. The other verbs:
//
//	call OWNER SPAN HANDLER [as=NAME]          a timeout with a function; in a handler, OWNER may be self
//	spawn OWNER · drop OWNER                   only on the loop
//	despawn OWNER as=BLOB · restore OWNER BLOB
//	place OWNER X                              sets its position for auras; 0 by default
//	look · panic · goexit                      only in a handler
type story struct {
	mode     mode
	eng      *engine.Engine
	catalog  *buff.Catalog
	catalogs []*buff.Catalog // all catalogs of the engine, the oldest first
	scripts  map[string][]string
	handles  map[string]buff.Handle
	timeouts map[string]buff.TimeoutHandle
	blobs    map[string][]byte
	field    field
}

// diary is an owner's data: the calls of its handlers.
type diary struct{ notes []string }

func newStory(m mode) *story {
	return &story{
		mode: m, scripts: map[string][]string{},
		handles: map[string]buff.Handle{}, timeouts: map[string]buff.TimeoutHandle{}, blobs: map[string][]byte{},
		field: field{at: map[buff.OwnerID]float64{}},
	}
}

func (s *story) do(t *testing.T, d *datadriven.TestData) string {
	t.Helper()
	switch d.Cmd {
	case "handler":
		s.scripts[d.CmdArgs[0].Key] = input(d)
		return ""
	case "world":
		return s.world(t, d)
	case "loop":
		return s.each(d, s.loop)
	case "inbox":
		return s.each(d, s.inbox)
	case "tick":
		return s.tick(span(d.CmdArgs[0].Key))
	case "frame":
		f := s.eng.Tick(span(d.CmdArgs[0].Key))
		return strings.Join(append(lines(f), s.calls()...), "\n")
	case "reload":
		return s.reload(t, d)
	case "show":
		return s.show()
	case "attributes":
		return s.attributes()
	case "counters":
		return s.specCounters()
	case "stats":
		return s.stats()
	}
	t.Fatalf("%s: no command %s", d.Pos, d.Cmd)
	return ""
}

func input(d *datadriven.TestData) []string {
	return strings.FieldsFunc(d.Input, func(r rune) bool { return r == '\n' })
}

func span(s string) time.Duration {
	d, err := time.ParseDuration(s)
	if err != nil {
		panic(err)
	}
	return d
}

func number(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil {
		panic(err)
	}
	return n
}

func (s *story) world(t *testing.T, d *datadriven.TestData) string {
	c, err := catalog.Parse("buffs.yaml", []byte(d.Input))
	require.NoError(t, err)
	o := engine.Options{Catalog: c, Handlers: engine.Handlers{}, Members: s.field.members, Epoch: time.UnixMilli(0)}
	for name, script := range s.scripts {
		o.Handlers[name] = s.handler(name, script)
	}
	s.mode.set(&o)
	d.MaybeScanArgs(t, "max-owners", &o.Limits.Owners)
	d.MaybeScanArgs(t, "max-buffs", &o.Limits.Buffs)
	d.MaybeScanArgs(t, "mailbox", &o.Limits.Mailbox)
	d.MaybeScanArgs(t, "handlers", &o.Limits.Handlers)
	d.MaybeScanArgs(t, "inbox", &o.Limits.Inbox)
	d.MaybeScanArgs(t, "turn", &o.Limits.Turn)
	d.MaybeScanArgs(t, "limit", &o.Limits.Tick)
	o.Number = 1 // because the stories contain handles
	e, err := engine.New(o)
	if err != nil {
		return err.Error()
	}
	t.Cleanup(func() { shut(t, e) })
	s.eng, s.catalogs = e, nil
	s.know(c)
	for _, arg := range d.CmdArgs {
		if arg.Key == "owners" {
			for _, id := range arg.Vals {
				require.NoError(t, e.Spawn(buff.OwnerID(number(id)), &diary{}))
				s.field.at[buff.OwnerID(number(id))] = 0
			}
		}
	}
	return ""
}

// know records a catalog.
func (s *story) know(c *buff.Catalog) { s.catalog, s.catalogs = c, append(s.catalogs, c) }

func (s *story) reload(t *testing.T, d *datadriven.TestData) string {
	files := fstest.MapFS{"buffs.yaml": {Data: []byte(d.Input)}}
	c, err := catalog.Loader{Previous: s.catalog}.LoadFS(files, "buffs.yaml")
	require.NoError(t, err)
	r, err := s.eng.Reload(c)
	if err != nil {
		return err.Error()
	}
	s.know(c)
	return r.String()
}

func (s *story) specCounters() string {
	var out []string
	for n := range s.eng.AllSpecCounters() {
		l := fmt.Sprintf("%s: %d live", n.Spec, n.Live)
		if n.Denied > 0 {
			l += fmt.Sprintf(", %d denied", n.Denied)
		}
		if n.Gone {
			l += ", gone"
		}
		out = append(out, l)
	}
	return strings.Join(out, "\n")
}

// each executes the verbs in order and returns a line with the result of each.
func (s *story) each(d *datadriven.TestData, do func(v storyLine) string) string {
	var out []string
	for _, l := range input(d) {
		if answer := do(s.verb(l, 0)); answer != "" {
			out = append(out, answer)
		}
	}
	return strings.Join(out, "\n")
}

// tick lets time pass, in the number of Ticks of the mode.
func (s *story) tick(d time.Duration) string {
	part := d / time.Duration(s.mode.split)
	var out []string
	for i := range s.mode.split {
		if i == s.mode.split-1 {
			part = d - part*time.Duration(i)
		}
		out = append(out, lines(s.eng.Tick(part))...)
	}
	return strings.Join(append(byOwner(out), s.calls()...), "\n")
}

// byOwner sorts the lines of frames by owner.
func byOwner(lines []string) []string {
	owner := func(l string) int { return number(l[:strings.IndexByte(l, ':')]) }
	slices.SortStableFunc(lines, func(a, b string) int { return owner(a) - owner(b) })
	return lines
}

// owners calls do for every owner of a story. Their ids are below 100.
func (s *story) owners(do func(id buff.OwnerID)) {
	for id := range buff.OwnerID(100) {
		if s.eng.Data(id) != nil {
			do(id)
		}
	}
}

// calls returns the notes of the handlers since the last call.
func (s *story) calls() (out []string) {
	s.owners(func(id buff.OwnerID) {
		d := s.eng.Data(id).(*diary)
		out = append(out, d.notes...)
		d.notes = nil
	})
	return out
}

func (s *story) show() string {
	var out []string
	s.owners(func(id buff.OwnerID) {
		for b := range must(s.eng.Buffs(id)).All() {
			l := fmt.Sprintf("%d: %s x%d", id, b.Spec, b.Stacks)
			if b.Source != 0 {
				l += fmt.Sprintf(" source=%d", b.Source)
			}
			if b.End != wheel.Never {
				l += fmt.Sprintf(" end=%d", b.End)
			}
			if b.NextPulse <= b.End && b.Spec.Period > 0 {
				l += fmt.Sprintf(" next=%d", b.NextPulse)
			}
			out = append(out, l)
		}
	})
	if len(out) == 0 {
		return "nobody carries anything"
	}
	return strings.Join(out, "\n")
}

func (s *story) attributes() string {
	var out []string
	s.owners(func(id buff.OwnerID) {
		for a := range must(s.eng.Attributes(id)) {
			if l := fmt.Sprintf("%d: %s %v, base %v", id, a.Name, a.Value, a.Base); a.Modifiers > 0 || a.Base != s.catalog.Attributes().At(a.Attr).Base {
				for m := range must(s.eng.Modifiers(id, a.Attr)) {
					b, _ := reply(s.eng.Find(buff.Handle(m.Of)))
					l += fmt.Sprintf(", %v %v by %v", m.Op, m.Value, b.Spec)
				}
				out = append(out, l)
			}
		}
	})
	if len(out) == 0 {
		return "all as in the catalog"
	}
	return strings.Join(out, "\n")
}

func (s *story) stats() string {
	st := s.eng.Stats()
	var out []string
	for _, f := range []struct {
		name string
		n    uint64
	}{
		{"owners", uint64(st.Owners)},
		{"busy", uint64(st.Busy)},
		{"timers", uint64(st.Timers)},
		{"inbox", uint64(st.Inbox)},
		{"refused", st.Refused},
		{"undelivered", st.Undelivered},
		{"dropped on despawn", st.DroppedOnDespawn},
		{"pool refused", st.PoolRefused},
	} {
		if f.n != 0 {
			out = append(out, fmt.Sprintf("%s: %d", f.name, f.n))
		}
	}
	return strings.Join(out, "\n")
}
