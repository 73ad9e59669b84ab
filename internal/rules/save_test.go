package rules_test

import (
	"encoding"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/buff/verb"
	"github.com/bufftick/bufftick/internal/rules"
	"github.com/bufftick/bufftick/wheel"
	"github.com/cockroachdb/datadriven"
	"github.com/stretchr/testify/require"
)

// TestSaveTranscripts runs the stories in testdata/save, in which an owner leaves and comes back.
// The commands are those of TestTranscripts, and:
//
//	define                    also save=always save.remaining=5s, offline_pulses=all
//	                          offline_cap=3, offline_expire=run; between save and load, the
//	                          definitions for the load
//	remind HANDLER 5s         a timeout that calls a handler by name
//	save                      the owner leaves: Save makes a blob, and Clear ends all buffs
//	away 95s [wall=…] [uptime=…]   time passes without the owner; by default, calendar
//	                          time and uptime advance by the same amount
//	load                      Restore restores the owner from the blob
//	copy                      a second Owner is restored from the blob and replaces the
//	                          first, without an absence
//	blob                      prints the blob
//
// As in TestTranscripts, every command is executed on two Owners.
func TestSaveTranscripts(t *testing.T) {
	datadriven.Walk(t, "testdata/save", func(t *testing.T, path string) {
		if !strings.HasSuffix(path, ".txt") {
			return
		}
		s := &savedStory{Story: &Story{t: t, limit: 100, handlers: map[string]*datadriven.TestData{}}, blobs: make([][]byte, 2)}
		datadriven.RunTest(t, path, func(_ *testing.T, d *datadriven.TestData) string { return s.command(d) })
		for _, side := range s.sides {
			side.check()
		}
	})
}

// savedStory is a Story whose owner may be away.
type savedStory struct {
	*Story
	wall, uptime time.Duration // calendar time and uptime in addition to engine time
	blobs        [][]byte      // one blob for each of the two Owners
}

func (s *savedStory) command(d *datadriven.TestData) string {
	switch d.Cmd {
	case "define":
		return s.define(d)
	case "away":
		s.away(d)
		return ""
	case "blob":
		text, err := buff.BlobJSON(s.blobs[0])
		require.NoError(s.t, err)
		return string(text)
	case "save", "load", "copy", "remind":
		return s.both(func(k int, side *side) string { return s.do(d, k, side) })
	}
	return s.Story.command(d)
}

func (s *savedStory) define(d *datadriven.TestData) string {
	specs, err := s.savedDefinitions(s.t, d)
	if err == nil {
		s.catalog, err = buff.Build(buff.Definitions{Attributes: s.attributes, Specs: specs})
	}
	if err != nil {
		return err.Error()
	}
	for _, side := range s.sides {
		side.turn.Catalog = s.catalog
	}
	return ""
}

// savedDefinitions reads definitions with the fields of Spec.Save.
func (l *lexicon) savedDefinitions(t *testing.T, d *datadriven.TestData) ([]buff.Spec, error) {
	var specs []buff.Spec
	for _, line := range strings.Split(d.Input, "\n") {
		id, args, err := datadriven.ParseLine(line)
		if err != nil {
			return nil, err
		}
		s := buff.Spec{ID: id}
		words := map[string]encoding.TextUnmarshaler{
			"save": &s.Save.Mode, "offline_pulses": &s.Save.Offline, "offline_expire": &s.Save.OfflineExpire,
		}
		for _, a := range args {
			switch {
			case words[a.Key] != nil:
				if err := words[a.Key].UnmarshalText([]byte(a.Vals[0])); err != nil {
					return nil, err
				}
			case a.Key == "offline_cap":
				s.Save.OfflineCap = number(t, a.Vals[0])
			case a.Key == "save.remaining":
				s.Save.IfRemaining = span(t, a.Vals[0])
			default:
				l.define(t, &s, a)
			}
		}
		specs = append(specs, s)
	}
	return specs, nil
}

func (s *savedStory) away(d *datadriven.TestData) {
	by := span(s.t, d.CmdArgs[0].Key)
	s.now = s.now.After(by)
	for key, clock := range map[string]*time.Duration{"wall": &s.wall, "uptime": &s.uptime} {
		if d.HasArg(key) {
			a, _ := d.Arg(key)
			*clock += span(s.t, a.Vals[0]) - by
		}
	}
}

// both calls f for both Owners, and checks that the results are equal.
func (s *savedStory) both(f func(k int, side *side) string) string {
	first := f(0, s.sides[0])
	require.Equal(s.t, first, f(1, s.sides[1]), "instant by instant, and at once")
	return first
}

func (s *savedStory) moment() buff.Moment {
	wall := wheel.Time(1_000_000_000).Add(int64(s.now)).After(s.wall)
	return buff.Moment{Now: s.now, Wall: int64(wall), Uptime: int64(s.now.After(s.uptime))}
}

func (s *savedStory) do(d *datadriven.TestData, k int, side *side) string {
	switch d.Cmd {
	case "remind":
		name := d.CmdArgs[0].Key
		for id, handler := range s.catalog.Handlers() {
			if handler == name {
				side.set.Do(&side.turn, s.now, buff.Command{Verb: verb.AddTimeout, Name: name, Handler: 1 + define.HandlerID(id), By: span(s.t, d.CmdArgs[1].Key)})
			}
		}
		return side.told(false)
	case "save":
		return s.save(k, side)
	case "copy":
		s.save(k, side)
	}
	side.turn.Now = s.now
	side.set = rules.NewOwner(1, 0, side.set.Generation(), s.limit)
	side.turn.Deadlines = nil
	came, err := side.set.Restore(&side.turn, s.moment(), s.blobs[k], nil)
	if err != nil {
		require.Empty(s.t, side.turn.Events)
		require.Empty(s.t, side.turn.Deadlines)
		return err.Error()
	}
	out := side.told(false) + summary(came)
	side.carried = side.set.Len()
	return out
}

func (s *savedStory) save(k int, side *side) string {
	var lost int
	s.blobs[k], lost = side.set.Save(nil, s.catalog, s.moment(), 0)
	dropped := side.set.Clear(&side.turn, s.now, reason.Unload)
	out := side.told(false)
	if dropped > 0 {
		out += fmt.Sprintf("%d of %d timeouts are lost\n", lost, dropped)
	}
	return out
}

// summary lists the fields of a Restoration that are not zero.
func summary(r buff.Restoration) (out string) {
	for _, n := range []struct {
		key string
		n   int
	}{{"restored", r.Restored}, {"expired", r.Expired}, {"unknown", r.Unknown}, {"timeouts", r.Timeouts}, {"unnamed", r.Unnamed}} {
		if n.n > 0 {
			out += fmt.Sprintf("%s=%d ", n.key, n.n)
		}
	}
	out += fmt.Sprintf("away=%d", r.Away)
	if r.ClockStepped {
		out += ", and the calendar went back"
	}
	if r.UptimeStepped {
		out += ", and the uptime went back"
	}
	return out
}
