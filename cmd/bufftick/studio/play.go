package studio

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/internal/scenario"
	"github.com/bufftick/bufftick/wheel"
)

// Limits of a timeline.
const (
	maxEvents  = 50_000
	longest    = 10 * time.Minute // end of a timeline with an automatic end
	extra      = 10 * time.Second // shown of a buff without end
	roughFrame = time.Second      // length of frames while only events are collected
)

// PlayRequest requests a timeline.
type PlayRequest struct {
	Edits
	Name   string `json:"name"`   // a definition file in the folder of the definitions, or a scenario
	Number int    `json:"number"` // index of the scenario, in a file with several
	Script string `json:"script"` // steps of a scenario; ignored if the file is a scenario
	Until  int64  `json:"until"`  // end in ms; 0: when the last buff has ended
	Seed   uint64 `json:"seed"`
}

// scriptFile is the name of the script of the page in findings.
const scriptFile = "script"

// scenarioOf returns the scenario that a request describes, or its errors.
func (s *Studio) scenarioOf(files []File, r *PlayRequest) (*scenario.Scenario, []Finding) {
	for _, f := range files {
		if f.Name == r.Name && s.isScenario(f) {
			list, err := s.parse(files, r.Name, string(f.Text))
			if err != nil {
				return nil, findingsOf(err)
			}
			sc := list[min(max(r.Number, 0), len(list)-1)]
			return sc, findingsOf(sc.Faults)
		}
	}
	dir := path.Dir(r.Name)
	if c := s.catalogOf(files, dir, nil); c.err != nil {
		return nil, findingsOf(c.err)
	}
	text := scriptText(".", r.Script)
	sc, err := s.parseScript(files, dir, text)
	if err == nil && sc.NeedsFrames {
		sc, err = s.parseScript(files, dir, text+frames)
	}
	if err != nil {
		return nil, atScript(findingsOf(err))
	}
	return sc, atScript(findingsOf(sc.Faults))
}

// parseScript reads the text of one scenario that loads the definitions of a folder.
func (s *Studio) parseScript(files []File, dir, text string) (*scenario.Scenario, error) {
	list, err := s.parse(files, path.Join(dir, scriptFile), text)
	if err != nil {
		return nil, err
	}
	return list[0], nil
}

// scriptHead is the number of lines before the steps in a scriptText.
const scriptHead = 2

// frames is added to a script whose log depends on the length of frames.
const frames = "frame: 500ms\n"

// scriptText returns a scenario without a log.
func scriptText(load, steps string) string {
	if strings.TrimSpace(steps) == "" {
		steps = "  []"
	}
	return fmt.Sprintf("load: %q\nscript:\n%s\n", load, strings.TrimRight(steps, "\n"))
}

// atScript moves findings to the lines of the script.
func atScript(list []Finding) []Finding {
	for i := range list {
		if path.Base(list[i].File) == scriptFile {
			list[i].File, list[i].Line = scriptFile, max(list[i].Line-scriptHead, 1)
		}
	}
	return list
}

func (s *Studio) play(ctx context.Context, r PlayRequest) (any, error) {
	files, err := s.now(r.Open)
	if err != nil {
		return nil, err
	}
	sc, findings := s.scenarioOf(files, &r)
	if len(findings) > 0 {
		return &Timeline{Findings: findings}, nil
	}
	line, log, err := record(ctx, sc, r.Seed, wheel.Time(r.Until))
	if err != nil {
		return nil, err
	}
	line.Log = log
	return line, nil
}

// options returns engine options for a run on one goroutine.
func options(seed uint64) engine.Options {
	return engine.Options{Synchronous: true, Budget: -1, Seed: seed, Number: 1}
}

// errEnd ends a run without an error.
var errEnd = errors.New("the end")

// collector collects the events of a run.
type collector struct {
	ctx    context.Context
	until  wheel.Time // 0: automatic
	events []buff.Event
	owners map[string]buff.OwnerID
	end    wheel.Time
	last   wheel.Time // of the steps, once all are done
	done   bool
	note   string
}

