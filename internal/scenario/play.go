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

// LongestFrame is the default frame. It bounds how much of a long script runs in one Tick; the
// log does not depend on it.
const LongestFrame = time.Minute

// MinFrame is the shortest frame.
const MinFrame = time.Millisecond

// MaxEvents is the maximum number of events of a scenario.
const MaxEvents = 1_000_000

// patience limits how long a failed run may take to close.
const patience = 5 * time.Second

// play is one run of a scenario.
type play struct {
	scenario *Scenario
	engine   *engine.Engine
	frame    time.Duration
	fastest  map[define.Whose]time.Duration // the highest rate of a buff's, an owner's and a zone's time so far
	away     map[buff.OwnerID][]byte        // the blobs of saved owners
	ids      map[string]buff.OwnerID        // of owners and sources
	logs     []ownerLog                     // in the order in which the script names the owners
	place    map[buff.OwnerID]int           // in logs
	near     map[[2]buff.OwnerID]struct{}   // the areas of auras: bearer and member
	lines    int
}

// ownerLog is the log of one owner.
type ownerLog struct{ lines []logLine }

type logLine struct {
	at   wheel.Time
	text string
}

// Play runs the script on an engine with the options and returns the log. Frames are at most that
// long; the frames of a scenario with "seen: true" end at its steps.
func (s *Scenario) Play(o engine.Options, frame time.Duration) (log []string, err error) {
	p := &play{scenario: s, frame: frame, fastest: map[define.Whose]time.Duration{define.OfBuff: 1, define.OfOwner: 1, define.OfZone: 1}, near: map[[2]buff.OwnerID]struct{}{}, away: map[buff.OwnerID][]byte{}, ids: map[string]buff.OwnerID{}, place: map[buff.OwnerID]int{}}
	o.Catalog, o.Handlers, o.Limits.Tick = s.Catalog, engine.Handlers{}, 0 // the default
	o.Epoch = time.UnixMilli(0)                                            // a scenario has its own calendar
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
		if err != nil { // the rest may be an endless cascade
			ctx, cancel = context.WithTimeout(ctx, patience)
		}
		defer cancel()
		if closed := p.engine.Close(ctx); err == nil {
			err = closed
		}
	}()
	if err := p.steps(); err != nil {
		_ = p.tick(0) // the log up to the error is returned
		return p.merged(), err
	}
	return p.merged(), nil
}

// ignore stands for all Go handlers.
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
	}
	if last := p.scenario.lastWanted(); last > p.engine.Now() {
		return p.reach(last)
	}
	return p.tick(0) // the events of the last commands
}

// lastWanted returns the time of the last line of the expected log: the time passes until then, so that an
// expected log may go beyond the last step.
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

// spawn spawns all owners before the first step.
func (p *play) spawn() error {
	for i := range p.scenario.steps {
		for _, name := range []string{p.scenario.steps[i].owner, p.scenario.steps[i].to} {
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

// reach runs frames up to an instant, at least one. A scenario with "seen: true" has one frame for
// each step.
func (p *play) reach(at wheel.Time) error {
	left := time.Duration(at-p.engine.Now()) * time.Millisecond
	// At a rate of a million, a minute has as many pulses as a year.
	frame := min(p.frame, max(LongestFrame/(p.fastest[define.OfBuff]*p.fastest[define.OfOwner]*p.fastest[define.OfZone]), MinFrame))
	for !p.scenario.seen && left > frame {
		if err := p.tick(frame); err != nil {
			return err
		}
		left -= frame
	}
	return p.tick(left)
}

// quicken records the highest rate of the time of a buff, an owner or a zone.
func (p *play) quicken(whose define.Whose, r buff.Ratio) {
	if r.Num > r.Den {
		p.fastest[whose] = max(p.fastest[whose], time.Duration(min((r.Num-1)/max(r.Den, 1)+1, buff.MaxRate)))
	}
}

// tick runs one frame and logs its events. It calls Tick until no events are left over by the
// engine's limit, so that an endless cascade is noticed before it fills the memory.
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
			l.lines = append(l.lines, logLine{e.At, string(e.AppendLog(nil, p.scenario.seen))})
		}
		if f.Behind == 0 && p.engine.Stats().Busy == 0 {
			return nil
		}
		dt = 0
	}
}

// merged merges the logs of all owners by time, and at one instant in the order of the owners. The
// lines of one owner stay in their order.
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
