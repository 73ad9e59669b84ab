package main

import (
	"context"
	"fmt"
	"time"

	"github.com/HdrHistogram/hdrhistogram-go"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// tolerance is how far apart two ends may be and still be the same: a recorder
// notes what it hears, and not when it happened.
const tolerance = 100 // ms

// defaultFrame is the frame of a game server that ticks 20 times a second.
const defaultFrame = 50 * time.Millisecond

// replayCmd is "bufftick replay".
type replayCmd struct {
	Trace  string `arg:"" help:"The recording: ms,event,source,target,spell,name,kind,stacks."`
	Spells string `required:"" placeholder:"FILE" help:"The spells whose duration is known: spell,name,kind,duration_ms,refresh."`

	Frame time.Duration `default:"${defaultFrame}" placeholder:"SPAN" help:"Length of a frame. If not given, 50ms."`
	poolFlags
}

// Help is the part of --help behind the flags.
func (*replayCmd) Help() string {
	return `What the recording applies, refreshes and dispels is asked of the engine at the
recorded times. The engine decides by itself when a buff of a known duration
ends, and that is compared with the recorded end:

    match  the two are within 100 ms
    early  the recording ends it before its time; the engine is told then
    late   the engine ended what was still alive in the recording

Neither -frame nor -workers changes these figures.

A recording has at most 32 MiB, 1000000 lines, 10000 spells, and 10000 names that carry
something; that holds for pipes and /dev/stdin too.

Examples:

    bufftick replay --spells spells.csv arena.csv
    bufftick replay arena.csv --spells spells.csv -frame 10ms -workers 4`
}

// Run reads both files, replays, and prints the report.
func (c *replayCmd) Run(stdout output) error {
	if err := checkFrame(c.Frame); err != nil {
		return err
	}
	if err := c.poolFlags.check(); err != nil {
		return err
	}
	table, err := readSpells(c.Spells)
	if err != nil {
		return err
	}
	trace, err := readTrace(c.Trace)
	if err != nil {
		return err
	}
	r, err := newReplay(c.options(), c.Frame, table, trace)
	if err != nil {
		return err
	}
	err = r.all(trace)
	if closed := r.engine.Close(context.Background()); err == nil {
		err = closed
	}
	if err != nil {
		return fmt.Errorf("%s:%w", c.Trace, err)
	}
	return r.report(stdout, c, trace)
}

// replay is one run of a trace.
type replay struct {
	engine *engine.Engine
	frame  time.Duration
	table  map[spellID]spell
	specs  map[spellID]*buff.Spec
	ids    map[string]buff.OwnerID
	judge  judge

	spawned  map[buff.OwnerID]bool
	commands int
	frames   *hdrhistogram.Histogram // ns
	took     time.Duration           // all of it
}

func newReplay(o engine.Options, frame time.Duration, table map[spellID]spell, trace []record) (*replay, error) {
	r := &replay{
		frame: frame, table: table, specs: map[spellID]*buff.Spec{}, ids: map[string]buff.OwnerID{},
		spawned: map[buff.OwnerID]bool{}, judge: newJudge(),
		frames: hdrhistogram.New(1, int64(time.Minute), 3),
	}
	specs := definitions(table, trace)
	if len(specs) > maxSpells {
		return nil, fmt.Errorf("more than %d spells in one recording: %d", maxSpells, len(specs))
	}
	catalog, err := buff.NewCatalog(specs...)
	if err != nil {
		return nil, err
	}
	for i := range trace {
		if id := trace[i].spell; id.kind != "" {
			r.specs[id] = catalog.Spec(id.String())
		}
	}
	o.Catalog, o.MaxBuffs, o.MaxOwners = catalog, buff.MaxPerOwner, maxNames
	r.engine, err = engine.New(o)
	return r, err
}

// String returns the ID of the spell's definition.
func (id spellID) String() string { return id.number + "/" + id.kind }

// definitions makes a definition of each spell of the trace. One that is not in the
// table lives until it is removed. What the stack limit of a spell is the trace
// shows; a spell that is never dosed has one stack, and is only refreshed.
func definitions(table map[spellID]spell, trace []record) []buff.Spec {
	var list []buff.Spec
	place := map[spellID]int{}
	for i := range trace {
		rec := &trace[i]
		if rec.spell.kind == "" {
			continue
		}
		at, ok := place[rec.spell]
		if !ok {
			at = len(list)
			place[rec.spell] = at
			s := buff.Spec{ID: rec.spell.String(), Name: rec.name, Kind: define.Infinite, Stack: define.Stacking{By: define.BySource}}
			if known, ok := table[rec.spell]; ok {
				s.Kind, s.Duration, s.Stack.Refresh = define.Timed, known.duration, known.refresh
			}
			list = append(list, s)
		}
		list[at].Stack.Limit = max(list[at].Stack.Limit, rec.stacks)
	}
	return list
}

// all feeds the whole trace.
func (r *replay) all(trace []record) error {
	start := time.Now()
	for i := range trace {
		rec := &trace[i]
		r.reach(rec.at)
		r.judge.reach(rec.at)
		if err := r.feed(rec); err != nil {
			return fmt.Errorf("%d: %s: %w", rec.line, rec.event, err)
		}
	}
	r.reach(r.engine.Now() + tolerance) // an end may be recorded before its time
	r.took = time.Since(start)
	r.judge.close()
	return nil
}

// reach runs the frames up to an instant, the last of which ends there.
func (r *replay) reach(at wheel.Time) {
	for left := time.Duration(at-r.engine.Now()) * time.Millisecond; left > 0; left -= r.frame {
		r.tick(min(left, r.frame))
	}
}

// tick runs one frame and hears which buffs have ended.
func (r *replay) tick(dt time.Duration) {
	start := time.Now()
	f := r.engine.Tick(dt)
	// A frame beyond the histogram's minute would be noted as a minute.
	_ = r.frames.RecordValue(min(max(int64(time.Since(start)), 1), int64(time.Minute)))
	for e := range f.Events() {
		if e.Kind == buff.Removed {
			r.judge.ended(e)
		}
	}
}

// owner returns the number of a name; whoever carries something is let in.
func (r *replay) owner(name string, carries bool) (buff.OwnerID, error) {
	id, ok := r.ids[name]
	if !ok {
		id = buff.OwnerID(len(r.ids) + 1)
		r.ids[name] = id
	}
	if !carries || r.spawned[id] {
		return id, nil
	}
	r.spawned[id] = true
	return id, r.engine.Spawn(id, nil)
}