// see takes the events of a frame, and returns errEnd at the end of the timeline.
func (c *collector) see(m scenario.Moment) error {
	c.owners, c.end = m.Owners, m.Frame.Now
	for e := range m.Frame.Events() {
		c.events = append(c.events, e)
	}
	if len(c.events) > maxEvents {
		c.note = fmt.Sprintf("The timeline ends after %d events. Make the script shorter to see its end.", maxEvents)
		return errEnd
	}
	if m.Done && !c.done {
		c.done, c.last = true, m.Frame.Now
	}
	if err := c.ctx.Err(); err != nil || !c.done || c.until > 0 {
		return err
	}
	timed, endless := false, false
	for _, id := range m.Owners {
		list, _ := m.Engine.Buffs(id) // sources that are not owners have no buffs
		for b := range list.All() {
			timed = timed || b.End != wheel.Never
			endless = endless || b.End == wheel.Never
		}
	}
	switch {
	case timed:
		c.last = c.end
	case !endless && m.Frame.Behind == 0, c.end >= c.last.Add(extra.Milliseconds()):
		return errEnd
	}
	return nil
}

// collect runs a scenario and returns its events in the order of time.
func collect(ctx context.Context, sc *scenario.Scenario, seed uint64, until wheel.Time) (*collector, error) {
	c := &collector{ctx: ctx, until: until}
	to := max(until, sc.LastStep())
	if until == 0 {
		to = sc.LastStep().Add(longest.Milliseconds())
	}
	_, err := sc.Follow(options(seed), scenario.Run{Frame: roughFrame, Until: to, See: c.see})
	if err != nil && !errors.Is(err, errEnd) {
		if c.ctx.Err() != nil {
			return nil, err
		}
		c.note = err.Error()
	}
	slices.SortStableFunc(c.events, func(a, b buff.Event) int { return cmp.Compare(a.At, b.At) })
	switch {
	case until > 0:
		c.end = until
	case c.note == "":
		c.end = c.visibleEnd(sc.LastStep())
	}
	return c, nil
}

// visibleEnd returns the end of a timeline with an automatic end: the last event or step, rounded
// up to a second, or the time that buffs without end are shown.
func (c *collector) visibleEnd(step wheel.Time) wheel.Time {
	end, live := max(step, 1000), map[buff.Handle]bool{}
	for i := range c.events {
		e := &c.events[i]
		end = max(end, e.At)
		switch e.Kind {
		case buff.Applied, buff.Restored:
			live[e.Handle] = true
		case buff.Removed:
			delete(live, e.Handle)
		}
	}
	if len(live) > 0 {
		return c.end
	}
	return (end + 999) / 1000 * 1000
}

// record runs a scenario twice: first for its events, and then with a frame at each of them, for
// the state.
func record(ctx context.Context, sc *scenario.Scenario, seed uint64, until wheel.Time) (*Timeline, []string, error) {
	c, err := collect(ctx, sc, seed, until)
	if err != nil {
		return nil, nil, err
	}
	var stops []wheel.Time
	for i := range c.events {
		if at := c.events[i].At; at <= c.end && (len(stops) == 0 || stops[len(stops)-1] < at) {
			stops = append(stops, at)
		}
	}
	line := &Timeline{Findings: []Finding{}, End: int64(c.end), Note: c.note, Frames: sc.Seen()}
	r := newRecorder(line, sc.Catalog)
	log, err := sc.Follow(options(seed), scenario.Run{Frame: longest, Stops: stops, Until: c.end, See: func(m scenario.Moment) error {
		if r.count > maxEvents {
			return errEnd
		}
		r.take(m)
		return ctx.Err()
	}})
	if err != nil && !errors.Is(err, errEnd) {
		if ctx.Err() != nil {
			return nil, nil, err
		}
		line.Note = cmp.Or(line.Note, err.Error())
	}
	r.finish(c.end)
	return line, log, nil
}

// text returns the words for an event in lists and tooltips.
func text(e *buff.Event) string {
	switch {
	case e.Kind == buff.Denied:
		return "refused: " + e.Why.String()
	case e.Why != reason.None:
		return e.Kind.String() + ": " + e.Why.String()
	}
	return e.Kind.String()
}
