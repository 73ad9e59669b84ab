package main

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/fnv"
	"sync"
	"time"

	"github.com/bufftick/bufftick/buff"
	"github.com/bufftick/bufftick/buff/define"
	"github.com/bufftick/bufftick/buff/reason"
	"github.com/bufftick/bufftick/engine"
)

// setup holds the flags.
type setup struct{ zones, owners, goroutines, workers int }

// world holds all zones. Between frames it belongs to one goroutine.
type world struct {
	setup
	pool  *engine.Pool
	zones []*zone
	jumps int
}

// zone is a part of the world with its own engine. During a frame a zone belongs to one goroutine.
type zone struct {
	number int
	engine *engine.Engine
	plague *buff.Spec
	hurt   []int // sum of the stacks of all pulses, by owner; written by the owner's handlers

	in, out []letter // commands from other zones, and commands for other zones
	line    []byte
	sum     uint64
	events  int
}

// letter is a command for another zone.
type letter struct {
	to  int
	cmd buff.Command
}

func newWorld(s setup) (*world, error) {
	if s.zones < 1 || s.owners < 1 || s.goroutines < 1 || s.workers < 1 {
		return nil, errors.New("-zones, -owners, -goroutines and -workers must be 1 or more")
	}
	// Each zone gets an equal part of the workers, and the pool has room for all of them. If a
	// zone found no free worker, its due events would wait for the next frame.
	s.workers = max(1, s.workers/s.zones)
	pool, err := engine.NewPool(s.workers * s.zones)
	if err != nil {
		return nil, err
	}
	w := &world{setup: s, pool: pool}
	catalog, err := buff.NewCatalog(buff.Spec{
		ID: "plague", Duration: 3 * time.Second, Period: 500 * time.Millisecond, Stack: define.Stacking{Limit: 5},
		On: define.Hooks{Pulse: []define.Action{{Do: define.DoCall, Name: "hurt"}}},
	})
	if err != nil {
		return nil, errors.Join(err, w.close(context.Background()))
	}
	for n := range s.zones {
		z, err := newZone(n, s, pool, catalog)
		if err != nil {
			return nil, errors.Join(err, w.close(context.Background()))
		}
		w.zones = append(w.zones, z)
	}
	return w, nil
}

// newZone creates a zone with its owners. Every tenth owner starts with the plague. Owner ids are
// unique in the world, because the ids of zone n start at n × s.owners. All zones share one
// catalog, which is immutable.
func newZone(n int, s setup, pool *engine.Pool, catalog *buff.Catalog) (_ *zone, err error) {
	z := &zone{number: n, plague: catalog.Spec("plague"), hurt: make([]int, s.owners)}
	z.engine, err = engine.New(engine.Options{
		Catalog: catalog, Pool: pool, Workers: s.workers, Budget: -1, Limits: engine.Limits{Owners: s.owners},
		Number: uint32(n + 1), // the same in each run
		Seed:   uint64(n),
		Handlers: engine.Handlers{"hurt": func(_ *engine.Context, e buff.Event) {
			z.hurt[int(e.Owner)%s.owners] += int(e.Stacks)
		}},
	})
	if err != nil {
		return nil, err
	}
	for k := range s.owners {
		id := buff.OwnerID(n*s.owners + k)
		if err := z.engine.Spawn(id, nil); err != nil {
			return nil, err
		}
		if k%10 == 0 {
			if err := z.engine.Do(buff.Apply(id, buff.Application{Spec: z.plague, Source: id})).Err(); err != nil {
				return nil, err
			}
		}
	}
	return z, nil
}

// frame runs one frame of the world. It runs all zones in parallel, waits until they have finished,
// and then delivers the letters.
func (w *world) frame(dt time.Duration) {
	var wait sync.WaitGroup
	for g := range w.goroutines {
		wait.Go(func() {
			for k := g; k < len(w.zones); k += w.goroutines {
				w.zones[k].tick(dt, len(w.zones), w.owners)
			}
		})
	}
	wait.Wait()
	// Deliver in the order of zones and events, so that the result does not depend on the
	// goroutines.
	for _, from := range w.zones {
		for _, l := range from.out {
			to := w.zones[l.to]
			to.in = append(to.in, l)
			w.jumps++
		}
		from.out = from.out[:0]
	}
}

// tick runs a frame of one zone. It executes the commands from other zones, and then calls Tick.
func (z *zone) tick(dt time.Duration, zones, owners int) {
	for _, l := range z.in {
		// The command may be refused, for example because the owner already has five plagues. An
		// event reports the result, so the result is ignored here.
		_ = z.engine.Do(l.cmd)
	}
	z.in = z.in[:0]
	for e := range z.engine.Tick(dt).Events() {
		z.note(&e)
		if e.Kind != buff.Removed || e.Why != reason.Expired {
			continue
		}
		to := (z.number + 1) % zones
		next := buff.OwnerID(to*owners + (int(e.Owner)*7+1)%owners)
		z.out = append(z.out, letter{to, buff.Apply(next, buff.Application{
			Spec: z.plague, Source: e.Source,
		})})
	}
}

// note adds an event to the digest of the zone.
func (z *zone) note(e *buff.Event) {
	h := fnv.New64a()
	z.line = binary.LittleEndian.AppendUint64(z.line[:0], z.sum)
	z.line = binary.LittleEndian.AppendUint64(z.line, uint64(e.Owner))
	z.line = e.AppendLog(z.line, false)
	h.Write(z.line)
	z.sum = h.Sum64()
	z.events++
}

func (w *world) events() (n int) {
	for _, z := range w.zones {
		n += z.events
	}
	return n
}

// digest combines the events of all zones and the results of the handlers.
func (w *world) digest() uint64 {
	h := fnv.New64a()
	for _, z := range w.zones {
		fmt.Fprintln(h, z.sum, z.hurt)
	}
	return h.Sum64()
}

func (w *world) close(ctx context.Context) error {
	var errs []error
	for _, z := range w.zones {
		errs = append(errs, z.engine.Close(ctx))
	}
	return errors.Join(append(errs, w.pool.Close(ctx))...)
}
