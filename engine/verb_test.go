package engine_test

import (
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/engine"
)

// storyLine is one line of a story: the text of a [buff.Command], or a word that is not a command,
// with its arguments.
type storyLine struct {
	cmd  buff.Command // its Verb is 0 if the line is not a command
	word string
	args []string
	as   string // name of its buff, timeout or blob for later lines
}

// verb reads a line. The default owner is self.
func (s *story) verb(line string, self buff.OwnerID) storyLine {
	line, as, _ := strings.Cut(line, " as=")
	f := strings.Fields(line)
	v := storyLine{word: f[0], args: f[1:], as: as}
	if slices.Contains(notCommands, v.word) {
		return v
	}
	var err error
	// the first catalog that has the definition
	for _, c := range slices.Concat(s.catalogs, []*buff.Catalog{foreignCatalog}) {
		v.cmd, err = buff.ParseCommand(line, s.resolve(c, self))
		if !errors.Is(err, buff.ErrName) {
			break
		}
	}
	if err != nil {
		panic(fmt.Sprintf("%s: %v", line, err))
	}
	return v
}

// notCommands are the words of a story that are not commands: calls that only the loop may make,
// and actions that are only possible in a handler. A call is a timeout with a function: OWNER
// AFTER SCRIPT.
var notCommands = []string{"spawn", "drop", "despawn", "restore", "place", "call", "look", "panic", "goexit"}

// foreignCatalog is a catalog that no engine of a story has.
var foreignCatalog = func() *buff.Catalog {
	c, err := buff.NewCatalog(buff.Spec{ID: "foreign", Kind: define.Infinite})
	if err != nil {
		panic(err)
	}
	return c
}()

// resolve returns the meanings of the names in commands of a story. For example, #5 is handle 5.
func (s *story) resolve(c *buff.Catalog, self buff.OwnerID) buff.Names {
	return buff.Names{
		Catalog: c, Self: self,
		Buff: func(_ buff.OwnerID, name string) (buff.Handle, error) {
			if made, ok := strings.CutPrefix(name, "#"); ok {
				return buff.Handle(number(made)), nil
			}
			h, ok := s.handles[name]
			if !ok {
				return 0, errors.New("no buff is called that")
			}
			return h, nil
		},
		Timeout: func(_ buff.OwnerID, name string) (buff.TimeoutHandle, error) {
			if made, ok := strings.CutPrefix(name, "#"); ok {
				return buff.TimeoutHandle(number(made)), nil
			}
			return s.timeouts[name], nil
		},
	}
}

// owner returns the owner that the first argument of a word names.
func (v storyLine) owner(self buff.OwnerID) buff.OwnerID {
	if v.args[0] == "self" {
		return self
	}
	return buff.OwnerID(number(v.args[0]))
}

// loop executes a verb on the loop and returns the result as text.
func (s *story) loop(v storyLine) string {
	var r buff.Result
	e := s.eng
	switch v.word {
	case "apply": // tests the method AddBuff
		r = e.AddBuff(v.cmd.Owner, v.cmd.Application)
		s.handles[v.as] = r.Handle
	case "call":
		r.Timeout, r.Failure = e.AddTimeout(v.owner(0), span(v.args[1]), s.function(v.args[2]))
		s.timeouts[v.as] = r.Timeout
	case "spawn":
		r.Failure = e.Spawn(v.owner(0), &diary{})
	case "drop":
		r.Failure = e.Drop(v.owner(0))
	case "despawn":
		blob, err := e.Despawn(v.owner(0))
		if r.Failure = err; err == nil {
			s.blobs[v.as] = blob
		}
	case "restore":
		back, err := e.Restore(v.owner(0), &diary{}, s.blobs[v.args[1]])
		if err == nil {
			return fmt.Sprintf("%d back, %d ended, away %d ms", back.Restored, back.Expired, back.Away)
		}
		r.Failure = err
	case "place":
		s.field.at[v.owner(0)] = float64(number(v.args[1]))
	default:
		r = e.Do(v.cmd)
		if v.cmd.Verb == verb.AddTimeout {
			s.timeouts[v.as] = r.Timeout
			r.Kind, r.Why = 0, reason.None
		}
	}
	return answer(r)
}

// answer returns a Result as text.
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
	if r.Why != reason.None {
		out = append(out, "why="+r.Why.String())
	}
	if r.Queued {
		out = append(out, "queued")
	}
	if r.Failure != nil {
		out = append(out, r.Failure.Error())
	}
	if len(out) == 0 {
		return "ok"
	}
	return strings.Join(out, " ")
}

// inbox executes a verb on another goroutine.
func (s *story) inbox(v storyLine) string {
	in, done := s.eng.Inbox(), make(chan error)
	go func() {
		switch v.word {
		case "apply": // tests the method AddBuff
			done <- in.AddBuff(v.cmd.Owner, v.cmd.Application)
		case "call":
			done <- in.AddTimeout(v.owner(0), span(v.args[1]), s.function(v.args[2]))
		default:
			done <- in.Do(v.cmd)
		}
	}()
	return answer(buff.Result{Failure: <-done})
}

// handler returns a Go handler that executes the script.
func (s *story) handler(name string, script []string) engine.Handler {
	return func(c *engine.Context, e buff.Event) {
		d := c.Data().(*diary)
		d.notes = append(d.notes, fmt.Sprintf("%d: %d %s <- %s", c.Owner(), c.Now(), name, strings.TrimSpace(e.String())))
		for _, l := range script {
			s.inside(c, s.verb(l, c.Owner()))
		}
	}
}

// function returns the function of a timeout that executes the script.
func (s *story) function(name string) func(*engine.Context) {
	return func(c *engine.Context) {
		d := c.Data().(*diary)
		d.notes = append(d.notes, fmt.Sprintf("%d: %d %s()", c.Owner(), c.Now(), name))
		for _, l := range s.scripts[name] {
			s.inside(c, s.verb(l, c.Owner()))
		}
	}
}

// inside executes a verb in a handler.
func (s *story) inside(c *engine.Context, v storyLine) {
	switch v.word {
	case "apply": // tests the method AddBuff
		c.AddBuff(v.cmd.Owner, v.cmd.Application)
	case "call":
		c.AddTimeout(v.owner(c.Owner()), span(v.args[1]), s.function(v.args[2]))
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
		c.Do(v.cmd)
	}
}
