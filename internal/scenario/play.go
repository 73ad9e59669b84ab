package scenario

import (
	"context"
	"strconv"
	"strings"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// LongestFrame is the default length of a frame. It limits how much of a long script runs in one
// Tick. The log does not depend on the length of frames.
const LongestFrame = time.Minute

// MinFrame is the minimum length of a frame.
const MinFrame = time.Millisecond

// MaxEvents is the maximum number of events of a scenario.
const MaxEvents = 1_000_000

// patience limits how long closing the engine may take after a run has failed.
const patience = 5 * time.Second

// play is one run of a scenario.
type play struct {
	scenario *Scenario
	engine   *engine.Engine
	frame    time.Duration
	fastest  map[define.Whose]time.Duration // highest rate so far of a buff, an owner or an area
	away     map[buff.OwnerID][]byte        // blobs of saved owners
	ids      map[string]buff.OwnerID        // numbers of owners and sources, by name
	logs     []ownerLog                     // one for each owner, in the order in which the script names them
	place    map[buff.OwnerID]int           // index of each owner in logs
	near     map[[2]buff.OwnerID]struct{}   // pairs: an owner with auras, an owner in their range
	lines    int
	run      Run
	done     bool // all steps have been executed
}

// Run says how [Scenario.Follow] runs a script.
type Run struct {
	Frame time.Duration // longest frame, as for Play
	Stops []wheel.Time  // instants at which a frame ends, sorted; ignored if the scenario fixes the frames
	Until wheel.Time    // the run lasts at least until this instant

	// See, if not nil, is called after each frame, and can read the engine. An error ends the run.
	See func(Moment) error
}

// Moment is the state of a run after a frame. It is valid until See returns.
type Moment struct {
	Engine *engine.Engine
	Frame  *engine.Frame
	Owners map[string]buff.OwnerID // owners and sources, by name
	Done   bool                    // all steps have been executed
}

// ownerLog is the log of one owner.
type ownerLog struct{ lines []logLine }

type logLine struct {
	at   wheel.Time
	text string
}

// MaxTick is the maximum of Limits.Tick in the options of Play. Play replaces a larger limit by the
// default.
const MaxTick = 1 << 20

// Play runs the script on an engine with the given options and returns the log. The parameter
// `frame` is the maximum length of a frame. In a scenario with "seen: true" or "frame", however, each step
// ends a frame, and there are no others than the multiples of "frame".
func (s *Scenario) Play(o engine.Options, frame time.Duration) (log []string, err error) {
	return s.Follow(o, Run{Frame: frame})
}

// Follow is like Play, and calls a function after each frame.
func (s *Scenario) Follow(o engine.Options, r Run) (log []string, err error) {
	p := &play{scenario: s, frame: r.Frame, run: r, fastest: map[define.Whose]time.Duration{define.OfBuff: 1, define.OfOwner: 1, define.OfArea: 1}, near: map[[2]buff.OwnerID]struct{}{}, away: map[buff.OwnerID][]byte{}, ids: map[string]buff.OwnerID{}, place: map[buff.OwnerID]int{}}
	o.Catalog, o.Handlers = s.Catalog, engine.Handlers{}
	if o.Limits.Tick > MaxTick {
		o.Limits.Tick = 0 // the default, so that a long cascade does not hold up a Tick for minutes
	}
	o.Epoch = time.UnixMilli(0) // a scenario has its own calendar
	o.Members = p.members
	for _, name := range s.Catalog.Handlers() {
		o.Handlers[name] = ignore
	}
	for i := range s.steps {
		if st := &s.steps[i]; st.verb == verbs["timeout"] {
			o.Handlers[st.name] = ignore
		}
	}
	if p.engine, err = engine.New(o); err != nil {
		return nil, err
	}
	defer func() {
		ctx, cancel := context.Background(), context.CancelFunc(func() {})
		if err != nil { // an endless cascade may still be running
			ctx, cancel = context.WithTimeout(ctx, patience)
		}
		defer cancel()
		if closed := p.engine.Close(ctx); err == nil {
			err = closed
		}
	}()
	if err := p.steps(); err != nil {
		_ = p.tick(0) // so that the log has everything up to the error
		return p.merged(), err
	}
	return p.merged(), nil
}

// ignore is the Go handler for all handler names in the definitions.
func ignore(*engine.Context, buff.Event) {}

func (p *play) steps() error {
	if err := p.spawn(); err != nil {
		return err
	}
	for i := range p.scenario.steps {
		st := &p.scenario.steps[i]
		if err := p.reach(st.at); err != nil {
			return err
		}
		if err := p.do(st); err != nil {
			return p.scenario.errorAt(st.node, "%v: %v", st, err)
		}
		if p.run.See == nil || p.scenario.seen || i+1 < len(p.scenario.steps) && p.scenario.steps[i+1].at == st.at {
			continue
		}
		if err := p.tick(0); err != nil { // shows the effect of the steps at their time
			return err
		}
	}
	p.done = true
	if last := max(p.scenario.lastWanted(), p.run.Until); last > p.engine.Now() {
		return p.reach(last)
	}
	return p.tick(0) // logs the events of the last commands
}

// lastWanted returns the time of the last line of the expected log. A run lasts at least until
// then, even if the last step is earlier.
func (s *Scenario) lastWanted() wheel.Time {
	last := wheel.Time(0)
	for _, line := range s.Want {
		word, _, _ := strings.Cut(line, " ")
		if at, err := strconv.ParseInt(word, 10, 64); err == nil && at <= lastInstant {
			last = max(last, wheel.Time(at))
		}
	}
	return last
}

// spawn spawns all owners before the first step. With "frame" these are all players that a step
// names.
func (p *play) spawn() error {
	for i := range p.scenario.steps {
		st := &p.scenario.steps[i]
		names := []string{st.owner, st.to}
		if p.scenario.frame > 0 {
			names = append(names, st.from)
			if st.verb.frames {
				names = append(names, st.name)
			}
		}
		for _, name := range names {
			if name == "" {
				continue
			}
			id := p.id(name)
			if _, ok := p.place[id]; ok {
				continue
			}
			if err := p.engine.Spawn(id, nil); err != nil {
				return err
			}
			p.place[id] = len(p.logs)
			p.logs = append(p.logs, ownerLog{})
		}
	}
	return nil
}

// id returns the number of an owner or a source.
func (p *play) id(name string) buff.OwnerID {
	id, ok := p.ids[name]
	if !ok {
		id = buff.OwnerID(len(p.ids) + 1)
		p.ids[name] = id
	}
	return id
}

// reach runs frames up to an instant: at least one frame and, in a scenario with "seen: true" and
// without "frame", exactly one.
func (p *play) reach(at wheel.Time) error {
	left := time.Duration(at-p.engine.Now()) * time.Millisecond
	for f := p.scenario.frame; f > 0 && left > 0; {
		dt := f - time.Duration(p.engine.Now())*time.Millisecond%f
		if dt > left {
			break
		}
		if err := p.tick(dt); err != nil {
			return err
		}
		left -= dt
	}
	// A higher rate needs shorter frames: at a rate of 1,000,000, a minute has as many pulses as a
	// year.
	frame := min(p.frame, max(LongestFrame/(p.fastest[define.OfBuff]*p.fastest[define.OfOwner]*p.fastest[define.OfArea]), MinFrame))
	for !p.scenario.seen {
		dt := frame
		for len(p.run.Stops) > 0 && p.run.Stops[0] <= p.engine.Now() {
			p.run.Stops = p.run.Stops[1:]
		}
		if len(p.run.Stops) > 0 {
			dt = min(dt, time.Duration(p.run.Stops[0]-p.engine.Now())*time.Millisecond)
		}
		if left <= dt {
			break
		}
		if err := p.tick(dt); err != nil {
			return err
		}
		left -= dt
	}
	return p.tick(left)
}

// quicken records the highest rate of the time of a buff, an owner or an area.
func (p *play) quicken(whose define.Whose, r buff.Ratio) {
	if r.Num > r.Den {
		p.fastest[whose] = max(p.fastest[whose], time.Duration(min((r.Num-1)/max(r.Den, 1)+1, buff.MaxRate)))
	}
}

// tick runs one frame and logs its events. The engine has a limit of events for each Tick, so tick
// calls Tick until no events are left. In this way it notices an endless cascade of events before
// the cascade fills the memory.
func (p *play) tick(dt time.Duration) error {
	for {
		f := p.engine.Tick(dt)
		if p.lines += f.Len(); p.lines > MaxEvents {
			return p.scenario.errorAt(p.scenario.node, "more than %d events by %v: make the script shorter", MaxEvents, f.Now)
		}
		for e := range f.Events() {
			if (e.Kind == buff.Died || e.Kind == buff.Revived) && !p.scenario.life {
				continue
			}
			l := &p.logs[p.place[e.Owner]]
			l.lines = append(l.lines, logLine{e.At, string(e.AppendLog(nil, p.scenario.seen && p.scenario.frame == 0))})
		}
		if p.run.See != nil {
			if err := p.run.See(Moment{p.engine, f, p.ids, p.done}); err != nil {
				return err
			}
		}
		if f.Behind == 0 && p.engine.Stats().Busy == 0 {
			return nil
		}
		dt = 0
	}
}

// merged returns the lines of all owners, sorted by time. At one instant, the lines are in the
// order of the owners, and lines of the same owner keep their order.
func (p *play) merged() []string {
	all := make([]string, 0, p.lines)
	for {
		var next *ownerLog
		for i := range p.logs {
			if l := &p.logs[i]; len(l.lines) > 0 && (next == nil || l.lines[0].at < next.lines[0].at) {
				next = l
			}
		}
		if next == nil {
			return all
		}
		all = append(all, next.lines[0].text)
		next.lines = next.lines[1:]
	}
}

// LastStep returns the time of the last step.
func (s *Scenario) LastStep() wheel.Time {
	if n := len(s.steps); n > 0 {
		return s.steps[n-1].at
	}
	return 0
}

// Seen reports whether the scenario fixes the frames, by "seen: true" or "frame".
func (s *Scenario) Seen() bool { return s.seen }
