package buff_test

import (
	"encoding"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// The words of a transcript: definitions and commands.

func span(t testing.TB, word string) time.Duration {
	d, err := time.ParseDuration(word)
	require.NoError(t, err)
	return d
}

func number(t testing.TB, word string) int {
	n, err := strconv.Atoi(word)
	require.NoError(t, err)
	return n
}

// definitions reads lines such as
//
//	poison duration=10s period=3s by=target limit=3 on.pulse=(call:burst, kill)
//
// in which the fields of the stack go without "stack.".
func definitions(t testing.TB, d *datadriven.TestData) []buff.Spec {
	var specs []buff.Spec
	for _, line := range strings.Split(d.Input, "\n") {
		id, args, err := datadriven.ParseLine(line)
		require.NoError(t, err)
		s := buff.Spec{ID: id}
		for _, a := range args {
			define(t, &s, a)
		}
		specs = append(specs, s)
	}
	return specs
}

func define(t testing.TB, s *buff.Spec, a datadriven.CmdArg) {
	first := strings.Join(a.Vals[:min(1, len(a.Vals))], "")
	if reason, ok := strings.CutPrefix(a.Key, "on.remove."); ok && reason != "any" {
		var r buff.Reason
		require.NoError(t, r.UnmarshalText([]byte(reason)))
		if s.On.Remove == nil {
			s.On.Remove = map[buff.Reason][]buff.Action{}
		}
		s.On.Remove[r] = actions(t, a.Vals)
		return
	}
	words := map[string]encoding.TextUnmarshaler{
		"first": &s.First, "tail": &s.Tail, "by": &s.Stack.By, "refresh": &s.Stack.Refresh, "phase": &s.Stack.Phase,
		"overflow": &s.Stack.Overflow, "expire": &s.Stack.Expire,
		"on_death": &s.OnDeath, "on_source_gone": &s.OnSourceGone, "on_fault": &s.OnFault,
	}
	numbers := map[string]*int{"limit": &s.Stack.Limit, "initial": &s.Stack.Initial, "refresh_pct": &s.Stack.RefreshPct}
	lists := map[string]*[]buff.Action{
		"on.apply": &s.On.Apply, "on.refresh": &s.On.Refresh, "on.pulse": &s.On.Pulse, "on.exec": &s.On.Exec,
		"on.overflow": &s.On.Overflow, "on.remove.any": &s.On.RemoveAny,
	}
	switch {
	case a.Key == "duration" && first == "instant":
		s.Kind = buff.Instant
	case a.Key == "duration" && first == "infinite":
		s.Kind = buff.Infinite
	case a.Key == "duration":
		s.Duration = span(t, first)
	case a.Key == "period":
		s.Period = span(t, first)
	case a.Key == "overflow_apply":
		s.Stack.OverflowApply = a.Vals
	case words[a.Key] != nil:
		require.NoError(t, words[a.Key].UnmarshalText([]byte(first)))
	case numbers[a.Key] != nil:
		*numbers[a.Key] = number(t, first)
	case lists[a.Key] != nil:
		*lists[a.Key] = actions(t, a.Vals)
	default:
		require.Fail(t, "unknown field", "%s of %s", a.Key, s.ID)
	}
}

// actions reads "apply:boom", "remove:shield/broken", "call:handler", "kill".
func actions(t testing.TB, words []string) []buff.Action {
	var list []buff.Action
	for _, w := range words {
		do, name, _ := strings.Cut(w, ":")
		name, reason, given := strings.Cut(name, "/")
		a := buff.Action{Name: name}
		switch do {
		case "call":
			a.Do = buff.DoCall
		case "apply":
			a.Do = buff.DoApply
		case "remove":
			a.Do = buff.DoRemove
		case "kill":
			a.Do = buff.DoKill
		default:
			require.Fail(t, "unknown action", w)
		}
		if given {
			require.NoError(t, a.Reason.UnmarshalText([]byte(reason)))
		}
		list = append(list, a)
	}
	return list
}

// parse reads a command of a transcript.
func (s *side) parse(cmd string, args []datadriven.CmdArg) buff.Command {
	verbs := map[string]buff.Verb{
		"apply": buff.Apply, "remove": buff.RemoveSpec, "extend": buff.Extend, "kill": buff.Kill, "source_gone": buff.LoseSource,
		"timeout": buff.AddTimeout, "cancel": buff.Cancel,
	}
	c := buff.Command{Verb: verbs[cmd], Application: buff.Application{Source: 1}}
	require.NotZero(s.t, c.Verb, "unknown command %q", cmd)
	for i, a := range args {
		first := strings.Join(a.Vals[:min(1, len(a.Vals))], "")
		switch {
		case i == 0:
			s.target(&c, a.Key)
		case a.Key == "source":
			c.Application.Source = source(first)
		case a.Key == "stacks":
			c.Stacks = number(s.t, first)
			c.Application.Stacks = c.Stacks
		case a.Key == "magnitude":
			c.Application.Magnitude = int64(number(s.t, first))
		case a.Key == "duration":
			c.Application.Duration = buff.For(span(s.t, first))
		case a.Key == "reason":
			require.NoError(s.t, c.Reason.UnmarshalText([]byte(first)))
		case a.Key == "after":
			c.By, c.Do = span(s.t, first), ""
		case a.Key == "call":
			c.Do = first
		case c.Verb == buff.Extend:
			c.By = span(s.t, a.Key)
		case a.Key != "as":
			require.Fail(s.t, "unknown argument", a.Key)
		}
	}
	return c
}

// source makes an owner of a letter.
func source(word string) buff.OwnerID { return buff.OwnerID(word[0] - 'a' + 1) }

// target reads the first argument of a command.
func (s *side) target(c *buff.Command, word string) {
	switch h, named := s.names[word]; {
	case c.Verb == buff.AddTimeout:
		c.Name = word
	case c.Verb == buff.Cancel:
		c.Timeout = s.timeouts[word]
	case c.Verb == buff.LoseSource:
		c.Application.Source = source(word)
	case named:
		c.Handle = h
		if c.Verb == buff.RemoveSpec {
			c.Verb = buff.Remove
		}
	default:
		c.Application.Spec = s.catalog.Spec(word)
		require.NotNil(s.t, c.Application.Spec, "no definition %q", word)
		for i := range s.set.All() {
			if c.Handle == 0 && i.Spec == c.Application.Spec {
				c.Handle = i.Handle
			}
		}
	}
}
