package buff_test

import (
	"strings"

	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"

	"github.com/bufftick/bufftick/buff"
)

// The commands of a transcript.

var verbs = map[string]buff.Verb{
	"apply": buff.Apply, "remove": buff.RemoveSpec, "extend": buff.Extend, "kill": buff.Kill, "source_gone": buff.LoseSource,
	"timeout": buff.AddTimeout, "cancel": buff.Cancel, "set_remaining": buff.SetRemaining, "set_period": buff.SetPeriod,
	"pause": buff.Hold, "resume": buff.Resume, "rate": buff.SetRate, "inhibit": buff.Inhibit, "release": buff.Release,
	"tag": buff.AddTag, "untag": buff.DropTag, "immune": buff.Immunize, "vulnerable": buff.Expose,
	"dispel": buff.Purge, "steal": buff.Steal, "act": buff.Interrupted, "consume": buff.Consume, "absorb": buff.Absorb,
	"revive": buff.Revive, "enter": buff.Enter, "leave": buff.Leave, "extend_all": buff.ExtendAll,
	"zone": buff.ZoneLeft, "change": buff.AddBase, "set": buff.SetBase, "damage": buff.Damage, "arrive": buff.Apply,
}

// parse reads a command of a transcript.
func (s *side) parse(cmd string, args []datadriven.CmdArg) buff.Command {
	c := buff.Command{Verb: verbs[cmd], Application: buff.Application{Source: 1}}
	require.NotZero(s.t, c.Verb, "unknown command %q", cmd)
	switch c.Verb {
	case buff.Purge, buff.Steal, buff.ExtendAll:
		c.Query = &buff.Query{To: 2}
	case buff.Hold, buff.Resume, buff.SetRate:
		c.Whose = buff.OfOwner
	}
	for i, a := range args {
		first := strings.Join(a.Vals[:min(1, len(a.Vals))], "")
		switch {
		case c.Query != nil:
			s.query(&c, a.Key, first)
		case i == 0:
			s.target(&c, a.Key)
		case i == 1 && (c.Verb == buff.AddBase || c.Verb == buff.SetBase || c.Verb == buff.Damage):
			c.Value = decimal(s.t, a.Key)
		default:
			s.argument(&c, a.Key, first)
		}
	}
	return c
}

func (s *side) argument(c *buff.Command, key, word string) {
	a := &c.Application
	switch key {
	case "as":
	case "source":
		a.Source = source(word)
	case "stacks":
		c.Stacks = number(s.t, word)
		a.Stacks = c.Stacks
	case "level":
		a.Level = number(s.t, word)
	case "key":
		a.Key = uint64(number(s.t, word))
	case "magnitude":
		a.Magnitude = int64(number(s.t, word))
	case "duration", "upto":
		a.Duration = buff.For(span(s.t, word))
	case "scale":
		a.Scale = ratio(s, word)
	case "param":
		name, value, _ := strings.Cut(word, ":")
		a.Params = append(a.Params, buff.Arg{Caller: name, Value: decimal(s.t, value)})
	case "reason":
		require.NoError(s.t, c.Reason.UnmarshalText([]byte(word)))
	case "after", "linger":
		c.By = span(s.t, word)
		if c.Verb == buff.AddTimeout {
			c.Do = ""
		}
	case "call":
		c.Do = word
	case "school":
		c.Tag = s.tagOf(word)
	case "purge":
		c.Purge = true
	default:
		switch c.Verb {
		case buff.Extend, buff.SetRemaining, buff.SetPeriod:
			c.By = span(s.t, key)
		case buff.SetRate:
			c.Rate = ratio(s, key)
		default:
			require.Fail(s.t, "unknown argument", key)
		}
	}
}

// ratio reads "3/4".
func ratio(s *side, word string) buff.Ratio {
	num, den, ok := strings.Cut(word, "/")
	require.True(s.t, ok, "want a fraction, not %q", word)
	return buff.Ratio{Num: uint32(number(s.t, num)), Den: uint32(number(s.t, den))}
}

func (s *side) tagOf(word string) buff.Tag {
	tag, ok := s.catalog.Tag(word)
	require.True(s.t, ok, "no definition has the tag %q", word)
	return tag
}

func (s *side) actOf(word string) buff.Act {
	act, _ := s.catalog.Act(word)
	return act
}

// query reads an argument of a dispel, a steal or an extend_all.
func (s *side) query(c *buff.Command, key, word string) {
	q := c.Query
	switch key {
	case "tag":
		q.Tag = s.tagOf(word)
	case "type":
		q.Type = word
	case "id":
		q.Spec = s.catalog.Spec(word)
	case "polarity":
		require.NoError(s.t, q.Polarity.UnmarshalText([]byte(word)))
	case "grade":
		require.NoError(s.t, q.Grade.UnmarshalText([]byte(word)))
	case "source":
		q.Source = source(word)
	case "compensate":
		q.Compensate = word
	case "most":
		q.Most = number(s.t, word)
	case "newest":
		q.Newest = true
	case "for", "by":
		c.By = span(s.t, word)
	default:
		require.Fail(s.t, "unknown argument", key)
	}
}

// source makes an owner of a letter.
func source(word string) buff.OwnerID { return buff.OwnerID(word[0] - 'a' + 1) }

// target reads the first argument of a command.
func (s *side) target(c *buff.Command, word string) {
	switch h, named := s.names[word]; {
	case c.Verb == buff.AddTimeout:
		c.Name = word
	case c.Verb == buff.AddBase, c.Verb == buff.SetBase, c.Verb == buff.Damage:
		attr, ok := s.catalog.Attr(word)
		require.True(s.t, ok, "no attribute %q", word)
		c.Attr = attr
	case c.Verb == buff.Cancel:
		c.Timeout = s.timeouts[word]
	case c.Verb == buff.LoseSource:
		c.Application.Source = source(word)
	case c.Verb == buff.AddTag, c.Verb == buff.DropTag, c.Verb == buff.Immunize, c.Verb == buff.Expose:
		c.Tag = s.tagOf(word)
	case c.Verb == buff.Interrupted, c.Verb == buff.Consume && s.actOf(word) != 0:
		c.Act = s.actOf(word)
		require.NotZero(s.t, c.Act, "no definition has the act %q", word)
	case c.Verb == buff.Absorb:
		c.Amount = int64(number(s.t, word))
	case c.Whose == buff.OfOwner && word == "owner":
	case named:
		c.Handle, c.Whose = h, buff.OfBuff
		if c.Verb == buff.RemoveSpec {
			c.Verb = buff.Remove
		}
	default:
		c.Whose = buff.OfBuff
		c.Application.Spec = s.catalog.Spec(word)
		require.NotNil(s.t, c.Application.Spec, "no definition %q", word)
		for i := range s.set.All() {
			if c.Handle == 0 && i.Spec == c.Application.Spec {
				c.Handle = i.Handle
			}
		}
	}
}
