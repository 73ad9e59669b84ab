package engine_test

import (
	"fmt"
	"runtime"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/stat"
	"github.com/bufftick/bufftick/engine"
)

// verb is one line of a story.
type verb struct {
	word  string
	owner buff.OwnerID
	args  []string          // after the owner, without those of named
	named map[string]string // source=9
	self  buff.OwnerID
}

var reasons = map[string]buff.Reason{"": buff.Cancelled, "dispelled": buff.Dispelled, "death": buff.Death, "stolen": buff.Stolen}

func (s *story) verb(line string, self buff.OwnerID) verb {
	v := verb{self: self, named: map[string]string{}}
	for i, f := range strings.Fields(line) {
		key, value, named := strings.Cut(f, "=")
		switch {
		case i == 0:
			v.word = f
		case named:
			v.named[key] = value
		case len(v.args) == 0 && f == "self":
			v.args = append(v.args, fmt.Sprint(self))
		default:
			v.args = append(v.args, f)
		}
	}
	switch v.word {
	case "add", "timeout", "call", "kill", "lose", "spawn", "drop", "despawn", "restore", "place", "zone", "base", "change", "damage":
		v.owner = buff.OwnerID(number(v.args[0]))
		v.args = v.args[1:]
	}
	return v
}

func (v verb) count(name string) int {
	if v.named[name] == "" {
		return 0
	}
	return number(v.named[name])
}

// attr and amount are what a verb about attributes names.
func (v verb) attr(s *story) stat.Attr { return attrOf(s.catalog, v.args[0]) }

func (v verb) amount() float64 { return float64(number(v.args[1])) }

// application returns what "add" applies. The definition foreign is one of another
// catalog.
func (s *story) application(v verb) buff.Application {
	a := buff.Application{Spec: s.specs[v.args[0]], Source: buff.OwnerID(v.count("source")), Stacks: v.count("stacks")}
	if v.args[0] == "foreign" {
		c, err := buff.NewCatalog(buff.Spec{ID: "foreign", Kind: buff.Infinite})
		if err != nil {
			panic(err)
		}
		a.Spec = c.Spec("foreign")
	}
	if d := v.named["for"]; d != "" {
		a.Duration = buff.For(span(d))
	}
	return a
}

// handle returns the buff that a verb is about.
func (s *story) handle(v verb) buff.Handle {
	if made, ok := strings.CutPrefix(v.args[0], "#"); ok {
		return buff.Handle(number(made))
	}
	h, ok := s.handles[v.args[0]]
	if !ok {
		panic("no buff called " + v.args[0])
	}
	return h
}

func (s *story) timeout(v verb) buff.TimeoutHandle {
	if made, ok := strings.CutPrefix(v.args[0], "#"); ok {
		return buff.TimeoutHandle(number(made))
	}
	return s.timeouts[v.args[0]]
}

// loop does a verb on the loop and returns what it answered.
func (s *story) loop(v verb) string {
	var r buff.Result
	e := s.eng
	switch v.word {
	case "add":
		var h buff.Handle
		h, r = e.AddBuff(v.owner, s.application(v))
		s.handles[v.named["as"]] = h
	case "timeout":
		r.Timeout, r.Err = e.AddTimeoutByName(v.owner, span(v.args[0]), v.args[1])
		s.timeouts[v.named["as"]] = r.Timeout
	case "call":
		r.Timeout, r.Err = e.AddTimeout(v.owner, span(v.args[0]), s.function(v.args[1]))
		s.timeouts[v.named["as"]] = r.Timeout
	case "remove":
		r = e.RemoveStacks(s.handle(v), v.count("stacks"), reasons[v.named["why"]])
	case "extend":
		r = e.Extend(s.handle(v), span(v.args[1]))
	case "cancel":
		r = e.Cancel(s.timeout(v))
	case "kill":
		r = e.Kill(v.owner)
	case "base":
		r = e.SetBase(v.owner, v.attr(s), v.amount())
	case "change":
		r = e.Change(v.owner, v.attr(s), v.amount())
	case "damage":
		r = e.Damage(v.owner, v.attr(s), v.amount(), 0)
	case "lose":
		r.Err = e.LoseSource(v.owner)
	case "spawn":
		r.Err = e.Spawn(v.owner, &diary{})
	case "drop":
		r.Err = e.Drop(v.owner)
	case "despawn":
		blob, err := e.Despawn(v.owner)
		if r.Err = err; err == nil {
			s.blobs[v.named["as"]] = blob
		}
	case "restore":
		back, err := e.Restore(v.owner, &diary{}, s.blobs[v.args[0]])
		if err == nil {
			return fmt.Sprintf("%d back, %d ended, away %d ms", back.Restored, back.Expired, back.Away)
		}
		r.Err = err
	case "place":
		s.field.at[v.owner] = float64(number(v.args[0]))
	case "zone":
		r.Err = e.SetZone(v.owner, uint32(number(v.args[0])))
	case "pausezone":
		r.Err = e.PauseZone(uint32(number(v.args[0])))
	case "resumezone":
		r.Err = e.ResumeZone(uint32(number(v.args[0])))
	case "ratezone":
		r.Err = e.SetZoneRate(uint32(number(v.args[0])), buff.Ratio{Num: uint32(number(v.args[1])), Den: uint32(number(v.args[2]))})
	default:
		panic("the loop has no verb " + v.word)
	}
	return answer(r)
}

