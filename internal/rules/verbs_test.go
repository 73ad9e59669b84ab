package rules_test

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// parse reads a command of a transcript: the text of a [buff.Command], or a command that only an
// Owner executes.
func (s *side) parse(cmd string, args []datadriven.CmdArg) buff.Command {
	words, call := []string{cmd}, ""
	for _, a := range args {
		switch a.Key {
		case "as": // see side.command
		case "call":
			call = a.Vals[0]
		default:
			words = append(words, a.String())
		}
	}
	var do verb.Verb
	switch cmd {
	case "enter":
		do, words[0] = verb.Enter, "apply"
	case "leave":
		do, words[0] = verb.Leave, "apply"
	case "arrive":
		return buff.Command{Verb: verb.Apply}
	}
	c := buff.Command{}
	if last := words[len(words)-1]; do == verb.Leave && strings.HasPrefix(last, "linger=") {
		c.By = span(s.t, strings.TrimPrefix(last, "linger="))
		words = words[:len(words)-1]
	}
	linger := c.By
	c, err := buff.ParseCommand(strings.Join(words, " "), s.meaning())
	require.NoError(s.t, err)
	if do != 0 {
		c.Verb, c.By = do, linger
	}
	if c.Verb == verb.AddTimeout {
		c.Do = call
	}
	return c
}

// meaning returns the meaning of the names in the commands of a story.
func (s *side) meaning() buff.Names {
	return buff.Names{
		Catalog: s.catalog, Self: 1, Source: 1,
		Owner: func(name string) (buff.OwnerID, error) {
			if n, err := strconv.Atoi(name); err == nil {
				return buff.OwnerID(n), nil
			}
			return source(name), nil
		},
		Buff:    s.named,
		Timeout: func(_ buff.OwnerID, name string) (buff.TimeoutHandle, error) { return s.timeouts[name], nil },
	}
}

// named returns the buff with the given name in the story, or the oldest buff of a definition.
func (s *side) named(_ buff.OwnerID, name string) (buff.Handle, error) {
	if h, ok := s.names[name]; ok {
		return h, nil
	}
	spec := s.catalog.Spec(name)
	if spec == nil {
		return 0, fmt.Errorf("no buff and no definition is called %q", name)
	}
	for i := range s.set.All() {
		if i.Spec == spec {
			return i.Handle, nil
		}
	}
	return 0, nil
}

// source returns the owner for a letter.
func source(word string) buff.OwnerID { return buff.OwnerID(word[0] - 'a' + 1) }
