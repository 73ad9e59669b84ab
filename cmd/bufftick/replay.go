package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/engine"
	"github.com/bufftick/bufftick/wheel"
)

// tolerance is the largest difference between two ends that count as equal. The ends may differ
// because a recorder notes when it received an event, not when the event happened.
const tolerance = 100 // ms

// defaultFrame is the default value of -frame. It is the frame length of a game server that ticks
// 20 times a second.
const defaultFrame = 50 * time.Millisecond

// replayCmd is "bufftick replay".
type replayCmd struct {
	Trace  string
	Spells string
	Frame  time.Duration
	poolFlags
}

func (c *replayCmd) flags(f *flags) {
	f.StringVar(&c.Spells, "spells", "", "`FILE` of the spells whose duration is known: spell,name,kind,duration_ms,refresh. Required.")
	f.spanVar(&c.Frame, "frame", defaultFrame, "`SPAN` of a frame.")
	c.poolFlags.flags(f)
}

func (*replayCmd) help() string {
	return `TRACE has the columns ms,event,source,target,spell,name,kind,stacks. Its applications,
refreshes and dispels are sent to the engine at the recorded times. The engine decides when
a buff of a known duration ends, and that end is compared with the recorded one:

    match  the two are within 100 ms
    early  the recording ends the buff before its time; the engine then removes it
    late   the engine ended a buff that was still alive in the recording

Neither -frame nor -workers changes these figures.

A recording has at most 32 MiB, 1000000 lines, 10000 spells, and 10000 units with buffs, also
if it is a pipe or /dev/stdin.

Examples:

    bufftick replay --spells spells.csv arena.csv
    bufftick replay arena.csv --spells spells.csv -frame 10ms -workers 4`
}

// run reads both files, replays the trace and prints the report.
func (c *replayCmd) run(args []string, stdout, _ io.Writer) error {
	c.Trace = args[0]
	if c.Spells == "" {
		return usageError{errors.New("bufftick: -spells FILE is required; see bufftick replay -help")}
	}
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
	took     time.Duration
}

func newReplay(o engine.Options, frame time.Duration, table map[spellID]spell, trace []traceLine) (*replay, error) {
	r := &replay{
		frame: frame, table: table, specs: map[spellID]*buff.Spec{}, ids: map[string]buff.OwnerID{},
		spawned: map[buff.OwnerID]bool{}, judge: newJudge(),
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
	o.Catalog, o.Limits.Buffs, o.Limits.Owners = catalog, buff.MaxPerOwner, maxNames
	r.engine, err = engine.New(o)
	return r, err
}

// String returns the ID of the spell's definition.
func (id spellID) String() string { return id.number + "/" + id.kind }

// definitions returns a definition for each spell in the trace. The buff of a spell that is not in
// the table lasts until it is removed. The stack limit is the largest number of stacks in the
// trace, or 1 for a spell without doses.
func definitions(table map[spellID]spell, trace []traceLine) []buff.Spec {
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

// all replays the whole trace.
func (r *replay) all(trace []traceLine) error {
	start := time.Now()
	for i := range trace {
		rec := &trace[i]
		r.reach(rec.at)
		r.judge.reach(rec.at)
		if err := r.feed(rec); err != nil {
			return fmt.Errorf("%d: %s: %w", rec.line, rec.event, err)
		}
	}
	r.reach(r.engine.Now() + tolerance) // an end in the engine may be later than the recorded end
	r.took = time.Since(start)
	r.judge.close()
	return nil
}

// reach runs frames up to an instant. The last frame ends exactly at that instant.
func (r *replay) reach(at wheel.Time) {
	for left := time.Duration(at-r.engine.Now()) * time.Millisecond; left > 0; left -= r.frame {
		r.tick(min(left, r.frame))
	}
}

// tick runs one frame and reports ended buffs to the judge.
func (r *replay) tick(dt time.Duration) {
	for e := range r.engine.Tick(dt).Events() {
		if e.Kind == buff.Removed {
			r.judge.ended(e)
		}
	}
}

// owner returns the ID of the unit with the given name. If carries is true, which means that the
// unit has buffs, "owner" also spawns the unit, unless it has already been spawned.
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