// answer puts a result into words.
func answer(r buff.Result) string {
	var out []string
	if r.Kind != 0 {
		out = append(out, r.Kind.String())
	}
	if r.Handle != 0 {
		out = append(out, r.Handle.String())
	}
	if r.Timeout != 0 {
		out = append(out, "timeout "+r.Timeout.String())
	}
	if r.Why != buff.NoReason {
		out = append(out, "why="+r.Why.String())
	}
	if r.Queued {
		out = append(out, "queued")
	}
	if r.Err != nil {
		out = append(out, r.Err.Error())
	}
	if len(out) == 0 {
		return "ok"
	}
	return strings.Join(out, " ")
}

// inbox does a verb by another goroutine.
func (s *story) inbox(v verb) string {
	in, done := s.eng.Inbox(), make(chan error)
	go func() {
		var err error
		switch v.word {
		case "add":
			err = in.AddBuff(v.owner, s.application(v))
		case "call":
			err = in.AddTimeout(v.owner, span(v.args[0]), s.function(v.args[1]))
		case "remove":
			err = in.RemoveStacks(s.handle(v), v.count("stacks"), reasons[v.named["why"]])
		case "extend":
			err = in.Extend(s.handle(v), span(v.args[1]))
		case "cancel":
			err = in.Cancel(s.timeout(v))
		case "kill":
			err = in.Kill(v.owner)
		case "base":
			err = in.SetBase(v.owner, v.attr(s), v.amount())
		case "change":
			err = in.Change(v.owner, v.attr(s), v.amount())
		case "damage":
			err = in.Damage(v.owner, v.attr(s), v.amount(), 0)
		default:
			err = fmt.Errorf("the inbox has no verb %s", v.word)
		}
		done <- err
	}()
	return answer(buff.Result{Err: <-done})
}

// handler returns the Go handler that does the script.
func (s *story) handler(name string, script []string) engine.Handler {
	return func(c *engine.Context, e buff.Event) {
		d := c.Data().(*diary)
		d.notes = append(d.notes, fmt.Sprintf("%d: %d %s <- %s", c.Owner(), c.Now(), name, strings.TrimSpace(e.String())))
		for _, l := range script {
			s.inside(c, s.verb(l, c.Owner()))
		}
	}
}

// function returns the same for a timeout by function.
func (s *story) function(name string) func(*engine.Context) {
	return func(c *engine.Context) {
		d := c.Data().(*diary)
		d.notes = append(d.notes, fmt.Sprintf("%d: %d %s()", c.Owner(), c.Now(), name))
		for _, l := range s.scripts[name] {
			s.inside(c, s.verb(l, c.Owner()))
		}
	}
}

// inside does a verb in a handler.
func (s *story) inside(c *engine.Context, v verb) {
	switch v.word {
	case "add":
		c.AddBuff(v.owner, s.application(v))
	case "call":
		c.AddTimeout(v.owner, span(v.args[0]), s.function(v.args[1]))
	case "remove":
		c.RemoveStacks(s.handle(v), v.count("stacks"), reasons[v.named["why"]])
	case "extend":
		c.Extend(s.handle(v), span(v.args[1]))
	case "cancel":
		c.Cancel(s.timeout(v))
	case "kill":
		c.Kill(v.owner)
	case "base":
		c.SetBase(v.owner, v.attr(s), v.amount())
	case "change":
		c.Change(v.owner, v.attr(s), v.amount())
	case "damage":
		c.Damage(v.owner, v.attr(s), v.amount(), 0)
	case "look":
		d := c.Data().(*diary)
		for b := range c.Buffs() {
			d.notes = append(d.notes, fmt.Sprintf("%d: %d   sees %s x%d", c.Owner(), c.Now(), b.Spec, b.Stacks))
		}
	case "panic":
		panic("the handler fails")
	case "goexit":
		runtime.Goexit()
	default:
		panic("a handler has no verb " + v.word)
	}
}
